// Pairs of leaves at frames between keyframes: those of active chord pairs whose boxes overlap are exactly the pairs of a refit and a plain
// traversal, and of all leaves each tested against each; two plans, one beside what rests, one within itself, paths, both numberings; pairs
// that chord pairs know to overlap do so, and are not looked at; the same bytes for any workers and at every level; refused queries and refused memory change nothing.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/stage/leaf_triangles.h"
#include "simd_dispatch.h"

enum { STEPS = 4 }; // times in each interval

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// ---- searches ----

// A scene with all that says where it is.
typedef struct Mover {
    Scene scene;
    grzFlightplan* plan;
    grzChordTree* tree;
    float* positions; // in the caller's numbers
    grzBvhNode* nodes;
} Mover;

static void refit(Mover* mover, double time) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    ok(grzFlightplan_Evaluate(mover->plan, NULL, time, mover->positions, 0));
    refit.positions = mover->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(mover->scene.bvh, NULL, &refit, mover->nodes));
}

static Mover makeMover(grzRng* rng, uint32_t side, HeightFn* height, bool isOnPaths) {
    Mover mover = {.scene = makeScene(rng, side, height)};
    grzChordTreeDef def = grzDefaultChordTreeDef();
    mover.plan = isOnPaths ? planPaths(&mover.scene) : planFrames(&mover.scene, FRAMES);
    mover.positions = takeNumbers(3 * (size_t)mover.scene.vertexCount);
    mover.nodes = take(grzBvh_GetView(mover.scene.bvh).nodeCount, sizeof *mover.nodes);
    def.bvh = mover.scene.bvh, def.plan = mover.plan;
    if (!isOnPaths)
        ok(grzChordTree_Create(&def, &mover.tree));
    refit(&mover, 0);
    return mover;
}

static void dropMover(Mover* mover) {
    grzChordTree_Destroy(mover->tree);
    grzFlightplan_Destroy(mover->plan);
    free(mover->positions), free(mover->nodes);
    dropScene(&mover->scene);
}

static grzLeafBoxesSide sideOf(const Mover* mover, double time) {
    return (grzLeafBoxesSide){
        .bvh = mover->scene.bvh, .plan = mover->plan, .numbering = grz_bvhCallersNumbers, .time = time};
}

static grzLeafBoxesSide restOf(const Mover* mover) {
    return (grzLeafBoxesSide){.bvh = mover->scene.bvh, .nodes = mover->nodes};
}

static grzLeafTriangles* makeTriangles(void) {
    const grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    grzLeafTriangles* triangles;
    ok(grzLeafTriangles_Create(&def, &triangles));
    return triangles;
}

// Of the nodes that movers have now. b NULL: within a.
static grzBoxPairs* traverse(const Mover* a, const Mover* b, const grzTransform* pose, float margin) {
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    grzBoxPairs* pairs;
    def.keepsFront = false;
    query.a = (grzBoxSet){a->scene.bvh, a->nodes};
    if (b != NULL)
        query.b = (grzBoxSet){b->scene.bvh, b->nodes};
    query.poseB = pose, query.margin = margin;
    ok(grzBoxPairs_Create(&def, &pairs));
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    return pairs;
}

static void expectTraversalOf(const grzLeafTriangles* triangles, const Mover* a, const Mover* b,
                              const grzTransform* pose, float margin) {
    grzBoxPairs* pairs = traverse(a, b, pose, margin);
    const grzBoxPairsView wanted = grzBoxPairs_GetView(pairs);
    const grzLeafBoxesView found = grzLeafTriangles_GetLeaves(triangles);
    assert_int_equal(found.count, wanted.count);
    for (size_t i = 0; i < found.count; ++i)
        assert_true(found.pairs[i].leafA == wanted.pairs[i].leafA && found.pairs[i].leafB == wanted.pairs[i].leafB);
    grzBoxPairs_Destroy(pairs);
}

static void expectTraversal(const grzLeafTriangles* triangles, const Mover* a, const Mover* b) {
    expectTraversalOf(triangles, a, b, NULL, 0);
}

// Every leaf with every other, in order.
static grzLeafPair* allPairs(const Mover* a, const Mover* b, size_t* count) {
    const uint32_t leavesA = grzBvh_GetView(a->scene.bvh).leafCount,
                   leavesB = grzBvh_GetView((b != NULL ? b : a)->scene.bvh).leafCount;
    grzLeafPair* pairs = take((size_t)leavesA * leavesB, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < leavesA; ++i)
        for (uint32_t j = b != NULL ? 0 : i; j < leavesB; ++j)
            pairs[(*count)++] = (grzLeafPair){i, j, 0.25F, 0.5F};
    return pairs;
}

// ---- tests ----

typedef struct Seen {
    size_t exact, dropped, known; // pairs
} Seen;

