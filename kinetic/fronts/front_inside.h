// What: the memory of a pair front, and the stages that work on it, each in a file of its own.
//
//   pair_front        creates it, advances its time, follows changes
//   front_lead        advances the trees to a time, and logs which vertices took over sides
//   front_region      events in a region, in order
//   front_cull        one tree with itself: boxes that cannot meet themselves
//   front_pairs       pairs that come and go;  front_view: leaves that overlap, sorted
//   front_look        one pair: whether its boxes overlap, and until when that is sure
//   front_gap         two sides;  front_clock: time
//   pair_front_check  checks all promises, slowly
//
// The test tree. A pair of boxes is opened on the side of the higher tier (leaves are tier 0), on that of A where
// both are the same. So it has eight children at most. Levels alone decide which side is opened, so the children of
// a pair never change. Opening both sides at once gives 64 children, most of them apart. One side at a time, a box
// of A that is apart from B's whole box saves eight of them.
//
//   tiers   (5, 4)  (4, 4)  (3, 4)  (3, 3) | (2, 3)  (2, 2)  ...  (0, 0)
//                        top               |        region
//
//   regions   the pairs below a pair of parts (kinetic_inside.h). Its pair of roots belongs to the top, which opens
//             and closes the region; below it nothing depends on any other region.
//   pairs     the pairs that a search comes to. Apart: the separation list's inner nodes, and its leaves that do
//             not overlap. Leaves that overlap. Open: boxes that overlap, above the list. So the time at which
//             parents cease to overlap is kept once, and not with each of their children.
//   sure      how long a pair stays what it is:
//               overlapping   until two of the vertices that realise the sides now come to lie apart. Other
//                             vertices may come to realise sides, which only makes boxes larger at ticks of
//                             their plan: nothing is watched.
//               apart         until the last of the sides that are apart now may overlap: the witness. It is a side
//                             of each box, and both sides are watched. If they are apart also at the end of a piece
//                             at which intervals of both trees end, they are apart all the time, whichever vertices
//                             realise them: the lower side runs above its chord, and the upper one below. Then
//                             nothing is watched. The chord begins at a tick of both plans: only there are both
//                             boxes exact.
//             When this time has come, the pair is looked at again: it has an event, or stays what it is for
//             another reason.
//   itself    one tree with itself: the top begins with the root and itself. A box and itself, or a box below it,
//             are related: they always overlap, and have no event. A box with itself is opened into its children,
//             each with the box. Each of these is opened into the child, with the children that do not come
//             before it. So each pair is there once, and its box of A does not come after that of B.
//
//               (P, P)    (P0, P)     (P0, P0) (P0, P1) ... (P0, P7)
//                         (P1, P)              (P1, P1) ... (P1, P7)
//                         ...
//
//             If the triangles below a box cannot meet themselves in a piece, the pair of the box with itself is
//             free: it is not opened.
//
// Holds: a region reads the trees as they are at its own time, though they have advanced further
//   (FrontSide.newest).
#ifndef GRAZE_KINETIC_FRONT_INSIDE_H
#define GRAZE_KINETIC_FRONT_INSIDE_H

#include "graze/stage/pair_fronts.h"

#include "front_eight_kernel.h"
#include "front_gap.h"
#include "kinetic_inside.h"
#include "self_cull.h"

#define FRONT_NONE UINT32_MAX

typedef enum FrontState {
    front_noPair = 0, // its place is free, or the box has no such child
    front_apart,
    front_open,
    front_leaves, // leaves that overlap; in the top: roots of parts, and the region below is there
    front_free,   // a box with itself: what is below cannot meet itself in this piece
} FrontState;

typedef struct FrontChanges {
    GRZ_ARRAY(KineticChange);
} FrontChanges;

// The data of one tree.
typedef struct FrontSide {
    grzKineticTree* tree;
    double at; // the plan time that the front led it to
    uint64_t revision, followed;
    uint32_t partTier; // of the roots of parts
    // Laid out like tree->realisers: 1 + the place of the side's newest change in its part's log; 0: none.
    uint32_t* newest[KINETIC_TIERS];
    // Boxes where the piece begins, if intervals of both trees end there (grzPairFront.knewEnds).
    grzBvhNode* begins;
    // Boxes at the end of a piece of the vertices that realise sides at its beginning (grzKinetic_WriteAhead).
    grzBvhNode* ahead;
    FrontChanges topChanges; // of this advance, above the parts and at their roots
    unsigned char* memory;
    size_t memorySize;
} FrontSide;

// A tick, and the plan times of the trees at this tick.
typedef struct FrontNow {
    double tick, at[2];
} FrontNow;

