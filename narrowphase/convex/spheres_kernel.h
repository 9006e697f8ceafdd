// What: manifolds of many pairs of spheres, four to sixteen at a time by the SIMD level.
// Promise: graze/convex_pairs.h, for all pairs but those that are left undecided; the bytes of grzQuick_Spheres, at every
//          SIMD level.
// Threads: reads the batch, writes the manifolds of the list's pairs.
#ifndef GRAZE_NARROWPHASE_SPHERES_KERNEL_H
#define GRAZE_NARROWPHASE_SPHERES_KERNEL_H

#include "graze/convex_pairs.h"
#include "kernel.h"

// The batch's pairs that are listed, all of two spheres. Writes the numbers of those that are undecided and returns how
// many; it may write to the list itself.
GRZ_DECLARE_KERNEL(uint32_t, grzCollideSpheres,
                   (const grzConvexBatch* batch, const uint32_t* list, uint32_t count, uint32_t* undecided));

#endif
