// What: graze/ccd_step.h: the impacts of all features of a mesh, or of two.
// Idea: passes: vertices of one mesh against triangles of another or of itself, and edges against edges. What is searched is cut
//   into items of a batch (ccd_step_inside.h).
// Holds: what an item finds goes to its own place (model_batch.h), and all is sorted at the end, so that neither the workers nor the
//   order of the hierarchies show.
// Based on: [Curtis, Tamstorf, Manocha, Fast Collision Detection for Deformable Models using Representative-Triangles, I3D 2008].
//   We differ: in Find, features have hierarchies of their own in place of being handed to triangles, so that no pair is met twice.
#include "graze/ccd_step.h"

#include <string.h>

#include "bvh_parts.h"
#include "ccd_step_inside.h"
#include "float_modes.h"
#include "memory.h"
#include "owner.h"
#include "record_sort.h"
#include "refuse_null.h"
#include "result_make.h"

#define DEF_MARK   0x50545343u
#define QUERY_MARK 0x51545343u

enum { WORN = 2 }; // order anew, where tiles meet so many times as often as in a new order

grzCcdStepDef grzDefaultCcdStepDef(void) {
    grzCcdStepDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.type = grz_float32;
    return def;
}

grzCcdStepQuery grzDefaultCcdStepQuery(void) {
    grzCcdStepQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    return query;
}

// ----------------------------------------------------------------------------------------------- items of a batch

static grzResult runItem(const void* context, uint32_t index, BatchBlock* block, const grzAllocator* allocator) {
    const StepWork* work = context;
    const bool isDone = work->pairs != NULL ? grzCcdStep_SearchPairs(work, index, block, allocator)
                                            : grzCcdStep_SearchTile(work, index, block, allocator);
    return isDone ? grzOk() : grzNoMemory(block->answers.count, 1);
}

static void callArrays(void* data, grzArrayCall* call, const grzAllocator* allocator) {
    StepScratch* scratch = data;
    grzArray_Call(&scratch->tiles, call, allocator);
}

static const BatchType stepBatch = {sizeof(grzImpact), sizeof(StepScratch), runItem, callArrays, NULL};

// ------------------------------------------------------------------------------------------- create and destroy

static const char* flawOfDef(const grzCcdStepDef* def) {
    if (def->meshA == NULL)
        return "meshA is NULL";
    return def->type != grz_float32 && def->type != grz_float64 ? "type is no grzNumberType" : NULL;
}

static void addPass(grzCcdStep* step, uint32_t side, grzFeatureKind row, uint32_t otherSide, grzFeatureKind lane) {
    StepPass* pass = &step->passes[step->passCount++];
    *pass = (StepPass){.rows = &step->sets[side][row], .lanes = &step->sets[otherSide][lane]};
    pass->kind = row == grz_edgeFeature ? grz_ccdEdgeEdge : grz_ccdVertexFace;
    pass->isSelf = side == otherSide;
    pass->isTurned = side > otherSide;
    pass->firstTile = step->tileCount;
    step->tileCount += pass->rows->tileCount;
}

static void addPasses(grzCcdStep* step) {
    const uint32_t last = step->sideCount - 1;
    addPass(step, 0, grz_vertexFeature, last, grz_faceFeature);
    if (last != 0)
        addPass(step, 1, grz_vertexFeature, 0, grz_faceFeature);
    addPass(step, 0, grz_edgeFeature, last, grz_edgeFeature);
}

static grzResult makeSets(grzCcdStep* step, const grzMesh* const meshes[2]) {
    for (uint32_t side = 0; side < step->sideCount; ++side)
        for (int kind = 0; kind < KINDS; ++kind) {
            CcdSet* set = &step->sets[side][kind];
            set->kind = (grzFeatureKind)kind;
            set->firstRow = side * step->vertexCounts[0];
            const grzResult result = grzCcdSet_Make(set, meshes[side], &step->allocator);
            if (!grzResult_IsOk(result))
                return result;
        }
    return grzOk();
}

static size_t rowSize(const grzCcdStep* step) {
    return CCD_ROW * grzBvhNumberSize(step->type);
}

