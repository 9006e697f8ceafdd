// What: events one after the other: the kinetic AABB tree as published.
//
//   an event     the side is realised by the vertex that leads now; a new event for the side
//   then up      the parent's event was computed with the vertex that lost its place: it is computed anew, and where the
//                parent was realised by that vertex, so is what is above it
//
// Based on: [Zachmann and Weller 2006] section 4; leaf events are those of tier 0, tree events all others. We differ: eight
//   children a box; where several vertices come ahead at one tick of time, the outermost takes over at once.
#include "kinetic_inside.h"

static bool keepChange(grzKineticTree* tree, KineticPart* part, uint32_t side, uint32_t vertex, double at) {
    if (part->hasLost || !grzArray_Reserve(part, &tree->allocator, part->count + 1))
        return false;
    part->data[part->count++] = (RootChange){at, vertex, side};
    return true;
}

// A box has a side that is realised by another vertex than before.
static void goUp(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side, double at) {
    while (tier < part->tier) {
        ++tier, box /= GRZ_BVH_WIDTH;
        if (!grzKinetic_Settle(tree, part, tier, box, side, at))
            return;
    }
    if (part != tree->top && tree->top != NULL)
        part->hasLost =
            !keepChange(tree, part, side, tree->realisers[tier][(size_t)box * KINETIC_SIDES + side], at);
}

void grzKinetic_RunPart(grzKineticTree* tree, KineticPart* part, double until) {
    for (double at = grzEventQueue_First(&part->queue); at <= until; at = grzEventQueue_First(&part->queue)) {
        const EventPlace place = grzKinetic_PlaceOf(part, grzEventQueue_FirstSlot(&part->queue));
        ++*(place.tier == 0 ? &part->stats.leafEvents : &part->stats.treeEvents);
        if (grzKinetic_Settle(tree, part, place.tier, place.box, place.side, at))
            goUp(tree, part, place.tier, place.box, place.side, at);
    }
}

void grzKinetic_TakeChange(grzKineticTree* tree, uint32_t root, const RootChange* change) {
    KineticPart* top = tree->top;
    const uint32_t box = root / GRZ_BVH_WIDTH;
    tree->seen[(size_t)root * KINETIC_SIDES + change->side] = change->vertex;
    if (grzKinetic_Settle(tree, top, top->bottom, box, change->side, change->at))
        goUp(tree, top, top->bottom, box, change->side, change->at);
}
