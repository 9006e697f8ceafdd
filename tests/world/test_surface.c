// Surfaces: what of a keyframed mesh is evaluated in a step is what something reads, and rays hit it where it is. Cloth likewise.
#include "world_testing.h"

#include "animated_body.h"
#include "cloth_body.h"
#include "world_inside.h"

enum { SQUARES = 100, STEPS = 40 };

typedef struct Waving {
    grzMesh* mesh;
    grzWorld* world;
    grzBodyId id;
    const grzAnimatedBody* body;
    uint32_t vertexCount;
} Waving;

// A sheet of 10 x 10 around the origin, between two heights.
static Waving makeWaving(void) {
    Waving waving;
    waving.mesh = squareGridMesh(SQUARES, 10);
    waving.vertexCount = grzMesh_GetView(waving.mesh).vertexCount;
    waving.world = makeWorld(NULL);
    waving.id = addAnimated(waving.world, waving.mesh, grz_animateKeyframes);
    waving.body = waving.world->colliders.data[grzWorld_RowOf(waving.world, waving.id.index1 - 1)].animated;
    for (int frame = 1; frame < 4; ++frame) {
        static float positions[3 * (SQUARES + 1) * (SQUARES + 1)];
        const grzMeshView view = grzMesh_GetView(waving.mesh);
        for (size_t i = 0; i < 3 * (size_t)view.vertexCount; i += 3) {
            memcpy(positions + i, view.positions32 + i, 3 * sizeof *positions);
            positions[i + 1] = 0.2f * grzSin(positions[i] + (float)frame);
        }
        must(grzWorld_AddKeyframe(waving.world, waving.id, 0.5 * frame, positions));
    }
    return waving;
}

static void dropWaving(Waving* waving) {
    grzWorld_Destroy(waving->world);
    grzMesh_Destroy(waving->mesh);
}

// Of one step after some, in vertices.
static uint64_t evaluatedInStep(Waving* waving) {
    stepOnce(waving->world);
    const uint64_t before = grzAnimatedBody_EvaluatedCount(waving->body);
    stepOnce(waving->world);
    return grzAnimatedBody_EvaluatedCount(waving->body) - before;
}

static void test_whatNothingReadsIsNotEvaluated(void** state) {
    (void)state;
    Waving alone = makeWaving();
    assert_int_equal(evaluatedInStep(&alone), 0);
    grzAnimatedView view;
    const uint64_t before = grzAnimatedBody_EvaluatedCount(alone.body);
    must(grzWorld_GetAnimated(alone.world, alone.id, &view)); // who asks for all, gets all, once
    must(grzWorld_GetAnimated(alone.world, alone.id, &view));
    assert_int_equal(grzAnimatedBody_EvaluatedCount(alone.body) - before, alone.vertexCount);
    dropWaving(&alone);
    // Far beside a ring whose box holds the sheet; one corner under a ball; and under cloth.
    Waving ringed = makeWaving();
    grzMesh* ring = scaledShapeMesh(shapeTorus, 2000, grzVec3_Make(20, 20, 20));
    grzMeshShape* shape = meshShapeOf(ring);
    addMesh(ringed.world, grz_staticBody, shape, grzVec3_Zero());
    assert_int_equal(evaluatedInStep(&ringed), 0);
    dropWaving(&ringed);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(ring);
    Waving pressed = makeWaving();
    addShape(pressed.world, grz_staticBody, grzMakeSphere(grzVec3_Zero(), 0.3f), grzVec3_Make(4, 0, 4));
    const uint64_t some = evaluatedInStep(&pressed);
    assert_true(some > 0 && some < pressed.vertexCount / 4);
    dropWaving(&pressed);
    Waving covered = makeWaving();
    addCloth(covered.world, grzVec3_Make(3, 0.5f, 3), NULL, 0);
    for (int i = 0; i < 20; ++i)
        stepOnce(covered.world);
    const uint64_t under = evaluatedInStep(&covered);
    assert_true(under > 0 && under < covered.vertexCount);
    dropWaving(&covered);
}

