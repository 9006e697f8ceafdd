// Queries of the dynamic AABB tree against asking every object: all kinds and picks, all nestings and retentions,
// all SIMD levels, scenes of all distributions, lazy and prepared, after removals and moves.
#include "query_testing.h"

#include <math.h>

#include "query_search.h"
#include "simd_dispatch.h"

enum { objectCount = 400, queryCount = 24 };

static grzTreeHits* makeHits(void) {
    grzTreeHits* hits;
    assert_int_equal(grzTreeHits_Create((grzAllocator){0}, &hits).status, grz_ok);
    return hits;
}

static grzTreeDef defOf(int nesting, int retention) {
    grzTreeDef def = grzDefaultTreeDef();
    def.nesting = (grzNesting)nesting;
    def.retention = (grzRetention)retention;
    def.splitThreshold = 12; // so that small scenes make deep trees
    return def;
}

// ------------------------------------------------------------------------------------------------- brute force

static void askScene(Scene* scene, grzTreeHits* hits, uint64_t seed) {
    ExpectedHit* scratch = calloc(scene->count + 1, sizeof *scratch);
    grzRng rng = grzRng_Make(seed, 5);
    for (int i = 0; i < queryCount; ++i) {
        grzHalfSpace halfSpaces[GRZ_MAX_HALF_SPACES];
        grzTreeQuery query = testRandomQuery(scene, &rng, halfSpaces);
        assert_int_equal(grzTree_Find(scene->tree, &query, hits).status, grz_ok);
        testCompare(scene, &query, grzTreeHits_GetView(hits), 0, scratch);
        assert_true(grzTree_Validate(scene->tree));
    }
    free(scratch);
}

static void everyQueryOfEveryTreeFindsWhatAskingEachObjectFinds(void** state) {
    (void)state;
    uint64_t seed = testSeed(41);
    grzTreeHits* hits = makeHits();
    for (int nesting = 0; nesting <= grz_nestPerNode; ++nesting) {
        for (int retention = 0; retention <= grz_retainVolume; ++retention) {
            for (int distribution = 0; distribution < test_distributionCount; ++distribution) {
                grzTreeDef def = defOf(nesting, retention);
                Scene scene = testMakeScene(&def, (Distribution)distribution, objectCount, ++seed);
                askScene(&scene, hits, seed);
                testStirScene(&scene);
                askScene(&scene, hits, seed + 1000);
                testDestroyScene(&scene);
            }
        }
    }
    grzTreeHits_Destroy(hits);
}

