// What: ground_face.h.
// Idea: a box has its axes, a hull its table of faces, a mesh the triangle that the contact names and its
//   neighbours. Normals are found in the frame of the
//   ground, where coordinates are small, so that they are as good far from the origin as near it.
// Cost: a few products of vectors; for hulls one a face.
#include "ground_face.h"

#include <math.h>

#include "surface.h"

// The same as the part of a shape's size within which its contacts choose between faces (graze/convex_pairs.h).
#define LEAN 1e-3F

static grzVec3 boxFace(grzVec3 local) {
    const grzVec3 size = grzAbs(local);
    if (size.x >= size.y && size.x >= size.z)
        return grzVec3_Make(copysignf(1.0F, local.x), 0, 0);
    if (size.y >= size.z)
        return grzVec3_Make(0, copysignf(1.0F, local.y), 0);
    return grzVec3_Make(0, 0, copysignf(1.0F, local.z));
}

static grzVec3 hullFace(const grzHull* hull, grzVec3 local) {
    const grzHullView view = grzHull_GetView(hull);
    const grzHullFace* best = &view.faces[0];
    for (uint32_t i = 1; i < view.faceCount; ++i)
        if (grzDot(view.faces[i].normal, local) > grzDot(best->normal, local))
            best = &view.faces[i];
    return best->normal;
}

// On the side of `local`. The vector itself for a triangle without an area.
static grzVec3 triangleFace(const grzSurface* surface, uint32_t triangle, grzVec3 local) {
    grzVec3 corners[3];
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzVec3_Load(surface->ends + 3 * (size_t)surface->mesh->triangles[3 * (size_t)triangle + k]);
    const grzVec3 normal = grzCross(grzSub(corners[1], corners[0]), grzSub(corners[2], corners[0]));
    if (!(grzLengthSq(normal) > 0))
        return local;
    return grzScale(grzNormalize(normal), grzDot(normal, local) < 0 ? -1.0F : 1.0F);
}

static bool isLeaning(grzVec3 face, grzVec3 local) {
    return grzDistanceSq(face, local) < LEAN * LEAN;
}

// A contact at an edge names one of its triangles, which may be the one that goes down beside the body.
static grzVec3 meshFace(const grzSurface* surface, uint32_t triangle, grzVec3 local) {
    const uint32_t* across = &surface->mesh->triangleNeighbours[3 * (size_t)triangle];
    grzVec3 face = triangleFace(surface, triangle, local);
    for (int k = 0; k < 3 && !isLeaning(face, local); ++k)
        if (across[k] != GRZ_MESH_NONE)
            face = triangleFace(surface, across[k], local);
    return face;
}

static grzVec3 faceOf(const grzCollider* ground, uint32_t triangle, grzVec3 local) {
    if (ground->kind == grz_meshCollider && triangle != GRZ_NO_TRIANGLE) {
        const grzSurface surface = grzCollider_GetSurface(ground);
        return meshFace(&surface, triangle, local);
    }
    if (ground->kind != grz_convexCollider)
        return local;
    if (ground->shape.kind == grz_boxShape)
        return boxFace(local);
    return ground->shape.kind == grz_hullShape ? hullFace(ground->shape.hull, local) : local;
}

grzVec3 grzGround_FaceNormal(const grzCollider* ground, uint32_t triangle, grzVec3 outward) {
    const grzMat3 basis = ground->pose.basis;
    const grzVec3 local =
        grzVec3_Make(grzDot(basis.x, outward), grzDot(basis.y, outward), grzDot(basis.z, outward));
    const grzVec3 face = faceOf(ground, triangle, local);
    return isLeaning(face, local) ? grzNormalize(grzMat3_Apply(basis, face)) : outward;
}
