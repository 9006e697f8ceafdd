// Meshes that are near each other, but do not meet: candidates against the distances of all pairs of triangles; known contacts;
// no ghosts; fast and thin meshes are not lost; the same bytes for any number of workers and at any level.
#include "world_testing.h"

#include <math.h>

#include "graze/model_pair.h"
#include "graze/tri_tri.h"
#include "mesh_shape.h"
#include "mesh_touch_inside.h"
#include "shapes.h"
#include "simd_dispatch.h"

enum { PLENTY = 256 }; // triangles

// ---- candidates ----

static double toSegment(grzVec3d p, grzVec3d a, grzVec3d b) {
    const grzVec3d along = grzVec3d_Sub(b, a);
    const double all = grzVec3d_LengthSq(along), s = all > 0 ? grzVec3d_Dot(grzVec3d_Sub(p, a), along) / all : 0;
    return grzVec3d_Length(grzVec3d_Sub(p, grzVec3d_Lerp(a, b, s < 0 ? 0 : s > 1 ? 1 : s)));
}

// Never below the distance, and it where the nearest points are a corner over the face or on two edges' insides or ends.
static double toFace(grzVec3d p, const grzVec3d c[3]) {
    const grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(c[1], c[0]), grzVec3d_Sub(c[2], c[0]));
    for (int k = 0; k < 3; ++k)
        if (grzVec3d_Dot(grzVec3d_Cross(grzVec3d_Sub(c[(k + 1) % 3], c[k]), grzVec3d_Sub(p, c[k])), n) < 0)
            return (double)INFINITY;
    return fabs(grzVec3d_Dot(n, grzVec3d_Sub(p, c[0]))) / grzVec3d_Length(n);
}

static double betweenEdges(const grzVec3d a[2], const grzVec3d b[2]) {
    const grzVec3d u = grzVec3d_Sub(a[1], a[0]), v = grzVec3d_Sub(b[1], b[0]), r = grzVec3d_Sub(a[0], b[0]);
    const double uu = grzVec3d_LengthSq(u), vv = grzVec3d_LengthSq(v), uv = grzVec3d_Dot(u, v);
    const double all = uu * vv - uv * uv, s = (uv * grzVec3d_Dot(v, r) - grzVec3d_Dot(u, r) * vv) / all;
    double least = fmin(toSegment(a[0], b[0], b[1]), toSegment(a[1], b[0], b[1]));
    least = fmin(least, fmin(toSegment(b[0], a[0], a[1]), toSegment(b[1], a[0], a[1])));
    return s > 0 && s < 1 ? fmin(least, toSegment(grzVec3d_Lerp(a[0], a[1], s), b[0], b[1])) : least;
}

static double distanceOf(const grzVec3 a[3], const grzVec3 b[3]) {
    grzVec3d p[3], q[3];
    double least = (double)INFINITY;
    if (grzTriTri_Classify(a, b) != grz_triNone)
        return 0;
    for (int k = 0; k < 3; ++k)
        p[k] = grzVec3d_FromVec3(a[k]), q[k] = grzVec3d_FromVec3(b[k]);
    for (int i = 0; i < 3; ++i) {
        least = fmin(least, fmin(toFace(p[i], q), toFace(q[i], p)));
        for (int k = 0; k < 3; ++k) {
            const grzVec3d edgeA[2] = {p[i], p[(i + 1) % 3]}, edgeB[2] = {q[k], q[(k + 1) % 3]};
            least = fmin(least, betweenEdges(edgeA, edgeB));
        }
    }
    return least;
}

static void cornersOf(const grzMeshShape* shape, grzTransform pose, uint32_t triangle, grzVec3 corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzTransform_Apply(
            pose, grzVec3_Load(shape->positions + 3 * (size_t)shape->view.triangles[3 * (size_t)triangle + k]));
}

