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
// Holds: a node's range of items follows from its number, so the nodes of a level are the tasks.
// Cost: about log2 n rounds of binning and moving, 10 ns a triangle each.
// Based on: [Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, RT 2007] for the bins. We differ:
//       the candidates are counts, not places.
#include "bvh_items.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "radix_sort.h"

enum { BINS = 32 };

typedef struct Bin {
    float lower[3], upper[3];
    uint32_t count;
} Bin;

typedef struct Cut {
    int axis;
    uint32_t bin;  // that the cut falls into
    uint32_t left; // triangles on the left side
    double cost;
} Cut;

// The middles of a range, and how they are put into bins.
typedef struct Scale {
    float lower[3], factor[3];
} Scale;

static Scale fitScale(const BvhItem* items, uint32_t count) {
    Scale scale;
    for (int axis = 0; axis < 3; ++axis) {
        float lower = grzBvhItem_Middle(items, axis), upper = lower;
        for (uint32_t i = 1; i < count; ++i) {
            const float middle = grzBvhItem_Middle(&items[i], axis);
            lower = middle < lower ? middle : lower;
            upper = middle > upper ? middle : upper;
        }
        const double factor = BINS / ((double)upper - (double)lower);
        scale.lower[axis] = lower;
        scale.factor[axis] = upper > lower && factor < 1e38 ? (float)factor : 0;
    }
    return scale;
}

// Distances to the lower end may exceed the range of float, but factors are then so small that halves will do.
static uint32_t binOf(const Scale* scale, const BvhItem* item, int axis) {
    const float way = (grzBvhItem_Middle(item, axis) * 0.5F - scale->lower[axis] * 0.5F) * scale->factor[axis] * 2;
    return way < BINS - 1 ? (uint32_t)way : BINS - 1;
}

static void clearBin(Bin* bin) {
    for (int axis = 0; axis < 3; ++axis) {
        bin->lower[axis] = FLT_MAX;
        bin->upper[axis] = -FLT_MAX;
    }
    bin->count = 0;
}

static void addBin(Bin* to, const Bin* from) {
    for (int axis = 0; axis < 3; ++axis) {
        to->lower[axis] = from->lower[axis] < to->lower[axis] ? from->lower[axis] : to->lower[axis];
        to->upper[axis] = from->upper[axis] > to->upper[axis] ? from->upper[axis] : to->upper[axis];
    }
    to->count += from->count;
}

static double areaOf(const Bin* bin) {
    if (bin->count == 0)
        return 0;
    const double x = (double)bin->upper[0] - (double)bin->lower[0],
                 y = (double)bin->upper[1] - (double)bin->lower[1];
    const double z = (double)bin->upper[2] - (double)bin->lower[2];
    return x * y + y * z + z * x;
}

static void fillBins(const BvhItem* items, uint32_t count, const Scale* scale, Bin bins[3][BINS]) {
    for (int axis = 0; axis < 3; ++axis)
        for (int b = 0; b < BINS; ++b)
            clearBin(&bins[axis][b]);
    for (uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            Bin* bin = &bins[axis][binOf(scale, &items[i], axis)];
            grzBvhItem_Add(bin->lower, bin->upper, &items[i]);
            bin->count++;
        }
    }
}

// The best cut on one axis after a multiple of `capacity`, if it beats *best.
static void findCut(const Bin bins[BINS], int axis, uint32_t count, uint32_t capacity, Cut* best) {
    Bin rights[BINS]; // from each bin on
    rights[BINS - 1] = bins[BINS - 1];
    for (int b = BINS - 1; b-- > 0;) {
        rights[b] = bins[b];
        addBin(&rights[b], &rights[b + 1]);
    }
    Bin left = bins[0];
    uint32_t bin = 0;
    for (uint32_t at = capacity; at < count; at += capacity) {
        while (left.count < at)
            addBin(&left, &bins[++bin]);
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

// Puts the left side's items first.
static void makeCut(BvhItem* items, BvhItem* others, uint32_t count, const Scale* scale, const Cut* cut) {
    uint32_t left = 0, inside = 0, right = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const BvhItem item = items[i];
        const uint32_t bin = binOf(scale, &item, cut->axis);
        if (bin < cut->bin)
            items[left++] = item;
        else if (bin == cut->bin)
            others[inside++] = item;
        else
            others[count - ++right] = item;
    }
    memcpy(items + left, others, inside * sizeof *items);
    for (uint32_t i = 0; i < right; ++i)
        items[left + inside + i] = others[count - 1 - i];
    if (left + inside != cut->left)
        sortItems(items + left, others, inside, cut->axis);
}

static void cutRange(const BvhItems* items, uint32_t begin, uint32_t end, uint32_t capacity) {
    while (end - begin > capacity) {
        BvhItem *first = items->items + begin, *others = items->others + begin;
        const uint32_t count = end - begin;
        Bin bins[3][BINS];
        const Scale scale = fitScale(first, count);
        fillBins(first, count, &scale, bins);
        Cut best = {0, 0, 0, (double)INFINITY};
        for (int axis = 0; axis < 3; ++axis)
            findCut(bins[axis], axis, count, capacity, &best);
        makeCut(first, others, count, &scale, &best);
        cutRange(items, begin, begin + best.left, capacity); // no more than seven deep
        begin += best.left;
    }
}

typedef struct SahWork {
    BvhItems items;
    uint32_t count;
    uint32_t capacity; // of a child
} SahWork;

static void cutNodes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const SahWork* work = context;
    const uint64_t span = (uint64_t)work->capacity * GRZ_BVH_WIDTH;
    for (uint32_t i = begin; i < end; ++i) {
        const uint64_t first = i * span, last = first + span;
        cutRange(&work->items, (uint32_t)first, last < work->count ? (uint32_t)last : work->count, work->capacity);
    }
}

static void order(const BvhInput* input, uint32_t* triangleToCaller, unsigned char* scratch) {
    SahWork work = {.items = grzBvhItems_Make(input, scratch), .count = input->triangleCount};
    uint64_t span = GRZ_BVH_LEAF_TRIANGLES;
    while (span < work.count)
        span *= GRZ_BVH_WIDTH;
    for (; span > GRZ_BVH_LEAF_TRIANGLES; span /= GRZ_BVH_WIDTH) {
        const uint32_t nodes = (uint32_t)((work.count + span - 1) / span);
        work.capacity = (uint32_t)(span / GRZ_BVH_WIDTH);
        grzParallelFor(input->tasks, nodes, span < 1u << 14 ? (uint32_t)((1u << 14) / span) : 1, cutNodes, &work);
    }
    grzBvhItems_Write(input, &work.items, triangleToCaller);
}

const BvhBuilderFns grzBvhSah = {grzBvhItems_ScratchSize, order};
