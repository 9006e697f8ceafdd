// What: graze/kinetic_tree.h: making a tree, going on in time, and telling the top what happened in the parts.
// Idea: parts run by themselves up to the time asked for and write down what happened at their roots; the top takes these changes in
//   order of time, its own events between them. So the outcome, and the count of events, is that of one queue for all.
// Threads: a part is one task; the top comes after, on the calling thread.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "kinetic_inside.h"

#define DEF_MARK 0x54524E4Bu

grzKineticTreeDef grzDefaultKineticTreeDef(void) {
    grzKineticTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.numbering = grz_bvhCallersNumbers;
    def.startTime = (double)NAN;
    return def;
}

// ---- the parts ----

static void runEach(grzKineticTree* tree, grzTasks* tasks, double until,
                    void (*run)(grzKineticTree*, KineticPart*, double));

typedef struct PartWork {
    grzKineticTree* tree;
    double until;
    void (*run)(grzKineticTree*, KineticPart*, double);
} PartWork;

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PartWork* work = context;
    for (uint32_t i = begin; i < end; ++i)
        work->run(work->tree, &work->tree->parts[i], work->until);
}

static void runEach(grzKineticTree* tree, grzTasks* tasks, double until,
                    void (*run)(grzKineticTree*, KineticPart*, double)) {
    PartWork work = {tree, until, run};
    grzParallelFor(tasks, tree->partCount, 1, runBlock, &work);
}

static uint32_t* rootOf(const grzKineticTree* tree, const KineticPart* part) {
    return tree->realisers[part->tier] + (size_t)part->root * KINETIC_SIDES;
}

// The top is told of some sides of a part's root as they are now.
static void tellNow(grzKineticTree* tree, const KineticPart* part, uint32_t mask) {
    memcpy(tree->seen + (size_t)part->root * KINETIC_SIDES, rootOf(tree, part), KINETIC_SIDES * sizeof *tree->seen);
    if (mask != 0)
        grzKinetic_Mark(tree, tree->top, tree->top->bottom, part->root / GRZ_BVH_WIDTH, mask);
}

// ---- batched ----

static void repairPart(grzKineticTree* tree, KineticPart* part, double at) {
    grzKinetic_MarkExpired(tree, part, at);
    grzKinetic_RepairPart(tree, part, at);
}

static void repairTop(grzKineticTree* tree, double at) {
    if (tree->top == NULL)
        return;
    for (uint32_t i = 0; i < tree->partCount; ++i)
        tellNow(tree, &tree->parts[i], tree->parts[i].rootMask);
    repairPart(tree, tree->top, at);
}

static void repairAll(grzKineticTree* tree, grzTasks* tasks, double at) {
    runEach(tree, tasks, at, repairPart);
    repairTop(tree, at);
}

// ---- ordered ----

static void nextChange(grzKineticTree* tree, uint32_t index) {
    const KineticPart* part = &tree->parts[index];
    grzEventQueue_Set(&tree->merge, index, part->told < part->count ? part->data[part->told].at : (double)INFINITY);
}

static bool tellInOrder(grzKineticTree* tree, double until) {
    bool isWhole = true;
    for (uint32_t i = 0; i < tree->partCount; ++i)
        nextChange(tree, i);
    for (double at = grzEventQueue_First(&tree->merge); at <= until; at = grzEventQueue_First(&tree->merge)) {
        const uint32_t index = grzEventQueue_FirstSlot(&tree->merge);
        KineticPart* part = &tree->parts[index];
        grzKinetic_RunPart(tree, tree->top, at - tree->plan->tick);
        grzKinetic_TakeChange(tree, part->root, &part->data[part->told++]);
        nextChange(tree, index);
    }
    grzKinetic_RunPart(tree, tree->top, until);
    for (uint32_t i = 0; i < tree->partCount; ++i) {
        KineticPart* part = &tree->parts[i];
        isWhole = isWhole && !part->hasLost;
        part->count = part->told = 0;
    }
    return isWhole;
}

