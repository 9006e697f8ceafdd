// What: the kernel of chord_fit_kernel.h.
// Promise: between the ends of a leaf's parts no chord lies outside of the exact side by more than the looseness and 2^-20 of the
//   size of the coordinates; a box at a part's end holds every vertex, as the plan has it.
// Idea: a side is a convex function f of time whose slope lies between the least and the greatest displacement of the leaf's
//   vertices, d0 and d1. Where its chord has the slope c, f lies above the two lines that leave the chord's ends with the
//   slopes d0 and d1; they meet below the chord by
//
//       x y / (x + y),  x = c - d0,  y = d1 - c,  x + y = d1 - d0          f(0) *---____  chord
//                                                                                \     ----* f(1)
//   and so does no more than that lie between f and its chord. (At most                  \ f   /
//   (d1 - d0) / 4, which is looked at first.) Where f is known at more times, the      d0 \.../ d1
//   slopes of the chords before and after a part's own take the place of d0 and d1, and its length is a factor.
//
//   So one look at both keyframes gives the box and the slopes; leaves that are too loose are looked at again in the middle, at
//   the quarters, and at the eighths, until they are not. For a lower side x and y change places, so that the test is the same.
// Holds: minima and maxima as in bvh_refit_kernel.c. Differences and products beyond the range of float are infinities and
//   NaNs, of which none is less than another: such leaves are looked at where they are read.
// Cost: per triangle some 1.6 of a refit while in cache, at AVX2 and wider, and up to 1 more where leaves are cut: what is cut
//   shares no code path with its neighbours, so that branches are foreseen badly. Leaves with more than eight vertices, one of
//   twenty, cost a tenth for the same reason. To keep the displacements of a chunk's vertices for the two or three leaves that
//   each is in would save no more instructions than it takes to write them down.
// Based on: convexity of the upper envelope of lines, as in [Zachmann and Weller 2006] section 5.
#include "chord_fit_kernel.h"

#include "bvh_rows.h"
#include "chord_sides.h"

// ---- boxes and displacements of two leaves side by side ----

typedef struct Moving {
    grzF8 lower, upper, slow, fast; // of the box at the end, and of the displacements; every fourth is rubbish
} Moving;

GRZ_SIMD_INLINE Moving joinMoving(Moving a, Moving b) {
    return (Moving){grzF8_Min(a.lower, b.lower), grzF8_Max(a.upper, b.upper), grzF8_Min(a.slow, b.slow),
                    grzF8_Max(a.fast, b.fast)};
}

GRZ_SIMD_INLINE Moving selectMoving(grzM8 mask, Moving yes, Moving no) {
    return (Moving){grzF8_Select(mask, yes.lower, no.lower), grzF8_Select(mask, yes.upper, no.upper),
                    grzF8_Select(mask, yes.slow, no.slow), grzF8_Select(mask, yes.fast, no.fast)};
}

GRZ_SIMD_PART Moving movingOf(const ChordJob* job, ChordWay way, uint32_t first, uint32_t second) {
    const grzF8 start = grzF8_Join(chordStartOf(job, way, first), chordStartOf(job, way, second));
    const grzF8 end = grzF8_Join(chordEndOf(job, way, first), chordEndOf(job, way, second)),
                by = grzF8_Sub(end, start);
    return (Moving){end, end, by, by};
}

// Of two lists of four.
GRZ_SIMD_PART Moving movingFour(const ChordJob* job, ChordWay way, const uint32_t* first, const uint32_t* second) {
    Moving of[4];
    for (int k = 0; k < 4; ++k)
        of[k] = movingOf(job, way, first[k], second[k]);
    return joinMoving(joinMoving(of[0], of[1]), joinMoving(of[2], of[3]));
}

GRZ_SIMD_INLINE Moving movingNone(void) {
    const grzF8 most = grzF8_Set1(FLT_MAX);
    return (Moving){most, grzF8_Negate(most), grzF8_Zero(), grzF8_Zero()};
}

