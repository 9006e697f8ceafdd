// What: answers queries: one at a time straight into the result, or many, by blocks.
// Promise: hits, their order and the statistics depend on the tree and the queries alone, never on the number of
//   workers.
// Idea: one worker writes all hits behind each other. Several write a block of queries each to the block's own
//   output, and the outputs are joined in order.
//
//      queries   | 0 1 2 | 3 4 5 | 6 7 |          ends (starts[i + 1]) count from the block's start first,
//      blocks    |   0   |   1   |  2  |          and are shifted by what lies before the block when it is known
//
// Holds: output b belongs to block b, scratch w to worker w and holds nothing between queries.
// Threads: see graze/tree_query.h. Tasks write their own blocks and their own queries' ends.
#include "memory.h"
#include "owner.h"
#include "query_search.h"
#include "refuse_null.h"

typedef struct ScratchArray {
    GRZ_ARRAY(QueryScratch);
} ScratchArray;

// What a block of queries comes to.
typedef struct QueryBlock {
    QueryOutput out;
    grzTreeQueryStats stats;
    size_t first; // of its hits in the result
    bool ranOut;
} QueryBlock;

typedef struct BlockArray {
    GRZ_ARRAY(QueryBlock);
} BlockArray;

typedef struct StartArray {
    GRZ_ARRAY(size_t);
} StartArray;

struct grzTreeHits {
    grzAllocator allocator;
    QueryOutput found;
    StartArray starts; // one more than queries; empty where there is no answer
    ScratchArray scratches;
    BlockArray blocks; // those beyond the blocks of a call keep their memory
    grzTreeQueryStats stats;
};

// ------------------------------------------------------------------------------------------------------ makers

static grzTreeQuery makeQuery(grzQueryKind kind) {
    grzTreeQuery query;
    memset(&query, 0, sizeof query);
    query.kind = kind;
    query.count = 1;
    query.category = UINT64_MAX;
    query.mask = UINT64_MAX;
    return query;
}

grzTreeQuery grzMakeBoxQuery(grzBox box) {
    grzTreeQuery query = makeQuery(grz_queryBox);
    query.box = box;
    return query;
}

grzTreeQuery grzMakeSphereQuery(grzVec3 center, float radius) {
    grzTreeQuery query = makeQuery(grz_querySphere);
    query.point = center;
    query.reach = radius;
    return query;
}

grzTreeQuery grzMakeVolumeQuery(const grzHalfSpace* halfSpaces, uint32_t count) {
    grzTreeQuery query = makeQuery(grz_queryVolume);
    query.halfSpaces = halfSpaces;
    query.halfSpaceCount = count;
    return query;
}

grzTreeQuery grzMakeRayQuery(grzVec3 origin, grzVec3 direction, float reach, grzQueryPick pick) {
    grzTreeQuery query = makeQuery(grz_queryRay);
    query.pick = pick;
    query.order = grz_keyOrder;
    query.point = origin;
    query.direction = direction;
    query.reach = reach;
    return query;
}

grzTreeQuery grzMakeCastQuery(grzBox box, grzVec3 displacement, grzQueryPick pick) {
    grzTreeQuery query = makeQuery(grz_queryCast);
    query.pick = pick;
    query.order = grz_keyOrder;
    query.box = box;
    query.direction = displacement;
    query.reach = 1;
    return query;
}

grzTreeQuery grzMakeNearestQuery(grzVec3 point, uint32_t count) {
    grzTreeQuery query = makeQuery(grz_queryPoint);
    query.pick = grz_pickClosest;
    query.order = grz_keyOrder;
    query.point = point;
    query.count = count;
    query.reach = INFINITY;
    return query;
}

// --------------------------------------------------------------------------------------------- a result's life

grzResult grzTreeHits_Create(grzAllocator allocator, grzTreeHits** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult checked;
    grzTreeHits* hits = grzOwner_New(&allocator, 1, sizeof *hits, _Alignof(grzTreeHits), &checked);
    *made = hits;
    if (hits == NULL)
        return checked;
    hits->allocator = allocator;
    return grzOk();
}

static void releaseOutput(QueryOutput* out, const grzAllocator* allocator) {
    grzArray_Release(&out->keys, allocator);
    grzArray_Release(&out->values, allocator);
}

void grzTreeHits_Destroy(grzTreeHits* hits) {
    if (hits == NULL)
        return;
    const grzAllocator allocator = hits->allocator;
    for (size_t i = 0; i < hits->scratches.count; ++i) {
        QueryScratch* scratch = &hits->scratches.data[i];
        grzArray_Release(&scratch->nodes, &allocator);
        grzArray_Release(&scratch->notes, &allocator);
        grzArray_Release(&scratch->best, &allocator);
        grzArray_Release(&scratch->sorted, &allocator);
    }
    for (size_t i = 0; i < hits->blocks.count; ++i)
        releaseOutput(&hits->blocks.data[i].out, &allocator);
    grzArray_Release(&hits->scratches, &allocator);
    grzArray_Release(&hits->blocks, &allocator);
    grzArray_Release(&hits->starts, &allocator);
    releaseOutput(&hits->found, &allocator);
    grzRelease(&allocator, hits, 1, sizeof *hits, _Alignof(grzTreeHits));
}

