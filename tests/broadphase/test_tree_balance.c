// Trees that grow out of shape and are laid anew: objects that come in sorted order, clusters that drift, equal
// centres that no plane can part, what laying anew costs, and that blocks neither scatter nor pile up in a long life.
#include "tree_testing.h"

#include "graze/tree_pairs.h"
#include "graze/tree_query.h"

// ------------------------------------------------------------------------------------------------------- growth

enum { sortedCount = 20000, batchCount = 200 };

static grzBox sortedBox(uint32_t i) {
    return testBoxAround(grzVec3_Make((float)i, (float)(i % 7), (float)(i % 5)), grzVec3_Splat(1));
}

static grzTreeStats freshStats(const grzBox* boxes, uint32_t count) {
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
    testInsertAll(tree, boxes, count, 0, NULL);
    grzTree_Prepare(tree, NULL);
    grzTreeStats stats = grzTree_GetStats(tree);
    grzTree_Destroy(tree);
    return stats;
}

// How a tree is looked into between the insertions.
typedef enum Look { look_prepare, look_query, look_lookKinds } Look;

static void lookAt(grzTree* tree, Look look, grzTreeHits* hits) {
    if (look == look_prepare) {
        grzTree_Prepare(tree, NULL);
        return;
    }
    grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Make(-1e6F, 3, 3), grzVec3_Splat(1e6F)));
    testOk(grzTree_Find(tree, &query, hits));
}

static void sortedInsertionsLeaveAFlatTree(void** state) {
    (void)state;
    grzBox* boxes = malloc(sortedCount * sizeof *boxes);
    assert_non_null(boxes);
    for (uint32_t i = 0; i < sortedCount; ++i)
        boxes[i] = sortedBox(i);
    grzTreeStats fresh = freshStats(boxes, sortedCount);
    grzTreeHits* hits;
    testOk(grzTreeHits_Create((grzAllocator){0}, &hits));
    for (int look = 0; look < look_lookKinds; ++look) {
        grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
        for (uint32_t i = 0; i < sortedCount; i += batchCount) {
            testInsertAll(tree, boxes + i, batchCount, i, NULL);
            lookAt(tree, (Look)look, hits);
            grzTreeStats stats = grzTree_GetStats(tree);
            assert_true(stats.depth <= 6);
        }
        lookAt(tree, (Look)look, hits);
        testAssertValid(tree);
        grzTreeStats grown = grzTree_GetStats(tree);
        assert_true(grown.unsplitCount > 0 && grown.depth <= fresh.depth + 2 &&
                    grown.nodeCount <= 2 * fresh.nodeCount);
        grzTree_Destroy(tree);
    }
    grzTreeHits_Destroy(hits);
    free(boxes);
}

// --------------------------------------------------------------------------------------------- drift and ties

enum { driftCount = 5000, clusterCount = 5 };

static grzBox moved(grzBox box, grzVec3 step) {
    return grzBox_Make(grzAdd(box.lower, step), grzAdd(box.upper, step));
}

// Clusters on their ways through each other and away; the objects in them move about a little.
static void drift(grzBox* boxes, uint32_t count, grzRng* rng) {
    static const float ways[clusterCount][3] = {{6, 0, 1}, {-5, 2, 0}, {0, 7, -3}, {1, -6, 2}, {3, 3, 3}};
    for (uint32_t i = 0; i < count; ++i) {
        const float* way = ways[i % clusterCount];
        boxes[i] = moved(boxes[i], grzAdd(grzVec3_Make(way[0], way[1], way[2]), testDirection(rng)));
    }
}

static void makeClusters(grzBox* boxes, uint32_t count, grzRng* rng) {
    for (uint32_t i = 0; i < count; ++i) {
        float x = testGaussian(rng), y = testGaussian(rng), z = testGaussian(rng);
        grzVec3 middle = grzVec3_Make(100.0F * (float)(i % clusterCount), 50.0F * (float)(i % 2), 0);
        boxes[i] = testBoxAround(grzAdd(middle, grzScale(grzVec3_Make(x, y, z), 40)), grzVec3_Splat(1));
    }
}

