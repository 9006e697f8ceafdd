// Pairs of leaves of two hierarchies that may overlap: what lies between a pair of bodies and pairs of triangles.
//
//   grzChordPairsDef def = grzDefaultChordPairsDef();
//   def.treeA = sheet, def.treeB = drape;                    // chord trees, or:
//   def.bvhB = table, def.nodesB = nodes;                    // what rests
//   result = grzChordPairs_Create(&def, &pairs);
//   ...each frame:
//   result = grzChordTree_Advance(sheet, tasks, time);       // likewise drape
//   result = grzChordPairs_Advance(pairs, tasks);
//   grzChordPairsView view = grzChordPairs_GetView(pairs);
//   for (size_t w = 0; w < view.wordCount; ++w)
//       for (uint64_t bits = view.active[w]; bits != 0; bits &= bits - 1)
//           test(&view.pairs[64 * w + __builtin_ctzll(bits)]);
//
// or of boxes of one time alone:
//
//   grzBoxPairsDef def = grzDefaultBoxPairsDef();
//   result = grzBoxPairs_Create(&def, &pairs);
//   ...each frame:
//   grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
//   query.a = (grzBoxSet){bvhA, nodesA}, query.b = (grzBoxSet){bvhB, nodesB};
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

// Two leaves of four triangles that may overlap at some time in [t0, t1] of the piece that was searched, and at no other.
typedef struct grzLeafPair {
    uint32_t leafA, leafB; // in the order of the hierarchies (graze/bvh.h)
    float t0, t1;          // 0: where the piece begins, 1: where it ends; rounded outward
} grzLeafPair;

GRZ_STATIC_ASSERT(sizeof(grzLeafPair) == 16, "two leaves and two times");

// --------------------------------------------------------------------------------------------------- chord pairs

// Between two keyframes a side of a box of a chord tree is a linear function of time. So one walk over two such trees finds all pairs of
// leaves of the whole interval, and from when to when each overlaps. A frame then only asks which pairs are of its time.
//
// A piece is the time between two neighbouring keyframes of either plan: in it all vertices move in straight lines. Each piece is walked
// once. The next one is walked ahead, some at every frame, as soon as the boxes of its end are there: grzChordTreeDef.readyBy says by
// when. Else, after jumps, and with lazy trees, a piece is walked in the frame that comes to it.
//
// Promise: conservative. At every time of the piece the pairs whose [t0, t1] hold it contain all leaves that overlap there: boxes of
//   vertices where the plan has them, or where a host interpolates them in float. At the piece's ends they are exactly those whose
//   boxes overlap (t0 is 0, t1 is 1), where both trees stand at keyframes. Between, boxes are chords of the whole interval; a looseness
//   of the trees is not used. What is active at a time is a little more than that: times count in steps of 1/253 of the piece.
//   The same bytes for any number of workers and at every SIMD level, and however time came there; at the last keyframe that is known
//   the piece is the one before, if time comes from it, and else that keyframe alone.
//   Where several conditions of an overlap fail at an end, the one that fails most gives the time.
// Cost: a walk takes some ns for each pair of the piece; a frame some ns for each 64. Memory: 36 bytes for each pair of a piece and
//   16 for each pair of chunks; with cullsSelf that of a grzSelfCull.
// Owner: trees, nodes and hierarchies are the caller's and must outlive it. A view lives until the next call that takes a
//   grzChordPairs*. Threads: one at a time; lazy trees are reached. After warm-up nothing is allocated, but with cullsSelf after an edit.
typedef struct grzChordPairs grzChordPairs;

