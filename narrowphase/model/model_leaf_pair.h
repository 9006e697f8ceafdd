// What: the sixteen pairs of triangles of two leaves, a lane each: which of them meet.
// Promise: a pair that is said to meet does, one that is left out has no point in common; the others are named, to be tested
//   exactly. The same at every SIMD level.
// Idea: lane 4i + k is triangle i of A and triangle k of B. So a coordinate of A's four triangles is spread, each over four
//   lanes, one of B's is repeated four times, and all that follows is lane by lane:
//
//     at[axis]   c0 c0 c0 c0  c1 c1 c1 c1  c2 c2 c2 c2  n n n n        corner c of triangle k is lane 4c + k
//     A          0000 1111 2222 3333       B   0123 0123 0123 0123
//
//   From the cheapest test to the dearest, until no lane is left: boxes of the leaves (a third of what the walk brings ends
//   here, for B's triangles have a smaller box in A's frame than their leaf's box has), boxes of triangles, planes, crossings.
// Holds: normals are computed as in model.c, by the operations of tri_lanes.h, so that the bound of tri_kernel.c holds: here
//   for the box of both leaves, which holds all six corners of any pair.
// Tried and lost: planes by corners, four triangles of one leaf beside one plane of the other at a time: twice the operations.
// Cost: 5 to 35 ns with AVX-512, where it ends.
// Based on: as tri_lanes.h.
#ifndef GRAZE_NARROWPHASE_MODEL_LEAF_PAIR_H
#define GRAZE_NARROWPHASE_MODEL_LEAF_PAIR_H

#include "model_inside.h"
#include "model_normals.h"
#include "model_relation.h"
#include "tri_lanes.h"

// A leaf of B in A's frame, with the boxes that its triangles have there.
typedef struct PlacedLeaf {
    _Alignas(64) float at[3][16];
    float lower[3][4], upper[3][4]; // of the triangles
    float boxLower[4], boxUpper[4]; // of the leaf; the fourth is 0
} PlacedLeaf;

// Bit 4i + k. Open: neither boxes nor planes tell them apart; of those, what surely meets and what is to be tested.
typedef struct LeafMeetings {
    uint32_t open, meet, undecided;
} LeafMeetings;

// ---- placing ----

// Rows of axes with a lane for each triangle to the least or greatest of each axis.
GRZ_SIMD_INLINE grzF4 leastOfRows(const grzF4 rows[3]) {
    grzF4 x = rows[0], y = rows[1], z = rows[2], w = grzF4_Zero();
    grzTranspose4(&x, &y, &z, &w);
    return grzF4_Min(grzF4_Min(x, y), grzF4_Min(z, w));
}

GRZ_SIMD_INLINE grzF4 greatestOfRows(const grzF4 rows[3]) {
    grzF4 x = rows[0], y = rows[1], z = rows[2], w = grzF4_Zero();
    grzTranspose4(&x, &y, &z, &w);
    return grzF4_Max(grzF4_Max(x, y), grzF4_Max(z, w));
}

GRZ_SIMD_PART void setBoxes(PlacedLeaf* leaf) {
    grzF4 lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        const float* row = leaf->at[axis];
        const grzF4 p = grzF4_Load(row), q = grzF4_Load(row + 4), r = grzF4_Load(row + 8);
        lower[axis] = grzF4_Min(grzF4_Min(p, q), r);
        upper[axis] = grzF4_Max(grzF4_Max(p, q), r);
        grzF4_Store(leaf->lower[axis], lower[axis]);
        grzF4_Store(leaf->upper[axis], upper[axis]);
    }
    grzF4_Store(leaf->boxLower, leastOfRows(lower));
    grzF4_Store(leaf->boxUpper, greatestOfRows(upper));
}

// Corners by the operations of model_pair.h.
GRZ_SIMD_PART void placeLeaf(const ModelFrame* frame, const ModelLeaf* leaf, PlacedLeaf* to) {
    const grzF16 x = grzF16_Load(leaf->at[0]), y = grzF16_Load(leaf->at[1]), z = grzF16_Load(leaf->at[2]);
    for (int i = 0; i < 3; ++i) {
        const grzF16 xy = grzF16_Add(grzF16_Mul(grzF16_Set1(frame->columns[0][i]), x),
                                     grzF16_Mul(grzF16_Set1(frame->columns[1][i]), y));
        const grzF16 zo =
            grzF16_Add(grzF16_Mul(grzF16_Set1(frame->columns[2][i]), z), grzF16_Set1(frame->origin[i]));
        grzF16_StoreAligned(to->at[i], grzF16_Add(xy, zo));
    }
    setBoxes(to);
    setNormals(to->at);
}

// ---- a margin ----

