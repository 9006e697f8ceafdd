// What: the stage "ccd": continuous collision of vertex and face, edge and edge.
//
// Holds, of single queries: every one of a scene is asked in the order of its file, several times through; its time is the median of
// these, with the reading of the clock in it, some 30 ns: whether, not when. True answers come with the queries of files. Stages are
// told by asking again, outside of the clock.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "bench_folders.h"
#include "bench_machine.h"
#include "bench_stats.h"
#include "bench_sweep.h"
#include "ccd_frames.h"
#include "ccd_queries.h"
#include "ccd_search.h"
#include "file_error.h"
#include "rng.h"

static const char* const kindFolders[] = {"vertex-face", "edge-edge"};

// What came of the queries of a scene, or of all.
typedef struct CcdTally {
    size_t queries, positives, misses, falses;
    size_t stages[grz_ccdStageCount];
    double* times; // of each query, ns
} CcdTally;

// ---- asking ----

static bool ask(const grzCcdQuery* query) {
    grzCertainty certainty;
    bool touches;
    return grzResult_IsOk(grzCcd_Touches(query, &touches, &certainty)) && touches;
}

static double timeOf(const grzCcdQuery* query) {
    const uint64_t start = benchNow();
    volatile bool touches = ask(query);
    (void)touches;
    return (double)(benchNow() - start);
}

// Takes the times of all queries, some rounds, into tally->times.
static void timeAll(Bench* bench, const CcdCases* cases, CcdTally* tally) {
    const size_t rounds = bench->options->repeats, count = cases->count;
    double* samples = Bench_Allocate(bench, count * rounds, sizeof *samples);
    if (samples == NULL)
        return;
    for (size_t round = 0; round <= rounds; ++round) // the first to warm up
        for (size_t i = 0; i < count; ++i) {
            const double time = timeOf(&cases->data[i].query);
            if (round > 0)
                samples[i * rounds + round - 1] = time;
        }
    for (size_t i = 0; i < count; ++i)
        tally->times[i] = benchSpread(samples + i * rounds, rounds).median;
    Bench_Release(bench, samples, count * rounds, sizeof *samples);
}

static void countAll(const CcdCases* cases, CcdTally* tally) {
    for (size_t i = 0; i < cases->count; ++i) {
        const CcdCase* one = &cases->data[i];
        const bool touches = ask(&one->query);
        tally->queries++;
        tally->positives += one->touches;
        tally->misses += one->touches && !touches;
        tally->falses += touches && !one->touches;
        tally->stages[grzCcd_StageOf(&one->query)]++;
    }
}

// ---- telling ----

typedef struct CcdRow {
    const char *metric, *unit;
    double value;
} CcdRow;

static void tell(Bench* bench, const char* name, const CcdTally* tally, CcdRow row) {
    Bench_Count(bench, &(BenchCounter){.variant = name,
                                       .metric = row.metric,
                                       .unit = row.unit,
                                       .value = row.value,
                                       .n = tally->queries,
                                       .workers = 1,
                                       .same = tally->misses == 0 && tally->falses == 0});
}

