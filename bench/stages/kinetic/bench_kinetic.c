// What: the stage "kinetic": hierarchies over meshes that move by keyframes, kept valid in each of our ways, beside our own refit
//   of every frame that is drawn.
//
// Holds: what a run is, and what lies inside the clock, is told in kinetic_ways.h. At the end, at a keyframe, all nodes must
// be those of the refit.
// Cost: a run draws RUN_TRIANGLES triangles at most, so that the whole stage can be sat through; of long sequences and
//   large meshes it sees the middle.
#include "bench.h"

#include <stdio.h>

#include "kinetic_chooser.h"
#include "kinetic_counts.h"
#include "kinetic_figures.h"
#include "kinetic_growth.h"
#include "kinetic_headline.h"
#include "kinetic_lazy.h"
#include "kinetic_scene.h"
#include "kinetic_sequences.h"
#include "kinetic_spheres.h"
#include "kinetic_ways.h"

#define RUN_TRIANGLES 1.5e8

static const KineticWay ways[] = {
    {"chord", wayChord, false, false},
    {"chord, written", wayChord, true, false},
    {"chord, loose 10 %", wayChord, false, true},
    {"chord, loose 10 %, written", wayChord, true, true},
    {"ordered", wayOrdered, false, false},
    {"batched", wayBatched, false, false},
    {"batched, written", wayBatched, true, false},
};
static const KineticWay refitWay = {"refit", wayRefit, true, false};

// ---- rows ----

static void measureRuns(Bench* bench, const char* metric, KineticRun runs[2], const char* const names[2]) {
    char variant[64];
    BenchSide sides[2];
    for (int k = 0; k < 2; ++k) {
        KineticRun_Shorten(&runs[k], RUN_TRIANGLES);
        sides[k] =
            (BenchSide){names[k], KineticRun_Prepare, KineticRun_Go, KineticRun_Digest, NULL, &runs[k], NULL};
    }
    snprintf(variant, sizeof variant, "%.40s, l=%zu", runs[0].scene->name, runs[0].perInterval);
    const BenchJob job = {.variant = variant,
                          .metric = metric,
                          .unit = "ns/triangle",
                          .amount = KineticRun_Amount(&runs[0]),
                          .n = runs[0].scene->triangleCount,
                          .workers = runs[0].scene->workers,
                          .sides = sides,
                          .sideCount = 2};
    Bench_Measure(bench, &job);
}

// Both are made in any case, and are to be dropped.
static bool makeRuns(Bench* bench, const KineticScene* scene, const KineticWay* ours, const KineticWay* theirs,
                     size_t perInterval, KineticRun runs[2]) {
    const bool isMade = KineticRun_Make(bench, scene, ours, perInterval, &runs[0]);
    return KineticRun_Make(bench, scene, theirs, perInterval, &runs[1]) && isMade;
}

static void dropRuns(Bench* bench, KineticRun runs[2]) {
    KineticRun_Drop(bench, &runs[0]);
    KineticRun_Drop(bench, &runs[1]);
}

static void measureWay(Bench* bench, const KineticScene* scene, const KineticWay* way, size_t perInterval) {
    const char* const names[] = {way->name, refitWay.name};
    KineticRun runs[2];
    if (makeRuns(bench, scene, way, &refitWay, perInterval, runs))
        measureRuns(bench, way->name, runs, names);
    dropRuns(bench, runs);
}

// What more workers bring: the same tree, and for the second side one thread alone.
static void measureGain(Bench* bench, const KineticScene* scene, const KineticWay* way, size_t perInterval) {
    const char* const names[] = {way->name, "one worker"};
    char metric[64];
    KineticRun runs[2];
    snprintf(metric, sizeof metric, "%s, workers' gain", way->name);
    if (makeRuns(bench, scene, way, way, perInterval, runs)) {
        runs[1].tasks = NULL;
        measureRuns(bench, metric, runs, names);
    }
    dropRuns(bench, runs);
}

