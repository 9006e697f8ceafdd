// Manifolds: a box on grounds of many triangles has four contacts that point straight down, wherever it stands and
// however the ground is cut; names persist; reduction, order, refusals.
#include "manifold_testing.h"
#include "rng.h"

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
    query.a.body = idOfNumber(4), query.count = 0;
    assert_int_equal(build(manifolds, &query).count, 0);
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(a.mesh);
    grzMesh_Destroy(b.mesh);
}

static void whatCannotBeIsRefused(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds = makeManifolds();
    makeBox(&box, 1, grzVec3_Make(-1, -1, -0.1f), grzVec3_Make(1, 1, 1));
    makeGround(&ground, 2, 4, 0);
    grzManifoldQuery query = queryOf(&box, &ground);
    grzContact previous[4];
    memcpy(previous, build(manifolds, &query).contacts, sizeof previous);
    for (int side = 0; side < 2; ++side) {
        g_pairs[7].triangleA = side == 0 ? 12 : 3;
        g_pairs[7].triangleB = side == 0 ? 3 : 32;
        grzResult result = grzManifolds_Build(manifolds, &query);
        assert_int_equal(result.status, grz_indexTooLarge);
        assert_true(result.part == grz_partElement && result.index == 7 && result.value == (side == 0 ? 12 : 32));
        assert_int_equal(grzManifolds_GetView(manifolds).count, 0);
    }
    query = queryOf(&box, &ground);
    grzContact first = previous[0];
    previous[0] = previous[3], previous[3] = first;
    query.previous = previous;
    query.previousCount = 4;
    assert_int_equal(grzManifolds_Build(manifolds, &query).status, grz_badArgument);
    assert_int_equal(grzManifolds_GetView(manifolds).count, 0);
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void aPairThatIsThereTwiceCountsOnce(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds = makeManifolds();
    makeBox(&box, 1, grzVec3_Make(-1.3f, -0.9f, -0.1f), grzVec3_Make(1.1f, 0.8f, 1));
    makeGround(&ground, 2, 4, 0.1f);
    grzManifoldQuery query = queryOf(&box, &ground);
    grzContact first[100];
    uint32_t count = build(manifolds, &query).count;
    assert_in_range(count, 4, 100);
    memcpy(first, grzManifolds_GetView(manifolds).contacts, count * sizeof *first);
    memcpy(g_pairs + query.count, g_pairs, query.count * sizeof *g_pairs);
    query.count *= 2;
    assert_int_equal(build(manifolds, &query).count, count);
    assert_memory_equal(first, grzManifolds_GetView(manifolds).contacts, count * sizeof *first);
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
}

static void theLargestNumbersStayFinite(void** state) {
    (void)state;
    const float most = 3.4028235e38f;
    Body a, b;
    grzManifolds* manifolds = makeManifolds();
    makeBox(&a, 1, grzVec3_Make(-most, -most, -most), grzVec3_Make(most, most, 0.5f * most));
    makeBox(&b, 2, grzVec3_Make(-0.5f * most, -0.75f * most, -0.9f * most), grzVec3_Make(most, most, most));
    grzManifoldQuery query = queryOf(&a, &b);
    grzManifoldView view = build(manifolds, &query);
    assert_true(view.count > 0);
    for (uint32_t i = 0; i < view.count; ++i) {
        assert_true(grzVec3_IsFinite(view.contacts[i].point) && isfinite(view.contacts[i].separation));
        assert_true(isNear(grzDot(view.contacts[i].normal, view.contacts[i].normal), 1, 1e-5f));
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(a.mesh);
    grzMesh_Destroy(b.mesh);
}

// A ground of two slopes: two clusters; with a wide cosine, one. More points than four are spread.
static void theDefSaysHowMuchIsKept(void** state) {
    (void)state;
    Body box, ground;
    grzManifolds* manifolds;
    makeBox(&box, 1, grzVec3_Make(-1.3f, -0.9f, 0.35f), grzVec3_Make(1.1f, 0.8f, 1));
    makeGround(&ground, 2, 8, 0.4f);
    grzManifoldQuery query = queryOf(&box, &ground);
    for (int wide = 0; wide < 2; ++wide) {
        grzManifoldDef def = grzDefaultManifoldDef();
        def.likeCosine = wide != 0 ? 0.5f : 0.95f;
        def.pointCount = 2;
        assert_true(grzResult_IsOk(grzManifolds_Create(&def, (grzAllocator){0}, &manifolds)));
        grzManifoldView view = build(manifolds, &query);
        assert_int_equal(view.clusterCount, wide != 0 ? 1 : 2);
        assert_int_equal(view.count, wide != 0 ? 2 : 4);
        grzManifolds_Destroy(manifolds);
    }
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
    makeGround(&ground, 2, 8, 0);
    makeBox(&box, 1, grzVec3_Make(-1.3f, -1.3f, -0.1f), grzVec3_Make(1.3f, 1.3f, 1));
    query = queryOf(&box, &ground);
    grzManifoldDef def = grzDefaultManifoldDef();
    def.pointCount = 5;
    assert_true(grzResult_IsOk(grzManifolds_Create(&def, (grzAllocator){0}, &manifolds)));
    grzManifoldView view = build(manifolds, &query);
    assert_int_equal(view.count, 5);
    for (uint32_t i = 0; i < 5; ++i)
        for (uint32_t k = 0; k < i; ++k)
            assert_true(grzLength(grzSub(view.contacts[i].point, view.contacts[k].point)) > 0.9f);
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(box.mesh);
    grzMesh_Destroy(ground.mesh);
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
        cmocka_unit_test(badArgumentsAreRefused),
        cmocka_unit_test(whatCannotBeIsRefused),
        cmocka_unit_test(aPairThatIsThereTwiceCountsOnce),
        cmocka_unit_test(theLargestNumbersStayFinite),
        cmocka_unit_test(theDefSaysHowMuchIsKept),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(warmBuildsAllocateNothing),
        cmocka_unit_test(theOrderOfPairsDoesNotMatter),
    };
    return cmocka_run_group_tests_name("manifold", tests, NULL, NULL);
}
