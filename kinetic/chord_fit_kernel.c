// What: the kernel of chord_fit_kernel.h.
// Promise: between the ends of a leaf's parts no chord lies outside of the exact side by more than the looseness and 2^-20 of the
//   size of the coordinates; a box at a part's end holds every vertex, as the plan has it.
// Idea: a side is a convex function f of time whose slope lies between the least and the greatest displacement of the leaf's
//   vertices, d0 and d1. Where its chord has the slope c, f lies above the two lines that leave the chord's ends with the slopes d0
//   and d1; they meet below the chord by
//
//       x y / (x + y),  x = c - d0,  y = d1 - c,  x + y = d1 - d0          f(0) *---____  chord
//                                                                                \     ----* f(1)
//   and so does no more than that lie between f and its chord. (At most                  \ f   /
//   (d1 - d0) / 4, which is looked at first.) Where f is known at more times, the      d0 \.../ d1
//   slopes of the chords before and after a part's own take the place of d0 and d1, and its length is a factor.
//
//   So one look at both keyframes gives the box and the slopes; leaves that are too loose are looked at again in the middle, at
//   the quarters, and at the eighths, until they are not. For a lower side x and y change places, so that the test is the same.
// Holds: minima and maxima as in bvh_refit_kernel.c. Differences and products beyond the range of float are infinities and NaNs, of
//   which none is less than another: such leaves are looked at where they are read.
// Cost: per triangle some 1.7 of a refit while in cache, and up to 1 more where leaves are cut: what is cut shares no code path with its
//   neighbours, so that branches are foreseen badly.
// Based on: convexity of the upper envelope of lines, as in [Zachmann and Weller 2006] section 5.
#include "chord_fit_kernel.h"

#include "bvh_rows.h"
#include "chord_sides.h"

// ---- boxes and displacements of two leaves side by side ----

typedef struct Moving {
    grzF8 lower, upper, slow, fast;
} Moving;

GRZ_SIMD_INLINE Moving joinMoving(Moving a, Moving b) {
    return (Moving){grzF8_Min(a.lower, b.lower), grzF8_Max(a.upper, b.upper), grzF8_Min(a.slow, b.slow),
                    grzF8_Max(a.fast, b.fast)};
}

GRZ_SIMD_INLINE Moving movingOf(const ChordJob* job, ChordWay way, uint32_t first, uint32_t second) {
    const grzF8 start = grzF8_Join(chordStartOf(job, way, first), chordStartOf(job, way, second));
    const grzF8 end = grzF8_Join(chordEndOf(job, way, first), chordEndOf(job, way, second)),
                by = grzF8_Sub(end, start);
    return (Moving){end, end, by, by};
}

// Of two lists of four.
GRZ_SIMD_INLINE Moving movingFour(const ChordJob* job, ChordWay way, const uint32_t* first,
                                  const uint32_t* second) {
    Moving of[4];
    for (int k = 0; k < 4; ++k)
        of[k] = movingOf(job, way, first[k], second[k]);
    return joinMoving(joinMoving(of[0], of[1]), joinMoving(of[2], of[3]));
}

typedef struct MovingRows {
    BvhRows boxes, slopes; // slopes: the least and the greatest displacement
} MovingRows;

GRZ_SIMD_INLINE void storeOne(MovingRows* rows, uint32_t lane, Moving moving) {
    grzBvhStoreSpan(&rows->boxes, lane, (BvhSpan){grzF8_Lower(moving.lower), grzF8_Lower(moving.upper)});
    grzBvhStoreSpan(&rows->slopes, lane, (BvhSpan){grzF8_Lower(moving.slow), grzF8_Lower(moving.fast)});
}

GRZ_SIMD_INLINE void storeTwo(MovingRows* rows, uint32_t lane, Moving moving) {
    grzF8_Store(rows->boxes.lower[lane], moving.lower);
    grzF8_Store(rows->boxes.upper[lane], moving.upper);
    grzF8_Store(rows->slopes.lower[lane], moving.slow);
    grzF8_Store(rows->slopes.upper[lane], moving.fast);
}

