// What: keeps the boxes of nodes right: lazily where single objects went, and all at once where everything moves.
// Promise: after an update of all objects every box is as tight as its objects allow, and every object lies in the node where its
//   insertion would have put it, but where memory was refused; then it stays, and the boxes hold it.
// Idea: the splits on the way to a node say what its objects must fulfil: its cell. Sixteen objects at a time take their new boxes
//   and are tested against it; those that fail, or have grown so large that a node above would keep them (one in a hundred when
//   things move by a fraction of their size), are noted by lane, taken out of the node's box, and then inserted anew one by one.
//   Boxes are merged bottom up afterwards.
//      1. runs: new boxes, cells, boxes of those that stay (parallel over subtrees, each writes its own blocks and nodes)
//      2. leavers, in the order of blocks (serial: they change the tree)
//      3. merge upwards, collapse what has become thin (serial)
// Threads: see graze/tree.h. The result does not depend on the number of workers: step 1 writes by block and node only.
// Cost: O(n), about a third of what finding the pairs costs: `graze-bench pairs --case all-moving`.
// Based on: [Shagam] 2.1.5 and 2.1.6 for repairs; see tree_inside.h.
#include <math.h>

#include "refuse_null.h"
#include "result_make.h"
#include "tree_kernel.h"

// Lane by lane, which the compiler does four at a time; empty lanes change nothing.
grzBox grzTreeRunBounds(const grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    TreeBlock box;
    for (int axis = 0; axis < 3; ++axis) {
        for (int lane = 0; lane < tree_lanes; ++lane) {
            box.lower[axis][lane] = INFINITY;
            box.upper[axis][lane] = -INFINITY;
        }
    }
    for (uint32_t i = 0; i < treeBlocksFor(n->objectCount); ++i) {
        const TreeBlock* block = &tree->blocks[n->firstBlock + i];
        for (int axis = 0; axis < 3; ++axis) {
            for (int lane = 0; lane < tree_lanes; ++lane) {
                float lower = block->lower[axis][lane], upper = block->upper[axis][lane];
                box.lower[axis][lane] = lower < box.lower[axis][lane] ? lower : box.lower[axis][lane];
                box.upper[axis][lane] = upper > box.upper[axis][lane] ? upper : box.upper[axis][lane];
            }
        }
    }
    for (int half = tree_lanes / 2; half != 0; half /= 2)
        for (int axis = 0; axis < 3; ++axis) {
            for (int lane = 0; lane < half; ++lane) {
                float lower = box.lower[axis][lane + half], upper = box.upper[axis][lane + half];
                box.lower[axis][lane] = lower < box.lower[axis][lane] ? lower : box.lower[axis][lane];
                box.upper[axis][lane] = upper > box.upper[axis][lane] ? upper : box.upper[axis][lane];
            }
        }
    return n->objectCount != 0 ? treeLaneBox(&box, 0) : grzBox_Empty();
}

static grzBox mergeChildren(const grzTree* tree, uint32_t node, grzBox box) {
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        box = grzBox_Union(box, treeNodeBox(tree, tree->nodes[node].firstChild + i));
    return box;
}

void grzTreeRepair(grzTree* tree, uint32_t node) {
    if (!tree->infos[node].isStale)
        return;
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        grzTreeRepair(tree, tree->nodes[node].firstChild + i);
    treeSetNodeBox(tree, node, mergeChildren(tree, node, grzTreeRunBounds(tree, node)));
    grzTreeReweigh(tree, node);
    tree->infos[node].isStale = false;
}

uint32_t grzTreeSubtreeCount(const grzTree* tree, uint32_t node) {
    uint32_t count = tree->nodes[node].objectCount;
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        count += grzTreeSubtreeCount(tree, tree->nodes[node].firstChild + i);
    return count;
}

// ----------------------------------------------------------------------------------------------- collapsing

// Moves the objects below `from` into the run of `node`, and drops the children; depth first.
static void drain(grzTree* tree, uint32_t node, uint32_t from) {
    while (tree->nodes[from].childMask != 0) {
        uint32_t child = tree->nodes[from].firstChild + treeChildCount(tree, from) - 1;
        drain(tree, node, child);
        const TreeNode* c = &tree->nodes[child];
        for (uint32_t i = 0; i < c->objectCount; ++i) {
            const TreeBlock* block = &tree->blocks[c->firstBlock + i / tree_lanes];
            uint32_t slot = grzTreeAppend(tree, node, block->object[i % tree_lanes]);
            treeSetLaneBox(&tree->blocks[slot / tree_lanes], slot % tree_lanes, treeLaneBox(block, i % tree_lanes));
            tree->blocks[slot / tree_lanes].key[slot % tree_lanes] = block->key[i % tree_lanes];
        }
        grzTreeFreeRun(tree, child);
        grzTreeForgetSplit(tree, child);
        grzTreeDropChild(tree, from, child);
    }
}

