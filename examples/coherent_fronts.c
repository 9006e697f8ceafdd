// Two rings that drift past each other, frame by frame: a front makes each question cheap where little has moved, and its answers are
// those of a fresh query. Uses public headers only.
#include <graze/graze.h>

#include <stdio.h>

enum { rings = 48, sides = 24, frameCount = 200 };

static grzResult makeRing(grzModel** model) {
    static float positions[rings * sides * 3];
    static uint32_t triangles[rings * sides * 6];
    uint32_t count = 0;
    for (uint32_t i = 0; i < rings * sides; ++i) {
        float around = 6.2831853f * (float)(i / sides) / rings, across = 6.2831853f * (float)(i % sides) / sides;
        float radius = 1 + 0.3f * grzCos(across);
        grzVec3_Store(&positions[3 * i],
                      grzVec3_Make(radius * grzCos(around), radius * grzSin(around), 0.3f * grzSin(across)));
        uint32_t right = i / sides * sides + (i + 1) % sides, up = (i + sides) % (rings * sides);
        uint32_t corner = (right + sides) % (rings * sides);
        uint32_t corners[6] = {i, right, up, right, corner, up};
        for (int k = 0; k < 6; ++k)
            triangles[count++] = corners[k];
    }
    grzModelDef def = grzDefaultModelDef();
    def.positions = positions, def.vertexCount = rings * sides;
    def.triangles = triangles, def.triangleCount = count / 3;
    return grzModel_Create(&def, model);
}

// From beside the other ring to through its hole, a thousandth of its size a frame.
static grzModelQuery queryAt(const grzModel* ring, int frame) {
    grzModelQuery query = grzDefaultModelQuery();
    query.a = query.b = ring;
    query.poseB = grzTransform_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), 1.5f),
                                        grzVec3_Make(2.7f - 0.002f * (float)frame, 0, 0));
    return query;
}

typedef struct Work {
    size_t touching, differing;
    uint64_t fresh, coherent; // frames that walked from the roots, and that did not
} Work;

static grzResult run(const grzModel* ring, grzModelFront* front, Work* work) {
    grzResult result = {0};
    for (int frame = 0; frame < frameCount && grzResult_IsOk(result); ++frame) {
        grzModelQuery query = queryAt(ring, frame);
        bool touches, touchesAfresh;
        result = grzModelFront_Touch(front, &query, &touches);
        if (!grzResult_IsOk(result))
            break;
        result = grzModels_Touch(&query, &touchesAfresh, NULL);
        work->touching += touches;
        work->differing += touches != touchesAfresh;
        if (grzModelFront_GetView(front).isAnew)
            work->fresh++;
        else
            work->coherent++;
    }
    return result;
}

// The pairs of triangles that meet in the last frame: the front finds those that a fresh query does.
static grzResult listPairs(const grzModel* ring, grzModelFront* front, Work* work) {
    grzModelQuery query = queryAt(ring, frameCount - 1);
    grzModelPairs* pairs = NULL;
    grzResult result = grzModelFront_Find(front, &query);
    if (grzResult_IsOk(result))
        result = grzModelPairs_Create((grzAllocator){0}, &pairs);
    if (grzResult_IsOk(result))
        result = grzModelPairs_Find(pairs, &query);
    if (grzResult_IsOk(result)) {
        const size_t count = grzModelFront_GetView(front).count;
        printf("at last %zu pairs of triangles meet\n", count);
        work->differing += count != grzModelPairs_GetView(pairs).count;
    }
    grzModelPairs_Destroy(pairs);
    return result;
}

// How far the rings are apart in the first frame.
static grzResult measure(const grzModel* ring) {
    grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
    grzModelDistance distance;
    query.a = query.b = ring, query.poseB = queryAt(ring, 0).poseB;
    grzResult result = grzModels_Distance(&query, &distance, NULL);
    if (grzResult_IsOk(result))
        printf("at first they are %.3f apart\n", (double)distance.upper);
    return result;
}

int main(void) {
    grzModel* ring = NULL;
    grzModelFront* front = NULL;
    Work work = {0};
    char text[128];
    grzResult result = makeRing(&ring);
    if (grzResult_IsOk(result))
        result = grzModelFront_Create((grzAllocator){0}, &front);
    if (grzResult_IsOk(result))
        result = measure(ring);
    if (grzResult_IsOk(result))
        result = run(ring, front, &work);
    if (grzResult_IsOk(result))
        result = listPairs(ring, front, &work);
    grzModelFront_Destroy(front);
    grzModel_Destroy(ring);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "coherent_fronts: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("%zu of %d frames touch; %llu walked from the roots\n", work.touching, frameCount,
           (unsigned long long)work.fresh);
    return work.differing == 0 && work.coherent > work.fresh ? 0 : 1;
}
