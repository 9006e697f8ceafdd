// What: touches of a cloth with a mesh, rigid or animated by the host.
// Promise: every vertex of the cloth, and the middle of every triangle, that is nearer than its reach to the mesh has the plane of
//          the nearest place. Bytes do not depend on workers.
// Idea: the nearest places of all points near the mesh are asked at once (graze/model_distance.h). The plane stands at right angles
//       to the way there; which side is out, the triangles around the place say together: of a face its normal, of an edge
//       the sum, of a vertex the sum by angles. From a two-sided mesh, and from the rim of an open one, every side is out.
//
//       Of an animated mesh the model has the end of the step. So a point is asked for twice: where it is, which tells how the
//       surface there moves; and moved along, which tells the place as if the mesh stood still. The plane drifts with it.
//       Beside an animated mesh the mid stage has told which leaves of the cloth are near it (animated_pairs.h): only points in these are asked
//       for, and so nothing else of the mesh is made. Pairs of triangles were tried in place of the questions and lost: a sheet on a ball has dozens
//       of them for each contact.
// Threads: points are shared by all workers in blocks; slots are the points'.
// Cost: 0.3 to 1 us a point.
// Limits: what of a mesh is smaller than half a triangle of the cloth can poke through between points. A vertex deeper than its
//         reach inside a mesh is not found.
// Based on: [Baerentzen, Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal, TVCG 2005].
#include <float.h>
#include <math.h>
#include <string.h>

#include "animated_body.h"
#include "cloth_search.h"
#include "graze/model_distance.h"
#include "mesh_shape.h"
#include "result_make.h"

#define POINT_GRAIN 128u

typedef struct MeshHunt {
    const ClothHunt* hunt;
    grzSurface surface;
    const grzMeshView* view; // of the surface
    bool isAnimated;
    float reach;   // of all that is in its box: how near a place must be to be told
    float* points; // asked for: three floats each
    grzModelPoint* places;
} MeshHunt;

// ---- the mesh ----

static grzVec3 faceNormal(const MeshHunt* mesh, uint32_t triangle) {
    grzVec3 v[3];
    grzSurface_GetEnds(&mesh->surface, triangle, v);
    return grzNormalize(grzCross(grzSub(v[1], v[0]), grzSub(v[2], v[0])));
}

// Of the corner of a triangle that is the vertex.
static float cornerAngle(const MeshHunt* mesh, uint32_t triangle, uint32_t vertex) {
    grzVec3 v[3];
    grzSurface_GetEnds(&mesh->surface, triangle, v);
    uint32_t k = 0;
    while (k < 2 && mesh->view->triangles[(size_t)3 * triangle + k] != vertex)
        ++k;
    const grzVec3 one = grzNormalize(grzSub(v[(k + 1) % 3], v[k])),
                  other = grzNormalize(grzSub(v[(k + 2) % 3], v[k]));
    return grzAcos(grzDot(one, other));
}

static bool isRimEdge(const grzMeshView* view, uint32_t edge) {
    return view->edgeTriangleStarts[edge + 1] - view->edgeTriangleStarts[edge] < 2;
}

// The direction that is out at a feature; 0 where every side is.
static grzVec3 outward(const MeshHunt* mesh, uint32_t triangle, grzFeature feature) {
    const grzMeshView* view = mesh->view;
    const uint32_t index = grzFeature_Index(feature);
    if (mesh->surface.isTwoSided)
        return grzVec3_Zero();
    if (grzFeature_Kind(feature) == grz_faceFeature)
        return faceNormal(mesh, triangle);
    grzVec3 sum = grzVec3_Zero();
    if (grzFeature_Kind(feature) == grz_edgeFeature) {
        for (uint32_t k = view->edgeTriangleStarts[index]; k < view->edgeTriangleStarts[index + 1]; ++k)
            sum = grzAdd(sum, faceNormal(mesh, view->edgeTriangles[k]));
        return isRimEdge(view, index) ? grzVec3_Zero() : sum;
    }
    for (uint32_t k = view->vertexEdgeStarts[index]; k < view->vertexEdgeStarts[index + 1]; ++k)
        if (isRimEdge(view, view->vertexEdges[k]))
            return grzVec3_Zero();
    for (uint32_t k = view->vertexTriangleStarts[index]; k < view->vertexTriangleStarts[index + 1]; ++k) {
        const uint32_t own = view->vertexTriangles[k];
        sum = grzAddScaled(sum, cornerAngle(mesh, own, index), faceNormal(mesh, own));
    }
    return sum;
}

// From a part of a triangle to the mesh's own number of it.
static grzFeature meshFeature(const grzMeshView* view, uint32_t triangle, grzFeature part) {
    const uint32_t k = grzFeature_Index(part);
    if (grzFeature_Kind(part) == grz_vertexFeature)
        return grzMakeFeature(grz_vertexFeature, view->triangles[(size_t)3 * triangle + k]);
    const uint32_t edge =
        grzFeature_Kind(part) == grz_edgeFeature ? view->triangleEdges[(size_t)3 * triangle + k] : GRZ_MESH_NONE;
    return edge != GRZ_MESH_NONE ? grzMakeFeature(grz_edgeFeature, edge)
                                 : grzMakeFeature(grz_faceFeature, triangle);
}

