// What: the stage "kinetic": hierarchies over meshes that move by keyframes, kept valid in each of our ways, beside our own refit of
// every frame that is drawn.
//
// Holds: a run goes through a whole sequence but for its last interval, with l frames drawn in each. A way has the first two
// keyframes before the clock starts, and from then on what comes up is inside it: each interval brings one keyframe. The refit is
// of positions that lie in the tree's order, ready, those of the keyframe ahead; the ways get theirs in the same order. At
// the end, at a keyframe, all nodes must be those of the refit.
#include "bench.h"

#include <stdio.h>
#include <string.h>

#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "kinetic_counts.h"
#include "kinetic_scene.h"

typedef enum WayKind { wayChord, wayOrdered, wayBatched, wayRefit } WayKind;

// Whether every box is written in every frame; else boxes are there for the asking.
typedef struct KineticWay {
    const char* name;
    WayKind kind;
    bool writes;
} KineticWay;

static const KineticWay ways[] = {
    {"chord", wayChord, false},     {"chord, written", wayChord, true},     {"ordered", wayOrdered, false},
    {"batched", wayBatched, false}, {"batched, written", wayBatched, true},
};
static const KineticWay refitWay = {"refit", wayRefit, true};

// ---- the ways ----

typedef struct WayRun {
    const KineticScene* scene;
    const KineticWay* way;
    size_t perInterval;
    grzChordTree* chord;
    grzKineticTree* kinetic;
    grzBvhNode* nodes;
    grzResult result;
} WayRun;

static void keep(WayRun* run, grzResult result) {
    if (grzResult_IsOk(run->result))
        run->result = result;
}

static void makeKinetic(WayRun* run) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = run->scene->bvh, def.plan = run->scene->plan, def.tasks = run->scene->tasks;
    def.order = run->way->kind == wayOrdered ? grz_kineticOrdered : grz_kineticBatched;
    def.numbering = grz_bvhTreesNumbers;
    grzKineticTree_Destroy(run->kinetic);
    keep(run, grzKineticTree_Create(&def, &run->kinetic));
}

static void makeChord(WayRun* run) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = run->scene->bvh, def.plan = run->scene->plan, def.tasks = run->scene->tasks;
    def.numbering = grz_bvhTreesNumbers;
    grzChordTree_Destroy(run->chord);
    keep(run, grzChordTree_Create(&def, &run->chord));
}

static void clearNodes(void* context) {
    WayRun* run = context;
    memset(run->nodes, 0, grzBvh_GetView(run->scene->bvh).nodeCount * sizeof *run->nodes);
}

// Back to the beginning.
static void prepareWay(void* context) {
    WayRun* run = context;
    memset(&run->result, 0, sizeof run->result);
    clearNodes(run);
    if (run->way->kind == wayChord)
        makeChord(run);
    else if (run->way->kind != wayRefit)
        makeKinetic(run);
}

static void writeBoxes(WayRun* run, grzTasks* tasks) {
    if (run->way->kind == wayChord)
        keep(run, grzChordTree_WriteBoxes(run->chord, tasks, run->nodes));
    else if (run->way->kind != wayRefit)
        keep(run, grzKineticTree_WriteBoxes(run->kinetic, tasks, run->nodes));
}

static void refitFrame(WayRun* run, size_t drawn) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = KineticScene_Frame(run->scene, (drawn + run->perInterval - 1) / run->perInterval);
    keep(run, grzBvh_Refit(run->scene->bvh, run->scene->tasks, &refit, run->nodes));
}

static void runWay(void* context) {
    WayRun* run = context;
    grzTasks* tasks = run->scene->tasks;
    const size_t count = (run->scene->frameCount - 2) * run->perInterval;
    for (size_t k = 1; k <= count && grzResult_IsOk(run->result); ++k) {
        const double time = (double)k / (double)run->perInterval;
        if (run->way->kind == wayRefit)
            refitFrame(run, k);
        else if (run->way->kind == wayChord)
            keep(run, grzChordTree_Advance(run->chord, tasks, time));
        else
            keep(run, grzKineticTree_Advance(run->kinetic, tasks, time));
        if (run->way->writes)
            writeBoxes(run, tasks);
    }
}

