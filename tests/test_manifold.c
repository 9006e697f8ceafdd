// Manifolds: a box on grounds of many triangles has four contacts that point straight down, wherever it stands and
// however the ground is cut; names persist; ghosts between tiles go and walls stay; reduction, order, refusals.
#include "testing.h"

#include <math.h>

#include "graze/manifold.h"
#include "record_sort.h"
#include "rng.h"

enum { MOST_PAIRS = 20000, MOST_VERTICES = 400 };

typedef struct Body {
    grzMesh* mesh;
    grzMeshView view;
    float positions[3 * MOST_VERTICES]; // in the world
    uint32_t id;
} Body;

static grzTrianglePair g_pairs[MOST_PAIRS];

static void makeBody(Body* body, uint32_t id, const float* positions, size_t vertexCount, const uint32_t* triangles,
                     size_t triangleCount) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions;
    def.vertexCount = vertexCount;
    def.indices = triangles;
    def.triangleCount = triangleCount;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &body->mesh)));
    body->view = grzMesh_GetView(body->mesh);
    body->id = id;
    memcpy(body->positions, positions, 3 * vertexCount * sizeof *positions);
}

static void makeBox(Body* body, uint32_t id, grzVec3 lower, grzVec3 upper) {
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    float positions[24];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = (i & 1) != 0 ? upper.x : lower.x;
        positions[3 * i + 1] = (i & 2) != 0 ? upper.y : lower.y;
        positions[3 * i + 2] = (i & 4) != 0 ? upper.z : lower.z;
    }
    makeBody(body, id, positions, 8, triangles, 12);
}

// n x n squares of side 1 around the origin; height(x) bends it.
static void makeGround(Body* body, uint32_t id, uint32_t n, float slope) {
    float positions[3 * MOST_VERTICES];
    uint32_t triangles[6 * MOST_VERTICES], count = 0;
    for (uint32_t i = 0; i <= n; ++i)
        for (uint32_t j = 0; j <= n; ++j) {
            float* p = positions + 3 * (i * (n + 1) + j);
            p[0] = (float)i - (float)n / 2;
            p[1] = (float)j - (float)n / 2;
            p[2] = slope * fabsf(p[0]);
        }
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) {
            uint32_t a = i * (n + 1) + j, b = a + n + 1;
            const uint32_t six[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(triangles + count, six, sizeof six);
            count += 6;
        }
    makeBody(body, id, positions, (n + 1) * (n + 1), triangles, count / 3);
}

static void moveBody(Body* body, grzVec3 by) {
    for (uint32_t i = 0; i < body->view.vertexCount; ++i) {
        grzVec3 p = grzAdd(grzVec3_Load(body->view.positions32 + 3 * i), by);
        grzVec3_Store(body->positions + 3 * i, p);
    }
}

static grzManifoldQuery queryOf(const Body* a, const Body* b) {
    grzManifoldQuery query = {.a = {&a->view, a->positions, a->id}, .b = {&b->view, b->positions, b->id}};
    for (uint32_t i = 0; i < a->view.triangleCount; ++i)
        for (uint32_t j = 0; j < b->view.triangleCount; ++j) {
            assert_true(query.count < MOST_PAIRS);
            g_pairs[query.count++] = (grzTrianglePair){0, i, j, 0, 0};
        }
    query.pairs = g_pairs;
    return query;
}

static grzManifolds* makeManifolds(void) {
    grzManifolds* manifolds;
    assert_true(grzResult_IsOk(grzManifolds_Create(NULL, (grzAllocator){0}, &manifolds)));
    return manifolds;
}

static grzManifoldView build(grzManifolds* manifolds, const grzManifoldQuery* query) {
    assert_true(grzResult_IsOk(grzManifolds_Build(manifolds, query)));
    grzManifoldView view = grzManifolds_GetView(manifolds);
    assert_true(grzAreRecordsSorted(&grzContactType, view.contacts, view.count));
    return view;
}

static bool isNear(float a, float b, float tolerance) {
    return fabsf(a - b) <= tolerance;
}

