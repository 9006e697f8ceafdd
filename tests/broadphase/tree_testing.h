// What the tests of the tree share: scenes of every kind, trees of every kind, a brute force for pairs, and a dump
// of all that can be seen of a tree.
//
// Scenes are drawn from a generator that the test gives, so that a seed tells all. They are scaled so that an
// object of the even scene has about four others to overlap.
#ifndef GRAZE_TESTS_TREE_TESTING_H
#define GRAZE_TESTS_TREE_TESTING_H

#include <float.h>
#include <math.h>

#include "testing.h"

#include "graze/records.h"
#include "graze/tree.h"
#include "rng.h"
#include "simd_dispatch.h"
#include "tree_inside.h"

#define TEST_NESTINGS   6
#define TEST_RETENTIONS 3

// ------------------------------------------------------------------------------------------------------ scenes

typedef enum TestScene {
    test_uniform,
    test_clustered,    // five Gaussian heaps [Shagam] 4.2
    test_lissajous,    // along a loop [Shagam] 4.3
    test_sphere,       // half on a hollow sphere, half in a solid one within [Shagam] 4.4
    test_line,         // along the y axis, exactly
    test_plane,        // z = 0, exactly
    test_allEqual,     // one box, again and again
    test_zeroSize,     // points of a coarse grid, some of them in the same place
    test_grid,         // unit cubes that touch their neighbours
    test_hugeAndTiny,  // one in ten is a thousand times as large
    test_farAway,      // the even scene around (1e6, -1e6, 1e6)
    test_exponential,  // centres and sizes double from one to the next, over 2^-60 .. 2^60
    test_nested,       // each one within the one before
    test_denormal,     // sizes and places below the smallest normal float
    test_astronomical, // coordinates up to 1e38, where volumes overflow
    test_sceneKinds,
} TestScene;

static inline float testBetween(grzRng* rng, float least, float most) {
    return least + (most - least) * grzRng_Float(rng);
}

static inline grzVec3 testPointIn(grzRng* rng, float side) {
    float x = testBetween(rng, 0, side), y = testBetween(rng, 0, side), z = testBetween(rng, 0, side);
    return grzVec3_Make(x, y, z);
}

static inline grzBox testBoxAround(grzVec3 centre, grzVec3 half) {
    return grzBox_Make(grzSub(centre, half), grzAdd(centre, half));
}

static inline float testGaussian(grzRng* rng) {
    float sum = 0;
    for (int i = 0; i < 6; ++i)
        sum += grzRng_Float(rng) - 0.5F;
    return sum;
}

static inline grzVec3 testDirection(grzRng* rng) {
    for (;;) {
        grzVec3 v = grzSub(testPointIn(rng, 2), grzVec3_Splat(1));
        float length = sqrtf(grzDot(v, v));
        if (length > 0.1F && length <= 1)
            return grzScale(v, 1 / length);
    }
}

static inline grzVec3 testClusterPoint(grzRng* rng, float side) {
    static const float seeds[5][3] = {
        {0.2F, 0.3F, 0.7F}, {0.8F, 0.2F, 0.4F}, {0.5F, 0.9F, 0.1F}, {0.6F, 0.6F, 0.8F}, {0.1F, 0.8F, 0.5F}};
    const float* seed = seeds[grzRng_Below(rng, 5)];
    float x = testGaussian(rng), y = testGaussian(rng), z = testGaussian(rng);
    grzVec3 middle = grzVec3_Make(seed[0] * side, seed[1] * side, seed[2] * side);
    return grzAdd(middle, grzScale(grzVec3_Make(x, y, z), 0.1F * side));
}

static inline grzVec3 testLissajousPoint(grzRng* rng, float side) {
    float t = testBetween(rng, 0, 5000);
    grzVec3 p = grzVec3_Make(sinf(1.1F * t + 0.3F), sinf(1.7F * t + 1.1F), sinf(2.3F * t + 0.7F));
    return grzScale(grzAdd(p, grzVec3_Splat(1)), 0.5F * side);
}

static inline grzVec3 testSpherePoint(grzRng* rng, float side, bool isHollow) {
    float radius = side / 2;
    grzVec3 direction = testDirection(rng);
    float share = isHollow ? testBetween(rng, 0.98F, 1) : cbrtf(grzRng_Float(rng)) / 3;
    return grzAdd(grzVec3_Splat(radius), grzScale(direction, radius * share));
}

// A box of a scene: the i-th of `count`, in a cube of this side.
typedef struct TestPlace {
    uint32_t i, count;
    float side;
} TestPlace;

