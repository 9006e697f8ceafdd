// What: the lists of what was found: contacts and events in order.        Promise: graze/stage/step_contacts.h.
// Idea: pairs are in the order of keys, so that only the few contacts of a pair need sorting. Pairs that ended are merged in.
// Threads: a block of pairs an item.
#include <string.h>

#include "check.h"
#include "graze/stage/step_contacts.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "record_sort.h"
#include "refuse_null.h"
#include "result_make.h"
#include "step_columns.h"
#include "touch_keep.h"

grzPublishInput grzDefaultPublishInput(void) {
    grzPublishInput input;
    memset(&input, 0, sizeof input);
    input.substepCount = grzDefaultSolveInput().settings.substepCount;
    return input;
}

typedef struct PublishCall {
    const grzPublishInput* input;
    grzPublishOutput* output;
} PublishCall;

// -------------------------------------------------------------------------------------------------------- contacts

// When the substep begins in which the point first pushed.
static float toiOf(const grzPublishInput* input, const grzTouch* touch, uint32_t point) {
    if (touch->points[point].separation <= 0.0f)
        return 0.0f;
    const uint32_t met = touch->metIn[point];
    return met == 0 ? 1.0f : (float)(met - 1) / (float)input->substepCount;
}

static grzContact contactOf(const grzPublishInput* input, const grzPairRow* row, const grzTouch* touch,
                            const grzTouchPoint* point, const grzTouchName* name, float toi) {
    grzContact contact;
    memset(&contact, 0, sizeof contact);
    contact.point = grzTouchPoint_Place(point, &input->starts[row->a], &input->starts[row->b]);
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

// Of a pair of cloth, as its owner keeps them.
static void listSpan(const PublishCall* call, const grzPairRow* row) {
    const grzContactSpan* span = &call->input->spans[row->found[call->input->pairs.now].span];
    for (uint32_t k = 0; k < span->count; ++k) {
        call->output->contacts[row->firstContact + k] = *grzContactSpan_At(span, k);
        call->output->impulses[row->firstContact + k] = grzContactSpan_Impulse(span, k);
    }
}

static void listTouches(const PublishCall* call, const grzPairRow* row) {
    const grzPublishInput* input = call->input;
    const grzPairFound* found = &row->found[input->pairs.now];
    grzContact* contacts = &call->output->contacts[row->firstContact];
    float* impulses = &call->output->impulses[row->firstContact];
    uint32_t count = 0, place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(input->units, place);
        for (uint32_t k = 0; k < touch->pointCount; ++k) {
            const grzTouchPoint* point = &touch->points[k];
            const grzTouchName* name = &input->names[place + k];
            const float toi = toiOf(input, touch, k);
            if (found->meshCount != 0) {
                listMeshPoint(&input->contacts[found->firstMesh + name->contact], point, toi,
                              &contacts[name->contact], &impulses[name->contact]);
                continue;
            }
            const grzContact contact = contactOf(input, row, touch, point, name, toi);
            insertContact(contacts, impulses, count++, &contact, impulseOf(point));
        }
        place += grzTouch_UnitCount(touch);
    }
}

// ---------------------------------------------------------------------------------------------------------- events

// Where events go; NULL, to count them.
typedef struct EventSink {
    const grzStepPairs* pairs;
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
        event->contactCount = isGone ? 0 : row->found[sink->pairs->now].contactCount;
    }
    ++sink->count;
}

static void addNow(EventSink* sink, const grzPairRow* row) {
    const grzPairFound* last = grzStepPairs_Last(sink->pairs, row);
    const bool did = last != NULL && last->isTouching;
    if (row->found[sink->pairs->now].isTouching)
        addEvent(sink, row, did ? grz_persistEvent : grz_beginEvent, false);
    else if (did)
        addEvent(sink, row, grz_endEvent, false);
}

// Pairs that ended in this step, whose rows are as the last one has left them.
static const grzPairRow* endedAt(const grzPublishInput* input, size_t place) {
    const uint32_t* row =
        grzColumn_At(input->endedRows, input->endedStride, sizeof *input->endedRows, (uint32_t)place);
    return &input->pairs.rows[*row];
}

static void addEnded(EventSink* sink, const grzPairRow* row) {
    if (row->found[1 - sink->pairs->now].isTouching)
        addEvent(sink, row, grz_endEvent, true);
}

static uint64_t keyOf(const grzPairRow* row) {
    return grzSortKeyFromPair(row->idA.index1, row->idB.index1);
}

