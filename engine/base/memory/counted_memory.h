// What: an allocator that keeps the sum of what is had from another one, for owners that tell how much memory they hold.
//
//   grzCountedMemory_Init(&world->memory, def->allocator);
//   ... all else is had from world->memory.allocator
//   size = grzCountedMemory_Size(&world->memory);
//
// Holds: the allocator points at the struct, which must stay where it is.    Threads: any, as the other allocator allows.
#ifndef GRAZE_BASE_COUNTED_MEMORY_H
#define GRAZE_BASE_COUNTED_MEMORY_H

#include <stdatomic.h>

#include "graze/host.h"

typedef struct grzCountedMemory {
    grzAllocator host;      // that memory comes from; never all zeros
    grzAllocator allocator; // that counts
    _Atomic size_t size;    // bytes
} grzCountedMemory;

// All zeros of `host`: the default one.
void grzCountedMemory_Init(grzCountedMemory* memory, grzAllocator host);

static inline size_t grzCountedMemory_Size(const grzCountedMemory* memory) {
    return atomic_load(&memory->size);
}

#endif
