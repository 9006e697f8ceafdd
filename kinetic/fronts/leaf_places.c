// What: see leaf_places.h.
// Threads: tasks mark the blocks of their leaves, and several may mark the same one. Then each evaluates its own
//   blocks.
#include "leaf_places.h"

#include <string.h>

enum {
    BLOCK = 16,       // vertices
    MARK_GRAIN = 4,   // words of leaves a task
    FIND_GRAIN = 256, // blocks a task
    // With one leaf of so many all blocks are evaluated: a leaf's marks take as long as many vertices between keyframes, or few on paths.
    FRAMES_SHARE = 16,
    PATHS_SHARE = 2,
};

typedef struct Finding {
    LeafPlaces* places;
    const LeafPlacesQuery* query;
    double at;
    bool isDense;
    _Atomic uint64_t evaluated;
} Finding;

static void markLeaf(const Finding* finding, uint32_t leaf) {
    const grzBvhView* view = &finding->query->view;
    const uint32_t* map = finding->query->map;
    for (uint32_t k = 0; k < view->leafVertexCounts[leaf]; ++k) {
        const uint32_t vertex =
            k < 8 ? view->leafVertices[8 * (size_t)leaf + k] : view->moreVertices[4 * (size_t)leaf + k - 8];
        LeafBlock* block = &finding->places->blocks.data[(map != NULL ? map[vertex] : vertex) / BLOCK];
        atomic_store_explicit(&block->isWanted, true, memory_order_relaxed); // the loop's end orders it
    }
}

static void markWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    for (uint32_t w = begin; w < end; ++w)
        for (uint64_t bits = finding->query->leaves[w]; bits != 0; bits &= bits - 1)
            markLeaf(finding, 64 * w + (uint32_t)__builtin_ctzll(bits));
}

static bool isWanted(const Finding* finding, uint32_t block) {
    return finding->isDense ||
           atomic_load_explicit(&finding->places->blocks.data[block].isWanted, memory_order_relaxed);
}

// Neighbouring blocks in one go.
static void findBlocks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Finding* finding = context;
    const grzFlightplan* plan = finding->query->plan;
    uint64_t evaluated = 0;
    for (uint32_t block = begin, next; block < end; block = next) {
        const bool wanted = isWanted(finding, block);
        for (next = block + 1; next < end && isWanted(finding, next) == wanted;)
            ++next;
        if (!wanted)
            continue;
        const uint32_t first = BLOCK * block, count = (uint32_t)plan->vertexCount,
                       last = BLOCK * next < count ? BLOCK * next : count;
        grzPlan_EvaluateRange(plan, finding->at, first, last, finding->places->positions.data, 3);
        evaluated += last - first;
    }
    atomic_fetch_add_explicit(&finding->evaluated, evaluated, memory_order_relaxed); // a sum, in any order
}

bool grzLeafPlaces_Find(LeafPlaces* places, const grzAllocator* allocator, grzTasks* tasks,
                        const LeafPlacesQuery* query) {
    const size_t vertices = query->plan->vertexCount, blocks = vertices / BLOCK + 1;
    const uint32_t words = query->view.leafCount / 64 + 1;
    Finding finding = {places, query, grzPlan_TimeOf(query->plan, query->time), false, 0};
    places->evaluated = 0;
    if (!grzArray_Reserve(&places->blocks, allocator, blocks) ||
        !grzArray_Reserve(&places->positions, allocator, 3 * vertices + 1))
        return false;
    if (query->count == 0)
        return true;
    const uint32_t share = query->plan->kind == grz_planKeyframes ? FRAMES_SHARE : PATHS_SHARE;
    finding.isDense = query->count >= query->view.leafCount / share;
    if (!finding.isDense) {
        memset(places->blocks.data, 0, blocks * sizeof *places->blocks.data);
        grzParallelFor(tasks, words, MARK_GRAIN, markWords, &finding);
    }
    grzParallelFor(tasks, (uint32_t)blocks, FIND_GRAIN, findBlocks, &finding);
    places->positions.data[3 * vertices] = 0;
    places->evaluated = atomic_load(&finding.evaluated);
    return true;
}

void grzLeafPlaces_Release(LeafPlaces* places, const grzAllocator* allocator) {
    grzArray_Release(&places->blocks, allocator);
    grzArray_Release(&places->positions, allocator);
}
