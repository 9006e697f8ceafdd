// What: the case "self" of the stage "pipeline": a sheet against itself.
//
//   two frames -> grzBvh_Refit, swept -> grzBoxPairs_Find -> triangles -> grzCcdStep_Decide      beside      the same under a self cull
//                                                                                                and         grzCcdStep_Find
//
// Holds: all sides have the same impacts, with their times. The cull's contours are there before; what it decides is inside the clock.
#include "pipeline_self.h"

#include "bench_inputs.h"
#include "impact_search.h"
#include "kinetic_scene.h"
#include "self_frames.h"
#include "self_keyframes.h"
#include "waved_mesh.h"

typedef struct SelfScene {
    Bench* bench;
    ImpactMesh mesh;
    const float* frames[2];
    grzTasks* tasks;
    grzBvhNode* nodes;
    grzBoxPairs* boxPairs;
    grzSelfCull* cull;
    Impacts ours, culled, peer;
} SelfScene;

static grzCcdStepMotion selfMotion(const SelfScene* scene) {
    return (grzCcdStepMotion){scene->frames[0], scene->frames[1], 0};
}

static void runListed(SelfScene* scene, const grzSelfCull* cull, Impacts* impacts) {
    ImpactMesh* mesh = &scene->mesh;
    grzBvhRefit refit = grzDefaultBvhRefit();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    refit.positions = scene->frames[0], refit.endPositions = scene->frames[1];
    query.a = (grzBoxSet){mesh->bvh, scene->nodes}, query.cull = cull;
    Impacts_Clear(impacts);
    if (!grzResult_IsOk(grzBvh_Refit(mesh->bvh, scene->tasks, &refit, scene->nodes)) ||
        !grzResult_IsOk(grzBoxPairs_Find(scene->boxPairs, scene->tasks, &query)))
        return;
    const grzBoxPairsView view = grzBoxPairs_GetView(scene->boxPairs);
    Impacts_Decide(impacts, selfMotion(scene), selfMotion(scene), view.pairs, view.count);
}

static void runSelf(void* context) {
    SelfScene* scene = context;
    runListed(scene, NULL, &scene->ours);
}

static void runCulled(void* context) {
    SelfScene* scene = context;
    if (grzResult_IsOk(grzSelfCull_Update(scene->cull, scene->tasks, scene->frames[0], scene->frames[1])))
        runListed(scene, scene->cull, &scene->culled);
}

static void runSelfPeer(void* context) {
    SelfScene* scene = context;
    Impacts_Clear(&scene->peer);
    Impacts_Find(&scene->peer, selfMotion(scene), selfMotion(scene));
}

static void clearSelf(void* context) {
    SelfScene* scene = context;
    Impacts_Clear(&scene->ours);
    Impacts_Clear(&scene->culled);
    Impacts_Clear(&scene->peer);
}

static uint64_t digestSelf(void* context) {
    return ((const SelfScene*)context)->ours.digest;
}

static uint64_t digestCulled(void* context) {
    return ((const SelfScene*)context)->culled.digest;
}

static uint64_t digestSelfPeer(void* context) {
    return ((const SelfScene*)context)->peer.digest;
}

// How many pairs of leaves a self cull leaves out, in the whole motion, of those that were found last.
static void countCulled(SelfScene* scene, const char* variant) {
    const size_t n = scene->mesh.view.triangleCount;
    const double all = (double)grzBoxPairs_GetView(scene->boxPairs).count;
    runCulled(scene);
    const bool same = scene->culled.digest == scene->ours.digest;
    const double left = (double)grzBoxPairs_GetView(scene->boxPairs).count;
    const double inFree = (double)grzSelfCull_GetStats(scene->cull).freeTriangles;
    Impacts_Count(scene->bench, variant, "pairs of leaves, culled", left, "all", all, n, same);
    Impacts_Count(scene->bench, variant, "triangles in free nodes", inFree, NULL, 0, n, same);
}

static void measureSelf(SelfScene* scene, const char* variant, size_t workers) {
    const size_t n = scene->mesh.view.triangleCount;
    const BenchSide sides[] = {
        {"listed pairs", NULL, runSelf, digestSelf, NULL, scene, clearSelf},
        {"ccd step", NULL, runSelfPeer, digestSelfPeer, NULL, scene, clearSelf},
        {"listed pairs, culled", NULL, runCulled, digestCulled, NULL, scene, clearSelf},
    };
    const BenchJob job = {.variant = variant,
                          .metric = "two frames to impacts",
                          .unit = "ns",
                          .amount = 1,
                          .n = n,
                          .workers = workers,
                          .sides = sides,
                          .sideCount = 3};
    Bench_Measure(scene->bench, &job);
    if (workers != 1 || scene->bench->failed)
        return;
    runSelf(scene);
    runSelfPeer(scene);
    const bool same = scene->ours.digest == scene->peer.digest;
    Impacts_Count(scene->bench, variant, "impacts", (double)scene->ours.count, "ccd step",
                  (double)scene->peer.count, n, same);
    Impacts_Count(scene->bench, variant, "pairs of features", (double)scene->ours.candidates, "ccd step",
                  (double)scene->peer.candidates, n, same);
    Impacts_Count(scene->bench, variant, "pairs of triangles", (double)scene->ours.pairs, NULL, 0, n, same);
    countCulled(scene, variant);
}

