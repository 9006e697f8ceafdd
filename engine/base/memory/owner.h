// Objects that keep the host's allocator.
#ifndef GRAZE_BASE_OWNER_H
#define GRAZE_BASE_OWNER_H

#include "memory.h"

// `size` zeros from the host's allocator, or from the default one. *allocator becomes the one to keep. NULL where *result says why:
// grz_badArgument (value: `argument`) for half an allocator, grz_outOfMemory.
void* grzOwner_New(grzAllocator* allocator, uint64_t argument, size_t size, size_t alignment, grzResult* result);

// The same from an allocator that was checked, and is the one to keep.
void* grzOwner_NewFrom(const grzAllocator* allocator, size_t size, size_t alignment, grzResult* result);

#endif
