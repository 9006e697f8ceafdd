// The contact stream against brute force: which pairs touch, in what order they are told, when they begin and end.
#include "world_testing.h"

#include <math.h>

#include "graze/tri_tri.h"
#include "record_sort.h"

enum { MOST_SLOTS = 40 };

typedef struct Touching {
    bool is[MOST_SLOTS][MOST_SLOTS]; // a < b
} Touching;

static void checkOrder(const grzWorldContacts* found) {
    for (size_t i = 1; i < found->contactCount; ++i)
        assert_true(grzCompareRecords(&grzContactType, &found->contacts[i - 1], &found->contacts[i]) < 0);
    for (size_t i = 1; i < found->eventCount; ++i)
        assert_true(grzCompareRecords(&grzEventType, &found->events[i - 1], &found->events[i]) < 0);
}

static void checkContacts(const grzWorld* world, const grzWorldContacts* found) {
    const uint32_t slots = grzWorld_SlotCount(world);
    for (size_t i = 0; i < found->contactCount; ++i) {
        const grzContact* contact = &found->contacts[i];
        assert_true(contact->bodyA.index1 < contact->bodyB.index1 && contact->bodyB.index1 <= slots);
        assert_true(grzVec3_IsFinite(contact->point) && grzVec3_IsFinite(contact->normal));
        assert_true(fabsf(grzLength(contact->normal) - 1) < 1e-4f);
        const bool isCloth = viewOf(world, contact->bodyA).kind == grz_clothBody ||
                             viewOf(world, contact->bodyB).kind == grz_clothBody;
        const bool isStop = contact->ordinal >= GRZ_STOP_ORDINAL; // at any time
        assert_true(contact->separation > 0 || contact->toi == 0 || isStop);
        const float substep = 4 * contact->toi; // of rigid bodies toi is when one begins
        assert_true(contact->toi >= 0 && contact->toi <= 1 &&
                    (!isCloth || !(contact->separation > 0) || contact->toi > 0));
        assert_true(isCloth || isStop || substep == floorf(substep));
        assert_true(contact->pad == 0);
        assert_true(found->impulses[i] >= 0);
    }
}

// A pair touches if it pushes or overlaps, and goes on to while it is within a quarter of the margin.
static void listTouching(const grzWorldContacts* found, const Touching* before, Touching* touching) {
    memset(touching, 0, sizeof *touching);
    for (size_t i = 0; i < found->contactCount; ++i) {
        const uint32_t a = slotOf(found->contacts[i].bodyA), b = slotOf(found->contacts[i].bodyB);
        const float most = before->is[a][b] ? 0.25f * grzDefaultWorldDef().margin : 0;
        touching->is[a][b] |= found->impulses[i] > 0 || found->contacts[i].separation <= most;
    }
}

static const grzEvent* eventOf(const grzWorldContacts* found, uint32_t a, uint32_t b) {
    const grzEvent* event = NULL;
    for (size_t i = 0; i < found->eventCount; ++i)
        if (slotOf(found->events[i].bodyA) == a && slotOf(found->events[i].bodyB) == b) {
            assert_null(event); // one a pair, where no slot changes hands
            event = &found->events[i];
        }
    return event;
}

// Events are what two sets of touching pairs say, and name the contacts of their pair.
static void checkEvents(const grzWorldContacts* found, const Touching* before, const Touching* now) {
    size_t expected = 0;
    for (uint32_t a = 0; a < MOST_SLOTS; ++a)
        for (uint32_t b = a + 1; b < MOST_SLOTS; ++b) {
            const bool did = before->is[a][b], does = now->is[a][b];
            if (!did && !does)
                continue;
            ++expected;
            const grzEvent* event = eventOf(found, a, b);
            assert_non_null(event);
            assert_int_equal(event->kind, does ? did ? grz_persistEvent : grz_beginEvent : grz_endEvent);
            assert_true(event->firstContact + event->contactCount <= found->contactCount ||
                        event->contactCount == 0);
            for (uint32_t i = event->firstContact; i < event->firstContact + event->contactCount; ++i)
                assert_true(slotOf(found->contacts[i].bodyA) == a && slotOf(found->contacts[i].bodyB) == b);
            assert_true(!does || event->contactCount > 0);
        }
    assert_int_equal(found->eventCount, expected);
}

