// What: a side of a box: which vertex realises it, and until when.
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
    const uint32_t count = view->leafVertexCounts[leaf];
    const uint32_t *own = view->leafVertices + 8 * (size_t)leaf, *more = view->moreVertices + 4 * (size_t)leaf;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t vertex = k < 8 ? own[k] : more[k - 8];
        vertices[k] = tree->numbering == grz_bvhCallersNumbers ? view->vertexToCaller[vertex] : vertex;
    }
    return count;
}

// Fills a row up with its first vertex. Returns how many it has then.
static uint32_t fillRow(uint32_t* row, uint32_t count) {
    const uint32_t most = count <= PLAN_ROW_SHORT ? PLAN_ROW_SHORT : PLAN_ROW_LONG;
    for (uint32_t k = count; k < most; ++k)
        row[k] = row[0];
    return most;
}

bool grzKinetic_Settle(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                       double at) {
    uint32_t row[PLAN_ROW_LONG], count;
    if (tier == 0) {
        count = grzKinetic_LeafRow(tree, box, row);
    } else {
        const uint32_t* of = childRealisers(tree, part, tier) + (size_t)box * GRZ_BVH_WIDTH * KINETIC_SIDES + side;
        count = childCount(tree, tier, box);
        for (uint32_t k = 0; k < count; ++k)
            row[k] = of[(size_t)k * KINETIC_SIDES];
    }
    count = fillRow(row, count);
    const PlanLead lead = grzPlan_Lead(tree->plan, axisOf(side), isUpper(side), row, count, at);
    uint32_t* realiser = &tree->realisers[tier][(size_t)box * KINETIC_SIDES + side];
    const bool isNew = *realiser != lead.vertex;
    *realiser = lead.vertex;
    part->stats.updates += isNew;
    grzEventQueue_Set(&part->queue, eventSlot(part, tier, box, side), lead.until);
    return isNew;
}
