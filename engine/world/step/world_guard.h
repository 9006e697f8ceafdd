// What the guard keeps: the stops of this step, and memory from step to step. Also the functions that its files share.
#ifndef GRAZE_WORLD_WORLD_GUARD_H
#define GRAZE_WORLD_WORLD_GUARD_H

#include "array.h"
#include "graze/tree_query.h"
#include "graze/world.h"
#include "passing.h"

// A stop of a body by another one. Static bodies may have no row, so slots name both.
typedef struct grzGuardStop {
    uint32_t slotA, slotB; // A < B
    float toi;             // in parts of the step
    float approach;        // speed along the normal before the stop; 0 where they parted
    float impulse;         // along the normal, at the point; on B as it is, on A the other way
    grzVec3 point, normal; // in the world, at the time of impact; the normal is from A to B
    // What the stop adds to the momentum of the body that yields, as B would get it: A loses the same. At a wall it
    // has what the body loses for its lift, too.
    grzVec3 momentum;
} grzGuardStop;

typedef struct grzGuard {
    struct {
        GRZ_ARRAY(grzTreeHits*);
    } hits; // by worker; always empty: hits of a tree are handled at once
    struct {
        GRZ_ARRAY(uint64_t);
    } marks; // a bit a row
    struct {
        GRZ_ARRAY(uint32_t);
    } fast, walls; // rows: of bodies that are tested against walls, and of walls that may move
    // Of this step, sorted by (slotA, slotB, toi). They hold until the next step is planned.
    struct {
        GRZ_ARRAY(grzGuardStop);
    } stops;
    struct {
        GRZ_ARRAY(uint64_t);
    } scratch; // of sorting them
} grzGuard;

// Makes a guard. tree: any empty one.
grzResult grzGuard_Create(const grzAllocator* allocator, const grzTree* tree, uint32_t workerCount,
                          grzGuard** guard);
void grzGuard_Destroy(grzGuard* guard, const grzAllocator* allocator);

// Takes memory for so many rows. Returns false where it is refused.
bool grzGuard_ReserveRows(grzGuard* guard, const grzAllocator* allocator, size_t count);

// Gives back memory that is not needed.
void grzGuard_Trim(grzGuard* guard, const grzAllocator* allocator);

// Returns whether the row's body is tested against walls in this step (world_guard.c).
bool grzGuard_IsFast(const grzWorld* world, uint32_t row);
// Returns the motion of a row's body, without a wall.
grzPassing grzGuard_PassingOf(const grzWorld* world, uint32_t row);
// Returns the first stop of a row's body, or of a vertex of its cloth, at the walls in the box.
grzPassingStop grzGuard_FindStop(const grzWorld* world, uint32_t row, grzBox box, const grzPassing* passing,
                                 uint32_t worker);

// Writes what a stop of a row's body has done: `before` is the body's state before it, `other` the slot of what
// stopped it.
void grzGuard_Record(const grzWorld* world, uint32_t row, uint32_t other, const grzBodyState* before,
                     const grzPassingStop* stop, const grzPassingHit* hit, grzGuardStop* record);

// Returns how many stops at cloth a step may have.
size_t grzGuard_MostClothStops(const grzWorld* world);

// world_guard_cloth.c: HoldByCloth stops fast bodies at cloth, HoldCloth stops vertices of cloth at walls.
void grzGuard_HoldByCloth(grzWorld* world);
void grzGuard_HoldCloth(grzWorld* world);

#endif
