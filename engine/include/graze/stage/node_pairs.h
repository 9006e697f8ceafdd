// Pairs of leaves of two hierarchies that may overlap: the stage between a pair of bodies and pairs of triangles.
//
//   grzChordPairsDef def = grzDefaultChordPairsDef();
//   def.treeA = sheet, def.treeB = drape;                    // chord trees. A mesh at rest: bvhB and nodesB, no treeB
//   result = grzChordPairs_Create(&def, &pairs);
//   ...each frame:
//   result = grzChordTree_Advance(sheet, tasks, time);
//   result = grzChordTree_Advance(drape, tasks, time);       // to the same time
//   result = grzChordPairs_Advance(pairs, tasks);
//   grzChordPairsView view = grzChordPairs_GetView(pairs);
//   grzChordPairs_Write(pairs, leafPairs);                   // view.activeCount pairs, which may overlap at `time`
//
// or from the boxes of one time alone:
//
//   grzBoxPairsDef def = grzDefaultBoxPairsDef();
//   result = grzBoxPairs_Create(&def, &pairs);
//   ...each frame:
//   grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
//   query.a.bvh = bvhA, query.a.nodes = nodesA;              // nodes as grzBvh_Refit has them now
//   query.b.bvh = bvhB, query.b.nodes = nodesB;              // without b: pairs within a
//   result = grzBoxPairs_Find(pairs, tasks, &query);
//   grzBoxPairsView view = grzBoxPairs_GetView(pairs);       // view.count pairs
//
// Contents: the record; chord pairs; what cannot meet itself; box pairs.
//
// Overlap is closed: boxes that only touch overlap.
#ifndef GRAZE_STAGE_NODE_PAIRS_H
#define GRAZE_STAGE_NODE_PAIRS_H

#include "graze/chord_tree.h"

GRZ_EXTERN_C_BEGIN

// Two leaves of four triangles. They may overlap in [t0, t1] of the piece that was searched, and at no other time
// of it.
typedef struct grzLeafPair {
    uint32_t leafA, leafB; // numbers in the hierarchies (graze/bvh.h)
    float t0, t1;          // 0: where the piece begins, 1: where it ends; rounded outward
} grzLeafPair;

GRZ_STATIC_ASSERT(sizeof(grzLeafPair) == 16, "two leaves and two times");

// --------------------------------------------------------------------------------------------------- chord pairs

// Between two keyframes a side of a box of a chord tree is a linear function of time. So one walk over two such
// trees finds all pairs of leaves of the whole interval, and from when to when each overlaps. A frame then only
// asks which pairs are of its time.
//
// A piece is the time between two neighbouring keyframes of either plan. In a piece all vertices move in straight
// lines. Each piece is walked once. The next piece is walked ahead, some of it in every frame, as soon as the boxes
// of its end are there: grzChordTreeDef.readyBy says by when. After jumps, and with lazy trees, a piece is walked
// in the frame that comes to it.
//
// Promise: conservative. At every time of the piece the pairs with that time in [t0, t1] contain all leaves that
//   overlap there. This holds for boxes of vertices where the plan has them, and where a host interpolates them in
//   float. At the ends of the piece these are exactly the pairs whose boxes overlap (t0 is 0, t1 is 1), where both
//   trees stand at keyframes. In between, boxes are chords of the whole interval; a looseness of the trees is not
//   used. Slightly more pairs are active at a time, since times count in steps of 1/253 of the piece. Where several
//   conditions of an overlap fail at an end, the one that fails most gives the time. The same bytes for any number
//   of workers, at every SIMD level, and by whichever steps time came there. At the last known keyframe the piece
//   is the one before, if time comes from it; else it is that keyframe alone.
// Cost: a walk takes some ns for each pair of the piece; a frame some ns for each 64. Memory: 36 bytes for each
//   pair of a piece and 16 for each pair of chunks; with cullsSelf also that of a grzSelfCull.
// Owner: trees, nodes and hierarchies are the caller's and must outlive the object. A view lives until the next
//   call that takes a grzChordPairs*. Threads: one call at a time; it makes the chunks of lazy trees that it reads.
//   After warm-up nothing is allocated, except with cullsSelf after an edit.
typedef struct grzChordPairs grzChordPairs;

