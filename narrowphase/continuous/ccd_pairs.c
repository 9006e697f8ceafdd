// What: graze/ccd_pairs.h: a mesh in motion as rows, and its pairs through the stages of graze/ccd.h.
// Idea: ccd_block.h does it, a block of pairs at a time.
// Holds: a block of pairs is written by the task that has it.
#include "graze/ccd_pairs.h"

#include <string.h>

#include "bvh_parts.h"
#include "ccd_block.h"
#include "ccd_query.h"
#include "float_modes.h"
#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "result_make.h"

#define DEF_MARK 0x4D444343u

struct grzCcdMotion {
    grzAllocator allocator;
    grzNumberType type;
    size_t vertexCount;
    void* rows; // CCD_ROW numbers a vertex
};

grzCcdMotionDef grzDefaultCcdMotionDef(void) {
    grzCcdMotionDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.type = grz_float32;
    return def;
}

// ---- rows ----

static size_t numberSize(grzNumberType type) {
    return type == grz_float64 ? sizeof(double) : sizeof(float);
}

static const char* flawOf(const grzCcdMotionDef* def) {
    if (def->type != grz_float32 && def->type != grz_float64)
        return "type is no grzNumberType";
    if (def->vertexCount != 0 && (def->start == NULL || def->end == NULL))
        return "start or end is NULL";
    return grzBvhFlawOfStride(def->stride, def->type, def->vertexCount);
}

static grzResult checkFinite(const grzCcdMotionDef* def, const void* positions) {
    const size_t size = numberSize(def->type), stride = def->stride == 0 ? 3 : def->stride / size;
    const uint32_t count = (uint32_t)def->vertexCount;
    const uint32_t bad = grzBvhFindNotFinite(NULL, positions, stride, size == sizeof(double), count);
    return bad == count ? grzOk() : grzFailAt(grz_notFinite, grz_partVertex, bad, 0);
}

static grzResult check(const grzCcdMotionDef* def) {
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (def->vertexCount > GRZ_MESH_MAX_VERTICES)
        return grzFail(grz_tooLarge, def->vertexCount);
    const grzResult result = checkFinite(def, def->start);
    return grzResult_IsOk(result) ? checkFinite(def, def->end) : result;
}

static void fillRows(grzCcdMotion* motion, const grzCcdMotionDef* def) {
    const size_t size = numberSize(motion->type), stride = def->stride == 0 ? 3 * size : def->stride;
    unsigned char* rows = motion->rows;
    memset(rows, 0, motion->vertexCount * CCD_ROW * size);
    for (size_t i = 0; i < motion->vertexCount; ++i) {
        unsigned char* row = rows + i * CCD_ROW * size;
        memcpy(row, (const unsigned char*)def->start + i * stride, 3 * size);
        memcpy(row + CCD_ROW / 2 * size, (const unsigned char*)def->end + i * stride, 3 * size);
    }
}

grzResult grzCcdMotion_Create(const grzCcdMotionDef* def, grzCcdMotion** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result = check(def);
    if (!grzResult_IsOk(result))
        return result;
    grzAllocator allocator = def->allocator;
    grzCcdMotion* motion = grzOwner_New(&allocator, 1, sizeof *motion, _Alignof(grzCcdMotion), &result);
    if (motion == NULL)
        return result;
    *motion = (grzCcdMotion){allocator, def->type, def->vertexCount, NULL};
    const size_t size = CCD_ROW * numberSize(motion->type);
    motion->rows = def->vertexCount == 0 ? NULL : grzAllocate(&allocator, def->vertexCount, size, 64);
    if (motion->rows == NULL && def->vertexCount != 0) {
        grzCcdMotion_Destroy(motion);
        return grzNoMemory(def->vertexCount, size);
    }
    fillRows(motion, def);
    *made = motion;
    return grzOk();
}

