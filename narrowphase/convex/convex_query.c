// What: distance of two shapes, of a shape and a point or triangle, with the radii put on.
// Promise: graze/convex.h: lower and upper hold for the shapes as given. Bounds are doubles from grzGjk, which counts
//   every rounding, and are rounded outward to floats.
#include <math.h>

#include "gjk.h"

#include "refuse_null.h"

static grzVec3 toWorld(grzVec3d p, grzVec3d base) {
    return grzVec3d_ToVec3(grzVec3d_Add(p, base));
}

// A point of both: on the line between the core's nearest points, midway between where B begins and A ends.
static grzVec3d sharedPoint(const ConvexCore* coreA, const ConvexCore* coreB, const GjkResult* gjk) {
    grzVec3d d = grzVec3d_Sub(gjk->pointB, gjk->pointA);
    double length = grzVec3d_Length(d);
    if (!(length > 0))
        return gjk->pointA;
    double from = length - coreB->radius > 0 ? length - coreB->radius : 0;
    double to = coreA->radius < length ? coreA->radius : length;
    return grzVec3d_Add(gjk->pointA, grzVec3d_Scale(d, (from + to) / (2 * length)));
}

static void fillDistance(const ConvexCore* coreA, const ConvexCore* coreB, grzVec3d base,
                         grzConvexDistance* distance) {
    GjkResult gjk;
    grzGjk(coreA, coreB, (double)INFINITY, &gjk);
    double radii = coreA->radius + coreB->radius, error = coreA->error + coreB->error;
    double lower = gjk.lower - radii > error || radii == 0 ? gjk.lower - radii : 0;
    double upper = radii == 0 ? gjk.upper : gjk.upper - radii + error;
    distance->lower = lower > 0 ? grzRoundDown(lower) : 0.0f;
    distance->upper = upper > 0 ? grzRoundUp(upper) : 0.0f;
    distance->isTouching = !(lower > 0);
    bool isCertain = lower > 0 || upper < 0 || gjk.isOverlapCertain;
    distance->certainty = isCertain ? grz_exact : grz_conservative;
    distance->measure = isCertain ? 0.0f : grzRoundUp((upper > 0 ? upper : 0) + error);
    distance->featureA = grzConvexCore_FeatureOf(coreA, gjk.verticesA, gjk.count, gjk.normal);
    distance->featureB = grzConvexCore_FeatureOf(coreB, gjk.verticesB, gjk.count, grzVec3d_Neg(gjk.normal));
    distance->iterations = gjk.iterations;
    distance->normal = grzVec3_Zero();
    if (distance->isTouching) {
        distance->pointA = distance->pointB = toWorld(sharedPoint(coreA, coreB, &gjk), base);
        return;
    }
    distance->normal = grzVec3d_ToVec3(gjk.normal);
    distance->pointA = toWorld(grzVec3d_Add(gjk.pointA, grzVec3d_Scale(gjk.normal, coreA->radius)), base);
    distance->pointB = toWorld(grzVec3d_Sub(gjk.pointB, grzVec3d_Scale(gjk.normal, coreB->radius)), base);
}

static grzResult atPlace(grzResult result, uint64_t place) {
    result.value = place;
    return result;
}

static grzResult checkPosed(const grzConvex* shape, grzTransform pose, uint64_t place) {
    grzResult result = grzConvex_Check(shape);
    if (!grzResult_IsOk(result))
        return atPlace(result, place);
    return grzPose_IsGood(pose) ? grzOk() : grzFail(grz_notFinite, place + 1);
}

grzResult grzConvex_Distance(const grzConvex* shapeA, grzTransform poseA, const grzConvex* shapeB,
                             grzTransform poseB, grzConvexDistance* distance) {
    GRZ_REFUSE_NULL(distance, 5);
    grzResult result = checkPosed(shapeA, poseA, 1);
    if (grzResult_IsOk(result))
        result = checkPosed(shapeB, poseB, 3);
    if (!grzResult_IsOk(result))
        return result;
    ConvexCore coreA, coreB;
    grzVec3d base = grzVec3d_FromVec3(poseA.origin);
    grzConvexCore_Set(&coreA, shapeA, poseA, base);
    grzConvexCore_Set(&coreB, shapeB, poseB, base);
    fillDistance(&coreA, &coreB, base, distance);
    return grzOk();
}

grzResult grzConvex_ClosestPoint(const grzConvex* shape, grzTransform pose, grzVec3 point,
                                 grzConvexDistance* distance) {
    GRZ_REFUSE_NULL(distance, 4);
    grzResult result = checkPosed(shape, pose, 1);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzCoordinates_AreGood(point))
        return grzFail(grz_notFinite, 3);
    grzConvex dot = grzMakeSphere(point, 0);
    return grzConvex_Distance(shape, pose, &dot, grzTransform_Identity(), distance);
}

grzResult grzConvex_TriangleDistance(const grzConvex* shape, grzTransform pose, const grzMeshTriangle* triangle,
                                     grzConvexDistance* distance) {
    GRZ_REFUSE_NULL(triangle, 3);
    GRZ_REFUSE_NULL(distance, 4);
    grzResult result = checkPosed(shape, pose, 1);
    if (!grzResult_IsOk(result))
        return result;
    for (int i = 0; i < 3; ++i)
        if (!grzCoordinates_AreGood(triangle->vertices[i]))
            return grzFailAt(grz_notFinite, grz_partVertex, (uint64_t)i, 3);
    ConvexCore coreA, coreB;
    grzVec3d base = grzVec3d_FromVec3(pose.origin);
    grzConvexCore_Set(&coreA, shape, pose, base);
    grzConvexCore_SetTriangle(&coreB, triangle, base);
    fillDistance(&coreA, &coreB, base, distance);
    return grzOk();
}
