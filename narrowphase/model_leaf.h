// What: sixteen pairs of triangles, of two leaves, by the planes of each: which of them may meet.
// Promise: a pair that is not named has no point in common; what is named is to be tested exactly.
// Idea: the twelve corners of a leaf are lanes of three vectors, so one plane of the other leaf is tested against all
//   twelve by eight operations. Four planes of either side make 32 tests of corners against planes at a time.
//
//     at[axis]   c0 c0 c0 c0  c1 c1 c1 c1  c2 c2 c2 c2  n n n n        corner c of triangle k is lane 4c + k
//
//   A triangle is apart where its three corners surely lie on one side: the least of three quarters of the result is above
//   the bound, or the greatest below its negative. Sure is what exceeds the bound of tri_kernel.c, here for the box of both
//   leaves, which holds all six corners of any pair.
// Holds: normals are computed as in model.c, so that the bound's count of roundings is that of tri_kernel.c.
// Based on: [Moller, A Fast Triangle-Triangle Intersection Test, JGT 1997] for rejection by both planes.
#ifndef GRAZE_NARROWPHASE_MODEL_LEAF_H
#define GRAZE_NARROWPHASE_MODEL_LEAF_H

#include <float.h>

#include "model_inside.h"
#include "model_relation.h"
#include "simd.h"

// As tri_kernel.c has them.
#define LEAF_VOLUME_ERROR (50 * 0x1p-24f)
#define LEAF_LARGEST_SUM  0x1p40f

// A leaf of B in A's frame.
typedef struct MovedLeaf {
    _Alignas(64) float at[3][16];
    float lower[4], upper[4];
} MovedLeaf;

GRZ_SIMD_INLINE grzF4 quarter(grzF16 row, int k) {
    const grzF8 half = k < 2 ? grzF16_Lower(row) : grzF16_Upper(row);
    return (k & 1) == 0 ? grzF8_Lower(half) : grzF8_Upper(half);
}

GRZ_SIMD_INLINE grzF16 replaceLastQuarter(grzF16 row, grzF4 last) {
    return grzF16_Join(grzF16_Lower(row), grzF8_Join(grzF8_Lower(grzF16_Upper(row)), last));
}

GRZ_SIMD_INLINE void storeWithNormals(const grzF16 rows[3], MovedLeaf* to) {
    grzF4 e[3], f[3];
    for (int axis = 0; axis < 3; ++axis) {
        e[axis] = grzF4_Sub(quarter(rows[axis], 1), quarter(rows[axis], 0));
        f[axis] = grzF4_Sub(quarter(rows[axis], 2), quarter(rows[axis], 0));
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int p = (axis + 1) % 3, q = (axis + 2) % 3;
        const grzF4 normal = grzF4_Sub(grzF4_Mul(e[p], f[q]), grzF4_Mul(e[q], f[p]));
        grzF16_StoreAligned(to->at[axis], replaceLastQuarter(rows[axis], normal));
    }
}

// The box as the box tests have it: it holds the corners, with the rounding of their way.
GRZ_SIMD_INLINE void moveBox(const ModelFrame* frame, const ModelLeaf* leaf, MovedLeaf* to) {
    grzF4 center = grzF4_Load(frame->twiceOrigin), radius = grzF4_Load(frame->twiceMargin);
    for (int j = 0; j < 3; ++j) {
        const grzF4 sum = grzF4_Set1(leaf->lower[j] + leaf->upper[j]);
        const grzF4 difference = grzF4_Set1(leaf->upper[j] - leaf->lower[j]);
        center = grzF4_Add(center, grzF4_Mul(grzF4_Load(frame->columns[j]), sum));
        radius = grzF4_Add(radius, grzF4_Mul(grzF4_Load(frame->absolute[j]), difference));
    }
    grzF4_Store(to->lower, grzF4_Mul(grzF4_Set1(0.5F), grzF4_Sub(center, radius)));
    grzF4_Store(to->upper, grzF4_Mul(grzF4_Set1(0.5F), grzF4_Add(center, radius)));
}

