// What: a model bound to its mesh: where each of the mesh's triangles stands in the tree, and what lies across its edges.
#ifndef GRAZE_NARROWPHASE_MODEL_SURFACE_H
#define GRAZE_NARROWPHASE_MODEL_SURFACE_H

#include "graze/model_contact.h"
#include "model_shape_walk.h"

struct grzModelSurface {
    grzAllocator allocator;
    const grzModel* model;
    grzMeshView mesh;
    uint32_t* places; // in the tree, by the mesh's triangle
};

// A triangle of the tree as the shape sees it, with its neighbours and the mesh's features.
void grzModelSurface_GetTriangle(const grzModelSurface* surface, const ShapeView* view, uint32_t place,
                                 grzMeshTriangle* triangle);

#endif
