// Kinetic BoxTrees: at every time each plane is where the outermost vertex of its side is, every vertex in its leaf's box; counts
// do not depend on how often the tree is looked at, nor on when keyframes come; paths may change; loose parts are ordered anew.
// What comes and goes: test_box_tree_edit.c.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/box_tree.h"

static grzBoxTree* makeTree(const Scene* scene, grzFlightplan* plan) {
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    def.plan = plan, def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
    grzBoxTree* tree;
    ok(grzBoxTree_Create(&def, &tree));
    return tree;
}

// ---- the reference ----

static bool contains(grzBox box, const float* p) {
    return box.lower.x <= p[0] && p[0] <= box.upper.x && box.lower.y <= p[1] && p[1] <= box.upper.y &&
           box.lower.z <= p[2] && p[2] <= box.upper.z;
}

static uint32_t expectInside(const Scene* scene, const grzBoxTree* tree, uint32_t node, grzBox box,
                             const float* positions) {
    const grzBoxTreeView view = grzBoxTree_GetView(tree);
    if (node < view.innerCount) {
        grzBox children[2];
        grzBoxTree_Split(tree, node, box, children);
        assert_true(grzBox_Contains(box, children[0]) && grzBox_Contains(box, children[1]));
        return expectInside(scene, tree, 2 * node + 1, children[0], positions) +
               expectInside(scene, tree, 2 * node + 2, children[1], positions);
    }
    const uint32_t leaf = node - view.innerCount;
    const uint32_t* order = view.order + (size_t)leaf * GRZ_BOX_TREE_LEAF_TRIANGLES;
    for (uint32_t i = 0; i < view.counts[leaf]; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            assert_true(contains(box, positions + 3 * (size_t)scene->triangles[3 * (size_t)order[i] + k]));
    assert_true(view.counts[leaf] <= GRZ_BOX_TREE_LEAF_TRIANGLES);
    return view.counts[leaf];
}

static void checkTime(const Scene* scene, const grzFlightplan* plan, const grzBoxTree* tree, double time) {
    float* positions = takeNumbers(3 * (size_t)scene->vertexCount);
    ok(grzFlightplan_Evaluate(plan, NULL, time, positions, 0));
    const grzBox root = grzBoxTree_RootBox(tree);
    assert_true(grzBoxTree_Validate(tree));
    assert_int_equal(expectInside(scene, tree, 0, root, positions), scene->triangleCount);
    grzBox tight = grzBox_Empty();
    for (uint32_t v = 0; v < scene->vertexCount; ++v)
        tight = grzBox_AddPoint(tight, grzVec3_Load(positions + 3 * (size_t)v));
    assert_true(grzBox_Contains(tight, root) && grzBox_Contains(root, tight));
    free(positions);
}

// ---- tests ----

static void planesAreRightAtAnyTime(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 3, 5, 9, 30};
    grzRng rng = grzRng_Make(testSeed(1001), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            grzFlightplan* plan = planFrames(&scene, FRAMES);
            grzBoxTree* tree = makeTree(&scene, plan);
            double time = 0;
            checkTime(&scene, plan, tree, 0);
            while (time < FRAMES - 1) {
                time = grzRng_Below(&rng, 4) == 0 ? floor(time) + 1
                                                  : fmin(time + 0.5 * (double)grzRng_Float(&rng), FRAMES - 1);
                ok(grzBoxTree_Advance(tree, time));
                checkTime(&scene, plan, tree, time);
            }
            grzBoxTree_Destroy(tree);
            grzFlightplan_Destroy(plan);
            dropScene(&scene);
        }
}

static grzBoxTreeStats countEvents(const Scene* scene, uint32_t perInterval) {
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzBoxTree* tree = makeTree(scene, plan);
    for (uint32_t k = 1; k <= (FRAMES - 1) * perInterval; ++k)
        ok(grzBoxTree_Advance(tree, (double)k / perInterval));
    const grzBoxTreeStats stats = grzBoxTree_GetStats(tree);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    return stats;
}

static void eventsDoNotDependOnTheFramesDrawn(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1002), 0);
    Scene scene = makeScene(&rng, 20, noise);
    const grzBoxTreeStats one = countEvents(&scene, 1), ten = countEvents(&scene, 10),
                          some = countEvents(&scene, 37);
    assert_memory_equal(&one, &ten, sizeof one);
    assert_memory_equal(&one, &some, sizeof one);
    assert_true(one.events > 100 && one.updates >= one.events);
    dropScene(&scene);
}

