// No contact of a shape and a mesh is missed: where the shape is within the margin of the surface, in front of it or two-sided, there
// is a contact; of a ball one that is as near as the nearest triangle. Surfaces with saddles, pits, peaks and folds, where an inner edge's
// contact is left from triangle to triangle around a vertex. The reference: the distance to every triangle, and the normal of the
// nearest feature, of the triangles weighted by their angles [Baerentzen and Aanaes, Signed Distance Computation Using the Angle
// Weighted Pseudonormal, 2005].
#include "convex_testing.h"
#include "model_query_testing.h"

#include <math.h>

#include "body_ids.h"
#include "graze/model_contact.h"

// ------------------------------------------------------------------------------------------------------------ surfaces

typedef enum SurfaceKind {
    ringSurface,
    ballSurface,
    hollowSurface, // a ball that is turned inside out
    saddleSurface, // z = x y
    monkeySurface, // three valleys
    roughSurface,
    spikySurface, // peaks and pits in turn
    surfaceCount
} SurfaceKind;

static float heightOf(SurfaceKind kind, float x, float y, int cell) {
    if (kind == saddleSurface)
        return x * y;
    if (kind == monkeySurface)
        return x * x * x - 3 * x * y * y;
    if (kind == roughSurface)
        return draw(-0.25F, 0.25F);
    return cell % 2 == 0 ? draw(0, 1) : -draw(0, 1);
}

enum { CELLS = 7 };

// Of side 2, whose front is up along z.
static ModelMesh makeHeights(SurfaceKind kind) {
    ModelMesh mesh = makeMesh((size_t)(CELLS + 1) * (CELLS + 1), (size_t)2 * CELLS * CELLS);
    for (int i = 0; i < (CELLS + 1) * (CELLS + 1); ++i) {
        const float x = 2 * (float)(i % (CELLS + 1)) / CELLS - 1, y = 2 * (float)(i / (CELLS + 1)) / CELLS - 1;
        mesh.positions[3 * i] = x, mesh.positions[3 * i + 1] = y;
        mesh.positions[3 * i + 2] = heightOf(kind, x, y, i % (CELLS + 1) + i / (CELLS + 1));
    }
    for (uint32_t i = 0; i < CELLS * CELLS; ++i) {
        const uint32_t a = i / CELLS * (CELLS + 1) + i % CELLS, b = a + 1, c = b + CELLS + 1, d = c - 1;
        const bool isOther = kind != saddleSurface && i % 2 == 0;
        const uint32_t corners[6] = {a, b, isOther ? d : c, isOther ? b : a, c, d};
        memcpy(&mesh.triangles[(size_t)6 * i], corners, sizeof corners);
    }
    return mesh;
}

static Ground makeSurface(SurfaceKind kind) {
    if (kind == ringSurface)
        return bindMesh(makeShapeMesh(shapeTorus, 128), grz_bvhSah);
    if (kind != ballSurface && kind != hollowSurface)
        return bindMesh(makeHeights(kind), grz_bvhSah);
    ModelMesh mesh = makeShapeMesh(shapeSphere, 120);
    for (size_t i = 0; i < mesh.triangleCount && kind == hollowSurface; ++i) {
        const uint32_t corner = mesh.triangles[3 * i + 1];
        mesh.triangles[3 * i + 1] = mesh.triangles[3 * i + 2];
        mesh.triangles[3 * i + 2] = corner;
    }
    return bindMesh(mesh, grz_bvhSah);
}

// ----------------------------------------------------------------------------------------------------------- reference

typedef struct Nearest {
    grzConvexDistance distance; // to the nearest triangle, of the shape's core
    double lower, upper;        // of the shape
    bool isInFront;             // as far as the core's distance tells
} Nearest;

static grzVec3 cornerIn(const Ground* ground, size_t triangle, size_t k) {
    return grzVec3_Load(ground->mesh.positions + 3 * (size_t)ground->mesh.triangles[3 * triangle + k]);
}

