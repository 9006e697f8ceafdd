// The publish stage over arrays, without a world: contacts, events and hits beside lists that are made one by one and
// sorted; and which pairs have pushed.
#include "testing.h"

#include "graze/stage/step_contacts.h"
#include "graze/tasks.h"
#include "record_sort.h"
#include "rng.h"
#include "touch.h"

enum { BODIES = 40, MOST = BODIES * (BODIES - 1) / 2, BLOCKS = MOST / GRZ_PAIR_BLOCK + 1 };
enum { MOST_TOUCHES = 3, MOST_STOPS = 3, PAIR_UNITS = 5 * MOST_TOUCHES };
enum { MOST_CONTACTS = (4 * MOST_TOUCHES + MOST_STOPS) * MOST };

typedef struct Ended {
    uint32_t before, row;
} Ended;

// A contact of cloth, as a part of a larger record.
typedef struct ClothRecord {
    float impulse, friction[3], speed;
    grzContact contact;
    uint32_t rest[3];
} ClothRecord;

// Every pair of bodies has a row. Some are pairs of this step; of the others, some were pairs of the last one.
typedef struct Scene {
    grzBodyState starts[BODIES];
    grzPairRow rows[MOST];
    uint32_t order[MOST];
    grzPairBlock blocks[BLOCKS];
    grzStepPairs pairs;
    Ended ended[MOST];
    size_t endedCount;
    grzTouchUnit units[PAIR_UNITS * MOST];
    grzTouchName names[PAIR_UNITS * MOST];
    grzContact meshContacts[MOST_CONTACTS];
    uint32_t meshCount;
    ClothRecord clothRecords[MOST_CONTACTS];
    grzContactSpan spans[MOST];
    uint32_t clothCount, spanCount;
    grzTouchFriction frictions[PAIR_UNITS * MOST];
    grzVec3 velocities[MOST_CONTACTS];
    grzMotion motions[BODIES];
    grzStop stops[MOST_STOPS * MOST];
    size_t stopCount;
} Scene;

typedef struct Lists {
    grzContact contacts[MOST_CONTACTS];
    float impulses[MOST_CONTACTS];
    grzVec3 frictions[MOST_CONTACTS];
    grzEvent events[MOST];
    grzHit hits[MOST];
} Lists;

static grzVec3 vectorIn(grzRng* rng, float size) {
    const float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzScale(grzSub(grzVec3_Make(x, y, z), grzVec3_Splat(0.5f)), 2 * size);
}

// ordinal: of the first point; of meshes, its contact.
static void fillTouch(grzRng* rng, const grzPairRow* row, uint32_t ordinal, grzTouch* touch, grzTouchName* names) {
    touch->bodyA = row->a, touch->bodyB = row->b;
    touch->pointCount = 1 + grzRng_Below(rng, 4);
    touch->normal = grzNormalize(vectorIn(rng, 1));
    for (uint32_t k = 0; k < touch->pointCount; ++k) {
        grzTouchPoint* point = &touch->points[k];
        grzVec3_Store(point->anchorA, vectorIn(rng, 1));
        grzVec3_Store(point->anchorB, vectorIn(rng, 1));
        point->separation = 0.1f * (grzRng_Float(rng) - 0.8f);
        point->normalImpulse = grzRng_Float(rng);
        point->stepImpulse = (grzRng_Below(rng, 2) == 0 ? 0 : grzRng_Float(rng));
        touch->metIn[k] = (uint8_t)grzRng_Below(rng, 6);
        touch->pushed |= grzRng_Below(rng, 2) << k;
        const uint32_t nameA = grzRng_Below(rng, 3), nameB = grzRng_Below(rng, 3);
        names[k] = (grzTouchName){nameA, nameB, (ordinal + k) ^ 5, ordinal + k};
    }
}

