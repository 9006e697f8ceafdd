// What: one step of a walk through two hierarchies: the eight children of a box against a box of the other one.
// Promise: a pair of boxes is left out only where an axis parts them by more than the margins of model_relation.c.
// Idea: everything is doubled, so that lower + upper and upper - lower need no halving:
//
//     axis of the opened side   |sum_i - (M s)_i|         <= difference_i + (|M| d)_i           s, d: the other's sum
//     axis of the other side    |(N sum)_i - s_i|         <= (|N| difference)_i + d_i                 and difference
//     across two edges          the same along e_i x column j of M, by a power of two
//
//   The least of "right less left" says how deep the boxes are in each other.
// Holds: an empty child has difference -infinity: along the axes of the opened side it is apart whatever stands beside, and
//   that is compared last, so that a NaN from 0 * infinity before does not outlive it.
// Based on: [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, JGT 1997] sections
//   3 and 4: one frame a model, SAT and SAT-lite. We differ: eight children a step.
#ifndef GRAZE_NARROWPHASE_MODEL_BOXES_H
#define GRAZE_NARROWPHASE_MODEL_BOXES_H

#include <math.h>

#include "model_kernel.h"
#include "simd.h"

typedef struct Children {
    grzM8 meets;
    grzF8 depth;
    grzF8 smaller; // of the child's size and the partner's: sums of their sides, doubled
    grzI8 first, second;
    Ref base, partner; // child k is base + k
    grzM8 isFirst;     // the child is the larger
} Children;

// The other's box, doubled, in its own frame and as it comes into this one.
typedef struct Partner {
    float sum[3], difference[3];
    float center[4], radius[4];
} Partner;

GRZ_SIMD_PART void loadPartner(const grzModel* model, Ref ref, const ModelFrame* frame, Partner* partner) {
    const uint32_t index = ref & INDEX_MASK, lane = index % GRZ_BVH_WIDTH;
    const grzBvhNode* node = model->levels[levelOf(ref)] + index / GRZ_BVH_WIDTH;
    grzF4 center[3], radius[3];
    for (int j = 0; j < 3; ++j) {
        const float lower = node->lower[j][lane], upper = node->upper[j][lane];
        partner->sum[j] = lower + upper;
        partner->difference[j] = upper - lower;
        center[j] = grzF4_Mul(grzF4_Load(frame->columns[j]), grzF4_Set1(partner->sum[j]));
        radius[j] = grzF4_Mul(grzF4_Load(frame->absolute[j]), grzF4_Set1(partner->difference[j]));
    }
    center[2] = grzF4_Add(center[2], grzF4_Load(frame->twiceOrigin));
    radius[2] = grzF4_Add(radius[2], grzF4_Load(frame->twiceMargin));
    grzF4_Store(partner->center, grzF4_Add(grzF4_Add(center[0], center[1]), center[2]));
    grzF4_Store(partner->radius, grzF4_Add(grzF4_Add(radius[0], radius[1]), radius[2]));
}

typedef struct Boxes {
    grzF8 sum[3], difference[3];
} Boxes;

// Along the partner's axis i. `back` leads from this frame into the partner's.
GRZ_SIMD_PART grzF8 depthAlongPartner(const Boxes* boxes, const Partner* partner, const ModelFrame* back, int i) {
    grzF8 apart[3], radius[3];
    for (int j = 0; j < 3; ++j) {
        apart[j] = grzF8_Mul(grzF8_Set1(back->columns[j][i]), boxes->sum[j]);
        radius[j] = grzF8_Mul(grzF8_Set1(back->absolute[j][i]), boxes->difference[j]);
    }
    const grzF8 origin = grzF8_Set1(back->twiceOrigin[i] - partner->sum[i]);
    const grzF8 own = grzF8_Set1(partner->difference[i] + back->twiceMargin[i]);
    const grzF8 distance = grzF8_Add(grzF8_Add(apart[0], apart[1]), grzF8_Add(apart[2], origin));
    return grzF8_Sub(grzF8_Add(grzF8_Add(radius[0], radius[1]), grzF8_Add(radius[2], own)), grzF8_Abs(distance));
}

GRZ_SIMD_INLINE grzF8 depthAlongOwn(const Boxes* boxes, const Partner* partner, int i) {
    const grzF8 apart = grzF8_Sub(boxes->sum[i], grzF8_Set1(partner->center[i]));
    const grzF8 radius = grzF8_Add(boxes->difference[i], grzF8_Set1(partner->radius[i]));
    return grzF8_Sub(radius, grzF8_Abs(apart));
}

