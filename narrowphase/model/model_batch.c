// What: the blocks behind model_batch.h.
#include "model_batch.h"

#include <stddef.h>
#include <string.h>

#include "memory.h"
#include "owner.h"

enum { SCRATCH_ALIGNMENT = 64, FEW_QUERIES = 64 };

void grzModelBatch_Init(ModelBatch* batch, const BatchType* type, grzAllocator allocator) {
    memset(batch, 0, sizeof *batch);
    batch->allocator = allocator;
    batch->type = type;
}

// All arrays but that of blocks.
static void callArrays(ModelBatch* batch, grzArrayCall* call) {
    const grzAllocator* allocator = &batch->allocator;
    for (size_t i = 0; i < batch->blocks.count; ++i) {
        batch->type->callArrays(batch->blocks.data[i].scratch, call, allocator);
        grzArray_Call(&batch->blocks.data[i].answers, call, allocator);
    }
    grzArray_Call(&batch->answers, call, allocator);
    grzArray_Call(&batch->starts, call, allocator);
}

void grzModelBatch_Trim(ModelBatch* batch) {
    callArrays(batch, grzTrimScratch);
}

void grzModelBatch_Release(ModelBatch* batch) {
    const grzAllocator* allocator = &batch->allocator;
    callArrays(batch, grzFreeArray);
    for (size_t i = 0; i < batch->blocks.count; ++i) {
        void* scratch = batch->blocks.data[i].scratch;
        if (batch->type->release != NULL)
            batch->type->release(scratch);
        grzRelease(allocator, scratch, 1, batch->type->scratchSize, SCRATCH_ALIGNMENT);
    }
    grzArray_Release(&batch->blocks, allocator);
}

void* grzModelBatch_MakeOwner(grzAllocator allocator, size_t size, const BatchType* type, grzResult* result) {
    void* owner = grzOwner_New(&allocator, 1, size, _Alignof(max_align_t), result);
    if (owner != NULL)
        grzModelBatch_Init(owner, type, allocator);
    return owner;
}

void grzModelBatch_DestroyOwner(void* owner, size_t size) {
    if (owner == NULL)
        return;
    ModelBatch* batch = owner;
    const grzAllocator allocator = batch->allocator;
    grzModelBatch_Release(batch);
    grzRelease(&allocator, owner, 1, size, _Alignof(max_align_t));
}

void grzModelBatch_Clear(ModelBatch* batch) {
    batch->answers.count = batch->starts.count = 0;
}

void* grzBatchBlock_Append(BatchBlock* block, size_t count, size_t size, const grzAllocator* allocator) {
    if (count > (SIZE_MAX - block->answers.count) / size ||
        !grzArray_Reserve(&block->answers, allocator, block->answers.count + count * size))
        return NULL;
    void* room = block->answers.data + block->answers.count;
    block->answers.count += count * size;
    return room;
}

static grzResult reserveBlocks(ModelBatch* batch, uint32_t count) {
    if (!grzArray_Reserve(&batch->blocks, &batch->allocator, count))
        return grzNoMemory(count, sizeof(BatchBlock));
    while (batch->blocks.count < count) {
        BatchBlock* block = &batch->blocks.data[batch->blocks.count];
        memset(block, 0, sizeof *block);
        block->scratch = grzAllocate(&batch->allocator, 1, batch->type->scratchSize, SCRATCH_ALIGNMENT);
        if (block->scratch == NULL)
            return grzNoMemory(1, batch->type->scratchSize);
        memset(block->scratch, 0, batch->type->scratchSize);
        batch->blocks.count++;
    }
    return grzOk();
}

typedef struct BatchWork {
    ModelBatch* batch;
    const void* queries;
} BatchWork;

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const BatchWork* work = context;
    BatchBlock* block = &work->batch->blocks.data[begin / work->batch->blockWidth];
    (void)worker;
    block->answers.count = 0;
    block->result = grzOk();
    for (uint32_t i = begin; i < end && grzResult_IsOk(block->result); ++i) {
        block->result = work->batch->type->run(work->queries, i, block, &work->batch->allocator);
        block->failed = i;
        block->ends[i - begin] = block->answers.count;
    }
}

static grzResult findFailure(const ModelBatch* batch, uint32_t blockCount, size_t* total) {
    *total = 0;
    for (uint32_t i = 0; i < blockCount; ++i) {
        const BatchBlock* block = &batch->blocks.data[i];
        if (!grzResult_IsOk(block->result)) {
            grzResult result = block->result;
            if (result.status != grz_outOfMemory)
                result.part = grz_partElement, result.index = block->failed;
            return result;
        }
        *total += block->answers.count;
    }
    return grzOk();
}

// The blocks' answers behind each other; there is room.
static void joinBlocks(ModelBatch* batch, uint32_t count) {
    const size_t size = batch->type->answerSize;
    size_t written = 0;
    batch->starts.data[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const BatchBlock* block = &batch->blocks.data[i / batch->blockWidth];
        const uint32_t k = i % batch->blockWidth;
        const size_t from = k == 0 ? 0 : block->ends[k - 1], bytes = block->ends[k] - from;
        if (bytes != 0)
            memcpy(batch->answers.data + written, block->answers.data + from, bytes);
        written += bytes;
        batch->starts.data[i + 1] = written / size;
    }
    batch->answers.count = written;
    batch->starts.count = (size_t)count + 1;
}

grzResult grzModelBatch_Run(ModelBatch* batch, grzTasks* tasks, const void* queries, uint32_t count) {
    size_t total;
    grzModelBatch_Clear(batch);
    if (queries == NULL && count != 0)
        return grzFail(grz_badDef, 0);
    batch->blockWidth = count <= FEW_QUERIES ? 1 : BATCH_BLOCK_QUERIES;
    const uint32_t blockCount = grzBlockCount(count, batch->blockWidth);
    grzResult result = reserveBlocks(batch, blockCount);
    if (!grzResult_IsOk(result))
        return result;
    BatchWork work = {batch, queries};
    grzParallelFor(tasks, count, batch->blockWidth, runBlock, &work);
    result = findFailure(batch, blockCount, &total);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzArray_Reserve(&batch->starts, &batch->allocator, (size_t)count + 1))
        return grzNoMemory((size_t)count + 1, sizeof *batch->starts.data);
    if (!grzArray_Reserve(&batch->answers, &batch->allocator, total))
        return grzNoMemory(total, 1);
    joinBlocks(batch, count);
    return grzOk();
}

const size_t* grzModelBatch_Starts(const ModelBatch* batch) {
    static const size_t none = 0;
    return batch->starts.count == 0 ? &none : batch->starts.data;
}

grzResult grzModelBatch_RunOne(ModelBatch* batch, const void* query) {
    grzModelBatch_Clear(batch);
    if (query == NULL)
        return grzFail(grz_badDef, 0);
    grzResult result = grzModelBatch_Run(batch, NULL, query, 1);
    if (result.part == grz_partElement)
        result.part = grz_noPart;
    return result;
}