static grzContact randomContact(grzRng* rng, const grzPairRow* row, uint32_t ordinal) {
    grzContact contact;
    memset(&contact, 0, sizeof contact);
    contact.point = vectorIn(rng, 1), contact.normal = grzNormalize(vectorIn(rng, 1));
    contact.bodyA = row->idA, contact.bodyB = row->idB;
    contact.triangleA = ordinal, contact.triangleB = 9 - ordinal % 10;
    contact.separation = 7, contact.toi = 7;
    return contact;
}

// Contacts of a mesh's pair in the order of keys, which its touches name. What became of them stands in the touches.
static void addMeshContacts(Scene* scene, grzRng* rng, const grzPairRow* row, grzPairFound* found) {
    found->firstMesh = scene->meshCount;
    found->meshCount = found->contactCount;
    for (uint32_t k = 0; k < found->meshCount; ++k)
        scene->meshContacts[scene->meshCount++] = randomContact(rng, row, k);
}

// A pair of cloth has a span in place of touches.
static void fillCloth(Scene* scene, grzRng* rng, const grzPairRow* row, grzPairFound* found) {
    const ClothRecord* first = &scene->clothRecords[scene->clothCount];
    found->span = scene->spanCount;
    found->contactCount = grzRng_Below(rng, 4 * MOST_TOUCHES);
    found->isTouching = grzRng_Below(rng, 2) != 0;
    for (uint32_t k = 0; k < found->contactCount; ++k) {
        const float impulse = grzRng_Below(rng, 2) == 0 ? 0 : grzRng_Float(rng);
        const float friction = grzRng_Float(rng), speed = 4 * grzRng_Float(rng);
        scene->clothRecords[scene->clothCount++] =
            (ClothRecord){impulse, {friction, 1, (float)k}, speed, randomContact(rng, row, k), {0, 0, 0}};
    }
    scene->spans[scene->spanCount++] = (grzContactSpan){&first->contact, &first->impulse, first->friction,
                                                        &first->speed,   sizeof *first,   found->contactCount};
}

static void addStops(Scene* scene, grzRng* rng, const grzPairRow* row) {
    for (uint32_t k = grzRng_Below(rng, 8) == 0 ? 1 + grzRng_Below(rng, MOST_STOPS) : 0; k != 0; --k) {
        grzStop* stop = &scene->stops[scene->stopCount++];
        *stop = (grzStop){.bodyA = row->idA, .bodyB = row->idB};
        stop->point = vectorIn(rng, 1);
        stop->normal = grzNormalize(vectorIn(rng, 1));
        stop->friction = vectorIn(rng, 1);
        stop->impulse = grzRng_Float(rng);
        stop->approachSpeed = 3 * grzRng_Float(rng);
        stop->toi = grzRng_Float(rng);
    }
}

static void fillPair(Scene* scene, grzRng* rng, uint32_t place) {
    grzPairRow* row = &scene->rows[place];
    grzPairFound* found = &row->found[scene->pairs.now];
    uint32_t unit = PAIR_UNITS * place;
    row->isNew = grzRng_Below(rng, 3) == 0;
    row->yielding = (uint8_t)grzRng_Below(rng, 3);
    const grzPairWay ways[] = {grz_pairConvex, grz_pairConvex, grz_pairMesh, grz_pairCloth};
    row->way = (uint8_t)ways[grzRng_Below(rng, 4)];
    found->firstTouch = unit;
    found->touchCount = row->way == grz_pairCloth ? 0 : grzRng_Below(rng, MOST_TOUCHES + 1);
    for (uint32_t t = 0; t < found->touchCount; ++t) {
        grzTouch* touch = grzTouch_At(scene->units, unit);
        fillTouch(rng, row, found->contactCount, touch, &scene->names[unit]);
        touch->bodyA =
            row->way == grz_pairMesh && grzRng_Below(rng, 2) == 0 ? BODIES + unit : row->a; // or a surface
        const float along = grzRng_Float(rng), across = grzRng_Float(rng);
        scene->frictions[unit] =
            (grzTouchFriction){{along, across}, touch->pointCount > 1 ? grzRng_Float(rng) : 0, 0};
        for (uint32_t k = 0; k < touch->pointCount; ++k)
            found->isTouching |= touch->points[k].separation <= 0;
        found->contactCount += touch->pointCount;
        unit += grzTouch_UnitCount(touch);
    }
    if (row->way == grz_pairMesh)
        addMeshContacts(scene, rng, row, found);
    if (row->way == grz_pairCloth)
        fillCloth(scene, rng, row, found);
    const size_t stops = scene->stopCount;
    addStops(scene, rng, row);
    found->isTouching |= scene->stopCount != stops;
    scene->blocks[scene->pairs.count / GRZ_PAIR_BLOCK].cloths += row->way == grz_pairCloth;
    scene->blocks[scene->pairs.count / GRZ_PAIR_BLOCK].contacts += found->contactCount;
    scene->order[scene->pairs.count++] = place;
}

