// Lazy chord trees: whatever was reached, every node is that of a tree that is not lazy, byte for byte; chunks that are not reached
// cost their one box at a keyframe, and nothing else, not a byte of their nodes; what is reached is made once; queries reach what
// they read, from several threads too; the same bytes for any workers and at every level.
#include "kinetic_testing.h"

#include <math.h>

#include "chord_lazy.h"
#include "graze/upkeep.h"
#include "simd_dispatch.h"

#define FREE ((float)INFINITY)

static grzChordTree* makeTree(const Scene* scene, const grzFlightplan* plan, bool isLazy, float looseness,
                              grzBvhNumbering numbering) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene->bvh, def.plan = plan, def.isLazy = isLazy, def.looseness = looseness;
    def.numbering = numbering;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    return tree;
}

static grzBvhNode* takeNodes(const Scene* scene) {
    grzBvhNode* nodes = calloc(grzBvh_GetView(scene->bvh).nodeCount, sizeof *nodes);
    assert_non_null(nodes);
    return nodes;
}

// ---- beside a tree that is not lazy ----

typedef struct Both {
    const Scene* scene;
    const grzFlightplan* plan;
    grzChordTree *lazy, *eager;
    grzBvhNode* expected;
    float* positions;
    grzBvhView view;
} Both;

static Both makeBoth(const Scene* scene, const grzFlightplan* plan, grzBvhNumbering numbering) {
    Both both = {scene, plan, NULL, NULL, NULL, NULL, grzBvh_GetView(scene->bvh)};
    both.lazy = makeTree(scene, plan, true, FREE, numbering);
    both.eager = makeTree(scene, plan, false, FREE, numbering);
    both.expected = takeNodes(scene);
    both.positions = takeNumbers(3 * (size_t)scene->vertexCount);
    return both;
}

static void dropBoth(Both* both) {
    grzChordTree_Destroy(both->lazy);
    grzChordTree_Destroy(both->eager);
    free(both->expected), free(both->positions);
}

static void expectNodes(const Both* both) {
    for (uint32_t level = 0; level < both->view.levelCount; ++level)
        for (uint32_t i = both->view.levelStarts[level]; i < both->view.levelStarts[level + 1]; ++i) {
            grzBvhNode node;
            grzChordTree_ReadNode(both->lazy, level, i - both->view.levelStarts[level], &node);
            assert_memory_equal(&node, &both->expected[i], sizeof node);
        }
}

// Of the eager tree, and at a keyframe of a refit, where positions lie as the caller has them.
static void expectSame(const Both* both, double time, bool isCallers) {
    ok(grzChordTree_WriteBoxes(both->eager, NULL, both->expected));
    expectNodes(both);
    if (time != floor(time) || !isCallers)
        return;
    ok(grzFlightplan_Evaluate(both->plan, NULL, time, both->positions, 0));
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = both->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(both->scene->bvh, NULL, &refit, both->expected));
    expectNodes(both);
}

static void reachSome(const Both* both, grzRng* rng) {
    uint64_t chunks[4] = {0, 0, 0, 0};
    assert_true(both->view.chunkCount <= 256);
    for (uint32_t c = 0; c < both->view.chunkCount; ++c)
        chunks[c / 64] |= (uint64_t)(grzRng_Below(rng, 3) == 0) << c % 64;
    ok(grzChordTree_Reach(both->lazy, NULL, chunks));
}

static void goTo(const Both* both, double time) {
    ok(grzChordTree_Advance(both->lazy, NULL, time));
    ok(grzChordTree_Advance(both->eager, NULL, time));
}

// Within intervals, over keyframes, onto them, to the end of the plan and back, after pieces were made ready elsewhere.
static void goToAndFro(const Both* both, grzRng* rng, bool isCallers) {
    double time = 0;
    for (int round = 0; round < 30; ++round) {
        const uint32_t kind = grzRng_Below(rng, 6);
        time = kind == 0   ? FRAMES - 1
               : kind == 1 ? floor(time)
               : kind == 2 ? 4 * (double)grzRng_Float(rng)
                           : fmin(time + 0.4 * (double)grzRng_Float(rng), FRAMES - 1);
        if (round % 7 == 3)
            grzChordTree_Prepare(both->lazy, NULL, grzRng_Below(rng, FRAMES - 1), grzRng_Below(rng, 40));
        goTo(both, time);
        expectSame(both, time, isCallers);
        reachSome(both, rng);
        expectSame(both, time, isCallers);
    }
    assert_true(grzChordTree_Validate(both->lazy));
}

