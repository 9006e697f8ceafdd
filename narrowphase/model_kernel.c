// What: the kernels of model_kernel.h.
// Promise: a pair of boxes is left out only where an axis parts them by more than the margins of model_relation.c.
// Idea: a step opens the larger of two boxes: its eight children are tested against the other one at once, and those that meet
//   it go on the stack, each with its partner, the larger first. Everything is doubled, so that lower + upper and
//   upper - lower need no halving:
//
//     axis of the opened side   |sum_i - (M s)_i|         <= difference_i + (|M| d)_i           s, d: the other's sum
//     axis of the other side    |(N sum)_i - s_i|         <= (|N| difference)_i + d_i                 and difference
//     across two edges          the same along e_i x column j of M
//
//   The least of "right less left" says how deep the boxes are in each other. Where any pair will do, the deepest child
//   is gone into first.
//
//   Stack: a step takes one entry and leaves at most eight, of which one side is a level deeper; so there are never more than
//   seven for each level of the two hierarchies, and one. The room behind is for the junk of a compressed store.
//   Where all pairs are asked for, a batch of sixteen entries is taken from the top, so that steps need not wait for each
//   other. The stack is in order of depth (the levels of both): what a batch leaves behind is no deeper than any of the
//   batch, whose children are deeper by one. So entries of one depth are all from one batch, at most 8 * 16.
// Holds: an empty child has difference -infinity: along the axes of the opened side it is apart whatever stands beside, and
//   that is compared last, so that a NaN from 0 * infinity before does not outlive it.
// Cost: 12 to 20 ns a step, 20 to 40 a leaf pair; bound by the latency of a step where any pair will do, by the planes of
//   the leaves where all are asked for.
// Based on: [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, JGT 1997] sections
//   3 and 4: one frame a model, the larger box opened, SAT-lite. We differ: eight children a step, depth first by
//   penetration, leaves of four triangles.
#include "model_kernel.h"

#include <string.h>

#include "model_leaf.h"
#include "tri_kernel.h"

enum {
    STACK_SIZE = 7 * 2 * (GRZ_BVH_MAX_LEVELS + 1) + 1 + 8,
    LANES = 16,
    LEVEL_SHIFT = 27,
    LEAF_PAIRS = 512,
    BATCH = 16,
    MOVED_LEAVES = 32, // kept in A's frame: most of B's leaves come again soon
    WIDE_SIZE = BATCH * GRZ_BVH_WIDTH * 2 * (GRZ_BVH_MAX_LEVELS + 1) + BATCH,
};
#define SIDE_BIT   0x80000000u
#define INDEX_MASK ((1u << LEVEL_SHIFT) - 1)

// A box: side, level (four bits), number.
typedef uint32_t Ref;

static inline uint32_t levelOf(Ref ref) {
    return ref >> LEVEL_SHIFT & 15;
}

// The one to be opened, and its partner; both leaves: to be tested.
typedef struct Stack {
    int32_t first[STACK_SIZE], second[STACK_SIZE];
    uint32_t count;
} Stack;

// Pairs of triangles on their way to the exact test.
typedef struct Waiting {
    float at[18][LANES];
    uint32_t idsA[LANES], idsB[LANES];
    uint32_t count;
} Waiting;

typedef struct Children {
    grzM8 meets;
    grzF8 depth;
    grzI8 first, second;
    Ref base, partner; // child k is base + k
    grzM8 isFirst;     // the child is the larger
} Children;

// ------------------------------------------------------------------------------------------------------- box tests

// The other's box, doubled, in its own frame and as it comes into this one.
typedef struct Partner {
    float sum[3], difference[3];
    float center[4], radius[4];
} Partner;