// But for ties at the start: which of several level ones leads is a matter of what is known ahead.
static void eventsDoNotDependOnWhenKeyframesCome(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1006), 0);
    Scene scene = makeScene(&rng, 14, noise);
    const grzBoxTreeStats all = countEvents(&scene, 3);
    grzFlightplan* plan = planFrames(&scene, 1);
    grzBoxTree* tree = makeTree(&scene, plan);
    for (int f = 1; f < FRAMES; ++f) {
        ok(grzFlightplan_AddKeyframe(plan, f, scene.frames[f], 0));
        ok(grzBoxTree_Advance(tree, f));
        grzFlightplan_DropKeyframes(plan, f);
    }
    const grzBoxTreeStats some = grzBoxTree_GetStats(tree);
    assert_int_equal(all.events, some.events);
    assert_int_equal(all.updates, some.updates);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// Each plane has an event only where another vertex truly passes: at the tick before, the one that it had still led.
static void eventsAreNotEarly(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1007), 0);
    Scene scene = makeScene(&rng, 5, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzBoxTree *tree = makeTree(&scene, plan), *late = makeTree(&scene, plan);
    for (int k = 1; k <= 4000; ++k) {
        ok(grzBoxTree_Advance(tree, k * 0.001));
        const grzBox box = grzBoxTree_RootBox(tree);
        if (k % 10 != 0)
            continue;
        ok(grzBoxTree_Advance(late, k * 0.001));
        const grzBox same = grzBoxTree_RootBox(late);
        assert_memory_equal(&box, &same, sizeof box);
        checkTime(&scene, plan, tree, k * 0.001);
    }
    const grzBoxTreeStats one = grzBoxTree_GetStats(tree), other = grzBoxTree_GetStats(late);
    assert_memory_equal(&one, &other, sizeof one);
    grzBoxTree_Destroy(tree), grzBoxTree_Destroy(late);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// Small whole numbers everywhere: vertices lie level, and pass each other by the dozen at a half, a third, two fifths.
static void placeOnGrid(Scene* scene, grzRng* rng, uint32_t most) {
    for (int f = 0; f < FRAMES; ++f)
        for (size_t i = 0; i < 3 * (size_t)scene->vertexCount; ++i)
            scene->frames[f][i] = (float)grzRng_Below(rng, most);
    for (size_t i = 0; i < 3 * (size_t)scene->vertexCount; ++i) {
        scene->velocities[i] = scene->frames[1][i] - scene->frames[0][i];
        scene->accelerations[i] = most > 6 ? 2 * (float)grzRng_Below(rng, 3) - 2 : 0;
    }
}

// Every tick at which any may pass, and the one after it.
static void manyPassAtOneTick(void** state) {
    (void)state;
    static const double parts[] = {1.0 / 5, 1.0 / 4, 1.0 / 3, 2.0 / 5, 1.0 / 2, 3.0 / 5, 2.0 / 3, 3.0 / 4, 4.0 / 5};
    grzRng rng = grzRng_Make(testSeed(1009), 0);
    for (uint32_t round = 0; round < 40; ++round) {
        Scene scene = makeScene(&rng, 3 + round % 5, noise);
        placeOnGrid(&scene, &rng, 3 + round % 6);
        grzFlightplan* plan = round % 4 == 3 ? planPaths(&scene) : planFrames(&scene, FRAMES);
        const double tick = round % 4 == 3 ? 0x1p-20 : 0x1p-24;
        grzBoxTree* tree = makeTree(&scene, plan);
        for (int f = 0; f < FRAMES - 1; ++f)
            for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
                for (int k = 0; k < 2; ++k) {
                    const double time = f + (floor(parts[i] / tick) + k) * tick;
                    ok(grzBoxTree_Advance(tree, time));
                    checkTime(&scene, plan, tree, time);
                }
        grzBoxTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
        dropScene(&scene);
    }
}

// A vertex passes just before the middle, by less than doubles tell: at the middle it is ahead.
static void whatDoublesCannotTellIsDecided(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 2, flat);
    for (int f = 0; f < FRAMES; ++f)
        scene.frames[f][3 * 2 + 1] = scene.frames[f][3 * 3 + 1] = -5;
    scene.frames[0][1] = 1, scene.frames[1][1] = -0x1p-60F;
    scene.frames[0][3 + 1] = 0, scene.frames[1][3 + 1] = 1;
    grzFlightplan* plan = planFrames(&scene, 2);
    grzBoxTree* tree = makeTree(&scene, plan);
    ok(grzBoxTree_Advance(tree, 0.5 - 0x1p-24));
    const uint64_t before = grzBoxTree_GetStats(tree).events;
    ok(grzBoxTree_Advance(tree, 0.5));
    assert_true(grzBoxTree_GetStats(tree).events > before);
    checkTime(&scene, plan, tree, 0.5);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// One vertex of a leaf passes another, once: one event, which is all there is to look at.
static void anEventLooksAtFewVertices(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 60, flat);
    const uint32_t middle = 30 * 60 + 30;
    for (int f = 1; f < FRAMES; ++f)
        scene.frames[f][3 * middle] += 1.5F;
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzBoxTree* tree = makeTree(&scene, plan);
    ok(grzBoxTree_Advance(tree, FRAMES - 1));
    const grzBoxTreeStats stats = grzBoxTree_GetStats(tree);
    assert_in_range(stats.events, 1, 40);
    assert_true(stats.candidates <= 30 * stats.updates);
    checkTime(&scene, plan, tree, FRAMES - 1);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void keyframesMayComeAsTheyAreNeeded(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1003), 0);
    Scene scene = makeScene(&rng, 12, noise);
    grzFlightplan* plan = planFrames(&scene, 1);
    grzBoxTree* tree = makeTree(&scene, plan);
    for (int f = 1; f < FRAMES; ++f) {
        assert_int_equal(grzBoxTree_Advance(tree, f).status, grz_badArgument);
        ok(grzFlightplan_AddKeyframe(plan, f, scene.frames[f], 0));
        for (double time = f - 0.75; time <= f; time += 0.25) {
            ok(grzBoxTree_Advance(tree, time));
            grzFlightplan_DropKeyframes(plan, time);
            checkTime(&scene, plan, tree, time);
        }
    }
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void pathsMayChangeAtAnyTime(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 4, 9, 20};
    grzRng rng = grzRng_Make(testSeed(1004), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            grzFlightplan* plan = planPaths(&scene);
            grzBoxTree* tree = makeTree(&scene, plan);
            double time = 0;
            for (int round = 0; round < 20; ++round) {
                SomeChange some;
                time += 0.2 * (double)grzRng_Float(&rng);
                drawChange(&scene, &rng, &some);
                ok(round % 2 == 0 ? grzBoxTree_Change(tree, time, &some.change) : grzBoxTree_Advance(tree, time));
                checkTime(&scene, plan, tree, time);
                if (round % 7 == 6) {
                    grzBoxTree_RebuildLoose(tree, 1.01F);
                    checkTime(&scene, plan, tree, time);
                }
            }
            grzBoxTree_Destroy(tree);
            grzFlightplan_Destroy(plan);
            dropScene(&scene);
        }
}

