// What: the stage "tritri": pairs of triangles in batches and one by one, beside Möller's scalar test and, among
// the peers, FCL's.
//
// Holds: each side reads the same pairs in the layout that suits it (ours by columns or indices, the others 72
// bytes in a row) and writes whether each meets. Ours is exact; the others round, so they may differ from it in one
// pair of a thousand (none was seen to in 200,000 pairs of each mix). The batch is also compared with the exact
// test of every single pair, and must agree with it in all. Corners are random in a unit cube, B moved at random
// within the reach, which sets how many pairs meet.
#include "bench.h"

#include <string.h>

#include "graze/tri_pairs.h"
#include "moller.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_tri.h"
#endif

enum { mostSides = 4 };

typedef struct TriScene {
    size_t count;
    float* rows;    // 18 a pair
    float* columns; // the same as 18 columns
    uint32_t* triangles;
    grzTrianglePair* pairs;
    grzTriTri* meetings;
    uint8_t* hits[mostSides];
} TriScene;

typedef struct TriSide {
    TriScene* scene;
    uint8_t *hits, *ours;
} TriSide;

// ---- the sides ----

static void runColumns(void* context) {
    const TriSide* side = context;
    grzTriColumns columns = {.count = (uint32_t)side->scene->count};
    for (size_t k = 0; k < 18; ++k)
        columns.at[k] = side->scene->columns + k * side->scene->count;
    grzTriColumns_Classify(NULL, &columns, side->hits);
}

static void runIndexed(void* context) {
    const TriSide* side = context;
    const TriScene* scene = side->scene;
    uint32_t n = (uint32_t)scene->count;
    grzTriSoup soup = {scene->rows, scene->triangles, 6 * n, 2 * n};
    grzTriPairQuery query = {soup, soup, scene->pairs, n, 0};
    grzTriPairs_Classify(NULL, &query, side->hits);
}

static void loadCorners(const float* row, grzVec3 corners[6]) {
    for (int k = 0; k < 6; ++k)
        corners[k] = grzVec3_Load(row + 3 * k);
}

static void runSingly(void* context) {
    const TriSide* side = context;
    for (size_t i = 0; i < side->scene->count; ++i) {
        grzVec3 corners[6];
        loadCorners(side->scene->rows + 18 * i, corners);
        side->hits[i] = (uint8_t)grzTriTri_Classify(&corners[0], &corners[3]);
    }
}

static void runPoints(void* context) {
    const TriSide* side = context;
    for (size_t i = 0; i < side->scene->count; ++i) {
        grzVec3 corners[6];
        loadCorners(side->scene->rows + 18 * i, corners);
        side->hits[i] = (uint8_t)grzTriTri_Intersect(&corners[0], &corners[3], &side->scene->meetings[i]);
    }
}

static void runMoller(void* context) {
    const TriSide* side = context;
    const float* row = side->scene->rows;
    for (size_t i = 0; i < side->scene->count; ++i, row += 18)
        side->hits[i] = benchMoller(row, row + 9);
}

#if defined(GRAZE_PEERS)
static void runFcl(void* context) {
    const TriSide* side = context;
    peerFclTriangles(side->scene->rows, side->scene->count, side->hits);
}
#endif

static void clearHits(void* context) {
    const TriSide* side = context;
    memset(side->hits, 0x77, side->scene->count);
}

static uint64_t digestHits(void* context) {
    const TriSide* side = context;
    return Bench_Digest(0, side->hits, side->scene->count);
}

static size_t countDifferent(const TriSide* side) {
    size_t count = 0;
    for (size_t i = 0; i < side->scene->count; ++i)
        count += (side->hits[i] != 0) != (side->ours[i] != 0) || side->hits[i] > grz_triArea;
    return count;
}

static bool agreesButForRounding(void* context) {
    const TriSide* side = context;
    return countDifferent(side) <= side->scene->count / 1000;
}

