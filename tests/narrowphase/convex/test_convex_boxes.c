// boxes_kernel.c, quick_boxes.c, spheres_kernel.c, convex_many.c: many pairs of boxes beside a plain way, and the bytes of single pairs.
#include "convex_testing.h"

#include <math.h>
#include <string.h>

#include "convex_contact.h"
#include "plain_boxes.h"
#include "simd_dispatch.h"

typedef enum Scene {
    sceneAnyhow,
    sceneAligned,  // turned alike, sizes of a grid: faces and edges meet exactly
    sceneStacked,  // crates on crates, shaken a little
    sceneParallel, // edges along each other but for little
    sceneDeep,     // middles nearly at one place
    sceneMargin,   // as far apart as the margin, as exactly as floats can say
    sceneThin,     // plates, sticks and points
    sceneUneven,   // huge next to tiny
    sceneOffset,   // middles beside their origins, and far from the world's
    sceneCount
} Scene;

enum { boxPairs = 1100 };

static const float g_margin = 0.02f;

typedef struct Boxes {
    grzPosedConvex bodies[2 * boxPairs];
    grzBodyPair pairs[boxPairs];
    float margins[boxPairs];
    grzManifold manifolds[boxPairs], expected[boxPairs];
    float scale[boxPairs];
} Boxes;

static Boxes g_boxes;

static grzVec3 drawHalf(grzRng* rng, Scene scene) {
    grzVec3 half = grzVec3_Make(randomIn(rng, 0.2f, 1), randomIn(rng, 0.2f, 1), randomIn(rng, 0.2f, 1));
    if (scene == sceneAligned || scene == sceneStacked)
        half = grzVec3_Make(0.25f * (float)(1 + grzRng_Below(rng, 4)), 0.5f,
                            0.25f * (float)(1 + grzRng_Below(rng, 4)));
    if (scene == sceneThin) {
        half.x *= grzRng_Below(rng, 2) == 0 ? 0 : 1e-4f;
        half.y *= grzRng_Below(rng, 3) == 0 ? 0 : 1;
        half.z *= grzRng_Below(rng, 6) == 0 ? 0 : 1;
    }
    return half;
}

static grzTransform lean(grzRng* rng, grzTransform pose, float angle) {
    grzQuat turn = grzQuat_FromAxisAngle(grzNormalize(randomVector(rng, 1)), angle);
    pose.basis = grzMat3_Multiply(grzMat3_FromQuat(turn), pose.basis);
    return pose;
}

// Along the line of closest points, until they are about `gap` apart.
static void bringNear(const grzConvex* a, grzTransform poseA, const grzConvex* b, grzTransform* poseB, float gap) {
    for (int step = 0; step < 20; ++step) {
        grzConvexDistance distance;
        assert_int_equal(grzConvex_Distance(a, poseA, b, *poseB, &distance).status, grz_ok);
        if (distance.isTouching)
            break;
        poseB->origin = grzAddScaled(poseB->origin, -(distance.upper - gap), distance.normal);
    }
}

static void placePair(grzRng* rng, Scene scene, int i) {
    float scale = scene == sceneUneven ? powf(10, randomIn(rng, -4, 0)) : 1;
    grzVec3 offset = scene == sceneOffset ? randomVector(rng, 3) : grzVec3_Zero();
    grzConvex a = grzMakeBox(offset, drawHalf(rng, scene));
    grzConvex b = grzMakeBox(grzNeg(offset), grzScale(drawHalf(rng, scene), scale));
    grzTransform poseA = randomPose(rng, scene == sceneOffset ? 1000.0f : 1.0f), poseB = randomPose(rng, 1.8f);
    poseB.origin = grzAdd(poseB.origin, poseA.origin);
    float gap = randomIn(rng, -0.01f, 0.03f);
    switch (scene) {
    case sceneAligned:
    case sceneStacked: {
        grzVec3 place = grzVec3_Make(0.25f * (float)grzRng_Below(rng, 7), 1, 0.25f * (float)grzRng_Below(rng, 7));
        if (scene == sceneStacked) {
            poseB = lean(rng, poseA, randomIn(rng, 0, 1e-3f));
            place = grzAdd(place, randomVector(rng, 2e-3f));
        } else {
            poseA = grzTransform_Identity(), poseB = poseA;
            place.y += 0.25f * (float)grzRng_Below(rng, 3) - 0.25f;
        }
        poseB.origin = grzAdd(poseA.origin, grzMat3_Apply(poseA.basis, place));
        break;
    }
    case sceneParallel:
        poseB.basis = grzMat3_Multiply(
            poseA.basis, grzMat3_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), randomIn(rng, -2, 2))));
        poseB = lean(rng, poseB, powf(10, randomIn(rng, -7, -1)));
        bringNear(&a, poseA, &b, &poseB, gap);
        break;
    case sceneDeep:
        poseB.origin = grzAdd(poseA.origin, randomVector(rng, 0.1f));
        break;
    case sceneMargin:
        bringNear(&a, poseA, &b, &poseB, g_margin + randomIn(rng, -4e-6f, 4e-6f));
        break;
    case sceneAnyhow:
    case sceneThin:
    case sceneUneven:
    case sceneOffset:
    case sceneCount:
    default:
        if (grzRng_Below(rng, 8) != 0)
            bringNear(&a, poseA, &b, &poseB, gap * scale);
        break;
    }
    g_boxes.scale[i] = grzMaxElement(grzAbs(poseA.origin)) + 1;
    g_boxes.pairs[i] = (grzBodyPair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    assert_int_equal(grzConvex_Pose(&a, poseA, &g_boxes.bodies[2 * i]).status, grz_ok);
    assert_int_equal(grzConvex_Pose(&b, poseB, &g_boxes.bodies[2 * i + 1]).status, grz_ok);
}

