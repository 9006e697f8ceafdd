// What: stops bodies whose state after the step could not be used: not finite, or beyond 1e15.
// Promise: a stopped body keeps its position and rotation, to the bit, and loses its velocity. All others move as if it
//   were static. No step is refused for what a body does.
// Idea: a stage that finds such a body stops it and is refused. What the step has done is taken back, as for any
//   refusal, and all of its stages run again. The body has no mass and no flags for so long: to stages it is one that
//   does not move.
// Cost: none where nothing is stopped; else each round of stops costs a step. A body is stopped once, so there is an
//   end.
#include <string.h>

#include "record_sort.h"
#include "result_make.h"
#include "world_calls.h"
#include "world_inside.h"

const char* grzStopReason_Text(grzStopReason reason) {
    return reason == grz_stopTooFar ? "the step would lead it beyond 1e15"
                                    : "its position, rotation or velocity would not be finite after the step";
}

static grzResult refusal(uint32_t slot, grzStopReason reason) {
    return grzBecause(grzFailAt(grz_notFinite, grz_partObject, slot, 0), grzStopReason_Text(reason));
}

static grzClothBody* clothAt(const grzWorld* world, uint32_t row) {
    const grzCollider* collider = &world->colliders.data[row];
    return collider->kind == grz_clothCollider ? collider->cloth : NULL;
}

static grzAnimatedBody* animatedAt(const grzWorld* world, uint32_t row) {
    const grzCollider* collider = &world->colliders.data[row];
    return collider->kind == grz_animatedCollider ? collider->animated : NULL;
}

static bool mayStop(const grzWorld* world, uint32_t row) {
    if (world->isCollideOnly)
        return false;
    if (clothAt(world, row) != NULL)
        return !grzClothBody_IsHeld(clothAt(world, row));
    if (animatedAt(world, row) != NULL)
        return grzAnimatedBody_MayStop(animatedAt(world, row));
    return (world->masses.data[row].flags & grz_bodyMoves) != 0;
}

// Memory for one more, and for its event.
static bool reserve(grzWorld* world) {
    const size_t count = world->stopped.count + 1;
    const size_t words = (grzRecordScratchSize(&grzBodyEventType, count) + 7) / 8;
    return grzArray_Reserve(&world->stopped, &world->allocator, count) &&
           grzArray_Reserve(&world->bodyEvents, &world->allocator, count) &&
           grzArray_Reserve(&world->bodyEventScratch, &world->allocator, words);
}

grzResult grzWorld_Stop(grzWorld* world, uint32_t slot, grzStopReason reason) {
    const uint32_t row = grzWorld_RowOf(world, slot);
    grzAnimatedBody* animated = animatedAt(world, row);
    if (!mayStop(world, row))
        return refusal(slot, reason);
    if (!reserve(world))
        return grzNoMemory(world->stopped.count + 1, sizeof(grzStopped));
    const grzResult result = animated != NULL ? grzAnimatedBody_Stop(animated) : grzOk();
    if (!grzResult_IsOk(result))
        return result;
    grzStopped* stopped = &world->stopped.data[world->stopped.count++];
    *stopped = (grzStopped){slot, (uint32_t)reason, world->masses.data[row], world->states.data[row]};
    if (clothAt(world, row) != NULL)
        grzClothBody_Hold(clothAt(world, row));
    grzBodyTraits* traits = &world->traits.data[row];
    if (grzBodyTraits_Body(traits) == grz_dynamicBody) // the guard does not move it
        traits->shape.own[0] = grz_kinematicBody;
    memset(&world->masses.data[row], 0, sizeof(grzBodyMass));
    world->states.data[row].velocity = world->states.data[row].spin = grzVec3_Zero();
    return refusal(slot, reason);
}

static float farthestOf(const grzWorld* world, uint32_t row) {
    const grzBox box = world->sweeps.data[row];
    return grzMaxElement(grzMax(grzAbs(box.lower), grzAbs(box.upper)));
}

grzResult grzWorld_StopFarther(grzWorld* world, uint32_t rowA, uint32_t rowB) {
    const bool isB =
        mayStop(world, rowB) && (!mayStop(world, rowA) || farthestOf(world, rowB) > farthestOf(world, rowA));
    return grzWorld_Stop(world, world->traits.data[isB ? rowB : rowA].slot, grz_stopTooFar);
}

static void endStop(grzWorld* world, const grzStopped* stopped, bool isDone) {
    const uint32_t row = grzWorld_RowOf(world, stopped->slot);
    world->masses.data[row] = stopped->mass;
    world->traits.data[row].shape.own[0] = (uint8_t)world->colliders.data[row].body;
    if (!isDone)
        world->states.data[row] = stopped->state;
    if (clothAt(world, row) != NULL)
        grzClothBody_Release(clothAt(world, row), isDone);
    if (animatedAt(world, row) != NULL)
        grzAnimatedBody_Release(animatedAt(world, row), isDone);
}

void grzWorld_EndStops(grzWorld* world, bool isDone) {
    world->bodyEvents.count = 0;
    for (size_t i = 0; i < world->stopped.count; ++i) {
        const grzStopped* stopped = &world->stopped.data[i];
        endStop(world, stopped, isDone);
        if (isDone)
            world->bodyEvents.data[world->bodyEvents.count++] =
                (grzBodyEvent){grzInner_BodyAt(world, stopped->slot), grz_bodyStopped, stopped->reason};
    }
    world->stopped.count = 0;
    grzSortRecords(&grzBodyEventType, world->bodyEvents.data, world->bodyEvents.count,
                   world->bodyEventScratch.data);
}

grzWorldBodyEvents grzInner_GetBodyEvents(const grzWorld* world) {
    return (grzWorldBodyEvents){world->bodyEvents.data, world->bodyEvents.count};
}
