// What: where an animated mesh is: positions by page, and the chunks of its hierarchy.
// Promise: positions are those of the plan at both ends of the step, and boxes those of positions, whoever reads them and when.
// Idea: what a step would evaluate and box, a query that comes near does, for the chunks that it reads. So a step costs what its
//   upkeep costs, which has the boxes of the chunks (graze/upkeep.h, lazy).
//
//     query -> chunk of the model -> corners of its triangles -> pages of their vertices -> the plan
//               boxes above the chunks -> the upkeep
//
// Holds: the plan knows the start of the step until the next one.
// Threads: a page and a chunk are made by one, others wait (once_flag.h). Pages are made without chunks.
#include <string.h>

#include "animated_inside.h"
#include "check.h"
#include "memory.h"
#include "surface.h"

// ---- pages ----

static void makePage(grzAnimatedBody* animated, AnimatedEnd* end, uint32_t page) {
    if (!grzOnce_Begin(&end->pages[page]))
        return;
    const grzBvhView tree = grzBvh_GetView(animated->bvh);
    const uint32_t first = animated->pageStarts[page], count = animated->pageStarts[page + 1] - first;
    const grzResult known = grzFlightplan_EvaluateSome(animated->plan, end->planTime, tree.vertexToCaller + first,
                                                       count, end->positions);
    GRZ_ASSERT(grzResult_IsOk(known));
    (void)known;
    atomic_fetch_add_explicit(&animated->evaluated, count, memory_order_relaxed); // a count, which orders nothing
    grzOnce_End(&end->pages[page]);
}

// Most were made before.
static inline void evaluatePage(grzAnimatedBody* animated, AnimatedEnd* end, uint32_t page) {
    if (!grzOnce_IsDone(&end->pages[page]))
        makePage(animated, end, page);
}

// Reading a mesh is const, and may make what is read.
static grzAnimatedBody* writable(const grzAnimatedBody* animated) {
    grzAnimatedBody* same;
    memcpy(&same, &animated, sizeof same);
    return same;
}

static void reachTriangle(grzAnimatedBody* animated, AnimatedEnd* end, uint32_t triangle) {
    const uint32_t* corners = animated->mesh.triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k)
        evaluatePage(animated, end, animated->pageOf[corners[k]]);
}

void grzAnimatedBody_ReachTriangle(const grzAnimatedBody* given, uint32_t triangle) {
    grzAnimatedBody* animated = writable(given);
    reachTriangle(animated, &animated->ends[0], triangle);
    if (!animated->isStill)
        reachTriangle(animated, &animated->ends[1], triangle);
}

void grzAnimatedBody_MakeVertex(void* body, uint32_t vertex) {
    grzAnimatedBody* animated = body;
    evaluatePage(animated, &animated->ends[0], animated->pageOf[vertex]);
}

enum { GRAIN = 16 }; // pages a task: some microseconds

typedef struct Reaching {
    grzAnimatedBody* animated;
    AnimatedEnd* end;
} Reaching;

static void reachBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Reaching* work = context;
    for (uint32_t page = begin; page < end; ++page)
        evaluatePage(work->animated, work->end, page);
}

void grzAnimatedBody_ReachEnd(const grzAnimatedBody* given, grzTasks* tasks) {
    grzAnimatedBody* animated = writable(given);
    Reaching work = {animated, &animated->ends[0]};
    grzParallelFor(tasks, animated->pageCount, GRAIN, reachBlock, &work);
}

void grzAnimatedBody_ReachStart(const grzAnimatedBody* given, grzTasks* tasks) {
    grzAnimatedBody* animated = writable(given);
    Reaching work = {animated, &animated->ends[1]};
    if (!animated->isStill)
        grzParallelFor(tasks, animated->pageCount, GRAIN, reachBlock, &work);
}

uint64_t grzAnimatedBody_EvaluatedCount(const grzAnimatedBody* animated) {
    return atomic_load_explicit(&animated->evaluated, memory_order_relaxed);
}

// ---- chunks ----

static void reachChunk(grzAnimatedBody* animated, const grzBvhView* tree, uint32_t chunk) {
    const size_t first = 3 * (size_t)chunk * GRZ_BVH_CHUNK_TRIANGLES, end = first + 3 * GRZ_BVH_CHUNK_TRIANGLES;
    uint32_t last = chunk; // most are of it
    evaluatePage(animated, &animated->ends[0], chunk);
    for (size_t i = first; i < end && i < 3 * (size_t)tree->triangleCount; ++i) {
        const uint32_t page = animated->pageOf[tree->vertexToCaller[tree->triangles[i]]];
        if (page != chunk && page != last)
            evaluatePage(animated, &animated->ends[0], page);
        last = page;
    }
}

