// Meshes that the host animates: where they are in all three motions, that boxes and hierarchies hold them in every way of
// upkeep, standing still, refusals, the same bytes for any number of workers, memory.
#include "model_query_testing.h"

#include <float.h>
#include <math.h>

#include "animated_inside.h"
#include "hash.h"

enum { MOST_VERTICES = 2000 };

static grzMesh* makeAnimatedMesh(ShapeKind kind, size_t count) {
    MeshData data;
    assert_true(grzResult_IsOk(makeShape(kind, count, grzDefaultAllocator(), &data)));
    grzMeshDef def = MeshData_Def(&data);
    grzMesh* mesh;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &mesh)));
    MeshData_Release(&data);
    assert_true(grzMesh_GetView(mesh).vertexCount <= MOST_VERTICES);
    return mesh;
}

static grzAnimatedBody* makeAnimated(const grzMesh* mesh, grzAnimatedMotion motion, uint32_t ways, double time) {
    grzAnimatedDef def = grzDefaultAnimatedDef();
    const grzAllocator allocator = grzDefaultAllocator();
    grzAnimatedBody* animated;
    def.mesh = mesh, def.motion = motion, def.ways = ways;
    assert_true(grzResult_IsOk(grzAnimatedBody_Create(&def, time, NULL, &allocator, &animated)));
    return animated;
}

// A wave that runs over the mesh, different at each phase.
static void wave(const grzMeshView* view, double phase, float* positions) {
    for (uint32_t i = 0; i < view->vertexCount; ++i) {
        const float* p = view->positions32 + 3 * (size_t)i;
        positions[3 * i] = p[0] + (float)(0.3 * phase);
        positions[3 * i + 1] = p[1] + 0.2f * grzSin((float)phase + 3 * p[0]);
        positions[3 * i + 2] = p[2] * (1 + 0.1f * grzCos((float)phase));
    }
}

// Where everything is.
static grzAnimatedShape shapeOf(const grzAnimatedBody* animated) {
    grzAnimatedBody_ReachEnd(animated, NULL);
    grzAnimatedBody_ReachStart(animated, NULL);
    return grzAnimatedBody_GetShape(animated);
}

static void assertAt(const grzAnimatedBody* animated, const float* expected, double room) {
    const grzAnimatedShape shape = shapeOf(animated);
    for (size_t i = 0; i < 3 * (size_t)shape.mesh.vertexCount; ++i)
        if (!(fabs((double)shape.positions[i] - (double)expected[i]) <= room))
            fail_msg("number %zu is %.9g, not %.9g", i, (double)shape.positions[i], (double)expected[i]);
}

static bool meets(grzBox a, grzBox b) {
    return grzBox_Overlap(a, b);
}

// What was told before the step holds both ends, and no triangle that meets a box is missed.
static void checkStep(const grzAnimatedBody* animated, grzBox told) {
    const grzAnimatedShape shape = shapeOf(animated);
    static uint32_t found[4 * MOST_VERTICES];
    for (size_t i = 0; i < shape.mesh.vertexCount; ++i) {
        assert_true(grzBox_ContainsPoint(told, grzVec3_Load(shape.positions + 3 * i)));
        assert_true(grzBox_ContainsPoint(told, grzVec3_Load(shape.previous + 3 * i)));
    }
    const grzVec3 middle = drawVector(1), half = grzAbs(drawVector(0.5f));
    const grzBox box = grzBox_Make(grzSub(middle, half), grzAdd(middle, half));
    size_t count, k = 0;
    assert_true(grzResult_IsOk(grzUpkeep_FindInBox(animated->upkeep, box, found, 4 * MOST_VERTICES, &count)));
    for (uint32_t i = 0; i < shape.mesh.triangleCount; ++i) {
        grzBox around = grzBox_Empty();
        for (size_t c = 0; c < 3; ++c)
            around = grzBox_AddPoint(
                around, grzVec3_Load(shape.positions + 3 * (size_t)shape.mesh.triangles[3 * (size_t)i + c]));
        while (k < count && found[k] < i)
            ++k;
        assert_true(!meets(around, box) || (k < count && found[k] == i));
    }
}

