// What: the kernel of chord_walk_kernel.h.
// Promise: a pair of nodes is left out only if the boxes of their vertices overlap at no time of the piece. The
//   times of a pair hold every time, as a float, at which these boxes overlap. For leaves, t0 is 0 exactly where
//   the boxes overlap at the begin, and t1 is 1 exactly where they overlap at the end, if both sides stand at
//   keyframes there.
// Idea: between its keyframes a vertex lies within the chords of its boxes. On an axis two boxes A and B overlap
//   while
//
//       g(s) = upper B - lower A >= 0   and   h(s) = upper A - lower B >= 0,
//
//   both linear in s, so that each holds on [0, 1], on a half of it before or after its root, or nowhere. The
//   condition that fails most at the begin gives the time from which the boxes may overlap, and the one that fails
//   most at the end gives the time until which. These times are cut to the times of the pair of nodes above. (All
//   six conditions give them exactly, but that took twice as many operations, and only 0.3 % fewer pairs are active
//   then.)
//
//   g at the ends, as a float, has the sign of the true difference, and is off by a part u = 2^-24 of itself. At a
//   root it has two signs, so that in g0 / (g0 - g1) no digits are lost: the root is off by less than 5u of itself.
//   It is taken down by 8u. The time from the end, 1 - g1 / (g1 - g0), is widened by as much, plus 2^-23 for the
//   last difference. A time that overflows is 0 or a NaN, and is then the widest that it may be.
//
//   The place of a vertex between keyframes is rounded: to float by the plan, or as (1 - s) a + s b in float by a
//   host, which is off by 3u of the coordinates. So box A is widened by more than the rounding of both sides and of
//   its own addition. At keyframes of both sides nothing is rounded, so leaves near each other are looked at again
//   there without it.
// Holds: Min and Max give the second where one is a NaN.
// Cost: two nodes are opened together. Sixteen lanes at a time, boxes that hold both ends are compared, which
//   leaves some six of 64 pairs of children; eight of these are brought together by look-ups, and their times take
//   about 100 operations. Boxes of B that overlap a node of A were laid side by side first, as grzBoxPairs does:
//   this took longer, since few lanes of each sixteen were hits.
#include "chord_walk_kernel.h"

#include <float.h>

#include "simd.h"

#define ROOT_SHARE (1 - 0x1p-21F)

// ---- boxes ----

// Eight boxes, at both ends of the piece: where they lie, or made aside.
typedef struct EightBoxes {
    const grzBvhNode* ends[2];
} EightBoxes;

GRZ_SIMD_INLINE grzF8 cutSide(const float a[8], const float b[8], float part) {
    return grzF8_Add(grzF8_Mul(grzF8_Load(a), grzF8_Set1(1 - part)), grzF8_Mul(grzF8_Load(b), grzF8_Set1(part)));
}

GRZ_SIMD_CALL void cutEight(const grzBvhNode* a, const grzBvhNode* b, const float parts[2], grzBvhNode aside[2]) {
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis) {
            grzF8_Store(aside[end].lower[axis], cutSide(a->lower[axis], b->lower[axis], parts[end]));
            grzF8_Store(aside[end].upper[axis], cutSide(a->upper[axis], b->upper[axis], parts[end]));
        }
}

// Of a node of `nodes`.
GRZ_SIMD_INLINE EightBoxes takeEight(const ChordWalkStep* step, const grzBvhNode* const nodes[2], uint32_t node,
                                     const float parts[2], grzBvhNode aside[2]) {
    if (!step->isCut)
        return (EightBoxes){{nodes[0] + node, nodes[1] + node}};
    cutEight(nodes[0] + node, nodes[1] + node, parts, aside);
    return (EightBoxes){{&aside[0], &aside[1]}};
}

