// What: the stage "pairs": all overlapping pairs of moving boxes, frame after frame, beside a plain sweep and,
// among the peers, the broad phases of Embree, FCL and Bullet.
//
// Holds: a frame is all that a host would do once its boxes are known: take them over, and list the pairs. Every
// side lists the same set of pairs in every frame, checked by their number and a digest that knows no order.
// Everything reads the same arrays of boxes, and those change outside the clock.
#include "bench.h"

#include <string.h>

#include "graze/pair_cache.h"
#include "graze/tree_pairs.h"
#include "moving_boxes.h"
#include "pair_sweep.h"
#if defined(GRAZE_PEERS)
#    include "peer_pairs.h"
#endif

#define REST_STRIDE 100 // one box in so many moves in the case "few-moving"

// ---- the outcome ----

// [Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014]: the mixer of SplitMix64.
static uint64_t mix(uint64_t word) {
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

// The same for the same set in any order.
static uint64_t sumPairs(const grzBodyPair* pairs, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += mix((uint64_t)pairs[i].a << 32 | pairs[i].b);
    return sum;
}

static uint64_t digestPairs(const grzBodyPair* pairs, size_t count) {
    return mix(count + 1) + sumPairs(pairs, count);
}

// ---- ours ----

typedef struct OurPairs {
    const MovingBoxes* scene;
    grzTree* tree;
    grzTreePairs* pairs;
    grzPairCache* cache; // where few boxes move
    grzTasks* tasks;
    grzPairOrder order;
    grzTreeId* ids;    // of all boxes
    grzTreeId* moving; // of those that move
    grzBox* boxes;     // likewise
    grzResult result;
} OurPairs;

static void findOurs(OurPairs* ours) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = ours->tree;
    query.order = ours->order;
    ours->result = grzTreePairs_Find(ours->pairs, ours->tasks, &query);
}

static void frameAll(void* context) {
    OurPairs* ours = context;
    ours->result = grzTree_UpdateAll(ours->tree, ours->tasks, ours->scene->boxes, ours->scene->count);
    if (grzResult_IsOk(ours->result))
        findOurs(ours);
}

static void updateFew(OurPairs* ours) {
    const MovingBoxes* scene = ours->scene;
    for (size_t k = 0; k < scene->movedCount; ++k)
        ours->boxes[k] = scene->boxes[scene->moved[k]];
    ours->result = grzTree_UpdateMany(ours->tree, ours->moving, ours->boxes, scene->movedCount);
}

static void frameFew(void* context) {
    OurPairs* ours = context;
    updateFew(ours);
    if (grzResult_IsOk(ours->result))
        findOurs(ours);
}

static void frameCached(void* context) {
    OurPairs* ours = context;
    grzPairUpdate update = grzDefaultPairUpdate();
    update.inA.moved = ours->moving;
    update.inA.movedCount = ours->scene->movedCount;
    updateFew(ours);
    if (grzResult_IsOk(ours->result))
        ours->result = grzPairCache_Update(ours->cache, ours->tasks, &update);
}

static uint64_t digestOurs(void* context) {
    const OurPairs* ours = context;
    if (!grzResult_IsOk(ours->result))
        return 0;
    grzTreePairsView view = grzTreePairs_GetView(ours->pairs);
    return digestPairs(view.pairs, view.count);
}

static uint64_t digestCached(void* context) {
    const OurPairs* ours = context;
    grzPairRuns runs = grzPairCache_GetRuns(ours->cache, grz_pairsNow);
    grzTreePairsView run;
    uint64_t sum = mix(grzPairCache_GetView(ours->cache).count + 1);
    while (grzPairRuns_Next(&runs, &run))
        sum += sumPairs(run.pairs, run.count);
    return grzResult_IsOk(ours->result) ? sum : 0;
}

static grzResult makeCache(Bench* bench, OurPairs* ours) {
    grzPairCacheDef def = grzDefaultPairCacheDef();
    def.query.treeA = ours->tree;
    def.allocator = bench->allocator;
    return grzPairCache_Create(&def, &ours->cache);
}

static grzResult insertBoxes(OurPairs* ours, grzTreeObject* objects) {
    for (size_t i = 0; i < ours->scene->count; ++i) {
        objects[i] = grzDefaultTreeObject();
        objects[i].box = ours->scene->boxes[i];
        objects[i].key = (uint32_t)i;
    }
    return grzTree_InsertMany(ours->tree, objects, ours->scene->count, ours->ids);
}

static bool failOurs(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "pairs: %s", grzResult_Text(result, text, sizeof text));
    return !grzResult_IsOk(result);
}

