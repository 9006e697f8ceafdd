// What: makes hierarchies over triangles and orders them anew.
// Promise: a call that fails leaves everything as it was.
// Idea: one piece of memory for what stays, one for the work, both taken before anything is written.
#include "bvh_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "owner.h"
#include "refuse_null.h"

#define BVH_DEF_MARK 0x62766864u // "bvhd"

grzBvhDef grzDefaultBvhDef(void) {
    grzBvhDef def;
    memset(&def, 0, sizeof def);
    def.mark = BVH_DEF_MARK;
    def.positionType = grz_float32;
    return def;
}

grzBvhView grzBvh_GetView(const grzBvh* bvh) {
    GRZ_RETURN_IF_NULL(bvh, (grzBvhView){0});
    return bvh->view;
}

static const BvhBuilderFns* builderOf(const grzBvhDef* def) {
    switch (def->builder) {
    case grz_bvhMedian:
        return &grzBvhMedian;
    case grz_bvhSah:
        return &grzBvhSah;
    case grz_bvhMorton:
    default:
        return &grzBvhMorton;
    }
}

static BvhInput inputOf(const grzBvhDef* def) {
    const size_t number = grzBvhNumberSize(def->positionType);
    BvhInput input = {.positions = def->positions,
                      .stride = def->positionStride != 0 ? def->positionStride / number : 3,
                      .isDouble = def->positionType == grz_float64,
                      .vertexCount = (uint32_t)def->vertexCount,
                      .triangleCount = (uint32_t)def->triangleCount,
                      .triangles = def->triangles,
                      .tasks = def->tasks};
    return input;
}

static grzResult check(const grzBvhDef* def) {
    if (def == NULL || def->mark != BVH_DEF_MARK)
        return grzFail(grz_badDef, 0);
    const grzResult result = grzBvh_CheckDef(def);
    if (!grzResult_IsOk(result))
        return result;
    const BvhInput input = inputOf(def);
    return grzBvh_CheckInput(&input);
}

static void releaseScratch(grzBvh* bvh) {
    grzRelease(&bvh->allocator, bvh->scratch, bvh->scratchSize, 1, GRZ_BVH_ALIGNMENT);
    bvh->scratch = NULL;
    bvh->scratchSize = 0;
}

static grzResult takeScratch(grzBvh* bvh, size_t size) {
    if (size <= bvh->scratchSize)
        return grzOk();
    unsigned char* scratch = grzAllocate(&bvh->allocator, size, 1, GRZ_BVH_ALIGNMENT);
    if (scratch == NULL)
        return grzNoMemory(size, 1);
    releaseScratch(bvh);
    bvh->scratch = scratch;
    bvh->scratchSize = size;
    return grzOk();
}

// All memory first. The scratch is the vertices' stamps and what the builder asks for.
static grzResult build(grzBvh* bvh, const grzBvhDef* def) {
    const BvhBuilderFns* builder = builderOf(def);
    const BvhInput input = inputOf(def);
    const size_t stamps = grzBvhRoundUp((input.vertexCount + (size_t)1) * sizeof(uint32_t));
    const grzResult result = takeScratch(bvh, stamps + builder->scratchSize(input.triangleCount));
    if (!grzResult_IsOk(result))
        return result;
    if (!grzBvh_MakeRoom(bvh, input.vertexCount, input.triangleCount)) {
        if (!bvh->keepsScratch)
            releaseScratch(bvh);
        return grzNoMemory(grzBvhRoomSize(input.vertexCount, input.triangleCount), 1);
    }
    grzBvh_Shape(bvh, input.vertexCount, input.triangleCount);
    grzBvh_ForgetEdits(bvh);
    builder->order(&input, bvh->triangleToCaller, bvh->scratch + stamps);
    grzBvh_LayOut(bvh, &input, (uint32_t*)(void*)bvh->scratch);
    if (!bvh->keepsScratch)
        releaseScratch(bvh);
    return grzOk();
}

void grzBvh_Destroy(grzBvh* bvh) {
    if (bvh == NULL)
        return;
    const grzAllocator allocator = bvh->allocator;
    releaseScratch(bvh);
    grzBvh_ReleaseEdits(bvh);
    grzRelease(&allocator, bvh->memory, bvh->memorySize, 1, GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, bvh, 1, sizeof *bvh, _Alignof(grzBvh));
}

// Builds and edits count on from here, so that nothing is taken for that of a hierarchy which was destroyed and lay in the same place.
static uint64_t firstRevision(void) {
    static atomic_uint_least64_t made;
    return (atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) + 1) << 32; // only to differ
}

grzResult grzBvh_Create(const grzBvhDef* def, grzBvh** out) {
    GRZ_REFUSE_NULL(out, 2);
    *out = NULL;
    grzResult result = check(def);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzBvh* bvh = grzOwner_NewFrom(&allocator, sizeof *bvh, _Alignof(grzBvh), &result);
    if (bvh == NULL)
        return result;
    bvh->allocator = allocator;
    bvh->keepsScratch = def->keepsScratch;
    bvh->revision = firstRevision();
    result = build(bvh, def);
    if (grzResult_IsOk(result))
        *out = bvh;
    else
        grzBvh_Destroy(bvh);
    return result;
}

grzResult grzBvh_Rebuild(grzBvh* bvh, const grzBvhDef* def) {
    GRZ_REFUSE_NULL(bvh, 1);
    const grzResult result = check(def);
    return grzResult_IsOk(result) ? build(bvh, def) : result;
}
