// What: the stage "models": two copies of a mesh at random poses of which half meet, beside OPCODE and FCL.
//
// Holds: every side answers the same queries, given as two poses; what it makes of them (a relative transform) is timed
// with it. Peers bring one mesh into the other's frame by roundings of their own, and their triangle tests have epsilons. So
// a yes or no may differ where a shift by some millionths of the mesh's size makes ours change too, and a pair of triangles
// where it is one in a thousand; how many do is told in rows of their own.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_coherent.h"
#include "bench_machine.h"
#include "bench_model_distance.h"
#include "model_differences.h"
#include "model_scene.h"
#include "models_paper.h"
#if defined(GRAZE_PEERS)
#    include "peer_models.h"
#endif

enum { mostSides = 5, WARM_ROUNDS = 8 };
#define SPOIL_BYTES ((size_t)40 << 20) // more than the last cache

typedef struct ModelSide {
    const ModelScene* scene;
    size_t first, end; // queries of a run
    size_t rounds;     // through them; more than one so that a run is warm, whoever ran before
    uint8_t* touches;  // an outcome each
    size_t* counts;    // of pairs
    grzModelAxes axes;
    grzModelOrder order;
    grzModelPairs* pairs;
    struct ModelSide* ours; // whom to agree with
    size_t differences;
#if defined(GRAZE_PEERS)
    const PeerModels* peer;
    void* made;
    void* madeSmall; // of the small scene; NULL: none
#endif
} ModelSide;

typedef struct ModelsWork {
    ModelScene scene;
    ModelSide sides[mostSides];
    BenchSide bench[mostSides];
    size_t count;
} ModelsWork;

// ---- ours ----

static void touchOursOnce(ModelSide* side) {
    for (size_t i = side->first; i < side->end; ++i) {
        grzModelQuery query = side->scene->queries[i];
        bool touches;
        query.axes = side->axes;
        const bool isGood = grzResult_IsOk(grzModels_Touch(&query, &touches, NULL));
        side->touches[i] = !isGood ? 3 : touches ? 2 : 1;
    }
}

static void touchOurs(void* context) {
    ModelSide* side = context;
    for (size_t round = 0; round < side->rounds; ++round)
        touchOursOnce(side);
}

static void findOurs(void* context) {
    ModelSide* side = context;
    for (size_t i = side->first; i < side->end; ++i) {
        grzModelQuery query = side->scene->queries[i];
        query.axes = side->axes;
        query.order = side->order;
        const bool isGood = grzResult_IsOk(grzModelPairs_Find(side->pairs, &query));
        side->counts[i] = isGood ? grzModelPairs_GetView(side->pairs).count + 1 : 0;
    }
}

// ---- peers ----

#if defined(GRAZE_PEERS)
static void touchPeerOnce(ModelSide* side) {
    for (size_t i = side->first; i < side->end; ++i) {
        const grzModelQuery* query = &side->scene->queries[i];
        side->touches[i] = side->peer->touch(side->made, &query->poseA, &query->poseB) ? 2 : 1;
    }
}

static void touchPeer(void* context) {
    ModelSide* side = context;
    for (size_t round = 0; round < side->rounds; ++round)
        touchPeerOnce(side);
}

static void findPeer(void* context) {
    ModelSide* side = context;
    for (size_t i = side->first; i < side->end; ++i) {
        const grzModelQuery* query = &side->scene->queries[i];
        size_t count;
        side->peer->find(side->made, &query->poseA, &query->poseB, &count);
        side->counts[i] = count + 1;
    }
}
#endif

// ---- outcomes ----

static void clearSide(void* context) {
    ModelSide* side = context;
    memset(side->touches, 0, side->scene->queryCount);
    memset(side->counts, 0, side->scene->queryCount * sizeof *side->counts);
}

static uint64_t digestSide(void* context) {
    const ModelSide* side = context;
    const uint64_t digest = Bench_Digest(0, side->touches, side->scene->queryCount);
    return Bench_Digest(digest, side->counts, side->scene->queryCount * sizeof *side->counts);
}

// Whether our answer is another one a little beside.
static bool isOnTheEdge(const ModelSide* ours, size_t i) {
    for (int axis = 0; axis < 6; ++axis) {
        grzModelQuery query = ours->scene->queries[i];
        const float shift = (axis < 3 ? 4e-6F : -4e-6F) * ours->scene->size;
        bool touches;
        float offset[3] = {0, 0, 0};
        offset[axis % 3] = shift;
        query.poseB.origin = grzAdd(query.poseB.origin, grzVec3_Load(offset));
        if (!grzResult_IsOk(grzModels_Touch(&query, &touches, NULL)) || touches != (ours->touches[i] == 2))
            return true;
    }
    return false;
}

