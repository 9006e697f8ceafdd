// Pairs of triangles from pairs of leaves: the last step of a mid phase over deforming hierarchies.
//
//   grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
//   result = grzLeafTriangles_Create(&def, &triangles);
//   ...each frame, with leaf pairs of graze/stage/node_pairs.h:
//   grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
//   query.pairs = view.pairs, query.count = view.count;
//   query.a = (grzLeafTrianglesSide){.bvh = bvhA, .numbering = grz_bvhCallersNumbers, .positions = positionsA};
//   query.b = (grzLeafTrianglesSide){.bvh = bvhB, .numbering = grz_bvhCallersNumbers, .positions = positionsB};
//   result = grzLeafTriangles_Find(triangles, tasks, &query);
//   grzLeafTrianglesView found = grzLeafTriangles_GetView(triangles); // found.count pairs, sorted
//
// or which pairs of leaves overlap at the time, of chord pairs that may:
//   grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
//   query.pairs = view.pairs, query.count = view.count, query.asked = view.active;
//   query.a = (grzLeafBoxesSide){.bvh = bvhA, .plan = planA, .time = view.time};
//   query.b = (grzLeafBoxesSide){.bvh = bvhB, .nodes = nodesB};
//   result = grzLeafTriangles_FindLeaves(triangles, tasks, &query);
//   grzLeafBoxesView found = grzLeafTriangles_GetLeaves(triangles);   // found.count pairs of leaves, in their order
//
// Contents: the object; pairs of triangles; pairs of leaves.
//
// Overlap is closed: boxes that only touch overlap.
#ifndef GRAZE_STAGE_LEAF_TRIANGLES_H
#define GRAZE_STAGE_LEAF_TRIANGLES_H

#include "graze/records.h"
#include "graze/stage/node_pairs.h"

GRZ_EXTERN_C_BEGIN

// Owner: an object points at nothing of the caller's between calls. Threads: one call at a time for an object; the work runs on the
// given tasks. Memory, after warm-up: 256 bytes for each leaf in a pair, 5 for each leaf, 10 for each pair of leaves, 20 for each pair of triangles, and as
// much again where they are sorted; 12 for each vertex of a plan. Pairs of leaves: 16 for each, and 24 for each leaf of a plan. Nothing is
// allocated then.
typedef struct grzLeafTriangles grzLeafTriangles;

typedef struct grzLeafTrianglesDef {
    uint32_t mark; // set by grzDefaultLeafTrianglesDef; create refuses another
    grzAllocator allocator;
} grzLeafTrianglesDef;

GRZ_API grzLeafTrianglesDef grzDefaultLeafTrianglesDef(void);

// Refused with *triangles NULL: grz_badDef, grz_badArgument (value 1: half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzLeafTriangles_Create(const grzLeafTrianglesDef* def,
                                                        grzLeafTriangles** triangles);

// NULL is fine.
GRZ_API void grzLeafTriangles_Destroy(grzLeafTriangles* triangles);

typedef struct grzLeafTrianglesSide {
    const grzBvh* bvh;
    grzBvhNumbering numbering; // of the vertices, and of the triangles in the output
    // Where the vertices are: three floats each, finite; or at a time of a plan, which is evaluated for the blocks of vertices that leaves in
    // pairs have, or for all where many leaves are. Neither: triangles of a leaf are taken as they come.
    const float* positions;
    const float* endPositions; // NULL, or the ends of a linear motion of every vertex from positions
    const grzFlightplan* plan;
    double time;
} grzLeafTrianglesSide;

typedef struct grzLeafTrianglesQuery {
    uint32_t mark;            // set by grzDefaultLeafTrianglesQuery; calls refuse another
    const grzLeafPair* pairs; // sorted by (leafA, leafB), each once; self: leafA <= leafB
    size_t count;
    grzLeafTrianglesSide a;
    grzLeafTrianglesSide b; // all zeros: pairs within a. Triangles that share a vertex make no pair then
    // Where B stands in A's frame; NULL: both are in one frame. Boxes of turned vertices are widened so that they hold what grzTransform_Apply
    // makes of every point of the triangles.
    const grzTransform* poseB;
    // Boxes of triangles that come within this distance of each other on every axis make a pair: at least 0, finite. It is added to and taken
    // from the boxes of A in float, which misses none.
    float margin;
    bool isTurned;     // records name the triangle of B first, and are sorted by it
    uint32_t bodyPair; // for the records
} grzLeafTrianglesQuery;

// No pairs, no hierarchies, one frame, no margin, body pair 0.
GRZ_API grzLeafTrianglesQuery grzDefaultLeafTrianglesQuery(void);

