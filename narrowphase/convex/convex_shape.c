// What: shapes by themselves: how they are made, how far they reach, the box around a posed one, their mass.
// Promise: the box contains the shape in real arithmetic; mass is right to 1e-12 of its largest term.
// Idea: all is summed in double from float input. The box is widened by the core's error bound (convex_core.h) and
//   rounded outward. A hull's mass is that of the tetrahedra between a vertex and the triangles of its faces
//   (solid_moments.h).
#include <math.h>

#include "convex_core.h"
#include "refuse_null.h"
#include "solid_moments.h"

static grzConvex emptyShape(grzConvexKind kind) {
    grzConvex shape;
    shape.kind = kind;
    shape.radius = 0;
    shape.a = shape.b = grzVec3_Zero();
    shape.hull = NULL;
    return shape;
}

grzConvex grzMakeSphere(grzVec3 center, float radius) {
    grzConvex shape = emptyShape(grz_sphereShape);
    shape.a = center;
    shape.radius = radius;
    return shape;
}

grzConvex grzMakeCapsule(grzVec3 a, grzVec3 b, float radius) {
    grzConvex shape = emptyShape(grz_capsuleShape);
    shape.a = a;
    shape.b = b;
    shape.radius = radius;
    return shape;
}

grzConvex grzMakeBox(grzVec3 center, grzVec3 halfExtent) {
    grzConvex shape = emptyShape(grz_boxShape);
    shape.a = center;
    shape.b = halfExtent;
    return shape;
}

grzConvex grzMakeHullShape(const grzHull* hull) {
    grzConvex shape = emptyShape(grz_hullShape);
    shape.hull = hull;
    return shape;
}

grzVec3 grzConvex_Support(const grzConvex* shape, grzVec3 direction) {
    GRZ_RETURN_IF_NULL(shape, (grzVec3){0});
    ConvexCore core;
    grzConvexCore_Set(&core, shape, grzTransform_Identity(), grzVec3d_Make(0, 0, 0));
    grzVec3d d = grzVec3d_FromVec3(direction);
    grzVec3d point = coreVertex(&core, coreSupport(&core, d));
    double length = grzVec3d_Length(d);
    if (length > 0)
        point = grzVec3d_Add(point, grzVec3d_Scale(d, core.radius / length));
    return grzVec3d_ToVec3(point);
}

