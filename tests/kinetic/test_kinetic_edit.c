// Kinetic trees that follow edits of their hierarchy: in the middle of intervals and at keyframes, on keyframes and paths, in both
// orders, from no triangles to tens of thousands and back, the boxes are those of a refit over all positions, at the edit and
// at all times after it; the horizon is that of a tree that is made anew; a small edit costs little; everything is the same for any
// number of workers and at every level; what is refused leaves the tree as it was; memory refused at any request.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"
#include "graze/kinetic_tree.h"
#include "simd_dispatch.h"

enum { MOST_VERTICES = 3000, MOST_TRIANGLES = 34000 };

// Everything of a cloth that is cut. Vertices lie along a winding line, so that triangles of near numbers are small.
typedef struct Cloth {
    bool hasFrames;
    grzKineticOrder order;
    uint32_t vertexCount, triangleCount, frameCount;
    float* frames[FRAMES];
    float *velocities, *accelerations;
    uint32_t *removed, *added, *changed, *changedCorners;
    grzAllocator allocator; // of the tree
    grzTasks* tasks;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzKineticTree* tree;
    float* positions;
    double time;
    grzRng rng;
} Cloth;

static uint32_t* takeList(size_t count) {
    uint32_t* list = calloc(count, sizeof *list);
    assert_non_null(list);
    return list;
}

// Positions are a coarse grid's, so that some are level and some overtake others at one tick.
static void placeVertex(Cloth* cloth, uint32_t v) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const float turn = 0.05F * (float)v + 2 * (float)axis;
        for (int f = 0; f < FRAMES; ++f)
            cloth->frames[f][3 * v + axis] =
                8 * sinf(turn + 0.2F * (float)f) + floorf(8 * grzRng_Float(&cloth->rng)) / 16;
        cloth->velocities[3 * v + axis] = cloth->frames[1][3 * v + axis] - cloth->frames[0][3 * v + axis];
        cloth->accelerations[3 * v + axis] = v % 3 == 0 ? grzRng_Float(&cloth->rng) - 0.5F : 0;
    }
}

static void makePlan(Cloth* cloth) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = cloth->vertexCount;
    if (!cloth->hasFrames) {
        def.kind = grz_planPaths;
        def.positions = cloth->frames[0], def.velocities = cloth->velocities;
        def.accelerations = cloth->accelerations;
    }
    ok(grzFlightplan_Create(&def, &cloth->plan));
    for (uint32_t f = 0; f < cloth->frameCount; ++f)
        ok(grzFlightplan_AddKeyframe(cloth->plan, f, cloth->frames[f], 0));
}

static Cloth* makeCloth(uint64_t seed, bool hasFrames, grzKineticOrder order, grzAllocator allocator) {
    Cloth* cloth = calloc(1, sizeof *cloth);
    assert_non_null(cloth);
    *cloth =
        (Cloth){.hasFrames = hasFrames, .order = order, .vertexCount = 5, .frameCount = hasFrames ? FRAMES : 0};
    cloth->allocator = allocator;
    cloth->rng = grzRng_Make(seed, 0);
    for (int f = 0; f < FRAMES; ++f)
        cloth->frames[f] = takeNumbers(3 * (size_t)MOST_VERTICES);
    cloth->velocities = takeNumbers(3 * (size_t)MOST_VERTICES);
    cloth->accelerations = takeNumbers(3 * (size_t)MOST_VERTICES);
    cloth->positions = takeNumbers(3 * (size_t)MOST_VERTICES);
    cloth->removed = takeList(MOST_TRIANGLES), cloth->changed = takeList(MOST_TRIANGLES);
    cloth->added = takeList(3 * (size_t)MOST_TRIANGLES),
    cloth->changedCorners = takeList(3 * (size_t)MOST_TRIANGLES);
    for (uint32_t v = 0; v < cloth->vertexCount; ++v)
        placeVertex(cloth, v);
    makePlan(cloth);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = cloth->frames[0], def.vertexCount = cloth->vertexCount;
    ok(grzBvh_Create(&def, &cloth->bvh));
    grzKineticTreeDef treeDef = grzDefaultKineticTreeDef();
    treeDef.bvh = cloth->bvh, treeDef.plan = cloth->plan, treeDef.order = order, treeDef.allocator = allocator;
    ok(grzKineticTree_Create(&treeDef, &cloth->tree));
    return cloth;
}