static void checkCandidates(const grzModelQuery* query, const grzMeshShape* a, const grzMeshShape* b,
                            const grzModelPairsView* found, uint32_t* near, uint32_t* extra) {
    static bool is[PLENTY * PLENTY];
    memset(is, 0, sizeof is);
    assert_true(a->view.triangleCount <= PLENTY && b->view.triangleCount <= PLENTY);
    for (size_t i = 0; i < found->count; ++i) {
        assert_false(is[found->pairs[i].triangleA * PLENTY + found->pairs[i].triangleB]); // each once
        is[found->pairs[i].triangleA * PLENTY + found->pairs[i].triangleB] = true;
    }
    for (uint32_t i = 0; i < a->view.triangleCount; ++i)
        for (uint32_t k = 0; k < b->view.triangleCount; ++k) {
            grzVec3 p[3], q[3];
            cornersOf(a, query->poseA, i, p);
            cornersOf(b, query->poseB, k, q);
            const bool isNear = distanceOf(p, q) <= 0.99999 * (double)query->margin;
            if (isNear && !is[i * PLENTY + k])
                fail_msg("triangles %u and %u are near, and no candidates", i, k);
            *near += isNear;
            *extra += !isNear && is[i * PLENTY + k];
        }
}

static void test_candidates(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(811), 0);
    grzModelPairs* pairs;
    uint32_t near = 0, extra = 0;
    must(grzModelPairs_Create((grzAllocator){0}, &pairs));
    for (int round = 0; round < 24; ++round) {
        grzModelQuery query = grzDefaultModelQuery();
        const grzMeshShape *a = g_kit.ringShape, *b = round % 2 == 0 ? g_kit.ballShape : g_kit.crateShape;
        query.a = a->model, query.b = b->model;
        query.axes = round % 4 < 2 ? grz_axesOfFaces : grz_axesAll;
        query.margin = randomIn(&rng, 0.01f, 0.2f);
        query.poseA = randomPose(&rng, 0.6f);
        query.poseB = randomPose(&rng, 0.6f);
        if (round % 3 == 2) { // stretched
            query.poseA.basis.x = grzScale(query.poseA.basis.x, 1.7f);
            query.poseB.basis.z = grzScale(query.poseB.basis.z, 0.4f);
        }
        must(grzModelPairs_Find(pairs, &query));
        const grzModelPairsView found = grzModelPairs_GetView(pairs);
        checkCandidates(&query, a, b, &found, &near, &extra);
    }
    assert_true(near > 2000);
    assert_true(extra < 2 * near);
    grzModelPairs_Destroy(pairs);
}

static void test_marginsAreRefused(void** state) {
    (void)state;
    grzModelQuery query = grzDefaultModelQuery();
    bool touches;
    query.a = query.b = g_kit.crateShape->model;
    query.margin = 0.1f;
    mustBe(grzModels_Touch(&query, &touches, NULL), grz_badArgument);
    query.margin = -0.1f;
    mustBe(grzModels_Touch(&query, &touches, NULL), grz_badArgument);
    query.margin = NAN;
    mustBe(grzModels_Touch(&query, &touches, NULL), grz_notFinite);
}

// Of contacts with similar normals, the deepest stays.
static void test_theDeepestContactStays(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(812), 0);
    for (int round = 0; round < 200; ++round) {
        grzContact contacts[12];
        memset(contacts, 0, sizeof contacts);
        const size_t count = 1 + grzRng_Below(&rng, 12);
        float deepest = INFINITY, least = INFINITY;
        for (size_t i = 0; i < count; ++i) {
            contacts[i].point =
                grzVec3_Make(randomIn(&rng, -1, 1), randomIn(&rng, -0.01f, 0.01f), randomIn(&rng, -1, 1));
            contacts[i].normal =
                grzNormalize(grzVec3_Make(randomIn(&rng, -0.1f, 0.1f), 1, randomIn(&rng, -0.1f, 0.1f)));
            contacts[i].separation = randomIn(&rng, -0.1f, 0.1f);
            deepest = fminf(deepest, contacts[i].separation);
        }
        const size_t left = grzContacts_DropInner(contacts, count);
        assert_true(left >= 1 && left <= count);
        for (size_t i = 0; i < left; ++i)
            least = fminf(least, contacts[i].separation);
        assert_true(least <= deepest);
    }
}

