// mesh.h: what goes in (types, strides, alignments), what is refused and by what name, memory, sizes 0, 1 and 2,
// numbers at the ends of their range, slivers. The topology has its own program, test_mesh_topology.c.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "graze/graze.h"
#include "hash.h"
#include "refusal_testing.h"
#include "rng.h"

// A strip of squares, each cut in two, of 2 * columns triangles.
typedef struct Strip {
    size_t vertexCount, triangleCount;
    double positions[64][3];
    uint32_t triangles[64][3];
} Strip;

static Strip makeStrip(uint32_t columns) {
    Strip strip = {.vertexCount = 2 * (columns + 1), .triangleCount = 2 * columns};
    for (uint32_t v = 0; v < strip.vertexCount; ++v) {
        strip.positions[v][0] = v / 2;
        strip.positions[v][1] = v % 2;
        strip.positions[v][2] = 0.25 * (v % 5);
    }
    for (uint32_t c = 0; c < columns; ++c) {
        const uint32_t corners[2][3] = {{2 * c, 2 * c + 2, 2 * c + 1}, {2 * c + 1, 2 * c + 2, 2 * c + 3}};
        memcpy(strip.triangles[2 * c], corners, sizeof corners);
    }
    return strip;
}

static grzMeshDef stripDef(const Strip* strip) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = strip->positions;
    def.positionType = grz_float64;
    def.vertexCount = strip->vertexCount;
    def.indices = strip->triangles;
    def.triangleCount = strip->triangleCount;
    return def;
}

static grzMesh* create(const grzMeshDef* def) {
    grzMesh* mesh;
    assert_int_equal(grzMesh_Create(def, &mesh).status, grz_ok);
    assert_true(grzMesh_Validate(mesh));
    return mesh;
}

static void expectRefused(const grzMeshDef* def, grzStatus status, grzPart part, uint64_t index, uint64_t value) {
    TestMemory memory = {.failAt = SIZE_MAX};
    grzMeshDef watched = *def;
    watched.allocator = testAllocator(&memory);
    char unset;
    grzMesh* mesh = (grzMesh*)(void*)&unset;
    const grzResult result = grzMesh_Create(&watched, &mesh);
    assert_int_equal(result.status, status);
    assert_int_equal(result.part, part);
    assert_int_equal(result.index, index);
    assert_int_equal(result.value, value);
    assert_null(mesh);
    assert_int_equal(memory.liveCount, 0);
}

// Writes the strip's arrays with the given types, `gap` bytes between elements and `lead` bytes before the first.
static void layOut(const Strip* strip, grzMeshDef* def, size_t gap, size_t lead, unsigned char* positions,
                   unsigned char* indices) {
    const size_t size = def->positionType == grz_float64 ? 24 : 12, width = def->indexType == grz_index16 ? 6 : 12;
    for (size_t v = 0; v < strip->vertexCount; ++v) {
        float narrow[3];
        for (int axis = 0; axis < 3; ++axis)
            narrow[axis] = (float)strip->positions[v][axis];
        const void* from = size == 24 ? (const void*)strip->positions[v] : (const void*)narrow;
        memcpy(positions + lead + v * (size + gap), from, size);
    }
    for (size_t t = 0; t < strip->triangleCount; ++t) {
        uint16_t narrow[3];
        for (int k = 0; k < 3; ++k)
            narrow[k] = (uint16_t)strip->triangles[t][k];
        const void* from = width == 12 ? (const void*)strip->triangles[t] : (const void*)narrow;
        memcpy(indices + lead + t * (width + gap), from, width);
    }
    def->positions = positions + lead;
    def->indices = indices + lead;
    def->positionStride = gap != 0 ? size + gap : 0;
    def->triangleStride = gap != 0 ? width + gap : 0;
}

