// What: a mesh made ready to collide: positions in floats, hierarchy, edges, mass, core.
// Promise: mass is right to some 1e-12 of its largest term, for the positions as rounded to floats.
// Holds: a mass that is not zeros has a volume above 0. It is zeros where an edge has not exactly two triangles that run along it
//   in opposite directions (isClosed is false then), and where the mesh is inside out, or flat (isClosed is true).
#include "mesh_shape.h"
#include "mesh_uses.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "solid_moments.h"

static grzResult checkPositions(const grzMeshShape* shape) {
    for (uint32_t i = 0; i < shape->view.vertexCount; ++i) {
        const float* p = shape->positions + 3 * (size_t)shape->view.vertexFromCaller[i];
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, i, 1),
                              "a vertex of the mesh is beyond the range of float");
    }
    return grzOk();
}

static grzResult makeModel(grzMeshShape* shape) {
    grzModelDef def = grzDefaultModelDef();
    def.positions = shape->positions, def.vertexCount = shape->view.vertexCount;
    def.triangles = shape->view.triangles, def.triangleCount = shape->view.triangleCount;
    def.allocator = shape->allocator;
    grzResult result = grzModel_Create(&def, &shape->model);
    if (grzResult_IsOk(result))
        result = grzModelEdges_Create(shape->model, &shape->view, shape->allocator, &shape->edges);
    return result;
}

static grzVec3d cornerOf(const grzMeshShape* shape, size_t corner, grzVec3d base) {
    const grzVec3 p = grzVec3_Load(shape->positions + 3 * (size_t)shape->view.triangles[corner]);
    return grzVec3d_Sub(grzVec3d_FromVec3(p), base);
}

static double areaOf(const grzMeshShape* shape, grzVec3d base) {
    double twice = 0;
    for (size_t i = 0; i < shape->view.triangleCount; ++i) {
        const grzVec3d at = cornerOf(shape, 3 * i, base);
        twice += grzVec3d_Length(grzVec3d_Cross(grzVec3d_Sub(cornerOf(shape, 3 * i + 1, base), at),
                                                grzVec3d_Sub(cornerOf(shape, 3 * i + 2, base), at)));
    }
    return twice / 2;
}

static void setMass(grzMeshShape* shape) {
    const grzVec3d base =
        grzVec3d_Lerp(grzVec3d_FromVec3(shape->box.lower), grzVec3d_FromVec3(shape->box.upper), 0.5);
    SolidMoments sum = {0};
    for (size_t i = 0; i < shape->view.triangleCount; ++i)
        grzSolidMoments_Add(&sum, cornerOf(shape, 3 * i, base), cornerOf(shape, 3 * i + 1, base),
                            cornerOf(shape, 3 * i + 2, base));
    if (!(sum.volume > 0))
        return;
    shape->mass = grzSolidMoments_ToMass(&sum, base);
    const grzVec3 extent = grzBox_Extent(shape->box);
    const float side = 0.5f * fminf(fminf(extent.x, extent.y), extent.z);
    shape->thickness = fminf(side, (float)(2 * shape->mass.volume / areaOf(shape, base)));
}

static grzResult setCore(grzMeshShape* shape) {
    const grzMeshCoreDef def = {shape->model, shape->positions, &shape->view, shape->thickness};
    return shape->mass.volume > 0 ? grzMeshCore_Make(&def, &shape->allocator, &shape->core) : grzOk();
}

grzResult grzMesh_WarnIfInsideOut(const grzMesh* mesh) {
    grzMeshWinding winding;
    const grzResult result = grzMesh_MeasureWinding(mesh, grzVec3_Make(0, 1, 0), &winding);
    if (winding.insideOutCount != 0)
        grzLog(grz_logWarning,
               "%u closed components of a mesh are inside out (the first at triangle %u), so that bodies pass "
               "through them "
               "from outside: swap two corners of each triangle, or set isTwoSided",
               winding.insideOutCount, winding.firstInsideOut);
    return result;
}

static grzResult fill(grzMeshShape* shape, const grzMesh* mesh) {
    const size_t count = 3 * (size_t)shape->view.vertexCount;
    shape->positions = grzAllocate(&shape->allocator, count, sizeof *shape->positions, 64);
    if (shape->positions == NULL)
        return grzNoMemory(count, sizeof *shape->positions);
    (void)grzMesh_RoundPositions(mesh, shape->positions);
    grzResult result = checkPositions(shape);
    if (grzResult_IsOk(result))
        result = makeModel(shape);
    if (!grzResult_IsOk(result))
        return result;
    result = grzMesh_WarnIfInsideOut(mesh);
    if (!grzResult_IsOk(result))
        return result;
    const grzMeshReport report = grzMesh_GetReport(mesh);
    shape->box = grzModel_GetView(shape->model).box;
    shape->isClosed = report.isClosed && report.inconsistentEdgeCount == 0;
    if (shape->isClosed)
        setMass(shape);
    return setCore(shape);
}

grzResult grzMeshShape_Create(const grzMesh* mesh, grzAllocator allocator, grzMeshShape** made) {
    GRZ_REFUSE_NULL(made, 3);
    *made = NULL;
    if (mesh == NULL || grzMesh_GetView(mesh).triangleCount == 0)
        return grzBecause(grzFail(grz_badArgument, 1), mesh == NULL ? "mesh is NULL" : "the mesh has no triangles");
    grzResult result;
    grzMeshShape* shape = grzOwner_New(&allocator, 2, sizeof *shape, _Alignof(grzMeshShape), &result);
    if (shape == NULL)
        return result;
    shape->allocator = allocator;
    shape->mesh = mesh;
    shape->uses = &shape->ownUses;
    shape->view = grzMesh_GetView(mesh);
    grzUses_Begin(grzMesh_Uses(mesh));
    result = fill(shape, mesh);
    if (grzResult_IsOk(result))
        *made = shape;
    else
        grzMeshShape_Destroy(shape);
    return result;
}

void grzMeshShape_Destroy(grzMeshShape* shape) {
    if (shape == NULL || !grzUses_AreOver(shape->uses, "mesh shape", "bodies"))
        return;
    const grzAllocator allocator = shape->allocator;
    grzUses_End(grzMesh_Uses(shape->mesh));
    grzModelEdges_Destroy(shape->edges);
    grzModel_Destroy(shape->model);
    grzArray_Release(&shape->core, &allocator);
    grzRelease(&allocator, shape->positions, 3 * (size_t)shape->view.vertexCount, sizeof *shape->positions, 64);
    grzRelease(&allocator, shape, 1, sizeof *shape, _Alignof(grzMeshShape));
}

grzMass grzMeshShape_Mass(const grzMeshShape* shape) {
    GRZ_RETURN_IF_NULL(shape, (grzMass){0});
    return shape->mass;
}
