// What: a vertex beside those that realise the sides of a box, where it has a new path, or newly realises a side of a child.
// Idea: the vertex that realises a side, and its event, are of a whole row. Where neither of them is of a vertex that moves in
//   another way now, the row need not be looked at: the vertex comes ahead some day, and the event is that or the one that
//   was known, whichever is first; or it is ahead already, and only then the row has a new leader.
// Based on: [Zachmann and Weller 2006] section 4, the flightplan-update event: "we have to update all events it is involved in".
#include "kinetic_inside.h"

static void setSooner(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                      uint32_t rival, double until) {
    tree->rivals[tier][realiserPlace(box, side)] = rival;
    grzEventQueue_Set(&part->queue, eventSlot(part, tier, box, side), until);
}

bool grzKinetic_Race(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                     uint32_t vertex, double at) {
    const uint32_t first = tree->realisers[tier][realiserPlace(box, side)];
    double until = grzEventQueue_Time(&part->queue, eventSlot(part, tier, box, side));
    const PlanOutcome outcome = grzPlan_Race(tree->plan, side, first, vertex, at, &until);
    part->stats.races++;
    if (outcome == plan_sooner)
        setSooner(tree, part, tier, box, side, vertex, until);
    return outcome == plan_behind;
}

uint32_t grzKinetic_RaceInLeaf(grzKineticTree* tree, KineticPart* part, uint32_t leaf, uint32_t vertex,
                               uint32_t mask, double at) {
    const uint32_t slot = eventSlot(part, 0, leaf, 0);
    PlanSides sides;
    sides.plan = tree->plan;
    grzKinetic_RealisersOf(tree, 0, leaf, sides.first);
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side) {
        const bool isIn = (mask >> side & 1) != 0;
        sides.other[side] = isIn ? vertex : sides.first[side];
        sides.until[side] = grzEventQueue_Time(&part->queue, slot + side);
        part->stats.races += isIn;
    }
    grzPlan_RaceSides(&sides, at);
    for (uint32_t left = sides.sooner; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        setSooner(tree, part, 0, leaf, side, vertex, sides.until[side]);
    }
    return sides.behind;
}
