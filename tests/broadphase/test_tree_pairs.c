// Pairs of trees against all pairs by brute force: every scene, nesting, retention, SIMD level and number of
// workers; two trees, categories and the host's filter; sizes at the edges of blocks, leaves and byte rows; memory
// that fails and memory that is not asked for.
#include "tree_testing.h"

#include <pthread.h>

#include "graze/tree_pairs.h"

enum { sceneCount = 300, mostObjects = 700 };

static grzTasks* g_tasks[4]; // 1, 2, 3 and 8 workers

static int startTasks(void** state) {
    (void)state;
    static const uint32_t workers[4] = {1, 2, 3, 8};
    for (int i = 0; i < 4; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers[i];
        testOk(grzTasks_Create(&def, &g_tasks[i]));
    }
    return 0;
}

static int stopTasks(void** state) {
    (void)state;
    for (int i = 0; i < 4; ++i)
        grzTasks_Destroy(g_tasks[i]);
    return 0;
}

static grzTreePairs* makeFinder(TestMemory* memory) {
    grzAllocator allocator = {0};
    if (memory != NULL)
        allocator = testAllocator(memory);
    grzTreePairs* pairs;
    testOk(grzTreePairs_Create(allocator, &pairs));
    return pairs;
}

static grzPairQuery queryOf(grzTree* treeA, grzTree* treeB, grzPairOrder order) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = treeA;
    query.treeB = treeB;
    query.order = order;
    return query;
}

static grzTreePairsView find(grzTreePairs* pairs, grzTasks* tasks, grzPairQuery query) {
    testOk(grzTreePairs_Find(pairs, tasks, &query));
    return grzTreePairs_GetView(pairs);
}

static void assertSamePairs(grzTreePairsView found, const TestPairs* expected) {
    assert_int_equal(found.count, expected->count);
    if (found.count != 0)
        assert_memory_equal(found.pairs, expected->pairs, found.count * sizeof *found.pairs);
}

// The same pairs in any order.
static void assertSameSet(grzTreePairsView found, const TestPairs* expected) {
    assert_int_equal(found.count, expected->count);
    if (found.count == 0)
        return;
    grzBodyPair* sorted = malloc(found.count * sizeof *sorted);
    memcpy(sorted, found.pairs, found.count * sizeof *sorted);
    qsort(sorted, found.count, sizeof *sorted, testComparePairs);
    assert_memory_equal(sorted, expected->pairs, found.count * sizeof *sorted);
    free(sorted);
}

static void makeObjects(TestScene kind, grzRng* rng, grzTreeObject* objects, uint32_t count, uint32_t firstKey) {
    grzBox boxes[mostObjects];
    testMakeScene(kind, rng, boxes, count);
    for (uint32_t i = 0; i < count; ++i)
        objects[i] = testObject(boxes[i], firstKey + i);
}

static grzTree* makeTreeOf(const grzTreeObject* objects, uint32_t count, int nesting, int retention,
                           uint32_t threshold) {
    grzTree* tree = testMakeTree((grzNesting)nesting, (grzRetention)retention, threshold, NULL);
    testOk(grzTree_InsertMany(tree, objects, count, NULL));
    return tree;
}

// -------------------------------------------------------------------------------------------------- brute force

// One tree and what should come of it, asked at every level.
typedef struct Case {
    grzTree* tree;
    grzTreePairs* pairs;
    const TestPairs* expected;
    TestPairs inTreeOrder; // of the first level
} Case;

static void askCase(void* context) {
    Case* asked = context;
    grzTreePairsView found = find(asked->pairs, NULL, queryOf(asked->tree, NULL, grz_pairsInTreeOrder));
    assertSameSet(found, asked->expected);
    if (asked->inTreeOrder.pairs == NULL && found.count != 0) {
        asked->inTreeOrder.pairs = malloc(found.count * sizeof *found.pairs);
        memcpy(asked->inTreeOrder.pairs, found.pairs, found.count * sizeof *found.pairs);
        asked->inTreeOrder.count = found.count;
    }
    assertSamePairs(found, &asked->inTreeOrder);
    assertSamePairs(find(asked->pairs, NULL, queryOf(asked->tree, NULL, grz_pairsSorted)), asked->expected);
}

static void askWithWorkers(Case* asked, grzTasks* tasks) {
    assertSamePairs(find(asked->pairs, tasks, queryOf(asked->tree, NULL, grz_pairsInTreeOrder)),
                    &asked->inTreeOrder);
    assertSamePairs(find(asked->pairs, tasks, queryOf(asked->tree, NULL, grz_pairsSorted)), asked->expected);
}