static void dropCloth(Cloth* cloth) {
    grzKineticTree_Destroy(cloth->tree);
    grzFlightplan_Destroy(cloth->plan);
    grzBvh_Destroy(cloth->bvh);
    for (int f = 0; f < FRAMES; ++f)
        free(cloth->frames[f]);
    free(cloth->velocities), free(cloth->accelerations), free(cloth->positions);
    free(cloth->removed), free(cloth->added), free(cloth->changed), free(cloth->changedCorners);
    free(cloth);
}

// ---- edits ----

static void addVertices(Cloth* cloth, uint32_t count) {
    const uint32_t before = cloth->vertexCount;
    count = before + count <= MOST_VERTICES ? count : 0;
    for (uint32_t v = before; v < before + count; ++v)
        placeVertex(cloth, v);
    uint32_t first;
    if (cloth->hasFrames) {
        grzFlightplanFrame frames[FRAMES];
        const size_t kept = grzFlightplan_KeyframeCount(cloth->plan);
        for (size_t k = 0; k < kept; ++k)
            frames[k] = (grzFlightplanFrame){cloth->frames[cloth->frameCount - kept + k], 0};
        ok(grzFlightplan_AddFrameVertices(cloth->plan, count, grzRng_Below(&cloth->rng, 2) == 0 ? frames : NULL,
                                          &first));
    } else {
        const size_t at = 3 * (size_t)before;
        const grzFlightplanChange change = {NULL, count, cloth->frames[0] + at, cloth->velocities + at,
                                            cloth->accelerations + at};
        ok(grzFlightplan_AddVertices(cloth->plan, cloth->time, &change, &first));
    }
    assert_int_equal(first, before);
    cloth->vertexCount += count;
}

static void drawCorners(Cloth* cloth, uint32_t* corners) {
    const uint32_t base = grzRng_Below(&cloth->rng, cloth->vertexCount);
    for (uint32_t k = 0; k < 3; ++k)
        corners[k] = grzRng_Below(&cloth->rng, 12) == 0
                         ? grzRng_Below(&cloth->rng, cloth->vertexCount)
                         : (base + grzRng_Below(&cloth->rng, 6)) % cloth->vertexCount;
}

// Some triangles get other corners, some go and some come, so that `count` are left.
static void editTo(Cloth* cloth, uint32_t count, uint32_t changed) {
    const uint32_t now = cloth->triangleCount, common = now < count ? now : count;
    const uint32_t both = common < 3 ? common : grzRng_Below(&cloth->rng, 3);
    const uint32_t removed = both + (now > count ? now - count : 0), added = both + (count > now ? count - now : 0);
    const uint32_t vertices = grzRng_Below(&cloth->rng, 3), stride = removed != 0 ? now / removed : 0;
    addVertices(cloth, vertices);
    changed = now == 0 ? 0 : changed;
    for (uint32_t i = 0; i < changed; ++i) {
        cloth->changed[i] = grzRng_Below(&cloth->rng, now);
        drawCorners(cloth, cloth->changedCorners + 3 * (size_t)i);
    }
    for (uint32_t i = 0; i < removed; ++i)
        cloth->removed[i] = i * stride + grzRng_Below(&cloth->rng, stride);
    for (uint32_t i = 0; i < added; ++i)
        drawCorners(cloth, cloth->added + 3 * (size_t)i);
    const grzBvhEdit edit = {.newVertexCount = cloth->vertexCount - grzBvh_GetView(cloth->bvh).vertexCount,
                             .changed = cloth->changed,
                             .changedCorners = cloth->changedCorners,
                             .changedCount = changed,
                             .removed = cloth->removed,
                             .removedCount = removed,
                             .added = cloth->added,
                             .addedCount = added};
    ok(grzBvh_Edit(cloth->bvh, &edit));
    cloth->triangleCount = count;
    assert_int_equal(grzBvh_GetView(cloth->bvh).triangleCount, count);
}

// ---- what is checked ----

