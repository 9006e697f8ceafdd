// What: which vertices and triangles are there twice, and of which the first is.
// Idea: sort by the numbers themselves, least weighty first; equal ones are then neighbours, and because the sort
//       is stable and starts from the caller's order, the lowest leads each run. Most elements are spared the
//       sorting: a triangle by a look at its neighbours, a vertex by a table of hashes in which nobody else met
//       it. The hash only excludes; equality is decided by the sort, so an unlucky input costs the sorting and
//       nothing else.
// Holds: position equality is equality of bits after -0 became +0; triangle equality is that of the sorted corners.
// Cost: O(V + T).
#include "mesh_parts.h"

#include "hash.h"
#include "radix_sort.h"

// Elements to be compared, and the room to sort them.
typedef struct SortRoom {
    uint32_t* elements;
    uint32_t* scratchElements;
    uint64_t* keys;
    uint64_t* scratchKeys;
    uint32_t count;
} SortRoom;

static bool takeRoom(SortRoom* room, size_t capacity, grzMeshMemory* scratch) {
    room->elements = grzMeshMemory_TakeIndices(scratch, capacity);
    room->scratchElements = grzMeshMemory_TakeIndices(scratch, capacity);
    room->keys = grzMeshMemory_Take(scratch, capacity, sizeof(uint64_t));
    room->scratchKeys = grzMeshMemory_Take(scratch, capacity, sizeof(uint64_t));
    room->count = 0;
    return grzMeshMemory_IsOk(scratch);
}

static void sortRoom(SortRoom* room) {
    grzRadixSort64(room->keys, room->elements, room->scratchKeys, room->scratchElements, room->count);
}

typedef bool SameFn(const grzMeshView* view, uint32_t elementA, uint32_t elementB);

// The room's elements (the caller's numbers) are sorted so that equal ones are neighbours and the lowest leads.
static const grzMeshCopy* listCopies(grzMesh* mesh, const SortRoom* room, SameFn* same, uint32_t elementCount,
                                     uint32_t* copyCount, grzMeshMemory* scratch) {
    uint32_t* firsts = grzMeshMemory_TakeIndices(scratch, elementCount);
    if (firsts == NULL)
        return NULL;
    memset(firsts, 0xff, elementCount * sizeof *firsts);
    uint32_t count = 0;
    for (uint32_t i = 1, first = 0; i < room->count; ++i) {
        if (same(&mesh->view, room->elements[first], room->elements[i])) {
            firsts[room->elements[i]] = room->elements[first];
            count++;
        } else {
            first = i;
        }
    }
    grzMeshCopy* copies = grzMeshMemory_Take(&mesh->memory, count, sizeof *copies);
    for (uint32_t i = 0, at = 0; copies != NULL && at < count; ++i)
        if (firsts[i] != GRZ_MESH_NONE)
            copies[at++] = (grzMeshCopy){i, firsts[i]};
    *copyCount = count;
    return copies;
}

