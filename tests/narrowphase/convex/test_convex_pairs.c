// convex_pairs.h: manifolds: nothing near is missed, depths are least, points lie where they say and keep their names.
#include "convex_testing.h"

#include <math.h>

#include "body_ids.h"
#include "convex_clip.h"

static grzManifold collide(const grzConvex* a, grzTransform poseA, const grzConvex* b, grzTransform poseB,
                           float margin) {
    grzManifold manifold;
    assert_int_equal(grzConvex_Collide(a, poseA, b, poseB, margin, &manifold).status, grz_ok);
    return manifold;
}

static double deepest(const grzManifold* manifold) {
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < manifold->pointCount; ++i)
        least = fmin(least, (double)manifold->points[i].separation);
    return least;
}

// What holds of every manifold.
static void assertSound(const grzManifold* manifold, const RefSolid* a, const RefSolid* b, double margin) {
    grzVec3d n = grzVec3d_FromVec3(manifold->normal);
    double gap = refGap(a, b, n) - a->radius - b->radius;
    assert_true(manifold->pointCount <= 4 && fabs(grzVec3d_Length(n) - 1) < 1e-6);
    assert_true(manifold->points[0].separation <= (float)margin + 1e-5f);
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* point = &manifold->points[i];
        assert_true((double)point->separation <= margin + 1e-5 && (double)point->separation >= gap - 1e-6);
        assert_true(point->separation >= manifold->points[0].separation);
        for (uint32_t k = 0; k < i; ++k)
            assert_true(manifold->points[k].featureA != point->featureA ||
                        manifold->points[k].featureB != point->featureB ||
                        manifold->points[k].ordinal != point->ordinal);
    }
}

static double coreSize(const grzConvex* shape) {
    if (shape->kind == grz_capsuleShape)
        return (double)grzDistance(shape->a, shape->b);
    grzConvex core = *shape;
    core.radius = 0;
    grzBox box = grzConvex_Box(&core, grzTransform_Identity());
    return (double)grzDistance(box.lower, box.upper);
}

// The first point is as deep as the shapes are, but for what the header leaves.
static void assertFirstIsDeep(const grzManifold* manifold, const grzConvex* a, const grzConvex* b) {
    double sizeA = coreSize(a), sizeB = coreSize(b);
    double most = 1.01e-3 * fmin(sizeA, sizeB) + 4e-6 * (sizeA + sizeB) + 1e-6 * fabs((double)manifold->separation);
    assert_true((double)manifold->points[0].separation <= (double)manifold->separation + most);
}

// Each point lies within its separation of either shape; a preferred face lets it be off by a little.
static void assertPlaced(const grzManifold* manifold, const grzConvex* shape, grzTransform pose) {
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        grzConvexDistance distance;
        const grzManifoldPoint* point = &manifold->points[i];
        assert_int_equal(grzConvex_ClosestPoint(shape, pose, point->point, &distance).status, grz_ok);
        assert_true((double)distance.lower <= fabs((double)point->separation) + 5e-3);
    }
}

static void manifoldsAreThoseOfBruteForce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 0);
    int near = 0, deep = 0, none = 0, several = 0;
    for (int round = 0; round < 4000; ++round) {
        grzConvex a = anyShape(&rng), b = anyShape(&rng);
        grzTransform poseA = randomPose(&rng, 0.9f), poseB = randomPose(&rng, 0.9f);
        float margin = round % 3 == 0 ? 0 : 0.1f;
        RefSolid solidA, solidB;
        refMake(&a, poseA, &solidA);
        refMake(&b, poseB, &solidB);
        double radii = solidA.radius + solidB.radius, separation = refSeparation(&solidA, &solidB);
        bool isRound = a.kind <= grz_capsuleShape && b.kind <= grz_capsuleShape;
        bool isOverlap = !isRound && separation <= 0;
        double truth = (isOverlap ? separation : refDistance(&solidA, &solidB)) - radii;
        grzManifold found = collide(&a, poseA, &b, poseB, margin);
        if (truth > (double)margin + 1e-5) {
            assert_int_equal(found.pointCount, 0);
            ++none;
            continue;
        }
        if (truth > (double)margin - 1e-5)
            continue;
        assert_true(found.pointCount > 0 && found.certainty == grz_exact);
        assertSound(&found, &solidA, &solidB, (double)margin);
        assertPlaced(&found, &a, poseA);
        assertPlaced(&found, &b, poseB);
        double depth = -(double)found.separation;
        assert_true(fabs(deepest(&found) + depth) < 0.01);
        assertFirstIsDeep(&found, &a, &b);
        assert_true(depth >= -truth - 2e-5 && depth <= -truth + (double)found.depthError + 2e-5);
        assert_true((double)found.depthError < 0.004);
        several += found.pointCount > 1;
        isOverlap ? ++deep : ++near;
    }
    assert_true(near > 300 && deep > 300 && none > 300 && several > 300);
}

