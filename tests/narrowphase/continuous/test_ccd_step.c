// What: all impacts of a step against all pairs of features asked one by one: counts, bytes, times; of a mesh and of two, floats and
// doubles, at every SIMD level, for any number of workers; refusals and memory. A real step where GRAZE_DATA names the data.
#include <float.h>
#include <math.h>

#include "ccd_surface.h"
#include "file_testing.h"
#include "mesh_read.h"
#include "record_sort.h"
#include "simd_dispatch.h"

enum { MOST_IMPACTS = 60000 };

typedef struct Truth {
    grzImpact impacts[MOST_IMPACTS];
    size_t count;
    uint64_t candidates[2];
} Truth;

static Truth g_truth;

// ---- all pairs ----

// Vertices of a feature, and those of another.
typedef struct Pairing {
    const Surface* sides[2];
    bool isDouble;
    grzCcdKind kind;
    uint32_t counts[2], vertices[2][3];
    grzFeature features[2];
} Pairing;

static bool boxesOverlap(const Pairing* pairing) {
    for (int axis = 0; axis < 3; ++axis) {
        double lower[2] = {(double)INFINITY, (double)INFINITY}, upper[2] = {-(double)INFINITY, -(double)INFINITY};
        for (int side = 0; side < 2; ++side)
            for (uint32_t k = 0; k < 2 * pairing->counts[side]; ++k) {
                const double x = Surface_Number(pairing->sides[side], pairing->isDouble, (int)(k % 2),
                                                pairing->vertices[side][k / 2], axis);
                lower[side] = fmin(lower[side], x);
                upper[side] = fmax(upper[side], x);
            }
        if (lower[0] > upper[1] || lower[1] > upper[0])
            return false;
    }
    return true;
}

static bool shareVertex(const Pairing* pairing) {
    for (uint32_t i = 0; i < pairing->counts[0]; ++i)
        for (uint32_t k = 0; k < pairing->counts[1]; ++k)
            if (pairing->sides[0] == pairing->sides[1] && pairing->vertices[0][i] == pairing->vertices[1][k])
                return true;
    return false;
}

static grzCcdQuery queryOf(const Pairing* pairing) {
    grzCcdQuery query = {.kind = pairing->kind};
    for (uint32_t point = 0; point < 4; ++point) {
        const uint32_t side = point >= pairing->counts[0];
        const uint32_t vertex = pairing->vertices[side][side == 0 ? point : point - pairing->counts[0]];
        for (int i = 0; i < 6; ++i)
            query.points[i / 3][point][i % 3] =
                Surface_Number(pairing->sides[side], pairing->isDouble, i / 3, vertex, i % 3);
    }
    return query;
}

static void askPair(const Pairing* pairing, bool isTurned) {
    if (shareVertex(pairing) || !boxesOverlap(pairing))
        return;
    const grzCcdQuery query = queryOf(pairing);
    grzCertainty certainty;
    bool touches;
    g_truth.candidates[pairing->kind]++;
    surfaceOk(grzCcd_Touches(&query, &touches, &certainty));
    if (!touches)
        return;
    assert_true(g_truth.count < MOST_IMPACTS);
    grzImpact* impact = &g_truth.impacts[g_truth.count++];
    memset(impact, 0, sizeof *impact);
    impact->pair.featureA = pairing->features[isTurned];
    impact->pair.featureB = pairing->features[!isTurned];
    impact->pair.t1 = 1;
    impact->certainty = certainty;
    impact->measure = certainty == grz_exact ? 0 : INFINITY;
}

