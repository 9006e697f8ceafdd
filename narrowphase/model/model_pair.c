// What: queries over two models: one whether they touch, one or many for the triangles that do.
// Promise: as graze/model_pair.h says: pairs depend on the query alone, never on the number of workers.
#include "graze/model_pair.h"

#include <math.h>
#include <string.h>

#include "array.h"
#include "memory.h"
#include "model_batch.h"
#include "model_chunks.h"
#include "model_search.h"
#include "radix_sort.h"
#include "refuse_null.h"

#define QUERY_MARK 0x4D515259u

typedef struct SortScratch {
    GRZ_ARRAY(uint64_t);
} SortScratch;

// Beside the answers of a block of queries.
typedef struct PairScratch {
    ModelKeys found; // of one query
    SortScratch sort;
    grzModelStats stats; // of the block
} PairScratch;

struct grzModelPairs {
    ModelBatch batch;
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
    if (query->margin < 0)
        return "margin is below 0";
    return NULL;
}

grzResult grzModelSearch_Check(const grzModelQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    return isfinite(query->margin) ? grzOk() : grzFail(grz_notFinite, 0);
}

grzResult grzModelSearch_Relate(const grzModelQuery* query, ModelSearch* search) {
    memset(&search->stats, 0, sizeof search->stats);
    search->models[0] = query->a;
    search->models[1] = query->b;
    search->allAxes = query->axes == grz_axesAll;
    search->limit = query->limit;
    search->isNear = query->margin > 0;
    grzModel_Open(query->a);
    grzModel_Open(query->b);
    return grzModelRelation_Make(&search->relation, query);
}

void grzModelSearch_MakeMet(ModelSearch* search) {
    if (search->models[0]->chunks != NULL || search->models[1]->chunks != NULL)
        GRZ_PICK_KERNEL(grzModelMakeMet)(search);
}

void grzModelSearch_MakeAll(const ModelSearch* search) {
    grzModel_MakeAll(search->models[0]);
    grzModel_MakeAll(search->models[1]);
}

grzResult grzModelSearch_Begin(const grzModelQuery* query, ModelSearch* search) {
    const grzResult result = grzModelSearch_Check(query);
    return grzResult_IsOk(result) ? grzModelSearch_Relate(query, search) : result;
}

grzResult grzModelSearch_RefuseMargin(const grzModelQuery* query) {
    return query->margin > 0 ? grzBecause(grzFail(grz_badArgument, 1), "a margin is for candidates alone")
                             : grzOk();
}

grzResult grzModels_Touch(const grzModelQuery* query, bool* touches, grzModelStats* stats) {
    GRZ_REFUSE_NULL(touches, 2);
    ModelSearch search;
    *touches = false;
    if (stats != NULL)
        memset(stats, 0, sizeof *stats);
    grzResult result = grzModelSearch_Begin(query, &search);
    if (grzResult_IsOk(result))
        result = grzModelSearch_RefuseMargin(query);
    if (!grzResult_IsOk(result))
        return result;
    if (grzModelSearch_HasTriangles(&search)) {
        grzModelSearch_MakeMet(&search);
        *touches = GRZ_PICK_KERNEL(grzModelTouch)(&search);
    }
    if (stats != NULL)
        *stats = search.stats;
    return grzOk();
}

// ---------------------------------------------------------------------------------------------------------- pairs

static void addStats(grzModelStats* to, const grzModelStats* from) {
    to->boxTests += from->boxTests;
    to->leafPairs += from->leafPairs;
    to->triangleTests += from->triangleTests;
    to->exactTests += from->exactTests;
}

static bool sortKeys(PairScratch* scratch, const grzAllocator* allocator) {
    const size_t count = scratch->found.count;
    if (!grzArray_Reserve(&scratch->sort, allocator, count))
        return false;
    if (count > 1)
        grzRadixSort64(scratch->found.data, NULL, scratch->sort.data, NULL, count);
    return true;
}

