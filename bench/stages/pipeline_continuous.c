// What: the case "continuous" of the stage "pipeline": keyframed cloth that falls on a mesh at rest.
//
//   two keyframes -> grzChordPairs_Advance -> triangles -> grzCcdStep_Decide      beside      grzCcdStep_Find, on each of l frames
//                                                                                 and         grzCcdStep_Find, on the two keyframes
//
// Holds: vertices move in straight lines between keyframes, so one search decides all frames; its impacts are those of grzCcdStep_Find on
//   the two keyframes, of which there must be some. The frames of the first peer are rounded to floats, so its impacts are other ones by that rounding, and a pair of
//   features may touch in several frames. They are right if they are at least as many as ours in the first place, less a hundredth.
#include "pipeline_continuous.h"

#include <stdio.h>
#include <string.h>

#include "bench_inputs.h"
#include "graze/chord_tree.h"
#include "impact_search.h"
#include "kinetic_scene.h"

enum { INTERVALS = 4, MOST_FRAMES = 30 };

typedef struct ContinuousScene {
    Bench* bench;
    KineticScene cloth, rest;
    size_t first; // keyframe of the first interval
    ImpactMesh meshes[2];
    grzChordTree* tree;
    grzChordPairs* pairs;
    grzBvhNode* nodes; // of what rests
    Impacts ours, keyframes, each;
    uint64_t expected; // impacts of grzCcdStep_Find on the keyframes; 0: there are none
    size_t frameCount; // l
    float* frames;     // of all intervals, each with both its keyframes
} ContinuousScene;

static grzCcdStepMotion restMotion(const ContinuousScene* scene) {
    const float* positions = KineticScene_Frame(&scene->rest, 0);
    return (grzCcdStepMotion){positions, positions, 0};
}

static const float* keyframeOf(const ContinuousScene* scene, size_t interval) {
    return KineticScene_Frame(&scene->cloth, scene->first + interval);
}

static grzCcdStepMotion intervalMotion(const ContinuousScene* scene, size_t interval) {
    return (grzCcdStepMotion){keyframeOf(scene, interval), keyframeOf(scene, interval + 1), 0};
}

// ---- sides ----

static bool runInterval(ContinuousScene* scene, size_t interval) {
    const double time = (double)(scene->first + interval);
    const grzCcdStepMotion motion = intervalMotion(scene, interval);
    if (!grzResult_IsOk(grzChordTree_Advance(scene->tree, scene->cloth.tasks, time)) ||
        !grzResult_IsOk(grzChordPairs_Advance(scene->pairs, scene->cloth.tasks)))
        return false;
    const grzChordPairsView view = grzChordPairs_GetView(scene->pairs);
    Impacts_Decide(&scene->ours, motion, restMotion(scene), view.pairs, view.count);
    return true;
}

static void runOurs(void* context) {
    ContinuousScene* scene = context;
    Impacts_Clear(&scene->ours);
    for (size_t i = 0; i < INTERVALS; ++i)
        if (!runInterval(scene, i))
            return;
}

static void runKeyframes(void* context) {
    ContinuousScene* scene = context;
    Impacts_Clear(&scene->keyframes);
    for (size_t i = 0; i < INTERVALS; ++i)
        Impacts_Find(&scene->keyframes, intervalMotion(scene, i), restMotion(scene));
}

static void runEach(void* context) {
    ContinuousScene* scene = context;
    const size_t numbers = 3 * scene->cloth.vertexCount;
    Impacts_Clear(&scene->each);
    for (size_t i = 0; i < INTERVALS * scene->frameCount; ++i) {
        const float* start = scene->frames + i * numbers;
        Impacts_Find(&scene->each, (grzCcdStepMotion){start, start + numbers, 0}, restMotion(scene));
    }
}

static void clearOurs(void* context) {
    Impacts_Clear(&((ContinuousScene*)context)->ours);
}

static void clearKeyframes(void* context) {
    Impacts_Clear(&((ContinuousScene*)context)->keyframes);
}

static void clearEach(void* context) {
    Impacts_Clear(&((ContinuousScene*)context)->each);
}

static uint64_t digestOurs(void* context) {
    return ((const ContinuousScene*)context)->ours.digest;
}

static uint64_t digestKeyframes(void* context) {
    return ((const ContinuousScene*)context)->keyframes.digest;
}

static uint64_t digestEach(void* context) {
    return ((const ContinuousScene*)context)->each.digest;
}

static bool areRight(void* context) {
    const ContinuousScene* scene = context;
    return scene->expected != 0 && scene->ours.digest == scene->expected;
}