static void runOrdered(grzKineticTree* tree, grzTasks* tasks, double until) {
    runEach(tree, tasks, until, grzKinetic_RunPart);
    if (tree->top == NULL || tellInOrder(tree, until))
        return;
    // Some changes found no room: the top is put right as of now.
    for (uint32_t i = 0; i < tree->partCount; ++i)
        tree->parts[i].rootMask = KINETIC_ALL, tree->parts[i].hasLost = false;
    repairTop(tree, until);
}

// ---- time ----

static void goTo(grzKineticTree* tree, grzTasks* tasks, double at) {
    if (tree->order == grz_kineticOrdered)
        runOrdered(tree, tasks, at);
    else
        repairAll(tree, tasks, at);
    tree->at = at;
}

static void markPart(grzKineticTree* tree, KineticPart* part, double at) {
    (void)at;
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t first = firstBox(part, tier), most = 1u << 3 * (part->tier - tier);
        const uint32_t left = tree->boxCounts[tier] - first;
        for (uint32_t i = 0; i < (left < most ? left : most); ++i)
            grzKinetic_Mark(tree, part, tier, first + i, KINETIC_ALL);
    }
}

static void lookAtAll(grzKineticTree* tree, grzTasks* tasks, double at) {
    runEach(tree, tasks, at, markPart);
    if (tree->top != NULL)
        markPart(tree, tree->top, at);
    repairAll(tree, tasks, at);
    tree->at = at;
    tree->knownEnd =
        tree->plan->kind == grz_planPaths ? (double)INFINITY : fmin(floor(at) + 1, grzPlan_End(tree->plan));
}

// At a keyframe, of which there is a next one.
static void beginInterval(grzKineticTree* tree, grzTasks* tasks) {
    const double at = tree->knownEnd++;
    const PlanFrame* frame = tree->plan->frames.data + ((size_t)tree->knownEnd - tree->plan->firstFrame);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = frame->positions;
    refit.stride = frame->stride * sizeof(float);
    refit.numbering = tree->numbering;
    grzBvh_RefitKnown(tree->bvh, tasks, &refit, tree->nodes);
    runEach(tree, tasks, at, grzKinetic_MarkOutgrown);
    if (tree->top != NULL)
        grzKinetic_MarkOutgrown(tree, tree->top, at);
    repairAll(tree, tasks, at);
    tree->stats.intervals++;
}

static const char* flawOfPlan(const grzKineticTree* tree) {
    if (tree->plan->revision != tree->revision)
        return "the paths of the plan were changed, and not by the tree";
    return tree->plan->kind == grz_planKeyframes && tree->at < tree->plan->firstFrame
               ? "keyframes were dropped that the tree stands on"
               : NULL;
}

