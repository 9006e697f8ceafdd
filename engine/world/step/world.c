// What: makes a world, leads it through a step, and says what was counted.
// Promise: graze/world.h. A refused step leaves bodies where they were: what stages write before the solver is theirs
//   alone, and the solver asks for all of its memory before it writes. A step that a body would spoil is done again
//   without it.
// Idea: a step is six calls over the arrays that world_inside.h draws; everything that is kept from step to step lies in two
//   tables of pairs that take turns.
#include <math.h>
#include <string.h>

#include "check.h"
#include "hash.h"
#include "memory.h"
#include "owner.h"
#include "profile_uses.h"
#include "profile_zone.h"
#include "refuse_null.h"
#include "task_awake.h"
#include "task_uses.h"
#include "world_calls.h"
#include "world_guard.h"
#include "world_inside.h"
#include "world_narrow.h"
#include "world_near.h"

static const uint32_t worldDefMark = 0x67576f31;
// Shorter ones have substeps whose squares, or rates, no float can hold.
static const float leastTimeStep = 1e-15f;

grzWorldDef grzDefaultWorldDef(void) {
    grzWorldDef def;
    memset(&def, 0, sizeof def);
    def.mark = worldDefMark;
    const grzSolverSettings solver = grzDefaultSolveInput().settings;
    def.substepCount = solver.substepCount;
    def.gravity = grzVec3_Make(0.0f, -9.81f, 0.0f);
    def.margin = 0.02f;
    def.marginShare = 1.0f / 6.0f;
    def.contactHertz = solver.contactHertz;
    def.contactDampingRatio = solver.contactDampingRatio;
    def.pushSpeed = solver.pushSpeed;
    def.restitutionThreshold = solver.restitutionThreshold;
    def.hitSpeed = grzDefaultPublishInput().hitSpeed;
    def.releaseSteps = 100;
    return def;
}

// The first number that is not finite.
static const char* endlessOf(const grzWorldDef* def) {
    if (!grzIsInRange(def->gravity))
        return "the gravity is not finite, or beyond 1e15";
    if (!isfinite(def->margin))
        return "the margin is not finite";
    if (!isfinite(def->marginShare))
        return "marginShare is not finite";
    if (!isfinite(def->contactHertz))
        return "contactHertz is not finite";
    if (!isfinite(def->contactDampingRatio))
        return "contactDampingRatio is not finite";
    if (!isfinite(def->pushSpeed))
        return "pushSpeed is not finite";
    if (!isfinite(def->restitutionThreshold))
        return "restitutionThreshold is not finite";
    return isfinite(def->hitSpeed) ? NULL : "hitSpeed is not finite";
}

static const char* flawOf(const grzWorldDef* def) {
    if (def->substepCount < 1 || def->substepCount > 64)
        return "substepCount is not 1 to 64";
    if (!(def->margin >= 0.0f && def->margin <= 1e15f))
        return "the margin is negative, or beyond 1e15";
    if (!(def->marginShare >= 0.0f))
        return "marginShare is negative";
    if (!(def->contactHertz > 0.0f))
        return "contactHertz is not above 0";
    if (!(def->contactDampingRatio >= 0.0f))
        return "contactDampingRatio is negative";
    if (!(def->pushSpeed >= 0.0f))
        return "pushSpeed is negative";
    if (!(def->restitutionThreshold >= 0.0f))
        return "restitutionThreshold is negative";
    if (!(def->hitSpeed >= 0.0f))
        return "hitSpeed is negative";
    if (def->idSalt >= 0x80000000u)
        return "idSalt is not below 2^31";
    const bool isShort =
        def->profile != NULL && grzProfile_WorkerCount(def->profile) < grzTasks_WorkerCount(def->tasks);
    return isShort ? "the profile has fewer workers than the tasks" : NULL;
}

static grzResult checkDef(const grzWorldDef* def) {
    if (def == NULL || def->mark != worldDefMark)
        return grzFail(grz_badDef, 0);
    const char* flaw = endlessOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_notFinite, 1), flaw);
    flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    return grzCheckAllocator(def->allocator, 1);
}

