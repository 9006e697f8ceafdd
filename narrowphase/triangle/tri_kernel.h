// What: classifies many pairs of triangles at a time, as far as single precision can tell for certain.
// Promise: a kind that is written is the exact one, or TRI_UNDECIDED. Which pairs stay undecided may not differ
//          between SIMD levels either: they do the same arithmetic.
// Threads: reads the query, writes kinds.
#ifndef GRAZE_NARROWPHASE_TRI_KERNEL_H
#define GRAZE_NARROWPHASE_TRI_KERNEL_H

#include "graze/tri_pairs.h"
#include "kernel.h"

#define TRI_UNDECIDED 0xFF

GRZ_DECLARE_KERNEL(void, grzClassifyTriPairs,
                   (const grzTriPairQuery* query, uint32_t begin, uint32_t end, uint8_t* kinds));
GRZ_DECLARE_KERNEL(void, grzClassifyTriColumns,
                   (const grzTriColumns* columns, uint32_t begin, uint32_t end, uint8_t* kinds));

#endif