static void expectSameTopology(const grzMesh* meshA, const grzMesh* meshB) {
    const grzMeshView a = grzMesh_GetView(meshA), b = grzMesh_GetView(meshB);
    const size_t sides = (size_t)a.triangleCount * 3 * sizeof(uint32_t);
    assert_int_equal(a.vertexCount, b.vertexCount);
    assert_int_equal(a.triangleCount, b.triangleCount);
    assert_int_equal(a.edgeCount, b.edgeCount);
    assert_memory_equal(a.triangles, b.triangles, sides);
    assert_memory_equal(a.edges, b.edges, a.edgeCount * sizeof *a.edges);
    assert_memory_equal(a.triangleEdges, b.triangleEdges, sides);
    assert_memory_equal(a.triangleNeighbours, b.triangleNeighbours, sides);
    assert_memory_equal(&a.bounds, &b.bounds, sizeof a.bounds);
    for (uint32_t v = 0; v < a.vertexCount; ++v) {
        const grzVec3d p = grzMesh_GetPosition(meshA, v), q = grzMesh_GetPosition(meshB, v);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

static void anyTypeStrideAndAlignmentIsTheSameMesh(void** state) {
    (void)state;
    const Strip strip = makeStrip(9);
    const grzMeshDef plain = stripDef(&strip);
    grzMesh* expected = create(&plain);
    for (size_t code = 0; code < 2 * 2 * 4 * 3; ++code) {
        grzMeshDef def = plain;
        def.positionType = code % 2 == 0 ? grz_float32 : grz_float64;
        def.indexType = code / 2 % 2 == 0 ? grz_index16 : grz_index32;
        static const size_t gaps[] = {0, 1, 4, 13};
        unsigned char *positions = malloc(4096), *indices = malloc(4096);
        layOut(&strip, &def, gaps[code / 4 % 4], code / 16, positions, indices);
        grzMesh* mesh = create(&def);
        memset(positions, 0xff, 4096); // the caller's arrays may go
        memset(indices, 0xff, 4096);
        free(positions), free(indices);
        expectSameTopology(mesh, expected);
        const grzMeshView view = grzMesh_GetView(mesh);
        assert_int_equal(view.positionType, def.positionType);
        assert_int_equal(view.positions32 != NULL, def.positionType == grz_float32);
        assert_int_equal(view.positions64 != NULL, def.positionType == grz_float64);
        grzMesh_Destroy(mesh);
    }
    grzMesh_Destroy(expected);
}

static void notANumberIsRefusedWhereverItIs(void** state) {
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, (double)-INFINITY};
    for (size_t kind = 0; kind < 3; ++kind) {
        for (size_t at = 0; at < 4 * 2 * 3; ++at) {
            Strip strip = makeStrip(3);
            strip.positions[at / 3][at % 3] = bad[kind];
            strip.positions[7][2] = bad[kind]; // the first offender counts
            grzMeshDef def = stripDef(&strip);
            expectRefused(&def, grz_notFinite, grz_partVertex, at / 3, 0);
            unsigned char positions[1024], indices[1024];
            def.positionType = grz_float32;
            layOut(&strip, &def, 1, 1, positions, indices);
            expectRefused(&def, grz_notFinite, grz_partVertex, at / 3, 0);
        }
    }
}

static void wildIndicesAreRefusedWhereverTheyAre(void** state) {
    (void)state;
    const uint32_t bad[] = {8, 9, 65535, 65536, UINT32_MAX};
    for (size_t kind = 0; kind < 5; ++kind) {
        for (size_t at = 0; at < 6 * 3; ++at) {
            Strip strip = makeStrip(3);
            strip.triangles[at / 3][at % 3] = bad[kind];
            grzMeshDef def = stripDef(&strip);
            expectRefused(&def, grz_indexTooLarge, grz_partTriangle, at / 3, bad[kind]);
            if (bad[kind] > UINT16_MAX)
                continue;
            unsigned char positions[1024], indices[1024];
            def.indexType = grz_index16;
            layOut(&strip, &def, 3, 1, positions, indices);
            expectRefused(&def, grz_indexTooLarge, grz_partTriangle, at / 3, bad[kind]);
        }
    }
    Strip strip = makeStrip(1);
    grzMeshDef def = stripDef(&strip);
    def.vertexCount = 0;
    expectRefused(&def, grz_indexTooLarge, grz_partTriangle, 0, 0);
}

static void wrongDefsAreRefused(void** state) {
    (void)state;
    const Strip strip = makeStrip(3);
    const grzMeshDef good = stripDef(&strip);
    grzMeshDef def;
    memset(&def, 0, sizeof def);
    expectRefused(&def, grz_badDef, grz_noPart, 0, 0);
    def = good, def.positions = NULL;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.indices = NULL;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.positionStride = 23;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.triangleStride = 11;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.positionStride = SIZE_MAX / 2;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.positionType = (grzNumberType)0;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.indexType = (grzIndexType)3;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.order = (grzMeshOrder)4;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    def = good, def.vertexCount = (size_t)GRZ_MESH_MAX_VERTICES + 1;
    expectRefused(&def, grz_tooLarge, grz_noPart, 0, def.vertexCount);
    def = good, def.triangleCount = (size_t)GRZ_MESH_MAX_TRIANGLES + 1;
    expectRefused(&def, grz_tooLarge, grz_noPart, 0, def.triangleCount);
    grzMesh* mesh = (grzMesh*)(uintptr_t)64;
    assert_int_equal(grzMesh_Create(NULL, &mesh).status, grz_badDef);
    assert_null(mesh);
}

static void expectSentence(const grzMeshDef* def, const char* sentence) {
    char text[128];
    grzMesh* mesh;
    assert_string_equal(grzResult_Text(grzMesh_Create(def, &mesh), text, sizeof text), sentence);
}

static void refusalsNameTheField(void** state) {
    (void)state;
    const Strip strip = makeStrip(3);
    const grzMeshDef good = stripDef(&strip);
    static const uint32_t twice[6] = {0, 1, 2, 3, 1, 5}, wild[6] = {0, 6, 2, 3, 4, 5};
    grzMeshDef def = good;
    def.positionStride = 23;
    expectSentence(&def, "positionStride is below the size of three numbers");
    def = good, def.indices = NULL;
    expectSentence(&def, "indices is NULL, but triangleCount is not 0");
    def = good, def.triangleStride = SIZE_MAX / 2;
    expectSentence(&def, "triangleStride leads past the end of memory");
    def = good, def.order = (grzMeshOrder)-1;
    expectSentence(&def, "order is no grzMeshOrder");
    def = good, def.vertexCount = (size_t)1 << 30;
    expectSentence(&def, "a mesh has at most 1073741823 vertices");
    def = good, def.triangleCount = 357913942;
    expectSentence(&def, "a mesh has at most 357913941 triangles");
    def = good, def.allocator.release = grzDefaultAllocator().release;
    expectSentence(&def, "the allocator has one of allocate and release, not both");
    def = good, def.order = grz_orderByTriangles, def.triangleOrder = twice;
    expectSentence(&def, "element 4: triangleOrder names a triangle for the second time");
    def.triangleOrder = wild;
    expectSentence(&def, "element 1: triangleOrder names a triangle that is not there");
}

static void triangleOrderMustBeAPermutation(void** state) {
    (void)state;
    const Strip strip = makeStrip(2);
    grzMeshDef def = stripDef(&strip);
    def.order = grz_orderByTriangles;
    expectRefused(&def, grz_badArgument, grz_noPart, 0, 1);
    static const uint32_t wrong[][4] = {{0, 1, 2, 2}, {0, 1, 2, 4}, {3, 3, 3, 3}, {UINT32_MAX, 1, 2, 3}};
    static const uint64_t firstWrong[4] = {3, 3, 1, 0};
    for (int i = 0; i < 4; ++i) {
        def.triangleOrder = wrong[i];
        expectRefused(&def, grz_badArgument, grz_partElement, firstWrong[i], 1);
    }
}

// ---- as many triangles as OpenMP shares out ----

enum { MANY = 30000 };

typedef struct ManyReport {
    const grzMeshDef* def;
    uint64_t digest;
    uint32_t degenerateCount, repeatedCount, sliverCount, faults;
} ManyReport;

// Triangle i stands alone; by i % 10 it is a point, names a vertex twice, is a sliver, or is sound.
static void makeMany(float* positions, uint32_t* indices) {
    for (uint32_t i = 0; i < MANY; ++i) {
        const float x = (float)i;
        const float height = i % 10 == 0 ? 0.0f : i % 10 == 2 ? 0x1p-12f : 0.5f;
        const float width = i % 10 == 0 ? 0.0f : 0.5f;
        const float corners[9] = {x, 1, 2, x + width, 1, 2, x, 1 + height, 2};
        memcpy(positions + (size_t)i * 9, corners, sizeof corners);
        for (uint32_t k = 0; k < 3; ++k)
            indices[i * 3 + k] = i * 3 + (i % 10 == 1 ? k % 2 : k);
    }
}

static void reportMany(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    for (uint32_t r = begin; r < end; ++r) {
        ManyReport* many = (ManyReport*)context + r;
        grzMesh* mesh;
        if (!grzResult_IsOk(grzMesh_Create(many->def, &mesh))) {
            many->faults++;
            return;
        }
        const grzMeshReport report = grzMesh_GetReport(mesh);
        many->degenerateCount = report.degenerateTriangleCount;
        many->repeatedCount = report.repeatedIndexCount;
        many->sliverCount = grzMesh_CountSlivers(mesh, 0x1p-10);
        many->digest =
            grzHashBytes(report.degenerateTriangles, report.degenerateTriangleCount * sizeof(uint32_t), 0);
        for (uint32_t i = 0; i < report.degenerateTriangleCount; ++i)
            many->faults += report.degenerateTriangles[i] != i / 2 * 10 + i % 2;
        grzMesh_Destroy(mesh);
    }
}

// Outside of tasks by OpenMP where it is built in, inside by each worker alone. All builds give one digest.
static void manyTrianglesAreReportedAlikeEverywhere(void** state) {
    (void)state;
    float* positions = malloc(sizeof(float) * MANY * 9);
    uint32_t* indices = malloc(sizeof(uint32_t) * MANY * 3);
    makeMany(positions, indices);
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = (size_t)MANY * 3;
    def.indices = indices, def.triangleCount = MANY;
    grzTasksDef tasksDef = grzDefaultTasksDef();
    tasksDef.workerCount = 2;
    grzTasks* tasks;
    assert_true(grzResult_IsOk(grzTasks_Create(&tasksDef, &tasks)));
    for (int order = grz_orderAsGiven; order <= grz_orderMorton; ++order) {
        def.order = (grzMeshOrder)order;
        ManyReport reports[3] = {{.def = &def}, {.def = &def}, {.def = &def}};
        reportMany(0, 1, 0, reports);
        grzParallelFor(tasks, 2, 1, reportMany, reports + 1);
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(reports[i].faults, 0);
            assert_int_equal(reports[i].degenerateCount, MANY / 5);
            assert_int_equal(reports[i].repeatedCount, MANY / 10);
            assert_int_equal(reports[i].sliverCount, MANY / 5); // not the points, which have no shape
            assert_int_equal(reports[i].digest, 0x0f588c1dc1c568f9);
        }
    }
    grzTasks_Destroy(tasks);
    free(indices);
    free(positions);
}