static void movingByTheDepthSeparates(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    for (int round = 0; round < 1500; ++round) {
        grzConvex a = anyShape(&rng), b = anyShape(&rng);
        grzTransform poseA = randomPose(&rng, 0.5f), poseB = randomPose(&rng, 0.5f);
        grzManifold found = collide(&a, poseA, &b, poseB, 0);
        if (found.pointCount == 0)
            continue;
        grzVec3 away = grzScale(found.normal, -found.separation + 1e-6f);
        poseB.origin = grzAdd(poseB.origin, away);
        grzConvexDistance distance;
        assert_int_equal(grzConvex_Distance(&a, poseA, &b, poseB, &distance).status, grz_ok);
        assert_true(!distance.isTouching && distance.upper < 0.05f);
    }
}

// Every point of one has its like in the other.
static bool haveSamePoints(const grzManifold* a, const grzManifold* b, bool isSwapped, float tolerance) {
    if (a->pointCount != b->pointCount)
        return false;
    for (uint32_t i = 0; i < a->pointCount; ++i) {
        bool isFound = false;
        for (uint32_t k = 0; k < b->pointCount; ++k) {
            const grzManifoldPoint *p = &a->points[i], *q = &b->points[k];
            grzFeature featureA = isSwapped ? q->featureB : q->featureA;
            grzFeature featureB = isSwapped ? q->featureA : q->featureB;
            isFound |= p->featureA == featureA && p->featureB == featureB && p->ordinal == q->ordinal &&
                       fabsf(p->separation - q->separation) < tolerance &&
                       grzDistance(p->point, q->point) < tolerance;
        }
        if (!isFound)
            return false;
    }
    return true;
}

static void theOrderOfArgumentsDoesNotMatter(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 0);
    int compared = 0, differing = 0, renamed = 0;
    for (int round = 0; round < 2000; ++round) {
        grzConvex a = anyShape(&rng), b = anyShape(&rng);
        grzTransform poseA = randomPose(&rng, 0.7f), poseB = randomPose(&rng, 0.7f);
        grzManifold found = collide(&a, poseA, &b, poseB, 0.05f), swapped = collide(&b, poseB, &a, poseA, 0.05f);
        assert_true((found.pointCount > 0) == (swapped.pointCount > 0));
        if (found.pointCount == 0)
            continue;
        assert_true(fabs(deepest(&found) - deepest(&swapped)) < 3e-3);
        ++compared;
        if (grzLength(grzAdd(found.normal, swapped.normal)) > 1e-4f)
            ++differing; // both faces of one index and as deep
        else
            renamed += !haveSamePoints(&found, &swapped, true, 1e-4f); // on the border of two features
    }
    assert_true(compared > 800 && differing * 200 < compared && renamed * 200 < compared);
}

