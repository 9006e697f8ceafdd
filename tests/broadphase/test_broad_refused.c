// Trees, tables of pairs and nests whose memory is refused at any request: a refused call changes nothing, and those after it find what
// they would have found.
#include "graze/graze.h"
#include "graze/stage/pair_table.h"
#include "refusal_testing.h"
#include "testing.h"

enum { objectCount = 200, pairMost = 20 * objectCount };

typedef struct Broad {
    grzTree *tree, *inner;
    grzTreePairs* finder;
    grzPairTable* table;
    grzTreeHits* hits;
    grzTreeNest* nest;
    grzTreeId ids[objectCount];
    bool isIn[objectCount];
    grzBodyPair pairs[pairMost]; // that the last search found
    size_t pairCount;
} Broad;

static grzBox boxOf(uint32_t object, uint32_t round) {
    const float x = (float)(object % 8), y = (float)(object / 8 % 5),
                z = (float)(object / 40 + round * (object % 3));
    const grzVec3 center = grzVec3_Make(0.9f * x, 0.9f * y, 0.9f * z);
    return grzBox_Make(grzSub(center, grzVec3_Splat(0.5f)), grzAdd(center, grzVec3_Splat(0.5f)));
}

static void insert(Broad* broad, uint32_t first, uint32_t count) {
    grzTreeObject objects[objectCount];
    for (uint32_t i = 0; i < count; ++i) {
        objects[i] = grzDefaultTreeObject();
        objects[i].key = first + i;
        objects[i].box = boxOf(first + i, 0);
    }
    const grzResult result =
        CALL(grzTree_InsertMany(broad->tree, objects, count, &broad->ids[first]), grzTree_Validate(broad->tree));
    for (uint32_t i = 0; i < count; ++i)
        broad->isIn[first + i] = grzResult_IsOk(result);
    noteOutcome(grzTree_IndexCount(broad->tree));
    for (uint32_t i = 0; i < count; ++i)
        noteOutcome((uint64_t)broad->ids[first + i].index1 << 32 | broad->ids[first + i].generation);
}

static void findPairs(Broad* broad) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = broad->tree;
    query.order = grz_pairsSorted;
    if (!grzResult_IsOk(CALL(grzTreePairs_Find(broad->finder, NULL, &query), grzTree_Validate(broad->tree))))
        return;
    const grzTreePairsView view = grzTreePairs_GetView(broad->finder);
    noteBytes(view.pairs, view.count * sizeof *view.pairs);
    assert_true(view.count <= pairMost);
    if (view.count != 0) // no array, maybe
        memcpy(broad->pairs, view.pairs, view.count * sizeof *view.pairs);
    broad->pairCount = view.count;
}

// All pairs of the tree, or none; then only objects of an even number.
static void updatePairs(Broad* broad, uint32_t round) {
    uint32_t moved[objectCount], removed[objectCount];
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = broad->pairs, update.pairCount = broad->pairCount;
    update.isAll = round % 2 == 0;
    update.moved = moved, update.removed = removed;
    for (uint32_t i = 0; i < objectCount; ++i) {
        if (grzTree_Has(broad->tree, broad->ids[i]))
            moved[update.movedCount++] = i;
        else
            removed[update.removedCount++] = i;
    }
    if (!update.isAll)
        update.pairCount = update.movedCount = 0;
    (void)CALL(grzPairTable_Update(broad->table, NULL, &update), grzPairTable_Validate(broad->table));
    const grzPairTableView seen = grzPairTable_GetView(broad->table);
    noteBytes(seen.pairs, seen.count * sizeof *seen.pairs);
    noteBytes(seen.rows, seen.count * sizeof *seen.rows);
    noteBytes(seen.ended, seen.endedCount * sizeof *seen.ended);
}

static void layOut(Broad* broad) {
    uint32_t newRows[2 * pairMost];
    (void)CALL(grzPairTable_Relayout(broad->table, newRows, 2 * pairMost), grzPairTable_Validate(broad->table));
    noteOutcome(grzPairTable_GetStats(broad->table).rowCount);
}

