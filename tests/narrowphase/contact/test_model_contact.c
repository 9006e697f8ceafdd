// Contacts of shapes and meshes against manifolds of every triangle, made by the public calls with neighbours found the slow
// way; shapes that slide across flat tessellated floors; shared edges and vertices; names that stay; the same bytes for any
// worker count and SIMD level.
#include "convex_testing.h"
#include "model_query_testing.h"

#include <math.h>

#include "body_ids.h"
#include "graze/model_contact.h"

// A sheet in y = 0 of side 4 whose front is up.
static ModelMesh makeFloor(size_t cells) {
    MeshData data;
    assert_true(grzResult_IsOk(makeGrid(cells, cells, 4, 4, grzDefaultAllocator(), &data)));
    ModelMesh mesh = takeMeshData(&data);
    grzVec3 c[3];
    cornersOf(&mesh, 0, c);
    const bool isUp = grzCross(grzSub(c[1], c[0]), grzSub(c[2], c[0])).y > 0;
    for (size_t i = 0; i < mesh.triangleCount && !isUp; ++i) {
        const uint32_t corner = mesh.triangles[3 * i + 1];
        mesh.triangles[3 * i + 1] = mesh.triangles[3 * i + 2];
        mesh.triangles[3 * i + 2] = corner;
    }
    return mesh;
}

static grzModelContacts* makeContacts(void) {
    grzModelContacts* contacts;
    assert_true(grzResult_IsOk(grzModelContacts_Create((grzAllocator){NULL, NULL, NULL}, &contacts)));
    return contacts;
}

static grzModelContactsView find(grzModelContacts* contacts, const grzModelContactQuery* query) {
    const grzResult result = grzModelContacts_Find(contacts, query);
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
    const grzModelContactsView view = grzModelContacts_GetView(contacts);
    assert_true(view.queryCount == 1 && view.starts[1] == view.count);
    return view;
}

static grzModelContactQuery makeQuery(const Ground* ground) {
    grzModelContactQuery query = grzDefaultModelContactQuery();
    query.edges = ground->edges;
    query.shapeBody = idOfNumber(3), query.meshBody = idOfNumber(5);
    return query;
}

// ---- the reference ----

enum { MOST_EXPECTED = 1024 };

typedef struct Expected {
    grzContact contacts[MOST_EXPECTED]; // one for each pair of features, the least deep
    size_t count;
    grzContact taken[MOST_EXPECTED]; // all of them
    size_t takenCount;
    grzContact alone[MOST_EXPECTED]; // the deepest of each triangle without neighbours and with two sides
    size_t aloneCount;
    bool isDeep; // behind a triangle, or in one by a fourth of the width: then triangles are looked at together
} Expected;

static grzVec3 cornerOf(const Ground* ground, const grzModelContactQuery* query, size_t triangle, int k) {
    grzVec3 c[3];
    cornersOf(&ground->mesh, triangle, c);
    const grzTransform p = query->pose;
    float at[3];
    for (int i = 0; i < 3; ++i) {
        const double shift = (double)grzVec3_Get(p.origin, i) - (double)grzVec3_Get(query->shapePose.origin, i);
        at[i] = (float)(((double)grzVec3_Get(p.basis.x, i) * (double)c[k].x +
                         (double)grzVec3_Get(p.basis.y, i) * (double)c[k].y) +
                        ((double)grzVec3_Get(p.basis.z, i) * (double)c[k].z + shift));
    }
    return grzVec3_Load(at);
}

// Of the one other triangle that has both vertices; 0 where there is none, or more.
static grzVec3 normalAcross(const Ground* ground, const grzModelContactQuery* query, size_t triangle, int k) {
    const uint32_t* t = ground->mesh.triangles;
    const uint32_t a = t[3 * triangle + (size_t)k], b = t[3 * triangle + (size_t)(k + 1) % 3];
    grzVec3 normal = grzVec3_Zero();
    int others = 0;
    for (size_t i = 0; i < ground->mesh.triangleCount; ++i) {
        for (size_t j = 0; j < 3 && i != triangle; ++j) {
            if (t[3 * i + j] != b || t[3 * i + (j + 1) % 3] != a)
                continue;
            const grzVec3 o = cornerOf(ground, query, i, 0);
            normal = grzNormalize(
                grzCross(grzSub(cornerOf(ground, query, i, 1), o), grzSub(cornerOf(ground, query, i, 2), o)));
            others++;
        }
    }
    return others == 1 ? normal : grzVec3_Zero();
}