static void askVariant(int variant, const grzTreeObject* objects, uint32_t count, const TestPairs* expected) {
    Case asked = {.expected = expected, .pairs = makeFinder(NULL)};
    uint32_t threshold = variant % 2 == 0 ? 8 : 40;
    asked.tree = makeTreeOf(objects, count, variant % TEST_NESTINGS, variant / TEST_NESTINGS, threshold);
    testAtEveryLevel(askCase, &asked);
    askWithWorkers(&asked, g_tasks[variant % 4]);
    testAssertValid(asked.tree);
    free(asked.inTreeOrder.pairs);
    grzTreePairs_Destroy(asked.pairs);
    grzTree_Destroy(asked.tree);
}

static void pairsAreThoseOfBruteForce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3201), 0);
    for (int kind = 0; kind < test_sceneKinds; ++kind) {
        uint32_t count = kind == test_allEqual || kind == test_nested ? sceneCount / 3 : sceneCount;
        grzTreeObject objects[sceneCount];
        makeObjects((TestScene)kind, &rng, objects, count, 1000);
        TestPairs expected = testBruteForce(objects, count, NULL, 0);
        assert_true(expected.count > sceneCount / 10);
        for (int variant = 0; variant < TEST_NESTINGS * TEST_RETENTIONS; ++variant)
            askVariant(variant, objects, count, &expected);
        free(expected.pairs);
    }
}

static void theBytesAreTheSameForAnyWorkers(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3212), 0);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTreeObject objects[mostObjects];
        makeObjects(nesting % 2 == 0 ? test_uniform : test_clustered, &rng, objects, mostObjects, 0);
        TestPairs expected = testBruteForce(objects, mostObjects, NULL, 0);
        Case asked = {.expected = &expected, .pairs = makeFinder(NULL)};
        asked.tree = makeTreeOf(objects, mostObjects, nesting, grz_retainVolume, 8);
        askCase(&asked);
        for (int i = 0; i < 8; ++i)
            askWithWorkers(&asked, g_tasks[i % 4]);
        free(asked.inTreeOrder.pairs);
        grzTreePairs_Destroy(asked.pairs);
        grzTree_Destroy(asked.tree);
        free(expected.pairs);
    }
}

static void allEqualObjectsAllMeet(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(0, 0);
    grzTreeObject objects[sceneCount];
    makeObjects(test_allEqual, &rng, objects, sceneCount, 0);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = makeTreeOf(objects, sceneCount, nesting, grz_retainNone, 0);
        grzTreePairs* pairs = makeFinder(NULL);
        grzTreePairsView found = find(pairs, g_tasks[2], queryOf(tree, NULL, grz_pairsSorted));
        assert_int_equal(found.count, sceneCount * (sceneCount - 1) / 2);
        size_t at = 0;
        for (uint32_t a = 0; a < sceneCount; ++a)
            for (uint32_t b = a + 1; b < sceneCount; ++b, ++at)
                assert_true(found.pairs[at].a == a && found.pairs[at].b == b);
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(tree);
    }
}

static void sizesAtTheEdgesOfBlocksAndLeaves(void** state) {
    (void)state;
    static const uint32_t sizes[] = {0,  1,  2,  3,   15,  16,  17,  31,  32,  33,  47,  48,  63,  64, 65,
                                     95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 513};
    grzRng rng = grzRng_Make(testSeed(3202), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        grzTreeObject objects[mostObjects];
        makeObjects(sizes[i] % 2 == 0 || sizes[i] > 200 ? test_uniform : test_nested, &rng, objects, sizes[i], 0);
        TestPairs expected = testBruteForce(objects, sizes[i], NULL, 0);
        for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
            Case asked = {.expected = &expected, .pairs = makeFinder(NULL)};
            asked.tree = makeTreeOf(objects, sizes[i], nesting, grz_retainVolume, 0);
            testAtEveryLevel(askCase, &asked);
            askWithWorkers(&asked, g_tasks[nesting % 4]);
            free(asked.inTreeOrder.pairs);
            grzTreePairs_Destroy(asked.pairs);
            grzTree_Destroy(asked.tree);
        }
        free(expected.pairs);
    }
}

// Sorted insertions with queries between them make a chain of K-D nodes. What a level takes of the stack must be little, since
// the stack may be a worker's.
enum { chainCount = 1000, chainStack = 2 << 20 };

static void* findAlongChain(void* context) {
    Case* asked = context;
    find(asked->pairs, NULL, queryOf(asked->tree, NULL, grz_pairsSorted));
    return NULL;
}

static void aChainOfNodesNeedsLittleStack(void** state) {
    (void)state;
    Case asked = {.tree = testMakeTree(grz_nestKd, grz_retainNone, 2, NULL), .pairs = makeFinder(NULL)};
    for (uint32_t i = 0; i < chainCount; ++i) {
        grzBox box = grzBox_Make(grzVec3_Splat((float)i), grzVec3_Splat((float)i + 1));
        testInsert(asked.tree, box, i);
        if (i % 4 == 3)
            grzTree_Prepare(asked.tree, &box);
    }
    assert_true(grzTree_GetStats(asked.tree).depth > chainCount / 3);
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, chainStack), 0);
    assert_int_equal(pthread_create(&thread, &attributes, findAlongChain, &asked), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    grzTreePairsView found = grzTreePairs_GetView(asked.pairs);
    assert_int_equal(found.count, chainCount - 1);
    for (uint32_t i = 0; i < found.count; ++i)
        assert_true(found.pairs[i].a == i && found.pairs[i].b == i + 1);
    grzTreePairs_Destroy(asked.pairs);
    grzTree_Destroy(asked.tree);
}

