// What: whether a mesh is near a shape, and how near.
// Promise: as graze/model_shape.h says: what is said of the mesh follows from its triangles alone, each decided by itself.
// Idea: the walk gives triangles by their boxes, the nearest first; each is measured with certain bounds on either side. A
//   triangle is only passed over where another has proved nearer.
#include <math.h>
#include <string.h>

#include "memory.h"
#include "model_shape_walk.h"
#include "refuse_null.h"

// ------------------------------------------------------------------------------------------------------ whether any

static void touch(const ShapeView* view, grzModelTouch* touch) {
    ShapeWalk walk;
    double least = (double)INFINITY;
    grzShapeView_BeginWalk(view, view->margin, &walk);
    for (;;) {
        GRZ_PICK_KERNEL(grzModelShapeWalk)(&walk);
        if (walk.count == 0)
            break;
        for (uint32_t i = 0; i < walk.count; ++i) {
            const ShapeMeasure found = grzShapeView_Measure(view, walk.triangles[i], view->margin);
            if (found.isCertain) {
                *touch = (grzModelTouch){true, grz_exact, 0};
                return;
            }
            if (found.isNear)
                least = fmin(least, fmax(found.upper, view->margin));
        }
    }
    if (least < (double)INFINITY)
        *touch = (grzModelTouch){true, grz_conservative, grzRoundUp(least + 2 * view->core.error)};
}

grzResult grzModel_TouchShape(const grzModelShape* query, grzModelTouch* found) {
    GRZ_REFUSE_NULL(found, 2);
    ShapeView view;
    *found = (grzModelTouch){false, grz_exact, 0};
    const grzResult result = grzShapeView_Set(&view, query);
    if (grzResult_IsOk(result))
        touch(&view, found);
    return result;
}

// ---------------------------------------------------------------------------------------------------------- nearest

typedef struct Nearest {
    bool isThere;
    double upper;
    uint32_t id, place;
} Nearest;

static void tryNearest(const ShapeView* view, uint32_t place, Nearest* best) {
    const ShapeMeasure found = grzShapeView_Measure(view, place, best->isThere ? best->upper : view->margin);
    const uint32_t id = grzModel_TriangleId(view->model, place);
    if (!found.isNear ||
        (best->isThere && (found.upper > best->upper || (found.upper == best->upper && id > best->id))))
        return;
    *best = (Nearest){true, found.upper, id, place};
}

static Nearest findNearest(const ShapeView* view) {
    ShapeWalk walk;
    Nearest best = {false, 0, 0, 0};
    grzShapeView_BeginWalk(view, view->margin, &walk);
    for (;;) {
        GRZ_PICK_KERNEL(grzModelShapeWalk)(&walk);
        if (walk.count == 0)
            return best;
        for (uint32_t i = 0; i < walk.count; ++i)
            if (walk.bounds[i] <= walk.limit) {
                tryNearest(view, walk.triangles[i], &best);
                if (best.isThere && best.upper < view->margin)
                    walk.limit = grzShapeView_Limit(view, best.upper);
            }
    }
}

static grzVec3 moveTo(grzVec3 point, grzVec3d base) {
    return grzVec3d_ToVec3(grzVec3d_Add(grzVec3d_FromVec3(point), base));
}

grzResult grzModel_ShapeDistance(const grzModelShape* query, grzModelShapeDistance* distance) {
    GRZ_REFUSE_NULL(distance, 2);
    ShapeView view;
    memset(distance, 0, sizeof *distance);
    distance->triangle = GRZ_NO_TRIANGLE;
    const grzResult result = grzShapeView_Set(&view, query);
    if (!grzResult_IsOk(result))
        return result;
    const Nearest best = findNearest(&view);
    if (!best.isThere)
        return result;
    grzMeshTriangle triangle;
    grzShapeView_GetTriangle(&view, best.place, &triangle);
    const grzResult measured =
        grzConvex_TriangleDistance(&query->shape, view.shapePose, &triangle, &distance->distance);
    if (!grzResult_IsOk(measured))
        return measured;
    distance->triangle = best.id;
    distance->distance.pointA = moveTo(distance->distance.pointA, view.base);
    distance->distance.pointB = moveTo(distance->distance.pointB, view.base);
    return result;
}