static size_t rowCount(const grzCcdStep* step) {
    return (size_t)step->vertexCounts[0] + step->vertexCounts[1];
}

// What Decide takes.
static grzResult makeTriangles(grzCcdStep* step, const grzMesh* const meshes[2]) {
    for (uint32_t side = 0; side < step->sideCount; ++side) {
        const grzResult result = grzCcdTriangles_Make(&step->triangles[side], meshes[side],
                                                      side * step->vertexCounts[0], &step->allocator);
        if (!grzResult_IsOk(result))
            return result;
    }
    if (step->sideCount == 1) {
        const grzResult result = grzCcdTriangles_MakeStandIns(&step->triangles[0], meshes[0], &step->allocator);
        if (!grzResult_IsOk(result))
            return result;
    }
    if (!step->rows.isDouble)
        return grzOk();
    step->rounded = grzAllocate(&step->allocator, rowCount(step), CCD_ROW * sizeof *step->rounded, 64);
    return step->rounded != NULL ? grzOk() : grzNoMemory(rowCount(step), CCD_ROW * sizeof *step->rounded);
}

static grzResult fillStep(grzCcdStep* step, const grzMesh* const meshes[2]) {
    for (uint32_t side = 0; side < step->sideCount; ++side)
        step->vertexCounts[side] = grzMesh_GetView(meshes[side]).vertexCount;
    if (rowCount(step) > GRZ_MESH_MAX_VERTICES)
        return grzFail(grz_tooLarge, rowCount(step));
    grzResult result = makeSets(step, meshes);
    if (!grzResult_IsOk(result) || rowCount(step) == 0)
        return result;
    step->memory = grzAllocate(&step->allocator, rowCount(step), rowSize(step), 64);
    if (step->memory == NULL)
        return grzNoMemory(rowCount(step), rowSize(step));
    memset(step->memory, 0, rowCount(step) * rowSize(step));
    step->rows.data = step->memory;
    return step->decidesPairs ? makeTriangles(step, meshes) : result;
}

