// What: what the stages of the triangle test hand to each other: simplices, their parts, and the places where two
// meet.
// Holds: a triangle without area is first reduced to the segment or point that it is, so every simplex here is a
//        proper one: its corners are affinely independent. The meeting's places are the corners of what the two
//        have in common, each once (graze/tri_tri.h tells why).
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_TRI_MEET_H
#define GRAZE_NARROWPHASE_TRI_MEET_H

#include "graze/tri_tri.h"
#include "tri_pair.h"

// A part of a triangle: corner i is i, edge i is 3 + i.
enum { tri_firstEdge = 3, tri_face = 6, tri_noPart = -1 };

typedef struct TriSimplex {
    int base;        // of its triangle's corners among the points: 0 for A, 3 for B
    int cornerCount; // 1 to 3
    int corners[3];  // of the triangle
    int edgeCount;   // 0, 1, 3
    int edges[3];    // of the triangle: edge i joins corners i and i + 1 (around) of the simplex
} TriSimplex;

// The number of a corner among the points; i may be one past the last.
static inline int grzTriSimplex_Point(const TriSimplex* simplex, int i) {
    return simplex->base + simplex->corners[i == simplex->cornerCount ? 0 : i];
}

// A place: the point `from`, where axis is TRI_AT_POINT; where the segment `from`-`to` goes through the plane of
// the points through[0..2] (TRI_THROUGH_PLANE); or else where it crosses the line through[0..1] in their common
// plane, as it is seen with that axis left out. The ends lie strictly on either side.
#define TRI_AT_POINT      (-2)
#define TRI_THROUGH_PLANE (-1)
typedef struct TriPlace {
    int partA, partB;
    int axis;
    int from, to;
    int through[3];
} TriPlace;

typedef struct TriMeeting {
    int count;
    TriPlace places[GRZ_TRI_TRI_POINTS];
} TriMeeting;

// Decides a pair whose points and bounds are set. In order as graze/tri_tri.h promises.
void grzTriPair_Meet(const TriPair* pair, TriMeeting* meeting);

// The part of the first that has the place; of simplices in one plane, which leaving out the axis does not flatten.
int grzTriSimplex_Locate(const TriPair* pair, const TriSimplex* simplex, int axis, int point);

// An axis that can be left out without flattening what the points span.
int grzTriPair_PickAxis(const TriPair* pair, const int* points, int count);

// Two simplices in one plane.
void grzTriPair_MeetInPlane(const TriPair* pair, const TriSimplex* a, const TriSimplex* b, TriMeeting* meeting);

// Adds a place unless its parts are there.
void grzTriMeeting_Add(TriMeeting* meeting, const TriPlace* place);

// The coordinates of a place, rounded to nearest.
grzVec3 grzTriPlace_Round(const TriPair* pair, const TriPlace* place);
grzVec3d grzTriPlace_RoundDouble(const TriPair* pair, const TriPlace* place);

#endif
