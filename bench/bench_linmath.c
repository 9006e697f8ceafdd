// What: the stage "linmath": a point through a transform and a vector through a quaternion, over arrays, beside
// plain C on arrays of four floats and, among the peers, Bullet's LinearMath.
//
// Holds: the transform's sums have one order, so plain C must come to the same bits; others agree within TOLERANCE
// of the result's size, for they may add in another order.
#include "bench.h"

#include <math.h>

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
    grzVec3* ours;
    grzVec3* theirs;
    size_t count;
} LinmathWork;

static void transformOurs(void* context) {
    LinmathWork* work = context;
    for (size_t i = 0; i < work->count; ++i)
        work->ours[i] = grzTransform_Apply(work->transform, work->points[i]);
}

// The matrix by rows, as most would write it.
static void transformPlain(void* context) {
    LinmathWork* work = context;
    const grzMat3 m = work->transform.basis;
    const grzVec3 o = work->transform.origin;
    for (size_t i = 0; i < work->count; ++i) {
        const grzVec3 p = work->points[i];
        work->theirs[i].x = m.x.x * p.x + m.y.x * p.y + m.z.x * p.z + o.x;
        work->theirs[i].y = m.x.y * p.x + m.y.y * p.y + m.z.y * p.z + o.y;
        work->theirs[i].z = m.x.z * p.x + m.y.z * p.y + m.z.z * p.z + o.z;
        work->theirs[i].w = 0;
    }
}

static void rotateOurs(void* context) {
    LinmathWork* work = context;
    for (size_t i = 0; i < work->count; ++i)
        work->ours[i] = grzQuat_Rotate(work->rotation, work->points[i]);
}

// v + 2 w (u x v) + 2 u x (u x v)
static void rotatePlain(void* context) {
    LinmathWork* work = context;
    const grzQuat q = work->rotation;
    for (size_t i = 0; i < work->count; ++i) {
        const grzVec3 v = work->points[i];
        const float x = 2 * (q.y * v.z - q.z * v.y), y = 2 * (q.z * v.x - q.x * v.z),
                    z = 2 * (q.x * v.y - q.y * v.x);
        work->theirs[i].x = v.x + q.w * x + (q.y * z - q.z * y);
        work->theirs[i].y = v.y + q.w * y + (q.z * x - q.x * z);
        work->theirs[i].z = v.z + q.w * z + (q.x * y - q.y * x);
        work->theirs[i].w = 0;
    }
}

#if defined(GRAZE_PEERS)
static void transformBullet(void* context) {
    LinmathWork* work = context;
    peerBulletTransform(&work->transform, work->points, work->theirs, work->count);
}

static void rotateBullet(void* context) {
    LinmathWork* work = context;
    peerBulletRotate(&work->rotation, work->points, work->theirs, work->count);
}
#endif

static uint64_t oursDigest(void* context) {
    LinmathWork* work = context;
    return Bench_Digest(0, work->ours, work->count * sizeof *work->ours);
}

// Of three of four floats: peers may leave what they like in the fourth.
static uint64_t theirsDigest(void* context) {
    LinmathWork* work = context;
    for (size_t i = 0; i < work->count; ++i)
        work->theirs[i].w = 0;
    return Bench_Digest(0, work->theirs, work->count * sizeof *work->theirs);
}

static bool theirsAgree(void* context) {
    LinmathWork* work = context;
    for (size_t i = 0; i < work->count; ++i) {
        float most = TOLERANCE * (1 + grzLength(work->ours[i]));
        if (!(grzDistance(work->ours[i], work->theirs[i]) <= most)) // a NaN does not agree
            return false;
    }
    return true;
}

typedef void RunFn(void* context);

static void measure(Bench* bench, LinmathWork* work, const char* metric, RunFn* ours, RunFn* plain, RunFn* bullet,
                    bool isExact) {
    BenchSide sides[] = {{"graze", NULL, ours, oursDigest, NULL, work},
                         {"plain C", NULL, plain, theirsDigest, isExact ? NULL : theirsAgree, work},
                         {"Bullet", NULL, bullet, theirsDigest, theirsAgree, work}};
    BenchJob job = {.metric = metric,
                    .unit = "ns/point",
                    .amount = (double)work->count,
                    .n = work->count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = bullet != NULL && bench->options->peers ? 3 : 2};
    Bench_Measure(bench, &job);
}

typedef void MeasureFn(Bench* bench, LinmathWork* work);

static void measureTransform(Bench* bench, LinmathWork* work) {
#if defined(GRAZE_PEERS)
    measure(bench, work, "transform", transformOurs, transformPlain, transformBullet, true);
#else
    measure(bench, work, "transform", transformOurs, transformPlain, NULL, true);
#endif
}

static void measureRotate(Bench* bench, LinmathWork* work) {
#if defined(GRAZE_PEERS)
    measure(bench, work, "rotate", rotateOurs, rotatePlain, rotateBullet, false);
#else
    measure(bench, work, "rotate", rotateOurs, rotatePlain, NULL, false);
#endif
}

static void fillPoints(grzVec3* points, size_t count) {
    grzRng rng = grzRng_Make(7, 0);
    for (size_t i = 0; i < count; ++i) {
        float x = grzRng_Float(&rng), y = grzRng_Float(&rng), z = grzRng_Float(&rng);
        points[i] = grzVec3_Make(2 * x - 1, 2 * y - 1, 2 * z - 1);
    }
}

static void withPoints(Bench* bench, MeasureFn* measureCase) {
    size_t n = Bench_Size(bench, 1000000, 4000);
    grzVec3* points = Bench_Allocate(bench, 3 * n, sizeof *points);
    if (points == NULL)
        return;
    fillPoints(points, n);
    LinmathWork work = {.points = points, .ours = points + n, .theirs = points + 2 * n, .count = n};
    work.rotation = grzQuat_FromAxisAngle(grzNormalize(grzVec3_Make(1, 2, 3)), 0.7f);
    work.transform = grzTransform_FromQuat(work.rotation, grzVec3_Make(5, -6, 7));
    measureCase(bench, &work);
    Bench_Release(bench, points, 3 * n, sizeof *points);
}

static void transformCase(Bench* bench) {
    withPoints(bench, measureTransform);
}

static void rotateCase(Bench* bench) {
    withPoints(bench, measureRotate);
}

static const BenchCase cases[] = {
    {"transform", "n points through a rigid transform", transformCase},
    {"rotate", "n vectors through a unit quaternion", rotateCase},
};

const BenchStage benchLinmath = {"linmath", "vectors, quaternions, transforms", cases,
                                 sizeof cases / sizeof cases[0]};
