// Contact points: the part of one face that lies under another, and the choice of a few of many.
#ifndef GRAZE_NARROWPHASE_CONVEX_CLIP_H
#define GRAZE_NARROWPHASE_CONVEX_CLIP_H

#include "convex_core.h"

typedef struct ClipPoint {
    grzVec3d point; // on the incident core
    double height;  // over the reference core, along the normal
    grzFeature reference, incident;
} ClipPoint;

// Each side cuts off what is convex, and so adds one corner at most; the rest is room for faces that are hollow by
// the hull's tolerance.
#define CLIP_MOST_POINTS (4 * CORE_MOST_CORNERS)

// By this part of the smaller core's size a face is taken larger on all sides than it is; by less where it has a corner that
// is sharper than a right angle, since its sides meet far out. A vertex that shakes by less about a side keeps its name.
#define RIM_SLACK 1e-3

// That length for two cores; 0 with a triangle of a mesh, whose sides are no rim: what is beyond is the neighbour's.
double grzRimSlack(const ConvexCore* coreA, const ConvexCore* coreB);

// The corners of the face (or segment, or point) of `incident` that faces `normal` least, within the prism that the
// reference face and its slack span along the normal, which points from the reference to the incident core; those that
// are not higher than `most`. Returns how many.
uint32_t grzClipFace(const ConvexCore* reference, uint32_t face, const ConvexCore* incident, grzVec3d normal,
                     double most, ClipPoint* points);

// Two segments side by side, from their ends: the ends of the stretch that they share, two at most; none where they
// are not nearly parallel. The deeper first.
uint32_t grzClipSegments(const grzVec3d reference[2], const grzVec3d incident[2], grzVec3d normal, double most,
                         ClipPoint* points);

// Moves to the front the deepest point, the farthest from it, and, of more than four, the two that with them span
// most. Returns how many there are then, at most 4.
uint32_t grzReducePoints(ClipPoint* points, uint32_t count, grzVec3d normal);

#endif
