// What: a mesh whose vertices move a little in each step, to and fro, with its hierarchy and the boxes of each step.
// Holds: positions lie in the order of the hierarchy. A step moves no vertex by more than `part` of 2, about the size of the shapes
//   of shapes.h; neighbours move nearly alike. Step s of a run is step WavedMesh_Phase(s) of the arrays, so that runs can follow each
//   other without a jump.
#ifndef GRAZE_BENCH_WAVED_MESH_H
#define GRAZE_BENCH_WAVED_MESH_H

#include "bench.h"
#include "graze/bvh.h"
#include "mesh_data.h"

enum { WAVED_PHASES = 33, WAVED_STEPS = 2 * (WAVED_PHASES - 1) };

typedef struct WavedMesh {
    size_t vertexCount, triangleCount;
    uint32_t* triangles;
    float* positions; // of all phases
    grzBvh* bvh;
    grzBvhNode* nodes; // of all phases
    size_t nodeCount;
} WavedMesh;

// Takes the mesh's positions as floats, moved by `shift`; with waves that depend on the seed. False after Bench_Fail; to be dropped all
// the same.
bool WavedMesh_Make(Bench* bench, const MeshData* mesh, const float shift[3], double part, uint64_t seed,
                    WavedMesh* moving);
void WavedMesh_Drop(Bench* bench, WavedMesh* moving);

// 0 1 .. 32 31 .. 1 and again.
static inline size_t WavedMesh_Phase(size_t step) {
    const size_t at = step % WAVED_STEPS;
    return at < WAVED_PHASES ? at : WAVED_STEPS - at;
}

static inline const float* WavedMesh_Positions(const WavedMesh* moving, size_t step) {
    return moving->positions + 3 * moving->vertexCount * WavedMesh_Phase(step);
}

static inline const grzBvhNode* WavedMesh_Nodes(const WavedMesh* moving, size_t step) {
    return moving->nodes + moving->nodeCount * WavedMesh_Phase(step);
}

#endif
