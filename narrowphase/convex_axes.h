// The direction in which two overlapping cores are separated by the least motion.
#ifndef GRAZE_NARROWPHASE_CONVEX_AXES_H
#define GRAZE_NARROWPHASE_CONVEX_AXES_H

#include "convex_core.h"

typedef enum AxisKind { axisFaceA, axisFaceB, axisEdges } AxisKind;

typedef struct ConvexAxis {
    AxisKind kind;
    double separation; // of the cores along the normal; negative: depth
    double top;        // the largest separation along any axis: the true one, but for `error`
    double error;
    grzVec3d normal;             // unit, from A to B
    uint32_t face;               // of A or B
    uint32_t edgeA, edgeB;       // where two edges cross
    grzVec3d pointA, directionA; // the edges run from here to point + span * direction
    grzVec3d pointB, directionB;
    double spanA, spanB;
} ConvexAxis;

// How far the cores are apart along a unit vector from A to B; negative: how far they overlap.
double grzSeparationAlong(const ConvexCore* coreA, const ConvexCore* coreB, grzVec3d normal);

// How much less separation a face may have than the best axis and still be taken, for the sake of stability.
double grzAxisPreference(const ConvexCore* coreA, const ConvexCore* coreB);

// At least one core is a box, triangle with area, or hull.
void grzFindAxis(const ConvexCore* coreA, const ConvexCore* coreB, double preference, ConvexAxis* axis);

#endif