static void runSelfScene(Bench* bench, const char* variant, const grzBvh* bvh, const uint32_t* triangles,
                         const float* start, const float* end) {
    SelfScene scene = {.bench = bench, .frames = {start, end}};
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzSelfCullDef cullDef = grzDefaultSelfCullDef();
    cullDef.bvh = bvh, cullDef.numbering = grz_bvhTreesNumbers;
    def.keepsFront = false; // of two frames nothing was known before
    size_t workers[2];
    const size_t counts = Bench_Workers(bench, workers);
    if (ImpactMesh_Make(bench, bvh, triangles, start, &scene.mesh)) {
        scene.nodes = Bench_Allocate(bench, scene.mesh.view.nodeCount, sizeof *scene.nodes);
        bool isMade = scene.nodes != NULL &&
                      !KineticScene_Failed(bench, grzBoxPairs_Create(&def, &scene.boxPairs)) &&
                      !KineticScene_Failed(bench, grzSelfCull_Create(&cullDef, &scene.cull));
        isMade = isMade && Impacts_Make(bench, &scene.mesh, NULL, &scene.ours) &&
                 Impacts_Make(bench, &scene.mesh, NULL, &scene.culled) &&
                 Impacts_Make(bench, &scene.mesh, NULL, &scene.peer);
        for (size_t i = 0; isMade && i < counts && !bench->failed; ++i) {
            grzTasksDef tasksDef = grzDefaultTasksDef();
            tasksDef.workerCount = (uint32_t)workers[i];
            if (!KineticScene_Failed(bench, grzTasks_Create(&tasksDef, &scene.tasks))) {
                scene.ours.tasks = scene.culled.tasks = scene.peer.tasks = scene.tasks;
                measureSelf(&scene, variant, workers[i]);
            }
            grzTasks_Destroy(scene.tasks);
            scene.tasks = NULL;
        }
        Bench_Release(bench, scene.nodes, scene.mesh.view.nodeCount, sizeof *scene.nodes);
    }
    Impacts_Drop(&scene.ours);
    Impacts_Drop(&scene.culled);
    Impacts_Drop(&scene.peer);
    grzSelfCull_Destroy(scene.cull);
    grzBoxPairs_Destroy(scene.boxPairs);
    ImpactMesh_Drop(&scene.mesh);
}

// The drape as it hangs, after nearly a second: a whole interval between keyframes, and a tenth of it; and some intervals one after the other.
static void selfOfDrape(Bench* bench, size_t n) {
    const SequenceDef def = {sequenceDrape, n, 24};
    KineticScene scene;
    if (KineticScene_Make(bench, &def, 1, &scene)) {
        const size_t numbers = 3 * scene.vertexCount;
        const float *start = KineticScene_Frame(&scene, scene.frameCount - 2),
                    *end = KineticScene_Frame(&scene, scene.frameCount - 1);
        float* tenth = Bench_Allocate(bench, numbers, sizeof *tenth);
        if (tenth != NULL) {
            blendFrames(start, end, 0.1F, numbers, tenth);
            runSelfScene(bench, "drape, a tenth of an interval", scene.bvh, scene.triangles, start, tenth);
            runSelfScene(bench, "drape, an interval", scene.bvh, scene.triangles, start, end);
        }
        Bench_Release(bench, tenth, numbers, sizeof *tenth);
        if (!bench->failed)
            benchSelfKeyframes(bench, &scene);
        if (!bench->failed)
            benchSelfFrames(bench, &scene);
    }
    KineticScene_Drop(bench, &scene);
}

static void selfOfMesh(Bench* bench) {
    static const float none[3] = {0, 0, 0};
    MeshData mesh;
    WavedMesh moving;
    const char* name;
    if (!Bench_Mesh(bench, false, shapeGrid, 0, &mesh, &name))
        return;
    if (WavedMesh_Make(bench, &mesh, none, 0.001, 1, &moving))
        runSelfScene(bench, name, moving.bvh, moving.triangles, WavedMesh_Positions(&moving, 0),
                     WavedMesh_Positions(&moving, 1));
    WavedMesh_Drop(bench, &moving);
    MeshData_Release(&mesh);
}

void benchPipelineSelf(Bench* bench) {
    static const size_t sizes[] = {16000, 260000};
    if (bench->options->meshA != NULL && bench->options->sequence == NULL) {
        selfOfMesh(bench);
        return;
    }
    const bool isOne = bench->options->n != 0 || bench->options->quick;
    for (size_t i = 0; i < (isOne ? 1 : 2u) && !bench->failed; ++i)
        selfOfDrape(bench, Bench_Size(bench, sizes[i], 1000));
}