// Sides that are equal count; one float further apart does not. On each axis, from either side, at any place.
static void touchingCountsAndOneFloatMoreDoesNot(void** state) {
    (void)state;
    static const float places[] = {0, 1, -7.25F, 1e-40F, 1e6F, -3e37F};
    grzTreePairs* pairs = makeFinder(NULL);
    for (int i = 0; i < 6 * 3; ++i) {
        int axis = i % 3;
        float at = places[i / 3], size = fabsf(at) + 1e-30F;
        grzBox a = testBoxAround(grzVec3_Splat(at), grzVec3_Splat(size)), b = a;
        float* lower = axis == 0 ? &b.lower.x : axis == 1 ? &b.lower.y : &b.lower.z;
        float* upper = axis == 0 ? &b.upper.x : axis == 1 ? &b.upper.y : &b.upper.z;
        *lower = axis == 0 ? a.upper.x : axis == 1 ? a.upper.y : a.upper.z;
        *upper = *lower + size;
        for (int isApart = 0; isApart < 2; ++isApart) {
            grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
            (void)testInsert(tree, i % 2 == 0 ? a : b, 5);
            (void)testInsert(tree, i % 2 == 0 ? b : a, 3);
            grzTreePairsView found = find(pairs, NULL, queryOf(tree, NULL, grz_pairsInTreeOrder));
            assert_int_equal(found.count, 1 - isApart);
            if (!isApart)
                assert_true(found.pairs[0].a == 3 && found.pairs[0].b == 5);
            grzTree_Destroy(tree);
            *lower = nextafterf(*lower, INFINITY);
        }
    }
    grzTreePairs_Destroy(pairs);
}

static void theWholeWorldMeetsEverybodyOnce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3203), 0);
    for (int margin = 0; margin < 2; ++margin) {
        grzTreeDef def = grzDefaultTreeDef();
        def.margin = margin == 0 ? 0 : 0.25F;
        def.splitThreshold = 8;
        grzTree* tree;
        testOk(grzTree_Create(&def, &tree));
        grzTreeObject objects[100];
        makeObjects(test_uniform, &rng, objects, 100,
                    margin == 0 ? 50 : 65490); // keys of sixteen bits, and of more
        objects[40].box = grzBox_Make(grzVec3_Splat(-FLT_MAX), grzVec3_Splat(FLT_MAX));
        objects[41].box.upper.y = FLT_MAX;
        objects[42].box.lower.x = -FLT_MAX;
        for (int i = 0; i < 100; ++i) {
            grzTreeId id;
            testOk(grzTree_Insert(tree, &objects[i], &id));
            assert_true(grzTree_Get(tree, id, &objects[i]));
        }
        TestPairs expected = testBruteForce(objects, 100, NULL, 0);
        grzTreePairs* pairs = makeFinder(NULL);
        assertSamePairs(find(pairs, NULL, queryOf(tree, NULL, grz_pairsSorted)), &expected);
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(tree);
        free(expected.pairs);
    }
}

// --------------------------------------------------------------------------------------- history, and its absence

static void sortedPairsDoNotDependOnTheOrderOfInsertion(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3204), 0);
    grzTreeObject objects[sceneCount];
    makeObjects(test_clustered, &rng, objects, sceneCount, 0);
    TestPairs expected = testBruteForce(objects, sceneCount, NULL, 0);
    grzTreePairs* pairs = makeFinder(NULL);
    for (int round = 0; round < 12; ++round) {
        for (uint32_t i = sceneCount - 1; i > 0; --i) {
            uint32_t k = grzRng_Below(&rng, i + 1);
            grzTreeObject swapped = objects[i];
            objects[i] = objects[k];
            objects[k] = swapped;
        }
        grzTree* tree = makeTreeOf(objects, 0, round % TEST_NESTINGS, grz_retainVolume, 8);
        for (uint32_t i = 0; i < sceneCount; i += 30) { // with queries in between
            testOk(grzTree_InsertMany(tree, objects + i, 30, NULL));
            grzTree_Prepare(tree, NULL);
        }
        assertSamePairs(find(pairs, g_tasks[round % 4], queryOf(tree, NULL, grz_pairsSorted)), &expected);
        grzTree_Destroy(tree);
    }
    grzTreePairs_Destroy(pairs);
    free(expected.pairs);
}

