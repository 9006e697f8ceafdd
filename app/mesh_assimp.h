// All mesh formats that graze does not read itself, by the Assimp library where the build found it.
#ifndef GRAZE_APP_MESH_ASSIMP_H
#define GRAZE_APP_MESH_ASSIMP_H

#include "mesh_data.h"

// All meshes of the file as its nodes place them, in float as Assimp holds them; vertices with equal coordinates
// are one, in the order of their first appearance (many formats repeat each corner of each triangle). A node that
// mirrors its mesh has its triangles turned, so that they face outward as before. Polygons are cut by Assimp.
// Points and lines are skipped, and a warning is logged that says how many. The contract is mesh_read.h's, but for
// memory: Assimp takes its own while it reads. Without Assimp it fails with a sentence that says how to get it.
bool readByAssimp(const char* path, grzAllocator allocator, MeshData* out, FileError* error);

#endif