// For candidates: what its boxes are apart from is farther than the margin from it.
GRZ_SIMD_INLINE void growBoxes(const ModelRelation* relation, PlacedLeaf* leaf) {
    const grzF4 margin = grzF4_Load(relation->grow);
    grzF4_Store(leaf->boxLower, grzF4_Sub(grzF4_Load(leaf->boxLower), margin));
    grzF4_Store(leaf->boxUpper, grzF4_Add(grzF4_Load(leaf->boxUpper), margin));
    for (int axis = 0; axis < 3; ++axis) {
        const grzF4 own = grzF4_Set1(relation->grow[axis]);
        grzF4_Store(leaf->lower[axis], grzF4_Sub(grzF4_Load(leaf->lower[axis]), own));
        grzF4_Store(leaf->upper[axis], grzF4_Add(grzF4_Load(leaf->upper[axis]), own));
    }
}

// How far the margin reaches along a normal, as volumes measure it: a box, and where lengths are the same in all directions a
// ball. Squares of very short normals are lost: those have the box.
GRZ_SIMD_INLINE grzF16 marginAlong(const ModelRelation* relation, Vector normal) {
    const grzF16 x = grzF16_Mul(grzF16_Set1(relation->grow[0]), grzF16_Abs(normal.x));
    const grzF16 y = grzF16_Mul(grzF16_Set1(relation->grow[1]), grzF16_Abs(normal.y));
    const grzF16 z = grzF16_Mul(grzF16_Set1(relation->grow[2]), grzF16_Abs(normal.z));
    const grzF16 box = grzF16_Mul(grzF16_Set1(1.000001F), grzF16_Add(grzF16_Add(x, y), z));
    if (!(relation->farthest <= FLT_MAX))
        return box;
    const grzF16 sq = Vector_Dot(normal, normal);
    const grzF16 ball = grzF16_Mul(grzF16_Set1(1.000001F * relation->farthest), grzF16_Sqrt(sq));
    return grzF16_Select(grzF16_Less(grzF16_Set1(1e-30F), sq), ball, box);
}

// The gap of boxes along an axis, squared; b's have grown.
GRZ_SIMD_INLINE grzF16 grownGap(grzF16 p, grzF16 q, grzF16 r, const PlacedLeaf* b, int axis, float grown) {
    const grzF16 lower = grzF16_Min(grzF16_Min(p, q), r), upper = grzF16_Max(grzF16_Max(p, q), r);
    const grzF16 above = grzF16_Sub(grzF16_LoadRepeat4(b->lower[axis]), upper);
    const grzF16 below = grzF16_Sub(lower, grzF16_LoadRepeat4(b->upper[axis]));
    const grzF16 gap = grzF16_Max(grzF16_Add(grzF16_Max(above, below), grzF16_Set1(grown)), grzF16_Set1(0));
    return grzF16_Mul(gap, gap);
}

// Boxes farther apart than the margin, over their corners too.
GRZ_SIMD_INLINE grzM16 areBoxesFar(const ModelRelation* relation, const Vector a[3], const PlacedLeaf* b) {
    grzF16 sum = grownGap(a[0].x, a[1].x, a[2].x, b, 0, relation->grow[0]);
    sum = grzF16_Add(sum, grownGap(a[0].y, a[1].y, a[2].y, b, 1, relation->grow[1]));
    sum = grzF16_Add(sum, grownGap(a[0].z, a[1].z, a[2].z, b, 2, relation->grow[2]));
    return grzF16_Less(grzF16_Set1(relation->farthest * relation->farthest), sum);
}

// ---- rejecting ----

GRZ_SIMD_INLINE bool areLeavesApart(const ModelLeaf* a, const PlacedLeaf* b) {
    const grzM4 below = grzF4_Less(grzF4_Load(a->upper), grzF4_Load(b->boxLower));
    const grzM4 above = grzF4_Less(grzF4_Load(b->boxUpper), grzF4_Load(a->lower));
    return grzM4_Any(grzM4_Or(below, above));
}

GRZ_SIMD_INLINE Vector spreadAt(const float (*at)[16], int lane) {
    return (Vector){grzF16_LoadSpread4(at[0] + lane), grzF16_LoadSpread4(at[1] + lane),
                    grzF16_LoadSpread4(at[2] + lane)};
}

GRZ_SIMD_INLINE Vector repeatAt(const float (*at)[16], int lane) {
    return (Vector){grzF16_LoadRepeat4(at[0] + lane), grzF16_LoadRepeat4(at[1] + lane),
                    grzF16_LoadRepeat4(at[2] + lane)};
}

GRZ_SIMD_INLINE grzM16 areApartAlong(grzF16 p, grzF16 q, grzF16 r, const PlacedLeaf* b, int axis) {
    const grzF16 lower = grzF16_Min(grzF16_Min(p, q), r), upper = grzF16_Max(grzF16_Max(p, q), r);
    return grzM16_Or(grzF16_Less(upper, grzF16_LoadRepeat4(b->lower[axis])),
                     grzF16_Less(grzF16_LoadRepeat4(b->upper[axis]), lower));
}

