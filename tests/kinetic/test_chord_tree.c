// Chord trees: at keyframes the boxes are those of a refit to the byte; between them each vertex lies in its leaf, where the plan
// has it and where float interpolation has it, and each box in its parent's; in any order of times, with keyframes that come and
// go; the work for the next keyframe is spread; looseness is held, beside a refit of where the plan has the vertices, by cutting
// and by reading; the same bytes for any workers and at every level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "chord_inside.h"
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

// The corners of a triangle are among `spread` vertices: with few of them leaves share nearly all, with many they have up to twelve.
static Scene makeWideScene(grzRng* rng, uint32_t triangleCount, float offset, float size, uint32_t spread) {
    Scene scene = {.vertexCount = triangleCount / 2 + 3, .triangleCount = triangleCount};
    for (int f = 0; f < FRAMES; ++f)
        scene.frames[f] = take(3 * (size_t)scene.vertexCount, sizeof(float));
    scene.positions = take(3 * (size_t)scene.vertexCount, sizeof(float));
    scene.triangles = take(3 * (size_t)triangleCount, sizeof(uint32_t));
    for (size_t i = 0; i < 3 * (size_t)triangleCount; ++i)
        scene.triangles[i] = (uint32_t)(i / 6 + grzRng_Below(rng, spread)) % scene.vertexCount;
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

static Scene makeScene(grzRng* rng, uint32_t triangleCount, float offset, float size) {
    return makeWideScene(rng, triangleCount, offset, size, 3);
}

static void dropScene(Scene* scene) {
    for (int f = 0; f < FRAMES; ++f)
        free(scene->frames[f]);
    free(scene->positions), free(scene->triangles), free(scene->found), free(scene->expected);
    grzFlightplan_Destroy(scene->plan);
    grzBvh_Destroy(scene->bvh);
}

#define FREE ((float)INFINITY)

static grzChordTree* makeTree(const Scene* scene, grzTasks* tasks, float looseness) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.tasks = tasks, def.looseness = looseness;
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

// The greatest coordinate of the frames beside a time: rounding is stated by it.
static double sizeAt(const Scene* scene, double time) {
    const int frame = (int)floor(time), next = frame + 1 < FRAMES ? frame + 1 : frame;
    double size = 0;
    for (size_t i = 0; i < 3 * (size_t)scene->vertexCount; ++i)
        size = fmax(size, fmax(fabs((double)scene->frames[frame][i]), fabs((double)scene->frames[next][i])));
    return size;
}

// The sides of leaves beside those of a refit.
static void expectHeld(const Scene* scene, double time, float looseness) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    const double most = (double)looseness + 0x1p-18 * sizeAt(scene, time) + 0x1p-118;
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = scene->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(scene->bvh, NULL, &refit, scene->expected));
    for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
        const grzBvhNode* a = scene->found + grzBvhView_BottomStart(&view) + leaf / 8;
        const grzBvhNode* b = scene->expected + grzBvhView_BottomStart(&view) + leaf / 8;
        for (int axis = 0; axis < 3; ++axis) {
            assert_true((double)b->lower[axis][leaf % 8] - (double)a->lower[axis][leaf % 8] <= most);
            assert_true((double)a->upper[axis][leaf % 8] - (double)b->upper[axis][leaf % 8] <= most);
        }
    }
}

