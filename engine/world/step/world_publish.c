// What: tells what was found: contacts in order, events, boxes around bodies where they have come.
// Promise: contacts ascend by their keys, events by theirs; both are functions of rows and touches. After this stage the tree's
//   boxes hold all bodies, so that queries see them.
// Idea: rows are in the order of bodies, so that only the few contacts of a pair need sorting. How many contacts there are is
//   known at once; the lists of contacts and events are written when somebody asks (grzWorld_GetContacts): all that they are made of
//   stays until the next step.
#include <string.h>

#include "check.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "record_sort.h"
#include "touch_keep.h"
#include "world_calls.h"
#include "world_inside.h"

// -------------------------------------------------------------------------------------------------------- contacts

static grzContact contactOf(const grzWorld* world, const grzPairRow* row, const grzTouch* touch,
                            const grzTouchPoint* point, const grzTouchName* name) {
    grzContact contact;
    memset(&contact, 0, sizeof contact);
    contact.point = grzTouchPoint_Place(point, &world->startStates.data[row->a], &world->startStates.data[row->b]);
    contact.normal = touch->normal;
    contact.separation = point->separation;
    contact.toi = point->separation <= 0.0f ? 0.0f : 1.0f;
    contact.bodyA = grzPairRow_IdA(row);
    contact.bodyB = grzPairRow_IdB(row);
    contact.triangleA = contact.triangleB = GRZ_NO_TRIANGLE;
    contact.featureA = name->featureA;
    contact.featureB = name->featureB;
    contact.ordinal = name->ordinal;
    return contact;
}

// Into its place among those of the pair that are there.
static void insertContact(grzContact* contacts, float* impulses, uint32_t count, const grzContact* contact,
                          float impulse) {
    uint32_t place = count;
    while (place > 0 && grzCompareRecords(&grzContactType, &contacts[place - 1], contact) > 0) {
        contacts[place] = contacts[place - 1];
        impulses[place] = impulses[place - 1];
        --place;
    }
    contacts[place] = *contact;
    impulses[place] = impulse;
}

static float impulseOf(const grzTouchPoint* point) {
    return point->normalImpulse + point->bounceImpulse;
}

// A contact of a mesh as it was found, with what became of it.
static void listMeshPoint(const grzContact* found, const grzTouchPoint* point, grzContact* contact,
                          float* impulse) {
    *contact = *found;
    contact->separation = point->separation;
    contact->toi = point->separation <= 0.0f ? 0.0f : 1.0f;
    *impulse = impulseOf(point);
}

static void listTouches(grzWorld* world, const grzPairRow* row, grzContact* contacts, float* impulses) {
    const grzPairTable* table = &world->tables[world->now];
    const grzTouchSpan touches = grzWorld_TouchesOf(world, table, row);
    uint32_t count = 0, place = 0;
    for (uint32_t i = 0; i < touches.count; ++i) {
        const grzTouch* touch = grzTouch_Read(touches.units, place);
        for (uint32_t k = 0; k < touch->pointCount; ++k) {
            const grzTouchPoint* point = &touch->points[k];
            const grzTouchName* name = &touches.names[place + k];
            if (row->meshCount != 0) {
                listMeshPoint(&table->meshContacts.data[row->firstMesh + name->contact], point,
                              &contacts[name->contact], &impulses[name->contact]);
                continue;
            }
            const grzContact contact = contactOf(world, row, touch, point, name);
            insertContact(contacts, impulses, count++, &contact, impulseOf(point));
        }
        place += grzTouch_UnitCount(touch);
    }
}

static void listRow(grzWorld* world, const grzPairRow* row) {
    grzContact* contacts = &world->contacts.data[row->firstContact];
    float* impulses = &world->impulses.data[row->firstContact];
    if (row->way == grz_pairCloth) {
        const grzClothContacts found = grzWorld_ClothContactsOf(world, row);
        memcpy(contacts, found.contacts, found.count * sizeof *contacts);
        memcpy(impulses, found.impulses, found.count * sizeof *impulses);
        return;
    }
    listTouches(world, row, contacts, impulses);
}

// ---------------------------------------------------------------------------------------------------------- events

static grzEvent eventOf(const grzPairRow* row, grzEventKind kind) {
    grzEvent event;
    memset(&event, 0, sizeof event);
    event.bodyA = grzPairRow_IdA(row);
    event.bodyB = grzPairRow_IdB(row);
    event.kind = (uint32_t)kind;
    event.firstContact = row->firstContact;
    event.contactCount = row->contactCount;
    return event;
}