// Over all kinds of scenes, the stream says what it should, and stays so while bodies come and go.
static void test_streamAndEvents(void** state) {
    (void)state;
    static const uint32_t counts[MIX_COUNT] = {16, 10, 5, 10, 8};
    uint32_t begins = 0, ends = 0;
    for (int mix = 0; mix < MIX_COUNT; ++mix) {
        static Touching sets[2];
        memset(sets, 0, sizeof sets);
        grzWorld* world = makeWorld(NULL);
        fillWorld(world, (WorldMix)mix, counts[mix], testSeed(730));
        assert_true(grzWorld_SlotCount(world) <= MOST_SLOTS);
        for (int step = 0; step < 70; ++step) {
            stepWorld(world, 1);
            const grzWorldContacts found = grzWorld_GetContacts(world);
            Touching *before = &sets[step % 2], *now = &sets[1 - step % 2];
            checkOrder(&found);
            checkContacts(world, &found);
            listTouching(&found, before, now);
            checkEvents(&found, before, now);
            for (size_t i = 0; i < found.eventCount; ++i) {
                begins += found.events[i].kind == grz_beginEvent;
                ends += found.events[i].kind == grz_endEvent;
            }
        }
        grzWorld_Destroy(world);
    }
    assert_true(begins > 60 && ends > 20);
}

// ---------------------------------------------------------------------------------------------------------- brute force

static void test_convexPairs(void** state) {
    (void)state;
    enum { BODIES = 24 };
    grzRng rng = grzRng_Make(testSeed(731), 0);
    uint32_t touching = 0, near = 0;
    for (int round = 0; round < 8; ++round) {
        grzWorld* world = makeWorld(NULL);
        grzConvex shapes[BODIES];
        grzBodyId ids[BODIES];
        for (int i = 0; i < BODIES; ++i) {
            grzBodyDef def = grzDefaultBodyDef();
            def.kind = (grzBodyKind)(i % 3);
            shapes[i] = def.shape = anyShape(&rng);
            def.origin = randomVector(&rng, 1.6f);
            def.rotation = randomTurn(&rng);
            if (def.kind == grz_dynamicBody && !(grzConvex_Mass(&def.shape).volume > 1e-9))
                shapes[i] = def.shape = grzMakeSphere(grzVec3_Zero(), 0.3f);
            ids[i] = addBody(world, &def);
        }
        must(grzWorld_Collide(world, 0));
        const grzWorldContacts found = grzWorld_GetContacts(world);
        for (uint32_t a = 0; a < BODIES; ++a)
            for (uint32_t b = a + 1; b < BODIES; ++b) {
                const grzBodyView viewA = viewOf(world, ids[a]), viewB = viewOf(world, ids[b]);
                grzConvexDistance distance;
                must(grzConvex_Distance(&shapes[a], poseOf(&viewA), &shapes[b], poseOf(&viewB), &distance));
                bool isTouching = false, isNear = false;
                for (size_t i = 0; i < found.contactCount; ++i)
                    if (slotOf(found.contacts[i].bodyA) == a && slotOf(found.contacts[i].bodyB) == b) {
                        isNear = true;
                        isTouching = isTouching || found.contacts[i].separation <= 0;
                    }
                const bool mayMeet = a % 3 != 0 || b % 3 != 0;
                if (distance.upper < 0.0199f && isNear != mayMeet)
                    fail_msg("%u and %u: %g apart, contacts: %d", a, b, (double)distance.upper, isNear);
                assert_true(!(distance.lower > 0.0201f) || !isNear);
                if (distance.certainty == grz_exact && distance.isTouching && isTouching != mayMeet)
                    fail_msg("%u and %u touch, contact: %d", a, b, isTouching);
                assert_true(!(distance.lower > 1e-5f) || !isTouching);
                touching += isTouching, near += isNear && !isTouching;
            }
        grzWorld_Destroy(world);
    }
    assert_true(touching > 60 && near > 0);
}

static void cornersAt(grzMeshView mesh, grzTransform pose, uint32_t triangle, grzVec3 corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzTransform_Apply(
            pose, grzVec3_Load(mesh.positions32 + 3 * (size_t)mesh.triangles[3 * (size_t)triangle + k]));
}

