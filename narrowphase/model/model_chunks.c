// What: see model_chunks.h.
// Promise: a chunk's nodes and leaves follow from its triangles alone, whoever makes them and when.
// Idea: the triangles of a chunk come as corners, in the tree's order. Leaves, the boxes of the bottom nodes and those of the node
//   above them are made of these. The chunk's own box, which the source gave before, may be larger.
// Cost: some 3 us a chunk, and the source's.
#include "model_chunks.h"

#include <float.h>
#include <string.h>

#include "bvh_rows.h"
#include "check.h"
#include "memory.h"
#include "model_normals.h"
#include "refuse_null.h"
#include "result_make.h"
#include "simd.h"

enum {
    LEAF_SIZE = GRZ_BVH_LEAF_TRIANGLES,
    CHUNK_NODES = GRZ_BVH_CHUNK_TRIANGLES / (GRZ_BVH_LEAF_TRIANGLES * GRZ_BVH_WIDTH), // of the bottom
};

// The nodes that are opened on the way to the boxes of a level, to be written.
static grzBvhNode* nodesOf(const grzModel* model, uint32_t level) {
    return model->nodes + (model->levels[level] - model->nodes);
}

// ---- chunks ----

// The span of the leaf's box.
static BvhSpan setLeaf(const grzModelChunk* chunk, uint32_t first, uint32_t count, ModelLeaf* leaf) {
    BvhSpan span = {grzF4_Set1(FLT_MAX), grzF4_Set1(-FLT_MAX)};
    for (size_t corner = 0; corner < 3; ++corner) {
        grzF4 rows[LEAF_SIZE];
        for (uint32_t k = 0; k < LEAF_SIZE; ++k) {
            rows[k] = grzF4_Load(&chunk->corners[9 * (size_t)(first + (k < count ? k : 0)) + 3 * corner]);
            span = grzBvhJoinSpans(span, (BvhSpan){rows[k], rows[k]});
        }
        grzTranspose4(&rows[0], &rows[1], &rows[2], &rows[3]);
        for (int axis = 0; axis < 3; ++axis)
            grzF4_Store(leaf->at[axis] + 4 * corner, rows[axis]);
    }
    setNormals(leaf->at);
    grzF4_Store(leaf->lower, span.lower);
    grzF4_Store(leaf->upper, span.upper);
    leaf->lower[3] = leaf->upper[3] = 0;
    for (uint32_t k = 0; k < LEAF_SIZE; ++k)
        leaf->ids[k] = chunk->ids[first + (k < count ? k : 0)];
    leaf->count = count;
    memset(leaf->pad, 0, sizeof leaf->pad);
    return span;
}

// The leaves from `leaf` on that have one bottom node, and that node. `first` is its first triangle within the chunk.
static BvhSpan setBottom(ModelChunks* chunks, const grzModelChunk* chunk, uint32_t first, uint32_t count,
                         uint32_t index) {
    grzModel* model = chunks->model;
    BvhRows rows;
    uint32_t lane = 0;
    for (; lane < GRZ_BVH_WIDTH && lane * LEAF_SIZE < count; ++lane) {
        const uint32_t left = count - lane * LEAF_SIZE;
        ModelLeaf* leaf = &model->leaves[index * GRZ_BVH_WIDTH + lane];
        const BvhSpan span = setLeaf(chunk, first + lane * LEAF_SIZE, left < LEAF_SIZE ? left : LEAF_SIZE, leaf);
        grzBvhStoreSpan(&rows, lane, span);
    }
    grzBvhFillEmpty(&rows, lane);
    grzBvhStoreNode(&rows, nodesOf(model, model->leafLevel) + index);
    return grzBvhJoinRows(&rows);
}

static void makeChunk(ModelChunks* chunks, uint32_t c) {
    grzModelChunk chunk;
    BvhRows rows;
    uint32_t lane = 0;
    const uint32_t begin = c * GRZ_BVH_CHUNK_TRIANGLES, left = chunks->source.triangleCount - begin;
    const uint32_t count = left < GRZ_BVH_CHUNK_TRIANGLES ? left : GRZ_BVH_CHUNK_TRIANGLES;
    memset(&chunk.corners[9 * (size_t)count], 0, sizeof(float)); // is loaded with the last corner
    chunks->source.getChunk(chunks->source.context, c, &chunk);
    for (; lane < CHUNK_NODES && lane * GRZ_BVH_WIDTH * LEAF_SIZE < count; ++lane) {
        const uint32_t first = lane * GRZ_BVH_WIDTH * LEAF_SIZE;
        grzBvhStoreSpan(&rows, lane, setBottom(chunks, &chunk, first, count - first, c * CHUNK_NODES + lane));
    }
    grzBvhFillEmpty(&rows, lane);
    if (chunks->model->leafLevel > 1) // else the bottom is the root
        grzBvhStoreNode(&rows, nodesOf(chunks->model, chunks->level + 1) + c);
    atomic_fetch_add_explicit(&chunks->made, 1, memory_order_relaxed); // a count, which orders nothing
}

