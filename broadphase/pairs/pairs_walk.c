// What: finds the overlapping pairs of a few objects with those of a tree that holds many more.
// Promise: every pair of overlapping boxes is found, once, in an order that depends on the trees alone.
// Idea: groups of objects ("movers"), in the order of their own tree, go down the other tree together, level by level, as a list of
//   (mover, node). Each step reads a list and appends to the next, sixteen elements at a time and without branches on what it finds,
//   because they would be mispredicted nearly every time:
//
//     nodes    (a, root) (b, root)    ->  (a, node)  ->  (a, leaf 7) (a, leaf 9) (b, leaf 9)
//     runs     (a, leaf 7) ..         ->  found: (a, 3) (a, 9) (a, 40)     boxes were called into the cache before
//
//   (Tried and lost: a descent for one mover after the other.)
// Cost: proportional to the movers; see `graze-bench pairs --case few-moving`. The descent of both trees costs less per object, but
//   it reads all of the other tree that lies in the boxes of the movers' leaves.
// Limits: where memory is refused, ranOut is set and the caller discards what was found.
#include "pairs_descent.h"

#include "simd.h"

enum {
    moversMost = 16, // enough that loops are long, few enough that what they call stays in the cache
    cacheLine = 64,
    slack = tree_lanes, // lists are written sixteen at a time
};

typedef struct Mover {
    grzF16 sides[6]; // lower x y z, upper x y z, in all lanes
    uint32_t key, object;
} Mover;

typedef struct Walk {
    PairDescent* descent;
    WalkScratch* scratch;
    Mover movers[moversMost];
    uint32_t moverCount;
} Walk;