bool grzTreeCollapse(grzTree* tree, uint32_t node) {
    uint32_t count = grzTreeSubtreeCount(tree, node);
    uint32_t own = tree->nodes[node].objectCount;
    if (!grzTreeReserve(tree, 0, grzTreeBlocksToGrow(tree, node, count - own)))
        return false;
    if (count != 0)
        grzTreeGrowRun(tree, node, count);
    drain(tree, node, node);
    grzTreeForgetSplit(tree, node);
    tree->infos[node].born = count;
    tree->unsplitCount++;
    return true;
}

// ------------------------------------------------------------------------------------------- 1. runs and cells

static TreeCell wholeCell(void) {
    TreeCell cell = {.hasSides = false, .keptFrom = INFINITY};
    for (int axis = 0; axis < 3; ++axis) {
        cell.twiceLower[axis] = cell.lowerAbove[axis] = cell.upperAtLeast[axis] = -INFINITY;
        cell.twiceUpper[axis] = cell.lowerAtMost[axis] = cell.upperBelow[axis] = INFINITY;
    }
    return cell;
}

static void cutCentre(TreeCell* cell, int axis, float twice, bool isBelow) {
    if (isBelow)
        cell->twiceUpper[axis] = fminf(cell->twiceUpper[axis], twice);
    else
        cell->twiceLower[axis] = fmaxf(cell->twiceLower[axis], twice);
}

// Side 1: below the split, 2: above, 0: across, as in tree_nesting.c.
static void cutSide(TreeCell* cell, int axis, float split, int side) {
    cell->hasSides = true;
    if (side == 1) {
        cell->upperBelow[axis] = fminf(cell->upperBelow[axis], split);
    } else if (side == 2) {
        cell->lowerAbove[axis] = fmaxf(cell->lowerAbove[axis], split);
    } else {
        cell->upperAtLeast[axis] = fmaxf(cell->upperAtLeast[axis], split);
        cell->lowerAtMost[axis] = fminf(cell->lowerAtMost[axis], split);
    }
}

static void cutRank(TreeCell* cell, const TreePlanes* planes, int bits, uint32_t code) {
    uint32_t at = 1;
    for (int i = bits - 1; i >= 0; --i) {
        bool isBelow = (code >> i & 1) == 0;
        cutCentre(cell, planes->axis[at], planes->twice[at], isBelow);
        at = 2 * at + (isBelow ? 0 : 1);
    }
}

static TreeCell childCell(const grzTree* tree, uint32_t node, uint32_t code, const TreeCell* parent) {
    const TreeNodeInfo* info = &tree->infos[node];
    TreeCell cell = *parent;
    if (tree->def.retention != grz_retainNone) {
        cell.isByRadius = tree->def.retention == grz_retainLinear;
        cell.keptFrom = fminf(cell.keptFrom, grzBox_Volume(treeNodeBox(tree, node)) / 8);
    }
    switch ((TreeSplitKind)info->kind) {
    case tree_notSplit:
        break;
    case tree_splitKd:
        cutCentre(&cell, info->axis, info->split[info->axis] + info->split[info->axis], code == 0);
        break;
    case tree_splitTernary:
        cutSide(&cell, info->axis, info->split[info->axis], (int)code);
        break;
    case tree_splitOctree:
        for (int axis = 0; axis < 3; ++axis)
            cutCentre(&cell, axis, info->split[axis] + info->split[axis], (code >> axis & 1) != 0);
        break;
    case tree_splitIcoseptree:
        cutSide(&cell, 0, info->split[0], (int)(code % 3));
        cutSide(&cell, 1, info->split[1], (int)(code / 3 % 3));
        cutSide(&cell, 2, info->split[2], (int)(code / 9));
        break;
    case tree_splitRank:
        cutRank(&cell, &tree->planes.data[info->planes], info->rankBits, code);
        break;
    }
    return cell;
}

typedef struct UpdateAll {
    grzTree* tree;
    const grzBox* boxes;
    grzTreeRefitRun_Fn* refitRun;
} UpdateAll;

// An inner node's objects that it would no longer keep leave too. The node's box is the one from before the update.
static grzBox releaseKept(grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    grzBox bounds = grzBox_Empty();
    for (uint32_t i = 0; i < n->objectCount; ++i) {
        uint32_t block = n->firstBlock + i / tree_lanes, bit = 1u << i % tree_lanes;
        grzBox box = treeLaneBox(&tree->blocks[block], i % tree_lanes);
        if (grzTreeChildCode(tree, node, box) >= 0)
            tree->blockLeavers[block] |= (uint16_t)bit;
        else if ((tree->blockLeavers[block] & bit) == 0)
            bounds = grzBox_Union(bounds, box);
    }
    return bounds;
}

