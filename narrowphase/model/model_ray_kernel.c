// What: the kernel of model_ray_kernel.h.
// Promise: see there. No box is left out that holds a hit as model_ray_hit.c computes it.
// Idea: the slabs of eight boxes in float, the nearest first; the four triangles of a leaf in double at once, whose signs
//   are never wrong, so that those with both signs are missed for certain. What is left is decided one by one.
//
//   Floats. Near planes are seen from an origin that is rounded away from them, far ones from one rounded the other way, each
//   moved by the walk's pad (model_ray.c) as well: distances to them are never too long, or too short, before the
//   subtraction. That and the product with a rounded reciprocal are three roundings of 2^-24; SLACK is eight.
//   Where the direction is 0 the reciprocal is infinite: a slab then holds the ray or not, and at its very plane, where
//   0 * infinity is no number, Max and Min keep their second operand: the slab holds it. Where it is so small that the
//   reciprocal overflows, it is no number at all, and the slab always holds.
// Cost: some 8 ns a node.
// Based on: [Ize, Robust BVH Ray Traversal, JCGT 2013] for the slack.
#include "model_ray_kernel.h"

#include "model_chunks.h"
#include "simd.h"

#define SLACK (8 * 0x1p-24F)

// Bit k: the ray meets box k between 0 and the limit; enters[k]: no earlier than when.
GRZ_SIMD_INLINE uint32_t enterBoxes(const RayWalk* walk, const grzBvhNode* node, float limit, double enters[8]) {
    grzF8 in = grzF8_Zero(), out = grzF8_Set1(limit);
    for (int axis = 0; axis < 3; ++axis) {
        const float* near = walk->isBackward[axis] ? node->upper[axis] : node->lower[axis];
        const float* far = walk->isBackward[axis] ? node->lower[axis] : node->upper[axis];
        const grzF8 factor = grzF8_Set1(walk->reciprocal[axis]);
        const grzF8 first = grzF8_Sub(grzF8_LoadAligned(near), grzF8_Set1(walk->nearOrigin[axis]));
        const grzF8 last = grzF8_Sub(grzF8_LoadAligned(far), grzF8_Set1(walk->farOrigin[axis]));
        in = grzF8_Max(grzF8_Mul(first, factor), in);
        out = grzF8_Min(grzF8_Mul(last, factor), out);
    }
    in = grzF8_Mul(in, grzF8_Set1(1 - SLACK));
    out = grzF8_Mul(out, grzF8_Set1(1 + SLACK));
    grzD8_Store(enters, grzD8_FromFloat(in));
    const grzM8 isThere = grzF8_LessEqual(grzF8_LoadAligned(node->lower[0]), grzF8_LoadAligned(node->upper[0]));
    return grzM8_Bits(grzM8_And(isThere, grzF8_LessEqual(in, out)));
}

GRZ_SIMD_INLINE grzD4 cornersOn(const RayWalk* walk, const ModelLeaf* leaf, int axis, int corner) {
    return grzD4_Sub(grzD4_FromFloat(grzF4_Load(&leaf->at[axis][4 * corner])), grzD4_Set1(walk->origin[axis]));
}

GRZ_SIMD_INLINE grzD4 differenceOf(grzD4 a, grzD4 b, grzD4 c, grzD4 d) {
    return grzD4_Sub(grzD4_Mul(a, b), grzD4_Mul(c, d));
}

// Bit k: triangle k is not missed for certain.
GRZ_SIMD_INLINE uint32_t findOpen(const RayWalk* walk, const ModelLeaf* leaf) {
    const grzD4 zero = grzD4_Zero();
    grzD4 x[3], y[3];
    for (int c = 0; c < 3; ++c) {
        const grzD4 z = cornersOn(walk, leaf, walk->axes[2], c);
        x[c] = grzD4_Sub(cornersOn(walk, leaf, walk->axes[0], c), grzD4_Mul(grzD4_Set1(walk->shear[0]), z));
        y[c] = grzD4_Sub(cornersOn(walk, leaf, walk->axes[1], c), grzD4_Mul(grzD4_Set1(walk->shear[1]), z));
    }
    const grzD4 u = differenceOf(x[2], y[1], y[2], x[1]), v = differenceOf(x[0], y[2], y[0], x[2]);
    const grzD4 w = differenceOf(x[1], y[0], y[1], x[0]);
    const grzM4 isBelow = grzD4_Less(grzD4_Min(grzD4_Min(u, v), w), zero);
    const grzM4 isAbove = grzD4_Less(zero, grzD4_Max(grzD4_Max(u, v), w));
    return ~grzM4_Bits(grzM4_And(isBelow, isAbove)) & ((1u << leaf->count) - 1);
}

static void keepHit(RayWalk* walk, const RayHit* hit) {
    const bool isNearer = !walk->isHit || hit->tau < walk->best.tau ||
                          (hit->tau == walk->best.tau && hit->triangle < walk->best.triangle);
    if (isNearer)
        walk->best = *hit;
    walk->isHit = true;
}

static void tryLeaf(RayWalk* walk, uint32_t index) {
    for (uint32_t open = findOpen(walk, &walk->model->leaves[index]); open != 0; open &= open - 1) {
        RayHit hit;
        if (grzModelRay_Decide(walk, index, (uint32_t)__builtin_ctz(open), &hit))
            keepHit(walk, &hit);
    }
}

// Chunks: of a model from a source; else NULL, a constant.
GRZ_SIMD_INLINE void runWalk(RayWalk* walk, ModelChunks* chunks) {
    WalkStack stack;
    grzWalkStack_Begin(&stack, walk->model, 0);
    while (stack.count != 0) {
        const WalkEntry entry = stack.entries[--stack.count];
        const double limit = walk->isHit ? walk->best.tau : walk->reach;
        if (entry.bound > limit)
            continue;
        if (grzWalkRef_IsLeaf(walk->model, entry.ref)) {
            tryLeaf(walk, entry.ref & WALK_INDEX_MASK);
            if (walk->isHit && walk->pick == grz_rayAny)
                return;
            continue;
        }
        if (chunks != NULL && entry.ref >> WALK_LEVEL_SHIFT == chunks->level)
            grzModelChunks_Make(chunks, entry.ref & WALK_INDEX_MASK);
        double enters[8];
        const grzBvhNode* node = grzWalkRef_Node(walk->model, entry.ref);
        const uint32_t meets = enterBoxes(walk, node, grzRoundUp(limit), enters);
        grzWalkStack_PushChildren(&stack, entry.ref, meets, enters);
    }
}

void GRZ_KERNEL(grzModelRayWalk)(RayWalk* walk) {
    runWalk(walk, NULL);
}

void GRZ_KERNEL(grzModelRayWalkChunks)(RayWalk* walk) {
    runWalk(walk, walk->model->chunks);
}