// rate: of three rows, so many are pairs of this step.
static void fill(Scene* scene, grzRng* rng, uint32_t rate) {
    uint32_t place = 0;
    memset(scene, 0, sizeof *scene);
    scene->pairs = (grzStepPairs){scene->rows, scene->order, 0, grzRng_Below(rng, 2), scene->blocks};
    for (uint32_t i = 0; i < BODIES; ++i) {
        scene->starts[i].center = vectorIn(rng, 9), scene->starts[i].spin = vectorIn(rng, 1);
        grzVec3_Store(scene->motions[i].from, vectorIn(rng, 5));
        grzVec3_Store(scene->motions[i].to, vectorIn(rng, 5));
        scene->motions[i].flags = i % 4 == 0 ? 0 : grz_bodyMoves;
    }
    for (uint32_t i = 0; i < MOST_CONTACTS; ++i)
        scene->velocities[i] = vectorIn(rng, 3);
    for (uint32_t a = 0; a < BODIES; ++a)
        for (uint32_t b = a + 1; b < BODIES; ++b, ++place) {
            grzPairRow* row = &scene->rows[place];
            row->a = BODIES - 1 - a, row->b = BODIES - 1 - b; // ids, not rows, give the order
            row->idA = (grzBodyId){10 + a, 3 * a}, row->idB = (grzBodyId){10 + b, 3 * b};
            row->found[1 - scene->pairs.now].isTouching = grzRng_Below(rng, 2) != 0;
            row->found[1 - scene->pairs.now].isPushed = grzRng_Below(rng, 2) != 0;
            if (grzRng_Below(rng, 3) < rate)
                fillPair(scene, rng, place);
            else if (grzRng_Below(rng, 2) == 0)
                scene->ended[scene->endedCount++].row = place;
        }
}

static grzPublishInput inputOf(const Scene* scene) {
    grzPublishInput input = grzDefaultPublishInput();
    input.pairs = scene->pairs;
    input.endedRows = &scene->ended[0].row, input.endedStride = sizeof(Ended), input.endedCount = scene->endedCount;
    input.units = scene->units, input.names = scene->names;
    input.starts = scene->starts, input.contacts = scene->meshContacts, input.spans = scene->spans;
    input.frictions = scene->frictions, input.velocities = scene->velocities, input.motions = scene->motions;
    input.stops = scene->stops, input.stopCount = scene->stopCount;
    return input;
}

static grzPublishOutput outputOf(Lists* lists) {
    memset(lists, 0xA5, sizeof *lists);
    return (grzPublishOutput){.contacts = lists->contacts,
                              .impulses = lists->impulses,
                              .frictions = lists->frictions,
                              .events = lists->events,
                              .hits = lists->hits};
}

// ------------------------------------------------------------------------------------------------------------ reference

typedef struct Listed {
    grzContact contact;
    float impulse;
    grzVec3 friction;
    bool strikes;
    float speed;
} Listed;

static int compareContacts(const void* a, const void* b) {
    return grzCompareRecords(&grzContactType, &((const Listed*)a)->contact, &((const Listed*)b)->contact);
}

static int compareEvents(const void* a, const void* b) {
    return grzCompareRecords(&grzEventType, a, b);
}

