// Rays against every triangle in long double: random soups and closed meshes, poses with scales and mirrors; what is
// clearly hit must be found, what is clearly missed must not. Closed meshes let no ray out, also through their vertices and
// edges. The same bytes from every builder, SIMD level and worker count.
#include "model_query_testing.h"

#include <math.h>

#include "graze/model_ray.h"

// ---- the reference ----

typedef struct Real {
    long double x, y, z;
} Real;

static Real realOf(grzVec3 a) {
    return (Real){(long double)a.x, (long double)a.y, (long double)a.z};
}
static Real sub(Real a, Real b) {
    return (Real){a.x - b.x, a.y - b.y, a.z - b.z};
}
static Real addScaled(Real a, Real b, long double s) {
    return (Real){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static Real cross(Real a, Real b) {
    return (Real){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static long double dot(Real a, Real b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef enum Verdict { clearMiss, clearHit, unclear } Verdict;

typedef struct Answer {
    Verdict verdict;
    long double t;
    Real normal; // by the winding in the world
} Answer;

static Real inWorld(grzTransform pose, grzVec3 v) {
    Real p = realOf(pose.origin);
    p = addScaled(p, realOf(pose.basis.x), (long double)v.x);
    p = addScaled(p, realOf(pose.basis.y), (long double)v.y);
    return addScaled(p, realOf(pose.basis.z), (long double)v.z);
}

// Volumes of the ray's direction with each edge, and the time in the plane.
static Answer answerFor(const grzModelRay* ray, const ModelMesh* mesh, size_t triangle) {
    grzVec3 given[3];
    Real p[3], d = realOf(ray->direction), o = realOf(ray->origin);
    cornersOf(mesh, triangle, given);
    for (int k = 0; k < 3; ++k)
        p[k] = sub(inWorld(ray->pose, given[k]), o);
    Answer answer = {clearMiss, 0, cross(sub(p[1], p[0]), sub(p[2], p[0]))};
    const long double u = dot(d, cross(p[2], p[1])), v = dot(d, cross(p[0], p[2])), w = dot(d, cross(p[1], p[0]));
    long double size = 0;
    for (int k = 0; k < 3; ++k)
        size += dot(p[k], p[k]);
    const long double tiny = 1e-11L * size * sqrtl(dot(d, d));
    const bool isAbove = u > tiny || v > tiny || w > tiny, isBelow = u < -tiny || v < -tiny || w < -tiny;
    if (isAbove && isBelow)
        return answer;
    const long double slope = dot(answer.normal, d);
    answer.t = dot(answer.normal, p[0]) / slope;
    const bool isInside = (u > tiny && v > tiny && w > tiny) || (u < -tiny && v < -tiny && w < -tiny);
    const long double near = 1e-7L * sqrtl(size / dot(d, d)), reach = (long double)ray->reach;
    if (!isInside || fabsl(answer.t) < near || fabsl(answer.t - reach) < near)
        answer.verdict = isInside && (answer.t < -near || answer.t > reach + near) ? clearMiss : unclear;
    else
        answer.verdict = answer.t > 0 && answer.t < reach ? clearHit : clearMiss;
    const long double turn = (long double)grzMat3_Determinant(ray->pose.basis) < 0 ? -1 : 1;
    const bool isFront = turn * slope < 0;
    if (answer.verdict == clearHit &&
        ((ray->sides == grz_raysHitFronts && !isFront) || (ray->sides == grz_raysHitBacks && isFront)))
        answer.verdict = clearMiss;
    return answer;
}

static bool isNear(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static void checkHit(const grzModelRay* ray, const ModelMesh* mesh, const grzModelRayHit* hit) {
    const Answer answer = answerFor(ray, mesh, hit->triangle);
    assert_true(answer.verdict != clearMiss);
    assert_true(hit->t >= 0 && hit->t <= ray->reach);
    assert_true(hit->weights.x >= 0 && hit->weights.y >= 0 && hit->weights.z >= 0);
    assert_true(isNear((double)(hit->weights.x + hit->weights.y + hit->weights.z), 1, 1e-6));
    assert_true((hit->certainty == grz_exact) == (hit->measure == 0));
    assert_true(hit->measure < 1e-9F);
    assert_true(hit->certainty == grz_exact || answer.verdict == unclear);
    if (answer.verdict != clearHit)
        return;
    assert_true(isNear((double)hit->t, (double)answer.t, 1e-6));
    grzVec3 corners[3];
    cornersOf(mesh, hit->triangle, corners);
    grzVec3 at = grzScale(corners[0], hit->weights.x);
    at = grzAddScaled(grzAddScaled(at, hit->weights.y, corners[1]), hit->weights.z, corners[2]);
    assert_true(grzDistance(grzTransform_Apply(ray->pose, at), hit->point) < 1e-4F);
    assert_true(grzDistance(grzAddScaled(ray->origin, hit->t, ray->direction), hit->point) < 1e-4F);
    const float turn = grzMat3_Determinant(ray->pose.basis) < 0 ? -1.0F : 1.0F;
    const Real n = answer.normal;
    const grzVec3 normal = grzNormalize(grzVec3_Make((float)n.x, (float)n.y, (float)n.z));
    assert_true(grzDot(normal, hit->normal) * turn > 0.999F);
    assert_int_equal(hit->isFront, grzDot(hit->normal, ray->direction) < 0);
}

static grzModelRayHit cast(grzModelRay ray, grzModelRayPick pick) {
    grzModelRayHit hit;
    ray.pick = pick;
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    return hit;
}

// The closest hit and any against every triangle. Returns how many triangles are clearly hit.
static size_t compareRay(const ModelMesh* mesh, grzModelRay ray) {
    const grzModelRayHit closest = cast(ray, grz_rayClosest), any = cast(ray, grz_rayAny);
    const bool isHit = closest.triangle != GRZ_NO_TRIANGLE;
    assert_int_equal(any.triangle != GRZ_NO_TRIANGLE, isHit);
    assert_true(isHit || (closest.t == ray.reach && any.t == ray.reach));
    if (isHit) {
        checkHit(&ray, mesh, &closest);
        checkHit(&ray, mesh, &any);
        assert_true(closest.t <= any.t);
    }
    size_t clear = 0;
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        const Answer answer = answerFor(&ray, mesh, i);
        if (answer.verdict != clearHit)
            continue;
        assert_true(isHit &&
                    ((double)closest.t <= (double)answer.t || isNear((double)closest.t, (double)answer.t, 1e-6)));
        clear++;
    }
    return clear;
}

static grzModelRay drawRay(const grzModel* model, grzTransform pose) {
    grzModelRay ray = grzDefaultModelRay();
    ray.model = model, ray.pose = pose;
    ray.origin = grzAdd(pose.origin, drawVector(2));
    ray.direction = grzSub(grzTransform_Apply(pose, drawVector(0.7F)), ray.origin);
    if (grzRng_Below(&g_rng, 4) == 0)
        ray.direction = grzNormalize(ray.direction);
    if (grzRng_Below(&g_rng, 3) == 0)
        ray.reach = draw(0, 2);
    ray.sides = (grzModelRaySides)grzRng_Below(&g_rng, 3);
    return ray;
}

static void compareMesh(const ModelMesh* mesh, bool isRigid, size_t rayCount, size_t least) {
    grzModel* models[3];
    size_t count = 0;
    for (int i = 0; i < 3; ++i)
        models[i] = makeTestModel(mesh, (grzBvhBuilder)i);
    for (size_t i = 0; i < rayCount; ++i) {
        const grzTransform pose = isRigid ? drawRigid() : drawAffine();
        grzModelRay ray = drawRay(models[i % 3], pose);
        count += compareRay(mesh, ray);
        // Another hierarchy, another walk: the same bytes.
        grzModelRayHit hit[2];
        assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit[0])));
        ray.model = models[(i + 1) % 3];
        assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit[1])));
        assert_memory_equal(&hit[0], &hit[1], sizeof hit[0]);
    }
    assert_true(count >= least);
    for (int i = 0; i < 3; ++i)
        grzModel_Destroy(models[i]);
}

