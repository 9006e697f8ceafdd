// What: the case "many": a batch of time-critical queries on several workers, beside a loop of plain arithmetic that takes about
// as long: what the machine's cores give.
#include <string.h>

#include "adb_fast.h"
#include "graze/tasks.h"
#include "plain_arithmetic.h"

enum { GRAIN = 16 };

typedef struct ManyWork {
    Bench* bench;
    const ProbeScene* scene;
    grzTasks* tasks;
    grzProbeAnswer *answers, *expected;
    uint64_t* sums;
} ManyWork;

// ---- queries ----

static void askAll(const ManyWork* work, grzTasks* tasks, grzProbeAnswer* answers) {
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.error = 0.01F;
    if (!grzResult_IsOk(grzModels_ProbeMany(tasks, work->scene->queries, (uint32_t)work->scene->base.poses.count,
                                            &budget, answers)))
        Bench_Fail(work->bench, "adb: a query was refused");
}

static void runQueries(void* context) {
    const ManyWork* work = context;
    askAll(work, work->tasks, work->answers);
}

static void clearAnswers(void* context) {
    const ManyWork* work = context;
    memset(work->answers, 0, work->scene->base.poses.count * sizeof *work->answers);
}

static uint64_t digestAnswers(void* context) {
    const ManyWork* work = context;
    return Bench_Digest(0, work->answers, work->scene->base.poses.count * sizeof *work->answers);
}

static bool areExpected(void* context) {
    const ManyWork* work = context;
    return memcmp(work->answers, work->expected, work->scene->base.poses.count * sizeof *work->answers) == 0;
}

// ---- plain arithmetic ----

static void runArithmetic(void* context) {
    const ManyWork* work = context;
    PlainArithmetic_Run(work->tasks, work->sums, (uint32_t)work->scene->base.poses.count, GRAIN);
}

static void clearSums(void* context) {
    const ManyWork* work = context;
    memset(work->sums, 0, work->scene->base.poses.count * sizeof *work->sums);
}

static uint64_t digestSums(void* context) {
    const ManyWork* work = context;
    return Bench_Digest(0, work->sums, work->scene->base.poses.count * sizeof *work->sums);
}

static bool areSums(void* context) {
    const ManyWork* work = context;
    return PlainArithmetic_IsDone(work->sums, (uint32_t)work->scene->base.poses.count);
}

// ---- the case ----

static void measureWorkers(ManyWork* work, size_t workers) {
    const BenchSide queries = {"graze", NULL, runQueries, digestAnswers, areExpected, work, clearAnswers};
    const BenchSide arithmetic = {"graze", NULL, runArithmetic, digestSums, areSums, work, clearSums};
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)workers;
    if (!grzResult_IsOk(grzTasks_Create(&def, &work->tasks))) {
        Bench_Fail(work->bench, "adb: no threads");
        return;
    }
    BenchJob job = {.variant = work->scene->base.name,
                    .metric = "queries",
                    .unit = "ns/query",
                    .amount = (double)work->scene->base.poses.count,
                    .n = work->scene->base.triangleCount,
                    .workers = workers,
                    .sides = &queries,
                    .sideCount = 1};
    Bench_Measure(work->bench, &job);
    job.metric = "arithmetic", job.unit = "ns/loop", job.sides = &arithmetic;
    Bench_Measure(work->bench, &job);
    grzTasks_Destroy(work->tasks);
}

static void measureScene(Bench* bench, const ProbeScene* scene) {
    const size_t count = scene->base.poses.count;
    ManyWork work = {.bench = bench, .scene = scene};
    size_t workers[2];
    work.answers = Bench_Allocate(bench, count, sizeof *work.answers);
    work.expected = Bench_Allocate(bench, count, sizeof *work.expected);
    work.sums = Bench_Allocate(bench, count, sizeof *work.sums);
    const size_t workerCounts = Bench_Workers(bench, workers);
    if (work.answers != NULL && work.expected != NULL && work.sums != NULL) {
        askAll(&work, NULL, work.expected);
        for (size_t i = 0; i < workerCounts; ++i)
            measureWorkers(&work, workers[i]);
    }
    Bench_Release(bench, work.answers, count, sizeof *work.answers);
    Bench_Release(bench, work.expected, count, sizeof *work.expected);
    Bench_Release(bench, work.sums, count, sizeof *work.sums);
}

void benchAdbMany(Bench* bench) {
    ProbeScene scene;
    if (ProbeScene_Make(bench, false, bench->options->quick ? 20 : 1000, &scene))
        measureScene(bench, &scene);
    ProbeScene_Release(bench, &scene);
}
