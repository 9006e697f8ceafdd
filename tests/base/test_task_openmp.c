// A grzTasks on OpenMP's threads: each block once, nested loops too, hierarchies and their answers with the bytes of one thread; and the
// refusal where graze is built without OpenMP.
#include "testing.h"

#include <stdatomic.h>

#include "bvh_testing.h"
#include "graze/tasks.h"

static grzTasks* makeTeam(uint32_t workers) {
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks = NULL;
    def.useOpenMp = true, def.workerCount = workers;
    testOk(grzTasks_Create(&def, &tasks));
    assert_int_equal(grzTasks_WorkerCount(tasks), workers);
    return tasks;
}

#if defined(GRAZE_OPENMP)

typedef struct Counts {
    grzTasks* tasks;
    _Atomic uint32_t outer[300], inner[300];
    _Atomic uint32_t workers; // bits of those that had a block
    bool isNested;
} Counts;

static void countInner(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Counts* counts = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        atomic_fetch_add(&counts->inner[i], 1);
}

static void countOuter(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Counts* counts = context;
    atomic_fetch_or(&counts->workers, 1u << worker);
    for (uint32_t i = begin; i < end; ++i)
        atomic_fetch_add(&counts->outer[i], 1);
    if (counts->isNested)
        grzParallelFor(counts->tasks, 300, 7, countInner, counts);
}

static void eachBlockRunsOnce(void** state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 8; ++workers) {
        grzTasks* tasks = makeTeam(workers);
        for (uint32_t round = 0; round < 40; ++round) {
            Counts counts = {.tasks = tasks, .isNested = round % 4 == 0};
            grzParallelFor(tasks, 300, 10, countOuter, &counts);
            for (int i = 0; i < 300; ++i) {
                assert_int_equal(counts.outer[i], 1);
                assert_int_equal(counts.inner[i], counts.isNested ? 30 : 0);
            }
            assert_true(counts.workers >> workers == 0);
        }
        grzTasks_Destroy(tasks);
    }
}

typedef struct Meeting {
    _Atomic uint32_t count;
} Meeting;

static void waitForTheOther(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Meeting* meeting = context;
    (void)begin, (void)end, (void)worker;
    atomic_fetch_add(&meeting->count, 1);
    while (atomic_load(&meeting->count) < 2) {
    }
}

// Each of two blocks waits for the other: one thread would wait for ever.
static void blocksRunSideBySide(void** state) {
    (void)state;
    grzTasks* tasks = makeTeam(2);
    for (int round = 0; round < 20; ++round) {
        Meeting meeting = {0};
        grzParallelFor(tasks, 2, 1, waitForTheOther, &meeting);
        assert_int_equal(meeting.count, 2);
    }
    grzTasks_Destroy(tasks);
}

static void hierarchiesHaveTheBytesOfOneThread(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(77), 0);
    for (int builder = 0; builder < 3; ++builder) {
        TestMesh mesh = testMakeMesh(test_soup, &rng, 20000);
        grzBvh *alone = testMakeBvh(&mesh, (grzBvhBuilder)builder),
               *shared = testMakeBvh(&mesh, (grzBvhBuilder)builder);
        grzTasks* tasks = makeTeam(3);
        grzBvhDef def = grzDefaultBvhDef();
        def.positions = mesh.positions, def.vertexCount = mesh.vertexCount, def.triangles = mesh.triangles;
        def.triangleCount = mesh.triangleCount, def.builder = (grzBvhBuilder)builder, def.tasks = tasks;
        testOk(grzBvh_Rebuild(shared, &def));
        const grzBvhView a = grzBvh_GetView(alone), b = grzBvh_GetView(shared);
        assert_int_equal(a.nodeCount, b.nodeCount);
        assert_memory_equal(a.triangles, b.triangles, 3 * (size_t)a.triangleCount * sizeof *a.triangles);
        grzTasks_Destroy(tasks);
        grzBvh_Destroy(alone), grzBvh_Destroy(shared);
        testDropMesh(&mesh);
    }
}

static void aHostBesideItIsRefused(void** state) {
    (void)state;
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks;
    def.useOpenMp = true;
    def.host.spawn = (void* (*)(void*, grzHostRunFn*, void*))(uintptr_t)1;
    assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_badArgument);
    assert_null(tasks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eachBlockRunsOnce),
        cmocka_unit_test(blocksRunSideBySide),
        cmocka_unit_test(hierarchiesHaveTheBytesOfOneThread),
        cmocka_unit_test(aHostBesideItIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void itIsRefusedWithoutOpenMp(void** state) {
    (void)state;
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks;
    def.useOpenMp = true;
    assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_notSupported);
    assert_null(tasks);
    (void)makeTeam;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(itIsRefusedWithoutOpenMp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