static uint32_t edgeBetween(const grzMeshView* view, uint32_t a, uint32_t b) {
    for (uint32_t e = 0; e < view->edgeCount; ++e)
        if ((view->edges[e].a == a && view->edges[e].b == b) || (view->edges[e].a == b && view->edges[e].b == a))
            return e;
    fail_msg("no such edge");
    return 0;
}

static void addExpected(Expected* expected, const grzContact* contact) {
    for (size_t i = 0; i < expected->count; ++i) {
        grzContact* other = &expected->contacts[i];
        if (other->featureA != contact->featureA || other->featureB != contact->featureB)
            continue;
        if (contact->separation > other->separation)
            *other = *contact;
        return;
    }
    assert_true(expected->count < MOST_EXPECTED);
    expected->contacts[expected->count++] = *contact;
}

static uint32_t collideTriangle(const grzModelContactQuery* query, const grzMeshTriangle* triangle, uint32_t most,
                                grzContact made[4]) {
    grzTransform pose = query->shapePose;
    grzManifold manifold;
    pose.origin = grzVec3_Zero();
    assert_true(grzResult_IsOk(grzConvex_CollideTriangle(&query->shape, pose, triangle, query->margin, &manifold)));
    manifold.pointCount = manifold.pointCount > most ? most : manifold.pointCount;
    const uint32_t count = grzManifold_ToContacts(&manifold, query->shapeBody, query->meshBody, made);
    for (uint32_t c = 0; c < count; ++c)
        made[c].point = grzAdd(made[c].point, query->shapePose.origin);
    return count;
}

static void append(grzContact* contacts, size_t* count, const grzContact* made, uint32_t madeCount) {
    assert_true(*count + madeCount <= MOST_EXPECTED);
    memcpy(contacts + *count, made, madeCount * sizeof *made);
    *count += madeCount;
}

static float widthAlong(const grzModelContactQuery* query, grzVec3 direction) {
    const grzVec3 local = grzMat3_Apply(grzMat3_Transpose(query->shapePose.basis), direction);
    return grzDot(local,
                  grzSub(grzConvex_Support(&query->shape, local), grzConvex_Support(&query->shape, grzNeg(local))));
}

// Of its box, where triangles are: about the origin of the shape.
static grzVec3 middleOf(const grzModelContactQuery* query) {
    grzVec3 middle = grzVec3_Zero();
    for (int k = 0; k < 3; ++k) {
        const grzVec3 axis = grzVec3_Make(k == 0, k == 1, k == 2);
        const grzVec3 ends =
            grzAdd(grzConvex_Support(&query->shape, axis), grzConvex_Support(&query->shape, grzNeg(axis)));
        middle = grzAdd(middle, grzScale(axis, 0.5F * grzDot(axis, ends)));
    }
    return grzMat3_Apply(query->shapePose.basis, middle);
}

static void findExpected(const Ground* ground, const grzModelContactQuery* query, Expected* expected) {
    const grzMeshView view = grzMesh_GetView(ground->topology);
    expected->count = expected->takenCount = expected->aloneCount = 0;
    expected->isDeep = false;
    const grzVec3 middle = middleOf(query);
    for (uint32_t i = 0; i < ground->mesh.triangleCount; ++i) {
        grzMeshTriangle triangle;
        grzContact made[4];
        const uint32_t* corners = ground->mesh.triangles + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            triangle.vertices[k] = cornerOf(ground, query, i, k);
            triangle.neighborNormals[k] = normalAcross(ground, query, i, k);
            triangle.edgeFeatures[k] = edgeBetween(&view, corners[k], corners[(k + 1) % 3]);
            triangle.vertexFeatures[k] = corners[k];
        }
        triangle.face = i, triangle.isTwoSided = query->isTwoSided;
        uint32_t count = collideTriangle(query, &triangle, 4, made);
        for (uint32_t c = 0; c < count; ++c)
            addExpected(expected, &made[c]);
        append(expected->taken, &expected->takenCount, made, count);
        for (int k = 0; k < 3; ++k)
            triangle.neighborNormals[k] = grzVec3_Zero();
        triangle.isTwoSided = true;
        count = collideTriangle(query, &triangle, 1, made);
        append(expected->alone, &expected->aloneCount, made, count);
        count = collideTriangle(query, &triangle, 4, made);
        const grzVec3* v = triangle.vertices;
        const grzVec3 normal = grzNormalize(grzCross(grzSub(v[1], v[0]), grzSub(v[2], v[0])));
        const float deepest = -0.249F * widthAlong(query, normal);
        for (uint32_t c = 0; c < count; ++c)
            expected->isDeep |=
                grzDot(grzSub(middle, v[0]), normal) < 0 ||
                (made[c].separation < 0 && (made[c].separation < deepest || grzDot(made[c].normal, normal) > 0));
    }
}

