// What: rays against shapes.
// Idea: capsules (and spheres, whose segment is a point) by the quadratic of their tube and of their end balls; boxes
//   and hulls in their own frame by clipping the ray with planes, the way there being the inverse of any basis.
// Based on: [Haines, Fast Ray-Convex Polyhedron Intersection, Graphics Gems II, 1991] for the planes.
#include <math.h>

#include "convex_core.h"
#include "nearest.h"
#include "refuse_null.h"

typedef struct Ray {
    grzVec3d origin, direction;
    double reach;
} Ray;

// What a ray enters, in the world's axes.
typedef struct Entry {
    bool isHit;
    double t;
    grzVec3d normal; // unit; 0 where it begins inside
    grzFeature feature;
} Entry;

static const Entry noEntry = {false, 0, {0, 0, 0}, 0};

static Entry beginInside(grzFeature feature) {
    Entry entry = {true, 0, {0, 0, 0}, feature};
    return entry;
}

// ------------------------------------------------------------------------------------------- balls and capsules

static Entry enterBall(const Ray* ray, grzVec3d center, double radius, grzFeature feature) {
    grzVec3d from = grzVec3d_Sub(ray->origin, center);
    double dd = grzVec3d_LengthSq(ray->direction), along = grzVec3d_Dot(from, ray->direction);
    double root = along * along - dd * (grzVec3d_LengthSq(from) - radius * radius);
    double t = (-along - sqrt(root > 0 ? root : 0)) / dd;
    if (!(root >= 0) || !(t >= 0) || t > ray->reach)
        return noEntry;
    grzVec3d n = grzVec3d_Add(from, grzVec3d_Scale(ray->direction, t));
    double length = grzVec3d_Length(n);
    Entry entry = {true, t, length > 0 ? grzVec3d_Scale(n, 1 / length) : n, feature};
    return entry;
}

// The tube's quadratic, times the squared length of the axis; outside its ends the balls decide.
static Entry enterCapsule(const Ray* ray, const ConvexCore* core) {
    grzVec3d a = core->corners[0], b = core->corners[1], axis = grzVec3d_Sub(b, a);
    grzVec3d from = grzVec3d_Sub(ray->origin, a);
    double ll = grzVec3d_LengthSq(axis), ld = grzVec3d_Dot(axis, ray->direction), lf = grzVec3d_Dot(axis, from);
    double square = ll * grzVec3d_LengthSq(ray->direction) - ld * ld;
    double half = ll * grzVec3d_Dot(ray->direction, from) - lf * ld;
    double rest = ll * (grzVec3d_LengthSq(from) - core->radius * core->radius) - lf * lf;
    double root = half * half - square * rest, t = 0, along = ld > 0 ? -1 : ll + 1; // parallel: the first end
    if (square > 0) {
        if (root < 0)
            return noEntry;
        t = (-half - sqrt(root)) / square;
        along = lf + t * ld;
    }
    if (along <= 0)
        return enterBall(ray, a, core->radius, grzMakeFeature(grz_vertexFeature, 0));
    if (along >= ll)
        return enterBall(ray, b, core->radius, grzMakeFeature(grz_vertexFeature, 1));
    if (!(t >= 0) || t > ray->reach)
        return noEntry;
    grzVec3d n = grzVec3d_Add(from, grzVec3d_Scale(ray->direction, t));
    n = grzVec3d_Sub(n, grzVec3d_Scale(axis, along / ll));
    double length = grzVec3d_Length(n);
    Entry entry = {true, t, length > 0 ? grzVec3d_Scale(n, 1 / length) : n, grzMakeFeature(grz_edgeFeature, 0)};
    return entry;
}

static Entry enterRound(const Ray* ray, const ConvexCore* core) {
    bool isBall = core->kind == corePoint;
    grzFeature body = isBall ? grzMakeFeature(grz_bodyFeature, 0) : grzMakeFeature(grz_edgeFeature, 0);
    grzVec3d axis = isBall ? grzVec3d_Make(0, 0, 0) : grzVec3d_Sub(core->corners[1], core->corners[0]);
    if (grzNearest_SegmentDistance(grzVec3d_Sub(ray->origin, core->corners[0]), axis) <= core->radius)
        return beginInside(body);
    if (grzVec3d_LengthSq(ray->direction) == 0)
        return noEntry;
    return isBall ? enterBall(ray, core->corners[0], core->radius, body) : enterCapsule(ray, core);
}

// ---------------------------------------------------------------------------------------------- boxes and hulls

// What is left of the ray; `face` is the one it came in by.
typedef struct Clip {
    double in, out;
    uint32_t face;
    bool isMissed;
} Clip;

// By the half-space below a plane: `height` of the origin above it, which grows by `rise` for t = 1.
static void clipByPlane(Clip* clip, double height, double rise, uint32_t face) {
    if (rise == 0) {
        clip->isMissed |= height > 0;
        return;
    }
    double t = -height / rise;
    if (rise < 0 && t > clip->in) {
        clip->in = t;
        clip->face = face;
    }
    if (rise > 0 && t < clip->out)
        clip->out = t;
}

