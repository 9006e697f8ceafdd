// What: box pairs as their own files see them.
#ifndef GRAZE_KINETIC_BOX_PAIRS_INSIDE_H
#define GRAZE_KINETIC_BOX_PAIRS_INSIDE_H

#include "graze/stage/node_pairs.h"

#include "box_walk_kernel.h"
#include "counted_memory.h"

typedef struct LeafPairs {
    GRZ_ARRAY(grzLeafPair);
} LeafPairs;

typedef struct Founds {
    GRZ_ARRAY(BoxFound);
} Founds;

typedef struct Scratches {
    GRZ_ARRAY(BoxScratch);
} Scratches;

typedef struct Starts {
    GRZ_ARRAY(size_t);
} Starts;

typedef struct ScratchNumbers {
    GRZ_ARRAY(uint32_t);
} ScratchNumbers;

struct grzBoxPairs {
    grzCountedMemory memory;
    BoxFound tasks; // of the walk from the roots
    Founds founds;  // a task each; those beyond the tasks of a find keep their memory
    Starts starts;  // where the pairs of each task go
    Scratches scratches;
    ScratchNumbers scratchNumbers; // of all workers
    LeafPairs pairs;
    grzBoxPairsStats stats;
};

// Refuses, or fills what the walk reads: sides, and the frame.
grzResult grzBoxPairs_BeginWalk(const grzBoxPairsQuery* query, BoxWalk* walk);

#endif
