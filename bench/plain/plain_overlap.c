// What: see plain_overlap.h.
// Cost: every triangle of a mesh for every point and for every triangle of the other that reaches its box.
#include "plain_overlap.h"

#include <math.h>

#include "memory.h"
#include "plain_convex.h"
#include "plain_distance.h"

#define FLAT                                                                                                       \
    1e-9 // cores nearer than this count as touching: their distance is no longer right where one holds the other

// ---- places ----

bool PlainBody_Make(PlainBody* body, grzAllocator allocator, const grzConvex* shape, const grzMesh* mesh) {
    *body = (PlainBody){.allocator = allocator, .mesh = mesh, .box = grzBoxd_Empty()};
    if (mesh == NULL) {
        body->shape = *shape;
        return true;
    }
    body->vertexCount = grzMesh_GetView(mesh).vertexCount;
    body->vertices = grzAllocate(&allocator, body->vertexCount, sizeof *body->vertices, 64);
    return body->vertices != NULL;
}

void PlainBody_Release(PlainBody* body) {
    if (body->mesh != NULL)
        grzRelease(&body->allocator, body->vertices, body->vertexCount, sizeof *body->vertices, 64);
    *body = (PlainBody){0};
}

static grzVec3d placed(grzTransform pose, grzVec3d p) {
    const grzVec3d x = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.x), p.x);
    const grzVec3d y = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.y), p.y);
    const grzVec3d z = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.z), p.z);
    return grzVec3d_Add(grzVec3d_Add(x, y), grzVec3d_Add(z, grzVec3d_FromVec3(pose.origin)));
}

static void addRadius(grzBoxd* box, double radius) {
    const grzVec3d r = grzVec3d_Make(radius, radius, radius);
    *box = grzBoxd_Make(grzVec3d_Sub(box->lower, r), grzVec3d_Add(box->upper, r));
}

void PlainBody_Place(PlainBody* body, grzTransform pose) {
    body->pose = pose;
    body->box = grzBoxd_Empty();
    if (body->mesh == NULL) {
        RefSolid solid;
        refMake(&body->shape, pose, &solid);
        for (uint32_t i = 0; i < solid.vertexCount; ++i)
            body->box = grzBoxd_AddPoint(body->box, solid.vertices[i]);
        addRadius(&body->box, solid.radius);
        return;
    }
    const uint32_t count = grzMesh_GetView(body->mesh).vertexCount;
    for (uint32_t i = 0; i < count; ++i) {
        body->vertices[i] = placed(pose, grzMesh_GetPosition(body->mesh, i));
        body->box = grzBoxd_AddPoint(body->box, body->vertices[i]);
    }
}

void PlainBody_PlaceVertices(PlainBody* body, const float* positions) {
    const uint32_t count = grzMesh_GetView(body->mesh).vertexCount;
    body->box = grzBoxd_Empty();
    for (uint32_t i = 0; i < count; ++i) {
        body->vertices[i] = grzVec3d_FromVec3(grzVec3_Load(positions + 3 * (size_t)i));
        body->box = grzBoxd_AddPoint(body->box, body->vertices[i]);
    }
}

// ---- triangles ----

typedef struct Triangle {
    grzVec3d corners[3];
    grzBoxd box;
} Triangle;

static Triangle triangleOf(const PlainBody* body, const grzMeshView* view, uint32_t index) {
    Triangle triangle = {.box = grzBoxd_Empty()};
    for (size_t k = 0; k < 3; ++k) {
        triangle.corners[k] = body->vertices[view->triangles[3 * (size_t)index + k]];
        triangle.box = grzBoxd_AddPoint(triangle.box, triangle.corners[k]);
    }
    return triangle;
}

static bool holds(grzBoxd box, grzVec3d p) {
    return grzBoxd_Overlap(box, grzBoxd_Make(p, p));
}

// How often a closed surface winds around a point: crossings of the ray along x, each with its direction. The ray is moved
// aside by a little, so that it does not run along an edge of what was made with round numbers.
static int windingAround(const PlainBody* body, const grzMeshView* view, grzVec3d p) {
    const grzVec3d size = grzVec3d_Sub(body->box.upper, body->box.lower);
    int winding = 0;
    p.y += 1.37e-9 * size.y;
    p.z += 2.71e-9 * size.z;
    for (uint32_t i = 0; i < view->triangleCount; ++i) {
        const Triangle triangle = triangleOf(body, view, i);
        if (triangle.box.upper.x < p.x || triangle.box.lower.y > p.y || triangle.box.upper.y < p.y ||
            triangle.box.lower.z > p.z || triangle.box.upper.z < p.z)
            continue;
        double sides[3];
        for (int k = 0; k < 3; ++k) {
            const grzVec3d a = triangle.corners[k], b = triangle.corners[(k + 1) % 3];
            sides[k] = (b.y - a.y) * (p.z - a.z) - (b.z - a.z) * (p.y - a.y);
        }
        const double area = sides[0] + sides[1] + sides[2]; // twice the triangle's, seen along x
        const bool isThrough =
            area > 0 ? fmin(sides[0], fmin(sides[1], sides[2])) > 0 : fmax(sides[0], fmax(sides[1], sides[2])) < 0;
        const grzVec3d* v = triangle.corners; // side k is the weight of the corner before the edge k
        const double x = (sides[1] * v[0].x + sides[2] * v[1].x + sides[0] * v[2].x) / area;
        if (isThrough && area != 0 && x > p.x)
            winding += area > 0 ? 1 : -1;
    }
    return winding;
}

