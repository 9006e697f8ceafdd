// What: the lists of what was found: contacts, events and hits in order.        Promise: graze/stage/step_contacts.h.
// Idea: pairs are in the order of keys, so that only the few contacts of a pair need sorting. Pairs that ended are
//   merged in, and stops are put behind the contacts of their pairs. A pair that has a hit touches and so has an
//   event: a block writes its hits where its events begin, and then they are moved together.
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
    input.hitSpeed = 1.0f;
    return input;
}

typedef struct PublishCall {
    const grzPublishInput* input;
    grzPublishOutput* output;
} PublishCall;

static uint64_t keyOf(const grzPairRow* row) {
    return grzSortKeyFromPair(row->idA.index1, row->idB.index1);
}

// ------------------------------------------------------------------------------------------------------------ stops

static uint64_t keyOfStop(const grzStop* stop) {
    return grzSortKeyFromPair(stop->bodyA.index1, stop->bodyB.index1);
}

// The first stop of a pair at this place of the order, or behind it.
static size_t firstStop(const grzPublishInput* input, size_t place) {
    size_t low = 0, high = input->stopCount;
    if (place == 0 || high == 0)
        return 0;
    if (place >= input->pairs.count)
        return high;
    const uint64_t key = keyOf(grzStepPairs_At(&input->pairs, place));
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keyOfStop(&input->stops[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A walk over stops beside one over pairs: those of the pair that the walk comes to.
typedef struct Stops {
    const grzStop* stops;
    uint32_t count;
} Stops;

static Stops stopsOf(const grzPublishInput* input, const grzPairRow* row, size_t* next) {
    Stops own = {NULL, 0};
    if (*next == input->stopCount)
        return own;
    own.stops = &input->stops[*next];
    while (*next + own.count < input->stopCount && keyOfStop(&own.stops[own.count]) == keyOf(row))
        ++own.count;
    *next += own.count;
    return own;
}

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

// A contact with what it has done.
typedef struct Listed {
    grzContact contact;
    float impulse;
    grzVec3 friction;
} Listed;

// Where the lists of a pair are.
typedef struct PairLists {
    grzContact* contacts;
    float* impulses;
    grzVec3* frictions;
} PairLists;

static void putContact(const PairLists* lists, uint32_t place, const Listed* listed) {
    lists->contacts[place] = listed->contact;
    lists->impulses[place] = listed->impulse;
    lists->frictions[place] = listed->friction;
}

// Into its place among those of the pair that are there.
static void insertContact(const PairLists* lists, uint32_t count, const Listed* listed) {
    uint32_t place = count;
    while (place > 0 && grzCompareRecords(&grzContactType, &lists->contacts[place - 1], &listed->contact) > 0) {
        lists->contacts[place] = lists->contacts[place - 1];
        lists->impulses[place] = lists->impulses[place - 1];
        lists->frictions[place] = lists->frictions[place - 1];
        --place;
    }
    putContact(lists, place, listed);
}

// The friction of a touch, as each of its points holds it: an equal part of the impulse, and that of the twist that
// turns about their middle. Places are from the first point: points may lie near each other and far from the body's
// centre.
typedef struct PointFriction {
    grzVec3 slide, turn, first, middle;
} PointFriction;

static grzVec3 fromMiddle(const PointFriction* friction, const grzTouchPoint* point) {
    const grzVec3 place = grzSub(grzVec3_Load(point->anchorB), friction->first);
    return grzCross(friction->turn, grzSub(place, friction->middle));
}

static PointFriction frictionOf(const grzPublishInput* input, const grzTouch* touch, uint32_t place,
                                bool isSolved) {
    PointFriction friction = {grzVec3_Zero(), grzVec3_Zero(), grzVec3_Zero(), grzVec3_Zero()};
    if (input->frictions == NULL || !isSolved)
        return friction;
    const grzTouchFriction* whole = &input->frictions[place];
    const float share = 1.0f / (float)touch->pointCount;
    grzVec3 tangents[2];
    grzTouch_Tangents(touch->normal, tangents);
    friction.slide =
        grzScale(grzAddScaled(grzScale(tangents[0], whole->slide[0]), whole->slide[1], tangents[1]), share);
    friction.first = grzVec3_Load(touch->points[0].anchorB);
    for (uint32_t k = 1; k < touch->pointCount; ++k)
        friction.middle =
            grzAddScaled(friction.middle, share, grzSub(grzVec3_Load(touch->points[k].anchorB), friction.first));
    friction.turn = touch->normal;
    float squares = 0;
    for (uint32_t k = 0; k < touch->pointCount; ++k)
        squares += grzLengthSq(fromMiddle(&friction, &touch->points[k]));
    friction.turn = grzScale(touch->normal, squares > 0 ? whole->twist / squares : 0);
    return friction;
}

// ------------------------------------------------------------------------------------------------------------ hits

// What a pair's contacts are asked for its hit: the fastest one that pushes and did not in the last step.
typedef struct Striking {
    bool isAny;
    grzContact contact;
    float speed, impulse; // impulse: of the pair
} Striking;

static void strike(Striking* striking, const grzContact* contact, float speed) {
    if (striking->isAny && !(speed > striking->speed))
        return;
    striking->isAny = true;
    striking->contact = *contact;
    striking->speed = speed;
}

// Of a body's point at a time of the step, were there nothing to hit.
static grzVec3 velocityAt(const grzPublishInput* input, uint32_t row, grzVec3 point, float time) {
    const grzMotion* motion = &input->motions[row];
    const grzBodyState* start = &input->starts[row];
    if ((motion->flags & grz_bodyMoves) == 0)
        return grzVec3_Zero();
    const grzVec3 velocity = grzLerp(grzVec3_Load(motion->from), grzVec3_Load(motion->to), time);
    return grzAdd(velocity, grzCross(start->spin, grzSub(point, start->center)));
}

// mesh: which of the contacts of meshes it is; a touch with an animated mesh names the row of its surface.
static float approachOf(const grzPublishInput* input, const grzPairRow* row, const grzTouch* touch,
                        const grzContact* contact, uint32_t mesh) {
    const bool isA = touch->bodyA != row->a, isB = touch->bodyB != row->b;
    const grzVec3 a = isA ? input->velocities[mesh] : velocityAt(input, row->a, contact->point, contact->toi);
    const grzVec3 b = isB ? input->velocities[mesh] : velocityAt(input, row->b, contact->point, contact->toi);
    return grzDot(contact->normal, grzSub(a, b));
}

static void addHit(const PublishCall* call, const grzPairRow* row, const Striking* striking, uint32_t* count) {
    if (!striking->isAny || !(striking->speed > call->input->hitSpeed) ||
        !row->found[call->input->pairs.now].isTouching)
        return;
    call->output->hits[(*count)++] = (grzHit){.point = striking->contact.point,
                                              .normal = striking->contact.normal,
                                              .bodyA = row->idA,
                                              .bodyB = row->idB,
                                              .approachSpeed = striking->speed,
                                              .impulse = striking->impulse,
                                              .toi = striking->contact.toi,
                                              .firstContact = row->firstContact};
}

// ------------------------------------------------------------------------------------------------- a pair's contacts

// Of a pair of cloth, as its owner keeps them. Cloth finds its contacts anew in each step, so a pair strikes that has
// not pushed before.
static void listSpan(const PublishCall* call, const grzPairRow* row, const PairLists* lists, Striking* striking) {
    const grzStepPairs* pairs = &call->input->pairs;
    const grzContactSpan* span = &call->input->spans[row->found[pairs->now].span];
    const grzPairFound* last = grzStepPairs_Last(pairs, row);
    for (uint32_t k = 0; k < span->count; ++k) {
        const Listed listed = {*grzContactSpan_At(span, k), grzContactSpan_Impulse(span, k),
                               grzContactSpan_Friction(span, k)};
        putContact(lists, k, &listed);
        striking->impulse += listed.impulse;
        if (listed.impulse > 0 && (last == NULL || !last->isPushed))
            strike(striking, &listed.contact, grzContactSpan_Speed(span, k));
    }
}

static void listTouches(const PublishCall* call, const grzPairRow* row, const PairLists* lists,
                        Striking* striking) {
    const grzPublishInput* input = call->input;
    const grzPairFound* found = &row->found[input->pairs.now];
    const bool isSolved = !input->isHeld && row->yielding != 0; // else impulses are those of an earlier step
    uint32_t count = 0, place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(input->units, place);
        const PointFriction friction = frictionOf(input, touch, place, isSolved);
        for (uint32_t k = 0; k < touch->pointCount; ++k) {
            const grzTouchPoint* point = &touch->points[k];
            const grzTouchName* name = &input->names[place + k];
            const uint32_t mesh = found->firstMesh + name->contact;
            const float toi = toiOf(input, touch, k);
            Listed listed = {.impulse = isSolved ? point->stepImpulse : 0.0f,
                             .friction = grzAdd(friction.slide, fromMiddle(&friction, point))};
            if (found->meshCount != 0) { // as it was found, with what became of it
                listed.contact = input->contacts[mesh];
                listed.contact.separation = point->separation;
                listed.contact.toi = toi;
                if (!input->isHeld) // all points of a touch push along one normal
                    listed.contact.normal = touch->normal;
                putContact(lists, name->contact, &listed);
            } else {
                listed.contact = contactOf(input, row, touch, point, name, toi);
                insertContact(lists, count++, &listed);
            }
            striking->impulse += listed.impulse;
            if (input->motions != NULL && listed.impulse > 0 && (touch->pushed >> k & 1) == 0)
                strike(striking, &listed.contact, approachOf(input, row, touch, &listed.contact, mesh));
        }
        place += grzTouch_UnitCount(touch);
    }
}

static void listStops(const PairLists* lists, uint32_t place, const Stops* stops, Striking* striking) {
    for (uint32_t k = 0; k < stops->count; ++k) {
        const grzStop* stop = &stops->stops[k];
        const grzFeature whole = grzMakeFeature(grz_bodyFeature, 0);
        const Listed listed = {{.point = stop->point,
                                .normal = stop->normal,
                                .toi = stop->toi,
                                .bodyA = stop->bodyA,
                                .bodyB = stop->bodyB,
                                .triangleA = GRZ_NO_TRIANGLE,
                                .triangleB = GRZ_NO_TRIANGLE,
                                .featureA = whole,
                                .featureB = whole,
                                .ordinal = GRZ_STOP_ORDINAL + k,
                                .certainty = grz_conservative},
                               stop->impulse,
                               stop->friction};
        putContact(lists, place + k, &listed);
        striking->impulse += stop->impulse;
        strike(striking, &listed.contact, stop->approachSpeed);
    }
}

// Returns how many contacts the pair has.
static uint32_t listPair(const PublishCall* call, const grzPairRow* row, const Stops* stops, uint32_t* hits) {
    const grzPublishOutput* output = call->output;
    const uint32_t count = row->found[call->input->pairs.now].contactCount;
    if (count + stops->count == 0)
        return 0;
    const PairLists lists = {&output->contacts[row->firstContact], &output->impulses[row->firstContact],
                             &output->frictions[row->firstContact]};
    Striking striking;
    memset(&striking, 0, sizeof striking);
    if (row->way == grz_pairCloth)
        listSpan(call, row, &lists, &striking);
    else
        listTouches(call, row, &lists, &striking);
    listStops(&lists, count, stops, &striking);
    if (call->input->motions != NULL)
        addHit(call, row, &striking, hits);
    return count + stops->count;
}

// ---------------------------------------------------------------------------------------------------------- events

// Where events go; NULL, to count them.
typedef struct EventSink {
    const grzStepPairs* pairs;
    grzEvent* events;
    uint32_t count;
} EventSink;

static void addEvent(EventSink* sink, const grzPairRow* row, grzEventKind kind, uint32_t stops, bool isGone) {
    if (sink->events != NULL) {
        grzEvent* event = &sink->events[sink->count];
        memset(event, 0, sizeof *event);
        event->bodyA = row->idA;
        event->bodyB = row->idB;
        event->kind = (uint32_t)kind;
        event->firstContact = isGone ? 0 : row->firstContact; // those of a pair that is gone were the last step's
        event->contactCount = isGone ? 0 : row->found[sink->pairs->now].contactCount + stops;
    }
    ++sink->count;
}

static void addNow(EventSink* sink, const grzPairRow* row, bool did, uint32_t stops) {
    if (row->found[sink->pairs->now].isTouching)
        addEvent(sink, row, did ? grz_persistEvent : grz_beginEvent, stops, false);
    else if (did)
        addEvent(sink, row, grz_endEvent, stops, false);
}

// Pairs that ended in this step, whose rows are as the last one has left them.
static const grzPairRow* endedAt(const grzPublishInput* input, size_t place) {
    const uint32_t* row =
        grzColumn_At(input->endedRows, input->endedStride, sizeof *input->endedRows, (uint32_t)place);
    return &input->pairs.rows[*row];
}

static bool didEndedTouch(const EventSink* sink, const grzPairRow* row) {
    return row->found[1 - sink->pairs->now].isTouching;
}

static void addEnded(EventSink* sink, const grzPairRow* row) {
    if (didEndedTouch(sink, row))
        addEvent(sink, row, grz_endEvent, 0, true);
}

static bool areSameBodies(const grzPairRow* a, const grzPairRow* b) {
    return grzBodyId_IsSame(a->idA, b->idA) && grzBodyId_IsSame(a->idB, b->idB);
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

// Merges a block's pairs with those that ended, up to the next block's. Two of the same slots are one of these:
//   - The bodies are the same. The pair ended, and was found again later in the step (grzPairTable_Insert). It goes on.
//   - One of the bodies is another one now. The new pair may begin, and the old one ends: in this order, by keys.
static void mergeEvents(const grzPublishInput* input, EventSink* sink, uint32_t block) {
    const grzStepPairs* pairs = &input->pairs;
    const size_t begin = (size_t)block * GRZ_PAIR_BLOCK;
    const size_t end = begin + GRZ_PAIR_BLOCK < pairs->count ? begin + GRZ_PAIR_BLOCK : pairs->count;
    const size_t endedEnd = firstEnded(input, block + 1);
    size_t ended = firstEnded(input, block), stop = firstStop(input, begin);
    for (size_t i = begin; i < end; ++i) {
        const grzPairRow* row = grzStepPairs_At(pairs, i);
        for (; ended < endedEnd && keyOf(endedAt(input, ended)) < keyOf(row); ++ended)
            addEnded(sink, endedAt(input, ended));
        const grzPairFound* last = grzStepPairs_Last(pairs, row);
        const bool isBack = ended < endedEnd && areSameBodies(endedAt(input, ended), row);
        const bool did = isBack ? didEndedTouch(sink, endedAt(input, ended)) : last != NULL && last->isTouching;
        addNow(sink, row, did, stopsOf(input, row, &stop).count);
        ended += isBack;
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
    grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    grzEvent* events = call->output->events; // NULL, where there are none
    EventSink sink = {pairs, events != NULL ? events + block->firstEvent : NULL, 0};
    uint32_t place = block->firstContact, hits = block->firstEvent;
    size_t stop = firstStop(call->input, begin);
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        const Stops stops = stopsOf(call->input, row, &stop);
        row->firstContact = place;
        place += listPair(call, row, &stops, &hits);
    }
    block->hits = hits - block->firstEvent;
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
        output->contactCount += pairs->blocks[i].contacts + firstStop(input, (size_t)(i + 1) * GRZ_PAIR_BLOCK) -
                                firstStop(input, (size_t)i * GRZ_PAIR_BLOCK);
        output->eventCount += events;
    }
    if (pairs->count == 0)
        mergeEvents(input, &sink, 0);
    output->eventCount += sink.count;
    return sink.count;
}

// Each block has written its hits where its events begin.
static void gatherHits(const grzStepPairs* pairs, grzPublishOutput* output) {
    output->hitCount = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i) {
        const grzPairBlock* block = &pairs->blocks[i];
        if (block->hits != 0)
            memmove(output->hits + output->hitCount, output->hits + block->firstEvent,
                    block->hits * sizeof *output->hits);
        output->hitCount += block->hits;
    }
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
    if (!(input->hitSpeed >= 0))
        return "hitSpeed is negative, or a NaN";
    if (input->stopCount != 0 && input->stops == NULL)
        return "there are no stops";
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
    if (output->contactCount != 0 &&
        (output->contacts == NULL || output->impulses == NULL || output->frictions == NULL))
        return grzBecause(grzFail(grz_badArgument, 2),
                          "there is no place for contacts, or none for impulses or frictions");
    if (output->eventCount != 0 && (output->events == NULL || (output->hits == NULL && input->motions != NULL)))
        return grzBecause(grzFail(grz_badArgument, 2), "there is no place for events, or none for hits");
    grzParallelForNear(input->tasks, input->pairs.count, GRZ_PAIR_BLOCK, listBlock, &call);
    if (endedAlone != 0) {
        EventSink sink = {&input->pairs, output->events, 0};
        mergeEvents(input, &sink, 0);
    }
    gatherHits(&input->pairs, output);
    GRZ_VALIDATE(grzAreRecordsSorted(&grzEventType, output->events, output->eventCount));
    GRZ_VALIDATE(grzAreRecordsSorted(&grzHitType, output->hits, output->hitCount));
    return grzOk();
}
