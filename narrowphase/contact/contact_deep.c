// What: contacts of a shape that lies deep in a mesh.
// Promise: along the normal of a contact, the shape leaves the contact's triangle after the contact's depth, and no way out of what it
//   overlaps there is shorter, of those that are looked at: normals of triangles, of their touches, of borders, and the way to the
//   surface from the middle. A mesh that is solid leads out whatever is in it; another one only what came from the front.
// Idea: one triangle alone cannot tell the way out. If the middle of the shape is behind it, the shape is nearer to its back. In a
//   thin mesh the shape overlaps triangles that face each way. In a narrow one, the flanks' normals lead it out over its whole width:
//
//        +--------------+          Each flank by itself says: to its side, some half of the box.
//        |     _____    |          The tip says: up, by what it is deep. When the box has gone
//        |    /     \   |          up by this, it overlaps neither flank. So the flanks' own
//        +---/-------\--+          directions are dropped, and their contacts are along the tip's.
//           /         \                                                                                      .
//
//   The shortest way out of any triangle that is overlapped is taken first. Triangles that the shape leaves on this way are
//   explained by it. Of what is left the shortest one is taken next, and so on: in a corner, the wall and then the floor.
// Cost: for each triangle overlapped, two searches for closest points or more, and one for each way out.
// Holds: of ways out that are as short, the one of the lowest triangle is taken, so that the order of triangles does not matter.
// Limits: after MOST_WAYS ways, each triangle that is left keeps its own. Closed parts of a mesh that overlap each other are not
//   solid where they do.
#include "contact_deep.h"

#include <math.h>

#include "convex_lay.h"
#include "graze/model_ray.h"
#include "memory.h"

enum { MOST_WAYS = 16, MOST_STEPS = 16 };

#define DEEP_PART  0.25  // of the width of the smaller one: contacts as deep as that are looked at again
#define FLAT       0.999 // directions with this cosine to a triangle's normal are along it
#define ALIKE      0.5 // normals of the last step with this cosine to a triangle's show that the shape was in front
#define LOYAL      0.99 // normals of the last step with this cosine are a direction's
#define LOYALTY    0.5  // ways out of the last step count for this part of their length
#define LEFT_PART  0.02 // of a way out, and
#define LEFT_SIZE  1e-4 // of the smaller size: what a way out may leave of an overlap
#define TOUCHED    16 // times that: how deep the contact of a triangle may be that is overlapped by less than that
#define LEAST_SINE 0.01 // a triangle's contact leads to its front by so much at least

static grzVec3d outwardOf(const grzModelContactQuery* query, const grzContact* contact) {
    const grzVec3d normal = grzVec3d_FromVec3(contact->normal);
    return grzBodyId_IsSame(contact->bodyA, query->shapeBody) ? grzVec3d_Neg(normal) : normal;
}

// Whether a contact of the last step had the normal, but for an angle of that cosine.
static bool wasAlong(const DeepQuery* deep, grzVec3d normal, double cosine) {
    const grzModelContactQuery* query = deep->query;
    for (uint32_t i = 0; i < query->previousCount; ++i)
        if (grzVec3d_Dot(outwardOf(query, &query->previous[i]), normal) > cosine)
            return true;
    return false;
}

double grzDeepContacts_Least(const ShapeView* view) {
    return LEFT_SIZE * view->size;
}

static double widthAlong(const ShapeView* view, grzVec3d d) {
    const ConvexCore* shape = &view->core;
    return fmin(coreExtent(shape, d) + coreExtent(shape, grzVec3d_Neg(d)) + 2 * shape->radius, view->size);
}

// 1: outside is in front of the triangle; -1: behind it; 0: the shape may pass it.
static int outsideOf(const DeepQuery* deep, grzVec3d normal, grzVec3d corner) {
    const bool isInFront = grzVec3d_Dot(grzVec3d_Sub(deep->edges->view->core.middle, corner), normal) >= 0;
    if (deep->isSolid || wasAlong(deep, normal, ALIKE))
        return 1;
    if (!deep->query->isTwoSided)
        return isInFront;
    return wasAlong(deep, grzVec3d_Neg(normal), ALIKE) || !isInFront ? -1 : 1;
}