// Objects come, go and move, and after each frame the pairs are right; every second frame all are updated at once.
static void liveFrames(grzTree* tree, grzTreePairs* pairs, grzRng* rng) {
    grzTreeObject objects[sceneCount];
    grzTreeId ids[sceneCount];
    uint32_t count = 200;
    makeObjects(test_uniform, rng, objects, sceneCount, 0);
    testOk(grzTree_InsertMany(tree, objects, count, ids));
    for (int frame = 0; frame < 12; ++frame) {
        for (int i = 0; i < 20; ++i) { // out with one, in with another
            uint32_t k = grzRng_Below(rng, count);
            testOk(grzTree_Remove(tree, ids[k]));
            objects[k].key += sceneCount;
            testOk(grzTree_Insert(tree, &objects[k], &ids[k]));
        }
        grzBox boxes[sceneCount];
        for (uint32_t i = 0; i < count; ++i) {
            grzVec3 step = grzScale(testDirection(rng), 4);
            objects[i].box = grzBox_Make(grzAdd(objects[i].box.lower, step), grzAdd(objects[i].box.upper, step));
            boxes[ids[i].index1 - 1] = objects[i].box;
            if (frame % 2 == 0)
                testOk(grzTree_Update(tree, ids[i], objects[i].box));
        }
        if (frame % 2 == 1)
            testOk(grzTree_UpdateAll(tree, g_tasks[frame % 4], boxes, sceneCount));
        TestPairs expected = testBruteForce(objects, count, NULL, 0);
        assertSamePairs(find(pairs, g_tasks[(frame + 1) % 4], queryOf(tree, NULL, grz_pairsSorted)), &expected);
        free(expected.pairs);
        testAssertValid(tree);
    }
}

static void pairsAreRightThroughComingGoingAndMoving(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3205), 0);
    for (int variant = 0; variant < TEST_NESTINGS * TEST_RETENTIONS; ++variant) {
        grzTree* tree =
            testMakeTree((grzNesting)(variant % TEST_NESTINGS), (grzRetention)(variant / TEST_NESTINGS), 8, NULL);
        grzTreePairs* pairs = makeFinder(NULL);
        liveFrames(tree, pairs, &rng);
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(tree);
    }
}

static void pairsGoWithTheirObjects(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3206), 0);
    grzTreeObject objects[sceneCount];
    grzTreeId ids[sceneCount];
    makeObjects(test_uniform, &rng, objects, sceneCount, 0);
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 16, NULL);
    grzTreePairs* pairs = makeFinder(NULL);
    testOk(grzTree_InsertMany(tree, objects, sceneCount, ids));
    for (uint32_t left = sceneCount; left > 0; left -= 25) {
        TestPairs expected = testBruteForce(objects, left, NULL, 0);
        assertSamePairs(find(pairs, NULL, queryOf(tree, NULL, grz_pairsSorted)), &expected);
        free(expected.pairs);
        for (uint32_t i = left - 25; i < left; ++i)
            testOk(grzTree_Remove(tree, ids[i]));
    }
    assert_int_equal(find(pairs, g_tasks[3], queryOf(tree, NULL, grz_pairsSorted)).count, 0);
    grzTreePairs_Destroy(pairs);
    grzTree_Destroy(tree);
}

// ------------------------------------------------------------------------------------------------------ two trees

static void askTwo(grzTreePairs* pairs, grzTree* a, grzTree* b, grzTasks* tasks, const TestPairs* expected) {
    grzTreePairsView found = find(pairs, NULL, queryOf(a, b, grz_pairsInTreeOrder));
    assertSameSet(found, expected);
    TestPairs first = {.count = found.count};
    if (found.count != 0) {
        first.pairs = malloc(found.count * sizeof *found.pairs);
        memcpy(first.pairs, found.pairs, found.count * sizeof *found.pairs);
    }
    assertSamePairs(find(pairs, tasks, queryOf(a, b, grz_pairsInTreeOrder)), &first);
    assertSamePairs(find(pairs, tasks, queryOf(a, b, grz_pairsSorted)), expected);
    free(first.pairs);
}

static void pairsBetweenTreesAreThoseOfBruteForce(void** state) {
    (void)state;
    static const uint32_t sizes[][2] = {{250, 200}, {300, 1}, {1, 300}, {0, 50}, {50, 0}, {17, 96}, {0, 0}};
    grzRng rng = grzRng_Make(testSeed(3207), 0);
    for (int kind = 0; kind < test_sceneKinds; ++kind) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            grzTreeObject a[sceneCount], b[sceneCount];
            makeObjects((TestScene)kind, &rng, a, sizes[i][0], 5000);
            makeObjects((TestScene)kind, &rng, b, sizes[i][1],
                        2000); // keys of a are the larger ones, and stay first
            TestPairs expected = testBruteForce(a, sizes[i][0], b, sizes[i][1]);
            int nesting = (kind + (int)i) % TEST_NESTINGS, other = (kind + 3 * (int)i) % TEST_NESTINGS;
            grzTree *treeA = makeTreeOf(a, sizes[i][0], nesting, (int)i % 3, 8),
                    *treeB = makeTreeOf(b, sizes[i][1], other, kind % 3, 20);
            grzTreePairs* pairs = makeFinder(NULL);
            askTwo(pairs, treeA, treeB, g_tasks[(kind + (int)i) % 4], &expected);
            grzTreePairs_Destroy(pairs);
            grzTree_Destroy(treeA);
            grzTree_Destroy(treeB);
            free(expected.pairs);
        }
    }
}

