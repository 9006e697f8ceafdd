// Distances of models against every pair of triangles in long doubles: random meshes, poses, scales, shears and mirrors, far
// offsets, touching and degenerate triangles, with every start, reach, error, SIMD level and number of workers.
#include "model_query_testing.h"

#include <float.h>
#include <math.h>

#include "graze/model_distance.h"

// ---- meshes ----

typedef struct Body {
    ModelMesh mesh;
    grzModel* model;
} Body;

static Body makeBody(ModelMesh mesh) {
    return (Body){mesh, makeModel(&mesh)};
}

static void freeBody(Body* body) {
    grzModel_Destroy(body->model);
    freeMesh(&body->mesh);
}

// With triangles of one vertex, and some that stand twice.
static Body makeSoupBody(size_t triangleCount, float size, float step) {
    ModelMesh mesh = makeSoup(triangleCount, size, step);
    for (size_t i = 0; i < triangleCount; ++i) {
        const uint32_t odd = grzRng_Below(&g_rng, 12);
        if (odd == 0)
            mesh.triangles[3 * i + 2] = mesh.triangles[3 * i + 1] = mesh.triangles[3 * i];
        else if (odd == 1)
            memcpy(mesh.triangles + 3 * i, mesh.triangles + 3 * (i / 2), 3 * sizeof(uint32_t));
    }
    return makeBody(mesh);
}

static Body makeShapeBody(ShapeKind kind, size_t count) {
    return makeBody(makeShapeMesh(kind, count));
}

// ---- the reference: plain, in long doubles ----

typedef struct Point {
    long double v[3];
} Point;

