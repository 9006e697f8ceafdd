// Many queries at once, categories, masks and filters, and results that are kept, grow, and are refused memory.
#include "query_testing.h"

#include "simd_dispatch.h"

enum { objectCount = 700, queryCount = 150 };

static Scene makeScene(Distribution distribution, uint64_t seed) {
    grzTreeDef def = grzDefaultTreeDef();
    def.splitThreshold = 10;
    def.nesting = (grzNesting)(seed % 6);
    return testMakeScene(&def, distribution, objectCount, seed);
}

static grzTreeHits* makeHits(grzAllocator allocator) {
    grzTreeHits* hits;
    assert_int_equal(grzTreeHits_Create(allocator, &hits).status, grz_ok);
    return hits;
}

static grzTasks* makeTasks(uint32_t workerCount) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = workerCount;
    grzTasks* tasks;
    assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_ok);
    return tasks;
}

typedef struct Batch {
    grzTreeQuery queries[queryCount];
    grzHalfSpace halfSpaces[queryCount][GRZ_MAX_HALF_SPACES];
} Batch;

static void fillBatch(Batch* batch, Scene* scene) {
    for (int i = 0; i < queryCount; ++i)
        batch->queries[i] = testRandomQuery(scene, &scene->rng, batch->halfSpaces[i]);
}

static void assertSameViews(grzTreeHitsView a, grzTreeHitsView b) {
    assert_int_equal(a.queryCount, b.queryCount);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.starts, b.starts, (a.queryCount + 1) * sizeof *a.starts);
    assert_true((a.values == NULL) == (b.values == NULL));
    if (a.count != 0)
        assert_memory_equal(a.keys, b.keys, a.count * sizeof *a.keys);
    if (a.count != 0 && a.values != NULL)
        assert_memory_equal(a.values, b.values, a.count * sizeof *a.values);
}

// ----------------------------------------------------------------------------------------------------- batches

static void batchesFindWhatAskingEachObjectFinds(void** state) {
    (void)state;
    uint64_t seed = testSeed(101);
    static Batch batch;
    ExpectedHit* scratch = calloc(objectCount + 1, sizeof *scratch);
    grzTreeHits* hits = makeHits((grzAllocator){0});
    grzTasks* tasks = makeTasks(2);
    for (int distribution = 0; distribution < test_distributionCount; ++distribution) {
        Scene scene = makeScene((Distribution)distribution, ++seed);
        for (int round = 0; round < 2; ++round) {
            fillBatch(&batch, &scene);
            assert_int_equal(grzTree_FindMany(scene.tree, tasks, batch.queries, queryCount, hits).status, grz_ok);
            grzTreeHitsView view = grzTreeHits_GetView(hits);
            assert_int_equal(view.queryCount, queryCount);
            assert_int_equal(view.starts[0], 0);
            assert_int_equal(view.starts[queryCount], view.count);
            for (size_t i = 0; i < queryCount; ++i)
                testCompare(&scene, &batch.queries[i], view, i, scratch);
            assert_true(grzTree_Validate(scene.tree));
            testStirScene(&scene);
        }
        testDestroyScene(&scene);
    }
    grzTasks_Destroy(tasks);
    grzTreeHits_Destroy(hits);
    free(scratch);
}

static void anyNumberOfWorkersGivesTheSameBytes(void** state) {
    (void)state;
    const uint32_t workerCounts[] = {1, 2, 3, 8};
    static Batch batch;
    Scene scene = makeScene(test_clustered, testSeed(102));
    fillBatch(&batch, &scene);
    grzTreeHits* serial = makeHits((grzAllocator){0});
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, batch.queries, queryCount, serial).status, grz_ok);
    assert_true(grzTreeHits_GetView(serial).count > queryCount);
    grzTreeQueryStats expected = grzTreeHits_GetStats(serial);
    for (size_t i = 0; i < sizeof workerCounts / sizeof *workerCounts; ++i) {
        grzTreeHits* hits = makeHits((grzAllocator){0});
        grzTasks* tasks = makeTasks(workerCounts[i]);
        for (int round = 0; round < 3; ++round) {
            assert_int_equal(grzTree_FindMany(scene.tree, tasks, batch.queries, queryCount, hits).status, grz_ok);
            assertSameViews(grzTreeHits_GetView(serial), grzTreeHits_GetView(hits));
            grzTreeQueryStats stats = grzTreeHits_GetStats(hits);
            assert_int_equal(stats.nodeCount, expected.nodeCount);
            assert_int_equal(stats.testedCount, expected.testedCount);
            assert_int_equal(stats.untestedCount, expected.untestedCount);
            assert_int_equal(stats.hitCount, expected.hitCount);
        }
        grzTasks_Destroy(tasks);
        grzTreeHits_Destroy(hits);
    }
    grzTreeHits_Destroy(serial);
    testDestroyScene(&scene);
}

