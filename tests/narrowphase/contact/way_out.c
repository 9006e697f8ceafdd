#include "way_out.h"

#include <math.h>

#include "vec3d.h"

// Of the places along a direction, from .. to are those where the shape and a triangle overlap; from > to: nowhere.
typedef struct Span {
    double from, to;
} Span;

grzVec3d middleOf(const RefSolid* shape) {
    grzVec3d middle = {0, 0, 0};
    for (uint32_t i = 0; i < shape->vertexCount; ++i)
        middle = grzVec3d_Add(middle, shape->vertices[i]);
    return grzVec3d_Scale(middle, 1.0 / shape->vertexCount);
}

static Span spanOnAxis(const RefSolid* a, const RefSolid* b, grzVec3d axis, grzVec3d direction) {
    double lower[2] = {(double)INFINITY, (double)INFINITY}, upper[2] = {-(double)INFINITY, -(double)INFINITY};
    const RefSolid* solids[2] = {a, b};
    for (int s = 0; s < 2; ++s)
        for (uint32_t i = 0; i < solids[s]->vertexCount; ++i) {
            const double along = grzVec3d_Dot(solids[s]->vertices[i], axis);
            lower[s] = fmin(lower[s], along), upper[s] = fmax(upper[s], along);
        }
    const double speed = grzVec3d_Dot(axis, direction), first = lower[1] - upper[0], last = upper[1] - lower[0];
    if (fabs(speed) < 1e-9)
        return first <= 0 && last >= 0 ? (Span){-(double)INFINITY, (double)INFINITY} : (Span){1, 0};
    return speed > 0 ? (Span){first / speed, last / speed} : (Span){last / speed, first / speed};
}

static void cutSpan(Span* span, const RefSolid* a, const RefSolid* b, grzVec3d axis, grzVec3d direction) {
    const double length = grzVec3d_Length(axis);
    if (!(length > 1e-9) || span->from > span->to)
        return;
    const Span other = spanOnAxis(a, b, grzVec3d_Scale(axis, 1 / length), direction);
    span->from = fmax(span->from, other.from), span->to = fmin(span->to, other.to);
}

static grzVec3d edgeOf(const RefSolid* solid, uint32_t i) {
    return grzVec3d_Unit(grzVec3d_Sub(solid->vertices[solid->edges[i][1]], solid->vertices[solid->edges[i][0]]));
}

static bool hadEdge(const RefSolid* solid, uint32_t i) {
    for (uint32_t k = 0; k < i; ++k)
        if (fabs(grzVec3d_Dot(edgeOf(solid, k), edgeOf(solid, i))) > 1 - 1e-9)
            return true;
    return false;
}

static Span spanOfCorners(const RefSolid* shape, const RefSolid* triangle, grzVec3d direction) {
    Span span = {-(double)INFINITY, (double)INFINITY};
    cutSpan(&span, shape, triangle, triangle->normals[0], direction);
    for (uint32_t i = 0; i < shape->triangleCount; ++i)
        if (i % 2 == 0 || shape->vertexCount != 8)
            cutSpan(&span, shape, triangle, shape->normals[i], direction);
    for (uint32_t i = 0; i < shape->edgeCount; ++i)
        for (uint32_t k = 0; k < 3 && !hadEdge(shape, i); ++k)
            cutSpan(&span, shape, triangle, grzVec3d_Cross(edgeOf(shape, i), edgeOf(triangle, k)), direction);
    return span;
}

static bool goesThrough(const RefSolid* segment, const RefSolid* triangle) {
    const grzVec3d *v = triangle->vertices, a = segment->vertices[0], b = segment->vertices[1];
    const double p = grzVec3d_Dot(grzVec3d_Sub(a, v[0]), triangle->normals[0]);
    const double q = grzVec3d_Dot(grzVec3d_Sub(b, v[0]), triangle->normals[0]);
    if (p * q > 0 || p == q)
        return false;
    const grzVec3d at = grzVec3d_Lerp(a, b, p / (p - q));
    for (int k = 0; k < 3; ++k)
        if (grzVec3d_Dot(grzVec3d_Cross(triangle->normals[0], grzVec3d_Sub(v[(k + 1) % 3], v[k])),
                         grzVec3d_Sub(at, v[k])) < 0)
            return false;
    return true;
}

