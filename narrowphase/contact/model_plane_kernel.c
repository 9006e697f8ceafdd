// What: the kernel of model_plane_kernel.h.
// Idea: the lowest corner of a box takes its lower or its upper coordinate on each axis by the sign of the normal. Products
//   and sums are rounded, but rising: so a box's height, by the very operations of a corner's, is never above that of
//   any corner in it, and no margin is needed.
#include "model_plane_kernel.h"

#include "simd.h"

static void openNode(PlaneWalk* walk, uint32_t ref) {
    const grzBvhNode* node = grzWalkRef_Node(walk->model, ref);
    grzD8 terms[3];
    for (int axis = 0; axis < 3; ++axis) {
        const float* row = walk->normal[axis] < 0 ? node->upper[axis] : node->lower[axis];
        terms[axis] = grzD8_Mul(grzD8_Set1(walk->normal[axis]), grzD8_FromFloat(grzF8_LoadAligned(row)));
    }
    const grzD8 heights = grzD8_Add(grzD8_Add(terms[0], terms[1]), terms[2]);
    const grzM8 isThere = grzF8_LessEqual(grzF8_LoadAligned(node->lower[0]), grzF8_LoadAligned(node->upper[0]));
    const grzM8 isLow = grzD8_LessEqual(heights, grzD8_Set1(walk->limit));
    double bounds[8];
    grzD8_Store(bounds, heights);
    grzWalkStack_PushChildren(&walk->stack, ref, grzM8_Bits(grzM8_And(isThere, isLow)), bounds);
}

static void giveLeaf(PlaneWalk* walk, uint32_t index) {
    const ModelLeaf* leaf = &walk->model->leaves[index];
    grzD4 lowest = grzD4_Set1((double)INFINITY);
    for (int corner = 0; corner < 3; ++corner) {
        grzD4 terms[3];
        for (int axis = 0; axis < 3; ++axis)
            terms[axis] = grzD4_Mul(grzD4_Set1(walk->normal[axis]),
                                    grzD4_FromFloat(grzF4_LoadAligned(&leaf->at[axis][4 * corner])));
        lowest = grzD4_Min(grzD4_Add(grzD4_Add(terms[0], terms[1]), terms[2]), lowest);
    }
    uint32_t low = grzM4_Bits(grzD4_LessEqual(lowest, grzD4_Set1(walk->limit))) & ((1u << leaf->count) - 1);
    for (; low != 0; low &= low - 1)
        walk->triangles[walk->count++] = index * GRZ_BVH_LEAF_TRIANGLES + (uint32_t)__builtin_ctz(low);
}

void GRZ_KERNEL(grzModelPlaneWalk)(PlaneWalk* walk) {
    walk->count = 0;
    while (walk->stack.count != 0 && walk->count < walk->enough) {
        const WalkEntry entry = walk->stack.entries[--walk->stack.count];
        if (entry.bound > walk->limit)
            continue;
        if (grzWalkRef_IsLeaf(walk->model, entry.ref))
            giveLeaf(walk, entry.ref & WALK_INDEX_MASK);
        else
            openNode(walk, entry.ref);
    }
}