// A margin that holds very many pairs shrinks, but not below the least. Contacts are not made of so many pairs.
static void test_largeMargins(void** state) {
    (void)state;
    MeshData data;
    must(makeShape(shapeSphere, 720, grzDefaultAllocator(), &data));
    const grzMeshDef def = MeshData_Def(&data);
    grzMesh* mesh;
    grzMeshShape* shape;
    grzMeshTouches* touches;
    must(grzMesh_Create(&def, &mesh));
    MeshData_Release(&data);
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape));
    must(grzMeshTouches_Create((grzAllocator){0}, &touches));
    grzCollider colliders[2];
    memset(colliders, 0, sizeof colliders);
    for (int i = 0; i < 2; ++i) {
        colliders[i].kind = grz_meshCollider, colliders[i].body = grz_dynamicBody, colliders[i].mesh = shape;
        colliders[i].pose = grzTransform_FromQuat(grzQuat_Identity(), grzVec3_Make(2.5f * (float)i, 0, 0));
    }
    grzMeshPair pair = {.rowA = 0, .rowB = 1, .margin = 20, .slack = 20, .leastMargin = 0.02f};
    const grzMeshTouchStep step = {.colliders = colliders, .colliderCount = 2, .pairs = &pair, .pairCount = 1};
    const size_t all = (size_t)shape->view.triangleCount * shape->view.triangleCount;
    assert_true(all > 1 << 18);
    must(grzMeshTouches_FindCandidates(touches, &step));
    const size_t few = grzMeshTouches_GetCandidates(touches, 0).count;
    assert_true(few > 0 && few < 1 << 18);
    must(grzMeshTouches_FindContacts(touches, &step));
    assert_true(grzMeshTouches_GetView(touches).starts[1] > 0);
    pair.leastMargin = 20;
    must(grzMeshTouches_FindCandidates(touches, &step));
    assert_int_equal(grzMeshTouches_GetCandidates(touches, 0).count, all);
    // They are all looked at, but contacts are only made of those within a part of the margin.
    must(grzMeshTouches_FindContacts(touches, &step));
    assert_true(grzMeshTouches_GetView(touches).starts[1] > 0);
    assert_true(touches->margins.data[0] <= 5 && touches->margins.data[0] > 0);
    grzMeshTouches_Destroy(touches);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
}

// ---- contacts ----

typedef struct Found {
    uint32_t count;
    float least;
    grzVec3 normals[64];
} Found;

static Found collide(const grzMeshShape* shape, grzVec3 origin, grzQuat turn, const grzMeshShape* ground,
                     grzQuat groundTurn) {
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = grzDefaultBodyDef();
    Found found = {.least = INFINITY};
    def.kind = grz_staticBody, def.mesh = ground, def.rotation = groundTurn;
    addBody(world, &def);
    def.kind = grz_dynamicBody, def.mesh = shape, def.origin = origin, def.rotation = turn;
    addBody(world, &def);
    must(grzWorld_Collide(world, 0));
    const grzWorldContacts contacts = grzWorld_GetContacts(world);
    assert_true(contacts.contactCount <= 64);
    for (size_t i = 0; i < contacts.contactCount; ++i) {
        found.normals[found.count++] = contacts.contacts[i].normal;
        found.least = fminf(found.least, contacts.contacts[i].separation);
        assert_true(contacts.contacts[i].separation > 0 && contacts.contacts[i].toi == 1);
    }
    grzWorld_Destroy(world);
    return found;
}

static grzQuat turnAbout(float x, float y, float z, float angle) {
    const float s = grzSin(0.5f * angle);
    return grzQuat_Make(x * s, y * s, z * s, grzCos(0.5f * angle));
}

// A crate over squares: wherever it stands, its contacts push straight up, for inner edges are no edges.
static void test_crateOverSquares(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(812), 0);
    for (int round = 0; round < 60; ++round) {
        const float gap = randomIn(&rng, 0.001f, 0.019f);
        const float z = randomIn(&rng, -5, 5), x = randomIn(&rng, -5, 5);
        const grzVec3 at = grzVec3_Make(x, 0.5f + gap, z);
        const grzQuat turn = turnAbout(0, 1, 0, randomIn(&rng, 0, 3));
        const Found found = collide(g_kit.crateShape, at, turn, g_kit.groundShape, grzQuat_Identity());
        assert_int_equal(found.count, 4);
        assert_true(fabsf(found.least - gap) < 1e-5f);
        for (uint32_t i = 0; i < found.count; ++i)
            assert_true(found.normals[i].y > 0.99999f);
    }
    const Found none = collide(g_kit.crateShape, grzVec3_Make(0, 0.53f, 0), grzQuat_Identity(), g_kit.groundShape,
                               grzQuat_Identity());
    assert_int_equal(none.count, 0);
}

