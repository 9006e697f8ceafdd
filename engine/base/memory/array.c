// What: the growth behind array.h.
#include "array.h"

#include <string.h>

#include "memory.h"

// Arrays of more bytes grow by an eighth: memory that is not used costs the host more than a few copies.
enum { largeBytes = 1 << 16 };

bool grzGrowArray(void** data, size_t* capacity, size_t count, size_t wanted, size_t size,
                  const grzAllocator* allocator) {
    if (wanted <= *capacity)
        return true;
    const size_t share = *capacity * size < largeBytes ? 2 : 8;
    size_t grown = *capacity + *capacity / share;
    if (grown < wanted)
        grown = wanted;
    if (grown < 16)
        grown = 16;
    void* memory = grzAllocate(allocator, grown, size, GRZ_ARRAY_ALIGNMENT);
    if (memory == NULL)
        return false;
    if (count != 0)
        memcpy(memory, *data, count * size);
    grzRelease(allocator, *data, *capacity, size, GRZ_ARRAY_ALIGNMENT);
    *data = memory;
    *capacity = grown;
    return true;
}

void grzFreeArray(void** data, size_t* capacity, size_t size, const grzAllocator* allocator) {
    grzRelease(allocator, *data, *capacity, size, GRZ_ARRAY_ALIGNMENT);
    *data = NULL;
    *capacity = 0;
}