static void treesWithMarginsAnswerForTheStoredBoxes(void** state) {
    (void)state;
    grzTreeHits* hits = makeHits();
    grzTreeDef def = defOf(grz_nestRank, grz_retainVolume);
    def.margin = 0.5f;
    Scene scene = testMakeScene(&def, test_uniform, objectCount, testSeed(51));
    askScene(&scene, hits, 52);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

static bool areSameViews(grzTreeHitsView a, grzTreeHitsView b) {
    return a.count == b.count && a.queryCount == b.queryCount &&
           (a.count == 0 || memcmp(a.keys, b.keys, a.count * sizeof *a.keys) == 0) &&
           (a.values == NULL) == (b.values == NULL) &&
           (a.count == 0 || a.values == NULL || memcmp(a.values, b.values, a.count * sizeof *a.values) == 0);
}

// Tree order and any, too.
static void everySimdLevelGivesTheSameBytes(void** state) {
    (void)state;
    uint64_t seed = testSeed(61);
    grzSimdLevel usual = grzSimd_Level();
    grzTreeHits *hits = makeHits(), *plain = makeHits();
    ExpectedHit* scratch = calloc(objectCount + 1, sizeof *scratch);
    for (int distribution = 0; distribution < test_distributionCount; ++distribution) {
        grzTreeDef def = defOf(distribution % grz_nestPerNode, grz_retainVolume);
        Scene scene = testMakeScene(&def, (Distribution)distribution, objectCount, ++seed);
        grzTree_Prepare(scene.tree, NULL);
        for (int i = 0; i < 4 * queryCount; ++i) {
            grzHalfSpace halfSpaces[GRZ_MAX_HALF_SPACES];
            grzTreeQuery query = testRandomQuery(&scene, &scene.rng, halfSpaces);
            grzSimd_Force(grz_simdScalar);
            assert_int_equal(grzTree_Peek(scene.tree, &query, plain).status, grz_ok);
            testCompare(&scene, &query, grzTreeHits_GetView(plain), 0, scratch);
            for (int level = 1; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
                if (!grzSimd_Supports((grzSimdLevel)level))
                    continue;
                grzSimd_Force((grzSimdLevel)level);
                assert_int_equal(grzTree_Peek(scene.tree, &query, hits).status, grz_ok);
                assert_true(areSameViews(grzTreeHits_GetView(plain), grzTreeHits_GetView(hits)));
                grzTreeQueryStats a = grzTreeHits_GetStats(plain), b = grzTreeHits_GetStats(hits);
                assert_memory_equal(&a, &b, sizeof a);
            }
        }
        testDestroyScene(&scene);
    }
    grzSimd_Force(usual);
    free(scratch);
    grzTreeHits_Destroy(hits);
    grzTreeHits_Destroy(plain);
}

// ---------------------------------------------------------------------------------------------------- laziness

static void findSplitsWhatItReachesAndPeekChangesNothing(void** state) {
    (void)state;
    grzTreeDef def = defOf(grz_nestKd, grz_retainNone);
    Scene scene = testMakeScene(&def, test_uniform, objectCount, testSeed(71));
    grzTreeHits* hits = makeHits();
    grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Zero(), grzVec3_Splat(5)));
    assert_int_equal(grzTree_Peek(scene.tree, &query, hits).status, grz_ok);
    assert_int_equal(grzTree_GetStats(scene.tree).nodeCount, 1);
    assert_int_equal(grzTreeHits_GetStats(hits).testedCount, objectCount);
    assert_int_equal(grzTreeHits_GetStats(hits).splitCount, 0);
    assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
    uint32_t reached = grzTree_GetStats(scene.tree).nodeCount;
    grzTreeQueryStats stats = grzTreeHits_GetStats(hits);
    assert_true(reached > 1 && stats.splitCount > 1 && stats.testedCount < objectCount / 4);
    assert_int_equal(stats.hitCount, grzTreeHits_GetView(hits).count);
    query.box = grzBox_Make(grzVec3_Splat(-1000), grzVec3_Splat(1000));
    query.box.lower.x = 50;
    assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
    assert_true(grzTree_GetStats(scene.tree).nodeCount > reached);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

static void aRemovedObjectsRoomIsRepairedWhenAQueryPasses(void** state) {
    (void)state;
    grzTreeDef def = defOf(grz_nestOctree, grz_retainVolume);
    Scene scene = testMakeScene(&def, test_uniform, objectCount, testSeed(72));
    grzTreeHits* hits = makeHits();
    grzTree_Prepare(scene.tree, NULL);
    // An object far out stretches the boxes above it; once it has gone, the second look there finds nothing to do.
    SceneObject* o = &scene.objects[7];
    grzBox away = grzBox_Make(grzVec3_Splat(900), grzVec3_Splat(901));
    assert_int_equal(grzTree_Update(scene.tree, o->id, away).status, grz_ok);
    assert_int_equal(grzTree_Remove(scene.tree, o->id).status, grz_ok);
    o->isThere = false;
    grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(500), grzVec3_Splat(1000)));
    assert_int_equal(grzTree_Peek(scene.tree, &query, hits).status, grz_ok);
    assert_true(grzTreeHits_GetStats(hits).nodeCount >= 1);
    assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
    assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
    assert_int_equal(grzTreeHits_GetStats(hits).nodeCount, 0);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

static void subtreesInsideAreTakenUntested(void** state) {
    (void)state;
    grzTreeDef def = defOf(grz_nestRank, grz_retainVolume);
    Scene scene = testMakeScene(&def, test_uniform, objectCount, testSeed(73));
    grzTreeHits* hits = makeHits();
    grzHalfSpace all = {grzVec3_Make(1, 2, 3), 1e6f};
    grzTreeQuery queries[4] = {
        grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(-200), grzVec3_Splat(300))),
        grzMakeSphereQuery(grzVec3_Splat(50), 500),
        grzMakeVolumeQuery(&all, 1),
        grzMakeVolumeQuery(NULL, 0),
    };
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(grzTree_Find(scene.tree, &queries[i], hits).status, grz_ok);
        grzTreeQueryStats stats = grzTreeHits_GetStats(hits);
        assert_int_equal(stats.untestedCount, objectCount);
        assert_int_equal(stats.testedCount, 0);
        assert_int_equal(stats.hitCount, objectCount);
    }
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

