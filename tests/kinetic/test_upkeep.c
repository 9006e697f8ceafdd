// Upkeep: in each way, and in whichever is chosen, every vertex lies in its leaf and every box in its parent's, and the ways that
// promise it have the boxes of a refit, exactly; a query finds all that it must; the chooser decides as its constants
// say, for any number of workers and at every level; it stays where it is when memory ends.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"
#include "graze/upkeep.h"
#include "simd_dispatch.h"

enum { ALL_WAYS = grz_upkeepWayCount };
#define REFIT   GRZ_UPKEEP_BIT(grz_upkeepRefit)
#define CHORD   GRZ_UPKEEP_BIT(grz_upkeepChord)
#define BATCHED GRZ_UPKEEP_BIT(grz_upkeepBatched)

// Round figures, near those of machines.
static grzUpkeepCosts roundCosts(void) {
    return (grzUpkeepCosts){
        .triangles = {1000, 100000},
        .batchedTriangles = {1000, 100000},
        .refit = {1, 1},
        .evaluateFrames = {1, 1},
        .evaluatePaths = {8, 8},
        .chordRefit = {1, 1},
        .chordWrite = {0.25, 0.25},
        .chordCopy = {0.25, 0.25},
        .batchedMake = {100, 100},
        .batchedKeyframe = {2, 2},
        .batchedRepair = {100, 100},
        .batchedWrite = {4, 4},
    };
}

static grzUpkeepDef defOf(const Scene* scene, grzFlightplan* plan, uint32_t ways) {
    grzUpkeepDef def = grzDefaultUpkeepDef();
    def.bvh = scene->bvh, def.plan = plan, def.ways = ways;
    def.costs = roundCosts();
    return def;
}

static grzUpkeep* make(const grzUpkeepDef* def) {
    grzUpkeep* upkeep;
    ok(grzUpkeep_Create(def, &upkeep));
    return upkeep;
}

// ---- the reference ----

typedef struct Reference {
    float* positions;
    grzBvhNode *written, *expected;
    uint32_t *found, *seen;
    uint32_t nodeCount, triangleCount;
} Reference;

static Reference takeReference(const Scene* scene) {
    const uint32_t nodes = grzBvh_GetView(scene->bvh).nodeCount, triangles = scene->triangleCount;
    Reference of = {takeNumbers(3 * (size_t)scene->vertexCount),
                    calloc(nodes, sizeof(grzBvhNode)),
                    calloc(nodes, sizeof(grzBvhNode)),
                    calloc(triangles + 1, sizeof(uint32_t)),
                    calloc(triangles + 1, sizeof(uint32_t)),
                    nodes,
                    triangles};
    assert_true(of.written != NULL && of.expected != NULL && of.found != NULL && of.seen != NULL);
    return of;
}

static void dropReference(Reference* of) {
    free(of->positions), free(of->written), free(of->expected), free(of->found), free(of->seen);
}

static grzBox boxOfTriangle(const Scene* scene, const float* positions, uint32_t triangle) {
    grzBox box = grzBox_Empty();
    for (int k = 0; k < 3; ++k) {
        const float* p = positions + 3 * (size_t)scene->triangles[3 * (size_t)triangle + (size_t)k];
        box = grzBox_AddPoint(box, grzVec3_Make(p[0], p[1], p[2]));
    }
    return box;
}

static void checkLeaf(const Scene* scene, const grzUpkeep* upkeep, const grzUpkeepPlace* leaf, Reference* of) {
    uint32_t triangles[GRZ_BVH_LEAF_TRIANGLES];
    const uint32_t count = grzUpkeep_Leaf(upkeep, leaf->index, triangles);
    assert_true(count > 0 && count <= GRZ_BVH_LEAF_TRIANGLES);
    for (uint32_t k = 0; k < count; ++k) {
        assert_true(grzBox_Contains(leaf->box, boxOfTriangle(scene, of->positions, triangles[k])));
        of->seen[triangles[k]]++;
    }
}

static void checkBelow(const Scene* scene, const grzUpkeep* upkeep, const grzUpkeepPlace* place, Reference* of) {
    const grzUpkeepView view = grzUpkeep_GetView(upkeep);
    grzBvhNode scratch;
    const grzBvhNode* node = grzUpkeep_Node(upkeep, place, &scratch);
    for (uint32_t lane = 0; lane < GRZ_BVH_WIDTH; ++lane) {
        const grzUpkeepPlace child = grzUpkeepView_Child(&view, place, node, lane);
        if (node->lower[0][lane] > node->upper[0][lane])
            continue;
        assert_true(grzBox_Contains(place->box, child.box));
        if (child.level < view.levelCount)
            checkBelow(scene, upkeep, &child, of);
        else
            checkLeaf(scene, upkeep, &child, of);
    }
}

