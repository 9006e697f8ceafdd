// Objects that move: how far an update climbs, what a margin saves, that an update of all objects stores the same
// as single ones at any SIMD level and worker count, that movement heals an imbalanced tree and leaves none behind,
// and that no update needs memory.
#include "tree_testing.h"

enum { sceneCount = 400 };

typedef struct Scene {
    grzTree* tree;
    grzBox boxes[sceneCount];
    grzTreeId ids[sceneCount];
} Scene;

static void makeScene(Scene* scene, TestScene kind, grzRng* rng, grzTreeDef def) {
    testMakeScene(kind, rng, scene->boxes, sceneCount);
    testOk(grzTree_Create(&def, &scene->tree));
    testInsertAll(scene->tree, scene->boxes, sceneCount, 0, scene->ids);
    grzTree_Prepare(scene->tree, NULL);
}

static grzTreeDef makeDef(int nesting, int retention, uint32_t threshold) {
    grzTreeDef def = grzDefaultTreeDef();
    def.nesting = (grzNesting)nesting;
    def.retention = (grzRetention)retention;
    def.splitThreshold = threshold;
    return def;
}

static grzVec3 stepOf(grzRng* rng, grzBox box, float share) {
    grzVec3 d = testDirection(rng), h = grzBox_HalfExtent(box);
    return grzScale(grzVec3_Make(d.x * h.x, d.y * h.y, d.z * h.z), share);
}

static grzBox shifted(grzBox box, grzVec3 step) {
    return grzBox_Make(grzAdd(box.lower, step), grzAdd(box.upper, step));
}

// Every box by a share of its own size.
static void moveAll(grzBox* boxes, uint32_t count, grzRng* rng, float share) {
    for (uint32_t i = 0; i < count; ++i)
        boxes[i] = shifted(boxes[i], stepOf(rng, boxes[i], share));
}

static void assertStored(const Scene* scene) {
    for (uint32_t i = 0; i < sceneCount; ++i)
        assert_true(testSameBox(testStoredBox(scene->tree, scene->ids[i]), scene->boxes[i]));
}

// ------------------------------------------------------------------------------------- climbing [Shagam] 2.1.4

static uint32_t nodeOf(const grzTree* tree, grzTreeId id) {
    return treeObjectNode(tree, id.index1 - 1);
}

static void anUpdateClimbsToTheFirstNodeThatHoldsTheBox(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainNone, 4, NULL);
    grzTreeId ids[16];
    for (uint32_t i = 0; i < 16; ++i)
        ids[i] = testInsert(tree, testBoxAround(grzVec3_Make((float)i, 0, 0), grzVec3_Splat(0.25F)), i);
    grzTree_Prepare(tree, NULL);
    // Leaves of four: 0-3, 4-7, 8-11, 12-15. Within its leaf's box nothing but the box changes.
    uint32_t leaf = nodeOf(tree, ids[1]);
    grzBox leafBox = treeNodeBox(tree, leaf);
    testOk(grzTree_Update(tree, ids[1], testBoxAround(grzVec3_Make(2.5F, 0, 0), grzVec3_Splat(0.125F))));
    assert_int_equal(nodeOf(tree, ids[1]), leaf);
    assert_true(testSameBox(treeNodeBox(tree, leaf), leafBox) && grzTree_GetStats(tree).movedCount == 0);
    // To the neighbour: the common parent holds it, and the root's split point is not asked.
    tree->infos[tree_root].split[0] = -1000;
    testOk(grzTree_Update(tree, ids[1], testBoxAround(grzVec3_Make(5.5F, 0, 0), grzVec3_Splat(0.25F))));
    assert_int_equal(nodeOf(tree, ids[1]), nodeOf(tree, ids[5]));
    assert_int_equal(grzTree_GetStats(tree).movedCount, 1);
    // Out of that parent: now the root decides, and all is right of it.
    testOk(grzTree_Update(tree, ids[5], testBoxAround(grzVec3_Make(8.5F, 0, 0), grzVec3_Splat(0.25F))));
    assert_int_equal(nodeOf(tree, ids[5]), nodeOf(tree, ids[9]));
    // Out of the root: the boxes on the way grow at once.
    testOk(grzTree_Update(tree, ids[15], testBoxAround(grzVec3_Make(50, 0, 0), grzVec3_Splat(0.25F))));
    assert_true(treeNodeBox(tree, tree_root).upper.x == 50.25F);
    testAssertValid(tree);
    grzTree_Destroy(tree);
}

