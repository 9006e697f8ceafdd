// What: which triangles hang together by shared vertices.
// Idea: a forest over the vertices in which a parent is never higher than its child; each triangle joins the trees
//       of its corners, and a path is halved whenever it is walked.
// Holds: components are numbered by their lowest triangle in the caller's order, not in ours.
// Cost: O((V + T) log V) at worst, linear in practice. No recursion.
// Based on: [Tarjan, van Leeuwen, Worst-Case Analysis of Set Union Algorithms, JACM 1984]: path halving. We differ:
//           linking is by index, not by rank, which needs no second array and makes the lowest vertex the root.
#include "mesh_parts.h"

static uint32_t findRoot(uint32_t* parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

static void join(uint32_t* parents, uint32_t v, uint32_t w) {
    v = findRoot(parents, v);
    w = findRoot(parents, w);
    if (v < w)
        parents[w] = v;
    else
        parents[v] = w;
}

// Numbers the roots, then gives each vertex the number of its root.
static uint32_t numberComponents(const grzMeshView* view, uint32_t* parents, uint32_t* components) {
    uint32_t count = 0;
    memset(components, 0xff, view->vertexCount * sizeof *components);
    for (uint32_t i = 0; i < view->triangleCount; ++i) {
        const uint32_t corner = view->triangles[(size_t)view->triangleFromCaller[i] * 3];
        const uint32_t root = findRoot(parents, corner);
        if (components[root] == GRZ_MESH_NONE)
            components[root] = count++;
    }
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        components[v] = components[findRoot(parents, v)];
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
        join(parents, corners[0], corners[1]);
        join(parents, corners[0], corners[2]);
    }
    view->componentCount = numberComponents(view, parents, components);
    view->vertexComponents = components;
    return grzOk();
}