// All that meets a box is found, in order.
static void checkQuery(const Scene* scene, const grzUpkeep* upkeep, grzRng* rng, Reference* of) {
    const float* p = of->positions + 3 * (size_t)grzRng_Below(rng, scene->vertexCount);
    const float size = 3 * grzRng_Float(rng);
    const grzBox box = {grzVec3_Make(p[0] - size, p[1] - size, p[2] - size),
                        grzVec3_Make(p[0] + size, p[1] + size, p[2] + size)};
    size_t count, small, k = 0;
    ok(grzUpkeep_FindInBox(upkeep, box, of->found, of->triangleCount, &count));
    for (size_t i = 1; i < count; ++i)
        assert_true(of->found[i - 1] < of->found[i]);
    for (uint32_t t = 0; t < scene->triangleCount; ++t) {
        while (k < count && of->found[k] < t)
            ++k;
        assert_true((k < count && of->found[k] == t) ||
                    !grzBox_Overlap(boxOfTriangle(scene, of->positions, t), box));
    }
    assert_true(count > 0);
    const grzResult result = grzUpkeep_FindInBox(upkeep, box, of->found, count - 1, &small);
    assert_true(result.status == grz_bufferTooSmall && result.value == count && small == 0);
}

static void expectRefit(const Scene* scene, const grzUpkeep* upkeep, Reference* of) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = of->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(scene->bvh, NULL, &refit, of->expected));
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = 0; i < view.levelStarts[level + 1] - view.levelStarts[level]; ++i) {
            const grzUpkeepPlace place = {level, i, grzBox_Empty()};
            grzBvhNode scratch;
            const float* found = &grzUpkeep_Node(upkeep, &place, &scratch)->lower[0][0];
            const float* expected = &of->expected[view.levelStarts[level] + i].lower[0][0];
            for (size_t k = 0; k < sizeof(grzBvhNode) / sizeof(float); ++k)
                assert_true(found[k] == expected[k]);
        }
}

static bool isExact(grzUpkeepWay way) {
    return way == grz_upkeepRefit || way == grz_upkeepBatched || way == grz_upkeepOrdered;
}

// Everything that is promised now.
static void check(const Scene* scene, const grzFlightplan* plan, const grzUpkeep* upkeep, double time, grzRng* rng,
                  Reference* of) {
    const grzUpkeepPlace root = grzUpkeep_Root(upkeep);
    ok(grzFlightplan_Evaluate(plan, NULL, time, of->positions, 0));
    memset(of->seen, 0, of->triangleCount * sizeof *of->seen);
    checkBelow(scene, upkeep, &root, of);
    for (uint32_t t = 0; t < of->triangleCount; ++t)
        assert_int_equal(of->seen[t], 1);
    if (isExact(grzUpkeep_GetStats(upkeep).way))
        expectRefit(scene, upkeep, of);
    checkQuery(scene, upkeep, rng, of);
}

// The nodes of an Advance that writes are the ones that are read without.
static void checkWritten(const Scene* scene, const grzUpkeep* upkeep, const Reference* of) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = 0; i < view.levelStarts[level + 1] - view.levelStarts[level]; ++i) {
            const grzUpkeepPlace place = {level, i, grzBox_Empty()};
            grzBvhNode scratch;
            assert_memory_equal(grzUpkeep_Node(upkeep, &place, &scratch), of->written + view.levelStarts[level] + i,
                                sizeof scratch);
        }
}

// ---- any time ----

typedef struct Ways {
    uint32_t ways;
    double limit;
} Ways;

static void checkFrames(const Scene* scene, const Ways* ways, grzRng* rng) {
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzUpkeepDef def = defOf(scene, plan, ways->ways);
    def.frameLimit = ways->limit;
    grzUpkeep* upkeep = make(&def);
    Reference of = takeReference(scene);
    const bool writes = ways->ways != GRZ_UPKEEP_BIT(grz_upkeepBoxTree);
    double time = 0, step = 0.4;
    check(scene, plan, upkeep, 0, rng, &of);
    while (time < FRAMES - 1) {
        step = grzRng_Below(rng, 5) == 0 ? 1.5 * (double)grzRng_Float(rng) : step;
        time =
            grzRng_Below(rng, 4) == 0 ? floor(time) + 1 : fmin(time + step * (double)grzRng_Float(rng), FRAMES - 1);
        grzBvhNode* nodes = writes && grzRng_Below(rng, 3) == 0 ? of.written : NULL;
        ok(grzUpkeep_Advance(upkeep, NULL, time, nodes));
        if (grzRng_Below(rng, 3) == 0)
            grzFlightplan_DropKeyframes(plan, time);
        if (nodes != NULL)
            checkWritten(scene, upkeep, &of);
        check(scene, plan, upkeep, time, rng, &of);
        assert_true(fabs(grzUpkeep_Time(upkeep) - time) < 1e-6);
    }
    dropReference(&of);
    grzUpkeep_Destroy(upkeep);
    grzFlightplan_Destroy(plan);
}

static const Ways frameWays[] = {
    {0, 1.2},
    {REFIT, 1.2},
    {CHORD, 1.2},
    {BATCHED, 1.2},
    {GRZ_UPKEEP_BIT(grz_upkeepOrdered), 1.2},
    {GRZ_UPKEEP_BIT(grz_upkeepBoxTree), 1.2},
    {REFIT | BATCHED, 1.2},
    {REFIT | BATCHED, (double)INFINITY},
    {CHORD | BATCHED, (double)INFINITY},
    {REFIT | CHORD | BATCHED, (double)INFINITY},
};

static void everyWayIsValidAtAnyTime(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 3, 5, 9, 24};
    grzRng rng = grzRng_Make(testSeed(1001), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            for (size_t w = 0; w < sizeof frameWays / sizeof frameWays[0]; ++w)
                checkFrames(&scene, &frameWays[w], &rng);
            dropScene(&scene);
        }
}

