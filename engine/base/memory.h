// The only way to memory: every allocation of the library goes through these two and so through the host's hook.
#ifndef GRAZE_BASE_MEMORY_H
#define GRAZE_BASE_MEMORY_H

#include "graze/host.h"
#include "graze/result.h"

// The hook itself, or the default one where the host gave none. To be stored by owners in place of the host's
// struct.
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

static inline grzResult grzOk(void) {
    grzResult result = {grz_ok, grz_noPart, 0, 0};
    return result;
}

static inline grzResult grzFail(grzStatus status, uint64_t value) {
    grzResult result = {status, grz_noPart, 0, value};
    return result;
}

static inline grzResult grzFailAt(grzStatus status, grzPart part, uint64_t index, uint64_t value) {
    grzResult result = {status, part, index, value};
    return result;
}

// Saturates instead of wrapping, so that the message of a refused request is true.
static inline grzResult grzNoMemory(size_t count, size_t size) {
    return grzFail(grz_outOfMemory, size != 0 && count > SIZE_MAX / size ? SIZE_MAX : (uint64_t)(count * size));
}

#endif