// ------------------------------------------------------------------------------------------------------- edges

static void anEmptyTreeHasNoHits(void** state) {
    (void)state;
    uint64_t seed = testSeed(81);
    grzTreeDef def = defOf(grz_nestRank, grz_retainVolume);
    Scene scene = testMakeScene(&def, test_uniform, 0, seed);
    grzTreeHits* hits = makeHits();
    for (int i = 0; i < 200; ++i) {
        grzHalfSpace halfSpaces[GRZ_MAX_HALF_SPACES];
        grzTreeQuery query = testRandomQuery(&scene, &scene.rng, halfSpaces);
        assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
        assert_int_equal(grzTreeHits_GetView(hits).count, 0);
        assert_int_equal(grzTreeHits_GetView(hits).queryCount, 1);
    }
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

typedef struct OneBox {
    grzTree* tree;
    grzTreeHits* hits;
} OneBox;

// The box from 1 to 2 on all axes, as key 5.
static OneBox oneBox(void) {
    OneBox one = {.hits = makeHits()};
    grzTreeDef def = grzDefaultTreeDef();
    assert_int_equal(grzTree_Create(&def, &one.tree).status, grz_ok);
    grzTreeObject object = grzDefaultTreeObject();
    object.box = grzBox_Make(grzVec3_Splat(1), grzVec3_Splat(2));
    object.key = 5;
    grzTreeId id;
    assert_int_equal(grzTree_Insert(one.tree, &object, &id).status, grz_ok);
    return one;
}

static void endOneBox(OneBox* one) {
    grzTree_Destroy(one->tree);
    grzTreeHits_Destroy(one->hits);
}

// The value of the hit, or -1.
static float valueOf(OneBox* one, grzTreeQuery query) {
    assert_int_equal(grzTree_Find(one->tree, &query, one->hits).status, grz_ok);
    grzTreeHitsView view = grzTreeHits_GetView(one->hits);
    if (view.count == 0)
        return -1;
    assert_int_equal(view.count, 1);
    assert_int_equal(view.keys[0], 5);
    return view.values != NULL ? view.values[0] : 0;
}

static grzTreeQuery rayOf(grzVec3 origin, grzVec3 direction, float reach) {
    return grzMakeRayQuery(origin, direction, reach, grz_pickClosest);
}

static void assertNear(float value, float expected) {
    assert_true(value <= expected && value >= expected * 0.999999f);
}

static void raysEnterWhereTheyShould(void** state) {
    (void)state;
    OneBox one = oneBox();
    grzVec3 zero = grzVec3_Zero(), middle = grzVec3_Splat(1.5f);
    assertNear(valueOf(&one, rayOf(zero, grzVec3_Splat(1), 10)), 1);
    assertNear(valueOf(&one, rayOf(zero, grzVec3_Splat(0.125f), INFINITY)), 8);
    assertNear(valueOf(&one, rayOf(grzVec3_Splat(4), grzVec3_Splat(-1), 10)), 2);
    assertNear(valueOf(&one, rayOf(grzVec3_Make(0, 1.5f, 2), grzVec3_Make(1, 0, -0.0f), 10)), 1);
    assertNear(valueOf(&one, rayOf(zero, grzVec3_Splat(1), 1)), 1);               // just long enough
    assert_true(valueOf(&one, rayOf(zero, grzVec3_Splat(1), 0.99f)) < 0);         // too short
    assert_true(valueOf(&one, rayOf(zero, grzVec3_Splat(-1), INFINITY)) < 0);     // away
    assert_true(valueOf(&one, rayOf(zero, grzVec3_Make(1, 0, 0), INFINITY)) < 0); // past
    assert_true(valueOf(&one, rayOf(grzVec3_Make(0, 2.01f, 1), grzVec3_Make(1, 0, 0), INFINITY)) < 0);
    assert_true(valueOf(&one, rayOf(middle, grzVec3_Make(0, 1, 0), 9)) == 0);          // inside
    assert_true(valueOf(&one, rayOf(middle, zero, INFINITY)) == 0);                    // a point, inside
    assert_true(valueOf(&one, rayOf(grzVec3_Make(1, 2, 1), zero, 0)) == 0);            // on the surface
    assert_true(valueOf(&one, rayOf(grzVec3_Make(1, 2.25f, 1), zero, INFINITY)) < 0);  // outside
    assert_true(valueOf(&one, rayOf(middle, grzVec3_Splat(1e-42f), INFINITY)) == 0);   // denormal, inside
    assert_true(valueOf(&one, rayOf(zero, grzVec3_Make(1, 1e-42f, 1), INFINITY)) < 0); // denormal, past
    assertNear(valueOf(&one, rayOf(grzVec3_Make(0, 1, 1), grzVec3_Make(1, 1e-42f, 0), 9)), 1);
    float most = valueOf(&one, rayOf(zero, grzVec3_Splat(3e38f), 1)); // near the largest: a denormal time
    assert_true(most <= 1 / 3e38f && most > 1 / 3e38f - 1e-44f);
    assertNear(valueOf(&one, rayOf(zero, grzVec3_Splat(2e-38f), INFINITY)), 1 / 2e-38f); // near the smallest
    assertNear(valueOf(&one, rayOf(grzVec3_Splat(-3e38f), grzVec3_Splat(1), INFINITY)), 3e38f);
    endOneBox(&one);
}

static void castsPointsSpheresAndVolumesTouch(void** state) {
    (void)state;
    OneBox one = oneBox();
    grzBox unit = grzBox_Make(grzVec3_Splat(-1), grzVec3_Splat(0));
    assertNear(valueOf(&one, grzMakeCastQuery(unit, grzVec3_Splat(2), grz_pickClosest)), 0.5f);
    assertNear(valueOf(&one, grzMakeCastQuery(unit, grzVec3_Splat(1), grz_pickClosest)), 1);
    assert_true(valueOf(&one, grzMakeCastQuery(unit, grzVec3_Splat(0.99f), grz_pickClosest)) < 0);
    assert_true(valueOf(&one, grzMakeCastQuery(unit, grzVec3_Splat(0), grz_pickClosest)) < 0);
    assert_true(valueOf(&one, grzMakeNearestQuery(grzVec3_Make(1.5f, 1.5f, 6), 3)) == 4);
    assert_true(valueOf(&one, grzMakeNearestQuery(grzVec3_Make(-2, -3, 2), 1)) == 5);
    assert_true(valueOf(&one, grzMakeNearestQuery(grzVec3_Splat(1), 1)) == 0);
    assert_true(valueOf(&one, grzMakeNearestQuery(grzVec3_Splat(1), 0)) < 0);
    assert_true(valueOf(&one, grzMakeSphereQuery(grzVec3_Make(-2, -3, 2), 5)) == 0);
    assert_true(valueOf(&one, grzMakeSphereQuery(grzVec3_Make(-2, -3, 2), 4.999f)) < 0);
    assert_true(valueOf(&one, grzMakeSphereQuery(grzVec3_Make(1, 1, 2), 0)) == 0);
    assert_true(valueOf(&one, grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(2), grzVec3_Splat(3)))) == 0);
    assert_true(valueOf(&one, grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(2.001f), grzVec3_Splat(3)))) < 0);
    grzHalfSpace below = {grzVec3_Make(1, 1, 1), 3};
    assert_true(valueOf(&one, grzMakeVolumeQuery(&below, 1)) == 0);
    below.offset = 2.999f;
    assert_true(valueOf(&one, grzMakeVolumeQuery(&below, 1)) < 0);
    grzHalfSpace nothing = {grzVec3_Zero(), -1};
    assert_true(valueOf(&one, grzMakeVolumeQuery(&nothing, 1)) < 0);
    endOneBox(&one);
}

