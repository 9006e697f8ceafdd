// The published method behind the interface of time-critical queries: it is resumed, ends by itself or goes on to the exact answer,
// keeps its budgets, reports places, and runs in batches and in the scheduler beside fast queries.
#include "probe_testing.h"

#include <math.h>

#include "refusal_testing.h"

static const grzAllocator g_default;

typedef struct Fixture {
    ModelMesh mesh;
    grzModel* model;
    grzAdbTree* trees[2]; // over the model's boxes, and an octree
    grzModelProbe* probe;
} Fixture;

static grzAdbTree* makeTree(const grzModel* model, grzAdbShape shape, float areaFactor) {
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    grzAdbTree* tree = NULL;
    def.model = model, def.shape = shape, def.areaFactor = areaFactor;
    assert_true(grzResult_IsOk(grzAdbTree_Create(&def, &tree)));
    return tree;
}

static Fixture makeFixture(ModelMesh mesh) {
    Fixture fixture = {.mesh = mesh, .model = makeTestModel(&mesh, grz_bvhSah)};
    for (int shape = 0; shape < 2; ++shape)
        fixture.trees[shape] = makeTree(fixture.model, (grzAdbShape)shape, shape == 0 ? 0.05F : 0.4F);
    assert_true(grzResult_IsOk(grzModelProbe_Create(g_default, &fixture.probe)));
    return fixture;
}

static void freeFixture(Fixture* fixture) {
    grzModelProbe_Destroy(fixture->probe);
    grzAdbTree_Destroy(fixture->trees[0]);
    grzAdbTree_Destroy(fixture->trees[1]);
    grzModel_Destroy(fixture->model);
    freeMesh(&fixture->mesh);
}

static grzProbeQuery drawQuery(const Fixture* fixture, int shape) {
    grzProbeQuery query = grzDefaultProbeQuery();
    query.method = grz_probePublished;
    query.models = drawModelQuery(fixture->model, fixture->model, 1.4F);
    query.adb.a = query.adb.b = fixture->trees[shape];
    return query;
}

static grzProbeBudget budgetOf(uint32_t work, float error) {
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.work = work, budget.error = error;
    return budget;
}

static grzProbeAnswer runOn(grzModelProbe* probe, grzProbeBudget budget) {
    grzProbeAnswer answer;
    assert_true(grzResult_IsOk(grzModelProbe_Run(probe, &budget, &answer)));
    return answer;
}

static void begin(grzModelProbe* probe, const grzProbeQuery* query) {
    assert_true(grzResult_IsOk(grzModelProbe_Begin(probe, query)));
}

static void expectGuess(const grzProbeAnswer* answer) {
    assert_int_equal(answer->certainty, grz_probable);
    assert_true(answer->confidence >= 0.5F && answer->confidence < 1);
    assert_false(answer->isOwnFit);
}

// ---- runs ----

enum { PLACES = 80 };

// After so much work, in one run or in pieces of at most `most`.
static grzProbeAnswer runPieces(grzModelProbe* probe, const grzProbeQuery* query, uint32_t work, uint32_t most,
                                grzProbePlace* places, uint32_t* placeCount) {
    grzProbeAnswer answer;
    uint32_t done = 0;
    begin(probe, query);
    do {
        const uint32_t left = work - done, some = most == 0 ? left : 1 + grzRng_Below(&g_rng, most);
        answer = runOn(probe, budgetOf(some < left ? some : left, 0));
        done += some < left ? some : left;
    } while (done < work);
    memset(places, 0, PLACES * sizeof *places);
    *placeCount = grzModelProbe_FindPlaces(probe, places, PLACES);
    return answer;
}

static void expectPlaces(const grzProbeAnswer* answer, const grzProbePlace* places, uint32_t count) {
    assert_true(count <= 64);
    for (uint32_t k = 0; k < count; ++k) {
        assert_true(fabsf(grzLength(places[k].normal) - 1) < 1e-5F);
        assert_true(places[k].depth > -1e-4F || places[k].levelA + places[k].levelB == 0);
        assert_true(k == 0 || places[k].likeliness <= places[k - 1].likeliness);
    }
    assert_true(answer->certainty != grz_exact || count == answer->touches);
}

