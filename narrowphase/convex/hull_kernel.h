// The loops over the vertices and edges of a hull.
#ifndef GRAZE_NARROWPHASE_HULL_KERNEL_H
#define GRAZE_NARROWPHASE_HULL_KERNEL_H

#include "hull_inside.h"
#include "kernel.h"

// The vertex with the largest dot product with `direction`, in double; of several the first. `count` coordinates,
// padded as in grzHull: x of all, y of all, z of all.
GRZ_DECLARE_KERNEL(uint32_t, grzHullSupport, (const float* coordinates, uint32_t count, grzVec3d direction));

// An edge in the hull's frame. Of the hull's, `count` are taken (whole lanes) from arrays that are `stride` apart.
typedef struct HullArc {
    float parts[hullArcArrays]; // as the arrays of grzHull.arcs
} HullArc;

// The edge of the hull that, crossed with `arc`, separates them farthest along the axis from the arc's solid to
// the hull's (negative: least depth), and that separation; HULL_NONE where none crosses it on the Gauss map. Float.
GRZ_DECLARE_KERNEL(uint32_t, grzHullEdges,
                   (const float* arcs, uint32_t stride, uint32_t count, const HullArc* arc, float* separation));

#endif
