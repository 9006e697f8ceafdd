// One cloth by itself: its def, what the host sees of it, and how it moves without obstacles.
#include <math.h>

#include "cloth_inside.h"
#include "cloth_testing.h"
#include "simd_dispatch.h"

// ---- the def ----

static void refuse(const grzClothDef* def, grzStatus status, const char* word) {
    TestMemory memory = {.failAt = SIZE_MAX};
    const grzAllocator allocator = testAllocator(&memory);
    grzClothBody* cloth = (grzClothBody*)&memory;
    const grzResult result = grzClothBody_Create(def, &allocator, &cloth);
    assert_int_equal(result.status, status);
    assert_null(cloth);
    assert_int_equal(memory.liveCount, 0);
    if (word != NULL)
        assert_non_null(strstr(result.reason, word));
}

static void test_each_bad_field_is_refused(void** state) {
    (void)state;
    grzMesh* mesh = clothSheet(2, 2, 1, 1);
    grzClothDef good = grzDefaultClothDef(), def;
    good.mesh = mesh;
    refuse(NULL, grz_badDef, NULL);
    def = good, def.mark = 0, refuse(&def, grz_badDef, NULL);
    def = good, def.mesh = NULL, refuse(&def, grz_badArgument, "mesh");
    def = good, def.rotation = grzQuat_Make(0, 0, 0, 2), refuse(&def, grz_badArgument, "rotation");
    def = good, def.density = 0, refuse(&def, grz_badArgument, "density");
    def = good, def.density = 1e30f, refuse(&def, grz_badArgument, "density");
    def = good, def.thickness = 0, refuse(&def, grz_badArgument, "thickness");
    def = good, def.stretchCompliance = -1, refuse(&def, grz_badArgument, "stretchCompliance");
    def = good, def.bendCompliance = -1, refuse(&def, grz_badArgument, "bendCompliance");
    def = good, def.damping = -1, refuse(&def, grz_badArgument, "damping");
    def = good, def.friction = -1, refuse(&def, grz_badArgument, "friction");
    def = good, def.pinCount = 1, refuse(&def, grz_badArgument, "pins");
    float* numbers[] = {&def.density, &def.thickness, &def.stretchCompliance, &def.bendCompliance,
                        &def.damping, &def.friction,  &def.origin.y,          &def.rotation.z};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        def = good, *numbers[i] = NAN, refuse(&def, grz_notFinite, NULL);
        def = good, *numbers[i] = INFINITY, refuse(&def, grz_notFinite, NULL);
    }
    def = good, def.origin.x = 2e15f, refuse(&def, grz_notFinite, NULL);
    const uint32_t pins[2] = {0, 9};
    def = good, def.pins = pins, def.pinCount = 2, refuse(&def, grz_indexTooLarge, NULL);
    grzMesh_Destroy(mesh);
    const float line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    mesh = clothMesh(line, 3, triangle, 1);
    def = good, def.mesh = mesh, refuse(&def, grz_badArgument, "area");
    grzMesh_Destroy(mesh);
    mesh = clothMesh(NULL, 0, NULL, 0);
    def = good, def.mesh = mesh, refuse(&def, grz_badArgument, "vertices");
    grzMesh_Destroy(mesh);
}

static void test_every_refused_request_leaves_nothing(void** state) {
    (void)state;
    grzMesh* mesh = clothSheet(5, 5, 1, 1);
    const uint32_t pins[2] = {0, 5};
    grzClothDef def = grzDefaultClothDef();
    def.mesh = mesh, def.pins = pins, def.pinCount = 2;
    size_t failures = 0;
    for (size_t k = 0;; ++k) {
        TestMemory memory = {.failAt = k};
        const grzAllocator allocator = testAllocator(&memory);
        grzClothBody* cloth;
        const grzResult result = grzClothBody_Create(&def, &allocator, &cloth);
        if (result.status == grz_ok) {
            assert_int_equal(grzClothBody_MemorySize(cloth), memory.liveBytes);
            memory.failAt = SIZE_MAX;
            assert_true(grzClothBody_Validate(cloth));
            grzClothBody_Destroy(cloth);
            assert_int_equal(memory.liveCount, 0);
            break;
        }
        assert_int_equal(result.status, grz_outOfMemory);
        assert_null(cloth);
        assert_int_equal(memory.liveCount, 0);
        ++failures;
    }
    assert_true(failures > 15);
    grzMesh_Destroy(mesh);
}