static void askVertices(const Surface* vertices, const Surface* faces, bool isDouble, bool isTurned) {
    for (uint32_t v = 0; v < vertices->vertexCount; ++v)
        for (uint32_t f = 0; f < faces->triangleCount && vertices->view.vertexOwners[v] != GRZ_MESH_NONE; ++f) {
            const uint32_t* of = faces->triangles + 3 * (size_t)f;
            const Pairing pairing = {{vertices, faces},
                                     isDouble,
                                     grz_ccdVertexFace,
                                     {1, 3},
                                     {{v}, {of[0], of[1], of[2]}},
                                     {grzMakeFeature(grz_vertexFeature, v), grzMakeFeature(grz_faceFeature, f)}};
            askPair(&pairing, isTurned);
        }
}

static void askEdges(const Surface* a, const Surface* b, bool isDouble) {
    for (uint32_t i = 0; i < a->view.edgeCount; ++i)
        for (uint32_t k = a == b ? i + 1 : 0; k < b->view.edgeCount; ++k) {
            const grzMeshEdge e = a->view.edges[i], f = b->view.edges[k];
            const Pairing pairing = {{a, b},
                                     isDouble,
                                     grz_ccdEdgeEdge,
                                     {2, 2},
                                     {{e.a, e.b}, {f.a, f.b}},
                                     {grzMakeFeature(grz_edgeFeature, i), grzMakeFeature(grz_edgeFeature, k)}};
            askPair(&pairing, false);
        }
}

// b is a: against itself. In the order of the keys, but what is turned.
static void findTruth(const Surface* a, const Surface* b, bool isDouble) {
    memset(&g_truth, 0, sizeof g_truth);
    askVertices(a, b, isDouble, false);
    askEdges(a, b, isDouble);
    const size_t turned = g_truth.count;
    if (a != b)
        askVertices(b, a, isDouble, true);
    static unsigned char scratch[MOST_IMPACTS * 64];
    assert_true(grzRecordScratchSize(&grzImpactType, g_truth.count) <= sizeof scratch);
    assert_true(grzAreRecordsSorted(&grzImpactType, g_truth.impacts, turned));
    if (g_truth.count != turned)
        grzSortRecords(&grzImpactType, g_truth.impacts, g_truth.count, scratch);
}

// ---- steps ----

static grzCcdStep* makeStep(const Surface* a, const Surface* b, bool isDouble) {
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzCcdStep* step;
    def.meshA = a->mesh;
    def.meshB = b != a ? b->mesh : NULL;
    def.type = isDouble ? grz_float64 : grz_float32;
    surfaceOk(grzCcdStep_Create(&def, &step));
    return step;
}

static void expectTruth(const grzCcdStep* step) {
    const grzCcdStepView view = grzCcdStep_GetView(step);
    for (int kind = 0; kind < 2; ++kind) {
        uint64_t decided = 0;
        for (int stage = 0; stage < grz_ccdStageCount; ++stage)
            decided += view.stats.decided[kind][stage];
        assert_int_equal(view.stats.candidates[kind], g_truth.candidates[kind]);
        assert_int_equal(decided, view.stats.candidates[kind]);
    }
    assert_int_equal(view.count, g_truth.count);
    assert_int_equal(view.stats.impacts[0] + view.stats.impacts[1], g_truth.count);
    if (g_truth.count != 0)
        assert_memory_equal(view.impacts, g_truth.impacts, g_truth.count * sizeof *view.impacts);
}

static void expectEverywhere(const Surface* a, const Surface* b, bool isDouble) {
    grzCcdStep* step = makeStep(a, b, isDouble);
    const grzCcdStepQuery query = surfaceQuery(a, b, isDouble);
    findTruth(a, b, isDouble);
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    expectTruth(step);
    const grzCcdStepStats first = grzCcdStep_GetView(step).stats;
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        surfaceOk(grzCcdStep_Find(step, NULL, &query));
        grzSimd_Force(before);
        expectTruth(step);
        const grzCcdStepStats stats = grzCcdStep_GetView(step).stats;
        assert_memory_equal(stats.decided, first.decided, sizeof first.decided);
        assert_int_equal(stats.tilePairs, first.tilePairs);
    }
    grzCcdStep_Destroy(step);
}

