// A model against one convex shape (convex.h): does the mesh touch it, and how far is it?
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
// Answers depend on the query and the triangles alone: not on the hierarchy or the SIMD level.
// Any number of threads may ask at a time. Lengths are the world's.
#ifndef GRAZE_MODEL_SHAPE_H
#define GRAZE_MODEL_SHAPE_H

#include "graze/convex_pairs.h"
#include "graze/model.h"

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

GRZ_EXTERN_C_END

#endif