static void looseParts(const grzBoxTree* tree, double* sum, uint32_t node, grzBox box) {
    const grzBoxTreeView view = grzBoxTree_GetView(tree);
    grzBox children[2];
    if (node >= view.innerCount) {
        const grzVec3 size = grzSub(box.upper, box.lower);
        *sum += (double)(size.x * size.y + size.y * size.z + size.z * size.x);
        return;
    }
    grzBoxTree_Split(tree, node, box, children);
    looseParts(tree, sum, 2 * node + 1, children[0]);
    looseParts(tree, sum, 2 * node + 2, children[1]);
}

// A sheet that is thrown about is loose; ordered anew, its boxes are smaller, and only its own.
static void whatIsLooseIsOrderedAnew(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1005), 0);
    Scene scene = makeScene(&rng, 60, waves);
    for (uint32_t v = 0; v < scene.vertexCount / 2; ++v) // a half is mixed up
        for (int axis = 0; axis < 3; ++axis)
            scene.frames[1][3 * v + (uint32_t)axis] = 60 * grzRng_Float(&rng);
    grzFlightplan* plan = planFrames(&scene, 2);
    grzBoxTree* tree = makeTree(&scene, plan);
    assert_int_equal(grzBoxTree_RebuildLoose(tree, 1.01F), 0);
    ok(grzBoxTree_Advance(tree, 1));
    double before = 0, after = 0;
    looseParts(tree, &before, 0, grzBoxTree_RootBox(tree));
    const uint32_t count = grzBoxTree_RebuildLoose(tree, 1.5F);
    looseParts(tree, &after, 0, grzBoxTree_RootBox(tree));
    assert_true(count > 0 && after < 0.9 * before);
    assert_int_equal(grzBoxTree_GetStats(tree).rebuilt, count);
    assert_int_equal(grzBoxTree_RebuildLoose(tree, 1.01F), 0);
    checkTime(&scene, plan, tree, 1);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// In the middle of an interval, and at a keyframe before which all others are gone; then events go on from there.
