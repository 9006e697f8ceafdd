// What: how a BoxTree lies in memory, and its stages.
//
//   box_tree         making it, time, changes
//   box_tree_sides   which vertex realises a plane, and until when: the search for candidates
//   box_tree_build   the order of the triangles, and parts ordered anew
//   box_tree_check   all promises again, slowly
//
//   nodes     a complete binary tree in the order of its levels; leaf k of L = 2^depth has the triangles k n / L .. (k + 1) n / L
//   owners    slot 2i: the plane of node i that ends its lower child; 2i + 1: that which begins its upper child;
//             2 * innerCount + side: the outer sides of everything, lower x y z, upper x y z
#ifndef GRAZE_KINETIC_BOX_TREE_INSIDE_H
#define GRAZE_KINETIC_BOX_TREE_INSIDE_H

#include "graze/box_tree.h"

#include "event_queue.h"
#include "plan_inside.h"

enum { BOX_TREE_SIDES = 6, BOX_TREE_MOST_DEPTH = 28 };

struct grzBoxTree {
    grzAllocator allocator;
    grzFlightplan* plan;
    double at, knownEnd; // plan times; events are known up to the latter
    uint32_t depth, innerCount, leafCount, triangleCount, vertexCount;
    uint32_t partDepth, partCount;   // the nodes of this depth are parts, for rebuilding
    uint32_t* starts;                // of leaves
    uint32_t* order;                 // of triangles
    uint32_t* triangles;             // the caller's
    uint8_t* axes;                   // of inner nodes
    uint32_t* owners;                // the vertex of each slot
    uint64_t* isChanged; // a bit for each vertex; paths only
    uint64_t* dirty;     // a bit for each slot; paths only
    uint64_t revision;   // of the plan
    double* builtSums;               // of parts
    float* keys;                     // triangleCount; scratch of a build
    uint32_t *leafStarts, *leavesOf; // of each vertex; paths only
    grzEventQueue queue;
    unsigned char* memory;
    size_t memorySize;
    grzBoxTreeStats stats;
};

static inline bool isLeafNode(const grzBoxTree* tree, uint32_t node) {
    return node >= tree->innerCount;
}

// What a slot is of: the greatest or the least of all below `top`, along an axis.
typedef struct BoxTreePlane {
    uint32_t top;
    int axis;
    bool isMost;
} BoxTreePlane;

static inline BoxTreePlane planeOf(const grzBoxTree* tree, uint32_t slot) {
    if (slot >= 2 * tree->innerCount) {
        const uint32_t side = slot - 2 * tree->innerCount;
        return (BoxTreePlane){0, (int)(side % 3), side >= 3};
    }
    return (BoxTreePlane){slot + 1, tree->axes[slot / 2], slot % 2 == 0}; // 2i + 1 and 2i + 2
}

// ---- box_tree_sides ----

// Finds the vertex that realises a slot at a time, and sets the event. Whether it is another one than before.
bool grzBoxTree_Settle(grzBoxTree* tree, uint32_t slot, double at);

// The slot that looks at the outermost below a node along an axis: that of the nearest node above which is cut along it and has the
// node on the side that counts, or an outer side.
uint32_t grzBoxTree_SlotAbove(const grzBoxTree* tree, uint32_t node, int axis, bool isMost);

// ---- box_tree_build ----

// Orders the triangles below a node by where they are at a time, and cuts it and all below along new axes.
void grzBoxTree_Order(grzBoxTree* tree, uint32_t node, double at);

// What RebuildLoose compares: of a part, now.
double grzBoxTree_PartSum(const grzBoxTree* tree, uint32_t part);

// Lists the leaves of each vertex anew; paths only.
void grzBoxTree_ListLeaves(grzBoxTree* tree);

// Settles every slot at a time.
void grzBoxTree_SettleAll(grzBoxTree* tree, double at);

#endif
