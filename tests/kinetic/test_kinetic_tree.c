// Kinetic trees: at every time, in either order, the boxes are those of a refit over all positions, exactly; the counts of
// events do not depend on how often the tree is looked at; everything is the same for any number of workers; paths may change at
// any time, at that of an event too; adversarial motion.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/kinetic_tree.h"

// ---- keyframes ----

static void checkFrames(const Scene* scene, grzKineticOrder order, grzRng* rng) {
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzKineticTree* tree = makeKineticTree(scene, plan, order, (double)NAN);
    TreeBoxes boxes = takeTreeBoxes(scene, scene->vertexCount);
    double time = 0;
    expectTreeRefit(scene, plan, tree, 0, &boxes);
    while (time < FRAMES - 1) {
        time =
            grzRng_Below(rng, 4) == 0 ? floor(time) + 1 : fmin(time + 0.4 * (double)grzRng_Float(rng), FRAMES - 1);
        ok(grzKineticTree_Advance(tree, NULL, time));
        assert_true(grzKineticTree_Validate(tree));
        expectTreeRefit(scene, plan, tree, time, &boxes);
    }
    dropTreeBoxes(&boxes);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
}

static void boxesAreThoseOfARefitAtAnyTime(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 3, 5, 9, 30};
    grzRng rng = grzRng_Make(testSeed(801), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            checkFrames(&scene, grz_kineticOrdered, &rng);
            checkFrames(&scene, grz_kineticBatched, &rng);
            dropScene(&scene);
        }
}

// The top is above several parts from 512 leaves on.
static void partsMeetAtTheTop(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(802), 0);
    Scene scene = makeScene(&rng, 160, waves);
    checkFrames(&scene, grz_kineticOrdered, &rng);
    checkFrames(&scene, grz_kineticBatched, &rng);
    dropScene(&scene);
}

static grzKineticTreeStats countEvents(const Scene* scene, uint32_t perInterval) {
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzKineticTree* tree = makeKineticTree(scene, plan, grz_kineticOrdered, (double)NAN);
    for (uint32_t k = 1; k <= (FRAMES - 1) * perInterval; ++k)
        ok(grzKineticTree_Advance(tree, NULL, (double)k / perInterval));
    const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    return stats;
}

static void eventsDoNotDependOnTheFramesDrawn(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(803), 0);
    static const uint32_t sides[] = {12, 150};
    for (size_t s = 0; s < 2; ++s) {
        Scene scene = makeScene(&rng, sides[s], s == 0 ? noise : waves);
        const grzKineticTreeStats one = countEvents(&scene, 1), ten = countEvents(&scene, 10),
                                  some = countEvents(&scene, 37);
        assert_memory_equal(&one, &ten, sizeof one);
        assert_memory_equal(&one, &some, sizeof one);
        assert_true(one.leafEvents > scene.triangleCount / 8 && one.treeEvents > 10);
        assert_true(one.updates >= one.leafEvents + one.treeEvents);
        assert_int_equal(one.intervals, FRAMES - 2);
        dropScene(&scene);
    }
}