static void checkLoose(const Scene* scene, const grzChordTree* tree, double time, float looseness) {
    ok(grzChordTree_WriteBoxes(tree, NULL, scene->found));
    ok(grzFlightplan_Evaluate(scene->plan, NULL, time, scene->positions, 0));
    expectVerticesInside(scene, scene->positions);
    expectNested(scene);
    assert_true(grzChordTree_Validate(tree));
    if (looseness != FREE)
        expectHeld(scene, time, looseness);
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

static void checkTime(const Scene* scene, const grzChordTree* tree, double time) {
    checkLoose(scene, tree, time, FREE);
}

// ---- tests ----

static void addFrames(const Scene* scene) {
    for (int f = 0; f < FRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(scene->plan, f, scene->frames[f], 0));
}

static void goToAndFro(const Scene* scene, grzRng* rng, float looseness) {
    grzChordTree* tree = makeTree(scene, NULL, looseness);
    checkLoose(scene, tree, 0, looseness);
    for (int round = 0; round < 12; ++round) {
        double time = (double)grzRng_Float(rng) * (FRAMES - 1);
        time = round % 4 == 0 ? floor(time) : round % 4 == 1 ? floor(time) + 1 - 0x1p-24 : time;
        ok(grzChordTree_Advance(tree, NULL, time));
        assert_true(grzChordTree_Time(tree) == time);
        checkLoose(scene, tree, time, looseness);
    }
    enum { STEPS = 130 }; // so small that intervals are cut
    for (int k = 0; k <= STEPS * (FRAMES - 1); ++k) {
        const double time = (double)k / STEPS;
        ok(grzChordTree_Advance(tree, NULL, time));
        if (k % 29 == 0 || k == STEPS * (FRAMES - 1))
            checkLoose(scene, tree, time, looseness);
    }
    grzChordTree_Destroy(tree);
}

static void verticesStayInside(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 4, 5, 33, 255, 256, 257, 2049};
    static const float offsets[] = {0, 1e6F, 0, 0, 0, 0}, sizes[] = {1, 1, 1e37F, 1e-38F, 1e-44F, 1.4e38F};
    grzRng rng = grzRng_Make(testSeed(901), 0);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
            const float size = sizes[k] > 1e38F && counts[c] > 256 ? 1e36F : sizes[k];
            Scene scene = makeScene(&rng, counts[c], offsets[k], size);
            addFrames(&scene);
            goToAndFro(&scene, &rng, FREE);
            goToAndFro(&scene, &rng, fmaxf(0.1F * size, 1e-44F));
            dropScene(&scene);
        }
}

// Positions by hand: what moves is a function of vertex, axis and frame.
typedef float (*PlaceFn)(size_t vertex, size_t axis, int frame);

static void placeFrames(const Scene* scene, PlaceFn place) {
    for (int f = 0; f < FRAMES; ++f)
        for (size_t i = 0; i < 3 * (size_t)scene->vertexCount; ++i)
            scene->frames[f][i] = place(i / 3, i % 3, f);
}

// All pass each other in the middle of each interval.
static float swapping(size_t vertex, size_t axis, int frame) {
    const float x = (float)(vertex % 7 + axis);
    return frame % 2 == 0 ? x : 9 - x;
}

static float level(size_t vertex, size_t axis, int frame) {
    (void)vertex;
    return (float)axis - (float)frame;
}

static float resting(size_t vertex, size_t axis, int frame) {
    (void)frame;
    return (float)(vertex % 11) * (axis == 1 ? -0.0F : 0.5F);
}

// From end to end of the range of float, so that differences leave it.
static float leaping(size_t vertex, size_t axis, int frame) {
    return ((vertex + axis + (size_t)frame) % 2 == 0 ? 1.0F : -1.0F) * 3.4e38F;
}

static float signedZeros(size_t vertex, size_t axis, int frame) {
    return (vertex + axis + (size_t)frame) % 3 == 0 ? 0.0F : -0.0F;
}

// One vertex turns a corner ever faster: some leaves need two parts, some four or eight, some more.
static float turning(size_t vertex, size_t axis, int frame) {
    const float angle = 0.9F * (float)frame + 0.05F * (float)(vertex % 40), size = 1 + 0.002F * (float)vertex;
    return axis == 0   ? size * cosf(angle)
           : axis == 1 ? size * sinf(angle)
                       : (float)(vertex % 3) * 0.2F * (float)frame;
}

