// What: Gilbert, Johnson and Keerthi's distance of two convex cores.
// Promise: lower <= distance <= upper for the cores as given, whatever was rounded; it always ends.
// Idea: v, the point nearest to the origin of a simplex within A - B, is a distance that is reached, so |v| is an
//   upper bound; the plane through the support point w against v keeps all of A - B on its far side, so w.v / |v| is a
//   lower one, and the best of all rounds counts:
//
//        A - B  ( .  w - - - - -       lower = w.v / |v|
//               (  \ |                 the simplex takes w in, v comes nearer to the origin,
//               ( - -v                 and ends where both bounds meet
//                     \                     .
//                      O               upper = |v|
//
//   It ends where the bounds meet, where w is in the simplex already, or where |v| grows no smaller: a strictly
//   falling row of doubles ends by itself, and a cap on rounds bounds the cost.
// Holds: the error of the cores' arithmetic is added to upper and taken from lower, so that they stay certain.
// Limits: where no plane separates, the cores overlap or touch as far as double can tell (isOverlapping).
// Based on: [Gilbert, Johnson, Keerthi 1988]; closest points of simplices after [Ericson, Real-Time Collision
//   Detection, 2005, 5.1]; the bounds after [van den Bergen, A Fast and Robust GJK Implementation, JGT 1999].
#include "gjk.h"

#include <math.h>

typedef struct Simplex {
    grzVec3d w[4]; // a - b
    uint32_t a[4], b[4];
    double weights[4];
    uint32_t count;
} Simplex;

// Keeps the vertices `keep` with their weights.
static void keepVertices(Simplex* simplex, const uint32_t* keep, const double* weights, uint32_t count) {
    Simplex old = *simplex;
    for (uint32_t i = 0; i < count; ++i) {
        simplex->w[i] = old.w[keep[i]];
        simplex->a[i] = old.a[keep[i]];
        simplex->b[i] = old.b[keep[i]];
        simplex->weights[i] = weights[i];
    }
    simplex->count = count;
}

static grzVec3d pointOf(const Simplex* simplex) {
    grzVec3d v = grzVec3d_Scale(simplex->w[0], simplex->weights[0]);
    for (uint32_t i = 1; i < simplex->count; ++i)
        v = grzVec3d_Add(v, grzVec3d_Scale(simplex->w[i], simplex->weights[i]));
    return v;
}

// The part of a simplex that is nearest to the origin.
typedef struct Nearest {
    uint32_t keep[3];
    double weights[3];
    uint32_t count;
    double distanceSq;
} Nearest;

static Nearest makeNearest(const Simplex* s, uint32_t count, const uint32_t* keep, const double* weights) {
    Nearest nearest = {.count = count};
    grzVec3d v = grzVec3d_Make(0, 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        nearest.keep[i] = keep[i];
        nearest.weights[i] = weights[i];
        v = grzVec3d_Add(v, grzVec3d_Scale(s->w[keep[i]], weights[i]));
    }
    nearest.distanceSq = grzVec3d_LengthSq(v);
    return nearest;
}

static Nearest nearestOfSegment(const Simplex* s, uint32_t i, uint32_t j) {
    grzVec3d d = grzVec3d_Sub(s->w[j], s->w[i]);
    double along = -grzVec3d_Dot(s->w[i], d), all = grzVec3d_LengthSq(d);
    const double one[1] = {1};
    if (!(along > 0))
        return makeNearest(s, 1, &i, one);
    if (along >= all)
        return makeNearest(s, 1, &j, one);
    const uint32_t keep[2] = {i, j};
    const double weights[2] = {1 - along / all, along / all};
    return makeNearest(s, 2, keep, weights);
}

static Nearest nearerOf(Nearest a, Nearest b) {
    return b.distanceSq < a.distanceSq ? b : a;
}

