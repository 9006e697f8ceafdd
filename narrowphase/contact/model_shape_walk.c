// What: how a shape stands in a model's frame, and how far a gap there is in the world.
// Promise: with any reach, the walk gives every triangle whose distance from the shape, as computed of its floats, is
//   within it.
// Idea: let N be the inverse of the basis and n_i its rows. A gap of g between two boxes on axis i of the model's frame is a
//   gap of g / |n_i| between two planes of the world, along n_i. Of three such gaps along unit vectors u_i the distance d
//   obeys |U d|^2 >= sum g_i^2 / |n_i|^2, and |U d|^2 <= s |d|^2 with s the largest row sum of |U U^T|: 1 for a rotation
//   with any scale, at most 3 for any shear. So gaps are scaled by 1 / (sqrt(s) |n_i|).
//
//        world            .-'            model's frame     +----+
//          mesh's axes  .'  gap g/|n|                      |    |<- gap g ->[core]
//                     [  ]<------->core                    +----+
//
//   A gap on an axis of the shape's own frame is one in the world. These axes are asked as well, since the box of a large shape in the
//   frame of a small mesh may hold all of it.
//
// Holds: the core's box in the model's frame is grown by what may be off: rounding of the mesh's vertices to floats, 2^-22
//   of their coordinates seen from the shape, brought back; and what the inverse is off. Where that is more than a
//   millionth, the pose is refused.
#include "model_shape_walk.h"

#include <math.h>
#include <string.h>

#include "model_chunks.h"
#include "result_make.h"

#define SHAPE_MARK 0x4D536859u

grzModelShape grzDefaultModelShape(void) {
    grzModelShape query;
    memset(&query, 0, sizeof query);
    query.mark = SHAPE_MARK;
    query.pose = query.shapePose = grzTransform_Identity();
    return query;
}

static grzResult checkShape(const grzConvex* shape, grzTransform shapePose, float margin) {
    const grzResult result = grzConvex_Check(shape);
    if (!grzResult_IsOk(result))
        return result;
    if (margin < 0)
        return grzBecause(grzFail(grz_badArgument, 1), "margin is below 0");
    const char* flaw = !grzPose_IsGood(shapePose) ? "shapePose has no number, or one beyond 1e15"
                       : isnan(margin)            ? "margin is no number"
                                                  : NULL;
    return flaw == NULL ? grzOk() : grzBecause(grzFail(grz_notFinite, 1), flaw);
}

static grzResult checkQuery(const grzModelShape* query) {
    if (query == NULL || query->mark != SHAPE_MARK)
        return grzFail(grz_badDef, 0);
    const grzModel* model = query->model;
    if (model == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "model is NULL");
    grzModel_Open(model);
    const bool isModelGood = model->leafCount == 0 ||
                             (grzCoordinates_AreGood(model->box.lower) && grzCoordinates_AreGood(model->box.upper));
    const char* flaw = !grzPose_IsGood(query->pose) ? "pose has no number, or one beyond 1e15"
                       : !isModelGood               ? "the model has a coordinate beyond 1e15"
                                                    : NULL;
    return flaw == NULL ? grzOk() : grzBecause(grzFail(grz_notFinite, 1), flaw);
}

// Of a shape that is good.
static void setView(ShapeView* view, const grzModel* model, grzTransform pose, const grzConvex* shape,
                    grzTransform shapePose, float margin) {
    view->model = model;
    view->margin = (double)margin;
    grzModelPlace_Set(&view->place, pose);
    view->base = grzVec3d_FromVec3(shapePose.origin);
    view->place.origin = grzVec3d_Sub(view->place.origin, view->base);
    view->shapePose = grzTransform_Make(shapePose.basis, grzVec3_Zero());
    grzConvexCore_Set(&view->core, shape, view->shapePose, grzVec3d_Make(0, 0, 0));
}

static double smallerSize(const ShapeView* view) {
    if (view->model->leafCount == 0)
        return 0;
    const grzBoxd box = grzBoxd_FromBox(view->model->box);
    const double mesh = grzVec3d_Length(grzModelPlace_Turn(&view->place, grzVec3d_Sub(box.upper, box.lower)));
    return fmin(mesh, view->core.size + 2 * view->core.radius);
}

grzResult grzShapeView_Set(ShapeView* view, const grzModelShape* query) {
    grzResult result = checkQuery(query);
    if (grzResult_IsOk(result))
        result = checkShape(&query->shape, query->shapePose, query->margin);
    if (!grzResult_IsOk(result))
        return result;
    setView(view, query->model, query->pose, &query->shape, query->shapePose, query->margin);
    bool isGood = grzModelPlace_Invert(&view->place);
    if (isGood)
        grzModelPlace_SetError(&view->place);
    for (int i = 0; i < 3 && isGood; ++i) {
        const double length = view->place.lengths[i], row = grzVec3d_Length(view->place.rows[i]);
        isGood = length >= 1e-12 && length <= 1e12 && row >= 1e-12 && row <= 1e12 &&
                 grzModelPlace_RowError(&view->place, i) < 0x1p-20 * row;
    }
    view->size = smallerSize(view);
    return isGood ? grzOk()
                  : grzBecause(grzFail(grz_badArgument, 1),
                               "a pose whose basis cannot be inverted, or is too large or small");
}

// ------------------------------------------------------------------------------------------------------------ walks