static void strangeMotionIsHeld(void** state) {
    (void)state;
    static const PlaceFn places[] = {swapping, level, resting, leaping, signedZeros, turning};
    static const float loosenesses[] = {1e-3F, 0.05F, 0.4F, 100};
    grzRng rng = grzRng_Make(testSeed(905), 0);
    for (size_t p = 0; p < sizeof places / sizeof places[0]; ++p)
        for (size_t k = 0; k < sizeof loosenesses / sizeof loosenesses[0]; ++k) {
            Scene scene = makeScene(&rng, 700, 0, 1);
            placeFrames(&scene, places[p]);
            addFrames(&scene);
            goToAndFro(&scene, &rng, loosenesses[k]);
            dropScene(&scene);
        }
}

// Where it must, and only there: what rests, or moves as one, is never cut.
static void whatIsTightIsNotCut(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(906), 0);
    Scene scene = makeScene(&rng, 700, 0, 1);
    placeFrames(&scene, level);
    addFrames(&scene);
    grzChordTree* tree = makeTree(&scene, NULL, 1e-3F);
    ok(grzChordTree_Advance(tree, NULL, 0.4));
    assert_int_equal(grzChordTree_GetStats(tree).leavesCut + grzChordTree_GetStats(tree).leavesRead, 0);
    grzChordTree_Destroy(tree);
    dropScene(&scene);
    scene = makeScene(&rng, 700, 0, 1);
    placeFrames(&scene, turning);
    addFrames(&scene);
    uint64_t cut = 0, most = 0;
    for (float looseness = 1; looseness > 1e-3F; looseness *= 0.7F) {
        tree = makeTree(&scene, NULL, looseness);
        ok(grzChordTree_Advance(tree, NULL, 0.4));
        const grzChordTreeStats stats = grzChordTree_GetStats(tree);
        const grzChordLooseness found = grzChordTree_Measure(tree);
        assert_true(stats.leavesCut + stats.leavesRead >= most); // less looseness, more work
        assert_true(found.mean >= 0 && found.worst >= found.mean && found.worst <= (double)looseness + 1e-5);
        most = stats.leavesCut + stats.leavesRead;
        cut = stats.leavesCut > cut ? stats.leavesCut : cut;
        grzChordTree_Destroy(tree);
    }
    assert_true(cut > 10 && most > cut);
    dropScene(&scene);
}

static uint64_t readNow(const grzChordTree* tree) {
    return grzChordTree_GetStats(tree).leavesRead;
}

// A lazy tree cuts nothing until it is reached; a long step, or a keyframe that comes late, makes any tree as lazy. What is
// reached is cut as an eager tree has it, to the byte, and only in the interval of the time.
static void chunksAreCutWhenTheyAreReached(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(907), 0);
    Scene scene = makeScene(&rng, 5 * 256 + 9, 0, 1);
    placeFrames(&scene, turning);
    addFrames(&scene);
    const grzBvhView view = grzBvh_GetView(scene.bvh);
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene.bvh, def.plan = scene.plan, def.looseness = 0.1F, def.isLazy = true;
    grzChordTree *lazy, *eager = makeTree(&scene, NULL, def.looseness);
    ok(grzChordTree_Create(&def, &lazy));
    for (int k = 1; k <= 10; ++k) {
        ok(grzChordTree_Advance(eager, NULL, 0.06 * k));
        ok(grzChordTree_Advance(lazy, NULL, 0.06 * k));
    }
    assert_int_equal(readNow(lazy), view.leafCount);
    const uint64_t some = 5, all = 63;
    ok(grzChordTree_Reach(lazy, NULL, &some));
    const uint64_t left = readNow(lazy);
    assert_true(left >= view.leafCount - 128 && left < view.leafCount);
    checkLoose(&scene, lazy, 0.06 * 10, def.looseness);
    ok(grzChordTree_Reach(lazy, NULL, &all));
    ok(grzChordTree_Reach(lazy, NULL, &all));
    assert_int_equal(readNow(lazy), readNow(eager));
    ok(grzChordTree_WriteBoxes(lazy, NULL, scene.found));
    ok(grzChordTree_WriteBoxes(eager, NULL, scene.expected));
    assert_memory_equal(scene.found, scene.expected, scene.nodeCount * sizeof *scene.found);
    ok(grzChordTree_Advance(lazy, NULL, 2.1));
    assert_int_equal(readNow(lazy), view.leafCount);
    ok(grzChordTree_Advance(eager, NULL, 3.1)); // a long step
    assert_int_equal(readNow(eager), view.leafCount);
    ok(grzChordTree_Reach(eager, NULL, &all));
    assert_true(readNow(eager) < view.leafCount);
    checkLoose(&scene, eager, 3.1, def.looseness);
    grzChordTree_Destroy(lazy);
    grzChordTree_Destroy(eager);
    dropScene(&scene);
}

