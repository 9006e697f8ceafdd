// What: the kernel of model_shape_kernel.h.
// Idea: the gaps between a box and eight others on each axis, scaled, squared and summed, in float; then the same for the
//   boxes of the four triangles of a leaf. Where they are on the shape's own axes keeps off more: the box of a floor in the frame of a
//   mesh that lies askew on it holds all of the mesh, but few triangles are as low as its top.
// Holds: a gap, its scale, the square and two sums are seven roundings of 2^-24 at most; a square that underflows is 0, one
//   that overflows infinity, which is within an infinite limit. SLACK is sixteen roundings.
#include "model_shape_kernel.h"

#include "simd.h"

#define SLACK (16 * 0x1p-24F)

// The boxes' own limits; what comes out is never too large.
GRZ_SIMD_INLINE grzF8 measureBoxes(const ShapeWalk* walk, const grzBvhNode* node) {
    grzF8 sum = grzF8_Zero();
    for (int axis = 0; axis < 3; ++axis) {
        const grzF8 above = grzF8_Sub(grzF8_LoadAligned(node->lower[axis]), grzF8_Set1(walk->upper[axis]));
        const grzF8 below = grzF8_Sub(grzF8_Set1(walk->lower[axis]), grzF8_LoadAligned(node->upper[axis]));
        const grzF8 gap =
            grzF8_Mul(grzF8_Max(grzF8_Max(above, below), grzF8_Zero()), grzF8_Set1(walk->scales[axis]));
        sum = grzF8_Add(sum, grzF8_Mul(gap, gap));
    }
    return grzF8_Mul(sum, grzF8_Set1(1 - SLACK));
}

// Which of the boxes the shape's axes do not keep off.
GRZ_SIMD_INLINE grzM8 pickBoxes(const ShapeWalk* walk, const grzBvhNode* node, grzM8 picked) {
    for (int k = 0; k < 3; ++k) {
        grzF8 lower = grzF8_Zero(), upper = grzF8_Zero();
        for (int axis = 0; axis < 3; ++axis) {
            const bool isUp = walk->axes[k][axis] >= 0.0F;
            const grzF8 along = grzF8_Set1(walk->axes[k][axis]);
            const grzF8 from = grzF8_LoadAligned(isUp ? node->lower[axis] : node->upper[axis]);
            const grzF8 to = grzF8_LoadAligned(isUp ? node->upper[axis] : node->lower[axis]);
            lower = grzF8_Add(lower, grzF8_Mul(along, from));
            upper = grzF8_Add(upper, grzF8_Mul(along, to));
        }
        picked = grzM8_And(picked, grzF8_LessEqual(lower, grzF8_Set1(walk->most[k])));
        picked = grzM8_And(picked, grzF8_LessEqual(grzF8_Set1(walk->least[k]), upper));
    }
    return picked;
}

// A corner of each triangle on an axis of the shape.
GRZ_SIMD_INLINE grzF4 cornersOn(const float axis[3], const ModelLeaf* leaf, int corner) {
    grzF4 sum = grzF4_Zero();
    for (int i = 0; i < 3; ++i)
        sum = grzF4_Add(sum, grzF4_Mul(grzF4_Set1(axis[i]), grzF4_LoadAligned(leaf->at[i] + 4 * corner)));
    return sum;
}

GRZ_SIMD_INLINE grzM4 pickTriangles(const ShapeWalk* walk, const ModelLeaf* leaf, grzM4 picked) {
    for (int k = 0; k < 3; ++k) {
        const grzF4 a = cornersOn(walk->axes[k], leaf, 0), b = cornersOn(walk->axes[k], leaf, 1),
                    c = cornersOn(walk->axes[k], leaf, 2);
        const grzF4 lower = grzF4_Min(grzF4_Min(a, b), c), upper = grzF4_Max(grzF4_Max(a, b), c);
        picked = grzM4_And(picked, grzF4_LessEqual(lower, grzF4_Set1(walk->most[k])));
        picked = grzM4_And(picked, grzF4_LessEqual(grzF4_Set1(walk->least[k]), upper));
    }
    return picked;
}

GRZ_SIMD_INLINE grzF4 measureTriangles(const ShapeWalk* walk, const ModelLeaf* leaf) {
    grzF4 sum = grzF4_Zero();
    for (int axis = 0; axis < 3; ++axis) {
        const float* at = leaf->at[axis];
        const grzF4 a = grzF4_LoadAligned(at), b = grzF4_LoadAligned(at + 4), c = grzF4_LoadAligned(at + 8);
        const grzF4 lower = grzF4_Min(grzF4_Min(a, b), c), upper = grzF4_Max(grzF4_Max(a, b), c);
        const grzF4 above = grzF4_Sub(lower, grzF4_Set1(walk->upper[axis]));
        const grzF4 below = grzF4_Sub(grzF4_Set1(walk->lower[axis]), upper);
        const grzF4 gap =
            grzF4_Mul(grzF4_Max(grzF4_Max(above, below), grzF4_Zero()), grzF4_Set1(walk->scales[axis]));
        sum = grzF4_Add(sum, grzF4_Mul(gap, gap));
    }
    return grzF4_Mul(sum, grzF4_Set1(1 - SLACK));
}

static void giveLeaf(ShapeWalk* walk, uint32_t index) {
    const ModelLeaf* leaf = &walk->model->leaves[index];
    double bounds[4];
    const grzF4 sums = measureTriangles(walk, leaf), limit = grzF4_Set1(grzRoundUp(walk->limit));
    const uint32_t picked = grzM4_Bits(pickTriangles(walk, leaf, grzF4_LessEqual(sums, limit)));
    grzD4_Store(bounds, grzD4_FromFloat(sums));
    for (uint32_t k = 0; k < leaf->count; ++k) {
        if ((picked >> k & 1) == 0 || bounds[k] > walk->limit)
            continue;
        walk->triangles[walk->count] = index * GRZ_BVH_LEAF_TRIANGLES + k;
        walk->bounds[walk->count++] = bounds[k];
    }
}

static void openNode(ShapeWalk* walk, uint32_t ref) {
    const grzBvhNode* node = grzWalkRef_Node(walk->model, ref);
    const grzF8 sums = measureBoxes(walk, node), limit = grzF8_Set1(grzRoundUp(walk->limit));
    const grzM8 isThere = grzF8_LessEqual(grzF8_LoadAligned(node->lower[0]), grzF8_LoadAligned(node->upper[0]));
    double bounds[8];
    grzD8_Store(bounds, grzD8_FromFloat(sums));
    const grzM8 picked = pickBoxes(walk, node, grzM8_And(isThere, grzF8_LessEqual(sums, limit)));
    grzWalkStack_PushChildren(&walk->stack, ref, grzM8_Bits(picked), bounds);
}

void GRZ_KERNEL(grzModelShapeWalk)(ShapeWalk* walk) {
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
