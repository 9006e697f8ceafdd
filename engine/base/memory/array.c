// What: the growth behind array.h.
#include "array.h"

#include <string.h>

#include "memory.h"

bool grzGrowArray(void** data, size_t* capacity, size_t count, size_t wanted, size_t size,
                  const grzAllocator* allocator) {
    if (wanted <= *capacity)
        return true;
    size_t grown = *capacity + *capacity / 2;
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
