// What: quickhull: the triangulated convex hull of points.
// Promise: a closed surface of triangles, V - E + F = 2. Every point that is farther from it than the tolerance was
//   left out for the vertex limit alone, or because rounding would have torn the surface; hull.c measures how far.
// Idea: a tetrahedron of far points; then, again and again, the point that stands out farthest. The triangles that see
//   it are one patch around the triangle it stands out of; they go, and their rim is joined to the point:
//
//        \    |    /            \    |    /
//         o---o---o              o---o---o          seen: heights above eyes, 1e-12 of the size; taken: farther
//         | seen  |      ->      | \   / |          away than the tolerance, which is far larger, so that hardly a new
//         o---o---o              o---p---o          triangle is a sliver of rounding
//
// Holds: ties between points go to the lexicographically larger one, which is a corner of what ties. Triangles are made
//   of some active points first, then of all (hull_faces.c).
// Cost: O(points) a vertex.    Limits: a rim that is no simple loop refuses its point; nothing else can fail.
// Based on: [Barber, Dobkin, Huhdanpaa, The Quickhull Algorithm for Convex Hulls, ACM TOMS 1996].   We differ: the
//   farthest of all points goes first, for the vertex limit; points are re-tested against all triangles; and a point
//   is done with only where it is near the solid, which is more than to be near or below the plane of each triangle:
//   beyond the edge of a flat wedge those planes let points through that are far away.
#include <math.h>

#include "check.h"
#include "hull_inside.h"
#include "nearest.h"

static grzVec3d pointAt(const HullBuild* build, uint32_t i) {
    return build->points[i];
}

static bool isLexicographicallyLess(grzVec3d a, grzVec3d b) {
    if (a.x != b.x)
        return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.z < b.z;
}

static double heightOver(const HullTriangle* triangle, grzVec3d p) {
    return grzVec3d_Dot(triangle->normal, p) - triangle->offset;
}

// ---------------------------------------------------------------------------------------------------- triangles

static void setTriangle(HullBuild* build, uint32_t t, uint32_t a, uint32_t b, uint32_t c) {
    HullTriangle* triangle = &build->triangles[t];
    grzVec3d p = pointAt(build, a);
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(pointAt(build, b), p), grzVec3d_Sub(pointAt(build, c), p));
    double length = grzVec3d_Length(n);
    *triangle = (HullTriangle){.v = {a, b, c}, .isAlive = true};
    triangle->normal = grzVec3d_Scale(n, 1.0 / length);
    triangle->offset = grzVec3d_Dot(triangle->normal, p);
}

// A dead place, or a new one. The surface has at most 2V - 4 triangles, and a rim fewer than V edges.
static uint32_t takeTriangle(HullBuild* build) {
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        if (!build->triangles[t].isAlive)
            return t;
    GRZ_ASSERT(build->triangleCount < build->triangleCapacity);
    return build->triangleCount++;
}

// Heights below this are rounding.
static double eyesOf(const HullBuild* build) {
    return 1e-12 * build->size;
}

static double distanceToTriangle(const HullBuild* build, const HullTriangle* triangle, grzVec3d p) {
    double least = (double)INFINITY;
    bool isOver = true;
    for (uint32_t k = 0; k < 3; ++k) {
        grzVec3d a = pointAt(build, triangle->v[k]), b = pointAt(build, triangle->v[hullNext(k)]);
        grzVec3d inward = grzVec3d_Cross(triangle->normal, grzVec3d_Sub(b, a));
        isOver &= grzVec3d_Dot(inward, grzVec3d_Sub(p, a)) >= 0;
        double distance = grzNearest_SegmentDistance(grzVec3d_Sub(p, a), grzVec3d_Sub(b, a));
        least = distance < least ? distance : least;
    }
    return isOver ? fabs(heightOver(triangle, p)) : least;
}

// How far a point is from the solid. What is nearest lies in a triangle that it sees, or that rounding hides: those
// far above it are passed by. Anything up to the tolerance is as good as any other.
static double distanceToSolid(const HullBuild* build, grzVec3d p) {
    double least = (double)INFINITY;
    for (uint32_t t = 0; t < build->triangleCount && least > build->tolerance; ++t) {
        const HullTriangle* triangle = &build->triangles[t];
        if (!triangle->isAlive || heightOver(triangle, p) < -build->tolerance)
            continue;
        double distance = distanceToTriangle(build, triangle, p);
        least = distance < least ? distance : least;
    }
    return least;
}

