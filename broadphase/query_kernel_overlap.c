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

// What becomes of sixteen boxes. `planes`: for each, those of a volume that are still to be tested below.
typedef struct Verdict {
    grzM16 met, inside;
    grzI16 planes;
} Verdict;

// ------------------------------------------------------------------------------------------------------ boxes

GRZ_SIMD_INLINE grzM16 meetsBox(const grzBox* box, const BoxLanes* lanes) {
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    grzM16 met = allLanes();
    for (int axis = 0; axis < 3; ++axis) {
        met = grzM16_And(met, grzF16_LessEqual(grzF16_Load(lanes->side[axis]), grzF16_Set1(upper[axis])));
        met = grzM16_And(met, grzF16_LessEqual(grzF16_Set1(lower[axis]), grzF16_Load(lanes->side[axis + 3])));
    }
    return met;
}

GRZ_SIMD_INLINE grzM16 isInBox(const grzBox* box, const BoxLanes* lanes) {
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    grzM16 inside = allLanes();
    for (int axis = 0; axis < 3; ++axis) {
        inside = grzM16_And(inside, grzF16_LessEqual(grzF16_Set1(lower[axis]), grzF16_Load(lanes->side[axis])));
        inside = grzM16_And(inside, grzF16_LessEqual(grzF16_Load(lanes->side[axis + 3]), grzF16_Set1(upper[axis])));
    }
    return inside;
}

// ---------------------------------------------------------------------------------------------------- spheres

GRZ_SIMD_INLINE grzM16 meetsBall(const QueryBall* ball, const BoxLanes* lanes) {
    return grzF16_LessEqual(squaredDistances(ball, lanes), grzF16_Set1(ball->reachSq));
}

// By the corner that is farthest.
GRZ_SIMD_INLINE grzM16 isInBall(const QueryBall* ball, const BoxLanes* lanes) {
    grzF16 squares[3];
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 center = grzF16_Set1(ball->center[axis]);
        grzF16 below = grzF16_Sub(center, grzF16_Load(lanes->side[axis]));
        grzF16 above = grzF16_Sub(grzF16_Load(lanes->side[axis + 3]), center);
        grzF16 gap = grzF16_Max(below, above);
        squares[axis] = grzF16_Mul(gap, gap);
    }
    grzF16 sum = grzF16_Add(grzF16_Add(squares[0], squares[1]), squares[2]);
    return grzF16_LessEqual(sum, grzF16_Set1(ball->reachSq));
}

// ---------------------------------------------------------------------------------------------------- volumes

// Not above dot(normal, corner).
GRZ_SIMD_INLINE grzF16 cornerHeights(const QueryPlane* plane, const uint32_t side[3], const BoxLanes* lanes) {
    grzF16 terms[3];
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 corner = grzF16_Load(lanes->side[side[axis]]);
        terms[axis] = grzF16_Min(grzF16_Mul(corner, grzF16_Set1(plane->less[axis])),
                                 grzF16_Mul(corner, grzF16_Set1(plane->more[axis])));
    }
    return grzF16_Add(grzF16_Add(terms[0], terms[1]), terms[2]);
}

// Not greater, rather than less or equal: what overflows to a NaN is not shown to be outside.
GRZ_SIMD_INLINE grzM16 meetsPlanes(const QueryShape* shape, uint32_t planes, const BoxLanes* lanes) {
    grzM16 outside = grzM16_FromBits(0);
    for (uint32_t rest = planes; rest != 0; rest &= rest - 1) {
        const QueryPlane* plane = &shape->planes[__builtin_ctz(rest)];
        grzF16 height = cornerHeights(plane, plane->deepSide, lanes);
        outside = grzM16_Or(outside, grzF16_Greater(height, grzF16_Set1(plane->offset)));
    }
    return grzM16_Not(outside);
}

