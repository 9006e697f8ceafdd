// What: sides that may be out of date, put right all at once: for batched trees, and where paths change.
// Idea: marks lead from the top to what is to be looked at, so that nothing else is visited. On the way back up, a box looks at
//   the sides that are marked and at those in which a child has changed.
// Cost: O(what is marked), for each tier.
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

// A vertex that realises a side at one keyframe, and still does at the next, does so between them: all lines of its row lie
// on one side of its own at both ends.
void grzKinetic_MarkOutgrown(grzKineticTree* tree, KineticPart* part) {
    const PlanFrame* frame = tree->plan->frames.data + ((size_t)tree->knownEnd - tree->plan->firstFrame);
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t first = firstBox(part, tier), most = 1u << 3 * (part->tier - tier);
        const uint32_t left = tree->boxCounts[tier] - first, end = first + (left < most ? left : most);
        // Their boxes are lanes of the level above; the top one's is known by its children.
        if (tier + 1 == tree->tierCount) {
            grzKinetic_Mark(tree, part, tier, first, KINETIC_ALL);
            return;
        }
        const grzBvhNode* nodes = tree->nodes + tree->view.levelStarts[tree->view.levelCount - 1 - tier];
        for (uint32_t box = first; box < end; ++box) {
            const uint32_t* of = tree->realisers[tier] + (size_t)box * KINETIC_SIDES;
            const grzBvhNode* node = nodes + box / GRZ_BVH_WIDTH;
            const uint32_t lane = box % GRZ_BVH_WIDTH;
            uint32_t mask = 0;
            for (uint32_t axis = 0; axis < 3; ++axis) {
                const float* positions = frame->positions + axis;
                mask |= (uint32_t)(positions[of[axis] * frame->stride] != node->lower[axis][lane]) << axis;
                mask |= (uint32_t)(positions[of[axis + 3] * frame->stride] != node->upper[axis][lane])
                        << (axis + 3);
            }
            if (mask != 0)
                grzKinetic_Mark(tree, part, tier, box, mask);
        }
    }
}

// Looks at one side. Whether its vertex, or that one's path, is another one.
static bool repairSide(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                       double at) {
    const bool isNew = grzKinetic_Settle(tree, part, tier, box, side, at);
    const uint32_t vertex = tree->realisers[tier][(size_t)box * KINETIC_SIDES + side];
    part->stats.repairs++;
    return isNew || (tree->isChanged != NULL && (tree->isChanged[vertex / 64] >> vertex % 64 & 1) != 0);
}

// The sides in which the box has changed. As deep as there are tiers in a part.
static uint32_t repairBox(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, double at) {
    uint32_t mask = tree->dirty[tier][box], changed = 0;
    tree->dirty[tier][box] = 0;
    if (tier > part->bottom) {
        for (uint32_t left = tree->below[tier][box]; left != 0; left &= left - 1)
            mask |= repairBox(tree, part, tier - 1, box * GRZ_BVH_WIDTH + (uint32_t)__builtin_ctz(left), at);
        tree->below[tier][box] = 0;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        changed |= (uint32_t)repairSide(tree, part, tier, box, side, at) << side;
    }
    return changed;
}

void grzKinetic_RepairPart(grzKineticTree* tree, KineticPart* part, double at) {
    part->rootMask = repairBox(tree, part, part->tier, part->root, at);
}
