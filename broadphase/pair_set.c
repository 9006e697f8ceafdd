// What: the chunks and the directory of pair_set.h.
#include "pair_set.h"

#include <string.h>

#include "check.h"

void grzPairSet_Create(PairSet* set, const grzAllocator* allocator) {
    *set = (PairSet){.allocator = allocator};
}

void grzPairSet_Destroy(PairSet* set) {
    grzArray_Release(&set->chunks, set->allocator);
    grzArray_Release(&set->freeChunks, set->allocator);
    grzArray_Release(&set->directory, set->allocator);
    grzArray_Release(&set->next, set->allocator);
    grzArray_Release(&set->merged, set->allocator);
}

void grzPairSet_Clear(PairSet* set) {
    set->chunks.count = set->freeChunks.count = set->directory.count = set->count = 0;
}

size_t grzPairSet_MemoryBytes(const PairSet* set) {
    return set->chunks.capacity * sizeof(PairChunk) + set->freeChunks.capacity * sizeof(uint32_t) +
           (set->directory.capacity + set->next.capacity) * sizeof(PairChunkEntry) +
           set->merged.capacity * sizeof(grzBodyPair);
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

// The changes that fall into one chunk: from the first to before the end, in both arrays.
typedef struct PairEdits {
    const PairKeys *removed, *inserted;
    size_t removedFirst, removedEnd;
    size_t insertedFirst, insertedEnd;
} PairEdits;

static bool hasEdits(const PairEdits* edits) {
    return edits->removedFirst != edits->removedEnd || edits->insertedFirst != edits->insertedEnd;
}

// Moves on to the changes of chunk i: what lies before the next chunk's first key. The first chunk also takes what
// lies before it.
static void nextEdits(const PairSet* set, size_t i, PairEdits* edits) {
    bool isLast = i + 1 >= set->directory.count;
    uint64_t end = isLast ? 0 : set->directory.data[i + 1].firstKey;
    const PairKeys *removed = edits->removed, *inserted = edits->inserted;
    edits->removedFirst = edits->removedEnd;
    edits->insertedFirst = edits->insertedEnd;
    while (edits->removedEnd < removed->count && (isLast || removed->data[edits->removedEnd] < end))
        edits->removedEnd++;
    while (edits->insertedEnd < inserted->count && (isLast || inserted->data[edits->insertedEnd] < end))
        edits->insertedEnd++;
}

static size_t countAfter(size_t count, const PairEdits* edits) {
    return count - (edits->removedEnd - edits->removedFirst) + (edits->insertedEnd - edits->insertedFirst);
}

static size_t chunksFor(size_t count) {
    return count <= pairChunkMost ? 1 : (count + pairChunkUsual - 1) / pairChunkUsual;
}

// Everything that applying can need: chunks, places in the directory, and scratch.
static bool reserveForEdits(PairSet* set, const PairKeys* removed, const PairKeys* inserted) {
    size_t moreChunks = 0, most = pairChunkMost;
    PairEdits edits = {.removed = removed, .inserted = inserted};
    for (size_t i = 0; i < set->directory.count; ++i) {
        nextEdits(set, i, &edits);
        size_t count = countAfter(set->directory.data[i].count, &edits);
        moreChunks += chunksFor(count) - 1;
        most = count > most ? count : most;
    }
    if (set->directory.count == 0) {
        moreChunks = chunksFor(inserted->count);
        most = inserted->count;
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

// Takes the lesser of the next two keys.
static uint64_t takeEdit(PairEdits* edits, bool* isRemoval) {
    const uint64_t *removed = edits->removed->data, *inserted = edits->inserted->data;
    *isRemoval =
        edits->insertedFirst == edits->insertedEnd ||
        (edits->removedFirst != edits->removedEnd && removed[edits->removedFirst] < inserted[edits->insertedFirst]);
    return *isRemoval ? removed[edits->removedFirst++] : inserted[edits->insertedFirst++];
}

// Merges pairs with their changes into scratch. Changes are few, so what lies between two of them is copied at
// once.
static size_t mergeEdits(PairSet* set, const grzBodyPair* pairs, uint32_t count, PairEdits edits) {
    grzBodyPair* to = set->merged.data;
    uint32_t at = 0;
    while (hasEdits(&edits)) {
        bool isRemoval;
        uint64_t key = takeEdit(&edits, &isRemoval);
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

static void editChunk(PairSet* set, const PairChunkEntry* entry, const PairEdits* edits) {
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
    uint32_t kept = grzPairLowerBound(pairs, entry->count, takeEdit(&ahead, &isRemoval));
    size_t count = mergeEdits(set, pairs + kept, entry->count - kept, *edits);
    if (count != 0)
        memcpy(pairs + kept, set->merged.data, count * sizeof *pairs);
    if (kept + count != 0)
        appendChunk(set, entry->chunk, kept + count);
    else
        giveChunk(set, entry->chunk);
}

bool grzPairSet_Apply(PairSet* set, const PairKeys* removed, const PairKeys* inserted) {
    if (removed->count == 0 && inserted->count == 0)
        return true;
    if (!reserveForEdits(set, removed, inserted))
        return false;
    PairEdits edits = {.removed = removed, .inserted = inserted};
    set->next.count = 0;
    for (size_t i = 0; i < set->directory.count; ++i) {
        const PairChunkEntry* entry = &set->directory.data[i];
        nextEdits(set, i, &edits);
        if (hasEdits(&edits))
            editChunk(set, entry, &edits);
        else
            appendChunk(set, entry->chunk, entry->count);
    }
    if (set->directory.count == 0) {
        for (size_t i = 0; i < inserted->count; ++i)
            set->merged.data[i] = pairOfKey(inserted->data[i]);
        handOut(set, inserted->count);
    }
    PairDirectory done = set->directory;
    set->directory = set->next;
    set->next = done;
    set->next.count = 0;
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