static bool hasFeature(const Ground* ground, uint32_t triangle, grzFeature feature) {
    const grzMeshView view = grzMesh_GetView(ground->topology);
    const grzFeatureKind kind = grzFeature_Kind(feature);
    bool has = kind == grz_faceFeature && triangle == grzFeature_Index(feature);
    for (size_t k = 0; k < 3; ++k) {
        const size_t at = 3 * (size_t)triangle + k;
        has |= kind == grz_vertexFeature && view.triangles[at] == grzFeature_Index(feature);
        has |= kind == grz_edgeFeature && view.triangleEdges[at] == grzFeature_Index(feature);
    }
    return has;
}

static bool areLike(const grzContact* a, const grzContact* b) {
    return a->featureA == b->featureA && a->featureB == b->featureB &&
           fabsf(a->separation - b->separation) < 1e-6F && grzDistance(a->point, b->point) < 1e-5F &&
           grzDot(a->normal, b->normal) > 0.9999F && a->toi == b->toi && a->certainty == b->certainty;
}

// Whether a triangle of the same edge or vertex has a contact that is as deep.
static bool isTaken(const grzContact* contact, const Ground* ground, const Expected* expected) {
    for (size_t i = 0; i < expected->takenCount; ++i)
        if (hasFeature(ground, expected->taken[i].triangleB, contact->featureB) &&
            expected->taken[i].separation <= contact->separation)
            return true;
    return false;
}

// What a triangle has left to its neighbours is only its own where nobody takes it.
static void checkOrphan(const grzContact* contact, const Ground* ground, const Expected* expected) {
    for (size_t i = 0; i < expected->aloneCount; ++i)
        if (areLike(contact, &expected->alone[i]) && !isTaken(&expected->alone[i], ground, expected))
            return;
    fail_msg("a contact that no triangle gives");
}

// False for an orphan.
static bool isExpected(const grzContact* contact, const Expected* expected) {
    for (size_t i = 0; i < expected->count; ++i) {
        const grzContact* other = &expected->contacts[i];
        if (contact->featureA != other->featureA || contact->featureB != other->featureB)
            continue;
        return areLike(contact, other);
    }
    return false;
}

// Whether something at least as deep, of a like normal, was kept.
static bool isCovered(const grzContact* contact, const grzModelContactsView* view) {
    for (size_t i = 0; i < view->count; ++i)
        if (grzDot(view->contacts[i].normal, contact->normal) > 0.8F &&
            view->contacts[i].separation <= contact->separation + 5e-3F)
            return true;
    return false;
}

static size_t compareQuery(grzModelContacts* contacts, const Ground* ground, const grzModelContactQuery* query) {
    Expected* expected = malloc(sizeof *expected);
    assert_non_null(expected);
    findExpected(ground, query, expected);
    const grzModelContactsView view = find(contacts, query);
    assert_true(view.count > 0 || expected->count == 0);
    size_t orphans = 0;
    if (expected->isDeep || expected->aloneCount == 0) { // or wholly inside
        free(expected);
        return 0;
    }
    for (size_t i = 0; i < view.count; ++i) {
        const grzContact* contact = &view.contacts[i];
        if (!isExpected(contact, expected))
            checkOrphan(contact, ground, expected), ++orphans;
        assert_true(grzBodyId_IsSame(contact->bodyA, idOfNumber(3)) &&
                    grzBodyId_IsSame(contact->bodyB, idOfNumber(5)) && contact->triangleA == GRZ_NO_TRIANGLE);
        assert_true(contact->triangleB < ground->mesh.triangleCount);
        for (size_t k = 0; k < i; ++k)
            assert_true(view.contacts[k].featureA != contact->featureA ||
                        view.contacts[k].featureB != contact->featureB);
    }
    assert_true(view.count <= expected->count + orphans);
    for (size_t i = 0; i < expected->count; ++i)
        assert_true(isCovered(&expected->contacts[i], &view));
    const size_t count = view.count;
    free(expected);
    return count;
}

// ---- tests ----

// Moves the shape straight to the mesh, and up to 5 cm into it, or leaves it that much off.
static void bringNear(const Ground* ground, grzModelContactQuery* query) {
    grzModelShape near = grzDefaultModelShape();
    grzModelShapeDistance found;
    near.model = ground->model, near.pose = query->pose;
    near.shape = query->shape, near.shapePose = query->shapePose, near.margin = INFINITY;
    assert_true(grzResult_IsOk(grzModel_ShapeDistance(&near, &found)));
    const grzVec3 way = grzScale(found.distance.normal, found.distance.lower + draw(-0.05F, 0.05F));
    query->shapePose.origin = grzAdd(query->shapePose.origin, way);
}

