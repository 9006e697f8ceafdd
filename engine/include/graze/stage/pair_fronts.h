// Pair fronts: which leaves of two moving meshes, or of one with itself, have boxes that overlap, kept up from event to event and not
// searched for again.
//
//   grzPairFrontDef def = grzDefaultPairFrontDef();
//   def.treeA = treeA, def.treeB = treeB;                      // two ordered trees (graze/kinetic_tree.h)
//   result = grzPairFront_Create(&def, &front);
//   ...each frame:
//   result = grzPairFront_Advance(front, tasks, time);         // leads both trees
//   view = grzPairFront_GetView(front);                        // pairs of leaves that overlap now
//
// A search through two hierarchies stops at pairs of boxes that do not overlap, and at pairs of leaves. The front holds these
// pairs, and for each the time until which it is sure to stay what it is. Nothing is done for a pair before that time. So the
// front is valid at every instant, and its work goes with what begins and ends to overlap, not with how often it is asked.
//
// Boxes overlap where they touch. What is compared are real numbers, not the floats they are rounded to. The time of an
// event is the first tick of the front's grid at which it is so:
//   two plans of paths      the finer of both grids
//   keyframes in either     steps of 2^-24 of a piece: the time between two neighbouring keyframes of either plan
// Where both plans have their keyframes at the same times, or both are of paths with one tick, boxes at a tick are exactly those of the
// trees. Else a piece begins and ends at ticks of both plans, and every vertex moves evenly between these; but which one realises a side
// is known at its plan's own ticks. Between two of them a box may be too small by what vertices move beside each other in one.
//
// One tree with itself: each pair of leaves is there once, leafA <= leafB. As in all searches within one set
// (graze/stage/node_pairs.h), a leaf makes a pair with itself, and leaves whose triangles all share vertices make one; of such triangles
// grzLeafTriangles makes no pairs. With cullsSelf leaves that lie in one node that cannot meet itself make no pair, nor does such a leaf
// with itself. What is free is decided for each interval between keyframes by a grzSelfCull of the front's own: it holds at every
// instant of that. So pairs may come and go at a keyframe although nothing begins or ends to overlap.
//
// Ownership: the front keeps pointers to both trees, which must outlive it. It alone advances them: a tree is in one front.
// Threads: one call that changes a front at a time, and none on its trees meanwhile; any number may read between. The same bytes
// for any number of workers and at every SIMD level. Memory grows with the number of pairs, at worst O(n^2), and is kept for use again.
// [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006], section 7; docs/pair_fronts.md tells what differs.
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
    bool
        cullsSelf; // one tree of keyframes with itself: without what cannot meet itself. Not for triangles that come near each other
    grzTasks* tasks; // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzPairFrontDef;

GRZ_API grzPairFrontDef grzDefaultPairFrontDef(void);

// The front begins at the later of the ticks at which the trees stand, to which it leads the other. Refused with *front NULL: grz_badDef,
// grz_badArgument (value 1; the reason names the field: no treeA, a tree that is not ordered or not to be advanced, two trees on one
// plan of paths, cullsSelf with two trees or on paths, a plan that does not know the time), grz_outOfMemory; the trees may stand at
// that time then.
GRZ_NODISCARD GRZ_API grzResult grzPairFront_Create(const grzPairFrontDef* def, grzPairFront** front);

// NULL is fine. The trees stay.
GRZ_API void grzPairFront_Destroy(grzPairFront* front);

// Leads both trees and the front to a time, which is not before the last one. Refused, and nothing changed: grz_badArgument (value 3:
// a time before the last one, or that a plan does not know; value 1: a tree was advanced, changed or edited and the front has not
// followed, or Advance of a tree is refused). Refused for want of memory: grz_outOfMemory; the view stays, trees may have gone on,
// and the next call that finds memory makes the front new at its time: pairs are right, but not all events are counted.
GRZ_NODISCARD GRZ_API grzResult grzPairFront_Advance(grzPairFront* front, grzTasks* tasks, double time);

// After grzKineticTree_Change or grzKineticTree_Follow of either tree: looks at all pairs again, at the front's time, or at that of a
// tree that has gone on in the same piece. After an edit of a hierarchy the front is made new. Before the change the front comes to
// its time:
//
//   result = grzPairFront_Advance(front, tasks, time);
//   result = grzKineticTree_Change(treeA, tasks, time, &change);
//   result = grzPairFront_Follow(front, tasks);
//
// Refused, and to be asked again: grz_badArgument (value 1: a tree has gone on beyond the piece, or has itself not followed an edit),
// grz_outOfMemory (as Advance).
GRZ_NODISCARD GRZ_API grzResult grzPairFront_Follow(grzPairFront* front, grzTasks* tasks);

// The time that the front stands at: the end, or nearly, of its tick.
GRZ_API double grzPairFront_Time(const grzPairFront* front);

// No pair of leaves begins or ends to overlap up to this time. Not beyond the next keyframe of either plan. O(events to come).
GRZ_API double grzPairFront_Horizon(const grzPairFront* front);

typedef struct grzPairFrontView {
    const grzLeafPair*
        pairs; // that overlap now; by (leafA, leafB); t0 is 0 and t1 is 1. Valid until the front changes
    size_t pairCount;
    double pieceBegin, pieceEnd; // the piece of time that the front stands in; of two plans of paths: without end
} grzPairFrontView;

GRZ_API grzPairFrontView grzPairFront_GetView(const grzPairFront* front);

typedef struct grzPairFrontStats {
    // The separation list now.
    uint64_t innerPairs;  // boxes that do not overlap, of which one at least is no leaf
    uint64_t leavesApart; // leaves that do not
    uint64_t leavesOverlapping;
    uint64_t openPairs; // above the list: boxes that overlap and were opened
    uint64_t
        freePairs; // cullsSelf: boxes with themselves that are not opened, since they cannot meet themselves in this interval
    uint64_t freeLeaves; // leaves in these
    // Events since Create; their number does not depend on how often the front is advanced.
    uint64_t overlaps;   // boxes began to overlap
    uint64_t fathersEnd; // boxes above the list ceased to overlap, and took the place of their children
    uint64_t leavesEnd;  // leaves ceased to overlap
    uint64_t changes;    // a watched side of a box came to be realised by another vertex
    uint64_t renewals;   // what was sure until then is so for another reason
    uint64_t looks;  // pairs looked at: at the beginning of a piece, after changes, for events and when pairs come
    uint64_t pieces; // that the front came into
    uint64_t rebuilds; // when all pairs were looked for again: edits, and memory that was refused
} grzPairFrontStats;

GRZ_API grzPairFrontStats grzPairFront_GetStats(const grzPairFront* front);

// How many bytes the front has taken.
GRZ_API size_t grzPairFront_MemorySize(const grzPairFront* front);

// Searches both trees from their roots at the front's time and compares; for tests and for doubts. O(pairs). False where the front is
// broken; the first flaw is logged as an error.
GRZ_API bool grzPairFront_Validate(const grzPairFront* front);

GRZ_EXTERN_C_END

#endif