// Chunks of a chord tree are made ready one by one where there is more than one.
static void aLargerSheetIsValidToo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1002), 0);
    Scene scene = makeScene(&rng, 70, waves);
    for (size_t w = 0; w < sizeof frameWays / sizeof frameWays[0]; ++w)
        checkFrames(&scene, &frameWays[w], &rng);
    dropScene(&scene);
}

static void checkPaths(const Scene* scene, const Ways* ways, grzRng* rng) {
    grzFlightplan* plan = planPaths(scene);
    grzUpkeepDef def = defOf(scene, plan, ways->ways);
    def.frameLimit = ways->limit;
    grzUpkeep* upkeep = make(&def);
    Reference of = takeReference(scene);
    SomeChange some;
    double time = 0;
    size_t count;
    for (int round = 0; round < 25; ++round) {
        time += 0.2 * (double)grzRng_Float(rng);
        for (uint32_t k = grzRng_Below(rng, 3); k > 0; --k) {
            drawChange(scene, rng, &some);
            ok(grzUpkeep_Change(upkeep, NULL, time, &some.change));
            assert_int_equal(grzUpkeep_FindInBox(upkeep, grzBox_Empty(), NULL, 0, &count).status, grz_badArgument);
            time += grzRng_Below(rng, 2) == 0 ? 0 : 0.01;
        }
        ok(grzUpkeep_Advance(upkeep, NULL, time, NULL));
        check(scene, plan, upkeep, time, rng, &of);
    }
    dropReference(&of);
    grzUpkeep_Destroy(upkeep);
    grzFlightplan_Destroy(plan);
}

static void everyWayFollowsChangesOfPaths(void** state) {
    (void)state;
    static const Ways ways[] = {{0, 1.2},
                                {0, (double)INFINITY},
                                {REFIT, 1.2},
                                {BATCHED, 1.2},
                                {GRZ_UPKEEP_BIT(grz_upkeepOrdered), 1.2},
                                {GRZ_UPKEEP_BIT(grz_upkeepBoxTree), 1.2}};
    static const uint32_t sides[] = {2, 5, 12, 24};
    grzRng rng = grzRng_Make(testSeed(1003), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w)
                checkPaths(&scene, &ways[w], &rng);
            dropScene(&scene);
        }
}

// A sheet whose numbers are the tree's own.
static void theTreesNumbersServeToo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1004), 0);
    Scene scene = makeScene(&rng, 12, noise);
    const grzBvhView view = grzBvh_GetView(scene.bvh);
    float* ordered[2] = {takeNumbers(3 * (size_t)scene.vertexCount), takeNumbers(3 * (size_t)scene.vertexCount)};
    grzFlightplan* plan = planFrames(&scene, 0);
    for (int f = 0; f < 2; ++f) {
        for (uint32_t v = 0; v < scene.vertexCount; ++v)
            memcpy(ordered[f] + 3 * (size_t)v, scene.frames[f] + 3 * (size_t)view.vertexToCaller[v], 12);
        ok(grzFlightplan_AddKeyframe(plan, f, ordered[f], 0));
    }
    grzFlightplan* callers = planFrames(&scene, 2);
    Reference of = takeReference(&scene);
    for (int way = 0; way < ALL_WAYS; ++way) {
        grzUpkeepDef def = defOf(&scene, plan, 1u << way);
        def.numbering = grz_bvhTreesNumbers;
        grzUpkeep* upkeep = make(&def);
        ok(grzUpkeep_Advance(upkeep, NULL, 0.6, NULL));
        check(&scene, callers, upkeep, 0.6, &rng, &of);
        grzUpkeep_Destroy(upkeep);
    }
    dropReference(&of);
    free(ordered[0]), free(ordered[1]);
    grzFlightplan_Destroy(plan), grzFlightplan_Destroy(callers);
    dropScene(&scene);
}

// ---- what is refused, and the end of memory ----

static void badDefsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 4, waves), other = makeScene(&rng, 5, waves);
    grzFlightplan *plan = planFrames(&scene, FRAMES), *paths = planPaths(&scene), *wrong = planFrames(&other, 2),
                  *empty = planFrames(&scene, 0);
    const grzUpkeepDef good = defOf(&scene, plan, 0);
    grzUpkeep* upkeep = (grzUpkeep*)&rng;
    enum { CASES = 16 };
    grzUpkeepDef bad[CASES];
    for (int i = 0; i < CASES; ++i)
        bad[i] = good;
    bad[0].bvh = NULL;
    bad[1].plan = NULL;
    bad[2].plan = wrong;
    bad[3].plan = empty;
    bad[4].ways = 1u << ALL_WAYS;
    bad[5].ways = REFIT | GRZ_UPKEEP_BIT(grz_upkeepOrdered);
    bad[6].ways = CHORD | GRZ_UPKEEP_BIT(grz_upkeepBoxTree);
    bad[7].plan = paths, bad[7].ways = CHORD | REFIT;
    bad[8].numbering = (grzBvhNumbering)7;
    bad[9].startTime = 100;
    bad[10].frameLimit = 0.9;
    bad[11].frameLimit = (double)NAN;
    bad[12].costs.refit.small = 0;
    bad[13].costs.batchedWrite.large = (double)INFINITY;
    bad[14].costs.triangles.small = bad[14].costs.triangles.large;
    bad[15].costs.batchedTriangles.large = 1;
    for (int i = 0; i < CASES; ++i) {
        const grzResult result = grzUpkeep_Create(&bad[i], &upkeep);
        assert_true(result.status == grz_badArgument && result.value == 1 && result.reason != NULL);
        assert_null(upkeep);
    }
    bad[0] = good, bad[0].mark ^= 1;
    assert_int_equal(grzUpkeep_Create(&bad[0], &upkeep).status, grz_badDef);
    assert_int_equal(grzUpkeep_Create(NULL, &upkeep).status, grz_badDef);
    assert_string_equal(grzUpkeepWay_Name(grz_upkeepBoxTree), "box tree");
    assert_string_equal(grzUpkeepWay_Name(grz_upkeepWayCount), "");
    grzUpkeep_Destroy(NULL);
    grzFlightplan_Destroy(plan), grzFlightplan_Destroy(paths), grzFlightplan_Destroy(wrong);
    grzFlightplan_Destroy(empty);
    dropScene(&scene), dropScene(&other);
}

