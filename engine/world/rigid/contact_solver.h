// The solver of contacts between rigid bodies: velocities and positions over one step, in substeps.
//
// All points of a touch are solved at once, so that what lands flat stays flat. Friction of a touch acts at the middle of its
// points, as one impulse and a twist about the normal; touches hold it shared out among the points (contact_touch_kernel.c).
// It is at most `friction` times the sum of the normal impulses. Touches with restitution bounce in the substep in which they
// meet, and give back no more energy than they took.
//
// In: body rows at the start of the step, touches with the impulses of the last step. Out: rows at the end of the step,
// touches with this step's impulses. What else moves in the same substeps (cloth) takes part through hooks.
//
// Owner: the solver keeps its memory from step to step; rows and touches are the caller's. Threads: one Run at a time;
// its work runs on the given tasks, and the bytes are the same for any number of workers and SIMD level.
#ifndef GRAZE_WORLD_CONTACT_SOLVER_H
#define GRAZE_WORLD_CONTACT_SOLVER_H

#include "graze/profile.h"
#include "graze/stage/step.h"
#include "graze/tasks.h"
#include "touch.h"

typedef struct grzContactSolver grzContactSolver;
typedef struct grzSubstep grzSubstep;

// What takes part in the substeps beside rigid bodies. Called on the thread of Run; both may use its tasks.
typedef struct grzSubstepHook {
    void* context;
    // After gravity and the rigid contacts' pass, before the bodies move: may read bodies and push them.
    void (*solve)(void* context, grzSubstep* substep);
    // After the bodies have moved and relaxed: velocities are final for the substep.
    void (*finish)(void* context, grzSubstep* substep);
} grzSubstepHook;

typedef struct grzSolverSettings {
    float timeStep;        // of the whole step, above 0
    uint32_t substepCount; // at least 1
    grzVec3 gravity;
    float contactHertz;         // stiffness of contacts: 35
    float contactDampingRatio;  // 10
    float pushSpeed;            // at most so fast are overlaps undone: 3 lengths a second
    float restitutionThreshold; // slower approaches do not bounce: 1 length a second
} grzSolverSettings;

typedef struct grzSolverStep {
    grzSolverSettings settings;
    grzBodyState* states;
    const grzBodyMass* masses;
    uint32_t bodyCount;
    uint32_t touchCount;
    grzTouchUnit* units;        // touches, and others that are left alone
    const uint32_t* places;     // of the touches among units; in their order bodies are solved
    const grzSubstepHook* hook; // NULL: none
    grzTasks* tasks;            // NULL: the calling thread alone
    grzProfile* profile;        // NULL: none
} grzSolverStep;

// *solver is NULL where memory is refused.
grzResult grzContactSolver_Create(grzAllocator allocator, grzContactSolver** solver);
void grzContactSolver_Destroy(grzContactSolver* solver);

// Touches without points, and of two bodies that do not yield, are left alone. Of each other touch the points' impulses
// and `memory` are written; of bodies that move center and rotation, of those that yield velocity and spin too.
//
// grz_outOfMemory, or grz_notFinite, which names the first body (index) whose state or mass is not finite, or whose state
// would not be at the end of the step: with states and touches as they were, so that bad numbers never get about; hooks
// have run where the end is bad. The numbers of touches must be finite. After warm-up nothing is allocated.
grzResult grzContactSolver_Run(grzContactSolver* solver, const grzSolverStep* step);

typedef struct grzContactSolverStats {  // of the last Run; the same for any number of workers
    uint32_t colorCount, overflowCount; // touches that found no colour, and are solved one after the other
    uint32_t pointCount;
    uint32_t passCount; // over the touches: a warm start, and two a substep
} grzContactSolverStats;

grzContactSolverStats grzContactSolver_GetStats(const grzContactSolver* solver);

// ---- For hooks. Reading and pushing different bodies from several tasks at a time is fine.

uint32_t grzSubstep_Index(const grzSubstep* substep);
float grzSubstep_Time(const grzSubstep* substep); // length
bool grzSubstep_IsLast(const grzSubstep* substep);

// Where the body is and how it moves now; in `solve`, it is still where it was at the start of the substep.
grzBodyState grzSubstep_Body(const grzSubstep* substep, uint32_t body);

// An impulse at a point of the world. Changes nothing where the body does not yield.
void grzSubstep_Push(grzSubstep* substep, uint32_t body, grzVec3 point, grzVec3 impulse);

#endif
