// What: bounds of the inner nodes of a BoxTree at the keyframes about its time; leaves' are made when they are needed.
// Cost: a refit's: each leaf's vertices once, 24 bytes for each inner node and keyframe.
#include <string.h>

#include "box_tree_inside.h"

static BoxTreeBounds boundsOf(grzVec3 lower, grzVec3 upper) {
    return (BoxTreeBounds){{-lower.x, -lower.y, -lower.z, upper.x, upper.y, upper.z}};
}

BoxTreeBounds grzBoxTree_BoundLeaf(const grzBoxTree* tree, uint32_t leaf, const PlanFrame* frame) {
    const uint32_t* corners = tree->corners + (size_t)leaf * BOX_TREE_CORNERS;
    grzVec3 lower = grzVec3_Splat((float)INFINITY), upper = grzVec3_Splat(-(float)INFINITY);
    for (uint32_t left = tree->fresh[leaf]; left != 0; left &= left - 1) {
        const grzVec3 p = grzVec3_Load(frame->positions + corners[__builtin_ctz(left)] * frame->stride);
        lower = grzMin(lower, p);
        upper = grzMax(upper, p);
    }
    return boundsOf(lower, upper);
}

static BoxTreeBounds boundNode(const grzBoxTree* tree, uint32_t node, const PlanFrame* frame,
                               const BoxTreeBounds* bounds) {
    const uint32_t lower = 2 * node + 1;
    if (!isLeafNode(tree, lower))
        return grzBoxTree_Join(&bounds[lower], &bounds[lower + 1]);
    const BoxTreeBounds a = grzBoxTree_BoundLeaf(tree, lower - tree->innerCount, frame),
                        b = grzBoxTree_BoundLeaf(tree, lower + 1 - tree->innerCount, frame);
    return grzBoxTree_Join(&a, &b);
}

static void boundBelow(const grzBoxTree* tree, uint32_t node, double number, BoxTreeBounds* bounds) {
    if (isLeafNode(tree, node))
        return;
    if (!isLeafNode(tree, 2 * node + 1)) {
        boundBelow(tree, 2 * node + 1, number, bounds);
        boundBelow(tree, 2 * node + 2, number, bounds);
    }
    bounds[node] = boundNode(tree, node, frameOfTree(tree, number), bounds);
}

static void boundAbove(const grzBoxTree* tree, uint32_t node, double number, BoxTreeBounds* bounds) {
    while (node != 0) {
        node = (node - 1) / 2;
        bounds[node] = boundNode(tree, node, frameOfTree(tree, number), bounds);
    }
}

// Of the planes that are of a node: its own, or the outer ones.
static void noteMost(grzBoxTree* tree, uint32_t node) {
    const BoxTreeBounds bounds = isLeafNode(tree, node) ? grzBoxTree_BoundLeaf(tree, node - tree->innerCount,
                                                                               frameOfTree(tree, tree->knownEnd))
                                                        : tree->ends[node];
    for (uint32_t side = 0; node == 0 && side < BOX_TREE_SIDES; ++side)
        tree->mosts[2 * tree->innerCount + side] = bounds.most[side];
    if (node != 0)
        tree->mosts[node - 1] = bounds.most[planeOf(tree, node - 1).side];
}

static void noteBelow(grzBoxTree* tree, uint32_t node) {
    noteMost(tree, node);
    if (isLeafNode(tree, node))
        return;
    noteBelow(tree, 2 * node + 1);
    noteBelow(tree, 2 * node + 2);
}

void grzBoxTree_BoundAnew(grzBoxTree* tree, uint32_t node) {
    if (tree->plan->kind != grz_planKeyframes)
        return;
    boundBelow(tree, node, tree->knownBegin, tree->begins);
    boundAbove(tree, node, tree->knownBegin, tree->begins);
    boundBelow(tree, node, tree->knownEnd, tree->ends);
    boundAbove(tree, node, tree->knownEnd, tree->ends);
    noteBelow(tree, node);
    while (node != 0) {
        node = (node - 1) / 2;
        noteMost(tree, node);
    }
}

void grzBoxTree_CloseInterval(grzBoxTree* tree) {
    if (tree->plan->kind != grz_planKeyframes || tree->at != tree->knownEnd || tree->leafCount == 0)
        return;
    memcpy(tree->begins, tree->ends, tree->innerCount * sizeof *tree->begins);
    tree->knownBegin = tree->knownEnd;
}