grzResult grzCcdStep_Create(const grzCcdStepDef* def, grzCcdStep** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOfDef(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzAllocator allocator = def->allocator;
    grzResult result;
    grzCcdStep* step = grzOwner_New(&allocator, 1, sizeof *step, _Alignof(grzCcdStep), &result);
    if (step == NULL)
        return result;
    step->allocator = allocator;
    step->type = def->type;
    step->rows.isDouble = def->type == grz_float64;
    step->sideCount = def->meshB != NULL ? 2 : 1;
    step->decidesPairs = def->decidesPairs;
    grzModelBatch_Init(&step->batch, &stepBatch, allocator);
    const grzMesh* meshes[2] = {def->meshA, def->meshB};
    result = fillStep(step, meshes);
    if (!grzResult_IsOk(result)) {
        grzCcdStep_Destroy(step);
        return result;
    }
    addPasses(step);
    *made = step;
    return result;
}

void grzCcdStep_Destroy(grzCcdStep* step) {
    if (step == NULL)
        return;
    const grzAllocator allocator = step->allocator;
    for (uint32_t side = 0; side < step->sideCount; ++side)
        for (int kind = 0; kind < KINDS; ++kind)
            grzCcdSet_Release(&step->sets[side][kind], &allocator);
    for (uint32_t side = 0; side < step->sideCount; ++side)
        grzCcdTriangles_Release(&step->triangles[side], &allocator);
    grzRelease(&allocator, step->rounded, rowCount(step), CCD_ROW * sizeof *step->rounded, 64);
    grzRelease(&allocator, step->memory, rowCount(step), rowSize(step), 64);
    grzArray_Release(&step->scratch, &allocator);
    grzModelBatch_Release(&step->batch);
    grzRelease(&allocator, step, 1, sizeof *step, _Alignof(grzCcdStep));
}

// ------------------------------------------------------------------------------------------------------- a step

static const char* flawOfQuery(const grzCcdStep* step, const grzCcdStepQuery* query) {
    if (query->depth < 0 || query->depth > 52)
        return "depth is not 0 to 52";
    const grzCcdStepMotion* motions[2] = {&query->a, &query->b};
    for (uint32_t side = 0; side < step->sideCount; ++side) {
        const grzCcdStepMotion* motion = motions[side];
        if (step->vertexCounts[side] != 0 && (motion->start == NULL || motion->end == NULL))
            return side == 0 ? "a.start or a.end is NULL" : "b.start or b.end is NULL";
        const char* flaw = grzBvhFlawOfStride(motion->stride, step->type, step->vertexCounts[side]);
        if (flaw != NULL)
            return flaw;
    }
    return NULL;
}

static grzResult checkFinite(const grzCcdStep* step, grzTasks* tasks, uint32_t side,
                             const grzCcdStepMotion* motion) {
    const size_t size = grzBvhNumberSize(step->type), stride = motion->stride == 0 ? 3 : motion->stride / size;
    const void* ends[2] = {motion->start, motion->end};
    const uint32_t count = step->vertexCounts[side];
    for (int end = 0; end < 2; ++end) {
        const uint32_t bad = grzBvhFindNotFinite(tasks, ends[end], stride, step->rows.isDouble, count);
        if (bad != count)
            return grzFailAt(grz_notFinite, grz_partVertex, bad, side);
    }
    return grzOk();
}

static grzResult check(const grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOfQuery(step, query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    const grzResult result = checkFinite(step, tasks, 0, &query->a);
    return grzResult_IsOk(result) && step->sideCount == 2 ? checkFinite(step, tasks, 1, &query->b) : result;
}

static void fillRows(grzCcdStep* step, uint32_t side, const grzCcdStepMotion* motion) {
    const size_t number = grzBvhNumberSize(step->type), stride = motion->stride == 0 ? 3 * number : motion->stride;
    const size_t first = side * (size_t)step->vertexCounts[0];
    for (size_t i = 0; i < step->vertexCounts[side]; ++i) {
        unsigned char* row = (unsigned char*)step->memory + (first + i) * rowSize(step);
        memcpy(row, (const unsigned char*)motion->start + i * stride, 3 * number);
        memcpy(row + CCD_ROW / 2 * number, (const unsigned char*)motion->end + i * stride, 3 * number);
    }
}

static grzResult bringUp(grzCcdStep* step, grzTasks* tasks) {
    step->stats.isOrdered = !step->isOrdered || step->isWorn;
    for (uint32_t side = 0; side < step->sideCount; ++side)
        for (int kind = 0; kind < KINDS; ++kind) {
            CcdSet* set = &step->sets[side][kind];
            grzResult result = grzOk();
            if (step->stats.isOrdered)
                result = grzCcdSet_Order(set, &step->rows, tasks, &step->allocator);
            if (!grzResult_IsOk(result))
                return result;
            grzCcdSet_Fit(set, &step->rows, tasks);
        }
    return grzOk();
}

static void addStats(grzCcdStepStats* to, const grzCcdStepStats* from) {
    for (int kind = 0; kind < 2; ++kind) {
        to->candidates[kind] += from->candidates[kind];
        to->impacts[kind] += from->impacts[kind];
        to->doubtful[kind] += from->doubtful[kind];
        for (int stage = 0; stage < grz_ccdStageCount; ++stage)
            to->decided[kind][stage] += from->decided[kind][stage];
    }
    to->tilePairs += from->tilePairs;
}

static void clearBlocks(grzCcdStep* step) {
    for (size_t i = 0; i < step->batch.blocks.count; ++i) {
        StepScratch* scratch = step->batch.blocks.data[i].scratch;
        memset(&scratch->stats, 0, sizeof scratch->stats);
        scratch->kept = 0;
    }
}

static void sumBlocks(grzCcdStep* step) {
    for (size_t i = 0; i < step->batch.blocks.count; ++i) {
        const StepScratch* scratch = step->batch.blocks.data[i].scratch;
        addStats(&step->stats, &scratch->stats);
        step->count += scratch->kept;
    }
}

// As many tiles meet as candidates make necessary, and more of them as the order wears.
static void watchOrder(grzCcdStep* step) {
    const uint64_t candidates = step->stats.candidates[0] + step->stats.candidates[1] + step->tileCount;
    if (step->stats.isOrdered) {
        step->newTilePairs = step->stats.tilePairs;
        step->newCandidates = candidates;
    }
    step->isOrdered = true;
    step->isWorn = (double)step->stats.tilePairs * (double)step->newCandidates >
                   WORN * (double)step->newTilePairs * (double)candidates;
}

static grzResult sortImpacts(grzCcdStep* step) {
    const size_t count = grzModelBatch_AnswerCount(&step->batch);
    const size_t size = grzRecordScratchSize(&grzImpactType, count);
    if (count > UINT32_MAX)
        return grzFail(grz_tooLarge, count);
    if (!grzArray_Reserve(&step->scratch, &step->allocator, size))
        return grzNoMemory(size, 1);
    if (count != 0)
        grzSortRecords(&grzImpactType, step->batch.answers.data, count, step->scratch.data);
    return grzOk();
}

// The batch's items: tiles, once their boxes are up to date, or pairs of triangles.
static grzResult prepare(grzCcdStep* step, grzTasks* tasks, const grzCcdStepPairs* pairs, uint32_t* itemCount) {
    if (pairs != NULL) {
        *itemCount = grzCcdStep_CountPairItems(step, pairs);
        grzCcdStep_RoundRows(step, tasks);
        return grzOk();
    }
    *itemCount = step->tileCount;
    const grzResult result = bringUp(step, tasks);
    if (!grzResult_IsOk(result))
        step->isOrdered = false; // some may be, others not
    return result;
}

static grzResult search(grzCcdStep* step, grzTasks* tasks, const StepWork* work) {
    uint32_t itemCount;
    fillRows(step, 0, &work->query->a);
    if (step->sideCount == 2)
        fillRows(step, 1, &work->query->b);
    grzResult result = prepare(step, tasks, work->pairs, &itemCount);
    if (!grzResult_IsOk(result))
        return result;
    clearBlocks(step);
    result = grzModelBatch_Run(&step->batch, tasks, work, itemCount);
    return grzResult_IsOk(result) ? sortImpacts(step) : result;
}

static grzResult searchAll(grzCcdStep* step, grzTasks* tasks, const StepWork* work) {
    step->isCount = work->query->isCount;
    const grzResult result = search(step, tasks, work);
    if (!grzResult_IsOk(result)) {
        grzModelBatch_Clear(&step->batch);
        memset(&step->stats, 0, sizeof step->stats);
        return result;
    }
    sumBlocks(step);
    if (work->pairs == NULL)
        watchOrder(step);
    return result;
}

static void clear(grzCcdStep* step) {
    grzModelBatch_Clear(&step->batch);
    memset(&step->stats, 0, sizeof step->stats);
    step->count = 0;
}

grzResult grzCcdStep_Find(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query) {
    GRZ_REFUSE_NULL(step, 1);
    const StepWork work = {step, query, NULL};
    clear(step);
    const uint64_t modes = grzFloatModes_KeepSmall();
    grzResult result = check(step, tasks, query);
    if (grzResult_IsOk(result))
        result = searchAll(step, tasks, &work);
    grzFloatModes_Set(modes);
    return result;
}

grzResult grzCcdStep_Decide(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query,
                            const grzCcdStepPairs* pairs) {
    GRZ_REFUSE_NULL(step, 1);
    const StepWork work = {step, query, pairs};
    clear(step);
    const uint64_t modes = grzFloatModes_KeepSmall();
    grzResult result = grzCcdStep_CheckPairs(step, tasks, pairs);
    if (grzResult_IsOk(result))
        result = check(step, tasks, query);
    if (grzResult_IsOk(result))
        result = searchAll(step, tasks, &work);
    grzFloatModes_Set(modes);
    return result;
}

grzCcdStepView grzCcdStep_GetView(const grzCcdStep* step) {
    GRZ_RETURN_IF_NULL(step, (grzCcdStepView){0});
    return (grzCcdStepView){step->isCount || step->count == 0 ? NULL : (const grzImpact*)step->batch.answers.data,
                            step->count, step->stats};
}
