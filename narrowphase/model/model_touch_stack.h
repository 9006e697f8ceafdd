// What: the stack of the walk of model_touch.h.
// Holds: a step takes one entry and leaves at most eight, of which one side is a level deeper; so there are never
//   more than seven for each level of the two hierarchies, and one. The room behind is for the junk of a compressed
//   store.
#ifndef GRAZE_NARROWPHASE_MODEL_TOUCH_STACK_H
#define GRAZE_NARROWPHASE_MODEL_TOUCH_STACK_H

#include "model_ref.h"

enum { TOUCH_STACK_SIZE = 7 * 2 * (GRZ_BVH_MAX_LEVELS + 1) + 1 + 8 };

// Pairs of boxes (Ref): the one to be opened, and its partner; both leaves: to be tested.
typedef struct TouchStack {
    int32_t first[TOUCH_STACK_SIZE], second[TOUCH_STACK_SIZE];
    uint32_t count;
} TouchStack;

#endif