// An object other than `but` in the node where a box goes, seen from the first node that holds it; TREE_NONE where
// that is a child still to be made, or there is nobody else.
static uint32_t neighbourToBe(const grzTree* tree, uint32_t but, grzBox box) {
    uint32_t start = treeObjectNode(tree, but);
    while (start != tree_root && !grzBox_Contains(treeNodeBox(tree, start), box))
        start = tree->infos[start].parent;
    TreePlace place = grzTreeFindPlace(tree, start, box);
    const TreeNode* n = &tree->nodes[place.node];
    for (uint32_t i = 0; place.code < 0 && i < n->objectCount; ++i) {
        uint32_t object = tree->blocks[n->firstBlock + i / tree_lanes].object[i % tree_lanes];
        if (object != but)
            return object;
    }
    return TREE_NONE;
}

static void updatedObjectsComeToTheirNewNeighbours(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3101), 0);
    Scene scene;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        makeScene(&scene, test_uniform, &rng, makeDef(nesting, grz_retainNone, 8));
        uint32_t seen = 0;
        for (uint32_t i = 0; i < sceneCount; ++i) {
            grzBox box = scene.boxes[grzRng_Below(&rng, sceneCount)];
            uint32_t neighbour = neighbourToBe(scene.tree, scene.ids[i].index1 - 1, box);
            testOk(grzTree_Update(scene.tree, scene.ids[i], box));
            if (neighbour != TREE_NONE) {
                assert_int_equal(nodeOf(scene.tree, scene.ids[i]), treeObjectNode(scene.tree, neighbour));
                seen++;
            }
            testAssertValid(scene.tree);
        }
        assert_true(seen > sceneCount / 2 && grzTree_GetStats(scene.tree).movedCount > sceneCount / 2);
        grzTree_Destroy(scene.tree);
    }
}

// -------------------------------------------------------------------------------------------------------- margins

static void anUpdateWithinTheMarginIsFree(void** state) {
    (void)state;
    grzTreeDef def = makeDef(grz_nestRank, grz_retainVolume, 8);
    def.margin = 1;
    grzRng rng = grzRng_Make(testSeed(3102), 0);
    Scene scene;
    makeScene(&scene, test_uniform, &rng, def);
    TestDump before = testDumpTree(scene.tree);
    for (uint32_t i = 0; i < sceneCount; ++i) {
        assert_true(testSameBox(testStoredBox(scene.tree, scene.ids[i]), grzBox_Expand(scene.boxes[i], 1)));
        grzBox box = shifted(scene.boxes[i], grzVec3_Make(0.75F, -0.75F, 0.75F));
        testOk(grzTree_Update(scene.tree, scene.ids[i], box));
        box.lower = grzAdd(box.lower, grzVec3_Splat(0.5F)); // somewhat smaller is free too
        testOk(grzTree_Update(scene.tree, scene.ids[i], box));
    }
    testAssertUnchanged(scene.tree, &before);
    for (uint32_t i = 0; i < sceneCount; i += 2) {
        grzBox box = i % 4 == 0 ? shifted(scene.boxes[i], grzVec3_Make(0, 1.5F, 0)) // leaves the stored box
                                : testBoxAround(grzBox_Center(scene.boxes[i]), grzVec3_Splat(0.01F));
        bool isMuchSmaller =
            i % 4 != 0 && !grzBox_Contains(grzBox_Expand(box, 4), grzBox_Expand(scene.boxes[i], 1));
        testOk(grzTree_Update(scene.tree, scene.ids[i], box));
        grzBox expected = i % 4 == 0 || isMuchSmaller ? grzBox_Expand(box, 1) : grzBox_Expand(scene.boxes[i], 1);
        assert_true(testSameBox(testStoredBox(scene.tree, scene.ids[i]), expected));
    }
    testAssertValid(scene.tree);
    grzTree_Destroy(scene.tree);
}