// The triangle that point i stands out of farthest, and how far. Where it stands out of none by more than the
// tolerance it may still be far from the solid, beyond a sharp edge; the distance tells. A point near the solid
// stays near it, for the solid only grows; it is never looked at again. That is not so of heights above triangles.
static void assignPoint(HullBuild* build, size_t i) {
    grzVec3d p = pointAt(build, build->active[i]);
    uint32_t face = HULL_NONE;
    double most = eyesOf(build);
    for (uint32_t t = 0; t < build->triangleCount; ++t) {
        const HullTriangle* triangle = &build->triangles[t];
        double height = triangle->isAlive ? heightOver(triangle, p) : 0;
        if (height > most) {
            most = height;
            face = t;
        }
    }
    if (face != HULL_NONE && most <= build->tolerance)
        most = distanceToSolid(build, p);
    build->heights[i] = most;
    build->faceOf[i] = most > build->tolerance ? face : HULL_NONE;
}

// ------------------------------------------------------------------------------------------------- a first solid

// The active point that `measure` puts farthest.
typedef double MeasureFn(const HullBuild* build, const uint32_t* from, grzVec3d p);

static uint32_t findFarthest(const HullBuild* build, MeasureFn* measure, const uint32_t* from, double* most) {
    uint32_t best = build->active[0];
    *most = -1;
    for (size_t i = 0; i < build->activeCount; ++i) {
        uint32_t point = build->active[i];
        double value = measure(build, from, pointAt(build, point));
        if (value > *most ||
            (value == *most && isLexicographicallyLess(pointAt(build, best), pointAt(build, point)))) {
            *most = value;
            best = point;
        }
    }
    return best;
}

static double measureLeast(const HullBuild* build, const uint32_t* from, grzVec3d p) {
    (void)from;
    return 2 * build->size - p.x; // positive: points lie about their middle
}

static double measurePoint(const HullBuild* build, const uint32_t* from, grzVec3d p) {
    return grzVec3d_Length(grzVec3d_Sub(p, pointAt(build, from[0])));
}

static double measureLine(const HullBuild* build, const uint32_t* from, grzVec3d p) {
    grzVec3d a = pointAt(build, from[0]), d = grzVec3d_Sub(pointAt(build, from[1]), a);
    return grzVec3d_Length(grzVec3d_Cross(d, grzVec3d_Sub(p, a))) / grzVec3d_Length(d);
}

static double measurePlane(const HullBuild* build, const uint32_t* from, grzVec3d p) {
    grzVec3d a = pointAt(build, from[0]);
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(pointAt(build, from[1]), a), grzVec3d_Sub(pointAt(build, from[2]), a));
    return fabs(grzVec3d_Dot(n, grzVec3d_Sub(p, a))) / grzVec3d_Length(n);
}

static grzResult refuseFlat(const char* reason) {
    return grzBecause(grzFail(grz_badFormat, 0), reason);
}

static grzResult findTetrahedron(const HullBuild* build, uint32_t corners[4]) {
    double most;
    corners[0] = findFarthest(build, measureLeast, corners, &most);
    corners[1] = findFarthest(build, measurePoint, corners, &most);
    if (most <= build->tolerance)
        return refuseFlat("the points are one point, to within the tolerance: a sphere may do");
    corners[2] = findFarthest(build, measureLine, corners, &most);
    if (most <= build->tolerance)
        return refuseFlat("the points lie on a line, to within the tolerance: a capsule may do");
    corners[3] = findFarthest(build, measurePlane, corners, &most);
    if (most <= build->tolerance)
        return refuseFlat("the points lie in a plane, to within the tolerance: give them thickness, or lower it");
    return grzOk();
}

static uint32_t findEdge(const HullTriangle* triangle, uint32_t from) {
    return triangle->v[0] == from ? 0 : triangle->v[1] == from ? 1 : 2;
}

