// Shapes and half-spaces against every triangle of the mesh by the public calls for one triangle: whether they touch, how far,
// and which triangles are within a margin. Random soups and closed meshes, poses with scales, mirrors and shears, margins,
// every builder; the same bytes at every SIMD level and worker count.
#include "convex_testing.h"
#include "model_query_testing.h"

#include <math.h>

#include "graze/model_shape.h"

// ---- the reference ----

static double dotd(const double a[3], grzVec3 b) {
    return a[0] * (double)b.x + a[1] * (double)b.y + a[2] * (double)b.z;
}

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

static grzModelTriangles* makeTriangles(void) {
    grzModelTriangles* triangles;
    assert_true(grzResult_IsOk(grzModelTriangles_Create((grzAllocator){NULL, NULL, NULL}, &triangles)));
    return triangles;
}

static grzModelTrianglesView find(grzModelTriangles* triangles, const grzModelShape* query) {
    assert_true(grzResult_IsOk(grzModelTriangles_Find(triangles, query)));
    return grzModelTriangles_GetView(triangles);
}

static void compareList(grzModelTriangles* triangles, const grzModelShape* query, const ModelMesh* mesh,
                        const Expected* expected) {
    const grzModelTrianglesView view = find(triangles, query);
    size_t within = 0;
    for (size_t i = 0; i < view.count; ++i) {
        assert_true(i == 0 || view.ids[i - 1] < view.ids[i]);
        assert_true(expected->may[view.ids[i]]);
        const grzConvexDistance d = measureTriangle(query, mesh, view.ids[i]);
        within += isWithin(&d, query->margin);
    }
    assert_int_equal(within, expected->within);
}

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

static size_t compareQuery(grzModelTriangles* triangles, const grzModelShape* query, const ModelMesh* mesh) {
    Expected expected = findExpected(query, mesh);
    compareList(triangles, query, mesh, &expected);
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
    grzModelTriangles* triangles = makeTriangles();
    size_t count = 0;
    for (size_t i = 0; i < queryCount; ++i) {
        grzModel* model = makeTestModel(mesh, (grzBvhBuilder)(i % 3));
        const grzModelShape query = drawQuery(model, poses[grzRng_Below(&g_rng, 3)](), &g_rng);
        count += compareQuery(triangles, &query, mesh) > 0;
        grzModel_Destroy(model);
    }
    grzModelTriangles_Destroy(triangles);
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
    grzModelTriangles* triangles = makeTriangles();
    assert_int_equal(grzModel_TouchShape(query, &touch).status, status);
    assert_false(touch.isTouching);
    assert_int_equal(grzModel_ShapeDistance(query, &distance).status, status);
    assert_int_equal(distance.triangle, GRZ_NO_TRIANGLE);
    assert_int_equal(grzModelTriangles_Find(triangles, query).status, status);
    assert_int_equal(grzModelTriangles_GetView(triangles).queryCount, 0);
    grzModelTriangles_Destroy(triangles);
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
    grzModelTriangles* triangles = makeTriangles();
    for (int round = 0; round < 6; ++round) {
        for (size_t i = 0; i < 3 * torus.vertexCount; ++i)
            torus.positions[i] += draw(-0.1F, 0.1F);
        assert_true(grzResult_IsOk(grzModel_Refit(model, NULL, torus.positions, 0)));
        const grzModelShape query = drawQuery(model, drawRigid(), &g_rng);
        compareQuery(triangles, &query, &torus);
    }
    grzModelTriangles_Destroy(triangles);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

// ---- half-spaces ----

static double heightOf(const grzModelPlane* query, grzVec3 v) {
    const grzVec3 n = query->halfSpace.normal;
    double at[3];
    for (int i = 0; i < 3; ++i) {
        const double row[3] = {(double)grzVec3_Get(query->pose.basis.x, i),
                               (double)grzVec3_Get(query->pose.basis.y, i),
                               (double)grzVec3_Get(query->pose.basis.z, i)};
        at[i] = dotd(row, v) + (double)grzVec3_Get(query->pose.origin, i);
    }
    return dotd(at, n) - (double)query->halfSpace.offset;
}

static size_t comparePlane(grzModelTriangles* triangles, const grzModelPlane* query, const ModelMesh* mesh) {
    grzModelDepth depth;
    size_t within = 0;
    double least = (double)INFINITY;
    assert_true(grzResult_IsOk(grzModelTriangles_FindInPlane(triangles, query)));
    const grzModelTrianglesView view = grzModelTriangles_GetView(triangles);
    assert_true(grzResult_IsOk(grzModel_PlaneDepth(query, &depth)));
    size_t next = 0;
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        grzVec3 corners[3];
        cornersOf(mesh, i, corners);
        double low = (double)INFINITY;
        for (int k = 0; k < 3; ++k)
            low = fmin(low, heightOf(query, corners[k]));
        const bool isListed = next < view.count && view.ids[next] == i;
        assert_true(isListed ? low <= 1e-12 : low >= -1e-12);
        next += isListed;
        within += isListed;
        least = fmin(least, low);
    }
    assert_int_equal(next, view.count);
    assert_int_equal(depth.isTouching, within > 0);
    const double length = (double)grzLength(query->halfSpace.normal);
    const grzVec3 vertex = grzVec3_Load(mesh->positions + 3 * (size_t)depth.vertex);
    assert_true(fabs(heightOf(query, vertex) - least) < 1e-12);
    assert_true(fabs((double)depth.separation * length - least) < 1e-5 * (1 + fabs(least)));
    assert_true(grzDistance(depth.point, grzTransform_Apply(query->pose, vertex)) < 1e-5F);
    assert_true((depth.certainty == grz_exact) == (depth.measure == 0));
    return within;
}

