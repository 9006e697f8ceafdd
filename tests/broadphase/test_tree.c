// The tree's life against a flat list, over all nestings and retentions; its ids and refusals; when it splits,
// unsplits and collects, as the paper says; its choice of children against a transcription of the paper's appendix;
// and memory that fails at every request.
#include "tree_testing.h"

enum { lifeObjects = 160, lifeSteps = 700 };

// --------------------------------------------------------------------------------------------------- a long life

// A flat list of what the tree should hold.
typedef struct Model {
    grzTree* tree;
    grzTreeObject objects[lifeObjects]; // boxes as they should be stored
    grzTreeId ids[lifeObjects];
    bool isLive[lifeObjects];
    uint32_t liveCount;
    float margin;
    grzRng rng;
} Model;

static grzBox storedBox(const Model* model, grzBox box) {
    return model->margin > 0 ? grzBox_Expand(box, model->margin) : box;
}

// What grzTree_Update promises of margins.
static grzBox updatedBox(const Model* model, grzBox stored, grzBox box) {
    bool isFree = model->margin > 0 && grzBox_Contains(stored, box) &&
                  grzBox_Contains(grzBox_Expand(box, 4 * model->margin), stored);
    return isFree ? stored : storedBox(model, box);
}

static grzBox anyBox(grzRng* rng) {
    float size = grzRng_Below(rng, 12) == 0 ? 40.0F : 3.0F;
    return testBoxAround(testPointIn(rng, 100), testPointIn(rng, size));
}

static grzBox movedBox(grzRng* rng, grzBox box) {
    grzVec3 step = grzScale(testDirection(rng), grzRng_Below(rng, 8) == 0 ? 40.0F : 1.0F);
    grzVec3 centre = grzAdd(grzBox_Center(box), step), half = grzBox_HalfExtent(box);
    return testBoxAround(centre, half);
}

static void insertSome(Model* model) {
    uint32_t wanted = 1 + (grzRng_Below(&model->rng, 4) == 0 ? grzRng_Below(&model->rng, 60) : 0);
    grzTreeObject objects[lifeObjects];
    grzTreeId ids[lifeObjects];
    uint32_t places[lifeObjects], count = 0;
    for (uint32_t i = 0; i < lifeObjects && count < wanted; ++i)
        if (!model->isLive[i])
            places[count++] = i;
    for (uint32_t i = 0; i < count; ++i) {
        objects[i] = testObject(anyBox(&model->rng), grzRng_Next(&model->rng));
        objects[i].category = grzRng_Next64(&model->rng);
        objects[i].mask = grzRng_Next64(&model->rng);
    }
    testOk(grzTree_InsertMany(model->tree, objects, count, ids));
    for (uint32_t i = 0; i < count; ++i) {
        model->objects[places[i]] = objects[i];
        model->objects[places[i]].box = storedBox(model, objects[i].box);
        model->ids[places[i]] = ids[i];
        model->isLive[places[i]] = true;
    }
    model->liveCount += count;
}

static void removeOne(Model* model) {
    uint32_t i = grzRng_Below(&model->rng, lifeObjects);
    grzResult result = grzTree_Remove(model->tree, model->ids[i]);
    assert_int_equal(result.status, model->isLive[i] ? grz_ok : grz_staleHandle);
    model->liveCount -= model->isLive[i];
    model->isLive[i] = false;
}

static void updateOne(Model* model) {
    uint32_t i = grzRng_Below(&model->rng, lifeObjects);
    grzBox box = movedBox(&model->rng, model->objects[i].box);
    grzResult result = grzTree_Update(model->tree, model->ids[i], box);
    assert_int_equal(result.status, model->isLive[i] ? grz_ok : grz_staleHandle);
    if (model->isLive[i])
        model->objects[i].box = updatedBox(model, model->objects[i].box, box);
}

static void updateAll(Model* model) {
    grzBox boxes[lifeObjects];
    memset(boxes, 0xff, sizeof boxes); // NaN where nobody should look
    for (uint32_t i = 0; i < lifeObjects; ++i) {
        if (!model->isLive[i])
            continue;
        grzBox box = movedBox(&model->rng, model->objects[i].box);
        boxes[model->ids[i].index1 - 1] = box;
        model->objects[i].box = storedBox(model, box);
    }
    testOk(grzTree_UpdateAll(model->tree, NULL, boxes, lifeObjects));
}

static void prepare(Model* model) {
    grzBox volume = anyBox(&model->rng);
    grzTree_Prepare(model->tree, grzRng_Below(&model->rng, 2) == 0 ? NULL : &volume);
}

static void assertSameAsModel(const Model* model) {
    assert_int_equal(grzTree_Count(model->tree), model->liveCount);
    for (uint32_t i = 0; i < lifeObjects; ++i) {
        grzTreeObject object;
        assert_int_equal(grzTree_Get(model->tree, model->ids[i], &object), model->isLive[i]);
        if (!model->isLive[i])
            continue;
        assert_true(testSameBox(object.box, model->objects[i].box));
        assert_int_equal(object.key, model->objects[i].key);
        assert_true(object.category == model->objects[i].category && object.mask == model->objects[i].mask);
    }
}

static void liveLong(Model* model) {
    for (int step = 0; step < lifeSteps; ++step) {
        uint32_t choice = grzRng_Below(&model->rng, 16);
        bool isGrowing = step / 100 % 2 == 0;
        if (choice < (isGrowing ? 5u : 1u))
            insertSome(model);
        else if (choice < 8)
            removeOne(model);
        else if (choice < 13)
            updateOne(model);
        else if (choice < 14)
            updateAll(model);
        else
            prepare(model);
        testAssertValid(model->tree);
        assertSameAsModel(model);
    }
}

static void aLongLifeAgreesWithAFlatList(void** state) {
    (void)state;
    uint64_t seed = testSeed(3001);
    TestMemory memory = {.failAt = SIZE_MAX};
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        for (int retention = 0; retention < TEST_RETENTIONS; ++retention) {
            Model model = {.margin = (nesting + retention) % 2 == 0 ? 0 : 0.5F};
            model.rng = grzRng_Make(seed, (uint64_t)(nesting * TEST_RETENTIONS + retention));
            grzTreeDef def = grzDefaultTreeDef();
            def.nesting = (grzNesting)nesting;
            def.retention = (grzRetention)retention;
            def.splitThreshold = 6;
            def.margin = model.margin;
            def.allocator = testAllocator(&memory);
            testOk(grzTree_Create(&def, &model.tree));
            liveLong(&model);
            assert_int_equal(grzTree_GetStats(model.tree).memoryBytes, memory.liveBytes);
            grzTree_Destroy(model.tree);
            assert_int_equal(memory.liveCount, 0);
        }
    }
}

// ------------------------------------------------------------------------------------------------------ creation

static void aNewTreeIsEmpty(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
    grzTreeStats stats = grzTree_GetStats(tree);
    assert_int_equal(stats.objectCount + stats.depth + stats.largestLeaf + stats.innerObjectCount, 0);
    assert_true(stats.nodeCount == 1 && stats.leafCount == 1);
    assert_int_equal(grzTree_Count(tree), 0);
    assert_int_equal(grzTree_IndexCount(tree), 0);
    grzTree_Prepare(tree, NULL);
    testOk(grzTree_UpdateAll(tree, NULL, NULL, 0));
    testOk(grzTree_UpdateMany(tree, NULL, NULL, 0));
    testOk(grzTree_InsertMany(tree, NULL, 0, NULL));
    testAssertValid(tree);
    grzTree_Destroy(tree);
    grzTree_Destroy(NULL);
}

