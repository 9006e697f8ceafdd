// The parts that the query kernels share, inlined into each. Only for files built per SIMD level.
//
// A descent keeps a stack of nodes that wait. A node that is popped hands its objects to a test and its children,
// those that may hold hits, to the stack, sixteen at a time. The stack at each pop, and with it the order of the
// hits, depends on the tree and the query alone.
#ifndef GRAZE_BROADPHASE_QUERY_LANES_H
#define GRAZE_BROADPHASE_QUERY_LANES_H

#include "query_search.h"
#include "simd.h"

// Sixteen boxes as columns: lower x y z, upper x y z.
typedef struct BoxLanes {
    const float* side[6];
} BoxLanes;

GRZ_SIMD_INLINE BoxLanes blockLanes(const TreeBlock* block) {
    return (BoxLanes){
        {block->lower[0], block->lower[1], block->lower[2], block->upper[0], block->upper[1], block->upper[2]}};
}

GRZ_SIMD_INLINE BoxLanes nodeLanes(const grzTree* tree, uint32_t first) {
    return (BoxLanes){{tree->bounds[0] + first, tree->bounds[1] + first, tree->bounds[2] + first,
                       tree->bounds[3] + first, tree->bounds[4] + first, tree->bounds[5] + first}};
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

// Squares of the distances from the centre: never above those of boxes within.
GRZ_SIMD_INLINE grzF16 squaredDistances(const QueryBall* ball, const BoxLanes* lanes) {
    grzF16 squares[3];
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 center = grzF16_Set1(ball->center[axis]);
        grzF16 below = grzF16_Sub(grzF16_Load(lanes->side[axis]), center);
        grzF16 above = grzF16_Sub(center, grzF16_Load(lanes->side[axis + 3]));
        grzF16 gap = grzF16_Max(grzF16_Max(below, above), grzF16_Zero());
        squares[axis] = grzF16_Mul(gap, gap);
    }
    return grzF16_Add(grzF16_Add(squares[0], squares[1]), squares[2]);
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
    uint32_t object = block->object[lane];
    if ((search->tree->categories[object] & query->mask) == 0 ||
        (query->category & search->tree->masks[object]) == 0)
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

// Where one hit is enough, the first of those found since `before` is kept. True: the search is over.
static inline bool isEnough(const QuerySearch* search, size_t before) {
    QueryKeys* keys = &search->out->keys;
    if (search->query->pick != grz_pickAny || keys->count == before)
        return false;
    keys->count = before + 1;
    return true;
}

#endif