// ---- tests ----

static void compareSoups(void) {
    for (size_t i = 0; i < 8; ++i) {
        ModelMesh soup = makeSoup(1 + grzRng_Below(&g_rng, 250), draw(0.1F, 0.8F), i % 4 == 3 ? 0.25F : 0);
        compareMesh(&soup, i % 2 == 0, 100, 0);
        freeMesh(&soup);
    }
    ModelMesh soup = makeSoup(900, 0.5F, 0);
    compareMesh(&soup, false, 100, 200);
    freeMesh(&soup);
}

static void soupsGiveTheirHits(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(compareSoups);
}

static void compareClosed(void) {
    const ShapeKind kinds[] = {shapeSphere, shapeTorus, shapeBox};
    for (size_t i = 0; i < 3; ++i) {
        ModelMesh mesh = makeShapeMesh(kinds[i], 400);
        compareMesh(&mesh, i != 1, 100, 20);
        freeMesh(&mesh);
    }
}

static void closedMeshesGiveTheirHits(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    forEachLevel(compareClosed);
}

// A target on the mesh that is a vertex, the middle of an edge, or any point of an edge.
static grzVec3 drawTarget(const ModelMesh* mesh) {
    grzVec3 corners[3];
    cornersOf(mesh, grzRng_Below(&g_rng, (uint32_t)mesh->triangleCount), corners);
    const uint32_t k = grzRng_Below(&g_rng, 3), kind = grzRng_Below(&g_rng, 3);
    const float along = kind == 0 ? 0 : kind == 1 ? 0.5F : draw(0, 1);
    return grzLerp(corners[k], corners[(k + 1) % 3], along);
}