static void test_odd_meshes_make_sound_cloth(void** state) {
    (void)state;
    // Three triangles at edge 0-1, one there twice, one with an index twice, one without area, and a vertex alone.
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 2, 0, 0, 5, 5, 5};
    const uint32_t triangles[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 2, 0, 0, 1, 0, 1, 5};
    ClothScene scene;
    clothSceneBegin(&scene, clothMesh(positions, 7, triangles, 6), grzDefaultClothDef());
    clothSceneRun(&scene, 60);
    assert_true(grzClothBody_Validate(scene.cloth));
    const grzVec3 alone = clothVertex(&scene, 6);
    assert_true(alone.x == 5 && alone.y == 5 && alone.z == 5);
    assert_true(clothVertex(&scene, 5).y < -4); // little mass, but some
    clothSceneEnd(&scene);
}

static void test_fans_have_as_many_colours_as_they_need(void** state) {
    (void)state;
    enum { n = 150 };
    float positions[3 * (n + 1)] = {0};
    uint32_t triangles[3 * n];
    for (uint32_t k = 0; k < n; ++k) {
        grzSinCos(6.2831853f * (float)k / n, &positions[3 * (k + 1)], &positions[3 * (k + 1) + 2]);
        triangles[3 * k] = 0, triangles[3 * k + 1] = 1 + k, triangles[3 * k + 2] = 1 + (k + 1) % n;
    }
    ClothScene scene;
    clothSceneBegin(&scene, clothMesh(positions, n + 1, triangles, n), grzDefaultClothDef());
    assert_true(scene.cloth->stretches.starts.count > n);
    clothSceneRun(&scene, 5);
    clothSceneEnd(&scene);
}

// ---- motion ----

static void test_free_fall_is_that_of_a_stone(void** state) {
    (void)state;
    grzClothDef def = grzDefaultClothDef();
    def.damping = 0;
    def.origin = grzVec3_Make(1, 2, 3);
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(6, 6, 1, 1), def);
    clothSceneRun(&scene, 60);
    // Substeps of semi-implicit Euler: g h^2 n (n + 1) / 2.
    const double h = (double)scene.timeStep / 8, fallen = 9.81 * h * h * 480 * 481 / 2;
    const grzVec3 middle = clothVertex(&scene, 24);
    assert_true(fabs((double)middle.y - (2 - fallen)) < 1e-3);
    assert_true(fabs((double)middle.x - 1) < 1e-4 && fabs((double)middle.z - 3) < 1e-4);
    assert_true(grzClothBody_GetView(scene.cloth).greatestStretch < 1e-4f);
    double mass;
    const grzVec3d momentum = clothMomentum(&scene, &mass);
    assert_true(fabs(mass - 0.2) < 1e-6); // density times area
    assert_true(fabs(momentum.y + mass * 9.81) < 1e-4);
    const double energy = grzClothBody_GetView(scene.cloth).kineticEnergy;
    assert_true(fabs(energy - 0.5 * mass * 9.81 * 9.81) < 1e-3);
    clothSceneEnd(&scene);
}

static void test_pinned_cloth_hangs_and_comes_to_rest(void** state) {
    (void)state;
    enum { n = 16 };
    uint32_t pins[n + 1];
    for (uint32_t k = 0; k <= n; ++k)
        pins[k] = k;
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = n + 1, def.damping = 2;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(n, n, 1, 1), def);
    clothSceneRun(&scene, 400);
    const grzClothView view = grzClothBody_GetView(scene.cloth);
    assert_true(view.kineticEnergy < 1e-6);
    assert_true(view.greatestStretch < 0.03f);
    assert_true(fabs(clothLowest(&scene) + 1) < 0.02);
    const grzVec3 pin = clothVertex(&scene, 3);
    assert_true(pin.y == 0 && pin.z == -0.5f);
    clothSceneEnd(&scene);
}

// One pass over the edges alone leaves a long cloth that hangs too long by some percent.
static void test_tethers_hold_what_edges_alone_cannot(void** state) {
    (void)state;
    enum { n = 60 };
    const uint32_t pins[2] = {0, 1};
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = 2, def.damping = 4;
    for (int isElastic = 0; isElastic < 2; ++isElastic) {
        def.stretchCompliance = isElastic != 0 ? 1e-9f : 0; // so little that it counts for its tethers alone
        ClothScene scene;
        clothSceneBegin(&scene, clothSheet(n, 1, 0.05f, 3), def);
        assert_int_equal(scene.cloth->tetherCount, isElastic != 0 ? 0 : 2);
        clothSceneRun(&scene, 300);
        const double length = -clothLowest(&scene);
        assert_true(isElastic != 0 ? length > 3.05 : length < 3.005);
        clothSceneEnd(&scene);
    }
}

