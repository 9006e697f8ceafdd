// Many time-critical queries: batches are what single queries give; the scheduler keeps its budget, spends it where it matters, and
// gives the same bytes for any number of workers.
#include "probe_testing.h"

#include <math.h>

#include "probe_state.h"

enum { COUNT = 400 };

static const grzAllocator anyMemory = {NULL, NULL, NULL};

typedef struct Crowd {
    grzModel* model;
    grzProbeFit fit;
    grzProbeQuery queries[COUNT];
    float importances[COUNT];
    bool touches[COUNT];
} Crowd;

static Crowd* makeCrowd(uint64_t seed) {
    Crowd* crowd = malloc(sizeof *crowd);
    assert_non_null(crowd);
    g_rng = grzRng_Make(seed, 1);
    crowd->model = makeTorusModel(2000);
    crowd->fit = makeTestFit(crowd->model, crowd->model, 2);
    for (size_t i = 0; i < COUNT; ++i) {
        crowd->queries[i] = grzDefaultProbeQuery();
        crowd->queries[i].models = drawModelQuery(crowd->model, crowd->model, 2);
        crowd->queries[i].fit = &crowd->fit;
        crowd->importances[i] = i % 4 == 0 ? 100 : 1;
        crowd->touches[i] = doTouch(&crowd->queries[i].models);
    }
    return crowd;
}

static void freeCrowd(Crowd* crowd) {
    grzModel_Destroy(crowd->model);
    free(crowd);
}

static grzProbeBudget budgetOf(uint32_t work, float error) {
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.work = work;
    budget.error = error;
    return budget;
}

static void spend(grzProbeScheduler* scheduler, grzTasks* tasks, const Crowd* crowd, const grzProbeBudget* budget,
                  grzProbeAnswer* answers) {
    memset(answers, 0xA5, COUNT * sizeof *answers);
    assert_true(grzResult_IsOk(
        grzProbeScheduler_Run(scheduler, tasks, crowd->queries, crowd->importances, COUNT, budget, answers)));
}

static uint64_t sumWork(const grzProbeAnswer* answers) {
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT; ++i)
        sum += answers[i].work;
    return sum;
}

// ---- sameness ----

typedef struct Sameness {
    Crowd* crowd;
    bool hasExpected;
    grzProbeAnswer batch[COUNT], scheduled[3][COUNT];
} Sameness;

static void keepOrCompare(bool hasExpected, grzProbeAnswer* expected, const grzProbeAnswer* found) {
    if (hasExpected)
        assert_memory_equal(expected, found, COUNT * sizeof *found);
    else
        memcpy(expected, found, COUNT * sizeof *found);
}

static void compareAll(grzTasks* tasks, void* context) {
    static const uint32_t works[3] = {150, 2500, UINT32_MAX};
    Sameness* sameness = context;
    grzProbeAnswer answers[COUNT];
    grzProbeScheduler* scheduler;
    const grzProbeBudget each = budgetOf(7, 0.05F);
    memset(answers, 0xA5, sizeof answers);
    assert_true(grzResult_IsOk(grzModels_ProbeMany(tasks, sameness->crowd->queries, COUNT, &each, answers)));
    keepOrCompare(sameness->hasExpected, sameness->batch, answers);
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    for (int k = 0; k < 3; ++k) {
        const grzProbeBudget budget = budgetOf(works[k], k == 1 ? 0.01F : 0);
        spend(scheduler, tasks, sameness->crowd, &budget, answers);
        keepOrCompare(sameness->hasExpected, sameness->scheduled[k], answers);
    }
    grzProbeScheduler_Destroy(scheduler);
    sameness->hasExpected = true;
}

static void workersAndLevelsGiveTheSameBytes(void** state) {
    (void)state;
    Sameness* sameness = calloc(1, sizeof *sameness);
    assert_non_null(sameness);
    sameness->crowd = makeCrowd(1);
    forEachLevelAndWorkerCount(compareAll, sameness);
    for (size_t i = 0; i < COUNT; ++i) {
        const grzProbeBudget each = budgetOf(7, 0.05F);
        const grzProbeAnswer single = probeOnce(&sameness->crowd->queries[i], &each);
        assert_memory_equal(&single, &sameness->batch[i], sizeof single);
        assert_int_equal(sameness->scheduled[2][i].certainty, grz_exact);
        assert_int_equal(sameness->scheduled[2][i].touches, sameness->crowd->touches[i]);
    }
    assert_true(sumWork(sameness->scheduled[0]) == 150);
    freeCrowd(sameness->crowd);
    free(sameness);
}

// ---- the budget ----

typedef struct Loss {
    double important, all; // wrong answers, times importance in `all`
} Loss;

