// What the files of the dynamic AABB tree share. Nobody else includes this.
//
// Objects lie in blocks of sixteen lanes, structure of arrays; a node's objects fill a run of consecutive blocks from the front,
// and empty lanes hold +inf .. -inf, which overlaps nothing, so that no loop over blocks needs a tail. Children of a node are
// consecutive nodes, and their boxes consecutive floats in six arrays:
//
//   nodes      [root][a b c d][a.0 a.3 a.7][c.1 c.2] ...        blocks  |0 1 2|3|4 5 5'|  runs, with spare blocks
//                     |            ^ firstChild of a                     ^ firstBlock of some node
//                     childMask of a = 10001001b: codes 0, 3 and 7, found by counting bits
//
// Promise: a node's box holds its objects' boxes and its children's boxes. It may be too large, never too small: growth climbs at
//          once, shrinking marks the node stale and is repaired when a query or a batch passes [Shagam] 2.1.5.
// Threads: see graze/tree.h.
// Based on: [Shagam] Joshua Shagam, Dynamic Spatial Partitioning for Real-Time Visibility Determination, 2003. We differ:
//   - Objects are boxes, not spheres. Where his code has a radius we take half of the longest side, which is the same for the box
//     of a sphere; straddling is tested with the box itself.
//   - A split point that is re-weighted takes a leaf child into account by the mean of its objects, as his does, but weighted by
//     their number; his code gives every child the weight of the threshold.
//   - A split point is the mean of the centres, as his text says; his code takes the mean of the upper corners.
//   - Of equally long axes the first is split; his code takes z.
//   - A rank node has no split point to re-weigh; one that is out of shape is laid anew (tree_balance.c).
//   - A leaf is split when it holds more than the threshold; his code splits at the threshold.
//   - Marks for repair climb while the box is flush with the object, as his text says; his code marks further up.
//   - An update of all objects moves the split points of all nodes; his only those of a box that is repaired.
//   - A node whose subtree has shrunk to half its threshold takes the objects back when all are updated (his unsplit waits until
//     it has no child), and a node without objects that is left with one child gives its place to it: else a scene that travels
//     leaves a chain of such nodes behind, one for each time it leaves a split.
//   - grz_nestRank and grz_nestPerNode are not his; the latter is what he asks for as future work.
//   - Updating all objects at once goes by cells (tree_refit.c) instead of climbing from each object.
#ifndef GRAZE_BROADPHASE_TREE_INSIDE_H
#define GRAZE_BROADPHASE_TREE_INSIDE_H

#include "array.h"
#include "check.h"
#include "graze/tree.h"
#include "id_pool.h"

enum {
    tree_lanes = 16,       // objects in a block
    tree_maxChildren = 27, // of a node
    tree_maxRankBits = 4,  // a rank node has up to 2^4 children
    tree_classCount = 56,  // sizes of runs and groups: tree_storage.c
    tree_root = 0,
};

#define TREE_NONE UINT32_MAX

typedef struct TreeBlock {
    float lower[3][tree_lanes];
    float upper[3][tree_lanes];
    uint32_t key[tree_lanes];
    uint32_t object[tree_lanes]; // index; 0 in empty lanes: an update of all objects reads the box of each lane
} TreeBlock;
_Static_assert(sizeof(TreeBlock) == 512, "a block is eight cache lines");

// The hot part of a node: what a descent reads beside the box.
typedef struct TreeNode {
    uint32_t firstChild; // TREE_NONE without children
    uint32_t childMask;
    uint32_t firstBlock; // TREE_NONE without blocks
    uint32_t objectCount;
} TreeNode;

typedef enum TreeSplitKind {
    tree_notSplit = 0,
    tree_splitKd,
    tree_splitTernary,
    tree_splitOctree,
    tree_splitIcoseptree,
    tree_splitRank,
} TreeSplitKind;

