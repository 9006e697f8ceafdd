// What: how far points and triangles of cloth are from a convex shape, on which side, and where.
// Promise: a point outside gets the nearest place; one inside the nearest way out, but for capsules and spheres, whose way out is
//          away from the core. What is nearer than the reach is found, to the rounding of floats.
// Idea: spheres, capsules and boxes are told by a few lines in the shape's frame. A hull is below the highest plane of its faces
//       or, outside, asked for its closest point. Triangles matter where a shape is smaller than they are: spheres,
//       capsules, and edges and corners of boxes and hulls. A triangle whose vertices are all nearest to one face lies in
//       the prism over it: its vertices say it all (cloth_collide.c asks).
// Threads: any. Cost: 10 to 30 ns a point, 0.3 us of a hull; 30 ns a triangle with a sphere, 0.3 to 1 us with others.
// Limits: a sphere or capsule whose core has passed through the cloth pushes it on to the far side; cloth around a core is pushed
//         apart to all sides, and snaps off when it is out.
#include <float.h>
#include <math.h>
#include <string.h>

#include "cloth_search.h"
#include "graze/convex_pairs.h"
#include "graze/hull.h"
#include "nearest.h"

#define LEAST_GAP 1e-6f // of coordinates: nearer, a difference has no direction

// From the core's nearest point to the point, both in the world.
static bool roundSite(grzVec3 core, float radius, grzVec3 point, grzVec3 fallback, ClothSite* site) {
    const grzVec3 from = grzSub(point, core);
    const float length = grzLength(from);
    site->normal = length >= FLT_MIN ? grzScale(from, 1 / length) : fallback;
    site->separation = length - radius;
    site->place = grzAddScaled(core, radius, site->normal);
    return true;
}

static bool sphereSite(const grzConvex* shape, grzTransform pose, grzVec3 point, ClothSite* site) {
    site->feature = grzMakeFeature(grz_bodyFeature, 0);
    return roundSite(grzTransform_Apply(pose, shape->a), shape->radius, point, grzVec3_Make(0, 1, 0), site);
}

static bool capsuleSite(const grzConvex* shape, grzTransform pose, grzVec3 point, ClothSite* site) {
    const grzVec3 a = grzTransform_Apply(pose, shape->a), b = grzTransform_Apply(pose, shape->b);
    const grzVec3 axis = grzSub(b, a);
    const float lengthSq = grzLengthSq(axis);
    const float along = lengthSq > 0 ? grzDot(grzSub(point, a), axis) / lengthSq : 0;
    const float at = along < 0 ? 0 : along > 1 ? 1 : along;
    site->feature = at <= 0   ? grzMakeFeature(grz_vertexFeature, 0)
                    : at >= 1 ? grzMakeFeature(grz_vertexFeature, 1)
                              : grzMakeFeature(grz_edgeFeature, 0);
    const grzVec3 aside = lengthSq > 0 ? grzPerpendicular(grzNormalize(axis)) : grzVec3_Make(0, 1, 0);
    return roundSite(grzAddScaled(a, at, axis), shape->radius, point, aside, site);
}

// ---- boxes ----

// Face 2 k + s, edge 4 k + u + 2 v, vertex by bits: as convex.h names them. sides: -1, 0 or 1 an axis.
static grzFeature boxFeature(const int sides[3]) {
    int count = 0, last = 0, inner = 0;
    for (int axis = 0; axis < 3; ++axis) {
        count += sides[axis] != 0;
        last = sides[axis] != 0 ? axis : last;
        inner = sides[axis] == 0 ? axis : inner;
    }
    if (count == 1)
        return grzMakeFeature(grz_faceFeature, (uint32_t)(2 * last + (sides[last] > 0)));
    if (count == 2) {
        const int u = sides[(inner + 1) % 3] > 0, v = sides[(inner + 2) % 3] > 0;
        return grzMakeFeature(grz_edgeFeature, (uint32_t)(4 * inner + u + 2 * v));
    }
    return grzMakeFeature(grz_vertexFeature,
                          (uint32_t)((sides[0] > 0) | (sides[1] > 0) << 1 | (sides[2] > 0) << 2));
}