static void wrongDefsAreRefused(void** state) {
    (void)state;
    const grzTreeDef good = grzDefaultTreeDef();
    grzTreeDef defs[11];
    for (int i = 0; i < 11; ++i)
        defs[i] = good;
    defs[0].mark = 0;
    defs[1].nesting = (grzNesting)TEST_NESTINGS;
    defs[2].nesting = (grzNesting)-1;
    defs[3].retention = (grzRetention)TEST_RETENTIONS;
    defs[4].retention = (grzRetention)-1;
    defs[5].margin = -1;
    defs[6].margin = NAN;
    defs[7].margin = INFINITY;
    defs[8].idSalt = UINT32_C(1) << 31;
    defs[9].allocator.allocate = grzDefaultAllocator().allocate;
    defs[10].allocator.release = grzDefaultAllocator().release;
    for (int i = 0; i < 11; ++i) {
        grzTree* tree = (grzTree*)state;
        grzResult result = grzTree_Create(&defs[i], &tree);
        assert_int_equal(result.status, i == 0 ? grz_badDef : grz_badArgument);
        assert_true(i == 0 || result.reason != NULL);
        assert_null(tree);
    }
    grzTree* tree = (grzTree*)state;
    assert_int_equal(grzTree_Create(NULL, &tree).status, grz_badDef);
    assert_null(tree);
}

// [Shagam] section 3.
static void defaultThresholdsAreThoseOfThePaper(void** state) {
    (void)state;
    static const uint32_t leafy[] = {35, 25, 40, 70}, other[] = {30, 20, 30, 50};
    for (int nesting = grz_nestKd; nesting <= grz_nestIcoseptree; ++nesting) {
        assert_int_equal(grzTree_DefaultThreshold((grzNesting)nesting, grz_retainNone), leafy[nesting]);
        assert_int_equal(grzTree_DefaultThreshold((grzNesting)nesting, grz_retainLinear), other[nesting]);
        assert_int_equal(grzTree_DefaultThreshold((grzNesting)nesting, grz_retainVolume), other[nesting]);
    }
}

// ----------------------------------------------------------------------------------------------------------- ids

static void indicesAreGivenInOrderAndUsedAgain(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestOctree, grz_retainNone, 0, NULL);
    grzBox box = grzBox_Make(grzVec3_Zero(), grzVec3_Splat(1));
    grzTreeId ids[50];
    for (uint32_t i = 0; i < 50; ++i) {
        ids[i] = testInsert(tree, box, 7);
        assert_int_equal(ids[i].index1, i + 1);
        assert_true(grzTree_Has(tree, ids[i]));
        assert_int_equal(grzTree_IndexCount(tree), i + 1);
    }
    testOk(grzTree_Remove(tree, ids[20]));
    grzTreeId again = testInsert(tree, box, 8);
    assert_int_equal(again.index1, 21);
    assert_int_not_equal(again.generation, ids[20].generation);
    assert_true(grzTree_Has(tree, again) && !grzTree_Has(tree, ids[20]));
    assert_false(grzTree_Get(tree, again, NULL) || grzTree_Has(NULL, again));
    assert_int_equal(grzTree_IndexCount(tree), 50);
    grzTree_Destroy(tree);
}

static void assertNamesNothing(grzTree* tree, grzTreeId id) {
    TestDump before = testDumpTree(tree);
    grzTreeObject object;
    grzBox box = grzBox_Make(grzVec3_Zero(), grzVec3_Splat(1));
    assert_false(grzTree_Has(tree, id) || grzTree_Get(tree, id, &object));
    assert_int_equal(grzTree_Remove(tree, id).status, grz_staleHandle);
    assert_int_equal(grzTree_Update(tree, id, box).status, grz_staleHandle);
    testAssertUnchanged(tree, &before);
}

static void assertRefusedAt(grzResult result, grzStatus status, uint64_t place) {
    assert_int_equal(result.status, status);
    assert_int_equal(result.part, grz_partObject);
    assert_int_equal(result.index, place);
}

static void idsOfNothingAreRefused(void** state) {
    (void)state;
    grzTree *tree = testMakeTree(grz_nestKd, grz_retainVolume, 0, NULL),
            *other = testMakeTree(grz_nestKd, grz_retainVolume, 0, NULL);
    grzBox box = grzBox_Make(grzVec3_Zero(), grzVec3_Splat(1));
    grzTreeId ids[20], foreign[40];
    for (uint32_t i = 0; i < 20; ++i)
        ids[i] = testInsert(tree, box, i);
    for (uint32_t i = 0; i < 40; ++i)
        foreign[i] = testInsert(other, box, i);
    const grzTreeId null = {0, 0}, nobody = {0, 5}, unborn = {1, ids[0].generation + 1}, last = {UINT32_MAX, 1};
    assertNamesNothing(tree, null);
    assertNamesNothing(tree, nobody);
    assertNamesNothing(tree, unborn);
    assertNamesNothing(tree, last);
    for (uint32_t i = 0; i < 40; ++i) { // indices that this tree gave too, and others
        assertNamesNothing(tree, foreign[i]);
        if (i < 20)
            assertNamesNothing(other, ids[i]);
    }
    grzTreeId mixed[3] = {ids[0], ids[1], foreign[2]};
    grzBox boxes[3] = {box, box, box};
    assertRefusedAt(grzTree_UpdateMany(tree, mixed, boxes, 3), grz_staleHandle, 2);
    testOk(grzTree_Remove(tree, ids[3]));
    assertNamesNothing(tree, ids[3]);
    (void)testInsert(tree, box, 99);
    assertNamesNothing(tree, ids[3]); // somebody else lives there now
    grzTree_Destroy(tree);
    grzTree_Destroy(other);
}

static void treesWithTheSameSaltGiveTheSameIds(void** state) {
    (void)state;
    grzTreeDef def = grzDefaultTreeDef();
    grzTreeId ids[3];
    for (uint32_t i = 0; i < 3; ++i) {
        def.idSalt = i == 2 ? 6 : 7;
        grzTree* tree;
        testOk(grzTree_Create(&def, &tree));
        ids[i] = testInsert(tree, grzBox_Make(grzVec3_Zero(), grzVec3_Splat(1)), 0);
        grzTree_Destroy(tree);
    }
    assert_true(ids[0].generation == ids[1].generation && ids[0].generation != ids[2].generation);
}

// ------------------------------------------------------------------------------------------------------ bad boxes

typedef struct BadBox {
    grzBox box;
    grzStatus status;
} BadBox;

static float* coordinate(grzBox* box, int side) {
    grzVec3* corner = side < 3 ? &box->lower : &box->upper;
    return side % 3 == 0 ? &corner->x : side % 3 == 1 ? &corner->y : &corner->z;
}

enum { badBoxes = 21 };

