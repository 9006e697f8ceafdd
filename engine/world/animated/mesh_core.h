// The core of a mesh: a few spheres and capsules that lie inside its solid.
//
//     .----------------------------.       ring, from above:    .-o--o-.
//     | (=====)  (=====)  (=====)  |                            o      o   o  centres, joined to capsules
//     '----------------------------'                            '-o--o-'
//
// Guarantee: each piece lies inside the solid. Its radius is its distance to the surface, rounded down
//   (graze/model_distance.h, graze/model_shape.h). The first triangle on a ray out of each ball is seen from behind.
//   A mesh that is too thin for such balls has pieces on its surface, of its own thickness.
// Not guaranteed: that pieces fill the solid. What is narrower than the gaps between them may pass there. Measured
//   gaps: none around rings with a tube above 1/25 of their radius, 36 % of the width of a square plate, 60 % of the
//   width of a cup of five plates. Sharp tips, and parts thinner than a sixteenth of the thickest, have no pieces.
// Idea: balls touch the surface from inside at 256 samples, and shrink until the surface is nowhere in them [Ma, Bae,
//   Choi, 3D medial axis point approximation using nearest neighbors and the normal field, The Visual Computer 2012].
//   We differ: distances are to triangles, not to samples. Large balls are chosen one after the other, each far from
//   those before it. A ball is joined to balls before it by capsules, unless a third one lies between them.
// Cost: at creation, ten searches for the nearest triangle for each sample at most: 0.3 ms for a box, 2 ms for rings of
//   1,000 triangles, 10 ms for those of 16,000. 48 bytes a piece, 96 pieces at most. The same bytes on every machine.
#ifndef GRAZE_WORLD_MESH_CORE_H
#define GRAZE_WORLD_MESH_CORE_H

#include "array.h"
#include "graze/convex.h"
#include "graze/mesh.h"
#include "graze/model.h"

typedef struct grzMeshCore {
    GRZ_ARRAY(grzConvex); // spheres and capsules, in the mesh's frame
    float thickness;      // no radius is smaller
} grzMeshCore;

// A closed mesh with a volume.
typedef struct grzMeshCoreDef {
    const grzModel* model;
    const float* positions; // of its vertices, as the model has them
    const grzMeshView* view;
    float thickness; // of the solid: the core has none above it
} grzMeshCoreDef;

// Makes the core. Returns grz_outOfMemory; the core is empty then. A mesh beyond the coordinates that searches take has
// an empty core, too.
grzResult grzMeshCore_Make(const grzMeshCoreDef* def, const grzAllocator* allocator, grzMeshCore* core);

#endif
