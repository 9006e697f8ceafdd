// What: brings the boxes of a hierarchy up to date.
// Promise: the same bytes for any number of workers, for everything and for dirty chunks alike; a refit that is
//          refused has changed nothing.
// Idea: chunks of eight bottom nodes are independent, so they are the tasks; what is above them is a hundredth of the
//       work and done by one, level by level, backwards, so that children come before parents. A level above the chunks
//       looks only at nodes with a dirty chunk below: those of node i are the bits [i * 8^k, (i + 1) * 8^k), so nothing has
//       to be marked.
// Cost: one look at all positions for what is not finite (0.1 to 0.3 ns a triangle), and the kernel.
#include "bvh_refit_kernel.h"

#include "refuse_null.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    CHUNK_NODES = GRZ_BVH_CHUNK_TRIANGLES / (GRZ_BVH_LEAF_TRIANGLES * GRZ_BVH_WIDTH), // of the bottom
    CHUNK_LEAVES = CHUNK_NODES * GRZ_BVH_WIDTH,
    GRAIN = 16, // chunks a task: some microseconds
};
GRZ_STATIC_ASSERT(CHUNK_NODES == GRZ_BVH_WIDTH, "a chunk is a node of the level above the bottom");

grzBvhRefit grzDefaultBvhRefit(void) {
    grzBvhRefit refit;
    memset(&refit, 0, sizeof refit);
    refit.type = grz_float32;
    return refit;
}

// ---- checks ----

static const char* flawOf(const grzBvh* bvh, const grzBvhRefit* refit) {
    if (refit->type != grz_float32 && refit->type != grz_float64)
        return "type is no grzNumberType";
    if ((unsigned)refit->numbering > grz_bvhCallersNumbers)
        return "numbering is no grzBvhNumbering";
    if (refit->positions == NULL && bvh->view.vertexCount != 0)
        return "positions is NULL, but there are vertices";
    return grzBvhFlawOfStride(refit->stride, refit->type, bvh->view.vertexCount);
}

static bool isDirty(const uint64_t* chunks, uint32_t chunk) {
    return chunks == NULL || (chunks[chunk / 64] >> chunk % 64 & 1) != 0;
}

static bool isFiniteVertex(const BvhRefitJob* job, const void* positions, uint32_t number) {
    const size_t at = number * job->stride;
    for (size_t axis = 0; axis < 3; ++axis) {
        const double x =
            job->isDouble ? ((const double*)positions)[at + axis] : (double)((const float*)positions)[at + axis];
        if (!isfinite(x))
            return false;
    }
    return true;
}

// The vertices of a chunk by its leaves' lists, one by one. Returns the lowest that is not finite, or GRZ_MESH_NONE.
static uint32_t findInChunk(const BvhRefitJob* job, const void* positions, uint32_t chunk) {
    const grzBvhView* view = &job->bvh->view;
    uint32_t first = GRZ_MESH_NONE;
    for (uint32_t leaf = chunk * CHUNK_LEAVES; leaf < (chunk + 1) * CHUNK_LEAVES && leaf < view->leafCount;
         ++leaf) {
        for (uint32_t k = 0; k < view->leafVertexCounts[leaf]; ++k) {
            const uint32_t vertex =
                k < 8 ? view->leafVertices[8 * (size_t)leaf + k] : view->moreVertices[4 * (size_t)leaf + k - 8];
            const uint32_t number = job->map != NULL ? job->map[vertex] : vertex;
            if (number < first && !isFiniteVertex(job, positions, number))
                first = number;
        }
    }
    return first;
}

static uint32_t findInDirty(const BvhRefitJob* job, const void* positions, const uint64_t* chunks) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottoms = view->nodeCount - grzBvhView_BottomStart(view);
    grzBvhLeavesAreFinite_Fn* areFinite = GRZ_PICK_KERNEL(grzBvhLeavesAreFinite);
    uint32_t found = GRZ_MESH_NONE;
    for (uint32_t c = 0; c < view->chunkCount && found == GRZ_MESH_NONE; ++c) {
        const uint32_t first = c * CHUNK_NODES, end = first + CHUNK_NODES < bottoms ? first + CHUNK_NODES : bottoms;
        if (isDirty(chunks, c) && !areFinite(job, positions, first, end))
            found = findInChunk(job, positions, c);
    }
    return found;
}

static grzResult checkFinite(const BvhRefitJob* job, grzTasks* tasks, const uint64_t* chunks) {
    const void* arrays[2] = {job->start, job->end};
    const uint32_t count = job->bvh->view.vertexCount;
    for (int k = 0; k < (job->end != NULL ? 2 : 1); ++k) {
        const uint32_t bad = chunks != NULL
                                 ? findInDirty(job, arrays[k], chunks)
                                 : grzBvhFindNotFinite(tasks, arrays[k], job->stride, job->isDouble, count);
        if (bad < count)
            return grzFailAt(grz_notFinite, grz_partVertex, bad, 0);
    }
    return grzOk();
}

// ---- the work ----

typedef struct RefitWork {
    BvhRefitJob job;
    const uint64_t* chunks;
    grzBvhRefitBottom_Fn* bottom;
    grzBvhRefitInner_Fn* inner;
    uint32_t bottomCount;
} RefitWork;