// Through the end of the method to the exact answer.
static void resumedIsUnbroken(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 400));
    size_t guesses = 0, sure = 0;
    for (int trial = 0; trial < 24; ++trial) {
        const grzProbeQuery query = drawQuery(&fixture, trial % 2);
        grzProbePlace places[2][PLACES];
        uint32_t counts[2];
        grzProbeAnswer whole = {.certainty = grz_probable};
        for (uint32_t work = 0; whole.certainty != grz_exact; work = 2 * work + 1 + grzRng_Below(&g_rng, 3)) {
            whole = runPieces(fixture.probe, &query, work, 0, places[0], &counts[0]);
            const grzProbeAnswer parts =
                runPieces(fixture.probe, &query, work, 1 + work / 3, places[1], &counts[1]);
            assert_memory_equal(&whole, &parts, sizeof whole);
            assert_int_equal(counts[0], counts[1]);
            assert_memory_equal(places[0], places[1], sizeof places[0]);
            assert_true(whole.work == work || whole.certainty == grz_exact);
            expectPlaces(&whole, places[0], counts[0]);
            if (whole.certainty != grz_exact) {
                expectGuess(&whole);
                assert_false(whole.isSure);
                guesses += whole.confidence > 0.5F;
                assert_true(work > 0 || (counts[0] == 1 && whole.confidence == 0.5F && !whole.touches));
            }
        }
        assert_int_equal(whole.touches, doTouch(&query.models));
        sure += whole.touches;
    }
    assert_true(guesses > 20 && sure > 4 && sure < 20);
    freeFixture(&fixture);
}

// With an error the method's own answer ends the query at the same work wherever runs were cut; the next run goes on.
static void itsOwnAnswerEndsIt(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 600));
    size_t wrong = 0, touching = 0;
    for (int trial = 0; trial < 60; ++trial) {
        const grzProbeQuery query = drawQuery(&fixture, trial % 2);
        const grzProbeBudget budget = budgetOf(UINT32_MAX, 0.01F);
        const grzProbeAnswer whole = probeOnce(&query, &budget);
        grzProbeAnswer parts = {0};
        begin(fixture.probe, &query);
        while (!parts.isSure)
            parts = runOn(fixture.probe, budgetOf(1 + grzRng_Below(&g_rng, 6), 0.01F));
        assert_memory_equal(&whole, &parts, sizeof whole);
        expectGuess(&whole);
        // The same work without an error is the same answer, which the budget has not asked for.
        begin(fixture.probe, &query);
        grzProbeAnswer spent = runOn(fixture.probe, budgetOf(whole.work, 0));
        assert_false(spent.isSure);
        spent.isSure = true;
        assert_memory_equal(&whole, &spent, sizeof whole);
        const grzProbeAnswer exact = runOn(fixture.probe, budgetOf(UINT32_MAX, 0.01F));
        assert_int_equal(exact.certainty, grz_exact);
        assert_true(exact.work > whole.work && whole.leafPairs == 0);
        assert_int_equal(exact.touches, doTouch(&query.models));
        wrong += whole.touches != exact.touches;
        touching += exact.touches;
    }
    assert_in_range(touching, 10, 50);
    assert_true(wrong <= 10);
    freeFixture(&fixture);
}

static void unlimitedIsExact(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    for (int kind = 0; kind < 5; ++kind) {
        ModelMesh mesh = kind == 0   ? makeSoup(80, 0.3F, 0)
                         : kind == 1 ? makeSoup(1, 0.5F, 0)
                         : kind == 2 ? makeShapeMesh(shapeGrid, 100)
                         : kind == 3 ? makeMesh(0, 0)
                                     : makeMesh(3, 1); // a point
        Fixture fixture = makeFixture(mesh);
        for (int trial = 0; trial < 20; ++trial) {
            grzProbeQuery query = drawQuery(&fixture, trial % 2);
            const float scale = draw(0.3F, 3);
            query.models.poseB.basis =
                grzMat3_ScaleColumns(query.models.poseB.basis, grzVec3_Make(scale, scale, -scale));
            query.adb.volume = (grzAdbVolume)(trial % 4);
            const grzProbeBudget budget = grzUnlimitedProbeBudget();
            const grzProbeAnswer answer = probeOnce(&query, &budget);
            assert_true(answer.certainty == grz_exact && answer.isSure && answer.confidence == 1);
            assert_int_equal(answer.touches, doTouch(&query.models));
        }
        freeFixture(&fixture);
    }
}

