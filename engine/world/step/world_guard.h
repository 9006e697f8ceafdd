// What the guard keeps from step to step: memory; and what its two files share.
#ifndef GRAZE_WORLD_WORLD_GUARD_H
#define GRAZE_WORLD_WORLD_GUARD_H

#include "array.h"
#include "graze/tree_query.h"
#include "graze/world.h"
#include "passing.h"

typedef struct grzGuard {
    struct {
        GRZ_ARRAY(grzTreeHits*);
    } hits; // by worker; always empty: what a tree finds is looked at at once
    struct {
        GRZ_ARRAY(uint64_t);
    } marks; // a bit a row
    struct {
        GRZ_ARRAY(uint32_t);
    } fast, walls; // rows: of bodies that are held against walls, and of walls that may move
} grzGuard;

// tree: any that is empty.
grzResult grzGuard_Create(const grzAllocator* allocator, const grzTree* tree, uint32_t workerCount,
                          grzGuard** guard);
void grzGuard_Destroy(grzGuard* guard, const grzAllocator* allocator);

// Memory for so many rows.
bool grzGuard_ReserveRows(grzGuard* guard, const grzAllocator* allocator, size_t count);

// Whether the row's body is held in this step (world_guard.c).
bool grzGuard_IsFast(const grzWorld* world, uint32_t row);
// The way of its body; without a wall.
grzPassing grzGuard_PassingOf(const grzWorld* world, uint32_t row);
// What stops a body, or a vertex of cloth of the row, first on its way: walls in the box.
grzPassingStop grzGuard_FindStop(const grzWorld* world, uint32_t row, grzBox box, const grzPassing* passing,
                                 uint32_t worker);

// world_guard_cloth.c: fast bodies are held by cloth; and walls hold vertices of cloth.
void grzGuard_HoldByCloth(grzWorld* world);
void grzGuard_HoldCloth(grzWorld* world);

#endif