static grzBoxd boundsOfHull(const ConvexCore* core) {
    static const double directions[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double lower[3], upper[3];
    for (int k = 0; k < 3; ++k) {
        grzVec3d d = grzVec3d_Make(directions[k][0], directions[k][1], directions[k][2]);
        upper[k] = coreExtent(core, d);
        lower[k] = -coreExtent(core, grzVec3d_Neg(d));
    }
    return grzBoxd_Make(grzVec3d_Make(lower[0], lower[1], lower[2]), grzVec3d_Make(upper[0], upper[1], upper[2]));
}

// grzRoundDown without branches: whether a number was rounded up is as a coin falls, and there are six of them.
static inline float roundDown(double value) {
    const float nearest = (float)value;
    const uint32_t bits = grzFloatBits(nearest), isAbove = (double)nearest > value;
    const uint32_t isNegative = bits >> 31;
    return grzFloatFromBits(bits + isAbove * (2 * isNegative - 1)); // what is below 0 rounds up to -0
}

static grzVec3d absolute(grzVec3d a) {
    return grzVec3d_Make(fabs(a.x), fabs(a.y), fabs(a.z));
}

// A pose in double.
typedef struct Frame {
    grzVec3d axes[3], origin;
} Frame;

static grzVec3d placeIn(const Frame* frame, grzVec3d p) {
    return grzVec3d_Add(grzVec3d_Turn(frame->axes, p), frame->origin);
}

// The error of a core (convex_core.h) between `lower` and `upper` of the shape's frame, and its radius.
static double roomAround(const Frame* frame, grzVec3d lower, grzVec3d upper, double radius) {
    grzVec3d far = grzVec3d_Max(grzVec3d_Neg(lower), upper);
    far = grzVec3d_Max(far, grzVec3d_Make(0, 0, 0));
    const double reach = grzVec3d_Sum(frame->origin) + grzVec3d_Sum(frame->axes[0]) * far.x +
                         grzVec3d_Sum(frame->axes[1]) * far.y + grzVec3d_Sum(frame->axes[2]) * far.z;
    return radius + 0x1p-46 * (reach + radius);
}

// The sums that a core's corners are, without a core and without a search: the farthest corner of a box has every side added with
// the sign that leads there.
static double boundsOfPlain(const grzConvex* shape, const Frame* frame, grzBoxd* bounds) {
    const grzVec3d a = grzVec3d_FromVec3(shape->a), b = grzVec3d_FromVec3(shape->b);
    const grzVec3d first = placeIn(frame, a);
    bounds->lower = bounds->upper = first;
    if (shape->kind == grz_sphereShape)
        return roomAround(frame, a, a, (double)shape->radius);
    if (shape->kind != grz_boxShape) {
        const grzVec3d last = placeIn(frame, b);
        *bounds = grzBoxd_Make(grzVec3d_Min(first, last), grzVec3d_Max(first, last));
        return roomAround(frame, grzVec3d_Min(a, b), grzVec3d_Max(a, b), (double)shape->radius);
    }
    const double halves[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 3; ++k) {
        const grzVec3d side = absolute(grzVec3d_Scale(frame->axes[k], halves[k]));
        bounds->lower = grzVec3d_Sub(bounds->lower, side);
        bounds->upper = grzVec3d_Add(bounds->upper, side);
    }
    return roomAround(frame, grzVec3d_Sub(a, b), grzVec3d_Add(a, b), 0);
}

// Sums are NaN where a part is, and no smaller than any part: so this is certain where it is true.
static inline bool isPlainlyGood(const grzTransform* pose) {
    const grzVec3 sums = grzAdd(grzAdd(grzAbs(pose->basis.x), grzAbs(pose->basis.y)),
                                grzAdd(grzAbs(pose->basis.z), grzAbs(pose->origin)));
    return sums.x <= 1e15f && sums.y <= 1e15f && sums.z <= 1e15f;
}

grzBox grzConvex_Box(const grzConvex* shape, grzTransform pose) {
    GRZ_RETURN_IF_NULL(shape, (grzBox){0});
    if (!isPlainlyGood(&pose) && !grzPose_IsGood(pose))
        return grzBox_Make(grzVec3_Splat(-INFINITY), grzVec3_Splat(INFINITY));
    grzBoxd bounds;
    double room;
    if (shape->kind == grz_hullShape) {
        ConvexCore core;
        grzConvexCore_Set(&core, shape, pose, grzVec3d_Make(0, 0, 0));
        bounds = boundsOfHull(&core);
        room = core.error;
    } else {
        Frame frame;
        grzVec3d_FromMat3(pose.basis, frame.axes);
        frame.origin = grzVec3d_FromVec3(pose.origin);
        room = boundsOfPlain(shape, &frame, &bounds);
    }
    const grzVec3d rooms = grzVec3d_Make(room, room, room);
    const grzVec3d lower = grzVec3d_Sub(bounds.lower, rooms), upper = grzVec3d_Add(bounds.upper, rooms);
    return grzBox_Make(grzVec3_Make(roundDown(lower.x), roundDown(lower.y), roundDown(lower.z)),
                       grzVec3_Make(-roundDown(-upper.x), -roundDown(-upper.y), -roundDown(-upper.z)));
}

// --------------------------------------------------------------------------------------------------------- mass

#define PI 3.14159265358979323846

static grzMass massOfBox(const grzConvex* shape) {
    grzVec3d h = grzVec3d_FromVec3(shape->b);
    grzMass mass;
    mass.volume = 8 * h.x * h.y * h.z;
    mass.center = grzVec3d_FromVec3(shape->a);
    double third = mass.volume / 3;
    mass.diagonal = grzVec3d_Make(third * (h.y * h.y + h.z * h.z), third * (h.z * h.z + h.x * h.x),
                                  third * (h.x * h.x + h.y * h.y));
    mass.mixed = grzVec3d_Make(0, 0, 0);
    return mass;
}

// Cylinder and two half balls; `length` may be 0. Along the axis, and across it.
static grzMass massOfCapsule(const grzConvex* shape) {
    grzVec3d a = grzVec3d_FromVec3(shape->a), b = grzVec3d_FromVec3(shape->b);
    if (shape->kind == grz_sphereShape)
        b = a;
    grzVec3d d = grzVec3d_Sub(b, a);
    double length = grzVec3d_Length(d), r = (double)shape->radius;
    double tube = PI * r * r * length, ball = 4 * PI / 3 * r * r * r;
    grzMass mass;
    mass.volume = tube + ball;
    mass.center = grzVec3d_Lerp(a, b, 0.5);
    double along = tube * r * r / 2 + ball * r * r * 2 / 5;
    double across = tube * (r * r / 4 + length * length / 12) +
                    ball * (r * r * 2 / 5 + length * length / 4 + length * r * 3 / 8);
    grzVec3d n = length > 0 ? grzVec3d_Scale(d, 1 / length) : grzVec3d_Make(0, 0, 1);
    double turn = along - across; // the tensor is across * 1 + turn * n n^T
    mass.diagonal = grzVec3d_Make(across + turn * n.x * n.x, across + turn * n.y * n.y, across + turn * n.z * n.z);
    mass.mixed = grzVec3d_Make(turn * n.x * n.y, turn * n.x * n.z, turn * n.y * n.z);
    return mass;
}

static grzMass massOfHull(const grzHull* hull) {
    const grzHullView* view = &hull->view;
    const grzVec3d base = coreHullPoint(hull, 0);
    SolidMoments sum = {0};
    for (uint32_t f = 0; f < view->faceCount; ++f) {
        uint32_t e = view->faces[f].firstEdge;
        const grzVec3d a = grzVec3d_Sub(coreHullPoint(hull, view->halfEdges[e].origin), base);
        e = view->halfEdges[e].next;
        for (uint32_t i = 2; i < view->faces[f].edgeCount; ++i) {
            const uint32_t next = view->halfEdges[e].next;
            grzSolidMoments_Add(&sum, a, grzVec3d_Sub(coreHullPoint(hull, view->halfEdges[e].origin), base),
                                grzVec3d_Sub(coreHullPoint(hull, view->halfEdges[next].origin), base));
            e = next;
        }
    }
    return grzSolidMoments_ToMass(&sum, base);
}

grzMass grzConvex_Mass(const grzConvex* shape) {
    GRZ_RETURN_IF_NULL(shape, (grzMass){0});
    if (shape->kind == grz_hullShape)
        return massOfHull(shape->hull);
    return shape->kind == grz_boxShape ? massOfBox(shape) : massOfCapsule(shape);
}