static void placeAndTurnDoNotMatter(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(4), 0);
    for (int round = 0; round < 1000; ++round) {
        grzConvex a = anyShape(&rng), b = anyShape(&rng);
        grzTransform poseA = randomPose(&rng, 0.6f), poseB = randomPose(&rng, 0.6f);
        for (int k = 0; k < 2; ++k) {
            grzVec3* o = k == 0 ? &poseA.origin : &poseB.origin;
            *o = grzVec3_Make(roundf(o->x * 1024) / 1024, roundf(o->y * 1024) / 1024, roundf(o->z * 1024) / 1024);
        }
        grzManifold found = collide(&a, poseA, &b, poseB, 0.05f);
        grzTransform farA = poseA, farB = poseB;
        farA.origin = grzAdd(poseA.origin, grzVec3_Splat(1024));
        farB.origin = grzAdd(poseB.origin, grzVec3_Splat(1024));
        grzManifold moved = collide(&a, farA, &b, farB, 0.05f);
        assert_int_equal(found.pointCount, moved.pointCount);
        assert_memory_equal(&found.normal, &moved.normal, sizeof found.normal);
        for (uint32_t i = 0; i < found.pointCount; ++i)
            assert_true(found.points[i].separation == moved.points[i].separation &&
                        found.points[i].featureA == moved.points[i].featureA);
        grzTransform turn = randomPose(&rng, 1);
        grzManifold turned =
            collide(&a, grzTransform_Multiply(turn, poseA), &b, grzTransform_Multiply(turn, poseB), 0.05f);
        if (found.pointCount > 0 && turned.pointCount > 0)
            assert_true(fabs(deepest(&found) - deepest(&turned)) < 3e-3);
    }
}

// Twice the area, seen along y.
static double planArea(const ClipPoint* a, const ClipPoint* b, const ClipPoint* c) {
    grzVec3d u = grzVec3d_Sub(b->point, a->point), v = grzVec3d_Sub(c->point, a->point);
    return fabs(u.z * v.x - u.x * v.z);
}

// Of the first three and one more, all on one round: the two triangles on either side of the longest shared line.
static double spanOf(const ClipPoint* points, const ClipPoint* more) {
    double sum = planArea(&points[0], &points[1], more) + planArea(&points[1], &points[2], more) +
                 planArea(&points[2], &points[0], more);
    return (sum + planArea(&points[0], &points[1], &points[2])) / 2;
}

// A stack of two boxes, jiggled: four points, always the same names.
static void aRestingBoxKeepsItsPoints(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(5), 0);
    grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f, 0.5f, 0.5f));
    grzManifold first;
    for (int round = 0; round < 500; ++round) {
        grzTransform poseA = grzTransform_Identity(), poseB = poseA;
        grzVec3 jiggle = randomVector(&rng, 1e-4f);
        poseB.origin = grzAdd(grzVec3_Make(0.1f, 0.998f, -0.05f), jiggle);
        poseB.basis = grzMat3_FromQuat(grzQuat_FromAxisAngle(grzNormalize(randomVector(&rng, 1)), 1e-4f));
        grzManifold found = collide(&box, poseA, &box, poseB, 0.01f);
        assert_int_equal(found.pointCount, 4);
        assert_true(found.normal.y > 0.999f);
        if (round == 0)
            first = found;
        assert_true(haveSamePoints(&first, &found, false, 2e-3f));
    }
}

static grzHull* makeBoxHull(grzVec3 lower, grzVec3 upper) {
    float positions[24];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = (i & 1) != 0 ? upper.x : lower.x;
        positions[3 * i + 1] = (i & 2) != 0 ? upper.y : lower.y;
        positions[3 * i + 2] = (i & 4) != 0 ? upper.z : lower.z;
    }
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions, def.pointCount = 8;
    grzHull* hull;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
    return hull;
}

static bool hasNames(const grzManifold* manifold, const grzManifoldPoint* point) {
    for (uint32_t i = 0; i < manifold->pointCount; ++i)
        if (manifold->points[i].featureA == point->featureA && manifold->points[i].featureB == point->featureB &&
            manifold->points[i].ordinal == point->ordinal)
            return true;
    return false;
}

