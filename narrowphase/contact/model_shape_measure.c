// What: how far one triangle is from a shape, with bounds that are certain.
// Idea: the cheap things first. The triangle's plane may keep it off; or a plane across the way from the shape's middle to
//   the triangle's point nearest to there, of which shape and triangle lie on either side, however that point was found. Of
//   a sphere that says all. What is left is asked of GJK, which stops at what is too far.
// Holds: what is asked follows from the triangle and the shape alone, so the same triangle always has the same bounds.
#include <math.h>

#include "gjk.h"
#include "model_shape_walk.h"
#include "nearest.h"

// What doubles may round when radius and reach are added.
#define ADDING 0x1p-50

static bool isBesidePlane(const ShapeView* view, const grzVec3d at[3], double reach) {
    const grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
    const double length = grzVec3d_Length(n), height = grzVec3d_Dot(n, at[0]);
    if (!(length > 0))
        return false;
    // The rounding of the normal and of all corners along it, many times over.
    const double size = grzVec3d_Length(at[0]) + grzVec3d_Length(at[1]) + grzVec3d_Length(at[2]);
    const double error = (0x1p-44 * length + 0x1p-48 * size * size) * (size + 0x1p46 * view->core.error);
    const double most = length * (reach + view->core.radius) + error;
    const double middle = grzVec3d_Dot(view->core.middle, n) - height;
    // Whichever side the middle is on, the shape would have to reach across from there.
    if (middle > 0)
        return -coreExtent(&view->core, grzVec3d_Neg(n)) > height + most;
    return coreExtent(&view->core, n) < height - most;
}

// The triangle along the way from the core's middle to its point nearest to there.
typedef struct Way {
    double length;
    double beyond; // the triangle is certainly no nearer to the core than this, without the radius; may be below 0
    double error;  // of both
} Way;

// False where the triangle is so near to the middle that there is no way.
static bool findWay(const ConvexCore* core, const grzVec3d at[3], Way* way) {
    const grzVec3d p[3] = {grzVec3d_Sub(at[0], core->middle), grzVec3d_Sub(at[1], core->middle),
                           grzVec3d_Sub(at[2], core->middle)};
    double weights[3];
    grzNearest_OnTriangle(p, grzVec3d_Make(0, 0, 0), weights);
    const grzVec3d q = grzNearest_Weighted(p, weights);
    const double size = grzVec3d_Length(p[0]) + grzVec3d_Length(p[1]) + grzVec3d_Length(p[2]);
    way->length = grzVec3d_Length(q);
    way->error = 0x1p-46 * size + 2 * core->error;
    if (!(way->length > 0x1p-20 * size))
        return false;
    const grzVec3d n = grzVec3d_Scale(q, 1 / way->length);
    const double least = fmin(fmin(grzVec3d_Dot(p[0], n), grzVec3d_Dot(p[1], n)), grzVec3d_Dot(p[2], n));
    const double own = core->kind == corePoint ? 0 : coreExtent(core, n) - grzVec3d_Dot(core->middle, n);
    way->beyond = least - own - way->error;
    return true;
}

// Of a point both bounds follow from the way, where they meet.
static bool measurePoint(const Way* way, GjkResult* bounds) {
    bounds->lower = way->beyond;
    bounds->upper = way->length + way->error;
    bounds->isOverlapCertain = false;
    return bounds->upper - bounds->lower <= 0x1p-30 * way->length;
}

bool grzShapeView_IsBeside(const ShapeView* view, const grzVec3d at[3], double reach) {
    Way way;
    return isBesidePlane(view, at, reach) ||
           (findWay(&view->core, at, &way) && way.beyond > (reach + view->core.radius) * (1 + ADDING));
}

ShapeMeasure grzShapeView_Measure(const ShapeView* view, uint32_t place, double reach) {
    grzVec3d at[3];
    GjkResult gjk;
    const ConvexCore* core = &view->core;
    const ShapeMeasure far = {false, false, 0, 0};
    grzShapeView_GetCorners(view, place, at);
    if (isBesidePlane(view, at, reach))
        return far;
    const double all = (reach + core->radius) * (1 + ADDING);
    double error = core->error;
    Way way;
    const bool hasWay = findWay(core, at, &way);
    if (hasWay && way.beyond > all)
        return far;
    if (!hasWay || core->kind != corePoint || !measurePoint(&way, &gjk)) {
        grzMeshTriangle triangle;
        ConvexCore flat;
        for (uint32_t k = 0; k < 3; ++k)
            triangle.vertices[k] = grzVec3d_ToVec3(at[k]);
        grzConvexCore_SetTriangle(&flat, &triangle, grzVec3d_Make(0, 0, 0));
        grzGjk(core, &flat, all, &gjk);
        error += flat.error;
    }
    if (gjk.lower > all)
        return far;
    error = core->radius > 0 ? error : 0;
    ShapeMeasure found = {true, false, gjk.lower - core->radius - error, gjk.upper - core->radius + error};
    found.lower = found.lower > 0 ? found.lower : 0;
    found.upper = found.lower > 0 ? found.upper : 0;
    found.isCertain = gjk.isOverlapCertain || gjk.upper <= (reach + core->radius) * (1 - ADDING);
    return found;
}
