// Kinetic trees between keyframes: the check of a tree finds every event that is wrong, missing or too much; a batched tree goes
// over keyframes at the price of one; without memory for events the boxes are right and the horizon does not promise too much;
// the same events at every SIMD level and number of workers.
#include "kinetic_testing.h"

#include <math.h>

#include "kinetic_inside.h"
#include "simd_dispatch.h"

// ---- what the check finds ----

// A place of the part that has an event, later than some other.
static uint32_t someEvent(const KineticPart* part, grzRng* rng) {
    for (;;) {
        const uint32_t place = grzRng_Below(rng, part->frames.count);
        if (isfinite(grzFrameQueue_Tick(&part->frames, place)))
            return place;
    }
}

static void spoilFrames(grzKineticTree* tree, KineticPart* part, grzRng* rng) {
    grzFrameQueue* queue = &part->frames;
    const uint32_t place = someEvent(part, rng), lane = queue->lanes[place];
    const float tick = grzFrameQueue_Tick(queue, place);
    const uint32_t slot = queue->slots[place];
    assert_true(grzKineticTree_Validate(tree));
    grzFrameQueue_Set(queue, place, tick + 1, lane);
    assert_false(grzKineticTree_Validate(tree));
    grzFrameQueue_Set(queue, place, tick - 1, lane);
    assert_false(grzKineticTree_Validate(tree));
    grzFrameQueue_Set(queue, place, INFINITY, lane);
    assert_false(grzKineticTree_Validate(tree));
    grzFrameQueue_Set(queue, place, tick, 15);
    assert_false(grzKineticTree_Validate(tree));
    grzFrameQueue_Set(queue, place, tick, lane);
    assert_true(grzKineticTree_Validate(tree));
    uint8_t* marks = &queue->marks[slot / 8];
    *marks ^= (uint8_t)(1U << slot % 8);
    assert_false(grzKineticTree_Validate(tree));
    *marks ^= (uint8_t)(1U << slot % 8);
    // Another lane is not the one to come ahead, but where it holds the same vertex, or one that is level to the end.
    uint32_t refused = 0;
    for (uint32_t other = 0; other < 8; ++other) {
        grzFrameQueue_Set(queue, place, tick, other);
        if (!grzKineticTree_Validate(tree))
            ++refused;
    }
    grzFrameQueue_Set(queue, place, tick, lane);
    assert_true(refused >= 3);
}

static void wrongEventsAreFound(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(731), 0);
    Scene scene = makeScene(&rng, 36, noise);
    for (int order = 0; order < 2; ++order) {
        grzFlightplan* plan = planFrames(&scene, FRAMES);
        grzKineticTree* tree = makeKineticTree(&scene, plan, (grzKineticOrder)order, (double)NAN);
        assert_non_null(tree->top);
        for (double time = 0; time < 1; time += 0.4) {
            ok(grzKineticTree_Advance(tree, NULL, time));
            for (uint32_t i = 0; i <= tree->partCount; ++i)
                if (isfinite(grzFrameQueue_First(&tree->parts[i].frames)))
                    spoilFrames(tree, &tree->parts[i], &rng);
        }
        uint32_t* seen = &tree->seen[realiserPlace(tree->partCount - 1, 4)];
        *seen += 1;
        assert_false(grzKineticTree_Validate(tree));
        *seen -= 1;
        assert_true(grzKineticTree_Validate(tree));
        grzKineticTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
    }
    dropScene(&scene);
}

static void wrongEventsOfPathsAreFound(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(732), 0);
    Scene scene = makeScene(&rng, 8, noise);
    grzFlightplan* plan = planPaths(&scene);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticOrdered, (double)NAN);
    ok(grzKineticTree_Advance(tree, NULL, 0.25));
    grzEventQueue* queue = &tree->parts[0].queue;
    uint32_t tried = 0;
    for (uint32_t slot = 0; slot < tree->parts[0].slotCount; slot += 5) {
        const double time = grzEventQueue_Time(queue, slot);
        assert_true(grzKineticTree_Validate(tree));
        grzEventQueue_Set(queue, slot, isfinite(time) ? (double)INFINITY : 1e6);
        assert_false(grzKineticTree_Validate(tree));
        grzEventQueue_Set(queue, slot, isfinite(time) ? time + plan->tick : time);
        assert_int_equal(grzKineticTree_Validate(tree), !isfinite(time));
        grzEventQueue_Set(queue, slot, time);
        tried += isfinite(time) ? 1U : 0U;
    }
    assert_true(tried > 5);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- at one tick ----