// Forward in small steps every keyframe is refit once, nearly all of it ahead of its time, and never more in a step than its
// share.
static void theWorkIsSpread(void** state) {
    (void)state;
    enum { STEPS = 20 };
    grzRng rng = grzRng_Make(testSeed(902), 0);
    Scene scene = makeScene(&rng, 25600, 0, 1);
    addFrames(&scene);
    grzChordTree* tree = makeTree(&scene, NULL, 0.3F);
    const uint64_t chunks = grzBvh_GetView(scene.bvh).chunkCount;
    uint64_t before = 0;
    for (int k = 1; k <= (FRAMES - 1) * STEPS; ++k) {
        ok(grzChordTree_Advance(tree, NULL, (double)k / STEPS));
        const uint64_t now = grzChordTree_GetStats(tree).chunks;
        assert_true(now - before <= chunks / STEPS + 2 + chunks / 16); // pieces of a sixteenth
        before = now;
        if (k % 7 == 0)
            checkLoose(&scene, tree, (double)k / STEPS, 0.3F);
    }
    assert_int_equal(grzChordTree_GetStats(tree).chunks, (FRAMES - 2) * chunks); // two were there from the start
    assert_true(grzChordTree_GetStats(tree).early >= (FRAMES - 2) * (chunks - chunks / STEPS - 1 - chunks / 16));
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

// With readyBy all boxes of a keyframe are there when that part of the interval before the last one has passed, and not long before.
static void boxesAreReadyWhenTheyAreAskedFor(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(910), 0);
    Scene scene = makeScene(&rng, 25600, 0, 1);
    addFrames(&scene);
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene.bvh, def.plan = scene.plan, def.readyBy = 0.3F;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    const uint64_t chunks = grzBvh_GetView(scene.bvh).chunkCount;
    for (int k = 1; k <= 20; ++k) {
        ok(grzChordTree_Advance(tree, NULL, 0.05 * k));
        const uint64_t done = grzChordTree_GetStats(tree).chunks;
        assert_true(k >= 20 || (done == chunks) == (k >= 6));
        assert_true(done >= chunks / 16 * (uint64_t)(k < 6 ? 2 * k : 10));
    }
    checkTime(&scene, tree, 0.05 * 20);
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

// What is known is kept: to the interval before, or on by two, takes one keyframe; what is half done ahead is done to the end.
static void setsThatAreNearAreKept(void** state) {
    (void)state;
    static const struct {
        double time;
        double refits; // since the time before
    } steps[] = {{2, 2}, {2.5, 0.5}, {1.5, 1}, {1.75, 0}, {3.5, 1}, {3.25, 0}, {0, 2}, {2.5, 1.5}};
    grzRng rng = grzRng_Make(testSeed(909), 0);
    Scene scene = makeScene(&rng, 256 * 16, 0, 1);
    addFrames(&scene);
    grzChordTree* tree = makeTree(&scene, NULL, FREE);
    uint64_t before = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        ok(grzChordTree_Advance(tree, NULL, steps[i].time));
        const uint64_t now = grzChordTree_GetStats(tree).chunks;
        assert_true((double)(now - before) == 16 * steps[i].refits);
        before = now;
        checkTime(&scene, tree, steps[i].time);
    }
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

// What was prepared in pieces is not done again when time comes to it.
static void aTreeElsewhereIsMadeReadyInPieces(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(905), 0);
    Scene scene = makeScene(&rng, 5000, 0, 1);
    addFrames(&scene);
    grzChordTree* tree = makeTree(&scene, NULL, FREE);
    const uint32_t chunks = grzBvh_GetView(scene.bvh).chunkCount;
    uint32_t left = 2 * chunks, rounds = 0;
    while (left > 0) {
        const uint32_t now = grzChordTree_Prepare(tree, NULL, 3, 7);
        assert_int_equal(now, left > 7 ? left - 7 : 0);
        left = now;
        ++rounds;
    }
    assert_int_equal(rounds, (2 * chunks + 6) / 7);
    assert_int_equal(grzChordTree_GetStats(tree).chunks, 2 * chunks);
    ok(grzChordTree_Advance(tree, NULL, 3.25));
    assert_int_equal(grzChordTree_GetStats(tree).chunks, 2 * chunks);
    checkTime(&scene, tree, 3.25);
    grzChordTree_Prepare(tree, NULL, 1, chunks + 1); // in part
    ok(grzChordTree_Advance(tree, NULL, 1.5));
    checkTime(&scene, tree, 1.5);
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

static void keyframesMayComeAndGo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(903), 0);
    Scene scene = makeScene(&rng, 2000, 0, 1);
    ok(grzFlightplan_AddKeyframe(scene.plan, 0, scene.frames[0], 0));
    grzChordTree* tree = makeTree(&scene, NULL, 0.2F);
    for (int f = 1; f < FRAMES; ++f) {
        assert_int_equal(grzChordTree_Advance(tree, NULL, f - 0.5).status, grz_badArgument);
        checkLoose(&scene, tree, f - 1, 0.2F);
        ok(grzFlightplan_AddKeyframe(scene.plan, f, scene.frames[f], 0));
        for (int k = 1; k <= 4; ++k) {
            ok(grzChordTree_Advance(tree, NULL, f - 1 + 0.25 * k));
            grzFlightplan_DropKeyframes(scene.plan, f - 1 + 0.25 * k);
            checkLoose(&scene, tree, f - 1 + 0.25 * k, 0.2F);
        }
    }
    grzChordTree_Destroy(tree);
    dropScene(&scene);
}

