#include "convex_testing.h"

#include <math.h>

float randomIn(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(rng);
}

grzVec3 randomVector(grzRng* rng, float size) {
    float x = randomIn(rng, -size, size), y = randomIn(rng, -size, size);
    return grzVec3_Make(x, y, randomIn(rng, -size, size));
}

grzQuat randomTurn(grzRng* rng) {
    for (;;) {
        grzVec3 v = randomVector(rng, 1);
        grzQuat q = grzQuat_Make(v.x, v.y, v.z, randomIn(rng, -1, 1));
        if (grzQuat_Dot(q, q) > 0.01f && grzQuat_Dot(q, q) < 1)
            return grzQuat_Normalize(q);
    }
}

grzTransform randomPose(grzRng* rng, float size) {
    grzQuat turn = randomTurn(rng);
    return grzTransform_FromQuat(turn, randomVector(rng, size));
}

grzHull* randomHull(grzRng* rng, size_t count, float size) {
    float* positions = malloc(3 * count * sizeof *positions);
    for (size_t i = 0; i < count;) {
        grzVec3 p = randomVector(rng, size);
        if (grzLengthSq(p) <= size * size)
            grzVec3_Store(positions + 3 * i++, p);
    }
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions;
    def.pointCount = count;
    grzHull* hull;
    assert_int_equal(grzHull_Create(&def, &hull).status, grz_ok);
    free(positions);
    return hull;
}

grzHull* g_hulls[hullCount];

int makeHulls(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(77, 0);
    for (uint32_t i = 0; i < hullCount; ++i)
        g_hulls[i] = randomHull(&rng, 6 + 7 * i, 0.8f);
    return 0;
}

int destroyHulls(void** state) {
    (void)state;
    for (uint32_t i = 0; i < hullCount; ++i)
        grzHull_Destroy(g_hulls[i]);
    return 0;
}

grzConvex anyShape(grzRng* rng) {
    float radius = randomIn(rng, 0.1f, 0.6f);
    grzVec3 a = randomVector(rng, 0.3f), b = randomVector(rng, 0.8f);
    switch (grzRng_Below(rng, 4)) {
    case 0:
        return grzMakeSphere(a, radius);
    case 1:
        return grzMakeCapsule(a, b, radius);
    case 2:
        return grzMakeBox(a, grzAdd(grzAbs(b), grzVec3_Splat(0.05f)));
    default:
        return grzMakeHullShape(g_hulls[grzRng_Below(rng, hullCount)]);
    }
}

bool hasPoint(const grzManifold* manifold, const grzManifoldPoint* point, float tolerance) {
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* other = &manifold->points[i];
        if (other->featureA == point->featureA && other->featureB == point->featureB &&
            fabsf(other->separation - point->separation) <= tolerance &&
            grzDistance(other->point, point->point) <= tolerance)
            return true;
    }
    return false;
}
