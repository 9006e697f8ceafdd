// What: rigid motions: their ways, places and bounds.
// Promise: graze/sweep.h. A place is right to some 2^-50 of the lengths that are added, and 2^-50 of rate and radius.
// Idea: sine and cosine are series on [-pi/4, pi/4], as no two libraries agree on theirs; the angle is taken off by quarters of a
//   turn in two pieces.
// Based on: [Rodrigues 1840] for the turn; a screw is a turn whose centre goes along the axis.
#include "sweep_motion.h"

#include <math.h>

#include "refuse_null.h"
#include "sine_series.h"

// ---------------------------------------------------------------------------------------------- sine and cosine

// The series to x^17 and to x^16, whose next terms are below 2^-56. |x| <= pi/4.
static double sineNearZero(double x) {
    const double s = x * x, p = 1.0 / 355687428096000.0 * s - 1.0 / 1307674368000.0;
    return grzSineSeries(x, p * s + 1.0 / 6227020800.0);
}

static double cosineNearZero(double x) {
    const double s = x * x, p = 1.0 / 20922789888000.0 * s - 1.0 / 87178291200.0;
    return grzCosineSeries(s, p * s + 1.0 / 479001600.0);
}

// The upper 33 bits of a quarter turn, and the rest.
#define QUARTER      0x1.921fb544p+0
#define QUARTER_REST 0x1.0b4611a626331p-34

// 0 <= angle <= GRZ_SWEEP_MOST_ROTATION, so that `quarters` has ten bits, and its product with QUARTER no rounding.
static void turnOf(double angle, double* sine, double* cosine) {
    const double quarters = floor(angle * 0x1.45f306dc9c883p-1 + 0.5);
    const double rest = (angle - quarters * QUARTER) - quarters * QUARTER_REST;
    const double s = sineNearZero(rest), c = cosineNearZero(rest);
    const uint32_t quadrant = (uint32_t)quarters & 3;
    const double across = (quadrant & 1) != 0 ? c : s, along = (quadrant & 1) != 0 ? s : c;
    *sine = (quadrant & 2) != 0 ? -across : across;
    *cosine = quadrant == 1 || quadrant == 2 ? -along : along;
}

// --------------------------------------------------------------------------------------------------------- ways

// The unit vector across both, or 0.
static grzVec3d unitAcross(grzVec3d a, grzVec3d b) {
    return grzVec3d_Unit(grzVec3d_Cross(a, b));
}

static void setVectors(const grzSweepMotion* motion, const SweepPath* path, int count,
                       grzVec3d vectors[sweepVectors]) {
    grzVec3d_FromMat3(motion->pose.basis, vectors);
    const grzVec3d x = vectors[0], y = vectors[1], z = vectors[2];
    vectors[sweepArm] = grzVec3d_Sub(grzVec3d_FromVec3(motion->pose.origin), path->center);
    if (count <= sweepNormal)
        return;
    vectors[sweepNormal] = unitAcross(y, z);
    vectors[sweepNormal + 1] = unitAcross(z, x);
    vectors[sweepNormal + 2] = unitAcross(x, y);
}

void grzSweepPath_Set(SweepPath* path, const grzSweepMotion* motion, int count) {
    const grzVec3d rotation = grzVec3d_FromVec3(motion->rotation), zero = grzVec3d_Make(0, 0, 0);
    grzVec3d vectors[sweepVectors];
    path->center = grzVec3d_FromVec3(motion->center);
    path->velocity = grzVec3d_FromVec3(motion->translation);
    path->rate = grzVec3d_Length(rotation);
    path->axis = path->rate > 0 ? grzVec3d_Scale(rotation, 1 / path->rate) : zero;
    setVectors(motion, path, count, vectors);
    for (int i = 0; i < count; ++i) {
        path->along[i] = vectors[i], path->across[i] = path->turned[i] = zero;
        if (!(path->rate > 0))
            continue;
        path->along[i] = grzVec3d_Scale(path->axis, grzVec3d_Dot(path->axis, vectors[i]));
        path->across[i] = grzVec3d_Sub(vectors[i], path->along[i]);
        path->turned[i] = grzVec3d_Cross(path->axis, vectors[i]);
    }
}

void grzSweepPath_At(const SweepPath* path, double t, int count, SweepPlace* place) {
    double sine, cosine;
    if (!(path->rate > 0)) {
        for (int i = 0; i < count; ++i)
            place->vectors[i] = path->along[i];
        return;
    }
    turnOf(path->rate * t, &sine, &cosine);
    for (int i = 0; i < count; ++i) {
        const grzVec3d round =
            grzVec3d_Add(grzVec3d_Scale(path->across[i], cosine), grzVec3d_Scale(path->turned[i], sine));
        place->vectors[i] = grzVec3d_Add(path->along[i], round);
    }
}

