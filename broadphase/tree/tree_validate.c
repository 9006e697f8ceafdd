// What: looks a tree over: its figures, its boxes for drawing, and whether everything that must hold does.
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "tree_inside.h"

#include "refuse_null.h"

// ------------------------------------------------------------------------------------------------- statistics

static void countNode(const grzTree* tree, uint32_t node, uint32_t level, grzTreeStats* stats) {
    const TreeNode* n = &tree->nodes[node];
    stats->nodeCount++;
    stats->depth = level > stats->depth ? level : stats->depth;
    if (treeIsLeaf(tree, node)) {
        stats->leafCount++;
        stats->largestLeaf = n->objectCount > stats->largestLeaf ? n->objectCount : stats->largestLeaf;
    } else {
        stats->innerObjectCount += n->objectCount;
    }
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        countNode(tree, n->firstChild + i, level + 1, stats);
}

grzTreeStats grzTree_GetStats(const grzTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzTreeStats){0});
    grzTreeStats stats = {.objectCount = tree->objectCount,
                          .memoryBytes = grzTreeMemoryBytes(tree),
                          .splitCount = tree->splitCount,
                          .unsplitCount = tree->unsplitCount,
                          .collectedCount = tree->collectedCount,
                          .movedCount = tree->movedCount};
    countNode(tree, tree_root, 0, &stats);
    return stats;
}

static void drawNode(const grzTree* tree, uint32_t node, uint32_t level, grzTreeDrawFn* draw, void* context) {
    draw(context, treeNodeBox(tree, node), level, treeIsLeaf(tree, node));
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        drawNode(tree, tree->nodes[node].firstChild + i, level + 1, draw, context);
}

void grzTree_Draw(const grzTree* tree, grzTreeDrawFn* draw, void* context) {
    GRZ_RETURN_IF_NULL(tree, );
    GRZ_RETURN_IF_NULL(draw, );
    drawNode(tree, tree_root, 0, draw, context);
}

// ------------------------------------------------------------------------------------------------- validation

// What a walk over the tree adds up, to be compared with what the tree believes.
typedef struct Sums {
    uint32_t objects, nodes, blocks, planes;
} Sums;

static bool broken(const char* what, uint32_t node) {
    grzLog(grz_logError, "tree: %s at node %" PRIu32, what, node);
    return false;
}

static bool checkLanes(const grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    grzBox nodeBox = treeNodeBox(tree, node);
    uint32_t capacity = grzTreeClassSize(tree->infos[node].runClass) * tree_lanes;
    for (uint32_t i = 0; i < capacity; ++i) {
        const TreeBlock* block = &tree->blocks[n->firstBlock + i / tree_lanes];
        grzBox box = treeLaneBox(block, i % tree_lanes);
        if (tree->blockOwners[n->firstBlock + i / tree_lanes] != node)
            return broken("a block belongs to another node", node);
        if (i >= n->objectCount) {
            if (!grzBox_IsEmpty(box) || block->object[i % tree_lanes] != 0)
                return broken("an unused lane is not empty", node);
            continue;
        }
        uint32_t object = block->object[i % tree_lanes];
        if (object >= tree->ids.slots.count || tree->slots[object] != n->firstBlock * tree_lanes + i)
            return broken("an object is not where its slot says", node);
        if (!grzBox_Contains(nodeBox, box) || grzBox_IsEmpty(box))
            return broken("an object lies outside its node's box", node);
    }
    return n->objectCount <= capacity || broken("a run holds more than it can", node);
}