static void expectNoEscape(const ModelMesh* mesh, grzModel* model, grzTransform pose, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        grzModelRay ray = grzDefaultModelRay();
        grzModelRayHit hit;
        ray.model = model, ray.pose = pose;
        ray.origin = grzTransform_Apply(pose, i % 2 == 0 ? grzVec3_Zero() : drawVector(0.2F));
        ray.direction = grzSub(grzTransform_Apply(pose, drawTarget(mesh)), ray.origin);
        ray.pick = i % 3 == 0 ? grz_rayAny : grz_rayClosest;
        assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
        assert_int_not_equal(hit.triangle, GRZ_NO_TRIANGLE);
        assert_true(hit.t > 0.9F && hit.t < 1.1F && !hit.isFront);
    }
}

static void noRayLeavesAClosedSphere(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    ModelMesh sphere = makeShapeMesh(shapeSphere, 1280);
    grzModel* model = makeTestModel(&sphere, grz_bvhSah);
    expectNoEscape(&sphere, model, grzTransform_Identity(), 60000);
    for (int i = 0; i < 20; ++i)
        expectNoEscape(&sphere, model, i % 2 == 0 ? drawRigid() : drawAffine(), 2000);
    grzTransform far = drawRigid();
    far.origin = drawVector(1e5F);
    expectNoEscape(&sphere, model, far, 4000);
    grzModel_Destroy(model);
    freeMesh(&sphere);
}

// Along the axes, through vertices and edges of a box whose coordinates are small integers: everything is exact.
static void axisRaysHitTheEdgesOfABox(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 12);
    float upper = 0;
    for (size_t i = 0; i < 3 * box.vertexCount; ++i)
        upper = box.positions[i] > upper ? box.positions[i] : upper;
    for (size_t i = 0; i < 3 * box.vertexCount; ++i)
        box.positions[i] = box.positions[i] > 0 ? 1.0F : -1.0F;
    assert_true(upper > 0);
    grzModel* model = makeTestModel(&box, grz_bvhSah);
    for (int axis = 0; axis < 3; ++axis) {
        for (int u = -4; u <= 4; ++u) {
            for (int v = -4; v <= 4; ++v) {
                float origin[3], direction[3] = {0, 0, 0};
                origin[axis] = -3, direction[axis] = 2;
                origin[(axis + 1) % 3] = 0.5F * (float)u, origin[(axis + 2) % 3] = 0.5F * (float)v;
                grzModelRay ray = grzDefaultModelRay();
                grzModelRayHit hit;
                ray.model = model;
                ray.origin = grzVec3_Load(origin), ray.direction = grzVec3_Load(direction);
                assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
                const bool meets = abs(u) <= 2 && abs(v) <= 2, isInside = abs(u) < 2 && abs(v) < 2;
                assert_int_equal(hit.triangle != GRZ_NO_TRIANGLE, meets);
                assert_true(hit.t == (meets ? 1.0F : (float)INFINITY));
                assert_true(!isInside || (hit.isFront && grzVec3_Get(hit.normal, axis) == -1));
            }
        }
    }
    grzModel_Destroy(model);
    freeMesh(&box);
}

