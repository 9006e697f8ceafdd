// What: the kernel of model_points_kernel.h.
// Promise: see there. What is left out is farther than the nearest triangle found by then; what is as far is looked at.
// Idea: depth first, the nearest child first, eight at once: gaps along the axes of the model's frame, weighted and squared
//   (model_span.h). The triangles of leaves wait until there are enough for a batch of eight in doubles.
//
//   Stack: a step takes one entry and leaves at most eight, a level deeper: never more than seven for each level, and one.
#include "model_points_kernel.h"

#include <math.h>
#include <string.h>

#include "tri_distance.h"

enum { DEEPEST = 7 * (GRZ_BVH_MAX_LEVELS + 1) + 1, LANES = 8, LEAF = GRZ_BVH_LEAF_TRIANGLES };

#define SQUARES_ROUNDING (1 + 0x1p-20) // of a sum of squares of some products, relative

typedef struct Entry {
    uint32_t level, index;
    float key; // lower bound of the distance, squared
} Entry;

typedef struct PointWalk {
    PointSearch* search;
    float limit; // keys above it are of no use
    float at[9][LANES];
    uint32_t slots[LANES], ids[LANES];
    uint32_t waitingCount, count;
    Entry entries[DEEPEST];
} PointWalk;

static void setLimit(PointWalk* walk) {
    const double least = sqrt(walk->search->sq) + walk->search->margin;
    walk->limit = grzRoundUp(least * least * SQUARES_ROUNDING);
}

static void putTriangle(PointWalk* walk, uint32_t slot) {
    const ModelLeaf* leaf = &walk->search->model->leaves[slot / LEAF];
    const uint32_t lane = walk->waitingCount++;
    for (uint32_t corner = 0; corner < 3; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis)
            walk->at[3 * corner + axis][lane] = leaf->at[axis][4 * corner + slot % LEAF];
    walk->slots[lane] = slot;
    walk->ids[lane] = leaf->ids[slot % LEAF];
}

GRZ_SIMD_PART Vector placeCorner(const PointWalk* walk, uint32_t corner, uint32_t lane) {
    const double(*columns)[3] = (const double(*)[3])walk->search->side.columns;
    Doubles out[3];
    for (int i = 0; i < 3; ++i) {
        Doubles terms[3];
        for (int j = 0; j < 3; ++j)
            terms[j] =
                D(Mul)(D(Set1)(columns[j][i]), D(FromFloat)(F(Load)(walk->at[3 * corner + (uint32_t)j] + lane)));
        out[i] = D(Add)(D(Add)(terms[0], terms[1]), terms[2]);
    }
    return (Vector){out[0], out[1], out[2]};
}

static void takeTriangle(PointWalk* walk, uint32_t lane, const double (*values)[LANES]) {
    PointSearch* search = walk->search;
    search->slot = walk->slots[lane];
    search->id = walk->ids[lane];
    search->sq = values[0][lane];
    for (int i = 0; i < 3; ++i)
        search->apart[i] = values[2 + i][lane];
    search->s = values[5][lane];
    search->code = (uint32_t)values[6][lane];
}

// Measures what waits. Lanes without a triangle hold older ones, or zeros.
static void measure(PointWalk* walk) {
    PointSearch* search = walk->search;
    const Vector point = {D(Set1)(search->at[0]), D(Set1)(search->at[1]), D(Set1)(search->at[2])};
    double values[7][LANES];
    for (uint32_t lane = 0; lane < walk->waitingCount; lane += TRI_LANES) {
        const Triangles triangles = {
            {placeCorner(walk, 0, lane), placeCorner(walk, 1, lane), placeCorner(walk, 2, lane)}};
        const Nearest nearest = nearestToPoints(&triangles, point);
        const Doubles rows[7] = {nearest.sq,      nearest.certain, nearest.apart.x, nearest.apart.y,
                                 nearest.apart.z, nearest.s,       nearest.code};
        for (int k = 0; k < 7; ++k)
            D(Store)(values[k] + lane, rows[k]);
    }
    for (uint32_t lane = 0; lane < walk->waitingCount; ++lane) {
        const double sq = values[0][lane], certain = values[1][lane];
        search->certain = certain < search->certain ? certain : search->certain;
        if (sq < search->sq || (sq == search->sq && walk->ids[lane] < search->id))
            takeTriangle(walk, lane, (const double(*)[LANES])values);
    }
    walk->waitingCount = 0;
    setLimit(walk);
}