static void makeInAllOrders(void) {
    Strip strip = makeStrip(5);
    memcpy(strip.triangles[7], strip.triangles[3], sizeof strip.triangles[3]); // so that no list is empty
    memcpy(strip.positions[4], strip.positions[5], sizeof strip.positions[5]);
    static const uint32_t triangleOrder[10] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 0};
    for (int order = grz_orderAsGiven; order <= grz_orderByTriangles; ++order) {
        grzMeshDef def = stripDef(&strip);
        def.order = (grzMeshOrder)order;
        def.triangleOrder = triangleOrder;
        def.allocator = refusingAllocator();
        grzMesh* mesh;
        if (grzResult_IsOk(MAKE(&mesh, grzMesh_Create(&def, &mesh), true)))
            noteOutcome(grzMesh_GetView(mesh).edgeCount);
        grzMesh_Destroy(mesh);
    }
}

static void everyRefusedRequestLeavesNothing(void** state) {
    (void)state;
    testRefusals(&(RefusalScript){"mesh", makeInAllOrders, 1});
}

static void nothingOneAndTwo(void** state) {
    (void)state;
    for (uint32_t count = 0; count <= 2; ++count) {
        for (int order = grz_orderAsGiven; order <= grz_orderMorton; ++order) {
            const Strip strip = makeStrip(1);
            grzMeshDef def = stripDef(&strip);
            def.order = (grzMeshOrder)order;
            def.triangleCount = count;
            grzMesh* mesh = create(&def);
            const grzMeshReport report = grzMesh_GetReport(mesh);
            assert_int_equal(report.triangleCount, count);
            assert_int_equal(report.edgeCount, count == 0 ? 0 : 1 + 2 * count);
            assert_int_equal(report.boundaryEdgeCount, count == 0 ? 0 : 2 + count);
            assert_int_equal(report.unreferencedVertexCount, count == 0 ? 4 : 2 - count);
            assert_int_equal(report.componentCount, count != 0);
            assert_int_equal(report.eulerNumber, count != 0);
            assert_false(report.isClosed);
            const grzBoxd empty = grzBoxd_Empty(), bounds = grzMesh_GetView(mesh).bounds;
            assert_int_equal(memcmp(&bounds, &empty, sizeof empty) == 0, count == 0);
            grzMesh_Destroy(mesh);
        }
    }
    grzMeshDef def = grzDefaultMeshDef();
    grzMesh* mesh = create(&def);
    assert_int_equal(grzMesh_GetReport(mesh).vertexCount, 0);
    assert_int_equal(grzMesh_CountSlivers(mesh, 1), 0);
    assert_int_equal(grzMesh_RoundPositions(mesh, NULL), 0);
    grzMesh_Destroy(mesh);
    grzMesh_Destroy(NULL);
}

