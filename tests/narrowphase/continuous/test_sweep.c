// Sweeps of convex shapes and models: against places sampled densely, found with libm in long doubles, and their distances by the
// queries at rest; known answers; scales, turns, order of the arguments, time reversed, SIMD levels and workers, bounds of work.
#include "convex_testing.h"
#include "model_query_testing.h"

#include <float.h>
#include <math.h>

#include "graze/model_distance.h"
#include "graze/model_shape.h"
#include "graze/sweep.h"

// ---- places by another way ----

static void turnVector(const long double axis[3], long double angle, const long double v[3], long double out[3]) {
    const long double c = cosl(angle), s = sinl(angle);
    const long double dot = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * v[i] + s * (axis[j] * v[k] - axis[k] * v[j]) + (1 - c) * dot * axis[i];
    }
}

typedef struct Long3 {
    long double v[3];
} Long3;

static Long3 longOf(grzVec3 a) {
    return (Long3){{(long double)a.x, (long double)a.y, (long double)a.z}};
}

static Long3 turnedBy(const grzSweepMotion* motion, double t, Long3 v) {
    Long3 axis = longOf(motion->rotation), out;
    const long double length = sqrtl(axis.v[0] * axis.v[0] + axis.v[1] * axis.v[1] + axis.v[2] * axis.v[2]);
    for (int i = 0; i < 3; ++i)
        axis.v[i] *= length > 0 ? 1 / length : 0;
    turnVector(axis.v, length * (long double)t, v.v, out.v);
    return out;
}

static grzVec3 roundedOf(Long3 a) {
    return grzVec3_Make((float)a.v[0], (float)a.v[1], (float)a.v[2]);
}

static grzTransform placeAt(const grzSweepMotion* motion, double t) {
    const grzMat3 basis = motion->pose.basis;
    const Long3 o = longOf(motion->pose.origin), c = longOf(motion->center), v = longOf(motion->translation);
    Long3 arm, origin;
    for (int i = 0; i < 3; ++i)
        arm.v[i] = o.v[i] - c.v[i];
    arm = turnedBy(motion, t, arm);
    for (int i = 0; i < 3; ++i)
        origin.v[i] = c.v[i] + (long double)t * v.v[i] + arm.v[i];
    return grzTransform_Make(grzMat3_FromColumns(roundedOf(turnedBy(motion, t, longOf(basis.x))),
                                                 roundedOf(turnedBy(motion, t, longOf(basis.y))),
                                                 roundedOf(turnedBy(motion, t, longOf(basis.z)))),
                             roundedOf(origin));
}

// How far the bodies are apart at a time, above; 0 where they touch.
static double distanceAt(const grzSweepQuery* query, double t) {
    const grzTransform poseA = placeAt(&query->a.motion, t), poseB = placeAt(&query->b.motion, t);
    if (query->a.model != NULL && query->b.model != NULL) {
        grzModelDistanceQuery models = grzDefaultModelDistanceQuery();
        grzModelDistance distance;
        models.a = query->a.model, models.b = query->b.model;
        models.poseA = poseA, models.poseB = poseB;
        assert_int_equal(grzModels_Distance(&models, &distance, NULL).status, grz_ok);
        return distance.isTouching ? 0 : distance.upper;
    }
    if (query->a.model == NULL && query->b.model == NULL) {
        grzConvexDistance distance;
        assert_int_equal(grzConvex_Distance(&query->a.shape, poseA, &query->b.shape, poseB, &distance).status,
                         grz_ok);
        return distance.isTouching ? 0 : (double)distance.upper;
    }
    const bool isModelA = query->a.model != NULL;
    grzModelShape shape = grzDefaultModelShape();
    grzModelShapeDistance distance;
    shape.model = isModelA ? query->a.model : query->b.model;
    shape.pose = isModelA ? poseA : poseB;
    shape.shape = isModelA ? query->b.shape : query->a.shape;
    shape.shapePose = isModelA ? poseB : poseA;
    shape.margin = INFINITY;
    assert_int_equal(grzModel_ShapeDistance(&shape, &distance).status, grz_ok);
    return distance.distance.isTouching ? 0 : (double)distance.distance.upper;
}

static grzSweepImpact findOf(const grzSweepQuery* query) {
    grzSweepImpact impact;
    assert_int_equal(grzSweep_Find(query, &impact).status, grz_ok);
    return impact;
}