// The leaves with more than eight vertices, once more.
GRZ_SIMD_INLINE void addMore(const ChordJob* job, ChordWay way, uint32_t firstLeaf, uint32_t more,
                             MovingRows* rows) {
    for (uint32_t k = 0; more != 0; ++k, more >>= 1) {
        if ((more & 1) == 0)
            continue;
        const uint32_t* list = job->bvh->moreVertices + 4 * (size_t)(firstLeaf + k);
        const grzF4 none = grzF4_Zero();
        const Moving known = {grzF8_Join(grzF4_Load(rows->boxes.lower[k]), none),
                              grzF8_Join(grzF4_Load(rows->boxes.upper[k]), none),
                              grzF8_Join(grzF4_Load(rows->slopes.lower[k]), none),
                              grzF8_Join(grzF4_Load(rows->slopes.upper[k]), none)};
        storeOne(rows, k, joinMoving(known, movingFour(job, way, list, list)));
    }
}

GRZ_SIMD_INLINE void fillRows(const ChordJob* job, ChordWay way, uint32_t firstLeaf, uint32_t count, uint32_t more,
                              MovingRows* rows) {
    const uint32_t* list = job->bvh->leafVertices + 8 * (size_t)firstLeaf;
    uint32_t k = 0;
    for (; k + 2 <= count; k += 2, list += 16)
        storeTwo(rows, k,
                 joinMoving(movingFour(job, way, list, list + 8), movingFour(job, way, list + 4, list + 12)));
    if (k < count)
        storeOne(rows, k, joinMoving(movingFour(job, way, list, list), movingFour(job, way, list + 4, list + 4)));
    addMore(job, way, firstLeaf, more, rows);
    grzBvhFillEmpty(&rows->boxes, count);
    for (k = count; k < GRZ_BVH_WIDTH; ++k)
        grzBvhStoreSpan(&rows->slopes, k, (BvhSpan){grzF4_Zero(), grzF4_Zero()});
}

GRZ_SIMD_INLINE void storeBoxes(const ChordJob* job, uint32_t node, const BvhRows* boxes) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottom = view->levelCount - 1;
    grzBvhStoreNode(boxes, &job->nodes[view->levelStarts[bottom] + node]);
    if (bottom == 0)
        return;
    const BvhSpan box = grzBvhJoinRows(boxes);
    float lower[4], upper[4];
    grzF4_Store(lower, box.lower);
    grzF4_Store(upper, box.upper);
    grzBvhStoreLane(view, job->nodes, bottom, node, lower, upper);
}

// ---- which leaves are too loose ----

enum { SIDES = 0x77 }; // bits without the rubbish

// Whether even the ranges of displacements leave no room.
GRZ_SIMD_INLINE bool areFlat(const BvhRows* slopes, float looseness) {
    grzM8 isFlat = grzM8_FromBits(255);
    const grzF8 most = grzF8_Set1(4 * looseness);
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; k += 2)
        isFlat = grzM8_And(
            isFlat, grzF8_LessEqual(grzF8_Sub(grzF8_Load(slopes->upper[k]), grzF8_Load(slopes->lower[k])), most));
    return (grzM8_Bits(isFlat) & SIDES) == SIDES;
}

// The leaves of a node of which a side may be, as bits.
GRZ_SIMD_INLINE uint32_t findLoose(const ChordJob* job, uint32_t node, const BvhRows* slopes) {
    const uint32_t at = grzBvhView_BottomStart(&job->bvh->view) + node;
    const grzBvhNode *a = &job->fromNodes[at], *b = &job->nodes[at];
    const grzF8 most = grzF8_Set1(job->looseness);
    if (areFlat(slopes, job->looseness))
        return 0;
    grzF8 slow[4], range[4];
    grzF8_LoadRows4(slopes->lower[0], slow);
    grzF8_LoadRows4(slopes->upper[0], range);
    uint32_t loose = 0;
    for (int axis = 0; axis < 3; ++axis) {
        range[axis] = grzF8_Sub(range[axis], slow[axis]);
        const grzF8 bound = grzF8_Mul(range[axis], most);
        const grzM8 isFlat = grzF8_LessEqual(grzF8_Mul(range[axis], grzF8_Set1(0.25F)), most);
        const grzF8 x0 = grzF8_Sub(grzF8_Sub(grzF8_Load(b->lower[axis]), grzF8_Load(a->lower[axis])), slow[axis]);
        const grzF8 x1 = grzF8_Sub(grzF8_Sub(grzF8_Load(b->upper[axis]), grzF8_Load(a->upper[axis])), slow[axis]);
        const grzM8 both = grzM8_And(grzF8_Less(grzF8_Mul(x0, grzF8_Sub(range[axis], x0)), bound),
                                     grzF8_Less(grzF8_Mul(x1, grzF8_Sub(range[axis], x1)), bound));
        loose |= ~grzM8_Bits(grzM8_Or(isFlat, both));
    }
    return loose & 255;
}

