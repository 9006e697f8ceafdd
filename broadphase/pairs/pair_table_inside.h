// What a table of pairs holds, shared by pair_table.c and pair_table_update.c.
//
// Invariants: a row is free, listed, resting, or of a pair that ended in the last update. Objects of resting pairs are below
//   heads.count. All flags are 0 between calls.
#ifndef GRAZE_BROADPHASE_PAIR_TABLE_INSIDE_H
#define GRAZE_BROADPHASE_PAIR_TABLE_INSIDE_H

#include "array.h"
#include "graze/stage/pair_table.h"
#include "memory.h"

enum {
    rowsAWord = 64,
    gapEvery = 8, // a layout leaves every eighth row free
};

#define NO_LINK UINT32_MAX

typedef struct RowList {
    GRZ_ARRAY(uint32_t);
} RowList;

typedef struct PairList {
    GRZ_ARRAY(grzBodyPair);
} PairList;

typedef struct KeyList {
    GRZ_ARRAY(uint64_t);
} KeyList;

// A resting pair's places in the lists of its two objects. A link is row * 2 + side.
typedef struct RestLinks {
    uint32_t next[2], last[2];
} RestLinks;

// What an update listed and did.
typedef struct PairFrame {
    PairList pairs;
    RowList rows;  // as many as pairs
    RowList begun; // places in pairs
    struct {
        GRZ_ARRAY(grzEndedPair);
    } ended;
    RowList rested, woken;                   // rows
    size_t rowCount, cursor, scatteredCount; // before the update
} PairFrame;

typedef struct MatchBlock {
    size_t oldBegin, oldEnd;
    size_t begun,
        left; // new pairs without an old one, whose places stand in the frame; and old ones without a new one
    size_t leftPlace,
        leftOld; // of the first of these: the new pair before which it is found, and its place among the old ones
    size_t bad;  // the first pair that is refused, or SIZE_MAX
    uint32_t largest; // object
} MatchBlock;

struct grzPairTable {
    grzAllocator allocator;
    PairFrame frames[2];
    int now;
    bool canTakeBack;
    // By row.
    PairList rowPairs;
    struct {
        GRZ_ARRAY(RestLinks);
    } links;          // as many as rows when there is a resting pair
    KeyList freeRows; // a bit each
    size_t freeCount;
    size_t cursor; // a word of freeRows: where a search for any free row begins
    size_t restingCount, scatteredCount;
    // By object.
    RowList heads; // links
    struct {
        GRZ_ARRAY(uint8_t);
    } flags; // as many as heads
    // Scratch.
    RowList wokenRows, sortRows;
    KeyList wokenKeys, sortKeys;
    PairList oldPairs;
    RowList oldRows;
    struct {
        GRZ_ARRAY(MatchBlock);
    } blocks;
};

static inline uint64_t keyOf(grzBodyPair pair) {
    return grzSortKeyFromPair(pair.a, pair.b);
}

// The object whose list a link is in.
static inline uint32_t objectOfLink(const grzPairTable* table, uint32_t link) {
    const grzBodyPair pair = table->rowPairs.data[link / 2];
    return (link & 1) == 0 ? pair.a : pair.b;
}

static inline void giveRow(grzPairTable* table, size_t row) {
    table->freeRows.data[row / rowsAWord] |= UINT64_C(1) << row % rowsAWord;
    ++table->freeCount;
}

static inline grzResult pairTableNoMemory(void) {
    return grzNoMemory(1, sizeof(grzBodyPair));
}

// The place of the first of `count` sorted pairs whose key is not below the given one.
static inline size_t firstNotBelow(const grzBodyPair* pairs, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keyOf(pairs[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The row of a pair goes to the lists of both its objects: it rests.
void grzPairTableLink(grzPairTable* table, uint32_t row);
// Memory for the links of all rows below `rows`. What links hold is kept.
bool grzPairTableReserveLinks(grzPairTable* table, size_t rows);

// Resting pairs into wokenKeys and wokenRows, sorted: those of the objects that an update names, whose flags are set; all, if
// `update` is NULL. False without memory; nothing but scratch changes.
bool grzPairTableCollect(grzPairTable* table, const grzPairTableUpdate* update);
// Merges the listed pairs with those that were collected.
void grzPairTableMerge(const grzPairTable* table, grzBodyPair* pairs, uint32_t* rows);

#endif