static grzContact contactOf(const Scene* scene, const grzPairRow* row, const grzTouch* touch, uint32_t k,
                            const grzTouchName* name) {
    const grzTouchPoint* point = &touch->points[k];
    grzContact contact;
    memset(&contact, 0, sizeof contact);
    if (row->way == grz_pairMesh) {
        contact = scene->meshContacts[row->found[scene->pairs.now].firstMesh + name->contact];
    } else {
        const grzVec3 a = grzAdd(scene->starts[row->a].center, grzVec3_Load(point->anchorA));
        const grzVec3 b = grzAdd(scene->starts[row->b].center, grzVec3_Load(point->anchorB));
        contact.point = grzScale(grzAdd(a, b), 0.5f);
        contact.bodyA = row->idA, contact.bodyB = row->idB;
        contact.triangleA = contact.triangleB = GRZ_NO_TRIANGLE;
        contact.featureA = name->featureA, contact.featureB = name->featureB, contact.ordinal = name->ordinal;
    }
    contact.normal = touch->normal;
    contact.separation = point->separation;
    contact.toi = point->separation <= 0 ? 0 : touch->metIn[k] == 0 ? 1 : 0.25f * (float)(touch->metIn[k] - 1);
    return contact;
}

// An equal share of the slide, and a turn about the middle whose moment is the twist.
static grzVec3 frictionOf(const grzTouch* touch, const grzTouchFriction* friction, uint32_t point) {
    grzVec3 tangents[2], middle = grzVec3_Zero();
    float squares = 0;
    grzTouch_Tangents(touch->normal, tangents);
    for (uint32_t k = 0; k < touch->pointCount; ++k)
        middle = grzAddScaled(middle, 1.0f / (float)touch->pointCount, grzVec3_Load(touch->points[k].anchorB));
    for (uint32_t k = 0; k < touch->pointCount; ++k) {
        const grzVec3 from = grzSub(grzVec3_Load(touch->points[k].anchorB), middle);
        squares += grzLengthSq(from) - grzDot(from, touch->normal) * grzDot(from, touch->normal);
    }
    const grzVec3 from = grzSub(grzVec3_Load(touch->points[point].anchorB), middle);
    const grzVec3 slide = grzAddScaled(grzScale(tangents[0], friction->slide[0]), friction->slide[1], tangents[1]);
    const grzVec3 turn = grzScale(grzCross(touch->normal, from), squares > 0 ? friction->twist / squares : 0);
    return grzAdd(grzScale(slide, 1.0f / (float)touch->pointCount), turn);
}

static grzVec3 velocityOf(const Scene* scene, uint32_t body, const grzContact* contact) {
    const grzMotion* motion = &scene->motions[body];
    const grzVec3 velocity = grzLerp(grzVec3_Load(motion->from), grzVec3_Load(motion->to), contact->toi);
    const grzVec3 arm = grzSub(contact->point, scene->starts[body].center);
    return motion->flags == 0 ? grzVec3_Zero() : grzAdd(velocity, grzCross(scene->starts[body].spin, arm));
}

static float speedOf(const Scene* scene, const grzPairRow* row, const grzTouch* touch, const grzTouchName* name,
                     const grzContact* contact) {
    const uint32_t mesh = row->found[scene->pairs.now].firstMesh + name->contact;
    const grzVec3 a = touch->bodyA != row->a ? scene->velocities[mesh] : velocityOf(scene, row->a, contact);
    return grzDot(contact->normal, grzSub(a, velocityOf(scene, row->b, contact)));
}

static bool isNew(const Scene* scene, const grzContact* contact) {
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        if (grzBodyId_IsSame(row->idA, contact->bodyA) && grzBodyId_IsSame(row->idB, contact->bodyB))
            return row->isNew || !row->found[1 - scene->pairs.now].isPushed;
    }
    return false;
}

