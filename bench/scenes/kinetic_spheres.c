// What: expanding spheres on a plan of paths, at several rates of frames: kinetic trees, told of the few vertices that turn back,
// beside our own refit of every frame.
//
// Idea: an interval of the spheres' keyframes is a second. At each frame the vertices of triangles that would collide before the
// next one are turned back, so that a higher rate has fewer turns a frame and as many a second. The motion runs until the
// spheres have met and for some seconds more; of the next seconds, all frames are timed.
//
// Holds: a tree is told what turns and when, and where everything is follows from that. The refit evaluates nothing: it takes
// positions that are ready, in the order of its tree, and as hot as those of a host that has just written them: those of a few
// frames of the motion, in turns; what it costs does not depend on which. At the end all nodes must be those of a refit of the
// last frame's evaluated positions.
//
// Based on: [Zachmann, Weller 2006] section 9: spheres of 2 k to 40 k triangles, whose colliding triangles' velocities are
// reversed.
#include "kinetic_spheres.h"

#include <stdio.h>
#include <string.h>

#include "graze/kinetic_tree.h"
#include "kinetic_scene.h"

enum {
    FIRST_SECOND = 20, // the spheres meet after 13
    SECONDS = 4,
    POSES = 4,
    QUICK_SECONDS = 1,
};

// ---- the scene ----

typedef struct Spheres {
    size_t vertexCount, triangleCount, rate;
    size_t firstFrame, lastFrame; // those between are timed, and the latter
    grzBvh* bvh;
    float* start;       // in the tree's order, as all here
    float* velocity;    // as it was in the beginning
    uint32_t* vertices; // that turn, frame by frame
    float* velocities;  // that they take
    size_t* starts;     // of frames, and their end
    float* poses;       // POSES, the last frame's first
} Spheres;

static bool orderVertices(Bench* bench, Spheres* spheres, const MeshData* mesh, const SequenceData* sequence) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sequence->positions, def.vertexCount = spheres->vertexCount;
    def.triangles = mesh->indices, def.triangleCount = spheres->triangleCount;
    if (KineticScene_Failed(bench, grzBvh_Create(&def, &spheres->bvh)))
        return false;
    const uint32_t* toCaller = grzBvh_GetView(spheres->bvh).vertexToCaller;
    const float *first = sequence->positions, *second = first + 3 * spheres->vertexCount;
    for (size_t v = 0; v < spheres->vertexCount; ++v)
        for (size_t axis = 0; axis < 3; ++axis) {
            const size_t of = 3 * (size_t)toCaller[v] + axis;
            spheres->start[3 * v + axis] = first[of];
            spheres->velocity[3 * v + axis] = second[of] - first[of];
        }
    return true;
}

// Lists what turns in the numbers of the tree, with the velocities that are taken.
static void orderTurns(Spheres* spheres, const SequenceChanges* changes, uint32_t* ofCaller, float* signs) {
    const uint32_t* toCaller = grzBvh_GetView(spheres->bvh).vertexToCaller;
    for (uint32_t v = 0; v < spheres->vertexCount; ++v)
        ofCaller[toCaller[v]] = v, signs[v] = 1;
    size_t next = 0;
    for (size_t frame = 0; frame <= spheres->lastFrame; ++frame) {
        spheres->starts[frame] = next;
        for (; next < changes->count && changes->data[next].step == frame; ++next) {
            const uint32_t v = ofCaller[changes->data[next].vertex];
            spheres->vertices[next] = v;
            signs[v] = -signs[v];
            for (size_t axis = 0; axis < 3; ++axis)
                spheres->velocities[3 * next + axis] = signs[v] * spheres->velocity[3 * (size_t)v + axis];
        }
    }
    spheres->starts[spheres->lastFrame + 1] = next;
}

static grzFlightplanChange changeOf(const Spheres* spheres, size_t frame) {
    const size_t from = spheres->starts[frame];
    return (grzFlightplanChange){spheres->vertices + from, spheres->starts[frame + 1] - from, NULL,
                                 spheres->velocities + 3 * from, NULL};
}

static double timeOf(const Spheres* spheres, size_t frame) {
    return (double)frame / (double)spheres->rate;
}