static void aMeshAgainstItself(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(101), 1);
    for (int i = 0; i < SURFACE_CLOUDS; ++i)
        for (int isDouble = 0; isDouble < 2; ++isDouble) {
            static Surface surface;
            if (!SurfaceCloud_IsFor(&surfaceClouds[i], isDouble != 0))
                continue;
            Surface_Make(&surface, &rng, &surfaceClouds[i]);
            expectEverywhere(&surface, &surface, isDouble != 0);
            assert_true(g_truth.count > 50);
            grzMesh_Destroy(surface.mesh);
        }
}

static void twoMeshes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(102), 1);
    for (int i = 0; i < 3; ++i) {
        static Surface a, b;
        Surface_Make(&a, &rng, &surfaceClouds[i]);
        Surface_Make(&b, &rng, &surfaceClouds[i]);
        expectEverywhere(&a, &b, i == 2);
        assert_true(g_truth.count > 100);
        grzMesh_Destroy(a.mesh);
        grzMesh_Destroy(b.mesh);
    }
}

static void workersDoNotMatter(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(103), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[1]);
    findTruth(&surface, &surface, false);
    grzCcdStep* step = makeStep(&surface, &surface, false);
    const grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks;
        def.workerCount = workers[w];
        surfaceOk(grzTasks_Create(&def, &tasks));
        surfaceOk(grzCcdStep_Find(step, tasks, &query));
        expectTruth(step);
        grzTasks_Destroy(tasks);
    }
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

// ---- plain examples ----

static void aTriangleFallsOntoASquare(void** state) {
    (void)state;
    static Surface surface;
    Surface_MakeFall(&surface);
    grzCcdStep* step = makeStep(&surface, &surface, false);
    grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    query.depth = 10;
    query.bodyPair = 5;
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    const grzCcdStepView view = grzCcdStep_GetView(step);
    // Its three corners onto the square, (1, 1) onto both halves and their common side.
    assert_int_equal(view.stats.impacts[grz_ccdVertexFace], 4);
    assert_int_equal(view.stats.impacts[grz_ccdEdgeEdge], 2);
    assert_int_equal(view.count, 6);
    assert_true(view.stats.isOrdered);
    assert_int_equal(view.impacts[0].pair.featureA, grzMakeFeature(grz_vertexFeature, 4));
    assert_int_equal(view.impacts[0].pair.featureB, grzMakeFeature(grz_faceFeature, 0));
    for (size_t i = 0; i < view.count; ++i) {
        assert_true(view.impacts[i].pair.t0 == 0.5F && view.impacts[i].pair.t1 == 0.5F);
        assert_int_equal(view.impacts[i].pair.bodyPair, 5);
        assert_int_equal(view.impacts[i].certainty, grz_exact);
    }
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

static void timesAreThoseOfSingleQueries(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(104), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[1]);
    grzCcdStep* step = makeStep(&surface, &surface, true);
    grzCcdStepQuery query = surfaceQuery(&surface, &surface, true);
    query.depth = 40;
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    const grzCcdStepView view = grzCcdStep_GetView(step);
    assert_true(view.count > 100);
    for (size_t i = 0; i < view.count; ++i) {
        const grzFeaturePair* pair = &view.impacts[i].pair;
        const uint32_t a = grzFeature_Index(pair->featureA), b = grzFeature_Index(pair->featureB);
        const bool isEdges = grzFeature_Kind(pair->featureA) == grz_edgeFeature;
        Pairing pairing = {{&surface, &surface},
                           true,
                           isEdges ? grz_ccdEdgeEdge : grz_ccdVertexFace,
                           {isEdges ? 2 : 1, isEdges ? 2 : 3},
                           {{a}, {0}},
                           {0, 0}};
        if (isEdges) {
            const grzMeshEdge e = surface.view.edges[a], f = surface.view.edges[b];
            memcpy(pairing.vertices[0], (uint32_t[]){e.a, e.b}, 8);
            memcpy(pairing.vertices[1], (uint32_t[]){f.a, f.b}, 8);
        } else {
            memcpy(pairing.vertices[1], surface.triangles + 3 * (size_t)b, 12);
        }
        const grzCcdQuery single = queryOf(&pairing);
        grzCcdImpact impact;
        surfaceOk(grzCcd_FindImpact(&single, 40, &impact));
        assert_true(impact.touches);
        assert_true(pair->t0 == grzRoundDown(impact.t0) && pair->t1 == grzRoundUp(impact.t1));
    }
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

static bool isEven(void* context, grzFeature a, grzFeature b) {
    (void)context;
    return (grzFeature_Index(a) + grzFeature_Index(b)) % 2 == 0;
}

static void impactsAreFilteredAndCounted(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(105), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[0]);
    findTruth(&surface, &surface, false);
    size_t kept = 0;
    for (size_t i = 0; i < g_truth.count; ++i)
        if (isEven(NULL, g_truth.impacts[i].pair.featureA, g_truth.impacts[i].pair.featureB))
            g_truth.impacts[kept++] = g_truth.impacts[i];
    assert_true(kept > 0 && kept < g_truth.count);
    grzCcdStep* step = makeStep(&surface, &surface, false);
    grzCcdStepQuery query = surfaceQuery(&surface, &surface, false);
    query.filter = isEven;
    for (int isCount = 0; isCount < 2; ++isCount) {
        query.isCount = isCount != 0;
        surfaceOk(grzCcdStep_Find(step, NULL, &query));
        const grzCcdStepView view = grzCcdStep_GetView(step);
        assert_int_equal(view.count, kept);
        assert_int_equal(view.stats.impacts[0] + view.stats.impacts[1], g_truth.count);
        if (isCount)
            assert_null(view.impacts);
        else
            assert_memory_equal(view.impacts, g_truth.impacts, kept * sizeof *view.impacts);
    }
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(surface.mesh);
}