// --------------------------------------------------------------------------------------------------- public ones

grzSweepMotion grzSweepMotion_Rest(grzTransform pose) {
    return (grzSweepMotion){pose, pose.origin, grzVec3_Zero(), grzVec3_Zero()};
}

static grzVec3d placeBy(grzTransform pose, grzVec3 point) {
    grzVec3d columns[3];
    grzVec3d_FromMat3(pose.basis, columns);
    return grzVec3d_Add(grzVec3d_Turn(columns, grzVec3d_FromVec3(point)), grzVec3d_FromVec3(pose.origin));
}

// The vector of the shorter turn that brings one basis to the other.
static grzVec3 turnBetween(grzMat3 before, grzMat3 after) {
    const grzQuat from = grzQuat_FromMat3(before), to = grzQuat_FromMat3(after);
    const double f[4] = {(double)from.x, (double)from.y, (double)from.z, (double)from.w};
    const double g[4] = {(double)to.x, (double)to.y, (double)to.z, (double)to.w};
    const grzVec3d u = grzVec3d_Make(f[0], f[1], f[2]), v = grzVec3d_Make(g[0], g[1], g[2]);
    double w = g[3] * f[3] + grzVec3d_Dot(u, v);
    grzVec3d axis =
        grzVec3d_Sub(grzVec3d_Scale(v, f[3]), grzVec3d_Add(grzVec3d_Scale(u, g[3]), grzVec3d_Cross(v, u)));
    const double sine = grzVec3d_Length(axis);
    if (!(sine > 0))
        return grzVec3_Zero();
    if (w < 0)
        w = -w, axis = grzVec3d_Neg(axis);
    return grzVec3d_ToVec3(grzVec3d_Scale(axis, 2 * (double)grzAtan2((float)sine, (float)w) / sine));
}

grzSweepMotion grzSweepMotion_Between(grzTransform before, grzTransform after, grzVec3 center) {
    const grzVec3d from = placeBy(before, center), to = placeBy(after, center);
    return (grzSweepMotion){before, grzVec3d_ToVec3(from), grzVec3d_ToVec3(grzVec3d_Sub(to, from)),
                            turnBetween(before.basis, after.basis)};
}

grzSweepMotion grzSweepMotion_Screw(grzTransform pose, grzVec3 point, grzVec3 direction, float angle,
                                    float advance) {
    const grzVec3d d = grzVec3d_FromVec3(direction);
    const double inverse = 1 / grzVec3d_Length(d);
    return (grzSweepMotion){pose, point, grzVec3d_ToVec3(grzVec3d_Scale(d, (double)advance * inverse)),
                            grzVec3d_ToVec3(grzVec3d_Scale(d, (double)angle * inverse))};
}

grzTransform grzSweepMotion_PoseAt(const grzSweepMotion* motion, double t) {
    GRZ_RETURN_IF_NULL(motion, (grzTransform){0});
    SweepPath path;
    SweepPlace place;
    grzSweepPath_Set(&path, motion, sweepNormal);
    grzSweepPath_At(&path, t < 0 ? 0 : t, sweepNormal, &place);
    const grzVec3d center = grzVec3d_Add(path.center, grzVec3d_Scale(path.velocity, t));
    const grzMat3 basis = grzMat3_FromColumns(grzVec3d_ToVec3(place.vectors[0]), grzVec3d_ToVec3(place.vectors[1]),
                                              grzVec3d_ToVec3(place.vectors[2]));
    return grzTransform_Make(basis, grzVec3d_ToVec3(grzVec3d_Add(center, place.vectors[sweepArm])));
}

grzSweepMotion grzSweepMotion_Reverse(const grzSweepMotion* motion) {
    GRZ_RETURN_IF_NULL(motion, (grzSweepMotion){0});
    return (grzSweepMotion){grzSweepMotion_PoseAt(motion, 1), grzAdd(motion->center, motion->translation),
                            grzNeg(motion->translation), grzNeg(motion->rotation)};
}

double grzSweepMotion_Bound(const grzSweepMotion* motion, grzVec3 direction, double radius, double t0, double t1) {
    GRZ_RETURN_IF_NULL(motion, 0);
    const grzVec3d d = grzVec3d_FromVec3(direction), v = grzVec3d_FromVec3(motion->translation);
    const double turn = grzVec3d_Length(grzVec3d_Cross(grzVec3d_FromVec3(motion->rotation), d)) * radius;
    const double rounding = 0x1p-48 * (grzVec3d_Length(v) * grzVec3d_Length(d) + turn);
    return (t1 - t0) * (grzVec3d_Dot(v, d) + turn + rounding);
}
