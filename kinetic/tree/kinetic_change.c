// What: changes of paths: which sides are to be looked at anew.
// Idea: of the leaves of a vertex that has changed, those sides are marked that it realises, or whose next event is its. For all
//   others it races with the vertex that realises the side. The repair takes it from there. Where a good part of all vertices
//   change, every side is looked at once, in one sweep, which costs less.
// Cost: O(leaves with a changed vertex), and of the boxes above them those with a child that is realised by it or was.
// Based on: [Zachmann and Weller 2006] section 4, the flightplan-update event. We differ: changes come in batches, and the sweep.
#include "kinetic_inside.h"

#include "refuse_null.h"

enum { SWEEP_SHARE = 4 }; // a sweep, where more than one of so many vertices change

static void setChanged(grzKineticTree* tree, const grzFlightplanChange* change, bool isChanged) {
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        const uint64_t bit = UINT64_C(1) << vertex % 64;
        if (vertex < tree->view.vertexCount)
            tree->isChanged[vertex / 64] =
                isChanged ? tree->isChanged[vertex / 64] | bit : tree->isChanged[vertex / 64] & ~bit;
    }
}

// The sides of a leaf that a vertex of it realises, or is to realise next.
static uint32_t sidesOf(const grzKineticTree* tree, uint32_t leaf, uint32_t vertex) {
    uint32_t mask = 0;
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side) {
        const size_t place = realiserPlace(leaf, side);
        mask |= (uint32_t)(tree->realisers[0][place] == vertex || tree->rivals[0][place] == vertex) << side;
    }
    return mask;
}

// Of a leaf that is listed with a vertex: edits may have taken the leaf away, or the vertex out of it.
static bool isGone(const grzKineticTree* tree, uint32_t leaf, uint32_t vertex) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    if (tree->leafRoom == 0) // no edit that was followed in place
        return false;
    if (leaf >= tree->view.leafCount)
        return true;
    uint32_t left = grzKinetic_LeafRow(tree, leaf, vertices);
    while (left != 0 && vertices[left - 1] != vertex)
        --left;
    return left == 0;
}

static void followInLeaf(grzKineticTree* tree, uint32_t leaf, uint32_t vertex) {
    if (isGone(tree, leaf, vertex))
        return;
    KineticPart* part = partOfBox(tree, 0, leaf);
    uint32_t mask = tree->dirty[0][leaf] | sidesOf(tree, leaf, vertex);
    if (mask != KINETIC_ALL)
        mask |= grzKinetic_RaceInLeaf(tree, part, leaf, vertex, KINETIC_ALL & ~mask, tree->at);
    if (mask != 0)
        grzKinetic_Mark(tree, part, 0, leaf, mask);
}

static void followChange(grzKineticTree* tree, grzTasks* tasks, const grzFlightplanChange* change) {
    setChanged(tree, change, true);
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        if (vertex >= tree->view.vertexCount)
            continue;
        for (uint32_t k = tree->leafStarts[vertex]; k < tree->leafStarts[vertex + 1]; ++k)
            followInLeaf(tree, tree->leavesOf[k], vertex);
        const KineticMoreLeaves* more = &tree->more;
        for (uint32_t k = more->room != 0 ? more->firsts[vertex] : 0; k != 0; k = more->nexts[k])
            followInLeaf(tree, more->leaves[k], vertex);
    }
    grzKinetic_RepairAll(tree, tasks, tree->at);
    setChanged(tree, change, false);
}

grzResult grzKineticTree_Change(grzKineticTree* tree, grzTasks* tasks, double time,
                                const grzFlightplanChange* change) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL(change, 4);
    grzResult result = grzPlan_CheckChange(tree->plan, time, change);
    if (grzResult_IsOk(result))
        result = grzKineticTree_Advance(tree, tasks, time);
    if (grzResult_IsOk(result))
        result = grzPlan_ChangeChecked(tree->plan, time, change);
    tree->revision = tree->plan->revision;
    if (!grzResult_IsOk(result) || tree->tierCount == 0)
        return result;
    if (change->count >= tree->view.vertexCount / SWEEP_SHARE + 1)
        grzKinetic_LookAtAll(tree, tasks, tree->at);
    else
        followChange(tree, tasks, change);
    return result;
}
