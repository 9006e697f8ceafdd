// What: makes hierarchies over triangles and orders them anew.
// Promise: a call that fails leaves everything as it was.
// Idea: the shape is implicit, so all sizes are known from the two counts: one piece of memory for what stays, one
//       for the work, both taken before anything is written.
#include "bvh_parts.h"

#include <string.h>

#define BVH_DEF_MARK 0x62766864u // "bvhd"

grzBvhDef grzDefaultBvhDef(void) {
    grzBvhDef def;
    memset(&def, 0, sizeof def);
    def.mark = BVH_DEF_MARK;
    def.positionType = grz_float32;
    return def;
}

grzBvhView grzBvh_GetView(const grzBvh* bvh) {
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

// The counts of all levels, from the bottom up, and then their starts from the root down.
static void shapeLevels(grzBvhView* view) {
    uint32_t counts[GRZ_BVH_MAX_LEVELS];
    uint32_t levels = 0, count = view->leafCount;
    do {
        count = count > GRZ_BVH_WIDTH ? grzBvhDivideUp(count, GRZ_BVH_WIDTH) : 1;
        counts[levels++] = count;
    } while (count > 1);
    uint32_t start = 0;
    for (uint32_t d = 0; d <= GRZ_BVH_MAX_LEVELS; ++d) {
        view->levelStarts[d] = start;
        start += d < levels ? counts[levels - 1 - d] : 0;
    }
    view->levelCount = levels;
    view->nodeCount = start;
}

// Full levels above the largest mesh: 4 * 8^10 triangles.
GRZ_STATIC_ASSERT(GRZ_MESH_MAX_TRIANGLES < (UINT64_C(4) << 3 * GRZ_BVH_MAX_LEVELS), "levels enough");

static void shape(grzBvh* bvh, const BvhInput* input) {
    grzBvhView* view = &bvh->view;
    view->vertexCount = input->vertexCount;
    view->triangleCount = input->triangleCount;
    view->leafCount = grzBvhDivideUp(input->triangleCount, GRZ_BVH_LEAF_TRIANGLES);
    view->chunkCount = grzBvhDivideUp(input->triangleCount, GRZ_BVH_CHUNK_TRIANGLES);
    shapeLevels(view);
}

static void* place(unsigned char* memory, size_t* used, size_t count, size_t size) {
    void* array = memory != NULL ? memory + *used : NULL;
    *used += grzBvhRoundUp(count * size);
    return array;
}

// Puts the arrays into the memory, and returns how much they need. NULL only asks.
static size_t placeArrays(grzBvh* bvh, unsigned char* memory) {
    const grzBvhView* view = &bvh->view;
    const size_t vertices = view->vertexCount, triangles = view->triangleCount, leaves = view->leafCount;
    const size_t bottoms = view->nodeCount - grzBvhView_BottomStart(view);
    size_t used = 0;
    bvh->triangles = place(memory, &used, 3 * triangles, sizeof *bvh->triangles);
    bvh->triangleToCaller = place(memory, &used, triangles, sizeof *bvh->triangleToCaller);
    bvh->vertexToCaller = place(memory, &used, vertices + 1, sizeof *bvh->vertexToCaller); // see bvh_layout.c
    bvh->vertexFromCaller = place(memory, &used, vertices, sizeof *bvh->vertexFromCaller);
    bvh->leafVertices = place(memory, &used, 8 * leaves, sizeof *bvh->leafVertices);
    bvh->moreVertices = place(memory, &used, 4 * leaves, sizeof *bvh->moreVertices);
    bvh->leafVertexCounts = place(memory, &used, leaves, sizeof *bvh->leafVertexCounts);
    bvh->nodeFlags = place(memory, &used, bottoms, sizeof *bvh->nodeFlags);
    return used;
}

static void showArrays(grzBvh* bvh) {
    bvh->view.triangles = bvh->triangles;
    bvh->view.triangleToCaller = bvh->triangleToCaller;
    bvh->view.vertexToCaller = bvh->vertexToCaller;
    bvh->view.vertexFromCaller = bvh->vertexFromCaller;
    bvh->view.leafVertices = bvh->leafVertices;
    bvh->view.moreVertices = bvh->moreVertices;
    bvh->view.leafVertexCounts = bvh->leafVertexCounts;
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

// The scratch is the vertices' stamps and what the builder asks for.
static grzResult build(grzBvh* bvh, const grzBvhDef* def) {
    const BvhBuilderFns* builder = builderOf(def);
    const BvhInput input = inputOf(def);
    const size_t stamps = grzBvhRoundUp((input.vertexCount + (size_t)1) * sizeof(uint32_t));
    const grzResult result = takeScratch(bvh, stamps + builder->scratchSize(input.triangleCount));
    if (!grzResult_IsOk(result))
        return result;
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
    grzRelease(&allocator, bvh->memory, bvh->memorySize, 1, GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, bvh, 1, sizeof *bvh, _Alignof(grzBvh));
}

static grzResult fill(grzBvh* bvh, const grzBvhDef* def) {
    const BvhInput input = inputOf(def);
    shape(bvh, &input);
    bvh->memorySize = placeArrays(bvh, NULL);
    bvh->memory = grzAllocate(&bvh->allocator, bvh->memorySize, 1, GRZ_BVH_ALIGNMENT);
    if (bvh->memory == NULL)
        return grzNoMemory(bvh->memorySize, 1);
    placeArrays(bvh, bvh->memory);
    showArrays(bvh);
    return build(bvh, def);
}

grzResult grzBvh_Create(const grzBvhDef* def, grzBvh** out) {
    *out = NULL;
    grzResult result = check(def);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzBvh* bvh = grzAllocate(&allocator, 1, sizeof *bvh, _Alignof(grzBvh));
    if (bvh == NULL)
        return grzNoMemory(1, sizeof *bvh);
    memset(bvh, 0, sizeof *bvh);
    bvh->allocator = allocator;
    bvh->keepsScratch = def->keepsScratch;
    result = fill(bvh, def);
    if (grzResult_IsOk(result))
        *out = bvh;
    else
        grzBvh_Destroy(bvh);
    return result;
}

grzResult grzBvh_Rebuild(grzBvh* bvh, const grzBvhDef* def) {
    const grzResult result = check(def);
    if (!grzResult_IsOk(result))
        return result;
    if (def->vertexCount != bvh->view.vertexCount || def->triangleCount != bvh->view.triangleCount)
        return grzBecause(grzFail(grz_badArgument, 2),
                          "a hierarchy is rebuilt with the counts that it was made with");
    return build(bvh, def);
}