// ---- how the surface moves ----

// From the place as the model has it to where it was at the start of the step.
static grzVec3 startOfPlace(const MeshHunt* mesh, const grzModelPoint* place) {
    grzVec3 ends[3], starts[3];
    float weights[3];
    if (!mesh->isAnimated)
        return place->point;
    grzSurface_GetEnds(&mesh->surface, place->triangle, ends);
    grzSurface_GetStarts(&mesh->surface, place->triangle, starts);
    grzCloth_NearestWeights(ends, place->point, weights);
    return grzCloth_Weighted(starts, weights);
}

static float greatestMotion(const MeshHunt* mesh) {
    return mesh->isAnimated ? grzAnimatedBody_MostMotion(mesh->hunt->obstacle->collider->animated) : 0;
}

// ---- the cloth's points ----

static const uint32_t* cornersOf(const ClothHunt* hunt, uint32_t triangle) {
    return grzMesh_GetView(hunt->cloth->mesh).triangles + (size_t)3 * triangle;
}

// Point i of the list: its vertices, and how near it must be. The vertices listed come first, then the triangles.
static ClothFound pointAt(const ClothHunt* hunt, uint32_t i) {
    const ClothSearch* search = &hunt->cloth->search;
    const uint32_t vertexCount = (uint32_t)search->vertices.count;
    ClothFound point;
    memset(&point, 0, sizeof point);
    point.vertexCount = i < vertexCount ? 1 : 3;
    point.triangle = i < vertexCount ? GRZ_NO_TRIANGLE : search->triangles.data[i - vertexCount];
    point.feature = i < vertexCount ? grzMakeFeature(grz_vertexFeature, search->vertices.data[i])
                                    : grzMakeFeature(grz_faceFeature, point.triangle);
    for (uint32_t k = 0; k < point.vertexCount; ++k) {
        point.vertices[k] = i < vertexCount ? search->vertices.data[i] : cornersOf(hunt, point.triangle)[k];
        point.weights[k] = 1.0f / (float)point.vertexCount;
        const grzVec3 motion = grzCloth_RelativeMotion(hunt, point.vertices[k]);
        const float reach = grzCloth_Reach(hunt, motion);
        point.reach = reach > point.reach ? reach : point.reach;
        point.motion = grzAddScaled(point.motion, point.weights[k], motion);
    }
    return point;
}

static grzVec3 placeOfPoint(const ClothHunt* hunt, const ClothFound* point) {
    grzVec3 sum = grzVec3_Zero();
    for (uint32_t k = 0; k < point->vertexCount; ++k)
        sum = grzAddScaled(sum, point->weights[k], grzCloth_Row(hunt->cloth->now.data, point->vertices[k]));
    return sum;
}

static uint32_t pointCount(const ClothHunt* hunt) {
    return (uint32_t)(hunt->cloth->search.vertices.count + hunt->cloth->search.triangles.count);
}

// Where no question needs to be asked: the vertices of a triangle have the same face, and so has its middle.
static bool isSameFace(const MeshHunt* mesh, const ClothFound* point, uint32_t i) {
    const ClothSearch* search = &mesh->hunt->cloth->search;
    for (uint32_t k = 0; k < point->vertexCount; ++k)
        if (mesh->places[search->vertexSlots.data[point->vertices[k]]].triangle != mesh->places[i].triangle)
            return false;
    return point->vertexCount == 3;
}

static void findPoint(const MeshHunt* mesh, uint32_t i, ClothTouch* slot) {
    ClothFound found = pointAt(mesh->hunt, i);
    const grzModelPoint* place = &mesh->places[i];
    slot->vertexCount = 0;
    if (place->triangle == GRZ_NO_TRIANGLE || isSameFace(mesh, &found, i))
        return;
    const grzVec3 start = startOfPlace(mesh, place);
    const grzVec3 way = grzSub(grzVec3_Load(mesh->points + (size_t)3 * i), place->point);
    const float distance = grzLength(way);
    const grzVec3 drift = grzSub(place->point, start);
    const grzFeature feature = meshFeature(mesh->view, place->triangle, place->feature);
    const grzVec3 out = outward(mesh, place->triangle, feature);
    const bool isInside = grzDot(way, out) < 0;
    found.reach += grzLength(drift);
    if (distance > found.reach)
        return;
    found.site.normal = grzNormalize(distance > 0 ? (isInside ? grzNeg(way) : way) : out);
    if (!(grzLengthSq(found.site.normal) > 0)) // on a surface with two sides
        found.site.normal = faceNormal(mesh, place->triangle);
    if (!(grzLengthSq(found.site.normal) > 0)) // of a triangle without area
        return;
    found.site.separation = isInside ? -distance : distance;
    found.site.place = start;
    found.site.feature = feature;
    found.obstacleTriangle = place->triangle;
    found.motion = grzSub(found.motion, drift);
    if (mesh->hunt->step->timeStep > 0)
        found.drift = grzScale(drift, 1 / mesh->hunt->step->timeStep);
    grzCloth_WriteTouch(mesh->hunt, &found, slot);
}

