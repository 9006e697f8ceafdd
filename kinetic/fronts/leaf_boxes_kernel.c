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

// ---- writing ----

// Four pairs are sixteen numbers; those that have a bit are moved together, and what follows is written again. The last ones one by one.
void GRZ_KERNEL(grzLeafPairsTake)(const grzLeafPair* pairs, const uint64_t* bits, size_t words, grzLeafPair* to,
                                  size_t count) {
    static const uint16_t lanes[16] = {0x0000, 0x000F, 0x00F0, 0x00FF, 0x0F00, 0x0F0F, 0x0FF0, 0x0FFF,
                                       0xF000, 0xF00F, 0xF0F0, 0xF0FF, 0xFF00, 0xFF0F, 0xFFF0, 0xFFFF};
    static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const grzLeafPair* end = to + count;
    size_t w = 0;
    for (; w + 1 < words && end - to >= 64; ++w)
        for (uint32_t k = 0; k < 64; k += 4) {
            const uint32_t four = (uint32_t)(bits[w] >> k) & 15;
            const grzI16 from = grzI16_Load((const int32_t*)(const void*)&pairs[64 * w + k]);
            (void)grzI16_CompressStore((int32_t*)(void*)to, grzM16_FromBits(lanes[four]), from);
            to += counts[four];
        }
    for (; w < words; ++w)
        for (uint64_t left = bits[w]; left != 0; left &= left - 1)
            *to++ = pairs[64 * w + (size_t)__builtin_ctzll(left)];
}
