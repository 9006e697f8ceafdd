// convex.h: bounds, mass, rays and distances of shapes, against samples, closed forms and brute force.
#include "convex_testing.h"

#include <math.h>

#include "convex_core.h"
#include "simd_dispatch.h"

static void theBoxHoldsTheShapeTightly(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 0);
    for (int round = 0; round < 2000; ++round) {
        grzConvex shape = anyShape(&rng);
        float far = round % 2 == 0 ? 2.0f : 5000.0f;
        grzTransform pose = randomPose(&rng, far);
        if (round % 5 == 0)
            pose.basis = grzMat3_FromColumns(randomVector(&rng, 2), randomVector(&rng, 2), randomVector(&rng, 2));
        grzBoxd box = grzBoxd_FromBox(grzConvex_Box(&shape, pose)), reached = grzBoxd_Empty();
        RefSolid solid;
        refMake(&shape, pose, &solid);
        for (uint32_t i = 0; i < solid.vertexCount; ++i) {
            grzVec3d r = grzVec3d_Make(solid.radius, solid.radius, solid.radius);
            reached = grzBoxd_AddPoint(reached, grzVec3d_Sub(solid.vertices[i], r));
            reached = grzBoxd_AddPoint(reached, grzVec3d_Add(solid.vertices[i], r));
        }
        double room = 3e-7 * ((double)far + 5);
        assert_true(box.lower.x <= reached.lower.x && box.lower.x > reached.lower.x - room);
        assert_true(box.lower.y <= reached.lower.y && box.lower.y > reached.lower.y - room);
        assert_true(box.lower.z <= reached.lower.z && box.lower.z > reached.lower.z - room);
        assert_true(box.upper.x >= reached.upper.x && box.upper.x < reached.upper.x + room);
        assert_true(box.upper.y >= reached.upper.y && box.upper.y < reached.upper.y + room);
        assert_true(box.upper.z >= reached.upper.z && box.upper.z < reached.upper.z + room);
    }
}

// The box by the core's farthest vertices along the axes, rounded outward one by one.
static grzBox boxOfCore(const grzConvex* shape, grzTransform pose) {
    ConvexCore core;
    grzConvexCore_Set(&core, shape, pose, grzVec3d_Make(0, 0, 0));
    float sides[6];
    for (int k = 0; k < 3; ++k) {
        const grzVec3d d = grzVec3d_Make(k == 0, k == 1, k == 2);
        sides[k] = grzRoundDown(-coreExtent(&core, grzVec3d_Neg(d)) - (core.radius + core.error));
        sides[k + 3] = grzRoundUp(coreExtent(&core, d) + (core.radius + core.error));
    }
    return grzBox_Make(grzVec3_Make(sides[0], sides[1], sides[2]), grzVec3_Make(sides[3], sides[4], sides[5]));
}

static void theBoxIsThatOfTheFarthestVertices(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(9), 0);
    for (int round = 0; round < 4000; ++round) {
        grzConvex shape = anyShape(&rng);
        grzTransform pose =
            round % 4 == 0 ? grzTransform_Identity() : randomPose(&rng, round % 2 == 0 ? 2.0f : 5000.0f);
        if (round % 5 == 0)
            pose.basis = grzMat3_FromColumns(randomVector(&rng, 2), randomVector(&rng, 2), randomVector(&rng, 2));
        if (round % 7 == 0)
            pose.origin = grzVec3_Zero();
        const grzBox box = grzConvex_Box(&shape, pose), expected = boxOfCore(&shape, pose);
        assert_true(grzVec3_IsEqual(box.lower, expected.lower) && grzVec3_IsEqual(box.upper, expected.upper));
    }
}

