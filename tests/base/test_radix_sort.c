// radix_sort.h: against a stable merge sort, at the sizes where a path changes, for keys of many shapes.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "radix_sort.h"

static uint64_t nextNumber(uint64_t* random) {
    // SplitMix64 (Steele, Lea, Flood 2014): the test's own source, so that it does not rest on another module.
    uint64_t z = *random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

typedef struct Item {
    uint64_t key;
    uint32_t value;
} Item;

// The reference: merge sort, stable.
static void mergeSort(Item* items, Item* scratch, size_t count) {
    if (count < 2)
        return;
    const size_t half = count / 2;
    mergeSort(items, scratch, half);
    mergeSort(items + half, scratch, count - half);
    memcpy(scratch, items, count * sizeof *items);
    for (size_t i = 0, left = 0, right = half; i < count; ++i) {
        const bool takeLeft = right == count || (left < half && scratch[left].key <= scratch[right].key);
        items[i] = takeLeft ? scratch[left++] : scratch[right++];
    }
}

typedef enum Shape {
    shapeRandom,
    shapeFewValues,   // many ties
    shapeAllEqual,    // no pass at all
    shapeOneByte,     // one pass: the result must be copied back
    shapeTwoBytes,    // an even count of passes
    shapeMiddleBytes, // constant bytes above and below
    shapeSorted,
    shapeReversed,
    shapeExtremes,
    shapeCount,
} Shape;

static uint64_t makeKey(Shape shape, size_t i, size_t count, uint64_t* random) {
    const uint64_t number = nextNumber(random);
    switch (shape) {
    case shapeRandom:
        return number;
    case shapeFewValues:
        return (number % 5) * 0x0101010101010101u;
    case shapeAllEqual:
        return 0xABCDEF0123456789u;
    case shapeOneByte:
        return 0xAB00CD00EF001100u + (number & 0xFF);
    case shapeTwoBytes:
        return (number & 0xFF) << 24 | (number & 0xFF00);
    case shapeMiddleBytes:
        return 0x1100000000000022u | (number & 0x00FFFF00FF00FF00u);
    case shapeSorted:
        return i * 3;
    case shapeReversed:
        return (count - i) * 3;
    case shapeExtremes:
        return (number & 1) != 0 ? UINT64_MAX : (number & 2) != 0 ? 0x8000000080000000u : 0;
    case shapeCount:
        break;
    }
    return 0;
}

typedef struct Arrays {
    uint64_t *keys64, *scratch64;
    uint32_t *keys32, *scratch32, *values, *scratchValues;
    Item *items, *scratchItems;
} Arrays;

static void* exactMemory(size_t count, size_t size) {
    // Exactly as large as promised, so that a sanitizer sees a step too far.
    void* memory = malloc(count * size + (count == 0));
    assert_non_null(memory);
    return memory;
}

static Arrays makeArrays(size_t count) {
    Arrays arrays = {.keys64 = exactMemory(count, 8), .scratch64 = exactMemory(count, 8)};
    arrays.keys32 = exactMemory(count, 4);
    arrays.scratch32 = exactMemory(count, 4);
    arrays.values = exactMemory(count, 4);
    arrays.scratchValues = exactMemory(count, 4);
    arrays.items = exactMemory(count, sizeof(Item));
    arrays.scratchItems = exactMemory(count, sizeof(Item));
    return arrays;
}

static void freeArrays(Arrays* arrays) {
    free(arrays->keys64), free(arrays->scratch64), free(arrays->keys32), free(arrays->scratch32);
    free(arrays->values), free(arrays->scratchValues), free(arrays->items), free(arrays->scratchItems);
}

static void checkValues(const Arrays* arrays, size_t count) {
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(arrays->values[i], arrays->items[i].value);
}

static void check64(Arrays* arrays, Shape shape, size_t count, uint64_t* random) {
    for (size_t i = 0; i < count; ++i) {
        arrays->keys64[i] = makeKey(shape, i, count, random);
        arrays->values[i] = (uint32_t)(i * 7 + 1);
        arrays->items[i] = (Item){arrays->keys64[i], arrays->values[i]};
    }
    mergeSort(arrays->items, arrays->scratchItems, count);
    grzRadixSort64(arrays->keys64, arrays->values, arrays->scratch64, arrays->scratchValues, count);
    for (size_t i = 0; i < count; ++i)
        assert_true(arrays->keys64[i] == arrays->items[i].key);
    checkValues(arrays, count);
    for (size_t i = 0; i < count; ++i)
        arrays->keys64[i] = arrays->items[count - 1 - i].key;
    grzRadixSort64(arrays->keys64, NULL, arrays->scratch64, NULL, count);
    for (size_t i = 0; i < count; ++i)
        assert_true(arrays->keys64[i] == arrays->items[i].key);
}

static void check32(Arrays* arrays, Shape shape, size_t count, uint64_t* random) {
    for (size_t i = 0; i < count; ++i) {
        arrays->keys32[i] = (uint32_t)makeKey(shape, i, count, random);
        arrays->values[i] = (uint32_t)(i * 7 + 1);
        arrays->items[i] = (Item){arrays->keys32[i], arrays->values[i]};
    }
    mergeSort(arrays->items, arrays->scratchItems, count);
    grzRadixSort32(arrays->keys32, arrays->values, arrays->scratch32, arrays->scratchValues, count);
    for (size_t i = 0; i < count; ++i)
        assert_true(arrays->keys32[i] == arrays->items[i].key);
    checkValues(arrays, count);
    for (size_t i = 0; i < count; ++i)
        arrays->keys32[i] = (uint32_t)arrays->items[count - 1 - i].key;
    grzRadixSort32(arrays->keys32, NULL, arrays->scratch32, NULL, count);
    for (size_t i = 0; i < count; ++i)
        assert_true(arrays->keys32[i] == arrays->items[i].key);
}

static void checkCount(size_t count, uint64_t* random) {
    Arrays arrays = makeArrays(count);
    for (Shape shape = 0; shape < shapeCount; ++shape) {
        check64(&arrays, shape, count, random);
        check32(&arrays, shape, count, random);
    }
    freeArrays(&arrays);
}

static void agreesWithMergeSortAtEveryEdge(void** state) {
    (void)state;
    uint64_t random = testSeed(11);
    const size_t counts[] = {255, 256, 257, 4095, 65535, 65536, 65537};
    for (size_t count = 0; count < 130; ++count)
        checkCount(count, &random);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        checkCount(counts[i], &random);
}

static void agreesWithMergeSortOnAMillion(void** state) {
    (void)state;
    uint64_t random = testSeed(12);
    const size_t count = 1000000;
    Arrays arrays = makeArrays(count);
    check64(&arrays, shapeRandom, count, &random);
    check32(&arrays, shapeRandom, count, &random);
    freeArrays(&arrays);
}

static void twoSortsOrderByTwoKeys(void** state) {
    (void)state;
    uint64_t random = testSeed(13);
    enum { count = 1000 };
    uint32_t minor[count], major[count], keys[count], order[count], scratchKeys[count], scratchOrder[count];
    for (uint32_t i = 0; i < count; ++i) {
        minor[i] = (uint32_t)nextNumber(&random);
        major[i] = (uint32_t)(nextNumber(&random) % 10);
        keys[i] = minor[i];
        order[i] = i;
    }
    grzRadixSort32(keys, order, scratchKeys, scratchOrder, count);
    for (uint32_t i = 0; i < count; ++i)
        keys[i] = major[order[i]];
    grzRadixSort32(keys, order, scratchKeys, scratchOrder, count);
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t a = order[i - 1], b = order[i];
        assert_true(major[a] < major[b] || (major[a] == major[b] && minor[a] <= minor[b]));
    }
}

