// What: manifolds of a convex shape and one triangle of a mesh.
// Promise: no normal that an inner edge of a flat or hollow surface makes up: a box that slides over a grid is only
//   ever pushed along the grid's normals.
// Idea: a normal may lean over an edge as far as the neighbour's normal, and no farther: what lies beyond is the
//   neighbour's part of the sphere of normals.
//
//        own normal t     neighbour's                     t  t'
//             \   allowed  /                               \/      hollow or flat: nothing between them is
//              \         /                            -----/\      allowed, so t itself is taken
//        -------o  edge                                   o   \                                             .
//                \  neighbour
//
// Based on: [Terdiman, Contact Generation for Meshes, 2006] and the Voronoi regions of [Mirtich, V-Clip, 1998].
#include <math.h>

#include "convex_contact.h"

#include "refuse_null.h"

// Normals that differ by less, in radians, are one: a flat edge, or a normal that leans over no edge.
#define LEAN 1e-3

typedef enum Lean { leanAllowed, leanFlat, leanBeyond } Lean;

// How a normal, pointing away from the mesh, leans over edge k.
// From behind, the triangle and its neighbours are taken with their normals turned about.
static Lean leanOver(const ConvexCore* core, uint32_t k, grzVec3d normal, bool isBehind) {
    grzVec3d own = isBehind ? grzVec3d_Neg(core->normal) : core->normal;
    grzVec3d along = grzVec3d_Sub(core->corners[k == 2 ? 0 : k + 1], core->corners[k]);
    grzVec3d side = grzVec3d_Cross(along, core->normal),
             other = grzVec3d_FromVec3(core->triangle->neighborNormals[k]);
    double length = grzVec3d_Length(other), width = grzVec3d_Length(side);
    if (!(length > 0) || !(width > 0))
        return leanAllowed;
    side = grzVec3d_Scale(side, 1 / width);
    other = grzVec3d_Scale(other, (isBehind ? -1 : 1) / length);
    double lean = grzVec3d_Dot(normal, side), rise = grzVec3d_Dot(normal, own);
    double otherLean = grzVec3d_Dot(other, side), otherRise = grzVec3d_Dot(other, own);
    if (lean <= LEAN)
        return leanAllowed;
    if (otherLean <= LEAN && otherRise > -1 + LEAN)
        return leanFlat;
    // From t to the neighbour's normal the angle grows; the cross product tells which is turned farther.
    return rise * otherLean - lean * otherRise >= -LEAN ? leanAllowed : leanBeyond;
}

static Lean worstLean(const ConvexCore* core, grzVec3d normal, bool isBehind) {
    Lean worst = leanAllowed;
    for (uint32_t k = 0; k < 3; ++k) {
        Lean lean = leanOver(core, k, normal, isBehind);
        worst = lean == leanFlat || (lean == leanBeyond && worst == leanAllowed) ? lean : worst;
    }
    return worst;
}

static LeftContact leftOf(const Touch* touch, const grzManifold* manifold, grzVec3d base) {
    const grzManifoldPoint* deepest = &manifold->points[0];
    const grzVec3d middle = grzVec3d_Sub(grzVec3d_FromVec3(deepest->point), base);
    const grzVec3d toB = grzVec3d_Scale(grzVec3d_FromVec3(manifold->normal), 0.5 * (double)deepest->separation);
    return (LeftContact){.isLeft = manifold->pointCount > 0,
                         .isDeep = touch->isDeep,
                         .separation = deepest->separation,
                         .featureB = deepest->featureB,
                         .normal = manifold->normal,
                         .pointB = grzVec3d_Add(middle, toB)};
}

static void collideTriangle(const ConvexCore* shape, const ConvexCore* core, double margin, grzVec3d base,
                            grzManifold* manifold, LeftContact* left) {
    Touch touch;
    grzClearManifold(manifold);
    left->isLeft = false;
    grzFindTouch(shape, core, margin, &touch);
    if (!touch.isNear)
        return;
    grzMakeManifold(&touch, base, manifold);
    if (grzConvexCore_FaceCount(core) == 0)
        return;
    // The manifold's own normal, since that may not be the one that the touch was found by.
    const grzVec3d outward = grzVec3d_Neg(grzVec3d_FromVec3(manifold->normal));
    const bool isBehind = grzVec3d_Dot(outward, core->normal) < 0;
    const bool isFree = isBehind && !core->triangle->isTwoSided;
    const Lean lean = isFree ? leanAllowed : worstLean(core, outward, isBehind);
    if (!isFree && lean == leanAllowed)
        return;
    *left = leftOf(&touch, manifold, base);
    left->isBehind = isFree;
    if (isFree || (lean == leanBeyond && !touch.isDeep)) {
        grzClearManifold(manifold);
    } else {
        touch.normal = isBehind ? core->normal : grzVec3d_Neg(core->normal);
        touch.axis.top = touch.axis.separation = 0;
        touch.axis.error = shape->error + core->error;
        touch.axis.face = isBehind ? 1 : 0;
        grzMakeFaceManifold(&touch, touch.axis.face, base, manifold);
    }
}

static grzResult checkTriangle(const grzMeshTriangle* triangle) {
    for (int i = 0; i < 3; ++i)
        if (!grzCoordinates_AreGood(triangle->vertices[i]) || !grzCoordinates_AreGood(triangle->neighborNormals[i]))
            return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, (uint64_t)i, 3),
                              "a coordinate or neighbour's normal of the triangle is not finite, or beyond 1e15");
    return grzOk();
}

grzResult grzCollideTriangle(const ConvexCore* shape, grzVec3d base, const grzMeshTriangle* triangle, double margin,
                             grzManifold* manifold, LeftContact* left) {
    grzResult result = checkTriangle(triangle);
    if (!grzResult_IsOk(result))
        return result;
    ConvexCore core;
    grzConvexCore_SetTriangle(&core, triangle, base);
    collideTriangle(shape, &core, margin, base, manifold, left);
    manifold->triangleB = triangle->face;
    return result;
}

grzResult grzConvex_CollideTriangle(const grzConvex* shape, grzTransform pose, const grzMeshTriangle* triangle,
                                    float margin, grzManifold* manifold) {
    GRZ_REFUSE_NULL(triangle, 3);
    GRZ_REFUSE_NULL(manifold, 5);
    grzResult result = grzCheckPosed(shape, pose, 1);
    if (grzResult_IsOk(result))
        result = grzCheckMargin(margin, 4);
    if (!grzResult_IsOk(result))
        return result;
    ConvexCore core;
    LeftContact left;
    grzVec3d base = grzVec3d_FromVec3(pose.origin);
    grzConvexCore_Set(&core, shape, pose, base);
    return grzCollideTriangle(&core, base, triangle, (double)margin, manifold, &left);
}
