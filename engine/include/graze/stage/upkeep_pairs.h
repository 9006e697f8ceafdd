// Pairs of triangles that may touch, of two meshes or within one, of which some move: one interface over the searches of node_pairs.h, with a
// chooser.
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
// Contents: sides; searches; making it; finding; figures.
//
// The searches:
//   boxes    every Find walks both hierarchies as they are now, or asks what was near before (grzBoxPairs)
//   chords   one walk for each interval between keyframes; a Find asks which pairs are of its time (grzChordPairs)
// Chords are for upkeeps on keyframes that are in the chord way now, beside another one of the same clock, themselves, or what rests. Where
// both searches are possible the cheaper one is chosen, from constants and counted work: no time is measured, so the same calls make the same
// choices, for any number of workers.
//
// Overlap is closed: boxes that only touch overlap, and a distance that equals the margin is within it.
#ifndef GRAZE_STAGE_UPKEEP_PAIRS_H
#define GRAZE_STAGE_UPKEEP_PAIRS_H

#include "graze/records.h"
#include "graze/stage/node_pairs.h"
#include "graze/upkeep.h"

GRZ_EXTERN_C_BEGIN

// ------------------------------------------------------------------------------------------------------------ sides

// Either an upkeep or a hierarchy with boxes.
//   kind of mesh               fields
//   moves by a plan            upkeep
//   rests                      bvh, nodes
//   rigid, under a pose        bvh, nodes in its own frame; the pose comes with each Find
//   simulated, refit by you    bvh, nodes, isSimulated
// Ownership: all pointers are the caller's, and must live until the pairs are destroyed.
typedef struct grzUpkeepPairsSide {
    const grzUpkeep*
        upkeep; // it was advanced to the time of the search before each Find. Not with the box tree, whose leaves are others
    const grzBvh* bvh;
    const grzBvhNode* nodes; // as grzBvh_Refit has them; they stay as they are until grzUpkeepPairs_SetNodes
    bool isSimulated;        // they may be others in each Find
    // What only grz_trianglePairs reads, or NULL: where vertices of bvh are, three floats each, finite, as in the boxes. An upkeep has them.
    const float* positions;
    grzBvhNumbering numbering; // of positions, and of triangles in the output. Of an upkeep it is that of its plan
} grzUpkeepPairsSide;

// --------------------------------------------------------------------------------------------------------- searches

typedef enum grzPairSearch {
    grz_searchBoxes = 0,
    grz_searchChords,
    grz_pairSearchCount,
} grzPairSearch;

#define GRZ_PAIR_SEARCH_BIT(search) (1u << (unsigned)(search))

// Nanoseconds on one core.
typedef struct grzUpkeepPairsCosts {
    double boxes;      // a search by boxes, whatever there is
    double node;       // that is read of an upkeep
    double opened;     // node of a search by boxes
    double boxPair;    // pair of leaves that it finds
    double walk;       // of an interval, whatever there is
    double walkPair;   // pair of leaves in it
    double piecePair;  // pair of the interval, looked at in a frame
    double activePair; // pair that is active
} grzUpkeepPairsCosts;

// Those of one machine, an EPYC with AVX-512.
GRZ_API grzUpkeepPairsCosts grzDefaultUpkeepPairsCosts(void);

// ------------------------------------------------------------------------------------------------------- making it

// Threads: one call at a time for an object; the work runs on the given tasks. Different objects may be searched at a time by different
// threads, also where they share sides: upkeeps are only read, a lazy one is made where it is reached. Memory, after warm-up: that of the
// searches in use (stage/node_pairs.h, stage/leaf_triangles.h), and 7 bytes for each triangle of an upkeep that has no boxes written.
// Nothing is allocated then.
typedef struct grzUpkeepPairs grzUpkeepPairs;

typedef struct grzUpkeepPairsDef {
    uint32_t mark; // set by grzDefaultUpkeepPairsDef; create refuses another
    grzUpkeepPairsSide a;
    grzUpkeepPairsSide b; // neither upkeep nor bvh: pairs within a
    // Times of the two upkeeps are not of one clock: they are not searched by chords then.
    bool areClocksApart;
    uint32_t
        searches; // GRZ_PAIR_SEARCH_BIT of each that may be chosen; 0: all. What is not possible is done by boxes
    grzUpkeepPairsCosts costs; // every number finite and above 0
    grzAllocator allocator;
} grzUpkeepPairsDef;

// No sides, caller's numbers, all searches, the default costs.
GRZ_API grzUpkeepPairsDef grzDefaultUpkeepPairsDef(void);

// Searches nothing yet. Refused with *pairs NULL: grz_badDef, grz_badArgument (value 1; the reason names the field: no side a, a side with
// an upkeep and a hierarchy, a hierarchy without nodes, an upkeep on a box tree, an unknown numbering, a search that is none, costs that are no numbers above 0, half an allocator),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzUpkeepPairs_Create(const grzUpkeepPairsDef* def, grzUpkeepPairs** pairs);

// NULL is fine.
GRZ_API void grzUpkeepPairs_Destroy(grzUpkeepPairs* pairs);

// A hierarchy (not an upkeep) has other boxes now, or was edited or rebuilt. side: 0 is a, 1 is b. nodes: NULL, those it has with new
// contents; positions: NULL, those it has. Nothing else needs to be called after an edit. An upkeep that is made again needs new pairs.
GRZ_API void grzUpkeepPairs_SetNodes(grzUpkeepPairs* pairs, int side, const grzBvhNode* nodes,
                                     const float* positions);

// --------------------------------------------------------------------------------------------------------- finding

