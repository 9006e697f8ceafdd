// Chord trees: at keyframes the boxes are those of a refit to the byte; between them each vertex lies in its leaf, where the plan
// has it and where float interpolation has it, and each box in its parent's; in any order of times, with keyframes that come and go;
// the work for the next keyframe is spread; the same bytes for any workers and at every level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "graze/chord_tree.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

enum { FRAMES = 5 };

typedef struct Scene {
    uint32_t vertexCount, triangleCount;
    float* frames[FRAMES];
    float* positions;
    uint32_t* triangles;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzBvhNode *found, *expected;
    uint32_t nodeCount;
} Scene;

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void drawFrames(Scene* scene, grzRng* rng, float offset, float size) {
    for (int f = 0; f < FRAMES; ++f)
        for (size_t i = 0; i < 3 * (size_t)scene->vertexCount; ++i)
            scene->frames[f][i] = offset + size * (2 * grzRng_Float(rng) - 1) + (0.01F * (float)(i / 3)) * size;
}

static Scene makeScene(grzRng* rng, uint32_t triangleCount, float offset, float size) {
    Scene scene = {.vertexCount = triangleCount / 2 + 3, .triangleCount = triangleCount};
    for (int f = 0; f < FRAMES; ++f)
        scene.frames[f] = take(3 * (size_t)scene.vertexCount, sizeof(float));
    scene.positions = take(3 * (size_t)scene.vertexCount, sizeof(float));
    scene.triangles = take(3 * (size_t)triangleCount, sizeof(uint32_t));
    for (size_t i = 0; i < 3 * (size_t)triangleCount; ++i)
        scene.triangles[i] = (uint32_t)(i / 6 + grzRng_Below(rng, 3)) % scene.vertexCount;
    drawFrames(&scene, rng, offset, size);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = scene.frames[0], def.vertexCount = scene.vertexCount;
    def.triangles = scene.triangles, def.triangleCount = triangleCount;
    ok(grzBvh_Create(&def, &scene.bvh));
    scene.nodeCount = grzBvh_GetView(scene.bvh).nodeCount;
    scene.found = take(scene.nodeCount, sizeof(grzBvhNode));
    scene.expected = take(scene.nodeCount, sizeof(grzBvhNode));
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = scene.vertexCount;
    ok(grzFlightplan_Create(&planDef, &scene.plan));
    return scene;
}

static void dropScene(Scene* scene) {
    for (int f = 0; f < FRAMES; ++f)
        free(scene->frames[f]);
    free(scene->positions), free(scene->triangles), free(scene->found), free(scene->expected);
    grzFlightplan_Destroy(scene->plan);
    grzBvh_Destroy(scene->bvh);
}

static grzChordTree* makeTree(const Scene* scene, grzTasks* tasks) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.tasks = tasks;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    return tree;
}

// ---- the reference ----

static void expectInside(const grzBvhNode* node, uint32_t lane, const float point[3]) {
    for (int axis = 0; axis < 3; ++axis)
        assert_true(node->lower[axis][lane] <= point[axis] && point[axis] <= node->upper[axis][lane]);
}

static void expectVerticesInside(const Scene* scene, const float* positions) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    const grzBvhNode* bottom = scene->found + grzBvhView_BottomStart(&view);
    for (size_t i = 0; i < 3 * (size_t)view.triangleCount; ++i) {
        const size_t leaf = i / 12;
        expectInside(&bottom[leaf / 8], leaf % 8, positions + 3 * (size_t)view.vertexToCaller[view.triangles[i]]);
    }
}

static void expectNested(const Scene* scene) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    for (uint32_t d = 1; d < view.levelCount; ++d)
        for (uint32_t i = 0; i < view.levelStarts[d + 1] - view.levelStarts[d]; ++i) {
            const grzBvhNode* node = scene->found + view.levelStarts[d] + i;
            const grzBvhNode* parent = scene->found + view.levelStarts[d - 1] + i / 8;
            for (uint32_t k = 0; k < grzBvhView_ChildCount(&view, d, i); ++k)
                for (int axis = 0; axis < 3; ++axis)
                    assert_true(parent->lower[axis][i % 8] <= node->lower[axis][k] &&
                                node->upper[axis][k] <= parent->upper[axis][i % 8]);
        }
}

