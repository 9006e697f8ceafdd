// A figure that walks: a mesh of six ellipsoids (trunk, head, arms, legs) whose limbs swing, for scenes without a file of
// their own. One unit high, its feet in y = 0, looking along x.
#ifndef GRAZE_APP_WALKER_H
#define GRAZE_APP_WALKER_H

#include "mesh_data.h"

// About so many triangles. grz_outOfMemory, grz_tooLarge.
grzResult makeWalker(size_t triangles, grzAllocator allocator, MeshData* figure);

// Where the vertices of the figure are when it has walked for some strides (two steps each), without going anywhere.
void poseWalker(const MeshData* figure, double strides, float* positions);

#endif
