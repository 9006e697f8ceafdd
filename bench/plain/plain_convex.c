// What: convex shapes by their corners, triangles and edges, and their distance and depth by trying everything.
// Cost: every pair of parts, and for depths every corner for every pair of edges.
#include "plain_convex.h"

#include <math.h>

static grzVec3d place(grzTransform pose, grzVec3d p) {
    grzVec3d x = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.x), p.x);
    grzVec3d y = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.y), p.y);
    grzVec3d z = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.z), p.z);
    return grzVec3d_Add(grzVec3d_Add(x, y), grzVec3d_Add(z, grzVec3d_FromVec3(pose.origin)));
}

static void addTriangle(RefSolid* solid, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* triangle = solid->triangles[solid->triangleCount];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
    const grzVec3d* v = solid->vertices;
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(v[b], v[a]), grzVec3d_Sub(v[c], v[a]));
    double length = grzVec3d_Length(n);
    solid->normals[solid->triangleCount++] = grzVec3d_Scale(n, length > 1e-12 ? 1 / length : 0);
}

static void addEdge(RefSolid* solid, uint32_t a, uint32_t b) {
    solid->edges[solid->edgeCount][0] = a;
    solid->edges[solid->edgeCount++][1] = b;
}

static void makeBox(const grzConvex* shape, grzTransform pose, RefSolid* solid) {
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    solid->vertexCount = 8;
    for (uint32_t i = 0; i < 8; ++i) {
        grzVec3d c = grzVec3d_FromVec3(shape->a), h = grzVec3d_FromVec3(shape->b);
        solid->vertices[i] =
            place(pose, grzVec3d_Make(c.x + ((i & 1) != 0 ? h.x : -h.x), c.y + ((i & 2) != 0 ? h.y : -h.y),
                                      c.z + ((i & 4) != 0 ? h.z : -h.z)));
    }
    for (uint32_t f = 0; f < 6; ++f) {
        addTriangle(solid, quads[f][0], quads[f][1], quads[f][2]);
        addTriangle(solid, quads[f][0], quads[f][2], quads[f][3]);
    }
    for (uint32_t i = 0; i < 8; ++i)
        for (uint32_t k = 1; k < 8; k *= 2)
            if ((i & k) == 0)
                addEdge(solid, i, i | k);
}

static void makeHull(const grzHull* hull, grzTransform pose, RefSolid* solid) {
    grzHullView view = grzHull_GetView(hull);
    solid->vertexCount = view.vertexCount;
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        solid->vertices[i] = place(pose, grzVec3d_FromVec3(view.vertices[i]));
    for (uint32_t f = 0; f < view.faceCount; ++f) {
        uint32_t first = view.faces[f].firstEdge, e = view.halfEdges[first].next;
        for (uint32_t next = view.halfEdges[e].next; next != first; e = next, next = view.halfEdges[e].next)
            addTriangle(solid, view.halfEdges[first].origin, view.halfEdges[e].origin, view.halfEdges[next].origin);
    }
    for (uint32_t e = 0; e < view.edgeCount; ++e)
        addEdge(solid, view.halfEdges[2 * e].origin, view.halfEdges[2 * e + 1].origin);
}

// What the counts leave out of the large arrays is never read.
static void clear(RefSolid* solid) {
    solid->vertexCount = solid->triangleCount = solid->edgeCount = 0;
    solid->radius = 0;
}

void refMake(const grzConvex* shape, grzTransform pose, RefSolid* solid) {
    clear(solid);
    solid->radius = (double)shape->radius;
    if (shape->kind == grz_boxShape) {
        makeBox(shape, pose, solid);
    } else if (shape->kind == grz_hullShape) {
        makeHull(shape->hull, pose, solid);
    } else {
        solid->vertices[0] = place(pose, grzVec3d_FromVec3(shape->a));
        solid->vertices[1] = place(pose, grzVec3d_FromVec3(shape->b));
        solid->vertexCount = shape->kind == grz_capsuleShape ? 2 : 1;
        if (shape->kind == grz_capsuleShape)
            addEdge(solid, 0, 1);
    }
}

void refMakeTriangle(const grzVec3 corners[3], RefSolid* solid) {
    clear(solid);
    solid->vertexCount = 3;
    for (uint32_t i = 0; i < 3; ++i) {
        solid->vertices[i] = grzVec3d_FromVec3(corners[i]);
        addEdge(solid, i, (i + 1) % 3);
    }
    addTriangle(solid, 0, 1, 2);
}

// ---------------------------------------------------------------------------------------------------- distances

static double segmentDistance(grzVec3d p, grzVec3d a, grzVec3d b) {
    grzVec3d d = grzVec3d_Sub(b, a);
    double all = grzVec3d_LengthSq(d), t = all > 0 ? grzVec3d_Dot(grzVec3d_Sub(p, a), d) / all : 0;
    t = fmin(fmax(t, 0), 1);
    return grzVec3d_Length(grzVec3d_Sub(p, grzVec3d_Add(a, grzVec3d_Scale(d, t))));
}