static void expectRefit(Cloth* cloth) {
    const uint32_t nodeCount = grzBvh_GetView(cloth->bvh).nodeCount;
    grzBvhNode *found = calloc(nodeCount, sizeof *found), *expected = calloc(nodeCount, sizeof *found);
    assert_true(found != NULL && expected != NULL);
    assert_true(grzKineticTree_Validate(cloth->tree));
    ok(grzFlightplan_Evaluate(cloth->plan, NULL, cloth->time, cloth->positions, 0));
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = cloth->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(cloth->bvh, NULL, &refit, expected));
    ok(grzKineticTree_WriteBoxes(cloth->tree, cloth->tasks, found));
    const float *a = &found[0].lower[0][0], *b = &expected[0].lower[0][0];
    for (size_t i = 0; i < nodeCount * sizeof *found / sizeof *a; ++i)
        assert_true(a[i] == b[i]); // zeros of both signs are one number
    free(found), free(expected);
}

// What is to come is known as well as a tree knows it that is made now; but at a keyframe a tree that has come there has not
// looked beyond it yet.
static void expectHorizon(const Cloth* cloth) {
    if (cloth->hasFrames && cloth->time == floor(cloth->time))
        return;
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = cloth->bvh, def.plan = cloth->plan, def.order = cloth->order, def.startTime = cloth->time;
    grzKineticTree* fresh;
    ok(grzKineticTree_Create(&def, &fresh));
    assert_true(grzKineticTree_Horizon(cloth->tree) == grzKineticTree_Horizon(fresh));
    grzKineticTree_Destroy(fresh);
}

static void goOn(Cloth* cloth, double by) {
    const double last = FRAMES - 1, next = cloth->time + by;
    cloth->time = cloth->hasFrames && next > last ? last : next;
    ok(grzKineticTree_Advance(cloth->tree, cloth->tasks, cloth->time));
}

// Now and then straight to a keyframe.
static void goOnAtRandom(Cloth* cloth, double most) {
    if (cloth->hasFrames && grzRng_Below(&cloth->rng, 10) == 0 && most > 0.001)
        goOn(cloth, floor(cloth->time) + 1 - cloth->time);
    else
        goOn(cloth, most * (double)grzRng_Float(&cloth->rng));
}

static void changePaths(Cloth* cloth) {
    uint32_t vertices[6];
    float velocities[18];
    for (int i = 0; i < 6; ++i)
        vertices[i] = grzRng_Below(&cloth->rng, cloth->vertexCount);
    for (int i = 0; i < 18; ++i)
        velocities[i] = 4 * grzRng_Float(&cloth->rng) - 2;
    const grzFlightplanChange change = {vertices, grzRng_Below(&cloth->rng, 7), NULL, velocities, NULL};
    ok(grzKineticTree_Change(cloth->tree, cloth->tasks, cloth->time, &change));
}

static void followTo(Cloth* cloth, uint32_t count, uint32_t changed) {
    editTo(cloth, count, changed);
    ok(grzKineticTree_Follow(cloth->tree, cloth->tasks));
    expectRefit(cloth);
}

// ---- scenes ----

static void backToTheStart(Cloth* cloth) {
    grzKineticTree_Destroy(cloth->tree);
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = cloth->bvh, def.plan = cloth->plan, def.order = cloth->order, def.allocator = cloth->allocator;
    cloth->time = grzFlightplan_GetRange(cloth->plan).begin;
    ok(grzKineticTree_Create(&def, &cloth->tree));
}

static void walkSizes(Cloth* cloth, const uint32_t* sizes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (cloth->hasFrames && cloth->time >= FRAMES - 1)
            backToTheStart(cloth);
        goOnAtRandom(cloth, 0.1);
        followTo(cloth, sizes[i], grzRng_Below(&cloth->rng, 4));
        expectHorizon(cloth);
        if (!cloth->hasFrames && grzRng_Below(&cloth->rng, 2) == 0)
            changePaths(cloth), expectRefit(cloth);
        goOnAtRandom(cloth, 0.1);
        expectRefit(cloth);
    }
}

static const grzAllocator usual = {NULL, NULL, NULL};

