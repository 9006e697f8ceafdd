// Bodies that do not move, and what moves near them.
//
// A static body has its record (grzBodyRecord) and its box, half the world's margin larger on all sides, in a tree of its own. The
// tree changes only where the host adds, removes or places a static body.
#ifndef GRAZE_WORLD_WORLD_NEAR_H
#define GRAZE_WORLD_WORLD_NEAR_H

#include "world_inside.h"

typedef struct grzNear {
    grzTree* tree;        // keys are slots
    uint32_t changeCount; // of the tree since it was last prepared here
    uint32_t step;        // counts broad stages
    uint32_t rowCount;    // static bodies that have rows
    grzTreePairs* finder;
    struct {
        GRZ_ARRAY(uint64_t);
    } keys, sorted; // pairs of one that moves and one that stands: the smaller slot, then the larger one
    struct {
        GRZ_ARRAY(grzBodyPair);
    } pairs; // of this step, of all kinds
} grzNear;

grzResult grzNear_Create(const grzWorldDef* def, const grzAllocator* allocator, grzNear** near);
void grzNear_Destroy(grzNear* near, const grzAllocator* allocator);

// What the tree has of a static body with this box.
grzBox grzNear_Box(const grzWorld* world, grzBox box);

// To be called for each change of one of the world's trees. *changes: of that tree, since this last prepared it.
void grzWorldTree_Changed(grzTree* tree, uint32_t* changes);

// The record of a static body, from the whole; and back. Reading costs as much as placing the body.
void grzBodyRecord_SetStill(grzBodyRecord* record, const grzRigid* rigid);
void grzWorld_ReadStill(const grzWorld* world, uint32_t slot, grzRigid* rigid);

// The body in a slot, moving or not: its collider and its box. `scratch` is written where it stands.
const grzCollider* grzWorld_ColliderAt(const grzWorld* world, uint32_t slot, grzRigid* scratch, grzBox* box);

// The broad stage's second half: adds the pairs of what moves with what stands to those of what moves, all in the order of slots
// (near->pairs). Static bodies in these pairs have rows then; those that have been in none for a while have no more.
grzResult grzWorld_FindNear(grzWorld* world, const grzBodyPair* moving, size_t movingCount);

#endif
