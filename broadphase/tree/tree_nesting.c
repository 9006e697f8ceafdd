// What: nesting heuristics: which child takes an object, how a node is split, and how split points follow their objects.
// Promise: a child's code depends on the box, the node's split and, with retention, the node's box; nothing else. A split that
//   finds no memory does not happen, which costs time and no answers.
// Cost: a split of n objects is O(n) (rank: O(n) expected for each bit of the child's code).
// Based on: [Shagam] 2.1.1, 2.1.6, section 3 and the appendix; see tree_inside.h for what differs.
#include <math.h>
#include <string.h>

#include "tree_inside.h"

static float axisOf(grzVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Of equal ones the first. (The appendix takes z where two are equal, even where z is the shortest: a square field at one height
// would never be split.)
static int longestAxis(grzVec3 extent) {
    if (extent.x >= extent.y && extent.x >= extent.z)
        return 0;
    return extent.y >= extent.z ? 1 : 2;
}

// ------------------------------------------------------------------------------------------------ child codes

// "An object will be stored in an internal node if its bounding volume is at least 1/8 the volume of the internal node's AABB"
// [Shagam] section 3; the appendix, in a comment, says so too, and compares with >. Here the text holds for volumes and the code for
// the linear rule, which is the code's. A volume of nothing says nothing: points and flat boxes, which would else stay in every
// flat node, go down; so do boxes whose volume is too large for a float.
static bool isRetained(const grzTree* tree, uint32_t node, grzBox box) {
    if (tree->def.retention == grz_retainNone)
        return false;
    float nodeVolume = grzBox_Volume(treeNodeBox(tree, node));
    if (tree->def.retention == grz_retainVolume) {
        float volume = grzBox_Volume(box);
        return volume >= nodeVolume / 8 && volume > 0 && volume < INFINITY;
    }
    // The appendix: linear in the radius, where a sphere's volume has its cube.
    grzVec3 half = grzBox_HalfExtent(box);
    float radius = fmaxf(half.x, fmaxf(half.y, half.z));
    return radius * 4 * 3.14159265f / 3 > nodeVolume / 8;
}

// Below, above or across a point: 1, 2, 0, as the appendix numbers them.
static int sideOf(float lower, float upper, float split) {
    return upper < split ? 1 : lower > split ? 2 : 0;
}

static bool isBelow(float lower, float upper, float split) {
    return lower + upper < split + split;
}

static int rankCode(const TreePlanes* planes, int bits, grzVec3 twice) {
    int at = 1;
    for (int i = 0; i < bits; ++i)
        at = 2 * at + (axisOf(twice, planes->axis[at]) < planes->twice[at] ? 0 : 1);
    return at - (1 << bits);
}

// The code by the split alone.
static int splitCode(const grzTree* tree, const TreeNodeInfo* info, grzBox box) {
    int axis = info->axis;
    switch ((TreeSplitKind)info->kind) {
    case tree_notSplit:
        return -1;
    case tree_splitKd:
        return isBelow(axisOf(box.lower, axis), axisOf(box.upper, axis), info->split[axis]) ? 0 : 1;
    case tree_splitTernary:
        return sideOf(axisOf(box.lower, axis), axisOf(box.upper, axis), info->split[axis]);
    case tree_splitOctree:
        return (isBelow(box.lower.x, box.upper.x, info->split[0]) ? 1 : 0) +
               (isBelow(box.lower.y, box.upper.y, info->split[1]) ? 2 : 0) +
               (isBelow(box.lower.z, box.upper.z, info->split[2]) ? 4 : 0);
    case tree_splitIcoseptree:
        return sideOf(box.lower.x, box.upper.x, info->split[0]) +
               3 * sideOf(box.lower.y, box.upper.y, info->split[1]) +
               9 * sideOf(box.lower.z, box.upper.z, info->split[2]);
    case tree_splitRank:
        return rankCode(&tree->planes.data[info->planes], info->rankBits, grzAdd(box.lower, box.upper));
    }
    return -1;
}

int grzTreeChildCode(const grzTree* tree, uint32_t node, grzBox box) {
    const TreeNodeInfo* info = &tree->infos[node];
    if (info->kind == tree_notSplit || isRetained(tree, node, box))
        return -1;
    return splitCode(tree, info, box);
}

// ------------------------------------------------------------------------------------------- medians for rank

// Rearranges items so that the one at `middle` is in its sorted place along the axis. Ties fall as they may: only
// the value at the middle is used. (Hoare's selection with a median of three, which is deterministic.)
static void selectMiddle(RankItem* items, size_t count, size_t middle, int axis) {
    size_t first = 0, last = count - 1;
    while (first < last) {
        float a = items[first].twice[axis], b = items[(first + last) / 2].twice[axis], c = items[last].twice[axis];
        float pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t i = first, j = last;
        while (i <= j) {
            while (items[i].twice[axis] < pivot)
                ++i;
            while (items[j].twice[axis] > pivot)
                --j;
            if (i > j)
                break;
            RankItem swapped = items[i];
            items[i++] = items[j];
            items[j] = swapped;
            if (j-- == 0)
                break;
        }
        if (middle <= j && j != SIZE_MAX)
            last = j;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

static grzVec3 spreadOf(const RankItem* items, size_t count) {
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = items[i].twice[axis] < lower[axis] ? items[i].twice[axis] : lower[axis];
            upper[axis] = items[i].twice[axis] > upper[axis] ? items[i].twice[axis] : upper[axis];
        }
    }
    return (grzVec3){upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2], 0};
}

// Lays the planes of the subtree of plane `at`, so that items fall into so many parts of equal count. Where there
// is one part but planes are left, they lie at infinity: everything is below.
static void layPlanes(TreePlanes* planes, int at, int bits, RankItem* items, size_t count, uint32_t parts) {
    if (bits == 0)
        return;
    uint32_t lowerParts = parts > 1 ? parts / 2 : 1;
    size_t middle = parts > 1 ? count * lowerParts / parts : count;
    planes->axis[at] = 0;
    planes->twice[at] = INFINITY;
    if (parts > 1 && count != 0) {
        int axis = longestAxis(spreadOf(items, count));
        selectMiddle(items, count, middle, axis);
        planes->axis[at] = (uint8_t)axis;
        planes->twice[at] = items[middle].twice[axis];
    }
    layPlanes(planes, 2 * at, bits - 1, items, middle, lowerParts);
    layPlanes(planes, 2 * at + 1, bits - 1, items + middle, count - middle, parts > 1 ? parts - lowerParts : 1);
}

// As many children as leaves of half the threshold are wanted, up to sixteen.
static uint32_t rankPartsFor(const grzTree* tree, uint32_t count) {
    uint32_t wanted = tree->threshold / 2 > 0 ? tree->threshold / 2 : 1;
    uint32_t parts = (count + wanted / 2) / wanted;
    const uint32_t most = 1u << tree_maxRankBits;
    return parts < 2 ? 2 : parts < most ? parts : most;
}

// False without memory.
static bool layRankSplit(grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    if (!grzArray_Reserve(&tree->rankItems, &tree->allocator, n->objectCount))
        return false;
    RankItem* items = tree->rankItems.data;
    for (uint32_t i = 0; i < n->objectCount; ++i) {
        grzBox box = treeLaneBox(&tree->blocks[n->firstBlock + i / tree_lanes], i % tree_lanes);
        items[i] = (RankItem){{box.lower.x + box.upper.x, box.lower.y + box.upper.y, box.lower.z + box.upper.z}};
    }
    TreeNodeInfo* info = &tree->infos[node];
    uint32_t index = tree->freePlanes.count != 0 ? tree->freePlanes.data[--tree->freePlanes.count]
                                                 : (uint32_t)tree->planes.count++;
    info->planes = index;
    uint32_t parts = rankPartsFor(tree, n->objectCount);
    info->rankBits = 1;
    while (1u << info->rankBits < parts)
        ++info->rankBits;
    memset(&tree->planes.data[index], 0, sizeof(TreePlanes));
    layPlanes(&tree->planes.data[index], 1, info->rankBits, items, n->objectCount, parts);
    return true;
}

// ------------------------------------------------------------------------------------------------- splitting

// Mean of the centres of the node's objects, in double, in order.
static void meanOfCentres(const grzTree* tree, uint32_t node, float mean[3]) {
    const TreeNode* n = &tree->nodes[node];
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < n->objectCount; ++i) {
        const TreeBlock* block = &tree->blocks[n->firstBlock + i / tree_lanes];
        for (int axis = 0; axis < 3; ++axis)
            sum[axis] += (double)block->lower[axis][i % tree_lanes] + (double)block->upper[axis][i % tree_lanes];
    }
    for (int axis = 0; axis < 3; ++axis)
        mean[axis] = (float)(sum[axis] / (2.0 * n->objectCount));
}

