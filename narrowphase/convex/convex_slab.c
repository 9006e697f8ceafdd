// What: a box against a triangle, where the box's axes alone decide.
// Promise: what is said is certain: the error counts what rounding and a basis that is not square may take.
// Idea: in the box's frame the triangle has an interval on each axis. A gap beyond the margin keeps it off. Where it is apart
//   along an axis, and its corner nearest along that one lies over the face, that corner is the nearest of all: the box ends at
//   the face, and the triangle begins there. A corner within all three slabs is in the box.
// Cost: nine products of vectors and six of the basis, some 15 ns; GJK takes ten times that.
#include "convex_slab.h"

#include <math.h>

static double least(double a, double b) {
    return a < b ? a : b;
}

static double most(double a, double b) {
    return a > b ? a : b;
}

static double defectOf(const ConvexCore* core) {
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k) {
            const double off = grzVec3d_Dot(core->axes[i], core->axes[k]) - (i == k ? 1 : 0);
            sum += off * off;
        }
    return sqrt(sum);
}

// Whether a corner is within all slabs but one (3: within all).
static bool isWithin(const ConvexCore* core, const double at[3], uint32_t butOne, double error) {
    for (uint32_t axis = 0; axis < 3; ++axis)
        if (axis != butOne && !(fabs(at[axis]) <= core->half[axis] - error))
            return false;
    return true;
}

static void setOver(Slab* slab, const double at[3][3], uint32_t axis, bool isUpper) {
    uint32_t corner = 0;
    for (uint32_t k = 1; k < 3; ++k)
        if (isUpper ? at[k][axis] < at[corner][axis] : at[k][axis] > at[corner][axis])
            corner = k;
    slab->kind = slabOver;
    slab->axis = axis, slab->isUpper = isUpper;
    slab->corner = corner;
}

Slab grzCompareSlab(const ConvexCore* core, const grzVec3d corners[3], double margin) {
    Slab slab = {.kind = slabUnknown};
    double at[3][3], size = core->size, gap = -(double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        const grzVec3d p = grzVec3d_Sub(corners[k], core->middle);
        for (int axis = 0; axis < 3; ++axis)
            at[k][axis] = grzVec3d_Dot(core->axes[axis], p);
        size += grzVec3d_Sum(p);
    }
    slab.error = 4 * core->error + (0x1p-46 + defectOf(core)) * size;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const double lower = least(least(at[0][axis], at[1][axis]), at[2][axis]);
        const double upper = most(most(at[0][axis], at[1][axis]), at[2][axis]);
        const double above = lower - core->half[axis], below = -core->half[axis] - upper;
        if (most(above, below) > gap) {
            gap = most(above, below);
            setOver(&slab, (const double(*)[3])at, axis, above >= below);
        }
    }
    slab.gap = gap;
    const bool isOver = gap > slab.error && isWithin(core, at[slab.corner], slab.axis, slab.error);
    slab.kind = gap - slab.error > margin ? slabBeside : isOver ? slabOver : slabUnknown;
    for (int k = 0; k < 3 && gap <= 0; ++k)
        if (isWithin(core, at[k], 3, slab.error))
            slab.kind = slabInside;
    return slab;
}
