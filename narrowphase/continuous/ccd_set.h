// What: all features of one kind of a mesh, as a hierarchy and its tiles (ccd_tile.h), brought up to date step by step.
#ifndef GRAZE_NARROWPHASE_CCD_SET_H
#define GRAZE_NARROWPHASE_CCD_SET_H

#include "ccd_block.h"
#include "ccd_tile.h"

// Numbers of vertices of a mesh, three a feature; the first of a set of vertices is also its own.
typedef struct CcdSet {
    grzFeatureKind kind;
    uint32_t vertexCount, firstRow; // of the mesh
    uint32_t* corners;
    uint32_t count, tileCount;
    // From the first step on:
    grzBvh* bvh;
    grzBvhNode* nodes;
    CcdTile* tiles;
    CcdTileDoubles* doubles; // NULL for floats
} CcdSet;

// Features of a mesh: vertices that have a triangle, all edges, all triangles. `set` is zeros, but for the kind and firstRow.
grzResult grzCcdSet_Make(CcdSet* set, const grzMesh* mesh, const grzAllocator* allocator);
void grzCcdSet_Release(CcdSet* set, const grzAllocator* allocator);

// Orders the features as they lie at the start of the step. What is refused (grz_outOfMemory) leaves the set as it was.
grzResult grzCcdSet_Order(CcdSet* set, const CcdRows* rows, grzTasks* tasks, const grzAllocator* allocator);

// Boxes of all nodes and tiles. The set was ordered.
void grzCcdSet_Fit(CcdSet* set, const CcdRows* rows, grzTasks* tasks);

#endif
