// What: the vertex that realises a plane of a BoxTree, its event, and the planes that look at it.
// Idea: the search of the paper: down from the plane's subtree, a node that is cut along the same axis has already found the
//   outermost of one of its children, so only that vertex and the other child are looked at; a node cut along another axis has
//   nothing to tell, and both children are looked at; at a leaf, all its vertices. That is the row of the plane. What comes ahead
//   later within a child that is left out has an event there first. Each plane is looked at by just one other, or an outer side.
//
//   On keyframes see box_tree_frames.c. On paths all of the row is looked at, twice: for the leader, and for who passes it.
// Cost: on paths, as published: a path of the tree where all nodes are cut along one axis; in general more, up to all of it
//   (theorem 5).
// Based on: [Zachmann and Weller 2006] section 6, figures 8 and 9. We differ: the six sides of everything have vertices and
//   events as planes have, since boxes below are cut out of that one; a leaf has up to four triangles, and room for more to come.
#include "box_tree_inside.h"

// ---- paths ----

typedef struct Search {
    grzBoxTree* tree;
    BoxTreePlane plane;
    double at;
    double most; // of the leader, with its sign
    uint32_t leader;
    BoxTreeLead next;
} Search;

typedef void CandidateFn(Search* search, uint32_t vertex);

static void visitLeaf(Search* search, uint32_t node, CandidateFn* look) {
    const grzBoxTree* tree = search->tree;
    const uint32_t leaf = node - tree->innerCount;
    const uint32_t* corners = tree->corners + (size_t)leaf * BOX_TREE_CORNERS;
    for (uint32_t left = tree->fresh[leaf]; left != 0; left &= left - 1)
        look(search, corners[__builtin_ctz(left)]);
}

// As deep as the tree.
static void visitRow(Search* search, uint32_t node, CandidateFn* look) {
    const grzBoxTree* tree = search->tree;
    const uint32_t side = search->plane.side;
    while (!isLeafNode(tree, node)) {
        if (tree->axes[node] == axisOfSide(side)) {
            const uint32_t owner = tree->owners[childWithPlane(node, side) - 1];
            if (owner != GRZ_MESH_NONE)
                look(search, owner);
            node = childBeyond(node, side);
        } else {
            visitRow(search, 2 * node + 1, look);
            node = 2 * node + 2;
        }
    }
    visitLeaf(search, node, look);
}

static double valueOf(const Search* search, uint32_t vertex) {
    const double value = grzPlan_Double(search->tree->plan, vertex, axisOfSide(search->plane.side), search->at);
    return isUpperSide(search->plane.side) ? value : -value;
}

static void seekLeader(Search* search, uint32_t vertex) {
    if (vertex == search->leader)
        return;
    search->tree->stats.candidates++;
    const double value = valueOf(search, vertex);
    if (search->leader != GRZ_MESH_NONE && value <= search->most &&
        (value < search->most ||
         compareOnSide(search->tree, search->plane.side, vertex, search->leader, search->at) <= 0))
        return;
    search->leader = vertex;
    search->most = value;
}

static void seekNext(Search* search, uint32_t vertex) {
    if (vertex == search->leader || vertex == search->next.vertex)
        return;
    search->tree->stats.candidates++;
    const double until = overtakes(search->tree, search->plane.side, search->leader, vertex, search->at);
    if (until > search->next.until || until == (double)INFINITY)
        return;
    if (until == search->next.until &&
        compareOnSide(search->tree, search->plane.side, vertex, search->next.vertex, until) <= 0)
        return;
    search->next = (BoxTreeLead){vertex, until};
}

static Search searchOf(grzBoxTree* tree, BoxTreePlane plane, uint32_t leader, double at) {
    return (Search){tree, plane, at, 0, leader, {GRZ_MESH_NONE, (double)INFINITY}};
}

static uint32_t leaderOnPaths(grzBoxTree* tree, BoxTreePlane plane, double at) {
    Search search = searchOf(tree, plane, GRZ_MESH_NONE, at);
    visitRow(&search, plane.top, seekLeader);
    return search.leader;
}