static bool doMeet(grzMeshView a, grzTransform poseA, grzMeshView b, grzTransform poseB) {
    for (uint32_t i = 0; i < a.triangleCount; ++i)
        for (uint32_t k = 0; k < b.triangleCount; ++k) {
            grzVec3 cornersA[3], cornersB[3];
            cornersAt(a, poseA, i, cornersA);
            cornersAt(b, poseB, k, cornersB);
            if (grzBox_Overlap(
                    grzBox_AddPoint(grzBox_Make(grzMin(cornersA[0], cornersA[1]), grzMax(cornersA[0], cornersA[1])),
                                    cornersA[2]),
                    grzBox_AddPoint(grzBox_Make(grzMin(cornersB[0], cornersB[1]), grzMax(cornersB[0], cornersB[1])),
                                    cornersB[2])) &&
                grzTriTri_Classify(cornersA, cornersB) != grz_triNone)
                return true;
        }
    return false;
}

static void test_meshPairs(void** state) {
    (void)state;
    enum { BODIES = 9 };
    const grzMesh* const meshes[3] = {g_kit.ball, g_kit.ring, g_kit.crate};
    const grzMeshShape* const shapes[3] = {g_kit.ballShape, g_kit.ringShape, g_kit.crateShape};
    grzRng rng = grzRng_Make(testSeed(732), 0);
    uint32_t meetings = 0, misses = 0;
    for (int round = 0; round < 3; ++round) {
        grzWorld* world = makeWorld(NULL);
        grzBodyId ids[BODIES];
        for (int i = 0; i < BODIES; ++i) {
            grzBodyDef def = grzDefaultBodyDef();
            def.mesh = shapes[i % 3];
            def.origin = randomVector(&rng, 0.9f);
            def.rotation = randomTurn(&rng);
            ids[i] = addBody(world, &def);
        }
        must(grzWorld_Collide(world, 0));
        static Touching none, told;
        const grzWorldContacts found = grzWorld_GetContacts(world);
        listTouching(&found, &none, &told);
        for (uint32_t a = 0; a < BODIES; ++a)
            for (uint32_t b = a + 1; b < BODIES; ++b) {
                const grzBodyView viewA = viewOf(world, ids[a]), viewB = viewOf(world, ids[b]);
                const bool meets = doMeet(grzMesh_GetView(meshes[a % 3]), poseOf(&viewA),
                                          grzMesh_GetView(meshes[b % 3]), poseOf(&viewB));
                if (meets != told.is[a][b])
                    fail_msg("%u and %u: triangles meet: %d, contacts: %d", a, b, meets, told.is[a][b]);
                meetings += meets, misses += !meets;
            }
        grzWorld_Destroy(world);
    }
    assert_true(meetings > 10 && misses > 10);
}

// A shape near a mesh: contacts within the margin where the nearest triangle is.
static void test_shapesAndMeshes(void** state) {
    (void)state;
    enum { BODIES = 12 };
    grzRng rng = grzRng_Make(testSeed(733), 0);
    const grzMeshView mesh = grzMesh_GetView(g_kit.ring);
    uint32_t touching = 0, apart = 0;
    for (int round = 0; round < 4; ++round) {
        grzWorld* world = makeWorld(NULL);
        addMesh(world, grz_staticBody, g_kit.ringShape, grzVec3_Zero());
        grzConvex shapes[BODIES];
        grzBodyId ids[BODIES];
        for (int i = 0; i < BODIES; ++i) {
            grzBodyDef def = grzDefaultBodyDef();
            shapes[i] = def.shape = i % 2 == 0 ? grzMakeSphere(grzVec3_Zero(), 0.1f)
                                               : grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.1f, 0.05f, 0.15f));
            def.origin = randomVector(&rng, 0.5f);
            def.rotation = randomTurn(&rng);
            def.group = 5; // they meet the mesh alone
            ids[i] = addBody(world, &def);
        }
        must(grzWorld_Collide(world, 0));
        static Touching none, told;
        const grzWorldContacts found = grzWorld_GetContacts(world);
        listTouching(&found, &none, &told);
        for (uint32_t i = 0; i < BODIES; ++i) {
            const grzBodyView view = viewOf(world, ids[i]);
            float least = 10;
            for (uint32_t k = 0; k < mesh.triangleCount; ++k) {
                grzVec3 corners[3];
                cornersAt(mesh, grzTransform_Identity(), k, corners);
                grzConvexDistance distance;
                const grzMeshTriangle triangle = {.vertices = {corners[0], corners[1], corners[2]}};
                must(grzConvex_TriangleDistance(&shapes[i], poseOf(&view), &triangle, &distance));
                least = distance.upper < least ? distance.upper : least;
            }
            assert_true(!told.is[0][i + 1] || least <= 1e-5f);
            // From behind the surface nothing is met, and boxes may find their way out there.
            const float x = sqrtf(view.origin.x * view.origin.x + view.origin.z * view.origin.z) - 0.35f;
            const bool isOutside = x * x + view.origin.y * view.origin.y > 0.16f * 0.16f;
            assert_true(i % 2 != 0 || !isOutside || least > 0 || told.is[0][i + 1]);
            touching += told.is[0][i + 1], apart += least > 0;
        }
        grzWorld_Destroy(world);
    }
    assert_true(touching > 4 && apart > 4);
}

