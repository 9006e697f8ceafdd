// Pairs of triangles that may touch, of two meshes or within one. Some of the meshes move. This is one interface
// over the searches of node_pairs.h, with a chooser.
//
//   grzUpkeepPairsDef def = grzDefaultUpkeepPairsDef();
//   def.a.upkeep = upkeep;                                    // a mesh that moves by a plan
//   def.b.bvh = bvh, def.b.nodes = nodes;                     // a hierarchy with boxes; neither: pairs within a
//   result = grzUpkeepPairs_Create(&def, &pairs);
//   ...each frame:
//   result = grzUpkeep_Advance(upkeep, tasks, time, NULL);
//   grzUpkeepPairsQuery query = grzDefaultUpkeepPairsQuery();
//   query.margin = 0.02f;
//   result = grzUpkeepPairs_Find(pairs, tasks, &query);
//   grzUpkeepPairsView view = grzUpkeepPairs_GetView(pairs);  // view.count pairs of triangles, sorted
//   sleepUntil = grzUpkeepPairs_Horizon(pairs);
//
// Contents: sides; searches; create and destroy; finding; figures.
//
// The searches:
//   boxes    every Find walks both hierarchies as they are now, or a front of earlier calls (grzBoxPairs)
//   chords   one walk for each interval between keyframes; a Find asks which pairs are of its time (grzChordPairs)
// Chords need an upkeep on keyframes that uses the chord tree now. The other side is another such upkeep of the
// same clock, the same one, or a hierarchy at rest. Where both searches are possible, the cheaper one is chosen,
// from constants and counted work. No time is measured, so the same calls make the same choices, for any number of
// workers.
//
// Overlap is closed: boxes that only touch overlap, and a distance that equals the margin is within it.
#ifndef GRAZE_STAGE_UPKEEP_PAIRS_H
#define GRAZE_STAGE_UPKEEP_PAIRS_H

#include "graze/records.h"
#include "graze/stage/node_pairs.h"
#include "graze/upkeep.h"

GRZ_EXTERN_C_BEGIN

// ----------------------------------------------------------------------------------------------------------- sides

// Either an upkeep or a hierarchy with boxes.
//   kind of mesh               fields
//   moves by a plan            upkeep
//   rests                      bvh, nodes
//   rigid, under a pose        bvh, nodes in its own frame; the pose comes with each Find
//   simulated, refit by you    bvh, nodes, isSimulated
// Ownership: all pointers are the caller's, and must live until the pairs are destroyed.
typedef struct grzUpkeepPairsSide {
    // Advance it to the time of the search before each Find. It must not use the box tree, which has other leaves.
    const grzUpkeep* upkeep;
    const grzBvh* bvh;
    const grzBvhNode* nodes; // as grzBvh_Refit has them; they stay as they are until grzUpkeepPairs_SetNodes
    bool isSimulated;        // the nodes may have other contents in each Find
    // Read by grz_trianglePairs alone: NULL, or where the vertices of bvh are, three finite floats each, as in the
    // boxes. An upkeep has its own positions.
    const float* positions;
    // Of positions, and of triangles in the output. With an upkeep it is the numbering of its plan.
    grzBvhNumbering numbering;
} grzUpkeepPairsSide;

// -------------------------------------------------------------------------------------------------------- searches

typedef enum grzPairSearch {
    grz_searchBoxes = 0,
    grz_searchChords,
    grz_pairSearchCount,
} grzPairSearch;

#define GRZ_PAIR_SEARCH_BIT(search) (1u << (unsigned)(search))

// Nanoseconds on one core.
typedef struct grzUpkeepPairsCosts {
    double boxes;      // for a search by boxes, whatever its size
    double node;       // for each node that is read of an upkeep
    double opened;     // for each node that a search by boxes opens
    double boxPair;    // for each pair of leaves that it finds
    double walk;       // for a walk of an interval, whatever its size
    double walkPair;   // for each pair of leaves in the walk
    double piecePair;  // for each pair of the interval, in each frame
    double activePair; // for each active pair, in each frame
} grzUpkeepPairsCosts;

// Returns the costs of one machine, an EPYC with AVX-512.
GRZ_API grzUpkeepPairsCosts grzDefaultUpkeepPairsCosts(void);

// ---------------------------------------------------------------------------------------------- create and destroy