GRZ_SIMD_INLINE void loadPartner(const grzModel* model, Ref ref, const ModelFrame* frame, Partner* partner) {
    const uint32_t index = ref & INDEX_MASK, lane = index % GRZ_BVH_WIDTH;
    const grzBvhNode* node = model->levels[levelOf(ref)] + index / GRZ_BVH_WIDTH;
    grzF4 center[3], radius[3];
    for (int j = 0; j < 3; ++j) {
        const float lower = node->lower[j][lane], upper = node->upper[j][lane];
        partner->sum[j] = lower + upper;
        partner->difference[j] = upper - lower;
        center[j] = grzF4_Mul(grzF4_Load(frame->columns[j]), grzF4_Set1(partner->sum[j]));
        radius[j] = grzF4_Mul(grzF4_Load(frame->absolute[j]), grzF4_Set1(partner->difference[j]));
    }
    center[2] = grzF4_Add(center[2], grzF4_Load(frame->twiceOrigin));
    radius[2] = grzF4_Add(radius[2], grzF4_Load(frame->twiceMargin));
    grzF4_Store(partner->center, grzF4_Add(grzF4_Add(center[0], center[1]), center[2]));
    grzF4_Store(partner->radius, grzF4_Add(grzF4_Add(radius[0], radius[1]), radius[2]));
}

typedef struct Boxes {
    grzF8 sum[3], difference[3];
} Boxes;

// Along the partner's axis i. `back` leads from this frame into the partner's.
GRZ_SIMD_INLINE grzF8 depthAlongPartner(const Boxes* boxes, const Partner* partner, const ModelFrame* back, int i) {
    grzF8 apart[3], radius[3];
    for (int j = 0; j < 3; ++j) {
        apart[j] = grzF8_Mul(grzF8_Set1(back->columns[j][i]), boxes->sum[j]);
        radius[j] = grzF8_Mul(grzF8_Set1(back->absolute[j][i]), boxes->difference[j]);
    }
    const grzF8 origin = grzF8_Set1(back->twiceOrigin[i] - partner->sum[i]);
    const grzF8 own = grzF8_Set1(partner->difference[i] + back->twiceMargin[i]);
    const grzF8 distance = grzF8_Add(grzF8_Add(apart[0], apart[1]), grzF8_Add(apart[2], origin));
    return grzF8_Sub(grzF8_Add(grzF8_Add(radius[0], radius[1]), grzF8_Add(radius[2], own)), grzF8_Abs(distance));
}

GRZ_SIMD_INLINE grzF8 depthAlongOwn(const Boxes* boxes, const Partner* partner, int i) {
    const grzF8 apart = grzF8_Sub(boxes->sum[i], grzF8_Set1(partner->center[i]));
    const grzF8 radius = grzF8_Add(boxes->difference[i], grzF8_Set1(partner->radius[i]));
    return grzF8_Sub(radius, grzF8_Abs(apart));
}

// Along e_i x column j.
GRZ_SIMD_INLINE grzM8 areApartAcross(const Boxes* boxes, const Partner* partner, const ModelFrame* frame, int i,
                                     int j) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const grzF8 c1 = grzF8_Set1(frame->columns[j][i1]), c2 = grzF8_Set1(frame->columns[j][i2]);
    const grzF8 apart1 = grzF8_Sub(boxes->sum[i1], grzF8_Set1(partner->center[i1]));
    const grzF8 apart2 = grzF8_Sub(boxes->sum[i2], grzF8_Set1(partner->center[i2]));
    const grzF8 apart = grzF8_Sub(grzF8_Mul(c1, apart2), grzF8_Mul(c2, apart1));
    const float(*across)[3] = frame->acrossRadius[i];
    float other = frame->acrossMargin[i][j];
    for (int k = 0; k < 3; ++k)
        other += across[j][k] * partner->difference[k];
    grzF8 radius = grzF8_Add(grzF8_Mul(grzF8_Abs(c1), boxes->difference[i2]), grzF8_Set1(other));
    radius = grzF8_Add(radius, grzF8_Mul(grzF8_Abs(c2), boxes->difference[i1]));
    return grzF8_Less(radius, grzF8_Abs(apart));
}

// Of those that the axes of the faces leave.
GRZ_SIMD_INLINE grzM8 meetAcross(const Boxes* boxes, const Partner* partner, const ModelFrame* frame, grzM8 meets) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3 && grzM8_Any(meets); ++j)
            meets = grzM8_AndNot(meets, areApartAcross(boxes, partner, frame, i, j));
    return meets;
}

