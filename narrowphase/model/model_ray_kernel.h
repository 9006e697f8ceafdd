// What: walks a hierarchy along a ray and tests the triangles that may be hit. See kernel.h for how it is built and
//   picked; model_ray_hit.c for the test that decides.
// Promise: every triangle that grzModelRay_Decide says is hit within the limit is found; closest: the one of the least
//   (tau, triangle).
// Threads: reads the model; writes the walk.
#ifndef GRAZE_NARROWPHASE_MODEL_RAY_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_RAY_KERNEL_H

#include "graze/model_ray.h"
#include "kernel.h"
#include "model_place.h"
#include "model_walk.h"

// A hit in the model's frame.
typedef struct RayHit {
    double tau;        // in lengths of the walk's direction
    double weights[3]; // as they come: all of one sign, or 0
    uint32_t triangle; // the caller's
    uint32_t place;    // the tree's
    uint32_t isFront;
    uint32_t pad;
} RayHit;

typedef struct RayWalk {
    const grzModel* model;
    grzModelRayPick pick;
    grzModelRaySides sides;
    // The ray in the model's frame; the direction is scaled by a power of two, so that its largest coordinate is 0.5 to 1.
    double origin[3], direction[3];
    double reach; // of tau
    // The axes, the last being the one of the largest coordinate of the direction; a vertex p is projected to
    // p[x] - shear[0] * p[z], p[y] - shear[1] * p[z], relative to the origin.
    int axes[3];
    double shear[3]; // the last: 1 / direction[z]
    // For boxes: the origin on each axis, as the near and as the far plane want it, and the reciprocal direction.
    float nearOrigin[3], farOrigin[3], reciprocal[3];
    bool isBackward[3]; // the direction's sign: the upper plane is the near one
    RayHit best;        // what is found
    bool isHit;
} RayWalk;

GRZ_DECLARE_KERNEL(void, grzModelRayWalk, (RayWalk * walk));

// The same in a model from a source: the chunks on the way are made (model_chunks.h).
GRZ_DECLARE_KERNEL(void, grzModelRayWalkChunks, (RayWalk * walk));

// Whether triangle `k` of a leaf is hit, at a tau within 0 .. reach and on a side that counts.
bool grzModelRay_Decide(const RayWalk* walk, uint32_t leaf, uint32_t k, RayHit* hit);

// Whether it stays a hit if every projected vertex is off by the slack.
bool grzModelRay_IsCertain(const RayWalk* walk, const RayHit* hit, double slack);

#endif
