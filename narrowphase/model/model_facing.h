// What: bounds of distances in a frame that faces the nearest pair found so far: its first axis leads from the one point to the
//   other, the two others across.
// Promise: what is found apart is no nearer than that, in real arithmetic, less what `slack` makes up for.
// Idea: surfaces that are near each other are parted best along that line, whatever the axes of their boxes are; and those
//   that lie aside of it, across. So there are gaps of boxes along three axes, squared and added up. A's coordinates are
//   taken negative: then a sum over both sides is how B's lie from A's.
// Holds: the axes are orthonormal but for some 2^-52. With the sizes of all coordinates adding up to at most 1 on each axis of
//   the common frame, a bound is a sum of some 13 products and sums of single precision whose sizes add up to 2 sqrt(3):
//   off by less than 2^-19, which is the slack on each axis.
#ifndef GRAZE_NARROWPHASE_MODEL_FACING_H
#define GRAZE_NARROWPHASE_MODEL_FACING_H

#include <math.h>
#include <string.h>

#include "model_boxes.h"
#include "model_span.h"
#include "simd.h"
#include "vec3d.h"

#define FACING_SLACK   0x1p-19F
#define FACING_LARGEST 0x1p100F

enum { FACING_LEAF = GRZ_BVH_LEAF_TRIANGLES };

typedef struct Facing {
    float columns[2][3][4], absolute[2][3][4]; // of [side][own axis], along the three axes; the fourth is 0
    float twiceOffset[4];
    float twiceSlack; // on each axis; infinite where the frame bounds nothing
} Facing;

static inline void normalizeTo(const double v[3], double out[3]) {
    const double length = sqrt(grzRow_Dot(v, v));
    for (int i = 0; i < 3; ++i)
        out[i] = v[i] / length;
}

