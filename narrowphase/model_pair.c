// What: queries over two models: one whether they touch, one or many for the triangles that do.
// Promise: as graze/model_pair.h says: pairs depend on the query alone, never on the number of workers.
// Idea: many queries are cut into blocks, each with an output of its own; the outputs are joined in order.
// Threads: a task writes its own block.
#include "graze/model_pair.h"

#include <string.h>

#include "array.h"
#include "memory.h"
#include "model_search.h"
#include "radix_sort.h"

#define QUERY_MARK 0x4D515259u

// Few queries are a block each, so that they run side by side; of many, blocks keep the arrays that they grow few.
enum { BLOCK_QUERIES = 8, FEW_QUERIES = 64 };

typedef struct SortScratch {
    GRZ_ARRAY(uint64_t);
} SortScratch;

// What a block of queries comes to.
typedef struct ModelBlock {
    ModelKeys found;
    SortScratch scratch;
    size_t ends[BLOCK_QUERIES]; // of the queries' pairs in found
    grzModelStats stats;
    grzResult result;
    uint32_t failed; // the query that `result` is of
} ModelBlock;

typedef struct BlockArray {
    GRZ_ARRAY(ModelBlock);
} BlockArray;

typedef struct PairArray {
    GRZ_ARRAY(grzTrianglePair);
} PairArray;

typedef struct StartArray {
    GRZ_ARRAY(size_t);
} StartArray;

struct grzModelPairs {
    grzAllocator allocator;
    BlockArray blocks; // those beyond the blocks of a call keep their memory
    PairArray pairs;
    StartArray starts; // one more than queries; empty where there is no answer
    grzModelStats stats;
};

// ------------------------------------------------------------------------------------------------------- one query

grzModelQuery grzDefaultModelQuery(void) {
    grzModelQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.poseA = query.poseB = grzTransform_Identity();
    return query;
}

static const char* flawOf(const grzModelQuery* query) {
    if (query->a == NULL || query->b == NULL)
        return "a or b is NULL";
    if ((unsigned)query->axes > grz_axesAll)
        return "axes is no grzModelAxes";
    if ((unsigned)query->order > grz_modelsAsMet)
        return "order is no grzModelOrder";
    return NULL;
}

grzResult grzModelSearch_Begin(const grzModelQuery* query, ModelSearch* search) {
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    memset(&search->stats, 0, sizeof search->stats);
    search->models[0] = query->a;
    search->models[1] = query->b;
    search->allAxes = query->axes == grz_axesAll;
    search->limit = query->limit;
    return grzModelRelation_Make(&search->relation, query);
}

grzResult grzModels_Touch(const grzModelQuery* query, bool* touches, grzModelStats* stats) {
    ModelSearch search;
    *touches = false;
    if (stats != NULL)
        memset(stats, 0, sizeof *stats);
    const grzResult result = grzModelSearch_Begin(query, &search);
    if (!grzResult_IsOk(result))
        return result;
    if (grzModelSearch_HasTriangles(&search))
        *touches = GRZ_PICK_KERNEL(grzModelTouch)(&search);
    if (stats != NULL)
        *stats = search.stats;
    return grzOk();
}

// ---------------------------------------------------------------------------------------------------------- pairs

