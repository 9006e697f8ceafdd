// shapes.h: every shape is what it says: counts, orientation, closedness, bounds.
#include "testing.h"

#include <math.h>

#include "graze/linmath.h"

#include "shapes.h"

// What an edge list sorted by its ends tells of a mesh.
typedef struct Edge {
    uint32_t lower, upper;
    int direction;
} Edge;

static int compareEdges(const void* a, const void* b) {
    const Edge *x = a, *y = b;
    if (x->lower != y->lower)
        return x->lower < y->lower ? -1 : 1;
    return (x->upper > y->upper) - (x->upper < y->upper);
}

typedef struct Topology {
    size_t edges;
    size_t boundary; // edges of one triangle
    size_t bad;      // edges of more than two, or of two in the same direction, or from a vertex to itself
    size_t used;     // vertices in a triangle
} Topology;

static size_t countUsed(const MeshData* mesh) {
    unsigned char* seen = calloc(mesh->vertexCount, 1);
    size_t used = 0;
    for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) {
        assert_true(mesh->indices[i] < mesh->vertexCount);
        used += !seen[mesh->indices[i]];
        seen[mesh->indices[i]] = 1;
    }
    free(seen);
    return used;
}

static Topology lookAt(const MeshData* mesh) {
    size_t count = 3 * mesh->triangleCount;
    Edge* edges = malloc(count * sizeof *edges);
    for (size_t i = 0; i < count; ++i) {
        uint32_t a = mesh->indices[i], b = mesh->indices[i - i % 3 + (i + 1) % 3];
        edges[i] = a < b ? (Edge){a, b, 1} : (Edge){b, a, -1};
    }
    qsort(edges, count, sizeof *edges, compareEdges);
    Topology topology = {.used = countUsed(mesh)};
    for (size_t i = 0, next; i < count; i = next) {
        int sum = 0;
        for (next = i; next < count && compareEdges(&edges[i], &edges[next]) == 0; ++next)
            sum += edges[next].direction;
        topology.edges++;
        topology.boundary += next - i == 1;
        topology.bad += next - i > 2 || (next - i == 2 && sum != 0) || edges[i].lower == edges[i].upper;
    }
    free(edges);
    return topology;
}

static const float* cornerOf(const MeshData* mesh, size_t triangle, size_t k) {
    return (const float*)mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + k];
}

// Twice the area of a triangle as a vector.
static void areaVector(const MeshData* mesh, size_t triangle, double area[3]) {
    const float* a = cornerOf(mesh, triangle, 0);
    double b[3], c[3];
    for (size_t k = 0; k < 3; ++k) {
        b[k] = (double)cornerOf(mesh, triangle, 1)[k] - (double)a[k];
        c[k] = (double)cornerOf(mesh, triangle, 2)[k] - (double)a[k];
    }
    for (size_t k = 0; k < 3; ++k)
        area[k] = b[(k + 1) % 3] * c[(k + 2) % 3] - b[(k + 2) % 3] * c[(k + 1) % 3];
}

static double volumeOf(const MeshData* mesh) {
    double volume = 0, area[3];
    for (size_t t = 0; t < mesh->triangleCount; ++t) {
        areaVector(mesh, t, area);
        for (size_t k = 0; k < 3; ++k)
            volume += area[k] * (double)cornerOf(mesh, t, 0)[k] / 6;
    }
    return volume;
}

static void assertNoSliver(const MeshData* mesh) {
    double area[3];
    for (size_t t = 0; t < mesh->triangleCount; ++t) {
        areaVector(mesh, t, area);
        assert_true(area[0] * area[0] + area[1] * area[1] + area[2] * area[2] > 0);
    }
}

static void assertBounds(const MeshData* mesh, double x, double y, double z, double slack) {
    const double expected[3] = {x, y, z};
    for (size_t axis = 0; axis < 3; ++axis) {
        double lower = (double)INFINITY, upper = -lower;
        for (size_t i = 0; i < mesh->vertexCount; ++i) {
            double number = (double)((const float*)mesh->positions)[3 * i + axis];
            lower = fmin(lower, number);
            upper = fmax(upper, number);
        }
        assert_true(fabs(upper - expected[axis]) <= slack && fabs(lower + expected[axis]) <= slack);
    }
}

static const size_t wantedCounts[] = {1, 2, 20, 33, 100, 2000, 16000};
#define WANTED_COUNT (sizeof wantedCounts / sizeof wantedCounts[0])

static MeshData make(ShapeKind kind, size_t wanted) {
    MeshData mesh;
    assert_true(grzResult_IsOk(makeShape(kind, wanted, grzDefaultAllocator(), &mesh)));
    assert_int_equal(mesh.triangleCount, shapeTriangleCount(kind, wanted));
    assert_false(mesh.isDouble);
    return mesh;
}