// Whether what a triangle left leads along it, neither to its front nor to its back but for rounding: over the rim of a wall, say.
static bool isAcross(const LeftContact* left, grzVec3d normal) {
    return fabs(grzVec3d_Dot(grzVec3d_FromVec3(left->normal), normal)) < LEAST_SINE;
}

static grzVec3d normalOf(const grzVec3d at[3]) {
    return grzVec3d_Unit(grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0])));
}

static bool leadsFar(const DeepQuery* deep, grzVec3d normal, double depth) {
    return depth > DEEP_PART * widthAlong(deep->edges->view, normal);
}

bool grzDeepContacts_IsMisled(const DeepQuery* deep, const grzManifold* manifold, const LeftContact* left) {
    float least = INFINITY;
    for (uint32_t i = 0; i < manifold->pointCount; ++i)
        least = fminf(least, manifold->points[i].separation);
    const double most = grzDeepContacts_Least(deep->edges->view);
    return left->isLeft && left->isDeep && (double)left->separation > -most && -(double)least > TOUCHED * most;
}

bool grzDeepContacts_IsDoubtful(const DeepQuery* deep, const grzVec3d at[3], const grzManifold* manifold,
                                const LeftContact* left, float least) {
    const float separation = left->isLeft && left->separation < least ? left->separation : least;
    if (!(separation < 0) || (!left->isLeft && !deep->query->isTwoSided))
        return false;
    const grzVec3d normal = normalOf(at);
    if (left->isLeft && left->isBehind)
        return !isAcross(left, normal) && outsideOf(deep, normal, at[0]) != 0;
    if (left->isLeft && left->isDeep && leadsFar(deep, normal, -(double)least))
        return true;
    const grzVec3d outward = grzVec3d_Neg(grzVec3d_FromVec3(manifold->normal));
    return deep->query->isTwoSided && manifold->pointCount > 0 &&
           outsideOf(deep, normal, at[0]) * grzVec3d_Dot(outward, normal) < 0;
}

// ---- how far it is out ----

static void moveCore(ConvexCore* core, grzVec3d way) {
    core->origin = grzVec3d_Add(core->origin, way);
    core->middle = grzVec3d_Add(core->middle, way);
    for (int i = 0; i < 3; ++i)
        core->corners[i] = grzVec3d_Add(core->corners[i], way);
}

// How a shape leaves a triangle along a direction, and where it touches the triangle last.
typedef struct Leaving {
    double depth;
    grzVec3d pointB;
    grzFeature featureA, featureB;
} Leaving;

// From a place beyond the triangle the shape is moved back by what keeps it off the triangle, again and again.
static Leaving leave(const ShapeView* view, const ConvexCore* triangle, grzVec3d outward) {
    const ConvexCore* shape = &view->core;
    const double near = shape->error + triangle->error + 1e-6 * view->size;
    const grzVec3d back = grzVec3d_Neg(outward);
    Leaving leaving = {.depth = coreExtent(triangle, outward) + coreExtent(shape, back) + shape->radius};
    for (int step = 0; step < MOST_STEPS; ++step) {
        ConvexCore moved = *shape;
        GjkResult gjk;
        moveCore(&moved, grzVec3d_Scale(outward, leaving.depth));
        grzGjk(&moved, triangle, (double)INFINITY, &gjk);
        leaving.pointB = gjk.pointB;
        leaving.featureA = grzConvexCore_FeatureOf(shape, gjk.verticesA, gjk.count, back);
        leaving.featureB = grzConvexCore_FeatureOf(triangle, gjk.verticesB, gjk.count, outward);
        const double distance = gjk.lower - shape->radius, closing = grzVec3d_Dot(gjk.normal, back);
        if (gjk.isOverlapping || distance <= near || closing <= 0)
            break;
        leaving.depth -= distance / closing;
    }
    leaving.depth = leaving.depth > 0 ? leaving.depth : 0;
    return leaving;
}

static bool hasLeft(const ShapeView* view, const ConvexCore* triangle, grzVec3d outward, double depth) {
    const ConvexCore* shape = &view->core;
    ConvexCore moved = *shape;
    GjkResult gjk;
    moveCore(&moved, grzVec3d_Scale(outward, depth * (1 + LEFT_PART) + grzDeepContacts_Least(view)));
    const double apart = -coreExtent(&moved, grzVec3d_Neg(outward)) - coreExtent(triangle, outward);
    if (apart > shape->radius + shape->error + triangle->error)
        return true;
    grzGjk(&moved, triangle, shape->radius, &gjk);
    return !gjk.isOverlapping && gjk.lower > shape->radius;
}

