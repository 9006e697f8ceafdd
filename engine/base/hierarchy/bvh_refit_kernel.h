// The wide loops of a refit. See kernel.h for how they are built and picked.
#ifndef GRAZE_BASE_BVH_REFIT_KERNEL_H
#define GRAZE_BASE_BVH_REFIT_KERNEL_H

#include "bvh_parts.h"
#include "kernel.h"

typedef struct BvhRefitJob {
    const grzBvh* bvh;
    const void* start;
    const void* end; // NULL: at rest
    size_t stride;   // in numbers
    bool isDouble;
    const uint32_t* map; // from the tree's numbers to those of the positions; NULL: they are the same
    grzBvhNode* nodes;
} BvhRefitJob;

// Makes the nodes [first, end) of the bottom level, counted within it, and writes their own boxes into their
// parents' lanes.
GRZ_DECLARE_KERNEL(void, grzBvhRefitBottom, (const BvhRefitJob* job, uint32_t first, uint32_t end));

typedef struct BvhBox {
    float lower[4], upper[4]; // the fourth is rubbish
} BvhBox;

// What grzBvhRefitBottom makes of one node, of positions at rest, elsewhere: the node, and its own box. job->nodes is not used.
GRZ_DECLARE_KERNEL(void, grzBvhRefitAside, (const BvhRefitJob* job, uint32_t index, grzBvhNode* node, BvhBox* box));

// Writes the boxes of nodes [first, end) of level `level` above the bottom into their parents' lanes; last first.
GRZ_DECLARE_KERNEL(void, grzBvhRefitInner,
                   (const grzBvhView* view, grzBvhNode* nodes, uint32_t level, uint32_t first, uint32_t end));

// True only where all vertices of the nodes [first, end) of the bottom level are finite in these positions, which are
// laid out as the job's. False also where it would take a closer look: what lies between vertices is no number, or
// the array ends.
GRZ_DECLARE_KERNEL(bool, grzBvhLeavesAreFinite,
                   (const BvhRefitJob* job, const void* positions, uint32_t first, uint32_t end));

// Whether none is a NaN or an infinity.
GRZ_DECLARE_KERNEL(bool, grzBvhAreFinite, (const float* numbers, size_t count));
GRZ_DECLARE_KERNEL(bool, grzBvhAreFiniteDoubles, (const double* numbers, size_t count));

#endif
