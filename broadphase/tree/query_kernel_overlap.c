// What: the descent of queries without values: boxes, spheres, convex volumes.
// Promise: the objects that pass the shape's test, each once, in an order that depends on tree and query alone.
// Idea: of sixteen children at a time, those outside are dropped, those inside are marked, so that all below them
//   is taken without a test [Shagam] 2.2.1, and the others wait on the stack. The planes that a child lies inside
//   of are not tested again below it; a child that lies inside of all of them is inside.
//
//        outside   |        crossing       |       inside
//        dropped   |  objects are tested,  |   keys are copied,
//                  |  children come here   |  children are taken
//
// Holds: no test reverses an order (query_search.h), whichever corner it takes: so what is taken untested is what
//   would have passed.
// Based on: [Shagam] 2.2.1.   We differ: no sphere around the box is tried first, since sixteen boxes cost what one
//   costs.
#include "query_lanes.h"

// The shape in all lanes, as far as registers hold it.
typedef struct WideShape {
    grzF16 sides[6]; // of a box
    WideBall ball;
    const QueryShape* shape;
} WideShape;

// What becomes of sixteen boxes. `planes`: for each, those of a volume that are still to be tested below.
typedef struct Verdict {
    grzM16 met, inside;
    grzI16 planes;
} Verdict;

// ------------------------------------------------------------------------------------------------------ boxes

GRZ_SIMD_PART grzM16 meetsBox(const grzF16 sides[6], BoxLanes lanes) {
    grzM16 met = grzF16_LessEqual(loadSide(lanes, 0), sides[3]);
    met = grzM16_And(met, grzF16_LessEqual(sides[0], loadSide(lanes, 3)));
    for (uint32_t axis = 1; axis < 3; ++axis) {
        met = grzM16_And(met, grzF16_LessEqual(loadSide(lanes, axis), sides[axis + 3]));
        met = grzM16_And(met, grzF16_LessEqual(sides[axis], loadSide(lanes, axis + 3)));
    }
    return met;
}

GRZ_SIMD_PART grzM16 isInBox(const grzF16 sides[6], BoxLanes lanes) {
    grzM16 inside = allLanes();
    for (uint32_t axis = 0; axis < 3; ++axis) {
        inside = grzM16_And(inside, grzF16_LessEqual(sides[axis], loadSide(lanes, axis)));
        inside = grzM16_And(inside, grzF16_LessEqual(loadSide(lanes, axis + 3), sides[axis + 3]));
    }
    return inside;
}

// ---------------------------------------------------------------------------------------------------- spheres

// By the corner that is farthest.
GRZ_SIMD_PART grzM16 isInBall(const WideBall* ball, BoxLanes lanes) {
    grzF16 gaps[3];
    for (uint32_t axis = 0; axis < 3; ++axis) {
        grzF16 below = grzF16_Sub(ball->center[axis], loadSide(lanes, axis));
        grzF16 above = grzF16_Sub(loadSide(lanes, axis + 3), ball->center[axis]);
        gaps[axis] = grzF16_Max(below, above);
    }
    return grzF16_LessEqual(sumOfSquares(gaps), ball->reachSq);
}

// ---------------------------------------------------------------------------------------------------- volumes

// Not above dot(normal, corner).
GRZ_SIMD_PART grzF16 cornerHeights(const QueryPlane* plane, const uint32_t side[3], BoxLanes lanes) {
    grzF16 terms[3];
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 corner = loadSide(lanes, side[axis]);
        terms[axis] = grzF16_Min(grzF16_Mul(corner, grzF16_Set1(plane->less[axis])),
                                 grzF16_Mul(corner, grzF16_Set1(plane->more[axis])));
    }
    return grzF16_Add(grzF16_Add(terms[0], terms[1]), terms[2]);
}

// Not greater, rather than less or equal: what overflows to a NaN is not shown to be outside.
GRZ_SIMD_PART grzM16 meetsPlanes(const QueryShape* shape, uint32_t planes, BoxLanes lanes) {
    grzM16 outside = grzM16_FromBits(0);
    for (uint32_t rest = planes; rest != 0; rest &= rest - 1) {
        const QueryPlane* plane = &shape->planes[__builtin_ctz(rest)];
        grzF16 height = cornerHeights(plane, plane->deepSide, lanes);
        outside = grzM16_Or(outside, grzF16_Greater(height, grzF16_Set1(plane->offset)));
    }
    return grzM16_Not(outside);
}

