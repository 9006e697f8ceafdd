// What: impacts of listed pairs of triangles (grzCcdStep_Decide) against those of grzCcdStep_Find on the same two frames: bytes, times and
// counts; a mesh against itself and two, floats and doubles, at every SIMD level, for any number of workers; refusals and memory.
#include <math.h>

#include "testing.h"

#include "ccd_pair_list.h"
#include "ccd_surface.h"
#include "simd_dispatch.h"

enum { DEPTH = 24 };

// Which pairs of triangles a list has.
typedef enum ListKind {
    listAll,   // all, also those that share a vertex
    listSwept, // boxes that hold both ends overlap
    listTimed, // boxes between those of both ends overlap at some time
    LIST_KINDS,
} ListKind;

// A surface in one of its types.
typedef struct Typed {
    const Surface* surface;
    bool isDouble;
} Typed;

static double numberOf(const void* context, int end, uint32_t vertex, int axis) {
    const Typed* typed = context;
    return Surface_Number(typed->surface, typed->isDouble, end, vertex, axis);
}

static PairBox boxOf(const Surface* surface, bool isDouble, uint32_t triangle) {
    return PairBox_Make(surface->triangles + 3 * (size_t)triangle, numberOf, &(Typed){surface, isDouble});
}

// In order, as it is walked.
static PairList listPairs(const Surface* a, const Surface* b, bool isDouble, ListKind kind) {
    PairList list = {0};
    for (uint32_t i = 0; i < a->triangleCount; ++i)
        for (uint32_t k = a == b ? i + 1 : 0; k < b->triangleCount; ++k) {
            const PairBox boxA = boxOf(a, isDouble, i), boxB = boxOf(b, isDouble, k);
            double times[2] = {0, 1};
            const bool isApart =
                a == b && kind != listAll && pairSharesCorner(a->triangles + 3 * i, a->triangles + 3 * k);
            if (!isApart && (kind == listAll || PairBox_OverlapSwept(&boxA, &boxB)) &&
                (kind != listTimed || PairBox_OverlapTimed(&boxA, &boxB, times)))
                PairList_Append(&list, i, k, times);
        }
    return list;
}

// ---- steps ----

static grzCcdStep* makeStep(const Surface* a, const Surface* b, bool isDouble, const grzAllocator* allocator) {
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzCcdStep* step;
    def.meshA = a->mesh;
    def.meshB = b != a ? b->mesh : NULL;
    def.type = isDouble ? grz_float64 : grz_float32;
    def.decidesPairs = true;
    if (allocator != NULL)
        def.allocator = *allocator;
    const grzResult result = grzCcdStep_Create(&def, &step);
    if (allocator == NULL)
        surfaceOk(result);
    return step;
}

static void expectEverywhere(const Surface* a, const Surface* b, bool isDouble) {
    grzCcdStep* step = makeStep(a, b, isDouble, NULL);
    grzCcdStepQuery query = surfaceQuery(a, b, isDouble);
    query.depth = DEPTH;
    query.bodyPair = 3;
    PairFound found = PairFound_Make(step, &query);
    for (int kind = 0; kind < LIST_KINDS; ++kind) {
        PairList list = listPairs(a, b, isDouble, (ListKind)kind);
        for (int level = grz_simdScalar; level < 32; ++level) {
            if ((grzSimd_SupportedBits() >> level & 1) == 0)
                continue;
            const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
            surfaceOk(PairList_Decide(&list, step, NULL, &query));
            grzSimd_Force(before);
            PairFound_Expect(&found, step, kind != listTimed);
        }
        free(list.pairs);
    }
    assert_true(found.count > 50);
    free(found.impacts);
    grzCcdStep_Destroy(step);
}

static void aMeshAgainstItself(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(201), 1);
    for (int i = 0; i < SURFACE_CLOUDS; ++i)
        for (int isDouble = 0; isDouble < 2; ++isDouble) {
            if (!SurfaceCloud_IsFor(&surfaceClouds[i], isDouble != 0))
                continue;
            Surface_Make(&surface, &rng, &surfaceClouds[i]);
            expectEverywhere(&surface, &surface, isDouble != 0);
            grzMesh_Destroy(surface.mesh);
        }
}

