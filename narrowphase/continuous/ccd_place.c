// What: ccd_place.h.
// Idea: at the time told the features do not quite touch, by rounding; so the weights are those of their nearest points, which
//   are there whatever the triangle or the edges have come to be.
//
//   The side that the first feature comes from: the volume of ccd_polygon.h is, but for its sign, its height over the other
//   one times an area, and comes to zero from that side; so its slope tells.
#include "ccd_place.h"
#include "nearest.h"

#include <math.h>

// A power of two by which nothing over- or underflows that is worth keeping.
static double scaleOf(const grzCcdQuery* query) {
    double most = 0;
    for (int i = 0; i < 24; ++i)
        most = fmax(most, fabs(query->points[i / 12][i / 3 % 4][i % 3]));
    int exponent = 0;
    frexp(most, &exponent);
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

static grzVec3d pointAt(const grzCcdQuery* query, int i, double time, double scale) {
    const double *a = query->points[0][i], *b = query->points[1][i];
    return (grzVec3d){scale * ((1 - time) * a[0] + time * b[0]), scale * ((1 - time) * a[1] + time * b[1]),
                      scale * ((1 - time) * a[2] + time * b[2])};
}

// ---- the side ----

// The volume's slope at a time, but for a positive factor.
static double slopeOfVolume(grzVec3d corners[2][3], double time) {
    double slope = 0;
    grzVec3d now[3], step[3];
    for (int k = 0; k < 3; ++k) {
        step[k] = grzVec3d_Sub(corners[1][k], corners[0][k]);
        now[k] = grzVec3d_AddScaled(corners[0][k], time, step[k]);
    }
    slope += grzVec3d_Dot(step[0], grzVec3d_Cross(now[1], now[2]));
    slope += grzVec3d_Dot(now[0], grzVec3d_Cross(step[1], now[2]));
    slope += grzVec3d_Dot(now[0], grzVec3d_Cross(now[1], step[2]));
    return slope;
}

static void setNormal(grzVec3d normal, double slope, grzCcdImpact* impact) {
    const double length = sqrt(grzVec3d_Dot(normal, normal));
    const double by = slope == 0 || !(length > 0) ? 0 : (slope > 0 ? 1 : -1) / length;
    impact->normal[0] = by * normal.x;
    impact->normal[1] = by * normal.y;
    impact->normal[2] = by * normal.z;
}

static void placeVertex(const grzCcdQuery* query, double time, double scale, grzCcdImpact* impact) {
    grzVec3d corners[2][3], now[3];
    for (int k = 0; k < 3; ++k) {
        for (int end = 0; end < 2; ++end)
            corners[end][k] = grzVec3d_Sub(pointAt(query, k + 1, end, scale), pointAt(query, 0, end, scale));
        now[k] = pointAt(query, k + 1, time, scale);
    }
    setNormal(grzVec3d_Cross(grzVec3d_Sub(now[1], now[0]), grzVec3d_Sub(now[2], now[0])),
              slopeOfVolume(corners, time), impact);
}

static void placeEdges(const grzCcdQuery* query, double time, double scale, grzCcdImpact* impact) {
    grzVec3d corners[2][3], now[4];
    for (int end = 0; end < 2; ++end) {
        const grzVec3d a0 = pointAt(query, 0, end, scale), a1 = pointAt(query, 1, end, scale);
        const grzVec3d b0 = pointAt(query, 2, end, scale), b1 = pointAt(query, 3, end, scale);
        corners[end][0] = grzVec3d_Sub(a0, b0);
        corners[end][1] = grzVec3d_Sub(a0, b1);
        corners[end][2] = grzVec3d_Sub(a1, b0);
    }
    for (int k = 0; k < 4; ++k)
        now[k] = pointAt(query, k, time, scale);
    setNormal(grzVec3d_Cross(grzVec3d_Sub(now[1], now[0]), grzVec3d_Sub(now[3], now[2])),
              -slopeOfVolume(corners, time), impact);
}

// The weights of the nearest points at a time; returns from the second feature's to the first one's, scaled.
static grzVec3d nearestAt(const grzCcdQuery* query, double time, double scale, double weights[4]) {
    grzVec3d at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = pointAt(query, k, time, scale);
    if (query->kind == grz_ccdVertexFace) {
        weights[0] = 1;
        grzNearest_OnTriangle(at + 1, at[0], weights + 1);
        grzVec3d apart = {0, 0, 0};
        for (int k = 1; k < 4; ++k)
            apart = grzVec3d_AddScaled(apart, weights[k], grzVec3d_Sub(at[0], at[k]));
        return apart;
    }
    double s, t;
    const grzVec3d d = grzVec3d_Sub(at[1], at[0]), e = grzVec3d_Sub(at[3], at[2]), r = grzVec3d_Sub(at[2], at[0]);
    grzNearest_OfSegments(d, e, r, &s, &t);
    weights[0] = 1 - s;
    weights[1] = s;
    weights[2] = 1 - t;
    weights[3] = t;
    return grzVec3d_Sub(grzVec3d_AddScaled(at[0], s, d), grzVec3d_AddScaled(at[2], t, e));
}

void grzCcdPlace(const grzCcdQuery* query, double time, grzCcdImpact* impact) {
    const double scale = scaleOf(query);
    nearestAt(query, time, scale, impact->weights);
    if (query->kind == grz_ccdVertexFace)
        placeVertex(query, time, scale, impact);
    else
        placeEdges(query, time, scale, impact);
}

double grzCcdSeparation(const grzCcdQuery* query, double time) {
    const double scale = scaleOf(query);
    double weights[4];
    const grzVec3d apart = nearestAt(query, time, scale, weights);
    return sqrt(grzVec3d_Dot(apart, apart)) / scale;
}
