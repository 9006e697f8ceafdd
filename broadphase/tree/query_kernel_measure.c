// What: the descent of queries with values: rays and moving boxes (the time of entry), points (the distance).
// Promise: all objects that pass the test, or the closest by (value, key), whatever the order of the visits; an
//   order that depends on tree and query alone where all are asked for.
// Idea: a node's value is not above those of the objects in it. For the closest, the children that are met wait on
//   the stack with the nearest on top, and the limit shrinks to the worst of the hits that are kept; what waits
//   beyond it is dropped. A value that equals the limit is still looked at, since the key may be smaller.
// Holds: values are not negative, so their bits order as they do; with the key below them they make one word that
//   orders as (value, key). The closest so far are a heap of such words, the worst on top. Points are
//   measured by squared distances until a hit is kept: rounding the root may make two distances equal, so the limit
//   is the largest square that has the same root (querySquareLimit).
#include "query_lanes.h"

#include <float.h>

// ------------------------------------------------------------------------------------------------ the measures

// A ray in all lanes.
typedef struct WideRay {
    uint32_t entrySide[3], exitSide[3];
    grzF16 entryFrom[3], exitFrom[3];
    grzF16 entryInverse[3], exitInverse[3];
    grzF16 entryMost[3];
} WideRay;

typedef struct WideMeasure {
    WideRay ray;
    WideBall ball;
} WideMeasure;

GRZ_SIMD_PART void widenRay(WideRay* wide, const QueryRay* ray) {
    for (int axis = 0; axis < 3; ++axis) {
        wide->entrySide[axis] = ray->entrySide[axis];
        wide->exitSide[axis] = ray->exitSide[axis];
        wide->entryFrom[axis] = grzF16_Set1(ray->entryFrom[axis]);
        wide->exitFrom[axis] = grzF16_Set1(ray->exitFrom[axis]);
        wide->entryInverse[axis] = grzF16_Set1(ray->entryInverse[axis]);
        wide->exitInverse[axis] = grzF16_Set1(ray->exitInverse[axis]);
        wide->entryMost[axis] = grzF16_Set1(ray->entryMost[axis]);
    }
}

GRZ_SIMD_PART grzM16 timesOfEntry(const WideRay* ray, grzF16 limit, BoxLanes lanes, grzF16* times) {
    grzF16 entry = grzF16_Zero(), exit = grzF16_Set1(INFINITY);
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 to = grzF16_Sub(loadSide(lanes, ray->entrySide[axis]), ray->entryFrom[axis]);
        to = grzF16_Mul(to, ray->entryInverse[axis]);
        grzF16 from = grzF16_Sub(loadSide(lanes, ray->exitSide[axis]), ray->exitFrom[axis]);
        from = grzF16_Mul(from, ray->exitInverse[axis]);
        // A minimum or maximum with a NaN is its second operand.
        entry = grzF16_Max(grzF16_Min(ray->entryMost[axis], to), entry);
        exit = grzF16_Min(from, exit);
    }
    *times = entry;
    exit = grzF16_Add(exit, grzF16_Set1(FLT_MIN));
    return grzM16_And(grzF16_LessEqual(entry, exit), grzF16_LessEqual(entry, limit));
}

// `kind`, here and below, is a constant where a descent is made: a ray or a point.
GRZ_SIMD_PART void widen(WideMeasure* wide, const QueryShape* shape, grzQueryKind kind) {
    if (kind == grz_queryRay)
        widenRay(&wide->ray, &shape->ray);
    else
        widenBall(&wide->ball, &shape->ball);
}

// Which of sixteen boxes are met within the limit, and their values.
GRZ_SIMD_PART grzM16 measure(const WideMeasure* wide, grzQueryKind kind, float limit, BoxLanes lanes,
                             grzF16* values) {
    if (kind == grz_queryRay)
        return timesOfEntry(&wide->ray, grzF16_Set1(limit), lanes, values);
    *values = squaredDistances(&wide->ball, lanes);
    return grzF16_LessEqual(*values, grzF16_Set1(limit));
}

// Of the time, or of the squared distance.
GRZ_SIMD_INLINE float firstLimit(const QueryShape* shape, grzQueryKind kind) {
    return kind == grz_queryRay ? shape->ray.reach : shape->ball.reachSq;
}

// Up to sixteen siblings: those that are met go onto the stack, with their values. Returns how many wait.
GRZ_SIMD_PART size_t pushSiblings(QuerySearch* search, size_t waiting, uint32_t first, uint32_t count,
                                  grzQueryKind kind, float limit) {
    QueryScratch* scratch = search->scratch;
    WideMeasure wide;
    widen(&wide, search->shape, kind);
    grzF16 values;
    grzM16 met = measure(&wide, kind, limit, (BoxLanes){.tree = search->tree, .first = first}, &values);
    met = grzM16_And(met, firstLanes(count));
    storeWords(scratch->notes.data + waiting, met, grzF16_AsInt(values));
    return waiting + storeWords(scratch->nodes.data + waiting, met, laneNumbers(first));
}

