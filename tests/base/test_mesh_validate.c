// mesh_validate.c, mesh_check_report.c: whatever single number of a mesh is spoilt, validation sees it.
#include "testing.h"

#include "check.h"
#include "mesh_parts.h"

// Something of everything: a square of four triangles, a second fin on an edge, a turned triangle, a folded one,
// copies, a flat triangle, a loose vertex, a part of its own.
static grzMesh* createOddMesh(grzMeshOrder order) {
    static const float positions[13][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0},
                                           {1, 1, 2}, {4, 0, 0}, {9, 9, 9}, {1, 1, 2}, {5, 5, 5},
                                           {6, 5, 5}, {5, 6, 5}, {9, 9, 9}};
    static const uint32_t triangles[10][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {0, 4, 5},
                                              {1, 2, 6}, {2, 6, 2}, {4, 1, 0}, {0, 1, 6}, {9, 10, 11}};
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = 13;
    def.indices = triangles, def.triangleCount = 10;
    def.order = order;
    grzMesh* mesh;
    assert_int_equal(grzMesh_Create(&def, &mesh).status, grz_ok);
    const grzMeshReport report = grzMesh_GetReport(mesh);
    assert_true(report.degenerateTriangleCount == 2 && report.repeatedIndexCount == 1);
    assert_true(report.duplicateTriangleCount == 1 && report.duplicateVertexCount == 2);
    assert_true(report.unreferencedVertexCount == 3 && report.componentCount == 2);
    assert_true(report.boundaryEdgeCount != 0 && report.nonManifoldEdgeCount != 0);
    assert_true(report.inconsistentEdgeCount == 1);
    return mesh;
}

static uint32_t g_logCount;

static void countLog(void* context, grzLogLevel level, const char* text) {
    (void)context;
    assert_int_equal(level, grz_logError);
    assert_non_null(strstr(text, "it does not hold that "));
    g_logCount++;
}

// Turns over one bit after the other of each number, and makes each number none.
static void spoilNumbers(const grzMesh* mesh, const void* data, size_t count) {
    uint32_t* numbers = (uint32_t*)(uintptr_t)data;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t kept = numbers[i];
        for (uint32_t bit = 0; bit <= 32; ++bit) {
            numbers[i] = bit < 32 ? kept ^ 1u << bit : GRZ_MESH_NONE;
            if (numbers[i] != kept)
                assert_false(grzMesh_Validate(mesh));
        }
        numbers[i] = kept;
    }
}

static void spoilView(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const size_t v = view->vertexCount, t = view->triangleCount, e = view->edgeCount;
    spoilNumbers(mesh, view->triangles, t * 3);
    spoilNumbers(mesh, view->edges, e * 2);
    spoilNumbers(mesh, view->edgeTriangleStarts, e + 1);
    spoilNumbers(mesh, view->edgeTriangles, view->edgeTriangleStarts[e]);
    spoilNumbers(mesh, view->triangleEdges, t * 3);
    spoilNumbers(mesh, view->triangleNeighbours, t * 3);
    spoilNumbers(mesh, view->vertexTriangleStarts, v + 1);
    spoilNumbers(mesh, view->vertexTriangles, view->vertexTriangleStarts[v]);
    spoilNumbers(mesh, view->vertexEdgeStarts, v + 1);
    spoilNumbers(mesh, view->vertexEdges, e * 2);
    spoilNumbers(mesh, view->vertexNeighbours, e * 2);
    spoilNumbers(mesh, view->vertexOwners, v);
    spoilNumbers(mesh, view->edgeOwners, e);
    spoilNumbers(mesh, view->vertexComponents, v);
    spoilNumbers(mesh, view->vertexToCaller, v);
    spoilNumbers(mesh, view->vertexFromCaller, v);
    spoilNumbers(mesh, view->triangleToCaller, t);
    spoilNumbers(mesh, view->triangleFromCaller, t);
    uint8_t* owns = (uint8_t*)(uintptr_t)view->triangleOwns;
    for (size_t i = 0; i < t * 8; ++i) {
        owns[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_false(grzMesh_Validate(mesh));
        owns[i / 8] ^= (uint8_t)(1u << i % 8);
    }
}

static void spoilReport(grzMesh* mesh) {
    grzMeshReport* report = &mesh->report;
    spoilNumbers(mesh, report->degenerateTriangles, report->degenerateTriangleCount);
    spoilNumbers(mesh, report->duplicateTriangles, report->duplicateTriangleCount * 2);
    spoilNumbers(mesh, report->unreferencedVertices, report->unreferencedVertexCount);
    spoilNumbers(mesh, report->duplicateVertices, report->duplicateVertexCount * 2);
    spoilNumbers(mesh, report->boundaryEdges, report->boundaryEdgeCount * 2);
    spoilNumbers(mesh, report->nonManifoldEdges, report->nonManifoldEdgeCount * 2);
    uint32_t* counts[] = {
        &report->vertexCount,       &report->triangleCount,        &report->edgeCount,
        &report->componentCount,    &report->repeatedIndexCount,   &report->degenerateTriangleCount,
        &report->boundaryEdgeCount, &report->nonManifoldEdgeCount, &report->unreferencedVertexCount};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        --*counts[i]; // one less, so that no list is read beyond its end
        assert_false(grzMesh_Validate(mesh));
        ++*counts[i];
    }
    report->isClosed = !report->isClosed;
    assert_false(grzMesh_Validate(mesh));
    report->isClosed = !report->isClosed;
}

static void everySpoiltNumberIsSeen(void** state) {
    (void)state;
    for (int order = grz_orderAsGiven; order <= grz_orderMorton; ++order) {
        grzMesh* mesh = createOddMesh((grzMeshOrder)order);
        assert_true(grzMesh_Validate(mesh));
        grzSetLogHook(countLog, NULL);
        g_logCount = 0;
        spoilView(mesh);
        spoilReport(mesh);
        mesh->view.bounds.upper.y += 1;
        assert_false(grzMesh_Validate(mesh));
        mesh->view.bounds.upper.y -= 1;
        grzSetLogHook(NULL, NULL);
        assert_true(g_logCount > 1000);
        assert_true(grzMesh_Validate(mesh)); // all is as it was
        grzMesh_Destroy(mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everySpoiltNumberIsSeen),
    };
    return cmocka_run_group_tests_name("mesh_validate", tests, NULL, NULL);
}