static grzConvexBatch makeBatch(uint32_t pairCount) {
    return (grzConvexBatch){.bodies = g_boxes.bodies,
                            .pairs = g_boxes.pairs,
                            .manifolds = g_boxes.manifolds,
                            .bodyCount = 2 * boxPairs,
                            .pairCount = pairCount,
                            .margins = g_boxes.margins};
}

static void makeScene(Scene scene) {
    grzRng rng = grzRng_Make(testSeed((uint64_t)scene), 0);
    for (int i = 0; i < boxPairs; ++i) {
        placePair(&rng, scene, i);
        g_boxes.margins[i] = g_margin;
    }
}

// So that lanes of one group differ.
static void mixMargins(void) {
    const float margins[] = {g_margin, 0, 4 * g_margin, 0.3f, g_margin, 50};
    grzRng rng = grzRng_Make(testSeed(92), 0);
    for (int i = 0; i < boxPairs; ++i)
        g_boxes.margins[i] = margins[grzRng_Below(&rng, 6)];
}

typedef struct Tally {
    int hits, unlikeHits, unlikeNormals, unlikePoints;
} Tally;

static void comparePair(int i, Tally* tally) {
    const grzPosedConvex *a = &g_boxes.bodies[2 * i], *b = &g_boxes.bodies[2 * i + 1];
    const QuickPair pair = {&a->shape, &b->shape, &a->pose, &b->pose, g_margin, a->defectSq + b->defectSq};
    const grzManifold* found = &g_boxes.manifolds[i];
    const float tolerance = 2e-5f * g_boxes.scale[i];
    grzManifold plain;
    if (!plainBoxes(&pair, &plain))
        grzCollideGeneral(&a->shape, a->pose, &b->shape, b->pose, g_margin, &plain);
    tally->hits += plain.pointCount > 0;
    if ((found->pointCount > 0) != (plain.pointCount > 0)) { // only at the margin itself
        grzConvexDistance distance;
        assert_int_equal(grzConvex_Distance(&a->shape, a->pose, &b->shape, b->pose, &distance).status, grz_ok);
        assert_true(distance.lower <= g_margin + tolerance && distance.upper >= g_margin - tolerance);
        ++tally->unlikeHits;
        return;
    }
    if (plain.pointCount == 0)
        return;
    assert_true(found->separation >= plain.separation - found->depthError - tolerance);
    assert_true(plain.separation >= found->separation - plain.depthError - tolerance);
    for (uint32_t k = 1; k < found->pointCount; ++k)
        assert_true(found->points[k].separation >= found->points[0].separation && found->points[k].ordinal == 0);
    if (grzLength(grzSub(found->normal, plain.normal)) > 1e-4f) {
        ++tally->unlikeNormals;
        return;
    }
    assert_true(fabsf(found->points[0].separation - plain.points[0].separation) <= tolerance);
    bool isSame = found->pointCount == plain.pointCount;
    for (uint32_t k = 0; k < found->pointCount; ++k)
        isSame &= hasPoint(&plain, &found->points[k], 50 * tolerance);
    tally->unlikePoints += !isSame;
}

static void boxesTouchAsInThePlainWay(void** state) {
    (void)state;
    for (int scene = 0; scene < sceneCount; ++scene) {
        makeScene((Scene)scene);
        grzConvexBatch batch = makeBatch(boxPairs);
        Tally tally = {0};
        assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);
        for (int i = 0; i < boxPairs; ++i)
            comparePair(i, &tally);
        print_message("[          ] scene %d: hits %d, other hits %d, normals %d, points %d\n", scene, tally.hits,
                      tally.unlikeHits, tally.unlikeNormals, tally.unlikePoints);
        // Where faces and edges meet exactly, rounding chooses between features that are equally good.
        bool isEven = scene == sceneAligned || scene == sceneStacked || scene == sceneThin;
        assert_true(tally.hits * 3 > boxPairs);
        assert_true(tally.unlikeNormals * (isEven ? 10 : 40) < tally.hits);
        assert_true(tally.unlikePoints * 10 < tally.hits);
        assert_true(scene == sceneMargin || tally.unlikeHits * 100 < tally.hits);
    }
}