// Between now and the horizon, no box is realised by another vertex; right after it, one is.
static void nothingHappensBeforeTheHorizon(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(804), 0);
    Scene scene = makeScene(&rng, 6, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    uint64_t changes = 0;
    for (int round = 0; round < 2000; ++round) {
        const double horizon = grzKineticTree_Horizon(tree);
        const grzKineticTreeStats before = grzKineticTree_GetStats(tree);
        ok(grzKineticTree_Advance(tree, NULL, horizon));
        const grzKineticTreeStats after = grzKineticTree_GetStats(tree);
        assert_memory_equal(&before, &after, sizeof before);
        if (horizon >= FRAMES - 1)
            break;
        ok(grzKineticTree_Advance(tree, NULL, horizon + 1e-7));
        assert_true(horizon - floor(horizon) < 0x1p-24 || grzKineticTree_GetStats(tree).updates > before.updates);
        changes += grzKineticTree_GetStats(tree).updates - before.updates;
    }
    assert_true(changes > 100 && grzKineticTree_Time(tree) == FRAMES - 1);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void keyframesMayComeAsTheyAreNeeded(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(805), 0);
    for (int order = 0; order < 2; ++order) {
        Scene scene = makeScene(&rng, 20, noise);
        grzFlightplan* plan = planFrames(&scene, 1);
        grzKineticTree* tree = makeKineticTree(&scene, plan, (grzKineticOrder)order, (double)NAN);
        TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
        assert_true(grzKineticTree_Horizon(tree) == 0);
        for (int f = 1; f < FRAMES; ++f) {
            assert_int_equal(grzKineticTree_Advance(tree, NULL, f).status, grz_badArgument);
            ok(grzFlightplan_AddKeyframe(plan, f, scene.frames[f], 0));
            for (double time = f - 0.75; time <= f; time += 0.25) {
                ok(grzKineticTree_Advance(tree, NULL, time));
                grzFlightplan_DropKeyframes(plan, time);
                assert_true(grzKineticTree_Validate(tree));
                expectTreeRefit(&scene, plan, tree, time, &boxes);
            }
        }
        assert_int_equal(grzKineticTree_GetStats(tree).intervals, FRAMES - 1);
        dropTreeBoxes(&boxes);
        grzKineticTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
        dropScene(&scene);
    }
}

// Everything turns over within a few ticks of the middle of each interval, so that many events fall on one tick. One round in some
// two hundred has a vertex that was to come ahead, and within the tick gave its lane to one that never does: the usual seed has it.
static void manyEventsAtOneTickAreAllSeen(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    for (int round = 0; round < 60; ++round) {
        Scene scene = makeScene(&rng, 3 + (uint32_t)round % 9, noise);
        for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i)
            for (int f = 1; f < FRAMES; ++f)
                scene.frames[f][i] = (f % 2 == 0 ? 1.0F : -1.0F) * scene.frames[0][i] +
                                     1e-7F * (float)((int)grzRng_Below(&rng, 5) - 2);
        checkFrames(&scene, grz_kineticOrdered, &rng);
        checkFrames(&scene, grz_kineticBatched, &rng);
        dropScene(&scene);
    }
}

static void timesOnBothSidesOfZeroEnd(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(810), 0);
    Scene scene = makeScene(&rng, 5, noise);
    grzFlightplan* plan = planFrames(&scene, 0);
    ok(grzFlightplan_AddKeyframe(plan, -1, scene.frames[0], 0));
    ok(grzFlightplan_AddKeyframe(plan, 1, scene.frames[1], 0));
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    static const double times[] = {-1, -0.5, -1e-8, -1e-300, 0, 1e-300, 1e-7, 0.5, 1};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        ok(grzKineticTree_Advance(tree, NULL, times[i]));
        const double now = grzKineticTree_Time(tree), horizon = grzKineticTree_Horizon(tree);
        assert_true(fabs(now - times[i]) < 1e-6 && horizon >= now && horizon <= 1);
    }
    grzFlightplan_DropKeyframes(plan, 1);
    ok(grzKineticTree_Advance(tree, NULL, 1));
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void keyframesDroppedTooEarlyAreMissed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(811), 0);
    Scene scene = makeScene(&rng, 5, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    ok(grzKineticTree_Advance(tree, NULL, 0.5));
    for (int first = 1; first <= 3; first += 2) { // that by which the interval began, and more
        grzFlightplan_DropKeyframes(plan, first);
        assert_int_equal(grzKineticTree_Advance(tree, NULL, 3.5).status, grz_badArgument);
    }
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- paths ----

static void changeSome(const Scene* scene, grzKineticTree* tree, grzTasks* tasks, double time, grzRng* rng) {
    SomeChange some;
    drawChange(scene, rng, &some);
    ok(grzKineticTree_Change(tree, tasks, time, &some.change));
}

static void checkPaths(const Scene* scene, grzKineticOrder order, grzRng* rng) {
    grzFlightplan* plan = planPaths(scene);
    grzKineticTree* tree = makeKineticTree(scene, plan, order, (double)NAN);
    TreeBoxes boxes = takeTreeBoxes(scene, scene->vertexCount);
    double time = 0;
    for (int round = 0; round < 30; ++round) {
        // Now and then at the very time of an event.
        const double horizon = grzKineticTree_Horizon(tree);
        const bool isEvent = grzRng_Below(rng, 3) == 0 && horizon < time + 10;
        time = isEvent ? horizon + 0x1p-20 : time + 0.2 * (double)grzRng_Float(rng);
        if (grzRng_Below(rng, 2) == 0)
            changeSome(scene, tree, NULL, time, rng);
        else
            ok(grzKineticTree_Advance(tree, NULL, time));
        assert_true(grzKineticTree_Validate(tree));
        expectTreeRefit(scene, plan, tree, time, &boxes);
    }
    dropTreeBoxes(&boxes);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
}

static void pathsMayChangeAtAnyTime(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 4, 9, 25};
    grzRng rng = grzRng_Make(testSeed(806), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            checkPaths(&scene, grz_kineticOrdered, &rng);
            checkPaths(&scene, grz_kineticBatched, &rng);
            dropScene(&scene);
        }
}