static void advance(grzAnimatedBody* animated, grzTasks* tasks, double time) {
    static float before[3 * MOST_VERTICES];
    const grzBox told = grzAnimatedBody_Box(animated, time);
    const grzAnimatedShape shape = shapeOf(animated);
    const size_t size = 3 * (size_t)shape.mesh.vertexCount * sizeof(float);
    memcpy(before, shape.positions, size);
    assert_true(grzResult_IsOk(grzAnimatedBody_Advance(animated, tasks, time)));
    assert_true(grzAnimatedBody_Validate(animated));
    assert_memory_equal(shapeOf(animated).previous, before, size);
    checkStep(animated, told);
}

// ---- keyframes ----

static void blend(const float* a, const float* b, double part, size_t count, float* out) {
    for (size_t i = 0; i < count; ++i)
        out[i] = (float)((double)a[i] + part * ((double)b[i] - (double)a[i]));
}

// From where it stands to the first keyframe, on to the second, then it stands; a later keyframe is run to from there.
static void test_keyframes(void** state) {
    (void)state;
    static float first[3 * MOST_VERTICES], second[3 * MOST_VERTICES], third[3 * MOST_VERTICES],
        expected[3 * MOST_VERTICES];
    grzMesh* mesh = makeAnimatedMesh(shapeSphere, 700);
    const grzMeshView view = grzMesh_GetView(mesh);
    const size_t count = 3 * (size_t)view.vertexCount;
    wave(&view, 1, first), wave(&view, 2, second), wave(&view, 3, third);
    static const uint32_t ways[] = {0, GRZ_UPKEEP_BIT(grz_upkeepRefit), GRZ_UPKEEP_BIT(grz_upkeepChord),
                                    GRZ_UPKEEP_BIT(grz_upkeepBatched), GRZ_UPKEEP_BIT(grz_upkeepBoxTree)};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        grzAnimatedBody* animated = makeAnimated(mesh, grz_animateKeyframes, ways[w], 10);
        assertAt(animated, view.positions32, 0);
        advance(animated, NULL, 10.5);
        assertAt(animated, view.positions32, 0);
        assert_true(grzResult_IsOk(grzAnimatedBody_AddKeyframe(animated, 10.5, 11.5, first)));
        assert_true(grzResult_IsOk(grzAnimatedBody_AddKeyframe(animated, 10.5, 12, second)));
        for (int i = 0; i <= 5; ++i) {
            advance(animated, NULL, 10.5 + 0.25 * i);
            blend(i < 4 ? view.positions32 : first, i < 4 ? first : second, i < 4 ? 0.25 * i : 0.5 * (i - 4), count,
                  expected);
            assertAt(animated, expected, 1e-6);
        }
        for (int i = 0; i < 3; ++i) { // over the end
            advance(animated, NULL, 12.5 + i);
            assertAt(animated, second, 0);
        }
        assert_ptr_equal(shapeOf(animated).previous, shapeOf(animated).positions);
        assert_true(grzResult_IsOk(grzAnimatedBody_AddKeyframe(animated, 14.5, 15.5, third)));
        advance(animated, NULL, 15);
        blend(second, third, 0.5, count, expected);
        assertAt(animated, expected, 1e-6);
        advance(animated, NULL, 100);
        assertAt(animated, third, 0);
        grzAnimatedBody_Destroy(animated);
    }
    grzMesh_Destroy(mesh);
}

// ---- velocities ----