// A tree that is prepared, and one whose nodes are split when reached, list the same hits in the same order.
static void singleQueriesGiveTheBytesOfTheBatch(void** state) {
    (void)state;
    static Batch batch;
    uint64_t seed = testSeed(103);
    Scene lazy = makeScene(test_mixed, seed), scene = makeScene(test_mixed, seed);
    fillBatch(&batch, &scene);
    grzTreeHits *hits = makeHits((grzAllocator){0}), *one = makeHits((grzAllocator){0});
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, batch.queries, queryCount, hits).status, grz_ok);
    grzTreeHitsView view = grzTreeHits_GetView(hits);
    for (size_t i = 0; i < queryCount; ++i) {
        assert_int_equal(grzTree_Find(lazy.tree, &batch.queries[i], one).status, grz_ok);
        grzTreeHitsView single = grzTreeHits_GetView(one);
        assert_int_equal(single.count, view.starts[i + 1] - view.starts[i]);
        if (single.count != 0)
            assert_memory_equal(single.keys, view.keys + view.starts[i], single.count * sizeof *single.keys);
        if (single.count != 0 && single.values != NULL)
            assert_memory_equal(single.values, view.values + view.starts[i], single.count * sizeof(float));
    }
    testDestroyScene(&scene);
    testDestroyScene(&lazy);
    grzTreeHits_Destroy(hits);
    grzTreeHits_Destroy(one);
}

static void batchesPrepareOnlyWhereTheirQueriesReach(void** state) {
    (void)state;
    Scene scene = makeScene(test_uniform, testSeed(104));
    grzTreeHits* hits = makeHits((grzAllocator){0});
    grzTreeQuery queries[4];
    queries[0] = grzMakeBoxQuery(grzBox_Make(grzVec3_Zero(), grzVec3_Splat(5)));
    queries[1] = grzMakeSphereQuery(grzVec3_Splat(3), 2);
    queries[2] = grzMakeRayQuery(grzVec3_Zero(), grzVec3_Make(0, 1, 0), 5, grz_pickClosest);
    queries[3] = grzMakeCastQuery(queries[0].box, grzVec3_Make(0, 1, 0), grz_pickAll);
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, queries, 4, hits).status, grz_ok);
    uint32_t some = grzTree_GetStats(scene.tree).nodeCount;
    assert_int_equal(grzTreeHits_GetStats(hits).splitCount, grzTree_GetStats(scene.tree).splitCount);
    queries[1] = grzMakeNearestQuery(grzVec3_Zero(), 1); // no bounds
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, queries, 4, hits).status, grz_ok);
    assert_true(some > 1 && some < grzTree_GetStats(scene.tree).nodeCount);
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, queries, 4, hits).status, grz_ok);
    assert_int_equal(grzTreeHits_GetStats(hits).splitCount, 0);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

static void noQueriesHaveNoHits(void** state) {
    (void)state;
    Scene scene = makeScene(test_uniform, 1);
    grzTreeHits* hits = makeHits((grzAllocator){0});
    assert_int_equal(grzTreeHits_GetView(hits).queryCount, 0); // before any call
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, NULL, 0, hits).status, grz_ok);
    grzTreeHitsView view = grzTreeHits_GetView(hits);
    assert_true(view.count == 0 && view.queryCount == 0 && view.values == NULL && view.starts[0] == 0);
    const grzTreeQuery query = grzMakeBoxQuery(grzBox_Empty()); // not read
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, &query, (size_t)UINT32_MAX + 1, hits).status, grz_tooLarge);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

