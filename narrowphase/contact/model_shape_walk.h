// What: the start of every query of a model and a shape: the checks, the shape as a core, the walk near it, and triangles of
//   the mesh as the shape sees them.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_SHAPE_WALK_H
#define GRAZE_NARROWPHASE_MODEL_SHAPE_WALK_H

#include "convex_core.h"
#include "graze/model_shape.h"
#include "model_place.h"
#include "model_shape_kernel.h"

// All is relative to the origin of the shape's pose.
typedef struct ShapeView {
    const grzModel* model;
    ModelPlace place;
    grzVec3d base;
    grzTransform shapePose; // at the origin
    ConvexCore core;
    double margin;
    double size; // of the smaller of the two, roughly: what lengths of contacts are measured by
} ShapeView;

// Checks the query, and refuses as graze/model_shape.h says.
grzResult grzShapeView_Set(ShapeView* view, const grzModelShape* query);

// From the first triangle; `reach` is from the shape's surface, and may be infinite.
void grzShapeView_BeginWalk(const ShapeView* view, double reach, ShapeWalk* walk);

// The walk's limit for a reach.
double grzShapeView_Limit(const ShapeView* view, double reach);

// A triangle of the tree with its features, as graze/model_shape.h says; without neighbours.
void grzShapeView_GetTriangle(const ShapeView* view, uint32_t place, grzMeshTriangle* triangle);

// One corner of it.
static inline grzVec3 grzShapeView_Corner(const ShapeView* view, uint32_t place, uint32_t corner) {
    const grzVec3d v = grzModel_Corner(view->model, place, corner), *c = view->place.columns;
    const grzVec3d xy = grzVec3d_Add(grzVec3d_Scale(c[0], v.x), grzVec3d_Scale(c[1], v.y));
    return grzVec3d_ToVec3(grzVec3d_Add(xy, grzVec3d_Add(grzVec3d_Scale(c[2], v.z), view->place.origin)));
}

static inline void grzShapeView_GetCorners(const ShapeView* view, uint32_t place, grzVec3d at[3]) {
    for (uint32_t k = 0; k < 3; ++k)
        at[k] = grzVec3d_FromVec3(grzShapeView_Corner(view, place, k));
}

// -------------------------------------------------------------------------------------------- one triangle by itself

// The distance of a triangle from the shape's surface. Nothing but isNear is set where it is false.
typedef struct ShapeMeasure {
    bool isNear;         // within the reach, as far as can be told
    bool isCertain;      // and certainly so
    double lower, upper; // 0 where they may touch
} ShapeMeasure;

ShapeMeasure grzShapeView_Measure(const ShapeView* view, uint32_t place, double reach);

// Whether it is certainly farther than the reach from the shape's surface, as far as two cheap tests tell.
bool grzShapeView_IsBeside(const ShapeView* view, const grzVec3d at[3], double reach);

#endif