static void expectRefit(const Scene* scene, const float* positions) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(scene->bvh, NULL, &refit, scene->expected));
    assert_memory_equal(scene->found, scene->expected, scene->nodeCount * sizeof *scene->found);
}

static void checkTime(const Scene* scene, const grzChordTree* tree, double time) {
    ok(grzChordTree_WriteBoxes(tree, NULL, scene->found));
    ok(grzFlightplan_Evaluate(scene->plan, NULL, time, scene->positions, 0));
    expectVerticesInside(scene, scene->positions);
    expectNested(scene);
    const int frame = (int)floor(time);
    if (floor(time) == time) {
        expectRefit(scene, scene->positions);
    } else {
        const float part = (float)(floor((time - frame) * 0x1p24) * 0x1p-24);
        for (size_t i = 0; i < 3 * (size_t)scene->vertexCount; ++i)
            scene->positions[i] = (1 - part) * scene->frames[frame][i] + part * scene->frames[frame + 1][i];
        expectVerticesInside(scene, scene->positions);
    }
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    grzBvhNode node;
    grzChordTree_ReadNode(tree, view.levelCount - 1, 0, &node);
    assert_memory_equal(&node, scene->found + grzBvhView_BottomStart(&view), sizeof node);
    const grzBox root = grzChordTree_RootBox(tree), whole = grzBvh_RootBox(scene->found);
    assert_memory_equal(&root, &whole, sizeof root);
}

// ---- tests ----

static void addFrames(const Scene* scene) {
    for (int f = 0; f < FRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(scene->plan, f, scene->frames[f], 0));
}

static void verticesStayInside(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 4, 5, 33, 300, 3000};
    static const float offsets[] = {0, 1e6F, 0, 0, 0}, sizes[] = {1, 1, 1e37F, 1e-38F, 1e-44F};
    grzRng rng = grzRng_Make(testSeed(901), 0);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
            Scene scene = makeScene(&rng, counts[c], offsets[k], sizes[k]);
            addFrames(&scene);
            grzChordTree* tree = makeTree(&scene, NULL);
            checkTime(&scene, tree, 0);
            for (int round = 0; round < 12; ++round) { // to and fro
                double time = (double)grzRng_Float(&rng) * (FRAMES - 1);
                time = round % 4 == 0 ? floor(time) : round % 4 == 1 ? floor(time) + 1 - 0x1p-24 : time;
                ok(grzChordTree_Advance(tree, NULL, time));
                checkTime(&scene, tree, time);
            }
            ok(grzChordTree_Advance(tree, NULL, FRAMES - 1));
            checkTime(&scene, tree, FRAMES - 1);
            grzChordTree_Destroy(tree);
            dropScene(&scene);
        }
}

// Forward in small steps every keyframe is refit once, nearly all of it ahead of its time, and never more in a step than its share.
static void theWorkIsSpread(void** state) {
    (void)state;
    enum { STEPS = 20 };
    grzRng rng = grzRng_Make(testSeed(902), 0);
    Scene scene = makeScene(&rng, 25600, 0, 1);
    addFrames(&scene);
    grzChordTree* tree = makeTree(&scene, NULL);
    const uint64_t chunks = grzBvh_GetView(scene.bvh).chunkCount;
    uint64_t before = 0;
    for (int k = 1; k <= (FRAMES - 1) * STEPS; ++k) {
        ok(grzChordTree_Advance(tree, NULL, (double)k / STEPS));
        const uint64_t now = grzChordTree_GetStats(tree).chunks;
        assert_true(now - before <= chunks / STEPS + 2);
        before = now;
        if (k % 7 == 0)
            checkTime(&scene, tree, (double)k / STEPS);
    }
    assert_int_equal(grzChordTree_GetStats(tree).chunks, (FRAMES - 2) * chunks); // two were there from the start
    assert_true(grzChordTree_GetStats(tree).early >= (FRAMES - 2) * (chunks - chunks / STEPS - 1));
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

static void keyframesMayComeAndGo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(903), 0);
    Scene scene = makeScene(&rng, 2000, 0, 1);
    ok(grzFlightplan_AddKeyframe(scene.plan, 0, scene.frames[0], 0));
    grzChordTree* tree = makeTree(&scene, NULL);
    for (int f = 1; f < FRAMES; ++f) {
        assert_int_equal(grzChordTree_Advance(tree, NULL, f - 0.5).status, grz_badArgument);
        checkTime(&scene, tree, f - 1);
        ok(grzFlightplan_AddKeyframe(scene.plan, f, scene.frames[f], 0));
        for (int k = 1; k <= 4; ++k) {
            ok(grzChordTree_Advance(tree, NULL, f - 1 + 0.25 * k));
            grzFlightplan_DropKeyframes(scene.plan, f - 1 + 0.25 * k);
            checkTime(&scene, tree, f - 1 + 0.25 * k);
        }
    }
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

