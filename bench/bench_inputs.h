// What cases run on: the mesh files of the command line, or generated shapes in their place.
#ifndef GRAZE_BENCH_INPUTS_H
#define GRAZE_BENCH_INPUTS_H

#include "bench.h"
#include "mesh_data.h"
#include "shapes.h"

// The mesh of --mesh (the first, or with `second` the second), else the shape with about n triangles. False after
// Bench_Fail. The name for the row, without folders, is good as long as the options.
bool Bench_Mesh(Bench* bench, bool second, ShapeKind shape, size_t n, MeshData* mesh, const char** name);

#endif
