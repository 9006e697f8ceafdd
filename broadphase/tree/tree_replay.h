// Replays a recorded workload on one tree, with times and counts. Only for tree_advise.c.
#ifndef GRAZE_BROADPHASE_TREE_REPLAY_H
#define GRAZE_BROADPHASE_TREE_REPLAY_H

#include "array.h"
#include "graze/tree_advise.h"
#include "graze/tree_pairs.h"

typedef struct ReplayIds {
    GRZ_ARRAY(grzTreeId);
} ReplayIds;

typedef struct ReplayBoxes {
    GRZ_ARRAY(grzBox);
} ReplayBoxes;

typedef struct ReplayObjects {
    GRZ_ARRAY(grzTreeObject);
} ReplayObjects;

typedef struct ReplayStamps {
    GRZ_ARRAY(uint32_t);
} ReplayStamps;

// What replays need beside a tree; made once, used for all of them.
typedef struct TreeReplay {
    const grzTreeAdviceDef* def;
    grzAllocator allocator;
    grzProfileClockFn* clock;
    grzTreeHits* hits;
    grzTreePairs* pairs;
    ReplayIds ids;       // by the host's number; zeros: not in the tree
    ReplayStamps stamps; // by the host's number: the last run of operations that named it
    uint32_t stamp;
    grzTree* tree;
    // Scratch of a run of operations.
    ReplayIds runIds;
    ReplayBoxes runBoxes;
    ReplayObjects runObjects;
} TreeReplay;

// grz_outOfMemory; to be destroyed all the same.
grzResult grzTreeReplay_Create(TreeReplay* replay, const grzTreeAdviceDef* def);
void grzTreeReplay_Destroy(TreeReplay* replay);

// Does all operations on a new tree and fills *measurement.
grzResult grzTreeReplay_Run(TreeReplay* replay, const grzTreeDef* treeDef, grzTreeMeasurement* measurement);

#endif