// The operations of model_pair.h.
GRZ_SIMD_INLINE void moveLeaf(const ModelFrame* frame, const ModelLeaf* leaf, MovedLeaf* to) {
    const grzF16 x = grzF16_Load(leaf->at[0]), y = grzF16_Load(leaf->at[1]), z = grzF16_Load(leaf->at[2]);
    grzF16 rows[3];
    for (int i = 0; i < 3; ++i) {
        const grzF16 xy = grzF16_Add(grzF16_Mul(grzF16_Set1(frame->columns[0][i]), x),
                                     grzF16_Mul(grzF16_Set1(frame->columns[1][i]), y));
        const grzF16 zo =
            grzF16_Add(grzF16_Mul(grzF16_Set1(frame->columns[2][i]), z), grzF16_Set1(frame->origin[i]));
        rows[i] = grzF16_Add(xy, zo);
    }
    storeWithNormals(rows, to);
    moveBox(frame, leaf, to);
}

// Beyond which value a volume of two triangles in these boxes is sure; infinity where none ever is.
GRZ_SIMD_INLINE float volumeBound(const ModelLeaf* a, const MovedLeaf* b) {
    float extent[4];
    const grzF4 lower = grzF4_Min(grzF4_Load(a->lower), grzF4_Load(b->lower));
    const grzF4 upper = grzF4_Max(grzF4_Load(a->upper), grzF4_Load(b->upper));
    grzF4_Store(extent, grzF4_Sub(upper, lower));
    const float sum = (extent[0] + extent[1]) + extent[2];
    const float rounding = LEAF_VOLUME_ERROR * (extent[0] * extent[1] * extent[2]);
    return sum <= LEAF_LARGEST_SUM ? rounding + FLT_MIN * (sum + 1) : (float)INFINITY;
}

// How far the corners of four triangles are from a plane, by volume: the least and the greatest of each triangle's three.
typedef struct Range {
    grzF4 least, greatest;
} Range;

GRZ_SIMD_INLINE Range rangeFromPlane(const grzF16 corners[3], const float (*planes)[16], int i) {
    grzF16 terms[3];
    for (int axis = 0; axis < 3; ++axis)
        terms[axis] =
            grzF16_Mul(grzF16_Sub(corners[axis], grzF16_Set1(planes[axis][i])), grzF16_Set1(planes[axis][12 + i]));
    const grzF16 volume = grzF16_Add(grzF16_Add(terms[0], terms[1]), terms[2]);
    const grzF4 p = quarter(volume, 0), q = quarter(volume, 1), r = quarter(volume, 2);
    return (Range){grzF4_Min(grzF4_Min(p, q), r), grzF4_Max(grzF4_Max(p, q), r)};
}

GRZ_SIMD_INLINE grzF16 joinQuarters(grzF4 a, grzF4 b, grzF4 c, grzF4 d) {
    return grzF16_Join(grzF8_Join(a, b), grzF8_Join(c, d));
}

// Bit 4i + k: triangle k lies surely on one side of plane i. NaNs are on none.
GRZ_SIMD_INLINE uint32_t findBeside(const float (*triangles)[16], const float (*planes)[16], float bound) {
    const grzF16 corners[3] = {grzF16_Load(triangles[0]), grzF16_Load(triangles[1]), grzF16_Load(triangles[2])};
    Range of[4];
    for (int i = 0; i < 4; ++i)
        of[i] = rangeFromPlane(corners, planes, i);
    const grzF16 least = joinQuarters(of[0].least, of[1].least, of[2].least, of[3].least);
    const grzF16 greatest = joinQuarters(of[0].greatest, of[1].greatest, of[2].greatest, of[3].greatest);
    return grzM16_Bits(
        grzM16_Or(grzF16_Less(grzF16_Set1(bound), least), grzF16_Less(greatest, grzF16_Set1(-bound))));
}

// Bit 4k + i to bit 4i + k.
static inline uint32_t turnBits(uint32_t bits) {
    bits = (bits & 0xA5A5u) | (bits & 0x0A0Au) << 3 | (bits >> 3 & 0x0A0Au);
    return (bits & 0xCC33u) | (bits & 0x00CCu) << 6 | (bits >> 6 & 0x00CCu);
}

// Bit 4i + k: triangle i of A and triangle k of B may meet.
GRZ_SIMD_INLINE uint32_t findOpenPairs(const ModelLeaf* a, const MovedLeaf* b, uint32_t countB) {
    const float bound = volumeBound(a, b);
    const uint32_t present = ((1u << 4 * a->count) - 1) & 0x1111u * ((1u << countB) - 1);
    const uint32_t open = present & ~findBeside((const float(*)[16])b->at, a->at, bound);
    if (open == 0)
        return 0;
    return open & ~turnBits(findBeside(a->at, (const float(*)[16])b->at, bound));
}

#endif
