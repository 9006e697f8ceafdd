// What: all promises of a BoxTree again, slowly.
#include "box_tree_inside.h"
#include "check.h"

static bool isLeading(const grzBoxTree* tree, const BoxTreePlane* plane, uint32_t vertex, uint32_t other) {
    const int order = grzPlan_Compare(tree->plan, plane->axis, vertex, other, tree->at);
    return plane->isMost ? order >= 0 : order <= 0;
}

// Every vertex below a node, none of which may be outside of a plane.
static bool checkBelow(const grzBoxTree* tree, const BoxTreePlane* plane, uint32_t owner, uint32_t node,
                       bool* isThere) {
    if (!isLeafNode(tree, node))
        return checkBelow(tree, plane, owner, 2 * node + 1, isThere) &&
               checkBelow(tree, plane, owner, 2 * node + 2, isThere);
    const uint32_t leaf = node - tree->innerCount;
    for (uint32_t i = tree->starts[leaf]; i < tree->starts[leaf + 1]; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t vertex = tree->triangles[3 * (size_t)tree->order[i] + k];
            *isThere = *isThere || vertex == owner;
            if (!isLeading(tree, plane, owner, vertex))
                return false;
        }
    return true;
}

bool grzBoxTree_Validate(const grzBoxTree* tree) {
    const uint32_t slotCount = tree->leafCount == 0 ? 0 : 2 * tree->innerCount + BOX_TREE_SIDES;
    for (uint32_t slot = 0; slot < slotCount; ++slot) {
        const BoxTreePlane plane = planeOf(tree, slot);
        bool isThere = false;
        if (!checkBelow(tree, &plane, tree->owners[slot], plane.top, &isThere) || !isThere) {
            grzLog(grz_logError, "a BoxTree is broken: the plane of slot %u is not where it must be", slot);
            return false;
        }
    }
    if (slotCount != 0 && grzEventQueue_First(&tree->queue) <= tree->at) {
        grzLog(grz_logError, "a BoxTree is broken: an event is due");
        return false;
    }
    return true;
}
