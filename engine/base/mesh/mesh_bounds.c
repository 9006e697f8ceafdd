// What: the box of a mesh. Exact: no arithmetic, only compares.
// Holds: vertices without a triangle touch nothing and do not count.
#include "mesh_parts.h"

grzResult grzMesh_BuildBounds(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def, (void)scratch;
    grzMeshView* view = &mesh->view;
    view->bounds = grzBoxd_Empty();
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        if (view->vertexOwners[v] != GRZ_MESH_NONE)
            view->bounds = grzBoxd_AddPoint(view->bounds, grzMesh_GetPosition(mesh, v));
    return grzOk();
}
