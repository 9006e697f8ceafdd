// convex.h and convex_pairs.h where rounding decides: what cannot be told is said to be so, and nothing is made up.
#include "convex_testing.h"

#include <math.h>

static grzManifold collide(const grzConvex* a, grzTransform poseA, const grzConvex* b, grzTransform poseB,
                           float margin) {
    grzManifold manifold;
    assert_int_equal(grzConvex_Collide(a, poseA, b, poseB, margin, &manifold).status, grz_ok);
    return manifold;
}

static grzConvexDistance distanceOf(const grzConvex* a, grzTransform poseA, const grzConvex* b,
                                    grzTransform poseB) {
    grzConvexDistance distance;
    assert_int_equal(grzConvex_Distance(a, poseA, b, poseB, &distance).status, grz_ok);
    return distance;
}

static grzHull* boxHull(grzVec3 middle, grzVec3 half) {
    float positions[24];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = middle.x + ((i & 1) != 0 ? half.x : -half.x);
        positions[3 * i + 1] = middle.y + ((i & 2) != 0 ? half.y : -half.y);
        positions[3 * i + 2] = middle.z + ((i & 4) != 0 ? half.z : -half.z);
    }
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions, def.pointCount = 8;
    grzHull* hull;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
    return hull;
}

// Apart by a sixteenth of what the arithmetic may be off: no double tells that they are.
static void gapsBelowTheErrorAreConservative(void** state) {
    (void)state;
    const grzVec3 up = grzVec3_Make(0, 1, 0), half = grzVec3_Splat(0.5f), side = grzVec3_Make(0.25f, 0, 0);
    const grzConvex lower[3] = {grzMakeSphere(grzVec3_Zero(), 0.5f), grzMakeCapsule(grzNeg(side), side, 0.5f),
                                grzMakeBox(grzVec3_Zero(), half)};
    const grzConvex upper[3] = {grzMakeSphere(up, 0.5f), grzMakeCapsule(grzSub(up, side), grzAdd(up, side), 0.5f),
                                grzMakeBox(up, half)};
    grzTransform here = grzTransform_Identity(), above = here;
    for (int i = 0; i < 9; ++i) {
        above.origin.y = 0x1p-50f;
        grzConvexDistance found = distanceOf(&lower[i / 3], here, &upper[i % 3], above);
        assert_true(found.isTouching && found.certainty == grz_conservative && found.lower == 0);
        above.origin.y = 0x1p-40f;
        found = distanceOf(&lower[i / 3], here, &upper[i % 3], above);
        assert_true(!found.isTouching && found.certainty == grz_exact && found.lower > 0);
    }
    // A triangle's own coordinates are the larger ones.
    grzMeshTriangle triangle;
    memset(&triangle, 0, sizeof triangle);
    triangle.vertices[0] = grzVec3_Make(0, 0, 1000), triangle.vertices[1] = grzVec3_Make(900, 0, -700);
    triangle.vertices[2] = grzVec3_Make(-900, 0, -700);
    grzConvexDistance found;
    grzConvex ball = grzMakeSphere(grzMul(up, half), 0.5f);
    above.origin.y = 0x1p-40f;
    assert_int_equal(grzConvex_TriangleDistance(&ball, above, &triangle, &found).status, grz_ok);
    assert_true(found.isTouching && found.certainty == grz_conservative);
}

// Into each other by less than the error, at many places: never certain.
static void overlapsBelowTheErrorAreConservative(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 0);
    int conservative = 0;
    for (int round = 0; round < 300; ++round) {
        grzVec3 half = grzAdd(grzVec3_Splat(0.5f), grzAbs(randomVector(&rng, 0.5f)));
        grzVec3 place = grzVec3_Make(randomIn(&rng, -0.5f, 0.5f), 1.5f, randomIn(&rng, -0.5f, 0.5f));
        half.y = 0.75f;
        grzHull *lower = boxHull(grzVec3_Zero(), half), *upper = boxHull(place, grzVec3_Splat(0.75f));
        grzConvex a = grzMakeHullShape(lower), b = grzMakeHullShape(upper);
        grzTransform here = grzTransform_Identity(), above = here;
        above.origin.y = -0x1p-46f * randomIn(&rng, 0.01f, 2); // the error is 2^-46 of more than 4
        grzConvexDistance found = distanceOf(&a, here, &b, above);
        assert_true(found.isTouching && found.certainty == grz_conservative);
        above.origin.y = -1e-6f;
        conservative += distanceOf(&a, here, &b, above).certainty == grz_conservative;
        grzHull_Destroy(lower);
        grzHull_Destroy(upper);
    }
    assert_true(conservative < 30);
}

// Flat shapes in one plane, turned anyhow: all tetrahedra of GJK are slivers, and none of them may hold the origin.
static void flatShapesInOnePlaneDoNotOverlapByRounding(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    for (int round = 0; round < 4000; ++round) {
        grzTransform pose = randomPose(&rng, 1), beside = pose;
        float gap = powf(10, randomIn(&rng, -5, 0)), angle = randomIn(&rng, 0, 6.28f);
        grzQuat turn = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), angle);
        grzConvex a = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.7f, 0.4f, 0));
        grzConvex b = round % 2 == 0 ? grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.3f, 0.9f, 0))
                                     : grzMakeCapsule(grzVec3_Zero(), grzVec3_Make(0.5f, 0.2f, 0), 0);
        beside.basis = grzMat3_Multiply(pose.basis, grzMat3_FromQuat(turn));
        grzBox box = grzConvex_Box(&b, grzTransform_FromQuat(turn, grzVec3_Zero()));
        grzVec3 shift = grzVec3_Make(0.7f + gap - box.lower.x, randomIn(&rng, -0.2f, 0.2f), 0);
        beside.origin = grzAdd(pose.origin, grzMat3_Apply(pose.basis, shift));
        grzConvexDistance found = distanceOf(&a, pose, &b, beside);
        assert_true(!found.isTouching && found.lower > gap - 4e-6f);
    }
}