static void distancesBeyondFloatsAreInfiniteAndStillFound(void** state) {
    (void)state;
    OneBox one = oneBox();
    assert_true(valueOf(&one, grzMakeNearestQuery(grzVec3_Splat(-3e38f), 1)) == INFINITY);
    assert_true(valueOf(&one, grzMakeSphereQuery(grzVec3_Splat(-3e38f), INFINITY)) == 0);
    assert_true(valueOf(&one, grzMakeSphereQuery(grzVec3_Splat(-3e38f), 1e10f)) < 0);
    endOneBox(&one);
}

static void assertRefused(OneBox* one, grzTreeQuery query, grzStatus status) {
    grzTreeQuery queries[2] = {grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(1), grzVec3_Splat(2))), query};
    assert_int_equal(grzTree_Find(one->tree, &queries[0], one->hits).status, grz_ok);
    grzResult result = grzTree_Find(one->tree, &query, one->hits);
    assert_int_equal(result.status, status);
    assert_int_equal(grzTreeHits_GetView(one->hits).count, 0);
    assert_int_equal(grzTreeHits_GetView(one->hits).queryCount, 0);
    assert_int_equal(grzTree_Peek(one->tree, &query, one->hits).status, status);
    result = grzTree_FindMany(one->tree, NULL, queries, 2, one->hits);
    assert_int_equal(result.status, status);
    assert_int_equal(result.part, grz_partElement);
    assert_int_equal(result.index, 1);
    assert_int_equal(result.value, status == grz_badArgument ? 3 : 0);
    assert_true(status != grz_badArgument || result.reason != NULL);
}

