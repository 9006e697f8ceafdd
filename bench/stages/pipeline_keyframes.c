// What: see pipeline_keyframes.h: pairs of leaves of a mesh that moves by keyframes and one that rests, in every frame drawn.
//
//   grzChordTree_Advance -> grzChordPairs_Advance       beside      grzBvh_Refit -> grzBoxPairs_Find
//
// Rows: conservative pairs as bits, or written; tight ones, whose boxes overlap at the frame (grzLeafTriangles_FindLeaves); and of both
// sides the triangles whose boxes overlap (grzLeafTriangles_Find), of the plan or of the refit's positions.
//
// Holds: sides take each frame in turns, and the refit's positions are found before the clock starts. A run begins when the pairs of its
//   first interval are there, and ends with those of the interval behind its last one, so that it has as many walks as intervals. Same:
//   in every frame ours contain those of the traversal; at keyframes they are the same ones. Tight pairs and pairs of triangles are the same in every frame.
//   Objects are made once a row and go back to the first keyframe for each run; one run before the first touches their memory.
//   A frame's time is the least of all runs; the worst frame is that with the highest ratio. With several workers each run is gone through once
//   more by one, and gains are those of the least times of all frames, beside that of a loop of plain arithmetic in the same run.
#include "pipeline_keyframes.h"

#include <stdio.h>
#include <string.h>

#include "bench_machine.h"
#include "graze/chord_tree.h"
#include "graze/stage/leaf_triangles.h"
#include "kinetic_scene.h"
#include "kinetic_sequences.h"
#include "plain_arithmetic.h"

#define RUN_TRIANGLES 5e7
#define READY_BY      0.3F

// What does not move.
typedef struct Rest {
    grzBvh* bvh;
    grzBvhNode* nodes;
    size_t nodeCount;
    float* positions; // in the tree's numbers
    size_t vertexCount;
} Rest;

typedef struct PairList {
    GRZ_ARRAY(grzLeafPair);
} PairList;

// What a frame ends with.
typedef enum RowKind {
    activeRow,    // bits
    writtenRow,   // pairs of leaves side by side
    tightRow,     // those whose boxes overlap
    trianglesRow, // whose boxes overlap
    ROW_KINDS,
} RowKind;

typedef struct KeyframesRun {
    Bench* bench;
    const KineticScene* scene;
    const Rest* rest;
    grzTasks* tasks;                      // the scene's, or NULL
    size_t perInterval, first, intervals; // keyframes
    RowKind kind;
    double time;       // of the frame
    float* positions;  // at that time
    grzBvhNode* nodes; // of a refit
    size_t nodeCount;
    grzChordTree* tree;
    grzChordPairs* chordPairs;
    grzBoxPairs* boxPairs;
    grzLeafTriangles* triangles[2];
    PairList written;
    double *ours, *theirs; // of each frame, the least so far
    double* alone;         // likewise of ours by one worker
    uint64_t* sums;        // of plain arithmetic
    double loops[2];       // the least of a loop of it, by one worker and by all
    double found, exact;   // pairs in all frames
    double lookedAt;       // active pairs that are not known to overlap, likewise
    bool isOurs, isTheirs; // the last run was right
    grzResult result;
} KeyframesRun;

static void keep(KeyframesRun* run, grzResult result) {
    if (run->result.status == grz_ok)
        run->result = result;
}

static size_t frameCount(const KeyframesRun* run) {
    return run->intervals * run->perInterval;
}

// ---- sides ----

static bool makeRoom(KeyframesRun* run) {
    return grzArray_Reserve(&run->written, &run->bench->allocator, grzChordPairs_GetView(run->chordPairs).count);
}

// Of ours by the plan, of theirs by the positions that were refit.
static void listTriangles(KeyframesRun* run, int side, const grzLeafPair* pairs, size_t count) {
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    query.pairs = pairs, query.count = count;
    query.a = (grzLeafTrianglesSide){.bvh = run->scene->bvh};
    if (side == 0)
        query.a.plan = run->scene->plan, query.a.time = run->time;
    else
        query.a.positions = run->positions;
    query.b = (grzLeafTrianglesSide){.bvh = run->rest->bvh, .positions = run->rest->positions};
    keep(run, grzLeafTriangles_Find(run->triangles[side], run->tasks, &query));
}