static size_t listStops(const Scene* scene, Listed* listed) {
    for (size_t i = 0; i < scene->stopCount; ++i) {
        const grzStop* stop = &scene->stops[i];
        const grzFeature whole = grzMakeFeature(grz_bodyFeature, 0);
        grzContact* contact = &listed[i].contact;
        memset(contact, 0, sizeof *contact);
        contact->point = stop->point, contact->normal = stop->normal, contact->toi = stop->toi;
        contact->bodyA = stop->bodyA, contact->bodyB = stop->bodyB, contact->certainty = grz_conservative;
        contact->triangleA = contact->triangleB = GRZ_NO_TRIANGLE;
        contact->featureA = contact->featureB = whole;
        contact->ordinal = GRZ_STOP_ORDINAL;
        for (size_t k = i; k-- > 0 && scene->stops[k].bodyA.index1 == stop->bodyA.index1 &&
                           scene->stops[k].bodyB.index1 == stop->bodyB.index1;)
            ++contact->ordinal;
        listed[i].impulse = stop->impulse, listed[i].friction = stop->friction;
        listed[i].strikes = true, listed[i].speed = stop->approachSpeed;
    }
    return scene->stopCount;
}

static size_t listContacts(const Scene* scene, Listed* listed) {
    size_t count = listStops(scene, listed);
    for (uint32_t i = 0; i < scene->clothCount; ++i) {
        const ClothRecord* record = &scene->clothRecords[i];
        listed[count++] = (Listed){record->contact, record->impulse, grzVec3_Load(record->friction),
                                   record->impulse > 0 && isNew(scene, &record->contact), record->speed};
    }
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        const grzPairFound* found = &row->found[scene->pairs.now];
        for (uint32_t t = 0, place = found->firstTouch; t < found->touchCount; ++t) {
            const grzTouch* touch = grzTouch_Read(scene->units, place);
            for (uint32_t k = 0; k < touch->pointCount; ++k) {
                const grzTouchName* name = &scene->names[place + k];
                const grzContact contact = contactOf(scene, row, touch, k, name);
                const bool isSolved = row->yielding != 0;
                const float impulse = isSolved ? touch->points[k].stepImpulse : 0;
                const grzVec3 friction = isSolved ? frictionOf(touch, &scene->frictions[place], k) : grzVec3_Zero();
                listed[count++] = (Listed){contact, impulse, friction, impulse > 0 && (touch->pushed >> k & 1) == 0,
                                           speedOf(scene, row, touch, name, &contact)};
            }
            place += grzTouch_UnitCount(touch);
        }
    }
    qsort(listed, count, sizeof *listed, compareContacts);
    return count;
}

static void addEvent(const grzPairRow* row, grzEventKind kind, const Listed* contacts, size_t contactCount,
                     grzEvent* event) {
    *event = (grzEvent){.bodyA = row->idA, .bodyB = row->idB, .kind = (uint32_t)kind};
    for (size_t i = 0; i < contactCount; ++i) {
        const grzContact* contact = &contacts[i].contact;
        const bool isOwn = contact->bodyA.index1 == row->idA.index1 && contact->bodyB.index1 == row->idB.index1;
        event->firstContact += grzSortKeyFromPair(contact->bodyA.index1, contact->bodyB.index1) <
                               grzSortKeyFromPair(row->idA.index1, row->idB.index1);
        event->contactCount += isOwn;
    }
}

static size_t listEvents(const Scene* scene, const Listed* contacts, size_t contactCount, grzEvent* events) {
    size_t count = 0;
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        const bool did = !row->isNew && row->found[1 - scene->pairs.now].isTouching,
                   does = row->found[scene->pairs.now].isTouching;
        const grzEventKind kind = !did ? grz_beginEvent : does ? grz_persistEvent : grz_endEvent;
        if (did || does)
            addEvent(row, kind, contacts, contactCount, &events[count++]);
    }
    for (size_t i = 0; i < scene->endedCount; ++i) {
        const grzPairRow* row = &scene->rows[scene->ended[i].row];
        if (row->found[1 - scene->pairs.now].isTouching)
            addEvent(row, grz_endEvent, NULL, 0, &events[count++]);
    }
    qsort(events, count, sizeof *events, compareEvents);
    return count;
}

