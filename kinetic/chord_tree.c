// What: graze/chord_tree.h.
// Idea: three sets of nodes, each of one keyframe: that before the time of the tree, that after it, and the one after that, of which
//   the chunks are refit one after the other as time passes.
// Holds: `done` chunks of a set, from the first on, are of its keyframe, and with all of them every node is: a node is computed anew
//   with each chunk below it, and so with the last of them.
// Based on: convexity of the upper envelope of lines, as in [Zachmann and Weller 2006] section 5.
#include "graze/chord_tree.h"

#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "chord_kernel.h"
#include "memory.h"
#include "plan_inside.h"
#include "result_make.h"

#define DEF_MARK 0x44524843u

enum { SETS = 3 };

typedef struct FrameSet {
    grzBvhNode* nodes;
    double frame;  // the keyframe's number; -1: none yet
    uint32_t done; // chunks
} FrameSet;

struct grzChordTree {
    grzAllocator allocator;
    const grzBvh* bvh;
    grzBvhView view;
    const grzFlightplan* plan;
    grzBvhNumbering numbering;
    FrameSet sets[SETS];
    const FrameSet *from, *to; // the same at the last keyframe
    float part;
    uint64_t* chunks; // bits for a refit
    size_t wordCount;
    grzChordTreeStats stats;
};

grzChordTreeDef grzDefaultChordTreeDef(void) {
    grzChordTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.numbering = grz_bvhCallersNumbers;
    def.startTime = (double)NAN;
    return def;
}

// ---- sets ----

// No triangles are one chunk without any, so that a refit of everything happens once.
static uint32_t chunkCount(const grzChordTree* tree) {
    return tree->view.chunkCount != 0 ? tree->view.chunkCount : 1;
}

// Refits the chunks done .. count - 1 of a set.
static void refitChunks(grzChordTree* tree, grzTasks* tasks, FrameSet* set, uint32_t count) {
    if (set->done >= count)
        return;
    const PlanFrame* frame = tree->plan->frames.data + ((size_t)set->frame - tree->plan->firstFrame);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = frame->positions;
    refit.stride = frame->stride * sizeof(float);
    refit.numbering = tree->numbering;
    if (set->done != 0 || count != chunkCount(tree)) {
        memset(tree->chunks, 0, tree->wordCount * sizeof *tree->chunks);
        for (uint32_t c = set->done; c < count; ++c)
            tree->chunks[c / 64] |= UINT64_C(1) << c % 64;
        refit.dirtyChunks = tree->chunks;
    }
    grzBvh_RefitKnown(tree->bvh, tasks, &refit, set->nodes);
    tree->stats.chunks += count - set->done;
    set->done = count;
}

// The set of a keyframe, else one that is of neither `frame` nor `other`, emptied for it.
static FrameSet* takeSet(grzChordTree* tree, double frame, double other) {
    FrameSet* set = NULL;
    for (int i = 0; i < SETS; ++i) {
        if (tree->sets[i].frame == frame)
            return &tree->sets[i];
        // Of those that are free the one that is farthest behind.
        if (tree->sets[i].frame != other && (set == NULL || tree->sets[i].frame < set->frame))
            set = &tree->sets[i];
    }
    set->frame = frame;
    set->done = 0;
    return set;
}

// ---- time ----

static void goTo(grzChordTree* tree, grzTasks* tasks, double at) {
    const double number = floor(at), last = grzPlan_End(tree->plan), next = fmin(number + 1, last);
    FrameSet* from = takeSet(tree, number, next);
    FrameSet* to = takeSet(tree, next, number);
    refitChunks(tree, tasks, from, chunkCount(tree));
    refitChunks(tree, tasks, to, chunkCount(tree));
    tree->from = from;
    tree->to = to;
    tree->part = (float)(at - number);
    if (number + 2 > last)
        return;
    FrameSet* ahead = tree->sets; // the third
    while (ahead == from || ahead == to)
        ++ahead;
    if (ahead->frame != number + 2)
        ahead->frame = number + 2, ahead->done = 0;
    const uint32_t before = ahead->done;
    refitChunks(tree, tasks, ahead, (uint32_t)ceil((at - number) * chunkCount(tree)));
    tree->stats.early += ahead->done - before;
}