static void siftLeaves(KeyframesRun* run) {
    const grzChordPairsView view = grzChordPairs_GetView(run->chordPairs);
    grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
    query.pairs = view.pairs, query.count = view.count, query.asked = view.active, query.known = view.known;
    query.a = (grzLeafBoxesSide){.bvh = run->scene->bvh, .plan = run->scene->plan, .time = run->time};
    query.b = (grzLeafBoxesSide){.bvh = run->rest->bvh, .nodes = run->rest->nodes};
    keep(run, grzLeafTriangles_FindLeaves(run->triangles[0], run->tasks, &query));
}

static void runOurs(void* context) {
    KeyframesRun* run = context;
    keep(run, grzChordTree_Advance(run->tree, run->tasks, run->time));
    keep(run, grzChordPairs_Advance(run->chordPairs, run->tasks));
    if (run->kind == tightRow)
        siftLeaves(run);
    if (run->kind == activeRow || run->kind == tightRow || !makeRoom(run))
        return;
    run->written.count = grzChordPairs_GetView(run->chordPairs).activeCount;
    grzChordPairs_Write(run->chordPairs, run->written.data);
    if (run->kind == trianglesRow)
        listTriangles(run, 0, run->written.data, run->written.count);
}

static void runTheirs(void* context) {
    KeyframesRun* run = context;
    grzBvhRefit refit = grzDefaultBvhRefit();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    refit.positions = run->positions;
    query.a = (grzBoxSet){run->scene->bvh, run->nodes}, query.b = (grzBoxSet){run->rest->bvh, run->rest->nodes};
    keep(run, grzBvh_Refit(run->scene->bvh, run->tasks, &refit, run->nodes));
    if (run->result.status == grz_ok)
        keep(run, grzBoxPairs_Find(run->boxPairs, run->tasks, &query));
    const grzBoxPairsView view = grzBoxPairs_GetView(run->boxPairs);
    if (run->kind == trianglesRow && run->result.status == grz_ok)
        listTriangles(run, 1, view.pairs, view.count);
}

// ---- whether they are right ----

static bool isBefore(const grzLeafPair* a, const grzLeafPair* b) {
    return a->leafA < b->leafA || (a->leafA == b->leafA && a->leafB < b->leafB);
}

// Whether those of the traversal are among ours; where all are, whether they are all of ours.
static bool areAmong(const KeyframesRun* run, const grzLeafPair* ours, size_t count, bool all) {
    const grzBoxPairsView view = grzBoxPairs_GetView(run->boxPairs);
    size_t at = 0;
    for (size_t i = 0; i < view.count; ++i) {
        while (at < count && isBefore(&ours[at], &view.pairs[i]))
            ++at;
        if (at == count || isBefore(&view.pairs[i], &ours[at]))
            return false;
    }
    return !all || view.count == count;
}

static bool areLeavesSame(const KeyframesRun* run) {
    const grzLeafBoxesView view = grzLeafTriangles_GetLeaves(run->triangles[0]);
    return areAmong(run, view.pairs, view.count, true);
}

// Times aside.
static bool areTrianglesSame(const KeyframesRun* run) {
    const grzLeafTrianglesView ours = grzLeafTriangles_GetView(run->triangles[0]);
    const grzLeafTrianglesView theirs = grzLeafTriangles_GetView(run->triangles[1]);
    if (ours.count != theirs.count)
        return false;
    for (size_t i = 0; i < ours.count; ++i)
        if (grzTrianglePair_KeyWord(&ours.pairs[i], 1) != grzTrianglePair_KeyWord(&theirs.pairs[i], 1))
            return false;
    return true;
}

static size_t countLooks(const grzChordPairsView* view) {
    size_t known = 0;
    for (size_t w = 0; w < view->wordCount; ++w)
        known += (size_t)__builtin_popcountll(view->known[w]);
    return view->activeCount - known;
}

