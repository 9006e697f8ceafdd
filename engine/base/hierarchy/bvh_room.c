// What: the shape of a hierarchy, and the memory of its arrays.
// Idea: the shape is implicit, so all sizes follow from two counts. Room is made for as many as asked for, and by half again where
//   there was some before, so that n edits copy O(n).
#include "bvh_parts.h"

#include <string.h>

// ---- shape ----

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

void grzBvh_Shape(grzBvh* bvh, uint32_t vertexCount, uint32_t triangleCount) {
    grzBvhView* view = &bvh->view;
    view->vertexCount = vertexCount;
    view->triangleCount = triangleCount;
    view->leafCount = grzBvhDivideUp(triangleCount, GRZ_BVH_LEAF_TRIANGLES);
    view->chunkCount = grzBvhDivideUp(triangleCount, GRZ_BVH_CHUNK_TRIANGLES);
    shapeLevels(view);
}

// ---- memory ----

static void* place(unsigned char* memory, size_t* used, size_t count, size_t size) {
    void* array = memory != NULL ? memory + *used : NULL;
    *used += grzBvhRoundUp(count * size);
    return array;
}

// Puts the arrays into the memory, and returns how much they need. NULL only asks.
static size_t placeArrays(grzBvh* bvh, uint32_t vertexCount, uint32_t triangleCount, unsigned char* memory) {
    const size_t vertices = vertexCount, triangles = triangleCount;
    const size_t leaves = grzBvhDivideUp(triangleCount, GRZ_BVH_LEAF_TRIANGLES),
                 bottoms = leaves / GRZ_BVH_WIDTH + 1;
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

// What is there, into the arrays of a larger room.
static void copyArrays(const grzBvh* from, grzBvh* to) {
    const size_t vertices = from->view.vertexCount, triangles = from->view.triangleCount;
    const size_t leaves = from->view.leafCount,
                 bottoms = from->view.nodeCount - grzBvhView_BottomStart(&from->view);
    memcpy(to->triangles, from->triangles, 3 * triangles * sizeof *to->triangles);
    memcpy(to->triangleToCaller, from->triangleToCaller, triangles * sizeof *to->triangleToCaller);
    memcpy(to->vertexToCaller, from->vertexToCaller, vertices * sizeof *to->vertexToCaller);
    memcpy(to->vertexFromCaller, from->vertexFromCaller, vertices * sizeof *to->vertexFromCaller);
    memcpy(to->leafVertices, from->leafVertices, 8 * leaves * sizeof *to->leafVertices);
    memcpy(to->moreVertices, from->moreVertices, 4 * leaves * sizeof *to->moreVertices);
    memcpy(to->leafVertexCounts, from->leafVertexCounts, leaves * sizeof *to->leafVertexCounts);
    memcpy(to->nodeFlags, from->nodeFlags, bottoms * sizeof *to->nodeFlags);
}

static uint32_t grow(uint32_t room, uint32_t wanted, uint32_t most) {
    const uint32_t grown = room + room / 2; // below 2^32, as rooms are below 2^31
    if (wanted <= room)
        return room;
    return grown < wanted ? wanted : grown > most ? most : grown;
}
GRZ_STATIC_ASSERT(GRZ_MESH_MAX_TRIANGLES < UINT32_MAX / 3 * 2 && GRZ_MESH_MAX_VERTICES < UINT32_MAX / 3 * 2,
                  "half again has room in 32 bits");

size_t grzBvhRoomSize(uint32_t vertexCount, uint32_t triangleCount) {
    grzBvh none;
    return placeArrays(&none, vertexCount, triangleCount, NULL);
}

bool grzBvh_MakeRoom(grzBvh* bvh, uint32_t vertexCount, uint32_t triangleCount) {
    const uint32_t vertices = grow(bvh->vertexRoom, vertexCount, GRZ_MESH_MAX_VERTICES);
    const uint32_t triangles = grow(bvh->triangleRoom, triangleCount, GRZ_MESH_MAX_TRIANGLES);
    if (bvh->memory != NULL && vertices == bvh->vertexRoom && triangles == bvh->triangleRoom)
        return true;
    const size_t size = grzBvhRoomSize(vertices, triangles);
    unsigned char* memory = grzAllocate(&bvh->allocator, size, 1, GRZ_BVH_ALIGNMENT);
    if (memory == NULL)
        return false;
    const grzBvh before = *bvh;
    placeArrays(bvh, vertices, triangles, memory);
    showArrays(bvh);
    if (before.memory != NULL)
        copyArrays(&before, bvh);
    grzRelease(&bvh->allocator, before.memory, before.memorySize, 1, GRZ_BVH_ALIGNMENT);
    bvh->memory = memory;
    bvh->memorySize = size;
    bvh->vertexRoom = vertices;
    bvh->triangleRoom = triangles;
    return true;
}