static bool isOf(const grzPairRow* row, const grzContact* contact) {
    return contact->bodyA.index1 == row->idA.index1 && contact->bodyB.index1 == row->idB.index1;
}

// Pairs are in the order of keys.
static void checkHits(const Scene* scene, const Listed* contacts, size_t contactCount,
                      const grzPublishOutput* output) {
    size_t count = 0;
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        const Listed* fastest = NULL;
        float impulse = 0;
        for (size_t k = 0; k < contactCount; ++k) {
            if (!isOf(row, &contacts[k].contact))
                continue;
            impulse += contacts[k].impulse;
            if (contacts[k].strikes && (fastest == NULL || contacts[k].speed > fastest->speed))
                fastest = &contacts[k];
        }
        if (fastest == NULL || !(fastest->speed > 1) || !row->found[scene->pairs.now].isTouching)
            continue;
        const grzHit* hit = &output->hits[count++];
        assert_true(grzBodyId_IsSame(hit->bodyA, row->idA) && grzBodyId_IsSame(hit->bodyB, row->idB));
        assert_true(fabsf(hit->approachSpeed - fastest->speed) < 1e-4f &&
                    fabsf(hit->impulse - impulse) < 1e-3f * (1 + impulse));
        assert_true(hit->toi == fastest->contact.toi && hit->firstContact == row->firstContact);
        assert_true(grzDistance(hit->point, fastest->contact.point) == 0);
        assert_true(grzDistance(hit->normal, fastest->contact.normal) == 0);
    }
    assert_int_equal(output->hitCount, count);
}

static void check(const Scene* scene, const grzPublishOutput* output) {
    static Listed contacts[MOST_CONTACTS];
    static grzEvent events[MOST];
    const size_t contactCount = listContacts(scene, contacts);
    const size_t eventCount = listEvents(scene, contacts, contactCount, events);
    assert_int_equal(output->contactCount, contactCount);
    assert_int_equal(output->eventCount, eventCount);
    for (size_t i = 0; i < contactCount; ++i) {
        assert_memory_equal(&output->contacts[i], &contacts[i].contact, sizeof(grzContact));
        assert_true(output->impulses[i] == contacts[i].impulse);
        const grzVec3 friction = contacts[i].friction; // great where points lie near each other
        assert_true(grzDistance(output->frictions[i], friction) < 1e-3f * (1 + grzLength(friction)));
    }
    checkHits(scene, contacts, contactCount, output);
    for (size_t i = 0; i < eventCount; ++i)
        assert_memory_equal(&output->events[i], &events[i], sizeof *events);
}

// --------------------------------------------------------------------------------------------------------------- tests

static void listsAreInOrder(void** state) {
    (void)state;
    static Scene scene;
    static Lists lists;
    grzRng rng = grzRng_Make(testSeed(860), 0);
    size_t events = 0, contacts = 0, hits = 0;
    for (int round = 0; round < 24; ++round) {
        fill(&scene, &rng, (uint32_t)round % 4); // with no pair, too, and with none that ended
        const grzPublishInput input = inputOf(&scene);
        for (int again = 0; again < 2; ++again) {
            grzPublishOutput output = outputOf(&lists);
            assert_true(grzResult_IsOk(grzStep_Publish(&input, &output)));
            check(&scene, &output);
            events += output.eventCount, contacts += output.contactCount, hits += output.hitCount;
        }
    }
    assert_true(events > 1000 && contacts > 10000 && hits > 1000);
}

