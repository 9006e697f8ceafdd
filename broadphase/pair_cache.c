// What: keeps the set of pairs from update to update, and tells what begins and ends.
// Promise: an update does all or nothing to what can be seen. The set and its views depend on boxes, keys and
// filters alone. Idea: the truth is the sorted set (pair_set.h). Beside it stands the graph (pair_graph.h), which
// says the same by object and can be made anew from the set and the trees at any time: an update of all pairs lets
// it lapse, and so does one that fails half-way; so nothing ever needs to be taken back.
//
//     Update      marks -> removed objects leave the graph -> new ones join -> search -> changes, sorted -> graph,
//     set UpdateAll   pairs, sorted -> compared with the set                              -> changes, sorted -> set
//
// Holds: where hasGraph, the graph's links are the set's pairs, and its objects those that the trees held at the
// last update. Threads: see graze/pair_cache.h; tasks search ranges of blocks and write to the range's own arrays.
#include "graze/pair_cache.h"

#include <string.h>

#include "memory.h"
#include "pair_search.h"
#include "pair_set.h"
#include "radix_sort.h"

static const uint32_t cacheDefMark = 0x67506331;

enum {
    rangeBlocks = 64, // of a search task: some 800 objects, of which few or all changed
    callAhead = 8,    // records that are called into the cache while others are worked on
};

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

grzPairCacheDef grzDefaultPairCacheDef(void) {
    grzPairCacheDef def;
    memset(&def, 0, sizeof def);
    def.mark = cacheDefMark;
    return def;
}

grzPairUpdate grzDefaultPairUpdate(void) {
    grzPairUpdate update;
    memset(&update, 0, sizeof update);
    return update;
}

grzResult grzPairCache_Create(const grzPairCacheDef* def, grzPairCache** made) {
    *made = NULL;
    if (def->mark != cacheDefMark)
        return grzFail(grz_badDef, 0);
    const grzPairQuery* query = &def->query;
    if (query->treeB != NULL && (query->treeA == NULL || query->treeA == query->treeB))
        return grzFail(grz_badArgument, 1);
    grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzPairCache* cache = grzAllocate(&allocator, 1, sizeof *cache, _Alignof(grzPairCache));
    if (cache == NULL)
        return grzNoMemory(1, sizeof *cache);
    memset(cache, 0, sizeof *cache);
    cache->allocator = allocator;
    cache->query = *query;
    cache->sides[0].tree = query->treeA;
    cache->sides[1].tree = query->treeB;
    cache->sideCount = query->treeA == NULL ? 0 : query->treeB == NULL ? 1 : 2;
    grzPairSet_Create(&cache->set, &cache->allocator);
    grzPairGraph_Create(&cache->graph, &cache->allocator, query->treeB == NULL);
    *made = cache;
    return grzOk();
}

static void releaseScratch(PairScratch* scratch, const grzAllocator* allocator) {
    MoverList* const lists[] = {&scratch->nodes, &scratch->below, &scratch->runs, &scratch->found};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        grzArray_Release(&lists[i]->movers, allocator);
        grzArray_Release(&lists[i]->words, allocator);
    }
    grzArray_Release(&scratch->known, allocator);
}

void grzPairCache_Destroy(grzPairCache* cache) {
    if (cache == NULL)
        return;
    const grzAllocator allocator = cache->allocator;
    grzPairSet_Destroy(&cache->set);
    grzPairGraph_Destroy(&cache->graph);
    for (int i = 0; i < 2; ++i) {
        grzArray_Release(&cache->sides[i].marks, &allocator);
        grzArray_Release(&cache->sides[i].arrived, &allocator);
        grzArray_Release(&cache->sides[i].departed, &allocator);
    }
    for (size_t i = 0; i < cache->outputs.count; ++i) {
        grzArray_Release(&cache->outputs.data[i].begun, &allocator);
        grzArray_Release(&cache->outputs.data[i].ended, &allocator);
    }
    for (size_t i = 0; i < cache->scratches.count; ++i)
        releaseScratch(&cache->scratches.data[i], &allocator);
    grzArray_Release(&cache->scratches, &allocator);
    grzArray_Release(&cache->outputs, &allocator);
    grzArray_Release(&cache->begun, &allocator);
    grzArray_Release(&cache->ended, &allocator);
    grzArray_Release(&cache->begunKeys, &allocator);
    grzArray_Release(&cache->endedKeys, &allocator);
    grzArray_Release(&cache->wantedKeys, &allocator);
    grzArray_Release(&cache->sortScratch, &allocator);
    grzArray_Release(&cache->shownBegun, &allocator);
    grzArray_Release(&cache->shownEnded, &allocator);
    grzRelease(&allocator, cache, 1, sizeof *cache, _Alignof(grzPairCache));
}