typedef struct FrontPair {
    uint32_t boxes[2];
    uint8_t tiers[2];
    uint8_t state;
    uint8_t witness;   // apart: see frontSideOf
    uint32_t children; // open: its first child; in the top, roots of parts that overlap: their region
    uint32_t queued;   // 1 + its place in the queue; 0: it has no event
    // 1 + the neighbours in the list of pairs that watch the same box; both 0 and no head: not watched.
    uint32_t next[2], prev[2];
    bool isWatched;
} FrontPair;

typedef struct FrontPairs {
    GRZ_ARRAY(FrontPair);
} FrontPairs;

typedef struct FrontEvent {
    double tick;
    uint32_t order; // deeper pairs first
    uint32_t pair;
} FrontEvent;

typedef struct FrontQueue {
    GRZ_ARRAY(FrontEvent);
} FrontQueue;

typedef struct FrontNumbers {
    GRZ_ARRAY(uint32_t);
} FrontNumbers;

typedef struct FrontKeys {
    GRZ_ARRAY(uint64_t); // leaf of A << 32 | leaf of B
} FrontKeys;

// The changes of one tree, in the order of time.
typedef struct FrontStream {
    const KineticChange* changes;
    size_t count, told;
    double next; // the tick of the next one; infinity: none in this piece
} FrontStream;

typedef struct FrontRegion {
    bool isTop, isUsed, isBuilt;
    bool hasLost; // memory was refused: the front must be built again
    uint32_t roots[2];
    uint8_t tiers[2];
    double openAt, closeAt;             // ticks of this advance
    FrontPairs pairs;                   // the top: the first is the pair of roots; in eights
    FrontNumbers free;                  // eights that are free: their first
    FrontQueue queue;                   // a heap
    FrontKeys noted;                    // leaves that began or ceased to overlap since the view was made
    uint32_t* watched[2];               // of each box that is in the region: 1 + the first pair that watches it
    uint32_t offsets[2][KINETIC_TIERS]; // box + offset is the place there
    uint32_t boxCounts[2];
    FrontStream streams[2];
    uint32_t watchedCount; // pairs that watch
    grzPairFrontStats stats;
} FrontRegion;

typedef struct FrontRegions {
    GRZ_ARRAY(FrontRegion*);
} FrontRegions;

typedef struct FrontLeafPairs {
    GRZ_ARRAY(grzLeafPair);
} FrontLeafPairs;

struct grzPairFront {
    grzAllocator allocator;
    int treeCount; // 1: of one tree with itself
    FrontSide trees[2];
    FrontSide* sides[2]; // one tree with itself: twice the same
    bool cullsSelf;
    grzSelfCull* cull; // of this piece; NULL: nothing is free
    FrontClock clock;
    FrontNow now;
    bool isStale;   // all pairs must be looked at before time advances
    bool knewEnds;  // boxes where the piece begins are known
    bool knowsEnds; // both trees know boxes where it ends: grzFront_KnowsEnds, while regions run
    bool isBroken;  // memory was refused: the front must be built again
    FrontRegion* top;
    FrontRegions regions;      // all that were ever needed
    FrontNumbers used, unused; // numbers of regions that are in use, and of all others
    double time;               // of the view, or nearly
    FrontLeafPairs view;
    FrontLeafPairs other;     // where the next view is made
    FrontKeys noted, scratch; // of all regions
    uint64_t pieces, rebuilds;
    grzPairFrontStats gone; // of regions before the front was built again
};

// ---- front_lead ----

FrontNow grzFront_NowAt(const grzPairFront* front, double tick);

// Advances both trees to a tick of the piece, and keeps their changes until grzFront_Forget. Returns false where
// these are not known, and for a front that is broken or empty.
bool grzFront_Lead(grzPairFront* front, grzTasks* tasks, double tick);
void grzFront_Forget(grzPairFront* front);

// ---- front_cull ----

// Decides which boxes are free in the piece. After an edit of the hierarchy it finds the contours again first.
// Returns false where memory is refused.
bool grzFront_Cull(grzPairFront* front, grzTasks* tasks);

// Returns whether a pair is a box with itself that cannot meet itself in this piece.
bool grzFront_IsFree(const grzPairFront* front, const FrontPair* pair);

// Returns whether a pair is a box with itself, or with a box above it: they always overlap.
static inline bool frontIsRelated(const grzPairFront* front, const FrontPair* pair) {
    return front->treeCount == 1 &&
           pair->boxes[0] >> 3 * (uint32_t)(pair->tiers[1] - pair->tiers[0]) == pair->boxes[1];
}

// Whether the boxes of both trees are exact at a time. Between two ticks of a plan's own grid a box may be too small, and lie apart where
// it does not: chords from there prove nothing.
static inline bool frontIsExact(const grzPairFront* front, const FrontNow* now) {
    return grzFrontClock_IsOfPlan(&front->clock, 0, now->tick, now->at[0]) &&
           grzFrontClock_IsOfPlan(&front->clock, 1, now->tick, now->at[1]);
}

