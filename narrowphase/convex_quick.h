// Short ways for pairs of spheres, capsules and boxes. Each either answers as graze/convex_pairs.h says or returns
// false, with the manifold unchanged, and the general way of convex_pairs.c is taken.
#ifndef GRAZE_NARROWPHASE_CONVEX_QUICK_H
#define GRAZE_NARROWPHASE_CONVEX_QUICK_H

#include "graze/convex_pairs.h"

typedef struct QuickPair {
    const grzConvex *shapeA, *shapeB;
    const grzTransform *poseA, *poseB;
    double margin;
    double defect; // by no more are all lengths and products of the bases' columns off 1 and 0, both poses together
} QuickPair;

// Short ways are for bases that are off by rounding alone.
#define QUICK_MOST_DEFECT 4e-6

typedef bool QuickFn(const QuickPair* pair, grzManifold* manifold);

QuickFn grzQuick_Boxes;
QuickFn grzQuick_Rounds;   // spheres and capsules
QuickFn grzQuick_RoundBox; // a sphere or capsule and a box, in either order

// Picks by the kinds; false, too, where there is no short way. The shapes must be good.
bool grzQuick_Collide(const QuickPair* pair, grzManifold* manifold);

#endif
