// What: finds the contacts that every triangle around an edge or vertex of a mesh leaves to another, so that none has it.
// Promise: what a triangle leaves is taken by a triangle of the same edge or vertex, at least as deep; or one of them left a contact
//   that is deeper, of which the same is true; or else it is an orphan, and comes back. So the nearest point of the surface is
//   never without a contact.
// Idea: a triangle judges by its neighbours' normals alone. Where the surface around a vertex is neither a peak nor a pit, a
//   normal may lean beyond each ridge there and over each valley: every triangle leaves it to the next, all around. Which of
//   them that is can only be seen once all have spoken. Of those around it the deepest is asked, of equal ones the lowest triangle:
//   an order without ties, so that no chain of triangles that leave to each other comes back to where it began, and of many
//   that leave one contact one keeps it.
// Holds: what is left over the face itself has the three neighbours around it; what a core that goes through the triangle left,
//   all that share a vertex with it.
// Cost: nothing where no triangle leaves a contact; else a lookup in a hash table for each triangle around each that does.
// Limits: it is the deepest point of a triangle's manifold that is looked after.
// Based on: whether the shape is in front is told by [Baerentzen and Aanaes, Signed Distance Computation Using the Angle Weighted
//   Pseudonormal, 2005].
#include "contact_left.h"

#include <math.h>
#include <string.h>

void grzLeftContacts_Begin(LeftContacts* contacts) {
    contacts->said.count = contacts->slots.count = 0;
    contacts->leftCount = 0;
}

bool grzLeftContacts_Add(LeftContacts* contacts, const grzAllocator* allocator, uint32_t triangle, float taken,
                         const LeftContact* left) {
    if (!left->isLeft && isinf(taken))
        return true;
    if (!grzArray_Reserve(&contacts->said, allocator, contacts->said.count + 1))
        return false;
    TriangleSaid* made = &contacts->said.data[contacts->said.count++];
    made->triangle = triangle, made->taken = taken;
    if (left->isLeft)
        made->left = *left, ++contacts->leftCount;
    else
        made->left.isLeft = false, made->left.separation = INFINITY;
    return true;
}

// The slot of a triangle, or the free one where it belongs.
static size_t slotOf(const LeftContacts* contacts, uint32_t triangle) {
    const size_t last = contacts->slots.count - 1; // all ones
    size_t slot = (triangle * 0x9E3779B1u >> 7) & last;
    while (contacts->slots.data[slot] != 0 &&
           contacts->said.data[contacts->slots.data[slot] - 1].triangle != triangle)
        slot = (slot + 1) & last;
    return slot;
}

bool grzLeftContacts_Finish(LeftContacts* contacts, const grzAllocator* allocator) {
    size_t count = 16;
    while (count < 2 * contacts->said.count)
        count *= 2;
    contacts->slots.count = 0;
    if (!grzArray_Reserve(&contacts->slots, allocator, count))
        return false;
    contacts->slots.count = count;
    memset(contacts->slots.data, 0, count * sizeof *contacts->slots.data);
    for (size_t i = 0; i < contacts->said.count; ++i)
        contacts->slots.data[slotOf(contacts, contacts->said.data[i].triangle)] = (uint32_t)i + 1;
    return true;
}

// Whether the other triangle takes what this one left, or has left one that goes before it.
static bool goesBefore(const TriangleSaid* other, const TriangleSaid* said, double nearness) {
    const float own = said->left.separation, others = other->left.separation;
    return (double)other->taken <= (double)own + nearness || others < own ||
           (others == own && other->triangle < said->triangle);
}

typedef struct Around {
    const LeftContacts* contacts;
    const EdgesView* edges;
    const TriangleSaid* said;
    double nearness;
} Around;

static bool isTakenOf(const Around* around, const uint32_t* triangles, const uint32_t* end) {
    const LeftContacts* contacts = around->contacts;
    for (; triangles != end; ++triangles) {
        const uint32_t place = contacts->slots.data[slotOf(contacts, *triangles)];
        if (place != 0 && goesBefore(&contacts->said.data[place - 1], around->said, around->nearness))
            return true;
    }
    return false;
}

static bool isTakenAtVertex(const Around* around, uint32_t vertex) {
    const grzMeshView* mesh = around->edges->mesh;
    return isTakenOf(around, mesh->vertexTriangles + mesh->vertexTriangleStarts[vertex],
                     mesh->vertexTriangles + mesh->vertexTriangleStarts[vertex + 1]);
}

static bool isTakenAtEdge(const Around* around, uint32_t edge) {
    const grzMeshView* mesh = around->edges->mesh;
    return edge != GRZ_MESH_NONE && isTakenOf(around, mesh->edgeTriangles + mesh->edgeTriangleStarts[edge],
                                              mesh->edgeTriangles + mesh->edgeTriangleStarts[edge + 1]);
}

static uint32_t cornerOf(const Around* around, uint32_t k) {
    return around->edges->mesh->triangles[3 * (size_t)around->said->triangle + k];
}