static void makeTetrahedron(HullBuild* build, uint32_t corners[4]) {
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    setTriangle(build, 0, corners[0], corners[1], corners[2]);
    if (heightOver(&build->triangles[0], pointAt(build, corners[3])) > 0) {
        uint32_t swapped = corners[1];
        corners[1] = corners[2], corners[2] = swapped;
    }
    for (uint32_t t = 0; t < 4; ++t)
        setTriangle(build, t, corners[faces[t][0]], corners[faces[t][1]], corners[faces[t][2]]);
    build->triangleCount = 4, build->vertexCount = 4;
    for (uint32_t t = 0; t < 4; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            for (uint32_t u = 0; u < 4; ++u) {
                HullTriangle *triangle = &build->triangles[t], *other = &build->triangles[u];
                uint32_t from = triangle->v[hullNext(k)], edge = findEdge(other, from);
                if (u != t && other->v[edge] == from && other->v[hullNext(edge)] == triangle->v[k])
                    triangle->to[k] = u;
            }
}

// --------------------------------------------------------------------------------------------------- one point

// Marks what p sees. Two patches, which only rounding can make, have no simple rim: p is refused then.
static void markSeen(HullBuild* build, grzVec3d p) {
    double eyes = eyesOf(build);
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        build->triangles[t].isSeen = build->triangles[t].isAlive && heightOver(&build->triangles[t], p) > eyes;
}

// The number of rim edges of what is seen, each as 4 * triangle + edge of the triangle that is to go, in
// build->horizon.
static uint32_t listRim(HullBuild* build) {
    uint32_t rim = 0;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            if (build->triangles[t].isSeen && !build->triangles[build->triangles[t].to[k]].isSeen)
                build->horizon[rim++] = 4 * t + k;
    return rim;
}

static uint32_t rimStart(const HullBuild* build, uint32_t i) {
    return build->triangles[build->horizon[i] / 4].v[build->horizon[i] % 4];
}

static uint32_t rimEnd(const HullBuild* build, uint32_t i) {
    return build->triangles[build->horizon[i] / 4].v[hullNext(build->horizon[i] % 4)];
}

// Whether the rim is one loop without a vertex met twice. Sets following[start] to the place of the rim's edge.
static bool linkRim(HullBuild* build, uint32_t rim) {
    bool isSimple = rim >= 3;
    if (!isSimple)
        return false;
    for (uint32_t i = 0; i < rim; ++i) {
        uint32_t start = rimStart(build, i);
        isSimple &= build->following[start] == HULL_NONE;
        build->following[start] = i;
    }
    uint32_t at = 0, length = 0;
    do {
        at = build->following[rimEnd(build, at)];
    } while (++length < rim && at != 0 && at != HULL_NONE);
    return isSimple && at == 0 && length == rim;
}

static void unlinkRim(HullBuild* build, uint32_t rim) {
    for (uint32_t i = 0; i < rim; ++i)
        build->following[rimStart(build, i)] = HULL_NONE;
}

// Whether no vertex that stays is above the triangle a, b, p. Where p lies nearly on the line through a and b, beyond
// one of them, the triangle is a sliver that may point anywhere.
static bool isSupporting(const HullBuild* build, grzVec3d a, grzVec3d b, grzVec3d p) {
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(b, a), grzVec3d_Sub(p, a));
    double most = grzVec3d_Length(n) * build->tolerance / 64;
    for (uint32_t t = 0; t < build->triangleCount; ++t) {
        const HullTriangle* triangle = &build->triangles[t];
        for (uint32_t k = 0; triangle->isAlive && !triangle->isSeen && k < 3; ++k)
            if (!(grzVec3d_Dot(n, grzVec3d_Sub(pointAt(build, triangle->v[k]), a)) < most))
                return false;
    }
    return true;
}

// Takes the triangles across from new ones that would not support the solid into the patch, until all do: what lies
// there is in the plane of the new ones, and so is the vertex between. Returns the number of rim edges.
static uint32_t clearRim(HullBuild* build, grzVec3d p, bool* isWider) {
    uint32_t rim = 0;
    bool isClear = false;
    *isWider = false;
    while (!isClear) {
        rim = listRim(build);
        isClear = true;
        for (uint32_t i = 0; i < rim; ++i) {
            if (isSupporting(build, pointAt(build, rimStart(build, i)), pointAt(build, rimEnd(build, i)), p))
                continue;
            build->triangles[build->triangles[build->horizon[i] / 4].to[build->horizon[i] % 4]].isSeen = true;
            *isWider = true;
            isClear = false;
        }
    }
    return rim;
}

// Rim edge i becomes the triangle made[i], in the loop's own order.
static void joinRim(HullBuild* build, uint32_t rim, uint32_t apex, uint32_t* made) {
    uint32_t* ends = made + rim; // start, end, and what lies across, three words an edge
    for (uint32_t i = 0, at = 0; i < rim; ++i) {
        uint32_t code = build->horizon[at];
        ends[3 * i] = rimStart(build, at), ends[3 * i + 1] = rimEnd(build, at);
        ends[3 * i + 2] = build->triangles[code / 4].to[code % 4];
        at = build->following[ends[3 * i + 1]];
    }
    unlinkRim(build, rim);
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        if (build->triangles[t].isSeen)
            build->triangles[t].isSeen = build->triangles[t].isAlive = false;
    for (uint32_t i = 0; i < rim; ++i) {
        made[i] = takeTriangle(build);
        setTriangle(build, made[i], ends[3 * i], ends[3 * i + 1], apex);
    }
    for (uint32_t i = 0; i < rim; ++i) {
        HullTriangle* triangle = &build->triangles[made[i]];
        HullTriangle* outer = &build->triangles[ends[3 * i + 2]];
        triangle->to[0] = ends[3 * i + 2];
        triangle->to[1] = made[i + 1 < rim ? i + 1 : 0];
        triangle->to[2] = made[i > 0 ? i - 1 : rim - 1];
        outer->to[findEdge(outer, ends[3 * i + 1])] = made[i];
    }
}