// The cold part.
typedef struct TreeNodeInfo {
    uint32_t parent; // TREE_NONE at the root
    uint8_t code;    // which child of its parent
    uint8_t kind;    // TreeSplitKind
    uint8_t axis;    // K-D and ternary
    uint8_t rankBits;
    uint8_t runClass;   // of the blocks, where there are some
    uint8_t groupClass; // of the children, where there are some
    bool isStale;       // the box may be too large
    bool isLive;        // not on a free list
    bool isCrowded;     // this or a rank node below it was told of many arrivals, and is to be counted
    bool isQuiet;       // neither this nor a node below it is stale or due to be split
    uint32_t planes;    // rank: index of the node's TreePlanes
    uint32_t born;      // objects that a leaf held when a split or a collapse made it; 0 when an insertion did
    float split[3];     // the split point, where kind has one
} TreeNodeInfo;

// The medians of a rank node, as a complete binary tree: plane i has below it planes 2i and 2i + 1 (from 1). Bit by
// bit, the child's code says above (1) or below (0).
typedef struct TreePlanes {
    float twice[1 << tree_maxRankBits]; // compared with lower + upper
    uint8_t axis[1 << tree_maxRankBits];
    // When the node was split: the objects it had, and those of its largest child. Since then, or since the subtree was last
    // counted: the objects that leaves below had taken in by the time they were split themselves.
    uint32_t laidCount, laidMost;
    uint32_t arrivedCount;
} TreePlanes;

typedef struct PlanesArray {
    GRZ_ARRAY(TreePlanes);
} PlanesArray;

typedef struct IndexArray {
    GRZ_ARRAY(uint32_t);
} IndexArray;

// Objects on their way into rank children: twice their centres.
typedef struct RankItem {
    float twice[3];
} RankItem;

typedef struct RankArray {
    GRZ_ARRAY(RankItem);
} RankArray;

// Free runs (or groups) of one size each, linked through their own first element.
typedef struct TreeFreeLists {
    uint32_t first[tree_classCount];
    uint64_t present; // bit by class: there are some
} TreeFreeLists;
_Static_assert(tree_classCount <= 64, "a bit for each class");

struct grzTree {
    grzAllocator allocator;
    grzTreeDef def;
    uint32_t threshold;

    // By object index.
    grzIdPool ids;
    uint32_t* slots; // block * tree_lanes + lane
    uint64_t* categories;
    uint64_t* masks;
    uint32_t objectCapacity;
    uint32_t objectCount;
    bool isFiltered; // some object has, or had, a category or mask other than the default

    // By block.
    TreeBlock* blocks;
    uint32_t* blockOwners;  // the node of each block in use
    uint16_t* blockLeavers; // lanes that an update of all objects sends away; all zero between calls
    uint32_t blockCount, blockCapacity;
    TreeFreeLists freeRuns;
    uint32_t freeBlockCount;  // in free runs
    uint64_t takenBlockCount; // handed out since the last layout

    // By node.
    void* nodeMemory; // one piece for all that follows
    float* bounds[6]; // lower x y z, upper x y z
    TreeNode* nodes;
    TreeNodeInfo* infos;
    grzBox* ownBoxes; // of the node's own objects; only valid within an update of all objects
    uint32_t nodeCount, nodeCapacity;
    TreeFreeLists freeGroups;

    PlanesArray planes;
    IndexArray freePlanes;
    // Kept between calls, so that a tree that has settled asks for no more memory.
    IndexArray scratch;
    IndexArray refitNodes;
    RankArray rankItems;

    uint64_t splitCount, unsplitCount, collectedCount, movedCount;
};

// ---------------------------------------------------------------------------------------------- tree_storage.c

// The root, in an empty tree that has reserved one node.
void grzTreeMakeRoot(grzTree* tree);

// Makes sure that the next allocations of up to `nodes` nodes and `blocks` blocks in total cannot fail.
bool grzTreeReserve(grzTree* tree, size_t nodes, size_t blocks);
bool grzTreeReserveObjects(grzTree* tree, size_t count);
void grzTreeFreeStorage(grzTree* tree);
size_t grzTreeMemoryBytes(const grzTree* tree);

uint32_t grzTreeClassSize(uint32_t sizeClass);
uint32_t grzTreeClassOf(uint32_t size);

