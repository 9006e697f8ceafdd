// Cloth that nobody would make, and what nobody would do to it. Each stays finite and whole, and what can be known is.
#include <float.h>
#include <math.h>

#include "cloth_inside.h"
#include "cloth_testing.h"

static grzClothDef plainDef(void) {
    grzClothDef def = grzDefaultClothDef();
    def.damping = 0.5f;
    return def;
}

static void addFloor(ClothScene* scene, grzVec3 under) {
    clothSceneAdd(scene, grzMakeBox(grzVec3_Zero(), grzVec3_Make(3, 0.5f, 3)),
                  grzSub(under, grzVec3_Make(0, 0.5f, 0)), grzQuat_Identity(), 0, 0.6f);
}

static float fastest(const ClothScene* scene) {
    float most = 0;
    for (uint32_t v = 0; v < scene->cloth->vertexCount; ++v)
        most = fmaxf(most, grzLength(grzVec3_Load(scene->cloth->velocities.data + (size_t)3 * v)));
    return most;
}

// ---- shapes ----

static void test_one_triangle_falls_on_a_floor_and_rests(void** state) {
    (void)state;
    const float positions[] = {-0.5f, 0, -0.5f, 0.5f, 0, -0.5f, 0, 0, 0.6f};
    const uint32_t triangle[] = {0, 2, 1};
    for (uint32_t pinned = 0; pinned <= 3; ++pinned) {
        const uint32_t pins[3] = {0, 1, 2};
        grzClothDef def = plainDef();
        def.origin.y = 0.3f, def.pins = pins, def.pinCount = pinned;
        ClothScene scene;
        clothSceneBegin(&scene, clothMesh(positions, 3, triangle, 1), def);
        addFloor(&scene, grzVec3_Zero());
        clothSceneRun(&scene, 240);
        assert_true(grzClothBody_Validate(scene.cloth));
        if (pinned == 0)
            assert_true(fastest(&scene) < 1e-3f);
        for (uint32_t v = 0; v < 3; ++v)
            assert_true(v < pinned ? clothVertex(&scene, v).y == 0.3f
                                   : clothVertex(&scene, v).y > 0.004f && clothVertex(&scene, v).y < 0.35f);
        clothSceneEnd(&scene);
    }
}

// A strip of n vertices, n at the edges of groups, lanes and blocks: the same bytes for any number of workers.
static grzMesh* stripOf(uint32_t n) {
    float positions[3 * 300];
    uint32_t triangles[3 * 300];
    for (uint32_t v = 0; v < n; ++v) {
        positions[3 * v] = 0.02f * (float)(v / 2), positions[3 * v + 1] = 0;
        positions[3 * v + 2] = v % 2 == 0 ? 0 : 0.08f;
    }
    for (uint32_t t = 0; t + 2 < n; ++t) {
        triangles[3 * t] = t;
        triangles[3 * t + 1] = t % 2 == 0 ? t + 1 : t + 2;
        triangles[3 * t + 2] = t % 2 == 0 ? t + 2 : t + 1;
    }
    return clothMesh(positions, n, triangles, n - 2);
}

static uint64_t hashOfStrip(uint32_t n, grzTasks* tasks) {
    grzClothDef def = plainDef();
    def.origin = grzVec3_Make(-0.1f, 0.08f, 0);
    ClothScene scene;
    clothSceneBegin(&scene, stripOf(n), def);
    addFloor(&scene, grzVec3_Zero());
    clothSceneAdd(&scene, grzMakeSphere(grzVec3_Zero(), 0.06f), grzVec3_Make(-0.06f, 0, 0.04f), grzQuat_Identity(),
                  0, 0.5f);
    scene.tasks = tasks;
    clothSceneRun(&scene, 20);
    assert_true(grzClothBody_Validate(scene.cloth) && clothLowest(&scene) > 0.003);
    assert_true(grzClothBody_GetContacts(scene.cloth).count > 0);
    const uint64_t hash = clothSceneHash(&scene);
    clothSceneEnd(&scene);
    return hash;
}

static void test_any_number_of_vertices_and_workers(void** state) {
    (void)state;
    const uint32_t counts[] = {3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = 3;
    grzTasks* tasks;
    assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_ok);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        assert_true(hashOfStrip(counts[i], NULL) == hashOfStrip(counts[i], tasks));
    grzTasks_Destroy(tasks);
}

