// Pairs of triangles of animated meshes, and of leaves with cloth, kept from step to step: contacts are those of upkeeps that refit alone, and of
// searches without such pairs, to the byte, for any number of workers; memory comes with a pair of bodies and goes with it; the profile tells of each search.
#include "world_testing.h"

#include <string.h>

#include "hash.h"
#include "world_inside.h"
#include "world_narrow.h"

enum { STEPS = 60, MOST_STEPS = 120 };

typedef void FillFn(grzWorld* world);

static grzVec3 along(float x) {
    return grzVec3_Make(x, 0, 0);
}

static void addKeyframe(grzWorld* world, grzBodyId id, const grzMesh* mesh, double time, grzVec3 scale,
                        grzVec3 to) {
    must(grzWorld_AddKeyframe(world, id, time, movedPositions(mesh, scale, to)));
}

// A ball goes through a ring that stands and a crate that is led past them, on to another ball, which comes to stand still and starts again. A third
// one has its vertices from the host; it meets the first.
static void fillCompany(grzWorld* world) {
    const grzVec3 one = grzVec3_Splat(1), wide = grzVec3_Make(1.3f, 1, 1.2f);
    const grzBodyId a = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    const grzBodyId b = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    addKeyframe(world, a, g_kit.ball, 0.3, one, along(0.2f));
    addKeyframe(world, a, g_kit.ball, 0.7, wide, along(0.5f));
    addKeyframe(world, a, g_kit.ball, 1.4, one, along(1.2f));
    addKeyframe(world, b, g_kit.ball, 0.05, wide, along(1.2f));
    addKeyframe(world, b, g_kit.ball, 0.4, one, along(1));
    const grzBodyId c = addAnimated(world, g_kit.ball, grz_animateVertices);
    must(grzWorld_SetVertices(world, c, movedPositions(g_kit.ball, one, grzVec3_Make(0.2f, 0.8f, 0))));
    addMesh(world, grz_staticBody, g_kit.ringShape, grzVec3_Make(0.1f, 0.3f, 0));
    const grzBodyId crate = addMesh(world, grz_kinematicBody, g_kit.crateShape, grzVec3_Make(0.5f, -0.7f, 0.3f));
    must(grzWorld_SetVelocity(world, crate, grzVec3_Make(0.1f, 0.05f, 0), grzVec3_Make(0, 0.3f, 0)));
}

// A sheet falls on a ball that is led sidewise under it, within the box of a ring that moves and does not touch it.
static void fillDraped(grzWorld* world) {
    const grzBodyId ball = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    addKeyframe(world, ball, g_kit.ball, 0.4, grzVec3_Splat(1.1f), along(0.1f));
    addKeyframe(world, ball, g_kit.ball, 1.1, grzVec3_Splat(1), along(-0.2f));
    addCloth(world, grzVec3_Make(0, 0.6f, 0), NULL, 0);
    const grzBodyId ring = addAnimated(world, g_kit.ring, grz_animateKeyframes);
    addKeyframe(world, ring, g_kit.ring, 0.01, grzVec3_Make(20, 9, 20), along(0));
    addKeyframe(world, ring, g_kit.ring, 1.1, grzVec3_Make(20, 10, 20), along(0.1f));
}

static void fillMeshes(grzWorld* world) {
    fillWorld(world, mixMeshes, 14, 750);
}

static void fillAnimated(grzWorld* world) {
    fillWorld(world, mixAnimated, 16, 750);
}

static void fillAll(grzWorld* world) {
    fillWorld(world, mixAll, 8, 750);
}

// What all steps have found, and where they led.
static uint64_t runScene(FillFn* fill, grzTasks* tasks, uint32_t ways, bool isChecked) {
    grzWorld* world = makeWorld(tasks);
    grzHash hash = grzHash_Begin(0);
    size_t contacts = 0;
    g_animatedWays = ways;
    fill(world);
    g_animatedWays = 0;
    for (int i = 0; i < STEPS; ++i) {
        if (i == 35 && fill == fillCompany) // the one that stands
            addKeyframe(world, grzWorld_BodyAt(world, 1), g_kit.ball, 0.8, grzVec3_Splat(1), along(0.8f));
        stepOnce(world);
        const grzWorldContacts found = grzWorld_GetContacts(world);
        for (size_t k = 0; k < found.contactCount * sizeof(grzContact) / 4; ++k)
            grzHash_AddU32(&hash, ((const uint32_t*)(const void*)found.contacts)[k]);
        contacts += found.contactCount;
        assert_true(!isChecked || grzWorld_Validate(world));
    }
    assert_true(contacts > STEPS);
    grzHash_AddU64(&hash, grzWorld_HashState(world));
    grzWorld_Destroy(world);
    return grzHash_End(&hash);
}

