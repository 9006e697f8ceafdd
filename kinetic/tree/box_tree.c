// What: graze/box_tree.h: making a tree and its memory, time, boxes.
// Idea: all that a tree has, but for lists of numbers and vertices, lies in one piece, which is counted first and then handed out
//   by the same lines. Room is for full leaves: a tree that has no more gets a piece of twice the leaves.
// Based on: [Zachmann and Weller 2006] section 6.
#include <string.h>

#include "box_tree_inside.h"
#include "memory.h"
#include "owner.h"
#include "plan_flaw.h"
#include "refuse_null.h"
#include "result_make.h"

#define DEF_MARK 0x45525442u

grzBoxTreeDef grzDefaultBoxTreeDef(void) {
    grzBoxTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.startTime = (double)NAN;
    return def;
}

// ---- time ----

const char* grzBoxTree_FlawOfTime(const grzBoxTree* tree, double time) {
    if (!grzPlan_Knows(tree->plan, time))
        return "the time is outside of what the plan knows";
    if (tree->plan->revision != tree->revision)
        return "the paths of the plan were changed, and not by the tree";
    if (tree->plan->kind == grz_planPaths && tree->plan->vertexCount > tree->firsts.count)
        return "vertices came into the plan, and not by the tree";
    if (tree->plan->kind == grz_planKeyframes && tree->at < tree->plan->firstFrame)
        return "keyframes were dropped that the tree stands on";
    return grzPlan_TimeOf(tree->plan, time) < tree->at ? "the time is before that of the tree" : NULL;
}

grzResult grzBoxTree_Advance(grzBoxTree* tree, double time) {
    GRZ_REFUSE_NULL(tree, 1);
    const char* flaw = grzBoxTree_FlawOfTime(tree, time);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    const double at = grzPlan_TimeOf(tree->plan, time);
    if (tree->leafCount == 0) {
        tree->at = at;
        return grzOk();
    }
    while (at > tree->knownEnd) {
        grzBoxTree_RunUntil(tree, tree->knownEnd);
        grzBoxTree_BeginInterval(tree);
    }
    grzBoxTree_RunUntil(tree, at);
    return grzOk();
}

// ---- boxes ----

static float sideOf(const grzBoxTree* tree, uint32_t slot, int axis) {
    return grzPlan_Float(tree->plan, tree->owners[slot], axis, tree->at);
}

grzBox grzBoxTree_RootBox(const grzBoxTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzBox){0});
    const uint32_t first = 2 * tree->innerCount;
    if (tree->triangleCount == 0)
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
    GRZ_RETURN_IF_NULL(tree, );
    GRZ_RETURN_IF_NULL(children, );
    const int axis = tree->axes[node];
    children[0] = children[1] = box;
    if (tree->owners[2 * node] == GRZ_MESH_NONE)
        children[0] = grzBox_Empty();
    else
        setAxis(&children[0].upper, axis, sideOf(tree, 2 * node, axis));
    if (tree->owners[2 * node + 1] == GRZ_MESH_NONE)
        children[1] = grzBox_Empty();
    else
        setAxis(&children[1].lower, axis, sideOf(tree, 2 * node + 1, axis));
}

grzBoxTreeView grzBoxTree_GetView(const grzBoxTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzBoxTreeView){0});
    return (grzBoxTreeView){tree->innerCount, tree->leafCount, tree->triangleCount, tree->counts, tree->order};
}

double grzBoxTree_Time(const grzBoxTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    return grzPlan_LastTime(tree->plan, tree->at);
}

grzBoxTreeStats grzBoxTree_GetStats(const grzBoxTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzBoxTreeStats){0});
    return tree->stats;
}

size_t grzBoxTree_MemorySize(const grzBoxTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    return sizeof *tree + tree->memorySize + tree->places.capacity * sizeof *tree->places.data +
           tree->firsts.capacity * sizeof *tree->firsts.data +
           tree->isChanged.capacity * sizeof *tree->isChanged.data;
}

// ---- memory ----

static void shape(grzBoxTree* tree, uint64_t room) {
    tree->depth = tree->leafCount = tree->innerCount = tree->placeCount = tree->partDepth = tree->partCount = 0;
    if (room == 0)
        return;
    while (((uint64_t)BOX_TREE_ROOM << tree->depth) < room)
        ++tree->depth;
    tree->leafCount = 1u << tree->depth;
    tree->innerCount = tree->leafCount - 1;
    tree->placeCount = tree->leafCount * BOX_TREE_ROOM;
    tree->partDepth = tree->depth > BOX_TREE_PART_DEPTH ? tree->depth - BOX_TREE_PART_DEPTH : 0;
    tree->partCount = 1u << tree->partDepth;
}

// Takes a piece of the tree's memory, or, where that is not there yet, counts it.
static void* takePiece(grzBoxTree* tree, size_t* used, size_t count, size_t size) {
    void* piece = tree->memory == NULL ? NULL : tree->memory + *used;
    *used += (count * size + 63) / 64 * 64;
    return piece;
}