static Loss lossOf(const Crowd* crowd, const grzProbeAnswer* answers) {
    Loss loss = {0, 0};
    for (size_t i = 0; i < COUNT; ++i) {
        const bool isWrong = answers[i].touches != crowd->touches[i];
        loss.important += isWrong && crowd->importances[i] > 1;
        loss.all += isWrong ? (double)crowd->importances[i] : 0;
    }
    return loss;
}

// Beside a budget of the same work that is the same for each query.
static void theBudgetGoesWhereItMatters(void** state) {
    (void)state;
    double scheduled = 0, uniform = 0, important = 0;
    grzProbeScheduler* scheduler;
    grzProbeAnswer answers[COUNT];
    const uint64_t seed = testSeed(2);
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    for (uint64_t i = 0; i < 12; ++i) {
        Crowd* crowd = makeCrowd(seed + i);
        const grzProbeBudget each = budgetOf(4, 0), all = budgetOf(4 * COUNT, 0);
        spend(scheduler, NULL, crowd, &all, answers);
        assert_true(sumWork(answers) == 4 * COUNT);
        scheduled += lossOf(crowd, answers).all;
        important += lossOf(crowd, answers).important;
        assert_true(grzResult_IsOk(grzModels_ProbeMany(NULL, crowd->queries, COUNT, &each, answers)));
        uniform += lossOf(crowd, answers).all;
        freeCrowd(crowd);
    }
    assert_true(scheduled < 0.6 * uniform);
    assert_true(important < 0.02 * 12 * COUNT / 4);
    grzProbeScheduler_Destroy(scheduler);
}

// ---- the rule, without a heap and without rounds on workers ----

static uint32_t unitsToNextStop(uint32_t work) {
    for (int stop = 0; stop < grz_probeStops; ++stop)
        if (work < probeStopWork[stop])
            return probeStopWork[stop] - work;
    return 20;
}

// Of those that are not done and not in this round, the one with the most to gain; the first of equal ones.
static size_t findBest(const Crowd* crowd, const grzProbeAnswer* answers, const bool* isPicked) {
    float most = -1;
    size_t best = COUNT;
    for (size_t i = 0; i < COUNT; ++i) {
        const float gain =
            crowd->importances[i] * (1 - answers[i].confidence) / (float)unitsToNextStop(answers[i].work);
        if (!answers[i].isSure && !isPicked[i] && gain > most)
            most = gain, best = i;
    }
    return best;
}

static void runPlainly(const Crowd* crowd, uint32_t work, float error, grzProbeAnswer* answers) {
    grzModelProbe* probes[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        const grzProbeBudget none = budgetOf(0, error);
        assert_true(grzResult_IsOk(grzModelProbe_Create(anyMemory, &probes[i])));
        assert_true(grzResult_IsOk(grzModelProbe_Begin(probes[i], &crowd->queries[i])));
        assert_true(grzResult_IsOk(grzModelProbe_Run(probes[i], &none, &answers[i])));
    }
    for (bool isOver = false; !isOver && work != 0;) {
        bool isPicked[COUNT] = {false};
        uint32_t left = work, before = 0, after = 0;
        isOver = true;
        for (int round = 0; round < 16 && left != 0; ++round) {
            const size_t i = findBest(crowd, answers, isPicked);
            if (i == COUNT)
                break;
            const uint32_t slice = unitsToNextStop(answers[i].work);
            const grzProbeBudget budget = budgetOf(slice < left ? slice : left, error);
            isPicked[i] = true, isOver = false;
            left -= budget.work;
            before += answers[i].work;
            assert_true(grzResult_IsOk(grzModelProbe_Run(probes[i], &budget, &answers[i])));
            after += answers[i].work;
        }
        work -= after - before;
    }
    for (size_t i = 0; i < COUNT; ++i)
        grzModelProbe_Destroy(probes[i]);
}

static void theBestIsNext(void** state) {
    (void)state;
    Crowd* crowd = makeCrowd(testSeed(8));
    grzProbeAnswer answers[COUNT], expected[COUNT];
    grzProbeScheduler* scheduler;
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    for (size_t i = 0; i < COUNT; ++i)
        crowd->importances[i] = (float)(i % 7);
    for (uint32_t work = 30; work < 20000; work = 3 * work + 1) {
        const grzProbeBudget budget = budgetOf(work, work % 2 == 0 ? 0 : 0.02F);
        spend(scheduler, NULL, crowd, &budget, answers);
        runPlainly(crowd, work, budget.error, expected);
        assert_memory_equal(answers, expected, sizeof answers);
    }
    grzProbeScheduler_Destroy(scheduler);
    freeCrowd(crowd);
}

