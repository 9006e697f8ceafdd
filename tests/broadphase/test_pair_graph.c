// pair_graph.h: random links and objects against a matrix, keys that collide in the table, and refused memory.
#include "testing.h"

#include "memory.h"
#include "pair_graph.h"
#include "rng.h"

enum { objectMost = 90 };

// The slow graph: who is known on either side, and who meets whom (side 0 by side 1, or by itself).
typedef struct SlowGraph {
    bool isKnown[2][objectMost];
    bool isLinked[objectMost][objectMost];
} SlowGraph;

static uint32_t keyAt(int side, uint32_t index) {
    return index * 0x10000u + (uint32_t)side; // a stride that crowds the table
}

static bool hasLink(const PairGraph* graph, int side, uint32_t a, uint32_t b) {
    const PairObject* object = &graph->sides[side].objects.data[a];
    for (uint32_t i = 0; i < object->linkCount; ++i)
        if (graph->links.data[object->firstLink + i] == b)
            return true;
    return false;
}

static void assertSame(const PairGraph* graph, const SlowGraph* slow) {
    size_t linkCount, slowCount = 0;
    assert_true(grzPairGraph_Validate(graph, &linkCount));
    int sideCount = graph->isWithin ? 1 : 2;
    for (int side = 0; side < sideCount; ++side) {
        for (uint32_t i = 0; i < objectMost; ++i) {
            assert_int_equal(pairGraphKnows(graph, side, i, i + 7), slow->isKnown[side][i]);
            assert_int_equal(grzPairGraph_Find(graph, side, keyAt(side, i)),
                             slow->isKnown[side][i] ? i : PAIR_NONE);
            for (uint32_t k = 0; k < objectMost; ++k) {
                bool isLinked = side == 0 ? slow->isLinked[i][k] : slow->isLinked[k][i];
                assert_int_equal(hasLink(graph, side, i, k), isLinked);
                slowCount += isLinked;
            }
        }
    }
    assert_int_equal(linkCount, slowCount);
}

static void setLinked(SlowGraph* slow, bool isWithin, uint32_t a, uint32_t b, bool isLinked) {
    slow->isLinked[a][b] = isLinked;
    if (isWithin)
        slow->isLinked[b][a] = isLinked;
}

static void unlinkAllOf(PairGraph* graph, SlowGraph* slow, int side, uint32_t object) {
    for (uint32_t k = 0; k < objectMost; ++k) {
        uint32_t a = side == 0 ? object : k, b = side == 0 ? k : object;
        if (!slow->isLinked[a][b])
            continue;
        grzPairGraph_Unlink(graph, side, object, k);
        setLinked(slow, graph->isWithin, a, b, false);
    }
}

static void changeObject(PairGraph* graph, SlowGraph* slow, int side, uint32_t index) {
    if (slow->isKnown[side][index]) {
        unlinkAllOf(graph, slow, side, index);
        grzPairGraph_Forget(graph, side, index);
    } else {
        assert_true(grzPairGraph_Know(graph, side, index, keyAt(side, index), index + 7));
    }
    slow->isKnown[side][index] = !slow->isKnown[side][index];
}

static void changeLink(PairGraph* graph, SlowGraph* slow, uint32_t a, uint32_t b) {
    int otherSide = pairOtherSide(graph, 0);
    if (!slow->isKnown[0][a] || !slow->isKnown[otherSide][b] || (graph->isWithin && a == b))
        return;
    if (slow->isLinked[a][b])
        grzPairGraph_Unlink(graph, 0, a, b);
    else
        assert_true(grzPairGraph_Link(graph, 0, a, b));
    setLinked(slow, graph->isWithin, a, b, !slow->isLinked[a][b]);
}

static void liveAlong(bool isWithin, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, isWithin);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    PairGraph graph;
    grzPairGraph_Create(&graph, &allocator, isWithin);
    SlowGraph* slow = calloc(1, sizeof *slow);
    for (int side = 0; side < (isWithin ? 1 : 2); ++side)
        assert_true(grzPairGraph_Reserve(&graph, side, objectMost, objectMost));
    for (int step = 0; step < 20000; ++step) {
        uint32_t a = grzRng_Below(&rng, objectMost), b = grzRng_Below(&rng, objectMost);
        // A few objects meet nearly all others, so that lists of all sizes come and go.
        a = grzRng_Below(&rng, 4) == 0 ? a % 3 : a;
        if (grzRng_Below(&rng, 40) == 0)
            changeObject(&graph, slow, isWithin ? 0 : (int)grzRng_Below(&rng, 2), b);
        else
            changeLink(&graph, slow, a, b);
        if (step % 100 == 0)
            assertSame(&graph, slow);
    }
    assertSame(&graph, slow);
    grzPairGraph_Clear(&graph);
    size_t linkCount;
    assert_true(grzPairGraph_Validate(&graph, &linkCount) && linkCount == 0);
    grzPairGraph_Destroy(&graph);
    assert_int_equal(memory.liveCount, 0);
    free(slow);
}

static void linksAgreeWithAMatrixWithinATree(void** state) {
    (void)state;
    liveAlong(true, testSeed(81));
}

static void linksAgreeWithAMatrixBetweenTrees(void** state) {
    (void)state;
    liveAlong(false, testSeed(82));
}

static void aKeyIsHeldOnce(void** state) {
    (void)state;
    grzAllocator allocator = grzDefaultAllocator();
    PairGraph graph;
    grzPairGraph_Create(&graph, &allocator, true);
    assert_int_equal(grzPairGraph_Find(&graph, 0, 5), PAIR_NONE); // no table yet
    assert_true(grzPairGraph_Reserve(&graph, 0, 3, 3));
    assert_true(grzPairGraph_Know(&graph, 0, 1, 5, 1));
    assert_false(grzPairGraph_Know(&graph, 0, 2, 5, 1));
    assert_false(pairGraphKnows(&graph, 0, 2, 1));
    grzPairGraph_Forget(&graph, 0, 1);
    assert_true(grzPairGraph_Know(&graph, 0, 2, 5, 1));
    assert_int_equal(grzPairGraph_Find(&graph, 0, 5), 2);
    grzPairGraph_Destroy(&graph);
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    PairGraph graph;
    grzPairGraph_Create(&graph, &allocator, true);
    for (size_t k = 0;; ++k) {
        memory.failAt = memory.requests + k;
        if (grzPairGraph_Reserve(&graph, 0, 60, 60))
            break;
        assert_int_equal(graph.sides[0].knownCount, 0);
    }
    for (uint32_t i = 0; i < 60; ++i)
        assert_true(grzPairGraph_Know(&graph, 0, i, i, 1));
    size_t refusals = 0;
    for (uint32_t i = 1; i < 60; ++i) {
        size_t linkCount;
        memory.failAt = memory.requests;
        if (!grzPairGraph_Link(&graph, 0, 0, i)) {
            assert_true(grzPairGraph_Validate(&graph, &linkCount) && linkCount == 2 * (i - 1));
            memory.failAt = SIZE_MAX;
            assert_true(grzPairGraph_Link(&graph, 0, 0, i));
            refusals++;
        }
        assert_true(grzPairGraph_Validate(&graph, &linkCount) && linkCount == 2 * i);
    }
    assert_true(refusals > 3);
    grzPairGraph_Destroy(&graph);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linksAgreeWithAMatrixWithinATree),
        cmocka_unit_test(linksAgreeWithAMatrixBetweenTrees),
        cmocka_unit_test(aKeyIsHeldOnce),
        cmocka_unit_test(refusedMemoryChangesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