// ------------------------------------------------------------------------------------- what moves and what stands still

// Every `stride`-th object moves: the pairs that have one of these.
static void keepMovers(TestPairs* list, uint32_t stride) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (list->pairs[i].a % stride == 0 || list->pairs[i].b % stride == 0)
            list->pairs[kept++] = list->pairs[i];
    list->count = kept;
}

typedef struct MoverCase {
    grzTreePairs* pairs;
    grzPairQuery query;
    const TestPairs* expected;
    TestPairs inTreeOrder; // of the first level
    grzTasks* tasks;
} MoverCase;

static void askMovers(void* context) {
    MoverCase* asked = context;
    asked->query.order = grz_pairsInTreeOrder;
    grzTreePairsView found = find(asked->pairs, NULL, asked->query);
    assertSameSet(found, asked->expected);
    if (asked->inTreeOrder.pairs == NULL && found.count != 0) {
        asked->inTreeOrder.pairs = malloc(found.count * sizeof *found.pairs);
        memcpy(asked->inTreeOrder.pairs, found.pairs, found.count * sizeof *found.pairs);
        asked->inTreeOrder.count = found.count;
    }
    assertSamePairs(find(asked->pairs, asked->tasks, asked->query), &asked->inTreeOrder);
    asked->query.order = grz_pairsSorted;
    assertSamePairs(find(asked->pairs, asked->tasks, asked->query), asked->expected);
}

// From one mover among many, which walks, to half of all, which descend.
static void moversMeetEachOtherAndWhatStandsStill(void** state) {
    (void)state;
    static const uint32_t strides[] = {2, 5, 10, 18, 200, 1000};
    grzRng rng = grzRng_Make(testSeed(3217), 0);
    for (int kind = 0; kind < test_sceneKinds; ++kind)
        for (size_t s = 0; s < sizeof strides / sizeof strides[0]; ++s) {
            grzTreeObject all[sceneCount], moving[sceneCount], still[sceneCount];
            uint32_t movingCount = 0, stillCount = 0, salt = (uint32_t)kind + (uint32_t)s;
            makeObjects((TestScene)kind, &rng, all, sceneCount, 0);
            for (uint32_t i = 0; i < sceneCount; ++i) {
                if (salt % 3 == 0 && i % 7 == 0)
                    all[i].mask = UINT64_C(1) << i % 5; // meets nobody
                if (i % strides[s] == 0)
                    moving[movingCount++] = all[i];
                else
                    still[stillCount++] = all[i];
            }
            TestPairs expected = testBruteForce(all, sceneCount, NULL, 0);
            keepMovers(&expected, strides[s]);
            MoverCase asked = {.pairs = makeFinder(NULL), .expected = &expected, .tasks = g_tasks[salt % 4]};
            asked.query.treeA = makeTreeOf(moving, movingCount, (int)(salt % TEST_NESTINGS), (int)s % 3, 8);
            asked.query.still = makeTreeOf(still, stillCount, (int)(kind % TEST_NESTINGS), kind % 3, 20);
            testAtEveryLevel(askMovers, &asked);
            free(asked.inTreeOrder.pairs);
            free(expected.pairs);
            grzTreePairs_Destroy(asked.pairs);
            grzTree_Destroy(asked.query.treeA);
            grzTree_Destroy(asked.query.still);
        }
}

