// What: the radix sort beside qsort, on keys as pairs have them (two ids of 20 bits) and on random 64-bit keys.
// Holds: qsort is not stable, so its side compares by key and then by value, which rises at the start; both sides
// must come to the same order.
#include "bench_base.h"

#include <stdlib.h>
#include <string.h>

#include "radix_sort.h"
#include "rng.h"

typedef struct Keyed {
    uint64_t key;
    uint32_t value;
} Keyed;

typedef struct SortWork {
    const uint64_t* input;
    uint64_t *keys, *scratchKeys;
    uint32_t *values, *scratchValues;
    Keyed* records;
    size_t count;
} SortWork;

static void refillKeys(void* context) {
    SortWork* work = context;
    memcpy(work->keys, work->input, work->count * sizeof *work->keys);
    for (size_t i = 0; i < work->count; ++i)
        work->values[i] = (uint32_t)i;
}

static void sortKeys(void* context) {
    SortWork* work = context;
    grzRadixSort64(work->keys, work->values, work->scratchKeys, work->scratchValues, work->count);
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

static void measureSort(Bench* bench, SortWork* work, const char* variant) {
    BenchSide sides[] = {{"graze", refillKeys, sortKeys, keysDigest, NULL, work},
                         {"qsort", refillRecords, sortRecords, recordsDigest, NULL, work}};
    BenchJob job = {.variant = variant,
                    .metric = "sort",
                    .unit = "ns/key",
                    .amount = (double)work->count,
                    .n = work->count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    Bench_Measure(bench, &job);
}

static void fillKeys(uint64_t* keys, size_t count, bool arePairs) {
    grzRng rng = grzRng_Make(1, 0);
    for (size_t i = 0; i < count; ++i)
        keys[i] = arePairs ? (uint64_t)grzRng_Below(&rng, 1u << 20) << 32 | grzRng_Below(&rng, 1u << 20)
                           : grzRng_Next64(&rng);
}

void benchRadixSort(Bench* bench) {
    size_t n = Bench_Size(bench, 1000000, 5000);
    uint64_t* keys = Bench_Allocate(bench, 3 * n, sizeof *keys);
    uint32_t* values = Bench_Allocate(bench, 2 * n, sizeof *values);
    Keyed* records = Bench_Allocate(bench, n, sizeof *records);
    if (keys != NULL && values != NULL && records != NULL) {
        SortWork work = {keys, keys + n, keys + 2 * n, values, values + n, records, n};
        fillKeys(keys, n, true);
        measureSort(bench, &work, "pairs");
        fillKeys(keys, n, false);
        measureSort(bench, &work, "random");
    }
    Bench_Release(bench, records, n, sizeof *records);
    Bench_Release(bench, values, 2 * n, sizeof *values);
    Bench_Release(bench, keys, 3 * n, sizeof *keys);
}
