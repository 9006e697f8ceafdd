// What: how a mesh lies in memory, and the stages that fill it, each in a file of its own.
//
//   mesh_input       positions and triangles, checked, in the caller's numbers
//   mesh_order       the mesh's numbers and the maps
//   mesh_rings       triangles, later edges, around vertices
//   mesh_edges       unique edges, their triangles, neighbours
//   mesh_owners      who tests what
//   mesh_bounds      the box
//   mesh_components  what hangs together
//   mesh_defects     the report: area, boundary, orientation
//   mesh_copies      the report: what is there twice
//
// Holds: a stage reads what the stages before it made, takes memory for what stays from mesh->memory and for the
// rest from its scratch, and fails only where memory is refused (or, the first, where the input is). A failed
// create releases both, so no stage cleans up. Threads: create runs on one; afterwards nothing changes.
#ifndef GRAZE_BASE_MESH_PARTS_H
#define GRAZE_BASE_MESH_PARTS_H

#include "graze/mesh.h"

#include <string.h>

#include "memory.h"
#include "result_make.h"
#include "uses.h"

enum {
    GRZ_MESH_BLOCK_MAX = 40, // more than the arrays of a mesh; a mesh has a fixed number of them
    GRZ_MESH_ALIGNMENT = 64,
};

typedef struct grzMeshBlock {
    void* data;
    size_t count, size;
} grzMeshBlock;

// Arrays that are released together. After the first refusal `result` keeps it.
typedef struct grzMeshMemory {
    grzAllocator allocator;
    grzResult result;
    size_t blockCount;
    grzMeshBlock blocks[GRZ_MESH_BLOCK_MAX];
} grzMeshMemory;

// At least one element is taken, so that NULL always means refused.
void* grzMeshMemory_Take(grzMeshMemory* memory, size_t count, size_t size);
void grzMeshMemory_Release(grzMeshMemory* memory);

static inline uint32_t* grzMeshMemory_TakeIndices(grzMeshMemory* memory, size_t count) {
    return (uint32_t*)grzMeshMemory_Take(memory, count, sizeof(uint32_t));
}

static inline bool grzMeshMemory_IsOk(const grzMeshMemory* memory) {
    return memory->result.status == grz_ok;
}

struct grzMesh {
    grzMeshMemory memory;
    grzUses ownUses, *uses; // uses: of a mesh that is const to those who count
    grzMeshView view;
    grzMeshReport report;
};

// The arrays of the def, checked and tight, in the caller's numbers.
typedef struct grzMeshInput {
    void* positions;
    uint32_t* triangles;
} grzMeshInput;

// Both fail as grzMesh_Create says. Load allocates from the memory it is given.
grzResult grzMesh_CheckDef(const grzMeshDef* def);
grzResult grzMesh_LoadInput(const grzMeshDef* def, grzMeshMemory* memory, grzMeshInput* input);

// The stages, in their order. Scratch is empty before and released after each.
typedef grzResult grzMeshStage(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch);
grzMeshStage grzMesh_BuildOrder;
grzMeshStage grzMesh_BuildRings;
grzMeshStage grzMesh_BuildEdges;
grzMeshStage grzMesh_BuildVertexEdges;
grzMeshStage grzMesh_BuildOwners;
grzMeshStage grzMesh_BuildBounds;
grzMeshStage grzMesh_BuildComponents;
grzMeshStage grzMesh_FindDefects;
grzMeshStage grzMesh_FindCopies;

// Returns NULL, or the sentence that does not hold. The report's check rests on a sound view.
typedef const char* grzMeshCheck(const grzMesh* mesh);
grzMeshCheck grzMesh_CheckReport;

// Whether a loop over the triangles is worth a team of OpenMP's threads (openmp.h): there are enough of them, and
// the thread is no worker of a grzTasks.
bool grzMesh_IsWorthATeam(const grzMeshView* view);

static inline bool grzMesh_HasRepeatedIndex(const grzMeshView* view, uint32_t triangle) {
    const uint32_t* corners = view->triangles + (size_t)triangle * 3;
    return corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
}

// How many triangles edge e has.
static inline uint32_t grzMesh_CountEdgeTriangles(const grzMeshView* view, uint32_t e) {
    return view->edgeTriangleStarts[e + 1] - view->edgeTriangleStarts[e];
}

static inline void grzMesh_LoadPosition(const grzMeshView* view, uint32_t vertex, double position[3]) {
    const size_t at = (size_t)vertex * 3;
    for (size_t i = 0; i < 3; ++i)
        position[i] = view->positions64 != NULL ? view->positions64[at + i] : (double)view->positions32[at + i];
}

typedef struct grzMeshCorners {
    double at[3][3];
} grzMeshCorners;

static inline void grzMesh_LoadCorners(const grzMeshView* view, uint32_t triangle, grzMeshCorners* corners) {
    for (size_t k = 0; k < 3; ++k)
        grzMesh_LoadPosition(view, view->triangles[(size_t)triangle * 3 + k], corners->at[k]);
}

// The starts of compressed rows: clear, count row r in starts[r + 1], then sum. `ends` gets each row's start as
// well, to be advanced while the rows are filled.
static inline void grzMesh_ClearStarts(uint32_t* starts, size_t rowCount) {
    memset(starts, 0, (rowCount + 1) * sizeof *starts);
}

static inline void grzMesh_SumStarts(uint32_t* starts, uint32_t* ends, size_t rowCount) {
    for (size_t i = 0; i < rowCount; ++i) {
        ends[i] = starts[i];
        starts[i + 1] += starts[i];
    }
}

#endif
