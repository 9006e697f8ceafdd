// What: graze/box_tree.h: making a tree, time, changes of paths, boxes.
// Idea: an event settles its plane anew; then, as in the paper, the plane above that was realised by the same vertex, and so on. The
//   first one that was not is settled too, since it looked at the vertex that has lost its place.
// Based on: [Zachmann and Weller 2006] section 6.
#include <string.h>

#include "box_tree_inside.h"
#include "memory.h"
#include "result_make.h"

#define DEF_MARK 0x45525442u

grzBoxTreeDef grzDefaultBoxTreeDef(void) {
    grzBoxTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.startTime = (double)NAN;
    return def;
}

// ---- events ----

static uint32_t slotAboveSlot(const grzBoxTree* tree, uint32_t slot) {
    const BoxTreePlane plane = planeOf(tree, slot);
    return grzBoxTree_SlotAbove(tree, slot / 2, plane.axis, plane.isMost);
}

static bool isOuter(const grzBoxTree* tree, uint32_t slot) {
    return slot >= 2 * tree->innerCount;
}

static void runUntil(grzBoxTree* tree, double until) {
    for (double at = grzEventQueue_First(&tree->queue); at <= until; at = grzEventQueue_First(&tree->queue)) {
        uint32_t slot = grzEventQueue_FirstSlot(&tree->queue);
        tree->stats.events++;
        while (grzBoxTree_Settle(tree, slot, at) && !isOuter(tree, slot))
            slot = slotAboveSlot(tree, slot);
    }
    tree->at = until;
}

static const char* flawOfTime(const grzBoxTree* tree, double time) {
    if (!grzPlan_Knows(tree->plan, time))
        return "the time is outside of what the plan knows";
    if (tree->plan->revision != tree->revision)
        return "the paths of the plan were changed, and not by the tree";
    if (tree->plan->kind == grz_planKeyframes && tree->at < tree->plan->firstFrame)
        return "keyframes were dropped that the tree stands on";
    return grzPlan_TimeOf(tree->plan, time) < tree->at ? "the time is before that of the tree" : NULL;
}

grzResult grzBoxTree_Advance(grzBoxTree* tree, double time) {
    const char* flaw = flawOfTime(tree, time);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    const double at = grzPlan_TimeOf(tree->plan, time);
    if (tree->leafCount == 0) {
        tree->at = at;
        return grzOk();
    }
    if (at > tree->knownEnd) { // more keyframes than there were
        runUntil(tree, tree->knownEnd);
        grzBoxTree_SettleAll(tree, tree->at);
        tree->knownEnd = grzPlan_End(tree->plan);
    }
    runUntil(tree, at);
    return grzOk();
}

// ---- changes of paths ----

static bool hasNewPath(const grzBoxTree* tree, uint32_t vertex) {
    return (tree->isChanged[vertex / 64] >> vertex % 64 & 1) != 0;
}

static void markSlot(grzBoxTree* tree, uint32_t slot) {
    tree->dirty[slot / 64] |= UINT64_C(1) << slot % 64;
}

// A plane that is realised by another vertex, or by one with another path, has news for the plane above.
static void settleMarked(grzBoxTree* tree, uint32_t slot) {
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if ((tree->dirty[slot / 64] & bit) == 0)
        return;
    tree->dirty[slot / 64] &= ~bit;
    const bool isNew = grzBoxTree_Settle(tree, slot, tree->at);
    if (!isOuter(tree, slot) && (isNew || hasNewPath(tree, tree->owners[slot])))
        markSlot(tree, slotAboveSlot(tree, slot));
}

// From below up: nodes come after their parents. Each slot once.
static void settleAllMarked(grzBoxTree* tree) {
    for (uint32_t slot = 2 * tree->innerCount; slot-- > 0;) {
        if (slot % 64 == 63 && tree->dirty[slot / 64] == 0)
            slot -= 63;
        else
            settleMarked(tree, slot);
    }
    for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
        settleMarked(tree, 2 * tree->innerCount + side);
}

static void setChanged(grzBoxTree* tree, const grzFlightplanChange* change, bool isChanged) {
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        if (vertex < tree->vertexCount && isChanged)
            tree->isChanged[vertex / 64] |= UINT64_C(1) << vertex % 64;
        else if (vertex < tree->vertexCount)
            tree->isChanged[vertex / 64] &= ~(UINT64_C(1) << vertex % 64);
    }
}

