// What: lays the runs of a tree's blocks out anew, once they have become scattered or much lies idle between them.
// Promise: only places change: blocks, slots, free runs. Results that are in the order of the walk stay so.
// Idea: runs are given in the order of a walk that takes a node's own run, then those of its children, then what is below; so what
//   a descent reads together lies together. Every block is told its new place, and blocks are swapped along the cycles of that
//   permutation, so there is no second array of blocks. All that is left over lies behind the last run, and is no longer in use.
//   A layout is due
//      when more than a third of the blocks lie in free runs, or
//      when an eighth as many blocks as there are have been handed out since the last one: leaves that outgrow their runs are no
//      longer where their neighbours are, which costs an update a fifth of its time within 300 frames.
// Holds: after a layout, and after every call that ends with the question whether one is due, free blocks are no more than half as
//   many as those that nodes hold, plus a few. Within a call there may be three times as many as nodes hold: a node that is
//   collapsed or split has its objects twice, and the run it leaves may be too short for what comes next. The arrays keep the size
//   of the largest call. Nobody may hold a slot or a block meanwhile.
// Cost: O(blocks), after at least an eighth as many were handed out or given back: amortised O(1) a block. Needs four bytes a block;
//   refused, the layout waits.
#include "tree_inside.h"

// Below this a tree fits into the nearest cache, and the order does not matter.
enum { layoutLeast = 64 };

static bool isDue(const grzTree* tree) {
    return tree->freeBlockCount > tree->blockCount / 3 + layoutLeast ||
           tree->takenBlockCount > (uint64_t)tree->blockCount / 8 + layoutLeast;
}

// ------------------------------------------------------------------------------------------------ new places

typedef struct Layout {
    grzTree* tree;
    uint32_t* places; // of each block, TREE_NONE for free ones
    uint32_t count;
} Layout;

static void placeRun(Layout* layout, uint32_t node) {
    TreeNode* n = &layout->tree->nodes[node];
    if (n->firstBlock == TREE_NONE)
        return;
    uint32_t size = grzTreeClassSize(layout->tree->infos[node].runClass);
    for (uint32_t i = 0; i < size; ++i)
        layout->places[n->firstBlock + i] = layout->count + i;
    n->firstBlock = layout->count;
    layout->count += size;
}

static void placeBelow(Layout* layout, uint32_t node) {
    const TreeNode* n = &layout->tree->nodes[node];
    uint32_t count = treeChildCount(layout->tree, node);
    for (uint32_t i = 0; i < count; ++i)
        placeRun(layout, n->firstChild + i);
    for (uint32_t i = 0; i < count; ++i)
        placeBelow(layout, n->firstChild + i);
}

// ---------------------------------------------------------------------------------------------------- moving

static void moveBlocks(const Layout* layout) {
    grzTree* tree = layout->tree;
    uint32_t* places = layout->places;
    for (uint32_t i = 0; i < tree->blockCount; ++i) {
        while (places[i] != TREE_NONE && places[i] != i) {
            uint32_t to = places[i];
            TreeBlock block = tree->blocks[to];
            uint32_t owner = tree->blockOwners[to];
            tree->blocks[to] = tree->blocks[i];
            tree->blockOwners[to] = tree->blockOwners[i];
            tree->blocks[i] = block;
            tree->blockOwners[i] = owner;
            places[i] = places[to];
            places[to] = to;
        }
    }
}

// Slots go by the blocks, as a run is filled from the front.
static void numberSlots(grzTree* tree) {
    for (uint32_t i = 0; i < tree->blockCount; ++i) {
        const TreeNode* n = &tree->nodes[tree->blockOwners[i]];
        uint32_t before = (i - n->firstBlock) * tree_lanes;
        for (uint32_t lane = 0; lane < tree_lanes && before + lane < n->objectCount; ++lane)
            tree->slots[tree->blocks[i].object[lane]] = i * tree_lanes + lane;
    }
}

void grzTreeLayOut(grzTree* tree) {
    if (!isDue(tree))
        return;
    if (!grzArray_Reserve(&tree->scratch, &tree->allocator, tree->blockCount))
        return;
    Layout layout = {.tree = tree, .places = tree->scratch.data};
    for (uint32_t i = 0; i < tree->blockCount; ++i)
        layout.places[i] = TREE_NONE;
    placeRun(&layout, tree_root);
    placeBelow(&layout, tree_root);
    moveBlocks(&layout);
    tree->blockCount = layout.count;
    numberSlots(tree);
    grzTreeForgetFreeRuns(tree);
    tree->takenBlockCount = 0;
}