static grzResult makePlan(const Spheres* spheres, grzFlightplan** plan) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths, def.vertexCount = spheres->vertexCount;
    def.positions = spheres->start, def.velocities = spheres->velocity;
    return grzFlightplan_Create(&def, plan);
}

// Those of the last frame, and of some between it and the first.
static void makePoses(Bench* bench, Spheres* spheres) {
    grzFlightplan* plan;
    if (KineticScene_Failed(bench, makePlan(spheres, &plan)))
        return;
    const size_t apart = (spheres->lastFrame - spheres->firstFrame) / POSES;
    for (size_t frame = 0; frame <= spheres->lastFrame && !bench->failed; ++frame) {
        const grzFlightplanChange change = changeOf(spheres, frame);
        const size_t before = spheres->lastFrame - frame;
        KineticScene_Failed(bench, grzFlightplan_Change(plan, timeOf(spheres, frame), &change));
        if (before % apart == 0 && before / apart < POSES && !bench->failed)
            KineticScene_Failed(
                bench, grzFlightplan_Evaluate(plan, NULL, timeOf(spheres, frame),
                                              spheres->poses + before / apart * 3 * spheres->vertexCount, 0));
    }
    grzFlightplan_Destroy(plan);
}

static void dropSpheres(Bench* bench, Spheres* spheres, size_t turns) {
    const size_t numbers = 3 * spheres->vertexCount;
    Bench_Release(bench, spheres->start, numbers, sizeof(float));
    Bench_Release(bench, spheres->velocity, numbers, sizeof(float));
    Bench_Release(bench, spheres->poses, POSES * numbers, sizeof(float));
    Bench_Release(bench, spheres->vertices, turns + 1, sizeof(uint32_t));
    Bench_Release(bench, spheres->velocities, 3 * turns + 1, sizeof(float));
    Bench_Release(bench, spheres->starts, spheres->lastFrame + 2, sizeof(size_t));
    grzBvh_Destroy(spheres->bvh);
}

static bool takeSpheres(Bench* bench, Spheres* spheres, size_t turns) {
    const size_t numbers = 3 * spheres->vertexCount;
    spheres->start = Bench_Allocate(bench, numbers, sizeof(float));
    spheres->velocity = Bench_Allocate(bench, numbers, sizeof(float));
    spheres->poses = Bench_Allocate(bench, POSES * numbers, sizeof(float));
    spheres->vertices = Bench_Allocate(bench, turns + 1, sizeof(uint32_t));
    spheres->velocities = Bench_Allocate(bench, 3 * turns + 1, sizeof(float));
    spheres->starts = Bench_Allocate(bench, spheres->lastFrame + 2, sizeof(size_t));
    return !bench->failed;
}

static bool fillSpheres(Bench* bench, Spheres* spheres, const MeshData* mesh, const SequenceData* sequence,
                        const SequenceChanges* changes) {
    uint32_t* ofCaller = Bench_Allocate(bench, spheres->vertexCount, sizeof *ofCaller);
    float* signs = Bench_Allocate(bench, spheres->vertexCount, sizeof *signs);
    if (!bench->failed && orderVertices(bench, spheres, mesh, sequence)) {
        orderTurns(spheres, changes, ofCaller, signs);
        makePoses(bench, spheres);
    }
    Bench_Release(bench, ofCaller, spheres->vertexCount, sizeof *ofCaller);
    Bench_Release(bench, signs, spheres->vertexCount, sizeof *signs);
    return !bench->failed;
}

// ---- the ways ----

typedef enum WayKind { wayBatched, wayOrdered, wayRefit } WayKind;

typedef struct SpheresRun {
    const Spheres* spheres;
    const char* name;
    WayKind kind;
    bool writes; // all boxes in every frame
    grzFlightplan* plan;
    grzKineticTree* tree;
    grzBvhNode* nodes;
    uint32_t nodeCount;
    grzResult result;
} SpheresRun;

static void keep(SpheresRun* run, grzResult result) {
    if (grzResult_IsOk(run->result))
        run->result = result;
}