// ---- the way out of one triangle ----

static void setWay(const DeepQuery* deep, SunkTriangle* sunk, SunkKind kind, grzVec3d outward, double depth) {
    const double value = depth * (wasAlong(deep, outward, LOYAL) ? LOYALTY : 1);
    if (value >= sunk->value)
        return;
    sunk->kind = kind, sunk->outward = outward;
    sunk->depth = depth, sunk->value = value;
}

// Over borders the shape may leave sideways; over other edges the neighbours say how.
static void setOwnWay(const DeepQuery* deep, const ConvexCore* triangle, SunkTriangle* sunk) {
    const ShapeView* view = deep->edges->view;
    const grzVec3d outward = sunk->isTurned ? grzVec3d_Neg(triangle->normal) : triangle->normal;
    setWay(deep, sunk, sunkFace, outward, leave(view, triangle, outward).depth);
    for (uint32_t k = 0; k < 3; ++k) {
        const grzVec3d along = grzVec3d_Sub(triangle->corners[k == 2 ? 0 : k + 1], triangle->corners[k]);
        const grzVec3d side = grzVec3d_Unit(grzVec3d_Cross(along, triangle->normal));
        if (grzVec3d_LengthSq(grzVec3d_FromVec3(triangle->triangle->neighborNormals[k])) == 0 &&
            grzVec3d_LengthSq(side) > 0)
            setWay(deep, sunk, sunkAlong, side, leave(view, triangle, side).depth);
    }
}

bool grzDeepContacts_Add(DeepContacts* contacts, const grzAllocator* allocator, const DeepQuery* deep,
                         const grzMeshTriangle* triangle, const grzManifold* manifold, const LeftContact* left) {
    ConvexCore core;
    grzConvexCore_SetTriangle(&core, triangle, grzVec3d_Make(0, 0, 0));
    const int outside = outsideOf(deep, core.normal, core.corners[0]);
    if (outside == 0)
        return true;
    if (!grzArray_Reserve(contacts, allocator, contacts->count + 1))
        return false;
    SunkTriangle sunk = {.triangle = triangle->face, .isTurned = outside < 0, .value = (double)INFINITY};
    const grzVec3d outward = grzVec3d_Neg(grzVec3d_FromVec3(manifold->normal));
    if (!left->isLeft && manifold->pointCount > 0 && outside * grzVec3d_Dot(outward, core.normal) >= 0)
        setWay(deep, &sunk, sunkTouch, outward, -(double)manifold->separation);
    else
        setOwnWay(deep, &core, &sunk);
    if (left->isLeft && left->isBehind && isAcross(left, core.normal))
        setWay(deep, &sunk, sunkAlong, grzVec3d_Neg(grzVec3d_FromVec3(left->normal)), -(double)left->separation);
    contacts->data[contacts->count++] = sunk;
    return true;
}

// ---- the middle inside ----

static grzVec3 inWorld(const ShapeView* view, grzVec3d point) {
    return grzVec3d_ToVec3(grzVec3d_Add(point, view->base));
}

// Whether a point sees the back of the first triangle along some direction that no box's side is likely to have.
static bool isInside(const DeepQuery* deep, grzVec3d point) {
    const ShapeView* view = deep->edges->view;
    grzModelRay ray = grzDefaultModelRay();
    grzModelRayHit hit;
    ray.model = view->model, ray.pose = deep->query->pose;
    ray.origin = inWorld(view, point), ray.direction = grzVec3_Make(0.3713F, 0.8011F, 0.4693F);
    ray.reach = INFINITY;
    return grzResult_IsOk(grzModel_CastRay(&ray, &hit)) && hit.triangle != GRZ_NO_TRIANGLE && hit.isFront == 0;
}

