// The pairs of a tree, or of two, from frame to frame: which begin, which persist, which end.
//
//   grzPairCacheDef def = grzDefaultPairCacheDef();
//   def.query.treeA = tree;
//   result = grzPairCache_Create(&def, &cache);
//   ...each frame, either where few objects moved:
//   grzPairUpdate update = grzDefaultPairUpdate();
//   update.inA.moved = ids, update.inA.movedCount = count;     // those of grzTree_UpdateMany, and inserted ones
//   result = grzPairCache_Update(cache, tasks, &update);
//   ...or where most did:
//   result = grzTreePairs_Find(finder, tasks, &def.query);
//   result = grzPairCache_UpdateAll(cache, grzTreePairs_GetView(finder));
//   ...then:
//   grzPairCacheView view = grzPairCache_GetView(cache);        // view.begun, view.ended
//
// The cache holds a set of pairs of keys. An update makes it the set of now: a pair has begun where it was not in
// the set before and is now, has ended where it was and no longer is, and persists where it is in both. Everything
// comes sorted, ascending by (a, b), and depends on boxes, keys and filters alone: not on which of the two ways an
// update took, nor on the number of workers, the SIMD level, the order of insertion or the order of what is given.
// Any number of pairs.
//
// Within a tree, a is the smaller key of a pair; between two trees it is the key of treeA's object. Objects are
// pairs' ends by key, so keys must be unique within a tree (those of two trees may coincide). An object that is
// removed and inserted again under its key between two updates is the same one to its pairs.
//
// Cost: an Update is O(moved) and an UpdateAll O(pairs). Measured by a grzTreePairs_Find of the same tree, an Update
// that names one object in a hundred costs a small part and one that names them all several times as much, so Update
// is the faster way while fewer than a quarter of the objects are named (`graze-bench pairs --case few-moving` and
// `--case all-moving`). The first Update after an UpdateAll costs twice as much, once, since it finds out which
// objects the keys are. Memory: some 11 bytes a pair, and where Update is used 45 more; scratch for what the largest
// update found stays.
//
// Owner: the cache; its trees must outlive it. What it shows lives until the next call that takes a grzPairCache*.
// Threads: one at a time; the work runs on the given tasks.
#ifndef GRAZE_PAIR_CACHE_H
#define GRAZE_PAIR_CACHE_H

#include "graze/tree_pairs.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzPairCache grzPairCache;

typedef struct grzPairCacheDef {
    uint32_t mark;      // set by grzDefaultPairCacheDef
    grzPairQuery query; // what Update looks for; its order is not used. Without treeA there is only UpdateAll
    grzAllocator allocator;
} grzPairCacheDef;

GRZ_API grzPairCacheDef grzDefaultPairCacheDef(void);

// Makes a cache that knows of no pair, or sets *cache to NULL: grz_badDef, grz_badArgument (treeB is treeA, or
// stands alone; half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzPairCache_Create(const grzPairCacheDef* def, grzPairCache** cache);

// NULL is fine.
GRZ_API void grzPairCache_Destroy(grzPairCache* cache);

// What happened to the objects of a tree since the last update of either kind.
typedef struct grzPairChanges {
    // Objects that are in the tree and were moved or inserted, or whose category, mask or host filter answers
    // otherwise than before. Any order; an id may occur twice. An object that did not change may be there too.
    const grzTreeId* moved;
    size_t movedCount;
    // Objects that were removed from the tree. Those that came after the last update and went again may be there
    // too.
    const grzTreeId* removed;
    size_t removedCount;
} grzPairChanges;

typedef struct grzPairUpdate {
    grzPairChanges inA;
    grzPairChanges inB; // where there is a treeB
} grzPairUpdate;

// Nothing happened.
GRZ_API grzPairUpdate grzDefaultPairUpdate(void);

// Looks again at the pairs of the objects that are named, and at no others; so what is not named and did move goes
// unseen. The trees are prepared first (grzTree_Prepare). Where no update came before, all objects count as
// inserted, named or not. tasks may be NULL.
//
// Refused, with the pairs and the view as they were (the next update must name these changes again):
//   grz_staleHandle    a moved object is not in its tree; index: its place in its list
//   grz_badArgument    value 1: the def had no treeA; or, with grz_partElement, two objects of a tree have one key,
//                      which is `index`
//   grz_badArgument    value 3: a removed object is still in its tree (grz_partObject; index: its place in its list);
//                      or, without a part, a tree holds more or fewer objects than were announced
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzPairCache_Update(grzPairCache* cache, grzTasks* tasks,
                                                    const grzPairUpdate* update);

// Takes all pairs of now, in any order; a pair that is given several times counts once. Fastest when they are
// sorted. What is no pair of the def's trees (within a tree also one whose a is not the smaller key) is held too, and
// ends with the next Update. Refused as above: grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzPairCache_UpdateAll(grzPairCache* cache, grzTreePairsView pairs);

// Forgets all pairs, none of which ends, as after creation. For when a tree was filled anew.
GRZ_API void grzPairCache_Reset(grzPairCache* cache);

// What the last update did.
typedef struct grzPairCacheView {
    grzTreePairsView begun, ended;
    size_t count;          // pairs now
    size_t persistedCount; // of them, those that were there before
} grzPairCacheView;

GRZ_API grzPairCacheView grzPairCache_GetView(const grzPairCache* cache);

// Whether the pair is there now; a and b in their order.
GRZ_API bool grzPairCache_Has(const grzPairCache* cache, grzBodyPair pair);

typedef enum grzPairSelection {
    grz_pairsNow,       // begun and persisting
    grz_pairsPersisted, // there before and now
} grzPairSelection;

// Walks pairs in order without copying them: each run holds one or more that are consecutive.
//
//   grzPairRuns runs = grzPairCache_GetRuns(cache, grz_pairsPersisted);
//   grzTreePairsView run;
//   while (grzPairRuns_Next(&runs, &run)) ...
typedef struct grzPairRuns {
    const grzPairCache* cache;
    grzPairSelection selection;
    size_t part, offset, begun; // where the walk stands
} grzPairRuns;

GRZ_API grzPairRuns grzPairCache_GetRuns(const grzPairCache* cache, grzPairSelection selection);
GRZ_API bool grzPairRuns_Next(grzPairRuns* runs, grzTreePairsView* run);

// Copies them into one array. *count is how many there are; grz_bufferTooSmall where capacity is less.
GRZ_NODISCARD GRZ_API grzResult grzPairCache_CopyPairs(const grzPairCache* cache, grzPairSelection selection,
                                                       grzBodyPair* pairs, size_t capacity, size_t* count);

GRZ_API size_t grzPairCache_MemoryBytes(const grzPairCache* cache);

// Checks order, counts and links; for tests and for doubts. O(pairs). False where something is broken; the first is
// logged as an error.
GRZ_API bool grzPairCache_Validate(const grzPairCache* cache);

GRZ_EXTERN_C_END

#endif