static void comparePlanes(void) {
    grzModelTriangles* triangles = makeTriangles();
    size_t within = 0, without = 0;
    for (size_t i = 0; i < 12; ++i) {
        ModelMesh mesh = i % 3 == 0 ? makeShapeMesh(shapeSphere, 200 + 50 * i)
                                    : makeSoup(1 + grzRng_Below(&g_rng, 300), 0.3F, i % 3 == 1 ? 0.25F : 0);
        grzModel* model = makeTestModel(&mesh, (grzBvhBuilder)(i % 3));
        for (int k = 0; k < 12; ++k) {
            grzModelPlane query = grzDefaultModelPlane();
            query.model = model, query.pose = k % 2 == 0 ? drawRigid() : drawSlanted();
            query.halfSpace.normal = drawVector(1);
            query.halfSpace.offset = draw(-3, 3);
            if (k % 5 == 0)
                query.pose.basis.z = grzVec3_Zero(); // a flat one will do
            const size_t count = comparePlane(triangles, &query, &mesh);
            within += count > 0, without += count == 0;
        }
        grzModel_Destroy(model);
        freeMesh(&mesh);
    }
    assert_true(within > 20 && without > 20);
    grzModelTriangles_Destroy(triangles);
}

static void halfSpacesFindEveryTriangleAndTheDeepestVertex(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    forEachLevel(comparePlanes);
}

