// What: the memory of self culls, for their own files and for walks.
#ifndef GRAZE_KINETIC_SELF_CULL_H
#define GRAZE_KINETIC_SELF_CULL_H

#include "graze/stage/node_pairs.h"

#include "array.h"
#include "cone_kernel.h"
#include "counted_memory.h"

enum { CULL_EDGES = 512 }; // the most of a contour that is looked at

typedef struct CullNumbers {
    GRZ_ARRAY(uint32_t);
} CullNumbers;

typedef struct CullBytes {
    GRZ_ARRAY(uint8_t);
} CullBytes;

struct grzSelfCull {
    grzCountedMemory memory;
    uint64_t revision; // of the hierarchy
    uint32_t levelCount, nodeCount, triangleCount;
    size_t vertexCount; // of the hierarchy
    uint32_t levelStarts[GRZ_BVH_MAX_LEVELS + 1];
    CullNumbers triangles; // in the numbers of the positions
    CullNumbers
        edgeStarts;    // two a node: where its contour begins and ends; the same where there is none that serves
    CullNumbers edges; // two vertices each, with the node on their left; one after the other where they go on
    CullBytes begins;  // of each edge: not 0 where it does not go on from the one before, or others meet there, too
    CullNumbers facing; // of each node
    CullNumbers isFree;
};

// What grzSelfCull_Update does, of places at both ends of a motion; at rest twice the same. Where a stride is too long for a kernel nothing
// is free.
void grzSelfCull_Decide(grzSelfCull* cull, grzTasks* tasks, ConePlaces start, ConePlaces end);

// Of the nodes of a level: not 0 where the node is free.
const uint32_t* grzSelfCull_Level(const grzSelfCull* cull, uint32_t level);

// Whether it was made of the hierarchy, as that is now.
bool grzSelfCull_Fits(const grzSelfCull* cull, const grzBvh* bvh);

#endif
