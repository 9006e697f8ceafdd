// What: the stage "convex": contacts of pairs of convex shapes, beside a plain search over all faces and edges and,
// among the peers, the narrow phases of Bullet, FCL and ODE.
//
// Holds: a run is all pairs, one after the other, each from its two poses to its contact points; nothing is kept
// between pairs. Each kind of pair has three scenes of shapes some 1 m across. "touching" is such as a solver meets: B
// comes from a random side until it touches A, and then goes on, or back, by up to 5 cm, so that half of the pairs
// touch. (Deeper, FCL's libccd and ODE's capsule against a box do not give the least depth, and could not be compared.)
// "resting": both lie the same way but for 1e-4, and B is 1 to 4 mm into A's upper side. "apart": 5 to 30 cm.
//
// Every side must agree with the plain answer, found once outside the clock, on who touches and how deep: a depth may
// be off by 6 %, since ODE and those who took its box test prefer faces that are so much deeper, and by 2 mm; of a peer
// by 1 cm for two capsules or shapes of two kinds, which Bullet's and FCL's GJK and EPA need there. Pairs that touch or
// miss by less than that length may be either. "graze many" is grzConvex_CollideMany on one thread; its bodies are posed
// outside the clock, as those peers take their poses over.
#include "bench.h"

#include <math.h>
#include <string.h>

#include "graze/convex_pairs.h"
#include "plain_convex.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_convex.h"
#endif

#define APART     (-1.0f) // in place of a depth
#define OUR_SLACK 2e-3f

enum { hullKinds = 16, mostSides = 6 };

typedef enum Lying { lyingTouching, lyingResting, lyingApart, lyingCount } Lying;

typedef struct ConvexScene {
    grzConvex* shapesA;
    grzConvex* shapesB;
    grzTransform* posesA;
    grzTransform* posesB;
    grzPosedConvex* bodies; // A and B of pair 0, of pair 1, ...
    grzBodyPair* pairs;
    float* margins; // of pairs
    float* truth;   // depths
    float slack;    // by how much a peer may be off
    size_t count;
    grzHull* hulls[hullKinds];
} ConvexScene;

typedef struct ConvexSide {
    const ConvexScene* scene;
    float* depths;
    float slack;
    grzManifold* manifolds; // of "graze many"
#if defined(GRAZE_PEERS)
    const PeerConvex* peer;
    void* made;
#endif
} ConvexSide;

// ---- the scene ----

static float between(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(rng);
}

static grzVec3 drawVector(grzRng* rng, float size) {
    float x = between(rng, -size, size), y = between(rng, -size, size);
    return grzVec3_Make(x, y, between(rng, -size, size));
}

static grzTransform drawPose(grzRng* rng, float size) {
    grzVec3 v = drawVector(rng, 1);
    grzQuat turn = grzQuat_Normalize(grzQuat_Make(v.x, v.y, v.z, between(rng, 0.1f, 1)));
    return grzTransform_FromQuat(turn, drawVector(rng, size));
}

static grzHull* drawHull(grzRng* rng) {
    float positions[3 * 40];
    uint32_t count = 12 + grzRng_Below(rng, 29);
    for (uint32_t i = 0; i < count; ++i)
        grzVec3_Store(positions + (size_t)3 * i,
                      grzScale(grzNormalize(drawVector(rng, 1)), between(rng, 0.5f, 0.7f)));
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions;
    def.pointCount = count;
    grzHull* hull;
    grzResult result = grzHull_Create(&def, &hull);
    return grzResult_IsOk(result) ? hull : NULL;
}

static grzConvex drawShape(grzRng* rng, const ConvexScene* scene, grzConvexKind kind) {
    grzVec3 half = grzVec3_Make(between(rng, 0.2f, 0.6f), between(rng, 0.2f, 0.6f), between(rng, 0.2f, 0.6f));
    if (kind == grz_boxShape)
        return grzMakeBox(grzVec3_Zero(), half);
    if (kind == grz_sphereShape)
        return grzMakeSphere(grzVec3_Zero(), half.x);
    if (kind == grz_hullShape)
        return grzMakeHullShape(scene->hulls[grzRng_Below(rng, hullKinds)]);
    grzVec3 end = grzVec3_Make(0, 0, half.x);
    return grzMakeCapsule(grzNeg(end), end, half.y);
}