// Of the leaves k and k + 4 of a node, as far as there are so many. More: bits of those with more than eight vertices.
GRZ_SIMD_PART Moving movingPair(const ChordJob* job, ChordWay way, uint32_t node, uint32_t count, uint32_t k,
                                uint32_t more) {
    if (k >= count)
        return movingNone();
    const bool hasSecond = k + 4 < count;
    const size_t a = (size_t)node * GRZ_BVH_WIDTH + k, b = hasSecond ? a + 4 : a;
    const uint32_t *first = job->bvh->leafVertices + 8 * a, *second = job->bvh->leafVertices + 8 * b;
    Moving all = joinMoving(movingFour(job, way, first, second), movingFour(job, way, first + 4, second + 4));
    if ((more >> k & 0x11) != 0) {
        const uint32_t *lists = job->bvh->moreVertices, bits = (more >> k & 0x11) * 0xF;
        const Moving rest = movingFour(job, way, lists + 4 * a, lists + 4 * b);
        all = selectMoving(grzM8_FromBits(bits), joinMoving(all, rest), all);
    }
    return hasSecond ? all : selectMoving(grzM8_FromBits(0xF), all, movingNone());
}

// ---- of eight ----

// Of an axis each; the fourth is rubbish. Leaves k and k + 4 lie side by side, as a transposition wants them, so that nothing
// has to go through memory.
typedef struct MovingLanes {
    grzF8 lower[4], upper[4], slow[4], fast[4];
} MovingLanes;

// In the order of grzBvhJoinRows.
GRZ_SIMD_PART BvhSpan joinPairs(const grzF8 lower[4], const grzF8 upper[4]) {
    const grzF8 least = grzF8_Min(grzF8_Min(lower[0], lower[1]), grzF8_Min(lower[2], lower[3]));
    const grzF8 most = grzF8_Max(grzF8_Max(upper[0], upper[1]), grzF8_Max(upper[2], upper[3]));
    return (BvhSpan){grzF4_Min(grzF8_Lower(least), grzF8_Upper(least)),
                     grzF4_Max(grzF8_Lower(most), grzF8_Upper(most))};
}

GRZ_SIMD_PART void fillPair(const ChordJob* job, ChordWay way, uint32_t node, uint32_t count, uint32_t k,
                            uint32_t more, MovingLanes* lanes) {
    const Moving pair = movingPair(job, way, node, count, k, more);
    lanes->lower[k] = pair.lower, lanes->upper[k] = pair.upper;
    lanes->slow[k] = pair.slow, lanes->fast[k] = pair.fast;
}

// Returns the box of all of them.
GRZ_SIMD_PART BvhSpan fillLanes(const ChordJob* job, ChordWay way, uint32_t node, uint32_t count, uint32_t more,
                                MovingLanes* lanes) {
    // Not a loop: where a compiler keeps it, lanes are in memory, and all takes half as long again.
    fillPair(job, way, node, count, 0, more, lanes);
    fillPair(job, way, node, count, 1, more, lanes);
    fillPair(job, way, node, count, 2, more, lanes);
    fillPair(job, way, node, count, 3, more, lanes);
    const BvhSpan box = joinPairs(lanes->lower, lanes->upper);
    grzTransposeBlocks8(lanes->lower);
    grzTransposeBlocks8(lanes->upper);
    grzTransposeBlocks8(lanes->slow);
    grzTransposeBlocks8(lanes->fast);
    return box;
}

GRZ_SIMD_PART void storeBoxes(const ChordJob* job, uint32_t node, const MovingLanes* lanes, BvhSpan box) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottom = view->levelCount - 1;
    grzBvhNode* to = &job->nodes[view->levelStarts[bottom] + node];
    for (int axis = 0; axis < 3; ++axis) {
        grzF8_Store(to->lower[axis], lanes->lower[axis]);
        grzF8_Store(to->upper[axis], lanes->upper[axis]);
    }
    if (bottom == 0)
        return;
    float lower[4], upper[4];
    grzF4_Store(lower, box.lower);
    grzF4_Store(upper, box.upper);
    grzBvhStoreLane(view, job->nodes, bottom, node, lower, upper);
}

// ---- which leaves are too loose ----