static void misuseChangesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1005), 0);
    Scene scene = makeScene(&rng, 6, waves);
    Reference of = takeReference(&scene);
    const uint32_t vertex = 3, none = 1000;
    const float number = (float)NAN, velocity[3] = {1, 0, 0}, bad[3] = {number, 0, 0};
    const grzFlightplanChange changes[] = {{&none, 1, NULL, velocity, NULL}, {&vertex, 1, NULL, bad, NULL}};
    for (int way = 0; way < ALL_WAYS; ++way) {
        grzFlightplan* plan = way == grz_upkeepChord ? planFrames(&scene, FRAMES) : planPaths(&scene);
        grzUpkeepDef def = defOf(&scene, plan, 1u << way);
        grzUpkeep* upkeep = make(&def);
        ok(grzUpkeep_Advance(upkeep, NULL, 0.5, NULL));
        assert_int_equal(grzUpkeep_Advance(upkeep, NULL, 0.25, NULL).value, 3);
        assert_int_equal(grzUpkeep_Advance(upkeep, NULL, (double)NAN, NULL).value, 3);
        assert_int_equal(grzUpkeep_Advance(upkeep, NULL, 1e30, NULL).value, 3);
        for (int k = 0; k < 2; ++k)
            assert_false(grzResult_IsOk(grzUpkeep_Change(upkeep, NULL, 0.5, &changes[k])));
        assert_false(grzResult_IsOk(grzUpkeep_Change(upkeep, NULL, 0.25, &changes[0])));
        size_t count;
        assert_int_equal(grzUpkeep_FindInBox(upkeep, grzBox_Empty(), NULL, 1, &count).value, 3);
        if (way == grz_upkeepBoxTree)
            assert_int_equal(grzUpkeep_Advance(upkeep, NULL, 0.5, of.written).value, 4);
        check(&scene, plan, upkeep, 0.5, &rng, &of);
        if (way != grz_upkeepChord) { // behind its back
            const grzFlightplanChange change = {&vertex, 1, NULL, velocity, NULL};
            ok(grzFlightplan_Change(plan, 0.5, &change));
            assert_int_equal(grzUpkeep_Advance(upkeep, NULL, 0.75, NULL).value, 1);
        } else {
            grzFlightplan_DropKeyframes(plan, 3);
            assert_int_equal(grzUpkeep_Advance(upkeep, NULL, 3, NULL).value, 1);
        }
        grzUpkeep_Destroy(upkeep);
        grzFlightplan_Destroy(plan);
    }
    dropReference(&of);
    dropScene(&scene);
}

// In every way: nothing goes on or is found after the mesh has changed, until it is made anew.
static void anEditOfTheMeshNeedsANewUpkeep(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1021), 0);
    for (int way = 0; way < 2 * ALL_WAYS; ++way) {
        Scene scene = makeScene(&rng, 6, waves);
        const bool isPaths = way % ALL_WAYS != grz_upkeepChord, isEdit = way < ALL_WAYS;
        grzFlightplan* plan = isPaths ? planPaths(&scene) : planFrames(&scene, FRAMES);
        grzUpkeepDef def = defOf(&scene, plan, 1u << way % ALL_WAYS);
        grzUpkeep* upkeep = make(&def);
        const uint32_t removed = 3;
        const grzBvhEdit edit = {.removed = &removed, .removedCount = isEdit};
        const float place[3] = {1, 2, 3};
        const grzFlightplanChange change = {NULL, 1, place, NULL, NULL};
        uint32_t found[4], first;
        size_t count = 7;
        if (isEdit)
            ok(grzBvh_Edit(scene.bvh, &edit));
        else if (isPaths)
            ok(grzFlightplan_AddVertices(plan, 0, &change, &first));
        if (isEdit || isPaths) {
            assert_int_equal(grzUpkeep_Advance(upkeep, NULL, 0.75, NULL).value, 1);
            assert_int_equal(grzUpkeep_FindInBox(upkeep, grzBox_Empty(), found, 4, &count).value, 1);
            assert_int_equal(count, 0);
        }
        if (isPaths)
            assert_false(grzResult_IsOk(grzUpkeep_Change(upkeep, NULL, 0.75, &(grzFlightplanChange){0})));
        grzUpkeep_Destroy(upkeep);
        if (isEdit) {
            upkeep = make(&def);
            ok(grzUpkeep_Advance(upkeep, NULL, 0.75, NULL));
            grzUpkeep_Destroy(upkeep);
        }
        grzFlightplan_Destroy(plan);
        dropScene(&scene);
    }
}