// Along e_i x edge j.
GRZ_SIMD_PART grzM8 areApartAcross(const Boxes* boxes, const Partner* partner, const ModelFrame* frame, int i,
                                   int j) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const grzF8 c1 = grzF8_Set1(frame->edges[j][i1]), c2 = grzF8_Set1(frame->edges[j][i2]);
    const grzF8 apart1 = grzF8_Sub(boxes->sum[i1], grzF8_Set1(partner->center[i1]));
    const grzF8 apart2 = grzF8_Sub(boxes->sum[i2], grzF8_Set1(partner->center[i2]));
    const grzF8 apart = grzF8_Sub(grzF8_Mul(c1, apart2), grzF8_Mul(c2, apart1));
    const float(*across)[3] = frame->acrossRadius[i];
    float other = frame->acrossMargin[i][j];
    for (int k = 0; k < 3; ++k)
        other += across[j][k] * partner->difference[k];
    grzF8 radius = grzF8_Add(grzF8_Mul(grzF8_Abs(c1), boxes->difference[i2]), grzF8_Set1(other));
    radius = grzF8_Add(radius, grzF8_Mul(grzF8_Abs(c2), boxes->difference[i1]));
    return grzF8_Less(radius, grzF8_Abs(apart));
}

// Of those that the axes of the faces leave.
GRZ_SIMD_PART grzM8 meetAcross(const Boxes* boxes, const Partner* partner, const ModelFrame* frame, grzM8 meets) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3 && grzM8_Any(meets); ++j)
            meets = grzM8_AndNot(meets, areApartAcross(boxes, partner, frame, i, j));
    return meets;
}

// Tests the children of `opened` against `other`.
GRZ_SIMD_PART void open(const ModelSearch* search, Ref opened, Ref other, Children* children) {
    const uint32_t side = opened >> 31, level = levelOf(opened);
    const grzModel *model = search->models[side], *partnerModel = search->models[1 - side];
    const ModelFrame *frame = &search->relation.into[side], *back = &search->relation.into[1 - side];
    const grzBvhNode* node = model->levels[level + 1] + (opened & INDEX_MASK);
    Partner partner;
    Boxes boxes;
    loadPartner(partnerModel, other, frame, &partner);
    for (int i = 0; i < 3; ++i) {
        const grzF8 lower = grzF8_LoadAligned(node->lower[i]), upper = grzF8_LoadAligned(node->upper[i]);
        boxes.sum[i] = grzF8_Add(lower, upper);
        boxes.difference[i] = grzF8_Sub(upper, lower);
    }
    grzF8 partners = depthAlongPartner(&boxes, &partner, back, 0);
    partners = grzF8_Min(partners, depthAlongPartner(&boxes, &partner, back, 1));
    partners = grzF8_Min(partners, depthAlongPartner(&boxes, &partner, back, 2));
    grzF8 own = grzF8_Min(depthAlongOwn(&boxes, &partner, 0), depthAlongOwn(&boxes, &partner, 1));
    own = grzF8_Min(own, depthAlongOwn(&boxes, &partner, 2));
    const grzF8 depth = grzF8_Min(partners, own);
    children->depth = depth;
    children->meets = grzF8_GreaterEqual(depth, grzF8_Zero());
    if (search->allAxes)
        children->meets = meetAcross(&boxes, &partner, frame, children->meets);
    const grzF8 size = grzF8_Add(grzF8_Add(boxes.difference[0], boxes.difference[1]), boxes.difference[2]);
    const float partnerSize =
        frame->size * ((partner.difference[0] + partner.difference[1]) + partner.difference[2]);
    children->smaller = grzF8_Min(size, grzF8_Set1(partnerSize));
    const bool isLeaf = level + 1 == model->leafLevel, isPartnerLeaf = levelOf(other) == partnerModel->leafLevel;
    const float limit = isPartnerLeaf ? -(float)INFINITY : isLeaf ? (float)INFINITY : partnerSize;
    children->isFirst = grzF8_Greater(size, grzF8_Set1(limit));
    children->base = (opened & SIDE_BIT) | (level + 1) << LEVEL_SHIFT | (opened & INDEX_MASK) * GRZ_BVH_WIDTH;
    children->partner = other;
    static const int32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const grzI8 refs = grzI8_Add(grzI8_Set1((int32_t)children->base), grzI8_Load(numbers));
    const grzI8 others = grzI8_Set1((int32_t)other);
    children->first = grzI8_Select(children->isFirst, refs, others);
    children->second = grzI8_Select(children->isFirst, others, refs);
}

#endif
