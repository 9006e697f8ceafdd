// What: see front_inside.h: whether two boxes overlap, and until when that is sure.
// Idea: boxes overlap if six conditions hold: on each axis each lower side lies no higher than the other box's
//   upper side. Paths between events are straight or parabolas, so each condition holds, or fails, up to a tick
//   that is found exactly. The paper takes the greatest of six beginnings. Here the pair is looked at again at the
//   end of one condition, since another axis may separate the boxes by then.
// Cost: at a keyframe eight pairs at a time, by the boxes there and at the next one; only the conditions that these
//   leave open are computed exactly. Elsewhere all six are.
// Based on: [Zachmann and Weller 2006] section 7.
#include "front_inside.h"

// ---- sides ----

// Where the sides of a pair's boxes are found: of side 0, and of any other one so many eights further.
typedef struct Boxes {
    const grzPairFront* front;
    const FrontPair* pair;
    const FrontNow* now;
    const uint32_t *realisers[2], *newest[2];
    const grzBvhNode* ends[2];
} Boxes;

static Boxes boxesOf(const grzPairFront* front, const FrontPair* pair, const FrontNow* now) {
    Boxes of = {front, pair, now, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int tree = 0; tree < 2; ++tree) {
        const FrontSide* side = front->sides[tree];
        const uint32_t tier = pair->tiers[tree], box = pair->boxes[tree];
        const size_t place = realiserPlace(box, 0);
        of.realisers[tree] = side->tree->realisers[tier] + place;
        of.newest[tree] = side->newest[tier] + place;
        of.ends[tree] = front->knowsEnds ? endNode(side->tree, tier, box) : NULL;
    }
    return of;
}

// From the newest change back to the last one that had happened.
static uint32_t vertexThen(const Boxes* of, int tree, uint32_t vertex, uint32_t newest) {
    const grzKineticTree* changed = of->front->sides[tree]->tree;
    const KineticChange* changes = partOfBox(changed, of->pair->tiers[tree], of->pair->boxes[tree])->log.data;
    for (; newest != 0 && changes[newest - 1].at > of->now->at[tree]; newest = changes[newest - 1].older)
        vertex = changes[newest - 1].before;
    return vertex;
}

// The vertex that realises a side.
static inline uint32_t vertexOf(const Boxes* of, int tree, uint32_t side) {
    const uint32_t vertex = of->realisers[tree][side * GRZ_BVH_WIDTH];
    const uint32_t newest = of->newest[tree][side * GRZ_BVH_WIDTH];
    return newest == 0 ? vertex : vertexThen(of, tree, vertex, newest);
}

static inline FrontGap gapOf(const Boxes* of, uint32_t condition) {
    const FrontPace* paces = of->front->clock.paces;
    const uint32_t axis = condition % 3;
    if (condition < 3)
        return (FrontGap){&paces[0], &paces[1], vertexOf(of, 0, axis), vertexOf(of, 1, axis + 3), (int)axis};
    return (FrontGap){&paces[1], &paces[0], vertexOf(of, 1, axis), vertexOf(of, 0, axis + 3), (int)axis};
}

// ---- the end of a piece ----

static bool endsWith(const grzPairFront* front, int tree) {
    return grzFrontClock_EndsInterval(&front->clock, tree) &&
           front->sides[tree]->tree->knownEnd == front->clock.paces[tree].number + 1;
}

static float laneOf(const grzBvhNode* node, uint32_t side, uint32_t box) {
    return (isUpper(side) ? node->upper[side - 3] : node->lower[side])[box % GRZ_BVH_WIDTH];
}

// Whether sides that are apart now are so up to the end, whoever realises them.
static bool isApartToEnd(const Boxes* of, uint32_t condition) {
    const uint32_t *boxes = of->pair->boxes, axis = condition % 3;
    const int low = condition < 3 ? 0 : 1;
    return laneOf(of->ends[low], axis, boxes[low]) > laneOf(of->ends[1 - low], axis + 3, boxes[1 - low]);
}

// ---- eight children ----

// The eight boxes of a tree and the other box, at one of three times.
static void setNodes(FrontNodes* nodes, int time, const grzBvhNode* eight, const grzBvhNode* other) {
    nodes->eight[time] = eight, nodes->other[time] = other;
}

// By witnesses, in place of the sides on which boxes of a tree are.
static void turnSides(const uint8_t bits[6], int tree, uint8_t apart[6]) {
    for (uint32_t condition = 0; condition < 6; ++condition)
        apart[condition] = bits[frontSideOf(condition, tree)];
}