// All point from the box (A) down.
static void assertStraightDown(const grzManifoldView* view, float depth) {
    for (uint32_t i = 0; i < view->count; ++i) {
        const grzContact* contact = &view->contacts[i];
        assert_true(isNear(contact->normal.z, -1, 1e-6f));
        assert_true(isNear(contact->separation, -depth, 1e-4f));
        assert_true(isNear(contact->point.z, -depth / 2, 1e-4f));
        assert_true(contact->toi == 0 && contact->certainty == grz_exact && contact->pad == 0 &&
                    contact->point.w == 0);
    }
}

static float spanOf(const grzManifoldView* view, int axis) {
    float least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < view->count; ++i) {
        float x = grzVec3_Get(view->contacts[i].point, axis);
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return most - least;
}

static void aBoxOnAGroundOfManyTrianglesHasNoGhosts(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(8), 0);
    makeBox(&box, 1, grzVec3_Make(-0.7f, -0.4f, 0), grzVec3_Make(0.7f, 0.4f, 1));
    makeGround(&ground, 2, 8, 0);
    for (int step = 0; step < 200; ++step) {
        float depth = 0.001f + 0.05f * grzRng_Float(&rng);
        grzVec3 at = grzVec3_Make(4 * grzRng_Float(&rng) - 2, 4 * grzRng_Float(&rng) - 2, -depth);
        if (step % 4 == 0) // walls along the edges of the ground, exactly
            at.x = 0.7f, at.y = 0.4f;
        moveBody(&box, at);
        grzManifoldQuery query = queryOf(&box, &ground);
        grzManifoldView view = build(manifolds, &query);
        assert_int_equal(view.clusterCount, 1);
        assert_int_equal(view.count, 4);
        assertStraightDown(&view, depth);
        assert_true(isNear(spanOf(&view, 0), 1.4f, 1e-4f) && isNear(spanOf(&view, 1), 0.8f, 1e-4f));
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void aHollowGroundGivesItsTwoNormals(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds = makeManifolds();
    makeBox(&box, 1, grzVec3_Make(-0.7f, -0.4f, 0.18f), grzVec3_Make(0.7f, 0.4f, 1));
    makeGround(&ground, 2, 8, 0.3f);
    grzManifoldQuery query = queryOf(&box, &ground);
    grzManifoldView view = build(manifolds, &query);
    assert_true(view.count >= 4);
    for (uint32_t i = 0; i < view.count; ++i) {
        assert_true(view.contacts[i].normal.z < -0.9f);
        assert_true(view.contacts[i].normal.x * view.contacts[i].point.x >
                    0); // pushed up and inward: from A to B is outward
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void namesPersistWhileTheSameFeaturesMeet(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds = makeManifolds();
    grzContact last[4];
    makeBox(&box, 1, grzVec3_Make(-0.2f, -0.3f, 0), grzVec3_Make(0.3f, 0.2f, 1));
    makeGround(&ground, 2, 3, 0);
    for (int step = 0; step < 20; ++step) {
        moveBody(&box,
                 grzVec3_Make(0.001f * (float)step, 0.002f * (float)step, -0.01f - 0.0001f * (float)(step % 3)));
        grzManifoldQuery query = queryOf(&box, &ground);
        query.previous = last;
        query.previousCount = step == 0 ? 0 : 4;
        grzManifoldView view = build(manifolds, &query);
        assert_int_equal(view.count, 4);
        for (uint32_t i = 0; i < 4 && step > 0; ++i)
            assert_int_equal(grzCompareRecords(&grzContactType, &last[i], &view.contacts[i]), 0);
        memcpy(last, view.contacts, sizeof last);
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void whatWasThereIsPreferred(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds *all, *one;
    grzManifoldDef def = grzDefaultManifoldDef();
    makeBox(&box, 1, grzVec3_Make(-1, -1, -0.1f), grzVec3_Make(1, 1, 1));
    makeGround(&ground, 2, 4, 0);
    grzManifoldQuery query = queryOf(&box, &ground);
    def.pointCount = 4;
    assert_true(grzResult_IsOk(grzManifolds_Create(&def, (grzAllocator){0}, &all)));
    def.pointCount = 1;
    assert_true(grzResult_IsOk(grzManifolds_Create(&def, (grzAllocator){0}, &one)));
    grzManifoldView view = build(all, &query);
    assert_int_equal(view.count, 4);
    for (uint32_t i = 0; i < view.count; ++i) { // all are as deep
        query.previous = &view.contacts[i];
        query.previousCount = 1;
        grzManifoldView kept = build(one, &query);
        assert_int_equal(kept.count, 1);
        assert_memory_equal(&kept.contacts[0], &view.contacts[i], sizeof view.contacts[i]);
    }
    grzManifolds_Destroy(all);
    grzManifolds_Destroy(one);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

// ---- neighbouring meshes ----

typedef struct Tiles {
    Body box, left, right;
} Tiles;

static void cornersOf(void* context, uint32_t id, uint32_t triangle, grzVec3 corners[3]) {
    const Tiles* tiles = context;
    const Body* body = id == tiles->box.id ? &tiles->box : id == tiles->left.id ? &tiles->left : &tiles->right;
    for (uint32_t i = 0; i < 3; ++i)
        corners[i] = grzVec3_Load(body->positions + 3 * body->view.triangles[3 * triangle + i]);
}

static uint32_t collideTiles(const Tiles* tiles, grzContact* contacts) {
    grzManifolds* manifolds = makeManifolds();
    const Body* others[2] = {&tiles->left, &tiles->right};
    uint32_t count = 0;
    for (int i = 0; i < 2; ++i) {
        const Body* a = tiles->box.id < others[i]->id ? &tiles->box : others[i];
        const Body* b = a == &tiles->box ? others[i] : &tiles->box;
        grzManifoldQuery query = queryOf(a, b);
        grzManifoldView view = build(manifolds, &query);
        memcpy(contacts + count, view.contacts, view.count * sizeof *contacts);
        count += view.count;
    }
    grzManifolds_Destroy(manifolds);
    return count;
}

static uint32_t countSideways(const grzContact* contacts, uint32_t count) {
    uint32_t sideways = 0;
    for (uint32_t i = 0; i < count; ++i)
        sideways += fabsf(contacts[i].normal.z) < 0.5f;
    return sideways;
}

static void checkTiles(uint32_t boxId, float rise, bool isWall) {
    Tiles tiles;
    grzContact contacts[100];
    // The box has crept 2 mm over the seam and sunk 2 cm: the wall of the right tile parts them sooner than its
    // top.
    makeBox(&tiles.box, boxId, grzVec3_Make(-1, -0.4f, -0.02f), grzVec3_Make(0.002f, 0.4f, 1));
    makeBox(&tiles.left, 2, grzVec3_Make(-3, -2, -1), grzVec3_Make(0, 2, 0));
    makeBox(&tiles.right, 3, grzVec3_Make(0, -2, -1), grzVec3_Make(3, 2, rise));
    uint32_t count = collideTiles(&tiles, contacts);
    assert_true(countSideways(contacts, count) > 0);
    grzGhostQuery ghosts = {boxId, cornersOf, &tiles, 0.03f, 2};
    uint32_t kept = grzDropGhosts(contacts, count, &ghosts);
    assert_int_equal(countSideways(contacts, kept) > 0, isWall);
    assert_true(kept >= 4);
    assert_true(isWall || kept < count);
    for (uint32_t i = 0; i < kept; ++i)
        assert_int_equal(contacts[i].pad, 0);
    grzMesh_Destroy(tiles.box.mesh);
    grzMesh_Destroy(tiles.left.mesh);
    grzMesh_Destroy(tiles.right.mesh);
}

static void theWallOfAFlushTileIsNone(void** state) {
    (void)state;
    checkTiles(1, 0, false);
    checkTiles(9, 0, false); // the box as B
}

static void theWallOfAHigherTileStays(void** state) {
    (void)state;
    checkTiles(1, 0.5f, true);
    checkTiles(9, 0.5f, true);
}

// ---- contracts ----

static void badArgumentsAreRefused(void** state) {
    (void)state;
    grzManifolds* manifolds;
    grzManifoldDef def = grzDefaultManifoldDef();
    def.mark = 0;
    assert_int_equal(grzManifolds_Create(&def, (grzAllocator){0}, &manifolds).status, grz_badDef);
    def = grzDefaultManifoldDef(), def.pointCount = 0;
    assert_int_equal(grzManifolds_Create(&def, (grzAllocator){0}, &manifolds).status, grz_badArgument);
    def = grzDefaultManifoldDef(), def.likeCosine = NAN;
    assert_int_equal(grzManifolds_Create(&def, (grzAllocator){0}, &manifolds).status, grz_badArgument);
    assert_null(manifolds);
    grzManifolds_Destroy(NULL);
    Body a, b;
    makeBox(&a, 5, grzVec3_Make(0, 0, 0), grzVec3_Make(1, 1, 1));
    makeBox(&b, 4, grzVec3_Make(0, 0, 0), grzVec3_Make(1, 1, 1));
    manifolds = makeManifolds();
    grzManifoldQuery query = queryOf(&a, &b);
    assert_int_equal(grzManifolds_Build(manifolds, &query).status, grz_badArgument);
    assert_int_equal(grzManifolds_GetView(manifolds).count, 0);
    query.a.body = 4, query.count = 0;
    assert_int_equal(build(manifolds, &query).count, 0);
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(a.mesh);
    grzMesh_Destroy(b.mesh);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    Body box, ground;
    makeBox(&box, 1, grzVec3_Make(-1, -1, -0.1f), grzVec3_Make(1, 1, 1));
    makeGround(&ground, 2, 4, 0);
    grzManifoldQuery query = queryOf(&box, &ground);
    bool isDone = false;
    for (size_t failAt = 0; !isDone; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzManifolds* manifolds;
        grzResult result = grzManifolds_Create(NULL, testAllocator(&memory), &manifolds);
        if (grzResult_IsOk(result))
            result = grzManifolds_Build(manifolds, &query);
        isDone = grzResult_IsOk(result);
        if (!isDone)
            assert_int_equal(result.status, grz_outOfMemory);
        if (manifolds != NULL)
            assert_int_equal(grzManifolds_GetView(manifolds).count, isDone ? 4 : 0);
        grzManifolds_Destroy(manifolds);
        assert_int_equal(memory.liveCount, 0);
        assert_true(failAt < 100);
    }
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void warmBuildsAllocateNothing(void** state) {
    (void)state;
    Body box, ground;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzManifolds* manifolds;
    makeBox(&box, 1, grzVec3_Make(-1, -1, -0.1f), grzVec3_Make(1, 1, 1));
    makeGround(&ground, 2, 4, 0);
    grzManifoldQuery query = queryOf(&box, &ground);
    assert_true(grzResult_IsOk(grzManifolds_Create(NULL, testAllocator(&memory), &manifolds)));
    build(manifolds, &query);
    size_t requests = memory.requests;
    grzContact first[4];
    memcpy(first, grzManifolds_GetView(manifolds).contacts, sizeof first);
    assert_memory_equal(first, build(manifolds, &query).contacts, sizeof first);
    assert_int_equal(memory.requests, requests);
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void theOrderOfPairsDoesNotMatter(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(12), 0);
    makeBox(&box, 1, grzVec3_Make(-1.3f, -0.9f, -0.1f), grzVec3_Make(1.1f, 0.8f, 1));
    makeGround(&ground, 2, 6, 0.1f);
    grzManifoldQuery query = queryOf(&box, &ground);
    grzContact first[100];
    uint32_t count = build(manifolds, &query).count;
    memcpy(first, grzManifolds_GetView(manifolds).contacts, count * sizeof *first);
    for (int round = 0; round < 5; ++round) {
        for (uint32_t i = query.count; i-- > 1;) {
            uint32_t k = grzRng_Below(&rng, i + 1);
            grzTrianglePair pair = g_pairs[i];
            g_pairs[i] = g_pairs[k];
            g_pairs[k] = pair;
        }
        assert_int_equal(build(manifolds, &query).count, count);
        assert_memory_equal(first, grzManifolds_GetView(manifolds).contacts, count * sizeof *first);
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aBoxOnAGroundOfManyTrianglesHasNoGhosts),
        cmocka_unit_test(aHollowGroundGivesItsTwoNormals),
        cmocka_unit_test(namesPersistWhileTheSameFeaturesMeet),
        cmocka_unit_test(whatWasThereIsPreferred),
        cmocka_unit_test(theWallOfAFlushTileIsNone),
        cmocka_unit_test(theWallOfAHigherTileStays),
        cmocka_unit_test(badArgumentsAreRefused),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(warmBuildsAllocateNothing),
        cmocka_unit_test(theOrderOfPairsDoesNotMatter),
    };
    return cmocka_run_group_tests_name("manifold", tests, NULL, NULL);
}
