// What: the unique edges of a mesh, the triangles of each, and who lies across each side of a triangle.
// Idea: every triangle side is a half-edge (a, b) with a < b. Two counting sorts, by b and then by a, bring equal
//       ones together; both are stable, so within an edge the triangles ascend. No hashing, so no unlucky input.
//
//         triangles 0 = 4 2 7, 1 = 2 4 9      sorted sides  2-4:0 2-4:1 | 2-7:0 | 2-9:1 | 4-7:0 | 4-9:1
//
// Holds: edges ascend by (a, b); a row of triangles ascends, is not empty, and names a triangle once, even where
//        two of its sides are the same edge (a repeated index).
// Cost: O(V + T); 48 bytes of scratch a triangle. A fan or a bundle of any size costs no more than a grid.
#include "mesh_parts.h"

// A half-edge, known by its place among the 3T sides, with the vertex that it is not sorted by.
typedef struct Side {
    uint32_t other, place;
} Side;

typedef struct SideTable {
    uint32_t* starts; // row a: the sides from a, ascending by (other, place)
    uint32_t* ends;
    Side* byUpper;
    Side* byLower;
} SideTable;

static grzMeshEdge sideOf(const uint32_t* corners, uint32_t i) {
    const uint32_t from = corners[i], to = corners[i == 2 ? 0 : i + 1];
    grzMeshEdge side = {from < to ? from : to, from < to ? to : from};
    return side;
}

static bool takeSides(SideTable* sides, const grzMeshView* view, grzMeshMemory* scratch) {
    sides->starts = grzMeshMemory_TakeIndices(scratch, (size_t)view->vertexCount + 1);
    sides->ends = grzMeshMemory_TakeIndices(scratch, view->vertexCount);
    sides->byUpper = grzMeshMemory_Take(scratch, (size_t)view->triangleCount * 3, sizeof(Side));
    sides->byLower = grzMeshMemory_Take(scratch, (size_t)view->triangleCount * 3, sizeof(Side));
    return grzMeshMemory_IsOk(scratch);
}

static void sortByUpper(SideTable* sides, const grzMeshView* view) {
    grzMesh_ClearStarts(sides->starts, view->vertexCount);
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        for (uint32_t i = 0; i < 3; ++i) {
            const grzMeshEdge side = sideOf(view->triangles + (size_t)t * 3, i);
            sides->starts[side.b + 1] += side.a != side.b;
        }
    }
    grzMesh_SumStarts(sides->starts, sides->ends, view->vertexCount);
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        for (uint32_t i = 0; i < 3; ++i) {
            const grzMeshEdge side = sideOf(view->triangles + (size_t)t * 3, i);
            if (side.a != side.b)
                sides->byUpper[sides->ends[side.b]++] = (Side){side.a, t * 3 + i};
        }
    }
}

static void sortByLower(SideTable* sides, const grzMeshView* view) {
    const uint32_t sideCount = sides->starts[view->vertexCount];
    uint32_t* upperEnds = sides->ends; // the end of each row of byUpper, as sortByUpper left it
    grzMesh_ClearStarts(sides->starts, view->vertexCount);
    for (uint32_t i = 0; i < sideCount; ++i)
        sides->starts[sides->byUpper[i].other + 1]++;
    // Row r of byLower starts at starts[r]; while filling, starts[r] advances to the start of r + 1.
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        sides->starts[v + 1] += sides->starts[v];
    for (uint32_t b = 0, i = 0; b < view->vertexCount; ++b) {
        for (; i < upperEnds[b]; ++i) {
            const Side side = sides->byUpper[i];
            sides->byLower[sides->starts[side.other]++] = (Side){b, side.place};
        }
    }
    // Now starts[r] is the end of row r: move each one place on.
    memmove(sides->starts + 1, sides->starts, view->vertexCount * sizeof *sides->starts);
    sides->starts[0] = 0;
}

