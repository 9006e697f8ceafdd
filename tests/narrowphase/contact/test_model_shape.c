// Shapes against every triangle of the mesh by the public calls for one triangle: whether they touch and how far. Random soups and closed meshes, poses with scales, mirrors and shears, margins,
// every builder; at every SIMD level.
#include "convex_testing.h"
#include "model_query_testing.h"

#include <math.h>

#include "graze/model_shape.h"

// ---- the reference ----

// The floats of the contract.
static grzVec3 seenFromShape(const grzModelShape* query, grzVec3 v) {
    const grzTransform p = query->pose;
    const grzVec3 o = query->shapePose.origin;
    float at[3];
    for (int i = 0; i < 3; ++i) {
        const double x = (double)grzVec3_Get(p.basis.x, i), y = (double)grzVec3_Get(p.basis.y, i);
        const double z = (double)grzVec3_Get(p.basis.z, i);
        const double shift = (double)grzVec3_Get(p.origin, i) - (double)grzVec3_Get(o, i);
        at[i] = (float)((x * (double)v.x + y * (double)v.y) + (z * (double)v.z + shift));
    }
    return grzVec3_Load(at);
}

static grzConvexDistance measureTriangle(const grzModelShape* query, const ModelMesh* mesh, size_t triangle) {
    grzMeshTriangle world;
    grzVec3 corners[3];
    memset(&world, 0, sizeof world);
    cornersOf(mesh, triangle, corners);
    for (uint32_t k = 0; k < 3; ++k) {
        world.vertices[k] = seenFromShape(query, corners[k]);
        world.edgeFeatures[k] = 3 * (uint32_t)triangle + k;
        world.vertexFeatures[k] = mesh->triangles[3 * triangle + k];
    }
    world.face = (uint32_t)triangle;
    world.isTwoSided = true;
    grzTransform pose = query->shapePose;
    pose.origin = grzVec3_Zero();
    grzConvexDistance distance;
    assert_true(grzResult_IsOk(grzConvex_TriangleDistance(&query->shape, pose, &world, &distance)));
    return distance;
}

// A few roundings of float, which the public distance has and the query has not.
#define NEARLY 1e-5

static bool isWithin(const grzConvexDistance* d, float margin) {
    return d->isTouching || (double)d->upper < (double)margin * (1 - NEARLY) - NEARLY;
}

static bool isBeyond(const grzConvexDistance* d, float margin) {
    return !d->isTouching && (double)d->lower > (double)margin * (1 + NEARLY) + 1e-30;
}

typedef struct Expected {
    size_t within, possible; // triangles
    double least;            // upper bound of the nearest
    bool* may;
} Expected;

static Expected findExpected(const grzModelShape* query, const ModelMesh* mesh) {
    Expected expected = {0, 0, (double)INFINITY, calloc(mesh->triangleCount + 1, sizeof(bool))};
    assert_non_null(expected.may);
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        const grzConvexDistance d = measureTriangle(query, mesh, i);
        const double upper = d.isTouching ? 0 : (double)d.upper;
        expected.within += isWithin(&d, query->margin);
        expected.may[i] = !isBeyond(&d, query->margin);
        expected.possible += expected.may[i];
        expected.least = fmin(expected.least, upper);
    }
    return expected;
}

// ---- comparing ----

static void compareTouch(const grzModelShape* query, const Expected* expected) {
    grzModelTouch touch;
    assert_true(grzResult_IsOk(grzModel_TouchShape(query, &touch)));
    assert_true(touch.isTouching || expected->within == 0);
    assert_true(!touch.isTouching || expected->possible > 0);
    assert_true((touch.certainty == grz_exact) == (touch.measure == 0));
    assert_true(touch.certainty == grz_exact || (touch.isTouching && touch.measure >= query->margin &&
                                                 touch.measure <= query->margin * 1.0001F + 1e-4F));
}