static void everySizeIsPassedUpAndDown(void** state) {
    (void)state;
    static const uint32_t around[] = {64, 256, 260, 2048, 4096};
    uint32_t sizes[400];
    size_t count = 0;
    for (uint32_t i = 0; i < 36; ++i)
        sizes[count++] = i;
    for (size_t k = 0; k < 5; ++k)
        for (uint32_t i = 0; i < 7; ++i)
            sizes[count++] = around[k] - 6 + 2 * i;
    for (size_t k = count; k-- > 0;) // and the same way back
        sizes[2 * count - 1 - k] = sizes[k];
    const uint64_t seed = testSeed(911);
    for (int kind = 0; kind < 4; ++kind) {
        Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), usual);
        walkSizes(cloth, sizes, 2 * count);
        assert_int_equal(cloth->triangleCount, 0);
        dropCloth(cloth);
    }
}

static void thousandsOfSmallEditsAreFollowed(void** state) {
    (void)state;
    const uint64_t seed = testSeed(912);
    for (int kind = 0; kind < 4; ++kind) {
        Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), usual);
        for (int round = 0; round < 700; ++round) {
            if (cloth->hasFrames && cloth->time >= FRAMES - 1)
                backToTheStart(cloth);
            goOnAtRandom(cloth, 0.03);
            const uint32_t now = cloth->triangleCount, by = grzRng_Below(&cloth->rng, 6);
            const bool grows = round % 400 < 250;
            followTo(cloth, grows ? now + by : now > by ? now - by : 0, grzRng_Below(&cloth->rng, 4));
            if (round % 8 == 0)
                expectHorizon(cloth);
            if (!cloth->hasFrames && round % 3 == 0)
                changePaths(cloth), expectRefit(cloth);
        }
        dropCloth(cloth);
    }
}

// From 4,096 leaves on there are several parts and a top; they come and go where there is room, and where there is none.
static void partsComeAndGo(void** state) {
    (void)state;
    static const uint32_t sizes[] = {16380, 16390, 28000, 32760, 32800, 33000,
                                     32764, 17000, 33000, 16390, 16384, 4000};
    const uint64_t seed = testSeed(913);
    for (int kind = 0; kind < 4; ++kind) {
        Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), usual);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            goOn(cloth, 0.02);
            followTo(cloth, sizes[i], 3);
            goOn(cloth, 0.02);
            expectRefit(cloth);
        }
        expectHorizon(cloth);
        dropCloth(cloth);
    }
}

// On paths; on keyframes the tree is made anew each time.
static void aSmallEditCostsLittle(void** state) {
    (void)state;
    const uint64_t seed = testSeed(914);
    for (int kind = 1; kind < 4; kind += 2) {
        Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), usual);
        followTo(cloth, 8000, 0); // takes room
        const size_t memory = grzKineticTree_MemorySize(cloth->tree);
        for (int round = 0; round < 30; ++round) {
            const uint64_t before = grzKineticTree_GetStats(cloth->tree).repairs;
            followTo(cloth, 8000 + 3 * (uint32_t)round, 2);
            const grzBvhView view = grzBvh_GetView(cloth->bvh);
            const uint64_t leaves = grzBvh_LastEdit(cloth->bvh).leafCount + 2;
            const uint64_t repairs = grzKineticTree_GetStats(cloth->tree).repairs - before;
            assert_true(repairs >= 6 && repairs <= 6 * leaves * (view.levelCount + 1));
            assert_int_equal(grzKineticTree_MemorySize(cloth->tree), memory);
        }
        dropCloth(cloth);
    }
}

