// What: binds a model to a mesh, and makes triangles that know their neighbours.
// Promise: neighbours' normals are made of the model's own positions, as they are now; of an edge with one triangle, or
//   with more than two, there is none, so that nothing is taken for a ghost there.
#include "model_edges.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "model_chunks.h"
#include "owner.h"
#include "refuse_null.h"

static grzResult checkTriangles(const grzModel* model, const grzMeshView* mesh) {
    if (model->bvh == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "the model is of a source without bvh");
    const grzBvhView tree = grzBvh_GetView(model->bvh);
    // A tree may have vertices behind those of the mesh, without triangles.
    if (tree.triangleCount != mesh->triangleCount || tree.vertexCount < mesh->vertexCount)
        return grzBecause(grzFail(grz_badArgument, 2), "the mesh has other counts than the model");
    uint64_t first = UINT64_MAX;
    for (uint32_t place = 0; place < tree.triangleCount; ++place) {
        const uint32_t id = tree.triangleToCaller[place];
        bool isSame = true;
        for (uint32_t k = 0; k < 3; ++k)
            isSame &=
                tree.vertexToCaller[tree.triangles[3 * (size_t)place + k]] == mesh->triangles[3 * (size_t)id + k];
        if (!isSame && id < first)
            first = id;
    }
    if (first == UINT64_MAX)
        return grzOk();
    return grzBecause(grzFailAt(grz_badArgument, grz_partTriangle, first, 2), "it is not the model's");
}

// Whether the neighbour runs along the edge in the same direction: then its normal points to the other side.
static bool runsAlong(const uint32_t* corners, uint32_t from, uint32_t to) {
    for (uint32_t k = 0; k < 3; ++k)
        if (corners[k] == from && corners[k == 2 ? 0 : k + 1] == to)
            return true;
    return false;
}

// Whether each edge has two triangles that run along it in opposite directions.
static bool isClosed(const grzMeshView* mesh) {
    for (uint32_t edge = 0; edge < mesh->edgeCount; ++edge) {
        const uint32_t* of = mesh->edgeTriangles + mesh->edgeTriangleStarts[edge];
        const uint32_t a = mesh->edges[edge].a, b = mesh->edges[edge].b;
        if (mesh->edgeTriangleStarts[edge + 1] - mesh->edgeTriangleStarts[edge] != 2 ||
            runsAlong(mesh->triangles + 3 * (size_t)of[0], a, b) ==
                runsAlong(mesh->triangles + 3 * (size_t)of[1], a, b))
            return false;
    }
    return mesh->edgeCount != 0;
}

// Whether a closed mesh has a volume above 0, by more than rounding may make of a flat one.
static bool isTurnedOut(const grzModelEdges* edges) {
    const grzModel* model = edges->model;
    double volume = 0, size = 0;
    grzVec3d base = {0, 0, 0};
    for (uint32_t place = 0; place < edges->mesh.triangleCount; ++place) {
        grzVec3d at[3];
        grzModel_MakeTriangle(model, place);
        for (uint32_t k = 0; k < 3; ++k)
            at[k] = grzModel_Corner(model, place, k);
        base = place == 0 ? at[0] : base;
        const grzVec3d a = grzVec3d_Sub(at[0], base);
        const double part = grzVec3d_Dot(a, grzVec3d_Cross(grzVec3d_Sub(at[1], base), grzVec3d_Sub(at[2], base)));
        volume += part, size += fabs(part);
    }
    return volume > 1e-6 * size;
}