static void measureWays(Bench* bench, const KineticScene* scene, size_t perInterval) {
    for (size_t way = 0; way < sizeof ways / sizeof ways[0] && !bench->failed; ++way)
        measureWay(bench, scene, &ways[way], perInterval);
    if (scene->workers > 1 && !bench->failed)
        measureGain(bench, scene, &ways[0], perInterval);
}

static void runScene(Bench* bench, KineticScene* scene) {
    static const size_t counts[] = {1, 3, 10, 30, 100};
    size_t workers[2];
    const size_t workerCount = Bench_Workers(bench, workers);
    for (size_t w = 0; w < workerCount && !bench->failed; ++w) {
        if (!KineticScene_SetWorkers(bench, scene, workers[w]))
            return;
        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && !bench->failed; ++i)
            if (!bench->options->quick || counts[i] == 3)
                measureWays(bench, scene, counts[i]);
        if (workers[w] == 1 && !bench->failed)
            benchKineticCounts(bench, scene);
    }
}

// ---- cases ----

enum { keyframes = 14, quickKeyframes = 4 };

static void runSize(Bench* bench, SequenceKind kind, size_t n) {
    const SequenceDef def = {kind, n, bench->options->quick ? quickKeyframes : keyframes};
    KineticScene scene;
    if (KineticScene_Make(bench, &def, 1, &scene))
        runScene(bench, &scene);
    KineticScene_Drop(bench, &scene);
}

static void runSizes(Bench* bench, SequenceKind kind) {
    static const size_t usual[] = {16384, 65536, 262144, 580000};
    const BenchOptions* options = bench->options;
    const bool isOne = options->quick || options->n != 0 || options->meshA != NULL || options->sequence != NULL;
    if (isOne)
        runSize(bench, kind, Bench_Size(bench, usual[0], 600));
    for (size_t i = 0; i < sizeof usual / sizeof usual[0] && !isOne && !bench->failed; ++i)
        runSize(bench, kind, usual[i]);
}

static void tableclothCase(Bench* bench) {
    runSizes(bench, sequenceTablecloth);
}

static void drapeCase(Bench* bench) {
    runSizes(bench, sequenceDrape);
}

static void sequencesCase(Bench* bench) {
    benchEachSequence(bench, runScene);
}

enum { usual = bench_usesN | bench_usesWorkers | bench_usesMesh | bench_usesSequence };

static const BenchCase cases[] = {
    {"tablecloth", "a sheet falls on a table, l frames drawn between keyframes; or --pc2 over --mesh",
     tableclothCase, usual},
    {"chooser", "ways chosen frame by frame beside each that stays; likewise", benchKineticChooser,
     bench_usesN | bench_usesMesh | bench_usesSequence},
    {"lazy", "chord trees that make what queries reach, beside those that make everything; likewise",
     benchKineticLazy, bench_usesN | bench_usesMesh | bench_usesSequence},
    {"drape", "a sheet falls on a ball; likewise", drapeCase, usual},
    {"spheres", "spheres expand on paths; the few vertices that meet turn back", benchKineticSpheres, bench_usesN},
    {"sequences", "likewise for every sequence in the folder seq of $GRAZE_DATA", sequencesCase, bench_usesWorkers},
    {"growth", "events and updates of one motion at many resolutions, and what power of n they grow with",
     benchKineticGrowth, bench_usesN},
    {"figures", "the paper's figures 18, 19 and 21, as rows and as plots to --svg", benchKineticFigures,
     bench_usesN | bench_usesPlots},
    {"headline", "the paper's claim, as a table: event-ordered trees beside its bottom-up update and ours",
     benchKineticHeadline, bench_usesN | bench_usesMesh | bench_usesSequence},
};

const BenchStage benchKinetic = {"kinetic", "hierarchies over moving meshes", cases,
                                 sizeof cases / sizeof cases[0]};
