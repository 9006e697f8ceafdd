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

typedef struct Measure {
    QuerySearch* search;
    size_t waiting; // nodes on the stack
    float limit;    // of the time, or of the squared distance
    bool isDone;
} Measure;

// ------------------------------------------------------------------------------------------------- the measures

GRZ_SIMD_INLINE grzM16 timesOfEntry(const QueryRay* ray, float limit, const BoxLanes* lanes, grzF16* times) {
    grzF16 entry = grzF16_Zero(), exit = grzF16_Set1(INFINITY);
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 to = grzF16_Sub(grzF16_Load(lanes->side[ray->entrySide[axis]]), grzF16_Set1(ray->entryFrom[axis]));
        to = grzF16_Mul(to, grzF16_Set1(ray->entryInverse[axis]));
        // A minimum or maximum with a NaN is its second operand.
        to = grzF16_Min(grzF16_Set1(ray->entryMost[axis]), to);
        entry = grzF16_Max(to, entry);
        grzF16 from = grzF16_Sub(grzF16_Load(lanes->side[ray->exitSide[axis]]), grzF16_Set1(ray->exitFrom[axis]));
        exit = grzF16_Min(grzF16_Mul(from, grzF16_Set1(ray->exitInverse[axis])), exit);
    }
    *times = entry;
    exit = grzF16_Add(exit, grzF16_Set1(FLT_MIN));
    return grzM16_And(grzF16_LessEqual(entry, exit), grzF16_LessEqual(entry, grzF16_Set1(limit)));
}

// Which of sixteen boxes are met within the limit, and their values. `kind` is a constant where this is called.
GRZ_SIMD_INLINE grzM16 measure(const QueryShape* shape, grzQueryKind kind, float limit, const BoxLanes* lanes,
                               grzF16* values) {
    if (kind == grz_queryRay)
        return timesOfEntry(&shape->ray, limit, lanes, values);
    *values = squaredDistances(&shape->ball, lanes);
    return grzF16_LessEqual(*values, grzF16_Set1(limit));
}

// ------------------------------------------------------------------------------------------------- the closest

// Sinks the word on top of the heap to its place.
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
GRZ_SIMD_INLINE void shrinkLimit(Measure* state, grzQueryKind kind) {
    const QueryWords* best = &state->search->scratch->best;
    float worst = queryFloat((uint32_t)(best->data[0] >> 32));
    if (kind == grz_queryRay) {
        state->limit = worst;
        return;
    }
    float square = querySquareLimit(worst);
    state->limit = square < state->limit ? square : state->limit;
}

// Keeps a hit if it is among the closest so far. `best` has room for all that are asked for.
GRZ_SIMD_INLINE void offer(Measure* state, grzQueryKind kind, float value, const TreeBlock* block, uint32_t lane) {
    QuerySearch* search = state->search;
    QueryWords* best = &search->scratch->best;
    size_t most = search->bestCount;
    uint64_t word = (uint64_t)queryBits(value) << 32 | block->key[lane];
    bool isFull = best->count == most;
    if (isFull && word >= best->data[0])
        return;
    if (search->isSelective && !isWanted(search, block, lane))
        return;
    if (isFull)
        sinkTop(best->data, most, word);
    else
        raiseLast(best->data, ++best->count, word);
    if (best->count == most)
        shrinkLimit(state, kind);
}

GRZ_SIMD_INLINE void offerLanes(Measure* state, grzQueryKind kind, const TreeBlock* block, grzM16 met,
                                grzF16 values) {
    uint32_t rest = grzM16_Bits(met);
    if (rest == 0)
        return;
    float lanes[tree_lanes];
    grzF16_Store(lanes, kind == grz_queryRay ? values : grzF16_Sqrt(values));
    for (; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        offer(state, kind, lanes[lane], block, lane);
    }
}

// ----------------------------------------------------------------------------------------------------- descent

// The objects of a node, offered one by one.
GRZ_SIMD_INLINE void visitRunForClosest(Measure* state, const TreeNode* node, grzQueryKind kind) {
    QuerySearch* search = state->search;
    const TreeBlock* block = &search->tree->blocks[node->firstBlock];
    for (uint32_t i = 0; i < node->objectCount; i += tree_lanes, ++block) {
        BoxLanes lanes = blockLanes(block);
        grzF16 values;
        grzM16 met = measure(search->shape, kind, state->limit, &lanes, &values);
        offerLanes(state, kind, block, grzM16_And(met, firstLanes(node->objectCount - i)), values);
    }
}

