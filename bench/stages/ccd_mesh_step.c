// What: see ccd_mesh_step.h.
// Holds: a pair of features is told from others by its vertices, in an order of its own: a face's by size, the lower edge first. A
//   row is the same where every listed pair that touches was found, and none that does not.
#include "ccd_mesh_step.h"

#include <stdlib.h>
#include <string.h>

#include "graze/ccd_step.h"
#include "mesh_read.h"

enum { QUICK_CANDIDATES = 100000 }; // steps with more pairs of edges are only counted by --quick

typedef struct StepKey {
    uint32_t kind, vertices[4];
} StepKey;

typedef struct StepRun {
    Bench* bench;
    grzMesh* mesh;
    grzMeshView view;
    grzCcdStepDef def;
    grzCcdStepQuery query;
    grzCcdStep* step;
    grzTasks* tasks;
    uint64_t digest; // of the last run; 0: none
} StepRun;

// ---- keys ----

static void swapIfAbove(uint32_t* a, uint32_t* b) {
    if (*a > *b) {
        const uint32_t c = *a;
        *a = *b;
        *b = c;
    }
}

static StepKey keyOf(grzCcdKind kind, const uint32_t* vertices) {
    StepKey key = {(uint32_t)kind, {vertices[0], vertices[1], vertices[2], vertices[3]}};
    uint32_t* v = key.vertices;
    if (kind == grz_ccdVertexFace) {
        swapIfAbove(v + 1, v + 2);
        swapIfAbove(v + 2, v + 3);
        swapIfAbove(v + 1, v + 2);
        return key;
    }
    swapIfAbove(v, v + 1);
    swapIfAbove(v + 2, v + 3);
    if (v[0] > v[2] || (v[0] == v[2] && v[1] > v[3]))
        return (StepKey){key.kind, {v[2], v[3], v[0], v[1]}};
    return key;
}

static StepKey keyOfImpact(const grzMeshView* view, const grzImpact* impact) {
    const uint32_t a = grzFeature_Index(impact->pair.featureA), b = grzFeature_Index(impact->pair.featureB);
    if (grzFeature_Kind(impact->pair.featureA) == grz_edgeFeature)
        return keyOf(grz_ccdEdgeEdge,
                     (uint32_t[]){view->edges[a].a, view->edges[a].b, view->edges[b].a, view->edges[b].b});
    const uint32_t* of = view->triangles + 3 * (size_t)b;
    return keyOf(grz_ccdVertexFace, (uint32_t[]){a, of[0], of[1], of[2]});
}

static int compareKeys(const void* a, const void* b) {
    const StepKey *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (x->vertices[i] != y->vertices[i])
            return x->vertices[i] < y->vertices[i] ? -1 : 1;
    return 0;
}

// ---- runs ----

static void clearStep(void* context) {
    StepRun* run = context;
    run->digest = 0;
}

static void find(StepRun* run) {
    if (!grzResult_IsOk(grzCcdStep_Find(run->step, run->tasks, &run->query)))
        return;
    const grzCcdStepView view = grzCcdStep_GetView(run->step);
    run->digest = Bench_Digest(1, view.impacts, view.count * sizeof *view.impacts);
}

static void runWarm(void* context) {
    find(context);
}

// From two frames to all impacts, of a mesh of known topology.
static void runAnew(void* context) {
    StepRun* run = context;
    grzCcdStep_Destroy(run->step);
    run->step = NULL;
    if (grzResult_IsOk(grzCcdStep_Create(&run->def, &run->step)))
        find(run);
}

static uint64_t digestStep(void* context) {
    const StepRun* run = context;
    return run->digest;
}

// The outcome is looked at once, before (tellCounts); later ones must be as that.
static bool hasFound(void* context) {
    const StepRun* run = context;
    return run->digest != 0;
}

static void measure(StepRun* run, const char* name, size_t workers, uint64_t candidates) {
    static const struct {
        const char *metric, *unit;
        bool isAnew, isEach;
    } rows[] = {{"all impacts", "ns/candidate", false, true},
                {"all impacts", "ns", false, false},
                {"anew", "ns", true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const BenchSide side = {"graze", NULL,     rows[i].isAnew ? runAnew : runWarm, digestStep, hasFound,
                                run,     clearStep};
        const BenchJob job = {.variant = name,
                              .metric = rows[i].metric,
                              .unit = rows[i].unit,
                              .amount = rows[i].isEach ? (double)candidates : 1,
                              .n = (size_t)candidates,
                              .workers = workers,
                              .sides = &side,
                              .sideCount = 1};
        Bench_Measure(run->bench, &job);
    }
}

// ---- counts ----

typedef struct StepTally {
    size_t misses, falses, unlisted;
} StepTally;

static StepTally compare(const StepRun* run, const CcdList* list, grzCcdKind kind, const StepKey* keys,
                         size_t count) {
    StepTally tally = {0, 0, 0};
    size_t found = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const StepKey key = keyOf(kind, list->vertices + 4 * i);
        const bool isFound = bsearch(&key, keys, count, sizeof *keys, compareKeys) != NULL;
        tally.misses += list->truths[i] != 0 && !isFound;
        tally.falses += list->truths[i] == 0 && isFound;
        found += isFound;
    }
    tally.unlisted = (size_t)grzCcdStep_GetView(run->step).stats.impacts[kind] - found;
    return tally;
}

