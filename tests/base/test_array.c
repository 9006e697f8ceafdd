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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growsAndKeepsContents),
        cmocka_unit_test(refusedGrowthChangesNothing),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
