// What a box's axes tell of triangles, against their distances; and the manifolds of that way against those of a hull of the same
// corners, which goes the general way.
#include "convex_testing.h"

#include <math.h>

#include "convex_slab.h"

enum { ROUNDS = 20000 };

static grzMeshTriangle drawTriangle(grzRng* rng) {
    grzMeshTriangle triangle;
    memset(&triangle, 0, sizeof triangle);
    const grzVec3 middle = randomVector(rng, 1.5f);
    for (int k = 0; k < 3; ++k)
        triangle.vertices[k] = grzAdd(middle, randomVector(rng, 0.5f));
    triangle.isTwoSided = true;
    return triangle;
}

static void test_kinds(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(91), 0);
    uint32_t counts[4] = {0};
    for (int round = 0; round < ROUNDS; ++round) {
        const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0.6f, 1.2f));
        const grzTransform pose = randomPose(&rng, 1);
        const grzMeshTriangle triangle = drawTriangle(&rng);
        const double margin = (double)randomIn(&rng, 0, 0.3f);
        grzVec3d corners[3];
        ConvexCore core;
        grzConvexDistance distance;
        grzConvexCore_Set(&core, &box, pose, grzVec3d_Make(0, 0, 0));
        for (int k = 0; k < 3; ++k)
            corners[k] = grzVec3d_FromVec3(triangle.vertices[k]);
        const Slab slab = grzCompareSlab(&core, corners, margin);
        assert_true(grzResult_IsOk(grzConvex_TriangleDistance(&box, pose, &triangle, &distance)));
        counts[slab.kind]++;
        if (slab.kind == slabBeside)
            assert_true((double)distance.upper > margin);
        if (slab.kind == slabInside)
            assert_true(distance.isTouching);
        if (slab.kind == slabOver) {
            assert_true(slab.gap + slab.error >= (double)distance.lower &&
                        slab.gap - slab.error <= (double)distance.upper);
            assert_true(!distance.isTouching && slab.error < 3e-5);
        }
    }
    assert_true(counts[slabUnknown] > 100 && counts[slabBeside] > 1000 && counts[slabOver] > 500 &&
                counts[slabInside] > 500);
}

static void test_manifolds(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(92), 0);
    const grzVec3 half = grzVec3_Make(1, 0.6f, 1.2f);
    float points[24];
    for (uint32_t i = 0; i < 8; ++i)
        grzVec3_Store(points + 3 * i,
                      grzVec3_Make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
    grzHull* hull;
    grzHullDef def = grzDefaultHullDef();
    def.positions = points, def.pointCount = 8;
    assert_true(grzResult_IsOk(grzHull_Create(&def, &hull)));
    const grzConvex box = grzMakeBox(grzVec3_Zero(), half), same = grzMakeHullShape(hull);
    uint32_t apart = 0, deep = 0;
    for (int round = 0; round < ROUNDS / 4; ++round) {
        const grzTransform pose = randomPose(&rng, 1);
        const grzMeshTriangle triangle = drawTriangle(&rng);
        grzManifold own, other;
        assert_true(grzResult_IsOk(grzConvex_CollideTriangle(&box, pose, &triangle, 0.2f, &own)));
        assert_true(grzResult_IsOk(grzConvex_CollideTriangle(&same, pose, &triangle, 0.2f, &other)));
        if (own.pointCount == 0 || other.pointCount == 0) {
            const grzManifold* found = own.pointCount != 0 ? &own : &other;
            assert_true(own.pointCount == other.pointCount || found->separation > 0.19999f);
            continue;
        }
        assert_true(fabsf(own.separation - other.separation) < 2e-3f);
        apart += own.separation > 0, deep += own.separation <= 0;
        if (own.separation > 1e-3f)
            assert_true(grzDot(own.normal, other.normal) > 0.9999f);
    }
    assert_true(apart > 200 && deep > 200);
    grzHull_Destroy(hull);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_manifolds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