static const int32_t laneNumbers[tree_lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Memory for `more` elements and the slack.
static bool reserveList(PairDescent* descent, MoverList* list, size_t more) {
    const size_t wanted = list->words.count + more + slack;
    if (wanted <= list->words.capacity && wanted <= list->movers.capacity)
        return true;
    list->movers.count = list->words.count;
    const bool isOk = grzArray_Reserve(&list->words, descent->allocator, wanted) &&
                      grzArray_Reserve(&list->movers, descent->allocator, wanted);
    descent->ranOut |= !isOk;
    return isOk;
}

// The first lanes, as many as are left.
static grzM16 firstLanes(uint32_t rest) {
    return grzM16_FromBits(rest >= tree_lanes ? 0xffffu : (1u << rest) - 1);
}

GRZ_SIMD_INLINE void appendLanes(MoverList* list, uint32_t mover, grzI16 words, grzM16 mask) {
    const size_t at = list->words.count;
    grzI16_CompressStore((int32_t*)(void*)(list->words.data + at), mask, words);
    grzI16_Store((int32_t*)(void*)(list->movers.data + at), grzI16_Set1((int32_t)mover));
    list->words.count = at + treeBitCount(grzM16_Bits(mask));
}

GRZ_SIMD_INLINE grzM16 overlaps(const Mover* mover, const float* const sides[6]) {
    grzM16 mask = grzF16_LessEqual(grzF16_Load(sides[0]), mover->sides[3]);
    mask = grzM16_And(mask, grzF16_LessEqual(mover->sides[0], grzF16_Load(sides[3])));
    for (int axis = 1; axis < 3; ++axis) {
        mask = grzM16_And(mask, grzF16_LessEqual(grzF16_Load(sides[axis]), mover->sides[axis + 3]));
        mask = grzM16_And(mask, grzF16_LessEqual(mover->sides[axis], grzF16_Load(sides[axis + 3])));
    }
    return mask;
}

// ------------------------------------------------------------------------------------------------- nodes and runs

// Calls what lies at an address into the cache.
static inline void callLines(const void* from, size_t size) {
    for (size_t at = 0; at < size; at += cacheLine)
        __builtin_prefetch((const char*)from + at);
}

static void noteRun(Walk* walk, uint32_t mover, uint32_t node) {
    const grzTree* tree = walk->descent->treeB;
    const TreeNode* n = &tree->nodes[node];
    MoverList* runs = &walk->scratch->runs;
    if (!reserveList(walk->descent, runs, 1))
        return;
    runs->movers.data[runs->words.count] = mover;
    runs->words.data[runs->words.count++] = node;
    for (uint32_t i = 0; i < treeBlocksFor(n->objectCount); ++i)
        callLines(&tree->blocks[n->firstBlock + i], offsetof(TreeBlock, object));
}

static void openNode(Walk* walk, uint32_t mover, uint32_t node, MoverList* below) {
    const grzTree* tree = walk->descent->treeB;
    const TreeNode* n = &tree->nodes[node];
    if (n->objectCount != 0)
        noteRun(walk, mover, node);
    const uint32_t count = treeChildCount(tree, node);
    if (!reserveList(walk->descent, below, count))
        return;
    for (uint32_t i = 0; i < count; i += tree_lanes) {
        const float* sides[6];
        for (int side = 0; side < 6; ++side)
            sides[side] = tree->bounds[side] + n->firstChild + i;
        const grzI16 children = grzI16_Add(grzI16_Set1((int32_t)(n->firstChild + i)), grzI16_Load(laneNumbers));
        const grzM16 mask = grzM16_And(overlaps(&walk->movers[mover], sides), firstLanes(count - i));
        appendLanes(below, mover, children, mask);
    }
}

// From the root down, all movers a level at a time.
static void findRuns(Walk* walk) {
    MoverList *nodes = &walk->scratch->nodes, *below = &walk->scratch->below;
    nodes->words.count = walk->scratch->runs.words.count = 0;
    if (!reserveList(walk->descent, nodes, walk->moverCount))
        return;
    for (uint32_t i = 0; i < walk->moverCount; ++i) {
        nodes->movers.data[i] = i;
        nodes->words.data[i] = tree_root;
    }
    nodes->words.count = walk->moverCount;
    while (nodes->words.count != 0 && !walk->descent->ranOut) {
        below->words.count = 0;
        walk->scratch->visitCount += nodes->words.count;
        for (size_t i = 0; i < nodes->words.count; ++i)
            openNode(walk, nodes->movers.data[i], nodes->words.data[i], below);
        MoverList* done = nodes;
        nodes = below;
        below = done;
    }
}

// ------------------------------------------------------------------------------------------------------- objects

static bool reserveFound(Walk* walk, uint32_t more) {
    PairDescent* descent = walk->descent;
    WalkScratch* scratch = walk->scratch;
    scratch->objects.count = descent->hasFilters ? scratch->found.words.count : 0;
    if (!reserveList(descent, &scratch->found, more))
        return false;
    if (descent->hasFilters &&
        !grzArray_Reserve(&scratch->objects, descent->allocator, scratch->found.words.count + more + slack))
        descent->ranOut = true;
    return !descent->ranOut;
}

static void testBlock(Walk* walk, uint32_t mover, const TreeBlock* block) {
    WalkScratch* scratch = walk->scratch;
    const float* const sides[6] = {block->lower[0], block->lower[1], block->lower[2],
                                   block->upper[0], block->upper[1], block->upper[2]};
    const grzM16 mask = overlaps(&walk->movers[mover], sides);
    if (walk->descent->hasFilters)
        grzI16_CompressStore((int32_t*)(void*)(scratch->objects.data + scratch->found.words.count), mask,
                             grzI16_LoadAligned((const int32_t*)(const void*)block->object));
    appendLanes(&scratch->found, mover, grzI16_LoadAligned((const int32_t*)(const void*)block->key), mask);
}

static void testRuns(Walk* walk) {
    const grzTree* tree = walk->descent->treeB;
    const MoverList* runs = &walk->scratch->runs;
    walk->scratch->found.words.count = 0;
    for (size_t i = 0; i < runs->words.count; ++i) {
        const TreeNode* n = &tree->nodes[runs->words.data[i]];
        if (!reserveFound(walk, treeBlocksFor(n->objectCount) * tree_lanes))
            return;
        walk->scratch->visitCount += treeBlocksFor(n->objectCount);
        for (uint32_t k = 0; k < treeBlocksFor(n->objectCount); ++k)
            testBlock(walk, runs->movers.data[i], &tree->blocks[n->firstBlock + k]);
    }
}

static void listPairs(Walk* walk) {
    PairDescent* descent = walk->descent;
    const WalkScratch* scratch = walk->scratch;
    const MoverList* found = &scratch->found;
    PairArray* out = descent->out;
    if (!grzArray_Reserve(out, descent->allocator, out->count + found->words.count)) {
        descent->ranOut = true;
        return;
    }
    for (size_t i = 0; i < found->words.count; ++i) {
        const Mover* mover = &walk->movers[found->movers.data[i]];
        const grzBodyPair pair = pairOfKeys(descent, mover->key, found->words.data[i]);
        if (!descent->hasFilters || pairPassesFilters(descent, mover->object, scratch->objects.data[i], pair))
            out->data[out->count++] = pair;
    }
}

// -------------------------------------------------------------------------------------------------------- movers

static void searchGroup(Walk* walk) {
    if (!walk->descent->ranOut)
        findRuns(walk);
    if (!walk->descent->ranOut)
        testRuns(walk);
    if (!walk->descent->ranOut)
        listPairs(walk);
    walk->moverCount = 0;
}

static void addMover(Walk* walk, const TreeBlock* block, uint32_t lane) {
    Mover* mover = &walk->movers[walk->moverCount++];
    for (int axis = 0; axis < 3; ++axis) {
        mover->sides[axis] = grzF16_Set1(block->lower[axis][lane]);
        mover->sides[axis + 3] = grzF16_Set1(block->upper[axis][lane]);
    }
    mover->key = block->key[lane];
    mover->object = block->object[lane];
    if (walk->moverCount == moversMost)
        searchGroup(walk);
}

void GRZ_KERNEL(grzTreeWalk)(PairDescent* descent, const PairTask* task, int depth) {
    Walk walk;
    const grzTree* tree = descent->treeA;
    (void)depth; // a walk has no tasks below it
    walk.descent = descent;
    walk.scratch = descent->walk;
    walk.moverCount = 0;
    for (uint32_t node = task->node; node < task->node + walkNodes && node < tree->nodeCount; ++node) {
        const TreeNode* n = &tree->nodes[node];
        const uint32_t count = tree->infos[node].isLive ? n->objectCount : 0;
        for (uint32_t i = 0; i < count; ++i)
            addMover(&walk, &tree->blocks[n->firstBlock + i / tree_lanes], i % tree_lanes);
    }
    if (walk.moverCount != 0)
        searchGroup(&walk);
}
