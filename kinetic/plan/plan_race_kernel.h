// What: eight paths beside eight others: who is ahead along an axis, and what tells when that changes. See kernel.h for how it is
// built and picked.
// Promise: where no bit of a lane says otherwise, the first is truly ahead and stays there; numbers are off by no more than the
// errors beside them. The same bytes at every SIMD level.
#ifndef GRAZE_KINETIC_PLAN_RACE_KERNEL_H
#define GRAZE_KINETIC_PLAN_RACE_KERNEL_H

#include "plan_inside.h"

#include "kernel.h"

enum { PLAN_LANES = 8, PLAN_ROW_VECTORS = 2 };

// A coordinate of each of eight paths: p + v h + a h h / 2, h counted from base. What need not be there is said by isBent.
typedef struct PlanLanes {
    _Alignas(64) double base[PLAN_LANES];
    _Alignas(32) float p[PLAN_LANES];
    float v[PLAN_LANES];
    float a[PLAN_LANES];
} PlanLanes;

// How far the first is ahead: gap - slope t - bend t t, t from now on.
typedef struct PlanRaces {
    _Alignas(64) double gap[PLAN_LANES];
    double gapError[PLAN_LANES];
    double slope[PLAN_LANES];
    double slopeError[PLAN_LANES];
    double bend[PLAN_LANES];
    uint32_t closing; // bits: the other may come ahead some day, as far as the motion goes
} PlanRaces;

// How paths are looked at. isBent: there are accelerations; else those of the lanes are not read.
typedef struct PlanLook {
    double at;
    int isBent;
} PlanLook;

// ---- straight paths, of which nothing bends: the whole answer in one call, where it is certain ----

typedef struct PlanClock {
    double at, tick, ticksPerTime, limit; // the latter: times are smaller
} PlanClock;

// Of a row of 8 vertices, or 16, as grzPlan_LeadOnPaths: *lane is ahead, and lane *rival at *until. Returns 0, and leaves all as
// it was, where something is too near to tell.
typedef struct PlanStraightRow {
    const PlanPath* paths;
    const uint32_t* vertices;
    int axis, isLong;
    double sign;
    const PlanClock* clock;
    uint32_t lane, rival; // out
    double until;         // out
} PlanStraightRow;
GRZ_DECLARE_KERNEL(int, grzPlanStraightRow, (PlanStraightRow * row));

// Of the sides of a box, as grzPlan_RaceSides: other vertices beside those that realise sides. `doubtful`: the sides that are to
// be looked at in another way, of which nothing is written.
typedef struct PlanStraightSides {
    const PlanPath* paths;
    const uint32_t *first, *other; // 6 of each
    const PlanClock* clock;
    double* until;                     // 6; lowered
    uint32_t sooner, behind, doubtful; // out
} PlanStraightSides;
GRZ_DECLARE_KERNEL(void, grzPlanStraightSides, (PlanStraightSides * sides));

// ---- any paths ----

// A row of 8 paths, or 16: one that is ahead of all others, and its races with them.
typedef struct PlanRowLanes {
    PlanLanes lanes[PLAN_ROW_VECTORS];
    _Alignas(32) int32_t vertices[PLAN_ROW_VECTORS * PLAN_LANES];
    double sign;
    int isLong;
    int first; // the lane that is known to be ahead; -1: to be found
} PlanRowLanes;

// Returns 0, or the lanes that are too near to each other at the head of the row to tell: then nothing is written.
// *first: the lane ahead. Lanes of its vertex race with nobody.
GRZ_DECLARE_KERNEL(uint32_t, grzPlanRow,
                   (const PlanRowLanes* row, const PlanLook* look, uint32_t* first,
                    PlanRaces races[PLAN_ROW_VECTORS]));

#endif