void grzPairCache_Reset(grzPairCache* cache) {
    grzPairSet_Clear(&cache->set);
    cache->shownBegun.count = cache->shownEnded.count = 0;
    cache->hasGraph = cache->wasFed = false;
}

// ----------------------------------------------------------------------------------------------------- changes

static bool isRising(const PairKeys* keys) {
    for (size_t i = 1; i < keys->count; ++i)
        if (keys->data[i] <= keys->data[i - 1])
            return false;
    return true;
}

// Sorts keys and drops repeated ones.
static bool sortKeys(grzPairCache* cache, PairKeys* keys) {
    if (isRising(keys))
        return true;
    if (!grzArray_Reserve(&cache->sortScratch, &cache->allocator, keys->count))
        return false;
    grzRadixSort64(keys->data, NULL, cache->sortScratch.data, NULL, keys->count);
    size_t kept = 1;
    for (size_t i = 1; i < keys->count; ++i)
        if (keys->data[i] != keys->data[kept - 1])
            keys->data[kept++] = keys->data[i];
    keys->count = kept;
    return true;
}

// Takes out of both what is in both: pairs of an object that went and came back under its key.
static void dropCommon(PairKeys* a, PairKeys* b) {
    size_t keptA = 0, keptB = 0, i = 0, j = 0;
    while (i < a->count || j < b->count) {
        if (j == b->count || (i < a->count && a->data[i] < b->data[j]))
            a->data[keptA++] = a->data[i++];
        else if (i == a->count || b->data[j] < a->data[i])
            b->data[keptB++] = b->data[j++];
        else
            ++i, ++j;
    }
    a->count = keptA;
    b->count = keptB;
}

static void showKeys(const PairKeys* keys, ShownPairs* shown) {
    for (size_t i = 0; i < keys->count; ++i)
        shown->data[i] = pairOfKey(keys->data[i]);
    shown->count = keys->count;
}

// The last step of every update: all or nothing.
static bool applyChanges(grzPairCache* cache) {
    const grzAllocator* allocator = &cache->allocator;
    if (!grzArray_Reserve(&cache->shownBegun, allocator, cache->begunKeys.count) ||
        !grzArray_Reserve(&cache->shownEnded, allocator, cache->endedKeys.count) ||
        !grzPairSet_Apply(&cache->set, &cache->endedKeys, &cache->begunKeys))
        return false;
    showKeys(&cache->begunKeys, &cache->shownBegun);
    showKeys(&cache->endedKeys, &cache->shownEnded);
    cache->wasFed = true;
    return true;
}

static grzResult noPairMemory(void) {
    return grzNoMemory(1, sizeof(grzBodyPair));
}

grzResult grzPairCache_UpdateAll(grzPairCache* cache, grzTreePairsView pairs) {
    PairKeys* wanted = &cache->wantedKeys;
    wanted->count = 0;
    if (!grzArray_Reserve(wanted, &cache->allocator, pairs.count))
        return noPairMemory();
    for (size_t i = 0; i < pairs.count; ++i)
        wanted->data[i] = pairKey(pairs.pairs[i]);
    wanted->count = pairs.count;
    if (!sortKeys(cache, wanted) ||
        !grzPairSet_Compare(&cache->set, wanted, &cache->endedKeys, &cache->begunKeys) || !applyChanges(cache))
        return noPairMemory();
    cache->hasGraph = false;
    return grzOk();
}