// Threads: one call at a time for an object; the work runs on the given tasks. Different threads may search
// different objects at a time, also where these share sides. Upkeeps are only read, except that a lazy one makes
// the chunks that are read. Memory, after warm-up: that of the searches in use (stage/node_pairs.h,
// stage/leaf_triangles.h), and 7 bytes for each triangle of an upkeep that has no boxes written. After warm-up
// nothing is allocated.
typedef struct grzUpkeepPairs grzUpkeepPairs;

typedef struct grzUpkeepPairsDef {
    uint32_t mark; // set by grzDefaultUpkeepPairsDef; create refuses another
    grzUpkeepPairsSide a;
    grzUpkeepPairsSide b; // neither upkeep nor bvh: pairs within a
    // The times of the two upkeeps are of different clocks. They are then not searched by chords.
    bool areClocksApart;
    // GRZ_PAIR_SEARCH_BIT of each search that may be chosen; 0: all. Where none of them is possible, boxes are
    // used.
    uint32_t searches;
    grzUpkeepPairsCosts costs; // every number finite and above 0
    grzAllocator allocator;
} grzUpkeepPairsDef;

// Returns a def with no sides, the caller's numbers, all searches and the default costs.
GRZ_API grzUpkeepPairsDef grzDefaultUpkeepPairsDef(void);

// Makes an object, and searches nothing yet. Refused with *pairs NULL:
//   grz_badDef
//   grz_badArgument  value 1; the reason names the field: no side a, a side with an upkeep and a hierarchy, a
//                    hierarchy without nodes, an upkeep on a box tree, an unknown numbering, an unknown search, a
//                    cost that is not a finite number above 0, half an allocator
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzUpkeepPairs_Create(const grzUpkeepPairsDef* def, grzUpkeepPairs** pairs);

// NULL is fine.
GRZ_API void grzUpkeepPairs_Destroy(grzUpkeepPairs* pairs);

// Replaces the boxes of a hierarchy (not of an upkeep), also after an edit or a rebuild. side: 0 is a, 1 is b.
// nodes: NULL: the same nodes, with new contents. positions: NULL: the same positions. After an edit this call is
// enough. A side with an upkeep ignores the call; an upkeep that is made again needs new pairs.
GRZ_API void grzUpkeepPairs_SetNodes(grzUpkeepPairs* pairs, int side, const grzBvhNode* nodes,
                                     const float* positions);

// --------------------------------------------------------------------------------------------------------- finding

// What is compared, and so how many pairs there are. Each precision finds all pairs of the next one. None misses
// two triangles that are within the margin on every axis.
typedef enum grzPairPrecision {
    // All triangles of leaves whose boxes are within the margin, by the boxes that the search has: chords between
    // keyframes, with a margin that may be up to a quarter larger, and boxes under a pose. No vertex is looked at.
    grz_conservativePairs = 0,
    // All triangles of leaves whose boxes are within the margin at this time. The boxes of an upkeep's leaves are
    // those of their vertices, made for leaves in conservative pairs alone. So these are the pairs of grzBvh_Refit
    // and grzBoxPairs, whichever search is used.
    grz_tightPairs,
    // The triangles of tight pairs whose own boxes are within the margin, where the positions of both are known. In
    // one frame the result does not depend on hierarchies.
    grz_trianglePairs,
} grzPairPrecision;

typedef struct grzUpkeepPairsQuery {
    uint32_t mark; // set by grzDefaultUpkeepPairsQuery; calls refuse another
    grzPairPrecision precision;
    float margin; // at least 0, finite. A margin that changes little costs no new search
    // Where a hierarchy (not an upkeep) stands; NULL: in the common frame. At most one of the two is set; the boxes
    // of that side are turned and widened. A side whose pose has the same numbers as in the last Find is at rest.
    const grzTransform *poseA, *poseB;
    uint32_t bodyPair; // for the records
    // Finds pairs of leaves alone, for a host that has another use for their triangles. They are tight with
    // grz_tightPairs, else conservative.
    bool endsAtLeaves;
} grzUpkeepPairsQuery;

// Returns a query for tight pairs of triangles, with no margin, in one frame.
GRZ_API grzUpkeepPairsQuery grzDefaultUpkeepPairsQuery(void);