static void aMarginAroundTheLargestBoxStaysFinite(void** state) {
    (void)state;
    grzTreeDef def = makeDef(grz_nestRank, grz_retainVolume, 8);
    def.margin = 0.5F;
    grzTree* tree;
    testOk(grzTree_Create(&def, &tree));
    grzBox world = grzBox_Make(grzVec3_Splat(-FLT_MAX), grzVec3_Splat(FLT_MAX));
    grzTreeId id = testInsert(tree, world, 0);
    assert_true(testSameBox(testStoredBox(tree, id), world));
    testOk(grzTree_Update(tree, id, grzBox_Make(grzVec3_Splat(0), grzVec3_Splat(1))));
    testOk(grzTree_UpdateAll(tree, NULL, &world, 1));
    assert_true(testSameBox(testStoredBox(tree, id), world));
    testAssertValid(tree);
    grzTree_Destroy(tree);
}

// ---------------------------------------------------------------------------------- all objects at once, and many

// Boxes that no float rounding leaves alone: thirds, denormals, zeros of both signs, large ones.
static void makeAwkward(grzBox* boxes, uint32_t count, grzRng* rng) {
    static const float scales[] = {0, 1e-42F, 1e-20F, 1.0F / 3, 1e6F, 1e30F};
    for (uint32_t i = 0; i < count; ++i) {
        float scale = scales[grzRng_Below(rng, 6)];
        grzVec3 a = grzScale(grzSub(testPointIn(rng, 2), grzVec3_Splat(1)), scale);
        boxes[i] = grzBox_Make(a, grzAdd(a, grzScale(testPointIn(rng, 1), scale)));
    }
}

static void updateAllStoresWhatUpdateStores(void* context) {
    uint64_t seed = *(const uint64_t*)context;
    static const float margins[] = {0, 0.1F, 1e-40F, 3e38F};
    for (int i = 0; i < 4; ++i) {
        grzTreeDef def = makeDef(i, grz_retainVolume, 8);
        def.margin = margins[i];
        grzRng rng = grzRng_Make(seed, 0);
        Scene all, single;
        makeScene(&all, test_uniform, &rng, def);
        rng = grzRng_Make(seed, 0);
        makeScene(&single, test_uniform, &rng, def);
        grzBox boxes[sceneCount];
        makeAwkward(boxes, sceneCount, &rng);
        testOk(grzTree_UpdateAll(all.tree, NULL, boxes, sceneCount));
        for (uint32_t k = 0; k < sceneCount; ++k) { // out of the way, so that no old box serves
            testOk(
                grzTree_Update(single.tree, single.ids[k], testBoxAround(grzVec3_Splat(-5e37F), grzVec3_Zero())));
            testOk(grzTree_Update(single.tree, single.ids[k], boxes[k]));
        }
        for (uint32_t k = 0; k < sceneCount && margins[i] < 1e38F; ++k)
            assert_true(
                testSameBox(testStoredBox(all.tree, all.ids[k]), testStoredBox(single.tree, single.ids[k])));
        testAssertValid(all.tree);
        testAssertValid(single.tree);
        grzTree_Destroy(all.tree);
        grzTree_Destroy(single.tree);
    }
}

static void updateAllStoresWhatUpdateStoresAtEveryLevel(void** state) {
    (void)state;
    uint64_t seed = testSeed(3103);
    testAtEveryLevel(updateAllStoresWhatUpdateStores, &seed);
}

// One history for all levels and worker counts.
typedef struct History {
    TestScene kind;
    grzTreeDef def;
    grzTasks* tasks;
    uint64_t seed;
    TestDump dump;
} History;