// The plan of a scene with vertices as the tree has them; `frames` gets the positions.
static grzFlightplan* planTrees(const Scene* scene, float* frames) {
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

static void compare(const Scene* scene, grzRng* rng) {
    float* frames = malloc(3 * FRAMES * scene->vertexCount * sizeof *frames); // nothing lies behind the last vertex
    assert_non_null(frames);
    grzFlightplan *plan = planFrames(scene, FRAMES), *own = planTrees(scene, frames);
    Both both = makeBoth(scene, plan, grz_bvhCallersNumbers);
    goToAndFro(&both, rng, true);
    dropBoth(&both);
    both = makeBoth(scene, own, grz_bvhTreesNumbers);
    goToAndFro(&both, rng, false);
    dropBoth(&both);
    grzFlightplan_Destroy(plan);
    grzFlightplan_Destroy(own);
    free(frames);
}

// One chunk, two, nine, and levels above them.
static const uint32_t sides[] = {2, 12, 13, 34, 69};

static void nodesAreThoseOfATreeThatIsNotLazy(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(951), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int h = 0; h < HEIGHTS; ++h) {
            if (sides[s] > 40 && h != 1)
                continue;
            Scene scene = makeScene(&rng, sides[s], heights[h]);
            compare(&scene, &rng);
            dropScene(&scene);
        }
}

// Of the zeros of a chunk a refit takes the one that comes last in an order of its own.
static void zerosHaveTheSignsOfARefit(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(952), 0);
    for (int mostly = 0; mostly < 3; ++mostly) {
        Scene scene = makeScene(&rng, 34, flat);
        for (int f = 0; f < FRAMES; ++f)
            for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i)
                scene.frames[f][i] = grzRng_Below(&rng, 200) < (mostly == 0   ? 100U
                                                                : mostly == 1 ? 1U
                                                                              : 199U)
                                         ? 0.0F
                                         : -0.0F;
        compare(&scene, &rng);
        dropScene(&scene);
    }
}

// What a chunk's box is made of: each vertex stands in one chunk's range, and in the lists are but the borders.
static void chunksListTheirVerticesOnce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(960), 0);
    Scene scene = makeScene(&rng, 69, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzChordTree* tree = makeTree(&scene, plan, true, FREE, grz_bvhCallersNumbers);
    const ChordLazy* lazy = tree->lazy;
    uint32_t next = 0;
    for (uint32_t c = 0; c < tree->view.chunkCount; ++c) {
        assert_int_equal(lazy->ranges[c].first, next);
        next += lazy->ranges[c].count;
    }
    assert_int_equal(next, scene.vertexCount);
    assert_true(lazy->otherCount > 0 && lazy->otherCount < scene.vertexCount / 2);
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- what is not reached ----

// The nodes of all chunks from `first` on, those above the bottom and the bottom.
typedef struct Below {
    uint32_t above, aboveCount, bottom, bottomCount;
} Below;

static Below belowOf(const grzBvhView* view, uint32_t first) {
    const uint32_t above = view->levelStarts[view->levelCount - 2] + first, end = grzBvhView_BottomStart(view);
    const uint32_t bottom = first < view->chunkCount ? end + 8 * first : view->nodeCount;
    return (Below){above, end - above, bottom, view->nodeCount - bottom};
}

// Fills them with a pattern in all sets.
static void soil(const grzChordTree* tree, uint32_t first) {
    const Below below = belowOf(&tree->view, first);
    for (int i = 0; i < CHORD_SETS; ++i) {
        memset(&tree->sets[i].nodes[below.above], 0xA5, below.aboveCount * sizeof(grzBvhNode));
        memset(&tree->sets[i].nodes[below.bottom], 0xA5, below.bottomCount * sizeof(grzBvhNode));
    }
}

static void expectSoiled(const grzBvhNode* nodes, size_t count) {
    for (size_t i = 0; i < count * sizeof *nodes; ++i)
        assert_int_equal(((const unsigned char*)nodes)[i], 0xA5);
}

static void expectUntouched(const grzChordTree* tree, uint32_t first) {
    const Below below = belowOf(&tree->view, first);
    for (int i = 0; i < CHORD_SETS; ++i) {
        expectSoiled(&tree->sets[i].nodes[below.above], below.aboveCount);
        expectSoiled(&tree->sets[i].nodes[below.bottom], below.bottomCount);
    }
}

// A frame after the other to the last keyframe, with chunks 0 .. reached - 1 reached in each.
static void goThrough(const Scene* scene, float looseness, uint32_t reached) {
    enum { STEPS = 12 };
    grzFlightplan* plan = planFrames(scene, FRAMES);
    grzChordTree* tree = makeTree(scene, plan, true, looseness, grz_bvhCallersNumbers);
    const uint64_t chunks = grzBvh_GetView(scene->bvh).chunkCount, some = (UINT64_C(1) << reached) - 1;
    soil(tree, reached);
    for (int k = 0; k < STEPS * (FRAMES - 1); ++k) {
        ok(grzChordTree_Advance(tree, NULL, (double)k / STEPS));
        ok(grzChordTree_Reach(tree, NULL, &some));
        ok(grzChordTree_Reach(tree, NULL, &some));
    }
    // The first keyframe was whole from the start; the last but one has no interval after it that is spread.
    const grzChordTreeStats stats = grzChordTree_GetStats(tree);
    assert_int_equal(stats.chunks, reached * (FRAMES - 1));
    assert_int_equal(stats.roots, chunks * (FRAMES - 2)); // two keyframes were there from the start
    assert_true(stats.early > 0 && stats.early <= stats.roots);
    expectUntouched(tree, reached);
    assert_true(grzChordTree_Validate(tree));
    expectUntouched(tree, reached); // nor does reading
    assert_int_equal(grzChordTree_GetStats(tree).chunks, stats.chunks);
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
}

static void whatIsNotReachedDoesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(953), 0);
    Scene scene = makeScene(&rng, 34, waves);
    for (uint32_t reached = 0; reached <= 9; reached += 3) {
        goThrough(&scene, FREE, reached);
        goThrough(&scene, 0.05F, reached);
    }
    dropScene(&scene);
}