typedef struct grzChordPairsDef {
    uint32_t mark; // set by grzDefaultChordPairsDef
    const grzChordTree* treeA;
    const grzChordTree* treeB; // NULL: what rests. treeA again: it is searched against itself
    const grzBvh* bvhB;        // of what rests, else NULL, and its boxes as grzBvh_Refit has them
    const grzBvhNode* nodesB;
    // Of one tree with itself: leaves that lie in one node which cannot meet itself in the piece make no pair, nor does a leaf with itself.
    // One grzSelfCull serves all frames of a piece; it decides in the frame that begins its walk. The pairs then have all triangles without a common vertex that intersect at any time of
    // the piece, where the plan, or a host, has their vertices. For triangles that come near each other leave it off.
    bool cullsSelf;
    // Leaves whose boxes come within this distance of each other on every axis make a pair: at least 0, finite. All that is said of an overlap is
    // then said of this. At keyframes it is added to and taken from the sides of A's boxes in float.
    float margin;
    bool findsKnown; // which active pairs are known to overlap is found, too
    grzTasks* tasks; // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzChordPairsDef;

GRZ_API grzChordPairsDef grzDefaultChordPairsDef(void);

// Of the time at which the trees are. Refused with *pairs NULL: grz_badDef, grz_badArgument (value 1; the reason names the field, or
// as Advance), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordPairs_Create(const grzChordPairsDef* def, grzChordPairs** pairs);

// NULL is fine.
GRZ_API void grzChordPairs_Destroy(grzChordPairs* pairs);

// Goes to the time to which the trees were advanced. Any time will do; the next piece, or one within this one, costs least. Trees that
// followed an edit are searched again. Refused, with the pairs as they were: grz_badArgument (value 1: the trees are at different
// times, or have not followed an edit), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordPairs_Advance(grzChordPairs* pairs, grzTasks* tasks);

// What rests has other boxes now, or was rebuilt: the next Advance searches again. NULL: those it has, with new contents.
GRZ_API void grzChordPairs_SetNodes(grzChordPairs* pairs, const grzBvhNode* nodesB);

// With another margin the next Advance searches again. Refused, and nothing changed: grz_badArgument (value 2: as the def's).
GRZ_NODISCARD GRZ_API grzResult grzChordPairs_SetMargin(grzChordPairs* pairs, float margin);

typedef struct grzChordPairsView {
    double begin, end, time;  // of the piece, and of the last Advance
    const grzLeafPair* pairs; // of the whole piece, sorted by (leafA, leafB), each once; self: leafA <= leafB
    size_t count;
    const uint64_t* active; // a bit for each pair: it may overlap at `time`
    // NULL, or with findsKnown a bit for each active pair: its boxes of vertices at `time`, where the plan has them, do overlap. They need no
    // look of grzLeafTriangles_FindLeaves, and are nearly all; of pieces between keyframes of two plans that are not the same nothing is known.
    const uint64_t* known;
    size_t wordCount;
    size_t activeCount;
} grzChordPairsView;

GRZ_API grzChordPairsView grzChordPairs_GetView(const grzChordPairs* pairs);

// The active pairs in order. `to` has room for activeCount.
GRZ_API void grzChordPairs_Write(const grzChordPairs* pairs, grzLeafPair* to);

typedef struct grzChordPairsStats {
    uint64_t pieces;       // that were searched since Create
    uint64_t parts, early; // of walks: all, and those that were done before their piece began
    uint64_t found;        // pairs, in all pieces
    // With cullsSelf, in all pieces: triangles, and those in nodes that cannot meet themselves.
    uint64_t triangles, freeTriangles;
} grzChordPairsStats;

GRZ_API grzChordPairsStats grzChordPairs_GetStats(const grzChordPairs* pairs);
GRZ_API size_t grzChordPairs_MemorySize(const grzChordPairs* pairs);

// Checks order, times and what is active; for tests and for doubts. False where a promise is broken, which is logged as an error.
GRZ_API bool grzChordPairs_Validate(const grzChordPairs* pairs);

// -------------------------------------------------------------------------------------------- what cannot meet itself
//
// A part of a surface that faces one way, and whose contour does not cross itself seen from there, cannot meet itself. A self cull says of
// which nodes of a hierarchy that is so. It is never wrong: two triangles below a free node have no point in common but of a vertex or
// an edge that both have; with end positions, at no time of the linear motion, as real numbers, or where a grzFlightplan or a host rounds
// vertices to floats on the way. Other nodes may or may not meet themselves.
//
// Ownership: it copies what it needs of the hierarchy, and must be made again after an edit or a rebuild. Threads: one call that changes it at
// a time; any number may read between. Memory: 12 bytes a triangle and about 17 for the contours of nodes; 40 more during Create.
// After Create nothing is allocated.

typedef struct grzSelfCull grzSelfCull;

typedef struct grzSelfCullDef {
    uint32_t mark;             // set by grzDefaultSelfCullDef; create refuses another
    grzBvhNumbering numbering; // of the positions
    const grzBvh* bvh;
    grzAllocator allocator;
} grzSelfCullDef;

// The caller's numbers.
GRZ_API grzSelfCullDef grzDefaultSelfCullDef(void);

// Finds the contours; nothing is free yet. Refused with *cull NULL: grz_badDef, grz_badArgument (value 1), grz_tooLarge (more than
// 2^31 / 3 vertices), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzSelfCull_Create(const grzSelfCullDef* def, grzSelfCull** cull);

// NULL is fine.
GRZ_API void grzSelfCull_Destroy(grzSelfCull* cull);

// Decides for positions, three floats each; endPositions: NULL, or the ends of a linear motion of every vertex. Numbers that are not
// finite make nothing free. Refused, and nothing changed: grz_badArgument (value 3: positions is NULL). The same for any number of
// workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzSelfCull_Update(grzSelfCull* cull, grzTasks* tasks, const float* positions,
                                                   const float* endPositions);

