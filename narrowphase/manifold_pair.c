// What: the contacts of one pair of triangles.
// Idea: three directions are tried, from A to B: A's normal, B's against it, and across the two edges where an edge
//       of each goes through the other triangle. Along each the triangles overlap by some depth; the least one that
//       is real wins.
//
//             A  \  /            The corner of A below B's face: B's normal parts them soonest. Its neighbours in
//         ________\/________ B   A are higher, so that is real on A's side too. Were B's edge on the right an inner
//                  .             one, the direction to the right would not be real: B goes on there.
//
// Holds: positions are finite; sums in double.     Cost: about 0.3 us a pair.
// Limits: a direction is judged by the corners next to the one that is farthest out, not by the whole mesh.
#include "manifold_parts.h"

#include "graze/tri_tri.h"

typedef struct Face {
    const grzManifoldSide* side;
    uint32_t triangle;
    double levelSine;
    grzVec3d corners[3];
    grzVec3d normal; // unit, or zero
} Face;

typedef struct Direction {
    grzVec3d d; // unit, from A to B
    double depth;
    bool isReal;
} Direction;

static grzVec3d unitOf(grzVec3d v) {
    double length = grzVec3d_Length(v);
    return length > 0 ? grzVec3d_Scale(v, 1 / length) : grzVec3d_Make(0, 0, 0);
}