// A crate flush on one of its size, at a slope, shaken. Of 100 names 99 stay, and all corners carry.
static void aCrateOnAnEqualOneKeepsItsNames(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(7), 0);
    grzHull* hull = makeBoxHull(grzVec3_Splat(-0.5f), grzVec3_Splat(0.5f));
    const grzConvex shapes[2] = {grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), grzMakeHullShape(hull)};
    for (int scene = 0; scene < 4 * 12; ++scene) {
        const grzConvex *a = &shapes[scene & 1], *b = &shapes[scene >> 1 & 1];
        float shake = powf(10, -6 + 3 * (float)(scene / 4) / 11), height = scene % 3 == 0 ? 1.002f : 0.998f;
        grzTransform below = randomPose(&rng, 1);
        grzManifold last = {.pointCount = 0};
        int kept = 0, all = 0;
        for (int round = 0; round < 100; ++round) {
            grzTransform above = below;
            grzQuat turn = grzQuat_FromAxisAngle(grzNormalize(randomVector(&rng, 1)), randomIn(&rng, 0, shake / 2));
            above.basis = grzMat3_Multiply(above.basis, grzMat3_FromQuat(turn));
            grzVec3 jiggle = randomVector(&rng, shake / 2);
            grzVec3 place = grzVec3_Make(jiggle.x, height + 0.5f * jiggle.y, jiggle.z);
            above.origin = grzAdd(below.origin, grzMat3_Apply(below.basis, place));
            grzManifold found = collide(a, below, b, above, 0.02f);
            assert_int_equal(found.pointCount, 4);
            float area = grzLength(grzCross(grzSub(found.points[1].point, found.points[0].point),
                                            grzSub(found.points[3].point, found.points[2].point)));
            assert_true(area > 1.99f); // twice the face, from its diagonals
            assertFirstIsDeep(&found, a, b);
            for (uint32_t i = 0; i < last.pointCount; ++i)
                kept += hasNames(&found, &last.points[i]), ++all;
            last = found;
        }
        assert_true(kept * 100 >= all * 99);
    }
    grzHull_Destroy(hull);
}

// A capsule that ends where the box under it does, shaken.
static void aCapsuleFlushWithABoxKeepsItsNames(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(10), 0);
    grzHull* hull = makeBoxHull(grzVec3_Splat(-0.5f), grzVec3_Splat(0.5f));
    const grzConvex floors[2] = {grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), grzMakeHullShape(hull)};
    grzConvex capsule = grzMakeCapsule(grzVec3_Make(-0.5f, 0, 0), grzVec3_Make(0.5f, 0, 0), 0.25f);
    for (int round = 0; round < 200; ++round) {
        grzTransform below = randomPose(&rng, 1), above = below;
        grzVec3 place = grzVec3_Make(randomIn(&rng, -8e-4f, 8e-4f), 0.74f, randomIn(&rng, -0.3f, 0.3f));
        above.origin = grzAdd(below.origin, grzMat3_Apply(below.basis, place));
        grzManifold found = collide(&floors[round & 1], below, &capsule, above, 0);
        assert_int_equal(found.pointCount, 2);
        for (uint32_t i = 0; i < 2; ++i)
            assert_true(grzFeature_Kind(found.points[i].featureB) == grz_vertexFeature);
    }
    grzHull_Destroy(hull);
}

// The face that is preferred has nothing of the deepest part over it, which lies beside it: then the very best axis counts.
static void aPreferredFaceBesideTheOverlapIsNotTaken(void** state) {
    (void)state;
    static const float corners[12] = {0.216819733f,  -0.0998285413f, 0.36063832f,   0.10236346f,
                                      -0.300191849f, 0.497965366f,   -0.365872592f, 0.454399168f,
                                      -0.435107738f, -0.0443810634f, 0.181959435f,  -0.390954345f};
    grzHullDef def = grzDefaultHullDef();
    def.positions = corners, def.pointCount = 4;
    grzHull* hull;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
    grzConvex shape = grzMakeHullShape(hull);
    grzTransform here = grzTransform_Identity(), pose;
    pose.basis.x = grzVec3_Make(0.452411711f, -0.675840855f, -0.581861496f);
    pose.basis.y = grzVec3_Make(-0.548346698f, 0.303731978f, -0.77914238f);
    pose.basis.z = grzVec3_Make(0.703306139f, 0.671554923f, -0.233183175f);
    pose.origin = grzVec3_Make(0.327566355f, 0.257629603f, -0.155716464f);
    grzManifold found = collide(&shape, here, &shape, pose, 0);
    assert_true(found.pointCount > 0);
    assertPlaced(&found, &shape, here);
    assertPlaced(&found, &shape, pose);
    grzHull_Destroy(hull);
}

