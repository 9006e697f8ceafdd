// Hierarchies over triangles: their shape, the orders of all builders, what is refused, and the bytes for any workers.
#include "bvh_testing.h"

static const uint32_t g_counts[] = {0,  1,  2,   3,   4,   5,   7,    8,    31,   32,
                                    33, 63, 255, 256, 257, 511, 2047, 2048, 2049, 3000};
#define COUNTS (sizeof g_counts / sizeof g_counts[0])

static void assertTriangles(const TestMesh* mesh, const grzBvh* bvh) {
    const grzBvhView view = grzBvh_GetView(bvh);
    assert_int_equal(view.triangleCount, mesh->triangleCount);
    assert_int_equal(view.vertexCount, mesh->vertexCount);
    for (uint32_t t = 0; t < view.triangleCount; ++t)
        for (size_t k = 0; k < 3; ++k)
            assert_int_equal(view.vertexToCaller[view.triangles[3 * (size_t)t + k]],
                             mesh->triangles[3 * (size_t)view.triangleToCaller[t] + k]);
}

static void everyBuilderKeepsEveryTriangleOfEveryMesh(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(401), 0);
    for (uint32_t kind = 0; kind < test_meshKinds; ++kind) {
        for (size_t i = 0; i < COUNTS; ++i) {
            TestMesh mesh = testMakeMesh((TestMeshKind)kind, &rng, g_counts[i]);
            for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder) {
                grzBvh* bvh = testMakeBvh(&mesh, builder);
                assertTriangles(&mesh, bvh);
                grzBvh_Destroy(bvh);
            }
            testDropMesh(&mesh);
        }
    }
}

static void theShapeFollowsFromTheCount(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 2049);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    const grzBvhView view = grzBvh_GetView(bvh);
    assert_int_equal(view.leafCount, 513);
    assert_int_equal(view.chunkCount, 9);
    assert_int_equal(view.levelCount, 4);
    static const uint32_t starts[] = {0, 1, 3, 12, 77};
    for (uint32_t d = 0; d <= 4; ++d)
        assert_int_equal(view.levelStarts[d], starts[d]);
    assert_int_equal(view.nodeCount, 77);
    assert_int_equal(grzBvhView_ChildCount(&view, 0, 0), 2);
    assert_int_equal(grzBvhView_ChildCount(&view, 1, 0), 8);
    assert_int_equal(grzBvhView_ChildCount(&view, 1, 1), 1);
    assert_int_equal(grzBvhView_ChildCount(&view, 3, 64), 1);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

static void noTrianglesMakeOneNodeWithoutChildren(void** state) {
    (void)state;
    const grzBvhDef def = grzDefaultBvhDef();
    grzBvh* bvh;
    testOk(grzBvh_Create(&def, &bvh));
    assert_true(grzBvh_Validate(bvh));
    const grzBvhView view = grzBvh_GetView(bvh);
    assert_int_equal(view.nodeCount, 1);
    assert_int_equal(view.levelCount, 1);
    assert_int_equal(grzBvhView_ChildCount(&view, 0, 0), 0);
    const grzBvhRefit refit = grzDefaultBvhRefit();
    grzBvhNode node;
    testOk(grzBvh_Refit(bvh, NULL, &refit, &node));
    assert_true(grzBox_IsEmpty(grzBvh_RootBox(&node)));
    assert_true(grzBvh_ValidateBoxes(bvh, &refit, &node));
    const grzBvhQuality quality = grzBvh_Measure(bvh, &node);
    assert_true(quality.overlap == 0 && quality.area == 0);
    grzBvh_Destroy(bvh);
    grzBvh_Destroy(NULL);
}

// ---- the orders ----