grzTreeHitsView grzTreeHits_GetView(const grzTreeHits* hits) {
    GRZ_RETURN_IF_NULL(hits, (grzTreeHitsView){0});
    grzTreeHitsView view;
    view.keys = hits->found.keys.data;
    view.values = hits->found.hasValues ? hits->found.values.data : NULL;
    view.starts = hits->starts.data;
    view.count = hits->found.keys.count;
    view.queryCount = hits->starts.count != 0 ? hits->starts.count - 1 : 0;
    return view;
}

grzTreeQueryStats grzTreeHits_GetStats(const grzTreeHits* hits) {
    GRZ_RETURN_IF_NULL(hits, (grzTreeQueryStats){0});
    return hits->stats;
}

// ------------------------------------------------------------------------------------- what kernels call, rarely

// Kernels look at the capacity of the keys alone, so the values have at least as much, and where they are refused
// it the keys go too: the search is lost anyway.
static bool reserveOutput(QueryOutput* out, const grzAllocator* allocator, size_t wanted) {
    if (!grzArray_Reserve(&out->keys, allocator, wanted))
        return false;
    out->values.count = out->keys.count;
    if (!out->hasValues || grzArray_Reserve(&out->values, allocator, out->keys.capacity))
        return true;
    grzArray_Release(&out->keys, allocator);
    return false;
}

static bool growOutput(QueryOutput* out, const grzAllocator* allocator, size_t more) {
    return reserveOutput(out, allocator, out->keys.count + more + query_slack);
}

// Empties an output for a call with or without values.
static bool openOutput(QueryOutput* out, const grzAllocator* allocator, bool hasValues) {
    out->keys.count = 0;
    out->hasValues = hasValues;
    return reserveOutput(out, allocator, query_slack);
}

bool grzQueryGrowHits(QuerySearch* search, size_t more) {
    bool isWell = growOutput(search->out, search->allocator, more);
    search->ranOut |= !isWell;
    return isWell;
}

// The same for the stack's two arrays.
static bool growStack(QueryScratch* scratch, const grzAllocator* allocator, size_t count, size_t wanted) {
    scratch->nodes.count = scratch->notes.count = count;
    if (!grzArray_Reserve(&scratch->nodes, allocator, wanted))
        return false;
    if (grzArray_Reserve(&scratch->notes, allocator, scratch->nodes.capacity))
        return true;
    grzArray_Release(&scratch->nodes, allocator);
    return false;
}

bool grzQueryGrowStack(QuerySearch* search, size_t count) {
    bool isWell = growStack(search->scratch, search->allocator, count, count + query_push);
    search->ranOut |= !isWell;
    return isWell;
}

void grzQueryOpenNode(QuerySearch* search, uint32_t node) {
    grzTreeRepair(search->lazy, node);
    if (treeIsDue(search->lazy, node))
        grzTreeSplit(search->lazy, node);
}

// --------------------------------------------------------------------------------------------------- one query

typedef struct QueryRun {
    const grzTree* tree;
    grzTree* lazy; // as in QuerySearch
    const grzTreeQuery* queries;
    grzTreeHits* hits;
    grzQueryOverlap_Fn* overlap;
    grzQueryMeasure_Fn* measure;
} QueryRun;

// Whether categories, masks and the filter must be looked at, object by object.
static bool isSelective(const QueryRun* run, const grzTreeQuery* query) {
    return query->filter != NULL || !treeMeetsAll(run->tree, query->category, query->mask);
}

// Room for the closest, all at once: in the heap, and where they go.
static bool prepareBest(QuerySearch* search) {
    uint32_t most = search->tree->objectCount;
    search->bestCount = search->query->count < most ? search->query->count : most;
    search->scratch->best.count = 0;
    return grzArray_Reserve(&search->scratch->best, search->allocator, search->bestCount) &&
           growOutput(search->out, search->allocator, search->bestCount);
}

static bool searchAll(const QueryRun* run, QuerySearch* search) {
    QueryOutput* out = search->out;
    size_t first = out->keys.count;
    bool hasValues = queryHasValues(search->query->kind);
    (hasValues ? run->measure : run->overlap)(search);
    if (search->ranOut)
        return false;
    if (!hasValues && out->hasValues)
        for (size_t i = first; i < out->keys.count; ++i)
            out->values.data[i] = 0;
    return search->query->order == grz_treeOrder ||
           grzQuerySortHits(search->scratch, search->allocator, hasValues, out, first);
}