static void compareAll(void) {
    grzModelContacts* contacts = makeContacts();
    size_t met = 0;
    for (int i = 0; i < 3; ++i) {
        const ShapeKind kinds[] = {shapeSphere, shapeTorus, shapeBox};
        Ground ground = bindMesh(makeShapeMesh(kinds[i], 200), (grzBvhBuilder)i);
        for (int k = 0; k < 12; ++k) {
            grzModelContactQuery query = makeQuery(&ground);
            query.pose = drawRigid();
            if (k % 3 == 0)
                query.pose.basis = grzMat3_ScaleColumns(query.pose.basis, grzVec3_Make(1.5F, 0.7F, 1));
            query.shape = anyShape(&g_rng);
            query.shapePose = grzTransform_Make(drawRotation(), grzAdd(query.pose.origin, drawVector(2.5F)));
            bringNear(&ground, &query);
            query.margin = k % 2 == 0 ? 0.05F : 0;
            query.isTwoSided = k % 4 == 3;
            met += compareQuery(contacts, &ground, &query) > 0;
        }
        freeGround(&ground);
    }
    assert_true(met > 10);
    grzModelContacts_Destroy(contacts);
}

static void contactsAreThoseOfTheTriangles(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(compareAll);
}

static grzConvex slider(int kind) {
    switch (kind) {
    case 0:
        return grzMakeSphere(grzVec3_Zero(), 0.25F);
    case 1:
        return grzMakeCapsule(grzVec3_Make(-0.3F, 0, 0), grzVec3_Make(0.3F, 0, 0), 0.25F);
    default:
        return grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.4F, 0.25F, 0.3F));
    }
}

// Turned about the vertical, sunk by a depth: all pushes are upward and as deep.
static void slide(grzModelContacts* contacts, const Ground* ground, int kind, float depth) {
    for (int step = 0; step < 120; ++step) {
        grzModelContactQuery query = makeQuery(ground);
        const float turn = 0.05F * (float)(step / 8), x = -1.2F + 0.02F * (float)step;
        query.shape = slider(kind);
        query.shapePose = grzTransform_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), turn),
                                                grzVec3_Make(x, 0.25F - depth, 0.5F * x));
        query.margin = 0.02F;
        const grzModelContactsView view = find(contacts, &query);
        const size_t counts[] = {1, 2, 4};
        assert_int_equal(view.count, counts[kind]);
        for (size_t i = 0; i < view.count; ++i) {
            assert_true(view.contacts[i].normal.y < -0.99999F);
            assert_true(fabsf(view.contacts[i].separation + depth) < 1e-4F);
        }
    }
}

static void slidingAcrossAFlatFloorPushesUpAlone(void** state) {
    (void)state;
    grzModelContacts* contacts = makeContacts();
    const size_t cells[] = {1, 7, 16, 40};
    const float depths[] = {-0.01F, 0, 0.001F, 0.04F};
    for (size_t c = 0; c < 4; ++c) {
        Ground ground = bindMesh(makeFloor(cells[c]), grz_bvhSah);
        for (int kind = 0; kind < 3; ++kind)
            for (size_t d = 0; d < 4; ++d)
                slide(contacts, &ground, kind, depths[d]);
        freeGround(&ground);
    }
    grzModelContacts_Destroy(contacts);
}

// Any turn: on a vertex, an edge or a face of its own.
static void hullsThatSlideAreOnlyPushedUp(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(6), 1);
    Ground ground = bindMesh(makeFloor(21), grz_bvhSah);
    grzModelContacts* contacts = makeContacts();
    for (int step = 0; step < 300; ++step) {
        grzModelContactQuery query = makeQuery(&ground);
        query.shape = grzMakeHullShape(g_hulls[step % hullCount]);
        query.shapePose.basis = drawRotation();
        const grzVec3 down = grzMat3_ApplyTransposed(query.shapePose.basis, grzVec3_Make(0, -1, 0));
        const float reach = grzDot(grzConvex_Support(&query.shape, down), down);
        query.shapePose.origin = grzVec3_Make(draw(-0.7F, 0.7F), reach - 0.01F, draw(-0.7F, 0.7F));
        const grzModelContactsView view = find(contacts, &query);
        float deepest = 0;
        assert_true(view.count >= 1);
        for (size_t i = 0; i < view.count; ++i) {
            assert_true(view.contacts[i].normal.y < -0.99999F);
            deepest = fminf(deepest, view.contacts[i].separation);
        }
        assert_true(fabsf(deepest + 0.01F) < 5e-3F);
    }
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
}

