// What: boxes at a time from the vertices that realise their sides, eight boxes at once. See kernel.h for how it is built and
//   picked.
// Promise: what grzPlan_Float gives for every side, to the bit, at every SIMD level.
#ifndef GRAZE_KINETIC_PLAN_BOX_KERNEL_H
#define GRAZE_KINETIC_PLAN_BOX_KERNEL_H

#include "graze/bvh.h"

#include "kernel.h"
#include "plan_inside.h"

// Realisers: [node][side][lane], sides 0 1 2 the lower ones; every one is a vertex of the plan. All lanes of `nodes` are written.
typedef struct PlanFrameBoxes {
    const uint32_t* realisers;
    grzBvhNode* nodes;
    const float *from, *to; // positions of the keyframes around the time; at a keyframe both are that one's
    size_t fromStride, toStride;
    double part; // of the interval that has passed
} PlanFrameBoxes;
GRZ_DECLARE_KERNEL(void, grzPlanFrameBoxes, (const PlanFrameBoxes* job, size_t count));

typedef struct PlanPathBoxes {
    const uint32_t* realisers;
    grzBvhNode* nodes;
    const PlanPath* paths;
    double at;
    double shortest; // straight paths since so long ago, or less, are one rounded sum
    int isBent;      // there are accelerations; else those of the paths are not read
} PlanPathBoxes;

// doubtful[6 * node + side]: bits of the lanes whose last bit twice the precision does not tell; what is written there is not to
// be relied on. Returns whether there are any.
GRZ_DECLARE_KERNEL(int, grzPlanPathBoxes, (const PlanPathBoxes* job, size_t count, uint8_t* doubtful));

#endif