// ---------------------------------------------------------------------------------------------- collide alone, filters

// What Collide says at some poses is what Step says at the same ones, where nothing moves on.
static void test_collideIsStep(void** state) {
    (void)state;
    for (int mix = 0; mix < MIX_COUNT; ++mix) {
        if (mix == mixCloth || mix == mixAll)
            continue;
        uint64_t hashes[2];
        for (int isStep = 0; isStep < 2; ++isStep) {
            grzWorldDef def = grzDefaultWorldDef();
            def.gravity = grzVec3_Zero();
            def.idSalt = 1; // contacts of both have the same ids
            grzWorld* world;
            must(grzWorld_Create(&def, &world));
            fillWorld(world, (WorldMix)mix, 14, 734);
            for (uint32_t slot = 0; slot < grzWorld_SlotCount(world); ++slot) {
                const grzBodyId id = grzWorld_BodyAt(world, slot);
                const grzBodyView view = viewOf(world, id);
                if (view.kind != grz_dynamicBody && view.kind != grz_kinematicBody)
                    continue;
                must(grzWorld_SetVelocity(world, id, grzVec3_Zero(), grzVec3_Zero()));
                grzVec3 nearer = view.origin;
                nearer.y = 0.3f + 0.5f * (nearer.y - 0.3f);
                must(grzWorld_PlaceBody(world, id, nearer, view.rotation));
            }
            must(isStep != 0 ? grzWorld_Step(world, 1.0f / 60.0f) : grzWorld_Collide(world, 1.0f / 60.0f));
            const grzWorldContacts found = grzWorld_GetContacts(world);
            assert_true(found.contactCount > 4);
            hashes[isStep] = 0;
            for (size_t i = 0; i < found.contactCount; ++i) {
                grzContact contact = found.contacts[i];
                assert_true(isStep != 0 || contact.toi == (contact.separation > 0 ? 1 : 0));
                contact.toi = 0; // only a step knows what meets in it
                uint32_t words[sizeof contact / 4];
                memcpy(words, &contact, sizeof words);
                for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
                    hashes[isStep] = hashes[isStep] * 0x100000001B3u + words[k];
            }
            for (size_t i = 0; i < found.contactCount && isStep == 0; ++i)
                assert_true(found.impulses[i] == 0);
            grzWorld_Destroy(world);
        }
        assert_int_equal(hashes[0], hashes[1]);
    }
}