static BadBox badBox(int kind) {
    BadBox bad = {grzBox_Make(grzVec3_Splat(-1), grzVec3_Splat(1)), kind < 18 ? grz_notFinite : grz_invertedBounds};
    static const float wrong[3] = {NAN, INFINITY, -INFINITY};
    if (kind < 18)
        *coordinate(&bad.box, kind % 6) = wrong[kind / 6];
    else
        *coordinate(&bad.box, kind - 18) = 1.5F;
    return bad;
}

enum { badScene = 40, badPlace = 23 };

static void refuseEverywhere(grzTree* tree, const grzTreeId* ids, const grzBox* boxes, BadBox bad) {
    grzTreeObject objects[badScene];
    grzBox updates[badScene];
    grzTreeId made[badScene];
    for (uint32_t i = 0; i < badScene; ++i) {
        updates[i] = i == badPlace ? bad.box : boxes[(i + 1) % badScene];
        objects[i] = testObject(updates[i], i);
    }
    assertRefusedAt(grzTree_Insert(tree, &objects[badPlace], made), bad.status, 0);
    assertRefusedAt(grzTree_InsertMany(tree, objects, badScene, made), bad.status, badPlace);
    assertRefusedAt(grzTree_Update(tree, ids[0], bad.box), bad.status, 0);
    assertRefusedAt(grzTree_UpdateMany(tree, ids, updates, badScene), bad.status, badPlace);
    assertRefusedAt(grzTree_UpdateAll(tree, NULL, updates, badScene), bad.status, badPlace);
}

static void badBoxesAreNamedAndChangeNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3002), 0);
    grzBox boxes[badScene];
    grzTreeId ids[badScene];
    testMakeScene(test_uniform, &rng, boxes, badScene);
    grzTree* tree = testMakeTree(grz_nestIcoseptree, grz_retainVolume, 8, NULL);
    testInsertAll(tree, boxes, badScene, 0, ids);
    grzTree_Prepare(tree, NULL);
    for (int kind = 0; kind < badBoxes; ++kind) {
        TestDump before = testDumpTree(tree);
        refuseEverywhere(tree, ids, boxes, badBox(kind));
        testAssertUnchanged(tree, &before);
    }
    grzTree_Destroy(tree);
}

static void updateAllNeedsABoxForEveryIndex(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestRank, grz_retainVolume, 0, NULL);
    grzBox boxes[3] = {{{0, 0, 0, 0}, {1, 1, 1, 0}}, {{2, 0, 0, 0}, {3, 1, 1, 0}}, {{4, 0, 0, 0}, {5, 1, 1, 0}}};
    testInsertAll(tree, boxes, 3, 0, NULL);
    TestDump before = testDumpTree(tree);
    assert_int_equal(grzTree_UpdateAll(tree, NULL, boxes, 2).status, grz_badArgument);
    testAssertUnchanged(tree, &before);
    grzTree_Destroy(tree);
}

// --------------------------------------------------------------------------------------- splitting [Shagam] 2.1.1

enum { sceneCount = 300 };

static grzTree* uniformTree(grzNesting nesting, grzRetention retention, uint32_t threshold, grzTreeId* ids,
                            uint64_t seed) {
    grzRng rng = grzRng_Make(seed, 0);
    grzBox boxes[sceneCount];
    testMakeScene(test_uniform, &rng, boxes, sceneCount);
    grzTree* tree = testMakeTree(nesting, retention, threshold, NULL);
    testInsertAll(tree, boxes, sceneCount, 0, ids);
    return tree;
}

static void insertionNeverSplits(void** state) {
    (void)state;
    uint64_t seed = testSeed(3003);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = uniformTree((grzNesting)nesting, grz_retainNone, 10, NULL, seed);
        grzTreeStats stats = grzTree_GetStats(tree);
        assert_true(stats.nodeCount == 1 && stats.splitCount == 0 && stats.largestLeaf == sceneCount);
        grzTree_Prepare(tree, NULL);
        stats = grzTree_GetStats(tree);
        assert_true(stats.splitCount > 1 && stats.leafCount > sceneCount / 10 && stats.depth > 0);
        assert_true(stats.largestLeaf <= 10);
        assert_int_equal(stats.innerObjectCount, 0);
        uint64_t splitCount = stats.splitCount;
        grzTree_Prepare(tree, NULL);
        assert_int_equal(grzTree_GetStats(tree).splitCount, splitCount);
        grzTree_Destroy(tree);
    }
}

static void aQuerySplitsOnlyWhatItReaches(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainNone, 10, NULL);
    for (uint32_t i = 0; i < 100; ++i) {
        float x = (i < 50 ? 0.0F : 1000.0F) + (float)i;
        (void)testInsert(tree, testBoxAround(grzVec3_Make(x, 0, 0), grzVec3_Splat(0.25F)), i);
    }
    grzBox left = grzBox_Make(grzVec3_Splat(-10), grzVec3_Splat(100)),
           nowhere = grzBox_Make(grzVec3_Splat(400), grzVec3_Splat(401));
    grzTree_Prepare(tree, &nowhere);
    assert_int_equal(grzTree_GetStats(tree).splitCount, 0);
    grzTree_Prepare(tree, &left);
    grzTreeStats stats = grzTree_GetStats(tree);
    assert_int_equal(stats.largestLeaf, 50); // the right half, as yet whole
    assert_true(stats.leafCount > 5);
    grzTree_Prepare(tree, NULL);
    assert_true(grzTree_GetStats(tree).largestLeaf <= 10);
    grzTree_Destroy(tree);
}

static void aLeafIsSplitAboveItsThresholdAndNotAtIt(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        for (int retention = 0; retention < TEST_RETENTIONS; ++retention) {
            grzTree* tree = testMakeTree((grzNesting)nesting, (grzRetention)retention, 0, NULL);
            uint32_t threshold = grzTree_DefaultThreshold((grzNesting)nesting, (grzRetention)retention);
            for (uint32_t i = 0; i < threshold; ++i)
                (void)testInsert(tree, testBoxAround(grzVec3_Splat(9 * (float)i), grzVec3_Splat(1)), i);
            grzTree_Prepare(tree, NULL);
            assert_int_equal(grzTree_GetStats(tree).splitCount, 0);
            (void)testInsert(tree, testBoxAround(grzVec3_Splat(-9), grzVec3_Splat(1)), threshold);
            assert_int_equal(grzTree_GetStats(tree).splitCount, 0);
            grzTree_Prepare(tree, NULL);
            assert_true(grzTree_GetStats(tree).splitCount > 0 && grzTree_GetStats(tree).nodeCount > 1);
            testAssertValid(tree);
            grzTree_Destroy(tree);
        }
    }
}

// "we simply transfer the objects back to the current node, but keep the current node marked as split"
static void objectsThatAllGoToOneChildStay(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainNone, 10, NULL);
        grzBox boxes[40];
        grzRng rng = grzRng_Make(0, 0);
        testMakeScene(test_allEqual, &rng, boxes, 40);
        testInsertAll(tree, boxes, 40, 0, NULL);
        for (int i = 0; i < 3; ++i) {
            grzTree_Prepare(tree, NULL);
            grzTreeStats stats = grzTree_GetStats(tree);
            assert_int_equal(stats.splitCount, 1); // and is not tried again
            assert_true(stats.nodeCount == 1 && stats.largestLeaf == 40);
            testAssertValid(tree);
        }
        grzTree_Destroy(tree);
    }
}

