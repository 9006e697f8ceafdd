// What a world takes of the host's memory: for each box of a heap that has come to rest, and for lists that a host asks for.
#include "world_testing.h"

#include <string.h>

enum { SIDE = 16, HEAP = SIDE * SIDE * SIDE };

static grzWorld* makeCounted(TestMemory* memory) {
    grzWorldDef def = grzDefaultWorldDef();
    grzWorld* world;
    *memory = (TestMemory){.failAt = SIZE_MAX};
    def.gravity = grzVec3_Make(0, -9.81f, 0);
    def.allocator = testAllocator(memory);
    def.idSalt = 1;
    must(grzWorld_Create(&def, &world));
    return world;
}

// Columns of unit boxes, a little apart and shifted, on a floor.
static void addHeap(grzWorld* world, uint32_t side) {
    grzRng rng = grzRng_Make(1, 1);
    addFloor(world, 0.6f);
    for (uint32_t i = 0; i < side * side * side; ++i) {
        const float x = 0.05f * grzRng_Float(&rng), z = 0.05f * grzRng_Float(&rng);
        const grzVec3 place = grzVec3_Make(1.2f * (float)(i % side) + x, 0.6f + 1.05f * (float)(i / side / side),
                                           1.2f * (float)(i / side % side) + z);
        addShape(world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), place);
    }
}

static void test_aRestingBox(void** state) {
    (void)state;
    enum { mostBytes = 2520 };
    TestMemory memory;
    grzWorld* world = makeCounted(&memory);
    addHeap(world, SIDE);
    for (int step = 0; step < 240; ++step)
        stepOnce(world);
    const size_t requests = memory.requests, bytes = memory.liveBytes / HEAP;
    for (int step = 0; step < 10; ++step)
        stepOnce(world);
    assert_int_equal(memory.requests, requests);
    assert_true(grzWorld_GetStats(world).contacts >= 4 * HEAP);
    print_message("[  memory  ] %zu bytes a resting box\n", bytes);
    assert_true(bytes <= mostBytes);
    grzWorld_Destroy(world);
}

static uint64_t listsOf(grzWorld* world) {
    const grzWorldContacts found = grzWorld_GetContacts(world);
    must(found.result);
    assert_true(found.contactCount != 0 && found.eventCount != 0);
    return grzWorld_HashContacts(world);
}

// The first request for lists takes their memory; the steps after it do. Where it is refused nothing is listed, and nothing is lost.
static void test_listsThatAreAskedFor(void** state) {
    (void)state;
    TestMemory memory, otherMemory;
    grzWorld *world = makeCounted(&memory), *other = makeCounted(&otherMemory);
    addHeap(world, 4);
    addHeap(other, 4);
    for (int step = 0; step < 40; ++step) {
        stepOnce(world);
        stepOnce(other);
        (void)grzWorld_GetContacts(other);
    }
    const size_t before = memory.liveBytes;
    for (int k = 0; k < 3; ++k) { // the three lists, one after the other
        memory.failAt = memory.requests + (k == 0 ? 0 : 1);
        const grzWorldContacts refused = grzWorld_GetContacts(world);
        assert_int_equal(refused.result.status, grz_outOfMemory);
        assert_true(refused.contacts == NULL && refused.contactCount == 0 && refused.eventCount == 0);
        assert_true(grzWorld_Validate(world));
        assert_true(grzWorld_HashState(world) == grzWorld_HashState(other));
    }
    memory.failAt = memory.requests;
    assert_true(grzWorld_HashContacts(world) == 0);
    mustBe(grzWorld_RemoveBody(world, grzWorld_BodyAt(world, 1)), grz_outOfMemory);
    memory.failAt = SIZE_MAX;
    assert_true(listsOf(world) == listsOf(other));
    assert_true(memory.liveBytes >= before + grzWorld_GetStats(world).contacts * sizeof(grzContact));
    memory.failAt = memory.requests; // none is taken any more
    for (int step = 0; step < 10; ++step) {
        stepOnce(world);
        stepOnce(other);
        assert_true(listsOf(world) == listsOf(other));
    }
    grzWorld_Destroy(world);
    grzWorld_Destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aRestingBox),
        cmocka_unit_test(test_listsThatAreAskedFor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