static float plainDepth(const grzConvex* a, grzTransform poseA, const grzConvex* b, grzTransform poseB) {
    RefSolid solidA, solidB;
    refMake(a, poseA, &solidA);
    refMake(b, poseB, &solidB);
    bool areRound = a->kind <= grz_capsuleShape && b->kind <= grz_capsuleShape;
    double separation = areRound ? 1 : refSeparation(&solidA, &solidB);
    if (separation > 0)
        separation = refDistance(&solidA, &solidB);
    separation -= solidA.radius + solidB.radius;
    return separation > 0 ? APART : (float)-separation;
}

// Brings B near A: from 4 away it goes on by the distance that is left until there is next to none, and then by goOn.
static void approach(const ConvexScene* scene, size_t i, grzVec3 from, float goOn) {
    float away = 4;
    for (int step = 0; step < 200; ++step) {
        grzConvexDistance distance;
        scene->posesB[i].origin = grzAddScaled(scene->posesA[i].origin, away, from);
        grzResult result = grzConvex_Distance(&scene->shapesA[i], scene->posesA[i], &scene->shapesB[i],
                                              scene->posesB[i], &distance);
        if (!grzResult_IsOk(result) || distance.upper < 1e-4f)
            break;
        away -= distance.lower;
    }
    scene->posesB[i].origin = grzAddScaled(scene->posesA[i].origin, away - goOn, from);
}

static void place(grzRng* rng, const ConvexScene* scene, size_t i, Lying lying) {
    grzVec3 from = grzNormalize(drawVector(rng, 1));
    scene->posesA[i] = drawPose(rng, 10);
    scene->posesB[i] = drawPose(rng, 0);
    if (lying == lyingResting) {
        grzQuat tilt = grzQuat_FromAxisAngle(from, 1e-4f);
        scene->posesB[i].basis = grzMat3_Multiply(grzMat3_FromQuat(tilt), scene->posesA[i].basis);
        from = grzNormalize(grzAddScaled(scene->posesA[i].basis.y, 0.3f, from));
    }
    static const float goOn[lyingCount][2] = {{-0.05f, 0.05f}, {0.001f, 0.004f}, {-0.3f, -0.05f}};
    approach(scene, i, from, between(rng, goOn[lying][0], goOn[lying][1]));
}

