// What: gives every vertex and every edge one owning triangle, so that no vertex-face or edge-edge test runs twice.
// Holds: the owner is the lowest triangle, which is the first of its row; each owned thing is one bit of one
//        triangle, at the first corner or side that is it.
// Based on: [Curtis, Tamstorf, Manocha, Fast Collision Detection for Deformable Models using
//           Representative-Triangles, I3D 2008]. We differ: the lowest triangle is always the representative, so
//           the choice needs no state and can be checked.
#include "mesh_parts.h"

// The first of the triangle's three that is `wanted`; there is one.
static unsigned findFirst(const uint32_t* three, uint32_t wanted) {
    return three[0] == wanted ? 0 : three[1] == wanted ? 1 : 2;
}

grzResult grzMesh_BuildOwners(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def, (void)scratch;
    grzMeshView* view = &mesh->view;
    uint32_t* ofVertices = grzMeshMemory_TakeIndices(&mesh->memory, view->vertexCount);
    uint32_t* ofEdges = grzMeshMemory_TakeIndices(&mesh->memory, view->edgeCount);
    uint8_t* owns = grzMeshMemory_Take(&mesh->memory, view->triangleCount, sizeof *owns);
    if (!grzMeshMemory_IsOk(&mesh->memory))
        return mesh->memory.result;
    memset(owns, 0, view->triangleCount);
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        const uint32_t start = view->vertexTriangleStarts[v];
        const bool isUsed = start != view->vertexTriangleStarts[v + 1];
        ofVertices[v] = isUsed ? view->vertexTriangles[start] : GRZ_MESH_NONE;
        if (isUsed)
            owns[ofVertices[v]] |=
                (uint8_t)GRZ_MESH_OWNS_CORNER(findFirst(view->triangles + (size_t)ofVertices[v] * 3, v));
    }
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        ofEdges[e] = view->edgeTriangles[view->edgeTriangleStarts[e]];
        owns[ofEdges[e]] |= (uint8_t)GRZ_MESH_OWNS_EDGE(findFirst(view->triangleEdges + (size_t)ofEdges[e] * 3, e));
    }
    view->vertexOwners = ofVertices;
    view->edgeOwners = ofEdges;
    view->triangleOwns = owns;
    return grzOk();
}