// In a step in which a ball of triangles stands in the sheet. It must have contacts.
static uint64_t evaluatedUnderBall(float radius) {
    Waving waving = makeWaving();
    grzMesh* ball = scaledShapeMesh(shapeSphere, 300, grzVec3_Splat(radius));
    grzMeshShape* shape = meshShapeOf(ball);
    addMesh(waving.world, grz_staticBody, shape, grzVec3_Make(2, 0, 2));
    const uint64_t made = evaluatedInStep(&waving);
    assert_true(grzWorld_GetContacts(waving.world).contactCount != 0);
    dropWaving(&waving);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(ball);
    return made;
}

// What meets a mesh is evaluated, and the pages around it; not the sheet.
static void test_besideAMeshOnlyWhatMeetsIsEvaluated(void** state) {
    (void)state;
    const uint64_t sheet = (SQUARES + 1) * (SQUARES + 1);
    const uint64_t few = evaluatedUnderBall(0.25f), more = evaluatedUnderBall(1);
    assert_true(few > 0 && few < sheet / 8);
    assert_true(more > few && more < sheet / 3);
}

// The hit of the lowest triangle that a ray from above meets, by all triangles.
static bool isHeightOf(const Waving* waving, grzVec3 point) {
    const grzMeshView view = grzMesh_GetView(waving->mesh);
    grzAnimatedView animated;
    must(grzWorld_GetAnimated(waving->world, waving->id, &animated));
    for (uint32_t t = 0; t < view.triangleCount; ++t) {
        grzBox box = grzBox_Empty();
        for (size_t k = 0; k < 3; ++k)
            box = grzBox_AddPoint(box,
                                  grzVec3_Load(animated.positions + 3 * (size_t)view.triangles[3 * (size_t)t + k]));
        if (grzBox_ContainsPoint(grzBox_Expand(box, 1e-5f), point))
            return true;
    }
    return false;
}

static void test_raysMakeWhatTheyMeet(void** state) {
    (void)state;
    Waving waving = makeWaving();
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    for (int i = 0; i < STEPS; ++i) {
        stepOnce(waving.world);
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin = grzVec3_Make(-4.7f + 0.2f * (float)i, 2, 1.3f);
        ray.direction = grzVec3_Make(0, -1, 0);
        const uint64_t before = grzAnimatedBody_EvaluatedCount(waving.body);
        must(grzWorld_CastRay(waving.world, &ray, hits));
        const uint64_t made = grzAnimatedBody_EvaluatedCount(waving.body) - before;
        assert_int_equal(grzWorldHits_GetView(hits).count, 1);
        assert_true(made > 0 && made < waving.vertexCount / 8);
        assert_true(isHeightOf(&waving, grzWorldHits_GetView(hits).hits[0].point));
    }
    grzWorldHits_Destroy(hits);
    dropWaving(&waving);
}

// What a host reads between steps changes nothing of what comes.
static void test_readingChangesNothing(void** state) {
    (void)state;
    uint64_t hashes[2];
    for (int run = 0; run < 2; ++run) {
        Waving waving = makeWaving();
        addShape(waving.world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.2f)),
                 grzVec3_Make(1, 0.6f, 1));
        addMesh(waving.world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(-2, 1, -2));
        addCloth(waving.world, grzVec3_Make(3, 0.5f, 3), NULL, 0);
        for (int i = 0; i < STEPS; ++i) {
            stepOnce(waving.world);
            grzAnimatedView view;
            if (run == 1 && i % 2 == 0)
                must(grzWorld_GetAnimated(waving.world, waving.id, &view));
        }
        hashes[run] = grzWorld_HashState(waving.world);
        dropWaving(&waving);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whatNothingReadsIsNotEvaluated),
        cmocka_unit_test(test_besideAMeshOnlyWhatMeetsIsEvaluated),
        cmocka_unit_test(test_raysMakeWhatTheyMeet),
        cmocka_unit_test(test_readingChangesNothing),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