static grzMeshTriangle triangleOf(const Ground* ground, size_t triangle) {
    const grzMeshView view = grzMesh_GetView(ground->topology);
    grzMeshTriangle made;
    memset(&made, 0, sizeof made);
    made.face = (uint32_t)triangle;
    for (size_t k = 0; k < 3; ++k) {
        made.edgeFeatures[k] = view.triangleEdges[3 * triangle + k];
        made.vertices[k] = cornerIn(ground, triangle, k);
        made.vertexFeatures[k] = ground->mesh.triangles[3 * triangle + k];
    }
    return made;
}

// The part of what is around a feature of the surface that is a triangle's; 0 where it is not around it.
static double partOf(const grzMeshTriangle* triangle, grzFeature feature) {
    const grzFeatureKind kind = grzFeature_Kind(feature);
    const grzVec3* v = triangle->vertices;
    if (kind == grz_faceFeature)
        return triangle->face == grzFeature_Index(feature);
    for (size_t k = 0; k < 3; ++k) {
        const grzVec3 a = grzNormalize(grzSub(v[(k + 1) % 3], v[k])),
                      b = grzNormalize(grzSub(v[(k + 2) % 3], v[k]));
        if (kind == grz_edgeFeature && triangle->edgeFeatures[k] == grzFeature_Index(feature))
            return 1;
        if (kind == grz_vertexFeature && triangle->vertexFeatures[k] == grzFeature_Index(feature))
            return acos((double)grzDot(a, b));
    }
    return 0;
}

// How far a way leads from a feature of the surface to its front.
static double frontOf(const Ground* ground, grzFeature feature, grzVec3 way) {
    double front = 0;
    for (size_t i = 0; i < ground->mesh.triangleCount; ++i) {
        const grzMeshTriangle triangle = triangleOf(ground, i);
        const grzVec3* v = triangle.vertices;
        const grzVec3 normal = grzNormalize(grzCross(grzSub(v[1], v[0]), grzSub(v[2], v[0])));
        front += partOf(&triangle, feature) * (double)grzDot(way, normal);
    }
    return front;
}

static Nearest findNearest(const Ground* ground, const grzModelContactQuery* query) {
    Nearest nearest = {.lower = 1e30, .upper = 1e30, .isInFront = false};
    grzConvex core = query->shape;
    const bool isRound = core.kind == grz_sphereShape || core.kind == grz_capsuleShape;
    const float radius = isRound ? core.radius : 0;
    core.radius = isRound ? 0 : core.radius;
    for (size_t i = 0; i < ground->mesh.triangleCount; ++i) {
        const grzMeshTriangle triangle = triangleOf(ground, i);
        grzConvexDistance found;
        assert_true(grzResult_IsOk(grzConvex_TriangleDistance(&core, query->shapePose, &triangle, &found)));
        nearest.lower = fmin(nearest.lower, (double)found.lower - (double)radius);
        if ((double)found.upper - (double)radius < nearest.upper)
            nearest.upper = (double)found.upper - (double)radius, nearest.distance = found;
    }
    if (nearest.distance.lower > 1e-4F)
        nearest.isInFront = frontOf(ground, nearest.distance.featureB, grzNeg(nearest.distance.normal)) > 1e-3;
    return nearest;
}

// --------------------------------------------------------------------------------------------------------------- tests

static grzConvex smaller(grzConvex shape, float scale) {
    shape.a = grzScale(shape.a, scale), shape.b = grzScale(shape.b, shape.kind == grz_hullShape ? 1 : scale);
    shape.radius *= scale;
    return shape;
}