// ------------------------------------------------------------------------------------------- what was announced

// The lists are looked at before anything changes.
static grzResult checkChanges(const grzPairCache* cache, int s) {
    const CacheSide* side = &cache->sides[s];
    const PairSide* known = &cache->graph.sides[s];
    const grzPairChanges* changes = side->changes;
    if (side->tree == NULL)
        return changes->movedCount + changes->removedCount == 0 ? grzOk() : grzFail(grz_badArgument, 3);
    for (size_t i = 0; i < changes->movedCount; ++i) {
        if (!grzTree_Has(side->tree, changes->moved[i]))
            return grzFailAt(grz_staleHandle, grz_partObject, i, 0);
        // What marking will read.
        uint32_t object = changes->moved[i].index1 - 1;
        __builtin_prefetch(&side->tree->slots[object]);
        if (object < known->objects.count)
            __builtin_prefetch(&known->objects.data[object]);
    }
    for (size_t i = 0; i < changes->removedCount; ++i)
        if (grzTree_Has(side->tree, changes->removed[i]))
            return grzFailAt(grz_badArgument, grz_partObject, i, 3);
    return grzOk();
}

static bool reserveMarks(grzPairCache* cache, CacheSide* side) {
    size_t blocks = side->tree->blockCount;
    size_t arrivals = cache->wasFed ? side->changes->movedCount : side->tree->objectCount;
    if (!grzArray_Reserve(&side->marks, &cache->allocator, blocks) ||
        !grzArray_Reserve(&side->arrived, &cache->allocator, arrivals) ||
        !grzArray_Reserve(&side->departed, &cache->allocator, side->changes->removedCount))
        return false;
    side->marks.count = blocks;
    side->arrived.count = side->departed.count = 0;
    if (blocks != 0)
        memset(side->marks.data, 0, blocks * sizeof *side->marks.data);
    return true;
}

static void markObject(grzPairCache* cache, int s, uint32_t object) {
    CacheSide* side = &cache->sides[s];
    uint32_t slot = side->tree->slots[object];
    uint16_t bit = (uint16_t)(1u << slot % tree_lanes);
    uint16_t* lanes = &side->marks.data[slot / tree_lanes];
    if ((*lanes & bit) != 0)
        return;
    *lanes |= bit;
    if (!pairGraphKnows(&cache->graph, s, object, side->tree->ids.slots.data[object].generation))
        side->arrived.data[side->arrived.count++] = object;
}

// Marks what is to be searched: the moved, or everything where there was no update before.
static void markMoved(grzPairCache* cache, int s) {
    const CacheSide* side = &cache->sides[s];
    const grzTree* tree = side->tree;
    if (!cache->wasFed) {
        for (uint32_t i = 0; i < tree->ids.slots.count; ++i)
            if (tree->slots[i] != TREE_NONE)
                markObject(cache, s, i);
        return;
    }
    for (size_t i = 0; i < side->changes->movedCount; ++i)
        markObject(cache, s, side->changes->moved[i].index1 - 1);
}

// The removed ones that the graph knows. They are forgotten while the announcement is looked at, so that an id that
// is named twice counts once and a place that is free again can be told from one that is not.
static void listDeparted(grzPairCache* cache, int s) {
    CacheSide* side = &cache->sides[s];
    for (size_t i = 0; i < side->changes->removedCount; ++i) {
        grzTreeId id = side->changes->removed[i];
        if (!pairGraphKnows(&cache->graph, s, id.index1 - 1, id.generation))
            continue;
        cache->graph.sides[s].objects.data[id.index1 - 1].generation = 0;
        side->departed.data[side->departed.count++] = id;
    }
}

static void rememberDeparted(grzPairCache* cache, int s) {
    const CacheSide* side = &cache->sides[s];
    for (size_t i = 0; i < side->departed.count; ++i) {
        grzTreeId id = side->departed.data[i];
        cache->graph.sides[s].objects.data[id.index1 - 1].generation = id.generation;
    }
}

