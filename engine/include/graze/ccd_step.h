// All impacts of a step: a mesh that moves from one set of positions to another against itself, or two such meshes. Every vertex
// along a line, from t = 0 to t = 1.
//
//   grzCcdStepDef def = grzDefaultCcdStepDef();
//   def.meshA = mesh;                                           // meshB: another one; NULL: against itself
//   grzCcdStep* step;
//   grzResult result = grzCcdStep_Create(&def, &step);
//   ...each step:
//   grzCcdStepQuery query = grzDefaultCcdStepQuery();
//   query.a.start = positions, query.a.end = nextPositions;
//   result = grzCcdStep_Find(step, tasks, &query);
//   grzCcdStepView found = grzCcdStep_GetView(step);            // found.impacts[0 .. found.count)
//
// If the pairs of triangles that may touch are known, grzCcdStep_Decide finds the same impacts from them.
//
// What is asked. Vertices against triangles and edges against edges: all pairs that do not share a vertex of the mesh, each
// once. Between two meshes also the triangles of A against the vertices of B. The features are grzMesh's, by its numbers, so
// that an edge is one however many triangles have it; a vertex without a triangle is part of no surface and is passed over.
// Triangles without area and edges without length are features like others. What is answered is that of graze/ccd.h:
// exact, each impact with its certainty; there is no tolerance and no limit to the count.
//
// Surfaces that do not meet at the start and have no impact do not meet at the end or between: where triangles come to
// meet, a vertex is in a triangle first, or an edge is on an edge.
//
// How. Each kind of feature has a hierarchy (graze/bvh.h) of boxes that hold it at both ends of the step; pairs of
// features whose boxes overlap are the candidates, which go through the stages of graze/ccd.h many at a time. Order and
// memory are kept from step to step; where the hierarchies' order has become twice as bad as it was when made, they are
// ordered anew.
//
// Ownership: copies the meshes' topology, which may go after Create; the step's positions are read during Find only. What is
// found belongs to the step object and lives until the next Find or its Destroy. Threads: one at a time; the work runs on
// the given tasks. The same bytes for any number of workers and at every SIMD level, whatever was asked before. Rounding must be to
// nearest; numbers below the normal ones are numbers in all modes of the processor, which Find sets and puts back. After
// warm-up nothing is allocated. Memory, with V vertices, E edges and T triangles of a closed mesh: some 64 V + 100 E + 100 T bytes for floats and 330
// T more for doubles; and 28 bytes an impact twice, while sorting thrice. A task takes 64 KiB of its worker's stack, and
// 160 KiB more for a query that needs many bits.
// [Provot, Collision and self-collision handling in cloth model dedicated to design garments, 1997] for the two kinds;
// [Curtis, Tamstorf, Manocha, Fast Collision Detection for Deformable Models using Representative-Triangles, I3D 2008] for features
// in place of pairs of triangles.
#ifndef GRAZE_CCD_STEP_H
#define GRAZE_CCD_STEP_H

#include "graze/ccd.h"
#include "graze/host.h"
#include "graze/mesh.h"
#include "graze/records.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzCcdStep grzCcdStep;

typedef struct grzCcdStepDef {
    uint32_t mark; // set by grzDefaultCcdStepDef; calls refuse another
    const grzMesh* meshA;
    const grzMesh* meshB;   // NULL: A against itself
    grzNumberType type;     // of the positions of all steps; those of the meshes are not read
    bool decidesPairs;      // allows grzCcdStep_Decide; takes 28 bytes a triangle, and 28 more against itself
    grzAllocator allocator; // all zeros: the default one
} grzCcdStepDef;

// No mesh, float32.
GRZ_API grzCcdStepDef grzDefaultCcdStepDef(void);

// Refused with *step NULL: grz_badDef, grz_badArgument (value 1; the reason names the field), grz_tooLarge (value: of what there
// is too much: the vertices of both meshes, 2^30 or more, or the edges of one, more than GRZ_MESH_MAX_TRIANGLES),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzCcdStep_Create(const grzCcdStepDef* def, grzCcdStep** step);

// NULL is fine.
GRZ_API void grzCcdStep_Destroy(grzCcdStep* step);

