// What: the stage "pairs": all overlapping pairs of moving boxes, frame after frame, beside a plain sweep and,
// among the peers, the broad phases of Embree, FCL and Bullet.
//
// Holds: a frame is all that a host would do once its boxes are known: take them over, and list the pairs. Every
// side lists the same set of pairs in every frame, checked by their number and a digest that knows no order.
// Everything reads the same arrays of boxes, and those change outside the clock.
#include "bench.h"

#include <string.h>

#include "graze/stage/pair_table.h"
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
    Bench* bench;
    const MovingBoxes* scene;
    grzTree* tree;
    grzTree* still; // what does not move, where `tree` holds only what does
    grzTreePairs* pairs;
    grzPairTable* table; // where few boxes move
    grzTasks* tasks;
    grzPairOrder order;
    grzTreeId* ids;    // of all boxes
    grzTreeId* moving; // of those that move
    uint32_t* movers;  // their numbers
    grzBox* boxes;     // likewise
    grzBodyPair* all;  // pairs of the table, to be compared
    uint32_t* rows;
    size_t allCapacity;
    grzResult result;
} OurPairs;

static void findOurs(OurPairs* ours) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = ours->tree;
    query.still = ours->still;
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

// The tree holds nothing else.
static void updateMovers(OurPairs* ours) {
    const MovingBoxes* scene = ours->scene;
    for (size_t k = 0; k < scene->movedCount; ++k)
        ours->boxes[ours->moving[k].index1 - 1] = scene->boxes[scene->moved[k]];
    ours->result = grzTree_UpdateAll(ours->tree, ours->tasks, ours->boxes, scene->movedCount);
}

static void frameFew(void* context) {
    OurPairs* ours = context;
    updateFew(ours);
    if (grzResult_IsOk(ours->result))
        findOurs(ours);
}

// The pairs that the last search found, into the table.
static void tellTable(OurPairs* ours, bool isAll) {
    const grzTreePairsView found = grzTreePairs_GetView(ours->pairs);
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = found.pairs, update.pairCount = found.count;
    update.moved = ours->movers, update.movedCount = ours->scene->movedCount;
    update.isAll = isAll;
    ours->result = grzPairTable_Update(ours->table, ours->tasks, &update);
}

// Those of what stands still, once, before the first frame that is timed: as a host that loads its level.
static void loadStill(OurPairs* ours) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = ours->still;
    query.order = grz_pairsSorted;
    ours->result = grzTreePairs_Find(ours->pairs, ours->tasks, &query);
    if (grzResult_IsOk(ours->result))
        tellTable(ours, true);
}

static void frameTable(void* context) {
    OurPairs* ours = context;
    if (grzPairTable_GetStats(ours->table).pairCount == 0)
        loadStill(ours);
    updateMovers(ours);
    if (grzResult_IsOk(ours->result))
        findOurs(ours);
    if (grzResult_IsOk(ours->result))
        tellTable(ours, false);
}

static uint64_t digestOurs(void* context) {
    const OurPairs* ours = context;
    if (!grzResult_IsOk(ours->result))
        return 0;
    grzTreePairsView view = grzTreePairs_GetView(ours->pairs);
    return digestPairs(view.pairs, view.count);
}

static uint64_t digestTable(void* context) {
    OurPairs* ours = context;
    size_t count = grzPairTable_GetStats(ours->table).pairCount;
    if (count > ours->allCapacity) {
        Bench_Release(ours->bench, ours->all, ours->allCapacity, sizeof *ours->all);
        Bench_Release(ours->bench, ours->rows, ours->allCapacity, sizeof *ours->rows);
        ours->allCapacity = 2 * count;
        ours->all = Bench_Allocate(ours->bench, ours->allCapacity, sizeof *ours->all);
        ours->rows = Bench_Allocate(ours->bench, ours->allCapacity, sizeof *ours->rows);
    }
    if (count != 0 && (ours->all == NULL || ours->rows == NULL))
        return 0;
    const grzResult result = grzPairTable_CopyPairs(ours->table, ours->all, ours->rows, ours->allCapacity, &count);
    return grzResult_IsOk(ours->result) && grzResult_IsOk(result) ? digestPairs(ours->all, count) : 0;
}