// Vertices that the patch swallowed leave the count.
static uint32_t countVertices(HullBuild* build) {
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < 2; ++pass)
        for (uint32_t t = 0; t < build->triangleCount; ++t)
            for (uint32_t k = 0; build->triangles[t].isAlive && k < 3; ++k) {
                uint32_t* mark = &build->following[build->triangles[t].v[k]];
                count += pass == 0 && *mark == HULL_NONE;
                *mark = pass == 0 ? 0 : HULL_NONE;
            }
    return count;
}

static void assignAll(HullBuild* build) {
    for (size_t i = 0; i < build->activeCount; ++i)
        assignPoint(build, i);
}

// Points whose triangle died or has another in its place look for a new one, and so do those that are told by their
// distance.
static void assignAgain(HullBuild* build) {
    for (size_t i = 0; i < build->activeCount; ++i) {
        uint32_t t = build->faceOf[i];
        if (t == HULL_NONE)
            continue;
        double height = heightOver(&build->triangles[t], pointAt(build, build->active[i]));
        if (!build->triangles[t].isAlive || height != build->heights[i])
            assignPoint(build, i);
    }
}

// Adds active point i, or refuses it. A patch that was made wider may cost the solid more than it gains, so all are
// looked at again, and a point may do so but once: then this ends. Vertices never come here: they are at most
// a 64th of the tolerance above any triangle.
static void addPoint(HullBuild* build, size_t i) {
    uint32_t apex = build->active[i];
    grzVec3d p = pointAt(build, apex);
    bool isWider;
    build->faceOf[i] = HULL_NONE;
    markSeen(build, p);
    uint32_t rim = clearRim(build, p, &isWider);
    if (linkRim(build, rim) && !(isWider && (build->marks[apex] & hullAdded) != 0)) {
        joinRim(build, rim, apex, build->horizon + rim);
        build->vertexCount = countVertices(build);
        build->marks[apex] |= hullAdded;
        if (isWider)
            assignAll(build);
        else
            assignAgain(build);
        return;
    }
    unlinkRim(build, rim);
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        build->triangles[t].isSeen = false;
}

static size_t findOutermost(const HullBuild* build) {
    size_t best = build->activeCount;
    for (size_t i = 0; i < build->activeCount; ++i) {
        if (build->faceOf[i] == HULL_NONE)
            continue;
        double height = build->heights[i];
        if (best == build->activeCount || height > build->heights[best] ||
            (height == build->heights[best] &&
             isLexicographicallyLess(pointAt(build, build->active[best]), pointAt(build, build->active[i]))))
            best = i;
    }
    return best;
}

static void removeDead(HullBuild* build) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        build->triangles[t].group = build->triangles[t].isAlive ? count++ : HULL_NONE;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; build->triangles[t].isAlive && k < 3; ++k)
            build->triangles[t].to[k] = build->triangles[build->triangles[t].to[k]].group;
    for (uint32_t t = 0, to = 0; t < build->triangleCount; ++t)
        if (build->triangles[t].isAlive)
            build->triangles[to++] = build->triangles[t];
    build->triangleCount = count;
}

static void addPoints(HullBuild* build) {
    assignAll(build);
    while (build->vertexCount < build->vertexLimit) {
        size_t i = findOutermost(build);
        if (i == build->activeCount)
            return;
        addPoint(build, i);
    }
}

static void activateAll(HullBuild* build) {
    build->activeCount = build->pointCount;
    for (size_t i = 0; i < build->pointCount; ++i)
        build->active[i] = (uint32_t)i;
}

grzResult grzHullBuild_Run(HullBuild* build) {
    uint32_t corners[4] = {0, 0, 0, 0};
    grzResult result = grzFail(grz_badFormat, 0);
    bool isSome = build->activeCount >= 4 && build->activeCount < build->pointCount;
    if (isSome)
        result = findTetrahedron(build, corners);
    if (!grzResult_IsOk(result)) {
        activateAll(build);
        isSome = false;
        result = findTetrahedron(build, corners);
    }
    if (!grzResult_IsOk(result))
        return result;
    makeTetrahedron(build, corners);
    for (size_t i = 0; i < build->pointCount; ++i)
        build->marks[i] &= (uint8_t)~hullAdded;
    addPoints(build);
    if (isSome) {
        activateAll(build);
        addPoints(build);
    }
    removeDead(build);
    return grzOk();
}