static void theFaceOfAHullIsTheOneOfTheLargestCosine(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(10), 0);
    uint32_t hulls = 0;
    for (int round = 0; round < 4000; ++round) {
        const grzConvex shape = anyShape(&rng);
        const grzVec3 from = randomVector(&rng, 1);
        if (shape.kind != grz_hullShape)
            continue;
        ConvexCore core;
        grzConvexCore_Set(&core, &shape, randomPose(&rng, 2.0f), grzVec3d_Make(0, 0, 0));
        const grzHullView* view = &shape.hull->view;
        grzVec3d d = grzVec3d_FromVec3(grzNormalize(from));
        if (round % 3 == 0)
            d = coreTurn(&core, grzVec3d_FromVec3(view->faces[(uint32_t)round % view->faceCount].normal));
        if (round % 50 == 0)
            d = grzVec3d_Make(0, 0, 0);
        double most = -2, found;
        uint32_t best = 0;
        for (uint32_t i = 0; i < view->faceCount; ++i) {
            const double cosine = grzVec3d_Dot(grzVec3d_FromVec3(view->faces[i].normal), coreTurnBack(&core, d));
            if (cosine > most)
                most = cosine, best = i;
        }
        assert_int_equal(grzConvexCore_FindFace(&core, d, &found), best);
        assert_true(found == most);
        ++hulls;
    }
    assert_true(hulls > 100);
}