static void meshTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const MeshHunt* mesh = context;
    for (uint32_t i = begin; i < end; ++i)
        findPoint(mesh, i, &mesh->hunt->cloth->search.slots.data[i]);
}

// ---- all of them ----

static grzBox meshBox(const MeshHunt* mesh) {
    const ClothHunt* hunt = mesh->hunt;
    const grzCollider* collider = hunt->obstacle->collider;
    if (mesh->isAnimated) {
        const grzBox box =
            grzBox_Union(grzAnimatedBody_BoxNow(collider->animated), grzAnimatedBody_BoxBefore(collider->animated));
        return grzBox_Expand(box, hunt->cloth->reach + hunt->step->margin + hunt->cloth->pinMove);
    }
    return grzCloth_SweptBox(hunt, grzBox_Transform(collider->pose, collider->mesh->box));
}

static grzResult askPlaces(const MeshHunt* mesh, float reach) {
    grzModelPointsQuery query = grzDefaultModelPointsQuery();
    query.model = mesh->surface.model;
    query.pose = mesh->surface.pose;
    query.points = mesh->points;
    query.count = pointCount(mesh->hunt);
    query.reach = reach;
    return grzModel_ClosestPoints(mesh->hunt->step->tasks, &query, mesh->places);
}

// Moves the points along with the surface where they are nearest to it.
static void movePoints(const MeshHunt* mesh) {
    for (uint32_t i = 0; i < pointCount(mesh->hunt); ++i) {
        const grzModelPoint* place = &mesh->places[i];
        float* point = mesh->points + (size_t)3 * i;
        if (place->triangle != GRZ_NO_TRIANGLE)
            grzVec3_Store(point, grzAdd(grzVec3_Load(point), grzSub(place->point, startOfPlace(mesh, place))));
    }
}

static grzResult reservePoints(MeshHunt* mesh) {
    grzClothBody* cloth = mesh->hunt->cloth;
    const size_t count = pointCount(mesh->hunt), bytes = count * sizeof(grzModelPoint);
    if (!grzArray_Reserve(&cloth->search.points, &cloth->allocator, 3 * count) ||
        !grzArray_Reserve(&cloth->search.answers, &cloth->allocator, bytes))
        return grzNoMemory(bytes, 1);
    mesh->points = cloth->search.points.data;
    mesh->places = (grzModelPoint*)(void*)cloth->search.answers.data;
    return grzCloth_ReserveSlots(cloth, count);
}

// Of the vertices that are listed, and so of the triangles.
static float mostReach(const ClothHunt* hunt) {
    const ClothSearch* search = &hunt->cloth->search;
    float most = 0;
    for (size_t i = 0; i < search->vertices.count; ++i) {
        const float reach = grzCloth_Reach(hunt, grzCloth_RelativeMotion(hunt, search->vertices.data[i]));
        most = reach > most ? reach : most;
    }
    return most;
}

static grzResult huntPoints(MeshHunt* mesh) {
    const uint32_t count = pointCount(mesh->hunt);
    const float motion = greatestMotion(mesh);
    for (uint32_t i = 0; i < count; ++i) {
        const ClothFound point = pointAt(mesh->hunt, i);
        grzVec3_Store(mesh->points + (size_t)3 * i, placeOfPoint(mesh->hunt, &point));
    }
    grzResult result = askPlaces(mesh, mesh->reach + motion);
    if (result.status == grz_ok && motion > 0) {
        movePoints(mesh);
        result = askPlaces(mesh, mesh->reach + motion);
    }
    if (result.status != grz_ok) // a pose or places that no model takes: far beyond what a world holds
        for (uint32_t i = 0; i < count; ++i)
            mesh->places[i].triangle = GRZ_NO_TRIANGLE;
    grzParallelFor(mesh->hunt->step->tasks, count, POINT_GRAIN, meshTask, mesh);
    return grzCloth_TakeSlots(mesh->hunt->cloth, count);
}

grzResult grzCloth_HuntMesh(const ClothHunt* hunt) {
    const grzCollider* collider = hunt->obstacle->collider;
    MeshHunt mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.hunt = hunt;
    mesh.surface = grzCollider_GetSurface(collider);
    mesh.view = mesh.surface.mesh;
    mesh.isAnimated = collider->kind == grz_animatedCollider;
    const grzLeafCandidates* near = &hunt->obstacle->near;
    if (near->wereSought && near->count == 0)
        return grzOk();
    grzResult result = grzCloth_ListNear(hunt->cloth, meshBox(&mesh));
    mesh.reach = mostReach(hunt);
    if (result.status == grz_ok && near->wereSought)
        result = grzCloth_ListLeaves(hunt->cloth, near, meshBox(&mesh));
    if (result.status != grz_ok || pointCount(hunt) == 0)
        return result;
    result = reservePoints(&mesh);
    return result.status == grz_ok ? huntPoints(&mesh) : result;
}
