// What: masses and constraints of a cloth, from its mesh.
// Promise: a function of the mesh and the density alone. Every edge between two different vertices is a stretch; every two
//          triangles that follow each other around an edge are a bend, so that k triangles at an edge have k - 1. Edges of one
//          triangle bend with nothing.
// Holds: rest lengths and angles are measured in double and rounded once.
// Limits: where a triangle has no height over an edge to speak of (a millionth of the edge), the pair has no angle and is left
//         out. A vertex has at least a thousandth of the mean mass, so that slivers are not infinitely light; one that no
//         triangle names has none, and stays where it is.
#include <math.h>
#include <string.h>

#include "cloth_inside.h"
#include "result_make.h"

#define LEAST_HEIGHT 1e-6 // of an edge, over which a triangle has an angle
#define LEAST_SHARE  1e-3 // of the mean mass
#define LEAST_MASS   1e-15

// What is needed while building.
typedef struct ClothDraft {
    grzClothBody* cloth;
    grzMeshView view;
    ClothInts vertices; // of constraints
    ClothFloats values; // c1, c2, c3 and rest of bends
    ClothInts colors, places;
    GRZ_ARRAY(uint64_t); // masks of colours
} ClothDraft;

static grzVec3d corner(const ClothDraft* draft, uint32_t vertex) {
    return grzMesh_GetPosition(draft->cloth->mesh, vertex);
}

static double triangleArea(const ClothDraft* draft, uint32_t triangle) {
    const uint32_t* v = draft->view.triangles + (size_t)3 * triangle;
    const grzVec3d a = corner(draft, v[0]);
    return 0.5 * grzVec3d_Length(
                     grzVec3d_Cross(grzVec3d_Sub(corner(draft, v[1]), a), grzVec3d_Sub(corner(draft, v[2]), a)));
}

// Inverse masses into the rows.
static grzResult setMasses(ClothDraft* draft, double density) {
    double total = 0;
    uint32_t used = 0;
    for (uint32_t t = 0; t < draft->view.triangleCount; ++t)
        total += triangleArea(draft, t);
    for (uint32_t v = 0; v < draft->view.vertexCount; ++v)
        used += draft->view.vertexTriangleStarts[v + 1] != draft->view.vertexTriangleStarts[v];
    if (!(total > 0))
        return grzBecause(grzFail(grz_badArgument, 2), "no triangle of the mesh has an area");
    const double least = total / used * LEAST_SHARE;
    for (uint32_t v = 0; v < draft->view.vertexCount; ++v) {
        double area = 0;
        const uint32_t end = draft->view.vertexTriangleStarts[v + 1];
        for (uint32_t k = draft->view.vertexTriangleStarts[v]; k < end; ++k)
            area += triangleArea(draft, draft->view.vertexTriangles[k]) / 3;
        const bool isUsed = draft->view.vertexTriangleStarts[v] != end;
        const double mass = (area > least ? area : least) * density;
        if (!(mass > LEAST_MASS && mass < 1 / LEAST_MASS))
            return grzBecause(grzFail(grz_badArgument, 2),
                              "the density makes masses of vertices beyond 1e-15 to 1e15");
        draft->cloth->now.data[(size_t)4 * v + 3] = isUsed ? (float)(1 / mass) : 0.0f;
    }
    return grzOk();
}

// ---- colours to groups ----

static grzResult colorAll(ClothDraft* draft, uint32_t count, uint32_t width, uint32_t* colorCount) {
    const grzAllocator* allocator = &draft->cloth->allocator;
    if (count != 0 && (!grzArray_Reserve(&draft->colors, allocator, count) ||
                       !grzArray_Reserve(&draft->places, allocator, count)))
        return grzNoMemory(count, sizeof(uint32_t));
    *colorCount = grzCloth_Color(draft->vertices.data, count, width, draft->data, draft->cloth->vertexCount,
                                 draft->colors.data);
    return grzOk();
}

