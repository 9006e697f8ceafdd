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

// Around where it is now, and around where it was at the start of the last step.
grzBox grzAnimatedBody_BoxNow(const grzAnimatedBody* animated);
grzBox grzAnimatedBody_BoxBefore(const grzAnimatedBody* animated);

// Around where it is now and where it will be at `time`, the end of the step. (Plan; before Advance.)
grzBox grzAnimatedBody_Box(const grzAnimatedBody* animated, double time);

// On to the end of the step: the hierarchy is valid there. Positions now and then, and so velocities of vertices, can be read.
grzResult grzAnimatedBody_Advance(grzAnimatedBody* animated, grzTasks* tasks, double time);

// To be called after Advance was refused because velocities lead a vertex beyond 1e15. All velocities are 0 then, and
// Advance can be called again. Refused: grz_outOfMemory. Release ends the step. isDone: velocities stay 0; else the
// mesh gets back those that it had.
grzResult grzAnimatedBody_Stop(grzAnimatedBody* animated);
bool grzAnimatedBody_MayStop(const grzAnimatedBody* animated); // it moves by velocities, and has not been stopped
void grzAnimatedBody_Release(grzAnimatedBody* animated, bool isDone);

// What the last Advance answered.
grzResult grzAnimatedBody_LastResult(const grzAnimatedBody* animated);

// The end of the last step that it was advanced to.
double grzAnimatedBody_Time(const grzAnimatedBody* animated);

// Reading. Positions are evaluated where they are asked for, those of a chunk of the hierarchy at a time, and the hierarchy is made
// where a query comes to it. Any number of threads may do either; who asks, and when, changes no byte of what is read.
typedef struct grzAnimatedShape {
    grzMeshView mesh;
    const float* positions; // three a vertex, at the end of the step: of those that were reached
    const float* previous;  // likewise at its start: (positions - previous) / timeStep are the velocities
} grzAnimatedShape;

grzAnimatedShape grzAnimatedBody_GetShape(const grzAnimatedBody* animated);

// How fast the surface moves at a point on or near a triangle that was reached, in this step. 0 where timeStep is not above 0.
grzVec3 grzAnimatedShape_Velocity(const grzAnimatedShape* shape, uint32_t triangle, grzVec3 point, float timeStep);

// How the surface goes, in the step, where it starts near a point: what is near it at the start and moved by that way is as near at
// the end, wherever the surface does not deform.
grzVec3 grzAnimatedBody_WayNear(const grzAnimatedBody* animated, grzVec3 point);

const grzMeshView* grzAnimatedBody_GetMesh(const grzAnimatedBody* animated); // the same mesh, where it lies

// Behind it the positions of a triangle's corners, at both ends of the step, can be read.
void grzAnimatedBody_ReachTriangle(const grzAnimatedBody* animated, uint32_t triangle);
// Behind it the position of one vertex at the end of the step can be read. body: a grzAnimatedBody (grzManifoldSide.makeVertex).
void grzAnimatedBody_MakeVertex(void* body, uint32_t vertex);

// All of them, at the end and at the start.
void grzAnimatedBody_ReachEnd(const grzAnimatedBody* animated, grzTasks* tasks);
void grzAnimatedBody_ReachStart(const grzAnimatedBody* animated, grzTasks* tasks);

// The hierarchy, at the end of the step, and the same with the mesh's edges.
const grzModel* grzAnimatedBody_GetModel(const grzAnimatedBody* animated);
const grzModelEdges* grzAnimatedBody_GetEdges(const grzAnimatedBody* animated);

// No vertex has gone farther in the last step; 0 where nothing moved.
float grzAnimatedBody_MostMotion(const grzAnimatedBody* animated);

grzUpkeepStats grzAnimatedBody_GetUpkeep(const grzAnimatedBody* animated);

// Since Create: how many positions of vertices were evaluated.
uint64_t grzAnimatedBody_EvaluatedCount(const grzAnimatedBody* animated);

uint64_t grzAnimatedBody_Hash(const grzAnimatedBody* animated);
size_t grzAnimatedBody_MemorySize(const grzAnimatedBody* animated);

// Checks the plan, the hierarchy and the tree that keeps its boxes; makes nothing that was not read.
bool grzAnimatedBody_Validate(const grzAnimatedBody* animated);

#endif
