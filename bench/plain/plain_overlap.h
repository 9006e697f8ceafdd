// How deep two bodies lie in each other, by their geometry alone: plain, slow, in doubles.
//
// The depth is the length of the shortest translation that ends the overlap; 0 where there is none.
//
//   convex and convex   the depth itself
//   with a mesh         a lower bound: the greatest depth of
//                       - a convex shape and one triangle, or two triangles, each pair by itself
//                       - a point of one body inside the other, where that one is a closed mesh: how far its surface is
//
// The points are the corners of a convex shape's core, with its radius added, and a mesh's vertices and the middle of what the other mesh
// cuts out of each triangle. A point is inside where the surface winds around it. A triangle has two sides here: a body that has gone
// through an open mesh whole has no overlap.
#ifndef GRAZE_BENCH_PLAIN_OVERLAP_H
#define GRAZE_BENCH_PLAIN_OVERLAP_H

#include "graze/convex.h"
#include "graze/mesh.h"

// A body in the world.
typedef struct PlainBody {
    grzAllocator allocator;
    grzConvex shape;     // or
    const grzMesh* mesh; // the host's
    grzTransform pose;   // of the shape
    grzVec3d* vertices;  // of the mesh, in the world
    uint32_t vertexCount;
    grzBoxd box;
} PlainBody;

// With a mesh the shape is not read; else it is copied. The body has no place yet. False where memory is refused.
bool PlainBody_Make(PlainBody* body, grzAllocator allocator, const grzConvex* shape, const grzMesh* mesh);
// The mesh may be gone by then.
void PlainBody_Release(PlainBody* body);

// Where the body is: a rigid pose; or the vertices of its mesh, three numbers each.
void PlainBody_Place(PlainBody* body, grzTransform pose);
void PlainBody_PlaceVertices(PlainBody* body, const float* positions);

// The depth where it is more than `floor`, else `floor`: what is known to be no deeper is not looked at further.
double plainOverlap(const PlainBody* a, const PlainBody* b, double floor);

#endif
