// What: tells what was found: contacts in order, events, hits, boxes around bodies where they have come.
// Promise: lists as graze/stage/step_contacts.h has them. After this stage the tree's boxes hold all bodies, so that queries see them.
// Idea: how many contacts there are is known at once; the lists of contacts, events and hits are written when
//   somebody asks (grzWorld_GetContacts): all that they are made of stays until the next step.
#include <string.h>

#include "check.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "record_sort.h"
#include "world_calls.h"
#include "world_inside.h"
#include "world_narrow.h"

// ----------------------------------------------------------------------------------------------------------- lists

bool grzInner_IsListed(const grzWorld* world) {
    return world->isListed;
}

// Memory for the contacts of the step, and for events and hits, of which there are at most as many as pairs that
// touch or did so. stops: so many at most, beside the contacts.
grzResult grzWorld_ReserveLists(grzWorld* world, size_t stops) {
    const grzAllocator* allocator = &world->allocator;
    const size_t contacts = world->contactCount + stops;
    const size_t units = grzTouches_GetView(world->touches, world->now).unitCount;
    // A pair of a cloth may turn out to touch when the substeps are done, and so may one whose contacts have gaps, or
    // that is stopped.
    size_t events = stops + (size_t)world->tables[0].touchingCount + world->tables[1].touchingCount +
                    (world->clothSlots.count != 0 ? grzWorld_PairCount(world) : 0);
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        events += world->rowBlocks.data[i].undecided;
    if (!grzArray_Reserve(&world->contacts, allocator, contacts) ||
        !grzArray_Reserve(&world->impulses, allocator, contacts) ||
        !grzArray_Reserve(&world->frictions, allocator, contacts) ||
        !grzArray_Reserve(&world->touchFrictions, allocator, units) ||
        !grzArray_Reserve(&world->events, allocator, events) || !grzArray_Reserve(&world->hits, allocator, events))
        return grzNoMemory(contacts, sizeof(grzContact));
    return grzOk();
}

// Touches that the solver has not taken have done nothing.
static void readFrictions(grzWorld* world) {
    if (world->isCollideOnly)
        return;
    const grzTouchesView touches = grzTouches_GetView(world->touches, world->now);
    if (touches.unitCount != 0)
        memset(world->touchFrictions.data, 0, touches.unitCount * sizeof *world->touchFrictions.data);
    grzContactSolver_GetFrictions(world->solver, world->def.tasks, world->touchFrictions.data);
}

static void writeLists(grzWorld* world) {
    const grzPairTableView* view = &world->pairs.view;
    const grzTouchesView touches = grzTouches_GetView(world->touches, world->now);
    grzPublishInput input = grzDefaultPublishInput();
    input.pairs = grzWorld_Pairs(world);
    input.endedRows = view->endedCount != 0 ? &view->ended->row : NULL;
    input.endedStride = sizeof *view->ended;
    input.endedCount = view->endedCount;
    input.units = touches.units;
    input.names = touches.names;
    input.starts = world->startStates.data;
    input.contacts = world->tables[world->now].meshContacts.data;
    input.spans = world->clothSpans.data;
    input.isHeld = world->isCollideOnly;
    input.frictions = world->touchFrictions.data;
    input.velocities = world->narrow->meshVelocities.data;
    input.motions = world->motions.data;
    input.hitSpeed = world->def.hitSpeed;
    input.stops = world->stops.data;
    input.stopCount = world->stops.count;
    input.substepCount = world->def.substepCount;
    input.tasks = world->def.tasks;
    input.profile = world->def.profile;
    grzPublishOutput output = {.contacts = world->contacts.data,
                               .impulses = world->impulses.data,
                               .frictions = world->frictions.data,
                               .events = world->events.data,
                               .hits = world->hits.data};
    readFrictions(world);
    const grzResult result = grzStep_Publish(&input, &output);
    GRZ_ASSERT(grzResult_IsOk(result));
    (void)result;
    world->contacts.count = world->impulses.count = world->frictions.count = output.contactCount;
    world->events.count = output.eventCount;
    world->hits.count = output.hitCount;
}

void grzWorld_ClearLists(grzWorld* world) {
    world->contacts.count = world->impulses.count = world->frictions.count = 0;
    world->events.count = world->hits.count = 0;
}

grzResult grzWorld_ListContacts(grzWorld* world) {
    if (world->isListed)
        return grzOk();
    const grzResult result = world->hasLists ? grzOk() : grzWorld_ReserveLists(world, world->stops.count);
    if (!grzResult_IsOk(result))
        return result;
    world->hasLists = true;
    writeLists(world);
    world->isListed = true;
    GRZ_VALIDATE(grzAreRecordsSorted(&grzContactType, world->contacts.data, world->contacts.count));
    GRZ_VALIDATE(grzAreRecordsSorted(&grzEventType, world->events.data, world->events.count));
    GRZ_VALIDATE(grzAreRecordsSorted(&grzHitType, world->hits.data, world->hits.count));
    return result;
}

grzHitList grzInner_GetHits(const grzWorld* world) {
    return (grzHitList){.hits = world->hits.data, .count = world->hits.count};
}

