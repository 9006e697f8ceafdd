// What: refuses what no hierarchy can be made of, before anything is written.
// Promise: after it every position is finite and every index names a vertex; the first offender is reported.
#include "bvh_refit_kernel.h"

#include <math.h>
#include <string.h>

#include "first_refused.h"

const char* grzBvhFlawOfStride(size_t stride, grzNumberType type, size_t count) {
    const size_t number = grzBvhNumberSize(type);
    if (stride == 0)
        return NULL;
    if (stride < 3 * number || stride % number != 0)
        return "the stride is below three numbers or no multiple of one";
    return count != 0 && count - 1 > (SIZE_MAX - 3 * number) / stride ? "the stride leads past the end of memory"
                                                                      : NULL;
}

static const char* flawOf(const grzBvhDef* def) {
    if (def->positionType != grz_float32 && def->positionType != grz_float64)
        return "positionType is no grzNumberType";
    if ((unsigned)def->builder > grz_bvhSah)
        return "builder is no grzBvhBuilder";
    if (def->positions == NULL && def->vertexCount != 0)
        return "positions is NULL, but vertexCount is not 0";
    if (def->triangles == NULL && def->triangleCount != 0)
        return "triangles is NULL, but triangleCount is not 0";
    return grzBvhFlawOfStride(def->positionStride, def->positionType, def->vertexCount);
}

grzResult grzBvh_CheckDef(const grzBvhDef* def) {
    const grzResult counts = grzCheckMeshCounts(def->vertexCount, def->triangleCount);
    if (counts.status != grz_ok)
        return counts;
    const char* flaw = flawOf(def);
    return flaw == NULL ? grzCheckAllocator(def->allocator, 1) : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

// ---- what is not finite ----

enum { FINITE_GRAIN = 1 << 14 }; // vertices a task

typedef struct FiniteSearch {
    const void* positions;
    size_t stride;
    bool isDouble;
} FiniteSearch;

static bool isFiniteFloat(const float* p) {
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static bool isFiniteDouble(const double* p) {
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static bool isFiniteAt(const FiniteSearch* search, uint32_t vertex) {
    const size_t at = vertex * search->stride;
    return search->isDouble ? isFiniteDouble((const double*)search->positions + at)
                            : isFiniteFloat((const float*)search->positions + at);
}

// Numbers that are no coordinates, between the vertices, make one look closer.
static bool isBlockFinite(const FiniteSearch* search, uint32_t begin, uint32_t end) {
    const size_t first = begin * search->stride, count = (end - begin - 1) * search->stride + 3;
    return search->isDouble
               ? GRZ_PICK_KERNEL(grzBvhAreFiniteDoubles)((const double*)search->positions + first, count)
               : GRZ_PICK_KERNEL(grzBvhAreFinite)((const float*)search->positions + first, count);
}

static uint32_t searchBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const FiniteSearch* search = context;
    if (search->stride <= 4 && isBlockFinite(search, begin, end))
        return end;
    uint32_t vertex = begin;
    while (vertex < end && isFiniteAt(search, vertex))
        ++vertex;
    return vertex;
}

uint32_t grzBvhFindNotFinite(grzTasks* tasks, const void* positions, size_t stride, bool isDouble, uint32_t count) {
    FiniteSearch search = {.positions = positions, .stride = stride, .isDouble = isDouble};
    return grzParallelTry(tasks, count, FINITE_GRAIN, searchBlock, &search);
}

// ---- indices ----

grzResult grzBvh_CheckInput(const BvhInput* input) {
    const uint32_t bad =
        grzBvhFindNotFinite(input->tasks, input->positions, input->stride, input->isDouble, input->vertexCount);
    if (bad != input->vertexCount)
        return grzFailAt(grz_notFinite, grz_partVertex, bad, 0);
    const size_t corners = 3 * (size_t)input->triangleCount;
    // Bit 31 is set by an index that has it, and by the difference to a limit below 2^30 where a smaller index is
    // above that: two operations on lanes that have no unsigned compare.
    const uint32_t last = input->vertexCount - 1;
    uint32_t signs = 0;
    for (size_t i = 0; i < corners; ++i)
        signs |= input->triangles[i] | (last - input->triangles[i]);
    if (corners == 0 || (input->vertexCount != 0 && signs >> 31 == 0))
        return grzOk();
    size_t i = 0;
    while (input->triangles[i] < input->vertexCount)
        ++i;
    return grzFailAt(grz_indexTooLarge, grz_partTriangle, i / 3, input->triangles[i]);
}
