// What: orders triangles so that the boxes of the full tree have little area.
// Promise: the same order for any number of workers.
// Idea: a node whose children hold C triangles each must be cut at multiples of C, that is at no more than seven
//       places on each axis, or the tree would not be full. So counts are given and places are sought: triangles are
//       counted into bins along each axis, with the boxes of the bins; the cut after k * C triangles falls into some
//       bin, and its cost is area times count on both sides, the bin in question on both if
//       it is not cut at its end. The best cut is made
//       exactly: bins before it go left, bins behind it right, the one it falls into is sorted. Then both sides are
//       cut again, until each holds no more than C.
//
//         bins of x   |..|....|.|...:..|.|......|      : the cut, somewhere in a bin
//
// Holds: a node's range of items follows from its number, so the nodes of a level are the tasks. A cut may pause at any item, so
//       that a build can be spread over many calls (bvh_renewal.c); one that is made at once never does.
// Cost: about log2 n rounds of binning and moving, 10 ns a triangle each.
// Based on: [Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, RT 2007] for the bins. We differ:
//       the candidates are counts, not places.
#include "bvh_sah.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "radix_sort.h"

// Half as many as there are triangles: more would cost more to look at than the triangles.
static int32_t countBins(uint32_t count) {
    return count >= 2 * MOST_BINS ? MOST_BINS : count <= 2 * LEAST_BINS ? LEAST_BINS : (int32_t)(count / 2);
}

static Bin boxOf(const BvhItem* item) {
    return (Bin){grzF4_Load(item->lower), grzF4_Load(item->upper), 1};
}

static grzF4 middleOf(const BvhItem* item) {
    const grzF4 half = grzF4_Set1(0.5F);
    return grzF4_Add(grzF4_Mul(grzF4_Load(item->lower), half), grzF4_Mul(grzF4_Load(item->upper), half));
}

// From the middles' box.
static Scale makeScale(grzF4 lower, grzF4 upper, uint32_t count) {
    const int32_t binCount = countBins(count);
    float least[4], most[4], factors[4] = {0, 0, 0, 0};
    grzF4_Store(least, lower);
    grzF4_Store(most, upper);
    for (int axis = 0; axis < 3; ++axis) {
        // What no float can hold, of extents near the smallest number, becomes one bin: the cut in it is exact as well.
        const double factor = binCount / ((double)most[axis] - (double)least[axis]);
        factors[axis] = most[axis] > least[axis] && factor < 1e38 ? (float)factor : 0;
    }
    return (Scale){lower, grzF4_Load(factors), grzF4_Set1((float)(binCount - 1)), binCount};
}

// The bins of an item on the three axes. Distances to the lower end may exceed the range of float, but factors are
// then so small that halves will do.
static void binsOf(const Scale* scale, const BvhItem* item, int32_t bins[4]) {
    const grzF4 half = grzF4_Set1(0.5F);
    const grzF4 way = grzF4_Sub(grzF4_Mul(middleOf(item), half), grzF4_Mul(scale->lower, half));
    const grzF4 place = grzF4_Mul(grzF4_Mul(way, scale->factor), grzF4_Set1(2));
    grzI4_Store(bins, grzF4_ToInt(grzF4_Min(grzF4_Max(place, grzF4_Zero()), scale->most)));
}

static Bin emptyBin(void) {
    return (Bin){grzF4_Set1(FLT_MAX), grzF4_Set1(-FLT_MAX), 0};
}

static Bin join(Bin a, Bin b) {
    return (Bin){grzF4_Min(a.lower, b.lower), grzF4_Max(a.upper, b.upper), a.count + b.count};
}

static double areaOf(const Bin* bin) {
    if (bin->count == 0)
        return 0;
    float lower[4], upper[4];
    grzF4_Store(lower, bin->lower);
    grzF4_Store(upper, bin->upper);
    const double x = (double)upper[0] - (double)lower[0], y = (double)upper[1] - (double)lower[1];
    const double z = (double)upper[2] - (double)lower[2];
    return x * y + y * z + z * x;
}

// The best cut on one axis after a multiple of `capacity`, if it beats *best.
static void findCut(const Bin* bins, int32_t binCount, int axis, uint32_t count, uint32_t capacity, Cut* best) {
    Bin rights[MOST_BINS]; // from each bin on
    rights[binCount - 1] = bins[binCount - 1];
    for (int32_t b = binCount - 1; b-- > 0;)
        rights[b] = join(bins[b], rights[b + 1]);
    Bin left = bins[0];
    int32_t bin = 0;
    for (uint32_t at = capacity; at < count; at += capacity) {
        while (left.count < at)
            left = join(left, bins[++bin]);
        const Bin* right = &rights[left.count == at ? bin + 1 : bin];
        const double cost = areaOf(&left) * (double)at + areaOf(right) * (double)(count - at);
        if (cost < best->cost)
            *best = (Cut){axis, bin, at, cost};
    }
}

