// What: the chunks and the directory of pair_set.h.
#include "pair_set.h"

#include <string.h>

#include "check.h"

// How many edits ahead a chunk is called into the cache.
enum { callAhead = 4 };

void grzPairSet_Create(PairSet* set, const grzAllocator* allocator) {
    *set = (PairSet){.allocator = allocator};
}

void grzPairSet_Destroy(PairSet* set) {
    grzArray_Release(&set->chunks, set->allocator);
    grzArray_Release(&set->freeChunks, set->allocator);
    grzArray_Release(&set->directory, set->allocator);
    grzArray_Release(&set->next, set->allocator);
    grzArray_Release(&set->merged, set->allocator);
    grzArray_Release(&set->edits, set->allocator);
}

void grzPairSet_Clear(PairSet* set) {
    set->chunks.count = set->freeChunks.count = set->directory.count = set->count = 0;
}

size_t grzPairSet_MemoryBytes(const PairSet* set) {
    return set->chunks.capacity * sizeof(PairChunk) + set->freeChunks.capacity * sizeof(uint32_t) +
           (set->directory.capacity + set->next.capacity) * sizeof(PairChunkEntry) +
           set->merged.capacity * sizeof(grzBodyPair) + set->edits.capacity * sizeof(PairEdits);
}

// --------------------------------------------------------------------------------------------------- searching

// Without branches: where it lies is anybody's guess.
uint32_t grzPairLowerBound(const grzBodyPair* pairs, uint32_t count, uint64_t key) {
    const grzBodyPair* first = pairs;
    while (count > 1) {
        uint32_t half = count / 2;
        first += pairKey(first[half - 1]) < key ? half : 0;
        count -= half;
    }
    return (uint32_t)(first - pairs) + (count == 1 && pairKey(*first) < key ? 1 : 0);
}

// The last chunk that does not begin behind the key; 0 where all do.
static size_t entryOf(const PairSet* set, uint64_t key) {
    size_t first = 0, last = set->directory.count;
    while (last - first > 1) {
        size_t middle = first + (last - first) / 2;
        if (set->directory.data[middle].firstKey <= key)
            first = middle;
        else
            last = middle;
    }
    return first;
}

bool grzPairSet_Has(const PairSet* set, uint64_t key) {
    if (set->directory.count == 0)
        return false;
    const PairChunkEntry* entry = &set->directory.data[entryOf(set, key)];
    const grzBodyPair* pairs = set->chunks.data[entry->chunk].pairs;
    uint32_t place = grzPairLowerBound(pairs, entry->count, key);
    return place < entry->count && pairKey(pairs[place]) == key;
}

static bool appendKey(const PairSet* set, PairKeys* keys, uint64_t key) {
    if (keys->count == keys->capacity && !grzArray_Reserve(keys, set->allocator, keys->count + 1))
        return false;
    keys->data[keys->count++] = key;
    return true;
}

