// A mesh made ready to collide (graze/body.h), as the stages see it.
#ifndef GRAZE_WORLD_MESH_SHAPE_H
#define GRAZE_WORLD_MESH_SHAPE_H

#include "graze/body.h"
#include "graze/model.h"
#include "graze/model_contact.h"
#include "mesh_core.h"
#include "uses.h"

struct grzMeshShape {
    grzAllocator allocator;
    const grzMesh* mesh;    // the host's
    grzUses ownUses, *uses; // by bodies; uses: of a shape that is const to those who count
    grzMeshView view;       // of the mesh
    float* positions;       // three a vertex, rounded to floats, in the shape's frame
    grzModel* model;        // over them, in the mesh's numbers
    grzModelEdges* edges;
    grzMass mass; // of density 1; zeros where the mesh is not closed
    grzBox box;   // in the shape's frame
    // half the narrowest side of the box, but twice the volume by the area at most; 0 where there is no volume
    float thickness;
    grzMeshCore core; // empty where there is no volume
    bool isClosed;
};

// What is wound the wrong way holds nothing, which is hard to see from outside.
grzResult grzMesh_WarnIfInsideOut(const grzMesh* mesh);

#endif