static grzResult poseBodies(ConvexScene* scene, size_t i, float margin) {
    scene->margins[i] = margin;
    scene->pairs[i] = (grzBodyPair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    grzResult result = grzConvex_Pose(&scene->shapesA[i], scene->posesA[i], &scene->bodies[2 * i]);
    return grzResult_IsOk(result) ? grzConvex_Pose(&scene->shapesB[i], scene->posesB[i], &scene->bodies[2 * i + 1])
                                  : result;
}

// False after Bench_Fail; the scene is then to be released all the same.
static bool makeScene(Bench* bench, ConvexScene* scene, grzConvexKind kindA, grzConvexKind kindB, Lying lying) {
    size_t n = scene->count;
    grzRng rng = grzRng_Make(11, (uint64_t)kindA * 8 + kindB);
    bool isMade = true;
    for (int i = 0; i < hullKinds; ++i)
        isMade &= (scene->hulls[i] = drawHull(&rng)) != NULL;
    scene->shapesA = Bench_Allocate(bench, n, sizeof *scene->shapesA);
    scene->shapesB = Bench_Allocate(bench, n, sizeof *scene->shapesB);
    scene->posesA = Bench_Allocate(bench, n, sizeof *scene->posesA);
    scene->posesB = Bench_Allocate(bench, n, sizeof *scene->posesB);
    scene->bodies = Bench_Allocate(bench, 2 * n, sizeof *scene->bodies);
    scene->pairs = Bench_Allocate(bench, n, sizeof *scene->pairs);
    scene->margins = Bench_Allocate(bench, n, sizeof *scene->margins);
    scene->truth = Bench_Allocate(bench, n, sizeof *scene->truth);
    if (!isMade || bench->failed) {
        Bench_Fail(bench, "convex: no memory for hulls");
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        scene->shapesA[i] = drawShape(&rng, scene, kindA);
        scene->shapesB[i] = drawShape(&rng, scene, kindB);
        place(&rng, scene, i, lying);
        isMade &= grzResult_IsOk(poseBodies(scene, i, 0));
        scene->truth[i] = plainDepth(&scene->shapesA[i], scene->posesA[i], &scene->shapesB[i], scene->posesB[i]);
    }
    if (!isMade)
        Bench_Fail(bench, "convex: a bad shape or pose");
    return isMade;
}

static void releaseScene(Bench* bench, ConvexScene* scene) {
    size_t n = scene->count;
    for (int i = 0; i < hullKinds; ++i)
        grzHull_Destroy(scene->hulls[i]);
    Bench_Release(bench, scene->shapesA, n, sizeof *scene->shapesA);
    Bench_Release(bench, scene->shapesB, n, sizeof *scene->shapesB);
    Bench_Release(bench, scene->posesA, n, sizeof *scene->posesA);
    Bench_Release(bench, scene->posesB, n, sizeof *scene->posesB);
    Bench_Release(bench, scene->bodies, 2 * n, sizeof *scene->bodies);
    Bench_Release(bench, scene->pairs, n, sizeof *scene->pairs);
    Bench_Release(bench, scene->margins, n, sizeof *scene->margins);
    Bench_Release(bench, scene->truth, n, sizeof *scene->truth);
}

// ---- the sides ----

static void runOurs(void* context) {
    ConvexSide* side = context;
    const ConvexScene* scene = side->scene;
    for (size_t i = 0; i < scene->count; ++i) {
        grzManifold manifold;
        grzResult result = grzConvex_Collide(&scene->shapesA[i], scene->posesA[i], &scene->shapesB[i],
                                             scene->posesB[i], 0, &manifold);
        bool isHit = grzResult_IsOk(result) && manifold.pointCount > 0;
        side->depths[i] = isHit ? -manifold.points[0].separation : APART;
    }
}

static void runMany(void* context) {
    ConvexSide* side = context;
    const ConvexScene* scene = side->scene;
    grzConvexBatch batch = {.bodies = scene->bodies,
                            .pairs = scene->pairs,
                            .margins = scene->margins,
                            .manifolds = side->manifolds,
                            .bodyCount = (uint32_t)(2 * scene->count),
                            .pairCount = (uint32_t)scene->count};
    grzResult result = grzConvex_CollideMany(&batch);
    for (size_t i = 0; i < scene->count && grzResult_IsOk(result); ++i) {
        const grzManifold* manifold = &side->manifolds[i];
        side->depths[i] = manifold->pointCount > 0 ? -manifold->points[0].separation : APART;
    }
}

static void runPlain(void* context) {
    ConvexSide* side = context;
    const ConvexScene* scene = side->scene;
    for (size_t i = 0; i < scene->count; ++i)
        side->depths[i] = plainDepth(&scene->shapesA[i], scene->posesA[i], &scene->shapesB[i], scene->posesB[i]);
}

static void clearSide(void* context) {
    ConvexSide* side = context;
    memset(side->depths, 0xFF, side->scene->count * sizeof *side->depths);
}

static uint64_t digestSide(void* context) {
    const ConvexSide* side = context;
    return Bench_Digest(0, side->depths, side->scene->count * sizeof *side->depths);
}

static bool agreesWithTruth(void* context) {
    const ConvexSide* side = context;
    size_t wrong = 0;
    for (size_t i = 0; i < side->scene->count; ++i) {
        float truth = side->scene->truth[i], depth = side->depths[i];
        float slack = side->slack;
        bool isNear = truth < slack && depth < slack;
        bool isRight = truth == APART ? depth == APART : fabsf(depth - truth) <= slack + 0.06f * truth;
        wrong += !(isRight || isNear);
    }
    return wrong == 0;
}

typedef struct ConvexWork {
    ConvexScene scene;
    ConvexSide contexts[mostSides];
    BenchSide sides[mostSides];
    size_t sideCount;
} ConvexWork;

static ConvexSide* addSide(Bench* bench, ConvexWork* work, const char* name, BenchRunFn* run) {
    ConvexSide* side = &work->contexts[work->sideCount];
    side->scene = &work->scene;
    side->slack = OUR_SLACK;
    side->depths = Bench_Allocate(bench, work->scene.count, sizeof *side->depths);
    work->sides[work->sideCount++] = (BenchSide){name, NULL, run, digestSide, agreesWithTruth, side, clearSide};
    return side;
}

#if defined(GRAZE_PEERS)
static void runPeer(void* context) {
    ConvexSide* side = context;
    side->peer->run(side->made, side->depths);
}

static void addPeers(Bench* bench, ConvexWork* work) {
    static const PeerConvex* const peers[] = {&peerBulletConvex, &peerFclConvex, &peerOdeConvex};
    const ConvexScene* scene = &work->scene;
    PeerConvexScene theirs = {scene->shapesA, scene->shapesB, scene->posesA, scene->posesB, scene->count};
    for (size_t i = 0; i < sizeof peers / sizeof peers[0] && !bench->failed; ++i) {
        void* made = peers[i]->create(&theirs);
        if (made == NULL)
            continue;
        ConvexSide* side = addSide(bench, work, peers[i]->name, runPeer);
        side->peer = peers[i];
        side->slack = work->scene.slack;
        side->made = made;
    }
}
#endif

static void releaseSides(Bench* bench, ConvexWork* work) {
    for (size_t i = 0; i < work->sideCount; ++i) {
#if defined(GRAZE_PEERS)
        if (work->contexts[i].made != NULL)
            work->contexts[i].peer->destroy(work->contexts[i].made);
#endif
        if (work->contexts[i].manifolds != NULL)
            Bench_Release(bench, work->contexts[i].manifolds, work->scene.count, sizeof(grzManifold));
        Bench_Release(bench, work->contexts[i].depths, work->scene.count, sizeof *work->contexts[i].depths);
    }
}

// ---- the cases ----

static void measureScene(Bench* bench, grzConvexKind kindA, grzConvexKind kindB, Lying lying) {
    static const char* const metrics[lyingCount] = {"contacts, touching", "contacts, resting", "contacts, apart"};
    bool isEasy = kindA == kindB && kindA != grz_capsuleShape;
    ConvexWork work;
    memset(&work, 0, sizeof work);
    work.scene.slack = isEasy ? OUR_SLACK : 1e-2f;
    work.scene.count = Bench_Size(bench, 1000, 60);
    if (makeScene(bench, &work.scene, kindA, kindB, lying)) {
        addSide(bench, &work, "graze", runOurs);
        ConvexSide* many = addSide(bench, &work, "graze many", runMany);
        many->manifolds = Bench_Allocate(bench, work.scene.count, sizeof *many->manifolds);
        addSide(bench, &work, "plain search", runPlain);
#if defined(GRAZE_PEERS)
        if (Bench_WantsPeers(bench) && !bench->failed)
            addPeers(bench, &work);
#endif
        BenchJob job = {.metric = metrics[lying],
                        .unit = "ns/pair",
                        .amount = (double)work.scene.count,
                        .n = work.scene.count,
                        .workers = 1,
                        .sides = work.sides,
                        .sideCount = work.sideCount};
        if (!bench->failed)
            Bench_Measure(bench, &job);
    }
    releaseSides(bench, &work);
    releaseScene(bench, &work.scene);
}

static void measure(Bench* bench, grzConvexKind kindA, grzConvexKind kindB) {
    for (int lying = 0; lying < lyingCount && !bench->failed; ++lying)
        measureScene(bench, kindA, kindB, (Lying)lying);
}

// ---- batches ----

// What a step hands over at once, with the margin of a world. "wall": crates of 1 m laid in bonds, each with its own small
// tilt, 4 mm deep to 2 mm apart; "tumbling": boxes lying anyhow, 2 cm deep to 2 cm apart; "near misses": 5 to 30 cm
// apart; "spheres": touching. Beside the same pairs one by one, which must give the same bytes.
typedef enum BatchKind { batchWall, batchTumbling, batchApart, batchSpheres, batchCount } BatchKind;

typedef struct BatchSide {
    ConvexScene* scene;
    grzManifold* manifolds;
} BatchSide;

static const float g_batchMargin = 0.02f;

static void placeInWall(grzRng* rng, ConvexScene* scene, size_t i) {
    grzVec3 half = grzVec3_Splat(0.5f), axis = grzNormalize(drawVector(rng, 1));
    scene->shapesA[i] = scene->shapesB[i] = grzMakeBox(grzVec3_Zero(), half);
    scene->posesA[i] = scene->posesB[i] = grzTransform_Identity();
    scene->posesB[i].basis = grzMat3_FromQuat(grzQuat_FromAxisAngle(axis, 1e-4f));
    float side = grzRng_Below(rng, 2) == 0 ? -0.5f : 0.5f, height = 1 + between(rng, -0.004f, 0.002f);
    scene->posesB[i].origin = grzVec3_Make(side + between(rng, -1e-3f, 1e-3f), height, between(rng, -1e-4f, 1e-4f));
}

static void placeBatchPair(grzRng* rng, ConvexScene* scene, BatchKind kind, size_t i) {
    static const float goOn[batchCount][2] = {{0, 0}, {-0.02f, 0.02f}, {-0.3f, -0.05f}, {0, 0.05f}};
    if (kind == batchWall) {
        placeInWall(rng, scene, i);
        return;
    }
    grzConvexKind shape = kind == batchSpheres ? grz_sphereShape : grz_boxShape;
    scene->shapesA[i] = drawShape(rng, scene, shape);
    scene->shapesB[i] = drawShape(rng, scene, shape);
    scene->posesA[i] = drawPose(rng, 10);
    scene->posesB[i] = drawPose(rng, 0);
    approach(scene, i, grzNormalize(drawVector(rng, 1)), between(rng, goOn[kind][0], goOn[kind][1]));
}

static void runBatch(void* context) {
    BatchSide* side = context;
    grzConvexBatch batch = {.bodies = side->scene->bodies,
                            .pairs = side->scene->pairs,
                            .margins = side->scene->margins,
                            .manifolds = side->manifolds,
                            .bodyCount = (uint32_t)(2 * side->scene->count),
                            .pairCount = (uint32_t)side->scene->count};
    if (!grzResult_IsOk(grzConvex_CollideMany(&batch)))
        memset(side->manifolds, 0, side->scene->count * sizeof *side->manifolds);
}

static void runOneByOne(void* context) {
    BatchSide* side = context;
    const ConvexScene* scene = side->scene;
    for (size_t i = 0; i < scene->count; ++i)
        if (!grzResult_IsOk(grzConvex_Collide(&scene->shapesA[i], scene->posesA[i], &scene->shapesB[i],
                                              scene->posesB[i], g_batchMargin, &side->manifolds[i])))
            memset(&side->manifolds[i], 0, sizeof side->manifolds[i]);
}

static void clearBatch(void* context) {
    BatchSide* side = context;
    memset(side->manifolds, 0xFF, side->scene->count * sizeof *side->manifolds);
}

static uint64_t digestBatch(void* context) {
    const BatchSide* side = context;
    return Bench_Digest(0, side->manifolds, side->scene->count * sizeof *side->manifolds);
}

static void measureBatch(Bench* bench, ConvexScene* scene, BatchKind kind) {
    static const char* const metrics[batchCount] = {"wall, margin 2 cm", "tumbling, margin 2 cm",
                                                    "near misses, margin 2 cm", "spheres, margin 2 cm"};
    grzRng rng = grzRng_Make(12, (uint64_t)kind);
    bool isMade = true;
    for (size_t i = 0; i < scene->count; ++i) {
        placeBatchPair(&rng, scene, kind, i);
        isMade &= grzResult_IsOk(poseBodies(scene, i, g_batchMargin));
    }
    if (!isMade) {
        Bench_Fail(bench, "convex: a bad shape or pose");
        return;
    }
    BatchSide contexts[2];
    for (int i = 0; i < 2; ++i)
        contexts[i] = (BatchSide){scene, Bench_Allocate(bench, scene->count, sizeof(grzManifold))};
    const BenchSide sides[2] = {
        {"graze many", NULL, runBatch, digestBatch, NULL, &contexts[0], clearBatch},
        {"one by one", NULL, runOneByOne, digestBatch, NULL, &contexts[1], clearBatch},
    };
    BenchJob job = {.metric = metrics[kind],
                    .unit = "ns/pair",
                    .amount = (double)scene->count,
                    .n = scene->count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    for (int i = 0; i < 2; ++i)
        Bench_Release(bench, contexts[i].manifolds, scene->count, sizeof(grzManifold));
}

static void batchesCase(Bench* bench) {
    ConvexScene scene;
    memset(&scene, 0, sizeof scene);
    scene.count = Bench_Size(bench, 4096, 300);
    if (makeScene(bench, &scene, grz_boxShape, grz_boxShape, lyingApart)) {
        for (int kind = 0; kind < batchCount && !bench->failed; ++kind)
            measureBatch(bench, &scene, (BatchKind)kind);
    }
    releaseScene(bench, &scene);
}

#define CONVEX_CASE(name, kindA, kindB)                                                                            \
    static void name(Bench* bench) {                                                                               \
        measure(bench, kindA, kindB);                                                                              \
    }
CONVEX_CASE(spheresCase, grz_sphereShape, grz_sphereShape)
CONVEX_CASE(sphereCapsuleCase, grz_sphereShape, grz_capsuleShape)
CONVEX_CASE(sphereBoxCase, grz_sphereShape, grz_boxShape)
CONVEX_CASE(sphereHullCase, grz_sphereShape, grz_hullShape)
CONVEX_CASE(capsulesCase, grz_capsuleShape, grz_capsuleShape)
CONVEX_CASE(capsuleBoxCase, grz_capsuleShape, grz_boxShape)
CONVEX_CASE(capsuleHullCase, grz_capsuleShape, grz_hullShape)
CONVEX_CASE(boxesCase, grz_boxShape, grz_boxShape)
CONVEX_CASE(boxHullCase, grz_boxShape, grz_hullShape)
CONVEX_CASE(hullsCase, grz_hullShape, grz_hullShape)

static const BenchCase cases[] = {
    {"batches", "many pairs of boxes and spheres at once, beside one by one", batchesCase, bench_usesN},
    {"box-box", "two boxes", boxesCase, bench_usesN | bench_usesPeers},
    {"hull-hull", "two hulls of 12 to 40 vertices", hullsCase, bench_usesN | bench_usesPeers},
    {"capsule-box", "a capsule and a box", capsuleBoxCase, bench_usesN | bench_usesPeers},
    {"sphere-sphere", "two spheres", spheresCase, bench_usesN | bench_usesPeers},
    {"sphere-capsule", "a sphere and a capsule", sphereCapsuleCase, bench_usesN | bench_usesPeers},
    {"sphere-box", "a sphere and a box", sphereBoxCase, bench_usesN | bench_usesPeers},
    {"sphere-hull", "a sphere and a hull", sphereHullCase, bench_usesN | bench_usesPeers},
    {"capsule-capsule", "two capsules", capsulesCase, bench_usesN | bench_usesPeers},
    {"capsule-hull", "a capsule and a hull", capsuleHullCase, bench_usesN | bench_usesPeers},
    {"box-hull", "a box and a hull", boxHullCase, bench_usesN | bench_usesPeers},
};

const BenchStage benchConvex = {"convex", "contacts of two convex shapes", cases, sizeof cases / sizeof cases[0]};
