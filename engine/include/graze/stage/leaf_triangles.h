// Pairs of triangles from pairs of leaves: the last step of a mid phase over deforming hierarchies.
//
//   grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
//   result = grzLeafTriangles_Create(&def, &triangles);
//   ...each frame, with leaf pairs of graze/stage/node_pairs.h:
//   grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
//   query.pairs = view.pairs, query.count = view.count;
//   query.a.bvh = bvhA, query.a.positions = positionsA;
//   query.b.bvh = bvhB, query.b.positions = positionsB;               // without b: pairs within a
//   result = grzLeafTriangles_Find(triangles, tasks, &query);
//   grzLeafTrianglesView found = grzLeafTriangles_GetView(triangles); // found.count pairs, sorted
//
// or, from chord pairs that may overlap, the pairs of leaves that overlap at the time:
//
//   grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
//   query.pairs = view.pairs, query.count = view.count, query.asked = view.active;
//   query.a.bvh = bvhA, query.a.plan = planA, query.a.time = view.time;
//   query.b.bvh = bvhB, query.b.nodes = nodesB;
//   result = grzLeafTriangles_FindLeaves(triangles, tasks, &query);
//   grzLeafBoxesView found = grzLeafTriangles_GetLeaves(triangles);   // found.count pairs, in their order
//
// Contents: the object; pairs of triangles; pairs of leaves.
//
// Overlap is closed: boxes that only touch overlap.
#ifndef GRAZE_STAGE_LEAF_TRIANGLES_H
#define GRAZE_STAGE_LEAF_TRIANGLES_H

#include "graze/records.h"
#include "graze/stage/node_pairs.h"

GRZ_EXTERN_C_BEGIN

// Owner: an object keeps no pointer of the caller's between calls. Threads: one call at a time for an object; the
// work runs on the given tasks. Memory, after warm-up, for pairs of triangles: 256 bytes for each leaf in a pair, 5
// for each leaf, 10 for each pair of leaves, 20 for each pair of triangles, as much again where they are sorted,
// and 12 for each vertex of a plan. For pairs of leaves: 16 for each, and 24 for each leaf of a plan. After warm-up
// nothing is allocated.
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
    // Positions: three finite floats for each vertex. Else a plan and a time: the plan is evaluated for the blocks
    // of vertices of leaves in pairs, or for all vertices where there are many such leaves. Neither: all triangles
    // of a leaf are taken.
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
    grzLeafTrianglesSide b; // no hierarchy: pairs within a. Triangles that share a vertex make no pair then
    // Where B stands in A's frame; NULL: both are in one frame. Boxes of turned vertices are widened. They hold the
    // image of every point of the triangles under grzTransform_Apply.
    const grzTransform* poseB;
    // Triangles whose boxes come within this distance of each other on every axis make a pair: at least 0, finite.
    // It is added to and taken from the boxes of A in float, which misses none.
    float margin;
    bool isTurned;     // records name the triangle of B first, and are sorted by it
    uint32_t bodyPair; // for the records
} grzLeafTrianglesQuery;

// Returns a query with no pairs, no hierarchies, the caller's numbers, one frame, no margin and body pair 0.
GRZ_API grzLeafTrianglesQuery grzDefaultLeafTrianglesQuery(void);

// Finds the pairs of triangles of all pairs of leaves. Where the vertices of both sides are known, two triangles
// make no pair if one is below the other along an axis; with end positions, if that is so at both ends, and so all
// the time. A pair has the times of its leaves. Refused, and the old pairs stay:
//   grz_badArgument    value 3; the reason names the field: a wrong mark, no hierarchy, an unknown numbering, end
//                      positions without positions, positions beside a plan, a plan with another number of vertices
//                      or that does not know the time, no pairs with a count, a pose, or isTurned, within one
//                      hierarchy, a margin below 0 or infinite
//   grz_notFinite      a pose with a NaN or an infinity, a margin that is a NaN
//   grz_badArgument    value 4: pairs that are not sorted, or within one hierarchy leafA > leafB; index: the first
//   grz_indexTooLarge  a pair with a leaf that does not exist; index: the pair, value: the leaf
//   grz_tooLarge       2^32 pairs or more
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzLeafTriangles_Find(grzLeafTriangles* triangles, grzTasks* tasks,
                                                      const grzLeafTrianglesQuery* query);

// Valid until the next Find or Destroy.
typedef struct grzLeafTrianglesView {
    // Sorted by grzTrianglePair_KeyWord, each once; within one hierarchy triangleA < triangleB.
    const grzTrianglePair* pairs;
    size_t count;
} grzLeafTrianglesView;