// Slack: what poses in floats may be off.
static grzSweepImpact checkSampled(const grzSweepQuery* query, int samples, double slack) {
    const grzSweepImpact impact = findOf(query);
    assert_int_not_equal(impact.outcome, grz_sweepUndecided);
    assert_true(impact.toi >= 0 && impact.toi <= 1);
    const bool isFree = impact.outcome == grz_sweepFree;
    assert_true(!isFree || (impact.toi == 1 && impact.certainty == grz_exact));
    for (int i = 0; i < samples && impact.toi > 0; ++i) {
        const double t = impact.toi * i / (isFree ? samples - 1 : samples);
        if (!(distanceAt(query, t) > 0))
            fail_msg("a touch at %.17g is before %.17g", t, impact.toi);
    }
    if (!isFree) {
        assert_true(distanceAt(query, impact.toi) <= (impact.certainty == grz_exact ? 0 : impact.measure) + slack);
        assert_true(impact.distance <= impact.measure || impact.certainty == grz_exact);
        const grzVec3d apart = grzVec3d_Sub(impact.pointB, impact.pointA);
        assert_true(fabs(grzVec3d_Length(apart) - impact.distance) <= 1e-9);
        if (impact.distance > 1e-7)
            assert_true(grzVec3d_Dot(apart, impact.normal) >= 0.999 * impact.distance);
    }
    return impact;
}

// ---- random queries ----

static grzSweepMotion drawMotion(grzVec3 from, grzVec3 to, float mostTurn) {
    grzSweepMotion motion;
    motion.pose = grzTransform_FromQuat(randomTurn(&g_rng), from);
    motion.center = grzAdd(from, drawVector(0.5f));
    motion.translation = grzSub(to, from);
    motion.rotation = grzScale(drawVector(1), mostTurn);
    return motion;
}

// B passes A at some distance.
static grzSweepQuery drawQuery(float mostTurn) {
    grzSweepQuery query = grzDefaultSweepQuery();
    const float far = draw(1.5f, 6);
    const grzVec3 from = grzScale(grzNormalize(drawVector(1)), far);
    query.a.shape = anyShape(&g_rng), query.b.shape = anyShape(&g_rng);
    query.a.motion = drawMotion(grzVec3_Zero(), drawVector(1), mostTurn);
    query.b.motion = drawMotion(from, grzSub(drawVector(2.5f), from), mostTurn);
    return query;
}

static void test_shapesBesideSamples(void** state) {
    (void)state;
    int touching = 0;
    for (int i = 0; i < 600; ++i) {
        const grzSweepQuery query = drawQuery(i % 3 == 0 ? 0 : i % 3 == 1 ? 3 : 20);
        touching += checkSampled(&query, 200, 4e-6).outcome == grz_sweepTouches;
    }
    assert_in_range(touching, 150, 500); // the queries are of both kinds
}

typedef struct Bodies {
    ModelMesh meshes[4];
    grzModel* models[4];
} Bodies;

static Bodies makeBodies(void) {
    Bodies bodies = {{makeShapeMesh(shapeSphere, 300), makeShapeMesh(shapeTorus, 300), makeSoup(60, 0.4f, 0),
                      makeSoup(40, 0.5f, 0.25f)},
                     {NULL}};
    for (int i = 0; i < 4; ++i)
        bodies.models[i] = makeModel(&bodies.meshes[i]);
    return bodies;
}

static void freeBodies(Bodies* bodies) {
    for (int i = 0; i < 4; ++i) {
        grzModel_Destroy(bodies->models[i]);
        freeMesh(&bodies->meshes[i]);
    }
}

static void takeModels(const Bodies* bodies, grzSweepQuery* query, uint32_t which) {
    if ((which & 1) != 0)
        query->a.model = bodies->models[grzRng_Below(&g_rng, 4)];
    if ((which & 2) != 0)
        query->b.model = bodies->models[grzRng_Below(&g_rng, 4)];
}

static void test_modelsBesideSamples(void** state) {
    (void)state;
    Bodies bodies = makeBodies();
    int touching = 0;
    for (int i = 0; i < 240; ++i) {
        grzSweepQuery query = drawQuery(i % 2 == 0 ? 1 : 8);
        takeModels(&bodies, &query, 1 + (uint32_t)i % 3);
        const grzSweepImpact impact = checkSampled(&query, 60, 4e-6);
        touching += impact.outcome == grz_sweepTouches;
        assert_int_equal(impact.triangleA != GRZ_NO_TRIANGLE,
                         query.a.model != NULL && impact.outcome == grz_sweepTouches);
    }
    assert_in_range(touching, 60, 220);
    freeBodies(&bodies);
}

