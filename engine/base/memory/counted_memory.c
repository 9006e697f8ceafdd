// What: the two calls behind counted_memory.h.
#include "counted_memory.h"

#include "memory.h"

static void* allocateCounted(void* context, size_t size, size_t alignment) {
    grzCountedMemory* counted = context;
    void* memory = grzAllocate(&counted->host, size, 1, alignment);
    if (memory != NULL)
        atomic_fetch_add(&counted->size, size);
    return memory;
}

static void releaseCounted(void* context, void* memory, size_t size, size_t alignment) {
    grzCountedMemory* counted = context;
    atomic_fetch_sub(&counted->size, size);
    grzRelease(&counted->host, memory, size, 1, alignment);
}

void grzCountedMemory_Init(grzCountedMemory* memory, grzAllocator host) {
    memory->host = grzAllocator_OrDefault(host);
    memory->allocator = (grzAllocator){memory, allocateCounted, releaseCounted};
    atomic_init(&memory->size, 0);
}
