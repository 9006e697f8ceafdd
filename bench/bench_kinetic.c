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

#include "bench_inputs.h"
#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"

typedef enum KineticWay { wayChord, wayChordWritten, wayOrdered, wayBatched, wayRefit, wayCount } KineticWay;

static const char* const wayNames[wayCount] = {"chord", "chord, written", "ordered", "batched", "refit"};

typedef struct KineticScene {
    const char* name;
    size_t vertexCount, triangleCount, frameCount;
    float* frames; // in the tree's order
    uint32_t* triangles;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzTasks* tasks;
    size_t workers;
} KineticScene;

static bool failed(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "kinetic: %s", grzResult_Text(result, text, sizeof text));
    return !grzResult_IsOk(result);
}

// ---- the scene ----

static const float* frameAt(const KineticScene* scene, size_t frame) {
    return scene->frames + frame * 3 * scene->vertexCount;
}

static grzBvhDef bvhDef(const KineticScene* scene, const float* positions, const uint32_t* triangles) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = positions, def.vertexCount = scene->vertexCount;
    def.triangles = triangles, def.triangleCount = scene->triangleCount;
    return def;
}

// Brings vertices and triangles into the order of the tree, and makes the tree of them, whose numbers are then the same.
static bool orderScene(Bench* bench, KineticScene* scene, const MeshData* mesh, const SequenceData* sequence) {
    grzBvhDef def = bvhDef(scene, sequence->positions, mesh->indices);
    if (failed(bench, grzBvh_Create(&def, &scene->bvh)))
        return false;
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    for (size_t f = 0; f < scene->frameCount; ++f)
        for (size_t v = 0; v < scene->vertexCount; ++v)
            memcpy(scene->frames + 3 * (f * scene->vertexCount + v),
                   sequence->positions + 3 * (f * scene->vertexCount + view.vertexToCaller[v]), 3 * sizeof(float));
    memcpy(scene->triangles, view.triangles, 3 * scene->triangleCount * sizeof *scene->triangles);
    def = bvhDef(scene, scene->frames, scene->triangles);
    if (failed(bench, grzBvh_Rebuild(scene->bvh, &def)))
        return false;
    for (uint32_t v = 0; v < view.vertexCount; ++v)
        if (view.vertexToCaller[v] != v)
            Bench_Fail(bench, "kinetic: the tree is in another order than its own");
    return !bench->failed;
}

static bool makePlan(Bench* bench, KineticScene* scene) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = scene->vertexCount;
    if (failed(bench, grzFlightplan_Create(&def, &scene->plan)))
        return false;
    for (size_t f = 0; f < scene->frameCount && !bench->failed; ++f)
        failed(bench, grzFlightplan_AddKeyframe(scene->plan, (double)f, frameAt(scene, f), 0));
    return !bench->failed;
}

static bool makeScene(Bench* bench, const SequenceDef* def, size_t workers, KineticScene* scene) {
    MeshData mesh;
    SequenceData sequence;
    memset(scene, 0, sizeof *scene);
    if (!Bench_Sequence(bench, def, &mesh, &sequence, &scene->name))
        return false;
    grzTasksDef tasksDef = grzDefaultTasksDef();
    tasksDef.workerCount = (uint32_t)workers;
    scene->workers = workers;
    scene->vertexCount = sequence.vertexCount;
    scene->triangleCount = mesh.triangleCount;
    scene->frameCount = sequence.frameCount;
    scene->frames = Bench_Allocate(bench, 3 * scene->vertexCount * scene->frameCount, sizeof(float));
    scene->triangles = Bench_Allocate(bench, 3 * scene->triangleCount, sizeof(uint32_t));
    const bool isMade = !bench->failed && !failed(bench, grzTasks_Create(&tasksDef, &scene->tasks)) &&
                        orderScene(bench, scene, &mesh, &sequence) && makePlan(bench, scene);
    if (isMade && scene->frameCount < 3)
        Bench_Fail(bench, "kinetic: a sequence needs three keyframes");
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
    return isMade && !bench->failed;
}

static void dropScene(Bench* bench, KineticScene* scene) {
    Bench_Release(bench, scene->frames, 3 * scene->vertexCount * scene->frameCount, sizeof(float));
    Bench_Release(bench, scene->triangles, 3 * scene->triangleCount, sizeof(uint32_t));
    grzFlightplan_Destroy(scene->plan);
    grzBvh_Destroy(scene->bvh);
    grzTasks_Destroy(scene->tasks);
}

// ---- the ways ----

typedef struct WayRun {
    const KineticScene* scene;
    KineticWay way;
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
    def.order = run->way == wayOrdered ? grz_kineticOrdered : grz_kineticBatched;
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
    if (run->way == wayOrdered || run->way == wayBatched)
        makeKinetic(run);
    else if (run->way != wayRefit)
        makeChord(run);
}

static void refitFrame(WayRun* run, size_t drawn) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = frameAt(run->scene, (drawn + run->perInterval - 1) / run->perInterval);
    keep(run, grzBvh_Refit(run->scene->bvh, run->scene->tasks, &refit, run->nodes));
}

static void runWay(void* context) {
    WayRun* run = context;
    grzTasks* tasks = run->scene->tasks;
    const size_t count = (run->scene->frameCount - 2) * run->perInterval;
    for (size_t k = 1; k <= count && grzResult_IsOk(run->result); ++k) {
        const double time = (double)k / (double)run->perInterval;
        if (run->way == wayRefit)
            refitFrame(run, k);
        else if (run->kinetic != NULL)
            keep(run, grzKineticTree_Advance(run->kinetic, tasks, time));
        else
            keep(run, grzChordTree_Advance(run->chord, tasks, time));
        if (run->way == wayChordWritten)
            keep(run, grzChordTree_WriteBoxes(run->chord, tasks, run->nodes));
    }
}