// `next` is the node that follows, or TREE_NONE.
static void refitOwn(const UpdateAll* update, uint32_t node, const TreeCell* cell, uint32_t next) {
    grzTree* tree = update->tree;
    const TreeNode* n = &tree->nodes[node];
    tree->ownBoxes[node] = grzBox_Empty();
    if (n->objectCount == 0)
        return;
    TreeRefit refit = {.blocks = &tree->blocks[n->firstBlock],
                       .leavers = &tree->blockLeavers[n->firstBlock],
                       .objectCount = n->objectCount,
                       .boxes = update->boxes,
                       .margin = tree->def.margin,
                       .cell = cell};
    if (next != TREE_NONE && tree->nodes[next].objectCount != 0) {
        refit.ahead = &tree->blocks[tree->nodes[next].firstBlock];
        refit.aheadCount = treeBlocksFor(tree->nodes[next].objectCount);
    }
    update->refitRun(&refit);
    tree->ownBoxes[node] = n->childMask != 0 ? releaseKept(tree, node) : refit.bounds;
}

static void refitSubtree(const UpdateAll* update, uint32_t node, const TreeCell* cell, uint32_t next) {
    const grzTree* tree = update->tree;
    refitOwn(update, node, cell, next);
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i) {
        uint32_t child = tree->nodes[node].firstChild + i;
        TreeCell below = childCell(tree, node, tree->infos[child].code, cell);
        refitSubtree(update, child, &below, i + 1 < treeChildCount(tree, node) ? child + 1 : TREE_NONE);
    }
}

// A task is a subtree of this depth, known by its node. What lies above is done at once, while they are collected.
enum { refitTaskDepth = 2, refitTaskMost = tree_maxChildren * tree_maxChildren };

static void collectRefits(const UpdateAll* update, uint32_t node, const TreeCell* cell, int depth) {
    grzTree* tree = update->tree;
    if (depth == refitTaskDepth) {
        tree->refitNodes.data[tree->refitNodes.count++] = node;
        return;
    }
    refitOwn(update, node, cell, TREE_NONE);
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i) {
        uint32_t child = tree->nodes[node].firstChild + i;
        TreeCell below = childCell(tree, node, tree->infos[child].code, cell);
        collectRefits(update, child, &below, depth + 1);
    }
}

// The cell of a node, from the root down.
static TreeCell cellOf(const grzTree* tree, uint32_t node) {
    uint32_t parent = tree->infos[node].parent;
    if (parent == TREE_NONE)
        return wholeCell();
    TreeCell above = cellOf(tree, parent);
    return childCell(tree, parent, tree->infos[node].code, &above);
}

static void runRefits(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const UpdateAll* update = context;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t node = update->tree->refitNodes.data[i];
        TreeCell cell = cellOf(update->tree, node);
        refitSubtree(update, node, &cell, TREE_NONE);
    }
}

static void refitAll(UpdateAll* update, grzTasks* tasks) {
    grzTree* tree = update->tree;
    TreeCell whole = wholeCell();
    if (grzTasks_WorkerCount(tasks) < 2 || !grzArray_Reserve(&tree->refitNodes, &tree->allocator, refitTaskMost)) {
        refitSubtree(update, tree_root, &whole, TREE_NONE);
        return;
    }
    tree->refitNodes.count = 0;
    collectRefits(update, tree_root, &whole, 0);
    grzParallelFor(tasks, (uint32_t)tree->refitNodes.count, 1, runRefits, update);
}

// ------------------------------------------------------------------------------------------------ 2. leavers

static void growOwnBox(grzTree* tree, uint32_t node, grzBox box) {
    tree->ownBoxes[node] = grzBox_Union(tree->ownBoxes[node], box);
}

static void moveLeaver(grzTree* tree, uint32_t object) {
    uint32_t slot = tree->slots[object];
    uint32_t node = tree->blockOwners[slot / tree_lanes];
    grzBox box = treeLaneBox(&tree->blocks[slot / tree_lanes], slot % tree_lanes);
    TreePlace place = grzTreeFindPlace(tree, tree_root, box);
    if ((place.node == node && place.code < 0) || !grzTreeReservePlace(tree, place)) {
        growOwnBox(tree, node, box);
        return;
    }
    uint32_t key = tree->blocks[slot / tree_lanes].key[slot % tree_lanes];
    growOwnBox(tree, grzTreePutInPlace(tree, place, object, key, box), box);
    node = tree->blockOwners[slot / tree_lanes];
    grzTreeTakeOut(tree, node, slot);
    grzTreeCollect(tree, node);
    tree->movedCount++;
}