// Two vertices at one place, edges of no length, slivers, triangles there twice, three at an edge; all of it pinned or not.
static void test_bad_meshes_stay_whole_under_a_load(void** state) {
    (void)state;
    const float positions[] = {0, 0, 0,    0.5f, 0, 0, 0.5f, 0,     0.5f, 0,    0,     0.5f,  0,    0, 0,    1,
                               0, 0, 0.5f, 0,    0, 1, 0,    1e-7f, 0.5f, 0.3f, 0.25f, 0.25f, 0.5f, 0, 1e-3f};
    const uint32_t triangles[] = {0, 1, 2, 4, 2, 3, 1, 5, 6, 6, 5, 7, 1, 2, 8, 0, 1, 2, 2, 2, 1, 1, 9, 2, 0, 4, 1};
    for (uint32_t pinCount = 0; pinCount <= 10; pinCount += 5) {
        const uint32_t pins[10] = {0, 5, 3, 8, 0, 1, 2, 4, 6, 7};
        grzClothDef def = plainDef();
        def.origin.y = 0.2f, def.pins = pins, def.pinCount = pinCount;
        ClothScene scene;
        clothSceneBegin(&scene, clothMesh(positions, 10, triangles, 9), def);
        addFloor(&scene, grzVec3_Zero());
        clothSceneAdd(&scene, grzMakeSphere(grzVec3_Zero(), 0.1f), grzVec3_Make(0.3f, 0.5f, 0.2f),
                      grzQuat_Identity(), 2000, 0.5f);
        clothSceneRun(&scene, 120);
        assert_true(grzClothBody_Validate(scene.cloth));
        assert_true(fastest(&scene) < 100 && clothLowest(&scene) > -1);
        clothSceneEnd(&scene);
    }
}

// ---- numbers ----

static void test_extreme_masses_and_compliances(void** state) {
    (void)state;
    const float densities[] = {1e-9f, 0.2f, 1e9f}, compliances[] = {0, FLT_MIN, 1e-3f, 1e30f, FLT_MAX};
    const float loads[] = {1e-6f, 1, 1e6f};
    const uint32_t pins[4] = {0, 6, 42, 48};
    for (int d = 0; d < 3; ++d)
        for (int c = 0; c < 5; ++c)
            for (int l = 0; l < 3; ++l) {
                grzClothDef def = plainDef();
                def.density = densities[d], def.stretchCompliance = compliances[c];
                def.bendCompliance = compliances[4 - c], def.pins = pins, def.pinCount = 4;
                ClothScene scene;
                clothSceneBegin(&scene, clothSheet(6, 6, 1, 1), def);
                const uint32_t ball = clothSceneAdd(&scene, grzMakeSphere(grzVec3_Zero(), 0.2f),
                                                    grzVec3_Make(0, 0.25f, 0), grzQuat_Identity(), loads[l], 0.5f);
                clothSceneRun(&scene, 40);
                assert_true(grzClothBody_Validate(scene.cloth));
                const grzVec3 at = scene.states[ball].center;
                assert_true(grzVec3_IsFinite(at) && grzLength(scene.states[ball].velocity) < 50);
                if (compliances[c] == 0)
                    assert_true(at.y > -0.4f); // held, whatever the masses
                clothSceneEnd(&scene);
            }
}

static void test_steps_of_all_lengths(void** state) {
    (void)state;
    const float times[] = {1.0f / 60, 1.0f / 1000, 0.1f, 1e-6f, 1.0f / 60, 1.0f / 240, 0.05f, 1.0f / 60};
    const uint32_t pins[4] = {0, 8, 72, 80};
    grzClothDef def = plainDef();
    def.pins = pins, def.pinCount = 4;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(8, 8, 1, 1), def);
    const uint32_t ball = clothSceneAdd(&scene, grzMakeSphere(grzVec3_Zero(), 0.2f), grzVec3_Make(0, 0.22f, 0),
                                        grzQuat_Identity(), 300, 0.5f);
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
        scene.timeStep = times[i];
        clothSceneRun(&scene, 20);
        assert_true(grzClothBody_Validate(scene.cloth));
        // A step of a tenth lets the ball sink deep; the ones after it lift it, but do not throw it.
        assert_true(scene.states[ball].center.y > -0.3f && scene.states[ball].center.y < 0.5f);
        assert_true(fastest(&scene) < 5 && grzLength(scene.states[ball].velocity) < 2);
    }
    clothSceneEnd(&scene);
}

// Far out the same happens, as far as floats can tell: at 1e4 a millimetre is one unit in the last place, at 1e6 six centimetres.
static void test_far_from_the_origin(void** state) {
    (void)state;
    const float offsets[] = {1e4f, -1e6f};
    for (int i = 0; i < 2; ++i) {
        const grzVec3 far = grzVec3_Make(offsets[i], 0, offsets[i]);
        grzClothDef def = plainDef();
        def.origin = grzAdd(far, grzVec3_Make(0, 0.7f, 0));
        ClothScene scene;
        clothSceneBegin(&scene, clothSheet(8, 8, 2, 2), def);
        clothSceneAdd(&scene, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), far, grzQuat_Identity(), 0, 1);
        clothSceneRun(&scene, 120);
        assert_true(grzClothBody_Validate(scene.cloth));
        assert_true(fabsf(clothVertex(&scene, 40).y - 0.505f) < 0.05f);
        clothSceneEnd(&scene);
    }
}

