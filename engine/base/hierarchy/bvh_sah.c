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

enum { MOST_BINS = 32, LEAST_BINS = 8 };

// The fourth lanes are rubbish.
typedef struct Bin {
    grzF4 lower, upper;
    uint32_t count;
} Bin;

typedef struct Cut {
    int axis;
    int32_t bin;   // that the cut falls into
    uint32_t left; // triangles on the left side
    double cost;
} Cut;

// The middles of a range, and how they are put into bins.
typedef struct Scale {
    grzF4 lower, factor, most;
    int32_t binCount;
} Scale;

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

static Scale fitScale(const BvhItem* items, uint32_t count) {
    grzF4 lower = middleOf(items), upper = lower;
    for (uint32_t i = 1; i < count; ++i) {
        const grzF4 middle = middleOf(&items[i]);
        lower = grzF4_Min(lower, middle);
        upper = grzF4_Max(upper, middle);
    }
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

static void fillBins(const BvhItem* items, uint32_t count, const Scale* scale, Bin bins[3][MOST_BINS]) {
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t b = 0; b < scale->binCount; ++b)
            bins[axis][b] = emptyBin();
    for (uint32_t i = 0; i < count; ++i) {
        const Bin box = boxOf(&items[i]);
        int32_t at[4];
        binsOf(scale, &items[i], at);
        for (int axis = 0; axis < 3; ++axis)
            bins[axis][at[axis]] = join(bins[axis][at[axis]], box);
    }
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

// Puts the left side's items first.
static void makeCut(BvhItem* items, BvhItem* others, uint32_t count, const Scale* scale, const Cut* cut) {
    uint32_t left = 0, inside = 0, right = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const BvhItem item = items[i];
        int32_t bins[4];
        binsOf(scale, &item, bins);
        if (bins[cut->axis] < cut->bin)
            items[left++] = item;
        else if (bins[cut->axis] == cut->bin)
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
        Bin bins[3][MOST_BINS];
        const Scale scale = fitScale(first, count);
        fillBins(first, count, &scale, bins);
        Cut best = {0, 0, 0, (double)INFINITY};
        for (int axis = 0; axis < 3; ++axis)
            findCut(bins[axis], scale.binCount, axis, count, capacity, &best);
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