typedef struct grzChordPairsDef {
    uint32_t mark; // set by grzDefaultChordPairsDef
    const grzChordTree* treeA;
    const grzChordTree* treeB; // NULL: a hierarchy at rest. treeA again: the tree is searched against itself
    const grzBvh* bvhB;        // the hierarchy at rest, else NULL, and its boxes as grzBvh_Refit has them
    const grzBvhNode* nodesB;
    // One tree with itself: leaves of one node that cannot meet itself in the piece make no pair, and no such leaf
    // makes one with itself. One grzSelfCull serves all frames of a piece; it decides in the frame that begins its
    // walk. The pairs then have all triangles without a common vertex that intersect at any time of the piece,
    // where the plan, or a host, has their vertices. The margin must be 0: triangles that come near each other may
    // be left out.
    bool cullsSelf;
    // Leaves whose boxes come within this distance of each other on every axis make a pair: at least 0, finite.
    // Every promise about overlap then holds for this distance. At keyframes the margin is added to and taken from
    // the sides of A's boxes in float.
    float margin;
    bool findsKnown; // also finds which active pairs are known to overlap
    grzTasks* tasks; // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzChordPairsDef;

GRZ_API grzChordPairsDef grzDefaultChordPairsDef(void);

// Finds the pairs of the time at which the trees are. Refused with *pairs NULL: grz_badDef, grz_badArgument (value
// 1; the reason names the field, or as Advance), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordPairs_Create(const grzChordPairsDef* def, grzChordPairs** pairs);

// NULL is fine.
GRZ_API void grzChordPairs_Destroy(grzChordPairs* pairs);

// Advances to the time of the trees. Any time will do; the next piece, or a time within this one, costs least.
// Trees that followed an edit are searched again. Refused, and the pairs stay: grz_badArgument (value 1: the trees
// are at different times, or have not followed an edit), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordPairs_Advance(grzChordPairs* pairs, grzTasks* tasks);

// Replaces the boxes of the hierarchy at rest, also after a rebuild: the next Advance searches again. NULL: the
// nodes are the same, with new contents.
GRZ_API void grzChordPairs_SetNodes(grzChordPairs* pairs, const grzBvhNode* nodesB);

// Sets the margin; with another one the next Advance searches again. Refused, and nothing changes: grz_badArgument
// (value 2: as in the def).
GRZ_NODISCARD GRZ_API grzResult grzChordPairs_SetMargin(grzChordPairs* pairs, float margin);

typedef struct grzChordPairsView {
    double begin, end, time;  // of the piece, and of the last Advance
    const grzLeafPair* pairs; // of the whole piece, sorted by (leafA, leafB), each once; self: leafA <= leafB
    size_t count;
    const uint64_t* active; // a bit for each pair that may overlap at `time`
    // NULL, or with findsKnown a bit for each active pair whose boxes do overlap: the boxes of vertices at `time`,
    // where the plan has them. grzLeafTriangles_FindLeaves need not look at these pairs, which are nearly all.
    // Nothing is known in a piece that is only a part of an interval between two keyframes of a plan.
    const uint64_t* known;
    size_t wordCount;
    size_t activeCount;
} grzChordPairsView;

GRZ_API grzChordPairsView grzChordPairs_GetView(const grzChordPairs* pairs);

// Writes the active pairs in order. `to` has room for activeCount.
GRZ_API void grzChordPairs_Write(const grzChordPairs* pairs, grzLeafPair* to);

typedef struct grzChordPairsStats {
    uint64_t pieces;       // searched since Create
    uint64_t parts, early; // parts of walks: all, and the ones that were walked before their piece began
    uint64_t found;        // pairs, in all pieces
    // With cullsSelf, in all pieces: triangles, and the triangles in nodes that cannot meet themselves.
    uint64_t triangles, freeTriangles;
} grzChordPairsStats;

GRZ_API grzChordPairsStats grzChordPairs_GetStats(const grzChordPairs* pairs);
GRZ_API size_t grzChordPairs_MemorySize(const grzChordPairs* pairs);

// Checks order, times and which pairs are active; for tests and debugging. Returns false where a promise is broken,
// and logs it as an error.
GRZ_API bool grzChordPairs_Validate(const grzChordPairs* pairs);

// ----------------------------------------------------------------------------------------- what cannot meet itself
//
// A part of a surface cannot meet itself if it faces one direction and its contour, seen from there, does not cross
// itself. A self cull finds the nodes of a hierarchy for which this is so: they are free. It is never wrong. Two
// triangles below a free node share no point but those of a common vertex or edge. With end positions this holds at
// every time of the linear motion, for real numbers, and where a grzFlightplan or a host rounds vertices to floats
// in between. Other nodes may or may not meet themselves.
//
// Ownership: a cull copies what it needs of the hierarchy. Make it again after an edit or a rebuild. Threads: one
// call that changes it at a time; any number may read between. Memory: 12 bytes a triangle and about 17 for the
// contours of nodes; 40 more during Create. After Create nothing is allocated.

typedef struct grzSelfCull grzSelfCull;

typedef struct grzSelfCullDef {
    uint32_t mark;             // set by grzDefaultSelfCullDef; create refuses another
    grzBvhNumbering numbering; // of the positions
    const grzBvh* bvh;
    grzAllocator allocator;
} grzSelfCullDef;

// Returns a def with the caller's numbers.
GRZ_API grzSelfCullDef grzDefaultSelfCullDef(void);

// Finds the contours; nothing is free yet. Refused with *cull NULL: grz_badDef, grz_badArgument (value 1),
// grz_tooLarge (more than 2^31 / 3 vertices), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzSelfCull_Create(const grzSelfCullDef* def, grzSelfCull** cull);

// NULL is fine.
GRZ_API void grzSelfCull_Destroy(grzSelfCull* cull);

// Decides which nodes are free for positions, three floats each. endPositions: NULL, or the ends of a linear motion
// of every vertex. Numbers that are not finite make nothing free. Refused, and nothing changes: grz_badArgument
// (value 3: positions is NULL). The same for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzSelfCull_Update(grzSelfCull* cull, grzTasks* tasks, const float* positions,
                                                   const float* endPositions);

