// What: two copies of a mesh in slow motion, asked frame by frame: ours with a front, ours without, and peers.
//
// B goes around A and both turn, by the step and a bit, a part of the mesh's size each frame. How far B's origin is from A's is
// found by bisection, so that the two are always at one depth: a hundredth of the size apart, or in each other by a
// fortieth. That is a search along a line, and meshes are not convex; so depth jumps now and then, as it does in any game.
//
// Holds: every side goes through the same frames in the same order; a front is made once, so the first frame of a run comes
// after the last one. Peers round by themselves: how many answers differ is told in rows of their own, and must be few.
#include "bench_coherent.h"

#include <math.h>
#include <string.h>

#include "graze/model_front.h"
#include "model_scene.h"
#if defined(GRAZE_PEERS)
#    include "peer_models.h"
#endif

enum { mostSides = 5 };

typedef struct CoherentSide {
    const ModelScene* scene; // whose queries are the frames
    size_t* outcomes;        // 1 + what was found, a frame each
    grzModelFront* front;    // NULL: without
    grzModelPairs* pairs;    // NULL: whether they touch
    struct CoherentSide* ours;
    size_t differences;
#if defined(GRAZE_PEERS)
    const PeerModels* peer;
    void* made;
#endif
} CoherentSide;

typedef struct CoherentWork {
    ModelScene scene;
    CoherentSide sides[mostSides];
    BenchSide bench[mostSides];
    size_t count;
} CoherentWork;

// ---- the frames ----

static grzMat3 turnBy(grzVec3 axis, float angle) {
    const grzVec3 half = grzScale(grzNormalize(axis), grzSin(0.5F * angle));
    return grzMat3_FromQuat(grzQuat_Make(half.x, half.y, half.z, grzCos(0.5F * angle)));
}

static bool touchesAt(grzModelQuery* query, grzVec3 direction, float distance) {
    bool touches = false;
    query->poseB.origin = grzAdd(query->poseA.origin, grzScale(direction, distance));
    return grzResult_IsOk(grzModels_Touch(query, &touches, NULL)) && touches;
}

// How far apart along the direction the two just touch, coming from outside.
static float contactDistance(grzModelQuery* query, grzVec3 direction, float size) {
    float upper = 2 * size, lower;
    for (lower = upper; lower > 0 && !touchesAt(query, direction, lower); lower -= 0.05F * size)
        upper = lower;
    for (int step = 0; step < 12; ++step) {
        const float middle = 0.5F * (lower + upper);
        if (touchesAt(query, direction, middle))
            lower = middle;
        else
            upper = middle;
    }
    return upper;
}

static void setFrames(ModelScene* scene, float step, float gap) {
    grzTransform a = grzTransform_Identity(), b = grzTransform_Identity();
    const grzVec3 normal = grzNormalize(grzVec3_Make(0.3F, 0.2F, 1));
    scene->hits = 0;
    for (size_t i = 0; i < scene->queryCount; ++i) {
        grzModelQuery* query = &scene->queries[i];
        const grzVec3 direction = grzMat3_Apply(turnBy(normal, step * (float)i), grzVec3_Make(1, 0, -0.3F));
        a.basis = turnBy(grzVec3_Make(1, 2, 3), 0.5F * step * (float)i);
        b.basis = turnBy(grzVec3_Make(3, -1, 1), 0.7F * step * (float)i);
        a.origin = grzVec3_Make(step * scene->size * (float)(i % 100), 0, 0);
        *query = grzDefaultModelQuery();
        query->a = query->b = scene->model;
        query->poseA = a, query->poseB = b;
        const float distance = contactDistance(query, grzNormalize(direction), scene->size);
        scene->hits += touchesAt(query, grzNormalize(direction), distance + gap * scene->size);
    }
}

// ---- sides ----

static size_t answer(const CoherentSide* side, const grzModelQuery* query) {
    bool touches = false;
    if (side->pairs != NULL) {
        if (side->front != NULL)
            return grzResult_IsOk(grzModelFront_Find(side->front, query))
                       ? 1 + grzModelFront_GetView(side->front).count
                       : 0;
        return grzResult_IsOk(grzModelPairs_Find(side->pairs, query)) ? 1 + grzModelPairs_GetView(side->pairs).count
                                                                      : 0;
    }
    const grzResult result = side->front != NULL ? grzModelFront_Touch(side->front, query, &touches)
                                                 : grzModels_Touch(query, &touches, NULL);
    return grzResult_IsOk(result) ? 1 + (size_t)touches : 0;
}

static void runOurs(void* context) {
    CoherentSide* side = context;
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        grzModelQuery query = side->scene->queries[i];
        query.order = grz_modelsAsMet;
        side->outcomes[i] = answer(side, &query);
    }
}

#if defined(GRAZE_PEERS)
static void runPeer(void* context) {
    CoherentSide* side = context;
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        const grzModelQuery* query = &side->scene->queries[i];
        size_t count = 0;
        if (side->pairs != NULL)
            side->peer->find(side->made, &query->poseA, &query->poseB, &count);
        else
            count = side->peer->touch(side->made, &query->poseA, &query->poseB) ? 1 : 0;
        side->outcomes[i] = 1 + count;
    }
}
#endif

static void clearSide(void* context) {
    CoherentSide* side = context;
    memset(side->outcomes, 0, side->scene->queryCount * sizeof *side->outcomes);
}