void grzModelChunks_Make(ModelChunks* chunks, uint32_t chunk) {
    if (!grzOnce_Begin(&chunks->states[chunk]))
        return;
    makeChunk(chunks, chunk);
    grzOnce_End(&chunks->states[chunk]);
}

// ---- above them ----

// Every node's box into its parent's lane, from the level above the chunks' nodes up to the root.
static void makeAbove(ModelChunks* chunks) {
    grzModel* model = chunks->model;
    for (uint32_t level = chunks->level; level > 1; --level) {
        const grzBvhNode* nodes = model->levels[level];
        grzBvhNode* parents = nodesOf(model, level - 1);
        const uint32_t count = (uint32_t)(model->levels[level + 1] - nodes);
        for (uint32_t i = 0; i < (count + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH * GRZ_BVH_WIDTH; ++i) {
            grzBvhNode* parent = &parents[i / GRZ_BVH_WIDTH];
            const uint32_t lane = i % GRZ_BVH_WIDTH;
            for (int axis = 0; axis < 3; ++axis) {
                parent->lower[axis][lane] = i < count ? grzF8_ReduceMin(grzF8_Load(nodes[i].lower[axis])) : FLT_MAX;
                parent->upper[axis][lane] =
                    i < count ? grzF8_ReduceMax(grzF8_Load(nodes[i].upper[axis])) : -FLT_MAX;
            }
        }
    }
}

void grzModelChunks_Open(ModelChunks* chunks) {
    if (!grzOnce_Begin(&chunks->above))
        return;
    if (chunks->count > 1) {
        chunks->source.getBoxes(chunks->source.context, nodesOf(chunks->model, chunks->level));
        makeAbove(chunks);
    } else if (chunks->count == 1) {
        grzModelChunks_Make(chunks, 0);
    }
    grzModel_SetRoot(chunks->model);
    grzOnce_End(&chunks->above);
}

// ---- where they are read ----

void grzModel_MakeAll(const grzModel* model) {
    grzModel_Open(model);
    for (uint32_t c = 0; model->chunks != NULL && c < model->chunks->count; ++c)
        grzModelChunks_Make(model->chunks, c);
}

static bool meets(const grzBvhNode* node, uint32_t lane, const float lower[3], const float upper[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (!(node->lower[axis][lane] <= upper[axis] && lower[axis] <= node->upper[axis][lane]))
            return false;
    return node->lower[0][lane] <= node->upper[0][lane];
}

static void makeBelow(ModelChunks* chunks, uint32_t level, uint32_t index, const float lower[3],
                      const float upper[3]) {
    if (level == chunks->level) {
        grzModelChunks_Make(chunks, index);
        return;
    }
    const grzBvhNode* node = chunks->model->levels[level + 1] + index;
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
        if (meets(node, k, lower, upper))
            makeBelow(chunks, level + 1, index * GRZ_BVH_WIDTH + k, lower, upper);
}

void grzModelChunks_MakeInBox(ModelChunks* chunks, const float lower[3], const float upper[3]) {
    if (chunks->count > 1) // else Open has made it
        makeBelow(chunks, 0, 0, lower, upper);
}

// ---- life ----

static void resetAll(ModelChunks* chunks) {
    for (uint32_t c = 0; c < chunks->count; ++c)
        grzOnce_Reset(&chunks->states[c]);
    grzOnce_Reset(&chunks->above);
}

void grzModel_Forget(grzModel* model) {
    GRZ_RETURN_IF_NULL(model, );
    GRZ_ASSERT(model->chunks != NULL);
    resetAll(model->chunks);
    grzModel_SetRevision(model);
}

uint64_t grzModel_ChunksMade(const grzModel* model) {
    GRZ_RETURN_IF_NULL(model, 0);
    return model->chunks == NULL ? 0 : atomic_load_explicit(&model->chunks->made, memory_order_relaxed);
}

grzResult grzModelChunks_Create(grzModel* model, const grzModelSource* source, uint32_t levelCount) {
    const uint32_t count =
        source->triangleCount / GRZ_BVH_CHUNK_TRIANGLES + (source->triangleCount % GRZ_BVH_CHUNK_TRIANGLES != 0);
    ModelChunks* chunks = grzAllocate(&model->allocator, 1, sizeof *chunks, _Alignof(ModelChunks));
    if (chunks == NULL)
        return grzNoMemory(1, sizeof *chunks);
    *chunks = (ModelChunks){
        .source = *source, .model = model, .count = count, .level = levelCount > 1 ? levelCount - 2 : 0};
    atomic_init(&chunks->made, 0);
    model->chunks = chunks;
    chunks->states = count == 0 ? NULL : grzAllocate(&model->allocator, count, sizeof(grzOnceFlag), 1);
    if (chunks->states == NULL && count != 0)
        return grzNoMemory(count, sizeof(grzOnceFlag));
    resetAll(chunks);
    return grzOk();
}

void grzModelChunks_Destroy(ModelChunks* chunks, const grzAllocator* allocator) {
    if (chunks == NULL)
        return;
    grzRelease(allocator, chunks->states, chunks->count, sizeof(grzOnceFlag), 1);
    grzRelease(allocator, chunks, 1, sizeof *chunks, _Alignof(ModelChunks));
}