static void aBoxHullHasTheMassOfTheBox(void** state) {
    (void)state;
    float positions[24];
    grzVec3 center = grzVec3_Make(3, -2, 100), half = grzVec3_Make(0.5f, 1.25f, 2);
    for (uint32_t i = 0; i < 8; ++i)
        grzVec3_Store(positions + (size_t)3 * i,
                      grzAdd(center, grzVec3_Make((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                                                  (i & 4) != 0 ? half.z : -half.z)));
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions;
    def.pointCount = 8;
    grzHull* hull;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
    grzConvex box = grzMakeBox(center, half), same = grzMakeHullShape(hull);
    grzMass a = grzConvex_Mass(&box), b = grzConvex_Mass(&same);
    assert_true(fabs(a.volume - 10) < 1e-12 && fabs(b.volume - 10) < 1e-11);
    assert_true(grzVec3d_Length(grzVec3d_Sub(a.center, b.center)) < 1e-11);
    assert_true(grzVec3d_Length(grzVec3d_Sub(a.diagonal, b.diagonal)) < 1e-10);
    assert_true(grzVec3d_Length(a.mixed) == 0 && grzVec3d_Length(b.mixed) < 1e-10);
    assert_true(fabs(a.diagonal.x - 10.0 / 3 * (1.5625 + 4)) < 1e-12);
    grzHull_Destroy(hull);
}

// Counts the cells of a grid whose middles lie in the shape.
static grzMass massByCells(const grzConvex* shape, int cells) {
    grzBox box = grzConvex_Box(shape, grzTransform_Identity());
    grzVec3d lower = grzVec3d_FromVec3(box.lower);
    grzVec3d step = grzVec3d_Scale(grzVec3d_FromVec3(grzSub(box.upper, box.lower)), 1.0 / cells);
    double n = 0, x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    RefSolid solid;
    refMake(shape, grzTransform_Identity(), &solid);
    for (int i = 0; i < cells * cells * cells; ++i) {
        grzVec3d p =
            grzVec3d_Make(lower.x + (i % cells + 0.5) * step.x, lower.y + (i / cells % cells + 0.5) * step.y,
                          lower.z + (i / cells / cells + 0.5) * step.z);
        RefSolid point = {.vertexCount = 1, .vertices = {p}};
        bool isInside =
            shape->kind >= grz_boxShape ? refContains(&solid, p, 0) : refDistance(&point, &solid) <= solid.radius;
        if (!isInside)
            continue;
        n += 1, x += p.x, y += p.y, z += p.z;
        xx += p.x * p.x, yy += p.y * p.y, zz += p.z * p.z, xy += p.x * p.y, xz += p.x * p.z, yz += p.y * p.z;
    }
    double cell = step.x * step.y * step.z;
    grzMass mass = {n * cell, {x / n, y / n, z / n}, {0, 0, 0}, {0, 0, 0}};
    xx = xx - x * x / n, yy = yy - y * y / n, zz = zz - z * z / n;
    mass.diagonal = grzVec3d_Scale(grzVec3d_Make(yy + zz, zz + xx, xx + yy), cell);
    mass.mixed = grzVec3d_Scale(grzVec3d_Make(x * y / n - xy, x * z / n - xz, y * z / n - yz), cell);
    return mass;
}

static void massIsThatOfManyCells(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    for (int round = 0; round < 12; ++round) {
        grzConvex shape = anyShape(&rng);
        grzMass mass = grzConvex_Mass(&shape), cells = massByCells(&shape, 40);
        double size = grzVec3d_Length(mass.diagonal);
        assert_true(fabs(mass.volume - cells.volume) < 0.02 * mass.volume);
        assert_true(grzVec3d_Length(grzVec3d_Sub(mass.center, cells.center)) < 0.01);
        assert_true(grzVec3d_Length(grzVec3d_Sub(mass.diagonal, cells.diagonal)) < 0.04 * size);
        assert_true(grzVec3d_Length(grzVec3d_Sub(mass.mixed, cells.mixed)) < 0.03 * size);
    }
}

// ---------------------------------------------------------------------------------------------------- distances

static grzConvexDistance distanceOf(const grzConvex* a, grzTransform poseA, const grzConvex* b,
                                    grzTransform poseB) {
    grzConvexDistance distance;
    assert_int_equal(grzConvex_Distance(a, poseA, b, poseB, &distance).status, grz_ok);
    return distance;
}

static void checkApart(const grzConvexDistance* found, double truth) {
    assert_true((double)found->lower <= truth + 1e-12 && (double)found->upper >= truth - 1e-12);
    assert_true((double)found->upper - (double)found->lower < 1e-6 * truth + 1e-7);
    assert_true(!found->isTouching && found->certainty == grz_exact && found->measure == 0);
    grzVec3d between = grzVec3d_Sub(grzVec3d_FromVec3(found->pointB), grzVec3d_FromVec3(found->pointA));
    assert_true(fabs(grzVec3d_Length(between) - truth) < 1e-5);
    assert_true(fabs(grzVec3d_Dot(between, grzVec3d_FromVec3(found->normal)) - truth) < 1e-5);
}

static void distancesAreThoseOfBruteForce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 0);
    int apart = 0, together = 0;
    for (int round = 0; round < 3000; ++round) {
        grzConvex a = anyShape(&rng), b = anyShape(&rng);
        grzTransform poseA = randomPose(&rng, 1.2f), poseB = randomPose(&rng, 1.2f);
        RefSolid solidA, solidB;
        refMake(&a, poseA, &solidA);
        refMake(&b, poseB, &solidB);
        grzConvexDistance found = distanceOf(&a, poseA, &b, poseB);
        double radii = solidA.radius + solidB.radius, separation = refSeparation(&solidA, &solidB);
        bool isRound = a.kind <= grz_capsuleShape && b.kind <= grz_capsuleShape;
        double truth = !isRound && separation <= 0 ? 0 : refDistance(&solidA, &solidB);
        if (truth - radii > 1e-6) {
            checkApart(&found, truth - radii);
            ++apart;
        } else if (truth - radii < -1e-6 || separation < -1e-6) {
            assert_true(found.isTouching && found.certainty == grz_exact && found.lower == 0 && found.upper == 0);
            ++together;
        }
    }
    assert_true(apart > 500 && together > 500);
}

static void distancesDoNotDependOnOrderOrPlace(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(4), 0);
    for (int round = 0; round < 1000; ++round) {
        grzConvex a = anyShape(&rng), b = anyShape(&rng);
        grzTransform poseA = randomPose(&rng, 2), poseB = randomPose(&rng, 2);
        // Multiples of 2^-10, so that 1024 can be added exactly.
        for (int k = 0; k < 2; ++k) {
            grzVec3* o = k == 0 ? &poseA.origin : &poseB.origin;
            *o = grzVec3_Make(roundf(o->x * 1024) / 1024, roundf(o->y * 1024) / 1024, roundf(o->z * 1024) / 1024);
        }
        grzConvexDistance found = distanceOf(&a, poseA, &b, poseB), swapped = distanceOf(&b, poseB, &a, poseA);
        assert_true(found.isTouching == swapped.isTouching);
        assert_true(fabsf(found.upper - swapped.upper) <= 1e-6f && fabsf(found.lower - swapped.lower) <= 1e-6f);
        assert_true(grzLength(grzAdd(found.normal, swapped.normal)) < 1e-4f);
        grzVec3 far = grzVec3_Splat(1024);
        poseA.origin = grzAdd(poseA.origin, far);
        poseB.origin = grzAdd(poseB.origin, far);
        grzConvexDistance moved = distanceOf(&a, poseA, &b, poseB);
        assert_true(moved.lower == found.lower && moved.upper == found.upper);
        assert_memory_equal(&moved.normal, &found.normal, sizeof moved.normal);
    }
}