static bool touchesAgree(void* context) {
    ModelSide* side = context;
    side->differences = 0;
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        if (side->touches[i] == side->ours->touches[i])
            continue;
        side->differences++;
        if (side->touches[i] == 0 || side->ours->touches[i] == 0 || !isOnTheEdge(side->ours, i))
            return false;
    }
    return true;
}

static bool countsAgree(void* context) {
    ModelSide* side = context;
    size_t total = 0;
    side->differences = 0;
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        const size_t a = side->counts[i], b = side->ours->counts[i];
        if (a == 0 || b == 0)
            return false;
        side->differences += a > b ? a - b : b - a;
        total += b - 1;
    }
    return side->differences <= 1 + total / 1000;
}

// Ours beside the definition: what touches has pairs.
static bool isConsistent(void* context) {
    ModelSide* side = context;
    size_t hits = 0;
    for (size_t i = 0; i < side->scene->queryCount; ++i)
        hits += side->touches[i] == 2 || side->counts[i] > 1;
    return hits == side->scene->hits;
}

// ---- sides ----

static ModelSide* addSide(Bench* bench, ModelsWork* work, const char* name, BenchRunFn* run,
                          bool (*agrees)(void*)) {
    ModelSide* side = &work->sides[work->count];
    const size_t n = work->scene.queryCount;
    side->scene = &work->scene;
    side->ours = &work->sides[0];
    side->end = n;
    side->rounds = 1;
    side->touches = Bench_Allocate(bench, n, sizeof *side->touches);
    side->counts = Bench_Allocate(bench, n, sizeof *side->counts);
    work->bench[work->count] =
        (BenchSide){name, NULL, run, digestSide, work->count == 0 ? isConsistent : agrees, side, clearSide};
    work->count++;
    if (side->touches != NULL && side->counts != NULL)
        clearSide(side);
    return side;
}

static ModelSide* addOurs(Bench* bench, ModelsWork* work, const char* name, bool isFind, bool (*agrees)(void*)) {
    ModelSide* side = addSide(bench, work, name, isFind ? findOurs : touchOurs, agrees);
    if (isFind && !grzResult_IsOk(grzModelPairs_Create(bench->allocator, &side->pairs)))
        Bench_Fail(bench, "models: no memory");
    return side;
}

static void addPeers(Bench* bench, ModelsWork* work, bool isFind, bool (*agrees)(void*)) {
#if defined(GRAZE_PEERS)
    const PeerModels* const peers[] = {
#    if defined(GRAZE_OPCODE)
        &peerOpcodeModels,
#    endif
        &peerFclModels,
    };
    if (!Bench_WantsPeers(bench))
        return;
    for (size_t i = 0; i < sizeof peers / sizeof peers[0] && !bench->failed; ++i) {
        const PeerMesh mesh = {work->scene.positions, work->scene.triangles, work->scene.vertexCount,
                               work->scene.triangleCount};
        ModelSide* side = addSide(bench, work, peers[i]->name, isFind ? findPeer : touchPeer, agrees);
        side->peer = peers[i];
        side->made = peers[i]->create(&mesh);
    }
#else
    (void)bench, (void)work, (void)isFind, (void)agrees;
#endif
}

static void releaseWork(Bench* bench, ModelsWork* work) {
    for (size_t i = 0; i < work->count; ++i) {
        ModelSide* side = &work->sides[i];
        Bench_Release(bench, side->touches, work->scene.queryCount, sizeof *side->touches);
        Bench_Release(bench, side->counts, work->scene.queryCount, sizeof *side->counts);
        grzModelPairs_Destroy(side->pairs);
#if defined(GRAZE_PEERS)
        if (side->peer != NULL)
            side->peer->destroy(side->made);
        if (side->madeSmall != NULL)
            side->peer->destroy(side->madeSmall);
#endif
    }
    ModelScene_Release(bench, &work->scene);
}

static void countDifferences(Bench* bench, const ModelsWork* work, const char* metric, const char* unit) {
    for (size_t i = 1; i < work->count; ++i) {
        if (work->bench[i].agrees == NULL)
            continue;
        char name[96];
        snprintf(name, sizeof name, "%s %s", work->scene.name, work->bench[i].name);
        Bench_Count(bench, &(BenchCounter){.variant = name,
                                           .metric = metric,
                                           .unit = unit,
                                           .value = (double)work->sides[i].differences,
                                           .n = work->scene.triangleCount,
                                           .workers = 1,
                                           .same = true});
    }
}