// The end of the run of sides that are the same edge as side i of the row that ends at rowEnd.
static uint32_t runEnd(const SideTable* sides, uint32_t i, uint32_t rowEnd) {
    const uint32_t other = sides->byLower[i].other;
    while (i < rowEnd && sides->byLower[i].other == other)
        ++i;
    return i;
}

static uint32_t countEdges(const SideTable* sides, const grzMeshView* view) {
    uint32_t count = 0;
    for (uint32_t a = 0; a < view->vertexCount; ++a)
        for (uint32_t i = sides->starts[a]; i < sides->starts[a + 1]; ++i)
            count += i == sides->starts[a] || sides->byLower[i].other != sides->byLower[i - 1].other;
    return count;
}

typedef struct EdgeArrays {
    grzMeshEdge* edges;
    uint32_t *starts, *triangles; // of edges
    uint32_t *ofTriangles, *neighbours;
} EdgeArrays;

static bool takeEdges(EdgeArrays* arrays, const grzMeshView* view, uint32_t sideCount, grzMeshMemory* memory) {
    arrays->edges = grzMeshMemory_Take(memory, view->edgeCount, sizeof(grzMeshEdge));
    arrays->starts = grzMeshMemory_TakeIndices(memory, (size_t)view->edgeCount + 1);
    arrays->triangles = grzMeshMemory_TakeIndices(memory, sideCount);
    arrays->ofTriangles = grzMeshMemory_TakeIndices(memory, (size_t)view->triangleCount * 3);
    arrays->neighbours = grzMeshMemory_TakeIndices(memory, (size_t)view->triangleCount * 3);
    return grzMeshMemory_IsOk(memory);
}

// Writes edge e, whose sides are `count` from `run` on. Its row starts where the row before ended.
static void writeEdge(EdgeArrays* arrays, uint32_t e, const Side* run, uint32_t count) {
    uint32_t* row = arrays->triangles + arrays->starts[e];
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t t = run[i].place / 3;
        if (length == 0 || row[length - 1] != t)
            row[length++] = t;
    }
    arrays->starts[e + 1] = arrays->starts[e] + length;
    for (uint32_t i = 0, at = 0; i < count; ++i) {
        at += row[at] != run[i].place / 3;
        arrays->ofTriangles[run[i].place] = e;
        arrays->neighbours[run[i].place] = length == 1 ? GRZ_MESH_NONE : row[at + 1 == length ? 0 : at + 1];
    }
}

static void writeEdges(EdgeArrays* arrays, const SideTable* sides, const grzMeshView* view) {
    // What stays so are the sides that join a vertex with itself.
    memset(arrays->ofTriangles, 0xff, (size_t)view->triangleCount * 3 * sizeof(uint32_t));
    memset(arrays->neighbours, 0xff, (size_t)view->triangleCount * 3 * sizeof(uint32_t));
    arrays->starts[0] = 0;
    uint32_t e = 0;
    for (uint32_t a = 0; a < view->vertexCount; ++a) {
        for (uint32_t i = sides->starts[a]; i < sides->starts[a + 1];) {
            const uint32_t end = runEnd(sides, i, sides->starts[a + 1]);
            arrays->edges[e] = (grzMeshEdge){a, sides->byLower[i].other};
            writeEdge(arrays, e++, sides->byLower + i, end - i);
            i = end;
        }
    }
}

grzResult grzMesh_BuildEdges(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def;
    grzMeshView* view = &mesh->view;
    SideTable sides;
    if (!takeSides(&sides, view, scratch))
        return scratch->result;
    sortByUpper(&sides, view);
    sortByLower(&sides, view);
    view->edgeCount = countEdges(&sides, view);
    EdgeArrays arrays;
    if (!takeEdges(&arrays, view, sides.starts[view->vertexCount], &mesh->memory))
        return mesh->memory.result;
    writeEdges(&arrays, &sides, view);
    view->edges = arrays.edges;
    view->edgeTriangleStarts = arrays.starts;
    view->edgeTriangles = arrays.triangles;
    view->triangleEdges = arrays.ofTriangles;
    view->triangleNeighbours = arrays.neighbours;
    return grzOk();
}
