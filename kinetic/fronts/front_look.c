// What: see front_inside.h: whether two boxes overlap, and until when that is sure.
// Idea: boxes overlap where six things hold: on each axis each lower side lies no higher than the other box's upper side.
//   Paths between events are straight or parabolas, so each holds, or does not, up to a tick that is found exactly. The paper takes
//   the greatest of six beginnings; another axis may separate before that, and so the pair is looked at again then.
// Cost: two sides where the witness is one at the end of the piece too, which is the common case at a keyframe; else all six.
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
        vertices[tree] = frontVertex(&front->sides[tree], of->tiers[tree], of->boxes[tree],
                                     frontSideOf(condition, tree), of->now->at[tree]);
    const int low = condition < 3 ? 0 : 1;
    return (FrontGap){&front->clock.paces[low], &front->clock.paces[1 - low], vertices[low], vertices[1 - low],
                      (int)(condition % 3)};
}

// ---- the end of a piece ----

static bool endsWith(const grzPairFront* front, int tree) {
    const FrontPace* pace = &front->clock.paces[tree];
    const grzKineticTree* of = front->sides[tree].tree;
    return pace->from != NULL && pace->begin + pace->rate * front->clock.ticks == 1 &&
           of->knownEnd == pace->number + 1;
}

// Whether the sides that are apart now are so up to the end, whoever realises them.
static bool isApartToEnd(const Boxes* of, uint32_t condition) {
    float sides[2];
    for (int tree = 0; tree < 2; ++tree)
        sides[tree] =
            endSide(of->front->sides[tree].tree, of->tiers[tree], of->boxes[tree], frontSideOf(condition, tree));
    return condition < 3 ? sides[0] > sides[1] : sides[1] > sides[0];
}

// ---- both boxes ----

static FrontSure lookAtOverlap(const grzPairFront* front, const FrontGap gaps[6], double tick) {
    FrontSure sure = {false, false, 0, (double)INFINITY};
    for (uint32_t i = 0; i < 6; ++i)
        sure.until =
            fmin(sure.until, grzFrontGap_Changes(&gaps[i], false, tick, fmin(front->clock.ticks, sure.until)));
    return sure;
}

FrontSure grzFront_Look(const grzPairFront* front, const uint32_t boxes[2], const uint8_t tiers[2], uint8_t witness,
                        const FrontNow* now) {
    const Boxes of = {front, boxes, tiers, now};
    const bool knowsEnds = endsWith(front, 0) && endsWith(front, 1);
    FrontGap gaps[6];
    uint32_t apart = 0;
    for (uint32_t i = 0, condition = witness; i < 6; ++i, condition = (condition + 1) % 6) {
        gaps[condition] = gapOf(&of, condition);
        if (!grzFrontGap_IsApart(&gaps[condition], now->tick))
            continue;
        if (knowsEnds && isApartToEnd(&of, condition))
            return (FrontSure){true, false, (uint8_t)condition, (double)INFINITY};
        apart |= 1U << condition;
    }
    if (apart == 0)
        return lookAtOverlap(front, gaps, now->tick);
    FrontSure sure = {true, true, 0, -(double)INFINITY};
    for (uint32_t left = apart; left != 0 && sure.until < (double)INFINITY; left &= left - 1) {
        const uint32_t condition = (uint32_t)__builtin_ctz(left);
        const double until = grzFrontGap_Changes(&gaps[condition], true, now->tick, front->clock.ticks);
        if (until > sure.until)
            sure.until = until, sure.witness = (uint8_t)condition;
    }
    return sure;
}
