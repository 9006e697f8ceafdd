// What: the kernels of chord_known_kernel.h.
// Promise: where a pair is known to overlap at a time, the boxes of its vertices overlap as real numbers. They also
//   do as floats, since rounding keeps order.
// Idea: between keyframes an upper side f is the greatest of linear functions, whose slopes lie between the least
//   and the greatest displacement of the leaf's vertices, d0 and d1. Where its chord has the slope c, f lies below
//   the chord by no more than
//
//       e = x y / (x + y),  x = c - d0,  y = d1 - c                             (chord_fit_kernel.c has the
//                                                                               picture)
//
//   and a lower side lies above its chord by no more than that. So boxes that are smaller by e lie within the exact
//   ones, and are linear. Two such boxes have six gaps. Let L0 be the least at the begin and L1 the least at the
//   end. All gaps are at least (1 - s) L0 + s L1, since the least of linear functions is concave. Where that is not
//   below 0 the leaves overlap.
// Holds: with u = 2^-24 and M the greatest coordinate, d0, d1 and c are off by 4u M at most, x and y by 8u M, and e
//   by no more than both, less than 20u M; sides less e are off by 2u M. The slack is 32u M. The root L0 / (L0 -
//   L1) is off by 3u of itself; it is widened by 16u, and then begins, or ends, one bucket further in. Min gives
//   the second where one is a NaN, from two displacements that are one.
#include "chord_known_kernel.h"

#include "chord_sides.h"

// ---- inner boxes ----

typedef struct Slopes {
    grzF4 slow, fast;
} Slopes;

GRZ_SIMD_INLINE Slopes slopesOfFour(const ChordJob* job, ChordWay way, const uint32_t* list) {
    grzF4 by[4];
    for (int k = 0; k < 4; ++k)
        by[k] = grzF4_Sub(chordEndOf(job, way, list[k]), chordStartOf(job, way, list[k]));
    return (Slopes){grzF4_Min(grzF4_Min(by[0], by[1]), grzF4_Min(by[2], by[3])),
                    grzF4_Max(grzF4_Max(by[0], by[1]), grzF4_Max(by[2], by[3]))};
}

GRZ_SIMD_INLINE Slopes joinSlopes(Slopes a, Slopes b) {
    return (Slopes){grzF4_Min(a.slow, b.slow), grzF4_Max(a.fast, b.fast)};
}

GRZ_SIMD_INLINE Slopes slopesOf(const ChordJob* job, ChordWay way, size_t leaf, bool hasMore) {
    const uint32_t* list = job->bvh->leafVertices + 8 * leaf;
    Slopes all = joinSlopes(slopesOfFour(job, way, list), slopesOfFour(job, way, list + 4));
    if (hasMore)
        all = joinSlopes(all, slopesOfFour(job, way, job->bvh->moreVertices + 4 * leaf));
    return all;
}

GRZ_SIMD_INLINE grzF4 depthOf(grzF4 chord, Slopes slopes) {
    const grzF4 zero = grzF4_Zero(), range = grzF4_Sub(slopes.fast, slopes.slow);
    const grzF4 x = grzF4_Max(grzF4_Sub(chord, slopes.slow), zero),
                y = grzF4_Max(grzF4_Sub(slopes.fast, chord), zero);
    return grzF4_Min(grzF4_Mul(x, grzF4_Div(y, range)), range);
}

GRZ_SIMD_INLINE grzF4 lowerOf(const grzBvhNode* node, uint32_t lane) {
    return grzF4_Set(node->lower[0][lane], node->lower[1][lane], node->lower[2][lane], 0);
}

GRZ_SIMD_INLINE grzF4 upperOf(const grzBvhNode* node, uint32_t lane) {
    return grzF4_Set(node->upper[0][lane], node->upper[1][lane], node->upper[2][lane], 0);
}