static void driftingClustersKeepTheirTree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3201), 0);
    grzBox* boxes = malloc(driftCount * sizeof *boxes);
    grzTreeId* ids = malloc(driftCount * sizeof *ids);
    assert_true(boxes != NULL && ids != NULL);
    for (int isAll = 0; isAll < 2; ++isAll) {
        makeClusters(boxes, driftCount, &rng);
        grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
        testInsertAll(tree, boxes, driftCount, 0, ids);
        for (int frame = 0; frame < 150; ++frame) {
            drift(boxes, driftCount, &rng);
            testOk(isAll != 0 ? grzTree_UpdateAll(tree, NULL, boxes, driftCount)
                              : grzTree_UpdateMany(tree, ids, boxes, driftCount));
            grzTree_Prepare(tree, NULL);
        }
        testAssertValid(tree);
        grzTreeStats fresh = freshStats(boxes, driftCount), drifted = grzTree_GetStats(tree);
        assert_true(drifted.unsplitCount > 0 && drifted.depth <= fresh.depth + 2);
        assert_true(drifted.nodeCount <= 2 * fresh.nodeCount);
        grzTree_Destroy(tree);
    }
    free(boxes);
    free(ids);
}

// Objects leave everywhere, and an update of all that are left counts them.
static void whatBecomesSparseIsLaidAnew(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3206), 0);
    grzBox* boxes = malloc(driftCount * sizeof *boxes);
    grzTreeId* ids = malloc(driftCount * sizeof *ids);
    assert_true(boxes != NULL && ids != NULL);
    testMakeScene(test_uniform, &rng, boxes, driftCount);
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
    testInsertAll(tree, boxes, driftCount, 0, ids);
    grzTree_Prepare(tree, NULL);
    uint32_t nodeCount = grzTree_GetStats(tree).nodeCount;
    for (uint32_t i = 0; i < driftCount; ++i)
        if (i % 4 != 0)
            testOk(grzTree_Remove(tree, ids[i]));
    testOk(grzTree_UpdateAll(tree, NULL, boxes, driftCount));
    grzTree_Prepare(tree, NULL);
    assert_true(grzTree_GetStats(tree).nodeCount < nodeCount / 2);
    testAssertValid(tree);
    grzTree_Destroy(tree);
    free(boxes);
    free(ids);
}

static void whatCannotBePartedIsNotLaidAnewEachTime(void** state) {
    (void)state;
    enum { count = 2000 };
    grzRng rng = grzRng_Make(testSeed(3202), 0);
    static grzBox boxes[count];
    for (uint32_t i = 0; i < count; ++i)
        boxes[i] = testBoxAround(i % 10 != 0 ? grzVec3_Splat(5) : testPointIn(&rng, 10), grzVec3_Splat(1));
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainNone, 0, NULL);
    testInsertAll(tree, boxes, count, 0, NULL);
    grzTree_Prepare(tree, NULL);
    assert_true(grzTree_GetStats(tree).nodeCount > 1 && grzTree_GetStats(tree).largestLeaf >= count * 9 / 10);
    for (int frame = 0; frame < 20; ++frame) {
        testOk(grzTree_UpdateAll(tree, NULL, boxes, count));
        grzTree_Prepare(tree, NULL);
    }
    assert_int_equal(grzTree_GetStats(tree).unsplitCount, 0);
    grzTree_Destroy(tree);
}

// Before a node is laid anew, an eighth of its objects have come, to be paid for on each of three levels; and a split
// has 97 objects or more.
static void layingAnewIsPaidForByThoseWhoCame(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 96, NULL);
    for (uint32_t i = 0; i < sortedCount; i += 10) {
        for (uint32_t k = i; k < i + 10; ++k)
            testInsert(tree, sortedBox(k), k);
        grzTree_Prepare(tree, NULL);
    }
    assert_true(grzTree_GetStats(tree).unsplitCount > 0);
    assert_true(grzTree_GetStats(tree).splitCount <= 3 * 8 * sortedCount / 97);
    grzTree_Destroy(tree);
}

// --------------------------------------------------------------------------------------------------- memory

static void runFrame(grzTree* tree, grzTreePairs* pairs, grzTasks* tasks, grzBox* boxes, grzRng* rng) {
    for (uint32_t i = 0; i < driftCount; ++i)
        boxes[i] = moved(boxes[i], grzScale(testDirection(rng), 0.5F));
    testOk(grzTree_UpdateAll(tree, tasks, boxes, driftCount));
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = tree;
    testOk(grzTreePairs_Find(pairs, tasks, &query));
}