// ---- from step to step ----

// A row of loose triangles that change places, so that their order is of no use any more.
static void whatIsWornIsOrderedAnew(void** state) {
    (void)state;
    enum { LONG = 1201 };
    static uint32_t triangles[3 * LONG];
    static float starts[2][9 * LONG];
    grzMeshDef meshDef = grzDefaultMeshDef();
    for (uint32_t i = 0; i < 3 * LONG; ++i) {
        triangles[i] = i;
        for (int end = 0; end < 2; ++end) {
            const uint32_t place = end == 0 ? i / 3 : i / 3 * 577 % LONG;
            starts[end][3 * i] = (float)place + 0.5F * (float)(i % 3);
            starts[end][3 * i + 1] = (float)(i % 3 == 1);
            starts[end][3 * i + 2] = (float)(i % 3 == 2);
        }
    }
    meshDef.positions = starts[0];
    meshDef.vertexCount = 3 * LONG;
    meshDef.indices = triangles;
    meshDef.triangleCount = LONG;
    grzMesh* mesh;
    surfaceOk(grzMesh_Create(&meshDef, &mesh));
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    grzCcdStep* step;
    TestMemory memory = {.failAt = SIZE_MAX};
    def.meshA = mesh;
    def.allocator = testAllocator(&memory);
    surfaceOk(grzCcdStep_Create(&def, &step));
    query.a = (grzCcdStepMotion){starts[0], starts[0], 0};
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    assert_false(grzCcdStep_GetView(step).stats.isOrdered);
    query.a = (grzCcdStepMotion){starts[1], starts[1], 0};
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    const grzCcdStepStats before = grzCcdStep_GetView(step).stats;
    assert_false(before.isOrdered);
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    const grzCcdStepStats after = grzCcdStep_GetView(step).stats;
    assert_int_equal(after.candidates[1], before.candidates[1]);
    assert_int_equal(after.impacts[1], before.impacts[1]);
    assert_true(after.isOrdered);
    assert_true(2 * after.tilePairs < before.tilePairs);
    // What was needed once is kept.
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    const size_t requests = memory.requests;
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    assert_int_equal(memory.requests, requests);
    grzCcdStep_Destroy(step);
    assert_int_equal(memory.liveCount, 0);
    grzMesh_Destroy(mesh);
}