static void anyRefusedMemoryIsReported(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 5, waves);
    for (size_t w = 0; w < sizeof frameWays / sizeof frameWays[0]; ++w) {
        grzFlightplan* plan = planFrames(&scene, FRAMES);
        grzUpkeepDef def = defOf(&scene, plan, frameWays[w].ways);
        grzUpkeep* upkeep = NULL;
        for (size_t k = 0; upkeep == NULL; ++k) {
            TestMemory memory = {.failAt = k};
            def.allocator = testAllocator(&memory);
            const grzResult result = grzUpkeep_Create(&def, &upkeep);
            assert_true(upkeep != NULL ? grzResult_IsOk(result) && k > 1 : result.status == grz_outOfMemory);
            assert_int_equal(memory.liveCount != 0, upkeep != NULL);
            if (upkeep != NULL)
                assert_int_equal(grzUpkeep_MemorySize(upkeep), memory.liveBytes);
            grzUpkeep_Destroy(upkeep);
            assert_int_equal(memory.liveCount, 0);
        }
        grzFlightplan_Destroy(plan);
    }
    dropScene(&scene);
}

// ---- paths: what the chooser does about them ----

static void changeMany(const Scene* scene, grzUpkeep* upkeep, double time, uint32_t count) {
    uint32_t* vertices = calloc(count + 1, sizeof *vertices);
    assert_non_null(vertices);
    for (uint32_t i = 0; i < count; ++i)
        vertices[i] = i * (scene->vertexCount / (count > 0 ? count : 1));
    const grzFlightplanChange change = {vertices, count, NULL, scene->velocities, NULL};
    ok(grzUpkeep_Change(upkeep, NULL, time, &change));
    free(vertices);
}

// Frames that change so many paths each.
static double runFrames(const Scene* scene, grzUpkeep* upkeep, double time, int frames, uint32_t count) {
    for (int k = 0; k < frames; ++k) {
        time += 0x1p-10;
        changeMany(scene, upkeep, time, count);
        ok(grzUpkeep_Advance(upkeep, NULL, time, NULL));
    }
    return time;
}

static void aSwitchWithoutMemoryLosesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1006), 0);
    Scene scene = makeScene(&rng, 24, waves);
    grzFlightplan* plan = planPaths(&scene);
    Reference of = takeReference(&scene);
    for (size_t k = 0; k < 3; ++k) { // how many requests are granted still
        TestMemory memory = {.failAt = SIZE_MAX};
        grzUpkeepDef def = defOf(&scene, plan, 0);
        def.frameLimit = (double)INFINITY;
        def.allocator = testAllocator(&memory);
        grzUpkeep* upkeep = make(&def);
        double time = runFrames(&scene, upkeep, grzUpkeep_Time(upkeep), 6, scene.vertexCount);
        assert_int_equal(grzUpkeep_GetStats(upkeep).way, grz_upkeepRefit);
        memory.failAt = memory.requests + k;
        for (int round = 0; round < 400 && grzUpkeep_GetStats(upkeep).refused == 0; ++round)
            time = runFrames(&scene, upkeep, time, 1, 1);
        assert_int_equal(grzUpkeep_GetStats(upkeep).refused, 1);
        assert_int_equal(grzUpkeep_GetStats(upkeep).way, grz_upkeepRefit);
        time = runFrames(&scene, upkeep, time, 3, 1); // it is not asked for again at once
        assert_int_equal(grzUpkeep_GetStats(upkeep).refused, 1);
        check(&scene, plan, upkeep, time, &rng, &of);
        memory.failAt = SIZE_MAX;
        time = runFrames(&scene, upkeep, time, 400, 1);
        assert_int_equal(grzUpkeep_GetStats(upkeep).way, grz_upkeepBatched);
        check(&scene, plan, upkeep, time, &rng, &of);
        assert_int_equal(grzUpkeep_MemorySize(upkeep), memory.liveBytes);
        grzUpkeep_Destroy(upkeep);
        assert_int_equal(memory.liveCount, 0);
    }
    dropReference(&of);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void pathsAreBatchedWhereFewChange(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1007), 0);
    Scene scene = makeScene(&rng, 24, waves);
    for (int limited = 0; limited < 2; ++limited) {
        grzFlightplan* plan = planPaths(&scene);
        grzUpkeepDef def = defOf(&scene, plan, 0);
        def.frameLimit = limited ? 1.2 : (double)INFINITY;
        grzUpkeep* upkeep = make(&def);
        double time = runFrames(&scene, upkeep, 0, 50, 0);
        assert_int_equal(grzUpkeep_GetStats(upkeep).ways[grz_upkeepBatched].frames, 50);
        time = runFrames(&scene, upkeep, time, 20, scene.vertexCount / 2);
        assert_int_equal(grzUpkeep_GetStats(upkeep).way, grz_upkeepRefit);
        assert_true(grzUpkeep_GetStats(upkeep).ways[grz_upkeepRefit].frames >= (limited ? 20 : 15));
        assert_string_equal(grzUpkeep_GetStats(upkeep).reason,
                            limited ? "another way would take longer for a frame than the limit"
                                    : "as much is to be done in a frame as a refit does");
        time = runFrames(&scene, upkeep, time, 500, 0);
        assert_int_equal(grzUpkeep_GetStats(upkeep).way, limited ? grz_upkeepRefit : grz_upkeepBatched);
        assert_int_equal(grzUpkeep_GetStats(upkeep).switches, limited ? 1 : 2);
        grzUpkeep_Destroy(upkeep);
        grzFlightplan_Destroy(plan);
    }
    dropScene(&scene);
}

