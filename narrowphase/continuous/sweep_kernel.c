// What: the kernel of sweep_kernel.h.
// Idea: along each of seven directions, the axes of both boxes and the way from middle to middle, the gap over the greatest speed that
//   may close it; and for the last one once more with the boxes as balls, whose middles alone turn about the axes:
//
//        gap n                                speed    closing . n + |spin x n| rate r, and that of the partner
//     [X]---->[Y]      step = gap / speed     r        from the axis to the farthest point of the box, or to its middle
//
//   Any direction gives a true bound, so the latest counts, and not that of the widest gap.
// Holds: what is rounded here is some 2^-50 of the lengths that are added, which the partner's radius has room for.
// Cost: some 400 operations on eight doubles.
// Based on: [Tang, Kim, Manocha, C2A, ICRA 2009] section 4 for speeds along a direction for each pair of volumes. We differ: boxes and
//   balls, eight at a time, and several directions.
#include "sweep_kernel.h"

#include <math.h>

#include "simd.h"
#include "vec3d.h"

#define LEAST_SPEED 0x1p-900
#define TURN_SLACK  0x1p-40

// The eight children.
typedef struct Boxes8 {
    grzD8 middle[3], half[3]; // in their frame
    grzD8 way[3];             // from their middles to the partner's
    grzD8 size, reach[2];     // as the partner's
    grzD8 step, gap;          // so far
} Boxes8;

GRZ_SIMD_PART grzD8 dot8(const double n[3], const grzD8* v) {
    const grzD8 xy = grzD8_Add(grzD8_Mul(grzD8_Set1(n[0]), v[0]), grzD8_Mul(grzD8_Set1(n[1]), v[1]));
    return grzD8_Add(xy, grzD8_Mul(grzD8_Set1(n[2]), v[2]));
}

GRZ_SIMD_PART grzD8 lengthSq8(const grzD8* v) {
    return grzD8_Add(grzD8_Add(grzD8_Mul(v[0], v[0]), grzD8_Mul(v[1], v[1])), grzD8_Mul(v[2], v[2]));
}

GRZ_SIMD_PART grzD8 abs8(grzD8 a) {
    return grzD8_Max(a, grzD8_Sub(grzD8_Zero(), a));
}

// rate * |spin x n| for a direction of unit length.
static inline double turnAlong(const double spin[3], double rate, const double n[3]) {
    double across[3];
    grzRow_Cross(spin, n, across);
    return rate * sqrt(grzRow_Dot(across, across));
}

GRZ_SIMD_PART void loadBoxes(const SweepOpen* open, Boxes8* boxes) {
    grzD8 place[3], sides[3];
    for (int j = 0; j < 3; ++j) {
        const grzD8 lower = grzD8_FromFloat(grzF8_LoadAligned(open->node->lower[j]));
        const grzD8 upper = grzD8_FromFloat(grzF8_LoadAligned(open->node->upper[j]));
        boxes->middle[j] = grzD8_Mul(grzD8_Add(lower, upper), grzD8_Set1(0.5));
        boxes->half[j] = grzD8_Mul(grzD8_Sub(upper, lower), grzD8_Set1(0.5));
        sides[j] = grzD8_Mul(boxes->half[j], grzD8_Set1(open->lengths[j]));
    }
    for (int i = 0; i < 3; ++i) {
        const double row[3] = {open->columns[0][i], open->columns[1][i], open->columns[2][i]};
        place[i] = grzD8_Add(dot8(row, boxes->middle), grzD8_Set1(open->arm[i]));
        boxes->way[i] = grzD8_Sub(grzD8_Set1(open->between[i]), place[i]);
    }
    const double* s = open->spin;
    const grzD8 across[3] = {
        grzD8_Sub(grzD8_Mul(grzD8_Set1(s[1]), place[2]), grzD8_Mul(grzD8_Set1(s[2]), place[1])),
        grzD8_Sub(grzD8_Mul(grzD8_Set1(s[2]), place[0]), grzD8_Mul(grzD8_Set1(s[0]), place[2])),
        grzD8_Sub(grzD8_Mul(grzD8_Set1(s[0]), place[1]), grzD8_Mul(grzD8_Set1(s[1]), place[0]))};
    boxes->size = grzD8_Mul(grzD8_Sqrt(lengthSq8(sides)), grzD8_Set1(open->spread));
    boxes->reach[0] = grzD8_Sqrt(lengthSq8(across));
    boxes->reach[1] = grzD8_Add(boxes->reach[0], boxes->size);
    boxes->step = grzD8_Zero();
    boxes->gap = grzD8_Set1(-(double)INFINITY);
}

