// What: from the pairs of a step to their rows, which last.        Promise: graze/stage/step.h.
// Idea: a table of pairs says which row a pair has, which pairs are new, and which have ended. A row is brought up to date where its
//   pair goes on, and cleared where it begins.
// Threads: a block of pairs an item.
#include <string.h>

#include "graze/stage/step.h"
#include "near_loop.h"
#include "pair_ahead.h"
#include "refuse_null.h"
#include "result_make.h"
#include "step_columns.h"

grzBroadInput grzDefaultBroadInput(void) {
    grzBroadInput input;
    memset(&input, 0, sizeof input);
    return input;
}

typedef struct BroadCall {
    const grzBroadInput* input;
    const grzStepPairs* pairs;
    grzPairTableView view;
} BroadCall;

static uint32_t bodyOf(const grzBroadInput* input, uint32_t key) {
    return input->rows1 != NULL ? input->rows1[key] - 1 : key;
}

// Rows of bodies may be others than in the last step.
static void refreshBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const BroadCall* call = context;
    const grzStepPairs* pairs = call->pairs;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        __builtin_prefetch(grzPairRow_Ahead(pairs->rows, pairs->order, pairs->count, i, GRZ_PAIRS_AHEAD), 1);
        row->a = bodyOf(call->input, call->view.pairs[i].a);
        row->b = bodyOf(call->input, call->view.pairs[i].b);
        row->isNew = false;
        row->found[pairs->now] = (grzPairFound){0};
    }
}

static grzBodyId idOf(const grzBroadInput* input, uint32_t key, uint32_t body) {
    const uint32_t* generations = input->generations;
    return (grzBodyId){key + 1, generations == NULL
                                    ? 0
                                    : *(const uint32_t*)grzColumn_At(generations, input->generationStride,
                                                                     sizeof *generations, body)};
}

static void beginRow(const BroadCall* call, uint32_t place) {
    grzPairRow* row = grzStepPairs_At(call->pairs, place);
    const grzBodyPair keys = call->view.pairs[place];
    const uint32_t a = row->a, b = row->b;
    memset(row, 0, offsetof(grzPairRow, poses)); // nobody reads a pose or a firstContact before it is written
    row->a = a;
    row->b = b;
    row->idA = idOf(call->input, keys.a, a);
    row->idB = idOf(call->input, keys.b, b);
    row->isNew = true;
}

grzResult grzStep_Broad(grzPairTable* table, const grzBroadInput* input, grzStepPairs* pairs) {
    GRZ_REFUSE_NULL(table, 1);
    GRZ_REFUSE_NULL(input, 2);
    GRZ_REFUSE_NULL(pairs, 3);
    if (pairs->now > 1)
        return grzBecause(grzFail(grz_badArgument, 3), "now is neither 0 nor 1");
    if (input->pairCount != 0 && pairs->blocks == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "there are no blocks");
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = input->pairs, update.pairCount = input->pairCount;
    update.removed = input->removed, update.removedCount = input->removedCount;
    update.isAll = true;
    const grzResult result = grzPairTable_Update(table, input->tasks, &update);
    if (!grzResult_IsOk(result))
        return result;
    const size_t rows = grzPairTable_GetStats(table).rowCount;
    const grzPairTableView view = grzPairTable_GetView(table);
    if (rows > input->rowCapacity) {
        (void)grzPairTable_TakeBack(table);
        return grzFail(grz_bufferTooSmall, rows);
    }
    *pairs = (grzStepPairs){pairs->rows, view.rows, (uint32_t)view.count, 1 - pairs->now, pairs->blocks};
    if (view.count != 0)
        memset(pairs->blocks, 0, grzStepPairs_BlockCount(pairs->count) * sizeof *pairs->blocks);
    BroadCall call = {input, pairs, view};
    grzParallelForNear(input->tasks, pairs->count, GRZ_PAIR_BLOCK, refreshBlock, &call);
    for (size_t i = 0; i < view.begunCount; ++i)
        beginRow(&call, view.begun[i]);
    return grzOk();
}