static void wrongQueriesAreRefused(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainNone, 0, NULL);
    (void)testInsert(tree, testBoxAround(grzVec3_Zero(), grzVec3_Splat(1)), 0);
    (void)testInsert(tree, testBoxAround(grzVec3_Zero(), grzVec3_Splat(1)), 1);
    grzTreePairs* pairs = makeFinder(NULL);
    assert_int_equal(grzTreePairs_GetView(pairs).count, 0);
    assert_int_equal(find(pairs, NULL, queryOf(tree, NULL, grz_pairsSorted)).count, 1);
    grzPairQuery query = queryOf(tree, tree, grz_pairsSorted);
    assert_int_equal(grzTreePairs_Find(pairs, NULL, &query).status, grz_badArgument);
    assert_int_equal(grzTreePairs_GetView(pairs).count, 0);
    query = queryOf(NULL, tree, grz_pairsSorted);
    assert_int_equal(grzTreePairs_Find(pairs, NULL, &query).status, grz_badArgument);
    query = grzDefaultPairQuery();
    assert_int_equal(grzTreePairs_Find(pairs, NULL, &query).status, grz_badArgument);
    query = queryOf(tree, NULL, (grzPairOrder)2);
    assert_string_equal(grzTreePairs_Find(pairs, NULL, &query).reason, "there is no such order");
    query = queryOf(tree, NULL, grz_pairsSorted);
    query.still = tree;
    assert_string_equal(grzTreePairs_Find(pairs, NULL, &query).reason,
                        "`still` is treeA, or there is a treeB beside it");
    grzTree *second = testMakeTree(grz_nestKd, grz_retainNone, 0, NULL),
            *third = testMakeTree(grz_nestKd, grz_retainNone, 0, NULL);
    query.treeB = second, query.still = third;
    assert_int_equal(grzTreePairs_Find(pairs, NULL, &query).status, grz_badArgument);
    grzTree_Destroy(second);
    grzTree_Destroy(third);
    grzTreePairs_Destroy(pairs);
    grzTreePairs_Destroy(NULL);
    grzAllocator half = {.allocate = grzDefaultAllocator().allocate};
    assert_int_equal(grzTreePairs_Create(half, &pairs).status, grz_badArgument);
    assert_null(pairs);
    grzTree_Destroy(tree);
}

// -------------------------------------------------------------------------------------------------------- filters

static void mixCategories(grzTreeObject* objects, uint32_t count, grzRng* rng) {
    for (uint32_t i = 0; i < count; ++i) {
        objects[i].category = UINT64_C(1) << (grzRng_Below(rng, 4) * 21); // bits 0, 21, 42 and 63
        objects[i].mask = grzRng_Next64(rng);
        if (i % 9 == 0)
            objects[i].category = 0; // meets nobody
    }
}

static void bothMasksMustAgree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3208), 0);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTreeObject a[sceneCount], b[sceneCount];
        makeObjects(test_sphere, &rng, a, sceneCount, 0);
        makeObjects(test_sphere, &rng, b, sceneCount, 0);
        TestPairs all = testBruteForce(a, sceneCount, NULL, 0);
        mixCategories(a, sceneCount, &rng);
        TestPairs within = testBruteForce(a, sceneCount, NULL, 0),
                  between = testBruteForce(a, sceneCount, b, sceneCount);
        assert_true(within.count > 10 && within.count < all.count / 2);
        grzTree *treeA = makeTreeOf(a, sceneCount, nesting, grz_retainVolume, 8),
                *treeB = makeTreeOf(b, sceneCount, nesting, grz_retainNone, 8); // nothing to filter in this one
        grzTreePairs* pairs = makeFinder(NULL);
        assertSamePairs(find(pairs, g_tasks[1], queryOf(treeA, NULL, grz_pairsSorted)), &within);
        askTwo(pairs, treeA, treeB, g_tasks[nesting % 4], &between);
        assert_true(grzTree_GetStats(treeB).splitCount > 0); // the find is a query to both
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(treeA);
        grzTree_Destroy(treeB);
        free(all.pairs);
        free(within.pairs);
        free(between.pairs);
    }
}

// Says yes to a third of all pairs, and sees that keys come in the order of the result.
typedef struct Filter {
    uint32_t firstOfA, firstOfB; // keys of A's objects lie from firstOfA on, and so on
    bool isWithin;
    _Atomic int calls, faults;
} Filter;

static bool wantsThird(void* context, uint32_t keyA, uint32_t keyB) {
    Filter* filter = context;
    filter->calls++;
    bool isGood = filter->isWithin
                      ? keyA <= keyB
                      : keyA >= filter->firstOfA && keyB >= filter->firstOfB && keyB < filter->firstOfA;
    if (!isGood)
        filter->faults++;
    return (keyA * 7 + keyB) % 3 == 0;
}

static void keepThird(TestPairs* list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
        if ((list->pairs[i].a * 7 + list->pairs[i].b) % 3 == 0)
            list->pairs[kept++] = list->pairs[i];
    list->count = kept;
}

