// What: leaves' boxes as rows, and from there into a node's lanes: what the kernels that make bottom nodes share.
// Holds: minima and maxima are taken in one order everywhere, so that zeros of both signs come out alike.
#ifndef GRAZE_BASE_BVH_ROWS_H
#define GRAZE_BASE_BVH_ROWS_H

#include <float.h>

#include "bvh_parts.h"
#include "simd.h"

typedef struct BvhRows {
    float lower[GRZ_BVH_WIDTH][4], upper[GRZ_BVH_WIDTH][4]; // a leaf each; the fourth is rubbish
} BvhRows;

typedef struct BvhSpan {
    grzF4 lower, upper;
} BvhSpan;

GRZ_SIMD_INLINE BvhSpan grzBvhJoinSpans(BvhSpan a, BvhSpan b) {
    return (BvhSpan){grzF4_Min(a.lower, b.lower), grzF4_Max(a.upper, b.upper)};
}

GRZ_SIMD_INLINE void grzBvhStoreSpan(BvhRows* rows, uint32_t lane, BvhSpan span) {
    grzF4_Store(rows->lower[lane], span.lower);
    grzF4_Store(rows->upper[lane], span.upper);
}

GRZ_SIMD_INLINE void grzBvhFillEmpty(BvhRows* rows, uint32_t first) {
    for (uint32_t k = first; k < GRZ_BVH_WIDTH; ++k)
        grzBvhStoreSpan(rows, k, (BvhSpan){grzF4_Set1(FLT_MAX), grzF4_Set1(-FLT_MAX)});
}

GRZ_SIMD_INLINE void grzBvhStoreNode(const BvhRows* rows, grzBvhNode* node) {
    grzF8 lower[4], upper[4];
    grzF8_LoadRows4(rows->lower[0], lower);
    grzF8_LoadRows4(rows->upper[0], upper);
    for (int axis = 0; axis < 3; ++axis) {
        grzF8_Store(node->lower[axis], lower[axis]);
        grzF8_Store(node->upper[axis], upper[axis]);
    }
}

GRZ_SIMD_INLINE BvhSpan grzBvhJoinRows(const BvhRows* rows) {
    BvhSpan of[8];
    for (int k = 0; k < 8; ++k)
        of[k] = (BvhSpan){grzF4_Load(rows->lower[k]), grzF4_Load(rows->upper[k])};
    const BvhSpan first = grzBvhJoinSpans(grzBvhJoinSpans(of[0], of[1]), grzBvhJoinSpans(of[2], of[3]));
    return grzBvhJoinSpans(first, grzBvhJoinSpans(grzBvhJoinSpans(of[4], of[5]), grzBvhJoinSpans(of[6], of[7])));
}

// Into the lane of the parent of node `index` of level `level`, which is not the root's.
GRZ_SIMD_INLINE void grzBvhStoreLane(const grzBvhView* view, grzBvhNode* nodes, uint32_t level, uint32_t index,
                                     const float lower[4], const float upper[4]) {
    grzBvhNode* parent = &nodes[view->levelStarts[level - 1] + index / GRZ_BVH_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        parent->lower[axis][index % GRZ_BVH_WIDTH] = lower[axis];
        parent->upper[axis][index % GRZ_BVH_WIDTH] = upper[axis];
    }
}

#endif
