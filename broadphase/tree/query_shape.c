// What: makes queries ready for the kernels: looks them over, and rounds the constants of their tests.
// Promise: what is truly met passes. A box that passes and is not met misses by what graze/tree_query.h says.
// Idea: let u = 2^-24; a rounded operation errs by a factor within 1 +- u, or by 2^-150 where it underflows, and a
//   step of one ulp moves a normal float by a factor of at least 1 + u and at most 1 + 2u.
//   Rays. An entry side - from errs by u, its product by u, the inverse, before its steps, by u: below the true
//     entry after 4 steps down. Exits likewise above after 4 steps up. So true entries and exits keep their order.
//     Signs are always right, and what underflows stays within the FLT_MIN that is added to exits. A difference
//     that overflows makes exits later, which is harmless, and would make entries later; entryMost, FLT_MAX times
//     the inverse, is what they are at least. Beyond FLT_MAX nothing is asked for.
//   Spheres. Differences, squares and sums make (1 + u)^5 of the true square; 8 steps on the square of the reach,
//     itself u too low, are more.
//   Half-spaces. Terms err by u, their sums by 2 u of all terms; each term is taken from a normal that is 4 steps
//     off, on the side that lowers it. What underflows is within the FLT_MIN that is added to the offset: where
//     that is lost in the sum, some term is large, and its 4 steps are more.
// Based on: [Ize, Robust BVH Ray Traversal, JCGT 2013], who widens exits by 2 ulp.   We differ: both ends are moved,
//   so that an entry is never late; and small and large numbers are not left out.
#include <float.h>
#include <math.h>

#include "memory.h"
#include "query_search.h"

// ------------------------------------------------------------------------------------------------------- checks

static bool isBoxFinite(grzBox box) {
    return grzVec3_IsFinite(box.lower) && grzVec3_IsFinite(box.upper);
}

// NULL where the query's kind, pick, order and count of half-spaces go together.
static const char* flawOfKind(const grzTreeQuery* query) {
    if (query->kind <= grz_noQuery || query->kind > grz_queryPoint)
        return "there is no such kind of query";
    if ((unsigned)query->pick > grz_pickAny)
        return "there is no such pick";
    if ((unsigned)query->order > grz_keyOrder)
        return "there is no such order";
    if (query->pick == grz_pickClosest && !queryHasValues(query->kind))
        return "boxes, spheres and volumes have no values to pick the closest by";
    if (query->kind == grz_queryVolume && query->halfSpaceCount > GRZ_MAX_HALF_SPACES)
        return "there are more than GRZ_MAX_HALF_SPACES half-spaces";
    if (query->kind == grz_queryVolume && query->halfSpaceCount != 0 && query->halfSpaces == NULL)
        return "halfSpaces is NULL, but halfSpaceCount is not 0";
    return NULL;
}

static bool hasBox(grzQueryKind kind) {
    return kind == grz_queryBox || kind == grz_queryCast;
}

static bool hasReach(grzQueryKind kind) {
    return kind != grz_queryBox && kind != grz_queryVolume;
}

static bool isFinite(const grzTreeQuery* query) {
    grzQueryKind kind = query->kind;
    if (hasBox(kind) && !isBoxFinite(query->box))
        return false;
    if ((kind == grz_queryRay || kind == grz_queryCast) && !grzVec3_IsFinite(query->direction))
        return false;
    if (kind == grz_queryVolume) {
        for (uint32_t i = 0; i < query->halfSpaceCount; ++i)
            if (!grzVec3_IsFinite(query->halfSpaces[i].normal) || !isfinite(query->halfSpaces[i].offset))
                return false;
        return true;
    }
    return (hasBox(kind) || grzVec3_IsFinite(query->point)) && (!hasReach(kind) || !isnan(query->reach));
}

grzResult grzQueryCheck(const grzTreeQuery* query) {
    const char* flaw = flawOfKind(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 0), flaw);
    if (!isFinite(query))
        return grzFail(grz_notFinite, 0);
    if (hasBox(query->kind) && grzBox_IsEmpty(query->box))
        return grzFail(grz_invertedBounds, 0);
    if (hasReach(query->kind) && query->reach < 0)
        return grzBecause(grzFail(grz_badArgument, 0), "the reach is negative");
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------- shapes

static void makeMovingAxis(QueryRay* ray, int axis, float direction, float lower, float upper) {
    bool isUp = direction > 0;
    float inverse = fabsf(1 / direction);
    float less = queryBelow(inverse, 4), more = queryAbove(inverse, 4);
    ray->entrySide[axis] = (uint32_t)(isUp ? axis : axis + 3);
    ray->exitSide[axis] = (uint32_t)(isUp ? axis + 3 : axis);
    ray->entryFrom[axis] = isUp ? upper : lower;
    ray->exitFrom[axis] = isUp ? lower : upper;
    ray->entryInverse[axis] = isUp ? less : -less;
    ray->exitInverse[axis] = isUp ? more : -more;
    ray->entryMost[axis] = FLT_MAX * less; // where this overflows, so does the true entry
}

