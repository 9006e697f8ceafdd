// Mesh files to MeshData.
//
// A reader takes all or nothing: it returns true, or false with *out empty and one sentence in *error (NULL is
// fine) that names the file and the line or byte. Memory comes from the allocator alone (all zeros: the default
// one) and no more of it is asked for than the bytes at hand can fill. Any thread may call; the locale does not
// matter.
//
// The same for all formats:
//   - A number that is not finite is refused, as is an index that names no vertex. (Of the formats that Assimp
//     reads, some come to us with such indices already put right.)
//   - Polygons become fans (polygon.h); a face of fewer than three corners is refused.
//   - Degenerate triangles, duplicates and unused vertices are kept, in the file's order. A mesh may have no
//     triangles; one without vertices is refused.
//   - Normals, texture coordinates, colours, groups and materials are not read.
#ifndef GRAZE_APP_MESH_READ_H
#define GRAZE_APP_MESH_READ_H

#include "mesh_data.h"

// Reads a file: by Assimp where the name ends as one of its formats does, .ply and .obj apart (mesh_assimp.h); else
// as PLY where it begins so or is called so, and as OBJ where its name ends in .obj. What is none of these is
// refused, so that no reader guesses.
bool readMesh(const char* path, grzAllocator allocator, MeshData* out, FileError* error);

// The same for text or bytes in memory; `name` is what errors call them.
//
// OBJ: positions are double, each the correctly rounded value of its decimals, since text has no precision of its
// own; whoever wants floats rounds them. What follows z on a line is not read. Negative indices count back from the
// newest vertex; an index of a vertex that comes later is refused. Unknown keywords are skipped.
bool readObj(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
             FileError* error);

// PLY 1.0, text and both binary forms: positions are float where the file says float (or integers of up to 16
// bits), else double, never rounded in binary. Triangle strips ("tristrips") are read too. Bytes behind the last
// element are refused, for they mean that the header was misread; white space is not.
bool readPly(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
             FileError* error);

#endif
