// Rays against a model: the closest hit, or any.
//
//   grzModelRay ray = grzDefaultModelRay();
//   ray.model = model, ray.pose = pose;
//   ray.origin = eye, ray.direction = forward, ray.reach = 500;
//   grzModelRayHit hit;
//   grzResult result = grzModel_CastRay(&ray, &hit);
//   if (grzResult_IsOk(result) && hit.triangle != GRZ_NO_TRIANGLE) ...
//
// What is hit. Origin and direction are brought into the model's frame in double by the inverse of the pose, which may
// be any affine map that can be inverted; there the triangles are as they were given. A triangle is hit where its
// projection along the ray holds the ray, edges and corners included, at a t in 0 .. reach. Seen edge-on, and where it
// has no area, it is not hit. A direction of 0 hits nothing.
//
// Watertight: a ray does not slip through an edge or a corner of a closed mesh. Every vertex is projected along the ray
// once, by operations that do not depend on its triangle, and on which side of a projected edge the ray passes is
// decided exactly [Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, JCGT 2013; we differ: in double, and exact
// where their signs round to 0]. So what is hit is a closed mesh again, of which each vertex is off by at most
// `measure`; only where the origin is so near to the surface may a hit be taken for one behind it.
//
// Answers depend on the ray, the pose and the triangles alone: not on the hierarchy, the SIMD level or the number of
// workers. Any number of threads may ask at a time.
#ifndef GRAZE_MODEL_RAY_H
#define GRAZE_MODEL_RAY_H

#include "graze/model.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

typedef enum grzModelRayPick {
    grz_rayClosest = 0, // of the least t; of several the one of the lowest triangle
    grz_rayAny,         // one, if there is any: which, depends on the hierarchy
} grzModelRayPick;

typedef enum grzModelRaySides {
    grz_raysHitBoth = 0,
    grz_raysHitFronts, // only where they come against the normal: where the corners run counter-clockwise
    grz_raysHitBacks,
} grzModelRaySides;

typedef struct grzModelRay {
    uint32_t mark; // set by grzDefaultModelRay; calls refuse another
    const grzModel* model;
    grzTransform pose;         // from the model's frame to the world
    grzVec3 origin, direction; // in the world; the direction has any length
    float reach;               // 0 or more, or infinity
    grzModelRayPick pick;
    grzModelRaySides sides;
} grzModelRay;

// Identity, no model, from 0 along 0, infinity, closest, both sides.
GRZ_API grzModelRay grzDefaultModelRay(void);

typedef struct grzModelRayHit {
    float t;           // in lengths of the direction, FLT_MAX at most; where nothing is hit: the reach
    uint32_t triangle; // in the caller's numbers; GRZ_NO_TRIANGLE: nothing is hit, and all that follows is 0
    grzVec3 weights;   // of the triangle's three corners; 0 or more, their sum is 1 but for rounding
    grzVec3 point;     // in the world: origin + t * direction
    grzVec3 normal;    // in the world, unit; out of the front. 0 where the pose takes all length from it
    uint32_t isFront;  // 1: the ray comes against the normal; 0: along it
    // grz_exact: a hit for the numbers as given. grz_conservative: the ray passes no farther than `measure` from the
    // triangle, or meets it no farther than that from an end of the ray.
    uint32_t certainty;
    float measure; // a length of the world
} grzModelRayHit;

// The closest hit, or any. Allocates nothing. Refused, with *hit as where nothing is hit:
//   grz_badDef       the mark
//   grz_badArgument  (value 1; the reason names the field) no model; an unknown pick or sides; a negative reach; a
//                    basis that cannot be inverted, or that is so far from unit size that double cannot hold the ray
//   grz_notFinite    the pose, origin or direction; a reach that is a NaN
GRZ_NODISCARD GRZ_API grzResult grzModel_CastRay(const grzModelRay* ray, grzModelRayHit* hit);

GRZ_STATIC_ASSERT(sizeof(grzModelRayHit) == 68, "no hidden padding");

GRZ_EXTERN_C_END

#endif
