// What: the boxes of the sides of pairs of upkeeps, for a search by boxes.
// Idea: if an upkeep has nodes written, they are read where they lie. Else its nodes above chunks are read in each
//   frame, and the nodes of chunks when the walk comes to them. So a lazy upkeep makes only what is read.
#include "upkeep_pairs_inside.h"

enum {
    GRAIN = 32,      // nodes a task
    CHUNK_GRAIN = 4, // chunks
};

const grzBvhNode* grzPairSide_Nodes(const PairSide* side) {
    const grzUpkeep* upkeep = side->given.upkeep;
    if (upkeep == NULL)
        return side->given.nodes;
    return upkeep->shown != NULL ? upkeep->shown : side->nodes.data;
}

static void readNode(const PairSide* side, const grzBvhView* view, uint32_t level, uint32_t index) {
    const grzUpkeepPlace place = {level, index, grzBox_Empty()};
    grzBvhNode* to = side->nodes.data + view->levelStarts[level] + index;
    const grzBvhNode* node = grzUpkeep_Node(side->given.upkeep, &place, to);
    if (node != to)
        *to = *node;
}

static void readLevel(const PairSide* side, const grzBvhView* view, uint32_t level, uint32_t first, uint32_t end) {
    const uint32_t count = view->levelStarts[level + 1] - view->levelStarts[level];
    for (uint32_t i = first; i < end && i < count; ++i)
        readNode(side, view, level, i);
}

// ---- chunks ----

typedef struct ChunksJob {
    PairSide* side;
    const uint32_t* chunks;
} ChunksJob;

// The node of each and those below it; of a hierarchy of one level there is one.
static void readChunks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ChunksJob* job = context;
    const grzBvhView view = grzBvh_GetView(job->side->bvh);
    const uint32_t bottom = view.levelCount - 1;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t chunk = job->chunks[i];
        if (bottom != 0)
            readNode(job->side, &view, bottom - 1, chunk);
        readLevel(job->side, &view, bottom, CHORD_CHUNK_NODES * chunk, CHORD_CHUNK_NODES * (chunk + 1));
    }
}

static void reachChunks(void* context, grzTasks* tasks, const uint32_t* chunks, size_t count) {
    ChunksJob job = {context, chunks};
    job.side->written += (uint32_t)count * (CHORD_CHUNK_NODES + 1);
    grzParallelFor(tasks, (uint32_t)count, CHUNK_GRAIN, readChunks, &job);
}

// ---- above them ----

typedef struct LevelJob {
    const PairSide* side;
    uint32_t level;
} LevelJob;

static void readBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const LevelJob* job = context;
    const grzBvhView view = grzBvh_GetView(job->side->bvh);
    readLevel(job->side, &view, job->level, begin, end);
}

static bool readAbove(PairSide* side, grzTasks* tasks, const grzAllocator* allocator) {
    const grzBvhView view = grzBvh_GetView(side->bvh);
    if (!grzArray_Reserve(&side->nodes, allocator, view.nodeCount))
        return false;
    side->written = view.levelCount > 2 ? view.levelStarts[view.levelCount - 2] : 0;
    for (uint32_t level = 0; level + 2 < view.levelCount; ++level) {
        LevelJob job = {side, level};
        grzParallelFor(tasks, view.levelStarts[level + 1] - view.levelStarts[level], GRAIN, readBlock, &job);
    }
    return true;
}

bool grzPairSide_TakeBoxes(PairSide* side, grzTasks* tasks, const grzAllocator* allocator, grzBoxSet* set,
                           grzBoxReach* reach) {
    const grzUpkeep* upkeep = side->given.upkeep;
    const bool isRead = upkeep != NULL && upkeep->shown == NULL;
    side->written = 0;
    if (isRead && !readAbove(side, tasks, allocator))
        return false;
    *set = (grzBoxSet){side->bvh, grzPairSide_Nodes(side)};
    *reach = (grzBoxReach){isRead ? reachChunks : NULL, side};
    return true;
}
