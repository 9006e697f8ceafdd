// What: makes hulls: checks the def, runs the builder, lays out half-edges, planes and the arrays of the kernels.
// Promise: graze/hull.h: the faces' planes hold all vertices in real arithmetic; excess and slack are measured on
//   the finished hull, not argued.
// Idea: one block of memory holds all arrays. Everything is computed in double from float input about the middle of
//   its box, so that far-away points lose nothing.
#include "graze/hull.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "hull_inside.h"
#include "owner.h"
#include "refuse_null.h"
#include "vec3d.h"

#define HULL_MARK 0x48554C4Cu

grzHullDef grzDefaultHullDef(void) {
    grzHullDef def;
    memset(&def, 0, sizeof def);
    def.vertexLimit = 64;
    def.tolerance = 1e-5f;
    def.mark = HULL_MARK;
    return def;
}

static grzVec3d loadPoint(const grzHullDef* def, size_t i) {
    const float* p = def->positions + 3 * i;
    return grzVec3d_Make((double)p[0], (double)p[1], (double)p[2]);
}

// What is wrong with a field, or NULL.
static const char* findFlaw(const grzHullDef* def) {
    if (def->positions == NULL)
        return "positions is NULL";
    if (def->pointCount == 0)
        return "pointCount is 0: a hull needs four points or more";
    if (def->vertexLimit < 4 || def->vertexLimit > GRZ_HULL_MOST_VERTICES)
        return "vertexLimit must be from 4 to GRZ_HULL_MOST_VERTICES";
    if (!(def->tolerance >= 1e-6f && def->tolerance <= 0.1f))
        return "tolerance must be from 1e-6 to 0.1";
    return NULL;
}

static grzResult checkPoint(const grzHullDef* def, size_t i) {
    grzVec3d p = loadPoint(def, i);
    if (!grzVec3d_IsFinite(p))
        return grzFailAt(grz_notFinite, grz_partVertex, i, 0);
    double most = (double)GRZ_HULL_MOST_COORDINATE;
    if (fabs(p.x) > most || fabs(p.y) > most || fabs(p.z) > most)
        return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, i, 0), "a coordinate is beyond 1e15");
    return grzOk();
}