// Whether what was announced leads from the objects of the graph to those of the tree, as far as can be told at
// once.
static bool addsUp(const grzPairCache* cache, int s) {
    const CacheSide* side = &cache->sides[s];
    const PairSide* known = &cache->graph.sides[s];
    for (size_t i = 0; i < side->arrived.count; ++i) {
        uint32_t object = side->arrived.data[i];
        if (object < known->objects.count && known->objects.data[object].generation != 0)
            return false; // whose place it took was not named
    }
    return known->knownCount + side->arrived.count == side->tree->objectCount + side->departed.count;
}

// Room in the graph for what arrives, and everything announced that must be. Nothing has changed where it is
// refused.
static grzResult acceptChanges(grzPairCache* cache) {
    for (int s = 0; s < cache->sideCount; ++s) {
        CacheSide* side = &cache->sides[s];
        if (!reserveMarks(cache, side))
            return noPairMemory();
        listDeparted(cache, s);
        markMoved(cache, s);
        bool isWell = addsUp(cache, s);
        rememberDeparted(cache, s);
        if (!isWell)
            return grzFail(grz_badArgument, 3);
        if (!grzPairGraph_Reserve(&cache->graph, s, side->tree->ids.slots.count, side->tree->objectCount))
            return noPairMemory();
    }
    return grzOk();
}

// --------------------------------------------------------------------------------------------- coming and going

static bool appendKey(grzPairCache* cache, PairKeys* keys, uint64_t key) {
    if (!grzArray_Reserve(keys, &cache->allocator, keys->count + 1))
        return false;
    keys->data[keys->count++] = key;
    return true;
}

static uint64_t keyOfLink(const PairGraph* graph, int s, uint32_t object, uint32_t other) {
    uint32_t key = graph->sides[s].objects.data[object].key;
    uint32_t otherKey = graph->sides[pairOtherSide(graph, s)].objects.data[other].key;
    bool isSwapped = graph->isWithin ? otherKey < key : s == 1;
    return isSwapped ? grzSortKeyFromPair(otherKey, key) : grzSortKeyFromPair(key, otherKey);
}

// All pairs of the departed end.
static bool depart(grzPairCache* cache, int s) {
    PairGraph* graph = &cache->graph;
    const CacheSide* side = &cache->sides[s];
    for (size_t i = 0; i < side->departed.count; ++i) {
        uint32_t object = side->departed.data[i].index1 - 1;
        const PairObject* record = &graph->sides[s].objects.data[object];
        while (record->linkCount != 0) {
            uint32_t other = graph->links.data[record->firstLink + record->linkCount - 1];
            if (!appendKey(cache, &cache->endedKeys, keyOfLink(graph, s, object, other)))
                return false;
            grzPairGraph_Unlink(graph, s, object, other);
        }
        grzPairGraph_Forget(graph, s, object);
    }
    return true;
}

// Calls an object's key, which lies anywhere, into the cache.
static void callKey(const grzTree* tree, uint32_t object) {
    uint32_t slot = tree->slots[object];
    if (slot != TREE_NONE)
        __builtin_prefetch(&tree->blocks[slot / tree_lanes].key[slot % tree_lanes]);
}

static grzResult arrive(grzPairCache* cache, int s, uint32_t object) {
    const grzTree* tree = cache->sides[s].tree;
    uint32_t slot = tree->slots[object];
    uint32_t key = tree->blocks[slot / tree_lanes].key[slot % tree_lanes];
    if (!grzPairGraph_Know(&cache->graph, s, object, key, tree->ids.slots.data[object].generation))
        return grzFailAt(grz_badArgument, grz_partElement, key, 1);
    return grzOk();
}