// Finds the pairs of this moment. Times may jump, keyframes may come late or be dropped, and paths may change, as
// far as the upkeeps allow it. Refused, and the old pairs stay:
//   grz_badArgument  value 3; the reason names the field: a wrong mark, an unknown precision, two poses, or one of
//                    an upkeep or within one mesh, a margin below 0 or infinite, a pose or boxes beside it with
//                    numbers above 2^60
//   grz_badArgument  value 1: the paths or the mesh of an upkeep have changed since its last Advance; keyframes at its
//                    time were dropped; two upkeeps of one clock are at different times
//   grz_notFinite    a pose with a NaN or an infinity, a margin that is a NaN
//   grz_tooLarge     2^32 pairs or more
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzUpkeepPairs_Find(grzUpkeepPairs* pairs, grzTasks* tasks,
                                                    const grzUpkeepPairsQuery* query);

// Valid until the next call that takes a grzUpkeepPairs* that is not const.
typedef struct grzUpkeepPairsView {
    // Sorted by grzTrianglePair_KeyWord, each once; within one mesh triangleA < triangleB, and triangles that share
    // a vertex make no pair. t0 and t1 are parts of the time from begin to end. Before t0 and after t1 the boxes of
    // the pair's leaves are not within the margin.
    const grzTrianglePair* pairs;
    size_t count;
    double begin, end, time; // by boxes: all equal, and t0 is 0, t1 is 1. Without an upkeep: 0
} grzUpkeepPairsView;

// Returns the pairs of the last Find; none if it ended at leaves.
GRZ_API grzUpkeepPairsView grzUpkeepPairs_GetView(const grzUpkeepPairs* pairs);

// The pairs of leaves that have these triangles. Valid until the next Find, also one that is refused.
typedef struct grzUpkeepLeavesView {
    const grzLeafPair* pairs; // sorted by (leafA, leafB), each once; t0 and t1 as above
    size_t count;
    // NULL: all are active. Else the pairs are the conservative ones of the whole time from begin to end, and each
    // that is within the margin at `time` has a bit.
    const uint64_t* active;
    size_t activeCount;
    bool isTurned; // leafA is a leaf of b: b alone is an upkeep, or a alone stands under a pose
} grzUpkeepLeavesView;

GRZ_API grzUpkeepLeavesView grzUpkeepPairs_GetLeaves(const grzUpkeepPairs* pairs);

// Returns a time until which no pair begins or ends, if there is no new pose, margin, box, keyframe or path. It is
// not before the time of the last Find. Until then the pairs of the last Find hold all that are within the margin. A
// Find before it may return fewer conservative pairs if the chooser takes the other search (stats.search). O(1).
//   by boxes    the time of the last Find
//   by chords   the next begin or end of a conservative pair, at most the end of the interval. With another
//               precision, and if there are conservative pairs, the time of the last Find
GRZ_API double grzUpkeepPairs_Horizon(const grzUpkeepPairs* pairs);

// --------------------------------------------------------------------------------------------------------- figures

typedef struct grzUpkeepPairsStats {
    grzPairSearch search;                // of the last Find
    const char* reason;                  // for this search: a sentence that lives for ever
    uint64_t finds[grz_pairSearchCount]; // since Create
    uint64_t switches;                   // from one search to the other
    uint64_t pieces;                     // of time that were searched by chords
    uint64_t parts, early;               // parts of these walks: all, and the ones walked before their piece began
    uint64_t leafPairs;                  // conservative pairs of leaves of the last Find
    uint64_t tightPairs;                 // tight ones of the last Find; leafPairs if these were not looked at
} grzUpkeepPairsStats;

GRZ_API grzUpkeepPairsStats grzUpkeepPairs_GetStats(const grzUpkeepPairs* pairs);
GRZ_API size_t grzUpkeepPairs_MemorySize(const grzUpkeepPairs* pairs);

// Compares the pairs of the last Find with a plain loop over all leaves and their triangles; for tests and
// debugging. Tight pairs must be the same; those of the other precisions must keep their promises. The query is
// that of the last Find, and nothing has changed since. O(leaves of A times leaves of B). Returns false where a
// promise is broken, and logs the first as an error; also where memory for the check is refused.
GRZ_API bool grzUpkeepPairs_Validate(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query);

GRZ_EXTERN_C_END

#endif
