// Pair fronts: pairs of leaves whose boxes overlap, of two moving meshes or of one with itself. Events keep the
// pairs up; they are not searched for again.
//
//   grzPairFrontDef def = grzDefaultPairFrontDef();
//   def.treeA = treeA, def.treeB = treeB;                      // two ordered trees (graze/kinetic_tree.h)
//   result = grzPairFront_Create(&def, &front);
//   ...each frame:
//   result = grzPairFront_Advance(front, tasks, time);         // leads both trees
//   view = grzPairFront_GetView(front);                        // pairs of leaves that overlap now
//
// A search through two hierarchies stops at pairs of boxes that do not overlap, and at pairs of leaves. The front
// holds these pairs, each with the time until which it is sure to stay what it is. Before that time nothing is done
// for the pair. So the front is valid at every instant. Its work grows with the pairs that begin or end to overlap,
// not with the number of calls.
//
// Boxes overlap where they touch. The front compares real numbers, not the floats to which they are rounded. The
// time of an event is the first tick of the front's grid at which it has happened:
//   two plans of paths      the ticks of the finer plan
//   keyframes in either     steps of 2^-24 of a piece: the time between two neighbouring keyframes of either plan
// There are two cases:
//   - Both plans have the same keyframe times, or both are of paths with one tick. Boxes at a tick are then exactly
//     the boxes of the trees.
//   - All other plans. A piece begins and ends at ticks of both plans, and every vertex moves evenly in between.
//     The vertex that realises a side is the one at the last tick of its plan. So between two ticks of a plan a box
//     may be too small by what vertices move against each other in one tick.
//
// One tree with itself: the front has each pair of leaves once, with leafA <= leafB. As in all searches within one
// set (graze/stage/node_pairs.h), a leaf makes a pair with itself, and so do two leaves whose triangles all share
// vertices. grzLeafTriangles makes no pairs of triangles that share a vertex. With cullsSelf the leaves of one node
// that cannot meet itself make no pairs, and no such leaf makes one with itself. A grzSelfCull of the front's own
// decides for each interval between keyframes which nodes are free. It is right at every instant of the interval.
// So at a keyframe pairs may come and go although nothing begins or ends to overlap.
//
// Ownership: the front keeps pointers to both trees, which must outlive it. It alone advances them: a tree is in
// one front. Threads: one call at a time changes a front, and no other call works on its trees meanwhile; any
// number may read between. The same bytes for any number of workers and at every SIMD level. Memory grows with the
// number of pairs, at worst O(n^2), and is kept for use again.
// [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006], section 7; docs/pair_fronts.md lists what differs.
#ifndef GRAZE_STAGE_PAIR_FRONTS_H
#define GRAZE_STAGE_PAIR_FRONTS_H

#include "graze/kinetic_tree.h"
#include "graze/stage/node_pairs.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzPairFront grzPairFront;