// ---- keyframes: likewise ----

enum { MANY = 200 }; // keyframes

static grzFlightplan* planMany(const Scene* scene) {
    grzFlightplan* plan = planFrames(scene, 0);
    for (int f = 0; f < MANY; ++f)
        ok(grzFlightplan_AddKeyframe(plan, f, scene->frames[f % FRAMES], 0));
    return plan;
}

typedef struct Situation {
    const char* name;
    uint32_t ways;
    double limit;
    double steps[2]; // of time, in the first and in the second half
    bool writes;
    grzUpkeepWay expected[2]; // at the ends of both halves
} Situation;

static const Situation situations[] = {
    {"ten frames", 0, 1.2, {0.1, 0.1}, false, {grz_upkeepChord, grz_upkeepChord}},
    {"ten frames, written", 0, 1.2, {0.1, 0.1}, true, {grz_upkeepChord, grz_upkeepChord}},
    {"one frame, written", 0, 1.2, {1, 1}, true, {grz_upkeepRefit, grz_upkeepRefit}},
    {"every third keyframe", 0, 1.2, {3, 3}, false, {grz_upkeepRefit, grz_upkeepRefit}},
    {"every third keyframe, no limit", 0, (double)INFINITY, {3, 3}, false, {grz_upkeepRefit, grz_upkeepRefit}},
    {"few frames, then many", 0, 1.2, {3, 0.1}, false, {grz_upkeepRefit, grz_upkeepChord}},
    {"few frames, then some", 0, 1.2, {3, 0.4}, false, {grz_upkeepRefit, grz_upkeepChord}},
    {"few frames, then many, no limit", 0, (double)INFINITY, {3, 0.1}, true, {grz_upkeepRefit, grz_upkeepChord}},
    {"many frames, then few", 0, 1.2, {0.05, 3}, false, {grz_upkeepChord, grz_upkeepRefit}},
    {"exact boxes", REFIT | BATCHED, 1.2, {0.01, 0.01}, false, {grz_upkeepRefit, grz_upkeepRefit}},
    {"chord alone", CHORD, 1.2, {3, 3}, false, {grz_upkeepChord, grz_upkeepChord}},
};

// To go over to the chord tree takes no more than the limit, by the chunks that were counted.
static void checkEntry(const grzUpkeepStats* before, const grzUpkeepStats* after, double limit) {
    const grzUpkeepWayStats *chord = &after->ways[grz_upkeepChord], *refit = &after->ways[grz_upkeepRefit];
    if (after->switches != before->switches && after->way == grz_upkeepChord)
        assert_true(chord->predicted - before->ways[grz_upkeepChord].predicted <= limit * refit->next);
}

static double runSteps(grzUpkeep* upkeep, const Situation* situation, int half, double time, grzBvhNode* nodes) {
    const double end = (half + 1) * (MANY / 2 - 1);
    while (time + situation->steps[half] <= end) {
        const grzUpkeepStats before = grzUpkeep_GetStats(upkeep);
        time += situation->steps[half];
        ok(grzUpkeep_Advance(upkeep, NULL, time, situation->writes ? nodes : NULL));
        const grzUpkeepStats after = grzUpkeep_GetStats(upkeep);
        checkEntry(&before, &after, situation->limit);
    }
    return time;
}

static void situationsAreDecidedAsTheConstantsSay(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 40, waves);
    Reference of = takeReference(&scene);
    for (size_t s = 0; s < sizeof situations / sizeof situations[0]; ++s) {
        const Situation* situation = &situations[s];
        grzFlightplan* plan = planMany(&scene);
        grzUpkeepDef def = defOf(&scene, plan, situation->ways);
        def.frameLimit = situation->limit;
        grzUpkeep* upkeep = make(&def);
        double time = 0;
        for (int half = 0; half < 2; ++half) {
            time = runSteps(upkeep, situation, half, time, of.written);
            const grzUpkeepStats stats = grzUpkeep_GetStats(upkeep);
            if (stats.way != situation->expected[half])
                fail_msg("%s, half %d: %s", situation->name, half + 1, grzUpkeepWay_Name(stats.way));
            assert_non_null(stats.reason);
            check(&scene, plan, upkeep, time, &rng, &of);
        }
        grzUpkeep_Destroy(upkeep);
        grzFlightplan_Destroy(plan);
    }
    dropReference(&of);
    dropScene(&scene);
}