// A keyframe that was fitted in part as the end of an interval, and refit to its end as the beginning of another one: what was not
// fitted to it is of an interval before, and is not to be read when time goes back.
static void aKeyframeThatBeganAnIntervalEndsOne(void** state) {
    (void)state;
    static const double thens[2][4] = {{4, 3.5, 4, 3.75}, {2.5, 3.5, 2.25, 1}};
    static const int lasts[2] = {290, 162}; // in the third interval, in the second
    grzRng rng = grzRng_Make(testSeed(906), 0);
    Scene scene = makeScene(&rng, 5000, 0, 1);
    addFrames(&scene);
    for (int prepared = 0; prepared < 2; ++prepared) {
        grzChordTree* tree = makeTree(&scene, NULL, 0.3F);
        for (int k = 0; k <= lasts[prepared]; ++k)
            ok(grzChordTree_Advance(tree, NULL, k / 128.0));
        assert_true(grzChordTree_GetStats(tree).leavesCut > 0);
        if (prepared != 0)
            grzChordTree_Prepare(tree, NULL, 3, UINT32_MAX / 2);
        for (size_t i = 0; i < 4; ++i) {
            ok(grzChordTree_Advance(tree, NULL, thens[prepared][i]));
            checkLoose(&scene, tree, thens[prepared][i], 0.3F);
        }
        grzChordTree_Destroy(tree);
    }
    dropScene(&scene);
}

