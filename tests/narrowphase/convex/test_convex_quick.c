// convex_quick.h and convex_many.c: the short ways against the general one, and many pairs against single ones.
#include "convex_testing.h"

#include <math.h>

#include "convex_contact.h"
#include "convex_quick.h"
#include "simd_dispatch.h"

// How the pairs of a scene lie to each other.
typedef enum Placing { placedAnyhow, placedAligned, placedNearlyAligned, placedFar, placingCount } Placing;

static float anySize(grzRng* rng, bool isDegenerate) {
    return isDegenerate && grzRng_Below(rng, 4) == 0 ? 0 : randomIn(rng, 0.2f, 1);
}

// Not a hull. A degenerate one may be flat, a line or a point.
static grzConvex simpleShape(grzRng* rng, bool isDegenerate, float scale, float offset) {
    grzVec3 middle = randomVector(rng, offset);
    float x = anySize(rng, isDegenerate), y = anySize(rng, isDegenerate), z = anySize(rng, isDegenerate);
    switch (grzRng_Below(rng, 3)) {
    case 0:
        return grzMakeSphere(middle, x * scale);
    case 1:
        return grzMakeCapsule(middle, grzAdd(middle, grzScale(grzVec3_Make(0, y, 0), scale)), x * scale);
    default:
        return grzMakeBox(middle, grzScale(grzVec3_Make(x, y, z), scale));
    }
}

static grzTransform placeAgainst(grzRng* rng, grzTransform pose, Placing placing, float scale) {
    grzTransform placed = randomPose(rng, 1.5f * scale);
    if (placing == placedAligned || placing == placedNearlyAligned) {
        placed.basis = pose.basis;
        float tilt = placing == placedNearlyAligned ? 1e-6f * powf(10, randomIn(rng, 0, 4)) : 0;
        grzVec3 axis = grzNormalize(randomVector(rng, 1));
        placed.basis = grzMat3_Multiply(grzMat3_FromQuat(grzQuat_FromAxisAngle(axis, tilt)), placed.basis);
    }
    placed.origin = grzAdd(pose.origin, placed.origin);
    return placed;
}

// Along the line of their origins, until they are about `gap` apart.
static void bringNear(const grzConvex* a, grzTransform poseA, const grzConvex* b, grzTransform* poseB, float gap) {
    grzConvexDistance distance;
    for (int step = 0; step < 20; ++step) {
        assert_int_equal(grzConvex_Distance(a, poseA, b, *poseB, &distance).status, grz_ok);
        if (distance.isTouching)
            break;
        poseB->origin = grzAddScaled(poseB->origin, -(distance.upper - gap), distance.normal);
    }
}

typedef struct Tally {
    int pairs, answered, hits, unlikePoints, unlikeNormals, unlikeHits;
} Tally;

static void compare(const grzManifold* quick, const grzManifold* general, const grzConvexDistance* distance,
                    float margin, float tolerance, Tally* tally) {
    bool isHit = quick->pointCount > 0;
    tally->hits += isHit;
    if (isHit != (general->pointCount > 0)) { // only at the margin itself
        assert_true(distance->lower <= margin + tolerance && distance->upper >= margin - tolerance);
        ++tally->unlikeHits;
        return;
    }
    if (!isHit)
        return;
    // Along either normal the shapes are as far apart as is said, so that neither may stay behind the other by more
    // than its own error.
    assert_true(quick->separation >= general->separation - quick->depthError - tolerance);
    assert_true(general->separation >= quick->separation - general->depthError - tolerance);
    assert_true(quick->separation <= distance->upper + tolerance);
    assert_true(quick->points[0].separation <= quick->separation + 200 * tolerance);
    if (grzLength(grzSub(quick->normal, general->normal)) > 1e-4f) {
        ++tally->unlikeNormals;
        return;
    }
    bool isSame = quick->pointCount == general->pointCount;
    for (uint32_t i = 0; i < quick->pointCount; ++i)
        isSame &= hasPoint(general, &quick->points[i], 50 * tolerance);
    tally->unlikePoints += !isSame;
}

static bool collideBoth(const grzConvex* a, const grzTransform* poseA, const grzConvex* b,
                        const grzTransform* poseB, float margin, grzManifold* quick, grzManifold* general) {
    QuickPair pair = {a, b, poseA, poseB, margin, 0};
    memset(quick, 0xAA, sizeof *quick);
    if (!grzQuick_Collide(&pair, quick))
        return false;
    grzCollideGeneral(a, *poseA, b, *poseB, margin, general);
    return true;
}

