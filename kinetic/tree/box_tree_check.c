// What: all promises of a BoxTree again, slowly.
#include "box_tree_inside.h"
#include "check.h"
#include "refuse_null.h"

static bool isBad(const char* what, uint32_t index) {
    grzLog(grz_logError, "a BoxTree is broken: %s (%u)", what, index);
    return false;
}

// ---- planes ----

// Every vertex below a node, none of which may be outside of a plane.
static bool checkBelow(const grzBoxTree* tree, const BoxTreePlane* plane, uint32_t owner, uint32_t node,
                       bool* isThere) {
    if (!isLeafNode(tree, node))
        return checkBelow(tree, plane, owner, 2 * node + 1, isThere) &&
               checkBelow(tree, plane, owner, 2 * node + 2, isThere);
    const uint32_t leaf = node - tree->innerCount;
    for (uint32_t k = 0; k < 3u * tree->counts[leaf]; ++k) {
        const uint32_t vertex = tree->corners[leaf * (size_t)BOX_TREE_CORNERS + k];
        *isThere = *isThere || vertex == owner;
        if (owner == GRZ_MESH_NONE || compareOnSide(tree, plane->side, owner, vertex, tree->at) < 0)
            return false;
    }
    return true;
}

static float mostBelow(const grzBoxTree* tree, BoxTreePlane plane, const PlanFrame* frame) {
    if (isLeafNode(tree, plane.top))
        return grzBoxTree_BoundLeaf(tree, plane.top - tree->innerCount, frame).most[plane.side];
    const float lower = mostBelow(tree, (BoxTreePlane){2 * plane.top + 1, plane.side}, frame),
                upper = mostBelow(tree, (BoxTreePlane){2 * plane.top + 2, plane.side}, frame);
    return lower > upper ? lower : upper;
}

static bool checkPlane(const grzBoxTree* tree, uint32_t slot) {
    const BoxTreePlane plane = planeOf(tree, slot);
    const uint32_t owner = tree->owners[slot];
    bool isThere = false;
    if (!checkBelow(tree, &plane, owner, plane.top, &isThere) || isThere != (owner != GRZ_MESH_NONE))
        return isBad("a plane is not where it must be", slot);
    if ((tree->dirty[slot / 64] >> slot % 64 & 1) != 0)
        return isBad("a plane is still marked", slot);
    if (tree->plan->kind == grz_planKeyframes && owner != GRZ_MESH_NONE) {
        const float most = mostBelow(tree, plane, frameOfTree(tree, tree->knownEnd));
        if (tree->mosts[slot] != most)
            return isBad("what a plane comes to is not known", slot);
    }
    return true;
}

// ---- leaves ----

static bool isLinked(const grzBoxTree* tree, uint32_t corner) {
    uint32_t at = tree->firsts.data[tree->corners[corner]];
    while (at != corner && at != GRZ_MESH_NONE)
        at = tree->nexts[at];
    return at == corner;
}

static bool checkLeaf(const grzBoxTree* tree, uint32_t leaf) {
    const uint32_t* corners = tree->corners + leaf * (size_t)BOX_TREE_CORNERS;
    for (uint32_t k = 0; k < tree->counts[leaf]; ++k) {
        const uint32_t place = leaf * BOX_TREE_ROOM + k;
        if (tree->places.data[tree->order[place]] != place)
            return isBad("a triangle is not in its place", place);
    }
    for (uint32_t k = 0; k < BOX_TREE_CORNERS; ++k) {
        bool isFresh = k < 3u * tree->counts[leaf];
        for (uint32_t i = 0; i < k && isFresh; ++i)
            isFresh = corners[i] != corners[k];
        if ((tree->fresh[leaf] >> k & 1) != isFresh)
            return isBad("a leaf does not know its vertices", leaf);
        if (isFresh && tree->plan->kind == grz_planPaths && !isLinked(tree, leaf * BOX_TREE_CORNERS + k))
            return isBad("a vertex does not know its leaves", corners[k]);
    }
    return true;
}

static bool checkLeaves(const grzBoxTree* tree) {
    uint32_t triangles = 0, numbers = 0;
    for (uint32_t leaf = 0; leaf < tree->leafCount; ++leaf) {
        triangles += tree->counts[leaf];
        if (tree->counts[leaf] > BOX_TREE_ROOM || !checkLeaf(tree, leaf))
            return isBad("a leaf", leaf);
    }
    for (size_t i = 0; i < tree->places.count; ++i)
        numbers += tree->places.data[i] != GRZ_MESH_NONE;
    return (triangles == tree->triangleCount && numbers == triangles) || isBad("triangles were lost", triangles);
}

// ---- bounds ----

// A keyframe may be gone where the tree stands at the next one.
static bool checkBounds(const grzBoxTree* tree, double number, const BoxTreeBounds* bounds) {
    if (tree->plan->kind == grz_planPaths || number < tree->plan->firstFrame)
        return true;
    const PlanFrame* frame = frameOfTree(tree, number);
    for (uint32_t leaf = 0; leaf < tree->leafCount; ++leaf) {
        const BoxTreeBounds own = grzBoxTree_BoundLeaf(tree, leaf, frame);
        for (uint32_t node = tree->innerCount + leaf; node != 0; node = (node - 1) / 2)
            for (uint32_t side = 0; side < BOX_TREE_SIDES; ++side)
                if (own.most[side] > bounds[(node - 1) / 2].most[side])
                    return isBad("a bound is too small", (node - 1) / 2);
    }
    return true;
}

bool grzBoxTree_Validate(const grzBoxTree* tree) {
    GRZ_RETURN_IF_NULL(tree, false);
    if (tree->leafCount == 0)
        return true;
    for (uint32_t slot = 0; slot < slotCountOf(tree); ++slot)
        if (!checkPlane(tree, slot))
            return false;
    if (grzEventQueue_First(&tree->queue) <= tree->at)
        return isBad("an event is due", grzEventQueue_FirstSlot(&tree->queue));
    return checkLeaves(tree) && checkBounds(tree, tree->knownBegin, tree->begins) &&
           checkBounds(tree, tree->knownEnd, tree->ends);
}