static void aTreeThatHasSettledAsksForNoMemory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3203), 0);
    grzBox* boxes = malloc(driftCount * sizeof *boxes);
    assert_non_null(boxes);
    for (uint32_t workerCount = 1; workerCount <= 3; workerCount += 2) {
        testMakeScene(test_uniform, &rng, boxes, driftCount);
        grzTasksDef tasksDef = grzDefaultTasksDef();
        tasksDef.workerCount = workerCount;
        grzTasks* tasks;
        testOk(grzTasks_Create(&tasksDef, &tasks));
        grzTreeDef def = grzDefaultTreeDef();
        TestMemory memory = {.failAt = SIZE_MAX};
        def.allocator = testAllocator(&memory);
        grzTree* tree;
        testOk(grzTree_Create(&def, &tree));
        testInsertAll(tree, boxes, driftCount, 0, NULL);
        grzTreePairs* pairs;
        testOk(grzTreePairs_Create((grzAllocator){0}, &pairs));
        for (int frame = 0; frame < 10; ++frame)
            runFrame(tree, pairs, tasks, boxes, &rng);
        size_t requests = memory.requests;
        for (int frame = 0; frame < 100; ++frame)
            runFrame(tree, pairs, tasks, boxes, &rng);
        assert_int_equal(memory.requests, requests);
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(tree);
        assert_int_equal(memory.liveCount, 0);
        grzTasks_Destroy(tasks);
    }
    free(boxes);
}

// ------------------------------------------------------------------------------------------------ a long life

enum { lifeMost = 3000, lifeFrames = 1500 };

typedef struct Life {
    grzTree* tree;
    grzBox boxes[lifeMost];
    grzTreeId ids[lifeMost]; // null where there is no object
    grzVec3 place;
} Life;

static grzBox lifeBox(const Life* life, grzRng* rng) {
    grzVec3 centre = grzAdd(life->place, testPointIn(rng, 60));
    return testBoxAround(centre, grzVec3_Splat(testBetween(rng, 0.1F, 3)));
}

// A tide of objects comes and goes, where the crowd is just then; others are moved there.
static void liveFrame(Life* life, grzRng* rng, uint32_t frame) {
    if (frame % 50 == 0)
        life->place = testPointIn(rng, 500);
    bool isFlood = frame / 100 % 2 == 0;
    for (int step = 0; step < 60; ++step) {
        uint32_t i = grzRng_Below(rng, lifeMost);
        bool isThere = life->ids[i].index1 != 0;
        life->boxes[i] = lifeBox(life, rng);
        if (!isThere && (isFlood || step % 4 == 0)) {
            life->ids[i] = testInsert(life->tree, life->boxes[i], i);
        } else if (isThere && !isFlood && step % 2 == 0) {
            testOk(grzTree_Remove(life->tree, life->ids[i]));
            life->ids[i] = (grzTreeId){0};
        } else if (isThere) {
            testOk(grzTree_Update(life->tree, life->ids[i], life->boxes[i]));
        }
    }
    grzTree_Prepare(life->tree, NULL);
}

static void assertLifeStored(const Life* life) {
    for (uint32_t i = 0; i < lifeMost; ++i)
        if (life->ids[i].index1 != 0)
            assert_true(testSameBox(testStoredBox(life->tree, life->ids[i]), life->boxes[i]));
}

// Blocks that nodes hold, and runs that do not follow the one before in the walk of a descent.
typedef struct Layout {
    uint32_t blocks, runs, jumps, next;
} Layout;

static void seeRun(const grzTree* tree, uint32_t node, Layout* layout) {
    const TreeNode* n = &tree->nodes[node];
    if (n->firstBlock == TREE_NONE)
        return;
    uint32_t size = grzTreeClassSize(tree->infos[node].runClass);
    layout->blocks += size;
    layout->runs++;
    layout->jumps += n->firstBlock != layout->next;
    layout->next = n->firstBlock + size;
}

static void seeBelow(const grzTree* tree, uint32_t node, Layout* layout) {
    const TreeNode* n = &tree->nodes[node];
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        seeRun(tree, n->firstChild + i, layout);
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        seeBelow(tree, n->firstChild + i, layout);
}

static Layout layoutOf(const grzTree* tree) {
    Layout layout = {0, 0, 0, 0};
    seeRun(tree, tree_root, &layout);
    seeBelow(tree, tree_root, &layout);
    return layout;
}