// Two sides of the same length, and the third without one.
static void aSquareFieldIsSplitHoweverItLies(void** state) {
    (void)state;
    enum { fieldSide = 32 };
    for (int variant = 0; variant < TEST_NESTINGS * 3; ++variant) {
        int flat = variant % 3;
        grzTree* tree = testMakeTree((grzNesting)(variant / 3), grz_retainNone, 16, NULL);
        for (uint32_t i = 0; i < fieldSide * fieldSide; ++i) {
            float x = (float)(i % fieldSide), y = (float)(i / fieldSide);
            grzVec3 p = grzVec3_Make(flat == 0 ? 0 : x, flat == 1 ? 0 : y, flat == 0 ? x : flat == 1 ? y : 0);
            testInsert(tree, grzBox_Make(p, grzAdd(p, grzVec3_Splat(0.5F))), i);
        }
        grzTree_Prepare(tree, NULL);
        assert_true(grzTree_GetStats(tree).largestLeaf <= 16);
        testAssertValid(tree);
        grzTree_Destroy(tree);
    }
}

// But where some object is kept, the split is of use: it stays above the others.
static void aLargeObjectStaysAboveEqualOnes(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 10, NULL);
        grzTreeId large = testInsert(tree, testBoxAround(grzVec3_Zero(), grzVec3_Splat(50)), 40);
        for (uint32_t i = 0; i < 40; ++i)
            (void)testInsert(tree, testBoxAround(grzVec3_Splat(20), grzVec3_Splat(1)), i);
        grzTree_Prepare(tree, NULL);
        grzTreeStats stats = grzTree_GetStats(tree);
        assert_true(stats.nodeCount == 2 && stats.innerObjectCount == 1 && stats.largestLeaf == 40);
        assert_int_equal(treeObjectNode(tree, large.index1 - 1), tree_root);
        testAssertValid(tree);
        grzTree_Destroy(tree);
    }
}

// ---------------------------------------------------------------------- deleting and extents [Shagam] 2.1.3, 2.1.5

static void emptyNodesGoAndTheTreeSplitsAgain(void** state) {
    (void)state;
    uint64_t seed = testSeed(3004);
    grzTreeId ids[sceneCount];
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = uniformTree((grzNesting)nesting, grz_retainNone, 10, ids, seed);
        grzTree_Prepare(tree, NULL);
        uint32_t nodeCount = grzTree_GetStats(tree).nodeCount;
        for (uint32_t i = 0; i < sceneCount; ++i) {
            testOk(grzTree_Remove(tree, ids[i]));
            testAssertValid(tree);
        }
        grzTreeStats stats = grzTree_GetStats(tree);
        assert_true(stats.nodeCount == 1 && stats.objectCount == 0);
        assert_int_equal(stats.collectedCount, nodeCount - 1);
        for (uint32_t i = 0; i < 30; ++i)
            (void)testInsert(tree, testBoxAround(grzVec3_Splat(9 * (float)i), grzVec3_Splat(1)), i);
        assert_int_equal(grzTree_GetStats(tree).nodeCount, 1); // unsplit, so they gather again
        grzTree_Prepare(tree, NULL);
        assert_true(grzTree_GetStats(tree).nodeCount > 1);
        grzTree_Destroy(tree);
    }
}

static void aNodeThatLosesItsLastChildIsUnsplit(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainVolume, 4, NULL);
    grzTreeId large = testInsert(tree, testBoxAround(grzVec3_Splat(4), grzVec3_Splat(5)), 99), ids[8];
    for (uint32_t i = 0; i < 8; ++i)
        ids[i] = testInsert(tree, testBoxAround(grzVec3_Splat((float)i), grzVec3_Splat(0.25F)), i);
    grzTree_Prepare(tree, NULL);
    assert_int_equal(grzTree_GetStats(tree).nodeCount, 3);
    for (uint32_t i = 0; i < 8; ++i) {
        testOk(grzTree_Remove(tree, ids[i]));
        testAssertValid(tree);
    }
    grzTreeStats stats = grzTree_GetStats(tree);
    assert_true(stats.nodeCount == 1 && stats.collectedCount == 2 && stats.unsplitCount == 1);
    assert_int_equal(tree->infos[tree_root].kind, tree_notSplit);
    testOk(grzTree_Remove(tree, large));
    grzTree_Destroy(tree);
}

static void aNodeThatOnlyLeadsToOneChildGivesItsPlace(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainNone, 4, NULL);
    grzTreeId ids[16];
    for (uint32_t i = 0; i < 16; ++i)
        ids[i] = testInsert(tree, testBoxAround(grzVec3_Splat((float)i), grzVec3_Splat(0.25F)), i);
    grzTree_Prepare(tree, NULL);
    assert_int_equal(grzTree_GetStats(tree).nodeCount, 7);
    for (uint32_t i = 0; i < 4; ++i)
        testOk(grzTree_Remove(tree, ids[i]));
    grzTreeStats stats = grzTree_GetStats(tree);
    assert_true(stats.nodeCount == 5 && stats.collectedCount == 2 && stats.unsplitCount == 0);
    assert_int_equal(treeObjectNode(tree, ids[5].index1 - 1), tree->nodes[tree_root].firstChild);
    for (uint32_t i = 4; i < 8; ++i)
        testOk(grzTree_Remove(tree, ids[i]));
    stats = grzTree_GetStats(tree);
    assert_true(stats.nodeCount == 3 && stats.depth == 1 && stats.collectedCount == 4);
    testAssertValid(tree);
    (void)testInsert(tree, testBoxAround(grzVec3_Zero(), grzVec3_Splat(0.25F)), 0);
    grzTree_Prepare(tree, NULL);
    testAssertValid(tree);
    grzTree_Destroy(tree);
}

static void anEmptyRootForgetsItsSplit(void** state) {
    (void)state;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainNone, 4, NULL);
        grzTreeId ids[10];
        for (int round = 0; round < 2; ++round) {
            for (uint32_t i = 0; i < 10; ++i)
                ids[i] = testInsert(tree, testBoxAround(grzVec3_Splat((float)round), grzVec3_Splat(1)), i);
            grzTree_Prepare(tree, NULL); // all in one place: split in name only
            assert_int_equal(grzTree_GetStats(tree).nodeCount, 1);
            for (uint32_t i = 0; i < 10; ++i)
                testOk(grzTree_Remove(tree, ids[i]));
            assert_int_equal(tree->infos[tree_root].kind, tree_notSplit);
            testAssertValid(tree);
        }
        grzTree_Destroy(tree);
    }
}

static grzBox rootBox(const grzTree* tree) {
    return treeNodeBox(tree, tree_root);
}