static grzResult checkDef(const grzHullDef* def) {
    if (def == NULL || def->mark != HULL_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result = grzCheckAllocator(def->allocator, 1);
    const char* flaw = grzResult_IsOk(result) ? findFlaw(def) : NULL;
    if (flaw != NULL)
        result = grzBecause(grzFail(grz_badArgument, 1), flaw);
    else if (grzResult_IsOk(result) && def->pointCount >= (size_t)1 << 31)
        result = grzFail(grz_tooLarge, def->pointCount);
    for (size_t i = 0; grzResult_IsOk(result) && i < def->pointCount; ++i)
        result = checkPoint(def, i);
    return result;
}

// ------------------------------------------------------------------------------------------------- the builder

static void releaseBuild(HullBuild* build) {
    const grzAllocator* allocator = &build->allocator;
    size_t n = build->pointCount, capacity = build->triangleCapacity;
    grzRelease(allocator, build->points, n, sizeof *build->points, 64);
    grzRelease(allocator, build->active, n, sizeof *build->active, 64);
    grzRelease(allocator, build->faceOf, n, sizeof *build->faceOf, 64);
    grzRelease(allocator, build->heights, n, sizeof *build->heights, 64);
    grzRelease(allocator, build->following, n, sizeof *build->following, 64);
    grzRelease(allocator, build->marks, n, sizeof *build->marks, 64);
    grzRelease(allocator, build->triangles, capacity, sizeof *build->triangles, 64);
    grzRelease(allocator, build->horizon, 3 * capacity, sizeof *build->horizon, 64);
}

// What the builder holds for each point. Beside it there are the triangles, as many as the vertex limit asks for.
enum { bytesPerPoint = sizeof(grzVec3d) + sizeof(double) + 3 * sizeof(uint32_t) + sizeof(uint8_t) };
GRZ_STATIC_ASSERT(bytesPerPoint == 45, "graze/hull.h tells it");

static grzResult allocateBuild(HullBuild* build) {
    const grzAllocator* allocator = &build->allocator;
    size_t n = build->pointCount, capacity = build->triangleCapacity;
    build->points = grzAllocate(allocator, n, sizeof *build->points, 64);
    build->active = grzAllocate(allocator, n, sizeof *build->active, 64);
    build->faceOf = grzAllocate(allocator, n, sizeof *build->faceOf, 64);
    build->heights = grzAllocate(allocator, n, sizeof *build->heights, 64);
    build->following = grzAllocate(allocator, n, sizeof *build->following, 64);
    build->marks = grzAllocate(allocator, n, sizeof *build->marks, 64);
    build->triangles = grzAllocate(allocator, capacity, sizeof *build->triangles, 64);
    build->horizon = grzAllocate(allocator, 3 * capacity, sizeof *build->horizon, 64);
    bool isMade = build->points != NULL && build->active != NULL && build->faceOf != NULL &&
                  build->heights != NULL && build->following != NULL && build->marks != NULL &&
                  build->triangles != NULL && build->horizon != NULL;
    return isMade ? grzOk() : grzNoMemory(n, bytesPerPoint);
}

static grzBoxd boxOf(const grzHullDef* def) {
    grzBoxd box = grzBoxd_Empty();
    for (size_t i = 0; i < def->pointCount; ++i)
        box = grzBoxd_AddPoint(box, loadPoint(def, i));
    return box;
}

static double largestOf(grzVec3d a) {
    double larger = a.x > a.y ? a.x : a.y;
    return larger > a.z ? larger : a.z;
}

// Below the least size floats have no room for the products of lengths that the queries form.
static grzResult fillBuild(const grzHullDef* def, HullBuild* build) {
    grzBoxd box = boxOf(def);
    grzVec3d middle = grzVec3d_Scale(grzVec3d_Add(box.lower, box.upper), 0.5);
    grzVec3d far = grzVec3d_Max(grzVec3d_Neg(box.lower), box.upper);
    build->size = largestOf(grzVec3d_Sub(box.upper, box.lower));
    build->tolerance = (double)def->tolerance * build->size + 0x1p-22 * largestOf(far);
    build->vertexLimit = def->vertexLimit;
    build->activeCount = build->pointCount;
    for (size_t i = 0; i < build->pointCount; ++i) {
        build->points[i] = grzVec3d_Sub(loadPoint(def, i), middle);
        build->active[i] = (uint32_t)i;
        build->following[i] = HULL_NONE;
        build->marks[i] = 0;
    }
    if (build->size > 0 && build->size < (double)GRZ_HULL_LEAST_SIZE)
        return grzBecause(grzFail(grz_badFormat, 0), "the points' box has no side of 1e-15 or more");
    return grzOk();
}

// Builds until every vertex is a corner. Ends, for each round but the last drops a vertex that none dropped before.
static grzResult runBuild(HullBuild* build, uint32_t* faceCount) {
    grzResult result = grzHullBuild_Run(build);
    while (grzResult_IsOk(result) && grzHullBuild_Group(build, faceCount) > 0)
        result = grzHullBuild_Run(build);
    return result;
}

// --------------------------------------------------------------------------------------------------- the layout

typedef struct HullSizes {
    uint32_t vertices, faces, edges;
} HullSizes;

static uint32_t pad(uint32_t count) {
    return (count + HULL_LANES - 1) / HULL_LANES * HULL_LANES;
}

static HullSizes countParts(const HullBuild* build, uint32_t faceCount) {
    uint32_t rim = 0;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            rim += build->triangles[build->triangles[t].to[k]].group != build->triangles[t].group;
    return (HullSizes){(uint32_t)build->activeCount, faceCount, rim / 2};
}

// Arrays one behind the other, each on a cache line. With block NULL only the size is computed.
static void* carve(char* block, size_t* used, size_t bytes) {
    void* place = block != NULL ? block + *used : NULL;
    *used += (bytes + 63) & ~(size_t)63;
    return place;
}

static size_t layOut(grzHull* hull, char* block, HullSizes sizes) {
    size_t used = 0;
    hull->paddedVertices = pad(sizes.vertices);
    hull->paddedEdges = pad(sizes.edges);
    hull->coordinates = carve(block, &used, 3 * sizeof(float) * hull->paddedVertices);
    hull->arcs = carve(block, &used, hullArcArrays * sizeof(float) * hull->paddedEdges);
    hull->firstOf = carve(block, &used, sizeof(uint32_t) * sizes.vertices);
    hull->view.vertices = hull->vertices = carve(block, &used, sizeof(grzVec3) * sizes.vertices);
    hull->view.sources = hull->sources = carve(block, &used, sizeof(uint32_t) * sizes.vertices);
    hull->view.faces = hull->faces = carve(block, &used, sizeof(grzHullFace) * sizes.faces);
    hull->view.halfEdges = hull->halfEdges = carve(block, &used, sizeof(grzHalfEdge) * 2 * sizes.edges);
    hull->view.vertexCount = sizes.vertices;
    hull->view.faceCount = sizes.faces;
    hull->view.edgeCount = sizes.edges;
    return used;
}

static void fillVertices(grzHull* hull, const grzHullDef* def, HullBuild* build) {
    grzVec3* vertices = hull->vertices;
    uint32_t* sources = hull->sources;
    hull->view.box = grzBox_Empty();
    for (uint32_t i = 0; i < hull->view.vertexCount; ++i) {
        uint32_t point = sources[i] = build->active[i];
        vertices[i] = grzVec3_Load(def->positions + 3 * (size_t)point);
        hull->view.box = grzBox_AddPoint(hull->view.box, vertices[i]);
        build->following[point] = i; // from here on: the vertex of a point
    }
    for (uint32_t i = 0; i < hull->paddedVertices; ++i)
        for (int axis = 0; axis < 3; ++axis)
            hull->coordinates[(uint32_t)axis * hull->paddedVertices + i] =
                grzVec3_Get(vertices[i < hull->view.vertexCount ? i : 0], axis);
}

// Numbers the rim edges of all groups; numbers[3 t + k] is the half-edge. Twins differ in the last bit.
static void numberEdges(HullBuild* build) {
    uint32_t* numbers = build->horizon;
    uint32_t count = 0;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            const HullTriangle* triangle = &build->triangles[t];
            const HullTriangle* other = &build->triangles[triangle->to[k]];
            if (triangle->group == other->group || triangle->v[k] > triangle->v[hullNext(k)])
                continue;
            uint32_t back = other->v[0] == triangle->v[hullNext(k)]   ? 0
                            : other->v[1] == triangle->v[hullNext(k)] ? 1
                                                                      : 2;
            numbers[3 * t + k] = count;
            numbers[3 * triangle->to[k] + back] = count + 1;
            count += 2;
        }
}

