// What: the kernels of plan_kernel.h. The first is a loop that compilers make vectors of.
#include "plan_kernel.h"

#include "simd.h"

void GRZ_KERNEL(grzPlanBlend)(const float* a, const float* b, size_t count, double part, float* to) {
    const double rest = 1 - part;
    for (size_t i = 0; i < count; ++i)
        to[i] = (float)(rest * (double)a[i] + part * (double)b[i]);
}

// ---- what is outgrown ----

GRZ_SIMD_INLINE grzF8 placesOf(const uint32_t* of, const float* positions, size_t stride) {
    const grzF4 lower = grzF4_Set(positions[of[0] * stride], positions[of[1] * stride], positions[of[2] * stride],
                                  positions[of[3] * stride]);
    const grzF4 upper = grzF4_Set(positions[of[4] * stride], positions[of[5] * stride], positions[of[6] * stride],
                                  positions[of[7] * stride]);
    return grzF8_Join(lower, upper);
}

// The stride is an argument of its own so that a usual one is a constant.
GRZ_SIMD_INLINE void markNodes(const PlanOutgrown* job, size_t count, size_t stride, uint8_t* marks) {
    for (size_t i = 0; i < count; ++i) {
        const grzBvhNode* node = &job->nodes[i];
        const uint32_t* of = job->realisers + 48 * i;
        const grzM8 isThere = grzF8_LessEqual(grzF8_Load(node->lower[0]), grzF8_Load(node->upper[0]));
        for (size_t side = 0; side < 6; ++side) {
            const size_t axis = side % 3;
            const grzF8 end = grzF8_Load(side < 3 ? node->lower[axis] : node->upper[axis]);
            const grzF8 own = placesOf(of + 8 * side, job->positions + axis, stride);
            marks[6 * i + side] = (uint8_t)grzM8_Bits(grzM8_And(isThere, grzF8_NotEqual(own, end)));
        }
    }
}

void GRZ_KERNEL(grzPlanMarkOutgrown)(const PlanOutgrown* job, size_t count, uint8_t* marks) {
    if (job->stride == 3)
        markNodes(job, count, 3, marks);
    else
        markNodes(job, count, job->stride, marks);
}