// Crates that touch by faces of one index, a short capsule beside a long one: the same points in either order.
static void equalFacesDoNotSeeTheOrder(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(11), 0);
    grzHull* hull = makeBoxHull(grzVec3_Splat(-0.5f), grzVec3_Splat(0.5f));
    const grzConvex shapes[2] = {grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), grzMakeHullShape(hull)};
    for (int round = 0; round < 600; ++round) {
        const grzConvex* crate = &shapes[round & 1];
        grzTransform below = randomPose(&rng, 1), above = below;
        grzVec3 place =
            grzVec3_Make(randomIn(&rng, -0.9f, 0.9f), round % 4 < 2 ? 0.99f : 1.01f, randomIn(&rng, -0.9f, 0.9f));
        grzVec3 tilt = grzVec3_Make(randomIn(&rng, -1e-4f, 1e-4f), 0, randomIn(&rng, -1e-4f, 1e-4f));
        grzMat3 over = grzMat3_Multiply(grzMat3_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), 3.14159265f)),
                                        grzMat3_FromQuat(grzQuat_Normalize(grzQuat_Make(tilt.x, 0, tilt.z, 1))));
        above.basis = grzMat3_Multiply(below.basis, over);
        above.origin = grzAdd(below.origin, grzMat3_Apply(below.basis, place));
        grzManifold found = collide(crate, below, crate, above, 0.02f);
        grzManifold swapped = collide(crate, above, crate, below, 0.02f);
        assert_true(found.pointCount >= 3 && haveSamePoints(&found, &swapped, true, 1e-5f));
    }
    grzHull_Destroy(hull);
    grzConvex small = grzMakeCapsule(grzVec3_Make(-0.5f, 0, 0), grzVec3_Make(0.5f, 0, 0), 1);
    grzConvex large = grzMakeCapsule(grzVec3_Make(-1e6f, 0, 0), grzVec3_Make(1e6f, 0, 0), 1);
    grzTransform here = grzTransform_Identity(), above = here;
    above.origin.y = 1.5f;
    assert_int_equal(collide(&small, here, &large, above, 0).pointCount, 2);
    assert_int_equal(collide(&large, here, &small, above, 0).pointCount, 2);
}

// A lens of many nearly flat faces under a capsule or a box: the face that is met may not be the one that is deepest.
static void theFirstPointIsTheDeepestOnADome(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(8), 0);
    for (int dome = 0; dome < 4; ++dome) {
        float positions[3 * 124];
        const float radius = 20 * powf(2, (float)dome);
        for (int i = 0; i < 124; ++i) {
            float r = sqrtf(((float)i + 0.5f) / 120), angle = (float)i * 2.399963f;
            grzVec3 p = grzVec3_Make(r * cosf(angle), r * sinf(angle), -r * r / (2 * radius));
            if (i >= 120)
                p = grzVec3_Make((i & 1) != 0 ? 0.7f : -0.7f, (i & 2) != 0 ? 0.7f : -0.7f, -1);
            grzVec3_Store(positions + 3 * i, p);
        }
        grzHullDef def = grzDefaultHullDef();
        def.positions = positions, def.pointCount = 124, def.vertexLimit = 128;
        grzHull* hull;
        assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
        grzConvex lens = grzMakeHullShape(hull);
        grzConvex others[2] = {grzMakeCapsule(grzVec3_Make(-0.3f, 0, 0), grzVec3_Make(0.3f, 0, 0), 0.1f),
                               grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.15f, 0.15f, 0.1f))};
        for (int round = 0; round < 1000; ++round) {
            grzTransform pose = grzTransform_Identity();
            pose.basis = grzMat3_FromQuat(
                grzQuat_Normalize(grzQuat_Make(0, randomIn(&rng, -0.01f, 0.01f), randomIn(&rng, -1, 1), 1)));
            pose.origin = randomVector(&rng, 0.5f);
            pose.origin.z = 0.1f + 0.005f * pose.origin.z;
            grzManifold found = collide(&lens, grzTransform_Identity(), &others[round & 1], pose, 0.02f);
            if (found.pointCount > 0)
                assertFirstIsDeep(&found, &lens, &others[round & 1]);
        }
        grzHull_Destroy(hull);
    }
}

