// What: clips the incident face by the sides of the reference face, and picks up to four points.
// Promise: each point names the two features that made it, so that the same touch has the same name in the next
//   frame; the deepest point is always kept.
// Idea: the reference face is taken a little larger than it is (grzRimSlack), so that a crate which stands flush on
//   another one keeps its corners when it shakes. Every corner of the clipped polygon remembers which lines it lies
//   between:
//
//        incident edge, incident edge     a vertex of the incident face over the reference face
//        incident edge, reference edge    two edges that cross
//        reference edge, reference edge   a vertex of the reference face under the incident face
//
// Based on: [Sutherland, Hodgman, Reentrant Polygon Clipping, CACM 1974].
#include "convex_clip.h"

#include <math.h>

#include "check.h"

#define REFERENCE_EDGE 0x80000000u // in front of the place of a reference edge in its face

typedef struct Corner {
    grzVec3d point;
    uint32_t line;   // that leads on from here
    uint32_t vertex; // of the incident face, or GRZ_CORE_NONE
} Corner;

// The half-space within side i of the reference face, moved out by the slack: dot(n, p) <= offset.
typedef struct Side {
    grzVec3d normal;
    double offset;
} Side;

static Side sideOf(const CoreFace* face, uint32_t i, grzVec3d normal, double slack) {
    grzVec3d from = face->corners[i], to = face->corners[i + 1 < face->count ? i + 1 : 0];
    Side side;
    side.normal = grzVec3d_Cross(grzVec3d_Sub(to, from), normal);
    side.offset = grzVec3d_Dot(side.normal, from) + slack * grzVec3d_Length(side.normal);
    return side;
}

static uint32_t clipSide(const Corner* from, uint32_t count, Side side, uint32_t line, Corner* to) {
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const Corner *a = &from[i], *b = &from[i + 1 < count ? i + 1 : 0];
        double heightA = grzVec3d_Dot(side.normal, a->point) - side.offset;
        double heightB = grzVec3d_Dot(side.normal, b->point) - side.offset;
        GRZ_ASSERT(made + 2 <= CLIP_MOST_POINTS);
        if (heightA <= 0)
            to[made++] = *a;
        if ((heightA <= 0) == (heightB <= 0))
            continue;
        Corner cut = {grzVec3d_Lerp(a->point, b->point, heightA / (heightA - heightB)), a->line, GRZ_CORE_NONE};
        if (heightA <= 0)
            cut.line = line;
        to[made++] = cut;
    }
    return made;
}

// -------------------------------------------------------------------------------------------------------- names

// The vertex of the face between two of its edges, or GRZ_CORE_NONE.
static uint32_t between(const CoreFace* face, uint32_t i, uint32_t k) {
    if (k == (i + 1 < face->count ? i + 1 : 0))
        return face->vertices[k];
    return i == (k + 1 < face->count ? k + 1 : 0) ? face->vertices[i] : GRZ_CORE_NONE;
}

typedef struct Naming {
    const ConvexCore *reference, *incident;
    const CoreFace* face;
    uint32_t referenceFace, incidentFace;
} Naming;

static void nameCorner(const Naming* naming, uint32_t before, const Corner* corner, ClipPoint* point) {
    bool isFirst = (before & REFERENCE_EDGE) != 0, isSecond = (corner->line & REFERENCE_EDGE) != 0;
    uint32_t i = before & ~REFERENCE_EDGE, k = corner->line & ~REFERENCE_EDGE;
    point->reference = grzConvexCore_Feature(naming->reference, grz_faceFeature, naming->referenceFace);
    point->incident = naming->incident->kind <= coreSegment
                          ? grzConvexCore_Feature(naming->incident, grz_edgeFeature, 0)
                          : grzConvexCore_Feature(naming->incident, grz_faceFeature, naming->incidentFace);
    if (corner->vertex != GRZ_CORE_NONE) {
        point->incident = grzConvexCore_Feature(naming->incident, grz_vertexFeature, corner->vertex);
    } else if (isFirst && isSecond) {
        uint32_t vertex = between(naming->face, i, k);
        if (vertex != GRZ_CORE_NONE)
            point->reference = grzConvexCore_Feature(naming->reference, grz_vertexFeature, vertex);
    } else if (isFirst || isSecond) {
        uint32_t edge = naming->face->edges[isFirst ? i : k];
        point->reference = grzConvexCore_Feature(naming->reference, grz_edgeFeature, edge);
        point->incident = grzConvexCore_Feature(naming->incident, grz_edgeFeature, isFirst ? k : i);
    }
}

// ------------------------------------------------------------------------------------------- faces and segments

static uint32_t clipPolygon(const CoreFace* face, const CoreFace* polygon, grzVec3d normal, double slack,
                            Corner* corners) {
    Corner other[CLIP_MOST_POINTS];
    uint32_t count = polygon->count;
    for (uint32_t i = 0; i < count; ++i)
        corners[i] = (Corner){polygon->corners[i], polygon->edges[i], polygon->vertices[i]};
    for (uint32_t i = 0; i < face->count && count > 0; ++i) {
        uint32_t made = clipSide(corners, count, sideOf(face, i, normal, slack), REFERENCE_EDGE | i, other);
        for (uint32_t k = 0; k < made; ++k)
            corners[k] = other[k];
        count = made;
    }
    return count;
}