// The answer of a model is the earliest of its triangles', each as a model of its own.
static void test_modelsBesideTriangles(void** state) {
    (void)state;
    ModelMesh mesh = makeSoup(24, 0.6f, 0);
    grzModel *all = makeModel(&mesh), *single[24];
    for (size_t i = 0; i < mesh.triangleCount; ++i) {
        ModelMesh one = mesh;
        one.triangles += 3 * i, one.triangleCount = 1;
        single[i] = makeModel(&one);
    }
    for (int round = 0; round < 60; ++round) {
        grzSweepQuery query = drawQuery(4);
        query.a.model = all;
        query.tolerance = 1e-5;
        const grzSweepImpact impact = findOf(&query);
        double least = 1, after = 1;
        for (size_t i = 0; i < mesh.triangleCount; ++i) {
            query.a.model = single[i];
            const grzSweepImpact one = findOf(&query);
            least = fmin(least, one.outcome == grz_sweepFree ? 1 : one.toi);
            query.tolerance = 1e-8;
            const grzSweepImpact fine = findOf(&query);
            after = fmin(after, fine.outcome == grz_sweepFree ? 1 : fine.toi);
            query.tolerance = 1e-5;
        }
        assert_true(impact.toi <= after); // no miss
        assert_true(impact.toi >= least - 1e-3);
        assert_true(impact.outcome == grz_sweepFree ? least > 0.999 : least <= impact.toi + 1e-3);
    }
    for (size_t i = 0; i < mesh.triangleCount; ++i)
        grzModel_Destroy(single[i]);
    grzModel_Destroy(all);
    freeMesh(&mesh);
}

#define PI 3.14159265358979323846

// ---- known answers ----

static grzSweepBody bodyOf(grzConvex shape, grzVec3 origin, grzVec3 translation, grzVec3 rotation) {
    const grzSweepMotion motion = {grzTransform_FromQuat(grzQuat_Identity(), origin), origin, translation,
                                   rotation};
    return (grzSweepBody){.shape = shape, .motion = motion};
}

// A touch at `when`, in reality; `speed`: how fast they near each other there.
static void checkKnown(const grzSweepQuery* query, double when, double speed) {
    const grzSweepImpact impact = findOf(query);
    assert_int_equal(impact.outcome, grz_sweepTouches);
    assert_true(impact.toi <= when * (1 + 1e-12));
    assert_true(impact.toi >= when - 1.01 * impact.measure / speed - 1e-12);
}

static void test_ballFallsOntoBox(void** state) {
    (void)state;
    grzSweepQuery query = grzDefaultSweepQuery();
    query.a = bodyOf(grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(0.25f, 2, 0), grzVec3_Make(0, -4, 0),
                     grzVec3_Make(0, 9, 4));
    query.b = bodyOf(grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 1, 1)), grzVec3_Make(0, -1, 0), grzVec3_Zero(),
                     grzVec3_Zero());
    checkKnown(&query, 0.375, 4);
    const grzSweepImpact impact = findOf(&query);
    assert_true(impact.normal.y < -0.999999);
    assert_int_equal(impact.featureA, grzMakeFeature(grz_bodyFeature, 0));
    assert_int_equal(impact.featureB, grzMakeFeature(grz_faceFeature, 3));
    assert_true(fabs(impact.pointB.y) < 1e-9 && fabs(impact.pointB.x - 0.25) < 1e-9);
}

// A rod about its middle, into a wall whose face is at half its length; and one that has gone round and round before it gets there.
static void test_rodTurnsIntoWall(void** state) {
    (void)state;
    grzSweepQuery query = grzDefaultSweepQuery();
    const grzVec3 end = grzVec3_Make(1, 0, 0);
    query.a = bodyOf(grzMakeCapsule(grzNeg(end), end, 0), grzVec3_Zero(), grzVec3_Zero(), grzVec3_Make(0, 0, 3));
    query.b = bodyOf(grzMakeBox(grzVec3_Make(0, 2, 0), grzVec3_Make(3, 1.5f, 1)), grzVec3_Zero(), grzVec3_Zero(),
                     grzVec3_Zero());
    checkKnown(&query, PI / 6 / 3, 3 * cos(PI / 6));
    query.a.motion.rotation.z = 999;
    checkKnown(&query, PI / 6 / 999, 999 * cos(PI / 6));
    // The wall above is reached by going up: at half the way, after five turns and a twelfth of one.
    query.b.motion.pose.origin.z = 3;
    query.a.motion.rotation.z = (float)(2 * PI * (10 + 2.0 / 12));
    query.a.motion.translation.z = 4;
    checkKnown(&query, 0.5, 2 * PI * 10 * cos(PI / 6));
}

