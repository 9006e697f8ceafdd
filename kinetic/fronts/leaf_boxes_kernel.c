// What: the kernel of leaf_boxes_kernel.h.
// Idea: a box of A is compared with all eight boxes of the node of B at once, and the bit of the leaf is taken. That is six compares without a
//   branch, where six scalar ones of each side would first be brought together.
#include "leaf_boxes_kernel.h"

#include "simd.h"

GRZ_SIMD_INLINE uint32_t lanesOverlapped(const grzBvhNode* a, uint32_t lane, const grzBvhNode* b) {
    grzM8 all = grzF8_LessEqual(grzF8_Set1(a->lower[0][lane]), grzF8_Load(b->upper[0]));
    all = grzM8_And(all, grzF8_LessEqual(grzF8_Load(b->lower[0]), grzF8_Set1(a->upper[0][lane])));
    for (int axis = 1; axis < 3; ++axis) {
        all = grzM8_And(all, grzF8_LessEqual(grzF8_Set1(a->lower[axis][lane]), grzF8_Load(b->upper[axis])));
        all = grzM8_And(all, grzF8_LessEqual(grzF8_Load(b->lower[axis]), grzF8_Set1(a->upper[axis][lane])));
    }
    return grzM8_Bits(all);
}

void GRZ_KERNEL(grzLeafBoxesTest)(const LeafBoxesJob* job, uint32_t begin, uint32_t end, uint64_t* found) {
    for (uint32_t w = begin; w < end; ++w) {
        uint64_t all = 0;
        for (uint64_t bits = job->looks[w]; bits != 0; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            const grzLeafPair* pair = &job->pairs[64 * (size_t)w + at];
            const uint32_t lanes =
                lanesOverlapped(&job->a[pair->leafA / GRZ_BVH_WIDTH], pair->leafA % GRZ_BVH_WIDTH,
                                &job->b[pair->leafB / GRZ_BVH_WIDTH]);
            all |= (uint64_t)(lanes >> pair->leafB % GRZ_BVH_WIDTH & 1) << at;
        }
        found[w] = all;
    }
}