static void allLevelsGiveTheSameBytes(void** state) {
    (void)state;
    uint64_t seed = testSeed(5);
    for (int round = 0; round < 500; ++round) {
        grzConvexDistance first;
        grzManifold firstManifold;
        for (unsigned level = 0, count = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
            if (!grzSimd_Supports((grzSimdLevel)level))
                continue;
            grzRng rng = grzRng_Make(seed, (uint64_t)round);
            grzConvex a = grzMakeHullShape(g_hulls[round % hullCount]), b = anyShape(&rng);
            grzTransform poseA = randomPose(&rng, 1), poseB = randomPose(&rng, 1);
            grzConvexDistance found;
            grzManifold manifold;
            memset(&found, 0, sizeof found);
            grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
            assert_int_equal(grzConvex_Distance(&a, poseA, &b, poseB, &found).status, grz_ok);
            assert_int_equal(grzConvex_Collide(&a, poseA, &b, poseB, 0.1f, &manifold).status, grz_ok);
            grzSimd_Force(before);
            if (count++ == 0) {
                first = found;
                firstManifold = manifold;
            }
            assert_memory_equal(&found.lower, &first.lower, 8);
            assert_memory_equal(&found.pointA, &first.pointA, 48);
            assert_memory_equal(&manifold, &firstManifold, sizeof manifold);
        }
    }
}

static void closedFormsHold(void** state) {
    (void)state;
    grzTransform here = grzTransform_Identity();
    grzConvex ball = grzMakeSphere(grzVec3_Make(3, 4, 0), 1), dot = grzMakeSphere(grzVec3_Zero(), 0);
    grzConvexDistance d = distanceOf(&ball, here, &dot, here);
    assert_true(d.lower <= 4 && d.upper >= 4 && d.upper - d.lower < 1e-5f);
    assert_true(d.featureA == grzMakeFeature(grz_bodyFeature, 0));
    grzConvex flat = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 1, 0));
    d = distanceOf(&flat, here, &ball, here);
    assert_true(fabsf(d.upper - (sqrtf(13) - 1)) < 1e-5f);
    assert_true(grzFeature_Kind(d.featureB) == grz_bodyFeature);
}

static void flatAndPointShapesAreFine(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(6), 0);
    for (int round = 0; round < 500; ++round) {
        grzConvex shapes[4] = {grzMakeSphere(grzVec3_Zero(), 0), grzMakeCapsule(grzVec3_Zero(), grzVec3_Zero(), 0),
                               grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0, 1)),
                               grzMakeBox(grzVec3_Zero(), grzVec3_Zero())};
        grzConvex b = anyShape(&rng);
        for (int k = 0; k < 4; ++k) {
            grzTransform poseA = randomPose(&rng, 1), poseB = randomPose(&rng, 1);
            RefSolid solidA, solidB;
            refMake(&shapes[k], poseA, &solidA);
            refMake(&b, poseB, &solidB);
            bool isSolid = b.kind >= grz_boxShape || k == 2;
            double separation = isSolid ? refSeparation(&solidA, &solidB) : 1;
            double truth = isSolid && separation <= 0 ? 0 : refDistance(&solidA, &solidB) - solidB.radius;
            grzConvexDistance found = distanceOf(&shapes[k], poseA, &b, poseB);
            assert_true((double)found.lower <= fmax(truth, 0) + 1e-9 && (double)found.upper >= truth - 1e-9);
            assert_true((double)found.upper - (double)found.lower < 1e-5);
        }
    }
}