// A ball through a plate of a thousandth of its size, slow and beyond all measure fast; as shapes and as triangles.
static void test_bulletThroughPlate(void** state) {
    (void)state;
    const float plate[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    grzModelDef def = grzDefaultModelDef();
    def.positions = plate, def.vertexCount = 4, def.triangles = triangles, def.triangleCount = 2;
    grzModel* model;
    assert_int_equal(grzModel_Create(&def, &model).status, grz_ok);
    for (float speed = 3; speed < 1e9f; speed *= 10) {
        grzSweepQuery query = grzDefaultSweepQuery();
        query.a = bodyOf(grzMakeSphere(grzVec3_Zero(), 0.01f), grzVec3_Make(0.3f, 0.1f, -1),
                         grzVec3_Make(0, 0, speed), grzVec3_Make(1, 2, 3));
        query.b = bodyOf(grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 1, 1e-5f)), grzVec3_Zero(), grzVec3_Zero(),
                         grzVec3_Zero());
        checkKnown(&query, (1 - (double)0.01f - (double)1e-5f) / (double)speed, (double)speed);
        query.b.model = model;
        checkKnown(&query, (1 - (double)0.01f) / (double)speed, (double)speed);
        query.a.motion.pose.origin.x += 2, query.a.motion.center.x += 2;
        assert_int_equal(findOf(&query).outcome, grz_sweepFree);
    }
    grzModel_Destroy(model);
}

static void test_startsOverlapping(void** state) {
    (void)state;
    int exact = 0;
    for (int i = 0; i < 200; ++i) {
        grzSweepQuery query = drawQuery(3);
        query.b.motion = query.a.motion;
        query.b.motion.translation = drawVector(100);
        query.b.shape = query.a.shape;
        query.b.motion.pose.origin = grzAdd(query.b.motion.pose.origin, drawVector(0.02f));
        const grzSweepImpact impact = findOf(&query);
        assert_int_equal(impact.outcome, grz_sweepTouches);
        assert_true(impact.toi == 0 && impact.distance < 1e-12);
        assert_true(impact.certainty == grz_exact ? impact.measure == 0 : impact.measure > 0);
        exact += impact.certainty == grz_exact;
    }
    assert_in_range(exact, 180, 200);
}

// What touches at the very end, or ends just short of it.
static void test_endsCount(void** state) {
    (void)state;
    grzSweepQuery query = grzDefaultSweepQuery();
    query.a = bodyOf(grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1)), grzVec3_Make(-4, 0, 0), grzVec3_Make(2, 0, 0),
                     grzVec3_Zero());
    query.b = bodyOf(grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1)), grzVec3_Zero(), grzVec3_Zero(), grzVec3_Zero());
    query.tolerance = 1e-9;
    checkKnown(&query, 1, 2);
    query.a.motion.translation.x = 1.999f;
    assert_int_equal(findOf(&query).outcome, grz_sweepFree);
}

// ---- grazing ----

// Two circles of points, along z.
static grzHull* makePrism(size_t corners) {
    float positions[3 * 128];
    for (size_t i = 0; i < 2 * corners; ++i) {
        const double angle = 2 * PI * (double)(i / 2) / (double)corners;
        grzVec3_Store(positions + 3 * i, grzVec3_Make((float)cos(angle), (float)sin(angle), i % 2 == 0 ? 1 : -1));
    }
    grzHullDef def = grzDefaultHullDef();
    grzHull* hull;
    def.positions = positions, def.pointCount = 2 * corners;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
    return hull;
}

// A roller that turns in place, or rolls, a little above a floor: free, in a bounded number of steps.
static void test_grazingEnds(void** state) {
    (void)state;
    grzHull* prism = makePrism(24);
    for (float speed = 0; speed < 5; speed += 4) {
        grzSweepQuery query = grzDefaultSweepQuery();
        query.a = bodyOf(grzMakeHullShape(prism), grzVec3_Make(0, 1 + 4e-6f, 0), grzVec3_Make(speed, 0, 0),
                         grzVec3_Make(0, 0, -6));
        query.b = bodyOf(grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(9, 1, 9)), grzVec3_Zero(), grzVec3_Zero(),
                         grzVec3_Zero());
        query.tolerance = 1e-6;
        const grzSweepImpact impact = findOf(&query);
        assert_int_equal(impact.outcome, grz_sweepFree);
        assert_in_range(impact.steps, 24, 200); // 81; by speeds alone 48,980
    }
    grzHull_Destroy(prism);
}

// Motion in a plane beside the other body has no speed towards it: one step.
static void test_slidingIsFree(void** state) {
    (void)state;
    grzSweepQuery query = grzDefaultSweepQuery();
    query.a = bodyOf(grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1)), grzVec3_Make(0, 1.001f, 0),
                     grzVec3_Make(1000, 0, 500), grzVec3_Make(0, 100, 0));
    query.b = bodyOf(grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(9999, 1, 9999)), grzVec3_Zero(),
                     grzVec3_Zero(), grzVec3_Zero());
    const grzSweepImpact impact = findOf(&query);
    assert_int_equal(impact.outcome, grz_sweepFree);
    assert_in_range(impact.steps, 1, 60);
    query.a.motion.rotation = grzVec3_Zero();
    assert_in_range(findOf(&query).steps, 1, 2);
}

