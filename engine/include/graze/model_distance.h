// How far two models are apart, and where; and how far points are from a model.
//
//   grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
//   query.a = mesh, query.b = mesh;
//   query.poseB = grzTransform_FromQuat(rotation, origin);
//   grzModelDistance distance;
//   grzResult result = grzModels_Distance(&query, &distance, NULL);
//   query.start = distance.start;               // the next frame begins where this one ended
//
// What is measured. The surfaces of the two models as their poses place them in the common frame, in real arithmetic of
// the numbers as given: a pose may scale, mirror or shear, and lengths are those of the common frame. So swapping A and
// B changes nothing but roundings. Models are surfaces: one inside the other has the distance of the surfaces.
//
// Whether they touch is decided as grzModels_Touch does, on the floats in A's frame (model_pair.h), so the two never
// contradict each other.
//
// In the texts below, "size" is a length that holds it all: the least power of two above the coordinates of both models,
// taken in the common frame from A's origin. Where the host's origin lies does not matter to it.
//
// Cost: a search through both hierarchies. It loosens where the numbers are coarse beside what they describe: for a mesh that
// lies far from its own origin (at 1e4 times its size eight times the time, at 1e5 thousands of times: then nearly all
// pairs of leaves are compared), and for a pose that shears by more than some hundreds. Bring such meshes to their middle first.
//
// Any number of threads may ask at a time, of the same models too. Nothing here allocates. The same input gives the same
// bytes at every SIMD level.
#ifndef GRAZE_MODEL_DISTANCE_H
#define GRAZE_MODEL_DISTANCE_H

#include "graze/model_pair.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_NO_SLOT 0xFFFFFFFFu

// A pair of triangles for a search to begin with: where they stand in the models, not which they are. Plain numbers, to be
// passed on; any are allowed, and a slot that a model does not have is none.
typedef struct grzModelStart {
    uint32_t slotA, slotB;
} grzModelStart;

typedef struct grzModelDistanceQuery {
    uint32_t mark; // set by grzDefaultModelDistanceQuery; calls refuse another
    const grzModel* a;
    const grzModel* b;         // may be the same
    grzTransform poseA, poseB; // as in grzModelQuery
    double reach;              // 0 or more: of surfaces farther apart only that is found out, at little cost
    double relativeError;      // 0 or more: see `upper`
    grzModelStart start;       // of an earlier answer for these models: saves time and changes no answer
} grzModelDistanceQuery;

// Identities, an infinite reach, no error, no start; the models are to be filled in.
GRZ_API grzModelDistanceQuery grzDefaultModelDistanceQuery(void);

typedef struct grzModelDistance {
    // The true distance lies in lower .. upper; both are 0 or more. With a relativeError of 0 they differ by about 1e-12
    // of the size, and 1e-14 of its square over the distance; more where triangles are such slivers (1e-5 and less) that
    // doubles cannot tell, and then lower alone may depend on the start. With e above 0 the search may stop where upper
    // is at most (1 + e) * lower but for as much. Both are rounded outward.
    double lower, upper;
    // A point of each surface, in the common frame, `upper` apart at most; each right to the rounding of a double at
    // that place. Of all pairs of triangles they are of the nearest, and of several at the same distance, as computed,
    // of the least (triangleA, triangleB): with a relativeError of 0 they depend on the query alone, not on its start.
    grzVec3d pointA, pointB;
    uint32_t triangleA, triangleB; // in the caller's numbers
    grzFeature featureA, featureB; // where in the triangle: corner 0 to 2, edge i from corner i on, face 0
    grzModelStart start;           // for the next query
    // As grzModels_Touch says. Then lower is 0, and the points and triangles are of some pair that is as near as
    // `measure`: the same one whatever the start.
    bool isTouching;
    // grz_exact: isTouching is true of the numbers as given. grz_conservative: the surfaces are nearer than measure, and
    // too near to say in doubles; what grzModels_Touch sees after its rounding decides.
    uint32_t certainty;
    double measure; // 0 where exact
} grzModelDistance;

// Surfaces farther apart than the reach have lower: the reach, rounded down, upper: infinity; no triangles
// (GRZ_NO_TRIANGLE), features and points of zeros, no start. A model without triangles is infinitely far from all.

// Refused, with *distance that of a model without triangles:
//   grz_badDef        the mark
//   grz_badArgument   (value 1; the reason names the field) no model, a reach or relativeError that is negative or a
//                     NaN, poses that grzModels_Touch refuses
//   grz_notFinite     a pose with a NaN or an infinity
// stats may be NULL; it is zeros after a refusal; in it triangleTests are pairs whose distance was computed, exactTests those
// of grzModels_Touch.
GRZ_NODISCARD GRZ_API grzResult grzModels_Distance(const grzModelDistanceQuery* query, grzModelDistance* distance,
                                                   grzModelStats* stats);

// ------------------------------------------------------------------------------------------------------------ points

typedef struct grzModelPointsQuery {
    uint32_t mark; // set by grzDefaultModelPointsQuery; calls refuse another
    const grzModel* model;
    grzTransform pose;
    // Point i lies at points + i * stride, three floats, in the common frame. The stride is a multiple of a float's size and
    // at least three floats; 0 means tight.
    const float* points;
    size_t stride;
    uint32_t count;
    float reach; // as above
} grzModelPointsQuery;

// The identity, an infinite reach, no points, tight; the model is to be filled in.
GRZ_API grzModelPointsQuery grzDefaultModelPointsQuery(void);

// What of a surface is nearest to a point. Of several triangles at the same distance, as computed, the least. Beyond the
// reach, and of a model without triangles: as grzModelDistance.
typedef struct grzModelPoint {
    grzVec3 point;      // of the surface, in the common frame, rounded to floats
    float lower, upper; // the true distance lies between; as grzModelDistance, and then rounded outward to floats
    uint32_t triangle;
    grzFeature feature;
} grzModelPoint;

GRZ_STATIC_ASSERT(sizeof(grzModelPoint) == 32, "a vector and four words");

// found[i] for point i; on the workers of tasks, with the same bytes for any number of them. Points that follow each other
// in space are best given in that order: each search begins where the last one ended. Refused, and nothing written:
//   grz_badDef        the mark
//   grz_badArgument   (value 2; the reason names the field) no model, NULL points with a count, a stride that is none, a
//                     reach that is negative or a NaN; a basis that cannot be inverted
//   grz_notFinite     a pose with a NaN or an infinity; or (part element) the first such point
//   grz_badArgument   (part element) the first point beyond 2^60, in the model's frame or in lengths of the model
GRZ_NODISCARD GRZ_API grzResult grzModel_ClosestPoints(grzTasks* tasks, const grzModelPointsQuery* query,
                                                       grzModelPoint* found);

GRZ_EXTERN_C_END

#endif
