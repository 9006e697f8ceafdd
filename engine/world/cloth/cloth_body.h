// One cloth of a world, as the pipeline sees it: what it sweeps, what it touches, how it moves in a substep.
//
// In a step: Predict and SweptBox (plan), Collide (narrow), then for each substep Solve and Finish (from the solver's hook), then the
// view. Owner: the cloth has all of its memory; colliders are the world's and are read during calls alone. Threads: one call at
// a time for each cloth; work runs on the given tasks, same bytes for any number of workers.
#ifndef GRAZE_WORLD_CLOTH_BODY_H
#define GRAZE_WORLD_CLOTH_BODY_H

#include "animated_pairs.h"
#include "collider.h"
#include "graze/cloth.h"
#include "surface.h"
#include "touch.h"

// The def has been checked by nobody before: all refusals of grzWorld_AddCloth are made here.
grzResult grzClothBody_Create(const grzClothDef* def, const grzAllocator* allocator, grzClothBody** cloth);
void grzClothBody_Destroy(grzClothBody* cloth);

// Where it is now, with its thickness.
grzBox grzClothBody_Box(const grzClothBody* cloth);

// At a step's start: its hierarchy may be another one behind it (surface_age.h).
void grzClothBody_Age(grzClothBody* cloth);

// Where its particles would be at the end of the step, without constraints and contacts: for the next two.
void grzClothBody_Predict(grzClothBody* cloth, float timeStep, grzVec3 gravity);
// What the cloth may reach in the step, with its thickness and the margin.
grzBox grzClothBody_SweptBox(const grzClothBody* cloth, float margin);

// After Predict. How near a mesh that has no motion of its own must be to the cloth in this step to matter to some part of it.
float grzClothBody_MostReach(const grzClothBody* cloth, float margin);

// After Predict: the hierarchy, with boxes around what its triangles may pass in the step. They stay until the next Predict.
typedef struct grzClothTree {
    const grzBvh* bvh;
    const grzBvhNode* nodes;
} grzClothTree;

grzClothTree grzClothBody_GetTree(grzClothBody* cloth, grzTasks* tasks);

typedef struct grzClothObstacle {
    uint32_t row;
    const grzCollider* collider;
    const grzBodyState* state; // at the start of the step; of an animated mesh: at rest in the origin
    float radius;              // of a ball around the state's centre that holds it
    grzLeafCandidates
        near; // of an animated mesh: what of the two is within MostReach and twice what the mesh moves
} grzClothObstacle;

typedef struct grzClothStep {
    grzBodyId id; // of the cloth
    float timeStep;
    uint32_t substepCount;
    grzVec3 gravity;
    float margin;
    float pushSpeed;                   // overlaps are undone no faster than this, and than 1 length a second
    const grzClothObstacle* obstacles; // in the order of slots
    uint32_t obstacleCount;
    const grzBodyMass* masses; // by row, unchanged until the last Finish; NULL: no obstacle yields or moves
    grzTasks* tasks;
    grzProfile* profile;
} grzClothStep;

// Finds where the cloth touches its obstacles, or comes near in this step, and keeps that for the substeps. The step's end has been
// predicted. Fails by grz_outOfMemory alone, with the cloth where it was, and without contacts.
grzResult grzClothBody_Collide(grzClothBody* cloth, const grzClothStep* step);

// Ascending by key. toi: after Collide what their own motion would make it, after the last substep as it was: in the substep in which
// they met, or 1. Impulses are those of the last substep.
grzContactSpan grzClothBody_GetContacts(const grzClothBody* cloth);
// Those with one of the obstacles of Collide.
grzContactSpan grzClothBody_ContactsOf(const grzClothBody* cloth, uint32_t obstacle);

// In a substep, after Collide: constraints and contacts, pushing bodies; then velocities.
void grzClothBody_Solve(grzClothBody* cloth, grzSubstep* substep);
void grzClothBody_Finish(grzClothBody* cloth, grzSubstep* substep);
// After a substep's Solve or Finish: whether all numbers are finite; and whether all are within 1e15.
bool grzClothBody_IsFinite(const grzClothBody* cloth);
bool grzClothBody_IsInRange(const grzClothBody* cloth);
// After Collide, whatever has been called since: back to where the cloth was then, its contacts without impulses.
void grzClothBody_Rewind(grzClothBody* cloth);

// Until Release a cloth that is held has no velocity and stays where it is, with its pins. isDone: it has no velocity
// after Release either; else it gets back the velocity that it had.
void grzClothBody_Hold(grzClothBody* cloth);
bool grzClothBody_IsHeld(const grzClothBody* cloth);
void grzClothBody_Release(grzClothBody* cloth, bool isDone);

// After the last substep: how a free vertex has gone in the step, where that is farther than Collide has looked, which no touch may
// hold. reach: half the thickness.
typedef struct grzClothWay {
    grzVec3 from, to;
    float reach;
} grzClothWay;

bool grzClothBody_HasStrayed(const grzClothBody* cloth, uint32_t vertex, float margin, grzClothWay* way);
// The vertex stays at a place beside a wall, and does not go on into it. Different vertices may be stopped by different workers.
void grzClothBody_StopVertex(grzClothBody* cloth, uint32_t vertex, grzVec3 place, grzVec3 normal,
                             grzVec3 wallVelocity);

// After the last substep: no vertex has gone farther in the step.
float grzClothBody_MostMotion(const grzClothBody* cloth);
// After the last substep: all triangles that may have been in the box during the step go back, vertices along lines, to where they were at a
// part of it, 0 to 1. Pins stay. So what was free of them then and lies in the box is free of the whole cloth, wherever its other
// triangles have been drawn along.
void grzClothBody_HoldBack(grzClothBody* cloth, grzBox box, float part);

// For grzWorld_GetCloth and so on; positions three floats a vertex in the mesh's numbers.
grzClothView grzClothBody_GetView(const grzClothBody* cloth);
const float* grzClothBody_GetPositions(const grzClothBody* cloth); // the view's, at once
grzResult grzClothBody_MovePins(grzClothBody* cloth, uint32_t first, uint32_t count, const float* positions);
grzResult grzClothBody_Place(grzClothBody* cloth, const float* positions, const float* velocities);
// At the end of the last step, or where it was placed; starts: where that step began, until the next Collide.
grzSurface grzClothBody_GetSurface(const grzClothBody* cloth);
const grzMesh* grzClothBody_GetMesh(const grzClothBody* cloth);
uint64_t grzClothBody_Hash(const grzClothBody* cloth);
size_t grzClothBody_MemorySize(const grzClothBody* cloth);
bool grzClothBody_Validate(const grzClothBody* cloth);

#endif
