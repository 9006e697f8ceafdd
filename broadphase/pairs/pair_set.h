// A sorted set of pairs that takes few changes cheaply.
//
// Idea: the pairs lie in chunks of up to 128, each sorted, and a directory names the chunks in order:
//
//     directory   [first key, count, chunk 4][first key, count, chunk 0][first key, count, chunk 7]
//     chunks      0 [p p p p p . . .]   4 [p p p p p p p .]   7 [p p p . . . . .]   others free
//
//   A change touches the chunks whose pairs change; the rest of the set is neither read nor written, only its
//   directory is copied. A chunk that overflows is handed out to several; neighbours that fit into half a chunk
//   together become one.
// Promise: Apply does all or nothing. What the set holds depends on the changes alone.
// Holds: chunks in use have 1 to pairChunkMost pairs; the others are on a list.
// Threads: one at a time.
// Cost: Apply some 200 ns a chunk that is touched, nearly all of it waiting for memory; 8 bytes a pair over the
// filling, which is 1/2 to 1.
#ifndef GRAZE_BROADPHASE_PAIR_SET_H
#define GRAZE_BROADPHASE_PAIR_SET_H

#include "array.h"
#include "graze/records.h"

enum {
    pairChunkMost = 128,  // pairs in a chunk; of 64, 128 and 256 the best for 200 changes among 190,000 pairs
    pairChunkUsual = 96,  // after an overflow
    pairChunkMerged = 64, // two neighbours that together hold at most so many become one
};

typedef struct PairChunk {
    grzBodyPair pairs[pairChunkMost];
} PairChunk;

typedef struct PairChunkEntry {
    uint64_t firstKey; // grzBodyPair_KeyWord of the first pair
    uint32_t chunk;
    uint32_t count;
} PairChunkEntry;

typedef struct PairDirectory {
    GRZ_ARRAY(PairChunkEntry);
} PairDirectory;

typedef struct PairKeys {
    GRZ_ARRAY(uint64_t);
} PairKeys;

// The changes that fall into one chunk, as ranges of both arrays.
typedef struct PairEdits {
    size_t entry; // in the directory
    size_t removedFirst, removedEnd;
    size_t insertedFirst, insertedEnd;
} PairEdits;

typedef struct PairSet {
    const grzAllocator* allocator;
    struct {
        GRZ_ARRAY(PairChunk);
    } chunks;
    struct {
        GRZ_ARRAY(uint32_t);
    } freeChunks;
    PairDirectory directory;
    PairDirectory next; // the directory in the making
    struct {
        GRZ_ARRAY(grzBodyPair);
    } merged; // scratch
    // Within Apply.
    const PairKeys *removed, *inserted;
    struct {
        GRZ_ARRAY(PairEdits);
    } edits;
    size_t count;
} PairSet;

static inline uint64_t pairKey(grzBodyPair pair) {
    return grzSortKeyFromPair(pair.a, pair.b);
}

static inline grzBodyPair pairOfKey(uint64_t key) {
    grzBodyPair pair = {(uint32_t)(key >> 32), (uint32_t)key};
    return pair;
}

// The allocator must stay where it is.
void grzPairSet_Create(PairSet* set, const grzAllocator* allocator);
void grzPairSet_Destroy(PairSet* set);
// No pairs; memory is kept.
void grzPairSet_Clear(PairSet* set);

// Takes pairs out and puts others in. Keys rise strictly in both arrays; every key to be removed is in the set,
// none to be inserted is. False where memory is refused.
bool grzPairSet_Apply(PairSet* set, const PairKeys* removed, const PairKeys* inserted);

// What must be removed and inserted to make the set the given one, whose keys rise strictly; into arrays that are
// emptied first. False where memory is refused.
bool grzPairSet_Compare(const PairSet* set, const PairKeys* wanted, PairKeys* removed, PairKeys* inserted);

// The first of `count` pairs whose key is not below the given one, or `count`.
uint32_t grzPairLowerBound(const grzBodyPair* pairs, uint32_t count, uint64_t key);

bool grzPairSet_Has(const PairSet* set, uint64_t key);

size_t grzPairSet_MemoryBytes(const PairSet* set);
bool grzPairSet_Validate(const PairSet* set);

#endif