grzResult grzKineticTree_Advance(grzKineticTree* tree, grzTasks* tasks, double time) {
    if (!grzPlan_Knows(tree->plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    const double at = grzPlan_TimeOf(tree->plan, time);
    if (at < tree->at)
        return grzBecause(grzFail(grz_badArgument, 3), "the time is before that of the tree");
    const char* flaw = flawOfPlan(tree);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (tree->tierCount == 0) {
        tree->at = at;
        return grzOk();
    }
    while (at > tree->knownEnd) {
        goTo(tree, tasks, tree->knownEnd);
        beginInterval(tree, tasks);
    }
    goTo(tree, tasks, at);
    return grzOk();
}

// ---- changes of paths ----

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
    repairAll(tree, tasks, tree->at);
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

// ---- figures ----

static void addStats(grzKineticTreeStats* to, const grzKineticTreeStats* from) {
    to->leafEvents += from->leafEvents;
    to->treeEvents += from->treeEvents;
    to->repairs += from->repairs;
    to->updates += from->updates;
}

grzKineticTreeStats grzKineticTree_GetStats(const grzKineticTree* tree) {
    grzKineticTreeStats stats = tree->stats;
    const uint32_t count = tree->partCount + (tree->top != NULL);
    for (uint32_t i = 0; i < count; ++i)
        addStats(&stats, &tree->parts[i].stats);
    return stats;
}

size_t grzKineticTree_MemorySize(const grzKineticTree* tree) {
    size_t size = sizeof *tree + tree->memorySize;
    for (uint32_t i = 0; i < tree->partCount; ++i)
        size += tree->parts[i].capacity * sizeof *tree->parts[i].data;
    return size;
}

// ---- making it ----

static void countBoxes(grzKineticTree* tree) {
    if (tree->view.triangleCount == 0)
        return;
    tree->tierCount = tree->view.levelCount + 1;
    tree->boxCounts[0] = tree->view.leafCount;
    for (uint32_t tier = 1; tier < tree->tierCount; ++tier)
        tree->boxCounts[tier] = (tree->boxCounts[tier - 1] + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH;
    const bool isOne = tree->tierCount <= KINETIC_PART_TIER + 1;
    tree->partCount = isOne ? 1 : tree->boxCounts[KINETIC_PART_TIER];
}

// How many slots a part has: as many as there are boxes; the last part of a tree has fewer.
static void countSlots(const grzKineticTree* tree, KineticPart* part) {
    part->slotCount = 0;
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t most = 1u << 3 * (part->tier - tier), left = tree->boxCounts[tier] - firstBox(part, tier);
        part->sectionStarts[tier] = part->slotCount;
        part->slotCount += (left < most ? left : most) * KINETIC_SIDES;
    }
}

static void cutParts(grzKineticTree* tree) {
    const uint32_t topTier = tree->tierCount - 1;
    const bool isOne = topTier <= KINETIC_PART_TIER;
    for (uint32_t i = 0; i < tree->partCount; ++i) {
        tree->parts[i].tier = isOne ? topTier : KINETIC_PART_TIER;
        tree->parts[i].root = i;
        countSlots(tree, &tree->parts[i]);
    }
    if (isOne)
        return;
    tree->top = &tree->parts[tree->partCount];
    tree->top->bottom = KINETIC_PART_TIER + 1;
    tree->top->tier = topTier;
    countSlots(tree, tree->top);
}

// Takes a piece of the tree's memory, or, where that is not there yet, counts it.
static void* takePiece(grzKineticTree* tree, size_t* used, size_t count, size_t size) {
    void* piece = tree->memory == NULL ? NULL : tree->memory + *used;
    *used += (count * size + 63) / 64 * 64;
    return piece;
}

static void takeQueue(grzKineticTree* tree, size_t* used, grzEventQueue* queue, uint32_t slotCount) {
    double* rows = takePiece(tree, used, grzEventQueue_Size(slotCount), sizeof *rows);
    if (rows != NULL)
        grzEventQueue_Make(queue, slotCount, rows);
}

// Counts, or hands out, all that a tree has. There are triangles.
static size_t layOut(grzKineticTree* tree) {
    size_t used = 0;
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier) {
        const size_t count = tree->boxCounts[tier];
        tree->realisers[tier] = takePiece(tree, &used, count * KINETIC_SIDES, sizeof *tree->realisers[tier]);
        tree->dirty[tier] = takePiece(tree, &used, count, sizeof *tree->dirty[tier]);
        tree->below[tier] = takePiece(tree, &used, count, sizeof *tree->below[tier]);
    }
    tree->seen = takePiece(tree, &used, (size_t)tree->partCount * KINETIC_SIDES, sizeof *tree->seen);
    takeQueue(tree, &used, &tree->merge, tree->partCount);
    for (uint32_t i = 0; i < tree->partCount + (tree->top != NULL); ++i)
        takeQueue(tree, &used, &tree->parts[i].queue, tree->parts[i].slotCount);
    if (tree->plan->kind == grz_planKeyframes) {
        tree->nodes = takePiece(tree, &used, tree->view.nodeCount, sizeof *tree->nodes);
    } else {
        size_t entries = 0;
        for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf)
            entries += tree->view.leafVertexCounts[leaf];
        const size_t vertices = tree->view.vertexCount;
        tree->leafStarts = takePiece(tree, &used, vertices + 2, sizeof *tree->leafStarts);
        tree->leavesOf = takePiece(tree, &used, entries, sizeof *tree->leavesOf);
        tree->isChanged = takePiece(tree, &used, vertices / 64 + 1, sizeof *tree->isChanged);
    }
    return used;
}