static void closedShapesAreClosed(void** state) {
    (void)state;
    static const struct {
        ShapeKind kind;
        int characteristic;
    } closed[] = {{shapeSphere, 2}, {shapeTorus, 0}, {shapeBox, 2}};
    for (size_t s = 0; s < 3; ++s) {
        for (size_t i = 0; i < WANTED_COUNT; ++i) {
            MeshData mesh = make(closed[s].kind, wantedCounts[i]);
            Topology topology = lookAt(&mesh);
            assert_int_equal(topology.used, mesh.vertexCount);
            assert_int_equal(topology.bad, 0);
            assert_int_equal(topology.boundary, 0);
            assert_int_equal((int)mesh.vertexCount - (int)topology.edges + (int)mesh.triangleCount,
                             closed[s].characteristic);
            assert_true(volumeOf(&mesh) > 0);
            assertNoSliver(&mesh);
            MeshData_Release(&mesh);
        }
    }
}

static void closedShapesHaveTheirVolume(void** state) {
    (void)state;
    const double pi = 3.141592653589793;
    MeshData mesh = make(shapeBox, 1000);
    assert_true(fabs(volumeOf(&mesh) - 8) < 1e-5);
    assertBounds(&mesh, 1, 1, 1, 0);
    MeshData_Release(&mesh);
    mesh = make(shapeSphere, 20000);
    assert_true(fabs(volumeOf(&mesh) / (4 * pi / 3) - 1) < 1e-3);
    for (size_t i = 0; i < mesh.vertexCount; ++i) {
        grzVec3d p = grzVec3d_FromVec3(grzVec3_Load((const float*)mesh.positions + 3 * i));
        assert_true(fabs(sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 1) < 1e-6);
    }
    MeshData_Release(&mesh);
    mesh = make(shapeTorus, 20000);
    assert_true(fabs(volumeOf(&mesh) / (2 * pi * pi * 0.7 * 0.09) - 1) < 2e-3);
    assertBounds(&mesh, 1, 0.3, 1, 4e-4); // no vertex need lie at the very end
    MeshData_Release(&mesh);
}

// The smallest sphere and box are the solids themselves.
static void leastShapesAreTheSolids(void** state) {
    (void)state;
    assert_int_equal(shapeTriangleCount(shapeSphere, 0), 20);
    assert_int_equal(shapeTriangleCount(shapeBox, 0), 12);
    assert_int_equal(shapeTriangleCount(shapeGrid, 0), 2);
    MeshData mesh = make(shapeSphere, 1);
    double expected = 5 * (3 + sqrt(5)) / 12 * pow(1 / sin(0.4 * 3.141592653589793), 3);
    assert_int_equal(mesh.vertexCount, 12);
    assert_true(fabs(volumeOf(&mesh) - expected) < 1e-6);
    MeshData_Release(&mesh);
}

static void sheetsHaveOneBorderAndLookUp(void** state) {
    (void)state;
    MeshData mesh;
    assert_true(grzResult_IsOk(makeGrid(7, 4, 14, 2, grzDefaultAllocator(), &mesh)));
    Topology topology = lookAt(&mesh);
    assert_int_equal(mesh.vertexCount, 40);
    assert_int_equal(mesh.triangleCount, 56);
    assert_int_equal(topology.boundary, 22);
    assert_int_equal(topology.bad, 0);
    assert_int_equal((int)mesh.vertexCount - (int)topology.edges + (int)mesh.triangleCount, 1);
    assertBounds(&mesh, 7, 0, 1, 0);
    double sum = 0, area[3];
    for (size_t t = 0; t < mesh.triangleCount; ++t) {
        areaVector(&mesh, t, area);
        assert_true(area[1] > 0);
        sum += area[1] / 2;
    }
    assert_true(fabs(sum - 28) < 1e-5);
    const float* corner = (const float*)mesh.positions + 3 * (2 * 8 + 7);
    assert_true(corner[0] == 7 && corner[1] == 0 && corner[2] == 0);
    MeshData_Release(&mesh);
}

// Alternating diagonals: an inner vertex has four or eight triangles, in turns.
static void gridDiagonalsAlternate(void** state) {
    (void)state;
    MeshData mesh;
    assert_true(grzResult_IsOk(makeGrid(6, 6, 2, 2, grzDefaultAllocator(), &mesh)));
    for (size_t row = 1; row < 6; ++row) {
        for (size_t column = 1; column < 6; ++column) {
            size_t valence = 0;
            for (size_t i = 0; i < 3 * mesh.triangleCount; ++i)
                valence += mesh.indices[i] == row * 7 + column;
            assert_int_equal(valence, (row + column) % 2 == 0 ? 8 : 4);
        }
    }
    MeshData_Release(&mesh);
}

