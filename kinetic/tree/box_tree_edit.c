// What: what comes and goes while a BoxTree runs: triangles and vertices; and paths that change.
// Idea: a triangle that is removed leaves its place, and those planes are settled anew that look into its leaf. One that is
//   inserted goes down to the leaf that has to grow the least; where that is full, the lowest node above that has room enough is
//   ordered anew with it. Enough is less the higher a node is: all of a leaf's places down to seven eighths of the root's, so
//   that what is ordered anew takes many more before it is full again.
// Holds: everything that comes in is checked, and all memory is there, before the first change.
// Cost: a removal: six planes, and those that its vertices realised. An insertion: the same, and O(log^2 T) triangles to be
//   ordered anew, on the average of many; all of them where the root is full.
// Based on: [Zachmann and Weller 2006] section 6, flightplan updates, and section 2, insertions and deletions; densities:
//   [Itai, Konheim and Rodeh, A Sparse Table Implementation of Priority Queues, ICALP 1981].
#include <string.h>

#include "box_tree_inside.h"
#include "check.h"
#include "memory.h"
#include "refuse_null.h"
#include "result_make.h"

// ---- leaves ----

static bool isFresh(const uint32_t* corners, uint32_t corner) {
    for (uint32_t k = 0; k < corner; ++k)
        if (corners[k] == corners[corner])
            return false;
    return true;
}

void grzBoxTree_NoteLeaf(grzBoxTree* tree, uint32_t leaf) {
    const uint32_t first = leaf * BOX_TREE_CORNERS;
    uint32_t fresh = 0;
    for (uint32_t k = 0; k < tree->counts[leaf]; ++k)
        tree->places.data[tree->order[leaf * BOX_TREE_ROOM + k]] = leaf * BOX_TREE_ROOM + k;
    for (uint32_t k = 0; k < 3u * tree->counts[leaf]; ++k)
        fresh |= (uint32_t)isFresh(tree->corners + first, k) << k;
    tree->fresh[leaf] = (uint16_t)fresh;
    for (uint32_t left = fresh; left != 0 && tree->plan->kind == grz_planPaths; left &= left - 1) {
        const uint32_t corner = first + (uint32_t)__builtin_ctz(left), vertex = tree->corners[corner];
        tree->nexts[corner] = tree->firsts.data[vertex];
        tree->firsts.data[vertex] = corner;
    }
}

void grzBoxTree_ForgetLeaf(grzBoxTree* tree, uint32_t leaf) {
    for (uint32_t left = tree->fresh[leaf]; left != 0 && tree->plan->kind == grz_planPaths; left &= left - 1) {
        const uint32_t corner = leaf * BOX_TREE_CORNERS + (uint32_t)__builtin_ctz(left);
        uint32_t* link = &tree->firsts.data[tree->corners[corner]];
        while (*link != corner)
            link = &tree->nexts[*link];
        *link = tree->nexts[corner];
    }
    tree->fresh[leaf] = 0;
}

// ---- vertices and paths ----

bool grzBoxTree_TakeVertices(grzBoxTree* tree, size_t vertexCount) {
    const size_t words = vertexCount / 64 + 1;
    if (!grzArray_Reserve(&tree->firsts, &tree->allocator, vertexCount) ||
        !grzArray_Reserve(&tree->isChanged, &tree->allocator, words))
        return false;
    while (tree->firsts.count < vertexCount)
        tree->firsts.data[tree->firsts.count++] = GRZ_MESH_NONE;
    while (tree->isChanged.count < words)
        tree->isChanged.data[tree->isChanged.count++] = 0;
    return true;
}

static void setChanged(grzBoxTree* tree, const grzFlightplanChange* change, bool isChanged) {
    for (size_t i = 0; i < change->count; ++i) {
        const uint64_t bit = UINT64_C(1) << change->vertices[i] % 64;
        uint64_t* word = &tree->isChanged.data[change->vertices[i] / 64];
        *word = isChanged ? *word | bit : *word & ~bit;
    }
}

