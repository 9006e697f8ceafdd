// What: decides what two triangles have in common, exactly.
// Promise: the kind and the features are true of the numbers as given; points are the true ones, rounded to
//          nearest.
// Idea: the sides of the corners of each triangle to the plane of the other. One side only: nothing in common, and
//       that is what nearly all pairs are. Planes that cross: the edges that go through the other plane are located
//       in the other triangle by the volumes that they span with its edges; corners that lie in the plane, in that
//       plane. All sides zero: the triangles lie in one plane, or have no area (tri_coplanar.c).
//
//             a0                 a0-a1 and a0-a2 go through the plane of B. Each hits B's face, an edge or a
//            / \                 corner, or misses. What B's edges find on A is added where its parts are not
//       ----/-+-\---- plane of B there yet.
//          a1   a2
//
// Cost: 6 volumes for a pair apart, up to 18 for one that meets.      Limits: graze/tri_tri.h.
// Based on: [Guigue, Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates, JGT
//           2003] for the use of nothing but orientation signs. We differ: places with features are found, not only
//           whether there are any, and degenerate triangles are decided.
#include "graze/tri_tri.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "collinear.h"
#include "refuse_null.h"
#include "tri_meet.h"

// ---------------------------------------------------------------------------------------------------- simplices

static int compareCorners(const double p[3], const double q[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (p[axis] != q[axis])
            return p[axis] < q[axis] ? -1 : 1;
    return 0;
}

// The triangle, or the segment or point that it is.
static TriSimplex makeSimplex(const TriPair* pair, int base) {
    const double(*p)[3] = &pair->points[base];
    if (!grzCollinear(p[0], p[1], p[2]))
        return (TriSimplex){base, 3, {0, 1, 2}, 3, {0, 1, 2}};
    int first = 0, last = 0;
    for (int i = 1; i < 3; ++i) {
        first = compareCorners(p[i], p[first]) < 0 ? i : first;
        last = compareCorners(p[i], p[last]) > 0 ? i : last;
    }
    if (compareCorners(p[first], p[last]) == 0)
        return (TriSimplex){base, 1, {0, 0, 0}, 0, {0, 0, 0}};
    int edge = (first + 1) % 3 == last ? first : last;
    return (TriSimplex){base, 2, {first, last, 0}, 1, {edge, 0, 0}};
}

// ------------------------------------------------------------------------------------------------------- places

void grzTriMeeting_Add(TriMeeting* meeting, const TriPlace* place) {
    for (int i = 0; i < meeting->count; ++i)
        if (meeting->places[i].partA == place->partA && meeting->places[i].partB == place->partB)
            return;
    GRZ_ASSERT(meeting->count < GRZ_TRI_TRI_POINTS);
    meeting->places[meeting->count++] = *place;
}

// The part of a triangle that a line hits which is not in its plane.
static int locateLine(const TriPair* pair, const TriSimplex* triangle, int from, int to) {
    bool hasSide[3] = {false, false, false}; // -1, 0, 1
    int zeros[3] = {0, 0, 0}, zeroCount = 0;
    for (int i = 0; i < 3; ++i) {
        int side = grzTriPair_VolumeSign(pair, from, to, grzTriSimplex_Point(triangle, i),
                                         grzTriSimplex_Point(triangle, i + 1));
        hasSide[side + 1] = true;
        if (side == 0)
            zeros[zeroCount++] = i;
        if (hasSide[0] && hasSide[2])
            return tri_noPart;
    }
    if (zeroCount == 0)
        return tri_face;
    if (zeroCount == 1)
        return tri_firstEdge + zeros[0];
    return zeros[1] - zeros[0] == 1 ? zeros[1] : 0; // the corner that both edges have
}

static void addPlace(TriMeeting* meeting, const TriSimplex* simplex, TriPlace place, int part, int otherPart) {
    if (otherPart == tri_noPart)
        return;
    place.partA = simplex->base == 0 ? part : otherPart;
    place.partB = simplex->base == 0 ? otherPart : part;
    grzTriMeeting_Add(meeting, &place);
}

// Where a simplex goes through a triangle in another plane; sides[i] is that of corner i of its triangle.
static void addThrough(const TriPair* pair, const TriSimplex* simplex, const int sides[3],
                       const TriSimplex* triangle, TriMeeting* meeting) {
    int base = triangle->base;
    for (int i = 0; i < simplex->cornerCount; ++i) {
        if (sides[simplex->corners[i]] != 0)
            continue;
        int point = grzTriSimplex_Point(simplex, i);
        int axis = grzTriPair_PickAxis(pair, (int[]){base, base + 1, base + 2}, 3);
        addPlace(meeting, simplex, (TriPlace){.axis = TRI_AT_POINT, .from = point}, simplex->corners[i],
                 grzTriSimplex_Locate(pair, triangle, axis, point));
    }
    for (int i = 0; i < simplex->edgeCount; ++i) {
        int from = grzTriSimplex_Point(simplex, i), to = grzTriSimplex_Point(simplex, i + 1);
        if (sides[from - simplex->base] * sides[to - simplex->base] >= 0)
            continue;
        TriPlace place = {0, 0, TRI_THROUGH_PLANE, from, to, {base, base + 1, base + 2}};
        addPlace(meeting, simplex, place, tri_firstEdge + simplex->edges[i], locateLine(pair, triangle, from, to));
    }
}

// Places of a meeting that is no area.
static void sortTwo(TriMeeting* meeting) {
    if (meeting->count != 2)
        return;
    TriPlace *p = &meeting->places[0], *q = &meeting->places[1];
    if (q->partA < p->partA || (q->partA == p->partA && q->partB < p->partB)) {
        TriPlace swapped = *p;
        *p = *q;
        *q = swapped;
    }
}

// ----------------------------------------------------------------------------------------------------- deciding

// The sides of the corners of one triangle to the plane of the other. False where all are on one side.
static bool findSides(const TriPair* pair, int base, int sides[3]) {
    int other = 3 - base, sum = 0;
    for (int i = 0; i < 3; ++i) {
        sides[i] = grzTriPair_VolumeSign(pair, other, other + 1, other + 2, base + i);
        sum += sides[i];
    }
    return sum != 3 && sum != -3;
}

static bool anySide(const int sides[3]) {
    return sides[0] != 0 || sides[1] != 0 || sides[2] != 0;
}

// One of the triangles lies in the plane of the other or has no area.
static void meetSpecially(const TriPair* pair, const int sidesA[3], const int sidesB[3], TriMeeting* meeting) {
    TriSimplex a = makeSimplex(pair, 0), b = makeSimplex(pair, 3);
    if (anySide(sidesA)) // then B is a triangle, and A is not
        addThrough(pair, &a, sidesA, &b, meeting);
    else if (anySide(sidesB))
        addThrough(pair, &b, sidesB, &a, meeting);
    else if (a.cornerCount != 2 || b.cornerCount != 2 ||
             grzTriPair_VolumeSign(pair, grzTriSimplex_Point(&a, 0), grzTriSimplex_Point(&a, 1),
                                   grzTriSimplex_Point(&b, 0), grzTriSimplex_Point(&b, 1)) == 0)
        grzTriPair_MeetInPlane(pair, &a, &b, meeting);
}

void grzTriPair_Meet(const TriPair* pair, TriMeeting* meeting) {
    static const TriSimplex a = {0, 3, {0, 1, 2}, 3, {0, 1, 2}}, b = {3, 3, {0, 1, 2}, 3, {0, 1, 2}};
    int sidesA[3], sidesB[3];
    meeting->count = 0;
    if (!findSides(pair, 0, sidesA) || !findSides(pair, 3, sidesB))
        return;
    if (anySide(sidesA) && anySide(sidesB)) {
        addThrough(pair, &a, sidesA, &b, meeting);
        addThrough(pair, &b, sidesB, &a, meeting);
    } else {
        meetSpecially(pair, sidesA, sidesB, meeting);
    }
    sortTwo(meeting);
}

// ---------------------------------------------------------------------------------------------------- the calls

static grzTriTriKind kindOf(const TriMeeting* meeting) {
    return meeting->count < 3 ? (grzTriTriKind)meeting->count : grz_triArea;
}

static grzFeature featureOf(int part) {
    if (part == tri_face)
        return grzMakeFeature(grz_faceFeature, 0);
    return part < tri_firstEdge ? grzMakeFeature(grz_vertexFeature, (uint32_t)part)
                                : grzMakeFeature(grz_edgeFeature, (uint32_t)(part - tri_firstEdge));
}

static bool takePoints(const grzVec3 a[3], const grzVec3 b[3], TriPair* pair) {
    bool isFinite = true;
    for (int i = 0; i < 3; ++i) {
        isFinite = isFinite && grzVec3_IsFinite(a[i]) && grzVec3_IsFinite(b[i]);
        for (int axis = 0; axis < 3; ++axis) {
            pair->points[i][axis] = (double)grzVec3_Get(a[i], axis);
            pair->points[3 + i][axis] = (double)grzVec3_Get(b[i], axis);
        }
    }
    if (isFinite)
        grzTriPair_SetBounds(pair);
    return isFinite;
}

static void meet(const grzVec3 a[3], const grzVec3 b[3], TriPair* pair, TriMeeting* meeting) {
    meeting->count = 0;
    if (takePoints(a, b, pair))
        grzTriPair_Meet(pair, meeting);
}

grzTriTriKind grzTriTri_Classify(const grzVec3 a[3], const grzVec3 b[3]) {
    GRZ_RETURN_IF_NULL(a, (grzTriTriKind){0});
    GRZ_RETURN_IF_NULL(b, (grzTriTriKind){0});
    TriPair pair;
    TriMeeting meeting;
    meet(a, b, &pair, &meeting);
    return kindOf(&meeting);
}

grzTriTriKind grzTriTri_Intersect(const grzVec3 a[3], const grzVec3 b[3], grzTriTri* meeting) {
    GRZ_RETURN_IF_NULL(a, (grzTriTriKind){0});
    GRZ_RETURN_IF_NULL(b, (grzTriTriKind){0});
    GRZ_RETURN_IF_NULL(meeting, (grzTriTriKind){0});
    TriPair pair;
    TriMeeting found;
    meet(a, b, &pair, &found);
    memset(meeting, 0, sizeof *meeting);
    meeting->kind = kindOf(&found);
    meeting->count = (uint32_t)found.count;
    for (int i = 0; i < found.count; ++i) {
        const TriPlace* place = &found.places[i];
        meeting->points[i].point = grzTriPlace_Round(&pair, place);
        meeting->points[i].featureA = featureOf(place->partA);
        meeting->points[i].featureB = featureOf(place->partB);
    }
    return kindOf(&found);
}

// ------------------------------------------------------------------------------------------------------- double

// Position of the last bit that is set, as a power of two. Of a number that is not 0.
static int lowestBit(double number) {
    int exponent;
    double fraction = frexp(number, &exponent); // fraction * 2^53 is an integer
    int64_t integer = (int64_t)ldexp(fabs(fraction), DBL_MANT_DIG);
    int zeros = 0;
    for (; (integer & 1) == 0; integer >>= 1)
        ++zeros;
    return exponent - DBL_MANT_DIG + zeros;
}

// The power of two by which points that do not fit tri_pair.h are to be scaled; false where none does.
static bool findScale(const TriPair* pair, int* scale) {
    int above = INT32_MIN, lowest = INT32_MAX;
    for (int i = 0; i < 18; ++i) {
        double x = pair->points[i / 3][i % 3];
        int exponent, bit;
        if (!isfinite(x))
            return false;
        if (x == 0)
            continue;
        frexp(x, &exponent);
        bit = lowestBit(x);
        above = exponent > above ? exponent : above;
        lowest = bit < lowest ? bit : lowest;
    }
    *scale = 0;
    if (above == INT32_MIN || (above <= TRI_POINT_ABOVE_BIT && lowest >= TRI_POINT_LOWEST_BIT))
        return true;
    *scale = TRI_POINT_ABOVE_BIT - above;
    return above - lowest <= TRI_POINT_ABOVE_BIT - TRI_POINT_LOWEST_BIT;
}

static void takeCorners(const grzVec3d corners[3], int base, TriPair* pair) {
    for (int i = 0; i < 3; ++i) {
        pair->points[base + i][0] = corners[i].x;
        pair->points[base + i][1] = corners[i].y;
        pair->points[base + i][2] = corners[i].z;
    }
}

bool grzTriTri_IntersectDouble(const grzVec3d a[3], const grzVec3d b[3], grzTriTrid* meeting) {
    GRZ_RETURN_IF_NULL(a, false);
    GRZ_RETURN_IF_NULL(b, false);
    GRZ_RETURN_IF_NULL(meeting, false);
    TriPair pair;
    TriMeeting found;
    int scale;
    memset(meeting, 0, sizeof *meeting);
    takeCorners(a, 0, &pair);
    takeCorners(b, 3, &pair);
    if (!findScale(&pair, &scale))
        return false;
    for (int i = 0; i < 18; ++i)
        pair.points[i / 3][i % 3] = ldexp(pair.points[i / 3][i % 3], scale);
    grzTriPair_SetBounds(&pair);
    grzTriPair_Meet(&pair, &found);
    meeting->kind = kindOf(&found);
    meeting->count = (uint32_t)found.count;
    for (int i = 0; i < found.count; ++i) {
        grzVec3d p = grzTriPlace_RoundDouble(&pair, &found.places[i]);
        meeting->points[i].point = grzVec3d_Make(ldexp(p.x, -scale), ldexp(p.y, -scale), ldexp(p.z, -scale));
        meeting->points[i].featureA = featureOf(found.places[i].partA);
        meeting->points[i].featureB = featureOf(found.places[i].partB);
    }
    return true;
}

GRZ_STATIC_ASSERT(GRZ_TRI_TRI_SPAN == TRI_POINT_ABOVE_BIT - TRI_POINT_LOWEST_BIT, "what the expansions hold");
