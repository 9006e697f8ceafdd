// Short ways for pairs of spheres, capsules and boxes. Each either answers as graze/convex_pairs.h says or returns
// false, with the manifold unchanged, and the general way of convex_pairs.c is taken.
#ifndef GRAZE_NARROWPHASE_CONVEX_QUICK_H
#define GRAZE_NARROWPHASE_CONVEX_QUICK_H

#include <math.h>

#include "graze/convex_pairs.h"

typedef struct QuickPair {
    const grzConvex *shapeA, *shapeB;
    const grzTransform *poseA, *poseB;
    float margin;
    float
        defectSq; // the squares of how far the squared lengths and products of the bases' columns are off 1 and 0,
} QuickPair;      // summed up over both poses

// Short ways are for bases that are off by rounding alone.
#define QUICK_MOST_DEFECT 4e-6f

// By no more does a unit vector change its length, or its product with a unit vector that is square to it, when both
// go through the bases. What float has hidden of the defects is less than 2^-21.
static inline double grzQuick_Defect(const QuickPair* pair) {
    return sqrt(2 * (double)pair->defectSq) + 0x1p-21;
}

typedef bool QuickFn(const QuickPair* pair, grzManifold* manifold);

QuickFn grzQuick_Boxes;
QuickFn grzQuick_Rounds;   // spheres and capsules
QuickFn grzQuick_RoundBox; // a sphere or capsule and a box, in either order

// Picks by the kinds; false, too, where there is no short way. The shapes must be good.
bool grzQuick_Collide(const QuickPair* pair, grzManifold* manifold);

#endif
