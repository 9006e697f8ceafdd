// What: the kernel of probe_kernel.h.
// Cost: a step as in model_kernel.c, and some forty instructions; more where more than eight pairs are open.
#include "probe_kernel.h"

#include <float.h>
#include <string.h>

#include "model_touch.h"

// Zeros for those that do not meet.
GRZ_SIMD_INLINE grzF8 relativePenetration(const Children* children) {
    const grzF8 ratio = grzF8_Div(children->depth, grzF8_Max(children->smaller, grzF8_Set1(FLT_MIN)));
    return grzF8_Select(children->meets, grzF8_Min(ratio, grzF8_Set1(PROBE_MOST_RATIO)), grzF8_Zero());
}

// A pair of boxes, and its relative penetration.
typedef struct Pair {
    Ref first, second;
    float ratio;
} Pair;

// ------------------------------------------------------------------------------------------------------- open pairs

GRZ_SIMD_INLINE Pair pairAt(const ProbeStack* stack, uint32_t at) {
    Pair pair = {(Ref)stack->first[at], (Ref)stack->second[at], 0};
    memcpy(&pair.ratio, &stack->ratios[at], sizeof pair.ratio);
    return pair;
}

GRZ_SIMD_INLINE void setPair(ProbeStack* stack, uint32_t at, Pair pair) {
    stack->first[at] = (int32_t)pair.first, stack->second[at] = (int32_t)pair.second;
    memcpy(&stack->ratios[at], &pair.ratio, sizeof pair.ratio);
}

