// A box of a short way (convex_quick.h): in double, relative to the origin of pose A, its axes of unit length.
#ifndef GRAZE_NARROWPHASE_QUICK_BOX_H
#define GRAZE_NARROWPHASE_QUICK_BOX_H

#include <math.h>

#include "convex_quick.h"

typedef struct QuickBox {
    grzVec3d axes[3]; // their angles are those of the basis
    double half[3];   // in the world
    grzVec3d middle;
    double size;  // of the diagonal
    double reach; // the sizes of all terms of which a corner is the sum
} QuickBox;

static inline uint32_t quickNext(uint32_t axis) {
    return axis == 2 ? 0 : axis + 1;
}

static inline double quickSumOf(grzVec3d a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

static inline grzVec3d quickAddScaled(grzVec3d a, double s, grzVec3d b) {
    return grzVec3d_Make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

// A point of a shape's frame, relative to the base.
static inline grzVec3d quickPoint(const grzTransform* pose, grzVec3 p, grzVec3d origin) {
    grzVec3d sum = quickAddScaled(origin, (double)p.x, grzVec3d_FromVec3(pose->basis.x));
    sum = quickAddScaled(sum, (double)p.y, grzVec3d_FromVec3(pose->basis.y));
    return quickAddScaled(sum, (double)p.z, grzVec3d_FromVec3(pose->basis.z));
}

// The root of 1 + x for |x| of QUICK_MOST_DEFECT and its inverse, to 1e-16, need only the start of their series.
static inline void quickSetAxis(QuickBox* box, uint32_t k, grzVec3 column, float half) {
    grzVec3d axis = grzVec3d_FromVec3(column);
    double x = grzVec3d_LengthSq(axis) - 1;
    box->axes[k] = grzVec3d_Scale(axis, 1 - x * (0.5 - 0.375 * x));
    box->half[k] = (double)half * (1 + x * (0.5 - 0.125 * x));
}

static inline void quickSetBox(QuickBox* box, const grzConvex* shape, const grzTransform* pose, grzVec3d origin) {
    quickSetAxis(box, 0, pose->basis.x, shape->b.x);
    quickSetAxis(box, 1, pose->basis.y, shape->b.y);
    quickSetAxis(box, 2, pose->basis.z, shape->b.z);
    box->middle = quickPoint(pose, shape->a, origin);
    double lengthSq = box->half[0] * box->half[0] + box->half[1] * box->half[1] + box->half[2] * box->half[2];
    box->size = 2 * sqrt(lengthSq);
    box->reach = quickSumOf(origin) + 2 * (quickSumOf(grzVec3d_FromVec3(shape->a)) + box->size);
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

static inline uint32_t quickEdgeBetween(uint32_t v, uint32_t w) {
    uint32_t axis = (v ^ w) >> 1, u = quickNext(axis); // 1, 2, 4 -> 0, 1, 2
    return quickEdge(axis, (v >> u & 1) != 0, (v >> quickNext(u) & 1) != 0);
}

// The corners of a face, counter-clockwise as seen from outside, begin at both sides' lower ends and go along u first.
static inline void quickFaceAxes(uint32_t face, uint32_t* u, uint32_t* v) {
    uint32_t next = quickNext(face >> 1), last = quickNext(next);
    *u = (face & 1) != 0 ? next : last;
    *v = (face & 1) != 0 ? last : next;
}

static inline void quickFaceLoop(uint32_t face, uint32_t loop[4]) {
    uint32_t u, v, from = (face & 1) << (face >> 1);
    quickFaceAxes(face, &u, &v);
    loop[0] = from, loop[1] = from | 1u << u, loop[2] = from | 1u << u | 1u << v, loop[3] = from | 1u << v;
}

#endif
