// What: which of some vertices is the outermost on a side, and the times at which that ends.
// Idea: the doubles that coordinates are rounded to are in the order of the coordinates; only where two are equal the exact numbers
//   are asked.
#include "kinetic_inside.h"

EventPlace grzKinetic_PlaceOf(const KineticPart* part, uint32_t slot) {
    EventPlace place = {part->bottom == 0 && slot >= part->leafStart, 0, 0, 0};
    uint32_t start = part->leafStart;
    if (!place.isLeaf) {
        place.tier = part->tier - 1;
        while (slot < part->sectionStarts[place.tier])
            --place.tier;
        start = part->sectionStarts[place.tier];
    }
    place.box = firstBox(part, place.tier) + (slot - start) / KINETIC_SIDES;
    place.side = (slot - start) % KINETIC_SIDES;
    return place;
}

static uint32_t outermost(const grzKineticTree* tree, uint32_t side, const uint32_t* vertices, uint32_t count,
                          double at) {
    const int axis = axisOf(side);
    const double sign = isUpper(side) ? 1 : -1;
    uint32_t first = vertices[0];
    double most = sign * grzPlan_Double(tree->plan, first, axis, at);
    for (uint32_t k = 1; k < count; ++k) {
        if (vertices[k] == first)
            continue;
        const double value = sign * grzPlan_Double(tree->plan, vertices[k], axis, at);
        if (value > most || (value == most && isAhead(tree, side, vertices[k], first, at)))
            first = vertices[k], most = value;
    }
    return first;
}

uint32_t grzKinetic_OutermostCorner(const grzKineticTree* tree, uint32_t leaf, uint32_t side, double at) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    const uint32_t count = leafVertices(&tree->view, leaf, vertices);
    return outermost(tree, side, vertices, count, at);
}

uint32_t grzKinetic_OutermostChild(const grzKineticTree* tree, const KineticPart* part, uint32_t tier, uint32_t box,
                                   uint32_t side, double at) {
    uint32_t vertices[GRZ_BVH_WIDTH];
    const uint32_t count = childCount(tree, tier, box);
    for (uint32_t k = 0; k < count; ++k)
        vertices[k] = *realiserOf(tree, part, tier - 1, box * GRZ_BVH_WIDTH + k, side);
    return outermost(tree, side, vertices, count, at);
}

void grzKinetic_SetLeafEvent(const grzKineticTree* tree, KineticPart* part, uint32_t leaf, uint32_t side,
                             double at) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    const uint32_t count = leafVertices(&tree->view, leaf, vertices),
                   first = *realiserOf(tree, part, 0, leaf, side);
    double time = (double)INFINITY;
    for (uint32_t k = 0; k < count; ++k)
        time = fmin(time, comesAhead(tree, side, first, vertices[k], at));
    grzEventQueue_Set(&part->queue, leafSlot(part, leaf, side), time);
}

void grzKinetic_SetChildEvent(const grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t child,
                              uint32_t side, double at) {
    const uint32_t own = *realiserOf(tree, part, tier, child, side);
    const uint32_t parents = *realiserOf(tree, part, tier + 1, child / GRZ_BVH_WIDTH, side);
    grzEventQueue_Set(&part->queue, eventSlot(part, tier, child, side), comesAhead(tree, side, parents, own, at));
}

void grzKinetic_SetChildEvents(const grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box,
                               uint32_t side, double at) {
    const uint32_t count = childCount(tree, tier, box);
    for (uint32_t k = 0; k < count; ++k)
        grzKinetic_SetChildEvent(tree, part, tier - 1, box * GRZ_BVH_WIDTH + k, side, at);
}
