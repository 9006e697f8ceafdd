// What: the kernel of chord_walk_kernel.h.
// Promise: a pair of nodes is left out only where no place of a vertex of one meets one of the other within the piece; and the times
//   of a pair hold every time, as a float, at which two do. Of leaves, t0 is 0 exactly where the boxes at the begin overlap, and t1 is
//   1 exactly where those at the end do.
// Idea: between its keyframes a vertex lies within the chords of its boxes. On an axis two boxes A and B overlap while
//
//       g(s) = upper B - lower A >= 0   and   h(s) = upper A - lower B >= 0,
//
//   both linear in s, so that each holds on [0, 1], on a half of it before or after its root, or nowhere. Six such conditions give
//   the times of a pair, cut to those of the pair of nodes above.
//
//   g at the ends, as a float, has the sign of the true difference, and is off by a part u = 2^-24 of itself. At a root
//   it has two signs, so that in g0 / (g0 - g1) no digits are lost: the root is off by less than 5u of itself. It is taken down by 8u;
//   from the end, 1 - g1 / (g1 - g0) likewise, plus 2^-23 for the last difference. What overflows is 0 or a NaN, and the time is then the
//   widest that it may be.
//
//   Where a vertex is between keyframes is rounded, to float by the plan, or (1 - s) a + s b in float by a host, which is off by 3u of the
//   coordinates. So box A is widened by a margin that is more than that of both sides and what its own addition rounds. At
//   the ends nothing is rounded, so leaves near each other are looked at again there without it.
// Holds: Min and Max give the second where one is a NaN.
// Cost: 24 operations decide for eight boxes whether they never overlap, 12 more whether they always do; six divisions are for the rest.
#include "chord_walk_kernel.h"

#include "simd.h"

enum { PICKED = 128 }; // pairs at a time

#define ROOT_SHARE (1 - 0x1p-21F)

// ---- boxes ----

// One box in all lanes.
typedef struct OneBox {
    grzF8 lower[2][3], upper[2][3];
} OneBox;

// A side at an end of the piece.
GRZ_SIMD_INLINE grzF8 cutSide(const float a[8], const float b[8], float part) {
    return grzF8_Add(grzF8_Mul(grzF8_Load(a), grzF8_Set1(1 - part)), grzF8_Mul(grzF8_Load(b), grzF8_Set1(part)));
}

GRZ_SIMD_INLINE float cutLane(float a, float b, float part) {
    return a * (1 - part) + b * part;
}

GRZ_SIMD_INLINE OneBox takeBox(const grzBvhNode* const nodes[2], uint32_t node, uint32_t lane, const float parts[2],
                               bool isCut, const float margin[3]) {
    const grzBvhNode *a = nodes[0] + node, *b = nodes[1] + node;
    OneBox box;
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis) {
            const grzBvhNode* own = end == 0 ? a : b;
            float lower = own->lower[axis][lane], upper = own->upper[axis][lane];
            if (isCut) {
                lower = cutLane(a->lower[axis][lane], b->lower[axis][lane], parts[end]);
                upper = cutLane(a->upper[axis][lane], b->upper[axis][lane], parts[end]);
            }
            box.lower[end][axis] = grzF8_Set1(lower - margin[axis]);
            box.upper[end][axis] = grzF8_Set1(upper + margin[axis]);
        }
    return box;
}

// Eight boxes, of a node at both ends of the interval.
typedef struct EightBoxes {
    const grzBvhNode* ends[2];
    const float* parts;
} EightBoxes;

GRZ_SIMD_INLINE grzF8 lowerOf(EightBoxes boxes, bool isCut, int end, int axis) {
    return isCut ? cutSide(boxes.ends[0]->lower[axis], boxes.ends[1]->lower[axis], boxes.parts[end])
                 : grzF8_Load(boxes.ends[end]->lower[axis]);
}

