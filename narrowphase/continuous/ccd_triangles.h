// What: a mesh's triangles as pairs of them are decided, and which pair of triangles tests which pair of features.
// Idea: two features are tested by the pair of their owners (graze/mesh.h). Against itself, where pairs that share a vertex are not
//   listed, some owners share one. Then the first other pair of triangles that have the two features and no common vertex stands in
//   for the owners:
//
//       o---o           The owner of v is A. A and f share a vertex, B and f do not.
//      / A / .          v against f is tested by the pair (B, f): where v is on f, B and f have a point in common.
//     f---v   .
//      .   . B .        If no triangle of v were apart from f, v against f would be an orphan, which is always tested.
//       o---o---o
//
// Holds: every pair of features without a common vertex is tested by one pair of triangles, once. Orphans and pairs that share a
//   vertex grow as the square of how many triangles a vertex has.
// Based on: [Tang, Curtis, Yoon, Manocha, ICCD: Interactive Continuous Collision Detection between Deformable Models Using
//   Connectivity-Based Culling, TVCG 2009] for orphans. We differ: stand-ins are found once, and are the first.
#ifndef GRAZE_NARROWPHASE_CCD_TRIANGLES_H
#define GRAZE_NARROWPHASE_CCD_TRIANGLES_H

#include "ccd_meet_kernel.h"
#include "graze/host.h"
#include "graze/mesh.h"
#include "graze/result.h"

// Tests (ccd_meet_kernel.h) of a pair (a, b) beside those of its own features.
typedef struct CcdStandIn {
    uint32_t b, tests;
} CcdStandIn;

typedef struct CcdOrphans {
    uint32_t a, b, tests;
} CcdOrphans;

typedef struct CcdTriangles {
    uint32_t count;
    CcdTriangle* corners; // names of rows, as those of CcdSet
    uint32_t* edges;      // three each, numbers of the mesh
    // Against itself; else NULL. Of pairs (a, b), a < b: standIns[starts[a]] ... standIns[starts[a + 1] - 1], b rising.
    uint32_t* starts;
    CcdStandIn* standIns;
    CcdOrphans* orphans;
    uint32_t standInCount, orphanCount;
} CcdTriangles;

// `triangles` is zeros. A refusal (grz_outOfMemory, or grz_tooLarge: 2^32 stand-ins) leaves what Release takes.
grzResult grzCcdTriangles_Make(CcdTriangles* triangles, const grzMesh* mesh, uint32_t firstRow,
                               const grzAllocator* allocator);
// What a mesh takes against itself; after Make.
grzResult grzCcdTriangles_MakeStandIns(CcdTriangles* triangles, const grzMesh* mesh, const grzAllocator* allocator);
void grzCcdTriangles_Release(CcdTriangles* triangles, const grzAllocator* allocator);

// Tests of the features that two triangles own.
static inline uint32_t CcdTriangle_OwnTests(uint32_t ownsA, uint32_t ownsB) {
    const uint32_t edges = ownsA >> 3, spread = (edges & 1) | (edges & 2) << 2 | (edges & 4) << 4;
    return (ownsA & 7) | (ownsB & 7) << 3 | (spread * (ownsB >> 3)) << CCD_MEET_FACES;
}

#endif