static void boundsAreOfUsedVerticesOnly(void** state) {
    (void)state;
    Strip strip = makeStrip(2);
    strip.vertexCount++;
    strip.positions[6][0] = 1e9;
    grzMeshDef def = stripDef(&strip);
    grzMesh* mesh = create(&def);
    const grzBoxd expected = {{0, 0, 0}, {2, 1, 1}}, bounds = grzMesh_GetView(mesh).bounds;
    assert_memory_equal(&bounds, &expected, sizeof expected);
    grzMesh_Destroy(mesh);
}

// Positions stay as given; floats are made on demand and say what they lost.
static void doublesAreKeptAndRoundedOnDemand(void** state) {
    (void)state;
    static const double positions[3][3] = {{0.1, 1e300, -0.0}, {-1e300, 0.5, 1e-300}, {3, DBL_MAX, 16777217}};
    static const uint32_t triangle[3] = {0, 1, 2};
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.positionType = grz_float64, def.vertexCount = 3;
    def.indices = triangle, def.triangleCount = 1;
    for (int order = grz_orderAsGiven; order <= grz_orderMorton; ++order) {
        def.order = (grzMeshOrder)order;
        grzMesh* mesh = create(&def);
        assert_memory_equal(grzMesh_GetView(mesh).positions64, positions, sizeof positions);
        float rounded[9];
        assert_int_equal(grzMesh_RoundPositions(mesh, rounded), 6);
        const float expected[9] = {0.1f, INFINITY, -0.0f, -INFINITY, 0.5f, 0, 3, INFINITY, 16777216};
        assert_memory_equal(rounded, expected, sizeof expected);
        assert_int_equal(grzMesh_GetReport(mesh).degenerateTriangleCount, 0);
        grzMesh_Destroy(mesh);
    }
    const Strip strip = makeStrip(2);
    float narrow[6][3], copy[6][3];
    for (int i = 0; i < 18; ++i)
        narrow[i / 3][i % 3] = (float)strip.positions[i / 3][i % 3];
    def = stripDef(&strip);
    def.positions = narrow, def.positionType = grz_float32;
    grzMesh* mesh = create(&def);
    assert_int_equal(grzMesh_RoundPositions(mesh, copy[0]), 0);
    assert_memory_equal(copy, narrow, sizeof narrow);
    grzMesh_Destroy(mesh);
}

