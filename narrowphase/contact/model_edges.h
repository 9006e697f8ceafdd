// What: a model bound to its mesh: where each of the mesh's triangles stands in the tree, and what lies across its edges.
#ifndef GRAZE_NARROWPHASE_MODEL_EDGES_H
#define GRAZE_NARROWPHASE_MODEL_EDGES_H

#include "graze/model_contact.h"
#include "model_shape_walk.h"

struct grzModelEdges {
    grzAllocator allocator;
    const grzModel* model;
    grzMeshView mesh;
    uint32_t* places; // in the tree, by the mesh's triangle
    bool isSolid;     // the triangles enclose what is behind them
};

// A mesh as a shape beside it sees it.
typedef struct EdgesView {
    const ShapeView* view;
    const grzMeshView* mesh;
    const uint32_t* places; // in the tree, by the mesh's triangle
} EdgesView;

// Of a triangle of the mesh, relative to the shape.
void grzEdgesView_GetCorners(const EdgesView* edges, uint32_t triangle, grzVec3d at[3]);

// The same with its neighbours and the mesh's features; `at` are its corners.
void grzEdgesView_GetTriangle(const EdgesView* edges, uint32_t triangle, const grzVec3d at[3],
                              grzMeshTriangle* made);

#endif