// Edge across edge, corner over face, corner over corner, edge along a face.
static void test_features(void** state) {
    (void)state;
    const float quarter = 0.785398163f, half = 0.70710678f, gap = 0.01f;
    const grzQuat aboutX = turnAbout(1, 0, 0, quarter), aboutZ = turnAbout(0, 0, 1, quarter);
    Found found = collide(g_kit.crateShape, grzVec3_Make(0, 2 * half + gap, 0), aboutX, g_kit.crateShape, aboutZ);
    assert_int_equal(found.count, 1);
    assert_true(fabsf(found.least - gap) < 1e-5f && found.normals[0].y > 0.99999f);
    // Upright on a corner: the diagonal of two faces down, and then that of the cube.
    const grzQuat corner = grzQuat_Multiply(turnAbout(0, 0, 1, 0.61547971f), turnAbout(1, 0, 0, quarter));
    const float reach = 0.8660254f;
    found = collide(g_kit.crateShape, grzVec3_Make(0.1f, 0.5f + reach + gap, 0.2f), corner, g_kit.crateShape,
                    grzQuat_Identity());
    assert_true(found.count >= 1 && found.count <= 4);
    assert_true(fabsf(found.least - gap) < 1e-5f && found.normals[0].y > 0.99999f);
    found = collide(g_kit.crateShape, grzVec3_Make(0, 2 * reach + gap, 0), corner, g_kit.crateShape, corner);
    assert_true(found.count >= 1 && fabsf(found.least - gap) < 1e-4f);
    found = collide(g_kit.crateShape, grzVec3_Make(0, 0.5f + half + gap, 0), aboutX, g_kit.crateShape,
                    grzQuat_Identity());
    assert_int_equal(found.count, 2);
    assert_true(fabsf(found.least - gap) < 1e-5f && found.normals[0].y > 0.99999f);
}

// ---- fast and thin ----

static grzMesh* plateOf(grzVec3 half, size_t triangles) {
    MeshData data;
    must(makeShape(shapeBox, triangles, grzDefaultAllocator(), &data));
    float* positions = data.positions;
    float most = 0;
    for (size_t i = 0; i < 3 * data.vertexCount; ++i)
        most = fmaxf(most, fabsf(positions[i]));
    for (size_t i = 0; i < data.vertexCount; ++i)
        grzVec3_Store(positions + 3 * i, grzMul(grzVec3_Load(positions + 3 * i), grzScale(half, 1 / most)));
    const grzMeshDef def = MeshData_Def(&data);
    grzMesh* mesh;
    must(grzMesh_Create(&def, &mesh));
    MeshData_Release(&data);
    return mesh;
}

typedef struct Fall {
    float height, speed, lean, across;
} Fall;

// A plate as thin as its floor. Returns how deep its lowest corner is below the floor's top in the end; most: on the way.
static float letFall(const grzMeshShape* plate, const grzMeshShape* ground, Fall fall, grzVec3 half, float* most) {
    grzWorld* world = makeWorld(NULL);
    addMesh(world, grz_staticBody, ground, grzVec3_Zero());
    grzBodyDef def = grzDefaultBodyDef();
    def.mesh = plate;
    def.origin = grzVec3_Make(0.05f, fall.height, -0.03f);
    def.rotation = turnAbout(0.8f, 0, 0.6f, fall.lean);
    def.velocity = grzVec3_Make(fall.across, -fall.speed, 0);
    const grzBodyId id = addBody(world, &def);
    float deep = 0;
    *most = 0;
    for (int i = 0; i < 240; ++i) {
        stepWorld(world, 1);
        const grzBodyView view = viewOf(world, id);
        deep = -INFINITY;
        for (uint32_t k = 0; k < 8; ++k) {
            const grzVec3 corner =
                grzVec3_Make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
            deep = fmaxf(deep, half.y - grzTransform_Apply(poseOf(&view), corner).y);
        }
        *most = fmaxf(*most, deep);
    }
    grzWorld_Destroy(world);
    return deep;
}

