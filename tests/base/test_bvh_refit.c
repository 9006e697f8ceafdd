// Boxes over a hierarchy: exact, rounded outward, swept, by dirty chunk; the same bytes at every level and for any
// workers; what is refused; and the figures that tell when to rebuild.
#include "bvh_testing.h"

#include <float.h>

#include "check.h"

// ---- the slow reference: every leaf by its triangles, every node by its leaves ----

// The floats next to a double, on both sides of it.
static float below(double x) {
    const float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float above(double x) {
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static double coordinate(const grzBvhRefit* refit, const void* positions, uint32_t vertex, uint32_t axis) {
    const size_t size = refit->type == grz_float64 ? sizeof(double) : sizeof(float);
    const size_t stride = refit->stride != 0 ? refit->stride : 3 * size;
    const unsigned char* at = (const unsigned char*)positions + vertex * stride + axis * size;
    return refit->type == grz_float64 ? *(const double*)(const void*)at : (double)*(const float*)(const void*)at;
}

typedef struct Interval {
    double lower, upper;
} Interval;

// Of the triangles [first, end), none if there are none.
static Interval intervalOf(const grzBvhView* view, const grzBvhRefit* refit, uint64_t first, uint64_t end,
                           uint32_t axis) {
    Interval all = {(double)INFINITY, -(double)INFINITY};
    for (uint64_t i = 3 * first; i < 3 * end && i < 3 * (uint64_t)view->triangleCount; ++i) {
        uint32_t vertex = view->triangles[i];
        if (refit->numbering == grz_bvhCallersNumbers)
            vertex = view->vertexToCaller[vertex];
        for (int k = 0; k < (refit->endPositions != NULL ? 2 : 1); ++k) {
            const double x = coordinate(refit, k == 0 ? refit->positions : refit->endPositions, vertex, axis);
            all.lower = x < all.lower ? x : all.lower;
            all.upper = x > all.upper ? x : all.upper;
        }
    }
    return all;
}

static void assertNode(const grzBvhView* view, const grzBvhRefit* refit, const grzBvhNode* node, uint64_t first,
                       uint64_t span) {
    for (uint32_t k = 0; k < 8; ++k, first += span) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const Interval wanted = intervalOf(view, refit, first, first + span, axis);
            const bool isThere = first < view->triangleCount;
            assert_true(node->lower[axis][k] == (isThere ? below(wanted.lower) : FLT_MAX));
            assert_true(node->upper[axis][k] == (isThere ? above(wanted.upper) : -FLT_MAX));
        }
    }
}

static void assertBoxes(const grzBvh* bvh, const grzBvhRefit* refit, const grzBvhNode* nodes) {
    const grzBvhView view = grzBvh_GetView(bvh);
    uint64_t span = 4;
    for (uint32_t level = view.levelCount; level-- > 0; span *= 8)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i)
            assertNode(&view, refit, &nodes[i], (i - view.levelStarts[level]) * span * 8, span);
    assert_true(grzBvh_ValidateBoxes(bvh, refit, nodes));
    const grzBox root = grzBvh_RootBox(nodes);
    const Interval x = intervalOf(&view, refit, 0, view.triangleCount, 0);
    if (view.triangleCount != 0)
        assert_true(root.lower.x == below(x.lower) && root.upper.x == above(x.upper));
}

// ---- every way to say where the vertices are ----

enum { WAYS = 16 }; // doubles 1, the caller's numbers 2, moving 4, a stride 8

typedef struct Way {
    grzBvhRefit refit;
    void *start, *end;
} Way;

// Copies of exactly the bytes that may be read.
static void* layOut(const grzBvh* bvh, const void* from, size_t number, unsigned way, double shift) {
    const grzBvhView view = grzBvh_GetView(bvh);
    const size_t stride = (way & 8) != 0 ? 5 : 3;
    const size_t size = ((view.vertexCount - 1) * stride + 3) * number;
    unsigned char* to = malloc(size);
    assert_non_null(to);
    memset(to, 0xff, size); // NaNs between the vertices
    for (uint32_t v = 0; v < view.vertexCount; ++v) {
        const size_t caller = (way & 2) != 0 ? v : view.vertexToCaller[v];
        for (size_t axis = 0; axis < 3; ++axis) {
            unsigned char* place = to + (v * stride + axis) * number;
            if (number == sizeof(double))
                *(double*)(void*)place = ((const double*)from)[3 * caller + axis] * (1 - shift);
            else
                *(float*)(void*)place = ((const float*)from)[3 * caller + axis] * (float)(1 - shift);
        }
    }
    return to;
}