// Appends an object to a node's run, and takes the one in a slot out of it (the run's last object moves into its
// place). Append needs a reservation of the next larger run; the lane's box and key are the caller's to write.
uint32_t grzTreeAppend(grzTree* tree, uint32_t node, uint32_t object);
void grzTreeTakeOut(grzTree* tree, uint32_t node, uint32_t slot);
// Gives a node a run for `count` objects (reserved), all lanes empty. The node has none yet.
void grzTreeMakeRun(grzTree* tree, uint32_t node, uint32_t count);
void grzTreeGrowRun(grzTree* tree, uint32_t node, uint32_t count);
void grzTreeFreeRun(grzTree* tree, uint32_t node);
void grzTreeGiveRun(grzTree* tree, uint32_t firstBlock, uint32_t runClass);
// There are no free runs, since no block is free.
void grzTreeForgetFreeRuns(grzTree* tree);

// Makes the child with this code, empty, where there is none. Needs a reservation of the next larger group.
// Siblings may move: every index of a child of `node` that was known before is void.
uint32_t grzTreeMakeChild(grzTree* tree, uint32_t node, uint32_t code);
// Makes all children of a mask at once in a node that has none; needs a reservation of the group's class.
void grzTreeMakeChildren(grzTree* tree, uint32_t node, uint32_t mask);
// Takes an empty child without children away; siblings move likewise.
void grzTreeDropChild(grzTree* tree, uint32_t node, uint32_t child);
// Puts the only child of a node that has no objects in the node's place.
void grzTreeHoistChild(grzTree* tree, uint32_t node);

// How many blocks a reservation must hold for `more` more objects in a node, and nodes for one more child.
uint32_t grzTreeBlocksToGrow(const grzTree* tree, uint32_t node, uint32_t more);
uint32_t grzTreeNodesToGrow(const grzTree* tree, uint32_t node);

// A node may have become stale or due: neither it nor what is above it is quiet any more.
void grzTreeWake(grzTree* tree, uint32_t node);

// What a split laid down besides children: to be called when a node stops being split.
void grzTreeForgetSplit(grzTree* tree, uint32_t node);

// ------------------------------------------------------------------------------------------------------ tree.c

// Where a box belongs, seen from `start`: in `node` itself (code -1), or in its child `code`, which is not there
// yet.
typedef struct TreePlace {
    uint32_t node;
    int code;
} TreePlace;
TreePlace grzTreeFindPlace(const grzTree* tree, uint32_t start, grzBox box);
// Reserves what puts one object in a place.
bool grzTreeReservePlace(grzTree* tree, TreePlace place);
// Puts an object there; returns its node. Boxes are the caller's to grow.
uint32_t grzTreePutInPlace(grzTree* tree, TreePlace place, uint32_t object, uint32_t key, grzBox box);
// Takes away a node that has become empty, and its ancestors if they become so [Shagam] 2.1.3, and one that is left
// with a child and nothing else. Every index of a node above, beside or below is void then.
void grzTreeCollect(grzTree* tree, uint32_t node);
// Lets the boxes from a node up hold a box; marks those whose side a box that went touches.
void grzTreeGrowBoxes(grzTree* tree, uint32_t node, grzBox box);
void grzTreeMarkStale(grzTree* tree, uint32_t node, grzBox gone);

// ---------------------------------------------------------------------------------------------- tree_nesting.c

// The code of the child that takes the box, or -1: it stays.
int grzTreeChildCode(const grzTree* tree, uint32_t node, grzBox box);
// Splits a leaf that has too many objects; nothing happens where memory is refused.
void grzTreeSplit(grzTree* tree, uint32_t node);
// New split point of a node from its objects and children [Shagam] 2.1.6.
void grzTreeReweigh(grzTree* tree, uint32_t node);

// --------------------------------------------------------------------------------------------- tree_balance.c

// A leaf of so many objects is split: its rank ancestors learn how many of them came since it was made.
void grzTreeReportArrivals(grzTree* tree, uint32_t leaf, uint32_t objectCount);
// What may be done to a tree only while nobody holds nodes or slots of it, before a query or an update: counts the
// rank nodes that were told of many arrivals, collapses those out of shape, and lays the runs out anew where that is
// due.
void grzTreeSettle(grzTree* tree);
// A node was found to have so many objects in all, and so many in its largest child: collapses a rank node that is
// out of shape. False where it stays as it is.
bool grzTreeMendShape(grzTree* tree, uint32_t node, uint32_t count, uint32_t most);

// ----------------------------------------------------------------------------------------------- tree_layout.c

// Lays the runs out anew where that is due; voids all slots and blocks.
void grzTreeLayOut(grzTree* tree);

