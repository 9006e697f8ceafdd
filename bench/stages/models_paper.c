// What: see models_paper.h.
//
//   tests       with all fifteen axes and with six: boxes, triangles, and the time of a query, his and ours
//   axes        at which axis his tests end, and how many of those that SAT-lite lets pass SAT would not
//   trees       build, refit and rebuild of a mesh that is twisted, and what a query costs in either tree afterwards
//
// Holds: times are medians of interleaved passes over all queries. Time a box test is that of passes that test no triangles,
//   divided
// by their box tests; time a triangle test is what is left.
#include "models_paper.h"

#include <math.h>
#include <string.h>

#include "bench_machine.h"
#include "bench_stats.h"
#include "model_scene.h"
#include "plain_model.h"

enum { PASSES = 7, WAYS = 4 };

// Every way of going through all queries.
typedef enum Way { wayPlainFull, wayPlainLite, wayOursFull, wayOursLite } Way;

typedef struct PaperWork {
    Bench* bench;
    ModelScene* scene;
    PlainBvh bvh;
    grzModelPairs* pairs;
} PaperWork;

typedef struct Pass {
    double time; // ns a query
    PlainModelCounts plain;
    grzModelStats ours;
    uint64_t meeting; // queries
} Pass;

static void runPlain(const PaperWork* work, const grzModelQuery* query, PlainModelSearch* search, Pass* pass) {
    const PlainModel a = {&work->bvh, work->scene->positions, query->poseA};
    const PlainModel b = {&work->bvh, work->scene->positions, query->poseB};
    pass->meeting += plainModelsMeet(&a, &b, search);
}

static void addStats(grzModelStats* to, const grzModelStats* from) {
    to->boxTests += from->boxTests;
    to->leafPairs += from->leafPairs;
    to->triangleTests += from->triangleTests;
    to->exactTests += from->exactTests;
}

static void runOurs(const PaperWork* work, grzModelQuery query, Way way, Pass* pass) {
    query.axes = way == wayOursFull ? grz_axesAll : grz_axesOfFaces;
    query.order = grz_modelsAsMet;
    if (!grzResult_IsOk(grzModelPairs_Find(work->pairs, &query))) {
        Bench_Fail(work->bench, "models: a query of the paper's tables was refused");
        return;
    }
    const grzModelPairsView view = grzModelPairs_GetView(work->pairs);
    addStats(&pass->ours, &view.stats);
    pass->meeting += view.count != 0;
}

static Pass runPass(const PaperWork* work, Way way, bool skipsTriangles, bool checks) {
    Pass pass;
    memset(&pass, 0, sizeof pass);
    PlainModelSearch search = {.allAxes = way == wayPlainFull, .checks = checks, .skipsTriangles = skipsTriangles};
    const uint64_t start = benchProcessorTime();
    for (size_t i = 0; i < work->scene->queryCount && !work->bench->failed; ++i) {
        if (way == wayPlainFull || way == wayPlainLite)
            runPlain(work, &work->scene->queries[i], &search, &pass);
        else
            runOurs(work, work->scene->queries[i], way, &pass);
    }
    pass.time = (double)(benchProcessorTime() - start) / (double)work->scene->queryCount;
    pass.plain = search.counts;
    return pass;
}

// ---- tests ----

static void note(const PaperWork* work, const char* variant, const char* metric, const char* unit, double value) {
    Bench_Note(work->bench, &(BenchCounter){.variant = variant,
                                            .metric = metric,
                                            .unit = unit,
                                            .value = value,
                                            .n = work->scene->triangleCount,
                                            .workers = 1,
                                            .same = true});
}

typedef struct TestFigures {
    double boxes, triangles;      // tests a query
    double boxTime, triangleTime; // ns a test; of his trees
    double time;                  // ns a query
} TestFigures;

static TestFigures figuresOf(const PaperWork* work, bool isPlain, const Pass* last, double time, double boxTime) {
    const double n = (double)work->scene->queryCount;
    TestFigures figures = {.time = time};
    figures.boxes = (double)(isPlain ? last->plain.boxTests : last->ours.boxTests) / n;
    figures.triangles = (double)(isPlain ? last->plain.triangleTests : last->ours.triangleTests) / n;
    figures.boxTime = boxTime / figures.boxes;
    figures.triangleTime = (time - boxTime) / figures.triangles;
    return figures;
}

