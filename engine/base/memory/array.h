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
// Idea: an array notes the most that it was asked to hold since it was trimmed. Trimming gives back what is far above that.
//       Owners list their arrays once, in a function that calls what it is given: grzFreeArray, or one that trims.
// Holds: count <= capacity; data is not NULL once room was asked for, even for 0. Elements are moved as bytes, 64-byte
//   aligned.
// Threads: one at a time.
#ifndef GRAZE_BASE_ARRAY_H
#define GRAZE_BASE_ARRAY_H

#include "graze/host.h"

#define GRZ_ARRAY_ALIGNMENT 64

#define GRZ_ARRAY(Type)                                                                                            \
    Type* data;                                                                                                    \
    size_t count;                                                                                                  \
    size_t capacity;                                                                                               \
    size_t most

// Room for at least `count` elements; false where memory is refused.
#define grzArray_Reserve(array, allocator, wanted)                                                                 \
    grzGrowArray((void**)&(array)->data, &(array)->count, &(array)->capacity, &(array)->most, (wanted),            \
                 sizeof *(array)->data, (allocator))

// Gives all memory back and leaves an empty array.
#define grzArray_Release(array, allocator) grzArray_Call(array, grzFreeArray, allocator)

// What is done to each array of an owner.
typedef void grzArrayCall(void** data, size_t* count, size_t* capacity, size_t* most, size_t size,
                          const grzAllocator* allocator);

#define grzArray_Call(array, call, allocator)                                                                      \
    (call)((void**)&(array)->data, &(array)->count, &(array)->capacity, &(array)->most, sizeof *(array)->data,     \
           (allocator))

bool grzGrowArray(void** data, const size_t* count, size_t* capacity, size_t* most, size_t wanted, size_t size,
                  const grzAllocator* allocator);

grzArrayCall grzFreeArray;
// Where there is room for more than twice the most elements that were asked for or held since the array was last trimmed, it
// shrinks to these and an eighth. It stays as it is if memory is refused.
grzArrayCall grzTrimArray;
// The same for scratch: elements go first.
grzArrayCall grzTrimScratch;

#endif
