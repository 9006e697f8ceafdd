// What: separating axes of two cores: the least depth of an overlap, and the features that have it.
// Promise: the separation is that of the shapes' true extents along the normal. No axis separates by more than `top`
//   plus the error; it ends after faces and edges have each been looked at once.
// Idea: the depth of two polyhedra is least along a normal of a face of either, or across two edges whose arcs cross
//   on the sphere of normals (hull_kernel.h). A flat triangle has arcs from its normal over the side to the other
//   face's; a segment's arcs are the four quarters of a circle.
// Holds: of all faces within a small length of the best axis, the one of lowest index is taken (grzIsFirstFace): so
//   that the features of a resting contact stay (graze/convex_pairs.h).
// Based on: [Gregorius, The Separating Axis Test between Convex Polyhedra, GDC 2013].
#include "convex_axes.h"

#include <math.h>

#include "check.h"

#define PREFERENCE 1e-3 // of the smaller core's size
#define MOST_FACES (2 * GRZ_HULL_MOST_VERTICES)
#define MOST_EDGES (3 * GRZ_HULL_MOST_VERTICES)

typedef struct Arc {
    grzVec3d point, direction, left, right; // left x right goes with the direction
    double span;                            // the edge ends at point + span * direction
    uint32_t edge;
} Arc;

typedef struct Crossing {
    double separation; // -INFINITY: none
    Arc a, b;
} Crossing;

double grzSeparationAlong(const ConvexCore* coreA, const ConvexCore* coreB, grzVec3d normal) {
    return -coreExtent(coreB, grzVec3d_Neg(normal)) - coreExtent(coreA, normal);
}

// -------------------------------------------------------------------------------------------------------- faces

// Vertices of the other core that were the farthest along some normal. They bound the separation along any other one
// from above, which spares most faces a search.
typedef struct Seen {
    grzVec3d points[8];
    uint32_t count, next;
} Seen;

static double boundBySeen(const Seen* seen, grzVec3d n) {
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < seen->count; ++i) {
        double value = grzVec3d_Dot(seen->points[i], n);
        least = value < least ? value : least;
    }
    return least;
}

// The separations along the outward normals of `core`. Its own extent there is that of the face. What is less than the
// largest so far, which *top tells and is told, by more than the preference may be given as -INFINITY.
static uint32_t measureFaces(const ConvexCore* core, const ConvexCore* other, double preference,
                             double* separations, double* top, Seen* seen) {
    uint32_t count = grzConvexCore_FaceCount(core);
    *seen = (Seen){.points = {other->middle}, .count = 1, .next = 1};
    for (uint32_t i = 0; i < count; ++i) {
        grzVec3d n = grzConvexCore_FaceNormal(core, i);
        double length = grzVec3d_Length(n), extent;
        if (core->kind == coreHull)
            extent = grzVec3d_Dot(n, core->origin) + (double)core->hull->view.faces[i].offset;
        else
            extent = coreExtent(core, n);
        separations[i] = -(double)INFINITY;
        if (boundBySeen(seen, n) - extent < length * (*top - preference))
            continue;
        grzVec3d point = coreVertex(other, coreSupport(other, grzVec3d_Neg(n)));
        separations[i] = (grzVec3d_Dot(point, n) - extent) / length;
        *top = separations[i] > *top ? separations[i] : *top;
        seen->points[seen->next] = point;
        seen->next = (seen->next + 1) & 7;
        seen->count = seen->count < 8 ? seen->count + 1 : 8;
    }
    return count;
}

static double largest(const double* values, uint32_t count) {
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < count; ++i)
        most = values[i] > most ? values[i] : most;
    return most;
}

static uint32_t firstAbove(const double* values, uint32_t count, double least) {
    uint32_t i = 0;
    while (i < count && !(values[i] >= least))
        ++i;
    return i;
}

// --------------------------------------------------------------------------------------------------------- arcs

static Arc boxArc(const ConvexCore* core, uint32_t edge) {
    uint32_t axis = edge >> 2, u = axis == 2 ? 0 : axis + 1, v = u == 2 ? 0 : u + 1;
    bool isUpperU = (edge & 1) != 0, isUpperV = (edge & 2) != 0;
    Arc arc;
    arc.left = isUpperU ? core->axes[u] : grzVec3d_Neg(core->axes[u]);
    arc.right = isUpperV ? core->axes[v] : grzVec3d_Neg(core->axes[v]);
    arc.direction = isUpperU == isUpperV ? core->axes[axis] : grzVec3d_Neg(core->axes[axis]);
    arc.point = coreBoxCorner(core, (uint32_t)isUpperU << u | (uint32_t)isUpperV << v |
                                        (uint32_t)(isUpperU != isUpperV) << axis);
    arc.span = 2 * core->half[axis];
    arc.edge = edge;
    return arc;
}