static void liveHistory(void* context) {
    History* history = context;
    grzRng rng = grzRng_Make(history->seed, (uint64_t)history->kind);
    Scene scene;
    makeScene(&scene, history->kind, &rng, history->def);
    for (int frame = 0; frame < 6; ++frame) {
        moveAll(scene.boxes, sceneCount, &rng, 1.5F);
        testOk(grzTree_UpdateAll(scene.tree, history->tasks, scene.boxes, sceneCount));
        testAssertValid(scene.tree);
        for (uint32_t i = 0; i < scene.tree->nodeCount; ++i)
            assert_false(scene.tree->infos[i].isLive && scene.tree->infos[i].isStale);
        assertStored(&scene);
        if (frame % 2 == 0)
            grzTree_Prepare(scene.tree, NULL);
    }
    TestDump dump = testDumpTree(scene.tree);
    if (history->dump.bytes != NULL)
        assert_true(testSameDump(&dump, &history->dump));
    testFreeDump(&history->dump);
    history->dump = dump;
    grzTree_Destroy(scene.tree);
}

static void updateAllLeavesTheSameBytesForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    uint64_t seed = testSeed(3104);
    grzTasks* tasks[4];
    for (int i = 0; i < 4; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers[i];
        testOk(grzTasks_Create(&def, &tasks[i]));
    }
    for (int kind = 0; kind < test_sceneKinds; ++kind) {
        if (kind == test_astronomical) // would leave the range of floats
            continue;
        for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
            History history = {.kind = (TestScene)kind, .seed = seed};
            history.def = makeDef(nesting, (kind + nesting) % TEST_RETENTIONS, 8);
            testAtEveryLevel(liveHistory, &history);
            for (int i = kind < 2 ? 0 : 3; i < 4; ++i) {
                history.tasks = tasks[kind < 2 ? i : (kind + nesting) % 4];
                liveHistory(&history);
            }
            testFreeDump(&history.dump);
        }
    }
    for (int i = 0; i < 4; ++i)
        grzTasks_Destroy(tasks[i]);
}

static void updateAllHoldsObjectsOfAstronomicalSize(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3105), 0);
    Scene scene;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        makeScene(&scene, test_astronomical, &rng, makeDef(nesting, grz_retainVolume, 8));
        scene.boxes[7] = grzBox_Make(grzVec3_Splat(-FLT_MAX), grzVec3_Splat(FLT_MAX));
        scene.boxes[8] = grzBox_Make(grzVec3_Splat(FLT_MAX), grzVec3_Splat(FLT_MAX));
        scene.boxes[9] = grzBox_Make(grzVec3_Splat(-FLT_MAX), grzVec3_Splat(-FLT_MAX));
        for (int frame = 0; frame < 3; ++frame) {
            testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount));
            testAssertValid(scene.tree);
            assertStored(&scene);
            grzTree_Prepare(scene.tree, NULL);
        }
        grzTree_Destroy(scene.tree);
    }
}

static void updateAllReadsNoBoxOfNobody(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3106), 0);
    Scene scene;
    makeScene(&scene, test_uniform, &rng, makeDef(grz_nestRank, grz_retainVolume, 8));
    for (uint32_t i = 0; i < sceneCount; i += 3) {
        testOk(grzTree_Remove(scene.tree, scene.ids[i]));
        scene.boxes[i] = grzBox_Make(grzVec3_Splat(NAN), grzVec3_Splat(-INFINITY));
    }
    testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount));
    scene.boxes[31].upper.z = NAN;
    grzResult result = grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.index, 31);
    testAssertValid(scene.tree);
    grzTree_Destroy(scene.tree);
}