grzResult grzModelPairs_Create(grzAllocator given, grzModelPairs** made) {
    *made = NULL;
    const grzResult result = grzCheckAllocator(given, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(given);
    grzModelPairs* pairs = grzAllocate(&allocator, 1, sizeof *pairs, _Alignof(grzModelPairs));
    if (pairs == NULL)
        return grzNoMemory(1, sizeof *pairs);
    memset(pairs, 0, sizeof *pairs);
    pairs->allocator = allocator;
    *made = pairs;
    return grzOk();
}

void grzModelPairs_Destroy(grzModelPairs* pairs) {
    if (pairs == NULL)
        return;
    for (size_t i = 0; i < pairs->blocks.capacity; ++i) {
        grzArray_Release(&pairs->blocks.data[i].found, &pairs->allocator);
        grzArray_Release(&pairs->blocks.data[i].scratch, &pairs->allocator);
    }
    grzArray_Release(&pairs->blocks, &pairs->allocator);
    grzArray_Release(&pairs->pairs, &pairs->allocator);
    grzArray_Release(&pairs->starts, &pairs->allocator);
    const grzAllocator allocator = pairs->allocator;
    grzRelease(&allocator, pairs, 1, sizeof *pairs, _Alignof(grzModelPairs));
}

static void addStats(grzModelStats* to, const grzModelStats* from) {
    to->boxTests += from->boxTests;
    to->leafPairs += from->leafPairs;
    to->triangleTests += from->triangleTests;
    to->exactTests += from->exactTests;
}

static bool sortKeys(ModelBlock* block, size_t first, const grzAllocator* allocator) {
    const size_t count = block->found.count - first;
    if (!grzArray_Reserve(&block->scratch, allocator, count))
        return false;
    if (count > 1)
        grzRadixSort64(block->found.data + first, NULL, block->scratch.data, NULL, count);
    return true;
}

// Appends the query's keys to the block's.
static grzResult runQuery(const grzModelQuery* query, ModelBlock* block, const grzAllocator* allocator) {
    ModelSearch search;
    const grzResult result = grzModelSearch_Begin(query, &search);
    if (!grzResult_IsOk(result) || !grzModelSearch_HasTriangles(&search))
        return result;
    const size_t first = block->found.count;
    search.found = &block->found;
    search.allocator = allocator;
    search.first = first;
    if (!GRZ_PICK_KERNEL(grzModelCollect)(&search))
        return grzNoMemory(block->found.count + 1, sizeof *block->found.data);
    if (query->limit != 0 && block->found.count - first > query->limit)
        block->found.count = first + query->limit;
    if (query->order == grz_modelsSorted && !sortKeys(block, first, allocator))
        return grzNoMemory(block->found.count - first, sizeof *block->scratch.data);
    addStats(&block->stats, &search.stats);
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------------ many

// Of the count alone, for the sake of the order in which failures are found.
static uint32_t blockSize(uint32_t count) {
    return count <= FEW_QUERIES ? 1 : BLOCK_QUERIES;
}

typedef struct ManyWork {
    const grzModelQuery* queries;
    uint32_t blockSize;
    const grzAllocator* allocator;
    ModelBlock* blocks;
} ManyWork;

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const ManyWork* work = context;
    ModelBlock* block = &work->blocks[begin / work->blockSize];
    (void)worker;
    block->found.count = 0;
    block->result = grzOk();
    memset(&block->stats, 0, sizeof block->stats);
    for (uint32_t i = begin; i < end && grzResult_IsOk(block->result); ++i) {
        block->result = runQuery(&work->queries[i], block, work->allocator);
        block->failed = i;
        block->ends[i - begin] = block->found.count;
    }
}

static bool reserveBlocks(grzModelPairs* pairs, uint32_t count) {
    const size_t before = pairs->blocks.capacity;
    pairs->blocks.count = before; // all are to be kept
    if (!grzArray_Reserve(&pairs->blocks, &pairs->allocator, count))
        return false;
    if (pairs->blocks.capacity != before)
        memset(pairs->blocks.data + before, 0, (pairs->blocks.capacity - before) * sizeof *pairs->blocks.data);
    return true;
}

static void clearAnswer(grzModelPairs* pairs) {
    pairs->pairs.count = pairs->starts.count = 0;
    memset(&pairs->stats, 0, sizeof pairs->stats);
}

static grzTrianglePair makePair(uint64_t key, uint32_t bodyPair) {
    return (grzTrianglePair){bodyPair, (uint32_t)(key >> 32), (uint32_t)key, 0, 0};
}

// The blocks' outputs behind each other; there is room.
static void joinBlocks(grzModelPairs* pairs, const grzModelQuery* queries, uint32_t count) {
    const uint32_t size = blockSize(count);
    size_t written = 0;
    pairs->starts.data[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const ModelBlock* block = &pairs->blocks.data[i / size];
        const uint32_t k = i % size;
        for (size_t at = k == 0 ? 0 : block->ends[k - 1]; at < block->ends[k]; ++at)
            pairs->pairs.data[written++] = makePair(block->found.data[at], queries[i].bodyPair);
        pairs->starts.data[i + 1] = written;
        if (k == 0)
            addStats(&pairs->stats, &block->stats);
    }
    pairs->pairs.count = written;
    pairs->starts.count = (size_t)count + 1;
}

static grzResult findFailure(const grzModelPairs* pairs, uint32_t blockCount, size_t* total) {
    *total = 0;
    for (uint32_t i = 0; i < blockCount; ++i) {
        const ModelBlock* block = &pairs->blocks.data[i];
        if (!grzResult_IsOk(block->result)) {
            grzResult result = block->result;
            if (result.status != grz_outOfMemory)
                result.part = grz_partElement, result.index = block->failed;
            return result;
        }
        *total += block->found.count;
    }
    return grzOk();
}

grzResult grzModelPairs_FindMany(grzModelPairs* pairs, grzTasks* tasks, const grzModelQuery* queries,
                                 uint32_t count) {
    const uint32_t size = blockSize(count), blockCount = grzBlockCount(count, size);
    size_t total;
    clearAnswer(pairs);
    if (queries == NULL && count != 0)
        return grzFail(grz_badDef, 0);
    if (!reserveBlocks(pairs, blockCount))
        return grzNoMemory(blockCount, sizeof(ModelBlock));
    ManyWork work = {queries, size, &pairs->allocator, pairs->blocks.data};
    grzParallelFor(tasks, count, size, runBlock, &work);
    const grzResult result = findFailure(pairs, blockCount, &total);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzArray_Reserve(&pairs->starts, &pairs->allocator, (size_t)count + 1))
        return grzNoMemory((size_t)count + 1, sizeof *pairs->starts.data);
    if (!grzArray_Reserve(&pairs->pairs, &pairs->allocator, total))
        return grzNoMemory(total, sizeof *pairs->pairs.data);
    joinBlocks(pairs, queries, count);
    return grzOk();
}

grzResult grzModelPairs_Find(grzModelPairs* pairs, const grzModelQuery* query) {
    grzResult result = grzModelPairs_FindMany(pairs, NULL, query, 1);
    if (result.part == grz_partElement)
        result.part = grz_noPart;
    return result;
}

grzModelPairsView grzModelPairs_GetView(const grzModelPairs* pairs) {
    static const size_t noStarts[1] = {0};
    const bool isEmpty = pairs->starts.count == 0;
    return (grzModelPairsView){pairs->pairs.data, pairs->pairs.count, isEmpty ? noStarts : pairs->starts.data,
                               isEmpty ? 0 : pairs->starts.count - 1, pairs->stats};
}