static grzResult comeAndGo(grzPairCache* cache) {
    for (int s = 0; s < cache->sideCount; ++s) {
        if (!depart(cache, s))
            return noPairMemory();
        const IndexArray* arrived = &cache->sides[s].arrived;
        for (size_t i = 0; i < arrived->count; ++i) {
            if (i + pairCallAhead < arrived->count)
                callKey(cache->sides[s].tree, arrived->data[i + pairCallAhead]);
            grzResult result = arrive(cache, s, arrived->data[i]);
            if (!grzResult_IsOk(result))
                return result;
        }
    }
    return grzOk();
}

// ------------------------------------------------------------------------------------------ the graph made anew

static grzResult knowAll(grzPairCache* cache, int s) {
    const grzTree* tree = cache->sides[s].tree;
    if (!grzPairGraph_Reserve(&cache->graph, s, tree->ids.slots.count, tree->objectCount))
        return noPairMemory();
    size_t count = tree->ids.slots.count;
    for (uint32_t i = 0; i < count; ++i) {
        if (i + pairCallAhead < count)
            callKey(tree, i + pairCallAhead);
        grzResult result = tree->slots[i] != TREE_NONE ? arrive(cache, s, i) : grzOk();
        if (!grzResult_IsOk(result))
            return result;
    }
    return grzOk();
}

// The objects of a chunk's pairs.
typedef struct ChunkObjects {
    uint32_t a[pairChunkMost], b[pairChunkMost];
} ChunkObjects;

static void findObjects(const PairGraph* graph, const grzBodyPair* pairs, uint32_t count, ChunkObjects* objects) {
    ChunkObjects keys;
    for (uint32_t i = 0; i < count; ++i) {
        keys.a[i] = pairs[i].a;
        keys.b[i] = pairs[i].b;
    }
    grzPairGraph_FindMany(graph, 0, keys.a, count, objects->a);
    grzPairGraph_FindMany(graph, pairOtherSide(graph, 0), keys.b, count, objects->b);
}

// Pairs of keys that no object has any more end.
static bool linkChunk(grzPairCache* cache, const PairChunkEntry* entry) {
    PairGraph* graph = &cache->graph;
    const grzBodyPair* pairs = cache->set.chunks.data[entry->chunk].pairs;
    ChunkObjects objects;
    findObjects(graph, pairs, entry->count, &objects);
    int otherSide = pairOtherSide(graph, 0);
    for (uint32_t i = 0; i < entry->count; ++i) {
        uint32_t ahead = i + pairCallAhead, near = i + pairCallAhead / 2;
        if (ahead < entry->count && objects.b[ahead] != PAIR_NONE)
            pairGraphCallRecord(graph, otherSide, objects.b[ahead]);
        if (near < entry->count && objects.b[near] != PAIR_NONE)
            pairGraphCallLinks(graph, otherSide, objects.b[near]);
        bool isThere = objects.a[i] != PAIR_NONE && objects.b[i] != PAIR_NONE;
        bool isWell = isThere ? grzPairGraph_Link(graph, 0, objects.a[i], objects.b[i])
                              : appendKey(cache, &cache->endedKeys, pairKey(pairs[i]));
        if (!isWell)
            return false;
    }
    return true;
}

static bool linkAll(grzPairCache* cache) {
    for (size_t i = 0; i < cache->set.directory.count; ++i)
        if (!linkChunk(cache, &cache->set.directory.data[i]))
            return false;
    return true;
}

// Where there was no update yet, the graph is empty: everything arrives.
static grzResult makeGraph(grzPairCache* cache) {
    grzPairGraph_Clear(&cache->graph);
    for (int s = 0; s < cache->sideCount && cache->wasFed; ++s) {
        grzResult result = knowAll(cache, s);
        if (!grzResult_IsOk(result))
            return result;
    }
    return linkAll(cache) ? grzOk() : noPairMemory();
}

// --------------------------------------------------------------------------------------------------- the search

typedef struct SearchRun {
    grzPairCache* cache;
    PairSearch search; // what all tasks have in common
    grzPairSearchBlocks_Fn* searchBlocks;
    uint32_t blockCount;
} SearchRun;