FrontEight grzFront_EndEight(const grzPairFront* front, const FrontPair* first, int tree) {
    const FrontSide *side = front->sides[tree], *other = front->sides[1 - tree];
    const uint32_t tier = first->tiers[tree], otherTier = first->tiers[1 - tree];
    const uint32_t box = first->boxes[tree], otherBox = first->boxes[1 - tree];
    FrontNodes nodes = {.lane = otherBox % GRZ_BVH_WIDTH};
    uint8_t bits[FRONT_TIMES][6];
    FrontEight eight = {{0}, {0}, {0}, {0}};
    setNodes(&nodes, 0, nodeOfBox(side->tree, side->begins, tier, box),
             nodeOfBox(other->tree, other->begins, otherTier, otherBox));
    setNodes(&nodes, 1, endNode(side->tree, tier, box), endNode(other->tree, otherTier, otherBox));
    setNodes(&nodes, 2, nodeOfBox(side->tree, side->ahead, tier, box),
             nodeOfBox(other->tree, other->ahead, otherTier, otherBox));
    GRZ_PICK_KERNEL(grzFrontSides)(&nodes, bits);
    if (front->knewEnds)
        turnSides(bits[0], tree, eight.begin);
    turnSides(bits[1], tree, eight.end);
    turnSides(bits[2], tree, eight.ahead);
    uint32_t gone = 0;
    for (int condition = 0; condition < 6; ++condition) {
        eight.sure[condition] = eight.begin[condition] & eight.end[condition];
        gone |= eight.ahead[condition];
    }
    eight.sure[6] = (uint8_t)~gone;
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

static double overlapsUntil(const grzPairFront* front, const FrontGap* gap, double tick, double until) {
    return fmin(until, grzFrontGap_Changes(gap, false, tick, fmin(front->clock.ticks, until)));
}

static FrontSure lookAtOverlap(const grzPairFront* front, const FrontGap gaps[6], double tick) {
    FrontSure sure = {false, false, 0, (double)INFINITY};
    for (uint32_t i = 0; i < 6; ++i)
        if (!front->knowsEnds || endsApart(&gaps[i]))
            sure.until = overlapsUntil(front, &gaps[i], tick, sure.until);
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

// A pair that is apart to the end, whoever realises its sides; in the order of witnesses from its last one on.
static bool findWitness(const Boxes* of, uint8_t* witness) {
    for (uint32_t i = 0, condition = of->pair->witness; i < 6; ++i, condition = (condition + 1) % 6) {
        if (!isApartToEnd(of, condition))
            continue;
        const FrontGap gap = gapOf(of, condition);
        *witness = (uint8_t)condition;
        if (grzFrontGap_IsApart(&gap, of->now->tick))
            return true;
    }
    return false;
}

FrontSure grzFront_Look(const grzPairFront* front, const FrontPair* pair, const FrontNow* now) {
    const Boxes of = boxesOf(front, pair, now);
    FrontSure toEnd = {true, false, 0, (double)INFINITY};
    if (front->knowsEnds && frontIsExact(front, now) && findWitness(&of, &toEnd.witness))
        return toEnd;
    FrontGap gaps[6];
    for (uint32_t condition = 0; condition < 6; ++condition)
        gaps[condition] = gapOf(&of, condition);
    const uint32_t apart = grzFrontGap_FindApart(gaps, now->tick);
    return apart == 0 ? lookAtOverlap(front, gaps, now->tick) : lookAtApart(front, gaps, apart, now->tick);
}

FrontSure grzFront_LookOn(const grzPairFront* front, const FrontPair* pair, const FrontNow* now) {
    const Boxes of = boxesOf(front, pair, now);
    FrontGap gaps[6];
    if (pair->state == front_apart)
        return grzFront_Look(front, pair, now);
    for (uint32_t condition = 0; condition < 6; ++condition)
        gaps[condition] = gapOf(&of, condition);
    return lookAtOverlap(front, gaps, now->tick);
}

static uint32_t conditionsOf(const uint8_t bits[6], uint32_t child) {
    uint32_t conditions = 0;
    for (uint32_t condition = 0; condition < 6; ++condition)
        conditions |= (uint32_t)(bits[condition] >> child & 1) << condition;
    return conditions;
}

// Of the conditions only those that the eight leave open.
FrontSure grzFront_LookAtChild(const grzPairFront* front, const FrontPair* pair, const FrontEight* eight,
                               uint32_t child, const FrontNow* now) {
    const Boxes of = boxesOf(front, pair, now);
    if (pair->state == front_apart && !front->knewEnds)
        return grzFront_Look(front, pair, now);
    if (pair->state != front_apart) {
        FrontSure sure = {false, false, 0, (double)INFINITY};
        for (uint32_t left = conditionsOf(eight->ahead, child); left != 0; left &= left - 1) {
            const FrontGap gap = gapOf(&of, (uint32_t)__builtin_ctz(left));
            sure.until = overlapsUntil(front, &gap, now->tick, sure.until);
        }
        return sure;
    }
    const uint32_t apart = conditionsOf(eight->begin, child), toEnd = apart & conditionsOf(eight->end, child);
    if (toEnd != 0) {
        // The first from its last witness on.
        const uint32_t turned = (toEnd | toEnd << 6) >> pair->witness;
        return (FrontSure){true, false, (uint8_t)((pair->witness + (uint32_t)__builtin_ctz(turned)) % 6),
                           (double)INFINITY};
    }
    FrontGap gaps[6];
    for (uint32_t left = apart; left != 0; left &= left - 1)
        gaps[__builtin_ctz(left)] = gapOf(&of, (uint32_t)__builtin_ctz(left));
    return lookAtApart(front, gaps, apart, now->tick);
}
