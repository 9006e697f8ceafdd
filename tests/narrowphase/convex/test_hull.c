// hull.h: a hull holds its points, has proper links, and says what it left out.
#include "convex_testing.h"

#include <math.h>

#include "expansion.h"
#include "hull_inside.h"
#include "refusal_testing.h"

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

// The sign of dot(n, p) - offset - excess, without rounding: products of floats fit a double.
static int exactSide(const grzHullFace* face, grzVec3 p, float excess) {
    const float* n = &face->normal.x;
    const float* q = &p.x;
    double sum[8] = {0}, next[8];
    int count = 0;
    for (int i = 0; i < 5; ++i) {
        double term = i < 3 ? (double)n[i] * (double)q[i] : i == 3 ? -(double)face->offset : -(double)excess;
        count = grzExpansion_Add(count, sum, term != 0, &term, next);
        memcpy(sum, next, sizeof sum);
    }
    return grzExpansion_Sign(count, sum);
}

// Vertices are points of the input and below all planes; the other points are, but for excess. Exactly.
static void assertHolds(const grzHull* hull, const float* positions, size_t count) {
    grzHullView view = grzHull_GetView(hull);
    for (uint32_t f = 0; f < view.faceCount; ++f) {
        for (uint32_t v = 0; v < view.vertexCount; ++v)
            assert_true(exactSide(&view.faces[f], view.vertices[v], 0) <= 0);
        for (uint32_t i = 0, e = view.faces[f].firstEdge; i < view.faces[f].edgeCount; ++i) {
            assert_true(exactSide(&view.faces[f], view.vertices[view.halfEdges[e].origin], -view.slack) >= 0);
            e = view.halfEdges[e].next;
        }
        for (size_t i = 0; i < count; ++i)
            assert_true(exactSide(&view.faces[f], grzVec3_Load(positions + 3 * i), view.excess) <= 0);
    }
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        assert_true(grzVec3_IsEqual(view.vertices[i], grzVec3_Load(positions + 3 * (size_t)view.sources[i])));
}

// The promise for hulls below their limit. The distance comes with a lower bound that is certain.
static void assertNothingIsLost(grzHull* hull, const float* positions, size_t count) {
    grzHullView view = grzHull_GetView(hull);
    double most = (double)view.tolerance * (1 + 1e-6);
    assert_true((double)view.excess <= most);
    grzConvex shape = grzMakeHullShape(hull);
    for (size_t i = 0; i < count; ++i) {
        grzConvexDistance found;
        grzVec3 p = grzVec3_Load(positions + 3 * i);
        assert_true(grzResult_IsOk(grzConvex_ClosestPoint(&shape, grzTransform_Identity(), p, &found)));
        assert_true((double)found.lower <= most);
    }
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

static void noiseWithinTheToleranceMakesNoVertices(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(7), 0);
    float positions[3 * 125];
    for (size_t i = 0; i < 125; ++i) {
        grzVec3 p = grzVec3_Make((float)(i % 5), (float)(i / 5 % 5), (float)(i / 25));
        grzVec3_Store(positions + 3 * i, grzAddScaled(p, 1e-5f, randomVector(&rng, 1)));
    }
    grzHull* hull;
    assert_int_equal(makeHull(positions, 125, 64, &hull).status, grz_ok);
    grzHullView view = grzHull_GetView(hull);
    assert_true(view.vertexCount == 8 && view.faceCount == 6 && view.excess > 0);
    assertGood(hull);
    assertHolds(hull, positions, 125);
    assertNothingIsLost(hull, positions, 125);
    grzHull_Destroy(hull);
}

// A third, two thirds, 1, or any size below 2^-17.
static float nearlyGrid(grzRng* rng, float x) {
    uint32_t place = grzRng_Below(rng, 4);
    return place > 0 ? (float)place / 3 : ldexpf(x, -17 - (int)grzRng_Below(rng, 40));
}

