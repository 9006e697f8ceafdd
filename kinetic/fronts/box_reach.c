// What: box pairs whose sides make chunks when a walk comes to them.
// Idea: the walk from the roots stops where boxes of A are chunks; The boxes of B beside them are at the same
//   height, so they are chunks, too. All of them are made together, and then the tasks walk on.
//
//   A   levels 4   0 - 1 - [2] - 3     tasks are chunks of A        B   levels 3   0 - [1] - 2     their lists are
//                                                                                                  chunks of B
//
//   If A has less than three levels, there is one task. It walks B down from its root to the chunks whose boxes
//   overlap A's root.
// Holds: nodes above chunks are there; a hierarchy of less than three levels has none, and its only chunk is made
//   before anything is read.
#include <string.h>

#include "box_pairs_inside.h"
#include "check.h"

static bool isOneChunk(const grzBvhView* view) {
    return view->levelCount < 3;
}

static void reachFirst(const grzBoxSet* set, const grzBoxReach* reach, grzTasks* tasks) {
    static const uint32_t first = 0;
    if (reach->write == NULL || set->bvh == NULL)
        return;
    const grzBvhView view = grzBvh_GetView(set->bvh);
    if (isOneChunk(&view))
        reach->write(reach->context, tasks, &first, 1);
}

void grzBoxReach_Roots(const grzBoxPairsQuery* query, grzTasks* tasks) {
    reachFirst(&query->a, &query->reachA, tasks);
    reachFirst(&query->b, &query->reachB, tasks);
}

static void reachEach(const grzBoxSet* set, const grzBoxReach* reach) {
    if (reach->write == NULL || set->bvh == NULL)
        return;
    const grzBvhView view = grzBvh_GetView(set->bvh);
    for (uint32_t chunk = 0; chunk < view.chunkCount; ++chunk)
        reach->write(reach->context, NULL, &chunk, 1);
}

void grzBoxReach_All(const grzBoxPairsQuery* query) {
    reachEach(&query->a, &query->reachA);
    reachEach(&query->b, &query->reachB);
}

// ---- those of tasks ----

static bool clearBits(BoxReached* reached, const grzAllocator* allocator, const grzBvhView* view) {
    const size_t words = (size_t)view->chunkCount / 64 + 1;
    if (!grzArray_Reserve(&reached->bits, allocator, words) ||
        !grzArray_Reserve(&reached->numbers, allocator, view->chunkCount))
        return false;
    memset(reached->bits.data, 0, words * sizeof *reached->bits.data);
    reached->bits.count = words;
    return true;
}

static void mark(BoxReached* reached, uint32_t chunk) {
    reached->bits.data[chunk / 64] |= (uint64_t)1 << chunk % 64;
}

// Chunks of B whose boxes overlap the root of A.
static void markBesideRoot(BoxReached* reached, const BoxWalk* walk, const grzBvhView* viewB) {
    const grzBox root = grzBox_Widened(walk->a.root, walk->skin);
    for (uint32_t chunk = 0; chunk < viewB->chunkCount; ++chunk) {
        grzBvhNode node = walk->b.levels[viewB->levelCount - 3][chunk / GRZ_BVH_WIDTH];
        const uint32_t k = chunk % GRZ_BVH_WIDTH;
        if (walk->isPosed)
            GRZ_PICK_KERNEL(grzBoxNodePose)(&walk->frame, &node, &node);
        const grzBox box = grzBox_Make(grzVec3_Make(node.lower[0][k], node.lower[1][k], node.lower[2][k]),
                                       grzVec3_Make(node.upper[0][k], node.upper[1][k], node.upper[2][k]));
        if (grzBox_Overlap(root, box))
            mark(reached, chunk);
    }
}

// Rows are chunks of A, and their numbers those of B.
static void markRows(BoxReached reached[2], const BoxFound* tasks, bool isSelf) {
    BoxReached* ofB = &reached[isSelf ? 0 : 1];
    for (size_t i = 0; i < tasks->rows.count; ++i)
        mark(&reached[0], tasks->rows.data[i].number);
    for (size_t i = 0; i < tasks->numbers.count; ++i)
        mark(ofB, tasks->numbers.data[i]);
}

static void writeMarked(BoxReached* reached, const grzBoxReach* reach, grzTasks* tasks) {
    reached->numbers.count = 0;
    for (size_t w = 0; w < reached->bits.count; ++w)
        for (uint64_t bits = reached->bits.data[w]; bits != 0; bits &= bits - 1)
            reached->numbers.data[reached->numbers.count++] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
    if (reached->numbers.count != 0)
        reach->write(reach->context, tasks, reached->numbers.data, reached->numbers.count);
}

bool grzBoxReach_Tasks(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk,
                       uint32_t depthB) {
    if (!grzBoxPairsQuery_IsLazy(query))
        return true;
    const grzBoxReach* reaches[2] = {&query->reachA, &query->reachB};
    const grzBvhView views[2] = {grzBvh_GetView(query->a.bvh),
                                 grzBvh_GetView(walk->isSelf ? query->a.bvh : query->b.bvh)};
    const grzAllocator* allocator = &pairs->memory.allocator;
    if (!clearBits(&pairs->reached[0], allocator, &views[0]) ||
        !clearBits(&pairs->reached[1], allocator, &views[1]))
        return false;
    if (isOneChunk(&views[0]) && !isOneChunk(&views[1]))
        markBesideRoot(&pairs->reached[1], walk, &views[1]);
    else
        markRows(pairs->reached, &pairs->tasks, walk->isSelf);
    GRZ_ASSERT(isOneChunk(&views[0]) || isOneChunk(&views[1]) || depthB == views[1].levelCount - 2);
    (void)depthB;
    for (int i = 0; i < (walk->isSelf ? 1 : 2); ++i)
        if (reaches[i]->write != NULL && !isOneChunk(&views[i]))
            writeMarked(&pairs->reached[i], reaches[i], tasks);
    return true;
}
