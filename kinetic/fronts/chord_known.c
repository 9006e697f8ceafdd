// What: see chord_known.h.
// Idea: inner boxes are made once a piece, for the nodes that have leaves in pairs. Then each pair is looked at
//   once (chord_known_kernel.c).
// Threads: tasks mark nodes, and several may mark the same one. Then each makes its own nodes and looks at its own
//   pairs.
#include "chord_known.h"

#include <math.h>
#include <string.h>

#include "chord_known_kernel.h"

enum {
    PAIR_GRAIN = 64, // words of 64 pairs a task
    NODE_GRAIN = 32, // nodes a task
};

#define LARGEST 0x1p100F // coordinate of which anything is known

typedef struct Knowing {
    ChordSearch* search;
    ChordWalk* walk;
    ChordInnerJob jobs[2];
} Knowing;

static void markPairs(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Knowing* work = context;
    const ChordLeafPairs* pairs = &work->search->pairs;
    const size_t last = 64 * (size_t)end < pairs->count ? 64 * (size_t)end : pairs->count;
    ChordWanted *a = work->walk->known[0].wanted.data, *b = work->walk->known[1].wanted.data;
    for (size_t i = 64 * (size_t)begin; i < last; ++i) {
        // The loop's end orders them.
        atomic_store_explicit(&a[pairs->data[i].leafA / GRZ_BVH_WIDTH].isWanted, true, memory_order_relaxed);
        atomic_store_explicit(&b[pairs->data[i].leafB / GRZ_BVH_WIDTH].isWanted, true, memory_order_relaxed);
    }
}

typedef struct Fitting {
    ChordKnown* known;
    const ChordInnerJob* job;
} Fitting;

static void fitNodes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Fitting* work = context;
    for (uint32_t node = begin; node < end; ++node)
        if (atomic_load_explicit(&work->known->wanted.data[node].isWanted, memory_order_relaxed))
            GRZ_PICK_KERNEL(grzChordInnerFit)
    (work->job, node, work->known->inners.data + (size_t)GRZ_BVH_WIDTH * node);
}

static void knowPairs(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Knowing* work = context;
    const size_t first = 64 * (size_t)begin;
    GRZ_PICK_KERNEL(grzChordPairsKnow)
    (work->search->pairs.data + first, work->walk->known[0].inners.data, work->walk->known[1].inners.data,
     64 * (size_t)(end - begin), work->search->knownFirst.data + first, work->search->knownLast.data + first);
}

// 2^-19 of the greatest coordinate.
static float slackOf(const grzBvhNode* const ends[2]) {
    float size = 0;
    for (int end = 0; end < 2; ++end) {
        const grzBox box = grzBvh_RootBox(ends[end]);
        for (int axis = 0; axis < 3; ++axis)
            size = fmaxf(size, fmaxf(fabsf(grzVec3_Get(box.lower, axis)), fabsf(grzVec3_Get(box.upper, axis))));
    }
    return size <= LARGEST ? 0x1p-19F * size + 0x1p-120F : (float)INFINITY;
}

// False where a keyframe's boxes are not there.
static bool prepareSide(Knowing* work, int side) {
    const ChordSide* of = &work->walk->sides[side];
    const ChordSpan* span = &work->search->piece.spans[side];
    const grzBvhNode* ends[2] = {of->nodes, of->nodes};
    ChordInnerJob* job = &work->jobs[side];
    memset(job, 0, sizeof *job);
    if (of->tree != NULL) {
        const ChordSet *from = grzChord_DoneSet(of->tree, span->frames[0]),
                       *to = grzChord_DoneSet(of->tree, span->frames[1]);
        if (from == NULL || to == NULL)
            return false;
        job->chord = grzChord_JobOf(of->tree, from, to);
        ends[0] = from->nodes, ends[1] = to->nodes;
    }
    job->from = ends[0] + grzBvhView_BottomStart(&of->view);
    job->to = ends[1] + grzBvhView_BottomStart(&of->view);
    job->isB = side == 1;
    job->slack = slackOf(ends);
    return true;
}

// Whether both sides go from keyframe to keyframe, or rest.
static bool isWhole(const ChordSearch* search) {
    for (int side = 0; side < 2; ++side) {
        const ChordSpan* span = &search->piece.spans[side];
        if (span->frames[0] != span->frames[1] && (span->parts[0] != 0 || span->parts[1] != 1))
            return false;
    }
    return true;
}

static bool takeMemory(ChordSearch* search, ChordWalk* walk) {
    const size_t padded = search->first.count;
    for (int side = 0; side < 2; ++side) {
        const grzBvhView* view = &walk->sides[side].view;
        const size_t nodes = view->nodeCount - grzBvhView_BottomStart(view);
        ChordKnown* known = &walk->known[side];
        if (!grzArray_Reserve(&known->wanted, &walk->allocator, nodes) ||
            !grzArray_Reserve(&known->inners, &walk->allocator, nodes * GRZ_BVH_WIDTH))
            return false;
        known->wanted.count = nodes;
    }
    return grzArray_Reserve(&search->knownFirst, &walk->allocator, padded) &&
           grzArray_Reserve(&search->knownLast, &walk->allocator, padded);
}

bool grzChordSearch_Know(ChordSearch* search, ChordWalk* walk, grzTasks* tasks) {
    Knowing work = {.search = search, .walk = walk};
    const uint32_t words = (uint32_t)(search->first.count / 64);
    search->knownFirst.count = search->knownLast.count = 0;
    if (!isWhole(search) || words == 0)
        return true;
    if (!takeMemory(search, walk) || !prepareSide(&work, 0) || !prepareSide(&work, 1))
        return false;
    for (int side = 0; side < 2; ++side)
        memset(walk->known[side].wanted.data, 0,
               walk->known[side].wanted.count * sizeof *walk->known[side].wanted.data);
    grzParallelFor(tasks, words, PAIR_GRAIN, markPairs, &work);
    for (int side = 0; side < 2; ++side) {
        Fitting fitting = {&walk->known[side], &work.jobs[side]};
        grzParallelFor(tasks, (uint32_t)walk->known[side].wanted.count, NODE_GRAIN, fitNodes, &fitting);
    }
    grzParallelFor(tasks, words, PAIR_GRAIN, knowPairs, &work);
    search->knownFirst.count = search->knownLast.count = search->first.count;
    return true;
}
