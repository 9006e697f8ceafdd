// mesh_edges.c, mesh_rings.c, mesh_owners.c, mesh_components.c, mesh_defects.c, mesh_copies.c, mesh_order.c: every
// array of a view and every list of a report, against all-pairs searches over soups with as many degenerate,
// doubled, crowded and loose parts as random numbers give; in every order. Then meshes that would be slow or
// overflow if a star, a bundle or a chain were not foreseen.
#include "testing.h"

#include "graze/mesh.h"

#include "rng.h"

enum { MAX_VERTICES = 14, MAX_TRIANGLES = 40 };

// A mesh in the caller's numbers, small enough for cubic searches.
typedef struct Soup {
    uint32_t vertexCount, triangleCount;
    float positions[MAX_VERTICES][3];
    uint32_t triangles[MAX_TRIANGLES][3];
} Soup;

static float randomCoordinate(grzRng* rng) {
    static const float numbers[] = {-1, -0.0f, 0, 1, 0.5f};
    return numbers[grzRng_Below(rng, sizeof numbers / sizeof numbers[0])];
}

static Soup makeSoup(grzRng* rng) {
    Soup soup = {.vertexCount = 1 + grzRng_Below(rng, MAX_VERTICES),
                 .triangleCount = grzRng_Below(rng, MAX_TRIANGLES + 1)};
    for (uint32_t v = 0; v < soup.vertexCount; ++v)
        for (int axis = 0; axis < 3; ++axis)
            soup.positions[v][axis] = randomCoordinate(rng);
    // Some soups use few vertices and are crowded, some are loose.
    const uint32_t used = 1 + grzRng_Below(rng, soup.vertexCount);
    for (uint32_t t = 0; t < soup.triangleCount; ++t) {
        const bool isCopy = t != 0 && grzRng_Below(rng, 6) == 0;
        const uint32_t original = isCopy ? grzRng_Below(rng, t) : 0, turn = grzRng_Below(rng, 3);
        for (uint32_t k = 0; k < 3; ++k)
            soup.triangles[t][k] = isCopy ? soup.triangles[original][(k + turn) % 3] : grzRng_Below(rng, used);
    }
    return soup;
}

static grzMesh* createFrom(const Soup* soup, grzMeshOrder order, const uint32_t* triangleOrder) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = soup->positions;
    def.vertexCount = soup->vertexCount;
    def.indices = soup->triangles;
    def.triangleCount = soup->triangleCount;
    def.order = order;
    def.triangleOrder = triangleOrder;
    grzMesh* mesh;
    assert_int_equal(grzMesh_Create(&def, &mesh).status, grz_ok);
    assert_true(grzMesh_Validate(mesh));
    return mesh;
}

// -------------------------------------------------------------------------------------- the slow, obvious answers

static bool hasVertex(const uint32_t* corners, uint32_t v) {
    return corners[0] == v || corners[1] == v || corners[2] == v;
}

static bool hasEdge(const uint32_t* corners, uint32_t a, uint32_t b) {
    return a != b && hasVertex(corners, a) && hasVertex(corners, b);
}

static const uint32_t* cornersOf(const grzMeshView* view, uint32_t t) {
    return view->triangles + (size_t)t * 3;
}

static void checkNumbering(const grzMeshView* view, const Soup* soup) {
    assert_int_equal(view->vertexCount, soup->vertexCount);
    assert_int_equal(view->triangleCount, soup->triangleCount);
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        assert_int_equal(view->vertexFromCaller[view->vertexToCaller[v]], v);
        assert_memory_equal(view->positions32 + (size_t)v * 3, soup->positions[view->vertexToCaller[v]], 12);
    }
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        assert_int_equal(view->triangleFromCaller[view->triangleToCaller[t]], t);
        for (uint32_t k = 0; k < 3; ++k)
            assert_int_equal(view->vertexToCaller[cornersOf(view, t)[k]],
                             soup->triangles[view->triangleToCaller[t]][k]);
    }
}

