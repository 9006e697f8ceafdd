// What: the kernel of leaf_boxes_kernel.h.
// Idea: a box of A is compared with all eight boxes of the node of B at once, and the bit of the leaf is taken. That is six compares without a
//   branch, where six scalar ones of each side would first be brought together.
#include "leaf_boxes_kernel.h"

#include "box_lanes.h"

GRZ_SIMD_INLINE uint32_t lanesOverlapped(const LeafBoxesJob* job, const grzLeafPair* pair, bool isPosed) {
    const grzBvhNode* a = &job->a[pair->leafA / GRZ_BVH_WIDTH];
    const BoxLanes own = loadBoxLanes(&job->b[pair->leafB / GRZ_BVH_WIDTH]);
    const BoxLanes b = isPosed ? poseBoxLanes(job->frame, own) : own;
    const uint32_t lane = pair->leafA % GRZ_BVH_WIDTH;
    grzM8 all = grzM8_FromBits(255);
    for (int axis = 0; axis < 3; ++axis) {
        all = grzM8_And(all, grzF8_LessEqual(grzF8_Set1(a->lower[axis][lane] - job->margin), b.upper[axis]));
        all = grzM8_And(all, grzF8_LessEqual(b.lower[axis], grzF8_Set1(a->upper[axis][lane] + job->margin)));
    }
    return grzM8_Bits(all);
}

GRZ_SIMD_INLINE uint64_t testWord(const LeafBoxesJob* job, uint32_t w, bool isPosed) {
    uint64_t all = 0;
    for (uint64_t bits = job->looks[w]; bits != 0; bits &= bits - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(bits);
        const grzLeafPair* pair = &job->pairs[64 * (size_t)w + at];
        const uint32_t lanes = lanesOverlapped(job, pair, isPosed);
        all |= (uint64_t)(lanes >> pair->leafB % GRZ_BVH_WIDTH & 1) << at;
    }
    return all;
}

void GRZ_KERNEL(grzLeafBoxesTest)(const LeafBoxesJob* job, uint32_t begin, uint32_t end, uint64_t* found) {
    for (uint32_t w = begin; w < end; ++w)
        found[w] = job->frame != NULL ? testWord(job, w, true) : testWord(job, w, false);
}
