// What: the triangles around each vertex, and the edges.    Idea: counting sort of corners (edge ends) by vertex.
// Holds: a row ascends and has no element twice: rows are filled in ascending order of triangles (edges).
// Cost: two sweeps; each writes where a vertex's row ends, which is near on a mesh with locality.
#include "mesh_parts.h"

// Whether corner k is the first of its triangle with that vertex.
static bool isFirstCorner(const uint32_t* corners, int k) {
    return k == 0 || (corners[k] != corners[0] && (k == 1 || corners[k] != corners[1]));
}

grzResult grzMesh_BuildRings(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def;
    grzMeshView* view = &mesh->view;
    uint32_t* starts = grzMeshMemory_TakeIndices(&mesh->memory, (size_t)view->vertexCount + 1);
    uint32_t* ends = grzMeshMemory_TakeIndices(scratch, view->vertexCount);
    if (starts == NULL || ends == NULL)
        return starts == NULL ? mesh->memory.result : scratch->result;
    grzMesh_ClearStarts(starts, view->vertexCount);
    for (size_t t = 0; t < view->triangleCount; ++t)
        for (int k = 0; k < 3; ++k)
            starts[view->triangles[t * 3 + (size_t)k] + 1] += isFirstCorner(view->triangles + t * 3, k);
    grzMesh_SumStarts(starts, ends, view->vertexCount);
    uint32_t* triangles = grzMeshMemory_TakeIndices(&mesh->memory, starts[view->vertexCount]);
    if (triangles == NULL)
        return mesh->memory.result;
    for (size_t t = 0; t < view->triangleCount; ++t) {
        const uint32_t* corners = view->triangles + t * 3;
        for (int k = 0; k < 3; ++k)
            if (isFirstCorner(corners, k))
                triangles[ends[corners[k]]++] = (uint32_t)t;
    }
    view->vertexTriangleStarts = starts;
    view->vertexTriangles = triangles;
    return grzOk();
}

// Edges ascend by (a, b), so a vertex meets first its edges to lower vertices, then those to higher ones: the
// neighbours ascend too.
grzResult grzMesh_BuildVertexEdges(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def;
    grzMeshView* view = &mesh->view;
    uint32_t* starts = grzMeshMemory_TakeIndices(&mesh->memory, (size_t)view->vertexCount + 1);
    uint32_t* edges = grzMeshMemory_TakeIndices(&mesh->memory, (size_t)view->edgeCount * 2);
    uint32_t* neighbours = grzMeshMemory_TakeIndices(&mesh->memory, (size_t)view->edgeCount * 2);
    uint32_t* ends = grzMeshMemory_TakeIndices(scratch, view->vertexCount);
    if (!grzMeshMemory_IsOk(&mesh->memory) || ends == NULL)
        return ends == NULL ? scratch->result : mesh->memory.result;
    grzMesh_ClearStarts(starts, view->vertexCount);
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        starts[view->edges[e].a + 1]++;
        starts[view->edges[e].b + 1]++;
    }
    grzMesh_SumStarts(starts, ends, view->vertexCount);
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        const grzMeshEdge edge = view->edges[e];
        const uint32_t atA = ends[edge.a]++, atB = ends[edge.b]++;
        edges[atA] = edges[atB] = e;
        neighbours[atA] = edge.b;
        neighbours[atB] = edge.a;
    }
    view->vertexEdgeStarts = starts;
    view->vertexEdges = edges;
    view->vertexNeighbours = neighbours;
    return grzOk();
}
