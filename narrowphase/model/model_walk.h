// What: the stack of a walk through one hierarchy that goes to the nearest children first.
// Idea: an entry names a box by its level and number, with a bound below which nothing in it can be. The children of one
//   box are put on together, the nearest on top; who takes one off skips it where the bound has been beaten since.
// Holds: a walk takes one entry and puts on at most eight of the next level, so there are never more than seven for each
//   level and one.
// Threads: plain data.
#ifndef GRAZE_NARROWPHASE_MODEL_WALK_H
#define GRAZE_NARROWPHASE_MODEL_WALK_H

#include "model_inside.h"

enum {
    WALK_LEVEL_SHIFT = 28, // fewer than 2^28 leaves (GRZ_MESH_MAX_TRIANGLES)
    WALK_INDEX_MASK = (1 << WALK_LEVEL_SHIFT) - 1,
    WALK_STACK_SIZE = (int)(7 * (GRZ_BVH_MAX_LEVELS + 1) + 1),
};

typedef struct WalkEntry {
    double bound;
    uint32_t ref; // level << WALK_LEVEL_SHIFT | index; level 0 is the box of all
    uint32_t pad;
} WalkEntry;

typedef struct WalkStack {
    WalkEntry entries[WALK_STACK_SIZE];
    uint32_t count;
} WalkStack;

// The box of all, or nothing where there are no triangles.
static inline void grzWalkStack_Begin(WalkStack* stack, const grzModel* model, double bound) {
    stack->entries[0] = (WalkEntry){bound, 0, 0};
    stack->count = model->leafCount != 0 ? 1 : 0;
}

static inline bool grzWalkRef_IsLeaf(const grzModel* model, uint32_t ref) {
    return ref >> WALK_LEVEL_SHIFT == model->leafLevel;
}

// The boxes of the children.
static inline const grzBvhNode* grzWalkRef_Node(const grzModel* model, uint32_t ref) {
    return &model->levels[(ref >> WALK_LEVEL_SHIFT) + 1][ref & WALK_INDEX_MASK];
}

static inline void grzWalkStack_PushChildren(WalkStack* stack, uint32_t ref, uint32_t which,
                                             const double bounds[8]) {
    const uint32_t first = stack->count;
    const uint32_t base =
        ((ref >> WALK_LEVEL_SHIFT) + 1) << WALK_LEVEL_SHIFT | (ref & WALK_INDEX_MASK) * GRZ_BVH_WIDTH;
    for (; which != 0; which &= which - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(which);
        uint32_t at = stack->count++;
        for (; at > first && stack->entries[at - 1].bound < bounds[k]; --at)
            stack->entries[at] = stack->entries[at - 1];
        stack->entries[at] = (WalkEntry){bounds[k], base + k, 0};
    }
}

#endif
