// What: where one pair of triangles meets, as raw contacts: the point, the features, nothing chosen yet.
// Holds: positions are finite.     Cost: that of graze/tri_tri.h.
#include "graze/tri_tri.h"
#include "manifold_parts.h"

Face grzManifolds_FaceOf(const grzManifoldSide* side, uint32_t triangle) {
    Face face;
    for (int i = 0; i < 3; ++i)
        face.corners[i] = positionOf(side, side->mesh->triangles[3 * (size_t)triangle + (size_t)i]);
    grzVec3d cross = grzVec3d_Cross(grzVec3d_Sub(face.corners[1], face.corners[0]),
                                    grzVec3d_Sub(face.corners[2], face.corners[0]));
    face.normal = grzVec3d_Unit(cross);
    face.area = grzVec3d_Length(cross) / 2;
    face.isTurned = false;
    return face;
}

void grzManifolds_Turn(Face* face) {
    face->normal = grzVec3d_Neg(face->normal);
    face->isTurned = !face->isTurned;
}

Face grzManifolds_FaceToward(const grzManifoldSide* side, uint32_t triangle, grzVec3d out) {
    Face face = grzManifolds_FaceOf(side, triangle);
    if (side->isTwoSided && grzVec3d_Dot(face.normal, out) < 0)
        grzManifolds_Turn(&face);
    return face;
}

Face grzManifolds_FaceMet(const grzManifoldQuery* query, const RawContact* raw, int side) {
    Face face = grzManifolds_FaceOf(sideOf(query, side), triangleOf(&raw->contact, side));
    if (raw->isTurned[side])
        grzManifolds_Turn(&face);
    return face;
}

uint32_t grzManifolds_StartOf(const grzMeshView* mesh, uint32_t triangle, uint32_t edge) {
    const uint32_t* edges = mesh->triangleEdges + 3 * (size_t)triangle;
    return mesh->triangles[3 * (size_t)triangle + (edges[0] == edge ? 0 : edges[1] == edge ? 1 : 2)];
}

// In the mesh's numbers.
static grzFeature meshFeature(const grzMeshView* mesh, uint32_t triangle, grzFeature feature) {
    size_t at = 3 * (size_t)triangle + grzFeature_Index(feature);
    switch (grzFeature_Kind(feature)) {
    case grz_vertexFeature:
        return grzMakeFeature(grz_vertexFeature, mesh->triangles[at]);
    case grz_edgeFeature: // a repeated index has corners that differ, so there is an edge
        return grzMakeFeature(grz_edgeFeature, mesh->triangleEdges[at]);
    case grz_faceFeature:
    case grz_bodyFeature:
    default:
        return grzMakeFeature(grz_faceFeature, triangle);
    }
}

static void loadCorners(const grzManifoldSide* side, uint32_t triangle, grzVec3 corners[3]) {
    for (size_t i = 0; i < 3; ++i)
        corners[i] = grzVec3_Load(side->positions + 3 * (size_t)side->mesh->triangles[3 * (size_t)triangle + i]);
}

void grzManifolds_AddPair(grzManifolds* manifolds, const grzManifoldQuery* query, const grzTrianglePair* pair) {
    grzVec3 cornersA[3], cornersB[3];
    grzTriTri meeting;
    loadCorners(&query->a, pair->triangleA, cornersA);
    loadCorners(&query->b, pair->triangleB, cornersB);
    if (grzTriTri_Intersect(cornersA, cornersB, &meeting) == grz_triNone)
        return;
    for (uint32_t i = 0; i < meeting.count; ++i) {
        const grzTriTriPoint* point = &meeting.points[i];
        grzContact contact = {.point = point->point, .bodyA = query->a.body, .bodyB = query->b.body};
        contact.triangleA = pair->triangleA;
        contact.triangleB = pair->triangleB;
        contact.featureA = meshFeature(query->a.mesh, pair->triangleA, point->featureA);
        contact.featureB = meshFeature(query->b.mesh, pair->triangleB, point->featureB);
        contact.certainty = grz_exact;
        manifolds->raw.data[manifolds->raw.count++] = (RawContact){.contact = contact};
    }
}