static void printTests(const PaperWork* work, const char* name, bool isPlain, const TestFigures* figures) {
    FILE* out = work->bench->out;
    fprintf(out, "%-28s %-22s %12.1f %12.1f", work->scene->name, name, figures->boxes, figures->triangles);
    if (isPlain)
        fprintf(out, " %12.1f %12.1f", figures->boxTime, figures->triangleTime);
    else
        fprintf(out, " %12s %12s", "-", "-");
    fprintf(out, " %12.2f\n", 1e-3 * figures->time);
    note(work, name, "box-tests", "tests/query", figures->boxes);
    note(work, name, "triangle-tests", "tests/query", figures->triangles);
    note(work, name, "time", "ns/query", figures->time);
}

static void tellTests(const PaperWork* work, double times[WAYS][PASSES], double boxTimes[2][PASSES],
                      const Pass last[WAYS]) {
    static const char* const names[WAYS] = {"his tree, SAT", "his tree, SAT-lite", "ours, SAT", "ours, SAT-lite"};
    FILE* out = work->bench->out;
    fprintf(out, "\n%-28s %-22s %12s %12s %12s %12s %12s\n", "mesh", "", "box tests", "triangles", "ns/box",
            "ns/triangle", "us/query");
    for (int way = 0; way < WAYS; ++way) {
        const bool isPlain = way < 2;
        const double boxTime = isPlain ? benchSpread(boxTimes[way], PASSES).median : 0;
        const double time = benchSpread(times[way], PASSES).median;
        const TestFigures figures = figuresOf(work, isPlain, &last[way], time, boxTime);
        printTests(work, names[way], isPlain, &figures);
    }
    fprintf(out,
            "ours: box tests are eight a step; triangles, those that boxes and planes leave; queries that meet:");
    for (int way = 0; way < WAYS; ++way)
        fprintf(out, " %llu", (unsigned long long)last[way].meeting);
    fprintf(out, " of %zu\n", work->scene->queryCount);
}

static void measureTests(const PaperWork* work) {
    double times[WAYS][PASSES], boxTimes[2][PASSES];
    Pass last[WAYS];
    for (int pass = 0; pass < PASSES; ++pass) {
        for (int way = 0; way < WAYS; ++way) {
            last[way] = runPass(work, (Way)way, false, false);
            times[way][pass] = last[way].time;
        }
        boxTimes[0][pass] = runPass(work, wayPlainFull, true, false).time;
        boxTimes[1][pass] = runPass(work, wayPlainLite, true, false).time;
    }
    if (!work->bench->failed)
        tellTests(work, times, boxTimes, last);
}

// ---- axes ----

static void measureAxes(const PaperWork* work) {
    const Pass full = runPass(work, wayPlainFull, true, false), lite = runPass(work, wayPlainLite, true, true);
    double exits = 0, across = 0, passed = (double)lite.plain.boxTests;
    for (int axis = 0; axis < 15; ++axis) {
        exits += (double)full.plain.exits[axis];
        across += axis < 6 ? 0 : (double)full.plain.exits[axis];
        passed -= (double)lite.plain.exits[axis];
    }
    fprintf(work->bench->out, "\nof his tests that end early, in %%, at axis:");
    for (int axis = 0; axis < 15; ++axis)
        fprintf(work->bench->out, " %.1f", 100 * (double)full.plain.exits[axis] / exits);
    fprintf(work->bench->out,
            "\n%.1f %% of all tests end early, %.1f %% of these across edges; of the boxes that SAT-lite lets "
            "pass, SAT parts "
            "%.1f %%\n",
            100 * exits / (double)full.plain.boxTests, 100 * across / exits,
            100 * (double)lite.plain.wronglyMet / passed);
    note(work, "axes", "ends across edges", "%", 100 * across / exits);
    note(work, "axes", "wrongly met", "%", 100 * (double)lite.plain.wronglyMet / passed);
}

// ---- trees ----

// Around the vertical axis, by as much as a vertex is high: nearly a whole turn from end to end.
static void twist(const ModelScene* scene, float* positions) {
    for (size_t v = 0; v < scene->vertexCount; ++v) {
        const float* p = scene->positions + 3 * v;
        const double angle = 6 * (double)p[1] / (double)scene->size;
        positions[3 * v] = (float)(cos(angle) * (double)p[0] - sin(angle) * (double)p[2]);
        positions[3 * v + 1] = p[1];
        positions[3 * v + 2] = (float)(sin(angle) * (double)p[0] + cos(angle) * (double)p[2]);
    }
}

typedef struct TreeTimes {
    double build[PASSES], refit[PASSES], refitQuery[PASSES], rebuiltQuery[PASSES];
} TreeTimes;

static double timeFrom(uint64_t start, double count) {
    return (double)(benchProcessorTime() - start) / count;
}