static void tell(StepRun* run, const char* name, const char* metric, const char* unit, double value, bool same) {
    Bench_Count(run->bench, &(BenchCounter){.variant = name,
                                            .metric = metric,
                                            .unit = unit,
                                            .value = value,
                                            .n = run->view.triangleCount,
                                            .workers = 1,
                                            .same = same});
}

static void tellKind(StepRun* run, const char* name, grzCcdKind kind, const StepTally* tally) {
    static const char* const stages[] = {"boxes", "volumes", "a direction", "areas", "whole numbers"};
    const char* kindName = kind == grz_ccdEdgeEdge ? "edge-edge" : "vertex-face";
    const grzCcdStepStats stats = grzCcdStep_GetView(run->step).stats;
    const bool same = tally->misses == 0 && tally->falses == 0;
    const struct {
        const char* metric;
        double value;
    } counts[] = {{"candidates", (double)stats.candidates[kind]}, {"hits", (double)stats.impacts[kind]},
                  {"listed, missed", (double)tally->misses},      {"listed, false", (double)tally->falses},
                  {"hits not listed", (double)tally->unlisted},   {"in doubt", (double)stats.doubtful[kind]}};
    char metric[64];
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        snprintf(metric, sizeof metric, "%s, %s", kindName, counts[i].metric);
        tell(run, name, metric, "pairs", counts[i].value, same);
    }
    for (int stage = 0; stage < grz_ccdStageCount; ++stage) {
        snprintf(metric, sizeof metric, "%s, by %s", kindName, stages[stage]);
        tell(run, name, metric, "%",
             100 * (double)stats.decided[kind][stage] /
                 (double)(stats.candidates[kind] + (stats.candidates[kind] == 0)),
             same);
    }
}

// Runs once; whether that went well.
static bool tellCounts(StepRun* run, const char* name, const CcdList lists[2]) {
    runAnew(run);
    if (run->digest == 0) {
        Bench_Fail(run->bench, "%s: the step was refused", name);
        return false;
    }
    const grzCcdStepView found = grzCcdStep_GetView(run->step);
    StepKey* keys = Bench_Allocate(run->bench, found.count + 1, sizeof *keys);
    if (keys == NULL)
        return false;
    for (size_t i = 0; i < found.count; ++i)
        keys[i] = keyOfImpact(&run->view, &found.impacts[i]);
    qsort(keys, found.count, sizeof *keys, compareKeys);
    for (int kind = 0; kind < 2; ++kind) {
        const StepTally tally = compare(run, &lists[kind], (grzCcdKind)kind, keys, found.count);
        tellKind(run, name, (grzCcdKind)kind, &tally);
    }
    Bench_Release(run->bench, keys, found.count + 1, sizeof *keys);
    return true;
}

// ---- a scene ----

static bool makeRun(StepRun* run, const MeshData frames[2]) {
    grzMeshDef meshDef = MeshData_Def(&frames[0]);
    meshDef.allocator = run->bench->allocator;
    if (!grzResult_IsOk(grzMesh_Create(&meshDef, &run->mesh)))
        return false;
    run->view = grzMesh_GetView(run->mesh);
    run->def = grzDefaultCcdStepDef();
    run->def.meshA = run->mesh;
    run->def.type = frames[0].isDouble ? grz_float64 : grz_float32;
    run->def.allocator = run->bench->allocator;
    run->query = grzDefaultCcdStepQuery();
    run->query.a = (grzCcdStepMotion){frames[0].positions, frames[1].positions, 0};
    return true;
}

void benchCcdMeshStep(Bench* bench, const char* name, const MeshData frames[2], const CcdList lists[2]) {
    StepRun run = {.bench = bench};
    size_t workers[2];
    if (!makeRun(&run, frames)) {
        Bench_Fail(bench, "%s: no mesh can be made of it", name);
        return;
    }
    const size_t counts = Bench_Workers(bench, workers);
    const bool isTold = tellCounts(&run, name, lists);
    const grzCcdStepStats stats = isTold ? grzCcdStep_GetView(run.step).stats : (grzCcdStepStats){0};
    const bool isTimed = isTold && !(bench->options->quick && stats.candidates[1] > QUICK_CANDIDATES);
    for (size_t i = 0; isTimed && i < counts && !bench->failed; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = (uint32_t)workers[i];
        if (!grzResult_IsOk(grzTasks_Create(&def, &run.tasks)))
            Bench_Fail(bench, "%s: no %zu workers could be had", name, workers[i]);
        else
            measure(&run, name, workers[i], stats.candidates[0] + stats.candidates[1]);
        grzTasks_Destroy(run.tasks);
        run.tasks = NULL;
    }
    grzCcdStep_Destroy(run.step);
    grzMesh_Destroy(run.mesh);
}