// The triangle nearest to the middle.
static grzModelShapeDistance findNearest(const DeepQuery* deep) {
    const ShapeView* view = deep->edges->view;
    grzModelShape query = grzDefaultModelShape();
    grzModelShapeDistance found;
    query.model = view->model, query.pose = deep->query->pose;
    query.shape = grzMakeSphere(grzVec3_Zero(), 0);
    query.shapePose.origin = inWorld(view, view->core.middle);
    query.margin = INFINITY;
    if (!grzResult_IsOk(grzModel_ShapeDistance(&query, &found)))
        found.triangle = GRZ_NO_TRIANGLE;
    return found;
}

bool grzDeepContacts_AddInside(DeepContacts* contacts, const grzAllocator* allocator, const DeepQuery* deep) {
    const ShapeView* view = deep->edges->view;
    const ConvexCore* shape = &view->core;
    if (!deep->isSolid || !isInside(deep, shape->middle))
        return true;
    const grzModelShapeDistance nearest = findNearest(deep);
    if (nearest.triangle == GRZ_NO_TRIANGLE)
        return true;
    grzVec3d at[3];
    grzEdgesView_GetCorners(deep->edges, nearest.triangle, at);
    const grzVec3d normal = grzVec3d_Unit(grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0])));
    const grzVec3d point = grzVec3d_Sub(grzVec3d_FromVec3(nearest.distance.pointB), view->base);
    const grzVec3d way = grzVec3d_Sub(point, shape->middle);
    const bool isFace = grzFeature_Kind(nearest.distance.featureB) == grz_faceFeature;
    const grzVec3d outward = isFace || !(grzVec3d_Length(way) > 1e-6 * view->size) ? normal : grzVec3d_Unit(way);
    if (!(grzVec3d_Dot(outward, normal) > 0))
        return true;
    if (!grzArray_Reserve(contacts, allocator, contacts->count + 1))
        return false;
    SunkTriangle sunk = {.triangle = nearest.triangle, .value = (double)INFINITY};
    setWay(deep, &sunk, sunkInside, outward,
           grzVec3d_Dot(outward, point) + coreExtent(shape, grzVec3d_Neg(outward)) + shape->radius);
    contacts->data[contacts->count++] = sunk;
    return true;
}

// ---- the choice ----

static void getTriangle(const DeepQuery* deep, uint32_t id, grzMeshTriangle* triangle, ConvexCore* core) {
    grzVec3d at[3];
    grzEdgesView_GetCorners(deep->edges, id, at);
    grzEdgesView_GetTriangle(deep->edges, id, at, triangle);
    triangle->isTwoSided = deep->query->isTwoSided;
    grzConvexCore_SetTriangle(core, triangle, grzVec3d_Make(0, 0, 0));
}

static bool isExplained(const DeepQuery* deep, const SunkTriangle* way, const SunkTriangle* sunk) {
    const ShapeView* view = deep->edges->view;
    if (sunk->kind == sunkInside)
        return !isInside(deep, grzVec3d_AddScaled(view->core.middle, way->depth, way->outward));
    grzMeshTriangle triangle;
    ConvexCore core;
    getTriangle(deep, sunk->triangle, &triangle, &core);
    return hasLeft(view, &core, way->outward, way->depth);
}

static SunkTriangle* findShortest(const DeepContacts* contacts) {
    SunkTriangle* best = NULL;
    for (size_t i = 0; i < contacts->count; ++i) {
        SunkTriangle* sunk = &contacts->data[i];
        if (sunk->state == sunkOpen && (best == NULL || sunk->value < best->value ||
                                        (sunk->value == best->value && sunk->triangle < best->triangle)))
            best = sunk;
    }
    return best;
}

// What the shape's own faces say of several triangles is one way out: that of the deepest.
static SunkTriangle lengthen(const DeepContacts* contacts, const SunkTriangle* own) {
    SunkTriangle way = *own;
    for (size_t i = 0; i < contacts->count && own->kind == sunkTouch; ++i) {
        const SunkTriangle* sunk = &contacts->data[i];
        if (sunk->state == sunkOpen && sunk->kind == sunkTouch && sunk->depth > way.depth &&
            grzVec3d_Dot(sunk->outward, way.outward) > 1 - 1e-6)
            way.depth = sunk->depth;
    }
    return way;
}