static void twoMeshes(void** state) {
    (void)state;
    static Surface a, b;
    grzRng rng = grzRng_Make(testSeed(202), 1);
    for (int i = 0; i < SURFACE_CLOUDS; ++i)
        for (int isDouble = 0; isDouble < 2; ++isDouble) {
            if (!SurfaceCloud_IsFor(&surfaceClouds[i], isDouble != 0))
                continue;
            Surface_Make(&a, &rng, &surfaceClouds[i]);
            Surface_Make(&b, &rng, &surfaceClouds[i]);
            expectEverywhere(&a, &b, isDouble != 0);
            grzMesh_Destroy(a.mesh);
            grzMesh_Destroy(b.mesh);
        }
}

// A fan about vertex 0 whose triangles all share it: no pair without a common vertex, and all that touches is an orphan.
static void whatSharesAVertexNeedsNoList(void** state) {
    (void)state;
    enum { RIM = 12 };
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(203), 1);
    size_t total = 0;
    for (int round = 0; round < 20; ++round) {
        memset(&surface, 0, sizeof surface);
        for (uint32_t i = 1; i < RIM; ++i)
            Surface_AddTriangle(&surface, 0, i, i + 1);
        surface.vertexCount = RIM + 1;
        for (int end = 0; end < 2; ++end)
            for (uint32_t i = 0; i < 3 * surface.vertexCount; ++i)
                surface.doubles[end][i] = (double)(surface.floats[end][i] = (float)grzRng_Double(&rng));
        Surface_MakeMesh(&surface);
        grzCcdStep* step = makeStep(&surface, &surface, false, NULL);
        grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
        query.depth = DEPTH;
        PairFound found = PairFound_Make(step, &query);
        total += found.count;
        surfaceOk(PairList_Decide(&(PairList){0}, step, NULL, &query));
        PairFound_Expect(&found, step, true);
        free(found.impacts);
        grzCcdStep_Destroy(step);
        grzMesh_Destroy(surface.mesh);
    }
    assert_true(total > 200);
}

static void whatIsNotListedIsNotFound(void** state) {
    (void)state;
    static Surface surface;
    Surface_MakeFall(&surface);
    grzCcdStep* step = makeStep(&surface, &surface, false, NULL);
    grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    query.depth = 10;
    // All three corners fall on half 0, and (1, 1) on half 1, too. Half 0 owns the common side, on which two edges fall.
    static const size_t counts[4] = {0, 3 + 2, 1, 6};
    for (uint32_t subset = 0; subset < 4; ++subset) {
        PairList list = {0};
        for (uint32_t half = 0; half < 2; ++half)
            if ((subset >> half & 1) != 0)
                PairList_Append(&list, half, 2, (double[]){0, 1});
        surfaceOk(PairList_Decide(&list, step, NULL, &query));
        const grzCcdStepView view = grzCcdStep_GetView(step);
        assert_int_equal(view.count, counts[subset]);
        for (size_t i = 0; i < view.count; ++i)
            assert_true(view.impacts[i].pair.t0 == 0.5F && view.impacts[i].pair.t1 == 0.5F);
        assert_false(view.stats.isOrdered);
        free(list.pairs);
    }
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

// A pair is looked at from its t0 to its t1 alone: the triangle falls through the square at 0.5.
static void timesOfPairsAreHeeded(void** state) {
    (void)state;
    static const struct {
        double times[2];
        size_t count;
    } cases[] = {{{0, 1}, 6}, {{0.5, 0.5}, 6}, {{0.4, 0.5}, 6}, {{0.5, 0.9}, 6}, {{0, 0.49}, 0}, {{0.51, 1}, 0}};
    static Surface surface;
    Surface_MakeFall(&surface);
    for (int isDouble = 0; isDouble < 2; ++isDouble) {
        grzCcdStep* step = makeStep(&surface, &surface, isDouble != 0, NULL);
        const grzCcdStepQuery query = surfaceQuery(&surface, &surface, isDouble != 0);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
            PairList list = {0};
            for (uint32_t half = 0; half < 2; ++half)
                PairList_Append(&list, half, 2, cases[i].times);
            surfaceOk(PairList_Decide(&list, step, NULL, &query));
            assert_int_equal(grzCcdStep_GetView(step).count, cases[i].count);
            free(list.pairs);
        }
        grzCcdStep_Destroy(step);
    }
    grzMesh_Destroy(surface.mesh);
}