static Tally runScene(uint64_t seed, Placing placing, bool isDegenerate, float scale, float offset, float far) {
    grzRng rng = grzRng_Make(seed, 0);
    Tally tally = {0};
    for (int round = 0; round < 6000; ++round) {
        grzConvex a = simpleShape(&rng, isDegenerate, scale, offset);
        grzConvex b = simpleShape(&rng, isDegenerate, scale, offset);
        grzTransform poseA = randomPose(&rng, far), poseB = placeAgainst(&rng, poseA, placing, scale);
        float gap = grzRng_Below(&rng, 3) == 0 ? 0 : randomIn(&rng, -0.02f, 0.04f) * scale;
        if (placing != placedFar)
            bringNear(&a, poseA, &b, &poseB, gap);
        grzManifold quick, general;
        float margin = round % 2 == 0 ? 0 : 0.02f * scale;
        ++tally.pairs;
        if (!collideBoth(&a, &poseA, &b, &poseB, margin, &quick, &general))
            continue;
        ++tally.answered;
        grzConvexDistance distance;
        assert_int_equal(grzConvex_Distance(&a, poseA, &b, poseB, &distance).status, grz_ok);
        compare(&quick, &general, &distance, margin, 2e-5f * scale + 1e-6f * (offset + far), &tally);
    }
    print_message("[          ] answered %d of %d, hits %d, other normals %d, points %d, hits %d\n", tally.answered,
                  tally.pairs, tally.hits, tally.unlikeNormals, tally.unlikePoints, tally.unlikeHits);
    return tally;
}

static void shortWaysAnswerAsTheGeneralOne(void** state) {
    (void)state;
    for (int placing = 0; placing < placingCount; ++placing)
        for (int isDegenerate = 0; isDegenerate < 2; ++isDegenerate) {
            uint64_t seed = testSeed((uint64_t)(2 * placing + isDegenerate));
            Tally tally = runScene(seed, (Placing)placing, isDegenerate != 0, 1, 0, 1);
            assert_true(tally.answered * 10 > tally.pairs * 9 && tally.hits * 5 > tally.pairs);
            assert_true(tally.unlikeNormals * 50 < tally.hits && tally.unlikePoints * 12 < tally.hits &&
                        tally.unlikeHits * 100 < tally.hits);
        }
}

static void sizeAndPlaceDoNotMatter(void** state) {
    (void)state;
    static const float scales[] = {1e-6f, 1e-3f, 1e3f, 1e6f};
    for (int i = 0; i < 4; ++i) {
        Tally tally =
            runScene(testSeed((uint64_t)(20 + i)), placedNearlyAligned, i % 2 == 0, scales[i], 0, scales[i]);
        assert_true(tally.answered * 10 > tally.pairs * 9 && tally.unlikeNormals * 50 < tally.hits);
    }
    Tally tally = runScene(testSeed(30), placedAnyhow, false, 1, 100, 1);
    assert_true(tally.answered * 10 > tally.pairs * 9 && tally.unlikePoints * 20 < tally.hits);
    tally = runScene(testSeed(31), placedAligned, false, 1, 0, 1e6f);
    assert_true(tally.answered * 10 > tally.pairs * 7);
}

// What the short ways leave out is proved or told: no gap may be reported that is none, nor a hit that is none.
static void nothingIsMissedAndNothingMadeUp(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(40), 0);
    int hits = 0, exact = 0;
    for (int round = 0; round < 6000; ++round) {
        grzConvex a = simpleShape(&rng, round % 4 == 0, 1, 0), b = simpleShape(&rng, round % 4 == 1, 1, 0);
        grzTransform poseA = randomPose(&rng, 1);
        grzTransform poseB = placeAgainst(&rng, poseA, (Placing)grzRng_Below(&rng, 3), 1);
        float margin = randomIn(&rng, 0, 0.05f);
        bringNear(&a, poseA, &b, &poseB, margin + randomIn(&rng, -1e-5f, 1e-5f));
        grzConvexDistance distance;
        grzManifold found;
        assert_int_equal(grzConvex_Distance(&a, poseA, &b, poseB, &distance).status, grz_ok);
        assert_int_equal(grzConvex_Collide(&a, poseA, &b, poseB, margin, &found).status, grz_ok);
        if (found.pointCount == 0) {
            assert_true(distance.upper > margin);
            continue;
        }
        assert_true(distance.lower <= (found.certainty == grz_exact ? margin : found.measure));
        ++hits;
        exact += found.certainty == grz_exact;
    }
    assert_true(hits > 2000 && exact > 1000);
}

