// id_pool.h: a long random life against a plain list of who lives, stale and foreign ids, the end of generations.
#include "testing.h"

#include "id_pool.h"
#include "memory.h"
#include "rng.h"

static grzIdPool makePool(TestMemory* memory, uint32_t salt) {
    grzIdPool pool;
    grzIdPool_Create(&pool, testAllocator(memory), salt);
    return pool;
}

static grzId allocateId(grzIdPool* pool) {
    grzId id;
    assert_true(grzResult_IsOk(grzIdPool_Allocate(pool, &id)));
    assert_true(grzIdPool_IsValid(pool, id) && !grzId_IsNull(id) && id.generation != 0);
    return id;
}

static bool isSame(grzId a, grzId b) {
    return a.index1 == b.index1 && a.generation == b.generation;
}

enum { mostIds = 6000 };
static grzId g_ids[mostIds];
static bool g_isLive[mostIds];

static void longLifeAgreesWithAPlainList(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(51), 0);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 77);
    size_t made = 0, live = 0;
    for (int step = 0; made < mostIds; ++step) {
        const bool isGrowing = (step / 500) % 2 == 0;
        if (made == 0 || grzRng_Below(&rng, 10) < (isGrowing ? 7u : 3u)) {
            g_ids[made] = allocateId(&pool);
            for (size_t i = 0; i < made; ++i)
                assert_false(isSame(g_ids[i], g_ids[made])); // no id twice, ever
            g_isLive[made++] = true;
            live++;
        } else {
            const uint32_t chosen = grzRng_Below(&rng, (uint32_t)made);
            assert_int_equal(grzIdPool_Free(&pool, g_ids[chosen]), g_isLive[chosen]);
            live -= g_isLive[chosen];
            g_isLive[chosen] = false;
        }
        assert_int_equal(pool.count, live);
        if (step % 64 != 0)
            continue;
        assert_true(grzIdPool_Validate(&pool));
        for (size_t i = 0; i < made; ++i)
            assert_int_equal(grzIdPool_IsValid(&pool, g_ids[i]), g_isLive[i]);
    }
    size_t found = 0;
    for (size_t i = 0; i < pool.slots.count; ++i) {
        const grzId id = grzIdPool_IdAt(&pool, i);
        if (grzId_IsNull(id))
            continue;
        assert_true(grzIdPool_IsValid(&pool, id) && grzId_Index(id) == i);
        found++;
    }
    assert_int_equal(found, live);
    assert_true(grzId_IsNull(grzIdPool_IdAt(&pool, pool.slots.count)));
    grzIdPool_Destroy(&pool);
    assert_int_equal(memory.liveCount, 0);
}

static void theSlotFreedLastIsUsedFirst(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 0);
    grzId ids[4];
    for (uint32_t i = 0; i < 4; ++i) {
        ids[i] = allocateId(&pool);
        assert_int_equal(grzId_Index(ids[i]), i);
    }
    assert_true(grzIdPool_Free(&pool, ids[1]));
    assert_true(grzIdPool_Free(&pool, ids[3]));
    assert_true(grzIdPool_Free(&pool, ids[0]));
    const uint32_t expected[] = {0, 3, 1, 4};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(grzId_Index(allocateId(&pool)), expected[i]);
    grzIdPool_Destroy(&pool);
}