// Lanes that a refused insertion filled for a while name nobody beyond the indices that are left. The array is of exactly the
// size that is asked for, so that a sanitizer sees what lies behind it.
static bool updateAfterFailure(grzNesting nesting, const grzBox* boxes, size_t failAt) {
    enum { firstPart = sceneCount / 4 };
    TestMemory memory = {.failAt = SIZE_MAX};
    grzTree* tree = testMakeTree(nesting, grz_retainVolume, 8, &memory);
    grzTreeObject objects[sceneCount];
    for (uint32_t i = 0; i < sceneCount; ++i)
        objects[i] = testObject(boxes[i], i);
    testOk(grzTree_InsertMany(tree, objects, firstPart, NULL));
    grzTree_Prepare(tree, NULL);
    memory.failAt = memory.requests + failAt;
    bool isOk = grzResult_IsOk(grzTree_InsertMany(tree, objects + firstPart, sceneCount - firstPart, NULL));
    memory.failAt = SIZE_MAX;
    testAssertValid(tree);
    uint32_t count = grzTree_IndexCount(tree);
    assert_int_equal(count, isOk ? sceneCount : firstPart);
    grzBox* exact = malloc(count * sizeof *exact);
    assert_non_null(exact);
    memcpy(exact, boxes, count * sizeof *exact);
    testOk(grzTree_UpdateAll(tree, NULL, exact, count));
    free(exact);
    testAssertValid(tree);
    grzTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
    return isOk;
}

static void updateAllReadsNoBoxOfThoseWhoWereRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3118), 0);
    grzBox boxes[sceneCount];
    testMakeScene(test_clustered, &rng, boxes, sceneCount);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        size_t failAt = 0;
        while (!updateAfterFailure((grzNesting)nesting, boxes, failAt))
            failAt++;
        assert_true(failAt > 3);
    }
}

static void manyUpdatesAreAllOrNoneAndTheLaterCounts(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3107), 0);
    Scene scene;
    makeScene(&scene, test_uniform, &rng, makeDef(grz_nestOctree, grz_retainVolume, 8));
    moveAll(scene.boxes, sceneCount, &rng, 3);
    grzTreeId ids[sceneCount];
    memcpy(ids, scene.ids, sizeof ids);
    ids[sceneCount - 1].generation++;
    TestDump before = testDumpTree(scene.tree);
    grzResult result = grzTree_UpdateMany(scene.tree, ids, scene.boxes, sceneCount);
    assert_int_equal(result.status, grz_staleHandle);
    assert_int_equal(result.part, grz_partObject);
    assert_int_equal(result.index, sceneCount - 1);
    testAssertUnchanged(scene.tree, &before);
    ids[sceneCount - 1] = ids[0]; // the same object twice
    testOk(grzTree_UpdateMany(scene.tree, ids, scene.boxes, sceneCount));
    assert_true(testSameBox(testStoredBox(scene.tree, ids[0]), scene.boxes[sceneCount - 1]));
    assert_true(testSameBox(testStoredBox(scene.tree, ids[5]), scene.boxes[5]));
    testAssertValid(scene.tree);
    grzTree_Destroy(scene.tree);
}

// ------------------------------------------------------------------------------------------ healing [Shagam] 2.1.6

// Figure 2.2 d: objects that come from left to right, with a query after each few of them, make a chain: the root
// was split among the first and has nearly all in one child, and so on below.
static int compareByX(const void* a, const void* b) {
    float x = ((const grzBox*)a)->lower.x, y = ((const grzBox*)b)->lower.x;
    return x < y ? -1 : x > y;
}

static void makeImbalance(Scene* scene, int nesting, grzRng* rng) {
    scene->tree = testMakeTree((grzNesting)nesting, grz_retainNone, 8, NULL);
    testMakeScene(test_uniform, rng, scene->boxes, sceneCount);
    qsort(scene->boxes, sceneCount, sizeof scene->boxes[0], compareByX);
    for (uint32_t i = 0; i < sceneCount; ++i) {
        scene->boxes[i] = shifted(scene->boxes[i], grzVec3_Make(2 * (float)i, 0, 0));
        scene->ids[i] = testInsert(scene->tree, scene->boxes[i], i);
        if (i % 10 == 9)
            grzTree_Prepare(scene->tree, NULL);
    }
}

// As in the paper's experiment: each object moves in a random direction, as far as it is large.
static void cycle(Scene* scene, grzRng* rng, bool isAll) {
    moveAll(scene->boxes, sceneCount, rng, 1);
    testOk(isAll ? grzTree_UpdateAll(scene->tree, NULL, scene->boxes, sceneCount)
                 : grzTree_UpdateMany(scene->tree, scene->ids, scene->boxes, sceneCount));
    grzTree_Prepare(scene->tree, NULL);
}