// Four squares along x, far from each other, are four leaves at last, whatever the order they came in.
static void neighboursShareLeaves(void** state) {
    (void)state;
    float positions[16 * 3];
    uint32_t triangles[16 * 3];
    for (uint32_t t = 0; t < 16; ++t) {
        const float x = (float)(t % 4) * 100 + (float)(t / 4);
        const float at[3] = {x, 0, (float)(t % 3) * 0.01F};
        memcpy(positions + 3 * (size_t)t, at, sizeof at);
        for (size_t k = 0; k < 3; ++k)
            triangles[3 * (size_t)t + k] = t;
    }
    TestMesh mesh = {16, 16, positions, NULL, triangles};
    for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder) {
        grzBvh* bvh = testMakeBvh(&mesh, builder);
        const grzBvhView view = grzBvh_GetView(bvh);
        for (uint32_t t = 0; t < 16; ++t)
            assert_int_equal(view.triangleToCaller[t] % 4, view.triangleToCaller[t / 4 * 4] % 4);
        grzBvh_Destroy(bvh);
    }
}

static double areaOf(const TestMesh* mesh, uint32_t builder) {
    grzBvh* bvh = testMakeBvh(mesh, builder);
    grzBvhNode* nodes = testTakeNodes(bvh);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = mesh->positions, refit.numbering = grz_bvhCallersNumbers;
    testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
    const double area = grzBvh_Measure(bvh, nodes).area;
    free(nodes);
    grzBvh_Destroy(bvh);
    return area;
}

// Small triangles in a cube.
static TestMesh makeDust(grzRng* rng, uint32_t count) {
    TestMesh mesh = testMakeMesh(test_soup, rng, count);
    free(mesh.positions);
    mesh.vertexCount = 3 * count;
    mesh.positions = testTake(9 * (size_t)count, sizeof(float));
    for (uint32_t t = 0; t < count; ++t) {
        const float at[3] = {grzRng_Float(rng), grzRng_Float(rng), 4 * grzRng_Float(rng)};
        for (size_t k = 0; k < 9; ++k)
            mesh.positions[9 * (size_t)t + k] = at[k % 3] + 0.01F * grzRng_Float(rng);
        for (uint32_t k = 0; k < 3; ++k)
            mesh.triangles[3 * (size_t)t + k] = 3 * t + k;
    }
    return mesh;
}

static void ordersAreWorthTheirPrice(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(402), 0);
    TestMesh mesh = makeDust(&rng, 4000);
    const double morton = areaOf(&mesh, grz_bvhMorton), median = areaOf(&mesh, grz_bvhMedian);
    const double sah = areaOf(&mesh, grz_bvhSah);
    // The caller's order has nearly the root's area in each of its thousand leaves.
    assert_true(morton < 60 && median < 60);
    assert_true(sah < 0.85 * morton && sah < 0.85 * median);
    testDropMesh(&mesh);
}

// The plane lies in the middle of the box, not of the triangles: of 0, 1, 2 .. 6 and 100 only the last is beyond it.
static void theMedianIsThatOfTheBox(void** state) {
    (void)state;
    float positions[8 * 3] = {0};
    uint32_t triangles[8 * 3];
    for (uint32_t t = 0; t < 8; ++t) {
        positions[3 * (size_t)t] = t == 0 ? 100 : (float)(7 - t); // the far one comes first
        for (size_t k = 0; k < 3; ++k)
            triangles[3 * (size_t)t + k] = t;
    }
    TestMesh mesh = {8, 8, positions, NULL, triangles};
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMedian);
    const grzBvhView view = grzBvh_GetView(bvh);
    static const uint32_t wanted[] = {7, 6, 5, 4, 3, 2, 1, 0};
    for (uint32_t t = 0; t < 8; ++t)
        assert_int_equal(view.triangleToCaller[t], wanted[t]);
    grzBvh_Destroy(bvh);
}

// One in the middle, exactly, is not greater: it goes with the lower one, from which the other axis then parts it.
static void aTriangleOnThePlaneIsNegative(void** state) {
    (void)state;
    float positions[] = {2, 0, 0, 0, 0, 0, 1, -1.5F, 0};
    uint32_t triangles[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    TestMesh mesh = {3, 3, positions, NULL, triangles};
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMedian);
    const grzBvhView view = grzBvh_GetView(bvh);
    static const uint32_t wanted[] = {2, 1, 0};
    for (uint32_t t = 0; t < 3; ++t)
        assert_int_equal(view.triangleToCaller[t], wanted[t]);
    grzBvh_Destroy(bvh);
}