GRZ_SIMD_INLINE grzF8 upperOf(EightBoxes boxes, bool isCut, int end, int axis) {
    return isCut ? cutSide(boxes.ends[0]->upper[axis], boxes.ends[1]->upper[axis], boxes.parts[end])
                 : grzF8_Load(boxes.ends[end]->upper[axis]);
}

// ---- tests ----

// How far sides have passed each other: both conditions of an axis at both ends.
typedef struct Gaps {
    grzF8 below[2], above[2];
} Gaps;

GRZ_SIMD_INLINE void findGaps(const OneBox* one, EightBoxes eight, bool isCut, Gaps gaps[3]) {
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end) {
            gaps[axis].below[end] = grzF8_Sub(upperOf(eight, isCut, end, axis), one->lower[end][axis]);
            gaps[axis].above[end] = grzF8_Sub(one->upper[end][axis], lowerOf(eight, isCut, end, axis));
        }
}

// Bits of those of which each condition holds at one end at least.
GRZ_SIMD_INLINE grzM8 mayOverlap(const Gaps gaps[3]) {
    grzF8 least =
        grzF8_Min(grzF8_Max(gaps[0].below[0], gaps[0].below[1]), grzF8_Max(gaps[0].above[0], gaps[0].above[1]));
    for (int axis = 1; axis < 3; ++axis) {
        least = grzF8_Min(least, grzF8_Max(gaps[axis].below[0], gaps[axis].below[1]));
        least = grzF8_Min(least, grzF8_Max(gaps[axis].above[0], gaps[axis].above[1]));
    }
    return grzF8_LessEqual(grzF8_Zero(), least);
}

// The least of all six at an end.
GRZ_SIMD_INLINE grzF8 leastGap(const Gaps gaps[3], int end) {
    grzF8 least = grzF8_Min(gaps[0].below[end], gaps[0].above[end]);
    for (int axis = 1; axis < 3; ++axis)
        least = grzF8_Min(least, grzF8_Min(gaps[axis].below[end], gaps[axis].above[end]));
    return least;
}

typedef struct Times {
    grzF8 t0, t1;
} Times;

// On an axis at most one condition fails at an end, since both gaps add up to both widths.
GRZ_SIMD_INLINE Times cutToAxis(Times times, const Gaps* gaps) {
    const grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1), share = grzF8_Set1(ROOT_SHARE);
    const grzM8 isBelow = grzF8_Less(gaps->below[0], gaps->above[0]);
    const grzF8 start = grzF8_Min(gaps->below[0], gaps->above[0]);
    const grzF8 startsEnd = grzF8_Select(isBelow, gaps->below[1], gaps->above[1]);
    const grzF8 root = grzF8_Mul(grzF8_Div(start, grzF8_Sub(start, startsEnd)), share);
    const grzF8 begin = grzF8_Max(root, grzF8_Set1(CHORD_FIRST_TIME));
    const grzM8 endsBelow = grzF8_Less(gaps->below[1], gaps->above[1]);
    const grzF8 end = grzF8_Min(gaps->below[1], gaps->above[1]);
    const grzF8 endsStart = grzF8_Select(endsBelow, gaps->below[0], gaps->above[0]);
    const grzF8 left = grzF8_Mul(grzF8_Div(end, grzF8_Sub(end, endsStart)), share);
    const grzF8 until = grzF8_Min(grzF8_Sub(grzF8_Set1(1 + 0x1p-23F), left), grzF8_Set1(CHORD_LAST_TIME));
    times.t0 = grzF8_Max(times.t0, grzF8_Select(grzF8_Less(start, zero), begin, zero));
    times.t1 = grzF8_Min(times.t1, grzF8_Select(grzF8_Less(end, zero), until, one));
    return times;
}

// A box that is tested against eight others, and where it lies: what its side calls `nodes` or `above`.
typedef struct Tested {
    const ChordWalkSide* side;
    const grzBvhNode* const* nodes;
    uint32_t node, lane;
} Tested;