// Small whole numbers: crossings at halves, thirds and quarters of an interval, very many at each.
static void crossingsAtFewTicksAreAllSeen(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(738), 0);
    for (int round = 0; round < 60; ++round) {
        Scene scene = makeScene(&rng, 4 + (uint32_t)round % 20, noise);
        const uint32_t range = 3 + grzRng_Below(&rng, 6);
        for (int f = 0; f < FRAMES; ++f)
            for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i)
                scene.frames[f][i] = (float)grzRng_Below(&rng, range);
        grzFlightplan* plan = planFrames(&scene, FRAMES);
        TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
        for (int order = 0; order < 2; ++order) {
            grzKineticTree* tree = makeKineticTree(&scene, plan, (grzKineticOrder)order, (double)NAN);
            for (int k = 1; k <= 12 * (FRAMES - 1); ++k) { // right after the ticks, among others
                const double time = k / 12.0 + (k % 12 == 0 ? 0 : 0x1p-23);
                ok(grzKineticTree_Advance(tree, NULL, time));
                assert_true(grzKineticTree_Validate(tree));
                if (k % 3 == 0)
                    expectTreeRefit(&scene, plan, tree, time, &boxes);
            }
            grzKineticTree_Destroy(tree);
        }
        dropTreeBoxes(&boxes);
        grzFlightplan_Destroy(plan);
        dropScene(&scene);
    }
}

// ---- over keyframes ----

static void aBatchedTreeGoesOverKeyframesAtOnce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(733), 0);
    static const uint32_t sides[] = {3, 12, 36};
    static const double starts[] = {0, 0.5, 1, 1.25}, ends[] = {2, 2.75, 3, 3.5, 4};
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            grzFlightplan* plan = planFrames(&scene, FRAMES);
            TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
            for (size_t i = 0; i < sizeof starts / sizeof starts[0]; ++i)
                for (size_t e = 0; e < sizeof ends / sizeof ends[0]; ++e) {
                    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticBatched, (double)NAN);
                    ok(grzKineticTree_Advance(tree, NULL, starts[i]));
                    const uint64_t before = grzKineticTree_GetStats(tree).intervals;
                    ok(grzKineticTree_Advance(tree, NULL, ends[e]));
                    assert_true(grzKineticTree_Validate(tree));
                    expectTreeRefit(&scene, plan, tree, ends[e], &boxes);
                    // To a keyframe: a look at that one. Beyond: one more, at the next.
                    const bool isKnown = floor(ends[e]) == fmax(ceil(starts[i]), 1);
                    assert_int_equal(grzKineticTree_GetStats(tree).intervals - before,
                                     (floor(ends[e]) < ends[e]) + !isKnown);
                    ok(grzKineticTree_Advance(tree, NULL, FRAMES - 1));
                    expectTreeRefit(&scene, plan, tree, FRAMES - 1, &boxes);
                    grzKineticTree_Destroy(tree);
                }
            dropTreeBoxes(&boxes);
            grzFlightplan_Destroy(plan);
            dropScene(&scene);
        }
}

// A tree may begin anywhere; it then is what one is that came there.
static void anyStartIsAsGoodAsTheFirst(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(734), 0);
    static const double times[] = {0, 0.5, 1, 2.25, 3, 3.999, 4};
    for (int order = 0; order < 2; ++order)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, 30, heights[height]);
            grzFlightplan* plan = planFrames(&scene, FRAMES);
            TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
            for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
                grzKineticTreeDef def = grzDefaultKineticTreeDef();
                def.bvh = scene.bvh, def.plan = plan, def.order = (grzKineticOrder)order, def.startTime = times[i];
                grzKineticTree* tree;
                ok(grzKineticTree_Create(&def, &tree));
                assert_true(grzKineticTree_Validate(tree));
                expectTreeRefit(&scene, plan, tree, times[i], &boxes);
                const grzKineticTreeStats stats = grzKineticTree_GetStats(tree), none = {0};
                assert_memory_equal(&stats, &none, sizeof none);
                const double next = fmin(times[i] + 0.7, FRAMES - 1);
                ok(grzKineticTree_Advance(tree, NULL, next));
                assert_true(grzKineticTree_Validate(tree));
                expectTreeRefit(&scene, plan, tree, next, &boxes);
                grzKineticTree_Destroy(tree);
            }
            dropTreeBoxes(&boxes);
            grzFlightplan_Destroy(plan);
            dropScene(&scene);
        }
}

// ---- memory ----

// Refuses all after so many, which changes with time.
static void checkWithoutRoom(const Scene* scene, grzKineticOrder order, size_t failAt, TreeBoxes* boxes) {
    TestMemory memory = {.failAt = failAt};
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = plan, def.order = order, def.allocator = testAllocator(&memory);
    grzKineticTree* tree;
    ok(grzKineticTree_Create(&def, &tree));
    for (double time = 0.3; time < FRAMES - 1; time += 0.35) {
        const double horizon = grzKineticTree_Horizon(tree);
        if (horizon <= time) { // nothing happens up to there
            const uint64_t updates = grzKineticTree_GetStats(tree).updates;
            ok(grzKineticTree_Advance(tree, NULL, horizon));
            assert_true(grzKineticTree_GetStats(tree).updates == updates);
        }
        ok(grzKineticTree_Advance(tree, NULL, time));
        assert_true(grzKineticTree_Validate(tree));
        expectTreeRefit(scene, plan, tree, time, boxes);
        for (uint32_t i = 0; i <= tree->partCount; ++i) // what was lost is made up for
            assert_false(tree->parts[i].hasLost);
        if (time > 2)
            memory.failAt = SIZE_MAX; // there is room again, for the next interval
    }
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    assert_int_equal(memory.liveCount, 0);
}

