// What: the boxes of the sides of pairs of upkeeps, for a search by boxes.
// Idea: where an upkeep has nodes written these are read where they lie. Else each node is read once and kept.
#include "upkeep_pairs_inside.h"

enum { GRAIN = 32 }; // nodes a task

typedef struct NodesJob {
    const grzUpkeep* upkeep;
    grzBvhNode* to;
    uint32_t level;
} NodesJob;

static void readNodes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const NodesJob* job = context;
    for (uint32_t i = begin; i < end; ++i) {
        const grzUpkeepPlace place = {job->level, i, grzBox_Empty()};
        const grzBvhNode* node = grzUpkeep_Node(job->upkeep, &place, &job->to[i]);
        if (node != &job->to[i])
            job->to[i] = *node;
    }
}

static bool readAll(PairSide* side, grzTasks* tasks, const grzAllocator* allocator) {
    const grzBvhView view = grzBvh_GetView(side->bvh);
    if (!grzArray_Reserve(&side->nodes, allocator, view.nodeCount))
        return false;
    for (uint32_t level = 0; level < view.levelCount; ++level) {
        NodesJob job = {side->given.upkeep, side->nodes.data + view.levelStarts[level], level};
        grzParallelFor(tasks, view.levelStarts[level + 1] - view.levelStarts[level], GRAIN, readNodes, &job);
    }
    return true;
}

const grzBvhNode* grzPairSide_Nodes(const PairSide* side) {
    const grzUpkeep* upkeep = side->given.upkeep;
    if (upkeep == NULL)
        return side->given.nodes;
    return upkeep->shown != NULL ? upkeep->shown : side->nodes.data;
}

bool grzPairSide_TakeBoxes(PairSide* side, grzTasks* tasks, const grzAllocator* allocator, grzBoxSet* set) {
    const grzUpkeep* upkeep = side->given.upkeep;
    if (upkeep != NULL && upkeep->shown == NULL && !readAll(side, tasks, allocator))
        return false;
    *set = (grzBoxSet){side->bvh, grzPairSide_Nodes(side)};
    return true;
}
