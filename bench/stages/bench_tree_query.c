// What: the case "queries" of the stage "tree": boxes, rays and view volumes in the scene of the stage "pairs",
// beside a plain scan of all boxes and, among the peers, the trees of Bullet and Embree.
//
// Holds: a run is a batch of queries at random places, answered one at a time; every side lists the keys of all
// hits. Box queries are exact everywhere. Rays and volumes round, each side in its own way, so there the lists may
// differ by BORDER of their length; the scan of rays computes in doubles. Of the closest hits the distances are
// compared.
#include "bench_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "graze/tree_query.h"
#include "moving_boxes.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_tree.h"
#endif

#define BORDER     1e-4
#define RAY_LENGTH 500.0f
#define VIEW_NEAR  1.0f
#define VIEW_FAR   300.0f

enum { batch = 64, viewPlanes = 6 };

typedef struct KeyList {
    GRZ_ARRAY(uint32_t);
} KeyList;

// The keys that a side found, query after query; each query's in rising order once it was compared.
typedef struct Found {
    KeyList keys;
    size_t starts[batch + 1];
} Found;

typedef struct QueryWork {
    Bench* bench;
    MovingBoxes scene;
    grzTree* tree;
    grzTreeHits* hits;
    grzTreeQuery queries[batch];
    grzHalfSpace planes[batch][viewPlanes];
    Found ours, theirs;
    grzResult result;
    bool isExact;
} QueryWork;

// --------------------------------------------------------------------------------------------------- outcomes

static void pushKey(QueryWork* work, Found* found, uint32_t key) {
    if (grzArray_Reserve(&found->keys, &work->bench->allocator, found->keys.count + 1))
        found->keys.data[found->keys.count++] = key;
    else
        Bench_Fail(work->bench, "queries: no memory for %zu keys", found->keys.count + 1);
}

