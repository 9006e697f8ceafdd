// A merge sort as one would write it by hand for keys with values: what the radix sort has to beat.
#ifndef GRAZE_BENCH_MERGE_SORT_H
#define GRAZE_BENCH_MERGE_SORT_H

#include <stddef.h>
#include <stdint.h>

// Sorts keys, and the values with them; equal keys keep their order. The scratch arrays have `count` elements too,
// and hold anything afterwards.
void benchMergeSort(uint64_t* keys, uint32_t* values, uint64_t* scratchKeys, uint32_t* scratchValues, size_t count);

#endif