// From a direction that is not 0 and no longer than some spans.
static inline void makeAxes(const double direction[3], double axes[3][3]) {
    double most = 0, across[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
        most = fmax(most, fabs(direction[i]));
    const double scaled[3] = {direction[0] / most, direction[1] / most, direction[2] / most};
    normalizeTo(scaled, axes[0]);
    int least = 0;
    for (int i = 1; i < 3; ++i)
        least = fabs(axes[0][i]) < fabs(axes[0][least]) ? i : least;
    across[least] = 1;
    double side[3];
    grzRow_Cross(axes[0], across, side);
    normalizeTo(side, axes[1]);
    grzRow_Cross(axes[0], axes[1], axes[2]);
}

// A frame whose first axis is `direction`; where that is 0, it stays as it is.
static inline void face(Facing* facing, const ModelSpan* span, const double direction[3]) {
    double axes[3][3];
    if (!(fmax(fmax(fabs(direction[0]), fabs(direction[1])), fabs(direction[2])) > 0))
        return;
    makeAxes(direction, axes);
    memset(facing, 0, sizeof *facing);
    facing->twiceSlack = 2 * FACING_SLACK;
    for (int k = 0; k < 3; ++k) {
        facing->twiceOffset[k] = (float)(2 * grzRow_Dot(axes[k], span->offset));
        for (int at = 0; at < 6; ++at) {
            const int side = at / 3, j = at % 3;
            const float along = (float)grzRow_Dot(axes[k], span->sides[side].columns[j]);
            facing->columns[side][j][k] = side == 0 ? -along : along;
            facing->absolute[side][j][k] = fabsf(along);
            if (!(fabsf(along) <= FACING_LARGEST)) // the model is flat: its axis across may be of any length
                facing->twiceSlack = (float)INFINITY;
        }
    }
    if (isinf(facing->twiceSlack))
        memset(facing->columns, 0, sizeof facing->columns), memset(facing->absolute, 0, sizeof facing->absolute);
}

// ---- boxes ----

// Doubled, along each axis.
typedef struct Faced {
    float center[4], radius[4];
} Faced;

GRZ_SIMD_PART void faceBox(const Facing* facing, uint32_t side, const Partner* box, Faced* faced) {
    grzF4 center = grzF4_Load(facing->twiceOffset), radius = grzF4_Set1(facing->twiceSlack);
    for (int j = 0; j < 3; ++j) {
        center = grzF4_Add(center, grzF4_Mul(grzF4_Load(facing->columns[side][j]), grzF4_Set1(box->sum[j])));
        radius =
            grzF4_Add(radius, grzF4_Mul(grzF4_Load(facing->absolute[side][j]), grzF4_Set1(box->difference[j])));
    }
    grzF4_Store(faced->center, center);
    grzF4_Store(faced->radius, radius);
}

// How deep boxes of the side and what is faced of the other are in each other along an axis, doubled.
GRZ_SIMD_PART grzF8 depthFaced(const Facing* facing, uint32_t side, const Boxes* boxes, const Faced* other,
                               int axis) {
    const float(*columns)[4] = (const float(*)[4])facing->columns[side];
    const float(*absolute)[4] = (const float(*)[4])facing->absolute[side];
    grzF8 center = grzF8_Set1(other->center[axis]), radius = grzF8_Set1(other->radius[axis]);
    for (int j = 0; j < 3; ++j) {
        center = grzF8_Add(center, grzF8_Mul(grzF8_Set1(columns[j][axis]), boxes->sum[j]));
        radius = grzF8_Add(radius, grzF8_Mul(grzF8_Set1(absolute[j][axis]), boxes->difference[j]));
    }
    return grzF8_Sub(radius, grzF8_Abs(center));
}

// ---- leaves ----

// The triangles of a leaf, four lanes a row, along each axis: A's negative.
typedef struct Quad {
    float lower[3][4], upper[3][4];
} Quad;

GRZ_SIMD_PART grzF4 quarterOf(grzF16 row, int k) {
    const grzF8 half = k < 2 ? grzF16_Lower(row) : grzF16_Upper(row);
    return (k & 1) == 0 ? grzF8_Lower(half) : grzF8_Upper(half);
}

// The fourth quarter of a leaf's rows are normals, and not looked at.
GRZ_SIMD_PART void faceLeaf(const Facing* facing, uint32_t side, const ModelLeaf* leaf, Quad* quad) {
    const grzF16 x = grzF16_LoadAligned(leaf->at[0]), y = grzF16_LoadAligned(leaf->at[1]);
    const grzF16 z = grzF16_LoadAligned(leaf->at[2]);
    const float(*columns)[4] = (const float(*)[4])facing->columns[side];
    for (int axis = 0; axis < 3; ++axis) {
        const grzF16 xy =
            grzF16_Add(grzF16_Mul(grzF16_Set1(columns[0][axis]), x), grzF16_Mul(grzF16_Set1(columns[1][axis]), y));
        const grzF16 row = grzF16_Add(xy, grzF16_Mul(grzF16_Set1(columns[2][axis]), z));
        const grzF4 p = quarterOf(row, 0), q = quarterOf(row, 1), r = quarterOf(row, 2);
        grzF4_Store(quad->lower[axis], grzF4_Min(grzF4_Min(p, q), r));
        grzF4_Store(quad->upper[axis], grzF4_Max(grzF4_Max(p, q), r));
    }
}

// All four as one box; tighter than the leaf's own.
GRZ_SIMD_PART void faceQuad(const Facing* facing, const Quad* quad, Faced* faced) {
    for (int axis = 0; axis < 3; ++axis) {
        const float lower = grzF4_ReduceMin(grzF4_Load(quad->lower[axis]));
        const float upper = grzF4_ReduceMax(grzF4_Load(quad->upper[axis]));
        faced->center[axis] = facing->twiceOffset[axis] + (lower + upper);
        faced->radius[axis] = facing->twiceSlack + (upper - lower);
    }
}

// Bit 4i + k: triangles i of A and k of B may be as near as a limit, squared.
GRZ_SIMD_PART uint32_t findNearQuads(const Facing* facing, const Quad* a, const Quad* b, float limit) {
    const grzF4 slack = grzF4_Set1(0.5F * facing->twiceSlack);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < FACING_LEAF; ++i) {
        grzF4 sum = grzF4_Zero();
        for (int axis = 0; axis < 3; ++axis) {
            const float offset = 0.5F * facing->twiceOffset[axis];
            const grzF4 above = grzF4_Add(grzF4_Load(b->lower[axis]), grzF4_Set1(a->lower[axis][i] + offset));
            const grzF4 below = grzF4_Add(grzF4_Load(b->upper[axis]), grzF4_Set1(a->upper[axis][i] + offset));
            const grzF4 gap = grzF4_Sub(grzF4_Max(above, grzF4_Negate(below)), slack);
            const grzF4 length = grzF4_Max(gap, grzF4_Zero());
            sum = grzF4_Add(sum, grzF4_Mul(length, length));
        }
        bits |= grzM4_Bits(grzF4_LessEqual(sum, grzF4_Set1(limit))) << 4 * i;
    }
    return bits;
}

#endif