// Publishes a pair that touches, and a pair of the same slots that touched and ended in this step. generation: of B in
// the new pair; in the old one it is 1.
static size_t publishSameSlots(uint32_t generation, Lists* lists) {
    static Scene scene;
    grzRng rng = grzRng_Make(testSeed(861), 0);
    memset(&scene, 0, sizeof scene);
    scene.pairs = (grzStepPairs){scene.rows, scene.order, 0, 1, scene.blocks};
    for (uint32_t i = 0; i < 2; ++i) {
        scene.rows[i].b = 1;
        scene.rows[i].idA = (grzBodyId){4, 1}, scene.rows[i].idB = (grzBodyId){7, i == 0 ? 1 : generation};
    }
    while (scene.pairs.count == 0 || scene.rows[1].found[1].isTouching == 0) {
        memset(&scene.rows[1].found, 0, sizeof scene.rows[1].found);
        scene.pairs.count = scene.blocks[0].contacts = scene.blocks[0].cloths = scene.meshCount = 0;
        scene.clothCount = scene.spanCount = 0;
        scene.stopCount = 0;
        fillPair(&scene, &rng, 1);
    }
    scene.rows[1].isNew = true;
    scene.rows[0].found[0].isTouching = true;
    scene.ended[scene.endedCount++].row = 0;
    const grzPublishInput input = inputOf(&scene);
    grzPublishOutput output = outputOf(lists);
    assert_true(grzResult_IsOk(grzStep_Publish(&input, &output)));
    return output.eventCount;
}

// Where a number has another body now, what touched the old one ends, and comes behind what begins.
static void newBodiesOfOldNumbers(void** state) {
    (void)state;
    static Lists lists;
    assert_int_equal(publishSameSlots(2, &lists), 2);
    assert_true(lists.events[0].kind == grz_beginEvent && lists.events[0].bodyB.generation == 2);
    assert_true(lists.events[1].kind == grz_endEvent && lists.events[1].bodyB.generation == 1);
    assert_int_equal(lists.events[1].contactCount, 0);
}

// A stop may put a pair back that the broad stage has taken out of the table.
static void aPairThatComesBackGoesOn(void** state) {
    (void)state;
    static Lists lists;
    assert_int_equal(publishSameSlots(1, &lists), 1);
    assert_true(lists.events[0].kind == grz_persistEvent && lists.events[0].bodyB.generation == 1);
}

static void theSameBytesForAnyNumberOfWorkers(void** state) {
    (void)state;
    static Scene scene;
    static Lists lists, again;
    grzRng rng = grzRng_Make(testSeed(862), 0);
    fill(&scene, &rng, 2);
    grzPublishInput input = inputOf(&scene);
    grzPublishOutput output = outputOf(&lists);
    assert_true(grzResult_IsOk(grzStep_Publish(&input, &output)));
    for (uint32_t workers = 1; workers <= 8; ++workers) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers;
        grzTasks* tasks;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        input.tasks = tasks;
        output = outputOf(&again);
        assert_true(grzResult_IsOk(grzStep_Publish(&input, &output)));
        assert_memory_equal(&again, &lists, sizeof lists);
        grzTasks_Destroy(tasks);
    }
}

