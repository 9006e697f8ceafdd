// What: moves bodies: forces, contacts, cloth, all in the same substeps.
// Promise: where memory is refused, or some body would end where numbers do, all bodies are where they were. In the
//   second case those bodies are stopped (world_stop.c), and the step is to be done again. All that writes states is
//   before the check: the substeps, then the guard.
// Threads: the solver's own; cloth takes part on the calling thread, and uses the tasks itself.
#include <string.h>

#include "contact_colors.h"
#include "world_inside.h"

// After so many stops in a step the solver is not traced any more: all bodies that are not finite are stopped, and not
// only those that made others so.
enum { MOST_TRACED = 64 };

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

static grzClothBody* clothAt(const grzWorld* world, size_t i) {
    return world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[i])].cloth;
}

// The context of the solver's hook. isTracing: the passes look for the cloth that spoils the step. The first one that
// is not finite ends the search.
typedef struct ClothPasses {
    grzWorld* world;
    bool isTracing, isSpoilt;
} ClothPasses;

void grzWorld_MarkSpoiler(grzWorld* world, uint32_t row) {
    world->leavers.data[row / 64] |= 1ull << row % 64;
}

static void passCloth(ClothPasses* passes, void (*pass)(grzClothBody*, grzSubstep*), grzSubstep* substep) {
    grzWorld* world = passes->world;
    for (size_t i = 0; i < world->clothSlots.count && !passes->isSpoilt; ++i) {
        pass(clothAt(world, i), substep);
        passes->isSpoilt = passes->isTracing && !grzClothBody_IsFinite(clothAt(world, i));
        if (passes->isSpoilt)
            grzWorld_MarkSpoiler(world, grzWorld_RowOf(world, world->clothSlots.data[i]));
    }
}

static void solveCloth(void* context, grzSubstep* substep) {
    passCloth(context, grzClothBody_Solve, substep);
}

static void finishCloth(void* context, grzSubstep* substep) {
    passCloth(context, grzClothBody_Finish, substep);
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

// ---- bodies that spoil the step: those that are marked

void grzWorld_ClearSpoilers(grzWorld* world) {
    for (uint32_t word = 0; word < (grzWorld_RowCount(world) + 63) / 64; ++word)
        world->leavers.data[word] = 0;
}

static bool markCloths(grzWorld* world, bool (*isGood)(const grzClothBody*)) {
    bool areMarked = false;
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        if (!isGood(clothAt(world, i))) {
            grzWorld_MarkSpoiler(world, grzWorld_RowOf(world, world->clothSlots.data[i]));
            areMarked = true;
        }
    return areMarked;
}

static bool isFar(const grzWorld* world, uint32_t row, grzVec3 center) {
    return (world->masses.data[row].flags & grz_bodyMoves) != 0 &&
           grzMaxElement(grzAbs(center)) + world->traits.data[row].shape.radius > GRZ_WORLD_RANGE;
}

// A body that ends beyond the range of shapes would have no box.
static bool isAnyFar(const grzWorld* world) {
    bool isAny = false;
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row)
        isAny = isAny || isFar(world, row, world->states.data[row].center);
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        isAny = isAny || !grzClothBody_IsInRange(clothAt(world, i));
    return isAny;
}

// isPlanned: only those that would also go so far were there nothing to hit. They may have pushed the others.
static bool markFar(grzWorld* world, bool isPlanned) {
    bool areMarked = false;
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row) {
        const grzVec3 to = grzVec3_Load(world->motions.data[row].to), from = world->startStates.data[row].center;
        if (!isFar(world, row, world->states.data[row].center) ||
            (isPlanned && !isFar(world, row, grzAddScaled(from, world->timeStep, to))))
            continue;
        grzWorld_MarkSpoiler(world, row);
        areMarked = true;
    }
    return areMarked;
}

static grzResult stopMarked(grzWorld* world, grzStopReason reason, grzResult result) {
    for (uint32_t row = 0; row < grzWorld_RowCount(world) && result.status != grz_outOfMemory; ++row)
        if ((world->leavers.data[row / 64] >> row % 64 & 1) != 0)
            result = grzWorld_Stop(world, world->traits.data[row].slot, reason);
    return result;
}

static void rewindCloths(grzWorld* world) {
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        grzClothBody_Rewind(clothAt(world, i));
}

static void rewindAll(grzWorld* world) {
    const uint32_t rows = grzWorld_RowCount(world);
    if (rows != 0)
        memcpy(world->states.data, world->startStates.data, rows * sizeof(grzBodyState));
    rewindCloths(world);
}

// The solver has found numbers that are not finite. Whatever touches a body that is not finite becomes so as well:
// those are marked that were the first. The substeps are done again for that. Cloth that was near such a body need not
// go the same way then: if no number is spoilt, the body that the solver has named is marked.
static void markSpoilers(grzWorld* world, const grzSolveInput* step, uint32_t named) {
    ClothPasses* passes = step->hook != NULL ? step->hook->context : NULL;
    bool isAny = false;
    grzWorld_ClearSpoilers(world);
    if (world->stopped.count < MOST_TRACED) {
        if (passes != NULL)
            passes->isTracing = true;
        rewindCloths(world);
        grzContactSolver_Trace(world->solver, step);
    }
    if (passes != NULL && passes->isSpoilt)
        return;
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row)
        if (grzContactSolver_IsBad(world->solver, row)) {
            grzWorld_MarkSpoiler(world, row);
            isAny = true;
        }
    if (!isAny && named < grzWorld_RowCount(world))
        grzWorld_MarkSpoiler(world, named);
}

static grzResult refuseFar(grzWorld* world) {
    grzWorld_ClearSpoilers(world);
    if (markCloths(world, grzClothBody_IsFinite))
        return grzFail(grz_notFinite, grz_stopNotFinite);
    if (!markFar(world, true) && !markFar(world, false))
        (void)markCloths(world, grzClothBody_IsInRange);
    return grzFail(grz_notFinite, grz_stopTooFar);
}

// Bodies are where the solver leads them, touches as they were. Nothing writes states after the guard.
static grzResult accept(void* context) {
    grzWorld* world = context;
    if (isAnyFar(world))
        return refuseFar(world);
    const grzResult result = grzWorld_PrepareGuard(world);
    return grzResult_IsOk(result) ? grzWorld_Guard(world) : result;
}

// ----

grzResult grzWorld_Solve(grzWorld* world) {
    ClothPasses passes = {world, false, false};
    const grzSubstepHook hook = {&passes, solveCloth, finishCloth};
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
    step.accept = accept;
    step.acceptContext = world;
    step.tasks = world->def.tasks;
    step.profile = world->def.profile;
    const grzResult result = grzStep_Solve(world->solver, &step);
    const bool isSolvers = result.status == grz_notFinite && result.part == grz_partObject;
    if (isSolvers)
        markSpoilers(world, &step, (uint32_t)result.index);
    if (!grzResult_IsOk(result))
        rewindAll(world);
    world->states.count = world->masses.count = rows;
    if (result.status == grz_notFinite)
        return stopMarked(world, isSolvers ? grz_stopNotFinite : (grzStopReason)result.value, result);
    return result;
}