static BoxTreeLead nextOnPaths(grzBoxTree* tree, BoxTreePlane plane, uint32_t owner, double at) {
    Search search = searchOf(tree, plane, owner, at);
    visitRow(&search, plane.top, seekNext);
    return search.next;
}

// ---- both ----

void grzBoxTree_SetOwner(grzBoxTree* tree, uint32_t slot, uint32_t vertex, double at) {
    const BoxTreePlane plane = planeOf(tree, slot);
    BoxTreeLead next = {GRZ_MESH_NONE, (double)INFINITY};
    if (vertex != GRZ_MESH_NONE)
        next = tree->plan->kind == grz_planKeyframes
                   ? grzBoxTree_NextOnFrames(tree, plane, vertex, tree->mosts[slot], at)
                   : nextOnPaths(tree, plane, vertex, at);
    tree->owners[slot] = vertex;
    tree->rivals[slot] = next.vertex;
    grzEventQueue_Set(&tree->queue, slot, next.until);
}

bool grzBoxTree_Settle(grzBoxTree* tree, uint32_t slot, double at) {
    const BoxTreePlane plane = planeOf(tree, slot);
    const uint32_t old = tree->owners[slot];
    const uint32_t leader = tree->plan->kind == grz_planKeyframes ? grzBoxTree_LeaderOnFrames(tree, plane, at)
                                                                  : leaderOnPaths(tree, plane, at);
    grzBoxTree_SetOwner(tree, slot, leader, at);
    tree->stats.updates += leader != old;
    return leader != old;
}

uint32_t grzBoxTree_SlotAbove(const grzBoxTree* tree, uint32_t node, uint32_t side) {
    for (; node != 0; node = (node - 1) / 2) {
        const uint32_t parent = (node - 1) / 2;
        if (tree->axes[parent] == axisOfSide(side) && childWithPlane(parent, side) == node)
            return node - 1;
    }
    return 2 * tree->innerCount + side;
}

// ---- all at once ----

void grzBoxTree_Mark(grzBoxTree* tree, uint32_t slot) {
    tree->dirty[slot / 64] |= UINT64_C(1) << slot % 64;
}

void grzBoxTree_MarkAbove(grzBoxTree* tree, uint32_t node) {
    for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
        grzBoxTree_Mark(tree, grzBoxTree_SlotAbove(tree, node, side));
}

void grzBoxTree_MarkBelow(grzBoxTree* tree, uint32_t node) {
    for (uint32_t first = node, count = 1; !isLeafNode(tree, first); first = 2 * first + 1, count *= 2)
        for (uint32_t i = first; i < first + count; ++i) {
            grzBoxTree_Mark(tree, 2 * i);
            grzBoxTree_Mark(tree, 2 * i + 1);
        }
}

static bool hasNewPath(const grzBoxTree* tree, uint32_t vertex) {
    return tree->plan->kind == grz_planPaths && vertex != GRZ_MESH_NONE &&
           (tree->isChanged.data[vertex / 64] >> vertex % 64 & 1) != 0;
}

// A plane that is realised by another vertex, or by one with another path, has news for the one that looks at it.
static void settleMarked(grzBoxTree* tree, uint32_t slot) {
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if ((tree->dirty[slot / 64] & bit) == 0)
        return;
    tree->dirty[slot / 64] &= ~bit;
    const BoxTreePlane plane = planeOf(tree, slot);
    const bool isNew = grzBoxTree_Settle(tree, slot, tree->at);
    if (!isOuter(tree, slot) && (isNew || hasNewPath(tree, tree->owners[slot])))
        grzBoxTree_Mark(tree, grzBoxTree_SlotAbove(tree, slot / 2, plane.side));
}

// From below up: nodes come after their parents. Each slot once.
void grzBoxTree_SettleMarked(grzBoxTree* tree) {
    for (uint32_t slot = 2 * tree->innerCount; slot-- > 0;) {
        if (slot % 64 == 63 && tree->dirty[slot / 64] == 0)
            slot -= 63;
        else
            settleMarked(tree, slot);
    }
    for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
        settleMarked(tree, 2 * tree->innerCount + side);
}
