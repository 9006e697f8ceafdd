// What: the stage "linmath": a point through a transform and a vector through a quaternion, over arrays, beside
// plain C on arrays of four floats and, among the peers, Bullet's LinearMath. In the cache, where arithmetic
// counts, and beyond it, where memory does.
//
// Holds: every side has what it reads in locals, since its stores might change what a pointer leads to.
// The transform's sums have one order, so plain C must come to the same bits; others agree within TOLERANCE
// of the result's size, for they may add in another order.
#include "bench.h"

#include <math.h>
#include <string.h>

#include "graze/linmath.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_bullet.h"
#endif

#define TOLERANCE 1e-5f

typedef struct LinmathWork {
    grzTransform transform;
    grzQuat rotation;
    const grzVec3* points;
    const grzVec3* ours; // the results of our side
    size_t count;
} LinmathWork;

typedef struct LinmathSide {
    const LinmathWork* work;
    grzVec3* results;
} LinmathSide;

// NaNs everywhere.
static void spoilResults(void* context) {
    LinmathSide* side = context;
    memset(side->results, 0xFF, side->work->count * sizeof *side->results);
}

static void transformOurs(void* context) {
    LinmathSide* side = context;
    const LinmathWork work = *side->work;
    grzVec3* results = side->results;
    for (size_t i = 0; i < work.count; ++i)
        results[i] = grzTransform_Apply(work.transform, work.points[i]);
}

// The matrix by rows, as most would write it.
static void transformPlain(void* context) {
    LinmathSide* side = context;
    const LinmathWork work = *side->work;
    const grzMat3 m = work.transform.basis;
    const grzVec3 o = work.transform.origin;
    grzVec3* results = side->results;
    for (size_t i = 0; i < work.count; ++i) {
        const grzVec3 p = work.points[i];
        results[i].x = m.x.x * p.x + m.y.x * p.y + m.z.x * p.z + o.x;
        results[i].y = m.x.y * p.x + m.y.y * p.y + m.z.y * p.z + o.y;
        results[i].z = m.x.z * p.x + m.y.z * p.y + m.z.z * p.z + o.z;
        results[i].w = 0;
    }
}

static void rotateOurs(void* context) {
    LinmathSide* side = context;
    const LinmathWork work = *side->work;
    grzVec3* results = side->results;
    for (size_t i = 0; i < work.count; ++i)
        results[i] = grzQuat_Rotate(work.rotation, work.points[i]);
}

// v + 2 w (u x v) + 2 u x (u x v)
static void rotatePlain(void* context) {
    LinmathSide* side = context;
    const LinmathWork work = *side->work;
    const grzQuat q = work.rotation;
    grzVec3* results = side->results;
    for (size_t i = 0; i < work.count; ++i) {
        const grzVec3 v = work.points[i];
        const float x = 2 * (q.y * v.z - q.z * v.y), y = 2 * (q.z * v.x - q.x * v.z),
                    z = 2 * (q.x * v.y - q.y * v.x);
        results[i].x = v.x + q.w * x + (q.y * z - q.z * y);
        results[i].y = v.y + q.w * y + (q.z * x - q.x * z);
        results[i].z = v.z + q.w * z + (q.x * y - q.y * x);
        results[i].w = 0;
    }
}

#if defined(GRAZE_PEERS)
static void transformBullet(void* context) {
    LinmathSide* side = context;
    peerBulletTransform(&side->work->transform, side->work->points, side->results, side->work->count);
}

static void rotateBullet(void* context) {
    LinmathSide* side = context;
    peerBulletRotate(&side->work->rotation, side->work->points, side->results, side->work->count);
}
#endif

static uint64_t resultsDigest(void* context) {
    LinmathSide* side = context;
    return Bench_Digest(0, side->results, side->work->count * sizeof *side->results);
}

// Bullet leaves what it likes in the fourth float.
static uint64_t threeDigest(void* context) {
    LinmathSide* side = context;
    for (size_t i = 0; i < side->work->count; ++i)
        side->results[i].w = 0;
    return resultsDigest(side);
}

