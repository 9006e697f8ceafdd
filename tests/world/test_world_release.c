// Memory that no step has needed for a while goes back to the host (grzWorldDef.releaseSteps), and no more than that.
#include "world_testing.h"

#include <string.h>

enum {
    crowdSide = 10, // boxes, along each axis
    ringCount = 10, // of which some stay
    stayingCount = 4,
    ringTriangles = 720,
    spacing = 3, // of what does not meet
    breath = 60, // steps: less than releaseSteps
};

typedef struct Scene {
    TestMemory memory;
    grzWorld* world;
    grzBodyId boxes[crowdSide * crowdSide * crowdSide], rings[ringCount];
    uint32_t boxCount, ringCount;
} Scene;

static grzMesh* g_ring;
static grzMeshShape* g_ringShape;

static int makeRing(void** state) {
    (void)state;
    g_ring = scaledShapeMesh(shapeTorus, ringTriangles, grzVec3_Splat(0.5f));
    g_ringShape = meshShapeOf(g_ring);
    return 0;
}

static int destroyRing(void** state) {
    (void)state;
    grzMeshShape_Destroy(g_ringShape);
    grzMesh_Destroy(g_ring);
    return 0;
}

static void makeScene(Scene* scene, uint32_t releaseSteps) {
    grzWorldDef def = grzDefaultWorldDef();
    assert_true(def.releaseSteps > breath && def.releaseSteps <= 100);
    *scene = (Scene){.memory = {.failAt = SIZE_MAX}};
    def.allocator = testAllocator(&scene->memory);
    def.idSalt = 1;
    def.releaseSteps = releaseSteps;
    must(grzWorld_Create(&def, &scene->world));
    addFloor(scene->world, 0.6f);
}

// The first ones far from each other; all others in a column over the first, into which they fall.
static void addRings(Scene* scene, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const float x = i < stayingCount ? spacing * (float)i : 0.1f * (float)(i % 2);
        const float y = i < stayingCount ? 0.3f : 0.3f + 0.3f * (float)(i - stayingCount + 1);
        scene->rings[scene->ringCount++] =
            addMesh(scene->world, grz_dynamicBody, g_ringShape, grzVec3_Make(x, y, 0));
    }
}

static void addCrowd(Scene* scene, uint32_t side) {
    for (uint32_t i = 0; i < side * side * side; ++i) {
        const grzVec3 place = grzVec3_Make(1.05f * (float)(i % side), 0.52f + 1.02f * (float)(i / side / side),
                                           -spacing - 1.05f * (float)(i / side % side));
        scene->boxes[scene->boxCount++] =
            addShape(scene->world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), place);
    }
}

static void run(Scene* scene, uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i)
        stepOnce(scene->world);
}

static void removeLast(Scene* scene, uint32_t boxes, uint32_t rings) {
    while (scene->boxCount > boxes)
        must(grzWorld_RemoveBody(scene->world, scene->boxes[--scene->boxCount]));
    while (scene->ringCount > rings)
        must(grzWorld_RemoveBody(scene->world, scene->rings[--scene->ringCount]));
    assert_true(grzWorld_Validate(scene->world));
}

static size_t bytesOf(const Scene* scene) {
    return scene->memory.liveBytes;
}

// ---- what goes ----

// Of a heap that has come apart nothing is left but what those that stay need; switched off, all stays.
static void aHeapOfMeshesThatCameApart(void** state) {
    (void)state;
    Scene heap, kept, quiet;
    makeScene(&heap, 100);
    makeScene(&kept, 0);
    makeScene(&quiet, 100);
    addRings(&heap, ringCount);
    addRings(&kept, ringCount);
    addRings(&quiet, stayingCount);
    run(&heap, 60);
    run(&kept, 60);
    run(&quiet, 60);
    const size_t most = bytesOf(&heap);
    removeLast(&heap, 0, stayingCount);
    removeLast(&kept, 0, stayingCount);
    run(&heap, 240);
    run(&kept, 240);
    run(&quiet, 240);
    print_message("[  memory  ] %zu bytes at the burst, %zu after, %zu kept, %zu never\n", most, bytesOf(&heap),
                  bytesOf(&kept), bytesOf(&quiet));
    assert_true(10 * bytesOf(&heap) <= 11 * bytesOf(&quiet));
    assert_true(5 * bytesOf(&heap) <= 2 * bytesOf(&kept));
    grzWorld_Destroy(heap.world);
    grzWorld_Destroy(kept.world);
    grzWorld_Destroy(quiet.world);
}

// A crowd leaves its slots, its nodes in the tree and its rows of pairs: a third of what it had.
static void aCrowdThatLeft(void** state) {
    (void)state;
    Scene crowd, kept;
    makeScene(&crowd, 100);
    makeScene(&kept, 0);
    Scene* const scenes[] = {&crowd, &kept};
    for (int i = 0; i < 2; ++i) {
        addCrowd(scenes[i], crowdSide);
        run(scenes[i], 60);
        (void)grzWorld_GetContacts(scenes[i]->world);
        run(scenes[i], 1);
        removeLast(scenes[i], 10, 0);
        run(scenes[i], 240);
        assert_true(grzWorld_Validate(scenes[i]->world));
    }
    print_message("[  memory  ] %zu bytes after, %zu kept\n", bytesOf(&crowd), bytesOf(&kept));
    assert_true(3 * bytesOf(&crowd) <= bytesOf(&kept));
    grzWorld_Destroy(crowd.world);
    grzWorld_Destroy(kept.world);
}

