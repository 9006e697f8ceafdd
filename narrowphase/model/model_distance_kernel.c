// What: the kernels of model_distance_kernel.h.
// Promise: see there. What is left out is farther than the nearest pair found by then; what is as far is looked at.
// Idea: depth first, the nearer child first. A step opens the larger of two boxes and bounds the distance of its eight
//   children from the other one in three ways, of which the best counts:
//
//     in the frame of the opened side   gaps along its axes, the partner brought in          weighted and squared,
//     in the frame of the other side    gaps along its axes, the children brought in         see model_span.h
//     in a frame that faces the nearest pair found so far         gaps along its axes: model_facing.h
//
//   Children in the reach of what was found go onto the stack, the nearest on top; boxes that meet are taken for the nearer
//   the deeper they are in each other. Of two leaves, the sixteen pairs of triangles are bounded likewise, and those that
//   remain are measured in doubles, many at once.
//
//   Stack: a step takes one entry and leaves at most eight, of which one side is a level deeper; so there are never more than
//   seven for each level of the two hierarchies, and one.
// Holds: bounds are compared with (nearest + margin)^2, where margin covers what may be off with a bound and with the
//   nearest; so they leave out only what is, as computed, farther than the nearest: no tie is missed, and the answer does
//   not depend on what was found first.
// Based on: [Larsen, Gottschalk, Lin, Manocha, Fast Proximity Queries with Swept Sphere Volumes, UNC TR99-018] section 4 for
//   nearest first and the larger opened. We differ: boxes, eight at a time, and a direction from the pair at hand.
#include "model_distance_kernel.h"

#include <math.h>
#include <string.h>

#include "model_boxes.h"
#include "model_facing.h"
#include "tri_distance.h"

enum { DEEPEST = 7 * 2 * (GRZ_BVH_MAX_LEVELS + 1) + 1, LANES = 8, LEAF = GRZ_BVH_LEAF_TRIANGLES };

// Of single precision, relative, for a sum of squares of some products.
#define SQUARES_ROUNDING (1 + 0x1p-20)

typedef struct Entry {
    Ref first, second; // the one to be opened, and its partner; both leaves: to be measured
    float key;         // lower bound of the distance, squared, with the margin
} Entry;

// Triangles on their way to be measured.
typedef struct Waiting {
    float at[18][LANES];
    uint32_t slots[2][LANES], ids[2][LANES];
    uint32_t count;
} Waiting;

typedef struct Walk {
    SpanSearch* search;
    float limit; // keys above it are of no use
    Facing facing;
    const ModelLeaf* facedLeaves[2]; // the last ones that quads were made of; NULL: none in this frame
    Quad quads[2];
    Waiting waiting;
    uint32_t count; // of entries
    Entry entries[DEEPEST];
} Walk;

static inline uint32_t lowestBit(uint32_t bits) {
    return (uint32_t)__builtin_ctz(bits);
}

// -------------------------------------------------------------------------------------------------------- measuring

static inline void putTriangle(Waiting* waiting, const SpanSearch* search, uint32_t side, uint32_t slot) {
    const ModelLeaf* leaf = &search->models[side]->leaves[slot / LEAF];
    const uint32_t lane = waiting->count;
    for (uint32_t corner = 0; corner < 3; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis)
            waiting->at[9 * side + 3 * corner + axis][lane] = leaf->at[axis][4 * corner + slot % LEAF];
    waiting->slots[side][lane] = slot;
    waiting->ids[side][lane] = leaf->ids[slot % LEAF];
}

static inline void putPair(Waiting* waiting, const SpanSearch* search, uint32_t slotA, uint32_t slotB) {
    putTriangle(waiting, search, 0, slotA);
    putTriangle(waiting, search, 1, slotB);
    waiting->count++;
}

GRZ_SIMD_PART Doubles placeAxis(const ModelSpan* span, uint32_t side, int axis, const Doubles from[3]) {
    const double(*columns)[3] = (const double(*)[3])span->sides[side].columns;
    const Doubles x = D(Mul)(D(Set1)(columns[0][axis]), from[0]);
    const Doubles y = D(Mul)(D(Set1)(columns[1][axis]), from[1]);
    const Doubles z = D(Mul)(D(Set1)(columns[2][axis]), from[2]);
    const Doubles sum = D(Add)(D(Add)(x, y), z);
    return side == 0 ? sum : D(Add)(sum, D(Set1)(span->offset[axis]));
}

