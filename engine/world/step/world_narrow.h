// What the narrow stage keeps from step to step beside what it hands on: memory.
#ifndef GRAZE_WORLD_WORLD_NARROW_H
#define GRAZE_WORLD_WORLD_NARROW_H

#include "array.h"
#include "contact_touch.h"
#include "graze/convex_pairs.h"
#include "mesh_touch.h"
#include "seams.h"

// Of the judgement of contacts at seams (world_seams.c).
typedef struct grzGroundPair {
    uint32_t mover, pair; // the row of the dynamic body; the pair's place
} grzGroundPair;

typedef struct grzSeamRoom {
    struct {
        GRZ_ARRAY(grzGroundPair);
    } found;
    struct {
        GRZ_ARRAY(uint32_t);
    } starts; // by row: of a dynamic body's pairs with grounds
    struct {
        GRZ_ARRAY(uint32_t);
    } pairs; // these, body by body
    struct {
        GRZ_ARRAY(grzSeamGround);
    } grounds; // of these
    struct {
        GRZ_ARRAY(uint32_t);
    } places; // of these: where each one's contacts begin
    struct {
        GRZ_ARRAY(grzSeamContact);
    } contacts;
} grzSeamRoom;

// Does it to all arrays.
void grzSeamRoom_CallArrays(grzSeamRoom* room, grzArrayCall* call, const grzAllocator* allocator);

typedef struct grzNarrow {
    struct {
        GRZ_ARRAY(uint32_t);
    } places; // by pair: of its manifold
    struct {
        GRZ_ARRAY(grzBodyPair);
    } pairs; // of convex shapes, in the order of pairs
    struct {
        GRZ_ARRAY(float);
    } margins; // of these
    struct {
        GRZ_ARRAY(grzManifold);
    } manifolds; // of these
    grzSeamRoom seams;

    // Pairs with meshes, in the order of rows: gathered in the mid stage, with candidates; the rest is the narrow stage's.
    struct grzMeshTouches* mesh;
    grzAnimatedPairs* clothPairs; // of cloth and animated meshes: mid
    struct {
        GRZ_ARRAY(grzAnimatedAsk);
    } clothAsks;
    uint32_t clothAsk; // how many of them have been handed on as obstacles
    bool hasMeshes;    // in this step
    struct {
        GRZ_ARRAY(uint32_t);
    } meshRows;
    struct {
        GRZ_ARRAY(grzMeshPair);
    } meshPairs;
    struct {
        GRZ_ARRAY(grzVec3);
    } meshVelocities; // of animated surfaces, at each contact of this step's
} grzNarrow;

grzResult grzNarrow_Create(const grzAllocator* allocator, grzNarrow** narrow);
void grzNarrow_Destroy(grzNarrow* narrow, const grzAllocator* allocator);

// A body leaves; a step is refused.
void grzNarrow_EndBody(grzNarrow* narrow, grzBodyId body);
void grzNarrow_RefuseStep(grzNarrow* narrow);

// Checks what the mid stage has found in pairs with animated meshes.
bool grzNarrow_Validate(const grzNarrow* narrow);

// Between steps: gives back memory of which the steps since the last Trim have used less than half.
void grzNarrow_Trim(grzNarrow* narrow, const grzAllocator* allocator);

#endif