// Sorts items by their middles; equal ones keep their order. Half of `others` is room for keys and places.
static void sortItems(BvhItem* items, BvhItem* others, uint32_t count, int axis) {
    uint32_t* keys = (uint32_t*)(void*)others;
    uint32_t *values = keys + count, *otherKeys = values + count, *otherValues = otherKeys + count;
    for (uint32_t i = 0; i < count; ++i) {
        keys[i] = grzSortKeyFromFloat(grzBvhItem_Middle(&items[i], axis));
        values[i] = i;
    }
    grzRadixSort32(keys, values, otherKeys, otherValues, count);
    for (uint32_t i = 0; i < count; ++i)
        items[values[i]].pad = i;
    for (uint32_t i = 0; i < count; ++i) {
        while (items[i].pad != i) { // each turn brings one item home
            const BvhItem moved = items[items[i].pad];
            items[items[i].pad] = items[i];
            items[i] = moved;
        }
    }
}

// ---- a cut, which may pause at any item ----

static Cut findBest(const BvhSahRange* range) {
    Cut best = {0, 0, 0, (double)INFINITY};
    for (int axis = 0; axis < 3; ++axis)
        findCut(range->bins[axis], range->scale.binCount, axis, range->count, range->capacity, &best);
    return best;
}

static void beginCut(BvhSahRange* range) {
    range->phase = bvhSahFit;
    range->at = 0;
    range->lower = grzF4_Set1(FLT_MAX), range->upper = grzF4_Set1(-FLT_MAX);
}

static void fitSome(BvhSahRange* range, uint32_t end) {
    grzF4 lower = range->lower, upper = range->upper;
    for (uint32_t i = range->at; i < end; ++i) {
        const grzF4 middle = middleOf(&range->items[i]);
        lower = grzF4_Min(lower, middle);
        upper = grzF4_Max(upper, middle);
    }
    range->lower = lower, range->upper = upper;
    if (end != range->count)
        return;
    range->scale = makeScale(range->lower, range->upper, range->count);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t b = 0; b < range->scale.binCount; ++b)
            range->bins[axis][b] = emptyBin();
}

static void binSome(BvhSahRange* range, uint32_t end) {
    const Scale scale = range->scale;
    for (uint32_t i = range->at; i < end; ++i) {
        const Bin box = boxOf(&range->items[i]);
        int32_t at[4];
        binsOf(&scale, &range->items[i], at);
        for (int axis = 0; axis < 3; ++axis)
            range->bins[axis][at[axis]] = join(range->bins[axis][at[axis]], box);
    }
    if (end != range->count)
        return;
    range->cut = findBest(range);
    range->left = range->inside = range->right = 0;
}

// Items of the left side stay in front, in order; the others lie at both ends of `others`.
static void splitSome(BvhSahRange* range, uint32_t end) {
    const Scale scale = range->scale;
    const Cut cut = range->cut;
    uint32_t left = range->left, inside = range->inside, right = range->right;
    for (uint32_t i = range->at; i < end; ++i) {
        const BvhItem item = range->items[i];
        int32_t bins[4];
        binsOf(&scale, &item, bins);
        if (bins[cut.axis] < cut.bin)
            range->items[left++] = item;
        else if (bins[cut.axis] == cut.bin)
            range->others[inside++] = item;
        else
            range->others[range->count - ++right] = item;
    }
    range->left = left, range->inside = inside, range->right = right;
}

static void joinSome(BvhSahRange* range, uint32_t end) {
    const uint32_t middle = range->left + range->inside, first = range->at > range->left ? range->at : range->left;
    const uint32_t next = range->at > middle ? range->at : middle;
    if (first < middle && first < end)
        memcpy(range->items + first, range->others + (first - range->left),
               ((end < middle ? end : middle) - first) * sizeof *range->items);
    for (uint32_t i = next; i < end; ++i)
        range->items[i] = range->others[range->count - 1 - (i - middle)];
    if (end == range->count && middle != range->cut.left)
        sortItems(range->items + range->left, range->others, range->inside, range->cut.axis);
}

