// A model against one convex shape (convex.h) or a half-space: does the mesh touch it, how far is it, and which triangles
// are within a margin?
//
//   grzModelShape query = grzDefaultModelShape();
//   query.model = model, query.pose = pose;
//   query.shape = grzMakeSphere(grzVec3_Zero(), 0.5f), query.shapePose = ballPose;
//   grzModelTouch touch;
//   grzResult result = grzModel_TouchShape(&query, &touch);
//
// What is measured. A mesh is a surface: a shape inside of a closed one does not touch it. A shape is solid: a mesh inside
// of it does. With o the origin of the shape's pose, vertex v of the mesh is, seen from there,
//     ((Cx.i * v.x + Cy.i * v.y) + (Cz.i * v.z + (p.i - o.i)))       on each axis i, in double, rounded to float once
// (Cx, Cy, Cz and p the columns and the origin of the mesh's pose). Of these floats each triangle is decided by itself as
// grzConvex_TriangleDistance does: nothing that touches is left out, and what may be too near to tell is said to be so.
// The mesh's pose may be any affine map that can be inverted; so may the shape's, as far as convex.h goes.
//
// Answers depend on the query and the triangles alone: not on the hierarchy, the SIMD level or the number of workers.
// Any number of threads may ask at a time. Lengths are the world's.
#ifndef GRAZE_MODEL_SHAPE_H
#define GRAZE_MODEL_SHAPE_H

#include "graze/convex_pairs.h"
#include "graze/model.h"
#include "graze/tree_query.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzModelShape {
    uint32_t mark; // set by grzDefaultModelShape; calls refuse another
    const grzModel* model;
    grzTransform pose; // from the model's frame to the world
    grzConvex shape;
    grzTransform shapePose;
    float margin; // 0 or more, or infinity: triangles that are nearer, or as near, count
} grzModelShape;

// Identities, margin 0; model and shape are to be filled in.
GRZ_API grzModelShape grzDefaultModelShape(void);

typedef struct grzModelTouch {
    bool isTouching; // some triangle is no farther from the shape than the margin
    // grz_exact: certain. grz_conservative: the nearest triangle may be farther, by rounding, but not than `measure`.
    uint32_t certainty;
    float measure;
} grzModelTouch;

// Whether the mesh comes within the margin. Allocates nothing. Refused, with *touch "no":
//   grz_badDef       the mark
//   grz_badArgument  (value 1; the reason names the field) no model; a shape outside its contract; a margin below 0; a
//                    basis of the mesh's pose that cannot be inverted, is slanted so that a millionth is lost by it, or
//                    whose axes are not 1e-12 to 1e12 long
//   grz_notFinite    a pose, a margin that is a NaN; a model, shape or pose with coordinates beyond 1e15
GRZ_NODISCARD GRZ_API grzResult grzModel_TouchShape(const grzModelShape* query, grzModelTouch* touch);

// The nearest triangle, in the caller's numbers; of several the lowest. GRZ_NO_TRIANGLE: none is within the margin, and
// the rest is 0. A is the shape, B the triangle; points are in the world. Features of B: its face; vertices in the
// caller's numbers; edge k of triangle i, from corner k to the next, as 3i + k.
typedef struct grzModelShapeDistance {
    uint32_t triangle;
    grzConvexDistance distance;
} grzModelShapeDistance;

// The triangle that is nearest to the shape, of those within the margin, by the upper bound of its distance; 0 for all
// that may touch. Allocates nothing. Refused as above.
GRZ_NODISCARD GRZ_API grzResult grzModel_ShapeDistance(const grzModelShape* query, grzModelShapeDistance* distance);

// ----------------------------------------------------------------------------------------------------- half-spaces

typedef struct grzModelPlane {
    uint32_t mark; // set by grzDefaultModelPlane
    const grzModel* model;
    grzTransform pose; // any affine map, also a flat one
    grzHalfSpace halfSpace;
} grzModelPlane;

// Identity, no model, the normal 0 and the offset 0.
GRZ_API grzModelPlane grzDefaultModelPlane(void);

// A vertex v, brought to the world, is in the half-space where dot(normal, v) <= offset. That is computed in double; a
// vertex that is in it within the rounding, which is below 1e-14 of the numbers that are added, counts. Where there are no
// triangles, vertex is UINT32_MAX and the rest is 0.
typedef struct grzModelDepth {
    bool isTouching; // some vertex of a triangle is in the half-space
    uint32_t vertex; // the deepest, in the caller's numbers; of several the lowest
    grzVec3 point;   // where it is
    // Of that point from the plane, below 0: depth. In units of the world, whatever the normal's length; 0 for a normal
    // of 0.
    float separation;
    uint32_t certainty; // grz_exact: isTouching is certain. Else it is true, and separation not above `measure`
    float measure;
} grzModelDepth;

// Allocates nothing. Refused, with *depth as where there are no triangles: grz_badDef, grz_badArgument (value 1: no
// model), grz_notFinite.
GRZ_NODISCARD GRZ_API grzResult grzModel_PlaneDepth(const grzModelPlane* query, grzModelDepth* depth);

// ------------------------------------------------------------------------------------------------ lists of triangles

// Keeps lists, and their memory from call to call, so that after warm-up nothing is allocated. One thread at a time.
typedef struct grzModelTriangles grzModelTriangles;

// All zeros of an allocator: the default one. Refused, with *triangles NULL: grz_badArgument (half an allocator),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzModelTriangles_Create(grzAllocator allocator, grzModelTriangles** triangles);

// NULL is fine.
GRZ_API void grzModelTriangles_Destroy(grzModelTriangles* triangles);

// The triangles that come within the margin of the shape; none is ever dropped. For one query, or for many on the workers
// of tasks (NULL: the calling thread alone). Refused, with an empty view: as above, where part is grz_partElement and
// index the number of the first query that is refused; or grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzModelTriangles_Find(grzModelTriangles* triangles, const grzModelShape* query);
GRZ_NODISCARD GRZ_API grzResult grzModelTriangles_FindMany(grzModelTriangles* triangles, grzTasks* tasks,
                                                           const grzModelShape* queries, uint32_t count);

// The triangles with a vertex in the half-space; as above.
GRZ_NODISCARD GRZ_API grzResult grzModelTriangles_FindInPlane(grzModelTriangles* triangles,
                                                              const grzModelPlane* query);
GRZ_NODISCARD GRZ_API grzResult grzModelTriangles_FindInPlanes(grzModelTriangles* triangles, grzTasks* tasks,
                                                               const grzModelPlane* queries, uint32_t count);

// Those of query i are ids[starts[i]] .. ids[starts[i + 1] - 1], ascending, in the caller's numbers. Good until the next
// find or the destroy.
typedef struct grzModelTrianglesView {
    const uint32_t* ids;
    size_t count;
    const size_t* starts; // queryCount + 1; never NULL
    size_t queryCount;    // 0 after a refusal
} grzModelTrianglesView;

GRZ_API grzModelTrianglesView grzModelTriangles_GetView(const grzModelTriangles* triangles);

GRZ_EXTERN_C_END

#endif