GRZ_API grzLeafTrianglesView grzLeafTriangles_GetView(const grzLeafTriangles* triangles);

// Of the last Find or FindLeaves.
typedef struct grzLeafTrianglesStats {
    uint64_t leaves;    // leaves whose boxes or triangles were looked at
    uint64_t evaluated; // vertices at which plans were evaluated
} grzLeafTrianglesStats;

GRZ_API grzLeafTrianglesStats grzLeafTriangles_GetStats(const grzLeafTriangles* triangles);
GRZ_API size_t grzLeafTriangles_MemorySize(const grzLeafTriangles* triangles);

// Checks that the pairs are sorted, and are the pairs of a plain loop over the query; under a pose, that they
// include them. For tests and debugging. The query is that of the last Find. Returns false where they differ, and
// logs the first difference as an error.
GRZ_API bool grzLeafTriangles_Validate(const grzLeafTriangles* triangles, const grzLeafTrianglesQuery* query);

// ------------------------------------------------------------------------------------------------ pairs of leaves
//
// From pairs of leaves that may overlap, such as active chord pairs, these functions find the pairs whose boxes do
// overlap at a time. The box of a leaf is that of its vertices, as grzBvh_Refit makes it from
// grzFlightplan_Evaluate. So if the given pairs contain all leaves that overlap, the result is that of a refit of
// everything and grzBoxPairs_Find.

typedef struct grzLeafBoxesSide {
    const grzBvh* bvh;
    // Boxes at the time, as grzBvh_Refit has them. NULL: boxes are made at a time of a plan, for the nodes of the
    // leaves that are asked for.
    const grzBvhNode* nodes;
    const grzFlightplan* plan;
    grzBvhNumbering numbering; // of the plan's vertices
    double time;
} grzLeafBoxesSide;

typedef struct grzLeafBoxesQuery {
    uint32_t mark;            // set by grzDefaultLeafBoxesQuery; calls refuse another
    const grzLeafPair* pairs; // in any order
    size_t count;
    const uint64_t* asked; // NULL: all pairs; else a bit for each, in words of 64, and 0 behind the last
    // NULL, or a bit for each pair that is known to overlap: these are not looked at. A bit counts only where asked
    // has one.
    const uint64_t* known;
    grzLeafBoxesSide a;
    grzLeafBoxesSide b; // no hierarchy: pairs within a
    // As in grzBoxPairsQuery: where B stands in A's frame (B must have nodes then), and the distance within which
    // boxes make a pair.
    const grzTransform* poseB;
    float margin;
} grzLeafBoxesQuery;

// Returns a query with no pairs and no hierarchies, in the caller's numbers, which asks for all, in one frame, with
// no margin.
GRZ_API grzLeafBoxesQuery grzDefaultLeafBoxesQuery(void);

// Finds the pairs whose boxes overlap, among the pairs asked for. Pairs of triangles that were found stay. Refused,
// and the old pairs of leaves stay:
//   grz_badArgument    value 3; the reason names the field: a wrong mark, no hierarchy, an unknown numbering, nodes
//                      beside a plan or neither, a plan with another number of vertices or that does not know the
//                      time, no pairs with a count, a pose of a side without nodes, a pose or boxes beside it with
//                      numbers above 2^60, a margin below 0 or infinite
//   grz_notFinite      a pose with a NaN or an infinity, a margin that is a NaN
//   grz_indexTooLarge  a pair that is looked at has a leaf that does not exist; index: the first such pair, value:
//                      the leaf
//   grz_tooLarge       2^32 pairs or more
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzLeafTriangles_FindLeaves(grzLeafTriangles* triangles, grzTasks* tasks,
                                                            const grzLeafBoxesQuery* query);

// Valid until the next FindLeaves or Destroy.
typedef struct grzLeafBoxesView {
    const grzLeafPair* pairs; // as they were given, in their order
    size_t count;
} grzLeafBoxesView;

GRZ_API grzLeafBoxesView grzLeafTriangles_GetLeaves(const grzLeafTriangles* triangles);

// Compares the pairs of leaves with a plain loop over the query, which is that of the last FindLeaves; for tests
// and debugging. Returns false where they differ, and logs the first difference as an error.
GRZ_API bool grzLeafTriangles_ValidateLeaves(const grzLeafTriangles* triangles, const grzLeafBoxesQuery* query);

GRZ_EXTERN_C_END

#endif