// A tree that is told nothing goes on; where vertices turn it is told so.
static void drawFrame(SpheresRun* run, size_t frame) {
    const Spheres* spheres = run->spheres;
    const grzFlightplanChange change = changeOf(spheres, frame);
    keep(run, change.count == 0 ? grzKineticTree_Advance(run->tree, NULL, timeOf(spheres, frame))
                                : grzKineticTree_Change(run->tree, NULL, timeOf(spheres, frame), &change));
}

static void clearRun(void* context) {
    SpheresRun* run = context;
    memset(run->nodes, 0, run->nodeCount * sizeof *run->nodes);
}

static void dropRun(SpheresRun* run) {
    grzKineticTree_Destroy(run->tree);
    grzFlightplan_Destroy(run->plan);
    run->tree = NULL, run->plan = NULL;
}

// To the first frame, from the beginning.
static void prepareRun(void* context) {
    SpheresRun* run = context;
    memset(&run->result, 0, sizeof run->result);
    clearRun(run);
    if (run->kind == wayRefit)
        return;
    dropRun(run);
    keep(run, makePlan(run->spheres, &run->plan));
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = run->spheres->bvh, def.plan = run->plan, def.numbering = grz_bvhTreesNumbers;
    def.order = run->kind == wayOrdered ? grz_kineticOrdered : grz_kineticBatched;
    keep(run, grzKineticTree_Create(&def, &run->tree));
    for (size_t frame = 1; frame <= run->spheres->firstFrame && grzResult_IsOk(run->result); ++frame)
        drawFrame(run, frame);
}

static void refitFrame(SpheresRun* run, size_t frame) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions =
        run->spheres->poses + (run->spheres->lastFrame - frame) % POSES * 3 * run->spheres->vertexCount;
    keep(run, grzBvh_Refit(run->spheres->bvh, NULL, &refit, run->nodes));
}

static void writeBoxes(SpheresRun* run) {
    keep(run, grzKineticTree_WriteBoxes(run->tree, NULL, run->nodes));
}

static void runFrames(void* context) {
    SpheresRun* run = context;
    for (size_t frame = run->spheres->firstFrame + 1;
         frame <= run->spheres->lastFrame && grzResult_IsOk(run->result); ++frame) {
        if (run->kind == wayRefit)
            refitFrame(run, frame);
        else
            drawFrame(run, frame);
        if (run->writes)
            writeBoxes(run);
    }
}

// Of the numbers of all nodes; zeros of both signs are one.
static uint64_t digestRun(void* context) {
    SpheresRun* run = context;
    if (run->kind != wayRefit && grzResult_IsOk(run->result))
        writeBoxes(run);
    if (!grzResult_IsOk(run->result))
        return 0;
    const size_t count = run->nodeCount * sizeof *run->nodes / sizeof(float);
    float* numbers = &run->nodes[0].lower[0][0];
    for (size_t i = 0; i < count; ++i)
        numbers[i] += 0.0F;
    return Bench_Digest(0, numbers, count * sizeof *numbers);
}

static SpheresRun makeRun(Bench* bench, const Spheres* spheres, const char* name, WayKind kind, bool writes) {
    SpheresRun run = {.spheres = spheres, .name = name, .kind = kind, .writes = writes};
    run.nodeCount = grzBvh_GetView(spheres->bvh).nodeCount;
    run.nodes = Bench_Allocate(bench, run.nodeCount, sizeof *run.nodes);
    return run;
}

static void measureWay(Bench* bench, const Spheres* spheres, const char* name, WayKind kind, bool writes) {
    char variant[64];
    SpheresRun runs[2] = {makeRun(bench, spheres, name, kind, writes),
                          makeRun(bench, spheres, "refit", wayRefit, false)};
    BenchSide sides[2];
    for (int k = 0; k < 2; ++k)
        sides[k] = (BenchSide){runs[k].name, prepareRun, runFrames, digestRun, NULL, &runs[k], NULL};
    snprintf(variant, sizeof variant, "%zu frames/s", spheres->rate);
    const BenchJob job = {.variant = variant,
                          .metric = name,
                          .unit = "ns/triangle",
                          .amount = (double)((spheres->lastFrame - spheres->firstFrame) * spheres->triangleCount),
                          .n = spheres->triangleCount,
                          .workers = 1,
                          .sides = sides,
                          .sideCount = 2};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    for (int k = 0; k < 2; ++k) {
        dropRun(&runs[k]);
        Bench_Release(bench, runs[k].nodes, runs[k].nodeCount, sizeof(grzBvhNode));
    }
}

