// What: the kernel of probe_kernel.h.
// Cost: a step as in model_kernel.c, and some twelve instructions.
#include "probe_kernel.h"

#include <float.h>
#include <string.h>

#include "model_touch.h"

// Zeros for those that do not meet.
GRZ_SIMD_INLINE grzF8 relativePenetration(const Children* children) {
    const grzF8 ratio = grzF8_Div(children->depth, grzF8_Max(children->smaller, grzF8_Set1(FLT_MIN)));
    return grzF8_Select(children->meets, grzF8_Min(ratio, grzF8_Set1(PROBE_MOST_RATIO)), grzF8_Zero());
}

// What changes with every unit. A copy beside the walk, so that compilers keep it in registers.
typedef struct Now {
    Ref first, second;
    float ratio, deepest;
    uint32_t votes;
} Now;

// Opens the pair that is next, and goes into the deepest. False where none of the children meets the partner.
GRZ_SIMD_INLINE bool openNext(ProbeWalk* walk, Now* now) {
    Children children;
    open(&walk->search, now->first, now->second, &children);
    if (!grzM8_Any(children.meets))
        return false;
    const grzF8 ratio = relativePenetration(&children);
    const uint32_t lane = findDeepest(&children);
    float ratios[GRZ_BVH_WIDTH];
    grzF8_Store(ratios, ratio);
    const float deepest = grzF8_ReduceMax(ratio);
    now->deepest = deepest > now->deepest ? deepest : now->deepest;
    now->votes += (uint32_t)__builtin_popcount(grzM8_Bits(grzF8_Greater(ratio, grzF8_Set1(walk->voteAbove))));
    now->ratio = ratios[lane];
    const grzM8 others = grzM8_And(children.meets, grzM8_FromBits(~(1u << lane)));
    grzI8_CompressStore(walk->ratios + walk->stack.count, others, grzF8_AsInt(ratio));
    goInto(&children, lane, &walk->stack, &now->first, &now->second);
    return true;
}

// The deepest of those on the stack and of the one that is next.
GRZ_SIMD_INLINE float deepestOpen(ProbeWalk* walk, float ratio) {
    const uint32_t count = walk->stack.count;
    grzF8 deepest = grzF8_Set1(ratio);
    grzI8_Store(walk->ratios + count, grzF8_AsInt(grzF8_Zero())); // behind the last one
    for (uint32_t i = 0; i < count; i += GRZ_BVH_WIDTH)
        deepest = grzF8_Max(deepest, grzI8_AsFloat(grzI8_Load(walk->ratios + i)));
    return grzF8_ReduceMax(deepest);
}

GRZ_SIMD_INLINE bool takeNext(ProbeWalk* walk, Now* now) {
    if (!takePair(&walk->stack, &now->first, &now->second))
        return false;
    memcpy(&now->ratio, &walk->ratios[walk->stack.count], sizeof now->ratio);
    return true;
}

// A pair of leaves, as far as floats decide it. The rest waits.
static ProbeEnd touchNext(ProbeWalk* walk, Ref first, Ref second) {
    PlacedLeaf placed;
    uint8_t kinds[WAITING_LANES];
    const Leaves leaves = leavesOf(&walk->search, first, second);
    walk->leafPairs++;
    const LeafMeetings found = meetLeaves(&walk->search, leaves, &placed);
    if (found.meet != 0)
        return probeTouches;
    if (found.undecided == 0)
        return probeIsApart;
    putPairs(&walk->waiting, leaves, &placed, found.undecided);
    classifyWaiting(&walk->waiting, kinds);
    for (uint32_t lane = 0; lane < walk->waiting.count; ++lane) {
        if (kinds[lane] != TRI_UNDECIDED && kinds[lane] != grz_triNone)
            return probeTouches;
        walk->undecided |= (kinds[lane] == TRI_UNDECIDED ? 1u : 0u) << lane;
    }
    return walk->undecided == 0 ? probeIsApart : probeIsOpen;
}

// One pair of triangles that waits.
static ProbeEnd touchWaiting(ProbeWalk* walk) {
    const uint32_t lane = lowestBit(walk->undecided);
    walk->undecided &= walk->undecided - 1;
    walk->search.stats.exactTests++;
    if (classifyLane(&walk->waiting, lane) != grz_triNone)
        return probeTouches;
    return walk->undecided == 0 ? probeIsApart : probeIsOpen;
}

// One unit: whether what was next touches, is apart, or has left something that is next.
GRZ_SIMD_INLINE ProbeEnd runUnit(ProbeWalk* walk, Now* now) {
    if (walk->undecided != 0)
        return touchWaiting(walk);
    if (isLeafPair(&walk->search, now->first, now->second))
        return touchNext(walk, now->first, now->second);
    return openNext(walk, now) ? probeIsOpen : probeIsApart;
}

void GRZ_KERNEL(grzProbeWalk)(ProbeWalk* walk, uint32_t last, bool isFast) {
    Now now = {walk->first, walk->second, walk->ratio, walk->deepest, walk->votes};
    uint32_t work = walk->work;
    ProbeEnd end = probeIsOpen;
    while (end == probeIsOpen && work < last && now.votes < walk->votesWanted &&
           !(isFast && walk->undecided != 0)) {
        ++work;
        end = runUnit(walk, &now);
        if (end == probeIsApart && takeNext(walk, &now))
            end = probeIsOpen;
    }
    walk->first = now.first, walk->second = now.second;
    walk->ratio = now.ratio, walk->deepest = now.deepest;
    walk->deepestOpen = deepestOpen(walk, now.ratio);
    walk->votes = now.votes;
    walk->work = work;
    walk->end = end;
}