// --------------------------------------------------------------------------------------------------------- rays

// Goes on by the distance to the shape until it is there: slow, and never beyond it.
static double walk(const grzConvex* shape, grzTransform pose, grzVec3 origin, grzVec3 direction, double reach) {
    double t = 0, length = (double)grzLength(direction);
    for (int step = 0; step < 3000 && t <= reach; ++step) {
        grzConvexDistance distance;
        grzVec3d p = grzVec3d_Add(grzVec3d_FromVec3(origin), grzVec3d_Scale(grzVec3d_FromVec3(direction), t));
        assert_int_equal(grzConvex_ClosestPoint(shape, pose, grzVec3d_ToVec3(p), &distance).status, grz_ok);
        if (distance.upper < 2e-6f)
            return t;
        t += (double)distance.lower / length;
    }
    return t > reach ? -1 : -2;
}

static void raysStopWhereAWalkDoes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(7), 0);
    int hits = 0, misses = 0;
    for (int round = 0; round < 1500; ++round) {
        grzConvex shape = anyShape(&rng);
        grzTransform pose = randomPose(&rng, 0.5f);
        grzVec3 origin = randomVector(&rng, 3), direction = grzSub(randomVector(&rng, 0.8f), origin);
        if (round % 10 == 0)
            direction = grzVec3_Make(0, 0, direction.z > 0 ? 2.0f : -2.0f);
        grzConvexHit hit;
        assert_int_equal(grzConvex_CastRay(&shape, pose, origin, direction, 3, &hit).status, grz_ok);
        double truth = walk(&shape, pose, origin, direction, 3);
        if (truth == -2) // grazes it for too long
            continue;
        if (truth < 0) {
            assert_false(hit.isHit);
            ++misses;
            continue;
        }
        grzConvexDistance inside;
        if (!hit.isHit) // a ray that passes by within the walk's tolerance
            continue;
        ++hits;
        assert_true(fabs((double)hit.t - truth) < 2e-2 && (double)hit.t > truth - 1e-5);
        assert_int_equal(grzConvex_ClosestPoint(&shape, pose, hit.point, &inside).status, grz_ok);
        assert_true(inside.lower < 1e-5f);
        if (hit.t > 0)
            assert_true(fabsf(grzLength(hit.normal) - 1) < 1e-5f && grzDot(hit.normal, direction) <= 1e-5f);
    }
    assert_true(hits > 300 && misses > 30);
}

static void raysFromInsideAndWithoutDirection(void** state) {
    (void)state;
    grzConvex shapes[4] = {grzMakeSphere(grzVec3_Zero(), 1), grzMakeCapsule(grzVec3_Zero(), grzVec3_Splat(1), 1),
                           grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1)), grzMakeHullShape(g_hulls[4])};
    grzTransform here = grzTransform_Identity();
    for (int k = 0; k < 4; ++k) {
        grzConvexHit hit;
        assert_int_equal(grzConvex_CastRay(&shapes[k], here, grzVec3_Zero(), grzVec3_Splat(1), 1, &hit).status, 0);
        assert_true(hit.isHit && hit.t == 0 && grzLength(hit.normal) == 0);
        assert_int_equal(grzConvex_CastRay(&shapes[k], here, grzVec3_Zero(), grzVec3_Zero(), 1, &hit).status, 0);
        assert_true(hit.isHit && hit.t == 0);
        assert_int_equal(grzConvex_CastRay(&shapes[k], here, grzVec3_Splat(9), grzVec3_Zero(), 1, &hit).status, 0);
        assert_false(hit.isHit);
        assert_int_equal(
            grzConvex_CastRay(&shapes[k], here, grzVec3_Splat(9), grzVec3_Splat(-1), INFINITY, &hit).status, 0);
        assert_true(hit.isHit && hit.t > 7);
    }
}

