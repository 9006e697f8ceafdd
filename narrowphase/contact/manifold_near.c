// What: contacts of two meshes where they do not meet, but are within a margin of each other.
// Promise: a vertex within the margin of the other surface, as far as nothing of its own mesh leads steeply on to that, has a
//   contact; and so have two edges that cross each other within it.
// Idea: what is nearest to a vertex on the other surface is a face, an edge or a vertex. In the triangle that is looked at, the
//   nearest point may be on an edge although it is on the triangle behind; so an edge or a vertex counts only for directions
//   that no face around it is nearer to:
//
//          \  counts  /           flat: only straight up, where the          hollow: nowhere
//           \        /            faces have it anyway                          \       /
//            \______/             ________o________                              \__o__/
//
//   Each vertex and edge is looked at in one triangle, its owner, which is among the pairs wherever it is within the margin.
//   Where the meshes meet elsewhere, only contacts along the normals there count: the other corners of a plate that has come down
//   on one. A wall beside a floor that is met may be flush with it, and is told when it is met.
// Holds: positions are finite; distances in double.
// Cost: for each pair of triangles that neither's plane parts, one vertex and some two pairs of edges, on average.
// Based on: the regions of [Mirtich, V-Clip, 1998].
#include <math.h>

#include "graze/tri_pairs.h"
#include "manifold_parts.h"
#include "memory.h"
#include "nearest.h"

// The sine beyond which an edge leads steeply on to the other surface.
#define STEEP 0.7

// Normals with this cosine are like one that is met.
#define LIKE_COSINE 0.9F

typedef struct Near {
    grzManifolds* manifolds;
    const grzManifoldQuery* query;
    double margin;
    uint32_t triangles[2];
    grzVec3d corners[2][3];
} Near;

// Of a side: what is nearest, in the triangle that is looked at.
typedef struct Nearest {
    grzFeatureKind kind;
    uint32_t k; // which corner or edge
    grzVec3d at;
} Nearest;

// ---- what contacts there are ----

static grzFeature nameOf(const Near* near, int side, const Nearest* nearest) {
    const grzMeshView* mesh = sideOf(near->query, side)->mesh;
    const size_t corner = 3 * (size_t)near->triangles[side] + nearest->k;
    if (nearest->kind == grz_vertexFeature)
        return grzMakeFeature(grz_vertexFeature, mesh->triangles[corner]);
    if (nearest->kind == grz_edgeFeature)
        return grzMakeFeature(grz_edgeFeature, mesh->triangleEdges[corner]);
    return grzMakeFeature(grz_faceFeature, near->triangles[side]);
}

static bool isLikeMet(const Near* near, grzVec3 normal) {
    const NormalArray* met = &near->manifolds->normals;
    bool isLike = met->count == 0;
    for (size_t i = 0; i < met->count && !isLike; ++i)
        isLike = grzDot(met->data[i], normal) >= LIKE_COSINE;
    return isLike;
}

// The normals of what meets. All contacts of a patch have one, and lie together.
static bool listNormals(grzManifolds* manifolds) {
    const RawContacts* raw = &manifolds->raw;
    NormalArray* met = &manifolds->normals;
    met->count = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        const grzVec3 normal = raw->data[i].contact.normal;
        if (met->count > 0 && grzVec3_IsEqual(met->data[met->count - 1], normal))
            continue;
        if (!grzArray_Reserve(met, &manifolds->allocator, met->count + 1))
            return false;
        met->data[met->count++] = normal;
    }
    return true;
}

// From A's point to B's, in this direction, which is a unit.
static bool addContact(const Near* near, const Nearest nearest[2], grzVec3d normal, double distance) {
    RawContacts* raw = &near->manifolds->raw;
    if (distance > (double)near->query->slack || !isLikeMet(near, grzVec3d_ToVec3(normal)))
        return true;
    if (!grzArray_Reserve(raw, &near->manifolds->allocator, raw->count + 1))
        return false;
    grzContact contact = {.bodyA = near->query->a.body, .bodyB = near->query->b.body, .toi = 1};
    contact.point = grzVec3d_ToVec3(grzVec3d_Lerp(nearest[0].at, nearest[1].at, 0.5));
    contact.normal = grzVec3d_ToVec3(normal);
    contact.separation = (float)distance;
    contact.triangleA = near->triangles[0], contact.triangleB = near->triangles[1];
    contact.featureA = nameOf(near, 0, &nearest[0]);
    contact.featureB = nameOf(near, 1, &nearest[1]);
    contact.certainty = grz_exact;
    raw->data[raw->count++] = (RawContact){.contact = contact};
    return true;
}

// ---- where edges and vertices count ----