static bool isMover(const MovingBoxes* scene, size_t place, size_t box) {
    return place < scene->movedCount && scene->moved[place] == box;
}

// All boxes into the tree; or, where there is one for what stands still, each into its own.
static grzResult insertBoxes(OurPairs* ours, grzTreeObject* objects) {
    const MovingBoxes* scene = ours->scene;
    size_t moving = 0, still = 0; // the latter from the end
    for (size_t i = 0; i < scene->count; ++i) {
        const bool isStill = ours->still != NULL && !isMover(scene, moving, i);
        grzTreeObject* object = isStill ? &objects[scene->count - ++still] : &objects[moving++];
        *object = grzDefaultTreeObject();
        object->box = scene->boxes[i];
        object->key = (uint32_t)i;
    }
    const grzResult result = grzTree_InsertMany(ours->tree, objects, moving, ours->ids);
    if (!grzResult_IsOk(result) || ours->still == NULL)
        return result;
    return grzTree_InsertMany(ours->still, objects + moving, still, ours->ids + moving);
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
    grzPairTable_Destroy(ours->table);
    grzTree_Destroy(ours->tree);
    grzTree_Destroy(ours->still);
    Bench_Release(bench, ours->ids, n, sizeof *ours->ids);
    Bench_Release(bench, ours->moving, moved, sizeof *ours->moving);
    Bench_Release(bench, ours->movers, moved, sizeof *ours->movers);
    Bench_Release(bench, ours->boxes, moved, sizeof *ours->boxes);
    Bench_Release(bench, ours->all, ours->allCapacity, sizeof *ours->all);
    Bench_Release(bench, ours->rows, ours->allCapacity, sizeof *ours->rows);
}

static grzResult makeTable(Bench* bench, OurPairs* ours) {
    grzPairTableDef def = grzDefaultPairTableDef();
    def.allocator = bench->allocator;
    return grzPairTable_Create(&def, &ours->table);
}

// False after Bench_Fail; ours is then to be released all the same.
static bool makeOurs(Bench* bench, OurPairs* ours, bool withTable) {
    size_t n = ours->scene->count, moved = ours->scene->movedCount;
    grzTreeDef def = grzDefaultTreeDef();
    grzTreeObject* objects = Bench_Allocate(bench, n, sizeof *objects);
    ours->ids = Bench_Allocate(bench, n, sizeof *ours->ids);
    ours->moving = Bench_Allocate(bench, moved, sizeof *ours->moving);
    ours->movers = Bench_Allocate(bench, moved, sizeof *ours->movers);
    ours->boxes = Bench_Allocate(bench, moved, sizeof *ours->boxes);
    bool isMade = objects != NULL && ours->ids != NULL && ours->moving != NULL && ours->movers != NULL &&
                  ours->boxes != NULL && !failOurs(bench, grzTree_Create(&def, &ours->tree)) &&
                  !(withTable && failOurs(bench, grzTree_Create(&def, &ours->still))) &&
                  !failOurs(bench, grzTreePairs_Create(bench->allocator, &ours->pairs)) &&
                  !failOurs(bench, insertBoxes(ours, objects));
    for (size_t k = 0; isMade && k < moved; ++k) {
        ours->movers[k] = (uint32_t)ours->scene->moved[k];
        ours->moving[k] = ours->ids[withTable ? k : ours->scene->moved[k]];
    }
    isMade = isMade && !(withTable && failOurs(bench, makeTable(bench, ours)));
    Bench_Release(bench, objects, n, sizeof *objects);
    return isMade;
}

// ---- the sides ----

// Us twice (where few move: with a table, and without), the sweep, and three peers.
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
    ours->order = work->isFew ? grz_pairsSorted : grz_pairsInTreeOrder;
    other->order = work->isFew ? grz_pairsInTreeOrder : grz_pairsSorted;
    if (!makeOurs(bench, ours, work->isFew) || !makeOurs(bench, other, false))
        return;
    if (work->isFew) {
        addSide(work, (BenchSide){"graze", NULL, frameTable, digestTable, NULL, ours, NULL}, work->frames);
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
    work.ours.bench = work.other.bench = bench;
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
