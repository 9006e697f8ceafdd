// What: the order of a BoxTree's triangles, and parts that are ordered anew.
// Idea: the shape follows from the room alone, so that any subtree can be ordered anew in place. A node is cut along the longest
//   side of the box of its triangles' middles, at the middle of their count.
// Based on: [Zachmann, The BoxTree: Exact and Fast Collision Detection of Arbitrary Polyhedra, SIVE 1995] for planes in place of
//   boxes, as [Zachmann and Weller 2006] tell it; the cut is ours. Rebuilding parts is their future work.
#include <string.h>

#include "box_tree_inside.h"

#include "refuse_null.h"

static float middleOf(const grzBoxTree* tree, uint32_t place, int axis) {
    const uint32_t* corners = tree->corners + 3 * (size_t)place;
    float sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += grzPlan_Float(tree->plan, corners[k], axis, tree->at) / 3;
    return sum;
}

static int longestAxis(const grzBoxTree* tree, uint32_t begin, uint32_t end) {
    float longest = -1;
    int best = 0;
    for (int axis = 0; axis < 3; ++axis) {
        float lower = (float)INFINITY, upper = -(float)INFINITY;
        for (uint32_t i = begin; i < end; ++i) {
            const float middle = middleOf(tree, i, axis);
            lower = middle < lower ? middle : lower;
            upper = middle > upper ? middle : upper;
        }
        if (upper - lower > longest)
            longest = upper - lower, best = axis;
    }
    return best;
}

// ---- selection ----

typedef struct Key {
    float middle;
    uint32_t number;
} Key;

static Key keyOf(const grzBoxTree* tree, uint32_t place) {
    return (Key){tree->keys[place], tree->order[place]};
}

static bool isBefore(Key a, Key b) {
    return a.middle < b.middle || (a.middle == b.middle && a.number < b.number);
}

static void copyPlaces(grzBoxTree* tree, uint32_t to, uint32_t from, uint32_t count) {
    memmove(tree->order + to, tree->order + from, count * sizeof *tree->order);
    memmove(tree->corners + 3 * (size_t)to, tree->corners + 3 * (size_t)from,
            3 * (size_t)count * sizeof *tree->corners);
}

static void swap(grzBoxTree* tree, uint32_t i, uint32_t k) {
    const Key kept = keyOf(tree, i);
    uint32_t corners[3];
    memcpy(corners, tree->corners + 3 * (size_t)i, sizeof corners);
    copyPlaces(tree, i, k, 1);
    tree->keys[i] = tree->keys[k];
    memcpy(tree->corners + 3 * (size_t)k, corners, sizeof corners);
    tree->order[k] = kept.number;
    tree->keys[k] = kept.middle;
}

static void swapIfBefore(grzBoxTree* tree, uint32_t later, uint32_t earlier) {
    if (isBefore(keyOf(tree, later), keyOf(tree, earlier)))
        swap(tree, later, earlier);
}

// Brings the triangles of [begin, end) that come first to [begin, middle): Hoare's selection, pivot from the middle of three.
static void selectFirst(grzBoxTree* tree, uint32_t begin, uint32_t end, uint32_t middle) {
    while (end - begin > 1) {
        const uint32_t half = begin + (end - begin) / 2;
        swapIfBefore(tree, half, begin);
        swapIfBefore(tree, end - 1, half);
        swapIfBefore(tree, half, begin);
        if (end - begin <= 3)
            return;
        const Key pivot = keyOf(tree, half);
        uint32_t i = begin, k = end - 1;
        for (;;) {
            while (isBefore(keyOf(tree, i), pivot))
                ++i;
            while (isBefore(pivot, keyOf(tree, k)))
                --k;
            if (i >= k)
                break;
            swap(tree, i++, k--);
        }
        const uint32_t cut = k + 1; // nothing before it comes after anything from it on
        if (middle < cut)
            end = cut;
        else if (middle > cut)
            begin = cut;
        else
            return;
    }
}

// ---- subtrees ----

BoxTreeSpan grzBoxTree_LeavesBelow(const grzBoxTree* tree, uint32_t node) {
    uint32_t depth = 0;
    while (node >= (2u << depth) - 1)
        ++depth;
    const uint32_t index = node - ((1u << depth) - 1), shift = tree->depth - depth;
    return (BoxTreeSpan){index << shift, (index + 1) << shift};
}