// Finds the pairs of triangles of all pairs of leaves. Where it is known of both sides where vertices are, two triangles are left out if along one axis one
// is below the other; with end positions, if it is so at both ends, and so all the time. A pair has the times of its leaves.
// Refused, and the pairs of before stay:
//   grz_badArgument    value 3; the reason names the field: a mark that is none, no hierarchy, an unknown numbering, end positions without
//                      positions, positions beside a plan, a plan of another number of vertices or that does not know the time, no pairs with a count
//                      a pose, or turned, within one hierarchy, a margin below 0 or infinite
//   grz_notFinite      a pose with a NaN or an infinity, a margin that is a NaN
//   grz_badArgument    value 4: pairs that are not sorted, or within one hierarchy leafA > leafB; index: the first
//   grz_indexTooLarge  a pair of a leaf that is none; index: the pair, value: the leaf
//   grz_tooLarge       2^32 pairs or more
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzLeafTriangles_Find(grzLeafTriangles* triangles, grzTasks* tasks,
                                                      const grzLeafTrianglesQuery* query);

// Good until the next Find or the destroy.
typedef struct grzLeafTrianglesView {
    const grzTrianglePair*
        pairs; // sorted by grzTrianglePair_KeyWord, each once; within one hierarchy triangleA < triangleB
    size_t count;
} grzLeafTrianglesView;

GRZ_API grzLeafTrianglesView grzLeafTriangles_GetView(const grzLeafTriangles* triangles);

// Of the last Find or FindLeaves.
typedef struct grzLeafTrianglesStats {
    uint64_t leaves;    // whose boxes or triangles were looked at
    uint64_t evaluated; // vertices that plans were asked for
} grzLeafTrianglesStats;

GRZ_API grzLeafTrianglesStats grzLeafTriangles_GetStats(const grzLeafTriangles* triangles);
GRZ_API size_t grzLeafTriangles_MemorySize(const grzLeafTriangles* triangles);

// Checks that the pairs are sorted, and those of a plain loop over the query (under a pose: that these are among them), which is that of the last Find; for tests and for doubts. False
// where they are not; the first difference is logged as an error.
GRZ_API bool grzLeafTriangles_Validate(const grzLeafTriangles* triangles, const grzLeafTrianglesQuery* query);

// ------------------------------------------------------------------------------------------------ pairs of leaves
//
// Of pairs of leaves that may overlap, such as active chord pairs, those whose boxes do overlap at a time. A box is that of the leaf's vertices,
// as grzBvh_Refit makes it from grzFlightplan_Evaluate. So with pairs that contain all leaves that overlap, what is found is what a refit
// of everything and grzBoxPairs_Find find.

typedef struct grzLeafBoxesSide {
    const grzBvh* bvh;
    // Boxes at the time, as grzBvh_Refit has them; or NULL, and boxes are made at a time of a plan, for the nodes that have leaves in question.
    const grzBvhNode* nodes;
    const grzFlightplan* plan;
    grzBvhNumbering numbering; // of the plan's vertices
    double time;
} grzLeafBoxesSide;

typedef struct grzLeafBoxesQuery {
    uint32_t mark;            // set by grzDefaultLeafBoxesQuery; calls refuse another
    const grzLeafPair* pairs; // in any order
    size_t count;
    const uint64_t* asked; // NULL: all of them; else a bit for each, in words of 64, and 0 behind the last
    const uint64_t*
        known; // NULL, or bits of those that are known to overlap: they are not looked at. Where asked has no bit, none counts
    grzLeafBoxesSide a;
    grzLeafBoxesSide b; // all zeros: pairs within a
    // As in grzBoxPairsQuery: where B, which has nodes then, stands in A's frame; and the distance within which boxes make a pair.
    const grzTransform* poseB;
    float margin;
} grzLeafBoxesQuery;

// No pairs, no hierarchies, all asked for, one frame, no margin.
GRZ_API grzLeafBoxesQuery grzDefaultLeafBoxesQuery(void);

// Finds the pairs asked for whose boxes overlap. Pairs of triangles that were found stay. Refused, and the pairs of leaves of before stay:
//   grz_badArgument    value 3; the reason names the field: a mark that is none, no hierarchy, an unknown numbering, nodes beside a plan or
//                      neither, a plan of another number of vertices or that does not know the time, no pairs with a count, a pose of a side
//                      without nodes, a pose or boxes beside it with numbers above 2^60, a margin below 0 or infinite
//   grz_notFinite      a pose with a NaN or an infinity, a margin that is a NaN
//   grz_indexTooLarge  a pair that is looked at, of a leaf that is none; index: the first such pair, value: the leaf
//   grz_tooLarge       2^32 pairs or more
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzLeafTriangles_FindLeaves(grzLeafTriangles* triangles, grzTasks* tasks,
                                                            const grzLeafBoxesQuery* query);

// Good until the next FindLeaves or the destroy.
typedef struct grzLeafBoxesView {
    const grzLeafPair* pairs; // as they were given, in their order
    size_t count;
} grzLeafBoxesView;

GRZ_API grzLeafBoxesView grzLeafTriangles_GetLeaves(const grzLeafTriangles* triangles);

// Checks that the pairs of leaves are those of a plain loop over the query, which is that of the last FindLeaves; for tests and for doubts.
// False where they are not; the first difference is logged as an error.
GRZ_API bool grzLeafTriangles_ValidateLeaves(const grzLeafTriangles* triangles, const grzLeafBoxesQuery* query);

GRZ_EXTERN_C_END

#endif
