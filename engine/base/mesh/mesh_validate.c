// What: checks what graze/mesh.h promises about a view, from the triangles up; then the report
//       (mesh_check_report.c).
// Idea: each promise is one function that returns NULL or the sentence that is broken.
// Cost: O(V + T), nothing allocated, so that it can be called anywhere.
#include "mesh_parts.h"

#include <math.h>

#include "check.h"
#include "refuse_null.h"

static bool ascends(const uint32_t* list, uint32_t count, uint32_t limit) {
    for (uint32_t i = 0; i < count; ++i)
        if (list[i] >= limit || (i != 0 && list[i - 1] >= list[i]))
            return false;
    return true;
}

// Rows that lie one after the other, `total` elements in all, and ascend within. The places are checked before any
// element is read, so that a wrong one leads nowhere.
static bool areRows(const uint32_t* starts, const uint32_t* elements, uint32_t rowCount, uint64_t total,
                    uint32_t limit) {
    if (starts[0] != 0 || starts[rowCount] != total)
        return false;
    for (uint32_t r = 0; r < rowCount; ++r)
        if (starts[r + 1] < starts[r])
            return false;
    for (uint32_t r = 0; r < rowCount; ++r)
        if (!ascends(elements + starts[r], starts[r + 1] - starts[r], limit))
            return false;
    return true;
}

static const char* checkInput(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    if ((view->positions32 != NULL) == (view->positions64 != NULL))
        return "a mesh has positions of one type";
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        double position[3];
        grzMesh_LoadPosition(view, v, position);
        if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
            return "positions are finite";
    }
    for (size_t i = 0; i < (size_t)view->triangleCount * 3; ++i)
        if (view->triangles[i] >= view->vertexCount)
            return "corners are vertices";
    return NULL;
}

static bool areInverse(const uint32_t* to, const uint32_t* from, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (to[i] >= count || from[to[i]] != i)
            return false;
    return true;
}

static const char* checkMaps(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    if (!areInverse(view->vertexToCaller, view->vertexFromCaller, view->vertexCount))
        return "vertex maps are inverse";
    if (!areInverse(view->triangleToCaller, view->triangleFromCaller, view->triangleCount))
        return "triangle maps are inverse";
    return NULL;
}

// How many different ones of the three are not GRZ_MESH_NONE.
static uint32_t countDifferent(const uint32_t* three) {
    uint32_t count = three[0] != GRZ_MESH_NONE;
    count += three[1] != GRZ_MESH_NONE && three[1] != three[0];
    count += three[2] != GRZ_MESH_NONE && three[2] != three[0] && three[2] != three[1];
    return count;
}

// How many elements the rows have that list each triangle with each of its (different) corners or edges.
static uint64_t countMemberships(const uint32_t* threes, uint32_t triangleCount) {
    uint64_t count = 0;
    for (size_t t = 0; t < triangleCount; ++t)
        count += countDifferent(threes + t * 3);
    return count;
}

static const char* checkEdges(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        const grzMeshEdge edge = view->edges[e];
        if (edge.a >= edge.b || edge.b >= view->vertexCount)
            return "an edge joins two vertices, a below b";
        if (e != 0 &&
            (view->edges[e - 1].a > edge.a || (view->edges[e - 1].a == edge.a && view->edges[e - 1].b >= edge.b)))
            return "edges ascend";
    }
    const uint64_t total = countMemberships(view->triangleEdges, view->triangleCount);
    if (!areRows(view->edgeTriangleStarts, view->edgeTriangles, view->edgeCount, total, view->triangleCount))
        return "an edge lists its triangles once, ascending";
    for (uint32_t e = 0; e < view->edgeCount; ++e)
        if (grzMesh_CountEdgeTriangles(view, e) == 0)
            return "an edge has a triangle";
    return NULL;
}

static const char* checkSides(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    for (size_t t = 0; t < view->triangleCount; ++t) {
        for (size_t i = 0; i < 3; ++i) {
            const uint32_t from = view->triangles[t * 3 + i], to = view->triangles[t * 3 + (i + 1) % 3];
            const uint32_t e = view->triangleEdges[t * 3 + i];
            if ((e == GRZ_MESH_NONE) != (from == to))
                return "a side is an edge unless it joins a vertex with itself";
            if (e == GRZ_MESH_NONE)
                continue;
            if (e >= view->edgeCount || view->edges[e].a != (from < to ? from : to) ||
                view->edges[e].b != (from < to ? to : from))
                return "a side is the edge of its corners";
        }
    }
    return NULL;
}

// Whether `edge` is one of the triangle's, and its neighbour there is `neighbour`.
static bool hasNeighbour(const grzMeshView* view, uint32_t t, uint32_t edge, uint32_t neighbour) {
    bool found = false;
    for (size_t i = 0; i < 3; ++i) {
        if (view->triangleEdges[(size_t)t * 3 + i] != edge)
            continue;
        if (view->triangleNeighbours[(size_t)t * 3 + i] != neighbour)
            return false;
        found = true;
    }
    return found;
}

static const char* checkNeighbours(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        const uint32_t* row = view->edgeTriangles + view->edgeTriangleStarts[e];
        const uint32_t count = grzMesh_CountEdgeTriangles(view, e);
        for (uint32_t i = 0; i < count; ++i)
            if (!hasNeighbour(view, row[i], e, count == 1 ? GRZ_MESH_NONE : row[(i + 1) % count]))
                return "neighbours go round the edge";
    }
    for (size_t i = 0; i < (size_t)view->triangleCount * 3; ++i)
        if (view->triangleEdges[i] == GRZ_MESH_NONE && view->triangleNeighbours[i] != GRZ_MESH_NONE)
            return "where there is no edge there is no neighbour";
    return NULL;
}