static void halfSpacesAreClosed(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 12), none = makeMesh(0, 0);
    for (size_t i = 0; i < 3 * box.vertexCount; ++i)
        box.positions[i] = box.positions[i] > 0 ? 1.0F : -1.0F;
    grzModel *model = makeTestModel(&box, grz_bvhSah), *empty = makeTestModel(&none, grz_bvhSah);
    grzModelPlane query = grzDefaultModelPlane();
    grzModelDepth depth;
    query.model = model;
    query.halfSpace.normal = grzVec3_Make(0, 2, 0), query.halfSpace.offset = -2;
    assert_true(grzResult_IsOk(grzModel_PlaneDepth(&query, &depth)));
    assert_true(depth.isTouching && depth.separation == 0 && depth.certainty == grz_conservative);
    assert_true(depth.point.y == -1 && depth.measure < 1e-12F);
    for (uint32_t v = 0; v < depth.vertex; ++v)
        assert_true(box.positions[3 * v + 1] == 1);
    query.halfSpace.offset = -2.0000002F;
    assert_true(grzResult_IsOk(grzModel_PlaneDepth(&query, &depth)));
    assert_true(!depth.isTouching && depth.certainty == grz_exact && depth.separation > 0);
    query.halfSpace.offset = 3;
    assert_true(grzResult_IsOk(grzModel_PlaneDepth(&query, &depth)));
    assert_true(depth.isTouching && depth.certainty == grz_exact && depth.separation == -2.5F);
    query.halfSpace.normal = grzVec3_Zero(), query.halfSpace.offset = -1;
    assert_true(grzResult_IsOk(grzModel_PlaneDepth(&query, &depth)));
    assert_true(!depth.isTouching && depth.separation == 0);
    query.model = empty;
    assert_true(grzResult_IsOk(grzModel_PlaneDepth(&query, &depth)));
    assert_true(!depth.isTouching && depth.vertex == UINT32_MAX);
    query.model = NULL;
    assert_int_equal(grzModel_PlaneDepth(&query, &depth).status, grz_badArgument);
    assert_int_equal(grzModel_PlaneDepth(NULL, &depth).status, grz_badDef);
    query.model = model, query.halfSpace.offset = (float)NAN;
    assert_int_equal(grzModel_PlaneDepth(&query, &depth).status, grz_notFinite);
    grzModel_Destroy(model), grzModel_Destroy(empty);
    freeMesh(&box), freeMesh(&none);
}

// ---- many ----

enum { MANY = 61 };

typedef struct Many {
    ModelMesh mesh;
    grzModel* model;
    grzModelShape shapes[MANY];
    grzModelPlane planes[MANY];
} Many;

static Many* makeMany(uint64_t seed) {
    Many* many = malloc(sizeof *many);
    assert_non_null(many);
    g_rng = grzRng_Make(testSeed(seed), 1);
    many->mesh = makeSoup(400, 0.3F, 0);
    many->model = makeTestModel(&many->mesh, grz_bvhSah);
    for (size_t i = 0; i < MANY; ++i) {
        many->shapes[i] = drawQuery(many->model, drawAffine(), &g_rng);
        many->planes[i] = grzDefaultModelPlane();
        many->planes[i].model = many->model;
        many->planes[i].halfSpace.normal = drawVector(1);
        many->planes[i].halfSpace.offset = draw(-1, 0.5F);
    }
    return many;
}

static void freeMany(Many* many) {
    grzModel_Destroy(many->model);
    freeMesh(&many->mesh);
    free(many);
}

static void expectSame(const grzModelTriangles* a, const grzModelTriangles* b) {
    const grzModelTrianglesView x = grzModelTriangles_GetView(a), y = grzModelTriangles_GetView(b);
    assert_int_equal(x.count, y.count);
    assert_int_equal(x.queryCount, y.queryCount);
    assert_true(x.count > 0);
    assert_memory_equal(x.ids, y.ids, x.count * sizeof *x.ids);
    assert_memory_equal(x.starts, y.starts, (x.queryCount + 1) * sizeof *x.starts);
}

static void expectOneByOne(const grzModelTriangles* all, const Many* many) {
    grzModelTriangles* one = makeTriangles();
    const grzModelTrianglesView x = grzModelTriangles_GetView(all);
    for (size_t i = 0; i < MANY; ++i) {
        const grzModelTrianglesView y = find(one, &many->shapes[i]);
        assert_int_equal(y.count, x.starts[i + 1] - x.starts[i]);
        assert_true(y.count == 0 || memcmp(y.ids, x.ids + x.starts[i], y.count * sizeof *y.ids) == 0);
    }
    grzModelTriangles_Destroy(one);
}