static void makeStillAxis(QueryRay* ray, int axis, float lower, float upper) {
    ray->entrySide[axis] = (uint32_t)axis;
    ray->exitSide[axis] = (uint32_t)(axis + 3);
    ray->entryFrom[axis] = upper;
    ray->exitFrom[axis] = lower;
    ray->entryInverse[axis] = ray->exitInverse[axis] = ray->entryMost[axis] = INFINITY;
}

// A motion so slow that its inverse overflows: the sides are moved to where they get.
static void makeCrawlingAxis(QueryRay* ray, int axis, float direction, float lower, float upper) {
    double way = (double)direction * (double)ray->reach; // exact
    float from = (float)((double)lower + way), to = (float)((double)upper + way);
    makeStillAxis(ray, axis, fminf(lower, nextafterf(from, -INFINITY)), fmaxf(upper, nextafterf(to, INFINITY)));
}

static void makeRay(QueryRay* ray, grzBox box, grzVec3 direction, float reach) {
    ray->reach = fminf(reach, FLT_MAX);
    for (int axis = 0; axis < 3; ++axis) {
        float along = grzVec3_Get(direction, axis);
        float lower = grzVec3_Get(box.lower, axis), upper = grzVec3_Get(box.upper, axis);
        if (along == 0)
            makeStillAxis(ray, axis, lower, upper);
        else if (fabsf(along) < FLT_MIN)
            makeCrawlingAxis(ray, axis, along, lower, upper);
        else
            makeMovingAxis(ray, axis, along, lower, upper);
    }
}

static void makeBall(QueryBall* ball, grzVec3 center, float reach) {
    for (int axis = 0; axis < 3; ++axis)
        ball->center[axis] = grzVec3_Get(center, axis);
    ball->reachSq = reach > 0 ? querySquareLimit(reach) : 0;
}

static void makePlane(QueryPlane* plane, const grzHalfSpace* halfSpace) {
    for (int axis = 0; axis < 3; ++axis) {
        float normal = grzVec3_Get(halfSpace->normal, axis), size = fabsf(normal);
        bool isUp = normal >= 0;
        float less = queryBelow(size, 4), more = size > 0 ? queryAbove(size, 4) : 0;
        plane->less[axis] = isUp ? less : -less;
        plane->more[axis] = isUp ? more : -more;
        plane->deepSide[axis] = (uint32_t)(isUp ? axis : axis + 3);
        plane->shallowSide[axis] = (uint32_t)(isUp ? axis + 3 : axis);
    }
    plane->offset = halfSpace->offset + FLT_MIN;
}

void grzQueryMakeShape(const grzTreeQuery* query, QueryShape* shape) {
    shape->kind = query->kind;
    shape->planeCount = 0;
    switch (query->kind) {
    case grz_noQuery:
        break;
    case grz_queryBox:
        shape->box = query->box;
        break;
    case grz_querySphere:
    case grz_queryPoint:
        makeBall(&shape->ball, query->point, query->reach);
        break;
    case grz_queryVolume:
        shape->planeCount = query->halfSpaceCount;
        for (uint32_t i = 0; i < query->halfSpaceCount; ++i)
            makePlane(&shape->planes[i], &query->halfSpaces[i]);
        break;
    case grz_queryRay:
        makeRay(&shape->ray, grzBox_Make(query->point, query->point), query->direction, query->reach);
        break;
    case grz_queryCast:
        shape->kind = grz_queryRay;
        makeRay(&shape->ray, query->box, query->direction, query->reach);
        break;
    }
}

bool grzQueryBounds(const grzTreeQuery* query, grzBox* bounds) {
    if (hasReach(query->kind) && isinf(query->reach))
        return false;
    switch (query->kind) {
    case grz_noQuery:
    case grz_queryVolume:
        return false;
    case grz_queryBox:
        *bounds = query->box;
        return true;
    case grz_querySphere:
    case grz_queryPoint:
        *bounds = grzBox_Expand(grzBox_Make(query->point, query->point), query->reach);
        break;
    case grz_queryRay:
        *bounds = grzBox_Make(query->point, query->point);
        *bounds = grzBox_Sweep(*bounds, grzScale(query->direction, query->reach));
        break;
    case grz_queryCast:
        *bounds = grzBox_Sweep(query->box, grzScale(query->direction, query->reach));
        break;
    }
    return isBoxFinite(*bounds);
}
