// What: events of a BoxTree in the order of their times, and what is done where an interval between keyframes begins.
// Idea: an event knows who passes the vertex that realises its plane: that one realises it from now on, and the next event is
//   searched for. Then, as in the paper, the plane above that was realised by the same vertex, and so on. The first one that was
//   not has looked at the vertex that lost its place: it looks at the one that took it.
//
//   Events are known up to the next keyframe. Where that is passed, one look at the bounds there says which planes are
//   outgrown before the following one; the others have no event.
// Holds: a plane whose event is still to come leads its row at the time of any other event, but for the vertex that this brings.
//   At one tick those of low slots come first; where the slot above has an event at the same tick, it is settled from scratch.
// Based on: [Zachmann and Weller 2006] section 6. We differ: theirs solves for all later keyframes at once; and it ends at the
//   first plane above that another vertex realises, of which the next event may yet be one of the vertex that took over.
#include "box_tree_inside.h"

// Whether a vertex is ahead of the owner of a slot at the next keyframe; on paths it may come to be at any time.
static bool mayPass(const grzBoxTree* tree, uint32_t side, uint32_t owner, uint32_t vertex) {
    if (tree->plan->kind == grz_planPaths)
        return vertex != owner;
    const PlanFrame* frame = frameOfTree(tree, tree->knownEnd);
    return grzBoxTree_PlaceOnSide(frame, side, vertex) > grzBoxTree_PlaceOnSide(frame, side, owner);
}

// A vertex has come to be in the row of a slot, and does not lead it: its event may come first. An event of the vertex whose
// place it took may stay: if that one passes the owner and this one does not, then that one has come back before.
static void lookAtNew(grzBoxTree* tree, uint32_t above, uint32_t vertex, double at) {
    const uint32_t side = planeOf(tree, above).side, owner = tree->owners[above];
    if (!mayPass(tree, side, owner, vertex))
        return;
    const double known = grzEventQueue_Time(&tree->queue, above), until = overtakes(tree, side, owner, vertex, at);
    if (until > known || until == (double)INFINITY ||
        (until == known && compareOnSide(tree, side, vertex, tree->rivals[above], until) <= 0))
        return;
    tree->rivals[above] = vertex;
    grzEventQueue_Set(&tree->queue, above, until);
}

// A slot is realised by another vertex than `old`. Whether that is so of the one above now.
static bool goAbove(grzBoxTree* tree, uint32_t above, uint32_t old, uint32_t vertex, double at) {
    const uint32_t owner = tree->owners[above];
    if (grzEventQueue_Time(&tree->queue, above) <= at)
        return grzBoxTree_Settle(tree, above, at);
    if (owner != old && compareOnSide(tree, planeOf(tree, above).side, vertex, owner, at) <= 0) {
        lookAtNew(tree, above, vertex, at);
        return false;
    }
    grzBoxTree_SetOwner(tree, above, vertex, at);
    tree->stats.updates++;
    return true;
}

static void runEvent(grzBoxTree* tree, uint32_t slot, double at) {
    uint32_t old = tree->owners[slot];
    tree->stats.events++;
    tree->stats.updates++;
    grzBoxTree_SetOwner(tree, slot, tree->rivals[slot], at);
    while (!isOuter(tree, slot)) {
        const uint32_t above = grzBoxTree_SlotAbove(tree, slot / 2, planeOf(tree, slot).side);
        const uint32_t before = tree->owners[above];
        if (!goAbove(tree, above, old, tree->owners[slot], at))
            return;
        old = before;
        slot = above;
    }
}

void grzBoxTree_RunUntil(grzBoxTree* tree, double until) {
    for (double at = grzEventQueue_First(&tree->queue); at <= until; at = grzEventQueue_First(&tree->queue))
        runEvent(tree, grzEventQueue_FirstSlot(&tree->queue), at);
    tree->at = until;
}

// ---- intervals ----

// A slot whose vertex is not the outermost at knownEnd, where that is at `most` (with the sign of its side), has an event.
static inline void expectEvent(grzBoxTree* tree, uint32_t slot, uint32_t side, float most, const PlanFrame* frame) {
    const uint32_t owner = tree->owners[slot];
    tree->mosts[slot] = most;
    if (owner != GRZ_MESH_NONE && grzBoxTree_PlaceOnSide(frame, side, owner) < most)
        grzBoxTree_SetOwner(tree, slot, owner, tree->knownBegin);
}

// Both planes of a node.
static BoxTreeBounds expectBelow(grzBoxTree* tree, uint32_t node, const BoxTreeBounds* lower,
                                 const BoxTreeBounds* upper, const PlanFrame* frame) {
    const uint32_t axis = tree->axes[node];
    expectEvent(tree, 2 * node, axis + 3, lower->most[axis + 3], frame);
    expectEvent(tree, 2 * node + 1, axis, upper->most[axis], frame);
    return grzBoxTree_Join(lower, upper);
}

static BoxTreeBounds expectInLeaves(grzBoxTree* tree, uint32_t node, const PlanFrame* frame) {
    const uint32_t leaf = 2 * node + 1 - tree->innerCount;
    const BoxTreeBounds lower = grzBoxTree_BoundLeaf(tree, leaf, frame),
                        upper = grzBoxTree_BoundLeaf(tree, leaf + 1, frame);
    return expectBelow(tree, node, &lower, &upper, frame);
}

void grzBoxTree_BeginInterval(grzBoxTree* tree) {
    BoxTreeBounds* begins = tree->ends;
    tree->ends = tree->begins;
    tree->begins = begins;
    tree->knownBegin = tree->knownEnd++;
    const PlanFrame* frame = frameOfTree(tree, tree->knownEnd);
    for (uint32_t node = tree->innerCount; node-- > 0;) {
        const BoxTreeBounds* below = tree->ends + 2 * (size_t)node + 1;
        tree->ends[node] = isLeafNode(tree, 2 * node + 1) ? expectInLeaves(tree, node, frame)
                                                          : expectBelow(tree, node, &below[0], &below[1], frame);
    }
    const BoxTreeBounds all = tree->innerCount == 0 ? grzBoxTree_BoundLeaf(tree, 0, frame) : tree->ends[0];
    for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
        expectEvent(tree, 2 * tree->innerCount + side, side, all.most[side], frame);
}