static void aSphereOnASharedEdgeOrVertexHasOneContact(void** state) {
    (void)state;
    Ground ground = bindMesh(makeFloor(4), grz_bvhSah); // cells of side 1
    grzModelContacts* contacts = makeContacts();
    for (int u = -12; u <= 12; ++u) {
        for (int v = -12; v <= 12; ++v) {
            grzModelContactQuery query = makeQuery(&ground);
            query.shape = grzMakeSphere(grzVec3_Zero(), 0.5F);
            query.shapePose.origin = grzVec3_Make(0.125F * (float)u, 0.49F, 0.125F * (float)v);
            const grzModelContactsView view = find(contacts, &query);
            assert_int_equal(view.count, 1);
            assert_true(fabsf(view.contacts[0].separation + 0.01F) < 1e-5F);
            query.isTwoSided = true;
            query.shapePose.origin.y = -0.49F;
            assert_int_equal(find(contacts, &query).count, 1);
            assert_true(grzModelContacts_GetView(contacts).contacts[0].normal.y > 0.9999F);
            query.isTwoSided = false;
            assert_int_equal(find(contacts, &query).count, 0);
        }
    }
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
}

// A roof: the ridge is sharp, its normals belong to it; and from below, where it is hollow, both faces push.
static void aRidgeHasItsOwnContacts(void** state) {
    (void)state;
    ModelMesh mesh = makeMesh(6, 4);
    const float positions[18] = {-1, 0, -1, 1, 0, -1, -1, 1, 0, 1, 1, 0, -1, 0, 1, 1, 0, 1};
    const uint32_t triangles[12] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5};
    memcpy(mesh.positions, positions, sizeof positions);
    memcpy(mesh.triangles, triangles, sizeof triangles);
    Ground roof = bindMesh(mesh, grz_bvhSah);
    grzModelContacts* contacts = makeContacts();
    grzModelContactQuery query = makeQuery(&roof);
    query.shape = grzMakeSphere(grzVec3_Zero(), 0.5F);
    query.shapePose.origin = grzVec3_Make(0.3F, 1.45F, 0);
    grzModelContactsView view = find(contacts, &query);
    assert_int_equal(view.count, 1);
    assert_true(view.contacts[0].normal.y < -0.999F);
    assert_int_equal(grzFeature_Kind(view.contacts[0].featureB), grz_edgeFeature);
    query.isTwoSided = true;
    query.shapePose.origin = grzVec3_Make(0.3F, 0.35F, 0);
    view = find(contacts, &query);
    assert_int_equal(view.count, 2);
    assert_true(view.contacts[0].normal.z * view.contacts[1].normal.z < -0.4F);
    grzModelContacts_Destroy(contacts);
    freeGround(&roof);
}

static void namesStayWhileAShapeRests(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    Ground ground = bindMesh(makeFloor(9), grz_bvhSah);
    grzModelContacts* contacts = makeContacts();
    grzContact last[4];
    for (int step = 0; step < 50; ++step) {
        grzModelContactQuery query = makeQuery(&ground);
        query.shape = slider(2);
        query.shapePose.origin = grzAdd(grzVec3_Make(0.11F, 0.245F, 0.17F), drawVector(1e-4F));
        query.shapePose.basis = grzMat3_FromQuat(
            grzQuat_FromAxisAngle(grzNormalize(grzVec3_Make(draw(-1, 1), 1, draw(-1, 1))), draw(0, 1e-4F)));
        query.margin = 0.02F;
        query.previous = step == 0 ? NULL : last, query.previousCount = step == 0 ? 0 : 4;
        const grzModelContactsView view = find(contacts, &query);
        assert_int_equal(view.count, 4);
        for (size_t i = 0; i < 4 && step > 0; ++i) {
            assert_int_equal(view.contacts[i].featureA, last[i].featureA);
            assert_int_equal(view.contacts[i].featureB, last[i].featureB);
            assert_int_equal(view.contacts[i].triangleB, last[i].triangleB);
        }
        memcpy(last, view.contacts, sizeof last);
    }
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
}