static grzResult registerCounters(grzWorld* world) {
    static const char* const names[] = {"body pairs", "recycled pairs", "triangle pairs", "contacts",
                                        "touching pairs"};
    _Static_assert(sizeof names / sizeof *names == sizeof world->counters / sizeof *world->counters, "a name each");
    return grzProfile_RegisterCounters(world->def.profile, names, sizeof names / sizeof *names, world->counters);
}

static grzResult makeParts(grzWorld* world) {
    grzTreeDef treeDef = grzDefaultTreeDef();
    treeDef.allocator = world->allocator;
    treeDef.idSalt = world->def.idSalt;
    grzResult result = grzTree_Create(&treeDef, &world->tree);
    if (grzResult_IsOk(result))
        result = grzTreePairs_Create(world->allocator, &world->finder);
    if (grzResult_IsOk(result))
        result = grzPairRows_Create(&world->pairs, &world->allocator);
    if (grzResult_IsOk(result))
        result = grzNear_Create(&world->def, &world->allocator, &world->near);
    if (grzResult_IsOk(result))
        result = grzTouches_Create(world->allocator, &world->touches);
    if (grzResult_IsOk(result))
        result = grzContactSolver_Create(world->allocator, &world->solver);
    if (grzResult_IsOk(result))
        result = grzNarrow_Create(&world->allocator, &world->narrow);
    if (grzResult_IsOk(result))
        result =
            grzGuard_Create(&world->allocator, world->tree, grzTasks_WorkerCount(world->def.tasks), &world->guard);
    return grzResult_IsOk(result) ? registerCounters(world) : result;
}

grzResult grzWorld_Create(const grzWorldDef* def, grzWorld** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzWorld* world = grzOwner_NewFrom(&allocator, sizeof *world, _Alignof(grzWorld), &result);
    if (world == NULL)
        return result;
    grzCountedMemory_Init(&world->memory, allocator);
    world->allocator = world->memory.allocator;
    world->def = *def;
    world->isListed = true;
    grzUses_Begin(grzTasks_Uses(def->tasks));
    grzUses_Begin(grzProfile_Uses(def->profile));
    grzIdPool_Create(&world->pool, world->allocator, grzIdPool_DrawSalt(def->idSalt));
    result = makeParts(world);
    if (!grzResult_IsOk(result)) {
        grzInner_Destroy(world);
        return result;
    }
    *made = world;
    return grzOk();
}

// Of bodies, by row.
static void callRows(grzWorld* world, grzArrayCall* call) {
    const grzAllocator* allocator = &world->allocator;
    grzArray_Call(&world->bodies, call, allocator);
    grzArray_Call(&world->colliders, call, allocator);
    grzArray_Call(&world->traits, call, allocator);
    grzArray_Call(&world->leavers, call, allocator);
    grzArray_Call(&world->states, call, allocator);
    grzArray_Call(&world->startStates, call, allocator);
    grzArray_Call(&world->masses, call, allocator);
    grzArray_Call(&world->boxes, call, allocator);
    grzArray_Call(&world->sweeps, call, allocator);
    grzArray_Call(&world->motions, call, allocator);
    grzArray_Call(&world->moved, call, allocator);
    grzArray_Call(&world->pushes, call, allocator);
}

// Of what was found.
static void callFound(grzWorld* world, grzArrayCall* call) {
    const grzAllocator* allocator = &world->allocator;
    grzArray_Call(&world->contacts, call, allocator);
    grzArray_Call(&world->impulses, call, allocator);
    grzArray_Call(&world->frictions, call, allocator);
    grzArray_Call(&world->touchFrictions, call, allocator);
    grzArray_Call(&world->events, call, allocator);
    grzArray_Call(&world->hits, call, allocator);
    grzArray_Call(&world->stops, call, allocator);
    grzArray_Call(&world->stoppedPairs, call, allocator);
    grzArray_Call(&world->bodyEvents, call, allocator);
    grzArray_Call(&world->bodyEventScratch, call, allocator);
    grzArray_Call(&world->stopped, call, allocator);
    for (int i = 0; i < 2; ++i)
        grzArray_Call(&world->tables[i].meshContacts, call, allocator);
}