GRZ_SIMD_INLINE grzM16 areBoxesApart(const Vector a[3], const PlacedLeaf* b) {
    const grzM16 x = areApartAlong(a[0].x, a[1].x, a[2].x, b, 0);
    const grzM16 y = areApartAlong(a[0].y, a[1].y, a[2].y, b, 1);
    return grzM16_Or(grzM16_Or(x, y), areApartAlong(a[0].z, a[1].z, a[2].z, b, 2));
}

// How long the box of both leaves is along each axis; the fourth is 0.
GRZ_SIMD_INLINE grzF4 extentOf(const ModelLeaf* a, const PlacedLeaf* b) {
    const grzF4 lower = grzF4_Min(grzF4_Load(a->lower), grzF4_Load(b->boxLower));
    const grzF4 upper = grzF4_Max(grzF4_Load(a->upper), grzF4_Load(b->boxUpper));
    return grzF4_Sub(upper, lower);
}

// Beyond which value a volume of two triangles of these leaves is sure; infinity where none ever is.
GRZ_SIMD_PART grzF16 boundOfVolumes(const ModelLeaf* a, const PlacedLeaf* b) {
    float extent[4];
    grzF4_Store(extent, extentOf(a, b));
    const float sum = (extent[0] + extent[1]) + extent[2];
    const float rounding = VOLUME_ERROR * (extent[0] * extent[1] * extent[2]);
    return grzF16_Set1(sum <= LARGEST_SUM ? rounding + FLT_MIN * (sum + 1) : (float)INFINITY);
}

// ---- all of it ----

// Of triangles that are there.
static inline uint32_t presentPairs(const ModelLeaf* a, uint32_t countB) {
    return ((1u << 4 * a->count) - 1) & 0x1111u * ((1u << countB) - 1);
}

// Of the open pairs, those of which the crossings tell.
GRZ_SIMD_PART LeafMeetings compareOpen(uint32_t open, const Corners* c, const Sides* sidesA, const Sides* sidesB,
                                       grzF16 bound) {
    const uint32_t sure = open & grzM16_Bits(grzM16_And(areSure(sidesA), areSure(sidesB)));
    const Verdict crossing = compareCrossings(c, sidesA, sidesB, bound);
    const uint32_t meet = sure & grzM16_Bits(crossing.segment);
    return (LeafMeetings){open, meet, open & ~meet & ~(sure & grzM16_Bits(crossing.none))};
}

GRZ_SIMD_PART LeafMeetings findMeetings(const ModelLeaf* a, const PlacedLeaf* b, uint32_t countB) {
    const LeafMeetings nothing = {0, 0, 0};
    Corners c;
    for (int k = 0; k < 3; ++k)
        c.a[k] = spreadAt(a->at, 4 * k);
    uint32_t open = presentPairs(a, countB) & ~grzM16_Bits(areBoxesApart(c.a, b));
    if (open == 0)
        return nothing;
    for (int k = 0; k < 3; ++k)
        c.b[k] = repeatAt(b->at, 4 * k);
    const grzF16 bound = boundOfVolumes(a, b);
    const Sides sidesA = findSides(c.a, c.b[0], repeatAt(b->at, 12), bound);
    const Sides sidesB = findSides(c.b, c.a[0], spreadAt(a->at, 12), bound);
    open &= ~grzM16_Bits(grzM16_Or(areOnOneSide(&sidesA), areOnOneSide(&sidesB)));
    return open == 0 ? nothing : compareOpen(open, &c, &sidesA, &sidesB, bound);
}

// The pairs that neither boxes nor planes part by more than the margin; b's boxes have grown by it, so that the bound of the
// volumes is above the one for the corners as they are.
GRZ_SIMD_INLINE uint32_t findNear(const ModelRelation* relation, const ModelLeaf* a, const PlacedLeaf* b,
                                  uint32_t countB) {
    Corners c;
    for (int k = 0; k < 3; ++k)
        c.a[k] = spreadAt(a->at, 4 * k);
    uint32_t open = presentPairs(a, countB) & ~grzM16_Bits(areBoxesApart(c.a, b));
    if (open != 0)
        open &= ~grzM16_Bits(areBoxesFar(relation, c.a, b));
    if (open == 0)
        return 0;
    for (int k = 0; k < 3; ++k)
        c.b[k] = repeatAt(b->at, 4 * k);
    const grzF16 bound = boundOfVolumes(a, b);
    const Vector normalA = spreadAt(a->at, 12), normalB = repeatAt(b->at, 12);
    const Sides sidesA = findSides(c.a, c.b[0], normalB, grzF16_Add(bound, marginAlong(relation, normalB)));
    const Sides sidesB = findSides(c.b, c.a[0], normalA, grzF16_Add(bound, marginAlong(relation, normalA)));
    return open & ~grzM16_Bits(grzM16_Or(areOnOneSide(&sidesA), areOnOneSide(&sidesB)));
}

#endif