// By the lines' closest points where those lie within both segments, else by the four ends.
static double edgeDistance(grzVec3d a, grzVec3d b, grzVec3d c, grzVec3d d) {
    grzVec3d u = grzVec3d_Sub(b, a), v = grzVec3d_Sub(d, c), r = grzVec3d_Sub(c, a);
    double best = fmin(fmin(segmentDistance(a, c, d), segmentDistance(b, c, d)),
                       fmin(segmentDistance(c, a, b), segmentDistance(d, a, b)));
    double uu = grzVec3d_LengthSq(u), vv = grzVec3d_LengthSq(v), uv = grzVec3d_Dot(u, v);
    double all = uu * vv - uv * uv;
    if (all <= 1e-14 * uu * vv)
        return best;
    double s = (grzVec3d_Dot(u, r) * vv - grzVec3d_Dot(v, r) * uv) / all;
    double t = (uv * grzVec3d_Dot(u, r) - uu * grzVec3d_Dot(v, r)) / all;
    if (s < 0 || s > 1 || t < 0 || t > 1)
        return best;
    grzVec3d p = grzVec3d_Add(a, grzVec3d_Scale(u, s)), q = grzVec3d_Add(c, grzVec3d_Scale(v, t));
    return fmin(best, grzVec3d_Length(grzVec3d_Sub(p, q)));
}

// Through the triangle's inside alone; infinite beside it.
static double faceDistance(grzVec3d p, const RefSolid* solid, uint32_t t) {
    grzVec3d n = solid->normals[t];
    if (grzVec3d_LengthSq(n) == 0)
        return (double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        grzVec3d a = solid->vertices[solid->triangles[t][k]], b = solid->vertices[solid->triangles[t][(k + 1) % 3]];
        if (grzVec3d_Dot(grzVec3d_Cross(n, grzVec3d_Sub(b, a)), grzVec3d_Sub(p, a)) < 0)
            return (double)INFINITY;
    }
    return fabs(grzVec3d_Dot(n, grzVec3d_Sub(p, solid->vertices[solid->triangles[t][0]])));
}

static double vertexDistances(const RefSolid* a, const RefSolid* b) {
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < a->vertexCount; ++i) {
        for (uint32_t t = 0; t < b->triangleCount; ++t)
            best = fmin(best, faceDistance(a->vertices[i], b, t));
        for (uint32_t k = 0; k < b->vertexCount; ++k)
            best = fmin(best, grzVec3d_Length(grzVec3d_Sub(a->vertices[i], b->vertices[k])));
        for (uint32_t e = 0; e < b->edgeCount; ++e)
            best = fmin(best,
                        segmentDistance(a->vertices[i], b->vertices[b->edges[e][0]], b->vertices[b->edges[e][1]]));
    }
    return best;
}

double refDistance(const RefSolid* a, const RefSolid* b) {
    double best = fmin(vertexDistances(a, b), vertexDistances(b, a));
    for (uint32_t i = 0; i < a->edgeCount; ++i)
        for (uint32_t k = 0; k < b->edgeCount; ++k)
            best = fmin(best, edgeDistance(a->vertices[a->edges[i][0]], a->vertices[a->edges[i][1]],
                                           b->vertices[b->edges[k][0]], b->vertices[b->edges[k][1]]));
    return best;
}

double refGap(const RefSolid* a, const RefSolid* b, grzVec3d direction) {
    double most = -(double)INFINITY, least = (double)INFINITY;
    for (uint32_t i = 0; i < a->vertexCount; ++i)
        most = fmax(most, grzVec3d_Dot(a->vertices[i], direction));
    for (uint32_t i = 0; i < b->vertexCount; ++i)
        least = fmin(least, grzVec3d_Dot(b->vertices[i], direction));
    return least - most;
}

static double eitherGap(const RefSolid* a, const RefSolid* b, grzVec3d n) {
    double length = grzVec3d_Length(n);
    if (!(length > 1e-6))
        return -(double)INFINITY;
    n = grzVec3d_Scale(n, 1 / length);
    return fmax(refGap(a, b, n), refGap(a, b, grzVec3d_Neg(n)));
}

double refSeparationUpTo(const RefSolid* a, const RefSolid* b, double enough) {
    double best = -(double)INFINITY;
    for (uint32_t t = 0; t < a->triangleCount && best < enough; ++t)
        best = fmax(best, eitherGap(a, b, a->normals[t]));
    for (uint32_t t = 0; t < b->triangleCount && best < enough; ++t)
        best = fmax(best, eitherGap(a, b, b->normals[t]));
    for (uint32_t i = 0; i < a->edgeCount; ++i)
        for (uint32_t k = 0; k < b->edgeCount && best < enough; ++k) {
            grzVec3d u = grzVec3d_Sub(a->vertices[a->edges[i][1]], a->vertices[a->edges[i][0]]);
            grzVec3d v = grzVec3d_Sub(b->vertices[b->edges[k][1]], b->vertices[b->edges[k][0]]);
            double scale = grzVec3d_Length(u) * grzVec3d_Length(v);
            best = fmax(best, scale > 0 ? eitherGap(a, b, grzVec3d_Scale(grzVec3d_Cross(u, v), 1 / scale))
                                        : -(double)INFINITY);
        }
    return best;
}

double refSeparation(const RefSolid* a, const RefSolid* b) {
    return refSeparationUpTo(a, b, (double)INFINITY);
}

bool refContains(const RefSolid* solid, grzVec3d point, double slack) {
    for (uint32_t t = 0; t < solid->triangleCount; ++t)
        if (grzVec3d_Dot(solid->normals[t], grzVec3d_Sub(point, solid->vertices[solid->triangles[t][0]])) > slack)
            return false;
    return true;
}