// Exact boxes of a sheet that hardly moves: batched where nothing speaks against a long frame now and then.
static void manyFramesOfExactBoxesAreBatchedWithoutALimit(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 24, flat);
    grzFlightplan* plan = planMany(&scene);
    grzUpkeepDef def = defOf(&scene, plan, REFIT | BATCHED);
    def.frameLimit = (double)INFINITY;
    grzUpkeep* upkeep = make(&def);
    for (int k = 1; k <= 12000; ++k)
        ok(grzUpkeep_Advance(upkeep, NULL, k / 1000.0, NULL));
    assert_int_equal(grzUpkeep_GetStats(upkeep).way, grz_upkeepBatched);
    grzUpkeep_Destroy(upkeep);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- the same for all ----

typedef struct Outcome {
    grzUpkeepStats stats;
    uint64_t boxes;
} Outcome;

static uint64_t mix(uint64_t seed, const grzBvhNode* nodes, uint32_t count) {
    const unsigned char* bytes = (const unsigned char*)nodes;
    for (size_t i = 0; i < count * sizeof *nodes; ++i)
        seed = (seed ^ bytes[i]) * UINT64_C(1099511628211);
    return seed;
}

// Steps of many lengths, so that the way changes.
static Outcome runMixed(const Scene* scene, grzTasks* tasks, Reference* of) {
    static const double steps[] = {0.1, 3, 0.3, 1};
    grzFlightplan* plan = planMany(scene);
    grzUpkeepDef def = defOf(scene, plan, 0);
    def.tasks = tasks;
    grzUpkeep* upkeep = make(&def);
    Outcome outcome = {.boxes = 1};
    double time = 0;
    for (int k = 0; k < 100; ++k) {
        time += steps[k / 10 % 4];
        ok(grzUpkeep_Advance(upkeep, tasks, time, k % 7 == 0 ? of->written : NULL));
        if (k % 7 == 0)
            outcome.boxes = mix(outcome.boxes, of->written, of->nodeCount);
    }
    outcome.stats = grzUpkeep_GetStats(upkeep);
    grzUpkeep_Destroy(upkeep);
    grzFlightplan_Destroy(plan);
    return outcome;
}

static Outcome runMixedPaths(const Scene* scene, grzTasks* tasks, Reference* of) {
    grzFlightplan* plan = planPaths(scene);
    grzUpkeepDef def = defOf(scene, plan, 0);
    def.frameLimit = (double)INFINITY;
    def.tasks = tasks;
    grzUpkeep* upkeep = make(&def);
    const double time = runFrames(scene, upkeep, runFrames(scene, upkeep, 0, 8, 900), 30, 1);
    ok(grzUpkeep_Advance(upkeep, tasks, time, of->written));
    Outcome outcome = {grzUpkeep_GetStats(upkeep), mix(1, of->written, of->nodeCount)};
    grzUpkeep_Destroy(upkeep);
    grzFlightplan_Destroy(plan);
    return outcome;
}

static void decisionsAndBoxesAreTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(1008), 0);
    Scene scene = makeScene(&rng, 50, waves);
    Reference of = takeReference(&scene);
    const Outcome frames = runMixed(&scene, NULL, &of), paths = runMixedPaths(&scene, NULL, &of);
    assert_true(frames.stats.switches > 2 && paths.stats.switches > 0);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            const Outcome again = runMixed(&scene, tasks, &of), also = runMixedPaths(&scene, tasks, &of);
            assert_memory_equal(&again, &frames, sizeof frames);
            assert_memory_equal(&also, &paths, sizeof paths);
            grzTasks_Destroy(tasks);
        }
        grzSimd_Force(before);
    }
    dropReference(&of);
    dropScene(&scene);
}

// ---- figures ----