static void theHostMayFilter(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3209), 0);
    for (int isWithin = 0; isWithin < 2; ++isWithin) {
        grzTreeObject a[sceneCount], b[sceneCount];
        makeObjects(test_uniform, &rng, a, sceneCount, 5000);
        makeObjects(test_uniform, &rng, b, sceneCount, 1000);
        mixCategories(a, sceneCount, &rng);
        TestPairs expected = testBruteForce(a, sceneCount, isWithin != 0 ? NULL : b, sceneCount);
        int wanted = (int)expected.count;
        keepThird(&expected);
        grzTree *treeA = makeTreeOf(a, sceneCount, grz_nestRank, grz_retainVolume, 8),
                *treeB = makeTreeOf(b, sceneCount, grz_nestRank, grz_retainVolume, 8);
        grzTreePairs* pairs = makeFinder(NULL);
        for (int i = 0; i < 4; ++i) {
            Filter filter = {.firstOfA = 5000, .firstOfB = 1000, .isWithin = isWithin != 0};
            grzPairQuery query = queryOf(treeA, isWithin != 0 ? NULL : treeB, grz_pairsSorted);
            query.filter = wantsThird;
            query.filterContext = &filter;
            assertSamePairs(find(pairs, g_tasks[i], query), &expected);
            assert_int_equal(filter.faults, 0);
            assert_true(filter.calls >= wanted); // and for no pair that does not overlap or whose masks disagree
            assert_true(filter.calls <= 2 * wanted);
        }
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(treeA);
        grzTree_Destroy(treeB);
        free(expected.pairs);
    }
}

static void equalKeysComeAsTheyAre(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
    for (uint32_t i = 0; i < 4; ++i)
        (void)testInsert(tree, testBoxAround(grzVec3_Zero(), grzVec3_Splat(1)), i < 3 ? 9 : UINT32_MAX);
    grzTreePairs* pairs = makeFinder(NULL);
    static const grzBodyPair expected[] = {{9, 9},          {9, 9},          {9, 9},
                                           {9, UINT32_MAX}, {9, UINT32_MAX}, {9, UINT32_MAX}};
    grzTreePairsView found = find(pairs, NULL, queryOf(tree, NULL, grz_pairsSorted));
    assert_int_equal(found.count, 6);
    assert_memory_equal(found.pairs, expected, sizeof expected);
    grzTreePairs_Destroy(pairs);
    grzTree_Destroy(tree);
}

// --------------------------------------------------------------------------------------------------------- memory

// TestMemory for several threads, that refuses one request or all from one on.
typedef struct SharedMemory {
    TestMemory memory;
    size_t failOnlyAt;
    pthread_mutex_t lock;
} SharedMemory;

static void* allocateShared(void* context, size_t size, size_t alignment) {
    SharedMemory* shared = context;
    pthread_mutex_lock(&shared->lock);
    bool isRefused = shared->memory.requests == shared->failOnlyAt;
    shared->memory.requests += isRefused;
    void* memory = isRefused ? NULL : testAllocate(&shared->memory, size, alignment);
    pthread_mutex_unlock(&shared->lock);
    return memory;
}

static void releaseShared(void* context, void* memory, size_t size, size_t alignment) {
    SharedMemory* shared = context;
    pthread_mutex_lock(&shared->lock);
    testRelease(&shared->memory, memory, size, alignment);
    pthread_mutex_unlock(&shared->lock);
}

typedef struct Starving {
    const grzTreeObject* objects;
    uint32_t count;
    grzTree* other; // NULL: pairs within one tree
    const TestPairs* expected;
    grzTasks* tasks;
} Starving;

// The finder's k-th request fails, and where it is not the only one all after it. Returns whether it came so far.
static bool finderStarves(const Starving* test, size_t failAt, bool isOnly) {
    SharedMemory shared = {.failOnlyAt = isOnly ? failAt : SIZE_MAX, .lock = PTHREAD_MUTEX_INITIALIZER};
    shared.memory.failAt = isOnly ? SIZE_MAX : failAt;
    const grzAllocator allocator = {&shared, allocateShared, releaseShared};
    grzTree* tree = makeTreeOf(test->objects, test->count, grz_nestRank, grz_retainVolume, 8);
    grzTreePairs* pairs;
    grzResult result = grzTreePairs_Create(allocator, &pairs);
    grzPairQuery query = queryOf(tree, test->other, grz_pairsSorted);
    bool isMade = grzResult_IsOk(result);
    if (isMade)
        result = grzTreePairs_Find(pairs, test->tasks, &query);
    else
        assert_null(pairs);
    bool isOk = grzResult_IsOk(result);
    assert_true(isOk || result.status == grz_outOfMemory);
    if (isMade && !isOk)
        assert_int_equal(grzTreePairs_GetView(pairs).count, 0);
    bool wasRefused = shared.memory.requests > failAt;
    assert_true(isOk || wasRefused);
    shared.memory.failAt = shared.failOnlyAt = SIZE_MAX;
    if (isMade)
        assertSamePairs(isOk ? grzTreePairs_GetView(pairs) : find(pairs, test->tasks, query), test->expected);
    testAssertValid(tree);
    grzTreePairs_Destroy(pairs);
    grzTree_Destroy(tree);
    assert_int_equal(shared.memory.liveCount, 0);
    pthread_mutex_destroy(&shared.lock);
    return wasRefused;
}