// How far a point that is inside a closed mesh is from its surface, with `radius` more; or `floor`, as plainOverlap.
static double depthOfPoint(const PlainBody* body, const grzMeshView* view, grzVec3d p, double radius,
                           double floor) {
    if (!holds(body->box, p) || windingAround(body, view, p) == 0)
        return floor;
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < view->triangleCount && radius + least > floor; ++i)
        least = fmin(least, plainPointToTriangle(p, triangleOf(body, view, i).corners));
    return fmax(floor, radius + least);
}

// ---- pairs ----

static double depthOfSolids(const RefSolid* a, const RefSolid* b, double floor) {
    const double radius = a->radius + b->radius;
    double separation = refSeparationUpTo(a, b, radius - floor);
    if (separation >= radius - floor)
        return floor;
    // Without faces there may be no axis to try; and where cores are apart, their corners may be nearer along none.
    if (radius > 0 && (separation > -FLAT || a->triangleCount + b->triangleCount == 0))
        separation = refDistance(a, b);
    return fmax(floor, radius - separation);
}

static void makeTriangle(const Triangle* triangle, RefSolid* solid) {
    const grzVec3d* v = triangle->corners;
    const grzVec3 corners[3] = {grzVec3d_ToVec3(v[0]), grzVec3d_ToVec3(v[1]), grzVec3d_ToVec3(v[2])};
    refMakeTriangle(corners, solid);
}

static double convexAndMesh(const PlainBody* a, const PlainBody* b, double floor) {
    const grzMeshView view = grzMesh_GetView(b->mesh);
    RefSolid solid, side;
    refMake(&a->shape, a->pose, &solid);
    for (uint32_t i = 0; i < view.triangleCount; ++i) {
        const Triangle triangle = triangleOf(b, &view, i);
        if (!grzBoxd_Overlap(a->box, triangle.box))
            continue;
        makeTriangle(&triangle, &side);
        floor = depthOfSolids(&solid, &side, floor);
    }
    if (!grzMesh_GetReport(b->mesh).isClosed)
        return floor;
    for (uint32_t i = 0; i < solid.vertexCount; ++i)
        floor = depthOfPoint(b, &view, solid.vertices[i], solid.radius, floor);
    return floor;
}

// Where an edge from p to q passes through a triangle, if it does.
static bool passes(const Triangle* triangle, grzVec3d p, grzVec3d q, grzVec3d* point) {
    const grzVec3d* v = triangle->corners;
    const grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(v[1], v[0]), grzVec3d_Sub(v[2], v[0]));
    const double above = grzVec3d_Dot(n, grzVec3d_Sub(p, v[0])), below = grzVec3d_Dot(n, grzVec3d_Sub(q, v[0]));
    if (above * below >= 0)
        return false;
    *point = grzVec3d_Lerp(p, q, above / (above - below));
    for (int k = 0; k < 3; ++k) {
        const grzVec3d inward = grzVec3d_Cross(n, grzVec3d_Sub(v[(k + 1) % 3], v[k]));
        if (grzVec3d_Dot(inward, grzVec3d_Sub(*point, v[k])) < 0)
            return false;
    }
    return true;
}

// A triangle against all of a mesh: each pair by itself, and the middle of the cuts, where the mesh is closed.
static double triangleAndMesh(const Triangle* triangle, const PlainBody* b, const grzMeshView* view, bool isClosed,
                              double floor) {
    RefSolid solid, side;
    grzVec3d sum = {0, 0, 0}, point;
    double cuts = 0;
    makeTriangle(triangle, &solid);
    for (uint32_t i = 0; i < view->triangleCount; ++i) {
        const Triangle other = triangleOf(b, view, i);
        if (!grzBoxd_Overlap(triangle->box, other.box))
            continue;
        makeTriangle(&other, &side);
        floor = depthOfSolids(&solid, &side, floor);
        for (int k = 0; k < 3; ++k)
            if (passes(triangle, other.corners[k], other.corners[(k + 1) % 3], &point))
                sum = grzVec3d_Add(sum, point), ++cuts;
    }
    return isClosed && cuts > 0 ? depthOfPoint(b, view, grzVec3d_Scale(sum, 1 / cuts), 0, floor) : floor;
}

// What of `a` is in `b`.
static double meshInMesh(const PlainBody* a, const PlainBody* b, double floor) {
    const grzMeshView viewA = grzMesh_GetView(a->mesh), viewB = grzMesh_GetView(b->mesh);
    const bool isClosed = grzMesh_GetReport(b->mesh).isClosed;
    for (uint32_t i = 0; i < viewA.triangleCount; ++i) {
        const Triangle triangle = triangleOf(a, &viewA, i);
        if (grzBoxd_Overlap(triangle.box, b->box))
            floor = triangleAndMesh(&triangle, b, &viewB, isClosed, floor);
    }
    for (uint32_t i = 0; i < viewA.vertexCount && isClosed; ++i)
        floor = depthOfPoint(b, &viewB, a->vertices[i], 0, floor);
    return floor;
}

double plainOverlap(const PlainBody* a, const PlainBody* b, double floor) {
    if (!grzBoxd_Overlap(a->box, b->box))
        return floor;
    if (a->mesh != NULL && b->mesh != NULL)
        return meshInMesh(b, a, meshInMesh(a, b, floor));
    if (a->mesh != NULL || b->mesh != NULL)
        return a->mesh != NULL ? convexAndMesh(b, a, floor) : convexAndMesh(a, b, floor);
    RefSolid solidA, solidB;
    refMake(&a->shape, a->pose, &solidA);
    refMake(&b->shape, b->pose, &solidB);
    return depthOfSolids(&solidA, &solidB, floor);
}