static double distanceAt(const RefSolid* shape, const RefSolid* triangle, grzVec3d way) {
    RefSolid moved;
    moved.vertexCount = shape->vertexCount, moved.edgeCount = shape->edgeCount, moved.triangleCount = 0;
    moved.edges[0][0] = 0, moved.edges[0][1] = 1;
    for (uint32_t i = 0; i < shape->vertexCount; ++i)
        moved.vertices[i] = grzVec3d_Add(shape->vertices[i], way);
    return shape->vertexCount == 2 && goesThrough(&moved, triangle) ? 0 : refDistance(&moved, triangle);
}

// The distance is hollow along the way, so its least value can be closed in on, and then the places where it is the radius.
static Span spanOfRound(const RefSolid* shape, const RefSolid* triangle, grzVec3d d) {
    double reach = shape->radius, lower, upper, edges[2];
    for (int i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < shape->vertexCount; ++k)
            reach = fmax(reach,
                         shape->radius + grzVec3d_Length(grzVec3d_Sub(triangle->vertices[i], shape->vertices[k])));
    lower = -reach, upper = reach;
    for (int i = 0; i < 40; ++i) {
        const double p = lower + (upper - lower) / 3, q = upper - (upper - lower) / 3;
        if (distanceAt(shape, triangle, grzVec3d_Scale(d, p)) < distanceAt(shape, triangle, grzVec3d_Scale(d, q)))
            upper = q;
        else
            lower = p;
    }
    if (distanceAt(shape, triangle, grzVec3d_Scale(d, lower)) > shape->radius)
        return (Span){1, 0};
    for (int side = 0; side < 2; ++side) {
        double in = lower, out = side == 0 ? -reach : reach;
        for (int i = 0; i < 30; ++i) {
            const double middle = 0.5 * (in + out);
            if (distanceAt(shape, triangle, grzVec3d_Scale(d, middle)) <= shape->radius)
                in = middle;
            else
                out = middle;
        }
        edges[side] = in;
    }
    return (Span){edges[0], edges[1]};
}

static double radiusAbout(const RefSolid* solid, grzVec3d middle) {
    double radius = 0;
    for (uint32_t i = 0; i < solid->vertexCount; ++i)
        radius = fmax(radius, grzVec3d_Length(grzVec3d_Sub(solid->vertices[i], middle)));
    return radius + solid->radius;
}

// Whether the balls around both are apart wherever the shape goes.
static bool isBeside(const RefSolid* shape, const RefSolid* triangle, grzVec3d direction) {
    const grzVec3d from = middleOf(shape), to = middleOf(triangle);
    return grzVec3d_Length(grzVec3d_Cross(grzVec3d_Sub(to, from), direction)) >
           radiusAbout(shape, from) + radiusAbout(triangle, to);
}

static Span spanOf(const grzVec3 corners[3], const RefSolid* shape, grzVec3d direction) {
    RefSolid triangle;
    refMakeTriangle(corners, &triangle);
    if (isBeside(shape, &triangle, direction))
        return (Span){1, 0};
    return shape->triangleCount > 0 ? spanOfCorners(shape, &triangle, direction)
                                    : spanOfRound(shape, &triangle, direction);
}

double wayOffTriangle(const grzVec3 corners[3], const RefSolid* shape, grzVec3d direction) {
    const Span span = spanOf(corners, shape, direction);
    return span.from <= span.to && span.from < 0 && span.to > 0 ? span.to : 0;
}