// Two triangles, level at both ends, that pass each other far from the origin: z is one number each at each end.
static void makePassing(Surface* surface, grzRng* rng) {
    static const double corners[6][2] = {{0, 0}, {4, 0}, {0, 4}, {1, 1}, {2, 1}, {1, 2}};
    memset(surface, 0, sizeof *surface);
    Surface_AddTriangle(surface, 0, 1, 2);
    Surface_AddTriangle(surface, 3, 4, 5);
    surface->vertexCount = 6;
    for (int end = 0; end < 2; ++end) {
        const double z = 1e6 + 9 * grzRng_Double(rng), apart = (end == 0 ? 9 : -9) * grzRng_Double(rng);
        for (int i = 0; i < 18; ++i) {
            const double level = z + (i < 9 ? 0 : apart);
            surface->doubles[end][i] = i % 3 == 2 ? level : corners[i / 3][i % 3];
            surface->floats[end][i] = (float)surface->doubles[end][i];
        }
    }
    Surface_MakeMesh(surface);
}

// Triangles that pass each other share a plane for an instant, which the times of the pair hold closely: what is rounded must not lose it.
static void anInstantIsEnough(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(207), 1);
    for (int round = 0; round < 400; ++round) {
        const bool isDouble = round % 2 != 0;
        PairList list = {0};
        makePassing(&surface, &rng);
        double gaps[2], times[2];
        for (int end = 0; end < 2; ++end)
            gaps[end] =
                Surface_Number(&surface, isDouble, end, 3, 2) - Surface_Number(&surface, isDouble, end, 0, 2);
        const double instant = gaps[0] == gaps[1] ? 0 : gaps[0] / (gaps[0] - gaps[1]);
        times[0] = instant - 0x1p-50, times[1] = instant + 0x1p-50;
        PairList_Append(&list, 0, 1, times);
        grzCcdStep* step = makeStep(&surface, &surface, isDouble, NULL);
        const grzCcdStepQuery query = surfaceQuery(&surface, &surface, isDouble);
        PairFound found = PairFound_Make(step, &query);
        assert_true(found.count >= 3); // the inner triangle's corners
        surfaceOk(PairList_Decide(&list, step, NULL, &query));
        PairFound_Expect(&found, step, false);
        free(list.pairs);
        free(found.impacts);
        grzCcdStep_Destroy(step);
        grzMesh_Destroy(surface.mesh);
    }
}

static bool isEven(void* context, grzFeature a, grzFeature b) {
    (void)context;
    return (grzFeature_Index(a) + grzFeature_Index(b)) % 2 == 0;
}

static void impactsAreFilteredAndCounted(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(204), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[0]);
    grzCcdStep* step = makeStep(&surface, &surface, false, NULL);
    grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    query.filter = isEven;
    PairFound found = PairFound_Make(step, &query);
    PairList list = listPairs(&surface, &surface, false, listTimed);
    surfaceOk(PairList_Decide(&list, step, NULL, &query));
    PairFound_Expect(&found, step, false);
    query.isCount = true;
    surfaceOk(PairList_Decide(&list, step, NULL, &query));
    assert_int_equal(grzCcdStep_GetView(step).count, found.count);
    assert_null(grzCcdStep_GetView(step).impacts);
    free(list.pairs);
    free(found.impacts);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

static void workersDoNotMatter(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(205), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[1]);
    grzCcdStep* step = makeStep(&surface, &surface, false, NULL);
    const grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    PairFound found = PairFound_Make(step, &query);
    PairList list = listPairs(&surface, &surface, false, listAll);
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks;
        def.workerCount = workers[w];
        surfaceOk(grzTasks_Create(&def, &tasks));
        surfaceOk(PairList_Decide(&list, step, tasks, &query));
        PairFound_Expect(&found, step, true);
        grzTasks_Destroy(tasks);
    }
    free(list.pairs);
    free(found.impacts);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

// ---- refusals ----

static void expectRefused(grzCcdStep* step, const grzCcdStepQuery* query, const PairList* list, grzStatus status,
                          uint64_t value, uint64_t index) {
    const grzResult result = PairList_Decide(list, step, NULL, query);
    assert_int_equal(result.status, status);
    assert_int_equal(result.value, value);
    assert_int_equal(result.index, index);
    assert_int_equal(grzCcdStep_GetView(step).count, 0);
    assert_null(grzCcdStep_GetView(step).impacts);
}

