// Equal vertices made one.
#ifndef GRAZE_APP_VERTEX_WELD_H
#define GRAZE_APP_VERTEX_WELD_H

#include "mesh_data.h"

// Makes one vertex of those whose coordinates are equal as numbers (so 0 is -0), in the order of their first
// appearance, and renames the corners. For float meshes with finite coordinates. On failure the mesh is as it was.
// Cost: O(n) expected; 8 to 16 bytes a vertex, and a second mesh, for the time of the call.
grzResult MeshData_Weld(MeshData* mesh);

#endif
