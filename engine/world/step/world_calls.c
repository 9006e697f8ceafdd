// What: the border of a world: what the public calls have in common.
// Promise: a NULL world, and a call while another one changes the world, are refused, or have an answer of zeros and log an error.
// Idea: a call that changes the world marks it for as long as it lasts. Every call looks at the mark first. So two calls that
//   change a world are always told from each other; one that only reads is told of the change that is under way when it begins.
//   It marks nothing itself, so that any number of threads may read at a time and share no line that is written. A call that
//   prepares something marks the world only where there is something to do.
// Cost: a locked exchange for a call that changes the world, a load for one that reads.
#include "world_calls.h"

#include <string.h>

#include "check.h"
#include "refuse_null.h"
#include "world_inside.h"

static const char* const isAbsent = "world is NULL";
static const char* const isBusy =
    "another thread is in a call that changes the world, or this call comes from inside one";

// Marks the world, or says why not.
static grzResult enter(grzWorld* world) {
    bool expected = false;
    if (world == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), isAbsent);
    // What the last call has written is seen by this one.
    if (atomic_compare_exchange_strong_explicit(&world->isBusy, &expected, true, memory_order_acquire,
                                                memory_order_relaxed))
        return grzOk();
    return grzBecause(grzFail(grz_busy, 0), isBusy);
}

static void leave(grzWorld* world) {
    atomic_store_explicit(&world->isBusy, false, memory_order_release);
}

static grzResult look(const grzWorld* world) {
    if (world == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), isAbsent);
    return atomic_load_explicit(&world->isBusy, memory_order_acquire) ? grzBecause(grzFail(grz_busy, 0), isBusy)
                                                                      : grzOk();
}

// For calls without a result: what is refused is logged, but for a NULL world, which has no contents to tell of.
static bool isRefused(grzResult result, const char* call) {
    if (result.status == grz_busy)
        grzLog(grz_logError, "%s: %s", call, result.reason);
    return !grzResult_IsOk(result);
}

#define CHANGE(call)                                                                                               \
    grzResult result = enter(world);                                                                               \
    if (!grzResult_IsOk(result))                                                                                   \
        return result;                                                                                             \
    result = (call);                                                                                               \
    leave(world);                                                                                                  \
    return result

#define READ(nothing, call)                                                                                        \
    if (isRefused(look(world), __func__))                                                                          \
        return nothing;                                                                                            \
    return call

// -------------------- steps

void grzWorld_Destroy(grzWorld* world) {
    if (world != NULL && !isRefused(enter(world), __func__))
        grzInner_Destroy(world);
}

grzResult grzWorld_Step(grzWorld* world, float timeStep) {
    CHANGE(grzInner_Step(world, timeStep));
}

grzResult grzWorld_Collide(grzWorld* world, float timeStep) {
    CHANGE(grzInner_Collide(world, timeStep));
}

double grzWorld_Time(const grzWorld* world) {
    READ(0, grzInner_Time(world));
}

uint64_t grzWorld_StepCount(const grzWorld* world) {
    READ(0, grzInner_StepCount(world));
}

grzResult grzWorld_SetGravity(grzWorld* world, grzVec3 gravity) {
    CHANGE(grzInner_SetGravity(world, gravity));
}

uint64_t grzWorld_HashState(const grzWorld* world) {
    READ(0, grzInner_HashState(world));
}

// Writes the contacts, if they are not yet written.
static grzResult listContacts(grzWorld* world) {
    const grzResult seen = look(world);
    if (!grzResult_IsOk(seen) || grzInner_IsListed(world))
        return seen;
    CHANGE(grzWorld_ListContacts(world));
}

uint64_t grzWorld_HashContacts(grzWorld* world) {
    return isRefused(listContacts(world), __func__) ? 0 : grzInner_HashContacts(world);
}

grzBodyId grzWorld_BodyAt(const grzWorld* world, uint32_t slot) {
    READ(((grzBodyId){0, 0}), grzInner_BodyAt(world, slot));
}

uint32_t grzWorld_SlotCount(const grzWorld* world) {
    READ(0, grzInner_SlotCount(world));
}

bool grzWorld_HasBody(const grzWorld* world, grzBodyId id) {
    READ(false, grzInner_HasBody(world, id));
}

// -------------------- bodies

grzResult grzWorld_AddBody(grzWorld* world, const grzBodyDef* def, grzBodyId* id) {
    GRZ_REFUSE_NULL(id, 3);
    *id = (grzBodyId){0, 0};
    CHANGE(grzInner_AddBody(world, def, id));
}

grzResult grzWorld_AddBodies(grzWorld* world, const grzBodyDef* defs, uint32_t count, grzBodyId* ids) {
    GRZ_REFUSE_NULL_ARRAY(ids, count, 4);
    if (count != 0)
        memset(ids, 0, count * sizeof *ids);
    GRZ_REFUSE_NULL_ARRAY(defs, count, 2);
    CHANGE(grzInner_AddBodies(world, defs, count, ids));
}

grzResult grzWorld_RemoveBody(grzWorld* world, grzBodyId id) {
    CHANGE(grzInner_RemoveBody(world, id));
}

