// What: reading an upkeep: one walk over nodes of up to eight children, whatever the way; and a query on it.
// Idea: a box tree is binary and all its leaves lie equally deep, so that three levels of it are one of eight; where its depth is
//   not a multiple of three, the last nodes have two or four children.
// Promise: the query misses no triangle that meets the box, since each lies in its leaf's box and each box in its parent's.
// Cost: a node of a refit is read where it lies; of a chord tree it is blended, of a lazy one its chunk is made first, of a kinetic one put together from 48 vertices,
//   of a box tree cut out of its parent's by seven pairs of planes.
#include <float.h>

#include "check.h"
#include "chord_inside.h"
#include "refuse_null.h"
#include "result_make.h"
#include "upkeep_inside.h"

// ---- nodes ----

static uint32_t depthOf(const grzBoxTreeView* view) {
    return view->leafCount > 1 ? (uint32_t)__builtin_ctz(view->leafCount) : 0;
}

grzUpkeepView grzUpkeep_GetView(const grzUpkeep* upkeep) {
    GRZ_RETURN_IF_NULL(upkeep, (grzUpkeepView){0});
    if (upkeep->model.way != grz_upkeepBoxTree)
        return (grzUpkeepView){upkeep->view.levelCount, 3, upkeep->view.leafCount};
    const grzBoxTreeView view = grzBoxTree_GetView(upkeep->boxTree);
    const uint32_t depth = depthOf(&view), levels = depth == 0 ? 1 : (depth + 2) / 3;
    return (grzUpkeepView){levels, depth - 3 * (levels - 1), view.leafCount};
}

grzUpkeepPlace grzUpkeep_Root(const grzUpkeep* upkeep) {
    GRZ_RETURN_IF_NULL(upkeep, (grzUpkeepPlace){0});
    grzUpkeepPlace root = {0, 0, grzBox_Empty()};
    switch (upkeep->model.way) {
    case grz_upkeepChord:
        root.box = grzChordTree_RootBox(upkeep->chord);
        break;
    case grz_upkeepBatched:
    case grz_upkeepOrdered:
        root.box = grzKineticTree_Box(upkeep->kinetic, 0, 0);
        break;
    case grz_upkeepBoxTree:
        root.box = grzBoxTree_RootBox(upkeep->boxTree);
        break;
    case grz_upkeepRefit:
    case grz_upkeepWayCount:
        root.box = grzBvh_RootBox(upkeep->shown);
        break;
    }
    return root;
}

static void setLane(grzBvhNode* node, uint32_t lane, grzBox box) {
    for (int axis = 0; axis < 3; ++axis) {
        node->lower[axis][lane] = grzVec3_Get(box.lower, axis);
        node->upper[axis][lane] = grzVec3_Get(box.upper, axis);
    }
}

static void clearLanes(grzBvhNode* node, uint32_t first) {
    const grzBox none = {grzVec3_Splat(FLT_MAX), grzVec3_Splat(-FLT_MAX)}; // as a refit has them
    for (uint32_t lane = first; lane < GRZ_BVH_WIDTH; ++lane)
        setLane(node, lane, none);
}

static void readKinetic(const grzUpkeep* upkeep, const grzUpkeepPlace* place, grzBvhNode* node) {
    const uint32_t count = grzBvhView_ChildCount(&upkeep->view, place->level, place->index);
    for (uint32_t k = 0; k < count; ++k)
        setLane(node, k, grzKineticTree_Box(upkeep->kinetic, place->level + 1, place->index * GRZ_BVH_WIDTH + k));
    clearLanes(node, count);
}

// The descendants `bits` levels below, from that which has the lane `lane` on.
static void readSplits(const grzBoxTree* tree, uint32_t at, uint32_t bits, uint32_t lane, grzBox box,
                       grzBvhNode* node) {
    grzBox children[2];
    if (bits == 0) {
        setLane(node, lane, box);
        return;
    }
    grzBoxTree_Split(tree, at, box, children);
    for (uint32_t k = 0; k < 2; ++k)
        readSplits(tree, 2 * at + 1 + k, bits - 1, lane + (k << (bits - 1)), children[k], node);
}

static void readBoxTree(const grzUpkeep* upkeep, const grzUpkeepPlace* place, grzBvhNode* node) {
    const grzUpkeepView view = grzUpkeep_GetView(upkeep);
    const uint32_t bits = place->level + 1 < view.levelCount ? 3 : view.lastBits;
    clearLanes(node, 0);
    if (view.leafCount != 0)
        readSplits(upkeep->boxTree, (1u << 3 * place->level) - 1 + place->index, bits, 0, place->box, node);
}

static void readChord(const grzUpkeep* upkeep, const grzUpkeepPlace* place, grzBvhNode* node) {
    grzChord_ReachNode(upkeep->chord, place->level, place->index);
    grzChordTree_ReadNode(upkeep->chord, place->level, place->index, node);
}

const grzBvhNode* grzUpkeep_Node(const grzUpkeep* upkeep, const grzUpkeepPlace* place, grzBvhNode* scratch) {
    GRZ_RETURN_IF_NULL(upkeep, NULL);
    GRZ_RETURN_IF_NULL(place, NULL);
    GRZ_RETURN_IF_NULL(scratch, NULL);
    const uint32_t number = upkeep->view.levelStarts[place->level] + place->index;
    GRZ_ASSERT(!upkeep->isStale);
    if (upkeep->shown != NULL)
        return &upkeep->shown[number];
    if (upkeep->model.way == grz_upkeepChord)
        readChord(upkeep, place, scratch);
    else if (upkeep->model.way == grz_upkeepBoxTree)
        readBoxTree(upkeep, place, scratch);
    else
        readKinetic(upkeep, place, scratch);
    return scratch;
}