static void checkFrame(KeyframesRun* run, size_t frame) {
    const grzChordPairsView view = grzChordPairs_GetView(run->chordPairs);
    const bool hasGone = view.time == run->time && (run->kind == activeRow || run->kind == tightRow ||
                                                    run->written.count == view.activeCount);
    run->isOurs = run->isOurs && hasGone;
    if (!hasGone || !makeRoom(run)) {
        run->isOurs = false;
        return;
    }
    run->written.count = view.activeCount;
    grzChordPairs_Write(run->chordPairs, run->written.data);
    run->isTheirs =
        run->isTheirs && areAmong(run, run->written.data, run->written.count, frame % run->perInterval == 0);
    if (run->kind == tightRow) {
        run->isOurs = run->isOurs && areLeavesSame(run);
        run->lookedAt += (double)countLooks(&view);
    }
    if (run->kind == trianglesRow)
        run->isOurs = run->isOurs && areTrianglesSame(run);
    run->found += (double)view.activeCount;
    run->exact += (double)grzBoxPairs_GetView(run->boxPairs).count;
    run->written.count = 0;
}

// ---- runs ----

static void dropObjects(KeyframesRun* run) {
    grzChordPairs_Destroy(run->chordPairs);
    grzChordTree_Destroy(run->tree);
    grzBoxPairs_Destroy(run->boxPairs);
    for (int side = 0; side < 2; ++side) {
        grzLeafTriangles_Destroy(run->triangles[side]);
        run->triangles[side] = NULL;
    }
    run->chordPairs = NULL, run->tree = NULL, run->boxPairs = NULL;
}

static void makeObjects(KeyframesRun* run) {
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    grzChordPairsDef pairsDef = grzDefaultChordPairsDef();
    grzBoxPairsDef boxDef = grzDefaultBoxPairsDef();
    const grzLeafTrianglesDef triangleDef = grzDefaultLeafTrianglesDef();
    treeDef.bvh = run->scene->bvh, treeDef.plan = run->scene->plan, treeDef.tasks = run->tasks;
    treeDef.numbering = grz_bvhTreesNumbers;
    treeDef.startTime = (double)run->first, treeDef.readyBy = READY_BY;
    keep(run, grzChordTree_Create(&treeDef, &run->tree));
    pairsDef.treeA = run->tree, pairsDef.bvhB = run->rest->bvh, pairsDef.nodesB = run->rest->nodes;
    pairsDef.tasks = run->tasks, pairsDef.findsKnown = run->kind == tightRow;
    if (run->result.status == grz_ok)
        keep(run, grzChordPairs_Create(&pairsDef, &run->chordPairs));
    boxDef.keepsFront = false; // the plain traversal
    keep(run, grzBoxPairs_Create(&boxDef, &run->boxPairs));
    for (int side = 0; side < 2; ++side)
        keep(run, grzLeafTriangles_Create(&triangleDef, &run->triangles[side]));
}

// Back to where a run begins, with the memory of the run before.
static void rewindObjects(KeyframesRun* run) {
    keep(run, grzChordTree_Advance(run->tree, run->tasks, (double)run->first));
    keep(run, grzChordPairs_Advance(run->chordPairs, run->tasks));
}

static double timeOf(const BenchJob* job, BenchRunFn* side, void* context) {
    uint64_t (*const now)(void) = job->workers == 1 ? benchProcessorTime : benchNow;
    const uint64_t start = now();
    side(context);
    return (double)(now() - start);
}

static void keepLeast(double* least, double time, bool isFirst) {
    *least = isFirst || time < *least ? time : *least;
}