static void moveAll(Broad* broad, uint32_t round) {
    grzBox boxes[2 * objectCount];
    for (uint32_t i = 0; i < objectCount; ++i)
        if (grzTree_Has(broad->tree, broad->ids[i]))
            boxes[broad->ids[i].index1 - 1] = boxOf(i, round);
    (void)CALL(grzTree_UpdateAll(broad->tree, NULL, boxes, 2 * objectCount), grzTree_Validate(broad->tree));
}

static void find(Broad* broad) {
    grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Zero(), grzVec3_Splat(3)));
    query.order = grz_keyOrder;
    if (!grzResult_IsOk(CALL(grzTree_Find(broad->tree, &query, broad->hits), grzTree_Validate(broad->tree))))
        return;
    const grzTreeHitsView view = grzTreeHits_GetView(broad->hits);
    noteBytes(view.keys, view.count * sizeof *view.keys);
}

static void attach(Broad* broad, uint32_t object) {
    grzAttachmentId id = {0, 0};
    (void)CALL(grzTreeNest_Attach(broad->nest, broad->tree, broad->ids[object], broad->inner,
                                  grzTransform_Identity(), &id),
               grzTreeNest_Validate(broad->nest));
    noteOutcome(grzTreeNest_Count(broad->nest));
}

static void useBroad(Broad* broad) {
    insert(broad, 0, 30);
    findPairs(broad);
    updatePairs(broad, 0);
    insert(broad, 30, 100);
    findPairs(broad);
    updatePairs(broad, 2);
    updatePairs(broad, 1); // all rest
    find(broad);
    for (uint32_t i = 0; i < 130; i += 7) // null ids, of what was not inserted, are refused
        (void)CALL(grzTree_Remove(broad->tree, broad->ids[i]), grzTree_Validate(broad->tree));
    updatePairs(broad, 1);
    layOut(broad);
    insert(broad, 130, 70);
    moveAll(broad, 1);
    findPairs(broad);
    updatePairs(broad, 2);
    attach(broad, 1);
    attach(broad, 2);
    (void)CALL(grzTreeNest_Refit(broad->nest), grzTreeNest_Validate(broad->nest));
    moveAll(broad, 2);
    find(broad);
    findPairs(broad);
}

static void broadPhase(void) {
    Broad broad;
    memset(&broad, 0, sizeof broad);
    grzTreeDef def = grzDefaultTreeDef();
    def.allocator = refusingAllocator();
    def.idSalt = 7;
    grzPairTableDef tableDef = grzDefaultPairTableDef();
    tableDef.allocator = refusingAllocator();
    grzResult result = MAKE(&broad.tree, grzTree_Create(&def, &broad.tree), true);
    if (grzResult_IsOk(result))
        result = MAKE(&broad.inner, grzTree_Create(&def, &broad.inner), true);
    if (grzResult_IsOk(result))
        result = MAKE(&broad.table, grzPairTable_Create(&tableDef, &broad.table), true);
    if (grzResult_IsOk(result))
        result = MAKE(&broad.finder, grzTreePairs_Create(refusingAllocator(), &broad.finder), true);
    if (grzResult_IsOk(result))
        result = MAKE(&broad.nest, grzTreeNest_Create(refusingAllocator(), &broad.nest), true);
    if (grzResult_IsOk(result))
        result = MAKE(&broad.hits, grzTreeHits_Create(refusingAllocator(), &broad.hits), true);
    if (grzResult_IsOk(result))
        useBroad(&broad);
    grzTreeHits_Destroy(broad.hits);
    grzTreeNest_Destroy(broad.nest);
    grzTreePairs_Destroy(broad.finder);
    grzPairTable_Destroy(broad.table);
    grzTree_Destroy(broad.inner);
    grzTree_Destroy(broad.tree);
}

static void test_broadPhase(void** state) {
    (void)state;
    testRefusals(&(RefusalScript){"broad phase", broadPhase, 8});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadPhase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