// Tests the children of `opened` against `other`.
GRZ_SIMD_INLINE void open(const ModelSearch* search, Ref opened, Ref other, Children* children) {
    const uint32_t side = opened >> 31, level = levelOf(opened);
    const grzModel *model = search->models[side], *partnerModel = search->models[1 - side];
    const ModelFrame *frame = &search->relation.into[side], *back = &search->relation.into[1 - side];
    const grzBvhNode* node = model->levels[level + 1] + (opened & INDEX_MASK);
    Partner partner;
    Boxes boxes;
    loadPartner(partnerModel, other, frame, &partner);
    for (int i = 0; i < 3; ++i) {
        const grzF8 lower = grzF8_LoadAligned(node->lower[i]), upper = grzF8_LoadAligned(node->upper[i]);
        boxes.sum[i] = grzF8_Add(lower, upper);
        boxes.difference[i] = grzF8_Sub(upper, lower);
    }
    grzF8 partners = depthAlongPartner(&boxes, &partner, back, 0);
    partners = grzF8_Min(partners, depthAlongPartner(&boxes, &partner, back, 1));
    partners = grzF8_Min(partners, depthAlongPartner(&boxes, &partner, back, 2));
    grzF8 own = grzF8_Min(depthAlongOwn(&boxes, &partner, 0), depthAlongOwn(&boxes, &partner, 1));
    own = grzF8_Min(own, depthAlongOwn(&boxes, &partner, 2));
    const grzF8 depth = grzF8_Min(partners, own);
    children->depth = depth;
    children->meets = grzF8_GreaterEqual(depth, grzF8_Zero());
    if (search->allAxes)
        children->meets = meetAcross(&boxes, &partner, frame, children->meets);
    const grzF8 size = grzF8_Add(grzF8_Add(boxes.difference[0], boxes.difference[1]), boxes.difference[2]);
    const float partnerSize =
        frame->size * ((partner.difference[0] + partner.difference[1]) + partner.difference[2]);
    const bool isLeaf = level + 1 == model->leafLevel, isPartnerLeaf = levelOf(other) == partnerModel->leafLevel;
    const float limit = isPartnerLeaf ? -(float)INFINITY : isLeaf ? (float)INFINITY : partnerSize;
    children->isFirst = grzF8_Greater(size, grzF8_Set1(limit));
    children->base = (opened & SIDE_BIT) | (level + 1) << LEVEL_SHIFT | (opened & INDEX_MASK) * GRZ_BVH_WIDTH;
    children->partner = other;
    static const int32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const grzI8 refs = grzI8_Add(grzI8_Set1((int32_t)children->base), grzI8_Load(numbers));
    const grzI8 others = grzI8_Set1((int32_t)other);
    children->first = grzI8_Select(children->isFirst, refs, others);
    children->second = grzI8_Select(children->isFirst, others, refs);
}

// ------------------------------------------------------------------------------------------------------ triangles

static inline bool isLeafPair(const ModelSearch* search, Ref first, Ref second) {
    return levelOf(first) == search->models[first >> 31]->leafLevel &&
           levelOf(second) == search->models[second >> 31]->leafLevel;
}

// Decides what waits; returns the pairs that meet, a bit each.
static uint32_t decide(Waiting* waiting, grzModelStats* stats) {
    uint8_t kinds[LANES];
    grzTriColumns columns;
    uint32_t hits = 0;
    columns.count = LANES;
    for (int k = 0; k < 18; ++k)
        columns.at[k] = waiting->at[k];
    GRZ_KERNEL(grzClassifyTriColumns)(&columns, 0, LANES, kinds);
    for (uint32_t lane = 0; lane < waiting->count; ++lane) {
        if (kinds[lane] == TRI_UNDECIDED) {
            grzVec3 corners[6];
            for (int k = 0; k < 6; ++k)
                corners[k] = grzVec3_Make(waiting->at[3 * k][lane], waiting->at[3 * k + 1][lane],
                                          waiting->at[3 * k + 2][lane]);
            kinds[lane] = (uint8_t)grzTriTri_Classify(&corners[0], &corners[3]);
            stats->exactTests++;
        }
        hits |= (kinds[lane] != grz_triNone ? 1u : 0u) << lane;
    }
    stats->triangleTests += waiting->count;
    waiting->count = 0;
    return hits;
}