typedef grzBox TestSceneFn(grzRng* rng, TestPlace place);

// Half sizes of 1 to 10.
static inline grzVec3 testHalfSize(grzRng* rng) {
    return grzAdd(testPointIn(rng, 9), grzVec3_Splat(1));
}

static inline grzBox testUniformBox(grzRng* rng, TestPlace place) {
    grzVec3 half = testHalfSize(rng);
    return testBoxAround(testPointIn(rng, place.side), half);
}

static inline grzBox testClusteredBox(grzRng* rng, TestPlace place) {
    grzVec3 half = testHalfSize(rng);
    return testBoxAround(testClusterPoint(rng, place.side), half);
}

static inline grzBox testLissajousBox(grzRng* rng, TestPlace place) {
    grzVec3 half = grzScale(testHalfSize(rng), 0.25F);
    return testBoxAround(testLissajousPoint(rng, place.side), half);
}

static inline grzBox testSphereBox(grzRng* rng, TestPlace place) {
    grzVec3 half = testHalfSize(rng);
    return testBoxAround(testSpherePoint(rng, place.side, place.i % 2 == 0), half);
}

static inline grzBox testLineBox(grzRng* rng, TestPlace place) {
    grzVec3 half = grzScale(testHalfSize(rng), 0.25F);
    return testBoxAround(grzVec3_Make(0, testBetween(rng, 0, 4 * place.side), 0), half);
}

static inline grzBox testPlaneBox(grzRng* rng, TestPlace place) {
    grzVec3 half = testHalfSize(rng), p = testPointIn(rng, 2 * place.side);
    return testBoxAround(grzVec3_Make(p.x, p.y, 0), half);
}

static inline grzBox testEqualBox(grzRng* rng, TestPlace place) {
    (void)rng, (void)place;
    return testBoxAround(grzVec3_Make(3, -4, 5), grzVec3_Splat(2));
}

static inline grzBox testPointBox(grzRng* rng, TestPlace place) {
    grzVec3 p = testPointIn(rng, cbrtf((float)place.count) + 1);
    return testBoxAround(grzVec3_Make(floorf(p.x), floorf(p.y), floorf(p.z)), grzVec3_Zero());
}

static inline grzBox testGridBox(grzRng* rng, TestPlace place) {
    (void)rng;
    uint32_t side = (uint32_t)ceilf(cbrtf((float)place.count)), i = place.i;
    grzVec3 p = grzVec3_Make((float)(i % side), (float)(i / side % side), (float)(i / side / side));
    return grzBox_Make(p, grzAdd(p, grzVec3_Splat(1)));
}

static inline grzBox testHugeOrTinyBox(grzRng* rng, TestPlace place) {
    grzVec3 half = grzScale(testHalfSize(rng), place.i % 10 == 0 ? 10.0F : 0.01F);
    return testBoxAround(testPointIn(rng, place.side), half);
}

static inline grzBox testFarBox(grzRng* rng, TestPlace place) {
    grzVec3 half = testHalfSize(rng), p = testPointIn(rng, place.side);
    return testBoxAround(grzAdd(p, grzVec3_Make(1e6F, -1e6F, 1e6F)), half);
}

static inline grzBox testExponentialBox(grzRng* rng, TestPlace place) {
    float size = ldexpf(1, (int)(place.i % 121) - 60);
    return testBoxAround(grzScale(testPointIn(rng, 2), size), grzVec3_Splat(size / 2));
}

static inline grzBox testNestedBox(grzRng* rng, TestPlace place) {
    (void)rng;
    return testBoxAround(grzVec3_Splat(7), grzVec3_Splat((float)(place.count - place.i)));
}

static inline grzBox testDenormalBox(grzRng* rng, TestPlace place) {
    (void)place;
    grzVec3 half = testPointIn(rng, 4e-40F);
    return testBoxAround(testPointIn(rng, 40e-40F), half);
}

static inline grzBox testAstronomicalBox(grzRng* rng, TestPlace place) {
    (void)place;
    grzVec3 half = testPointIn(rng, 0.3e38F);
    return testBoxAround(grzSub(testPointIn(rng, 2e38F), grzVec3_Splat(1e38F)), half);
}

static inline void testMakeScene(TestScene kind, grzRng* rng, grzBox* boxes, uint32_t count) {
    static TestSceneFn* const makers[test_sceneKinds] = {
        testUniformBox, testClusteredBox,   testLissajousBox, testSphereBox,   testLineBox,
        testPlaneBox,   testEqualBox,       testPointBox,     testGridBox,     testHugeOrTinyBox,
        testFarBox,     testExponentialBox, testNestedBox,    testDenormalBox, testAstronomicalBox,
    };
    for (uint32_t i = 0; i < count; ++i) {
        TestPlace place = {i, count, 12.0F * cbrtf((float)count)};
        boxes[i] = makers[kind](rng, place);
    }
}

