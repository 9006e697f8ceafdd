// What: makes the objects of owner.h.
#include "owner.h"

#include <string.h>

void* grzOwner_New(grzAllocator* allocator, uint64_t argument, size_t size, size_t alignment, grzResult* result) {
    *result = grzCheckAllocator(*allocator, argument);
    if (!grzResult_IsOk(*result))
        return NULL;
    *allocator = grzAllocator_OrDefault(*allocator);
    void* owner = grzAllocate(allocator, 1, size, alignment);
    if (owner == NULL)
        *result = grzNoMemory(1, size);
    else
        memset(owner, 0, size);
    return owner;
}