typedef void CutPhaseFn(BvhSahRange* range, uint32_t end);

// Whether the cut is made.
static bool goOnCutting(BvhSahRange* range, uint64_t* visits) {
    static CutPhaseFn* const phases[] = {fitSome, binSome, splitSome, joinSome};
    for (; range->phase != bvhSahDone; ++range->phase, range->at = 0) {
        const uint32_t rest = range->count - range->at, share = *visits < rest ? (uint32_t)*visits : rest;
        phases[range->phase](range, range->at + share);
        range->at += share;
        *visits -= share;
        if (share != rest)
            return false;
    }
    return true;
}

// ---- nodes ----

// The ranges of a node from left to right: the one in front is cut until it is one child's.
static void beginNode(BvhSahNode* node, uint32_t begin, uint32_t end) {
    node->begin = begin;
    node->ends[0] = end;
    node->depth = 1;
    node->isCutting = false;
}

static bool goOnWithNode(const BvhItems* items, uint32_t capacity, BvhSahNode* node, uint64_t* visits) {
    while (node->depth != 0) {
        const uint32_t begin = node->begin, end = node->ends[node->depth - 1];
        if (end - begin <= capacity) {
            node->begin = end;
            --node->depth;
            continue;
        }
        if (!node->isCutting) {
            node->range.items = items->items + begin, node->range.others = items->others + begin;
            node->range.count = end - begin, node->range.capacity = capacity;
            beginCut(&node->range);
            node->isCutting = true;
        }
        if (!goOnCutting(&node->range, visits))
            return false;
        node->isCutting = false;
        node->ends[node->depth++] = begin + node->range.cut.left; // no more than seven deep
    }
    return true;
}

typedef struct SahWork {
    BvhItems items;
    uint32_t count;
    uint32_t capacity; // of a child
} SahWork;

static void beginNodeAt(const SahWork* work, uint32_t index, BvhSahNode* node) {
    const uint64_t span = (uint64_t)work->capacity * GRZ_BVH_WIDTH, first = index * span, last = first + span;
    beginNode(node, (uint32_t)first, last < work->count ? (uint32_t)last : work->count);
}

static void cutNodes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const SahWork* work = context;
    for (uint32_t i = begin; i < end; ++i) {
        BvhSahNode node;
        uint64_t visits = UINT64_MAX;
        beginNodeAt(work, i, &node);
        (void)goOnWithNode(&work->items, work->capacity, &node, &visits);
    }
}

static uint64_t rootSpan(uint32_t count) {
    uint64_t span = GRZ_BVH_LEAF_TRIANGLES;
    while (span < count)
        span *= GRZ_BVH_WIDTH;
    return span;
}

static void order(const BvhInput* input, uint32_t* triangleToCaller, unsigned char* scratch) {
    SahWork work = {.items = grzBvhItems_Make(input, scratch), .count = input->triangleCount};
    for (uint64_t span = rootSpan(work.count); span > GRZ_BVH_LEAF_TRIANGLES; span /= GRZ_BVH_WIDTH) {
        const uint32_t nodes = (uint32_t)((work.count + span - 1) / span);
        work.capacity = (uint32_t)(span / GRZ_BVH_WIDTH);
        grzParallelFor(input->tasks, nodes, span < 1u << 14 ? (uint32_t)((1u << 14) / span) : 1, cutNodes, &work);
    }
    grzBvhItems_Write(input, &work.items, triangleToCaller);
}

const BvhBuilderFns grzBvhSah = {grzBvhItems_ScratchSize, order};

// ---- in pieces ----

void grzBvhSahRun_Begin(BvhSahRun* run, BvhItems items, uint32_t count) {
    run->items = items;
    run->count = count;
    run->span = rootSpan(count);
    run->index = 0;
    run->isInNode = false;
}

bool grzBvhSahRun_GoOn(BvhSahRun* run, uint64_t* visits) {
    for (; run->span > GRZ_BVH_LEAF_TRIANGLES; run->span /= GRZ_BVH_WIDTH, run->index = 0) {
        const SahWork work = {run->items, run->count, (uint32_t)(run->span / GRZ_BVH_WIDTH)};
        const uint32_t nodes = (uint32_t)((run->count + run->span - 1) / run->span);
        for (; run->index < nodes; ++run->index, run->isInNode = false) {
            if (!run->isInNode)
                beginNodeAt(&work, run->index, &run->node);
            run->isInNode = true;
            if (!goOnWithNode(&work.items, work.capacity, &run->node, visits))
                return false;
        }
    }
    return true;
}