static void test_velocities(void** state) {
    (void)state;
    static float expected[3 * MOST_VERTICES];
    grzMesh* mesh = makeAnimatedMesh(shapeGrid, 400);
    const grzMeshView view = grzMesh_GetView(mesh);
    static const uint32_t ways[] = {0, GRZ_UPKEEP_BIT(grz_upkeepRefit), GRZ_UPKEEP_BIT(grz_upkeepBatched),
                                    GRZ_UPKEEP_BIT(grz_upkeepOrdered), GRZ_UPKEEP_BIT(grz_upkeepBoxTree)};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        grzAnimatedBody* animated = makeAnimated(mesh, grz_animateVelocities, ways[w], 1);
        float velocities[3 * 10];
        memcpy(expected, view.positions32, 3 * (size_t)view.vertexCount * sizeof(float));
        advance(animated, NULL, 1.25);
        assertAt(animated, expected, 0);
        for (int step = 0; step < 12; ++step) {
            const double now = 1.25 + 0.0625 * step;
            uint32_t vertices[10];
            for (int i = 0; i < 10; ++i)
                vertices[i] = grzRng_Below(&g_rng, view.vertexCount);
            for (int i = 0; i < 30; ++i)
                velocities[i] = draw(-1, 1);
            vertices[9] = vertices[0]; // the last one counts
            if (step % 3 == 0)
                for (int i = 0; i < 2; ++i)
                    assert_true(grzResult_IsOk(
                        grzAnimatedBody_SetVelocities(animated, vertices + 5 * i, velocities + 15 * i, 5)));
            static float speeds[3 * MOST_VERTICES];
            if (step == 0)
                memset(speeds, 0, sizeof speeds);
            for (int i = 0; i < 10 && step % 3 == 0; ++i)
                memcpy(speeds + 3 * vertices[i], velocities + 3 * i, 3 * sizeof(float));
            advance(animated, NULL, now + 0.0625);
            for (size_t i = 0; i < 3 * (size_t)view.vertexCount; ++i)
                expected[i] += speeds[i] * 0.0625f;
            assertAt(animated, expected, 1e-5);
        }
        uint32_t all[MOST_VERTICES];
        static const float zeros[3 * MOST_VERTICES];
        for (uint32_t i = 0; i < view.vertexCount; ++i)
            all[i] = i;
        assert_true(grzResult_IsOk(grzAnimatedBody_SetVelocities(animated, all, zeros, view.vertexCount)));
        advance(animated, NULL, 3);
        assertAt(animated, expected, 1e-5);
        advance(animated, NULL, 4);
        assert_ptr_equal(shapeOf(animated).previous, shapeOf(animated).positions);
        const uint32_t one = 7;
        const float fast[3] = {1, 2, 4}, too[3] = {1e15f, 0, 0};
        assert_true(grzResult_IsOk(grzAnimatedBody_SetVelocities(animated, &one, fast, 1)));
        advance(animated, NULL, 4.5);
        expected[21] += 0.5f, expected[22] += 1, expected[23] += 2;
        assertAt(animated, expected, 1e-5);
        assert_true(grzResult_IsOk(grzAnimatedBody_SetVelocities(animated, &one, too, 1)));
        const uint64_t hash = grzAnimatedBody_Hash(animated);
        const grzResult result = grzAnimatedBody_Advance(animated, NULL, 7);
        assert_true(result.status == grz_notFinite && result.part == grz_partVertex && result.index == 7);
        assert_true(grzAnimatedBody_Hash(animated) == hash);
        assert_true(grzResult_IsOk(grzAnimatedBody_SetVelocities(animated, &one, zeros, 1)));
        advance(animated, NULL, 5);
        assertAt(animated, expected, 1e-5);
        grzAnimatedBody_Destroy(animated);
    }
    grzMesh_Destroy(mesh);
}

// ---- vertices ----

static void test_vertices(void** state) {
    (void)state;
    static float target[3 * MOST_VERTICES];
    grzMesh* mesh = makeAnimatedMesh(shapeTorus, 600);
    const grzMeshView view = grzMesh_GetView(mesh);
    grzAnimatedBody* animated = makeAnimated(mesh, grz_animateVertices, 0, -3);
    for (int step = 0; step < 20; ++step) {
        const bool isNew = step % 4 != 3;
        if (isNew) {
            wave(&view, -step, target);
            assert_true(grzResult_IsOk(grzAnimatedBody_SetVertices(animated, target)));
            wave(&view, step, target);
            assert_true(grzResult_IsOk(grzAnimatedBody_SetVertices(animated, target)));
        }
        advance(animated, NULL, -3 + 0.02 * (step + 1));
        assertAt(animated, target, 0);
        const grzAnimatedShape shape = shapeOf(animated);
        assert_int_equal(isNew, shape.previous != shape.positions);
    }
    wave(&view, 50, target); // in a step that takes no time
    assert_true(grzResult_IsOk(grzAnimatedBody_SetVertices(animated, target)));
    advance(animated, NULL, -2.6);
    assertAt(animated, target, 0);
    grzAnimatedBody_Destroy(animated);
    grzMesh_Destroy(mesh);
}

