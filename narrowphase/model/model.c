// What: makes models and keeps them up to date.
// Promise: as graze/model.h says; a call that is refused has changed nothing.
// Holds: leaves and nodes follow from the hierarchy and the positions alone.
// Cost: the hierarchy's, and some 5 ns a triangle for the leaves: three loads and a turn of four rows for each corner.
#include "model_chunks.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "bvh_parts.h"
#include "check.h"
#include "memory.h"
#include "model_normals.h"
#include "owner.h"
#include "refuse_null.h"
#include "simd.h"

#define MODEL_MARK 0x4D4F4431u

enum { CORNERS = 3, LEAF_SIZE = GRZ_BVH_LEAF_TRIANGLES, GRAIN = 512 };

grzModelDef grzDefaultModelDef(void) {
    grzModelDef def;
    memset(&def, 0, sizeof def);
    def.mark = MODEL_MARK;
    def.builder = grz_bvhSah;
    return def;
}

static grzBvhDef makeBvhDef(const grzModelDef* def) {
    grzBvhDef bvh = grzDefaultBvhDef();
    bvh.builder = def->builder;
    bvh.positions = def->positions;
    bvh.positionStride = def->positionStride;
    bvh.vertexCount = def->vertexCount;
    bvh.triangles = def->triangles;
    bvh.triangleCount = def->triangleCount;
    bvh.tasks = def->tasks;
    bvh.allocator = def->allocator;
    return bvh;
}

// ---- leaves ----

typedef struct LeafWork {
    const grzBvhView* view;
    const unsigned char* positions;
    size_t stride; // in bytes
    const grzBvhNode* bottom;
    ModelLeaf* leaves;
} LeafWork;

// A vertex by its number in the tree; the fourth is rubbish. Nothing is read behind the last one.
static inline grzF4 loadVertex(const LeafWork* work, uint32_t vertex) {
    const uint32_t caller = work->view->vertexToCaller[vertex];
    const unsigned char* at = work->positions + caller * work->stride;
    float numbers[4] = {0, 0, 0, 0};
    if (caller + 1 != work->view->vertexCount)
        return grzF4_Load((const float*)(const void*)at);
    memcpy(numbers, at, CORNERS * sizeof *numbers);
    return grzF4_Load(numbers);
}

static void setCorners(const LeafWork* work, ModelLeaf* leaf, uint32_t first) {
    for (size_t corner = 0; corner < CORNERS; ++corner) {
        grzF4 rows[LEAF_SIZE];
        for (uint32_t k = 0; k < LEAF_SIZE; ++k) {
            const size_t triangle = first + (k < leaf->count ? k : 0); // those that are not there repeat the first
            rows[k] = loadVertex(work, work->view->triangles[CORNERS * triangle + corner]);
        }
        grzTranspose4(&rows[0], &rows[1], &rows[2], &rows[3]);
        for (int axis = 0; axis < 3; ++axis)
            grzF4_Store(leaf->at[axis] + 4 * corner, rows[axis]);
    }
}

static void setLeaf(const LeafWork* work, uint32_t index, ModelLeaf* leaf) {
    const uint32_t first = index * LEAF_SIZE, left = work->view->triangleCount - first;
    const grzBvhNode* node = &work->bottom[index / GRZ_BVH_WIDTH];
    leaf->count = left < LEAF_SIZE ? left : LEAF_SIZE;
    setCorners(work, leaf, first);
    setNormals(leaf->at);
    for (uint32_t k = 0; k < LEAF_SIZE; ++k)
        leaf->ids[k] = work->view->triangleToCaller[first + (k < leaf->count ? k : 0)];
    for (int axis = 0; axis < 3; ++axis) {
        leaf->lower[axis] = node->lower[axis][index % GRZ_BVH_WIDTH];
        leaf->upper[axis] = node->upper[axis][index % GRZ_BVH_WIDTH];
    }
    leaf->lower[3] = leaf->upper[3] = 0;
    memset(leaf->pad, 0, sizeof leaf->pad);
}

