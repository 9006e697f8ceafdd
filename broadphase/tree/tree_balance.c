// What: finds the rank nodes whose children no longer share their objects fairly, and has them laid anew.
// Promise: answers never change. A node that is counted and found in shape is left alone.
// Idea: other nestings move their split points after their objects [Shagam] 2.1.6. The planes of a rank node are medians, which
//   cannot follow one object at a time, so they stay until the node is out of shape; then its objects are taken back into it, and
//   the next query splits it as if it were new. A node that had `laidCount` objects when it was split, `laidMost` of them in its
//   largest child, and has `count` and `most` now, is out of shape when it is
//      grown      count > 4 laidCount: its leaves have been split in two, and again, where it could have had sixteen children;
//      shrunken   count < laidCount / 2: its leaves are as empty;
//      lopsided   most > count / 4 and most > 2 laidMost: one child has taken in more than it had, and a query that meets a
//                 quarter of the objects in one place goes through a chain of such children.
//   Equal centres cannot be parted, so a node may have a child that is too large from the start; this is why it is compared with
//   what it was and not only with what would be fair.
// Holds: an update of all objects counts everything in passing and leaves no rank node out of shape. Single insertions and updates
//   do not count: a leaf that they have filled reports, when it is split, how many came, and a node is counted, before the next
//   query or update, after as many arrivals as a quarter of what it was laid with. Objects that leave one by one are not noticed.
// Cost: laying n objects anew is O(n) for each level below, and before it at least n/8 objects have come to the node or to one of
//   its children, or n have left it. So an object that comes or goes pays for a constant number of objects on each level above it:
//   O(log^2 n) amortised. A single query may have to pay for all that came before: O(n log n), as when a tree is split at first.
#include "tree_inside.h"

static TreePlanes* planesOf(const grzTree* tree, uint32_t node) {
    const TreeNodeInfo* info = &tree->infos[node];
    return info->kind == tree_splitRank && tree->nodes[node].childMask != 0 ? &tree->planes.data[info->planes]
                                                                            : NULL;
}

static bool isToBeCounted(const TreePlanes* planes) {
    return planes->arrivedCount > planes->laidCount / 4;
}

void grzTreeReportArrivals(grzTree* tree, uint32_t leaf, uint32_t objectCount) {
    uint32_t born = tree->infos[leaf].born;
    if (objectCount <= born)
        return;
    bool isCrowded = false;
    for (uint32_t node = tree->infos[leaf].parent; node != TREE_NONE; node = tree->infos[node].parent) {
        TreePlanes* planes = planesOf(tree, node);
        if (planes != NULL) {
            planes->arrivedCount += objectCount - born;
            isCrowded |= isToBeCounted(planes);
        }
        tree->infos[node].isCrowded |= isCrowded;
    }
}

bool grzTreeMendShape(grzTree* tree, uint32_t node, uint32_t count, uint32_t most) {
    TreePlanes* planes = planesOf(tree, node);
    if (planes == NULL)
        return false;
    planes->arrivedCount = 0;
    bool isGrown = count / 4 > planes->laidCount;
    bool isShrunken = count < planes->laidCount / 2;
    bool isLopsided = most > count / 4 && most / 2 > planes->laidMost;
    return (isGrown || isShrunken || isLopsided) && grzTreeCollapse(tree, node);
}

// True where the node was collapsed.
static bool countNode(grzTree* tree, uint32_t node) {
    const TreePlanes* planes = planesOf(tree, node);
    if (planes == NULL || !isToBeCounted(planes))
        return false;
    uint32_t count = tree->nodes[node].objectCount, most = 0;
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i) {
        uint32_t part = grzTreeSubtreeCount(tree, tree->nodes[node].firstChild + i);
        count += part;
        most = part > most ? part : most;
    }
    return grzTreeMendShape(tree, node, count, most);
}

static void settleNode(grzTree* tree, uint32_t node) {
    if (!tree->infos[node].isCrowded)
        return;
    tree->infos[node].isCrowded = false;
    if (countNode(tree, node))
        return;
    for (uint32_t i = 0; i < treeChildCount(tree, node); ++i)
        settleNode(tree, tree->nodes[node].firstChild + i);
}

void grzTreeSettle(grzTree* tree) {
    settleNode(tree, tree_root);
    grzTreeLayOut(tree);
}