static uint32_t largestChildOfRoot(const grzTree* tree) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < treeChildCount(tree, tree_root); ++i) {
        uint32_t count = grzTreeSubtreeCount(tree, tree->nodes[tree_root].firstChild + i);
        most = count > most ? count : most;
    }
    return most;
}

static void healByMovement(int nesting, bool isAll, grzRng* rng) {
    Scene scene;
    makeImbalance(&scene, nesting, rng);
    uint32_t depth = grzTree_GetStats(scene.tree).depth, share = largestChildOfRoot(scene.tree);
    for (int i = 0; i < 100; ++i)
        cycle(&scene, rng, isAll);
    testAssertValid(scene.tree);
    grzTree* fresh = testMakeTree((grzNesting)nesting, grz_retainNone, 8, NULL);
    testInsertAll(fresh, scene.boxes, sceneCount, 0, NULL);
    grzTree_Prepare(fresh, NULL);
    grzTreeStats healed = grzTree_GetStats(scene.tree), best = grzTree_GetStats(fresh);
    if (nesting == grz_nestKd || nesting == grz_nestTernary) {
        assert_true(depth >= healed.depth + 4 && healed.depth <= best.depth + 4);
    } else { // never deep, but lopsided
        uint32_t healedShare = largestChildOfRoot(scene.tree), bestShare = largestChildOfRoot(fresh);
        assert_true(share > bestShare + bestShare / 4 && healedShare < share);
        assert_true(healedShare <= bestShare + bestShare / 2);
    }
    grzTree_Destroy(fresh);
    grzTree_Destroy(scene.tree);
}

static void movementHealsAnImbalancedTree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3108), 0);
    for (int nesting = grz_nestKd; nesting <= grz_nestIcoseptree; ++nesting) {
        healByMovement(nesting, false, &rng);
        healByMovement(nesting, true, &rng);
    }
}

// A scene that travels by many times its size, by single updates or all at once, leaves nothing behind.
static void aTravellingSceneKeepsItsTree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3109), 0);
    Scene scene;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        for (int isAll = 0; isAll < 2; ++isAll) {
            makeScene(&scene, test_uniform, &rng, makeDef(nesting, grz_retainVolume, 16));
            grzTreeStats first = grzTree_GetStats(scene.tree);
            for (int frame = 0; frame < 300; ++frame) {
                for (uint32_t i = 0; i < sceneCount; ++i)
                    scene.boxes[i] = shifted(scene.boxes[i], grzVec3_Make(20, 0, 0));
                testOk(isAll != 0 ? grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount)
                                  : grzTree_UpdateMany(scene.tree, scene.ids, scene.boxes, sceneCount));
                grzTree_Prepare(scene.tree, NULL);
            }
            grzTreeStats last = grzTree_GetStats(scene.tree);
            assert_true(last.depth < 24 && last.nodeCount <= 3 * first.nodeCount);
            testAssertValid(scene.tree);
            grzTree_Destroy(scene.tree);
        }
    }
}

// Objects appear ahead and vanish behind; none of them ever moves.
static void aSlidingWindowKeepsItsTree(void** state) {
    (void)state;
    enum { window = 300 };
    grzRng rng = grzRng_Make(testSeed(3110), 0);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainNone, 16, NULL);
        grzTreeId ids[window];
        for (uint32_t i = 0; i < 30 * window; ++i) {
            if (i >= window)
                testOk(grzTree_Remove(tree, ids[i % window]));
            grzVec3 centre = grzAdd(testPointIn(&rng, 20), grzVec3_Make(0.1F * (float)i, 0, 0));
            ids[i % window] = testInsert(tree, testBoxAround(centre, grzVec3_Splat(1)), i);
            if (i % 10 == 0)
                grzTree_Prepare(tree, NULL);
        }
        grzTreeStats stats = grzTree_GetStats(tree);
        assert_true(stats.depth < 16 && stats.nodeCount < window);
        testAssertValid(tree);
        grzTree_Destroy(tree);
    }
}