static bool isBefore(const grzPairRow* a, const grzPairRow* b) {
    return a->slotA != b->slotA ? a->slotA < b->slotA : a->slotB < b->slotB;
}

// Where events go; NULL, to count them.
typedef struct EventSink {
    grzEvent* events;
    uint32_t count;
} EventSink;

static void addEvent(EventSink* sink, const grzPairRow* row, grzEventKind kind) {
    if (sink->events != NULL)
        sink->events[sink->count] = eventOf(row, kind);
    ++sink->count;
}

static void addNow(const grzWorld* world, const grzPairRow* row, EventSink* sink) {
    const grzPairRow* last = row->last1 != 0 ? &world->tables[1 - world->now].rows.data[row->last1 - 1] : NULL;
    const bool did = last != NULL && last->isTouching;
    if (row->isTouching)
        addEvent(sink, row, did ? grz_persistEvent : grz_beginEvent);
    else if (did)
        addEvent(sink, row, grz_endEvent);
}

static void endIfGone(const grzPairRow* last, EventSink* sink) {
    if (last->isContinued || !last->isTouching)
        return;
    addEvent(sink, last, grz_endEvent);
    if (sink->events != NULL) // its contacts were those of the last step
        sink->events[sink->count - 1].firstContact = sink->events[sink->count - 1].contactCount = 0;
}

// A merge of a block's rows with those of the last step that nobody continues, up to the next block's. Where both are of the same
// slots, one of the bodies is another one now: the new pair may begin, and the old one ends; begin comes first in the order of keys.
static void mergeEvents(const grzWorld* world, uint32_t block, EventSink* sink) {
    const grzPairTable *now = &world->tables[world->now], *last = &world->tables[1 - world->now];
    const size_t begin = (size_t)block * GRZ_ROW_GRAIN, blocks = world->rowBlocks.count;
    const size_t end = begin + GRZ_ROW_GRAIN < now->rows.count ? begin + GRZ_ROW_GRAIN : now->rows.count;
    const size_t lastEnd = block + 1 < blocks ? world->rowBlocks.data[block + 1].last : last->rows.count;
    size_t old = block == 0 ? 0 : world->rowBlocks.data[block].last;
    for (size_t i = begin; i < end; ++i) {
        const grzPairRow* row = &now->rows.data[i];
        for (; old < lastEnd && isBefore(&last->rows.data[old], row); ++old)
            endIfGone(&last->rows.data[old], sink);
        addNow(world, row, sink);
        if (old < lastEnd && !isBefore(row, &last->rows.data[old]))
            endIfGone(&last->rows.data[old++], sink);
    }
    for (; old < lastEnd; ++old)
        endIfGone(&last->rows.data[old], sink);
}

// ----------------------------------------------------------------------------------------------------------- lists

static void countEvents(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    EventSink sink = {NULL, 0};
    (void)end, (void)worker;
    mergeEvents(world, begin / GRZ_ROW_GRAIN, &sink);
    world->rowBlocks.data[begin / GRZ_ROW_GRAIN].events = sink.count;
}

static void placeRows(const grzRowBlock* block, grzPairRow* rows, uint32_t count) {
    uint32_t place = block->contacts;
    for (uint32_t i = 0; i < count; ++i) {
        rows[i].firstContact = place;
        place += rows[i].contactCount;
    }
}

static void listBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stagePublish, "list contacts", worker);
    const uint32_t index = begin / GRZ_ROW_GRAIN;
    const grzRowBlock* block = &world->rowBlocks.data[index];
    grzPairRow* rows = world->tables[world->now].rows.data;
    EventSink sink = {&world->events.data[block->events], 0};
    placeRows(block, &rows[begin], end - begin);
    for (uint32_t i = begin; i < end; ++i)
        if (rows[i].contactCount != 0)
            listRow(world, &rows[i]);
    mergeEvents(world, index, &sink);
    GRZ_ZONE_END(zone);
}

// Where no pair is left, all that touched have ended.
static void endAll(grzWorld* world) {
    const grzPairTable* last = &world->tables[1 - world->now];
    EventSink sink = {world->events.data, 0};
    for (size_t i = 0; i < last->rows.count; ++i)
        endIfGone(&last->rows.data[i], &sink);
    world->events.count = sink.count;
}

bool grzInner_IsListed(const grzWorld* world) {
    return world->isListed;
}