static BenchJob makeJob(const ModelsWork* work, const char* metric) {
    return (BenchJob){.variant = work->scene.name,
                      .metric = metric,
                      .unit = "ns/query",
                      .amount = (double)work->scene.queryCount,
                      .n = work->scene.triangleCount,
                      .workers = 1,
                      .sides = work->bench,
                      .sideCount = work->count};
}

// ---- the cases ----

static size_t queryCount(const Bench* bench) {
    return bench->options->quick ? 60 : 500;
}

static void booleanCase(Bench* bench) {
    ModelsWork work = {.count = 0};
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount(bench), &work.scene)) {
        addOurs(bench, &work, "graze", false, NULL);
        addOurs(bench, &work, "graze, all axes", false, touchesAgree)->axes = grz_axesAll;
        addPeers(bench, &work, false, touchesAgree);
        BenchJob job = makeJob(&work, "boolean");
        for (size_t s = 0; s < work.count; ++s)
            work.sides[s].rounds = WARM_ROUNDS;
        job.amount *= WARM_ROUNDS;
        if (!bench->failed) {
            Bench_Measure(bench, &job);
            countDifferences(bench, &work, "boolean-differs", "queries");
        }
    }
    releaseWork(bench, &work);
}

static void allCase(Bench* bench) {
    ModelsWork work = {.count = 0};
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount(bench), &work.scene)) {
        addOurs(bench, &work, "graze", true, NULL)->order = grz_modelsAsMet;
        addOurs(bench, &work, "graze sorted", true, countsAgree);
        ModelSide* full = addOurs(bench, &work, "graze, all axes", true, countsAgree);
        full->axes = grz_axesAll;
        full->order = grz_modelsAsMet;
        addPeers(bench, &work, true, countsAgree);
        const BenchJob job = makeJob(&work, "all-pairs");
        if (!bench->failed) {
            Bench_Measure(bench, &job);
            countDifferences(bench, &work, "pairs-differ", "pairs");
        }
    }
    releaseWork(bench, &work);
}

// ---- one query at a time ----

// Every query of a small scene; the answers are thrown away.
static void askAboutSmall(ModelSide* side, const ModelScene* small) {
    for (size_t i = 0; i < small->queryCount; ++i) {
        grzModelQuery query = small->queries[i];
        bool touches;
        query.axes = side->axes;
#if defined(GRAZE_PEERS)
        if (side->peer != NULL) {
            side->peer->touch(side->madeSmall, &query.poseA, &query.poseB);
            continue;
        }
#endif
        if (!grzResult_IsOk(grzModels_Touch(&query, &touches, NULL)))
            return;
    }
}

// A run of one query by itself. `spoil` is walked through before, where the caches are to be cold.
// Code is to be warm either way, so the side is asked about a small mesh in between.
static double timeOne(Bench* bench, const BenchJob* job, size_t s, size_t query, unsigned char* spoil,
                      const ModelScene* small) {
    ModelSide* side = job->sides[s].context;
    for (size_t i = 0; spoil != NULL && i < SPOIL_BYTES; i += 64)
        spoil[i]++;
    if (spoil != NULL)
        askAboutSmall(side, small);
    side->first = query, side->end = query + 1;
    const uint64_t start = benchNow();
    Bench_RunOf(bench, job, s)(side);
    return (double)(benchNow() - start);
}

// The outcome of a side whose queries were timed one by one, and of ours.
static bool isSame(const BenchJob* job, size_t s, uint64_t nothing) {
    const BenchSide* side = &job->sides[s];
    return side->digest(side->context) != nothing && side->agrees(side->context);
}

// Where cold, the sum over some queries, each after the caches were spoiled; else the time that 99 of 100 queries keep
// below, of each query's least.
typedef struct OneByOne {
    bool isCold;
    size_t queryCount;
    unsigned char* spoil;
    const ModelScene* small;
    double* least; // of each query, for the p99
} OneByOne;