static grzMesh* emptyMesh(void) {
    grzMeshDef def = grzDefaultMeshDef();
    grzMesh* mesh;
    surfaceOk(grzMesh_Create(&def, &mesh));
    return mesh;
}

static void nothingHasNoImpacts(void** state) {
    (void)state;
    static Surface surface, none;
    Surface_MakeFall(&surface);
    memset(&none, 0, sizeof none);
    none.mesh = emptyMesh();
    const Surface* sides[2] = {&surface, &none};
    for (int i = 0; i < 4; ++i) {
        const Surface *a = sides[i % 2], *b = sides[i / 2];
        if (a == &surface && b == &surface)
            continue;
        grzCcdStep* step = makeStep(a, b, false);
        const grzCcdStepQuery query = surfaceQuery(a, b, false);
        surfaceOk(grzCcdStep_Find(step, NULL, &query));
        const grzCcdStepView view = grzCcdStep_GetView(step);
        assert_int_equal(view.count, 0);
        assert_null(view.impacts);
        assert_int_equal(view.stats.candidates[0] + view.stats.candidates[1], 0);
        grzCcdStep_Destroy(step);
    }
    grzMesh_Destroy(none.mesh);
    grzMesh_Destroy(surface.mesh);
}

// ---- refusals ----

static void expectEmpty(const grzCcdStep* step) {
    const grzCcdStepView view = grzCcdStep_GetView(step);
    assert_int_equal(view.count, 0);
    assert_null(view.impacts);
    assert_int_equal(view.stats.candidates[0], 0);
}

static void badStepsAreRefused(void** state) {
    (void)state;
    static Surface a, b;
    Surface_MakeFall(&a);
    Surface_MakeFall(&b);
    grzCcdStep* step = makeStep(&a, &b, false);
    grzCcdStepQuery query = surfaceQuery(&a, &b, false);
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    a.floats[1][3 * 2 + 1] = NAN;
    grzResult result = grzCcdStep_Find(step, NULL, &query);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.part, grz_partVertex);
    assert_int_equal(result.index, 2);
    assert_int_equal(result.value, 0);
    expectEmpty(step);
    a.floats[1][3 * 2 + 1] = 0;
    b.floats[0][3 * 6] = INFINITY;
    result = grzCcdStep_Find(step, NULL, &query);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.index, 6);
    assert_int_equal(result.value, 1);
    query.depth = 53;
    assert_int_equal(grzCcdStep_Find(step, NULL, &query).value, 3);
    query.depth = 0;
    query.b.end = NULL;
    assert_int_equal(grzCcdStep_Find(step, NULL, &query).status, grz_badArgument);
    query.b.end = b.floats[1];
    query.a.stride = 10;
    assert_int_equal(grzCcdStep_Find(step, NULL, &query).status, grz_badArgument);
    query.mark = 0;
    assert_int_equal(grzCcdStep_Find(step, NULL, &query).status, grz_badDef);
    assert_int_equal(grzCcdStep_Find(step, NULL, NULL).status, grz_badDef);
    expectEmpty(step);
    grzCcdStep_Destroy(step);
    grzCcdStepDef def = grzDefaultCcdStepDef();
    assert_int_equal(grzCcdStep_Create(&def, &step).value, 1);
    assert_null(step);
    def.meshA = a.mesh;
    def.type = (grzNumberType)0;
    assert_int_equal(grzCcdStep_Create(&def, &step).value, 1);
    def.mark = 0;
    assert_int_equal(grzCcdStep_Create(&def, &step).status, grz_badDef);
    assert_int_equal(grzCcdStep_Create(NULL, &step).status, grz_badDef);
    grzCcdStep_Destroy(NULL);
    grzMesh_Destroy(a.mesh);
    grzMesh_Destroy(b.mesh);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    static Surface surface;
    grzRng rng = grzRng_Make(testSeed(106), 1);
    Surface_Make(&surface, &rng, &surfaceClouds[0]);
    findTruth(&surface, &surface, true);
    const grzCcdStepQuery query = surfaceQuery(&surface, &surface, true);
    for (size_t k = 0;; ++k) {
        TestMemory memory = {.failAt = k};
        grzCcdStepDef def = grzDefaultCcdStepDef();
        grzCcdStep* step;
        def.meshA = surface.mesh;
        def.type = grz_float64;
        def.allocator = testAllocator(&memory);
        grzResult result = grzCcdStep_Create(&def, &step);
        if (grzResult_IsOk(result)) {
            result = grzCcdStep_Find(step, NULL, &query);
            if (!grzResult_IsOk(result)) {
                expectEmpty(step);
                memory.failAt = SIZE_MAX; // and it goes on as if nothing had been
                surfaceOk(grzCcdStep_Find(step, NULL, &query));
                expectTruth(step);
            }
        }
        grzCcdStep_Destroy(step);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result))
            break;
        assert_int_equal(result.status, grz_outOfMemory);
    }
    grzMesh_Destroy(surface.mesh);
}