// Runs with hardly any time, of either method, come to an end; those with none do nothing.
static void runsWithAnyTimeMakeProgress(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    ModelMesh mesh = makeSoup(300, 0.4F, 0);
    Fixture fixture = makeFixture(mesh);
    const float times[] = {1e-9F, 0.05F, 0.2F};
    for (int trial = 0; trial < 60; ++trial) {
        grzProbeQuery query = drawQuery(&fixture, 0);
        grzProbeBudget budget = grzUnlimitedProbeBudget();
        query.method = trial % 2 == 0 ? grz_probeFast : grz_probePublished;
        budget.microseconds = 0;
        begin(fixture.probe, &query);
        grzProbeAnswer answer = runOn(fixture.probe, budget);
        assert_int_equal(answer.work, 0);
        budget.microseconds = times[trial % 3];
        for (uint32_t runs = 0; answer.certainty != grz_exact; ++runs) {
            const uint32_t before = answer.work;
            answer = runOn(fixture.probe, budget);
            assert_true(answer.work > before);
        }
        assert_int_equal(answer.touches, doTouch(&query.models));
    }
    freeFixture(&fixture);
}

// ---- what is known ----

// With the constant as printed nothing is found where meshes plainly cross, and it is not said that this is known; with one that
// is chosen it is found.
static void theAreaFactorDecides(void** state) {
    (void)state;
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 500));
    grzAdbTree* literal = makeTree(fixture.model, grz_adbOfModel, 1);
    for (int k = 0; k < 2; ++k) {
        grzProbeQuery query = drawQuery(&fixture, 0);
        const grzProbeBudget budget = budgetOf(UINT32_MAX, 0.1F);
        query.models.poseA = query.models.poseB = grzTransform_Identity();
        query.models.poseB.origin = grzVec3_Make(0.7F, 0.05F, 0);
        query.adb.a = query.adb.b = k == 0 ? literal : fixture.trees[0];
        const grzProbeAnswer answer = probeOnce(&query, &budget);
        assert_true(answer.isSure);
        assert_int_equal(answer.touches, k == 1);
        assert_true(k == 0 ? answer.confidence == 0.5F : answer.confidence >= 0.99F);
    }
    grzAdbTree_Destroy(literal);
    freeFixture(&fixture);
}

// Pairs of leaves that are likely to touch, but not as many as are wanted, leave "apart" in doubt.
static void likelyLeavesAreDoubts(void** state) {
    (void)state;
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 200));
    grzProbeQuery query = drawQuery(&fixture, 0);
    const grzProbeBudget budget = budgetOf(UINT32_MAX, 0.1F);
    query.models.poseA = query.models.poseB = grzTransform_Identity();
    query.models.poseB.origin = grzVec3_Make(0.7F, 0.05F, 0);
    query.adb.kMin = 1000000;
    const grzProbeAnswer answer = probeOnce(&query, &budget);
    assert_true(answer.isSure && !answer.touches && answer.confidence == 0.5F);
    freeFixture(&fixture);
}

// Boxes that are far apart are as sure as an estimate may be.
static void boxesApartAreConfident(void** state) {
    (void)state;
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 300));
    grzProbeQuery query = drawQuery(&fixture, 0);
    query.models.poseA = query.models.poseB = grzTransform_Identity();
    query.models.poseB.origin.x = 50;
    const grzProbeBudget budget = budgetOf(UINT32_MAX, 0.1F);
    const grzProbeAnswer answer = probeOnce(&query, &budget);
    assert_true(!answer.touches && answer.confidence > 0.999F && answer.confidence < 1);
    freeFixture(&fixture);
}

// k_min and p_min are those of the query.
static void parametersCount(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 500));
    uint64_t work[2][2] = {{0}};
    for (int trial = 0; trial < 20; ++trial)
        for (int k = 0; k < 4; ++k) {
            grzProbeQuery query = drawQuery(&fixture, 0);
            const grzProbeBudget budget = budgetOf(UINT32_MAX, 0.1F);
            query.models.poseA = query.models.poseB = grzTransform_Identity();
            query.models.poseB.origin.x = 0.05F * (float)(trial + 1);
            query.adb.kMin = k % 2 == 0 ? 1 : 20;
            query.adb.pMin = k / 2 == 0 ? 0.5F : 0.999F;
            work[k / 2][k % 2] += probeOnce(&query, &budget).work;
        }
    assert_true(work[0][0] < work[0][1] && work[1][0] < work[1][1] && work[0][1] < work[1][1]);
    freeFixture(&fixture);
}

// ---- many ----

enum { COUNT = 60 };

typedef struct Crowd {
    Fixture fixture;
    grzProbeFit fit;
    grzProbeQuery queries[COUNT];
    float importances[COUNT];
    bool hasExpected;
    grzProbeAnswer batch[COUNT], scheduled[2][COUNT];
} Crowd;

static void keepOrCompare(bool hasExpected, grzProbeAnswer* expected, const grzProbeAnswer* found) {
    if (hasExpected)
        assert_memory_equal(expected, found, COUNT * sizeof *found);
    else
        memcpy(expected, found, COUNT * sizeof *found);
}

