// What a tired or hostile host may do to a world: numbers at the ends of floats, bodies without size, all at one place, meshes of slivers,
// steps of a thousand years, memory that runs out in any call, bodies that go while they touch.
#include "world_testing.h"

#include <float.h>
#include <math.h>

#include "hash.h"
#include "record_sort.h"
#include "simd_dispatch.h"

static const float g_odd[] = {0.0f, -0.0f, 1e-45f, FLT_MIN, 1e-30f,  1e-12f, 1e-6f, 1e6f,
                              1e9f, 1e15f, 1e30f,  FLT_MAX, -1e-45f, -1e-6f, -1e9f, -FLT_MAX};
enum { ODD_COUNT = sizeof g_odd / sizeof *g_odd };

static const uint32_t g_edges[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257};
enum { EDGE_COUNT = sizeof g_edges / sizeof *g_edges };

static float oddNumber(grzRng* rng) {
    return g_odd[grzRng_Below(rng, ODD_COUNT)];
}

// About 10 to a power between the two, the same on every machine: straight lines between powers of 2.
static float anySize(grzRng* rng, float least, float most) {
    const float power = 3.321928f * (least + (most - least) * grzRng_Float(rng)), whole = floorf(power);
    return ldexpf(1 + (power - whole), (int)whole);
}

static grzBodyDef ballAt(float x, float y, float z, float radius) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeSphere(grzVec3_Zero(), radius);
    def.origin = grzVec3_Make(x, y, z);
    return def;
}

static bool isFiniteView(const grzBodyView* view) {
    return grzVec3_IsFinite(view->origin) && grzQuat_IsUnit(view->rotation) && grzVec3_IsFinite(view->velocity) &&
           grzVec3_IsFinite(view->spin) && grzVec3_IsFinite(view->box.lower) && grzVec3_IsFinite(view->box.upper);
}

// A step is done, whatever it meets. Bodies that it stops are listed by slots. They are where they were, and have no velocity.
// Returns how many it stops.
static size_t stepAndCheck(grzWorld* world, float timeStep) {
    static grzBodyView before[1000];
    const uint32_t slots = grzWorld_SlotCount(world);
    for (uint32_t slot = 0; slot < slots && slot < 1000; ++slot)
        if (grzWorld_BodyAt(world, slot).index1 != 0)
            before[slot] = viewOf(world, grzWorld_BodyAt(world, slot));
    must(grzWorld_Step(world, timeStep));
    assert_true(grzWorld_Validate(world));
    const grzWorldBodyEvents found = grzWorld_GetBodyEvents(world);
    for (size_t i = 0; i < found.count; ++i) {
        const grzBodyEvent* event = &found.events[i];
        const uint32_t slot = event->body.index1 - 1;
        assert_true(i == 0 || event->body.index1 > event[-1].body.index1);
        assert_true(grzWorld_HasBody(world, event->body) && event->kind == grz_bodyStopped);
        assert_non_null(grzStopReason_Text((grzStopReason)event->reason));
        const grzBodyView view = viewOf(world, event->body);
        assert_true(grzVec3_IsEqual(view.velocity, grzVec3_Zero()) && grzVec3_IsEqual(view.spin, grzVec3_Zero()));
        if (slot < 1000) {
            assert_memory_equal(&view.origin, &before[slot].origin, sizeof view.origin);
            assert_memory_equal(&view.rotation, &before[slot].rotation, sizeof view.rotation);
        }
    }
    for (uint32_t slot = 0; slot < slots; ++slot)
        if (grzWorld_BodyAt(world, slot).index1 != 0) {
            const grzBodyView view = viewOf(world, grzWorld_BodyAt(world, slot));
            assert_true(isFiniteView(&view));
        }
    return found.count;
}

// Whether the step stops no body.
static bool stopsNone(grzWorld* world, float timeStep) {
    return stepAndCheck(world, timeStep) == 0;
}

// -------------------------------------------------------------------------------------------------------------- numbers

// A floor, a box on it and another on that.
static void fillSmall(grzWorld* world) {
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    addFloor(world, 0.6f);
    addShape(world, grz_dynamicBody, box, grzVec3_Make(0, 0.49f, 0));
    addShape(world, grz_dynamicBody, box, grzVec3_Make(0.1f, 1.5f, 0));
}

// What the def allows, the step can do.
static void test_worldNumbers(void** state) {
    (void)state;
    static const size_t numbers[] = {offsetof(grzWorldDef, margin), offsetof(grzWorldDef, contactHertz),
                                     offsetof(grzWorldDef, contactDampingRatio), offsetof(grzWorldDef, pushSpeed),
                                     offsetof(grzWorldDef, restitutionThreshold)};
    uint32_t accepted = 0;
    for (size_t field = 0; field < sizeof numbers / sizeof *numbers; ++field)
        for (int i = 0; i < ODD_COUNT; ++i) {
            grzWorldDef def = grzDefaultWorldDef();
            *(float*)(void*)((char*)&def + numbers[field]) = g_odd[i];
            grzWorld* world;
            const grzResult result = grzWorld_Create(&def, &world);
            if (!grzResult_IsOk(result)) {
                mustBe(result, grz_badArgument);
                assert_true(g_odd[i] < 0 || (field == 0 && g_odd[i] > 1e15f) || (field == 1 && !(g_odd[i] > 0)));
                continue;
            }
            ++accepted;
            fillSmall(world);
            for (int step = 0; step < 4; ++step)
                if (!stopsNone(world, 1.0f / 60))
                    fail_msg("field %zu of %g: a body is stopped", field, (double)g_odd[i]);
            assert_true(field == 0 || grzWorld_GetContacts(world).contactCount >= 4);
            grzWorld_Destroy(world);
        }
    assert_true(accepted > 50);
}

static float* fieldOf(grzBodyDef* def, uint32_t field) {
    float* const fields[] = {&def->density,        &def->friction,     &def->restitution, &def->linearDamping,
                             &def->angularDamping, &def->gravityScale, &def->origin.x,    &def->origin.y,
                             &def->velocity.x,     &def->velocity.y,   &def->spin.x,      &def->spin.y};
    return fields[field];
}

// Two of the greatest friction hold each other, though the product is beyond floats; and so do contacts of the greatest damping ratio.
static void test_greatestFriction(void** state) {
    (void)state;
    grzWorldDef worldDef = grzDefaultWorldDef();
    worldDef.contactDampingRatio = FLT_MAX;
    grzWorld* world;
    must(grzWorld_Create(&worldDef, &world));
    must(grzWorld_SetGravity(world, grzVec3_Make(3, -9.81f, 0)));
    addFloor(world, 1e38f);
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    def.origin.y = 0.5f;
    def.friction = 1e38f;
    const grzBodyId id = addBody(world, &def);
    for (int i = 0; i < 30; ++i)
        assert_true(stopsNone(world, 1.0f / 60));
    assert_true(fabsf(viewOf(world, id).origin.x) < 0.02f && fabsf(viewOf(world, id).origin.y - 0.5f) < 0.02f);
    // Where nothing presses, nothing is rubbed.
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    must(grzWorld_PlaceBody(world, id, grzVec3_Make(0, 0.51f, 0), grzQuat_Identity()));
    must(grzWorld_SetVelocity(world, id, grzVec3_Make(1, 0, 0), grzVec3_Zero()));
    for (int i = 0; i < 10; ++i)
        assert_true(stopsNone(world, 1.0f / 60));
    assert_true(grzWorld_GetContacts(world).contactCount > 0 && fabsf(viewOf(world, id).velocity.x - 1) < 1e-4f);
    grzWorld_Destroy(world);
}

// Bodies that gyrate, as light and as heavy as may be, spin on with the energy that they have.
static void test_gyratingSizes(void** state) {
    (void)state;
    static const float sizes[] = {1e-4f, 1e-3f, 1e-2f, 1, 1e2f, 1e4f, 1e6f};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        grzWorld* world = makeWorld(NULL);
        must(grzWorld_SetGravity(world, grzVec3_Zero()));
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = grzMakeBox(grzVec3_Zero(), grzScale(grzVec3_Make(1, 2, 3), sizes[i]));
        def.spin = grzVec3_Make(1, 5, 1);
        const grzBodyId id = addBody(world, &def);
        for (int step = 0; step < 60; ++step)
            if (!stopsNone(world, 1.0f / 60))
                fail_msg("a box of %g: step %d stops a body", (double)sizes[i], step);
        const float spin = grzLength(viewOf(world, id).spin);
        assert_true(spin > 4 && spin < 6);
        assert_true(fabsf(viewOf(world, id).spin.x - 1) > 0.1f); // it has tumbled
        grzWorld_Destroy(world);
    }
}

// Of a slab too thin for what its edge would do, the def is refused, and not each step after it.
static void test_tooLight(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = grzDefaultBodyDef();
    grzBodyId id;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1e-20f, 1, 1e-3f));
    mustBe(grzWorld_AddBody(world, &def, &id), grz_badArgument);
    def.kind = grz_kinematicBody;
    must(grzWorld_AddBody(world, &def, &id));
    grzWorld_Destroy(world);
}