GRZ_SIMD_PART size_t pushChildren(QuerySearch* search, size_t waiting, const TreeNode* node, grzQueryKind kind,
                                  float limit) {
    uint32_t count = treeBitCount(node->childMask);
    if (count == 0 || !reserveStack(search, waiting))
        return waiting;
    for (uint32_t i = 0; i < count; i += tree_lanes)
        waiting = pushSiblings(search, waiting, node->firstChild + i, count - i, kind, limit);
    return waiting;
}

// Opens a node that is looked into.
GRZ_SIMD_PART const TreeNode* enterNode(QuerySearch* search, uint32_t index) {
    search->stats->nodeCount++;
    openNode(search, index);
    const TreeNode* node = &search->tree->nodes[index];
    search->stats->testedCount += node->objectCount;
    return node;
}

// ----------------------------------------------------------------------------------------------------- the closest

typedef struct Closest {
    QuerySearch* search;
    WideMeasure wide;
    float limit;
} Closest;

// Sinks a word from the top of the heap to its place.
static inline void sinkTop(uint64_t* heap, size_t count, uint64_t word) {
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            ++child;
        if (heap[child] <= word)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = word;
}

static inline void raiseLast(uint64_t* heap, size_t count, uint64_t word) {
    size_t at = count - 1;
    for (; at != 0 && heap[(at - 1) / 2] < word; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = word;
}

// The limit once as many hits are kept as were asked for.
GRZ_SIMD_INLINE void shrinkLimit(Closest* closest, grzQueryKind kind) {
    float worst = queryFloat((uint32_t)(closest->search->scratch->best.data[0] >> 32));
    float limit = kind == grz_queryRay ? worst : querySquareLimit(worst);
    closest->limit = limit < closest->limit ? limit : closest->limit;
}

// Keeps a hit if it is among the closest so far.
GRZ_SIMD_PART void offer(Closest* closest, grzQueryKind kind, float value, const TreeBlock* block, uint32_t lane) {
    QuerySearch* search = closest->search;
    QueryWords* best = &search->scratch->best;
    uint64_t word = (uint64_t)queryBits(value) << 32 | block->key[lane];
    bool isFull = best->count == search->bestCount;
    if (isFull && word >= best->data[0])
        return;
    if (search->isSelective && !isWanted(search, block, lane))
        return;
    if (isFull)
        sinkTop(best->data, best->count, word);
    else
        raiseLast(best->data, ++best->count, word);
    if (best->count == search->bestCount)
        shrinkLimit(closest, kind);
}

// The lanes of the mask with the least value, or with squares that may have the same root.
GRZ_SIMD_PART uint32_t leastLanes(grzM16 mask, grzQueryKind kind, grzF16 values) {
    float least = grzF16_ReduceMin(grzF16_Select(mask, values, grzF16_Set1(INFINITY)));
    if (kind == grz_queryPoint)
        least = querySquareLimit(sqrtf(least));
    return grzM16_Bits(grzM16_And(mask, grzF16_LessEqual(values, grzF16_Set1(least))));
}

GRZ_SIMD_PART void offerRun(Closest* closest, const TreeNode* node, grzQueryKind kind) {
    const TreeBlock* block = &closest->search->tree->blocks[node->firstBlock];
    bool isOne = closest->search->bestCount == 1 && !closest->search->isSelective;
    for (uint32_t i = 0; i < node->objectCount; i += tree_lanes, ++block) {
        grzF16 values;
        grzM16 met = measure(&closest->wide, kind, closest->limit, (BoxLanes){.block = block}, &values);
        met = grzM16_And(met, firstLanes(node->objectCount - i));
        uint32_t rest = grzM16_Bits(met);
        if (rest == 0)
            continue;
        if (isOne && (rest & (rest - 1)) != 0)
            rest = leastLanes(met, kind, values);
        float lanes[tree_lanes];
        grzF16_Store(lanes, kind == grz_queryRay ? values : grzF16_Sqrt(values));
        for (; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            offer(closest, kind, lanes[lane], block, lane);
        }
    }
}

// How many of the `count` values come before value i where the greatest is first; of equal ones the earlier does.
GRZ_SIMD_PART uint32_t rankOf(const float* values, uint32_t count, uint32_t i) {
    grzF16 value = grzF16_Set1(values[i]);
    uint32_t rank = 0;
    for (uint32_t k = 0; k < count; k += tree_lanes) {
        grzF16 others = grzF16_Load(values + k);
        grzM16 greater = grzF16_Greater(others, value), equal = grzF16_Equal(others, value);
        uint32_t before = i > k ? i - k : 0;
        greater = grzM16_Or(greater, grzM16_And(equal, firstLanes(before)));
        rank += treeBitCount(grzM16_Bits(grzM16_And(greater, firstLanes(count - k))));
    }
    return rank;
}

// Brings siblings on the stack into order, the nearest last: each goes to its rank, without a branch to guess.
GRZ_SIMD_PART void sortByValue(QueryScratch* scratch, size_t begin, size_t end) {
    uint32_t count = (uint32_t)(end - begin);
    if (count < 2)
        return;
    float values[2 * tree_lanes];
    uint32_t nodes[2 * tree_lanes];
    for (uint32_t i = 0; i < count; i += tree_lanes) {
        const int32_t* from = (const int32_t*)(const void*)(scratch->notes.data + begin + i);
        grzF16_Store(values + i, grzI16_AsFloat(grzI16_Load(from)));
        from = (const int32_t*)(const void*)(scratch->nodes.data + begin + i);
        grzI16_Store((int32_t*)(void*)(nodes + i), grzI16_Load(from));
    }
    for (uint32_t i = 0; i < count; ++i) {
        size_t to = begin + rankOf(values, count, i);
        scratch->nodes.data[to] = nodes[i];
        scratch->notes.data[to] = queryBits(values[i]);
    }
}

GRZ_SIMD_PART void descendForClosest(QuerySearch* search, grzQueryKind kind) {
    Closest closest = {.search = search, .limit = firstLimit(search->shape, kind)};
    widen(&closest.wide, search->shape, kind);
    if (!reserveStack(search, 0))
        return;
    QueryScratch* scratch = search->scratch;
    size_t waiting = pushSiblings(search, 0, tree_root, 1, kind, closest.limit);
    while (waiting != 0 && !search->ranOut) {
        --waiting;
        if (queryFloat(scratch->notes.data[waiting]) > closest.limit)
            continue;
        const TreeNode* node = enterNode(search, scratch->nodes.data[waiting]);
        if (node->objectCount != 0)
            offerRun(&closest, node, kind);
        size_t begin = waiting;
        waiting = pushChildren(search, waiting, node, kind, closest.limit);
        sortByValue(scratch, begin, waiting);
    }
}

// ----------------------------------------------------------------------------------------------------------- all

GRZ_SIMD_PART void testEach(QuerySearch* search, const BlockList* list, uint32_t blockCount, grzQueryKind kind,
                            bool isSelective) {
    WideMeasure wide;
    widen(&wide, search->shape, kind);
    const float limit = firstLimit(search->shape, kind);
    const TreeBlock* blocks = search->tree->blocks;
    QueryOutput* out = search->out;
    size_t count = out->keys.count;
    uint32_t* keys = out->keys.data;
    float* hitValues = out->values.data;
    for (uint32_t i = 0; i < blockCount; ++i) {
        const TreeBlock* block = &blocks[list->blocks[i]];
        prefetchLater(blocks, list, i, blockCount);
        BoxLanes lanes = {.block = block};
        grzF16 values;
        grzM16 met = measure(&wide, kind, limit, lanes, &values);
        if (kind == grz_queryPoint) { // no ray meets an empty lane
            met = grzM16_And(met, usedLanes(lanes));
            values = grzF16_Sqrt(values);
        }
        if (isSelective)
            met = wantedLanes(search, block, met);
        grzF16_CompressStore(hitValues + count, met, values);
        count += storeWords(keys + count, met, loadKeys(block));
    }
    out->keys.count = count;
}

GRZ_SIMD_PART void testBlocks(QuerySearch* search, const BlockList* list, uint32_t count, grzQueryKind kind) {
    if (count == 0 || !reserveHits(search, (size_t)count * tree_lanes))
        return;
    if (search->isSelective)
        testEach(search, list, count, kind, true);
    else
        testEach(search, list, count, kind, false);
}

// Visits waiting nodes until `most` blocks are gathered, or none waits.
GRZ_SIMD_PART void gather(QuerySearch* search, Gathering* state, BlockList* list, uint32_t most,
                          grzQueryKind kind) {
    const float limit = firstLimit(search->shape, kind);
    while (state->count < most && !isExhausted(state) && !search->ranOut) {
        if (state->restBlocks == 0) {
            const TreeNode* node = enterNode(search, search->scratch->nodes.data[--state->waiting]);
            beginRun(state, node, 0);
            state->waiting = pushChildren(search, state->waiting, node, kind, limit);
        }
        appendBlocks(state, list);
    }
}

GRZ_SIMD_PART void descendForAll(QuerySearch* search, grzQueryKind kind) {
    if (!reserveStack(search, 0))
        return;
    BlockList list;
    Gathering state = {.waiting = 0};
    size_t before = search->out->keys.count;
    uint32_t most = blocksPerTest(search);
    state.waiting = pushSiblings(search, 0, tree_root, 1, kind, firstLimit(search->shape, kind));
    do {
        state.count = 0;
        gather(search, &state, &list, most, kind);
        testBlocks(search, &list, state.count, kind);
    } while (!isEnough(search, before) && !isExhausted(&state) && !search->ranOut);
}

void GRZ_KERNEL(grzQueryMeasure)(QuerySearch* search) {
    bool isForClosest = search->query->pick == grz_pickClosest;
    bool isPoint = search->shape->kind == grz_queryPoint;
    if (isPoint && isForClosest)
        descendForClosest(search, grz_queryPoint);
    else if (isPoint)
        descendForAll(search, grz_queryPoint);
    else if (isForClosest)
        descendForClosest(search, grz_queryRay);
    else
        descendForAll(search, grz_queryRay);
}
