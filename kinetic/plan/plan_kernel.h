// What: keyframes, many numbers at once: places between two of them, and which sides of boxes have come to be realised by other
//   vertices. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_PLAN_KERNEL_H
#define GRAZE_KINETIC_PLAN_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "graze/bvh.h"

#include "kernel.h"

// to[i] = (float)((1 - part) * a[i] + part * b[i]), in double; part is 0 .. 1 in steps of 2^-24. `to` may be a.
GRZ_DECLARE_KERNEL(void, grzPlanBlend, (const float* a, const float* b, size_t count, double part, float* to));

// Nodes side by side, of a keyframe; the vertices that realise their boxes, [node][side][lane], sides 0 1 2 the lower ones; and
// the positions of that keyframe.
typedef struct PlanOutgrown {
    const grzBvhNode* nodes;
    const uint32_t* realisers;
    const float* positions;
    size_t stride; // in floats
} PlanOutgrown;

// marks[6 * node + side]: bits of the lanes where the vertex is not at the side of its box. Lanes without a box have none.
GRZ_DECLARE_KERNEL(void, grzPlanMarkOutgrown, (const PlanOutgrown* job, size_t count, uint8_t* marks));

#endif