// Of a cloth that is held all around each vertex has a tether to pins on all sides, none shorter than the straight line.
static void test_tethers_go_to_all_sides(void** state) {
    (void)state;
    enum { n = 12, middle = (n + 1) * (n / 2) + n / 2 };
    uint32_t pins[4 * n], count = 0;
    for (uint32_t v = 0; v < (n + 1) * (n + 1); ++v)
        if (v / (n + 1) % n == 0 || v % (n + 1) % n == 0)
            pins[count++] = v;
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = count;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(n, n, 2, 2), def);
    const grzClothBody* cloth = scene.cloth;
    assert_int_equal(cloth->tetherCount, 4);
    grzBox around = grzBox_Empty();
    for (uint32_t layer = 0; layer < 4; ++layer) {
        const size_t row = (size_t)layer * cloth->rowCount + middle;
        const grzVec3 pin = clothVertex(&scene, cloth->pins.data[cloth->tetherPins.data[row]]);
        assert_true(cloth->tetherLengths.data[row] > 0.9999f * grzLength(pin));
        assert_true(cloth->tetherLengths.data[row] < 1.1f);
        around = grzBox_AddPoint(around, pin);
    }
    assert_true(around.lower.x < -0.1f && around.upper.x > 0.1f && around.lower.z < -0.1f && around.upper.z > 0.1f);
    clothSceneEnd(&scene);
}

// A strip whose mesh is bent by a right angle, in free fall: it stays as it is, and comes back when it is laid flat.
static void test_rest_angles_come_back(void** state) {
    (void)state;
    const float positions[] = {0, 0, -1, 0, 0, 1, 1, 0, 0, 0, 1, 0};
    const float flat[] = {0, 0, -1, 0, 0, 1, 1, 0, 0, -1, 0.05f, 0};
    const uint32_t triangles[] = {0, 1, 2, 1, 0, 3};
    grzClothDef def = grzDefaultClothDef();
    def.bendCompliance = 0, def.damping = 5;
    ClothScene scene;
    clothSceneBegin(&scene, clothMesh(positions, 4, triangles, 2), def);
    scene.gravity = grzVec3_Zero();
    clothSceneRun(&scene, 10);
    for (uint32_t v = 0; v < 4; ++v)
        assert_true(grzDistance(clothVertex(&scene, v), grzVec3_Load(positions + 3 * v)) < 1e-5f);
    assert_int_equal(grzClothBody_Place(scene.cloth, flat, NULL).status, grz_ok);
    clothSceneRun(&scene, 200);
    assert_true(fabsf(grzDistance(clothVertex(&scene, 2), clothVertex(&scene, 3)) - 1.41421f) < 0.01f);
    clothSceneEnd(&scene);
}

// Soft: the angle to which a torque bends is compliance times torque. A flap of two triangles, one of them pinned.
static void test_bend_compliance_is_angle_by_torque(void** state) {
    (void)state;
    const float positions[] = {0, 0, -1, 0, 0, 1, -1, 0, 0, 1, 0, 0};
    const uint32_t triangles[] = {1, 0, 2, 0, 1, 3}, pins[] = {0, 1, 2};
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = 3, def.damping = 5, def.bendCompliance = 0.3f;
    ClothScene scene;
    clothSceneBegin(&scene, clothMesh(positions, 4, triangles, 2), def);
    clothSceneRun(&scene, 300);
    // A third of one triangle's mass, 0.2 / 3, at distance 1.
    const double torque = 0.2 / 3 * 9.81, angle = -asin((double)clothVertex(&scene, 3).y);
    assert_true(fabs(angle - 0.3 * torque * cos(angle)) < 0.003);
    clothSceneEnd(&scene);
}

static void test_stretch_compliance_is_length_by_force(void** state) {
    (void)state;
    const float positions[] = {0, 0, 0, 0, -1, 0, 0.001f, 0, 0};
    const uint32_t triangles[] = {0, 1, 2}, pins[] = {0, 2};
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = 2, def.damping = 5, def.stretchCompliance = 0.01f, def.density = 6000;
    ClothScene scene;
    clothSceneBegin(&scene, clothMesh(positions, 3, triangles, 1), def);
    clothSceneRun(&scene, 300);
    // Two edges share a weight of one kilogram.
    assert_true(fabs(-(double)clothVertex(&scene, 1).y - 1 - 0.01 * 9.81 / 2) < 1e-4);
    clothSceneEnd(&scene);
}

// ---- what the host does ----