static grzResult findKeys(const grzModelQuery* query, PairScratch* scratch, const grzAllocator* allocator) {
    ModelSearch search;
    scratch->found.count = 0;
    const grzResult result = grzModelSearch_Begin(query, &search);
    if (!grzResult_IsOk(result) || !grzModelSearch_HasTriangles(&search))
        return result;
    search.found = &scratch->found;
    search.allocator = allocator;
    search.first = 0;
    grzModelSearch_MakeMet(&search);
    if (!GRZ_PICK_KERNEL(grzModelCollect)(&search) ||
        !grzArray_Reserve(&scratch->found, allocator, scratch->found.count)) // which notes how many there were
        return grzNoMemory(scratch->found.count + 1, sizeof *scratch->found.data);
    if (query->limit != 0 && scratch->found.count > query->limit)
        scratch->found.count = query->limit;
    if (query->order == grz_modelsSorted && !sortKeys(scratch, allocator))
        return grzNoMemory(scratch->found.count, sizeof *scratch->sort.data);
    addStats(&scratch->stats, &search.stats);
    return grzOk();
}

static grzResult runQuery(const void* queries, uint32_t index, BatchBlock* block, const grzAllocator* allocator) {
    const grzModelQuery* query = (const grzModelQuery*)queries + index;
    PairScratch* scratch = block->scratch;
    const grzResult result = findKeys(query, scratch, allocator);
    const size_t count = scratch->found.count;
    if (!grzResult_IsOk(result) || count == 0)
        return result;
    grzTrianglePair* room = grzBatchBlock_Append(block, count, sizeof *room, allocator);
    if (room == NULL)
        return grzNoMemory(count, sizeof *room);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t key = scratch->found.data[i];
        room[i] = (grzTrianglePair){query->bodyPair, (uint32_t)(key >> 32), (uint32_t)key, 0, 0};
    }
    return grzOk();
}

static void callArrays(void* data, grzArrayCall* call, const grzAllocator* allocator) {
    PairScratch* scratch = data;
    grzArray_Call(&scratch->found, call, allocator);
    grzArray_Call(&scratch->sort, call, allocator);
}

static const BatchType pairBatch = {sizeof(grzTrianglePair), sizeof(PairScratch), runQuery, callArrays, NULL};

grzResult grzModelPairs_Create(grzAllocator given, grzModelPairs** made) {
    GRZ_REFUSE_NULL(made, 2);
    grzResult result;
    *made = grzModelBatch_MakeOwner(given, sizeof **made, &pairBatch, &result);
    return result;
}

void grzModelPairs_Trim(grzModelPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, );
    grzModelBatch_Trim(&pairs->batch);
}

void grzModelPairs_Destroy(grzModelPairs* pairs) {
    grzModelBatch_DestroyOwner(pairs, sizeof *pairs);
}

static grzModelStats* statsOf(const grzModelPairs* pairs, size_t block) {
    return &((PairScratch*)pairs->batch.blocks.data[block].scratch)->stats;
}

static void clearStats(grzModelPairs* pairs) {
    memset(&pairs->stats, 0, sizeof pairs->stats);
    for (size_t i = 0; i < pairs->batch.blocks.count; ++i)
        memset(statsOf(pairs, i), 0, sizeof(grzModelStats));
}

static grzResult sumStats(grzModelPairs* pairs, grzResult result) {
    for (size_t i = 0; i < pairs->batch.blocks.count && grzResult_IsOk(result); ++i)
        addStats(&pairs->stats, statsOf(pairs, i));
    return result;
}

grzResult grzModelPairs_FindMany(grzModelPairs* pairs, grzTasks* tasks, const grzModelQuery* queries,
                                 uint32_t count) {
    GRZ_REFUSE_NULL(pairs, 1);
    clearStats(pairs);
    return sumStats(pairs, grzModelBatch_Run(&pairs->batch, tasks, queries, count));
}

grzResult grzModelPairs_Find(grzModelPairs* pairs, const grzModelQuery* query) {
    GRZ_REFUSE_NULL(pairs, 1);
    clearStats(pairs);
    return sumStats(pairs, grzModelBatch_RunOne(&pairs->batch, query));
}

grzModelPairsView grzModelPairs_GetView(const grzModelPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzModelPairsView){0});
    const ModelBatch* batch = &pairs->batch;
    return (grzModelPairsView){(const grzTrianglePair*)batch->answers.data, grzModelBatch_AnswerCount(batch),
                               grzModelBatch_Starts(batch), grzModelBatch_QueryCount(batch), pairs->stats};
}
