// Convex hulls: a closed polyhedron around points, made once and then read by any number of shapes (convex.h).
//
//   grzHullDef def = grzDefaultHullDef();
//   def.positions = positions, def.pointCount = 200;
//   grzHull* hull;
//   grzResult result = grzHull_Create(&def, &hull);
//
// Vertices are points of the input, bit for bit. No point of the input is farther from the hull than the tolerance,
// save where the vertex limit is reached (see grzHull_Create for an exception). The farthest point is taken first, so that a
// hull that stops there is a good one; how far the points left over stand out is measured and told (excess). Faces that lie in
// one plane, to within the tolerance and 15 degrees, are one polygon, and a point that only two faces would meet at is no
// vertex; but where the hull would lose more than the tolerance that way, as beyond a sharp edge, the faces around it stay
// triangles.
//
// Owner: a hull copies what it needs; the caller's points may go. Views point into the hull. Threads: a hull never
// changes, any thread may read it. Units: the host's. The same points in the same order give the same bytes on every
// machine, compiler and SIMD level.
#ifndef GRAZE_HULL_H
#define GRAZE_HULL_H

#include "graze/host.h"
#include "graze/linmath.h"
#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_HULL_MOST_VERTICES   128    // the largest vertex limit
#define GRZ_HULL_MOST_COORDINATE 1e15f  // as for all convex shapes (convex.h)
#define GRZ_HULL_LEAST_SIZE      1e-15f // of the longest side of the points' box

typedef struct grzHull grzHull;

typedef struct grzHullDef {
    grzAllocator allocator; // all zeros: the default one
    const float* positions; // three numbers a point
    size_t pointCount;
    uint32_t vertexLimit; // 4 to GRZ_HULL_MOST_VERTICES; 64 by default
    float tolerance;      // of the longest side of the points' box, 1e-6 to 0.1; 1e-5 by default
    uint32_t mark;        // written by grzDefaultHullDef, read by Create
} grzHullDef;

GRZ_API grzHullDef grzDefaultHullDef(void);

// Half-edges 2k and 2k + 1 are edge k in its two directions. `next` goes around the face, counter-clockwise as seen
// from outside.
typedef struct grzHalfEdge {
    uint16_t origin, next, face, pad;
} grzHalfEdge;

// All vertices fulfil dot(normal, v) <= offset, in real arithmetic.
typedef struct grzHullFace {
    grzVec3 normal;     // outward, unit length
    float offset;       // rounded up
    uint32_t firstEdge; // a half-edge
    uint32_t edgeCount; // at least 3
    uint32_t pad;
} grzHullFace;

typedef struct grzHullView {
    const grzVec3* vertices; // in the order of the input
    const uint32_t* sources; // the input's index of each vertex
    const grzHullFace* faces;
    const grzHalfEdge* halfEdges;
    uint32_t vertexCount, faceCount;
    uint32_t edgeCount; // vertexCount + faceCount - 2; half of the half-edges
    float excess;       // no point of the input lies farther outside the plane of a face; rounded up
    float slack;        // no vertex of a face lies farther inside the plane of that face; rounded up
    float tolerance;    // the length that the builder worked with
    grzBox box;         // of the vertices, exactly
} grzHullView;

// Makes a hull. The tolerance as a length is def.tolerance times the longest side of the points' box, plus 2^-22 of
// the largest coordinate. Points that are no farther from the hull may be left out. So excess is at most the tolerance
// (and its rounding) where vertexCount is below the limit, with one exception. The builder works in double: it refuses
// a point whose triangles would be slivers of rounding or tear the surface, and excess tells how far that is. This is
// rare (one hull in thousands, made of points that lie on lines but for 1e-7 to 1e-15 of the size).
//
// Refused with *hull NULL and mostly a reason that says more: grz_badArgument (value 1: a field of the def outside its
// range; no points), grz_notFinite (part grz_partVertex: the first point with a NaN, an infinity or a number beyond
// GRZ_HULL_MOST_COORDINATE), grz_tooLarge (2^31 points or more), grz_outOfMemory, and grz_badFormat where all points
// lie within the tolerance of one point, line or plane: there are no flat hulls; or in a box of less than
// GRZ_HULL_LEAST_SIZE. Takes 45 bytes a point and under 40 KB while it works; O(points * vertices) time for the
// first solid, which is built again, from its corners, each time that vertices turn out to be none.
GRZ_NODISCARD GRZ_API grzResult grzHull_Create(const grzHullDef* def, grzHull** hull);

// NULL is fine. Shapes that name the hull must be gone. While a body of a world has it, it stays, and an error is logged.
GRZ_API void grzHull_Destroy(grzHull* hull);

GRZ_API grzHullView grzHull_GetView(const grzHull* hull);

// Looks the hull over: links, Euler's formula, planes, convexity within slack. A sentence of what is wrong, for
// ever alive, or NULL: nothing is. For tests and debugging.
GRZ_API const char* grzHull_Validate(const grzHull* hull);

GRZ_STATIC_ASSERT(sizeof(grzHalfEdge) == 8 && sizeof(grzHullFace) == 32, "no hidden padding");

GRZ_EXTERN_C_END

#endif
