// What: graze/bvh_chunks.h.
// Idea: vertices are numbered by first touch, so a vertex's first chunk would be found by a search; most have no other.
//   A list for each vertex, behind each other, answers both at once.
// Holds: chunksOf[starts[v] .. starts[v + 1]) are the chunks of vertex v in the tree's numbers, ascending.
#include "graze/bvh_chunks.h"

#include <string.h>

#include "memory.h"

struct grzBvhChunks {
    grzAllocator allocator;
    uint32_t vertexCount;
    uint32_t entryCount;
    uint32_t* starts; // vertexCount + 1
    uint32_t* chunksOf;
    uint32_t* fromCaller; // the tree's number of each of the caller's vertices
};

static uint32_t chunkOfCorner(size_t corner) {
    return (uint32_t)(corner / (3 * (size_t)GRZ_BVH_CHUNK_TRIANGLES));
}

// Calls of a vertex come in the order of its chunks, so `last`, the chunk it was seen in before plus one, tells new ones.
static bool isNewThere(uint32_t* last, uint32_t vertex, uint32_t chunk) {
    const bool isNew = last[vertex] != chunk + 1;
    last[vertex] = chunk + 1;
    return isNew;
}

// starts[v + 1]: how many chunks v has. Returns the sum.
static uint32_t countChunks(const grzBvhView* view, uint32_t* starts, uint32_t* last) {
    uint32_t sum = 0;
    memset(starts, 0, ((size_t)view->vertexCount + 1) * sizeof *starts);
    memset(last, 0, view->vertexCount * sizeof *last);
    for (size_t i = 0; i < 3 * (size_t)view->triangleCount; ++i)
        if (isNewThere(last, view->triangles[i], chunkOfCorner(i)))
            ++starts[view->triangles[i] + 1], ++sum;
    return sum;
}

static void writeChunks(const grzBvhView* view, grzBvhChunks* chunks, uint32_t* last) {
    memset(last, 0, view->vertexCount * sizeof *last);
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        chunks->starts[v + 1] += chunks->starts[v];
    for (size_t i = 0; i < 3 * (size_t)view->triangleCount; ++i) {
        const uint32_t vertex = view->triangles[i], chunk = chunkOfCorner(i);
        if (isNewThere(last, vertex, chunk))
            chunks->chunksOf[chunks->starts[vertex]++] = chunk;
    }
    // Each start has come to the next one's; back by one place.
    memmove(chunks->starts + 1, chunks->starts, view->vertexCount * sizeof *chunks->starts);
    chunks->starts[0] = 0;
}

static grzResult fill(const grzBvhView* view, grzBvhChunks* chunks, uint32_t* last) {
    const size_t vertexCount = chunks->vertexCount = view->vertexCount;
    chunks->starts = grzAllocate(&chunks->allocator, vertexCount + 1, sizeof *chunks->starts, _Alignof(uint32_t));
    if (chunks->starts == NULL)
        return grzNoMemory(vertexCount + 1, sizeof *chunks->starts);
    const uint32_t count = countChunks(view, chunks->starts, last);
    const size_t taken = (size_t)count + vertexCount + 1; // at least one
    chunks->chunksOf = grzAllocate(&chunks->allocator, taken, sizeof *chunks->chunksOf, _Alignof(uint32_t));
    if (chunks->chunksOf == NULL)
        return grzNoMemory(taken, sizeof *chunks->chunksOf);
    chunks->entryCount = count;
    chunks->fromCaller = chunks->chunksOf + count;
    writeChunks(view, chunks, last);
    if (vertexCount != 0)
        memcpy(chunks->fromCaller, view->vertexFromCaller, vertexCount * sizeof *chunks->fromCaller);
    return grzOk();
}

grzResult grzBvhChunks_Create(const grzBvh* bvh, grzAllocator given, grzBvhChunks** made) {
    *made = NULL;
    grzResult result = grzCheckAllocator(given, 2);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(given);
    const grzBvhView view = grzBvh_GetView(bvh);
    const size_t scratch = (size_t)view.vertexCount + 1;
    grzBvhChunks* chunks = grzAllocate(&allocator, 1, sizeof *chunks, _Alignof(grzBvhChunks));
    uint32_t* last = grzAllocate(&allocator, scratch, sizeof *last, _Alignof(uint32_t));
    result = chunks == NULL || last == NULL ? grzNoMemory(scratch, sizeof *last) : grzOk();
    if (grzResult_IsOk(result)) {
        memset(chunks, 0, sizeof *chunks);
        chunks->allocator = allocator;
        result = fill(&view, chunks, last);
    }
    grzRelease(&allocator, last, scratch, sizeof *last, _Alignof(uint32_t));
    if (grzResult_IsOk(result))
        *made = chunks;
    else if (chunks != NULL && last != NULL)
        grzBvhChunks_Destroy(chunks);
    else
        grzRelease(&allocator, chunks, 1, sizeof *chunks, _Alignof(grzBvhChunks));
    return result;
}

void grzBvhChunks_Destroy(grzBvhChunks* chunks) {
    if (chunks == NULL)
        return;
    const grzAllocator allocator = chunks->allocator;
    const size_t vertexCount = chunks->vertexCount;
    grzRelease(&allocator, chunks->starts, vertexCount + 1, sizeof *chunks->starts, _Alignof(uint32_t));
    grzRelease(&allocator, chunks->chunksOf, chunks->entryCount + vertexCount + 1, sizeof *chunks->chunksOf,
               _Alignof(uint32_t));
    grzRelease(&allocator, chunks, 1, sizeof *chunks, _Alignof(grzBvhChunks));
}

grzResult grzBvhChunks_Mark(const grzBvhChunks* chunks, const uint32_t* vertices, size_t count,
                            grzBvhNumbering numbering, uint64_t* bits) {
    if ((unsigned)numbering > grz_bvhCallersNumbers)
        return grzBecause(grzFail(grz_badArgument, 4), "numbering is no grzBvhNumbering");
    for (size_t i = 0; i < count; ++i)
        if (vertices[i] >= chunks->vertexCount)
            return grzFailAt(grz_indexTooLarge, grz_partVertex, i, vertices[i]);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t v = numbering == grz_bvhCallersNumbers ? chunks->fromCaller[vertices[i]] : vertices[i];
        for (uint32_t at = chunks->starts[v]; at < chunks->starts[v + 1]; ++at)
            bits[chunks->chunksOf[at] / 64] |= UINT64_C(1) << chunks->chunksOf[at] % 64;
    }
    return grzOk();
}
