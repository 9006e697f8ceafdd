// What: first touches of moving bodies: pairs of convex shapes, and two copies of a mesh, beside Bullet and FCL.
//
// Holds: a run is all queries, from poses and motions to times. Shapes are some 1 m across, and a body passes the other one within two
// of their sizes; each turns by up to 0.7 radians in the step (Bullet takes no more than an eighth of a round), but of meshes the
// second rests. About half of the queries touch. Those are left out whose outcome depends on a hundredth of a size: which start
// so near, or graze. Ours works to 1e-4 of a size; Bullet to 1e-3. Times must agree within TIMES_OFF, and who touches with all. Of
// ours, places are sampled as well: before the time there is no touch, and at it the distance is at most the tolerance.
//
// FCL's own advancement (0.7) is a peer for shapes. Of meshes it misses the touches, so there it is counted and not timed; in its place
// stands an advancement on FCL's distance, with the speed of the fastest point.
#include "bench_sweep.h"

#include <math.h>
#include <string.h>

#include "graze/model_distance.h"
#include "graze/sweep.h"
#include "model_scene.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_sweep.h"
#endif

#define FREE_TIME 2.0 // in place of a time
#define TOLERANCE 1e-4
#define CLEAR     1e-2 // in sizes
#define TIMES_OFF 5e-3 // of the step, in which bodies go some 5 sizes

enum { HULLS = 16, MOST_SIDES = 3, SAMPLES = 50 };

typedef struct SweepScene {
    grzSweepQuery* queries;
    size_t count;
    float size;
    grzHull* hulls[HULLS];
    ModelScene mesh; // of the case of models
} SweepScene;

typedef struct SweepTimes {
    const SweepScene* scene;
    double* times;
    grzSweepImpact* impacts; // of ours
    const struct SweepTimes* ours;
#if defined(GRAZE_PEERS)
    const PeerSweep* peer;
    void* made;
#endif
} SweepTimes;

typedef struct SweepWork {
    SweepScene scene;
    SweepTimes contexts[MOST_SIDES];
    BenchSide sides[MOST_SIDES];
    size_t sideCount;
} SweepWork;

// ---- the scene ----

static grzVec3 drawDirection(grzRng* rng) {
    for (;;) {
        const float x = 2 * grzRng_Float(rng) - 1, y = 2 * grzRng_Float(rng) - 1, z = 2 * grzRng_Float(rng) - 1;
        const grzVec3 v = grzVec3_Make(x, y, z);
        if (grzLengthSq(v) <= 1 && grzLengthSq(v) > 0.01F)
            return grzNormalize(v);
    }
}

static grzHull* drawHull(grzRng* rng) {
    float positions[3 * 24];
    for (size_t i = 0; i < 24; ++i)
        grzVec3_Store(positions + 3 * i, grzScale(drawDirection(rng), 0.5F + 0.2F * grzRng_Float(rng)));
    grzHullDef def = grzDefaultHullDef();
    grzHull* hull = NULL;
    def.positions = positions;
    def.pointCount = 24;
    return grzResult_IsOk(grzHull_Create(&def, &hull)) ? hull : NULL;
}

static grzConvex drawShape(grzRng* rng, const SweepScene* scene, grzConvexKind kind) {
    const float x = 0.2F + 0.4F * grzRng_Float(rng), y = 0.2F + 0.4F * grzRng_Float(rng);
    const float z = 0.2F + 0.4F * grzRng_Float(rng);
    if (kind == grz_sphereShape)
        return grzMakeSphere(grzVec3_Zero(), x);
    if (kind == grz_capsuleShape)
        return grzMakeCapsule(grzVec3_Make(0, 0, -y), grzVec3_Make(0, 0, y), x);
    if (kind == grz_boxShape)
        return grzMakeBox(grzVec3_Zero(), grzVec3_Make(x, y, z));
    return grzMakeHullShape(scene->hulls[grzRng_Below(rng, HULLS)]);
}

static grzSweepMotion drawMotion(grzRng* rng, grzVec3 from, grzVec3 to) {
    const grzQuat turn = grzQuat_FromAxisAngle(drawDirection(rng), 6.2831853F * grzRng_Float(rng));
    grzSweepMotion motion = grzSweepMotion_Rest(grzTransform_FromQuat(turn, from));
    motion.translation = grzSub(to, from);
    motion.rotation = grzScale(drawDirection(rng), 0.7F * grzRng_Float(rng));
    return motion;
}

