// Contacts and events name bodies by the ids that the host was given: those of bodies that have been removed, too, and never those
// of bodies that came into their slots.
#include "world_testing.h"

#include <math.h>

static grzResult step(grzWorld* world, bool isCollide) {
    return isCollide ? grzWorld_Collide(world, 1.0f / 60) : grzWorld_Step(world, 1.0f / 60);
}

// ---- one body after the other in a slot, on a floor that it touches at once

typedef enum Kind { kindBall, kindMesh, kindAnimated, kindCloth } Kind;
enum { KIND_COUNT = 4 };

static grzBodyId addTouching(grzWorld* world, Kind kind) {
    switch (kind) {
    case kindBall:
        return addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(0, 0.49f, 0));
    case kindMesh:
        return addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(0, 0.49f, 0));
    case kindAnimated:
        return addAnimated(world, g_kit.ball, grz_animateKeyframes);
    case kindCloth:
    default:
        return addCloth(world, grzVec3_Make(0, 0.001f, 0), NULL, 0);
    }
}

static uint32_t countEvents(grzWorld* world, grzEventKind kind, grzBodyId id) {
    const grzWorldContacts found = grzWorld_GetContacts(world);
    uint32_t count = 0;
    for (size_t i = 0; i < found.eventCount; ++i)
        count += found.events[i].kind == (uint32_t)kind &&
                 (grzBodyId_IsSame(found.events[i].bodyA, id) || grzBodyId_IsSame(found.events[i].bodyB, id));
    return count;
}

static uint32_t countContacts(grzWorld* world, grzBodyId id) {
    const grzWorldContacts found = grzWorld_GetContacts(world);
    uint32_t count = 0;
    for (size_t i = 0; i < found.contactCount; ++i)
        count += grzBodyId_IsSame(found.contacts[i].bodyA, id) || grzBodyId_IsSame(found.contacts[i].bodyB, id);
    return count;
}

// The host keeps no more than the ids that it was given.
static void replaceOne(Kind kind, bool isCollide, uint32_t times, bool staysAway) {
    grzWorld* world = makeWorld(NULL);
    const grzBodyId floor = addFloor(world, 0.6f);
    const grzBodyId old = addTouching(world, kind);
    must(step(world, isCollide));
    assert_int_equal(countEvents(world, grz_beginEvent, old), 1);
    assert_int_equal(countEvents(world, grz_beginEvent, floor), 1);
    const uint32_t contacts = countContacts(world, old);
    assert_true(contacts > 0);
    grzBodyId now = old;
    for (uint32_t i = 0; i < times; ++i) {
        const grzBodyId before = now;
        must(grzWorld_RemoveBody(world, before));
        now = addTouching(world, kind);
        assert_int_equal(now.index1, old.index1); // the same slot
        assert_false(grzBodyId_IsSame(now, before));
    }
    if (staysAway)
        must(grzWorld_RemoveBody(world, now));
    // The lists of the last step are of the bodies of that step.
    assert_int_equal(countContacts(world, old), contacts);
    assert_int_equal(countContacts(world, now), 0);
    for (int again = 0; again < 2; ++again) {
        must(step(world, isCollide));
        assert_int_equal(countEvents(world, grz_endEvent, old), again == 0);
        assert_int_equal(countContacts(world, old), 0);
        assert_int_equal(countEvents(world, grz_beginEvent, now), again == 0 && !staysAway);
        assert_int_equal(countEvents(world, grz_persistEvent, now), again == 1 && !staysAway);
        assert_int_equal(countEvents(world, grz_endEvent, now), 0);
        assert_int_equal(countContacts(world, now) > 0, !staysAway);
        assert_int_equal(grzWorld_GetContacts(world).eventCount, (again == 0) + !staysAway);
        grzBodyView view;
        mustBe(grzWorld_GetBody(world, old, &view), grz_staleHandle);
        assert_true(grzWorld_Validate(world));
    }
    grzWorld_Destroy(world);
}

static void test_replaced(void** state) {
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; ++kind)
        for (int isCollide = 0; isCollide < 2; ++isCollide)
            for (uint32_t times = 1; times <= 3; ++times)
                for (int staysAway = 0; staysAway < 2; ++staysAway)
                    replaceOne((Kind)kind, isCollide != 0, times, staysAway != 0);
}

// A slot of one kind of body may go to another kind.
static void test_replacedByAnotherKind(void** state) {
    (void)state;
    for (int from = 0; from < KIND_COUNT; ++from)
        for (int to = 0; to < KIND_COUNT; ++to) {
            grzWorld* world = makeWorld(NULL);
            addFloor(world, 0.6f);
            const grzBodyId old = addTouching(world, (Kind)from);
            must(step(world, false));
            must(grzWorld_RemoveBody(world, old));
            const grzBodyId now = addTouching(world, (Kind)to);
            assert_int_equal(now.index1, old.index1);
            must(step(world, false));
            assert_int_equal(countEvents(world, grz_endEvent, old), 1);
            assert_int_equal(countEvents(world, grz_beginEvent, now), 1);
            assert_int_equal(countEvents(world, grz_endEvent, now) + countEvents(world, grz_beginEvent, old), 0);
            grzWorld_Destroy(world);
        }
}

// ---- many bodies that come and go

enum { MOST_BODIES = 24, MOST_PAIRS = 2000 };

typedef struct Pair {
    grzBodyId a, b;
} Pair;

