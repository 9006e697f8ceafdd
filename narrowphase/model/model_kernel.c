// What: the kernels of model_kernel.h.
// Promise: see there; which pairs of boxes are left out, see model_boxes.h.
// Idea: a step opens the larger of two boxes: its eight children are tested against the other one at once, and those that meet
//   it go on the stack, each with its partner, the larger first. Where any pair will do, the walk is that of model_touch.h.
//
//   Where all pairs are asked for, a batch of sixteen entries is taken from the top, so that steps need not wait for each
//   other. The stack is in order of depth (the levels of both): what a batch leaves behind is no deeper than any of the
//   batch, whose children are deeper by one. So entries of one depth are all from one batch, at most 8 * 16.
//   With a limit, triangles are tested as soon as a leaf pair is there, and batches begin with one entry; both grow twofold
//   from one time to the next, so that a large limit costs no more than none.
// Cost: 12 to 20 ns a step, 20 to 40 a leaf pair; bound by the number of instructions while the models are in the caches, by
//   the way down, a miss for each step, where they are not.
// Tried and lost: fetching ahead where any pair will do, the partner's node, those on the stack or all children's: the miss
//   that counts is of the child just chosen.
// Based on: [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, JGT 1997] sections
//   3 and 4: the larger box opened. We differ: eight children a step, depth first by penetration, leaves of four triangles.
#include "model_kernel.h"

#include <string.h>

#include "model_boxes.h"
#include "model_chunks.h"
#include "model_leaf_pair.h"
#include "model_touch.h"
#include "model_waiting.h"

enum {
    LEAF_PAIRS = 512,
    BATCH = 16,
    ENOUGH_LEAF_PAIRS = LEAF_PAIRS - BATCH * GRZ_BVH_WIDTH + 1, // so that a batch more has room
    PLACED_LEAVES =
        32,    // three of four leaves are found there; 16 times as many find no more than one more in twenty
    AHEAD = 4, // leaf pairs: worth a quarter where leaves come from the last cache
    WIDE_SIZE = BATCH * GRZ_BVH_WIDTH * 2 * (GRZ_BVH_MAX_LEVELS + 1) + BATCH,
};

// ------------------------------------------------------------------------------------------------------- fetching

static inline void prefetchLeaf(const ModelLeaf* leaf) {
    for (size_t line = 0; line < sizeof *leaf; line += 64)
        __builtin_prefetch((const char*)leaf + line);
}

static inline void prefetchNode(const ModelSearch* search, Ref ref) {
    const grzBvhNode* node = search->models[ref >> 31]->levels[levelOf(ref) + 1] + (ref & INDEX_MASK);
    for (size_t line = 0; line < sizeof *node; line += 64)
        __builtin_prefetch((const char*)node + line);
}

// ------------------------------------------------------------------------------------------------- whether any meet

bool GRZ_KERNEL(grzModelTouch)(ModelSearch* search) {
    TouchStack stack;
    Ref first = 0, second = SIDE_BIT;
    stack.count = 0;
    for (;;) {
        if (isLeafPair(search, first, second)) {
            if (touchLeaves(search, leavesOf(search, first, second)))
                return true;
        } else {
            Children children;
            open(search, first, second, &children);
            search->stats.boxTests += GRZ_BVH_WIDTH;
            if (grzM8_Any(children.meets)) {
                goInto(&children, findDeepest(&children), &stack, &first, &second);
                continue;
            }
        }
        if (!takePair(&stack, &first, &second))
            return false;
    }
}

// ------------------------------------------------------------------------------------------- what is to be made before

// Whether there are chunks at or below a box.
static bool hasChunks(const ModelSearch* search, Ref ref) {
    const ModelChunks* chunks = search->models[ref >> 31]->chunks;
    return chunks != NULL && levelOf(ref) <= chunks->level;
}

// The steps of the walks that follow, until nothing is to be made below a pair.
void GRZ_KERNEL(grzModelMakeMet)(ModelSearch* search) {
    TouchStack stack;
    Ref first = 0, second = SIDE_BIT;
    stack.count = 0;
    do {
        ModelChunks* chunks = search->models[first >> 31]->chunks;
        const bool isChunk = chunks != NULL && levelOf(first) == chunks->level;
        if (isChunk)
            grzModelChunks_Make(chunks, first & INDEX_MASK);
        if ((hasChunks(search, first) && !isChunk) || hasChunks(search, second)) {
            Children children;
            open(search, first, second, &children);
            pushPairs(&stack, &children, children.meets);
        }
    } while (takePair(&stack, &first, &second));
}

// ------------------------------------------------------------------------------------------------------- all that meet

// As a stack, for steps in batches.
typedef struct WideStack {
    int32_t first[WIDE_SIZE], second[WIDE_SIZE];
    uint32_t count;
} WideStack;

// Leaf pairs are kept until there are many, so that steps and leaf pairs run in loops of their own.
typedef struct LeafPairs {
    int32_t first[LEAF_PAIRS + GRZ_BVH_WIDTH], second[LEAF_PAIRS + GRZ_BVH_WIDTH];
    uint32_t count;
} LeafPairs;