static grzVec3d faceNormal(const grzManifoldSide* side, uint32_t triangle) {
    const uint32_t* v = side->mesh->triangles + 3 * (size_t)triangle;
    const grzVec3d p = positionOf(side, v[0]);
    return grzVec3d_Cross(grzVec3d_Sub(positionOf(side, v[1]), p), grzVec3d_Sub(positionOf(side, v[2]), p));
}

// Whether no triangle at the edge of a triangle is nearer to what lies in the direction, which is across the edge.
static bool isOverEdge(const grzManifoldSide* side, uint32_t triangle, uint32_t k, grzVec3d direction) {
    const grzMeshView* mesh = side->mesh;
    const uint32_t edge = mesh->triangleEdges[3 * (size_t)triangle + k];
    grzVec3d out = {0, 0, 0};
    const grzVec3d from = positionOf(side, mesh->edges[edge].a);
    for (uint32_t i = mesh->edgeTriangleStarts[edge]; i < mesh->edgeTriangleStarts[edge + 1]; ++i) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)mesh->edgeTriangles[i];
        for (int c = 0; c < 3; ++c)
            if (grzVec3d_Dot(grzVec3d_Sub(positionOf(side, v[c]), from), direction) > 0 &&
                v[c] != mesh->edges[edge].a && v[c] != mesh->edges[edge].b)
                return false;
        out = grzVec3d_Add(out, grzVec3d_Unit(faceNormal(side, mesh->edgeTriangles[i])));
    }
    return side->isTwoSided || grzVec3d_Dot(out, direction) > 0;
}

static bool isOverVertex(const grzManifoldSide* side, uint32_t vertex, grzVec3d direction) {
    const grzMeshView* mesh = side->mesh;
    const grzVec3d from = positionOf(side, vertex);
    grzVec3d out = {0, 0, 0};
    for (uint32_t i = mesh->vertexEdgeStarts[vertex]; i < mesh->vertexEdgeStarts[vertex + 1]; ++i)
        if (grzVec3d_Dot(grzVec3d_Sub(positionOf(side, mesh->vertexNeighbours[i]), from), direction) > 0)
            return false;
    for (uint32_t i = mesh->vertexTriangleStarts[vertex]; i < mesh->vertexTriangleStarts[vertex + 1]; ++i)
        out = grzVec3d_Add(out, grzVec3d_Unit(faceNormal(side, mesh->vertexTriangles[i])));
    return side->isTwoSided || grzVec3d_Dot(out, direction) > 0;
}

static bool isOver(const Near* near, int side, const Nearest* nearest, grzVec3d direction) {
    const grzManifoldSide* own = sideOf(near->query, side);
    const uint32_t triangle = near->triangles[side];
    if (nearest->kind == grz_edgeFeature)
        return isOverEdge(own, triangle, nearest->k, direction);
    if (nearest->kind == grz_vertexFeature)
        return isOverVertex(own, own->mesh->triangles[3 * (size_t)triangle + nearest->k], direction);
    return own->isTwoSided || grzVec3d_Dot(faceNormal(own, triangle), direction) > 0;
}

// Whether an edge leads steeply from the vertex on in the direction.
static bool leadsOn(const grzManifoldSide* side, uint32_t vertex, grzVec3d direction) {
    const grzMeshView* mesh = side->mesh;
    const grzVec3d from = positionOf(side, vertex);
    for (uint32_t i = mesh->vertexEdgeStarts[vertex]; i < mesh->vertexEdgeStarts[vertex + 1]; ++i) {
        const grzVec3d way = grzVec3d_Sub(positionOf(side, mesh->vertexNeighbours[i]), from);
        const double along = grzVec3d_Dot(way, direction);
        if (along > 0 && along * along > STEEP * STEEP * grzVec3d_LengthSq(way))
            return true;
    }
    return false;
}

// ---- a vertex and a triangle ----

// The point of a triangle nearest to another one, and what it is on.
static Nearest nearestOnTriangle(const grzVec3d corners[3], grzVec3d p) {
    double weights[3];
    grzNearest_OnTriangle(corners, p, weights);
    Nearest nearest = {grz_faceFeature, 0, grzNearest_Weighted(corners, weights)};
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t next = (k + 1) % 3;
        if (weights[next] == 0 && weights[(k + 2) % 3] == 0)
            return (Nearest){grz_vertexFeature, k, corners[k]};
        if (weights[(k + 2) % 3] == 0)
            nearest.kind = grz_edgeFeature, nearest.k = k;
    }
    return nearest;
}

static bool owns(const grzManifoldSide* side, uint32_t triangle, uint32_t bit) {
    return (side->mesh->triangleOwns[triangle] & bit) != 0;
}

static bool isOwned(const Near* near, int side, const Nearest* nearest) {
    const grzManifoldSide* own = sideOf(near->query, side);
    if (nearest->kind == grz_faceFeature)
        return true;
    return owns(own, near->triangles[side],
                nearest->kind == grz_vertexFeature ? GRZ_MESH_OWNS_CORNER(nearest->k)
                                                   : GRZ_MESH_OWNS_EDGE(nearest->k));
}