GRZ_SIMD_INLINE void fitLane(const ChordInnerJob* job, uint32_t node, uint32_t lane, bool isTight, ChordInner* to) {
    const grzBvhNode *from = &job->from[node], *end = &job->to[node];
    const grzF4 lower[2] = {lowerOf(from, lane), lowerOf(end, lane)},
                upper[2] = {upperOf(from, lane), upperOf(end, lane)};
    grzF4 depths[2] = {grzF4_Set1(job->slack), grzF4_Set1(job->slack)};
    if (job->chord.bvh != NULL) {
        const size_t leaf = (size_t)node * GRZ_BVH_WIDTH + lane;
        const bool hasMore = (job->chord.bvh->nodeFlags[node] >> lane & 1) != 0;
        const Slopes slopes =
            isTight ? slopesOf(&job->chord, (ChordWay){3, 3, NULL, false}, leaf, hasMore)
                    : slopesOf(&job->chord,
                               (ChordWay){job->chord.fromStride, job->chord.toStride, job->chord.map, true}, leaf,
                               hasMore);
        depths[0] = grzF4_Add(depths[0], depthOf(grzF4_Sub(lower[1], lower[0]), slopes));
        depths[1] = grzF4_Add(depths[1], depthOf(grzF4_Sub(upper[1], upper[0]), slopes));
    }
    for (int k = 0; k < 2; ++k) {
        grzF4_Store(to->sides[k][job->isB], grzF4_Negate(grzF4_Add(lower[k], depths[0])));
        grzF4_Store(to->sides[k][!job->isB], grzF4_Sub(upper[k], depths[1]));
    }
}

void GRZ_KERNEL(grzChordInnerFit)(const ChordInnerJob* job, uint32_t node, ChordInner to[GRZ_BVH_WIDTH]) {
    const bool isTight = job->chord.bvh != NULL && chordIsTight(&job->chord, node);
    for (uint32_t lane = 0;
         lane < GRZ_BVH_WIDTH && job->from[node].lower[0][lane] <= job->from[node].upper[0][lane]; ++lane)
        fitLane(job, node, lane, isTight, &to[lane]);
}

// ---- pairs ----

// The least gaps of four pairs at both ends.
GRZ_SIMD_INLINE void leastOfFour(const grzLeafPair* pairs, const ChordInner* a, const ChordInner* b, float* begin,
                                 float* end) {
    grzF16 rows[4];
    for (int k = 0; k < 4; ++k)
        rows[k] =
            grzF16_Add(grzF16_Load(a[pairs[k].leafA].sides[0][0]), grzF16_Load(b[pairs[k].leafB].sides[0][0]));
    grzTransposeBlocks16(rows);
    const grzF16 least = grzF16_Min(grzF16_Min(rows[0], rows[1]), rows[2]);
    const grzF8 first = grzF16_Lower(least), last = grzF16_Upper(least);
    grzF4_Store(begin, grzF4_Min(grzF8_Lower(first), grzF8_Upper(first)));
    grzF4_Store(end, grzF4_Min(grzF8_Lower(last), grzF8_Upper(last)));
}

GRZ_SIMD_INLINE grzI16 bucketOf(grzF16 time) {
    return grzI16_Add(grzI16_Set1(1), grzF16_ToInt(grzF16_Mul(time, grzF16_Set1(253))));
}

GRZ_SIMD_INLINE void knowSixteen(grzF16 begin, grzF16 end, uint8_t* first, uint8_t* last) {
    const grzF16 zero = grzF16_Zero(), one = grzF16_Set1(1);
    const grzM16 fromBegin = grzF16_LessEqual(zero, begin), toEnd = grzF16_LessEqual(zero, end);
    const grzF16 root = grzF16_Div(begin, grzF16_Sub(begin, end));
    const grzF16 later = grzF16_Min(grzF16_Mul(root, grzF16_Set1(1 + 0x1p-20F)), one);
    const grzF16 sooner = grzF16_Max(grzF16_Mul(root, grzF16_Set1(1 - 0x1p-20F)), zero);
    const grzI16 none = grzI16_Set1(255), from = grzI16_Add(bucketOf(later), grzI16_Set1(1)),
                 until = grzI16_Sub(bucketOf(sooner), grzI16_Set1(1));
    grzI16_StoreBytes(first, grzI16_Select(fromBegin, grzI16_Zero(), grzI16_Select(toEnd, from, none)));
    grzI16_StoreBytes(last, grzI16_Select(toEnd, none, grzI16_Select(fromBegin, until, grzI16_Zero())));
}

void GRZ_KERNEL(grzChordPairsKnow)(const grzLeafPair* pairs, const ChordInner* a, const ChordInner* b, size_t count,
                                   uint8_t* first, uint8_t* last) {
    for (size_t i = 0; i < count; i += 64) {
        float begin[64], end[64];
        for (size_t k = 0; k < 64; k += 4)
            leastOfFour(pairs + i + k, a, b, begin + k, end + k);
        for (size_t k = 0; k < 64; k += 16)
            knowSixteen(grzF16_Load(begin + k), grzF16_Load(end + k), first + i + k, last + i + k);
    }
}