// ---- front_look ----

// A witness is the axis that separates two boxes, + 3 if B's box is the one above. Returns the side of a tree's box
// in a witness.
static inline uint32_t frontSideOf(uint32_t witness, int tree) {
    return tree == 0 ? witness : (witness + 3) % 6;
}

typedef struct FrontSure {
    bool isApart, isWatched;
    uint8_t witness; // apart
    double until;    // a tick; infinity: as long as pairs know
} FrontSure;

// Decides whether a pair is apart now, and until when that is sure. It tries the pair's state and witness first.
FrontSure grzFront_Look(const grzPairFront* front, const FrontPair* pair, const FrontNow* now);

// Does the same at the beginning of a piece. The pair must be what it is up to the first tick of the piece.
FrontSure grzFront_LookOn(const grzPairFront* front, const FrontPair* pair, const FrontNow* now);

// Bits of the eight children of an open pair, for each witness: the children that it keeps apart. For the beginning
// of a piece whose end both trees know.
//   begin   where the piece begins, if that is known
//   end     where the piece ends
//   ahead   where the piece ends, by the vertices that realise sides where it begins
typedef struct FrontEight {
    uint8_t begin[6], end[6], ahead[6];
    // Children that each witness keeps apart all the time; the last: children that overlap all the time.
    uint8_t sure[7];
} FrontEight;

// Returns the bits of the children, given the first child and the tree on whose side the pair was opened.
FrontEight grzFront_EndEight(const grzPairFront* front, const FrontPair* first, int tree);

// Does grzFront_LookOn for a child.
FrontSure grzFront_LookAtChild(const grzPairFront* front, const FrontPair* pair, const FrontEight* eight,
                               uint32_t child, const FrontNow* now);

// Returns whether intervals of both trees end with the piece, and their boxes there are known.
bool grzFront_KnowsEnds(const grzPairFront* front);

// ---- front_pairs ----

// Builds the pairs that a region begins with.
void grzFront_BuildRegion(grzPairFront* front, FrontRegion* region, const FrontNow* now);

// Looks at a pair that has an event. Returns whether the pair stays what it is.
bool grzFront_Renew(grzPairFront* front, FrontRegion* region, uint32_t pair, const FrontNow* now);

// Returns the tree on whose side a pair is opened.
static inline int frontOpened(const uint8_t tiers[2]) {
    return tiers[0] >= tiers[1] ? 0 : 1;
}

// Returns whether an open pair has the child. One tree with itself has each pair once.
static inline bool frontHasChild(const grzPairFront* front, const FrontPair* pair, uint32_t child) {
    const int tree = frontOpened(pair->tiers);
    const uint32_t box = pair->boxes[tree];
    if (child >= childCount(front->sides[tree]->tree, pair->tiers[tree], box))
        return false;
    return tree == 0 || !frontIsRelated(front, pair) || box * GRZ_BVH_WIDTH + child >= pair->boxes[0];
}

// Looks at all pairs. isOn: a piece begins where the one before ended.
void grzFront_RenewAll(grzPairFront* front, FrontRegion* region, const FrontNow* now, bool isOn);

// ---- front_view ----

// Notes a pair of leaves that begins or ceases to overlap.
void grzFront_NoteLeaves(const grzPairFront* front, FrontRegion* region, const FrontPair* pair);

// CollectNotes gathers the notes of all regions, and MakeView makes the view from them. isNew: from nothing. Both
// return false where memory is refused.
bool grzFront_CollectNotes(grzPairFront* front);
bool grzFront_MakeView(grzPairFront* front, bool isNew);

// ---- front_queue ----

// Sets the tick of a pair's event; infinity: it has none. There must be room for one more event.
void grzFrontQueue_Set(FrontRegion* region, uint32_t pair, double tick);

// ---- front_region ----

// Makes an empty region. Returns NULL where memory is refused. The top has no roots.
FrontRegion* grzFront_NewRegion(const grzPairFront* front, const uint32_t roots[2]);
void grzFront_DestroyRegion(const grzPairFront* front, FrontRegion* region);
void grzFront_EmptyRegion(FrontRegion* region);
size_t grzFront_RegionSize(const FrontRegion* region);

// Begins a region for a pair of roots at a tick, a free region or a new one. Returns its number, FRONT_NONE where
// memory is refused.
uint32_t grzFront_OpenRegion(grzPairFront* front, const uint32_t roots[2], double tick);

// Notes the leaves that still overlap in a region that was closed.
void grzFront_CloseRegion(const grzPairFront* front, FrontRegion* region);

// Frees the closed regions for use again.
void grzFront_FreeClosed(grzPairFront* front);

// Runs all events of a region up to a tick.
void grzFront_RunRegion(grzPairFront* front, FrontRegion* region, double until);

#endif
