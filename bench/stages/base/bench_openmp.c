// What: a build of a hierarchy, a batch of queries and a calibration (a fit of time-critical queries) on OpenMP's threads, beside our
// own threads and beside one thread. All three must leave the same bytes. A build without OpenMP has no such rows.
#include "bench_base.h"

#include <string.h>

#include "graze/bvh.h"
#include "graze/model_distance.h"
#include "graze/stage/time_critical.h"
#include "rng.h"

enum { openMpSide, ownSide, aloneSide, sideCount };

enum { FIT_QUERIES = 1000 };

typedef struct TeamWork {
    float* positions; // of a wavy square; side * side vertices
    uint32_t* triangles;
    uint32_t side, vertexCount, triangleCount;
    grzModel* model;
    float* points;
    grzModelQuery queries[FIT_QUERIES]; // of two such squares, of which about half touch
} TeamWork;

typedef struct TeamSide {
    const TeamWork* work;
    grzTasks* tasks; // NULL: one thread
    grzBvh* bvh;
    grzModelPoint* found;
    grzProbeFit fit;
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

static void calibrate(void* context) {
    TeamSide* side = context;
    side->isRefused = !grzResult_IsOk(
        grzProbeFit_Make(side->tasks, side->work->queries, FIT_QUERIES, (grzAllocator){0}, &side->fit));
}

static void spoilFit(void* context) {
    TeamSide* side = context;
    memset(&side->fit, 0, sizeof side->fit);
}

static uint64_t digestFit(void* context) {
    const TeamSide* side = context;
    return Bench_Digest(0, &side->fit, sizeof side->fit);
}

static void measure(Bench* bench, TeamSide works[sideCount], const BenchSide* form, BenchJob* job) {
    static const char* const names[sideCount] = {"graze, OpenMP", "graze, own threads", "graze, one thread"};
    BenchSide sides[sideCount];
    for (int i = 0; i < sideCount; ++i) {
        sides[i] = *form;
        sides[i].name = names[i], sides[i].context = &works[i];
    }
    job->n = works[0].work->triangleCount;
    job->sides = sides, job->sideCount = sideCount;
    Bench_Measure(bench, job);
    for (int i = 0; i < sideCount; ++i) {
        if (works[i].isRefused)
            Bench_Fail(bench, "%s: refused", names[i]);
        dropBuilt(&works[i]);
    }
}

static void measureAll(Bench* bench, TeamSide works[sideCount], size_t workers) {
    static const BenchSide forms[] = {{NULL, dropBuilt, build, digestBuilt, NULL, NULL, NULL},
                                      {NULL, spoilFound, ask, digestFound, NULL, NULL, NULL},
                                      {NULL, spoilFit, calibrate, digestFit, NULL, NULL, NULL}};
    const TeamWork* work = works[0].work;
    BenchJob jobs[] = {
        {.metric = "hierarchy", .unit = "ns/triangle", .amount = (double)work->triangleCount, .workers = workers},
        {.metric = "closest points", .unit = "ns/point", .amount = (double)work->vertexCount, .workers = workers},
        {.metric = "calibration", .unit = "ns/query", .amount = FIT_QUERIES, .workers = workers}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; ++i)
        measure(bench, works, &forms[i], &jobs[i]);
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
    if (!bench->failed)
        measureAll(bench, works, workers);
    for (int i = 0; i < sideCount; ++i) {
        Bench_Release(bench, works[i].found, work->vertexCount, sizeof *works[i].found);
        grzTasks_Destroy(works[i].tasks);
    }
}

static void drawQueries(TeamWork* work) {
    grzRng rng = grzRng_Make(11, 0);
    for (int i = 0; i < FIT_QUERIES; ++i) {
        grzModelQuery* query = &work->queries[i];
        *query = grzDefaultModelQuery();
        query->a = query->b = work->model;
        const grzVec3 axis = grzVec3_Make(grzRng_Float(&rng), grzRng_Float(&rng), grzRng_Float(&rng));
        const grzQuat turn = grzQuat_FromAxisAngle(grzNormalize(axis), 6 * grzRng_Float(&rng));
        const float away = 1.2f * grzRng_Float(&rng);
        query->poseB = grzTransform_FromQuat(turn, grzVec3_Make(away, away * grzRng_Float(&rng), 0.3f * away));
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
        drawQueries(&work);
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