// ---- the model ----

static void test_model(void** state) {
    (void)state;
    static float target[3 * MOST_VERTICES];
    grzMesh* mesh = makeAnimatedMesh(shapeSphere, 500);
    const grzMeshView view = grzMesh_GetView(mesh);
    grzAnimatedBody* animated = makeAnimated(mesh, grz_animateVertices, 0, 0);
    for (int step = 0; step < 4; ++step) {
        wave(&view, step, target);
        assert_true(grzResult_IsOk(grzAnimatedBody_SetVertices(animated, target)));
        advance(animated, NULL, step + 1);
        const grzModel* model = grzAnimatedBody_GetModel(animated);
        if (step == 2)
            continue;
        for (int i = 0; i < 2; ++i)
            assert_true(grzModel_Validate(model, target, 0));
    }
    assert_true(grzAnimatedBody_MemorySize(animated) > 3 * 100 * (size_t)view.vertexCount);
    grzAnimatedBody_Destroy(animated);
    grzMesh_Destroy(mesh);
}

// ---- refusals ----

static void test_bad_defs(void** state) {
    (void)state;
    grzMesh* mesh = makeAnimatedMesh(shapeBox, 12);
    const grzAllocator allocator = grzDefaultAllocator();
    grzAnimatedBody* animated = (grzAnimatedBody*)&animated;
    assert_int_equal(grzAnimatedBody_Create(NULL, 0, NULL, &allocator, &animated).status, grz_badDef);
    assert_null(animated);
    for (int i = 0; i < 9; ++i) {
        grzAnimatedDef def = grzDefaultAnimatedDef();
        def.mesh = i == 1 ? NULL : mesh;
        if (i == 0)
            def.mark = 1;
        if (i == 2)
            def.motion = (grzAnimatedMotion)3;
        if (i == 3)
            def.friction = -1;
        if (i == 4)
            def.restitution = 1.5f;
        if (i == 5)
            def.friction = (float)NAN;
        if (i == 6)
            def.ways = 1u << 9;
        if (i == 7)
            def.motion = grz_animateVelocities, def.ways = GRZ_UPKEEP_BIT(grz_upkeepChord);
        if (i == 8)
            def.restitution = (float)NAN;
        const grzStatus expected = i == 0 ? grz_badDef : i == 5 || i == 8 ? grz_notFinite : grz_badArgument;
        const grzResult result = grzAnimatedBody_Create(&def, 0, NULL, &allocator, &animated);
        assert_int_equal(result.status, expected);
        assert_true(result.value == (i == 0 ? 0 : 2) && animated == NULL);
    }
    grzMesh_Destroy(mesh);
}

