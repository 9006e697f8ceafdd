// What: nodes between those of two keyframes. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CHORD_KERNEL_H
#define GRAZE_KINETIC_CHORD_KERNEL_H

#include "graze/bvh.h"

#include "kernel.h"

// Node i of `to` from node i of a and of b, at part 0 .. 1 in steps of 2^-24, widened. Lanes without a child are copied.
GRZ_DECLARE_KERNEL(void, grzChordBlend,
                   (const grzBvhNode* a, const grzBvhNode* b, size_t count, float part, grzBvhNode* to));

#endif
