// What: the memory of meshes and sequences on their way between files and graze.
#include "mesh_data.h"

#include <string.h>

#include "check.h"
#include "memory.h"
#include "result_make.h"

// Three numbers an element must be countable in bytes and in 32-bit indices.
static bool countsFit(size_t elementCount) {
    return elementCount < UINT32_MAX && elementCount <= SIZE_MAX / (3 * sizeof(double));
}

static size_t numberSize(const MeshData* data) {
    return data->isDouble ? sizeof(double) : sizeof(float);
}

grzResult MeshData_Create(MeshData* data, grzAllocator allocator, bool isDouble, size_t vertexCount,
                          size_t triangleCount) {
    memset(data, 0, sizeof *data);
    if (!countsFit(vertexCount))
        return grzBecause(grzFail(grz_tooLarge, vertexCount), "more vertices than 32 bits can number");
    if (!countsFit(triangleCount))
        return grzBecause(grzFail(grz_tooLarge, triangleCount), "more triangles than 32 bits can number");
    MeshData made = {.allocator = grzAllocator_OrDefault(allocator), .isDouble = isDouble};
    made.vertexCount = vertexCount;
    made.triangleCount = triangleCount;
    if (vertexCount != 0) {
        made.positions = grzAllocate(&made.allocator, vertexCount * 3, numberSize(&made), sizeof(double));
        if (made.positions == NULL)
            return grzNoMemory(vertexCount * 3, numberSize(&made));
    }
    if (triangleCount != 0) {
        made.indices = grzAllocate(&made.allocator, triangleCount * 3, sizeof(uint32_t), sizeof(uint32_t));
        if (made.indices == NULL) {
            MeshData_Release(&made);
            return grzNoMemory(triangleCount * 3, sizeof(uint32_t));
        }
    }
    *data = made;
    return grzOk();
}

grzResult MeshData_SetTriangles(MeshData* data, const uint32_t* indices, size_t triangleCount) {
    GRZ_ASSERT(data->triangleCount == 0);
    if (!countsFit(triangleCount))
        return grzBecause(grzFail(grz_tooLarge, triangleCount), "more triangles than 32 bits can number");
    if (triangleCount == 0)
        return grzOk();
    uint32_t* copy = grzAllocate(&data->allocator, triangleCount * 3, sizeof(uint32_t), sizeof(uint32_t));
    if (copy == NULL)
        return grzNoMemory(triangleCount * 3, sizeof(uint32_t));
    memcpy(copy, indices, triangleCount * 3 * sizeof(uint32_t));
    data->indices = copy;
    data->triangleCount = triangleCount;
    return grzOk();
}

grzMeshDef MeshData_Def(const MeshData* data) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = data->positions;
    def.positionType = data->isDouble ? grz_float64 : grz_float32;
    def.vertexCount = data->vertexCount;
    def.indices = data->indices;
    def.triangleCount = data->triangleCount;
    def.allocator = data->allocator;
    return def;
}

void MeshData_Release(MeshData* data) {
    grzRelease(&data->allocator, data->positions, data->vertexCount * 3, numberSize(data), sizeof(double));
    grzRelease(&data->allocator, data->indices, data->triangleCount * 3, sizeof(uint32_t), sizeof(uint32_t));
    memset(data, 0, sizeof *data);
}

grzResult SequenceData_Create(SequenceData* data, grzAllocator allocator, size_t vertexCount, size_t frameCount) {
    memset(data, 0, sizeof *data);
    if (!countsFit(vertexCount))
        return grzBecause(grzFail(grz_tooLarge, vertexCount), "more vertices than 32 bits can number");
    if (vertexCount != 0 && frameCount > SIZE_MAX / (3 * sizeof(float)) / vertexCount)
        return grzBecause(grzFail(grz_tooLarge, frameCount), "more frames than memory can hold");
    SequenceData made = {.allocator = grzAllocator_OrDefault(allocator)};
    made.vertexCount = vertexCount;
    made.frameCount = frameCount;
    if (vertexCount != 0 && frameCount != 0) {
        made.positions = grzAllocate(&made.allocator, frameCount * vertexCount * 3, sizeof(float), sizeof(float));
        made.times = grzAllocate(&made.allocator, frameCount, sizeof(float), sizeof(float));
        if (made.positions == NULL || made.times == NULL) {
            SequenceData_Release(&made);
            return grzNoMemory(frameCount * vertexCount * 3, sizeof(float));
        }
    }
    *data = made;
    return grzOk();
}

void SequenceData_Release(SequenceData* data) {
    grzRelease(&data->allocator, data->positions, data->frameCount * data->vertexCount * 3, sizeof(float),
               sizeof(float));
    grzRelease(&data->allocator, data->times, data->frameCount, sizeof(float), sizeof(float));
    memset(data, 0, sizeof *data);
}