// Several edits, a rebuild, or vertices that begin later than the tree stands.
static void whatCannotBeFollowedInPlaceIsMadeAnew(void** state) {
    (void)state;
    const uint64_t seed = testSeed(915);
    for (int kind = 0; kind < 4; ++kind) {
        Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), usual);
        followTo(cloth, 300, 0);
        followTo(cloth, 300, 50); // in place, on paths
        goOn(cloth, 1.3);
        const grzKineticTreeStats before = grzKineticTree_GetStats(cloth->tree);
        editTo(cloth, 310, 2);
        editTo(cloth, 290, 2);
        ok(grzKineticTree_Follow(cloth->tree, NULL));
        expectRefit(cloth);
        const grzKineticTreeStats after = grzKineticTree_GetStats(cloth->tree); // goes on counting
        assert_true(before.updates > 0);
        assert_memory_equal(&before, &after, sizeof before);
        const grzBvhView view = grzBvh_GetView(cloth->bvh);
        uint32_t* triangles = takeList(3 * (size_t)view.triangleCount);
        for (size_t i = 0; i < 3 * (size_t)view.triangleCount; ++i)
            triangles[i] = view.vertexToCaller[view.triangles[i]];
        grzBvhDef def = grzDefaultBvhDef();
        def.positions = cloth->positions, def.vertexCount = cloth->vertexCount;
        def.triangles = triangles, def.triangleCount = view.triangleCount, def.builder = grz_bvhSah;
        ok(grzBvh_Rebuild(cloth->bvh, &def));
        free(triangles);
        ok(grzKineticTree_Follow(cloth->tree, NULL));
        expectRefit(cloth);
        goOn(cloth, 0.3);
        expectRefit(cloth);
        if (!cloth->hasFrames) {
            cloth->time += 0.5;
            editTo(cloth, 300, 1);
            ok(grzKineticTree_Follow(cloth->tree, NULL));
            assert_true(fabs(grzKineticTree_Time(cloth->tree) - cloth->time) < 1e-5);
            expectRefit(cloth);
            goOn(cloth, 0.3);
            expectRefit(cloth);
        }
        dropCloth(cloth);
    }
}

// ---- sameness ----

static uint64_t digestRun(uint64_t seed, int kind, grzTasks* tasks) {
    Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), usual);
    cloth->tasks = tasks;
    static const uint32_t sizes[] = {17000, 17050, 16900, 17400, 300, 301, 330};
    uint64_t digest = 1469598103934665603u;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        goOn(cloth, 0.05);
        editTo(cloth, sizes[i], 3);
        ok(grzKineticTree_Follow(cloth->tree, tasks));
        goOn(cloth, 0.05);
        const uint32_t nodeCount = grzBvh_GetView(cloth->bvh).nodeCount;
        grzBvhNode* nodes = calloc(nodeCount, sizeof *nodes);
        assert_non_null(nodes);
        ok(grzKineticTree_WriteBoxes(cloth->tree, tasks, nodes));
        for (size_t k = 0; k < nodeCount * sizeof *nodes; ++k)
            digest = (digest ^ ((const unsigned char*)nodes)[k]) * 1099511628211u;
        free(nodes);
        const grzKineticTreeStats stats = grzKineticTree_GetStats(cloth->tree);
        digest = (digest ^ stats.leafEvents) * 31 + stats.treeEvents + 7 * stats.repairs + 11 * stats.updates;
    }
    dropCloth(cloth);
    return digest;
}

static void everythingIsTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    const uint64_t seed = testSeed(916);
    const grzSimdLevel before = grzSimd_Level();
    for (int kind = 0; kind < 4; ++kind) {
        const uint64_t expected = digestRun(seed, kind, NULL);
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            assert_true(digestRun(seed, kind, tasks) == expected);
            grzTasks_Destroy(tasks);
        }
        for (uint32_t level = 0; level < 32; ++level) {
            if ((grzSimd_SupportedBits() >> level & 1) == 0)
                continue;
            grzSimd_Force((grzSimdLevel)level);
            assert_true(digestRun(seed, kind, NULL) == expected);
        }
        grzSimd_Force(before);
    }
}

// ---- what is refused, and memory ----