static Way makeWay(const TestMesh* mesh, const grzBvh* bvh, unsigned way) {
    const size_t number = (way & 1) != 0 ? sizeof(double) : sizeof(float);
    const void* from = (way & 1) != 0 ? (const void*)mesh->doubles : (const void*)mesh->positions;
    Way made = {.refit = grzDefaultBvhRefit()};
    made.start = layOut(bvh, from, number, way, 0);
    made.end = (way & 4) != 0 ? layOut(bvh, from, number, way, 0.75) : NULL;
    made.refit.positions = made.start;
    made.refit.endPositions = made.end;
    made.refit.type = (way & 1) != 0 ? grz_float64 : grz_float32;
    made.refit.numbering = (way & 2) != 0 ? grz_bvhCallersNumbers : grz_bvhTreesNumbers;
    made.refit.stride = (way & 8) != 0 ? 5 * number : 0;
    return made;
}

static void dropWay(Way* way) {
    free(way->start);
    free(way->end);
}

static void assertEveryWay(const TestMesh* mesh, uint32_t builder) {
    grzBvh* bvh = testMakeBvh(mesh, builder);
    for (unsigned way = 0; way < WAYS; ++way) {
        Way made = makeWay(mesh, bvh, way);
        grzBvhNode* nodes = testTakeNodes(bvh);
        testOk(grzBvh_Refit(bvh, NULL, &made.refit, nodes));
        assertBoxes(bvh, &made.refit, nodes);
        free(nodes);
        dropWay(&made);
    }
    grzBvh_Destroy(bvh);
}

static void boxesAreThoseOfBruteForce(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 4, 5, 29, 32, 33, 64, 257, 290, 2050};
    grzRng rng = grzRng_Make(testSeed(501), 0);
    for (uint32_t kind = 0; kind < test_meshKinds; ++kind) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
            TestMesh mesh = testMakeMesh((TestMeshKind)kind, &rng, counts[i]);
            assertEveryWay(&mesh, (uint32_t)(i + kind) % TEST_BVH_BUILDERS);
            testDropMesh(&mesh);
        }
    }
}

static void doublesAreRoundedOutwardByOneStep(void** state) {
    (void)state;
    static const double numbers[] = {1e300, -1e300, 1e-320, -1e-320, 1e-46,  -1e-46,
                                     0.1,   -0.1,   1,      -0.0,    3.5e38, -3.5e38};
    const uint32_t triangle[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        const double at[3] = {numbers[i], 0.1, -0.1};
        grzBvhDef def = grzDefaultBvhDef();
        def.positions = at, def.positionType = grz_float64, def.vertexCount = 1;
        def.triangles = triangle, def.triangleCount = 1;
        grzBvh* bvh;
        testOk(grzBvh_Create(&def, &bvh));
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = at, refit.type = grz_float64;
        grzBvhNode node;
        testOk(grzBvh_Refit(bvh, NULL, &refit, &node));
        assertBoxes(bvh, &refit, &node);
        grzBvh_Destroy(bvh);
    }
}

// ---- levels and workers ----

static void assertSameEverywhere(const grzBvh* bvh, const grzBvhRefit* refit) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    const size_t size = grzBvh_GetView(bvh).nodeCount * sizeof(grzBvhNode);
    grzBvhNode *expected = testTakeNodes(bvh), *nodes = testTakeNodes(bvh);
    testOk(grzBvh_Refit(bvh, NULL, refit, expected));
    const grzSimdLevel before = grzSimd_Level();
    for (uint32_t level = 0; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        grzSimd_Force((grzSimdLevel)level);
        memset(nodes, 0xA5, size);
        testOk(grzBvh_Refit(bvh, NULL, refit, nodes));
        assert_memory_equal(nodes, expected, size);
    }
    grzSimd_Force(before);
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers[i];
        grzTasks* tasks;
        testOk(grzTasks_Create(&def, &tasks));
        memset(nodes, 0xA5, size);
        testOk(grzBvh_Refit(bvh, tasks, refit, nodes));
        assert_memory_equal(nodes, expected, size);
        grzTasks_Destroy(tasks);
    }
    free(expected);
    free(nodes);
}

