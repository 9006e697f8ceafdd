// What: the memory of pairs of upkeeps, and their parts.
//
//   upkeep_pairs         create and destroy, a query, figures
//   upkeep_pairs_model   the chooser, apart from all searches
//   upkeep_pairs_sides   boxes of both sides for a search by boxes
//   upkeep_pairs_chords  the search by chords, and the horizon
//   upkeep_pairs_check   promises
//
// Idea: a search finds conservative pairs of leaves. The precision may leave some of these out. grzLeafTriangles
//   makes pairs of triangles from the rest.
// Holds: a side under a pose is searched as B, so that A stands in the common frame. Of an upkeep and a hierarchy
//   the upkeep is searched as A. If that is not the caller's order, the sides are swapped for the search and swapped
//   back in the output.
#ifndef GRAZE_KINETIC_UPKEEP_PAIRS_INSIDE_H
#define GRAZE_KINETIC_UPKEEP_PAIRS_INSIDE_H

#include "graze/stage/leaf_triangles.h"
#include "graze/stage/upkeep_pairs.h"

#include "array.h"
#include "box_pairs_inside.h"
#include "chord_inside.h"
#include "upkeep_inside.h"
#include "upkeep_pairs_model.h"

typedef struct PairSide {
    grzUpkeepPairsSide given;
    const grzBvh* bvh;
    // Of an upkeep that has none written; of a hierarchy at rest under a pose, in the common frame.
    Nodes nodes;
    uint32_t written; // nodes of an upkeep that were read in this Find
    // A hierarchy at rest, as the chord pairs have it.
    bool isTaken, isTakenPosed;
    grzTransform takenPose;
    uint64_t revision; // of the hierarchy
} PairSide;

// Pairs of leaves: all, or the pairs with a bit.
typedef struct PairLeaves {
    const grzLeafPair* pairs;
    size_t count;
    const uint64_t* asked; // NULL: all
    size_t askedCount;
    const uint64_t* known; // NULL, or bits of pairs that are known to be tight, whatever the margin
} PairLeaves;

struct grzUpkeepPairs {
    grzCountedMemory memory;
    PairSide sides[2]; // within one mesh: the first alone
    bool isSelf, areClocksApart;
    uint32_t searches; // that may be chosen
    PairsModel model;
    bool hadPose; // in the last Find
    grzTransform pose;
    grzBoxPairs* boxes;
    grzChordPairs* chords; // NULL: nothing was searched by chords yet
    uint8_t changes[257];  // for each step of the piece: whether a pair begins or ends with it
    uint64_t notedPieces;  // the piece of these changes
    LeafPairs leaves;      // active pairs
    grzLeafTriangles* triangles;
    PairLeaves found; // of the last Find
    bool isTurned, endsAtLeaves;
    double begin, end, time, horizon;
    grzUpkeepPairsStats stats;
};

// A query, with its sides in the order of the search.
typedef struct PairSearch {
    grzUpkeepPairs* pairs;
    const grzUpkeepPairsQuery* query;
    PairSide* sides[2];       // as they are searched; self: both the same
    const grzTransform* pose; // of the second side, or NULL
    bool isTurned;            // the sides are b and a
} PairSearch;

// Fills the search, or refuses the query.
grzResult grzUpkeepPairs_Begin(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query, PairSearch* search);

// Finds the pairs of triangles of some leaves, at the query's precision.
grzResult grzPairSearch_FindTriangles(const PairSearch* search, grzTasks* tasks, grzLeafTriangles* triangles,
                                      const grzLeafPair* leaves, size_t count);

// Returns whether the side's boxes are chords between keyframes.
static inline bool grzPairSide_IsChord(const PairSide* side) {
    return side->given.upkeep != NULL && side->given.upkeep->model.way == grz_upkeepChord;
}

// ---- upkeep_pairs_chords ----

// Returns NULL, or why a search by chords is not possible now.
const char* grzPairSearch_FlawOfChords(const PairSearch* search);

// Notes the pose as that of the last Find.
void grzPairSearch_NotePose(const PairSearch* search);

// Frame returns the time and piece of a search by chords, and ByChords finds its pairs. Such a search must be
// possible.
PairsFrame grzPairSearch_Frame(const PairSearch* search);
grzResult grzPairSearch_ByChords(const PairSearch* search, grzTasks* tasks, PairLeaves* found);

// Returns the next time at which a conservative pair begins or ends.
double grzUpkeepPairs_NextChange(const grzUpkeepPairs* pairs);

// ---- upkeep_pairs_sides ----

// Takes the boxes of a side for a search by boxes. Returns false where memory is refused.
bool grzPairSide_TakeBoxes(PairSide* side, grzTasks* tasks, const grzAllocator* allocator, grzBoxSet* set,
                           grzBoxReach* reach);

// Returns the nodes of a side that is in one frame, with its boxes as they are now. If it is an upkeep, they must
// have been taken.
const grzBvhNode* grzPairSide_Nodes(const PairSide* side);

#endif