static void aBoxShrinksOnlyWhereItCouldAndOnlyWhenAsked(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainNone, 10, NULL);
    grzTreeId ids[5];
    for (uint32_t i = 0; i < 5; ++i)
        ids[i] = testInsert(tree, testBoxAround(grzVec3_Splat((float)i), grzVec3_Splat(0.5F)), i);
    grzBox all = rootBox(tree), shrunk = grzBox_Make(all.lower, grzVec3_Splat(3.5F));
    testOk(grzTree_Remove(tree, ids[2]));
    assert_false(tree->infos[tree_root].isStale); // it was not flush with any side
    testOk(grzTree_Remove(tree, ids[4]));
    assert_true(tree->infos[tree_root].isStale && testSameBox(rootBox(tree), all));
    grzBox elsewhere = testBoxAround(grzVec3_Splat(100), grzVec3_Splat(1));
    grzTree_Prepare(tree, &elsewhere);
    assert_true(!tree->infos[tree_root].isStale && testSameBox(rootBox(tree), shrunk));
    grzTree_Destroy(tree);
}

static void staleMarksClimbWhileTheObjectIsFlush(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainNone, 4, NULL);
    grzTreeId ids[16];
    for (uint32_t i = 0; i < 16; ++i)
        ids[i] = testInsert(
            tree,
            testBoxAround(grzVec3_Make((float)i, (float)(i * 3 % 7), (float)(i * i % 7)), grzVec3_Splat(0.25F)), i);
    // One object flush with nothing but its leaf's lower x side.
    grzTree_Prepare(tree, NULL);
    uint32_t leaf = treeObjectNode(tree, ids[8].index1 - 1);
    assert_int_not_equal(leaf, tree_root);
    assert_true(treeNodeBox(tree, leaf).lower.x == 7.75F);
    testOk(grzTree_Remove(tree, ids[8]));
    assert_true(tree->infos[treeObjectNode(tree, ids[9].index1 - 1)].isStale);
    assert_false(tree->infos[tree_root].isStale);
    testOk(grzTree_Remove(tree, ids[0]));
    assert_true(tree->infos[tree_root].isStale);
    testAssertValid(tree);
    grzTree_Prepare(tree, NULL);
    for (uint32_t i = 0; i < tree->nodeCount; ++i)
        assert_false(tree->infos[i].isLive && tree->infos[i].isStale);
    testAssertValid(tree);
    grzTree_Destroy(tree);
}

// --------------------------------------------------------------------------- WhichChild of [Shagam] appendix A.2

// The paper's BBTree, as much of it as WhichChild reads.
typedef struct PaperTree {
    int treeType;
    bool isNonLeafy;
    grzVec3 m_min, m_max, m_split;
    enum { SplitX, SplitY, SplitZ } m_splitdir;
} PaperTree;

static int paperWhichChild2(const PaperTree* t, grzVec3 pos) {
    if (t->m_splitdir == SplitX)
        return (pos.x < t->m_split.x) ? 0 : 1;
    if (t->m_splitdir == SplitY)
        return (pos.y < t->m_split.y) ? 0 : 1;
    return (pos.z < t->m_split.z) ? 0 : 1;
}

static int paperWhichChild3(const PaperTree* t, grzVec3 pos, float radius) {
    float p, s;
    if (t->m_splitdir == SplitX) {
        p = pos.x;
        s = t->m_split.x;
    } else if (t->m_splitdir == SplitY) {
        p = pos.y;
        s = t->m_split.y;
    } else {
        p = pos.z;
        s = t->m_split.z;
    }
    if (p + radius < s)
        return 1;
    if (p - radius > s)
        return 2;
    return 0;
}

static int paperWhichChild8(const PaperTree* t, grzVec3 pos) {
    int c = 0;
    if (pos.x < t->m_split.x)
        c |= 1;
    if (pos.y < t->m_split.y)
        c |= 2;
    if (pos.z < t->m_split.z)
        c |= 4;
    return c;
}

static int paperWhichChild27(const PaperTree* t, grzVec3 pos, float radius) {
    int c = 0;
    if (pos.x + radius < t->m_split.x)
        c += 1;
    else if (pos.x - radius > t->m_split.x)
        c += 2;
    if (pos.y + radius < t->m_split.y)
        c += 3;
    else if (pos.y - radius > t->m_split.y)
        c += 6;
    if (pos.z + radius < t->m_split.z)
        c += 9;
    else if (pos.z - radius > t->m_split.z)
        c += 18;
    return c;
}

// sv and bv of the paper; -1 where it retains.
static int paperWhichChild(const PaperTree* t, grzVec3 pos, float radius) {
    if (t->isNonLeafy) {
        float sv = (float)((double)(radius * 4) * 3.14159265358979323846 / 3);
        float bv = (t->m_max.x - t->m_min.x) * (t->m_max.y - t->m_min.y) * (t->m_max.z - t->m_min.z);
        if (sv > bv / 8)
            return -1;
    }
    switch (t->treeType) {
    case 2:
        return paperWhichChild2(t, pos);
    case 3:
        return paperWhichChild3(t, pos, radius);
    case 8:
        return paperWhichChild8(t, pos);
    default:
        return paperWhichChild27(t, pos, radius);
    }
}

static PaperTree paperTreeOf(const grzTree* tree, uint32_t node, int treeType, bool isNonLeafy) {
    const TreeNodeInfo* info = &tree->infos[node];
    grzBox box = treeNodeBox(tree, node);
    PaperTree t = {treeType, isNonLeafy, box.lower, box.upper, {info->split[0], info->split[1], info->split[2], 0},
                   SplitZ};
    float sx = box.upper.x - box.lower.x, sy = box.upper.y - box.lower.y, sz = box.upper.z - box.lower.z;
    // Of equal ones his code takes z, ours the first.
    if (sx >= sy && sx >= sz)
        t.m_splitdir = SplitX;
    else if (sy > sx && sy >= sz)
        t.m_splitdir = SplitY;
    if (treeType <= 3)
        assert_int_equal(info->axis, t.m_splitdir);
    return t;
}

// Coordinates in eighths, so that pos + radius and twice the centre are exact and agree with the box's sides.
static grzVec3 eighths(grzRng* rng, uint32_t most) {
    float x = (float)grzRng_Below(rng, most), y = (float)grzRng_Below(rng, most),
          z = (float)grzRng_Below(rng, most);
    return grzVec3_Make(x / 8, y / 8, z / 8);
}

// A sphere anywhere, or one that touches the split point on some axes, or has its centre there.
static grzVec3 placeNear(const float split[3], float radius, bool isAnywhere, grzRng* rng) {
    if (isAnywhere)
        return eighths(rng, 900);
    float at[3];
    for (int axis = 0; axis < 3; ++axis)
        at[axis] = split[axis] + (float)((int)grzRng_Below(rng, 3) - 1) * radius;
    return grzVec3_Make(at[0], at[1], at[2]);
}

// Codes of all nodes below. Returns how many spheres were retained.
static uint32_t compareCodes(grzTree* tree, uint32_t node, int treeType, bool isNonLeafy, grzRng* rng) {
    if (tree->nodes[node].childMask == 0)
        return 0;
    float* split = tree->infos[node].split;
    for (int axis = 0; axis < 3; ++axis)
        split[axis] = floorf(split[axis] * 8) / 8; // for the spheres to meet it exactly
    PaperTree t = paperTreeOf(tree, node, treeType, isNonLeafy);
    uint32_t retained = 0;
    for (int i = 0; i < 300; ++i) {
        float radius = (float)grzRng_Below(rng, 200) * (i % 3 == 0 ? 512.0F : i % 3 == 1 ? 1 : 0.125F);
        grzVec3 pos = placeNear(split, radius, i % 2 == 0, rng);
        int expected = paperWhichChild(&t, pos, radius);
        assert_int_equal(grzTreeChildCode(tree, node, testBoxAround(pos, grzVec3_Splat(radius))), expected);
        retained += expected < 0;
    }
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        retained += compareCodes(tree, tree->nodes[node].firstChild + i, treeType, isNonLeafy, rng);
    return retained;
}