static void getBoxes(void* context, grzBvhNode* nodes) {
    grzAnimatedBody* animated = context;
    const grzBvhView tree = grzBvh_GetView(animated->bvh);
    const uint32_t count = (tree.chunkCount + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH;
    // The upkeep may have other nodes, or none that are valid.
    const bool isAlike = grzUpkeep_GetStats(animated->upkeep).way != grz_upkeepBoxTree && !animated->isStale;
    for (uint32_t i = 0; i < count && isAlike; ++i) {
        const grzUpkeepPlace place = {tree.levelCount - 3, i, grzBox_Empty()};
        const grzBvhNode* node = grzUpkeep_Node(animated->upkeep, &place, &nodes[i]);
        if (node != &nodes[i])
            nodes[i] = *node;
    }
    if (isAlike)
        return;
    grzAnimatedBody_ReachEnd(animated, NULL);
    for (uint32_t c = 0; c < count * GRZ_BVH_WIDTH; ++c)
        grzSurface_BoxChunk(&tree, animated->ends[0].positions, c, nodes);
}

static void getChunk(void* context, uint32_t chunk, grzModelChunk* to) {
    grzAnimatedBody* animated = context;
    const grzBvhView tree = grzBvh_GetView(animated->bvh);
    reachChunk(animated, &tree, chunk);
    grzSurface_CopyChunk(&tree, animated->ends[0].positions, chunk, to);
}

const grzModel* grzAnimatedBody_GetModel(const grzAnimatedBody* animated) {
    return animated->model;
}

const grzModelEdges* grzAnimatedBody_GetEdges(const grzAnimatedBody* animated) {
    return animated->edges;
}

// ---- life ----

// A vertex's page is the first chunk with a triangle of it: vertices are numbered in that order.
static void findPages(grzAnimatedBody* animated) {
    const grzBvhView tree = grzBvh_GetView(animated->bvh);
    uint32_t past = 0;
    for (uint32_t chunk = 0; chunk < tree.chunkCount; ++chunk) {
        const size_t first = (size_t)chunk * GRZ_BVH_CHUNK_TRIANGLES, end = first + GRZ_BVH_CHUNK_TRIANGLES;
        animated->pageStarts[chunk] = past;
        for (size_t i = 3 * first; i < 3 * end && i < 3 * (size_t)tree.triangleCount; ++i)
            past = tree.triangles[i] >= past ? tree.triangles[i] + 1 : past;
    }
    animated->pageStarts[tree.chunkCount] = past;
    animated->pageStarts[animated->pageCount] = animated->mesh.vertexCount; // behind them are the corners of frames
    for (uint32_t page = 0; page < animated->pageCount; ++page)
        for (uint32_t v = animated->pageStarts[page]; v < animated->pageStarts[page + 1]; ++v)
            animated->pageOf[tree.vertexToCaller[v]] = page;
}

static grzResult makeModel(grzAnimatedBody* animated) {
    const grzModelSource source = {animated, animated->mesh.triangleCount, animated->bvh, getBoxes, getChunk};
    const grzResult result = grzModel_CreateFrom(&source, animated->memory.allocator, &animated->model);
    return grzResult_IsOk(result) ? grzModelEdges_Create(animated->model, &animated->mesh,
                                                         animated->memory.allocator, &animated->edges)
                                  : result;
}

grzResult grzAnimatedPages_Make(grzAnimatedBody* animated) {
    const grzAllocator* allocator = &animated->memory.allocator;
    const size_t count = (size_t)grzBvh_GetView(animated->bvh).chunkCount + 1;
    animated->pageCount = (uint32_t)count;
    animated->pageStarts = grzAllocate(allocator, count + 1, sizeof(uint32_t), _Alignof(uint32_t));
    animated->pageOf = grzAllocate(allocator, animated->planVertices, sizeof(uint32_t), _Alignof(uint32_t));
    for (int i = 0; i < 2; ++i)
        animated->ends[i].pages = grzAllocate(allocator, count, sizeof(grzOnceFlag), 1);
    if (animated->pageStarts == NULL || animated->pageOf == NULL || animated->ends[0].pages == NULL ||
        animated->ends[1].pages == NULL)
        return grzNoMemory(animated->planVertices, sizeof(uint32_t));
    findPages(animated);
    for (size_t page = 0; page < count; ++page) // where it was created
        for (int i = 0; i < 2; ++i)
            atomic_init(&animated->ends[i].pages[page], GRZ_ONCE_DONE);
    return makeModel(animated);
}

void grzAnimatedPages_Release(grzAnimatedBody* animated) {
    const grzAllocator* allocator = &animated->memory.allocator;
    grzModelEdges_Destroy(animated->edges);
    grzModel_Destroy(animated->model);
    grzRelease(allocator, animated->pageStarts, (size_t)animated->pageCount + 1, sizeof(uint32_t),
               _Alignof(uint32_t));
    grzRelease(allocator, animated->pageOf, animated->planVertices, sizeof(uint32_t), _Alignof(uint32_t));
    for (int i = 0; i < 2; ++i)
        grzRelease(allocator, animated->ends[i].pages, animated->pageCount, sizeof(grzOnceFlag), 1);
}

void grzAnimatedPages_ForgetStart(grzAnimatedBody* animated) {
    for (uint32_t page = 0; page < animated->pageCount; ++page)
        if (!grzOnce_IsDone(&animated->ends[1].pages[page]))
            animated->isStill = true;
}

void grzAnimatedPages_GoOn(grzAnimatedBody* animated, double planTime, grzBox box) {
    const AnimatedEnd start = animated->ends[1];
    animated->ends[1] = animated->ends[0];
    animated->ends[0] = (AnimatedEnd){planTime, box, start.positions, start.pages};
    for (uint32_t page = 0; page < animated->pageCount; ++page)
        grzOnce_Reset(&start.pages[page]);
    grzModel_Forget(animated->model);
}