// One edge: its row, the sides that name it, the neighbours there.
static void checkEdge(const grzMeshView* view, uint32_t e, uint32_t a, uint32_t b) {
    assert_int_equal(view->edges[e].a, a);
    assert_int_equal(view->edges[e].b, b);
    uint32_t row[MAX_TRIANGLES], count = 0, sideCount = 0;
    for (uint32_t t = 0; t < view->triangleCount; ++t)
        if (hasEdge(cornersOf(view, t), a, b))
            row[count++] = t;
    assert_int_equal(view->edgeTriangleStarts[e + 1] - view->edgeTriangleStarts[e], count);
    assert_memory_equal(view->edgeTriangles + view->edgeTriangleStarts[e], row, count * sizeof *row);
    assert_int_equal(view->edgeOwners[e], row[0]);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t from = cornersOf(view, row[i])[k], to = cornersOf(view, row[i])[(k + 1) % 3];
            if ((from != a || to != b) && (from != b || to != a))
                continue;
            assert_int_equal(view->triangleEdges[row[i] * 3 + k], e);
            assert_int_equal(view->triangleNeighbours[row[i] * 3 + k],
                             count == 1 ? GRZ_MESH_NONE : row[(i + 1) % count]);
            // The first such side of the first triangle.
            const bool isOwn = (view->triangleOwns[row[i]] & GRZ_MESH_OWNS_EDGE(k)) != 0;
            assert_int_equal(isOwn, sideCount++ == 0);
        }
    }
}

static void checkEdges(const grzMeshView* view) {
    uint32_t e = 0;
    assert_int_equal(view->edgeTriangleStarts[0], 0);
    for (uint32_t a = 0; a < view->vertexCount; ++a) {
        for (uint32_t b = a + 1; b < view->vertexCount; ++b) {
            bool exists = false;
            for (uint32_t t = 0; t < view->triangleCount; ++t)
                exists |= hasEdge(cornersOf(view, t), a, b);
            if (exists)
                checkEdge(view, e++, a, b);
        }
    }
    assert_int_equal(view->edgeCount, e);
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            if (cornersOf(view, t)[k] != cornersOf(view, t)[(k + 1) % 3])
                continue;
            assert_int_equal(view->triangleEdges[t * 3 + k], GRZ_MESH_NONE);
            assert_int_equal(view->triangleNeighbours[t * 3 + k], GRZ_MESH_NONE);
            assert_false(view->triangleOwns[t] & GRZ_MESH_OWNS_EDGE(k));
        }
    }
}

static void checkRing(const grzMeshView* view, uint32_t v) {
    uint32_t at = view->vertexTriangleStarts[v], cornerCount = 0;
    uint32_t lowest = GRZ_MESH_NONE;
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        if (!hasVertex(cornersOf(view, t), v))
            continue;
        lowest = lowest == GRZ_MESH_NONE ? t : lowest;
        assert_int_equal(view->vertexTriangles[at++], t);
        for (uint32_t k = 0; k < 3; ++k)
            if (cornersOf(view, t)[k] == v) // the first such corner of the first triangle
                assert_int_equal((view->triangleOwns[t] & GRZ_MESH_OWNS_CORNER(k)) != 0, cornerCount++ == 0);
    }
    assert_int_equal(at, view->vertexTriangleStarts[v + 1]);
    assert_int_equal(view->vertexOwners[v], lowest);
    at = view->vertexEdgeStarts[v];
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        if (view->edges[e].a != v && view->edges[e].b != v)
            continue;
        assert_int_equal(view->vertexEdges[at], e);
        assert_int_equal(view->vertexNeighbours[at++], view->edges[e].a + view->edges[e].b - v);
    }
    assert_int_equal(at, view->vertexEdgeStarts[v + 1]);
}

// Labels run along shared vertices until nothing changes; the label is the lowest triangle.
static void labelTriangles(const Soup* soup, uint32_t labels[MAX_TRIANGLES]) {
    for (uint32_t t = 0; t < soup->triangleCount; ++t)
        labels[t] = t;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < soup->triangleCount; ++t)
            for (uint32_t u = 0; u < soup->triangleCount; ++u)
                for (uint32_t k = 0; k < 3; ++k)
                    if (hasVertex(soup->triangles[u], soup->triangles[t][k]) && labels[u] > labels[t]) {
                        labels[u] = labels[t];
                        changed = true;
                    }
    }
}

static void checkComponents(const grzMeshView* view, const Soup* soup) {
    uint32_t labels[MAX_TRIANGLES], numbers[MAX_TRIANGLES], count = 0;
    labelTriangles(soup, labels);
    for (uint32_t t = 0; t < soup->triangleCount; ++t) {
        numbers[t] = labels[t] == t ? count++ : numbers[labels[t]];
        for (uint32_t k = 0; k < 3; ++k)
            assert_int_equal(view->vertexComponents[view->vertexFromCaller[soup->triangles[t][k]]], numbers[t]);
    }
    assert_int_equal(view->componentCount, count);
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        assert_int_equal(view->vertexComponents[v] == GRZ_MESH_NONE, view->vertexOwners[v] == GRZ_MESH_NONE);
}

