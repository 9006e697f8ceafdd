// One mesh that the host animates, as the pipeline sees it: its plan of motion, its hierarchy, and its triangles near a shape.
//
// In a step: Advance to the end of the step (mid), then any number of reads. Threads: one call that changes it at a time, with no
// other; any number may read.
#ifndef GRAZE_WORLD_ANIMATED_BODY_H
#define GRAZE_WORLD_ANIMATED_BODY_H

#include "collider.h"
#include "graze/animated.h"
#include "graze/model.h"
#include "graze/model_contact.h"

// All refusals of grzWorld_AddAnimated are made here. time: the world's now.
grzResult grzAnimatedBody_Create(const grzAnimatedDef* def, double time, grzProfile* profile,
                                 const grzAllocator* allocator, grzAnimatedBody** animated);
void grzAnimatedBody_Destroy(grzAnimatedBody* animated);

grzResult grzAnimatedBody_AddKeyframe(grzAnimatedBody* animated, double now, double time, const float* positions);
grzResult grzAnimatedBody_SetVelocities(grzAnimatedBody* animated, const uint32_t* vertices,
                                        const float* velocities, uint32_t count);
grzResult grzAnimatedBody_SetVertices(grzAnimatedBody* animated, const float* positions);

// Around where it is now.
grzBox grzAnimatedBody_BoxNow(const grzAnimatedBody* animated);

// Around where it is now and where it will be at `time`, the end of the step. (Plan; before Advance.)
grzBox grzAnimatedBody_Box(const grzAnimatedBody* animated, double time);

// On to the end of the step: the hierarchy is valid there. Positions now and then, and so velocities of vertices, can be read.
grzResult grzAnimatedBody_Advance(grzAnimatedBody* animated, grzTasks* tasks, double time);

// The end of the last step that it was advanced to.
double grzAnimatedBody_Time(const grzAnimatedBody* animated);

typedef struct grzAnimatedShape {
    grzMeshView mesh;
    const float* positions;  // three a vertex, at the end of the step
    const float* previous;   // at its start: (positions - previous) / timeStep are the velocities
    const grzUpkeep* upkeep; // the hierarchy over positions
} grzAnimatedShape;

grzAnimatedShape grzAnimatedBody_GetShape(const grzAnimatedBody* animated);
const grzMeshView* grzAnimatedBody_GetMesh(const grzAnimatedBody* animated); // the same mesh, where it lies

// A model over the positions of the end of the step, for pairs of meshes: refitted when it is first asked for in a step.
grzResult grzAnimatedBody_Model(grzAnimatedBody* animated, grzTasks* tasks, const grzModel** model,
                                const grzModelSurface** surface);

uint64_t grzAnimatedBody_Hash(const grzAnimatedBody* animated);
size_t grzAnimatedBody_MemorySize(const grzAnimatedBody* animated);

#endif