// A body of odd numbers is refused, or moves, or is stopped; all goes on beside it.
static void test_bodyNumbers(void** state) {
    (void)state;
    uint32_t steps = 0, refused = 0, stopped = 0;
    for (uint32_t field = 0; field < 12; ++field)
        for (int i = 0; i < ODD_COUNT; ++i)
            for (int shape = 0; shape < 2; ++shape) {
                grzWorld* world = makeWorld(NULL);
                fillSmall(world);
                grzBodyDef def = ballAt(0.5f, 0.5f, 1.1f, 0.5f);
                if (shape == 1)
                    def.shape.kind = grz_noShape, def.mesh = g_kit.crateShape;
                *fieldOf(&def, field) = g_odd[i];
                grzBodyId id;
                const grzResult result = grzWorld_AddBody(world, &def, &id);
                assert_true(grzWorld_Validate(world));
                refused += !grzResult_IsOk(result);
                for (int step = 0; step < 3; ++step) {
                    const bool isFree = stopsNone(world, 1.0f / 60);
                    // Frictions, bounces and dampings of any size are fine.
                    if (!isFree && field >= 1 && field <= 4)
                        fail_msg("field %u of %g: a body is stopped", field, (double)g_odd[i]);
                    steps += isFree, stopped += !isFree;
                }
                grzWorld_Destroy(world);
            }
    assert_true(steps > 500 && refused > 50 && stopped > 10);
}

static void test_sizes(void** state) {
    (void)state;
    static const float sizes[] = {0, 1e-45f, 1e-30f, 1e-12f, 1e-6f, 1e-3f, 1, 1e3f, 1e6f, 1e9f, 1e14f};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (int kind = 0; kind < 4; ++kind)
            for (int body = 0; body < 3; ++body) {
                const float size = sizes[i];
                const grzVec3 up = grzVec3_Make(0, size, 0);
                const grzConvex shapes[4] = {grzMakeSphere(grzVec3_Zero(), size),
                                             grzMakeCapsule(grzNeg(up), up, 0.5f * size),
                                             grzMakeBox(grzVec3_Zero(), grzVec3_Splat(size)),
                                             grzMakeBox(grzVec3_Zero(), grzVec3_Make(size, 1, 1e-3f))};
                grzWorld* world = makeWorld(NULL);
                addFloor(world, 0.6f);
                addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(0.25f, 0.5f, 0));
                grzBodyDef def = grzDefaultBodyDef();
                def.kind = (grzBodyKind)body;
                def.shape = shapes[kind];
                grzBodyId id;
                const grzResult result = grzWorld_AddBody(world, &def, &id);
                if (!grzResult_IsOk(result))
                    mustBe(result, grz_badArgument);
                assert_true(grzResult_IsOk(result) || body == 2 || size > 1e14f);
                bool isGood = true;
                for (int step = 0; step < 4 && isGood; ++step)
                    isGood = stopsNone(world, 1.0f / 60);
                if (!isGood)
                    fail_msg("size %g, shape %d, body %d: a body is stopped", (double)size, kind, body);
                grzWorld_Destroy(world);
            }
}

static void test_timeStepsAtTheEnds(void** state) {
    (void)state;
    static const float refused[] = {1e-45f, FLT_MIN, 1e-30f, 1e-20f};
    static const float accepted[] = {1e-15f, 1e-9f, 1e-6f, 1e-3f, 1, 100};
    for (int mix = 0; mix < MIX_COUNT; ++mix) {
        grzWorld* world = makeWorld(NULL);
        fillWorld(world, (WorldMix)mix, 6, 900);
        stepWorld(world, 20);
        const uint64_t before = grzWorld_HashState(world);
        for (int i = 0; i < 4; ++i)
            mustBe(grzWorld_Step(world, refused[i]), grz_badArgument);
        assert_int_equal(grzWorld_HashState(world), before);
        must(grzWorld_Collide(world, 1e-45f));
        must(grzWorld_Collide(world, 1e9f));
        grzWorld_Destroy(world);
        for (size_t i = 0; i < sizeof accepted / sizeof *accepted; ++i) {
            world = makeWorld(NULL);
            fillWorld(world, (WorldMix)mix, 6, 900);
            for (int step = 0; step < 3; ++step)
                if (!stopsNone(world, accepted[i]))
                    fail_msg("mix %d: the step of %g stops a body", mix, (double)accepted[i]);
            (void)stopsNone(world, 1e9f);
            (void)stopsNone(world, FLT_MAX);
            (void)stopsNone(world, 1.0f / 60);
            grzWorld_Destroy(world);
        }
    }
}

// Capsules hit grounds end-on. They are upright but for less than a rounding, so the contacts of both ends lie on one
// line along the normal. No step is refused, and the capsules stay upright where they hit.
static void test_capsulesEndOn(void** state) {
    (void)state;
    enum { HITS = 150, GROUNDS = 4 };
    grzMesh* sheet = squareGridMesh(12, 1.2f);
    grzMeshShape* sheetShape = meshShapeOf(sheet);
    grzRng rng = grzRng_Make(testSeed(911), 0);
    for (int hit = 0; hit < HITS * GROUNDS; ++hit) {
        grzWorld* world = makeWorld(NULL);
        const int ground = hit % GROUNDS;
        if (ground < 2) {
            grzBodyDef def = grzDefaultBodyDef();
            def.kind = grz_staticBody;
            def.mesh = sheetShape;
            def.isTwoSided = ground == 1;
            addBody(world, &def);
        } else if (ground == 2) {
            addAnimated(world, sheet, grz_animateVertices);
        } else {
            addFloor(world, 0.6f);
        }
        const float half = 0.05f + 0.25f * grzRng_Float(&rng), radius = 0.02f + 0.1f * grzRng_Float(&rng);
        const float x = 0.6f * grzRng_Float(&rng) - 0.3f, z = 0.6f * grzRng_Float(&rng) - 0.3f;
        grzBodyDef def = ballAt(x, half + radius + 0.3f, z, 0);
        def.shape = grzMakeCapsule(grzVec3_Make(0, -half, 0), grzVec3_Make(0, half, 0), radius);
        def.velocity.y = -(2 + 60 * grzRng_Float(&rng));
        def.rotation.x = hit % 3 == 0 ? 0 : anySize(&rng, -24, -14);
        def.rotation.z = hit % 3 == 1 ? 0 : anySize(&rng, -24, -14);
        const grzBodyId id = addBody(world, &def);
        for (int step = 0; step < 20; ++step)
            must(grzWorld_Step(world, 1.0f / 60));
        const grzBodyView view = viewOf(world, id);
        assert_true(fabsf(view.origin.y - half - radius) < 0.02f && grzLength(view.velocity) < 0.3f);
        assert_true(hypotf(view.origin.x - x, view.origin.z - z) < 0.02f && grzLength(view.spin) < 0.1f);
        grzWorld_Destroy(world);
    }
    grzMeshShape_Destroy(sheetShape);
    grzMesh_Destroy(sheet);
}

// What is planned holds forces and gravity: a body that is thrown in one long step at a thin wall does not pass it.
static void test_pushedThroughWalls(void** state) {
    (void)state;
    for (int way = 0; way < 2; ++way) {
        grzWorld* world = makeWorld(NULL);
        must(grzWorld_SetGravity(world, way == 0 ? grzVec3_Zero() : grzVec3_Make(0, -100, 0)));
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(5, 0.02f, 5)), grzVec3_Zero());
        const grzBodyDef def = ballAt(0, 0.5f, 0, 0.1f);
        const grzBodyId id = addBody(world, &def);
        const float mass = viewOf(world, id).mass;
        if (way == 0)
            must(grzWorld_AddForce(world, id, grzVec3_Make(0, -5000 * mass, 0), grzVec3_Zero()));
        must(grzWorld_Step(world,
                           way == 0 ? 1.0f / 60 : 0.2f)); // 1.4 m, and 2.5 m at least, with nothing in the way
        assert_true(grzWorld_GetContacts(world).contactCount > 0);
        assert_true(viewOf(world, id).origin.y > 0);
        grzWorld_Destroy(world);
    }
}

// ------------------------------------------------------------------------------------------------------------- places

static bool areNear(const grzConvex* a, const grzBodyView* viewA, const grzConvex* b, const grzBodyView* viewB,
                    float limit, bool* isSure) {
    grzConvexDistance distance;
    must(grzConvex_Distance(a, poseOf(viewA), b, poseOf(viewB), &distance));
    *isSure = distance.upper < limit || distance.lower > limit;
    return distance.upper < limit;
}