static void refitsGiveTheSameBytesAtEveryLevelForAnyWorkers(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(502), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 13001);
    for (uint32_t v = 0; v < 3 * mesh.vertexCount; v += 5) // zeros of both signs
        mesh.positions[v] = v % 2 == 0 ? 0.0F : -0.0F, mesh.doubles[v] = (double)mesh.positions[v];
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    for (unsigned way = 0; way < WAYS; ++way) {
        Way made = makeWay(&mesh, bvh, way);
        assertSameEverywhere(bvh, &made.refit);
        dropWay(&made);
    }
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

// ---- dirty chunks ----

enum { MOST_MOVED = 6 };

// Moves some vertices, and marks the chunks of their triangles.
static void moveSome(const grzBvhView* view, grzRng* rng, float* positions, uint64_t* chunks) {
    const size_t words = (view->chunkCount + 63) / 64;
    const uint32_t count = grzRng_Below(rng, MOST_MOVED + 1);
    bool* hasMoved = testTake(view->vertexCount, sizeof *hasMoved);
    memset(hasMoved, 0, view->vertexCount);
    memset(chunks, 0, words * sizeof *chunks);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t vertex = grzRng_Below(rng, view->vertexCount);
        positions[3 * (size_t)vertex + grzRng_Below(rng, 3)] += grzRng_Float(rng) - 0.5F;
        hasMoved[vertex] = true;
    }
    for (size_t i = 0; i < 3 * (size_t)view->triangleCount; ++i) {
        const size_t chunk = i / (3 * (size_t)GRZ_BVH_CHUNK_TRIANGLES);
        if (hasMoved[view->triangles[i]])
            chunks[chunk / 64] |= UINT64_C(1) << chunk % 64;
    }
    free(hasMoved);
}

static void assertDirtyIsWhole(const TestMesh* mesh, grzRng* rng, grzTasks* tasks) {
    grzBvh* bvh = testMakeBvh(mesh, grz_bvhMorton);
    const grzBvhView view = grzBvh_GetView(bvh);
    grzBvhNode *whole = testTakeNodes(bvh), *dirty = testTakeNodes(bvh);
    float* positions = testReorder(bvh, mesh->positions, 3 * sizeof(float));
    uint64_t* chunks = testTake(view.chunkCount / 64 + 1, sizeof *chunks);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = positions;
    testOk(grzBvh_Refit(bvh, NULL, &refit, dirty));
    for (int frame = 0; frame < 10; ++frame) {
        moveSome(&view, rng, positions, chunks);
        refit.dirtyChunks = NULL;
        testOk(grzBvh_Refit(bvh, NULL, &refit, whole));
        refit.dirtyChunks = chunks;
        testOk(grzBvh_Refit(bvh, tasks, &refit, dirty));
        assert_memory_equal(whole, dirty, view.nodeCount * sizeof *whole);
    }
    free(whole);
    free(dirty);
    free(positions);
    free(chunks);
    grzBvh_Destroy(bvh);
}

static void aRefitOfDirtyChunksIsARefitOfEverything(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 30, 256, 300, 2049, 20000, 140000};
    grzRng rng = grzRng_Make(testSeed(503), 0);
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = 3;
    grzTasks* tasks;
    testOk(grzTasks_Create(&def, &tasks));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        TestMesh mesh = testMakeMesh(test_strip, &rng, counts[i]);
        assertDirtyIsWhole(&mesh, &rng, i % 2 == 0 ? tasks : NULL);
        testDropMesh(&mesh);
    }
    grzTasks_Destroy(tasks);
}