// Where each constraint's lane is, counted in lanes, and where the groups of each colour start.
static uint32_t placeLanes(ClothDraft* draft, uint32_t count, uint32_t colorCount, uint32_t* starts) {
    memset(starts, 0, (colorCount + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; ++i)
        starts[draft->colors.data[i] + 1]++;
    for (uint32_t c = 0; c < colorCount; ++c)
        starts[c + 1] = starts[c] + (starts[c + 1] + 7) / 8;
    // `starts` serves as the cursors of the colours, in lanes, and is then made again from what follows it.
    const uint32_t groupCount = starts[colorCount];
    for (uint32_t c = 0; c <= colorCount; ++c)
        starts[c] *= 8;
    for (uint32_t i = 0; i < count; ++i)
        draft->places.data[i] = starts[draft->colors.data[i]]++;
    for (uint32_t c = colorCount; c > 0; --c)
        starts[c] = (starts[c - 1] + 7) / 8;
    starts[0] = 0;
    return groupCount;
}

// Colours `count` constraints of `width` vertices, and gives each a lane in a group of its colour.
static grzResult layOut(ClothDraft* draft, uint32_t count, uint32_t width, ClothInts* starts,
                        uint32_t* groupCount) {
    uint32_t colorCount;
    const grzResult result = colorAll(draft, count, width, &colorCount);
    if (result.status != grz_ok)
        return result;
    if (!grzArray_Reserve(starts, &draft->cloth->allocator, (size_t)colorCount + 1))
        return grzNoMemory(colorCount, sizeof(uint32_t));
    starts->count = (size_t)colorCount + 1;
    *groupCount = placeLanes(draft, count, colorCount, starts->data);
    return result;
}

// ---- stretch ----

static grzResult listEdges(ClothDraft* draft) {
    if (draft->view.edgeCount == 0)
        return grzOk();
    if (!grzArray_Reserve(&draft->vertices, &draft->cloth->allocator, (size_t)2 * draft->view.edgeCount))
        return grzNoMemory(draft->view.edgeCount, 2 * sizeof(uint32_t));
    for (uint32_t e = 0; e < draft->view.edgeCount; ++e) {
        draft->vertices.data[2 * e] = draft->view.edges[e].a;
        draft->vertices.data[2 * e + 1] = draft->view.edges[e].b;
    }
    return grzOk();
}

static void restStretch(ClothStretch8* group, uint32_t spare) {
    for (int lane = 0; lane < 8; ++lane) {
        group->a[lane] = group->b[lane] = (int32_t)spare;
        group->rest[lane] = 0;
    }
}

static grzResult makeStretches(ClothDraft* draft) {
    ClothStretches* to = &draft->cloth->stretches;
    const uint32_t count = draft->view.edgeCount;
    uint32_t groupCount = 0;
    grzResult result = listEdges(draft);
    if (result.status == grz_ok)
        result = layOut(draft, count, 2, &to->starts, &groupCount);
    if (result.status != grz_ok)
        return result;
    if (groupCount != 0 && !grzArray_Reserve(to, &draft->cloth->allocator, groupCount))
        return grzNoMemory(groupCount, sizeof(ClothStretch8));
    to->count = groupCount;
    for (uint32_t g = 0; g < groupCount; ++g)
        restStretch(&to->data[g], draft->cloth->vertexCount);
    for (uint32_t e = 0; e < count; ++e) {
        const uint32_t place = draft->places.data[e];
        const grzMeshEdge edge = draft->view.edges[e];
        ClothStretch8* group = &to->data[place / 8];
        group->a[place % 8] = (int32_t)edge.a;
        group->b[place % 8] = (int32_t)edge.b;
        group->rest[place % 8] = (float)grzVec3d_Length(grzVec3d_Sub(corner(draft, edge.a), corner(draft, edge.b)));
    }
    return grzOk();
}

// ---- bend ----

// The corner of a triangle that is not on the edge; GRZ_MESH_NONE for a triangle with an index twice.
static uint32_t acrossFrom(const uint32_t* triangle, grzMeshEdge edge) {
    for (int k = 0; k < 3; ++k)
        if (triangle[k] != edge.a && triangle[k] != edge.b)
            return triangle[k];
    return GRZ_MESH_NONE;
}

// From the edge's line to a point: the unit vector, 1 / height, and where along the edge it stands.
typedef struct ClothHeight {
    grzVec3d unit;
    double inverse, along;
    bool isGood;
} ClothHeight;

static ClothHeight measureHeight(grzVec3d a, grzVec3d edge, grzVec3d point) {
    ClothHeight height = {{0, 0, 0}, 0, 0, false};
    const double lengthSq = grzVec3d_LengthSq(edge);
    const grzVec3d from = grzVec3d_Sub(point, a);
    height.along = lengthSq > 0 ? grzVec3d_Dot(from, edge) / lengthSq : 0;
    const grzVec3d up = grzVec3d_Sub(from, grzVec3d_Scale(edge, height.along));
    const double length = grzVec3d_Length(up);
    if (!(lengthSq > 0) || !(length > LEAST_HEIGHT * sqrt(lengthSq)))
        return height;
    height.inverse = 1 / length;
    height.unit = grzVec3d_Scale(up, height.inverse);
    height.isGood = (float)height.inverse < 1e15f;
    return height;
}

// The vertices and numbers of one bend (cloth_kernel.h); false where there is none.
static bool measureBend(const ClothDraft* draft, const uint32_t vertices[4], float values[4]) {
    const grzVec3d a = corner(draft, vertices[0]), edge = grzVec3d_Sub(corner(draft, vertices[1]), a);
    const grzVec3d third = corner(draft, vertices[2]), fourth = corner(draft, vertices[3]);
    const ClothHeight one = measureHeight(a, edge, third), other = measureHeight(a, edge, fourth);
    if (!one.isGood || !other.isGood)
        return false;
    values[0] = (float)-(one.along * one.inverse + other.along * other.inverse);
    values[1] = (float)one.inverse;
    values[2] = (float)other.inverse;
    const grzVec3d bend = grzVec3d_Add(one.unit, other.unit);
    const grzVec3d normal = grzVec3d_Cross(edge, grzVec3d_Sub(fourth, third));
    const double length = grzVec3d_Length(bend);
    values[3] = (float)(grzVec3d_Dot(bend, normal) < 0 ? -length : length);
    // What rounding leaves of a flat mesh is flat.
    if (length < 1e-6)
        values[3] = 0;
    return true;
}

static grzResult listBends(ClothDraft* draft, uint32_t* count) {
    const grzMeshView* view = &draft->view;
    const size_t most = (size_t)3 * view->triangleCount; // two triangles a bend, three edges a triangle
    *count = 0;
    if (!grzArray_Reserve(&draft->vertices, &draft->cloth->allocator, 4 * most) ||
        !grzArray_Reserve(&draft->values, &draft->cloth->allocator, 4 * most))
        return grzNoMemory(4 * most, sizeof(uint32_t));
    for (uint32_t e = 0; e < view->edgeCount; ++e) {
        for (uint32_t k = view->edgeTriangleStarts[e]; k + 1 < view->edgeTriangleStarts[e + 1]; ++k) {
            uint32_t* v = draft->vertices.data + (size_t)4 * *count;
            v[0] = view->edges[e].a;
            v[1] = view->edges[e].b;
            v[2] = acrossFrom(view->triangles + (size_t)3 * view->edgeTriangles[k], view->edges[e]);
            v[3] = acrossFrom(view->triangles + (size_t)3 * view->edgeTriangles[k + 1], view->edges[e]);
            if (v[2] != GRZ_MESH_NONE && v[3] != GRZ_MESH_NONE && v[2] != v[3] &&
                measureBend(draft, v, draft->values.data + (size_t)4 * *count))
                ++*count;
        }
    }
    return grzOk();
}

static void writeBend(ClothBend8* group, uint32_t lane, const uint32_t vertices[4], const float values[4]) {
    for (int v = 0; v < 4; ++v)
        group->vertices[v][lane] = (int32_t)vertices[v];
    for (int v = 0; v < 3; ++v)
        group->c[v][lane] = values[v];
    group->rest[lane] = values[3];
}

static grzResult makeBends(ClothDraft* draft) {
    ClothBends* to = &draft->cloth->bends;
    uint32_t count = 0, groupCount = 0;
    grzResult result = listBends(draft, &count);
    if (result.status == grz_ok)
        result = layOut(draft, count, 4, &to->starts, &groupCount);
    if (result.status != grz_ok)
        return result;
    if (groupCount != 0 && !grzArray_Reserve(to, &draft->cloth->allocator, groupCount))
        return grzNoMemory(groupCount, sizeof(ClothBend8));
    to->count = groupCount;
    const uint32_t spare = draft->cloth->vertexCount, spares[4] = {spare, spare, spare, spare};
    const float zeros[4] = {0, 0, 0, 0};
    for (uint32_t lane = 0; lane < 8 * groupCount; ++lane)
        writeBend(&to->data[lane / 8], lane % 8, spares, zeros);
    for (uint32_t i = 0; i < count; ++i)
        writeBend(&to->data[draft->places.data[i] / 8], draft->places.data[i] % 8,
                  draft->vertices.data + (size_t)4 * i, draft->values.data + (size_t)4 * i);
    return grzOk();
}

grzResult grzCloth_Build(grzClothBody* cloth, float density) {
    ClothDraft draft = {.cloth = cloth, .view = grzMesh_GetView(cloth->mesh)};
    grzResult result = grzOk();
    if (!grzArray_Reserve(&draft, &cloth->allocator, cloth->vertexCount))
        result = grzNoMemory(cloth->vertexCount, sizeof(uint64_t));
    else
        result = setMasses(&draft, (double)density);
    if (result.status == grz_ok)
        result = makeStretches(&draft);
    if (result.status == grz_ok)
        result = makeBends(&draft);
    grzArray_Release(&draft.vertices, &cloth->allocator);
    grzArray_Release(&draft.values, &cloth->allocator);
    grzArray_Release(&draft.colors, &cloth->allocator);
    grzArray_Release(&draft.places, &cloth->allocator);
    grzArray_Release(&draft, &cloth->allocator);
    return result;
}