static TreeSplitKind kindOf(grzNesting nesting) {
    switch (nesting) {
    case grz_nestKd:
        return tree_splitKd;
    case grz_nestTernary:
        return tree_splitTernary;
    case grz_nestOctree:
        return tree_splitOctree;
    case grz_nestIcoseptree:
        return tree_splitIcoseptree;
    case grz_nestRank:
    case grz_nestPerNode:
        break;
    }
    return tree_splitRank;
}

// Where the objects of a node go.
typedef struct Distribution {
    uint32_t counts[tree_maxChildren];
    uint32_t retained;
    uint32_t childMask;
} Distribution;

// Codes of the node's objects into scratch (-1 as TREE_NONE), and their counts.
static Distribution distribute(grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    Distribution distribution = {.retained = 0};
    for (uint32_t i = 0; i < n->objectCount; ++i) {
        grzBox box = treeLaneBox(&tree->blocks[n->firstBlock + i / tree_lanes], i % tree_lanes);
        int code = grzTreeChildCode(tree, node, box);
        tree->scratch.data[i] = (uint32_t)code;
        if (code < 0) {
            distribution.retained++;
        } else {
            distribution.counts[code]++;
            distribution.childMask |= 1u << code;
        }
    }
    return distribution;
}

// What a query of the size of a typical object is expected to pay below a node that is split so: for each child
// that it meets the child's objects, and an eighth of an object for each child's box.
static double costOf(const grzTree* tree, uint32_t node, const Distribution* distribution) {
    const TreeNode* n = &tree->nodes[node];
    grzBox boxes[tree_maxChildren];
    for (int i = 0; i < tree_maxChildren; ++i)
        boxes[i] = grzBox_Empty();
    grzVec3 sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < n->objectCount; ++i) {
        grzBox box = treeLaneBox(&tree->blocks[n->firstBlock + i / tree_lanes], i % tree_lanes);
        sum = grzAdd(sum, grzBox_Extent(box));
        uint32_t code = tree->scratch.data[i];
        if (code != TREE_NONE)
            boxes[code] = grzBox_Union(boxes[code], box);
    }
    grzVec3 query = grzScale(sum, 1.0f / (float)n->objectCount);
    grzVec3 whole = grzAdd(grzBox_Extent(treeNodeBox(tree, node)), query);
    double cost = distribution->retained + 0.125 * treeBitCount(distribution->childMask);
    for (int code = 0; code < tree_maxChildren; ++code) {
        if (distribution->counts[code] == 0)
            continue;
        grzVec3 part = grzAdd(grzBox_Extent(boxes[code]), query);
        double share = 1;
        for (int axis = 0; axis < 3; ++axis)
            if (axisOf(whole, axis) > 0)
                share *= (double)axisOf(part, axis) / (double)axisOf(whole, axis);
        cost += share * distribution->counts[code];
    }
    return cost;
}