static void chunksThatAreNotDirtyStayAsTheyAre(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_strip, &rng, 3000);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    const grzBvhView view = grzBvh_GetView(bvh);
    float* positions = testReorder(bvh, mesh.positions, 3 * sizeof(float));
    grzBvhNode *before = testTakeNodes(bvh), *after = testTakeNodes(bvh);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = positions;
    testOk(grzBvh_Refit(bvh, NULL, &refit, before));
    memcpy(after, before, view.nodeCount * sizeof *after);
    for (size_t i = 0; i < 3 * (size_t)view.vertexCount; ++i)
        positions[i] += 1;
    const uint64_t chunks = UINT64_C(1) << 7;
    refit.dirtyChunks = &chunks;
    testOk(grzBvh_Refit(bvh, NULL, &refit, after));
    const uint32_t bottom = grzBvhView_BottomStart(&view);
    for (uint32_t i = 0; i < view.nodeCount - bottom; ++i) {
        const bool isSame = memcmp(&before[bottom + i], &after[bottom + i], sizeof *after) == 0;
        assert_int_equal(isSame, i / 8 != 7);
    }
    free(before);
    free(after);
    free(positions);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

// ---- refusals ----

static void aRefusedRefitNamesTheVertexAndChangesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(504), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 700);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    const size_t size = grzBvh_GetView(bvh).nodeCount * sizeof(grzBvhNode);
    grzBvhNode *nodes = testTakeNodes(bvh), *untouched = testTakeNodes(bvh);
    const uint64_t all[1] = {7};
    for (unsigned way = 0; way < 2 * WAYS; ++way) {
        Way made = makeWay(&mesh, bvh, way % WAYS);
        // The first of the first chunk's is the very first where vertices are numbered by first touch.
        const uint32_t vertex = way < WAYS || (way & 2) == 0 ? 3 : grzBvh_GetView(bvh).vertexToCaller[0];
        const size_t number = (way & 1) != 0 ? 8 : 4, stride = (way & 8) != 0 ? 5 : 3;
        unsigned char* array = (way & 4) != 0 ? made.end : made.start;
        memset(array + (vertex * stride + 1) * number, 0xff, number); // a NaN
        made.refit.dirtyChunks = way < WAYS ? NULL : all;
        const grzResult result = grzBvh_Refit(bvh, NULL, &made.refit, nodes);
        assert_int_equal(result.status, grz_notFinite);
        assert_int_equal(result.part, grz_partVertex);
        assert_int_equal(result.index, vertex);
        assert_memory_equal(nodes, untouched, size);
        dropWay(&made);
    }
    free(nodes);
    free(untouched);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

// No vertex is shared, so each is looked at in one place of one list alone.
static void everyPlaceOfEveryListIsLookedAt(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(509), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 2 * 300 * 3);
    mesh.triangleCount = 300;
    for (uint32_t i = 0; i < 900; ++i)
        mesh.triangles[i] = i;
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    grzBvhNode* nodes = testTakeNodes(bvh);
    const uint64_t chunks = 3;
    for (unsigned way = 0; way < WAYS; ++way) {
        Way made = makeWay(&mesh, bvh, way);
        made.refit.dirtyChunks = &chunks;
        const size_t number = (way & 1) != 0 ? 8 : 4, stride = (way & 8) != 0 ? 5 : 3;
        for (uint32_t vertex = 0; vertex < 900; vertex += 1 + 8 * (way & 1)) {
            unsigned char* place =
                (unsigned char*)((way & 4) != 0 ? made.end : made.start) + vertex * stride * number;
            double kept;
            memcpy(&kept, place, number);
            memset(place, 0xff, number);
            const grzResult result = grzBvh_Refit(bvh, NULL, &made.refit, nodes);
            assert_int_equal(result.status, grz_notFinite);
            assert_int_equal(result.index, vertex);
            memcpy(place, &kept, number);
        }
        dropWay(&made);
    }
    free(nodes);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

static void badRefitsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 10);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    grzBvhNode* nodes = testTakeNodes(bvh);
    grzBvhRefit good = grzDefaultBvhRefit();
    good.positions = mesh.positions;
    grzBvhRefit refit = good;
    refit.positions = NULL;
    assert_int_equal(grzBvh_Refit(bvh, NULL, &refit, nodes).status, grz_badArgument);
    assert_int_equal(grzBvh_Refit(bvh, NULL, &good, NULL).status, grz_badArgument);
    refit = good, refit.type = (grzNumberType)0;
    assert_int_equal(grzBvh_Refit(bvh, NULL, &refit, nodes).status, grz_badArgument);
    refit = good, refit.numbering = (grzBvhNumbering)2;
    assert_int_equal(grzBvh_Refit(bvh, NULL, &refit, nodes).status, grz_badArgument);
    refit = good, refit.stride = 11;
    assert_int_equal(grzBvh_Refit(bvh, NULL, &refit, nodes).status, grz_badArgument);
    free(nodes);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