// A body that flies at a wall touches it when the substep begins in which it comes there.
static void test_timeOfImpact(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(737), 0);
    const float dt = 1.0f / 60, speed = 3;
    for (int round = 0; round < 60; ++round) {
        grzWorldDef def = grzDefaultWorldDef();
        def.gravity = grzVec3_Zero();
        grzWorld* world;
        must(grzWorld_Create(&def, &world));
        grzBodyDef wall = grzDefaultBodyDef(), body = grzDefaultBodyDef();
        wall.kind = grz_staticBody;
        wall.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 4, 4));
        (void)addBody(world, &wall);
        const float gap = 0.02f + 0.4f * grzRng_Float(&rng), part = gap / (speed * dt);
        body.shape = round % 2 == 0 ? grzMakeSphere(grzVec3_Zero(), 0.5f)
                                    : grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f, 0.5f, 0.5f));
        body.origin = grzVec3_Make(1.5f + gap, 0, 0);
        body.velocity = grzVec3_Make(-speed, 0, 0);
        (void)addBody(world, &body);
        const int meets = (int)part;
        for (int step = 0; step <= meets; ++step) {
            must(grzWorld_Step(world, dt));
            const grzWorldContacts found = grzWorld_GetContacts(world);
            assert_true(step < meets || found.contactCount == (round % 2 == 0 ? 1 : 4));
            for (size_t i = 0; i < found.contactCount; ++i) {
                const float toi = found.contacts[i].toi, wanted = floorf(4 * (part - (float)meets)) / 4;
                const bool isOnEdge = fabsf(4 * part - roundf(4 * part)) < 0.01f;
                assert_true(found.contacts[i].separation > 0);
                // Slowed in the step before, it comes to the wall when the first substep ends.
                const bool isLate = wanted == 0 && toi == 0.25f && step == meets;
                assert_true(isOnEdge || isLate || toi == (step < meets ? 1 : wanted));
            }
        }
        grzWorld_Destroy(world);
    }
}

// Collide moves nothing but what the host animates.
static void test_collideMovesNothing(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    fillWorld(world, mixCloth, 5, 735);
    stepWorld(world, 20);
    const uint64_t before = grzWorld_HashState(world);
    for (int i = 0; i < 5; ++i)
        must(grzWorld_Collide(world, 0.01f));
    assert_true(grzWorld_Validate(world));
    assert_int_equal(grzWorld_HashState(world), before);
    assert_int_equal(grzWorld_StepCount(world), 25);
    grzWorld_Destroy(world);
}

typedef struct Filter {
    uint64_t category, mask;
    uint32_t group;
} Filter;

static grzBodyId addFiltered(grzWorld* world, int kind, Filter filter) {
    grzBodyId id;
    if (kind == 2) {
        grzClothDef def = grzDefaultClothDef();
        def.mesh = g_kit.sheet;
        def.category = filter.category, def.mask = filter.mask, def.group = filter.group;
        must(grzWorld_AddCloth(world, &def, &id));
    } else if (kind == 3) {
        grzAnimatedDef def = grzDefaultAnimatedDef();
        def.mesh = g_kit.crate, def.isTwoSided = true;
        def.category = filter.category, def.mask = filter.mask, def.group = filter.group;
        must(grzWorld_AddAnimated(world, &def, &id));
    } else {
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = kind == 0 ? grz_dynamicBody : grz_staticBody;
        def.shape = grzMakeSphere(grzVec3_Zero(), 0.52f);
        def.origin.y = 0.45f;
        def.category = filter.category, def.mask = filter.mask, def.group = filter.group;
        id = addBody(world, &def);
    }
    return id;
}

