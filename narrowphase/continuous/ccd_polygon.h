// What: the polygon that stands for a vertex and a triangle, or for two edges, in linear motion: they touch when it holds the
//   origin.
//
//   vertex p, triangle a b c      a - p, b - p, c - p
//   edges a0 a1 and b0 b1         a0 - b0, a0 - b1, a1 - b1, a1 - b0: a parallelogram, all differences of their points
//
// Idea: its corners move linearly from t = 0 to 1. The origin lies in its plane where a cubic is zero, the volume that corners
//   0, 1 and the last one span; and in it, where the areas that its sides span with the origin, seen along an axis, do not
//   differ in sign.
// Holds: corner k is first[k] - second[k]; the differences are not rounded before somebody asks for them.
#ifndef GRAZE_NARROWPHASE_CCD_POLYGON_H
#define GRAZE_NARROWPHASE_CCD_POLYGON_H

#include "graze/ccd.h"

enum { CCD_CORNERS = 4 };

// The eight points: [t][point][axis]; and of which two each corner is the difference.
typedef struct CcdPolygon {
    const double (*points)[4][3]; // of both ends
    int cornerCount;              // 3 or 4
    unsigned char first[CCD_CORNERS], second[CCD_CORNERS];
} CcdPolygon;

typedef enum CcdVerdict {
    ccd_apart = 0,
    ccd_touch,
    ccd_unknown,
} CcdVerdict;

// When they touch first: not before t0, and at some time up to t1. Both are multiples of 2^-52.
typedef struct CcdSpan {
    double t0, t1;
} CcdSpan;

static inline CcdPolygon ccdPolygon(const grzCcdQuery* query) {
    if (query->kind == grz_ccdVertexFace)
        return (CcdPolygon){query->points, 3, {1, 2, 3, 0}, {0, 0, 0, 0}};
    return (CcdPolygon){query->points, 4, {0, 0, 1, 1}, {2, 3, 3, 2}};
}

#endif