// The rim edge that follows (t, k) around the same group: turn about the end of the edge until the group ends.
static uint32_t followRim(const HullBuild* build, uint32_t t, uint32_t k) {
    uint32_t group = build->triangles[t].group, corner = build->triangles[t].v[hullNext(k)];
    k = hullNext(k);
    while (build->triangles[build->triangles[t].to[k]].group == group) {
        t = build->triangles[t].to[k];
        k = build->triangles[t].v[0] == corner ? 0 : build->triangles[t].v[1] == corner ? 1 : 2;
    }
    return build->horizon[3 * t + k];
}

static void fillEdges(grzHull* hull, HullBuild* build) {
    grzHalfEdge* edges = hull->halfEdges;
    grzHullFace* faces = hull->faces;
    memset(faces, 0, sizeof *faces * hull->view.faceCount);
    numberEdges(build);
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            const HullTriangle* triangle = &build->triangles[t];
            if (build->triangles[triangle->to[k]].group == triangle->group)
                continue;
            uint32_t number = build->horizon[3 * t + k], vertex = build->following[triangle->v[k]];
            edges[number] =
                (grzHalfEdge){(uint16_t)vertex, (uint16_t)followRim(build, t, k), (uint16_t)triangle->group, 0};
            hull->firstOf[vertex] = number;
            if (faces[triangle->group].edgeCount++ == 0)
                faces[triangle->group].firstEdge = number;
        }
}

// --------------------------------------------------------------------------------------------------- the planes

// [Newell], about the first vertex of the face, so that far-away hulls lose nothing.
static grzVec3d normalOf(const grzHull* hull, const grzHullFace* face) {
    const grzHalfEdge* edges = hull->view.halfEdges;
    grzVec3d first = grzVec3d_FromVec3(hull->view.vertices[edges[face->firstEdge].origin]);
    grzVec3d sum = grzVec3d_Make(0, 0, 0), before = sum;
    for (uint32_t e = edges[face->firstEdge].next; e != face->firstEdge; e = edges[e].next) {
        grzVec3d p = grzVec3d_Sub(grzVec3d_FromVec3(hull->view.vertices[edges[e].origin]), first);
        sum = grzVec3d_Add(sum, grzVec3d_Cross(before, p));
        before = p;
    }
    return grzVec3d_Unit(sum);
}

// Largest and, over the face's own vertices, least height along the face's normal as it is stored.
static void fillPlanes(grzHull* hull) {
    grzHullFace* faces = hull->faces;
    const grzHalfEdge* edges = hull->view.halfEdges;
    double slack = 0;
    for (uint32_t f = 0; f < hull->view.faceCount; ++f) {
        faces[f].normal = grzVec3d_ToVec3(normalOf(hull, &faces[f]));
        grzVec3d n = grzVec3d_FromVec3(faces[f].normal);
        double most = -(double)INFINITY, size = 0;
        for (uint32_t v = 0; v < hull->view.vertexCount; ++v) {
            grzVec3d p = grzVec3d_FromVec3(hull->view.vertices[v]);
            double height = grzVec3d_Dot(n, p);
            most = height > most ? height : most;
            size = grzVec3d_Sum(p) > size ? grzVec3d_Sum(p) : size;
        }
        // A dot product of floats in double errs by less than three roundings of its terms.
        faces[f].offset = grzRoundUp(most + 0x1p-50 * size);
        for (uint32_t e = faces[f].firstEdge, i = 0; i < faces[f].edgeCount; ++i, e = edges[e].next) {
            grzVec3d p = grzVec3d_FromVec3(hull->view.vertices[edges[e].origin]);
            double below = (double)faces[f].offset - grzVec3d_Dot(n, p) + 0x1p-50 * size;
            slack = below > slack ? below : slack;
        }
    }
    hull->view.slack = grzRoundUp(slack);
}

