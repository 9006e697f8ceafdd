// What: triangles of ccd_triangles.h; who stands in for whom is found in ccd_stand_ins.c.
#include "ccd_triangles.h"

#include <string.h>

#include "memory.h"
#include "result_make.h"

grzResult grzCcdTriangles_Make(CcdTriangles* triangles, const grzMesh* mesh, uint32_t firstRow,
                               const grzAllocator* allocator) {
    const grzMeshView view = grzMesh_GetView(mesh);
    triangles->count = view.triangleCount;
    if (view.triangleCount == 0)
        return grzOk();
    triangles->corners = grzAllocate(allocator, view.triangleCount, sizeof *triangles->corners, 64);
    triangles->edges = grzAllocate(allocator, view.triangleCount, 3 * sizeof *triangles->edges, 64);
    if (triangles->corners == NULL || triangles->edges == NULL)
        return grzNoMemory(view.triangleCount, sizeof *triangles->corners);
    for (uint32_t i = 0; i < view.triangleCount; ++i) {
        const uint32_t* corners = view.triangles + 3 * (size_t)i;
        triangles->corners[i] = (CcdTriangle){{firstRow + corners[0], firstRow + corners[1], firstRow + corners[2]},
                                              view.triangleOwns[i]};
    }
    memcpy(triangles->edges, view.triangleEdges, view.triangleCount * 3 * sizeof *triangles->edges);
    return grzOk();
}

void grzCcdTriangles_Release(CcdTriangles* triangles, const grzAllocator* allocator) {
    const size_t count = triangles->count;
    grzRelease(allocator, triangles->orphans, triangles->orphanCount, sizeof *triangles->orphans, 64);
    grzRelease(allocator, triangles->standIns, triangles->standInCount, sizeof *triangles->standIns, 64);
    grzRelease(allocator, triangles->starts, count + 1, sizeof *triangles->starts, 64);
    grzRelease(allocator, triangles->edges, count, 3 * sizeof *triangles->edges, 64);
    grzRelease(allocator, triangles->corners, count, sizeof *triangles->corners, 64);
}