// ---- scenes ----

static void setPair(TriScene* scene, size_t i, const grzVec3 corners[6]) {
    for (size_t k = 0; k < 6; ++k) {
        grzVec3_Store(scene->rows + 18 * i + 3 * k, corners[k]);
        scene->triangles[6 * i + k] = (uint32_t)(6 * i + k);
        for (size_t axis = 0; axis < 3; ++axis)
            scene->columns[(3 * k + axis) * scene->count + i] = grzVec3_Get(corners[k], (int)axis);
    }
    scene->pairs[i] = (grzTrianglePair){0, (uint32_t)(2 * i), (uint32_t)(2 * i + 1), 0, 0};
}

static grzVec3 anyPoint(grzRng* rng) {
    return grzVec3_Make(grzRng_Float(rng), grzRng_Float(rng), grzRng_Float(rng));
}

// Pair 0 always meets, so that no outcome is empty.
static void fillRandom(TriScene* scene, float reach) {
    grzRng rng = grzRng_Make(7, 0);
    for (size_t i = 0; i < scene->count; ++i) {
        grzVec3 corners[6];
        grzVec3 move = grzScale(grzSub(grzScale(anyPoint(&rng), 2), grzVec3_Splat(1)), reach);
        for (int k = 0; k < 6; ++k)
            corners[k] = k < 3 ? anyPoint(&rng) : grzAdd(anyPoint(&rng), move);
        if (i == 0)
            corners[3] = corners[0], corners[4] = corners[1];
        setPair(scene, i, corners);
    }
}

// Corners on a lattice of 8 x 8 x 8: some pairs touch, some lie in one plane.
static void fillLattice(TriScene* scene) {
    grzRng rng = grzRng_Make(7, 1);
    for (size_t i = 0; i < scene->count; ++i) {
        grzVec3 corners[6];
        for (int k = 0; k < 6; ++k)
            corners[k] = grzVec3_Make((float)grzRng_Below(&rng, 8), (float)grzRng_Below(&rng, 8),
                                      (float)grzRng_Below(&rng, 8));
        if (i == 0)
            corners[3] = corners[0];
        setPair(scene, i, corners);
    }
}

static void releaseScene(Bench* bench, TriScene* scene) {
    size_t n = scene->count;
    Bench_Release(bench, scene->rows, 18 * n, sizeof *scene->rows);
    Bench_Release(bench, scene->columns, 18 * n, sizeof *scene->columns);
    Bench_Release(bench, scene->triangles, 6 * n, sizeof *scene->triangles);
    Bench_Release(bench, scene->pairs, n, sizeof *scene->pairs);
    Bench_Release(bench, scene->meetings, n, sizeof *scene->meetings);
    for (size_t s = 0; s < mostSides; ++s)
        Bench_Release(bench, scene->hits[s], n, 1);
}

static bool makeScene(Bench* bench, TriScene* scene) {
    size_t n = Bench_Size(bench, 8192, 1000);
    *scene = (TriScene){.count = n};
    scene->rows = Bench_Allocate(bench, 18 * n, sizeof *scene->rows);
    scene->columns = Bench_Allocate(bench, 18 * n, sizeof *scene->columns);
    scene->triangles = Bench_Allocate(bench, 6 * n, sizeof *scene->triangles);
    scene->pairs = Bench_Allocate(bench, n, sizeof *scene->pairs);
    scene->meetings = Bench_Allocate(bench, n, sizeof *scene->meetings);
    bool isMade = scene->rows != NULL && scene->columns != NULL && scene->triangles != NULL &&
                  scene->pairs != NULL && scene->meetings != NULL;
    for (size_t s = 0; s < mostSides && isMade; ++s)
        isMade = (scene->hits[s] = Bench_Allocate(bench, n, 1)) != NULL;
    if (!isMade)
        releaseScene(bench, scene);
    return isMade;
}

// ---- the cases ----