grzWorldContacts grzInner_GetContacts(const grzWorld* world) {
    return (grzWorldContacts){.contacts = world->contacts.data,
                              .impulses = world->impulses.data,
                              .frictions = world->frictions.data,
                              .contactCount = world->contacts.count,
                              .events = world->events.data,
                              .eventCount = world->events.count};
}

// The clock of a mesh that stands still is behind the world's.
grzResult grzInner_GetHorizon(const grzWorld* world, grzBodyId a, grzBodyId b, double* time) {
    const grzResult resultA = grzWorld_CheckId(world, a), resultB = grzWorld_CheckId(world, b);
    if (!grzResult_IsOk(resultA) || !grzResult_IsOk(resultB))
        return grzFail(grz_staleHandle, grzResult_IsOk(resultA) ? 3 : 2);
    if (!grzMeshTouches_Horizon(world->narrow->mesh, a, b, time) || *time < world->time)
        *time = world->time;
    return grzOk();
}

// --------------------------------------------------------------------------------------------------------- counts

// All that can be refused is asked for before the first body moves.
grzResult grzWorld_CountContacts(grzWorld* world) {
    grzStepTable* table = &world->tables[world->now];
    const grzStepPairs pairs = grzWorld_Pairs(world);
    const size_t contacts = grzStepPairs_ContactCount(&pairs);
    table->touchingCount = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        table->touchingCount += world->rowBlocks.data[i].touching;
    if (contacts > UINT32_MAX)
        return grzFail(grz_tooLarge, contacts);
    world->contactCount = contacts;
    return world->hasLists ? grzWorld_ReserveLists(world, 0) : grzOk();
}

// ----------------------------------------------------------------------------------------------------------- boxes

static bool hasLeft(const grzWorld* world, uint32_t row) {
    return !grzBox_Contains(world->sweeps.data[row], world->boxes.data[row]);
}

static void settleRow(grzWorld* world, uint32_t row) {
    const grzBodyTraits* traits = &world->traits.data[row];
    if ((world->masses.data[row].flags & grz_bodyMoves) != 0)
        grzWorld_PlaceCollider(world, row);
    else if (traits->shape.kind == grz_clothCollider)
        world->boxes.data[row] = grzClothBody_Box(world->colliders.data[row].cloth);
    else if (traits->shape.kind == grz_animatedCollider)
        world->boxes.data[row] = grzAnimatedBody_BoxNow(world->colliders.data[row].animated);
}

enum { leaverBits = 64, settleWords = 2 };

static void settleBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stagePublish, "settle", worker);
    for (uint32_t word = begin; word < end; ++word) {
        const uint32_t first = word * leaverBits, rows = grzWorld_RowCount(world);
        uint64_t leavers = 0;
        for (uint32_t row = first; row < rows && row < first + leaverBits; ++row) {
            settleRow(world, row);
            leavers |= (uint64_t)hasLeft(world, row) << (row - first);
        }
        world->leavers.data[word] = leavers;
    }
    GRZ_ZONE_END(zone);
}

static void settle(grzWorld* world) {
    const uint32_t words = (grzWorld_RowCount(world) + leaverBits - 1) / leaverBits;
    grzParallelForNear(world->def.tasks, words, settleWords, settleBlock, world);
    for (uint32_t word = 0; word < words; ++word)
        for (uint64_t rest = world->leavers.data[word]; rest != 0; rest &= rest - 1)
            grzWorld_MendTree(world, word * leaverBits + (uint32_t)__builtin_ctzll(rest));
}

static void countStep(grzWorld* world) {
    grzStepTable* table = &world->tables[world->now];
    grzWorldStats* stats = &world->stats;
    const uint64_t trianglePairs = stats->trianglePairs;
    memset(stats, 0, sizeof *stats);
    stats->trianglePairs = trianglePairs;
    stats->bodyPairs = grzWorld_PairCount(world);
    stats->contacts = world->contactCount + world->stops.count;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        stats->recycledPairs += world->rowBlocks.data[i].recycled;
    table->touchingCount = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        table->touchingCount += world->rowBlocks.data[i].touching;
    stats->touchingPairs = table->touchingCount;
    const grzContactSolverStats solved = grzContactSolver_GetStats(world->solver);
    stats->colors = world->isCollideOnly ? 0 : solved.colorCount;
    stats->overflow = world->isCollideOnly ? 0 : solved.overflowCount;
}

static void findTouching(grzWorld* world) {
    const grzTouchingInput input = {grzWorld_Pairs(world), grzTouches_GetView(world->touches, world->now).units,
                                    world->def.tasks};
    const grzResult result = grzStep_FindTouching(&input);
    GRZ_ASSERT(grzResult_IsOk(result));
    (void)result;
}

void grzWorld_Publish(grzWorld* world) {
    grzWorld_ClearLists(world);
    world->isListed = false;
    world->stops.count = 0;
    if (!world->isCollideOnly) {
        grzWorld_AddStops(world);
        findTouching(world);
    }
    grzWorld_MeetCloth(world);
    world->states.count = world->masses.count =
        grzWorld_RowCount(world); // no more rows of surfaces, which the solver alone takes
    settle(world);
    countStep(world);
}