static void setLeaves(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const LeafWork* work = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        setLeaf(work, i, &work->leaves[i]);
}

void grzModel_SetRoot(grzModel* model) {
    const grzBox box = model->box = grzBvh_RootBox(model->nodes);
    for (int axis = 0; axis < 3; ++axis) {
        model->root.lower[axis][0] = grzVec3_Get(box.lower, axis);
        model->root.upper[axis][0] = grzVec3_Get(box.upper, axis);
    }
}

static grzBvhRefit makeRefit(const float* positions, size_t stride) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = positions;
    refit.stride = stride;
    refit.numbering = grz_bvhCallersNumbers;
    return refit;
}

static LeafWork makeLeafWork(const grzModel* model, const grzBvhView* view, const float* positions, size_t stride) {
    return (LeafWork){view, (const unsigned char*)positions, stride != 0 ? stride : 3 * sizeof(float),
                      model->nodes + grzBvhView_BottomStart(view), model->leaves};
}

static uint64_t nextRevision(void) {
    static atomic_uint_least64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1; // only to differ
}

void grzModel_SetRevision(grzModel* model) {
    model->revision = nextRevision();
}

grzResult grzModel_Refit(grzModel* model, grzTasks* tasks, const float* positions, size_t stride) {
    GRZ_REFUSE_NULL(model, 1);
    const grzBvhRefit refit = makeRefit(positions, stride);
    const grzResult result = grzBvh_Refit(model->bvh, tasks, &refit, model->nodes);
    if (!grzResult_IsOk(result))
        return result;
    const grzBvhView view = grzBvh_GetView(model->bvh);
    LeafWork work = makeLeafWork(model, &view, positions, stride);
    grzParallelFor(tasks, view.leafCount, GRAIN, setLeaves, &work);
    grzModel_SetRoot(model);
    grzModel_SetRevision(model);
    return grzOk();
}

// ---- life ----

static grzResult takeArrays(grzModel* model, const grzBvhView* view) {
    model->nodeCount = view->nodeCount;
    model->leafCount = view->leafCount;
    model->leafLevel = view->levelCount;
    model->nodes = grzAllocate(&model->allocator, view->nodeCount, sizeof *model->nodes, GRZ_BVH_ALIGNMENT);
    if (model->nodes == NULL)
        return grzNoMemory(view->nodeCount, sizeof *model->nodes);
    model->leaves = grzAllocate(&model->allocator, view->leafCount, sizeof *model->leaves, GRZ_BVH_ALIGNMENT);
    if (model->leaves == NULL && view->leafCount != 0)
        return grzNoMemory(view->leafCount, sizeof *model->leaves);
    model->levels[0] = &model->root;
    for (uint32_t level = 0; level < view->levelCount; ++level)
        model->levels[level + 1] = model->nodes + view->levelStarts[level];
    return grzOk();
}

// Everything but the struct itself; what is made stays in the model for destroy.
static grzResult fillModel(grzModel* model, const grzModelDef* def) {
    const grzBvhDef bvhDef = makeBvhDef(def);
    grzResult result = grzBvh_Create(&bvhDef, &model->ownBvh);
    if (!grzResult_IsOk(result))
        return result;
    model->bvh = model->ownBvh;
    const grzBvhView view = grzBvh_GetView(model->bvh);
    result = takeArrays(model, &view);
    if (!grzResult_IsOk(result))
        return result;
    return grzModel_Refit(model, def->tasks, def->positions, def->positionStride);
}

static grzModel* newModel(grzAllocator allocator, grzResult* result) {
    grzModel* model = grzOwner_New(&allocator, 1, sizeof *model, GRZ_BVH_ALIGNMENT, result);
    if (model == NULL)
        return NULL;
    model->allocator = allocator;
    return model;
}

static grzResult give(grzModel* model, grzResult result, grzModel** made) {
    if (grzResult_IsOk(result))
        *made = model;
    else
        grzModel_Destroy(model);
    return result;
}

