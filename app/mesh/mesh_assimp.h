// All mesh formats that graze does not read itself, by the Assimp library where the build found it.
#ifndef GRAZE_APP_MESH_ASSIMP_H
#define GRAZE_APP_MESH_ASSIMP_H

#include "mesh_data.h"

// Whether the name ends as one of Assimp's formats does; false without Assimp.
bool isKnownToAssimp(const char* path);

// All meshes of the file as its nodes place them, in float as Assimp holds them; vertices with equal coordinates
// are one, in the order of their first appearance (many formats repeat each corner of each triangle). A node that
// mirrors its mesh has its triangles turned, so that they face outward as before.
//
// Points and lines are skipped, and a warning is logged that says how many. A file whose name Assimp does not know,
// and what is no ordinary file (a pipe, a folder), is refused. Without Assimp the function fails with a sentence
// that says how to get it.
//
// The contract is mesh_read.h's, but for what is Assimp's: it takes memory and time of its own while it reads; some
// of its readers put right what others refuse (that of OFF turns an index that names no vertex into one that does);
// and they are not made for hostile files, on which the process may end.
bool readByAssimp(const char* path, grzAllocator allocator, MeshData* out, FileError* error);

#endif