// ---- a real step ----

static MeshData g_frame;

static void readFirst(const char* path) {
    FileError error;
    const grzAllocator usual = {0};
    if (!readMesh(path, usual, &g_frame, &error))
        fail_msg("%s", error.text);
}

// Counts of overlapping boxes as the data tells them, and of the pairs that touch, as its exact answers do.
static void checkFunnel(const char* path) {
    MeshData first = g_frame, last;
    readFirst(path);
    last = g_frame;
    grzMeshDef meshDef = MeshData_Def(&first);
    grzMesh* mesh;
    surfaceOk(grzMesh_Create(&meshDef, &mesh));
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    grzCcdStep* step;
    def.meshA = mesh;
    def.type = grz_float64;
    query.a = (grzCcdStepMotion){first.positions, last.positions, 0};
    surfaceOk(grzCcdStep_Create(&def, &step));
    surfaceOk(grzCcdStep_Find(step, NULL, &query));
    const grzCcdStepStats stats = grzCcdStep_GetView(step).stats;
    assert_int_equal(stats.candidates[0], 7319);
    assert_int_equal(stats.candidates[1], 33770);
    assert_int_equal(stats.impacts[0], 27);
    assert_int_equal(stats.impacts[1], 107);
    assert_int_equal(stats.doubtful[0] + stats.doubtful[1], 0);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(mesh);
    MeshData_Release(&first);
    MeshData_Release(&last);
}

static void aRealStepHasTheImpactsThatAreKnown(void** state) {
    (void)state;
    testEachDataFile("ccd_frames/cloth-funnel/frame0.ply", readFirst);
    testEachDataFile("ccd_frames/cloth-funnel/frame1.ply", checkFunnel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aMeshAgainstItself),
        cmocka_unit_test(twoMeshes),
        cmocka_unit_test(workersDoNotMatter),
        cmocka_unit_test(aTriangleFallsOntoASquare),
        cmocka_unit_test(timesAreThoseOfSingleQueries),
        cmocka_unit_test(impactsAreFilteredAndCounted),
        cmocka_unit_test(whatIsWornIsOrderedAnew),
        cmocka_unit_test(nothingHasNoImpacts),
        cmocka_unit_test(badStepsAreRefused),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(aRealStepHasTheImpactsThatAreKnown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