// A segment, or a point as one of no length: the stretch from t0 to t1 is left. Its ends lie between its own line and
// what cut it.
static uint32_t clipLine(const CoreFace* face, const CoreFace* line, grzVec3d normal, double slack, Corner* corners,
                         uint32_t* before) {
    grzVec3d a = line->corners[0], b = line->corners[line->count - 1];
    double t0 = 0, t1 = 1;
    uint32_t cut0 = GRZ_CORE_NONE, cut1 = GRZ_CORE_NONE;
    for (uint32_t i = 0; i < face->count; ++i) {
        Side side = sideOf(face, i, normal, slack);
        double heightA = grzVec3d_Dot(side.normal, a) - side.offset,
               heightB = grzVec3d_Dot(side.normal, b) - side.offset;
        if (heightA > 0 && heightB > 0)
            return 0;
        double t = heightA / (heightA - heightB);
        if (heightA > 0 && t > t0)
            t0 = t, cut0 = i;
        if (heightB > 0 && t < t1)
            t1 = t, cut1 = i;
    }
    if (t0 > t1)
        return 0;
    uint32_t edge = line->edges[0], last = line->vertices[line->count - 1];
    before[0] = cut0 == GRZ_CORE_NONE ? edge : REFERENCE_EDGE | cut0;
    before[1] = cut1 == GRZ_CORE_NONE ? edge : REFERENCE_EDGE | cut1;
    corners[0] = (Corner){grzVec3d_Lerp(a, b, t0), edge, cut0 == GRZ_CORE_NONE ? line->vertices[0] : GRZ_CORE_NONE};
    corners[1] = (Corner){grzVec3d_Lerp(a, b, t1), edge, cut1 == GRZ_CORE_NONE ? last : GRZ_CORE_NONE};
    return line->count;
}

// Sides that are moved out by 1 meet no farther from a corner of the face than those of a square do if they are moved out by
// this much only: less than 1 where a corner is sharper than a right angle.
static double slackOfCorners(const CoreFace* face) {
    double least = 0; // cosine of the angle by which the outline turns at a corner
    for (uint32_t i = 0; i < face->count; ++i) {
        uint32_t next = i + 1 < face->count ? i + 1 : 0, last = next + 1 < face->count ? next + 1 : 0;
        grzVec3d d = grzVec3d_Sub(face->corners[next], face->corners[i]);
        grzVec3d e = grzVec3d_Sub(face->corners[last], face->corners[next]);
        double turn = grzVec3d_Dot(d, e) / sqrt(grzVec3d_LengthSq(d) * grzVec3d_LengthSq(e));
        least = turn < least ? turn : least;
    }
    return least > -1 ? sqrt(1 + least) : 0;
}

double grzRimSlack(const ConvexCore* coreA, const ConvexCore* coreB) {
    bool isOfMesh = coreA->kind == coreTriangle || coreB->kind == coreTriangle;
    return isOfMesh ? 0 : RIM_SLACK * (coreA->size < coreB->size ? coreA->size : coreB->size);
}

uint32_t grzClipFace(const ConvexCore* reference, uint32_t face, const ConvexCore* incident, grzVec3d normal,
                     double most, ClipPoint* points) {
    CoreFace side, other;
    Corner corners[CLIP_MOST_POINTS];
    uint32_t before[2], count, made = 0;
    double cosine, offset = coreExtent(reference, normal), slack = grzRimSlack(reference, incident);
    Naming naming = {reference, incident, &side, face, 0};
    naming.incidentFace = grzConvexCore_FindFace(incident, grzVec3d_Neg(normal), &cosine);
    grzConvexCore_GetFace(reference, face, &side);
    grzConvexCore_GetFace(incident, naming.incidentFace, &other);
    if (slack > 0 && reference->kind == coreHull)
        slack *= slackOfCorners(&side);
    bool isLine = other.count <= 2;
    count = isLine ? clipLine(&side, &other, normal, slack, corners, before)
                   : clipPolygon(&side, &other, normal, slack, corners);
    for (uint32_t i = 0; i < count; ++i) {
        double height = grzVec3d_Dot(corners[i].point, normal) - offset;
        if (height > most)
            continue;
        points[made].point = corners[i].point;
        points[made].height = height;
        uint32_t line = isLine ? before[i] : corners[i > 0 ? i - 1 : count - 1].line;
        nameCorner(&naming, line, &corners[i], &points[made++]);
    }
    return made;
}

