// What: joins equal vertices by a hash table with linear probing.
#include "vertex_weld.h"

#include <string.h>

#include "check.h"
#include "memory.h"
#include "result_make.h"

typedef struct WeldTable {
    uint32_t* slots;  // a vertex of the result, or UINT32_MAX
    size_t slotCount; // a power of two, twice the vertices at least
    uint32_t* names;  // of each old vertex: its new one
} WeldTable;

static uint32_t hashOf(const float position[3]) {
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; ++axis) {
        float number = position[axis] + 0.0F; // makes -0 a 0
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static bool areEqual(const float a[3], const float b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Finds the vertex among the first `count` of the result, or adds it.
static uint32_t nameVertex(const WeldTable* table, float* positions, size_t* count, const float position[3]) {
    size_t slot = hashOf(position) & (table->slotCount - 1);
    while (table->slots[slot] != UINT32_MAX) {
        if (areEqual(positions + (size_t)table->slots[slot] * 3, position))
            return table->slots[slot];
        slot = (slot + 1) & (table->slotCount - 1);
    }
    uint32_t name = (uint32_t)(*count)++;
    table->slots[slot] = name;
    memmove(positions + (size_t)name * 3, position, 3 * sizeof(float));
    return name;
}

// Moves the kept vertices to the front of `positions`: none moves up, so none is overwritten before it is read.
static size_t nameVertices(const WeldTable* table, float* positions, size_t vertexCount) {
    memset(table->slots, 0xff, table->slotCount * sizeof *table->slots);
    size_t count = 0;
    for (size_t i = 0; i < vertexCount; ++i) {
        float position[3];
        memcpy(position, positions + i * 3, sizeof position);
        table->names[i] = nameVertex(table, positions, &count, position);
    }
    return count;
}

// A mesh of the right size, from the front of `positions`.
static grzResult rebuild(MeshData* mesh, const WeldTable* table, float* positions) {
    size_t count = nameVertices(table, positions, mesh->vertexCount);
    MeshData welded;
    grzResult result = MeshData_Create(&welded, mesh->allocator, false, count, mesh->triangleCount);
    if (!grzResult_IsOk(result))
        return result;
    memcpy(welded.positions, positions, count * 3 * sizeof(float));
    for (size_t i = 0; i < mesh->triangleCount * 3; ++i)
        welded.indices[i] = table->names[mesh->indices[i]];
    MeshData_Release(mesh);
    *mesh = welded;
    return grzOk();
}

grzResult MeshData_Weld(MeshData* mesh) {
    GRZ_ASSERT(!mesh->isDouble);
    size_t count = mesh->vertexCount;
    if (count == 0)
        return grzOk();
    const grzAllocator allocator = mesh->allocator;
    WeldTable table = {.slotCount = 4};
    while (table.slotCount < count * 2)
        table.slotCount *= 2;
    table.slots = grzAllocate(&allocator, table.slotCount, sizeof *table.slots, sizeof *table.slots);
    table.names = grzAllocate(&allocator, count, sizeof *table.names, sizeof *table.names);
    float* positions = grzAllocate(&allocator, count * 3, sizeof(float), sizeof(float));
    grzResult result = grzNoMemory(count, 32);
    if (table.slots != NULL && table.names != NULL && positions != NULL) {
        memcpy(positions, mesh->positions, count * 3 * sizeof(float));
        result = rebuild(mesh, &table, positions);
    }
    grzRelease(&allocator, table.slots, table.slotCount, sizeof *table.slots, sizeof *table.slots);
    grzRelease(&allocator, table.names, count, sizeof *table.names, sizeof *table.names);
    grzRelease(&allocator, positions, count * 3, sizeof(float), sizeof(float));
    return result;
}
