// Short ways for pairs of spheres, capsules and boxes. Each either answers as graze/convex_pairs.h says or returns
// false, with the manifold unchanged, and the general way of convex_pairs.c is taken.
#ifndef GRAZE_NARROWPHASE_CONVEX_QUICK_H
#define GRAZE_NARROWPHASE_CONVEX_QUICK_H

#include <math.h>

#include "convex_core.h"

typedef struct QuickPair {
    const grzConvex *shapeA, *shapeB;
    const grzTransform *poseA, *poseB;
    float margin;
    // the squares of how far the squared lengths and products of the bases' columns are off 1 and 0,
    float defectSq;
} QuickPair; // summed up over both poses

// Short ways are for bases that are off by rounding alone.
#define QUICK_MOST_DEFECT 4e-6f

// By no more does a unit vector change its length, or its product with a unit vector that is square to it, when both
// go through the bases. What float has hidden of the defects is less than 2^-21.
static inline double grzQuick_Defect(const QuickPair* pair) {
    return sqrt(2 * (double)pair->defectSq) + 0x1p-21;
}

// How far a basis is off unit lengths and right angles: the sum of squares. Infinite or a NaN where it mirrors, or
// something is not good.
static inline float quickDefectOf(const grzTransform* pose) {
    const grzMat3* m = &pose->basis;
    grzMat3 rows = grzMat3_Transpose(*m); // sums of three products for three pairs of columns at a time
    grzVec3 lengths = grzAdd(grzAdd(grzMul(rows.x, rows.x), grzMul(rows.y, rows.y)), grzMul(rows.z, rows.z));
    grzVec3 x = grzVec3_FromLanes(grzLanes_Yzx(grzVec3_ToLanes(rows.x)));
    grzVec3 y = grzVec3_FromLanes(grzLanes_Yzx(grzVec3_ToLanes(rows.y)));
    grzVec3 z = grzVec3_FromLanes(grzLanes_Yzx(grzVec3_ToLanes(rows.z)));
    grzVec3 products = grzAdd(grzAdd(grzMul(rows.x, x), grzMul(rows.y, y)), grzMul(rows.z, z));
    lengths = grzSub(lengths, grzVec3_Splat(1));
    grzVec3 squares = grzAdd(grzMul(lengths, lengths), grzMul(products, products));
    bool isGood = grzDot(grzCross(m->x, m->y), m->z) > 0 && grzCoordinates_AreGood(pose->origin);
    return isGood ? squares.x + squares.y + squares.z : INFINITY;
}

typedef bool QuickFn(const QuickPair* pair, grzManifold* manifold);

QuickFn grzQuick_Spheres;
QuickFn grzQuick_Boxes;
QuickFn grzQuick_Rounds;   // spheres and capsules
QuickFn grzQuick_RoundBox; // a sphere or capsule and a box, in either order

// Picks by the kinds; false, too, where there is no short way. The shapes must be good.
bool grzQuick_Collide(const QuickPair* pair, grzManifold* manifold);

#endif