// All the mesh's numbers that a report names are the caller's, so no order changes it.
static void reportIsTheSameForEveryOrder(void** state) {
    (void)state;
    Strip strip = makeStrip(20);
    memcpy(strip.triangles[30], strip.triangles[3], sizeof strip.triangles[3]);
    memcpy(strip.positions[17], strip.positions[40], sizeof strip.positions[17]);
    memcpy(strip.positions[41], strip.positions[40], sizeof strip.positions[17]);
    grzMeshDef def = stripDef(&strip);
    grzMesh* given = create(&def);
    const grzMeshReport a = grzMesh_GetReport(given);
    assert_int_equal(a.duplicateTriangleCount, 1);
    assert_int_equal(a.duplicateTriangles[0].index, 30);
    assert_int_equal(a.duplicateTriangles[0].first, 3);
    assert_int_equal(a.duplicateVertexCount, 2);
    assert_int_equal(a.duplicateVertices[1].index, 41);
    assert_int_equal(a.duplicateVertices[1].first, 17);
    for (int order = grz_orderFirstTouch; order <= grz_orderMorton; ++order) {
        def.order = (grzMeshOrder)order;
        grzMesh* mesh = create(&def);
        const grzMeshReport b = grzMesh_GetReport(mesh);
        assert_int_equal(a.boundaryEdgeCount, b.boundaryEdgeCount);
        assert_memory_equal(a.boundaryEdges, b.boundaryEdges, a.boundaryEdgeCount * sizeof *a.boundaryEdges);
        assert_int_equal(a.degenerateTriangleCount, b.degenerateTriangleCount);
        assert_memory_equal(a.degenerateTriangles, b.degenerateTriangles,
                            a.degenerateTriangleCount * sizeof *a.degenerateTriangles);
        assert_int_equal(b.duplicateVertexCount, 2);
        assert_memory_equal(a.duplicateVertices, b.duplicateVertices, 2 * sizeof *a.duplicateVertices);
        assert_int_equal(b.duplicateTriangleCount, 1);
        assert_memory_equal(a.duplicateTriangles, b.duplicateTriangles, sizeof *a.duplicateTriangles);
        grzMesh_Destroy(mesh);
    }
    grzMesh_Destroy(given);
}