GRZ_SIMD_INLINE OneBox boxOf(Tested tested, bool isCut, const float margin[3]) {
    return takeBox(tested.nodes, tested.node, tested.lane, tested.side->parts, isCut, margin);
}

// Without margins, at an end: which of eight overlap the box.
GRZ_SIMD_INLINE grzM8 overlapAt(const OneBox* one, EightBoxes eight, bool isCut, int end) {
    grzM8 all = grzM8_FromBits(255);
    for (int axis = 0; axis < 3; ++axis) {
        all = grzM8_And(all, grzF8_LessEqual(one->lower[end][axis], upperOf(eight, isCut, end, axis)));
        all = grzM8_And(all, grzF8_LessEqual(lowerOf(eight, isCut, end, axis), one->upper[end][axis]));
    }
    return all;
}

// Leaves that overlap at an end of the piece by the margin alone do so from after it, or until before it.
GRZ_SIMD_INLINE Times looseEnds(Times times, Tested tested, EightBoxes eight, bool isCut) {
    static const float none[3];
    const OneBox one = boxOf(tested, isCut, none);
    const grzF8 after = grzF8_Max(times.t0, grzF8_Set1(CHORD_FIRST_TIME));
    const grzF8 before = grzF8_Min(times.t1, grzF8_Set1(CHORD_LAST_TIME));
    times.t0 = grzF8_Select(overlapAt(&one, eight, isCut, 0), times.t0, after);
    times.t1 = grzF8_Select(overlapAt(&one, eight, isCut, 1), times.t1, before);
    return times;
}

// ---- lists ----

typedef struct PairList {
    grzLeafPair* to;
    size_t count, room;
} PairList;

// The lanes of the mask, with room for eight.
GRZ_SIMD_INLINE void addPairs(PairList* list, grzM8 mask, grzI8 a, grzI8 b, Times times) {
    grzF8 columns[4] = {grzI8_AsFloat(a), grzI8_AsFloat(b), times.t0, times.t1};
    const uint32_t bits = grzM8_Bits(mask);
    if (bits != 255)
        for (int c = 0; c < 4; ++c) {
            float packed[8];
            grzF8_CompressStore(packed, mask, columns[c]);
            columns[c] = grzF8_Load(packed);
        }
    grzF8_StoreRows4((float*)(void*)&list->to[list->count], columns);
    list->count += (size_t)__builtin_popcount(bits);
}

GRZ_SIMD_INLINE EightBoxes eightOf(const ChordWalkSide* side, uint32_t node) {
    return (EightBoxes){{side->nodes[0] + node, side->nodes[1] + node}, side->parts};
}

// Those that are there.
GRZ_SIMD_INLINE uint32_t lanesOf(const ChordWalkSide* side, uint32_t node) {
    const uint32_t left = side->childCount - node * GRZ_BVH_WIDTH;
    return left >= GRZ_BVH_WIDTH ? 255u : (1u << left) - 1;
}

// Adds the pairs of one box with those of `lanes` of the eight in a node of the other side, within the times of a pair.
GRZ_SIMD_PART void testEight(const ChordWalkStep* step, bool isCut, const OneBox* one, Tested tested, uint32_t node,
                             uint32_t lanes, const grzLeafPair* pair, PairList* list) {
    static const int32_t places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const bool isB = tested.side == &step->sides[1];
    const EightBoxes eight = eightOf(&step->sides[isB ? 0 : 1], node);
    Gaps gaps[3];
    findGaps(one, eight, isCut, gaps);
    grzM8 mask = grzM8_And(mayOverlap(gaps), grzM8_FromBits(lanes));
    if (!grzM8_Any(mask))
        return;
    Times times = {grzF8_Set1(pair->t0), grzF8_Set1(pair->t1)};
    const grzF8 least = grzF8_Min(leastGap(gaps, 0), leastGap(gaps, 1));
    if (grzM8_Any(grzM8_And(mask, grzF8_Less(least, grzF8_Zero())))) {
        for (int axis = 0; axis < 3; ++axis)
            times = cutToAxis(times, &gaps[axis]);
        mask = grzM8_And(mask, grzF8_LessEqual(times.t0, times.t1));
        if (!grzM8_Any(mask))
            return;
    }
    if (step->isLast && grzM8_Any(grzM8_And(mask, grzF8_LessEqual(least, grzF8_Set1(step->nearGap)))))
        times = looseEnds(times, tested, eight, isCut);
    const grzI8 children = grzI8_Add(grzI8_Set1((int32_t)(node * GRZ_BVH_WIDTH)), grzI8_Load(places));
    const grzI8 own = grzI8_Set1((int32_t)(tested.node * GRZ_BVH_WIDTH + tested.lane));
    addPairs(list, mask, isB ? children : own, isB ? own : children, times);
}