// Each one's mask has a bit of the other's category; of one group they do not meet, but for group 0.
static void test_filters(void** state) {
    (void)state;
    static const struct {
        Filter one, two;
        bool meets;
    } cases[] = {
        {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, true},
        {{1, 2, 0}, {2, 1, 0}, true},
        {{1, 2, 0}, {2, 2, 0}, false},
        {{1, 1, 0}, {2, 1, 0}, false},
        {{3, 4, 0}, {4, 2, 0}, true},
        {{0, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, false},
        {{1, UINT64_MAX, 7}, {1, UINT64_MAX, 7}, false},
        {{1, UINT64_MAX, 7}, {1, UINT64_MAX, 8}, true},
        {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 7}, true},
        {{1, 0, 7}, {1, UINT64_MAX, 8}, false},
        {{(uint64_t)1 << 63, UINT64_MAX, 0}, {1, (uint64_t)1 << 63, 0}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int kind = 0; kind < 4; ++kind)
            for (int isSwapped = 0; isSwapped < 2; ++isSwapped) {
                grzWorld* world = makeWorld(NULL);
                addFiltered(world, isSwapped != 0 ? 0 : kind, isSwapped != 0 ? cases[i].two : cases[i].one);
                addFiltered(world, isSwapped != 0 ? kind : 0, isSwapped != 0 ? cases[i].one : cases[i].two);
                must(grzWorld_Collide(world, 1.0f / 60.0f));
                const grzWorldContacts found = grzWorld_GetContacts(world);
                if ((found.contactCount > 0) != cases[i].meets || found.eventCount != (cases[i].meets ? 1 : 0))
                    fail_msg("case %zu, kind %d: %zu contacts, %zu events", i, kind, found.contactCount,
                             found.eventCount);
                grzWorld_Destroy(world);
            }
    grzWorld* world = makeWorld(NULL);
    addFiltered(world, 1, cases[0].one);
    addFiltered(world, 1, cases[0].two);
    must(grzWorld_Collide(world, 0));
    assert_int_equal(grzWorld_GetContacts(world).contactCount, 0); // both static
    grzWorld_Destroy(world);
}

// A body at rest has the same contacts, by name, step after step; and carries its weight on them.
static void test_restingNames(void** state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        grzWorld* world = makeWorld(NULL);
        if (kind == 0)
            addFloor(world, 0.6f);
        else
            addMesh(world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
        const grzVec3 place = grzVec3_Make(0.2f, 0.52f, 0.3f);
        const grzBodyId id =
            kind < 2 ? addShape(world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), place)
                     : addMesh(world, grz_dynamicBody, g_kit.crateShape, place);
        stepWorld(world, 60);
        grzContact names[8];
        size_t count = 0;
        for (int step = 0; step < 40; ++step) {
            stepWorld(world, 1);
            const grzWorldContacts found = grzWorld_GetContacts(world);
            assert_true(found.contactCount >= 3 && found.contactCount <= 8);
            float sum = 0;
            for (size_t i = 0; i < found.contactCount; ++i) {
                for (unsigned word = 0; word < grz_contactKeyWords && step > 0; ++word)
                    assert_int_equal(grzContact_KeyWord(&found.contacts[i], word),
                                     grzContact_KeyWord(&names[i], word));
                names[i] = found.contacts[i];
                sum += found.impulses[i];
            }
            assert_true(step == 0 || found.contactCount == count);
            count = found.contactCount;
            const float wanted = viewOf(world, id).mass * 9.81f / 60;
            if (!(fabsf(sum - wanted) < 1e-3f * wanted))
                fail_msg("impulses of %g, not %g", (double)sum, (double)wanted);
        }
        grzWorld_Destroy(world);
    }
}

// Contacts are looked for anew once either body has turned where it is: they are those of a world that never knew another pose.
static void test_turningBodies(void** state) {
    (void)state;
    const grzConvex slab = grzMakeBox(grzVec3_Zero(), grzVec3_Make(2, 1, 2));
    const grzConvex rod = grzMakeCapsule(grzVec3_Make(-1, 0, 0), grzVec3_Make(1, 0, 0), 0.3f);
    for (int turned = 0; turned < 4; ++turned) { // bits: the slab, the rod
        grzWorld *old = makeWorld(NULL), *fresh = makeWorld(NULL), *worlds[2] = {old, fresh};
        for (int k = 0; k < 2; ++k) {
            const grzBodyId a = addShape(worlds[k], grz_kinematicBody, slab, grzVec3_Zero());
            const grzBodyId b = addShape(worlds[k], grz_dynamicBody, rod, grzVec3_Make(0, 1.29f, 0));
            if (k == 0)
                must(grzWorld_Collide(old, 0));
            const grzQuat lean = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), 0.05f);
            const grzQuat turn = grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), 0.4f);
            must(grzWorld_PlaceBody(worlds[k], a, grzVec3_Zero(), (turned & 1) != 0 ? lean : grzQuat_Identity()));
            must(grzWorld_PlaceBody(worlds[k], b, grzVec3_Make(0, 1.29f, 0),
                                    (turned & 2) != 0 ? turn : grzQuat_Identity()));
            must(grzWorld_Collide(worlds[k], 0));
        }
        const grzWorldContacts known = grzWorld_GetContacts(old), found = grzWorld_GetContacts(fresh);
        assert_int_equal(known.contactCount, found.contactCount);
        assert_true(found.contactCount > 0);
        for (size_t i = 0; i < found.contactCount; ++i) {
            assert_true(grzDistance(known.contacts[i].point, found.contacts[i].point) < 1e-5f);
            assert_true(grzDistance(known.contacts[i].normal, found.contacts[i].normal) < 1e-5f);
            assert_true(fabsf(known.contacts[i].separation - found.contacts[i].separation) < 1e-5f);
        }
        assert_int_equal(grzWorld_GetStats(old).recycledPairs, turned == 0);
        grzWorld_Destroy(old);
        grzWorld_Destroy(fresh);
    }
}