// A pair that is not decided touches if a point has pushed; of points without a gap narrow has decided.
static void pairsThatPushTouch(void** state) {
    (void)state;
    static Scene scene;
    static grzPairRow before[MOST];
    grzRng rng = grzRng_Make(testSeed(864), 0);
    uint32_t pushed = 0;
    for (int round = 0; round < 6; ++round) {
        fill(&scene, &rng, 1 + (uint32_t)round % 3);
        for (uint32_t i = 0; i < MOST; i += 2)
            scene.rows[i].found[scene.pairs.now].isTouching = false;
        memcpy(before, scene.rows, sizeof before);
        uint32_t touching[BLOCKS] = {0};
        for (uint32_t i = 0; i < scene.pairs.count; ++i) {
            const grzPairFound* found = &grzStepPairs_At(&scene.pairs, i)->found[scene.pairs.now];
            const bool isOpen = !found->isTouching && found->touchCount != 0;
            scene.blocks[i / GRZ_PAIR_BLOCK].undecided += isOpen;
            scene.blocks[i / GRZ_PAIR_BLOCK].touching += found->isTouching;
            touching[i / GRZ_PAIR_BLOCK] += found->isTouching;
        }
        const grzTouchingInput input = {.pairs = scene.pairs, .units = scene.units, .tasks = NULL};
        assert_true(grzResult_IsOk(grzStep_FindTouching(&input)));
        for (uint32_t i = 0; i < scene.pairs.count; ++i) {
            const uint32_t place = scene.order[i];
            const grzPairFound* found = &scene.rows[place].found[scene.pairs.now];
            bool does = before[place].found[scene.pairs.now].isTouching;
            for (uint32_t t = 0, at = found->firstTouch; t < found->touchCount && !does; ++t) {
                const grzTouch* touch = grzTouch_Read(scene.units, at);
                bool isMet = false, isPushed = false;
                for (uint32_t k = 0; k < touch->pointCount; ++k)
                    isMet |= touch->metIn[k] != 0, isPushed |= touch->points[k].stepImpulse > 0;
                if (isMet && isPushed)
                    does = true, ++touching[i / GRZ_PAIR_BLOCK], ++pushed;
                at += grzTouch_UnitCount(touch);
            }
            assert_int_equal(found->isTouching, does);
        }
        for (uint32_t i = 0; i < grzStepPairs_BlockCount(scene.pairs.count); ++i)
            assert_true(scene.blocks[i].touching == touching[i] && scene.blocks[i].undecided == 0);
    }
    assert_true(pushed > 20);
    fill(&scene, &rng, 2);
    scene.blocks[0].undecided = 1;
    for (int flaw = 0; flaw < 5; ++flaw) {
        grzTouchingInput input = {.pairs = scene.pairs, .units = scene.units, .tasks = NULL};
        input.pairs.now = flaw == 0 ? 2 : input.pairs.now;
        input.pairs.rows = flaw == 1 ? NULL : input.pairs.rows;
        input.pairs.order = flaw == 2 ? NULL : input.pairs.order;
        input.pairs.blocks = flaw == 3 ? NULL : input.pairs.blocks;
        input.units = flaw == 4 ? NULL : input.units;
        const grzResult result = grzStep_FindTouching(&input);
        assert_true(result.status == grz_badArgument && result.value == 1 && result.reason != NULL);
    }
}

static void whatIsMissingIsRefused(void** state) {
    (void)state;
    static Scene scene;
    static Lists lists, before;
    grzRng rng = grzRng_Make(testSeed(863), 0);
    fill(&scene, &rng, 2);
    (void)outputOf(&before);
    for (int flaw = 0; flaw < 15; ++flaw) {
        grzPublishInput input = inputOf(&scene);
        grzPublishOutput output = outputOf(&lists);
        input.hitSpeed = flaw == 11 ? -1 : input.hitSpeed;
        input.stops = flaw == 12 ? NULL : input.stops;
        output.frictions = flaw == 13 ? NULL : output.frictions;
        output.hits = flaw == 14 ? NULL : output.hits;
        input.pairs.now = flaw == 0 ? 2 : input.pairs.now;
        input.pairs.rows = flaw == 1 ? NULL : input.pairs.rows;
        input.pairs.order = flaw == 2 ? NULL : input.pairs.order;
        input.pairs.blocks = flaw == 3 ? NULL : input.pairs.blocks;
        input.starts = flaw == 4 ? NULL : input.starts;
        input.substepCount = flaw == 5 ? 0 : input.substepCount;
        input.endedRows = flaw == 6 ? NULL : input.endedRows;
        input.spans = flaw == 7 ? NULL : input.spans;
        output.contacts = flaw == 8 ? NULL : output.contacts;
        output.impulses = flaw == 9 ? NULL : output.impulses;
        output.events = flaw == 10 ? NULL : output.events;
        const grzResult result = grzStep_Publish(&input, &output);
        assert_true(result.status == grz_badArgument &&
                    result.value == (flaw < 8 || flaw == 11 || flaw == 12 ? 1u : 2u));
        assert_true(result.reason != NULL);
        assert_memory_equal(&lists, &before, sizeof lists);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listsAreInOrder),          cmocka_unit_test(newBodiesOfOldNumbers),
        cmocka_unit_test(aPairThatComesBackGoesOn), cmocka_unit_test(theSameBytesForAnyNumberOfWorkers),
        cmocka_unit_test(pairsThatPushTouch),       cmocka_unit_test(whatIsMissingIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