// Corner k of the side's triangle with the triangle of the other side.
static bool addVertex(const Near* near, int side, uint32_t k) {
    const int other = 1 - side;
    Nearest nearest[2];
    nearest[side] = (Nearest){grz_vertexFeature, k, near->corners[side][k]};
    nearest[other] = nearestOnTriangle(near->corners[other], nearest[side].at);
    const Nearest* found = &nearest[other];
    if (found->kind == grz_vertexFeature && side == 1)
        return true;                                                   // A's vertices find those of B
    const grzVec3d toward = grzVec3d_Sub(found->at, nearest[side].at); // the other surface
    const double distanceSq = grzVec3d_LengthSq(toward);
    if (!(distanceSq <= near->margin * near->margin) || !(distanceSq > 0) || !isOwned(near, other, found))
        return true;
    const grzManifoldSide* own = sideOf(near->query, side);
    const double distance = sqrt(distanceSq);
    const grzVec3d unit = grzVec3d_Scale(toward, 1 / distance), back = grzVec3d_Neg(unit);
    const bool isFront = isOver(near, other, found, back);
    if (!isFront || leadsOn(own, own->mesh->triangles[3 * (size_t)near->triangles[side] + k], unit))
        return true;
    return addContact(near, nearest, side == 0 ? unit : back, distance);
}

// ---- two edges ----

// Edge i of A's triangle and edge k of B's, where the points nearest to each other are within both.
static bool addEdges(const Near* near, uint32_t i, uint32_t k) {
    const grzVec3d p = near->corners[0][i], q = near->corners[1][k];
    const grzVec3d u = grzVec3d_Sub(near->corners[0][i == 2 ? 0 : i + 1], p);
    const grzVec3d v = grzVec3d_Sub(near->corners[1][k == 2 ? 0 : k + 1], q);
    const grzNearestLines at = grzNearest_OfLines(u, v, grzVec3d_Sub(q, p));
    if (!(at.s > 0 && at.s < at.all && at.t > 0 && at.t < at.all))
        return true;
    const Nearest nearest[2] = {{grz_edgeFeature, i, grzVec3d_AddScaled(p, at.s / at.all, u)},
                                {grz_edgeFeature, k, grzVec3d_AddScaled(q, at.t / at.all, v)}};
    const grzVec3d way = grzVec3d_Sub(nearest[1].at, nearest[0].at);
    const double distanceSq = grzVec3d_LengthSq(way);
    if (!(distanceSq <= near->margin * near->margin) || !(distanceSq > 0) || !isOver(near, 0, &nearest[0], way) ||
        !isOver(near, 1, &nearest[1], grzVec3d_Neg(way)))
        return true;
    const double distance = sqrt(distanceSq);
    return addContact(near, nearest, grzVec3d_Scale(way, 1 / distance), distance);
}

static bool addPair(const Near* near) {
    const grzManifoldSide *a = &near->query->a, *b = &near->query->b;
    bool isDone = true;
    for (uint32_t k = 0; k < 3 && isDone; ++k) {
        if (owns(a, near->triangles[0], GRZ_MESH_OWNS_CORNER(k)))
            isDone = addVertex(near, 0, k);
        if (isDone && owns(b, near->triangles[1], GRZ_MESH_OWNS_CORNER(k)))
            isDone = addVertex(near, 1, k);
    }
    for (uint32_t i = 0; i < 3 && isDone; ++i) {
        if (!owns(a, near->triangles[0], GRZ_MESH_OWNS_EDGE(i)))
            continue;
        for (uint32_t k = 0; k < 3 && isDone; ++k)
            if (owns(b, near->triangles[1], GRZ_MESH_OWNS_EDGE(k)))
                isDone = addEdges(near, i, k);
    }
    return isDone;
}

bool grzManifolds_AddNear(grzManifolds* manifolds, const grzManifoldQuery* query, const uint8_t* kinds) {
    Near near = {.manifolds = manifolds, .query = query, .margin = (double)query->margin};
    if (!listNormals(manifolds))
        return false;
    for (uint32_t i = 0; i < query->count; ++i) {
        if (kinds[i] == GRZ_TRI_FAR)
            continue;
        near.triangles[0] = query->pairs[i].triangleA, near.triangles[1] = query->pairs[i].triangleB;
        for (int side = 0; side < 2; ++side) {
            const grzManifoldSide* own = sideOf(query, side);
            const uint32_t* v = own->mesh->triangles + 3 * (size_t)near.triangles[side];
            for (int k = 0; k < 3; ++k)
                near.corners[side][k] = madePositionOf(own, v[k]);
        }
        if (!addPair(&near))
            return false;
    }
    return true;
}
