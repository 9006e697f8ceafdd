// What: the sixteen pairs of triangles of two leaves: which of them meet.
// Promise: a pair that is said to meet does, one that is left out has no point in common; the others are named, to be tested
//   exactly. The same at every SIMD level.
// Idea: lane 4i + k is triangle i of A and triangle k of B. So a coordinate of A's four triangles is spread, each over four
//   lanes, one of B's is repeated four times, and all that follows is lane by lane. Below AVX-512 there are fewer lanes: A's
//   triangles then come two at a time (AVX2), or one.
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

// ---- lanes ----

// Lane k is of[k / 4].
GRZ_SIMD_INLINE Floats spreadLanes(const float* of) {
#if PAIR_LANES == 16
    return grzF16_LoadSpread4(of);
#elif PAIR_LANES == 8
    return grzF8_Join(grzF4_Set1(of[0]), grzF4_Set1(of[1]));
#else
    return grzF4_Set1(of[0]);
#endif
}

// Lane k is of[k % 4].
GRZ_SIMD_INLINE Floats repeatLanes(const float* of) {
#if PAIR_LANES == 16
    return grzF16_LoadRepeat4(of);
#elif PAIR_LANES == 8
    return grzF8_Join(grzF4_Load(of), grzF4_Load(of));
#else
    return grzF4_Load(of);
#endif
}

GRZ_SIMD_INLINE Vector spreadAt(const float (*at)[16], int lane) {
    return (Vector){spreadLanes(at[0] + lane), spreadLanes(at[1] + lane), spreadLanes(at[2] + lane)};
}