// Far from the origin, huge beside tiny: the pairs that single-pair functions find.
static void test_farAndHuge(void** state) {
    (void)state;
    enum { BODIES = 20 };
    static const float offsets[] = {0, 1e3f, 1e6f, 1e9f};
    grzRng rng = grzRng_Make(testSeed(901), 0);
    uint32_t meetings = 0;
    for (int round = 0; round < 8; ++round) {
        const float offset = offsets[round % 4], wide = offset > 1e8f ? 2000.0f : 1.5f;
        grzWorld* world = makeWorld(NULL);
        grzConvex shapes[BODIES];
        grzBodyId ids[BODIES];
        for (int i = 0; i < BODIES; ++i) {
            grzBodyDef def = grzDefaultBodyDef();
            const float size = i == 0 ? 1e4f : i % 4 == 0 ? 1e-3f : offset > 1e8f ? 500.0f : 0.4f;
            shapes[i] =
                i % 2 == 0 ? grzMakeSphere(grzVec3_Zero(), size) : grzMakeBox(grzVec3_Zero(), grzVec3_Splat(size));
            def.shape = shapes[i];
            def.origin = grzAdd(randomVector(&rng, wide), grzVec3_Make(offset, i == 0 ? -size : 0, -offset));
            def.rotation = randomTurn(&rng);
            ids[i] = addBody(world, &def);
        }
        must(grzWorld_Collide(world, 0));
        const grzWorldContacts found = grzWorld_GetContacts(world);
        for (uint32_t a = 0; a < BODIES; ++a)
            for (uint32_t b = a + 1; b < BODIES; ++b) {
                const grzBodyView viewA = viewOf(world, ids[a]), viewB = viewOf(world, ids[b]);
                bool isSure, isTold = false;
                const bool isNear = areNear(&shapes[a], &viewA, &shapes[b], &viewB, 0.02f, &isSure);
                for (size_t i = 0; i < found.contactCount; ++i)
                    isTold =
                        isTold || (slotOf(found.contacts[i].bodyA) == a && slotOf(found.contacts[i].bodyB) == b);
                if (isSure && isNear != isTold)
                    fail_msg("round %d, %u and %u: near %d, told %d", round, a, b, isNear, isTold);
                meetings += isNear;
            }
        for (int step = 0; step < 3; ++step)
            (void)stopsNone(world, 1.0f / 60);
        grzWorld_Destroy(world);
    }
    assert_true(meetings > 80);
}

// A contact of every pair, once.
static void test_allAtOnePlace(void** state) {
    (void)state;
    enum { FEW = 60 };
    grzWorld* world = makeWorld(NULL);
    const grzBodyDef def = ballAt(1, 2, 3, 0.25f);
    for (int i = 0; i < FEW; ++i)
        addBody(world, &def);
    must(grzWorld_Collide(world, 0));
    const grzWorldContacts found = grzWorld_GetContacts(world);
    assert_int_equal(found.contactCount, FEW * (FEW - 1) / 2);
    assert_int_equal(found.eventCount, FEW * (FEW - 1) / 2);
    size_t place = 0;
    for (uint32_t a = 0; a < FEW; ++a)
        for (uint32_t b = a + 1; b < FEW; ++b, ++place)
            assert_true(slotOf(found.contacts[place].bodyA) == a && slotOf(found.contacts[place].bodyB) == b);
    for (int i = 0; i < 30; ++i)
        assert_true(stopsNone(world, 1.0f / 60));
    grzWorld_Destroy(world);
}

// An allocator that holds a number of bytes and no more.
typedef struct Arena {
    size_t left, size;
} Arena;

static void* takeFromArena(void* context, size_t size, size_t alignment) {
    Arena* arena = context;
    if (size > arena->left)
        return NULL;
    const grzAllocator host = grzDefaultAllocator();
    void* memory = host.allocate(host.context, size, alignment);
    arena->left -= memory != NULL ? size : 0;
    return memory;
}

static void giveToArena(void* context, void* memory, size_t size, size_t alignment) {
    Arena* arena = context;
    const grzAllocator host = grzDefaultAllocator();
    host.release(host.context, memory, size, alignment);
    arena->left += size;
}

// Two hundred million pairs are more than there is memory for: the step is refused, and bodies can be moved apart.
static void test_twentyThousandAtOnePlace(void** state) {
    (void)state;
    enum { BODIES = 20000 };
    Arena arena = {(size_t)48 << 20, (size_t)48 << 20};
    grzWorldDef worldDef = grzDefaultWorldDef();
    worldDef.allocator = (grzAllocator){&arena, takeFromArena, giveToArena};
    grzWorld* world;
    must(grzWorld_Create(&worldDef, &world));
    const grzBodyDef def = ballAt(0, 0, 0, 0.25f);
    for (int i = 0; i < BODIES; ++i)
        addBody(world, &def);
    const uint64_t before = grzWorld_HashState(world);
    mustBe(grzWorld_Step(world, 1.0f / 60), grz_outOfMemory);
    assert_int_equal(grzWorld_HashState(world), before);
    assert_true(grzWorld_Validate(world));
    for (uint32_t i = 0; i < BODIES; ++i) {
        const float x = (float)(i % 27), y = (float)(i / 27 % 27), z = (float)i / 729;
        must(grzWorld_PlaceBody(world, grzWorld_BodyAt(world, i), grzVec3_Make(x, y, floorf(z)),
                                grzQuat_Identity()));
    }
    must(grzWorld_Step(world, 1.0f / 60));
    assert_int_equal(grzWorld_GetContacts(world).contactCount, 0);
    assert_true(grzWorld_Validate(world));
    grzWorld_Destroy(world);
    assert_int_equal(arena.left, arena.size);
}

// --------------------------------------------------------------------------------------------------------------- counts

// Balls in a row, each in touch with the next: so many contacts and no more. Each a body of one colour with the next but one.
static uint64_t runRow(uint32_t count, grzTasks* tasks) {
    grzWorld* world = makeWorld(tasks);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    for (uint32_t i = 0; i < count; ++i) {
        const grzBodyDef def = ballAt(0.99f * (float)i, 0, 0, 0.5f);
        addBody(world, &def);
    }
    must(grzWorld_Collide(world, 0));
    const grzWorldContacts found = grzWorld_GetContacts(world);
    assert_int_equal(found.contactCount, count - 1);
    for (uint32_t i = 0; i + 1 < count; ++i)
        assert_true(slotOf(found.contacts[i].bodyA) == i && slotOf(found.contacts[i].bodyB) == i + 1);
    stepWorld(world, 4);
    const uint64_t state = grzWorld_HashState(world), contacts = grzWorld_HashContacts(world);
    for (uint32_t i = 0; i < count; ++i) // on each other's line they stay
        assert_true(viewOf(world, grzWorld_BodyAt(world, i)).origin.y == 0);
    grzWorld_Destroy(world);
    return state * 31 + contacts;
}

// As many pairs, apart from each other: contacts of one colour. Each pair does what one alone does.
static uint64_t runPairs(uint32_t count, grzTasks* tasks) {
    grzWorld* world = makeWorld(tasks);
    addShape(world, grz_staticBody, grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(1e4f, 1, 10)), grzVec3_Zero());
    for (uint32_t i = 0; i < count; ++i) {
        grzBodyDef def = ballAt(2.0f * (float)i, 0.499f, 0, 0.5f);
        def.restitution = 0.5f;
        def.velocity = grzVec3_Make(0, -3, 0);
        addBody(world, &def);
    }
    stepWorld(world, 1);
    assert_int_equal(grzWorld_GetStats(world).touchingPairs, count);
    stepWorld(world, 3);
    const float y = viewOf(world, grzWorld_BodyAt(world, 1)).origin.y,
                up = viewOf(world, grzWorld_BodyAt(world, 1)).velocity.y;
    for (uint32_t i = 1; i <= count; ++i) {
        const grzBodyView view = viewOf(world, grzWorld_BodyAt(world, i));
        assert_true(view.origin.y == y && view.velocity.y == up);
    }
    const uint64_t hash = grzWorld_HashState(world) * 31 + grzWorld_HashContacts(world);
    grzWorld_Destroy(world);
    return hash;
}

static grzMesh* stripOf(uint32_t vertices) {
    float positions[3 * 264];
    uint32_t indices[3 * 264];
    for (uint32_t i = 0; i < vertices; ++i) {
        positions[3 * i] = 0.1f * (float)(i / 2), positions[3 * i + 1] = 0,
                      positions[3 * i + 2] = 0.1f * (float)(i % 2);
        indices[3 * i] = i, indices[3 * i + 1] = i + 1, indices[3 * i + 2] = i + 2;
        if (i % 2 == 0)
            indices[3 * i] = i + 1, indices[3 * i + 1] = i;
    }
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = vertices;
    def.indices = indices, def.triangleCount = vertices > 2 ? vertices - 2 : 0;
    grzMesh* mesh;
    must(grzMesh_Create(&def, &mesh));
    return mesh;
}

// A strip of cloth falls on the floor and stays above it.
static uint64_t runStrip(uint32_t vertices, grzTasks* tasks) {
    grzMesh* mesh = stripOf(vertices);
    grzWorld* world = makeWorld(tasks);
    addFloor(world, 0.5f);
    grzClothDef def = grzDefaultClothDef();
    def.mesh = mesh;
    def.origin = grzVec3_Make(0, 0.02f, 0);
    grzBodyId id;
    const grzResult added = grzWorld_AddCloth(world, &def, &id);
    if (vertices < 3) {
        mustBe(added, grz_badArgument);
        grzWorld_Destroy(world);
        grzMesh_Destroy(mesh);
        return 0;
    }
    must(added);
    for (int i = 0; i < 12; ++i)
        if (!stopsNone(world, 1.0f / 60))
            fail_msg("a strip of %u vertices: step %d stops a body", vertices, i);
    grzClothView view;
    must(grzWorld_GetCloth(world, id, &view));
    assert_int_equal(view.vertexCount, vertices);
    for (uint32_t i = 0; i < vertices; ++i)
        assert_true(view.positions[3 * (size_t)i + 1] > 0 && view.positions[3 * (size_t)i + 1] < 0.02f);
    assert_true(grzWorld_GetContacts(world).contactCount > 0);
    const uint64_t hash = grzWorld_HashState(world) * 31 + grzWorld_HashContacts(world);
    grzWorld_Destroy(world);
    grzMesh_Destroy(mesh);
    return hash;
}