static void followChange(grzBoxTree* tree, const grzFlightplanChange* change) {
    setChanged(tree, change, true);
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        if (vertex >= tree->vertexCount)
            continue;
        for (uint32_t k = tree->leafStarts[vertex]; k < tree->leafStarts[vertex + 1]; ++k)
            for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
                markSlot(tree, grzBoxTree_SlotAbove(tree, tree->innerCount + tree->leavesOf[k], (int)(side % 3),
                                                    side >= 3));
    }
    settleAllMarked(tree);
    setChanged(tree, change, false);
}

grzResult grzBoxTree_Change(grzBoxTree* tree, double time, const grzFlightplanChange* change) {
    grzResult result = grzPlan_CheckChange(tree->plan, time, change);
    if (grzResult_IsOk(result))
        result = grzBoxTree_Advance(tree, time);
    if (grzResult_IsOk(result))
        result = grzFlightplan_Change(tree->plan, time, change);
    tree->revision = tree->plan->revision;
    if (grzResult_IsOk(result) && tree->leafCount != 0)
        followChange(tree, change);
    return result;
}

// ---- boxes ----

static float sideOf(const grzBoxTree* tree, uint32_t slot, int axis) {
    return grzPlan_Float(tree->plan, tree->owners[slot], axis, tree->at);
}

grzBox grzBoxTree_RootBox(const grzBoxTree* tree) {
    const uint32_t first = 2 * tree->innerCount;
    if (tree->leafCount == 0)
        return grzBox_Empty();
    return grzBox_Make(
        grzVec3_Make(sideOf(tree, first, 0), sideOf(tree, first + 1, 1), sideOf(tree, first + 2, 2)),
        grzVec3_Make(sideOf(tree, first + 3, 0), sideOf(tree, first + 4, 1), sideOf(tree, first + 5, 2)));
}

static void setAxis(grzVec3* vector, int axis, float number) {
    float numbers[3];
    grzVec3_Store(numbers, *vector);
    numbers[axis] = number;
    *vector = grzVec3_Load(numbers);
}

void grzBoxTree_Split(const grzBoxTree* tree, uint32_t node, grzBox box, grzBox children[2]) {
    const int axis = tree->axes[node];
    children[0] = children[1] = box;
    setAxis(&children[0].upper, axis, sideOf(tree, 2 * node, axis));
    setAxis(&children[1].lower, axis, sideOf(tree, 2 * node + 1, axis));
}

grzBoxTreeView grzBoxTree_GetView(const grzBoxTree* tree) {
    return (grzBoxTreeView){tree->innerCount, tree->leafCount, tree->triangleCount, tree->starts, tree->order};
}

grzBoxTreeStats grzBoxTree_GetStats(const grzBoxTree* tree) {
    return tree->stats;
}

size_t grzBoxTree_MemorySize(const grzBoxTree* tree) {
    return sizeof *tree + tree->memorySize;
}

// ---- making it ----

static void shape(grzBoxTree* tree) {
    const uint32_t n = tree->triangleCount;
    if (n == 0)
        return;
    while (((uint64_t)GRZ_BOX_TREE_LEAF_TRIANGLES << tree->depth) < n)
        ++tree->depth;
    tree->leafCount = 1u << tree->depth;
    tree->innerCount = tree->leafCount - 1;
    tree->partDepth = tree->depth > 8 ? tree->depth - 8 : 0;
    tree->partCount = 1u << tree->partDepth;
}

// Takes a piece of the tree's memory, or, where that is not there yet, counts it.
static void* takePiece(grzBoxTree* tree, size_t* used, size_t count, size_t size) {
    void* piece = tree->memory == NULL ? NULL : tree->memory + *used;
    *used += (count * size + 63) / 64 * 64;
    return piece;
}

