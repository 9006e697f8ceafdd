// What: making a kinetic tree, and its memory.
// Idea: all that a tree has, but for its parts, lies in one piece, which is counted first and then handed out by the same lines.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "kinetic_inside.h"
#include "memory.h"
#include "plan_flaw.h"
#include "refuse_null.h"
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

void grzKinetic_CountBoxes(grzKineticTree* tree) {
    tree->tierCount = tree->partCount = 0;
    if (tree->view.triangleCount == 0)
        return;
    tree->tierCount = tree->view.levelCount + 1;
    tree->boxCounts[0] = tree->view.leafCount;
    for (uint32_t tier = 1; tier < tree->tierCount; ++tier)
        tree->boxCounts[tier] = (tree->boxCounts[tier - 1] + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH;
    const bool isOne = tree->tierCount <= KINETIC_PART_TIER + 1;
    tree->partCount = isOne ? 1 : tree->boxCounts[KINETIC_PART_TIER];
}

// Room for leafRoom leaves, but for no tier more.
static void countRoom(grzKineticTree* tree) {
    const uint32_t top = tree->tierCount - 1, leaves = tree->boxCounts[0];
    const uint64_t most = UINT64_C(1) << 3 * top;
    const uint32_t wanted = tree->leafRoom < most ? tree->leafRoom : (uint32_t)most;
    tree->roomCounts[0] = wanted > leaves ? wanted : leaves;
    for (uint32_t tier = 1; tier <= top; ++tier)
        tree->roomCounts[tier] = (tree->roomCounts[tier - 1] + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH;
    tree->partRoom = top <= KINETIC_PART_TIER ? 1 : tree->roomCounts[KINETIC_PART_TIER];
    if (tree->vertexRoom < tree->view.vertexCount)
        tree->vertexRoom = tree->view.vertexCount;
}

// How many boxes of a tier the part has room for: the last part of a tree has fewer.
static uint32_t roomOf(const grzKineticTree* tree, const KineticPart* part, uint32_t tier) {
    const uint32_t most = 1U << 3 * (part->tier - tier), left = tree->roomCounts[tier] - firstBox(part, tier);
    return left < most ? left : most;
}

// Where the slots of each tier begin, and how many there are.
static void countSlots(const grzKineticTree* tree, KineticPart* part) {
    part->slotCount = 0;
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t boxes = roomOf(tree, part, tier);
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
    for (uint32_t i = 0; i < tree->partRoom; ++i) {
        tree->parts[i].tier = isOne ? topTier : KINETIC_PART_TIER;
        tree->parts[i].root = i;
        countSlots(tree, &tree->parts[i]);
    }
    if (isOne)
        return;
    tree->top = &tree->parts[tree->partRoom];
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

static void takeMarks(grzKineticTree* tree, size_t* used) {
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier) {
        const uint32_t boxes = tree->roomCounts[tier];
        tree->rivals[tier] = takePiece(tree, used, realiserCount(boxes), sizeof *tree->rivals[tier]);
        tree->dirty[tier] = takePiece(tree, used, boxes, sizeof *tree->dirty[tier]);
        tree->below[tier] = takePiece(tree, used, boxes, sizeof *tree->below[tier]);
    }
}

// Leaves that vertices come into later have room only where there is some for more boxes.
static void takePathLists(grzKineticTree* tree, size_t* used) {
    size_t entries = 0;
    for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf)
        entries += tree->view.leafVertexCounts[leaf];
    const size_t vertices = tree->vertexRoom;
    tree->leafStarts = takePiece(tree, used, vertices + 2, sizeof *tree->leafStarts);
    tree->leavesOf = takePiece(tree, used, entries, sizeof *tree->leavesOf);
    tree->isChanged = takePiece(tree, used, vertices / 64 + 1, sizeof *tree->isChanged);
    takeMarks(tree, used);
    if (tree->leafRoom == 0)
        return;
    tree->more.room = tree->roomCounts[0] * 4;
    tree->more.firsts = takePiece(tree, used, vertices + 1, sizeof *tree->more.firsts);
    tree->more.leaves = takePiece(tree, used, tree->more.room + (size_t)1, sizeof *tree->more.leaves);
    tree->more.nexts = takePiece(tree, used, tree->more.room + (size_t)1, sizeof *tree->more.nexts);
}

// Counts, or hands out, all that a tree has. There are triangles.
static size_t layOut(grzKineticTree* tree) {
    size_t used = 0;
    const bool isPaths = tree->plan->kind == grz_planPaths;
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier)
        tree->realisers[tier] =
            takePiece(tree, &used, realiserCount(tree->roomCounts[tier]), sizeof *tree->realisers[tier]);
    tree->seen = takePiece(tree, &used, realiserCount(tree->partRoom), sizeof *tree->seen);
    takeQueue(tree, &used, &tree->merge, tree->partRoom);
    for (uint32_t i = 0; i < tree->partRoom + (tree->top != NULL); ++i)
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
    for (uint32_t v = 0; v < tree->vertexRoom; ++v)
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

grzResult grzKinetic_Fill(grzKineticTree* tree, grzTasks* tasks, double at) {
    grzKinetic_CountBoxes(tree);
    tree->at = at;
    if (tree->tierCount == 0)
        return grzOk();
    countRoom(tree);
    const size_t partCount = (size_t)tree->partRoom + 1;
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
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzKineticTree* tree =
        grzPlan_NewTree(flawOf(def), def->allocator, sizeof *tree, _Alignof(grzKineticTree), &result);
    if (tree == NULL)
        return result;
    tree->allocator = grzAllocator_OrDefault(def->allocator);
    tree->order = def->order;
    tree->numbering = def->numbering;
    tree->bvh = def->bvh;
    tree->view = grzBvh_GetView(def->bvh);
    tree->plan = def->plan;
    tree->revision = def->plan->revision;
    tree->followed = def->bvh->revision;
    result =
        grzKinetic_Fill(tree, def->tasks, grzPlan_TimeOf(def->plan, grzPlan_StartOf(def->plan, def->startTime)));
    if (grzResult_IsOk(result))
        *made = tree;
    else
        grzKineticTree_Destroy(tree);
    return result;
}

void grzKinetic_Empty(grzKineticTree* tree) {
    const size_t partCount = (size_t)tree->partRoom + 1;
    for (size_t i = 0; tree->parts != NULL && i < partCount; ++i) {
        grzArray_Release(&tree->parts[i], &tree->allocator);
        grzArray_Release(&tree->parts[i].log, &tree->allocator);
        if (tree->plan->kind == grz_planKeyframes)
            grzFrameQueue_Drop(&tree->parts[i].frames, &tree->allocator);
    }
    grzRelease(&tree->allocator, tree->parts, partCount, sizeof *tree->parts, _Alignof(KineticPart));
    grzRelease(&tree->allocator, tree->memory, tree->memorySize, 1, 64);
}

void grzKineticTree_Destroy(grzKineticTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    grzKinetic_Empty(tree);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzKineticTree));
}
