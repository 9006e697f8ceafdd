// hull.h: a hull holds its points, has proper links, and says what it left out.
#include "convex_testing.h"

#include <math.h>

static grzResult makeHull(const float* positions, size_t count, uint32_t limit, grzHull** hull) {
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions;
    def.pointCount = count;
    def.vertexLimit = limit;
    return grzHull_Create(&def, hull);
}

static void assertGood(const grzHull* hull) {
    const char* wrong = grzHull_Validate(hull);
    if (wrong != NULL)
        fail_msg("%s", wrong);
}

static double reachOf(const float* positions, size_t count, grzVec3d d) {
    double most = -(double)INFINITY;
    for (size_t i = 0; i < count; ++i)
        most = fmax(most, grzVec3d_Dot(d, grzVec3d_FromVec3(grzVec3_Load(positions + 3 * i))));
    return most;
}

static double hullReach(const grzHull* hull, grzVec3d d) {
    grzHullView view = grzHull_GetView(hull);
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        most = fmax(most, grzVec3d_Dot(d, grzVec3d_FromVec3(view.vertices[i])));
    return most;
}

// No point is outside by more than excess, and in all directions the hull reaches as far as the points, nearly.
static void assertHolds(const grzHull* hull, const float* positions, size_t count, grzRng* rng, double slack) {
    grzHullView view = grzHull_GetView(hull);
    for (uint32_t f = 0; f < view.faceCount; ++f) {
        double reach = reachOf(positions, count, grzVec3d_FromVec3(view.faces[f].normal));
        assert_true(reach - (double)view.faces[f].offset <= (double)view.excess);
    }
    for (int i = 0; i < 100; ++i) {
        grzVec3d d = grzVec3d_FromVec3(randomVector(rng, 1));
        double length = grzVec3d_Length(d);
        assert_true(reachOf(positions, count, d) - hullReach(hull, d) <= slack * length);
    }
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        assert_true(grzVec3_IsEqual(view.vertices[i], grzVec3_Load(positions + 3 * (size_t)view.sources[i])));
}

static void fillBox(float* positions, grzVec3 half, grzTransform pose) {
    for (uint32_t i = 0; i < 8; ++i) {
        grzVec3 p = grzVec3_Make((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                                 (i & 4) != 0 ? half.z : -half.z);
        grzVec3_Store(positions + (size_t)3 * i, grzTransform_Apply(pose, p));
    }
}

static void aBoxHasSixFaces(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 0);
    float positions[24];
    for (int i = 0; i < 200; ++i) {
        float offset = i % 4 == 3 ? 1000.0f : 3.0f;
        fillBox(positions, grzVec3_Make(1, 2, randomIn(&rng, 0.1f, 3)), randomPose(&rng, offset));
        grzHull* hull;
        assert_int_equal(makeHull(positions, 8, 64, &hull).status, grz_ok);
        grzHullView view = grzHull_GetView(hull);
        assert_true(view.vertexCount == 8 && view.edgeCount == 12 && view.faceCount == 6);
        for (uint32_t f = 0; f < 6; ++f)
            assert_int_equal(view.faces[f].edgeCount, 4);
        assertGood(hull);
        grzHull_Destroy(hull);
    }
}

static void pointsWithinFacesAndEdgesAreNoVertices(void** state) {
    (void)state;
    float positions[3 * 125 + 3 * 125];
    size_t count = 0;
    for (int twice = 0; twice < 2; ++twice)
        for (int i = 0; i < 125; ++i, ++count)
            grzVec3_Store(positions + 3 * count, grzVec3_Make((float)(i % 5), (float)(i / 5 % 5), (float)(i / 25)));
    for (uint32_t limit = 8; limit <= 64; limit += 8) {
        grzHull* hull;
        assert_int_equal(makeHull(positions, count, limit, &hull).status, grz_ok);
        grzHullView view = grzHull_GetView(hull);
        assert_true(view.vertexCount == 8 && view.faceCount == 6 && view.excess <= view.tolerance);
        assertGood(hull);
        grzHull_Destroy(hull);
    }
}

