// What: a bottom-up merge sort of keys with values.
// Idea: runs of 16 by insertion; then passes merge neighbours from one pair of arrays into the other. The inner
// loop takes one of two elements without a branch, since a guess would be wrong half of the time on random keys.
#include "merge_sort.h"

#include <stdbool.h>
#include <string.h>

#define RUN 16

typedef struct Keys {
    uint64_t* keys;
    uint32_t* values;
} Keys;

static void insertRun(Keys all, size_t begin, size_t end) {
    for (size_t i = begin + 1; i < end; ++i) {
        uint64_t key = all.keys[i];
        uint32_t value = all.values[i];
        size_t at = i;
        for (; at > begin && all.keys[at - 1] > key; --at) {
            all.keys[at] = all.keys[at - 1];
            all.values[at] = all.values[at - 1];
        }
        all.keys[at] = key;
        all.values[at] = value;
    }
}

static void copyKeys(Keys from, size_t i, Keys to, size_t k, size_t count) {
    memcpy(to.keys + k, from.keys + i, count * sizeof *to.keys);
    memcpy(to.values + k, from.values + i, count * sizeof *to.values);
}

// [begin, middle) and [middle, end) into the same place of the other arrays.
static void mergeRuns(Keys from, Keys to, size_t begin, size_t middle, size_t end) {
    size_t i = begin, j = middle, k = begin;
    for (; i < middle && j < end; ++k) {
        bool isRight = from.keys[j] < from.keys[i];
        size_t at = isRight ? j : i;
        to.keys[k] = from.keys[at];
        to.values[k] = from.values[at];
        j += isRight;
        i += !isRight;
    }
    copyKeys(from, i, to, k, middle - i);
    copyKeys(from, j, to, k + (middle - i), end - j);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

void benchMergeSort(uint64_t* keys, uint32_t* values, uint64_t* scratchKeys, uint32_t* scratchValues,
                    size_t count) {
    Keys from = {keys, values}, to = {scratchKeys, scratchValues};
    for (size_t begin = 0; begin < count; begin += RUN)
        insertRun(from, begin, least(begin + RUN, count));
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width)
            mergeRuns(from, to, begin, least(begin + width, count), least(begin + 2 * width, count));
        Keys swapped = from;
        from = to;
        to = swapped;
    }
    if (from.keys != keys)
        copyKeys(from, 0, to, 0, count);
}