static void searchRanges(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const SearchRun* run = context;
    PairScratch* scratch = &run->cache->scratches.data[worker];
    for (uint32_t i = begin; i < end; ++i) {
        SearchOutput* output = &run->cache->outputs.data[i];
        PairSearch search = run->search;
        search.begun = &output->begun;
        search.ended = &output->ended;
        uint32_t first = i * rangeBlocks, rest = run->blockCount - first;
        run->searchBlocks(&search, scratch, first, first + (rest < rangeBlocks ? rest : rangeBlocks));
        output->ranOut = search.ranOut;
    }
}

static bool reserveScratches(grzPairCache* cache, size_t count) {
    if (!grzArray_Reserve(&cache->scratches, &cache->allocator, count))
        return false;
    while (cache->scratches.count < count)
        cache->scratches.data[cache->scratches.count++] = (PairScratch){0};
    return true;
}

static bool reserveOutputs(grzPairCache* cache, size_t count) {
    if (!grzArray_Reserve(&cache->outputs, &cache->allocator, count))
        return false;
    while (cache->outputs.count < count)
        cache->outputs.data[cache->outputs.count++] = (SearchOutput){.ranOut = false};
    for (size_t i = 0; i < count; ++i)
        cache->outputs.data[i].begun.count = cache->outputs.data[i].ended.count = 0;
    return true;
}

static bool appendChanges(grzPairCache* cache, PairChangeArray* to, const PairChangeArray* from) {
    if (!grzArray_Reserve(to, &cache->allocator, to->count + from->count))
        return false;
    if (from->count != 0)
        memcpy(to->data + to->count, from->data, from->count * sizeof *from->data);
    to->count += from->count;
    return true;
}

static bool searchSideBySide(SearchRun* run, grzTasks* tasks) {
    grzPairCache* cache = run->cache;
    uint32_t count = (run->blockCount + rangeBlocks - 1) / rangeBlocks;
    if (!reserveOutputs(cache, count))
        return false;
    grzParallelFor(tasks, count, 1, searchRanges, run);
    for (uint32_t i = 0; i < count; ++i) {
        const SearchOutput* output = &cache->outputs.data[i];
        if (output->ranOut || !appendChanges(cache, &cache->begun, &output->begun) ||
            !appendChanges(cache, &cache->ended, &output->ended))
            return false;
    }
    return true;
}

static bool searchSide(grzPairCache* cache, grzTasks* tasks, int s) {
    CacheSide* side = &cache->sides[s];
    const CacheSide* other = &cache->sides[pairOtherSide(&cache->graph, s)];
    bool isFirstOfTwo = cache->sideCount == 2 && s == 0;
    SearchRun run = {.cache = cache, .searchBlocks = GRZ_PICK_KERNEL(grzPairSearchBlocks)};
    run.blockCount = (uint32_t)side->marks.count;
    run.search = (PairSearch){.graph = &cache->graph,
                              .side = s,
                              .tree = side->tree,
                              .other = other->tree,
                              .changed = side->marks.data,
                              .otherChanged = isFirstOfTwo ? NULL : cache->sides[0].marks.data,
                              .query = &cache->query,
                              .allocator = &cache->allocator,
                              .isFiltered = side->tree->isFiltered || other->tree->isFiltered,
                              .begun = &cache->begun,
                              .ended = &cache->ended};
    if (grzTasks_WorkerCount(tasks) > 1)
        return searchSideBySide(&run, tasks);
    run.searchBlocks(&run.search, cache->scratches.data, 0, run.blockCount);
    return !run.search.ranOut;
}

static void callRecords(const PairGraph* graph, const PairChangeArray* changes, size_t place) {
    if (place >= changes->count)
        return;
    pairGraphCallRecord(graph, 0, changes->data[place].objectA);
    pairGraphCallRecord(graph, pairOtherSide(graph, 0), changes->data[place].objectB);
}

