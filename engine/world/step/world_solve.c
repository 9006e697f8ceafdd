// What: moves bodies: forces, contacts, cloth, all in the same substeps.
// Promise: where memory is refused, or some body would end where numbers do, all bodies are where they were.
// Threads: the solver's own; cloth takes part on the calling thread, and uses the tasks itself.
#include <string.h>

#include "world_inside.h"

static void applyForces(grzWorld* world) {
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row) {
        const grzPush* push = &world->pushes.data[row];
        grzBodyState* state = &world->states.data[row];
        const grzBodyMass* mass = &world->masses.data[row];
        if (grzLengthSq(push->force) == 0.0f && grzLengthSq(push->torque) == 0.0f)
            continue;
        state->velocity = grzAddScaled(state->velocity, mass->inverseMass * world->timeStep, push->force);
        state->spin =
            grzAddScaled(state->spin, world->timeStep, grzBodyMass_Turn(mass, state->rotation, push->torque));
    }
}

static void dropForces(grzWorld* world) {
    memset(world->pushes.data, 0, world->pushes.count * sizeof(grzPush));
    world->hasForces = false;
}

static grzClothBody* clothAt(const grzWorld* world, size_t i) {
    return world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[i])].cloth;
}

static void solveCloth(void* context, grzSubstep* substep) {
    grzWorld* world = context;
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        grzClothBody_Solve(clothAt(world, i), substep);
}

static void finishCloth(void* context, grzSubstep* substep) {
    grzWorld* world = context;
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        grzClothBody_Finish(clothAt(world, i), substep);
}

static grzSolverSettings settingsOf(const grzWorld* world) {
    grzSolverSettings settings;
    memset(&settings, 0, sizeof settings);
    settings.timeStep = world->timeStep;
    settings.substepCount = world->def.substepCount;
    settings.gravity = world->def.gravity;
    settings.contactHertz = world->def.contactHertz;
    settings.contactDampingRatio = world->def.contactDampingRatio;
    settings.pushSpeed = world->def.pushSpeed;
    settings.restitutionThreshold = world->def.restitutionThreshold;
    return settings;
}

static grzResult checkCloth(const grzWorld* world) {
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        if (!grzClothBody_IsFinite(clothAt(world, i)))
            return grzBecause(grzFailAt(grz_notFinite, grz_partObject, world->clothSlots.data[i], 0),
                              "the step would leave a cloth with numbers that are not finite");
    return grzOk();
}

// A body that ends beyond the range of shapes would have no box. None goes there: the step before is the last one that is done.
static grzResult checkPlaces(const grzWorld* world) {
    static const float farthest = 1e15f;
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row)
        if ((world->masses.data[row].flags & grz_bodyMoves) != 0 &&
            !(grzMaxElement(grzAbs(world->states.data[row].center)) + world->traits.data[row].shape.radius <=
              farthest))
            return grzBecause(grzFailAt(grz_notFinite, grz_partObject, world->traits.data[row].slot, 0),
                              "the step would leave this body so far away, beyond 1e15, that it has no box");
    return grzOk();
}

static void rewindAll(grzWorld* world) {
    const uint32_t rows = grzWorld_RowCount(world);
    if (rows != 0)
        memcpy(world->states.data, world->startStates.data, rows * sizeof(grzBodyState));
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        grzClothBody_Rewind(clothAt(world, i));
}

static grzResult prepareGuard(void* context) {
    return grzWorld_PrepareGuard(context);
}

grzResult grzWorld_Solve(grzWorld* world) {
    const grzSubstepHook hook = {world, solveCloth, finishCloth};
    const uint32_t rows = grzWorld_RowCount(world);
    const grzTouchesView touches = grzTouches_GetView(world->touches, world->now);
    if (world->hasForces)
        applyForces(world);
    grzSolveInput step;
    memset(&step, 0, sizeof step);
    step.settings = settingsOf(world);
    step.states = world->states.data;
    step.masses = world->masses.data;
    step.bodyCount = (uint32_t)world->states.count;
    step.units = touches.units;
    step.places = touches.places;
    step.touchCount = touches.count;
    step.hook = world->clothSlots.count != 0 ? &hook : NULL;
    step.accept = prepareGuard;
    step.acceptContext = world;
    step.tasks = world->def.tasks;
    step.profile = world->def.profile;
    grzResult result = grzStep_Solve(world->solver, &step);
    if (result.part == grz_partObject && result.index < rows)
        result.index = world->traits.data[result.index].slot;
    if (grzResult_IsOk(result))
        result = checkCloth(world);
    if (grzResult_IsOk(result))
        result = checkPlaces(world);
    if (!grzResult_IsOk(result))
        rewindAll(world);
    world->states.count = world->masses.count = rows;
    if (grzResult_IsOk(result))
        grzWorld_Guard(world);
    if (grzResult_IsOk(result) && world->hasForces)
        dropForces(world);
    return result;
}