static size_t countBits(const uint64_t* words, size_t count) {
    size_t sum = 0;
    for (size_t w = 0; w < count; ++w)
        sum += (size_t)__builtin_popcountll(words[w]);
    return sum;
}

static void goThrough(Mover* a, Mover* b, bool rests, Seen* seen) {
    grzChordPairsDef def = grzDefaultChordPairsDef();
    grzLeafTriangles* triangles = makeTriangles();
    grzChordPairs* chords;
    size_t allCount;
    grzLeafPair* all = allPairs(a, b, &allCount);
    def.treeA = a->tree, def.treeB = b == NULL ? a->tree : rests ? NULL : b->tree;
    def.findsKnown = true;
    if (rests)
        def.bvhB = b->scene.bvh, def.nodesB = b->nodes;
    ok(grzChordPairs_Create(&def, &chords));
    for (int k = 0; k <= STEPS * (FRAMES - 1); ++k) {
        const double time = (double)k / STEPS + (k % STEPS != 0 ? 0.017 * (k % 5) : 0);
        ok(grzChordTree_Advance(a->tree, NULL, time));
        refit(a, time);
        if (b != NULL && !rests) {
            ok(grzChordTree_Advance(b->tree, NULL, time));
            refit(b, time);
        }
        ok(grzChordPairs_Advance(chords, NULL));
        const grzChordPairsView view = grzChordPairs_GetView(chords);
        grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
        query.pairs = view.pairs, query.count = view.count, query.asked = view.active;
        assert_true(grzChordPairs_Validate(chords));
        query.a = sideOf(a, time);
        if (b != NULL)
            query.b = rests ? restOf(b) : sideOf(b, time);
        ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        assert_true(grzLeafTriangles_ValidateLeaves(triangles, &query));
        expectTraversal(triangles, a, b);
        seen->exact += grzLeafTriangles_GetLeaves(triangles).count;
        seen->dropped += view.activeCount - grzLeafTriangles_GetLeaves(triangles).count;
        query.asked = view.known; // all of them overlap
        ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        assert_int_equal(grzLeafTriangles_GetLeaves(triangles).count, countBits(view.known, view.wordCount));
        seen->known += grzLeafTriangles_GetLeaves(triangles).count;
        query.asked = view.active, query.known = view.known;
        ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        expectTraversal(triangles, a, b);
        query.known = NULL;
        query.pairs = all, query.count = allCount, query.asked = NULL;
        ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        expectTraversal(triangles, a, b);
    }
    grzChordPairs_Destroy(chords);
    grzLeafTriangles_Destroy(triangles);
    free(all);
}

static void as_a_traversal(void** state) {
    (void)state;
    static HeightFn* const others[] = {noise, waves, mirrored, far};
    grzRng rng = grzRng_Make(testSeed(961), 0);
    Seen seen = {0, 0, 0};
    for (size_t h = 0; h < 4; ++h)
        for (int kind = 0; kind < 3; ++kind) { // two plans, one beside what rests, one within itself
            Mover a = makeMover(&rng, 14, waves, false), b = makeMover(&rng, h == 0 ? 2 : 19, others[h], false);
            goThrough(kind == 2 ? &b : &a, kind == 2 ? NULL : &b, kind == 1, &seen);
            dropMover(&a), dropMover(&b);
        }
    assert_true(seen.dropped > 100 && seen.known > seen.exact / 20);
    printf("[   seen   ] %zu pairs, of which %zu are known; %zu more are active\n", seen.exact, seen.known,
           seen.dropped);
}

// As a search by boxes has it: leaves that come within a margin, of what rests under a pose too.
static void margins_and_poses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(967), 0);
    Mover a = makeMover(&rng, 14, waves, false), b = makeMover(&rng, 11, noise, false);
    grzLeafTriangles* triangles = makeTriangles();
    size_t count, found = 0;
    grzLeafPair* all = allPairs(&a, &b, &count);
    for (int k = 0; k < 12; ++k) {
        const grzTransform pose =
            grzTransform_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(0, 0.6F, 0.8F), 0.3F * (float)k),
                                  grzVec3_Make(0.1F * (float)k, 0.2F, 0));
        grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
        query.pairs = all, query.count = count;
        query.a = sideOf(&a, 0.3 * k), query.b = restOf(&b);
        query.poseB = k % 3 == 0 ? NULL : &pose;
        query.margin = k % 2 == 0 ? 0.07F : 0;
        refit(&a, 0.3 * k);
        ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        assert_true(grzLeafTriangles_ValidateLeaves(triangles, &query));
        expectTraversalOf(triangles, &a, &b, query.poseB, query.margin);
        found += grzLeafTriangles_GetLeaves(triangles).count;
    }
    assert_true(found > 100);
    free(all);
    grzLeafTriangles_Destroy(triangles);
    dropMover(&a), dropMover(&b);
}