static bool searchClosest(const QueryRun* run, QuerySearch* search) {
    if (!prepareBest(search))
        return false;
    if (search->bestCount == 0)
        return true;
    run->measure(search);
    return !search->ranOut && grzQueryTakeBest(search->scratch, search->allocator, search->out);
}

// Appends the hits of a query. False without memory.
static bool runQuery(const QueryRun* run, size_t index, uint32_t worker, QueryOutput* out,
                     grzTreeQueryStats* stats) {
    const grzTreeQuery* query = &run->queries[index];
    QueryShape shape;
    grzQueryMakeShape(query, &shape);
    QuerySearch search = {.tree = run->tree,
                          .lazy = run->lazy,
                          .query = query,
                          .shape = &shape,
                          .allocator = &run->hits->allocator,
                          .scratch = &run->hits->scratches.data[worker],
                          .out = out,
                          .isSelective = isSelective(run, query),
                          .stats = stats};
    return query->pick == grz_pickClosest ? searchClosest(run, &search) : searchAll(run, &search);
}

// ------------------------------------------------------------------------------------------------ many queries

static bool runInTurn(const QueryRun* run, size_t count) {
    grzTreeHits* hits = run->hits;
    for (size_t i = 0; i < count; ++i) {
        if (!runQuery(run, i, 0, &hits->found, &hits->stats))
            return false;
        hits->starts.data[i + 1] = hits->found.keys.count;
    }
    return true;
}

typedef struct BlockRun {
    const QueryRun* run;
    uint32_t grain;
} BlockRun;

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const BlockRun* blocks = context;
    grzTreeHits* hits = blocks->run->hits;
    QueryBlock* block = &hits->blocks.data[begin / blocks->grain];
    for (uint32_t i = begin; i < end && !block->ranOut; ++i) {
        block->ranOut = !runQuery(blocks->run, i, worker, &block->out, &block->stats);
        hits->starts.data[i + 1] = block->out.keys.count;
    }
}

static void joinBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const BlockRun* blocks = context;
    grzTreeHits* hits = blocks->run->hits;
    const QueryBlock* block = &hits->blocks.data[begin / blocks->grain];
    for (uint32_t i = begin; i < end; ++i)
        hits->starts.data[i + 1] += block->first;
    size_t count = block->out.keys.count;
    if (count == 0)
        return;
    memcpy(hits->found.keys.data + block->first, block->out.keys.data, count * sizeof(uint32_t));
    if (block->out.hasValues)
        memcpy(hits->found.values.data + block->first, block->out.values.data, count * sizeof(float));
}

static bool reserveBlocks(grzTreeHits* hits, uint32_t count) {
    if (!grzArray_Reserve(&hits->blocks, &hits->allocator, count))
        return false;
    while (hits->blocks.count < count)
        hits->blocks.data[hits->blocks.count++] = (QueryBlock){.ranOut = false};
    for (uint32_t i = 0; i < count; ++i) {
        QueryBlock* block = &hits->blocks.data[i];
        if (!openOutput(&block->out, &hits->allocator, hits->found.hasValues))
            return false;
        block->stats = (grzTreeQueryStats){0};
        block->ranOut = false;
    }
    return true;
}

static void addStats(grzTreeQueryStats* sum, const grzTreeQueryStats* part) {
    sum->nodeCount += part->nodeCount;
    sum->testedCount += part->testedCount;
    sum->untestedCount += part->untestedCount;
}

static bool runSideBySide(const QueryRun* run, grzTasks* tasks, uint32_t count) {
    grzTreeHits* hits = run->hits;
    BlockRun blocks = {run, grzDefaultGrain(count)};
    uint32_t blockCount = grzBlockCount(count, blocks.grain);
    if (!reserveBlocks(hits, blockCount))
        return false;
    grzParallelFor(tasks, count, blocks.grain, runBlock, &blocks);
    size_t total = 0;
    for (uint32_t i = 0; i < blockCount; ++i) {
        QueryBlock* block = &hits->blocks.data[i];
        if (block->ranOut)
            return false;
        block->first = total;
        total += block->out.keys.count;
        addStats(&hits->stats, &block->stats);
    }
    if (!growOutput(&hits->found, &hits->allocator, total))
        return false;
    grzParallelFor(tasks, count, blocks.grain, joinBlock, &blocks);
    hits->found.keys.count = total;
    return true;
}

