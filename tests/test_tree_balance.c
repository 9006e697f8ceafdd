// Trees that grow out of shape and are laid anew: objects that come in sorted order, clusters that drift, equal
// centres that no plane can part, what laying anew costs, and that blocks neither scatter nor pile up in a long life.
#include "tree_testing.h"

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
        printf("depth %u fresh %u nodes %u fresh %u splits %llu unsplits %llu\n", grown.depth, fresh.depth, grown.nodeCount, fresh.nodeCount, (unsigned long long)grown.splitCount, (unsigned long long)grown.unsplitCount);
        assert_true(grown.depth <= fresh.depth + 2 && grown.nodeCount <= 2 * fresh.nodeCount);
        grzTree_Destroy(tree);
    }
    grzTreeHits_Destroy(hits);
    free(boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sortedInsertionsLeaveAFlatTree),
    };
    return cmocka_run_group_tests_name("tree_balance", tests, NULL, NULL);
}