static void fillArcs(grzHull* hull) {
    const grzHullView* view = &hull->view;
    for (uint32_t i = 0; i < hull->paddedEdges; ++i) {
        uint32_t e = 2 * (i < view->edgeCount ? i : 0);
        grzVec3 from = view->vertices[view->halfEdges[e].origin],
                to = view->vertices[view->halfEdges[e + 1].origin];
        grzVec3 parts[4] = {from, grzSub(to, from), view->faces[view->halfEdges[e].face].normal,
                            view->faces[view->halfEdges[e + 1].face].normal};
        for (uint32_t part = 0; part < 4; ++part)
            for (uint32_t axis = 0; axis < 3; ++axis)
                hull->arcs[(3 * part + axis) * hull->paddedEdges + i] = grzVec3_Get(parts[part], (int)axis);
    }
}

// How far p may be outside of the faces, at most; rounding counts as outside.
static double measureOutside(const grzHull* hull, grzVec3d p) {
    double most = 0;
    for (uint32_t f = 0; f < hull->view.faceCount; ++f) {
        const grzHullFace* face = &hull->view.faces[f];
        double size = grzVec3d_Sum(p) + fabs((double)face->offset);
        double height = grzVec3d_Dot(grzVec3d_FromVec3(face->normal), p) - (double)face->offset + 0x1p-50 * size;
        most = height > most ? height : most;
    }
    return most;
}

static void measureExcess(grzHull* hull, const grzHullDef* def) {
    double excess = 0;
    for (size_t i = 0; i < def->pointCount; ++i) {
        double outside = measureOutside(hull, loadPoint(def, i));
        excess = outside > excess ? outside : excess;
    }
    hull->view.excess = grzRoundUp(excess);
}

// ------------------------------------------------------------------------------------------------------- public

static grzResult makeHull(const grzHullDef* def, HullBuild* build, uint32_t faceCount, grzHull** made) {
    HullSizes sizes = countParts(build, faceCount);
    grzResult result;
    grzHull* hull = grzOwner_NewFrom(&build->allocator, sizeof *hull, 64, &result);
    if (hull == NULL)
        return result;
    hull->uses = &hull->ownUses;
    hull->allocator = build->allocator;
    hull->blockSize = layOut(hull, NULL, sizes);
    hull->block = grzAllocate(&build->allocator, 1, hull->blockSize, 64);
    if (hull->block == NULL) {
        grzRelease(&build->allocator, hull, 1, sizeof *hull, 64);
        return grzNoMemory(1, layOut(&(grzHull){.block = NULL}, NULL, sizes));
    }
    memset(hull->block, 0, hull->blockSize);
    layOut(hull, hull->block, sizes);
    hull->view.tolerance = (float)build->tolerance;
    fillVertices(hull, def, build);
    fillEdges(hull, build);
    fillPlanes(hull);
    fillArcs(hull);
    measureExcess(hull, def);
    GRZ_VALIDATE(grzHull_Validate(hull) == NULL);
    *made = hull;
    return grzOk();
}

grzResult grzHull_Create(const grzHullDef* def, grzHull** hull) {
    GRZ_REFUSE_NULL(hull, 2);
    *hull = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    HullBuild build;
    memset(&build, 0, sizeof build);
    build.allocator = grzAllocator_OrDefault(def->allocator);
    build.pointCount = def->pointCount;
    build.triangleCapacity = 4 * def->vertexLimit;
    result = allocateBuild(&build);
    if (grzResult_IsOk(result)) {
        uint32_t faceCount = 0;
        result = fillBuild(def, &build);
        if (grzResult_IsOk(result))
            result = runBuild(&build, &faceCount);
        if (grzResult_IsOk(result))
            result = makeHull(def, &build, faceCount, hull);
    }
    releaseBuild(&build);
    return result;
}

grzUses* grzHull_Uses(const grzHull* hull) {
    return hull != NULL ? hull->uses : NULL;
}

void grzHull_Destroy(grzHull* hull) {
    if (hull == NULL || !grzUses_AreOver(hull->uses, "hull", "bodies"))
        return;
    grzAllocator allocator = hull->allocator;
    grzRelease(&allocator, hull->block, 1, hull->blockSize, 64);
    grzRelease(&allocator, hull, 1, sizeof *hull, 64);
}

grzHullView grzHull_GetView(const grzHull* hull) {
    GRZ_RETURN_IF_NULL(hull, (grzHullView){0});
    return hull->view;
}