GRZ_SIMD_INLINE Vector repeatAt(const float (*at)[16], int lane) {
    return (Vector){repeatLanes(at[0] + lane), repeatLanes(at[1] + lane), repeatLanes(at[2] + lane)};
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
GRZ_SIMD_INLINE Floats marginAlong(const ModelRelation* relation, Vector normal) {
    const Floats x = F(Mul)(F(Set1)(relation->grow[0]), F(Abs)(normal.x));
    const Floats y = F(Mul)(F(Set1)(relation->grow[1]), F(Abs)(normal.y));
    const Floats z = F(Mul)(F(Set1)(relation->grow[2]), F(Abs)(normal.z));
    const Floats box = F(Mul)(F(Set1)(1.000001F), F(Add)(F(Add)(x, y), z));
    if (!(relation->farthest <= FLT_MAX))
        return box;
    const Floats sq = Vector_Dot(normal, normal);
    const Floats ball = F(Mul)(F(Set1)(1.000001F * relation->farthest), F(Sqrt)(sq));
    return F(Select)(F(Less)(F(Set1)(1e-30F), sq), ball, box);
}

// The gap of boxes along an axis, squared; b's have grown.
GRZ_SIMD_INLINE Floats grownGap(Floats p, Floats q, Floats r, const PlacedLeaf* b, int axis, float grown) {
    const Floats lower = F(Min)(F(Min)(p, q), r), upper = F(Max)(F(Max)(p, q), r);
    const Floats above = F(Sub)(repeatLanes(b->lower[axis]), upper);
    const Floats below = F(Sub)(lower, repeatLanes(b->upper[axis]));
    const Floats gap = F(Max)(F(Add)(F(Max)(above, below), F(Set1)(grown)), F(Set1)(0));
    return F(Mul)(gap, gap);
}

// Boxes farther apart than the margin, over their corners too.
GRZ_SIMD_INLINE Mask areBoxesFar(const ModelRelation* relation, const Vector a[3], const PlacedLeaf* b) {
    Floats sum = grownGap(a[0].x, a[1].x, a[2].x, b, 0, relation->grow[0]);
    sum = F(Add)(sum, grownGap(a[0].y, a[1].y, a[2].y, b, 1, relation->grow[1]));
    sum = F(Add)(sum, grownGap(a[0].z, a[1].z, a[2].z, b, 2, relation->grow[2]));
    return F(Less)(F(Set1)(relation->farthest * relation->farthest), sum);
}

// ---- rejecting ----

GRZ_SIMD_INLINE bool areLeavesApart(const ModelLeaf* a, const PlacedLeaf* b) {
    const grzM4 below = grzF4_Less(grzF4_Load(a->upper), grzF4_Load(b->boxLower));
    const grzM4 above = grzF4_Less(grzF4_Load(b->boxUpper), grzF4_Load(a->lower));
    return grzM4_Any(grzM4_Or(below, above));
}

GRZ_SIMD_INLINE Mask areApartAlong(Floats p, Floats q, Floats r, const PlacedLeaf* b, int axis) {
    const Floats lower = F(Min)(F(Min)(p, q), r), upper = F(Max)(F(Max)(p, q), r);
    return M(Or)(F(Less)(upper, repeatLanes(b->lower[axis])), F(Less)(repeatLanes(b->upper[axis]), lower));
}

GRZ_SIMD_INLINE Mask areBoxesApart(const Vector a[3], const PlacedLeaf* b) {
    const Mask x = areApartAlong(a[0].x, a[1].x, a[2].x, b, 0);
    const Mask y = areApartAlong(a[0].y, a[1].y, a[2].y, b, 1);
    return M(Or)(M(Or)(x, y), areApartAlong(a[0].z, a[1].z, a[2].z, b, 2));
}

// How long the box of both leaves is along each axis; the fourth is 0.
GRZ_SIMD_INLINE grzF4 extentOf(const ModelLeaf* a, const PlacedLeaf* b) {
    const grzF4 lower = grzF4_Min(grzF4_Load(a->lower), grzF4_Load(b->boxLower));
    const grzF4 upper = grzF4_Max(grzF4_Load(a->upper), grzF4_Load(b->boxUpper));
    return grzF4_Sub(upper, lower);
}

// Beyond which value a volume of two triangles of these leaves is sure; infinity where none ever is.
GRZ_SIMD_PART Floats boundOfVolumes(const ModelLeaf* a, const PlacedLeaf* b) {
    float extent[4];
    grzF4_Store(extent, extentOf(a, b));
    const float sum = (extent[0] + extent[1]) + extent[2];
    const float rounding = VOLUME_ERROR * (extent[0] * extent[1] * extent[2]);
    return F(Set1)(sum <= LARGEST_SUM ? rounding + FLT_MIN * (sum + 1) : (float)INFINITY);
}

// ---- all of it ----

// Of triangles that are there.
static inline uint32_t presentPairs(const ModelLeaf* a, uint32_t countB) {
    return ((1u << 4 * a->count) - 1) & 0x1111u * ((1u << countB) - 1);
}

// The pairs of A's triangles from this one on that PAIR_LANES hold, as the lowest bits.
GRZ_SIMD_INLINE uint32_t pairsFrom(uint32_t pairs, int triangle) {
    return pairs >> 4 * triangle & ((1u << PAIR_LANES) - 1);
}

GRZ_SIMD_INLINE void addMeetings(LeafMeetings* all, LeafMeetings some, int triangle) {
    all->open |= some.open << 4 * triangle;
    all->meet |= some.meet << 4 * triangle;
    all->undecided |= some.undecided << 4 * triangle;
}

// Of the open pairs, those of which the crossings tell.
GRZ_SIMD_PART LeafMeetings compareOpen(uint32_t open, const Corners* c, const Sides* sidesA, const Sides* sidesB,
                                       Floats bound) {
    const uint32_t sure = open & M(Bits)(M(And)(areSure(sidesA), areSure(sidesB)));
    const Verdict crossing = compareCrossings(c, sidesA, sidesB, bound);
    const uint32_t meet = sure & M(Bits)(crossing.segment);
    return (LeafMeetings){open, meet, open & ~meet & ~(sure & M(Bits)(crossing.none))};
}

// Of the pairs of A's triangles from this one on.
GRZ_SIMD_PART LeafMeetings findMeetingsFrom(const ModelLeaf* a, int triangle, const PlacedLeaf* b, uint32_t pairs) {
    const LeafMeetings nothing = {0, 0, 0};
    Corners c;
    for (int k = 0; k < 3; ++k)
        c.a[k] = spreadAt(a->at, 4 * k + triangle);
    uint32_t open = pairs & ~M(Bits)(areBoxesApart(c.a, b));
    if (open == 0)
        return nothing;
    for (int k = 0; k < 3; ++k)
        c.b[k] = repeatAt(b->at, 4 * k);
    const Floats bound = boundOfVolumes(a, b);
    const Sides sidesA = findSides(c.a, c.b[0], repeatAt(b->at, 12), bound);
    const Sides sidesB = findSides(c.b, c.a[0], spreadAt(a->at, 12 + triangle), bound);
    open &= ~M(Bits)(M(Or)(areOnOneSide(&sidesA), areOnOneSide(&sidesB)));
    return open == 0 ? nothing : compareOpen(open, &c, &sidesA, &sidesB, bound);
}

// A call: there are two walks.
GRZ_SIMD_CALL LeafMeetings findMeetings(const ModelLeaf* a, const PlacedLeaf* b, uint32_t countB) {
    const uint32_t present = presentPairs(a, countB);
    LeafMeetings all = {0, 0, 0};
    for (int triangle = 0; triangle < 4; triangle += PAIR_LANES / 4)
        addMeetings(&all, findMeetingsFrom(a, triangle, b, pairsFrom(present, triangle)), triangle);
    return all;
}

GRZ_SIMD_PART uint32_t findNearFrom(const ModelRelation* relation, const ModelLeaf* a, int triangle,
                                    const PlacedLeaf* b, uint32_t pairs) {
    Corners c;
    for (int k = 0; k < 3; ++k)
        c.a[k] = spreadAt(a->at, 4 * k + triangle);
    uint32_t open = pairs & ~M(Bits)(areBoxesApart(c.a, b));
    if (open != 0)
        open &= ~M(Bits)(areBoxesFar(relation, c.a, b));
    if (open == 0)
        return 0;
    for (int k = 0; k < 3; ++k)
        c.b[k] = repeatAt(b->at, 4 * k);
    const Floats bound = boundOfVolumes(a, b);
    const Vector normalA = spreadAt(a->at, 12 + triangle), normalB = repeatAt(b->at, 12);
    const Sides sidesA = findSides(c.a, c.b[0], normalB, F(Add)(bound, marginAlong(relation, normalB)));
    const Sides sidesB = findSides(c.b, c.a[0], normalA, F(Add)(bound, marginAlong(relation, normalA)));
    return open & ~M(Bits)(M(Or)(areOnOneSide(&sidesA), areOnOneSide(&sidesB)));
}

// The pairs that neither boxes nor planes part by more than the margin; b's boxes have grown by it, so that the bound of the
// volumes is above the one for the corners as they are.
GRZ_SIMD_INLINE uint32_t findNear(const ModelRelation* relation, const ModelLeaf* a, const PlacedLeaf* b,
                                  uint32_t countB) {
    const uint32_t present = presentPairs(a, countB);
    uint32_t near = 0;
    for (int triangle = 0; triangle < 4; triangle += PAIR_LANES / 4)
        near |= findNearFrom(relation, a, triangle, b, pairsFrom(present, triangle)) << 4 * triangle;
    return near;
}

#endif
