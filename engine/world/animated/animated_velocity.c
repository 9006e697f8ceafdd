// What: how fast an animated mesh moves at a point of it, from where its vertices are at both ends of the step.
#include "animated_body.h"
#include "graze/model_distance.h"
#include "vec3d.h"

// Of searches for the surface that was near a point: the hierarchy is that of the end. Where the surface moves as a whole, the first
// one finds it.
enum { wayRounds = 2 };

// Weights of the corners of the triangle's point that lies nearest: those of the plane, cut off at 0.
static void weightsAt(const grzVec3d at[3], grzVec3d p, double weights[3]) {
    const grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const grzVec3d from = at[(i + 1) % 3], to = at[(i + 2) % 3];
        const double area = grzVec3d_Dot(grzVec3d_Cross(grzVec3d_Sub(to, from), grzVec3d_Sub(p, from)), n);
        weights[i] = area > 0 ? area : 0;
        sum += weights[i];
    }
    for (int i = 0; i < 3; ++i)
        weights[i] = sum > 0 ? weights[i] / sum : 1.0 / 3;
}

static grzVec3d vertexOf(const grzAnimatedShape* shape, const float* positions, uint32_t triangle, size_t corner) {
    const uint32_t vertex = shape->mesh.triangles[3 * (size_t)triangle + corner];
    return grzVec3d_FromVec3(grzVec3_Load(positions + 3 * (size_t)vertex));
}

grzVec3 grzAnimatedShape_Velocity(const grzAnimatedShape* shape, uint32_t triangle, grzVec3 point, float timeStep) {
    grzVec3d at[3], way = {0, 0, 0};
    double weights[3];
    if (!(timeStep > 0) || shape->positions == shape->previous || triangle == GRZ_NO_TRIANGLE)
        return grzVec3_Zero();
    for (size_t i = 0; i < 3; ++i)
        at[i] = vertexOf(shape, shape->positions, triangle, i);
    weightsAt(at, grzVec3d_FromVec3(point), weights);
    for (size_t i = 0; i < 3; ++i) {
        const grzVec3d gone = grzVec3d_Sub(at[i], vertexOf(shape, shape->previous, triangle, i));
        way = grzVec3d_Add(way, grzVec3d_Scale(gone, weights[i]));
    }
    return grzVec3d_ToVec3(grzVec3d_Scale(way, 1 / (double)timeStep));
}

static grzVec3 middleOf(grzBox box) {
    return grzScale(grzAdd(box.lower, box.upper), 0.5f);
}

grzVec3 grzAnimatedBody_WayNear(const grzAnimatedBody* animated, grzVec3 point) {
    const grzBox now = grzAnimatedBody_BoxNow(animated), before = grzAnimatedBody_BoxBefore(animated);
    grzVec3 way = grzSub(middleOf(now), middleOf(before));
    for (int round = 0; round < wayRounds; ++round) {
        const grzVec3 there = grzAdd(point, way);
        grzModelPointsQuery query = grzDefaultModelPointsQuery();
        grzModelPoint found;
        query.model = grzAnimatedBody_GetModel(animated);
        query.points = &there.x;
        query.count = 1;
        if (!grzResult_IsOk(grzModel_ClosestPoints(NULL, &query, &found)) || found.triangle == GRZ_NO_TRIANGLE)
            break;
        grzAnimatedBody_ReachTriangle(animated, found.triangle);
        const grzAnimatedShape shape = grzAnimatedBody_GetShape(animated);
        way = grzAnimatedShape_Velocity(&shape, found.triangle, found.point, 1.0f);
    }
    return way;
}