static void halfAnAllocatorIsRefused(void** state) {
    (void)state;
    grzAllocator half = {.allocate = grzDefaultAllocator().allocate};
    grzTreeHits* hits;
    assert_int_equal(grzTreeHits_Create(half, &hits).status, grz_badArgument);
    assert_null(hits);
}

static void whatIsNotFiniteIsRefused(void** state) {
    (void)state;
    OneBox one = oneBox();
    grzBox box = grzBox_Make(grzVec3_Splat(1), grzVec3_Splat(2));
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 2; ++i) {
            float bad = i == 0 ? NAN : INFINITY;
            float numbers[3] = {1, 1, 1};
            numbers[axis] = bad;
            grzVec3 v = grzVec3_Load(numbers), w = grzVec3_Splat(1);
            assertRefused(&one, grzMakeBoxQuery(grzBox_Make(w, v)), grz_notFinite);
            assertRefused(&one, grzMakeBoxQuery(grzBox_Make(v, w)), grz_notFinite);
            assertRefused(&one, grzMakeSphereQuery(v, 1), grz_notFinite);
            assertRefused(&one, grzMakeNearestQuery(v, 1), grz_notFinite);
            assertRefused(&one, rayOf(v, w, 1), grz_notFinite);
            assertRefused(&one, rayOf(w, v, 1), grz_notFinite);
            assertRefused(&one, grzMakeCastQuery(box, v, grz_pickAll), grz_notFinite);
            assertRefused(&one, grzMakeCastQuery(grzBox_Make(v, w), w, grz_pickAll), grz_notFinite);
            grzHalfSpace halfSpaces[2] = {{w, 1}, {v, 1}};
            assertRefused(&one, grzMakeVolumeQuery(halfSpaces, 2), grz_notFinite);
            halfSpaces[1] = (grzHalfSpace){w, bad};
            assertRefused(&one, grzMakeVolumeQuery(halfSpaces, 2), grz_notFinite);
        }
    }
    assertRefused(&one, rayOf(grzVec3_Zero(), grzVec3_Splat(1), NAN), grz_notFinite);
    assertRefused(&one, grzMakeSphereQuery(grzVec3_Zero(), NAN), grz_notFinite);
    endOneBox(&one);
}

static void nonsenseIsRefused(void** state) {
    (void)state;
    OneBox one = oneBox();
    grzBox turned = grzBox_Make(grzVec3_Make(1, 5, 1), grzVec3_Splat(2));
    grzVec3 zero = grzVec3_Zero();
    assertRefused(&one, grzMakeBoxQuery(turned), grz_invertedBounds);
    assertRefused(&one, grzMakeCastQuery(turned, zero, grz_pickAll), grz_invertedBounds);
    assertRefused(&one, grzMakeSphereQuery(zero, -1), grz_badArgument);
    assertRefused(&one, rayOf(zero, zero, -0.5f), grz_badArgument);
    assertRefused(&one, grzMakeVolumeQuery(NULL, GRZ_MAX_HALF_SPACES + 1), grz_badArgument);
    assertRefused(&one, grzMakeVolumeQuery(NULL, 1), grz_badArgument);
    grzTreeQuery query = grzMakeSphereQuery(zero, 1);
    query.pick = grz_pickClosest;
    assertRefused(&one, query, grz_badArgument);
    query.pick = (grzQueryPick)3;
    assertRefused(&one, query, grz_badArgument);
    query = grzMakeSphereQuery(zero, 1);
    query.order = (grzQueryOrder)2;
    assertRefused(&one, query, grz_badArgument);
    query = grzMakeSphereQuery(zero, 1);
    query.kind = grz_noQuery;
    assertRefused(&one, query, grz_badArgument);
    query.kind = (grzQueryKind)7;
    assertRefused(&one, query, grz_badArgument);
    endOneBox(&one);
}

