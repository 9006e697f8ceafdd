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

// When the substep begins in which the point first pushed.
static float toiOf(const grzWorld* world, const grzTouch* touch, uint32_t point) {
    if (touch->points[point].separation <= 0.0f)
        return 0.0f;
    const uint32_t met = touch->metIn[point];
    return met == 0 ? 1.0f : (float)(met - 1) / (float)world->def.substepCount;
}

static grzContact contactOf(const grzWorld* world, const grzPairRow* row, const grzTouch* touch,
                            const grzTouchPoint* point, const grzTouchName* name, float toi) {
    grzContact contact;
    memset(&contact, 0, sizeof contact);
    contact.point = grzTouchPoint_Place(point, &world->startStates.data[row->a], &world->startStates.data[row->b]);
    contact.normal = touch->normal;
    contact.separation = point->separation;
    contact.toi = toi;
    contact.bodyA = row->idA;
    contact.bodyB = row->idB;
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
static void listMeshPoint(const grzContact* found, const grzTouchPoint* point, float toi, grzContact* contact,
                          float* impulse) {
    *contact = *found;
    contact->separation = point->separation;
    contact->toi = toi;
    *impulse = impulseOf(point);
}

static void listTouches(grzWorld* world, const grzPairRow* row, grzContact* contacts, float* impulses) {
    const grzStepTable* table = &world->tables[world->now];
    const grzPairFound* found = grzWorld_Found(world, row);
    const grzTouchesView touches = grzTouches_GetView(world->touches, world->now);
    uint32_t count = 0, place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(touches.units, place);
        for (uint32_t k = 0; k < touch->pointCount; ++k) {
            const grzTouchPoint* point = &touch->points[k];
            const grzTouchName* name = &touches.names[place + k];
            const float toi = toiOf(world, touch, k);
            if (found->meshCount != 0) {
                listMeshPoint(&table->meshContacts.data[found->firstMesh + name->contact], point, toi,
                              &contacts[name->contact], &impulses[name->contact]);
                continue;
            }
            const grzContact contact = contactOf(world, row, touch, point, name, toi);
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

// Where events go; NULL, to count them.
typedef struct EventSink {
    const grzWorld* world;
    grzEvent* events;
    uint32_t count;
} EventSink;

static void addEvent(EventSink* sink, const grzPairRow* row, grzEventKind kind, bool isGone) {
    if (sink->events != NULL) {
        grzEvent* event = &sink->events[sink->count];
        memset(event, 0, sizeof *event);
        event->bodyA = row->idA;
        event->bodyB = row->idB;
        event->kind = (uint32_t)kind;
        event->firstContact = isGone ? 0 : row->firstContact; // those of a pair that is gone were the last step's
        event->contactCount = isGone ? 0 : grzWorld_Found(sink->world, row)->contactCount;
    }
    ++sink->count;
}

static void addNow(EventSink* sink, const grzPairRow* row) {
    const grzPairFound* last = grzWorld_LastFound(sink->world, row);
    const bool did = last != NULL && last->isTouching;
    if (grzWorld_Found(sink->world, row)->isTouching)
        addEvent(sink, row, did ? grz_persistEvent : grz_beginEvent, false);
    else if (did)
        addEvent(sink, row, grz_endEvent, false);
}

// Pairs that ended in this step, whose rows are as the last one has left them.
static void addEnded(EventSink* sink, const grzEndedPair* ended) {
    const grzPairRow* row = &sink->world->pairs.rows.data[ended->row];
    if (row->found[1 - sink->world->now].isTouching)
        addEvent(sink, row, grz_endEvent, true);
}

static uint64_t keyOf(grzBodyPair pair) {
    return grzSortKeyFromPair(pair.a, pair.b);
}

// The first pair that ended in this step and does not come before the first of a block; behind the last block, all.
static size_t firstEnded(const grzPairTableView* view, size_t block) {
    const size_t place = block * GRZ_PAIR_BLOCK;
    size_t low = 0, high = block == 0 ? 0 : view->endedCount;
    while (place < view->count && low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keyOf(view->ended[middle].pair) < keyOf(view->pairs[place]))
            low = middle + 1;
        else
            high = middle;
    }
    return place < view->count ? low : view->endedCount;
}

// A merge of a block's pairs with those that ended, up to the next block's. Where both are of the same slots, one of the bodies is
// another one now: the new pair may begin, and the old one ends; begin comes first in the order of keys.
static void mergeEvents(EventSink* sink, uint32_t block) {
    const grzPairTableView* view = &sink->world->pairs.view;
    const size_t begin = (size_t)block * GRZ_PAIR_BLOCK;
    const size_t end = begin + GRZ_PAIR_BLOCK < view->count ? begin + GRZ_PAIR_BLOCK : view->count;
    const size_t endedEnd = firstEnded(view, block + 1);
    size_t ended = firstEnded(view, block);
    for (size_t i = begin; i < end; ++i) {
        const uint64_t key = keyOf(view->pairs[i]);
        for (; ended < endedEnd && keyOf(view->ended[ended].pair) < key; ++ended)
            addEnded(sink, &view->ended[ended]);
        addNow(sink, grzWorld_PairAt(sink->world, i));
    }
    for (; ended < endedEnd; ++ended)
        addEnded(sink, &view->ended[ended]);
}

// ----------------------------------------------------------------------------------------------------------- lists

static void countEvents(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    EventSink sink = {world, NULL, 0};
    (void)end, (void)worker;
    mergeEvents(&sink, begin / GRZ_PAIR_BLOCK);
    world->rowBlocks.data[begin / GRZ_PAIR_BLOCK].events = sink.count;
}

static void listBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stagePublish, "list contacts", worker);
    const uint32_t index = begin / GRZ_PAIR_BLOCK;
    const grzPairBlock* block = &world->rowBlocks.data[index];
    EventSink sink = {world, &world->events.data[block->events], 0};
    uint32_t place = block->contacts;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        row->firstContact = place;
        place += grzWorld_Found(world, row)->contactCount;
        if (row->firstContact != place)
            listRow(world, row);
    }
    mergeEvents(&sink, index);
    GRZ_ZONE_END(zone);
}

