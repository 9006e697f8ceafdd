// What: a side of a box: which vertex realises it, and until when. On paths.
// Based on: [Zachmann and Weller 2006] section 4: a box has the numbers of six vertices in place of six coordinates, and six
//   events.
#include <string.h>

#include "kinetic_inside.h"

EventPlace grzKinetic_PlaceOf(const KineticPart* part, uint32_t slot) {
    EventPlace place = {part->tier, 0, 0};
    while (slot < part->sectionStarts[place.tier])
        --place.tier;
    slot -= part->sectionStarts[place.tier];
    place.box = firstBox(part, place.tier) + slot / KINETIC_SIDES;
    place.side = slot % KINETIC_SIDES;
    return place;
}

uint32_t grzKinetic_LeafRow(const grzKineticTree* tree, uint32_t leaf, uint32_t vertices[GRZ_BVH_LEAF_VERTICES]) {
    const grzBvhView* view = &tree->view;
    const uint32_t count = view->leafVertexCounts[leaf], most = count <= 8 ? 8 : GRZ_BVH_LEAF_VERTICES;
    memcpy(vertices, view->leafVertices + 8 * (size_t)leaf, 8 * sizeof *vertices);
    if (count > 8)
        memcpy(vertices + 8, view->moreVertices + 4 * (size_t)leaf, 4 * sizeof *vertices);
    if (tree->numbering == grz_bvhCallersNumbers)
        for (uint32_t k = 0; k < most; ++k)
            vertices[k] = view->vertexToCaller[vertices[k]];
    return count;
}

void grzKinetic_RealisersOf(const grzKineticTree* tree, uint32_t tier, uint32_t box,
                            uint32_t vertices[KINETIC_SIDES]) {
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
        vertices[side] = tree->realisers[tier][realiserPlace(box, side)];
}

// The row of a side, filled up with its first vertex. Returns how many it has then.
static uint32_t rowOf(const grzKineticTree* tree, const KineticPart* part, uint32_t tier, uint32_t box,
                      uint32_t side, uint32_t row[PLAN_ROW_LONG]) {
    uint32_t count;
    if (tier == 0) {
        count = grzKinetic_LeafRow(tree, box, row);
    } else {
        count = childCount(tree, tier, box);
        memcpy(row, childRealisers(tree, part, tier) + rowPlace(box, side), count * sizeof *row);
    }
    const uint32_t most = count <= PLAN_ROW_SHORT ? PLAN_ROW_SHORT : PLAN_ROW_LONG;
    for (uint32_t k = count; k < most; ++k)
        row[k] = row[0];
    return most;
}

bool grzKinetic_Settle(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                       double at) {
    uint32_t row[PLAN_ROW_LONG];
    const uint32_t count = rowOf(tree, part, tier, box, side, row);
    const PlanLead lead = grzPlan_LeadOnPaths(tree->plan, axisOf(side), isUpper(side), row, count, at);
    const size_t place = realiserPlace(box, side);
    const bool isNew = tree->realisers[tier][place] != lead.vertex;
    if (isNew)
        grzKinetic_Log(tree, part, (EventPlace){tier, box, side}, tree->realisers[tier][place], at);
    tree->realisers[tier][place] = lead.vertex;
    tree->rivals[tier][place] = lead.rival;
    part->stats.updates += isNew;
    grzEventQueue_Set(&part->queue, eventSlot(part, tier, box, side), lead.until);
    return isNew;
}
