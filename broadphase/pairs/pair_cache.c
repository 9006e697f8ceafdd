// What: makes a pair cache, takes all pairs of a frame, and answers questions.
// Promise: an update does all or nothing to what can be seen. The set and its views depend on boxes, keys and
// filters alone.
// Threads: see graze/pair_cache.h.
#include "pair_cache_inside.h"

#include <string.h>

#include "radix_sort.h"

static const uint32_t cacheDefMark = 0x67506331;

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

static grzResult checkDef(const grzPairCacheDef* def) {
    if (def == NULL || def->mark != cacheDefMark)
        return grzFail(grz_badDef, 0);
    const grzPairQuery* query = &def->query;
    const char* flaw = NULL;
    if (query->treeB != NULL && query->treeA == NULL)
        flaw = "there is a treeB but no treeA";
    else if (query->treeB != NULL && query->treeA == query->treeB)
        flaw = "treeB is treeA; for pairs within a tree it is NULL";
    return flaw == NULL ? grzCheckAllocator(def->allocator, 1) : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

grzResult grzPairCache_Create(const grzPairCacheDef* def, grzPairCache** made) {
    *made = NULL;
    grzResult checked = checkDef(def);
    if (!grzResult_IsOk(checked))
        return checked;
    const grzPairQuery* query = &def->query;
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

bool grzPairCacheSortKeys(grzPairCache* cache, PairKeys* keys) {
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

static void showKeys(const PairKeys* keys, ShownPairs* shown) {
    for (size_t i = 0; i < keys->count; ++i)
        shown->data[i] = pairOfKey(keys->data[i]);
    shown->count = keys->count;
}

bool grzPairCacheApply(grzPairCache* cache) {
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

grzResult grzPairCache_UpdateAll(grzPairCache* cache, grzTreePairsView pairs) {
    PairKeys* wanted = &cache->wantedKeys;
    wanted->count = 0;
    if (!grzArray_Reserve(wanted, &cache->allocator, pairs.count))
        return pairCacheNoMemory();
    for (size_t i = 0; i < pairs.count; ++i)
        wanted->data[i] = pairKey(pairs.pairs[i]);
    wanted->count = pairs.count;
    if (!grzPairCacheSortKeys(cache, wanted) ||
        !grzPairSet_Compare(&cache->set, wanted, &cache->endedKeys, &cache->begunKeys) || !grzPairCacheApply(cache))
        return pairCacheNoMemory();
    cache->hasGraph = false;
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
            uint64_t key = pairCacheKeyOfLink(graph, 0, i, graph->links.data[object->firstLink + k]);
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
