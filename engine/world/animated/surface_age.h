// The age of a deforming surface: notices that its hierarchy has become bad, and builds it again, spread over steps.
//
// Owner: the body. All memory is taken by Make. Threads: one call at a time, with no query of the surface.
#ifndef GRAZE_WORLD_SURFACE_AGE_H
#define GRAZE_WORLD_SURFACE_AGE_H

#include "bvh_renewal.h"
#include "graze/model.h"

typedef struct grzSurfaceAge {
    grzBvhAge age;
    grzBvhRenewal* renewal; // NULL: the mesh has too few triangles to age
    uint32_t steps;         // since the last look
    uint32_t rebuilds;      // that were switched over to
    uint64_t visits;        // of triangles, vertices and leaves, since Make: all the work there was
} grzSurfaceAge;

// For a hierarchy over triangles in the caller's numbers, and a model made of its chunks.
grzResult grzSurfaceAge_Make(grzSurfaceAge* age, const grzBvh* bvh, const uint32_t* triangles,
                             const grzAllocator* allocator);
void grzSurfaceAge_Release(grzSurfaceAge* age);

// At a step's start. Positions, of three floats, are those that the model has. *bvh may be another one behind it, and the model is forgotten
// then.
void grzSurfaceAge_Step(grzSurfaceAge* age, grzBvh* bvh, grzModel* model, const float* positions);

// No step takes more visits, but for the sort of one bin (bvh_sah.c).
uint32_t grzSurfaceAge_MostVisits(uint32_t triangleCount);

#endif
