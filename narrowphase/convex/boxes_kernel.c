// What: the kernel of boxes_kernel.h.
// Idea: the text of a single pair (quick_boxes.c) in 16, 8, or 4 lanes by the SIMD level. Most pairs of a broad phase are apart
//   along a face: the rest of a group waits until a full one has come together, and only then goes on, so that lanes are full.
//   Where a vector is a loop over its lanes (the scalar level) there is nothing to win, and the text has one lane.
// Cost: some 10 ns for a pair that is apart along a face, 45 ns for one that touches (AVX-512).
#include "boxes_kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "convex_batch.h"
#include "convex_lay.h"
#include "quick_box.h"
#include "quick_boxes.h"
#include "simd.h"

#if GRZ_SIMD_IS(scalar)
#    include "one_lane.h"
#    define BOX_LANES 1
#elif GRZ_SIMD_IS(avx512)
#    define BOX_LANES 16
#elif GRZ_SIMD_IS(avx2)
#    define BOX_LANES 8 // of sixteen, most would be in memory, and the code would be twice as long
#else
#    define BOX_LANES 4
#endif
#include "pair_lanes.inl"

#include "boxes_axes.inl"
#include "boxes_rim.inl"
#include "boxes_settle.inl"

// From so many on a group goes on by itself rather than be loaded again with others.
enum { nearlyAll = (3 * BOX_LANES + 3) / 4 };

typedef struct Waiting {
    uint32_t pairs[2 * BOX_LANES], count;
} Waiting;

static void glance(const grzConvexBatch* batch, const uint32_t* list, uint32_t count, PairInput* in,
                   BoxLanes* lanes) {
    takePairs(batch, list, count, in);
    loadBoxes(in, lanes);
    measureFaces(in, lanes);
}

#if defined(__GNUC__)
__attribute__((noinline))
#endif
static uint32_t
settle(const PairInput* in, const BoxLanes* lanes, const uint32_t* list, uint32_t wanted, bool isThorough,
       uint32_t* undecided) {
    uint32_t bits = settleBoxes(in, lanes, wanted, isThorough), made = 0;
    for (uint32_t lane = 0; bits >> lane != 0; ++lane)
        if ((bits >> lane & 1) != 0)
            undecided[made++] = list[lane];
    return made;
}

static uint32_t settleWaiting(const grzConvexBatch* batch, Waiting* waiting, uint32_t count, bool isThorough,
                              uint32_t* undecided) {
    PairInput in;
    BoxLanes lanes;
    glance(batch, waiting->pairs, count, &in, &lanes);
    uint32_t made = settle(&in, &lanes, waiting->pairs, (1u << count) - 1, isThorough, undecided);
    waiting->count -= count;
    for (uint32_t k = 0; k < waiting->count; ++k)
        waiting->pairs[k] = waiting->pairs[count + k];
    return made;
}

uint32_t GRZ_KERNEL(grzCollideBoxes)(const grzConvexBatch* batch, const uint32_t* list, uint32_t count,
                                     bool isThorough, uint32_t* undecided) {
    Waiting waiting = {.count = 0};
    uint32_t made = 0;
    for (uint32_t begin = 0; begin < count; begin += BOX_LANES) {
        const uint32_t left = count - begin < BOX_LANES ? count - begin : BOX_LANES;
        PairInput in;
        BoxLanes lanes;
        uint32_t own[BOX_LANES];
        for (uint32_t lane = 0; lane < left; ++lane)
            own[lane] = list[begin + lane]; // the list may be written to from here on
        glance(batch, own, left, &in, &lanes);
        const uint32_t near = GRZ_SIMD_VERB(M, BOX_LANES, Bits)(lanes.isNear) & ((1u << left) - 1);
        uint32_t nearCount = 0;
        for (uint32_t lane = 0; lane < left; ++lane) {
            bool isNear = (near >> lane & 1) != 0;
            waiting.pairs[waiting.count + nearCount] = own[lane];
            nearCount += isNear;
            if (!isNear)
                grzClearManifold(in.manifolds[lane]);
        }
        if (nearCount >= nearlyAll) {
            made += settle(&in, &lanes, own, near, isThorough, undecided + made);
            continue;
        }
        waiting.count += nearCount;
        if (waiting.count >= BOX_LANES)
            made += settleWaiting(batch, &waiting, BOX_LANES, isThorough, undecided + made);
    }
    if (waiting.count > 0)
        made += settleWaiting(batch, &waiting, waiting.count, isThorough, undecided + made);
    return made;
}