void grzDeepContacts_Choose(DeepContacts* contacts, const DeepQuery* deep) {
    for (int i = 0; i < MOST_WAYS; ++i) {
        SunkTriangle* own = findShortest(contacts);
        if (own == NULL)
            return;
        const SunkTriangle way = lengthen(contacts, own);
        own->state = sunkOwn;
        for (size_t k = 0; k < contacts->count; ++k) {
            SunkTriangle* sunk = &contacts->data[k];
            if (sunk->state != sunkOpen || !isExplained(deep, &way, sunk))
                continue;
            sunk->state = sunkExplained;
            sunk->outward = way.outward;
        }
    }
}

// ---- contacts ----

static void makeSingle(grzVec3d outward, const ClipPoint* point, grzManifold* manifold) {
    const ContactHead head = {.normal = grzVec3d_Neg(outward), .separation = point->height, .isCertain = true};
    const ContactLay lay = {head.normal, grzVec3d_Make(0, 0, 0), 0, 0, false};
    grzSetHead(&head, manifold);
    grzSetPoints(&lay, point, 1, manifold);
}

static void makeAlong(const DeepQuery* deep, const ConvexCore* triangle, grzVec3d outward, grzManifold* manifold) {
    const Leaving leaving = leave(deep->edges->view, triangle, outward);
    const ClipPoint point = {grzVec3d_AddScaled(leaving.pointB, -leaving.depth, outward), -leaving.depth,
                             leaving.featureB, leaving.featureA};
    if (leaving.depth > 0)
        makeSingle(outward, &point, manifold);
}

static void makeFace(const DeepQuery* deep, const ConvexCore* triangle, bool isTurned, grzManifold* manifold) {
    const ConvexCore* shape = &deep->edges->view->core;
    Touch touch = {.coreA = shape, .coreB = triangle, .margin = deep->edges->view->margin, .isNear = true};
    touch.isCertain = touch.isDeep = true;
    touch.normal = isTurned ? triangle->normal : grzVec3d_Neg(triangle->normal);
    touch.axis.error = shape->error + triangle->error;
    touch.axis.face = isTurned ? 1 : 0;
    grzMakeFaceManifold(&touch, touch.axis.face, grzVec3d_Make(0, 0, 0), manifold);
}

// The vertex of the shape that leaves last.
static void makeInside(const DeepQuery* deep, const SunkTriangle* sunk, grzManifold* manifold) {
    const ConvexCore* shape = &deep->edges->view->core;
    const grzVec3d back = grzVec3d_Neg(sunk->outward);
    const uint32_t vertex = coreSupport(shape, back);
    const ClipPoint point = {grzVec3d_AddScaled(coreVertex(shape, vertex), -shape->radius, sunk->outward),
                             -sunk->depth, grzMakeFeature(grz_faceFeature, sunk->triangle),
                             grzConvexCore_Feature(shape, grz_vertexFeature, vertex)};
    makeSingle(sunk->outward, &point, manifold);
}

grzResult grzDeepContacts_Make(const DeepContacts* contacts, size_t place, const DeepQuery* deep,
                               grzManifold* manifold) {
    const SunkTriangle* sunk = &contacts->data[place];
    const ShapeView* view = deep->edges->view;
    grzMeshTriangle triangle;
    ConvexCore core;
    LeftContact left;
    grzResult result = grzOk();
    grzClearManifold(manifold);
    getTriangle(deep, sunk->triangle, &triangle, &core);
    const grzVec3d front = sunk->isTurned ? grzVec3d_Neg(core.normal) : core.normal;
    const double cosine = grzVec3d_Dot(front, sunk->outward);
    if (sunk->state != sunkExplained && sunk->kind == sunkTouch)
        result = grzCollideTriangle(&view->core, grzVec3d_Make(0, 0, 0), &triangle, view->margin, manifold, &left);
    else if (sunk->kind == sunkInside && sunk->state != sunkExplained)
        makeInside(deep, sunk, manifold);
    else if (sunk->kind == sunkInside)
        return result;
    else if (cosine > FLAT)
        makeFace(deep, &core, sunk->isTurned, manifold);
    if (manifold->pointCount == 0 && (cosine > LEAST_SINE || sunk->state != sunkExplained))
        makeAlong(deep, &core, sunk->outward, manifold);
    manifold->triangleB = sunk->triangle;
    return result;
}