static void releaseArrays(grzWorld* world) {
    for (size_t i = 0; i < world->recordPages.count; ++i)
        grzRelease(&world->allocator, world->recordPages.data[i], GRZ_RECORD_PAGE, sizeof(grzBodyRecord),
                   _Alignof(grzBodyRecord));
    const grzAllocator* allocator = &world->allocator;
    callRows(world, grzFreeArray);
    callFound(world, grzFreeArray);
    grzArray_Release(&world->recordPages, allocator);
    grzArray_Release(&world->rows1, allocator);
    grzArray_Release(&world->treeBoxes, allocator);
    grzArray_Release(&world->clothSlots, allocator);
    grzArray_Release(&world->animatedSlots, allocator);
    grzArray_Release(&world->obstacles, allocator);
    grzArray_Release(&world->obstacleEnds, allocator);
    grzArray_Release(&world->clothSpans, allocator);
    grzArray_Release(&world->rowBlocks, allocator);
}

static void endUse(const grzWorld* world, uint32_t slot) {
    grzRigid scratch;
    grzBox box;
    if (grzWorld_Record(world, slot)->kind != grz_noCollider)
        grzUses_End(grzCollider_Uses(grzWorld_ColliderAt(world, slot, &scratch, &box)));
}

void grzInner_Destroy(grzWorld* world) {
    for (uint32_t slot = 0; slot < grzWorld_Slots(world); ++slot)
        endUse(world, slot);
    grzUses_End(grzTasks_Uses(world->def.tasks));
    grzUses_End(grzProfile_Uses(world->def.profile));
    for (size_t i = 0; i < world->clothSlots.count; ++i)
        grzClothBody_Destroy(world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[i])].cloth);
    for (size_t i = 0; i < world->animatedSlots.count; ++i)
        grzAnimatedBody_Destroy(
            world->colliders.data[grzWorld_RowOf(world, world->animatedSlots.data[i])].animated);
    grzNarrow_Destroy(world->narrow, &world->allocator);
    grzGuard_Destroy(world->guard, &world->allocator);
    grzContactSolver_Destroy(world->solver);
    grzTouches_Destroy(world->touches);
    grzTreePairs_Destroy(world->finder);
    grzPairRows_Destroy(&world->pairs, &world->allocator);
    grzNear_Destroy(world->near, &world->allocator);
    grzTree_Destroy(world->tree);
    grzIdPool_Destroy(&world->pool);
    releaseArrays(world);
    const grzAllocator allocator = world->memory.host;
    grzRelease(&allocator, world, 1, sizeof *world, _Alignof(grzWorld));
}

// --------------------------------------------------------------------------------------------------------- steps

static grzResult plan(grzWorld* world) {
    grzWorld_Plan(world);
    return grzOk();
}

static grzResult solve(grzWorld* world) {
    return world->isCollideOnly ? grzOk() : grzWorld_Solve(world);
}

static grzResult publish(grzWorld* world) {
    grzWorld_Publish(world);
    return grzOk();
}

static grzResult runStages(grzWorld* world) {
    grzResult (*const stages[])(grzWorld*) = {plan, grzWorld_Broad, grzWorld_Mid, grzWorld_Narrow, solve, publish};
    grzResult result = grzOk();
    for (int i = 0; i < grz_stageUser && grzResult_IsOk(result); ++i) {
        grzZone zone;
        grzProfile_BeginZone(world->def.profile, (grzStage)i, grzStage_Name((grzStage)i), 0, &zone);
        result = stages[i](world);
        grzProfile_EndZone(&zone);
    }
    return result;
}