// Into the common frame, from this lane on.
GRZ_SIMD_PART Triangles placeTriangles(const ModelSpan* span, uint32_t side, const Waiting* waiting,
                                       uint32_t lane) {
    Triangles triangles;
    for (int corner = 0; corner < 3; ++corner) {
        const float(*row)[LANES] = waiting->at + 9 * side + 3 * (uint32_t)corner;
        const Doubles from[3] = {D(FromFloat)(F(Load)(row[0] + lane)), D(FromFloat)(F(Load)(row[1] + lane)),
                                 D(FromFloat)(F(Load)(row[2] + lane))};
        triangles.corners[corner] = (Vector){placeAxis(span, side, 0, from), placeAxis(span, side, 1, from),
                                             placeAxis(span, side, 2, from)};
    }
    return triangles;
}

// A call: it is most of the code, and for two ends.
GRZ_SIMD_CALL Nearest nearestOfLanes(const ModelSpan* span, const Waiting* waiting, uint32_t lane) {
    const Triangles a = placeTriangles(span, 0, waiting, lane), b = placeTriangles(span, 1, waiting, lane);
    return nearestOfTriangles(&a, &b);
}

// ---- what the nearest pair says of the others ----

// What may touch is never left out for the sake of speed.
static void setLimit(Walk* walk) {
    const SpanSearch* search = walk->search;
    const double nearest = sqrt(search->sq), touch = search->span.touchMargin;
    const double shrunk = search->ids[0] == GRZ_NO_TRIANGLE ? nearest : nearest * search->shrink;
    const double least = (nearest < touch ? nearest : shrunk < touch ? touch : shrunk) + search->span.margin;
    walk->limit = grzRoundUp(least * least * SQUARES_ROUNDING);
}

static void setFacing(Walk* walk, const double direction[3]) {
    face(&walk->facing, &walk->search->span, direction);
    walk->facedLeaves[0] = walk->facedLeaves[1] = NULL;
}

static bool isNearer(const SpanSearch* search, double sq, uint32_t idA, uint32_t idB) {
    if (sq != search->sq)
        return sq < search->sq;
    return idA != search->ids[0] ? idA < search->ids[0] : idB < search->ids[1];
}

static void takePair(Walk* walk, uint32_t lane, double sq) {
    SpanSearch* search = walk->search;
    search->sq = sq;
    for (int side = 0; side < 2; ++side) {
        search->slots[side] = walk->waiting.slots[side][lane];
        search->ids[side] = walk->waiting.ids[side][lane];
    }
}

// Measures what waits. Lanes without a pair hold older ones, or zeros.
static void measure(Walk* walk) {
    SpanSearch* search = walk->search;
    double sq[LANES], certain[LANES], apart[3][LANES];
    uint32_t best = LANES;
    for (uint32_t lane = 0; lane < walk->waiting.count; lane += TRI_LANES) {
        const Nearest nearest = nearestOfLanes(&search->span, &walk->waiting, lane);
        D(Store)(sq + lane, nearest.sq);
        D(Store)(certain + lane, nearest.certain);
        D(Store)(apart[0] + lane, nearest.apart.x);
        D(Store)(apart[1] + lane, nearest.apart.y);
        D(Store)(apart[2] + lane, nearest.apart.z);
    }
    for (uint32_t lane = 0; lane < walk->waiting.count; ++lane) {
        search->certain = certain[lane] < search->certain ? certain[lane] : search->certain;
        if (isNearer(search, sq[lane], walk->waiting.ids[0][lane], walk->waiting.ids[1][lane])) {
            takePair(walk, lane, sq[lane]);
            best = lane;
        }
    }
    search->stats->triangleTests += walk->waiting.count;
    walk->waiting.count = 0;
    if (best == LANES)
        return;
    setLimit(walk);
    setFacing(walk, (const double[3]){apart[0][best], apart[1][best], apart[2][best]});
}

// ----------------------------------------------------------------------------------------------------------- leaves

// Leaves come in runs: the partner stays while its neighbours are gone through.
static const Quad* quadOf(Walk* walk, uint32_t side, const ModelLeaf* leaf) {
    if (walk->facedLeaves[side] != leaf)
        faceLeaf(&walk->facing, side, leaf, &walk->quads[side]);
    walk->facedLeaves[side] = leaf;
    return &walk->quads[side];
}

