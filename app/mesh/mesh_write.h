// MeshData and SequenceData to files.
//
// A writer takes all or nothing: on failure it returns false with one sentence in *error (NULL is fine), and a file
// that stood there before is as it was (byte_sink.h). What is written, the readers give back bit for bit; a
// number that is not finite is refused. Scratch memory comes from the data's own allocator.
#ifndef GRAZE_APP_MESH_WRITE_H
#define GRAZE_APP_MESH_WRITE_H

#include "byte_sink.h"
#include "mesh_data.h"
#include "ply_header.h"

// As PLY (binary, little-endian) or OBJ, as the name's ending says.
bool writeMesh(const char* path, const MeshData* mesh, FileError* error);

// Decimals are the shortest that read back as the same double, or the same float where the mesh holds floats (OBJ
// is read as double, which rounds to that float).
bool writeObj(const char* path, const MeshData* mesh, FileError* error);
// Float or double as the mesh has it.
bool writePly(const char* path, const MeshData* mesh, PlyForm form, FileError* error);
// PC2 has a start and a step in place of times: a sequence whose times are not evenly spaced is refused.
bool writePc2(const char* path, const SequenceData* sequence, FileError* error);
bool writeMdd(const char* path, const SequenceData* sequence, FileError* error);

// Whether writeMesh knows the name's ending, and a file can be written there now: to ask before a mesh is made.
bool meshCanBeWritten(const char* path, FileError* error);

// The same into any sink, for programs that need no file. Unchecked: numbers must be finite, and putPc2 wants
// evenly spaced times.
void putObj(ByteSink* sink, const MeshData* mesh);
void putPly(ByteSink* sink, const MeshData* mesh, PlyForm form);
void putPc2(ByteSink* sink, const SequenceData* sequence);
void putMdd(ByteSink* sink, const SequenceData* sequence);

#endif