// Each cut takes off one triangle, the greatest. After 64 of them what is left is halved as it stands.
static void aMeshThatOnlyGrowsIsHalvedInTheEnd(void** state) {
    (void)state;
    enum { COUNT = 200, CUTS = 64 };
    float positions[COUNT * 3] = {0};
    uint32_t triangles[COUNT * 3];
    for (uint32_t t = 0; t < COUNT; ++t) {
        positions[3 * (size_t)t] = ldexpf(1, 120 - (int)t);
        for (size_t k = 0; k < 3; ++k)
            triangles[3 * (size_t)t + k] = t;
    }
    TestMesh mesh = {COUNT, COUNT, positions, NULL, triangles};
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMedian);
    const grzBvhView view = grzBvh_GetView(bvh);
    for (uint32_t t = 0; t < COUNT; ++t)
        assert_int_equal(view.triangleToCaller[t], t < COUNT - CUTS ? CUTS + t : COUNT - 1 - t);
    grzBvh_Destroy(bvh);
}

// Where the cut falls among triangles of one bin, it is still exact.
static void binsAreCutExactly(void** state) {
    (void)state;
    static const int powers[] = {4, 0, 7, 5, 1, 6, 2, 3}; // five of them share a bin
    float positions[8 * 3] = {0};
    uint32_t triangles[8 * 3];
    for (uint32_t t = 0; t < 8; ++t) {
        positions[3 * (size_t)t] = ldexpf(1, powers[t]);
        for (size_t k = 0; k < 3; ++k)
            triangles[3 * (size_t)t + k] = t;
    }
    TestMesh mesh = {8, 8, positions, NULL, triangles};
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhSah);
    const grzBvhView view = grzBvh_GetView(bvh);
    for (uint32_t t = 0; t < 8; ++t)
        assert_int_equal(powers[view.triangleToCaller[t]] >= 4, t >= 4);
    grzBvh_Destroy(bvh);
}

// A flat sheet must not spend its key on the axis that it does not have: whole leaves in squares.
static void theCurveFollowsTheLongestAxes(void** state) {
    (void)state;
    enum { SIDE = 64 };
    TestMesh mesh = {SIDE * SIDE, SIDE * SIDE, testTake(SIDE * SIDE * 3, sizeof(float)), NULL,
                     testTake(SIDE * SIDE * 3, sizeof(uint32_t))};
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const float at[3] = {(float)(i % SIDE) + 1000, 1e-3F * (float)(i * 7 % 13), (float)(i / SIDE) - 5000};
        memcpy(mesh.positions + 3 * (size_t)i, at, sizeof at);
        for (size_t k = 0; k < 3; ++k)
            mesh.triangles[3 * (size_t)i + k] = i;
    }
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    const grzBvhView view = grzBvh_GetView(bvh);
    for (uint32_t t = 0; t < SIDE * SIDE; ++t) {
        const uint32_t a = view.triangleToCaller[t / 4 * 4], b = view.triangleToCaller[t];
        assert_int_equal(a % SIDE / 2, b % SIDE / 2);
        assert_int_equal(a / SIDE / 2, b / SIDE / 2);
    }
    grzBvh_Destroy(bvh);
    free(mesh.positions);
    free(mesh.triangles);
}

// ---- checks ----

static void countLogs(void* context, grzLogLevel level, const char* text) {
    (void)level, (void)text;
    ++*(int*)context;
}

// Places of a leaf's list behind its vertices are read as well, so that they must be what they are said to be.
static void theCheckSeesAnyListThatIsNotFilledUp(void** state) {
    (void)state;
    int logged = 0, wanted = 0;
    grzRng rng = grzRng_Make(testSeed(410), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 301);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    const grzBvhView view = grzBvh_GetView(bvh);
    grzSetLogHook(countLogs, &logged);
    for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
        const uint32_t count = view.leafVertexCounts[leaf];
        for (uint32_t k = count; k < (count > 8 ? GRZ_BVH_LEAF_VERTICES : 8); ++k) {
            const uint32_t* place =
                k < 8 ? &view.leafVertices[8 * (size_t)leaf + k] : &view.moreVertices[4 * (size_t)leaf + k - 8];
            uint32_t* at = (uint32_t*)(uintptr_t)place;
            const uint32_t kept = *at;
            *at = (kept + 1) % view.vertexCount;
            assert_false(grzBvh_Validate(bvh));
            *at = kept;
            ++wanted;
        }
    }
    grzSetLogHook(NULL, NULL);
    assert_true(wanted > 0);
    assert_int_equal(logged, wanted);
    assert_true(grzBvh_Validate(bvh));
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

