// What: a build by the surface area heuristic that may pause at any triangle.
#ifndef GRAZE_BASE_BVH_SAH_H
#define GRAZE_BASE_BVH_SAH_H

#include "bvh_items.h"

enum { MOST_BINS = 32, LEAST_BINS = 8 };

// The fourth lanes are rubbish.
typedef struct Bin {
    grzF4 lower, upper;
    uint32_t count;
} Bin;

typedef struct Cut {
    int axis;
    int32_t bin;   // that the cut falls into
    uint32_t left; // triangles on the left side
    double cost;
} Cut;

// The middles of a range, and how they are put into bins.
typedef struct Scale {
    grzF4 lower, factor, most;
    int32_t binCount;
} Scale;

// What a cut does with the items of its range, one after the other.
typedef enum BvhSahPhase {
    bvhSahFit = 0, // the box of their middles
    bvhSahBin,     // into bins; then the best cut is chosen
    bvhSahSplit,   // to the sides
    bvhSahJoin,    // and back behind each other; then the bin that the cut falls into is sorted, in one go
    bvhSahDone,
} BvhSahPhase;

typedef struct BvhSahRange {
    grzF4 lower, upper;
    Scale scale;
    Bin bins[3][MOST_BINS];
    Cut cut;
    BvhItem *items, *others;
    uint32_t count, capacity;
    int phase;
    uint32_t at; // the next item of the phase
    uint32_t left, inside, right;
} BvhSahRange;

typedef struct BvhSahNode {
    BvhSahRange range; // that is being cut
    uint32_t ends[GRZ_BVH_WIDTH];
    uint32_t begin, depth;
    bool isCutting;
} BvhSahNode;

typedef struct BvhSahRun {
    BvhSahNode node;
    BvhItems items;
    uint32_t count;
    uint64_t span;  // triangles of a node of the level
    uint32_t index; // the next node of it
    bool isInNode;
} BvhSahRun;

void grzBvhSahRun_Begin(BvhSahRun* run, BvhItems items, uint32_t count);

// Goes on by as many visits of items, which it takes off, but for the sorts of bins. Returns whether all is in order.
bool grzBvhSahRun_GoOn(BvhSahRun* run, uint64_t* visits);

#endif
