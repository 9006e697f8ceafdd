// What: copies the arrays of a mesh def, tight, and refuses what has no meaning.
// Promise: every number that passes is finite and every index names a vertex; the first offender is reported.
// Holds: the caller's memory is read by memcpy alone, so any alignment and stride will do.
#include "mesh_parts.h"

#include <math.h>
#include <string.h>

#include "graze/records.h"

static size_t numberSize(grzNumberType type) {
    return type == grz_float64 ? sizeof(double) : sizeof(float);
}

static size_t indexSize(grzIndexType type) {
    return type == grz_index16 ? sizeof(uint16_t) : sizeof(uint32_t);
}

// What to say of an array that is none.
typedef struct ArrayFlaws {
    const char *missing, *narrow, *endless;
} ArrayFlaws;

static const ArrayFlaws positionFlaws = {"positions is NULL, but vertexCount is not 0",
                                         "positionStride is below the size of three numbers",
                                         "positionStride leads past the end of memory"};
static const ArrayFlaws indexFlaws = {"indices is NULL, but triangleCount is not 0",
                                      "triangleStride is below the size of three indices",
                                      "triangleStride leads past the end of memory"};

// NULL where `count` elements can lie `stride` apart in one address space.
static const char* flawOfArray(const void* data, size_t count, size_t stride, size_t size,
                               const ArrayFlaws* flaws) {
    if (stride != 0 && stride < size)
        return flaws->narrow;
    if (count == 0)
        return NULL;
    if (data == NULL)
        return flaws->missing;
    return (count - 1) > (SIZE_MAX - size) / (stride != 0 ? stride : size) ? flaws->endless : NULL;
}

// Of the types and the arrays; they rest on each other in this order.
static const char* flawOf(const grzMeshDef* def) {
    if (def->positionType != grz_float32 && def->positionType != grz_float64)
        return "positionType is no grzNumberType";
    if (def->indexType != grz_index16 && def->indexType != grz_index32)
        return "indexType is no grzIndexType";
    if ((unsigned)def->order > grz_orderByTriangles)
        return "order is no grzMeshOrder";
    const char* flaw = flawOfArray(def->positions, def->vertexCount, def->positionStride,
                                   3 * numberSize(def->positionType), &positionFlaws);
    if (flaw == NULL)
        flaw = flawOfArray(def->indices, def->triangleCount, def->triangleStride, 3 * indexSize(def->indexType),
                           &indexFlaws);
    if (flaw == NULL && def->order == grz_orderByTriangles && def->triangleCount != 0 && def->triangleOrder == NULL)
        flaw = "triangleOrder is NULL, but order asks for it";
    return flaw;
}

GRZ_STATIC_ASSERT(GRZ_MESH_MAX_VERTICES == 1073741823 && GRZ_MESH_MAX_TRIANGLES == 357913941,
                  "as the sentences say");
GRZ_STATIC_ASSERT(GRZ_MESH_MAX_VERTICES < GRZ_FEATURE_LIMIT, "a feature can name every vertex");
GRZ_STATIC_ASSERT(3ull * GRZ_MESH_MAX_TRIANGLES < GRZ_FEATURE_LIMIT, "a feature can name every edge and triangle");

grzResult grzCheckMeshCounts(size_t vertexCount, size_t triangleCount) {
    if (vertexCount > GRZ_MESH_MAX_VERTICES)
        return grzBecause(grzFail(grz_tooLarge, vertexCount), "a mesh has at most 1073741823 vertices");
    if (triangleCount > GRZ_MESH_MAX_TRIANGLES)
        return grzBecause(grzFail(grz_tooLarge, triangleCount), "a mesh has at most 357913941 triangles");
    return grzOk();
}

grzResult grzMesh_CheckDef(const grzMeshDef* def) {
    const grzResult counts = grzCheckMeshCounts(def->vertexCount, def->triangleCount);
    if (counts.status != grz_ok)
        return counts;
    const char* flaw = flawOf(def);
    return flaw == NULL ? grzCheckAllocator(def->allocator, 1) : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

static bool isFinite(const void* vertex, grzNumberType type) {
    if (type == grz_float64) {
        double numbers[3];
        memcpy(numbers, vertex, sizeof numbers);
        return isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]);
    }
    float numbers[3];
    memcpy(numbers, vertex, sizeof numbers);
    return isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]);
}

static grzResult loadPositions(const grzMeshDef* def, unsigned char* positions) {
    const size_t size = 3 * numberSize(def->positionType);
    const size_t stride = def->positionStride != 0 ? def->positionStride : size;
    const unsigned char* from = def->positions;
    for (size_t i = 0; i < def->vertexCount; ++i) {
        if (!isFinite(from + i * stride, def->positionType))
            return grzFailAt(grz_notFinite, grz_partVertex, i, 0);
        memcpy(positions + i * size, from + i * stride, size);
    }
    return grzOk();
}

static void loadTriangle(const void* from, grzIndexType type, uint32_t triangle[3]) {
    if (type == grz_index32) {
        memcpy(triangle, from, 3 * sizeof(uint32_t));
        return;
    }
    uint16_t narrow[3];
    memcpy(narrow, from, sizeof narrow);
    for (int i = 0; i < 3; ++i)
        triangle[i] = narrow[i];
}

static grzResult loadTriangles(const grzMeshDef* def, uint32_t* triangles) {
    const size_t stride = def->triangleStride != 0 ? def->triangleStride : 3 * indexSize(def->indexType);
    const unsigned char* from = def->indices;
    for (size_t i = 0; i < def->triangleCount; ++i) {
        uint32_t* triangle = triangles + i * 3;
        loadTriangle(from + i * stride, def->indexType, triangle);
        for (int k = 0; k < 3; ++k)
            if (triangle[k] >= def->vertexCount)
                return grzFailAt(grz_indexTooLarge, grz_partTriangle, i, triangle[k]);
    }
    return grzOk();
}

grzResult grzMesh_LoadInput(const grzMeshDef* def, grzMeshMemory* memory, grzMeshInput* input) {
    input->positions = grzMeshMemory_Take(memory, def->vertexCount, 3 * numberSize(def->positionType));
    input->triangles = grzMeshMemory_Take(memory, def->triangleCount, 3 * sizeof(uint32_t));
    if (!grzMeshMemory_IsOk(memory))
        return memory->result;
    grzResult result = loadPositions(def, input->positions);
    return result.status == grz_ok ? loadTriangles(def, input->triangles) : result;
}
