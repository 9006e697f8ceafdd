// What: many queries of one kind on all workers, each with any number of answers, joined in the order of the queries.
//
//   static const BatchType type = {sizeof(Answer), sizeof(Scratch), runOne, callArrays, NULL};
//   grzModelBatch_Init(&batch, &type, allocator);
//   result = grzModelBatch_Run(&batch, tasks, queries, count);
//   answers of query i: (const Answer*)batch.answers.data + starts[i] .. starts[i + 1] - 1
//
// Promise: the same bytes for any number of workers; after warm-up nothing is allocated; a refusal leaves no answers.
// Idea: queries are cut into blocks, each with answers and scratch of its own, which keep their memory: blocks of eight, but
//   of one where there are few, so that a few heavy queries run side by side.
// Threads: one call at a time; a task writes its own block.
#ifndef GRAZE_NARROWPHASE_MODEL_BATCH_H
#define GRAZE_NARROWPHASE_MODEL_BATCH_H

#include "array.h"
#include "graze/result.h"
#include "graze/tasks.h"

enum { BATCH_BLOCK_QUERIES = 8 };

typedef struct BatchBytes {
    GRZ_ARRAY(unsigned char);
} BatchBytes;

typedef struct BatchBlock {
    BatchBytes answers;
    void* scratch;                    // begins as zeros
    size_t ends[BATCH_BLOCK_QUERIES]; // of the queries' answers, in bytes
    grzResult result;
    uint32_t failed; // the query that `result` is of
} BatchBlock;

// Answers queries[index], by grzBatchBlock_Append.
typedef grzResult BatchRunFn(const void* queries, uint32_t index, BatchBlock* block, const grzAllocator* allocator);

typedef struct BatchType {
    size_t answerSize, scratchSize;
    BatchRunFn* run;
    void (*callArrays)(void* scratch, grzArrayCall* call, const grzAllocator* allocator); // what the scratch holds
    void (*release)(void* scratch); // all else that it holds; NULL: nothing
} BatchType;

typedef struct BatchBlocks {
    GRZ_ARRAY(BatchBlock);
} BatchBlocks;

typedef struct BatchStarts {
    GRZ_ARRAY(size_t);
} BatchStarts;

typedef struct ModelBatch {
    grzAllocator allocator;
    const BatchType* type;
    BatchBlocks blocks; // count: those with scratch
    BatchBytes answers;
    BatchStarts starts;  // one more than queries; empty where there is no answer
    uint32_t blockWidth; // queries of a block, in the last run
} ModelBatch;

// An object of `size` bytes whose first member is its batch; all else is zeros. NULL where the result says why: grz_badArgument
// (value 1: half an allocator), grz_outOfMemory.
void* grzModelBatch_MakeOwner(grzAllocator allocator, size_t size, const BatchType* type, grzResult* result);
// With its batch. NULL is fine.
void grzModelBatch_DestroyOwner(void* owner, size_t size);

void grzModelBatch_Init(ModelBatch* batch, const BatchType* type, grzAllocator allocator);
void grzModelBatch_Release(ModelBatch* batch);
// Clears it and trims its arrays.
void grzModelBatch_Trim(ModelBatch* batch);

// Refused: grz_badDef where queries is NULL and count is not 0; what run says of the first query that is refused, with part grz_partElement and its index; or
// grz_outOfMemory.
grzResult grzModelBatch_Run(ModelBatch* batch, grzTasks* tasks, const void* queries, uint32_t count);

// The same for one query: its refusal has no part.
grzResult grzModelBatch_RunOne(ModelBatch* batch, const void* query);

// Nothing is answered.
void grzModelBatch_Clear(ModelBatch* batch);

// Room for so many answers more, of which the caller fills all; NULL where memory is refused (count is not 0).
void* grzBatchBlock_Append(BatchBlock* block, size_t count, size_t size, const grzAllocator* allocator);

static inline size_t grzModelBatch_AnswerCount(const ModelBatch* batch) {
    return batch->answers.count / batch->type->answerSize;
}

// For a view: one more than queries; never NULL.
const size_t* grzModelBatch_Starts(const ModelBatch* batch);

static inline size_t grzModelBatch_QueryCount(const ModelBatch* batch) {
    return batch->starts.count == 0 ? 0 : batch->starts.count - 1;
}

#endif