static inline void putTriangle(float (*at)[LANES], uint32_t lane, const float (*leaf)[16], uint32_t k) {
    for (uint32_t corner = 0; corner < 3; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis)
            at[3 * corner + axis][lane] = leaf[axis][4 * corner + k];
}

static inline void putPair(Waiting* waiting, const ModelLeaf* a, const MovedLeaf* moved, const ModelLeaf* b,
                           uint32_t bit) {
    const uint32_t lane = waiting->count++, i = bit / 4, k = bit % 4;
    putTriangle(&waiting->at[0], lane, a->at, i);
    putTriangle(&waiting->at[9], lane, (const float(*)[16])moved->at, k);
    waiting->idsA[lane] = a->ids[i];
    waiting->idsB[lane] = b->ids[k];
}

static inline uint32_t lowestBit(uint32_t bits) {
    return (uint32_t)__builtin_ctz(bits);
}

// A leaf pair, A's leaf first.
typedef struct Leaves {
    const ModelLeaf *a, *b;
} Leaves;

static inline Leaves leavesOf(const ModelSearch* search, Ref first, Ref second) {
    const Ref a = (first & SIDE_BIT) != 0 ? second : first, b = (first & SIDE_BIT) != 0 ? first : second;
    return (Leaves){search->models[0]->leaves + (a & INDEX_MASK), search->models[1]->leaves + (b & INDEX_MASK)};
}

static bool touchLeaves(ModelSearch* search, Leaves leaves, Waiting* waiting) {
    MovedLeaf moved;
    moveLeaf(&search->relation.into[0], leaves.b, &moved);
    search->stats.leafPairs++;
    uint32_t pairs = findOpenPairs(leaves.a, &moved, leaves.b->count);
    if (pairs == 0)
        return false;
    for (; pairs != 0; pairs &= pairs - 1)
        putPair(waiting, leaves.a, &moved, leaves.b, lowestBit(pairs));
    return decide(waiting, &search->stats) != 0;
}

// ------------------------------------------------------------------------------------------------- whether any meet

GRZ_SIMD_INLINE void push(Stack* stack, const Children* children, grzM8 which) {
    grzI8_CompressStore(stack->second + stack->count, which, children->second);
    stack->count += (uint32_t)grzI8_CompressStore(stack->first + stack->count, which, children->first);
}

// Takes the deepest of those that meet out of them.
GRZ_SIMD_INLINE uint32_t takeDeepest(Children* children) {
    const grzF8 depth = grzF8_Select(children->meets, children->depth, grzF8_Set1(-(float)INFINITY));
    const uint32_t lane = lowestBit(grzM8_Bits(grzF8_Equal(depth, grzF8_Set1(grzF8_ReduceMax(depth)))));
    children->meets = grzM8_And(children->meets, grzM8_FromBits(~(1u << lane)));
    return lane;
}

bool GRZ_KERNEL(grzModelTouch)(ModelSearch* search) {
    Stack stack;
    Waiting waiting;
    Ref first = 0, second = SIDE_BIT;
    stack.count = 0;
    memset(&waiting, 0, sizeof waiting); // lanes without a pair are read as well
    for (;;) {
        if (isLeafPair(search, first, second)) {
            if (touchLeaves(search, leavesOf(search, first, second), &waiting))
                return true;
        } else {
            Children children;
            open(search, first, second, &children);
            search->stats.boxTests += GRZ_BVH_WIDTH;
            if (grzM8_Any(children.meets)) {
                const uint32_t best = takeDeepest(&children);
                const bool isFirst = (grzM8_Bits(children.isFirst) >> best & 1) != 0;
                push(&stack, &children, children.meets);
                first = isFirst ? children.base + best : children.partner;
                second = isFirst ? children.partner : children.base + best;
                continue;
            }
        }
        if (stack.count == 0)
            return false;
        --stack.count;
        first = (Ref)stack.first[stack.count];
        second = (Ref)stack.second[stack.count];
    }
}

// ------------------------------------------------------------------------------------------------------- all that meet