static bool boxSite(const grzConvex* shape, grzTransform pose, grzVec3 point, ClothSite* site) {
    const grzVec3 local = grzSub(grzTransform_ApplyInverse(pose, point), shape->a);
    int sides[3] = {0, 0, 0}, deepest = 0;
    float over[3], clamped[3], outside = 0, highest = -FLT_MAX;
    for (int axis = 0; axis < 3; ++axis) {
        const float x = grzVec3_Get(local, axis), half = grzVec3_Get(shape->b, axis);
        over[axis] = fabsf(x) - half;
        clamped[axis] = x < -half ? -half : x > half ? half : x;
        sides[axis] = over[axis] > 0 ? (x < 0 ? -1 : 1) : 0;
        deepest = over[axis] > highest ? axis : deepest;
        highest = over[axis] > highest ? over[axis] : highest;
    }
    const grzVec3 nearest = grzVec3_Make(clamped[0], clamped[1], clamped[2]);
    const grzVec3 from = grzSub(local, nearest);
    outside = grzLength(from);
    const float least = LEAST_GAP * (grzMaxElement(grzAbs(local)) + grzMaxElement(shape->b));
    grzVec3 normal, place = nearest;
    if (outside > least && outside >= FLT_MIN) {
        normal = grzScale(from, 1 / outside);
        site->separation = outside;
    } else {
        // Inside, or so near that the face says it.
        const float sign = grzVec3_Get(local, deepest) < 0 ? -1.0f : 1.0f;
        float n[3] = {0, 0, 0}, p[3] = {local.x, local.y, local.z};
        n[deepest] = sign;
        p[deepest] = sign * grzVec3_Get(shape->b, deepest);
        normal = grzVec3_Make(n[0], n[1], n[2]);
        place = grzVec3_Make(p[0], p[1], p[2]);
        site->separation = highest;
        for (int axis = 0; axis < 3; ++axis)
            sides[axis] = axis == deepest ? (int)sign : 0;
    }
    site->feature = boxFeature(sides);
    site->normal = grzTransform_ApplyVector(pose, normal);
    site->place = grzTransform_Apply(pose, grzAdd(shape->a, place));
    return true;
}

// ---- hulls ----

static bool hullSite(const grzConvex* shape, grzTransform pose, grzVec3 point, float reach, ClothSite* site) {
    const grzHullView view = grzHull_GetView(shape->hull);
    const grzVec3 local = grzTransform_ApplyInverse(pose, point);
    float highest = -FLT_MAX;
    uint32_t face = 0;
    for (uint32_t f = 0; f < view.faceCount; ++f) {
        const float height = grzDot(view.faces[f].normal, local) - view.faces[f].offset;
        face = height > highest ? f : face;
        highest = height > highest ? height : highest;
    }
    if (highest > reach)
        return false;
    site->normal = grzTransform_ApplyVector(pose, view.faces[face].normal);
    site->place = grzSubScaled(point, highest, site->normal);
    site->separation = highest;
    site->feature = grzMakeFeature(grz_faceFeature, face);
    if (highest <= LEAST_GAP * (grzMaxElement(grzAbs(local)) + grzMaxElement(grzBox_Extent(view.box))))
        return true;
    grzConvexDistance found;
    if (grzConvex_ClosestPoint(shape, pose, point, &found).status != grz_ok || found.isTouching)
        return true;
    site->normal = grzNormalize(grzSub(point, found.pointA));
    site->place = found.pointA;
    site->separation = found.upper;
    site->feature = found.featureA;
    return true;
}

bool grzCloth_PointSite(const grzConvex* shape, grzTransform pose, grzVec3 point, float reach, ClothSite* site) {
    bool isFound = false;
    if (shape->kind == grz_sphereShape)
        isFound = sphereSite(shape, pose, point, site);
    else if (shape->kind == grz_capsuleShape)
        isFound = capsuleSite(shape, pose, point, site);
    else if (shape->kind == grz_boxShape)
        isFound = boxSite(shape, pose, point, site);
    else if (shape->kind == grz_hullShape)
        isFound = hullSite(shape, pose, point, reach, site);
    return isFound && site->separation <= reach;
}