// Beside some vertex of the surface, as often as not off it by less than the shape's size.
static grzModelContactQuery drawQuery(const Ground* ground) {
    grzModelContactQuery query = grzDefaultModelContactQuery();
    const uint32_t vertex = grzRng_Below(&g_rng, (uint32_t)ground->mesh.vertexCount);
    const float scale = draw(0, 1) < 0.5F ? 0.1F : 0.4F;
    query.edges = ground->edges;
    query.shape = smaller(anyShape(&g_rng), scale);
    query.shapePose =
        grzTransform_Make(drawRotation(), grzAdd(grzVec3_Load(ground->mesh.positions + (size_t)3 * vertex),
                                                 drawVector(0.7F * scale)));
    query.margin = draw(0, 1) < 0.5F ? 0.05F : 0;
    query.isTwoSided = grzRng_Below(&g_rng, 2) == 0;
    query.shapeBody = idOfNumber(1), query.meshBody = idOfNumber(2);
    return query;
}

// Counts those that are asked for. A shape that is wholly inside a closed surface has one contact, too.
static void checkQuery(grzModelContacts* contacts, SurfaceKind kind, const Ground* ground,
                       const grzModelContactQuery* query, int* asked) {
    const Nearest nearest = findNearest(ground, query);
    assert_true(grzResult_IsOk(grzModelContacts_Find(contacts, query)));
    const grzModelContactsView view = grzModelContacts_GetView(contacts);
    const bool isInside = kind <= ballSurface && !query->isTwoSided && !nearest.isInFront;
    if (nearest.lower > (double)query->margin + 1e-5)
        assert_int_equal(view.count, isInside);
    if (nearest.upper >= (double)query->margin - 1e-5 || (!query->isTwoSided && !nearest.isInFront))
        return;
    double least = (double)INFINITY;
    for (size_t i = 0; i < view.count; ++i)
        least = fmin(least, (double)view.contacts[i].separation);
    if (view.count == 0)
        fail_msg("shape %d, %g from the surface, two-sided %d: no contact", (int)query->shape.kind, nearest.upper,
                 query->isTwoSided);
    // Contacts of the same features are one, the least deep; a ball has but one feature for each of the mesh's.
    if (query->shape.kind == grz_sphereShape)
        assert_true(least <= nearest.upper + 3e-3 * (double)query->shape.radius);
    ++*asked;
}

static void nothingWithinTheMarginIsMissed(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    grzModelContacts* contacts;
    assert_true(grzResult_IsOk(grzModelContacts_Create((grzAllocator){0}, &contacts)));
    for (int kind = 0; kind < surfaceCount; ++kind) {
        Ground ground = makeSurface((SurfaceKind)kind);
        int asked = 0;
        for (int i = 0; i < 1200; ++i) {
            const grzModelContactQuery query = drawQuery(&ground);
            checkQuery(contacts, (SurfaceKind)kind, &ground, &query, &asked);
        }
        assert_true(asked > 200);
        freeGround(&ground);
    }
    grzModelContacts_Destroy(contacts);
}

// All around the inner rim of a ring, where the surface is a saddle at every vertex: a ball on a vertex, in each direction that no
// edge is nearer to.
static void aBallOnASaddleHasAContact(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    Ground ground = makeSurface(ringSurface);
    grzModelContacts* contacts;
    int asked = 0;
    assert_true(grzResult_IsOk(grzModelContacts_Create((grzAllocator){0}, &contacts)));
    for (int i = 0; i < 2000; ++i) {
        grzModelContactQuery query = drawQuery(&ground);
        const uint32_t vertex = (uint32_t)i % (uint32_t)ground.mesh.vertexCount;
        const grzVec3 at = grzVec3_Load(ground.mesh.positions + (size_t)3 * vertex);
        query.shape = grzMakeSphere(grzVec3_Zero(), 0.05F);
        query.shapePose.origin = grzAddScaled(at, 0.038F, grzNormalize(drawVector(1)));
        query.margin = 0;
        checkQuery(contacts, ringSurface, &ground, &query, &asked);
    }
    assert_true(asked > 1000);
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothingWithinTheMarginIsMissed),
        cmocka_unit_test(aBallOnASaddleHasAContact),
    };
    return cmocka_run_group_tests(tests, makeHulls, destroyHulls);
}