static void nullStaleAndForeignIdsAreRefused(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool ours = makePool(&memory, 1), theirs = makePool(&memory, 2);
    const grzId null = {0, 0};
    assert_false(grzIdPool_IsValid(&ours, null));
    assert_false(grzIdPool_Free(&ours, null));
    for (int i = 0; i < 1000; ++i) {
        const grzId our = allocateId(&ours), their = allocateId(&theirs);
        assert_int_equal(our.index1, their.index1);
        assert_false(grzIdPool_IsValid(&ours, their) || grzIdPool_IsValid(&theirs, our));
        assert_false(grzIdPool_Free(&ours, their));
    }
    const grzId beyond = {1001, 1}, last = {UINT32_MAX, UINT32_MAX};
    assert_false(grzIdPool_IsValid(&ours, beyond) || grzIdPool_IsValid(&ours, last));
    assert_true(grzResult_IsOk(grzIdPool_Reserve(&ours, 1001)));
    ours.slots.data[1000] = ours.slots.data[999]; // what lies behind the slots is not looked at
    const grzId behind = {1001, ours.slots.data[999].generation};
    assert_false(grzIdPool_IsValid(&ours, behind) || !grzId_IsNull(grzIdPool_IdAt(&ours, 1000)));
    const grzId id = grzIdPool_IdAt(&ours, 500);
    assert_true(grzIdPool_Free(&ours, id));
    assert_false(grzIdPool_Free(&ours, id));
    const grzId guessed = {id.index1, id.generation + 1}; // the next life, before it began
    assert_false(grzIdPool_IsValid(&ours, guessed));
    assert_true(isSame(allocateId(&ours), guessed));
    assert_int_equal(ours.count, 1000);
    assert_true(grzIdPool_Validate(&ours));
    grzIdPool_Destroy(&ours);
    grzIdPool_Destroy(&theirs);
}

static void theSameCallsGiveTheSameIds(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool a = makePool(&memory, 9), b = makePool(&memory, 9);
    assert_true(grzResult_IsOk(grzIdPool_Reserve(&b, 5000)));
    grzRng rng = grzRng_Make(testSeed(52), 0);
    for (int i = 0; i < 3000; ++i) {
        if (grzRng_Below(&rng, 3) != 0) {
            assert_true(isSame(allocateId(&a), allocateId(&b)));
        } else if (a.slots.count != 0) {
            const size_t index = grzRng_Below(&rng, (uint32_t)a.slots.count);
            const grzId id = grzIdPool_IdAt(&a, index);
            assert_int_equal(grzIdPool_Free(&a, id), grzIdPool_Free(&b, id));
        }
    }
    grzIdPool_Destroy(&a);
    grzIdPool_Destroy(&b);
}

static void aSlotIsRetiredAfterItsLastGeneration(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 3);
    const grzId first = allocateId(&pool);
    // All but one of the lives between, in one stroke; 0 is skipped on the way round.
    const uint32_t last = first.generation != 1 ? first.generation - 1 : UINT32_MAX;
    pool.slots.data[0].generation = last;
    const grzId lastLife = {1, last};
    assert_true(grzIdPool_IsValid(&pool, lastLife));
    assert_true(grzIdPool_Free(&pool, lastLife));
    assert_false(grzIdPool_IsValid(&pool, first) || grzIdPool_IsValid(&pool, lastLife));
    assert_int_equal(pool.retiredCount, 1);
    assert_true(grzIdPool_Validate(&pool));
    assert_int_equal(grzId_Index(allocateId(&pool)), 1); // never slot 0 again
    assert_true(grzResult_IsOk(grzIdPool_Reserve(&pool, 16)));
    assert_true(pool.slots.capacity >= 17);
    grzIdPool_Destroy(&pool);
}

static void generationsSkipZero(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 3);
    (void)allocateId(&pool);
    pool.slots.data[0].generation = UINT32_MAX;
    const grzId id = {1, UINT32_MAX};
    assert_true(grzIdPool_Free(&pool, id));
    assert_int_equal(allocateId(&pool).generation, 1);
    grzIdPool_Destroy(&pool);
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    for (size_t failAt = 0; failAt < 6; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzIdPool pool = makePool(&memory, 4);
        grzId id;
        grzResult result;
        uint32_t count = 0;
        while (grzResult_IsOk(result = grzIdPool_Allocate(&pool, &id)))
            count++;
        assert_int_equal(result.status, grz_outOfMemory);
        assert_true(grzId_IsNull(id) && pool.count == count && grzIdPool_Validate(&pool));
        assert_int_equal(grzIdPool_Reserve(&pool, 100000).status, grz_outOfMemory);
        memory.failAt = SIZE_MAX;
        assert_int_equal(grzId_Index(allocateId(&pool)), count);
        grzIdPool_Destroy(&pool);
        assert_int_equal(memory.liveCount, 0);
    }
}

