// What: pipeline_physics.h.
//
// Holds: the front of box pairs beside the plain traversal, in turns; two tori of one size, side by side so that they pass through each other, or a sheet in a sphere's middle, all waved. The boxes of
//   each step are made beforehand, or inside the clock by a refit. Same: after the last step the pairs are those that the leaves make, each
//   tested against each.
#include "pipeline_physics.h"

#include <stdio.h>
#include <string.h>

#include "bench_inputs.h"
#include "graze/stage/node_pairs.h"
#include "waved_mesh.h"

typedef struct PhysicsScene {
    const char* name;
    WavedMesh a, b;
    grzTasks* tasks;
    size_t workers;
} PhysicsScene;

typedef struct PhysicsSide {
    const PhysicsScene* scene;
    grzBoxPairs* pairs;
    grzBoxPairsQuery query; // of the last step
    grzBvhNode *nodesA, *nodesB;
    bool isRefit;
    grzResult result;
    size_t found;     // in all steps
    uint64_t checked; // the digest that stood up to a look at all leaves; 0: none yet
} PhysicsSide;

static bool failed(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "pipeline: %s", grzResult_Text(result, text, sizeof text));
    return !grzResult_IsOk(result);
}

// ---- a run ----

static void refitStep(PhysicsSide* side, const WavedMesh* mesh, size_t step, grzBvhNode* nodes) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = WavedMesh_Positions(mesh, step);
    const grzResult result = grzBvh_Refit(mesh->bvh, side->scene->tasks, &refit, nodes);
    side->result = grzResult_IsOk(side->result) ? result : side->result;
}

static void runSteps(void* context) {
    PhysicsSide* side = context;
    const PhysicsScene* scene = side->scene;
    side->found = 0;
    for (size_t step = 0; step < WAVED_STEPS && grzResult_IsOk(side->result); ++step) {
        side->query.a = (grzBoxSet){scene->a.bvh, side->isRefit ? side->nodesA : WavedMesh_Nodes(&scene->a, step)};
        side->query.b = (grzBoxSet){scene->b.bvh, side->isRefit ? side->nodesB : WavedMesh_Nodes(&scene->b, step)};
        if (side->isRefit) {
            refitStep(side, &scene->a, step, side->nodesA);
            refitStep(side, &scene->b, step, side->nodesB);
        }
        if (grzResult_IsOk(side->result))
            side->result = grzBoxPairs_Find(side->pairs, scene->tasks, &side->query);
        side->found += grzBoxPairs_GetView(side->pairs).count;
    }
}

static void spoil(void* context) {
    PhysicsSide* side = context;
    side->found = 0;
}

static uint64_t digest(void* context) {
    const PhysicsSide* side = context;
    const grzBoxPairsView view = grzBoxPairs_GetView(side->pairs);
    return side->found == 0 ? 0 : Bench_Digest(side->found, view.pairs, view.count * sizeof *view.pairs);
}

// A look at all leaves is quadratic: it is taken once.
static bool agrees(void* context) {
    PhysicsSide* side = context;
    if (!grzResult_IsOk(side->result))
        return false;
    if (side->checked == 0 && grzBoxPairs_Validate(side->pairs, &side->query))
        side->checked = digest(side);
    return side->checked != 0 && side->checked == digest(side);
}

// ---- rows ----

static bool makeSide(Bench* bench, const PhysicsScene* scene, bool isRefit, bool keepsFront, PhysicsSide* side) {
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    def.keepsFront = keepsFront;
    *side = (PhysicsSide){.scene = scene, .isRefit = isRefit, .query = grzDefaultBoxPairsQuery()};
    side->nodesA = Bench_Allocate(bench, scene->a.nodeCount, sizeof(grzBvhNode));
    side->nodesB = Bench_Allocate(bench, scene->b.nodeCount, sizeof(grzBvhNode));
    return !bench->failed && !failed(bench, grzBoxPairs_Create(&def, &side->pairs));
}

static void dropSide(Bench* bench, PhysicsSide* side) {
    Bench_Release(bench, side->nodesA, side->scene->a.nodeCount, sizeof(grzBvhNode));
    Bench_Release(bench, side->nodesB, side->scene->b.nodeCount, sizeof(grzBvhNode));
    grzBoxPairs_Destroy(side->pairs);
}

