// What: the scene of adb_fast.h, and the case "fast": what queries with an error of 1 % cost beside exact ones.
#include "adb_fast.h"

#include <stdlib.h>
#include <string.h>

#include "bench_inputs.h"
#include "bench_machine.h"
#include "model_protocol.h"

enum { FIT_QUERIES = 1000, FIT_PER_DISTANCE = 200, P99_ROUNDS = 3 };
#define FAST_ERROR 0.01F

// ---- the scene ----

static bool drawPoses(Bench* bench, ProbeScene* scene, uint64_t seed, size_t perDistance, ProbePoses* poses) {
    size_t starts[PROTOCOL_DISTANCES + 1];
    poses->capacity = PROTOCOL_DISTANCES * perDistance;
    poses->queries = Bench_Allocate(bench, poses->capacity, sizeof *poses->queries);
    if (poses->queries == NULL)
        return false;
    poses->count = ModelProtocol_Draw(scene->model, seed, perDistance, poses->queries, starts);
    ModelProtocol_Shuffle(poses->queries, poses->count, seed);
    return true;
}

static bool makeFit(Bench* bench, ProbeScene* scene) {
    char text[128];
    if (!drawPoses(bench, scene, PROBE_FIT_SEED, FIT_PER_DISTANCE, &scene->fitPoses))
        return false;
    if (scene->fitPoses.count > FIT_QUERIES)
        scene->fitPoses.count = FIT_QUERIES;
    const grzResult result =
        grzProbeFit_Make(scene->fitPoses.queries, (uint32_t)scene->fitPoses.count, bench->allocator, &scene->fit);
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "%s: %s", scene->name, grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

static bool makeQueries(Bench* bench, size_t perDistance, ProbeScene* scene) {
    ProbePoses poses = {NULL, 0, 0};
    bool isMade = drawPoses(bench, scene, PROBE_TEST_SEED, perDistance, &poses);
    scene->queryCount = poses.count;
    scene->queries = Bench_Allocate(bench, poses.count, sizeof *scene->queries);
    scene->touches = Bench_Allocate(bench, poses.count, sizeof *scene->touches);
    isMade = isMade && scene->queries != NULL && scene->touches != NULL;
    for (size_t i = 0; i < poses.count && isMade; ++i) {
        scene->queries[i] = grzDefaultProbeQuery();
        scene->queries[i].models = poses.queries[i];
        scene->queries[i].fit = &scene->fit;
        scene->touches[i] = ProbeScene_Touches(&poses.queries[i]);
    }
    Bench_Release(bench, poses.queries, poses.capacity, sizeof *poses.queries);
    return isMade;
}

bool ProbeScene_Make(Bench* bench, bool second, size_t perDistance, ProbeScene* scene) {
    MeshData mesh;
    memset(scene, 0, sizeof *scene);
    if (!Bench_Mesh(bench, second, second ? shapeSphere : shapeTorus, Bench_Size(bench, 6000, 2000), &mesh,
                    &scene->name))
        return false;
    scene->triangleCount = mesh.triangleCount;
    const grzResult result = ModelProtocol_MakeModel(&mesh, &scene->model);
    MeshData_Release(&mesh);
    if (!grzResult_IsOk(result)) {
        Bench_Fail(bench, "adb: a model was refused");
        return false;
    }
    return makeFit(bench, scene) && makeQueries(bench, perDistance, scene);
}

void ProbeScene_Release(Bench* bench, ProbeScene* scene) {
    Bench_Release(bench, scene->queries, scene->queryCount, sizeof *scene->queries);
    Bench_Release(bench, scene->touches, scene->queryCount, sizeof *scene->touches);
    Bench_Release(bench, scene->fitPoses.queries, scene->fitPoses.capacity, sizeof *scene->fitPoses.queries);
    grzModel_Destroy(scene->model);
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
    memset(side->answers, 0, side->scene->queryCount);
}

static uint64_t digestSide(void* context) {
    const FastSide* side = context;
    return Bench_Digest(0, side->answers, side->scene->queryCount);
}

// No answer is a difference.
static size_t countDifferences(const FastSide* a, const FastSide* b) {
    size_t count = 0;
    for (size_t i = 0; i < a->scene->queryCount; ++i)
        count += a->answers[i] != b->answers[i] || a->answers[i] == 0;
    return count;
}

// A fit is one draw, so that its error may be above the one that is kept in the mean.
static bool isNearlyExact(void* context) {
    const FastSide* side = context;
    return (double)countDifferences(side, side->other) <= 3 * (double)FAST_ERROR * (double)side->scene->queryCount;
}

// ---- the time that 99 of 100 queries keep below ----

static int compareTimes(const void* a, const void* b) {
    const double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

static double measureTail(Bench* bench, const BenchJob* job, size_t s, double* least) {
    FastSide* side = job->sides[s].context;
    BenchRunFn* run = Bench_RunOf(bench, job, s);
    const size_t count = side->scene->queryCount;
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
    const size_t repeats = bench->options->repeats, count = ((FastSide*)job->sides[0].context)->scene->queryCount;
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
    double wrong = 0, stated = 0, work = 0, exactWork = 0;
    for (size_t i = 0; i < scene->queryCount; ++i) {
        const grzProbeAnswer answer = ProbeScene_Ask(bench, &scene->queries[i], &fast);
        wrong += answer.touches != scene->touches[i];
        stated += 1 - (double)answer.confidence;
        work += answer.work;
        exactWork += ProbeScene_Ask(bench, &scene->queries[i], &exact).work;
    }
    const double n = (double)scene->queryCount;
    BenchCounter counter = {.variant = scene->name, .n = scene->triangleCount, .workers = 1, .same = true};
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
        sides[s] = (FastSide){bench, scene, 0, scene->queryCount, NULL, &sides[1 - s]};
        sides[s].answers = Bench_Allocate(bench, scene->queryCount, 1);
    }
    const BenchSide benchSides[] = {{"graze", NULL, runFast, digestSide, NULL, &sides[0], clearSide},
                                    {"exact", NULL, runExact, digestSide, isNearlyExact, &sides[1], clearSide}};
    BenchJob job = {.variant = scene->name,
                    .metric = "mean",
                    .unit = "ns/query",
                    .amount = (double)scene->queryCount,
                    .n = scene->triangleCount,
                    .workers = 1,
                    .sides = benchSides,
                    .sideCount = 2};
    if (sides[0].answers != NULL && sides[1].answers != NULL) {
        Bench_Measure(bench, &job);
        job.metric = "p99", job.unit = "ns", job.amount = 1;
        reportTail(bench, &job);
        reportWork(bench, scene);
    }
    Bench_Release(bench, sides[0].answers, scene->queryCount, 1);
    Bench_Release(bench, sides[1].answers, scene->queryCount, 1);
}

void benchAdbFast(Bench* bench) {
    ProbeScene scene;
    if (ProbeScene_Make(bench, false, bench->options->quick ? 20 : 1000, &scene))
        measureScene(bench, &scene);
    ProbeScene_Release(bench, &scene);
}
