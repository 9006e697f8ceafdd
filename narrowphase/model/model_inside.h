// What: how a model lies in memory.
//
//   leaves[j], 256 bytes: triangles 4j .. 4j + 3 of the tree, a row of sixteen for each axis
//
//     at[0]   x of corner 0   x of corner 1   x of corner 2   x of the normal       four triangles each
//     at[1]   y ..
//     at[2]   z ..
//             lower, upper (of the leaf), the caller's triangle numbers, count
//
//   So one vector holds one coordinate of all twelve corners, and a normal is there for the taking. Triangles that are not
//   there repeat the leaf's first.
#ifndef GRAZE_NARROWPHASE_MODEL_INSIDE_H
#define GRAZE_NARROWPHASE_MODEL_INSIDE_H

#include "graze/model.h"

typedef struct ModelLeaf {
    float at[3][16];
    float lower[4], upper[4]; // the fourth is 0
    uint32_t ids[4];
    uint32_t count; // of triangles: 1 to 4
    uint32_t pad[3];
} ModelLeaf;

GRZ_STATIC_ASSERT(sizeof(ModelLeaf) == 256, "four lines of a cache");

// A box of the hierarchy is named by its level and its number there; level 0 is the box of all. The children of number i
// of a level are numbers 8i .. 8i + 7 of the next, and leaves are the last level. Since a node holds the boxes of its
// children, the box of number i of level d is lane i % 8 of levels[d][i / 8], and its children's are levels[d + 1][i].
typedef struct ModelChunks ModelChunks; // model_chunks.h

struct grzModel {
    const grzBvhNode* levels[GRZ_BVH_MAX_LEVELS + 2];
    ModelLeaf* leaves;
    uint32_t leafLevel;
    uint32_t leafCount;
    // no two contents of any models have the same: what is kept of a query tells by it whether it holds
    uint64_t revision;
    grzBox box;
    grzBvhNode root;   // of which lane 0 is the box of all
    const grzBvh* bvh; // may be NULL where there are chunks
    grzBvh* ownBvh;    // the same, where it belongs to the model
    grzBvhNode* nodes;
    uint32_t nodeCount;
    ModelChunks* chunks; // NULL: everything is there
    grzAllocator allocator;
};

// Of the nodes as they are.
void grzModel_SetRoot(grzModel* model);
void grzModel_SetRevision(grzModel* model);

// The chunks of a model that has its nodes and leaves; what is made stays in the model for Destroy.
grzResult grzModelChunks_Create(grzModel* model, const grzModelSource* source, uint32_t levelCount);
void grzModelChunks_Destroy(ModelChunks* chunks, const grzAllocator* allocator);

#endif
