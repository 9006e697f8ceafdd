// Contacts of pairs of bodies of which at least one is a mesh, rigid or animated by the host: all such pairs of a step at once.
//
//   pair                       found by
//   convex shape, rigid mesh   the triangles near it and their manifolds (graze/model_contact.h), separations up to the margin
//   convex shape, animated     the same of triangles that the mesh's own hierarchy finds (graze/upkeep.h)
//   mesh, mesh                 the triangles that meet (graze/model_pair.h) and their manifolds (graze/manifold.h): overlaps alone
//
// Rigid bodies are where their colliders say, at the start of the step; animated meshes where they are at its end.
//
// Owner: memory is kept from step to step, so that after warm-up nothing is allocated; the view lives until the next Find.
// Threads: one Find at a time; the same bytes for any number of workers.
#ifndef GRAZE_WORLD_MESH_TOUCH_H
#define GRAZE_WORLD_MESH_TOUCH_H

#include "collider.h"
#include "graze/tasks.h"

typedef struct grzMeshTouches grzMeshTouches;

// *touches is NULL where memory is refused.
grzResult grzMeshTouches_Create(grzAllocator allocator, grzMeshTouches** touches);
void grzMeshTouches_Destroy(grzMeshTouches* touches);

typedef struct grzMeshPair {
    uint32_t slotA, slotB; // slotA < slotB
    float margin;
    const grzContact* previous; // the last contacts of the two bodies, in order; may be NULL
    uint32_t previousCount;
} grzMeshPair;

typedef struct grzMeshTouchStep {
    const grzCollider* colliders; // one a slot
    uint32_t colliderCount;
    const grzMeshPair* pairs; // in the order of slots, for contacts to be in order over all pairs; none twice
    uint32_t pairCount;
    grzTasks* tasks;
} grzMeshTouchStep;

// Pairs of two convex shapes, of cloth, and of slots without a body have no contacts here. Fails by grz_outOfMemory, or where
// numbers leave what shapes and models can hold (grz_notFinite, grz_badArgument; part element, index: the pair): a body has
// flown off. The view is empty then.
grzResult grzMeshTouches_Find(grzMeshTouches* touches, const grzMeshTouchStep* step);

typedef struct grzMeshTouchView {
    const grzContact* contacts; // bodyA and bodyB are slots
    const size_t* starts;       // pairCount + 1: those of pair i are starts[i] .. starts[i + 1] - 1, ascending by key
    size_t pairCount;
    uint64_t shapeTests; // triangles that were tested against convex shapes
    uint64_t pairTests;  // triangles that were tested against triangles
} grzMeshTouchView;

grzMeshTouchView grzMeshTouches_GetView(const grzMeshTouches* touches);

size_t grzMeshTouches_MemorySize(const grzMeshTouches* touches);

#endif