// A comes from a side and passes B within the reach.
static void drawMotions(grzRng* rng, float size, float reach, grzSweepQuery* query) {
    const grzVec3 from = grzScale(drawDirection(rng), 2.5F * size);
    const grzVec3 by = grzScale(drawDirection(rng), reach * size * grzRng_Float(rng));
    query->a.motion = drawMotion(rng, grzAdd(from, by), grzSub(by, from));
    query->b.motion = drawMotion(rng, grzVec3_Zero(), grzScale(drawDirection(rng), 0.3F * size));
    if (query->b.model != NULL)
        query->b.motion = grzSweepMotion_Rest(query->b.motion.pose);
    query->tolerance = TOLERANCE * (double)size;
}

static bool isClear(const grzSweepQuery* query, float size) {
    grzSweepQuery loose = *query;
    grzSweepImpact fine, rough;
    loose.tolerance = CLEAR * (double)size;
    if (!grzResult_IsOk(grzSweep_Find(query, &fine)) || !grzResult_IsOk(grzSweep_Find(&loose, &rough)))
        return false;
    return fine.outcome == rough.outcome && fine.toi - rough.toi < TIMES_OFF &&
           (fine.outcome == grz_sweepFree || rough.toi > 0);
}

static bool makeHulls(SweepScene* scene, grzRng* rng) {
    for (int i = 0; i < HULLS; ++i)
        if ((scene->hulls[i] = drawHull(rng)) == NULL)
            return false;
    return true;
}

// Kinds of grz_noShape: copies of the scene's mesh.
static void drawQueries(SweepScene* scene, grzRng* rng, grzConvexKind kindA, grzConvexKind kindB) {
    for (size_t i = 0; i < scene->count;) {
        grzSweepQuery query = grzDefaultSweepQuery();
        const bool isMesh = kindA == grz_noShape;
        query.a.model = query.b.model = isMesh ? scene->mesh.model : NULL;
        drawMotions(rng, scene->size, isMesh ? 1.6F : 2.0F, &query);
        if (!isMesh) {
            query.a.shape = drawShape(rng, scene, kindA);
            query.b.shape = drawShape(rng, scene, kindB);
        }
        scene->queries[i] = query;
        i += isClear(&query, scene->size);
    }
}

// ---- sides ----

static double timeOf(const grzSweepImpact* impact) {
    return impact->outcome == grz_sweepFree ? FREE_TIME : impact->toi;
}

static void runOurs(void* context) {
    SweepTimes* side = context;
    for (size_t i = 0; i < side->scene->count; ++i)
        side->times[i] = grzResult_IsOk(grzSweep_Find(&side->scene->queries[i], &side->impacts[i]))
                             ? timeOf(&side->impacts[i])
                             : -1;
}

static void clearTimes(void* context) {
    SweepTimes* side = context;
    for (size_t i = 0; i < side->scene->count; ++i)
        side->times[i] = -1;
}

static uint64_t digestTimes(void* context) {
    const SweepTimes* side = context;
    return Bench_Digest(0, side->times, side->scene->count * sizeof *side->times);
}

static double distanceAt(const grzSweepQuery* query, double t) {
    const grzTransform poseA = grzSweepMotion_PoseAt(&query->a.motion, t);
    const grzTransform poseB = grzSweepMotion_PoseAt(&query->b.motion, t);
    grzConvexDistance distance;
    if (query->a.model == NULL) {
        const grzResult result = grzConvex_Distance(&query->a.shape, poseA, &query->b.shape, poseB, &distance);
        return !grzResult_IsOk(result) || distance.isTouching ? 0 : (double)distance.upper;
    }
    grzModelDistanceQuery models = grzDefaultModelDistanceQuery();
    grzModelDistance found;
    models.a = query->a.model, models.b = query->b.model;
    models.poseA = poseA, models.poseB = poseB;
    return !grzResult_IsOk(grzModels_Distance(&models, &found, NULL)) || found.isTouching ? 0 : found.upper;
}