// Sets the node's split of one kind; false without memory.
static bool laySplit(grzTree* tree, uint32_t node, TreeSplitKind kind) {
    TreeNodeInfo* info = &tree->infos[node];
    info->axis = (uint8_t)longestAxis(grzBox_Extent(treeNodeBox(tree, node)));
    meanOfCentres(tree, node, info->split);
    info->kind = (uint8_t)kind;
    if (kind == tree_splitRank && !layRankSplit(tree, node)) {
        info->kind = tree_notSplit;
        return false;
    }
    return true;
}

// The kind for one node: the tree's own, or the cheapest of all for what the node holds [Shagam] chapter 5.
static TreeSplitKind chooseKind(grzTree* tree, uint32_t node) {
    if (tree->def.nesting != grz_nestPerNode)
        return kindOf(tree->def.nesting);
    TreeSplitKind best = tree_splitKd;
    double bestCost = HUGE_VAL;
    for (int kind = tree_splitKd; kind <= tree_splitRank; ++kind) {
        if (!laySplit(tree, node, (TreeSplitKind)kind))
            continue;
        Distribution distribution = distribute(tree, node);
        double cost = costOf(tree, node, &distribution);
        grzTreeForgetSplit(tree, node);
        if (cost < bestCost) {
            bestCost = cost;
            best = (TreeSplitKind)kind;
        }
    }
    return best;
}

// All objects in one child and none kept: there is nothing to be won by the split.
static bool isUseless(const Distribution* distribution) {
    return distribution->retained == 0 && (distribution->childMask & (distribution->childMask - 1)) == 0;
}

// Room for the children of a distribution.
static bool reserveChildren(grzTree* tree, const Distribution* distribution) {
    size_t blocks = grzTreeClassSize(grzTreeClassOf(treeBlocksFor(distribution->retained)));
    for (int code = 0; code < tree_maxChildren; ++code)
        if (distribution->counts[code] != 0)
            blocks += grzTreeClassSize(grzTreeClassOf(treeBlocksFor(distribution->counts[code])));
    return grzTreeReserve(tree, grzTreeClassSize(grzTreeClassOf(treeBitCount(distribution->childMask))), blocks);
}

