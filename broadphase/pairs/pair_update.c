// What: the update of a pair cache from the objects that changed.
// Promise: it does all or nothing to what can be seen, and costs what changed, not what is there (but for the
// first one after an update of all pairs).
// Idea: nothing is changed before the announcement was found to add up. From then on a failure lets the graph
// lapse; the next update makes it anew from the set, which changes last and all at once.
// Threads: see graze/pair_cache.h; tasks search ranges of blocks and write to the range's own arrays.
#include <string.h>

#include "pair_cache_inside.h"

enum { rangeBlocks = 64 }; // of a search task: some 800 objects, of which few or all changed

// ------------------------------------------------------------------------------------------- what was announced

// The lists are looked at before anything changes.
static grzResult checkChanges(const grzPairCache* cache, int s) {
    const CacheSide* side = &cache->sides[s];
    const PairSide* known = &cache->graph.sides[s];
    const grzPairChanges* changes = side->changes;
    if (side->tree == NULL)
        return changes->movedCount + changes->removedCount == 0
                   ? grzOk()
                   : grzBecause(grzFail(grz_badArgument, 3), "the cache has no treeB for what is in inB");
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
            return grzBecause(grzFailAt(grz_badArgument, grz_partObject, i, 3), "it is still in its tree");
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
            return pairCacheNoMemory();
        listDeparted(cache, s);
        markMoved(cache, s);
        bool isWell = addsUp(cache, s);
        rememberDeparted(cache, s);
        if (!isWell)
            return grzBecause(grzFail(grz_badArgument, 3),
                              "a tree holds more or fewer objects than were announced");
        if (!grzPairGraph_Reserve(&cache->graph, s, side->tree->ids.slots.count, side->tree->objectCount))
            return pairCacheNoMemory();
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

// All pairs of the departed end.
static bool depart(grzPairCache* cache, int s) {
    PairGraph* graph = &cache->graph;
    const CacheSide* side = &cache->sides[s];
    for (size_t i = 0; i < side->departed.count; ++i) {
        uint32_t object = side->departed.data[i].index1 - 1;
        const PairObject* record = &graph->sides[s].objects.data[object];
        while (record->linkCount != 0) {
            uint32_t other = graph->links.data[record->firstLink + record->linkCount - 1];
            if (!appendKey(cache, &cache->endedKeys, pairCacheKeyOfLink(graph, s, object, other)))
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
        return grzBecause(grzFailAt(grz_badArgument, grz_partElement, key, 1),
                          "two objects of a tree have this key");
    return grzOk();
}

static grzResult comeAndGo(grzPairCache* cache) {
    for (int s = 0; s < cache->sideCount; ++s) {
        if (!depart(cache, s))
            return pairCacheNoMemory();
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
        return pairCacheNoMemory();
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

// Pairs of keys that no object has any more end, and so do those that no search finds: within a tree a is the smaller key.
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
        bool isThere =
            objects.a[i] != PAIR_NONE && objects.b[i] != PAIR_NONE && (!graph->isWithin || pairs[i].a < pairs[i].b);
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
    return linkAll(cache) ? grzOk() : pairCacheNoMemory();
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
    return grzPairCacheSortKeys(cache, &cache->begunKeys) && grzPairCacheSortKeys(cache, &cache->endedKeys);
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
        return grzBecause(grzFail(grz_badArgument, 1), "the cache was made without a treeA");
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
    if (!searchAll(cache, tasks) || !grzPairCacheApply(cache))
        return pairCacheNoMemory();
    cache->hasGraph = true;
    return grzOk();
}