static void badListsAreRefused(void** state) {
    (void)state;
    static Surface surface;
    Surface_MakeFall(&surface);
    grzCcdStep* step = makeStep(&surface, &surface, false, NULL);
    grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    grzTrianglePair pairs[3] = {{0, 0, 1, 0, 1}, {0, 0, 2, 0, 1}, {0, 1, 2, 0, 1}};
    const PairList list = {pairs, 3, 3};
    surfaceOk(PairList_Decide(&list, step, NULL, &query));
    pairs[1].t0 = 1.5F;
    expectRefused(step, &query, &list, grz_badArgument, 4, 1);
    pairs[1].t0 = 0.5F, pairs[1].t1 = 0.25F;
    expectRefused(step, &query, &list, grz_badArgument, 4, 1);
    pairs[1].t1 = NAN;
    expectRefused(step, &query, &list, grz_badArgument, 4, 1);
    pairs[1].t1 = 1;
    pairs[1].triangleB = 3;
    expectRefused(step, &query, &list, grz_indexTooLarge, 3, 1);
    pairs[1].triangleB = 1;
    expectRefused(step, &query, &list, grz_badArgument, 4, 1); // twice
    pairs[0].triangleB = 2;
    expectRefused(step, &query, &list, grz_badArgument, 4, 1); // not in order
    pairs[1] = (grzTrianglePair){0, 1, 1, 0, 1};
    expectRefused(step, &query, &list, grz_badArgument, 4, 1); // itself
    expectRefused(step, &query, &(PairList){NULL, 1, 0}, grz_badArgument, 4, 0);
    assert_int_equal(grzCcdStep_Decide(step, NULL, &query, NULL).value, 4);
    assert_int_equal(grzCcdStep_Decide(step, NULL, NULL, &(grzCcdStepPairs){pairs, 0}).status, grz_badDef);
    query.depth = 53;
    expectRefused(step, &query, &(PairList){0}, grz_badArgument, 3, 0);
    grzCcdStep_Destroy(step);
    grzCcdStepDef def = grzDefaultCcdStepDef();
    def.meshA = surface.mesh;
    surfaceOk(grzCcdStep_Create(&def, &step));
    query.depth = 0;
    expectRefused(step, &query, &(PairList){0}, grz_badArgument, 1, 0);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(206), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[0]);
    grzCcdStep* step = makeStep(&surface, &surface, true, NULL);
    const grzCcdStepQuery query = surfaceQuery(&surface, &surface, true);
    PairFound found = PairFound_Make(step, &query);
    grzCcdStep_Destroy(step);
    PairList list = listPairs(&surface, &surface, true, listTimed);
    bool isDone = false;
    for (size_t k = 0; !isDone; ++k) {
        TestMemory memory = {.failAt = k};
        const grzAllocator allocator = testAllocator(&memory);
        step = makeStep(&surface, &surface, true, &allocator);
        if (step != NULL) {
            const grzResult result = PairList_Decide(&list, step, NULL, &query);
            isDone = grzResult_IsOk(result);
            if (!isDone) {
                assert_int_equal(result.status, grz_outOfMemory);
                assert_int_equal(grzCcdStep_GetView(step).count, 0);
                memory.failAt = SIZE_MAX;
                surfaceOk(PairList_Decide(&list, step, NULL, &query));
            }
            PairFound_Expect(&found, step, false);
            const size_t requests = memory.requests; // what was needed once is kept
            surfaceOk(PairList_Decide(&list, step, NULL, &query));
            assert_int_equal(memory.requests, requests);
        }
        grzCcdStep_Destroy(step);
        assert_int_equal(memory.liveCount, 0);
    }
    free(list.pairs);
    free(found.impacts);
    grzMesh_Destroy(surface.mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aMeshAgainstItself),           cmocka_unit_test(twoMeshes),
        cmocka_unit_test(whatSharesAVertexNeedsNoList), cmocka_unit_test(whatIsNotListedIsNotFound),
        cmocka_unit_test(timesOfPairsAreHeeded),        cmocka_unit_test(anInstantIsEnough),
        cmocka_unit_test(impactsAreFilteredAndCounted), cmocka_unit_test(workersDoNotMatter),
        cmocka_unit_test(badListsAreRefused),           cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
