// What: the stage "step": whole steps of whole worlds, beside Bullet's.
//
// Scenes from files are those of `graze run`. The described ones are the four that engines are compared with: a small and
// a large pyramid, and 27,000 boxes or spheres that fall into a pit; and as these boxes come down flat, one on another, a
// fifth in which they are turned and tumble. What each engine made of them is told as well: a
// faster step that lets the pyramid sink is no gain.
#include "bench.h"

#include "bench_folders.h"
#include "step_keyframed.h"
#include "step_make.h"
#include "step_measure.h"
#include "step_standing.h"
#if defined(GRAZE_SCENES)
#    include "scene.h"
#endif

static size_t stepCount(const Bench* bench, size_t usual) {
    return bench->options->quick ? 48 : usual; // after which the pits' lowest layers have landed
}

static void runScene(Bench* bench, const char* variant, const StepScene* scene) {
    const StepSource source = {.variant = variant,
                               .steps = stepCount(bench, 300),
                               .scene = scene,
                               .open = StepWorld_OpenScene,
                               .watch = StepWorld_WatchScene,
                               .step = StepWorld_StepScene,
                               .close = StepWorld_CloseScene};
    benchSteps(bench, &source);
}

// The largest base with no more than that many boxes.
static size_t baseOf(size_t boxes) {
    size_t base = 1;
    while ((base + 1) * (base + 2) / 2 <= boxes)
        ++base;
    return base;
}

static void runPyramid(Bench* bench, size_t base) {
    StepScene scene;
    char variant[32];
    snprintf(variant, sizeof variant, "base %zu", base);
    if (StepScene_MakePyramid(bench, base, &scene))
        runScene(bench, variant, &scene);
    StepScene_Release(bench, &scene);
}

static void pyramidCase(Bench* bench) {
    const bool isOne = bench->options->quick || bench->options->n != 0;
    runPyramid(bench, baseOf(Bench_Size(bench, 820, 55)));
    if (!isOne && !bench->failed)
        runPyramid(bench, baseOf(5050));
}

// The largest side of a cube of no more than that many bodies.
static size_t sideOf(size_t bodies) {
    size_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= bodies)
        ++side;
    return side;
}

static void runPit(Bench* bench, bool ofSpheres) {
    StepScene scene;
    if (StepScene_MakePit(bench, sideOf(Bench_Size(bench, 27000, 216)), ofSpheres, &scene))
        runScene(bench, NULL, &scene);
    StepScene_Release(bench, &scene);
}

static void boxesCase(Bench* bench) {
    runPit(bench, false);
}

static void spheresCase(Bench* bench) {
    runPit(bench, true);
}

static void tumbleCase(Bench* bench) {
    StepScene scene;
    if (StepScene_MakeTumble(bench, sideOf(Bench_Size(bench, 8000, 64)), &scene))
        runScene(bench, NULL, &scene);
    StepScene_Release(bench, &scene);
}

// ---- scenes from files ----

#if defined(GRAZE_SCENES)
static bool openFile(Bench* bench, StepWorld* world) {
    Scene* scene = Bench_Allocate(bench, 1, sizeof *scene);
    const SceneSetup setup = {.tasks = world->tasks, .profile = world->profile};
    FileError error;
    world->owner = scene;
    if (scene == NULL)
        return false;
    const bool isLoaded = Scene_Load(scene, world->source->path, &setup, &error);
    if (isLoaded)
        world->world = scene->world;
    else
        Bench_Fail(bench, "%s", error.text);
    return isLoaded;
}

static void watchLook(const SceneLook* look, StepOverlap* overlap) {
    const grzMesh* mesh = look->ownMesh != NULL ? look->ownMesh : look->mesh != NULL ? look->mesh->mesh : NULL;
    StepOverlap_Add(overlap, look->id, &look->shape, look->shape.kind == grz_noShape ? mesh : NULL);
}

static bool watchFile(Bench* bench, StepWorld* world, StepOverlap* overlap) {
    const Scene* scene = world->owner;
    if (!StepOverlap_Make(overlap, bench->allocator, scene->looks.count)) {
        Bench_Fail(bench, "step: there is no memory to measure a scene");
        return false;
    }
    for (size_t i = 0; i < scene->looks.count; ++i)
        watchLook(&scene->looks.data[i], overlap);
    return true;
}

static bool stepFile(StepWorld* world) {
    return Scene_Step(world->owner, NULL);
}

static void closeFile(Bench* bench, StepWorld* world) {
    if (world->owner == NULL)
        return;
    Scene_Release(world->owner);
    Bench_Release(bench, world->owner, 1, sizeof(Scene));
}

// The large ones are left to a run that measures.
static void scenesCase(Bench* bench) {
    static const char* const names[] = {"pyramid", "tablecloth", "walker", "mixed"};
    const size_t count = bench->options->quick ? 2 : sizeof names / sizeof names[0];
    for (size_t i = 0; i < count && !bench->failed; ++i) {
        char file[32], path[BENCH_PATH_SIZE];
        snprintf(file, sizeof file, "%s.json", names[i]);
        const StepSource source = {.variant = names[i],
                                   .steps = bench->options->quick ? 3 : 300,
                                   .path = path,
                                   .open = openFile,
                                   .watch = watchFile,
                                   .step = stepFile,
                                   .close = closeFile};
        if (Bench_JoinPath(bench, GRAZE_BENCH_SCENES, file, path))
            benchSteps(bench, &source);
    }
}
#endif

static const BenchCase cases[] = {
#if defined(GRAZE_SCENES)
    {"scenes", "the scenes of examples/scenes", scenesCase, bench_usesWorkers},
#endif
    {"pyramid", "pyramids of 820 and 5,050 boxes, or of at most n", pyramidCase,
     bench_usesN | bench_usesWorkers | bench_usesPeers},
    {"boxes", "n boxes fall into a pit", boxesCase, bench_usesN | bench_usesWorkers | bench_usesPeers},
    {"spheres", "n spheres fall into a pit", spheresCase, bench_usesN | bench_usesWorkers | bench_usesPeers},
    {"tumble", "n boxes, turned and in random order, fall into a pit", tumbleCase,
     bench_usesN | bench_usesWorkers | bench_usesPeers},
    {"standing", "200 boxes move among a million that stand, or n", standingCase, bench_usesN},
    {"keyframed", "a keyframed mesh of n triangles, alone and beside others, in refits", benchStepKeyframed,
     bench_usesN},
};

const BenchStage benchStep = {"step", "whole steps of whole worlds", cases, sizeof cases / sizeof cases[0]};