static void releaseOurs(Bench* bench, OurPairs* ours) {
    size_t n = ours->scene->count, moved = ours->scene->movedCount;
    grzTreePairs_Destroy(ours->pairs);
    grzPairCache_Destroy(ours->cache);
    grzTree_Destroy(ours->tree);
    Bench_Release(bench, ours->ids, n, sizeof *ours->ids);
    Bench_Release(bench, ours->moving, moved, sizeof *ours->moving);
    Bench_Release(bench, ours->boxes, moved, sizeof *ours->boxes);
}

// False after Bench_Fail; ours is then to be released all the same.
static bool makeOurs(Bench* bench, OurPairs* ours) {
    size_t n = ours->scene->count, moved = ours->scene->movedCount;
    grzTreeDef def = grzDefaultTreeDef();
    grzTreeObject* objects = Bench_Allocate(bench, n, sizeof *objects);
    ours->ids = Bench_Allocate(bench, n, sizeof *ours->ids);
    ours->moving = Bench_Allocate(bench, moved, sizeof *ours->moving);
    ours->boxes = Bench_Allocate(bench, moved, sizeof *ours->boxes);
    bool isMade = objects != NULL && ours->ids != NULL && ours->moving != NULL && ours->boxes != NULL &&
                  !failOurs(bench, grzTree_Create(&def, &ours->tree)) &&
                  !failOurs(bench, grzTreePairs_Create(bench->allocator, &ours->pairs)) &&
                  !failOurs(bench, insertBoxes(ours, objects)) && !failOurs(bench, makeCache(bench, ours));
    for (size_t k = 0; isMade && k < moved; ++k)
        ours->moving[k] = ours->ids[ours->scene->moved[k]];
    Bench_Release(bench, objects, n, sizeof *objects);
    return isMade;
}

// ---- the sides ----

// Us twice (where few move: with the cache, and without), the sweep, and three peers.
enum { mostPeers = 3, mostSides = 3 + mostPeers };

#if defined(GRAZE_PEERS)
typedef struct PeerSide {
    const PeerPairs* peer;
    void* made;
} PeerSide;
#endif

typedef struct PairsWork {
    MovingBoxes scene;
    OurPairs ours, other;
    PairSweep sweep;
#if defined(GRAZE_PEERS)
    PeerSide peers[mostPeers];
    size_t peerCount;
#endif
    BenchSide sides[mostSides];
    size_t limits[mostSides]; // in frames
    size_t sideCount;
    size_t frames, window;
    size_t workers;
    bool isFew; // boxes move
} PairsWork;

// How many frames a slow side can be given: so many boxes in all frames together, but two windows of them at least.
// None where there are more boxes than `most`.
static size_t frameLimit(const PairsWork* work, double boxFrames, size_t most) {
    size_t n = work->scene.count;
    size_t limit = (size_t)(boxFrames / (double)n);
    if (n > most)
        return 0;
    return limit > work->frames ? work->frames : limit < 2 * work->window ? 2 * work->window : limit;
}

static void addSide(PairsWork* work, BenchSide side, size_t limit) {
    if (limit == 0)
        return;
    work->sides[work->sideCount] = side;
    work->limits[work->sideCount++] = limit;
}

static void runSweep(void* context) {
    PairSweep_Run(context);
}

static uint64_t digestSweep(void* context) {
    const PairSweep* sweep = context;
    return sweep->failed ? 0 : digestPairs(sweep->pairs.data, sweep->pairs.count);
}

static void addOurSides(Bench* bench, PairsWork* work) {
    OurPairs *ours = &work->ours, *other = &work->other;
    other->order = work->isFew ? grz_pairsInTreeOrder : grz_pairsSorted;
    if (!makeOurs(bench, ours) || !makeOurs(bench, other))
        return;
    if (work->isFew) {
        addSide(work, (BenchSide){"graze", NULL, frameCached, digestCached, NULL, ours, NULL}, work->frames);
        addSide(work, (BenchSide){"graze find", NULL, frameFew, digestOurs, NULL, other, NULL}, work->frames);
    } else {
        addSide(work, (BenchSide){"graze", NULL, frameAll, digestOurs, NULL, ours, NULL}, work->frames);
        addSide(work, (BenchSide){"graze sorted", NULL, frameAll, digestOurs, NULL, other, NULL}, work->frames);
    }
    if (work->workers != 1)
        return;
    if (!PairSweep_Make(&work->sweep, bench->allocator, work->scene.boxes, work->scene.count))
        Bench_Fail(bench, "pairs: no memory for a sweep of %zu boxes", work->scene.count);
    addSide(work, (BenchSide){"plain sweep", NULL, runSweep, digestSweep, NULL, &work->sweep, NULL},
            frameLimit(work, 3e6, 200000));
}