uint32_t grzUpkeep_Leaf(const grzUpkeep* upkeep, uint32_t leaf, uint32_t triangles[GRZ_BVH_LEAF_TRIANGLES]) {
    GRZ_RETURN_IF_NULL(upkeep, 0);
    GRZ_RETURN_IF_NULL(triangles, 0);
    const grzBvhView* view = &upkeep->view;
    uint32_t begin = leaf * GRZ_BVH_LEAF_TRIANGLES, count = view->triangleCount - begin;
    const uint32_t* order = NULL;
    GRZ_STATIC_ASSERT(GRZ_BOX_TREE_LEAF_TRIANGLES <= GRZ_BVH_LEAF_TRIANGLES, "a leaf has room for either");
    if (upkeep->model.way == grz_upkeepBoxTree) {
        const grzBoxTreeView other = grzBoxTree_GetView(upkeep->boxTree);
        begin = leaf * GRZ_BOX_TREE_LEAF_TRIANGLES, count = other.counts[leaf];
        order = other.order;
    }
    count = count < GRZ_BVH_LEAF_TRIANGLES ? count : GRZ_BVH_LEAF_TRIANGLES;
    for (uint32_t k = 0; k < count; ++k)
        triangles[k] = view->triangleToCaller[order != NULL ? order[begin + k] : begin + k];
    return count;
}

// ---- a query ----

// The lanes whose boxes meet a box. A NaN meets nothing.
static uint32_t meetingLanes(const grzBvhNode* node, const float lower[3], const float upper[3]) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k) {
        bool meets = true;
        for (int axis = 0; axis < 3; ++axis)
            meets &= (node->lower[axis][k] <= upper[axis]) & (lower[axis] <= node->upper[axis][k]) &
                     (node->lower[axis][k] <= node->upper[axis][k]);
        bits |= (uint32_t)meets << k;
    }
    return bits;
}

typedef struct Finding {
    const grzUpkeep* upkeep;
    grzUpkeepView view;
    float lower[3], upper[3];
    uint32_t* triangles; // NULL: only counted
    size_t count;
} Finding;

static void takeLeaf(Finding* finding, uint32_t leaf) {
    uint32_t triangles[GRZ_BVH_LEAF_TRIANGLES];
    const uint32_t count = grzUpkeep_Leaf(finding->upkeep, leaf, triangles);
    for (uint32_t k = 0; k < count && finding->triangles != NULL; ++k)
        finding->triangles[finding->count + k] = triangles[k];
    finding->count += count;
}

// As deep as there are levels.
static void findBelow(Finding* finding, const grzUpkeepPlace* place) {
    grzBvhNode scratch;
    const grzBvhNode* node = grzUpkeep_Node(finding->upkeep, place, &scratch);
    for (uint32_t left = meetingLanes(node, finding->lower, finding->upper); left != 0; left &= left - 1) {
        const grzUpkeepPlace child =
            grzUpkeepView_Child(&finding->view, place, node, (uint32_t)__builtin_ctz(left));
        if (child.level < finding->view.levelCount)
            findBelow(finding, &child);
        else
            takeLeaf(finding, child.index);
    }
}

// Brings the number at `root` down a heap of which the greatest is first.
static void siftDown(uint32_t* numbers, size_t root, size_t count) {
    const uint32_t moved = numbers[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && numbers[child] < numbers[child + 1];
        if (numbers[child] <= moved)
            break;
        numbers[root] = numbers[child];
        root = child;
    }
    numbers[root] = moved;
}

// In place, since nothing is to be allocated.
static void sortNumbers(uint32_t* numbers, size_t count) {
    for (size_t i = count / 2; i-- > 0;)
        siftDown(numbers, i, count);
    for (size_t end = count; end-- > 1;) {
        const uint32_t greatest = numbers[0];
        numbers[0] = numbers[end];
        numbers[end] = greatest;
        siftDown(numbers, 0, end);
    }
}

grzResult grzUpkeep_FindInBox(const grzUpkeep* upkeep, grzBox box, uint32_t* triangles, size_t capacity,
                              size_t* count) {
    GRZ_REFUSE_NULL(upkeep, 1);
    GRZ_REFUSE_NULL(count, 5);
    *count = 0;
    if (upkeep->isStale)
        return grzBecause(grzFail(grz_badArgument, 1), "paths have changed since the last Advance");
    const char* flaw = grzUpkeep_FlawOfMesh(upkeep);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (triangles == NULL && capacity != 0)
        return grzBecause(grzFail(grz_badArgument, 3), "triangles is NULL, but capacity is not 0");
    Finding finding = {.upkeep = upkeep, .view = grzUpkeep_GetView(upkeep)};
    const grzUpkeepPlace root = grzUpkeep_Root(upkeep);
    for (int axis = 0; axis < 3; ++axis) {
        finding.lower[axis] = grzVec3_Get(box.lower, axis);
        finding.upper[axis] = grzVec3_Get(box.upper, axis);
    }
    findBelow(&finding, &root);
    if (finding.count > capacity)
        return grzFail(grz_bufferTooSmall, finding.count);
    *count = finding.count;
    finding.triangles = triangles;
    finding.count = 0;
    if (*count != 0)
        findBelow(&finding, &root);
    sortNumbers(triangles, *count);
    return grzOk();
}
