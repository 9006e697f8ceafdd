// What: sixteen pairs of triangles of two leaves: which of them may meet, and if none may, by how much they are apart.
// Promise: a pair that is not named has no point in common. Where none is named and corners of B, or of A, then move by less
//   than half the clearance, none has.
// Idea: as model_leaf.h, whose parts are used. A triangle whose corners are on one side of a plane with volumes of at least
//   v is v / |n| from it, n the plane's normal. Moving the corners of a triangle by d moves no point of it, and of its
//   plane no point between its corners, by more. So two triangles stay apart until d is v / |n| for the better of the two
//   planes. Leaves whose boxes are apart stay apart as well until d is the gap.
// Holds: the volume is off by less than the bound of model_leaf.h. A component of the normal is off by at most
//   8 u e f, e and f extents of the box of both leaves and u = 2^-24, which 2^-20 times the square of their sum exceeds; where
//   its square underflows, the root is off by less than 2^-62.
#ifndef GRAZE_NARROWPHASE_MODEL_FRONT_LEAF_H
#define GRAZE_NARROWPHASE_MODEL_FRONT_LEAF_H

#include "model_leaf.h"

// What of the box of both leaves is needed.
typedef struct LeafScale {
    float volumeBound, normalBound;
} LeafScale;

GRZ_SIMD_INLINE LeafScale scaleOf(const ModelLeaf* a, const MovedLeaf* b) {
    float extent[4];
    const grzF4 lower = grzF4_Min(grzF4_Load(a->lower), grzF4_Load(b->lower));
    const grzF4 upper = grzF4_Max(grzF4_Load(a->upper), grzF4_Load(b->upper));
    grzF4_Store(extent, grzF4_Sub(upper, lower));
    const float sum = (extent[0] + extent[1]) + extent[2];
    return (LeafScale){volumeBound(a, b), 0x1p-20F * (sum * sum) + 0x1p-62F};
}

// At least the lengths of the four normals.
GRZ_SIMD_INLINE grzF4 normalLengths(const float (*planes)[16], float bound) {
    const grzF4 x = grzF4_Load(planes[0] + 12), y = grzF4_Load(planes[1] + 12), z = grzF4_Load(planes[2] + 12);
    const grzF4 squares = grzF4_Add(grzF4_Add(grzF4_Mul(x, x), grzF4_Mul(y, y)), grzF4_Mul(z, z));
    return grzF4_Add(grzF4_Mul(grzF4_Sqrt(squares), grzF4_Set1(1.000001F)), grzF4_Set1(bound));
}

// Lane k of row i: how far triangle k is from plane i at least; below 0 where that is not sure.
GRZ_SIMD_INLINE void clearFrom(const float (*triangles)[16], const float (*planes)[16], LeafScale scale,
                               grzF4 rows[4]) {
    const grzF16 corners[3] = {grzF16_Load(triangles[0]), grzF16_Load(triangles[1]), grzF16_Load(triangles[2])};
    float lengths[4];
    grzF4_Store(lengths, normalLengths(planes, scale.normalBound));
    for (int i = 0; i < 4; ++i) {
        const Range range = rangeFromPlane(corners, planes, i);
        const grzF4 volume = grzF4_Max(range.least, grzF4_Negate(range.greatest));
        const grzF4 sure = grzF4_Sub(volume, grzF4_Set1(scale.volumeBound));
        const grzF4 clear = grzF4_Div(sure, grzF4_Set1(lengths[i]));
        rows[i] = grzF4_Select(grzF4_Greater(sure, grzF4_Zero()), clear, grzF4_Set1(-1)); // NaNs are not sure
    }
}

// How far the boxes are apart, along A's axes.
GRZ_SIMD_INLINE float gapOf(const ModelLeaf* a, const MovedLeaf* b) {
    float gap[4];
    const grzF4 below = grzF4_Sub(grzF4_Load(a->lower), grzF4_Load(b->upper));
    const grzF4 above = grzF4_Sub(grzF4_Load(b->lower), grzF4_Load(a->upper));
    grzF4_Store(gap, grzF4_Max(below, above));
    const float most = gap[0] > gap[1] ? gap[0] : gap[1];
    return most > gap[2] ? most : gap[2];
}

// Bit 4i + k: triangle i of A and triangle k of B may meet. *slack is twice the clearance, less some for its own rounding;
// below 0 where a bit is set.
GRZ_SIMD_INLINE uint32_t findOpenAndSlack(const ModelLeaf* a, const MovedLeaf* b, uint32_t countB, float* slack) {
    const LeafScale scale = scaleOf(a, b);
    grzF4 byA[4], byB[4];
    clearFrom((const float(*)[16])b->at, a->at, scale, byA);
    clearFrom(a->at, (const float(*)[16])b->at, scale, byB);
    grzTranspose4(&byB[0], &byB[1], &byB[2], &byB[3]);
    for (int i = 0; i < 4; ++i)
        byA[i] = grzF4_Max(byA[i], byB[i]);
    const grzF16 clear = joinQuarters(byA[0], byA[1], byA[2], byA[3]);
    const float least = grzF16_ReduceMin(clear), gap = gapOf(a, b); // triangles that are not there are as the first
    *slack = 1.99999F * (least > gap ? least : gap);
    if (gap > 0)
        return 0;
    const uint32_t present = ((1u << 4 * a->count) - 1) & 0x1111u * ((1u << countB) - 1);
    return present & ~grzM16_Bits(grzF16_Greater(clear, grzF16_Zero()));
}

#endif