// The point of an edge or face may be at an end of it, but for rounding.
static bool isAtCorner(const Around* around, uint32_t k) {
    grzVec3d at[3];
    grzEdgesView_GetCorners(around->edges, around->said->triangle, at);
    return grzVec3d_Length(grzVec3d_Sub(at[k], around->said->left.pointB)) <= around->nearness;
}

// A core that goes through the triangle is over all of it, wherever the deepest point is.
static bool isTaken(const Around* around) {
    const LeftContact* left = &around->said->left;
    const grzFeatureKind kind = grzFeature_Kind(left->featureB);
    const uint32_t index = grzFeature_Index(left->featureB);
    const uint32_t* edges = &around->edges->mesh->triangleEdges[3 * (size_t)around->said->triangle];
    if (kind == grz_vertexFeature && !left->isDeep)
        return isTakenAtVertex(around, index);
    for (uint32_t k = 0; k < 3; ++k)
        if ((kind != grz_edgeFeature || edges[k] == index) && isTakenAtEdge(around, edges[k]))
            return true;
    for (uint32_t k = 0; k < 3; ++k)
        if ((left->isDeep || isAtCorner(around, k)) && isTakenAtVertex(around, cornerOf(around, k)))
            return true;
    return false;
}

// ------------------------------------------------------------------------------------------------------------- sides

static double angleBetween(grzVec3d a, grzVec3d b) {
    const double across = grzVec3d_Length(grzVec3d_Cross(a, b));
    return (double)grzAtan2((float)across, (float)grzVec3d_Dot(a, b));
}

// How far `outward` leads to the front of a triangle, by its part of what is around the vertex; GRZ_MESH_NONE: an edge.
static double frontOf(const EdgesView* edges, uint32_t triangle, uint32_t vertex, grzVec3d outward) {
    const uint32_t* corners = &edges->mesh->triangles[3 * (size_t)triangle];
    grzVec3d at[3];
    grzEdgesView_GetCorners(edges, triangle, at);
    const grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
    const double length = grzVec3d_Length(n);
    double angle = vertex == GRZ_MESH_NONE;
    for (uint32_t k = 0; k < 3 && vertex != GRZ_MESH_NONE; ++k)
        if (corners[k] == vertex)
            angle = angleBetween(grzVec3d_Sub(at[(k + 1) % 3], at[k]), grzVec3d_Sub(at[(k + 2) % 3], at[k]));
    return length > 0 ? angle * grzVec3d_Dot(n, outward) / length : 0;
}

// Of the triangles about a feature, which are listed from starts[feature] on; vertex: GRZ_MESH_NONE about an edge.
static bool isInFrontOfAll(const EdgesView* edges, const uint32_t* starts, const uint32_t* triangles,
                           uint32_t feature, uint32_t vertex, grzVec3d outward) {
    double front = 0;
    for (uint32_t i = starts[feature]; i < starts[feature + 1]; ++i)
        front += frontOf(edges, triangles[i], vertex, outward);
    return front > 0;
}

static bool isInFrontOfVertex(const EdgesView* edges, uint32_t vertex, grzVec3d outward) {
    const grzMeshView* mesh = edges->mesh;
    return isInFrontOfAll(edges, mesh->vertexTriangleStarts, mesh->vertexTriangles, vertex, vertex, outward);
}

static bool isInFrontOfEdge(const EdgesView* edges, uint32_t edge, grzVec3d outward) {
    const grzMeshView* mesh = edges->mesh;
    return isInFrontOfAll(edges, mesh->edgeTriangleStarts, mesh->edgeTriangles, edge, GRZ_MESH_NONE, outward);
}

// Of shapes whose cores are apart from the triangle.
static bool isInFront(const Around* around) {
    const LeftContact* left = &around->said->left;
    const uint32_t index = grzFeature_Index(left->featureB);
    const grzVec3d outward = grzVec3d_Neg(grzVec3d_FromVec3(left->normal));
    if (grzFeature_Kind(left->featureB) == grz_faceFeature)
        return !left->isBehind;
    if (grzFeature_Kind(left->featureB) == grz_vertexFeature)
        return isInFrontOfVertex(around->edges, index, outward);
    bool isFront = isInFrontOfEdge(around->edges, index, outward);
    for (uint32_t k = 0; k < 3; ++k)
        isFront |= isAtCorner(around, k) && isInFrontOfVertex(around->edges, cornerOf(around, k), outward);
    return isFront;
}

bool grzLeftContacts_IsOrphan(const LeftContacts* contacts, const EdgesView* edges, size_t place, double nearness,
                              bool isTwoSided) {
    const TriangleSaid* said = &contacts->said.data[place];
    const Around around = {contacts, edges, said, nearness};
    if (!said->left.isLeft || isTaken(&around))
        return false;
    if (isTwoSided || (said->left.isDeep && !said->left.isBehind))
        return true;
    return !said->left.isDeep && isInFront(&around);
}