static void test_contactsAreThoseOfRefits(void** state) {
    (void)state;
    static FillFn* const fills[] = {fillCompany, fillDraped, fillMeshes, fillAnimated, fillAll};
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (size_t f = 0; f < sizeof fills / sizeof fills[0]; ++f) {
        const uint64_t expected = runScene(fills[f], NULL, GRZ_UPKEEP_BIT(grz_upkeepRefit), true);
        assert_true(runScene(fills[f], NULL, 0, true) == expected);
        assert_true(runScene(fills[f], NULL, GRZ_UPKEEP_BIT(grz_upkeepBoxTree), false) == expected);
        for (size_t i = 0; i < sizeof workers / sizeof workers[0]; ++i) {
            grzTasks* tasks = makeTasks(workers[i]);
            assert_true(runScene(fills[f], tasks, 0, false) == expected);
            assert_true(runScene(fills[f], tasks, GRZ_UPKEEP_BIT(grz_upkeepRefit), false) == expected);
            grzTasks_Destroy(tasks);
        }
    }
}

// A ring's box holds the sheet, and the ring does not come near it; the ball does.
static void test_clothIsAskedNearMeshesAlone(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzMesh* mesh = scaledShapeMesh(shapeTorus, 900, grzVec3_Make(6, 4, 6));
    const grzBodyId ball = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    const grzBodyId ring = addAnimated(world, mesh, grz_animateKeyframes);
    addKeyframe(world, ring, mesh, 1.1, grzVec3_Splat(1), along(0.1f));
    addCloth(world, grzVec3_Make(0, 0.6f, 0), NULL, 0);
    size_t nearBall = 0, rings = 0;
    for (int i = 0; i < STEPS / 2; ++i) {
        stepOnce(world);
        for (size_t k = 0; k < world->obstacleEnds.data[0]; ++k) {
            const grzClothObstacle* obstacle = &world->obstacles.data[k];
            const bool isBall = grzBodyId_IsSame(obstacle->collider->id, ball);
            assert_true(obstacle->near.wereSought && (isBall || obstacle->near.count == 0));
            nearBall += obstacle->near.count;
            rings += !isBall;
        }
    }
    assert_true(nearBall > 0 && rings == STEPS / 2);
    grzWorld_Destroy(world);
    grzMesh_Destroy(mesh);
}

// ---- memory ----

static size_t pairBytes(const grzWorld* world) {
    return grzMeshTouches_MemorySize(world->narrow->mesh);
}

// Two balls of which one comes, stays near the other for long, and goes.
static void test_memoryLastsAsLongAsThePair(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzWorldDef def = grzDefaultWorldDef();
    grzWorld* world;
    def.allocator = testAllocator(&memory);
    def.releaseSteps = 150; // once
    must(grzWorld_Create(&def, &world));
    const grzBodyId a = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    addAnimated(world, g_kit.ball, grz_animateKeyframes);
    const float places[] = {5, 0.8f, 0.7f, 0.8f, 0.7f, 0.8f, 0.7f, 0.8f, 5};
    addKeyframe(world, a, g_kit.ball, 0.01, grzVec3_Splat(1), along(5));
    for (int k = 0; k < 9; ++k)
        addKeyframe(world, a, g_kit.ball, 0.1 + 0.2 * k, grzVec3_Splat(1), along(places[k]));
    stepOnce(world);
    stepOnce(world);
    const size_t apart = pairBytes(world);
    while (grzWorld_Time(world) < 1.0)
        stepOnce(world);
    const size_t near = pairBytes(world), requests = memory.requests;
    assert_true(near > apart);
    assert_int_equal(grzWorld_GetStats(world).memoryBytes, memory.liveBytes);
    while (grzWorld_Time(world) < 1.4)
        stepOnce(world);
    assert_int_equal(memory.requests, requests); // two keyframes later
    while (grzWorld_StepCount(world) <= 150)     // memory is released as the next step begins
        stepOnce(world);
    assert_true(pairBytes(world) < near - (near - apart) / 4);
    grzWorld_Destroy(world);
    assert_int_equal(memory.liveCount, 0);
}

// A body that leaves takes its pairs along, whoever looks at the world then.
static void test_bodiesLeave(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    fillCompany(world);
    for (int i = 0; i < 20; ++i)
        stepOnce(world);
    for (uint32_t slot = 0; slot < 5; ++slot) {
        must(grzWorld_RemoveBody(world, grzWorld_BodyAt(world, slot)));
        assert_true(grzWorld_Validate(world));
        if (slot % 2 == 0)
            stepOnce(world);
        assert_true(grzWorld_Validate(world));
    }
    grzWorld_Destroy(world);
}