// A node by its level and its number within it. What lies below a free node is free.
GRZ_API bool grzSelfCull_IsFree(const grzSelfCull* cull, uint32_t level, uint32_t index);

typedef struct grzSelfCullStats {
    size_t triangles, freeTriangles; // all, and those in free nodes
    size_t contours;                 // nodes that may become free: surfaces with a contour that is not too long
} grzSelfCullStats;

GRZ_API grzSelfCullStats grzSelfCull_GetStats(const grzSelfCull* cull);
GRZ_API size_t grzSelfCull_MemorySize(const grzSelfCull* cull);

// ----------------------------------------------------------------------------------------------------- box pairs
//
// Finds all pairs of leaves whose boxes overlap now. Nothing is assumed of how boxes move from one call to the next.
//
// A front is kept from call to call, of leaves that are near each other. While boxes move by little only these are tested. It looks at
// the boxes alone: they may jump, or be of other hierarchies; the pairs are always those of a walk. Where it would lose it rests, and
// under a pose there is none.
//
// Ownership: an object points at nothing of the caller's between calls. Threads: one call at a time for an object; the work runs
// on the given tasks. Memory, after warm-up: 20 bytes for each pair that is found, and for each worker up to 32 bytes for each
// leaf of B that one part of A comes near. A front takes 24 bytes for each leaf, and 4 for each pair of leaves that are near. Nothing is
// allocated then.

typedef struct grzBoxPairs grzBoxPairs;

typedef struct grzBoxPairsDef {
    uint32_t mark; // set by grzDefaultBoxPairsDef; create refuses another
    bool keepsFront;
    grzAllocator allocator;
} grzBoxPairsDef;

// Keeps a front.
GRZ_API grzBoxPairsDef grzDefaultBoxPairsDef(void);

// Refused with *pairs NULL: grz_badDef, grz_badArgument (value 1: half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzBoxPairs_Create(const grzBoxPairsDef* def, grzBoxPairs** pairs);

// NULL is fine.
GRZ_API void grzBoxPairs_Destroy(grzBoxPairs* pairs);

