// All overlapping pairs of the objects of a tree, or of two trees, in one search.
//
//   grzTreePairs* pairs;
//   grzResult result = grzTreePairs_Create((grzAllocator){0}, &pairs);
//   ...each frame:
//   result = grzTreePairs_Find(pairs, tasks, &query);           // query.treeA = tree
//   grzTreePairsView found = grzTreePairs_GetView(pairs);        // found.pairs[0 .. found.count)
//
// Where few objects move among many that stand still, keep them in two trees, and name both:
//
//   query.treeA = moving, query.still = still;
//
// The search then finds the pairs of what moves, with itself and with what stands still, and costs no more than what moves.
// graze/stage/pair_table.h keeps the pairs from frame to frame.
//
// Two boxes overlap where they have a point in common; touching counts. For boxes in motion, insert what they sweep
// (grzBox_Sweep): then every pair that meets during the step is found. Each pair comes once, any number of them.
//
// Owner: the finder keeps its memory from call to call, so that after warm-up nothing is allocated; what it finds
// belongs to it and lives until the next find or its destroy. Threads: one at a time; the work runs on the given
// tasks.
#ifndef GRAZE_TREE_PAIRS_H
#define GRAZE_TREE_PAIRS_H

#include "graze/records.h"
#include "graze/tasks.h"
#include "graze/tree.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzTreePairs grzTreePairs;

// Whether two objects, by key, may form a pair. Called from worker threads, for pairs that overlap and whose
// categories and masks agree, in no promised order and perhaps more than once; must always say the same of the same
// pair.
typedef bool grzPairFilterFn(void* context, uint32_t keyA, uint32_t keyB);

typedef enum grzPairOrder {
    // As the descent meets them: the same for any worker count and SIMD level, but it depends on the tree's
    // history.
    grz_pairsInTreeOrder,
    // Ascending by (a, b): depends on nothing but boxes and keys (so not on the order of insertion either). Takes
    // some 10 ns more a pair.
    grz_pairsSorted,
} grzPairOrder;

typedef struct grzPairQuery {
    grzTree* treeA;
    grzTree* treeB; // NULL: pairs within treeA. Else another tree than treeA: pairs of one object of each
    // NULL, or another tree than treeA: pairs within treeA and pairs of one object of each, but none within `still`. The two trees
    // have no key in common. Not together with treeB.
    grzTree* still;
    grzPairOrder order;
    grzPairFilterFn* filter; // may be NULL
    void* filterContext;
} grzPairQuery;

// All zeros: to be filled in.
GRZ_API grzPairQuery grzDefaultPairQuery(void);

// All zeros of an allocator: the default one. *pairs is NULL on failure: grz_badArgument (half an allocator),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzTreePairs_Create(grzAllocator allocator, grzTreePairs** pairs);

// NULL is fine.
GRZ_API void grzTreePairs_Destroy(grzTreePairs* pairs);

// Finds all pairs. Trees are prepared first (grzTree_Prepare), so they change shape. With a treeB, a
// pair's a is the key of treeA's object; else it is the smaller key. tasks may be NULL. Refused: grz_badArgument (no
// treeA, one tree twice, treeB beside `still`, or an unknown order), grz_outOfMemory; the view is then empty.
GRZ_NODISCARD GRZ_API grzResult grzTreePairs_Find(grzTreePairs* pairs, grzTasks* tasks, const grzPairQuery* query);

typedef struct grzTreePairsView {
    const grzBodyPair* pairs;
    size_t count;
} grzTreePairsView;

GRZ_API grzTreePairsView grzTreePairs_GetView(const grzTreePairs* pairs);

GRZ_EXTERN_C_END

#endif