// As near as the margin, as exactly as numbers can say: they may be farther apart by rounding, and that is told.
static void whatRoundingCannotTellIsConservative(void** state) {
    (void)state;
    grzHull* hull = makeBoxHull(grzVec3_Splat(-0.5f), grzVec3_Splat(0.5f));
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f), box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    const grzConvex shapes[3] = {ball, box, grzMakeHullShape(hull)};
    for (int i = 0; i < 9; ++i) {
        grzTransform here = grzTransform_Identity(), above = here;
        above.origin = grzVec3_Make(0, 1.25f, 0);
        grzManifold found = collide(&shapes[i / 3], here, &shapes[i % 3], above, 0.25f);
        assert_true(found.pointCount > 0 && found.certainty == grz_conservative && found.measure > 0.25f);
        found = collide(&shapes[i / 3], here, &shapes[i % 3], above, 0.26f);
        assert_true(found.pointCount > 0 && found.certainty == grz_exact && found.measure == 0);
        grzContact contacts[4];
        uint32_t count = grzManifold_ToContacts(&found, idOfNumber(1), idOfNumber(2), contacts);
        for (uint32_t k = 0; k < count; ++k)
            assert_true(contacts[k].toi == 1 && contacts[k].certainty == grz_exact &&
                        contacts[k].triangleA == GRZ_NO_TRIANGLE && contacts[k].triangleB == GRZ_NO_TRIANGLE);
    }
    grzHull_Destroy(hull);
}

// Of many points on a round: the third spans most with the first two, the fourth adds most, and no other pair does better.
static void fourPointsSpanAsMuchAsTheyCan(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(9), 0);
    for (int round = 0; round < 500; ++round) {
        ClipPoint points[12], all[12];
        uint32_t count = 5 + grzRng_Below(&rng, 8);
        float angle = randomIn(&rng, 0, 6);
        for (uint32_t i = 0; i < count; ++i) {
            angle += randomIn(&rng, 0.1f, 0.5f);
            points[i] = (ClipPoint){.height = (double)randomIn(&rng, -1, 0)};
            points[i].point =
                grzVec3d_Make((double)(2 * cosf(angle)), (double)randomIn(&rng, -0.1f, 0.1f), (double)sinf(angle));
        }
        memcpy(all, points, sizeof all);
        assert_int_equal(grzReducePoints(points, count, grzVec3d_Make(0, 1, 0)), 4);
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(all[i].height >= points[0].height);
            assert_true(planArea(&points[0], &points[1], &all[i]) <=
                        planArea(&points[0], &points[1], &points[2]) + 1e-12);
            assert_true(spanOf(points, &all[i]) <= spanOf(points, &points[3]) + 1e-12);
        }
    }
}

static void aSphereOnAFaceAndACapsuleOnItsSide(void** state) {
    (void)state;
    grzTransform here = grzTransform_Identity(), above = here;
    grzConvex floor = grzMakeBox(grzVec3_Zero(), grzVec3_Make(5, 1, 5));
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    grzConvex capsule = grzMakeCapsule(grzVec3_Make(-1, 0, 0), grzVec3_Make(1, 0, 0), 0.5f);
    above.origin = grzVec3_Make(0, 1.4f, 0);
    grzManifold found = collide(&floor, here, &ball, above, 0);
    assert_true(found.pointCount == 1 && fabsf(found.points[0].separation + 0.1f) < 1e-6f);
    assert_true(found.points[0].featureA == grzMakeFeature(grz_faceFeature, 3) &&
                found.points[0].featureB == grzMakeFeature(grz_bodyFeature, 0));
    assert_true(grzDistance(found.points[0].point, grzVec3_Make(0, 0.95f, 0)) < 1e-6f);
    found = collide(&floor, here, &capsule, above, 0);
    assert_true(found.pointCount == 2 && fabsf(found.points[1].separation + 0.1f) < 1e-6f);
    assert_true(grzFeature_Kind(found.points[0].featureB) == grz_vertexFeature);
    grzTransform aside = grzTransform_Identity();
    aside.origin = grzVec3_Make(0.5f, 0.9f, 0);
    found = collide(&capsule, here, &capsule, aside, 0);
    assert_true(found.pointCount == 2 && fabsf(found.normal.y - 1) < 1e-6f);
    assert_true(fabsf(grzDistance(found.points[0].point, found.points[1].point) - 1.5f) < 1e-5f);
}

