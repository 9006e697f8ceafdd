// The memory that the guard keeps from step to step, and the functions that its two files share.
#ifndef GRAZE_WORLD_WORLD_GUARD_H
#define GRAZE_WORLD_WORLD_GUARD_H

#include "array.h"
#include "graze/tree_query.h"
#include "graze/world.h"
#include "passing.h"

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
} grzGuard;

// Makes a guard. tree: any empty one.
grzResult grzGuard_Create(const grzAllocator* allocator, const grzTree* tree, uint32_t workerCount,
                          grzGuard** guard);
void grzGuard_Destroy(grzGuard* guard, const grzAllocator* allocator);

// Takes memory for so many rows. Returns false where it is refused.
bool grzGuard_ReserveRows(grzGuard* guard, const grzAllocator* allocator, size_t count);

// Returns whether the row's body is tested against walls in this step (world_guard.c).
bool grzGuard_IsFast(const grzWorld* world, uint32_t row);
// Returns the motion of a row's body, without a wall.
grzPassing grzGuard_PassingOf(const grzWorld* world, uint32_t row);
// Returns the first stop of a row's body, or of a vertex of its cloth, at the walls in the box.
grzPassingStop grzGuard_FindStop(const grzWorld* world, uint32_t row, grzBox box, const grzPassing* passing,
                                 uint32_t worker);

// world_guard_cloth.c: HoldByCloth stops fast bodies at cloth, HoldCloth stops vertices of cloth at walls.
void grzGuard_HoldByCloth(grzWorld* world);
void grzGuard_HoldCloth(grzWorld* world);

#endif
