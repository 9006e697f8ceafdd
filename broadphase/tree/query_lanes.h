// The parts that the query kernels share, inlined into each. Only for files built per SIMD level.
//
// A descent keeps a stack of nodes that wait. A node that is popped hands its objects to a test and its children,
// those that may hold hits, to the stack, sixteen at a time. The stack at each pop, and with it the order of the
// hits, depends on the tree and the query alone.
#ifndef GRAZE_BROADPHASE_QUERY_LANES_H
#define GRAZE_BROADPHASE_QUERY_LANES_H

#include "query_search.h"
#include "simd.h"

// Sixteen boxes: those of a block, or of nodes from `first` on. Sides are lower x y z, upper x y z. `block` is NULL
// or not where it is made, so that nothing of the choice is left once all is inlined.
typedef struct BoxLanes {
    const TreeBlock* block;
    const grzTree* tree;
    uint32_t first;
} BoxLanes;

GRZ_SIMD_INLINE grzF16 loadSide(BoxLanes lanes, uint32_t side) {
    if (lanes.block == NULL)
        return grzF16_Load(lanes.tree->bounds[side] + lanes.first);
    _Static_assert(offsetof(TreeBlock, upper) == 3 * sizeof lanes.block->lower[0], "six columns in a row");
    return grzF16_LoadAligned((const float*)(const void*)lanes.block + side * tree_lanes);
}

GRZ_SIMD_INLINE grzM16 allLanes(void) {
    return grzM16_FromBits(0xffff);
}

// The first `count` lanes, or all.
GRZ_SIMD_INLINE grzM16 firstLanes(uint32_t count) {
    return grzM16_FromBits(count >= tree_lanes ? 0xffffu : (1u << count) - 1);
}

