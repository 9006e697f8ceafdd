// Contacts of pairs of bodies with at least one mesh, rigid or animated by the host: all such pairs of a step at
// once.
//
//   pair                       found by
//   convex shape, mesh         the triangles near it and their manifolds (graze/model_contact.h), separations up to
//                              the margin
//   mesh, mesh                 the triangles that are near each other (graze/model_pair.h; animated_pairs.h), and
//                              manifolds (graze/manifold.h) of the triangles that meet or, if none do, of the
//                              triangles within the margin
//
// There are two stages. FindCandidates, of the mid stage, lists the triangles of two meshes that are near each
// other, and computes nothing from them. FindContacts, of the narrow stage, makes contacts from these lists. For a
// shape and a mesh the narrow stage walks to the triangles and collides them at once: the walk costs a twentieth of
// the collisions, so a list would be written and read for nothing.
//
// The narrow stage also finds and collides two fast meshes at once: only the contacts of a piece of the step need
// its candidates.
//
// Rigid bodies are at the poses of their colliders, at the start of the step. Animated meshes are where they are at
// its end. Shapes beside animated meshes move along with these while contacts are searched for (grzMeshPair.carry).
//
// Owner: memory is kept from step to step, so that after warm-up nothing is allocated; views live until the next
//   FindCandidates.
// Threads: one call at a time; the same bytes for any number of workers.
#ifndef GRAZE_WORLD_MESH_TOUCH_H
#define GRAZE_WORLD_MESH_TOUCH_H

#include "animated_pairs.h"
#include "collider.h"
#include "graze/stage/step.h"
#include "graze/tasks.h"

typedef struct grzMeshTouches grzMeshTouches;

// Makes an object without contacts. *touches is NULL where memory is refused.
grzResult grzMeshTouches_Create(grzAllocator allocator, grzMeshTouches** touches);
void grzMeshTouches_Destroy(grzMeshTouches* touches);

typedef struct grzMeshPair {
    uint32_t rowA, rowB; // of the two bodies, the one of the lower slot first
    float margin;
    const grzContact* previous; // the last contacts of the two bodies, in order; may be NULL
    uint32_t previousCount;
    // For a convex shape beside an animated mesh: how the mesh moves there in the step. Contacts are searched for
    // where the shape would be if it moved along, so that it is on the side where it starts. They are reported for
    // the shape where it is.
    grzVec3 carry;
    float slack; // for two meshes: how far apart points within the margin may be (grzManifoldQuery)
    // For two rigid meshes that move farther against each other in the step than they are thick
    // (mesh_touch_fast.c): how far a point may move before they are looked at again; triangles nearer than that
    // then count. 0: the meshes are slow.
    float stride;
    // If the margin holds so many candidates that their memory would be the worse loss, it shrinks, but not below
    // this.
    float leastMargin;
} grzMeshPair;

typedef struct grzMeshTouchStep {
    const grzCollider* colliders; // one a row
    uint32_t colliderCount;
    const grzMeshPair* pairs; // in the order of slots, so that contacts are in order over all pairs; none twice
    uint32_t pairCount;
    grzTasks* tasks;
    grzProfile* profile; // NULL: none
    // For fast pairs; by row.
    const grzBodyState* states;
    const grzBodyMass* masses;
    float timeStep;
} grzMeshTouchStep;

// Finds the candidates of all pairs. Pairs of two convex shapes, of cloth, and of rows without a body have no
// contacts here. Fails with grz_outOfMemory. Fails where numbers are beyond the limits of shapes and models, when a
// body has flown off (grz_notFinite, grz_badArgument; part element, index: the pair). There are no candidates then,
// and the view is empty.
grzResult grzMeshTouches_FindCandidates(grzMeshTouches* touches, const grzMeshTouchStep* step);

// Ends all pairs of animated meshes; for a step without pairs. Fails with grz_outOfMemory.
grzResult grzMeshTouches_FindNothing(grzMeshTouches* touches);

// Finds the contacts of the same step, after its candidates. Fails as FindCandidates.
grzResult grzMeshTouches_FindContacts(grzMeshTouches* touches, const grzMeshTouchStep* step);

// Returns what the mid stage found for a pair of the step: pairs of triangles of two meshes that are not fast; else
// nothing. Their bodyPair is the number of the pair. Candidates of grzAnimatedPairs have times (grzTrianglePair)
// and are sorted. The times of all others are 0, and they are in the order of the walk.
grzMeshCandidates grzMeshTouches_GetCandidates(const grzMeshTouches* touches, uint32_t pair);

// Writes the time until which no candidate of two bodies begins or ends (grzAnimatedPairs_Horizon). Returns false
// if the last step has not searched the two by grzAnimatedPairs.
bool grzMeshTouches_Horizon(const grzMeshTouches* touches, grzBodyId a, grzBodyId b, double* time);

typedef struct grzMeshTouchView {
    const size_t* starts; // pairCount + 1: pair i has starts[i + 1] - starts[i] contacts
    size_t pairCount;
    uint64_t shapeTests; // triangles that were tested against convex shapes
    uint64_t pairTests;  // candidates: pairs of triangles that were tested against each other
} grzMeshTouchView;

grzMeshTouchView grzMeshTouches_GetView(const grzMeshTouches* touches);

// Writes the contacts of a pair of the step, ascending by key. After FindContacts.
void grzMeshTouches_WriteContacts(const grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair,
                                  grzContact* contacts);

// Frees what is kept of pairs of animated meshes when one of the two bodies leaves.
void grzMeshTouches_EndBody(grzMeshTouches* touches, grzBodyId body);

// Drops the candidates of a refused step: animated meshes may have moved since they were found.
void grzMeshTouches_RefuseStep(grzMeshTouches* touches);

// Drops what is kept of the body that leaves a row: the next one may have another mesh at the same address.
void grzMeshTouches_Forget(grzMeshTouches* touches, uint32_t row);

// Frees memory if the steps since the last Trim have used less than half of it. Views are empty then.
void grzMeshTouches_Trim(grzMeshTouches* touches);

size_t grzMeshTouches_MemorySize(const grzMeshTouches* touches);

// Checks the candidates of animated meshes after a step (grzAnimatedPairs_Validate).
bool grzMeshTouches_Validate(const grzMeshTouches* touches);

#endif