// Blocks are walked in order; their leavers are listed first, since moving one shifts others. Where the list finds
// no memory they stay, and their boxes are added again.
static void moveLeavers(grzTree* tree) {
    tree->scratch.count = 0;
    for (uint32_t i = 0; i < tree->blockCount; ++i) {
        for (uint32_t rest = tree->blockLeavers[i]; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (grzArray_Reserve(&tree->scratch, &tree->allocator, tree->scratch.count + 1))
                tree->scratch.data[tree->scratch.count++] = tree->blocks[i].object[lane];
            else
                growOwnBox(tree, tree->blockOwners[i], treeLaneBox(&tree->blocks[i], lane));
        }
        tree->blockLeavers[i] = 0;
    }
    for (size_t i = 0; i < tree->scratch.count; ++i)
        moveLeaver(tree, tree->scratch.data[i]);
}

// --------------------------------------------------------------------------------------------------- 3. merge

// Returns how many objects the subtree holds.
static uint32_t mergeSubtree(grzTree* tree, uint32_t node) {
    uint32_t count = tree->nodes[node].objectCount, most = 0;
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i) {
        uint32_t part = mergeSubtree(tree, tree->nodes[node].firstChild + i);
        count += part;
        most = part > most ? part : most;
    }
    treeSetNodeBox(tree, node, mergeChildren(tree, node, tree->ownBoxes[node]));
    tree->infos[node].isStale = tree->infos[node].isCrowded = tree->infos[node].isQuiet = false;
    if (tree->nodes[node].childMask == 0) {
        // A split that was of no use [Shagam] 2.1.1 may be of some now: everything has moved.
        grzTreeForgetSplit(tree, node);
        return count;
    }
    if ((uint64_t)count * 2 <= tree->threshold)
        grzTreeCollapse(tree, node);
    else if (!grzTreeMendShape(tree, node, count, most))
        grzTreeReweigh(tree, node);
    return count;
}

// ------------------------------------------------------------------------------------------------------ public

// The boxes of objects that are there must be good; what else is in the array is nobody's business.
static grzResult checkAll(const grzTree* tree, const grzBox* boxes) {
    size_t count = tree->ids.slots.count;
    grzTreeFindBadBox_Fn* findBadBox = GRZ_PICK_KERNEL(grzTreeFindBadBox);
    for (size_t i = findBadBox(boxes, 0, count); i < count; i = findBadBox(boxes, i + 1, count)) {
        if (tree->slots[i] == TREE_NONE)
            continue;
        bool isFinite = grzVec3_IsFinite(boxes[i].lower) && grzVec3_IsFinite(boxes[i].upper);
        return grzFailAt(isFinite ? grz_invertedBounds : grz_notFinite, grz_partObject, i, 0);
    }
    return grzOk();
}

grzResult grzTree_UpdateAll(grzTree* tree, grzTasks* tasks, const grzBox* boxes, size_t count) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL_ARRAY(boxes, count, 3);
    if (count < tree->ids.slots.count)
        return grzBecause(grzFail(grz_badArgument, 4), "there are fewer boxes than grzTree_IndexCount");
    grzResult result = checkAll(tree, boxes);
    if (!grzResult_IsOk(result) || tree->objectCount == 0)
        return result;
    UpdateAll update = {tree, boxes, GRZ_PICK_KERNEL(grzTreeRefitRun)};
    refitAll(&update, tasks);
    moveLeavers(tree);
    mergeSubtree(tree, tree_root);
    grzTreeLayOut(tree);
    return grzOk();
}

// Quiet nodes have nothing to be done below them. One becomes quiet where all below it was prepared; not if memory for a split was
// refused.
static void prepareNode(grzTree* tree, uint32_t node, const grzBox* volume) {
    if (tree->infos[node].isQuiet)
        return;
    grzTreeRepair(tree, node);
    if (volume != NULL && !grzBox_Overlap(treeNodeBox(tree, node), *volume))
        return;
    if (treeIsDue(tree, node))
        grzTreeSplit(tree, node);
    uint32_t count = treeChildCount(tree, node);
    bool isQuiet = !treeIsDue(tree, node);
    for (uint32_t i = 0; i < count; ++i) {
        prepareNode(tree, tree->nodes[node].firstChild + i, volume);
        isQuiet &= tree->infos[tree->nodes[node].firstChild + i].isQuiet;
    }
    tree->infos[node].isQuiet = isQuiet;
}

void grzTree_Prepare(grzTree* tree, const grzBox* volume) {
    GRZ_RETURN_IF_NULL(tree, );
    grzTreeSettle(tree);
    prepareNode(tree, tree_root, volume);
    // The splits may have told of arrivals. What is laid anew for them has had none, so twice is enough.
    if (tree->infos[tree_root].isCrowded) {
        grzTreeSettle(tree);
        prepareNode(tree, tree_root, volume);
    }
    grzTreeLayOut(tree);
}
