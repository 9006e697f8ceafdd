// What: graze/ccd_step.h: the impacts of all features of a mesh, or of two.
// Idea: passes: vertices of one mesh against triangles of another or of itself, and edges against edges. A tile of the first
//   side's features is a task's piece of work:
//
//   its box -> walk through the other side's hierarchy -> tiles -> candidates, a thousand at a time -> ccd_block -> impacts
//
// Holds: what a tile finds goes to its own place (model_batch.h), and all is sorted at the end, so that neither the workers nor the
//   order of the hierarchies show. Against itself, edges look at their own tile and later ones only.
// Based on: [Curtis, Tamstorf, Manocha, Fast Collision Detection for Deformable Models using Representative-Triangles, I3D 2008].
//   We differ: features have hierarchies of their own in place of being handed to triangles, so that no pair is met twice.
#include "graze/ccd_step.h"

#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "ccd_query.h"
#include "ccd_set.h"
#include "float_modes.h"
#include "memory.h"
#include "model_batch.h"
#include "owner.h"
#include "record_sort.h"
#include "result_make.h"

#define DEF_MARK   0x50545343u
#define QUERY_MARK 0x51545343u

enum {
    KINDS = 3,       // of features of a mesh: grzFeatureKind
    MOST_PASSES = 3, // vertices and triangles both ways, edges
    WORN = 2,        // order anew, where tiles meet so many times as often as in a new order
};

// One kind of feature against another.
typedef struct StepPass {
    const CcdSet *rows, *lanes;
    grzCcdKind kind;
    bool isSelf, isTurned; // against itself; the rows are of mesh B
    uint32_t firstTile;    // of the rows, counting on through the passes
} StepPass;

typedef struct StepBytes {
    GRZ_ARRAY(unsigned char);
} StepBytes;

struct grzCcdStep {
    grzAllocator allocator;
    grzNumberType type;
    uint32_t sideCount;
    uint32_t vertexCounts[2];
    CcdSet sets[2][KINDS]; // by grzFeatureKind
    StepPass passes[MOST_PASSES];
    uint32_t passCount, tileCount;
    CcdRows rows;
    void* memory; // of the rows
    ModelBatch batch;
    StepBytes scratch;     // for sorting
    uint64_t newTilePairs; // of the first step in this order, and as many candidates had it
    uint64_t newCandidates;
    bool isOrdered, isWorn, isCount;
    grzCcdStepStats stats;
    size_t count;
};

// What one block of tiles met.
typedef struct StepScratch {
    CcdTileList tiles;
    grzCcdStepStats stats;
    uint64_t kept;
} StepScratch;

typedef struct StepWork {
    const grzCcdStep* step;
    const grzCcdStepQuery* query;
} StepWork;

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

// --------------------------------------------------------------------------------------------------- one tile

static float roundTime(double time, bool isEnd) {
    return isEnd ? grzRoundUp(time) : grzRoundDown(time);
}

// The record of a candidate that is not apart.
static grzImpact makeImpact(const StepWork* work, const StepPass* pass, const uint32_t* features, uint8_t verdict) {
    const bool isEdges = pass->kind == grz_ccdEdgeEdge;
    grzFeature a = grzMakeFeature(isEdges ? grz_edgeFeature : grz_vertexFeature, features[0]);
    grzFeature b = grzMakeFeature(isEdges ? grz_edgeFeature : grz_faceFeature, features[1]);
    if (pass->isTurned || (pass->isSelf && isEdges && a > b)) {
        const grzFeature swap = a;
        a = b;
        b = swap;
    }
    grzImpact impact;
    memset(&impact, 0, sizeof impact);
    impact.pair = (grzFeaturePair){work->query->bodyPair, a, b, 0, 1};
    impact.certainty = verdict == grz_ccdTouching ? grz_exact : grz_conservative;
    impact.measure = verdict == grz_ccdTouching ? 0 : INFINITY;
    return impact;
}

static void setTimes(const StepWork* work, const StepPass* pass, const uint32_t* vertices, grzImpact* impact) {
    const grzCcdQuery query = grzCcdRows_Query(&work->step->rows, pass->kind, vertices);
    grzCcdStage stage;
    CcdSpan span;
    if (impact->certainty != grz_exact ||
        grzCcdQuery_Decide(&query, work->query->depth, &span, &stage) != ccd_touch)
        return; // 0 and 1: when is not known, or would take too many bits
    impact->pair.t0 = roundTime(span.t0, false);
    impact->pair.t1 = roundTime(span.t1, true);
}

static bool keepImpact(const StepWork* work, const StepPass* pass, const CcdCandidates* candidates, uint32_t number,
                       uint8_t verdict, BatchBlock* block, const grzAllocator* allocator) {
    const grzCcdStepQuery* query = work->query;
    const uint32_t features[2] = {candidates->features[0][number], candidates->features[1][number]};
    grzImpact impact = makeImpact(work, pass, features, verdict);
    StepScratch* scratch = block->scratch;
    scratch->stats.impacts[pass->kind]++;
    scratch->stats.doubtful[pass->kind] += verdict == grz_ccdDoubtful;
    if (query->filter != NULL && !query->filter(query->filterContext, impact.pair.featureA, impact.pair.featureB))
        return true;
    scratch->kept++;
    if (query->isCount)
        return true;
    if (query->depth != 0)
        setTimes(work, pass, candidates->vertices + 4 * (size_t)number, &impact);
    grzImpact* room = grzBatchBlock_Append(block, 1, sizeof *room, allocator);
    if (room == NULL)
        return false;
    *room = impact;
    return true;
}