static uint64_t runEdges(uint32_t count, grzTasks* tasks) {
    const uint64_t row = runRow(count, tasks), pairs = runPairs(count, tasks), strip = runStrip(count, tasks);
    return (row * 31 + pairs) * 31 + strip;
}

static void test_countsAtEdges(void** state) {
    (void)state;
    static const uint32_t workers[] = {2, 3, 8};
    uint64_t wanted[EDGE_COUNT];
    for (int i = 0; i < EDGE_COUNT; ++i)
        wanted[i] = runEdges(g_edges[i], NULL);
    for (int k = 0; k < 3; ++k) {
        grzTasks* tasks = makeTasks(workers[k]);
        for (int i = 0; i < EDGE_COUNT; ++i)
            assert_int_equal(runEdges(g_edges[i], tasks), wanted[i]);
        grzTasks_Destroy(tasks);
    }
    const grzSimdLevel usual = grzSimd_Level();
    for (uint32_t level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        for (int i = 0; i < EDGE_COUNT; ++i)
            assert_int_equal(runEdges(g_edges[i], NULL), wanted[i]);
    }
    grzSimd_Force(usual);
}

// --------------------------------------------------------------------------------------------------------------- meshes

typedef struct Soup {
    float positions[3 * 12];
    uint32_t indices[3 * 8];
    uint32_t vertexCount, triangleCount;
} Soup;

enum { SOUPS = 8 };

// One triangle; the same twice, and once turned over; coplanar that overlap; slivers; a fan about a needle; no area at all.
static Soup soupOf(int kind, float size) {
    static const Soup soups[SOUPS] = {
        {{0, 0, 0, 0, 0, 1, 1, 0, 0}, {0, 1, 2}, 3, 1},
        {{0, 0, 0, 0, 0, 1, 1, 0, 0}, {0, 1, 2, 0, 1, 2}, 3, 2},
        {{0, 0, 0, 0, 0, 1, 1, 0, 0}, {0, 1, 2, 0, 2, 1}, 3, 2},
        {{0, 0, 0, 0, 0, 1, 1, 0, 0, 0.2f, 0, 0.2f, -1, 0, -1, 1, 0, -1}, {0, 1, 2, 3, 1, 2, 4, 1, 5}, 6, 3},
        {{-1, 0, 0, 1, 0, 1e-7f, 1, 0, 0, 1, 0, -1e-7f}, {0, 1, 2, 0, 2, 3}, 4, 2},
        {{-1, 0, 0, 1, 0, 0, 1e-20f, 0, 1e-20f, 0, 0, 1}, {0, 2, 1, 0, 3, 2, 2, 3, 1}, 4, 3},
        {{-1, 0, 0, 1, 0, 0, 0, 0, 0, 0.5f, 0, 0}, {0, 1, 2, 2, 3, 1}, 4, 2},
        {{0.3f, 0, 0.3f}, {0, 0, 0}, 1, 1},
    };
    Soup soup = soups[kind];
    for (uint32_t i = 0; i < 3 * soup.vertexCount; ++i)
        soup.positions[i] *= size;
    return soup;
}

static grzResult makeSoup(const Soup* soup, grzMesh** mesh) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = soup->positions, def.vertexCount = soup->vertexCount;
    def.indices = soup->indices, def.triangleCount = soup->triangleCount;
    return grzMesh_Create(&def, mesh);
}

static float distanceTo(const Soup* soup, const grzConvex* shape, grzTransform pose) {
    float least = FLT_MAX;
    for (uint32_t i = 0; i < soup->triangleCount; ++i) {
        grzMeshTriangle triangle;
        memset(&triangle, 0, sizeof triangle);
        for (int k = 0; k < 3; ++k)
            triangle.vertices[k] = grzVec3_Load(soup->positions + 3 * soup->indices[3 * i + (uint32_t)k]);
        grzConvexDistance distance;
        must(grzConvex_TriangleDistance(shape, pose, &triangle, &distance));
        least = distance.upper < least ? distance.upper : least;
    }
    return least;
}

// From above each shape that comes within the margin has a contact, for rigid and animated meshes alike.
static void test_soups(void** state) {
    (void)state;
    static const float sizes[] = {1, 1e-3f, 1e3f};
    grzRng rng = grzRng_Make(testSeed(902), 0);
    uint32_t counts[2] = {0};
    for (int kind = 0; kind < SOUPS; ++kind)
        for (int s = 0; s < 6; ++s) {
            const float size = sizes[s % 3];
            const bool isAnimated = s >= 3;
            const Soup soup = soupOf(kind, size);
            grzMesh* mesh;
            must(makeSoup(&soup, &mesh));
            grzMeshShape* shape;
            must(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape));
            grzWorldDef worldDef = grzDefaultWorldDef();
            worldDef.margin = 0.02f * size;
            grzWorld* world;
            must(grzWorld_Create(&worldDef, &world));
            grzBodyDef ground = grzDefaultBodyDef();
            ground.mesh = shape;
            grzBodyId id;
            mustBe(grzWorld_AddBody(world, &ground, &id), grz_badArgument); // it encloses nothing
            ground.kind = grz_staticBody;
            if (isAnimated)
                addAnimated(world, mesh, grz_animateVertices);
            else
                addBody(world, &ground);
            grzConvex ball[12];
            grzBodyView views[12];
            for (int i = 0; i < 12; ++i) {
                grzBodyDef def = ballAt(0, 0, 0, 0.1f * size);
                def.origin = grzScale(randomVector(&rng, 1), size);
                def.origin.y = (0.08f + 0.08f * grzRng_Float(&rng)) * size;
                def.group = 1;
                ball[i] = def.shape;
                views[i] = viewOf(world, addBody(world, &def));
            }
            must(grzWorld_Collide(world, 0));
            const grzWorldContacts found = grzWorld_GetContacts(world);
            for (uint32_t i = 0; i < 12; ++i) {
                const float distance = distanceTo(&soup, &ball[i], poseOf(&views[i]));
                bool isTold = false;
                for (size_t k = 0; k < found.contactCount; ++k)
                    isTold = isTold || slotOf(found.contacts[k].bodyB) == i + 1;
                if (fabsf(distance - worldDef.margin) > 1e-5f * size && isTold != (distance < worldDef.margin))
                    fail_msg("soup %d of %g, animated %d: ball %u is %g away, told %d", kind, (double)size,
                             isAnimated, i, (double)distance, isTold);
                ++counts[isTold];
            }
            for (int step = 0; step < 5; ++step)
                if (!stopsNone(world, 1.0f / 60))
                    fail_msg("soup %d of %g, animated %d: a body is stopped", kind, (double)size, isAnimated);
            grzWorld_Destroy(world);
            grzMeshShape_Destroy(shape);
            grzMesh_Destroy(mesh);
        }
    assert_true(counts[0] > 100 && counts[1] > 40);
}

// The same as cloth: it is refused or falls and lies; never is a number lost.
static void test_soupsOfCloth(void** state) {
    (void)state;
    static const float sizes[] = {1, 1e-3f, 1e3f, 1e-20f, 1e12f};
    for (int kind = 0; kind < SOUPS; ++kind)
        for (int s = 0; s < 5; ++s) {
            const Soup soup = soupOf(kind, sizes[s]);
            grzMesh* mesh;
            must(makeSoup(&soup, &mesh));
            grzWorld* world = makeWorld(NULL);
            addFloor(world, 0.5f);
            grzClothDef def = grzDefaultClothDef();
            def.mesh = mesh;
            def.origin.y = 0.02f;
            grzBodyId id;
            const grzResult result = grzWorld_AddCloth(world, &def, &id);
            assert_true(grzResult_IsOk(result) || result.status == grz_badArgument);
            for (int step = 0; step < 10; ++step)
                if (!stopsNone(world, 1.0f / 60))
                    fail_msg("soup %d of %g as cloth: a body is stopped", kind, (double)sizes[s]);
            grzWorld_Destroy(world);
            grzMesh_Destroy(mesh);
        }
}