// The planes, as bits, that each box is not inside of.
GRZ_SIMD_PART grzI16 planesLeft(const QueryShape* shape, uint32_t planes, BoxLanes lanes) {
    grzI16 left = grzI16_Zero();
    for (uint32_t rest = planes; rest != 0; rest &= rest - 1) {
        const QueryPlane* plane = &shape->planes[__builtin_ctz(rest)];
        grzF16 height = cornerHeights(plane, plane->shallowSide, lanes);
        grzM16 inside = grzF16_LessEqual(height, grzF16_Set1(plane->offset));
        left = grzI16_Or(left, grzI16_Select(inside, grzI16_Zero(), grzI16_Set1((int32_t)(rest & (0u - rest)))));
    }
    return left;
}

// --------------------------------------------------------------------------------------------------- any shape
//
// `kind` is a constant where these are called, so that each descent has its own shape's tests and no other.

GRZ_SIMD_PART void widen(WideShape* wide, const QueryShape* shape, grzQueryKind kind) {
    wide->shape = shape;
    if (kind == grz_querySphere)
        widenBall(&wide->ball, &shape->ball);
    const float sides[6] = {shape->box.lower.x, shape->box.lower.y, shape->box.lower.z,
                            shape->box.upper.x, shape->box.upper.y, shape->box.upper.z};
    for (int side = 0; side < 6 && kind == grz_queryBox; ++side)
        wide->sides[side] = grzF16_Set1(sides[side]);
}

GRZ_SIMD_PART grzM16 meetsShape(const WideShape* wide, grzQueryKind kind, uint32_t planes, BoxLanes lanes) {
    if (kind == grz_queryBox)
        return meetsBox(wide->sides, lanes);
    if (kind == grz_querySphere)
        return grzF16_LessEqual(squaredDistances(&wide->ball, lanes), wide->ball.reachSq);
    return meetsPlanes(wide->shape, planes, lanes);
}

GRZ_SIMD_PART Verdict judge(const WideShape* wide, grzQueryKind kind, uint32_t planes, BoxLanes lanes) {
    Verdict verdict = {.met = meetsShape(wide, kind, planes, lanes), .planes = grzI16_Zero()};
    if (kind == grz_queryBox) {
        verdict.inside = isInBox(wide->sides, lanes);
    } else if (kind == grz_querySphere) {
        verdict.inside = isInBall(&wide->ball, lanes);
    } else {
        verdict.planes = planesLeft(wide->shape, planes, lanes);
        verdict.inside = grzI16_Equal(verdict.planes, grzI16_Zero());
    }
    return verdict;
}

// ----------------------------------------------------------------------------------------------------- objects

GRZ_SIMD_PART void testEach(QuerySearch* search, const BlockList* list, uint32_t count, grzQueryKind kind,
                            bool isSelective) {
    WideShape shape;
    widen(&shape, search->shape, kind);
    const TreeBlock* blocks = search->tree->blocks;
    QueryKeys* keys = &search->out->keys;
    uint32_t* to = keys->data + keys->count;
    for (uint32_t i = 0; i < count; ++i) {
        const TreeBlock* block = &blocks[list->blocks[i]];
        prefetchLater(blocks, list, i, count);
        BoxLanes lanes = {.block = block};
        grzM16 met = meetsShape(&shape, kind, list->planes[i], lanes);
        if (kind != grz_queryBox) // no box is met by an empty lane
            met = grzM16_And(met, usedLanes(lanes));
        if (isSelective)
            met = wantedLanes(search, block, met);
        to += storeWords(to, met, loadKeys(block));
    }
    keys->count = (size_t)(to - keys->data);
}

GRZ_SIMD_PART void testBlocks(QuerySearch* search, const BlockList* list, uint32_t count, grzQueryKind kind) {
    if (count == 0 || !reserveHits(search, (size_t)count * tree_lanes))
        return;
    if (search->isSelective)
        testEach(search, list, count, kind, true);
    else
        testEach(search, list, count, kind, false);
}

// All objects of a node that lies inside.
static void takeRun(QuerySearch* search, const TreeNode* node) {
    search->stats->untestedCount += node->objectCount;
    if (!reserveHits(search, node->objectCount))
        return;
    QueryKeys* keys = &search->out->keys;
    const TreeBlock* block = &search->tree->blocks[node->firstBlock];
    for (uint32_t i = 0; i < node->objectCount; i += tree_lanes, ++block) {
        grzM16 wanted = firstLanes(node->objectCount - i);
        if (search->isSelective)
            wanted = wantedLanes(search, block, wanted);
        keys->count += storeWords(keys->data + keys->count, wanted, loadKeys(block));
    }
}