// Stacks start with room enough for most trees, so that it does not matter which worker meets the deepest query
// first.
static bool reserveScratches(grzTreeHits* hits, uint32_t count) {
    enum { usualStack = 1024 };
    if (!grzArray_Reserve(&hits->scratches, &hits->allocator, count))
        return false;
    while (hits->scratches.count < count)
        hits->scratches.data[hits->scratches.count++] = (QueryScratch){.nodes = {.count = 0}};
    for (uint32_t i = 0; i < count; ++i) {
        QueryScratch* scratch = &hits->scratches.data[i];
        if (scratch->nodes.capacity < usualStack && !growStack(scratch, &hits->allocator, 0, usualStack))
            return false;
    }
    return true;
}

static void clearHits(grzTreeHits* hits) {
    hits->found.keys.count = 0;
    hits->found.hasValues = false;
    hits->starts.count = 0;
    hits->stats = (grzTreeQueryStats){0};
}

// `queryPlace`: of the queries among the caller's arguments.
static grzResult checkAll(grzTreeHits* hits, const grzTreeQuery* queries, size_t count, uint64_t queryPlace) {
    clearHits(hits);
    if (count >= UINT32_MAX)
        return grzFail(grz_tooLarge, count);
    bool hasValues = false;
    for (size_t i = 0; i < count; ++i) {
        grzResult result = grzQueryCheck(&queries[i]);
        if (!grzResult_IsOk(result)) {
            uint64_t value = result.status == grz_badArgument ? queryPlace : 0;
            return grzBecause(grzFailAt(result.status, grz_partElement, i, value), result.reason);
        }
        hasValues |= queryHasValues(queries[i].kind);
    }
    hits->found.hasValues = hasValues;
    return grzOk();
}

// `lazy` only for a single query.
static grzResult answer(const grzTree* tree, grzTree* lazy, grzTasks* tasks, const grzTreeQuery* queries,
                        size_t count, grzTreeHits* hits) {
    uint32_t workerCount = count > 1 ? grzTasks_WorkerCount(tasks) : 1;
    QueryRun run = {tree, lazy, queries, hits, GRZ_PICK_KERNEL(grzQueryOverlap), GRZ_PICK_KERNEL(grzQueryMeasure)};
    uint64_t splitCount = tree->splitCount;
    bool isWell = grzArray_Reserve(&hits->starts, &hits->allocator, count + 1) &&
                  openOutput(&hits->found, &hits->allocator, hits->found.hasValues) &&
                  reserveScratches(hits, workerCount);
    if (isWell) {
        hits->starts.data[0] = 0;
        isWell = workerCount > 1 ? runSideBySide(&run, tasks, (uint32_t)count) : runInTurn(&run, count);
    }
    if (!isWell) {
        clearHits(hits);
        return grzNoMemory(1, sizeof(uint32_t));
    }
    hits->starts.count = count + 1;
    hits->stats.hitCount = hits->found.keys.count;
    hits->stats.splitCount += tree->splitCount - splitCount;
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------ public

grzResult grzTree_Find(grzTree* tree, const grzTreeQuery* query, grzTreeHits* hits) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL(query, 2);
    GRZ_REFUSE_NULL(hits, 3);
    grzResult result = checkAll(hits, query, 1, 2);
    if (!grzResult_IsOk(result))
        return result;
    grzTreeSettle(tree);
    return answer(tree, tree, NULL, query, 1, hits);
}

grzResult grzTree_Peek(const grzTree* tree, const grzTreeQuery* query, grzTreeHits* hits) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL(query, 2);
    GRZ_REFUSE_NULL(hits, 3);
    grzResult result = checkAll(hits, query, 1, 2);
    return grzResult_IsOk(result) ? answer(tree, NULL, NULL, query, 1, hits) : result;
}

// Prepares the tree where the queries may reach; everywhere, where one has no bounds.
static void prepareFor(grzTree* tree, const grzTreeQuery* queries, size_t count) {
    grzBox all = grzBox_Empty(), one;
    bool isBounded = true;
    for (size_t i = 0; i < count && isBounded; ++i) {
        isBounded = grzQueryBounds(&queries[i], &one);
        if (isBounded)
            all = grzBox_Union(all, one);
    }
    grzTree_Prepare(tree, isBounded ? &all : NULL);
}

grzResult grzTree_FindMany(grzTree* tree, grzTasks* tasks, const grzTreeQuery* queries, size_t count,
                           grzTreeHits* hits) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL_ARRAY(queries, count, 3);
    GRZ_REFUSE_NULL(hits, 5);
    grzResult result = checkAll(hits, queries, count, 3);
    if (!grzResult_IsOk(result))
        return result;
    uint64_t splitCount = tree->splitCount;
    prepareFor(tree, queries, count);
    splitCount = tree->splitCount - splitCount;
    result = answer(tree, NULL, tasks, queries, count, hits);
    if (grzResult_IsOk(result))
        hits->stats.splitCount = splitCount;
    return result;
}