static void test_meshesOfOddSizes(void** state) {
    (void)state;
    static const float sizes[] = {1e-45f, 1e-20f, 1e-10f, 1e-3f, 1e3f, 1e6f, 1e12f, 1e20f, 1e37f};
    const grzMeshView crate = grzMesh_GetView(g_kit.crate);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int kind = 0; kind < 3; ++kind) {
            float positions[3 * 64];
            assert_true(crate.vertexCount <= 64);
            for (uint32_t i = 0; i < 3 * crate.vertexCount; ++i)
                positions[i] = crate.positions32[i] * sizes[s];
            grzMeshDef meshDef = grzDefaultMeshDef();
            meshDef.positions = positions, meshDef.vertexCount = crate.vertexCount;
            meshDef.indices = crate.triangles, meshDef.triangleCount = crate.triangleCount;
            grzMesh* mesh;
            must(grzMesh_Create(&meshDef, &mesh));
            grzMeshShape* shape = NULL;
            const grzResult made = grzMeshShape_Create(mesh, (grzAllocator){0}, &shape);
            grzWorld* world = makeWorld(NULL);
            addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Zero());
            addMesh(world, grz_dynamicBody, g_kit.ringShape, grzVec3_Make(0, 0.2f, 0));
            grzBodyId id = {0, 0};
            if (grzResult_IsOk(made)) {
                grzBodyDef def = grzDefaultBodyDef();
                def.kind = (grzBodyKind)kind;
                def.mesh = shape;
                const grzResult added = grzWorld_AddBody(world, &def, &id);
                assert_true(grzResult_IsOk(added) || added.status == grz_badArgument || sizes[s] > 1e14f);
                assert_true(grzResult_IsOk(added) || kind == 2 || sizes[s] > 1e14f);
            }
            for (int step = 0; step < 3; ++step)
                if (!stopsNone(world, 1.0f / 60) && sizes[s] < 1e14f)
                    fail_msg("a mesh of %g, kind %d: a body is stopped", (double)sizes[s], kind);
            if (id.index1 != 0)
                must(grzWorld_RemoveBody(world, id));
            grzWorld_Destroy(world);
            grzMeshShape_Destroy(shape);
            grzMesh_Destroy(mesh);
        }
}

// ------------------------------------------------------------------------------------------------------------- refusals

// Queries see bodies that are placed after a step that was done twice; what was planned for it is forgotten.
static void test_queriesAfterStop(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = ballAt(0, 0, 0, 0.5f);
    def.velocity = grzVec3_Make(0, -3000, 0);
    const grzBodyId id = addBody(world, &def);
    def = ballAt(100, 0, 0, 0.5f);
    def.velocity = grzVec3_Make(1e15f, 0, 0);
    const grzBodyId flier = addBody(world, &def);
    assert_int_equal(stepAndCheck(world, 16), 1); // planned with room for the first one's way
    assert_true(grzBodyId_IsSame(grzWorld_GetBodyEvents(world).events[0].body, flier));
    assert_true(viewOf(world, id).origin.y < -40000);
    must(grzWorld_PlaceBody(world, id, grzVec3_Make(0, -20, 0), grzQuat_Identity()));
    assert_true(grzWorld_Validate(world));
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    grzWorldRay ray = grzDefaultWorldRay();
    ray.origin = grzVec3_Make(-5, -20, 0), ray.direction = grzVec3_Make(10, 0, 0);
    must(grzWorld_CastRay(world, &ray, hits));
    assert_int_equal(grzWorldHits_GetView(hits).count, 1);
    assert_true(stopsNone(world, 1.0f / 60));
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(world);
}

// A shape too fast for what is asked of a mesh beside it: it is stopped, and the mesh is not.
static void test_tooFastForMeshes(void** state) {
    (void)state;
    for (int isFirst = 0; isFirst < 2; ++isFirst) {
        grzWorld* world = makeWorld(NULL);
        must(grzWorld_SetGravity(world, grzVec3_Zero()));
        grzBodyId flier = {0, 0};
        for (int i = 0; i < 2; ++i)
            if (i == isFirst)
                addMesh(world, grz_dynamicBody, g_kit.ballShape, grzVec3_Zero());
            else
                flier =
                    addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(0.5f, 0, 0));
        must(grzWorld_SetVelocity(world, flier, grzVec3_Make(-1e15f, 0, 0), grzVec3_Zero()));
        assert_int_equal(stepAndCheck(world, 10), 1);
        assert_true(grzBodyId_IsSame(grzWorld_GetBodyEvents(world).events[0].body, flier));
        assert_int_equal(grzWorld_GetBodyEvents(world).events[0].reason, grz_stopTooFar);
        must(grzWorld_Step(world, 1.0f / 60));
        assert_true(grzWorld_GetContacts(world).contactCount > 0);
        grzWorld_Destroy(world);
    }
}

// Speeds at the end of the range beside a cloth: steps that are done twice leave no trace on it.
static void test_clothBesideFlier(void** state) {
    (void)state;
    uint32_t stopped = 0;
    uint64_t hashes[2];
    for (int isBeside = 0; isBeside < 2; ++isBeside) {
        grzWorld* world = makeWorld(NULL);
        const uint32_t pin = 0;
        const grzBodyId cloth = addCloth(world, grzVec3_Zero(), &pin, 1);
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.3f)),
                 grzVec3_Make(0.2f, -0.5f, 0));
        grzBodyId flier = {0, 0};
        if (isBeside)
            flier = addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(50, 0, 0));
        for (int i = 0; i < 20; ++i) {
            if (isBeside) {
                must(grzWorld_SetVelocity(world, flier, grzVec3_Make(0, 1e15f, 0),
                                          grzVec3_Make(i % 3 == 0 ? 1e15f : 1, 1e10f, 0)));
                must(grzWorld_PlaceBody(world, flier, grzVec3_Make(50, 9.99e14f, 0), grzQuat_Identity()));
            }
            stopped += (uint32_t)stepAndCheck(world, 1.0f / 60);
        }
        grzClothView view;
        must(grzWorld_GetCloth(world, cloth, &view));
        grzHash hash = grzHash_Begin(0);
        grzHash_Add(&hash, view.positions, 12 * (size_t)view.vertexCount);
        grzHash_Add(&hash, view.velocities, 12 * (size_t)view.vertexCount);
        hashes[isBeside] = grzHash_End(&hash);
        grzWorld_Destroy(world);
    }
    assert_int_equal(stopped, 20);
    assert_true(hashes[0] == hashes[1]);
}

// -------------------------------------------------------------------------------------------------------- stopped bodies

static grzVec3 anyVector(grzRng* rng, float least, float most) {
    const grzVec3 v = randomVector(rng, 1);
    return grzScale(v, anySize(rng, least, most));
}

// A body of any mass, any inertia, any speed; or none, where the def is refused. hasMeshes: meshes too, and moderate speeds, since a pair of
// meshes is looked at in up to 1024 pieces of its way.
static void addNasty(grzWorld* world, bool hasMeshes, grzRng* rng) {
    const float x = anySize(rng, -4, 1), y = anySize(rng, -4, 1), z = anySize(rng, -4, 1);
    const grzVec3 half = grzVec3_Make(x, y, z);
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grzRng_Below(rng, 6) == 0 ? grz_kinematicBody : grz_dynamicBody;
    switch (grzRng_Below(rng, hasMeshes ? 4 : 3)) {
    case 0:
        def.shape = grzMakeSphere(grzVec3_Zero(), half.x);
        break;
    case 1:
        def.shape = grzMakeCapsule(grzNeg(half), half, half.x);
        break;
    case 3:
        def.mesh = grzRng_Below(rng, 2) == 0 ? g_kit.crateShape : g_kit.ringShape;
        break;
    default:
        def.shape = grzMakeBox(grzVec3_Zero(), half);
    }
    def.origin = grzAdd(randomVector(rng, 3), grzVec3_Make(0, 3, 0));
    def.rotation = randomTurn(rng);
    def.density = anySize(rng, -30, 30);
    const float most = hasMeshes ? 1 : grzRng_Below(rng, 3) == 0 ? 15 : 3;
    def.velocity = anyVector(rng, -3, most);
    def.spin = anyVector(rng, -3, most);
    def.gravityScale = grzRng_Below(rng, 8) == 0 ? anySize(rng, 0, hasMeshes ? 1 : 38) : 1;
    def.restitution = 0.25f * (float)grzRng_Below(rng, 5);
    grzBodyId id;
    const grzResult result = grzWorld_AddBody(world, &def, &id);
    assert_true(grzResult_IsOk(result) || result.status == grz_badArgument || result.status == grz_notFinite);
}

static void pushNasty(grzWorld* world, bool hasMeshes, grzRng* rng) {
    const grzBodyId id = grzWorld_BodyAt(world, grzRng_Below(rng, grzWorld_SlotCount(world)));
    const uint32_t call = grzRng_Below(rng, hasMeshes ? 1 : 4);
    // one after the other: the order in which arguments are evaluated is up to the compiler
    static const float least[] = {0, 0, -2, 0}, most[] = {20, 38, 2, 16};
    const grzVec3 first = anyVector(rng, least[call], hasMeshes ? 1 : most[call]);
    const grzVec3 second = anyVector(rng, 0, hasMeshes ? 1 : call == 0 ? 20 : call == 1 ? 38 : 30);
    grzResult result;
    if (call == 0)
        result = grzWorld_SetVelocity(world, id, first, second);
    else if (call == 1)
        result = grzWorld_AddForce(world, id, first, second);
    else if (call == 2)
        result = grzWorld_PushBody(world, id, grzAdd(viewOf(world, id).origin, first), second);
    else
        result = grzWorld_PlaceBody(world, id, first, randomTurn(rng));
    assert_true(grzResult_IsOk(result) || result.status == grz_badArgument || result.status == grz_notFinite);
}