// The nodes of an interval's end serve the next one.
static void aKeyframeIsMadeOnceForBothItsIntervals(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(954), 0);
    Scene scene = makeScene(&rng, 34, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzChordTree* tree = makeTree(&scene, plan, true, FREE, grz_bvhCallersNumbers);
    const uint64_t first = 1, second = 2;
    static const double times[] = {0.2, 0.9, 1.5, 3.5};
    static const uint64_t expected[] = {1, 1, 2, 4}; // the last one: two keyframes, neither of which was there
    for (size_t i = 0; i < 4; ++i) {
        ok(grzChordTree_Advance(tree, NULL, times[i]));
        ok(grzChordTree_Reach(tree, NULL, &first));
        assert_int_equal(grzChordTree_GetStats(tree).chunks, expected[i]);
    }
    ok(grzChordTree_Reach(tree, NULL, &second));
    assert_int_equal(grzChordTree_GetStats(tree).chunks, 6);
    grzBvhNode* nodes = takeNodes(&scene);
    ok(grzChordTree_WriteBoxes(tree, NULL, nodes));
    assert_int_equal(grzChordTree_GetStats(tree).chunks, 2 + 2 * 9); // at keyframes 1 and 2, at 3 and 4
    free(nodes);
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- looseness ----

// What was not reached is looked at where it is read, as in a tree that came by a long step; what was, is cut as in that one.
static void loosenessIsHeldWhateverIsReached(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(955), 0);
    Scene scene = makeScene(&rng, 34, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    Both both = {&scene,
                 plan,
                 NULL,
                 NULL,
                 takeNodes(&scene),
                 takeNumbers(3 * (size_t)scene.vertexCount),
                 grzBvh_GetView(scene.bvh)};
    both.lazy = makeTree(&scene, plan, true, 0.02F, grz_bvhCallersNumbers);
    both.eager = makeTree(&scene, plan, false, 0.02F, grz_bvhCallersNumbers);
    static const double times[] = {2.3, 0.7, 3.9, 4, 3.2};
    uint64_t cut = 0;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        const uint64_t some = 1 + grzRng_Below(&rng, 511);
        ok(grzChordTree_Advance(both.eager, NULL, times[i] > 2 ? 0 : 4)); // so that all steps are long
        goTo(&both, times[i]);
        expectSame(&both, times[i], true);
        ok(grzChordTree_Reach(both.lazy, NULL, &some));
        ok(grzChordTree_Reach(both.eager, NULL, &some));
        expectSame(&both, times[i], true);
        assert_true(grzChordTree_Validate(both.lazy));
        const grzChordTreeStats a = grzChordTree_GetStats(both.lazy), b = grzChordTree_GetStats(both.eager);
        assert_true(a.leavesRead == b.leavesRead && a.leavesCut == b.leavesCut);
        cut += a.leavesCut;
    }
    assert_true(cut > 0);
    dropBoth(&both);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- queries ----

static grzUpkeep* makeUpkeep(const Scene* scene, grzFlightplan* plan, bool isLazy) {
    grzUpkeepDef def = grzDefaultUpkeepDef();
    def.bvh = scene->bvh, def.plan = plan, def.ways = GRZ_UPKEEP_BIT(grz_upkeepChord), def.isLazy = isLazy;
    grzUpkeep* upkeep;
    ok(grzUpkeep_Create(&def, &upkeep));
    return upkeep;
}

static grzBox boxAround(const float* p, float size) {
    return (grzBox){grzVec3_Make(p[0] - size, p[1] - size, p[2] - size),
                    grzVec3_Make(p[0] + size, p[1] + size, p[2] + size)};
}

enum { QUERIES = 64 };

typedef struct Asking {
    const Scene* scene;
    const grzUpkeep* upkeep;
    uint32_t* found; // a row for each query
    size_t counts[QUERIES];
    float size;
} Asking;

static void askBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Asking* asking = context;
    const Scene* scene = asking->scene;
    for (uint32_t q = begin; q < end; ++q) {
        const float* p = scene->frames[2] + 3 * (size_t)(q * 7919 % scene->vertexCount);
        const grzResult result = grzUpkeep_FindInBox(asking->upkeep, boxAround(p, asking->size),
                                                     asking->found + (size_t)q * scene->triangleCount,
                                                     scene->triangleCount, &asking->counts[q]);
        if (!grzResult_IsOk(result))
            asking->counts[q] = SIZE_MAX;
    }
}