// ---- quality ----

static double commonArea(const grzBvhNode* node, int i, int j) {
    double side[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double lower = fmax((double)node->lower[axis][i], (double)node->lower[axis][j]);
        side[axis] = fmin((double)node->upper[axis][i], (double)node->upper[axis][j]) - lower;
        if (side[axis] < 0)
            return 0;
    }
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

static void theFiguresAreThoseOfBruteForce(void** state) {
    (void)state;
    static const uint32_t kinds[] = {test_soup, test_strip, test_line, test_far, test_lone};
    grzRng rng = grzRng_Make(testSeed(505), 0);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        TestMesh mesh = testMakeMesh((TestMeshKind)kinds[k], &rng, 1000);
        grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
        grzBvhNode* nodes = testTakeNodes(bvh);
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = mesh.positions, refit.numbering = grz_bvhCallersNumbers;
        testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
        double common = 0, areas = 0;
        for (uint32_t n = 0; n < grzBvh_GetView(bvh).nodeCount; ++n)
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j)
                    *(i == j ? &areas : &common) += commonArea(&nodes[n], i, j);
        const grzBox root = grzBvh_RootBox(nodes);
        const double rootArea = (double)grzBox_Area(root) / 2;
        const grzBvhQuality quality = grzBvh_Measure(bvh, nodes);
        assert_true(fabs(quality.overlap - (areas > 0 ? common / areas : 0)) <= 1e-4 * (1 + quality.overlap));
        assert_true(fabs(quality.area - (rootArea > 0 ? 1 + areas / rootArea : 0)) <= 1e-3 * quality.area);
        free(nodes);
        grzBvh_Destroy(bvh);
        testDropMesh(&mesh);
    }
}

static void extremeBoxesHaveFiniteFigures(void** state) {
    (void)state;
    static const double scales[] = {1e300, 1e38, 1e-45, 1e-300, 0};
    grzRng rng = grzRng_Make(testSeed(506), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 500);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    grzBvhNode* nodes = testTakeNodes(bvh);
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; ++s) {
        for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
            mesh.doubles[i] = (double)mesh.positions[i] * scales[s];
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = mesh.doubles, refit.type = grz_float64, refit.numbering = grz_bvhCallersNumbers;
        testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
        assertBoxes(bvh, &refit, nodes);
        const grzBvhQuality quality = grzBvh_Measure(bvh, nodes);
        assert_true(isfinite(quality.overlap) && isfinite(quality.area) && quality.overlap >= 0 &&
                    quality.area >= 0);
    }
    free(nodes);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

// A flat mesh far from the origin of one axis overlaps as the same mesh does near it.
static void aPlaneFarAwayHasTheFiguresOfOneNearby(void** state) {
    (void)state;
    static const float places[] = {0, 100, 1e6F, 1e20F, 3e38F}, sizes[] = {1, 1e-37F, 1e-36F, 1e-20F, 1e-30F};
    grzRng rng = grzRng_Make(testSeed(510), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 500);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    grzBvhNode* nodes = testTakeNodes(bvh);
    float* moved = testTake(3 * (size_t)mesh.vertexCount, sizeof *moved);
    grzBvhQuality near = {0, 0};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
        for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
            moved[i] = i % 3 == 0 ? places[k] : mesh.positions[i] * sizes[k];
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = moved, refit.numbering = grz_bvhCallersNumbers;
        testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
        const grzBvhQuality quality = grzBvh_Measure(bvh, nodes);
        if (k == 0)
            near = quality;
        assert_true(near.overlap > 0.1 && fabs(quality.overlap - near.overlap) < 1e-3 * near.overlap);
        assert_true(fabs(quality.area - near.area) < 1e-3 * near.area);
    }
    free(moved);
    free(nodes);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

