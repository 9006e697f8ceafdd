// What: see plain_distance.h.
#include "plain_distance.h"

#include <math.h>

typedef struct Side {
    const PlainMesh* mesh;
    grzTransform pose;
    grzBvhView view;
    const grzBvhNode* nodes;
} Side;

// A box of a side: level 0 is the box of all, whose children are the root node's.
typedef struct Part {
    uint32_t level, index;
} Part;

typedef struct Search {
    Side sides[2];
    double least;
} Search;

// ---- triangles ----

static grzVec3d place(const Side* side, grzVec3 p) {
    const grzTransform* t = &side->pose;
    grzVec3d at = grzVec3d_FromVec3(t->origin);
    at = grzVec3d_Add(at, grzVec3d_Scale(grzVec3d_FromVec3(t->basis.x), (double)p.x));
    at = grzVec3d_Add(at, grzVec3d_Scale(grzVec3d_FromVec3(t->basis.y), (double)p.y));
    return grzVec3d_Add(at, grzVec3d_Scale(grzVec3d_FromVec3(t->basis.z), (double)p.z));
}

static double clamp(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static double pointToSegment(grzVec3d p, grzVec3d a, grzVec3d b) {
    const grzVec3d edge = grzVec3d_Sub(b, a), d = grzVec3d_Sub(p, a);
    const double sq = grzVec3d_LengthSq(edge);
    const double s = sq > 0 ? clamp(grzVec3d_Dot(d, edge) / sq) : 0;
    return grzVec3d_Length(grzVec3d_Sub(d, grzVec3d_Scale(edge, s)));
}

static double pointToFace(grzVec3d p, const grzVec3d t[3]) {
    const grzVec3d e = grzVec3d_Sub(t[1], t[0]), f = grzVec3d_Sub(t[2], t[0]), d = grzVec3d_Sub(p, t[0]);
    const grzVec3d n = grzVec3d_Cross(e, f);
    const double sq = grzVec3d_LengthSq(n);
    const double u = grzVec3d_Dot(grzVec3d_Cross(d, f), n) / sq, v = grzVec3d_Dot(grzVec3d_Cross(e, d), n) / sq;
    return u >= 0 && v >= 0 && u + v <= 1 ? fabs(grzVec3d_Dot(d, n)) / sqrt(sq) : (double)INFINITY;
}

double plainPointToTriangle(grzVec3d p, const grzVec3d corners[3]) {
    double least = pointToFace(p, corners);
    for (int k = 0; k < 3; ++k)
        least = fmin(least, pointToSegment(p, corners[k], corners[(k + 1) % 3]));
    return least;
}

static double segmentToSegment(grzVec3d a, grzVec3d b, grzVec3d c, grzVec3d d) {
    const grzVec3d u = grzVec3d_Sub(b, a), v = grzVec3d_Sub(d, c), w = grzVec3d_Sub(c, a), n = grzVec3d_Cross(u, v);
    const double sq = grzVec3d_LengthSq(n);
    const double s = grzVec3d_Dot(grzVec3d_Cross(w, v), n) / sq, t = grzVec3d_Dot(grzVec3d_Cross(w, u), n) / sq;
    if (s > 0 && s < 1 && t > 0 && t < 1)
        return fabs(grzVec3d_Dot(w, n)) / sqrt(sq);
    return fmin(fmin(pointToSegment(a, c, d), pointToSegment(b, c, d)),
                fmin(pointToSegment(c, a, b), pointToSegment(d, a, b)));
}

static void loadTriangle(const Side* side, uint32_t triangle, grzVec3d corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = place(side, grzVec3_Load(side->mesh->positions +
                                              3 * (size_t)side->mesh->triangles[3 * (size_t)triangle + k]));
}

static void measureTriangles(Search* search, uint32_t triangleA, uint32_t triangleB) {
    grzVec3d a[3], b[3];
    loadTriangle(&search->sides[0], triangleA, a);
    loadTriangle(&search->sides[1], triangleB, b);
    for (int i = 0; i < 3; ++i) {
        search->least = fmin(search->least, fmin(pointToFace(a[i], b), pointToFace(b[i], a)));
        for (int j = 0; j < 3; ++j)
            search->least = fmin(search->least, segmentToSegment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    }
}

// ---- boxes ----

// The box in the common frame.
static grzBoxd boxOf(const Side* side, Part part) {
    grzBoxd box = grzBoxd_Empty();
    grzBox own = grzBvh_RootBox(side->nodes);
    if (part.level != 0) {
        const grzBvhNode* node = side->nodes + side->view.levelStarts[part.level - 1] + part.index / 8;
        const uint32_t k = part.index % 8;
        own = grzBox_Make(grzVec3_Make(node->lower[0][k], node->lower[1][k], node->lower[2][k]),
                          grzVec3_Make(node->upper[0][k], node->upper[1][k], node->upper[2][k]));
    }
    for (int corner = 0; corner < 8; ++corner)
        box = grzBoxd_AddPoint(box, place(side, grzVec3_Make((corner & 1) != 0 ? own.upper.x : own.lower.x,
                                                             (corner & 2) != 0 ? own.upper.y : own.lower.y,
                                                             (corner & 4) != 0 ? own.upper.z : own.lower.z)));
    return box;
}

static double distanceOfBoxes(grzBoxd a, grzBoxd b) {
    const grzVec3d zero = {0, 0, 0};
    const grzVec3d gap = grzVec3d_Max(grzVec3d_Sub(b.lower, a.upper), grzVec3d_Sub(a.lower, b.upper));
    return grzVec3d_Length(grzVec3d_Max(gap, zero));
}

static void measureLeaves(Search* search, Part a, Part b) {
    const grzBvhView *viewA = &search->sides[0].view, *viewB = &search->sides[1].view;
    for (uint32_t i = 4 * a.index; i < 4 * a.index + 4 && i < viewA->triangleCount; ++i)
        for (uint32_t k = 4 * b.index; k < 4 * b.index + 4 && k < viewB->triangleCount; ++k)
            measureTriangles(search, viewA->triangleToCaller[i], viewB->triangleToCaller[k]);
}

static void descend(Search* search, Part a, Part b);

// The nearest child first.
static void openPart(Search* search, Part a, Part b, int side) {
    const Side* of = &search->sides[side];
    const Part opened = side == 0 ? a : b;
    const uint32_t count = grzBvhView_ChildCount(&of->view, opened.level, opened.index);
    const grzBoxd other = boxOf(&search->sides[1 - side], side == 0 ? b : a);
    double distances[8];
    for (uint32_t k = 0; k < count; ++k)
        distances[k] = distanceOfBoxes(other, boxOf(of, (Part){opened.level + 1, 8 * opened.index + k}));
    for (uint32_t left = count; left != 0; --left) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < count; ++k)
            best = distances[k] < distances[best] ? k : best;
        if (distances[best] > search->least)
            return;
        distances[best] = (double)INFINITY;
        const Part child = {opened.level + 1, 8 * opened.index + best};
        descend(search, side == 0 ? child : a, side == 0 ? b : child);
    }
}

static void descend(Search* search, Part a, Part b) {
    const bool isLeafA = a.level == search->sides[0].view.levelCount;
    const bool isLeafB = b.level == search->sides[1].view.levelCount;
    if (isLeafA && isLeafB)
        measureLeaves(search, a, b);
    else
        openPart(search, a, b, isLeafA || (!isLeafB && b.level < a.level) ? 1 : 0);
}

double plainModelDistance(const PlainMesh* mesh, grzTransform a, grzTransform b) {
    const grzModelView view = grzModel_GetView(mesh->model);
    const grzBvhView bvh = grzBvh_GetView(view.bvh);
    Search search = {{{mesh, a, bvh, view.nodes}, {mesh, b, bvh, view.nodes}}, (double)INFINITY};
    descend(&search, (Part){0, 0}, (Part){0, 0});
    return search.least;
}