// Returns whether a node is free. index: the node's number within its level. All below a free node is free.
GRZ_API bool grzSelfCull_IsFree(const grzSelfCull* cull, uint32_t level, uint32_t index);

typedef struct grzSelfCullStats {
    size_t triangles, freeTriangles; // all, and the ones in free nodes
    size_t contours;                 // nodes that may become free: surfaces with a contour that is not too long
} grzSelfCullStats;

GRZ_API grzSelfCullStats grzSelfCull_GetStats(const grzSelfCull* cull);
GRZ_API size_t grzSelfCull_MemorySize(const grzSelfCull* cull);

// ----------------------------------------------------------------------------------------------------- box pairs
//
// Finds all pairs of leaves whose boxes overlap now. Boxes may move in any manner from one call to the next.
//
// An object keeps a front from call to call: leaves that are near each other. While boxes move little, only these
// are tested. The front looks at the boxes alone, so they may jump, or be of other hierarchies. The pairs are
// always those of a walk. The front rests where it counts more work than a walk does, and under a pose there is none.
// Work is not time: what a front gains or loses is a sixth at most, by `graze-bench pipeline --case physics`.
//
// Ownership: an object keeps no pointer of the caller's between calls. Threads: one call at a time for an object;
// the work runs on the given tasks. Memory, after warm-up: 20 bytes for each pair that is found, and for each
// worker up to 32 bytes for each leaf of B that one part of A comes near. A front takes 24 bytes for each leaf, and
// 4 for each pair of leaves that are near. After warm-up nothing is allocated.

typedef struct grzBoxPairs grzBoxPairs;

typedef struct grzBoxPairsDef {
    uint32_t mark; // set by grzDefaultBoxPairsDef; create refuses another
    bool keepsFront;
    grzAllocator allocator;
} grzBoxPairsDef;

// Returns a def that keeps a front.
GRZ_API grzBoxPairsDef grzDefaultBoxPairsDef(void);

