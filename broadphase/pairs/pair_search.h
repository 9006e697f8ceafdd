// The search for the pairs of objects that changed, as a kernel, and what it shares with pair_cache.c.
#ifndef GRAZE_BROADPHASE_PAIR_SEARCH_H
#define GRAZE_BROADPHASE_PAIR_SEARCH_H

#include "graze/tree_pairs.h"
#include "kernel.h"
#include "pair_graph.h"
#include "tree_inside.h"

// A pair that begins or ends: the objects' indices (of tree A and B, or in any order within one tree) and their
// keys.
typedef struct PairChange {
    uint32_t objectA, objectB;
    grzBodyPair pair;
} PairChange;

typedef struct PairChangeArray {
    GRZ_ARRAY(PairChange);
} PairChangeArray;

// Elements (mover, word) of a step of the search. The count is that of words.
typedef struct MoverList {
    IndexArray movers;
    IndexArray words;
} MoverList;

typedef struct KnownArray {
    GRZ_ARRAY(uint32_t);
} KnownArray;

// A worker's lists. They hold nothing between calls but their memory.
typedef struct PairScratch {
    MoverList nodes, below; // of a level of the tree, and of the next
    MoverList runs;         // nodes with objects
    MoverList found;        // objects
    KnownArray known;
} PairScratch;

// Changed objects are marked by lane, block for block of their tree. So they are met in the tree's order, each
// once.
typedef struct PairSearch {
    const PairGraph* graph;
    int side;                // of the changed objects
    const grzTree* tree;     // theirs
    const grzTree* other;    // whose objects they may meet; the same within one tree
    const uint16_t* changed; // lanes, by block of `tree`
    // lanes, by block of `other`, whose own search finds their pairs with ours; NULL: none
    const uint16_t* otherChanged;
    const grzPairQuery* query;
    const grzAllocator* allocator;
    bool isFiltered; // some object has a category or mask other than the default
    PairChangeArray* begun;
    PairChangeArray* ended;
    bool ranOut; // out: memory was refused, and changes are missing
} PairSearch;

// Finds what begins and ends for the changed objects in blocks [first, end). Within one tree a pair of two changed
// objects is told from the one whose place comes first, between two trees from A's.
GRZ_DECLARE_KERNEL(void, grzPairSearchBlocks,
                   (PairSearch * search, PairScratch* scratch, uint32_t first, uint32_t end));

#endif