static void compareDistance(const grzModelShape* query, const ModelMesh* mesh, const Expected* expected) {
    grzModelShapeDistance found;
    assert_true(grzResult_IsOk(grzModel_ShapeDistance(query, &found)));
    if (found.triangle == GRZ_NO_TRIANGLE) {
        assert_int_equal(expected->within, 0);
        assert_true(found.distance.upper == 0);
        return;
    }
    assert_true(expected->may[found.triangle]);
    grzConvexDistance d = measureTriangle(query, mesh, found.triangle);
    assert_true((d.isTouching ? 0 : (double)d.upper) <= expected->least * (1 + 1e-6) + 1e-6);
    assert_true(d.isTouching == found.distance.isTouching && d.upper == found.distance.upper &&
                d.lower == found.distance.lower);
    assert_true(d.featureB == found.distance.featureB && d.featureA == found.distance.featureA);
    const grzVec3 point = grzAdd(d.pointB, query->shapePose.origin);
    assert_true(grzDistance(point, found.distance.pointB) < 1e-5F);
    for (size_t i = 0; d.isTouching && i < found.triangle; ++i)
        assert_false(measureTriangle(query, mesh, i).isTouching);
}

static size_t compareQuery(const grzModelShape* query, const ModelMesh* mesh) {
    Expected expected = findExpected(query, mesh);
    compareTouch(query, &expected);
    compareDistance(query, mesh, &expected);
    const size_t count = expected.within;
    free(expected.may);
    return count;
}

static grzModelShape drawQuery(const grzModel* model, grzTransform pose, grzRng* rng) {
    grzModelShape query = grzDefaultModelShape();
    query.model = model, query.pose = pose;
    query.shape = anyShape(rng);
    query.shapePose = grzTransform_Make(drawRotation(), grzAdd(pose.origin, drawVector(2)));
    if (grzRng_Below(&g_rng, 3) == 0)
        query.shapePose.basis = grzMat3_ScaleColumns(query.shapePose.basis, grzVec3_Make(0.5F, 1.5F, -0.2F));
    switch (grzRng_Below(&g_rng, 3)) {
    case 0:
        query.margin = draw(0, 0.5F);
        break;
    case 1:
        query.margin = grzRng_Below(&g_rng, 4) == 0 ? (float)INFINITY : draw(0, 5);
        break;
    default:
        break;
    }
    return query;
}

static grzTransform drawSlanted(void) {
    grzTransform pose = drawAffine();
    pose.basis.x = grzAddScaled(pose.basis.x, 1.3F, pose.basis.y);
    return pose;
}

static size_t compareMesh(const ModelMesh* mesh, size_t queryCount) {
    grzTransform (*const poses[])(void) = {drawRigid, drawAffine, drawSlanted};
    size_t count = 0;
    for (size_t i = 0; i < queryCount; ++i) {
        grzModel* model = makeTestModel(mesh, (grzBvhBuilder)(i % 3));
        const grzModelShape query = drawQuery(model, poses[grzRng_Below(&g_rng, 3)](), &g_rng);
        count += compareQuery(&query, mesh) > 0;
        grzModel_Destroy(model);
    }
    return count;
}

// ---- tests ----

static void compareAll(void) {
    size_t met = 0;
    for (size_t i = 0; i < 5; ++i) {
        ModelMesh soup = makeSoup(1 + grzRng_Below(&g_rng, 120), draw(0.05F, 0.5F), i == 3 ? 0.25F : 0);
        met += compareMesh(&soup, 8);
        freeMesh(&soup);
    }
    ModelMesh sphere = makeShapeMesh(shapeSphere, 300), torus = makeShapeMesh(shapeTorus, 300);
    met += compareMesh(&sphere, 10) + compareMesh(&torus, 10);
    freeMesh(&sphere), freeMesh(&torus);
    assert_true(met > 20);
}

static void everyTriangleWithinTheMarginIsFound(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(compareAll);
}