static void childCodesAreThoseOfTheAppendix(void** state) {
    (void)state;
    static const int treeTypes[] = {2, 3, 8, 27};
    grzRng rng = grzRng_Make(testSeed(3005), 0);
    for (int nesting = grz_nestKd; nesting <= grz_nestIcoseptree; ++nesting) {
        for (int isNonLeafy = 0; isNonLeafy < 2; ++isNonLeafy) {
            grzTree* tree =
                testMakeTree((grzNesting)nesting, isNonLeafy != 0 ? grz_retainLinear : grz_retainNone, 20, NULL);
            for (uint32_t i = 0; i < 400; ++i) {
                float radius = (float)(1 + grzRng_Below(&rng, 8)) / 8;
                (void)testInsert(tree, testBoxAround(eighths(&rng, 800), grzVec3_Splat(radius)), i);
            }
            grzTree_Prepare(tree, NULL);
            uint32_t retained = compareCodes(tree, tree_root, treeTypes[nesting], isNonLeafy != 0, &rng);
            assert_int_equal(retained != 0, isNonLeafy); // the comparison saw both
            grzTree_Destroy(tree);
        }
    }
}

static void largeObjectsStayByTheirVolume(void** state) {
    (void)state;
    grzTree* tree = testMakeTree(grz_nestOctree, grz_retainVolume, 20, NULL);
    for (uint32_t i = 0; i < 64; ++i) {
        grzVec3 centre = grzVec3_Make((float)(i % 4), (float)(i / 4 % 4), (float)(i / 16));
        (void)testInsert(tree, testBoxAround(centre, grzVec3_Splat(0.5F)), i);
    }
    grzTree_Prepare(tree, NULL); // the root is 4 x 4 x 4
    const grzVec3 middle = grzVec3_Splat(1), half = grzVec3_Splat(1), less = grzVec3_Make(1, 1, 0.9375F);
    assert_int_equal(grzTreeChildCode(tree, tree_root, testBoxAround(middle, half)), -1); // exactly an eighth
    assert_int_not_equal(grzTreeChildCode(tree, tree_root, testBoxAround(middle, less)), -1);
    grzTreeId large = testInsert(tree, testBoxAround(middle, half), 99);
    assert_int_equal(treeObjectNode(tree, large.index1 - 1), tree_root);
    assert_int_equal(grzTree_GetStats(tree).innerObjectCount, 1);
    grzTree_Destroy(tree);
}

// Points and flat boxes in a flat tree, and boxes whose volumes overflow, are not kept above for their volumes.
static void volumesOfNothingAndBeyondAllKeepNobody(void** state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        grzTree* tree = testMakeTree(grz_nestOctree, grz_retainVolume, 20, NULL);
        float scale = kind == 2 ? 1e30F : 1;
        grzVec3 half = kind == 0 ? grzVec3_Zero() : grzScale(grzVec3_Make(0.5F, 0.5F, kind == 1 ? 0 : 0.5F), scale);
        for (uint32_t i = 0; i < 64; ++i) {
            grzVec3 centre = grzVec3_Make((float)(i % 8), (float)(i / 8), 0);
            (void)testInsert(tree, testBoxAround(grzScale(centre, scale), half), i);
        }
        grzTree_Prepare(tree, NULL);
        assert_int_equal(grzTree_GetStats(tree).innerObjectCount, 0);
        assert_true(grzTree_GetStats(tree).nodeCount > 1);
        grzTree_Destroy(tree);
    }
}

// ---------------------------------------------------------------------- split points [Shagam] 2.1.1 and 2.1.6

static void aSplitPointIsTheMeanOfTheCentres(void** state) {
    (void)state;
    for (int nesting = grz_nestKd; nesting <= grz_nestIcoseptree; ++nesting) {
        grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainNone, 3, NULL);
        static const float x[] = {0, 8, 24, 96};
        for (uint32_t i = 0; i < 4; ++i)
            (void)testInsert(tree, testBoxAround(grzVec3_Make(x[i], 2 * x[i], -x[i]), grzVec3_Splat(1)), i);
        grzTree_Prepare(tree, NULL);
        const float* split = tree->infos[tree_root].split;
        assert_true(split[0] == 32 && split[1] == 64 && split[2] == -32);
        grzTree_Destroy(tree);
    }
}

// Objects count 1 each, a child that is split counts its threshold at its split point, a leaf what it holds.
static void aRepairedSplitPointIsTheWeightedMean(void** state) {
    (void)state;
    enum { threshold = 4 };
    grzTree* tree = testMakeTree(grz_nestKd, grz_retainVolume, threshold, NULL);
    grzTreeId last = {0, 0};
    for (uint32_t i = 0; i < 16; ++i) {
        float x = i < 12 ? (float)i : 100.0F + (float)i;
        last = testInsert(tree, testBoxAround(grzVec3_Make(x, 0, 0), grzVec3_Splat(0.25F)), i);
    }
    grzTree_Prepare(tree, NULL);
    (void)testInsert(tree, testBoxAround(grzVec3_Make(60, 0, 0), grzVec3_Make(59, 0.25F, 0.25F)), 16);
    assert_int_equal(tree->nodes[tree_root].objectCount, 1);
    testOk(grzTree_Remove(tree, last)); // flush with the root
    assert_true(tree->infos[tree_root].isStale);
    const TreeNode* root = &tree->nodes[tree_root];
    assert_int_equal(root->childMask, 3);
    uint32_t inner = root->firstChild, leaf = inner + 1;
    assert_true(!treeIsLeaf(tree, inner) && treeIsLeaf(tree, leaf));
    assert_int_equal(tree->nodes[leaf].objectCount, 3);
    double innerSplit = (double)tree->infos[inner].split[0], leafMean = (112 + 113 + 114) / 3.0;
    grzTree_Prepare(tree, NULL);
    double expected = (60 + threshold * innerSplit + 3 * leafMean) / (1 + threshold + 3);
    assert_true(fabs((double)tree->infos[tree_root].split[0] - expected) < 1e-4);
    grzTree_Destroy(tree);
}

// ---------------------------------------------------------------------------------------------------- drawing

typedef struct Drawn {
    grzBox path[64]; // of the nodes from the root to the last one
    uint32_t nodeCount, leafCount, depth, previous;
} Drawn;

static void drawOne(void* context, grzBox box, uint32_t level, bool isLeaf) {
    Drawn* drawn = context;
    assert_true(level < 64 && level <= drawn->previous + 1);
    assert_int_equal(level == 0, drawn->nodeCount == 0);
    if (level > 0)
        assert_true(grzBox_Contains(drawn->path[level - 1], box));
    drawn->path[level] = box;
    drawn->previous = level;
    drawn->nodeCount++;
    drawn->leafCount += isLeaf;
    drawn->depth = level > drawn->depth ? level : drawn->depth;
}