// ---- zones ----

static void test_theProfileTellsOfEachSearch(void** state) {
    (void)state;
    grzProfileDef profileDef = grzDefaultProfileDef();
    grzWorldDef def = grzDefaultWorldDef();
    grzTasks* tasks = makeTasks(2);
    grzProfile* profile;
    grzWorld* world;
    profileDef.workerCount = 2;
    must(grzProfile_Create(&profileDef, &profile));
    def.profile = profile, def.tasks = tasks;
    must(grzWorld_Create(&def, &world));
    fillCompany(world);
    uint32_t searches = 0;
    for (int i = 0; i < 10; ++i) {
        grzProfile_BeginStep(profile);
        stepOnce(world);
        grzProfile_EndStep(profile);
        for (uint32_t worker = 0; worker < 2; ++worker)
            for (uint32_t k = 0; k < grzProfile_ZoneCount(profile, worker); ++k) {
                const grzZoneRecord zone = grzProfile_Zone(profile, worker, k);
                if (strcmp(zone.name, "mesh pairs") != 0)
                    continue;
                assert_true(zone.reason != NULL && zone.reason[0] != '\0');
                assert_int_equal(zone.stage, grz_stageMid);
                ++searches;
            }
    }
    assert_true(searches >= 10);
    grzWorld_Destroy(world);
    grzProfile_Destroy(profile);
    grzTasks_Destroy(tasks);
}

// ---- the horizon ----

static size_t contactsOf(grzWorld* world, grzBodyId a, grzBodyId b) {
    const grzWorldContacts found = grzWorld_GetContacts(world);
    size_t count = 0;
    must(found.result);
    for (size_t i = 0; i < found.contactCount; ++i)
        count += grzBodyId_IsSame(found.contacts[i].bodyA, a) && grzBodyId_IsSame(found.contacts[i].bodyB, b);
    return count;
}

// A plate comes down into a ring, which holds it in its box for long, and goes up again. Where nothing is near, nothing is before the horizon.
static void test_horizon(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzMesh* ring = scaledShapeMesh(shapeTorus, 600, grzVec3_Make(2, 8, 2));
    grzMeshShape* shape = meshShapeOf(ring);
    const grzBodyId stands = addMesh(world, grz_staticBody, shape, grzVec3_Zero());
    const grzBodyId moves = addAnimated(world, g_kit.ball, grz_animateKeyframes),
                    other = addAnimated(world, g_kit.ball, grz_animateVertices);
    const grzBodyId far = addMesh(world, grz_staticBody, g_kit.crateShape, along(50));
    for (int k = 0; k < 8; ++k)
        addKeyframe(world, moves, g_kit.ball, 0.25 * (k + 1), grzVec3_Splat(0.6f), along(k % 4 == 2 ? 0.7f : 0.1f));
    double until = 0, least;
    uint32_t quiet = 0, met = 0;
    for (int i = 0; i < MOST_STEPS; ++i) {
        stepOnce(world);
        const double time = grzWorld_Time(world);
        const size_t contacts = contactsOf(world, stands, moves);
        assert_true(time >= until || contacts == 0);
        must(grzWorld_GetHorizon(world, moves, stands, &until));
        assert_true(until >= time && (contacts == 0 || until == time));
        must(grzWorld_GetHorizon(world, stands, moves, &least));
        assert_true(least == until);
        must(grzWorld_GetHorizon(world, far, moves, &least));
        assert_true(least == time);
        must(grzWorld_GetHorizon(world, other, stands, &least));
        assert_true(least == time);
        quiet += until > time + 1.0 / 60;
        met += contacts != 0;
    }
    assert_true(quiet > MOST_STEPS / 4 && met > 0);
    must(grzWorld_RemoveBody(world, moves));
    mustBe(grzWorld_GetHorizon(world, moves, stands, &least), grz_staleHandle);
    mustBe(grzWorld_GetHorizon(world, stands, moves, &least), grz_staleHandle);
    must(grzWorld_GetHorizon(world, stands, far, &least));
    grzWorld_Destroy(world);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contactsAreThoseOfRefits),
        cmocka_unit_test(test_clothIsAskedNearMeshesAlone),
        cmocka_unit_test(test_memoryLastsAsLongAsThePair),
        cmocka_unit_test(test_bodiesLeave),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_theProfileTellsOfEachSearch),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