// What is compared, and so how many pairs there are. Each holds the next: none misses two triangles that are within the margin on every axis.
typedef enum grzPairPrecision {
    // All triangles of leaves whose boxes are within the margin, by the boxes that the search has: chords between keyframes, also for a margin
    // that is up to a quarter larger; boxes under a pose. No vertex is looked at.
    grz_conservativePairs = 0,
    // All triangles of leaves whose boxes are within the margin at this time: of an upkeep, the boxes of their vertices, which are made for leaves
    // in conservative pairs alone. So these are the pairs of grzBvh_Refit and grzBoxPairs, whatever the search.
    grz_tightPairs,
    // Of these the triangles whose own boxes are within the margin, where it is known of both where they are. In one frame these do not
    // depend on hierarchies.
    grz_trianglePairs,
} grzPairPrecision;

typedef struct grzUpkeepPairsQuery {
    uint32_t mark; // set by grzDefaultUpkeepPairsQuery; calls refuse another
    grzPairPrecision precision;
    float margin; // at least 0, finite. Nearly the same one costs no new search
    // Where a hierarchy stands (not an upkeep); NULL: in the common frame. One of both at the most; boxes of that side are turned and
    // widened. A pose that has the same numbers as in the last Find rests.
    const grzTransform *poseA, *poseB;
    uint32_t bodyPair; // for the records
    // Pairs of leaves alone are found, for a host that has something else to do with their triangles: conservative ones in place of pairs of
    // triangles, or tight ones.
    bool endsAtLeaves;
} grzUpkeepPairsQuery;

// Tight, no margin, one frame, triangles.
GRZ_API grzUpkeepPairsQuery grzDefaultUpkeepPairsQuery(void);

// Finds the pairs of now. Times may jump, keyframes may come late or be dropped, and paths may change, as far as the upkeeps allow it. Refused,
// and the pairs of before stay:
//   grz_badArgument  value 3; the reason names the field: a mark that is none, an unknown precision, two poses, or one of an upkeep or
//                    within one mesh, a margin below 0 or infinite, a pose or boxes beside it with numbers above 2^60
//   grz_badArgument  value 1: an upkeep of which paths have changed since its last Advance, or the mesh; two upkeeps of one clock at different times
//   grz_notFinite    a pose with a NaN or an infinity, a margin that is a NaN
//   grz_tooLarge     2^32 pairs or more
//   grz_outOfMemory
// The same bytes for any number of workers and at every SIMD level.
GRZ_NODISCARD GRZ_API grzResult grzUpkeepPairs_Find(grzUpkeepPairs* pairs, grzTasks* tasks,
                                                    const grzUpkeepPairsQuery* query);

// Good until the next call that takes a grzUpkeepPairs* that is not const.
typedef struct grzUpkeepPairsView {
    // Sorted by grzTrianglePair_KeyWord, each once; within one mesh triangleA < triangleB, and triangles that share a vertex make no pair. t0 and
    // t1 are parts of the time from begin to end: before t0 and after t1 their leaves' boxes are not within the margin.
    const grzTrianglePair* pairs;
    size_t count;
    double begin, end, time; // by boxes: all the same, and t0 is 0, t1 is 1. Without an upkeep: 0
} grzUpkeepPairsView;

// Of a Find that ended at leaves: no pairs.
GRZ_API grzUpkeepPairsView grzUpkeepPairs_GetView(const grzUpkeepPairs* pairs);

// The pairs of leaves of which these are the triangles. Good until the next Find, also one that is refused.
typedef struct grzUpkeepLeavesView {
    const grzLeafPair* pairs; // sorted by (leafA, leafB), each once; t0 and t1 as above
    size_t count;
    // NULL: all. Else conservative pairs of the whole time from begin to end, and a bit for each that is within the margin at `time`.
    const uint64_t* active;
    size_t activeCount;
    bool isTurned; // leafA is a leaf of b: where b alone is an upkeep, or a alone stands under a pose
} grzUpkeepLeavesView;

GRZ_API grzUpkeepLeavesView grzUpkeepPairs_GetLeaves(const grzUpkeepPairs* pairs);

// Until this time, at least that of the last Find, no pair begins or ends, if there is no new pose, margin, box, keyframe or path. By boxes it is
// the time of the last Find; by chords the next begin or end of a conservative pair, at most the end of the interval, or, where conservative pairs are
// looked at more closely and there are some, the time of the last Find. O(1).
GRZ_API double grzUpkeepPairs_Horizon(const grzUpkeepPairs* pairs);

// --------------------------------------------------------------------------------------------------------- figures

typedef struct grzUpkeepPairsStats {
    grzPairSearch search;                // of the last Find
    const char* reason;                  // why it is that: a sentence that lives for ever
    uint64_t finds[grz_pairSearchCount]; // since Create
    uint64_t switches;                   // from one search to the other
    uint64_t pieces;                     // that were searched by chords
    uint64_t parts, early;               // of these walks: all, and those that were done before their piece began
    uint64_t leafPairs;                  // of the last Find: conservative ones
    uint64_t tightPairs;                 // and tight ones; the same where they were not looked at
} grzUpkeepPairsStats;

GRZ_API grzUpkeepPairsStats grzUpkeepPairs_GetStats(const grzUpkeepPairs* pairs);
GRZ_API size_t grzUpkeepPairs_MemorySize(const grzUpkeepPairs* pairs);

// Checks the pairs of the last Find beside a plain loop over all leaves and their triangles: tight pairs must be the very same ones, those of the
// other precisions must be what they promise; for tests and for doubts. O(leaves of A times leaves of B). The query is that of the last Find, and nothing has
// changed since. False where a promise is broken, or memory for the check is refused; the first is logged as an error.
GRZ_API bool grzUpkeepPairs_Validate(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query);

GRZ_EXTERN_C_END

#endif