// A body that creeps by less than what keeps contacts, again and again, does not carry the first ones along.
static void test_creepingBodies(void** state) {
    (void)state;
    const grzConvex rod = grzMakeCapsule(grzVec3_Make(-0.5f, 0, 0), grzVec3_Make(0.5f, 0, 0), 0.3f);
    const float margin = grzDefaultWorldDef().margin, stride = 0.2f * margin;
    grzWorld *old = makeWorld(NULL), *fresh = makeWorld(NULL);
    grzBodyId id =
        addShape(old, grz_kinematicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(2, 1, 2)), grzVec3_Zero());
    id = addShape(old, grz_dynamicBody, rod, grzVec3_Make(0, 1.29f, 0));
    uint64_t recycled = 0;
    for (int i = 0; i <= 10; ++i) {
        must(grzWorld_PlaceBody(old, id, grzVec3_Make((float)i * stride, 1.29f, 0), grzQuat_Identity()));
        must(grzWorld_Collide(old, 0));
        recycled += grzWorld_GetStats(old).recycledPairs;
    }
    addShape(fresh, grz_kinematicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(2, 1, 2)), grzVec3_Zero());
    addShape(fresh, grz_dynamicBody, rod, grzVec3_Make(10 * stride, 1.29f, 0));
    must(grzWorld_Collide(fresh, 0));
    const grzWorldContacts known = grzWorld_GetContacts(old), found = grzWorld_GetContacts(fresh);
    assert_int_equal(known.contactCount, found.contactCount);
    assert_true(found.contactCount == 2 && recycled >= 3 && recycled <= 8);
    for (size_t i = 0; i < found.contactCount; ++i)
        assert_true(grzDistance(known.contacts[i].point, found.contacts[i].point) < 0.3f * margin);
    grzWorld_Destroy(old);
    grzWorld_Destroy(fresh);
}

// Pairs that only the motion of the step brings together: by speed, by gravity, by a turn. Collide knows none of it.
static void test_pairsByMotion(void** state) {
    (void)state;
    for (int why = 0; why < 3; ++why) {
        grzWorld* world = makeWorld(NULL);
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = grz_kinematicBody, def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(2, 0.1f, 0.1f));
        def.spin.y = why == 2 ? 5.0f : 0.0f;
        addBody(world, &def);
        def.kind = grz_dynamicBody, def.shape = grzMakeSphere(grzVec3_Zero(), 0.1f), def.spin = grzVec3_Zero();
        def.origin = why == 2 ? grzVec3_Make(1.8f, 0, 0.6f) : grzVec3_Make(0, why == 0 ? 0.6f : 0.28f, 0);
        def.velocity.y = why == 0 ? -5.0f : 0.0f;
        def.gravityScale = why == 1 ? 1.0f : 0.0f;
        addBody(world, &def);
        must(grzWorld_Collide(world, 0.1f));
        assert_int_equal(grzWorld_GetStats(world).bodyPairs, 0);
        must(grzWorld_Step(world, 0.1f));
        assert_int_equal(grzWorld_GetStats(world).bodyPairs, 1);
        grzWorld_Destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streamAndEvents),     cmocka_unit_test(test_convexPairs),
        cmocka_unit_test(test_meshPairs),           cmocka_unit_test(test_shapesAndMeshes),
        cmocka_unit_test(test_timeOfImpact),        cmocka_unit_test(test_collideIsStep),
        cmocka_unit_test(test_collideMovesNothing), cmocka_unit_test(test_filters),
        cmocka_unit_test(test_restingNames),        cmocka_unit_test(test_turningBodies),
        cmocka_unit_test(test_creepingBodies),      cmocka_unit_test(test_pairsByMotion),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
