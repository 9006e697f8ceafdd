// What: a mesh and a half-space: the deepest vertex, and the triangles that reach into it.
// Promise: as graze/model_shape.h says.
// Idea: the plane is brought into the model's frame: dot(n, M v + p) <= d becomes dot(M^T n, v) <= d - dot(n, p), which
//   needs no inverse. What is rounded is below 2^-49 of the sizes of all terms; `error` is twice that, so that a vertex
//   that is higher is certainly out, and one that is lower by as much certainly in.
#include <math.h>
#include <string.h>

#include "graze/model_shape.h"
#include "memory.h"
#include "model_chunks.h"
#include "model_place.h"
#include "model_plane_kernel.h"
#include "model_triangles.h"

#define PLANE_MARK 0x4D506C59u

grzModelPlane grzDefaultModelPlane(void) {
    grzModelPlane query;
    memset(&query, 0, sizeof query);
    query.mark = PLANE_MARK;
    query.pose = grzTransform_Identity();
    return query;
}

static grzResult checkQuery(const grzModelPlane* query) {
    if (query == NULL || query->mark != PLANE_MARK)
        return grzFail(grz_badDef, 0);
    if (query->model == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "model is NULL");
    if (query->model->bvh == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "model is of a source without bvh");
    grzModel_MakeAll(query->model);
    const bool isFinite = grzTransform_IsFinite(query->pose) && grzVec3_IsFinite(query->halfSpace.normal) &&
                          isfinite(query->halfSpace.offset);
    return isFinite ? grzOk() : grzFail(grz_notFinite, 1);
}

typedef struct PlaneView {
    ModelPlace place;
    double offset, error; // of heights in the model's frame
    PlaneWalk walk;
} PlaneView;

static double sizeOfDot(grzVec3d a, grzVec3d b) {
    return fabs(a.x * b.x) + fabs(a.y * b.y) + fabs(a.z * b.z);
}

static void setError(PlaneView* view, const grzModel* model, grzVec3d normal, double offset) {
    const ModelPlace* place = &view->place;
    double sum = fabs(offset) + sizeOfDot(normal, place->origin);
    if (model->leafCount != 0) {
        const grzVec3d far = grzVec3d_FromVec3(grzMax(grzAbs(model->box.lower), grzAbs(model->box.upper)));
        sum += sizeOfDot(normal, place->columns[0]) * far.x + sizeOfDot(normal, place->columns[1]) * far.y +
               sizeOfDot(normal, place->columns[2]) * far.z;
    }
    view->error = 0x1p-48 * sum;
}

static grzResult setView(PlaneView* view, const grzModelPlane* query) {
    const grzResult result = checkQuery(query);
    if (!grzResult_IsOk(result))
        return result;
    const grzVec3d normal = grzVec3d_FromVec3(query->halfSpace.normal);
    const double offset = (double)query->halfSpace.offset;
    grzModelPlace_Set(&view->place, query->pose);
    for (int k = 0; k < 3; ++k)
        view->walk.normal[k] = grzVec3d_Dot(normal, view->place.columns[k]);
    view->offset = offset - grzVec3d_Dot(normal, view->place.origin);
    setError(view, query->model, normal, offset);
    view->walk.model = query->model;
    view->walk.enough = 1;
    view->walk.limit = (double)INFINITY;
    grzWalkStack_Begin(&view->walk.stack, query->model, -(double)INFINITY);
    return result;
}

// ---------------------------------------------------------------------------------------------------------- deepest

typedef struct Deepest {
    double height;
    uint32_t vertex;
    grzVec3d at; // in the model's frame
} Deepest;

static void tryCorners(PlaneView* view, const grzBvhView* tree, uint32_t place, Deepest* best) {
    for (uint32_t k = 0; k < 3; ++k) {
        const grzVec3d at = grzModel_Corner(view->walk.model, place, k);
        const double height = grzPlaneWalk_Height(&view->walk, at.x, at.y, at.z);
        const uint32_t vertex = tree->vertexToCaller[tree->triangles[3 * (size_t)place + k]];
        if (height < best->height || (height == best->height && vertex < best->vertex))
            *best = (Deepest){height, vertex, at};
    }
}

static Deepest findDeepest(PlaneView* view) {
    const grzBvhView tree = grzBvh_GetView(view->walk.model->bvh);
    Deepest best = {(double)INFINITY, UINT32_MAX, {0, 0, 0}};
    for (;;) {
        GRZ_PICK_KERNEL(grzModelPlaneWalk)(&view->walk);
        if (view->walk.count == 0)
            return best;
        for (uint32_t i = 0; i < view->walk.count; ++i)
            tryCorners(view, &tree, view->walk.triangles[i], &best);
        view->walk.limit = best.height;
    }
}

grzResult grzModel_PlaneDepth(const grzModelPlane* query, grzModelDepth* depth) {
    PlaneView view;
    memset(depth, 0, sizeof *depth);
    depth->vertex = UINT32_MAX;
    const grzResult result = setView(&view, query);
    if (!grzResult_IsOk(result) || query->model->leafCount == 0)
        return result;
    const Deepest best = findDeepest(&view);
    const double length = grzVec3d_Length(grzVec3d_FromVec3(query->halfSpace.normal));
    const double above = best.height - view.offset;
    depth->isTouching = above <= view.error;
    depth->vertex = best.vertex;
    depth->point = grzVec3d_ToVec3(grzVec3d_Add(grzModelPlace_Turn(&view.place, best.at), view.place.origin));
    depth->separation = length > 0 ? (float)(above / length) : 0;
    const bool isCertain = fabs(above) > view.error || length == 0;
    depth->certainty = isCertain ? grz_exact : grz_conservative;
    depth->measure = isCertain ? 0 : grzRoundUp((above + 2 * view.error) / length);
    return result;
}

// ------------------------------------------------------------------------------------------------------------ lists

grzResult grzPlaneTriangles_Run(const void* queries, uint32_t index, BatchBlock* block,
                                const grzAllocator* allocator) {
    PlaneView view;
    const size_t first = block->answers.count;
    const grzResult result = setView(&view, (const grzModelPlane*)queries + index);
    if (!grzResult_IsOk(result))
        return result;
    view.walk.limit = view.offset + view.error;
    view.walk.enough = 64;
    for (;;) {
        GRZ_PICK_KERNEL(grzModelPlaneWalk)(&view.walk);
        if (view.walk.count == 0)
            return grzModelTriangles_Sort(block, first, allocator);
        uint32_t* room = grzBatchBlock_Append(block, view.walk.count, sizeof *room, allocator);
        if (room == NULL)
            return grzNoMemory(view.walk.count, sizeof *room);
        for (uint32_t i = 0; i < view.walk.count; ++i)
            room[i] = grzModel_TriangleId(view.walk.model, view.walk.triangles[i]);
    }
}
