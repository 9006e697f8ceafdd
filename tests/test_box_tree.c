// Kinetic BoxTrees: at every time each plane is where the outermost vertex of its side is, every vertex in its leaf's box; counts do not
// depend on how often the tree is looked at; paths may change; loose parts are ordered anew.
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
    for (uint32_t i = view.starts[leaf]; i < view.starts[leaf + 1]; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            assert_true(contains(box, positions + 3 * (size_t)scene->triangles[3 * (size_t)view.order[i] + k]));
    assert_true(view.starts[leaf + 1] - view.starts[leaf] <= GRZ_BOX_TREE_LEAF_TRIANGLES);
    return view.starts[leaf + 1] - view.starts[leaf];
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
    for (size_t failAt = 0; failAt < 2; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        def.allocator = testAllocator(&memory);
        assert_int_equal(grzBoxTree_Create(&def, &tree).status, grz_outOfMemory);
        assert_null(tree);
        assert_int_equal(memory.liveCount, 0);
    }
    TestMemory memory = {.failAt = 2};
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
        cmocka_unit_test(planesAreRightAtAnyTime),         cmocka_unit_test(eventsDoNotDependOnTheFramesDrawn),
        cmocka_unit_test(keyframesMayComeAsTheyAreNeeded), cmocka_unit_test(pathsMayChangeAtAnyTime),
        cmocka_unit_test(whatIsLooseIsOrderedAnew),        cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(noTrianglesAreNoTrouble),
    };
    return cmocka_run_group_tests_name("box_tree", tests, NULL, NULL);
}