// In place or not.
GRZ_SIMD_INLINE void widenBy(const float by[3], EightBoxes boxes, grzBvhNode to[2]) {
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis) {
            const grzF8 some = grzF8_Set1(by[axis]);
            grzF8_Store(to[end].lower[axis], grzF8_Sub(grzF8_Load(boxes.ends[end]->lower[axis]), some));
            grzF8_Store(to[end].upper[axis], grzF8_Add(grzF8_Load(boxes.ends[end]->upper[axis]), some));
        }
}

GRZ_SIMD_PART void widen(const ChordWalkStep* step, EightBoxes boxes, grzBvhNode to[2]) {
    widenBy(step->rounding, boxes, to);
}

// With the margin.
GRZ_SIMD_PART EightBoxes takeWide(const ChordWalkStep* step, const grzBvhNode* const nodes[2], uint32_t node,
                                  const float parts[2], grzBvhNode aside[2]) {
    const EightBoxes boxes = takeEight(step, nodes, node, parts, aside);
    if (step->margin == 0)
        return boxes;
    widenBy((const float[3]){step->margin, step->margin, step->margin}, boxes, aside);
    return (EightBoxes){{&aside[0], &aside[1]}};
}

// Those that are there.
static uint32_t lanesOf(const ChordWalkSide* side, uint32_t node) {
    const uint32_t left = side->childCount - node * GRZ_BVH_WIDTH;
    return left >= GRZ_BVH_WIDTH ? 255u : (1u << left) - 1;
}

// ---- which may overlap ----

// Boxes that hold two boxes of A at both ends, in eight lanes each.
typedef struct TwoBoxes {
    float lower[3][16], upper[3][16];
} TwoBoxes;

// The children of a node of A: all that is made once for what is opened beside it.
typedef struct Own {
    uint32_t node;
    EightBoxes exact;
    grzBvhNode aside[2];
    grzBvhNode wide[2];
    TwoBoxes twos[4];
} Own;

GRZ_SIMD_INLINE grzF8 lowerOfBoth(EightBoxes boxes, int axis) {
    return grzF8_Min(grzF8_Load(boxes.ends[0]->lower[axis]), grzF8_Load(boxes.ends[1]->lower[axis]));
}

GRZ_SIMD_INLINE grzF8 upperOfBoth(EightBoxes boxes, int axis) {
    return grzF8_Max(grzF8_Load(boxes.ends[0]->upper[axis]), grzF8_Load(boxes.ends[1]->upper[axis]));
}

GRZ_SIMD_PART void takeOwn(const ChordWalkStep* step, uint32_t node, Own* own) {
    const ChordWalkSide* a = &step->sides[0];
    own->node = node;
    own->exact = takeWide(step, a->nodes, node, a->parts, own->aside);
    widen(step, own->exact, own->wide);
    const EightBoxes wide = {{&own->wide[0], &own->wide[1]}};
    for (int axis = 0; axis < 3; ++axis) {
        float lower[8], upper[8];
        grzF8_Store(lower, lowerOfBoth(wide, axis));
        grzF8_Store(upper, upperOfBoth(wide, axis));
        for (int two = 0; two < 4; ++two) {
            grzF16_Store(own->twos[two].lower[axis],
                         grzF16_Join(grzF8_Set1(lower[2 * two]), grzF8_Set1(lower[2 * two + 1])));
            grzF16_Store(own->twos[two].upper[axis],
                         grzF16_Join(grzF8_Set1(upper[2 * two]), grzF8_Set1(upper[2 * two + 1])));
        }
    }
}