static bool isRepeated(const uint32_t* corners) {
    return corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
}

// The soup's coordinates are halves, so a cross product of floats is exact.
static bool isDegenerate(const Soup* soup, const uint32_t* corners) {
    const float *a = soup->positions[corners[0]], *b = soup->positions[corners[1]],
                *c = soup->positions[corners[2]];
    for (int x = 0; x < 3; ++x) {
        const int y = (x + 1) % 3;
        if ((b[x] - a[x]) * (c[y] - a[y]) != (b[y] - a[y]) * (c[x] - a[x]))
            return false;
    }
    return true;
}

static bool isSameCorners(const uint32_t* t, const uint32_t* u) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 6; ++i)
        if (t[0] == u[orders[i][0]] && t[1] == u[orders[i][1]] && t[2] == u[orders[i][2]])
            return true;
    return false;
}

static void checkTriangleReport(const grzMeshReport* report, const Soup* soup) {
    uint32_t degenerateCount = 0, repeatedCount = 0, duplicateCount = 0;
    for (uint32_t t = 0; t < soup->triangleCount; ++t) {
        repeatedCount += isRepeated(soup->triangles[t]);
        if (isDegenerate(soup, soup->triangles[t]))
            assert_int_equal(report->degenerateTriangles[degenerateCount++], t);
        uint32_t first = 0;
        while (!isSameCorners(soup->triangles[t], soup->triangles[first]))
            ++first;
        if (first == t)
            continue;
        assert_int_equal(report->duplicateTriangles[duplicateCount].index, t);
        assert_int_equal(report->duplicateTriangles[duplicateCount++].first, first);
    }
    assert_int_equal(report->degenerateTriangleCount, degenerateCount);
    assert_int_equal(report->repeatedIndexCount, repeatedCount);
    assert_int_equal(report->duplicateTriangleCount, duplicateCount);
}

static bool isSamePlace(const float* p, const float* q) {
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static void checkVertexReport(const grzMeshReport* report, const Soup* soup) {
    uint32_t unreferencedCount = 0, duplicateCount = 0;
    for (uint32_t v = 0; v < soup->vertexCount; ++v) {
        bool isUsed = false;
        for (uint32_t t = 0; t < soup->triangleCount; ++t)
            isUsed |= hasVertex(soup->triangles[t], v);
        if (!isUsed)
            assert_int_equal(report->unreferencedVertices[unreferencedCount++], v);
        uint32_t first = 0;
        while (!isSamePlace(soup->positions[v], soup->positions[first]))
            ++first;
        if (first == v)
            continue;
        assert_int_equal(report->duplicateVertices[duplicateCount].index, v);
        assert_int_equal(report->duplicateVertices[duplicateCount++].first, first);
    }
    assert_int_equal(report->unreferencedVertexCount, unreferencedCount);
    assert_int_equal(report->duplicateVertexCount, duplicateCount);
}

// 1 along (a, b), 2 against, 3 both ways, 0 not at all.
static unsigned waysAlong(const uint32_t* corners, uint32_t a, uint32_t b) {
    unsigned ways = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        ways |= corners[k] == a && corners[(k + 1) % 3] == b ? 1u : 0;
        ways |= corners[k] == b && corners[(k + 1) % 3] == a ? 2u : 0;
    }
    return ways;
}

static uint32_t expectListed(const grzMeshEdge* list, uint32_t at, uint32_t a, uint32_t b) {
    assert_int_equal(list[at].a, a);
    assert_int_equal(list[at].b, b);
    return at + 1;
}