static Arc triangleArc(const ConvexCore* core, uint32_t i) {
    uint32_t k = i >> 1;
    grzVec3d from = core->corners[k], to = core->corners[k == 2 ? 0 : k + 1];
    Arc arc = {.point = from, .direction = grzVec3d_Sub(to, from), .span = 1, .edge = k};
    grzVec3d side = grzVec3d_Cross(arc.direction, core->normal);
    arc.left = (i & 1) == 0 ? core->normal : side;
    arc.right = (i & 1) == 0 ? side : grzVec3d_Neg(core->normal);
    return arc;
}

static Arc segmentArc(const ConvexCore* core, uint32_t i) {
    Arc arc = {.point = core->corners[0], .direction = grzVec3d_Sub(core->corners[1], core->corners[0]), .span = 1};
    grzVec3d d = arc.direction;
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    grzVec3d far = x <= y && x <= z ? grzVec3d_Make(1, 0, 0)
                   : y <= z         ? grzVec3d_Make(0, 1, 0)
                                    : grzVec3d_Make(0, 0, 1);
    grzVec3d u = grzVec3d_Unit(grzVec3d_Cross(d, far)), v = grzVec3d_Unit(grzVec3d_Cross(d, u));
    const grzVec3d around[4] = {u, v, grzVec3d_Neg(u), grzVec3d_Neg(v)};
    arc.left = around[i];
    arc.right = around[(i + 1) & 3];
    arc.edge = 0;
    return arc;
}

static grzVec3d loadPart(const grzHull* hull, uint32_t part, uint32_t edge) {
    const float* from = hull->arcs + (size_t)part * hull->paddedEdges + edge;
    uint32_t step = hull->paddedEdges;
    return grzVec3d_Make((double)from[0], (double)from[step], (double)from[2 * step]);
}

static Arc hullArc(const ConvexCore* core, uint32_t edge) {
    Arc arc;
    arc.point = coreToWorld(core, loadPart(core->hull, hullArcX, edge));
    arc.direction = coreTurn(core, loadPart(core->hull, hullArcDirection, edge));
    arc.left = coreTurn(core, loadPart(core->hull, hullArcLeft, edge));
    arc.right = coreTurn(core, loadPart(core->hull, hullArcRight, edge));
    arc.span = 1;
    arc.edge = edge;
    return arc;
}

static uint32_t countArcs(const ConvexCore* core) {
    static const uint32_t counts[] = {0, 4, 12, 6};
    if (core->kind == coreHull)
        return core->hull->view.edgeCount;
    return core->kind == coreTriangle && grzConvexCore_FaceCount(core) == 0 ? 0 : counts[core->kind];
}

static Arc getArc(const ConvexCore* core, uint32_t i) {
    switch (core->kind) {
    case coreBox:
        return boxArc(core, i);
    case coreTriangle:
        return triangleArc(core, i);
    case coreHull:
        return hullArc(core, i);
    case corePoint:
    case coreSegment:
    default:
        return segmentArc(core, i);
    }
}

// ------------------------------------------------------------------------------------------------ crossing edges

// The axis across two arcs' edges, outward of the first; false where they are nearly parallel: then a face is as good.
static bool crossArcs(const Arc* a, const Arc* b, grzVec3d* normal) {
    grzVec3d n = grzVec3d_Cross(a->direction, b->direction);
    double scale = grzVec3d_LengthSq(a->direction) * grzVec3d_LengthSq(b->direction), sizeSq = grzVec3d_LengthSq(n);
    if (!(sizeSq > 1e-8 * scale))
        return false;
    double outward = grzVec3d_Dot(n, grzVec3d_Add(a->left, a->right));
    *normal = grzVec3d_Scale(n, (outward < 0 ? -1 : 1) / sqrt(sizeSq));
    return true;
}

static bool arcsCross(const Arc* a, const Arc* b) {
    double c = grzVec3d_Dot(b->left, a->direction), d = grzVec3d_Dot(b->right, a->direction);
    if (!(c * d < 0))
        return false;
    double e = grzVec3d_Dot(a->left, b->direction), f = grzVec3d_Dot(a->right, b->direction);
    return e * f < 0 && c * f < 0;
}

static void tryCrossing(const Arc* a, const Arc* b, Crossing* best) {
    grzVec3d n;
    if (!arcsCross(a, b) || !crossArcs(a, b, &n))
        return;
    double separation = grzVec3d_Dot(n, grzVec3d_Sub(b->point, a->point));
    if (separation > best->separation)
        *best = (Crossing){separation, *a, *b};
}

