// owner.h: zeros from the right allocator, and refusals.
#include "owner.h"

#include "testing.h"

typedef struct Owner {
    grzAllocator allocator;
    uint64_t numbers[5];
} Owner;

static void ownersBeginAsZeros(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    for (int kind = 0; kind < 2; ++kind) {
        grzAllocator allocator = {0};
        if (kind == 1)
            allocator = testAllocator(&memory);
        const void* context = allocator.context;
        grzResult result;
        Owner* owner = grzOwner_New(&allocator, 1, sizeof *owner, 64, &result);
        assert_true(grzResult_IsOk(result) && owner != NULL && (uintptr_t)owner % 64 == 0);
        assert_true(allocator.allocate != NULL && allocator.release != NULL && allocator.context == context);
        assert_int_equal(memory.liveCount, kind);
        for (int i = 0; i < 5; ++i)
            assert_int_equal(owner->numbers[i], 0);
        grzRelease(&allocator, owner, 1, sizeof *owner, 64);
    }
    assert_int_equal(memory.liveCount, 0);
}

static void whatIsRefusedIsSaid(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 0};
    grzAllocator allocator = testAllocator(&memory), half = allocator;
    half.release = NULL;
    grzResult result;
    assert_null(grzOwner_New(&allocator, 1, sizeof(Owner), 64, &result));
    assert_true(result.status == grz_outOfMemory && result.value == sizeof(Owner));
    assert_null(grzOwner_New(&half, 3, sizeof(Owner), 64, &result));
    assert_true(result.status == grz_badArgument && result.value == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ownersBeginAsZeros),
        cmocka_unit_test(whatIsRefusedIsSaid),
    };
    return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