// first, first + 1, ...
GRZ_SIMD_INLINE grzI16 laneNumbers(uint32_t first) {
    static const int32_t numbers[tree_lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return grzI16_Add(grzI16_Load(numbers), grzI16_Set1((int32_t)first));
}

GRZ_SIMD_INLINE grzI16 loadKeys(const TreeBlock* block) {
    return grzI16_LoadAligned((const int32_t*)(const void*)block->key);
}

// The lanes of the mask, without gaps; returns how many.
GRZ_SIMD_INLINE size_t storeWords(uint32_t* to, grzM16 mask, grzI16 words) {
    return grzI16_CompressStore((int32_t*)(void*)to, mask, words);
}

typedef struct WideBall {
    grzF16 center[3], reachSq;
} WideBall;

GRZ_SIMD_INLINE void widenBall(WideBall* wide, const QueryBall* ball) {
    for (int axis = 0; axis < 3; ++axis)
        wide->center[axis] = grzF16_Set1(ball->center[axis]);
    wide->reachSq = grzF16_Set1(ball->reachSq);
}

GRZ_SIMD_INLINE grzF16 sumOfSquares(const grzF16 a[3]) {
    return grzF16_Add(grzF16_Add(grzF16_Mul(a[0], a[0]), grzF16_Mul(a[1], a[1])), grzF16_Mul(a[2], a[2]));
}

// Squares of the distances from the centre: never above those of boxes within.
GRZ_SIMD_INLINE grzF16 squaredDistances(const WideBall* ball, BoxLanes lanes) {
    grzF16 gaps[3];
    for (uint32_t axis = 0; axis < 3; ++axis) {
        grzF16 below = grzF16_Sub(loadSide(lanes, axis), ball->center[axis]);
        grzF16 above = grzF16_Sub(ball->center[axis], loadSide(lanes, axis + 3));
        gaps[axis] = grzF16_Max(grzF16_Max(below, above), grzF16_Zero());
    }
    return sumOfSquares(gaps);
}

// The lanes that hold objects: the empty ones are +infinity .. -infinity. For tests that those might pass.
GRZ_SIMD_INLINE grzM16 usedLanes(BoxLanes lanes) {
    return grzF16_LessEqual(loadSide(lanes, 0), loadSide(lanes, 3));
}

// Blocks whose objects are to be tested. A descent gathers them from several nodes and then tests them in one plain
// loop: the processor runs ahead from block to block there, where leaving each node's own loop would make it guess.
enum { query_blockRoom = 240 };

typedef struct BlockList {
    uint32_t blocks[query_blockRoom + tree_lanes];
    uint32_t planes[query_blockRoom + tree_lanes]; // of a volume, still to be tested
} BlockList;

// The state of a descent, small enough for registers: apart from the lists, lest these keep it in memory.
typedef struct Gathering {
    size_t waiting;                 // nodes on the stack
    uint32_t count;                 // blocks on the list
    uint32_t nextBlock, restBlocks; // of the run that is being appended
    uint32_t planes;
} Gathering;

GRZ_SIMD_INLINE void beginRun(Gathering* state, const TreeNode* node, uint32_t planes) {
    state->nextBlock = node->firstBlock;
    state->restBlocks = treeBlocksFor(node->objectCount);
    state->planes = planes;
}

// Up to sixteen blocks of the run, perhaps none. There is room for so many.
GRZ_SIMD_INLINE void appendBlocks(Gathering* state, BlockList* list) {
    uint32_t part = state->restBlocks < tree_lanes ? state->restBlocks : tree_lanes;
    grzI16_Store((int32_t*)(void*)(list->blocks + state->count), laneNumbers(state->nextBlock));
    grzI16_Store((int32_t*)(void*)(list->planes + state->count), grzI16_Set1((int32_t)state->planes));
    state->count += part;
    state->nextBlock += part;
    state->restBlocks -= part;
}

GRZ_SIMD_INLINE bool isExhausted(const Gathering* state) {
    return state->waiting == 0 && state->restBlocks == 0;
}

// Asks for the block that is tested a few later: by then it has come from the next cache.
GRZ_SIMD_INLINE void prefetchLater(const TreeBlock* blocks, const BlockList* list, uint32_t i, uint32_t count) {
    enum { ahead = 4, lineBytes = 64, usedBytes = offsetof(TreeBlock, object) };
    const char* later = (const char*)&blocks[list->blocks[i + ahead < count ? i + ahead : i]];
    for (size_t at = 0; at < usedBytes; at += lineBytes)
        __builtin_prefetch(later + at);
}

// Splits and repairs a node that is looked into, where the search may.
GRZ_SIMD_INLINE void openNode(QuerySearch* search, uint32_t node) {
    if (search->lazy != NULL && (search->tree->infos[node].isStale || treeIsDue(search->tree, node)))
        grzQueryOpenNode(search, node);
}

GRZ_SIMD_INLINE bool reserveStack(QuerySearch* search, size_t count) {
    return count + query_push <= search->scratch->nodes.capacity || grzQueryGrowStack(search, count);
}

GRZ_SIMD_INLINE bool reserveHits(QuerySearch* search, size_t more) {
    const QueryOutput* out = search->out;
    return out->keys.count + more + query_slack <= out->keys.capacity || grzQueryGrowHits(search, more);
}

// Whether categories, masks and the filter let an object through.
static inline bool isWanted(const QuerySearch* search, const TreeBlock* block, uint32_t lane) {
    const grzTreeQuery* query = search->query;
    if (!treeMeets(search->tree, block->object[lane], query->category, query->mask))
        return false;
    return query->filter == NULL || query->filter(query->filterContext, block->key[lane]);
}

// Those of the lanes that are wanted.
GRZ_SIMD_INLINE grzM16 wantedLanes(const QuerySearch* search, const TreeBlock* block, grzM16 mask) {
    if (!search->isSelective)
        return mask;
    uint32_t wanted = 0;
    for (uint32_t rest = grzM16_Bits(mask); rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        wanted |= (uint32_t)isWanted(search, block, lane) << lane;
    }
    return grzM16_FromBits(wanted);
}

// How many blocks are gathered before they are tested. Where one hit is enough, no more than one part of a run.
static inline uint32_t blocksPerTest(const QuerySearch* search) {
    return search->query->pick == grz_pickAny ? 1 : query_blockRoom;
}

// Where one hit is enough, the first of those found since `before` is kept. True: the search is over.
static inline bool isEnough(const QuerySearch* search, size_t before) {
    QueryKeys* keys = &search->out->keys;
    if (search->query->pick != grz_pickAny || keys->count == before)
        return false;
    keys->count = before + 1;
    return true;
}

#endif