// ---- workers ----

static void assertSameForAnyWorkers(const TestMesh* mesh, uint32_t builder) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzBvh* alone = testMakeBvh(mesh, builder);
    const grzBvhView expected = grzBvh_GetView(alone);
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; ++i) {
        grzTasksDef tasksDef = grzDefaultTasksDef();
        tasksDef.workerCount = workers[i];
        grzTasks* tasks;
        testOk(grzTasks_Create(&tasksDef, &tasks));
        grzBvhDef def = testBvhDef(mesh, builder);
        def.tasks = tasks;
        grzBvh* bvh;
        testOk(grzBvh_Create(&def, &bvh));
        const grzBvhView view = grzBvh_GetView(bvh);
        testAssertSameView(&expected, &view);
        grzBvh_Destroy(bvh);
        grzTasks_Destroy(tasks);
    }
    grzBvh_Destroy(alone);
}

static void buildsGiveTheSameBytesForAnyWorkers(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(403), 0);
    static const uint32_t kinds[] = {test_soup, test_exponential, test_points};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        TestMesh mesh =
            testMakeMesh((TestMeshKind)kinds[i], &rng, i == 0 ? 70000 : 5000); // three blocks of the sort
        for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder)
            assertSameForAnyWorkers(&mesh, builder);
        testDropMesh(&mesh);
    }
}

// ---- doubles and strides ----

static void theOrderIsThatOfTheNumbersNotOfTheirLayout(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(404), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 700);
    float* wide = testTake(5 * (size_t)mesh.vertexCount, sizeof(float));
    for (size_t i = 0; i < 5 * (size_t)mesh.vertexCount; ++i)
        wide[i] = i % 5 < 3 ? mesh.positions[i / 5 * 3 + i % 5] : NAN;
    for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder) {
        grzBvh* tight = testMakeBvh(&mesh, builder);
        grzBvhDef def = testBvhDef(&mesh, builder);
        def.positions = wide, def.positionStride = 5 * sizeof(float);
        grzBvh* bvh;
        testOk(grzBvh_Create(&def, &bvh));
        const grzBvhView a = grzBvh_GetView(tight), b = grzBvh_GetView(bvh);
        testAssertSameView(&a, &b);
        grzBvh_Destroy(bvh);
        grzBvh_Destroy(tight);
    }
    free(wide);
    testDropMesh(&mesh);
}

static void doublesAreTakenAnyRange(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(405), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 700);
    static const double scales[] = {1, 1e300, 1e-310, 5e307};
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; ++s) {
        for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
            mesh.doubles[i] = (double)mesh.positions[i] * scales[s];
        for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder) {
            grzBvhDef def = testBvhDef(&mesh, builder);
            def.positions = mesh.doubles, def.positionType = grz_float64;
            grzBvh* bvh;
            testOk(grzBvh_Create(&def, &bvh));
            assert_true(grzBvh_Validate(bvh));
            assertTriangles(&mesh, bvh);
            grzBvh_Destroy(bvh);
        }
    }
    testDropMesh(&mesh);
}

// ---- rebuilding ----