static void measureLeaves(Walk* walk, Ref first, Ref second) {
    const uint32_t numberA = ((first & SIDE_BIT) != 0 ? second : first) & INDEX_MASK;
    const uint32_t numberB = ((first & SIDE_BIT) != 0 ? first : second) & INDEX_MASK;
    const SpanSearch* search = walk->search;
    const ModelLeaf *a = &search->models[0]->leaves[numberA], *b = &search->models[1]->leaves[numberB];
    const uint32_t present = ((1u << 4 * a->count) - 1) & 0x1111u * ((1u << b->count) - 1);
    uint32_t pairs = present & findNearQuads(&walk->facing, quadOf(walk, 0, a), quadOf(walk, 1, b), walk->limit);
    search->stats->leafPairs++;
    for (; pairs != 0; pairs &= pairs - 1) {
        const uint32_t bit = lowestBit(pairs);
        putPair(&walk->waiting, search, LEAF * numberA + bit / LEAF, LEAF * numberB + bit % LEAF);
        if (walk->waiting.count == LANES)
            measure(walk);
    }
}

// ------------------------------------------------------------------------------------------------------------ boxes

// Lower bounds of eight distances, squared, and what tells boxes that meet apart.
typedef struct Bounds {
    grzF8 sq, widest; // the widest gap; negative: how deep they are in each other
} Bounds;

GRZ_SIMD_PART void addDepth(Bounds* bounds, grzF8 depth, float halfWeight) {
    const grzF8 gap = grzF8_Mul(depth, grzF8_Set1(-halfWeight));
    const grzF8 length = grzF8_Max(gap, grzF8_Zero());
    bounds->sq = grzF8_Add(bounds->sq, grzF8_Mul(length, length));
    bounds->widest = grzF8_Max(bounds->widest, gap);
}

GRZ_SIMD_PART void loadBoxes(const grzBvhNode* node, Boxes* boxes) {
    for (int i = 0; i < 3; ++i) {
        const grzF8 lower = grzF8_LoadAligned(node->lower[i]), upper = grzF8_LoadAligned(node->upper[i]);
        boxes->sum[i] = grzF8_Add(lower, upper);
        boxes->difference[i] = grzF8_Sub(upper, lower);
    }
}

// How the partner faces the nearest pair: by its box, or by its triangles where it is a leaf.
GRZ_SIMD_PART void facePartner(Walk* walk, Ref other, const Partner* partner, Faced* faced) {
    const uint32_t side = other >> 31;
    const grzModel* model = walk->search->models[side];
    if (levelOf(other) == model->leafLevel)
        faceQuad(&walk->facing, quadOf(walk, side, &model->leaves[other & INDEX_MASK]), faced);
    else
        faceBox(&walk->facing, side, partner, faced);
}

GRZ_SIMD_PART Bounds boundBoxes(const Walk* walk, uint32_t side, const Boxes* boxes, const Partner* partner,
                                const Faced* faced) {
    const SpanSearch* search = walk->search;
    const ModelFrame* back = &search->relation.into[1 - side];
    const float *own = search->span.sides[side].halfWeights, *other = search->span.sides[1 - side].halfWeights;
    Bounds bounds = {grzF8_Zero(), grzF8_Set1(-(float)INFINITY)}, alongOther = bounds, along = bounds;
    for (int i = 0; i < 3; ++i) {
        addDepth(&bounds, depthAlongOwn(boxes, partner, i), own[i]);
        addDepth(&alongOther, depthAlongPartner(boxes, partner, back, i), other[i]);
    }
    addDepth(&along, depthFaced(&walk->facing, side, boxes, faced, 0), 0.5F);
    bounds.sq = grzF8_Max(grzF8_Max(bounds.sq, alongOther.sq), along.sq);
    bounds.widest = grzF8_Max(grzF8_Max(bounds.widest, alongOther.widest), along.widest);
    return bounds;
}

// Children that may be near enough, in lanes without gaps.
typedef struct Near {
    float order[LANES], key[LANES];
    int32_t first[LANES], second[LANES];
    uint32_t count;
} Near;