static void followChange(grzBoxTree* tree, const grzFlightplanChange* change) {
    setChanged(tree, change, true);
    for (size_t i = 0; i < change->count; ++i)
        for (uint32_t corner = tree->firsts.data[change->vertices[i]]; corner != GRZ_MESH_NONE;
             corner = tree->nexts[corner])
            grzBoxTree_MarkAbove(tree, tree->innerCount + corner / BOX_TREE_CORNERS);
    grzBoxTree_SettleMarked(tree);
    setChanged(tree, change, false);
}

grzResult grzBoxTree_Change(grzBoxTree* tree, double time, const grzFlightplanChange* change) {
    GRZ_REFUSE_NULL(tree, 1);
    grzResult result = grzPlan_CheckChange(tree->plan, time, change);
    if (grzResult_IsOk(result))
        result = grzBoxTree_Advance(tree, time);
    if (grzResult_IsOk(result)) {
        result = grzFlightplan_Change(tree->plan, time, change);
        tree->revision = tree->plan->revision;
    }
    if (grzResult_IsOk(result) && tree->leafCount != 0)
        followChange(tree, change);
    return result;
}

grzResult grzBoxTree_AddVertices(grzBoxTree* tree, double time, const grzFlightplanChange* change,
                                 uint32_t* first) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL(first, 4);
    const char* flaw = tree->plan->kind == grz_planPaths ? grzBoxTree_FlawOfTime(tree, time) : NULL;
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    if (change != NULL && tree->plan->kind == grz_planPaths && change->count <= GRZ_MESH_MAX_VERTICES &&
        !grzBoxTree_TakeVertices(tree, grzFlightplan_VertexCount(tree->plan) + change->count))
        return grzNoMemory(change->count, sizeof(uint32_t));
    const grzResult result = grzFlightplan_AddVertices(tree->plan, time, change, first);
    tree->revision = grzResult_IsOk(result) ? tree->plan->revision : tree->revision;
    return grzResult_IsOk(result) ? grzBoxTree_Advance(tree, time) : result;
}

// ---- what is asked for ----

static grzResult checkRemoved(grzBoxTree* tree, const grzBoxTreeEdit* edit) {
    const uint32_t seen = 1u << 31; // places are below it
    grzResult result = grzOk();
    size_t i = 0;
    for (; i < edit->removedCount && grzResult_IsOk(result); ++i) {
        const uint32_t number = edit->removed[i];
        if (number >= tree->places.count)
            result = grzFailAt(grz_indexTooLarge, grz_partTriangle, i, number);
        else if ((tree->places.data[number] & seen) != 0) // also GRZ_MESH_NONE
            result = grzBecause(grzFailAt(grz_badArgument, grz_partTriangle, i, 3),
                                "it is removed twice, or was removed before");
        else
            tree->places.data[number] |= seen;
    }
    for (i -= grzResult_IsOk(result) ? 0 : 1; i-- > 0;)
        tree->places.data[edit->removed[i]] &= ~seen;
    return result;
}

static grzResult checkEdit(grzBoxTree* tree, double time, const grzBoxTreeEdit* edit) {
    const char* flaw = grzBoxTree_FlawOfTime(tree, time);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    if (edit == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "edit is NULL");
    if (edit->removed == NULL && edit->removedCount != 0)
        return grzBecause(grzFail(grz_badArgument, 3), "removed is NULL, but removedCount is not 0");
    if (edit->inserted == NULL && edit->insertedCount != 0)
        return grzBecause(grzFail(grz_badArgument, 3), "inserted is NULL, but insertedCount is not 0");
    if (edit->insertedCount > GRZ_MESH_MAX_TRIANGLES - tree->places.count)
        return grzFail(grz_tooLarge, (uint64_t)tree->places.count + edit->insertedCount);
    const size_t vertexCount = grzFlightplan_VertexCount(tree->plan);
    for (size_t i = 0; i < 3 * edit->insertedCount; ++i)
        if (edit->inserted[i] >= vertexCount)
            return grzFailAt(grz_indexTooLarge, grz_partTriangle, i / 3, edit->inserted[i]);
    return checkRemoved(tree, edit);
}

// ---- removal ----

