// A box of a short way (convex_quick.h): in double, relative to the origin of pose A.
#ifndef GRAZE_NARROWPHASE_QUICK_BOX_H
#define GRAZE_NARROWPHASE_QUICK_BOX_H

#include <math.h>

#include "convex_quick.h"

typedef struct QuickBox {
    grzVec3d axes[3]; // the columns of the basis
    double half[3];
    grzVec3d middle;
} QuickBox;

static inline uint32_t quickNext(uint32_t axis) {
    return axis == 2 ? 0 : axis + 1;
}

// A point of a shape's frame, relative to the base.
static inline grzVec3d quickPoint(const grzTransform* pose, grzVec3 p, grzVec3d origin) {
    if (p.x == 0 && p.y == 0 && p.z == 0)
        return origin;
    grzVec3d sum = grzVec3d_AddScaled(origin, (double)p.x, grzVec3d_FromVec3(pose->basis.x));
    sum = grzVec3d_AddScaled(sum, (double)p.y, grzVec3d_FromVec3(pose->basis.y));
    return grzVec3d_AddScaled(sum, (double)p.z, grzVec3d_FromVec3(pose->basis.z));
}

// 1 / length, and length, of a vector whose squared length is off 1 by QUICK_MOST_DEFECT at most: to 1e-16, by their
// series.
static inline double quickInverseLength(grzVec3d a) {
    double x = grzVec3d_LengthSq(a) - 1;
    return 1 - x * (0.5 - 0.375 * x);
}

static inline double quickLength(grzVec3d a) {
    double x = grzVec3d_LengthSq(a) - 1;
    return 1 + x * (0.5 - 0.125 * x);
}

static inline void quickSetBox(QuickBox* box, const grzConvex* shape, const grzTransform* pose, grzVec3d middle) {
    grzVec3d_FromMat3(pose->basis, box->axes);
    box->half[0] = (double)shape->b.x, box->half[1] = (double)shape->b.y, box->half[2] = (double)shape->b.z;
    box->middle = middle;
}

// Its diagonal.
static inline double quickSizeOf(const grzConvex* box) {
    double x = (double)box->b.x, y = (double)box->b.y, z = (double)box->b.z;
    return 2 * sqrt(x * x + y * y + z * z);
}

// The sizes of all terms of which points of both shapes are sums, relative to the origin of pose A: at least half of
// it, for they are added up in float.
static inline double quickReachOf(const QuickPair* pair, grzVec3d originB) {
    grzVec3 a = grzAdd(grzAbs(pair->shapeA->a), grzAbs(pair->shapeA->b));
    grzVec3 b = grzAdd(grzAbs(pair->shapeB->a), grzAbs(pair->shapeB->b)), both = grzAdd(a, b);
    float all = (both.x + both.y) + (both.z + pair->shapeA->radius) + pair->shapeB->radius;
    return grzVec3d_Sum(originB) + 4 * (double)all;
}

// How far the box reaches along n from its middle: the true extent, also where the axes are not quite square.
static inline double quickExtent(const QuickBox* box, grzVec3d n) {
    return box->half[0] * fabs(grzVec3d_Dot(box->axes[0], n)) + box->half[1] * fabs(grzVec3d_Dot(box->axes[1], n)) +
           box->half[2] * fabs(grzVec3d_Dot(box->axes[2], n));
}

// The vertex, edge and face numbers of graze/convex.h.
static inline uint32_t quickEdge(uint32_t axis, bool isUpperNext, bool isUpperLast) {
    return 4 * axis + (uint32_t)isUpperNext + 2 * (uint32_t)isUpperLast;
}

// A face's directions u and v, and its corners, counter-clockwise as seen from outside, from both lower ends along u
// first; edge i leads from corner i to the next.
static const uint8_t quickFaceAxes[6][2] = {{2, 1}, {1, 2}, {0, 2}, {2, 0}, {1, 0}, {0, 1}};
static const uint8_t quickFaceCorners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                               {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
static const uint8_t quickFaceEdges[6][4] = {{8, 5, 10, 4},  {6, 11, 7, 9}, {0, 9, 2, 8},
                                             {10, 3, 11, 1}, {4, 1, 6, 0},  {2, 7, 3, 5}};

#endif
