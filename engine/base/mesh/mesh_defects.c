// What: the part of the report that asks about shape: area, edges that are open, crowded or contradictory, vertices
//       without a triangle.
// Holds: lists in the caller's numbers, ascending, whatever the mesh's order.
// Cost: O(V + T); area is decided by a filter for nearly all triangles (collinear.h), by OpenMP's threads where
//       there are many.
#include "mesh_parts.h"

#include "collinear.h"
#include "openmp.h"
#include "radix_sort.h"

// Moves a list that was collected in scratch to the mesh. NULL where memory is refused.
static const uint32_t* keepIndices(grzMesh* mesh, const uint32_t* list, uint32_t count) {
    uint32_t* kept = grzMeshMemory_TakeIndices(&mesh->memory, count);
    if (kept != NULL)
        memcpy(kept, list, count * sizeof *kept);
    return kept;
}

typedef enum Area { SOME_AREA, NO_AREA, REPEATED_INDEX } Area;

static Area areaOf(const grzMeshView* view, uint32_t triangle) {
    if (grzMesh_HasRepeatedIndex(view, triangle))
        return REPEATED_INDEX;
    grzMeshCorners corners;
    grzMesh_LoadCorners(view, triangle, &corners);
    return grzCollinear(corners.at[0], corners.at[1], corners.at[2]) ? NO_AREA : SOME_AREA;
}

static grzResult findDegenerate(grzMesh* mesh, grzMeshMemory* scratch) {
    const grzMeshView* view = &mesh->view;
    grzMeshReport* report = &mesh->report;
    const uint32_t count = view->triangleCount;
    uint8_t* areas = grzMeshMemory_Take(scratch, count, sizeof *areas);
    if (areas == NULL)
        return scratch->result;
    GRZ_OMP_PARALLEL_FOR(if (grzMesh_IsWorthATeam(view)))
    for (uint32_t i = 0; i < count; ++i)
        areas[i] = (uint8_t)areaOf(view, view->triangleFromCaller[i]);
    uint32_t counts[3] = {0};
    for (uint32_t i = 0; i < count; ++i)
        counts[areas[i]]++;
    report->repeatedIndexCount = counts[REPEATED_INDEX];
    report->degenerateTriangleCount = counts[NO_AREA] + counts[REPEATED_INDEX];
    uint32_t* found = grzMeshMemory_TakeIndices(&mesh->memory, report->degenerateTriangleCount);
    if (found == NULL)
        return mesh->memory.result;
    for (uint32_t i = 0, at = 0; at < report->degenerateTriangleCount; ++i)
        if (areas[i] != SOME_AREA)
            found[at++] = i;
    report->degenerateTriangles = found;
    return grzOk();
}

static grzResult findUnreferenced(grzMesh* mesh, grzMeshMemory* scratch) {
    const grzMeshView* view = &mesh->view;
    grzMeshReport* report = &mesh->report;
    uint32_t* found = grzMeshMemory_TakeIndices(scratch, view->vertexCount);
    if (found == NULL)
        return scratch->result;
    for (uint32_t i = 0; i < view->vertexCount; ++i)
        if (view->vertexOwners[view->vertexFromCaller[i]] == GRZ_MESH_NONE)
            found[report->unreferencedVertexCount++] = i;
    report->unreferencedVertices = keepIndices(mesh, found, report->unreferencedVertexCount);
    return mesh->memory.result;
}

typedef enum EdgeKind { REGULAR, BOUNDARY, NON_MANIFOLD, INCONSISTENT } EdgeKind;

// How triangle t runs along edge e: 1 from a to b, -1 back, 0 both ways (a repeated index).
static int directionOf(const grzMeshView* view, uint32_t t, uint32_t e) {
    int direction = 0;
    for (size_t i = 0; i < 3; ++i)
        if (view->triangleEdges[(size_t)t * 3 + i] == e)
            direction += view->triangles[(size_t)t * 3 + i] == view->edges[e].a ? 1 : -1;
    return direction;
}