// The graph and the keys take what was found.
static bool takeFound(grzPairCache* cache) {
    for (size_t i = 0; i < cache->ended.count; ++i) {
        PairChange change = cache->ended.data[i];
        callRecords(&cache->graph, &cache->ended, i + pairCallAhead);
        grzPairGraph_Unlink(&cache->graph, 0, change.objectA, change.objectB);
        if (!appendKey(cache, &cache->endedKeys, pairKey(change.pair)))
            return false;
    }
    for (size_t i = 0; i < cache->begun.count; ++i) {
        PairChange change = cache->begun.data[i];
        callRecords(&cache->graph, &cache->begun, i + pairCallAhead);
        if (!grzPairGraph_Link(&cache->graph, 0, change.objectA, change.objectB) ||
            !appendKey(cache, &cache->begunKeys, pairKey(change.pair)))
            return false;
    }
    return sortKeys(cache, &cache->begunKeys) && sortKeys(cache, &cache->endedKeys);
}

static bool searchAll(grzPairCache* cache, grzTasks* tasks) {
    cache->begun.count = cache->ended.count = 0;
    if (!reserveScratches(cache, grzTasks_WorkerCount(tasks)))
        return false;
    for (int s = 0; s < cache->sideCount; ++s)
        if (!searchSide(cache, tasks, s))
            return false;
    if (!takeFound(cache))
        return false;
    dropCommon(&cache->begunKeys, &cache->endedKeys);
    return true;
}

grzResult grzPairCache_Update(grzPairCache* cache, grzTasks* tasks, const grzPairUpdate* update) {
    if (cache->sideCount == 0)
        return grzFail(grz_badArgument, 1);
    cache->sides[0].changes = &update->inA;
    cache->sides[1].changes = &update->inB;
    cache->begunKeys.count = cache->endedKeys.count = 0;
    grzResult result = grzOk();
    for (int s = 0; s < 2 && grzResult_IsOk(result); ++s)
        result = checkChanges(cache, s);
    for (int s = 0; s < cache->sideCount && grzResult_IsOk(result); ++s)
        grzTree_Prepare(cache->sides[s].tree, NULL);
    if (grzResult_IsOk(result) && !cache->hasGraph)
        result = makeGraph(cache);
    if (grzResult_IsOk(result))
        result = acceptChanges(cache);
    if (!grzResult_IsOk(result))
        return result;
    cache->hasGraph = false; // until all is well
    result = comeAndGo(cache);
    if (!grzResult_IsOk(result))
        return result;
    if (!searchAll(cache, tasks) || !applyChanges(cache))
        return noPairMemory();
    cache->hasGraph = true;
    return grzOk();
}

// ---------------------------------------------------------------------------------------------------- questions

grzPairCacheView grzPairCache_GetView(const grzPairCache* cache) {
    grzPairCacheView view = {{cache->shownBegun.data, cache->shownBegun.count},
                             {cache->shownEnded.data, cache->shownEnded.count},
                             cache->set.count,
                             cache->set.count - cache->shownBegun.count};
    return view;
}

bool grzPairCache_Has(const grzPairCache* cache, grzBodyPair pair) {
    return grzPairSet_Has(&cache->set, pairKey(pair));
}

grzPairRuns grzPairCache_GetRuns(const grzPairCache* cache, grzPairSelection selection) {
    grzPairRuns runs = {cache, selection, 0, 0, 0};
    return runs;
}

bool grzPairRuns_Next(grzPairRuns* runs, grzTreePairsView* run) {
    const PairSet* set = &runs->cache->set;
    const ShownPairs* begun = &runs->cache->shownBegun;
    while (runs->part < set->directory.count) {
        const PairChunkEntry* entry = &set->directory.data[runs->part];
        const grzBodyPair* pairs = set->chunks.data[entry->chunk].pairs;
        size_t first = runs->offset, end = entry->count;
        bool isCut = false; // a begun pair ends the run
        if (runs->selection == grz_pairsPersisted && runs->begun < begun->count) {
            uint64_t key = pairKey(begun->data[runs->begun]);
            end = first + grzPairLowerBound(pairs + first, (uint32_t)(end - first), key);
            isCut = end < entry->count;
        }
        runs->offset = isCut ? end + 1 : 0;
        runs->begun += isCut;
        runs->part += !isCut;
        if (end > first) {
            *run = (grzTreePairsView){pairs + first, end - first};
            return true;
        }
    }
    *run = (grzTreePairsView){NULL, 0};
    return false;
}