// Which children of both nodes have boxes that hold them at both ends and overlap: bit 8 i + k is child i of A and child k of B.
GRZ_SIMD_PART uint64_t markPairs(const Own* own, EightBoxes boxes) {
    grzF16 lower[3], upper[3];
    uint64_t marks = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const grzF8 least = lowerOfBoth(boxes, axis), most = upperOfBoth(boxes, axis);
        lower[axis] = grzF16_Join(least, least);
        upper[axis] = grzF16_Join(most, most);
    }
    for (int two = 0; two < 4; ++two) {
        grzM16 all = grzM16_FromBits(0xFFFF);
        for (int axis = 0; axis < 3; ++axis) {
            all = grzM16_And(all, grzF16_LessEqual(lower[axis], grzF16_Load(own->twos[two].upper[axis])));
            all = grzM16_And(all, grzF16_LessEqual(grzF16_Load(own->twos[two].lower[axis]), upper[axis]));
        }
        marks |= (uint64_t)grzM16_Bits(all) << 16 * two;
    }
    return marks;
}

// Pairs of a child with itself that is free.
static uint64_t freeOf(const ChordWalkStep* step, uint32_t node, uint32_t lanes) {
    uint64_t free = 0;
    for (; step->areFree != NULL && lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        free |= (uint64_t)(step->areFree[GRZ_BVH_WIDTH * node + lane] != 0) << 9 * lane;
    }
    return free;
}

// Those that are there; within one hierarchy each once, and no child with itself that is free.
static uint64_t wantedOf(const ChordWalkStep* step, const grzLeafPair* pair) {
    const uint64_t rows = UINT64_C(0x0101010101010101), own = lanesOf(&step->sides[0], pair->leafA);
    uint64_t wanted = rows * lanesOf(&step->sides[1], pair->leafB);
    if (own != 255)
        wanted &= (UINT64_C(1) << 8 * __builtin_popcountll(own)) - 1;
    if (!step->isSelf || pair->leafA != pair->leafB)
        return wanted;
    return wanted & UINT64_C(0x80C0E0F0F8FCFEFF) & ~freeOf(step, pair->leafA, (uint32_t)own);
}

// ---- when they overlap ----

// How far sides have passed each other: both conditions of an axis at both ends.
typedef struct Gaps {
    grzF8 below[2], above[2];
} Gaps;

GRZ_SIMD_INLINE void findGaps(EightBoxes own, grzI8 lanesA, EightBoxes other, grzI8 lanesB, Gaps gaps[3]) {
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end) {
            gaps[axis].below[end] = grzF8_Sub(grzF8_LookUp(other.ends[end]->upper[axis], lanesB),
                                              grzF8_LookUp(own.ends[end]->lower[axis], lanesA));
            gaps[axis].above[end] = grzF8_Sub(grzF8_LookUp(own.ends[end]->upper[axis], lanesA),
                                              grzF8_LookUp(other.ends[end]->lower[axis], lanesB));
        }
}

// The condition that fails most at an end of the piece, or holds least.
typedef struct Least {
    grzF8 here, there; // its gap at this end and at the other
} Least;

GRZ_SIMD_INLINE grzF8 leastAt(const Gaps gaps[3], int end) {
    grzF8 least = grzF8_Min(gaps[0].below[end], gaps[0].above[end]);
    for (int axis = 1; axis < 3; ++axis)
        least = grzF8_Min(least, grzF8_Min(gaps[axis].below[end], gaps[axis].above[end]));
    return least;
}

// Of several that are the least, the first in the order of axes.
GRZ_SIMD_INLINE Least findLeast(const Gaps gaps[3], int end, grzF8 here) {
    grzF8 there = gaps[2].above[1 - end];
    for (int axis = 2; axis >= 0; --axis) {
        if (axis != 2)
            there = grzF8_Select(grzF8_Equal(gaps[axis].above[end], here), gaps[axis].above[1 - end], there);
        there = grzF8_Select(grzF8_Equal(gaps[axis].below[end], here), gaps[axis].below[1 - end], there);
    }
    return (Least){here, there};
}

typedef struct Times {
    grzF8 t0, t1;
} Times;

// From an end of the piece on, what part of it passes until the condition holds; less what rounding may have added.
GRZ_SIMD_INLINE grzF8 partUntil(Least least) {
    return grzF8_Mul(grzF8_Div(least.here, grzF8_Sub(least.here, least.there)), grzF8_Set1(ROOT_SHARE));
}

