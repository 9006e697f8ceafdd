// What: the manifold of two boxes.
// Promise: graze/convex_pairs.h.
// Idea: the text of the kernel (boxes_kernel.c) in one lane: what only serves other lanes falls away.
// Cost: some 250 ns where they touch, 310 ns for four points, 38 ns where a face separates. Lanes are for many pairs: one has
//   all their steps.
// Based on: [Gottschalk, Lin, Manocha, OBBTree, SIGGRAPH 1996]; the error terms are ours.
#include "quick_boxes.h"

#include <stddef.h>
#include <string.h>

#include "convex_batch.h"
#include "convex_contact.h"
#include "one_lane.h"
#include "quick_box.h"

#define BOX_LANES 1
#include "pair_lanes.inl"

#include "boxes_axes.inl"
#include "boxes_rim.inl"
#include "boxes_settle.inl"

#if defined(__GNUC__)
__attribute__((noinline))
#endif
static bool
settle(const PairInput* in, const BoxLanes* lanes, bool isThorough) {
    return settleBoxes(in, lanes, 1, isThorough) == 0;
}

// measureFaces in the lanes of vectors, with the same sums: most pairs end here.
static bool areFar(const QuickPair* given) {
    const grzVec3 halfA = given->shapeA->b, halfB = given->shapeB->b;
    const grzMat3 *basisA = &given->poseA->basis, *basisB = &given->poseB->basis;
    grzVec3d originB =
        grzVec3d_Sub(grzVec3d_FromVec3(given->poseB->origin), grzVec3d_FromVec3(given->poseA->origin));
    grzVec3d middleA = quickPoint(given->poseA, given->shapeA->a, grzVec3d_Make(0, 0, 0));
    grzVec3 between = grzVec3d_ToVec3(grzVec3d_Sub(quickPoint(given->poseB, given->shapeB->a, originB), middleA));
    grzMat3 sizes = grzMat3_Abs(grzMat3_MultiplyTransposed(*basisA, *basisB));
    grzVec3 gapsA = grzMat3_ApplyTransposed(*basisA, between), gapsB = grzMat3_ApplyTransposed(*basisB, between);
    grzVec3 reachesA = grzAdd(halfA, grzMat3_Apply(sizes, halfB));
    grzVec3 reachesB = grzAdd(halfB, grzMat3_ApplyTransposed(sizes, halfA));
    grzVec3 best = grzMax(grzSub(grzAbs(gapsA), reachesA), grzSub(grzAbs(gapsB), reachesB));
    grzVec3 all = grzAdd(grzAbs(between), grzScale(grzAdd(halfA, halfB), 2));
    float error = ((float)FLOAT_ERROR + 2 * QUICK_MOST_DEFECT) * (all.x + all.y + all.z);
    return !(grzMaxElement(best) <= given->margin + error);
}

bool grzQuick_Boxes(const QuickPair* given, grzManifold* manifold) {
    if (areFar(given)) {
        grzClearManifold(manifold);
        return true;
    }
    PairInput in = {.shapes = {{given->shapeA}, {given->shapeB}},
                    .poses = {{given->poseA}, {given->poseB}},
                    .manifolds = {manifold},
                    .defectSq = {given->defectSq},
                    .margins = {given->margin}};
    BoxLanes lanes;
    loadBoxes(&in, &lanes);
    measureFaces(&in, &lanes);
    lanes.isNear.v = true;
    return settle(&in, &lanes, false) || settle(&in, &lanes, true);
}