typedef struct TriWork {
    TriSide contexts[mostSides];
    BenchSide sides[mostSides];
    size_t count;
} TriWork;

static void addSide(TriWork* work, TriScene* scene, const char* name, BenchRunFn* run, bool isExact) {
    size_t s = work->count++;
    work->contexts[s] = (TriSide){scene, scene->hits[s], scene->hits[0]};
    work->sides[s] = (BenchSide){
        name, NULL, run, digestHits, isExact ? NULL : agreesButForRounding, &work->contexts[s], clearHits};
}

static void measureWork(Bench* bench, const TriScene* scene, const TriWork* work, const char* variant,
                        const char* metric) {
    BenchJob job = {.variant = variant,
                    .metric = metric,
                    .unit = "ns/pair",
                    .amount = (double)scene->count,
                    .n = scene->count,
                    .workers = 1,
                    .sides = work->sides,
                    .sideCount = work->count};
    Bench_Measure(bench, &job);
}

static void measureRandom(Bench* bench, BenchRunFn* ours) {
    static const struct {
        const char* name;
        float reach;
    } mixes[] = {{"few meet", 2.1f}, {"some meet", 0.65f}, {"many meet", 0}};
    TriScene scene;
    if (!makeScene(bench, &scene))
        return;
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; ++i) {
        TriWork work = {.count = 0};
        fillRandom(&scene, mixes[i].reach);
        addSide(&work, &scene, "graze", ours, true);
        addSide(&work, &scene, "graze, one by one", runSingly, true);
        addSide(&work, &scene, "Moeller, scalar", runMoller, false);
#if defined(GRAZE_PEERS)
        if (Bench_WantsPeers(bench))
            addSide(&work, &scene, "FCL, float", runFcl, false);
#endif
        measureWork(bench, &scene, &work, mixes[i].name, "classify");
        runSingly(&work.contexts[0]);
        BenchCounter hits = {.variant = mixes[i].name,
                             .metric = "pairs that meet",
                             .unit = "%",
                             .n = scene.count,
                             .workers = 1,
                             .same = true};
        for (size_t k = 0; k < scene.count; ++k)
            hits.value += scene.hits[0][k] != grz_triNone;
        hits.value *= 100.0 / (double)scene.count;
        Bench_Count(bench, &hits);
    }
    releaseScene(bench, &scene);
}

static void columnsCase(Bench* bench) {
    measureRandom(bench, runColumns);
}

static void indexedCase(Bench* bench) {
    measureRandom(bench, runIndexed);
}

static void latticeCase(Bench* bench) {
    TriScene scene;
    TriWork work = {.count = 0};
    if (!makeScene(bench, &scene))
        return;
    fillLattice(&scene);
    addSide(&work, &scene, "graze", runColumns, true);
    addSide(&work, &scene, "graze, one by one", runSingly, true);
    measureWork(bench, &scene, &work, "lattice", "classify");
    releaseScene(bench, &scene);
}

static void pointsCase(Bench* bench) {
    TriScene scene;
    TriWork work = {.count = 0};
    if (!makeScene(bench, &scene))
        return;
    fillRandom(&scene, 0);
    addSide(&work, &scene, "graze, with points", runPoints, true);
    addSide(&work, &scene, "graze, one by one", runSingly, true);
    measureWork(bench, &scene, &work, "many meet", "intersect");
    releaseScene(bench, &scene);
}

static const BenchCase cases[] = {
    {"columns", "pairs as columns", columnsCase, bench_usesN | bench_usesPeers},
    {"indexed", "pairs by index over vertices", indexedCase, bench_usesN | bench_usesPeers},
    {"lattice", "pairs that touch and share planes", latticeCase, bench_usesN},
    {"points", "kind, points and features", pointsCase, bench_usesN},
};

const BenchStage benchTritri = {"tritri", "triangle against triangle", cases, sizeof cases / sizeof cases[0]};