static void bodiesComeInTheOrderOfTheirIds(void** state) {
    (void)state;
    Ground ground = bindMesh(makeFloor(3), grz_bvhSah);
    grzModelContacts* contacts = makeContacts();
    grzModelContactQuery query = makeQuery(&ground);
    query.shape = slider(2);
    query.shapePose.origin.y = 0.24F;
    query.shapeBody = idOfNumber(9), query.meshBody = idOfNumber(5);
    const grzModelContactsView view = find(contacts, &query);
    assert_int_equal(view.count, 4);
    for (size_t i = 0; i < view.count; ++i) {
        const grzContact* contact = &view.contacts[i];
        assert_true(grzBodyId_IsSame(contact->bodyA, idOfNumber(5)) &&
                    grzBodyId_IsSame(contact->bodyB, idOfNumber(9)) && contact->normal.y > 0.9999F);
        assert_true(contact->triangleA < 18 && contact->triangleB == GRZ_NO_TRIANGLE && contact->pad == 0);
        assert_true(i == 0 || grzContact_KeyWord(contact, 1) >= grzContact_KeyWord(contact - 1, 1));
    }
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
}

static void surfacesFollowTheirModel(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    Ground ground = bindMesh(makeShapeMesh(shapeTorus, 300), grz_bvhMorton);
    grzModelContacts* contacts = makeContacts();
    size_t met = 0;
    for (int round = 0; round < 96; ++round) {
        for (size_t i = 0; i < 3 * ground.mesh.vertexCount; ++i)
            ground.mesh.positions[i] += draw(-0.02F, 0.02F);
        if (round % 2 == 0) {
            assert_true(grzResult_IsOk(grzModel_Refit(ground.model, NULL, ground.mesh.positions, 0)));
        } else {
            grzModelDef def = makeDef(&ground.mesh);
            def.builder = grz_bvhSah;
            assert_true(grzResult_IsOk(grzModel_Rebuild(ground.model, &def)));
            grzModelEdges_Update(ground.edges);
        }
        grzModelContactQuery query = makeQuery(&ground);
        query.shape = anyShape(&g_rng);
        query.shapePose = grzTransform_Make(drawRotation(), drawVector(1.5F));
        bringNear(&ground, &query);
        met += compareQuery(contacts, &ground, &query) > 0;
    }
    assert_true(met > 3);
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
}

static void expectRefused(const grzModelContactQuery* query, grzStatus status) {
    grzModelContacts* contacts = makeContacts();
    assert_int_equal(grzModelContacts_Find(contacts, query).status, status);
    assert_int_equal(grzModelContacts_GetView(contacts).queryCount, 0);
    grzModelContacts_Destroy(contacts);
}

// How many triangles of the ground are lower in the box's frame than its top and the margin.
static size_t countLow(const Ground* ground, const grzModelContactQuery* query, float most) {
    size_t count = 0;
    for (size_t i = 0; i < ground->mesh.triangleCount; ++i) {
        float least = INFINITY;
        for (int k = 0; k < 3; ++k)
            least = fminf(least, grzDot(query->shapePose.basis.y, cornerOf(ground, query, i, k)));
        count += least <= most;
    }
    return count;
}

// The box of a floor in the frame of a mesh that lies askew on it holds all of the mesh.
static void aFloorAskewTestsWhatIsNearItAlone(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(77), 1);
    grzModelContacts* contacts = makeContacts();
    Ground ring = bindMesh(makeShapeMesh(shapeTorus, 2000), grz_bvhSah);
    for (int round = 0; round < 20; ++round) {
        grzModelContactQuery query = makeQuery(&ring);
        query.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(20, 1, 20));
        query.shapePose = drawRigid();
        query.margin = 0.1f;
        const grzVec3 up = query.shapePose.basis.y;
        float lowest = INFINITY; // of the ring in its frame
        for (size_t i = 0; i < ring.mesh.vertexCount; ++i)
            lowest = fminf(lowest, grzDot(up, grzVec3_Load(ring.mesh.positions + 3 * i)));
        query.pose.origin = grzAddScaled(query.shapePose.origin, 1.05f - lowest, up);
        assert_true(find(contacts, &query).count > 0);
        const uint64_t tests = grzModelContacts_GetView(contacts).triangleTests;
        assert_true(tests >= countLow(&ring, &query, 1.0999f) && tests <= countLow(&ring, &query, 1.1001f));
    }
    freeGround(&ring);
    grzModelContacts_Destroy(contacts);
}