static void countInProfile(const grzWorld* world) {
    const grzWorldStats* stats = &world->stats;
    const uint64_t counts[] = {stats->bodyPairs, stats->recycledPairs, stats->trianglePairs, stats->contacts,
                               stats->touchingPairs};
    _Static_assert(sizeof counts / sizeof *counts == sizeof world->counters / sizeof *world->counters,
                   "a counter each");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        GRZ_COUNT(world->def.profile, 0, world->counters[i], counts[i]);
}

// Meshes that wait at the end of a refused step are seen there.
static void settleAnimated(grzWorld* world) {
    for (size_t i = 0; i < world->animatedSlots.count; ++i) {
        const uint32_t row = grzWorld_RowOf(world, world->animatedSlots.data[i]);
        world->boxes.data[row] = grzAnimatedBody_BoxNow(world->colliders.data[row].animated);
        grzWorld_MendTree(world, row);
    }
}

// Rows are asked for when bodies come; that those which are there are needed is noted here.
static void trim(grzWorld* world) {
    if (grzWorld_ReserveRows(world, grzWorld_RowCount(world)))
        callRows(world, grzTrimArray);
    callFound(world, grzTrimArray);
    grzNarrow_Trim(world->narrow, &world->allocator);
    grzGuard_Trim(world->guard, &world->allocator);
    grzTouches_Trim(world->touches, world->now);
    grzContactSolver_Trim(world->solver);
}

// The last step's pairs are in force again; but what its list of contacts is made from may be gone.
static void takeBack(grzWorld* world, uint32_t now) {
    grzPairRows_Close(&world->pairs, false);
    world->now = now;
    grzNarrow_RefuseStep(world->narrow);
    grzWorld_ClearLists(world);
    world->isListed = true;
    world->states.count = world->masses.count = grzWorld_RowCount(world);
}

// As often as a stage has stopped a body.
static grzResult runUntilDone(grzWorld* world) {
    const uint32_t now = world->now;
    for (;;) {
        const size_t stopped = world->stopped.count;
        const grzResult result = runStages(world);
        if (grzResult_IsOk(result))
            return result;
        takeBack(world, now);
        if (result.status != grz_notFinite || world->stopped.count == stopped)
            return result;
    }
}

static void dropForces(grzWorld* world) {
    if (world->hasForces)
        memset(world->pushes.data, 0, world->pushes.count * sizeof(grzPush));
    world->hasForces = false;
}

static grzResult run(grzWorld* world, float timeStep, bool isCollideOnly) {
    if (world->def.releaseSteps != 0 && world->stepCount != 0 && world->stepCount % world->def.releaseSteps == 0)
        trim(world); // here, since lists of contacts are made from what the last step has left
    world->timeStep = timeStep;
    world->isCollideOnly = isCollideOnly;
    grzTasks_StayAwake(world->def.tasks);
    const grzResult result = runUntilDone(world);
    grzTasks_MaySleep(world->def.tasks);
    grzWorld_EndStops(world, grzResult_IsOk(result));
    if (!grzResult_IsOk(result)) {
        settleAnimated(world);
        return result;
    }
    grzPairRows_Close(&world->pairs, true);
    world->time += (double)timeStep;
    ++world->stepCount;
    countInProfile(world);
    return result;
}

static grzResult checkTimeStep(float timeStep) {
    if (!isfinite(timeStep))
        return grzBecause(grzFail(grz_notFinite, 2), "the time step is not finite");
    if (!(timeStep > 0.0f))
        return grzBecause(grzFail(grz_badArgument, 2), "the time step is not above 0");
    if (!(timeStep >= leastTimeStep))
        return grzBecause(grzFail(grz_badArgument, 2), "the time step is below 1e-15");
    return grzOk();
}

grzResult grzInner_Step(grzWorld* world, float timeStep) {
    grzResult result = checkTimeStep(timeStep);
    if (grzResult_IsOk(result))
        result = run(world, timeStep, false);
    dropForces(world);
    return result;
}