// Chunks that follow each other are one call.
static void refitChunks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const RefitWork* work = context;
    while (begin < end) {
        uint32_t first = begin;
        while (first < end && !isDirty(work->chunks, first))
            ++first;
        uint32_t last = first;
        while (last < end && isDirty(work->chunks, last))
            ++last;
        const uint32_t node = last * CHUNK_NODES < work->bottomCount ? last * CHUNK_NODES : work->bottomCount;
        if (first < last)
            work->bottom(&work->job, first * CHUNK_NODES, node);
        begin = last;
    }
}

// Whether one of the bits [begin, end) is set.
static bool hasDirty(const uint64_t* chunks, uint32_t begin, uint32_t end) {
    while (begin < end) {
        const uint32_t bit = begin % 64, left = end - begin, span = 64 - bit < left ? 64 - bit : left;
        const uint64_t mask = span == 64 ? UINT64_MAX : ((UINT64_C(1) << span) - 1) << bit;
        if ((chunks[begin / 64] & mask) != 0)
            return true;
        begin += span;
    }
    return false;
}

// Brings the parents of one level's nodes up to date. Each node has `width` chunks below.
static void refitLevel(const RefitWork* work, uint32_t level, uint64_t width) {
    const grzBvhView* view = &work->job.bvh->view;
    const uint32_t count = view->levelStarts[level + 1] - view->levelStarts[level];
    if (work->chunks == NULL) {
        work->inner(view, work->job.nodes, level, 0, count);
        return;
    }
    for (uint32_t i = count; i-- > 0;) {
        const uint64_t begin = i * width, end = begin + width < view->chunkCount ? begin + width : view->chunkCount;
        if (hasDirty(work->chunks, (uint32_t)begin, (uint32_t)end))
            work->inner(view, work->job.nodes, level, i, i + 1);
    }
}

// Lanes that no child will write.
static void clearInner(const grzBvhView* view, grzBvhNode* nodes) {
    for (uint32_t level = 0; level + 1 < view->levelCount; ++level) {
        grzBvhNode* node = &nodes[view->levelStarts[level + 1] - 1];
        const uint32_t index = view->levelStarts[level + 1] - 1 - view->levelStarts[level];
        for (uint32_t k = grzBvhView_ChildCount(view, level, index); k < GRZ_BVH_WIDTH; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                node->lower[axis][k] = FLT_MAX;
                node->upper[axis][k] = -FLT_MAX;
            }
        }
    }
}

static void refitNodes(grzTasks* tasks, RefitWork* work) {
    const grzBvhView* view = &work->job.bvh->view;
    const uint32_t chunks = view->chunkCount != 0 ? view->chunkCount : 1; // the root alone, where nothing is there
    clearInner(view, work->job.nodes);
    grzParallelFor(tasks, chunks, GRAIN, refitChunks, work);
    uint64_t width = 1;
    for (uint32_t level = view->levelCount - 1; level-- > 1; width *= GRZ_BVH_WIDTH)
        refitLevel(work, level, width);
}

static RefitWork workOf(const grzBvh* bvh, const grzBvhRefit* refit, grzBvhNode* nodes) {
    RefitWork work = {.chunks = bvh->view.chunkCount != 0 ? refit->dirtyChunks : NULL,
                      .bottom = GRZ_PICK_KERNEL(grzBvhRefitBottom),
                      .inner = GRZ_PICK_KERNEL(grzBvhRefitInner)};
    work.job.bvh = bvh;
    work.job.start = refit->positions;
    work.job.end = refit->endPositions;
    work.job.stride = refit->stride != 0 ? refit->stride / grzBvhNumberSize(refit->type) : 3;
    work.job.isDouble = refit->type == grz_float64;
    work.job.map = refit->numbering == grz_bvhCallersNumbers ? bvh->vertexToCaller : NULL;
    work.job.nodes = nodes;
    work.bottomCount = bvh->view.nodeCount - grzBvhView_BottomStart(&bvh->view);
    return work;
}

void grzBvh_RefitKnown(const grzBvh* bvh, grzTasks* tasks, const grzBvhRefit* refit, grzBvhNode* nodes) {
    RefitWork work = workOf(bvh, refit, nodes);
    refitNodes(tasks, &work);
}

grzResult grzBvh_Refit(const grzBvh* bvh, grzTasks* tasks, const grzBvhRefit* refit, grzBvhNode* nodes) {
    GRZ_REFUSE_NULL(bvh, 1);
    GRZ_REFUSE_NULL(refit, 3);
    const char* flaw = flawOf(bvh, refit);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    if (nodes == NULL)
        return grzBecause(grzFail(grz_badArgument, 4), "nodes is NULL");
    RefitWork work = workOf(bvh, refit, nodes);
    const grzResult result = checkFinite(&work.job, tasks, work.chunks);
    if (grzResult_IsOk(result))
        refitNodes(tasks, &work);
    return result;
}

grzBox grzBvh_RootBox(const grzBvhNode* nodes) {
    GRZ_RETURN_IF_NULL(nodes, (grzBox){0});
    float lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = nodes->lower[axis][0];
        upper[axis] = nodes->upper[axis][0];
        for (int k = 1; k < 8; ++k) {
            lower[axis] = nodes->lower[axis][k] < lower[axis] ? nodes->lower[axis][k] : lower[axis];
            upper[axis] = nodes->upper[axis][k] > upper[axis] ? nodes->upper[axis][k] : upper[axis];
        }
    }
    if (lower[0] > upper[0])
        return grzBox_Empty();
    return grzBox_Make(grzVec3_Make(lower[0], lower[1], lower[2]), grzVec3_Make(upper[0], upper[1], upper[2]));
}
