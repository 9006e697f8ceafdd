// What: one step of the walk that asks whether any triangles of two models meet: the stack of pairs of boxes, the way
//   down, and the test of a pair of leaves. For kernels.
// Idea: a step opens the larger of two boxes: its eight children are tested against the other one at once. The walk
//   goes into the deepest of those that meet it; the others go on the stack, each with its partner.
#ifndef GRAZE_NARROWPHASE_MODEL_TOUCH_H
#define GRAZE_NARROWPHASE_MODEL_TOUCH_H

#include "model_touch_stack.h"
#include "model_waiting.h"

// What floats say of the pairs of two leaves.
GRZ_SIMD_INLINE LeafMeetings meetLeaves(ModelSearch* search, Leaves leaves, PlacedLeaf* placed) {
    placeLeaf(&search->relation.into[0], leaves.b, placed);
    search->stats.leafPairs++;
    if (areLeavesApart(leaves.a, placed))
        return (LeafMeetings){0, 0, 0};
    return findMeetings(leaves.a, placed, leaves.b->count);
}

GRZ_SIMD_INLINE bool touchLeaves(ModelSearch* search, Leaves leaves) {
    PlacedLeaf placed;
    return touchMeetings(search, leaves, &placed, meetLeaves(search, leaves, &placed));
}

GRZ_SIMD_INLINE void pushPairs(TouchStack* stack, const Children* children, grzM8 which) {
    grzI8_CompressStore(stack->second + stack->count, which, children->second);
    stack->count += (uint32_t)grzI8_CompressStore(stack->first + stack->count, which, children->first);
}

// The deepest of those that meet; some do.
GRZ_SIMD_PART uint32_t findDeepest(const Children* children) {
    const grzF8 depth = grzF8_Select(children->meets, children->depth, grzF8_Set1(-(float)INFINITY));
    return lowestBit(grzM8_Bits(grzF8_Equal(depth, grzF8_Set1(grzF8_ReduceMax(depth)))));
}

// Goes into one of those that meet, and puts the others on the stack.
GRZ_SIMD_INLINE void goInto(const Children* children, uint32_t lane, TouchStack* stack, Ref* first, Ref* second) {
    const bool isFirst = (grzM8_Bits(children->isFirst) >> lane & 1) != 0;
    pushPairs(stack, children, grzM8_And(children->meets, grzM8_FromBits(~(1u << lane))));
    *first = isFirst ? children->base + lane : children->partner;
    *second = isFirst ? children->partner : children->base + lane;
}

// False where nothing is left.
GRZ_SIMD_INLINE bool takePair(TouchStack* stack, Ref* first, Ref* second) {
    if (stack->count == 0)
        return false;
    --stack->count;
    *first = (Ref)stack->first[stack->count];
    *second = (Ref)stack->second[stack->count];
    return true;
}

#endif