// All layers are there, at least nearly a gap apart, and the sheet is as long as its fold.
static void heapLiesInLayers(void** state) {
    (void)state;
    MeshData mesh = make(shapeHeap, 16000);
    Topology topology = lookAt(&mesh);
    assert_int_equal(topology.bad, 0);
    assert_int_equal((int)mesh.vertexCount - (int)topology.edges + (int)mesh.triangleCount, 1);
    assertBounds(&mesh, 0.925, 0.175, 1, 2e-3);
    double sum = 0, area[3];
    for (size_t t = 0; t < mesh.triangleCount; ++t) {
        areaVector(&mesh, t, area);
        sum += sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]) / 2;
    }
    assert_true(fabs(sum / (2 * (8 * 1.8 + 7 * 3.14159265 * 0.025)) - 1) < 0.02);
    for (size_t i = 0; i < mesh.vertexCount; ++i) {
        const float* p = (const float*)mesh.positions + 3 * i;
        double layer = ((double)p[1] + 0.175) / 0.05;
        if (fabs((double)p[0]) < 0.9)
            assert_true(fabs(layer - round(layer)) < 1e-4);
    }
    assertNoSliver(&mesh);
    MeshData_Release(&mesh);
}

static void nearestCountIsNearest(void** state) {
    (void)state;
    for (int kind = 0; kind < SHAPE_KIND_COUNT; ++kind) {
        size_t before = 0;
        for (size_t wanted = 0; wanted < 3000; ++wanted) {
            size_t count = shapeTriangleCount((ShapeKind)kind, wanted);
            assert_int_equal(shapeTriangleCount((ShapeKind)kind, count), count);
            assert_true(count >= before);
            if (count != before && before != 0) // the step lies half way
                assert_true(wanted - before > count - wanted && wanted - 1 - before <= count - (wanted - 1));
            before = count;
        }
    }
    assert_int_equal(shapeTriangleCount(shapeSphere, 600000), 20 * 173 * 173);
    assert_int_equal(shapeTriangleCount(shapeGrid, 1985), 2 * 31 * 32);
}

static void namesGoBothWays(void** state) {
    (void)state;
    ShapeKind kind = shapeGrid;
    for (int i = 0; i < SHAPE_KIND_COUNT; ++i) {
        assert_true(shapeFromName(shapeName((ShapeKind)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(shapeFromName("teapot", &kind));
    assert_false(shapeFromName("", &kind));
}

static void badSizesAndRefusedMemoryLeaveNothing(void** state) {
    (void)state;
    MeshData mesh;
    memset(&mesh, 1, sizeof mesh);
    assert_int_equal(makeShape(shapeBox, (size_t)1 << 31, grzDefaultAllocator(), &mesh).status, grz_tooLarge);
    assert_null(mesh.positions);
    assert_int_equal(makeGrid(0, 3, 1, 1, grzDefaultAllocator(), &mesh).status, grz_badArgument);
    assert_int_equal(makeGrid(3, 0, 1, 1, grzDefaultAllocator(), &mesh).status, grz_badArgument);
    assert_int_equal(makeGrid(SIZE_MAX / 2, 3, 1, 1, grzDefaultAllocator(), &mesh).status, grz_tooLarge);
    assert_true(shapeTriangleCount(shapeGrid, SIZE_MAX) <= (size_t)1 << 31);
    for (size_t k = 0; k < 2; ++k) {
        TestMemory memory = {.failAt = k};
        assert_int_equal(makeShape(shapeTorus, 500, testAllocator(&memory), &mesh).status, grz_outOfMemory);
        assert_null(mesh.positions);
        assert_int_equal(memory.liveCount, 0);
    }
    TestMemory memory = {.failAt = 2};
    assert_true(grzResult_IsOk(makeShape(shapeTorus, 500, testAllocator(&memory), &mesh)));
    MeshData_Release(&mesh);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closedShapesAreClosed),
        cmocka_unit_test(closedShapesHaveTheirVolume),
        cmocka_unit_test(leastShapesAreTheSolids),
        cmocka_unit_test(sheetsHaveOneBorderAndLookUp),
        cmocka_unit_test(gridDiagonalsAlternate),
        cmocka_unit_test(heapLiesInLayers),
        cmocka_unit_test(nearestCountIsNearest),
        cmocka_unit_test(namesGoBothWays),
        cmocka_unit_test(badSizesAndRefusedMemoryLeaveNothing),
    };
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