// ---- triangles ----

void grzCloth_NearestWeights(const grzVec3 v[3], grzVec3 p, float weights[3]) {
    const grzVec3d corners[3] = {grzVec3d_FromVec3(v[0]), grzVec3d_FromVec3(v[1]), grzVec3d_FromVec3(v[2])};
    double own[3];
    grzNearest_OnTriangle(corners, grzVec3d_FromVec3(p), own);
    for (int k = 0; k < 3; ++k)
        weights[k] = own[k] > 0 ? (float)own[k] : 0; // what is left of 1 may round below 0
}

grzVec3 grzCloth_Weighted(const grzVec3 v[3], const float weights[3]) {
    return grzAddScaled(grzAddScaled(grzScale(v[0], weights[0]), weights[1], v[1]), weights[2], v[2]);
}

static bool isVertex(const float weights[3]) {
    return weights[0] >= 0.999f || weights[1] >= 0.999f || weights[2] >= 0.999f;
}

static bool sphereTriangle(const grzConvex* shape, grzTransform pose, const grzVec3 corners[3], ClothSite* site,
                           float weights[3]) {
    const grzVec3 center = grzTransform_Apply(pose, shape->a);
    grzCloth_NearestWeights(corners, center, weights);
    return sphereSite(shape, pose, grzCloth_Weighted(corners, weights), site);
}

// By the distance of the core: the axis of a capsule, all of a box or hull.
static bool distantTriangle(const grzConvex* core, float radius, grzTransform pose, const grzMeshTriangle* triangle,
                            ClothSite* site, float weights[3], bool* isTouching) {
    grzConvexDistance found;
    *isTouching = false;
    if (grzConvex_TriangleDistance(core, pose, triangle, &found).status != grz_ok)
        return false;
    const grzVec3 apart = grzSub(found.pointB, found.pointA);
    *isTouching = found.isTouching || !(grzLengthSq(apart) > 0);
    if (*isTouching)
        return false;
    grzCloth_NearestWeights(triangle->vertices, found.pointB, weights);
    site->normal = found.normal;
    site->place = grzAddScaled(found.pointA, radius, found.normal);
    site->separation = found.upper - radius;
    site->feature = found.featureA;
    site->isVertex = isVertex(weights);
    return true;
}

static bool sunkenTriangle(const grzConvex* shape, grzTransform pose, const grzMeshTriangle* triangle,
                           ClothSite* site, float weights[3]) {
    grzManifold manifold;
    if (grzConvex_CollideTriangle(shape, pose, triangle, 0, &manifold).status != grz_ok || manifold.pointCount == 0)
        return false;
    const grzManifoldPoint* deepest = &manifold.points[0];
    site->normal = manifold.normal;
    site->separation = deepest->separation;
    site->place = grzSubScaled(deepest->point, 0.5f * deepest->separation, manifold.normal);
    site->feature = deepest->featureA;
    grzCloth_NearestWeights(triangle->vertices,
                            grzAddScaled(deepest->point, 0.5f * deepest->separation, manifold.normal), weights);
    site->isVertex = isVertex(weights);
    return true;
}

bool grzCloth_TriangleSite(const grzConvex* shape, grzTransform pose, const grzVec3 corners[3], float reach,
                           ClothSite* site, float weights[3]) {
    site->isVertex = false;
    if (shape->kind == grz_sphereShape)
        return sphereTriangle(shape, pose, corners, site, weights) && site->separation <= reach;
    grzMeshTriangle triangle;
    memset(&triangle, 0, sizeof triangle);
    triangle.isTwoSided = true;
    for (int k = 0; k < 3; ++k) {
        triangle.vertices[k] = corners[k];
        triangle.neighborNormals[k] = grzVec3_Zero();
    }
    grzConvex core = *shape;
    core.radius = 0;
    bool isTouching;
    if (distantTriangle(&core, shape->radius, pose, &triangle, site, weights, &isTouching))
        return site->separation <= reach;
    const bool isRound = shape->kind == grz_capsuleShape;
    return isTouching && !isRound && sunkenTriangle(shape, pose, &triangle, site, weights);
}