static void removeTriangle(grzBoxTree* tree, uint32_t number) {
    const uint32_t place = tree->places.data[number], leaf = place / BOX_TREE_ROOM;
    const uint32_t last = leaf * BOX_TREE_ROOM + tree->counts[leaf] - 1;
    grzBoxTree_ForgetLeaf(tree, leaf);
    tree->order[place] = tree->order[last];
    memmove(tree->corners + 3 * (size_t)place, tree->corners + 3 * (size_t)last, 3 * sizeof *tree->corners);
    tree->places.data[number] = GRZ_MESH_NONE;
    tree->counts[leaf]--;
    tree->triangleCount--;
    grzBoxTree_NoteLeaf(tree, leaf);
    grzBoxTree_BoundAnew(tree, tree->innerCount + leaf);
    grzBoxTree_MarkAbove(tree, tree->innerCount + leaf);
}

// ---- insertion ----

static uint32_t countBelow(const grzBoxTree* tree, uint32_t node) {
    const BoxTreeSpan leaves = grzBoxTree_LeavesBelow(tree, node);
    uint32_t count = 0;
    for (uint32_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
        count += tree->counts[leaf];
    return count;
}

// How many triangles a node so far above the leaves may have after an insertion.
static uint64_t roomAt(uint32_t depth, uint32_t height) {
    const uint64_t all = (uint64_t)BOX_TREE_ROOM << height;
    return depth == 0 ? all : all - all * height / (8 * (uint64_t)depth);
}

static grzBox boxOfTriangle(const grzBoxTree* tree, const uint32_t* corners) {
    grzBox box = grzBox_Empty();
    for (int k = 0; k < 3; ++k)
        box = grzBox_AddPoint(box, grzVec3_Make(grzPlan_Float(tree->plan, corners[k], 0, tree->at),
                                                grzPlan_Float(tree->plan, corners[k], 1, tree->at),
                                                grzPlan_Float(tree->plan, corners[k], 2, tree->at)));
    return box;
}

// Down to the child whose plane has to move less; where neither has to, to the one that has more of it. A child without triangles
// would grow by all of it.
static uint32_t childFor(const grzBoxTree* tree, uint32_t node, grzBox box) {
    const int axis = tree->axes[node];
    const double lower = (double)grzVec3_Get(box.lower, axis), upper = (double)grzVec3_Get(box.upper, axis);
    const uint32_t ends = tree->owners[2 * node], begins = tree->owners[2 * node + 1];
    const double end = ends == GRZ_MESH_NONE ? lower : grzPlan_Double(tree->plan, ends, axis, tree->at);
    const double begin = begins == GRZ_MESH_NONE ? upper : grzPlan_Double(tree->plan, begins, axis, tree->at);
    const double lowerGrowth = fmax(upper - end, 0), upperGrowth = fmax(begin - lower, 0);
    if (lowerGrowth != upperGrowth)
        return 2 * node + (lowerGrowth < upperGrowth ? 1 : 2);
    return 2 * node + (lower + upper < begin + end ? 1 : 2);
}

static uint32_t leafFor(const grzBoxTree* tree, const uint32_t* corners) {
    const grzBox box = boxOfTriangle(tree, corners);
    uint32_t node = 0;
    while (!isLeafNode(tree, node))
        node = childFor(tree, node, box);
    return node - tree->innerCount;
}

static void putInto(grzBoxTree* tree, uint32_t place, uint32_t number, const uint32_t* corners) {
    tree->order[place] = number;
    memcpy(tree->corners + 3 * (size_t)place, corners, 3 * sizeof *corners);
    tree->triangleCount++;
}

// A node is ordered anew together with one more triangle.
static void orderWith(grzBoxTree* tree, uint32_t node, uint32_t number, const uint32_t* corners) {
    const uint32_t count = grzBoxTree_Gather(tree, node);
    putInto(tree, grzBoxTree_LeavesBelow(tree, node).begin * BOX_TREE_ROOM + count, number, corners);
    grzBoxTree_Order(tree, node, count + 1);
    tree->stats.ordered += count + 1;
}

static void insertTriangle(grzBoxTree* tree, uint32_t number, const uint32_t* corners) {
    const uint32_t leaf = leafFor(tree, corners);
    uint32_t node = tree->innerCount + leaf, height = 0;
    if (tree->counts[leaf] < BOX_TREE_ROOM) {
        grzBoxTree_ForgetLeaf(tree, leaf);
        putInto(tree, leaf * BOX_TREE_ROOM + tree->counts[leaf]++, number, corners);
        grzBoxTree_NoteLeaf(tree, leaf);
        grzBoxTree_BoundAnew(tree, node);
        grzBoxTree_MarkAbove(tree, node);
        grzBoxTree_SettleMarked(tree);
        return;
    }
    while (node != 0 && countBelow(tree, node) >= roomAt(tree->depth, height))
        node = (node - 1) / 2, ++height;
    orderWith(tree, node, number, corners);
    grzBoxTree_SettleMarked(tree);
    if (tree->depth - height <= tree->partDepth) // whole parts are as good as new
        grzBoxTree_SumParts(tree, node);
}

// ---- all of it ----

// In a tree whose memory has just been taken: the old one's triangles and the new ones.
static void fillGrown(grzBoxTree* tree, const grzBoxTree* old, const grzBoxTreeEdit* edit, uint32_t first) {
    tree->triangleCount = 0;
    for (uint32_t leaf = 0; leaf < old->leafCount; ++leaf)
        for (uint32_t place = leaf * BOX_TREE_ROOM; place < leaf * BOX_TREE_ROOM + old->counts[leaf]; ++place)
            putInto(tree, tree->triangleCount, old->order[place], old->corners + 3 * (size_t)place);
    for (size_t i = 0; i < edit->insertedCount; ++i)
        putInto(tree, tree->triangleCount, first + (uint32_t)i, edit->inserted + 3 * i);
    grzBoxTree_Build(tree);
    tree->stats.grown++;
}

// The room for so many triangles in a tree that is to take more; 0: what there is is enough.
static uint64_t roomToGrow(const grzBoxTree* tree, uint64_t wanted) {
    uint32_t depth = tree->depth;
    if (tree->leafCount != 0 && wanted <= roomAt(depth, depth))
        return 0;
    while (wanted > roomAt(depth, depth))
        ++depth;
    return (uint64_t)BOX_TREE_ROOM << depth;
}

static void applyEdit(grzBoxTree* tree, grzBoxTree* grown, const grzBoxTreeEdit* edit, uint32_t first) {
    grzBoxTree_CloseInterval(tree);
    tree->places.count += edit->insertedCount;
    for (size_t i = 0; i < edit->removedCount; ++i)
        removeTriangle(tree, edit->removed[i]);
    if (grown == NULL) {
        grzBoxTree_SettleMarked(tree);
        for (size_t i = 0; i < edit->insertedCount; ++i)
            insertTriangle(tree, first + (uint32_t)i, edit->inserted + 3 * i);
        return;
    }
    const grzBoxTree old = *tree;
    *tree = *grown;
    tree->at = old.at, tree->places = old.places, tree->stats = old.stats;
    fillGrown(tree, &old, edit, first);
    grzRelease(&tree->allocator, old.memory, old.memorySize, 1, 64);
}

grzResult grzBoxTree_Edit(grzBoxTree* tree, double time, const grzBoxTreeEdit* edit, uint32_t* first) {
    GRZ_REFUSE_NULL(tree, 1);
    grzResult result = checkEdit(tree, time, edit);
    if (!grzResult_IsOk(result))
        return result;
    const size_t numbers = tree->places.count + edit->insertedCount;
    const uint64_t wanted = (uint64_t)tree->triangleCount - edit->removedCount + edit->insertedCount;
    const uint64_t room = edit->insertedCount == 0 ? 0 : roomToGrow(tree, wanted);
    if (!grzArray_Reserve(&tree->places, &tree->allocator, numbers))
        return grzNoMemory(numbers, sizeof *tree->places.data);
    grzBoxTree grown = *tree;
    if (room != 0 && !grzBoxTree_TakeMemory(&grown, room))
        return grzNoMemory(room, sizeof *tree->corners);
    result = grzBoxTree_Advance(tree, time); // the time was looked at
    GRZ_ASSERT(grzResult_IsOk(result));
    const uint32_t number = (uint32_t)tree->places.count;
    if (first != NULL)
        *first = number;
    applyEdit(tree, room == 0 ? NULL : &grown, edit, number);
    return result;
}