// Boxes in an interval that is cut, and in one of which a part was reached after a jump.
static void writeTwo(const Scene* scene, grzTasks* tasks, grzBvhNode* first, grzBvhNode* second) {
    const uint64_t some[1] = {UINT64_C(0x15555)};
    grzChordTree* tree = makeTree(scene, tasks, 0.3F);
    for (int k = 0; k < 150; ++k)
        ok(grzChordTree_Advance(tree, tasks, k / 128.0));
    ok(grzChordTree_WriteBoxes(tree, tasks, first));
    assert_true(grzChordTree_GetStats(tree).leavesCut > 0);
    ok(grzChordTree_Advance(tree, tasks, 2.9));
    ok(grzChordTree_Reach(tree, tasks, some));
    ok(grzChordTree_WriteBoxes(tree, tasks, second));
    grzChordTree_Destroy(tree);
}

static void everythingIsTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(904), 0);
    Scene scene = makeScene(&rng, 12000, 0, 1);
    addFrames(&scene);
    const size_t size = scene.nodeCount * sizeof(grzBvhNode);
    grzBvhNode* found[2] = {take(scene.nodeCount, sizeof(grzBvhNode)), take(scene.nodeCount, sizeof(grzBvhNode))};
    writeTwo(&scene, NULL, scene.expected, scene.found);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            writeTwo(&scene, tasks, found[0], found[1]);
            assert_memory_equal(scene.expected, found[0], size);
            assert_memory_equal(scene.found, found[1], size);
            grzTasks_Destroy(tasks);
        }
        grzSimd_Force(before);
    }
    free(found[0]), free(found[1]);
    dropScene(&scene);
}

// The plan of a scene with vertices as the tree has them; `frames` gets the positions.
static grzFlightplan* makeOwnPlan(const Scene* scene, float* frames) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    grzFlightplanDef def = grzDefaultFlightplanDef();
    grzFlightplan* plan;
    def.vertexCount = scene->vertexCount;
    ok(grzFlightplan_Create(&def, &plan));
    for (int f = 0; f < FRAMES; ++f, frames += 3 * (size_t)scene->vertexCount) {
        for (size_t v = 0; v < scene->vertexCount; ++v)
            memcpy(frames + 3 * v, scene->frames[f] + 3 * (size_t)view.vertexToCaller[v], 3 * sizeof(float));
        ok(grzFlightplan_AddKeyframe(plan, f, frames, 0));
    }
    return plan;
}

// Of two trees of a scene, one in the caller's numbers and one in the tree's own: the same boxes, and the same leaves are cut.
static void compareNumberings(const Scene* scene, float looseness, int steps) {
    float* frames = take(3 * FRAMES * (size_t)scene->vertexCount, sizeof(float));
    grzFlightplan* own = makeOwnPlan(scene, frames);
    grzChordTreeDef def = grzDefaultChordTreeDef();
    grzChordTree *a = makeTree(scene, NULL, looseness), *b;
    def.bvh = scene->bvh, def.plan = own, def.looseness = looseness, def.numbering = grz_bvhTreesNumbers;
    ok(grzChordTree_Create(&def, &b));
    for (int k = 1; k <= 2 * steps; ++k) {
        ok(grzChordTree_Advance(a, NULL, (double)k / steps));
        ok(grzChordTree_Advance(b, NULL, (double)k / steps));
        if (k % (steps / 3) != 0)
            continue;
        ok(grzChordTree_WriteBoxes(b, NULL, scene->found));
        ok(grzChordTree_WriteBoxes(a, NULL, scene->expected));
        assert_memory_equal(scene->found, scene->expected, scene->nodeCount * sizeof *scene->found);
        const grzChordTreeStats x = grzChordTree_GetStats(a), y = grzChordTree_GetStats(b);
        assert_true(x.leavesCut == y.leavesCut && x.leavesRead == y.leavesRead);
        checkLoose(scene, a, (double)k / steps, looseness);
        assert_true(grzChordTree_Validate(b));
    }
    grzChordTree_Destroy(a);
    grzChordTree_Destroy(b);
    grzFlightplan_Destroy(own);
    free(frames);
}

