// Sweeps of models as surfaces of a world are: models that deform, against the same model rebuilt at places between; triangles with one
// side; what touches at the start left out.
#include "convex_testing.h"
#include "model_query_testing.h"

#include "graze/model_shape.h"
#include "graze/sweep.h"

// ---- models that deform ----

enum { mostVertices = 200 };

typedef struct Deforming {
    ModelMesh mesh; // at t = 1
    float starts[3 * mostVertices], between[3 * mostVertices];
    grzModel* model;
    float mostWay;
} Deforming;

static void getStarts(const void* context, uint32_t triangle, grzVec3 corners[3]) {
    const Deforming* deforming = context;
    for (size_t k = 0; k < 3; ++k)
        corners[k] =
            grzVec3_Load(deforming->starts + 3 * (size_t)deforming->mesh.triangles[3 * (size_t)triangle + k]);
}

// Every vertex goes a way of its own, all of them the same one besides.
static void setStarts(Deforming* deforming, float own, grzVec3 all) {
    deforming->mostWay = 0;
    for (size_t i = 0; i < deforming->mesh.vertexCount; ++i) {
        const grzVec3 way = grzAdd(all, drawVector(own));
        const grzVec3 end = grzVec3_Load(deforming->mesh.positions + 3 * i), start = grzSub(end, way);
        grzVec3_Store(deforming->starts + 3 * i, start);
        deforming->mostWay = fmaxf(deforming->mostWay, 1.0001f * grzLength(grzSub(end, start)));
    }
}

// How far the shape is from the surface at a time.
static double distanceAt(Deforming* deforming, const grzSweepQuery* query, double t) {
    ModelMesh mesh = deforming->mesh;
    grzModelShape shape = grzDefaultModelShape();
    grzModelShapeDistance distance;
    for (size_t i = 0; i < 3 * mesh.vertexCount; ++i)
        deforming->between[i] =
            (float)((double)deforming->starts[i] + t * ((double)mesh.positions[i] - (double)deforming->starts[i]));
    mesh.positions = deforming->between;
    grzModel* model = makeModel(&mesh);
    shape.model = model;
    shape.pose = grzSweepMotion_PoseAt(&query->b.motion, t);
    shape.shape = query->a.shape;
    shape.shapePose = grzSweepMotion_PoseAt(&query->a.motion, t);
    shape.margin = INFINITY;
    assert_int_equal(grzModel_ShapeDistance(&shape, &distance).status, grz_ok);
    grzModel_Destroy(model);
    return distance.distance.isTouching ? 0 : (double)distance.distance.upper;
}

static grzSweepMotion drawMotion(float turn) {
    const grzVec3 from = drawVector(1.5f);
    return (grzSweepMotion){grzTransform_FromQuat(randomTurn(&g_rng), from), from, drawVector(3), drawVector(turn)};
}

static bool checkDeforming(Deforming* deforming) {
    const grzSweepStarts starts = {getStarts, deforming, deforming->mostWay};
    grzSweepQuery query = grzDefaultSweepQuery();
    grzSweepImpact impact;
    query.a.shape = anyShape(&g_rng);
    query.a.motion = drawMotion(3);
    query.b.model = deforming->model;
    query.b.motion.translation = drawVector(0.5f);
    query.b.starts = &starts;
    assert_int_equal(grzSweep_Find(&query, &impact).status, grz_ok);
    const bool isFree = impact.outcome == grz_sweepFree;
    for (int i = 0; i < 30 && impact.toi > 0; ++i)
        assert_true(distanceAt(deforming, &query, impact.toi * i / (isFree ? 29 : 30)) > 0);
    if (!isFree)
        assert_true(distanceAt(deforming, &query, impact.toi) <= impact.measure + 4e-6);
    return !isFree;
}

static void test_deformingBesideSamples(void** state) {
    Deforming deforming = {.mesh = makeShapeMesh(shapeSphere, 100)};
    int touching = 0;
    (void)state;
    assert_true(deforming.mesh.vertexCount <= mostVertices);
    deforming.model = makeModel(&deforming.mesh);
    for (int i = 0; i < 120; ++i) {
        setStarts(&deforming, i % 2 == 0 ? 0.1f : 1, drawVector(i % 3 == 0 ? 0 : 2));
        touching += checkDeforming(&deforming);
    }
    assert_in_range(touching, 20, 110);
    grzModel_Destroy(deforming.model);
    freeMesh(&deforming.mesh);
}

// ---- one side ----

// Two triangles in y = 0 and two in y = -1, which face up.
static ModelMesh makeFloors(void) {
    ModelMesh mesh = makeMesh(8, 4);
    for (size_t i = 0; i < 8; ++i)
        grzVec3_Store(mesh.positions + 3 * i,
                      grzVec3_Make(i % 2 == 0 ? -2 : 2, i < 4 ? 0 : -1, i / 2 % 2 == 0 ? -2 : 2));
    const uint32_t triangles[] = {0, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7};
    memcpy(mesh.triangles, triangles, sizeof triangles);
    return mesh;
}

static grzSweepImpact passFloors(const grzModel* model, float from, float to, bool isOneSided, bool ignoresStart) {
    grzSweepQuery query = grzDefaultSweepQuery();
    grzSweepImpact impact;
    query.a.shape = grzMakeSphere(grzVec3_Zero(), 0.25f);
    query.a.motion = grzSweepMotion_Rest(grzTransform_FromQuat(grzQuat_Identity(), grzVec3_Make(0.1f, from, 0.3f)));
    query.a.motion.center = query.a.motion.pose.origin;
    query.a.motion.translation = grzVec3_Make(0, to - from, 0);
    query.b.model = model;
    query.b.isOneSided = isOneSided;
    query.ignoresStart = ignoresStart;
    assert_int_equal(grzSweep_Find(&query, &impact).status, grz_ok);
    return impact;
}

static void test_oneSide(void** state) {
    ModelMesh mesh = makeFloors();
    grzModel* model = makeModel(&mesh);
    (void)state;
    for (int isOneSided = 0; isOneSided < 2; ++isOneSided) {
        const grzSweepImpact down = passFloors(model, 1, -3, isOneSided != 0, false);
        assert_int_equal(down.outcome, grz_sweepTouches);
        assert_true(fabs(down.toi - 0.75 / 4) < 1e-3);
        const grzSweepImpact up = passFloors(model, -3, 1, isOneSided != 0, false);
        assert_int_equal(up.outcome, isOneSided != 0 ? grz_sweepFree : grz_sweepTouches);
    }
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static void test_startsAreIgnored(void** state) {
    ModelMesh mesh = makeFloors();
    grzModel* model = makeModel(&mesh);
    (void)state;
    assert_true(passFloors(model, 0.1f, -3, false, false).toi == 0);
    const grzSweepImpact second = passFloors(model, 0.1f, -3, false, true);
    assert_int_equal(second.outcome, grz_sweepTouches);
    assert_true(second.triangleB >= 2 && fabs(second.toi - 0.85 / 3.1) < 1e-3);
    assert_int_equal(passFloors(model, 0.1f, 0.2f, false, true).outcome, grz_sweepFree);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static int setUp(void** state) {
    g_rng = grzRng_Make(testSeed(61), 0);
    return makeHulls(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deformingBesideSamples),
        cmocka_unit_test(test_oneSide),
        cmocka_unit_test(test_startsAreIgnored),
    };
    return cmocka_run_group_tests(tests, setUp, destroyHulls);
}
