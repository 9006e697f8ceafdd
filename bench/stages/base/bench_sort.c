// What: the radix sort beside a merge sort of the same arrays and beside qsort, on keys as pairs have them (two ids
// of 20 bits) and on random 64-bit keys.
// Holds: qsort is not stable, so its side compares by key and then by value, which rises at the start; all sides
// must come to the same order. qsort sorts records of 16 bytes and calls for every comparison: it is what C offers,
// not the best there is. The merge sort is.
#include "bench_base.h"

#include <stdlib.h>
#include <string.h>

#include "merge_sort.h"
#include "radix_sort.h"
#include "rng.h"

typedef struct Keyed {
    uint64_t key;
    uint32_t value;
} Keyed;

// One side's.
typedef struct SortWork {
    const uint64_t* input;
    uint64_t *keys, *scratchKeys;
    uint32_t *values, *scratchValues;
    Keyed* records; // of qsort
    size_t count;
} SortWork;

static void refillKeys(void* context) {
    SortWork* work = context;
    memcpy(work->keys, work->input, work->count * sizeof *work->keys);
    for (size_t i = 0; i < work->count; ++i)
        work->values[i] = (uint32_t)i;
}

static void radixSort(void* context) {
    SortWork* work = context;
    grzRadixSort64(work->keys, work->values, work->scratchKeys, work->scratchValues, work->count);
}

static void mergeSort(void* context) {
    SortWork* work = context;
    benchMergeSort(work->keys, work->values, work->scratchKeys, work->scratchValues, work->count);
}

static uint64_t keysDigest(void* context) {
    SortWork* work = context;
    uint64_t digest = Bench_Digest(0, work->keys, work->count * sizeof *work->keys);
    return Bench_Digest(digest, work->values, work->count * sizeof *work->values);
}

static void refillRecords(void* context) {
    SortWork* work = context;
    for (size_t i = 0; i < work->count; ++i)
        work->records[i] = (Keyed){work->input[i], (uint32_t)i};
}

static int compareKeyed(const void* a, const void* b) {
    const Keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void sortRecords(void* context) {
    SortWork* work = context;
    qsort(work->records, work->count, sizeof *work->records, compareKeyed);
}

static uint64_t recordsDigest(void* context) {
    SortWork* work = context;
    for (size_t i = 0; i < work->count; ++i) {
        work->keys[i] = work->records[i].key;
        work->values[i] = work->records[i].value;
    }
    return keysDigest(work);
}

static void measureSort(Bench* bench, SortWork works[3], const char* variant) {
    BenchSide sides[] = {{"graze", refillKeys, radixSort, keysDigest, NULL, &works[0], NULL},
                         {"merge sort", refillKeys, mergeSort, keysDigest, NULL, &works[1], NULL},
                         {"qsort, records", refillRecords, sortRecords, recordsDigest, NULL, &works[2], NULL}};
    BenchJob job = {.variant = variant,
                    .metric = "sort",
                    .unit = "ns/key",
                    .amount = (double)works[0].count,
                    .n = works[0].count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 3};
    Bench_Measure(bench, &job);
}

// The largest comes first, so that sorting always has something to do.
static void fillKeys(uint64_t* keys, size_t count, bool arePairs) {
    grzRng rng = grzRng_Make(1, 0);
    keys[0] = UINT64_MAX;
    for (size_t i = 1; i < count; ++i)
        keys[i] = arePairs ? (uint64_t)grzRng_Below(&rng, 1u << 20) << 32 | grzRng_Below(&rng, 1u << 20)
                           : grzRng_Next64(&rng);
}

void benchRadixSort(Bench* bench) {
    size_t n = Bench_Size(bench, 1000000, 5000);
    n = n < 2 ? 2 : n;
    uint64_t* input = Bench_Allocate(bench, 7 * n, sizeof *input);
    uint32_t* values = Bench_Allocate(bench, 6 * n, sizeof *values);
    Keyed* records = Bench_Allocate(bench, n, sizeof *records);
    if (input != NULL && values != NULL && records != NULL) {
        SortWork works[3];
        for (size_t s = 0; s < 3; ++s) {
            uint64_t* keys = input + (1 + 2 * s) * n;
            works[s] = (SortWork){input, keys, keys + n, values + 2 * s * n, values + (2 * s + 1) * n, records, n};
        }
        fillKeys(input, n, true);
        measureSort(bench, works, "pairs");
        fillKeys(input, n, false);
        measureSort(bench, works, "random");
    }
    Bench_Release(bench, records, n, sizeof *records);
    Bench_Release(bench, values, 6 * n, sizeof *values);
    Bench_Release(bench, input, 7 * n, sizeof *input);
}