// The leaves of a node of which a side may be, as bits.
GRZ_SIMD_PART uint32_t findLoose(const ChordJob* job, uint32_t node, const MovingLanes* lanes) {
    const uint32_t at = grzBvhView_BottomStart(&job->bvh->view) + node;
    const grzBvhNode* from = &job->fromNodes[at];
    const grzF8 most = grzF8_Set1(job->looseness), flat = grzF8_Set1(4 * job->looseness);
    grzF8 range[3];
    grzM8 isFlat[3];
    for (int axis = 0; axis < 3; ++axis) {
        range[axis] = grzF8_Sub(lanes->fast[axis], lanes->slow[axis]);
        isFlat[axis] = grzF8_LessEqual(range[axis], flat);
    }
    if (grzM8_All(grzM8_And(grzM8_And(isFlat[0], isFlat[1]), isFlat[2])))
        return 0;
    grzM8 isTight = grzM8_FromBits(255);
    for (int axis = 0; axis < 3; ++axis) {
        const grzF8 bound = grzF8_Mul(range[axis], most), slow = lanes->slow[axis];
        const grzF8 x0 = grzF8_Sub(grzF8_Sub(lanes->lower[axis], grzF8_Load(from->lower[axis])), slow);
        const grzF8 x1 = grzF8_Sub(grzF8_Sub(lanes->upper[axis], grzF8_Load(from->upper[axis])), slow);
        const grzM8 both = grzM8_And(grzF8_Less(grzF8_Mul(x0, grzF8_Sub(range[axis], x0)), bound),
                                     grzF8_Less(grzF8_Mul(x1, grzF8_Sub(range[axis], x1)), bound));
        isTight = grzM8_And(isTight, grzM8_Or(isFlat[axis], both));
    }
    return ~grzM8_Bits(isTight) & 255;
}

// ---- parts; sides grow outward, as in ChordBox ----

enum {
    EIGHTHS = 1 << CHORD_MOST_LOG,
    SIDES = 0x77, // bits without the rubbish
};

typedef struct Slopes { // the least and the greatest displacement, a leaf each; the fourth is rubbish
    float slow[GRZ_BVH_WIDTH][4], fast[GRZ_BVH_WIDTH][4];
} Slopes;

// Whether no chord of 2^log parts is too loose: of sides at all eighths, as far as they are ends of parts.
GRZ_SIMD_PART bool areTight(const grzF8* sides, uint32_t log, grzF8 slow, grzF8 fast, float looseness) {
    const int step = EIGHTHS >> log;
    const grzF8 count = grzF8_Set1((float)(1 << log)), most = grzF8_Set1(looseness * (float)(1 << log));
    uint32_t tight = SIDES;
    grzF8 before = slow, own = grzF8_Mul(count, grzF8_Sub(sides[step], sides[0]));
    for (int i = 0; i < EIGHTHS; i += step) {
        const bool isLast = i + step == EIGHTHS;
        const grzF8 after = isLast ? fast : grzF8_Mul(count, grzF8_Sub(sides[i + 2 * step], sides[i + step]));
        const grzF8 x = grzF8_Sub(own, before), y = grzF8_Sub(after, own), range = grzF8_Add(x, y);
        const grzM8 isFlat = grzF8_LessEqual(grzF8_Mul(range, grzF8_Set1(0.25F)), most);
        const grzM8 isNear = grzF8_Less(grzF8_Mul(x, y), grzF8_Mul(range, most));
        tight &= grzM8_Bits(grzM8_Or(isFlat, isNear));
        before = own;
        own = after;
    }
    return tight == SIDES;
}

GRZ_SIMD_PART void storeSides(const grzF8* sides, uint32_t log, ChordBox* boxes) {
    const grzF8 by = chordMargin(sides[0], sides[EIGHTHS]);
    const int step = EIGHTHS >> log;
    for (int i = step; i < EIGHTHS; i += step)
        grzF8_Store((boxes++)->outward, grzF8_Add(sides[i], by));
}

// Cuts the interval of one leaf; there is place for `room` boxes. Returns the logarithm of how many parts it has.
GRZ_SIMD_PART uint32_t cutLeaf(const ChordJob* job, ChordWay way, const Slopes* slopes, uint32_t node,
                               uint32_t lane, bool hasMore, uint32_t room, ChordBox* boxes) {
    grzF8 sides[EIGHTHS + 1];
    const uint32_t at = grzBvhView_BottomStart(&job->bvh->view) + node;
    const grzF4 least = grzF4_Load(slopes->slow[lane]), most = grzF4_Load(slopes->fast[lane]);
    const grzF8 slow = chordOutward(most, least), fast = chordOutward(least, most);
    sides[0] = chordSidesOf(&job->fromNodes[at], lane);
    sides[EIGHTHS] = chordSidesOf(&job->nodes[at], lane);
    for (uint32_t log = 1; log <= job->mostLog && (1u << log) - 1 <= room; ++log) {
        const int step = EIGHTHS >> log;
        for (int i = step; i < EIGHTHS; i += 2 * step)
            sides[i] = chordSidesAt(job, way, (size_t)node * GRZ_BVH_WIDTH + lane, hasMore, (float)i / EIGHTHS);
        if (areTight(sides, log, slow, fast, job->looseness)) {
            storeSides(sides, log, boxes);
            return log;
        }
    }
    return CHORD_EXACT;
}