static float floatFromBits(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void floatKeysOrderAsNumbers(void** state) {
    (void)state;
    const float rising[] = {-INFINITY, -FLT_MAX, -1.5f,   -1.0f, -FLT_MIN, -1e-45f, -0.0f,
                            0.0f,      1e-45f,   FLT_MIN, 1.0f,  1.5f,     FLT_MAX, INFINITY};
    const size_t count = sizeof rising / sizeof *rising;
    for (size_t i = 1; i < count; ++i)
        assert_true(grzSortKeyFromFloat(rising[i - 1]) < grzSortKeyFromFloat(rising[i]));
    assert_true(grzSortKeyFromFloat(floatFromBits(0xFFC00000u)) < grzSortKeyFromFloat(-INFINITY));
    assert_true(grzSortKeyFromFloat(floatFromBits(0x7FC00000u)) > grzSortKeyFromFloat(INFINITY));
    uint64_t random = testSeed(14);
    for (int i = 0; i < 200000; ++i) {
        const uint64_t number = nextNumber(&random);
        const float a = floatFromBits((uint32_t)number), b = floatFromBits((uint32_t)(number >> 32));
        if (isnan(a) || isnan(b))
            continue;
        if (a < b)
            assert_true(grzSortKeyFromFloat(a) < grzSortKeyFromFloat(b));
        if (a > b)
            assert_true(grzSortKeyFromFloat(a) > grzSortKeyFromFloat(b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreesWithMergeSortAtEveryEdge),
        cmocka_unit_test(agreesWithMergeSortOnAMillion),
        cmocka_unit_test(twoSortsOrderByTwoKeys),
        cmocka_unit_test(floatKeysOrderAsNumbers),
    };
    return cmocka_run_group_tests_name("radix_sort", tests, NULL, NULL);
}