// ---- starts inside ----

static void test_cloth_that_starts_inside_comes_out(void** state) {
    (void)state;
    const grzConvex shapes[3] = {grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0.3f, 1)),
                                 grzMakeSphere(grzVec3_Zero(), 0.6f),
                                 grzMakeCapsule(grzVec3_Make(-0.5f, 0, 0), grzVec3_Make(0.5f, 0, 0), 0.4f)};
    for (int shape = 0; shape < 3; ++shape)
        for (int yields = 0; yields < 2; ++yields) {
            grzClothDef def = plainDef();
            def.origin.y = shape == 0 ? 0.05f : 0; // in the core of the round ones
            ClothScene scene;
            clothSceneBegin(&scene, clothSheet(6, 6, 0.3f, 0.3f), def);
            const uint32_t body = clothSceneAdd(&scene, shapes[shape], grzVec3_Zero(), grzQuat_Identity(),
                                                yields != 0 ? 10.0f : 0.0f, 0.5f);
            if (yields != 0)
                scene.masses[body].gravityScale = 0, scene.gravity = grzVec3_Zero();
            float most = 0;
            for (int step = 0; step < 150; ++step) {
                clothSceneStep(&scene);
                most = fmaxf(most, fastest(&scene));
            }
            assert_true(grzClothBody_Validate(scene.cloth));
            // From a box it comes out slowly, one way. A round core pushes it apart to all sides, and then it snaps off.
            assert_true(most < (shape == 0 ? 0.1f : 200));
            if (shape == 0)
                assert_true(clothLowest(&scene) - (double)scene.states[body].center.y > 0.3);
            clothSceneEnd(&scene);
        }
}

// ---- calls ----

// What it touches is gone in the next step, comes back, and another has its slot.
static void test_what_it_touches_goes_away(void** state) {
    (void)state;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(10, 10, 1, 1), plainDef());
    addFloor(&scene, grzVec3_Make(0, -0.5f, 0));
    const uint32_t slot = clothSceneAdd(&scene, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.2f)),
                                        grzVec3_Make(0, -0.22f, 0), grzQuat_Identity(), 0, 0.5f);
    clothSceneRun(&scene, 30);
    const float resting = clothVertex(&scene, 60).y;
    assert_true(resting > -0.02f);
    const grzCollider gone = scene.colliders[slot];
    scene.colliders[slot].kind = grz_noCollider;
    clothSceneRun(&scene, 60);
    assert_true(clothVertex(&scene, 60).y < -0.3f);
    scene.colliders[slot] = gone;
    scene.colliders[slot].shape = grzMakeSphere(grzVec3_Zero(), 0.05f);
    scene.states[slot].center.y = 0.2f;
    clothSceneRun(&scene, 60);
    assert_true(grzClothBody_Validate(scene.cloth) && clothLowest(&scene) > -0.5);
    clothSceneEnd(&scene);
}

static void test_validating_takes_no_memory(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    const grzAllocator allocator = testAllocator(&memory);
    grzMesh* mesh = clothSheet(9, 9, 1, 1);
    grzClothDef def = plainDef();
    def.mesh = mesh;
    grzClothBody* cloth;
    assert_int_equal(grzClothBody_Create(&def, &allocator, &cloth).status, grz_ok);
    const size_t requests = memory.requests;
    assert_true(grzClothBody_Validate(cloth));
    assert_int_equal(memory.requests, requests);
    cloth->now.data[4 * 5 + 1] = NAN;
    assert_false(grzClothBody_Validate(cloth));
    grzClothBody_Destroy(cloth);
    grzMesh_Destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_triangle_falls_on_a_floor_and_rests),
        cmocka_unit_test(test_any_number_of_vertices_and_workers),
        cmocka_unit_test(test_bad_meshes_stay_whole_under_a_load),
        cmocka_unit_test(test_extreme_masses_and_compliances),
        cmocka_unit_test(test_steps_of_all_lengths),
        cmocka_unit_test(test_far_from_the_origin),
        cmocka_unit_test(test_cloth_that_starts_inside_comes_out),
        cmocka_unit_test(test_what_it_touches_goes_away),
        cmocka_unit_test(test_validating_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