static void listLeaves(grzKineticTree* tree) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    uint32_t* starts = tree->leafStarts + 1; // a place further, so that filling brings each to its own
    for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf)
        for (uint32_t k = grzKinetic_LeafRow(tree, leaf, vertices); k-- > 0;)
            starts[vertices[k] + 1]++;
    for (uint32_t v = 0; v < tree->view.vertexCount; ++v)
        starts[v + 1] += starts[v];
    for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf)
        for (uint32_t k = grzKinetic_LeafRow(tree, leaf, vertices); k-- > 0;)
            tree->leavesOf[starts[vertices[k]]++] = leaf;
}

static const char* flawOf(const grzKineticTreeDef* def) {
    if (def->bvh == NULL)
        return "bvh is NULL";
    if (def->plan == NULL)
        return "plan is NULL";
    if ((unsigned)def->order > grz_kineticBatched)
        return "order is no grzKineticOrder";
    if ((unsigned)def->numbering > grz_bvhCallersNumbers)
        return "numbering is no grzBvhNumbering";
    if (grzFlightplan_VertexCount(def->plan) < grzBvh_GetView(def->bvh).vertexCount)
        return "plan has fewer vertices than bvh";
    if (isnan(def->startTime) ? grzFlightplan_GetRange(def->plan).begin > grzFlightplan_GetRange(def->plan).end
                              : !grzPlan_Knows(def->plan, def->startTime))
        return "startTime is outside of what plan knows";
    return NULL;
}

static grzResult build(grzKineticTree* tree, grzTasks* tasks, double at) {
    countBoxes(tree);
    tree->at = at;
    if (tree->tierCount == 0)
        return grzOk();
    const size_t partCount = (size_t)tree->partCount + 1;
    tree->parts = grzAllocate(&tree->allocator, partCount, sizeof *tree->parts, _Alignof(KineticPart));
    if (tree->parts == NULL)
        return grzNoMemory(partCount, sizeof *tree->parts);
    memset(tree->parts, 0, partCount * sizeof *tree->parts);
    cutParts(tree);
    tree->memorySize = layOut(tree);
    tree->memory = grzAllocate(&tree->allocator, tree->memorySize, 1, 64);
    if (tree->memory == NULL)
        return grzNoMemory(tree->memorySize, 1);
    memset(tree->memory, 0, tree->memorySize);
    layOut(tree);
    if (tree->plan->kind == grz_planPaths)
        listLeaves(tree);
    for (uint32_t i = 0; i < tree->partCount; ++i)
        tree->parts[i].rootMask = KINETIC_ALL;
    lookAtAll(tree, tasks, at);
    for (uint32_t i = 0; i < partCount; ++i)
        memset(&tree->parts[i].stats, 0, sizeof tree->parts[i].stats);
    return grzOk();
}

grzResult grzKineticTree_Create(const grzKineticTreeDef* def, grzKineticTree** made) {
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
    grzKineticTree* tree = grzAllocate(&allocator, 1, sizeof *tree, _Alignof(grzKineticTree));
    if (tree == NULL)
        return grzNoMemory(1, sizeof *tree);
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
    tree->order = def->order;
    tree->numbering = def->numbering;
    tree->bvh = def->bvh;
    tree->view = grzBvh_GetView(def->bvh);
    tree->plan = def->plan;
    tree->revision = def->plan->revision;
    const double start = isnan(def->startTime) ? grzFlightplan_GetRange(def->plan).begin : def->startTime;
    result = build(tree, def->tasks, grzPlan_TimeOf(def->plan, start));
    if (grzResult_IsOk(result))
        *made = tree;
    else
        grzKineticTree_Destroy(tree);
    return result;
}

void grzKineticTree_Destroy(grzKineticTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    for (uint32_t i = 0; tree->parts != NULL && i < tree->partCount; ++i)
        grzArray_Release(&tree->parts[i], &allocator);
    grzRelease(&allocator, tree->parts, (size_t)tree->partCount + 1, sizeof *tree->parts, _Alignof(KineticPart));
    grzRelease(&allocator, tree->memory, tree->memorySize, 1, 64);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzKineticTree));
}
