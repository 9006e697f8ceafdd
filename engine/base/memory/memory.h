// The only way to memory: every allocation of the library goes through these two and so through the host's hook.
#ifndef GRAZE_BASE_MEMORY_H
#define GRAZE_BASE_MEMORY_H

#include "graze/host.h"
#include "result_make.h"

// The hook itself, or the default one where the host gave none. To be stored by owners in place of the host's
// struct. Calls that take a host's allocator check it first (grzCheckAllocator).
static inline grzAllocator grzAllocator_OrDefault(grzAllocator allocator) {
    return allocator.allocate != NULL ? allocator : grzDefaultAllocator();
}

// NULL where the hook refuses, where count * size overflows, or where either is 0. Contents are not initialised.
static inline void* grzAllocate(const grzAllocator* allocator, size_t count, size_t size, size_t alignment) {
    if (count == 0 || size == 0 || count > SIZE_MAX / size)
        return NULL;
    return allocator->allocate(allocator->context, count * size, alignment);
}

// Takes the same count, size and alignment. NULL is fine.
static inline void grzRelease(const grzAllocator* allocator, void* memory, size_t count, size_t size,
                              size_t alignment) {
    if (memory != NULL)
        allocator->release(allocator->context, memory, count * size, alignment);
}

// Half an allocator would be found out only at its first release.
static inline grzResult grzCheckAllocator(grzAllocator allocator, uint64_t argument) {
    if ((allocator.allocate == NULL) == (allocator.release == NULL))
        return grzOk();
    return grzBecause(grzFail(grz_badArgument, argument),
                      "the allocator has one of allocate and release, not both");
}

#endif