GRZ_SIMD_INLINE Tested nodeItself(const ChordWalkSide* side, uint32_t node) {
    return (Tested){side, side->above, node / GRZ_BVH_WIDTH, node % GRZ_BVH_WIDTH};
}

// ---- both are opened ----

// Which children of a node of A may overlap a node of B, as bits.
GRZ_SIMD_PART uint32_t markChildren(const ChordWalkStep* step, bool isCut, const grzLeafPair* pair) {
    const ChordWalkSide* a = &step->sides[0];
    const OneBox one = boxOf(nodeItself(&step->sides[1], pair->leafB), isCut, step->margin);
    Gaps gaps[3];
    findGaps(&one, eightOf(a, pair->leafA), isCut, gaps);
    return grzM8_Bits(mayOverlap(gaps)) & lanesOf(a, pair->leafA);
}

// The places of the marks that have a bit.
GRZ_SIMD_INLINE uint32_t pickMarked(const uint8_t* marks, size_t count, uint32_t bit, uint8_t picks[PICKED]) {
    uint32_t picked = 0;
    for (size_t i = 0; i < count; ++i) {
        picks[picked] = (uint8_t)i;
        picked += marks[i] >> bit & 1u;
    }
    return picked;
}

// One child of the run's node of A against the nodes of B whose marks have it.
GRZ_SIMD_PART bool openChild(const ChordWalkStep* step, bool isCut, const grzLeafPair* run, const uint8_t* marks,
                             size_t count, uint32_t lane, PairList* list) {
    const ChordWalkSide *a = &step->sides[0], *b = &step->sides[1];
    const Tested tested = {a, a->nodes, run->leafA, lane};
    OneBox one = boxOf(tested, isCut, step->margin);
    for (size_t begin = 0; begin < count; begin += PICKED) {
        uint8_t picks[PICKED];
        const size_t some = count - begin < PICKED ? count - begin : PICKED;
        const uint32_t picked = pickMarked(marks + begin, some, lane, picks);
        if (list->room - list->count < GRZ_BVH_WIDTH * (size_t)picked)
            return false;
        for (uint32_t k = 0; k < picked; ++k) {
            const grzLeafPair* pair = &run[begin + picks[k]];
            uint32_t lanes = lanesOf(b, pair->leafB);
            if (step->isSelf && pair->leafB == pair->leafA)
                lanes &= 255u << lane;
            testEight(step, isCut, &one, tested, pair->leafB, lanes, pair, list);
        }
    }
    return true;
}

// Pairs that have the same node of A. Child by child, so that what comes out is sorted.
GRZ_SIMD_PART bool openRun(const ChordWalkStep* step, bool isCut, const grzLeafPair* run, size_t count,
                           uint8_t* marks, PairList* list) {
    uint32_t all = 0;
    for (size_t i = 0; i < count; ++i) {
        marks[i] = (uint8_t)markChildren(step, isCut, &run[i]);
        all |= marks[i];
    }
    for (; all != 0; all &= all - 1)
        if (!openChild(step, isCut, run, marks, count, (uint32_t)__builtin_ctz(all), list))
            return false;
    return true;
}