// Whatever bodies do, every step is done and every number stays finite.
static void runNasty(uint64_t seed) {
    enum { WORLDS = 10, STEPS = 200, BODIES = 12 };
    grzRng rng = grzRng_Make(testSeed(seed), 0);
    size_t stopped = 0;
    for (int round = 0; round < WORLDS; ++round) {
        static const WorldMix mixes[] = {mixShapes, mixCloth, mixAnimated, mixMeshes, mixAll};
        const bool hasMeshes = mixes[round % MIX_COUNT] == mixMeshes || mixes[round % MIX_COUNT] == mixAll;
        grzWorld* world = makeWorld(NULL);
        fillWorld(world, mixes[round % MIX_COUNT], 4, 913);
        for (int i = 0; i < (hasMeshes ? 4 : BODIES); ++i)
            addNasty(world, hasMeshes, &rng);
        for (int step = 0; step < (hasMeshes ? STEPS / 4 : STEPS); ++step) {
            if (grzRng_Below(&rng, 4) == 0)
                pushNasty(world, hasMeshes, &rng);
            stopped += stepAndCheck(world, round % 4 == 3 && !hasMeshes ? 1 : 1.0f / 60);
        }
        grzWorld_Destroy(world);
    }
    assert_true(stopped > 0);
}

// With the first seed a stop's impulse is beyond floats; with the second one cloth flies apart beside bodies that spin.
static void test_nastyBodiesNeverEndSteps(void** state) {
    (void)state;
    runNasty(5);
    runNasty(16);
}

// Bodies that each step stops, since their gravity is beyond all numbers, and bodies that rest on them, fall beside them and hang over
// them: these move to the bit as if kinematic bodies stood there.
static void test_othersMoveAsIfStoppedBodiesStood(void** state) {
    (void)state;
    enum { FALLING = 30, STANDING = 4, STEPS = 100 };
    static grzBodyView views[STEPS][FALLING];
    for (int isKinematic = 0; isKinematic < 2; ++isKinematic) {
        grzRng rng = grzRng_Make(testSeed(914), 0);
        grzWorld* world = makeWorld(NULL);
        grzBodyId ids[FALLING];
        addFloor(world, 0.6f);
        for (int i = 0; i < STANDING; ++i) {
            grzBodyDef def = ballAt(1.2f * (float)i - 2, 0.6f, 0.1f * (float)i, 0.5f);
            if (i % 2 == 0)
                def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
            if (i == 3)
                def.shape.kind = grz_noShape, def.mesh = g_kit.ringShape;
            def.kind = isKinematic ? grz_kinematicBody : grz_dynamicBody;
            def.gravityScale = 1e30f;
            addBody(world, &def);
        }
        for (int i = 0; i < FALLING; ++i) {
            const float x = 5 * grzRng_Float(&rng) - 2.5f, z = grzRng_Float(&rng);
            grzBodyDef def = ballAt(x, 1.6f + 0.2f * (float)i, z, 0.2f);
            if (i % 3 == 0)
                def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.3f, 0.1f, 0.2f));
            if (i % 10 == 1)
                def.shape.kind = grz_noShape, def.mesh = g_kit.crateShape;
            def.restitution = i % 4 == 0 ? 0.5f : 0;
            ids[i] = addBody(world, &def);
        }
        for (int step = 0; step < STEPS; ++step) {
            assert_int_equal(stepAndCheck(world, 1.0f / 60), isKinematic ? 0 : STANDING);
            for (int i = 0; i < FALLING; ++i) {
                grzBodyView view = viewOf(world, ids[i]);
                if (isKinematic && memcmp(&view.origin, &views[step][i].origin, sizeof view.origin) != 0)
                    fail_msg("step %d: body %d is elsewhere", step, i);
                views[step][i] = view;
            }
        }
        grzWorld_Destroy(world);
    }
}

// A host's numbers are refused when they are set, with the body that they are for; and each step clears forces.
static void test_whatIsSetIsChecked(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    const grzBodyId id = addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Zero());
    const grzVec3 zero = grzVec3_Zero(), huge = grzVec3_Make(0, 1e38f, 0), far = grzVec3_Make(0, 1.1e15f, 0);
    mustBe(grzWorld_AddForce(world, id, huge, zero), grz_notFinite);
    mustBe(grzWorld_AddForce(world, id, zero, huge), grz_notFinite);
    mustBe(grzWorld_PushBody(world, id, zero, huge), grz_notFinite);
    mustBe(grzWorld_SetVelocity(world, id, far, zero), grz_notFinite);
    mustBe(grzWorld_SetVelocity(world, id, zero, far), grz_notFinite);
    mustBe(grzWorld_SetVelocity(world, id, grzVec3_Make(NAN, 0, 0), zero), grz_notFinite);
    mustBe(grzWorld_PlaceBody(world, id, far, grzQuat_Identity()), grz_notFinite);
    mustBe(grzWorld_SetGravity(world, far), grz_notFinite);
    assert_true(stopsNone(world, 1.0f / 60));
    assert_true(grzLengthSq(viewOf(world, id).velocity) == 0);
    // A step that is refused clears them too.
    must(grzWorld_AddForce(world, id, grzVec3_Make(0, 1e6f, 0), zero));
    mustBe(grzWorld_Step(world, NAN), grz_notFinite);
    assert_true(stopsNone(world, 1.0f / 60));
    assert_true(grzLengthSq(viewOf(world, id).velocity) == 0);
    must(grzWorld_AddForce(world, id, grzVec3_Make(0, 1e6f, 0), zero));
    assert_true(stopsNone(world, 1.0f / 60) && stopsNone(world, 1.0f / 60));
    assert_true(fabsf(viewOf(world, id).velocity.y - 1e6f / 60 / viewOf(world, id).mass) < 1e-3f);
    grzWorld_Destroy(world);
}

// An animated mesh that velocities lead out of range stops. So does a cloth that flies off.
static void test_stoppedMeshesAndCloth(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const grzBodyId mesh = addAnimated(world, g_kit.crate, grz_animateVelocities);
    const uint32_t vertex = 3;
    const float fast[3] = {9e14f, 0, 0};
    const grzBodyId cloth = addCloth(world, grzVec3_Make(0, 9.99e14f, 0), NULL, 0);
    must(grzWorld_SetVertexVelocities(world, mesh, &vertex, fast, 1));
    assert_true(stopsNone(world, 1.0f / 60));
    const float far = viewOf(world, mesh).box.upper.x;
    for (int step = 0; step < 3; ++step) {
        must(grzWorld_Step(world, 2));
        const grzWorldBodyEvents found = grzWorld_GetBodyEvents(world);
        assert_int_equal(found.count, step == 0);
        if (step == 0)
            assert_true(grzBodyId_IsSame(found.events[0].body, mesh) && found.events[0].reason == grz_stopTooFar);
        assert_true(fabsf(viewOf(world, mesh).box.upper.x / far - 1) < 1e-5f);
    }
    grzClothView view;
    must(grzWorld_GetCloth(world, cloth, &view));
    float* up = malloc(12 * (size_t)view.vertexCount);
    for (uint32_t i = 0; i < 3 * view.vertexCount; ++i)
        up[i] = i % 3 == 1 ? 1e12f : 0;
    float* places = malloc(12 * (size_t)view.vertexCount);
    memcpy(places, view.positions, 12 * (size_t)view.vertexCount);
    must(grzWorld_PlaceCloth(world, cloth, places, up));
    for (int step = 0; step < 2; ++step) {
        must(grzWorld_Step(world, 4));
        const grzWorldBodyEvents found = grzWorld_GetBodyEvents(world);
        must(grzWorld_GetCloth(world, cloth, &view));
        assert_int_equal(found.count, step == 0);
        if (step == 0) {
            assert_true(grzBodyId_IsSame(found.events[0].body, cloth));
            assert_memory_equal(view.positions, places, 12 * (size_t)view.vertexCount);
            assert_true(view.kineticEnergy == 0);
        }
    }
    must(grzWorld_Collide(world, 0));
    assert_int_equal(grzWorld_GetBodyEvents(world).count, 0);
    assert_int_equal(grzWorld_GetBodyEvents(NULL).count, 0);
    free(places);
    free(up);
    grzWorld_Destroy(world);
}

// --------------------------------------------------------------------------------------------------------------- memory

typedef struct Scene {
    grzWorld* world;
    grzBodyId cloth, walker, mover, actor;
} Scene;

// Of one group with the ground: they do not meet each other, which would take long.
static grzBodyId addActor(grzWorld* world, const grzMesh* mesh, grzAnimatedMotion motion) {
    grzAnimatedDef def = grzDefaultAnimatedDef();
    def.mesh = mesh, def.motion = motion, def.group = 1;
    grzBodyId id;
    must(grzWorld_AddAnimated(world, &def, &id));
    return id;
}