static int compareKeys(const void* a, const void* b) {
    uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

static void sortFound(Found* found) {
    for (size_t q = 0; q < batch; ++q)
        if (found->starts[q + 1] > found->starts[q])
            qsort(found->keys.data + found->starts[q], found->starts[q + 1] - found->starts[q], sizeof(uint32_t),
                  compareKeys);
}

static uint64_t digestFound(const Found* found) {
    uint64_t digest = Bench_Digest(0, found->starts, sizeof found->starts);
    return found->keys.count == 0 ? digest
                                  : Bench_Digest(digest, found->keys.data, found->keys.count * sizeof(uint32_t));
}

// How many keys are in one of two sorted lists and not in the other.
static size_t countDifferent(const uint32_t* a, const uint32_t* aEnd, const uint32_t* b, const uint32_t* bEnd) {
    size_t different = 0;
    while (a != aEnd && b != bEnd) {
        different += *a != *b;
        if (*a == *b)
            ++a, ++b;
        else if (*a < *b)
            ++a;
        else
            ++b;
    }
    return different + (size_t)(aEnd - a) + (size_t)(bEnd - b);
}

// The least t in 0 .. reach at which the ray is in the box, or -1.
static double enterBox(const grzTreeQuery* ray, grzBox box) {
    const float *lower = &box.lower.x, *upper = &box.upper.x, *origin = &ray->point.x, *way = &ray->direction.x;
    double enter = 0, leave = (double)ray->reach;
    for (int axis = 0; axis < 3; ++axis) {
        double t0 = ((double)lower[axis] - (double)origin[axis]) / (double)way[axis];
        double t1 = ((double)upper[axis] - (double)origin[axis]) / (double)way[axis];
        enter = fmax(enter, fmin(t0, t1));
        leave = fmin(leave, fmax(t0, t1));
    }
    return enter <= leave ? enter : -1;
}

// Where the first hit of a query is; -1 without one.
static double entryOf(const QueryWork* work, const Found* found, size_t query) {
    if (found->starts[query] == found->starts[query + 1])
        return -1;
    return enterBox(&work->queries[query], work->scene.boxes[found->keys.data[found->starts[query]]]);
}

// Of rays that start in several boxes any of these is the closest.
static bool closestAgree(const QueryWork* work) {
    for (size_t q = 0; q < batch; ++q) {
        double ours = entryOf(work, &work->ours, q), theirs = entryOf(work, &work->theirs, q);
        if (!(fabs(ours - theirs) <= BORDER * fmax(1, ours)))
            return false;
    }
    return true;
}

static bool agree(void* context) {
    const QueryWork* work = context;
    const uint32_t *ours = work->ours.keys.data, *theirs = work->theirs.keys.data;
    size_t different = 0;
    if (work->queries[0].pick == grz_pickClosest)
        return closestAgree(work);
    for (size_t q = 0; q < batch; ++q)
        different += countDifferent(ours + work->ours.starts[q], ours + work->ours.starts[q + 1],
                                    theirs + work->theirs.starts[q], theirs + work->theirs.starts[q + 1]);
    return work->isExact ? different == 0 : (double)different <= 2 + BORDER * (double)work->ours.keys.count;
}

static void clearFound(Found* found) {
    found->keys.count = 0;
    memset(found->starts, 0, sizeof found->starts);
}

static void clearOurs(void* context) {
    clearFound(&((QueryWork*)context)->ours);
}

static void clearTheirs(void* context) {
    clearFound(&((QueryWork*)context)->theirs);
}

static uint64_t digestOurs(void* context) {
    QueryWork* work = context;
    sortFound(&work->ours);
    return grzResult_IsOk(work->result) ? digestFound(&work->ours) : 0;
}

static uint64_t digestTheirs(void* context) {
    QueryWork* work = context;
    sortFound(&work->theirs);
    return digestFound(&work->theirs);
}

// ------------------------------------------------------------------------------------------------------- sides

// A host would use the view in place; we keep copies, as all sides do.
static void runOurs(void* context) {
    QueryWork* work = context;
    work->ours.keys.count = 0;
    work->result.status = grz_ok;
    for (size_t q = 0; q < batch && grzResult_IsOk(work->result); ++q) {
        work->ours.starts[q] = work->ours.keys.count;
        work->result = grzTree_Find(work->tree, &work->queries[q], work->hits);
        grzTreeHitsView view = grzTreeHits_GetView(work->hits);
        size_t count = work->ours.keys.count + view.count;
        if (!grzArray_Reserve(&work->ours.keys, &work->bench->allocator, count)) {
            Bench_Fail(work->bench, "queries: no memory for %zu keys", count);
            return;
        }
        if (view.count != 0)
            memcpy(work->ours.keys.data + work->ours.keys.count, view.keys, view.count * sizeof *view.keys);
        work->ours.keys.count = count;
    }
    work->ours.starts[batch] = work->ours.keys.count;
}

// Whether the box lies outside of none of the planes.
static bool isInVolume(const grzTreeQuery* query, grzBox box) {
    for (uint32_t k = 0; k < query->halfSpaceCount; ++k) {
        grzVec3 n = query->halfSpaces[k].normal;
        grzVec3 deepest = grzVec3_Make(n.x > 0 ? box.lower.x : box.upper.x, n.y > 0 ? box.lower.y : box.upper.y,
                                       n.z > 0 ? box.lower.z : box.upper.z);
        if (grzDot(n, deepest) > query->halfSpaces[k].offset)
            return false;
    }
    return true;
}

static bool isHit(const grzTreeQuery* query, grzBox box) {
    if (query->kind == grz_queryBox)
        return grzBox_Overlap(query->box, box);
    return query->kind == grz_queryRay ? enterBox(query, box) >= 0 : isInVolume(query, box);
}

static void scanClosest(QueryWork* work, const grzTreeQuery* query) {
    double least = (double)INFINITY;
    uint32_t closest = 0;
    for (size_t i = 0; i < work->scene.count; ++i) {
        double t = enterBox(query, work->scene.boxes[i]);
        if (t >= 0 && t < least)
            least = t, closest = (uint32_t)i;
    }
    if (least < (double)INFINITY)
        pushKey(work, &work->theirs, closest);
}

static void runScan(void* context) {
    QueryWork* work = context;
    work->theirs.keys.count = 0;
    for (size_t q = 0; q < batch; ++q) {
        const grzTreeQuery* query = &work->queries[q];
        work->theirs.starts[q] = work->theirs.keys.count;
        if (query->pick == grz_pickClosest)
            scanClosest(work, query);
        else
            for (size_t i = 0; i < work->scene.count; ++i)
                if (isHit(query, work->scene.boxes[i]))
                    pushKey(work, &work->theirs, (uint32_t)i);
    }
    work->theirs.starts[batch] = work->theirs.keys.count;
}

#if defined(GRAZE_PEERS)
typedef void AskFn(void* tree, const grzTreeQuery* queries, size_t count);

typedef struct PeerSide {
    QueryWork* work;
    const PeerTree* peer;
    void* tree;
    AskFn* ask; // NULL: it has no such query
    bool wasAsked;
} PeerSide;

static AskFn* askOf(const PeerTree* peer, const grzTreeQuery* query) {
    if (query->kind == grz_queryBox)
        return peer->boxes;
    if (query->kind == grz_queryVolume)
        return peer->volumes;
    return query->pick == grz_pickAll ? peer->rays : peer->closest;
}

static void runPeer(void* context) {
    PeerSide* side = context;
    side->ask(side->tree, side->work->queries, batch);
    side->wasAsked = true;
}

static void clearPeer(void* context) {
    PeerSide* side = context;
    side->wasAsked = false;
    clearFound(&side->work->theirs);
}

// Takes their lists over, outside the clock.
static uint64_t digestPeer(void* context) {
    PeerSide* side = context;
    if (!side->wasAsked)
        return digestTheirs(side->work);
    PeerHits hits = side->peer->hits(side->tree);
    side->work->theirs.keys.count = 0;
    memcpy(side->work->theirs.starts, hits.starts, sizeof side->work->theirs.starts);
    for (size_t i = 0; i < hits.starts[batch]; ++i)
        pushKey(side->work, &side->work->theirs, hits.keys[i]);
    return digestTheirs(side->work);
}

static bool peerAgrees(void* context) {
    return agree(((PeerSide*)context)->work);
}
#endif

// ----------------------------------------------------------------------------------------------------- queries

static grzVec3 randomVector(grzRng* rng, float side) {
    float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzVec3_Make(side * x, side * y, side * z);
}

static grzVec3 randomDirection(grzRng* rng) {
    for (;;) {
        grzVec3 p = grzSub(randomVector(rng, 2), grzVec3_Splat(1));
        if (grzDot(p, p) > 0.01f && grzDot(p, p) <= 1)
            return grzNormalize(p);
    }
}

static void makeBoxes(QueryWork* work, grzRng* rng, float side) {
    work->isExact = true;
    for (size_t q = 0; q < batch; ++q) {
        grzVec3 lower = randomVector(rng, fmaxf(work->scene.side - side, 0));
        work->queries[q] = grzMakeBoxQuery(grzBox_Make(lower, grzAdd(lower, grzVec3_Splat(side))));
    }
}

static void makeSmallBoxes(QueryWork* work, grzRng* rng) {
    makeBoxes(work, rng, 35);
}

static void makeLargeBoxes(QueryWork* work, grzRng* rng) {
    makeBoxes(work, rng, 100);
}

static void makeRays(QueryWork* work, grzRng* rng, grzQueryPick pick) {
    work->isExact = false;
    for (size_t q = 0; q < batch; ++q) {
        grzVec3 origin = randomVector(rng, work->scene.side);
        work->queries[q] = grzMakeRayQuery(origin, randomDirection(rng), RAY_LENGTH, pick);
        if (pick == grz_pickAll)
            work->queries[q].order = grz_treeOrder; // no peer sorts
    }
}

static void makeAllRays(QueryWork* work, grzRng* rng) {
    makeRays(work, rng, grz_pickAll);
}

static void makeClosestRays(QueryWork* work, grzRng* rng) {
    makeRays(work, rng, grz_pickClosest);
}

static grzHalfSpace halfSpace(grzVec3 normal, grzVec3 point) {
    grzHalfSpace space = {normal, grzDot(normal, point)};
    return space;
}

// What a camera with an opening of 60 degrees both ways sees.
static void makeViews(QueryWork* work, grzRng* rng) {
    const float cosine = 0.8660254f, sine = 0.5f; // of half the opening
    work->isExact = false;
    for (size_t q = 0; q < batch; ++q) {
        grzVec3 eye = randomVector(rng, work->scene.side), ahead = randomDirection(rng);
        grzVec3 right = grzNormalize(grzPerpendicular(ahead)), up = grzCross(right, ahead);
        grzVec3 back = grzScale(ahead, -sine);
        grzHalfSpace* planes = work->planes[q];
        planes[0] = halfSpace(grzNeg(ahead), grzAdd(eye, grzScale(ahead, VIEW_NEAR)));
        planes[1] = halfSpace(ahead, grzAdd(eye, grzScale(ahead, VIEW_FAR)));
        planes[2] = halfSpace(grzAdd(back, grzScale(right, cosine)), eye);
        planes[3] = halfSpace(grzAdd(back, grzScale(right, -cosine)), eye);
        planes[4] = halfSpace(grzAdd(back, grzScale(up, cosine)), eye);
        planes[5] = halfSpace(grzAdd(back, grzScale(up, -cosine)), eye);
        work->queries[q] = grzMakeVolumeQuery(planes, viewPlanes);
    }
}

// -------------------------------------------------------------------------------------------------------- case

typedef struct QueryKind {
    const char* name;
    void (*make)(QueryWork* work, grzRng* rng);
} QueryKind;

static const QueryKind kinds[] = {{"box-35", makeSmallBoxes},
                                  {"box-100", makeLargeBoxes},
                                  {"ray-closest", makeClosestRays},
                                  {"ray-all", makeAllRays},
                                  {"view", makeViews}};

enum { kindCount = sizeof kinds / sizeof kinds[0], peerCount = 2 };

// The peers' sides that can answer, after `count` sides of ours.
static size_t addPeers(QueryWork* work, BenchSide* sides, size_t count, void* peers) {
#if defined(GRAZE_PEERS)
    PeerSide* peerSides = peers;
    for (size_t i = 0; peerSides != NULL && i < peerCount; ++i) {
        peerSides[i].ask = askOf(peerSides[i].peer, &work->queries[0]);
        if (peerSides[i].ask != NULL)
            sides[count++] = (BenchSide){peerSides[i].peer->name, NULL,     runPeer, digestPeer, peerAgrees,
                                         &peerSides[i],           clearPeer};
    }
#else
    (void)work, (void)sides, (void)peers;
#endif
    return count;
}

static void measureKind(QueryWork* work, const QueryKind* kind, void* peers) {
    grzRng rng = grzRng_Make(5, 1);
    kind->make(work, &rng);
    BenchSide sides[2 + peerCount] = {{"graze", NULL, runOurs, digestOurs, NULL, work, clearOurs},
                                      {"plain scan", NULL, runScan, digestTheirs, agree, work, clearTheirs}};
    BenchJob job = {.variant = kind->name,
                    .metric = "query",
                    .unit = "ns/query",
                    .amount = batch,
                    .n = work->scene.count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = addPeers(work, sides, 2, peers)};
    Bench_Measure(work->bench, &job);
    Bench_Count(work->bench, &(BenchCounter){.variant = kind->name,
                                             .metric = "hits",
                                             .unit = "hits/query",
                                             .value = (double)work->ours.keys.count / batch,
                                             .n = work->scene.count,
                                             .workers = 1,
                                             .same = true});
}

static bool isFine(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "queries: %s", grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

static void measureKinds(QueryWork* work) {
    void* peers = NULL;
#if defined(GRAZE_PEERS)
    PeerSide peerSides[peerCount] = {{.work = work, .peer = &peerBulletTree},
                                     {.work = work, .peer = &peerEmbreeTree}};
    if (work->bench->options->peers) {
        peers = peerSides;
        for (size_t i = 0; i < peerCount; ++i) {
            peerSides[i].tree = peerSides[i].peer->create(work->scene.boxes, work->scene.count);
            if (peerSides[i].peer->tune != NULL)
                peerSides[i].peer->tune(peerSides[i].tree);
        }
    }
#endif
    for (size_t k = 0; k < kindCount && !work->bench->failed; ++k)
        measureKind(work, &kinds[k], peers);
#if defined(GRAZE_PEERS)
    for (size_t i = 0; peers != NULL && i < peerCount; ++i)
        peerSides[i].peer->destroy(peerSides[i].tree);
#endif
}

void benchTreeQueries(Bench* bench) {
    QueryWork* work = Bench_Allocate(bench, 1, sizeof *work);
    if (work == NULL)
        return;
    memset(work, 0, sizeof *work);
    work->bench = bench;
    if (MovingBoxes_Make(bench, Bench_Size(bench, 100000, 2000), 1, &work->scene) &&
        isFine(bench, grzTreeHits_Create(bench->allocator, &work->hits)) &&
        (work->tree = benchTreeOfBoxes(bench, &work->scene, NULL)) != NULL)
        measureKinds(work);
    grzTree_Destroy(work->tree);
    grzTreeHits_Destroy(work->hits);
    MovingBoxes_Release(bench, &work->scene);
    grzArray_Release(&work->ours.keys, &bench->allocator);
    grzArray_Release(&work->theirs.keys, &bench->allocator);
    Bench_Release(bench, work, 1, sizeof *work);
}