static void crossSmall(const ConvexCore* coreA, const ConvexCore* coreB, Crossing* best) {
    Arc others[12];
    uint32_t count = countArcs(coreA), otherCount = countArcs(coreB);
    GRZ_ASSERT(otherCount <= 12);
    for (uint32_t i = 0; i < otherCount; ++i)
        others[i] = getArc(coreB, i);
    for (uint32_t i = 0; i < count; ++i) {
        Arc arc = getArc(coreA, i);
        for (uint32_t k = 0; k < otherCount; ++k)
            tryCrossing(&arc, &others[k], best);
    }
}

// The edges of a hull that may separate it from another core by more than some length, in the hull's frame, laid out
// as grzHull.arcs.
typedef struct GoodArcs {
    _Alignas(64) float arcs[hullArcArrays * MOST_EDGES];
    uint32_t edges[MOST_EDGES];
    uint32_t count, padded;
} GoodArcs;

// No axis between the normals of an edge's faces separates by more than this: along it the solid ends at the edge, and
// the other reaches at least as far back as any of its points. Where a point lies behind both planes, it lies no less
// far behind any plane between them.
static double boundArc(const grzHull* hull, uint32_t edge, const Seen* seen) {
    grzVec3d p = loadPart(hull, hullArcX, edge);
    grzVec3d left = loadPart(hull, hullArcLeft, edge), right = loadPart(hull, hullArcRight, edge);
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < seen->count; ++i) {
        grzVec3d y = grzVec3d_Sub(seen->points[i], p);
        double a = grzVec3d_Dot(left, y), b = grzVec3d_Dot(right, y), more = a > b ? a : b;
        least = more < least ? more : least;
    }
    return least;
}

// `seen`: points of the other core. Only depths are bounded so, not gaps.
static void takeGoodArcs(const ConvexCore* core, const Seen* seen, double least, GoodArcs* good) {
    const grzHull* hull = core->hull;
    uint32_t stride = hull->paddedEdges;
    Seen local = {.count = seen->count};
    for (uint32_t i = 0; i < seen->count; ++i)
        local.points[i] = coreTurnBack(core, grzVec3d_Sub(seen->points[i], core->origin));
    good->count = 0;
    for (uint32_t e = 0; e < hull->view.edgeCount; ++e) {
        if (least < 0 && boundArc(hull, e, &local) < least)
            continue;
        for (uint32_t part = 0; part < hullArcArrays; ++part)
            good->arcs[part * stride + good->count] = hull->arcs[part * stride + e];
        good->edges[good->count++] = e;
    }
    good->padded = (good->count + HULL_LANES - 1) / HULL_LANES * HULL_LANES;
    for (uint32_t i = good->count; i < good->padded; ++i)
        for (uint32_t part = 0; part < hullArcArrays; ++part)
            good->arcs[part * stride + i] = good->arcs[part * stride];
}

static void storePart(HullArc* arc, uint32_t part, grzVec3d a) {
    arc->parts[part] = (float)a.x;
    arc->parts[part + 1] = (float)a.y;
    arc->parts[part + 2] = (float)a.z;
}

static void storeArc(const ConvexCore* solid, const Arc* arc, HullArc* local) {
    storePart(local, hullArcX, coreTurnBack(solid, grzVec3d_Sub(arc->point, solid->origin)));
    storePart(local, hullArcDirection, coreTurnBack(solid, arc->direction));
    storePart(local, hullArcLeft, coreTurnBack(solid, arc->left));
    storePart(local, hullArcRight, coreTurnBack(solid, arc->right));
}

// All arcs of `core` against the hull of `solid`, in the hull's frame and in floats; the best is looked at again.
// Bounds are loosened by what a basis may be off (graze/convex_pairs.h).
static void crossHull(const ConvexCore* core, const ConvexCore* solid, const Seen* ofCore, const Seen* ofSolid,
                      double least, Crossing* best) {
    grzHullEdges_Fn* findEdge = GRZ_PICK_KERNEL(grzHullEdges);
    GoodArcs good, own;
    double loose = least - 4e-4 * (core->size + solid->size);
    takeGoodArcs(solid, ofCore, loose, &good);
    own.count = countArcs(core);
    if (core->kind == coreHull)
        takeGoodArcs(core, ofSolid, loose, &own);
    uint32_t bestArc = HULL_NONE, bestEdge = HULL_NONE;
    float most = -INFINITY;
    for (uint32_t i = 0; i < own.count && good.count > 0; ++i) {
        uint32_t at = core->kind == coreHull ? own.edges[i] : i;
        Arc arc = getArc(core, at);
        HullArc local;
        float separation;
        storeArc(solid, &arc, &local);
        uint32_t edge = findEdge(good.arcs, solid->hull->paddedEdges, good.padded, &local, &separation);
        if (edge != HULL_NONE && separation > most) {
            most = separation;
            bestArc = at;
            bestEdge = good.edges[edge];
        }
    }
    grzVec3d n;
    if (bestArc == HULL_NONE)
        return;
    Arc a = getArc(core, bestArc), b = getArc(solid, bestEdge);
    if (crossArcs(&a, &b, &n))
        *best = (Crossing){grzVec3d_Dot(n, grzVec3d_Sub(b.point, a.point)), a, b};
}

