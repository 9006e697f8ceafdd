// The wide loops over a tree's blocks. See kernel.h for how they are built and picked.
#ifndef GRAZE_BROADPHASE_TREE_KERNEL_H
#define GRAZE_BROADPHASE_TREE_KERNEL_H

#include "kernel.h"
#include "tree_inside.h"

// What the splits on the way to a node ask of the boxes in it. A box that does not fulfil it belongs elsewhere.
typedef struct TreeCell {
    float twiceLower[3], twiceUpper[3];   // twiceLower <= lower + upper < twiceUpper
    float lowerAbove[3], lowerAtMost[3];  // lowerAbove < lower <= lowerAtMost
    float upperAtLeast[3], upperBelow[3]; // upperAtLeast <= upper < upperBelow
    bool hasSides;                        // the last four are more than infinities
    bool isByRadius;                      // keptFrom is compared with what grz_retainLinear makes of the radius
    float keptFrom;                       // so large, by volume or radius, that a node above keeps it; or infinity
} TreeCell;

typedef struct TreeRefit {
    TreeBlock* blocks;
    uint16_t* leavers; // out, for each block: the lanes that the cell sends away
    uint32_t objectCount;
    const grzBox* boxes; // by object index
    float margin;
    const TreeCell* cell;
    // The run that comes next: its boxes are asked for while this one's are worked on, since the host's array is in
    // no order that the processor could foresee.
    const TreeBlock* ahead;
    uint32_t aheadCount; // blocks
    grzBox bounds;       // out: of those that stay
} TreeRefit;

// Takes the new boxes of a run into its blocks. Returns how many leave.
GRZ_DECLARE_KERNEL(uint32_t, grzTreeRefitRun, (TreeRefit * refit));

// The first of `count` boxes that is not finite or is inverted, or `count`.
GRZ_DECLARE_KERNEL(size_t, grzTreeFindBadBox, (const grzBox* boxes, size_t first, size_t count));

#endif