GRZ_SIMD_PART void keepNear(const Walk* walk, const Boxes* boxes, const Bounds* bounds, Near* near, grzI8 first,
                            grzI8 second) {
    const grzM8 isThere = grzF8_LessEqual(grzF8_Zero(), boxes->difference[0]);
    const grzM8 isNear = grzM8_And(isThere, grzF8_LessEqual(bounds->sq, grzF8_Set1(walk->limit)));
    const grzF8 order = grzF8_Select(grzF8_Less(grzF8_Zero(), bounds->sq), bounds->sq, bounds->widest);
    grzF8_CompressStore(near->order, isNear, order);
    grzF8_CompressStore(near->key, isNear, bounds->sq);
    grzI8_CompressStore(near->second, isNear, second);
    near->count = (uint32_t)grzI8_CompressStore(near->first, isNear, first);
}

// The nearest last; of equals, the first last.
static void pushNear(Walk* walk, const Near* near) {
    Entry* to = walk->entries + walk->count;
    float orders[LANES];
    for (uint32_t k = 0; k < near->count; ++k) {
        uint32_t place = k;
        for (; place != 0 && orders[place - 1] <= near->order[k]; --place) {
            orders[place] = orders[place - 1];
            to[place] = to[place - 1];
        }
        orders[place] = near->order[k];
        to[place] = (Entry){(Ref)near->first[k], (Ref)near->second[k], near->key[k]};
    }
    walk->count += near->count;
}

// A length for the question which box is the larger, in spans.
static inline float sizeOfPartner(const float halfWeights[4], const Partner* partner) {
    return (halfWeights[0] * partner->difference[0] + halfWeights[1] * partner->difference[1]) +
           halfWeights[2] * partner->difference[2];
}

GRZ_SIMD_PART grzF8 sizeOfBoxes(const float halfWeights[4], const Boxes* boxes) {
    const grzF8 x = grzF8_Mul(grzF8_Set1(halfWeights[0]), boxes->difference[0]);
    const grzF8 y = grzF8_Mul(grzF8_Set1(halfWeights[1]), boxes->difference[1]);
    return grzF8_Add(grzF8_Add(x, y), grzF8_Mul(grzF8_Set1(halfWeights[2]), boxes->difference[2]));
}

// Where both are leaves it does not matter which comes first.
GRZ_SIMD_PART grzM8 areFirst(const Walk* walk, Ref opened, Ref other, const Boxes* boxes, const Partner* partner) {
    const SpanSearch* search = walk->search;
    const uint32_t side = opened >> 31;
    const bool isLeaf = levelOf(opened) + 1 == search->models[side]->leafLevel;
    const bool isPartnerLeaf = levelOf(other) == search->models[1 - side]->leafLevel;
    const float size = sizeOfPartner(search->span.sides[1 - side].halfWeights, partner);
    const float limit = isPartnerLeaf ? -(float)INFINITY : isLeaf ? (float)INFINITY : size;
    return grzF8_Greater(sizeOfBoxes(search->span.sides[side].halfWeights, boxes), grzF8_Set1(limit));
}