static void twistingRaisesTheOverlapAndARebuildLowersIt(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(507), 0);
    TestMesh mesh = testMakeMesh(test_strip, &rng, 2000);
    grzBvhDef def = testBvhDef(&mesh, grz_bvhMorton);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    grzBvhNode* nodes = testTakeNodes(bvh);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = mesh.positions, refit.numbering = grz_bvhCallersNumbers;
    testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
    const double built = grzBvh_Measure(bvh, nodes).overlap;
    for (uint32_t v = 0; v < mesh.vertexCount; ++v)
        mesh.positions[3 * (size_t)v] = fmodf(mesh.positions[3 * (size_t)v], 3); // folded over itself
    testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
    const double folded = grzBvh_Measure(bvh, nodes).overlap;
    testOk(grzBvh_Rebuild(bvh, &def));
    testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
    assertBoxes(bvh, &refit, nodes);
    assert_true(folded > 1.2 * built);
    free(nodes);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

static void aRebuildPaysWhenAsMuchIsLostAsItCosts(void** state) {
    (void)state;
    grzBvhAge age = grzBvhAge_Start(1);
    for (int frame = 0; frame < 1000; ++frame)
        assert_false(grzBvhAge_Step(&age, 1, 10, 100)); // as built: nothing is lost
    assert_false(grzBvhAge_Step(&age, 0.5, 10, 100));   // better than built: no credit either
    assert_true(age.lost == 0);
    for (int frame = 0; frame < 19; ++frame)
        assert_false(grzBvhAge_Step(&age, 3, 10, 100)); // half of every 10 is lost
    assert_true(grzBvhAge_Step(&age, 3, 10, 100));
}

// ---- the checks themselves ----

static void ignoreLog(void* context, grzLogLevel level, const char* text) {
    (void)level, (void)text;
    ++*(int*)context;
}

static void theCheckSeesAnyBoxThatIsWrong(void** state) {
    (void)state;
    int logged = 0;
    grzRng rng = grzRng_Make(testSeed(508), 0);
    TestMesh mesh = testMakeMesh(test_soup, &rng, 300);
    grzBvh* bvh = testMakeBvh(&mesh, grz_bvhMorton);
    const grzBvhView view = grzBvh_GetView(bvh);
    grzBvhNode* nodes = testTakeNodes(bvh);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = mesh.positions, refit.numbering = grz_bvhCallersNumbers;
    testOk(grzBvh_Refit(bvh, NULL, &refit, nodes));
    grzSetLogHook(ignoreLog, &logged);
    for (uint32_t i = 0; i < view.nodeCount * 48; ++i) {
        float* number = &nodes[i / 48].lower[0][0] + i % 48;
        const float kept = *number;
        *number = i % 48 < 24 ? nextafterf(kept, INFINITY) : nextafterf(kept, -INFINITY);
        assert_false(grzBvh_ValidateBoxes(bvh, &refit, nodes));
        *number = kept;
    }
    grzSetLogHook(NULL, NULL);
    assert_int_equal(logged, view.nodeCount * 48);
    assert_true(grzBvh_ValidateBoxes(bvh, &refit, nodes));
    free(nodes);
    grzBvh_Destroy(bvh);
    testDropMesh(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesAreThoseOfBruteForce),
        cmocka_unit_test(doublesAreRoundedOutwardByOneStep),
        cmocka_unit_test(refitsGiveTheSameBytesAtEveryLevelForAnyWorkers),
        cmocka_unit_test(aRefitOfDirtyChunksIsARefitOfEverything),
        cmocka_unit_test(chunksThatAreNotDirtyStayAsTheyAre),
        cmocka_unit_test(aRefusedRefitNamesTheVertexAndChangesNothing),
        cmocka_unit_test(everyPlaceOfEveryListIsLookedAt),
        cmocka_unit_test(badRefitsAreRefused),
        cmocka_unit_test(theFiguresAreThoseOfBruteForce),
        cmocka_unit_test(extremeBoxesHaveFiniteFigures),
        cmocka_unit_test(aPlaneFarAwayHasTheFiguresOfOneNearby),
        cmocka_unit_test(twistingRaisesTheOverlapAndARebuildLowersIt),
        cmocka_unit_test(aRebuildPaysWhenAsMuchIsLostAsItCosts),
        cmocka_unit_test(theCheckSeesAnyBoxThatIsWrong),
    };
    return cmocka_run_group_tests_name("bvh_refit", tests, NULL, NULL);
}
