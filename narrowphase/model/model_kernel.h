// What: walks two hierarchies and tests the triangles of leaves that meet. See kernel.h for how it is built and picked.
// Promise: every pair of triangles that meets, and no other; with a limit, the first of them in an order that is the same
//   at every level.
// Threads: reads models and relation; writes the search.
#ifndef GRAZE_NARROWPHASE_MODEL_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_KERNEL_H

#include "array.h"
#include "kernel.h"
#include "model_ref.h"
#include "model_relation.h"

// A pair as a key: triangle of A above triangle of B.
typedef struct ModelKeys {
    GRZ_ARRAY(uint64_t);
} ModelKeys;

typedef struct ModelSearch {
    const grzModel* models[2];
    ModelRelation relation;
    bool allAxes;
    bool isNear;    // candidates are collected: the margins of the relation hold the query's
    uint32_t limit; // of pairs; 0: all
    grzModelStats stats;
    ModelKeys* found; // grows by allocator
    size_t first;     // of this search's pairs in it
    const grzAllocator* allocator;
} ModelSearch;

static inline bool isLeafPair(const ModelSearch* search, Ref first, Ref second) {
    return levelOf(first) == search->models[first >> 31]->leafLevel &&
           levelOf(second) == search->models[second >> 31]->leafLevel;
}

// Makes the chunks that the walks of the other two come to (model_chunks.h).
GRZ_DECLARE_KERNEL(void, grzModelMakeMet, (ModelSearch * search));

// Whether any pair meets. Both models have triangles.
GRZ_DECLARE_KERNEL(bool, grzModelTouch, (ModelSearch * search));

// Appends to found. False where memory is refused; found then holds what was found before that.
GRZ_DECLARE_KERNEL(bool, grzModelCollect, (ModelSearch * search));

#endif
