// What: making a kinetic tree, and its memory.
// Idea: all that a tree has, but for its parts, lies in one piece, which is counted first and then handed out by the same lines.
#include <math.h>
#include <string.h>

#include "kinetic_inside.h"
#include "memory.h"
#include "plan_flaw.h"
#include "result_make.h"

#define DEF_MARK 0x54524E4Bu

grzKineticTreeDef grzDefaultKineticTreeDef(void) {
    grzKineticTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.numbering = grz_bvhCallersNumbers;
    def.startTime = (double)NAN;
    return def;
}

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

// Where the slots of each tier begin, and how many there are.
static void countSlots(const grzKineticTree* tree, KineticPart* part) {
    part->slotCount = 0;
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t boxes = boxCount(tree, part, tier);
        part->sectionStarts[tier] = part->slotCount;
        part->slotCount +=
            tree->plan->kind == grz_planPaths ? boxes * KINETIC_SIDES : (uint32_t)realiserCount(boxes);
    }
    if (tree->plan->kind != grz_planPaths)
        part->slotCount = (part->slotCount + 63) / 64 * 64;
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

static void takeFrames(grzKineticTree* tree, size_t* used, KineticPart* part) {
    unsigned char* memory = takePiece(tree, used, grzFrameQueue_Size(part->slotCount), 1);
    if (memory != NULL)
        grzFrameQueue_Make(&part->frames, part->slotCount, memory);
}

static void takePathLists(grzKineticTree* tree, size_t* used) {
    size_t entries = 0;
    for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf)
        entries += tree->view.leafVertexCounts[leaf];
    const size_t vertices = tree->view.vertexCount;
    tree->leafStarts = takePiece(tree, used, vertices + 2, sizeof *tree->leafStarts);
    tree->leavesOf = takePiece(tree, used, entries, sizeof *tree->leavesOf);
    tree->isChanged = takePiece(tree, used, vertices / 64 + 1, sizeof *tree->isChanged);
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier) {
        tree->rivals[tier] =
            takePiece(tree, used, realiserCount(tree->boxCounts[tier]), sizeof *tree->rivals[tier]);
        tree->dirty[tier] = takePiece(tree, used, tree->boxCounts[tier], sizeof *tree->dirty[tier]);
        tree->below[tier] = takePiece(tree, used, tree->boxCounts[tier], sizeof *tree->below[tier]);
    }
}

// Counts, or hands out, all that a tree has. There are triangles.
static size_t layOut(grzKineticTree* tree) {
    size_t used = 0;
    const bool isPaths = tree->plan->kind == grz_planPaths;
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier)
        tree->realisers[tier] =
            takePiece(tree, &used, realiserCount(tree->boxCounts[tier]), sizeof *tree->realisers[tier]);
    tree->seen = takePiece(tree, &used, realiserCount(tree->partCount), sizeof *tree->seen);
    takeQueue(tree, &used, &tree->merge, tree->partCount);
    for (uint32_t i = 0; i < tree->partCount + (tree->top != NULL); ++i)
        if (isPaths)
            takeQueue(tree, &used, &tree->parts[i].queue, tree->parts[i].slotCount);
        else
            takeFrames(tree, &used, &tree->parts[i]);
    if (isPaths)
        takePathLists(tree, &used);
    else
        tree->nodes = takePiece(tree, &used, (size_t)tree->view.nodeCount + 1, sizeof *tree->nodes);
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
    const char* flaw = grzPlan_FlawOfTree(def->bvh, def->plan, def->numbering, def->startTime);
    if (flaw != NULL)
        return flaw;
    if ((unsigned)def->order > grz_kineticBatched)
        return "order is no grzKineticOrder";
    if (grzFlightplan_VertexCount(def->plan) < grzBvh_GetView(def->bvh).vertexCount)
        return "plan has fewer vertices than bvh";
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
    grzKinetic_LookAtAll(tree, tasks, at);
    for (uint32_t i = 0; i < partCount; ++i)
        memset(&tree->parts[i].stats, 0, sizeof tree->parts[i].stats);
    memset(&tree->stats, 0, sizeof tree->stats);
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
    for (uint32_t i = 0; tree->parts != NULL && i < tree->partCount + 1; ++i) {
        grzArray_Release(&tree->parts[i], &allocator);
        if (tree->plan->kind == grz_planKeyframes)
            grzFrameQueue_Drop(&tree->parts[i].frames, &allocator);
    }
    grzRelease(&allocator, tree->parts, (size_t)tree->partCount + 1, sizeof *tree->parts, _Alignof(KineticPart));
    grzRelease(&allocator, tree->memory, tree->memorySize, 1, 64);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzKineticTree));
}
