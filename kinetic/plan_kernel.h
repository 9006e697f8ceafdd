// What: between two keyframes, many numbers at once. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_PLAN_KERNEL_H
#define GRAZE_KINETIC_PLAN_KERNEL_H

#include <stddef.h>

#include "kernel.h"

// to[i] = (float)((1 - part) * a[i] + part * b[i]), in double; part is 0 .. 1 in steps of 2^-24. `to` may be a.
GRZ_DECLARE_KERNEL(void, grzPlanBlend, (const float* a, const float* b, size_t count, double part, float* to));

#endif