// All frames once; the times of both sides are added to sums. Runs with nobody at work end at once.
static void goThrough(KeyframesRun* run, const BenchJob* job, size_t repeat, double sums[2]) {
    BenchRunFn* const sides[2] = {Bench_RunOf(run->bench, job, 0), Bench_RunOf(run->bench, job, 1)};
    if (run->result.status == grz_ok)
        rewindObjects(run);
    run->found = run->exact = run->lookedAt = sums[0] = sums[1] = 0;
    run->isOurs = run->isTheirs = run->result.status == grz_ok;
    for (size_t k = 1; k <= frameCount(run) && run->result.status == grz_ok; ++k) {
        run->time = (double)run->first + (double)k / (double)run->perInterval;
        keep(run, grzFlightplan_Evaluate(run->scene->plan, run->tasks, run->time, run->positions, 0));
        const double theirs = timeOf(job, sides[1], run), ours = timeOf(job, sides[0], run);
        sums[0] += ours, sums[1] += theirs;
        keepLeast(&run->ours[k - 1], ours, repeat == 0);
        keepLeast(&run->theirs[k - 1], theirs, repeat == 0);
        checkFrame(run, k);
    }
    run->isOurs = run->isOurs && run->result.status == grz_ok;
    run->isTheirs = run->isTheirs && run->isOurs && run->exact > 0;
}

// ---- rows ----

static void count(const KeyframesRun* run, const BenchJob* job, const char* metric, double value, const char* peer,
                  double peerValue) {
    const BenchCounter counter = {.variant = job->variant,
                                  .metric = metric,
                                  .unit = peer != NULL && strcmp(peer, "traversal") == 0 ? "a frame" : "times",
                                  .value = value,
                                  .peer = peer,
                                  .peerValue = peerValue,
                                  .n = job->n,
                                  .workers = job->workers,
                                  .same = run->isTheirs};
    Bench_Count(run->bench, &counter);
}

enum { SUMS = 2048, GRAIN = 16 };

// Both loops of plain arithmetic.
static void timeLoops(KeyframesRun* run, bool isFirst) {
    for (int k = 0; k < 2; ++k) {
        const uint64_t start = benchNow();
        PlainArithmetic_Run(k == 0 ? NULL : run->scene->tasks, run->sums, SUMS, GRAIN);
        keepLeast(&run->loops[k], (double)(benchNow() - start), isFirst);
    }
}

// Ours by one worker, beside which the gain is counted: no row of its own.
static void goAlone(KeyframesRun* run, const BenchJob* job, size_t repeat) {
    double sums[2], *of = run->ours;
    run->tasks = NULL, run->ours = run->alone;
    goThrough(run, job, repeat, sums);
    run->tasks = run->scene->tasks, run->ours = of;
}

// How many times as fast all workers are as one, in the least times of all frames; and a loop of arithmetic.
static void countGain(const KeyframesRun* run, const BenchJob* job) {
    double alone = 0, all = 0;
    char metric[64];
    for (size_t k = 0; k < frameCount(run); ++k)
        alone += run->alone[k], all += run->ours[k];
    snprintf(metric, sizeof metric, "gain of%s", job->metric + 1);
    count(run, job, metric, alone / all, "arithmetic", run->loops[0] / run->loops[1]);
}

static void countRun(const KeyframesRun* run, const BenchJob* job) {
    const double frames = (double)frameCount(run);
    double worst = 0;
    for (size_t k = 0; k < frameCount(run); ++k)
        worst = run->ours[k] / run->theirs[k] > worst ? run->ours[k] / run->theirs[k] : worst;
    count(run, job, "pairs", run->found / frames, "traversal", run->exact / frames);
    count(run, job, "worst frame", worst, NULL, 0);
}