grzResult grzInner_Collide(grzWorld* world, float timeStep) {
    if (!isfinite(timeStep))
        return grzBecause(grzFail(grz_notFinite, 2), "the time step is not finite");
    if (!(timeStep >= 0.0f))
        return grzBecause(grzFail(grz_badArgument, 2), "the time step is negative");
    return run(world, timeStep, true);
}

double grzInner_Time(const grzWorld* world) {
    return world->time;
}

uint64_t grzInner_StepCount(const grzWorld* world) {
    return world->stepCount;
}

grzResult grzInner_SetGravity(grzWorld* world, grzVec3 gravity) {
    if (!grzIsInRange(gravity))
        return grzBecause(grzFail(grz_notFinite, 2), "the gravity is not finite, or beyond 1e15");
    world->def.gravity = gravity;
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------- hashes

static void hashState(grzHash* hash, const grzBodyState* state) {
    for (size_t i = 0; i < sizeof *state / sizeof(float); ++i)
        grzHash_AddFloat(hash, ((const float*)state)[i]);
}

static void hashBody(grzHash* hash, const grzWorld* world, uint32_t slot) {
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    grzHash_AddU32(hash, record->kind);
    if (record->isStill) {
        grzRigid rigid;
        grzWorld_ReadStill(world, slot, &rigid);
        hashState(hash, &rigid.state);
        return;
    }
    const uint32_t row = grzWorld_RowOf(world, slot);
    const grzCollider* collider = &world->colliders.data[row];
    if (collider->kind == grz_clothCollider)
        grzHash_AddU64(hash, grzClothBody_Hash(collider->cloth));
    else if (collider->kind == grz_animatedCollider)
        grzHash_AddU64(hash, grzAnimatedBody_Hash(collider->animated));
    else
        hashState(hash, &world->states.data[row]);
}

uint64_t grzInner_HashState(const grzWorld* world) {
    grzHash hash = grzHash_Begin(0);
    for (uint32_t slot = 0; slot < grzWorld_Slots(world); ++slot)
        if (grzWorld_Record(world, slot)->kind != grz_noCollider)
            hashBody(&hash, world, slot);
    return grzHash_End(&hash);
}

// Records are words of four bytes without a gap.
static void addWords(grzHash* hash, const void* record, size_t size) {
    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char*)record + at, sizeof word);
        grzHash_AddU32(hash, word);
    }
}

static void hashEvent(grzHash* hash, const grzEvent* event) {
    grzHash_AddU64(hash, event->bodyA.index1);
    grzHash_AddU64(hash, event->bodyB.index1);
    grzHash_AddU64(hash, event->kind);
    grzHash_AddU32(hash, event->firstContact);
    grzHash_AddU32(hash, event->contactCount);
}

uint64_t grzInner_HashContacts(const grzWorld* world) {
    grzHash hash = grzHash_Begin(0);
    for (size_t i = 0; i < world->contacts.count; ++i) {
        grzContact contact = world->contacts.data[i];
        contact.bodyA.generation = contact.bodyB.generation = 0;
        addWords(&hash, &contact, sizeof contact);
    }
    for (size_t i = 0; i < world->contacts.count; ++i) {
        grzHash_AddFloat(&hash, world->impulses.data[i]);
        addWords(&hash, &world->frictions.data[i], 3 * sizeof(float));
    }
    for (size_t i = 0; i < world->events.count; ++i)
        hashEvent(&hash, &world->events.data[i]);
    for (size_t i = 0; i < world->hits.count; ++i) {
        grzHit hit = world->hits.data[i];
        hit.bodyA.generation = hit.bodyB.generation = 0;
        addWords(&hash, &hit, sizeof hit);
    }
    for (size_t i = 0; i < world->bodyEvents.count; ++i) {
        grzHash_AddU32(&hash, world->bodyEvents.data[i].body.index1);
        grzHash_AddU32(&hash, world->bodyEvents.data[i].kind);
        grzHash_AddU32(&hash, world->bodyEvents.data[i].reason);
    }
    return grzHash_End(&hash);
}