// Box queries have no values; beside rays they get zeros; and the other way round on the same hits.
static void valuesComeAndGoWithTheKinds(void** state) {
    (void)state;
    Scene scene = makeScene(test_uniform, testSeed(105));
    grzTreeHits* hits = makeHits((grzAllocator){0});
    grzTreeQuery queries[2] = {grzMakeBoxQuery(grzBox_Make(grzVec3_Zero(), grzVec3_Splat(90))),
                               grzMakeRayQuery(grzVec3_Zero(), grzVec3_Splat(1), 500, grz_pickAll)};
    for (int round = 0; round < 3; ++round) {
        assert_int_equal(grzTree_Find(scene.tree, &queries[0], hits).status, grz_ok);
        grzTreeHitsView view = grzTreeHits_GetView(hits);
        assert_null(view.values);
        size_t boxCount = view.count;
        assert_int_equal(grzTree_FindMany(scene.tree, NULL, queries, 2, hits).status, grz_ok);
        view = grzTreeHits_GetView(hits);
        assert_non_null(view.values);
        assert_int_equal(view.starts[1], boxCount);
        for (size_t i = 0; i < boxCount; ++i)
            assert_true(view.values[i] == 0);
        assert_true(view.count > boxCount && view.values[view.count - 1] > 0);
    }
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

// ------------------------------------------------------------------------------------------- wanted and unwanted

static bool isOdd(void* context, uint32_t key) {
    (void)context;
    return key % 2 == 1;
}

static void assertAsExpected(Scene* scene, grzTreeQuery query, grzTreeHits* hits) {
    ExpectedHit* scratch = calloc(scene->count + 1, sizeof *scratch);
    assert_int_equal(grzTree_Find(scene->tree, &query, hits).status, grz_ok);
    testCompare(scene, &query, grzTreeHits_GetView(hits), 0, scratch);
    free(scratch);
}

static void categoriesMasksAndFiltersDecide(void** state) {
    (void)state;
    uint64_t seed = testSeed(106);
    grzTreeHits* hits = makeHits((grzAllocator){0});
    for (int isMarked = 0; isMarked < 2; ++isMarked) {
        Scene scene = makeScene(test_uniform, ++seed);
        for (uint32_t i = 0; isMarked && i < scene.count; ++i) {
            SceneObject* o = &scene.objects[i];
            assert_int_equal(grzTree_Remove(scene.tree, o->id).status, grz_ok);
            o->object.category = grzRng_Below(&scene.rng, 8);
            o->object.mask = grzRng_Below(&scene.rng, 8);
            assert_int_equal(grzTree_Insert(scene.tree, &o->object, &o->id).status, grz_ok);
        }
        for (int i = 0; i < 400; ++i) {
            grzHalfSpace halfSpaces[GRZ_MAX_HALF_SPACES];
            grzTreeQuery query = testRandomQuery(&scene, &scene.rng, halfSpaces);
            if (i % 4 != 0)
                query.category = (uint64_t)1 << grzRng_Below(&scene.rng, 4);
            if (i % 4 > 1)
                query.mask = grzRng_Below(&scene.rng, 8);
            query.filter = i % 3 == 0 ? isOdd : NULL;
            assertAsExpected(&scene, query, hits);
        }
        testDestroyScene(&scene);
    }
    grzTreeHits_Destroy(hits);
}

static bool countsCalls(void* context, uint32_t key) {
    (void)key;
    ++*(int*)context;
    return true;
}

static void filtersAreAskedOnlyAboutWhatIsMet(void** state) {
    (void)state;
    Scene scene = makeScene(test_uniform, testSeed(107));
    grzTreeHits* hits = makeHits((grzAllocator){0});
    int calls = 0;
    grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Zero(), grzVec3_Splat(40)));
    query.filter = countsCalls;
    query.filterContext = &calls;
    assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
    assert_true(calls > 0);
    assert_int_equal(calls, grzTreeHits_GetView(hits).count);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

static void equalKeysAreAllReported(void** state) {
    (void)state;
    grzTreeDef def = grzDefaultTreeDef();
    grzTree* tree;
    assert_int_equal(grzTree_Create(&def, &tree).status, grz_ok);
    grzTreeObject object = grzDefaultTreeObject();
    object.box = grzBox_Make(grzVec3_Splat(0), grzVec3_Splat(1));
    for (int i = 0; i < 200; ++i) {
        grzTreeId id;
        assert_int_equal(grzTree_Insert(tree, &object, &id).status, grz_ok);
    }
    grzTreeHits* hits = makeHits((grzAllocator){0});
    grzTreeQuery query = grzMakeNearestQuery(grzVec3_Splat(3), 150);
    assert_int_equal(grzTree_Find(tree, &query, hits).status, grz_ok);
    assert_int_equal(grzTreeHits_GetView(hits).count, 150);
    query = grzMakeBoxQuery(object.box);
    query.order = grz_keyOrder;
    assert_int_equal(grzTree_Find(tree, &query, hits).status, grz_ok);
    assert_int_equal(grzTreeHits_GetView(hits).count, 200);
    grzTreeHits_Destroy(hits);
    grzTree_Destroy(tree);
}

// ------------------------------------------------------------------------------------------------------ memory

