// What: how far two copies of a mesh are apart, at random poses and along a motion, beside FCL.
//
// Holds: a pose has a distance of 0.01 to 0.5 of the mesh's size, as many of one magnitude as of another. All sides are
// given two poses and find the distance and the nearest points. Peers in floats may be off by some millionths of the size.
// Some of ours are checked by a plain walk in doubles, which takes hundreds of times as long and so is not timed.
#include "bench_model_distance.h"

#include <math.h>
#include <string.h>

#include "graze/model_distance.h"
#include "model_scene.h"
#include "plain_distance.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_model_distance.h"
#endif

enum { MOST_SIDES = 6, APPROACHES = 24 };

typedef struct DistanceSide {
    const ModelScene* scene;
    double* found;  // a distance each
    bool hasStarts; // each query begins where the last one ended
    double relativeError;
    double tolerance; // of what ours may differ by, in sizes
    struct DistanceSide* ours;
#if defined(GRAZE_PEERS)
    const PeerModelDistance* peer;
    void* made;
#endif
} DistanceSide;

typedef struct DistanceWork {
    ModelScene scene;
    DistanceSide sides[MOST_SIDES];
    BenchSide bench[MOST_SIDES];
    size_t count;
} DistanceWork;

// ---- poses ----

static grzModelDistanceQuery makeQuery(const ModelScene* scene, size_t i) {
    grzModelDistanceQuery query = grzDefaultModelDistanceQuery();
    query.a = query.b = scene->model;
    query.poseA = scene->queries[i].poseA;
    query.poseB = scene->queries[i].poseB;
    return query;
}

// Moves B along a line from A until it is `target` away: a step is never longer than what is left.
static bool approach(const ModelScene* scene, size_t i, grzVec3 direction, double target) {
    grzTransform* pose = &scene->queries[i].poseB;
    pose->origin = grzAddScaled(scene->queries[i].poseA.origin, 4 * scene->size, direction);
    for (int step = 0; step < APPROACHES; ++step) {
        const grzModelDistanceQuery query = makeQuery(scene, i);
        grzModelDistance distance;
        if (!grzResult_IsOk(grzModels_Distance(&query, &distance, NULL)))
            return false;
        pose->origin = grzAddScaled(pose->origin, (float)(target - distance.lower), direction);
    }
    return true;
}

static bool placeApart(const ModelScene* scene) {
    grzRng rng = grzRng_Make(71, 1);
    for (size_t i = 0; i < scene->queryCount; ++i) {
        const float z = 2 * grzRng_Float(&rng) - 1, turn = 6.2831853F * grzRng_Float(&rng);
        const float r = sqrtf(1 - z * z);
        const double target = (double)scene->size * 0.01 * pow(50, (double)grzRng_Float(&rng));
        if (!approach(scene, i, grzVec3_Make(r * grzCos(turn), r * grzSin(turn), z), target))
            return false;
    }
    return true;
}

// B turns about itself while it goes round A and nears it, a hundredth of a radian a frame.
static bool placeFrames(const ModelScene* scene) {
    const grzVec3 axis = grzNormalize(grzVec3_Make(1, 2, 3));
    for (size_t i = 0; i < scene->queryCount; ++i) {
        const float time = 0.01F * (float)i;
        const double target = (double)scene->size * (0.26 + 0.24 * (double)grzCos(3 * time));
        scene->queries[i].poseA = grzTransform_Identity();
        scene->queries[i].poseB.basis = grzMat3_FromQuat(grzQuat_FromAxisAngle(axis, time));
        if (!approach(scene, i, grzVec3_Make(grzCos(time), grzSin(time), 0), target))
            return false;
    }
    return true;
}

// ---- sides ----

static void measureOurs(void* context) {
    DistanceSide* side = context;
    grzModelStart start = {GRZ_NO_SLOT, GRZ_NO_SLOT};
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        grzModelDistanceQuery query = makeQuery(side->scene, i);
        grzModelDistance distance;
        query.relativeError = side->relativeError;
        if (side->hasStarts)
            query.start = start;
        const bool isGood = grzResult_IsOk(grzModels_Distance(&query, &distance, NULL));
        side->found[i] = isGood ? distance.upper : -1;
        start = distance.start;
    }
}

#if defined(GRAZE_PEERS)
static void measurePeer(void* context) {
    DistanceSide* side = context;
    for (size_t i = 0; i < side->scene->queryCount; ++i)
        side->found[i] =
            side->peer->measure(side->made, &side->scene->queries[i].poseA, &side->scene->queries[i].poseB);
}
#endif