#if defined(GRAZE_PEERS)
static void runPeer(void* context) {
    const PeerSide* side = context;
    side->peer->frame(side->made);
}

static uint64_t digestPeer(void* context) {
    const PeerSide* side = context;
    size_t count = 0;
    const grzBodyPair* pairs = side->peer->pairs(side->made, &count);
    return digestPairs(pairs, count);
}

static void addPeer(PairsWork* work, const PeerPairs* peer, size_t limit) {
    const MovingBoxes* scene = &work->scene;
    if (limit == 0 || (work->workers != 1 && !peer->hasThreads))
        return;
    PeerScene theirs = {scene->boxes,       scene->centers, scene->halves,    scene->count,
                        (int)work->workers, scene->moved,   scene->movedCount};
    PeerSide* side = &work->peers[work->peerCount++];
    *side = (PeerSide){peer, peer->create(&theirs)};
    addSide(work, (BenchSide){peer->name, NULL, runPeer, digestPeer, NULL, side, NULL}, limit);
}

static void addPeers(PairsWork* work) {
    addPeer(work, &peerEmbreePairs, frameLimit(work, 1e8, SIZE_MAX));
    addPeer(work, &peerFclPairs, frameLimit(work, 1e7, SIZE_MAX));
    addPeer(work, work->isFew ? &peerBulletCachedPairs : &peerBulletPairs, frameLimit(work, 5e6, 200000));
}

static void releasePeers(PairsWork* work) {
    for (size_t i = 0; i < work->peerCount; ++i)
        work->peers[i].peer->destroy(work->peers[i].made);
}
#endif

// ---- the cases ----

static void advance(void* context) {
    MovingBoxes_Advance(context);
}

static void measureSides(Bench* bench, PairsWork* work) {
    addOurSides(bench, work);
#if defined(GRAZE_PEERS)
    if (bench->options->peers && !bench->failed)
        addPeers(work);
#endif
    BenchJob job = {.metric = "frame",
                    .unit = "ns",
                    .amount = 1,
                    .n = work->scene.count,
                    .workers = work->workers,
                    .sides = work->sides,
                    .sideCount = work->sideCount};
    BenchFrames frames = {advance, &work->scene, work->frames, work->limits, work->window};
    if (!bench->failed)
        Bench_MeasureFrames(bench, &job, &frames);
#if defined(GRAZE_PEERS)
    releasePeers(work);
#endif
    PairSweep_Release(&work->sweep);
    releaseOurs(bench, &work->other);
    releaseOurs(bench, &work->ours);
}

static void measure(Bench* bench, size_t n, size_t workers, bool isFew) {
    PairsWork work = {.workers = workers, .isFew = isFew};
    work.window = bench->options->quick ? 5 : 25;
    work.frames = bench->options->quick ? 12 : 300;
    if (!MovingBoxes_Make(bench, n, isFew ? REST_STRIDE : 1, &work.scene))
        return;
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)workers;
    work.ours.scene = work.other.scene = &work.scene;
    if (!failOurs(bench, grzTasks_Create(&def, &work.ours.tasks))) {
        work.other.tasks = work.ours.tasks;
        measureSides(bench, &work);
    }
    grzTasks_Destroy(work.ours.tasks);
    MovingBoxes_Release(bench, &work.scene);
}

static void measureSizes(Bench* bench, bool isFew) {
    static const size_t usual[] = {10000, 100000, 1000000};
    bool isOne = bench->options->quick || bench->options->n != 0;
    size_t workers[2], workerCount = Bench_Workers(bench, workers);
    for (size_t i = 0; i < (isOne ? 1 : sizeof usual / sizeof usual[0]); ++i)
        for (size_t w = 0; w < workerCount && !bench->failed; ++w)
            measure(bench, Bench_Size(bench, usual[i], 2000), workers[w], isFew);
}

static void allCase(Bench* bench) {
    measureSizes(bench, false);
}

static void fewCase(Bench* bench) {
    measureSizes(bench, true);
}

static const BenchCase cases[] = {
    {"all-moving", "every box moves in every frame", allCase, bench_usesN | bench_usesWorkers | bench_usesPeers},
    {"few-moving", "one box in a hundred moves", fewCase, bench_usesN | bench_usesWorkers | bench_usesPeers},
};

const BenchStage benchPairs = {"pairs", "all overlapping pairs of moving boxes", cases,
                               sizeof cases / sizeof cases[0]};
