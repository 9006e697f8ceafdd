// What: checks a mesh's report against its view, which must be sound already (mesh_validate.c).
// Idea: a list that strictly ascends, whose members all belong there, and which is as long as the count of those
//       who do, is the right list. For copies the count would need a search; they are only checked to be copies.
// Cost: O(V + T) and a binary search for each listed edge; nothing allocated.
#include "mesh_parts.h"

#include "collinear.h"

static const char* checkCounts(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const grzMeshReport* report = &mesh->report;
    if (report->vertexCount != view->vertexCount || report->triangleCount != view->triangleCount ||
        report->edgeCount != view->edgeCount || report->componentCount != view->componentCount)
        return "report and view agree";
    const int64_t usedCount = (int64_t)view->vertexCount - report->unreferencedVertexCount;
    if (report->eulerNumber != usedCount - view->edgeCount + view->triangleCount)
        return "the Euler number is that of the counts";
    const bool isClosed =
        view->edgeCount != 0 && report->boundaryEdgeCount == 0 && report->nonManifoldEdgeCount == 0;
    return report->isClosed == isClosed ? NULL : "a closed mesh has two triangles at each edge";
}

static const char* checkDegenerate(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const grzMeshReport* report = &mesh->report;
    uint32_t at = 0, repeatedCount = 0;
    for (uint32_t i = 0; i < view->triangleCount; ++i) {
        const uint32_t t = view->triangleFromCaller[i];
        grzMeshCorners places;
        grzMesh_LoadCorners(view, t, &places);
        repeatedCount += grzMesh_HasRepeatedIndex(view, t);
        if (!grzCollinear(places.at[0], places.at[1], places.at[2]))
            continue;
        if (at == report->degenerateTriangleCount || report->degenerateTriangles[at++] != i)
            return "triangles without area are listed";
    }
    if (at != report->degenerateTriangleCount || repeatedCount != report->repeatedIndexCount)
        return "only triangles without area are listed, and repeated indices counted";
    return NULL;
}

static const char* checkUnreferenced(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const grzMeshReport* report = &mesh->report;
    uint32_t at = 0;
    for (uint32_t i = 0; i < view->vertexCount; ++i) {
        if (view->vertexOwners[view->vertexFromCaller[i]] != GRZ_MESH_NONE)
            continue;
        if (at == report->unreferencedVertexCount || report->unreferencedVertices[at++] != i)
            return "vertices without a triangle are listed";
    }
    return at == report->unreferencedVertexCount ? NULL : "only vertices without a triangle are listed";
}

static bool areCopies(const grzMeshCopy* copies, uint32_t count, uint32_t limit) {
    for (uint32_t i = 0; i < count; ++i)
        if (copies[i].first >= copies[i].index || copies[i].index >= limit ||
            (i != 0 && copies[i - 1].index >= copies[i].index))
            return false;
    return true;
}