static bool isRight(void* context) {
    const SweepTimes* side = context;
    const size_t step = side->scene->queries[0].a.model != NULL ? 1 + side->scene->count / 10 : 1;
    for (size_t i = 0; i < side->scene->count; i += step) {
        const grzSweepQuery* query = &side->scene->queries[i];
        const double time = side->times[i], end = fmin(time, 1);
        for (int k = 0; k < SAMPLES; ++k)
            if (!(distanceAt(query, end * k / SAMPLES) > 0))
                return false;
        if (!(time >= 0) || (time < FREE_TIME && distanceAt(query, time) > 1.01 * query->tolerance))
            return false;
    }
    return true;
}

static SweepTimes* addSide(Bench* bench, SweepWork* work, const char* name, BenchRunFn* run,
                           bool (*agrees)(void* context)) {
    SweepTimes* side = &work->contexts[work->sideCount];
    side->scene = &work->scene;
    side->ours = &work->contexts[0];
    side->times = Bench_Allocate(bench, work->scene.count, sizeof *side->times);
    work->sides[work->sideCount++] = (BenchSide){name, NULL, run, digestTimes, agrees, side, clearTimes};
    return side;
}

// ---- peers ----

#if defined(GRAZE_PEERS)
static void runPeer(void* context) {
    SweepTimes* side = context;
    side->peer->run(side->made, side->times);
}

static size_t countDifferences(const double* times, const SweepTimes* ours) {
    size_t differences = 0;
    for (size_t i = 0; i < ours->scene->count; ++i)
        differences += !(times[i] >= 0 && fabs(times[i] - ours->times[i]) <= TIMES_OFF);
    return differences;
}

static bool agreesWithOurs(void* context) {
    const SweepTimes* side = context;
    return countDifferences(side->times, side->ours) == 0;
}

static PeerSweepScene theirScene(const SweepScene* scene, PeerMesh* mesh) {
    const ModelScene* from = &scene->mesh;
    *mesh = (PeerMesh){from->positions, from->triangles, from->vertexCount, from->triangleCount};
    return (PeerSweepScene){scene->queries, from->model != NULL ? mesh : NULL, scene->count, 2e-5,
                            scene->queries[0].tolerance};
}

static void addPeers(Bench* bench, SweepWork* work) {
    const bool isMesh = work->scene.mesh.model != NULL;
    const PeerSweep* const peers[] = {isMesh ? &peerFclDistanceSweep : &peerFclSweep, &peerBulletSweep};
    PeerMesh mesh;
    const PeerSweepScene theirs = theirScene(&work->scene, &mesh);
    for (size_t i = 0; i < sizeof peers / sizeof peers[0] && !bench->failed; ++i) {
        void* made = peers[i]->create(&theirs);
        if (made == NULL)
            continue;
        SweepTimes* side = addSide(bench, work, peers[i]->name, runPeer, agreesWithOurs);
        side->peer = peers[i];
        side->made = made;
    }
}

// FCL's own advancement of meshes is no peer for the clock, as it tells other times.
static void tellFcl(Bench* bench, const SweepWork* work, const char* variant) {
    const size_t n = work->scene.count;
    PeerMesh mesh;
    const PeerSweepScene theirs = theirScene(&work->scene, &mesh);
    double* times = Bench_Allocate(bench, n, sizeof *times);
    if (bench->failed)
        return;
    void* made = peerFclSweep.create(&theirs);
    peerFclSweep.run(made, times);
    peerFclSweep.destroy(made);
    Bench_Count(bench, &(BenchCounter){.variant = variant,
                                       .metric = "wrong times",
                                       .unit = "of all",
                                       .peer = peerFclSweep.name,
                                       .peerValue = (double)countDifferences(times, &work->contexts[0]) / (double)n,
                                       .n = n,
                                       .workers = 1,
                                       .same = true});
    Bench_Release(bench, times, n, sizeof *times);
}
#endif

// ---- cases ----

static void releaseWork(Bench* bench, SweepWork* work) {
    for (size_t i = 0; i < work->sideCount; ++i) {
#if defined(GRAZE_PEERS)
        if (work->contexts[i].made != NULL)
            work->contexts[i].peer->destroy(work->contexts[i].made);
#endif
        Bench_Release(bench, work->contexts[i].times, work->scene.count, sizeof *work->contexts[i].times);
        if (work->contexts[i].impacts != NULL)
            Bench_Release(bench, work->contexts[i].impacts, work->scene.count, sizeof(grzSweepImpact));
    }
    for (int i = 0; i < HULLS; ++i)
        grzHull_Destroy(work->scene.hulls[i]);
    Bench_Release(bench, work->scene.queries, work->scene.count, sizeof *work->scene.queries);
}

