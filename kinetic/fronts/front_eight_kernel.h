// What: which of eight boxes of one tree lie apart from a box of the other, on which side, at three times. See kernel.h for how it is built
//   and picked.
#ifndef GRAZE_KINETIC_FRONT_EIGHT_KERNEL_H
#define GRAZE_KINETIC_FRONT_EIGHT_KERNEL_H

#include "graze/bvh.h"

#include "kernel.h"

enum { FRONT_TIMES = 3 };

// The eight boxes of a node and a lane of the other one, at each time.
typedef struct FrontNodes {
    const grzBvhNode *eight[FRONT_TIMES], *other[FRONT_TIMES];
    uint32_t lane;
} FrontNodes;

// Bits of the eight boxes: 0 1 2: boxes that lie above the other box along x y z; 3 4 5: below it. Boxes that touch
// are not apart.
GRZ_DECLARE_KERNEL(void, grzFrontSides, (const FrontNodes* nodes, uint8_t bits[FRONT_TIMES][6]));

#endif