static void timePlainTree(PaperWork* work, float* twisted, TreeTimes* times, int pass) {
    const double n = (double)work->scene->triangleCount;
    float* const positions = work->scene->positions;
    PlainBvh_Build(&work->bvh, positions);
    uint64_t start = benchProcessorTime();
    PlainBvh_Refit(&work->bvh, twisted, NULL);
    times->refit[pass] = timeFrom(start, n);
    work->scene->positions = twisted;
    times->refitQuery[pass] = runPass(work, wayPlainLite, false, false).time;
    start = benchProcessorTime();
    PlainBvh_Build(&work->bvh, twisted);
    times->build[pass] = timeFrom(start, n);
    times->rebuiltQuery[pass] = runPass(work, wayPlainLite, false, false).time;
    work->scene->positions = positions;
}

static grzModelDef modelDef(const ModelScene* scene, const float* positions) {
    grzModelDef def = grzDefaultModelDef();
    def.positions = positions, def.vertexCount = scene->vertexCount;
    def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
    def.builder = grz_bvhMedian;
    return def;
}

static void must(const PaperWork* work, grzResult result) {
    if (!grzResult_IsOk(result))
        Bench_Fail(work->bench, "models: a model of the paper's tables was refused");
}

static void timeOurTree(PaperWork* work, const float* twisted, TreeTimes* times, int pass) {
    const double n = (double)work->scene->triangleCount;
    grzModelDef def = modelDef(work->scene, work->scene->positions);
    must(work, grzModel_Rebuild(work->scene->model, &def));
    uint64_t start = benchProcessorTime();
    must(work, grzModel_Refit(work->scene->model, NULL, twisted, 0));
    times->refit[pass] = timeFrom(start, n);
    times->refitQuery[pass] = runPass(work, wayOursLite, false, false).time;
    def = modelDef(work->scene, twisted);
    start = benchProcessorTime();
    must(work, grzModel_Rebuild(work->scene->model, &def));
    times->build[pass] = timeFrom(start, n);
    times->rebuiltQuery[pass] = runPass(work, wayOursLite, false, false).time;
}

static void tellTree(const PaperWork* work, const char* name, TreeTimes* times) {
    const double build = benchSpread(times->build, PASSES).median, refit = benchSpread(times->refit, PASSES).median;
    const double after = benchSpread(times->refitQuery, PASSES).median,
                 anew = benchSpread(times->rebuiltQuery, PASSES).median;
    fprintf(work->bench->out, "%-28s %-22s %12.1f %12.1f %12.1f %12.2f %12.2f\n", work->scene->name, name, build,
            refit, build / refit, 1e-3 * after, 1e-3 * anew);
    note(work, name, "build", "ns/triangle", build);
    note(work, name, "refit", "ns/triangle", refit);
    note(work, name, "query after refit", "ns/query", after);
    note(work, name, "query after rebuild", "ns/query", anew);
}

static void measureTrees(PaperWork* work) {
    TreeTimes plain, ours;
    float* twisted = Bench_Allocate(work->bench, 3 * work->scene->vertexCount, sizeof *twisted);
    if (twisted == NULL)
        return;
    twist(work->scene, twisted);
    for (int pass = 0; pass < PASSES && !work->bench->failed; ++pass) {
        timePlainTree(work, twisted, &plain, pass);
        timeOurTree(work, twisted, &ours, pass);
    }
    fprintf(work->bench->out, "\n%-28s %-22s %12s %12s %12s %12s %12s\n", "mesh, twisted", "", "ns/triangle:", "",
            "", "us/query in", "");
    fprintf(work->bench->out, "%-28s %-22s %12s %12s %12s %12s %12s\n", "", "", "build", "refit", "ratio",
            "refit tree", "new tree");
    if (!work->bench->failed) {
        tellTree(work, "his tree", &plain);
        tellTree(work, "ours, median", &ours);
    }
    Bench_Release(work->bench, twisted, 3 * work->scene->vertexCount, sizeof *twisted);
}

void benchModelsPaper(Bench* bench) {
    ModelScene scene;
    PaperWork work = {.bench = bench, .scene = &scene};
    memset(&work.bvh, 0, sizeof work.bvh);
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 500), bench->options->quick ? 10 : 200, &scene)) {
        if (!PlainBvh_Make(&work.bvh, scene.triangles, scene.triangleCount, bench->allocator) ||
            !grzResult_IsOk(grzModelPairs_Create(bench->allocator, &work.pairs)))
            Bench_Fail(bench, "models: no memory for the paper's trees");
        if (!bench->failed) {
            PlainBvh_Build(&work.bvh, scene.positions);
            measureTests(&work);
            measureAxes(&work);
            measureTrees(&work);
        }
        grzModelPairs_Destroy(work.pairs);
        PlainBvh_Release(&work.bvh);
    }
    ModelScene_Release(bench, &scene);
}
