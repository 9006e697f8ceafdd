// What: which vertex realises a plane of a BoxTree, and until when.
// Idea: the search of the paper: down from the plane's subtree, a node that is cut along the same axis has already found the outermost of
//   one of its children, so only that vertex and the other child are looked at; a node cut along another axis has nothing to tell,
//   and both children are looked at; at a leaf, all its vertices. What comes ahead later within a child that is left out has an
//   event there first.
// Cost: a path of the tree where all nodes are cut along one axis; in general more, up to all of it (theorem 5 of the paper).
// Based on: [Zachmann and Weller 2006] section 6, figures 8 and 9.
#include "box_tree_inside.h"
#include "graze/mesh.h"

typedef struct Search {
    grzBoxTree* tree;
    BoxTreePlane plane;
    double at;
    double most;     // of the leader, with its sign
    uint32_t leader; // GRZ_MESH_NONE at first
    double until;
} Search;

typedef void CandidateFn(Search* search, uint32_t vertex);

static void visitLeaf(Search* search, uint32_t node, CandidateFn* look) {
    const grzBoxTree* tree = search->tree;
    const uint32_t leaf = node - tree->innerCount;
    for (uint32_t i = tree->starts[leaf]; i < tree->starts[leaf + 1]; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            look(search, tree->triangles[3 * (size_t)tree->order[i] + k]);
}

// As deep as the tree.
static void visitNode(Search* search, uint32_t node, CandidateFn* look) {
    const grzBoxTree* tree = search->tree;
    while (!isLeafNode(tree, node)) {
        const uint32_t lower = 2 * node + 1, upper = lower + 1;
        if (tree->axes[node] == search->plane.axis) {
            look(search, tree->owners[2 * node + (search->plane.isMost ? 0 : 1)]);
            node = search->plane.isMost ? upper : lower;
        } else {
            visitNode(search, lower, look);
            node = upper;
        }
    }
    visitLeaf(search, node, look);
}

static double valueOf(const Search* search, uint32_t vertex) {
    const double value = grzPlan_Double(search->tree->plan, vertex, search->plane.axis, search->at);
    return search->plane.isMost ? value : -value;
}

static void seekLeader(Search* search, uint32_t vertex) {
    search->tree->stats.candidates++;
    if (vertex == search->leader)
        return;
    const double value = valueOf(search, vertex);
    if (search->leader != GRZ_MESH_NONE && value <= search->most) {
        if (value < search->most)
            return;
        const int order =
            grzPlan_Compare(search->tree->plan, search->plane.axis, vertex, search->leader, search->at);
        if ((search->plane.isMost ? order : -order) <= 0)
            return;
    }
    search->leader = vertex;
    search->most = value;
}

static void seekEvent(Search* search, uint32_t vertex) {
    if (vertex == search->leader)
        return;
    const uint32_t high = search->plane.isMost ? search->leader : vertex,
                   low = search->plane.isMost ? vertex : search->leader;
    search->until =
        fmin(search->until, grzPlan_Overtakes(search->tree->plan, search->plane.axis, high, low, search->at));
}

bool grzBoxTree_Settle(grzBoxTree* tree, uint32_t slot, double at) {
    Search search = {tree, planeOf(tree, slot), at, 0, GRZ_MESH_NONE, (double)INFINITY};
    visitNode(&search, search.plane.top, seekLeader);
    visitNode(&search, search.plane.top, seekEvent);
    const bool isNew = tree->owners[slot] != search.leader;
    tree->owners[slot] = search.leader;
    tree->stats.updates += isNew;
    grzEventQueue_Set(&tree->queue, slot, search.until);
    return isNew;
}

uint32_t grzBoxTree_SlotAbove(const grzBoxTree* tree, uint32_t node, int axis, bool isMost) {
    while (node != 0) {
        const uint32_t parent = (node - 1) / 2;
        if (tree->axes[parent] == axis && (node % 2 == 1) == isMost)
            return 2 * parent + (isMost ? 0 : 1);
        node = parent;
    }
    return 2 * tree->innerCount + (uint32_t)axis + (isMost ? 3 : 0);
}
