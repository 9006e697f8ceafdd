// What: the kernel of plan_kernel.h: a loop that compilers make vectors of, since its operations are those of one lane.
#include "plan_kernel.h"

void GRZ_KERNEL(grzPlanBlend)(const float* a, const float* b, size_t count, double part, float* to) {
    const double rest = 1 - part;
    for (size_t i = 0; i < count; ++i)
        to[i] = (float)(rest * (double)a[i] + part * (double)b[i]);
}