// ---- counts, a frame ----

static void count(Bench* bench, const SpheresRun* run, const char* metric, double value, bool same) {
    char variant[64];
    snprintf(variant, sizeof variant, "%zu frames/s", run->spheres->rate);
    const BenchCounter counter = {.variant = variant,
                                  .metric = metric,
                                  .unit = "a frame",
                                  .value = value / (double)(run->spheres->lastFrame - run->spheres->firstFrame),
                                  .n = run->spheres->triangleCount,
                                  .workers = 1,
                                  .same = same};
    Bench_Count(bench, &counter);
}

static void countFrames(Bench* bench, const Spheres* spheres) {
    SpheresRun run = makeRun(bench, spheres, "batched", wayBatched, false);
    if (!bench->failed)
        prepareRun(&run);
    if (!bench->failed && !KineticScene_Failed(bench, run.result)) {
        const grzKineticTreeStats before = grzKineticTree_GetStats(run.tree);
        runFrames(&run);
        const grzKineticTreeStats after = grzKineticTree_GetStats(run.tree);
        const bool same = grzResult_IsOk(run.result) && grzKineticTree_Validate(run.tree);
        const size_t turns = spheres->starts[spheres->lastFrame + 1] - spheres->starts[spheres->firstFrame + 1];
        count(bench, &run, "vertices that turn", (double)turns, same);
        count(bench, &run, "sides looked at anew", (double)(after.repairs - before.repairs), same);
        count(bench, &run, "updates", (double)(after.updates - before.updates), same);
    }
    dropRun(&run);
    Bench_Release(bench, run.nodes, run.nodeCount, sizeof *run.nodes);
}

// ---- the case ----

static void measureSpheres(Bench* bench, const Spheres* spheres) {
    measureWay(bench, spheres, "batched", wayBatched, false);
    if (!bench->failed)
        measureWay(bench, spheres, "batched, written", wayBatched, true);
    if (!bench->failed)
        measureWay(bench, spheres, "ordered", wayOrdered, false);
    if (!bench->failed)
        countFrames(bench, spheres);
}

static bool makeTurns(Bench* bench, const SequenceDef* def, size_t rate, SequenceChanges* changes) {
    return !KineticScene_Failed(bench, makeSphereChanges(def, rate, &bench->allocator, changes));
}

static void runRate(Bench* bench, size_t triangles, size_t rate) {
    const size_t last = FIRST_SECOND + (bench->options->quick ? QUICK_SECONDS : SECONDS);
    const SequenceDef start = {sequenceSpheres, triangles, 2}, whole = {sequenceSpheres, triangles, last + 1};
    MeshData mesh;
    SequenceData sequence;
    SequenceChanges changes = {0};
    if (KineticScene_Failed(bench, makeSequence(&start, bench->allocator, &mesh, &sequence)))
        return;
    if (makeTurns(bench, &whole, rate, &changes)) {
        Spheres spheres = {.vertexCount = sequence.vertexCount,
                           .triangleCount = mesh.triangleCount,
                           .rate = rate,
                           .firstFrame = FIRST_SECOND * rate,
                           .lastFrame = last * rate};
        if (takeSpheres(bench, &spheres, changes.count) && fillSpheres(bench, &spheres, &mesh, &sequence, &changes))
            measureSpheres(bench, &spheres);
        dropSpheres(bench, &spheres, changes.count);
    }
    grzArray_Release(&changes, &bench->allocator);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

void benchKineticSpheres(Bench* bench) {
    static const size_t sizes[] = {2000, 10000, 40000}, rates[] = {30, 120, 1000};
    const bool isOne = bench->options->quick || bench->options->n != 0;
    for (size_t s = 0; s < (isOne ? 1 : sizeof sizes / sizeof sizes[0]); ++s)
        for (size_t r = 0; r < (bench->options->quick ? 1 : sizeof rates / sizeof rates[0]); ++r)
            if (!bench->failed)
                runRate(bench, Bench_Size(bench, sizes[s], 600), rates[r]);
}