static void test_fastPlates(void** state) {
    (void)state;
    const grzVec3 half = grzVec3_Make(0.5f, 0.02f, 0.5f), wide = grzVec3_Make(4, 0.02f, 4);
    grzMesh *mesh = plateOf(half, 12), *ground = plateOf(wide, 192);
    grzMeshShape *plate, *floor;
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &plate));
    must(grzMeshShape_Create(ground, (grzAllocator){0}, &floor));
    static const Fall falls[] = {
        {1, 50, 0, 0}, {1.3f, 50, 0, 0},    {1.61f, 50, 0.05f, 0}, {1.17f, 50, 0.3f, 0}, {1, 10, 0.2f, 0},
        {1, 2, 0, 0},  {1.4f, 30, 0.1f, 3}, {1.2f, 20, 0.7f, 1},   {0.9f, 50, 0.1f, -2}, {1.05f, 5, 0.02f, 2}};
    for (size_t i = 0; i < sizeof falls / sizeof falls[0]; ++i) {
        float most;
        const float deep = letFall(plate, floor, falls[i], half, &most);
        if (!(deep < 0.02f && deep > -0.02f && most < 0.04f))
            fail_msg("fall %zu: the plate is %g deep in the end, %g at most", i, (double)deep, (double)most);
    }
    grzMeshShape_Destroy(plate);
    grzMeshShape_Destroy(floor);
    grzMesh_Destroy(mesh);
    grzMesh_Destroy(ground);
}

// Rings that fall into each other come to rest on the floor, and none is lost. Some roll on as wheels for some seconds.
static void test_ringsStay(void** state) {
    (void)state;
    grzMesh* mesh = plateOf(grzVec3_Make(30, 0.05f, 30), 192); // none rolls over its edge
    grzMeshShape* ground;
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &ground));
    grzWorld* world = makeWorld(NULL);
    addMesh(world, grz_staticBody, ground, grzVec3_Zero());
    grzRng rng = grzRng_Make(testSeed(814), 0);
    grzBodyId ids[10];
    for (int i = 0; i < 10; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        const grzVec3 shift = randomVector(&rng, 0.2f);
        def.mesh = g_kit.ringShape;
        def.origin = grzAdd(grzVec3_Make(0, 0.8f + 0.7f * (float)i, 0), shift);
        def.rotation = randomTurn(&rng);
        def.velocity = grzVec3_Make(0, -10, 0);
        ids[i] = addBody(world, &def);
    }
    stepWorld(world, 540);
    for (int i = 0; i < 10; ++i) {
        const grzBodyView view = viewOf(world, ids[i]);
        if (!(view.origin.y > 0.1f && grzLength(view.velocity) < 0.3f))
            fail_msg("ring %d is at %g, and moves at %g", i, (double)view.origin.y,
                     (double)grzLength(view.velocity));
    }
    grzWorld_Destroy(world);
    grzMeshShape_Destroy(ground);
    grzMesh_Destroy(mesh);
}

// ---- the same everywhere ----

static uint64_t hashHeap(grzTasks* tasks) {
    grzWorld* world = makeWorld(tasks);
    addMesh(world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
    grzRng rng = grzRng_Make(813, 0);
    for (int i = 0; i < 12; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.mesh = i % 3 == 0 ? g_kit.ballShape : i % 3 == 1 ? g_kit.ringShape : g_kit.crateShape;
        const grzVec3 shift = randomVector(&rng, 0.1f);
        def.origin = grzAdd(grzVec3_Make((float)(i % 2), 0.9f + 0.8f * (float)(i / 2), 0), shift);
        def.rotation = randomTurn(&rng);
        def.velocity = grzVec3_Make(0, -20, 0);
        addBody(world, &def);
    }
    uint64_t hash = 0;
    for (int i = 0; i < 20; ++i) {
        stepWorld(world, 1);
        hash = 31 * hash + grzWorld_HashState(world) + 7 * grzWorld_HashContacts(world);
    }
    grzWorld_Destroy(world);
    return hash;
}

static void test_sameEverywhere(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    const uint64_t hash = hashHeap(NULL);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        assert_true(hashHeap(NULL) == hash);
        grzSimd_Force(before);
    }
    for (int i = 0; i < 4; ++i) {
        grzTasks* tasks = makeTasks(workers[i]);
        assert_true(hashHeap(tasks) == hash);
        grzTasks_Destroy(tasks);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates),        cmocka_unit_test(test_theDeepestContactStays),
        cmocka_unit_test(test_marginsAreRefused), cmocka_unit_test(test_crateOverSquares),
        cmocka_unit_test(test_features),          cmocka_unit_test(test_fastPlates),
        cmocka_unit_test(test_largeMargins),      cmocka_unit_test(test_ringsStay),
        cmocka_unit_test(test_sameEverywhere),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
