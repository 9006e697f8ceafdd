// What: see model_differences.h.
// Holds: "exact" is the single test of two triangles, in A's frame with B's vertices as graze/model_pair.h brings them there:
// what our answers are defined by. A peer computes another frame by roundings of its own, so a pair that touches by less than
// these may be right for its floats; a pair of triangles that are apart by more is found by an epsilon.
#include "model_differences.h"

#include <stdlib.h>
#include <string.h>

#include "graze/tri_tri.h"
#include "model_relation.h"
#if defined(GRAZE_PEERS)
#    include "peer_models.h"
#endif

enum { NAMED_PAIRS = 6 };

// Sums over the queries.
typedef struct Tally {
    const char* name;
    size_t pairs;
    size_t onlyOurs, onlyTheirs;
    size_t oursMeet, theirsMeet; // of those, by the exact test
    size_t named;
} Tally;

typedef struct Keys {
    uint64_t* data; // sorted, each once
    size_t count, capacity;
} Keys;

// ---- the exact test ----

static void takeCorners(const ModelScene* scene, uint32_t triangle, grzVec3 corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzVec3_Load(scene->positions + 3 * (size_t)scene->triangles[3 * (size_t)triangle + k]);
}

static grzVec3 bring(const ModelFrame* frame, grzVec3 p) {
    float out[3];
    for (int i = 0; i < 3; ++i)
        out[i] = (frame->columns[0][i] * p.x + frame->columns[1][i] * p.y) +
                 (frame->columns[2][i] * p.z + frame->origin[i]);
    return grzVec3_Load(out);
}

static bool meetExactly(const ModelScene* scene, const ModelRelation* relation, uint64_t key) {
    grzVec3 a[3], b[3];
    takeCorners(scene, (uint32_t)(key >> 32), a);
    takeCorners(scene, (uint32_t)key, b);
    for (int k = 0; k < 3; ++k)
        b[k] = bring(&relation->into[0], b[k]);
    return grzTriTri_Classify(a, b) != grz_triNone;
}

// ---- both sides ----

static bool makeRoom(Bench* bench, Keys* keys, size_t count) {
    if (count <= keys->capacity)
        return true;
    Bench_Release(bench, keys->data, keys->capacity, sizeof *keys->data);
    keys->capacity = 0;
    keys->data = Bench_Allocate(bench, 2 * count, sizeof *keys->data);
    keys->capacity = keys->data != NULL ? 2 * count : 0;
    return keys->data != NULL;
}

static bool findOurs(Bench* bench, grzModelPairs* pairs, const grzModelQuery* query, Keys* ours) {
    if (!grzResult_IsOk(grzModelPairs_Find(pairs, query))) {
        Bench_Fail(bench, "models: a query was refused");
        return false;
    }
    const grzModelPairsView view = grzModelPairs_GetView(pairs);
    if (!makeRoom(bench, ours, view.count))
        return false;
    for (size_t i = 0; i < view.count; ++i)
        ours->data[i] = (uint64_t)view.pairs[i].triangleA << 32 | view.pairs[i].triangleB;
    ours->count = view.count;
    return true;
}

#if defined(GRAZE_PEERS)
static int compareKeys(const void* a, const void* b) {
    const uint64_t p = *(const uint64_t*)a, q = *(const uint64_t*)b;
    return (p > q) - (p < q);
}

static bool findTheirs(Bench* bench, const PeerModels* peer, void* made, const grzModelQuery* query, Keys* theirs) {
    size_t count;
    const grzBodyPair* pairs = peer->find(made, &query->poseA, &query->poseB, &count);
    if (!makeRoom(bench, theirs, count))
        return false;
    for (size_t i = 0; i < count; ++i)
        theirs->data[i] = (uint64_t)pairs[i].a << 32 | pairs[i].b;
    if (count > 1)
        qsort(theirs->data, count, sizeof *theirs->data, compareKeys);
    theirs->count = 0;
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || theirs->data[i] != theirs->data[theirs->count - 1])
            theirs->data[theirs->count++] = theirs->data[i];
    return true;
}
#endif

static void name(Bench* bench, Tally* tally, size_t query, uint64_t key, const char* side, bool meets) {
    if (tally->named++ < NAMED_PAIRS)
        fprintf(bench->out, "  query %zu, triangles %u and %u: only %s; exactly they %s\n", query,
                (unsigned)(key >> 32), (unsigned)key, side, meets ? "meet" : "do not meet");
}