static void whatHasNoMeaningIsRefused(void** state) {
    (void)state;
    Ground ground = bindMesh(makeFloor(3), grz_bvhSah);
    grzModelContactQuery good = makeQuery(&ground), query;
    grzModelEdges* edges;
    good.shape = slider(0);
    const grzMeshView own = grzMesh_GetView(ground.topology);
    assert_int_equal(grzModelEdges_Create(NULL, &own, (grzAllocator){0}, &edges).status, grz_badArgument);
    assert_int_equal(grzModelEdges_Create(ground.model, NULL, (grzAllocator){0}, &edges).status, grz_badArgument);
    assert_null(edges);
    expectRefused(NULL, grz_badDef);
    query = good, query.mark = 0, expectRefused(&query, grz_badDef);
    query = good, query.edges = NULL, expectRefused(&query, grz_badArgument);
    query = good, query.shape.radius = -1, expectRefused(&query, grz_badArgument);
    query = good, query.margin = -1, expectRefused(&query, grz_badArgument);
    query = good, query.margin = (float)INFINITY, expectRefused(&query, grz_badArgument);
    query = good, query.margin = (float)NAN, expectRefused(&query, grz_notFinite);
    query = good, query.pointCount = 0, expectRefused(&query, grz_badArgument);
    query = good, query.previous = NULL, query.previousCount = 3, expectRefused(&query, grz_badArgument);
    query = good, query.pose.basis.x.x = 1e16F, expectRefused(&query, grz_notFinite);
    query = good, query.likeCosine = 1.5F, expectRefused(&query, grz_badArgument);
    query = good, query.likeCosine = (float)NAN, expectRefused(&query, grz_badArgument);
    query = good, query.pose.basis = grzMat3_Diagonal(grzVec3_Make(1, 1, -1)),
    expectRefused(&query, grz_badArgument);
    query = good, query.pose.basis = grzMat3_Zero(), expectRefused(&query, grz_badArgument);
    query = good, query.shapePose.basis = grzMat3_Diagonal(grzVec3_Splat(2));
    expectRefused(&query, grz_badArgument);
    query = good, query.shapePose.origin.y = (float)NAN, expectRefused(&query, grz_notFinite);
    // Another mesh.
    Ground other = bindMesh(makeFloor(2), grz_bvhSah), turned = bindMesh(makeFloor(3), grz_bvhSah);
    grzMeshView view = grzMesh_GetView(other.topology);
    const grzAllocator none = {NULL, NULL, NULL};
    assert_int_equal(grzModelEdges_Create(ground.model, &view, none, &edges).status, grz_badArgument);
    assert_null(edges);
    uint32_t swapped[54];
    view = grzMesh_GetView(turned.topology);
    memcpy(swapped, view.triangles, sizeof swapped);
    swapped[3 * 7] = swapped[3 * 7 + 1];
    view.triangles = swapped;
    const grzResult result = grzModelEdges_Create(ground.model, &view, none, &edges);
    assert_true(result.status == grz_badArgument && result.part == grz_partTriangle && result.index == 7);
    freeGround(&ground), freeGround(&other), freeGround(&turned);
}

// Triangles without area, an index twice, and an edge with three triangles.
static void badTrianglesDoNoHarm(void** state) {
    (void)state;
    ModelMesh mesh = makeMesh(6, 5);
    const float positions[18] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, 1, 0, 0.5F, 0, -1};
    const uint32_t triangles[15] = {0, 2, 1, 0, 3, 2, 0, 2, 4, 0, 1, 5, 3, 3, 1};
    memcpy(mesh.positions, positions, sizeof positions);
    memcpy(mesh.triangles, triangles, sizeof triangles);
    Ground ground = bindMesh(mesh, grz_bvhSah);
    grzModelContacts* contacts = makeContacts();
    grzModelContactQuery query = makeQuery(&ground);
    for (int kind = 0; kind < 3; ++kind) {
        query.shape = slider(kind);
        query.shapePose.origin = grzVec3_Make(0.5F, 0.24F, -0.5F);
        const grzModelContactsView view = find(contacts, &query);
        assert_true(view.count > 0);
        for (size_t i = 0; i < view.count; ++i)
            assert_true(isfinite(view.contacts[i].separation) && grzLength(view.contacts[i].normal) > 0.999F);
    }
    grzModelContacts_Destroy(contacts);
    freeGround(&ground);
    Ground empty = bindMesh(makeMesh(0, 0), grz_bvhSah);
    contacts = makeContacts();
    query = makeQuery(&empty), query.shape = slider(0);
    assert_int_equal(find(contacts, &query).count, 0);
    grzModelContacts_Destroy(contacts);
    freeGround(&empty);
}

enum { MANY = 45 };

static void drawMany(const Ground* ground, grzModelContactQuery queries[MANY]) {
    for (uint32_t i = 0; i < MANY; ++i) {
        queries[i] = makeQuery(ground);
        queries[i].shape = anyShape(&g_rng);
        queries[i].shapePose = grzTransform_Make(drawRotation(), drawVector(1));
        queries[i].margin = 0.05F;
        queries[i].shapeBody = idOfNumber(10 + i);
    }
}

typedef struct Expecting {
    const grzModelContactQuery* queries;
    grzModelContactsView view;
} Expecting;