static void drawingVisitsParentsFirst(void** state) {
    (void)state;
    grzTree* tree = uniformTree(grz_nestIcoseptree, grz_retainVolume, 10, NULL, testSeed(3006));
    grzTree_Prepare(tree, NULL);
    Drawn drawn = {.nodeCount = 0};
    grzTree_Draw(tree, drawOne, &drawn);
    grzTreeStats stats = grzTree_GetStats(tree);
    assert_true(drawn.nodeCount == stats.nodeCount && drawn.leafCount == stats.leafCount);
    assert_int_equal(drawn.depth, stats.depth);
    assert_true(stats.depth > 0);
    grzTree_Destroy(tree);
}

// ------------------------------------------------------------------------------------------------ failing memory

static void insertGrid(grzTree* tree, uint32_t count) {
    grzTreeObject* objects = malloc(count * sizeof *objects);
    grzRng rng = grzRng_Make(0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        TestPlace place = {i, count, 0};
        objects[i] = testObject(testGridBox(&rng, place), i);
    }
    testOk(grzTree_InsertMany(tree, objects, count, NULL));
    free(objects);
}

static void creationNeedsAllItsMemory(void** state) {
    (void)state;
    grzTreeDef def = grzDefaultTreeDef();
    def.objectCapacity = 1000;
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        def.allocator = testAllocator(&memory);
        grzTree* tree;
        grzResult result = grzTree_Create(&def, &tree);
        if (grzResult_IsOk(result)) {
            assert_true(failAt > 5);
            size_t requests = memory.requests;
            memory.failAt = SIZE_MAX;
            insertGrid(tree, def.objectCapacity);
            assert_true(memory.requests <= requests + 1); // the room was made at once, but for a list
            grzTree_Destroy(tree);
            assert_int_equal(memory.liveCount, 0);
            return;
        }
        assert_int_equal(result.status, grz_outOfMemory);
        assert_null(tree);
        assert_int_equal(memory.liveCount, 0);
    }
}

enum { firstPart = 40, secondPart = 90 };

// A split tree of firstPart objects that gets secondPart more, where the k-th request from then on fails.
static bool insertWithFailure(int nesting, const grzTreeObject* objects, size_t failAt) {
    TestMemory memory = {.failAt = SIZE_MAX};
    grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 6, &memory);
    testOk(grzTree_InsertMany(tree, objects, firstPart, NULL));
    grzTree_Prepare(tree, NULL);
    memory.failAt = memory.requests + failAt;
    grzTreeId ids[secondPart], untouched[secondPart];
    memset(untouched, 0xEE, sizeof untouched);
    memcpy(ids, untouched, sizeof ids);
    grzResult result = grzTree_InsertMany(tree, objects + firstPart, secondPart, ids);
    bool isOk = grzResult_IsOk(result);
    assert_true(isOk || result.status == grz_outOfMemory);
    assert_int_equal(grzTree_Count(tree), isOk ? firstPart + secondPart : firstPart);
    assert_int_equal(grzTree_IndexCount(tree), isOk ? firstPart + secondPart : firstPart);
    testAssertValid(tree);
    memory.failAt = SIZE_MAX;
    if (!isOk)
        assert_memory_equal(ids, untouched, sizeof ids);
    if (!isOk)
        testOk(grzTree_InsertMany(tree, objects + firstPart, secondPart, ids));
    grzTree_Prepare(tree, NULL);
    testAssertValid(tree);
    for (uint32_t i = 0; i < secondPart; ++i) {
        assert_int_equal(ids[i].index1, firstPart + i + 1); // a call that failed leaves no gap
        assert_true(testSameBox(testStoredBox(tree, ids[i]), objects[firstPart + i].box));
    }
    grzTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
    return isOk;
}

static void insertionIsAllOrNoneWithoutMemory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3007), 0);
    grzBox boxes[firstPart + secondPart];
    grzTreeObject objects[firstPart + secondPart];
    testMakeScene(test_clustered, &rng, boxes, firstPart + secondPart);
    for (uint32_t i = 0; i < firstPart + secondPart; ++i)
        objects[i] = testObject(boxes[i], i);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        size_t failAt = 0;
        while (!insertWithFailure(nesting, objects, failAt))
            failAt++;
        assert_true(failAt > 3);
    }
}

// Objects that come into the places of removed ones get the ids that they would have had without calls that failed.
static grzTreeId insertIntoGaps(const grzTreeObject* objects, size_t failAt, bool* isRefused) {
    TestMemory memory = {.failAt = SIZE_MAX};
    grzTreeDef def = grzDefaultTreeDef();
    def.splitThreshold = 6;
    def.nesting = grz_nestIcoseptree; // makes a child for nearly each object
    def.idSalt = 5;
    def.allocator = testAllocator(&memory);
    grzTree* tree;
    testOk(grzTree_Create(&def, &tree));
    grzTreeId ids[firstPart + secondPart];
    testOk(grzTree_InsertMany(tree, objects, firstPart, ids));
    for (uint32_t i = 0; i < firstPart; i += 3)
        testOk(grzTree_Remove(tree, ids[i]));
    grzTree_Prepare(tree, NULL);
    memory.failAt = memory.requests + failAt;
    grzTreeObject filtered[secondPart];
    for (uint32_t i = 0; i < secondPart; ++i) {
        filtered[i] = objects[firstPart + i];
        filtered[i].category = 2;
    }
    *isRefused = !grzResult_IsOk(grzTree_InsertMany(tree, filtered, secondPart, NULL));
    assert_int_equal(tree->isFiltered, !*isRefused);
    memory.failAt = SIZE_MAX;
    if (*isRefused)
        testOk(grzTree_InsertMany(tree, filtered, secondPart, ids));
    grzTreeId last = testInsert(tree, objects[0].box, 0);
    testAssertValid(tree);
    grzTree_Destroy(tree);
    return last;
}

static void aRefusedInsertionLeavesNoTraceInIds(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3017), 0);
    grzBox boxes[firstPart + secondPart];
    grzTreeObject objects[firstPart + secondPart];
    testMakeScene(test_clustered, &rng, boxes, firstPart + secondPart);
    for (uint32_t i = 0; i < firstPart + secondPart; ++i)
        objects[i] = testObject(boxes[i], i);
    bool isRefused;
    grzTreeId expected = insertIntoGaps(objects, SIZE_MAX / 2, &isRefused);
    assert_false(isRefused);
    size_t failAt = 0;
    do {
        grzTreeId id = insertIntoGaps(objects, failAt++, &isRefused);
        assert_true(id.index1 == expected.index1 && id.generation == expected.generation);
    } while (isRefused);
    assert_true(failAt > 3);
}