bool isEnclosed(const PlainMesh* mesh, grzVec3d point) {
    double angle = 0;
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        grzVec3d r[3];
        double l[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = grzVec3d_Sub(grzVec3d_FromVec3(mesh->corners[i][k]), point);
            l[k] = grzVec3d_Length(r[k]);
        }
        const double volume = grzVec3d_Dot(r[0], grzVec3d_Cross(r[1], r[2]));
        const double around = l[0] * l[1] * l[2] + grzVec3d_Dot(r[0], r[1]) * l[2] +
                              grzVec3d_Dot(r[1], r[2]) * l[0] + grzVec3d_Dot(r[2], r[0]) * l[1];
        angle += 2 * atan2(volume, around); // [Van Oosterom and Strackee 1983]
    }
    return angle > 6.283185307179586;
}

enum { mostTriangles = 1 << 16, directionCount = 60 };

// Where the shape first overlaps nothing, from a place on.
static double firstFree(const Span* spans, size_t count, double at) {
    for (size_t i = 0; i < count; ++i)
        if (spans[i].from <= at + 1e-9 && spans[i].to > at + 1e-9) {
            at = spans[i].to;
            i = (size_t)-1;
        }
    return at;
}

static double nextSpan(const Span* spans, size_t count, double at) {
    double next = (double)INFINITY;
    for (size_t i = 0; i < count; ++i)
        if (spans[i].from > at)
            next = fmin(next, spans[i].from);
    return next;
}

double wayOutAlong(const PlainMesh* mesh, const RefSolid* shape, grzVec3d direction) {
    static Span spans[mostTriangles];
    size_t count = 0;
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        const Span span = spanOf(mesh->corners[i], shape, direction);
        if (span.from < span.to && span.to > 0)
            spans[count++] = span;
    }
    double at = firstFree(spans, count, 0);
    while (mesh->isSolid && isfinite(at) && isEnclosed(mesh, grzVec3d_AddScaled(middleOf(shape), at, direction)))
        at = firstFree(spans, count, nextSpan(spans, count, at));
    return at;
}

// Direction i of some that fill a sphere evenly.
static grzVec3d directionOf(int i) {
    const double y = 1 - 2 * (i + 0.5) / directionCount, wide = sqrt(1 - y * y), turn = 2.39996322972865 * i;
    return (grzVec3d){wide * cos(turn), y, wide * sin(turn)};
}

double shortestWayOut(const PlainMesh* mesh, const RefSolid* shape) {
    double least = (double)INFINITY;
    for (int i = 0; i < directionCount; ++i)
        least = fmin(least, wayOutAlong(mesh, shape, directionOf(i)));
    return least;
}

static bool isCornerEnclosed(const PlainMesh* mesh, const PlainMesh* of, grzVec3d way) {
    return mesh->isSolid && isEnclosed(mesh, grzVec3d_Add(grzVec3d_FromVec3(of->corners[0][0]), way));
}

double wayApartAlong(const PlainMesh* a, const PlainMesh* b, grzVec3d direction) {
    static Span spans[mostTriangles];
    size_t count = 0;
    for (size_t i = 0; i < a->triangleCount; ++i) {
        RefSolid shape;
        refMakeTriangle(a->corners[i], &shape);
        for (size_t k = 0; k < b->triangleCount; ++k) {
            const Span span = spanOf(b->corners[k], &shape, direction);
            if (span.from < span.to && span.to > 0 && count < mostTriangles)
                spans[count++] = span;
        }
    }
    double at = firstFree(spans, count, 0);
    while (isfinite(at) && (isCornerEnclosed(b, a, grzVec3d_Scale(direction, at)) ||
                            isCornerEnclosed(a, b, grzVec3d_Scale(direction, -at))))
        at = firstFree(spans, count, nextSpan(spans, count, at));
    return at;
}

double shortestWayApart(const PlainMesh* a, const PlainMesh* b) {
    double least = (double)INFINITY;
    for (int i = 0; i < directionCount; ++i)
        least = fmin(least, wayApartAlong(a, b, directionOf(i)));
    return least;
}