static void test_bad_calls(void** state) {
    (void)state;
    static float good[3 * MOST_VERTICES], bad[3 * MOST_VERTICES];
    grzMesh* mesh = makeAnimatedMesh(shapeBox, 12);
    const grzMeshView view = grzMesh_GetView(mesh);
    wave(&view, 1, good), wave(&view, 1, bad);
    bad[3 * 5 + 1] = 1.01e15f;
    grzAnimatedBody *frames = makeAnimated(mesh, grz_animateKeyframes, 0, 2),
                    *paths = makeAnimated(mesh, grz_animateVelocities, 0, 2),
                    *vertices = makeAnimated(mesh, grz_animateVertices, 0, 2);
    const uint32_t one = 3, far = view.vertexCount;
    assert_int_equal(grzAnimatedBody_AddKeyframe(paths, 2, 3, good).value, 2);
    assert_int_equal(grzAnimatedBody_SetVelocities(frames, &one, good, 1).value, 2);
    assert_int_equal(grzAnimatedBody_SetVertices(frames, good).value, 2);
    static const double times[] = {2, 1, (double)NAN, (double)INFINITY, 0x1p32};
    for (int i = 0; i < 5; ++i) {
        const grzResult result = grzAnimatedBody_AddKeyframe(frames, 2, times[i], good);
        assert_true(result.status == grz_badArgument && result.value == 3);
    }
    assert_true(grzResult_IsOk(grzAnimatedBody_AddKeyframe(frames, 2, 4, good)));
    assert_int_equal(grzAnimatedBody_AddKeyframe(frames, 2, 4, good).value, 3);
    grzResult result = grzAnimatedBody_AddKeyframe(frames, 2, 5, bad);
    assert_true(result.status == grz_notFinite && result.part == grz_partVertex && result.index == 5);
    assert_int_equal(grzAnimatedBody_AddKeyframe(frames, 2, 5, NULL).status, grz_badArgument);
    result = grzAnimatedBody_SetVertices(vertices, bad);
    assert_true(result.status == grz_notFinite && result.index == 5);
    assert_int_equal(grzAnimatedBody_SetVertices(vertices, NULL).status, grz_badArgument);
    result = grzAnimatedBody_SetVelocities(paths, &far, good, 1);
    assert_true(result.status == grz_indexTooLarge && result.value == far);
    assert_int_equal(grzAnimatedBody_SetVelocities(paths, &one, bad + 15, 1).status, grz_notFinite);
    assert_int_equal(grzAnimatedBody_SetVelocities(paths, NULL, good, 1).status, grz_badArgument);
    assert_true(grzResult_IsOk(grzAnimatedBody_SetVelocities(paths, NULL, NULL, 0)));
    advance(paths, NULL, 3), advance(vertices, NULL, 3);
    assertAt(paths, view.positions32, 0), assertAt(vertices, view.positions32, 0);
    grzAnimatedBody_Destroy(frames), grzAnimatedBody_Destroy(paths), grzAnimatedBody_Destroy(vertices);
    grzAnimatedBody_Destroy(NULL);
    grzMesh_Destroy(mesh);
}

// ---- workers, memory ----

// Some steps in one of the motions; false where memory is refused, after which the body must be as sound as before.
static bool play(grzAnimatedBody* animated, const grzMeshView* view, grzTasks* tasks, grzAnimatedMotion motion,
                 int stepCount, uint64_t* hash) {
    static float numbers[3 * MOST_VERTICES];
    static uint32_t all[MOST_VERTICES];
    bool isDone = true;
    for (int step = 0; step < stepCount; ++step) {
        const double now = 0.125 * step;
        grzResult result = {0};
        wave(view, step, numbers);
        for (uint32_t i = 0; i < view->vertexCount; ++i)
            all[i] = i;
        if (motion == grz_animateVertices)
            result = grzAnimatedBody_SetVertices(animated, numbers);
        else if (motion == grz_animateVelocities)
            result = grzAnimatedBody_SetVelocities(animated, all, numbers, view->vertexCount);
        else if (step % 4 == 0)
            result = grzAnimatedBody_AddKeyframe(animated, now, now + 0.5, numbers);
        if (grzResult_IsOk(result))
            result = grzAnimatedBody_Advance(animated, tasks, now + 0.125);
        assert_true(grzResult_IsOk(result) || result.status == grz_outOfMemory);
        isDone &= grzResult_IsOk(result);
        const uint64_t state = grzAnimatedBody_Hash(animated);
        *hash = grzHashBytes(&state, sizeof state, *hash);
    }
    return isDone;
}

typedef struct WorkersCase {
    const grzMesh* mesh;
    uint64_t hash;
} WorkersCase;

static void playAll(grzTasks* tasks, void* context) {
    WorkersCase* work = context;
    const grzMeshView view = grzMesh_GetView(work->mesh);
    uint64_t hash = 0;
    for (int motion = 0; motion < 3; ++motion) {
        grzAnimatedBody* animated = makeAnimated(work->mesh, (grzAnimatedMotion)motion, 0, 0);
        assert_true(play(animated, &view, tasks, (grzAnimatedMotion)motion, 9, &hash));
        grzAnimatedBody_Destroy(animated);
    }
    assert_true(work->hash == 0 || work->hash == hash);
    work->hash = hash;
}

static void test_workers(void** state) {
    (void)state;
    WorkersCase work = {makeAnimatedMesh(shapeSphere, 1500), 0};
    forEachLevelAndWorkerCount(playAll, &work);
    grzMesh_Destroy((grzMesh*)(uintptr_t)work.mesh);
}