static void shapesAtOnePlaceHaveADepth(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(6), 0);
    grzConvex shapes[6] = {grzMakeSphere(grzVec3_Zero(), 0.5f),
                           grzMakeSphere(grzVec3_Zero(), 0),
                           grzMakeCapsule(grzVec3_Make(-1, 0, 0), grzVec3_Make(1, 0, 0), 0.5f),
                           grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1)),
                           grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0, 1)),
                           grzMakeHullShape(g_hulls[5])};
    for (int i = 0; i < 36; ++i) {
        grzTransform pose = i % 2 == 0 ? grzTransform_Identity() : randomPose(&rng, 10);
        grzManifold found = collide(&shapes[i / 6], pose, &shapes[i % 6], pose, 0);
        assert_true(found.pointCount > 0 && fabsf(grzLength(found.normal) - 1) < 1e-5f);
        assert_true(deepest(&found) <= 1e-6);
    }
}

static void contactsComeSortedWithTheirBodiesInOrder(void** state) {
    (void)state;
    grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1));
    grzTransform here = grzTransform_Identity(), above = here;
    above.origin = grzVec3_Make(0.3f, 1.99f, 0.2f);
    grzManifold found = collide(&box, here, &box, above, 0.1f);
    grzContact contacts[4], swapped[4];
    assert_int_equal(grzManifold_ToContacts(&found, idOfNumber(7), idOfNumber(9), contacts), 4);
    assert_int_equal(grzManifold_ToContacts(&found, idOfNumber(9), idOfNumber(7), swapped), 4);
    for (int i = 0; i < 4; ++i) {
        assert_true(grzBodyId_IsSame(contacts[i].bodyA, idOfNumber(7)));
        assert_true(grzBodyId_IsSame(contacts[i].bodyB, idOfNumber(9)));
        assert_true(grzBodyId_IsSame(swapped[i].bodyA, idOfNumber(7)));
        assert_true(contacts[i].normal.y == -swapped[i].normal.y && contacts[i].toi == 0);
        if (i > 0)
            assert_true(grzContact_KeyWord(&contacts[i - 1], 2) < grzContact_KeyWord(&contacts[i], 2) &&
                        grzContact_KeyWord(&swapped[i - 1], 2) < grzContact_KeyWord(&swapped[i], 2));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifoldsAreThoseOfBruteForce),
        cmocka_unit_test(movingByTheDepthSeparates),
        cmocka_unit_test(theOrderOfArgumentsDoesNotMatter),
        cmocka_unit_test(placeAndTurnDoNotMatter),
        cmocka_unit_test(aRestingBoxKeepsItsPoints),
        cmocka_unit_test(aCrateOnAnEqualOneKeepsItsNames),
        cmocka_unit_test(aCapsuleFlushWithABoxKeepsItsNames),
        cmocka_unit_test(aPreferredFaceBesideTheOverlapIsNotTaken),
        cmocka_unit_test(equalFacesDoNotSeeTheOrder),
        cmocka_unit_test(theFirstPointIsTheDeepestOnADome),
        cmocka_unit_test(whatRoundingCannotTellIsConservative),
        cmocka_unit_test(fourPointsSpanAsMuchAsTheyCan),
        cmocka_unit_test(aSphereOnAFaceAndACapsuleOnItsSide),
        cmocka_unit_test(shapesAtOnePlaceHaveADepth),
        cmocka_unit_test(contactsComeSortedWithTheirBodiesInOrder),
    };
    return cmocka_run_group_tests_name("convex_pairs", tests, makeHulls, destroyHulls);
}