// The tree's requests fail, so that it is split no further: slower, never wrong.
static void treeStarves(const Starving* test, size_t failAt) {
    TestMemory memory = {.failAt = SIZE_MAX};
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 8, &memory);
    testOk(grzTree_InsertMany(tree, test->objects, test->count, NULL));
    memory.failAt = memory.requests + failAt;
    grzTreePairs* pairs = makeFinder(NULL);
    assertSamePairs(find(pairs, test->tasks, queryOf(tree, test->other, grz_pairsSorted)), test->expected);
    testAssertValid(tree);
    grzTreePairs_Destroy(pairs);
    grzTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
}

static void starve(const Starving* test) {
    size_t failAt = 0;
    while (finderStarves(test, failAt, false))
        failAt++;
    assert_true(failAt > 8);
    failAt = 0;
    while (finderStarves(test, failAt, true))
        failAt++;
    for (failAt = 0; failAt < 12; ++failAt)
        treeStarves(test, failAt);
}

static void refusedMemoryIsReportedAndForgotten(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3210), 0);
    grzTreeObject objects[sceneCount], others[sceneCount];
    makeObjects(test_clustered, &rng, objects, sceneCount, 0);
    makeObjects(test_clustered, &rng, others, sceneCount, 0);
    TestPairs within = testBruteForce(objects, sceneCount, NULL, 0);
    TestPairs between = testBruteForce(objects, sceneCount, others, sceneCount);
    enum { fewCount = 30 }; // they walk
    others[0].mask = 6;
    TestPairs few = testBruteForce(objects, fewCount, others, sceneCount);
    grzTree* masked = makeTreeOf(others, sceneCount, grz_nestKd, grz_retainNone, 40);
    others[0].mask = objects[0].mask;
    grzTree* other = makeTreeOf(others, sceneCount, grz_nestOctree, grz_retainNone, 8);
    for (int i = 0; i < 3; i += 2) {
        starve(&(Starving){objects, sceneCount, NULL, &within, g_tasks[i]});
        starve(&(Starving){objects, sceneCount, other, &between, g_tasks[i]});
        starve(&(Starving){objects, fewCount, masked, &few, g_tasks[i]});
    }
    grzTree_Destroy(masked);
    free(few.pairs);
    grzTree_Destroy(other);
    free(within.pairs);
    free(between.pairs);
}

static void nothingIsAllocatedAfterWarmUp(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3211), 0);
    TestMemory memory = {.failAt = SIZE_MAX};
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTreeObject objects[sceneCount];
        grzBox boxes[sceneCount];
        makeObjects(test_uniform, &rng, objects, sceneCount, 0);
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 16, &memory);
        testOk(grzTree_InsertMany(tree, objects, sceneCount, NULL));
        grzTreePairs* pairs = makeFinder(&memory);
        size_t requests = 0;
        for (int frame = 0; frame < 60; ++frame) {
            if (frame == 40)
                requests = memory.requests;
            for (uint32_t i = 0; i < sceneCount; ++i) { // to and fro
                float step = frame % 2 == 0 ? 3.0F : -3.0F;
                objects[i].box.lower.x += step;
                objects[i].box.upper.x += step;
                boxes[i] = objects[i].box;
            }
            testOk(grzTree_UpdateAll(tree, NULL, boxes, sceneCount));
            (void)find(pairs, NULL, queryOf(tree, NULL, grz_pairsSorted));
        }
        assert_int_equal(memory.requests, requests);
        grzTreePairs_Destroy(pairs);
        grzTree_Destroy(tree);
        assert_int_equal(memory.liveCount, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairsAreThoseOfBruteForce),
        cmocka_unit_test(theBytesAreTheSameForAnyWorkers),
        cmocka_unit_test(allEqualObjectsAllMeet),
        cmocka_unit_test(sizesAtTheEdgesOfBlocksAndLeaves),
        cmocka_unit_test(aChainOfNodesNeedsLittleStack),
        cmocka_unit_test(touchingCountsAndOneFloatMoreDoesNot),
        cmocka_unit_test(theWholeWorldMeetsEverybodyOnce),
        cmocka_unit_test(sortedPairsDoNotDependOnTheOrderOfInsertion),
        cmocka_unit_test(pairsAreRightThroughComingGoingAndMoving),
        cmocka_unit_test(pairsGoWithTheirObjects),
        cmocka_unit_test(pairsBetweenTreesAreThoseOfBruteForce),
        cmocka_unit_test(moversMeetEachOtherAndWhatStandsStill),
        cmocka_unit_test(wrongQueriesAreRefused),
        cmocka_unit_test(bothMasksMustAgree),
        cmocka_unit_test(theHostMayFilter),
        cmocka_unit_test(equalKeysComeAsTheyAre),
        cmocka_unit_test(refusedMemoryIsReportedAndForgotten),
        cmocka_unit_test(nothingIsAllocatedAfterWarmUp),
    };
    return cmocka_run_group_tests_name("tree_pairs", tests, startTasks, stopTasks);
}