GRZ_SIMD_INLINE Times cutTimes(Times times, Least start, Least end) {
    const grzF8 zero = grzF8_Zero();
    const grzF8 from = grzF8_Max(partUntil(start), grzF8_Set1(CHORD_FIRST_TIME));
    const grzF8 until = grzF8_Min(grzF8_Sub(grzF8_Set1(1 + 0x1p-23F), partUntil(end)), grzF8_Set1(CHORD_LAST_TIME));
    times.t0 = grzF8_Max(times.t0, grzF8_Select(grzF8_Less(start.here, zero), from, zero));
    times.t1 = grzF8_Min(times.t1, grzF8_Select(grzF8_Less(end.here, zero), until, grzF8_Set1(1)));
    // One that fails at both ends never holds.
    const grzF8 always = grzF8_Min(grzF8_Max(start.here, start.there), grzF8_Max(end.here, end.there));
    times.t1 = grzF8_Select(grzF8_Less(always, zero), grzF8_Set1(-1), times.t1);
    return times;
}

// Leaves that overlap at keyframes of both sides by the rounding alone do so from after it, or until before it.
GRZ_SIMD_PART Times looseEnds(const ChordWalkStep* step, const Own* own, Times times, grzI8 lanesA,
                              EightBoxes other, grzI8 lanesB) {
    const grzF8 zero = grzF8_Zero();
    Gaps gaps[3];
    findGaps(own->exact, lanesA, other, lanesB, gaps);
    const grzF8 after = grzF8_Max(times.t0, grzF8_Set1(CHORD_FIRST_TIME));
    const grzF8 before = grzF8_Min(times.t1, grzF8_Set1(CHORD_LAST_TIME));
    if (step->isFrame[0])
        times.t0 = grzF8_Select(grzF8_LessEqual(zero, leastAt(gaps, 0)), times.t0, after);
    if (step->isFrame[1])
        times.t1 = grzF8_Select(grzF8_LessEqual(zero, leastAt(gaps, 1)), times.t1, before);
    return times;
}

// ---- lists ----

// Where the next pair of each child of A goes.
typedef struct Rows {
    grzLeafPair* next[GRZ_BVH_WIDTH];
    bool hasHoles; // pairs with t0 > t1, which never overlap
} Rows;