static void putLeaf(PointWalk* walk, uint32_t leaf) {
    const uint32_t count = walk->search->model->leaves[leaf].count;
    for (uint32_t k = 0; k < count; ++k)
        putTriangle(walk, LEAF * leaf + k);
    if (walk->waitingCount > LANES - LEAF)
        measure(walk);
}

// ---- boxes ----

// Lower bounds of eight distances, squared; the widest gap tells boxes that hold the point apart.
typedef struct Bounds {
    grzF8 sq, widest;
    grzM8 isThere;
} Bounds;

GRZ_SIMD_PART Bounds boundBoxes(const PointSearch* search, const grzBvhNode* node) {
    Bounds bounds = {grzF8_Zero(), grzF8_Set1(-(float)INFINITY), grzM8_FromBits(0)};
    for (int i = 0; i < 3; ++i) {
        const grzF8 lower = grzF8_LoadAligned(node->lower[i]), upper = grzF8_LoadAligned(node->upper[i]);
        const grzF8 apart = grzF8_Abs(grzF8_Sub(grzF8_Add(lower, upper), grzF8_Set1(search->twiceAt[i])));
        const grzF8 own = grzF8_Add(grzF8_Sub(upper, lower), grzF8_Set1(search->twiceSlack[i]));
        const grzF8 gap = grzF8_Mul(grzF8_Sub(apart, own), grzF8_Set1(search->side.halfWeights[i]));
        const grzF8 length = grzF8_Max(gap, grzF8_Zero());
        bounds.sq = grzF8_Add(bounds.sq, grzF8_Mul(length, length));
        bounds.widest = grzF8_Max(bounds.widest, gap);
        bounds.isThere = grzF8_LessEqual(lower, upper);
    }
    return bounds;
}

// Pushes those that may be near enough, the nearest last; of equals, the first last.
static void openBox(PointWalk* walk, Entry opened) {
    const grzBvhNode* node = walk->search->model->levels[opened.level + 1] + opened.index;
    const Bounds bounds = boundBoxes(walk->search, node);
    const grzM8 isNear = grzM8_And(bounds.isThere, grzF8_LessEqual(bounds.sq, grzF8_Set1(walk->limit)));
    float keys[LANES], orders[LANES], pushed[LANES];
    Entry* to = walk->entries + walk->count;
    uint32_t count = 0;
    grzF8_Store(keys, bounds.sq);
    grzF8_Store(orders, grzF8_Select(grzF8_Less(grzF8_Zero(), bounds.sq), bounds.sq, bounds.widest));
    for (uint32_t bits = grzM8_Bits(isNear); bits != 0; bits &= bits - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(bits);
        uint32_t place = count++;
        for (; place != 0 && pushed[place - 1] <= orders[k]; --place) {
            pushed[place] = pushed[place - 1];
            to[place] = to[place - 1];
        }
        pushed[place] = orders[k];
        to[place] = (Entry){opened.level + 1, opened.index * GRZ_BVH_WIDTH + k, keys[k]};
    }
    walk->count += count;
}

static void beginWalk(PointWalk* walk, PointSearch* search) {
    const uint32_t start = search->slot;
    walk->search = search;
    memset(walk->at, 0, sizeof walk->at); // lanes without a triangle are read as well
    walk->waitingCount = 0;
    search->sq = search->reachSq;
    search->certain = (double)INFINITY;
    search->slot = GRZ_NO_SLOT;
    search->id = GRZ_NO_TRIANGLE;
    setLimit(walk);
    walk->entries[0] = (Entry){0, 0, 0};
    walk->count = 1;
    if (start / LEAF >= search->model->leafCount)
        return;
    putLeaf(walk, start / LEAF);
    measure(walk);
}

void GRZ_KERNEL(grzModelNearestToPoint)(PointSearch* search) {
    PointWalk walk;
    beginWalk(&walk, search);
    while (walk.count != 0 || walk.waitingCount != 0) {
        if (walk.count == 0) {
            measure(&walk); // what is left
            continue;
        }
        const Entry entry = walk.entries[--walk.count];
        if (!(entry.key <= walk.limit))
            continue;
        if (entry.level == search->model->leafLevel)
            putLeaf(&walk, entry.index);
        else
            openBox(&walk, entry);
    }
}