static void measure(Bench* bench, const PhysicsScene* scene, const char* variant, bool isRefit) {
    PhysicsSide front, walk;
    const bool isMade = makeSide(bench, scene, isRefit, true, &front);
    if (makeSide(bench, scene, isRefit, false, &walk) && isMade) {
        const BenchSide sides[] = {{"front", NULL, runSteps, digest, agrees, &front, spoil},
                                   {"traversal", NULL, runSteps, digest, NULL, &walk, spoil}};
        const BenchJob job = {.variant = variant,
                              .metric = isRefit ? "a step, with refit" : "a step",
                              .unit = "ns",
                              .amount = WAVED_STEPS,
                              .n = scene->a.triangleCount + scene->b.triangleCount,
                              .workers = scene->workers,
                              .sides = sides,
                              .sideCount = 2};
        Bench_Measure(bench, &job);
    }
    dropSide(bench, &front), dropSide(bench, &walk);
}

static void countPairs(Bench* bench, const PhysicsScene* scene, const char* variant) {
    PhysicsSide side;
    if (makeSide(bench, scene, false, true, &side)) {
        runSteps(&side);
        const grzBoxPairsStats stats = grzBoxPairs_GetStats(side.pairs);
        BenchCounter counter = {.variant = variant,
                                .metric = "pairs",
                                .unit = "a step",
                                .value = (double)side.found / WAVED_STEPS,
                                .n = scene->a.triangleCount + scene->b.triangleCount,
                                .workers = scene->workers,
                                .same = agrees(&side)};
        Bench_Count(bench, &counter);
        counter.metric = "steps a front", counter.unit = "", counter.higherIsBetter = true;
        counter.value = stats.built == 0 ? 0 : (double)(stats.served + stats.built) / (double)stats.built;
        Bench_Count(bench, &counter);
    }
    dropSide(bench, &side);
}

// ---- scenes ----

static bool setWorkers(Bench* bench, PhysicsScene* scene, size_t workers) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)workers;
    grzTasks_Destroy(scene->tasks);
    scene->tasks = NULL;
    scene->workers = workers;
    return !failed(bench, grzTasks_Create(&def, &scene->tasks));
}

static bool makeMesh(Bench* bench, ShapeKind kind, size_t n, const float shift[3], double part, uint64_t seed,
                     WavedMesh* moving) {
    MeshData mesh;
    memset(moving, 0, sizeof *moving);
    if (failed(bench, makeShape(kind, n, bench->allocator, &mesh)))
        return false;
    const bool isMade = WavedMesh_Make(bench, &mesh, shift, part, seed, moving);
    MeshData_Release(&mesh);
    return isMade;
}

typedef struct PhysicsShapes {
    const char* name;
    ShapeKind a, b;
    float shift[3]; // of b
} PhysicsShapes;

static const PhysicsShapes shapes[] = {
    {"tori", shapeTorus, shapeTorus, {0.6F, 0.1F, 0}},
    {"sheet in sphere", shapeGrid, shapeSphere, {0, 0.1F, 0}},
};

static void runScene(Bench* bench, const PhysicsShapes* kind, size_t n, double part) {
    static const float none[3] = {0, 0, 0};
    PhysicsScene scene = {.name = kind->name};
    size_t workers[2];
    char variant[64];
    snprintf(variant, sizeof variant, "%s, 1/%.0f", kind->name, 1 / part);
    const bool isMade = makeMesh(bench, kind->a, n / 2, none, part, 1, &scene.a);
    if (makeMesh(bench, kind->b, n / 2, kind->shift, part, 2, &scene.b) && isMade)
        for (size_t i = 0, count = Bench_Workers(bench, workers); i < count && !bench->failed; ++i)
            if (setWorkers(bench, &scene, workers[i])) {
                measure(bench, &scene, variant, false);
                measure(bench, &scene, variant, true);
                if (workers[i] == 1)
                    countPairs(bench, &scene, variant);
            }
    WavedMesh_Drop(bench, &scene.a), WavedMesh_Drop(bench, &scene.b);
    grzTasks_Destroy(scene.tasks);
}

void benchPipelinePhysics(Bench* bench) {
    static const size_t sizes[] = {6000, 16000, 65000};
    static const double parts[] = {0.001, 0.003, 0.01, 0.03};
    const bool isOne = bench->options->n != 0 || bench->options->quick;
    for (size_t i = 0; i < (isOne ? 1 : sizeof sizes / sizeof sizes[0]) && !bench->failed; ++i)
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0] && !bench->failed; ++k)
            for (size_t p = 0; p < (bench->options->quick ? 1 : sizeof parts / sizeof parts[0]) && !bench->failed;
                 ++p)
                runScene(bench, &shapes[k], Bench_Size(bench, sizes[i], 1000), parts[p]);
}