static void swapCrossing(Crossing* crossing) {
    Arc swapped = crossing->a;
    crossing->a = crossing->b;
    crossing->b = swapped;
}

// `least`: crossings that separate by no more do not matter.
static Crossing findCrossing(const ConvexCore* coreA, const ConvexCore* coreB, const Seen* ofA, const Seen* ofB,
                             double least) {
    Crossing best = {.separation = -(double)INFINITY};
    bool isHullA = coreA->kind == coreHull, isHullB = coreB->kind == coreHull;
    if (isHullB && (!isHullA || countArcs(coreA) <= countArcs(coreB))) {
        crossHull(coreA, coreB, ofA, ofB, least, &best);
    } else if (isHullA) {
        crossHull(coreB, coreA, ofB, ofA, least, &best);
        swapCrossing(&best);
    } else {
        crossSmall(coreA, coreB, &best);
    }
    return best;
}

// ------------------------------------------------------------------------------------------------------- choice

static void setCrossing(const ConvexCore* coreA, const ConvexCore* coreB, const Crossing* crossing,
                        ConvexAxis* axis) {
    grzVec3d n = grzVec3d_Make(0, 0, 1);
    crossArcs(&crossing->a, &crossing->b, &n);
    axis->kind = axisEdges;
    axis->normal = n;
    axis->separation = grzSeparationAlong(coreA, coreB, n);
    axis->edgeA = crossing->a.edge, axis->edgeB = crossing->b.edge;
    axis->pointA = crossing->a.point, axis->directionA = crossing->a.direction;
    axis->spanA = crossing->a.span, axis->spanB = crossing->b.span;
    axis->pointB = crossing->b.point, axis->directionB = crossing->b.direction;
}

// The face that is first; UINT32_MAX stands for none, of one of them.
static void setFace(const ConvexCore* coreA, const ConvexCore* coreB, uint32_t a, uint32_t b, ConvexAxis* axis) {
    bool isA = a < b;
    if (a == b)
        isA = grzIsFirstFace(a, grzConvexCore_FaceNormal(coreA, a), b, grzConvexCore_FaceNormal(coreB, b));
    axis->kind = isA ? axisFaceA : axisFaceB;
    axis->face = isA ? a : b;
    grzVec3d n = grzVec3d_Unit(grzConvexCore_FaceNormal(isA ? coreA : coreB, axis->face));
    axis->normal = isA ? n : grzVec3d_Neg(n);
    axis->separation = grzSeparationAlong(coreA, coreB, axis->normal);
}

double grzAxisPreference(const ConvexCore* coreA, const ConvexCore* coreB) {
    return PREFERENCE * (coreA->size < coreB->size ? coreA->size : coreB->size);
}

// How far the normals of a core's faces may be turned, since they go through its basis as vectors do: the root of the
// summed squares of what the squared lengths and products of its columns are off 1 and 0.
static double defectOf(const ConvexCore* core) {
    if (core->kind != coreBox && core->kind != coreHull)
        return 0;
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k) {
            double off = grzVec3d_Dot(core->axes[i], core->axes[k]) - (i == k ? 1 : 0);
            sum += off * off;
        }
    return sqrt(sum);
}

void grzFindAxis(const ConvexCore* coreA, const ConvexCore* coreB, double preference, ConvexAxis* axis) {
    double separationsA[MOST_FACES], separationsB[MOST_FACES], top = -(double)INFINITY;
    Seen ofA, ofB;
    uint32_t countA = measureFaces(coreA, coreB, preference, separationsA, &top, &ofB);
    uint32_t countB = measureFaces(coreB, coreA, preference, separationsB, &top, &ofA);
    double faceA = largest(separationsA, countA), faceB = largest(separationsB, countB);
    double sizes = coreA->size + coreB->size, defect = defectOf(coreA) + defectOf(coreB);
    axis->error = (1e-6 + defect) * sizes + coreA->error + coreB->error;
    top = faceA > faceB ? faceA : faceB;
    Crossing crossing = findCrossing(coreA, coreB, &ofA, &ofB, top);
    axis->top = crossing.separation > top ? crossing.separation : top;
    if (crossing.separation > top + preference) {
        setCrossing(coreA, coreB, &crossing, axis);
        return;
    }
    uint32_t a = firstAbove(separationsA, countA, axis->top - preference);
    uint32_t b = firstAbove(separationsB, countB, axis->top - preference);
    setFace(coreA, coreB, a == countA ? UINT32_MAX : a, b == countB ? UINT32_MAX : b, axis);
}
