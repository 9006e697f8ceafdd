// What: a part between two keyframes, all at once: which sides change hands, who comes next, and what has run out.
// Idea: the boxes at the end of an interval tell of every side whether the vertex that realises it at the beginning still does at
//   the end. Then it does all the time, for paths are straight, and nothing need be known of the others of its row; nor is there
//   an event in a box above that has the same side. Only what is marked as outgrown is looked at, from the leaves up.
//
//     marked        who realises it now is not who does at the end (or was not when the interval began)
//     event         the first tick at which another one of the row comes ahead, and which one
//
//   A repair is a pass over the places that are due: a side that comes to be realised by another vertex calls the side above,
//   which has a greater slot, and with it a greater place.
// Holds: a vertex that realises a side was ahead of its row, or level with the first, at the last tick at which the side
//   was settled; so no one that ends behind it can be ahead of it any more. It may be gone from its row: then one that ends ahead
//   of it is in its place.
// Cost: a comparison for each side at a keyframe; a row read at random for each that is settled ("at keyframes" and "settled at
//   keyframes" of graze-bench kinetic).
#include <string.h>

#include "kinetic_inside.h"
#include "plan_kernel.h"

EventPlace grzKinetic_FramePlaceOf(const KineticPart* part, uint32_t slot) {
    EventPlace place = {part->tier, 0, 0};
    while (slot < part->sectionStarts[place.tier])
        --place.tier;
    slot -= part->sectionStarts[place.tier];
    place.box = firstBox(part, place.tier) / GRZ_BVH_WIDTH * GRZ_BVH_WIDTH +
                slot / (KINETIC_SIDES * GRZ_BVH_WIDTH) * GRZ_BVH_WIDTH + slot % GRZ_BVH_WIDTH;
    place.side = slot / GRZ_BVH_WIDTH % KINETIC_SIDES;
    return place;
}

FrameRow grzKinetic_RowOf(const grzKineticTree* tree, const KineticPart* part, EventPlace place,
                          LeafVertices* leaf) {
    if (place.tier != 0) {
        const uint32_t* eight = childRealisers(tree, part, place.tier) + rowPlace(place.box, place.side);
        return (FrameRow){eight, NULL, childCount(tree, place.tier, place.box)};
    }
    if (tree->numbering == grz_bvhCallersNumbers) {
        const uint32_t count = grzKinetic_LeafRow(tree, place.box, leaf->vertices);
        return (FrameRow){leaf->vertices, leaf->vertices + 8, count};
    }
    return (FrameRow){tree->view.leafVertices + 8 * (size_t)place.box,
                      tree->view.moreVertices + 4 * (size_t)place.box, tree->view.leafVertexCounts[place.box]};
}

// ---- which sides ----

// It lies beside those of other parts, which may be changing.
static void markRoot(const grzKineticTree* tree, KineticPart* part) {
    uint8_t* marks = part->frames.marks + part->sectionStarts[part->tier] / 8;
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side) {
        const uint32_t own = tree->realisers[part->tier][realiserPlace(part->root, side)];
        const bool isOut =
            grzFrameSide_To(&tree->frameSides[side], own) != endSide(tree, part->tier, part->root, side);
        marks[side] = (uint8_t)((uint32_t)isOut << part->root % GRZ_BVH_WIDTH);
    }
}

