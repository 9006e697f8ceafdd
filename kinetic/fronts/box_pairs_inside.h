// What: the memory of box pairs, for their own files.
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

typedef struct Nodes {
    GRZ_ARRAY(grzBvhNode);
} Nodes;

typedef struct Marks {
    GRZ_ARRAY(uint64_t);
} Marks;

typedef struct Motions {
    GRZ_ARRAY(float);
} Motions;

// See box_front.c. All zeros: nothing is kept.
typedef struct BoxFront {
    Founds rows;      // leaves of A, and nodes of B that are near; of each task of the walk that found them
    size_t taskCount; // 0: no rows
    Nodes leaves
        [2]; // the nodes of the bottom level when they were found, or the front began to watch; those of A, of B
    Motions motions; // since then, of blocks of nodes
    bool isSelf;
    float skin, margin;
    double rounding;            // what a widened box may have lost
    double motion;              // of both sides, since then
    uint32_t frames;            // since then
    double walkWork, buildWork; // of a walk, and of the walk that found what is near
    double paid;                // since then
    uint32_t rest, restLength;
} BoxFront;

// What a walk comes to of a side that is made where it is read.
typedef struct BoxReached {
    Marks bits;             // of all chunks
    ScratchNumbers numbers; // of those with a bit
} BoxReached;

struct grzBoxPairs {
    grzCountedMemory memory;
    BoxFound tasks; // of the walk from the roots
    Founds founds;  // a task each; those beyond the tasks of a find keep their memory
    Starts starts;  // where the pairs of each task go
    Scratches scratches;
    ScratchNumbers scratchNumbers; // of all workers
    BoxReached reached[2];
    BoxFront front;
    LeafPairs pairs;
    grzBoxPairsStats stats;
    bool keepsFront;
};

// Whether chunks of some side are made where they are read.
static inline bool grzBoxPairsQuery_IsLazy(const grzBoxPairsQuery* query) {
    return query->reachA.write != NULL || query->reachB.write != NULL;
}

// ---- box_reach ----

// Of each side the chunk without which there is no root.
void grzBoxReach_Roots(const grzBoxPairsQuery* query, grzTasks* tasks);

// All chunks of both sides.
void grzBoxReach_All(const grzBoxPairsQuery* query);

// The chunks that the tasks of a walk read, which stand at the depths of chunks. False where memory is refused.
bool grzBoxReach_Tasks(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk,
                       uint32_t depthB);

// ---- box_pairs ----

// Refuses, or fills what the walk reads: sides, and the frame.
grzResult grzBoxPairs_BeginWalk(const grzBoxPairsQuery* query, grzTasks* tasks, BoxWalk* walk);

// Cleared, for so many tasks.
bool grzBoxPairs_ReserveFounds(grzBoxPairs* pairs, Founds* founds, size_t count);

// Walks from the roots to the leaves, by tasks whose results go to `to`. False where memory is refused.
bool grzBoxPairs_Walk(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk,
                      Founds* to, size_t* taskCount);

#endif