static void loosePartsAreOrderedAnewAtAnyTime(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1008), 0);
    for (int height = 0; height < HEIGHTS; ++height) {
        Scene scene = makeScene(&rng, 30, heights[height]);
        grzFlightplan* plan = planFrames(&scene, 2);
        grzBoxTree* tree = makeTree(&scene, plan);
        for (int f = 1; f < FRAMES; ++f) {
            for (double time = f - 0.625; time <= f; time += 0.125) {
                ok(grzBoxTree_Advance(tree, time));
                if (time == f)
                    grzFlightplan_DropKeyframes(plan, time);
                grzBoxTree_RebuildLoose(tree, 0.5F); // whatever there is
                checkTime(&scene, plan, tree, time);
            }
            if (f + 1 < FRAMES)
                ok(grzFlightplan_AddKeyframe(plan, f + 1, scene.frames[f + 1], 0));
        }
        assert_true(grzBoxTree_GetStats(tree).rebuilt >= 8);
        grzBoxTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
        dropScene(&scene);
    }
}

static void badCallsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 4, waves);
    grzFlightplan* plan = planFrames(&scene, 3);
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    grzBoxTree* tree;
    assert_int_equal(grzBoxTree_Create(NULL, &tree).status, grz_badDef);
    assert_int_equal(grzBoxTree_Create(&def, &tree).status, grz_badArgument);
    def.plan = plan;
    def.triangleCount = 1;
    assert_int_equal(grzBoxTree_Create(&def, &tree).status, grz_badArgument);
    const uint32_t wrong[6] = {0, 1, 2, 3, 4, scene.vertexCount};
    def.triangles = wrong, def.triangleCount = 2;
    const grzResult result = grzBoxTree_Create(&def, &tree);
    assert_int_equal(result.status, grz_indexTooLarge);
    assert_int_equal(result.index, 1);
    assert_int_equal(result.value, scene.vertexCount);
    def.triangleCount = 1;
    for (size_t failAt = 0; failAt < 3; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        def.allocator = testAllocator(&memory);
        assert_int_equal(grzBoxTree_Create(&def, &tree).status, grz_outOfMemory);
        assert_null(tree);
        assert_int_equal(memory.liveCount, 0);
    }
    TestMemory memory = {.failAt = 3};
    def.allocator = testAllocator(&memory);
    def.startTime = 1;
    ok(grzBoxTree_Create(&def, &tree));
    assert_int_equal(grzBoxTree_Advance(tree, 0.5).status, grz_badArgument);
    assert_int_equal(grzBoxTree_Advance(tree, (double)NAN).status, grz_badArgument);
    const grzFlightplanChange change = {NULL, 0, NULL, NULL, NULL};
    assert_int_equal(grzBoxTree_Change(tree, 1.5, &change).status, grz_badArgument);
    assert_true(grzBoxTree_Validate(tree));
    grzBoxTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
    grzBoxTree_Destroy(NULL);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void noTrianglesAreNoTrouble(void** state) {
    (void)state;
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.kind = grz_planPaths;
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    grzBoxTree* tree;
    ok(grzFlightplan_Create(&planDef, &def.plan));
    ok(grzBoxTree_Create(&def, &tree));
    ok(grzBoxTree_Advance(tree, 5));
    const grzFlightplanChange change = {NULL, 0, NULL, NULL, NULL};
    ok(grzBoxTree_Change(tree, 6, &change));
    assert_int_equal(grzBoxTree_RebuildLoose(tree, 1), 0);
    assert_true(grzBoxTree_RootBox(tree).lower.x > grzBoxTree_RootBox(tree).upper.x);
    assert_true(grzBoxTree_Validate(tree));
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(def.plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planesAreRightAtAnyTime),
        cmocka_unit_test(eventsDoNotDependOnTheFramesDrawn),
        cmocka_unit_test(eventsDoNotDependOnWhenKeyframesCome),
        cmocka_unit_test(manyPassAtOneTick),
        cmocka_unit_test(whatDoublesCannotTellIsDecided),
        cmocka_unit_test(eventsAreNotEarly),
        cmocka_unit_test(anEventLooksAtFewVertices),
        cmocka_unit_test(keyframesMayComeAsTheyAreNeeded),
        cmocka_unit_test(pathsMayChangeAtAnyTime),
        cmocka_unit_test(whatIsLooseIsOrderedAnew),
        cmocka_unit_test(loosePartsAreOrderedAnewAtAnyTime),
        cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(noTrianglesAreNoTrouble),
    };
    return cmocka_run_group_tests_name("box_tree", tests, NULL, NULL);
}
