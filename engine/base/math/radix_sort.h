// What: sorts integer keys, ascending, and carries a 32-bit value with each (an index, as a rule).
// Promise: stable: equal keys keep their order. So records are sorted by several keys one after the other, the
//          least weighty first, and the answer depends on nothing but the input.
// Holds: keys and values are arrays of `count`; the result lies in keys and values. The scratch arrays have
//        the same count, overlap nothing, and hold rubbish afterwards. values may be NULL, then scratchValues
//        is not read.
// Threads: any; a call touches only the caller's arrays. It allocates nothing and cannot fail.
// Cost: at most 4 (8) passes over 32-bit (64-bit) keys and one to count; a byte that is the same in all keys costs
//       no pass. Not a function of how the keys are ordered.
#ifndef GRAZE_BASE_RADIX_SORT_H
#define GRAZE_BASE_RADIX_SORT_H

#include "graze/sort_key.h"

void grzRadixSort32(uint32_t* keys, uint32_t* values, uint32_t* scratchKeys, uint32_t* scratchValues, size_t count);
void grzRadixSort64(uint64_t* keys, uint32_t* values, uint64_t* scratchKeys, uint32_t* scratchValues, size_t count);

#endif