// B's leaves in A's frame: most come again soon.
typedef struct PlacedLeaves {
    const ModelLeaf* from[PLACED_LEAVES];
    PlacedLeaf at[PLACED_LEAVES];
} PlacedLeaves;

static inline const PlacedLeaf* place(PlacedLeaves* cache, const ModelSearch* search, const ModelLeaf* leaf) {
    const size_t slot = (size_t)(leaf - search->models[1]->leaves) % PLACED_LEAVES;
    if (leaf != cache->from[slot]) {
        placeLeaf(&search->relation.into[0], leaf, &cache->at[slot]);
        if (search->isNear)
            growBoxes(&search->relation, &cache->at[slot]);
    }
    cache->from[slot] = leaf;
    return &cache->at[slot];
}

static bool collectNear(ModelSearch* search, Leaves leaves, const PlacedLeaf* placed) {
    const uint32_t near = findNear(&search->relation, leaves.a, placed, leaves.b->count);
    search->stats.triangleTests += (uint32_t)__builtin_popcount(near);
    return near == 0 || keepSure(search, leaves, near);
}

static bool collectLeaf(ModelSearch* search, Leaves leaves, const PlacedLeaf* placed, Waiting* waiting) {
    if (search->isNear)
        return collectNear(search, leaves, placed);
    const LeafMeetings found = findMeetings(leaves.a, placed, leaves.b->count);
    return found.open == 0 || keepMeetings(search, leaves, placed, found, waiting);
}

// False where memory is refused.
static bool collectLeaves(ModelSearch* search, LeafPairs* kept, PlacedLeaves* cache, Waiting* waiting) {
    for (uint32_t i = 0; i < kept->count && !isEnough(search); ++i) {
        search->stats.leafPairs++;
        const Leaves leaves = leavesOf(search, (Ref)kept->first[i], (Ref)kept->second[i]);
        const uint32_t next = i + AHEAD < kept->count ? i + AHEAD : i;
        const Leaves ahead = leavesOf(search, (Ref)kept->first[next], (Ref)kept->second[next]);
        prefetchLeaf(ahead.a);
        prefetchLeaf(ahead.b);
        const PlacedLeaf* placed = place(cache, search, leaves.b);
        if (!areLeavesApart(leaves.a, placed) && !collectLeaf(search, leaves, placed, waiting))
            return false;
    }
    kept->count = 0;
    return true;
}

// One step; where the children and the partner are leaves, to the leaf pairs, else onto the stack.
GRZ_SIMD_PART void step(ModelSearch* search, Ref opened, Ref other, WideStack* stack, LeafPairs* kept) {
    Children children;
    open(search, opened, other, &children);
    const bool areLeaves = isLeafPair(search, children.base, children.partner);
    int32_t* first = areLeaves ? kept->first + kept->count : stack->first + stack->count;
    int32_t* second = areLeaves ? kept->second + kept->count : stack->second + stack->count;
    uint32_t* count = areLeaves ? &kept->count : &stack->count;
    grzI8_CompressStore(second, children.meets, children.second);
    *count += (uint32_t)grzI8_CompressStore(first, children.meets, children.first);
}

// At most so many steps from the top of the stack, the lowest of them first, so that the stack stays in order of depth.
static void runBatch(ModelSearch* search, WideStack* stack, LeafPairs* kept, uint32_t most) {
    int32_t first[BATCH], second[BATCH];
    const uint32_t size = stack->count < most ? stack->count : most;
    stack->count -= size;
    memcpy(first, stack->first + stack->count, sizeof first);
    memcpy(second, stack->second + stack->count, sizeof second);
    for (uint32_t i = 0; i < size; ++i)
        prefetchNode(search, (Ref)first[i]);
    for (uint32_t i = 0; i < size; ++i)
        step(search, (Ref)first[i], (Ref)second[i], stack, kept);
    search->stats.boxTests += size * GRZ_BVH_WIDTH;
}

bool GRZ_KERNEL(grzModelCollect)(ModelSearch* search) {
    WideStack stack;
    LeafPairs kept;
    Waiting waiting;
    PlacedLeaves cache;
    memset(cache.from, 0, sizeof cache.from);
    memset(&waiting, 0, sizeof waiting);                 // lanes without a pair are read as well
    memset(stack.first, 0, BATCH * sizeof *stack.first); // a batch is copied whole
    memset(stack.second, 0, BATCH * sizeof *stack.second);
    stack.second[0] = (int32_t)SIDE_BIT;
    stack.count = 1;
    kept.count = 0;
    uint32_t enough = search->limit != 0 ? 1 : ENOUGH_LEAF_PAIRS;
    while (stack.count != 0 && !isEnough(search)) {
        while (stack.count != 0 && kept.count < enough)
            runBatch(search, &stack, &kept, enough < BATCH ? enough : BATCH);
        if (!collectLeaves(search, &kept, &cache, &waiting) ||
            (search->limit != 0 && waiting.count != 0 && !keepDecided(search, &waiting)))
            return false;
        enough = enough < ENOUGH_LEAF_PAIRS / 2 ? 2 * enough : ENOUGH_LEAF_PAIRS;
    }
    return waiting.count == 0 || isEnough(search) || keepDecided(search, &waiting);
}
