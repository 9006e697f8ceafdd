// What: graze/ccd_pairs.h: a mesh in motion as rows, and its pairs through the stages of graze/ccd.h.
// Idea: rows are loaded whole. What boxes leave is gathered eight at a time, and what volumes and directions leave of these goes
//   through the stages one by one.
// Holds: a block of pairs is written by the task that has it.
#include "graze/ccd_pairs.h"

#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "ccd_kernel.h"
#include "ccd_query.h"
#include "memory.h"
#include "result_make.h"

#define DEF_MARK 0x4D444343u

enum { BLOCK = 1024 };

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
    *made = NULL;
    grzResult result = check(def);
    if (grzResult_IsOk(result))
        result = grzCheckAllocator(def->allocator, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzCcdMotion* motion = grzAllocate(&allocator, 1, sizeof *motion, _Alignof(grzCcdMotion));
    if (motion == NULL)
        return grzNoMemory(1, sizeof *motion);
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

static double numberAt(const grzCcdMotion* motion, uint32_t vertex, int end, int axis) {
    const size_t place = CCD_ROW * (size_t)vertex + (size_t)(end * CCD_ROW / 2 + axis);
    return motion->type == grz_float64 ? ((const double*)motion->rows)[place]
                                       : (double)((const float*)motion->rows)[place];
}

grzCcdQuery grzCcdMotion_Query(const grzCcdMotion* motion, grzCcdKind kind, const uint32_t vertices[4]) {
    grzCcdQuery query;
    query.kind = kind;
    for (int i = 0; i < 24; ++i)
        query.points[i / 12][i / 3 % 4][i % 3] = numberAt(motion, vertices[i / 3 % 4], i / 12, i % 3);
    return query;
}

typedef struct PairsWork {
    const grzCcdMotion* motion;
    const grzCcdPairs* pairs;
    uint8_t* answers;
} PairsWork;

// Eight pairs, or fewer, of which the last is repeated.
static void loadColumns(const PairsWork* work, const uint32_t* numbers, uint32_t count, CcdColumns* columns) {
    for (uint32_t lane = 0; lane < CCD_LANES; ++lane) {
        const uint32_t pair = numbers[lane < count ? lane : count - 1];
        const uint32_t* of = work->pairs->vertices + 4 * (size_t)pair;
        for (int point = 0; point < 4; ++point)
            for (int end = 0; end < 2; ++end)
                for (int axis = 0; axis < 3; ++axis)
                    columns->at[end][point][axis][lane] = numberAt(work->motion, of[point], end, axis);
    }
}

static uint8_t decideOne(const PairsWork* work, uint32_t pair) {
    const grzCcdQuery query =
        grzCcdMotion_Query(work->motion, work->pairs->kind, work->pairs->vertices + 4 * (size_t)pair);
    const CcdVerdict verdict = grzCcdQuery_Decide(&query, 0, NULL);
    return verdict == ccd_apart ? grz_ccdApart : verdict == ccd_touch ? grz_ccdTouching : grz_ccdDoubtful;
}

static void decideLeft(const PairsWork* work, const uint32_t* left, uint32_t count) {
    const int isEdges = work->pairs->kind == grz_ccdEdgeEdge;
    grzCcdVolumes_Fn* kernel = GRZ_PICK_KERNEL(grzCcdVolumes);
    for (uint32_t i = 0; i < count; i += CCD_LANES) {
        const uint32_t some = count - i < CCD_LANES ? count - i : CCD_LANES;
        CcdColumns columns;
        loadColumns(work, left + i, some, &columns);
        const uint32_t apart = kernel(&columns, isEdges);
        for (uint32_t lane = 0; lane < some; ++lane)
            if ((apart >> lane & 1) == 0)
                work->answers[left[i + lane]] = decideOne(work, left[i + lane]);
    }
}

static void decideBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PairsWork* work = context;
    const uint32_t* vertices = work->pairs->vertices;
    const int isEdges = work->pairs->kind == grz_ccdEdgeEdge;
    uint32_t left[BLOCK];
    memset(work->answers + begin, grz_ccdApart, end - begin);
    const uint32_t count =
        work->motion->type == grz_float64
            ? GRZ_PICK_KERNEL(grzCcdBoxesDouble)(work->motion->rows, vertices, begin, end, isEdges, left)
            : GRZ_PICK_KERNEL(grzCcdBoxesFloat)(work->motion->rows, vertices, begin, end, isEdges, left);
    decideLeft(work, left, count);
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
    const grzResult result = grzCcdPairs_Check(motion, pairs);
    if (!grzResult_IsOk(result))
        return result;
    if (answers == NULL && pairs->count != 0)
        return grzBecause(grzFail(grz_badArgument, 4), "answers is NULL");
    PairsWork work = {motion, pairs, answers};
    grzParallelFor(tasks, pairs->count, BLOCK, decideBlock, &work);
    return result;
}

uint32_t grzCcd_CollectHits(const uint8_t* answers, uint32_t count, uint32_t* indices) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (answers[i] == grz_ccdApart)
            continue;
        if (indices != NULL)
            indices[hits] = i;
        ++hits;
    }
    return hits;
}
