// What: makes the objects of owner.h.
#include "owner.h"

#include <string.h>

void* grzOwner_NewFrom(const grzAllocator* allocator, size_t size, size_t alignment, grzResult* result) {
    void* owner = grzAllocate(allocator, 1, size, alignment);
    *result = owner != NULL ? grzOk() : grzNoMemory(1, size);
    if (owner != NULL)
        memset(owner, 0, size);
    return owner;
}

void* grzOwner_New(grzAllocator* allocator, uint64_t argument, size_t size, size_t alignment, grzResult* result) {
    *result = grzCheckAllocator(*allocator, argument);
    if (!grzResult_IsOk(*result))
        return NULL;
    *allocator = grzAllocator_OrDefault(*allocator);
    return grzOwner_NewFrom(allocator, size, alignment, result);
}