static void degenerateTrianglesAreNotHit(void** state) {
    (void)state;
    ModelMesh mesh = makeMesh(5, 4);
    const float positions[15] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0};
    const uint32_t triangles[12] = {0, 1, 2, 0, 0, 0, 1, 1, 3, 0, 1, 3};
    memcpy(mesh.positions, positions, sizeof positions);
    memcpy(mesh.triangles, triangles, sizeof triangles);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzModelRay ray = grzDefaultModelRay();
    ray.model = model;
    ray.origin = grzVec3_Make(0.5F, 0, 1), ray.direction = grzVec3_Make(0, 0, -1);
    grzModelRayHit hit = cast(ray, grz_rayClosest);
    assert_int_equal(hit.triangle, 3);
    assert_true(hit.isFront && hit.certainty == grz_conservative);
    ray.origin = grzVec3_Make(0.25F, 0.25F, 1);
    hit = cast(ray, grz_rayClosest);
    assert_true(hit.triangle == 3 && hit.certainty == grz_exact);
    ray.sides = grz_raysHitBacks;
    assert_int_equal(cast(ray, grz_rayClosest).triangle, GRZ_NO_TRIANGLE);
    // In the plane of all of them.
    ray.sides = grz_raysHitBoth;
    ray.origin = grzVec3_Make(-1, 0.25F, 0), ray.direction = grzVec3_Make(1, 0, 0);
    assert_int_equal(cast(ray, grz_rayClosest).triangle, GRZ_NO_TRIANGLE);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static void endsOfARayCount(void** state) {
    (void)state;
    ModelMesh mesh = makeMesh(3, 1);
    const float positions[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    memcpy(mesh.positions, positions, sizeof positions);
    mesh.triangles[1] = 1, mesh.triangles[2] = 2;
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzModelRay ray = grzDefaultModelRay();
    grzModelRayHit hit;
    ray.model = model, ray.origin = grzVec3_Make(0, 0, 4), ray.direction = grzVec3_Make(0, 0, -2);
    const float reaches[] = {0, 1.9999999F, 2, 2.5F, (float)INFINITY};
    for (size_t i = 0; i < 5; ++i) {
        ray.reach = reaches[i];
        assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
        assert_int_equal(hit.triangle == 0, i >= 2);
        assert_true(hit.t == (i >= 2 ? 2 : ray.reach));
    }
    ray.origin.z = 0, ray.reach = 0;
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    assert_true(hit.triangle == 0 && hit.t == 0);
    ray.origin.z = -1e-30F, ray.reach = 1;
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    assert_int_equal(hit.triangle, GRZ_NO_TRIANGLE);
    ray.direction = grzVec3_Zero(), ray.origin.z = 0;
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    assert_true(hit.triangle == GRZ_NO_TRIANGLE && hit.t == 1);
    // The longest and the shortest directions there are.
    ray.origin.z = 4, ray.reach = (float)INFINITY;
    ray.direction = grzVec3_Make(0, 0, -3e38F);
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    assert_true(hit.triangle == 0 && hit.t > 0 && hit.t < 1.4e-38F);
    ray.direction = grzVec3_Make(0, 0, -1e-44F);
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    assert_true(hit.triangle == 0);
    ray.direction = grzVec3_Make(1e-41F, 0, -1);
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
    assert_true(hit.triangle == 0 && hit.t == 4);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

// All coordinates times a power of two: the same hits, to the bit, but for lengths.
static void aLargerOrSmallerWorldHasTheSameHits(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(7), 1);
    ModelMesh soup = makeSoup(300, 0.5F, 0);
    grzModel* model = makeTestModel(&soup, grz_bvhSah);
    size_t hits = 0;
    for (int i = 0; i < 6; ++i) {
        const float scale = ldexpf(1, i % 2 == 0 ? -15 * (i + 1) : 20 * i);
        ModelMesh scaled = makeMesh(soup.vertexCount, soup.triangleCount);
        memcpy(scaled.triangles, soup.triangles, 3 * soup.triangleCount * sizeof *soup.triangles);
        for (size_t k = 0; k < 3 * soup.vertexCount; ++k)
            scaled.positions[k] = scale * soup.positions[k];
        grzModel* other = makeTestModel(&scaled, grz_bvhSah);
        for (int k = 0; k < 100; ++k) {
            grzModelRay ray = drawRay(model, grzTransform_Make(drawRotation(), grzVec3_Zero()));
            grzModelRayHit hit, far;
            assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)));
            ray.model = other;
            ray.origin = grzScale(ray.origin, scale), ray.direction = grzScale(ray.direction, scale);
            assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &far)));
            assert_true(hit.t == far.t && hit.triangle == far.triangle && hit.isFront == far.isFront);
            assert_memory_equal(&hit.weights, &far.weights, sizeof hit.weights);
            hits += hit.triangle != GRZ_NO_TRIANGLE;
        }
        grzModel_Destroy(other);
        freeMesh(&scaled);
    }
    assert_true(hits > 200);
    grzModel_Destroy(model);
    freeMesh(&soup);
}

static void expectRefused(const grzModelRay* ray, grzStatus status) {
    grzModelRayHit hit;
    assert_int_equal(grzModel_CastRay(ray, &hit).status, status);
    assert_int_equal(hit.triangle, GRZ_NO_TRIANGLE);
}

