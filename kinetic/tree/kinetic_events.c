// What: events one after the other: the kinetic AABB tree as published. On paths; between keyframes: kinetic_overtake.c.
//
//   an event     the side is realised by the vertex that leads now; a new event for the side
//   then up      the parent's event may be one of the vertex that lost its place, or come to be one of that which took it: it is
//                computed anew, and where the parent comes to be realised by another one, so is what is above it
//
// Holds: between ticks every row is settled with the vertices that its children are realised by. Within a tick a row may have
//   been settled with one that an event yet to come at this tick replaces; that event goes up and settles it again, if what it
//   brings is ahead.
// Based on: [Zachmann and Weller 2006] section 4; leaf events are those of tier 0, tree events all others. We differ: a box has
//   eight children and a leaf up to four triangles, as in a refit in SIMD, so that a row has up to twelve vertices; an event is
//   at the first tick at which a vertex is truly ahead, so that times can be compared exactly; where several come ahead at one
//   tick, the outermost takes over at once.
#include "kinetic_inside.h"

void grzKinetic_KeepChange(grzKineticTree* tree, KineticPart* part, uint32_t side, uint32_t vertex, double at) {
    if (part == tree->top || tree->top == NULL)
        return;
    part->hasLost = part->hasLost || !grzArray_Reserve(part, &tree->allocator, part->count + 1);
    if (!part->hasLost)
        part->data[part->count++] = (RootChange){at, vertex, side};
}

void grzKinetic_WriteLog(grzKineticTree* tree, KineticPart* part, EventPlace place, uint32_t before, double at) {
    KineticLog* log = &part->log;
    log->hasLost = log->hasLost || !grzArray_Reserve(log, &tree->allocator, log->count + 1);
    if (!log->hasLost)
        log->data[log->count++] =
            (KineticChange){at, place.box, before, 0, (uint8_t)place.tier, (uint8_t)place.side};
}

// A side of a box is realised by another vertex.
static void goUp(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side, double at) {
    while (tier < part->tier) {
        ++tier, box /= GRZ_BVH_WIDTH;
        if (!grzKinetic_Settle(tree, part, tier, box, side, at))
            return;
    }
    grzKinetic_KeepChange(tree, part, side, tree->realisers[tier][realiserPlace(box, side)], at);
}

static void runPaths(grzKineticTree* tree, KineticPart* part, double until) {
    for (double at = grzEventQueue_First(&part->queue); at <= until; at = grzEventQueue_First(&part->queue)) {
        const EventPlace place = grzKinetic_PlaceOf(part, grzEventQueue_FirstSlot(&part->queue));
        ++*(place.tier == 0 ? &part->stats.leafEvents : &part->stats.treeEvents);
        if (grzKinetic_Settle(tree, part, place.tier, place.box, place.side, at))
            goUp(tree, part, place.tier, place.box, place.side, at);
    }
}

void grzKinetic_RunPart(grzKineticTree* tree, KineticPart* part, double until) {
    if (tree->plan->kind == grz_planPaths)
        runPaths(tree, part, until);
    else
        grzKinetic_RunFrames(tree, part, frameTick(tree, until));
}

void grzKinetic_TakeChange(grzKineticTree* tree, uint32_t root, const RootChange* change) {
    if (tree->plan->kind != grz_planPaths) {
        grzKinetic_TakeFrameChange(tree, root, change);
        return;
    }
    tree->seen[realiserPlace(root, change->side)] = change->vertex;
    goUp(tree, tree->top, tree->top->bottom - 1, root, change->side, change->at);
}
