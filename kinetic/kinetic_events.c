// What: events one after the other: the kinetic AABB tree as published.
//
//   an event     the side is realised by the vertex that leads now; a new event for the side
//   then up      the parent's event may be one of the vertex that lost its place, or come to be one of that which took it: it is
//                computed anew, and where the parent was realised by the former, so is what is above it
//
// Holds: between ticks every row is settled with the vertices that its children are realised by. Within a tick a row may have been
//   settled with one that an event yet to come at this tick replaces; that event goes up and settles it again, if what
//   it brings is ahead.
// Based on: [Zachmann and Weller 2006] section 4; leaf events are those of tier 0, tree events all others. We differ: eight
//   children a box; where several vertices come ahead at one tick of time, the outermost takes over at once.
#include "kinetic_inside.h"

static bool keepChange(grzKineticTree* tree, KineticPart* part, uint32_t side, uint32_t vertex, double at) {
    if (part->hasLost || !grzArray_Reserve(part, &tree->allocator, part->count + 1))
        return false;
    part->data[part->count++] = (RootChange){at, vertex, side};
    return true;
}

// Where neither the vertex that lost its place nor the one that took it ends the interval ahead of the one that realises the parent,
// nor the latter is ahead now, the parent's event is of another child, or of none, and stays. (It may be ahead now: where several
// come ahead at one tick, the parent may have been settled before this child was.)
static bool isUnaffected(const grzKineticTree* tree, uint32_t side, uint32_t parents, uint32_t old, uint32_t vertex,
                         double at) {
    if (tree->plan->kind != grz_planKeyframes || parents == old)
        return false;
    const int order = grzPlan_Compare(tree->plan, axisOf(side), vertex, parents, at);
    if (isUpper(side) ? order > 0 : order < 0)
        return false;
    const PlanFrame* frame = tree->plan->frames.data + ((size_t)tree->knownEnd - tree->plan->firstFrame);
    const float* positions = frame->positions + axisOf(side);
    const float first = positions[parents * frame->stride], before = positions[old * frame->stride],
                after = positions[vertex * frame->stride];
    return isUpper(side) ? before <= first && after <= first : before >= first && after >= first;
}

// A side of a box is realised by another vertex than `old`.
static void goUp(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side, uint32_t old,
                 uint32_t vertex, double at) {
    while (tier < part->tier) {
        ++tier, box /= GRZ_BVH_WIDTH;
        const uint32_t* parents = &tree->realisers[tier][(size_t)box * KINETIC_SIDES + side];
        const uint32_t before = *parents;
        if (isUnaffected(tree, side, before, old, vertex, at) ||
            !grzKinetic_Settle(tree, part, tier, box, side, at))
            return;
        old = before;
        vertex = *parents;
    }
    if (part != tree->top && tree->top != NULL)
        part->hasLost = !keepChange(tree, part, side, vertex, at);
}

void grzKinetic_RunPart(grzKineticTree* tree, KineticPart* part, double until) {
    for (double at = grzEventQueue_First(&part->queue); at <= until; at = grzEventQueue_First(&part->queue)) {
        const EventPlace place = grzKinetic_PlaceOf(part, grzEventQueue_FirstSlot(&part->queue));
        ++*(place.tier == 0 ? &part->stats.leafEvents : &part->stats.treeEvents);
        const uint32_t* of = &tree->realisers[place.tier][(size_t)place.box * KINETIC_SIDES + place.side];
        const uint32_t old = *of;
        if (grzKinetic_Settle(tree, part, place.tier, place.box, place.side, at))
            goUp(tree, part, place.tier, place.box, place.side, old, *of, at);
    }
}

void grzKinetic_TakeChange(grzKineticTree* tree, uint32_t root, const RootChange* change) {
    uint32_t* seen = &tree->seen[(size_t)root * KINETIC_SIDES + change->side];
    const uint32_t old = *seen;
    *seen = change->vertex;
    goUp(tree, tree->top, tree->top->bottom - 1, root, change->side, old, change->vertex, change->at);
}
