// What: the mesh-step query (graze/ccd_step.h) over a step of a mesh, beside lists of pairs that must be found: rows of the
//   case "frames" of the stage "ccd".
#ifndef GRAZE_BENCH_CCD_MESH_STEP_H
#define GRAZE_BENCH_CCD_MESH_STEP_H

#include "bench.h"
#include "graze/ccd.h"
#include "mesh_data.h"

// Pairs with their true answers, four vertices each.
typedef struct CcdList {
    const uint32_t* vertices;
    const uint8_t* truths;
    size_t count;
} CcdList;

// lists: by grzCcdKind.
void benchCcdMeshStep(Bench* bench, const char* name, const MeshData frames[2], const CcdList lists[2]);

#endif
