// Contacts of pairs of bodies of which at least one is a mesh, rigid or animated by the host: all such pairs of a step at once.
//
//   pair                       found by
//   convex shape, mesh         the triangles near it and their manifolds (graze/model_contact.h), separations up to the margin
//   mesh, mesh                 the triangles that are near each other (graze/model_pair.h; animated_pairs.h), and of these manifolds
//                              (graze/manifold.h): of those that meet, or where none does, of what is within the margin
//
// In two stages. FindCandidates, of the mid stage, finds which triangles of two meshes are near each other: nothing is computed of them
// there. FindContacts, of the narrow stage, makes contacts of them. The triangles of a mesh beside a shape are walked to and collided in one go there, since what a walk costs is a
// twentieth of that, and lists of them would be written and read for nothing.
//
// Two fast meshes are found and collided in one go in the narrow stage, too: the candidates of a piece of the step
// are needed for its contacts alone.
//
// Rigid bodies are where their colliders say, at the start of the step; animated meshes where they are at its end, but shapes beside
// those go along with them while contacts are looked for (grzMeshPair.carry).
//
// Owner: memory is kept from step to step, so that after warm-up nothing is allocated; views live until the next FindCandidates.
// Threads: one call at a time; the same bytes for any number of workers.
#ifndef GRAZE_WORLD_MESH_TOUCH_H
#define GRAZE_WORLD_MESH_TOUCH_H

#include "animated_pairs.h"
#include "collider.h"
#include "graze/stage/step.h"
#include "graze/tasks.h"

typedef struct grzMeshTouches grzMeshTouches;

// *touches is NULL where memory is refused.
grzResult grzMeshTouches_Create(grzAllocator allocator, grzMeshTouches** touches);
void grzMeshTouches_Destroy(grzMeshTouches* touches);

typedef struct grzMeshPair {
    uint32_t rowA, rowB; // of the two bodies, that of the lower slot first
    float margin;
    const grzContact* previous; // the last contacts of the two bodies, in order; may be NULL
    uint32_t previousCount;
    // Of a convex shape beside an animated mesh: how this goes there in the step. Contacts are looked for where the shape would be if it
    // went along, so that it is on the side where it starts; they are told of the shape where it is.
    grzVec3 carry;
    float slack; // of two meshes: of places within the margin, how far apart they may be (grzManifoldQuery)
    // Of two rigid meshes that move farther against each other in the step than they are thick (mesh_touch_fast.c): how far a point may
    // go before they are looked at again; what is nearer then counts. 0: they are slow.
    float stride;
    // Where the margin holds so many candidates that memory would be the worse loss, it shrinks, but not below this.
    float leastMargin;
} grzMeshPair;

typedef struct grzMeshTouchStep {
    const grzCollider* colliders; // one a row
    uint32_t colliderCount;
    const grzMeshPair* pairs; // in the order of slots, for contacts to be in order over all pairs; none twice
    uint32_t pairCount;
    grzTasks* tasks;
    grzProfile* profile; // NULL: none
    // Of fast pairs; by row.
    const grzBodyState* states;
    const grzBodyMass* masses;
    float timeStep;
} grzMeshTouchStep;

// Pairs of two convex shapes, of cloth, and of rows without a body have no contacts here. Fails by grz_outOfMemory, or where
// numbers leave what shapes and models can hold (grz_notFinite, grz_badArgument; part element, index: the pair): a body has
// flown off. There are no candidates then, and the view is empty.
grzResult grzMeshTouches_FindCandidates(grzMeshTouches* touches, const grzMeshTouchStep* step);

// In a step without pairs: those of animated meshes are over. Fails by grz_outOfMemory.
grzResult grzMeshTouches_FindNothing(grzMeshTouches* touches);

// Of the same step, after its candidates. Fails likewise.
grzResult grzMeshTouches_FindContacts(grzMeshTouches* touches, const grzMeshTouchStep* step);

// What the mid stage hands on of a pair of the step: of two meshes that are not fast, pairs of triangles; else nothing. Their bodyPair is the
// number of the pair. Those of grzAnimatedPairs have times (grzTrianglePair), and are sorted; of others times are 0, and they lie as they were met.
grzMeshCandidates grzMeshTouches_GetCandidates(const grzMeshTouches* touches, uint32_t pair);

// Of two bodies that the last step has searched by grzAnimatedPairs: until when no candidate begins or ends
// (grzAnimatedPairs_Horizon). False: they are no such pair.
bool grzMeshTouches_Horizon(const grzMeshTouches* touches, grzBodyId a, grzBodyId b, double* time);

typedef struct grzMeshTouchView {
    const size_t* starts; // pairCount + 1: pair i has starts[i + 1] - starts[i] contacts
    size_t pairCount;
    uint64_t shapeTests; // triangles that were tested against convex shapes
    uint64_t pairTests;  // candidates: pairs of triangles that were tested against each other
} grzMeshTouchView;

grzMeshTouchView grzMeshTouches_GetView(const grzMeshTouches* touches);

// The contacts of a pair of the step, ascending by key, to where the caller keeps them. After FindContacts.
void grzMeshTouches_WriteContacts(const grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair,
                                  grzContact* contacts);

// Gives up what is kept of pairs of animated meshes of which one body leaves.
void grzMeshTouches_EndBody(grzMeshTouches* touches, grzBodyId body);

// The step is refused: animated meshes may have moved since the candidates were found.
void grzMeshTouches_RefuseStep(grzMeshTouches* touches);

// Gives up what is kept of the body in a row, which leaves it: the next one may have another mesh at the same address.
void grzMeshTouches_Forget(grzMeshTouches* touches, uint32_t row);

// Gives back memory of which the steps since the last Trim have used less than half. Views are empty then.
void grzMeshTouches_Trim(grzMeshTouches* touches);

size_t grzMeshTouches_MemorySize(const grzMeshTouches* touches);

// Checks the candidates of animated meshes (grzAnimatedPairs_Validate). After a step.
bool grzMeshTouches_Validate(const grzMeshTouches* touches);

#endif