grzResult grzModelEdges_Create(const grzModel* model, const grzMeshView* mesh, grzAllocator allocator,
                               grzModelEdges** made) {
    GRZ_REFUSE_NULL(made, 4);
    *made = NULL;
    if (model == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "model is NULL");
    if (mesh == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "mesh is NULL");
    grzResult result = checkTriangles(model, mesh);
    if (!grzResult_IsOk(result))
        return result;
    grzModelEdges* edges = grzOwner_New(&allocator, 3, sizeof *edges, _Alignof(grzModelEdges), &result);
    if (edges == NULL)
        return result;
    *edges = (grzModelEdges){allocator, model, *mesh, NULL, false};
    edges->places = grzAllocate(&allocator, mesh->triangleCount, sizeof *edges->places, GRZ_BVH_ALIGNMENT);
    if (edges->places == NULL && mesh->triangleCount != 0) {
        grzModelEdges_Destroy(edges);
        return grzNoMemory(mesh->triangleCount, sizeof *edges->places);
    }
    grzModelEdges_Update(edges);
    edges->isSolid = isClosed(mesh) && isTurnedOut(edges);
    *made = edges;
    return grzOk();
}

void grzModelEdges_Destroy(grzModelEdges* edges) {
    if (edges == NULL)
        return;
    const grzAllocator allocator = edges->allocator;
    grzRelease(&allocator, edges->places, edges->mesh.triangleCount, sizeof *edges->places, GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, edges, 1, sizeof *edges, _Alignof(grzModelEdges));
}

void grzModelEdges_Update(grzModelEdges* edges) {
    GRZ_RETURN_IF_NULL(edges, );
    const grzBvhView tree = grzBvh_GetView(edges->model->bvh);
    for (uint32_t place = 0; place < tree.triangleCount; ++place)
        edges->places[tree.triangleToCaller[place]] = place;
}

// -------------------------------------------------------------------------------------------------------- triangles

void grzEdgesView_GetCorners(const EdgesView* edges, uint32_t triangle, grzVec3d at[3]) {
    const uint32_t place = edges->places[triangle];
    grzModel_MakeTriangle(edges->view->model, place);
    grzShapeView_GetCorners(edges->view, place, at);
}

static grzVec3 normalAcross(const EdgesView* edges, uint32_t id, uint32_t k) {
    const grzMeshView* mesh = edges->mesh;
    const uint32_t edge = mesh->triangleEdges[3 * (size_t)id + k];
    if (edge == GRZ_MESH_NONE || mesh->edgeTriangleStarts[edge + 1] - mesh->edgeTriangleStarts[edge] != 2)
        return grzVec3_Zero();
    const uint32_t other = mesh->triangleNeighbours[3 * (size_t)id + k];
    grzVec3d at[3];
    grzEdgesView_GetCorners(edges, other, at);
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
    const double length = grzVec3d_Length(n);
    if (!(length > 0))
        return grzVec3_Zero();
    const uint32_t* corners = &mesh->triangles[3 * (size_t)id];
    const bool isTurned = runsAlong(&mesh->triangles[3 * (size_t)other], corners[k], corners[k == 2 ? 0 : k + 1]);
    return grzVec3d_ToVec3(grzVec3d_Scale(n, (isTurned ? -1 : 1) / length));
}

// Where both ends of an edge are one vertex, there is none: then it is another edge of the triangle's.
static uint32_t edgeOf(const grzMeshView* mesh, uint32_t id, uint32_t k) {
    const uint32_t* edges = &mesh->triangleEdges[3 * (size_t)id];
    for (uint32_t i = 0; i < 3; ++i)
        if (edges[(k + i) % 3] != GRZ_MESH_NONE)
            return edges[(k + i) % 3];
    return 0;
}

void grzEdgesView_GetTriangle(const EdgesView* edges, uint32_t triangle, const grzVec3d at[3],
                              grzMeshTriangle* made) {
    for (uint32_t k = 0; k < 3; ++k) {
        made->vertices[k] = grzVec3d_ToVec3(at[k]);
        made->neighborNormals[k] = normalAcross(edges, triangle, k);
        made->edgeFeatures[k] = edgeOf(edges->mesh, triangle, k);
        made->vertexFeatures[k] = edges->mesh->triangles[3 * (size_t)triangle + k];
    }
    made->face = triangle;
    made->isTwoSided = false;
}