static bool resultsAgree(void* context) {
    const LinmathSide* side = context;
    for (size_t i = 0; i < side->work->count; ++i) {
        grzVec3 ours = side->work->ours[i];
        float most = TOLERANCE * (1 + grzLength(ours));
        if (!(grzDistance(ours, side->results[i]) <= most)) // a NaN does not agree
            return false;
    }
    return true;
}

typedef struct LinmathKind {
    const char* metric;
    BenchRunFn *ours, *plain, *bullet; // bullet: NULL in builds without peers
    bool isExact;                      // plain C has our bits
} LinmathKind;

static const LinmathKind transformKind = {
    .metric = "transform",
    .ours = transformOurs,
    .plain = transformPlain,
#if defined(GRAZE_PEERS)
    .bullet = transformBullet,
#endif
    .isExact = true,
};

static const LinmathKind rotateKind = {
    .metric = "rotate",
    .ours = rotateOurs,
    .plain = rotatePlain,
#if defined(GRAZE_PEERS)
    .bullet = rotateBullet,
#endif
};

static void measureKind(Bench* bench, const LinmathKind* kind, LinmathSide works[3]) {
    size_t count = works[0].work->count;
    BenchSide sides[] = {
        {"graze", NULL, kind->ours, resultsDigest, NULL, &works[0], spoilResults},
        {"plain C", NULL, kind->plain, resultsDigest, kind->isExact ? NULL : resultsAgree, &works[1], spoilResults},
        {"Bullet", NULL, kind->bullet, threeDigest, resultsAgree, &works[2], spoilResults}};
    BenchJob job = {.metric = kind->metric,
                    .unit = "ns/point",
                    .amount = (double)count,
                    .n = count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = kind->bullet != NULL && Bench_WantsPeers(bench) ? 3 : 2};
    Bench_Measure(bench, &job);
}

static void fillPoints(grzVec3* points, size_t count) {
    grzRng rng = grzRng_Make(7, 0);
    for (size_t i = 0; i < count; ++i) {
        float x = grzRng_Float(&rng), y = grzRng_Float(&rng), z = grzRng_Float(&rng);
        points[i] = grzVec3_Make(2 * x - 1, 2 * y - 1, 2 * z - 1);
    }
}

static void measureSize(Bench* bench, const LinmathKind* kind, size_t n) {
    grzVec3* points = Bench_Allocate(bench, 4 * n, sizeof *points);
    if (points == NULL)
        return;
    fillPoints(points, n);
    LinmathWork work = {.points = points, .ours = points + n, .count = n};
    work.rotation = grzQuat_FromAxisAngle(grzNormalize(grzVec3_Make(1, 2, 3)), 0.7f);
    work.transform = grzTransform_FromQuat(work.rotation, grzVec3_Make(5, -6, 7));
    LinmathSide works[3];
    for (size_t s = 0; s < 3; ++s)
        works[s] = (LinmathSide){&work, points + (s + 1) * n};
    measureKind(bench, kind, works);
    Bench_Release(bench, points, 4 * n, sizeof *points);
}

static void measureSizes(Bench* bench, const LinmathKind* kind) {
    static const size_t usual[] = {4000, 1000000};
    bool isOne = bench->options->quick || bench->options->n != 0;
    for (size_t i = 0; i < (isOne ? 1 : sizeof usual / sizeof usual[0]); ++i)
        measureSize(bench, kind, Bench_Size(bench, usual[i], 4000));
}

static void transformCase(Bench* bench) {
    measureSizes(bench, &transformKind);
}

static void rotateCase(Bench* bench) {
    measureSizes(bench, &rotateKind);
}

static const BenchCase cases[] = {
    {"transform", "n points through a rigid transform", transformCase, bench_usesN | bench_usesPeers},
    {"rotate", "n vectors through a unit quaternion", rotateCase, bench_usesN | bench_usesPeers},
};

const BenchStage benchLinmath = {"linmath", "vectors, quaternions, transforms", cases,
                                 sizeof cases / sizeof cases[0]};