static void askCrowd(grzTasks* tasks, void* context) {
    Crowd* crowd = context;
    grzProbeAnswer answers[COUNT];
    grzProbeScheduler* scheduler;
    const grzProbeBudget each = budgetOf(30, 0.05F);
    assert_true(grzResult_IsOk(grzModels_ProbeMany(tasks, crowd->queries, COUNT, &each, answers)));
    keepOrCompare(crowd->hasExpected, crowd->batch, answers);
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(g_default, &scheduler)));
    for (int k = 0; k < 4; ++k) { // twice, since queues are kept
        const grzProbeBudget budget = k % 2 == 0 ? budgetOf(900, 0.05F) : grzUnlimitedProbeBudget();
        assert_true(grzResult_IsOk(
            grzProbeScheduler_Run(scheduler, tasks, crowd->queries, crowd->importances, COUNT, &budget, answers)));
        keepOrCompare(crowd->hasExpected || k > 1, crowd->scheduled[k % 2], answers);
    }
    grzProbeScheduler_Destroy(scheduler);
    crowd->hasExpected = true;
}

static void bothMethodsShareABudget(void** state) {
    (void)state;
    Crowd* crowd = calloc(1, sizeof *crowd);
    assert_non_null(crowd);
    g_rng = grzRng_Make(testSeed(6), 1);
    crowd->fixture = makeFixture(makeShapeMesh(shapeTorus, 300));
    crowd->fit = makeTestFit(crowd->fixture.model, crowd->fixture.model, 1.4F);
    for (int i = 0; i < COUNT; ++i) {
        crowd->queries[i] = drawQuery(&crowd->fixture, i % 2);
        crowd->queries[i].method = i % 3 == 0 ? grz_probeFast : grz_probePublished;
        crowd->queries[i].fit = &crowd->fit;
        crowd->importances[i] = 1 + (float)(i % 5);
    }
    forEachLevelAndWorkerCount(askCrowd, crowd);
    uint32_t sum = 0;
    for (int i = 0; i < COUNT; ++i) {
        const grzProbeBudget each = budgetOf(30, 0.05F);
        const grzProbeAnswer single = probeOnce(&crowd->queries[i], &each);
        assert_memory_equal(&single, &crowd->batch[i], sizeof single);
        assert_int_equal(single.isOwnFit, i % 3 == 0);
        sum += crowd->scheduled[0][i].work;
        assert_int_equal(crowd->scheduled[1][i].certainty, grz_exact);
        assert_int_equal(crowd->scheduled[1][i].touches, doTouch(&crowd->queries[i].models));
    }
    assert_int_equal(sum, 900);
    freeFixture(&crowd->fixture);
    free(crowd);
}

// ---- deforming meshes ----

// Boxes are the model's at once, counts may be stale; an octree is of what it was made of.
static void refitModelsAreAnswered(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(7), 1);
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 400));
    for (size_t i = 0; i < 3 * fixture.mesh.vertexCount; ++i)
        fixture.mesh.positions[i] *= i % 3 == 0 ? 1.5F : 1;
    assert_true(grzResult_IsOk(grzModel_Refit(fixture.model, NULL, fixture.mesh.positions, 0)));
    grzProbeAnswer answer;
    const grzProbeBudget budget = grzUnlimitedProbeBudget();
    for (int trial = 0; trial < 10; ++trial) {
        const grzProbeQuery query = drawQuery(&fixture, 0), old = drawQuery(&fixture, 1);
        assert_int_equal(probeOnce(&query, &budget).touches, doTouch(&query.models));
        assert_int_equal(grzModels_Probe(&old, &budget, &answer).status, grz_badArgument);
    }
    freeFixture(&fixture);
}

// ---- refusals ----

static const Fixture* g_fixture;