// A walk through both sorted lists.
static void compareKeysOf(Bench* bench, const ModelScene* scene, size_t query, const Keys* ours, const Keys* theirs,
                          Tally* tally) {
    ModelRelation relation;
    if (!grzResult_IsOk(grzModelRelation_Make(&relation, &scene->queries[query])))
        return;
    for (size_t i = 0, k = 0; i < ours->count || k < theirs->count;) {
        const bool isOurs = i < ours->count && (k == theirs->count || ours->data[i] <= theirs->data[k]);
        const bool isTheirs = k < theirs->count && (i == ours->count || theirs->data[k] <= ours->data[i]);
        const uint64_t key = isOurs ? ours->data[i] : theirs->data[k];
        i += isOurs, k += isTheirs;
        if (isOurs && isTheirs)
            continue;
        const bool meets = meetExactly(scene, &relation, key);
        tally->onlyOurs += isOurs, tally->onlyTheirs += isTheirs;
        tally->oursMeet += isOurs && meets, tally->theirsMeet += isTheirs && meets;
        if (theirs->count != 0)
            name(bench, tally, query, key, isOurs ? "ours" : tally->name, meets);
    }
    tally->pairs += theirs->count;
}

// ---- the table ----

static void note(Bench* bench, const ModelScene* scene, const char* side, const char* metric, size_t value) {
    Bench_Note(bench, &(BenchCounter){.variant = side,
                                      .metric = metric,
                                      .unit = "pairs",
                                      .value = (double)value,
                                      .n = scene->triangleCount,
                                      .workers = 1,
                                      .same = true});
}

static void printTally(Bench* bench, const ModelScene* scene, const Tally* tally) {
    fprintf(bench->out, "%-24s %-10s %12zu %12zu %12zu %12zu %12zu\n", scene->name, tally->name, tally->pairs,
            tally->onlyOurs, tally->oursMeet, tally->onlyTheirs, tally->onlyTheirs - tally->theirsMeet);
    note(bench, scene, tally->name, "pairs", tally->pairs);
    note(bench, scene, tally->name, "only-ours", tally->onlyOurs);
    note(bench, scene, tally->name, "only-theirs", tally->onlyTheirs);
    if (tally->oursMeet != tally->onlyOurs || tally->theirsMeet != 0)
        Bench_Fail(bench, "%s: a pair is not what the exact test says", scene->name);
}

static void printHead(Bench* bench) {
    fprintf(bench->out, "\n%-24s %-10s %12s %12s %12s %12s %12s\n", "mesh", "side", "pairs", "only ours",
            "they meet", "only theirs", "they do not");
}

// All of our pairs against the exact test; those that we miss are the tests' affair.
static void reportOurs(Bench* bench, const ModelScene* scene, grzModelPairs* pairs) {
    Tally tally = {.name = "graze"};
    const Keys none = {NULL, 0, 0};
    Keys ours = none;
    for (size_t i = 0; i < scene->queryCount && findOurs(bench, pairs, &scene->queries[i], &ours); ++i) {
        compareKeysOf(bench, scene, i, &ours, &none, &tally);
        tally.pairs += ours.count;
    }
    printTally(bench, scene, &tally);
    Bench_Release(bench, ours.data, ours.capacity, sizeof *ours.data);
}

#if defined(GRAZE_PEERS)
static void reportPeer(Bench* bench, const ModelScene* scene, grzModelPairs* pairs, const PeerModels* peer) {
    const PeerMesh mesh = {scene->positions, scene->triangles, scene->vertexCount, scene->triangleCount};
    void* made = peer->create(&mesh);
    Tally tally = {.name = peer->name};
    Keys ours = {NULL, 0, 0}, theirs = {NULL, 0, 0};
    for (size_t i = 0; i < scene->queryCount && findOurs(bench, pairs, &scene->queries[i], &ours); ++i)
        if (findTheirs(bench, peer, made, &scene->queries[i], &theirs))
            compareKeysOf(bench, scene, i, &ours, &theirs, &tally);
    printTally(bench, scene, &tally);
    Bench_Release(bench, ours.data, ours.capacity, sizeof *ours.data);
    Bench_Release(bench, theirs.data, theirs.capacity, sizeof *theirs.data);
    peer->destroy(made);
}
#endif

void ModelScene_Differ(Bench* bench, const ModelScene* scene) {
    grzModelPairs* pairs;
    if (!grzResult_IsOk(grzModelPairs_Create(bench->allocator, &pairs))) {
        Bench_Fail(bench, "models: no memory");
        return;
    }
    printHead(bench);
    reportOurs(bench, scene, pairs);
#if defined(GRAZE_PEERS)
    const PeerModels* const peers[] = {
#    if defined(GRAZE_OPCODE)
        &peerOpcodeModels,
#    endif
        &peerFclModels,
    };
    for (size_t i = 0; i < sizeof peers / sizeof peers[0] && Bench_WantsPeers(bench); ++i)
        reportPeer(bench, scene, pairs, peers[i]);
#endif
    grzModelPairs_Destroy(pairs);
}