static void budgetsAreKept(void** state) {
    (void)state;
    Crowd* crowd = makeCrowd(testSeed(3));
    grzProbeAnswer answers[COUNT], guess;
    grzProbeScheduler* scheduler;
    const grzProbeBudget none = budgetOf(0, 0);
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    for (uint32_t work = 0; work < 4000; work = 3 * work + 1) {
        const grzProbeBudget budget = budgetOf(work, 0);
        spend(scheduler, NULL, crowd, &budget, answers);
        assert_true(sumWork(answers) <= work);
        for (size_t i = 0; i < COUNT; ++i)
            if (answers[i].work == 0) {
                guess = probeOnce(&crowd->queries[i], &none);
                assert_memory_equal(&answers[i], &guess, sizeof guess);
            }
    }
    grzProbeBudget timed = grzUnlimitedProbeBudget();
    timed.microseconds = 0;
    spend(scheduler, NULL, crowd, &timed, answers);
    assert_true(sumWork(answers) == 0);
    timed.microseconds = 1e7F;
    spend(scheduler, NULL, crowd, &timed, answers);
    for (size_t i = 0; i < COUNT; ++i)
        assert_true(answers[i].certainty == grz_exact && answers[i].touches == crowd->touches[i]);
    grzProbeScheduler_Destroy(scheduler);
    freeCrowd(crowd);
}

// ---- refusals ----

static void expectZeros(const grzProbeAnswer* answers) {
    grzProbeAnswer zeros;
    memset(&zeros, 0, sizeof zeros);
    for (size_t i = 0; i < COUNT; ++i)
        assert_memory_equal(&answers[i], &zeros, sizeof zeros);
}

static void badQueriesAreRefused(void** state) {
    (void)state;
    Crowd* crowd = makeCrowd(4);
    grzProbeAnswer answers[COUNT];
    grzProbeScheduler* scheduler;
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    crowd->queries[300].models.poseA.origin.x = crowd->queries[17].models.poseA.origin.x = (float)NAN;
    grzResult result = grzModels_ProbeMany(NULL, crowd->queries, COUNT, &budget, answers);
    assert_true(result.status == grz_notFinite && result.part == grz_partElement && result.index == 17);
    expectZeros(answers);
    result = grzProbeScheduler_Run(scheduler, NULL, crowd->queries, crowd->importances, COUNT, &budget, answers);
    assert_true(result.status == grz_notFinite && result.part == grz_partElement && result.index == 17);
    expectZeros(answers);
    crowd->queries[300].models.poseA.origin.x = crowd->queries[17].models.poseA.origin.x = 0;
    crowd->importances[40] = -1;
    result = grzProbeScheduler_Run(scheduler, NULL, crowd->queries, crowd->importances, COUNT, &budget, answers);
    assert_true(result.status == grz_badArgument && result.index == 40);
    crowd->queries[3].models.a = NULL;
    result = grzProbeScheduler_Run(scheduler, NULL, crowd->queries, crowd->importances, COUNT, &budget, answers);
    assert_true(result.status == grz_badArgument && result.index == 3);
    budget.error = 2;
    assert_int_equal(grzModels_ProbeMany(NULL, crowd->queries, COUNT, &budget, answers).status, grz_badArgument);
    assert_int_equal(
        grzProbeScheduler_Run(scheduler, NULL, crowd->queries, crowd->importances, COUNT, &budget, answers).status,
        grz_badArgument);
    assert_int_equal(grzModels_ProbeMany(NULL, NULL, 1, &budget, answers).status, grz_badDef);
    assert_int_equal(grzProbeScheduler_Run(scheduler, NULL, crowd->queries, NULL, 1, &budget, answers).status,
                     grz_badArgument);
    assert_true(grzResult_IsOk(grzModels_ProbeMany(NULL, NULL, 0, &budget, NULL)));
    grzProbeScheduler_Destroy(scheduler);
    freeCrowd(crowd);
}

// Refused whatever the budget reaches: a guess would be as sure as that of a query that can be answered.
static void singularPosesAreRefused(void** state) {
    (void)state;
    Crowd* crowd = makeCrowd(6);
    grzProbeAnswer answers[COUNT];
    grzProbeScheduler* scheduler;
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    for (int flaw = 0; flaw < 5; ++flaw) {
        grzModelQuery* models = &crowd->queries[250].models;
        const grzModelQuery good = *models;
        if (flaw == 0)
            models->poseA.basis.z = grzVec3_Make(0, 0, 0);
        else if (flaw == 1)
            models->poseB.basis.y = models->poseB.basis.x;
        else if (flaw == 2)
            models->poseB.basis = grzMat3_ScaleColumns(models->poseB.basis, grzVec3_Make(1e24F, 1e24F, 1e24F));
        else if (flaw == 3)
            models->poseB.origin.y = 1e24F;
        else
            models->margin = 0.1F;
        for (uint32_t work = 0; work < 3; ++work) {
            const grzProbeBudget budget = budgetOf(work, 0);
            const grzResult result =
                grzProbeScheduler_Run(scheduler, NULL, crowd->queries, crowd->importances, COUNT, &budget, answers);
            assert_true(result.status == grz_badArgument && result.part == grz_partElement && result.index == 250);
            expectZeros(answers);
        }
        *models = good;
    }
    grzProbeScheduler_Destroy(scheduler);
    freeCrowd(crowd);
}