// Ways to choose points, most of them bad for hulls. `reach` is twice the tolerance in use.
enum {
    cubePoints,
    gridPoints,
    noisyGridPoints,
    wedgePoints,
    lensPoints,
    domePoints,
    prismPoints,
    threadPoints,
    kinds
};

static grzVec3 anyPoint(grzRng* rng, int kind, float reach) {
    grzVec3 p = randomVector(rng, 1);
    float round = p.x * p.x + p.y * p.y, length = sqrtf(round);
    switch (kind) {
    case gridPoints:
        return grzVec3_Make(roundf(p.x * 3), roundf(p.y * 3), roundf(p.z * 3));
    case noisyGridPoints:
        return grzAddScaled(grzVec3_Make(roundf(p.x * 2), roundf(p.y * 2), roundf(p.z * 2)), reach,
                            randomVector(rng, 1));
    case wedgePoints: // flat, and flatter towards its rim
        return grzVec3_Make(p.x, p.y, p.z * reach * 2);
    case lensPoints:
        return grzVec3_Make(p.x / length, p.y / length, p.z * reach);
    case domePoints:
        return grzVec3_Make(p.x, p.y, p.z < -0.9f ? -1 : 1 - reach * round);
    case prismPoints:
        return grzVec3_Make(cosf(roundf(p.x * 6)), sinf(roundf(p.x * 6)), roundf(p.y));
    case threadPoints: // some lie on a line but for less than a float has beside 1
        return grzVec3_Make(nearlyGrid(rng, p.x), nearlyGrid(rng, p.y), nearlyGrid(rng, p.z));
    default:
        return p;
    }
}

static void randomPointsAreHeld(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    static const float tolerances[] = {1e-6f, 1e-5f, 1e-3f, 0.1f};
    float* positions = malloc(3 * 2000 * sizeof *positions);
    int made = 0;
    for (int round = 0; round < 350; ++round) {
        size_t count = 4 + grzRng_Below(&rng, round % 50 == 0 ? 1996 : 60);
        float offset = round % 5 == 0 ? 1e4f : 0;
        grzHullDef def = grzDefaultHullDef();
        def.positions = positions, def.pointCount = count, def.vertexLimit = GRZ_HULL_MOST_VERTICES;
        def.tolerance = tolerances[grzRng_Below(&rng, 4)];
        for (size_t i = 0; i < count; ++i) {
            bool isTwice = i > 0 && grzRng_Below(&rng, 8) == 0;
            grzVec3 p = grzAdd(anyPoint(&rng, round % kinds, 2 * def.tolerance), grzVec3_Splat(offset));
            grzVec3_Store(positions + 3 * i, isTwice ? grzVec3_Load(positions + 3 * i - 3) : p);
        }
        grzHull* hull;
        grzResult result = grzHull_Create(&def, &hull);
        if (!grzResult_IsOk(result)) {
            assert_int_equal(result.status, grz_badFormat);
            continue;
        }
        assertGood(hull);
        assertHolds(hull, positions, count);
        if (grzHull_GetView(hull).vertexCount < def.vertexLimit)
            assertNothingIsLost(hull, positions, count);
        grzHull_Destroy(hull);
        ++made;
    }
    assert_true(made > 200);
    free(positions);
}

// Two flat fans that meet in a sharp rim: every point lies between the two, and near the planes of both.
static void theRimOfAFlatLensIsNotCutOff(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(5), 0);
    for (int round = 0; round < 100; ++round) {
        float positions[3 * 24];
        float thickness = randomIn(&rng, 2e-5f, 2e-4f);
        for (size_t i = 0; i < 24; ++i) {
            float x = randomIn(&rng, 0, 1), y = randomIn(&rng, 0, 1);
            grzVec3_Store(positions + 3 * i, grzVec3_Make(x, y, randomIn(&rng, 0, thickness)));
        }
        grzHull* hull;
        if (!grzResult_IsOk(makeHull(positions, 24, 128, &hull)))
            continue;
        assertGood(hull);
        assertNothingIsLost(hull, positions, 24);
        grzHull_Destroy(hull);
    }
}

