// What: convex shapes with meshes: lists of triangles of those that the host animates, then one batch of all.
// Threads: a block has a list of its own, which its queries point into once none grows any more.
#include "animated_body.h"
#include "mesh_touch_inside.h"
#include "result_make.h"

static const grzCollider* animatedOf(const TouchWork* work, uint32_t query) {
    const uint32_t pair = work->touches->shapePairs.data[query];
    const grzCollider *a = grzMeshTouchStep_Side(work->step, pair, 0),
                      *b = grzMeshTouchStep_Side(work->step, pair, 1);
    return a->kind == grz_animatedCollider ? a : b->kind == grz_animatedCollider ? b : NULL;
}

static grzResult listTriangles(const grzModelContactQuery* query, const grzAnimatedShape* shape, TouchBlock* block,
                               const grzAllocator* allocator) {
    IndexList* list = &block->triangles;
    const grzBox box = grzBox_Expand(grzConvex_Box(&query->shape, query->shapePose), query->margin);
    for (;;) {
        size_t count;
        uint32_t* room = list->data == NULL ? NULL : list->data + list->count;
        const grzResult result =
            grzUpkeep_FindInBox(shape->upkeep, box, room, list->capacity - list->count, &count);
        list->count += count;
        if (result.status != grz_bufferTooSmall)
            return result;
        if (!grzArray_Reserve(list, allocator, list->count + (size_t)result.value))
            return grzNoMemory(list->count + (size_t)result.value, sizeof *list->data);
    }
}

static void listBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const TouchWork* work = context;
    grzMeshTouches* touches = work->touches;
    TouchBlock* block = &touches->shapeBlocks.data[begin / grzMeshTouches_BlockWidth(touches->shapes.count)];
    (void)worker;
    block->triangles.count = 0;
    block->result = grzOk();
    for (uint32_t i = begin; i < end && grzResult_IsOk(block->result); ++i) {
        grzModelContactQuery* query = &touches->shapes.data[i];
        const grzCollider* mesh = animatedOf(work, i);
        block->failed = i;
        if (mesh != NULL) {
            const grzAnimatedShape shape = grzAnimatedBody_GetShape(mesh->animated);
            query->positions = shape.positions;
            block->result = listTriangles(query, &shape, block, &touches->memory.allocator);
        }
        block->ends[i - begin] = block->triangles.count;
    }
}

// Once the lists have stopped moving.
static void setLists(const TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t width = grzMeshTouches_BlockWidth(touches->shapes.count);
    for (uint32_t i = 0; i < touches->shapes.count; ++i) {
        const TouchBlock* block = &touches->shapeBlocks.data[i / width];
        const uint32_t k = i % width;
        const size_t begin = k == 0 ? 0 : block->ends[k - 1];
        const grzCollider* mesh = animatedOf(work, i);
        if (mesh == NULL)
            continue;
        grzModelContactQuery* query = &touches->shapes.data[i];
        query->mesh = grzAnimatedBody_GetMesh(mesh->animated);
        query->triangleCount = (uint32_t)(block->ends[k] - begin);
        query->triangles = query->triangleCount == 0 ? NULL : block->triangles.data + begin;
    }
}

grzResult grzMeshTouches_ListShapes(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->shapes.count;
    if (!grzMeshTouches_ReserveBlocks(touches, &touches->shapeBlocks, count))
        return grzNoMemory(count, sizeof(TouchBlock));
    grzParallelFor(work->step->tasks, count, grzMeshTouches_BlockWidth(count), listBlock, work);
    const grzResult result = grzMeshTouches_FindFailure(&touches->shapeBlocks, &touches->shapePairs);
    if (grzResult_IsOk(result))
        setLists(work);
    return result;
}

grzResult grzMeshTouches_FindShapes(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->shapes.count;
    grzResult result =
        grzModelContacts_FindMany(touches->shapeContacts, work->step->tasks, touches->shapes.data, count);
    if (result.part == grz_partElement)
        result.index = touches->shapePairs.data[result.index];
    touches->shapeTests = grzModelContacts_GetView(touches->shapeContacts).triangleTests;
    return result;
}