static bool areEnough(void* context) {
    const ContinuousScene* scene = context;
    return 100 * scene->each.count >= 99 * scene->ours.count;
}

// ---- rows ----

static void measure(ContinuousScene* scene, const char* variant, size_t workers) {
    const size_t n = scene->cloth.triangleCount;
    const BenchSide sides[] = {
        {"one search", NULL, runOurs, digestOurs, areRight, scene, clearOurs},
        {"ccd step, each frame", NULL, runEach, digestEach, areEnough, scene, clearEach},
        {"ccd step, keyframes", NULL, runKeyframes, digestKeyframes, NULL, scene, clearKeyframes},
    };
    const BenchJob job = {.variant = variant,
                          .metric = "an interval",
                          .unit = "ns",
                          .amount = INTERVALS,
                          .n = n,
                          .workers = workers,
                          .sides = sides,
                          .sideCount = 3};
    Bench_Measure(scene->bench, &job);
    if (workers != 1 || scene->bench->failed)
        return;
    runOurs(scene);
    runEach(scene);
    const bool same = areRight(scene) && areEnough(scene);
    Impacts_Count(scene->bench, variant, "impacts", (double)scene->ours.count, "each frame",
                  (double)scene->each.count, n, same);
    Impacts_Count(scene->bench, variant, "pairs of features", (double)scene->ours.candidates, "each frame",
                  (double)scene->each.candidates, n, same);
    Impacts_Count(scene->bench, variant, "pairs of triangles", (double)scene->ours.pairs, NULL, 0, n, same);
}

static void makeFrames(ContinuousScene* scene, size_t frameCount) {
    const size_t numbers = 3 * scene->cloth.vertexCount;
    scene->frameCount = frameCount;
    for (size_t i = 0; i <= INTERVALS * frameCount; ++i) {
        const size_t interval = i < INTERVALS * frameCount ? i / frameCount : INTERVALS - 1;
        blendFrames(keyframeOf(scene, interval), keyframeOf(scene, interval + 1),
                    (float)(i - interval * frameCount) / (float)frameCount, numbers, scene->frames + i * numbers);
    }
}

// ---- a scene ----

typedef struct Ball {
    float centre[3], radius;
} Ball;

// What generated cloth falls on, a little larger than what its vertices keep away from; or a ball in the way of a given animation.
static Ball ballOf(const Bench* bench, const KineticScene* cloth) {
    if (bench->options->meshA == NULL && bench->options->sequence == NULL)
        return (Ball){{0, -0.5F, 0}, 0.5F + 1.2F * SEQUENCE_MARGIN};
    const float* at = KineticScene_Frame(cloth, cloth->frameCount - INTERVALS / 2 - 1);
    float extent = 0;
    for (int axis = 0; axis < 3; ++axis) {
        float lower = at[axis], upper = at[axis];
        for (size_t i = 0; i < cloth->vertexCount; ++i) {
            lower = at[3 * i + (size_t)axis] < lower ? at[3 * i + (size_t)axis] : lower;
            upper = at[3 * i + (size_t)axis] > upper ? at[3 * i + (size_t)axis] : upper;
        }
        extent = upper - lower > extent ? upper - lower : extent;
    }
    return (Ball){{at[0], at[1], at[2]}, 0.25F * extent};
}

// A ball at rest, as a mesh in its tree's order.
static bool makeRest(Bench* bench, size_t n, Ball ball, KineticScene* rest) {
    MeshData mesh;
    SequenceData sequence;
    if (KineticScene_Failed(bench, makeShape(shapeSphere, n, bench->allocator, &mesh)))
        return false;
    const size_t numbers = 3 * mesh.vertexCount;
    sequence = (SequenceData){.vertexCount = mesh.vertexCount, .frameCount = 3};
    sequence.positions = Bench_Allocate(bench, 3 * numbers, sizeof *sequence.positions);
    if (sequence.positions != NULL)
        for (size_t i = 0; i < 3 * numbers; ++i)
            sequence.positions[i] = ball.radius * ((const float*)mesh.positions)[i % numbers] + ball.centre[i % 3];
    const bool isMade =
        sequence.positions != NULL && KineticScene_MakeOf(bench, "ball", &mesh, &sequence, 0, 3, 1, rest);
    Bench_Release(bench, sequence.positions, 3 * numbers, sizeof *sequence.positions);
    MeshData_Release(&mesh);
    return isMade;
}