static void eventsWithoutRoomLeaveTheBoxesRight(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(735), 0);
    for (int kind = 0; kind < 2; ++kind) {
        Scene scene = makeScene(&rng, kind == 0 ? 10 : 36, noise);
        TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
        for (int order = 0; order < 2; ++order)
            for (size_t failAt = 3; failAt < (kind == 0 ? 6 : 12); ++failAt)
                checkWithoutRoom(&scene, (grzKineticOrder)order, failAt, &boxes);
        dropTreeBoxes(&boxes);
        dropScene(&scene);
    }
}

// ---- sameness ----

static grzKineticTreeStats runAll(const Scene* scene, grzKineticOrder order, grzBvhNumbering numbering,
                                  grzTasks* tasks, TreeBoxes* boxes) {
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = plan, def.order = order, def.tasks = tasks, def.numbering = numbering;
    grzKineticTree* tree;
    ok(grzKineticTree_Create(&def, &tree));
    for (double time = 0.25; time < 3.2; time += 0.6)
        ok(grzKineticTree_Advance(tree, tasks, time));
    ok(grzKineticTree_WriteBoxes(tree, tasks, boxes->found));
    const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    return stats;
}

static void keyframesAreTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(736), 0);
    Scene scene = makeScene(&rng, 60, noise);
    TreeBoxes first = takeTreeBoxes(&scene, scene.vertexCount), boxes = takeTreeBoxes(&scene, scene.vertexCount);
    for (int order = 0; order < 2; ++order) {
        const grzKineticTreeStats expected =
            runAll(&scene, (grzKineticOrder)order, grz_bvhCallersNumbers, NULL, &first);
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            const grzKineticTreeStats stats =
                runAll(&scene, (grzKineticOrder)order, grz_bvhCallersNumbers, tasks, &boxes);
            assert_memory_equal(&expected, &stats, sizeof stats);
            assert_memory_equal(first.found, boxes.found, boxes.nodeCount * sizeof *boxes.found);
            grzTasks_Destroy(tasks);
        }
        for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
            if (!grzSimd_Supports((grzSimdLevel)level))
                continue;
            const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
            const grzKineticTreeStats stats =
                runAll(&scene, (grzKineticOrder)order, grz_bvhCallersNumbers, NULL, &boxes);
            grzSimd_Force(before);
            assert_memory_equal(&expected, &stats, sizeof stats);
            assert_memory_equal(first.found, boxes.found, boxes.nodeCount * sizeof *boxes.found);
        }
    }
    dropTreeBoxes(&first), dropTreeBoxes(&boxes);
    dropScene(&scene);
}

// In the tree's own numbers rows are read where they lie.
static void bothNumberingsGiveTheSame(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(737), 0);
    Scene scene = makeScene(&rng, 40, noise);
    TreeBoxes first = takeTreeBoxes(&scene, scene.vertexCount), boxes = takeTreeBoxes(&scene, scene.vertexCount);
    const grzBvhView view = grzBvh_GetView(scene.bvh);
    for (int order = 0; order < 2; ++order) {
        const grzKineticTreeStats expected =
            runAll(&scene, (grzKineticOrder)order, grz_bvhCallersNumbers, NULL, &first);
        Scene own = scene;
        for (int f = 0; f < FRAMES; ++f) {
            own.frames[f] = takeNumbers(3 * (size_t)scene.vertexCount);
            for (uint32_t v = 0; v < scene.vertexCount; ++v)
                memcpy(own.frames[f] + 3 * v, scene.frames[f] + 3 * view.vertexToCaller[v], 3 * sizeof(float));
        }
        const grzKineticTreeStats stats = runAll(&own, (grzKineticOrder)order, grz_bvhTreesNumbers, NULL, &boxes);
        assert_memory_equal(&expected, &stats, sizeof stats);
        assert_memory_equal(first.found, boxes.found, boxes.nodeCount * sizeof *boxes.found);
        for (int f = 0; f < FRAMES; ++f)
            free(own.frames[f]);
    }
    dropTreeBoxes(&first), dropTreeBoxes(&boxes);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrongEventsAreFound),
        cmocka_unit_test(wrongEventsOfPathsAreFound),
        cmocka_unit_test(crossingsAtFewTicksAreAllSeen),
        cmocka_unit_test(aBatchedTreeGoesOverKeyframesAtOnce),
        cmocka_unit_test(anyStartIsAsGoodAsTheFirst),
        cmocka_unit_test(eventsWithoutRoomLeaveTheBoxesRight),
        cmocka_unit_test(keyframesAreTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(bothNumberingsGiveTheSame),
    };
    return cmocka_run_group_tests_name("kinetic_interval", tests, NULL, NULL);
}