// A vertex that nobody overtakes costs nothing, however it moves.
static void translationIsFree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(807), 0);
    Scene scene = makeScene(&rng, 40, waves);
    for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i)
        scene.velocities[i] = (float)(i % 3 + 1);
    grzFlightplan* plan = planPaths(&scene);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
    ok(grzKineticTree_Advance(tree, NULL, 1000));
    expectTreeRefit(&scene, plan, tree, 1000, &boxes);
    assert_int_equal(grzKineticTree_GetStats(tree).updates, 0);
    assert_true(grzKineticTree_Horizon(tree) > 1e9);
    ok(grzKineticTree_Advance(tree, NULL, grzKineticTree_Horizon(tree)));
    dropTreeBoxes(&boxes);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- sameness ----

static void everythingIsTheSameForAnyWorkers(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int order = 0; order < 2; ++order) {
        grzKineticTreeStats firstStats;
        TreeBoxes first = {NULL, NULL, NULL, 0};
        for (size_t w = 0; w < 4; ++w) {
            grzRng rng = grzRng_Make(808, 0);
            Scene scene = makeScene(&rng, 140, waves);
            grzFlightplan* plan = planPaths(&scene);
            grzKineticTree* tree = makeKineticTree(&scene, plan, (grzKineticOrder)order, (double)NAN);
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
            for (int k = 1; k < 6; ++k) {
                ok(grzKineticTree_Advance(tree, tasks, 0.2 * k - 0.1));
                changeSome(&scene, tree, tasks, 0.2 * k, &rng);
            }
            ok(grzKineticTree_WriteBoxes(tree, tasks, boxes.found));
            const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
            if (w == 0) {
                first = boxes, firstStats = stats;
            } else {
                assert_memory_equal(first.found, boxes.found, boxes.nodeCount * sizeof *boxes.found);
                assert_memory_equal(&firstStats, &stats, sizeof stats);
                dropTreeBoxes(&boxes);
            }
            grzTasks_Destroy(tasks);
            grzKineticTree_Destroy(tree);
            grzFlightplan_Destroy(plan);
            dropScene(&scene);
        }
        dropTreeBoxes(&first);
    }
}

// ---- what is refused, and memory ----