static Scene makeScene(TestMemory* memory) {
    Scene scene;
    memset(&scene, 0, sizeof scene);
    grzWorldDef def = grzDefaultWorldDef();
    def.allocator = testAllocator(memory);
    def.idSalt = 7;
    must(grzWorld_Create(&def, &scene.world));
    const uint32_t pins[1] = {120};
    grzBodyDef ground = grzDefaultBodyDef();
    ground.kind = grz_staticBody, ground.mesh = g_kit.groundShape, ground.group = 1;
    addBody(scene.world, &ground);
    scene.cloth = addCloth(scene.world, grzVec3_Make(0, 1.1f, 0), pins, 1);
    scene.walker = addActor(scene.world, g_kit.ball, grz_animateKeyframes);
    scene.mover = addActor(scene.world, g_kit.ball, grz_animateVelocities);
    for (int i = 0; i < 4; ++i)
        addShape(scene.world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.25f)),
                 grzVec3_Make(0.45f * (float)i - 0.5f, 0.6f, 0));
    addMesh(scene.world, grz_dynamicBody, g_kit.ringShape, grzVec3_Make(0, 0.8f, 0));
    scene.actor = addActor(scene.world, g_kit.crate, grz_animateVertices);
    return scene;
}

// All kinds of bodies moving, the same round again and again: of sixty rounds some two in a row take no memory. (No round is quite like
// another, so that once in a while there are more contacts than ever before.)
static void test_nothingTakenWhileAllMove(void** state) {
    (void)state;
    enum { ROUND = 24, ROUNDS = 60, QUIET = 2, MOST = 32 };
    TestMemory memory = {.failAt = SIZE_MAX};
    Scene scene = makeScene(&memory);
    grzWorld* world = scene.world;
    grzBodyDef pusher = ballAt(-2, 0.4f, 0, 0.4f);
    pusher.kind = grz_kinematicBody, pusher.velocity = grzVec3_Make(4, 0, 0);
    addBody(world, &pusher);
    addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(0.6f, 1.9f, 0.3f));
    grzBodyView views[MOST];
    const uint32_t slots = grzWorld_SlotCount(world);
    size_t before = 0, most = 0;
    uint32_t quiet = 0;
    for (uint32_t slot = 0; slot < slots; ++slot)
        views[slot] = viewOf(world, grzWorld_BodyAt(world, slot));
    for (uint32_t i = 0; i < ROUND * ROUNDS && quiet < QUIET; ++i) {
        for (uint32_t slot = 1; slot < slots && i % ROUND == 0; ++slot) {
            if (views[slot].kind > grz_dynamicBody)
                continue;
            must(grzWorld_PlaceBody(world, grzWorld_BodyAt(world, slot), views[slot].origin, views[slot].rotation));
            must(grzWorld_SetVelocity(world, grzWorld_BodyAt(world, slot), views[slot].velocity,
                                      grzVec3_Make(1, 2, 3)));
        }
        const float phase = (float)(i % ROUND) / ROUND;
        if (i % ROUND == 0) {
            const float* positions = movedPositions(g_kit.sheet, grzVec3_Splat(1), grzVec3_Make(0.3f, 1.3f, 0));
            must(grzWorld_PlaceCloth(world, scene.cloth, positions, NULL));
            positions = movedPositions(g_kit.ball, grzVec3_Splat(1), grzVec3_Make(-0.5f, 0.4f, 0.2f));
            must(grzWorld_AddKeyframe(world, scene.walker, grzWorld_Time(world) + 0.25, positions));
        }
        const uint32_t vertex = 4;
        const float speed[3] = {i % ROUND < ROUND / 2 ? 0.5f : -0.5f, 0, 0};
        must(grzWorld_SetVertexVelocities(world, scene.mover, &vertex, speed, 1));
        must(grzWorld_SetVertices(
            world, scene.actor,
            movedPositions(g_kit.crate, grzVec3_Splat(1), grzVec3_Make(phase, 0.5f + phase, 0))));
        must(grzWorld_Step(world, 1.0f / 60));
        most = grzWorld_GetContacts(world).contactCount > most ? grzWorld_GetContacts(world).contactCount : most;
        if (i % ROUND == ROUND - 1) {
            quiet = memory.requests == before ? quiet + 1 : 0;
            before = memory.requests;
        }
    }
    assert_true(most > 20);
    assert_int_equal(quiet, QUIET);
    grzWorld_Destroy(world);
    assert_int_equal(memory.liveCount, 0);
}

// ------------------------------------------------------------------------------------------------------------- removal

typedef struct Heap {
    _Alignas(4096) char memory[1 << 20];
    size_t used;
} Heap;

static void* takeNext(void* context, size_t size, size_t alignment) {
    Heap* heap = context;
    const size_t begin = (heap->used + alignment - 1) & ~(alignment - 1);
    assert_true(begin + size <= sizeof heap->memory);
    heap->used = begin + size;
    return heap->memory + begin;
}

static void keep(void* context, void* memory, size_t size, size_t alignment) {
    (void)context, (void)memory, (void)size, (void)alignment;
}