grzResult grzChordTree_Advance(grzChordTree* tree, grzTasks* tasks, double time) {
    if (!grzPlan_Knows(tree->plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    goTo(tree, tasks, grzPlan_TimeOf(tree->plan, time));
    return grzOk();
}

// ---- boxes ----

static void blend(const grzChordTree* tree, uint32_t first, uint32_t count, grzBvhNode* to) {
    const grzBvhNode *a = tree->from->nodes + first, *b = tree->to->nodes + first;
    if (tree->part == 0)
        memcpy(to, a, count * sizeof *to);
    else
        GRZ_PICK_KERNEL(grzChordBlend)(a, b, count, tree->part, to);
}

void grzChordTree_ReadNode(const grzChordTree* tree, uint32_t level, uint32_t index, grzBvhNode* node) {
    blend(tree, tree->view.levelStarts[level] + index, 1, node);
}

grzBox grzChordTree_RootBox(const grzChordTree* tree) {
    grzBvhNode root;
    blend(tree, 0, 1, &root);
    return grzBvh_RootBox(&root);
}

enum { GRAIN = 64 }; // nodes a task

typedef struct Writing {
    const grzChordTree* tree;
    grzBvhNode* nodes;
} Writing;

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Writing* work = context;
    blend(work->tree, begin, end - begin, work->nodes + begin);
}

grzResult grzChordTree_WriteBoxes(const grzChordTree* tree, grzTasks* tasks, grzBvhNode* nodes) {
    if (nodes == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "nodes is NULL");
    Writing work = {tree, nodes};
    grzParallelFor(tasks, tree->view.nodeCount, GRAIN, writeBlock, &work);
    return grzOk();
}

grzChordTreeStats grzChordTree_GetStats(const grzChordTree* tree) {
    return tree->stats;
}

// ---- making it ----

static const char* flawOf(const grzChordTreeDef* def) {
    if (def->bvh == NULL)
        return "bvh is NULL";
    if (def->plan == NULL || def->plan->kind != grz_planKeyframes)
        return "plan is NULL, or one of paths";
    if ((unsigned)def->numbering > grz_bvhCallersNumbers)
        return "numbering is no grzBvhNumbering";
    if (grzFlightplan_VertexCount(def->plan) != grzBvh_GetView(def->bvh).vertexCount)
        return "plan has not as many vertices as bvh";
    if (isnan(def->startTime) ? def->plan->frames.count == 0 : !grzPlan_Knows(def->plan, def->startTime))
        return "startTime is outside of what plan knows";
    return NULL;
}

static grzResult takeMemory(grzChordTree* tree) {
    const size_t nodeCount = tree->view.nodeCount;
    for (int i = 0; i < SETS; ++i) {
        tree->sets[i].frame = -1;
        tree->sets[i].nodes = grzAllocate(&tree->allocator, nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
        if (tree->sets[i].nodes == NULL)
            return grzNoMemory(nodeCount, sizeof(grzBvhNode));
        memset(tree->sets[i].nodes, 0, nodeCount * sizeof(grzBvhNode));
    }
    tree->wordCount = (size_t)chunkCount(tree) / 64 + 1;
    tree->chunks = grzAllocate(&tree->allocator, tree->wordCount, sizeof *tree->chunks, _Alignof(uint64_t));
    return tree->chunks != NULL ? grzOk() : grzNoMemory(tree->wordCount, sizeof *tree->chunks);
}

grzResult grzChordTree_Create(const grzChordTreeDef* def, grzChordTree** made) {
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzResult result = grzCheckAllocator(def->allocator, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzChordTree* tree = grzAllocate(&allocator, 1, sizeof *tree, _Alignof(grzChordTree));
    if (tree == NULL)
        return grzNoMemory(1, sizeof *tree);
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
    tree->bvh = def->bvh;
    tree->view = grzBvh_GetView(def->bvh);
    tree->plan = def->plan;
    tree->numbering = def->numbering;
    result = takeMemory(tree);
    const double start = isnan(def->startTime) ? grzFlightplan_GetRange(def->plan).begin : def->startTime;
    if (grzResult_IsOk(result))
        goTo(tree, def->tasks, grzPlan_TimeOf(def->plan, start));
    memset(&tree->stats, 0, sizeof tree->stats);
    if (grzResult_IsOk(result))
        *made = tree;
    else
        grzChordTree_Destroy(tree);
    return result;
}

void grzChordTree_Destroy(grzChordTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    for (int i = 0; i < SETS; ++i)
        grzRelease(&allocator, tree->sets[i].nodes, tree->view.nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, tree->chunks, tree->wordCount, sizeof *tree->chunks, _Alignof(uint64_t));
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzChordTree));
}