void grzKinetic_MarkOutgrown(grzKineticTree* tree, KineticPart* part) {
    PlanOutgrown job = {.positions = tree->frameSides[0].to, .stride = tree->frameSides[0].toStride};
    for (uint32_t tier = part->bottom; tier < part->tier; ++tier) {
        const uint32_t first = firstBox(part, tier), count = boxCount(tree, part, tier);
        uint8_t* marks = part->frames.marks + part->sectionStarts[tier] / 8;
        job.nodes = endNode(tree, tier, first);
        job.realisers = tree->realisers[tier] + rowPlace(first / GRZ_BVH_WIDTH, 0);
        GRZ_PICK_KERNEL(grzPlanMarkOutgrown)(&job, (count + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH, marks);
    }
    markRoot(tree, part);
}

// ---- the end of an interval ----

static void finishSide(grzKineticTree* tree, KineticPart* part, EventPlace place) {
    const FrameSide* side = &tree->frameSides[place.side];
    const float end = endSide(tree, place.tier, place.box, place.side);
    uint32_t* realiser = &tree->realisers[place.tier][realiserPlace(place.box, place.side)];
    if (grzFrameSide_To(side, *realiser) == end)
        return;
    LeafVertices leaf;
    const FrameRow row = grzKinetic_RowOf(tree, part, place, &leaf);
    *realiser = grzFrameRow_Vertex(&row, grzFrameRow_EndsAt(&row, side, end));
    part->stats.repairs++;
    part->stats.updates++;
}

void grzKinetic_FinishPart(grzKineticTree* tree, KineticPart* part) {
    for (uint32_t byte = 0; byte < part->frames.slotCount / 8; ++byte)
        for (uint32_t left = part->frames.marks[byte]; left != 0; left &= left - 1)
            finishSide(tree, part, grzKinetic_FramePlaceOf(part, 8 * byte + (uint32_t)__builtin_ctz(left)));
    grzFrameQueue_Empty(&part->frames);
}

// ---- what is due ----

static void call(const KineticPart* part, uint32_t slot) {
    if (part->hasNoRoom || !grzFrameQueue_IsMarked(&part->frames, slot))
        return;
    const uint32_t place = grzFrameQueue_PlaceOf(&part->frames, slot);
    part->frames.due[place / 64] |= UINT64_C(1) << place % 64;
}

static void callAbove(KineticPart* part, EventPlace place) {
    if (place.tier < part->tier)
        call(part, frameSlot(part, place.tier + 1, place.box / GRZ_BVH_WIDTH, place.side));
    else
        part->rootMask |= 1U << place.side;
}

void grzKinetic_CallAboveRoot(grzKineticTree* tree, const KineticPart* part) {
    for (uint32_t left = part->rootMask; left != 0; left &= left - 1)
        call(tree->top,
             frameSlot(tree->top, tree->top->bottom, part->root / GRZ_BVH_WIDTH, (uint32_t)__builtin_ctz(left)));
}

// The vertex that realises a side at a tick; and its next event.
static inline FrameEvent settle(grzKineticTree* tree, KineticPart* part, uint32_t slot, float tick) {
    const EventPlace place = grzKinetic_FramePlaceOf(part, slot);
    const FrameSide* side = &tree->frameSides[place.side];
    uint32_t* realiser = &tree->realisers[place.tier][realiserPlace(place.box, place.side)];
    LeafVertices leaf;
    const FrameRow row = grzKinetic_RowOf(tree, part, place, &leaf);
    const FrameEvent next = grzFrameRow_Next(&row, side, *realiser);
    part->stats.repairs++;
    if (next.tick > tick + 1)
        return next; // it leads, and no one is level with it
    const uint32_t leader = grzFrameRow_Leader(&row, side, *realiser, tick);
    if (leader == *realiser)
        return next;
    grzKinetic_Log(tree, part, place, *realiser, frameTime(tree, tick));
    *realiser = leader;
    part->stats.updates++;
    callAbove(part, place);
    return grzFrameRow_Next(&row, side, leader);
}

// Where there is no room for events every marked side is looked at, each time.
static void settleMarked(grzKineticTree* tree, KineticPart* part, float tick) {
    for (uint32_t word = 0; word < part->frames.slotCount / 64; ++word)
        for (uint64_t left = grzFrameQueue_Word(&part->frames, word); left != 0; left &= left - 1)
            (void)settle(tree, part, 64 * word + (uint32_t)__builtin_ctzll(left), tick);
}

typedef void SetEventFn(grzFrameQueue* queue, uint32_t place, float tick, uint32_t lane);

static inline void settleDue(grzKineticTree* tree, KineticPart* part, float tick, SetEventFn* set) {
    uint64_t* due = part->frames.due;
    for (uint32_t word = 0; word < (part->frames.count + 63) / 64; ++word)
        while (due[word] != 0) {
            const uint32_t place = 64 * word + (uint32_t)__builtin_ctzll(due[word]);
            due[word] &= due[word] - 1;
            const FrameEvent next = settle(tree, part, part->frames.slots[place], tick);
            set(&part->frames, place, next.tick, next.lane);
        }
}

void grzKinetic_SettleAll(grzKineticTree* tree, KineticPart* part, float tick) {
    part->rootMask = 0;
    if (part->hasNoRoom) {
        settleMarked(tree, part, tick);
        return;
    }
    grzFrameQueue_CallAll(&part->frames);
    settleDue(tree, part, tick, grzFrameQueue_Put);
    grzFrameQueue_PlayAll(&part->frames);
}

void grzKinetic_SettleUntil(grzKineticTree* tree, KineticPart* part, float tick) {
    part->rootMask = 0;
    if (part->hasNoRoom) {
        settleMarked(tree, part, tick);
        return;
    }
    grzFrameQueue_CallUntil(&part->frames, tick);
    settleDue(tree, part, tick, grzFrameQueue_Set);
}