typedef struct PairSet {
    Pair pairs[MOST_PAIRS];
    size_t count;
} PairSet;

static bool hasPair(const PairSet* set, grzBodyId a, grzBodyId b) {
    for (size_t i = 0; i < set->count; ++i)
        if (grzBodyId_IsSame(set->pairs[i].a, a) && grzBodyId_IsSame(set->pairs[i].b, b))
            return true;
    return false;
}

static void findTouching(const grzWorldContacts* found, const PairSet* before, PairSet* touching) {
    touching->count = 0;
    for (size_t i = 0; i < found->contactCount; ++i) {
        const grzContact* contact = &found->contacts[i];
        const bool did = hasPair(before, contact->bodyA, contact->bodyB);
        const bool does =
            found->impulses[i] > 0 || contact->separation <= (did ? 0.25f * grzDefaultWorldDef().margin : 0);
        if (!does || hasPair(touching, contact->bodyA, contact->bodyB))
            continue;
        assert_true(touching->count < MOST_PAIRS);
        touching->pairs[touching->count++] = (Pair){contact->bodyA, contact->bodyB};
    }
}

// Each pair that touches begins or persists, by ids; each that did and does no more ends; and nothing else is told.
static void checkEvents(const grzWorldContacts* found, const PairSet* before, const PairSet* now) {
    size_t ended = 0;
    for (size_t i = 0; i < before->count; ++i)
        ended += !hasPair(now, before->pairs[i].a, before->pairs[i].b);
    assert_int_equal(found->eventCount, now->count + ended);
    for (size_t i = 0; i < found->eventCount; ++i) {
        const grzEvent* event = &found->events[i];
        assert_int_equal(hasPair(before, event->bodyA, event->bodyB), event->kind != grz_beginEvent);
        assert_int_equal(hasPair(now, event->bodyA, event->bodyB), event->kind != grz_endEvent);
        for (uint32_t k = 0; k < event->contactCount; ++k) {
            const grzContact* contact = &found->contacts[event->firstContact + k];
            assert_true(grzBodyId_IsSame(contact->bodyA, event->bodyA));
            assert_true(grzBodyId_IsSame(contact->bodyB, event->bodyB));
        }
    }
}

static grzBodyId addAny(grzWorld* world, grzRng* rng) {
    const float z = grzRng_Float(rng), y = grzRng_Float(rng), x = grzRng_Float(rng);
    const grzVec3 place = grzVec3_Make(4 * x - 2, 3 * y, 4 * z - 2);
    const grzBodyKind kind = (grzBodyKind)(grz_kinematicBody + grzRng_Below(rng, 2));
    switch (grzRng_Below(rng, 4)) {
    case 0:
        return addMesh(world, kind, g_kit.crateShape, place);
    case 1:
        return addShape(world, kind, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.4f)), place);
    case 2:
        return addAnimated(world, g_kit.ball, grz_animateKeyframes);
    default:
        return addShape(world, kind, grzMakeSphere(grzVec3_Zero(), 0.5f), place);
    }
}

// Returns how many slots had another body by the next step, and those that had touched something.
static uint32_t churn(grzWorld* world, grzRng* rng, grzBodyId* ids, const PairSet* touching) {
    uint32_t replaced = 0;
    for (uint32_t i = 0; i < MOST_BODIES; ++i) {
        const grzBodyId old = ids[i];
        for (uint32_t times = grzRng_Below(rng, 4) == 0 ? 1 + grzRng_Below(rng, 3) : 0; times > 0; --times) {
            must(grzWorld_RemoveBody(world, ids[i]));
            ids[i] = addAny(world, rng);
        }
        for (size_t k = 0; k < touching->count && !grzBodyId_IsSame(old, ids[i]); ++k)
            if (grzBodyId_IsSame(touching->pairs[k].a, old) || grzBodyId_IsSame(touching->pairs[k].b, old))
                ++replaced;
    }
    return replaced;
}

static void test_comingAndGoing(void** state) {
    (void)state;
    static PairSet sets[2];
    const uint64_t seed = testSeed(61);
    uint64_t hashes[2];
    for (uint32_t run = 0; run < 2; ++run) {
        grzRng rng = grzRng_Make(seed, 0);
        grzTasks* tasks = makeTasks(run == 0 ? 1 : 3);
        grzWorld* world = makeWorld(tasks);
        grzBodyId ids[MOST_BODIES];
        uint32_t replaced = 0;
        hashes[run] = 0;
        addFloor(world, 0.6f);
        for (uint32_t i = 0; i < MOST_BODIES; ++i)
            ids[i] = addAny(world, &rng);
        sets[0].count = sets[1].count = 0;
        for (int i = 0; i < 15; ++i) {
            PairSet *before = &sets[i % 2], *now = &sets[1 - i % 2];
            must(step(world, i % 3 == 0));
            const grzWorldContacts found = grzWorld_GetContacts(world);
            findTouching(&found, before, now);
            checkEvents(&found, before, now);
            hashes[run] = hashes[run] * 31 + grzWorld_HashContacts(world);
            replaced += churn(world, &rng, ids, now);
        }
        assert_true(replaced > 200);
        assert_true(grzWorld_Validate(world));
        grzWorld_Destroy(world);
        grzTasks_Destroy(tasks);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_replacedByAnotherKind),
        cmocka_unit_test(test_comingAndGoing),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
