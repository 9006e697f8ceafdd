// What: a build of a hierarchy and a batch of queries on OpenMP's threads, beside our own threads and beside one thread. All three must
// leave the same bytes. A build without OpenMP has no such rows.
#include "bench_base.h"

#include <string.h>

#include "graze/bvh.h"
#include "graze/model_distance.h"

enum { openMpSide, ownSide, aloneSide, sideCount };

typedef struct TeamWork {
    float* positions; // of a wavy square; side * side vertices
    uint32_t* triangles;
    uint32_t side, vertexCount, triangleCount;
    grzModel* model;
    float* points;
} TeamWork;

typedef struct TeamSide {
    const TeamWork* work;
    grzTasks* tasks; // NULL: one thread
    grzBvh* bvh;
    grzModelPoint* found;
    bool isRefused;
} TeamSide;

static void makeSquare(TeamWork* work) {
    for (uint32_t i = 0; i < work->vertexCount; ++i) {
        const float x = (float)(i % work->side) / (float)work->side,
                    y = (float)(i / work->side) / (float)work->side;
        grzVec3_Store(&work->positions[3 * (size_t)i], grzVec3_Make(x, y, 0.1f * grzSin(20 * x) * grzCos(15 * y)));
        grzVec3_Store(&work->points[3 * (size_t)i], grzVec3_Make(x, y, 0.05f));
    }
    uint32_t* at = work->triangles;
    for (uint32_t row = 0; row + 1 < work->side; ++row)
        for (uint32_t column = 0; column + 1 < work->side; ++column, at += 6) {
            const uint32_t a = row * work->side + column, c = a + work->side;
            memcpy(at, (const uint32_t[]){a, a + 1, c, a + 1, c + 1, c}, 6 * sizeof *at);
        }
}

static void build(void* context) {
    TeamSide* side = context;
    const TeamWork* work = side->work;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = work->positions, def.vertexCount = work->vertexCount;
    def.triangles = work->triangles, def.triangleCount = work->triangleCount;
    def.builder = grz_bvhSah, def.tasks = side->tasks;
    side->isRefused = !grzResult_IsOk(grzBvh_Create(&def, &side->bvh));
}

static void dropBuilt(void* context) {
    TeamSide* side = context;
    grzBvh_Destroy(side->bvh);
    side->bvh = NULL;
}

static uint64_t digestBuilt(void* context) {
    const TeamSide* side = context;
    if (side->bvh == NULL)
        return 0;
    const grzBvhView view = grzBvh_GetView(side->bvh);
    return Bench_Digest(view.nodeCount, view.triangles, 3 * (size_t)view.triangleCount * sizeof *view.triangles);
}

static void ask(void* context) {
    TeamSide* side = context;
    grzModelPointsQuery query = grzDefaultModelPointsQuery();
    query.model = side->work->model, query.points = side->work->points, query.count = side->work->vertexCount;
    side->isRefused = !grzResult_IsOk(grzModel_ClosestPoints(side->tasks, &query, side->found));
}

static void spoilFound(void* context) {
    TeamSide* side = context;
    memset(side->found, 0, side->work->vertexCount * sizeof *side->found);
}

static uint64_t digestFound(void* context) {
    const TeamSide* side = context;
    return Bench_Digest(0, side->found, side->work->vertexCount * sizeof *side->found);
}

static void measure(Bench* bench, TeamSide works[sideCount], size_t workers, bool isBuild) {
    static const char* const names[sideCount] = {"graze, OpenMP", "graze, own threads", "graze, one thread"};
    BenchSide sides[sideCount];
    for (int i = 0; i < sideCount; ++i)
        sides[i] = isBuild ? (BenchSide){names[i], dropBuilt, build, digestBuilt, NULL, &works[i], NULL}
                           : (BenchSide){names[i], spoilFound, ask, digestFound, NULL, &works[i], NULL};
    const TeamWork* work = works[0].work;
    BenchJob job = {.metric = isBuild ? "hierarchy" : "closest points",
                    .unit = isBuild ? "ns/triangle" : "ns/point",
                    .amount = isBuild ? (double)work->triangleCount : (double)work->vertexCount,
                    .n = work->triangleCount,
                    .workers = workers,
                    .sides = sides,
                    .sideCount = sideCount};
    Bench_Measure(bench, &job);
    for (int i = 0; i < sideCount; ++i) {
        if (works[i].isRefused)
            Bench_Fail(bench, "%s: refused", names[i]);
        dropBuilt(&works[i]);
    }
}

static grzResult makeTasks(Bench* bench, size_t workers, bool useOpenMp, grzTasks** tasks) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)workers, def.allocator = bench->allocator, def.useOpenMp = useOpenMp;
    return grzTasks_Create(&def, tasks);
}

static void measureBoth(Bench* bench, const TeamWork* work, size_t workers) {
    TeamSide works[sideCount] = {{.work = work}, {.work = work}, {.work = work}};
    const grzResult result = makeTasks(bench, workers, true, &works[openMpSide].tasks);
    if (result.status == grz_notSupported)
        return;
    if (!grzResult_IsOk(result) || !grzResult_IsOk(makeTasks(bench, workers, false, &works[ownSide].tasks)))
        Bench_Fail(bench, "no %zu workers could be had", workers);
    for (int i = 0; i < sideCount; ++i)
        works[i].found = Bench_Allocate(bench, work->vertexCount, sizeof *works[i].found);
    if (!bench->failed) {
        measure(bench, works, workers, true);
        measure(bench, works, workers, false);
    }
    for (int i = 0; i < sideCount; ++i) {
        Bench_Release(bench, works[i].found, work->vertexCount, sizeof *works[i].found);
        grzTasks_Destroy(works[i].tasks);
    }
}

void benchOpenMp(Bench* bench) {
    TeamWork work = {.side = bench->options->quick ? 20 : 250};
    work.vertexCount = work.side * work.side, work.triangleCount = 2 * (work.side - 1) * (work.side - 1);
    work.positions = Bench_Allocate(bench, work.vertexCount, 3 * sizeof(float));
    work.points = Bench_Allocate(bench, work.vertexCount, 3 * sizeof(float));
    work.triangles = Bench_Allocate(bench, work.triangleCount, 3 * sizeof(uint32_t));
    if (!bench->failed) {
        makeSquare(&work);
        grzModelDef def = grzDefaultModelDef();
        def.positions = work.positions, def.vertexCount = work.vertexCount;
        def.triangles = work.triangles, def.triangleCount = work.triangleCount;
        if (!grzResult_IsOk(grzModel_Create(&def, &work.model)))
            Bench_Fail(bench, "no model could be made");
    }
    size_t workers[2];
    const size_t count = Bench_Workers(bench, workers);
    for (size_t i = 0; i < count && !bench->failed; ++i)
        if (workers[i] > 1)
            measureBoth(bench, &work, workers[i]);
    grzModel_Destroy(work.model);
    Bench_Release(bench, work.triangles, work.triangleCount, 3 * sizeof(uint32_t));
    Bench_Release(bench, work.points, work.vertexCount, 3 * sizeof(float));
    Bench_Release(bench, work.positions, work.vertexCount, 3 * sizeof(float));
}
