// What: changes of paths: which sides are to be looked at anew.
// Idea: what the vertices that changed lie in is marked; the repair takes it from there.
// Cost: O(leaves with a changed vertex), for each tier.
#include "kinetic_inside.h"

static KineticPart* partOfLeaf(const grzKineticTree* tree, uint32_t leaf) {
    return &tree->parts[tree->top == NULL ? 0 : leaf >> 3 * KINETIC_PART_TIER];
}

static void setChanged(grzKineticTree* tree, const grzFlightplanChange* change, bool isChanged) {
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        const uint64_t bit = UINT64_C(1) << vertex % 64;
        if (vertex < tree->view.vertexCount)
            tree->isChanged[vertex / 64] =
                isChanged ? tree->isChanged[vertex / 64] | bit : tree->isChanged[vertex / 64] & ~bit;
    }
}

static void followChange(grzKineticTree* tree, grzTasks* tasks, const grzFlightplanChange* change) {
    setChanged(tree, change, true);
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        if (vertex >= tree->view.vertexCount)
            continue;
        for (uint32_t k = tree->leafStarts[vertex]; k < tree->leafStarts[vertex + 1]; ++k)
            grzKinetic_Mark(tree, partOfLeaf(tree, tree->leavesOf[k]), 0, tree->leavesOf[k], KINETIC_ALL);
    }
    grzKinetic_RepairAll(tree, tasks, tree->at);
    setChanged(tree, change, false);
}

grzResult grzKineticTree_Change(grzKineticTree* tree, grzTasks* tasks, double time,
                                const grzFlightplanChange* change) {
    grzResult result = grzPlan_CheckChange(tree->plan, time, change);
    if (grzResult_IsOk(result))
        result = grzKineticTree_Advance(tree, tasks, time);
    if (grzResult_IsOk(result))
        result = grzFlightplan_Change(tree->plan, time, change);
    tree->revision = tree->plan->revision;
    if (grzResult_IsOk(result) && tree->tierCount != 0)
        followChange(tree, tasks, change);
    return result;
}