GRZ_SIMD_PART void takeGap(Boxes8* boxes, grzD8 gap, grzD8 speed) {
    const grzD8 step = grzD8_Div(gap, grzD8_Max(speed, grzD8_Set1(LEAST_SPEED)));
    boxes->step = grzD8_Max(boxes->step, step);
    boxes->gap = grzD8_Max(boxes->gap, gap);
}

GRZ_SIMD_PART void lookAlong(const SweepOpen* open, const double n[3], Boxes8* boxes) {
    const double own[3] = {grzRow_Dot(n, open->columns[0]), grzRow_Dot(n, open->columns[1]),
                           grzRow_Dot(n, open->columns[2])};
    const double size[3] = {fabs(own[0]), fabs(own[1]), fabs(own[2])};
    const double other = fabs(grzRow_Dot(n, open->halves[0])) + fabs(grzRow_Dot(n, open->halves[1])) +
                         fabs(grzRow_Dot(n, open->halves[2])) + open->otherRadius;
    const double turn = turnAlong(open->otherSpin, open->otherRate, n) * open->otherReach[1];
    const grzD8 height = dot8(n, boxes->way), closing = grzD8_Set1(grzRow_Dot(n, open->closing));
    const grzD8 gap = grzD8_Sub(grzD8_Sub(abs8(height), dot8(size, boxes->half)), grzD8_Set1(other));
    const grzM8 isBeyond = grzD8_Less(grzD8_Zero(), height);
    grzD8 speed = grzD8_Select(isBeyond, closing, grzD8_Sub(grzD8_Zero(), closing));
    speed = grzD8_Add(speed, grzD8_Mul(grzD8_Set1(turnAlong(open->spin, open->rate, n)), boxes->reach[1]));
    takeGap(boxes, gap, grzD8_Add(speed, grzD8_Set1(turn)));
}

GRZ_SIMD_PART grzD8 turnAlong8(const double spin[3], double rate, const grzD8* n) {
    const grzD8 cosine = dot8(spin, n);
    const grzD8 square = grzD8_Sub(grzD8_Set1(1 + TURN_SLACK), grzD8_Mul(cosine, cosine));
    return grzD8_Mul(grzD8_Sqrt(grzD8_Max(square, grzD8_Zero())), grzD8_Set1(rate));
}

// From middle to middle.
GRZ_SIMD_PART void lookAcross(const SweepOpen* open, Boxes8* boxes) {
    const grzD8 length = grzD8_Sqrt(lengthSq8(boxes->way)), least = grzD8_Set1(LEAST_SPEED);
    grzD8 n[3], own = grzD8_Zero(), other = grzD8_Set1(open->otherRadius);
    for (int i = 0; i < 3; ++i)
        n[i] = grzD8_Div(boxes->way[i], grzD8_Max(length, least));
    for (int j = 0; j < 3; ++j) {
        own = grzD8_Add(own, grzD8_Mul(abs8(dot8(open->columns[j], n)), boxes->half[j]));
        other = grzD8_Add(other, abs8(dot8(open->halves[j], n)));
    }
    const grzD8 closing = dot8(open->closing, n), turn = turnAlong8(open->spin, open->rate, n);
    const grzD8 otherTurn = turnAlong8(open->otherSpin, open->otherRate, n);
    for (int whole = 0; whole < 2; ++whole) {
        const grzD8 sizes =
            whole != 0 ? grzD8_Add(own, other) : grzD8_Add(boxes->size, grzD8_Set1(open->otherSize));
        const grzD8 turns = grzD8_Add(grzD8_Mul(turn, boxes->reach[whole]),
                                      grzD8_Mul(otherTurn, grzD8_Set1(open->otherReach[whole])));
        takeGap(boxes, grzD8_Sub(length, sizes), grzD8_Add(closing, turns));
    }
}

void GRZ_KERNEL(grzSweepOpen)(SweepOpen* open) {
    Boxes8 boxes;
    loadBoxes(open, &boxes);
    for (int i = 0; i < SWEEP_DIRECTIONS; ++i)
        lookAlong(open, open->directions[i], &boxes);
    lookAcross(open, &boxes);
    grzD8_Store(open->steps, boxes.step);
    grzD8_Store(open->gaps, boxes.gap);
}