// Every object twice as far out as the one before: means split off a few at a time.
static void aDeepTreeIsDescended(void** state) {
    (void)state;
    enum { deepCount = 200 };
    grzTreeDef def = defOf(grz_nestKd, grz_retainNone);
    def.splitThreshold = 1;
    Scene scene = testMakeScene(&def, test_uniform, 0, 1);
    grzTreeObject object = grzDefaultTreeObject();
    for (uint32_t i = 0; i < deepCount; ++i) {
        grzVec3 at = grzVec3_Make(ldexpf(1, (int)i - 100), 0, 0);
        object.box = grzBox_Make(at, at);
        object.key = i;
        grzTreeId id;
        assert_int_equal(grzTree_Insert(scene.tree, &object, &id).status, grz_ok);
    }
    grzTreeHits* hits = makeHits();
    grzTreeQuery query = grzMakeRayQuery(grzVec3_Zero(), grzVec3_Make(1, 0, 0), INFINITY, grz_pickAll);
    assert_int_equal(grzTree_Find(scene.tree, &query, hits).status, grz_ok);
    assert_true(grzTree_GetStats(scene.tree).depth > 20);
    grzTreeHitsView view = grzTreeHits_GetView(hits);
    assert_int_equal(view.count, deepCount);
    for (uint32_t i = 0; i < deepCount; ++i)
        assert_int_equal(view.keys[i], i);
    testDestroyScene(&scene);
    grzTreeHits_Destroy(hits);
}

// Only a tree of hundreds of levels makes a search do this often.
static void aFullStackGrowsAndKeepsItsNodes(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    QueryScratch scratch = {.nodes = {.count = 0}};
    QuerySearch search = {.allocator = &allocator, .scratch = &scratch};
    for (size_t count = 0; count < 3000; count += 13) {
        if (count + query_push > scratch.nodes.capacity)
            assert_true(grzQueryGrowStack(&search, count));
        assert_true(scratch.notes.capacity >= scratch.nodes.capacity);
        for (size_t i = count; i < count + 13; ++i) {
            scratch.nodes.data[i] = (uint32_t)i;
            scratch.notes.data[i] = (uint32_t)i * 3;
        }
    }
    for (size_t i = 0; i < 3000; ++i)
        assert_true(scratch.nodes.data[i] == i && scratch.notes.data[i] == i * 3);
    memory.failAt = memory.requests + 1; // the nodes grow, the notes do not: neither is left
    assert_false(grzQueryGrowStack(&search, scratch.nodes.capacity));
    assert_true(search.ranOut);
    assert_int_equal(scratch.nodes.capacity, 0);
    grzArray_Release(&scratch.nodes, &allocator);
    grzArray_Release(&scratch.notes, &allocator);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyQueryOfEveryTreeFindsWhatAskingEachObjectFinds),
        cmocka_unit_test(treesWithMarginsAnswerForTheStoredBoxes),
        cmocka_unit_test(everySimdLevelGivesTheSameBytes),
        cmocka_unit_test(findSplitsWhatItReachesAndPeekChangesNothing),
        cmocka_unit_test(aRemovedObjectsRoomIsRepairedWhenAQueryPasses),
        cmocka_unit_test(subtreesInsideAreTakenUntested),
        cmocka_unit_test(anEmptyTreeHasNoHits),
        cmocka_unit_test(raysEnterWhereTheyShould),
        cmocka_unit_test(castsPointsSpheresAndVolumesTouch),
        cmocka_unit_test(distancesBeyondFloatsAreInfiniteAndStillFound),
        cmocka_unit_test(halfAnAllocatorIsRefused),
        cmocka_unit_test(whatIsNotFiniteIsRefused),
        cmocka_unit_test(nonsenseIsRefused),
        cmocka_unit_test(aDeepTreeIsDescended),
        cmocka_unit_test(aFullStackGrowsAndKeepsItsNodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
