// What the guard keeps from step to step: memory.
#ifndef GRAZE_WORLD_WORLD_GUARD_H
#define GRAZE_WORLD_WORLD_GUARD_H

#include "array.h"
#include "graze/tree_query.h"

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

#endif