// From a place on there are so many triangles, and room for those of `leaves` leaves.
static void order(grzBoxTree* tree, uint32_t node, uint32_t place, uint32_t leaves, uint32_t count) {
    if (isLeafNode(tree, node)) {
        tree->counts[node - tree->innerCount] = (uint8_t)count;
        grzBoxTree_NoteLeaf(tree, node - tree->innerCount);
        return;
    }
    const int axis = longestAxis(tree, place, place + count);
    const uint32_t half = leaves / 2 * BOX_TREE_ROOM, lower = count / 2;
    tree->axes[node] = (uint8_t)axis;
    for (uint32_t i = place; i < place + count; ++i)
        tree->keys[i] = middleOf(tree, i, axis);
    selectFirst(tree, place, place + count, place + lower);
    copyPlaces(tree, place + half, place + lower, count - lower);
    order(tree, 2 * node + 1, place, leaves / 2, lower);
    order(tree, 2 * node + 2, place + half, leaves / 2, count - lower);
}

void grzBoxTree_Order(grzBoxTree* tree, uint32_t node, uint32_t count) {
    const BoxTreeSpan leaves = grzBoxTree_LeavesBelow(tree, node);
    order(tree, node, leaves.begin * BOX_TREE_ROOM, leaves.end - leaves.begin, count);
    grzBoxTree_BoundAnew(tree, node);
    grzBoxTree_MarkBelow(tree, node);
    grzBoxTree_MarkAbove(tree, node);
}

uint32_t grzBoxTree_Gather(grzBoxTree* tree, uint32_t node) {
    const BoxTreeSpan leaves = grzBoxTree_LeavesBelow(tree, node);
    const uint32_t first = leaves.begin * BOX_TREE_ROOM;
    uint32_t count = 0;
    for (uint32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
        grzBoxTree_ForgetLeaf(tree, leaf);
        copyPlaces(tree, first + count, leaf * BOX_TREE_ROOM, tree->counts[leaf]);
        count += tree->counts[leaf];
    }
    return count;
}

// ---- parts ----

static double surfaceOf(grzBox box) {
    if (grzBox_IsEmpty(box))
        return 0;
    const double x = (double)box.upper.x - (double)box.lower.x, y = (double)box.upper.y - (double)box.lower.y;
    const double z = (double)box.upper.z - (double)box.lower.z;
    return x * (y + z) + y * z;
}

static double sumOfLeaves(const grzBoxTree* tree, uint32_t node, grzBox box) {
    grzBox children[2];
    if (isLeafNode(tree, node))
        return surfaceOf(box);
    grzBoxTree_Split(tree, node, box, children);
    return sumOfLeaves(tree, 2 * node + 1, children[0]) + sumOfLeaves(tree, 2 * node + 2, children[1]);
}

static grzBox boxOf(const grzBoxTree* tree, uint32_t node) {
    grzBox children[2];
    if (node == 0)
        return grzBoxTree_RootBox(tree);
    const uint32_t parent = (node - 1) / 2;
    grzBoxTree_Split(tree, parent, boxOf(tree, parent), children);
    return children[(node - 1) % 2];
}

static uint32_t nodeOfPart(const grzBoxTree* tree, uint32_t part) {
    return (1u << tree->partDepth) - 1 + part;
}

static double partSum(const grzBoxTree* tree, uint32_t part) {
    const uint32_t node = nodeOfPart(tree, part);
    const grzBox box = boxOf(tree, node);
    const double surface = surfaceOf(box);
    return surface > 0 ? sumOfLeaves(tree, node, box) / surface : 0;
}

void grzBoxTree_SumParts(grzBoxTree* tree, uint32_t node) {
    const BoxTreeSpan leaves = grzBoxTree_LeavesBelow(tree, node);
    const uint32_t shift = tree->depth - tree->partDepth;
    for (uint32_t part = leaves.begin >> shift; part <= (leaves.end - 1) >> shift; ++part)
        tree->builtSums[part] = partSum(tree, part);
}

uint32_t grzBoxTree_RebuildLoose(grzBoxTree* tree, float factor) {
    GRZ_RETURN_IF_NULL(tree, 0);
    uint32_t count = 0;
    grzBoxTree_CloseInterval(tree);
    for (uint32_t part = 0; part < tree->partCount; ++part) {
        if (!(partSum(tree, part) > (double)factor * tree->builtSums[part]))
            continue;
        grzBoxTree_Order(tree, nodeOfPart(tree, part), grzBoxTree_Gather(tree, nodeOfPart(tree, part)));
        tree->builtSums[part] = -1; // to be summed when all planes are there
        ++count;
    }
    if (count == 0)
        return 0;
    grzBoxTree_SettleMarked(tree);
    for (uint32_t part = 0; part < tree->partCount; ++part)
        if (tree->builtSums[part] < 0)
            tree->builtSums[part] = partSum(tree, part);
    tree->stats.rebuilt += count;
    return count;
}
