// What: solid_core.h.        Threads: pure functions.
#include "solid_core.h"

#include <math.h>

#include "mesh_shape.h"

// The farthest points of a hull along the principal axes, to either side.
static grzVec3 halfOfHull(const grzSolid* solid) {
    const grzHullView view = grzHull_GetView(solid->collider->shape.hull);
    grzVec3 half = grzVec3_Zero();
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        half = grzMax(half, grzAbs(grzQuat_RotateInverse(solid->turn, grzSub(view.vertices[i], solid->center))));
    return half;
}

static float least(grzVec3 a) {
    return fminf(fminf(a.x, a.y), a.z);
}

// How far the nearest face is from the centre of mass.
static float depthOfHull(const grzSolid* solid) {
    const grzHullView view = grzHull_GetView(solid->collider->shape.hull);
    float depth = INFINITY;
    for (uint32_t f = 0; f < view.faceCount; ++f)
        depth = fminf(depth, view.faces[f].offset - grzDot(view.faces[f].normal, solid->center));
    return fmaxf(depth, 0);
}

float grzSolid_Thickness(const grzSolid* solid) {
    const grzConvex* shape = &solid->collider->shape;
    if (solid->collider->kind == grz_meshCollider)
        return solid->collider->mesh->core.thickness;
    if (shape->kind == grz_hullShape)
        return depthOfHull(solid);
    return shape->kind == grz_boxShape ? least(shape->b) : shape->radius;
}

// A hull smaller along the principal axes: the frame of the shape, about the centre, to itself.
static grzTransform shrink(const grzSolid* solid, float depth) {
    const grzVec3 half = halfOfHull(solid);
    const grzMat3 axes = grzMat3_FromQuat(solid->turn);
    const grzVec3 by = grzVec3_Make(1 - depth / half.x, 1 - depth / half.y, 1 - depth / half.z);
    const grzMat3 basis = grzMat3_Multiply(grzMat3_ScaleColumns(axes, by), grzMat3_Transpose(axes));
    return grzTransform_Make(basis, grzSub(solid->center, grzMat3_Apply(basis, solid->center)));
}

uint32_t grzSolid_CoreCount(const grzSolid* solid) {
    const grzCollider* collider = solid->collider;
    return collider->kind == grz_meshCollider ? (uint32_t)collider->mesh->core.count : 1;
}

static void setShape(const grzSolid* solid, grzConvex shape, grzSweepBody* body) {
    body->motion.pose = solid->collider->pose;
    body->model = NULL;
    body->isOneSided = false;
    body->shape = shape;
}

void grzSolid_SetCore(const grzSolid* solid, float depth, uint32_t piece, grzSweepBody* body) {
    const grzCollider* collider = solid->collider;
    const bool isMesh = collider->kind == grz_meshCollider;
    setShape(solid, isMesh ? collider->mesh->core.data[piece] : collider->shape, body);
    if (body->shape.kind == grz_hullShape)
        body->motion.pose = grzTransform_Multiply(collider->pose, shrink(solid, depth));
    else if (body->shape.kind == grz_boxShape)
        body->shape.b = grzSub(body->shape.b, grzVec3_Splat(depth));
    else
        body->shape.radius -= depth;
}

// The middle of a piece of a mesh; of other shapes the centre of mass.
static grzVec3 middleOf(const grzSolid* solid, uint32_t piece) {
    if (solid->collider->kind != grz_meshCollider)
        return solid->center;
    const grzConvex* shape = &solid->collider->mesh->core.data[piece];
    return shape->kind == grz_sphereShape ? shape->a : grzLerp(shape->a, shape->b, 0.5f);
}

void grzSolid_SetBall(const grzSolid* solid, float radius, uint32_t piece, grzSweepBody* body) {
    setShape(solid, grzMakeSphere(middleOf(solid, piece), radius), body);
}