static void randomPointsAreHeld(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    float* positions = malloc(3 * 2000 * sizeof *positions);
    for (int round = 0; round < 300; ++round) {
        size_t count = 4 + grzRng_Below(&rng, round % 20 == 0 ? 1996 : 60);
        float offset = round % 3 == 0 ? 1e4f : 0, squash = round % 5 == 0 ? 0.01f : 1;
        bool isGrid = round % 4 == 1;
        for (size_t i = 0; i < count; ++i) {
            grzVec3 p = randomVector(&rng, 1);
            if (isGrid)
                p = grzVec3_Make(roundf(p.x * 3), roundf(p.y * 3), roundf(p.z * 3));
            p.z *= squash;
            grzVec3_Store(positions + 3 * i, grzAdd(p, grzVec3_Splat(offset)));
        }
        grzHull* hull;
        grzResult result = makeHull(positions, count, 128, &hull);
        if (!grzResult_IsOk(result)) {
            assert_true(result.status == grz_badFormat && count < 12);
            continue;
        }
        grzHullView view = grzHull_GetView(hull);
        assertGood(hull);
        // Beyond a sharp edge a point is farther from the hull than from the planes.
        if (view.vertexCount < 120)
            assertHolds(hull, positions, count, &rng, (squash < 1 ? 1000 : 30) * (double)view.tolerance);
        grzHull_Destroy(hull);
    }
    free(positions);
}

static void aLimitIsKeptAndItsExcessTold(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 0);
    float positions[3 * 500];
    for (int i = 0; i < 500; ++i)
        grzVec3_Store(positions + (size_t)3 * (size_t)i, grzNormalize(randomVector(&rng, 1)));
    double before = 10;
    for (uint32_t limit = 4; limit <= GRZ_HULL_MOST_VERTICES; limit *= 2) {
        grzHull* hull;
        assert_int_equal(makeHull(positions, 500, limit, &hull).status, grz_ok);
        grzHullView view = grzHull_GetView(hull);
        assert_true(view.vertexCount <= limit && view.vertexCount > limit / 2);
        assert_true((double)view.excess < before);
        before = (double)view.excess;
        assertGood(hull);
        assertHolds(hull, positions, 500, &rng, 4);
        grzHull_Destroy(hull);
    }
    assert_true(before < 0.1);
}

static void flatPointsAreRefusedWithTheirReason(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(4), 0);
    static const char* const words[] = {"one point", "a line", "a plane"};
    for (int round = 0; round < 60; ++round) {
        float positions[3 * 20];
        int dimensions = round % 3;
        grzVec3 base = randomVector(&rng, 5), u = randomVector(&rng, 1), v = randomVector(&rng, 1);
        size_t count = round < 6 ? (size_t)round / 3 + 1 : 20;
        for (size_t i = 0; i < count; ++i) {
            float s = dimensions > 0 ? randomIn(&rng, -1, 1) : 0, t = dimensions > 1 ? randomIn(&rng, -1, 1) : 0;
            grzVec3_Store(positions + 3 * i, grzAddScaled(grzAddScaled(base, s, u), t, v));
        }
        grzHull* hull = (grzHull*)positions;
        grzResult result = makeHull(positions, count, 64, &hull);
        assert_int_equal(result.status, grz_badFormat);
        assert_null(hull);
        if (count == 20)
            assert_non_null(strstr(result.reason, words[dimensions]));
    }
}

static void badDefsAreRefused(void** state) {
    (void)state;
    float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    grzHull* hull;
    grzHullDef def = grzDefaultHullDef();
    assert_int_equal(grzHull_Create(NULL, &hull).status, grz_badDef);
    def.pointCount = 4;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_badArgument);
    def.positions = positions;
    def.vertexLimit = GRZ_HULL_MOST_VERTICES + 1;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_badArgument);
    def.vertexLimit = 4;
    def.tolerance = NAN;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_badArgument);
    def.tolerance = 1e-5f;
    positions[7] = NAN;
    grzResult result = grzHull_Create(&def, &hull);
    assert_true(result.status == grz_notFinite && result.index == 2 && hull == NULL);
    def.mark = 0;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_badDef);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    float positions[24];
    fillBox(positions, grzVec3_Splat(1), grzTransform_Identity());
    for (size_t k = 0;; ++k) {
        TestMemory memory = {.failAt = k};
        grzHullDef def = grzDefaultHullDef();
        def.allocator = testAllocator(&memory);
        def.positions = positions;
        def.pointCount = 8;
        grzHull* hull;
        grzResult result = grzHull_Create(&def, &hull);
        if (grzResult_IsOk(result)) {
            assert_int_equal(memory.liveCount, 2);
            grzHull_Destroy(hull);
            assert_int_equal(memory.liveCount, 0);
            assert_true(k > 5);
            return;
        }
        assert_true(result.status == grz_outOfMemory && hull == NULL && memory.liveCount == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aBoxHasSixFaces),
        cmocka_unit_test(pointsWithinFacesAndEdgesAreNoVertices),
        cmocka_unit_test(randomPointsAreHeld),
        cmocka_unit_test(aLimitIsKeptAndItsExcessTold),
        cmocka_unit_test(flatPointsAreRefusedWithTheirReason),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests_name("hull", tests, NULL, NULL);
}