grzResult grzPairCache_CopyPairs(const grzPairCache* cache, grzPairSelection selection, grzBodyPair* pairs,
                                 size_t capacity, size_t* count) {
    *count = cache->set.count - (selection == grz_pairsPersisted ? cache->shownBegun.count : 0);
    if (*count > capacity)
        return grzFail(grz_bufferTooSmall, *count);
    grzPairRuns runs = grzPairCache_GetRuns(cache, selection);
    for (grzTreePairsView run; grzPairRuns_Next(&runs, &run); pairs += run.count)
        memcpy(pairs, run.pairs, run.count * sizeof *pairs);
    return grzOk();
}

static size_t scratchBytes(const PairScratch* scratch) {
    const MoverList* const lists[] = {&scratch->nodes, &scratch->below, &scratch->runs, &scratch->found};
    size_t words = scratch->known.capacity;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        words += lists[i]->movers.capacity + lists[i]->words.capacity;
    return words * sizeof(uint32_t);
}

size_t grzPairCache_MemoryBytes(const grzPairCache* cache) {
    size_t bytes = sizeof *cache + grzPairSet_MemoryBytes(&cache->set) + grzPairGraph_MemoryBytes(&cache->graph);
    for (int i = 0; i < 2; ++i) {
        const CacheSide* side = &cache->sides[i];
        bytes += side->marks.capacity * sizeof(uint16_t) +
                 (side->arrived.capacity + side->departed.capacity) * sizeof(uint32_t);
    }
    for (size_t i = 0; i < cache->outputs.count; ++i)
        bytes +=
            (cache->outputs.data[i].begun.capacity + cache->outputs.data[i].ended.capacity) * sizeof(PairChange);
    bytes += cache->outputs.capacity * sizeof(SearchOutput) + cache->scratches.capacity * sizeof(PairScratch);
    for (size_t i = 0; i < cache->scratches.count; ++i)
        bytes += scratchBytes(&cache->scratches.data[i]);
    bytes += (cache->begun.capacity + cache->ended.capacity) * sizeof(PairChange);
    bytes += (cache->begunKeys.capacity + cache->endedKeys.capacity + cache->wantedKeys.capacity +
              cache->sortScratch.capacity) *
             sizeof(uint64_t);
    return bytes + (cache->shownBegun.capacity + cache->shownEnded.capacity) * sizeof(grzBodyPair);
}

// -------------------------------------------------------------------------------------------------- validation

// Every link is a pair of the set; as there are as many of them, every pair is a link too.
static bool linksArePairs(const grzPairCache* cache) {
    const PairGraph* graph = &cache->graph;
    const PairSide* side = &graph->sides[0];
    for (uint32_t i = 0; i < side->objects.count; ++i) {
        const PairObject* object = &side->objects.data[i];
        for (uint32_t k = 0; k < object->linkCount; ++k) {
            uint64_t key = keyOfLink(graph, 0, i, graph->links.data[object->firstLink + k]);
            if (!grzPairSet_Has(&cache->set, key)) {
                grzLog(grz_logError, "pair cache: a link that is no pair, at object %u", (unsigned)i);
                return false;
            }
        }
    }
    return true;
}

bool grzPairCache_Validate(const grzPairCache* cache) {
    if (!grzPairSet_Validate(&cache->set))
        return false;
    if (!cache->hasGraph)
        return true;
    size_t linkCount;
    if (!grzPairGraph_Validate(&cache->graph, &linkCount) || !linksArePairs(cache))
        return false;
    if (linkCount == 2 * cache->set.count)
        return true;
    grzLog(grz_logError, "pair cache: %zu pairs, but %zu links", cache->set.count, linkCount);
    return false;
}