// ------------------------------------------------------------------------------------------------------- trees

static inline void testOk(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

// `memory` NULL: the C library's. threshold 0: the variant's own.
static inline grzTree* testMakeTree(grzNesting nesting, grzRetention retention, uint32_t threshold,
                                    TestMemory* memory) {
    grzTreeDef def = grzDefaultTreeDef();
    def.nesting = nesting;
    def.retention = retention;
    def.splitThreshold = threshold;
    if (memory != NULL)
        def.allocator = testAllocator(memory);
    grzTree* tree;
    testOk(grzTree_Create(&def, &tree));
    return tree;
}

static inline grzTreeObject testObject(grzBox box, uint32_t key) {
    grzTreeObject object = grzDefaultTreeObject();
    object.box = box;
    object.key = key;
    return object;
}

static inline grzTreeId testInsert(grzTree* tree, grzBox box, uint32_t key) {
    grzTreeObject object = testObject(box, key);
    grzTreeId id;
    testOk(grzTree_Insert(tree, &object, &id));
    return id;
}

// Keys are the places in the array, plus firstKey. ids may be NULL.
static inline void testInsertAll(grzTree* tree, const grzBox* boxes, uint32_t count, uint32_t firstKey,
                                 grzTreeId* ids) {
    for (uint32_t i = 0; i < count; ++i) {
        grzTreeId id = testInsert(tree, boxes[i], firstKey + i);
        if (ids != NULL)
            ids[i] = id;
    }
}

static inline bool testSameBox(grzBox a, grzBox b) {
    return memcmp(&a.lower, &b.lower, 3 * sizeof(float)) == 0 && memcmp(&a.upper, &b.upper, 3 * sizeof(float)) == 0;
}

static inline grzBox testStoredBox(const grzTree* tree, grzTreeId id) {
    grzTreeObject object;
    assert_true(grzTree_Get(tree, id, &object));
    return object.box;
}

// Runs body(context) at every SIMD level that the machine has.
static inline void testAtEveryLevel(void (*body)(void* context), void* context) {
    grzSimdLevel before = grzSimd_Level();
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        body(context);
    }
    grzSimd_Force(before);
}

// ---------------------------------------------------------------------------------------------------- validity

// The box of all objects below a node.
static inline grzBox testBoundsBelow(const grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    grzBox box = grzBox_Empty();
    for (uint32_t i = 0; i < n->objectCount; ++i)
        box = grzBox_Union(box, treeLaneBox(&tree->blocks[n->firstBlock + i / tree_lanes], i % tree_lanes));
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        box = grzBox_Union(box, testBoundsBelow(tree, n->firstChild + i));
    return box;
}

// Beyond what grzTree_Validate asks: a box that is not marked stale is as tight as it can be [Shagam] 2.1.5.
static inline void testAssertTight(const grzTree* tree, uint32_t node) {
    if (!tree->infos[node].isStale)
        assert_true(testSameBox(treeNodeBox(tree, node), testBoundsBelow(tree, node)));
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        testAssertTight(tree, tree->nodes[node].firstChild + i);
}

static inline void testAssertValid(const grzTree* tree) {
    assert_true(grzTree_Validate(tree));
    testAssertTight(tree, tree_root);
}

// -------------------------------------------------------------------------------------------------------- dumps

// Bytes of all that can be seen of a tree: its objects, the boxes and order of its nodes, its figures.
typedef struct TestDump {
    unsigned char* bytes;
    size_t count, capacity;
} TestDump;

static inline void testDumpBytes(TestDump* dump, const void* bytes, size_t size) {
    while (dump->count + size > dump->capacity) {
        dump->capacity = dump->capacity * 2 + 4096;
        dump->bytes = (unsigned char*)realloc(dump->bytes, dump->capacity);
        assert_non_null(dump->bytes);
    }
    memcpy(dump->bytes + dump->count, bytes, size);
    dump->count += size;
}

static inline void testDumpNode(void* context, grzBox box, uint32_t level, bool isLeaf) {
    TestDump* dump = (TestDump*)context;
    uint32_t words[2] = {level, isLeaf};
    testDumpBytes(dump, &box, sizeof box);
    testDumpBytes(dump, words, sizeof words);
}