// The top's plane is z = 1 but for a tilt of 2^-23, so that sums of a point need 64 bits and more.
static void planesHoldWhereDoublesAreTooShort(void** state) {
    (void)state;
    const float h = -0x1p-40f, e = 0x1p-23f;
    const float positions[15] = {1, -1, h, 1, 1, h, 1 - e, 0, -1, -1, 0, 0, 1 + e, 0, h};
    grzHull* hull;
    assert_int_equal(makeHull(positions, 5, 64, &hull).status, grz_ok);
    grzHullView view = grzHull_GetView(hull);
    assert_int_equal(view.vertexCount, 4);
    assertGood(hull);
    assertHolds(hull, positions, 5);
    assert_true(view.excess > 0 && view.excess <= view.tolerance);
    grzHull_Destroy(hull);
}

// Triangles between such points have normals of rounding, and planes that leave their solid. Once in thousands of such
// hulls the builder refuses a point.
static void pointsNearlyOnALineMakeNoSlivers(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(8), 0);
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        float positions[3 * 90];
        size_t count = 8 + grzRng_Below(&rng, 82);
        for (size_t i = 0; i < 3 * count; ++i) {
            float x = randomIn(&rng, 0, 1), near = nearlyGrid(&rng, x);
            bool isOther = grzRng_Below(&rng, 2) != 0;
            if (round % 3 == 0) // many sizes
                near = isOther && near > 0.1f ? ldexpf(x, -(int)grzRng_Below(&rng, 44)) : near;
            else // corners, and between them
                near = round % 3 == 1 && isOther ? x : near > 0.1f ? 1 : near;
            positions[i] = near;
        }
        grzHullDef def = grzDefaultHullDef();
        def.positions = positions, def.pointCount = count, def.tolerance = 1e-6f;
        def.vertexLimit = GRZ_HULL_MOST_VERTICES;
        grzHull* hull;
        if (grzHull_Create(&def, &hull).status == grz_badFormat)
            continue;
        grzHullView view = grzHull_GetView(hull);
        assertGood(hull);
        assert_true(view.slack <= 4 * view.tolerance);
        assert_true(view.excess <= 2 * view.tolerance);
        refused += view.excess > view.tolerance * 1.000001f;
        grzHull_Destroy(hull);
    }
    assert_true(refused <= 4);
}

// The builder's own stage, on memory of the test: the triangles of ten points that are all corners, gathered with
// another tolerance than they were made with.
enum { stagePoints = 10, stageTriangles = 16 };

typedef struct Stage {
    grzVec3d points[stagePoints];
    uint32_t active[stagePoints], faceOf[stagePoints], following[stagePoints], horizon[12 * stageTriangles];
    uint8_t marks[stagePoints];
    double heights[stagePoints];
    HullTriangle triangles[4 * stageTriangles];
    HullBuild build;
} Stage;

static void runStage(Stage* stage) {
    for (uint32_t i = 0; i < stagePoints; ++i)
        stage->active[i] = i, stage->following[i] = UINT32_MAX, stage->marks[i] = 0;
    HullBuild* build = &stage->build;
    memset(build, 0, sizeof *build);
    build->points = stage->points, build->active = stage->active, build->faceOf = stage->faceOf;
    build->following = stage->following, build->horizon = stage->horizon, build->marks = stage->marks;
    build->heights = stage->heights, build->triangles = stage->triangles;
    build->pointCount = build->activeCount = stagePoints;
    build->vertexLimit = stageTriangles, build->triangleCapacity = 4 * stageTriangles;
    build->tolerance = 1e-5, build->size = 2;
    assert_int_equal(grzHullBuild_Run(build).status, grz_ok);
    assert_int_equal(build->triangleCount, stageTriangles);
}