static size_t layOut(grzBoxTree* tree) {
    const uint32_t slotCount = 2 * tree->innerCount + BOX_TREE_SIDES;
    const size_t triangles = tree->triangleCount, corners = 3 * triangles;
    size_t used = 0;
    tree->starts = takePiece(tree, &used, (size_t)tree->leafCount + 1, sizeof *tree->starts);
    tree->order = takePiece(tree, &used, triangles, sizeof *tree->order);
    tree->triangles = takePiece(tree, &used, corners, sizeof *tree->triangles);
    tree->axes = takePiece(tree, &used, tree->innerCount, sizeof *tree->axes);
    tree->owners = takePiece(tree, &used, slotCount, sizeof *tree->owners);
    tree->builtSums = takePiece(tree, &used, tree->partCount, sizeof *tree->builtSums);
    tree->keys = takePiece(tree, &used, triangles, sizeof *tree->keys);
    double* rows = takePiece(tree, &used, grzEventQueue_Size(slotCount), sizeof *rows);
    if (rows != NULL)
        grzEventQueue_Make(&tree->queue, slotCount, rows);
    if (tree->plan->kind == grz_planPaths) {
        tree->leafStarts = takePiece(tree, &used, (size_t)tree->vertexCount + 2, sizeof *tree->leafStarts);
        tree->leavesOf = takePiece(tree, &used, corners, sizeof *tree->leavesOf);
        tree->isChanged = takePiece(tree, &used, tree->vertexCount / 64 + 1, sizeof *tree->isChanged);
        tree->dirty = takePiece(tree, &used, slotCount / 64 + 1, sizeof *tree->dirty);
    }
    return used;
}

static void build(grzBoxTree* tree, const grzBoxTreeDef* def) {
    for (uint32_t leaf = 0; leaf <= tree->leafCount; ++leaf)
        tree->starts[leaf] = (uint32_t)((uint64_t)leaf * tree->triangleCount / tree->leafCount);
    for (uint32_t i = 0; i < tree->triangleCount; ++i)
        tree->order[i] = i;
    memcpy(tree->triangles, def->triangles, 3 * (size_t)tree->triangleCount * sizeof *tree->triangles);
    grzBoxTree_Order(tree, 0, tree->at);
    grzBoxTree_SettleAll(tree, tree->at);
    for (uint32_t part = 0; part < tree->partCount; ++part)
        tree->builtSums[part] = grzBoxTree_PartSum(tree, part);
    if (tree->plan->kind == grz_planPaths)
        grzBoxTree_ListLeaves(tree);
    memset(&tree->stats, 0, sizeof tree->stats);
}

static const char* flawOf(const grzBoxTreeDef* def) {
    if (def->plan == NULL)
        return "plan is NULL";
    if (def->triangles == NULL && def->triangleCount != 0)
        return "triangles is NULL, but triangleCount is not 0";
    if (isnan(def->startTime) ? grzFlightplan_GetRange(def->plan).begin > grzFlightplan_GetRange(def->plan).end
                              : !grzPlan_Knows(def->plan, def->startTime))
        return "startTime is outside of what plan knows";
    return NULL;
}

static grzResult checkDef(const grzBoxTreeDef* def) {
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const grzResult counts = grzCheckMeshCounts(0, def->triangleCount);
    if (!grzResult_IsOk(counts))
        return counts;
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    const size_t vertexCount = grzFlightplan_VertexCount(def->plan);
    for (size_t i = 0; i < 3 * def->triangleCount; ++i)
        if (def->triangles[i] >= vertexCount)
            return grzFailAt(grz_indexTooLarge, grz_partTriangle, i / 3, def->triangles[i]);
    return grzCheckAllocator(def->allocator, 1);
}

grzResult grzBoxTree_Create(const grzBoxTreeDef* def, grzBoxTree** made) {
    *made = NULL;
    const grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzBoxTree* tree = grzAllocate(&allocator, 1, sizeof *tree, _Alignof(grzBoxTree));
    if (tree == NULL)
        return grzNoMemory(1, sizeof *tree);
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
    tree->plan = def->plan;
    tree->revision = def->plan->revision;
    tree->triangleCount = (uint32_t)def->triangleCount;
    tree->vertexCount = (uint32_t)grzFlightplan_VertexCount(def->plan);
    tree->at =
        grzPlan_TimeOf(def->plan, isnan(def->startTime) ? grzFlightplan_GetRange(def->plan).begin : def->startTime);
    tree->knownEnd = grzPlan_End(def->plan);
    shape(tree);
    tree->memorySize = layOut(tree);
    tree->memory = grzAllocate(&allocator, tree->memorySize, 1, 64);
    if (tree->memory == NULL) {
        const size_t size = tree->memorySize;
        grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzBoxTree));
        return grzNoMemory(size, 1);
    }
    memset(tree->memory, 0, tree->memorySize);
    layOut(tree);
    if (tree->leafCount != 0)
        build(tree, def);
    *made = tree;
    return grzOk();
}

void grzBoxTree_Destroy(grzBoxTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    grzRelease(&allocator, tree->memory, tree->memorySize, 1, 64);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzBoxTree));
}