// False where memory is refused.
static bool keepHits(ModelSearch* search, Waiting* waiting, bool* isDone) {
    const uint32_t hits = decide(waiting, &search->stats);
    ModelKeys* found = search->found;
    if (!grzArray_Reserve(found, search->allocator, found->count + LANES))
        return false;
    for (uint32_t left = hits; left != 0; left &= left - 1) {
        const uint32_t lane = lowestBit(left);
        found->data[found->count++] = (uint64_t)waiting->idsA[lane] << 32 | waiting->idsB[lane];
    }
    *isDone = search->limit != 0 && found->count - search->first >= search->limit;
    return true;
}

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

static bool collectLeaves(ModelSearch* search, LeafPairs* kept, Waiting* waiting, bool* isDone) {
    const ModelLeaf* movedFrom[MOVED_LEAVES] = {NULL};
    MovedLeaf movedLeaves[MOVED_LEAVES];
    for (uint32_t i = 0; i < kept->count && !*isDone; ++i) {
        const Leaves leaves = leavesOf(search, (Ref)kept->first[i], (Ref)kept->second[i]);
        const size_t slot = (size_t)(leaves.b - search->models[1]->leaves) % MOVED_LEAVES;
        MovedLeaf* moved = &movedLeaves[slot];
        if (leaves.b != movedFrom[slot])
            moveLeaf(&search->relation.into[0], leaves.b, moved);
        movedFrom[slot] = leaves.b;
        uint32_t pairs = findOpenPairs(leaves.a, moved, leaves.b->count);
        for (; pairs != 0; pairs &= pairs - 1) {
            putPair(waiting, leaves.a, moved, leaves.b, lowestBit(pairs));
            if (waiting->count == LANES && !keepHits(search, waiting, isDone))
                return false;
        }
    }
    search->stats.leafPairs += kept->count;
    kept->count = 0;
    return true;
}

// One step; where the children and the partner are leaves, to the leaf pairs, else onto the stack.
GRZ_SIMD_INLINE void step(ModelSearch* search, Ref opened, Ref other, WideStack* stack, LeafPairs* kept) {
    Children children;
    open(search, opened, other, &children);
    const bool areLeaves = isLeafPair(search, children.base, children.partner);
    int32_t* first = areLeaves ? kept->first + kept->count : stack->first + stack->count;
    int32_t* second = areLeaves ? kept->second + kept->count : stack->second + stack->count;
    uint32_t* count = areLeaves ? &kept->count : &stack->count;
    grzI8_CompressStore(second, children.meets, children.second);
    *count += (uint32_t)grzI8_CompressStore(first, children.meets, children.first);
}

// Steps from the top of the stack, the lowest of them first, so that the stack stays in order of depth.
static void runBatch(ModelSearch* search, WideStack* stack, LeafPairs* kept) {
    int32_t first[BATCH], second[BATCH];
    const uint32_t size = stack->count < BATCH ? stack->count : BATCH;
    stack->count -= size;
    memcpy(first, stack->first + stack->count, sizeof first);
    memcpy(second, stack->second + stack->count, sizeof second);
    for (uint32_t i = 0; i < size; ++i)
        step(search, (Ref)first[i], (Ref)second[i], stack, kept);
    search->stats.boxTests += size * GRZ_BVH_WIDTH;
}

bool GRZ_KERNEL(grzModelCollect)(ModelSearch* search) {
    WideStack stack;
    LeafPairs kept;
    Waiting waiting;
    bool isDone = false;
    memset(&waiting, 0, sizeof waiting);
    memset(stack.first, 0, BATCH * sizeof *stack.first); // a batch is copied whole
    memset(stack.second, 0, BATCH * sizeof *stack.second);
    stack.second[0] = (int32_t)SIDE_BIT;
    stack.count = 1;
    kept.count = 0;
    while (stack.count != 0 && !isDone) {
        while (stack.count != 0 && kept.count <= LEAF_PAIRS - BATCH * GRZ_BVH_WIDTH)
            runBatch(search, &stack, &kept);
        if (!collectLeaves(search, &kept, &waiting, &isDone))
            return false;
    }
    return waiting.count == 0 || isDone || keepHits(search, &waiting, &isDone);
}