bool grzPairSet_Compare(const PairSet* set, const PairKeys* wanted, PairKeys* removed, PairKeys* inserted) {
    removed->count = inserted->count = 0;
    size_t at = 0;
    for (size_t i = 0; i < set->directory.count; ++i) {
        const PairChunkEntry* entry = &set->directory.data[i];
        const grzBodyPair* pairs = set->chunks.data[entry->chunk].pairs;
        for (uint32_t k = 0; k < entry->count; ++k) {
            uint64_t key = pairKey(pairs[k]);
            while (at < wanted->count && wanted->data[at] < key)
                if (!appendKey(set, inserted, wanted->data[at++]))
                    return false;
            if (at < wanted->count && wanted->data[at] == key)
                ++at;
            else if (!appendKey(set, removed, key))
                return false;
        }
    }
    while (at < wanted->count)
        if (!appendKey(set, inserted, wanted->data[at++]))
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------------------- changing

static bool hasEdits(const PairEdits* edits) {
    return edits->removedFirst != edits->removedEnd || edits->insertedFirst != edits->insertedEnd;
}

// Takes the lesser of the next two keys.
static uint64_t takeEdit(const PairSet* set, PairEdits* edits, bool* isRemoval) {
    const uint64_t *removed = set->removed->data, *inserted = set->inserted->data;
    *isRemoval =
        edits->insertedFirst == edits->insertedEnd ||
        (edits->removedFirst != edits->removedEnd && removed[edits->removedFirst] < inserted[edits->insertedFirst]);
    return *isRemoval ? removed[edits->removedFirst++] : inserted[edits->insertedFirst++];
}

static size_t countBelow(const PairKeys* keys, size_t first, uint64_t end) {
    while (first < keys->count && keys->data[first] < end)
        ++first;
    return first;
}

// Cuts the changes up by chunk: each chunk takes what lies before the next one's first key, the first chunk also
// what lies before it. False where memory is refused.
static bool listEdits(PairSet* set) {
    PairEdits rest = {.removedEnd = set->removed->count, .insertedEnd = set->inserted->count};
    set->edits.count = 0;
    while (hasEdits(&rest)) {
        PairEdits ahead = rest, edits = rest;
        bool isRemoval;
        edits.entry = entryOf(set, takeEdit(set, &ahead, &isRemoval));
        if (edits.entry + 1 < set->directory.count) {
            uint64_t end = set->directory.data[edits.entry + 1].firstKey;
            edits.removedEnd = countBelow(set->removed, edits.removedFirst, end);
            edits.insertedEnd = countBelow(set->inserted, edits.insertedFirst, end);
        }
        rest.removedFirst = edits.removedEnd;
        rest.insertedFirst = edits.insertedEnd;
        if (!grzArray_Reserve(&set->edits, set->allocator, set->edits.count + 1))
            return false;
        set->edits.data[set->edits.count++] = edits;
    }
    return true;
}

static size_t countAfter(size_t count, const PairEdits* edits) {
    return count - (edits->removedEnd - edits->removedFirst) + (edits->insertedEnd - edits->insertedFirst);
}

static size_t chunksFor(size_t count) {
    return count <= pairChunkMost ? 1 : (count + pairChunkUsual - 1) / pairChunkUsual;
}

// Everything that applying can need: chunks, places in the directory, and scratch.
static bool reserveForEdits(PairSet* set) {
    size_t moreChunks = 0, most = pairChunkMost;
    for (size_t i = 0; i < set->edits.count; ++i) {
        const PairEdits* edits = &set->edits.data[i];
        bool isFirst = set->directory.count == 0; // no chunk yet
        size_t count = countAfter(isFirst ? 0 : set->directory.data[edits->entry].count, edits);
        moreChunks += chunksFor(count) - (isFirst ? 0 : 1);
        most = count > most ? count : most;
    }
    size_t fresh = moreChunks > set->freeChunks.count ? moreChunks - set->freeChunks.count : 0;
    if (set->chunks.count + fresh > UINT32_MAX)
        return false;
    return grzArray_Reserve(&set->chunks, set->allocator, set->chunks.count + fresh) &&
           grzArray_Reserve(&set->freeChunks, set->allocator, set->chunks.capacity) &&
           grzArray_Reserve(&set->next, set->allocator, set->directory.count + moreChunks) &&
           grzArray_Reserve(&set->merged, set->allocator, most);
}

static uint32_t takeChunk(PairSet* set) {
    if (set->freeChunks.count != 0)
        return set->freeChunks.data[--set->freeChunks.count];
    GRZ_ASSERT(set->chunks.count < set->chunks.capacity);
    return (uint32_t)set->chunks.count++;
}

static void giveChunk(PairSet* set, uint32_t chunk) {
    set->freeChunks.data[set->freeChunks.count++] = chunk;
}

// Appends a chunk to the next directory, or its pairs to the chunk before it where both are thin.
static void appendChunk(PairSet* set, uint32_t chunk, size_t count) {
    PairDirectory* next = &set->next;
    grzBodyPair* pairs = set->chunks.data[chunk].pairs;
    if (next->count != 0) {
        PairChunkEntry* before = &next->data[next->count - 1];
        if (before->count + count <= pairChunkMerged) {
            memcpy(set->chunks.data[before->chunk].pairs + before->count, pairs, count * sizeof *pairs);
            before->count += (uint32_t)count;
            giveChunk(set, chunk);
            return;
        }
    }
    next->data[next->count++] = (PairChunkEntry){pairKey(pairs[0]), chunk, (uint32_t)count};
}

// Merges pairs with their changes into scratch. Changes are few, so what lies between two of them is copied at
// once.
static size_t mergeEdits(PairSet* set, const grzBodyPair* pairs, uint32_t count, PairEdits edits) {
    grzBodyPair* to = set->merged.data;
    uint32_t at = 0;
    while (hasEdits(&edits)) {
        bool isRemoval;
        uint64_t key = takeEdit(set, &edits, &isRemoval);
        uint32_t before = grzPairLowerBound(pairs + at, count - at, key);
        memcpy(to, pairs + at, before * sizeof *to);
        to += before, at += before;
        if (isRemoval) {
            GRZ_ASSERT(at < count && pairKey(pairs[at]) == key);
            ++at;
        } else {
            GRZ_ASSERT(at == count || pairKey(pairs[at]) != key);
            *to++ = pairOfKey(key);
        }
    }
    memcpy(to, pairs + at, (count - at) * sizeof *to);
    return (size_t)(to - set->merged.data) + count - at;
}

// Hands scratch out to as many chunks as it needs, evenly, so that none is thin.
static void handOut(PairSet* set, size_t count) {
    size_t pieces = count != 0 ? chunksFor(count) : 0;
    for (size_t i = 0; i < pieces; ++i) {
        size_t first = count * i / pieces, end = count * (i + 1) / pieces;
        uint32_t chunk = takeChunk(set);
        memcpy(set->chunks.data[chunk].pairs, set->merged.data + first, (end - first) * sizeof(grzBodyPair));
        appendChunk(set, chunk, end - first);
    }
}

static void editChunk(PairSet* set, const PairEdits* edits) {
    const PairChunkEntry* entry = &set->directory.data[edits->entry];
    grzBodyPair* pairs = set->chunks.data[entry->chunk].pairs;
    if (countAfter(entry->count, edits) > pairChunkMost) {
        size_t count = mergeEdits(set, pairs, entry->count, *edits);
        giveChunk(set, entry->chunk);
        handOut(set, count);
        return;
    }
    // What lies before the first change stays where it is.
    PairEdits ahead = *edits;
    bool isRemoval;
    uint32_t kept = grzPairLowerBound(pairs, entry->count, takeEdit(set, &ahead, &isRemoval));
    size_t count = mergeEdits(set, pairs + kept, entry->count - kept, *edits);
    if (count != 0)
        memcpy(pairs + kept, set->merged.data, count * sizeof *pairs);
    if (kept + count != 0)
        appendChunk(set, entry->chunk, kept + count);
    else
        giveChunk(set, entry->chunk);
}

// Chunks without changes, of which only the first can fit into the one before it.
static void keepChunks(PairSet* set, size_t first, size_t end) {
    if (first == end)
        return;
    const PairChunkEntry* entries = set->directory.data;
    appendChunk(set, entries[first].chunk, entries[first].count);
    memcpy(set->next.data + set->next.count, entries + first + 1, (end - first - 1) * sizeof *entries);
    set->next.count += end - first - 1;
}

static void callChunk(const PairSet* set, size_t place) {
    if (place >= set->edits.count)
        return;
    const PairChunkEntry* entry = &set->directory.data[set->edits.data[place].entry];
    const char* bytes = (const char*)&set->chunks.data[entry->chunk];
    for (size_t at = 0; at < entry->count * sizeof(grzBodyPair); at += 64)
        __builtin_prefetch(bytes + at, 1);
}

static void editChunks(PairSet* set) {
    size_t done = 0;
    set->next.count = 0;
    for (size_t i = 0; i < set->edits.count; ++i) {
        const PairEdits* edits = &set->edits.data[i];
        callChunk(set, i + callAhead);
        keepChunks(set, done, edits->entry);
        editChunk(set, edits);
        done = edits->entry + 1;
    }
    keepChunks(set, done, set->directory.count);
    PairDirectory before = set->directory;
    set->directory = set->next;
    set->next = before;
}

static void fillEmpty(PairSet* set) {
    for (size_t i = 0; i < set->inserted->count; ++i)
        set->merged.data[i] = pairOfKey(set->inserted->data[i]);
    set->next.count = 0;
    handOut(set, set->inserted->count);
    PairDirectory before = set->directory;
    set->directory = set->next;
    set->next = before;
}

bool grzPairSet_Apply(PairSet* set, const PairKeys* removed, const PairKeys* inserted) {
    set->removed = removed;
    set->inserted = inserted;
    if (!listEdits(set) || !reserveForEdits(set))
        return false;
    if (set->edits.count == 0)
        return true;
    if (set->directory.count != 0)
        editChunks(set);
    else
        fillEmpty(set);
    set->count = set->count - removed->count + inserted->count;
    return true;
}

// -------------------------------------------------------------------------------------------------- validation

static bool broken(const char* what, size_t place) {
    grzLog(grz_logError, "pair set: %s at place %zu", what, place);
    return false;
}

bool grzPairSet_Validate(const PairSet* set) {
    size_t count = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < set->directory.count; ++i) {
        const PairChunkEntry* entry = &set->directory.data[i];
        if (entry->count == 0 || entry->count > pairChunkMost || entry->chunk >= set->chunks.count)
            return broken("an entry that cannot be", i);
        const grzBodyPair* pairs = set->chunks.data[entry->chunk].pairs;
        if (pairKey(pairs[0]) != entry->firstKey)
            return broken("a first key that is not the chunk's", i);
        for (uint32_t k = 0; k < entry->count; ++k) {
            if (count + k != 0 && pairKey(pairs[k]) <= last)
                return broken("pairs that do not rise", count + k);
            last = pairKey(pairs[k]);
        }
        count += entry->count;
    }
    if (set->directory.count + set->freeChunks.count != set->chunks.count)
        return broken("chunks that are neither in use nor free, counted", set->freeChunks.count);
    return count == set->count || broken("pairs that were lost, counted", count);
}