static void whatLayInOnePlaceIsSplitWhenItComesApart(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzRng rng = grzRng_Make(testSeed(3111), 0);
        Scene scene;
        makeScene(&scene, test_allEqual, &rng, makeDef(nesting, nesting % 2, 16));
        assert_int_equal(grzTree_GetStats(scene.tree).largestLeaf, sceneCount);
        testMakeScene(test_uniform, &rng, scene.boxes, sceneCount);
        testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount));
        grzTree_Prepare(scene.tree, NULL);
        assert_true(grzTree_GetStats(scene.tree).largestLeaf <= 16);
        testAssertValid(scene.tree);
        grzTree_Destroy(scene.tree);
    }
}

// Half of the objects are large enough to stay in inner nodes when the tree is split, and then shrink.
static void whatWasLargeGoesDownWhenItShrinks(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzRng rng = grzRng_Make(testSeed(3114), 0);
        Scene scene = {.tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 16, NULL)};
        testMakeScene(test_uniform, &rng, scene.boxes, sceneCount);
        for (uint32_t i = 0; i < sceneCount; ++i) {
            grzBox box = scene.boxes[i];
            scene.ids[i] = testInsert(scene.tree, i % 2 == 0 ? box : grzBox_Expand(box, 60), i);
        }
        grzTree_Prepare(scene.tree, NULL);
        assert_true(grzTree_GetStats(scene.tree).innerObjectCount > 10);
        for (int frame = 0; frame < 3; ++frame) {
            testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount));
            grzTree_Prepare(scene.tree, NULL);
            testAssertValid(scene.tree);
        }
        assert_true(grzTree_GetStats(scene.tree).innerObjectCount < 10);
        assertStored(&scene);
        grzTree_Destroy(scene.tree);
    }
}

// As many as an insertion of the same boxes keeps above, or nearly: boxes of nodes follow a frame later.
static void whatGrowsIsSetAside(void** state) {
    (void)state;
    for (int which = 0; which < 2 * TEST_NESTINGS; ++which) {
        grzRetention retention = which % 2 == 0 ? grz_retainVolume : grz_retainLinear;
        grzTree* fresh = testMakeTree((grzNesting)(which / 2), retention, 16, NULL);
        grzRng rng = grzRng_Make(testSeed(3115), 0);
        Scene scene = {.tree = testMakeTree((grzNesting)(which / 2), retention, 16, NULL)};
        testMakeScene(test_uniform, &rng, scene.boxes, sceneCount);
        for (uint32_t i = 0; i < sceneCount; ++i) {
            scene.ids[i] = testInsert(scene.tree, scene.boxes[i], i);
            scene.boxes[i] = grzBox_Expand(scene.boxes[i], i % 16 == 0 ? 60.0f : 0.0f);
            testInsert(fresh, scene.boxes[i], i);
        }
        grzTree_Prepare(scene.tree, NULL);
        grzTree_Prepare(fresh, NULL);
        for (int frame = 0; frame < 3; ++frame) {
            testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount));
            grzTree_Prepare(scene.tree, NULL);
            testAssertValid(scene.tree);
        }
        uint32_t kept = grzTree_GetStats(scene.tree).innerObjectCount;
        uint32_t wanted = grzTree_GetStats(fresh).innerObjectCount;
        assert_true(retention == grz_retainLinear || wanted > 10);
        assert_in_range(kept, wanted / 2, 2 * wanted + 10);
        assertStored(&scene);
        grzTree_Destroy(fresh);
        grzTree_Destroy(scene.tree);
    }
}