typedef struct Expecting {
    const Many* many;
    const grzModelTriangles *shapes, *planes;
} Expecting;

static void expectSameOfMany(grzTasks* tasks, void* context) {
    const Expecting* expected = context;
    grzModelTriangles* triangles = makeTriangles();
    assert_true(grzResult_IsOk(grzModelTriangles_FindMany(triangles, tasks, expected->many->shapes, MANY)));
    expectSame(triangles, expected->shapes);
    assert_true(grzResult_IsOk(grzModelTriangles_FindInPlanes(triangles, tasks, expected->many->planes, MANY)));
    expectSame(triangles, expected->planes);
    grzModelTriangles_Destroy(triangles);
}

static void manyQueriesGiveTheSameBytesForAnyWorkerCountAndLevel(void** state) {
    (void)state;
    Many* many = makeMany(4);
    grzModelTriangles *shapes = makeTriangles(), *planes = makeTriangles(), *other = makeTriangles();
    assert_true(grzResult_IsOk(grzModelTriangles_FindMany(shapes, NULL, many->shapes, MANY)));
    assert_true(grzResult_IsOk(grzModelTriangles_FindInPlanes(planes, NULL, many->planes, MANY)));
    expectOneByOne(shapes, many);
    Expecting expecting = {many, shapes, planes};
    forEachLevelAndWorkerCount(expectSameOfMany, &expecting);
    many->shapes[17].margin = -1;
    const grzResult result = grzModelTriangles_FindMany(other, NULL, many->shapes, MANY);
    assert_true(result.status == grz_badArgument && result.part == grz_partElement && result.index == 17);
    assert_int_equal(grzModelTriangles_GetView(other).queryCount, 0);
    grzModelTriangles_Destroy(shapes), grzModelTriangles_Destroy(planes), grzModelTriangles_Destroy(other);
    freeMany(many);
}

static void refusedMemoryIsAResultAndWarmCallsTakeNone(void** state) {
    (void)state;
    Many* many = makeMany(5);
    size_t refusals = 0;
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzModelTriangles* triangles;
        grzResult result = grzModelTriangles_Create(testAllocator(&memory), &triangles);
        if (grzResult_IsOk(result)) {
            result = grzModelTriangles_FindMany(triangles, NULL, many->shapes, MANY);
            assert_int_equal(grzModelTriangles_GetView(triangles).queryCount, grzResult_IsOk(result) ? MANY : 0);
            const size_t requests = memory.requests;
            if (grzResult_IsOk(result)) {
                assert_true(grzResult_IsOk(grzModelTriangles_FindMany(triangles, NULL, many->shapes, MANY)));
                assert_int_equal(memory.requests, requests);
                (void)!grzResult_IsOk(grzModelTriangles_FindInPlanes(triangles, NULL, many->planes, MANY));
            }
        }
        grzModelTriangles_Destroy(triangles);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result))
            break;
        assert_int_equal(result.status, grz_outOfMemory);
        refusals++;
    }
    assert_true(refusals > 10);
    freeMany(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyTriangleWithinTheMarginIsFound),
        cmocka_unit_test(aShapeInsideOfAClosedMeshDoesNotTouchIt),
        cmocka_unit_test(whatHasNoMeaningIsRefused),
        cmocka_unit_test(aRefitModelIsFollowed),
        cmocka_unit_test(halfSpacesFindEveryTriangleAndTheDeepestVertex),
        cmocka_unit_test(halfSpacesAreClosed),
        cmocka_unit_test(manyQueriesGiveTheSameBytesForAnyWorkerCountAndLevel),
        cmocka_unit_test(refusedMemoryIsAResultAndWarmCallsTakeNone),
    };
    return cmocka_run_group_tests(tests, makeHulls, destroyHulls);
}