static void clipByBox(Clip* clip, const grzConvex* shape, const double* origin, const double* direction) {
    for (int k = 0; k < 3; ++k) {
        double middle = (double)grzVec3_Get(shape->a, k), half = (double)grzVec3_Get(shape->b, k);
        clipByPlane(clip, middle - half - origin[k], -direction[k], 2 * (uint32_t)k);
        clipByPlane(clip, origin[k] - middle - half, direction[k], 2 * (uint32_t)k + 1);
    }
}

static grzVec3d normalInFrame(const grzConvex* shape, uint32_t face) {
    if (shape->kind == grz_hullShape)
        return grzVec3d_FromVec3(shape->hull->view.faces[face].normal);
    double side = (face & 1) != 0 ? 1 : -1;
    uint32_t axis = face >> 1;
    return grzVec3d_Make(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
}

// The rows of the inverse, times the determinant: cross products of columns.
static Entry enterPlanes(const Ray* ray, const ConvexCore* core, const grzConvex* shape, double determinant) {
    const grzVec3d rows[3] = {grzVec3d_Cross(core->axes[1], core->axes[2]),
                              grzVec3d_Cross(core->axes[2], core->axes[0]),
                              grzVec3d_Cross(core->axes[0], core->axes[1])};
    grzVec3d from = grzVec3d_Sub(ray->origin, core->origin);
    double origin[3], direction[3];
    for (int k = 0; k < 3; ++k) {
        origin[k] = grzVec3d_Dot(rows[k], from) / determinant;
        direction[k] = grzVec3d_Dot(rows[k], ray->direction) / determinant;
    }
    Clip clip = {0, ray->reach, UINT32_MAX, false};
    if (shape->kind == grz_boxShape) {
        clipByBox(&clip, shape, origin, direction);
    } else {
        const grzHullView* view = &shape->hull->view;
        grzVec3d p = grzVec3d_Make(origin[0], origin[1], origin[2]);
        grzVec3d d = grzVec3d_Make(direction[0], direction[1], direction[2]);
        for (uint32_t f = 0; f < view->faceCount; ++f) {
            grzVec3d n = grzVec3d_FromVec3(view->faces[f].normal);
            clipByPlane(&clip, grzVec3d_Dot(n, p) - (double)view->faces[f].offset, grzVec3d_Dot(n, d), f);
        }
    }
    if (clip.isMissed || clip.in > clip.out)
        return noEntry;
    if (clip.face == UINT32_MAX)
        return beginInside(grzMakeFeature(grz_bodyFeature, 0));
    grzVec3d n = normalInFrame(shape, clip.face);
    n = grzVec3d_Turn(rows, n);
    n = grzVec3d_Scale(n, (determinant > 0 ? 1 : -1) / grzVec3d_Length(n));
    Entry entry = {true, clip.in, n, grzMakeFeature(grz_faceFeature, clip.face)};
    return entry;
}

static grzResult checkRay(grzVec3 origin, grzVec3 direction, float reach) {
    if (!grzCoordinates_AreGood(origin))
        return grzFail(grz_notFinite, 3);
    if (!grzCoordinates_AreGood(direction))
        return grzFail(grz_notFinite, 4);
    if (isnan(reach))
        return grzFail(grz_notFinite, 5);
    return reach >= 0 ? grzOk() : grzFail(grz_badArgument, 5);
}

grzResult grzConvex_CastRay(const grzConvex* shape, grzTransform pose, grzVec3 origin, grzVec3 direction,
                            float reach, grzConvexHit* hit) {
    GRZ_REFUSE_NULL(hit, 6);
    grzResult result = grzConvex_Check(shape);
    if (grzResult_IsOk(result) && !grzPose_IsGood(pose))
        result = grzFail(grz_notFinite, 2);
    if (grzResult_IsOk(result))
        result = checkRay(origin, direction, reach);
    if (!grzResult_IsOk(result))
        return result;
    ConvexCore core;
    grzVec3d base = grzVec3d_FromVec3(pose.origin);
    grzConvexCore_Set(&core, shape, pose, base);
    Ray ray = {grzVec3d_Sub(grzVec3d_FromVec3(origin), base), grzVec3d_FromVec3(direction), (double)reach};
    double determinant = grzVec3d_Dot(core.axes[0], grzVec3d_Cross(core.axes[1], core.axes[2]));
    bool hasPlanes = shape->kind == grz_boxShape || shape->kind == grz_hullShape;
    if (hasPlanes && determinant == 0)
        return grzBecause(grzFail(grz_badArgument, 2), "a pose whose basis is singular");
    Entry entry = hasPlanes ? enterPlanes(&ray, &core, shape, determinant) : enterRound(&ray, &core);
    double reached = grzVec3d_Length(ray.origin) + core.error * 0x1p46;
    hit->isHit = entry.isHit;
    hit->t = entry.isHit ? grzVec3d_ToVec3(grzVec3d_Make(entry.t, 0, 0)).x : reach;
    grzVec3d point = grzVec3d_Add(ray.origin, grzVec3d_Scale(ray.direction, entry.t));
    hit->point = entry.isHit ? grzVec3d_ToVec3(grzVec3d_Add(point, base)) : grzVec3_Zero();
    hit->normal = grzVec3d_ToVec3(entry.normal);
    hit->feature = entry.feature;
    hit->certainty = grz_conservative;
    hit->measure = grzRoundUp(reached * (shape->kind == grz_hullShape ? 1e-6 : 1e-12));
    return grzOk();
}