// Refused with *pairs NULL: grz_badDef, grz_badArgument (value 1: half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzBoxPairs_Create(const grzBoxPairsDef* def, grzBoxPairs** pairs);

// NULL is fine.
GRZ_API void grzBoxPairs_Destroy(grzBoxPairs* pairs);

// A hierarchy with boxes. Each box holds the boxes of its children (grzBvh_Refit, grzChordTree_WriteBoxes, ...).
typedef struct grzBoxSet {
    const grzBvh* bvh;
    const grzBvhNode* nodes;
} grzBoxSet;

// Writes the nodes of some chunks (256 triangles, graze/bvh.h) when a walk comes to them. Their numbers ascend,
// each once. Chunk c is node c of the last level but one and the up to eight nodes below it. In a hierarchy of less
// than three levels chunk 0 is all nodes. With `write` the nodes above chunks must be there before a Find. The
// thread that calls Find calls `write`, once for each chunk in a Find.
typedef struct grzBoxReach {
    void (*write)(void* context, grzTasks* tasks, const uint32_t* chunks,
                  size_t count); // NULL: all nodes are there
    void* context;
} grzBoxReach;

typedef struct grzBoxPairsQuery {
    uint32_t mark; // set by grzDefaultBoxPairsQuery; calls refuse another
    grzBoxSet a;
    grzBoxSet b; // all zeros: pairs within a, leafA <= leafB, each once; a leaf makes a pair with itself
    grzBoxReach reachA, reachB; // for a and for b. With one of them there is no front
    // Where B stands in A's frame; NULL: both are in one frame. B's boxes are then turned and widened. They hold
    // the image of every point, as a real number and as grzTransform_Apply rounds it.
    const grzTransform* poseB;
    // Boxes that come within this distance of each other on every axis make a pair: at least 0, finite. It is added
    // to and taken from the sides of A's boxes in float, which misses none: sums are rounded in order, and B's
    // sides are floats.
    float margin;
    // Within one set: NULL, or which nodes are free at the time, or in the motion, of the boxes. Leaves of one free
    // node make no pair, and no such leaf makes one with itself. There is no front then.
    const grzSelfCull* cull;
} grzBoxPairsQuery;

// Returns a query without hierarchies, in one frame, with no margin.
GRZ_API grzBoxPairsQuery grzDefaultBoxPairsQuery(void);

// Finds the pairs of this moment. Refused, and the old pairs stay:
//   grz_badArgument  value 3; the reason names the field: a wrong mark, no hierarchy or no nodes, a pose within one
//                    set, a cull beside a margin, between two sets, of another hierarchy, or of this one before an
//                    edit or a rebuild, a margin below 0 or infinite, a pose or boxes beside it with numbers above
//                    2^60
//   grz_notFinite    a pose with a NaN or an infinity, a margin that is a NaN
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzBoxPairs_Find(grzBoxPairs* pairs, grzTasks* tasks,
                                                 const grzBoxPairsQuery* query);

typedef struct grzBoxPairsStats {
    uint64_t opened; // in the last walk: nodes of B, each beside a box of A
    uint64_t tests;  // in the last walk: of a box of A against a box of B
    uint64_t served; // calls since Create that the front answered
    uint64_t built;  // calls since Create that made the front; all others were walks
} grzBoxPairsStats;

// Valid until the next Find or Destroy.
typedef struct grzBoxPairsView {
    const grzLeafPair* pairs; // sorted by (leafA, leafB); t0 is 0 and t1 is 1
    size_t count;
} grzBoxPairsView;

GRZ_API grzBoxPairsView grzBoxPairs_GetView(const grzBoxPairs* pairs);
GRZ_API grzBoxPairsStats grzBoxPairs_GetStats(const grzBoxPairs* pairs);
GRZ_API size_t grzBoxPairs_MemorySize(const grzBoxPairs* pairs);

// Compares the pairs with a test of each leaf against each other leaf; for tests and debugging. The query is that
// of the last Find. O(leaves of A times leaves of B); all chunks are made. Returns false where they differ, and
// logs the first difference as an error.
GRZ_API bool grzBoxPairs_Validate(const grzBoxPairs* pairs, const grzBoxPairsQuery* query);

GRZ_EXTERN_C_END

#endif