static bool makePairs(ContinuousScene* scene) {
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    grzChordPairsDef pairsDef = grzDefaultChordPairsDef();
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = KineticScene_Frame(&scene->rest, 0);
    treeDef.bvh = scene->cloth.bvh, treeDef.plan = scene->cloth.plan;
    treeDef.startTime = (double)scene->first;
    if (KineticScene_Failed(scene->bench, grzBvh_Refit(scene->rest.bvh, NULL, &refit, scene->nodes)) ||
        KineticScene_Failed(scene->bench, grzChordTree_Create(&treeDef, &scene->tree)))
        return false;
    pairsDef.treeA = scene->tree, pairsDef.bvhB = scene->rest.bvh, pairsDef.nodesB = scene->nodes;
    return !KineticScene_Failed(scene->bench, grzChordPairs_Create(&pairsDef, &scene->pairs));
}

static bool makeScene(ContinuousScene* scene) {
    Bench* bench = scene->bench;
    const float* rest = KineticScene_Frame(&scene->rest, 0);
    scene->first = scene->cloth.frameCount - INTERVALS - 1;
    scene->nodes = Bench_Allocate(bench, grzBvh_GetView(scene->rest.bvh).nodeCount, sizeof *scene->nodes);
    scene->frames =
        Bench_Allocate(bench, (INTERVALS * MOST_FRAMES + 1) * 3 * scene->cloth.vertexCount, sizeof(float));
    if (bench->failed ||
        !ImpactMesh_Make(bench, scene->cloth.bvh, scene->cloth.triangles, scene->cloth.frames, &scene->meshes[0]) ||
        !ImpactMesh_Make(bench, scene->rest.bvh, scene->rest.triangles, rest, &scene->meshes[1]) ||
        !makePairs(scene))
        return false;
    if (!Impacts_Make(bench, &scene->meshes[0], &scene->meshes[1], &scene->ours) ||
        !Impacts_Make(bench, &scene->meshes[0], &scene->meshes[1], &scene->keyframes) ||
        !Impacts_Make(bench, &scene->meshes[0], &scene->meshes[1], &scene->each))
        return false;
    runKeyframes(scene);
    scene->expected = scene->keyframes.count > 0 ? scene->keyframes.digest : 0;
    return true;
}

static void dropScene(ContinuousScene* scene) {
    Bench* bench = scene->bench;
    Impacts_Drop(&scene->ours);
    Impacts_Drop(&scene->keyframes);
    Impacts_Drop(&scene->each);
    grzChordPairs_Destroy(scene->pairs);
    grzChordTree_Destroy(scene->tree);
    for (int side = 0; side < 2; ++side)
        ImpactMesh_Drop(&scene->meshes[side]);
    Bench_Release(bench, scene->frames, (INTERVALS * MOST_FRAMES + 1) * 3 * scene->cloth.vertexCount,
                  sizeof(float));
    if (scene->nodes != NULL)
        Bench_Release(bench, scene->nodes, grzBvh_GetView(scene->rest.bvh).nodeCount, sizeof *scene->nodes);
    KineticScene_Drop(bench, &scene->rest);
    KineticScene_Drop(bench, &scene->cloth);
}

static void runAll(ContinuousScene* scene) {
    static const size_t frameCounts[] = {1, 3, 10, MOST_FRAMES};
    size_t workers[2];
    const size_t counts = Bench_Workers(scene->bench, workers);
    for (size_t i = 0; i < counts; ++i)
        for (size_t l = 0; l < sizeof frameCounts / sizeof frameCounts[0] && !scene->bench->failed; ++l) {
            char variant[64];
            if (!KineticScene_SetWorkers(scene->bench, &scene->cloth, workers[i]))
                return;
            makeFrames(scene, frameCounts[l]);
            scene->ours.tasks = scene->keyframes.tasks = scene->each.tasks = scene->cloth.tasks;
            snprintf(variant, sizeof variant, "%.40s, l = %zu", scene->cloth.name, frameCounts[l]);
            measure(scene, variant, workers[i]);
        }
}

void benchPipelineContinuous(Bench* bench) {
    static const size_t sizes[] = {16000, 65000};
    const BenchOptions* options = bench->options;
    const bool isOne = options->n != 0 || options->quick || options->meshA != NULL || options->sequence != NULL;
    for (size_t i = 0; i < (isOne ? 1 : sizeof sizes / sizeof sizes[0]) && !bench->failed; ++i) {
        const size_t n = Bench_Size(bench, sizes[i], 1000);
        const SequenceDef def = {sequenceDrape, n, 14};
        ContinuousScene scene = {.bench = bench};
        if (KineticScene_Make(bench, &def, 1, &scene.cloth) &&
            makeRest(bench, n / 2, ballOf(bench, &scene.cloth), &scene.rest) && makeScene(&scene))
            runAll(&scene);
        dropScene(&scene);
    }
}
