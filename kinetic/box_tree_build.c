// What: the order of a BoxTree's triangles, and parts that are ordered anew.
// Idea: the shape follows from the count alone, so that any subtree can be ordered anew in place. A node is cut along the longest
//   side of the box of its triangles' middles, at the middle of their count.
// Based on: [Zachmann, The BoxTree: Exact and Fast Collision Detection of Arbitrary Polyhedra, SIVE 1995] for planes in place of
//   boxes, as [Zachmann and Weller 2006] tell it; the cut is ours. Rebuilding parts is their future work.
#include <string.h>

#include "box_tree_inside.h"

static float middleOf(const grzBoxTree* tree, uint32_t triangle, int axis, double at) {
    const uint32_t* corners = tree->triangles + 3 * (size_t)triangle;
    float sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += grzPlan_Float(tree->plan, corners[k], axis, at) / 3;
    return sum;
}

static int longestAxis(const grzBoxTree* tree, uint32_t begin, uint32_t end, double at) {
    float longest = -1;
    int best = 0;
    for (int axis = 0; axis < 3; ++axis) {
        float lower = (float)INFINITY, upper = -(float)INFINITY;
        for (uint32_t i = begin; i < end; ++i) {
            const float middle = middleOf(tree, tree->order[i], axis, at);
            lower = middle < lower ? middle : lower;
            upper = middle > upper ? middle : upper;
        }
        if (upper - lower > longest)
            longest = upper - lower, best = axis;
    }
    return best;
}

static bool isBefore(const grzBoxTree* tree, uint32_t a, uint32_t b) {
    return tree->keys[a] < tree->keys[b] || (tree->keys[a] == tree->keys[b] && a < b);
}

static void swap(uint32_t* order, uint32_t i, uint32_t k) {
    const uint32_t kept = order[i];
    order[i] = order[k];
    order[k] = kept;
}

// Brings the triangles of [begin, end) that come first to [begin, middle): Hoare's selection, pivot from the middle of three.
static void select(grzBoxTree* tree, uint32_t begin, uint32_t end, uint32_t middle) {
    uint32_t* order = tree->order;
    while (end - begin > 1) {
        const uint32_t half = begin + (end - begin) / 2;
        if (isBefore(tree, order[half], order[begin]))
            swap(order, half, begin);
        if (isBefore(tree, order[end - 1], order[half]))
            swap(order, end - 1, half);
        if (isBefore(tree, order[half], order[begin]))
            swap(order, half, begin);
        if (end - begin <= 3)
            return;
        const uint32_t pivot = order[half];
        uint32_t i = begin, k = end - 1;
        for (;;) {
            while (isBefore(tree, order[i], pivot))
                ++i;
            while (isBefore(tree, pivot, order[k]))
                --k;
            if (i >= k)
                break;
            swap(order, i++, k--);
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

// The leaves below a node.
typedef struct Span {
    uint32_t begin, end;
} Span;

static Span leavesBelow(const grzBoxTree* tree, uint32_t node) {
    uint32_t depth = 0;
    while (node >= (2u << depth) - 1)
        ++depth;
    const uint32_t index = node - ((1u << depth) - 1), shift = tree->depth - depth;
    return (Span){index << shift, (index + 1) << shift};
}

void grzBoxTree_Order(grzBoxTree* tree, uint32_t node, double at) {
    if (isLeafNode(tree, node))
        return;
    const Span leaves = leavesBelow(tree, node);
    const uint32_t begin = tree->starts[leaves.begin], end = tree->starts[leaves.end];
    const uint32_t middle = tree->starts[leaves.begin + (leaves.end - leaves.begin) / 2];
    const int axis = longestAxis(tree, begin, end, at);
    tree->axes[node] = (uint8_t)axis;
    for (uint32_t i = begin; i < end; ++i)
        tree->keys[tree->order[i]] = middleOf(tree, tree->order[i], axis, at);
    select(tree, begin, end, middle);
    grzBoxTree_Order(tree, 2 * node + 1, at);
    grzBoxTree_Order(tree, 2 * node + 2, at);
}

void grzBoxTree_SettleAll(grzBoxTree* tree, double at) {
    for (uint32_t slot = 2 * tree->innerCount; slot-- > 0;)
        grzBoxTree_Settle(tree, slot, at);
    for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
        grzBoxTree_Settle(tree, 2 * tree->innerCount + side, at);
}

void grzBoxTree_ListLeaves(grzBoxTree* tree) {
    uint32_t* starts = tree->leafStarts + 1; // a place further, so that filling brings each to its own
    memset(tree->leafStarts, 0, ((size_t)tree->vertexCount + 2) * sizeof *starts);
    for (size_t i = 0; i < 3 * (size_t)tree->triangleCount; ++i)
        starts[tree->triangles[i] + 1]++;
    for (uint32_t v = 0; v < tree->vertexCount; ++v)
        starts[v + 1] += starts[v];
    for (uint32_t leaf = 0; leaf < tree->leafCount; ++leaf)
        for (uint32_t i = tree->starts[leaf]; i < tree->starts[leaf + 1]; ++i)
            for (uint32_t k = 0; k < 3; ++k)
                tree->leavesOf[starts[tree->triangles[3 * (size_t)tree->order[i] + k]]++] = leaf;
}

// ---- parts ----

static double surfaceOf(grzBox box) {
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

double grzBoxTree_PartSum(const grzBoxTree* tree, uint32_t part) {
    const uint32_t node = nodeOfPart(tree, part);
    const grzBox box = boxOf(tree, node);
    const double surface = surfaceOf(box);
    return surface > 0 ? sumOfLeaves(tree, node, box) / surface : 0;
}

uint32_t grzBoxTree_RebuildLoose(grzBoxTree* tree, float factor) {
    uint32_t count = 0;
    for (uint32_t part = 0; part < tree->partCount; ++part) {
        if (!(grzBoxTree_PartSum(tree, part) > (double)factor * tree->builtSums[part]))
            continue;
        grzBoxTree_Order(tree, nodeOfPart(tree, part), tree->at);
        tree->builtSums[part] = -1; // to be summed when all planes are there
        ++count;
    }
    if (count == 0)
        return 0;
    grzBoxTree_SettleAll(tree, tree->at);
    for (uint32_t part = 0; part < tree->partCount; ++part)
        if (tree->builtSums[part] < 0)
            tree->builtSums[part] = grzBoxTree_PartSum(tree, part);
    if (tree->plan->kind == grz_planPaths)
        grzBoxTree_ListLeaves(tree);
    tree->stats.rebuilt += count;
    return count;
}