static bool isZero(grzVec3d v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static grzVec3d positionOf(const grzManifoldSide* side, uint32_t vertex) {
    const float* p = side->positions + 3 * (size_t)vertex;
    return grzVec3d_Make((double)p[0], (double)p[1], (double)p[2]);
}

static uint32_t vertexOf(const Face* face, int corner) {
    return face->side->mesh->triangles[3 * (size_t)face->triangle + (size_t)corner];
}

static Face makeFace(const grzManifoldSide* side, uint32_t triangle, double levelSine) {
    Face face = {.side = side, .triangle = triangle, .levelSine = levelSine};
    for (int i = 0; i < 3; ++i)
        face.corners[i] = positionOf(side, vertexOf(&face, i));
    face.normal = unitOf(grzVec3d_Cross(grzVec3d_Sub(face.corners[1], face.corners[0]),
                                        grzVec3d_Sub(face.corners[2], face.corners[0])));
    return face;
}

// ---------------------------------------------------------------------------------------------------- directions

static int farthestCorner(const Face* face, grzVec3d d) {
    int best = 0;
    for (int i = 1; i < 3; ++i)
        if (grzVec3d_Dot(grzVec3d_Sub(face->corners[i], face->corners[best]), d) > 0)
            best = i;
    return best;
}

// Whether the mesh around the farthest corner of the face goes no further along d.
static bool isOutermost(const Face* face, grzVec3d d) {
    const grzMeshView* mesh = face->side->mesh;
    int corner = farthestCorner(face, d);
    uint32_t vertex = vertexOf(face, corner);
    for (uint32_t i = mesh->vertexEdgeStarts[vertex]; i < mesh->vertexEdgeStarts[vertex + 1]; ++i) {
        grzVec3d edge = grzVec3d_Sub(positionOf(face->side, mesh->vertexNeighbours[i]), face->corners[corner]);
        if (grzVec3d_Dot(edge, d) > face->levelSine * grzVec3d_Length(edge))
            return false;
    }
    return true;
}

static double depthAlong(const Face* a, const Face* b, grzVec3d d) {
    return grzVec3d_Dot(
        grzVec3d_Sub(a->corners[farthestCorner(a, d)], b->corners[farthestCorner(b, grzVec3d_Neg(d))]), d);
}

static void tryDirection(const Face* a, const Face* b, grzVec3d d, bool isOfA, bool isOfB, Direction* best) {
    if (isZero(d))
        return;
    Direction direction = {d, depthAlong(a, b, d), false};
    direction.isReal = (isOfA || isOutermost(a, d)) && (isOfB || isOutermost(b, grzVec3d_Neg(d)));
    bool isFace = isOfA || isOfB;
    if (!direction.isReal && !isFace)
        return;
    if (isZero(best->d) || (direction.isReal && !best->isReal) ||
        (direction.isReal == best->isReal && direction.depth < best->depth))
        *best = direction;
}

static grzVec3d edgeOf(const Face* face, grzFeature edge) {
    uint32_t i = grzFeature_Index(edge);
    return grzVec3d_Sub(face->corners[(i + 1) % 3], face->corners[i]);
}

// Across the first edge of each that is met, both ways.
static void tryEdges(const Face* a, const Face* b, const grzTriTri* meeting, Direction* best) {
    grzVec3d edgeA = {0, 0, 0}, edgeB = {0, 0, 0};
    for (uint32_t i = 0; i < meeting->count; ++i) {
        const grzTriTriPoint* point = &meeting->points[i];
        if (isZero(edgeA) && grzFeature_Kind(point->featureA) == grz_edgeFeature)
            edgeA = edgeOf(a, point->featureA);
        if (isZero(edgeB) && grzFeature_Kind(point->featureB) == grz_edgeFeature)
            edgeB = edgeOf(b, point->featureB);
    }
    grzVec3d across = unitOf(grzVec3d_Cross(unitOf(edgeA), unitOf(edgeB)));
    tryDirection(a, b, across, false, false, best);
    tryDirection(a, b, grzVec3d_Neg(across), false, false, best);
}

static Direction pickDirection(const Face* a, const Face* b, const grzTriTri* meeting) {
    Direction best = {{0, 0, 0}, 0, false};
    tryDirection(a, b, a->normal, true, false, &best);
    tryDirection(a, b, grzVec3d_Neg(b->normal), false, true, &best);
    tryEdges(a, b, meeting, &best);
    if (isZero(best.d)) // two triangles without area: any direction
        best = (Direction){{0, 0, 1}, 0, false};
    return best;
}

// -------------------------------------------------------------------------------------------------------- points

// In the mesh's numbers.
static grzFeature meshFeature(const Face* face, grzFeature feature) {
    const grzMeshView* mesh = face->side->mesh;
    size_t at = 3 * (size_t)face->triangle + grzFeature_Index(feature);
    switch (grzFeature_Kind(feature)) {
    case grz_vertexFeature:
        return grzMakeFeature(grz_vertexFeature, mesh->triangles[at]);
    case grz_edgeFeature: // a repeated index has corners that differ, so there is an edge
        return grzMakeFeature(grz_edgeFeature, mesh->triangleEdges[at]);
    case grz_faceFeature:
    case grz_bodyFeature:
    default:
        return grzMakeFeature(grz_faceFeature, face->triangle);
    }
}

// How far the feature goes on past the point along d: to the end of an edge, else nowhere.
static double reachOf(const Face* face, grzFeature feature, grzVec3d point, grzVec3d d) {
    if (grzFeature_Kind(feature) != grz_edgeFeature)
        return 0;
    uint32_t i = grzFeature_Index(feature);
    double first = grzVec3d_Dot(grzVec3d_Sub(face->corners[i], point), d);
    double second = grzVec3d_Dot(grzVec3d_Sub(face->corners[(i + 1) % 3], point), d);
    double most = first > second ? first : second;
    return most > 0 ? most : 0;
}

static grzContact makeContact(const Face* a, const Face* b, const Direction* direction,
                              const grzTriTriPoint* point) {
    grzVec3d p = grzVec3d_FromVec3(point->point);
    double reachA = reachOf(a, point->featureA, p, direction->d);
    double reachB = reachOf(b, point->featureB, p, grzVec3d_Neg(direction->d));
    double depth = reachA + reachB < direction->depth ? reachA + reachB : direction->depth;
    depth = depth > 0 ? depth : 0;
    // Beside the depth, the surfaces lie at p + reachA d and p - reachB d.
    double middle = reachA + reachB > 0 ? (reachA - reachB) / (reachA + reachB) * depth / 2 : 0;
    grzContact contact = {.bodyA = a->side->body, .bodyB = b->side->body};
    contact.point = grzVec3d_ToVec3(grzVec3d_Add(p, grzVec3d_Scale(direction->d, middle)));
    contact.normal = grzVec3d_ToVec3(direction->d);
    contact.separation = depth > 0 ? (float)-depth : 0;
    contact.triangleA = a->triangle;
    contact.triangleB = b->triangle;
    contact.featureA = meshFeature(a, point->featureA);
    contact.featureB = meshFeature(b, point->featureB);
    contact.certainty = grz_exact;
    return contact;
}

void grzManifolds_AddPair(grzManifolds* manifolds, const grzManifoldQuery* query, const grzTrianglePair* pair) {
    const double levelSine = (double)manifolds->def.levelSine;
    Face a = makeFace(&query->a, pair->triangleA, levelSine), b = makeFace(&query->b, pair->triangleB, levelSine);
    grzVec3 cornersA[3], cornersB[3];
    grzTriTri meeting;
    for (int i = 0; i < 3; ++i) {
        cornersA[i] = grzVec3d_ToVec3(a.corners[i]);
        cornersB[i] = grzVec3d_ToVec3(b.corners[i]);
    }
    if (grzTriTri_Intersect(cornersA, cornersB, &meeting) == grz_triNone)
        return;
    Direction direction = pickDirection(&a, &b, &meeting);
    for (uint32_t i = 0; i < meeting.count; ++i) {
        RawContact* raw = &manifolds->raw.data[manifolds->raw.count++];
        *raw = (RawContact){.contact = makeContact(&a, &b, &direction, &meeting.points[i])};
        raw->isReal = direction.isReal;
    }
}
