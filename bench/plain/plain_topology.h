// The edges and neighbours of a triangle mesh by sorting, the plain way: what a grzMesh must come to.
#ifndef GRAZE_BENCH_PLAIN_TOPOLOGY_H
#define GRAZE_BENCH_PLAIN_TOPOLOGY_H

#include "graze/mesh.h"
#include "mesh_data.h"

typedef struct PlainTopology {
    grzAllocator allocator;
    size_t triangleCount;
    grzMeshEdge* edges; // edgeCount, ascending; room for three a triangle
    size_t edgeCount;
    uint32_t* neighbours; // as grzMeshView.triangleNeighbours
} PlainTopology;

// False where memory is refused; nothing is to be released then.
bool PlainTopology_Make(PlainTopology* topology, const MeshData* mesh, grzAllocator allocator);
void PlainTopology_Release(PlainTopology* topology);

// Whether the view, in the caller's order, has these edges and neighbours, and the mesh's triangles.
bool PlainTopology_Equals(const PlainTopology* topology, const MeshData* mesh, const grzMeshView* view);

#endif
