// The pairs of tri_cases.h.
#include "tri_cases.h"

#include <math.h>

static float below(grzRng* rng, uint32_t bound) {
    return (float)grzRng_Below(rng, bound);
}

static void makeRandom(grzRng* rng, grzVec3 corners[6]) {
    for (int i = 0; i < 6; ++i)
        corners[i] = grzVec3_Make(grzRng_Float(rng), grzRng_Float(rng), grzRng_Float(rng));
}

static void makeLattice(grzRng* rng, uint32_t size, grzVec3 corners[6]) {
    for (int i = 0; i < 6; ++i)
        corners[i] = grzVec3_Make(below(rng, size), below(rng, size), below(rng, size));
}

static float nudge(grzRng* rng, float number) {
    for (uint32_t steps = grzRng_Below(rng, 3); steps > 0; --steps)
        number = nextafterf(number, grzRng_Below(rng, 2) != 0 ? 4.0f : -4.0f);
    return number;
}

// B's corners on or near A's plane, edges and corners: sums of A's corners with weights of eighths, rounded.
static void makeNear(grzRng* rng, bool isNudged, grzVec3 corners[6]) {
    makeRandom(rng, corners);
    uint32_t near = 1 + grzRng_Below(rng, 3);
    for (uint32_t i = 0; i < near; ++i) {
        float u = below(rng, 9) / 8, v = below(rng, 9) / 8 - 0.25f, w = 1 - u - v;
        grzVec3* p = &corners[3 + i];
        *p = grzAdd(grzAdd(grzScale(corners[0], u), grzScale(corners[1], v)), grzScale(corners[2], w));
        if (isNudged)
            *p = grzVec3_Make(nudge(rng, p->x), nudge(rng, p->y), nudge(rng, p->z));
    }
}

// All in one plane that is spanned by two small integer vectors: exact in float.
static void makeCoplanar(grzRng* rng, uint32_t size, grzVec3 corners[6]) {
    grzVec3 u = grzVec3_Make(below(rng, 5) - 2, below(rng, 5) - 2, below(rng, 5) - 2);
    grzVec3 v = grzVec3_Make(below(rng, 5) - 2, below(rng, 5) - 2, below(rng, 5) - 2);
    for (int i = 0; i < 6; ++i)
        corners[i] = grzAdd(grzScale(u, below(rng, size)), grzScale(v, below(rng, size)));
}

static float anyFloat(grzRng* rng) {
    float number = grzFloatFromBits(grzRng_Next(rng));
    return isfinite(number) ? number : 0;
}

static void makeWild(grzRng* rng, grzVec3 corners[6]) {
    for (int i = 0; i < 6; ++i)
        corners[i] = grzVec3_Make(anyFloat(rng), anyFloat(rng), anyFloat(rng));
}

// A lattice or near pair scaled, each axis by its own power of two, down to subnormals and up to the largest; both
// are exact or round to something near.
static void makeScaled(grzRng* rng, grzVec3 corners[6]) {
    makeLattice(rng, 4, corners);
    int exponents[3];
    for (int axis = 0; axis < 3; ++axis)
        exponents[axis] = (int)grzRng_Below(rng, 275) - 149;
    for (int i = 0; i < 6; ++i)
        corners[i] = grzVec3_Make(ldexpf(corners[i].x, exponents[0]), ldexpf(corners[i].y, exponents[1]),
                                  ldexpf(corners[i].z, exponents[2]));
}

static void makeShared(grzRng* rng, grzVec3 corners[6]) {
    makeRandom(rng, corners);
    uint32_t shared = 1 + grzRng_Below(rng, 3), turn = grzRng_Below(rng, 3);
    for (uint32_t i = 0; i < shared; ++i)
        corners[3 + (i + turn) % 3] = corners[i];
}

static void makeFar(grzRng* rng, grzVec3 corners[6]) {
    makeLattice(rng, 5, corners);
    for (int i = 0; i < 6; ++i)
        corners[i] = grzAdd(grzScale(corners[i], 0.0625f), grzVec3_Make(1e6f, -1e6f, 1e5f));
}

void TriCase_Make(grzRng* rng, unsigned kind, grzVec3 corners[6]) {
    switch (kind) {
    case 0:
        makeRandom(rng, corners);
        break;
    case 1:
        makeLattice(rng, 3, corners);
        break;
    case 2:
        makeLattice(rng, 8, corners);
        break;
    case 3:
    case 4:
        makeNear(rng, kind == 4, corners);
        break;
    case 5:
        makeCoplanar(rng, 5, corners);
        break;
    case 6:
        makeWild(rng, corners);
        break;
    case 7:
        makeScaled(rng, corners);
        break;
    case 8:
        makeShared(rng, corners);
        break;
    default:
        makeFar(rng, corners);
        break;
    }
}