static uint64_t counterOf(const grzStepSummary* summary, const char* name) {
    for (uint32_t i = 0; i < summary->counterCount; ++i)
        if (strcmp(summary->counters[i].name, name) == 0)
            return summary->counters[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

static uint64_t tickingClock(void* context) {
    uint64_t* ticks = context;
    return *ticks += 10;
}

static void theProfileTellsTheWayAndWhy(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 20, waves);
    grzFlightplan* plan = planMany(&scene);
    uint64_t ticks = 0;
    grzProfileDef profileDef = grzDefaultProfileDef();
    profileDef.clock = tickingClock, profileDef.clockContext = &ticks;
    grzProfile* profile;
    ok(grzProfile_Create(&profileDef, &profile));
    grzUpkeepDef def = defOf(&scene, plan, 0);
    def.profile = profile;
    grzUpkeep* upkeep = make(&def);
    grzProfile_BeginStep(profile);
    for (int k = 1; k <= 20; ++k)
        ok(grzUpkeep_Advance(upkeep, NULL, 0.1 * k, NULL));
    for (int k = 0; k < 8; ++k)
        ok(grzUpkeep_Advance(upkeep, NULL, 5 + 3 * k, NULL));
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    const grzUpkeepStats stats = grzUpkeep_GetStats(upkeep);
    assert_int_equal(stats.ways[grz_upkeepChord].frames, 20);
    assert_int_equal(stats.ways[grz_upkeepRefit].frames, 8);
    assert_int_equal(stats.ways[grz_upkeepChord].intervals, 2);
    assert_int_equal(stats.ways[grz_upkeepRefit].intervals, 8);
    assert_true(stats.ways[grz_upkeepChord].measured >= 20 * 10 && stats.ways[grz_upkeepRefit].measured >= 8 * 10);
    assert_true(stats.ways[grz_upkeepRefit].predicted == 8.0 * scene.triangleCount);
    assert_true(stats.ways[grz_upkeepRefit].next == (double)scene.triangleCount);
    assert_true(isinf(stats.ways[grz_upkeepBatched].next));
#if defined(GRAZE_PROFILE)
    assert_int_equal(counterOf(summary, "upkeep chord"), 20);
    assert_int_equal(counterOf(summary, "upkeep refit"), 8);
    assert_int_equal(counterOf(summary, "upkeep switches"), 1);
    const uint32_t count = grzProfile_ZoneCount(profile, 0);
    assert_int_equal(count, 56);
    assert_string_equal(grzProfile_Zone(profile, 0, count - 1).name, "upkeep");
#else
    (void)summary, (void)counterOf;
#endif
    const uint32_t zones = grzProfile_ZoneCount(profile, 0);
    uint32_t frames = 0;
    for (uint32_t i = 0; i < zones; ++i) {
        const grzZoneRecord zone = grzProfile_Zone(profile, 0, i);
        const bool isFrame = strcmp(zone.name, "upkeep refit") == 0 || strcmp(zone.name, "upkeep chord") == 0;
        assert_true(isFrame == (zone.reason != NULL));
        assert_true(isFrame || strcmp(zone.name, "upkeep") == 0 || strcmp(zone.name, "upkeep change") == 0);
        frames += isFrame;
        if (isFrame && frames == 28)
            assert_string_equal(zone.reason, stats.reason);
    }
    assert_int_equal(frames, 28);
    assert_int_equal(summary->misuseCount, 0);
    assert_true(grzProfile_Validate(profile));
    grzProfile_BeginStep(profile); // too late for new counters
    grzUpkeep* late;
    def.ways = REFIT | BATCHED;
    assert_int_equal(grzUpkeep_Create(&def, &late).status, grz_badArgument);
    assert_null(late);
    grzProfile_EndStep(profile);
    grzUpkeep_Destroy(upkeep);
    grzProfile_Destroy(profile);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void costsCanBeMeasured(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 6, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzUpkeepDef def = defOf(&scene, plan, 0);
    grzUpkeepCosts costs;
    TestMemory memory = {.failAt = SIZE_MAX};
    ok(grzUpkeepCosts_Measure(testAllocator(&memory), &costs));
    assert_int_equal(memory.liveCount, 0);
    def.costs = costs;
    grzUpkeep_Destroy(make(&def)); // so they are finite and above 0
    assert_true(costs.refit.small > 0.05 && costs.refit.small < 1e4 && costs.refit.large < 1e4);
    assert_true(costs.batchedMake.small > costs.refit.small);
    const size_t requests = memory.requests;
    const grzUpkeepCosts before = costs;
    for (size_t k = 0; k < requests; k += 1 + k / 4) {
        memory = (TestMemory){.failAt = k};
        assert_int_equal(grzUpkeepCosts_Measure(testAllocator(&memory), &costs).status, grz_outOfMemory);
        assert_int_equal(memory.liveCount, 0);
        assert_memory_equal(&costs, &before, sizeof costs);
    }
    grzAllocator half = {NULL, NULL, testRelease};
    assert_int_equal(grzUpkeepCosts_Measure(half, &costs).value, 1);
    assert_int_equal(grzUpkeepCosts_Measure(testAllocator(&memory), NULL).value, 2);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void noTrianglesAreNoTrouble(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 1, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    for (size_t w = 0; w < sizeof frameWays / sizeof frameWays[0]; ++w) {
        grzUpkeepDef def = defOf(&scene, plan, frameWays[w].ways);
        grzUpkeep* upkeep = make(&def);
        const grzBox all = {grzVec3_Splat(-1e9F), grzVec3_Splat(1e9F)};
        for (int k = 0; k < 9; ++k) {
            size_t count = 1;
            ok(grzUpkeep_Advance(upkeep, NULL, 0.4 * k, NULL));
            ok(grzUpkeep_FindInBox(upkeep, all, NULL, 0, &count));
            assert_int_equal(count, 0);
        }
        grzUpkeep_Destroy(upkeep);
    }
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyWayIsValidAtAnyTime),
        cmocka_unit_test(aLargerSheetIsValidToo),
        cmocka_unit_test(everyWayFollowsChangesOfPaths),
        cmocka_unit_test(theTreesNumbersServeToo),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(misuseChangesNothing),
        cmocka_unit_test(anEditOfTheMeshNeedsANewUpkeep),
        cmocka_unit_test(anyRefusedMemoryIsReported),
        cmocka_unit_test(aSwitchWithoutMemoryLosesNothing),
        cmocka_unit_test(pathsAreBatchedWhereFewChange),
        cmocka_unit_test(situationsAreDecidedAsTheConstantsSay),
        cmocka_unit_test(manyFramesOfExactBoxesAreBatchedWithoutALimit),
        cmocka_unit_test(decisionsAndBoxesAreTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(theProfileTellsTheWayAndWhy),
        cmocka_unit_test(costsCanBeMeasured),
        cmocka_unit_test(noTrianglesAreNoTrouble),
    };
    return cmocka_run_group_tests_name("upkeep", tests, NULL, NULL);
}