// The numbers of the bits that are set, and eight zeros. There is room for 16 numbers behind them.
GRZ_SIMD_INLINE size_t listMarks(uint64_t marks, int32_t* list) {
    static const int32_t places[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    size_t count = 0;
    for (int two = 0; two < 4; ++two) {
        const grzI16 numbers = grzI16_Add(grzI16_Set1(16 * two), grzI16_Load(places));
        count +=
            grzI16_CompressStore(list + count, grzM16_FromBits((uint32_t)(marks >> 16 * two & 0xFFFF)), numbers);
    }
    grzI8_Store(list + count, grzI8_Zero());
    return count;
}

// Adds some of the pairs of children, up to eight.
GRZ_SIMD_INLINE void addEight(const ChordWalkStep* step, const Own* own, const grzLeafPair* pair, EightBoxes other,
                              const int32_t* list, size_t count, Rows* rows) {
    const grzI8 marks = grzI8_Load(list), seven = grzI8_Set1(7);
    const grzI8 lanesA = grzI8_And(grzI8_ShiftRight(marks, 3), seven), lanesB = grzI8_And(marks, seven);
    grzLeafPair found[GRZ_BVH_WIDTH];
    Gaps gaps[3];
    findGaps((EightBoxes){{&own->wide[0], &own->wide[1]}}, lanesA, other, lanesB, gaps);
    const grzF8 start = leastAt(gaps, 0), end = leastAt(gaps, 1);
    Times times = {grzF8_Set1(pair->t0), grzF8_Set1(pair->t1)};
    if (grzM8_Any(grzF8_Less(grzF8_Min(start, end), grzF8_Zero()))) {
        times = cutTimes(times, findLeast(gaps, 0, start), findLeast(gaps, 1, end));
        const uint32_t holes = grzM8_Bits(grzF8_Less(times.t1, times.t0));
        rows->hasHoles = rows->hasHoles || (holes & ((2u << (count - 1)) - 1)) != 0;
    }
    const grzM8 isNear = grzF8_LessEqual(grzF8_Min(grzF8_Abs(start), grzF8_Abs(end)), grzF8_Set1(step->nearGap));
    if (step->isLast && grzM8_Any(isNear))
        times = looseEnds(step, own, times, lanesA, other, lanesB);
    const grzI8 a = grzI8_Add(grzI8_Set1((int32_t)(GRZ_BVH_WIDTH * own->node)), lanesA);
    const grzI8 b = grzI8_Add(grzI8_Set1((int32_t)(GRZ_BVH_WIDTH * pair->leafB)), lanesB);
    const grzF8 columns[4] = {grzI8_AsFloat(a), grzI8_AsFloat(b), times.t0, times.t1};
    grzF8_StoreRows4((float*)(void*)found, columns);
    for (size_t i = 0; i < count; ++i)
        *rows->next[list[i] >> 3]++ = found[i];
}

static grzLeafPair* fillHoles(grzLeafPair* from, const grzLeafPair* end) {
    grzLeafPair* to = from;
    for (; from != end; ++from)
        if (from->t0 <= from->t1)
            *to++ = *from;
    return to;
}

typedef struct PairList {
    grzLeafPair* to;
    size_t count, room;
} PairList;

// ---- both are opened ----

// Byte k: how many bits byte k has.
static uint64_t countByBytes(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
}

enum { COUNTED = 4096 }; // marks whose counts fit in 16 bits

// What a run gives is counted for each child of A first, so that it can be written in order. Counts of four children stand in one number.
static size_t layRows(const uint64_t* marks, size_t count, grzLeafPair* to, Rows* rows) {
    const uint64_t odd = UINT64_C(0x00FF00FF00FF00FF);
    size_t sums[GRZ_BVH_WIDTH] = {0}, sum = 0;
    for (size_t first = 0; first < count; first += COUNTED) {
        uint64_t fours[2] = {0, 0};
        for (size_t i = first; i < count && i < first + COUNTED; ++i) {
            const uint64_t bytes = countByBytes(marks[i]);
            fours[0] += bytes & odd;
            fours[1] += bytes >> 8 & odd;
        }
        for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
            sums[k] += (size_t)(fours[k % 2] >> 16 * (k / 2) & 0xFFFF);
    }
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k) {
        rows->next[k] = to + sum;
        sum += sums[k];
    }
    rows->hasHoles = false;
    return sum;
}

enum { LISTED = 16 }; // pairs of nodes

// Lists are written ahead of where they are read, which else waits for what was stored.
GRZ_SIMD_PART void addSome(const ChordWalkStep* step, const Own* own, const grzLeafPair* run, const uint64_t* marks,
                           size_t count, Rows* rows) {
    const ChordWalkSide* b = &step->sides[1];
    int32_t lists[64 * LISTED + 16];
    size_t starts[LISTED + 1];
    grzBvhNode aside[2];
    starts[0] = 0;
    for (size_t i = 0; i < count; ++i)
        starts[i + 1] = starts[i] + (marks[i] == 0 ? 0 : listMarks(marks[i], lists + starts[i]));
    for (size_t i = 0; i < count; ++i) {
        if (marks[i] == 0)
            continue;
        const EightBoxes other = takeEight(step, b->nodes, run[i].leafB, b->parts, aside);
        for (size_t k = starts[i], end = starts[i + 1]; k < end; k += GRZ_BVH_WIDTH)
            addEight(step, own, &run[i], other, lists + k, end - k < GRZ_BVH_WIDTH ? end - k : GRZ_BVH_WIDTH, rows);
    }
}