// The bits of a coordinate, -0 as +0.
static uint64_t coordinateBits(const grzMeshView* view, uint32_t callerVertex, int axis) {
    double position[3];
    grzMesh_LoadPosition(view, view->vertexFromCaller[callerVertex], position);
    const double number = position[axis] + 0.0;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static bool isSamePosition(const grzMeshView* view, uint32_t vertexA, uint32_t vertexB) {
    for (int axis = 0; axis < 3; ++axis)
        if (coordinateBits(view, vertexA, axis) != coordinateBits(view, vertexB, axis))
            return false;
    return true;
}

static uint64_t hashPosition(const grzMeshView* view, uint32_t callerVertex) {
    const uint64_t bits[3] = {coordinateBits(view, callerVertex, 0), coordinateBits(view, callerVertex, 1),
                              coordinateBits(view, callerVertex, 2)};
    return grzHashBytes(bits, sizeof bits, 0);
}

// Puts the vertices into the room that meet another one in a table of hashes, in ascending order.
static grzResult collectSuspects(const grzMeshView* view, SortRoom* room, grzMeshMemory* scratch) {
    size_t placeCount = 16;
    while (placeCount < (size_t)view->vertexCount * 4) // about one in five that has no copy is let through
        placeCount *= 2;
    uint8_t* isTaken = grzMeshMemory_Take(scratch, placeCount, 1);
    uint8_t* isShared = grzMeshMemory_Take(scratch, placeCount, 1);
    if (!grzMeshMemory_IsOk(scratch))
        return scratch->result;
    memset(isTaken, 0, placeCount);
    memset(isShared, 0, placeCount);
    for (uint32_t i = 0; i < view->vertexCount; ++i) {
        const size_t place = (size_t)hashPosition(view, i) & (placeCount - 1);
        isShared[place] = isTaken[place];
        isTaken[place] = 1;
    }
    for (uint32_t i = 0; i < view->vertexCount; ++i)
        if (isShared[(size_t)hashPosition(view, i) & (placeCount - 1)] != 0)
            room->elements[room->count++] = i;
    return grzOk();
}

static grzResult findVertexCopies(grzMesh* mesh, grzMeshMemory* scratch) {
    const grzMeshView* view = &mesh->view;
    SortRoom room;
    if (!takeRoom(&room, view->vertexCount, scratch))
        return scratch->result;
    grzResult result = collectSuspects(view, &room, scratch);
    if (result.status != grz_ok)
        return result;
    for (int axis = 2; axis >= 0; --axis) {
        for (uint32_t i = 0; i < room.count; ++i)
            room.keys[i] = coordinateBits(view, room.elements[i], axis);
        sortRoom(&room);
    }
    mesh->report.duplicateVertices =
        listCopies(mesh, &room, isSamePosition, view->vertexCount, &mesh->report.duplicateVertexCount, scratch);
    return grzMeshMemory_IsOk(scratch) ? mesh->memory.result : scratch->result;
}

static void sortThree(const uint32_t* corners, uint32_t sorted[3]) {
    const uint32_t a = corners[0], b = corners[1], c = corners[2];
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    sorted[0] = c < low ? c : low;
    sorted[1] = c < low ? low : c < high ? c : high;
    sorted[2] = c < high ? high : c;
}

static bool hasSameCorners(const grzMeshView* view, uint32_t t, uint32_t u) {
    uint32_t sortedT[3], sortedU[3];
    sortThree(view->triangles + (size_t)t * 3, sortedT);
    sortThree(view->triangles + (size_t)u * 3, sortedU);
    return memcmp(sortedT, sortedU, sizeof sortedT) == 0;
}

static bool isSameTriangle(const grzMeshView* view, uint32_t triangleA, uint32_t triangleB) {
    return hasSameCorners(view, view->triangleFromCaller[triangleA], view->triangleFromCaller[triangleB]);
}

// A copy shares all edges with its original. So a triangle that is alone at an edge has none, and where there are
// two, the other one must be it.
static bool mayHaveCopy(const grzMeshView* view, uint32_t t) {
    for (size_t i = 0; i < 3; ++i) {
        const uint32_t e = view->triangleEdges[(size_t)t * 3 + i];
        if (e == GRZ_MESH_NONE)
            continue;
        const uint32_t count = grzMesh_CountEdgeTriangles(view, e);
        if (count == 1 || (count == 2 && !hasSameCorners(view, t, view->triangleNeighbours[(size_t)t * 3 + i])))
            return false;
    }
    return true;
}

static grzResult findTriangleCopies(grzMesh* mesh, grzMeshMemory* scratch) {
    const grzMeshView* view = &mesh->view;
    SortRoom room;
    if (!takeRoom(&room, view->triangleCount, scratch))
        return scratch->result;
    for (uint32_t i = 0; i < view->triangleCount; ++i)
        if (mayHaveCopy(view, view->triangleFromCaller[i]))
            room.elements[room.count++] = i;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < room.count; ++i) {
            uint32_t sorted[3];
            sortThree(view->triangles + (size_t)view->triangleFromCaller[room.elements[i]] * 3, sorted);
            room.keys[i] = pass == 0 ? sorted[2] : (uint64_t)sorted[0] << 32 | sorted[1];
        }
        sortRoom(&room);
    }
    mesh->report.duplicateTriangles =
        listCopies(mesh, &room, isSameTriangle, view->triangleCount, &mesh->report.duplicateTriangleCount, scratch);
    return grzMeshMemory_IsOk(scratch) ? mesh->memory.result : scratch->result;
}

grzResult grzMesh_FindCopies(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def;
    grzResult result = findVertexCopies(mesh, scratch);
    if (result.status != grz_ok)
        return result;
    grzMeshMemory_Release(scratch);
    return findTriangleCopies(mesh, scratch);
}