static void clearSide(void* context) {
    DistanceSide* side = context;
    for (size_t i = 0; i < side->scene->queryCount; ++i)
        side->found[i] = -1;
}

static uint64_t digestSide(void* context) {
    const DistanceSide* side = context;
    return Bench_Digest(0, side->found, side->scene->queryCount * sizeof *side->found);
}

static bool isAgreed(void* context) {
    const DistanceSide* side = context;
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        const double ours = side->ours->found[i], off = side->found[i] - ours;
        if (!(ours >= 0 && side->found[i] >= 0))
            return false;
        if (!(fabs(off) <= side->tolerance * (double)side->scene->size + side->relativeError * ours))
            return false;
    }
    return true;
}

// Ours beside the plain walk, on some of the queries.
static bool isRight(void* context) {
    const DistanceSide* side = context;
    const PlainMesh mesh = {side->scene->positions, side->scene->triangles, side->scene->model};
    for (size_t i = 0; i < side->scene->queryCount; i += 1 + side->scene->queryCount / 20) {
        const grzModelQuery* query = &side->scene->queries[i];
        const double plain = plainModelDistance(&mesh, query->poseA, query->poseB);
        if (!(fabs(plain - side->found[i]) <= 1e-9 * (double)side->scene->size))
            return false;
    }
    return true;
}

// ---- the cases ----

static DistanceSide* addSide(Bench* bench, DistanceWork* work, const char* name, BenchRunFn* run,
                             double tolerance) {
    DistanceSide* side = &work->sides[work->count];
    side->scene = &work->scene;
    side->ours = &work->sides[0];
    side->tolerance = tolerance;
    side->found = Bench_Allocate(bench, work->scene.queryCount, sizeof *side->found);
    work->bench[work->count] =
        (BenchSide){name, NULL, run, digestSide, work->count == 0 ? isRight : isAgreed, side, clearSide};
    work->count++;
    if (side->found != NULL)
        clearSide(side);
    return side;
}

static void addPeers(Bench* bench, DistanceWork* work) {
#if defined(GRAZE_PEERS)
    if (!Bench_WantsPeers(bench))
        return;
    for (size_t i = 0; i < PEER_MODEL_DISTANCES && !bench->failed; ++i) {
        const PeerMesh mesh = {work->scene.positions, work->scene.triangles, work->scene.vertexCount,
                               work->scene.triangleCount};
        DistanceSide* side = addSide(bench, work, peerFclDistances[i].name, measurePeer, 1e-5);
        side->peer = &peerFclDistances[i];
        side->made = side->peer->create(&mesh);
    }
#else
    (void)bench, (void)work;
#endif
}

static void releaseWork(Bench* bench, DistanceWork* work) {
    for (size_t i = 0; i < work->count; ++i) {
        Bench_Release(bench, work->sides[i].found, work->scene.queryCount, sizeof *work->sides[i].found);
#if defined(GRAZE_PEERS)
        if (work->sides[i].peer != NULL)
            work->sides[i].peer->destroy(work->sides[i].made);
#endif
    }
    ModelScene_Release(bench, &work->scene);
}

static void measureCase(Bench* bench, bool isMotion) {
    DistanceWork work = {.count = 0};
    const size_t queryCount = bench->options->quick ? 40 : 500;
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount, &work.scene)) {
        if (!(isMotion ? placeFrames(&work.scene) : placeApart(&work.scene)))
            Bench_Fail(bench, "models: a pose was refused");
        addSide(bench, &work, "graze", measureOurs, 0)->hasStarts = isMotion;
        if (isMotion)
            addSide(bench, &work, "graze, without starts", measureOurs, 0);
        else
            addSide(bench, &work, "graze, to a tenth", measureOurs, 1e-9)->relativeError = 0.1;
        addPeers(bench, &work);
        const BenchJob job = {.variant = work.scene.name,
                              .metric = isMotion ? "distance-frames" : "distance",
                              .unit = "ns/query",
                              .amount = (double)queryCount,
                              .n = work.scene.triangleCount,
                              .workers = 1,
                              .sides = work.bench,
                              .sideCount = work.count};
        if (!bench->failed)
            Bench_Measure(bench, &job);
    }
    releaseWork(bench, &work);
}

void benchModelDistance(Bench* bench) {
    measureCase(bench, false);
}

void benchModelFrames(Bench* bench) {
    measureCase(bench, true);
}