static void numberingsGiveTheSameBoxes(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 4, 17, 32, 36, 61, 64, 400, 1029}, spreads[] = {3, 5, 8, 40};
    static const PlaceFn places[] = {signedZeros, turning};
    grzRng rng = grzRng_Make(testSeed(908), 0);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (size_t k = 0; k < sizeof spreads / sizeof spreads[0]; ++k)
            for (size_t p = 0; p < 3; ++p) {
                Scene scene = makeWideScene(&rng, counts[c], 0, 1, spreads[k]);
                if (p < 2)
                    placeFrames(&scene, places[p]);
                addFrames(&scene);
                compareNumberings(&scene, 0.1F, 12);
                compareNumberings(&scene, 0.3F, 260);
                dropScene(&scene);
            }
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
    static const float loosenesses[] = {0, -1, NAN};
    for (size_t k = 0; k < 3; ++k) {
        def.looseness = loosenesses[k];
        assert_int_equal(grzChordTree_Create(&def, &tree).status, grz_badArgument);
    }
    static const float readyBys[] = {0, -0.1F, 1.1F, NAN};
    def.looseness = FREE;
    for (size_t k = 0; k < 4; ++k) {
        def.readyBy = readyBys[k];
        assert_int_equal(grzChordTree_Create(&def, &tree).status, grz_badArgument);
    }
    def.readyBy = 1;
    TestMemory memory = {.failAt = 0};
    for (int isHeld = 0; isHeld < 2; ++isHeld) {
        def.looseness = isHeld ? 0.1F : FREE;
        size_t failAt = 0;
        for (;; ++failAt) {
            memory = (TestMemory){.failAt = failAt};
            def.allocator = testAllocator(&memory);
            const grzResult result = grzChordTree_Create(&def, &tree);
            if (grzResult_IsOk(result))
                break;
            assert_int_equal(result.status, grz_outOfMemory);
            assert_null(tree);
            assert_int_equal(memory.liveCount, 0);
        }
        assert_int_equal(failAt, isHeld ? 10 : 4);
        assert_true(grzChordTree_MemorySize(tree) > 3 * scene.nodeCount * sizeof(grzBvhNode));
        if (!isHeld)
            grzChordTree_Destroy(tree);
    }
    assert_int_equal(grzChordTree_Reach(tree, NULL, NULL).status, grz_badArgument);
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
    for (int isHeld = 0; isHeld < 2; ++isHeld) {
        grzChordTree* tree = makeTree(&scene, NULL, isHeld ? 0.1F : FREE);
        for (int k = 0; k < 9; ++k) {
            ok(grzChordTree_Advance(tree, NULL, 0.5 * k));
            ok(grzChordTree_WriteBoxes(tree, NULL, scene.found));
            assert_true(scene.found[0].lower[0][0] == FLT_MAX && scene.found[0].upper[0][0] == -FLT_MAX);
        }
        grzChordTree_Destroy(tree);
    }
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verticesStayInside),
        cmocka_unit_test(strangeMotionIsHeld),
        cmocka_unit_test(whatIsTightIsNotCut),
        cmocka_unit_test(chunksAreCutWhenTheyAreReached),
        cmocka_unit_test(theWorkIsSpread),
        cmocka_unit_test(boxesAreReadyWhenTheyAreAskedFor),
        cmocka_unit_test(setsThatAreNearAreKept),
        cmocka_unit_test(keyframesMayComeAndGo),
        cmocka_unit_test(aKeyframeThatBeganAnIntervalEndsOne),
        cmocka_unit_test(everythingIsTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(numberingsGiveTheSameBoxes),
        cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(noTrianglesAreNoTrouble),
        cmocka_unit_test(aTreeElsewhereIsMadeReadyInPieces),
    };
    return cmocka_run_group_tests_name("chord_tree", tests, NULL, NULL);
}