static void checkEdgeReport(const grzMeshReport* report, const Soup* soup) {
    uint32_t boundary = 0, crowded = 0, contradictory = 0, edgeCount = 0;
    for (uint32_t a = 0; a < soup->vertexCount; ++a) {
        for (uint32_t b = a + 1; b < soup->vertexCount; ++b) {
            unsigned ways[MAX_TRIANGLES];
            uint32_t count = 0;
            for (uint32_t t = 0; t < soup->triangleCount; ++t)
                if (waysAlong(soup->triangles[t], a, b) != 0)
                    ways[count++] = waysAlong(soup->triangles[t], a, b);
            edgeCount += count != 0;
            if (count == 1)
                boundary = expectListed(report->boundaryEdges, boundary, a, b);
            if (count > 2)
                crowded = expectListed(report->nonManifoldEdges, crowded, a, b);
            if (count == 2 && ways[0] == ways[1] && ways[0] != 3)
                contradictory = expectListed(report->inconsistentEdges, contradictory, a, b);
        }
    }
    assert_int_equal(report->edgeCount, edgeCount);
    assert_int_equal(report->boundaryEdgeCount, boundary);
    assert_int_equal(report->nonManifoldEdgeCount, crowded);
    assert_int_equal(report->inconsistentEdgeCount, contradictory);
    assert_int_equal(report->isClosed, edgeCount != 0 && boundary == 0 && crowded == 0);
    assert_true(report->eulerNumber ==
                (int64_t)soup->vertexCount - report->unreferencedVertexCount - edgeCount + soup->triangleCount);
}

static void checkAll(const grzMesh* mesh, const Soup* soup) {
    const grzMeshView view = grzMesh_GetView(mesh);
    const grzMeshReport report = grzMesh_GetReport(mesh);
    checkNumbering(&view, soup);
    checkEdges(&view);
    for (uint32_t v = 0; v < view.vertexCount; ++v)
        checkRing(&view, v);
    checkComponents(&view, soup);
    checkTriangleReport(&report, soup);
    checkVertexReport(&report, soup);
    checkEdgeReport(&report, soup);
}

// -------------------------------------------------------------------------------------------------------- tests