// A vertex that came back is not grouped. Amid a shallow dome the triangles around it would be a ring.
static void aGroupWithAHoleIsSplit(void** state) {
    (void)state;
    Stage stage;
    for (uint32_t i = 0; i < stagePoints; ++i) {
        double size = i < 4 ? 1 : i < 8 ? 0.5 : 0;
        stage.points[i] = grzVec3d_Make((i & 1) != 0 ? size : -size, (i & 2) != 0 ? size : -size,
                                        i == 9 ? -1 : -size * size / 50);
    }
    runStage(&stage);
    stage.build.tolerance = 0.1;
    stage.marks[8] = hullDropped;
    uint32_t groupCount;
    assert_int_equal(grzHullBuild_Group(&stage.build, &groupCount), 0);
    assert_int_equal(groupCount, stageTriangles);
}

// A box with a chamfer of 26 degrees, near the plane of the top: x and z of its profile.
static const double chamfer[5][2] = {{-1, -1}, {1, -1}, {1, 0.85}, {0.7, 1}, {-1, 1}};

static void whatTurnsSharplyIsAFaceHoweverSmall(void** state) {
    (void)state;
    Stage stage;
    for (uint32_t i = 0; i < stagePoints; ++i)
        stage.points[i] = grzVec3d_Make(chamfer[i / 2][0], (i & 1) != 0 ? 1 : -1, chamfer[i / 2][1]);
    runStage(&stage);
    stage.build.tolerance = 0.2;
    uint32_t groupCount;
    assert_int_equal(grzHullBuild_Group(&stage.build, &groupCount), 0);
    assert_int_equal(groupCount, 7);
}

static void trianglesAroundAVertexThatCameBackAreAlone(void** state) {
    (void)state;
    for (uint32_t vertex = 0; vertex < stagePoints; ++vertex) {
        Stage stage;
        for (uint32_t i = 0; i < stagePoints; ++i)
            stage.points[i] = grzVec3d_Make(chamfer[i / 2][0], (i & 1) != 0 ? 1 : -1, chamfer[i / 2][1]);
        runStage(&stage);
        stage.marks[vertex] = hullDropped;
        uint32_t groupCount;
        assert_int_equal(grzHullBuild_Group(&stage.build, &groupCount), 0);
        for (uint32_t t = 0; t < stageTriangles; ++t)
            for (uint32_t u = 0; u < stageTriangles; ++u) {
                const uint32_t* v = stage.triangles[t].v;
                bool isAround = v[0] == vertex || v[1] == vertex || v[2] == vertex;
                assert_true(!isAround || t == u || stage.triangles[t].group != stage.triangles[u].group);
            }
    }
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
        assertHolds(hull, positions, 500);
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

static void assertRefused(const grzHullDef* def, grzStatus status, const char* word) {
    grzHull* hull = (grzHull*)(uintptr_t)def;
    grzResult result = grzHull_Create(def, &hull);
    assert_int_equal(result.status, status);
    assert_null(hull);
    if (word != NULL) {
        assert_non_null(strstr(result.reason, word));
        assert_true(strlen(result.reason) <= 90);
    }
}

static void badDefsAreRefusedWithTheNameOfTheField(void** state) {
    (void)state;
    const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    grzHullDef good = grzDefaultHullDef(), def;
    good.positions = positions, good.pointCount = 4, good.vertexLimit = 4;
    assertRefused(NULL, grz_badDef, NULL);
    def = good, def.mark = 0;
    assertRefused(&def, grz_badDef, NULL);
    def = good, def.positions = NULL;
    assertRefused(&def, grz_badArgument, "positions");
    def = good, def.pointCount = 0;
    assertRefused(&def, grz_badArgument, "pointCount");
    def = good, def.vertexLimit = GRZ_HULL_MOST_VERTICES + 1;
    assertRefused(&def, grz_badArgument, "vertexLimit");
    def = good, def.vertexLimit = 3;
    assertRefused(&def, grz_badArgument, "vertexLimit");
    const float tolerances[] = {NAN, 0.9e-6f, 0.11f};
    for (int i = 0; i < 3; ++i) {
        def = good, def.tolerance = tolerances[i];
        assertRefused(&def, grz_badArgument, "tolerance");
    }
    def = good, def.pointCount = (size_t)1 << 31;
    assertRefused(&def, grz_tooLarge, NULL);
}

static void coordinatesThatAreNoneAreRefused(void** state) {
    (void)state;
    const float bad[] = {NAN, INFINITY, -1.1e15f, 3e38f};
    for (int i = 0; i < 4; ++i) {
        float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        positions[6 + i % 3] = bad[i];
        grzHull* hull;
        grzResult result = makeHull(positions, 4, 64, &hull);
        assert_true(result.status == grz_notFinite && result.part == grz_partVertex && result.index == 2);
        assert_true(hull == NULL && (result.reason != NULL) == (i >= 2));
    }
}

static void theLargestAndTheSmallestHullsAreGood(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(6), 0);
    float positions[3 * 40], scaled[3 * 40];
    for (size_t i = 0; i < 40; ++i)
        grzVec3_Store(positions + 3 * i, grzNormalize(randomVector(&rng, 1)));
    for (size_t i = 0; i < 24; ++i)
        positions[i] = (i / 3 >> i % 3 & 1) != 0 ? 1 : -1;
    const float scales[] = {GRZ_HULL_MOST_COORDINATE, 0.5f * GRZ_HULL_LEAST_SIZE, 0.49f * GRZ_HULL_LEAST_SIZE,
                            0x1p-149f};
    for (int s = 0; s < 4; ++s) {
        for (int i = 0; i < 120; ++i)
            scaled[i] = positions[i] * scales[s];
        grzHull* hull;
        grzResult result = makeHull(scaled, 40, 64, &hull);
        if (s >= 2) {
            assert_true(result.status == grz_badFormat && hull == NULL);
            assert_non_null(strstr(result.reason, "1e-15"));
            continue;
        }
        assert_int_equal(result.status, grz_ok);
        assert_true(grzHull_GetView(hull).tolerance > 0);
        assertGood(hull);
        assertHolds(hull, scaled, 40);
        assertNothingIsLost(hull, scaled, 40);
        grzHull_Destroy(hull);
    }
}

