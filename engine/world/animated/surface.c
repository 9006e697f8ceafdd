// What: surface.h.
#include "surface.h"

#include <float.h>
#include <string.h>

#include "animated_body.h"
#include "mesh_shape.h"

grzSurface grzCollider_GetSurface(const grzCollider* collider) {
    grzSurface surface;
    memset(&surface, 0, sizeof surface);
    surface.pose = collider->pose;
    surface.isTwoSided = collider->isTwoSided;
    if (collider->kind == grz_animatedCollider) {
        const grzAnimatedShape shape = grzAnimatedBody_GetShape(collider->animated);
        surface.model = grzAnimatedBody_GetModel(collider->animated);
        surface.edges = grzAnimatedBody_GetEdges(collider->animated);
        surface.mesh = grzAnimatedBody_GetMesh(collider->animated);
        surface.starts = shape.previous, surface.ends = shape.positions;
        surface.pages = collider->animated;
        return surface;
    }
    surface.model = collider->mesh->model;
    surface.edges = collider->mesh->edges;
    surface.mesh = &collider->mesh->view;
    surface.starts = surface.ends = collider->mesh->positions;
    surface.thickness = collider->mesh->thickness;
    return surface;
}

static void getCorners(const grzSurface* surface, const float* positions, uint32_t triangle, grzVec3 corners[3]) {
    if (surface->pages != NULL)
        grzAnimatedBody_ReachTriangle(surface->pages, triangle);
    for (size_t k = 0; k < 3; ++k) {
        const uint32_t vertex = surface->mesh->triangles[3 * (size_t)triangle + k];
        const grzVec3 position = grzVec3_Load(positions + 3 * (size_t)vertex);
        corners[k] = surface->pages != NULL ? position : grzTransform_Apply(surface->pose, position);
    }
}

void grzSurface_GetEnds(const grzSurface* surface, uint32_t triangle, grzVec3 corners[3]) {
    getCorners(surface, surface->ends, triangle, corners);
}

void grzSurface_GetStarts(const grzSurface* surface, uint32_t triangle, grzVec3 corners[3]) {
    getCorners(surface, surface->starts, triangle, corners);
}

grzResult grzSurface_FindClosest(const grzSurface* surface, grzVec3 point, grzModelPoint* found) {
    const float coordinates[3] = {point.x, point.y, point.z};
    grzModelPointsQuery query = grzDefaultModelPointsQuery();
    query.model = surface->model;
    query.pose = surface->pose;
    query.points = coordinates;
    query.count = 1;
    return grzModel_ClosestPoints(NULL, &query, found);
}

// ---- chunks ----

static uint32_t chunkEnd(const grzBvhView* tree, uint32_t chunk) {
    const uint32_t end = (chunk + 1) * GRZ_BVH_CHUNK_TRIANGLES;
    return end < tree->triangleCount ? end : tree->triangleCount;
}

static const float* cornerOf(const grzBvhView* tree, const float* positions, size_t corner) {
    return positions + 3 * (size_t)tree->vertexToCaller[tree->triangles[corner]];
}

void grzSurface_BoxChunk(const grzBvhView* tree, const float* positions, uint32_t chunk, grzBvhNode* nodes) {
    const size_t first = 3 * (size_t)chunk * GRZ_BVH_CHUNK_TRIANGLES, end = 3 * (size_t)chunkEnd(tree, chunk);
    grzBvhNode* node = &nodes[chunk / GRZ_BVH_WIDTH];
    grzVec3 lower = grzVec3_Splat(FLT_MAX), upper = grzVec3_Splat(-FLT_MAX);
    for (size_t i = first; i < end; ++i) {
        const grzVec3 at = grzVec3_Load(cornerOf(tree, positions, i));
        lower = grzMin(lower, at);
        upper = grzMax(upper, at);
    }
    for (int axis = 0; axis < 3; ++axis) {
        node->lower[axis][chunk % GRZ_BVH_WIDTH] = grzVec3_Get(lower, axis);
        node->upper[axis][chunk % GRZ_BVH_WIDTH] = grzVec3_Get(upper, axis);
    }
}

void grzSurface_CopyChunk(const grzBvhView* tree, const float* positions, uint32_t chunk, grzModelChunk* to) {
    const uint32_t first = chunk * GRZ_BVH_CHUNK_TRIANGLES, end = chunkEnd(tree, chunk);
    for (uint32_t i = first; i < end; ++i) {
        float* corners = to->corners + 9 * (size_t)(i - first);
        to->ids[i - first] = tree->triangleToCaller[i];
        for (size_t k = 0; k < 3; ++k)
            memcpy(corners + 3 * k, cornerOf(tree, positions, 3 * (size_t)i + k), 3 * sizeof *corners);
    }
}