// A box on another, larger or of one size, a little above or below, tilted a little: the same four names every time.
static void aRestingBoxKeepsItsNames(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(50), 0);
    for (int scene = 0; scene < 60; ++scene) {
        bool isSwapped = scene % 2 == 0;
        grzConvex floor = grzMakeBox(grzVec3_Zero(), grzVec3_Make(scene % 3 == 0 ? 0.6f : 20, 0.5f, 20));
        grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.6f, 0.5f, 0.4f));
        grzVec3 place = grzVec3_Make(randomIn(&rng, 0.05f, 0.5f), 1, randomIn(&rng, -3, 3));
        grzFeature names[4] = {0};
        for (int round = 0; round < 100; ++round) {
            grzTransform here = grzTransform_Identity(), above = here;
            grzVec3 axis = grzNormalize(randomVector(&rng, 1));
            above.basis = grzMat3_FromQuat(grzQuat_FromAxisAngle(axis, randomIn(&rng, -1e-4f, 1e-4f)));
            above.origin = grzAdd(place, randomVector(&rng, 2e-4f));
            grzManifold found;
            grzResult result = isSwapped ? grzConvex_Collide(&box, above, &floor, here, 0.01f, &found)
                                         : grzConvex_Collide(&floor, here, &box, above, 0.01f, &found);
            assert_int_equal(result.status, grz_ok);
            assert_true(found.pointCount == 4 && fabsf(found.normal.y) > 0.9999f);
            for (uint32_t i = 0; i < 4; ++i) {
                grzFeature name = found.points[i].featureA ^ found.points[i].featureB << 8;
                bool isKnown = false;
                for (uint32_t k = 0; k < 4 && round > 0; ++k)
                    isKnown |= names[k] == name;
                assert_true(isKnown || round == 0);
                if (round == 0)
                    names[i] = name;
            }
        }
    }
}

// A basis that is off by more than rounding, but allowed, goes the general way and finds the same.
static void looseBasesAreNoWorse(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(60), 0);
    for (int round = 0; round < 1000; ++round) {
        grzConvex a = simpleShape(&rng, false, 1, 0), b = simpleShape(&rng, false, 1, 0);
        grzTransform poseA = randomPose(&rng, 1), poseB = placeAgainst(&rng, poseA, placedAnyhow, 1), loose = poseA;
        bringNear(&a, poseA, &b, &poseB, 0.01f);
        loose.basis.x = grzAddScaled(loose.basis.x, 3e-5f, loose.basis.y);
        grzManifold found, other;
        assert_int_equal(grzConvex_Collide(&a, poseA, &b, poseB, 0.05f, &found).status, grz_ok);
        assert_int_equal(grzConvex_Collide(&a, loose, &b, poseB, 0.05f, &other).status, grz_ok);
        assert_true(found.pointCount > 0 && other.pointCount > 0);
        assert_true(fabsf(found.separation - other.separation) < 5e-3f);
    }
}

// ---------------------------------------------------------------------------------------------------- many pairs

enum { manyBodies = 300, manyPairs = 2000 };

typedef struct Many {
    grzPosedConvex bodies[manyBodies];
    grzBodyPair pairs[manyPairs];
    float margins[manyPairs];
    grzManifold manifolds[manyPairs], expected[manyPairs];
} Many;

static grzConvexBatch makeMany(Many* many) {
    grzRng rng = grzRng_Make(testSeed(70), 0);
    memset(many->manifolds, 0xAA, sizeof many->manifolds);
    for (int i = 0; i < manyBodies; ++i) {
        grzConvex shape = anyShape(&rng);
        grzTransform pose = randomPose(&rng, 2);
        if (i % 7 == 0)
            pose.basis.x = grzScale(pose.basis.x, 1 + 2e-5f);
        assert_int_equal(grzConvex_Pose(&shape, pose, &many->bodies[i]).status, grz_ok);
    }
    for (int i = 0; i < manyPairs; ++i) {
        static const float margins[] = {0, 0.01f, 0.05f, 0.5f, 3, 100};
        many->pairs[i] = (grzBodyPair){grzRng_Below(&rng, manyBodies), grzRng_Below(&rng, manyBodies)};
        many->margins[i] = margins[grzRng_Below(&rng, 6)];
    }
    return (grzConvexBatch){.bodies = many->bodies,
                            .pairs = many->pairs,
                            .manifolds = many->manifolds,
                            .bodyCount = manyBodies,
                            .pairCount = manyPairs,
                            .margins = many->margins};
}

static void collideSingly(Many* many) {
    memset(many->expected, 0x55, sizeof many->expected);
    for (int i = 0; i < manyPairs; ++i) {
        const grzPosedConvex *a = &many->bodies[many->pairs[i].a], *b = &many->bodies[many->pairs[i].b];
        grzResult result =
            grzConvex_Collide(&a->shape, a->pose, &b->shape, b->pose, many->margins[i], &many->expected[i]);
        assert_int_equal(result.status, grz_ok);
    }
}

