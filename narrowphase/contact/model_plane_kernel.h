// What: walks a hierarchy along a direction and gives the triangles that reach low enough, the lowest boxes first, some at
//   a time. See kernel.h for how it is built and picked.
// Promise: every triangle is given with a corner whose height, as grzPlaneWalk_Height computes it, is within the limit; and
//   no other but those that the limit has left behind. The limit may fall between two calls.
// Threads: reads the model; writes the walk.
#ifndef GRAZE_NARROWPHASE_MODEL_PLANE_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_PLANE_KERNEL_H

#include "kernel.h"
#include "model_walk.h"

enum { PLANE_WALK_ROOM = 64 + GRZ_BVH_LEAF_TRIANGLES };

typedef struct PlaneWalk {
    const grzModel* model;
    double normal[3]; // in the model's frame
    double limit;     // of heights
    uint32_t enough;  // ends a call: 1 to 64
    uint32_t count;   // of triangles given, in the tree's numbers
    uint32_t triangles[PLANE_WALK_ROOM];
    WalkStack stack;
} PlaneWalk;

// Gives at least `enough` triangles, or the last there are. None: there are no more.
GRZ_DECLARE_KERNEL(void, grzModelPlaneWalk, (PlaneWalk * walk));

static inline double grzPlaneWalk_Height(const PlaneWalk* walk, double x, double y, double z) {
    return (walk->normal[0] * x + walk->normal[1] * y) + walk->normal[2] * z;
}

#endif