// ---- one is opened ----

// So it is while the other one is still the root, so that what comes out is sorted.
GRZ_SIMD_PART bool openOne(const ChordWalkStep* step, bool isCut, const grzLeafPair* pair, PairList* list) {
    const bool opensB = step->opens[1];
    const ChordWalkSide* opened = &step->sides[opensB ? 1 : 0];
    const uint32_t node = opensB ? pair->leafB : pair->leafA;
    const Tested tested = nodeItself(&step->sides[opensB ? 0 : 1], opensB ? pair->leafA : pair->leafB);
    const OneBox one = boxOf(tested, isCut, step->margin);
    if (list->room - list->count < GRZ_BVH_WIDTH)
        return false;
    testEight(step, isCut, &one, tested, node, lanesOf(opened, node), pair, list);
    return true;
}

// ---- steps ----

GRZ_SIMD_INLINE bool openAll(const ChordWalkStep* step, bool isCut, const grzLeafPair* pairs, size_t count,
                             uint8_t* marks, PairList* list) {
    const bool opensBoth = step->opens[0] && step->opens[1];
    for (size_t i = 0, run = 1; i < count; i += run, run = 1) {
        if (!opensBoth && !openOne(step, isCut, &pairs[i], list))
            return false;
        if (!opensBoth)
            continue;
        while (i + run < count && pairs[i + run].leafA == pairs[i].leafA)
            ++run;
        if (!openRun(step, isCut, &pairs[i], run, marks, list))
            return false;
    }
    return true;
}

size_t GRZ_KERNEL(grzChordWalkOpen)(const ChordWalkStep* step, const grzLeafPair* pairs, size_t count,
                                    uint8_t* marks, grzLeafPair* to, size_t room) {
    PairList list = {to, 0, room};
    const bool fits = step->isCut ? openAll(step, true, pairs, count, marks, &list)
                                  : openAll(step, false, pairs, count, marks, &list);
    return fits ? list.count : SIZE_MAX;
}

// ---- what is found, by time ----

GRZ_SIMD_INLINE grzI16 bucketsOf(grzF16 times) {
    const grzI16 inner = grzI16_Add(grzI16_Set1(1), grzF16_ToInt(grzF16_Mul(times, grzF16_Set1(253))));
    const grzI16 first = grzI16_Select(grzF16_Equal(times, grzF16_Zero()), grzI16_Zero(), inner);
    return grzI16_Select(grzF16_Equal(times, grzF16_Set1(1)), grzI16_Set1(255), first);
}

void GRZ_KERNEL(grzChordPairsSpread)(const grzLeafPair* pairs, size_t count, uint8_t* first, uint8_t* last) {
    for (size_t i = 0; i < count; i += 16) {
        grzF16 columns[4];
        grzF16_LoadRows4((const float*)(const void*)&pairs[i], columns);
        grzI16_StoreBytes(first + i, bucketsOf(columns[2]));
        grzI16_StoreBytes(last + i, bucketsOf(columns[3]));
    }
    for (size_t i = count; i % 64 != 0; ++i)
        first[i] = 255, last[i] = 0;
}

size_t GRZ_KERNEL(grzChordPairsActive)(const uint8_t* first, const uint8_t* last, size_t words, uint8_t bucket,
                                       uint64_t* bits) {
    const grzU8x64 now = grzU8x64_Set1(bucket);
    size_t count = 0;
    for (size_t w = 0; w < words; ++w) {
        const grzM8x64 began = grzU8x64_LessEqual(grzU8x64_Load(first + 64 * w), now);
        bits[w] = grzM8x64_Bits(grzM8x64_And(began, grzU8x64_GreaterEqual(grzU8x64_Load(last + 64 * w), now)));
        count += (size_t)__builtin_popcountll(bits[w]);
    }
    return count;
}