void grzWorld_ListContacts(grzWorld* world) {
    if (world->isListed)
        return;
    const uint32_t rows = (uint32_t)world->tables[world->now].rows.count;
    uint32_t events = 0;
    grzParallelForNear(world->def.tasks, rows, GRZ_ROW_GRAIN, countEvents, world);
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        const uint32_t own = world->rowBlocks.data[i].events;
        world->rowBlocks.data[i].events = events;
        events += own;
    }
    world->events.count = events;
    grzParallelForNear(world->def.tasks, rows, GRZ_ROW_GRAIN, listBlock, world);
    if (rows == 0)
        endAll(world);
    world->isListed = true;
    GRZ_VALIDATE(grzAreRecordsSorted(&grzContactType, world->contacts.data, world->contacts.count));
    GRZ_VALIDATE(grzAreRecordsSorted(&grzEventType, world->events.data, world->events.count));
}

grzWorldContacts grzInner_GetContacts(grzWorld* world) {
    grzWorld_ListContacts(world);
    return (grzWorldContacts){world->contacts.data, world->impulses.data, world->contacts.count, world->events.data,
                              world->events.count};
}

// --------------------------------------------------------------------------------------------------------- counts

// All that can be refused is asked for before the first body moves.
grzResult grzWorld_CountContacts(grzWorld* world) {
    grzPairTable* table = &world->tables[world->now];
    size_t contacts = 0;
    table->touchingCount = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        grzRowBlock* block = &world->rowBlocks.data[i];
        const uint32_t own = block->contacts;
        block->contacts = (uint32_t)contacts;
        contacts += own;
        table->touchingCount += block->touching;
    }
    // A pair of a cloth may turn out to touch when the substeps are done.
    const size_t mostEvents = (size_t)table->touchingCount + world->tables[1 - world->now].touchingCount +
                              (world->clothSlots.count != 0 ? table->rows.count : 0);
    if (contacts > UINT32_MAX)
        return grzFail(grz_tooLarge, contacts);
    if (!grzArray_Reserve(&world->contacts, &world->allocator, contacts) ||
        !grzArray_Reserve(&world->impulses, &world->allocator, contacts) ||
        !grzArray_Reserve(&world->events, &world->allocator, mostEvents))
        return grzNoMemory(contacts, sizeof(grzContact));
    world->contactCount = contacts;
    return grzOk();
}

// ----------------------------------------------------------------------------------------------------------- boxes

static bool hasLeft(const grzWorld* world, uint32_t row) {
    return !grzBox_Contains(world->sweeps.data[row], world->boxes.data[row]);
}

static void settleRow(grzWorld* world, uint32_t row) {
    const grzBodyTraits* traits = &world->traits.data[row];
    if ((world->masses.data[row].flags & grz_bodyMoves) != 0)
        grzWorld_PlaceCollider(world, row);
    else if (traits->kind == grz_clothCollider)
        world->boxes.data[row] = grzClothBody_Box(world->colliders.data[row].cloth);
    else if (traits->kind == grz_animatedCollider)
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
    ++world->changeCount;
    grzParallelForNear(world->def.tasks, words, settleWords, settleBlock, world);
    for (uint32_t word = 0; word < words; ++word)
        for (uint64_t rest = world->leavers.data[word]; rest != 0; rest &= rest - 1)
            grzWorld_MendTree(world, word * leaverBits + (uint32_t)__builtin_ctzll(rest));
}

static void countStep(grzWorld* world) {
    const grzPairTable* table = &world->tables[world->now];
    grzWorldStats* stats = &world->stats;
    const uint64_t trianglePairs = stats->trianglePairs;
    memset(stats, 0, sizeof *stats);
    stats->trianglePairs = trianglePairs;
    stats->bodyPairs = table->rows.count;
    stats->contacts = world->contacts.count;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        stats->recycledPairs += world->rowBlocks.data[i].recycled;
    stats->touchingPairs = table->touchingCount;
    const grzContactSolverStats solved = grzContactSolver_GetStats(world->solver);
    stats->colors = world->isCollideOnly ? 0 : solved.colorCount;
    stats->overflow = world->isCollideOnly ? 0 : solved.overflowCount;
}

void grzWorld_Publish(grzWorld* world) {
    world->contacts.count = world->impulses.count = world->contactCount;
    world->events.count = 0;
    world->isListed = false;
    grzWorld_MeetCloth(world);
    world->states.count = world->masses.count =
        grzWorld_RowCount(world); // no more rows of surfaces, which the solver alone takes
    settle(world);
    countStep(world);
}