static void aRebuildIsACreationWithoutAllocation(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(406), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 900), other = testMakeMesh(test_soup, &rng, 900);
    for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder) {
        TestMemory memory = {.failAt = SIZE_MAX};
        grzBvhDef def = testBvhDef(&mesh, builder);
        def.allocator = testAllocator(&memory);
        def.keepsScratch = true;
        grzBvh* bvh;
        testOk(grzBvh_Create(&def, &bvh));
        const grzBvhView before = grzBvh_GetView(bvh);
        memory.failAt = 0;
        const grzBvhDef otherDef = testBvhDef(&other, builder);
        testOk(grzBvh_Rebuild(bvh, &otherDef));
        grzBvh* expected = testMakeBvh(&other, builder);
        const grzBvhView wanted = grzBvh_GetView(expected), after = grzBvh_GetView(bvh);
        assert_ptr_equal(before.triangles, after.triangles);
        testAssertSameView(&wanted, &after);
        grzBvh_Destroy(expected);
        grzBvh_Destroy(bvh);
        assert_int_equal(memory.liveCount, 0);
    }
    testDropMesh(&mesh);
    testDropMesh(&other);
}

static void aRefusedRebuildChangesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(407), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 300), other = testMakeMesh(test_soup, &rng, 300);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzBvhDef def = testBvhDef(&mesh, grz_bvhMorton);
    def.allocator = testAllocator(&memory);
    grzBvh *bvh, *expected = testMakeBvh(&mesh, grz_bvhMorton);
    testOk(grzBvh_Create(&def, &bvh));
    grzBvhDef bad = testBvhDef(&other, grz_bvhSah);
    memory.failAt = 0;
    assert_int_equal(grzBvh_Rebuild(bvh, &bad).status, grz_outOfMemory);
    TestMesh larger = testMakeMesh(test_soup, &rng, 600);
    const grzBvhDef more = testBvhDef(&larger, grz_bvhMorton);
    for (size_t k = 0; k < 2; ++k) { // the scratch, and the room
        memory.failAt = memory.requests + k;
        assert_int_equal(grzBvh_Rebuild(bvh, &more).status, grz_outOfMemory);
    }
    testDropMesh(&larger);
    memory.failAt = SIZE_MAX;
    other.positions[17] = NAN;
    assert_int_equal(grzBvh_Rebuild(bvh, &bad).status, grz_notFinite);
    assert_int_equal(grzBvh_Rebuild(bvh, NULL).status, grz_badDef);
    const grzBvhView wanted = grzBvh_GetView(expected), after = grzBvh_GetView(bvh);
    testAssertSameView(&wanted, &after);
    grzBvh_Destroy(bvh);
    grzBvh_Destroy(expected);
    testDropMesh(&mesh);
    testDropMesh(&other);
}

// ---- refusals ----

static grzResult tryDef(const grzBvhDef* def) {
    grzBvh* bvh = (grzBvh*)(void*)&bvh; // not NULL
    const grzResult result = grzBvh_Create(def, &bvh);
    assert_false(grzResult_IsOk(result));
    assert_null(bvh);
    return result;
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 10);
    const grzBvhDef good = testBvhDef(&mesh, grz_bvhMorton);
    grzBvhDef def = good;
    assert_int_equal(tryDef(NULL).status, grz_badDef);
    def.mark = 0;
    assert_int_equal(tryDef(&def).status, grz_badDef);
    def = good, def.builder = (grzBvhBuilder)3;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.positionType = (grzNumberType)3;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.positions = NULL;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.triangles = NULL;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.positionStride = 8;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.positionStride = 13;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.positionStride = SIZE_MAX / 4 * 4;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.allocator.allocate = testAllocate;
    assert_int_equal(tryDef(&def).status, grz_badArgument);
    def = good, def.vertexCount = (size_t)GRZ_MESH_MAX_VERTICES + 1;
    assert_int_equal(tryDef(&def).status, grz_tooLarge);
    def = good, def.triangleCount = (size_t)GRZ_MESH_MAX_TRIANGLES + 1;
    assert_int_equal(tryDef(&def).status, grz_tooLarge);
    testDropMesh(&mesh);
}

