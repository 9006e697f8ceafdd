// What: the scene of adb_fast.h, and the case "fast": what queries with an error of 1 % cost beside exact ones.
#include "adb_fast.h"

#include <stdlib.h>
#include <string.h>

#include "bench_machine.h"

enum { FIT_QUERIES = 1000, FIT_ORIENTATIONS = 200, P99_ROUNDS = 3 };
#define FAST_ERROR 0.01F

// ---- the scene ----

static bool drawPoses(Bench* bench, const AdbScene* scene, uint64_t seed, size_t orientations, AdbPoses* poses) {
    if (!AdbPoses_Draw(bench, scene, orientations, seed, poses))
        return false;
    AdbPoses_Shuffle(poses, seed);
    return true;
}

static bool makeFit(Bench* bench, ProbeScene* scene) {
    char text[128];
    AdbPoses* poses = &scene->fitPoses;
    if (!drawPoses(bench, &scene->base, PROBE_FIT_SEED, FIT_ORIENTATIONS, poses))
        return false;
    if (poses->count > FIT_QUERIES)
        poses->count = FIT_QUERIES;
    const grzResult result =
        grzProbeFit_Make(NULL, poses->queries, (uint32_t)poses->count, bench->allocator, &scene->fit);
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "%s: %s", scene->base.name, grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

static bool makeQueries(Bench* bench, size_t orientations, ProbeScene* scene) {
    AdbPoses* poses = &scene->base.poses;
    if (!drawPoses(bench, &scene->base, ADB_SEED, orientations, poses))
        return false;
    scene->queries = Bench_Allocate(bench, poses->count, sizeof *scene->queries);
    for (size_t i = 0; i < poses->count && scene->queries != NULL; ++i) {
        scene->queries[i] = grzDefaultProbeQuery();
        scene->queries[i].models = poses->queries[i];
        scene->queries[i].fit = &scene->fit;
    }
    fprintf(bench->out, "%s: seed %u, %zu poses; a fit to %zu of seed %d\n", scene->base.name, ADB_SEED,
            poses->count, scene->fitPoses.count, PROBE_FIT_SEED);
    return scene->queries != NULL;
}

bool ProbeScene_Make(Bench* bench, bool other, size_t orientations, ProbeScene* scene) {
    const size_t triangles = Bench_Size(bench, 10000, 2000);
    memset(scene, 0, sizeof *scene);
    const bool isMade =
        other ? AdbScene_MakeOther(bench, triangles, &scene->base) : AdbScene_Make(bench, triangles, &scene->base);
    return isMade && makeFit(bench, scene) && makeQueries(bench, orientations, scene);
}

void ProbeScene_Release(Bench* bench, ProbeScene* scene) {
    Bench_Release(bench, scene->queries, scene->base.poses.count, sizeof *scene->queries);
    AdbPoses_Release(bench, &scene->fitPoses);
    AdbScene_Release(bench, &scene->base);
}

grzProbeAnswer ProbeScene_Ask(Bench* bench, const grzProbeQuery* query, const grzProbeBudget* budget) {
    grzProbeAnswer answer;
    if (!grzResult_IsOk(grzModels_Probe(query, budget, &answer)))
        Bench_Fail(bench, "adb: a query was refused");
    return answer;
}

// ---- sides ----

typedef struct FastSide {
    Bench* bench;
    const ProbeScene* scene;
    size_t first, end; // queries of a run
    uint8_t* answers;  // 0: none; 1: apart; 2: touching
    struct FastSide* other;
} FastSide;

static void runFast(void* context) {
    const FastSide* side = context;
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.error = FAST_ERROR;
    for (size_t i = side->first; i < side->end; ++i)
        side->answers[i] = ProbeScene_Ask(side->bench, &side->scene->queries[i], &budget).touches ? 2 : 1;
}

static void runExact(void* context) {
    const FastSide* side = context;
    for (size_t i = side->first; i < side->end; ++i)
        side->answers[i] = ProbeScene_Touches(&side->scene->queries[i].models) ? 2 : 1;
}

static void clearSide(void* context) {
    const FastSide* side = context;
    memset(side->answers, 0, side->scene->base.poses.count);
}

static uint64_t digestSide(void* context) {
    const FastSide* side = context;
    return Bench_Digest(0, side->answers, side->scene->base.poses.count);
}

// No answer is a difference.
static size_t countDifferences(const FastSide* a, const FastSide* b) {
    size_t count = 0;
    for (size_t i = 0; i < a->scene->base.poses.count; ++i)
        count += a->answers[i] != b->answers[i] || a->answers[i] == 0;
    return count;
}

// A fit is one draw, so that its error may be above the one that is kept in the mean.
static bool isNearlyExact(void* context) {
    const FastSide* side = context;
    return (double)countDifferences(side, side->other) <=
           3 * (double)FAST_ERROR * (double)side->scene->base.poses.count;
}

// ---- the time that 99 of 100 queries keep below ----

static int compareTimes(const void* a, const void* b) {
    const double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

static double measureTail(Bench* bench, const BenchJob* job, size_t s, double* least) {
    FastSide* side = job->sides[s].context;
    BenchRunFn* run = Bench_RunOf(bench, job, s);
    const size_t count = side->scene->base.poses.count;
    for (size_t i = 0; i < count; ++i) {
        side->first = i, side->end = i + 1;
        for (int round = 0; round < P99_ROUNDS; ++round) {
            const uint64_t start = benchNow();
            run(side);
            const double time = (double)(benchNow() - start);
            least[i] = round == 0 || time < least[i] ? time : least[i];
        }
    }
    side->first = 0, side->end = count;
    qsort(least, count, sizeof *least, compareTimes);
    return least[count * 99 / 100];
}

static void reportTail(Bench* bench, const BenchJob* job) {
    const size_t repeats = bench->options->repeats,
                 count = ((FastSide*)job->sides[0].context)->scene->base.poses.count;
    double* times = Bench_Allocate(bench, 2 * repeats, sizeof *times);
    double* least = Bench_Allocate(bench, count, sizeof *least);
    if (times != NULL && least != NULL) {
        BenchSamples samples[2] = {{times, repeats, true}, {times + repeats, repeats, true}};
        clearSide(job->sides[0].context), clearSide(job->sides[1].context);
        for (size_t r = 0; r < repeats; ++r)
            for (size_t s = 0; s < 2; ++s)
                samples[s].times[r] = measureTail(bench, job, s, least);
        samples[0].same = samples[1].same = isNearlyExact(job->sides[1].context);
        Bench_Report(bench, job, samples);
    }
    Bench_Release(bench, least, count, sizeof *least);
    Bench_Release(bench, times, 2 * repeats, sizeof *times);
}

// ---- the case ----

static void reportWork(Bench* bench, const ProbeScene* scene) {
    grzProbeBudget fast = grzUnlimitedProbeBudget();
    const grzProbeBudget exact = grzUnlimitedProbeBudget();
    fast.error = FAST_ERROR;
    bool isSound = true;
    double wrong = 0, stated = 0, work = 0, exactWork = 0;
    for (size_t i = 0; i < scene->base.poses.count; ++i) {
        const grzProbeAnswer answer = ProbeScene_Ask(bench, &scene->queries[i], &fast);
        const grzProbeAnswer last = ProbeScene_Ask(bench, &scene->queries[i], &exact);
        wrong += answer.touches != scene->base.poses.touches[i];
        stated += 1 - (double)answer.confidence;
        work += answer.work;
        exactWork += last.work;
        isSound = isSound && ProbeScene_IsSound(scene, i, &answer) && ProbeScene_IsSound(scene, i, &last);
    }
    const double n = (double)scene->base.poses.count;
    BenchCounter counter = {
        .variant = scene->base.name, .n = scene->base.triangleCount, .workers = 1, .same = isSound};
    counter.metric = "wrong", counter.unit = "%", counter.value = 100 * wrong / n;
    counter.peer = "stated", counter.peerValue = 100 * stated / n;
    Bench_Count(bench, &counter);
    counter.metric = "work", counter.unit = "units/query", counter.value = work / n;
    counter.peer = "exact", counter.peerValue = exactWork / n;
    Bench_Count(bench, &counter);
}

static void measureScene(Bench* bench, ProbeScene* scene) {
    FastSide sides[2];
    for (size_t s = 0; s < 2; ++s) {
        sides[s] = (FastSide){bench, scene, 0, scene->base.poses.count, NULL, &sides[1 - s]};
        sides[s].answers = Bench_Allocate(bench, scene->base.poses.count, 1);
    }
    const BenchSide benchSides[] = {{"graze", NULL, runFast, digestSide, NULL, &sides[0], clearSide},
                                    {"exact", NULL, runExact, digestSide, isNearlyExact, &sides[1], clearSide}};
    BenchJob job = {.variant = scene->base.name,
                    .metric = "mean",
                    .unit = "ns/query",
                    .amount = (double)scene->base.poses.count,
                    .n = scene->base.triangleCount,
                    .workers = 1,
                    .sides = benchSides,
                    .sideCount = 2};
    if (sides[0].answers != NULL && sides[1].answers != NULL) {
        Bench_Measure(bench, &job);
        job.metric = "p99", job.unit = "ns", job.amount = 1;
        reportTail(bench, &job);
        reportWork(bench, scene);
    }
    Bench_Release(bench, sides[0].answers, scene->base.poses.count, 1);
    Bench_Release(bench, sides[1].answers, scene->base.poses.count, 1);
}

void benchAdbFast(Bench* bench) {
    ProbeScene scene;
    if (ProbeScene_Make(bench, false, bench->options->quick ? 20 : 1000, &scene))
        measureScene(bench, &scene);
    ProbeScene_Release(bench, &scene);
}
