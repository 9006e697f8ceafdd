// What: between two keyframes, many numbers at once; and the order of a few. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_PLAN_KERNEL_H
#define GRAZE_KINETIC_PLAN_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

// to[i] = (float)((1 - part) * a[i] + part * b[i]), in double; part is 0 .. 1 in steps of 2^-24. `to` may be a.
GRZ_DECLARE_KERNEL(void, grzPlanBlend, (const float* a, const float* b, size_t count, double part, float* to));

enum { PLAN_ROW_LANES = 16 };

// Vertices of a row, with the sign that lets the greatest lead: at both ends of an interval.
typedef struct PlanRow {
    _Alignas(64) double from[PLAN_ROW_LANES], to[PLAN_ROW_LANES];
} PlanRow;

typedef struct PlanOrder {
    uint32_t level; // bits of the lanes with the greatest value at `part`, (1 - part) * from + part * to in double
    uint32_t first; // of these, one with the greatest `to`
    uint32_t above; // bits of the lanes with a greater `to` than that one's
} PlanOrder;

// Of the first 8 lanes, or of all.
GRZ_DECLARE_KERNEL(PlanOrder, grzPlanOrder, (const PlanRow* row, int isLong, double part));

#endif