// A hierarchy with boxes, of which each holds those of its children (grzBvh_Refit, grzChordTree_WriteBoxes, ...).
typedef struct grzBoxSet {
    const grzBvh* bvh;
    const grzBvhNode* nodes;
} grzBoxSet;

// Writes the nodes of some chunks (256 triangles, graze/bvh.h): numbers ascend, each once. Chunk c is node c of the last level but one and the up
// to eight nodes below it; of a hierarchy of less than three levels chunk 0 is all nodes. Where `write` is set, nodes above chunks are there before a Find; it
// writes the chunks that the walk comes to, called by the thread that calls Find, each chunk once in a Find.
typedef struct grzBoxReach {
    void (*write)(void* context, grzTasks* tasks, const uint32_t* chunks,
                  size_t count); // NULL: all nodes are there
    void* context;
} grzBoxReach;

typedef struct grzBoxPairsQuery {
    uint32_t mark; // set by grzDefaultBoxPairsQuery; calls refuse another
    grzBoxSet a;
    grzBoxSet b; // all zeros: pairs within a, leafA <= leafB, each once; a leaf makes a pair with itself
    grzBoxReach reachA, reachB; // of a, and of b. With one of them there is no front
    // Where B stands in A's frame; NULL: both are in one frame. B's boxes are then turned and widened, so that they hold the image of
    // every point: as a real number, and as grzTransform_Apply rounds it.
    const grzTransform* poseB;
    // Boxes that come within this distance of each other on every axis make a pair: at least 0, finite. It is added to and taken from the
    // sides of A's boxes in float, which misses none: sums are rounded in order, and B's sides are floats.
    float margin;
    // Within one set: NULL, or what is free at the time, or in the motion, of the boxes. Leaves that lie in one free node make no pair,
    // nor does a leaf with itself. There is no front then.
    const grzSelfCull* cull;
} grzBoxPairsQuery;

// Without hierarchies, one frame, no margin.
GRZ_API grzBoxPairsQuery grzDefaultBoxPairsQuery(void);

// Finds the pairs of now. Refused, and the pairs of before stay:
//   grz_badArgument  value 3; the reason names the field: a mark that is none, no hierarchy or no nodes, a pose within one set,
//                    a cull beside a margin, between two sets, of another hierarchy, or of this one before an edit or a rebuild,
//                    a margin below 0 or infinite, a pose or boxes beside it with numbers above 2^60
//   grz_notFinite    a pose with a NaN or an infinity, a margin that is a NaN
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzBoxPairs_Find(grzBoxPairs* pairs, grzTasks* tasks,
                                                 const grzBoxPairsQuery* query);

typedef struct grzBoxPairsStats {
    uint64_t opened; // of the last walk: nodes of B, each beside a box of A
    uint64_t tests;  // of the last walk: of a box of A against one of B
    uint64_t served; // calls since Create that the front answered
    uint64_t built;  // and those in which it was made; in all others there was a walk
} grzBoxPairsStats;

// Good until the next Find or the destroy.
typedef struct grzBoxPairsView {
    const grzLeafPair* pairs; // sorted by (leafA, leafB); t0 is 0 and t1 is 1
    size_t count;
} grzBoxPairsView;

GRZ_API grzBoxPairsView grzBoxPairs_GetView(const grzBoxPairs* pairs);
GRZ_API grzBoxPairsStats grzBoxPairs_GetStats(const grzBoxPairs* pairs);
GRZ_API size_t grzBoxPairs_MemorySize(const grzBoxPairs* pairs);

// Checks that the pairs are those that all leaves of a query make, each tested against each; for tests and for doubts. O(leaves of
// A times leaves of B), and all chunks are reached. The query is that of the last Find. False where they are not; the first difference is logged as an error.
GRZ_API bool grzBoxPairs_Validate(const grzBoxPairs* pairs, const grzBoxPairsQuery* query);

GRZ_EXTERN_C_END

#endif