static void manyPairsAreManySingleOnes(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static Many many;
    grzConvexBatch batch = makeMany(&many);
    collideSingly(&many);
    for (int i = 0; i < 5; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks = NULL;
        if (i < 4) {
            def.workerCount = workers[i];
            assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_ok);
        }
        memset(many.manifolds, 0xAA, sizeof many.manifolds);
        batch.tasks = tasks;
        assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);
        assert_memory_equal(many.manifolds, many.expected, sizeof many.expected);
        grzTasks_Destroy(tasks);
    }
}

// Bodies as parts of larger rows.
static void bodiesMayLieApart(void** state) {
    (void)state;
    typedef struct Row {
        uint64_t before[3];
        grzPosedConvex posed;
        uint64_t behind[2];
    } Row;
    static Many many;
    static Row rows[manyBodies];
    grzConvexBatch batch = makeMany(&many);
    collideSingly(&many);
    memset(rows, 0xAA, sizeof rows);
    for (int i = 0; i < manyBodies; ++i)
        rows[i].posed = many.bodies[i];
    batch.bodies = &rows->posed;
    batch.bodyStride = sizeof(Row);
    assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);
    assert_memory_equal(many.manifolds, many.expected, sizeof many.expected);
}

static void everyLevelGivesTheSameBytes(void** state) {
    (void)state;
    static Many many;
    grzConvexBatch batch = makeMany(&many);
    collideSingly(&many);
    for (int level = grz_simdScalar; level <= grz_simdNeon; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);
        grzSimd_Force(before);
        assert_memory_equal(many.manifolds, many.expected, sizeof many.expected);
    }
}

static void badBatchesAreRefused(void** state) {
    (void)state;
    static Many many;
    grzConvexBatch batch = makeMany(&many);
    memcpy(many.expected, many.manifolds, sizeof many.expected);
    many.margins[500] = -1;
    many.margins[700] = NAN;
    grzResult result = grzConvex_CollideMany(&batch);
    assert_true(result.status == grz_badArgument && result.index == 500 && result.value == 5);
    many.margins[500] = 0;
    result = grzConvex_CollideMany(&batch);
    assert_true(result.status == grz_notFinite && result.index == 700 && result.value == 5);
    many.margins[700] = 0;
    batch.bodyStride = sizeof(grzPosedConvex) - 8;
    result = grzConvex_CollideMany(&batch);
    assert_true(result.status == grz_badArgument && result.value == 6);
    batch.bodyStride = sizeof(grzPosedConvex) + 1;
    result = grzConvex_CollideMany(&batch);
    assert_true(result.status == grz_badArgument && result.value == 6);
    batch.bodyStride = 0;
    many.pairs[1234].b = manyBodies;
    result = grzConvex_CollideMany(&batch);
    assert_true(result.status == grz_badArgument && result.index == 1234 && result.value == 1);
    many.pairs[1234].b = many.pairs[77].a;
    many.bodies[many.pairs[77].a].mark = 0;
    result = grzConvex_CollideMany(&batch);
    assert_true(result.status == grz_badArgument && result.index <= 77 && result.value == 2);
    assert_memory_equal(many.manifolds, many.expected, sizeof many.expected);
    batch.pairCount = 0;
    assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);

    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 1), none = {0};
    grzTransform pose = grzTransform_Identity(), mirror = pose, far = pose;
    mirror.basis.x.x = -1;
    far.origin.y = INFINITY;
    grzPosedConvex posed;
    memset(&posed, 0, sizeof posed);
    result = grzConvex_Pose(&none, pose, &posed);
    assert_true(result.status == grz_badArgument && result.value == 1);
    result = grzConvex_Pose(&ball, mirror, &posed);
    assert_true(result.status == grz_badArgument && result.value == 2);
    result = grzConvex_Pose(&ball, far, &posed);
    assert_true(result.status == grz_notFinite && result.value == 2 && posed.mark == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortWaysAnswerAsTheGeneralOne),
        cmocka_unit_test(sizeAndPlaceDoNotMatter),
        cmocka_unit_test(nothingIsMissedAndNothingMadeUp),
        cmocka_unit_test(aRestingBoxKeepsItsNames),
        cmocka_unit_test(looseBasesAreNoWorse),
        cmocka_unit_test(manyPairsAreManySingleOnes),
        cmocka_unit_test(bodiesMayLieApart),
        cmocka_unit_test(everyLevelGivesTheSameBytes),
        cmocka_unit_test(badBatchesAreRefused),
    };
    return cmocka_run_group_tests_name("convex_quick", tests, makeHulls, destroyHulls);
}