static size_t layOut(grzBoxTree* tree) {
    const uint32_t slotCount = slotCountOf(tree);
    const size_t places = tree->placeCount, corners = 3 * places;
    size_t used = 0;
    tree->counts = takePiece(tree, &used, (size_t)tree->leafCount + 1, sizeof *tree->counts);
    tree->fresh = takePiece(tree, &used, tree->leafCount, sizeof *tree->fresh);
    tree->order = takePiece(tree, &used, places + 1, sizeof *tree->order);
    tree->corners = takePiece(tree, &used, corners, sizeof *tree->corners);
    tree->axes = takePiece(tree, &used, tree->innerCount, sizeof *tree->axes);
    tree->owners = takePiece(tree, &used, slotCount, sizeof *tree->owners);
    tree->rivals = takePiece(tree, &used, slotCount, sizeof *tree->rivals);
    tree->dirty = takePiece(tree, &used, slotCount / 64 + 1, sizeof *tree->dirty);
    tree->builtSums = takePiece(tree, &used, tree->partCount, sizeof *tree->builtSums);
    tree->keys = takePiece(tree, &used, places, sizeof *tree->keys);
    double* rows = takePiece(tree, &used, grzEventQueue_Size(slotCount), sizeof *rows);
    if (rows != NULL)
        grzEventQueue_Make(&tree->queue, slotCount, rows);
    if (tree->plan->kind == grz_planPaths) {
        tree->nexts = takePiece(tree, &used, corners, sizeof *tree->nexts);
    } else {
        tree->begins = takePiece(tree, &used, tree->innerCount, sizeof *tree->begins);
        tree->ends = takePiece(tree, &used, tree->innerCount, sizeof *tree->ends);
        tree->mosts = takePiece(tree, &used, slotCount, sizeof *tree->mosts);
    }
    return used;
}

bool grzBoxTree_TakeMemory(grzBoxTree* tree, uint64_t room) {
    grzBoxTree next = *tree;
    shape(&next, room);
    next.memory = NULL;
    next.memorySize = layOut(&next);
    next.memory = grzAllocate(&tree->allocator, next.memorySize, 1, 64);
    if (next.memory == NULL)
        return false;
    memset(next.memory, 0, next.memorySize);
    layOut(&next);
    *tree = next;
    return true;
}

void grzBoxTree_Build(grzBoxTree* tree) {
    const grzBoxTreeStats stats = tree->stats;
    if (tree->plan->kind == grz_planPaths)
        for (size_t v = 0; v < tree->firsts.count; ++v)
            tree->firsts.data[v] = GRZ_MESH_NONE;
    tree->knownBegin = tree->plan->kind == grz_planPaths ? tree->at : floor(tree->at);
    tree->knownEnd =
        tree->plan->kind == grz_planPaths ? (double)INFINITY : fmin(tree->knownBegin + 1, grzPlan_End(tree->plan));
    if (tree->leafCount == 0)
        return;
    grzBoxTree_Order(tree, 0, tree->triangleCount);
    grzBoxTree_SettleMarked(tree);
    grzBoxTree_SumParts(tree, 0);
    tree->stats = stats;
}

// ---- making it ----

static const char* flawOf(const grzBoxTreeDef* def) {
    if (def->plan == NULL)
        return "plan is NULL";
    if (def->triangles == NULL && def->triangleCount != 0)
        return "triangles is NULL, but triangleCount is not 0";
    return grzPlan_FlawOfStart(def->plan, def->startTime);
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
    return grzOk();
}

static bool takeLists(grzBoxTree* tree) {
    const size_t vertexCount = grzFlightplan_VertexCount(tree->plan);
    if (!grzArray_Reserve(&tree->places, &tree->allocator, tree->triangleCount))
        return false;
    tree->places.count = tree->triangleCount;
    return tree->plan->kind == grz_planKeyframes || grzBoxTree_TakeVertices(tree, vertexCount);
}

static grzResult make(grzBoxTree* tree, const grzBoxTreeDef* def) {
    tree->plan = def->plan;
    tree->revision = def->plan->revision;
    tree->triangleCount = (uint32_t)def->triangleCount;
    tree->at = grzPlan_TimeOf(def->plan, grzPlan_StartOf(def->plan, def->startTime));
    if (!takeLists(tree) || !grzBoxTree_TakeMemory(tree, def->triangleCount))
        return grzNoMemory(def->triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < tree->triangleCount; ++i)
        tree->order[i] = i;
    if (tree->triangleCount != 0)
        memcpy(tree->corners, def->triangles, 3 * (size_t)tree->triangleCount * sizeof *tree->corners);
    grzBoxTree_Build(tree);
    return grzOk();
}

grzResult grzBoxTree_Create(const grzBoxTreeDef* def, grzBoxTree** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    grzAllocator allocator = def->allocator;
    grzBoxTree* tree = grzOwner_New(&allocator, 1, sizeof *tree, _Alignof(grzBoxTree), &result);
    if (tree == NULL)
        return result;
    tree->allocator = allocator;
    result = make(tree, def);
    if (grzResult_IsOk(result))
        *made = tree;
    else
        grzBoxTree_Destroy(tree);
    return result;
}

void grzBoxTree_Destroy(grzBoxTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    grzArray_Release(&tree->places, &allocator);
    grzArray_Release(&tree->firsts, &allocator);
    grzArray_Release(&tree->isChanged, &allocator);
    grzRelease(&allocator, tree->memory, tree->memorySize, 1, 64);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzBoxTree));
}