static const char* checkRings(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const uint64_t total = countMemberships(view->triangles, view->triangleCount);
    if (!areRows(view->vertexTriangleStarts, view->vertexTriangles, view->vertexCount, total, view->triangleCount))
        return "a vertex lists its triangles once, ascending";
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        for (uint32_t i = view->vertexTriangleStarts[v]; i < view->vertexTriangleStarts[v + 1]; ++i) {
            const uint32_t* corners = view->triangles + (size_t)view->vertexTriangles[i] * 3;
            if (corners[0] != v && corners[1] != v && corners[2] != v)
                return "a triangle of a vertex has it as a corner";
        }
    }
    return NULL;
}

static const char* checkVertexEdges(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    const uint64_t total = (uint64_t)view->edgeCount * 2;
    if (!areRows(view->vertexEdgeStarts, view->vertexEdges, view->vertexCount, total, view->edgeCount) ||
        !areRows(view->vertexEdgeStarts, view->vertexNeighbours, view->vertexCount, total, view->vertexCount))
        return "a vertex lists its edges and neighbours once, ascending";
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        for (uint32_t i = view->vertexEdgeStarts[v]; i < view->vertexEdgeStarts[v + 1]; ++i) {
            const grzMeshEdge edge = view->edges[view->vertexEdges[i]];
            const uint32_t other = view->vertexNeighbours[i];
            if (edge.a != (v < other ? v : other) || edge.b != (v < other ? other : v))
                return "a vertex's edge leads to its neighbour";
        }
    }
    return NULL;
}

static uint32_t countBits(uint32_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

// Every bit points at something that is owned by that triangle, and there are as many bits as owned things: so each
// owned thing has its bit, once.
static const char* checkOwners(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    uint64_t bitCount = 0, ownedCount = view->edgeCount;
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        const uint32_t owns = view->triangleOwns[t];
        bitCount += countBits(owns);
        for (uint32_t i = 0; i < 3; ++i) {
            const uint32_t e = view->triangleEdges[(size_t)t * 3 + i];
            if ((owns & GRZ_MESH_OWNS_CORNER(i)) != 0 &&
                view->vertexOwners[view->triangles[(size_t)t * 3 + i]] != t)
                return "an owned corner names its owner";
            if ((owns & GRZ_MESH_OWNS_EDGE(i)) != 0 && (e == GRZ_MESH_NONE || view->edgeOwners[e] != t))
                return "an owned edge names its owner";
        }
    }
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        const uint32_t start = view->vertexTriangleStarts[v];
        const bool isUsed = start != view->vertexTriangleStarts[v + 1];
        if (view->vertexOwners[v] != (isUsed ? view->vertexTriangles[start] : GRZ_MESH_NONE))
            return "the owner of a vertex is its lowest triangle";
        ownedCount += isUsed;
    }
    for (uint32_t e = 0; e < view->edgeCount; ++e)
        if (view->edgeOwners[e] != view->edgeTriangles[view->edgeTriangleStarts[e]])
            return "the owner of an edge is its lowest triangle";
    return bitCount == ownedCount ? NULL : "each vertex and each edge is owned once";
}

// That components are not too coarse needs a search; the tests do it.
static const char* checkComponents(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < view->triangleCount; ++i) {
        const uint32_t* corners = view->triangles + (size_t)view->triangleFromCaller[i] * 3;
        const uint32_t component = view->vertexComponents[corners[0]];
        if (component != view->vertexComponents[corners[1]] || component != view->vertexComponents[corners[2]])
            return "a triangle lies in one component";
        if (component > seen)
            return "components are numbered by their lowest triangle";
        seen += component == seen;
    }
    for (uint32_t v = 0; v < view->vertexCount; ++v)
        if ((view->vertexComponents[v] == GRZ_MESH_NONE) != (view->vertexOwners[v] == GRZ_MESH_NONE))
            return "a vertex has a component where it has a triangle";
    return seen == view->componentCount ? NULL : "each component has a triangle";
}

// Each side of the box is some used vertex's, and none lies outside.
static const char* checkBounds(const grzMesh* mesh) {
    const grzMeshView* view = &mesh->view;
    grzBoxd bounds = grzBoxd_Empty();
    for (size_t i = 0; i < (size_t)view->triangleCount * 3; ++i)
        bounds = grzBoxd_AddPoint(bounds, grzMesh_GetPosition(mesh, view->triangles[i]));
    const bool isSame = bounds.lower.x == view->bounds.lower.x && bounds.lower.y == view->bounds.lower.y &&
                        bounds.lower.z == view->bounds.lower.z && bounds.upper.x == view->bounds.upper.x &&
                        bounds.upper.y == view->bounds.upper.y && bounds.upper.z == view->bounds.upper.z;
    return isSame ? NULL : "the bounds are those of the used vertices";
}

bool grzMesh_Validate(const grzMesh* mesh) {
    GRZ_RETURN_IF_NULL(mesh, false);
    // In this order: a check may rest on those before it.
    static grzMeshCheck* const checks[] = {
        checkInput,       checkMaps,   checkEdges,      checkSides,  checkNeighbours,     checkRings,
        checkVertexEdges, checkOwners, checkComponents, checkBounds, grzMesh_CheckReport,
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
        const char* broken = checks[i](mesh);
        if (broken == NULL)
            continue;
        grzLog(grz_logError, "mesh of %u vertices and %u triangles: it does not hold that %s",
               mesh->view.vertexCount, mesh->view.triangleCount, broken);
        return false;
    }
    return true;
}