// The planes, as bits, that each box is not inside of.
GRZ_SIMD_INLINE grzI16 planesLeft(const QueryShape* shape, uint32_t planes, const BoxLanes* lanes) {
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

GRZ_SIMD_INLINE grzM16 meetsShape(const QueryShape* shape, grzQueryKind kind, uint32_t planes,
                                  const BoxLanes* lanes) {
    if (kind == grz_queryBox)
        return meetsBox(&shape->box, lanes);
    return kind == grz_querySphere ? meetsBall(&shape->ball, lanes) : meetsPlanes(shape, planes, lanes);
}

GRZ_SIMD_INLINE Verdict judge(const QueryShape* shape, grzQueryKind kind, uint32_t planes, const BoxLanes* lanes) {
    Verdict verdict = {.met = meetsShape(shape, kind, planes, lanes), .planes = grzI16_Zero()};
    if (kind == grz_queryBox) {
        verdict.inside = isInBox(&shape->box, lanes);
    } else if (kind == grz_querySphere) {
        verdict.inside = isInBall(&shape->ball, lanes);
    } else {
        verdict.planes = planesLeft(shape, planes, lanes);
        verdict.inside = grzI16_Equal(verdict.planes, grzI16_Zero());
    }
    return verdict;
}

// ----------------------------------------------------------------------------------------------------- descent

typedef struct Overlap {
    QuerySearch* search;
    size_t waiting; // nodes on the stack
    bool isDone;
} Overlap;

// The objects of a node: tested, or all of them where the node is taken.
GRZ_SIMD_INLINE void visitRun(Overlap* overlap, const TreeNode* node, grzQueryKind kind, uint32_t planes,
                              bool isTaken) {
    QuerySearch* search = overlap->search;
    uint32_t objectCount = node->objectCount;
    if (!reserveHits(search, objectCount))
        return;
    QueryKeys* keys = &search->out->keys;
    size_t before = keys->count, count = before;
    const TreeBlock* block = &search->tree->blocks[node->firstBlock];
    for (uint32_t i = 0; i < objectCount; i += tree_lanes, ++block) {
        grzM16 met = firstLanes(objectCount - i);
        if (!isTaken) {
            BoxLanes lanes = blockLanes(block);
            met = grzM16_And(met, meetsShape(search->shape, kind, planes, &lanes));
        }
        count += storeWords(keys->data + count, wantedLanes(search, block, met), loadKeys(block));
    }
    keys->count = count;
    *(isTaken ? &search->stats->untestedCount : &search->stats->testedCount) += objectCount;
    overlap->isDone = isEnough(search, before);
}

// Up to sixteen siblings: those that are met go onto the stack.
GRZ_SIMD_INLINE void pushSiblings(Overlap* overlap, uint32_t first, uint32_t count, grzQueryKind kind,
                                  uint32_t planes) {
    QueryScratch* scratch = overlap->search->scratch;
    BoxLanes lanes = nodeLanes(overlap->search->tree, first);
    Verdict verdict = judge(overlap->search->shape, kind, planes, &lanes);
    grzM16 met = grzM16_And(verdict.met, firstLanes(count));
    grzI16 taken = grzI16_Select(verdict.inside, grzI16_Set1((int32_t)QUERY_TAKEN), grzI16_Zero());
    if (kind == grz_queryVolume)
        storeWords(scratch->notes.data + overlap->waiting, met, verdict.planes);
    grzI16 numbers = grzI16_Or(laneNumbers(first), taken);
    overlap->waiting += storeWords(scratch->nodes.data + overlap->waiting, met, numbers);
}

GRZ_SIMD_INLINE void pushChildren(Overlap* overlap, const TreeNode* node, grzQueryKind kind, uint32_t planes,
                                  bool isTaken) {
    uint32_t first = node->firstChild, count = treeBitCount(node->childMask);
    if (count == 0 || !reserveStack(overlap->search, overlap->waiting))
        return;
    for (uint32_t i = 0; isTaken && i < count; ++i)
        overlap->search->scratch->nodes.data[overlap->waiting++] = (first + i) | QUERY_TAKEN;
    for (uint32_t i = 0; !isTaken && i < count; i += tree_lanes)
        pushSiblings(overlap, first + i, count - i, kind, planes);
}

GRZ_SIMD_INLINE void visitNode(Overlap* overlap, uint32_t index, grzQueryKind kind, uint32_t planes, bool isTaken) {
    QuerySearch* search = overlap->search;
    search->stats->nodeCount++;
    if (!isTaken)
        openNode(search, index);
    const TreeNode* node = &search->tree->nodes[index];
    if (node->objectCount != 0)
        visitRun(overlap, node, kind, planes, isTaken);
    pushChildren(overlap, node, kind, planes, isTaken);
}

GRZ_SIMD_INLINE void descend(QuerySearch* search, grzQueryKind kind) {
    Overlap overlap = {.search = search};
    if (!reserveStack(search, 0))
        return;
    pushSiblings(&overlap, tree_root, 1, kind, (1u << search->shape->planeCount) - 1);
    while (overlap.waiting != 0 && !overlap.isDone && !search->ranOut) {
        uint32_t number = search->scratch->nodes.data[--overlap.waiting];
        uint32_t planes = kind == grz_queryVolume ? search->scratch->notes.data[overlap.waiting] : 0;
        if ((number & QUERY_TAKEN) != 0)
            visitNode(&overlap, number & ~QUERY_TAKEN, kind, planes, true);
        else
            visitNode(&overlap, number, kind, planes, false);
    }
}

void GRZ_KERNEL(grzQueryOverlap)(QuerySearch* search) {
    if (search->shape->kind == grz_queryBox)
        descend(search, grz_queryBox);
    else if (search->shape->kind == grz_querySphere)
        descend(search, grz_querySphere);
    else
        descend(search, grz_queryVolume);
}