// The first pair that ended in this step and does not come before the first of a block; behind the last block, all.
static size_t firstEnded(const grzPublishInput* input, uint32_t block) {
    const size_t place = (size_t)block * GRZ_PAIR_BLOCK;
    size_t low = 0, high = input->endedCount;
    if (block == 0)
        return 0;
    if (place >= input->pairs.count)
        return input->endedCount;
    const uint64_t key = keyOf(grzStepPairs_At(&input->pairs, place));
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keyOf(endedAt(input, middle)) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A merge of a block's pairs with those that ended, up to the next block's. Where both are of the same slots, one of the bodies is
// another one now: the new pair may begin, and the old one ends; begin comes first in the order of keys.
static void mergeEvents(const grzPublishInput* input, EventSink* sink, uint32_t block) {
    const grzStepPairs* pairs = &input->pairs;
    const size_t begin = (size_t)block * GRZ_PAIR_BLOCK;
    const size_t end = begin + GRZ_PAIR_BLOCK < pairs->count ? begin + GRZ_PAIR_BLOCK : pairs->count;
    const size_t endedEnd = firstEnded(input, block + 1);
    size_t ended = firstEnded(input, block);
    for (size_t i = begin; i < end; ++i) {
        const grzPairRow* row = grzStepPairs_At(pairs, i);
        for (; ended < endedEnd && keyOf(endedAt(input, ended)) < keyOf(row); ++ended)
            addEnded(sink, endedAt(input, ended));
        addNow(sink, row);
    }
    for (; ended < endedEnd; ++ended)
        addEnded(sink, endedAt(input, ended));
}

// ----------------------------------------------------------------------------------------------------------- lists

static void countBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PublishCall* call = context;
    EventSink sink = {&call->input->pairs, NULL, 0};
    (void)end, (void)worker;
    mergeEvents(call->input, &sink, begin / GRZ_PAIR_BLOCK);
    call->input->pairs.blocks[begin / GRZ_PAIR_BLOCK].firstEvent = sink.count;
}

static void listBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PublishCall* call = context;
    GRZ_ZONE_BEGIN(zone, call->input->profile, grz_stagePublish, "list contacts", worker);
    const grzStepPairs* pairs = &call->input->pairs;
    const grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    grzEvent* events = call->output->events; // NULL, where there are none
    EventSink sink = {pairs, events != NULL ? events + block->firstEvent : NULL, 0};
    uint32_t place = block->firstContact;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        row->firstContact = place;
        place += row->found[pairs->now].contactCount;
        if (row->firstContact == place)
            continue;
        if (row->way == grz_pairCloth)
            listSpan(call, row);
        else
            listTouches(call, row);
    }
    mergeEvents(call->input, &sink, begin / GRZ_PAIR_BLOCK);
    GRZ_ZONE_END(zone);
}

// Where each block's contacts and events begin. Returns how many events there are if there is no pair: all that touched have ended.
static uint32_t placeBlocks(const grzPublishInput* input, grzPublishOutput* output) {
    const grzStepPairs* pairs = &input->pairs;
    EventSink sink = {pairs, NULL, 0};
    output->contactCount = output->eventCount = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i) {
        const uint32_t events = pairs->blocks[i].firstEvent;
        pairs->blocks[i].firstContact = (uint32_t)output->contactCount;
        pairs->blocks[i].firstEvent = (uint32_t)output->eventCount;
        output->contactCount += pairs->blocks[i].contacts;
        output->eventCount += events;
    }
    if (pairs->count == 0)
        mergeEvents(input, &sink, 0);
    output->eventCount += sink.count;
    return sink.count;
}

static bool hasCloth(const grzStepPairs* pairs) {
    uint32_t cloths = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i)
        cloths += pairs->blocks[i].cloths;
    return cloths != 0;
}

static const char* flawOf(const grzPublishInput* input) {
    const grzStepPairs* pairs = &input->pairs;
    if (pairs->now > 1)
        return "now is neither 0 nor 1";
    if (pairs->count != 0 && (pairs->rows == NULL || pairs->order == NULL || pairs->blocks == NULL))
        return "there are no rows of pairs, or no order of them, or no blocks";
    if (pairs->count != 0 && input->starts == NULL)
        return "there are no states of the start of the step";
    if (input->spans == NULL && hasCloth(pairs))
        return "there are no spans for pairs of cloth";
    if (input->substepCount == 0)
        return "substepCount is 0";
    return input->endedCount != 0 && (input->endedRows == NULL || pairs->rows == NULL)
               ? "there are no rows of ended pairs"
               : NULL;
}

grzResult grzStep_Publish(const grzPublishInput* input, grzPublishOutput* output) {
    GRZ_REFUSE_NULL(input, 1);
    GRZ_REFUSE_NULL(output, 2);
    const char* flaw = flawOf(input);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    PublishCall call = {input, output};
    grzParallelForNear(input->tasks, input->pairs.count, GRZ_PAIR_BLOCK, countBlock, &call);
    const uint32_t endedAlone = placeBlocks(input, output);
    if (output->contactCount != 0 && (output->contacts == NULL || output->impulses == NULL))
        return grzBecause(grzFail(grz_badArgument, 2), "there is no place for contacts, or none for impulses");
    if (output->eventCount != 0 && output->events == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "there is no place for events");
    grzParallelForNear(input->tasks, input->pairs.count, GRZ_PAIR_BLOCK, listBlock, &call);
    if (endedAlone != 0) {
        EventSink sink = {&input->pairs, output->events, 0};
        mergeEvents(input, &sink, 0);
    }
    GRZ_VALIDATE(grzAreRecordsSorted(&grzEventType, output->events, output->eventCount));
    return grzOk();
}