// Decides all candidates, and has none afterwards; false where memory is refused.
static bool decide(const StepWork* work, const StepPass* pass, CcdCandidates* candidates, BatchBlock* block,
                   const grzAllocator* allocator) {
    uint32_t hits[CCD_CANDIDATES + CCD_TILE_PAIRS + CCD_SIFT_LANES];
    uint8_t verdicts[CCD_CANDIDATES + CCD_TILE_PAIRS + CCD_SIFT_LANES];
    StepScratch* scratch = block->scratch;
    CcdStages stages = {{0}};
    const uint32_t count = grzCcdBlock_Decide(&work->step->rows, pass->kind, candidates->vertices,
                                              candidates->count, hits, verdicts, &stages);
    scratch->stats.candidates[pass->kind] += candidates->count + candidates->apart;
    scratch->stats.decided[pass->kind][grz_ccdBoxes] += candidates->apart;
    for (int stage = 0; stage < grz_ccdStageCount; ++stage)
        scratch->stats.decided[pass->kind][stage] += stages.counts[stage];
    candidates->count = candidates->apart = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (!keepImpact(work, pass, candidates, hits[i], verdicts[i], block, allocator))
            return false;
    return true;
}

static bool findTiles(const StepPass* pass, uint32_t tile, CcdTileList* list, const grzAllocator* allocator) {
    const grzBvhView view = grzBvh_GetView(pass->lanes->bvh);
    const CcdTile* from = &pass->rows->tiles[tile];
    const bool isSame = pass->rows == pass->lanes;
    const CcdTileWalk walk = {&view, pass->lanes->nodes, from->boxLower, from->boxUpper, isSame ? tile : 0};
    list->count = 0;
    return GRZ_PICK_KERNEL(grzCcdTileWalk)(&walk, list, allocator);
}

static bool searchTile(const StepWork* work, const StepPass* pass, uint32_t tile, BatchBlock* block,
                       const grzAllocator* allocator) {
    StepScratch* scratch = block->scratch;
    const CcdSet *rows = pass->rows, *lanes = pass->lanes;
    grzCcdTileMeet_Fn* meet = GRZ_PICK_KERNEL(grzCcdTileMeet);
    CcdCandidates candidates;
    candidates.count = candidates.apart = 0;
    if (!findTiles(pass, tile, &scratch->tiles, allocator))
        return false;
    for (size_t i = 0; i < scratch->tiles.count; ++i) {
        const uint32_t other = scratch->tiles.data[i];
        const CcdTilePair pair = {&rows->tiles[tile],
                                  &lanes->tiles[other],
                                  rows->doubles != NULL ? &rows->doubles[tile] : NULL,
                                  rows->doubles != NULL ? &lanes->doubles[other] : NULL,
                                  pass->kind == grz_ccdEdgeEdge,
                                  rows == lanes && tile == other};
        meet(&pair, &candidates);
        if (candidates.count >= CCD_CANDIDATES && !decide(work, pass, &candidates, block, allocator))
            return false;
    }
    scratch->stats.tilePairs += scratch->tiles.count;
    return candidates.count + candidates.apart == 0 || decide(work, pass, &candidates, block, allocator);
}

static grzResult runTile(const void* context, uint32_t index, BatchBlock* block, const grzAllocator* allocator) {
    const StepWork* work = context;
    const StepPass* pass = &work->step->passes[work->step->passCount - 1];
    while (index < pass->firstTile)
        --pass;
    if (pass->lanes->count == 0 || searchTile(work, pass, index - pass->firstTile, block, allocator))
        return grzOk();
    return grzNoMemory(block->answers.count, 1);
}

static void callArrays(void* data, grzArrayCall* call, const grzAllocator* allocator) {
    StepScratch* scratch = data;
    grzArray_Call(&scratch->tiles, call, allocator);
}

static const BatchType stepBatch = {sizeof(grzImpact), sizeof(StepScratch), runTile, callArrays, NULL};

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
    return result;
}

grzResult grzCcdStep_Create(const grzCcdStepDef* def, grzCcdStep** made) {
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
    unsigned char* rows = (unsigned char*)step->memory + side * (size_t)step->vertexCounts[0] * rowSize(step);
    for (size_t i = 0; i < step->vertexCounts[side]; ++i) {
        unsigned char* row = rows + i * rowSize(step);
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

static grzResult find(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query) {
    fillRows(step, 0, &query->a);
    if (step->sideCount == 2)
        fillRows(step, 1, &query->b);
    grzResult result = bringUp(step, tasks);
    if (!grzResult_IsOk(result)) {
        step->isOrdered = false; // some may be, others not
        return result;
    }
    const StepWork work = {step, query};
    clearBlocks(step);
    result = grzModelBatch_Run(&step->batch, tasks, &work, step->tileCount);
    if (grzResult_IsOk(result))
        result = sortImpacts(step);
    return result;
}

static grzResult findAll(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query) {
    grzResult result = check(step, tasks, query);
    if (!grzResult_IsOk(result))
        return result;
    step->isCount = query->isCount;
    result = find(step, tasks, query);
    if (!grzResult_IsOk(result)) {
        grzModelBatch_Clear(&step->batch);
        memset(&step->stats, 0, sizeof step->stats);
        return result;
    }
    sumBlocks(step);
    watchOrder(step);
    return result;
}

grzResult grzCcdStep_Find(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query) {
    grzModelBatch_Clear(&step->batch);
    memset(&step->stats, 0, sizeof step->stats);
    step->count = 0;
    const uint64_t modes = grzFloatModes_KeepSmall();
    const grzResult result = findAll(step, tasks, query);
    grzFloatModes_Set(modes);
    return result;
}

grzCcdStepView grzCcdStep_GetView(const grzCcdStep* step) {
    return (grzCcdStepView){step->isCount || step->count == 0 ? NULL : (const grzImpact*)step->batch.answers.data,
                            step->count, step->stats};
}
