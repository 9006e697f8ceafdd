// What: counts what a world takes of the host's memory.
// Threads: any; a relaxed sum is enough, as nothing is decided by it.
#include "world_inside.h"

static void* allocate(void* context, size_t size, size_t alignment) {
    grzCountedMemory* memory = context;
    void* block = memory->host.allocate(memory->host.context, size, alignment);
    if (block != NULL)
        atomic_fetch_add_explicit(&memory->bytes, size, memory_order_relaxed);
    return block;
}

static void release(void* context, void* block, size_t size, size_t alignment) {
    grzCountedMemory* memory = context;
    atomic_fetch_sub_explicit(&memory->bytes, size, memory_order_relaxed);
    memory->host.release(memory->host.context, block, size, alignment);
}

grzAllocator grzCountedMemory_Hook(grzCountedMemory* memory) {
    return (grzAllocator){memory, allocate, release};
}