static void afterWarmUpNothingIsAllocated(void** state) {
    (void)state;
    static Batch batch;
    TestMemory memory = {.failAt = SIZE_MAX};
    Scene scene = makeScene(test_clustered, testSeed(108));
    fillBatch(&batch, &scene);
    grzTreeHits* hits = makeHits(testAllocator(&memory));
    for (int round = 0; round < 2; ++round) {
        size_t before = memory.requests;
        for (int i = 0; i < queryCount; ++i)
            assert_int_equal(grzTree_Find(scene.tree, &batch.queries[i], hits).status, grz_ok);
        assert_int_equal(grzTree_FindMany(scene.tree, NULL, batch.queries, queryCount, hits).status, grz_ok);
        assert_true(round == 0 || memory.requests == before);
    }
    grzTreeHits_Destroy(hits);
    assert_int_equal(memory.liveCount, 0);
    testDestroyScene(&scene);
}

// Runs everything with the k-th request refused. True where none was.
static bool surviveRefusal(Scene* scene, const Batch* batch, grzTasks* tasks, size_t failAt,
                           grzTreeHitsView expected) {
    TestMemory memory = {.failAt = failAt};
    grzTreeHits* hits;
    grzResult result = grzTreeHits_Create(testAllocator(&memory), &hits);
    if (!grzResult_IsOk(result)) {
        assert_int_equal(result.status, grz_outOfMemory);
        assert_null(hits);
        return false;
    }
    result = grzTree_FindMany(scene->tree, tasks, batch->queries, queryCount, hits);
    bool isWell = grzResult_IsOk(result);
    if (!isWell) {
        assert_int_equal(result.status, grz_outOfMemory);
        assert_int_equal(grzTreeHits_GetView(hits).count, 0);
        assert_int_equal(grzTreeHits_GetView(hits).queryCount, 0);
    }
    // With memory again, the same hits serve.
    memory.failAt = SIZE_MAX;
    assert_int_equal(grzTree_FindMany(scene->tree, tasks, batch->queries, queryCount, hits).status, grz_ok);
    assertSameViews(expected, grzTreeHits_GetView(hits));
    grzTreeHits_Destroy(hits);
    assert_int_equal(memory.liveCount, 0);
    return isWell;
}

// Two workers that never run side by side: the test's memory is for one thread.
static void* refuseToSpawn(void* context, grzHostRunFn* run, void* runContext) {
    (void)context, (void)run, (void)runContext;
    return NULL;
}

static void finishNothing(void* context, void* handle) {
    (void)context, (void)handle;
}

static void refusedMemoryLeavesNoHitsAndNoHarm(void** state) {
    (void)state;
    static Batch batch;
    Scene scene = makeScene(test_uniform, testSeed(109));
    grzTree_Prepare(scene.tree, NULL);
    fillBatch(&batch, &scene);
    grzTreeHits* serial = makeHits((grzAllocator){0});
    assert_int_equal(grzTree_FindMany(scene.tree, NULL, batch.queries, queryCount, serial).status, grz_ok);
    grzTasksDef def = grzDefaultTasksDef();
    def.host = (grzTaskHost){NULL, 2, refuseToSpawn, finishNothing};
    grzTasks* twoWorkers;
    assert_int_equal(grzTasks_Create(&def, &twoWorkers).status, grz_ok);
    for (int i = 0; i < 2; ++i) {
        size_t failAt = 0;
        while (!surviveRefusal(&scene, &batch, i == 0 ? NULL : twoWorkers, failAt, grzTreeHits_GetView(serial)))
            ++failAt;
        assert_true(failAt > 5);
    }
    grzTasks_Destroy(twoWorkers);
    grzTreeHits_Destroy(serial);
    testDestroyScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batchesFindWhatAskingEachObjectFinds),
        cmocka_unit_test(anyNumberOfWorkersGivesTheSameBytes),
        cmocka_unit_test(singleQueriesGiveTheBytesOfTheBatch),
        cmocka_unit_test(batchesPrepareOnlyWhereTheirQueriesReach),
        cmocka_unit_test(noQueriesHaveNoHits),
        cmocka_unit_test(valuesComeAndGoWithTheKinds),
        cmocka_unit_test(categoriesMasksAndFiltersDecide),
        cmocka_unit_test(filtersAreAskedOnlyAboutWhatIsMet),
        cmocka_unit_test(equalKeysAreAllReported),
        cmocka_unit_test(afterWarmUpNothingIsAllocated),
        cmocka_unit_test(refusedMemoryLeavesNoHitsAndNoHarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
