// Hierarchies that are built again in pieces: what comes out is what a build at once makes, work is bounded, and nothing is asked of the
// allocator on the way.
#include "bvh_parts.h"
#include "bvh_renewal.h"
#include "bvh_testing.h"

static const uint32_t g_counts[] = {0, 1, 4, 5, 33, 257, 2049, 3000};
static const uint64_t g_visits[] = {1, 7, 300, 100000};

// Moves every vertex, and builds again for where they are now, with so many visits a call. Returns the visits.
static uint64_t renew(const TestMesh* mesh, grzBvhRenewal* renewal, grzBvh* bvh, uint64_t visits) {
    uint64_t all = 0;
    assert_false(grzBvhRenewal_IsRunning(renewal));
    grzBvhRenewal_Begin(renewal);
    for (bool isBuilt = false; !isBuilt;) {
        uint64_t left = visits;
        assert_true(grzBvhRenewal_IsRunning(renewal));
        isBuilt = grzBvhRenewal_GoOn(renewal, mesh->positions, 3 * sizeof(float), &left);
        assert_true(left <= visits && (isBuilt || left == 0)); // it works all the time, and never more
        all += visits - left;
    }
    grzBvhRenewal_SwitchOver(renewal, bvh);
    assert_true(grzBvh_Validate(bvh));
    return all;
}

static void jumble(TestMesh* mesh, grzRng* rng) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
        mesh->positions[i] *= 0.5F + 0.5F * grzRng_Float(rng);
}

static void piecesMakeWhatABuildAtOnceMakes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(471), 0);
    for (uint32_t kind = 0; kind < test_meshKinds; ++kind) {
        for (size_t i = 0; i < sizeof g_counts / sizeof *g_counts; ++i) {
            TestMesh mesh = testMakeMesh((TestMeshKind)kind, &rng, g_counts[i]);
            grzBvh* bvh = testMakeBvh(&mesh, grz_bvhSah);
            grzBvhRenewal* renewal;
            TestMemory memory = {.failAt = 3};
            const grzAllocator allocator = testAllocator(&memory);
            testOk(grzBvhRenewal_Create(bvh, mesh.triangles, &allocator, &renewal));
            memory.failAt = 0;
            for (size_t v = 0; v < sizeof g_visits / sizeof *g_visits; ++v) {
                jumble(&mesh, &rng);
                const uint64_t visits = renew(&mesh, renewal, bvh, g_visits[v]);
                grzBvh* wanted = testMakeBvh(&mesh, grz_bvhSah);
                const grzBvhView expected = grzBvh_GetView(wanted), view = grzBvh_GetView(bvh);
                testAssertSameView(&expected, &view);
                assert_true(visits <= grzBvhRenewal_Cost(g_counts[i]) * 2 + 3 * (uint64_t)mesh.vertexCount);
                grzBvh_Destroy(wanted);
            }
            grzBvhRenewal_Destroy(renewal);
            assert_int_equal(memory.liveCount, 0);
            grzBvh_Destroy(bvh);
            testDropMesh(&mesh);
        }
    }
}

// Nothing of the hierarchy in use changes before the switch, and its revision tells of that.
static void theOldOneIsReadUntilTheSwitch(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(472), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 3000);
    grzBvh *bvh = testMakeBvh(&mesh, grz_bvhSah), *same = testMakeBvh(&mesh, grz_bvhSah);
    const grzBvhView expected = grzBvh_GetView(same);
    const grzAllocator allocator = grzAllocator_OrDefault((grzAllocator){0});
    grzBvhRenewal* renewal;
    testOk(grzBvhRenewal_Create(bvh, mesh.triangles, &allocator, &renewal));
    jumble(&mesh, &rng);
    grzBvhRenewal_Begin(renewal);
    uint64_t left = 1000;
    while (!grzBvhRenewal_GoOn(renewal, mesh.positions, 3 * sizeof(float), &left)) {
        const grzBvhView view = grzBvh_GetView(bvh);
        testAssertSameView(&expected, &view);
        left = 1000;
    }
    const uint64_t revision = bvh->revision;
    grzBvhRenewal_SwitchOver(renewal, bvh);
    assert_int_equal(bvh->revision, revision + 1);
    const grzBvhView view = grzBvh_GetView(bvh);
    assert_memory_not_equal(view.triangleToCaller, expected.triangleToCaller, 3000 * sizeof(uint32_t));
    grzBvhRenewal_Destroy(renewal);
    grzBvhRenewal_Destroy(NULL);
    grzBvh_Destroy(same);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

static void anyRefusedAllocationLeavesNothingBehind(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 300);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhSah);
    for (size_t failAt = 0; failAt < 3; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        const grzAllocator allocator = testAllocator(&memory);
        grzBvhRenewal* renewal;
        assert_int_equal(grzBvhRenewal_Create(bvh, mesh.triangles, &allocator, &renewal).status, grz_outOfMemory);
        assert_null(renewal);
        assert_int_equal(memory.liveCount, 0);
    }
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piecesMakeWhatABuildAtOnceMakes),
        cmocka_unit_test(theOldOneIsReadUntilTheSwitch),
        cmocka_unit_test(anyRefusedAllocationLeavesNothingBehind),
    };
    return cmocka_run_group_tests_name("bvh renewal", tests, NULL, NULL);
}
