// What: gives vertices and triangles the mesh's own numbers, and keeps the way back.
// Idea: a triangle order is a permutation; vertices are then numbered as they are first met, so that what is near
//       in the triangle list is near in memory. Along a Morton curve, near in the list is near in space.
//
//         caller's triangles   2 7 4 | 4 7 9 | ...   becomes   0 1 2 | 2 1 3 | ...
//
// Holds: the two maps of each pair are inverse permutations; ties on the curve fall by the caller's number, and
//        vertices without a triangle come last in the caller's order, so the result depends on the input alone.
// Based on: [Morton, A Computer Oriented Geodetic Data Base, IBM 1966]
#include "mesh_parts.h"

#include <string.h>

#include "radix_sort.h"

enum { MORTON_BITS = 21 }; // per axis: three make a key of 63 bits

// Spreads the low 21 bits of x to every third bit.
static uint64_t spreadBits(uint64_t x) {
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    x = (x | x << 2) & 0x1249249249249249u;
    return x;
}

// Half the centre of a triangle's box: halves, because the sum of two doubles may overflow.
static void loadHalfCentre(const grzMeshView* given, uint32_t triangle, double centre[3]) {
    grzMeshCorners corners;
    grzMesh_LoadCorners(given, triangle, &corners);
    for (int axis = 0; axis < 3; ++axis) {
        double lower = corners.at[0][axis], upper = corners.at[0][axis];
        for (int k = 1; k < 3; ++k) {
            lower = corners.at[k][axis] < lower ? corners.at[k][axis] : lower;
            upper = corners.at[k][axis] > upper ? corners.at[k][axis] : upper;
        }
        centre[axis] = lower * 0.25 + upper * 0.25;
    }
}

// The lowest half centre, and the largest side of the box of all of them.
static double findCentreBox(const grzMeshView* given, double lower[3]) {
    double upper[3] = {0, 0, 0};
    for (uint32_t t = 0; t < given->triangleCount; ++t) {
        double centre[3];
        loadHalfCentre(given, t, centre);
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = t == 0 || centre[axis] < lower[axis] ? centre[axis] : lower[axis];
            upper[axis] = t == 0 || centre[axis] > upper[axis] ? centre[axis] : upper[axis];
        }
    }
    double extent = 0;
    for (int axis = 0; axis < 3; ++axis)
        extent = upper[axis] - lower[axis] > extent ? upper[axis] - lower[axis] : extent;
    return extent;
}

static uint64_t mortonKey(const double centre[3], const double lower[3], double extent) {
    const double cells = (double)(1u << MORTON_BITS);
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double place = extent > 0 ? (centre[axis] - lower[axis]) / extent * cells : 0;
        key |= spreadBits(place < cells - 1 ? (uint64_t)place : (1u << MORTON_BITS) - 1) << axis;
    }
    return key;
}

static grzResult sortAlongCurve(const grzMeshView* given, uint32_t* order, grzMeshMemory* scratch) {
    const uint32_t count = given->triangleCount;
    uint64_t* keys = grzMeshMemory_Take(scratch, count, sizeof *keys);
    uint64_t* scratchKeys = grzMeshMemory_Take(scratch, count, sizeof *keys);
    uint32_t* scratchOrder = grzMeshMemory_TakeIndices(scratch, count);
    if (!grzMeshMemory_IsOk(scratch))
        return scratch->result;
    double lower[3] = {0, 0, 0};
    const double extent = findCentreBox(given, lower);
    for (uint32_t t = 0; t < count; ++t) {
        double centre[3];
        loadHalfCentre(given, t, centre);
        keys[t] = mortonKey(centre, lower, extent);
        order[t] = t;
    }
    grzRadixSort64(keys, order, scratchKeys, scratchOrder, count);
    return grzOk();
}

// Refuses what is no permutation, and names its first wrong element.
static grzResult invert(const uint32_t* order, uint32_t* inverse, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        inverse[i] = GRZ_MESH_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        const grzResult wrong = grzFailAt(grz_badArgument, grz_partElement, i, 1);
        if (order[i] >= count)
            return grzBecause(wrong, "triangleOrder names a triangle that is not there");
        if (inverse[order[i]] != GRZ_MESH_NONE)
            return grzBecause(wrong, "triangleOrder names a triangle for the second time");
        inverse[order[i]] = i;
    }
    return grzOk();
}

static void numberByFirstTouch(const grzMeshView* given, const uint32_t* triangleOrder, uint32_t* toCaller,
                               uint32_t* fromCaller) {
    for (uint32_t v = 0; v < given->vertexCount; ++v)
        fromCaller[v] = GRZ_MESH_NONE;
    uint32_t count = 0;
    for (uint32_t t = 0; t < given->triangleCount; ++t) {
        const uint32_t* corners = given->triangles + (size_t)triangleOrder[t] * 3;
        for (int k = 0; k < 3; ++k) {
            if (fromCaller[corners[k]] == GRZ_MESH_NONE) {
                fromCaller[corners[k]] = count;
                toCaller[count++] = corners[k];
            }
        }
    }
    for (uint32_t v = 0; v < given->vertexCount; ++v) {
        if (fromCaller[v] == GRZ_MESH_NONE) {
            fromCaller[v] = count;
            toCaller[count++] = v;
        }
    }
}

