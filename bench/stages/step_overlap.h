// The deepest overlap of any two bodies of a world, over all steps that are measured: by geometry, not by the world's contacts.
//
//   StepOverlap_Make(&overlap, allocator, count);
//   StepOverlap_Add(&overlap, id, &shape, NULL);          // every body, of what it is made
//   for (size_t step = 0; ...; ++step) {
//       ...                                               // a step of the world
//       StepOverlap_MeasureWorld(&overlap, world, step);
//   }
//
// plain_overlap.h says what depth is. Looked at are pairs whose boxes overlap and of which one body is dynamic or a cloth. Poses and vertices
// are those that the public functions of the world report.
#ifndef GRAZE_BENCH_STEP_OVERLAP_H
#define GRAZE_BENCH_STEP_OVERLAP_H

#include "graze/body.h"
#include "pair_sweep.h"
#include "plain_overlap.h"
#include "step_scene.h"

typedef struct StepOverlapBody {
    PlainBody body;
    grzBodyId id;
    bool isYielding; // dynamic, or a cloth
} StepOverlapBody;

typedef struct StepOverlap {
    grzAllocator allocator;
    StepOverlapBody* bodies;
    grzBox* boxes;
    size_t count, capacity;
    PairSweep sweep;
    bool failed; // memory was refused, or a body is gone: what follows is not to be used
    // The deepest overlap so far.
    double depth;          // 0: none
    size_t step;           // in which it was
    uint32_t bodyA, bodyB; // slots
    size_t measuredSteps;
} StepOverlap;

// Room for so many bodies. False where memory is refused; to be released all the same.
bool StepOverlap_Make(StepOverlap* overlap, grzAllocator allocator, size_t capacity);
void StepOverlap_Release(StepOverlap* overlap);

// What a body is made of: a shape, or a mesh (not NULL), in whose numbers the world reports its vertices. Not more than the capacity.
void StepOverlap_Add(StepOverlap* overlap, grzBodyId id, const grzConvex* shape, const grzMesh* mesh);

// All bodies where they are now; and bodies of a described scene, as many as were added, at these poses.
void StepOverlap_MeasureWorld(StepOverlap* overlap, const grzWorld* world, size_t step);
void StepOverlap_MeasurePoses(StepOverlap* overlap, const StepScene* scene, const StepPose* poses, size_t step);

#endif