// The objects of a node, all that are met.
GRZ_SIMD_INLINE void visitRunForAll(Measure* state, const TreeNode* node, grzQueryKind kind) {
    QuerySearch* search = state->search;
    if (!reserveHits(search, node->objectCount))
        return;
    QueryOutput* out = search->out;
    size_t before = out->keys.count, count = before;
    const TreeBlock* block = &search->tree->blocks[node->firstBlock];
    for (uint32_t i = 0; i < node->objectCount; i += tree_lanes, ++block) {
        BoxLanes lanes = blockLanes(block);
        grzF16 values;
        grzM16 met = measure(search->shape, kind, state->limit, &lanes, &values);
        met = wantedLanes(search, block, grzM16_And(met, firstLanes(node->objectCount - i)));
        if (kind == grz_queryPoint)
            values = grzF16_Sqrt(values);
        grzF16_CompressStore(out->values.data + count, met, values);
        count += storeWords(out->keys.data + count, met, loadKeys(block));
    }
    out->keys.count = count;
    state->isDone = isEnough(search, before);
}

// Up to sixteen siblings: those that are met go onto the stack, with their values.
GRZ_SIMD_INLINE void pushSiblings(Measure* state, uint32_t first, uint32_t count, grzQueryKind kind) {
    QueryScratch* scratch = state->search->scratch;
    BoxLanes lanes = nodeLanes(state->search->tree, first);
    grzF16 values;
    grzM16 met = measure(state->search->shape, kind, state->limit, &lanes, &values);
    met = grzM16_And(met, firstLanes(count));
    storeWords(scratch->notes.data + state->waiting, met, grzF16_AsInt(values));
    state->waiting += storeWords(scratch->nodes.data + state->waiting, met, laneNumbers(first));
}

// The nearest last. A handful of nodes, as a rule.
static inline void sortByValue(QueryScratch* scratch, size_t begin, size_t end) {
    uint32_t *nodes = scratch->nodes.data, *notes = scratch->notes.data;
    for (size_t i = begin + 1; i < end; ++i) {
        uint32_t node = nodes[i], note = notes[i];
        size_t at = i;
        for (; at > begin && notes[at - 1] < note; --at) {
            nodes[at] = nodes[at - 1];
            notes[at] = notes[at - 1];
        }
        nodes[at] = node;
        notes[at] = note;
    }
}

GRZ_SIMD_INLINE void visitNode(Measure* state, uint32_t index, grzQueryKind kind, bool isForClosest) {
    QuerySearch* search = state->search;
    search->stats->nodeCount++;
    openNode(search, index);
    const TreeNode* node = &search->tree->nodes[index];
    search->stats->testedCount += node->objectCount;
    if (node->objectCount != 0 && isForClosest)
        visitRunForClosest(state, node, kind);
    else if (node->objectCount != 0)
        visitRunForAll(state, node, kind);
    uint32_t count = treeBitCount(node->childMask);
    if (count == 0 || !reserveStack(search, state->waiting))
        return;
    size_t begin = state->waiting;
    for (uint32_t i = 0; i < count; i += tree_lanes)
        pushSiblings(state, node->firstChild + i, count - i, kind);
    if (isForClosest)
        sortByValue(search->scratch, begin, state->waiting);
}

GRZ_SIMD_INLINE void descend(QuerySearch* search, grzQueryKind kind, bool isForClosest) {
    Measure state = {.search = search};
    state.limit = kind == grz_queryRay ? search->shape->ray.reach : search->shape->ball.reachSq;
    if (!reserveStack(search, 0))
        return;
    pushSiblings(&state, tree_root, 1, kind);
    while (state.waiting != 0 && !state.isDone && !search->ranOut) {
        float value = queryFloat(search->scratch->notes.data[--state.waiting]);
        if (!isForClosest || value <= state.limit)
            visitNode(&state, search->scratch->nodes.data[state.waiting], kind, isForClosest);
    }
}

void GRZ_KERNEL(grzQueryMeasure)(QuerySearch* search) {
    bool isForClosest = search->query->pick == grz_pickClosest;
    bool isPoint = search->shape->kind == grz_queryPoint;
    if (isPoint && isForClosest)
        descend(search, grz_queryPoint, true);
    else if (isPoint)
        descend(search, grz_queryPoint, false);
    else if (isForClosest)
        descend(search, grz_queryRay, true);
    else
        descend(search, grz_queryRay, false);
}
