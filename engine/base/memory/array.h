// What: a growing array of any element type, without macros that generate code: the struct is typed, the
// growth is not.
//
//   typedef struct PairArray { GRZ_ARRAY(grzBodyPair); } PairArray;
//   PairArray pairs = {0};
//   if (!grzArray_Reserve(&pairs, allocator, pairs.count + 1)) return grzNoMemory(...);
//   pairs.data[pairs.count++] = pair;
//   grzArray_Release(&pairs, allocator);
//
// Promise: a failed growth leaves the array as it was. Growth is by half, of large arrays by an eighth, so that n appends cost O(n).
// Holds: count <= capacity; data is NULL exactly where capacity is 0. Elements are moved as bytes, 64-byte aligned.
// Threads: one at a time.
#ifndef GRAZE_BASE_ARRAY_H
#define GRAZE_BASE_ARRAY_H

#include "graze/host.h"

#define GRZ_ARRAY_ALIGNMENT 64

#define GRZ_ARRAY(Type)                                                                                            \
    Type* data;                                                                                                    \
    size_t count;                                                                                                  \
    size_t capacity

// Room for at least `count` elements; false where memory is refused.
#define grzArray_Reserve(array, allocator, wanted)                                                                 \
    grzGrowArray((void**)&(array)->data, &(array)->capacity, (array)->count, (wanted), sizeof *(array)->data,      \
                 (allocator))

// Gives all memory back and leaves an empty array.
#define grzArray_Release(array, allocator)                                                                         \
    ((array)->count = 0,                                                                                           \
     grzFreeArray((void**)&(array)->data, &(array)->capacity, sizeof *(array)->data, (allocator)))

bool grzGrowArray(void** data, size_t* capacity, size_t count, size_t wanted, size_t size,
                  const grzAllocator* allocator);
void grzFreeArray(void** data, size_t* capacity, size_t size, const grzAllocator* allocator);

#endif
