// What: sides that may be out of date, put right all at once: on paths, for batched trees and where paths change.
// Idea: marks lead from the top to what is to be looked at, so that nothing else is visited. On the way back up, a box looks at
//   the sides that are marked and at those in which a child has changed; on paths only where that child has or had to do with who
//   realises the side and with the next event. So changes end at the first box that another vertex realises.
// Cost: O(what is marked), for each tier.
// Based on: [Zachmann and Weller 2006] section 4 for where changes end. To leave out what happened meanwhile is ours.
#include "kinetic_inside.h"

void grzKinetic_Mark(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t mask) {
    tree->dirty[tier][box] |= (uint8_t)mask;
    for (; tier < part->tier; ++tier, box /= GRZ_BVH_WIDTH) {
        uint8_t* below = &tree->below[tier + 1][box / GRZ_BVH_WIDTH];
        const uint8_t bit = (uint8_t)(1u << box % GRZ_BVH_WIDTH);
        if ((*below & bit) != 0)
            return;
        *below |= bit;
    }
}

typedef struct Marking {
    grzKineticTree* tree;
    KineticPart* part;
} Marking;

static void markSlot(void* context, uint32_t slot) {
    const Marking* marking = context;
    const EventPlace place = grzKinetic_PlaceOf(marking->part, slot);
    grzKinetic_Mark(marking->tree, marking->part, place.tier, place.box, 1u << place.side);
}

void grzKinetic_MarkExpired(grzKineticTree* tree, KineticPart* part, double until) {
    Marking marking = {tree, part};
    grzEventQueue_VisitUntil(&part->queue, until, markSlot, &marking);
}

// Looks at one side. Whether its vertex, or that one's path, is another one.
static bool repairSide(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                       double at) {
    const bool isNew = grzKinetic_Settle(tree, part, tier, box, side, at);
    const uint32_t vertex = tree->realisers[tier][realiserPlace(box, side)];
    part->stats.repairs++;
    return isNew || (tree->isChanged != NULL && (tree->isChanged[vertex / 64] >> vertex % 64 & 1) != 0);
}

// A child has changed in some sides, of which it was realised by `before`. Returns those that the box is to look at.
static uint32_t concerned(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t child,
                          const uint32_t before[KINETIC_SIDES], uint32_t changed, double at) {
    uint32_t now[KINETIC_SIDES], rows = tree->dirty[tier][box] & changed;
    grzKinetic_RealisersOf(tree, tier - 1, child, now);
    for (uint32_t left = changed & ~rows; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        const size_t place = realiserPlace(box, side);
        const uint32_t first = tree->realisers[tier][place], rival = tree->rivals[tier][place];
        if (first == before[side] || rival == before[side] || rival == now[side])
            rows |= 1u << side;
        else if (first != now[side])
            rows |= (uint32_t)grzKinetic_Race(tree, part, tier, box, side, now[side], at) << side;
    }
    return rows;
}

// The sides in which the box has changed. As deep as there are tiers in a part.
static uint32_t repairBox(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, double at) {
    uint32_t mask = tree->dirty[tier][box], changed = 0;
    if (tier > part->bottom) {
        for (uint32_t left = tree->below[tier][box]; left != 0; left &= left - 1) {
            const uint32_t child = box * GRZ_BVH_WIDTH + (uint32_t)__builtin_ctz(left);
            uint32_t before[KINETIC_SIDES];
            grzKinetic_RealisersOf(tree, tier - 1, child, before);
            const uint32_t below = repairBox(tree, part, tier - 1, child, at);
            if (below != 0)
                mask |= concerned(tree, part, tier, box, child, before, below, at);
        }
        tree->below[tier][box] = 0;
    }
    tree->dirty[tier][box] = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        changed |= (uint32_t)repairSide(tree, part, tier, box, side, at) << side;
    }
    return changed;
}

void grzKinetic_RepairPart(grzKineticTree* tree, KineticPart* part, double at) {
    part->rootMask = repairBox(tree, part, part->tier, part->root, at);
}
