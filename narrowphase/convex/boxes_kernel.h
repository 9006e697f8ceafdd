// What: manifolds of many pairs of boxes, four to sixteen at a time by the SIMD level.
// Promise: graze/convex_pairs.h, for all pairs but those that are left undecided; the bytes of grzQuick_Boxes, at every
//          SIMD level.
// Threads: reads the batch, writes the manifolds of the list's pairs.
#ifndef GRAZE_NARROWPHASE_BOXES_KERNEL_H
#define GRAZE_NARROWPHASE_BOXES_KERNEL_H

#include "graze/convex_pairs.h"
#include "kernel.h"

// The batch's pairs that are listed, all of two boxes whose bases are off by rounding alone. Writes the numbers of those
// that are undecided, in any order but always the same one, and returns how many; it may write to the list itself.
// `isThorough`: no crossing is left out and no face preferred, for what is undecided without.
GRZ_DECLARE_KERNEL(uint32_t, grzCollideBoxes,
                   (const grzConvexBatch* batch, const uint32_t* list, uint32_t count, bool isThorough,
                    uint32_t* undecided));

#endif
