// What: see front_inside.h: whether two boxes overlap, and until when that is sure.
// Idea: boxes overlap where six things hold: on each axis each lower side lies no higher than the other box's upper side.
//   Paths between events are straight or parabolas, so each holds, or does not, up to a tick that is found exactly. The paper takes
//   the greatest of six beginnings; another axis may separate before that, and so the pair is looked at again then.
// Cost: at a keyframe eight pairs at a time, where what holds there holds at the next one too, by the same sides. Else all six.
// Based on: [Zachmann and Weller 2006] section 7.
#include "front_inside.h"

// ---- sides ----

typedef struct Boxes {
    const grzPairFront* front;
    const uint32_t* boxes;
    const uint8_t* tiers;
    const FrontNow* now;
} Boxes;

static FrontGap gapOf(const Boxes* of, uint32_t condition) {
    const grzPairFront* front = of->front;
    uint32_t vertices[2];
    for (int tree = 0; tree < 2; ++tree)
        vertices[tree] = frontVertex(front->sides[tree], of->tiers[tree], of->boxes[tree],
                                     frontSideOf(condition, tree), of->now->at[tree]);
    const int low = condition < 3 ? 0 : 1;
    return (FrontGap){&front->clock.paces[low], &front->clock.paces[1 - low], vertices[low], vertices[1 - low],
                      (int)(condition % 3)};
}

// ---- the end of a piece ----

static bool endsWith(const grzPairFront* front, int tree) {
    return grzFrontClock_EndsInterval(&front->clock, tree) &&
           front->sides[tree]->tree->knownEnd == front->clock.paces[tree].number + 1;
}

// Whether sides that are apart now are so up to the end, whoever realises them.
static bool isApartToEnd(const Boxes* of, uint32_t condition) {
    float sides[2];
    for (int tree = 0; tree < 2; ++tree)
        sides[tree] =
            endSide(of->front->sides[tree]->tree, of->tiers[tree], of->boxes[tree], frontSideOf(condition, tree));
    return condition < 3 ? sides[0] > sides[1] : sides[1] > sides[0];
}

// ---- eight children ----

static uint32_t above(const float lanes[GRZ_BVH_WIDTH], float than) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
        bits |= (uint32_t)(lanes[k] > than) << k;
    return bits;
}

static uint32_t below(const float lanes[GRZ_BVH_WIDTH], float than) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
        bits |= (uint32_t)(lanes[k] < than) << k;
    return bits;
}

static float sideAt(const grzBvhNode* node, uint32_t side, uint32_t box) {
    const float* lanes = isUpper(side) ? node->upper[side - 3] : node->lower[side];
    return lanes[box % GRZ_BVH_WIDTH];
}

// Bits of the eight boxes of one tree that each of six witnesses keeps apart from a box of the other.
static void findApart(const grzBvhNode* eight, const grzBvhNode* node, uint32_t box, int tree, uint32_t apart[6]) {
    for (uint32_t condition = 0; condition < 6; ++condition) {
        const uint32_t side = frontSideOf(condition, tree);
        const float other = sideAt(node, frontSideOf(condition, 1 - tree), box);
        apart[condition] = isUpper(side) ? below(eight->upper[side - 3], other) : above(eight->lower[side], other);
    }
}

FrontEight grzFront_EndEight(const grzPairFront* front, const FrontPair* first, int tree) {
    const FrontSide *side = front->sides[tree], *other = front->sides[1 - tree];
    const uint8_t* tiers = first->tiers;
    const uint32_t* boxes = first->boxes;
    FrontEight eight = {{0}, 0};
    uint32_t gone[6];
    if (front->knewEnds)
        findApart(endNode(side->tree, tiers[tree], boxes[tree]),
                  endNode(other->tree, tiers[1 - tree], boxes[1 - tree]), boxes[1 - tree], tree, eight.apart);
    findApart(nodeOfBox(side->tree, side->ahead, tiers[tree], boxes[tree]),
              nodeOfBox(other->tree, other->ahead, tiers[1 - tree], boxes[1 - tree]), boxes[1 - tree], tree, gone);
    eight.overlapping = 0xFF & ~(gone[0] | gone[1] | gone[2] | gone[3] | gone[4] | gone[5]);
    return eight;
}

// ---- both boxes ----

bool grzFront_KnowsEnds(const grzPairFront* front) {
    return endsWith(front, 0) && endsWith(front, 1);
}

// At the end of intervals, by keyframes alone.
static bool endsApart(const FrontGap* gap) {
    const size_t axis = (size_t)gap->axis;
    return gap->low->to[gap->lowVertex * gap->low->toStride + axis] >
           gap->up->to[gap->upVertex * gap->up->toStride + axis];
}

static FrontSure lookAtOverlap(const grzPairFront* front, const FrontGap gaps[6], double tick) {
    const bool isToEnd = grzFront_KnowsEnds(front);
    FrontSure sure = {false, false, 0, (double)INFINITY};
    for (uint32_t i = 0; i < 6; ++i)
        if (!isToEnd || endsApart(&gaps[i]))
            sure.until =
                fmin(sure.until, grzFrontGap_Changes(&gaps[i], false, tick, fmin(front->clock.ticks, sure.until)));
    return sure;
}

static FrontSure lookAtApart(const grzPairFront* front, const FrontGap gaps[6], uint32_t apart, double tick) {
    FrontSure sure = {true, true, 0, -(double)INFINITY};
    for (uint32_t left = apart; left != 0 && sure.until < (double)INFINITY; left &= left - 1) {
        const uint32_t condition = (uint32_t)__builtin_ctz(left);
        const double until = grzFrontGap_Changes(&gaps[condition], true, tick, front->clock.ticks);
        if (until > sure.until)
            sure.until = until, sure.witness = (uint8_t)condition;
    }
    return sure;
}

FrontSure grzFront_Look(const grzPairFront* front, const FrontPair* pair, const FrontNow* now) {
    const Boxes of = {front, pair->boxes, pair->tiers, now};
    const bool isToEnd = grzFront_KnowsEnds(front);
    FrontGap gaps[6];
    uint32_t apart = 0;
    for (uint32_t i = 0, condition = pair->witness; i < 6; ++i, condition = (condition + 1) % 6) {
        gaps[condition] = gapOf(&of, condition);
        if (!grzFrontGap_IsApart(&gaps[condition], now->tick))
            continue;
        if (isToEnd && isApartToEnd(&of, condition))
            return (FrontSure){true, false, (uint8_t)condition, (double)INFINITY};
        apart |= 1U << condition;
    }
    return apart == 0 ? lookAtOverlap(front, gaps, now->tick) : lookAtApart(front, gaps, apart, now->tick);
}

FrontSure grzFront_LookOn(const grzPairFront* front, const FrontPair* pair, const FrontNow* now) {
    const Boxes of = {front, pair->boxes, pair->tiers, now};
    FrontGap gaps[6];
    if (pair->state == front_apart)
        return grzFront_Look(front, pair, now);
    for (uint32_t condition = 0; condition < 6; ++condition)
        gaps[condition] = gapOf(&of, condition);
    return lookAtOverlap(front, gaps, now->tick);
}