// Vertex i of a mesh, by the mesh's numbers, lies at start + i * stride at t = 0, and at end + i * stride at t = 1: three numbers
// of the def's type, aligned as such a number. stride: a multiple of the number's size, at least three numbers; 0: tight.
typedef struct grzCcdStepMotion {
    const void* start;
    const void* end;
    size_t stride;
} grzCcdStepMotion;

// Whether an impact is to be kept. Called from worker threads, once for each pair of features that touch, in no promised
// order; must say the same of the same pair.
typedef bool grzCcdFilterFn(void* context, grzFeature featureA, grzFeature featureB);

typedef struct grzCcdStepQuery {
    uint32_t mark;         // set by grzDefaultCcdStepQuery
    grzCcdStepMotion a, b; // b: only where there is a mesh B
    // 0: impacts are not timed, and have the times 0 and 1. Else 1 to 52: first times as grzCcd_FindImpact finds them, in
    // steps of 2^-depth, rounded outward to floats. Takes 0.3 to 1 us an impact.
    int depth;
    bool isCount;           // impacts are counted, not kept; the filter counts
    uint32_t bodyPair;      // written to every impact
    grzCcdFilterFn* filter; // may be NULL
    void* filterContext;
} grzCcdStepQuery;

GRZ_API grzCcdStepQuery grzDefaultCcdStepQuery(void);

// Finds all impacts. Refused, and the view is empty then: grz_badDef; grz_badArgument (value 3; the reason names the field);
// grz_notFinite (part vertex, index: the first, of the start before the end, of A before B; value: 0 for A, 1 for B);
// grz_tooLarge (2^32 impacts or more are to be kept: count them, or ask with a filter); grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzCcdStep_Find(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query);

// Pairs of triangles that may touch in the step, whoever found them, by the numbers of the meshes.
typedef struct grzCcdStepPairs {
    // Sorted by triangleA, then triangleB, each pair once; against itself triangleA < triangleB.
    const grzTrianglePair* list;
    uint32_t count;
} grzCcdStepPairs;

// Finds impacts from known pairs of triangles, without a hierarchy. The impacts are those of Find, with the same
// times, on two conditions:
//   - The list holds every pair of triangles without a common vertex whose closed boxes overlap at some time of the
//     step.
//   - The boxes of a pair overlap at no time before its t0 or after its t1. 0 and 1 always serve; closer times
//     spare work where motion is fast.
// More pairs change nothing; pairs that share a vertex are passed over. The time of an impact is searched in the
// whole step. bodyPair of the pairs is not read. Candidates of the stats are pairs of features of listed triangles
// whose boxes overlap from t0 to t1. Refused, and the view is empty then, as Find, and:
//   grz_badArgument    value 1: the def did not say decidesPairs
//   grz_badArgument    value 4: no list; or, with part element and index, a pair out of order, or times that are
//                      not 0 <= t0 <= t1 <= 1
//   grz_indexTooLarge  part element; index: the pair; value: the triangle
GRZ_NODISCARD GRZ_API grzResult grzCcdStep_Decide(grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query,
                                                  const grzCcdStepPairs* pairs);

// By grzCcdKind, of both ways of vertex and triangle together.
typedef struct grzCcdStepStats {
    uint64_t candidates[2]; // pairs whose boxes of the step overlap, without those that share a vertex
    uint64_t impacts[2];    // of these, those that touch, before the filter
    uint64_t doubtful[2];   // of these, those of which it is not certain (GRZ_CCD_BITS)
    uint64_t decided
        [2]
        [grz_ccdStageCount]; // candidates by the stage that decided. In lanes a direction is tried before the volume
    uint64_t tilePairs;      // blocks of 32 features that were put beside each other
    bool isOrdered;          // hierarchies were made, or ordered anew
} grzCcdStepStats;

typedef struct grzCcdStepView {
    // Sorted by grzImpact_KeyWord. Against itself: vertex and face, or edge and edge with the smaller index first. Between two:
    // feature A is of mesh A. certainty grz_exact: they touch; grz_conservative: they may, and measure is infinite. NULL where
    // they were only counted.
    const grzImpact* impacts;
    size_t count; // after the filter
    grzCcdStepStats stats;
} grzCcdStepView;

// Of the last Find.
GRZ_API grzCcdStepView grzCcdStep_GetView(const grzCcdStep* step);

GRZ_EXTERN_C_END

#endif