static void openBox(Walk* walk, Ref opened, Ref other) {
    static const int32_t numbers[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const SpanSearch* search = walk->search;
    const uint32_t side = opened >> 31, level = levelOf(opened);
    Partner partner;
    Boxes boxes;
    Faced faced;
    Near near;
    loadPartner(search->models[1 - side], other, &search->relation.into[side], &partner);
    loadBoxes(search->models[side]->levels[level + 1] + (opened & INDEX_MASK), &boxes);
    facePartner(walk, other, &partner, &faced);
    const Bounds bounds = boundBoxes(walk, side, &boxes, &partner, &faced);
    const Ref base = (opened & SIDE_BIT) | (level + 1) << LEVEL_SHIFT | (opened & INDEX_MASK) * GRZ_BVH_WIDTH;
    const grzI8 refs = grzI8_Add(grzI8_Set1((int32_t)base), grzI8_Load(numbers));
    const grzI8 others = grzI8_Set1((int32_t)other);
    const grzM8 isFirst = areFirst(walk, opened, other, &boxes, &partner);
    keepNear(walk, &boxes, &bounds, &near, grzI8_Select(isFirst, refs, others),
             grzI8_Select(isFirst, others, refs));
    pushNear(walk, &near);
    search->stats->boxTests += GRZ_BVH_WIDTH;
}

// ------------------------------------------------------------------------------------------------------------- walks

static bool isLeaves(const SpanSearch* search, Ref first, Ref second) {
    return levelOf(first) == search->models[first >> 31]->leafLevel &&
           levelOf(second) == search->models[second >> 31]->leafLevel;
}

static bool isSlot(const grzModel* model, uint32_t slot) {
    return slot / LEAF < model->leafCount && slot % LEAF < model->leaves[slot / LEAF].count;
}

// Before there is a pair: from the middle of A to that of B.
static void faceCenters(Walk* walk) {
    const ModelSpan* span = &walk->search->span;
    double direction[3];
    memcpy(direction, span->offset, sizeof direction);
    for (int side = 0; side < 2; ++side) {
        const grzVec3d middle =
            grzVec3d_Scale(grzVec3d_Add(grzVec3d_FromVec3(walk->search->models[side]->box.lower),
                                        grzVec3d_FromVec3(walk->search->models[side]->box.upper)),
                           side == 0 ? -0.5 : 0.5);
        for (int i = 0; i < 3; ++i)
            direction[i] += span->sides[side].columns[0][i] * middle.x +
                            span->sides[side].columns[1][i] * middle.y + span->sides[side].columns[2][i] * middle.z;
    }
    const double any[3] = {1, 0, 0};
    setFacing(walk, any); // where the middles are in one place
    setFacing(walk, direction);
}

static void beginWalk(Walk* walk, SpanSearch* search) {
    const uint32_t slotA = search->slots[0], slotB = search->slots[1];
    walk->search = search;
    faceCenters(walk);
    memset(&walk->waiting, 0, sizeof walk->waiting); // lanes without a pair are read as well
    search->sq = search->reachSq;
    search->certain = (double)INFINITY;
    search->slots[0] = search->slots[1] = GRZ_NO_SLOT;
    search->ids[0] = search->ids[1] = GRZ_NO_TRIANGLE;
    setLimit(walk);
    walk->entries[0] = (Entry){0, SIDE_BIT, 0};
    walk->count = 1;
    if (!isSlot(search->models[0], slotA) || !isSlot(search->models[1], slotB))
        return;
    putPair(&walk->waiting, search, slotA, slotB);
    measure(walk);
}

static bool isDone(const SpanSearch* search) {
    return search->ids[0] != GRZ_NO_TRIANGLE && search->sq <= search->stopAtSq;
}

void GRZ_KERNEL(grzModelSearch)(SpanSearch* search) {
    Walk walk;
    beginWalk(&walk, search);
    while ((walk.count != 0 || walk.waiting.count != 0) && !isDone(search)) {
        if (walk.count == 0) {
            measure(&walk); // what is left
            continue;
        }
        const Entry entry = walk.entries[--walk.count];
        if (!(entry.key <= walk.limit))
            continue;
        if (isLeaves(search, entry.first, entry.second))
            measureLeaves(&walk, entry.first, entry.second);
        else
            openBox(&walk, entry.first, entry.second);
    }
}

// ---- the nearest pair ----

static void storeCorners(const Triangles* triangles, double corners[3][3]) {
    double lanes[TRI_LANES];
    for (int k = 0; k < 3; ++k) {
        const Doubles axes[3] = {triangles->corners[k].x, triangles->corners[k].y, triangles->corners[k].z};
        for (int i = 0; i < 3; ++i) {
            D(Store)(lanes, axes[i]);
            corners[k][i] = lanes[0];
        }
    }
}

void GRZ_KERNEL(grzModelWitness)(const SpanSearch* search, SpanWitness* witness) {
    Waiting waiting;
    memset(&waiting, 0, sizeof waiting);
    putPair(&waiting, search, search->slots[0], search->slots[1]);
    const Nearest nearest = nearestOfLanes(&search->span, &waiting, 0);
    const Doubles values[6] = {nearest.apart.x, nearest.apart.y, nearest.apart.z,
                               nearest.s,       nearest.t,       nearest.code};
    double lanes[6][TRI_LANES];
    for (int k = 0; k < 6; ++k)
        D(Store)(lanes[k], values[k]);
    for (uint32_t side = 0; side < 2; ++side) {
        const Triangles triangles = placeTriangles(&search->span, side, &waiting, 0);
        storeCorners(&triangles, witness->corners[side]);
    }
    for (int i = 0; i < 3; ++i)
        witness->apart[i] = lanes[i][0];
    witness->s = lanes[3][0];
    witness->t = lanes[4][0];
    witness->code = (uint32_t)lanes[5][0];
}