static void test_memory(void** state) {
    (void)state;
    grzMesh* mesh = makeAnimatedMesh(shapeSphere, 300);
    const grzMeshView view = grzMesh_GetView(mesh);
    for (int motion = 0; motion < 3; ++motion) {
        uint64_t hash = 0;
        bool isDone = false;
        for (size_t failAt = 0; !isDone; ++failAt) {
            TestMemory memory = {0, failAt, 0, 0};
            const grzAllocator allocator = testAllocator(&memory);
            grzAnimatedDef def = grzDefaultAnimatedDef();
            grzAnimatedBody* animated;
            def.mesh = mesh, def.motion = (grzAnimatedMotion)motion;
            const grzResult result = grzAnimatedBody_Create(&def, 0, NULL, &allocator, &animated);
            assert_int_equal(grzResult_IsOk(result), animated != NULL);
            if (animated != NULL) {
                isDone = play(animated, &view, NULL, def.motion, 12, &hash);
                assert_true(grzAnimatedBody_MemorySize(animated) == memory.liveBytes);
            }
            grzAnimatedBody_Destroy(animated);
            assert_int_equal(memory.liveCount, 0);
        }
    }
    grzMesh_Destroy(mesh);
}

// Sixty steps ask for no more than twelve.
static void test_nothing_is_allocated_after_warm_up(void** state) {
    (void)state;
    grzMesh* mesh = makeAnimatedMesh(shapeSphere, 300);
    const grzMeshView view = grzMesh_GetView(mesh);
    for (int motion = 0; motion < 3; ++motion) {
        TestMemory memory = {0, SIZE_MAX, 0, 0};
        const grzAllocator allocator = testAllocator(&memory);
        uint64_t hash = 0;
        size_t requests[2];
        for (int i = 0; i < 2; ++i) {
            grzAnimatedDef def = grzDefaultAnimatedDef();
            grzAnimatedBody* animated;
            def.mesh = mesh, def.motion = (grzAnimatedMotion)motion;
            memory.requests = 0;
            assert_true(grzResult_IsOk(grzAnimatedBody_Create(&def, -2, NULL, &allocator, &animated)));
            assert_true(play(animated, &view, NULL, def.motion, i == 0 ? 12 : 60, &hash));
            requests[i] = memory.requests;
            grzAnimatedBody_Destroy(animated);
        }
        assert_int_equal(requests[0], requests[1]);
    }
    grzMesh_Destroy(mesh);
}

// A vertex of a keyframe that is moved behind the back of a tree is outside of its boxes; one that is no number, outside of all.
static void test_what_is_broken_is_seen(void** state) {
    (void)state;
    static float goal[3 * MOST_VERTICES];
    grzMesh* mesh = makeAnimatedMesh(shapeSphere, 700);
    const grzMeshView view = grzMesh_GetView(mesh);
    wave(&view, 1, goal);
    static const uint32_t ways[] = {GRZ_UPKEEP_BIT(grz_upkeepChord), GRZ_UPKEEP_BIT(grz_upkeepBatched),
                                    GRZ_UPKEEP_BIT(grz_upkeepOrdered), GRZ_UPKEEP_BIT(grz_upkeepBoxTree)};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        grzAnimatedBody* animated = makeAnimated(mesh, grz_animateKeyframes, ways[w], 0);
        assert_true(grzResult_IsOk(grzAnimatedBody_AddKeyframe(animated, 0, 1, goal)));
        advance(animated, NULL, 0.5);
        float* broken = &animated->frames.data[1].positions[3 * 17];
        const float kept = *broken;
        *broken += 100;
        assert_false(grzAnimatedBody_Validate(animated));
        *broken = (float)NAN;
        assert_false(grzAnimatedBody_Validate(animated));
        *broken = kept;
        assert_true(grzAnimatedBody_Validate(animated));
        grzAnimatedBody_Destroy(animated);
    }
    grzMesh_Destroy(mesh);
}

int main(void) {
    g_rng = grzRng_Make(testSeed(402), 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keyframes),
        cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_vertices),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_bad_defs),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_what_is_broken_is_seen),
        cmocka_unit_test(test_nothing_is_allocated_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