// ---- what stays ----

// All to where they were at first: a heap, or places far from each other.
static void gather(Scene* scene, bool isHeap) {
    for (uint32_t i = 0; i < scene->boxCount + scene->ringCount; ++i) {
        const bool isRing = i >= scene->boxCount;
        const grzBodyId id = isRing ? scene->rings[i - scene->boxCount] : scene->boxes[i];
        const float x = isHeap ? 0.2f * (float)(i % 2) : spacing * (float)i;
        const grzVec3 place = grzVec3_Make(x, isHeap ? 0.55f + 0.9f * (float)i : 0.55f, 0);
        must(grzWorld_PlaceBody(scene->world, id, place, grzQuat_Identity()));
        must(grzWorld_SetVelocity(scene->world, id, grzVec3_Zero(), grzVec3_Zero()));
    }
}

// A heap for half of the time, every `period` steps.
static void breathe(Scene* scene, uint32_t period, uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i) {
        if (i % (period / 2) == 0)
            gather(scene, i % period == 0);
        stepOnce(scene->world);
        must(grzWorld_GetContacts(scene->world).result);
    }
}

static void makeBreathing(Scene* scene, uint32_t releaseSteps) {
    makeScene(scene, releaseSteps);
    addCrowd(scene, 2);
    addRings(scene, ringCount);
}

static void aBreathTakesNoMemory(void** state) {
    (void)state;
    Scene scene;
    makeBreathing(&scene, 100);
    breathe(&scene, breath, 5 * breath);
    const size_t requests = scene.memory.requests, bytes = bytesOf(&scene);
    breathe(&scene, breath, 10 * breath);
    assert_int_equal(scene.memory.requests, requests);
    assert_int_equal(bytesOf(&scene), bytes);
    grzWorld_Destroy(scene.world);
}

// The same, so slow that memory goes in between; switched off, none does, and none is asked for.
static void aSlowBreath(void** state) {
    (void)state;
    enum { slow = 8 * breath };
    Scene scene, kept;
    makeBreathing(&scene, 100);
    makeBreathing(&kept, 0);
    breathe(&scene, slow, 4 * slow);
    breathe(&kept, slow, 4 * slow);
    const size_t requests = scene.memory.requests, keptRequests = kept.memory.requests, bytes = bytesOf(&kept);
    breathe(&scene, slow, slow);
    breathe(&kept, slow, slow);
    assert_true(scene.memory.requests > requests);
    assert_int_equal(kept.memory.requests, keptRequests);
    assert_int_equal(bytesOf(&kept), bytes);
    grzWorld_Destroy(scene.world);
    grzWorld_Destroy(kept.world);
}

// ---- what it changes: nothing ----

// With releases, without, and with every one of them refused.
static void resultsAreTheSame(void** state) {
    (void)state;
    enum { steps = 240, often = 15 };
    Scene scene, kept, refused;
    makeBreathing(&scene, often);
    makeBreathing(&kept, 0);
    makeBreathing(&refused, often);
    Scene* const scenes[] = {&scene, &kept, &refused};
    uint32_t refusedCount = 0;
    for (uint32_t i = 0; i < steps; ++i) {
        // A step that only the release may ask for memory in: the heap has come apart and lies still.
        const bool isRefused = i % 120 == often * 5; // memory goes back as a step begins
        const size_t requests = refused.memory.requests;
        for (int k = 0; k < 3; ++k) {
            if (i % 60 == 0)
                gather(scenes[k], i % 120 == 0);
            scenes[k]->memory.failAt = k == 2 && isRefused ? requests : SIZE_MAX;
            stepOnce(scenes[k]->world);
            assert_true(grzWorld_Validate(scenes[k]->world));
            assert_true(grzWorld_HashState(scenes[k]->world) == grzWorld_HashState(scene.world));
            scenes[k]->memory.failAt = SIZE_MAX;
            assert_true(grzWorld_HashContacts(scenes[k]->world) == grzWorld_HashContacts(scene.world));
        }
        refusedCount += isRefused && refused.memory.requests > requests;
    }
    assert_true(refusedCount != 0);
    for (int k = 0; k < 3; ++k)
        grzWorld_Destroy(scenes[k]->world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHeapOfMeshesThatCameApart), cmocka_unit_test(aCrowdThatLeft),
        cmocka_unit_test(aBreathTakesNoMemory),       cmocka_unit_test(aSlowBreath),
        cmocka_unit_test(resultsAreTheSame),
    };
    return cmocka_run_group_tests(tests, makeRing, destroyRing);
}