static void whatHasNoMeaningIsRefused(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 12);
    grzModel* model = makeTestModel(&box, grz_bvhSah);
    grzModelRay good = grzDefaultModelRay(), ray;
    good.model = model, good.direction.x = 1;
    expectRefused(NULL, grz_badDef);
    ray = good, ray.mark = 0, expectRefused(&ray, grz_badDef);
    ray = good, ray.model = NULL, expectRefused(&ray, grz_badArgument);
    ray = good, ray.pick = (grzModelRayPick)2, expectRefused(&ray, grz_badArgument);
    ray = good, ray.sides = (grzModelRaySides)3, expectRefused(&ray, grz_badArgument);
    ray = good, ray.reach = -1, expectRefused(&ray, grz_badArgument);
    ray = good, ray.pose.basis = grzMat3_Zero(), expectRefused(&ray, grz_badArgument);
    ray = good, ray.reach = (float)NAN, expectRefused(&ray, grz_notFinite);
    ray = good, ray.origin.y = (float)NAN, expectRefused(&ray, grz_notFinite);
    ray = good, ray.direction.z = (float)INFINITY, expectRefused(&ray, grz_notFinite);
    ray = good, ray.pose.origin.z = (float)INFINITY, expectRefused(&ray, grz_notFinite);
    grzModel_Destroy(model);
    freeMesh(&box);
}

static void anEmptyModelIsMissedAndARefitOneFollows(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    ModelMesh none = makeMesh(0, 0), torus = makeShapeMesh(shapeTorus, 600);
    grzModel *empty = makeTestModel(&none, grz_bvhSah), *model = makeTestModel(&torus, grz_bvhMorton);
    compareRay(&none, drawRay(empty, drawRigid()));
    for (int round = 0; round < 4; ++round) {
        for (size_t i = 0; i < 3 * torus.vertexCount; ++i)
            torus.positions[i] += draw(-0.1F, 0.1F);
        assert_true(grzResult_IsOk(grzModel_Refit(model, NULL, torus.positions, 0)));
        for (int i = 0; i < 20; ++i)
            compareRay(&torus, drawRay(model, drawRigid()));
    }
    grzModel_Destroy(empty), grzModel_Destroy(model);
    freeMesh(&none), freeMesh(&torus);
}

enum { MANY = 203 };

typedef struct Many {
    grzModelRay rays[MANY];
    grzModelRayHit hits[MANY], expected[MANY];
    grzResult results[MANY];
} Many;

static void castSome(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Many* many = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        many->results[i] = grzModel_CastRay(&many->rays[i], &many->hits[i]);
}

static void expectSame(grzTasks* tasks, void* context) {
    Many* many = context;
    memset(many->hits, 0xFF, sizeof many->hits);
    grzParallelFor(tasks, MANY, 4, castSome, many);
    for (size_t i = 0; i < MANY; ++i)
        assert_true(grzResult_IsOk(many->results[i]));
    assert_memory_equal(many->hits, many->expected, sizeof many->hits);
}

static void manyRaysGiveTheSameBytesForAnyWorkerCountAndLevel(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    ModelMesh soup = makeSoup(700, 0.4F, 0);
    grzModel* model = makeTestModel(&soup, grz_bvhSah);
    static Many many;
    size_t hits = 0;
    for (size_t i = 0; i < MANY; ++i) {
        many.rays[i] = drawRay(model, drawAffine());
        many.expected[i] = cast(many.rays[i], (grzModelRayPick)(i % 2));
        many.rays[i].pick = (grzModelRayPick)(i % 2);
        hits += many.expected[i].triangle != GRZ_NO_TRIANGLE;
    }
    assert_true(hits > MANY / 4);
    forEachLevelAndWorkerCount(expectSame, &many);
    grzModel_Destroy(model);
    freeMesh(&soup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soupsGiveTheirHits),
        cmocka_unit_test(closedMeshesGiveTheirHits),
        cmocka_unit_test(noRayLeavesAClosedSphere),
        cmocka_unit_test(axisRaysHitTheEdgesOfABox),
        cmocka_unit_test(degenerateTrianglesAreNotHit),
        cmocka_unit_test(endsOfARayCount),
        cmocka_unit_test(aLargerOrSmallerWorldHasTheSameHits),
        cmocka_unit_test(whatHasNoMeaningIsRefused),
        cmocka_unit_test(anEmptyModelIsMissedAndARefitOneFollows),
        cmocka_unit_test(manyRaysGiveTheSameBytesForAnyWorkerCountAndLevel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