static bool isSamePlace(const grzMesh* mesh, grzMeshCopy copy) {
    const grzVec3d p = grzMesh_GetPosition(mesh, mesh->view.vertexFromCaller[copy.index]);
    const grzVec3d q = grzMesh_GetPosition(mesh, mesh->view.vertexFromCaller[copy.first]);
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

static uint32_t countCorner(const uint32_t* corners, uint32_t v) {
    return (uint32_t)(corners[0] == v) + (uint32_t)(corners[1] == v) + (uint32_t)(corners[2] == v);
}

static bool hasSameCorners(const grzMeshView* view, grzMeshCopy copy) {
    const uint32_t* t = view->triangles + (size_t)view->triangleFromCaller[copy.index] * 3;
    const uint32_t* u = view->triangles + (size_t)view->triangleFromCaller[copy.first] * 3;
    for (int k = 0; k < 3; ++k)
        if (countCorner(t, t[k]) != countCorner(u, t[k]))
            return false;
    return true;
}

// Where the ascending numbers list[0], list[stride], ... hold this one; `count` where they do not.
static uint32_t findNumber(const uint32_t* list, size_t stride, uint32_t count, uint32_t number) {
    uint32_t from = 0, to = count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (list[middle * stride] < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && list[from * stride] == number ? from : count;
}

// A first that is itself a copy would not be the lowest. Both lists ascend, so one sweep over the copies and one
// over their numbers would do; a binary search reads better.
static bool isCopy(const grzMeshCopy* copies, uint32_t count, uint32_t index) {
    return findNumber(&copies->index, sizeof *copies / sizeof copies->index, count, index) != count;
}

static const char* checkCopies(const grzMesh* mesh) {
    const grzMeshReport* report = &mesh->report;
    const grzMeshCopy* vertices = report->duplicateVertices;
    const grzMeshCopy* triangles = report->duplicateTriangles;
    if (!areCopies(vertices, report->duplicateVertexCount, report->vertexCount) ||
        !areCopies(triangles, report->duplicateTriangleCount, report->triangleCount))
        return "copies ascend and follow their first";
    for (uint32_t i = 0; i < report->duplicateVertexCount; ++i)
        if (!isSamePlace(mesh, vertices[i]) || isCopy(vertices, report->duplicateVertexCount, vertices[i].first))
            return "a duplicate vertex lies where its first lies, and that is the lowest";
    for (uint32_t i = 0; i < report->duplicateTriangleCount; ++i)
        if (!hasSameCorners(&mesh->view, triangles[i]) ||
            isCopy(triangles, report->duplicateTriangleCount, triangles[i].first))
            return "a duplicate triangle has the corners of its first, and that is the lowest";
    return NULL;
}

// The number of triangles at the caller's edge; 0 where there is no such edge.
static uint32_t countTrianglesAt(const grzMeshView* view, grzMeshEdge callerEdge) {
    const uint32_t v = view->vertexFromCaller[callerEdge.a], w = view->vertexFromCaller[callerEdge.b];
    const uint32_t start = view->vertexEdgeStarts[v], count = view->vertexEdgeStarts[v + 1] - start;
    const uint32_t at = findNumber(view->vertexNeighbours + start, 1, count, w);
    return at != count ? grzMesh_CountEdgeTriangles(view, view->vertexEdges[start + at]) : 0;
}

// Whether the list ascends and holds only edges that have from `least` to `most` triangles.
static bool areEdges(const grzMeshView* view, const grzMeshEdge* edges, uint32_t count, uint32_t least,
                     uint32_t most) {
    for (uint32_t i = 0; i < count; ++i) {
        if (edges[i].a >= edges[i].b || edges[i].b >= view->vertexCount)
            return false;
        if (i != 0 &&
            (edges[i - 1].a > edges[i].a || (edges[i - 1].a == edges[i].a && edges[i - 1].b >= edges[i].b)))
            return false;
        const uint32_t triangleCount = countTrianglesAt(view, edges[i]);
        if (triangleCount < least || triangleCount > most)
            return false;
    }
    return true;
}

static const char* checkEdgeLists(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const grzMeshReport* report = &mesh->report;
    uint32_t boundaryCount = 0, nonManifoldCount = 0;
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        boundaryCount += grzMesh_CountEdgeTriangles(view, e) == 1;
        nonManifoldCount += grzMesh_CountEdgeTriangles(view, e) > 2;
    }
    if (boundaryCount != report->boundaryEdgeCount || nonManifoldCount != report->nonManifoldEdgeCount)
        return "edges are counted by their number of triangles";
    if (!areEdges(view, report->boundaryEdges, boundaryCount, 1, 1) ||
        !areEdges(view, report->nonManifoldEdges, nonManifoldCount, 3, UINT32_MAX) ||
        !areEdges(view, report->inconsistentEdges, report->inconsistentEdgeCount, 2, 2))
        return "edges are listed by their number of triangles";
    return NULL;
}

const char* grzMesh_CheckReport(const grzMesh* mesh) {
    static grzMeshCheck* const checks[] = {checkCounts, checkDegenerate, checkUnreferenced, checkCopies,
                                           checkEdgeLists};
    const char* broken = NULL;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && broken == NULL; ++i)
        broken = checks[i](mesh);
    return broken;
}
