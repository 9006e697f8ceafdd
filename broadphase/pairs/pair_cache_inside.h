// What a pair cache holds, shared by pair_cache.c and pair_update.c.
//
// Idea: the truth is the sorted set (pair_set.h). Beside it stands the graph (pair_graph.h), which says the same
// by object and can be made anew from the set and the trees at any time. An update of all pairs lets it lapse,
// and so does one that fails half-way, so that nothing ever needs to be taken back.
//
//     Update       what was announced -> graph without the removed, with the new -> search -> changes, sorted
//     UpdateAll    pairs, sorted -> compared with the set                                  -> changes, sorted
//     both         changes -> set, begun, ended
//
// Holds: where hasGraph, the graph's links are the set's pairs, and its objects those that the trees held at the
// last update.
#ifndef GRAZE_BROADPHASE_PAIR_CACHE_INSIDE_H
#define GRAZE_BROADPHASE_PAIR_CACHE_INSIDE_H

#include "graze/pair_cache.h"
#include "memory.h"
#include "pair_search.h"
#include "pair_set.h"

// What an update needs of one tree.
typedef struct CacheSide {
    grzTree* tree;
    const grzPairChanges* changes;
    struct {
        GRZ_ARRAY(uint16_t);
    } marks;            // lanes that changed, by block
    IndexArray arrived; // indices of objects that the graph does not know yet
    struct {
        GRZ_ARRAY(grzTreeId);
    } departed; // those that it knows and that were removed
} CacheSide;

// What a task finds.
typedef struct SearchOutput {
    PairChangeArray begun, ended;
    bool ranOut;
} SearchOutput;

typedef struct ShownPairs {
    GRZ_ARRAY(grzBodyPair);
} ShownPairs;

struct grzPairCache {
    grzAllocator allocator;
    grzPairQuery query;
    int sideCount; // trees
    bool wasFed;   // an update came
    bool hasGraph;
    PairSet set;
    PairGraph graph;
    CacheSide sides[2];
    ShownPairs shownBegun, shownEnded;
    // Of the update in hand.
    struct {
        GRZ_ARRAY(SearchOutput);
    } outputs;
    struct {
        GRZ_ARRAY(PairScratch);
    } scratches;                   // by worker
    PairChangeArray begun, ended;  // what the search found
    PairKeys begunKeys, endedKeys; // what comes of it all
    PairKeys wantedKeys, sortScratch;
};

static inline grzResult pairCacheNoMemory(void) {
    return grzNoMemory(1, sizeof(grzBodyPair));
}

// The key of a link's pair, from object `object` of side s.
static inline uint64_t pairCacheKeyOfLink(const PairGraph* graph, int s, uint32_t object, uint32_t other) {
    uint32_t key = graph->sides[s].objects.data[object].key;
    uint32_t otherKey = graph->sides[pairOtherSide(graph, s)].objects.data[other].key;
    bool isSwapped = graph->isWithin ? otherKey < key : s == 1;
    return isSwapped ? grzSortKeyFromPair(otherKey, key) : grzSortKeyFromPair(key, otherKey);
}

// Sorts keys and drops repeated ones. False where memory is refused.
bool grzPairCacheSortKeys(grzPairCache* cache, PairKeys* keys);

// The last step of every update: begunKeys and endedKeys, sorted, go into the set and are shown. False where memory
// is refused; then nothing has changed.
bool grzPairCacheApply(grzPairCache* cache);

#endif