// A body takes the slot of one that is gone. Its mesh shape lies where that one's lay, and makes the contacts that it makes elsewhere.
static void test_shapeWhereAnotherWas(void** state) {
    (void)state;
    static Heap heap;
    uint64_t hashes[2];
    for (int isElsewhere = 0; isElsewhere < 2; ++isElsewhere) {
        const grzAllocator allocator = {&heap, takeNext, keep};
        const grzVec3 place = grzVec3_Make(0, 0.9f, 0);
        grzMeshShape *small, *large;
        grzWorld* world = makeWorld(NULL);
        addMesh(world, grz_staticBody, g_kit.crateShape, grzVec3_Zero());
        heap.used = 0;
        must(grzMeshShape_Create(g_kit.crate, allocator, &small));
        const grzBodyId id = addMesh(world, grz_dynamicBody, small, place);
        must(grzWorld_Collide(world, 0));
        must(grzWorld_RemoveBody(world, id));
        heap.used = isElsewhere != 0 ? heap.used : 0;
        must(grzMeshShape_Create(g_kit.ball, allocator, &large));
        assert_int_equal(large == small, isElsewhere == 0);
        addMesh(world, grz_dynamicBody, large, place);
        must(grzWorld_Collide(world, 0));
        assert_true(grzWorld_GetContacts(world).contactCount > 0);
        hashes[isElsewhere] = grzWorld_HashContacts(world);
        grzWorld_Destroy(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
}

enum { MOST_SLOTS = 40 };

typedef struct Touching {
    bool is[MOST_SLOTS][MOST_SLOTS];
} Touching;

// isGone: bodies that are not those of before.
static void listTouching(const grzWorldContacts* found, const Touching* before, const bool* isGone,
                         Touching* touching) {
    memset(touching, 0, sizeof *touching);
    for (size_t i = 0; i < found->contactCount; ++i) {
        const uint32_t a = slotOf(found->contacts[i].bodyA), b = slotOf(found->contacts[i].bodyB);
        const float most = before->is[a][b] && !isGone[a] && !isGone[b] ? 0.25f * grzDefaultWorldDef().margin : 0;
        touching->is[a][b] |= found->impulses[i] > 0 || found->contacts[i].separation <= most;
    }
}

// In between steps bodies go, in any order, some of them touching others, with others coming to their slots: each touch that was ends
// once or persists; each that is has begun.
static void test_removedWhileTouching(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(903), 0);
    uint32_t ends = 0;
    for (int mix = 0; mix < MIX_COUNT; ++mix)
        for (int round = 0; round < 3; ++round) {
            static Touching before, now;
            grzWorld* world = makeWorld(NULL);
            fillWorld(world, (WorldMix)mix, mix == mixCloth ? 6 : 14, 904 + (uint64_t)round);
            assert_true(grzWorld_SlotCount(world) <= MOST_SLOTS);
            stepWorld(world, 25);
            grzWorldContacts found = grzWorld_GetContacts(world);
            memset(&before, 0, sizeof before);
            for (size_t i = 0; i < found.eventCount; ++i)
                before.is[slotOf(found.events[i].bodyA)][slotOf(found.events[i].bodyB)] =
                    found.events[i].kind != grz_endEvent;
            while (grzWorld_GetStats(world).bodyCount > 0) {
                bool isGone[MOST_SLOTS] = {false};
                for (uint32_t k = 1 + grzRng_Below(&rng, 3); k > 0 && grzWorld_GetStats(world).bodyCount > 0;) {
                    const uint32_t slot = grzRng_Below(&rng, grzWorld_SlotCount(world));
                    const grzBodyId id = grzWorld_BodyAt(world, slot);
                    if (id.index1 == 0)
                        continue;
                    must(grzWorld_RemoveBody(world, id));
                    mustBe(grzWorld_RemoveBody(world, id), grz_staleHandle);
                    isGone[slot] = true, --k;
                    if (round == 2 && grzRng_Below(&rng, 3) == 0) { // another comes to the slot
                        const grzBodyDef def = ballAt(0.3f, 0.3f, 0, 0.3f);
                        assert_int_equal(addBody(world, &def).index1, slot + 1);
                    }
                }
                stepWorld(world, 1);
                found = grzWorld_GetContacts(world);
                listTouching(&found, &before, isGone, &now);
                static uint8_t kinds[MOST_SLOTS][MOST_SLOTS];
                memset(kinds, 0, sizeof kinds);
                for (size_t i = 0; i < found.eventCount; ++i) {
                    const grzEvent* event = &found.events[i];
                    assert_int_equal(kinds[slotOf(event->bodyA)][slotOf(event->bodyB)] & (1u << event->kind), 0);
                    kinds[slotOf(event->bodyA)][slotOf(event->bodyB)] |= (uint8_t)(1u << event->kind);
                }
                for (uint32_t a = 0; a < MOST_SLOTS; ++a)
                    for (uint32_t b = a + 1; b < MOST_SLOTS; ++b) {
                        const bool isNew = isGone[a] || isGone[b], did = before.is[a][b], does = now.is[a][b];
                        const unsigned wanted = (does && (isNew || !did) ? 1u << grz_beginEvent : 0u) |
                                                (does && did && !isNew ? 1u << grz_persistEvent : 0u) |
                                                (did && (isNew || !does) ? 1u << grz_endEvent : 0u);
                        if (kinds[a][b] != wanted)
                            fail_msg("mix %d, %u and %u: events %x, not %x", mix, a, b, kinds[a][b], wanted);
                        ends += isNew && did;
                    }
                before = now;
                if (round == 2 && grzRng_Below(&rng, 8) == 0)
                    break;
            }
            grzWorld_Destroy(world);
        }
    assert_true(ends > 60);
}

// ---------------------------------------------------------------------------------------------------------------- rays

// Rays of odd lengths against one body at a time.
static void test_oddRays(void** state) {
    (void)state;
    enum { BODIES = 30 };
    grzRng rng = grzRng_Make(testSeed(905), 0);
    grzWorld* world = makeWorld(NULL);
    grzConvex shapes[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = shapes[i] = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(randomIn(&rng, 0.1f, 0.5f)));
        def.origin = randomVector(&rng, 2);
        def.rotation = randomTurn(&rng);
        addBody(world, &def);
    }
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    static const float scales[] = {1e-30f, 1e-18f, 1e-6f, 1, 1e6f, 1e18f, 1e30f};
    uint32_t told = 0;
    for (int round = 0; round < 700; ++round) {
        const float scale = scales[round % 7];
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin = round % 5 == 0 ? viewOf(world, grzWorld_BodyAt(world, (uint32_t)round % BODIES)).origin
                                    : randomVector(&rng, 3);
        const grzVec3 direction = randomVector(&rng, 1);
        ray.direction = grzScale(direction, scale);
        ray.reach = round % 8 == 0   ? FLT_MAX // of the shortest: 3e8
                    : round % 8 == 4 ? INFINITY
                    : round % 4 == 1 ? 0
                                     : 4 / scale;
        ray.isAll = true;
        must(grzWorld_CastRay(world, &ray, hits));
        const grzWorldHitsView view = grzWorldHits_GetView(hits);
        uint32_t wanted = 0;
        for (uint32_t i = 0; i < BODIES; ++i) {
            const grzBodyView body = viewOf(world, grzWorld_BodyAt(world, i));
            grzConvexHit hit;
            const float reach = round % 4 == 0   ? 1e30f
                                : round % 4 == 1 ? 0
                                                 : 4; // of the same ray with a handy length
            must(grzConvex_CastRay(&shapes[i], poseOf(&body), ray.origin, direction, reach, &hit));
            wanted += hit.isHit;
        }
        if (view.count != wanted)
            fail_msg("round %d: %zu hits, not %u", round, view.count, wanted);
        for (size_t i = 0; i < view.count; ++i)
            assert_true(grzVec3_IsFinite(view.hits[i].point) && view.hits[i].t >= 0 && view.hits[i].t <= ray.reach);
        told += wanted;
    }
    assert_true(told > 300);
    grzWorldRay ray = grzDefaultWorldRay();
    ray.direction = grzVec3_Make(-0.0f, 0, 0);
    mustBe(grzWorld_CastRay(world, &ray, hits), grz_badArgument);
    ray.direction = grzVec3_Make(1, 0, 0);
    ray.reach = NAN;
    mustBe(grzWorld_CastRay(world, &ray, hits), grz_notFinite);
    ray.reach = -INFINITY;
    mustBe(grzWorld_CastRay(world, &ray, hits), grz_badArgument);
    // Boxes without size, and around all there is.
    const grzVec3 at = viewOf(world, grzWorld_BodyAt(world, 3)).origin;
    must(grzWorld_OverlapBox(world, grzBox_Make(at, at), hits));
    assert_true(grzWorldHits_GetView(hits).count >= 1);
    const float sizes[] = {1e6f, 1e14f, 1e20f, 1e30f, FLT_MAX};
    for (int i = 0; i < 5; ++i) {
        must(grzWorld_OverlapBox(world, grzBox_Make(grzVec3_Splat(-sizes[i]), grzVec3_Splat(sizes[i])), hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, BODIES);
    }
    mustBe(grzWorld_OverlapBox(world, grzBox_Make(grzVec3_Splat(1), grzVec3_Splat(0)), hits), grz_invertedBounds);
    mustBe(grzWorld_OverlapBox(world, grzBox_Make(grzVec3_Splat(NAN), grzVec3_Splat(0)), hits), grz_notFinite);
    assert_int_equal(grzWorldHits_GetView(hits).count, 0);
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(world);
}

// -------------------------------------------------------------------------------------------------------------- anything

static void mangle(grzWorld* world, grzRng* rng) {
    const uint32_t slots = grzWorld_SlotCount(world);
    const grzBodyId id = grzWorld_BodyAt(world, slots != 0 ? grzRng_Below(rng, slots) : 0);
    const float x = oddNumber(rng), y = oddNumber(rng), z = oddNumber(rng);
    const bool hasZ = grzRng_Below(rng, 2) != 0, hasY = grzRng_Below(rng, 2) != 0;
    const grzVec3 odd = grzVec3_Make(x, hasY ? y : 0, hasZ ? z : 0);
    grzResult result;
    switch (grzRng_Below(rng, 8)) {
    case 0:
        result = grzWorld_PlaceBody(world, id, odd, grzQuat_Identity());
        break;
    case 1:
        result = grzWorld_SetVelocity(world, id, odd, grzVec3_Make(z, x, y));
        break;
    case 2:
        result = grzWorld_PushBody(world, id, odd, grzVec3_Make(z, x, y));
        break;
    case 3:
        result = grzWorld_AddForce(world, id, odd, grzVec3_Make(z, x, y));
        break;
    case 4:
        result = grzWorld_RemoveBody(world, id);
        break;
    case 5:
        result = grzWorld_SetGravity(world, odd);
        break;
    default: {
        grzBodyDef def = ballAt(0, 0.5f, 0, grzRng_Below(rng, 2) != 0 ? 0.5f : fabsf(x));
        def.kind = (grzBodyKind)grzRng_Below(rng, 3);
        *fieldOf(&def, grzRng_Below(rng, 8)) = y;
        grzBodyId made;
        result = grzWorld_AddBody(world, &def, &made);
        break;
    }
    }
    char text[160];
    assert_true(grzResult_IsOk(result) || strlen(grzResult_Text(result, text, sizeof text)) > 6);
}

static void test_anyCalls(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(906), 0);
    uint32_t good = 0, bad = 0;
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    for (int round = 0; round < 60; ++round) {
        grzWorld* world = makeWorld(NULL);
        fillWorld(world, (WorldMix)(round % MIX_COUNT), 4, 907);
        for (int call = 0; call < 25; ++call) {
            for (uint32_t k = grzRng_Below(&rng, 3); k > 0; --k)
                mangle(world, &rng);
            assert_true(grzWorld_Validate(world));
            const bool isGood =
                stopsNone(world, call % 5 == 0 ? fabsf(oddNumber(&rng)) < 1e-15f ? 1e-6f : 0.1f : 1.0f / 60);
            good += isGood, bad += !isGood;
            const grzBox box = grzBox_Make(grzVec3_Splat(-3), grzVec3_Splat(3));
            const grzResult asked = grzWorld_OverlapBox(world, box, hits);
            assert_true(grzResult_IsOk(asked) || asked.status == grz_notFinite);
        }
        grzWorld_Destroy(world);
    }
    grzWorldHits_Destroy(hits);
    assert_true(good > 100 && bad > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapeWhereAnotherWas),
        cmocka_unit_test(test_worldNumbers),
        cmocka_unit_test(test_greatestFriction),
        cmocka_unit_test(test_gyratingSizes),
        cmocka_unit_test(test_tooLight),
        cmocka_unit_test(test_bodyNumbers),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_timeStepsAtTheEnds),
        cmocka_unit_test(test_capsulesEndOn),
        cmocka_unit_test(test_pushedThroughWalls),
        cmocka_unit_test(test_farAndHuge),
        cmocka_unit_test(test_allAtOnePlace),
        cmocka_unit_test(test_twentyThousandAtOnePlace),
        cmocka_unit_test(test_countsAtEdges),
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_soupsOfCloth),
        cmocka_unit_test(test_meshesOfOddSizes),
        cmocka_unit_test(test_queriesAfterStop),
        cmocka_unit_test(test_tooFastForMeshes),
        cmocka_unit_test(test_clothBesideFlier),
        cmocka_unit_test(test_nastyBodiesNeverEndSteps),
        cmocka_unit_test(test_othersMoveAsIfStoppedBodiesStood),
        cmocka_unit_test(test_whatIsSetIsChecked),
        cmocka_unit_test(test_stoppedMeshesAndCloth),
        cmocka_unit_test(test_nothingTakenWhileAllMove),
        cmocka_unit_test(test_removedWhileTouching),
        cmocka_unit_test(test_oddRays),
        cmocka_unit_test(test_anyCalls),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
