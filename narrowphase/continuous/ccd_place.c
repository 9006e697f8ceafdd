// What: ccd_place.h.
// Idea: at the time told the features do not quite touch, by rounding; so the weights are those of their nearest points, which
//   are there whatever the triangle or the edges have come to be.
//
//   The side that the first feature comes from: the volume of ccd_polygon.h is, but for its sign, its height over the other
//   one times an area, and comes to zero from that side; so its slope tells.
// Based on: [Ericson, Real-Time Collision Detection, 2005] 5.1.5 and 5.1.9, for the nearest points.
#include "ccd_place.h"
#include "vec3d.h"

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

// ---- nearest points ----

// Of a segment from p to p + d, the part of d at which it is nearest to q.
static double nearestOnSegment(grzVec3d p, grzVec3d d, grzVec3d q) {
    const double length = grzVec3d_Dot(d, d);
    return length > 0 ? fmin(fmax(grzVec3d_Dot(grzVec3d_Sub(q, p), d) / length, 0), 1) : 0;
}

// Takes the best of the three sides into weights.
static void nearestOnSides(grzVec3d p, const grzVec3d corners[3], double weights[3]) {
    double best = (double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        const grzVec3d a = corners[k], side = grzVec3d_Sub(corners[(k + 1) % 3], a);
        const double s = nearestOnSegment(a, side, p);
        const grzVec3d apart = grzVec3d_Sub(p, grzVec3d_AddScaled(a, s, side));
        if (grzVec3d_Dot(apart, apart) < best) {
            best = grzVec3d_Dot(apart, apart);
            weights[k] = 1 - s;
            weights[(k + 1) % 3] = s;
            weights[(k + 2) % 3] = 0;
        }
    }
}

static void nearestOnTriangle(grzVec3d p, const grzVec3d corners[3], double weights[3]) {
    const grzVec3d ab = grzVec3d_Sub(corners[1], corners[0]), ac = grzVec3d_Sub(corners[2], corners[0]),
                   ap = grzVec3d_Sub(p, corners[0]);
    const grzVec3d normal = grzVec3d_Cross(ab, ac);
    const double area = grzVec3d_Dot(normal, normal);
    const double v = grzVec3d_Dot(grzVec3d_Cross(ap, ac), normal) / area,
                 w = grzVec3d_Dot(grzVec3d_Cross(ab, ap), normal) / area;
    if (area > 0 && v >= 0 && w >= 0 && v + w <= 1) {
        weights[0] = 1 - v - w;
        weights[1] = v;
        weights[2] = w;
    } else {
        nearestOnSides(p, corners, weights);
    }
}

static void nearestOnEdges(const grzVec3d a[2], const grzVec3d b[2], double* s, double* t) {
    const grzVec3d d = grzVec3d_Sub(a[1], a[0]), e = grzVec3d_Sub(b[1], b[0]), r = grzVec3d_Sub(a[0], b[0]);
    const double dd = grzVec3d_Dot(d, d), ee = grzVec3d_Dot(e, e), de = grzVec3d_Dot(d, e), dr = grzVec3d_Dot(d, r),
                 er = grzVec3d_Dot(e, r);
    const double size = dd * ee - de * de;
    *s = size > 0 ? fmin(fmax((de * er - dr * ee) / size, 0), 1) : 0;
    *t = nearestOnSegment(b[0], e, grzVec3d_AddScaled(a[0], *s, d));
    *s = nearestOnSegment(a[0], d, grzVec3d_AddScaled(b[0], *t, e));
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
        nearestOnTriangle(at[0], at + 1, weights + 1);
        grzVec3d apart = {0, 0, 0};
        for (int k = 1; k < 4; ++k)
            apart = grzVec3d_AddScaled(apart, weights[k], grzVec3d_Sub(at[0], at[k]));
        return apart;
    }
    double s, t;
    nearestOnEdges(at, at + 2, &s, &t);
    weights[0] = 1 - s;
    weights[1] = s;
    weights[2] = 1 - t;
    weights[3] = t;
    return grzVec3d_Sub(grzVec3d_AddScaled(at[0], s, grzVec3d_Sub(at[1], at[0])),
                        grzVec3d_AddScaled(at[2], t, grzVec3d_Sub(at[3], at[2])));
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