static inline void testDumpRuns(TestDump* dump, const grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    for (uint32_t i = 0; i < n->objectCount; ++i)
        testDumpBytes(dump, &tree->blocks[n->firstBlock + i / tree_lanes].object[i % tree_lanes], 4);
    testDumpBytes(dump, tree->infos[node].split, sizeof tree->infos[node].split);
    testDumpBytes(dump, &tree->infos[node].kind, 1);
    testDumpBytes(dump, &tree->infos[node].isStale, 1);
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        testDumpRuns(dump, tree, n->firstChild + i);
}

static inline TestDump testDumpTree(const grzTree* tree) {
    TestDump dump = {NULL, 0, 0};
    uint32_t counts[2] = {grzTree_Count(tree), grzTree_IndexCount(tree)};
    testDumpBytes(&dump, counts, sizeof counts);
    grzTreeStats stats = grzTree_GetStats(tree);
    stats.memoryBytes = 0; // may differ where everything else agrees
    uint64_t figures[10] = {stats.objectCount,    stats.nodeCount,   stats.leafCount,  stats.innerObjectCount,
                            stats.depth,          stats.largestLeaf, stats.splitCount, stats.unsplitCount,
                            stats.collectedCount, stats.movedCount};
    testDumpBytes(&dump, figures, sizeof figures);
    for (uint32_t i = 0; i < counts[1]; ++i) {
        grzId plain = grzIdPool_IdAt(&tree->ids, i);
        grzTreeId id = {plain.index1, plain.generation};
        testDumpBytes(&dump, &id.index1, sizeof id.index1); // generations are each tree's own
        grzTreeObject object;
        memset(&object, 0, sizeof object);
        if (!grzTree_Get(tree, id, &object))
            continue;
        testDumpBytes(&dump, &object.box, sizeof object.box);
        testDumpBytes(&dump, &object.key, sizeof object.key);
        testDumpBytes(&dump, &object.category, sizeof object.category);
        testDumpBytes(&dump, &object.mask, sizeof object.mask);
    }
    grzTree_Draw(tree, testDumpNode, &dump);
    testDumpRuns(&dump, tree, tree_root);
    return dump;
}

static inline void testFreeDump(TestDump* dump) {
    free(dump->bytes);
    memset(dump, 0, sizeof *dump);
}

static inline bool testSameDump(const TestDump* a, const TestDump* b) {
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

// Fails unless the tree still looks as it did; frees the dump.
static inline void testAssertUnchanged(const grzTree* tree, TestDump* before) {
    TestDump after = testDumpTree(tree);
    assert_true(testSameDump(before, &after));
    testFreeDump(&after);
    testFreeDump(before);
}

// -------------------------------------------------------------------------------------------------- brute force

typedef struct TestPairs {
    grzBodyPair* pairs;
    size_t count, capacity;
} TestPairs;

static inline void testAddPair(TestPairs* list, uint32_t a, uint32_t b) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 256;
        list->pairs = (grzBodyPair*)realloc(list->pairs, list->capacity * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[list->count].a = a;
    list->pairs[list->count++].b = b;
}

static inline int testComparePairs(const void* x, const void* y) {
    const grzBodyPair *p = (const grzBodyPair*)x, *q = (const grzBodyPair*)y;
    uint64_t p64 = (uint64_t)p->a << 32 | p->b, q64 = (uint64_t)q->a << 32 | q->b;
    return p64 < q64 ? -1 : p64 > q64;
}

// Written with plain comparisons, so that it shares nothing with what it checks.
static inline bool testBoxesMeet(const grzBox* a, const grzBox* b) {
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static inline bool testWantsPair(const grzTreeObject* a, const grzTreeObject* b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0 && testBoxesMeet(&a->box, &b->box);
}

// All pairs of `a`, or of one of each where b is not NULL, sorted. The caller frees pairs.
static inline TestPairs testBruteForce(const grzTreeObject* a, size_t countA, const grzTreeObject* b,
                                       size_t countB) {
    TestPairs list = {NULL, 0, 0};
    for (size_t i = 0; i < countA; ++i) {
        for (size_t j = b != NULL ? 0 : i + 1; j < (b != NULL ? countB : countA); ++j) {
            const grzTreeObject* other = b != NULL ? &b[j] : &a[j];
            if (!testWantsPair(&a[i], other))
                continue;
            bool isSwapped = b == NULL && other->key < a[i].key;
            testAddPair(&list, isSwapped ? other->key : a[i].key, isSwapped ? a[i].key : other->key);
        }
    }
    if (list.count != 0)
        qsort(list.pairs, list.count, sizeof *list.pairs, testComparePairs);
    return list;
}

#endif