static int compareTimes(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void tellTimes(Bench* bench, const char* name, const CcdTally* tally) {
    const size_t n = tally->queries;
    double sum = 0;
    qsort(tally->times, n, sizeof *tally->times, compareTimes);
    for (size_t i = 0; i < n; ++i)
        sum += tally->times[i];
    tell(bench, name, tally, (CcdRow){"mean", "ns", sum / (double)n});
    tell(bench, name, tally, (CcdRow){"median", "ns", tally->times[n / 2]});
    tell(bench, name, tally, (CcdRow){"p99", "ns", tally->times[n - 1 - n / 100]});
    tell(bench, name, tally, (CcdRow){"worst", "ns", tally->times[n - 1]});
}

static void tellAll(Bench* bench, const char* name, const CcdTally* tally) {
    static const char* const stages[] = {"decided by boxes", "by volumes", "by a direction", "by areas",
                                         "by whole numbers"};
    tell(bench, name, tally, (CcdRow){"positives", "queries", (double)tally->positives});
    tell(bench, name, tally, (CcdRow){"misses", "queries", (double)tally->misses});
    tell(bench, name, tally, (CcdRow){"false positives", "queries", (double)tally->falses});
    tellTimes(bench, name, tally);
    for (int stage = 0; stage < grz_ccdStageCount; ++stage)
        tell(bench, name, tally,
             (CcdRow){stages[stage], "%", 100 * (double)tally->stages[stage] / (double)tally->queries});
}

static void runCases(Bench* bench, const char* name, const CcdCases* cases) {
    CcdTally tally = {0};
    if (cases->count == 0)
        return;
    tally.times = Bench_Allocate(bench, cases->count, sizeof *tally.times);
    if (tally.times != NULL) {
        countAll(cases, &tally);
        timeAll(bench, cases, &tally);
    }
    if (!bench->failed)
        tellAll(bench, name, &tally);
    Bench_Release(bench, tally.times, cases->count, sizeof *tally.times);
}

// ---- folders ----

typedef struct CcdScene {
    CcdCases cases[2], *all; // by kind; and those of all scenes
    grzCcdKind kind;
} CcdScene;

static void readFile(Bench* bench, const char* folder, const char* name, void* context) {
    CcdScene* scene = context;
    CcdCases* cases = &scene->cases[scene->kind];
    const size_t before = cases->count, length = strlen(name);
    char path[BENCH_PATH_SIZE];
    FileError error;
    if (length < 4 || strcmp(name + length - 4, ".csv") != 0 || !Bench_JoinPath(bench, folder, name, path))
        return;
    if (!CcdCases_Read(cases, path, scene->kind, &bench->allocator, &error)) {
        Bench_Fail(bench, "%s", error.text);
        return;
    }
    CcdCases* all = &scene->all[scene->kind];
    if (!grzArray_Reserve(all, &bench->allocator, all->count + cases->count - before)) {
        Bench_Fail(bench, "no memory for queries");
        return;
    }
    memcpy(all->data + all->count, cases->data + before, (cases->count - before) * sizeof *cases->data);
    all->count += cases->count - before;
}

static void tellKinds(Bench* bench, const char* name, CcdCases cases[2]) {
    for (int kind = 0; kind < 2 && !bench->failed; ++kind) {
        char variant[96];
        snprintf(variant, sizeof variant, "%.60s, %s", name, kindFolders[kind]);
        runCases(bench, variant, &cases[kind]);
    }
}

static void runScene(Bench* bench, const char* folder, const char* name, void* context) {
    CcdScene scene = {.all = context};
    char path[BENCH_PATH_SIZE], inner[BENCH_PATH_SIZE];
    if (!Bench_JoinPath(bench, folder, name, path))
        return;
    for (int kind = 0; kind < 2 && !bench->failed; ++kind) {
        scene.kind = (grzCcdKind)kind;
        if (Bench_JoinPath(bench, path, kindFolders[kind], inner))
            Bench_ForEachEntry(bench, inner, readFile, &scene);
    }
    tellKinds(bench, name, scene.cases);
    for (int kind = 0; kind < 2; ++kind)
        CcdCases_Release(&scene.cases[kind], &bench->allocator);
}

// ---- cases ----

static bool runQueries(Bench* bench, const char* folder) {
    CcdCases all[2] = {{0}, {0}};
    Bench_ForEachEntry(bench, folder, runScene, all);
    const bool isAny = all[0].count + all[1].count != 0;
    if (!bench->failed && isAny)
        tellKinds(bench, "all", all);
    for (int kind = 0; kind < 2; ++kind)
        CcdCases_Release(&all[kind], &bench->allocator);
    return isAny;
}

// Where the option was not given, the folder of the data. `run` returns whether it found anything.
static void runGiven(Bench* bench, const char* given, const char* usual, bool (*run)(Bench*, const char*)) {
    const char* data = getenv("GRAZE_DATA");
    char path[BENCH_PATH_SIZE];
    if (given != NULL) {
        if (!run(bench, given))
            Bench_Fail(bench, "nothing of case %s is in %s", bench->running->name, given);
    } else if (data == NULL || data[0] == 0) {
        Bench_Skip(bench, "neither an option nor GRAZE_DATA names a folder");
    } else if (Bench_JoinPath(bench, data, usual, path) && !run(bench, path)) {
        Bench_Skip(bench, "nothing of it is in %s", path);
    }
}

static void queriesCase(Bench* bench) {
    runGiven(bench, Bench_Queries(bench), "ccd", runQueries);
}

static void visitFrames(Bench* bench, const char* folder, const char* name, void* context) {
    char path[BENCH_PATH_SIZE];
    bool* isAny = context;
    if (Bench_JoinPath(bench, folder, name, path))
        *isAny = benchCcdScene(bench, path, name) || *isAny;
}

static bool runFrames(Bench* bench, const char* folder) {
    bool isAny = false;
    Bench_ForEachEntry(bench, folder, visitFrames, &isAny);
    return isAny;
}

static void framesCase(Bench* bench) {
    runGiven(bench, Bench_Frames(bench), "ccd_frames", runFrames);
}

// Points on a lattice, of which many touch and lie in planes, or anywhere. The answers beside them are of queries for the last
// bit of when: a hit is then told by whole numbers. What doubles say is apart they say here, too; the tests have an oracle.
static void makeCase(grzRng* rng, CcdCase* one) {
    const bool isLattice = grzRng_Below(rng, 2) != 0;
    one->query.kind = (grzCcdKind)grzRng_Below(rng, 2);
    for (int i = 0; i < 24; ++i)
        one->query.points[i / 12][i / 3 % 4][i % 3] =
            isLattice ? (double)grzRng_Below(rng, 5) : 4 * grzRng_Double(rng);
    grzCcdImpact impact;
    const grzResult result = grzCcd_FindImpact(&one->query, 52, &impact);
    one->touches = grzResult_IsOk(result) && impact.touches;
}

static void randomCase(Bench* bench) {
    const size_t n = Bench_Size(bench, 100000, 500);
    CcdCases cases = {0};
    grzRng rng = grzRng_Make(1, 1);
    if (!grzArray_Reserve(&cases, &bench->allocator, n)) {
        Bench_Fail(bench, "no memory for queries");
        return;
    }
    for (cases.count = 0; cases.count < n; ++cases.count)
        makeCase(&rng, &cases.data[cases.count]);
    runCases(bench, "lattice and random", &cases);
    CcdCases_Release(&cases, &bench->allocator);
}

static const BenchCase benchCases[] = {
    {"queries", "the queries of --queries DIR/SCENE/{vertex-face,edge-edge}/*.csv with their true answers",
     queriesCase, bench_usesQueries},
    {"frames",
     "all impacts of --frames DIR/SCENE, steps of meshes; and the listed pairs, as a batch beside one by one",
     framesCase, bench_usesFrames | bench_usesWorkers},
    {"random", "half on a lattice, half anywhere", randomCase, bench_usesN},
    {"sweep", "first touches of two convex shapes in rigid motion", benchSweepShapes,
     bench_usesN | bench_usesPeers},
    {"sweep-models", "first touches of two copies of a mesh, or a torus of n triangles, in rigid motion",
     benchSweepModels, bench_usesN | bench_usesPeers | bench_usesMesh},
    {"search", "the first impact of many pairs, and pairs that come near", benchCcdSearch, bench_usesN},
};

const BenchStage benchCcd = {"ccd", "continuous collision of features", benchCases,
                             sizeof benchCases / sizeof benchCases[0]};
