// Nearest points of points, segments and triangles, in double.
//
// Guarantee: what is found lies on the segment or triangle but for rounding, whatever that has come to be: without length, or
// without area.
// Based on: [Ericson, Real-Time Collision Detection, 2005] sections 5.1.2, 5.1.5 and 5.1.9; [Lumelsky, On Fast Computation of Distance
// between Line Segments, IPL 1985].
#ifndef GRAZE_BASE_NEAREST_H
#define GRAZE_BASE_NEAREST_H

#include "vec3d.h"

// To 0 .. 1; a NaN to 0.
static inline double grzNearest_Clamp(double t) {
    return t > 0 ? t < 1 ? t : 1 : 0;
}

// The part of d, 0 .. 1, at which the segment along d is nearest to a point; `from`: from the segment's start to the point.
static inline double grzNearest_OnSegment(grzVec3d from, grzVec3d d) {
    return grzNearest_Clamp(grzVec3d_Dot(from, d) / grzVec3d_LengthSq(d));
}

// How far the point is from there.
static inline double grzNearest_SegmentDistance(grzVec3d from, grzVec3d d) {
    return grzVec3d_Length(grzVec3d_Sub(from, grzVec3d_Scale(d, grzNearest_OnSegment(from, d))));
}

// Two lines along d and e, r from the start of the first to that of the second: the products of these vectors, and the parts of d and e at
// which the lines are nearest to each other, times `all`. That is 0, but for rounding, where the lines are parallel.
typedef struct grzNearestLines {
    double dd, ee, de, dr, er;
    double s, t, all;
} grzNearestLines;

static inline grzNearestLines grzNearest_OfLines(grzVec3d d, grzVec3d e, grzVec3d r) {
    grzNearestLines lines;
    lines.dd = grzVec3d_LengthSq(d), lines.ee = grzVec3d_LengthSq(e), lines.de = grzVec3d_Dot(d, e);
    lines.dr = grzVec3d_Dot(d, r), lines.er = grzVec3d_Dot(e, r);
    lines.s = lines.dr * lines.ee - lines.de * lines.er;
    lines.t = lines.de * lines.dr - lines.dd * lines.er;
    lines.all = lines.dd * lines.ee - lines.de * lines.de;
    return lines;
}

// The parts of d and e, 0 .. 1, at which two segments are nearest to each other.
static inline void grzNearest_OfSegments(grzVec3d d, grzVec3d e, grzVec3d r, double* s, double* t) {
    const grzNearestLines lines = grzNearest_OfLines(d, e, r);
    *s = grzNearest_Clamp(lines.s / lines.all);
    *t = (lines.de * *s - lines.er) / lines.ee;
    if (!(*t >= 0 && *t <= 1)) {
        *t = grzNearest_Clamp(*t);
        *s = grzNearest_Clamp((lines.dr + lines.de * *t) / lines.dd);
    }
}

// The weights of the corners at the point of a triangle that is nearest to p. At a corner the others' are exactly 0, and on an
// edge that of the corner across.
void grzNearest_OnTriangle(const grzVec3d corners[3], grzVec3d p, double weights[3]);

static inline grzVec3d grzNearest_Weighted(const grzVec3d corners[3], const double weights[3]) {
    const grzVec3d sum =
        grzVec3d_Add(grzVec3d_Scale(corners[0], weights[0]), grzVec3d_Scale(corners[1], weights[1]));
    return grzVec3d_Add(sum, grzVec3d_Scale(corners[2], weights[2]));
}

#endif