// A corner a few ten-millionths of the sizes or less over a face: the normal is the face's, though the difference of the
// closest points has few digits left.
static void theNormalOfATinyGapIsTheFaces(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 0);
    for (int round = 0; round < 300; ++round) {
        grzHull* lower = boxHull(grzVec3_Zero(), grzVec3_Make(1, 0.5f, 1));
        const float corners[12] = {0.1f, 0.5f, 0.1f, -0.4f, 1.2f, 0, 0.6f, 1.3f, 0.4f, 0.2f, 1.4f, -0.5f};
        grzHullDef def = grzDefaultHullDef();
        def.positions = corners, def.pointCount = 4;
        grzHull* upper;
        assert_int_equal(grzHull_Create(&def, &upper).status, grz_ok);
        grzConvex a = grzMakeHullShape(lower), b = grzMakeHullShape(upper);
        grzTransform pose = grzTransform_FromQuat(randomTurn(&rng), grzVec3_Zero()), above = pose;
        grzQuat turn = grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), randomIn(&rng, -1, 1));
        above.basis = grzMat3_Multiply(pose.basis, grzMat3_FromQuat(turn));
        float touching = -1e-6f, apart = 1e-6f;
        for (int step = 0; step < 40; ++step) {
            float middle = (touching + apart) / 2;
            above.origin = grzScale(pose.basis.y, middle);
            *(distanceOf(&a, pose, &b, above).isTouching ? &touching : &apart) = middle;
        }
        float gap = apart + (round % 4 == 0 ? 0 : powf(10, randomIn(&rng, -14, -8)));
        above.origin = grzScale(pose.basis.y, gap);
        grzManifold found = collide(&a, pose, &b, above, 0.01f);
        assert_true(found.pointCount == 1 && grzDistance(found.normal, pose.basis.y) < 1e-5f);
        assert_true(found.points[0].featureB == grzMakeFeature(grz_vertexFeature, 0));
        grzHull_Destroy(lower);
        grzHull_Destroy(upper);
    }
}

// Side by side at a hair's breadth, and one above the other by less than the preference: apart, whatever face is taken.
static void boxesApartAreNotCertainToTouch(void** state) {
    (void)state;
    grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    int told = 0;
    for (int axis = 0; axis < 9; ++axis)
        for (float gap = 1e-7f; gap < 1e-5f; gap *= 1.5f) {
            if (axis / 3 == axis % 3)
                continue;
            float place[3] = {0.1f, 0.1f, 0.1f};
            place[axis / 3] = 1 + gap, place[axis % 3] = 0.9995f;
            grzTransform here = grzTransform_Identity(), beside = here;
            beside.origin = grzVec3_Make(place[0], place[1], place[2]);
            grzManifold found = collide(&box, here, &box, beside, 0);
            assert_true(found.pointCount == 0 || found.certainty == grz_conservative);
            told += found.pointCount > 0;
        }
    assert_true(told > 0);
}

// Bases that are off by nearly as much as is allowed: the depth is the least one nevertheless, but for what is told.
static void looseBasesHideNoBetterAxis(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(4), 0);
    int deep = 0;
    for (int round = 0; round < 3000; ++round) {
        grzConvex a = grzMakeHullShape(g_hulls[grzRng_Below(&rng, 4)]);
        grzConvex b = grzMakeHullShape(g_hulls[grzRng_Below(&rng, 4)]);
        grzTransform poses[2] = {randomPose(&rng, 0.4f), randomPose(&rng, 0.4f)};
        for (int k = 0; k < 2; ++k) {
            grzVec3* columns = &poses[k].basis.x;
            columns[0] = grzAddScaled(columns[0], randomIn(&rng, -4.5e-5f, 4.5e-5f), columns[1]);
            columns[1] = grzAddScaled(columns[1], randomIn(&rng, -4.5e-5f, 4.5e-5f), columns[2]);
            columns[2] = grzScale(columns[2], 1 + randomIn(&rng, -4e-5f, 4e-5f));
        }
        RefSolid solidA, solidB;
        refMake(&a, poses[0], &solidA);
        refMake(&b, poses[1], &solidB);
        double truth = refSeparation(&solidA, &solidB);
        grzManifold found = collide(&a, poses[0], &b, poses[1], 0);
        if (truth >= 0)
            continue;
        ++deep;
        assert_true(found.pointCount > 0);
        assert_true((double)found.separation + (double)found.depthError >= truth - 1e-6);
    }
    assert_true(deep > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gapsBelowTheErrorAreConservative),
        cmocka_unit_test(overlapsBelowTheErrorAreConservative),
        cmocka_unit_test(flatShapesInOnePlaneDoNotOverlapByRounding),
        cmocka_unit_test(theNormalOfATinyGapIsTheFaces),
        cmocka_unit_test(boxesApartAreNotCertainToTouch),
        cmocka_unit_test(looseBasesHideNoBetterAxis),
    };
    return cmocka_run_group_tests_name("convex_rounding", tests, makeHulls, destroyHulls);
}