static void measure(KeyframesRun* run, const char* variant) {
    static const char* const metrics[ROW_KINDS] = {"a frame", "a frame, written", "a frame, tight",
                                                   "a frame, triangles"};
    const size_t repeats = run->bench->options->repeats;
    const BenchSide sides[] = {{"chord pairs", NULL, runOurs, NULL, NULL, run, NULL},
                               {"refit and traversal", NULL, runTheirs, NULL, NULL, run, NULL}};
    const BenchJob job = {.variant = variant,
                          .metric = metrics[run->kind],
                          .unit = "ns",
                          .amount = (double)frameCount(run),
                          .n = run->scene->triangleCount,
                          .workers = run->scene->workers,
                          .sides = sides,
                          .sideCount = 2};
    double* times = Bench_Allocate(run->bench, 2 * repeats, sizeof *times);
    if (times == NULL)
        return;
    BenchSamples samples[2] = {{times, repeats, true}, {times + repeats, repeats, true}};
    dropObjects(run);
    makeObjects(run);
    if (job.workers == 1)
        benchPin();
    double sums[2];
    goThrough(run, &job, 0, sums); // touches all memory of both sides
    for (size_t r = 0; r < repeats; ++r) {
        goThrough(run, &job, r, sums);
        for (int s = 0; s < 2; ++s)
            samples[s].times[r] = sums[s];
        samples[0].same = samples[0].same && run->isOurs;
        samples[1].same = samples[1].same && run->isTheirs;
        if (job.workers > 1) {
            goAlone(run, &job, r);
            for (int i = 0; i < 8; ++i)
                timeLoops(run, r == 0 && i == 0);
        }
    }
    benchUnpin();
    Bench_Report(run->bench, &job, samples);
    if (run->kind == activeRow && job.workers == 1)
        countRun(run, &job);
    if (run->kind == tightRow && job.workers == 1)
        count(run, &job, "looked at", run->found > 0 ? run->lookedAt / run->found : 0, NULL, 0);
    if (job.workers > 1)
        countGain(run, &job);
    Bench_Release(run->bench, times, 2 * repeats, sizeof *times);
}

static bool makeRun(KeyframesRun* run) {
    const size_t all = run->scene->frameCount - 2;
    const double most = RUN_TRIANGLES / (double)(run->perInterval * run->scene->triangleCount);
    run->intervals = most >= (double)all ? all : most > 2 ? (size_t)most : all < 2 ? all : 2;
    run->first = all - run->intervals;
    run->nodeCount = grzBvh_GetView(run->scene->bvh).nodeCount;
    run->positions = Bench_Allocate(run->bench, 3 * run->scene->vertexCount, sizeof(float));
    run->nodes = Bench_Allocate(run->bench, run->nodeCount, sizeof *run->nodes);
    run->ours = Bench_Allocate(run->bench, frameCount(run), sizeof(double));
    run->theirs = Bench_Allocate(run->bench, frameCount(run), sizeof(double));
    run->alone = Bench_Allocate(run->bench, frameCount(run), sizeof(double));
    run->sums = Bench_Allocate(run->bench, SUMS, sizeof(uint64_t));
    run->tasks = run->scene->tasks;
    return !run->bench->failed;
}

static void dropRun(KeyframesRun* run) {
    dropObjects(run);
    Bench_Release(run->bench, run->positions, 3 * run->scene->vertexCount, sizeof(float));
    Bench_Release(run->bench, run->nodes, run->nodeCount, sizeof *run->nodes);
    Bench_Release(run->bench, run->ours, frameCount(run), sizeof(double));
    Bench_Release(run->bench, run->theirs, frameCount(run), sizeof(double));
    Bench_Release(run->bench, run->alone, frameCount(run), sizeof(double));
    Bench_Release(run->bench, run->sums, SUMS, sizeof(uint64_t));
    grzArray_Release(&run->written, &run->bench->allocator);
}

static void runFrames(Bench* bench, const KineticScene* scene, const Rest* rest, size_t perInterval) {
    KeyframesRun run = {.bench = bench, .scene = scene, .rest = rest, .perInterval = perInterval};
    char variant[64];
    snprintf(variant, sizeof variant, "%.40s, l=%zu", scene->name, perInterval);
    if (makeRun(&run))
        for (int kind = 0; kind < ROW_KINDS; ++kind) {
            run.kind = (RowKind)kind;
            measure(&run, variant);
        }
    (void)KineticScene_Failed(bench, run.result);
    dropRun(&run);
}