// Of the numbers of all nodes; zeros of both signs are one.
static uint64_t digestWay(void* context) {
    WayRun* run = context;
    if (run->way == wayOrdered || run->way == wayBatched)
        keep(run, grzKineticTree_WriteBoxes(run->kinetic, NULL, run->nodes));
    else if (run->way == wayChord)
        keep(run, grzChordTree_WriteBoxes(run->chord, NULL, run->nodes));
    if (!grzResult_IsOk(run->result))
        return 0;
    const size_t count = grzBvh_GetView(run->scene->bvh).nodeCount * sizeof *run->nodes / sizeof(float);
    float* numbers = &run->nodes[0].lower[0][0];
    for (size_t i = 0; i < count; ++i)
        numbers[i] += 0.0F;
    return Bench_Digest(0, numbers, count * sizeof *numbers);
}

static void measureWay(Bench* bench, const KineticScene* scene, KineticWay way, size_t perInterval) {
    const uint32_t nodeCount = grzBvh_GetView(scene->bvh).nodeCount;
    char variant[64];
    WayRun runs[2] = {{.scene = scene, .way = way, .perInterval = perInterval},
                      {.scene = scene, .way = wayRefit, .perInterval = perInterval}};
    BenchSide sides[2];
    for (int k = 0; k < 2; ++k) {
        runs[k].nodes = Bench_Allocate(bench, nodeCount, sizeof(grzBvhNode));
        sides[k] = (BenchSide){wayNames[runs[k].way], prepareWay, runWay, digestWay, NULL, &runs[k], NULL};
    }
    snprintf(variant, sizeof variant, "%s, l=%zu", scene->name, perInterval);
    const size_t drawn = (scene->frameCount - 2) * perInterval;
    const BenchJob job = {.variant = variant,
                          .metric = wayNames[way],
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

// ---- counts ----

static void countOne(Bench* bench, const KineticScene* scene, const char* metric, const char* unit, double value,
                     double refits) {
    const BenchCounter counter = {.variant = scene->name,
                                  .metric = metric,
                                  .unit = unit,
                                  .value = value,
                                  .peer = refits > 0 ? "refit" : NULL,
                                  .peerValue = refits,
                                  .n = scene->triangleCount,
                                  .workers = 1,
                                  .same = true};
    Bench_Count(bench, &counter);
}

// Events and sides that changed, a keyframe interval, beside the sides that a refit of each keyframe writes.
static void countEvents(Bench* bench, const KineticScene* scene) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan;
    grzKineticTree* tree;
    if (failed(bench, grzKineticTree_Create(&def, &tree)))
        return;
    const double intervals = (double)scene->frameCount - 1;
    if (!failed(bench, grzKineticTree_Advance(tree, NULL, intervals))) {
        const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
        const grzBvhView view = grzBvh_GetView(scene->bvh);
        const double sides = 6 * ((double)view.leafCount + view.nodeCount),
                     triangles = (double)scene->triangleCount;
        const double events = (double)(stats.leafEvents + stats.treeEvents);
        countOne(bench, scene, "events", "an interval", events / intervals, 0);
        countOne(bench, scene, "updates", "an interval", (double)stats.updates / intervals, sides);
        countOne(bench, scene, "memory, ordered", "bytes/triangle",
                 (double)grzKineticTree_MemorySize(tree) / triangles, 0);
        countOne(bench, scene, "memory, chord", "bytes/triangle",
                 3 * (double)view.nodeCount * sizeof(grzBvhNode) / triangles, 0);
    }
    grzKineticTree_Destroy(tree);
}

// The same of a BoxTree, of which the sides are two planes a node.
static void countBoxTree(Bench* bench, const KineticScene* scene) {
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    def.plan = scene->plan, def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
    grzBoxTree* tree;
    if (failed(bench, grzBoxTree_Create(&def, &tree)))
        return;
    const double intervals = (double)scene->frameCount - 1;
    if (!failed(bench, grzBoxTree_Advance(tree, intervals))) {
        const grzBoxTreeStats stats = grzBoxTree_GetStats(tree);
        countOne(bench, scene, "events, BoxTree", "an interval", (double)stats.events / intervals, 0);
        countOne(bench, scene, "updates, BoxTree", "an interval", (double)stats.updates / intervals,
                 2 * (double)grzBoxTree_GetView(tree).innerCount + 6);
        countOne(bench, scene, "candidates", "an update", (double)stats.candidates / (double)stats.updates, 0);
        countOne(bench, scene, "memory, BoxTree", "bytes/triangle",
                 (double)grzBoxTree_MemorySize(tree) / (double)scene->triangleCount, 0);
    }
    grzBoxTree_Destroy(tree);
}

// ---- cases ----

static void measureScene(Bench* bench, const KineticScene* scene) {
    static const size_t counts[] = {1, 3, 10, 30, 100};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        for (int way = 0; way < wayRefit && !bench->failed; ++way)
            if (!bench->options->quick || counts[i] == 3)
                measureWay(bench, scene, (KineticWay)way, counts[i]);
    if (scene->workers == 1 && !bench->failed)
        countEvents(bench, scene);
    if (scene->workers == 1 && !bench->failed)
        countBoxTree(bench, scene);
}

static void runScene(Bench* bench, SequenceKind kind) {
    size_t workers[2];
    const SequenceDef def = {kind, Bench_Size(bench, 16384, 600), bench->options->quick ? 4 : 14};
    const size_t workerCount = Bench_Workers(bench, workers);
    for (size_t w = 0; w < workerCount && !bench->failed; ++w) {
        KineticScene scene;
        if (makeScene(bench, &def, workers[w], &scene))
            measureScene(bench, &scene);
        dropScene(bench, &scene);
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