static uint32_t countSlivers(double scale, double height, double ratio) {
    const double positions[5][3] = {
        {0, 0, 0}, {scale, 0, 0}, {scale * 0.25, scale * height, 0}, {scale * 0.5, 0, 0}, {0, 0, 0}};
    // A triangle of the given height; one without area; one that is a point, never a sliver.
    static const uint32_t triangles[3][3] = {{0, 1, 2}, {0, 1, 3}, {0, 4, 0}};
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.positionType = grz_float64, def.vertexCount = 5;
    def.indices = triangles, def.triangleCount = 3;
    grzMesh* mesh = create(&def);
    const uint32_t count = grzMesh_CountSlivers(mesh, ratio);
    grzMesh_Destroy(mesh);
    return count;
}

static void sliversAreCountedAtEverySize(void** state) {
    (void)state;
    for (int exponent = -1060; exponent <= 1023; exponent += 7) {
        const double scale = ldexp(1, exponent);
        assert_int_equal(countSlivers(scale, 0.125, 0.125), 1); // the ratio itself is not below it
        assert_int_equal(countSlivers(scale, 0.125, 0.1251), 2);
        assert_int_equal(countSlivers(scale, 0.125, 0), 0);
    }
    const double positions[3][3] = {{-DBL_MAX, 0, 0}, {DBL_MAX, 0, 0}, {0, DBL_MAX / 4, 0}};
    static const uint32_t triangle[3] = {0, 1, 2};
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.positionType = grz_float64, def.vertexCount = 3;
    def.indices = triangle, def.triangleCount = 1;
    grzMesh* mesh = create(&def);
    assert_int_equal(grzMesh_CountSlivers(mesh, 0.1249), 0);
    assert_int_equal(grzMesh_CountSlivers(mesh, 0.1251), 1);
    grzMesh_Destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anyTypeStrideAndAlignmentIsTheSameMesh),
        cmocka_unit_test(notANumberIsRefusedWhereverItIs),
        cmocka_unit_test(wildIndicesAreRefusedWhereverTheyAre),
        cmocka_unit_test(wrongDefsAreRefused),
        cmocka_unit_test(refusalsNameTheField),
        cmocka_unit_test(triangleOrderMustBeAPermutation),
        cmocka_unit_test(manyTrianglesAreReportedAlikeEverywhere),
        cmocka_unit_test(everyRefusedRequestLeavesNothing),
        cmocka_unit_test(nothingOneAndTwo),
        cmocka_unit_test(boundsAreOfUsedVerticesOnly),
        cmocka_unit_test(doublesAreKeptAndRoundedOnDemand),
        cmocka_unit_test(reportIsTheSameForEveryOrder),
        cmocka_unit_test(sliversAreCountedAtEverySize),
    };
    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