static void test_workIsBounded(void** state) {
    (void)state;
    Bodies bodies = makeBodies();
    for (int i = 0; i < 120; ++i) {
        grzSweepQuery query = drawQuery(4);
        takeModels(&bodies, &query, (uint32_t)i % 4);
        const grzSweepImpact whole = findOf(&query);
        double last = 0;
        for (uint32_t steps = 1; steps < whole.steps; steps += 1 + steps / 2) {
            query.mostSteps = steps;
            const grzSweepImpact impact = findOf(&query);
            assert_true(impact.steps <= steps);
            if (impact.outcome != grz_sweepUndecided) { // what is left begins no earlier than what was found
                assert_int_equal(impact.outcome, grz_sweepTouches);
                assert_true(impact.toi == whole.toi);
                continue;
            }
            assert_int_equal(impact.certainty, grz_conservative);
            assert_true(impact.toi <= whole.toi && impact.toi >= last - 1e-12);
        }
        query.mostSteps = whole.steps;
        const grzSweepImpact again = findOf(&query);
        assert_memory_equal(&again, &whole, sizeof whole);
    }
    freeBodies(&bodies);
}

// ---- triangles that deform ----

typedef struct Deforming {
    grzVec3 starts[3], ends[3];
} Deforming;

static void getStarts(const void* context, uint32_t triangle, grzVec3 corners[3]) {
    (void)triangle;
    memcpy(corners, ((const Deforming*)context)->starts, 3 * sizeof *corners);
}

// A corner near the ball, or so far away that the triangle is a needle, whose end is as fast.
static void drawCorner(Deforming* deforming, int i, bool isFar) {
    const float far = isFar ? ldexpf(1, (int)grzRng_Below(&g_rng, 30)) : 1;
    deforming->starts[i] = grzScale(drawVector(3), far);
    deforming->ends[i] = grzAdd(deforming->starts[i], grzScale(drawVector(2), far));
}

