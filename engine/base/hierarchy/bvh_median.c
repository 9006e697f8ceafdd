// What: orders triangles by cutting boxes in the middle of their longest axis.
// Promise: the same order for any number of workers.
// Idea: the smallest box of a set is cut by the plane through the middle of its longest axis; a triangle goes to the
//       positive side where the midpoint of its projection on that axis is greater; a set that falls all on one side is
//       cut in two of equal size, wherever its triangles are. The order is that of the leaves of that binary tree,
//       from left to right.
// Holds: sets are ranges of the items; a cut keeps the order on both sides. The set is cut by one worker into some
//        dozens of ranges, whose borders depend on the set alone, and those are the tasks.
// Cost: 24 bytes a triangle read at each of log2 n levels where triangles are spread evenly.
// Limits: the paper's worst case, where each cut takes off one triangle, would be quadratic. We differ: below 64
//         cuts a set is cut in two of equal size, so that hostile meshes cost n log n as well. And the paper keeps
//         the binary tree; here four and then eight that follow each other in it share a leaf and a node.
// Based on: [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, Journal of
//       Graphics Tools 1997] section 2.
#include "bvh_items.h"

#include <float.h>
#include <string.h>

enum {
    MOST_CUTS = 64,   // to a leaf, from the root, before sets are halved by count
    MOST_RANGES = 64, // made by one worker
    MOST_OPEN = 32,   // ranges on a stack: each is no smaller than all above it
};

typedef struct Range {
    uint32_t begin, end, cuts;
} Range;

static int longestAxis(const float lower[3], const float upper[3]) {
    int best = 0;
    double longest = -1;
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = (double)upper[axis] - (double)lower[axis];
        best = extent > longest ? axis : best;
        longest = extent > longest ? extent : longest;
    }
    return best;
}

// Returns how many went to the negative side, which comes first.
static uint32_t partition(const BvhItems* items, uint32_t begin, uint32_t end, int axis, float plane) {
    uint32_t negatives = begin, positives = begin;
    for (uint32_t i = begin; i < end; ++i) {
        const BvhItem item = items->items[i];
        const bool isPositive = grzBvhItem_Middle(&item, axis) > plane;
        items->others[positives] = item; // both places are free: the side that is not meant is overwritten
        items->items[negatives] = item;
        positives += isPositive;
        negatives += !isPositive;
    }
    memcpy(items->items + negatives, items->others + begin, (positives - begin) * sizeof(BvhItem));
    return negatives - begin;
}

// Cuts a range of two or more. Returns where its second part begins.
static uint32_t cut(const BvhItems* items, Range range) {
    const uint32_t half = range.begin + (range.end - range.begin) / 2;
    if (range.cuts >= MOST_CUTS)
        return half;
    float lower[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, upper[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (uint32_t i = range.begin; i < range.end; ++i)
        grzBvhItem_Add(lower, upper, &items->items[i]);
    const int axis = longestAxis(lower, upper);
    const float plane = lower[axis] * 0.5F + upper[axis] * 0.5F;
    const uint32_t at = range.begin + partition(items, range.begin, range.end, axis, plane);
    return at == range.begin || at == range.end ? half : at;
}

// The greater part waits, so that few do.
static void orderRange(const BvhItems* items, Range range) {
    Range open[MOST_OPEN];
    uint32_t count = 0;
    open[count++] = range;
    while (count != 0) {
        range = open[--count];
        while (range.end - range.begin > 1) {
            const uint32_t at = cut(items, range);
            const Range a = {range.begin, at, range.cuts + 1}, b = {at, range.end, range.cuts + 1};
            const bool isFirstGreater = at - range.begin > range.end - at;
            open[count++] = isFirstGreater ? a : b;
            range = isFirstGreater ? b : a;
        }
    }
}

typedef struct MedianWork {
    BvhItems items;
    Range ranges[MOST_RANGES];
    uint32_t count;
} MedianWork;

static void orderBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const MedianWork* work = context;
    for (uint32_t i = begin; i < end; ++i)
        orderRange(&work->items, work->ranges[i]);
}

static uint32_t greatestRange(const MedianWork* work) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < work->count; ++i)
        if (work->ranges[i].end - work->ranges[i].begin > work->ranges[best].end - work->ranges[best].begin)
            best = i;
    return best;
}

// Cuts the greatest range until there are enough of them.
static void makeRanges(MedianWork* work, uint32_t count) {
    work->ranges[work->count++] = (Range){0, count, 0};
    while (work->count < MOST_RANGES) {
        Range* range = &work->ranges[greatestRange(work)];
        if (range->end - range->begin < 2)
            return;
        const uint32_t at = cut(&work->items, *range);
        work->ranges[work->count++] = (Range){at, range->end, range->cuts + 1};
        range->end = at;
        range->cuts++;
    }
}

static void order(const BvhInput* input, uint32_t* triangleToCaller, unsigned char* scratch) {
    MedianWork work = {.items = grzBvhItems_Make(input, scratch)};
    makeRanges(&work, input->triangleCount);
    grzParallelFor(input->tasks, work.count, 1, orderBlock, &work);
    grzBvhItems_Write(input, &work.items, triangleToCaller);
}

const BvhBuilderFns grzBvhMedian = {grzBvhItems_ScratchSize, order};
