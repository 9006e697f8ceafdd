// What: pairs of triangles that their leaves leave undecided, gathered sixteen at a time for the exact test; and where pairs that
//   meet are put. For kernels.
// Promise: exactly the pairs that have a point in common are hits.
// Holds: lanes that were never filled are zeros, since they are read as well.
#ifndef GRAZE_NARROWPHASE_MODEL_WAITING_H
#define GRAZE_NARROWPHASE_MODEL_WAITING_H

#include <string.h>

#include "model_boxes.h"
#include "model_columns.h"
#include "model_kernel.h"
#include "model_leaf_pair.h"
#include "tri_kernel.h"

// A leaf pair, A's leaf first.
typedef struct Leaves {
    const ModelLeaf *a, *b;
} Leaves;

static inline uint32_t lowestBit(uint32_t bits) {
    return (uint32_t)__builtin_ctz(bits);
}

static inline Leaves leavesOf(const ModelSearch* search, Ref first, Ref second) {
    const Ref a = (first & SIDE_BIT) != 0 ? second : first, b = (first & SIDE_BIT) != 0 ? first : second;
    return (Leaves){search->models[0]->leaves + (a & INDEX_MASK), search->models[1]->leaves + (b & INDEX_MASK)};
}

// ---- what waits ----

static inline uint8_t classifyLane(const Waiting* waiting, uint32_t lane) {
    grzVec3 corners[6];
    for (int k = 0; k < 6; ++k)
        corners[k] =
            grzVec3_Make(waiting->at[3 * k][lane], waiting->at[3 * k + 1][lane], waiting->at[3 * k + 2][lane]);
    return (uint8_t)grzTriTri_Classify(&corners[0], &corners[3]);
}

// What floats say of the pairs that wait: a grzTriTri each, or TRI_UNDECIDED.
static inline void classifyWaiting(const Waiting* waiting, uint8_t kinds[WAITING_LANES]) {
    grzTriColumns columns;
    columns.count = WAITING_LANES;
    for (int k = 0; k < 18; ++k)
        columns.at[k] = waiting->at[k];
    GRZ_KERNEL(grzClassifyTriColumns)(&columns, 0, WAITING_LANES, kinds);
}

// Decides what waits; returns the pairs that meet, a bit each.
static inline uint32_t decide(Waiting* waiting, grzModelStats* stats) {
    uint8_t kinds[WAITING_LANES];
    uint32_t hits = 0;
    classifyWaiting(waiting, kinds);
    for (uint32_t lane = 0; lane < waiting->count; ++lane) {
        if (kinds[lane] == TRI_UNDECIDED) {
            kinds[lane] = classifyLane(waiting, lane);
            stats->exactTests++;
        }
        hits |= (kinds[lane] != grz_triNone ? 1u : 0u) << lane;
    }
    waiting->count = 0;
    return hits;
}

static inline void putTriangle(float (*at)[WAITING_LANES], uint32_t lane, const float (*leaf)[16], uint32_t k) {
    for (uint32_t corner = 0; corner < 3; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis)
            at[3 * corner + axis][lane] = leaf[axis][4 * corner + k];
}

// The pair of a bit, as LeafMeetings has them.
static inline void putPair(Waiting* waiting, Leaves leaves, const PlacedLeaf* placed, uint32_t bit) {
    const uint32_t lane = waiting->count++, i = bit / 4, k = bit % 4;
    putTriangle(&waiting->at[0], lane, leaves.a->at, i);
    putTriangle(&waiting->at[9], lane, (const float(*)[16])placed->at, k);
    waiting->idsA[lane] = leaves.a->ids[i];
    waiting->idsB[lane] = leaves.b->ids[k];
}

// ---- whether any meets ----

static inline void putPairs(Waiting* waiting, Leaves leaves, const PlacedLeaf* placed, uint32_t pairs) {
    memset(waiting, 0, sizeof *waiting);
    for (; pairs != 0; pairs &= pairs - 1)
        putPair(waiting, leaves, placed, lowestBit(pairs));
}

static inline bool touchUndecided(ModelSearch* search, Leaves leaves, const PlacedLeaf* placed, uint32_t pairs) {
    Waiting waiting;
    putPairs(&waiting, leaves, placed, pairs);
    return decide(&waiting, &search->stats) != 0;
}

// Counts the pairs that were left open.
static inline bool touchMeetings(ModelSearch* search, Leaves leaves, const PlacedLeaf* placed, LeafMeetings found) {
    search->stats.triangleTests += (uint32_t)__builtin_popcount(found.open);
    return found.meet != 0 || (found.undecided != 0 && touchUndecided(search, leaves, placed, found.undecided));
}

// ---- all that meet ----

static inline bool isEnough(const ModelSearch* search) {
    return search->limit != 0 && search->found->count - search->first >= search->limit;
}

static inline void keep(ModelSearch* search, uint32_t a, uint32_t b) {
    ModelKeys* found = search->found;
    found->data[found->count++] = (uint64_t)a << 32 | b;
}

// Of the pairs of two leaves, those that surely meet. False where memory is refused.
static inline bool keepSure(ModelSearch* search, Leaves leaves, uint32_t pairs) {
    if (!grzArray_Reserve(search->found, search->allocator, search->found->count + WAITING_LANES))
        return false;
    for (; pairs != 0; pairs &= pairs - 1) {
        const uint32_t bit = lowestBit(pairs);
        keep(search, leaves.a->ids[bit / 4], leaves.b->ids[bit % 4]);
    }
    return true;
}

// Of those that wait. False where memory is refused.
static inline bool keepDecided(ModelSearch* search, Waiting* waiting) {
    uint32_t hits = decide(waiting, &search->stats);
    if (!grzArray_Reserve(search->found, search->allocator, search->found->count + WAITING_LANES))
        return false;
    for (; hits != 0; hits &= hits - 1) {
        const uint32_t lane = lowestBit(hits);
        keep(search, waiting->idsA[lane], waiting->idsB[lane]);
    }
    return true;
}

// Keeps what surely meets; the rest waits. Counts the pairs that were left open. False where memory is refused.
static inline bool keepMeetings(ModelSearch* search, Leaves leaves, const PlacedLeaf* placed, LeafMeetings found,
                                Waiting* waiting) {
    search->stats.triangleTests += (uint32_t)__builtin_popcount(found.open);
    if (found.meet != 0 && !keepSure(search, leaves, found.meet))
        return false;
    for (uint32_t pairs = found.undecided; pairs != 0; pairs &= pairs - 1) {
        putPair(waiting, leaves, placed, lowestBit(pairs));
        if (waiting->count == WAITING_LANES && !keepDecided(search, waiting))
            return false;
    }
    return true;
}

#endif