static void reserveMakesRoomAndKnowsItsLimit(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 5);
    assert_true(grzResult_IsOk(grzIdPool_Reserve(&pool, 100)));
    memory.failAt = 0;
    for (int i = 0; i < 100; ++i)
        (void)allocateId(&pool);
    assert_int_equal(grzIdPool_Reserve(&pool, UINT32_MAX).status, grz_tooLarge);
    assert_int_equal(grzIdPool_Reserve(&pool, SIZE_MAX).status, grz_tooLarge);
    grzIdPool_Destroy(&pool);
}

static void validateSeesABrokenFreeList(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 6);
    grzId ids[4];
    for (int i = 0; i < 4; ++i)
        ids[i] = allocateId(&pool);
    for (int i = 0; i < 3; ++i)
        assert_true(grzIdPool_Free(&pool, ids[i]));
    assert_true(grzIdPool_Validate(&pool));
    const uint32_t end = pool.slots.data[0].next;
    pool.slots.data[0].next = 3; // a ring
    assert_false(grzIdPool_Validate(&pool));
    pool.slots.data[0].next = 4; // into a live slot
    assert_false(grzIdPool_Validate(&pool));
    pool.slots.data[0].next = 9; // out of the array
    assert_false(grzIdPool_Validate(&pool));
    pool.slots.data[0].next = end;
    pool.count++;
    assert_false(grzIdPool_Validate(&pool));
    pool.count--;
    pool.firstFree = 2; // one is lost
    assert_false(grzIdPool_Validate(&pool));
    pool.firstFree = 3;
    assert_true(grzIdPool_Validate(&pool));
    grzIdPool_Destroy(&pool);
}

static void whatIsTakenBackLeavesNoTrace(void** state) {
    (void)state;
    enum { before = 20, more = 30 };
    TestMemory memory = {.failAt = SIZE_MAX};
    grzIdPool pool = makePool(&memory, 5);
    grzId ids[before + more];
    for (int i = 0; i < before; ++i)
        ids[i] = allocateId(&pool);
    for (int i = 0; i < before; i += 3)
        assert_true(grzIdPool_Free(&pool, ids[i]));
    assert_true(grzResult_IsOk(grzIdPool_Reserve(&pool, before + more)));
    grzIdPool same = pool;
    grzIdSlot slots[before];
    memcpy(slots, pool.slots.data, sizeof slots);
    for (int i = 0; i < more; ++i)
        ids[i] = allocateId(&pool);
    for (int i = more; i-- > 0;) {
        grzIdPool_TakeBack(&pool, ids[i], before);
        assert_true(grzIdPool_Validate(&pool) && !grzIdPool_IsValid(&pool, ids[i]));
    }
    assert_memory_equal(&pool, &same, sizeof pool);
    assert_memory_equal(pool.slots.data, slots, sizeof slots);
    grzIdPool_Destroy(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longLifeAgreesWithAPlainList),         cmocka_unit_test(theSlotFreedLastIsUsedFirst),
        cmocka_unit_test(nullStaleAndForeignIdsAreRefused),     cmocka_unit_test(theSameCallsGiveTheSameIds),
        cmocka_unit_test(aSlotIsRetiredAfterItsLastGeneration), cmocka_unit_test(generationsSkipZero),
        cmocka_unit_test(refusedMemoryChangesNothing),          cmocka_unit_test(reserveMakesRoomAndKnowsItsLimit),
        cmocka_unit_test(validateSeesABrokenFreeList),          cmocka_unit_test(whatIsTakenBackLeavesNoTrace),
    };
    return cmocka_run_group_tests_name("id_pool", tests, NULL, NULL);
}