static void aShapeInsideOfAClosedMeshDoesNotTouchIt(void** state) {
    (void)state;
    ModelMesh sphere = makeShapeMesh(shapeSphere, 320);
    grzModel* model = makeTestModel(&sphere, grz_bvhSah);
    grzModelShape query = grzDefaultModelShape();
    grzModelTouch touch;
    query.model = model;
    query.shape = grzMakeSphere(grzVec3_Zero(), 0.25F);
    assert_true(grzResult_IsOk(grzModel_TouchShape(&query, &touch)));
    assert_false(touch.isTouching);
    query.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(3));
    assert_true(grzResult_IsOk(grzModel_TouchShape(&query, &touch)));
    assert_true(touch.isTouching && touch.certainty == grz_exact);
    // Exactly touching: a box on a vertex.
    ModelMesh one = makeMesh(3, 1);
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    memcpy(one.positions, positions, sizeof positions);
    one.triangles[1] = 1, one.triangles[2] = 2;
    grzModel* single = makeTestModel(&one, grz_bvhSah);
    query.model = single;
    query.shape = grzMakeBox(grzVec3_Make(-1, -1, 0), grzVec3_Splat(1));
    assert_true(grzResult_IsOk(grzModel_TouchShape(&query, &touch)));
    assert_true(touch.isTouching && touch.measure < 1e-6F);
    query.shapePose.origin.x = -0.001F;
    assert_true(grzResult_IsOk(grzModel_TouchShape(&query, &touch)));
    assert_false(touch.isTouching);
    query.margin = 0.0011F;
    assert_true(grzResult_IsOk(grzModel_TouchShape(&query, &touch)));
    assert_true(touch.isTouching);
    grzModel_Destroy(model), grzModel_Destroy(single);
    freeMesh(&sphere), freeMesh(&one);
}

static void expectRefused(const grzModelShape* query, grzStatus status) {
    grzModelTouch touch;
    grzModelShapeDistance distance;
    assert_int_equal(grzModel_TouchShape(query, &touch).status, status);
    assert_false(touch.isTouching);
    assert_int_equal(grzModel_ShapeDistance(query, &distance).status, status);
    assert_int_equal(distance.triangle, GRZ_NO_TRIANGLE);
}

static void whatHasNoMeaningIsRefused(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 12), none = makeMesh(0, 0);
    grzModel *model = makeTestModel(&box, grz_bvhSah), *empty = makeTestModel(&none, grz_bvhSah);
    grzModelShape good = grzDefaultModelShape(), query;
    good.model = model, good.shape = grzMakeSphere(grzVec3_Zero(), 1);
    expectRefused(NULL, grz_badDef);
    query = good, query.mark = 0, expectRefused(&query, grz_badDef);
    query = good, query.model = NULL, expectRefused(&query, grz_badArgument);
    query = good, query.shape.kind = grz_noShape, expectRefused(&query, grz_badArgument);
    query = good, query.shape.radius = -1, expectRefused(&query, grz_badArgument);
    query = good, query.margin = -1, expectRefused(&query, grz_badArgument);
    query = good, query.margin = (float)NAN, expectRefused(&query, grz_notFinite);
    query = good, query.pose.basis = grzMat3_Zero(), expectRefused(&query, grz_badArgument);
    query = good, query.pose.basis = grzMat3_Diagonal(grzVec3_Make(1, 1e-20F, 1));
    expectRefused(&query, grz_badArgument);
    query = good, query.pose.origin.x = (float)NAN, expectRefused(&query, grz_notFinite);
    query = good, query.shapePose.origin.x = 1e16F, expectRefused(&query, grz_notFinite);
    // No triangles: nothing is near.
    grzModelTouch touch;
    grzModelShapeDistance distance;
    query = good, query.model = empty, query.margin = (float)INFINITY;
    assert_true(grzResult_IsOk(grzModel_TouchShape(&query, &touch)) && !touch.isTouching);
    assert_true(grzResult_IsOk(grzModel_ShapeDistance(&query, &distance)));
    assert_int_equal(distance.triangle, GRZ_NO_TRIANGLE);
    grzModel_Destroy(model), grzModel_Destroy(empty);
    freeMesh(&box), freeMesh(&none);
}

static void aRefitModelIsFollowed(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 400);
    grzModel* model = makeTestModel(&torus, grz_bvhMorton);
    for (int round = 0; round < 6; ++round) {
        for (size_t i = 0; i < 3 * torus.vertexCount; ++i)
            torus.positions[i] += draw(-0.1F, 0.1F);
        assert_true(grzResult_IsOk(grzModel_Refit(model, NULL, torus.positions, 0)));
        const grzModelShape query = drawQuery(model, drawRigid(), &g_rng);
        compareQuery(&query, &torus);
    }
    grzModel_Destroy(model);
    freeMesh(&torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyTriangleWithinTheMarginIsFound),
        cmocka_unit_test(aShapeInsideOfAClosedMeshDoesNotTouchIt),
        cmocka_unit_test(whatHasNoMeaningIsRefused),
        cmocka_unit_test(aRefitModelIsFollowed),
    };
    return cmocka_run_group_tests(tests, makeHulls, destroyHulls);
}