// Inside the triangle by the signs of its three areas; else the nearest of the sides whose area is not positive.
static Nearest nearestOfTriangle(const Simplex* s, uint32_t i, uint32_t j, uint32_t k) {
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(s->w[j], s->w[i]), grzVec3d_Sub(s->w[k], s->w[i]));
    double wi = grzVec3d_Dot(n, grzVec3d_Cross(s->w[j], s->w[k]));
    double wj = grzVec3d_Dot(n, grzVec3d_Cross(s->w[k], s->w[i]));
    double wk = grzVec3d_Dot(n, grzVec3d_Cross(s->w[i], s->w[j]));
    double sum = wi + wj + wk;
    if (wi > 0 && wj > 0 && wk > 0 && sum > 0) {
        const uint32_t keep[3] = {i, j, k};
        const double weights[3] = {wi / sum, wj / sum, wk / sum};
        return makeNearest(s, 3, keep, weights);
    }
    Nearest best = {.distanceSq = (double)INFINITY};
    if (!(wk > 0))
        best = nearerOf(best, nearestOfSegment(s, i, j));
    if (!(wi > 0))
        best = nearerOf(best, nearestOfSegment(s, j, k));
    if (!(wj > 0))
        best = nearerOf(best, nearestOfSegment(s, k, i));
    return best;
}

// How far the origin lies on the inner side of the face i, j, k, the fourth vertex being m: at least. The normal of a
// sliver has few good digits, so what its rounding may do is taken off; -INFINITY where that leaves no inside.
static double insideOf(const Simplex* s, uint32_t i, uint32_t j, uint32_t k, uint32_t m) {
    grzVec3d e = grzVec3d_Sub(s->w[j], s->w[i]), f = grzVec3d_Sub(s->w[k], s->w[i]);
    grzVec3d g = grzVec3d_Sub(s->w[m], s->w[i]), n = grzVec3d_Cross(e, f);
    double length = grzVec3d_Length(n), origin = -grzVec3d_Dot(n, s->w[i]), fourth = grzVec3d_Dot(n, g);
    double size = grzVec3d_Length(e) + grzVec3d_Length(f);
    double far = grzVec3d_Length(g) + grzVec3d_Length(s->w[i]) + size;
    double error = 0x1p-48 * size * size * far;
    if (!(fabs(fourth) > error) || !(length > 0))
        return -(double)INFINITY;
    return ((fourth > 0 ? origin : -origin) - error) / length;
}

static const uint32_t tetrahedronFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

// Reduces the simplex to the part nearest to the origin. True where the origin lies in a tetrahedron: `depth` of its
// faces then.
static bool reduceSimplex(Simplex* s, double* depth) {
    const double one[1] = {1};
    const uint32_t first = 0;
    if (s->count == 4) {
        Nearest best = {.distanceSq = (double)INFINITY};
        *depth = (double)INFINITY;
        for (int f = 0; f < 4; ++f) {
            const uint32_t* face = tetrahedronFaces[f];
            double inside = insideOf(s, face[0], face[1], face[2], face[3]);
            *depth = inside < *depth ? inside : *depth;
            if (!(inside > 0))
                best = nearerOf(best, nearestOfTriangle(s, face[0], face[1], face[2]));
        }
        if (*depth > 0)
            return true;
        keepVertices(s, best.keep, best.weights, best.count);
        return false;
    }
    Nearest best = s->count == 3   ? nearestOfTriangle(s, 0, 1, 2)
                   : s->count == 2 ? nearestOfSegment(s, 0, 1)
                                   : makeNearest(s, 1, &first, one);
    keepVertices(s, best.keep, best.weights, best.count);
    return false;
}

static void setPoints(const ConvexCore* coreA, const ConvexCore* coreB, const Simplex* s, GjkResult* result) {
    grzVec3d a = grzVec3d_Make(0, 0, 0), b = a;
    for (uint32_t i = 0; i < s->count; ++i) {
        result->verticesA[i] = s->a[i];
        result->verticesB[i] = s->b[i];
        a = grzVec3d_Add(a, grzVec3d_Scale(coreVertex(coreA, s->a[i]), s->weights[i]));
        b = grzVec3d_Add(b, grzVec3d_Scale(coreVertex(coreB, s->b[i]), s->weights[i]));
    }
    result->pointA = a;
    result->pointB = b;
    result->count = s->count;
}

static bool addSupport(const ConvexCore* coreA, const ConvexCore* coreB, grzVec3d v, Simplex* s) {
    uint32_t a = coreSupport(coreA, grzVec3d_Neg(v)), b = coreSupport(coreB, v), at = s->count;
    s->w[at] = grzVec3d_Sub(coreVertex(coreA, a), coreVertex(coreB, b));
    s->a[at] = a, s->b[at] = b, s->weights[at] = 0;
    for (uint32_t i = 0; i < s->count; ++i)
        if (s->a[i] == a && s->b[i] == b)
            return false;
    return true;
}

