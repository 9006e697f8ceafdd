// What: sixteen pairs of triangles of two leaves: which of them meet, and if all are apart, by how much.
// Promise: of the pairs as model_leaf_pair.h. Where all are apart and corners of B, or of A, then move by less than half the
//   slack, all are.
// Idea: as model_leaf_pair.h, lane by lane. Two triangles keep apart while the corners of one of them move by less than they are
//   apart, since then none of its points moves by more. They are apart at least by the gap of their boxes along an axis; and
//   where the corners of one are on one side of the other's plane with volumes of at least v, by v / |n|, n the normal. The
//   best of the three counts; of the pairs, the least.
// Holds: [proof] The volume is off by less than the bound of model_leaf_pair.h. The normal is that of model.c, of corners in the
//   box of both leaves: a component is off by at most 8 u e f, e and f extents of that box and u = 2^-24, which 2^-20 times the
//   square of their sum exceeds; where its square underflows, the root is off by less than 2^-62. The corners are floats as
//   they stand, so that a gap is rounded once. What a root, a quotient and sums round is less than is taken off: 16 u of the
//   length, 80 u of the slack.
// Cost: a root and two quotients more than model_leaf_pair.h, and no way out at boxes: the planes may tell more than a gap.
#ifndef GRAZE_NARROWPHASE_MODEL_FRONT_LEAF_H
#define GRAZE_NARROWPHASE_MODEL_FRONT_LEAF_H

#include "model_leaf_pair.h"

// At least the lengths of the four normals.
GRZ_SIMD_PART void normalLengths(const float (*planes)[16], float bound, float lengths[4]) {
    const grzF4 x = grzF4_Load(planes[0] + 12), y = grzF4_Load(planes[1] + 12), z = grzF4_Load(planes[2] + 12);
    const grzF4 squares = grzF4_Add(grzF4_Add(grzF4_Mul(x, x), grzF4_Mul(y, y)), grzF4_Mul(z, z));
    const grzF4 roots = grzF4_Mul(grzF4_Sqrt(squares), grzF4_Set1(1.000001F));
    grzF4_Store(lengths, grzF4_Add(roots, grzF4_Set1(bound)));
}

// How far a normal's length may be off.
GRZ_SIMD_PART float boundOfNormals(const ModelLeaf* a, const PlacedLeaf* b) {
    float extent[4];
    grzF4_Store(extent, extentOf(a, b));
    const float sum = (extent[0] + extent[1]) + extent[2];
    return 0x1p-20F * (sum * sum) + 0x1p-62F;
}

// How far triangles are from planes at least, by volumes of their corners; 0 where they are not surely on one side.
GRZ_SIMD_PART grzF16 clearanceOf(const Volumes* volumes, grzF16 bound, grzF16 lengths) {
    const grzF16 *v = volumes->at, least = grzF16_Min(grzF16_Min(v[0], v[1]), v[2]);
    const grzF16 greatest = grzF16_Max(grzF16_Max(v[0], v[1]), v[2]);
    const grzF16 sure = grzF16_Sub(grzF16_Max(least, grzF16_Negate(greatest)), bound);
    const grzM16 isSure = grzF16_Greater(sure, grzF16_Zero()); // NaNs are not
    return grzF16_Select(isSure, grzF16_Div(sure, lengths), grzF16_Zero());
}

GRZ_SIMD_INLINE grzF16 gapAlong(grzF16 p, grzF16 q, grzF16 r, const PlacedLeaf* b, int axis) {
    const grzF16 lower = grzF16_Min(grzF16_Min(p, q), r), upper = grzF16_Max(grzF16_Max(p, q), r);
    return grzF16_Max(grzF16_Sub(grzF16_LoadRepeat4(b->lower[axis]), upper),
                      grzF16_Sub(lower, grzF16_LoadRepeat4(b->upper[axis])));
}

// How far the boxes are apart; not above 0 where they are not.
GRZ_SIMD_INLINE grzF16 gapsOf(const Vector a[3], const PlacedLeaf* b) {
    const grzF16 x = gapAlong(a[0].x, a[1].x, a[2].x, b, 0), y = gapAlong(a[0].y, a[1].y, a[2].y, b, 1);
    return grzF16_Max(grzF16_Max(x, y), gapAlong(a[0].z, a[1].z, a[2].z, b, 2));
}

// For leaves all of whose pairs are apart. Triangles that are not there are as the first.
GRZ_SIMD_PART float slackOf(const ModelLeaf* a, const PlacedLeaf* b, grzF16 gaps, const Volumes volumes[2],
                            grzF16 bound) {
    const float boundOfNormal = boundOfNormals(a, b);
    float lengthsA[4], lengthsB[4];
    normalLengths(a->at, boundOfNormal, lengthsA);
    normalLengths((const float(*)[16])b->at, boundOfNormal, lengthsB);
    const grzF16 byB = clearanceOf(&volumes[0], bound, grzF16_LoadRepeat4(lengthsB));
    const grzF16 byA = clearanceOf(&volumes[1], bound, grzF16_LoadSpread4(lengthsA));
    return 1.99999F * grzF16_ReduceMin(grzF16_Max(gaps, grzF16_Max(byA, byB)));
}

// As findMeetings. *slack is below 0 where a pair is open.
GRZ_SIMD_PART LeafMeetings findMeetingsAndSlack(const ModelLeaf* a, const PlacedLeaf* b, uint32_t countB,
                                                float* slack) {
    Corners c;
    for (int k = 0; k < 3; ++k) {
        c.a[k] = spreadAt(a->at, 4 * k);
        c.b[k] = repeatAt(b->at, 4 * k);
    }
    const grzF16 bound = boundOfVolumes(a, b), gaps = gapsOf(c.a, b);
    const Volumes volumes[2] = {measureVolumes(c.a, c.b[0], repeatAt(b->at, 12)),
                                measureVolumes(c.b, c.a[0], spreadAt(a->at, 12))};
    const Sides sidesA = sidesOf(&volumes[0], bound), sidesB = sidesOf(&volumes[1], bound);
    const grzM16 areApart =
        grzM16_Or(grzF16_Greater(gaps, grzF16_Zero()), grzM16_Or(areOnOneSide(&sidesA), areOnOneSide(&sidesB)));
    const uint32_t open = presentPairs(a, countB) & ~grzM16_Bits(areApart);
    *slack = open == 0 ? slackOf(a, b, gaps, volumes, bound) : -(float)INFINITY;
    return open == 0 ? (LeafMeetings){0, 0, 0} : compareOpen(open, &c, &sidesA, &sidesB, bound);
}

#endif
