// What: pairs of triangles that their planes do not part, gathered sixteen at a time for the exact test. For kernels.
// Promise: exactly the pairs that have a point in common are hits.
// Holds: all lanes that were never filled are zeros, since they are read as well.
#ifndef GRAZE_NARROWPHASE_MODEL_DECIDE_H
#define GRAZE_NARROWPHASE_MODEL_DECIDE_H

#include "model_kernel.h"
#include "model_leaf.h"
#include "tri_kernel.h"

enum { UNDECIDED_LANES = 16 };

typedef struct Undecided {
    float at[18][UNDECIDED_LANES];
    uint32_t idsA[UNDECIDED_LANES], idsB[UNDECIDED_LANES];
    uint32_t count;
} Undecided;

static uint8_t classifyLane(const Undecided* pairs, uint32_t lane) {
    grzVec3 corners[6];
    for (int k = 0; k < 6; ++k)
        corners[k] = grzVec3_Make(pairs->at[3 * k][lane], pairs->at[3 * k + 1][lane], pairs->at[3 * k + 2][lane]);
    return (uint8_t)grzTriTri_Classify(&corners[0], &corners[3]);
}

// A bit for each pair that meets; none are left.
static uint32_t decidePairs(Undecided* pairs, grzModelStats* stats) {
    uint8_t kinds[UNDECIDED_LANES];
    grzTriColumns columns;
    uint32_t hits = 0;
    columns.count = UNDECIDED_LANES;
    for (int k = 0; k < 18; ++k)
        columns.at[k] = pairs->at[k];
    GRZ_KERNEL(grzClassifyTriColumns)(&columns, 0, UNDECIDED_LANES, kinds);
    for (uint32_t lane = 0; lane < pairs->count; ++lane) {
        if (kinds[lane] == TRI_UNDECIDED) {
            kinds[lane] = classifyLane(pairs, lane);
            stats->exactTests++;
        }
        hits |= (kinds[lane] != grz_triNone ? 1u : 0u) << lane;
    }
    stats->triangleTests += pairs->count;
    pairs->count = 0;
    return hits;
}

static inline void addCorners(float (*at)[UNDECIDED_LANES], uint32_t lane, const float (*leaf)[16], uint32_t k) {
    for (uint32_t corner = 0; corner < 3; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis)
            at[3 * corner + axis][lane] = leaf[axis][4 * corner + k];
}

// The pair of bit 4i + k, as findOpenPairs has it.
static inline void addUndecided(Undecided* pairs, const ModelLeaf* a, const MovedLeaf* moved, const ModelLeaf* b,
                                uint32_t bit) {
    const uint32_t lane = pairs->count++, i = bit / 4, k = bit % 4;
    addCorners(&pairs->at[0], lane, a->at, i);
    addCorners(&pairs->at[9], lane, (const float(*)[16])moved->at, k);
    pairs->idsA[lane] = a->ids[i];
    pairs->idsB[lane] = b->ids[k];
}

#endif
