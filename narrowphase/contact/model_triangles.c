// What: the object that keeps lists of triangles.
#include "model_triangles.h"

#include <string.h>

#include "graze/model_shape.h"
#include "memory.h"
#include "radix_sort.h"

struct grzModelTriangles {
    ModelBatch batch; // of either type, which have the same answers and scratch
};

grzResult grzModelTriangles_Sort(BatchBlock* block, size_t first, const grzAllocator* allocator) {
    TriangleScratch* scratch = block->scratch;
    const size_t count = (block->answers.count - first) / sizeof(uint32_t);
    if (count < 2)
        return grzOk();
    if (!grzArray_Reserve(scratch, allocator, count))
        return grzNoMemory(count, sizeof *scratch->data);
    grzRadixSort32((uint32_t*)(void*)(block->answers.data + first), NULL, scratch->data, NULL, count);
    return grzOk();
}

static void releaseScratch(void* scratch, const grzAllocator* allocator) {
    grzArray_Release((TriangleScratch*)scratch, allocator);
}

static const BatchType shapeBatch = {sizeof(uint32_t), sizeof(TriangleScratch), grzShapeTriangles_Run,
                                     releaseScratch};
static const BatchType planeBatch = {sizeof(uint32_t), sizeof(TriangleScratch), grzPlaneTriangles_Run,
                                     releaseScratch};

grzResult grzModelTriangles_Create(grzAllocator given, grzModelTriangles** made) {
    grzResult result;
    *made = grzModelBatch_MakeOwner(given, sizeof **made, &shapeBatch, &result);
    return result;
}

void grzModelTriangles_Destroy(grzModelTriangles* triangles) {
    grzModelBatch_DestroyOwner(triangles, sizeof *triangles);
}

grzResult grzModelTriangles_Find(grzModelTriangles* triangles, const grzModelShape* query) {
    triangles->batch.type = &shapeBatch;
    return grzModelBatch_RunOne(&triangles->batch, query);
}

grzResult grzModelTriangles_FindMany(grzModelTriangles* triangles, grzTasks* tasks, const grzModelShape* queries,
                                     uint32_t count) {
    triangles->batch.type = &shapeBatch;
    return grzModelBatch_Run(&triangles->batch, tasks, queries, count);
}

grzResult grzModelTriangles_FindInPlane(grzModelTriangles* triangles, const grzModelPlane* query) {
    triangles->batch.type = &planeBatch;
    return grzModelBatch_RunOne(&triangles->batch, query);
}

grzResult grzModelTriangles_FindInPlanes(grzModelTriangles* triangles, grzTasks* tasks,
                                         const grzModelPlane* queries, uint32_t count) {
    triangles->batch.type = &planeBatch;
    return grzModelBatch_Run(&triangles->batch, tasks, queries, count);
}

grzModelTrianglesView grzModelTriangles_GetView(const grzModelTriangles* triangles) {
    const ModelBatch* batch = &triangles->batch;
    return (grzModelTrianglesView){(const uint32_t*)(const void*)batch->answers.data,
                                   grzModelBatch_AnswerCount(batch), grzModelBatch_Starts(batch),
                                   grzModelBatch_QueryCount(batch)};
}