static void whatBecomesThinIsTakenTogether(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzRng rng = grzRng_Make(testSeed(3112), 0);
        Scene scene;
        makeScene(&scene, test_uniform, &rng, makeDef(nesting, grz_retainNone, 16));
        for (uint32_t i = 8; i < sceneCount; ++i)
            testOk(grzTree_Remove(scene.tree, scene.ids[i]));
        uint64_t unsplitCount = grzTree_GetStats(scene.tree).unsplitCount;
        bool isSplit = grzTree_GetStats(scene.tree).nodeCount > 1;
        testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount));
        grzTreeStats stats = grzTree_GetStats(scene.tree);
        assert_true(stats.nodeCount == 1 && stats.largestLeaf == 8);
        assert_true(isSplit && stats.unsplitCount > unsplitCount);
        testAssertValid(scene.tree);
        grzTree_Destroy(scene.tree);
    }
}

// ------------------------------------------------------------------------------------------------ failing memory

// Updates of one kind while the k-th request and all after it fail.
static void updateStarving(Scene* scene, TestMemory* memory, grzRng* rng, bool isAll, size_t failAt) {
    moveAll(scene->boxes, sceneCount, rng, 6);
    memory->failAt = memory->requests + failAt;
    testOk(isAll ? grzTree_UpdateAll(scene->tree, NULL, scene->boxes, sceneCount)
                 : grzTree_UpdateMany(scene->tree, scene->ids, scene->boxes, sceneCount));
    testAssertValid(scene->tree);
    assertStored(scene);
    grzTree_Prepare(scene->tree, NULL);
    testAssertValid(scene->tree);
    memory->failAt = SIZE_MAX;
}

static void updatesNeedNoMemory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3113), 0);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        size_t refused = 0;
        for (int isAll = 0; isAll < 2; ++isAll) {
            for (size_t failAt = 0; failAt < 8; ++failAt) {
                TestMemory memory = {.failAt = SIZE_MAX};
                grzTreeDef def = makeDef(nesting, (int)failAt % TEST_RETENTIONS, 8);
                def.allocator = testAllocator(&memory);
                Scene scene;
                makeScene(&scene, test_clustered, &rng, def);
                size_t before = memory.requests;
                for (int round = 0; round < 3; ++round)
                    updateStarving(&scene, &memory, &rng, isAll != 0, failAt);
                refused += memory.requests > before + failAt;
                testOk(grzTree_UpdateAll(scene.tree, NULL, scene.boxes, sceneCount)); // and all is well again
                grzTree_Prepare(scene.tree, NULL);
                testAssertValid(scene.tree);
                assertStored(&scene);
                grzTree_Destroy(scene.tree);
                assert_int_equal(memory.liveCount, 0);
            }
        }
        assert_true(refused > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anUpdateClimbsToTheFirstNodeThatHoldsTheBox),
        cmocka_unit_test(updatedObjectsComeToTheirNewNeighbours),
        cmocka_unit_test(anUpdateWithinTheMarginIsFree),
        cmocka_unit_test(aMarginAroundTheLargestBoxStaysFinite),
        cmocka_unit_test(updateAllStoresWhatUpdateStoresAtEveryLevel),
        cmocka_unit_test(updateAllLeavesTheSameBytesForAnyWorkersAndLevel),
        cmocka_unit_test(updateAllHoldsObjectsOfAstronomicalSize),
        cmocka_unit_test(updateAllReadsNoBoxOfNobody),
        cmocka_unit_test(updateAllReadsNoBoxOfThoseWhoWereRefused),
        cmocka_unit_test(manyUpdatesAreAllOrNoneAndTheLaterCounts),
        cmocka_unit_test(movementHealsAnImbalancedTree),
        cmocka_unit_test(aTravellingSceneKeepsItsTree),
        cmocka_unit_test(aSlidingWindowKeepsItsTree),
        cmocka_unit_test(whatLayInOnePlaceIsSplitWhenItComesApart),
        cmocka_unit_test(whatWasLargeGoesDownWhenItShrinks),
        cmocka_unit_test(whatGrowsIsSetAside),
        cmocka_unit_test(whatBecomesThinIsTakenTogether),
        cmocka_unit_test(updatesNeedNoMemory),
    };
    return cmocka_run_group_tests_name("tree_update", tests, NULL, NULL);
}
