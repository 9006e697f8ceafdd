// A convex shape ready for pair tests: a core (a point, segment, box, triangle or hull) in double, in world axes,
// relative to a base point near it, with a radius around it.
//
// Errors. Input is float; all here is double. A corner is two sums of products: each coordinate errs by less than
// 2^-50 of `reach`, the largest size of a coordinate of the core or of its frame. core->error is 2^-46 of it: room
// for the few dozen roundings of a distance.
#ifndef GRAZE_NARROWPHASE_CONVEX_CORE_H
#define GRAZE_NARROWPHASE_CONVEX_CORE_H

#include "graze/convex_pairs.h"
#include "hull_kernel.h"
#include "vec3d.h"

typedef enum ConvexCoreKind { corePoint, coreSegment, coreBox, coreTriangle, coreHull } ConvexCoreKind;

typedef struct ConvexCore {
    ConvexCoreKind kind;
    uint32_t cornerCount; // vertices
    double radius;
    double error;
    double size;         // of the core, roughly: twice the farthest corner from the middle
    grzVec3d axes[3];    // columns of the basis
    grzVec3d origin;     // of the frame
    grzVec3d middle;     // a point of the core
    grzVec3d corners[3]; // of points, segments and triangles
    double half[3];      // of a box
    grzVec3d sides[3];   // of a box: its axes times half
    grzVec3d normal;     // of a triangle, unit, or 0
    const grzHull* hull;
    grzHullSupport_Fn* support;
    const grzMeshTriangle* triangle; // for features; NULL otherwise
} ConvexCore;

static inline grzVec3d coreToWorld(const ConvexCore* core, grzVec3d p) {
    return grzVec3d_Add(grzVec3d_Turn(core->axes, p), core->origin);
}

static inline grzVec3d coreTurn(const ConvexCore* core, grzVec3d v) {
    return grzVec3d_Turn(core->axes, v);
}

// The direction in the frame whose farthest point is the farthest in d: by the transpose, for any basis.
static inline grzVec3d coreTurnBack(const ConvexCore* core, grzVec3d d) {
    return grzVec3d_TurnBack(core->axes, d);
}

static inline grzVec3d coreHullPoint(const grzHull* hull, uint32_t i) {
    const float* x = hull->coordinates + i;
    uint32_t step = hull->paddedVertices;
    return grzVec3d_Make((double)x[0], (double)x[step], (double)x[2 * step]);
}

static inline grzVec3d coreBoxCorner(const ConvexCore* core, uint32_t i) {
    grzVec3d p = core->middle;
    for (uint32_t k = 0; k < 3; ++k)
        p = (i >> k & 1) != 0 ? grzVec3d_Add(p, core->sides[k]) : grzVec3d_Sub(p, core->sides[k]);
    return p;
}

static inline grzVec3d coreVertex(const ConvexCore* core, uint32_t i) {
    if (core->kind == coreHull)
        return coreToWorld(core, coreHullPoint(core->hull, i));
    return core->kind == coreBox ? coreBoxCorner(core, i) : core->corners[i];
}

// The vertex farthest along d; of several the first.
static inline uint32_t coreSupport(const ConvexCore* core, grzVec3d d) {
    if (core->kind == corePoint)
        return 0;
    if (core->kind == coreHull) {
        grzVec3d local = coreTurnBack(core, d);
        return core->support(core->hull->coordinates, core->hull->paddedVertices, local);
    }
    if (core->kind == coreBox)
        return (uint32_t)(grzVec3d_Dot(core->axes[0], d) > 0) |
               (uint32_t)(grzVec3d_Dot(core->axes[1], d) > 0) << 1 |
               (uint32_t)(grzVec3d_Dot(core->axes[2], d) > 0) << 2;
    uint32_t best = 0;
    double most = grzVec3d_Dot(core->corners[0], d);
    for (uint32_t i = 1; i < core->cornerCount; ++i) {
        double value = grzVec3d_Dot(core->corners[i], d);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

// How far the core reaches along d.
static inline double coreExtent(const ConvexCore* core, grzVec3d d) {
    return grzVec3d_Dot(coreVertex(core, coreSupport(core, d)), d);
}

// The shape must be good and the pose finite.
void grzConvexCore_Set(ConvexCore* core, const grzConvex* shape, grzTransform pose, grzVec3d base);
// The same in double: the columns of the basis, and the frame's origin from the base.
void grzConvexCore_Place(ConvexCore* core, const grzConvex* shape, const grzVec3d axes[3], grzVec3d origin);
void grzConvexCore_SetTriangle(ConvexCore* core, const grzMeshTriangle* triangle, grzVec3d base);

// ------------------------------------------------------------------------------------------- faces and features

// A polygon of the core: corners counter-clockwise from outside, and which vertex and edge each is.
#define CORE_MOST_CORNERS GRZ_HULL_MOST_VERTICES
typedef struct CoreFace {
    uint32_t count; // 1: a point, 2: a segment
    grzVec3d corners[CORE_MOST_CORNERS];
    uint32_t vertices[CORE_MOST_CORNERS];
    uint32_t edges[CORE_MOST_CORNERS]; // from this corner to the next
} CoreFace;

// 0 for points and segments; 2 for triangles (outside, inside).
uint32_t grzConvexCore_FaceCount(const ConvexCore* core);
grzVec3d grzConvexCore_FaceNormal(const ConvexCore* core, uint32_t face);
void grzConvexCore_GetFace(const ConvexCore* core, uint32_t face, CoreFace* polygon);

// The face whose normal is nearest to d, and the cosine to it; must have faces.
uint32_t grzConvexCore_FindFace(const ConvexCore* core, grzVec3d d, double* cosine);

// The edge between two vertices, or GRZ_CORE_NONE.
#define GRZ_CORE_NONE UINT32_MAX
uint32_t grzConvexCore_FindEdge(const ConvexCore* core, uint32_t v, uint32_t w);

// A feature as the outside knows it.
grzFeature grzConvexCore_Feature(const ConvexCore* core, grzFeatureKind kind, uint32_t index);

// The feature that the vertices of a closest point span; d: outward there.
grzFeature grzConvexCore_FeatureOf(const ConvexCore* core, const uint32_t* vertices, uint32_t count, grzVec3d d);

// ------------------------------------------------------------------------------------------------------- checks

bool grzCoordinates_AreGood(grzVec3 a); // finite, and at most 1e15
bool grzPose_IsGood(grzTransform pose); // likewise
bool grzPose_IsRigid(grzTransform pose);

#endif