static void makeBoxHull(void) {
    float positions[24];
    fillBox(positions, grzVec3_Splat(1), grzTransform_Identity());
    grzHullDef def = grzDefaultHullDef();
    def.allocator = refusingAllocator();
    def.positions = positions;
    def.pointCount = 8;
    grzHull* hull;
    (void)MAKE(&hull, grzHull_Create(&def, &hull), true);
    grzHull_Destroy(hull);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    testRefusals(&(RefusalScript){"hull", makeBoxHull, 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aBoxHasSixFaces),
        cmocka_unit_test(pointsWithinFacesAndEdgesAreNoVertices),
        cmocka_unit_test(randomPointsAreHeld),
        cmocka_unit_test(noiseWithinTheToleranceMakesNoVertices),
        cmocka_unit_test(pointsNearlyOnALineMakeNoSlivers),
        cmocka_unit_test(trianglesAroundAVertexThatCameBackAreAlone),
        cmocka_unit_test(theRimOfAFlatLensIsNotCutOff),
        cmocka_unit_test(planesHoldWhereDoublesAreTooShort),
        cmocka_unit_test(aGroupWithAHoleIsSplit),
        cmocka_unit_test(whatTurnsSharplyIsAFaceHoweverSmall),
        cmocka_unit_test(aLimitIsKeptAndItsExcessTold),
        cmocka_unit_test(flatPointsAreRefusedWithTheirReason),
        cmocka_unit_test(badDefsAreRefusedWithTheNameOfTheField),
        cmocka_unit_test(coordinatesThatAreNoneAreRefused),
        cmocka_unit_test(theLargestAndTheSmallestHullsAreGood),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests_name("hull", tests, NULL, NULL);
}