// Of the numbers of all nodes; zeros of both signs are one.
static uint64_t digestWay(void* context) {
    WayRun* run = context;
    writeBoxes(run, NULL);
    if (!grzResult_IsOk(run->result))
        return 0;
    const size_t count = grzBvh_GetView(run->scene->bvh).nodeCount * sizeof *run->nodes / sizeof(float);
    float* numbers = &run->nodes[0].lower[0][0];
    for (size_t i = 0; i < count; ++i)
        numbers[i] += 0.0F;
    return Bench_Digest(0, numbers, count * sizeof *numbers);
}

static void measureWay(Bench* bench, const KineticScene* scene, const KineticWay* way, size_t perInterval) {
    const uint32_t nodeCount = grzBvh_GetView(scene->bvh).nodeCount;
    char variant[64];
    WayRun runs[2] = {{.scene = scene, .way = way, .perInterval = perInterval},
                      {.scene = scene, .way = &refitWay, .perInterval = perInterval}};
    BenchSide sides[2];
    for (int k = 0; k < 2; ++k) {
        runs[k].nodes = Bench_Allocate(bench, nodeCount, sizeof(grzBvhNode));
        sides[k] = (BenchSide){runs[k].way->name, prepareWay, runWay, digestWay, NULL, &runs[k], NULL};
    }
    snprintf(variant, sizeof variant, "%s, l=%zu", scene->name, perInterval);
    const size_t drawn = (scene->frameCount - 2) * perInterval;
    const BenchJob job = {.variant = variant,
                          .metric = way->name,
                          .unit = "ns/triangle",
                          .amount = (double)(drawn * scene->triangleCount),
                          .n = scene->triangleCount,
                          .workers = scene->workers,
                          .sides = sides,
                          .sideCount = 2};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    for (int k = 0; k < 2; ++k) {
        grzChordTree_Destroy(runs[k].chord);
        grzKineticTree_Destroy(runs[k].kinetic);
        Bench_Release(bench, runs[k].nodes, nodeCount, sizeof(grzBvhNode));
    }
}

// ---- cases ----

static void measureScene(Bench* bench, const KineticScene* scene) {
    static const size_t counts[] = {1, 3, 10, 30, 100};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        for (size_t way = 0; way < sizeof ways / sizeof ways[0] && !bench->failed; ++way)
            if (!bench->options->quick || counts[i] == 3)
                measureWay(bench, scene, &ways[way], counts[i]);
    if (scene->workers == 1 && !bench->failed)
        benchKineticCounts(bench, scene);
}

static void runScene(Bench* bench, SequenceKind kind) {
    size_t workers[2];
    const SequenceDef def = {kind, Bench_Size(bench, 16384, 600), bench->options->quick ? 4 : 14};
    const size_t workerCount = Bench_Workers(bench, workers);
    for (size_t w = 0; w < workerCount && !bench->failed; ++w) {
        KineticScene scene;
        if (KineticScene_Make(bench, &def, workers[w], &scene))
            measureScene(bench, &scene);
        KineticScene_Drop(bench, &scene);
    }
}

static void tableclothCase(Bench* bench) {
    runScene(bench, sequenceTablecloth);
}

static void drapeCase(Bench* bench) {
    runScene(bench, sequenceDrape);
}

enum { usual = bench_usesN | bench_usesWorkers | bench_usesMesh | bench_usesSequence };

static const BenchCase cases[] = {
    {"tablecloth", "a sheet falls on a table, l frames drawn between keyframes; or --pc2 over --mesh",
     tableclothCase, usual},
    {"drape", "a sheet falls on a ball; likewise", drapeCase, usual},
};

const BenchStage benchKinetic = {"kinetic", "hierarchies over moving meshes", cases,
                                 sizeof cases / sizeof cases[0]};
