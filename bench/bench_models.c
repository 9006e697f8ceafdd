// What: the stage "models": two copies of a mesh at random poses of which half meet, beside OPCODE and FCL.
//
// Holds: every side answers the same queries, given as two poses; what it makes of them (a relative transform) is timed
// with it. Peers bring one mesh into the other's frame by roundings of their own, and their triangle tests have epsilons. So
// a yes or no may differ where a shift by some millionths of the mesh's size makes ours change too, and a pair of triangles
// where it is one in a thousand; how many do is told in rows of their own.
#include "bench.h"

#include <math.h>
#include <string.h>

#include "bench_machine.h"
#include "model_scene.h"
#if defined(GRAZE_PEERS)
#    include "peer_models.h"
#endif

enum { mostSides = 4 };

typedef struct ModelSide {
    const ModelScene* scene;
    size_t first, end; // queries of a run
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
#endif
} ModelSide;

typedef struct ModelsWork {
    ModelScene scene;
    ModelSide sides[mostSides];
    BenchSide bench[mostSides];
    size_t count;
} ModelsWork;

// ---- ours ----

static void touchOurs(void* context) {
    ModelSide* side = context;
    for (size_t i = side->first; i < side->end; ++i) {
        grzModelQuery query = side->scene->queries[i];
        bool touches;
        query.axes = side->axes;
        const bool isGood = grzResult_IsOk(grzModels_Touch(&query, &touches, NULL));
        side->touches[i] = !isGood ? 3 : touches ? 2 : 1;
    }
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
static void touchPeer(void* context) {
    ModelSide* side = context;
    for (size_t i = side->first; i < side->end; ++i) {
        const grzModelQuery* query = &side->scene->queries[i];
        side->touches[i] = side->peer->touch(side->made, &query->poseA, &query->poseB) ? 2 : 1;
    }
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
        const BenchJob job = makeJob(&work, "boolean");
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
        addPeers(bench, &work, true, countsAgree);
        const BenchJob job = makeJob(&work, "all-pairs");
        if (!bench->failed) {
            Bench_Measure(bench, &job);
            countDifferences(bench, &work, "pairs-differ", "pairs");
        }
    }
    releaseWork(bench, &work);
}

static const BenchCase cases[] = {
    {"boolean", "whether two copies of a mesh meet", booleanCase, bench_usesN | bench_usesMesh | bench_usesPeers},
    {"all-pairs", "all pairs of triangles that meet", allCase, bench_usesN | bench_usesMesh | bench_usesPeers},
};

const BenchStage benchModels = {"models", "two rigid meshes at random poses", cases,
                                sizeof cases / sizeof cases[0]};
