// What cases run on: the mesh files of the command line, or generated shapes in their place.
#ifndef GRAZE_BENCH_INPUTS_H
#define GRAZE_BENCH_INPUTS_H

#include "bench.h"
#include "bench_sequences.h"
#include "mesh_data.h"
#include "shapes.h"

// The mesh of --mesh (the first, or with `second` the second), else the shape with about n triangles. False after
// Bench_Fail. The name for the row, without folders, is good as long as the options.
bool Bench_Mesh(Bench* bench, bool second, ShapeKind shape, size_t n, MeshData* mesh, const char** name);

// The animation of --pc2 over the mesh of --mesh, else the generated sequence of about n triangles and that many
// frames, from the cache. False after Bench_Fail: too where only one of the two options is given, or they do not
// fit together.
bool Bench_Sequence(Bench* bench, const SequenceDef* def, MeshData* mesh, SequenceData* sequence,
                    const char** name);

#endif
