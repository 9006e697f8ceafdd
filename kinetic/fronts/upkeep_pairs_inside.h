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
    Nodes nodes;      // of an upkeep that has none written; of what rests under a pose, in the common frame
    uint32_t written; // nodes of an upkeep that were read in this Find
    // What rests, as the chord pairs have it.
    bool isTaken, isTakenPosed;
    grzTransform takenPose;
    uint64_t revision; // of the hierarchy
} PairSide;

// Pairs of leaves: all, or those with a bit.
typedef struct PairLeaves {
    const grzLeafPair* pairs;
    size_t count;
    const uint64_t* asked; // NULL: all
    size_t askedCount;
    const uint64_t* known; // NULL, or of those the ones that are known to be tight, whatever the margin
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
    uint8_t changes[257];  // of the steps of the piece: whether a pair begins or ends with it
    uint64_t notedPieces;  // the piece that they are of
    LeafPairs leaves;      // that are active
    grzLeafTriangles* triangles;
    PairLeaves found; // of the last Find
    bool isTurned, endsAtLeaves;
    double begin, end, time, horizon;
    grzUpkeepPairsStats stats;
};

// A search, as it was asked for.
typedef struct PairSearch {
    grzUpkeepPairs* pairs;
    const grzUpkeepPairsQuery* query;
    PairSide* sides[2];       // as they are searched; self: twice the same
    const grzTransform* pose; // of the second, or NULL
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

// ---- upkeep_pairs_chords ----

// NULL, or why a search by chords is not possible now.
const char* grzPairSearch_FlawOfChords(const PairSearch* search);

// The pose is that of the last Find from now on.
void grzPairSearch_NotePose(const PairSearch* search);

// Of a search by chords that is possible.
PairsFrame grzPairSearch_Frame(const PairSearch* search);
grzResult grzPairSearch_ByChords(const PairSearch* search, grzTasks* tasks, PairLeaves* found);

// The next time at which a conservative pair begins or ends.
double grzUpkeepPairs_NextChange(const grzUpkeepPairs* pairs);

// ---- upkeep_pairs_sides ----

// False where memory is refused.
bool grzPairSide_TakeBoxes(PairSide* side, grzTasks* tasks, const grzAllocator* allocator, grzBoxSet* set,
                           grzBoxReach* reach);

// The nodes of a side that is in one frame with its boxes as they are now; they were taken, if it is an upkeep.
const grzBvhNode* grzPairSide_Nodes(const PairSide* side);

#endif
