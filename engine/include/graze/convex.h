// Convex shapes: spheres, capsules, boxes and hulls, each in a frame of its own, and what can be asked of one or of
// two: bounds, mass, a ray, the closest points.
//
//   grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
//   grzConvex crate = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 1, 1));
//   grzConvexDistance found;
//   grzResult result = grzConvex_Distance(&ball, ballPose, &crate, cratePose, &found);
//
// Shapes are solid and closed: touching counts. A shape is posed by a transform from its frame to the world. Where
// a function says "affine", the basis may be any finite matrix: it moves the core of the shape (centre of a
// sphere, segment of a capsule, box, hull), while the radius stays a length in the world. Else the pose is rigid.
//
// Owner: a shape is a plain value; the hull that it names is the host's and must live as long. Nothing allocates.
// Threads: any. Units: the host's; directions need no unit length. Coordinates up to 1e15 in size, as bounds are
// computed in double. The same input gives the same bytes at every SIMD level.
//
// Checks: calls with a grzResult refuse, with their output unchanged, grz_badArgument (a shape outside its contract;
// value: its place in the call) and grz_notFinite (a NaN, an infinity, or a number beyond 1e15; value: likewise).
#ifndef GRAZE_CONVEX_H
#define GRAZE_CONVEX_H

#include "graze/hull.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

typedef enum grzConvexKind {
    grz_noShape = 0,
    grz_sphereShape,  // around a
    grz_capsuleShape, // around the segment from a to b, which may be a point
    grz_boxShape,     // around a, from a - b to a + b; b may be 0 on any axis
    grz_hullShape,    // of `hull`
} grzConvexKind;

typedef struct grzConvex {
    grzConvexKind kind;
    float radius; // of spheres and capsules, 0 or more; 0 for others
    grzVec3 a, b; // what a kind does not name is 0
    const grzHull* hull;
} grzConvex;

// The vertices, edges and faces of a box, as features name them: vertex v lies on the upper side of axis k where bit
// k of v is set; face 2 k + s is that of axis k, s: its upper side; edge 4 k + u + 2 v runs along axis k, u and v
// being the sides of axes (k + 1) % 3 and (k + 2) % 3. A capsule has vertices 0 (a) and 1 (b) and edge 0. A sphere is
// its body. A hull's features are those of its view.

GRZ_API grzConvex grzMakeSphere(grzVec3 center, float radius);
GRZ_API grzConvex grzMakeCapsule(grzVec3 a, grzVec3 b, float radius);
GRZ_API grzConvex grzMakeBox(grzVec3 center, grzVec3 halfExtent);
GRZ_API grzConvex grzMakeHullShape(const grzHull* hull);

// grz_ok, or what is wrong as above; value 1.
GRZ_NODISCARD GRZ_API grzResult grzConvex_Check(const grzConvex* shape);

// A point of the shape, in its frame, that lies farthest in a direction, rounded to floats; of several the one of
// least index. The centre of a sphere moved along (0, 0, 0) is the centre. The shape must be good.
GRZ_API grzVec3 grzConvex_Support(const grzConvex* shape, grzVec3 direction);

// A box that contains the posed shape, in real arithmetic, and is larger by some 1e-7 of the coordinates. Affine.
// The shape must be good; a pose that is not finite gives an infinite box.
GRZ_API grzBox grzConvex_Box(const grzConvex* shape, grzTransform pose);

typedef struct grzMass {
    double volume;
    grzVec3d center;
    // About the centre, in the shape's frame, for density 1: the symmetric tensor's xx, yy, zz and xy, xz, yz. The
    // latter are products of inertia with their sign in the tensor (xy: minus the integral of x * y).
    grzVec3d diagonal, mixed;
} grzMass;

// Of the solid. Right to 1e-12 of the largest term. A shape without volume has zeros, and its middle as the centre.
// The shape must be good.
GRZ_API grzMass grzConvex_Mass(const grzConvex* shape);

// ------------------------------------------------------------------------------------------------------ queries

typedef struct grzConvexHit {
    bool isHit;
    float t;        // in lengths of the direction; 0 where the ray begins inside
    grzVec3 point;  // in the world
    grzVec3 normal; // outward, unit length; 0 where the ray begins inside
    grzFeature feature;
    uint32_t certainty; // grz_conservative: see below
    float measure;
} grzConvexHit;

// The first point of origin + t * direction with t in 0 .. reach, which may be infinite, in the shape. Affine; a basis that is singular (of
// a box or hull) is grz_badArgument, value 2. A direction of 0 asks for the origin alone. Computed in double: hits and
// misses are right but for rays that pass within `measure`, 1e-12 of the coordinates, of a silhouette; for hulls,
// whose normals are floats, 1e-6 of them.
GRZ_NODISCARD GRZ_API grzResult grzConvex_CastRay(const grzConvex* shape, grzTransform pose, grzVec3 origin,
                                                  grzVec3 direction, float reach, grzConvexHit* hit);

typedef struct grzConvexDistance {
    // The true distance of the shapes lies in lower .. upper, for the numbers as given; both are 0 or more. They
    // differ by a few roundings of float, or 1e-12 of the coordinates where that is more.
    float lower, upper;
    grzVec3 pointA, pointB; // on the surfaces, `upper` apart but for rounding; in the world. Where the shapes
    grzVec3 normal;         // overlap: some point they share, twice, and normal 0. Else normal: unit, from A to B
    grzFeature featureA, featureB;
    // Whether the shapes touch (isTouching). grz_exact: certain. grz_conservative: they are so near, or touch so
    // little, that rounding cannot tell; isTouching is true, and measure is `upper` and some more.
    bool isTouching;
    uint32_t certainty;
    float measure;
    uint32_t iterations; // of the search, for those who count
} grzConvexDistance;

// How far two shapes are apart. Always ends, after at most 128 iterations; bounds that have not met by then are
// still true. Affine.
GRZ_NODISCARD GRZ_API grzResult grzConvex_Distance(const grzConvex* shapeA, grzTransform poseA,
                                                   const grzConvex* shapeB, grzTransform poseB,
                                                   grzConvexDistance* distance);

// How far a point is from a shape: A is the shape, B the point. A point inside has distance 0. Affine.
GRZ_NODISCARD GRZ_API grzResult grzConvex_ClosestPoint(const grzConvex* shape, grzTransform pose, grzVec3 point,
                                                       grzConvexDistance* distance);

GRZ_EXTERN_C_END

#endif