static void probeRefused(void) {
    grzModelProbe* probe;
    grzProbeScheduler* scheduler;
    grzProbeAnswer answer, answers[20];
    const grzProbeBudget unit = budgetOf(3, 0), all = grzUnlimitedProbeBudget();
    grzProbeQuery queries[20];
    float importances[20];
    g_rng = grzRng_Make(9, 1);
    for (int i = 0; i < 20; ++i) {
        queries[i] = drawQuery(g_fixture, i % 2);
        queries[i].adb.allocator = refusingAllocator();
        queries[i].adb.kMin = 1000000; // so that the queue grows
        importances[i] = 1;
    }
    MAKE(&probe, grzModelProbe_Create(refusingAllocator(), &probe), true);
    if (probe != NULL && grzResult_IsOk(CALL(grzModelProbe_Begin(probe, &queries[0]), true)))
        for (int k = 0; k < 10; ++k) { // since units before a refused one are kept, no run has more than it needs
            MAKE(&answer, grzModelProbe_Run(probe, &(grzProbeBudget){1, (float)INFINITY, 0}, &answer), true);
            noteBytes(&answer, sizeof answer);
        }
    grzModelProbe_Destroy(probe);
    MAKE(&answer, grzModels_Probe(&queries[1], &unit, &answer), true);
    noteBytes(&answer, sizeof answer);
    memset(answers, 0, sizeof answers);
    CALL(grzModels_ProbeMany(NULL, queries, 20, &unit, answers), true);
    noteBytes(answers, sizeof answers);
    MAKE(&scheduler, grzProbeScheduler_Create(refusingAllocator(), &scheduler), true);
    memset(answers, 0, sizeof answers);
    if (scheduler != NULL)
        CALL(grzProbeScheduler_Run(scheduler, NULL, queries, importances, 20, &all, answers), true);
    noteBytes(answers, sizeof answers);
    grzProbeScheduler_Destroy(scheduler);
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 60));
    g_fixture = &fixture;
    testRefusals(&(RefusalScript){"published queries", probeRefused, 3});
    freeFixture(&fixture);
}

static void badQueriesAreRefused(void** state) {
    (void)state;
    g_rng = grzRng_Make(10, 1);
    Fixture fixture = makeFixture(makeShapeMesh(shapeTorus, 100)),
            other = makeFixture(makeShapeMesh(shapeTorus, 50));
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    grzAdbTree* coarse = NULL;
    def.model = fixture.model, def.cellsPerAxis = 4;
    assert_true(grzResult_IsOk(grzAdbTree_Create(&def, &coarse)));
    for (int flaw = 0; flaw < 15; ++flaw) {
        grzProbeQuery query = drawQuery(&fixture, 0);
        const grzProbeBudget budget = grzUnlimitedProbeBudget();
        grzProbeAnswer answer, zeros;
        query.models.poseA = query.models.poseB = grzTransform_Identity();
        query.adb.a = flaw == 1 ? NULL : flaw == 2 ? coarse : flaw == 13 ? other.trees[0] : fixture.trees[0];
        query.adb.b = flaw == 14 ? other.trees[1] : fixture.trees[0];
        query.adb.pMin = flaw == 3 ? 0 : flaw == 4 ? 1.5F : flaw == 5 ? (float)NAN : 0.5F;
        query.adb.kMin = flaw == 6 ? 0 : 1;
        query.adb.volume = flaw == 7 ? (grzAdbVolume)9 : grz_volumeOfSlabs;
        query.adb.sphereRatio = flaw == 8 ? 0.5F : 8;
        query.models.poseB.origin.x = flaw == 9 ? (float)NAN : 0;
        query.models.poseB.basis.x.x = flaw == 10 ? 1.01F : 1; // stretched
        query.models.poseB.basis.x.y = flaw == 11 ? 0.1F : 0;  // sheared
        query.adb.allocator.allocate = flaw == 12 ? testAllocate : NULL;
        memset(&answer, 0xA5, sizeof answer);
        memset(&zeros, 0, sizeof zeros);
        const grzStatus expected = flaw == 0 ? grz_ok : flaw == 9 ? grz_notFinite : grz_badArgument;
        assert_int_equal(grzModelProbe_Begin(fixture.probe, &query).status, expected);
        assert_int_equal(grzModels_Probe(&query, &budget, &answer).status, expected);
        if (flaw == 0)
            continue;
        assert_memory_equal(&answer, &zeros, sizeof zeros);
        assert_int_equal(grzModelProbe_Run(fixture.probe, &budget, &answer).status, grz_badArgument);
        assert_int_equal(grzModelProbe_FindPlaces(fixture.probe, NULL, 8), 0);
    }
    grzAdbTree_Destroy(coarse);
    freeFixture(&other);
    freeFixture(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumedIsUnbroken),
        cmocka_unit_test(itsOwnAnswerEndsIt),
        cmocka_unit_test(unlimitedIsExact),
        cmocka_unit_test(runsWithAnyTimeMakeProgress),
        cmocka_unit_test(theAreaFactorDecides),
        cmocka_unit_test(boxesApartAreConfident),
        cmocka_unit_test(likelyLeavesAreDoubts),
        cmocka_unit_test(parametersCount),
        cmocka_unit_test(bothMethodsShareABudget),
        cmocka_unit_test(refitModelsAreAnswered),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(badQueriesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
