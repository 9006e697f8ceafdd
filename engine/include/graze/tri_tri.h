// Triangle against triangle, decided exactly: nothing, a point, a segment or an area, and the features that meet.
//
//   grzTriTri meeting;
//   if (grzTriTri_Intersect(a, b, &meeting) == grz_triSegment)
//       drawLine(meeting.points[0].point, meeting.points[1].point);
//
// A triangle is the closed set that its three corners span, so touching counts. What is decided is true of the
// numbers as they are given, for all finite floats from the smallest subnormal to the largest: there is no epsilon.
// A triangle without area is the segment or the point that is left of it. A triangle with a NaN or an infinity
// meets nothing.
//
// The corners of what two triangles have in common are exactly the places where the inside of a feature of A and
// the inside of one of B meet in one point: corner and corner, corner and edge, corner and face, edge and edge,
// edge and face. So each point below has its own pair of features, and no two points are one place.
//
// Thread: any; pure functions. Nothing is allocated; up to 100 KB of stack. Cost on one core of a Zen 4: 30 ns for
// a pair apart, 200 for one that meets, where doubles can tell (nearly always); up to some microseconds where the
// exact arithmetic is called. Many pairs at once: tri_pairs.h.
#ifndef GRAZE_TRI_TRI_H
#define GRAZE_TRI_TRI_H

#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

// What two triangles have in common.
typedef enum grzTriTriKind {
    grz_triNone = 0,
    grz_triPoint,
    grz_triSegment,
    grz_triArea, // a convex polygon of three to six corners: the triangles lie in one plane
} grzTriTriKind;

#define GRZ_TRI_TRI_POINTS 6 // never more

// Feature indices are within the triangle: corner 0 to 2; edge i from corner i to corner (i + 1) % 3; face 0. Of a
// triangle without area there are the corners at the ends and the edge that joins them; where several corners lie
// in one place, it is the first of them. It has no face.
typedef struct grzTriTriPoint {
    grzVec3 point; // each coordinate is the exact one rounded to the nearest float, ties to even; w is 0. A corner
                   // comes as it is
    grzFeature featureA, featureB;
} grzTriTriPoint;

// The points of a segment ascend by (featureA, featureB). Those of an area go counter-clockwise, seen from where A
// does, from the least by (featureA, featureB). Unused places are zeros, so that meetings can be compared as bytes.
typedef struct grzTriTri {
    uint32_t kind;  // a grzTriTriKind
    uint32_t count; // of points: 0, 1, 2, or 3 to 6
    grzTriTriPoint points[GRZ_TRI_TRI_POINTS];
} grzTriTri;

// The kind alone. The w of a corner is not read.
GRZ_API grzTriTriKind grzTriTri_Classify(const grzVec3 a[3], const grzVec3 b[3]);

// Fills *meeting and returns its kind.
GRZ_API grzTriTriKind grzTriTri_Intersect(const grzVec3 a[3], const grzVec3 b[3], grzTriTri* meeting);

// The same in double.
typedef struct grzTriTriPointd {
    grzVec3d point; // rounded to the nearest double
    grzFeature featureA, featureB;
} grzTriTriPointd;

typedef struct grzTriTrid {
    uint32_t kind;
    uint32_t count;
    grzTriTriPointd points[GRZ_TRI_TRI_POINTS];
} grzTriTrid;

// False, with an empty meeting, where a coordinate is not finite, or where the exact arithmetic could not hold the
// numbers: their bits, from the top one of the largest to the last that is set in any, must span at most
// GRZ_TRI_TRI_SPAN binary places. (So 1e60 beside 1e-60 is fine, 1e150 beside 1e-150 is not.) Rounding is to
// nearest but where it ends among the subnormals: there within one unit of the last place.
#define GRZ_TRI_TRI_SPAN 460
GRZ_NODISCARD GRZ_API bool grzTriTri_IntersectDouble(const grzVec3d a[3], const grzVec3d b[3], grzTriTrid* meeting);

GRZ_STATIC_ASSERT(sizeof(grzTriTriPoint) == 24, "a vector and two features");
GRZ_STATIC_ASSERT(sizeof(grzTriTri) == 152, "two words and six points");
GRZ_STATIC_ASSERT(sizeof(grzTriTrid) == 200, "two words and six points");

GRZ_EXTERN_C_END

#endif