static inline uint32_t bitsOf(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Swaps them or not without a branch: nobody could foretell it.
GRZ_SIMD_INLINE void swapIf(bool isSwapped, Pair* a, Pair* b) {
    const uint32_t mask = isSwapped ? UINT32_MAX : 0;
    const uint32_t first = (a->first ^ b->first) & mask, second = (a->second ^ b->second) & mask;
    const uint32_t ratio = (bitsOf(a->ratio) ^ bitsOf(b->ratio)) & mask;
    const uint32_t ratioA = bitsOf(a->ratio) ^ ratio, ratioB = bitsOf(b->ratio) ^ ratio;
    a->first ^= first, b->first ^= first;
    a->second ^= second, b->second ^= second;
    memcpy(&a->ratio, &ratioA, sizeof ratioA);
    memcpy(&b->ratio, &ratioB, sizeof ratioB);
}

// Relative penetrations of pairs i to i + 7 of the stack; zeros behind the last one.
GRZ_SIMD_INLINE grzF8 ratiosOf(const ProbeStack* stack, uint32_t i) {
    return grzI8_AsFloat(grzI8_Load(stack->ratios + i));
}

// The sum of their relative penetrations.
GRZ_SIMD_INLINE float sumOpen(const ProbeStack* stack) {
    grzF8 sum = grzF8_Zero();
    for (uint32_t i = 0; i < stack->count; i += GRZ_BVH_WIDTH)
        sum = grzF8_Add(sum, ratiosOf(stack, i));
    return grzF8_ReduceSum(sum);
}

// The first of the deepest pairs on the stack, of some; of too many, the last one.
GRZ_SIMD_INLINE uint32_t findDeepestOpen(const ProbeStack* stack) {
    if (stack->count > PROBE_SORTED)
        return stack->count - 1;
    grzF8 deepest = ratiosOf(stack, 0);
    for (uint32_t i = GRZ_BVH_WIDTH; i < stack->count; i += GRZ_BVH_WIDTH)
        deepest = grzF8_Max(deepest, ratiosOf(stack, i));
    deepest = grzF8_Set1(grzF8_ReduceMax(deepest));
    uint32_t at = 0, equal;
    while ((equal = (uint32_t)grzM8_Bits(grzF8_Equal(ratiosOf(stack, at), deepest))) == 0)
        at += GRZ_BVH_WIDTH;
    return at + lowestBit(equal);
}

// ------------------------------------------------------------------------------------------------------------- units

// What changes with every unit. A copy beside the walk, so that compilers keep it in registers.
typedef struct Now {
    Pair next;
    float deepest;
    uint32_t votes;
} Now;

// Takes a pair from the stack. False where the stack is empty.
GRZ_SIMD_INLINE bool takeOpen(ProbeStack* stack, uint32_t at, Pair* next) {
    if (stack->count == 0)
        return false;
    *next = pairAt(stack, at);
    setPair(stack, at, pairAt(stack, --stack->count));
    stack->ratios[stack->count] = 0;
    return true;
}

GRZ_SIMD_INLINE Pair childOf(const Children* children, uint32_t lane, float ratio) {
    const bool isFirst = (grzM8_Bits(children->isFirst) >> lane & 1) != 0;
    const Ref child = children->base + lane;
    return (Pair){isFirst ? child : children->partner, isFirst ? children->partner : child, ratio};
}

GRZ_SIMD_INLINE void pushOpen(ProbeStack* stack, const Children* children, grzF8 ratio, grzM8 which) {
    grzI8_CompressStore(stack->first + stack->count, which, children->first);
    grzI8_CompressStore(stack->second + stack->count, which, children->second);
    stack->count += (uint32_t)grzI8_CompressStore(stack->ratios + stack->count, which, grzF8_AsInt(ratio));
    grzI8_Store(stack->ratios + stack->count, grzI8_Zero());
}

// Opens the pair that is next. The deepest of its children is next, or the pair `at` of the stack where that is deeper.
// False where none of the children meets the partner.
GRZ_SIMD_INLINE bool openNext(ProbeWalk* walk, uint32_t at, Now* now) {
    Children children;
    ProbeStack* stack = &walk->stack;
    open(&walk->search, now->next.first, now->next.second, &children);
    if (!grzM8_Any(children.meets))
        return false;
    const grzF8 ratio = relativePenetration(&children);
    const float deepest = grzF8_ReduceMax(ratio);
    const grzM8 areDeepest = grzM8_And(children.meets, grzF8_Equal(ratio, grzF8_Set1(deepest)));
    const uint32_t lane = lowestBit(grzM8_Bits(areDeepest));
    now->deepest = deepest > now->deepest ? deepest : now->deepest;
    now->votes += (uint32_t)__builtin_popcount(grzM8_Bits(grzF8_Greater(ratio, grzF8_Set1(walk->voteAbove))));
    now->next = childOf(&children, lane, deepest);
    if (stack->count != 0 && stack->count <= PROBE_COMPARED) {
        Pair other = pairAt(stack, at);
        swapIf(other.ratio > deepest, &other, &now->next);
        setPair(stack, at, other);
    }
    pushOpen(stack, &children, ratio, grzM8_And(children.meets, grzM8_FromBits(~(1u << lane))));
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
GRZ_SIMD_INLINE ProbeEnd runUnit(ProbeWalk* walk, uint32_t at, Now* now) {
    if (walk->undecided != 0)
        return touchWaiting(walk);
    if (isLeafPair(&walk->search, now->next.first, now->next.second))
        return touchNext(walk, now->next.first, now->next.second);
    return openNext(walk, at, now) ? probeIsOpen : probeIsApart;
}

void GRZ_KERNEL(grzProbeWalk)(ProbeWalk* walk, uint32_t last, bool isFast) {
    Now now = {{walk->first, walk->second, walk->ratio}, walk->deepest, walk->votes};
    ProbeStack* stack = &walk->stack;
    uint32_t work = walk->work;
    ProbeEnd end = probeIsOpen;
    while (end == probeIsOpen && work < last && !(isFast && walk->undecided != 0)) {
        // Processors look for it while they wait for the unit, which does not depend on it.
        uint32_t at = stack->count != 0 && stack->count <= PROBE_COMPARED ? findDeepestOpen(stack) : 0;
        ++work;
        end = runUnit(walk, at, &now);
        if (end == probeIsApart && stack->count > PROBE_COMPARED)
            at = findDeepestOpen(stack);
        if (end == probeIsApart && takeOpen(stack, at, &now.next))
            end = probeIsOpen;
    }
    walk->first = now.next.first, walk->second = now.next.second;
    walk->ratio = now.next.ratio, walk->deepest = now.deepest;
    walk->openSum = now.next.ratio + sumOpen(stack);
    walk->votes = now.votes;
    walk->work = work;
    walk->end = end;
}
