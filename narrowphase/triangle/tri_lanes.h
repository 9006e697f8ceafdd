// What: PAIR_LANES pairs of triangles, a lane each: on which sides of each other's planes their corners surely are, and whether
//   crossings surely overlap.
// Promise: what is said to be sure is exact, given a bound on the error of a volume: see tri_kernel.c, where it is proved.
// Holds: a volume is the sum of six products of three differences of corners, each rounded at most 8 times: 3 differences,
//   2 products, 1 difference in a cross product, 2 sums.
// Based on: [Guigue, Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates, JGT 2003].
#ifndef GRAZE_NARROWPHASE_TRI_LANES_H
#define GRAZE_NARROWPHASE_TRI_LANES_H

#include <float.h>

#include "lane_vec3.h"

// For both, see tri_kernel.c.
#define VOLUME_ERROR (50 * 0x1p-24f)
#define LARGEST_SUM  0x1p40f

#if GRZ_SIMD_IS(avx512)
#    define PAIR_LANES 16
GRZ_LANE_VEC3(Vector, grzF16, grzM16)
#elif GRZ_SIMD_IS(avx2)
#    define PAIR_LANES 8 // of sixteen, most would be in memory, and the code would be twice as long
GRZ_LANE_VEC3(Vector, grzF8, grzM8)
#else
#    define PAIR_LANES 4
GRZ_LANE_VEC3(Vector, grzF4, grzM4)
#endif
#define F(Verb) GRZ_SIMD_VERB(F, PAIR_LANES, Verb)
#define M(Verb) GRZ_SIMD_VERB(M, PAIR_LANES, Verb)

typedef GRZ_SIMD_TYPE(F, PAIR_LANES) Floats;
typedef GRZ_SIMD_TYPE(M, PAIR_LANES) Mask;

typedef struct Corners {
    Vector a[3], b[3];
} Corners;

// Lanes that are decided; the others are undecided.
typedef struct Verdict {
    Mask none, segment;
} Verdict;

// --------------------------------------------------------------------------------------------------------- sides

// On which sides of the other's plane the corners are, where that is sure.
typedef struct Sides {
    Mask above[3], below[3];
} Sides;

GRZ_SIMD_INLINE Vector normalOf(const Vector plane[3]) {
    return Vector_Cross(Vector_Sub(plane[1], plane[0]), Vector_Sub(plane[2], plane[0]));
}

// Of the corners with a plane, a multiple of how far they are above it.
typedef struct Volumes {
    Floats at[3];
} Volumes;

GRZ_SIMD_INLINE Volumes measureVolumes(const Vector corners[3], Vector origin, Vector normal) {
    Volumes volumes;
    for (int i = 0; i < 3; ++i)
        volumes.at[i] = Vector_Dot(Vector_Sub(corners[i], origin), normal);
    return volumes;
}

GRZ_SIMD_PART Sides sidesOf(const Volumes* volumes, Floats bound) {
    Sides sides;
    Floats negative = F(Negate)(bound);
    for (int i = 0; i < 3; ++i) {
        sides.above[i] = F(Less)(bound, volumes->at[i]);
        sides.below[i] = F(Less)(volumes->at[i], negative);
    }
    return sides;
}

GRZ_SIMD_INLINE Sides findSides(const Vector corners[3], Vector origin, Vector normal, Floats bound) {
    const Volumes volumes = measureVolumes(corners, origin, normal);
    return sidesOf(&volumes, bound);
}

GRZ_SIMD_INLINE Mask allOf(const Mask masks[3]) {
    return M(And)(M(And)(masks[0], masks[1]), masks[2]);
}

GRZ_SIMD_INLINE Mask areOnOneSide(const Sides* sides) {
    return M(Or)(allOf(sides->above), allOf(sides->below));
}

GRZ_SIMD_PART Mask areSure(const Sides* sides) {
    Mask sure[3];
    for (int i = 0; i < 3; ++i)
        sure[i] = M(Or)(sides->above[i], sides->below[i]);
    return allOf(sure);
}

// ------------------------------------------------------------------------------------------------------ crossing

// Turns the corners until the one that is alone on its side is first, and tells where that is above.
GRZ_SIMD_PART Mask turnLonelyFirst(Vector corners[3], const Sides* sides) {
    Mask is1Alone = M(Not)(M(Xor)(sides->above[0], sides->above[2]));
    Mask is0Alone = M(Not)(M(Xor)(sides->above[1], sides->above[2]));
    Vector p = corners[0], q = corners[1], r = corners[2];
    corners[0] = Vector_Select(is0Alone, p, Vector_Select(is1Alone, q, r));
    corners[1] = Vector_Select(is0Alone, q, Vector_Select(is1Alone, r, p));
    corners[2] = Vector_Select(is0Alone, r, Vector_Select(is1Alone, p, q));
    Mask above = M(And)(is0Alone, sides->above[0]);
    above = M(Or)(above, M(And)(M(AndNot)(is1Alone, is0Alone), sides->above[1]));
    return M(Or)(above, M(AndNot)(M(AndNot)(sides->above[2], is0Alone), is1Alone));
}

GRZ_SIMD_INLINE void swapWhere(Mask mask, Vector* p, Vector* q) {
    Vector old = *p;
    *p = Vector_Select(mask, *q, old);
    *q = Vector_Select(mask, old, *q);
}

GRZ_SIMD_INLINE Floats volumeOf(Vector a, Vector b, Vector c, Vector d) {
    return Vector_Dot(Vector_Sub(a, d), Vector_Cross(Vector_Sub(b, d), Vector_Sub(c, d)));
}

// Of lanes all of whose sides are sure and not on one side. Where a lonely corner is not above, the other triangle
// is seen from behind, so two of its corners trade places.
GRZ_SIMD_PART Verdict compareCrossings(const Corners* c, const Sides* sidesA, const Sides* sidesB, Floats bound) {
    Vector a[3] = {c->a[0], c->a[1], c->a[2]}, b[3] = {c->b[0], c->b[1], c->b[2]};
    Mask aboveA = turnLonelyFirst(a, sidesA), aboveB = turnLonelyFirst(b, sidesB);
    swapWhere(M(Not)(aboveA), &b[1], &b[2]);
    swapWhere(M(Not)(aboveB), &a[1], &a[2]);
    Floats first = volumeOf(a[0], a[1], b[0], b[1]), second = volumeOf(a[0], a[2], b[2], b[0]);
    Floats negative = F(Negate)(bound);
    Verdict verdict;
    verdict.none = M(Or)(F(Less)(first, negative), F(Less)(second, negative));
    verdict.segment = M(And)(F(Less)(bound, first), F(Less)(bound, second));
    return verdict;
}

#endif