typedef struct grzPairFrontDef {
    uint32_t mark; // set by grzDefaultPairFrontDef; create refuses another
    grzKineticTree* treeA;
    grzKineticTree* treeB; // NULL, or treeA again: treeA with itself
    // One tree of keyframes with itself: leaves out what cannot meet itself. Leave it off for triangles that come
    // near each other.
    bool cullsSelf;
    grzTasks* tasks; // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzPairFrontDef;

GRZ_API grzPairFrontDef grzDefaultPairFrontDef(void);

// Makes a front. It begins at the later of the two ticks at which the trees stand, and advances the other tree to
// it. Refused with *front NULL; the trees may then stand at that time:
//   grz_badDef
//   grz_badArgument  value 1; the reason names the field: no treeA, a tree that is not ordered or cannot be
//                    advanced, two trees on one plan of paths, cullsSelf with two trees or on paths, a plan that
//                    does not know the time
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzPairFront_Create(const grzPairFrontDef* def, grzPairFront** front);

// Destroys the front; NULL is fine. The trees stay.
GRZ_API void grzPairFront_Destroy(grzPairFront* front);

// Advances both trees and the front to a time, which is not before the last one. Refused:
//   grz_badArgument  nothing changes. Value 3: a time before the last one, or one that a plan does not know. Value
//                    1: a tree was advanced, changed or edited and the front has not followed, or a tree refuses
//                    Advance
//   grz_outOfMemory  the view stays; trees may have advanced. The next call that finds memory builds the front
//                    again at its time: pairs are right, but not all events are counted
GRZ_NODISCARD GRZ_API grzResult grzPairFront_Advance(grzPairFront* front, grzTasks* tasks, double time);

// Looks at all pairs again, after grzKineticTree_Change or grzKineticTree_Follow of either tree. It does so at the
// front's time, or at the time of a tree that has advanced within the piece. After an edit of a hierarchy it builds
// the front again. Advance the front to the time of the change first:
//
//   result = grzPairFront_Advance(front, tasks, time);
//   result = grzKineticTree_Change(treeA, tasks, time, &change);
//   result = grzPairFront_Follow(front, tasks);
//
// Refused, and must be called again: grz_badArgument (value 1: a tree has advanced beyond the piece, or has itself
// not followed an edit), grz_outOfMemory (as Advance).
GRZ_NODISCARD GRZ_API grzResult grzPairFront_Follow(grzPairFront* front, grzTasks* tasks);

// Returns the time of the front: the end, or nearly, of its tick.
GRZ_API double grzPairFront_Time(const grzPairFront* front);

// Returns a time up to which no pair of leaves begins or ends to overlap. It is not beyond the next keyframe of
// either plan. O(events to come).
GRZ_API double grzPairFront_Horizon(const grzPairFront* front);

typedef struct grzPairFrontView {
    // The pairs that overlap now, by (leafA, leafB); t0 is 0 and t1 is 1. Valid until the front changes.
    const grzLeafPair* pairs;
    size_t pairCount;
    double pieceBegin, pieceEnd; // the piece of time that the front stands in; for two plans of paths it has no end
} grzPairFrontView;

GRZ_API grzPairFrontView grzPairFront_GetView(const grzPairFront* front);

typedef struct grzPairFrontStats {
    // The separation list now.
    uint64_t innerPairs;        // pairs of boxes that do not overlap, at least one of them no leaf
    uint64_t leavesApart;       // pairs of leaves that do not overlap
    uint64_t leavesOverlapping; // pairs of leaves that overlap
    uint64_t openPairs;         // above the list: pairs of boxes that overlap and were opened
    // With cullsSelf: boxes that cannot meet themselves in this interval, so their pair with themselves is not
    // opened.
    uint64_t freePairs;
    uint64_t freeLeaves; // leaves in these boxes
    // Events since Create; their number does not depend on how often the front is advanced.
    uint64_t overlaps;   // boxes began to overlap
    uint64_t fathersEnd; // boxes above the list ceased to overlap, and took the place of their children
    uint64_t leavesEnd;  // leaves ceased to overlap
    uint64_t changes;    // another vertex came to realise a watched side of a box
    uint64_t renewals;   // the reason why a pair stays what it is ran out, and another reason holds
    // Work since Create.
    uint64_t looks;    // at pairs: at the beginning of a piece, after changes, for events and when pairs come
    uint64_t pieces;   // that the front came into
    uint64_t rebuilds; // searches for all pairs: after edits, and after memory was refused
} grzPairFrontStats;

GRZ_API grzPairFrontStats grzPairFront_GetStats(const grzPairFront* front);

// Returns how many bytes the front has taken.
GRZ_API size_t grzPairFront_MemorySize(const grzPairFront* front);

// Searches both trees from their roots at the front's time and compares; for tests and debugging. O(pairs). Returns
// false where the front is broken, and logs the first flaw as an error.
GRZ_API bool grzPairFront_Validate(const grzPairFront* front);

GRZ_EXTERN_C_END

#endif