// The origin in a tetrahedron: the weights are the volumes against the faces.
static void setInside(Simplex* s) {
    double sum = 0;
    for (int f = 0; f < 4; ++f) {
        const uint32_t* face = tetrahedronFaces[f];
        double volume = fabs(grzVec3d_Dot(s->w[face[0]], grzVec3d_Cross(s->w[face[1]], s->w[face[2]])));
        s->weights[face[3]] = volume;
        sum += volume;
    }
    for (uint32_t i = 0; i < 4; ++i)
        s->weights[i] /= sum;
}

// One vertex to begin with, but of a point and a triangle all three, whose nearest part is the answer; the search then only
// proves it.
static void startSimplex(const ConvexCore* coreA, const ConvexCore* coreB, Simplex* s) {
    double depth;
    if (coreA->kind != corePoint || coreB->kind != coreTriangle) {
        addSupport(coreA, coreB, grzVec3d_Sub(coreA->middle, coreB->middle), s);
        s->count = 1, s->weights[0] = 1;
        return;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        s->w[i] = grzVec3d_Sub(coreA->corners[0], coreB->corners[i]);
        s->a[i] = 0, s->b[i] = i;
    }
    s->count = 3;
    reduceSimplex(s, &depth);
}

static void resumeSimplex(const ConvexCore* coreA, const ConvexCore* coreB, const GjkResult* last, Simplex* s) {
    double depth;
    s->count = last->count;
    for (uint32_t i = 0; i < last->count; ++i) {
        s->a[i] = last->verticesA[i], s->b[i] = last->verticesB[i];
        s->w[i] = grzVec3d_Sub(coreVertex(coreA, s->a[i]), coreVertex(coreB, s->b[i]));
    }
    reduceSimplex(s, &depth);
}

static void search(const ConvexCore* coreA, const ConvexCore* coreB, double enough, const Simplex* start,
                   GjkResult* result) {
    const double error = coreA->error + coreB->error;
    Simplex s = *start;
    grzVec3d v = pointOf(&s);
    double length = grzVec3d_Length(v), lower = 0, depth = 0;
    bool isInside = false;
    uint32_t round = 0;
    while (length > error && round < GJK_MOST_ITERATIONS) {
        ++round;
        bool isNew = addSupport(coreA, coreB, v, &s);
        double plane = grzVec3d_Dot(v, s.w[s.count]) / length;
        lower = plane > lower ? plane : lower;
        if (!isNew || lower > enough || length - lower <= error)
            break;
        Simplex before = s;
        s.count++;
        isInside = reduceSimplex(&s, &depth);
        if (isInside)
            break;
        grzVec3d next = pointOf(&s);
        double nextLength = grzVec3d_Length(next);
        if (!(nextLength < length)) {
            s = before;
            break;
        }
        v = next, length = nextLength;
    }
    if (isInside)
        setInside(&s);
    setPoints(coreA, coreB, &s, result);
    result->isOverlapping = isInside || length <= error || lower <= error;
    result->isOverlapCertain = isInside && depth > error;
    result->lower = result->isOverlapping || lower <= error ? 0 : lower - error;
    result->upper = isInside ? (result->isOverlapCertain ? 0 : error) : length + error;
    result->normal = isInside || length <= error ? grzVec3d_Make(0, 0, 0) : grzVec3d_Scale(v, -1 / length);
    result->iterations = round;
}

void grzGjk(const ConvexCore* coreA, const ConvexCore* coreB, double enough, GjkResult* result) {
    Simplex start = {.count = 0};
    startSimplex(coreA, coreB, &start);
    search(coreA, coreB, enough, &start, result);
}

void grzGjk_From(const ConvexCore* coreA, const ConvexCore* coreB, double enough, GjkResult* result) {
    Simplex start = {.count = 0};
    if (result->count >= 1 && result->count <= 3)
        resumeSimplex(coreA, coreB, result, &start);
    else
        startSimplex(coreA, coreB, &start);
    search(coreA, coreB, enough, &start, result);
}