static void badCallsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 4, waves);
    grzFlightplan* plan = planFrames(&scene, 3);
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    grzKineticTree* tree;
    assert_int_equal(grzKineticTree_Create(NULL, &tree).status, grz_badDef);
    assert_int_equal(grzKineticTree_Create(&def, &tree).status, grz_badArgument);
    def.bvh = scene.bvh;
    assert_int_equal(grzKineticTree_Create(&def, &tree).status, grz_badArgument);
    def.plan = plan;
    def.startTime = 2.5;
    assert_int_equal(grzKineticTree_Create(&def, &tree).status, grz_badArgument);
    def.startTime = 1;
    ok(grzKineticTree_Create(&def, &tree));
    assert_int_equal(grzKineticTree_Advance(tree, NULL, 0.5).status, grz_badArgument);
    assert_int_equal(grzKineticTree_Advance(tree, NULL, 2.5).status, grz_badArgument);
    assert_int_equal(grzKineticTree_Advance(tree, NULL, (double)NAN).status, grz_badArgument);
    const grzFlightplanChange change = {NULL, 0, NULL, NULL, NULL};
    assert_int_equal(grzKineticTree_Change(tree, NULL, 1.5, &change).status, grz_badArgument);
    assert_int_equal(grzKineticTree_WriteBoxes(tree, NULL, NULL).status, grz_badArgument);
    assert_true(grzKineticTree_Time(tree) >= 1 && grzKineticTree_Time(tree) < 1.000001);
    grzKineticTree_Destroy(tree);
    grzKineticTree_Destroy(NULL);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void aBadChangeLeavesTheTreeAsItWas(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(2, 0);
    Scene scene = makeScene(&rng, 9, noise);
    grzFlightplan* plan = planPaths(&scene);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
    const uint32_t vertices[2] = {3, scene.vertexCount};
    float velocities[6] = {1, 2, 3, 4, 5, (float)NAN};
    const grzFlightplanChange change = {vertices, 2, NULL, velocities, NULL};
    assert_int_equal(grzKineticTree_Change(tree, NULL, 0.25, &change).status, grz_notFinite);
    velocities[5] = 6;
    assert_int_equal(grzKineticTree_Change(tree, NULL, 0.25, &change).status, grz_indexTooLarge);
    const grzFlightplanChange empty = {NULL, 2, NULL, velocities, NULL};
    assert_int_equal(grzKineticTree_Change(tree, NULL, 0.25, &empty).status, grz_badArgument);
    assert_int_equal(grzKineticTree_Change(tree, NULL, 0.25, NULL).status, grz_badArgument);
    assert_true(grzKineticTree_Validate(tree));
    expectTreeRefit(&scene, plan, tree, 0, &boxes);
    ok(grzKineticTree_Advance(tree, NULL, 0.125)); // the time has not gone on
    const grzFlightplanChange behind = {vertices, 1, NULL, velocities, NULL};
    ok(grzFlightplan_Change(plan, 0.25, &behind));
    assert_int_equal(grzKineticTree_Advance(tree, NULL, 0.5).status, grz_badArgument);
    dropTreeBoxes(&boxes);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void noTrianglesAreNoTrouble(void** state) {
    (void)state;
    grzBvhDef bvhDef = grzDefaultBvhDef();
    Scene scene = {0};
    ok(grzBvh_Create(&bvhDef, &scene.bvh));
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    ok(grzKineticTree_Advance(tree, NULL, 5));
    ok(grzKineticTree_Advance(tree, NULL, grzKineticTree_Horizon(tree)));
    grzBvhNode node;
    ok(grzKineticTree_WriteBoxes(tree, NULL, &node));
    assert_true(node.lower[0][0] > node.upper[0][0]);
    assert_true(grzKineticTree_Box(tree, 0, 0).lower.x > grzKineticTree_Box(tree, 0, 0).upper.x);
    assert_true(grzKineticTree_Validate(tree));
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    grzBvh_Destroy(scene.bvh);
}

// Create is refused and leaves nothing; Advance puts the top right without the room that it would like.
static void memoryMayBeRefusedAtAnyRequest(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(3, 0);
    Scene scene = makeScene(&rng, 130, waves);
    TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
    size_t refusals = 0;
    for (size_t failAt = 0; failAt < 12; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzFlightplan* plan = planFrames(&scene, FRAMES);
        grzKineticTreeDef def = grzDefaultKineticTreeDef();
        def.bvh = scene.bvh, def.plan = plan, def.allocator = testAllocator(&memory);
        grzKineticTree* tree;
        const grzResult result = grzKineticTree_Create(&def, &tree);
        if (grzResult_IsOk(result)) {
            ok(grzKineticTree_Advance(tree, NULL, 1.5));
            assert_true(grzKineticTree_Validate(tree));
            expectTreeRefit(&scene, plan, tree, 1.5, &boxes);
            ok(grzKineticTree_Advance(tree, NULL, 3));
            expectTreeRefit(&scene, plan, tree, 3, &boxes);
        } else {
            assert_int_equal(result.status, grz_outOfMemory);
            assert_null(tree);
            ++refusals;
        }
        grzKineticTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_int_equal(refusals, 3);
    dropTreeBoxes(&boxes);
    dropScene(&scene);
}

// Refuses one request alone.
typedef struct OneRefusal {
    TestMemory memory;
    size_t requests, failAt;
} OneRefusal;

static void* allocateButOnce(void* context, size_t size, size_t alignment) {
    OneRefusal* one = context;
    return one->requests++ == one->failAt ? NULL : testAllocate(&one->memory, size, alignment);
}

static void releaseOfOne(void* context, void* memory, size_t size, size_t alignment) {
    testRelease(&((OneRefusal*)context)->memory, memory, size, alignment);
}

// A change at the root of a part that found no room is not forgotten when the next one finds some.
static void oneRefusalIsNotForgotten(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(4, 0);
    Scene scene = makeScene(&rng, 100, noise);
    TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    size_t requests = SIZE_MAX, made = 0;
    for (size_t failAt = 3; failAt < requests; ++failAt) {
        OneRefusal one = {.memory = {.failAt = SIZE_MAX}, .failAt = failAt};
        grzKineticTreeDef def = grzDefaultKineticTreeDef();
        def.bvh = scene.bvh, def.plan = plan;
        def.allocator = (grzAllocator){&one, allocateButOnce, releaseOfOne};
        grzKineticTree* tree;
        ok(grzKineticTree_Create(&def, &tree));
        made = one.requests;
        for (double time = 0.25; time < 1; time += 0.25) {
            ok(grzKineticTree_Advance(tree, NULL, time));
            expectTreeRefit(&scene, plan, tree, time, &boxes);
        }
        grzKineticTree_Destroy(tree);
        requests = one.requests;
        assert_int_equal(one.memory.liveCount, 0);
    }
    assert_true(requests >= made + 4); // the lists of several parts
    grzFlightplan_Destroy(plan);
    dropTreeBoxes(&boxes);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesAreThoseOfARefitAtAnyTime),    cmocka_unit_test(partsMeetAtTheTop),
        cmocka_unit_test(eventsDoNotDependOnTheFramesDrawn), cmocka_unit_test(nothingHappensBeforeTheHorizon),
        cmocka_unit_test(keyframesMayComeAsTheyAreNeeded),   cmocka_unit_test(manyEventsAtOneTickAreAllSeen),
        cmocka_unit_test(timesOnBothSidesOfZeroEnd),         cmocka_unit_test(keyframesDroppedTooEarlyAreMissed),
        cmocka_unit_test(pathsMayChangeAtAnyTime),           cmocka_unit_test(translationIsFree),
        cmocka_unit_test(everythingIsTheSameForAnyWorkers),  cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(aBadChangeLeavesTheTreeAsItWas),    cmocka_unit_test(noTrianglesAreNoTrouble),
        cmocka_unit_test(memoryMayBeRefusedAtAnyRequest),    cmocka_unit_test(oneRefusalIsNotForgotten),
    };
    return cmocka_run_group_tests_name("kinetic_tree", tests, NULL, NULL);
}