static void expectSame(grzTasks* tasks, void* context) {
    const Expecting* expected = context;
    grzModelContacts* contacts = makeContacts();
    assert_true(grzResult_IsOk(grzModelContacts_FindMany(contacts, tasks, expected->queries, MANY)));
    const grzModelContactsView view = grzModelContacts_GetView(contacts);
    assert_int_equal(view.count, expected->view.count);
    assert_memory_equal(view.contacts, expected->view.contacts, view.count * sizeof *view.contacts);
    assert_memory_equal(view.starts, expected->view.starts, (MANY + 1) * sizeof *view.starts);
    grzModelContacts_Destroy(contacts);
}

static void manyQueriesGiveTheSameBytesForAnyWorkerCountAndLevel(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    Ground ground = bindMesh(makeShapeMesh(shapeTorus, 600), grz_bvhSah);
    grzModelContactQuery queries[MANY];
    drawMany(&ground, queries);
    grzModelContacts *first = makeContacts(), *other = makeContacts();
    assert_true(grzResult_IsOk(grzModelContacts_FindMany(first, NULL, queries, MANY)));
    const grzModelContactsView expected = grzModelContacts_GetView(first);
    assert_true(expected.queryCount == MANY && expected.count > MANY);
    Expecting expecting = {queries, expected};
    forEachLevelAndWorkerCount(expectSame, &expecting);
    for (size_t i = 0; i < MANY; ++i) {
        const grzModelContactsView one = find(other, &queries[i]);
        assert_int_equal(one.count, expected.starts[i + 1] - expected.starts[i]);
        assert_true(one.count == 0 || memcmp(one.contacts, expected.contacts + expected.starts[i],
                                             one.count * sizeof *one.contacts) == 0);
    }
    queries[31].margin = -1;
    const grzResult result = grzModelContacts_FindMany(other, NULL, queries, MANY);
    assert_true(result.status == grz_badArgument && result.part == grz_partElement && result.index == 31);
    grzModelContacts_Destroy(first), grzModelContacts_Destroy(other);
    freeGround(&ground);
}

static void refusedMemoryIsAResultAndWarmCallsTakeNone(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    Ground ground = bindMesh(makeShapeMesh(shapeTorus, 300), grz_bvhSah);
    grzModelContactQuery queries[MANY];
    drawMany(&ground, queries);
    const grzMeshView mesh = grzMesh_GetView(ground.topology);
    size_t refusals = 0;
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzModelContacts* contacts = NULL;
        grzModelEdges* edges;
        grzResult result = grzModelEdges_Create(ground.model, &mesh, testAllocator(&memory), &edges);
        if (grzResult_IsOk(result))
            result = grzModelContacts_Create(testAllocator(&memory), &contacts);
        if (grzResult_IsOk(result)) {
            result = grzModelContacts_FindMany(contacts, NULL, queries, MANY);
            assert_int_equal(grzModelContacts_GetView(contacts).queryCount, grzResult_IsOk(result) ? MANY : 0);
            const size_t requests = memory.requests;
            if (grzResult_IsOk(result)) {
                assert_true(grzResult_IsOk(grzModelContacts_FindMany(contacts, NULL, queries, MANY)));
                assert_int_equal(memory.requests, requests);
            }
        }
        grzModelContacts_Destroy(contacts);
        grzModelEdges_Destroy(edges);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result))
            break;
        assert_int_equal(result.status, grz_outOfMemory);
        refusals++;
    }
    assert_true(refusals > 10);
    freeGround(&ground);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contactsAreThoseOfTheTriangles),
        cmocka_unit_test(slidingAcrossAFlatFloorPushesUpAlone),
        cmocka_unit_test(hullsThatSlideAreOnlyPushedUp),
        cmocka_unit_test(aSphereOnASharedEdgeOrVertexHasOneContact),
        cmocka_unit_test(aRidgeHasItsOwnContacts),
        cmocka_unit_test(namesStayWhileAShapeRests),
        cmocka_unit_test(bodiesComeInTheOrderOfTheirIds),
        cmocka_unit_test(surfacesFollowTheirModel),
        cmocka_unit_test(aFloorAskewTestsWhatIsNearItAlone),
        cmocka_unit_test(whatHasNoMeaningIsRefused),
        cmocka_unit_test(badTrianglesDoNoHarm),
        cmocka_unit_test(manyQueriesGiveTheSameBytesForAnyWorkerCountAndLevel),
        cmocka_unit_test(refusedMemoryIsAResultAndWarmCallsTakeNone),
    };
    return cmocka_run_group_tests(tests, makeHulls, destroyHulls);
}