static Asking ask(const Scene* scene, const grzUpkeep* upkeep, grzTasks* tasks, float size) {
    Asking asking = {.scene = scene, .upkeep = upkeep, .size = size};
    asking.found = calloc((size_t)QUERIES * scene->triangleCount, sizeof *asking.found);
    assert_non_null(asking.found);
    grzParallelFor(tasks, QUERIES, 1, askBlock, &asking);
    return asking;
}

// By queries from several threads, some in the same chunks at a time; what they did is the same for any number of threads.
static void queriesReachWhatTheyRead(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static const float sizes[] = {0.01F, 1, 100};
    grzRng rng = grzRng_Make(testSeed(956), 0);
    Scene scene = makeScene(&rng, 34, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    for (size_t s = 0; s < 3; ++s) {
        uint64_t made = 0;
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            grzUpkeep *lazy = makeUpkeep(&scene, plan, true), *eager = makeUpkeep(&scene, plan, false);
            ok(grzUpkeep_Advance(lazy, NULL, 1.9, NULL));
            ok(grzUpkeep_Advance(eager, NULL, 1.9, NULL));
            Asking found = ask(&scene, lazy, tasks, sizes[s]), expected = ask(&scene, eager, NULL, sizes[s]);
            assert_memory_equal(found.counts, expected.counts, sizeof found.counts);
            assert_memory_equal(found.found, expected.found,
                                (size_t)QUERIES * scene.triangleCount * sizeof(uint32_t));
            const uint64_t chunks = grzUpkeep_GetStats(lazy).chunks;
            assert_true(chunks % 2 == 0 && chunks > 0 && chunks <= 2 * 9);
            assert_true(w == 0 || chunks == made);
            made = chunks;
            free(found.found), free(expected.found);
            grzUpkeep_Destroy(lazy), grzUpkeep_Destroy(eager);
            grzTasks_Destroy(tasks);
        }
        assert_true(sizes[s] < 100 || made == 2 * 9);
    }
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void aQueryThatMeetsNothingReachesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(957), 0);
    Scene scene = makeScene(&rng, 34, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzUpkeep* lazy = makeUpkeep(&scene, plan, true);
    const float away[3] = {1e6F, 0, 0};
    size_t count;
    for (int k = 1; k <= 40; ++k) {
        ok(grzUpkeep_Advance(lazy, NULL, 0.1 * k > 4 ? 4 : 0.1 * k, NULL));
        ok(grzUpkeep_FindInBox(lazy, boxAround(away, 1), NULL, 0, &count));
        assert_int_equal(count, 0);
    }
    assert_int_equal(grzUpkeep_GetStats(lazy).chunks, 0);
    grzUpkeep_Destroy(lazy);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- sameness, and refusals ----

static void writeTwo(const Scene* scene, const grzFlightplan* plan, grzTasks* tasks, grzBvhNode* first,
                     grzBvhNode* second) {
    const uint64_t some[1] = {UINT64_C(0x15555)};
    grzChordTree* tree = makeTree(scene, plan, true, 0.05F, grz_bvhCallersNumbers);
    for (int k = 1; k < 20; ++k) {
        ok(grzChordTree_Advance(tree, tasks, k / 13.0));
        ok(grzChordTree_Reach(tree, tasks, some));
    }
    for (uint32_t i = 0; i < tree->view.nodeCount; ++i)
        grzChord_Read(tree, i, 1, &first[i]);
    ok(grzChordTree_Advance(tree, tasks, 2.9));
    ok(grzChordTree_Reach(tree, tasks, some));
    ok(grzChordTree_WriteBoxes(tree, tasks, second));
    grzChordTree_Destroy(tree);
}

static void everythingIsTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(958), 0);
    Scene scene = makeScene(&rng, 69, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    const size_t size = grzBvh_GetView(scene.bvh).nodeCount * sizeof(grzBvhNode);
    grzBvhNode *expected[2] = {takeNodes(&scene), takeNodes(&scene)},
               *found[2] = {takeNodes(&scene), takeNodes(&scene)};
    writeTwo(&scene, plan, NULL, expected[0], expected[1]);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        for (size_t w = 0; w < 4; ++w) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers[w];
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            writeTwo(&scene, plan, tasks, found[0], found[1]);
            for (int i = 0; i < 2; ++i)
                assert_memory_equal(expected[i], found[i], size);
            grzTasks_Destroy(tasks);
        }
        grzSimd_Force(before);
    }
    for (int i = 0; i < 2; ++i)
        free(expected[i]), free(found[i]);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(959), 0);
    Scene scene = makeScene(&rng, 34, waves);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene.bvh, def.plan = plan, def.isLazy = true;
    TestMemory memory = {.failAt = 0};
    def.allocator = testAllocator(&memory);
    grzChordTree* tree = NULL;
    for (;; memory = (TestMemory){.failAt = memory.failAt + 1}) {
        const grzResult result = grzChordTree_Create(&def, &tree);
        if (grzResult_IsOk(result))
            break;
        assert_int_equal(result.status, grz_outOfMemory);
        assert_true(tree == NULL && memory.liveCount == 0);
    }
    assert_int_equal(memory.failAt, 4 + 8); // as any tree; and the lists, with scratch, and the marks
    assert_int_equal(grzChordTree_Reach(tree, NULL, NULL).status, grz_badArgument);
    assert_int_equal(grzChordTree_MemorySize(tree), memory.liveBytes);
    const size_t requests = memory.requests;
    const uint64_t all = 511;
    ok(grzChordTree_Advance(tree, NULL, 1.5));
    ok(grzChordTree_Reach(tree, NULL, &all));
    assert_int_equal(memory.requests, requests);
    grzChordTree_Destroy(tree);
    assert_int_equal(memory.liveCount, 0);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodesAreThoseOfATreeThatIsNotLazy),
        cmocka_unit_test(zerosHaveTheSignsOfARefit),
        cmocka_unit_test(chunksListTheirVerticesOnce),
        cmocka_unit_test(whatIsNotReachedDoesNothing),
        cmocka_unit_test(aKeyframeIsMadeOnceForBothItsIntervals),
        cmocka_unit_test(loosenessIsHeldWhateverIsReached),
        cmocka_unit_test(queriesReachWhatTheyRead),
        cmocka_unit_test(aQueryThatMeetsNothingReachesNothing),
        cmocka_unit_test(everythingIsTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests_name("chord_lazy", tests, NULL, NULL);
}