static Long3 crossOf(Long3 a, Long3 b) {
    return (Long3){
        {a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

static long double dotOf(Long3 a, Long3 b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static Long3 fromTo(Long3 a, Long3 b, long double t) {
    return (Long3){{b.v[0] - t * a.v[0], b.v[1] - t * a.v[1], b.v[2] - t * a.v[2]}};
}

// From the ball to the triangle at a time, in long doubles: to the nearest edge, or to the plane where it is above the triangle.
static double gapOf(const Deforming* deforming, const grzSweepMotion* motion, float radius, double t) {
    const long double at = (long double)t, from = 1 - at;
    const Long3 center = longOf(motion->center), way = longOf(motion->translation);
    Long3 corners[3], edges[3]; // corners from the ball
    long double leastSq = (long double)INFINITY;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            corners[i].v[k] = from * longOf(deforming->starts[i]).v[k] + at * longOf(deforming->ends[i]).v[k] -
                              (center.v[k] + at * way.v[k]);
    for (int i = 0; i < 3; ++i) {
        edges[i] = fromTo(corners[i], corners[(i + 1) % 3], 1);
        const long double part = -dotOf(corners[i], edges[i]) / dotOf(edges[i], edges[i]);
        const Long3 nearest = fromTo(edges[i], corners[i], -fminl(fmaxl(part, 0), 1));
        leastSq = fminl(leastSq, dotOf(nearest, nearest));
    }
    const Long3 normal = crossOf(edges[0], edges[1]);
    bool isAbove = true;
    for (int i = 0; i < 3; ++i)
        isAbove = isAbove && dotOf(crossOf(edges[i], corners[i]), normal) < 0;
    const long double height = dotOf(normal, corners[0]), heightSq = height * height / dotOf(normal, normal);
    return (double)(sqrtl(isAbove ? heightSq : leastSq) - (long double)radius);
}

// Sampled as densely as its far corners ask, up to the touch. Far corners are fast and do not hold up what is near: needles took
// as many steps as their ends are lengths away.
static void test_needlesThatDeform(void** state) {
    (void)state;
    enum { SAMPLES = 1000, MOST_STEPS = 10000 };
    static const uint32_t corners[3] = {0, 1, 2};
    uint32_t touches = 0;
    for (int i = 0; i < 600; ++i) {
        Deforming deforming;
        for (int k = 0; k < 3; ++k)
            drawCorner(&deforming, k, k < i % 3);
        grzModelDef def = grzDefaultModelDef();
        def.positions = &deforming.ends[0].x, def.positionStride = sizeof(grzVec3), def.vertexCount = 3;
        def.triangles = corners, def.triangleCount = 1;
        grzModel* model;
        assert_int_equal(grzModel_Create(&def, &model).status, grz_ok);
        float way = 0;
        for (int k = 0; k < 3; ++k)
            way = fmaxf(way, 1.001f * grzDistance(deforming.starts[k], deforming.ends[k]));
        const grzSweepStarts starts = {getStarts, &deforming, way};
        const float radius = 0.3f;
        grzSweepQuery query = grzDefaultSweepQuery();
        query.a = bodyOf(grzMakeSphere(grzVec3_Zero(), radius), grzVec3_Zero(), drawVector(1), grzVec3_Zero());
        query.b.model = model, query.b.starts = &starts;
        query.mostSteps = MOST_STEPS;
        const grzSweepImpact impact = findOf(&query);
        const bool isTouching = impact.outcome == grz_sweepTouches;
        const double slack = 1e-14 * (double)way;
        if (impact.outcome == grz_sweepUndecided)
            fail_msg("needle %d takes more than %d steps", i, MOST_STEPS);
        for (int k = 0; k <= SAMPLES && impact.toi > 0; ++k) {
            const double gap = gapOf(&deforming, &query.a.motion, radius, impact.toi * k / SAMPLES);
            if (!(gap > -slack))
                fail_msg("needle %d: a gap of %g at %g, before %g", i, gap, impact.toi * k / SAMPLES, impact.toi);
        }
        if (isTouching)
            assert_true(gapOf(&deforming, &query.a.motion, radius, impact.toi) <= impact.measure + slack);
        touches += isTouching;
        grzModel_Destroy(model);
    }
    assert_true(touches > 100 && touches < 500);
}

// ---- sizes ----

static grzConvex scaledShape(grzConvex shape, float scale) {
    shape.a = grzScale(shape.a, scale), shape.b = grzScale(shape.b, scale);
    shape.radius *= scale;
    return shape;
}

static void scaleMotion(grzSweepMotion* motion, float scale, bool isHull) {
    motion->pose.origin = grzScale(motion->pose.origin, scale);
    motion->center = grzScale(motion->center, scale);
    motion->translation = grzScale(motion->translation, scale);
    if (isHull)
        motion->pose.basis =
            grzMat3_FromColumns(grzScale(motion->pose.basis.x, scale), grzScale(motion->pose.basis.y, scale),
                                grzScale(motion->pose.basis.z, scale));
}

// By a power of two, all that is computed is the same but for its exponent.
static void test_scalesChangeNothing(void** state) {
    (void)state;
    for (int i = 0; i < 60; ++i) {
        const grzSweepQuery query = drawQuery(5);
        const grzSweepImpact impact = findOf(&query);
        for (int power = -100; power <= 44; power += 36) {
            grzSweepQuery scaled = query;
            const float scale = ldexpf(1, power);
            scaled.a.shape = scaledShape(query.a.shape, scale), scaled.b.shape = scaledShape(query.b.shape, scale);
            scaleMotion(&scaled.a.motion, scale, query.a.shape.kind == grz_hullShape);
            scaleMotion(&scaled.b.motion, scale, query.b.shape.kind == grz_hullShape);
            const grzSweepImpact other = findOf(&scaled);
            assert_int_equal(other.outcome, impact.outcome);
            assert_true(fabs(other.toi - impact.toi) <= 1e-12);
            assert_true(fabs(other.distance - ldexp(impact.distance, power)) <= ldexp(1e-9, power));
        }
    }
}

// ---- order and time ----

static bool isDeep(const grzSweepQuery* query) {
    for (int i = 0; i <= 100; ++i)
        if (distanceAt(query, i / 100.0) == 0)
            return true;
    return false;
}

static void test_orderAndTime(void** state) {
    (void)state;
    Bodies bodies = makeBodies();
    int deep = 0, free = 0;
    for (int i = 0; i < 200; ++i) {
        grzSweepQuery query = drawQuery(4), swapped, reversed;
        takeModels(&bodies, &query, (uint32_t)i % 4);
        query.tolerance = 1e-5;
        swapped = reversed = query;
        swapped.a = query.b, swapped.b = query.a;
        reversed.a.motion = grzSweepMotion_Reverse(&query.a.motion);
        reversed.b.motion = grzSweepMotion_Reverse(&query.b.motion);
        const grzSweepImpact impact = findOf(&query), other = findOf(&swapped), back = findOf(&reversed);
        if (isDeep(&query)) {
            ++deep;
            assert_int_equal(impact.outcome, grz_sweepTouches);
            assert_int_equal(other.outcome, grz_sweepTouches);
            assert_int_equal(back.outcome, grz_sweepTouches);
            assert_true(1 - back.toi >= impact.toi - 1e-5);
        } else if (impact.outcome == grz_sweepFree) {
            query.tolerance = 1e-3; // free by far
            if (findOf(&query).outcome != grz_sweepFree)
                continue;
            ++free;
            assert_int_equal(other.outcome, grz_sweepFree);
            assert_int_equal(back.outcome, grz_sweepFree);
        }
    }
    assert_true(deep > 50 && free > 30);
    freeBodies(&bodies);
}

// ---- motions ----

static void assertNear(grzTransform a, grzTransform b, float slack) {
    assert_true(grzLength(grzSub(a.origin, b.origin)) <= slack);
    assert_true(grzLength(grzSub(a.basis.x, b.basis.x)) <= slack);
    assert_true(grzLength(grzSub(a.basis.y, b.basis.y)) <= slack);
    assert_true(grzLength(grzSub(a.basis.z, b.basis.z)) <= slack);
}

static void test_motions(void** state) {
    (void)state;
    for (int i = 0; i < 2000; ++i) {
        const grzTransform before = randomPose(&g_rng, 3), after = randomPose(&g_rng, 3);
        const grzSweepMotion between = grzSweepMotion_Between(before, after, drawVector(1));
        assertNear(grzSweepMotion_PoseAt(&between, 0), before, 1e-6f);
        assertNear(grzSweepMotion_PoseAt(&between, 1), after, 4e-6f);
        assert_true(grzLength(between.rotation) <= 3.1415930f);
        const grzVec3 to = drawVector(3), from = drawVector(3);
        grzSweepMotion motion = drawMotion(from, to, i % 2 == 0 ? 3 : 570);
        const double t = grzRng_Double(&g_rng), t1 = t + (1 - t) * grzRng_Double(&g_rng);
        const grzTransform there = grzSweepMotion_PoseAt(&motion, t), then = grzSweepMotion_PoseAt(&motion, t1);
        assertNear(there, placeAt(&motion, t), 1e-6f);
        const grzSweepMotion back = grzSweepMotion_Reverse(&motion);
        if (i % 2 == 0)
            assertNear(there, grzSweepMotion_PoseAt(&back, 1 - t), 1e-5f);
        const grzVec3 d = grzNormalize(drawVector(1)), arm = grzSub(motion.pose.origin, motion.center);
        const double radius = (double)grzLength(arm), way = (double)grzDot(d, grzSub(then.origin, there.origin));
        assert_true(way <= grzSweepMotion_Bound(&motion, d, radius, t, t1) + 2e-6);
    }
    // A quarter of a turn about z through (1, 0, 0), and up by 2.
    const grzSweepMotion screw = grzSweepMotion_Screw(grzTransform_Identity(), grzVec3_Make(1, 0, 0),
                                                      grzVec3_Make(0, 0, 5), (float)(PI / 2), 2);
    const grzTransform end = grzSweepMotion_PoseAt(&screw, 1);
    assert_true(grzLength(grzSub(end.origin, grzVec3_Make(1, -1, 2))) < 1e-6f);
    assert_true(grzLength(grzSub(end.basis.x, grzVec3_Make(0, 1, 0))) < 1e-6f);
    const grzSweepMotion rest = grzSweepMotion_Rest(end);
    assertNear(grzSweepMotion_PoseAt(&rest, 0.7), end, 0);
}

// ---- many ----

enum { MANY = 150 };

static grzSweepQuery g_queries[MANY];
static grzSweepImpact g_expected[MANY];
static bool g_hasExpected;

static void runMany(grzTasks* tasks, void* context) {
    static grzSweepImpact impacts[MANY];
    (void)context;
    memset(impacts, 0xFF, sizeof impacts);
    assert_int_equal(grzSweep_FindMany(tasks, g_queries, MANY, impacts).status, grz_ok);
    for (int i = 0; i < MANY && !g_hasExpected; ++i)
        g_expected[i] = findOf(&g_queries[i]);
    g_hasExpected = true;
    assert_memory_equal(impacts, g_expected, sizeof impacts);
}

static void test_sameForAllLevelsAndWorkers(void** state) {
    (void)state;
    Bodies bodies = makeBodies();
    for (uint32_t i = 0; i < MANY; ++i) {
        g_queries[i] = drawQuery(4);
        takeModels(&bodies, &g_queries[i], i % 4);
    }
    forEachLevelAndWorkerCount(runMany, NULL);
    freeBodies(&bodies);
}

// ---- refusals ----

static void assertRefused(grzSweepQuery query, grzStatus status, uint64_t value) {
    grzSweepImpact impact, none;
    memset(&impact, 0xFF, sizeof impact);
    memset(&none, 0, sizeof none);
    none.triangleA = none.triangleB = GRZ_NO_TRIANGLE;
    const grzResult result = grzSweep_Find(&query, &impact);
    assert_int_equal(result.status, status);
    assert_int_equal(result.value, value);
    assert_memory_equal(&impact, &none, sizeof none);
    grzSweepQuery three[3] = {query, query, query};
    grzSweepImpact impacts[3];
    three[0] = drawQuery(1);
    const grzResult many = grzSweep_FindMany(NULL, three, 3, impacts);
    assert_int_equal(many.status, status);
    assert_int_equal(many.part, grz_partElement);
    assert_int_equal(many.index, 1);
    for (int i = 0; i < 3; ++i)
        assert_memory_equal(&impacts[i], &none, sizeof none);
}

static void test_badInputIsRefused(void** state) {
    (void)state;
    const grzSweepQuery good = drawQuery(1);
    grzSweepQuery query = good;
    query.mark = 1;
    assertRefused(query, grz_badDef, 0);
    query = good, query.a.shape.kind = grz_noShape;
    assertRefused(query, grz_badArgument, 1);
    query = good, query.b.motion.translation.y = NAN;
    assertRefused(query, grz_notFinite, 2);
    query = good, query.b.motion.rotation.y = INFINITY;
    assertRefused(query, grz_notFinite, 2);
    query = good, query.a.motion.rotation.y = 1001;
    assertRefused(query, grz_badArgument, 1);
    query = good, query.a.motion.pose.basis.y.z = NAN;
    assertRefused(query, grz_notFinite, 1);
    query = good, query.a.motion.center.x = 2e15f;
    assertRefused(query, grz_notFinite, 1);
    const grzSweepStarts starts = {NULL, NULL, 1};
    query = good, query.b.starts = &starts;
    assertRefused(query, grz_badArgument, 2);
    query = good, query.tolerance = -1;
    assertRefused(query, grz_badArgument, 3);
    query = good, query.tolerance = (double)NAN;
    assertRefused(query, grz_notFinite, 3);
    grzSweepImpact impact;
    assert_int_equal(grzSweep_FindMany(NULL, NULL, 1, &impact).status, grz_badDef);
    assert_int_equal(grzSweep_FindMany(NULL, NULL, 0, NULL).status, grz_ok);
}

// A model without triangles, points, and a pose that flattens.
static void test_oddBodies(void** state) {
    (void)state;
    grzModelDef def = grzDefaultModelDef();
    grzModel* empty;
    assert_int_equal(grzModel_Create(&def, &empty).status, grz_ok);
    grzSweepQuery query = grzDefaultSweepQuery();
    query.a = bodyOf(grzMakeSphere(grzVec3_Zero(), 0), grzVec3_Zero(), grzVec3_Make(2, 0, 0), grzVec3_Zero());
    query.b.model = empty;
    assert_int_equal(findOf(&query).outcome, grz_sweepFree);
    query.b = bodyOf(grzMakeSphere(grzVec3_Zero(), 0), grzVec3_Make(1, 0, 0), grzVec3_Zero(), grzVec3_Zero());
    checkKnown(&query, 0.5, 2); // a point that meets a point
    query.b.motion.pose.origin.y = query.b.motion.center.y = 1e-6f;
    assert_int_equal(findOf(&query).outcome, grz_sweepFree);
    query.b = bodyOf(grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), grzVec3_Make(1, 0, 0), grzVec3_Zero(),
                     grzVec3_Zero());
    query.b.motion.pose.basis.x = grzVec3_Zero();
    checkKnown(&query, 0.5, 2);
    grzModel_Destroy(empty);
}

static int setUp(void** state) {
    g_rng = grzRng_Make(testSeed(6), 0);
    return makeHulls(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_shapesBesideSamples),
        cmocka_unit_test(test_modelsBesideSamples),
        cmocka_unit_test(test_modelsBesideTriangles),
        cmocka_unit_test(test_ballFallsOntoBox),
        cmocka_unit_test(test_rodTurnsIntoWall),
        cmocka_unit_test(test_bulletThroughPlate),
        cmocka_unit_test(test_startsOverlapping),
        cmocka_unit_test(test_endsCount),
        cmocka_unit_test(test_grazingEnds),
        cmocka_unit_test(test_slidingIsFree),
        cmocka_unit_test(test_workIsBounded),
        cmocka_unit_test(test_needlesThatDeform),
        cmocka_unit_test(test_scalesChangeNothing),
        cmocka_unit_test(test_orderAndTime),
        cmocka_unit_test(test_sameForAllLevelsAndWorkers),
        cmocka_unit_test(test_badInputIsRefused),
        cmocka_unit_test(test_oddBodies),
    };
    return cmocka_run_group_tests(tests, setUp, destroyHulls);
}