// ---- parts; sides grow outward, as in ChordBox ----

enum { EIGHTHS = 1 << CHORD_MOST_LOG };

// Whether no chord of 2^log parts is too loose: of sides at all eighths, as far as they are ends of parts.
GRZ_SIMD_INLINE bool areTight(const grzF8* sides, uint32_t log, grzF8 slow, grzF8 fast, float looseness) {
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

GRZ_SIMD_INLINE void storeSides(const grzF8* sides, uint32_t log, ChordBox* boxes) {
    const grzF8 by = chordMargin(sides[0], sides[EIGHTHS]);
    const int step = EIGHTHS >> log;
    for (int i = step; i < EIGHTHS; i += step)
        grzF8_Store((boxes++)->outward, grzF8_Add(sides[i], by));
}

// Cuts the interval of one leaf; there is place for `room` boxes. Returns the logarithm of how many parts it has.
GRZ_SIMD_PART uint32_t cutLeaf(const ChordJob* job, ChordWay way, const MovingRows* rows, uint32_t node,
                               uint32_t lane, bool hasMore, uint32_t room, ChordBox* boxes) {
    grzF8 sides[EIGHTHS + 1];
    const grzF4 least = grzF4_Load(rows->slopes.lower[lane]), most = grzF4_Load(rows->slopes.upper[lane]);
    const grzF8 slow = chordOutward(most, least), fast = chordOutward(least, most);
    sides[0] = chordSidesOf(&job->fromNodes[grzBvhView_BottomStart(&job->bvh->view) + node], lane);
    sides[EIGHTHS] = chordOutward(grzF4_Load(rows->boxes.lower[lane]), grzF4_Load(rows->boxes.upper[lane]));
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

// ---- nodes ----

// From eight bits to the logarithms of eight leaves.
GRZ_SIMD_INLINE uint32_t markExact(uint32_t leaves) {
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
GRZ_SIMD_INLINE uint32_t fitNode(const ChordJob* job, ChordWay way, uint32_t node, uint32_t used, ChordBox* boxes) {
    MovingRows rows;
    const uint32_t more = job->bvh->nodeFlags[node] & 255;
    const uint32_t count = grzBvhView_ChildCount(&job->bvh->view, job->bvh->view.levelCount - 1, node);
    fetchAhead(&job->fromNodes[grzBvhView_BottomStart(&job->bvh->view) + node]);
    fillRows(job, way, node * GRZ_BVH_WIDTH, count, more, &rows);
    storeBoxes(job, node, &rows.boxes);
    ChordLeaves leaves = {0, used};
    const uint32_t loose = findLoose(job, node, &rows.slopes);
    if (job->mostLog == 0)
        leaves.logs = markExact(loose);
    for (uint32_t left = job->mostLog == 0 ? 0 : loose; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), room = CHORD_CHUNK_BOXES - used;
        const uint32_t log = cutLeaf(job, way, &rows, node, lane, (more >> lane & 1) != 0, room, boxes + used);
        leaves.logs |= log << 4 * lane;
        used += log == CHORD_EXACT ? 0 : (1u << log) - 1;
    }
    job->parts.leaves[node] = leaves;
    return used;
}

GRZ_SIMD_PART uint32_t fitTight(const ChordJob* job, uint32_t node, uint32_t used, ChordBox* boxes) {
    return fitNode(job, (ChordWay){3, 3, NULL, false}, node, used, boxes);
}

GRZ_SIMD_PART uint32_t fitCarefully(const ChordJob* job, uint32_t node, uint32_t used, ChordBox* boxes) {
    return fitNode(job, (ChordWay){job->fromStride, job->toStride, job->map, true}, node, used, boxes);
}

void GRZ_KERNEL(grzChordFit)(const ChordJob* job, uint32_t chunk) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottoms = view->nodeCount - grzBvhView_BottomStart(view), first = chunk * CHORD_CHUNK_NODES;
    const uint32_t end = first + CHORD_CHUNK_NODES < bottoms ? first + CHORD_CHUNK_NODES : bottoms;
    ChordBox* boxes = job->parts.boxes + (size_t)chunk * CHORD_CHUNK_BOXES;
    uint32_t used = 0;
    for (uint32_t i = first; i < end; ++i) {
        used = chordIsTight(job, i) ? fitTight(job, i, used, boxes) : fitCarefully(job, i, used, boxes);
    }
}