grzResult grzModel_Create(const grzModelDef* def, grzModel** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != MODEL_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzModel* model = newModel(def->allocator, &result);
    return model == NULL ? result : give(model, fillModel(model, def), made);
}

static const char* flawOfSource(const grzModelSource* source) {
    if (source == NULL)
        return "source is NULL";
    if (source->getBoxes == NULL || source->getChunk == NULL)
        return "getBoxes or getChunk is NULL";
    if (source->triangleCount > GRZ_MESH_MAX_TRIANGLES)
        return "triangleCount is more than a mesh may have";
    return source->bvh != NULL && grzBvh_GetView(source->bvh).triangleCount != source->triangleCount
               ? "bvh has another number of triangles"
               : NULL;
}

grzResult grzModel_CreateFrom(const grzModelSource* source, grzAllocator allocator, grzModel** made) {
    GRZ_REFUSE_NULL(made, 3);
    *made = NULL;
    const char* flaw = flawOfSource(source);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzResult result;
    grzModel* model = newModel(allocator, &result);
    if (model == NULL)
        return result;
    grzBvh shape;
    grzBvh_Shape(&shape, 0, source->triangleCount);
    model->bvh = source->bvh;
    result = takeArrays(model, &shape.view);
    if (grzResult_IsOk(result))
        result = grzModelChunks_Create(model, source, shape.view.levelCount);
    if (grzResult_IsOk(result)) {
        for (int axis = 0; axis < 3; ++axis) // of no triangles
            for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
                model->nodes->lower[axis][k] = FLT_MAX, model->nodes->upper[axis][k] = -FLT_MAX;
        grzModel_SetRevision(model);
    }
    return give(model, result, made);
}

void grzModel_Destroy(grzModel* model) {
    if (model == NULL)
        return;
    const grzAllocator allocator = model->allocator;
    grzModelChunks_Destroy(model->chunks, &allocator);
    grzRelease(&allocator, model->nodes, model->nodeCount, sizeof *model->nodes, GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, model->leaves, model->leafCount, sizeof *model->leaves, GRZ_BVH_ALIGNMENT);
    grzBvh_Destroy(model->ownBvh);
    grzRelease(&allocator, model, 1, sizeof *model, GRZ_BVH_ALIGNMENT);
}

grzResult grzModel_Rebuild(grzModel* model, const grzModelDef* def) {
    GRZ_REFUSE_NULL(model, 1);
    if (def == NULL || def->mark != MODEL_MARK)
        return grzFail(grz_badDef, 0);
    const grzBvhDef bvhDef = makeBvhDef(def);
    const grzResult result = grzBvh_Rebuild(model->ownBvh, &bvhDef);
    return grzResult_IsOk(result) ? grzModel_Refit(model, def->tasks, def->positions, def->positionStride) : result;
}

grzModelView grzModel_GetView(const grzModel* model) {
    GRZ_RETURN_IF_NULL(model, (grzModelView){0});
    grzModel_Open(model);
    return (grzModelView){model->bvh, model->nodes, model->box};
}

bool grzModel_Validate(const grzModel* model, const float* positions, size_t stride) {
    GRZ_RETURN_IF_NULL(model, false);
    if (positions == NULL && grzBvh_GetView(model->bvh).triangleCount != 0)
        return false;
    const grzBvhRefit refit = makeRefit(positions, stride);
    grzModel_MakeAll(model);
    if (!grzBvh_Validate(model->bvh) || !grzBvh_ValidateBoxes(model->bvh, &refit, model->nodes))
        return false;
    const grzBvhView view = grzBvh_GetView(model->bvh);
    const LeafWork work = makeLeafWork(model, &view, positions, stride);
    for (uint32_t i = 0; i < view.leafCount; ++i) {
        ModelLeaf expected;
        setLeaf(&work, i, &expected);
        if (memcmp(&expected, &model->leaves[i], sizeof expected) == 0)
            continue;
        grzLog(grz_logError, "model: leaf %u is not what its triangles make", i);
        return false;
    }
    return true;
}