// Few leaves of many: few vertices are evaluated, and as many whether the plan has the caller's numbers or the tree's.
static void few_leaves(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(962), 0);
    Mover a = makeMover(&rng, 90, waves, false);
    const uint32_t leaves = grzBvh_GetView(a.scene.bvh).leafCount;
    grzLeafPair pairs[12];
    grzLeafTriangles* triangles = makeTriangles();
    grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
    for (uint32_t i = 0; i < 12; ++i)
        pairs[i] = (grzLeafPair){i, i % 2 == 0 ? i + 1 : leaves - 1 - i, 0, 1};
    query.pairs = pairs, query.count = 12, query.a = sideOf(&a, 1.3);
    ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
    assert_true(grzLeafTriangles_ValidateLeaves(triangles, &query));
    assert_in_range(grzLeafTriangles_GetLeaves(triangles).count, 1, 11);
    assert_in_range(grzLeafTriangles_GetStats(triangles).leaves, 24, 96);
    assert_in_range(grzLeafTriangles_GetStats(triangles).evaluated, 24, a.scene.vertexCount / 4);
    grzLeafTriangles_Destroy(triangles);
    dropMover(&a);
}

static void on_paths(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(963), 0);
    Mover a = makeMover(&rng, 12, noise, true), b = makeMover(&rng, 9, waves, true);
    grzLeafTriangles* triangles = makeTriangles();
    size_t count;
    grzLeafPair* all = allPairs(&a, &b, &count);
    for (int k = 0; k < 5; ++k) {
        grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
        query.pairs = all, query.count = count;
        query.a = sideOf(&a, 0.07 * k), query.b = sideOf(&b, 0.07 * k);
        refit(&a, 0.07 * k), refit(&b, 0.07 * k);
        ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        assert_true(grzLeafTriangles_ValidateLeaves(triangles, &query));
        expectTraversal(triangles, &a, &b);
    }
    free(all);
    grzLeafTriangles_Destroy(triangles);
    dropMover(&a), dropMover(&b);
}

// They are taken as they are, also where their leaves are far from each other or none.
static void known_pairs(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(964), 0);
    Mover a = makeMover(&rng, 8, waves, false), b = makeMover(&rng, 8, far, false);
    const grzLeafPair pairs[] = {{0, 0, 0, 1}, {0, 3, 0, 1}, {1, 900, 0, 1}, {2, 2, 0, 1}};
    const uint64_t asked = 7, known = 12, stray = 8;
    grzLeafTriangles* triangles = makeTriangles();
    grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
    query.pairs = pairs, query.count = 4, query.asked = &asked, query.known = &known;
    query.a = sideOf(&a, 0.5), query.b = sideOf(&b, 0.5);
    ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
    assert_int_equal(grzLeafTriangles_GetLeaves(triangles).count, 1);
    assert_int_equal(grzLeafTriangles_GetLeaves(triangles).pairs[0].leafB, 900);
    query.known = &stray, query.count = 2;
    ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
    assert_int_equal(grzLeafTriangles_GetLeaves(triangles).count, 0);
    query.count = 0, query.pairs = NULL;
    ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
    grzLeafTriangles_Destroy(triangles);
    dropMover(&a), dropMover(&b);
}

