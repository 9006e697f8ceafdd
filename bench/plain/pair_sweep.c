// What: all overlapping pairs by a sweep along x.
#include "pair_sweep.h"

#include "memory.h"
#include "radix_sort.h"

bool PairSweep_Make(PairSweep* sweep, grzAllocator allocator, const grzBox* boxes, size_t count) {
    *sweep = (PairSweep){.allocator = allocator, .boxes = boxes, .count = count};
    sweep->sorted = grzAllocate(&allocator, count, sizeof *sweep->sorted, 64);
    sweep->words = grzAllocate(&allocator, 4 * count, sizeof *sweep->words, 64);
    return sweep->sorted != NULL && sweep->words != NULL;
}

void PairSweep_Release(PairSweep* sweep) {
    grzRelease(&sweep->allocator, sweep->sorted, sweep->count, sizeof *sweep->sorted, 64);
    grzRelease(&sweep->allocator, sweep->words, 4 * sweep->count, sizeof *sweep->words, 64);
    grzArray_Release(&sweep->pairs, &sweep->allocator);
}

// Returns the boxes' indices in the order of `sorted`.
static const uint32_t* sortBoxes(PairSweep* sweep) {
    size_t n = sweep->count;
    uint32_t *keys = sweep->words, *order = keys + n;
    for (size_t i = 0; i < n; ++i) {
        keys[i] = grzSortKeyFromFloat(sweep->boxes[i].lower.x);
        order[i] = (uint32_t)i;
    }
    grzRadixSort32(keys, order, keys + 2 * n, keys + 3 * n, n);
    for (size_t i = 0; i < n; ++i)
        sweep->sorted[i] = sweep->boxes[order[i]];
    return order;
}

static bool keepPair(PairSweep* sweep, uint32_t a, uint32_t b) {
    if (!grzArray_Reserve(&sweep->pairs, &sweep->allocator, sweep->pairs.count + 1))
        return false;
    sweep->pairs.data[sweep->pairs.count++] = grzMakeBodyPair(a, b);
    return true;
}

void PairSweep_Run(PairSweep* sweep) {
    const uint32_t* order = sortBoxes(sweep);
    const grzBox* sorted = sweep->sorted;
    sweep->pairs.count = 0;
    sweep->failed = false;
    for (size_t i = 0; i < sweep->count && !sweep->failed; ++i)
        for (size_t j = i + 1; j < sweep->count && sorted[j].lower.x <= sorted[i].upper.x; ++j)
            if (grzBox_Overlap(sorted[i], sorted[j]) && !keepPair(sweep, order[i], order[j])) {
                sweep->failed = true;
                break;
            }
}
