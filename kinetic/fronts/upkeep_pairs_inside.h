// What: how pairs of upkeeps lie in memory, and their parts.
//
//   upkeep_pairs         making it, a query, figures
//   upkeep_pairs_sides   boxes of both sides for a search by boxes
//   upkeep_pairs_tight   leaves whose boxes are within the margin at the time
//   upkeep_pairs_check   promises
//
// Idea: a search gives conservative pairs of leaves; some of these are left out where the precision asks for it; grzLeafTriangles makes pairs of
//   triangles of the rest.
// Holds: a side under a pose is searched as B, so that A stands in the common frame; where that is side a, sides are turned for the search and
//   back in the output.
#ifndef GRAZE_KINETIC_UPKEEP_PAIRS_INSIDE_H
#define GRAZE_KINETIC_UPKEEP_PAIRS_INSIDE_H

#include "graze/stage/leaf_triangles.h"
#include "graze/stage/upkeep_pairs.h"

#include "array.h"
#include "box_pairs_inside.h"
#include "chord_inside.h"
#include "upkeep_inside.h"

// Some leaves of a hierarchy, with their boxes.
typedef struct PairBoxes {
    GRZ_ARRAY(grzBox);
} PairBoxes;

typedef struct PairBits {
    GRZ_ARRAY(uint64_t);
} PairBits;

typedef struct PairLeafSet {
    PairBits bits;         // of all leaves
    ScratchNumbers before; // how many there are before each word
    PairBoxes boxes;       // of those that are there, in their order
} PairLeafSet;

typedef struct PairSide {
    grzUpkeepPairsSide given;
    const grzBvh* bvh;
    Nodes nodes;    // of an upkeep that has none written
    PairLeafSet at; // leaves in conservative pairs
} PairSide;

struct grzUpkeepPairs {
    grzCountedMemory memory;
    PairSide sides[2]; // within one mesh: the first alone
    bool isSelf, areClocksApart;
    grzBoxPairs* boxes;
    grzLeafTriangles* triangles;
    LeafPairs leaves; // where conservative ones are looked at
    PairBits counts;  // of blocks of these
    double begin, end, time;
    grzUpkeepPairsStats stats;
};

// A search, as it was asked for.
typedef struct PairSearch {
    grzUpkeepPairs* pairs;
    const grzUpkeepPairsQuery* query;
    PairSide* sides[2];       // as they are searched; self: twice the same
    const grzTransform* pose; // of the second, or NULL
    const BoxFrame* frame;    // likewise, once its boxes are there
    bool isTurned;            // they are b and a
} PairSearch;

// Refuses, or says how it is searched.
grzResult grzUpkeepPairs_Begin(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query, PairSearch* search);

// Pairs of triangles of some leaves, as the precision asks for.
grzResult grzPairSearch_FindTriangles(const PairSearch* search, grzTasks* tasks, grzLeafTriangles* triangles,
                                      const grzLeafPair* leaves, size_t count);

// Boxes between those of keyframes.
static inline bool grzPairSide_IsChord(const PairSide* side) {
    return side->given.upkeep != NULL && side->given.upkeep->model.way == grz_upkeepChord;
}

// ---- upkeep_pairs_sides ----

// False where memory is refused.
bool grzPairSide_TakeBoxes(PairSide* side, grzTasks* tasks, const grzAllocator* allocator, grzBoxSet* set,
                           grzBoxReach* reach);

// The nodes of a side that is in one frame with its boxes as they are now; they were taken, if it is an upkeep.
const grzBvhNode* grzPairSide_Nodes(const PairSide* side);

// ---- upkeep_pairs_tight ----

// Fills search->frame, if there is a pose.
void grzPairSearch_TakeFrame(PairSearch* search, BoxFrame* frame);

// The box of a leaf at the time, as tight pairs have it. frame: NULL, or of the side's pose.
grzBox grzPairSide_LeafBox(const PairSide* side, const BoxFrame* frame, uint32_t leaf);

// Leaves the tight ones of some pairs in pairs->leaves. False where memory is refused.
bool grzUpkeepPairs_Tighten(const PairSearch* search, grzTasks* tasks, const grzLeafPair* from, size_t count);

#endif
