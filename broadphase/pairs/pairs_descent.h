// The two searches for pairs, as kernels, and what they share with tree_pairs.c: the descent of one tree against itself or against
// another (pairs_descent.c), and the walk of single objects down the other tree (pairs_walk.c).
#ifndef GRAZE_BROADPHASE_PAIRS_DESCENT_H
#define GRAZE_BROADPHASE_PAIRS_DESCENT_H

#include "arena.h"
#include "graze/tree_pairs.h"
#include "kernel.h"
#include "tree_inside.h"

// Boxes as six arrays (lower x y z, upper x y z), with room for sixteen more than are counted.
typedef struct BoxColumns {
    float* sides[6];
    uint32_t count;
} BoxColumns;

// Nodes of the other side (later siblings, or the other tree), all overlapping the box of the node in hand.
typedef struct NodeList {
    BoxColumns boxes;
    uint32_t* nodes;
} NodeList;

// Objects likewise.
typedef struct ObjectList {
    BoxColumns boxes;
    uint32_t* keys;
    uint32_t* objects;
} ObjectList;

typedef struct PairArray {
    GRZ_ARRAY(grzBodyPair);
} PairArray;

// A node of the first tree with everything of the second that may meet what is in it.
typedef struct PairTask {
    uint32_t node;
    NodeList nodes;
    ObjectList objects;
} PairTask;

typedef struct PairTaskArray {
    GRZ_ARRAY(PairTask);
} PairTaskArray;

// How much is read and written past the end, in objects; and what an object takes.
enum { leaf_slack = 64, leaf_bytesAnObject = 8 * sizeof(uint32_t) + 8 * sizeof(float) + 6 };

// Scratch for one leaf at a time: its own objects, then what was gathered around it.
typedef struct LeafScratch {
    ObjectList list;
    uint8_t* bytes[6];            // the boxes' sides over the leaf's box
    float *lowerRows, *upperRows; // rows of four floats
    uint32_t capacity;
    void* memory;
} LeafScratch;

// Elements (mover, word) of a step of the walk. The count is that of words.
typedef struct MoverList {
    IndexArray movers;
    IndexArray words;
} MoverList;

// Scratch for one walk at a time.
typedef struct WalkScratch {
    MoverList nodes, below; // of a level of the tree, and of the next
    MoverList runs;         // nodes with objects
    MoverList found;        // keys of objects
    IndexArray objects;     // theirs, as many as found; only with filters
    uint64_t visitCount;    // nodes and blocks that were looked at
} WalkScratch;

// What one task works with.
typedef struct PairDescent {
    const grzTree* treeA; // whose objects the tasks share out
    const grzTree* treeB; // where candidates come from; the same within one tree
    const grzPairQuery* query;
    const grzAllocator* allocator;
    grzArena* arena; // lists on the way down
    LeafScratch* leaf;
    WalkScratch* walk;
    PairArray* out;
    PairTaskArray* tasks; // where descents at depth 0 go instead of on; NULL: all the way down
    bool isWithin;        // one tree: siblings meet, and objects of one node
    bool isOrdered;       // a pair's a is the smaller key, not that of treeA's object
    bool isFiltered;      // categories and masks are to be asked
    bool hasFilters;      // these, or the host's filter
    bool ranOut;          // out: memory was refused, and pairs are missing
} PairDescent;

// Finds all pairs of what is below `task->node` with what is below it too, and with the task's lists.
GRZ_DECLARE_KERNEL(void, grzTreeDescend, (PairDescent * descent, const PairTask* task, int depth));

// Finds all pairs of the objects of nodes [task->node, task->node + walkNodes) of treeA with those of treeB, another tree.
enum { walkNodes = 16 };
GRZ_DECLARE_KERNEL(void, grzTreeWalk, (PairDescent * descent, const PairTask* task, int depth));

// Whether two objects that overlap may form a pair.
static inline bool pairPassesFilters(const PairDescent* descent, uint32_t objectA, uint32_t objectB,
                                     grzBodyPair pair) {
    if (descent->isFiltered) {
        const grzTree *a = descent->treeA, *b = descent->treeB;
        if ((a->categories[objectA] & b->masks[objectB]) == 0 || (b->categories[objectB] & a->masks[objectA]) == 0)
            return false;
    }
    const grzPairQuery* query = descent->query;
    return query->filter == NULL || query->filter(query->filterContext, pair.a, pair.b);
}

// The keys of treeA's object and of the other as a pair.
static inline grzBodyPair pairOfKeys(const PairDescent* descent, uint32_t a, uint32_t b) {
    const uint32_t swapped = (a ^ b) & (0u - ((uint32_t)descent->isOrdered & (uint32_t)(b < a)));
    return (grzBodyPair){a ^ swapped, b ^ swapped};
}

// Nodes and blocks of the other tree that the last search looked at, if it was a walk. For tests: it may not grow with what is far away.
uint64_t grzTreePairs_CountVisits(const grzTreePairs* pairs);

void grzLeafScratch_Destroy(LeafScratch* leaf, const grzAllocator* allocator);

#endif