static Point minus(Point a, Point b) {
    return (Point){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}

static Point along(Point a, long double s, Point b) {
    return (Point){{a.v[0] + s * b.v[0], a.v[1] + s * b.v[1], a.v[2] + s * b.v[2]}};
}

static long double dot(Point a, Point b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static Point cross(Point a, Point b) {
    return (Point){
        {a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static long double clamp(long double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static long double pointToSegment(Point p, Point a, Point b) {
    const Point edge = minus(b, a);
    const long double sq = dot(edge, edge);
    const Point at = along(a, sq > 0 ? clamp(dot(minus(p, a), edge) / sq) : 0, edge);
    return sqrtl(dot(minus(p, at), minus(p, at)));
}

// The ends against the other segment, and where the lines are nearest, if that is inside of both.
static long double segmentToSegment(Point a, Point b, Point c, Point d) {
    long double least = fminl(fminl(pointToSegment(a, c, d), pointToSegment(b, c, d)),
                              fminl(pointToSegment(c, a, b), pointToSegment(d, a, b)));
    const Point u = minus(b, a), v = minus(d, c), w = minus(c, a), n = cross(u, v);
    const long double sq = dot(n, n);
    if (!(sq > 0))
        return least;
    const long double s = dot(cross(w, v), n) / sq, t = dot(cross(w, u), n) / sq;
    if (s > 0 && s < 1 && t > 0 && t < 1) {
        const Point apart = minus(along(c, t, v), along(a, s, u));
        least = fminl(least, sqrtl(dot(apart, apart)));
    }
    return least;
}

// The perpendicular, if its foot is inside.
static long double pointToFace(Point p, const Point t[3]) {
    const Point e = minus(t[1], t[0]), f = minus(t[2], t[0]), n = cross(e, f), d = minus(p, t[0]);
    const long double sq = dot(n, n);
    if (!(sq > 0))
        return (long double)INFINITY;
    const long double u = dot(cross(d, f), n) / sq, v = dot(cross(e, d), n) / sq;
    return u >= 0 && v >= 0 && u + v <= 1 ? fabsl(dot(d, n)) / sqrtl(sq) : (long double)INFINITY;
}

static bool goesThrough(Point a, Point b, const Point t[3]) {
    const Point n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    const long double here = dot(minus(a, t[0]), n), there = dot(minus(b, t[0]), n);
    if (!((here < 0 && there > 0) || (here > 0 && there < 0)))
        return false;
    return isfinite(pointToFace(along(a, here / (here - there), minus(b, a)), t));
}

static long double triangleToTriangle(const Point a[3], const Point b[3]) {
    long double least = (long double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            least = fminl(least, segmentToSegment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
        least = fminl(least, fminl(pointToFace(a[i], b), pointToFace(b[i], a)));
        if (goesThrough(a[i], a[(i + 1) % 3], b) || goesThrough(b[i], b[(i + 1) % 3], a))
            return 0;
    }
    return least;
}

static Point place(grzTransform pose, const float* p) {
    const grzVec3 columns[3] = {pose.basis.x, pose.basis.y, pose.basis.z};
    Point at;
    for (int i = 0; i < 3; ++i) {
        at.v[i] = (long double)grzVec3_Get(pose.origin, i);
        for (int j = 0; j < 3; ++j)
            at.v[i] += (long double)grzVec3_Get(columns[j], i) * (long double)p[j];
    }
    return at;
}

static void placeCorners(const Body* body, size_t triangle, grzTransform pose, Point corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = place(pose, body->mesh.positions + 3 * (size_t)body->mesh.triangles[3 * triangle + k]);
}

typedef struct Expected {
    long double least;
    long double size; // the largest coordinate, from A's origin
} Expected;

static long double sizeOf(const Body* body, grzTransform pose, grzVec3 from) {
    long double size = 0;
    for (size_t i = 0; i < body->mesh.vertexCount; ++i) {
        const Point p = place(pose, body->mesh.positions + 3 * i);
        for (int axis = 0; axis < 3; ++axis)
            size = fmaxl(size, fabsl(p.v[axis] - (long double)grzVec3_Get(from, axis)));
    }
    return size;
}

static Expected expect(const Body* a, const Body* b, const grzModelDistanceQuery* query) {
    Expected expected = {(long double)INFINITY, fmaxl(sizeOf(a, query->poseA, query->poseA.origin),
                                                      sizeOf(b, query->poseB, query->poseA.origin))};
    Point p[3], q[3];
    for (size_t i = 0; i < a->mesh.triangleCount; ++i) {
        placeCorners(a, i, query->poseA, p);
        for (size_t k = 0; k < b->mesh.triangleCount; ++k) {
            placeCorners(b, k, query->poseB, q);
            expected.least = fminl(expected.least, triangleToTriangle(p, q));
        }
    }
    return expected;
}

// ---- comparing ----

static Point fromVec(grzVec3d v) {
    return (Point){{(long double)v.x, (long double)v.y, (long double)v.z}};
}

static grzModelDistance measure(const grzModelDistanceQuery* query) {
    grzModelDistance distance;
    char text[128];
    const grzResult result = grzModels_Distance(query, &distance, NULL);
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
    return distance;
}

static bool doTouch(const grzModelDistanceQuery* query) {
    grzModelQuery pair = grzDefaultModelQuery();
    bool touches;
    pair.a = query->a, pair.b = query->b;
    pair.poseA = query->poseA, pair.poseB = query->poseB;
    assert_true(grzResult_IsOk(grzModels_Touch(&pair, &touches, NULL)));
    return touches;
}

static long double distanceToTriangle(Point p, const Body* body, uint32_t triangle, grzTransform pose) {
    Point corners[3];
    const Point twice[3] = {p, p, p};
    assert_true(triangle < body->mesh.triangleCount);
    placeCorners(body, triangle, pose, corners);
    return triangleToTriangle(twice, corners);
}

// That the point lies on the part of the triangle that its feature names.
static void expectFeature(Point p, const Body* body, uint32_t triangle, grzTransform pose, grzFeature feature,
                          long double off) {
    const uint32_t index = grzFeature_Index(feature);
    Point c[3];
    placeCorners(body, triangle, pose, c);
    if (grzFeature_Kind(feature) == grz_vertexFeature)
        assert_true(index < 3 && pointToSegment(p, c[index], c[index]) <= off);
    else if (grzFeature_Kind(feature) == grz_edgeFeature)
        assert_true(index < 3 && pointToSegment(p, c[index], c[(index + 1) % 3]) <= off);
    else
        assert_true(feature == grzMakeFeature(grz_faceFeature, 0));
}

static void expectPoints(const Body* a, const Body* b, const grzModelDistanceQuery* query,
                         const grzModelDistance* distance, const Expected* expected) {
    const Point p = fromVec(distance->pointA), q = fromVec(distance->pointB);
    const long double place = fmaxl(fmaxl(fabsl(p.v[0]), fabsl(p.v[1])), fabsl(p.v[2]));
    const long double off = 1e-12L * expected->size + 1e-15L * place;
    const long double apart = sqrtl(dot(minus(p, q), minus(p, q)));
    assert_true(apart <= (long double)distance->upper + off);
    assert_true(apart >= (long double)distance->upper - off);
    assert_true(distanceToTriangle(p, a, distance->triangleA, query->poseA) <= off);
    assert_true(distanceToTriangle(q, b, distance->triangleB, query->poseB) <= off);
    expectFeature(p, a, distance->triangleA, query->poseA, distance->featureA, off);
    expectFeature(q, b, distance->triangleB, query->poseB, distance->featureB, off);
}

// What the contract leaves between the bounds, and some more.
static long double looseness(const Expected* expected) {
    return 1e-11L * expected->size + 1e-13L * expected->size * expected->size / expected->least;
}

static void expectDistance(const Body* a, const Body* b, const grzModelDistanceQuery* query,
                           const grzModelDistance* distance, const Expected* expected) {
    const long double lower = (long double)distance->lower, upper = (long double)distance->upper;
    assert_int_equal(distance->isTouching, doTouch(query));
    assert_true(lower >= 0 && lower <= expected->least + 1e-18L * expected->size);
    assert_true(upper >= expected->least - 1e-18L * expected->size);
    if (!distance->isTouching && query->relativeError == 0)
        assert_true(upper - lower <= looseness(expected));
    if (!distance->isTouching && query->relativeError > 0)
        assert_true(upper <= (1 + (long double)query->relativeError) * (lower + looseness(expected)));
    assert_int_equal(distance->certainty, distance->lower > 0 ? grz_exact : grz_conservative);
    assert_true(distance->lower > 0 ? distance->measure == 0 : distance->measure >= distance->upper);
    expectPoints(a, b, query, distance, expected);
}

// All but the start's own fields are the same.
static void expectSame(const grzModelDistance* a, const grzModelDistance* b) {
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("%.17g %.17g triangles %u %u against %.17g %.17g triangles %u %u", a->lower, a->upper,
                 a->triangleA, a->triangleB, b->lower, b->upper, b->triangleA, b->triangleB);
}

static void expectStartsDoNotMatter(const grzModelDistanceQuery* query, const Body* a, const Body* b,
                                    const grzModelDistance* expected) {
    grzModelDistanceQuery other = *query;
    other.start = expected->start;
    grzModelDistance distance = measure(&other);
    expectSame(&distance, expected);
    for (int i = 0; i < 3; ++i) {
        other.start.slotA = grzRng_Below(&g_rng, (uint32_t)a->mesh.triangleCount + 2);
        other.start.slotB = grzRng_Below(&g_rng, (uint32_t)b->mesh.triangleCount + 2);
        distance = measure(&other);
        expectSame(&distance, expected);
    }
    other.start = (grzModelStart){UINT32_MAX - 1, 0};
    distance = measure(&other);
    expectSame(&distance, expected);
}

static void expectReaches(const grzModelDistanceQuery* query, const grzModelDistance* expected, long double size) {
    grzModelDistanceQuery other = *query;
    if (expected->isTouching) {
        other.reach = 0;
        const grzModelDistance distance = measure(&other);
        assert_true(distance.isTouching && distance.lower == 0 && distance.upper <= expected->measure);
        return;
    }
    other.reach = expected->upper * 1.001 + 1e-9 * (double)size;
    grzModelDistance distance = measure(&other);
    expectSame(&distance, expected);
    if (expected->lower < 1e-5 * (double)size)
        return;
    other.reach = expected->lower * (double)draw(0.5F, 0.999F);
    distance = measure(&other);
    assert_true(distance.lower <= other.reach && distance.lower >= 0.999999 * other.reach);
    assert_true(isinf(distance.upper) && !distance.isTouching && distance.certainty == grz_exact);
    assert_int_equal(distance.triangleA, GRZ_NO_TRIANGLE);
    assert_int_equal(distance.triangleB, GRZ_NO_TRIANGLE);
    assert_int_equal(distance.start.slotA, GRZ_NO_SLOT);
}

static void expectErrors(const Body* a, const Body* b, const grzModelDistanceQuery* query,
                         const Expected* expected) {
    static const double errors[] = {1e-3, 0.3, 20};
    grzModelDistanceQuery other = *query;
    for (size_t i = 0; i < 3; ++i) {
        other.relativeError = errors[i];
        const grzModelDistance distance = measure(&other);
        expectDistance(a, b, &other, &distance, expected);
    }
}

// Returns whether they touch.
static bool compareQuery(const Body* a, const Body* b, const grzModelDistanceQuery* query) {
    const Expected expected = expect(a, b, query);
    const grzModelDistance distance = measure(query);
    expectDistance(a, b, query, &distance, &expected);
    expectStartsDoNotMatter(query, a, b, &distance);
    expectReaches(query, &distance, expected.size);
    expectErrors(a, b, query, &expected);
    return distance.isTouching;
}

typedef void PoseFn(grzModelDistanceQuery* query);

// Returns at how many of the poses they touch.
static size_t comparePoses(const Body* a, const Body* b, PoseFn* pose, size_t count) {
    size_t touching = 0;
    for (size_t i = 0; i < count; ++i) {
        grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
        query.a = a->model, query.b = b->model;
        pose(&query);
        touching += compareQuery(a, b, &query);
    }
    return touching;
}

// ---- poses ----

static void rigidPose(grzModelDistanceQuery* query) {
    query->poseA = grzTransform_Make(drawRotation(), drawVector(2));
    query->poseB = grzTransform_Make(drawRotation(), grzAdd(query->poseA.origin, drawVector(2.2F)));
}

static void scaledPose(grzModelDistanceQuery* query) {
    rigidPose(query);
    query->poseA.basis = grzMat3_ScaleColumns(query->poseA.basis, drawScale());
    query->poseB.basis = grzMat3_ScaleColumns(query->poseB.basis, drawScale());
}

static void shearedPose(grzModelDistanceQuery* query) {
    rigidPose(query);
    query->poseA.basis = grzMat3_FromColumns(drawVector(1), drawVector(1), drawVector(1));
    query->poseB.basis = grzMat3_FromColumns(drawVector(1), drawVector(1), drawVector(1));
}

static void farPose(grzModelDistanceQuery* query) {
    const grzVec3 far = drawVector(1e6F);
    query->poseA = grzTransform_Make(drawRotation(), far);
    query->poseB = grzTransform_Make(drawRotation(), grzAdd(far, drawVector(3)));
}

static void slantedPose(grzModelDistanceQuery* query) {
    rigidPose(query);
    query->poseA.basis = grzMat3_ScaleColumns(query->poseA.basis, grzVec3_Make(1, 1e-3F, 1));
    query->poseB.basis = grzMat3_ScaleColumns(query->poseB.basis, grzVec3_Make(1, 1e-3F, 1e-2F));
}

// Worlds of another scale altogether, both alike or not.
static void hugePose(grzModelDistanceQuery* query) {
    const float scale = grzRng_Below(&g_rng, 2) == 0 ? 1e25F : 1e-25F;
    rigidPose(query);
    query->poseA =
        grzTransform_Make(grzMat3_Scale(query->poseA.basis, scale), grzScale(query->poseA.origin, scale));
    query->poseB =
        grzTransform_Make(grzMat3_Scale(query->poseB.basis, scale), grzScale(query->poseB.origin, scale));
}

static void latticePose(grzModelDistanceQuery* query) {
    grzVec3 shift = drawVector(3);
    shift = grzVec3_Make(0.25F * floorf(4 * shift.x), 0.25F * floorf(4 * shift.y), 0.25F * floorf(4 * shift.z));
    query->poseB.origin = shift;
}

// ---- tests ----

static void compareSoups(void) {
    PoseFn* const poses[] = {rigidPose, scaledPose, shearedPose, farPose, slantedPose, hugePose};
    size_t touching = 0;
    for (size_t i = 0; i < 18; ++i) {
        Body a = makeSoupBody(1 + grzRng_Below(&g_rng, 60), draw(0.05F, 0.5F), 0);
        Body b = makeSoupBody(1 + grzRng_Below(&g_rng, 60), draw(0.05F, 0.5F), 0);
        touching += comparePoses(&a, &b, poses[i % 6], 4);
        freeBody(&a), freeBody(&b);
    }
    assert_true(touching > 0 && touching < 60);
}

static void soupsAreAsFarApartAsTheirTriangles(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(compareSoups);
}

static void compareLattices(void) {
    size_t touching = 0;
    for (size_t i = 0; i < 10; ++i) {
        Body a = makeSoupBody(1 + grzRng_Below(&g_rng, 50), 0.5F, 0.25F);
        Body b = makeSoupBody(1 + grzRng_Below(&g_rng, 50), 0.5F, 0.25F);
        touching += comparePoses(&a, &b, latticePose, 4);
        freeBody(&a), freeBody(&b);
    }
    assert_true(touching > 2);
}

static void equallyNearTrianglesAreToldApartByTheirNumbers(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    forEachLevel(compareLattices);
}

static void compareShapes(void) {
    Body torus = makeShapeBody(shapeTorus, 200), sphere = makeShapeBody(shapeSphere, 160);
    Body box = makeShapeBody(shapeBox, 108);
    const size_t touching = comparePoses(&torus, &sphere, rigidPose, 3) +
                            comparePoses(&box, &torus, scaledPose, 3) + comparePoses(&box, &box, latticePose, 3);
    assert_true(touching < 9);
    freeBody(&torus), freeBody(&sphere), freeBody(&box);
}

static void closedMeshesAreAsFarApartAsTheirTriangles(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    forEachLevel(compareShapes);
}

// ---- points ----

static Point pointOf(grzVec3 v) {
    return (Point){{(long double)v.x, (long double)v.y, (long double)v.z}};
}

static void expectPoint(const Body* body, const grzModelPointsQuery* query, grzVec3 at,
                        const grzModelPoint* found) {
    const Point p = pointOf(at), twice[3] = {p, p, p}, on = pointOf(found->point);
    const long double size = fmaxl(sizeOf(body, query->pose, query->pose.origin),
                                   (long double)grzLength(grzSub(at, query->pose.origin)));
    const long double place = (long double)grzMaxElement(grzAbs(at)) + size;
    long double least = (long double)INFINITY;
    Point corners[3];
    for (size_t i = 0; i < body->mesh.triangleCount; ++i) {
        placeCorners(body, i, query->pose, corners);
        least = fminl(least, triangleToTriangle(twice, corners));
    }
    const long double lower = (long double)found->lower, upper = (long double)found->upper;
    assert_true(lower >= 0 && lower <= least + 1e-18L * size && upper >= least - 1e-18L * size);
    if (found->triangle == GRZ_NO_TRIANGLE) {
        assert_true(isinf(found->upper) && found->lower <= query->reach && found->lower >= 0.99999F * query->reach);
        return;
    }
    assert_true(least <= (long double)query->reach * (1 + 1e-6L) + 1e-12L * size);
    assert_true(upper - lower <= fminl(upper, 1e-11L * size + 3e-7L * upper + 1e-13L * size * size / least));
    assert_true(distanceToTriangle(on, body, found->triangle, query->pose) <= 1e-12L * size + 2e-7L * place);
    expectFeature(on, body, found->triangle, query->pose, found->feature, 1e-12L * size + 2e-7L * place);
    assert_true(fabsl(sqrtl(dot(minus(p, on), minus(p, on))) - upper) <= 1e-11L * size + 4e-7L * place);
}

enum { POINTS = 40 };

static void comparePoints(const Body* body, const grzModelPointsQuery* query) {
    grzModelPoint found[POINTS], single;
    assert_true(grzResult_IsOk(grzModel_ClosestPoints(NULL, query, found)));
    for (uint32_t i = 0; i < query->count; ++i) {
        const float* at = (const float*)(const void*)((const char*)query->points + i * query->stride);
        grzModelPointsQuery alone = *query;
        expectPoint(body, query, grzVec3_Load(at), &found[i]);
        alone.points = at, alone.count = 1, alone.stride = 0;
        assert_true(grzResult_IsOk(grzModel_ClosestPoints(NULL, &alone, &single)));
        assert_memory_equal(&single, &found[i], sizeof single);
    }
}

static void compareAllPoints(void) {
    PoseFn* const poses[] = {rigidPose, scaledPose, shearedPose, farPose, slantedPose, hugePose};
    for (size_t i = 0; i < 12; ++i) {
        Body body = makeSoupBody(1 + grzRng_Below(&g_rng, 60), draw(0.05F, 0.5F), i % 4 == 3 ? 0.25F : 0);
        grzModelDistanceQuery posed = grzDefaultModelDistanceQuery();
        grzModelPointsQuery query = grzDefaultModelPointsQuery();
        float points[POINTS][4];
        poses[i % 6](&posed);
        query.model = body.model, query.pose = posed.poseA;
        query.points = points[0], query.stride = sizeof points[0], query.count = POINTS;
        for (size_t k = 0; k < POINTS; ++k) {
            const grzVec3 at = k % 8 == 0 ? grzVec3_Load(body.mesh.positions + 9 * (k % body.mesh.triangleCount))
                                          : drawVector(k % 8 == 1 ? 50 : 1.5F);
            grzVec3_Store(points[k], grzTransform_Apply(query.pose, at));
        }
        query.reach = i % 3 == 0 ? 0.5F * grzLength(query.pose.basis.x) : (float)INFINITY;
        comparePoints(&body, &query);
        freeBody(&body);
    }
}

static void pointsAreAsFarAsTheNearestTriangle(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    forEachLevel(compareAllPoints);
}

static void expectPointsRefused(const grzModelPointsQuery* query, grzStatus status, grzPart part, uint64_t index) {
    grzModelPoint found[3], before[3];
    memset(found, 0x5A, sizeof found);
    memcpy(before, found, sizeof found);
    const grzResult result = grzModel_ClosestPoints(NULL, query, found);
    assert_int_equal(result.status, status);
    assert_int_equal(result.part, part);
    assert_int_equal(result.index, index);
    assert_memory_equal(found, before, sizeof found);
}

static void pointsWithoutMeaningAreRefused(void** state) {
    (void)state;
    Body box = makeShapeBody(shapeBox, 12), none = makeBody(makeMesh(0, 0));
    float points[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    grzModelPointsQuery good = grzDefaultModelPointsQuery(), query;
    grzModelPoint found[3];
    good.model = box.model, good.points = points[0], good.count = 3;
    expectPointsRefused(NULL, grz_badDef, grz_noPart, 0);
    query = good, query.mark = 0, expectPointsRefused(&query, grz_badDef, grz_noPart, 0);
    query = good, query.model = NULL, expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.points = NULL, expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.stride = 13, expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.stride = 8, expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.reach = -1, expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.reach = (float)NAN, expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.pose.basis = grzMat3_Zero(), expectPointsRefused(&query, grz_badArgument, grz_noPart, 0);
    query = good, query.pose.origin.x = (float)NAN, expectPointsRefused(&query, grz_notFinite, grz_noPart, 0);
    points[1][2] = points[2][0] = (float)INFINITY;
    expectPointsRefused(&good, grz_notFinite, grz_partElement, 1);
    points[1][2] = 1e30F;
    expectPointsRefused(&good, grz_badArgument, grz_partElement, 1);
    query = good, query.points = NULL, query.count = 0;
    assert_true(grzResult_IsOk(grzModel_ClosestPoints(NULL, &query, NULL)));
    query = good, query.model = none.model, query.count = 1;
    assert_true(grzResult_IsOk(grzModel_ClosestPoints(NULL, &query, found)));
    assert_true(found[0].triangle == GRZ_NO_TRIANGLE && isinf(found[0].lower) && isinf(found[0].upper));
    freeBody(&box), freeBody(&none);
}

// ---- by name ----

static void emptyModelsAreInfinitelyFar(void** state) {
    (void)state;
    Body none = makeBody(makeMesh(0, 0)), box = makeShapeBody(shapeBox, 12);
    for (int i = 0; i < 3; ++i) {
        grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
        query.a = i == 0 ? box.model : none.model, query.b = i == 1 ? box.model : none.model;
        query.reach = i;
        const grzModelDistance distance = measure(&query);
        assert_true(isinf(distance.lower) && isinf(distance.upper) && !distance.isTouching);
        assert_int_equal(distance.triangleA, GRZ_NO_TRIANGLE);
        assert_int_equal(distance.certainty, grz_exact);
    }
    freeBody(&none), freeBody(&box);
}

static void expectRefused(const grzModelDistanceQuery* query, grzStatus status) {
    grzModelDistance distance;
    memset(&distance, 0x5A, sizeof distance);
    assert_int_equal(grzModels_Distance(query, &distance, NULL).status, status);
    assert_true(isinf(distance.lower) && isinf(distance.upper) && distance.triangleA == GRZ_NO_TRIANGLE);
}

static void whatHasNoMeaningIsRefused(void** state) {
    (void)state;
    Body box = makeShapeBody(shapeBox, 12);
    grzModelDistanceQuery good = grzDefaultModelDistanceQuery(), query;
    good.a = good.b = box.model;
    expectRefused(NULL, grz_badDef);
    query = good, query.mark = 0, expectRefused(&query, grz_badDef);
    query = good, query.a = NULL, expectRefused(&query, grz_badArgument);
    query = good, query.b = NULL, expectRefused(&query, grz_badArgument);
    query = good, query.reach = -1, expectRefused(&query, grz_badArgument);
    query = good, query.reach = (double)NAN, expectRefused(&query, grz_badArgument);
    query = good, query.relativeError = -0.5, expectRefused(&query, grz_badArgument);
    query = good, query.relativeError = (double)NAN, expectRefused(&query, grz_badArgument);
    query = good, query.poseA.basis = grzMat3_Zero(), expectRefused(&query, grz_badArgument);
    query = good, query.poseB.origin.x = (float)INFINITY, expectRefused(&query, grz_notFinite);
    query = good, query.poseB.origin.x = 1e30F, expectRefused(&query, grz_badArgument);
    query = good, query.poseB.basis = grzMat3_Diagonal(grzVec3_Make(1, 1e25F, 1));
    expectRefused(&query, grz_badArgument);
    query = good, query.poseB.basis = grzMat3_Diagonal(grzVec3_Make(1, 1e-25F, 1));
    expectRefused(&query, grz_badArgument);
    freeBody(&box);
}

static void unitBoxesAreMeasuredExactly(void** state) {
    (void)state;
    Body box = makeShapeBody(shapeBox, 12);
    grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
    const float side = box.model != NULL ? grzModel_GetView(box.model).box.upper.x * 2 : 0;
    query.a = query.b = box.model;
    query.poseB.origin.x = side + 3;
    grzModelDistance distance = measure(&query);
    assert_true(distance.lower > 3 - 1e-11 && distance.lower <= 3 && distance.upper >= 3 &&
                distance.upper < 3 + 1e-12);
    assert_true(distance.certainty == grz_exact && !distance.isTouching);
    query.poseB.origin.x = side; // face to face
    distance = measure(&query);
    assert_true(distance.isTouching && distance.lower == 0 && distance.upper < 1e-5);
    query.poseB = grzTransform_Make(grzMat3_Diagonal(grzVec3_Splat(0.25F)), grzVec3_Zero()); // one in the other
    distance = measure(&query);
    assert_true(!distance.isTouching && fabs(distance.upper - 0.375 * (double)side) < 1e-9);
    freeBody(&box);
}

// ---- many ----

enum { QUERIES = 37, MANY_POINTS = 1500 };

typedef struct Many {
    Body torus, sphere;
    grzModelDistanceQuery queries[QUERIES];
    grzModelDistance distances[QUERIES];
    grzModelPoint found[MANY_POINTS];
    float points[MANY_POINTS][3];
    uint64_t hash; // of the first outcome
} Many;

static void beginMany(Many* many) {
    many->torus = makeShapeBody(shapeTorus, 500);
    many->sphere = makeShapeBody(shapeSphere, 320);
    for (size_t i = 0; i < QUERIES; ++i) {
        grzModelDistanceQuery* query = &many->queries[i];
        *query = grzDefaultModelDistanceQuery();
        query->a = many->torus.model;
        query->b = i % 2 == 0 ? many->sphere.model : many->torus.model;
        scaledPose(query);
        query->reach = i % 5 == 0 ? 0.3 : (double)INFINITY;
        query->relativeError = i % 7 == 0 ? 0.1 : 0;
    }
    for (size_t i = 0; i < MANY_POINTS; ++i)
        grzVec3_Store(many->points[i], drawVector(2));
}

static uint64_t hashOf(const void* bytes, size_t size) {
    const unsigned char* at = bytes;
    uint64_t hash = size;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static uint64_t runMany(Many* many, grzTasks* tasks) {
    grzModelPointsQuery query = grzDefaultModelPointsQuery();
    query.model = many->torus.model, query.points = many->points[0], query.count = MANY_POINTS;
    memset(many->distances, 0, sizeof many->distances);
    for (size_t i = 0; i < QUERIES; ++i)
        many->distances[i] = measure(&many->queries[i]);
    assert_true(grzResult_IsOk(grzModel_ClosestPoints(tasks, &query, many->found)));
    return hashOf(many->distances, sizeof many->distances) ^ hashOf(many->found, sizeof many->found) << 1;
}

static void expectSameOfMany(grzTasks* tasks, void* context) {
    Many* many = context;
    const uint64_t hash = runMany(many, tasks);
    many->hash = many->hash == 0 ? hash : many->hash;
    assert_true(hash == many->hash);
}

static void everyLevelAndWorkerCountGivesTheSameBytes(void** state) {
    (void)state;
    static Many many;
    g_rng = grzRng_Make(testSeed(5), 1);
    beginMany(&many);
    many.queries[31].poseA = many.queries[20].poseA;
    many.hash = 0;
    forEachLevelAndWorkerCount(expectSameOfMany, &many);
    grzModelDistance refused;
    grzModelStats stats = {7, 7, 7, 7};
    assert_int_equal(grzModels_Distance(NULL, &refused, &stats).status, grz_badDef);
    assert_true(stats.boxTests == 0 && stats.exactTests == 0);
    freeBody(&many.torus), freeBody(&many.sphere);
}

static void aStartSavesWork(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(6), 1);
    Body torus = makeShapeBody(shapeTorus, 2000);
    uint64_t with = 0, without = 0;
    for (int i = 0; i < 20; ++i) {
        grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
        grzModelDistance distance;
        grzModelStats stats;
        query.a = query.b = torus.model;
        rigidPose(&query);
        assert_true(grzResult_IsOk(grzModels_Distance(&query, &distance, &stats)));
        if (distance.isTouching)
            continue;
        without += stats.triangleTests;
        query.start = distance.start;
        assert_true(grzResult_IsOk(grzModels_Distance(&query, &distance, &stats)));
        with += stats.triangleTests;
    }
    assert_true(with < without);
    freeBody(&torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soupsAreAsFarApartAsTheirTriangles),
        cmocka_unit_test(equallyNearTrianglesAreToldApartByTheirNumbers),
        cmocka_unit_test(closedMeshesAreAsFarApartAsTheirTriangles),
        cmocka_unit_test(pointsAreAsFarAsTheNearestTriangle),
        cmocka_unit_test(pointsWithoutMeaningAreRefused),
        cmocka_unit_test(emptyModelsAreInfinitelyFar),
        cmocka_unit_test(whatHasNoMeaningIsRefused),
        cmocka_unit_test(unitBoxesAreMeasuredExactly),
        cmocka_unit_test(everyLevelAndWorkerCountGivesTheSameBytes),
        cmocka_unit_test(aStartSavesWork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