static EdgeKind kindOf(const grzMeshView* view, uint32_t e) {
    const uint32_t* row = view->edgeTriangles + view->edgeTriangleStarts[e];
    const uint32_t count = grzMesh_CountEdgeTriangles(view, e);
    if (count != 2)
        return count == 1 ? BOUNDARY : NON_MANIFOLD;
    const int first = directionOf(view, row[0], e);
    return first != 0 && first == directionOf(view, row[1], e) ? INCONSISTENT : REGULAR;
}

// The edge in the caller's numbers, as a key that sorts by (a, b).
static uint64_t callerKey(const grzMeshView* view, uint32_t e) {
    const uint32_t a = view->vertexToCaller[view->edges[e].a];
    const uint32_t b = view->vertexToCaller[view->edges[e].b];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static grzResult listEdges(grzMesh* mesh, EdgeKind kind, const uint8_t* kinds, uint32_t count,
                           const grzMeshEdge** list, grzMeshMemory* scratch) {
    uint64_t* keys = grzMeshMemory_Take(scratch, count, sizeof *keys);
    uint64_t* scratchKeys = grzMeshMemory_Take(scratch, count, sizeof *keys);
    grzMeshEdge* edges = grzMeshMemory_Take(&mesh->memory, count, sizeof *edges);
    if (scratchKeys == NULL || edges == NULL)
        return scratchKeys == NULL ? scratch->result : mesh->memory.result;
    for (uint32_t e = 0, at = 0; at < count; ++e)
        if (kinds[e] == (uint8_t)kind)
            keys[at++] = callerKey(&mesh->view, e);
    grzRadixSort64(keys, NULL, scratchKeys, NULL, count);
    for (uint32_t i = 0; i < count; ++i)
        edges[i] = (grzMeshEdge){(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
    *list = edges;
    return grzOk();
}

static grzResult findEdges(grzMesh* mesh, grzMeshMemory* scratch) {
    const grzMeshView* view = &mesh->view;
    grzMeshReport* report = &mesh->report;
    uint8_t* kinds = grzMeshMemory_Take(scratch, view->edgeCount, sizeof *kinds);
    if (kinds == NULL)
        return scratch->result;
    uint32_t counts[4] = {0};
    for (uint32_t e = 0; e < view->edgeCount; ++e)
        counts[kinds[e] = (uint8_t)kindOf(view, e)]++;
    report->boundaryEdgeCount = counts[BOUNDARY];
    report->nonManifoldEdgeCount = counts[NON_MANIFOLD];
    report->inconsistentEdgeCount = counts[INCONSISTENT];
    grzResult result = listEdges(mesh, BOUNDARY, kinds, counts[BOUNDARY], &report->boundaryEdges, scratch);
    if (result.status == grz_ok)
        result = listEdges(mesh, NON_MANIFOLD, kinds, counts[NON_MANIFOLD], &report->nonManifoldEdges, scratch);
    if (result.status == grz_ok)
        result = listEdges(mesh, INCONSISTENT, kinds, counts[INCONSISTENT], &report->inconsistentEdges, scratch);
    return result;
}

grzResult grzMesh_FindDefects(grzMesh* mesh, const grzMeshDef* def, grzMeshMemory* scratch) {
    (void)def;
    const grzMeshView* view = &mesh->view;
    grzMeshReport* report = &mesh->report;
    report->vertexCount = view->vertexCount;
    report->triangleCount = view->triangleCount;
    report->edgeCount = view->edgeCount;
    report->componentCount = view->componentCount;
    grzResult result = findDegenerate(mesh, scratch);
    if (result.status == grz_ok)
        result = findUnreferenced(mesh, scratch);
    if (result.status == grz_ok)
        result = findEdges(mesh, scratch);
    const int64_t usedCount = (int64_t)view->vertexCount - report->unreferencedVertexCount;
    report->eulerNumber = usedCount - view->edgeCount + view->triangleCount;
    report->isClosed = view->edgeCount != 0 && report->boundaryEdgeCount == 0 && report->nonManifoldEdgeCount == 0;
    return result;
}
