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
GRZ_SIMD_PART Floats clearanceOf(const Volumes* volumes, Floats bound, Floats lengths) {
    const Floats *v = volumes->at, least = F(Min)(F(Min)(v[0], v[1]), v[2]);
    const Floats greatest = F(Max)(F(Max)(v[0], v[1]), v[2]);
    const Floats sure = F(Sub)(F(Max)(least, F(Negate)(greatest)), bound);
    const Mask isSure = F(Greater)(sure, F(Zero)()); // NaNs are not
    return F(Select)(isSure, F(Div)(sure, lengths), F(Zero)());
}

GRZ_SIMD_INLINE Floats gapAlong(Floats p, Floats q, Floats r, const PlacedLeaf* b, int axis) {
    const Floats lower = F(Min)(F(Min)(p, q), r), upper = F(Max)(F(Max)(p, q), r);
    return F(Max)(F(Sub)(repeatLanes(b->lower[axis]), upper), F(Sub)(lower, repeatLanes(b->upper[axis])));
}

// How far the boxes are apart; not above 0 where they are not.
GRZ_SIMD_INLINE Floats gapsOf(const Vector a[3], const PlacedLeaf* b) {
    const Floats x = gapAlong(a[0].x, a[1].x, a[2].x, b, 0), y = gapAlong(a[0].y, a[1].y, a[2].y, b, 1);
    return F(Max)(F(Max)(x, y), gapAlong(a[0].z, a[1].z, a[2].z, b, 2));
}

// Of pairs of A's triangles from one on: what tells how far they are apart.
typedef struct Apart {
    Floats gaps;
    Volumes volumes[2];
} Apart;

enum { APARTS = 16 / PAIR_LANES };

// For leaves all of whose pairs are apart. Triangles that are not there are as the first.
GRZ_SIMD_PART float slackOf(const ModelLeaf* a, const PlacedLeaf* b, const Apart aparts[APARTS], Floats bound) {
    const float boundOfNormal = boundOfNormals(a, b);
    float lengthsA[4], lengthsB[4], slacks[16];
    normalLengths(a->at, boundOfNormal, lengthsA);
    normalLengths((const float(*)[16])b->at, boundOfNormal, lengthsB);
    for (int k = 0; k < APARTS; ++k) {
        const Floats byB = clearanceOf(&aparts[k].volumes[0], bound, repeatLanes(lengthsB));
        const Floats byA = clearanceOf(&aparts[k].volumes[1], bound, spreadLanes(lengthsA + k * PAIR_LANES / 4));
        F(Store)(slacks + k * PAIR_LANES, F(Max)(aparts[k].gaps, F(Max)(byA, byB)));
    }
    return 1.99999F * grzF16_ReduceMin(grzF16_Load(slacks));
}

GRZ_SIMD_INLINE Corners cornersFrom(const ModelLeaf* a, int triangle, const PlacedLeaf* b) {
    Corners c;
    for (int k = 0; k < 3; ++k) {
        c.a[k] = spreadAt(a->at, 4 * k + triangle);
        c.b[k] = repeatAt(b->at, 4 * k);
    }
    return c;
}

// As findMeetings. *slack is below 0 where a pair is open.
GRZ_SIMD_CALL LeafMeetings findMeetingsAndSlack(const ModelLeaf* a, const PlacedLeaf* b, uint32_t countB,
                                                float* slack) {
    const uint32_t present = presentPairs(a, countB);
    const Floats bound = boundOfVolumes(a, b);
    LeafMeetings all = {0, 0, 0};
    Apart aparts[APARTS];
    uint32_t open = 0;
    for (int k = 0, triangle = 0; k < APARTS; ++k, triangle += PAIR_LANES / 4) {
        const Corners c = cornersFrom(a, triangle, b);
        aparts[k].gaps = gapsOf(c.a, b);
        aparts[k].volumes[0] = measureVolumes(c.a, c.b[0], repeatAt(b->at, 12));
        aparts[k].volumes[1] = measureVolumes(c.b, c.a[0], spreadAt(a->at, 12 + triangle));
        const Sides sidesA = sidesOf(&aparts[k].volumes[0], bound), sidesB = sidesOf(&aparts[k].volumes[1], bound);
        const Mask areApart =
            M(Or)(F(Greater)(aparts[k].gaps, F(Zero)()), M(Or)(areOnOneSide(&sidesA), areOnOneSide(&sidesB)));
        open |= (pairsFrom(present, triangle) & ~M(Bits)(areApart)) << 4 * triangle;
    }
    *slack = open == 0 ? slackOf(a, b, aparts, bound) : -(float)INFINITY;
    if (open == 0)
        return all;
    for (int k = 0, triangle = 0; k < APARTS; ++k, triangle += PAIR_LANES / 4) {
        const uint32_t some = pairsFrom(open, triangle);
        if (some == 0)
            continue;
        const Corners c = cornersFrom(a, triangle, b);
        const Sides sidesA = sidesOf(&aparts[k].volumes[0], bound), sidesB = sidesOf(&aparts[k].volumes[1], bound);
        addMeetings(&all, compareOpen(some, &c, &sidesA, &sidesB, bound), triangle);
    }
    return all;
}

#endif