static void tellWork(Bench* bench, const SweepWork* work, const char* variant) {
    const size_t n = work->scene.count;
    double steps = 0, touching = 0;
    for (size_t i = 0; i < n; ++i) {
        steps += (double)work->contexts[0].impacts[i].steps / (double)n;
        touching += (double)(work->contexts[0].impacts[i].outcome != grz_sweepFree) / (double)n;
    }
    Bench_Count(bench, &(BenchCounter){.variant = variant,
                                       .metric = "steps",
                                       .unit = "a query",
                                       .value = steps,
                                       .n = n,
                                       .workers = 1,
                                       .same = true});
    Bench_Count(bench, &(BenchCounter){.variant = variant,
                                       .metric = "touching",
                                       .unit = "of all",
                                       .value = touching,
                                       .n = n,
                                       .workers = 1,
                                       .same = touching > 0.2 && touching < 0.8});
}

static void measureQueries(Bench* bench, SweepWork* work, const char* variant) {
    SweepTimes* ours = addSide(bench, work, "graze", runOurs, isRight);
    ours->impacts = Bench_Allocate(bench, work->scene.count, sizeof *ours->impacts);
#if defined(GRAZE_PEERS)
    if (Bench_WantsPeers(bench) && !bench->failed)
        addPeers(bench, work);
#endif
    if (bench->failed)
        return;
    Bench_Measure(bench, &(BenchJob){.variant = variant,
                                     .metric = "first touch",
                                     .unit = "ns/pair",
                                     .amount = (double)work->scene.count,
                                     .n = work->scene.count,
                                     .workers = 1,
                                     .sides = work->sides,
                                     .sideCount = work->sideCount});
    tellWork(bench, work, variant);
#if defined(GRAZE_PEERS)
    if (Bench_WantsPeers(bench) && !bench->failed && work->scene.mesh.model != NULL)
        tellFcl(bench, work, variant);
#endif
}

static void measureShapes(Bench* bench, const char* variant, grzConvexKind kindA, grzConvexKind kindB) {
    SweepWork work;
    grzRng rng = grzRng_Make(61, (uint64_t)kindA * 8 + kindB);
    memset(&work, 0, sizeof work);
    work.scene.size = 1;
    work.scene.count = Bench_Size(bench, 1000, 60);
    work.scene.queries = Bench_Allocate(bench, work.scene.count, sizeof *work.scene.queries);
    if (!makeHulls(&work.scene, &rng))
        Bench_Fail(bench, "sweep: no memory for hulls");
    if (!bench->failed) {
        drawQueries(&work.scene, &rng, kindA, kindB);
        measureQueries(bench, &work, variant);
    }
    releaseWork(bench, &work);
}

void benchSweepShapes(Bench* bench) {
    static const struct {
        const char* variant;
        grzConvexKind a, b;
    } pairs[] = {{"two spheres", grz_sphereShape, grz_sphereShape},
                 {"two capsules", grz_capsuleShape, grz_capsuleShape},
                 {"sphere and box", grz_sphereShape, grz_boxShape},
                 {"two boxes", grz_boxShape, grz_boxShape},
                 {"two hulls", grz_hullShape, grz_hullShape}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && !bench->failed; ++i)
        measureShapes(bench, pairs[i].variant, pairs[i].a, pairs[i].b);
}

void benchSweepModels(Bench* bench) {
    SweepWork work;
    grzRng rng = grzRng_Make(62, 1);
    memset(&work, 0, sizeof work);
    work.scene.count = bench->options->quick ? 10 : 100;
    work.scene.queries = Bench_Allocate(bench, work.scene.count, sizeof *work.scene.queries);
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), 1, &work.scene.mesh) && !bench->failed) {
        work.scene.size = work.scene.mesh.size;
        drawQueries(&work.scene, &rng, grz_noShape, grz_noShape);
        measureQueries(bench, &work, work.scene.mesh.name);
    }
    ModelScene_Release(bench, &work.scene.mesh);
    releaseWork(bench, &work);
}