grzResult grzCcdMotion_Update(grzCcdMotion* motion, const grzCcdMotionDef* def) {
    GRZ_REFUSE_NULL(motion, 1);
    const grzResult result = check(def);
    if (!grzResult_IsOk(result))
        return result;
    if (def->vertexCount != motion->vertexCount || def->type != motion->type)
        return grzBecause(grzFail(grz_badArgument, 2),
                          "another number of vertices, or another type, than at first");
    fillRows(motion, def);
    return result;
}

void grzCcdMotion_Destroy(grzCcdMotion* motion) {
    if (motion == NULL)
        return;
    const grzAllocator allocator = motion->allocator;
    grzRelease(&allocator, motion->rows, motion->vertexCount, CCD_ROW * numberSize(motion->type), 64);
    grzRelease(&allocator, motion, 1, sizeof *motion, _Alignof(grzCcdMotion));
}

// ---- pairs ----

static CcdRows rowsOf(const grzCcdMotion* motion) {
    return (CcdRows){motion->rows, motion->type == grz_float64};
}

grzCcdQuery grzCcdMotion_Query(const grzCcdMotion* motion, grzCcdKind kind, const uint32_t vertices[4]) {
    GRZ_RETURN_IF_NULL(motion, (grzCcdQuery){0});
    GRZ_RETURN_IF_NULL(vertices, (grzCcdQuery){0});
    const CcdRows rows = rowsOf(motion);
    const uint64_t modes = grzFloatModes_KeepSmall(); // floats become doubles
    const grzCcdQuery query = grzCcdRows_Query(&rows, kind, vertices);
    grzFloatModes_Set(modes);
    return query;
}

typedef struct PairsWork {
    CcdRows rows;
    const grzCcdPairs* pairs;
    uint8_t* answers;
} PairsWork;

static void decideBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PairsWork* work = context;
    uint32_t hits[CCD_BLOCK + CCD_SIFT_LANES];
    uint8_t verdicts[CCD_BLOCK + CCD_SIFT_LANES], *answers = work->answers + begin;
    CcdStages stages = {{0}};
    const uint32_t count =
        grzCcdBlock_Decide(&work->rows, work->pairs->kind, work->pairs->vertices + 4 * (size_t)begin, end - begin,
                           hits, verdicts, &stages);
    memset(answers, grz_ccdApart, end - begin);
    for (uint32_t i = 0; i < count; ++i)
        answers[hits[i]] = verdicts[i];
}

grzResult grzCcdPairs_Check(const grzCcdMotion* motion, const grzCcdPairs* pairs) {
    if (pairs == NULL || (unsigned)pairs->kind > grz_ccdEdgeEdge || (pairs->vertices == NULL && pairs->count != 0))
        return grzBecause(grzFail(grz_badArgument, 3), "no pairs, or kind is no grzCcdKind");
    uint32_t most = 0;
    for (size_t i = 0; i < 4 * (size_t)pairs->count; ++i)
        most = pairs->vertices[i] > most ? pairs->vertices[i] : most;
    if (pairs->count == 0 || most < motion->vertexCount)
        return grzOk();
    size_t i = 0;
    while (pairs->vertices[i] < motion->vertexCount)
        ++i;
    return grzFailAt(grz_indexTooLarge, grz_noPart, i / 4, pairs->vertices[i]);
}

grzResult grzCcdMotion_Decide(const grzCcdMotion* motion, grzTasks* tasks, const grzCcdPairs* pairs,
                              uint8_t* answers) {
    GRZ_REFUSE_NULL(motion, 1);
    const grzResult result = grzCcdPairs_Check(motion, pairs);
    if (!grzResult_IsOk(result))
        return result;
    if (answers == NULL && pairs->count != 0)
        return grzBecause(grzFail(grz_badArgument, 4), "answers is NULL");
    PairsWork work = {rowsOf(motion), pairs, answers};
    const uint64_t modes = grzFloatModes_KeepSmall();
    grzParallelFor(tasks, pairs->count, CCD_BLOCK, decideBlock, &work);
    grzFloatModes_Set(modes);
    return result;
}
