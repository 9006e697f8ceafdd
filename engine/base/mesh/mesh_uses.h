// The mesh shapes, cloths and animated bodies that point at a mesh.
#ifndef GRAZE_BASE_MESH_USES_H
#define GRAZE_BASE_MESH_USES_H

#include "graze/mesh.h"
#include "uses.h"

// NULL for NULL.
grzUses* grzMesh_Uses(const grzMesh* mesh);

#endif