// Pairs that have the same node of A.
GRZ_SIMD_PART bool openRun(const ChordWalkStep* step, const grzLeafPair* run, size_t count, uint64_t* marks,
                           PairList* list) {
    const ChordWalkSide* b = &step->sides[1];
    grzBvhNode aside[2];
    Own own;
    takeOwn(step, run->leafA, &own);
    for (size_t i = 0; i < count; ++i) {
        const EightBoxes other = takeEight(step, b->nodes, run[i].leafB, b->parts, aside);
        marks[i] = markPairs(&own, other) & wantedOf(step, &run[i]);
    }
    Rows rows;
    grzLeafPair* to = list->to + list->count;
    const size_t sum = layRows(marks, count, to, &rows);
    if (list->room - list->count < sum)
        return false;
    for (size_t i = 0; i < count; i += LISTED)
        addSome(step, &own, run + i, marks + i, count - i < LISTED ? count - i : LISTED, &rows);
    list->count += rows.hasHoles ? (size_t)(fillHoles(to, to + sum) - to) : sum;
    return true;
}

// ---- one is opened ----

// As markPairs: lane `lane` of eight, and lane `own` of others.
static bool mayMeet(const EightBoxes* boxes, uint32_t lane, const grzBvhNode others[2], uint32_t own) {
    for (int axis = 0; axis < 3; ++axis) {
        bool below = false, above = false;
        for (int end = 0; end < 2; ++end) {
            below = below || others[end].lower[axis][own] <= boxes->ends[end]->upper[axis][lane];
            above = above || boxes->ends[end]->lower[axis][lane] <= others[end].upper[axis][own];
        }
        if (!below || !above)
            return false;
    }
    return true;
}

// A pair of which one node is opened. So it is while the other one is still the root, so that what comes out is sorted.
GRZ_SIMD_PART bool openOne(const ChordWalkStep* step, const grzLeafPair* pair, PairList* list) {
    const bool opensB = step->opens[1];
    const ChordWalkSide *opened = &step->sides[opensB ? 1 : 0], *other = &step->sides[opensB ? 0 : 1];
    const uint32_t node = opensB ? pair->leafB : pair->leafA, own = opensB ? pair->leafA : pair->leafB;
    grzBvhNode aside[2], asideOwn[2], wide[2];
    if (list->room - list->count < GRZ_BVH_WIDTH)
        return false;
    const EightBoxes children = takeEight(step, opened->nodes, node, opened->parts, aside);
    widen(step, takeWide(step, other->above, own / GRZ_BVH_WIDTH, other->parts, asideOwn), wide);
    for (uint32_t lanes = lanesOf(opened, node); lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes), child = node * GRZ_BVH_WIDTH + lane;
        if (mayMeet(&children, lane, wide, own % GRZ_BVH_WIDTH))
            list->to[list->count++] = opensB ? (grzLeafPair){own, child, pair->t0, pair->t1}
                                             : (grzLeafPair){child, own, pair->t0, pair->t1};
    }
    return true;
}

// ---- steps ----

size_t GRZ_KERNEL(grzChordWalkOpen)(const ChordWalkStep* step, const grzLeafPair* pairs, size_t count,
                                    uint64_t* marks, grzLeafPair* to, size_t room) {
    const bool opensBoth = step->opens[0] && step->opens[1];
    PairList list = {to, 0, room};
    for (size_t i = 0, run = 1; i < count; i += run, run = 1) {
        while (opensBoth && i + run < count && pairs[i + run].leafA == pairs[i].leafA)
            ++run;
        if (!(opensBoth ? openRun(step, &pairs[i], run, marks, &list) : openOne(step, &pairs[i], &list)))
            return SIZE_MAX;
    }
    return list.count;
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
