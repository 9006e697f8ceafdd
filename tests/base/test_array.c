// array.h: growth, alignment, and that a refused growth changes nothing.
#include "testing.h"

#include "array.h"
#include "memory.h"

typedef struct NumberArray {
    GRZ_ARRAY(uint32_t);
} NumberArray;

static void growsAndKeepsContents(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    NumberArray numbers = {0};
    for (uint32_t i = 0; i < 1000; ++i) {
        assert_true(grzArray_Reserve(&numbers, &allocator, numbers.count + 1));
        assert_int_equal((uintptr_t)numbers.data % GRZ_ARRAY_ALIGNMENT, 0);
        numbers.data[numbers.count++] = i * 7;
    }
    assert_true(memory.requests < 16);
    for (uint32_t i = 0; i < 1000; ++i)
        assert_int_equal(numbers.data[i], i * 7);
    grzArray_Release(&numbers, &allocator);
    assert_null(numbers.data);
    assert_int_equal(numbers.count, 0);
    assert_int_equal(memory.liveCount, 0);
    assert_int_equal(memory.liveBytes, 0);
}

static void refusedGrowthChangesNothing(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 1};
    grzAllocator allocator = testAllocator(&memory);
    NumberArray numbers = {0};
    assert_true(grzArray_Reserve(&numbers, &allocator, 3));
    numbers.data[numbers.count++] = 42;
    NumberArray before = numbers;
    assert_false(grzArray_Reserve(&numbers, &allocator, 1000));
    assert_memory_equal(&before, &numbers, sizeof before);
    assert_false(grzArray_Reserve(&numbers, &allocator, SIZE_MAX / 2));
    assert_int_equal(numbers.data[0], 42);
    grzArray_Release(&numbers, &allocator);
    assert_int_equal(memory.liveCount, 0);
}

// So that a place in it may be computed. Nothing is allocated.
static void anEmptyArrayBeginsSomewhere(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 0};
    const grzAllocator allocator = testAllocator(&memory);
    NumberArray numbers = {0};
    assert_true(grzArray_Reserve(&numbers, &allocator, 0));
    assert_non_null(numbers.data);
    assert_int_equal((uintptr_t)numbers.data % GRZ_ARRAY_ALIGNMENT, 0);
    assert_int_equal(numbers.capacity, 0);
    assert_false(grzArray_Reserve(&numbers, &allocator, 1));
    memory.failAt = SIZE_MAX;
    assert_true(grzArray_Reserve(&numbers, &allocator, 1));
    grzArray_Release(&numbers, &allocator);
    assert_null(numbers.data);
    assert_int_equal(memory.liveCount, 0);
}

// Trimming leaves what was asked for since the last one; refused, it changes nothing but that.
static void trimsWhatWasNotNeeded(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    NumberArray numbers = {0};
    assert_true(grzArray_Reserve(&numbers, &allocator, 10000));
    numbers.data[numbers.count++] = 42;
    grzArray_Call(&numbers, grzTrimArray, &allocator);
    assert_int_equal(numbers.capacity, 10000);
    assert_true(grzArray_Reserve(&numbers, &allocator, 6000)); // more than half
    grzArray_Call(&numbers, grzTrimArray, &allocator);
    assert_int_equal(numbers.capacity, 10000);
    assert_true(grzArray_Reserve(&numbers, &allocator, 4000));
    memory.failAt = memory.requests;
    NumberArray refused = numbers;
    grzArray_Call(&refused, grzTrimArray, &allocator);
    assert_ptr_equal(refused.data, numbers.data);
    assert_int_equal(refused.capacity, 10000);
    memory.failAt = SIZE_MAX;
    grzArray_Call(&numbers, grzTrimArray, &allocator);
    assert_int_equal(numbers.capacity, 4500);
    assert_int_equal(numbers.data[0], 42);
    assert_true(grzArray_Reserve(&numbers, &allocator, 400));
    grzArray_Call(&numbers, grzTrimScratch, &allocator);
    assert_int_equal(numbers.count, 0);
    assert_int_equal(numbers.capacity, 450);
    grzArray_Call(&numbers, grzTrimScratch, &allocator);
    assert_int_equal(numbers.capacity, 0);
    assert_non_null(numbers.data); // so that a place in it may be computed
    assert_int_equal(memory.liveBytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growsAndKeepsContents),
        cmocka_unit_test(refusedGrowthChangesNothing),
        cmocka_unit_test(anEmptyArrayBeginsSomewhere),
        cmocka_unit_test(trimsWhatWasNotNeeded),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