static void same_bytes(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(965), 0);
    Mover a = makeMover(&rng, 40, waves, false), b = makeMover(&rng, 30, mirrored, false);
    grzLeafTriangles *first = makeTriangles(), *triangles = makeTriangles();
    grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
    size_t count;
    grzLeafPair* all = allPairs(&a, &b, &count);
    query.pairs = all, query.count = count, query.a = sideOf(&a, 2.3), query.b = sideOf(&b, 2.3);
    ok(grzLeafTriangles_FindLeaves(first, NULL, &query));
    const grzLeafBoxesView wanted = grzLeafTriangles_GetLeaves(first);
    const grzSimdLevel usual = grzSimd_Level();
    assert_true(wanted.count > 100);
    for (int w = 0; w < 4; ++w)
        for (int level = 0; level <= grz_simdNeon; ++level) {
            grzTasksDef def = grzDefaultTasksDef();
            grzTasks* tasks;
            if (!grzSimd_Supports((grzSimdLevel)level))
                continue;
            grzSimd_Force((grzSimdLevel)level);
            def.workerCount = workers[w];
            ok(grzTasks_Create(&def, &tasks));
            ok(grzLeafTriangles_FindLeaves(triangles, tasks, &query));
            const grzLeafBoxesView view = grzLeafTriangles_GetLeaves(triangles);
            assert_int_equal(view.count, wanted.count);
            assert_memory_equal(view.pairs, wanted.pairs, view.count * sizeof *view.pairs);
            grzTasks_Destroy(tasks);
        }
    grzSimd_Force(usual);
    grzLeafTriangles_Destroy(first), grzLeafTriangles_Destroy(triangles);
    free(all);
    dropMover(&a), dropMover(&b);
}

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(966), 0);
    Mover a = makeMover(&rng, 8, waves, false), b = makeMover(&rng, 6, waves, false);
    grzLeafTriangles* triangles = makeTriangles();
    size_t count;
    grzLeafPair* all = allPairs(&a, &b, &count);
    grzLeafBoxesQuery good = grzDefaultLeafBoxesQuery(), bad[12];
    const grzTransform pose = grzTransform_Identity(),
                       far = grzTransform_FromQuat(grzQuat_Identity(), grzVec3_Make(0x1p61F, 0, 0));
    good.pairs = all, good.count = count, good.a = sideOf(&a, 1.5), good.b = restOf(&b);
    ok(grzLeafTriangles_FindLeaves(triangles, NULL, &good));
    const size_t found = grzLeafTriangles_GetLeaves(triangles).count;
    // Sides speak in the caller's numbers, as the defs of trees and upkeeps do, if nothing else is said.
    bad[0] = grzDefaultLeafBoxesQuery();
    assert_true(bad[0].a.numbering == grz_bvhCallersNumbers && bad[0].b.numbering == grz_bvhCallersNumbers);
    for (int i = 0; i < 12; ++i)
        bad[i] = good;
    bad[0].mark = 0;
    bad[1].a.bvh = NULL;
    bad[2].b.bvh = NULL;
    bad[3].pairs = NULL;
    bad[4].a.plan = NULL;
    bad[5].a.nodes = a.nodes;
    bad[6].a.numbering = (grzBvhNumbering)2;
    bad[7].a.plan = b.plan;
    bad[8].a.time = FRAMES;
    bad[9].b = sideOf(&b, 1.5), bad[9].poseB = &pose;
    bad[10].poseB = &far;
    bad[11].margin = -1;
    for (int i = 0; i < 12; ++i)
        assert_int_equal(grzLeafTriangles_FindLeaves(triangles, NULL, &bad[i]).status, grz_badArgument);
    bad[11].margin = (float)NAN;
    assert_int_equal(grzLeafTriangles_FindLeaves(triangles, NULL, &bad[11]).status, grz_notFinite);
    all[5].leafB = 1000;
    const grzResult result = grzLeafTriangles_FindLeaves(triangles, NULL, &good);
    assert_true(result.status == grz_indexTooLarge && result.index == 5 && result.value == 1000);
    all[5].leafB = all[4].leafB + 1;
    assert_int_equal(grzLeafTriangles_GetLeaves(triangles).count, found);
    assert_true(grzLeafTriangles_ValidateLeaves(triangles, &good));
    assert_false(grzLeafTriangles_ValidateLeaves(triangles, &bad[0]));
    good.count = found / 2;
    assert_false(grzLeafTriangles_ValidateLeaves(triangles, &good));
    grzLeafTriangles_Destroy(triangles);
    free(all);
    dropMover(&a), dropMover(&b);
}

// Each request is refused once; then all is found, and nothing more is asked for.
static void refused_memory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(967), 0);
    Mover a = makeMover(&rng, 12, waves, false), b = makeMover(&rng, 9, mirrored, false);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
    size_t count, refused = 0;
    grzLeafPair* all = allPairs(&a, &b, &count);
    query.pairs = all, query.count = count, query.a = sideOf(&a, 0.3), query.b = sideOf(&b, 0.3);
    def.allocator = testAllocator(&memory);
    for (bool isDone = false; !isDone; ++refused) {
        grzLeafTriangles* triangles;
        memory.requests = 0, memory.failAt = refused;
        if (grzResult_IsOk(grzLeafTriangles_Create(&def, &triangles))) {
            const grzResult result = grzLeafTriangles_FindLeaves(triangles, NULL, &query);
            isDone = grzResult_IsOk(result);
            assert_true(isDone || result.status == grz_outOfMemory);
            assert_true(isDone || grzLeafTriangles_GetLeaves(triangles).count == 0);
            memory.failAt = SIZE_MAX;
            ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
            assert_true(grzLeafTriangles_ValidateLeaves(triangles, &query));
            assert_int_equal(grzLeafTriangles_MemorySize(triangles), memory.liveBytes);
            memory.failAt = memory.requests;
            ok(grzLeafTriangles_FindLeaves(triangles, NULL, &query));
        }
        grzLeafTriangles_Destroy(triangles);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refused > 8);
    free(all);
    dropMover(&a), dropMover(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_traversal), cmocka_unit_test(margins_and_poses), cmocka_unit_test(few_leaves),
        cmocka_unit_test(on_paths),       cmocka_unit_test(known_pairs),       cmocka_unit_test(same_bytes),
        cmocka_unit_test(refuses),        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
