// What: walks a hierarchy from a box, by distance, and gives the triangles whose boxes are near it, some at a time.
//   See kernel.h for how it is built and picked.
// Promise: every triangle is given whose box, grown by the walk's margins, is within the limit, and which takes a part of what the shape
//   takes on each of its axes; the limit may fall between two calls. A distance in the world is measured on the axes of the
//   model's frame (model_shape_walk.c).
// Threads: reads the model; writes the walk.
#ifndef GRAZE_NARROWPHASE_MODEL_SHAPE_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_SHAPE_KERNEL_H

#include "kernel.h"
#include "model_walk.h"

enum { SHAPE_WALK_ROOM = 64 + GRZ_BVH_LEAF_TRIANGLES };

typedef struct ShapeWalk {
    const grzModel* model;
    float lower[3], upper[3]; // a box in the model's frame, with all that is off
    float scales[3];          // what a gap on an axis is in the world
    double limit;             // of the sum of their squares
    float axes[3][3];         // of the shape's own frame: factors of the model's coordinates
    float least[3], most[3];  // what the shape takes on each of these, with the reach and all that is off
    uint32_t enough;          // ends a call: 1 to 64
    uint32_t count;           // of triangles given, in the tree's numbers
    uint32_t triangles[SHAPE_WALK_ROOM];
    double bounds[SHAPE_WALK_ROOM]; // of their sums of squares
    WalkStack stack;
} ShapeWalk;

// Gives at least `enough` triangles, or the last there are. None: there are no more.
GRZ_DECLARE_KERNEL(void, grzModelShapeWalk, (ShapeWalk * walk));

#endif