// How far the core reaches along a direction, both ways.
static void extentAlong(const ConvexCore* core, grzVec3d along, double* lower, double* upper) {
    *upper = coreExtent(core, along);
    *lower = -coreExtent(core, grzVec3d_Neg(along));
}

static double largestRowSum(const grzVec3d rows[3], const double lengths[3]) {
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        double sum = 0;
        for (int j = 0; j < 3; ++j)
            sum += fabs(grzVec3d_Dot(rows[i], rows[j])) / (lengths[i] * lengths[j]);
        most = fmax(most, sum);
    }
    return most;
}

double grzShapeView_Limit(const ShapeView* view, double reach) {
    const double all = reach + view->core.radius + view->core.error;
    return all * all * (1 + 0x1p-40);
}

// What the walk may read: a gap on one axis alone is within the limit, as the kernel computes it.
static void makeNear(const ShapeWalk* walk) {
    float lower[3], upper[3];
    const double reach = sqrt(walk->limit) * (1 + 0x1p-16);
    for (int i = 0; i < 3; ++i) {
        const double gap = walk->scales[i] > 0 ? reach / (double)walk->scales[i] : (double)INFINITY;
        lower[i] = grzRoundDown((double)walk->lower[i] - gap);
        upper[i] = grzRoundUp((double)walk->upper[i] + gap);
    }
    grzModel_MakeInBox(walk->model, lower, upper);
}

// What is off on an axis: the mesh's vertices, floats of at most `size`; the axis in float, its products and their sums, by as much again.
static void setAxes(const ShapeView* view, double reach, double size, ShapeWalk* walk) {
    const double around = fmin(reach, 1e300) + view->core.radius + view->core.error; // an axis may be zero
    for (int k = 0; k < 3; ++k) {
        const grzVec3d axis = view->core.axes[k];
        const double shift = grzVec3d_Dot(axis, view->place.origin), length = grzVec3d_Length(axis);
        double lower, upper;
        extentAlong(&view->core, axis, &lower, &upper);
        const double off =
            length * (around + 0x1p-19 * size) * (1 + 0x1p-40) + 0x1p-40 * (fabs(upper) + fabs(lower)) + 0x1p-120;
        for (int i = 0; i < 3; ++i)
            walk->axes[k][i] = (float)grzVec3d_Dot(view->place.columns[i], axis);
        walk->least[k] = grzRoundDown(lower - shift - off);
        walk->most[k] = grzRoundUp(upper - shift + off);
    }
}

void grzShapeView_BeginWalk(const ShapeView* view, double reach, ShapeWalk* walk) {
    const ModelPlace* place = &view->place;
    const grzModel* model = view->model;
    double lengths[3];
    for (int i = 0; i < 3; ++i)
        lengths[i] = grzVec3d_Length(place->rows[i]);
    const double root = sqrt(largestRowSum(place->rows, lengths)) * (1 + 0x1p-40);
    double size = grzVec3d_Sum(place->origin);
    if (model->leafCount != 0) {
        const grzVec3d far = grzVec3d_FromVec3(grzMax(grzAbs(model->box.lower), grzAbs(model->box.upper)));
        size += grzVec3d_Sum(place->columns[0]) * far.x + grzVec3d_Sum(place->columns[1]) * far.y +
                grzVec3d_Sum(place->columns[2]) * far.z;
    }
    for (int i = 0; i < 3; ++i) {
        const double rowError = grzModelPlace_RowError(place, i);
        double lower, upper;
        extentAlong(&view->core, place->rows[i], &lower, &upper);
        const double shift = grzVec3d_Dot(place->rows[i], place->origin);
        const double off = lengths[i] * 0x1p-22 * size + rowError * (size + 0x1p46 * view->core.error) +
                           0x1p-40 * (fabs(shift) + fabs(upper) + fabs(lower));
        walk->lower[i] = grzRoundDown(lower - shift - off);
        walk->upper[i] = grzRoundUp(upper - shift + off);
        walk->scales[i] = grzRoundDown(1 / (root * (lengths[i] + 4 * rowError)));
    }
    setAxes(view, reach, size, walk);
    walk->model = model;
    walk->limit = grzShapeView_Limit(view, reach);
    walk->enough = 1;
    if (model->chunks != NULL)
        makeNear(walk);
    grzWalkStack_Begin(&walk->stack, model, 0);
}

// -------------------------------------------------------------------------------------------------------- triangles

static uint32_t vertexOf(const grzBvh* bvh, size_t corner) {
    const grzBvhView tree = grzBvh_GetView(bvh);
    return tree.vertexToCaller[tree.triangles[corner]];
}

void grzShapeView_GetTriangle(const ShapeView* view, uint32_t place, grzMeshTriangle* triangle) {
    const grzBvh* bvh = view->model->bvh;
    const uint32_t id = grzModel_TriangleId(view->model, place);
    for (uint32_t k = 0; k < 3; ++k) {
        triangle->vertices[k] = grzShapeView_Corner(view, place, k);
        triangle->neighborNormals[k] = grzVec3_Zero();
        triangle->edgeFeatures[k] = 3 * id + k;
        triangle->vertexFeatures[k] = bvh == NULL ? 3 * id + k : vertexOf(bvh, 3 * (size_t)place + k);
    }
    triangle->face = id;
    triangle->isTwoSided = true;
}