static void aTreeThatHasNotFollowedDoesNotGoOn(void** state) {
    (void)state;
    Cloth* cloth = makeCloth(testSeed(917), false, grz_kineticOrdered, usual);
    followTo(cloth, 50, 0);
    const grzBox box = grzKineticTree_Box(cloth->tree, 0, 0);
    const uint32_t corners[3] = {0, 1, cloth->vertexCount};
    const grzBvhEdit edit = {.newVertexCount = 1, .added = corners, .addedCount = 1};
    ok(grzBvh_Edit(cloth->bvh, &edit)); // the plan does not know the vertex
    assert_int_equal(grzKineticTree_Advance(cloth->tree, NULL, 1).status, grz_badArgument);
    assert_int_equal(grzKineticTree_Follow(cloth->tree, NULL).status, grz_badArgument);
    assert_false(grzKineticTree_Validate(cloth->tree));
    const grzBox after = grzKineticTree_Box(cloth->tree, 0, 0);
    assert_true(box.lower.x == after.lower.x && box.upper.z == after.upper.z);
    cloth->triangleCount++;
    addVertices(cloth, 1);
    ok(grzKineticTree_Follow(cloth->tree, NULL));
    expectRefit(cloth);
    ok(grzKineticTree_Follow(cloth->tree, NULL)); // once more is nothing
    goOn(cloth, 0.5);
    expectRefit(cloth);
    dropCloth(cloth);
}

static void badVerticesOfKeyframesAreRefused(void** state) {
    (void)state;
    Cloth* cloth = makeCloth(testSeed(918), true, grz_kineticOrdered, usual);
    grzFlightplan* plan = cloth->plan;
    grzFlightplanFrame frames[FRAMES];
    for (uint32_t f = 0; f < FRAMES; ++f)
        frames[f] = (grzFlightplanFrame){cloth->frames[f], 0};
    uint32_t first = 77;
    cloth->frames[3][3 * 6 + 1] = (float)INFINITY;
    grzResult result = grzFlightplan_AddFrameVertices(plan, 2, frames, &first);
    assert_true(result.status == grz_notFinite && result.index == 6 && result.value == 3);
    result = grzFlightplan_AddFrameVertices(plan, 2, NULL, &first);
    assert_true(result.status == grz_notFinite && result.index == 6 && result.value == 3);
    ok(grzFlightplan_AddFrameVertices(plan, 1, NULL, &first));
    assert_int_equal(first, 5);
    frames[2].stride = 8;
    result = grzFlightplan_AddFrameVertices(plan, 0, frames, &first);
    assert_true(result.status == grz_badArgument && result.part == grz_partFrame && result.index == 2);
    frames[2] = (grzFlightplanFrame){NULL, 0};
    result = grzFlightplan_AddFrameVertices(plan, 0, frames, &first);
    assert_true(result.status == grz_badArgument && result.index == 2);
    assert_int_equal(grzFlightplan_AddFrameVertices(plan, SIZE_MAX, NULL, &first).status, grz_tooLarge);
    assert_int_equal(grzFlightplan_AddFrameVertices(plan, GRZ_MESH_MAX_VERTICES, NULL, &first).status,
                     grz_tooLarge);
    assert_int_equal(grzFlightplan_VertexCount(plan), 6);
    dropCloth(cloth);
    cloth = makeCloth(918, false, grz_kineticOrdered, usual);
    assert_int_equal(grzFlightplan_AddFrameVertices(cloth->plan, 0, NULL, &first).status, grz_badArgument);
    dropCloth(cloth);
}

// The arrays of keyframes may come to lie elsewhere, with another stride.
static void keyframesMayMove(void** state) {
    (void)state;
    Cloth* cloth = makeCloth(testSeed(919), true, grz_kineticOrdered, usual);
    followTo(cloth, 40, 0);
    goOn(cloth, 0.4);
    float* moved[FRAMES];
    grzFlightplanFrame frames[FRAMES];
    for (uint32_t f = 0; f < FRAMES; ++f) {
        moved[f] = takeNumbers(5 * (size_t)MOST_VERTICES);
        placeVertex(cloth, cloth->vertexCount);
    }
    for (uint32_t f = 0; f < FRAMES; ++f) {
        for (size_t v = 0; v <= cloth->vertexCount; ++v)
            memcpy(moved[f] + 5 * v, cloth->frames[f] + 3 * v, 3 * sizeof(float));
        frames[f] = (grzFlightplanFrame){moved[f], 5 * sizeof(float)};
    }
    uint32_t first;
    ok(grzFlightplan_AddFrameVertices(cloth->plan, 1, frames, &first));
    for (uint32_t f = 0; f < FRAMES; ++f)
        memset(cloth->frames[f], 0xff, 12 * (size_t)MOST_VERTICES); // not read any more
    const uint32_t number = 7, corners[3] = {first, 0, 1};
    const grzBvhEdit edit = {.newVertexCount = 1, .changed = &number, .changedCorners = corners, .changedCount = 1};
    ok(grzBvh_Edit(cloth->bvh, &edit));
    cloth->vertexCount++;
    ok(grzKineticTree_Follow(cloth->tree, NULL));
    expectRefit(cloth);
    for (int k = 0; k < 8; ++k) {
        goOn(cloth, 0.4);
        expectRefit(cloth);
    }
    dropCloth(cloth);
    for (uint32_t f = 0; f < FRAMES; ++f)
        free(moved[f]);
}