// An end of the shared stretch: place t on the incident segment, at a vertex of one of the two.
static ClipPoint endOf(const grzVec3d incident[2], double t, uint32_t vertexR, uint32_t vertexI) {
    ClipPoint point;
    point.point = grzVec3d_Lerp(incident[0], incident[1], t);
    point.height = 0;
    point.reference =
        vertexR != GRZ_CORE_NONE ? grzMakeFeature(grz_vertexFeature, vertexR) : grzMakeFeature(grz_edgeFeature, 0);
    point.incident =
        vertexI != GRZ_CORE_NONE ? grzMakeFeature(grz_vertexFeature, vertexI) : grzMakeFeature(grz_edgeFeature, 0);
    return point;
}

uint32_t grzClipSegments(const grzVec3d reference[2], const grzVec3d incident[2], grzVec3d normal, double most,
                         ClipPoint* points) {
    grzVec3d a = reference[0], d = grzVec3d_Sub(reference[1], a), b = incident[0], e = grzVec3d_Sub(incident[1], b);
    double dd = grzVec3d_LengthSq(d), ee = grzVec3d_LengthSq(e), de = grzVec3d_Dot(d, e);
    // Within about a degree and a half. Across it all points of the stretch are near enough to count.
    if (grzVec3d_LengthSq(grzVec3d_Cross(d, e)) > 7e-4 * dd * ee)
        return 0;
    double at0 = grzVec3d_Dot(grzVec3d_Sub(b, a), d) / de, end = (dd - grzVec3d_Dot(grzVec3d_Sub(b, a), d)) / de;
    double tFirst = -at0, tLast = end; // where the incident segment passes the ends of the reference
    uint32_t first = 0, last = 1, made = 0;
    if (tFirst > tLast) {
        double swapped = tFirst;
        tFirst = tLast, tLast = swapped;
        first = 1, last = 0;
    }
    double t0 = tFirst > 0 ? tFirst : 0, t1 = tLast < 1 ? tLast : 1;
    if (!(t1 > t0 && (t1 - t0) * (t1 - t0) * ee > 1e-12 * (dd < ee ? dd : ee))) // of the shorter one
        return 0;
    ClipPoint ends[2] = {endOf(incident, t0, tFirst > 0 ? first : GRZ_CORE_NONE, tFirst > 0 ? GRZ_CORE_NONE : 0),
                         endOf(incident, t1, tLast < 1 ? last : GRZ_CORE_NONE, tLast < 1 ? GRZ_CORE_NONE : 1)};
    for (int i = 0; i < 2; ++i) {
        grzVec3d p = ends[i].point;
        double s = grzVec3d_Dot(grzVec3d_Sub(p, a), d) / dd;
        ends[i].height = grzVec3d_Dot(normal, grzVec3d_Sub(p, grzVec3d_Add(a, grzVec3d_Scale(d, s))));
        if (ends[i].height <= most)
            points[made++] = ends[i];
    }
    return grzReducePoints(points, made, normal);
}

// ---------------------------------------------------------------------------------------------------- reduction

// Twice the area of a, b, p as seen along the normal, with its sign.
static double signedArea(const ClipPoint* a, const ClipPoint* b, const ClipPoint* p, grzVec3d normal) {
    return grzVec3d_Dot(normal, grzVec3d_Cross(grzVec3d_Sub(b->point, a->point), grzVec3d_Sub(p->point, a->point)));
}

static void bringForward(ClipPoint* points, uint32_t to, uint32_t from) {
    if (to == from)
        return;
    ClipPoint swapped = points[to];
    points[to] = points[from];
    points[from] = swapped;
}

// How much the area of the triangle of the first three grows by a point outside it.
static double growth(const ClipPoint* points, double turn, const ClipPoint* p, grzVec3d normal) {
    double most = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        double outside = -turn * signedArea(&points[k], &points[k == 2 ? 0 : k + 1], p, normal);
        most = outside > most ? outside : most;
    }
    return most;
}

// The deepest point, and the one farthest from it.
static void findDiagonal(ClipPoint* points, uint32_t count) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; ++i)
        best = points[i].height < points[best].height ? i : best;
    bringForward(points, 0, best);
    double most = -1;
    for (uint32_t i = 1; i < count; ++i) {
        double lengthSq = grzVec3d_LengthSq(grzVec3d_Sub(points[i].point, points[0].point));
        if (lengthSq > most) {
            most = lengthSq;
            best = i;
        }
    }
    bringForward(points, 1, best);
}

uint32_t grzReducePoints(ClipPoint* points, uint32_t count, grzVec3d normal) {
    if (count > 1)
        findDiagonal(points, count);
    if (count <= 4)
        return count;
    double most = -1, turn = 1;
    uint32_t best = 2;
    for (uint32_t i = 2; i < count; ++i) {
        double area = signedArea(&points[0], &points[1], &points[i], normal);
        if (fabs(area) > most) {
            most = fabs(area);
            turn = area < 0 ? -1 : 1;
            best = i;
        }
    }
    bringForward(points, 2, best);
    most = 0;
    best = count;
    for (uint32_t i = 3; i < count; ++i) {
        double area = growth(points, turn, &points[i], normal);
        if (area > most) {
            most = area;
            best = i;
        }
    }
    if (best == count)
        return 3;
    bringForward(points, 3, best);
    return 4;
}
