// What: which triangles hang together by shared vertices.
// Idea: a forest over the vertices (union_find.h); each triangle joins the trees of its corners.
// Holds: components are numbered by their lowest triangle in the caller's order, not in ours.
// Cost: O((V + T) log V) at worst, linear in practice. No recursion.
#include "mesh_parts.h"
#include "union_find.h"

// Numbers the roots, then gives each vertex the number of its root.
static uint32_t numberComponents(const grzMeshView* view, uint32_t* parents, uint32_t* components) {
    uint32_t count = 0;
    memset(components, 0xff, view->vertexCount * sizeof *components);
    for (uint32_t i = 0; i < view->triangleCount; ++i) {
        const uint32_t corner = view->triangles[(size_t)view->triangleFromCaller[i] * 3];
        const uint32_t root = grzFindRoot(parents, corner);
        if (components[root] == GRZ_MESH_NONE)
            components[root] = count++;
    }
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        components[v] = components[grzFindRoot(parents, v)];
    return count;
}

grzResult grzMesh_BuildComponents(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def;
    grzMeshView* view = &mesh->view;
    uint32_t* components = grzMeshMemory_TakeIndices(&mesh->memory, view->vertexCount);
    uint32_t* parents = grzMeshMemory_TakeIndices(scratch, view->vertexCount);
    if (components == NULL || parents == NULL)
        return components == NULL ? mesh->memory.result : scratch->result;
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        parents[v] = v;
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        const uint32_t* corners = view->triangles + (size_t)t * 3;
        grzUniteSets(parents, corners[0], corners[1]);
        grzUniteSets(parents, corners[0], corners[2]);
    }
    view->componentCount = numberComponents(view, parents, components);
    view->vertexComponents = components;
    return grzOk();
}
