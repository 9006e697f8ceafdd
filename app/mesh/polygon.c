// What: fans and strips.
#include "polygon.h"

static void appendTriangle(IndexArray* triangles, uint32_t a, uint32_t b, uint32_t c) {
    triangles->data[triangles->count++] = a;
    triangles->data[triangles->count++] = b;
    triangles->data[triangles->count++] = c;
}

bool appendFan(IndexArray* triangles, const IndexArray* corners, const grzAllocator* allocator) {
    size_t added = corners->count - 2;
    if (added > (SIZE_MAX - triangles->count) / 3 ||
        !grzArray_Reserve(triangles, allocator, triangles->count + added * 3))
        return false;
    for (size_t i = 2; i < corners->count; ++i)
        appendTriangle(triangles, corners->data[0], corners->data[i - 1], corners->data[i]);
    return true;
}

bool appendStrip(IndexArray* triangles, const IndexArray* corners, const grzAllocator* allocator) {
    size_t most = corners->count;
    if (most > (SIZE_MAX - triangles->count) / 3 ||
        !grzArray_Reserve(triangles, allocator, triangles->count + most * 3))
        return false;
    size_t start = 0;
    for (size_t i = 0; i < corners->count; ++i) {
        if (corners->data[i] == UINT32_MAX)
            start = i + 1;
        if (i < start + 2 || start > i)
            continue;
        const uint32_t* c = corners->data + i - 2;
        bool isTurned = (i - start) % 2 != 0;
        appendTriangle(triangles, c[isTurned], c[!isTurned], c[2]);
    }
    return true;
}