static void badInputIsRefused(void** state) {
    (void)state;
    grzTransform here = grzTransform_Identity(), lost = here, flat = here;
    lost.origin.y = NAN;
    flat.basis.y = grzVec3_Zero();
    grzConvex good = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1));
    grzConvex bad[7] = {grzMakeSphere(grzVec3_Zero(), -1),
                        grzMakeSphere(grzVec3_Make(NAN, 0, 0), 1),
                        grzMakeCapsule(grzVec3_Zero(), grzVec3_Splat(INFINITY), 1),
                        grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, -1, 1)),
                        grzMakeHullShape(NULL),
                        grzMakeBox(grzVec3_Splat(1e20f), grzVec3_Splat(1)),
                        grzMakeSphere(grzVec3_Zero(), NAN)};
    static const grzStatus expected[7] = {grz_badArgument, grz_notFinite, grz_notFinite, grz_badArgument,
                                          grz_badArgument, grz_notFinite, grz_notFinite};
    grzConvexDistance distance;
    grzManifold manifold;
    grzConvexHit hit;
    for (int k = 0; k < 7; ++k) {
        grzResult result = grzConvex_Distance(&good, here, &bad[k], here, &distance);
        assert_true(result.status == expected[k] && result.value == 3);
        result = grzConvex_Collide(&bad[k], here, &good, here, 0, &manifold);
        assert_true(result.status == expected[k] && result.value == 1);
    }
    assert_int_equal(grzConvex_Distance(&good, lost, &good, here, &distance).status, grz_notFinite);
    assert_int_equal(grzConvex_Collide(&good, flat, &good, here, 0, &manifold).status, grz_badArgument);
    assert_int_equal(grzConvex_Collide(&good, here, &good, here, NAN, &manifold).status, grz_notFinite);
    assert_int_equal(grzConvex_Collide(&good, here, &good, here, -1, &manifold).status, grz_badArgument);
    const float margins[2] = {(float)INFINITY, 1e16f};
    for (int k = 0; k < 2; ++k) {
        grzResult result = grzConvex_Collide(&good, here, &good, here, margins[k], &manifold);
        assert_true(result.status == grz_notFinite && result.value == 5);
        assert_non_null(strstr(result.reason, "margin"));
    }
    grzResult second = grzConvex_Collide(&good, here, &good, lost, 0, &manifold);
    assert_true(second.status == grz_notFinite && second.value == 4 &&
                strstr(second.reason, "second pose") != NULL);
    second = grzConvex_Collide(&good, here, &bad[1], here, 0, &manifold);
    assert_true(second.value == 3 && strstr(second.reason, "second shape") != NULL);
    assert_int_equal(grzConvex_CastRay(&good, flat, grzVec3_Zero(), grzVec3_Zero(), 1, &hit).status,
                     grz_badArgument);
    assert_int_equal(grzConvex_CastRay(&good, here, grzVec3_Splat(NAN), grzVec3_Zero(), 1, &hit).status,
                     grz_notFinite);
    assert_int_equal(grzConvex_ClosestPoint(&good, here, grzVec3_Splat(NAN), &distance).status, grz_notFinite);
    assert_true(isinf(grzConvex_Box(&good, lost).upper.x));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theBoxHoldsTheShapeTightly),
        cmocka_unit_test(theBoxIsThatOfTheFarthestVertices),
        cmocka_unit_test(theFaceOfAHullIsTheOneOfTheLargestCosine),
        cmocka_unit_test(aBoxHullHasTheMassOfTheBox),
        cmocka_unit_test(massIsThatOfManyCells),
        cmocka_unit_test(distancesAreThoseOfBruteForce),
        cmocka_unit_test(distancesDoNotDependOnOrderOrPlace),
        cmocka_unit_test(allLevelsGiveTheSameBytes),
        cmocka_unit_test(closedFormsHold),
        cmocka_unit_test(flatAndPointShapesAreFine),
        cmocka_unit_test(raysStopWhereAWalkDoes),
        cmocka_unit_test(raysFromInsideAndWithoutDirection),
        cmocka_unit_test(badInputIsRefused),
    };
    return cmocka_run_group_tests_name("convex", tests, makeHulls, destroyHulls);
}