static void theFirstBadVertexIsNamed(void** state) {
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    grzRng rng = grzRng_Make(testSeed(408), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 80000); // several blocks of the search
    for (size_t i = 0; i < 12; ++i) {
        const uint32_t first = grzRng_Below(&rng, mesh.vertexCount - 1), axis = grzRng_Below(&rng, 3);
        const uint32_t later = first + 1 + grzRng_Below(&rng, mesh.vertexCount - first - 1);
        const size_t places[2] = {3 * (size_t)first + axis, 3 * (size_t)later};
        grzBvhDef def = testBvhDef(&mesh, grz_bvhMorton);
        if (i % 2 == 1)
            def.positions = mesh.doubles, def.positionType = grz_float64;
        for (size_t k = 0; k < 2; ++k)
            mesh.positions[places[k]] = (float)bad[i % 3], mesh.doubles[places[k]] = bad[i % 3];
        const grzResult result = tryDef(&def);
        assert_int_equal(result.status, grz_notFinite);
        assert_int_equal(result.part, grz_partVertex);
        assert_int_equal(result.index, first);
        for (size_t k = 0; k < 2; ++k)
            mesh.positions[places[k]] = 0, mesh.doubles[places[k]] = 0;
    }
    testDropMesh(&mesh);
}

static void theFirstTriangleWithABadIndexIsNamed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 100);
    const uint32_t bad[] = {mesh.vertexCount, 0x40000000u, 0x7fffffffu, 0x80000000u, UINT32_MAX};
    const grzBvhDef def = testBvhDef(&mesh, grz_bvhMorton);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        mesh.triangles[3 * 41 + 1] = mesh.triangles[3 * 77] = bad[i];
        const grzResult result = tryDef(&def);
        assert_int_equal(result.status, grz_indexTooLarge);
        assert_int_equal(result.part, grz_partTriangle);
        assert_int_equal(result.index, 41);
        assert_int_equal(result.value, bad[i]);
    }
    grzBvhDef none = def;
    none.vertexCount = 0;
    assert_int_equal(tryDef(&none).status, grz_indexTooLarge);
    testDropMesh(&mesh);
}

static void anyRefusedAllocationLeavesNothingBehind(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 100);
    for (uint32_t builder = 0; builder < TEST_BVH_BUILDERS; ++builder) {
        size_t needed = SIZE_MAX;
        for (size_t failAt = 0; failAt < needed; ++failAt) {
            TestMemory memory = {.failAt = failAt};
            grzBvhDef def = testBvhDef(&mesh, builder);
            def.allocator = testAllocator(&memory);
            grzBvh* bvh;
            const grzResult result = grzBvh_Create(&def, &bvh);
            if (grzResult_IsOk(result)) {
                needed = failAt;
                assert_int_equal(memory.liveCount, 2); // no scratch
                grzBvh_Destroy(bvh);
            } else {
                assert_int_equal(result.status, grz_outOfMemory);
                assert_null(bvh);
            }
            assert_int_equal(memory.liveCount, 0);
        }
        assert_int_equal(needed, 3);
    }
    testDropMesh(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyBuilderKeepsEveryTriangleOfEveryMesh),
        cmocka_unit_test(theShapeFollowsFromTheCount),
        cmocka_unit_test(noTrianglesMakeOneNodeWithoutChildren),
        cmocka_unit_test(neighboursShareLeaves),
        cmocka_unit_test(ordersAreWorthTheirPrice),
        cmocka_unit_test(theMedianIsThatOfTheBox),
        cmocka_unit_test(aTriangleOnThePlaneIsNegative),
        cmocka_unit_test(aMeshThatOnlyGrowsIsHalvedInTheEnd),
        cmocka_unit_test(binsAreCutExactly),
        cmocka_unit_test(theCurveFollowsTheLongestAxes),
        cmocka_unit_test(theCheckSeesAnyListThatIsNotFilledUp),
        cmocka_unit_test(buildsGiveTheSameBytesForAnyWorkers),
        cmocka_unit_test(theOrderIsThatOfTheNumbersNotOfTheirLayout),
        cmocka_unit_test(doublesAreTakenAnyRange),
        cmocka_unit_test(aRebuildIsACreationWithoutAllocation),
        cmocka_unit_test(aRefusedRebuildChangesNothing),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(theFirstBadVertexIsNamed),
        cmocka_unit_test(theFirstTriangleWithABadIndexIsNamed),
        cmocka_unit_test(anyRefusedAllocationLeavesNothingBehind),
    };
    return cmocka_run_group_tests_name("bvh", tests, NULL, NULL);
}