// Where no pair is left, all that touched have ended.
static void endAll(grzWorld* world) {
    EventSink sink = {world, world->events.data, 0};
    for (size_t i = 0; i < world->pairs.view.endedCount; ++i)
        addEnded(&sink, &world->pairs.view.ended[i]);
    world->events.count = sink.count;
}

bool grzInner_IsListed(const grzWorld* world) {
    return world->isListed;
}

// Memory for the contacts of the step, and for events, of which there are at most as many as pairs that touch or did so.
static grzResult reserveLists(grzWorld* world) {
    const size_t contacts = world->contactCount;
    // A pair of a cloth may turn out to touch when the substeps are done.
    const size_t events = (size_t)world->tables[0].touchingCount + world->tables[1].touchingCount +
                          (world->clothSlots.count != 0 ? grzWorld_PairCount(world) : 0);
    if (!grzArray_Reserve(&world->contacts, &world->allocator, contacts) ||
        !grzArray_Reserve(&world->impulses, &world->allocator, contacts) ||
        !grzArray_Reserve(&world->events, &world->allocator, events))
        return grzNoMemory(contacts, sizeof(grzContact));
    return grzOk();
}

static void writeLists(grzWorld* world) {
    const uint32_t rows = grzWorld_PairCount(world);
    uint32_t events = 0;
    grzParallelForNear(world->def.tasks, rows, GRZ_PAIR_BLOCK, countEvents, world);
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        const uint32_t own = world->rowBlocks.data[i].events;
        world->rowBlocks.data[i].events = events;
        events += own;
    }
    world->contacts.count = world->impulses.count = world->contactCount;
    world->events.count = events;
    grzParallelForNear(world->def.tasks, rows, GRZ_PAIR_BLOCK, listBlock, world);
    if (rows == 0)
        endAll(world);
}

grzResult grzWorld_ListContacts(grzWorld* world) {
    if (world->isListed)
        return grzOk();
    const grzResult result = world->hasLists ? grzOk() : reserveLists(world);
    if (!grzResult_IsOk(result))
        return result;
    world->hasLists = true;
    writeLists(world);
    world->isListed = true;
    GRZ_VALIDATE(grzAreRecordsSorted(&grzContactType, world->contacts.data, world->contacts.count));
    GRZ_VALIDATE(grzAreRecordsSorted(&grzEventType, world->events.data, world->events.count));
    return result;
}

grzWorldContacts grzInner_GetContacts(const grzWorld* world) {
    return (grzWorldContacts){.contacts = world->contacts.data,
                              .impulses = world->impulses.data,
                              .contactCount = world->contacts.count,
                              .events = world->events.data,
                              .eventCount = world->events.count};
}

// --------------------------------------------------------------------------------------------------------- counts

// All that can be refused is asked for before the first body moves.
grzResult grzWorld_CountContacts(grzWorld* world) {
    grzStepTable* table = &world->tables[world->now];
    size_t contacts = 0;
    table->touchingCount = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        grzPairBlock* block = &world->rowBlocks.data[i];
        const uint32_t own = block->contacts;
        block->contacts = (uint32_t)contacts;
        contacts += own;
        table->touchingCount += block->touching;
    }
    if (contacts > UINT32_MAX)
        return grzFail(grz_tooLarge, contacts);
    world->contactCount = contacts;
    return world->hasLists ? reserveLists(world) : grzOk();
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
    const grzStepTable* table = &world->tables[world->now];
    grzWorldStats* stats = &world->stats;
    const uint64_t trianglePairs = stats->trianglePairs;
    memset(stats, 0, sizeof *stats);
    stats->trianglePairs = trianglePairs;
    stats->bodyPairs = grzWorld_PairCount(world);
    stats->contacts = world->contactCount;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        stats->recycledPairs += world->rowBlocks.data[i].recycled;
    stats->touchingPairs = table->touchingCount;
    const grzContactSolverStats solved = grzContactSolver_GetStats(world->solver);
    stats->colors = world->isCollideOnly ? 0 : solved.colorCount;
    stats->overflow = world->isCollideOnly ? 0 : solved.overflowCount;
}

void grzWorld_Publish(grzWorld* world) {
    world->contacts.count = world->impulses.count = world->events.count = 0;
    world->isListed = false;
    grzWorld_MeetCloth(world);
    world->states.count = world->masses.count =
        grzWorld_RowCount(world); // no more rows of surfaces, which the solver alone takes
    settle(world);
    countStep(world);
}