static void shuffle(uint32_t* order, uint32_t count, grzRng* rng) {
    for (uint32_t i = 0; i < count; ++i)
        order[i] = i;
    for (uint32_t i = count; i > 1; --i) {
        const uint32_t j = grzRng_Below(rng, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void checkFirstTouch(const grzMeshView* view) {
    uint32_t next = 0;
    for (size_t i = 0; i < (size_t)view->triangleCount * 3; ++i) {
        assert_true(view->triangles[i] <= next);
        next += view->triangles[i] == next;
    }
    for (uint32_t v = next + 1; v < view->vertexCount; ++v)
        assert_true(view->vertexToCaller[v - 1] < view->vertexToCaller[v]);
}

static void agreesWithAllPairsInEveryOrder(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(0x5eed0020), 0);
    for (int round = 0; round < 600; ++round) {
        const Soup soup = makeSoup(&rng);
        uint32_t triangleOrder[MAX_TRIANGLES];
        shuffle(triangleOrder, soup.triangleCount, &rng);
        for (int order = grz_orderAsGiven; order <= grz_orderByTriangles; ++order) {
            grzMesh* mesh = createFrom(&soup, (grzMeshOrder)order, triangleOrder);
            checkAll(mesh, &soup);
            const grzMeshView view = grzMesh_GetView(mesh);
            if (order != grz_orderAsGiven)
                checkFirstTouch(&view);
            if (order <= grz_orderFirstTouch)
                for (uint32_t t = 0; t < soup.triangleCount; ++t)
                    assert_int_equal(view.triangleToCaller[t], t);
            if (order == grz_orderAsGiven)
                for (uint32_t v = 0; v < soup.vertexCount; ++v)
                    assert_int_equal(view.vertexToCaller[v], v);
            if (order == grz_orderByTriangles)
                assert_memory_equal(view.triangleToCaller, triangleOrder, soup.triangleCount * sizeof(uint32_t));
            grzMesh_Destroy(mesh);
        }
    }
}

enum { CUBE_SIDE = 8, CUBE_COUNT = CUBE_SIDE * CUBE_SIDE * CUBE_SIDE };

// A triangle around each whole place of a cube of 8, in any order; place 0 at `lower` steps.
typedef struct Cube {
    double positions[CUBE_COUNT * 3][3];
    uint32_t triangles[CUBE_COUNT][3], places[CUBE_COUNT];
} Cube;

static void makeCube(Cube* cube, double lower, double step, grzRng* rng) {
    shuffle(cube->places, CUBE_COUNT, rng);
    for (uint32_t t = 0; t < CUBE_COUNT; ++t) {
        const double reach = 0.25 * (double)grzRng_Float(rng), offsets[3] = {0, reach, -reach};
        for (uint32_t k = 0; k < 3; ++k) {
            cube->triangles[t][k] = t * 3 + k;
            for (uint32_t axis = 0; axis < 3; ++axis)
                cube->positions[t * 3 + k][axis] =
                    (lower + (double)(cube->places[t] >> (3 * axis) & 7) + offsets[k]) * step;
        }
    }
}

// Morton order is the order of the interleaved places; also where the extent of the cube overflows a double.
static void mortonOrderFollowsTheCurve(void** state) {
    (void)state;
    static const double frames[][2] = {{0, 1}, {-3.5, 1e300}, {-3.5, 0x1p1022}, {0x1p40, 0x1p-40}};
    static Cube cube;
    grzRng rng = grzRng_Make(testSeed(0x5eed0021), 0);
    for (int frame = 0; frame < 4; ++frame) {
        makeCube(&cube, frames[frame][0], frames[frame][1], &rng);
        grzMeshDef def = grzDefaultMeshDef();
        def.positions = cube.positions, def.vertexCount = CUBE_COUNT * 3, def.positionType = grz_float64;
        def.indices = cube.triangles, def.triangleCount = CUBE_COUNT;
        def.order = grz_orderMorton;
        grzMesh* mesh;
        assert_int_equal(grzMesh_Create(&def, &mesh).status, grz_ok);
        const grzMeshView view = grzMesh_GetView(mesh);
        uint32_t last = 0;
        for (uint32_t t = 0; t < CUBE_COUNT; ++t) {
            const uint32_t place = cube.places[view.triangleToCaller[t]];
            uint32_t key = 0;
            for (uint32_t bit = 0; bit < 3; ++bit)
                for (uint32_t axis = 0; axis < 3; ++axis)
                    key |= (place >> (3 * axis + bit) & 1) << (3 * bit + axis);
            assert_true(t == 0 || key > last);
            last = key;
        }
        grzMesh_Destroy(mesh);
    }
}

static grzMesh* createFromTriangles(const uint32_t* triangles, size_t triangleCount, size_t vertexCount) {
    float* positions = calloc(vertexCount * 3, sizeof(float));
    for (size_t v = 0; v < vertexCount; ++v)
        positions[v * 3] = (float)v, positions[v * 3 + 1] = (float)(v * v % 1009);
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions;
    def.vertexCount = vertexCount;
    def.indices = triangles;
    def.triangleCount = triangleCount;
    grzMesh* mesh;
    assert_int_equal(grzMesh_Create(&def, &mesh).status, grz_ok);
    free(positions);
    assert_true(grzMesh_Validate(mesh));
    return mesh;
}

static void fanAroundOneVertex(void** state) {
    (void)state;
    enum { COUNT = 10000 };
    static uint32_t triangles[COUNT][3];
    for (uint32_t t = 0; t < COUNT; ++t)
        triangles[t][0] = COUNT, triangles[t][1] = t, triangles[t][2] = (t + 1) % COUNT;
    grzMesh* mesh = createFromTriangles(triangles[0], COUNT, COUNT + 1);
    const grzMeshView view = grzMesh_GetView(mesh);
    const grzMeshReport report = grzMesh_GetReport(mesh);
    assert_int_equal(view.edgeCount, 2 * COUNT);
    assert_int_equal(view.vertexTriangleStarts[COUNT + 1] - view.vertexTriangleStarts[COUNT], COUNT);
    assert_int_equal(view.vertexEdgeStarts[COUNT + 1] - view.vertexEdgeStarts[COUNT], COUNT);
    assert_int_equal(report.boundaryEdgeCount, COUNT);
    assert_int_equal(report.inconsistentEdgeCount, 0);
    assert_int_equal(report.componentCount, 1);
    for (uint32_t t = 0; t < COUNT; ++t) {
        assert_int_equal(view.triangleNeighbours[t * 3], (t + COUNT - 1) % COUNT);
        assert_int_equal(view.triangleNeighbours[t * 3 + 1], GRZ_MESH_NONE);
        assert_int_equal(view.triangleNeighbours[t * 3 + 2], (t + 1) % COUNT);
    }
    grzMesh_Destroy(mesh);
}

static void allTrianglesTheSame(void** state) {
    (void)state;
    enum { COUNT = 20000 };
    static uint32_t triangles[COUNT][3];
    for (uint32_t t = 0; t < COUNT; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            triangles[t][k] = t % 2 == 0 ? (k + t) % 3 : (3 - k + t) % 3;
    grzMesh* mesh = createFromTriangles(triangles[0], COUNT, 3);
    const grzMeshView view = grzMesh_GetView(mesh);
    const grzMeshReport report = grzMesh_GetReport(mesh);
    assert_int_equal(view.edgeCount, 3);
    assert_int_equal(report.nonManifoldEdgeCount, 3);
    assert_int_equal(report.duplicateTriangleCount, COUNT - 1);
    for (uint32_t i = 0; i < COUNT - 1; ++i) {
        assert_int_equal(report.duplicateTriangles[i].index, i + 1);
        assert_int_equal(report.duplicateTriangles[i].first, 0);
    }
    // Around each edge the ring visits all.
    uint32_t t = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        const uint32_t* edges = view.triangleEdges + (size_t)t * 3;
        t = view.triangleNeighbours[t * 3 + (edges[0] == 1 ? 0 : edges[1] == 1 ? 1 : 2)];
        assert_int_equal(t, (i + 1) % COUNT);
    }
    grzMesh_Destroy(mesh);
}

// A ribbon whose components are joined only by its last triangles: long chains in the forest.
static void longChainIsOneComponent(void** state) {
    (void)state;
    enum { COUNT = 30000 };
    static uint32_t triangles[COUNT][3];
    for (uint32_t t = 0; t < COUNT; ++t) {
        const uint32_t at = t % 2 == 0 ? COUNT - t : t;
        triangles[t][0] = at, triangles[t][1] = at + 1, triangles[t][2] = at + 2;
    }
    grzMesh* mesh = createFromTriangles(triangles[0], COUNT, COUNT + 3);
    assert_true(grzMesh_GetReport(mesh).componentCount == 1);
    const grzMeshView view = grzMesh_GetView(mesh);
    for (uint32_t t = 0; t < COUNT; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            assert_int_equal(view.vertexComponents[triangles[t][k]], view.vertexComponents[triangles[t][0]]);
    grzMesh_Destroy(mesh);
}

static void tetrahedronIsClosed(void** state) {
    (void)state;
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    grzMesh* mesh = createFromTriangles(triangles[0], 4, 4);
    grzMeshReport report = grzMesh_GetReport(mesh);
    assert_true(report.isClosed);
    assert_int_equal(report.eulerNumber, 2);
    assert_int_equal(report.inconsistentEdgeCount, 0);
    grzMesh_Destroy(mesh);
    static const uint32_t turned[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    mesh = createFromTriangles(turned[0], 4, 4);
    report = grzMesh_GetReport(mesh);
    assert_true(report.isClosed);
    assert_int_equal(report.inconsistentEdgeCount, 3);
    grzMesh_Destroy(mesh);
}

static void touchingCornersJoinPlacesDoNot(void** state) {
    (void)state;
    static const float positions[7][3] = {{0},       {1, 0, 0},     {0, 1, 0}, {0, 0, 1},
                                          {1, 1, 0}, {-0.0f, 0, 0}, {2, 1, 0}};
    static const uint32_t triangles[3][3] = {{0, 1, 2}, {2, 3, 4}, {5, 6, 5}};
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = 7;
    def.indices = triangles, def.triangleCount = 3;
    grzMesh* mesh;
    assert_int_equal(grzMesh_Create(&def, &mesh).status, grz_ok);
    const grzMeshReport report = grzMesh_GetReport(mesh);
    assert_int_equal(report.componentCount, 2);
    assert_int_equal(report.duplicateVertexCount, 1);
    assert_int_equal(report.duplicateVertices[0].index, 5);
    assert_int_equal(report.duplicateVertices[0].first, 0);
    assert_int_equal(report.boundaryEdgeCount, 7); // the one of the folded triangle too, once
    grzMesh_Destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreesWithAllPairsInEveryOrder),
        cmocka_unit_test(mortonOrderFollowsTheCurve),
        cmocka_unit_test(fanAroundOneVertex),
        cmocka_unit_test(allTrianglesTheSame),
        cmocka_unit_test(longChainIsOneComponent),
        cmocka_unit_test(tetrahedronIsClosed),
        cmocka_unit_test(touchingCornersJoinPlacesDoNot),
    };
    return cmocka_run_group_tests_name("mesh_topology", tests, NULL, NULL);
}