static bool checkNode(const grzTree* tree, uint32_t node, Sums* sums) {
    const TreeNode* n = &tree->nodes[node];
    const TreeNodeInfo* info = &tree->infos[node];
    if (!info->isLive)
        return broken("a node in use is marked free", node);
    if ((n->firstBlock == TREE_NONE) != (n->objectCount == 0))
        return broken("blocks and objects disagree", node);
    if (n->firstBlock != TREE_NONE && !checkLanes(tree, node))
        return false;
    if (info->kind == tree_notSplit && n->childMask != 0)
        return broken("a node has children and is not split", node);
    if ((info->kind == tree_splitRank) != (info->planes != TREE_NONE))
        return broken("planes and kind disagree", node);
    if (node != tree_root && n->objectCount == 0 && n->childMask == 0)
        return broken("an empty node was not collected", node);
    if (info->isQuiet && (info->isStale || treeIsDue(tree, node)))
        return broken("a quiet node has work to do", node);
    if (n->objectCount == 0 && treeChildCount(tree, node) == 1)
        return broken("a node only leads to one child", node);
    sums->nodes++;
    sums->objects += n->objectCount;
    sums->blocks += n->firstBlock != TREE_NONE ? grzTreeClassSize(info->runClass) : 0;
    sums->planes += info->planes != TREE_NONE;
    grzBox box = treeNodeBox(tree, node);
    uint32_t place = 0;
    for (uint32_t rest = n->childMask; rest != 0; rest &= rest - 1, ++place) {
        uint32_t child = n->firstChild + place;
        if (tree->infos[child].parent != node || tree->infos[child].code != (uint32_t)__builtin_ctz(rest))
            return broken("a child does not know its place", child);
        if (!grzBox_Contains(box, treeNodeBox(tree, child)))
            return broken("a child lies outside its parent's box", child);
        if (info->isQuiet && !tree->infos[child].isQuiet)
            return broken("a child of a quiet node is not quiet", child);
        if (!checkNode(tree, child, sums))
            return false;
    }
    return place <= grzTreeClassSize(info->groupClass) || place == 0 ||
           broken("a group holds more than it can", node);
}

static bool checkTotals(const grzTree* tree, const Sums* sums) {
    uint32_t freeBlocks = 0, liveNodes = 0, slots = 0;
    for (uint32_t i = 0; i < tree->blockCount; ++i) {
        freeBlocks += tree->blockOwners[i] == TREE_NONE;
        if (tree->blockLeavers[i] != 0)
            return broken("leavers are left over in a block, not", i);
    }
    for (uint32_t i = 0; i < tree->nodeCount; ++i)
        liveNodes += tree->infos[i].isLive;
    for (uint32_t i = 0; i < tree->objectCapacity; ++i)
        slots += tree->slots[i] != TREE_NONE;
    if (sums->objects != tree->objectCount || slots != tree->objectCount || tree->ids.count != tree->objectCount)
        return broken("objects were lost or doubled, counted", sums->objects);
    if (liveNodes != sums->nodes)
        return broken("nodes were lost, counted", sums->nodes);
    if (sums->blocks + freeBlocks != tree->blockCount)
        return broken("blocks were lost, counted", sums->blocks);
    if (sums->planes + tree->freePlanes.count != tree->planes.count)
        return broken("planes were lost, counted", sums->planes);
    return true;
}

static bool checkFreeLists(const grzTree* tree) {
    uint32_t freeBlocks = 0, listed = 0;
    for (uint32_t i = 0; i < tree->blockCount; ++i)
        freeBlocks += tree->blockOwners[i] == TREE_NONE;
    for (uint32_t runClass = 0; runClass < tree_classCount; ++runClass) {
        for (uint32_t first = tree->freeRuns.first[runClass]; first != TREE_NONE;
             first = tree->blocks[first].object[0]) {
            if (first >= tree->blockCount || listed > tree->blockCount)
                return broken("the list of free runs leads astray, block", first);
            listed += grzTreeClassSize(runClass);
        }
        bool isPresent = (tree->freeRuns.present >> runClass & 1) != 0;
        if (isPresent != (tree->freeRuns.first[runClass] != TREE_NONE))
            return broken("the lists of free runs and their bits disagree, class", runClass);
    }
    if (tree->freeBlockCount != freeBlocks)
        return broken("free blocks are counted wrongly, as", tree->freeBlockCount);
    return listed == freeBlocks || broken("the lists of free runs miss blocks, listed", listed);
}

bool grzTree_Validate(const grzTree* tree) {
    GRZ_RETURN_IF_NULL(tree, false);
    Sums sums = {0};
    return checkNode(tree, tree_root, &sums) && checkTotals(tree, &sums) && checkFreeLists(tree) &&
           grzIdPool_Validate(&tree->ids);
}
