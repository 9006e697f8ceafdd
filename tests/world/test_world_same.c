// The same calls give the same bytes: for any number of workers, at every SIMD level, beside another world, and on every
// machine and compiler (golden hashes).
#include "world_testing.h"

#include <inttypes.h>
#include <pthread.h>

#include "hash.h"
#include "simd_dispatch.h"

enum { STEPS = 60 };

static const uint32_t g_counts[MIX_COUNT] = {24, 14, 5, 16, 8};

typedef struct Hashes {
    uint64_t state, contacts; // contacts: of all steps
} Hashes;

static Hashes run(WorldMix mix, uint32_t steps, grzTasks* tasks) {
    grzWorld* world = makeWorld(tasks);
    fillWorld(world, mix, g_counts[mix], 750);
    grzHash all = grzHash_Begin(0);
    for (uint32_t i = 0; i < steps; ++i) {
        must(grzWorld_Step(world, 1.0f / 60.0f));
        grzHash_AddU64(&all, grzWorld_HashContacts(world));
    }
    assert_true(grzWorld_Validate(world));
    assert_true(grzWorld_GetContacts(world).contactCount > 0);
    const Hashes hashes = {grzWorld_HashState(world), grzHash_End(&all)};
    grzWorld_Destroy(world);
    return hashes;
}

static void mustBeSame(Hashes a, Hashes b, const char* what, uint32_t number) {
    if (a.state != b.state || a.contacts != b.contacts)
        fail_msg("%s %u: state %016" PRIx64 ", not %016" PRIx64 "; contacts %016" PRIx64 ", not %016" PRIx64, what,
                 number, b.state, a.state, b.contacts, a.contacts);
}

// What these scenes lead to, wherever they are run.
static const Hashes g_golden[MIX_COUNT] = {
    {0x6ba2d0936c3627a1, 0x7e604756189c87c3}, {0xc2c256b12d729c43, 0x2014dbd674f1d02d},
    {0x4c9f1f658817dabe, 0xbcaba27f4343ac61}, {0x4d6952bb532d39bb, 0xeb071a9319950095},
    {0xddef894bfd7291bb, 0x82e3d2ca4a70876d},
};

static void test_golden(void** state) {
    (void)state;
    bool isSame = true;
    Hashes found[MIX_COUNT];
    for (uint32_t mix = 0; mix < MIX_COUNT; ++mix) {
        found[mix] = run((WorldMix)mix, STEPS, NULL);
        isSame = isSame && found[mix].state == g_golden[mix].state && found[mix].contacts == g_golden[mix].contacts;
    }
    for (uint32_t mix = 0; mix < MIX_COUNT && !isSame; ++mix)
        print_error("    {0x%016" PRIx64 ", 0x%016" PRIx64 "},\n", found[mix].state, found[mix].contacts);
    assert_true(isSame);
}

static void test_workers(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (uint32_t i = 0; i < 4; ++i) {
        grzTasks* tasks = makeTasks(workers[i]);
        for (uint32_t mix = 0; mix < MIX_COUNT; ++mix)
            mustBeSame(g_golden[mix], run((WorldMix)mix, STEPS, tasks), "workers", 10 * workers[i] + mix);
        grzTasks_Destroy(tasks);
    }
}

static void test_levels(void** state) {
    (void)state;
    const grzSimdLevel usual = grzSimd_Level();
    for (uint32_t level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        for (uint32_t mix = 0; mix < MIX_COUNT; ++mix)
            mustBeSame(g_golden[mix], run((WorldMix)mix, STEPS, NULL), "level", 10 * level + mix);
    }
    grzSimd_Force(usual);
}

// ---- two worlds at a time ----

typedef struct Beside {
    grzWorld* world;
    uint64_t hash;
    bool isGood;
} Beside;

static void* lead(void* context) {
    Beside* beside = context;
    for (int i = 0; i < STEPS && beside->isGood; ++i)
        beside->isGood = grzResult_IsOk(grzWorld_Step(beside->world, 1.0f / 60.0f));
    beside->hash = grzWorld_HashState(beside->world);
    return NULL;
}

static void test_twoWorlds(void** state) {
    (void)state;
    static const WorldMix mixes[2] = {mixMeshes, mixAll};
    for (uint32_t workers = 1; workers <= 2; ++workers) {
        Beside sides[2];
        grzTasks* tasks[2];
        pthread_t threads[2];
        for (int i = 0; i < 2; ++i) {
            tasks[i] = makeTasks(workers);
            sides[i] = (Beside){makeWorld(tasks[i]), 0, true};
            fillWorld(sides[i].world, mixes[i], g_counts[mixes[i]], 750);
        }
        for (int i = 0; i < 2; ++i)
            assert_int_equal(pthread_create(&threads[i], NULL, lead, &sides[i]), 0);
        for (int i = 0; i < 2; ++i)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < 2; ++i) {
            assert_true(sides[i].isGood);
            assert_int_equal(sides[i].hash, g_golden[mixes[i]].state);
            grzWorld_Destroy(sides[i].world);
            grzTasks_Destroy(tasks[i]);
        }
    }
}

// ---- what hashes are of ----

// They tell a world from one that differs by a bit, and do not depend on who asks for contacts when.
static void test_hashesTell(void** state) {
    (void)state;
    uint64_t states[3], contacts[3];
    for (int i = 0; i < 3; ++i) {
        grzWorld* world = makeWorld(NULL);
        fillWorld(world, mixAll, g_counts[mixAll], 751);
        const grzBodyId ball =
            addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.25f), grzVec3_Make(5, 0.24f, 5));
        if (i == 2)
            must(grzWorld_PlaceBody(world, ball, grzVec3_Make(5.0000005f, 0.24f, 5), grzQuat_Identity()));
        for (int step = 0; step < 10; ++step) {
            must(grzWorld_Step(world, 1.0f / 60.0f));
            if (i == 1)
                (void)grzWorld_GetContacts(world);
        }
        states[i] = grzWorld_HashState(world);
        contacts[i] = grzWorld_HashContacts(world);
        grzWorld_Destroy(world);
    }
    assert_true(states[0] == states[1] && contacts[0] == contacts[1]);
    assert_true(states[0] != states[2] && contacts[0] != contacts[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),    cmocka_unit_test(test_workers),    cmocka_unit_test(test_levels),
        cmocka_unit_test(test_twoWorlds), cmocka_unit_test(test_hashesTell),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