// Within an interval and at a keyframe, while the hierarchy stays.
static void keyframesMayMoveUnderATreeThatNeedNotFollow(void** state) {
    (void)state;
    for (int order = 0; order < 2; ++order) {
        Cloth* cloth = makeCloth(testSeed(921), true, (grzKineticOrder)order, usual);
        followTo(cloth, 400, 0);
        for (int round = 0; round < 8; ++round) {
            goOn(cloth, 0.25);
            grzFlightplanFrame frames[FRAMES];
            for (uint32_t f = 0; f < FRAMES; ++f) {
                float* moved = takeNumbers(3 * (size_t)MOST_VERTICES);
                memcpy(moved, cloth->frames[f], 12 * (size_t)MOST_VERTICES);
                free(cloth->frames[f]);
                cloth->frames[f] = moved;
                frames[f] = (grzFlightplanFrame){moved, 0};
            }
            uint32_t first;
            ok(grzFlightplan_AddFrameVertices(cloth->plan, 0, frames, &first));
            expectRefit(cloth);
            goOn(cloth, 0.125);
            expectRefit(cloth);
        }
        dropCloth(cloth);
    }
}

static void memoryMayBeRefusedAtAnyRequest(void** state) {
    (void)state;
    const uint64_t seed = testSeed(920);
    for (int kind = 0; kind < 4; ++kind) {
        TestMemory memory = {.failAt = SIZE_MAX};
        Cloth* cloth = makeCloth(seed, kind % 2 == 0, (grzKineticOrder)(kind / 2), testAllocator(&memory));
        static const uint32_t sizes[] = {100, 5000, 20};
        for (size_t i = 0; i < 3; ++i) {
            goOn(cloth, 0.1);
            const grzBox box = grzKineticTree_Box(cloth->tree, 0, 0);
            editTo(cloth, sizes[i], 1);
            size_t refusals = 0;
            grzResult result;
            for (;; ++refusals) {
                memory.failAt = memory.requests + refusals;
                const size_t live = memory.liveCount;
                result = grzKineticTree_Follow(cloth->tree, NULL);
                memory.failAt = SIZE_MAX;
                if (grzResult_IsOk(result))
                    break;
                assert_true(result.status == grz_outOfMemory && memory.liveCount == live);
                const grzBox after = grzKineticTree_Box(cloth->tree, 0, 0);
                assert_true(box.lower.x == after.lower.x && box.upper.z == after.upper.z);
            }
            assert_true(refusals >= 2);
            expectRefit(cloth);
            goOn(cloth, 0.1);
            expectRefit(cloth);
        }
        dropCloth(cloth);
        assert_int_equal(memory.liveCount, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everySizeIsPassedUpAndDown),
        cmocka_unit_test(thousandsOfSmallEditsAreFollowed),
        cmocka_unit_test(partsComeAndGo),
        cmocka_unit_test(aSmallEditCostsLittle),
        cmocka_unit_test(whatCannotBeFollowedInPlaceIsMadeAnew),
        cmocka_unit_test(everythingIsTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(aTreeThatHasNotFollowedDoesNotGoOn),
        cmocka_unit_test(badVerticesOfKeyframesAreRefused),
        cmocka_unit_test(keyframesMayMove),
        cmocka_unit_test(keyframesMayMoveUnderATreeThatNeedNotFollow),
        cmocka_unit_test(memoryMayBeRefusedAtAnyRequest),
    };
    return cmocka_run_group_tests_name("kinetic_edit", tests, NULL, NULL);
}