// ----------------------------------------------------------------------------------------------------- descent

// A node that lies inside: its objects are hits, and its children lie inside too. Returns the nodes that wait.
static size_t takeNode(QuerySearch* search, size_t waiting, uint32_t index) {
    const TreeNode* node = &search->tree->nodes[index];
    if (node->objectCount != 0)
        takeRun(search, node);
    uint32_t count = treeBitCount(node->childMask);
    if (count == 0 || !reserveStack(search, waiting))
        return waiting;
    for (uint32_t i = 0; i < count; ++i)
        search->scratch->nodes.data[waiting++] = (node->firstChild + i) | QUERY_TAKEN;
    return waiting;
}

// Up to sixteen siblings: those that are met go onto the stack.
GRZ_SIMD_PART void pushSiblings(QuerySearch* search, Gathering* state, uint32_t first, uint32_t count,
                                grzQueryKind kind, uint32_t planes) {
    QueryScratch* scratch = search->scratch;
    WideShape shape;
    widen(&shape, search->shape, kind);
    Verdict verdict = judge(&shape, kind, planes, (BoxLanes){.tree = search->tree, .first = first});
    grzM16 met = grzM16_And(verdict.met, firstLanes(count));
    grzI16 taken = grzI16_Select(verdict.inside, grzI16_Set1((int32_t)QUERY_TAKEN), grzI16_Zero());
    if (kind == grz_queryVolume)
        storeWords(scratch->notes.data + state->waiting, met, verdict.planes);
    grzI16 numbers = grzI16_Or(laneNumbers(first), taken);
    state->waiting += storeWords(scratch->nodes.data + state->waiting, met, numbers);
}

// A node on the shape's border: its objects are to be tested, and its children too.
GRZ_SIMD_PART void crossNode(QuerySearch* search, Gathering* state, uint32_t index, grzQueryKind kind) {
    uint32_t planes = kind == grz_queryVolume ? search->scratch->notes.data[state->waiting] : 0;
    openNode(search, index);
    const TreeNode* node = &search->tree->nodes[index];
    search->stats->testedCount += node->objectCount;
    beginRun(state, node, planes);
    uint32_t count = treeBitCount(node->childMask);
    if (count == 0 || !reserveStack(search, state->waiting))
        return;
    for (uint32_t i = 0; i < count; i += tree_lanes)
        pushSiblings(search, state, node->firstChild + i, count - i, kind, planes);
}

// Visits waiting nodes until `most` blocks are gathered, or none waits.
GRZ_SIMD_PART void gather(QuerySearch* search, Gathering* state, BlockList* list, uint32_t most,
                          grzQueryKind kind) {
    while (state->count < most && !isExhausted(state) && !search->ranOut) {
        if (state->restBlocks == 0) {
            uint32_t number = search->scratch->nodes.data[--state->waiting];
            search->stats->nodeCount++;
            if ((number & QUERY_TAKEN) != 0)
                state->waiting = takeNode(search, state->waiting, number & ~QUERY_TAKEN);
            else
                crossNode(search, state, number, kind);
        }
        appendBlocks(state, list);
    }
}

GRZ_SIMD_PART void descend(QuerySearch* search, grzQueryKind kind) {
    if (!reserveStack(search, 0))
        return;
    BlockList list;
    Gathering state = {.waiting = 0};
    size_t before = search->out->keys.count;
    uint32_t most = blocksPerTest(search), allPlanes = (1u << search->shape->planeCount) - 1;
    pushSiblings(search, &state, tree_root, 1, kind, allPlanes);
    do {
        state.count = 0;
        gather(search, &state, &list, most, kind);
        testBlocks(search, &list, state.count, kind);
    } while (!isEnough(search, before) && !isExhausted(&state) && !search->ranOut);
}

void GRZ_KERNEL(grzQueryOverlap)(QuerySearch* search) {
    if (search->shape->kind == grz_queryBox)
        descend(search, grz_queryBox);
    else if (search->shape->kind == grz_querySphere)
        descend(search, grz_querySphere);
    else
        descend(search, grz_queryVolume);
}