// A guess is the answer of a query that gets no work: of ordinary poses, of all others, of other sizes, and of nothing.
static void guessesAreAnswersWithoutWork(void** state) {
    (void)state;
    Crowd* crowd = makeCrowd(testSeed(7));
    ModelMesh none = makeMesh(0, 0);
    grzModel* empty = makeTestModel(&none, grz_bvhSah);
    grzProbeAnswer answers[COUNT];
    grzProbeScheduler* scheduler;
    const grzProbeBudget nothing = budgetOf(0, 0);
    assert_true(grzResult_IsOk(grzProbeScheduler_Create(anyMemory, &scheduler)));
    for (size_t i = 0; i < COUNT; ++i) {
        grzModelQuery* models = &crowd->queries[i].models;
        const float scale = i % 8 == 1 ? 1e-5F : i % 8 == 2 ? 3 : i % 8 == 3 ? 1e24F : i % 8 == 4 ? 1.5F : 1;
        if (i % 2 == 0)
            models->poseA.basis = grzMat3_ScaleColumns(models->poseA.basis, grzVec3_Make(scale, scale, scale));
        if (i % 2 != 0 || i % 8 == 4)
            models->poseB.basis = grzMat3_ScaleColumns(models->poseB.basis, grzVec3_Make(scale, scale, scale));
        if (i % 8 == 3) // of both: B is as large beside A as it was
            models->poseA.basis = grzMat3_ScaleColumns(models->poseA.basis, grzVec3_Make(scale, scale, scale));
        if (i % 8 == 5)
            models->a = empty;
        if (i % 8 == 6)
            models->poseA.basis.x = grzAdd(models->poseA.basis.x, grzScale(models->poseA.basis.y, 0.5F)); // sheared
    }
    spend(scheduler, NULL, crowd, &nothing, answers);
    for (size_t i = 0; i < COUNT; ++i) {
        const grzProbeAnswer single = probeOnce(&crowd->queries[i], &nothing);
        assert_memory_equal(&answers[i], &single, sizeof single);
        const bool isOfOtherSize = i % 8 == 1 || i % 8 == 2;
        assert_true(i % 8 == 5 || single.isOwnFit != isOfOtherSize);
        assert_true(!isOfOtherSize || single.confidence == 0.5F);
    }
    grzProbeScheduler_Destroy(scheduler);
    grzModel_Destroy(empty);
    freeMesh(&none);
    freeCrowd(crowd);
}

// Every request may be the last one; what is warm makes none.
static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    Crowd* crowd = makeCrowd(5);
    grzProbeAnswer answers[COUNT];
    const grzProbeBudget budget = grzUnlimitedProbeBudget();
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzProbeScheduler* scheduler;
        grzResult result = grzProbeScheduler_Create(testAllocator(&memory), &scheduler);
        assert_true(grzResult_IsOk(result) == (scheduler != NULL));
        if (grzResult_IsOk(result)) {
            memset(answers, 0xA5, sizeof answers);
            result =
                grzProbeScheduler_Run(scheduler, NULL, crowd->queries, crowd->importances, COUNT, &budget, answers);
        }
        if (grzResult_IsOk(result)) {
            const size_t requests = memory.requests;
            spend(scheduler, NULL, crowd, &budget, answers);
            assert_int_equal(memory.requests, requests);
        } else {
            assert_int_equal(result.status, grz_outOfMemory);
            if (scheduler != NULL)
                expectZeros(answers);
        }
        grzProbeScheduler_Destroy(scheduler);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result))
            break;
        assert_true(failAt < 100);
    }
    freeCrowd(crowd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workersAndLevelsGiveTheSameBytes),
        cmocka_unit_test(theBudgetGoesWhereItMatters),
        cmocka_unit_test(theBestIsNext),
        cmocka_unit_test(budgetsAreKept),
        cmocka_unit_test(badQueriesAreRefused),
        cmocka_unit_test(singularPosesAreRefused),
        cmocka_unit_test(guessesAreAnswersWithoutWork),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
