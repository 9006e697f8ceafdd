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

// Whether A's face is taken for the reference, of two that are as good: the one of lower index, and of one index the one
// that points more along a direction to which no vector of small whole numbers is square. The order of the cores does
// not matter, and two that face each other tell themselves apart as long as neither turns by much.
static inline bool grzIsFirstFace(uint32_t a, grzVec3d outwardA, uint32_t b, grzVec3d outwardB) {
    const grzVec3d direction = {1, 1.4142135623730951, 1.7320508075688772};
    return a != b ? a < b : grzVec3d_Dot(outwardA, direction) >= grzVec3d_Dot(outwardB, direction);
}

// At least one core is a box, triangle with area, or hull.
void grzFindAxis(const ConvexCore* coreA, const ConvexCore* coreB, double preference, ConvexAxis* axis);

#endif
