// What: the promises of a chord tree, looked at one by one; and how loose its leaves are.
// Holds: a vertex is where real arithmetic has it (plan_inside.h), as a double; a side is a float, which a double holds.
#include <float.h>

#include "check.h"
#include "chord_inside.h"
#include "refuse_null.h"

static bool isBad(const char* what, uint32_t level, uint32_t index) {
    grzLog(grz_logError, "a chord tree is broken: %s (level %u, node %u)", what, level, index);
    return false;
}

static bool isChildInside(const grzBvhNode* parent, uint32_t own, const grzBvhNode* node, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k)
        for (int axis = 0; axis < 3; ++axis)
            if (!(parent->lower[axis][own] <= node->lower[axis][k] &&
                  node->upper[axis][k] <= parent->upper[axis][own]))
                return false;
    return true;
}

static bool checkLevel(const grzChordTree* tree, uint32_t level) {
    const grzBvhView* view = &tree->view;
    for (uint32_t i = 0; i < view->levelStarts[level + 1] - view->levelStarts[level]; ++i) {
        grzBvhNode node, parent;
        grzChordTree_ReadNode(tree, level, i, &node);
        grzChordTree_ReadNode(tree, level - 1, i / GRZ_BVH_WIDTH, &parent);
        if (!isChildInside(&parent, i % GRZ_BVH_WIDTH, &node, grzBvhView_ChildCount(view, level, i)))
            return isBad("a child is outside of its parent", level, i);
    }
    return true;
}

// ---- leaves ----

typedef struct LeafLooseness {
    double worst, sum; // over the sides: how far they lie outside
    bool isInside;
} LeafLooseness;

static void lookAtAxis(const grzChordTree* tree, uint32_t leaf, int axis, const grzBvhNode* node,
                       LeafLooseness* looseness) {
    const double lower = (double)node->lower[axis][leaf % 8], upper = (double)node->upper[axis][leaf % 8];
    const double at = tree->from->frame + (double)tree->part;
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (uint32_t k = 0; k < tree->view.leafVertexCounts[leaf]; ++k) {
        const double x = grzPlan_Double(tree->plan, grzChord_LeafVertex(tree, leaf, k), axis, at);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    looseness->isInside = looseness->isInside && lower <= least && most <= upper;
    looseness->worst = fmax(looseness->worst, fmax(least - lower, upper - most));
    looseness->sum += (least - lower) + (upper - most);
}

static LeafLooseness lookAtLeaf(const grzChordTree* tree, uint32_t leaf) {
    LeafLooseness looseness = {.isInside = true};
    grzBvhNode node;
    grzChordTree_ReadNode(tree, tree->view.levelCount - 1, leaf / 8, &node);
    for (int axis = 0; axis < 3; ++axis)
        lookAtAxis(tree, leaf, axis, &node, &looseness);
    return looseness;
}

// What rounding adds where looseness is held, of the coordinates at the keyframes, u = 2^-24: the margin and reading 11u
// (chord_sides.h), the test for looseness 16u (chord_fit_kernel.c); allowed are 32u.
static double roundingOf(const grzChordTree* tree, uint32_t leaf) {
    const uint32_t at = grzBvhView_BottomStart(&tree->view) + leaf / 8;
    ChordEnds ends;
    grzChord_EndsOf(tree, at, &ends);
    const grzBvhNode *a = ends.from, *b = ends.to;
    double size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        size = fmax(size, fmax(fabs((double)a->lower[axis][leaf % 8]), fabs((double)a->upper[axis][leaf % 8])));
        size = fmax(size, fmax(fabs((double)b->lower[axis][leaf % 8]), fabs((double)b->upper[axis][leaf % 8])));
    }
    const double rounding = 0x1p-19 * size + 0x1p-119;
    return size + rounding <= (double)FLT_MAX ? rounding : (double)INFINITY; // beyond that range a side is infinite
}

bool grzChordTree_Validate(const grzChordTree* tree) {
    GRZ_RETURN_IF_NULL(tree, false);
    if (grzChord_FlawOfFollowing(tree) != NULL)
        return isBad("the hierarchy was edited, and it has not followed", 0, 0);
    for (uint32_t level = 1; level < tree->view.levelCount; ++level)
        if (!checkLevel(tree, level))
            return false;
    for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf) {
        const LeafLooseness looseness = lookAtLeaf(tree, leaf);
        if (!looseness.isInside)
            return isBad("a vertex is outside of a leaf", tree->view.levelCount - 1, leaf / 8);
        if (looseness.worst > (double)tree->looseness + roundingOf(tree, leaf))
            return isBad("a leaf is too loose", tree->view.levelCount - 1, leaf / 8);
    }
    return true;
}

grzChordLooseness grzChordTree_Measure(const grzChordTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzChordLooseness){0});
    grzChordLooseness all = {0, 0};
    if (grzChord_FlawOfFollowing(tree) != NULL)
        return (grzChordLooseness){(double)INFINITY, (double)INFINITY};
    for (uint32_t leaf = 0; leaf < tree->view.leafCount; ++leaf) {
        const LeafLooseness looseness = lookAtLeaf(tree, leaf);
        all.worst = fmax(all.worst, looseness.worst);
        all.mean += looseness.sum;
    }
    if (tree->view.leafCount != 0)
        all.mean /= 6 * (double)tree->view.leafCount;
    return all;
}