static void memoryStaysBoundedInALongLife(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3204), 0);
    Life* life = malloc(sizeof *life);
    assert_non_null(life);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        memset(life, 0, sizeof *life);
        life->tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 32, NULL);
        size_t mostBlocks = 0;
        uint32_t straightFrames = 0, scatteredFrames = 0;
        for (uint32_t frame = 0; frame < lifeFrames; ++frame) {
            liveFrame(life, &rng, frame);
            Layout layout = layoutOf(life->tree);
            mostBlocks = layout.blocks > mostBlocks ? layout.blocks : mostBlocks;
            assert_true(life->tree->blockCount <= layout.blocks + layout.blocks / 2 + 100);
            // What is handed out scatters, until all is laid out in the order of the descent.
            uint64_t taken = life->tree->takenBlockCount;
            assert_true(taken <= 2 * (uint64_t)life->tree->blockCount + 100);
            scatteredFrames += taken != 0;
            straightFrames += layout.jumps == 0;
            if (frame % 50 == 49) {
                testAssertValid(life->tree);
                assertLifeStored(life);
            }
        }
        assert_true(straightFrames > 0 && scatteredFrames > 0);
        assert_true(life->tree->blockCapacity <= 4 * mostBlocks);
        grzTree_Destroy(life->tree);
    }
    free(life);
}

static void theRunOfTheRootServesForItsChildren(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3205), 0);
    grzBox* boxes = malloc(driftCount * sizeof *boxes);
    assert_non_null(boxes);
    testMakeScene(test_uniform, &rng, boxes, driftCount);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 0, NULL);
        testInsertAll(tree, boxes, driftCount, 0, NULL);
        grzTree_Prepare(tree, NULL);
        Layout layout = layoutOf(tree);
        assert_true(tree->blockCount <= layout.blocks + layout.blocks / 2 + 100);
        assert_true(tree->blockCapacity <= 6 * treeBlocksFor(driftCount));
        testAssertValid(tree);
        grzTree_Destroy(tree);
    }
    free(boxes);
}

// ------------------------------------------------------------------------------------------------------- preparing

// Nodes that the next preparation looks at.
static uint32_t countWaking(const grzTree* tree) {
    uint32_t waking = 0;
    for (uint32_t i = 0; i < tree->nodeCount; ++i)
        waking += tree->infos[i].isLive && !tree->infos[i].isQuiet;
    return waking;
}

// Preparing looks at what has changed since the last time and at what is above it, and leaves nothing to be done (which a tree's
// validation knows).
static void preparingCostsWhatHasChanged(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3209), 0);
    enum { count = 20000, changes = 60 };
    grzBox* boxes = malloc(count * sizeof *boxes);
    grzTreeId* ids = malloc(count * sizeof *ids);
    assert_true(boxes != NULL && ids != NULL);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        makeClusters(boxes, count, &rng);
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 0, NULL);
        testInsertAll(tree, boxes, count, 0, ids);
        grzTree_Prepare(tree, NULL);
        for (int round = 0; round < changes; ++round) {
            assert_int_equal(countWaking(tree), 0);
            const uint32_t i = grzRng_Below(&rng, count);
            makeClusters(&boxes[i], 1, &rng);
            if (round % 3 == 0) {
                testOk(grzTree_Remove(tree, ids[i]));
                testInsertAll(tree, &boxes[i], 1, i, &ids[i]);
            } else {
                testOk(grzTree_Update(tree, ids[i], boxes[i]));
            }
            const grzTreeStats stats = grzTree_GetStats(tree);
            const uint32_t waking = countWaking(tree);
            assert_true(waking > 0 && waking <= 3 * (stats.depth + 1) + tree_maxChildren);
            testAssertValid(tree);
            grzTree_Prepare(tree, NULL);
            testAssertValid(tree);
        }
        testOk(grzTree_UpdateAll(tree, NULL, boxes, grzTree_IndexCount(tree)));
        testAssertValid(tree);
        grzTree_Destroy(tree);
    }
    free(boxes);
    free(ids);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sortedInsertionsLeaveAFlatTree),
        cmocka_unit_test(driftingClustersKeepTheirTree),
        cmocka_unit_test(whatBecomesSparseIsLaidAnew),
        cmocka_unit_test(whatCannotBePartedIsNotLaidAnewEachTime),
        cmocka_unit_test(layingAnewIsPaidForByThoseWhoCame),
        cmocka_unit_test(aTreeThatHasSettledAsksForNoMemory),
        cmocka_unit_test(memoryStaysBoundedInALongLife),
        cmocka_unit_test(theRunOfTheRootServesForItsChildren),
        cmocka_unit_test(preparingCostsWhatHasChanged),
    };
    return cmocka_run_group_tests_name("tree_balance", tests, NULL, NULL);
}