static void runScene(Bench* bench, KineticScene* scene, const Rest* rest) {
    static const size_t counts[] = {1, 3, 10, 30, 100};
    size_t workers[2];
    const size_t workerCount = Bench_Workers(bench, workers);
    for (size_t w = 0; w < workerCount && !bench->failed; ++w) {
        if (!KineticScene_SetWorkers(bench, scene, workers[w]))
            return;
        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && !bench->failed; ++i)
            if (!bench->options->quick || counts[i] == 3)
                runFrames(bench, scene, rest, counts[i]);
    }
}

// ---- what rests ----

static bool refitRest(Bench* bench, const float* positions, grzBvhNumbering numbering, Rest* rest) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    const grzBvhView view = grzBvh_GetView(rest->bvh);
    rest->nodeCount = view.nodeCount, rest->vertexCount = view.vertexCount;
    rest->nodes = Bench_Allocate(bench, rest->nodeCount, sizeof *rest->nodes);
    rest->positions = Bench_Allocate(bench, 3 * rest->vertexCount, sizeof *rest->positions);
    if (bench->failed)
        return false;
    for (size_t i = 0; i < rest->vertexCount; ++i) {
        const size_t from = numbering == grz_bvhCallersNumbers ? view.vertexToCaller[i] : i;
        memcpy(rest->positions + 3 * i, positions + 3 * from, 3 * sizeof *positions);
    }
    refit.positions = rest->positions;
    return !KineticScene_Failed(bench, grzBvh_Refit(rest->bvh, NULL, &refit, rest->nodes));
}

static void releaseRest(Bench* bench, Rest* rest) {
    Bench_Release(bench, rest->nodes, rest->nodeCount, sizeof *rest->nodes);
    Bench_Release(bench, rest->positions, 3 * rest->vertexCount, sizeof *rest->positions);
}

static bool makeRest(Bench* bench, SequenceKind kind, size_t n, Rest* rest) {
    MeshData mesh;
    if (KineticScene_Failed(bench, makeSequenceRest(kind, n, bench->allocator, &mesh)))
        return false;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = mesh.positions, def.vertexCount = mesh.vertexCount;
    def.triangles = mesh.indices, def.triangleCount = mesh.triangleCount;
    const bool isMade = !KineticScene_Failed(bench, grzBvh_Create(&def, &rest->bvh)) &&
                        refitRest(bench, mesh.positions, grz_bvhCallersNumbers, rest);
    MeshData_Release(&mesh);
    return isMade;
}

// ---- cases ----

enum { KEYFRAMES = 14, QUICK_KEYFRAMES = 4 };

static void runSize(Bench* bench, SequenceKind kind, size_t n) {
    const SequenceDef def = {kind, n, bench->options->quick ? QUICK_KEYFRAMES : KEYFRAMES};
    KineticScene scene;
    Rest rest = {0};
    if (KineticScene_Make(bench, &def, 1, &scene) && makeRest(bench, kind, n, &rest))
        runScene(bench, &scene, &rest);
    releaseRest(bench, &rest);
    grzBvh_Destroy(rest.bvh);
    KineticScene_Drop(bench, &scene);
}

void benchPipelineKeyframes(Bench* bench) {
    static const size_t sizes[] = {16384, 65536, 262144, 580000};
    const BenchOptions* options = bench->options;
    const bool isOne = options->quick || options->n != 0 || options->meshA != NULL || options->sequence != NULL;
    for (size_t i = 0; i < (isOne ? 1 : sizeof sizes / sizeof sizes[0]) && !bench->failed; ++i)
        for (int kind = sequenceTablecloth; kind <= sequenceDrape && !bench->failed; ++kind)
            runSize(bench, (SequenceKind)kind, Bench_Size(bench, sizes[i], 600));
}

static void runSequence(Bench* bench, KineticScene* scene) {
    Rest rest = {.bvh = scene->bvh};
    if (refitRest(bench, KineticScene_Frame(scene, scene->frameCount / 2), grz_bvhTreesNumbers, &rest))
        runScene(bench, scene, &rest);
    releaseRest(bench, &rest);
}

void benchPipelineSequences(Bench* bench) {
    benchEachSequence(bench, runSequence);
}
