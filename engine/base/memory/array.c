// What: how arrays grow and shrink (array.h).
#include "array.h"

#include <string.h>

#include "memory.h"

// Arrays of more bytes grow by an eighth: memory that is not used costs the host more than a few copies.
enum { largeBytes = 1 << 16 };

// Smaller ones are not trimmed.
enum { smallBytes = 1 << 10 };

// Where an array without memory begins once room was asked for, if only for no elements. C17 does not define NULL + 0.
// Nothing is written here.
static _Alignas(GRZ_ARRAY_ALIGNMENT) char g_nothing[GRZ_ARRAY_ALIGNMENT];

// To another capacity, at least the count. False, and nothing changed, where memory is refused.
static bool resize(void** data, size_t count, size_t* capacity, size_t wanted, size_t size,
                   const grzAllocator* allocator) {
    void* memory = g_nothing;
    if (wanted != 0) {
        memory = grzAllocate(allocator, wanted, size, GRZ_ARRAY_ALIGNMENT);
        if (memory == NULL)
            return false;
        if (count != 0)
            memcpy(memory, *data, count * size);
    }
    if (*capacity != 0)
        grzRelease(allocator, *data, *capacity, size, GRZ_ARRAY_ALIGNMENT);
    *data = memory;
    *capacity = wanted;
    return true;
}

bool grzGrowArray(void** data, const size_t* count, size_t* capacity, size_t* most, size_t wanted, size_t size,
                  const grzAllocator* allocator) {
    if (wanted <= *capacity) {
        *most = wanted > *most ? wanted : *most;
        *data = *data != NULL ? *data : g_nothing;
        return true;
    }
    const size_t share = *capacity * size < largeBytes ? 2 : 8;
    size_t grown = *capacity + *capacity / share;
    if (grown < wanted)
        grown = wanted;
    if (grown < 16)
        grown = 16;
    if (!resize(data, *count, capacity, grown, size, allocator))
        return false;
    *most = wanted;
    return true;
}

void grzFreeArray(void** data, size_t* count, size_t* capacity, size_t* most, size_t size,
                  const grzAllocator* allocator) {
    *count = *most = 0;
    (void)resize(data, 0, capacity, 0, size, allocator);
    *data = NULL;
}

void grzTrimArray(void** data, size_t* count, size_t* capacity, size_t* most, size_t size,
                  const grzAllocator* allocator) {
    const size_t need = *most > *count ? *most : *count;
    *most = *count;
    if (*capacity / 2 > need && *capacity * size > smallBytes)
        (void)resize(data, *count, capacity, need + need / 8, size, allocator);
}

void grzTrimScratch(void** data, size_t* count, size_t* capacity, size_t* most, size_t size,
                    const grzAllocator* allocator) {
    *count = 0;
    grzTrimArray(data, count, capacity, most, size, allocator);
}