// Cuts the intervals of leaves of a node, given as bits. Returns how many of the chunk's boxes are taken.
GRZ_SIMD_PART uint32_t cutLeaves(const ChordJob* job, ChordWay way, const MovingLanes* lanes, uint32_t node,
                                 uint32_t loose, uint32_t used, ChordBox* boxes) {
    const uint32_t more = job->bvh->nodeFlags[node];
    Slopes slopes;
    grzF8_StoreRows4(slopes.slow[0], lanes->slow);
    grzF8_StoreRows4(slopes.fast[0], lanes->fast);
    for (; loose != 0; loose &= loose - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(loose), room = CHORD_CHUNK_BOXES - used;
        const uint32_t log = cutLeaf(job, way, &slopes, node, lane, (more >> lane & 1) != 0, room, boxes + used);
        job->parts.leaves[node].logs |= log << 4 * lane;
        used += log == CHORD_EXACT ? 0 : (1u << log) - 1;
    }
    return used;
}

// ---- nodes ----

// From eight bits to the logarithms of eight leaves.
GRZ_SIMD_PART uint32_t markExact(uint32_t leaves) {
    leaves = (leaves | leaves << 12) & 0x000F000Fu;
    leaves = (leaves | leaves << 6) & 0x03030303u;
    leaves = (leaves | leaves << 3) & 0x11111111u;
    return leaves * CHORD_EXACT;
}

// The start's boxes are read of some nodes alone, which is no pattern that a processor would foresee.
GRZ_SIMD_INLINE void fetchAhead(const grzBvhNode* nodes) {
    for (size_t line = 0; line < sizeof *nodes / 64; ++line)
        __builtin_prefetch((const char*)nodes + 64 * line);
}

// Returns how many of the chunk's boxes are taken.
GRZ_SIMD_PART uint32_t fitNode(const ChordJob* job, ChordWay way, uint32_t node, uint32_t count, uint32_t used,
                               ChordBox* boxes) {
    MovingLanes lanes;
    fetchAhead(&job->fromNodes[grzBvhView_BottomStart(&job->bvh->view) + node]);
    const BvhSpan box = fillLanes(job, way, node, count, job->bvh->nodeFlags[node] & 255, &lanes);
    storeBoxes(job, node, &lanes, box);
    const uint32_t loose = findLoose(job, node, &lanes);
    job->parts.leaves[node] = (ChordLeaves){job->mostLog == 0 ? markExact(loose) : 0, used};
    return loose == 0 || job->mostLog == 0 ? used : cutLeaves(job, way, &lanes, node, loose, used, boxes);
}

// With all eight leaves.
GRZ_SIMD_PART uint32_t fitTight(const ChordJob* job, uint32_t node, uint32_t used, ChordBox* boxes) {
    return fitNode(job, (ChordWay){3, 3, NULL, false}, node, GRZ_BVH_WIDTH, used, boxes);
}

GRZ_SIMD_PART uint32_t fitCarefully(const ChordJob* job, uint32_t node, uint32_t used, ChordBox* boxes) {
    const uint32_t count = grzBvhView_ChildCount(&job->bvh->view, job->bvh->view.levelCount - 1, node);
    return fitNode(job, (ChordWay){job->fromStride, job->toStride, job->map, true}, node, count, used, boxes);
}

void GRZ_KERNEL(grzChordFit)(const ChordJob* job, uint32_t chunk) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottoms = view->nodeCount - grzBvhView_BottomStart(view), first = chunk * CHORD_CHUNK_NODES;
    const uint32_t end = first + CHORD_CHUNK_NODES < bottoms ? first + CHORD_CHUNK_NODES : bottoms;
    const uint32_t full = view->leafCount / GRZ_BVH_WIDTH;
    ChordBox* boxes = job->parts.boxes + (size_t)chunk * CHORD_CHUNK_BOXES;
    uint32_t used = 0;
    for (uint32_t i = first; i < end; ++i)
        used = i < full && chordIsTight(job, i) ? fitTight(job, i, used, boxes) : fitCarefully(job, i, used, boxes);
}