static void everythingIsTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(904), 0);
    Scene scene = makeScene(&rng, 12000, 0, 1);
    addFrames(&scene);
    bool isFirst = true;
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            grzChordTree* tree = makeTree(&scene, tasks);
            ok(grzChordTree_Advance(tree, tasks, 0.7));
            ok(grzChordTree_Advance(tree, tasks, 1.3));
            ok(grzChordTree_WriteBoxes(tree, tasks, isFirst ? scene.expected : scene.found));
            if (!isFirst)
                assert_memory_equal(scene.found, scene.expected, scene.nodeCount * sizeof *scene.found);
            isFirst = false;
            grzChordTree_Destroy(tree);
            grzTasks_Destroy(tasks);
        }
        grzSimd_Force(before);
    }
    dropScene(&scene);
}

static void badCallsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 20, 0, 1);
    grzChordTreeDef def = grzDefaultChordTreeDef();
    grzChordTree* tree;
    assert_int_equal(grzChordTree_Create(NULL, &tree).status, grz_badDef);
    assert_int_equal(grzChordTree_Create(&def, &tree).status, grz_badArgument);
    def.bvh = scene.bvh, def.plan = scene.plan;
    assert_int_equal(grzChordTree_Create(&def, &tree).status, grz_badArgument); // no keyframes
    addFrames(&scene);
    def.startTime = 7;
    assert_int_equal(grzChordTree_Create(&def, &tree).status, grz_badArgument);
    def.startTime = 3.5;
    for (size_t failAt = 0; failAt < 5; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        def.allocator = testAllocator(&memory);
        assert_int_equal(grzChordTree_Create(&def, &tree).status, grz_outOfMemory);
        assert_null(tree);
        assert_int_equal(memory.liveCount, 0);
    }
    TestMemory memory = {.failAt = 5};
    def.allocator = testAllocator(&memory);
    ok(grzChordTree_Create(&def, &tree));
    checkTime(&scene, tree, 3.5);
    assert_int_equal(grzChordTree_Advance(tree, NULL, (double)NAN).status, grz_badArgument);
    assert_int_equal(grzChordTree_WriteBoxes(tree, NULL, NULL).status, grz_badArgument);
    checkTime(&scene, tree, 3.5);
    grzChordTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
    grzChordTree_Destroy(NULL);
    dropScene(&scene);
}

static void noTrianglesAreNoTrouble(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 0, 0, 1);
    addFrames(&scene);
    grzChordTree* tree = makeTree(&scene, NULL);
    for (int k = 0; k < 9; ++k) {
        ok(grzChordTree_Advance(tree, NULL, 0.5 * k));
        ok(grzChordTree_WriteBoxes(tree, NULL, scene.found));
        assert_true(scene.found[0].lower[0][0] == FLT_MAX && scene.found[0].upper[0][0] == -FLT_MAX);
    }
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verticesStayInside),    cmocka_unit_test(theWorkIsSpread),
        cmocka_unit_test(keyframesMayComeAndGo), cmocka_unit_test(everythingIsTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(badCallsAreRefused),    cmocka_unit_test(noTrianglesAreNoTrouble),
    };
    return cmocka_run_group_tests_name("chord_tree", tests, NULL, NULL);
}