// Single insertions with little memory at hand: some are refused, and the tree holds the others.
static uint32_t insertStarving(grzNesting nesting, const grzBox* boxes, grzRng* rng) {
    TestMemory memory = {.failAt = SIZE_MAX};
    grzTree* tree = testMakeTree(nesting, grz_retainNone, 6, &memory);
    uint32_t count = 0;
    for (uint32_t i = 0; i < sceneCount; ++i) {
        memory.failAt = memory.requests + grzRng_Below(rng, 8);
        grzTreeObject object = testObject(boxes[i], i);
        grzTreeId id;
        grzResult result = grzTree_Insert(tree, &object, &id);
        assert_true(grzResult_IsOk(result) || result.status == grz_outOfMemory);
        count += grzResult_IsOk(result);
        assert_int_equal(grzTree_Count(tree), count);
        if (i % 20 == 0)
            grzTree_Prepare(tree, NULL);
        assert_true(grzTree_Validate(tree));
    }
    testAssertValid(tree);
    grzTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
    return count;
}

static void singleInsertionsAreRefusedOneByOne(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3008), 0);
    grzBox boxes[sceneCount];
    testMakeScene(test_sphere, &rng, boxes, sceneCount);
    uint32_t count = 0;
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting)
        count += insertStarving((grzNesting)nesting, boxes, &rng);
    assert_true(count > TEST_NESTINGS * sceneCount / 2 && count < TEST_NESTINGS * sceneCount);
}

static void aSplitWithoutMemoryWaits(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3009), 0);
    grzBox boxes[sceneCount];
    testMakeScene(test_uniform, &rng, boxes, sceneCount);
    for (int nesting = 0; nesting < TEST_NESTINGS; ++nesting) {
        uint32_t failures = 0;
        for (size_t failAt = 0; failures == failAt; ++failAt) {
            TestMemory memory = {.failAt = SIZE_MAX};
            grzTree* tree = testMakeTree((grzNesting)nesting, grz_retainVolume, 10, &memory);
            testInsertAll(tree, boxes, sceneCount, 0, NULL);
            memory.failAt = memory.requests + failAt;
            grzTree_Prepare(tree, NULL);
            testAssertValid(tree);
            assert_int_equal(grzTree_Count(tree), sceneCount);
            failures += memory.requests > memory.failAt;
            memory.failAt = SIZE_MAX;
            grzTree_Prepare(tree, NULL);
            testAssertValid(tree);
            assert_true(grzTree_GetStats(tree).largestLeaf <= 10);
            grzTree_Destroy(tree);
            assert_int_equal(memory.liveCount, 0);
        }
        assert_true(failures > 0);
    }
}

// ---------------------------------------------------------------------------------------------------- validation

static void ignoreLog(void* context, grzLogLevel level, const char* text) {
    (void)level;
    assert_true(strlen(text) > 10);
    ++*(int*)context;
}

// Each kind of damage is seen, and what is repaired is well again.
static void validateSeesDamage(void** state) {
    (void)state;
    grzTree* tree = uniformTree(grz_nestRank, grz_retainVolume, 10, NULL, testSeed(3010));
    grzTree_Prepare(tree, NULL);
    int logged = 0;
    grzSetLogHook(ignoreLog, &logged);
    uint32_t leaf = treeObjectNode(tree, 0), block = tree->nodes[leaf].firstBlock;
#define SEEN(place, value)                                                                                         \
    do {                                                                                                           \
        __typeof__(place) kept = (place);                                                                          \
        (place) = (value);                                                                                         \
        assert_false(grzTree_Validate(tree));                                                                      \
        (place) = kept;                                                                                            \
        assert_true(grzTree_Validate(tree));                                                                       \
    } while (0)
    SEEN(tree->bounds[0][leaf], tree->bounds[3][leaf]);
    SEEN(tree->bounds[5][tree_root], -1e9F);
    SEEN(tree->blocks[block].lower[1][0], -1e9F);
    SEEN(tree->blocks[block].upper[2][0], 1e9F);
    SEEN(tree->blocks[block].object[0], 5000);
    SEEN(tree->blockOwners[block], tree_root);
    SEEN(tree->blockLeavers[block], 1);
    SEEN(tree->slots[0], tree->slots[1]);
    SEEN(tree->slots[0], TREE_NONE);
    SEEN(tree->objectCount, sceneCount + 1);
    SEEN(tree->ids.count, sceneCount - 1);
    SEEN(tree->nodes[leaf].objectCount, 0);
    SEEN(tree->infos[leaf].parent, leaf);
    SEEN(tree->infos[leaf].code, (uint8_t)(tree->infos[leaf].code ^ 1));
    SEEN(tree->infos[leaf].isLive, false);
    SEEN(tree->infos[tree_root].planes, TREE_NONE);
    SEEN(tree->infos[tree_root].kind, tree_notSplit);
    SEEN(tree->nodeCount, tree->nodeCount - 1);
#undef SEEN
    assert_true(logged > 10);
    grzSetLogHook(NULL, NULL);
    grzTree_Destroy(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aNewTreeIsEmpty),
        cmocka_unit_test(wrongDefsAreRefused),
        cmocka_unit_test(defaultThresholdsAreThoseOfThePaper),
        cmocka_unit_test(aLongLifeAgreesWithAFlatList),
        cmocka_unit_test(indicesAreGivenInOrderAndUsedAgain),
        cmocka_unit_test(idsOfNothingAreRefused),
        cmocka_unit_test(treesWithTheSameSaltGiveTheSameIds),
        cmocka_unit_test(badBoxesAreNamedAndChangeNothing),
        cmocka_unit_test(updateAllNeedsABoxForEveryIndex),
        cmocka_unit_test(insertionNeverSplits),
        cmocka_unit_test(aQuerySplitsOnlyWhatItReaches),
        cmocka_unit_test(aLeafIsSplitAboveItsThresholdAndNotAtIt),
        cmocka_unit_test(objectsThatAllGoToOneChildStay),
        cmocka_unit_test(aSquareFieldIsSplitHoweverItLies),
        cmocka_unit_test(aLargeObjectStaysAboveEqualOnes),
        cmocka_unit_test(emptyNodesGoAndTheTreeSplitsAgain),
        cmocka_unit_test(aNodeThatLosesItsLastChildIsUnsplit),
        cmocka_unit_test(aNodeThatOnlyLeadsToOneChildGivesItsPlace),
        cmocka_unit_test(anEmptyRootForgetsItsSplit),
        cmocka_unit_test(aBoxShrinksOnlyWhereItCouldAndOnlyWhenAsked),
        cmocka_unit_test(staleMarksClimbWhileTheObjectIsFlush),
        cmocka_unit_test(childCodesAreThoseOfTheAppendix),
        cmocka_unit_test(largeObjectsStayByTheirVolume),
        cmocka_unit_test(volumesOfNothingAndBeyondAllKeepNobody),
        cmocka_unit_test(aSplitPointIsTheMeanOfTheCentres),
        cmocka_unit_test(aRepairedSplitPointIsTheWeightedMean),
        cmocka_unit_test(drawingVisitsParentsFirst),
        cmocka_unit_test(creationNeedsAllItsMemory),
        cmocka_unit_test(insertionIsAllOrNoneWithoutMemory),
        cmocka_unit_test(aRefusedInsertionLeavesNoTraceInIds),
        cmocka_unit_test(singleInsertionsAreRefusedOneByOne),
        cmocka_unit_test(aSplitWithoutMemoryWaits),
        cmocka_unit_test(validateSeesDamage),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