static uint64_t digestSide(void* context) {
    const CoherentSide* side = context;
    return Bench_Digest(0, side->outcomes, side->scene->queryCount * sizeof *side->outcomes);
}

// A front beside fresh queries: the same to the last pair.
static bool agreesExactly(void* context) {
    const CoherentSide* side = context;
    return memcmp(side->outcomes, side->ours->outcomes, side->scene->queryCount * sizeof *side->outcomes) == 0;
}

static bool isConsistent(void* context) {
    const CoherentSide* side = context;
    size_t hits = 0;
    for (size_t i = 0; i < side->scene->queryCount; ++i)
        hits += side->outcomes[i] > 1;
    return hits == side->scene->hits;
}

// One in a hundred pairs, or frames, and one more.
static bool agreesNearly(void* context) {
    CoherentSide* side = context;
    size_t total = 0;
    side->differences = 0;
    for (size_t i = 0; i < side->scene->queryCount; ++i) {
        const size_t a = side->outcomes[i], b = side->ours->outcomes[i];
        if (a == 0 || b == 0)
            return false;
        side->differences += a > b ? a - b : b - a;
        total += b;
    }
    return side->differences <= 1 + total / 100;
}

static CoherentSide* addSide(Bench* bench, CoherentWork* work, const char* name, bool isFind) {
    CoherentSide* side = &work->sides[work->count];
    side->scene = &work->scene;
    side->ours = &work->sides[0];
    side->outcomes = Bench_Allocate(bench, work->scene.queryCount, sizeof *side->outcomes);
    work->bench[work->count] = (BenchSide){
        name, NULL, runOurs, digestSide, work->count == 0 ? isConsistent : agreesExactly, side, clearSide};
    work->count++;
    if (side->outcomes != NULL)
        clearSide(side);
    if (isFind && !grzResult_IsOk(grzModelPairs_Create(bench->allocator, &side->pairs)))
        Bench_Fail(bench, "models: no memory");
    return side;
}

static void addPeers(Bench* bench, CoherentWork* work, bool isFind) {
#if defined(GRAZE_PEERS)
    const PeerModels* const peers[] = {
#    if defined(GRAZE_OPCODE)
        isFind ? &peerOpcodeModels : &peerOpcodeCoherentModels,
#    endif
        &peerFclModels,
    };
    const PeerMesh mesh = {work->scene.positions, work->scene.triangles, work->scene.vertexCount,
                           work->scene.triangleCount};
    for (size_t i = 0; i < sizeof peers / sizeof peers[0] && Bench_WantsPeers(bench) && !bench->failed; ++i) {
        CoherentSide* side = addSide(bench, work, peers[i]->name, isFind);
        work->bench[work->count - 1].run = runPeer;
        work->bench[work->count - 1].agrees = agreesNearly;
        side->peer = peers[i];
        side->made = peers[i]->create(&mesh);
    }
#else
    (void)bench, (void)work, (void)isFind, (void)agreesNearly;
#endif
}

static void releaseSides(Bench* bench, CoherentWork* work) {
    for (size_t i = 0; i < work->count; ++i) {
        CoherentSide* side = &work->sides[i];
        Bench_Release(bench, side->outcomes, work->scene.queryCount, sizeof *side->outcomes);
        grzModelFront_Destroy(side->front);
        grzModelPairs_Destroy(side->pairs);
#if defined(GRAZE_PEERS)
        if (side->peer != NULL)
            side->peer->destroy(side->made);
#endif
    }
    memset(work->sides, 0, sizeof work->sides);
    work->count = 0;
}

// ---- the case ----

// The frames are set. Answers are whether they touch, or all pairs.
static void measure(Bench* bench, CoherentWork* work, const char* variant, bool isFind) {
    CoherentSide* side = addSide(bench, work, "graze, front", isFind);
    if (!grzResult_IsOk(grzModelFront_Create(bench->allocator, &side->front)))
        Bench_Fail(bench, "models: no memory");
    addSide(bench, work, "graze, afresh", isFind);
    addPeers(bench, work, isFind);
    const BenchJob job = {.variant = variant,
                          .metric = isFind ? "find" : "touch",
                          .unit = "ns/query",
                          .amount = (double)work->scene.queryCount,
                          .n = work->scene.triangleCount,
                          .workers = 1,
                          .sides = work->bench,
                          .sideCount = work->count};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    releaseSides(bench, work);
}

void coherentCase(Bench* bench) {
    static const int parts[] = {1000, 300, 100, 30, 10};
    CoherentWork work = {.count = 0};
    const size_t frames = bench->options->quick ? 40 : 300;
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), frames, &work.scene)) {
        for (size_t i = 0; i < 2 * sizeof parts / sizeof parts[0] && !bench->failed; ++i) {
            const int part = parts[i / 2];
            const bool isHit = i % 2 == 1;
            char variant[96];
            if (bench->options->quick && part != 100)
                continue;
            setFrames(&work.scene, 1 / (float)part, isHit ? -0.025F : 0.01F);
            snprintf(variant, sizeof variant, "%s 1/%d %s", work.scene.name, part, isHit ? "hit" : "miss");
            measure(bench, &work, variant, false);
            measure(bench, &work, variant, true);
        }
    }
    ModelScene_Release(bench, &work.scene);
}
