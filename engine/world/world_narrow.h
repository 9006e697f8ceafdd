// What the narrow stage keeps from step to step beside what it hands on: memory.
#ifndef GRAZE_WORLD_WORLD_NARROW_H
#define GRAZE_WORLD_WORLD_NARROW_H

#include "array.h"
#include "graze/convex_pairs.h"

typedef struct grzNarrow {
    struct {
        GRZ_ARRAY(grzPosedConvex);
    } posed; // by slot
    struct {
        GRZ_ARRAY(uint32_t);
    } places; // by row: of its manifold
    struct {
        GRZ_ARRAY(grzBodyPair);
    } pairs; // those with the world's margin; then the fast ones
    struct {
        GRZ_ARRAY(grzManifold);
    } manifolds; // of these
    uint32_t slowCount;
} grzNarrow;

grzResult grzNarrow_Create(const grzAllocator* allocator, grzNarrow** narrow);
void grzNarrow_Destroy(grzNarrow* narrow, const grzAllocator* allocator);

#endif
