// convex_quick.h: the short ways against the general one: the same touch, normals, depths and names.
#include "convex_testing.h"

#include <math.h>

#include "convex_contact.h"
#include "convex_quick.h"

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

static bool hasPoint(const grzManifold* manifold, const grzManifoldPoint* point, float tolerance) {
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* other = &manifold->points[i];
        if (other->featureA == point->featureA && other->featureB == point->featureB &&
            fabsf(other->separation - point->separation) <= tolerance &&
            grzDistance(other->point, point->point) <= tolerance)
            return true;
    }
    return false;
}

static void compare(const grzManifold* quick, const grzManifold* general, float margin, float tolerance,
                    Tally* tally) {
    bool isHit = quick->pointCount > 0;
    tally->hits += isHit;
    if (isHit != (general->pointCount > 0)) { // only at the margin itself
        const grzManifold* found = isHit ? quick : general;
        assert_true(found->separation <= margin + tolerance &&
                    found->separation + found->depthError >= margin - tolerance);
        ++tally->unlikeHits;
        return;
    }
    if (!isHit)
        return;
    // Either is the least depth to within its own error.
    float least = quick->separation - general->separation, most = tolerance + quick->depthError + general->depthError;
    assert_true(fabsf(least) <= most);
    assert_true(fabsf(quick->points[0].separation - general->points[0].separation) <= most + 3e-3f * tolerance * 1e5f);
    if (grzLength(grzSub(quick->normal, general->normal)) > 1e-4f) {
        ++tally->unlikeNormals;
        return;
    }
    bool isSame = quick->pointCount == general->pointCount;
    for (uint32_t i = 0; i < quick->pointCount; ++i)
        isSame &= hasPoint(general, &quick->points[i], 50 * tolerance);
    tally->unlikePoints += !isSame;
}

static bool collideBoth(const grzConvex* a, const grzTransform* poseA, const grzConvex* b, const grzTransform* poseB,
                        float margin, grzManifold* quick, grzManifold* general) {
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
    for (int round = 0; round < 4000; ++round) {
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
        if (getenv("DBG")) {
            float sep = quick.pointCount ? quick.separation : general.separation;
            if ((quick.pointCount > 0) != (general.pointCount > 0) && fabsf(sep - margin) > 2e-5f * scale) {
                grzConvexDistance d; (void)grzConvex_Distance(&a, poseA, &b, poseB, &d).status;
                printf("kinds %d %d margin %g quick %u %g general %u %g dist %g %g\n", a.kind, b.kind, (double)margin, quick.pointCount, (double)quick.separation, general.pointCount, (double)general.separation, (double)d.lower, (double)d.upper);
            }
            float e=quick.depthError+general.depthError+2e-5f;
            if (quick.pointCount && general.pointCount && (fabsf(quick.separation-general.separation)>e || (getenv("DBG")[0]=='2' && grzLength(grzSub(quick.normal, general.normal)) < 1e-4f))) {
                bool same = quick.pointCount == general.pointCount;
                for (uint32_t i = 0; i < quick.pointCount; ++i) same &= hasPoint(&general, &quick.points[i], 1e-3f);
                if (same && fabsf(quick.separation-general.separation)<=e) goto next;
                printf("kinds %d %d margin %g sep %g %g de %g %g n %g %g %g / %g %g %g h %g %g\n", a.kind, b.kind, (double)margin, (double)quick.separation, (double)general.separation, (double)quick.depthError, (double)general.depthError, (double)quick.normal.x, (double)quick.normal.y, (double)quick.normal.z, (double)general.normal.x, (double)general.normal.y, (double)general.normal.z, (double)b.b.x, (double)b.b.y);
                for (uint32_t i=0;i<quick.pointCount;++i) printf("   q %x %x %.9g  %g %g %g\n", quick.points[i].featureA, quick.points[i].featureB, (double)quick.points[i].separation, (double)quick.points[i].point.x, (double)quick.points[i].point.y, (double)quick.points[i].point.z);
                for (uint32_t i=0;i<general.pointCount;++i) printf("   g %x %x %.9g  %g %g %g\n", general.points[i].featureA, general.points[i].featureB, (double)general.points[i].separation, (double)general.points[i].point.x, (double)general.points[i].point.y, (double)general.points[i].point.z);
            }
        }
next:   compare(&quick, &general, margin, 2e-5f * scale + 1e-6f * (offset + far), &tally);
    }
    print_message("[          ] answered %d of %d, hits %d, other normals %d, points %d, hits %d\n", tally.answered,
                  tally.pairs, tally.hits, tally.unlikeNormals, tally.unlikePoints, tally.unlikeHits);
    return tally;
}

static void shortWaysAnswerAsTheGeneralOne(void** state) {
    (void)state;
    for (int placing = 0; placing < placingCount; ++placing)
        for (int isDegenerate = 0; isDegenerate < 2; ++isDegenerate) {
            Tally tally = runScene(testSeed((uint64_t)(2 * placing + isDegenerate)), (Placing)placing, isDegenerate != 0, 1, 0, 1);
            assert_true(tally.answered * 2 > tally.pairs);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortWaysAnswerAsTheGeneralOne),
    };
    return cmocka_run_group_tests_name("convex_quick", tests, NULL, NULL);
}