// ------------------------------------------------------------------------------------------------ tree_refit.c

// Makes a stale box right again, children first.
void grzTreeRepair(grzTree* tree, uint32_t node);
// The box of a node's own objects alone.
grzBox grzTreeRunBounds(const grzTree* tree, uint32_t node);
// How many objects the subtree holds.
uint32_t grzTreeSubtreeCount(const grzTree* tree, uint32_t node);
// Takes all objects of the subtree into the node and frees the rest. False, and nothing done, without memory.
bool grzTreeCollapse(grzTree* tree, uint32_t node);

// ------------------------------------------------------------------------------------------------------ inline

static inline grzBox treeNodeBox(const grzTree* tree, uint32_t node) {
    float* const* b = (float* const*)tree->bounds;
    grzBox box = {{b[0][node], b[1][node], b[2][node], 0}, {b[3][node], b[4][node], b[5][node], 0}};
    return box;
}

static inline void treeSetNodeBox(grzTree* tree, uint32_t node, grzBox box) {
    tree->bounds[0][node] = box.lower.x, tree->bounds[1][node] = box.lower.y, tree->bounds[2][node] = box.lower.z;
    tree->bounds[3][node] = box.upper.x, tree->bounds[4][node] = box.upper.y, tree->bounds[5][node] = box.upper.z;
}

static inline grzBox treeLaneBox(const TreeBlock* block, uint32_t lane) {
    grzBox box = {{block->lower[0][lane], block->lower[1][lane], block->lower[2][lane], 0},
                  {block->upper[0][lane], block->upper[1][lane], block->upper[2][lane], 0}};
    return box;
}

static inline void treeSetLaneBox(TreeBlock* block, uint32_t lane, grzBox box) {
    block->lower[0][lane] = box.lower.x, block->lower[1][lane] = box.lower.y, block->lower[2][lane] = box.lower.z;
    block->upper[0][lane] = box.upper.x, block->upper[1][lane] = box.upper.y, block->upper[2][lane] = box.upper.z;
}

static inline grzBox treeObjectBox(const grzTree* tree, uint32_t object) {
    uint32_t slot = tree->slots[object];
    return treeLaneBox(&tree->blocks[slot / tree_lanes], slot % tree_lanes);
}

static inline uint32_t treeObjectNode(const grzTree* tree, uint32_t object) {
    return tree->blockOwners[tree->slots[object] / tree_lanes];
}

static inline uint32_t treeBlocksFor(uint32_t objectCount) {
    return (objectCount + tree_lanes - 1) / tree_lanes;
}

static inline uint32_t treeBitCount(uint32_t bits) {
    return (uint32_t)__builtin_popcount(bits);
}

static inline uint32_t treeChildCount(const grzTree* tree, uint32_t node) {
    return treeBitCount(tree->nodes[node].childMask);
}

// The child with a code that is there.
static inline uint32_t treeChild(const grzTree* tree, uint32_t node, uint32_t code) {
    const TreeNode* n = &tree->nodes[node];
    return n->firstChild + treeBitCount(n->childMask & ((1u << code) - 1));
}

static inline bool treeIsLeaf(const grzTree* tree, uint32_t node) {
    return tree->nodes[node].childMask == 0;
}

// Whether an object and one who asks, with a category and a mask of his own, are of interest to each other.
static inline bool treeMeets(const grzTree* tree, uint32_t object, uint64_t category, uint64_t mask) {
    return (tree->categories[object] & mask) != 0 && (category & tree->masks[object]) != 0;
}

// Whether that is so for all objects of the tree, as far as can be told without looking at them.
static inline bool treeMeetsAll(const grzTree* tree, uint64_t category, uint64_t mask) {
    grzTreeObject usual = grzDefaultTreeObject();
    return !tree->isFiltered && (usual.category & mask) != 0 && (category & usual.mask) != 0;
}

// A node that the next query must split. One whose objects would all go to the same child counts as split without
// having children [Shagam] 2.1.1: it is not tried again until it had some and lost them.
static inline bool treeIsDue(const grzTree* tree, uint32_t node) {
    return tree->infos[node].kind == tree_notSplit && tree->nodes[node].objectCount > tree->threshold;
}

#endif
