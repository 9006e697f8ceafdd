// The closest points of two cores.
#ifndef GRAZE_NARROWPHASE_GJK_H
#define GRAZE_NARROWPHASE_GJK_H

#include "convex_core.h"

#define GJK_MOST_ITERATIONS 128

typedef struct GjkResult {
    double lower, upper;                 // of the cores' distance, without the radii; certain
    grzVec3d pointA, pointB;             // of the cores, relative to the base; `upper` apart but for rounding
    grzVec3d normal;                     // from A to B, unit; 0 where upper is within the error
    uint32_t verticesA[4], verticesB[4]; // that span the points
    uint32_t count;
    uint32_t iterations;
    bool isOverlapping;    // the cores are not certainly apart
    bool isOverlapCertain; // a ball of the error's size lies inside both
} GjkResult;

// Both cores relative to one base. Stops early, with bounds that have not met, once lower exceeds `enough`.
void grzGjk(const ConvexCore* coreA, const ConvexCore* coreB, double enough, GjkResult* result);

// The same, beginning with the vertices that *result has of an earlier search for these cores at other places (count: 0, none, to
// 3): where the same are nearest, one round says so.
void grzGjk_From(const ConvexCore* coreA, const ConvexCore* coreB, double enough, GjkResult* result);

#endif