static void test_pins_go_where_they_are_told(void** state) {
    (void)state;
    const uint32_t pins[2] = {8, 0};
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = 2;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(2, 2, 1, 1), def);
    const float goal[3] = {0.6f, 0.1f, 0.5f}, bad[3] = {0, NAN, 0};
    const uint64_t hash = grzClothBody_Hash(scene.cloth);
    assert_int_equal(grzClothBody_MovePins(scene.cloth, 1, 2, goal).status, grz_indexTooLarge);
    assert_int_equal(grzClothBody_MovePins(scene.cloth, 3, 0, goal).status, grz_indexTooLarge);
    assert_int_equal(grzClothBody_MovePins(scene.cloth, 0, 1, bad).status, grz_notFinite);
    assert_int_equal(grzClothBody_MovePins(scene.cloth, 0, 1, NULL).status, grz_badArgument);
    assert_true(grzClothBody_Hash(scene.cloth) == hash);
    assert_int_equal(grzClothBody_MovePins(scene.cloth, 0, 1, goal).status, grz_ok);
    assert_true(grzClothBody_Hash(scene.cloth) != hash);
    clothSceneStep(&scene);
    assert_true(grzVec3_IsEqual(clothVertex(&scene, 8), grzVec3_Load(goal)));
    const float* speed = grzClothBody_GetView(scene.cloth).velocities + (size_t)3 * 8;
    assert_true(fabsf(speed[0] - 0.1f * 60) < 0.01f && fabsf(speed[1] - 0.1f * 60) < 0.01f);
    clothSceneStep(&scene);
    assert_true(grzVec3_IsEqual(clothVertex(&scene, 8), grzVec3_Load(goal)));
    clothSceneEnd(&scene);
}

static void test_place_sets_all_or_nothing(void** state) {
    (void)state;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(2, 2, 1, 1), grzDefaultClothDef());
    float positions[27], velocities[27];
    for (int i = 0; i < 27; ++i)
        positions[i] = (float)i * 0.1f, velocities[i] = (float)i;
    const uint64_t hash = grzClothBody_Hash(scene.cloth);
    velocities[26] = INFINITY;
    assert_int_equal(grzClothBody_Place(scene.cloth, positions, velocities).status, grz_notFinite);
    assert_int_equal(grzClothBody_Place(scene.cloth, NULL, velocities).status, grz_badArgument);
    assert_true(grzClothBody_Hash(scene.cloth) == hash);
    velocities[26] = 26;
    assert_int_equal(grzClothBody_Place(scene.cloth, positions, velocities).status, grz_ok);
    const grzClothView view = grzClothBody_GetView(scene.cloth);
    assert_memory_equal(view.positions, positions, sizeof positions);
    assert_memory_equal(view.velocities, velocities, sizeof velocities);
    assert_ptr_equal(grzClothBody_GetMesh(scene.cloth), scene.mesh);
    clothSceneEnd(&scene);
}

static void test_placed_pins_stay_where_they_are_put(void** state) {
    (void)state;
    const uint32_t pins[1] = {4};
    grzClothDef def = grzDefaultClothDef();
    def.pins = pins, def.pinCount = 1;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(2, 2, 1, 1), def);
    float positions[27];
    for (uint32_t v = 0; v < 9; ++v)
        grzVec3_Store(positions + 3 * v, grzAdd(clothVertex(&scene, v), grzVec3_Make(3, 1, 0)));
    assert_int_equal(grzClothBody_Place(scene.cloth, positions, NULL).status, grz_ok);
    for (int i = 0; i < 3; ++i) {
        clothSceneStep(&scene);
        assert_true(grzVec3_IsEqual(clothVertex(&scene, 4), grzVec3_Load(positions + 12)));
    }
    clothSceneEnd(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_bad_field_is_refused),
        cmocka_unit_test(test_every_refused_request_leaves_nothing),
        cmocka_unit_test(test_odd_meshes_make_sound_cloth),
        cmocka_unit_test(test_fans_have_as_many_colours_as_they_need),
        cmocka_unit_test(test_free_fall_is_that_of_a_stone),
        cmocka_unit_test(test_pinned_cloth_hangs_and_comes_to_rest),
        cmocka_unit_test(test_tethers_hold_what_edges_alone_cannot),
        cmocka_unit_test(test_tethers_go_to_all_sides),
        cmocka_unit_test(test_rest_angles_come_back),
        cmocka_unit_test(test_bend_compliance_is_angle_by_torque),
        cmocka_unit_test(test_stretch_compliance_is_length_by_force),
        cmocka_unit_test(test_pins_go_where_they_are_told),
        cmocka_unit_test(test_place_sets_all_or_nothing),
        cmocka_unit_test(test_placed_pins_stay_where_they_are_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
