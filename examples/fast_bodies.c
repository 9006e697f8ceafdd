// Balls that fly through a thin fence in one step: where each touches it first, found by sweeps, and none passes through unseen. Uses
// public headers only.
#include <graze/graze.h>

#include <math.h>
#include <stdio.h>

enum { ballCount = 64 };

// Two triangles without thickness, at x = 0.
static grzResult makeFence(grzModel** fence) {
    static const float positions[12] = {0, -5, -5, 0, 5, -5, 0, 5, 5, 0, -5, 5};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    grzModelDef def = grzDefaultModelDef();
    def.positions = positions, def.vertexCount = 4;
    def.triangles = triangles, def.triangleCount = 2;
    return grzModel_Create(&def, fence);
}

int main(void) {
    static grzSweepQuery queries[ballCount];
    static grzSweepImpact impacts[ballCount];
    grzModel* fence;
    char text[128];
    int stopped = 0, wrong = 0;
    grzResult result = makeFence(&fence);
    for (int i = 0; i < ballCount; ++i) {
        grzTransform before = grzTransform_Identity(), after = before;
        before.origin = grzVec3_Make(-10, (float)(i % 8) - 4, (float)i / 8 - 4);
        after.origin = grzVec3_Make(i % 2 == 0 ? 990.0f : -5.0f, before.origin.y, before.origin.z);
        queries[i] = grzDefaultSweepQuery();
        queries[i].a.shape = grzMakeSphere(grzVec3_Zero(), 0.1f);
        queries[i].a.motion = grzSweepMotion_Between(before, after, before.origin);
        queries[i].b.model = fence;
        queries[i].b.motion = grzSweepMotion_Rest(grzTransform_Identity());
    }
    if (grzResult_IsOk(result))
        result = grzSweep_FindMany(NULL, queries, ballCount, impacts);
    grzModel_Destroy(fence);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "fast_bodies: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    for (int i = 0; i < ballCount; ++i) {
        // 1000 lengths in a step, of which 9.9 are free.
        bool isStopped = impacts[i].outcome == grz_sweepTouches;
        stopped += isStopped;
        wrong += isStopped != (i % 2 == 0) || (isStopped && fabs(impacts[i].toi - 0.0099) > 1e-4);
    }
    printf("%d of %d balls are stopped at the fence\n", stopped, ballCount);
    return wrong == 0 ? 0 : 1;
}