grzResult grzWorld_GetBody(const grzWorld* world, grzBodyId id, grzBodyView* view) {
    GRZ_REFUSE_NULL(view, 3);
    const grzResult result = look(world);
    memset(view, 0, sizeof *view);
    return grzResult_IsOk(result) ? grzInner_GetBody(world, id, view) : result;
}

void grzWorld_GetTransforms(const grzWorld* world, grzTransform* transforms, uint32_t count) {
    GRZ_RETURN_IF_NULL(transforms, );
    if (!isRefused(look(world), __func__))
        grzInner_GetTransforms(world, transforms, count);
}

grzResult grzWorld_PlaceBody(grzWorld* world, grzBodyId id, grzVec3 origin, grzQuat rotation) {
    CHANGE(grzInner_PlaceBody(world, id, origin, rotation));
}

grzResult grzWorld_SetVelocity(grzWorld* world, grzBodyId id, grzVec3 velocity, grzVec3 spin) {
    CHANGE(grzInner_SetVelocity(world, id, velocity, spin));
}

grzResult grzWorld_PushBody(grzWorld* world, grzBodyId id, grzVec3 point, grzVec3 impulse) {
    CHANGE(grzInner_PushBody(world, id, point, impulse));
}

grzResult grzWorld_AddForce(grzWorld* world, grzBodyId id, grzVec3 force, grzVec3 torque) {
    CHANGE(grzInner_AddForce(world, id, force, torque));
}

// -------------------- cloth and animated meshes

grzResult grzWorld_AddCloth(grzWorld* world, const grzClothDef* def, grzBodyId* id) {
    GRZ_REFUSE_NULL(id, 3);
    *id = (grzBodyId){0, 0};
    CHANGE(grzInner_AddCloth(world, def, id));
}

grzResult grzWorld_AddAnimated(grzWorld* world, const grzAnimatedDef* def, grzBodyId* id) {
    GRZ_REFUSE_NULL(id, 3);
    *id = (grzBodyId){0, 0};
    CHANGE(grzInner_AddAnimated(world, def, id));
}

grzResult grzWorld_GetCloth(const grzWorld* world, grzBodyId id, grzClothView* view) {
    GRZ_REFUSE_NULL(view, 3);
    const grzResult result = look(world);
    memset(view, 0, sizeof *view);
    return grzResult_IsOk(result) ? grzInner_GetCloth(world, id, view) : result;
}

grzResult grzWorld_MovePins(grzWorld* world, grzBodyId id, uint32_t first, uint32_t count, const float* positions) {
    CHANGE(grzInner_MovePins(world, id, first, count, positions));
}

grzResult grzWorld_PlaceCloth(grzWorld* world, grzBodyId id, const float* positions, const float* velocities) {
    CHANGE(grzInner_PlaceCloth(world, id, positions, velocities));
}

grzResult grzWorld_AddKeyframe(grzWorld* world, grzBodyId id, double time, const float* positions) {
    CHANGE(grzInner_AddKeyframe(world, id, time, positions));
}

grzResult grzWorld_SetVertexVelocities(grzWorld* world, grzBodyId id, const uint32_t* vertices,
                                       const float* velocities, uint32_t count) {
    CHANGE(grzInner_SetVertexVelocities(world, id, vertices, velocities, count));
}

grzResult grzWorld_SetVertices(grzWorld* world, grzBodyId id, const float* positions) {
    CHANGE(grzInner_SetVertices(world, id, positions));
}

grzResult grzWorld_GetAnimated(const grzWorld* world, grzBodyId id, grzAnimatedView* view) {
    GRZ_REFUSE_NULL(view, 3);
    const grzResult result = look(world);
    memset(view, 0, sizeof *view);
    return grzResult_IsOk(result) ? grzInner_GetAnimated(world, id, view) : result;
}

// -------------------- queries

grzWorldContacts grzWorld_GetContacts(grzWorld* world) {
    const grzResult result = listContacts(world);
    return isRefused(result, __func__) ? (grzWorldContacts){.result = result} : grzInner_GetContacts(world);
}

grzHitList grzWorld_GetHits(grzWorld* world) {
    const grzResult result = listContacts(world);
    return isRefused(result, __func__) ? (grzHitList){.result = result} : grzInner_GetHits(world);
}

grzWorldBodyEvents grzWorld_GetBodyEvents(const grzWorld* world) {
    READ(((grzWorldBodyEvents){NULL, 0}), grzInner_GetBodyEvents(world));
}

grzResult grzWorld_GetHorizon(const grzWorld* world, grzBodyId a, grzBodyId b, double* time) {
    GRZ_REFUSE_NULL(time, 4);
    const grzResult result = look(world);
    *time = 0;
    return grzResult_IsOk(result) ? grzInner_GetHorizon(world, a, b, time) : result;
}

grzWorldStats grzWorld_GetStats(const grzWorld* world) {
    READ(((grzWorldStats){0}), grzInner_GetStats(world));
}

bool grzWorld_Validate(const grzWorld* world) {
    READ(false, grzInner_Validate(world));
}

grzResult grzWorld_EnterQuery(const grzWorld* world) {
    return look(world);
}
