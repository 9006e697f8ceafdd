// A surface: the triangles of a body, as all queries read them, whether the body is a mesh, animated, or cloth.
//
//   body            hierarchy               positions
//   rigid mesh      the shape's model       the shape's, at both ends of a step
//   animated mesh   its upkeep's, by chunk  of the plan, by page (animated_pages.c)
//   cloth           the cloth's, by chunk   the view's; a surface of cloth has no start
//
// Convex shapes and meshes beside it (mesh_touch.c), cloth (cloth_mesh.c), rays, boxes and views (world_query.c) read it and nothing
// else of the body. Owner: the body; a surface is a view, good until the body moves. Threads: any number may read; what is made
// where it is read is the same, whoever reads it first.
#ifndef GRAZE_WORLD_SURFACE_H
#define GRAZE_WORLD_SURFACE_H

#include "collider.h"
#include "graze/model.h"
#include "graze/model_contact.h"
#include "graze/model_distance.h"

typedef struct grzSurface {
    const grzModel* model;      // levels and leaves, at the end of the step
    const grzModelEdges* edges; // what lies across the edges of the mesh; NULL: of cloth, beside which no shape is
    const grzMeshView* mesh;
    const float *starts,
        *ends; // positions, in the mesh's numbers: of triangles that were reached; equal where nothing moves
    const grzAnimatedBody* pages; // who makes the positions that are read; NULL: all are there
    grzTransform pose;            // of model and positions
    float thickness; // how far something may sink in and still be led out on the side it came from; 0: unknown
    bool isTwoSided;
} grzSurface;

// Of a rigid or an animated mesh.
grzSurface grzCollider_GetSurface(const grzCollider* collider);

// The corners of a triangle in the world, at the end of the step and at its start.
void grzSurface_GetEnds(const grzSurface* surface, uint32_t triangle, grzVec3 corners[3]);
void grzSurface_GetStarts(const grzSurface* surface, uint32_t triangle, grzVec3 corners[3]);

// The point of the surface, at the end of the step, that is nearest to a point of the world. Fails as grzModel_ClosestPoints does for
// a query of one point.
grzResult grzSurface_FindClosest(const grzSurface* surface, grzVec3 point, grzModelPoint* found);

// ---- for those who fill one ----

// A chunk of a hierarchy over a mesh at positions: its box as a lane of nodes (grzModelSource), and its triangles.
void grzSurface_BoxChunk(const grzBvhView* tree, const float* positions, uint32_t chunk, grzBvhNode* nodes);
void grzSurface_CopyChunk(const grzBvhView* tree, const float* positions, uint32_t chunk, grzModelChunk* to);

#endif