static int compareTimes(const void* a, const void* b) {
    const double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

static double measureOnce(Bench* bench, const BenchJob* job, size_t s, const OneByOne* way) {
    double sum = 0;
    for (size_t i = 0; i < way->queryCount; ++i) {
        way->least[i] = timeOne(bench, job, s, i, way->spoil, way->small);
        for (int again = 0; again < 2 && !way->isCold; ++again) {
            const double time = timeOne(bench, job, s, i, NULL, NULL);
            way->least[i] = time < way->least[i] ? time : way->least[i];
        }
        sum += way->least[i];
    }
    if (way->isCold)
        return sum;
    qsort(way->least, way->queryCount, sizeof *way->least, compareTimes);
    return way->least[way->queryCount * 99 / 100];
}

// The sides in turns, and a row for each peer.
static void reportOneByOne(Bench* bench, const BenchJob* job, const OneByOne* way) {
    const size_t repeats = bench->options->repeats;
    double* times = Bench_Allocate(bench, repeats * job->sideCount, sizeof *times);
    BenchSamples samples[mostSides];
    if (times == NULL)
        return;
    for (size_t s = 0; s < job->sideCount; ++s) {
        samples[s] = (BenchSamples){times + s * repeats, repeats, true};
        job->sides[s].clear(job->sides[s].context);
    }
    const uint64_t nothing = job->sides[0].digest(job->sides[0].context);
    for (size_t r = 0; r < repeats; ++r)
        for (size_t s = 0; s < job->sideCount; ++s)
            samples[s].times[r] = measureOnce(bench, job, s, way);
    for (size_t s = 0; s < job->sideCount; ++s)
        samples[s].same = isSame(job, s, nothing);
    Bench_Report(bench, job, samples);
    Bench_Release(bench, times, repeats * job->sideCount, sizeof *times);
}

// Peers of a small mesh.
static void addSmall(ModelsWork* work, const ModelScene* small) {
#if defined(GRAZE_PEERS)
    const PeerMesh mesh = {small->positions, small->triangles, small->vertexCount, small->triangleCount};
    for (size_t i = 0; i < work->count; ++i)
        if (work->sides[i].peer != NULL)
            work->sides[i].madeSmall = work->sides[i].peer->create(&mesh);
#else
    (void)work, (void)small;
#endif
}

static void measureOneByOne(Bench* bench, const char* metric, bool isCold) {
    ModelsWork work = {.count = 0};
    ModelScene small;
    OneByOne way = {isCold, isCold ? (bench->options->quick ? 10 : 60) : queryCount(bench), NULL, &small, NULL};
    if (ModelScene_MakeSmall(bench, 40, &small) &&
        ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), way.queryCount, &work.scene)) {
        addOurs(bench, &work, "graze", false, NULL);
        addOurs(bench, &work, "graze, all axes", false, touchesAgree)->axes = grz_axesAll;
        addPeers(bench, &work, false, touchesAgree);
        addSmall(&work, &small);
        way.least = Bench_Allocate(bench, way.queryCount, sizeof *way.least);
        way.spoil = isCold ? Bench_Allocate(bench, SPOIL_BYTES, 1) : NULL;
        BenchJob job = makeJob(&work, metric);
        job.amount = isCold ? (double)way.queryCount : 1;
        if (way.spoil != NULL)
            memset(way.spoil, 1, SPOIL_BYTES);
        if (!bench->failed)
            reportOneByOne(bench, &job, &way);
        Bench_Release(bench, way.least, way.queryCount, sizeof *way.least);
        Bench_Release(bench, way.spoil, SPOIL_BYTES, 1);
    }
    releaseWork(bench, &work);
    ModelScene_Release(bench, &small);
}

static void coldCase(Bench* bench) {
    measureOneByOne(bench, "cold", true);
}

static void tailCase(Bench* bench) {
    measureOneByOne(bench, "p99", false);
}

static void differencesCase(Bench* bench) {
    ModelScene scene;
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount(bench), &scene))
        ModelScene_Differ(bench, &scene);
    ModelScene_Release(bench, &scene);
}

enum { usual = bench_usesN | bench_usesMesh | bench_usesPeers };

static const BenchCase cases[] = {
    {"boolean", "whether two copies of a mesh meet", booleanCase, usual},
    {"cold", "the same, one query at a time with caches spoiled before", coldCase, usual},
    {"p99", "the same, warm: the time that 99 of 100 queries keep below", tailCase, usual},
    {"all-pairs", "all pairs of triangles that meet", allCase, usual},
    {"coherent", "the same in slow motion, with a front and without", coherentCase, usual},
    {"distance", "how far two copies of a mesh are apart, and where", benchModelDistance, usual},
    {"differences", "pairs that one side alone finds, by the exact test", differencesCase, usual},
    {"paper", "van den Bergen's tables: tests with and without the axes across edges, build and refit",
     benchModelsPaper, bench_usesN | bench_usesMesh},
};

const BenchStage benchModels = {"models", "two rigid meshes at random poses", cases,
                                sizeof cases / sizeof cases[0]};