// Moves the objects of the old run to the children that scratch names, and back into the node where it names none.
static void handOut(grzTree* tree, uint32_t node, uint32_t oldBlock, uint32_t objectCount) {
    for (uint32_t i = 0; i < objectCount; ++i) {
        uint32_t code = tree->scratch.data[i];
        uint32_t to = code == TREE_NONE ? node : treeChild(tree, node, code);
        const TreeBlock* from = &tree->blocks[oldBlock + i / tree_lanes];
        uint32_t lane = i % tree_lanes;
        uint32_t slot = grzTreeAppend(tree, to, from->object[lane]);
        grzBox box = treeLaneBox(from, lane);
        treeSetLaneBox(&tree->blocks[slot / tree_lanes], slot % tree_lanes, box);
        tree->blocks[slot / tree_lanes].key[slot % tree_lanes] = from->key[lane];
        if (to != node)
            treeSetNodeBox(tree, to, grzBox_Union(treeNodeBox(tree, to), box));
    }
}

// What the node's shape will be compared with.
static void noteLaid(grzTree* tree, uint32_t node, uint32_t objectCount, const Distribution* distribution) {
    if (tree->infos[node].kind != tree_splitRank)
        return;
    TreePlanes* planes = &tree->planes.data[tree->infos[node].planes];
    planes->laidCount = objectCount;
    for (int code = 0; code < tree_maxChildren; ++code)
        if (distribution->counts[code] > planes->laidMost)
            planes->laidMost = distribution->counts[code];
}

void grzTreeSplit(grzTree* tree, uint32_t node) {
    uint32_t objectCount = tree->nodes[node].objectCount;
    // Planes for a rank split, whatever comes of it; and a code for each object.
    if (!grzTreeReserve(tree, 0, 0) || !grzArray_Reserve(&tree->scratch, &tree->allocator, objectCount))
        return;
    if (!laySplit(tree, node, chooseKind(tree, node)))
        return;
    Distribution distribution = distribute(tree, node);
    if (isUseless(&distribution)) {
        tree->splitCount++;
        return;
    }
    if (!reserveChildren(tree, &distribution)) {
        grzTreeForgetSplit(tree, node);
        return;
    }
    TreeNode* n = &tree->nodes[node];
    uint32_t oldBlock = n->firstBlock;
    uint32_t oldClass = tree->infos[node].runClass;
    n->firstBlock = TREE_NONE;
    n->objectCount = 0;
    grzTreeReportArrivals(tree, node, objectCount);
    noteLaid(tree, node, objectCount, &distribution);
    if (distribution.childMask != 0)
        grzTreeMakeChildren(tree, node, distribution.childMask);
    for (uint32_t rest = distribution.childMask; rest != 0; rest &= rest - 1) {
        uint32_t code = (uint32_t)__builtin_ctz(rest);
        uint32_t child = treeChild(tree, node, code);
        grzTreeMakeRun(tree, child, distribution.counts[code]);
        tree->infos[child].born = distribution.counts[code];
    }
    grzTreeMakeRun(tree, node, distribution.retained);
    handOut(tree, node, oldBlock, objectCount);
    grzTreeGiveRun(tree, oldBlock, oldClass);
    tree->splitCount++;
}

// ----------------------------------------------------------------------------------------------- re-weighting

// A child's point and weight in its parent's mean [Shagam] 2.1.6.
static double childWeight(const grzTree* tree, uint32_t child, float point[3]) {
    const TreeNodeInfo* info = &tree->infos[child];
    if (info->kind == tree_notSplit) {
        meanOfCentres(tree, child, point);
        return tree->nodes[child].objectCount;
    }
    if (info->kind == tree_splitRank) { // no single point: the middle of its box stands in
        grzVec3 centre = grzBox_Center(treeNodeBox(tree, child));
        point[0] = centre.x, point[1] = centre.y, point[2] = centre.z;
    } else {
        memcpy(point, info->split, sizeof info->split);
    }
    return tree->threshold;
}

void grzTreeReweigh(grzTree* tree, uint32_t node) {
    TreeNodeInfo* info = &tree->infos[node];
    const TreeNode* n = &tree->nodes[node];
    if (info->kind == tree_notSplit || info->kind == tree_splitRank)
        return;
    double sum[3] = {0, 0, 0}, weight = n->objectCount;
    float point[3];
    if (n->objectCount != 0) {
        meanOfCentres(tree, node, point);
        for (int axis = 0; axis < 3; ++axis)
            sum[axis] = weight * (double)point[axis];
    }
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i) {
        double part = childWeight(tree, n->firstChild + i, point);
        if (part == 0)
            continue;
        for (int axis = 0; axis < 3; ++axis)
            sum[axis] += part * (double)point[axis];
        weight += part;
    }
    for (int axis = 0; axis < 3 && weight > 0; ++axis)
        info->split[axis] = (float)(sum[axis] / weight);
}