// Takes the caller's arrays over into the mesh's numbers.
static grzResult permute(grzMesh* mesh, const grzMeshView* given) {
    const size_t size = 3 * (given->positions64 != NULL ? sizeof(double) : sizeof(float));
    const unsigned char* from = given->positions64 != NULL ? (const unsigned char*)given->positions64
                                                           : (const unsigned char*)given->positions32;
    unsigned char* positions = grzMeshMemory_Take(&mesh->memory, given->vertexCount, size);
    uint32_t* triangles = grzMeshMemory_TakeIndices(&mesh->memory, (size_t)given->triangleCount * 3);
    if (!grzMeshMemory_IsOk(&mesh->memory))
        return mesh->memory.result;
    for (uint32_t v = 0; v < given->vertexCount; ++v)
        memcpy(positions + v * size, from + mesh->view.vertexToCaller[v] * size, size);
    for (uint32_t t = 0; t < given->triangleCount; ++t) {
        const uint32_t* corners = given->triangles + (size_t)mesh->view.triangleToCaller[t] * 3;
        for (size_t k = 0; k < 3; ++k)
            triangles[(size_t)t * 3 + k] = mesh->view.vertexFromCaller[corners[k]];
    }
    mesh->view.triangles = triangles;
    mesh->view.positions32 = given->positions32 != NULL ? (const float*)(const void*)positions : NULL;
    mesh->view.positions64 = given->positions64 != NULL ? (const double*)(const void*)positions : NULL;
    return grzOk();
}

static void numberAsGiven(uint32_t* to, uint32_t* from, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        to[i] = from[i] = i;
}

static grzResult orderTriangles(const grzMeshDef* def, const grzMeshView* given, uint32_t* toCaller,
                                uint32_t* fromCaller, grzMeshMemory* scratch) {
    numberAsGiven(toCaller, fromCaller, given->triangleCount);
    if (def->order == grz_orderMorton) {
        grzResult result = sortAlongCurve(given, toCaller, scratch);
        if (result.status != grz_ok)
            return result;
    } else if (def->order == grz_orderByTriangles && given->triangleCount != 0) {
        memcpy(toCaller, def->triangleOrder, given->triangleCount * sizeof *toCaller);
    }
    return invert(toCaller, fromCaller, given->triangleCount);
}

static grzResult takeMaps(grzMesh* mesh, const grzMeshDef* def, const grzMeshView* given, grzMeshMemory* scratch) {
    uint32_t* vertexToCaller = grzMeshMemory_TakeIndices(&mesh->memory, given->vertexCount);
    uint32_t* vertexFromCaller = grzMeshMemory_TakeIndices(&mesh->memory, given->vertexCount);
    uint32_t* triangleToCaller = grzMeshMemory_TakeIndices(&mesh->memory, given->triangleCount);
    uint32_t* triangleFromCaller = grzMeshMemory_TakeIndices(&mesh->memory, given->triangleCount);
    if (!grzMeshMemory_IsOk(&mesh->memory))
        return mesh->memory.result;
    grzResult result = orderTriangles(def, given, triangleToCaller, triangleFromCaller, scratch);
    if (result.status != grz_ok)
        return result;
    if (def->order == grz_orderAsGiven)
        numberAsGiven(vertexToCaller, vertexFromCaller, given->vertexCount);
    else
        numberByFirstTouch(given, triangleToCaller, vertexToCaller, vertexFromCaller);
    mesh->view.vertexToCaller = vertexToCaller;
    mesh->view.vertexFromCaller = vertexFromCaller;
    mesh->view.triangleToCaller = triangleToCaller;
    mesh->view.triangleFromCaller = triangleFromCaller;
    return grzOk();
}

grzResult grzMesh_BuildOrder(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    const bool asGiven = def->order == grz_orderAsGiven;
    grzMeshInput input;
    grzResult result = grzMesh_LoadInput(def, asGiven ? &mesh->memory : scratch, &input);
    if (result.status != grz_ok)
        return result;
    grzMeshView given = {.vertexCount = (uint32_t)def->vertexCount,
                         .triangleCount = (uint32_t)def->triangleCount,
                         .positionType = def->positionType,
                         .triangles = input.triangles};
    given.positions32 = def->positionType == grz_float32 ? input.positions : NULL;
    given.positions64 = def->positionType == grz_float64 ? input.positions : NULL;
    mesh->view = given;
    result = takeMaps(mesh, def, &given, scratch);
    return result.status != grz_ok || asGiven ? result : permute(mesh, &given);
}