static void collideSingly(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const grzPosedConvex *a = &g_boxes.bodies[2 * i], *b = &g_boxes.bodies[2 * i + 1];
        memset(&g_boxes.expected[i], 0x55, sizeof g_boxes.expected[i]);
        assert_int_equal(
            grzConvex_Collide(&a->shape, a->pose, &b->shape, b->pose, g_boxes.margins[i], &g_boxes.expected[i])
                .status,
            grz_ok);
    }
}

// All pairs at once, against what single calls gave.
static void expectAtEveryLevel(void) {
    for (int level = grz_simdScalar; level <= grz_simdNeon; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzConvexBatch batch = makeBatch(boxPairs);
        grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        memset(g_boxes.manifolds, 0xAA, sizeof g_boxes.manifolds);
        assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);
        grzSimd_Force(before);
        assert_memory_equal(g_boxes.manifolds, g_boxes.expected, sizeof g_boxes.expected);
    }
}

static void everyLevelGivesTheBytesOfSinglePairs(void** state) {
    (void)state;
    for (int scene = 0; scene < sceneCount; ++scene) {
        makeScene((Scene)scene);
        collideSingly(boxPairs);
        expectAtEveryLevel();
        mixMargins();
        collideSingly(boxPairs);
        expectAtEveryLevel();
    }
}

// Numbers at the edges of groups of lanes and of blocks; nothing beyond the last pair is touched.
static void anyNumberOfPairs(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 255, 256, 257, 273};
    grzManifold untouched;
    memset(&untouched, 0xAA, sizeof untouched);
    makeScene(sceneAnyhow);
    collideSingly(boxPairs);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        grzConvexBatch batch = makeBatch(counts[i]);
        memset(g_boxes.manifolds, 0xAA, sizeof g_boxes.manifolds);
        assert_int_equal(grzConvex_CollideMany(&batch).status, grz_ok);
        for (uint32_t k = 0; k < counts[i]; ++k)
            assert_memory_equal(&g_boxes.manifolds[k], &g_boxes.expected[k], sizeof untouched);
        assert_memory_equal(&g_boxes.manifolds[counts[i]], &untouched, sizeof untouched);
    }
}

static grzConvex drawBall(grzRng* rng, int i) {
    grzVec3 center = i % 3 == 0 ? randomVector(rng, 2) : grzVec3_Zero();
    return grzMakeSphere(center, i % 11 == 0 ? 0 : randomIn(rng, 0.1f, 1));
}

// Touching, apart, as far apart as the margin, and with their middles at one place; offsets; points.
static void spheresGiveTheBytesOfSinglePairs(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(90), 0);
    int hits = 0;
    for (int i = 0; i < boxPairs; ++i) {
        grzConvex a = drawBall(&rng, i), b = drawBall(&rng, i + 1);
        grzTransform poseA = randomPose(&rng, i % 7 == 0 ? 1e5f : 1.0f), poseB = randomPose(&rng, 2);
        float reach = a.radius + b.radius + (i % 2 == 0 ? g_margin : randomIn(&rng, -0.2f, 0.1f));
        grzVec3 middle = grzTransform_Apply(poseA, a.a);
        poseB.origin = grzSub(middle, grzMat3_Apply(poseB.basis, b.a));
        if (i % 13 != 0)
            poseB.origin = grzAddScaled(poseB.origin, reach, grzNormalize(randomVector(&rng, 1)));
        g_boxes.pairs[i] = (grzBodyPair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
        assert_int_equal(grzConvex_Pose(&a, poseA, &g_boxes.bodies[2 * i]).status, grz_ok);
        assert_int_equal(grzConvex_Pose(&b, poseB, &g_boxes.bodies[2 * i + 1]).status, grz_ok);
        g_boxes.margins[i] = g_margin;
    }
    collideSingly(boxPairs);
    for (int i = 0; i < boxPairs; ++i)
        hits += g_boxes.expected[i].pointCount > 0;
    assert_true(hits > boxPairs / 4 && hits < boxPairs);
    expectAtEveryLevel();
    mixMargins();
    collideSingly(boxPairs);
    expectAtEveryLevel();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesTouchAsInThePlainWay),
        cmocka_unit_test(everyLevelGivesTheBytesOfSinglePairs),
        cmocka_unit_test(anyNumberOfPairs),
        cmocka_unit_test(spheresGiveTheBytesOfSinglePairs),

    };
    return cmocka_run_group_tests_name("convex_boxes", tests, NULL, NULL);
}
