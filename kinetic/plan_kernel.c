// What: the kernels of plan_kernel.h. The first is a loop that compilers make vectors of.
#include "plan_kernel.h"

#include "simd.h"

void GRZ_KERNEL(grzPlanBlend)(const float* a, const float* b, size_t count, double part, float* to) {
    const double rest = 1 - part;
    for (size_t i = 0; i < count; ++i)
        to[i] = (float)(rest * (double)a[i] + part * (double)b[i]);
}

GRZ_SIMD_INLINE double greatestOf(grzD8 a) {
    double lanes[8];
    grzD8_Store(lanes, a);
    for (int half = 4; half != 0; half /= 2)
        for (int i = 0; i < half; ++i)
            lanes[i] = lanes[i] < lanes[i + half] ? lanes[i + half] : lanes[i];
    return lanes[0];
}

GRZ_SIMD_INLINE grzD8 valuesAt(const PlanRow* row, int k, double part) {
    const grzD8 from = grzD8_LoadAligned(row->from + 8 * k), to = grzD8_LoadAligned(row->to + 8 * k);
    return grzD8_Add(grzD8_Mul(grzD8_Set1(1 - part), from), grzD8_Mul(grzD8_Set1(part), to));
}

GRZ_SIMD_INLINE uint32_t bitsOf(grzM8 lower, grzM8 upper, int isLong) {
    return grzM8_Bits(lower) | (isLong ? grzM8_Bits(upper) << 8 : 0);
}

PlanOrder GRZ_KERNEL(grzPlanOrder)(const PlanRow* row, int isLong, double part) {
    PlanOrder order;
    const grzD8 lower = valuesAt(row, 0, part), upper = isLong ? valuesAt(row, 1, part) : lower;
    const grzD8 most = grzD8_Set1(greatestOf(grzD8_Max(lower, upper)));
    order.level = bitsOf(grzD8_Equal(lower, most), grzD8_Equal(upper, most), isLong);
    order.first = (uint32_t)__builtin_ctz(order.level);
    for (uint32_t left = order.level & (order.level - 1); left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        order.first = row->to[lane] > row->to[order.first] ? lane : order.first;
    }
    const grzD8 own = grzD8_Set1(row->to[order.first]);
    order.above = bitsOf(grzD8_Greater(grzD8_LoadAligned(row->to), own),
                         grzD8_Greater(grzD8_LoadAligned(row->to + (isLong ? 8 : 0)), own), isLong);
    return order;
}
