// A hierarchy that is built again beside the one in use, some triangles at a time, and then takes its place.
//
//   grzBvhRenewal_Begin(renewal);
//   while (!grzBvhRenewal_GoOn(renewal, positions, stride, &visits))  // of each step so many
//       ...
//   grzBvhRenewal_SwitchOver(renewal, bvh);                           // between two queries
//
// Owner: all memory is taken by Create: 93 bytes a triangle and 12 a vertex; no call after it can fail. Threads: one call at a time; only
// SwitchOver changes the hierarchy, and must have it for itself.
#ifndef GRAZE_BASE_BVH_RENEWAL_H
#define GRAZE_BASE_BVH_RENEWAL_H

#include "graze/bvh.h"

typedef struct grzBvhRenewal grzBvhRenewal;

// For a hierarchy over float32 positions, of the given triangles, in the caller's numbers; both must outlive it.
grzResult grzBvhRenewal_Create(const grzBvh* bvh, const uint32_t* triangles, const grzAllocator* allocator,
                               grzBvhRenewal** made);
void grzBvhRenewal_Destroy(grzBvhRenewal* renewal); // NULL is fine

// From the beginning.
void grzBvhRenewal_Begin(grzBvhRenewal* renewal);
bool grzBvhRenewal_IsRunning(const grzBvhRenewal* renewal);

// Goes on by *visits of triangles, vertices and leaves, and takes them off; one bin may be sorted beyond them (bvh_sah.c).
// Positions are as in grzBvhDef, the stride in bytes. They may move between calls: each triangle is read once. What comes out
// is what grzBvh_Create makes by grz_bvhSah of positions as they were read. Returns whether all is built.
bool grzBvhRenewal_GoOn(grzBvhRenewal* renewal, const float* positions, size_t stride, uint64_t* visits);

// When all is built: *bvh is the new hierarchy, at the same address. Views must be fetched again, nodes refit.
void grzBvhRenewal_SwitchOver(grzBvhRenewal* renewal, grzBvh* bvh);

// How many visits a whole build takes, about.
uint64_t grzBvhRenewal_Cost(uint32_t triangleCount);

#endif
