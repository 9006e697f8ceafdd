// What: events one after the other: the kinetic AABB tree as published.
//
//   leaf event   the leaf's side is realised by the vertex that is now outermost; a new event for the leaf
//   tree event   the parent's side is realised by the child's vertex; new events for all its children
//   then up      the parent was realised by the vertex that lost its place: the same there, and further up. Else only the
//                child's event is computed anew, and that is all.
//
// Based on: [Zachmann and Weller 2006] section 4. We differ: eight children a box, each with an event against its parent;
//   where several vertices come ahead at one tick of time, the outermost takes over at once.
#include "kinetic_inside.h"

static bool keepChange(grzKineticTree* tree, KineticPart* part, uint32_t side, uint32_t vertex, double at) {
    if (part->hasLost || !grzArray_Reserve(part, &tree->allocator, part->count + 1))
        return false;
    part->data[part->count++] = (RootChange){at, vertex, side};
    return true;
}

// A side of a box has changed from one vertex to another.
static void goUp(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side, uint32_t old,
                 double at) {
    for (; tier < part->tier; ++tier, box /= GRZ_BVH_WIDTH) {
        const uint32_t vertex = *realiserOf(tree, part, tier, box, side), parent = box / GRZ_BVH_WIDTH;
        uint32_t* of = realiserOf(tree, part, tier + 1, parent, side);
        if (*of != old && !isAhead(tree, side, vertex, *of, at)) {
            grzKinetic_SetChildEvent(tree, part, tier, box, side, at);
            return;
        }
        old = *of;
        *of = grzKinetic_OutermostChild(tree, part, tier + 1, parent, side, at);
        part->stats.updates++;
        grzKinetic_SetChildEvents(tree, part, tier + 1, parent, side, at);
    }
    if (part != tree->top && tree->top != NULL)
        part->hasLost = !keepChange(tree, part, side, *realiserOf(tree, part, tier, box, side), at);
}

static void leafEvent(grzKineticTree* tree, KineticPart* part, uint32_t leaf, uint32_t side, double at) {
    uint32_t* of = realiserOf(tree, part, 0, leaf, side);
    const uint32_t old = *of;
    *of = grzKinetic_OutermostCorner(tree, leaf, side, at);
    part->stats.leafEvents++;
    part->stats.updates++;
    grzKinetic_SetLeafEvent(tree, part, leaf, side, at);
    goUp(tree, part, 0, leaf, side, old, at);
}

static void treeEvent(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t child, uint32_t side,
                      double at) {
    const uint32_t box = child / GRZ_BVH_WIDTH;
    uint32_t* of = realiserOf(tree, part, tier + 1, box, side);
    const uint32_t old = *of;
    *of = grzKinetic_OutermostChild(tree, part, tier + 1, box, side, at);
    part->stats.treeEvents++;
    part->stats.updates++;
    grzKinetic_SetChildEvents(tree, part, tier + 1, box, side, at);
    goUp(tree, part, tier + 1, box, side, old, at);
}

void grzKinetic_RunPart(grzKineticTree* tree, KineticPart* part, double until) {
    for (double at = grzEventQueue_First(&part->queue); at <= until; at = grzEventQueue_First(&part->queue)) {
        const EventPlace place = grzKinetic_PlaceOf(part, grzEventQueue_FirstSlot(&part->queue));
        if (place.isLeaf)
            leafEvent(tree, part, place.box, place.side, at);
        else
            treeEvent(tree, part, place.tier, place.box, place.side, at);
    }
}

void grzKinetic_TakeChange(grzKineticTree* tree, uint32_t root, const RootChange* change) {
    uint32_t* of = realiserOf(tree, tree->top, tree->top->bottom, root, change->side);
    const uint32_t old = *of;
    *of = change->vertex;
    goUp(tree, tree->top, tree->top->bottom, root, change->side, old, change->at);
}
