// convex_pairs.h: manifolds: nothing near is missed, depths are least, points lie where they say and keep their names.
#include "convex_testing.h"

#include <math.h>

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
    assert_int_equal(grzManifold_ToContacts(&found, 7, 9, contacts), 4);
    assert_int_equal(grzManifold_ToContacts(&found, 9, 7, swapped), 4);
    for (int i = 0; i < 4; ++i) {
        assert_true(contacts[i].bodyA == 7 && contacts[i].bodyB == 9 && swapped[i].bodyA == 7);
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
        cmocka_unit_test(aSphereOnAFaceAndACapsuleOnItsSide),
        cmocka_unit_test(shapesAtOnePlaceHaveADepth),
        cmocka_unit_test(contactsComeSortedWithTheirBodiesInOrder),
    };
    return cmocka_run_group_tests_name("convex_pairs", tests, makeHulls, destroyHulls);
}
