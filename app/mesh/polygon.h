// Polygons to triangles, in a growing list of indices.
#ifndef GRAZE_APP_POLYGON_H
#define GRAZE_APP_POLYGON_H

#include "array.h"

typedef struct IndexArray {
    GRZ_ARRAY(uint32_t);
} IndexArray;

// Appends the fan (c0 c1 c2), (c0 c2 c3), ... of a polygon of three corners or more. That is the polygon's surface
// where it is flat and seen as a whole from its first corner (all convex ones are); else triangles lie outside of
// it, as in most readers. False where memory is refused.
bool appendFan(IndexArray* triangles, const IndexArray* corners, const grzAllocator* allocator);

// Appends a triangle strip, every other triangle turned so that all face one way. UINT32_MAX among the corners
// starts a new strip.
bool appendStrip(IndexArray* triangles, const IndexArray* corners, const grzAllocator* allocator);

#endif
