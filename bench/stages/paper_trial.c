// What: a trial of Shagam's experiment.
//
// Idea: moves and queries of a chunk of rounds are drawn first; then each variant in turn goes through them. So
// every variant does the same, finds its own tree in the caches as a program with one tree would, and a machine
// that slows down slows all variants down.
//
// Time is the processor's, as Shagam's was: queries differ so much in what they find that only their mean can stand
// beside the working set's, and a mean must not hold what else ran on the machine.
//
// Based on: [Shagam] as in paper_scene.h. We differ: his 1000 rounds are 50 here.
#include "paper_trial.h"

#include <string.h>

#include "bench_machine.h"
#include "graze/tree_query.h"

const PaperVariant paperVariants[paper_variantCount] = {
    {"K-D leafy", grz_nestKd, grz_retainNone},
    {"ternary leafy", grz_nestTernary, grz_retainNone},
    {"octree leafy", grz_nestOctree, grz_retainNone},
    {"icoseptree leafy", grz_nestIcoseptree, grz_retainNone},
    {"K-D linear", grz_nestKd, grz_retainLinear},
    {"ternary linear", grz_nestTernary, grz_retainLinear},
    {"octree linear", grz_nestOctree, grz_retainLinear},
    {"icoseptree linear", grz_nestIcoseptree, grz_retainLinear},
    {"rank linear", grz_nestRank, grz_retainLinear},
    {"per node linear", grz_nestPerNode, grz_retainLinear},
    {"K-D volume", grz_nestKd, grz_retainVolume},
    {"ternary volume", grz_nestTernary, grz_retainVolume},
    {"octree volume", grz_nestOctree, grz_retainVolume},
    {"icoseptree volume", grz_nestIcoseptree, grz_retainVolume},
    {"rank volume", grz_nestRank, grz_retainVolume},
    {"per node volume", grz_nestPerNode, grz_retainVolume},
};

enum {
    movesPerRound = 1000,
    roundsPerChunk = 5,
    usualChunks = 10,
    mostRounds = usualChunks * roundsPerChunk,
};

typedef struct Move {
    uint32_t object;
    grzBox box;
} Move;

typedef struct Round {
    grzBox query;
    Move moves[movesPerRound];
} Round;

// A variant on its way through the rounds.
typedef struct Run {
    grzTree* tree;
    grzTreeId* ids;
    uint64_t digests[mostRounds];
    double querySum, moveSum, workingSum, visibleSum;
    size_t rounds;
} Run;

typedef struct Trial {
    Bench* bench;
    size_t n;
    Sphere* spheres; // where they are after the chunk
    grzRng rng;
    Round* rounds; // of a chunk
    Run* runs;
    grzTreeHits* hits;
} Trial;

static bool isFine(const Trial* trial, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(trial->bench, "paper: %s", grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

// ------------------------------------------------------------------------------------------- before the rounds

static bool insertAll(Trial* trial, Run* run) {
    grzTreeObject* objects = Bench_Allocate(trial->bench, trial->n, sizeof *objects);
    if (objects == NULL)
        return false;
    for (size_t i = 0; i < trial->n; ++i) {
        objects[i] = grzDefaultTreeObject();
        objects[i].box = sphereBox(&trial->spheres[i]);
        objects[i].key = (uint32_t)i;
    }
    bool inserted = isFine(trial, grzTree_InsertMany(run->tree, objects, trial->n, run->ids));
    Bench_Release(trial->bench, objects, trial->n, sizeof *objects);
    return inserted;
}

static bool buildTree(Trial* trial, const PaperVariant* variant, Run* run, PaperResult* result) {
    grzTreeDef def = grzDefaultTreeDef();
    def.nesting = variant->nesting;
    def.retention = variant->retention;
    run->ids = Bench_Allocate(trial->bench, trial->n, sizeof *run->ids);
    if (run->ids == NULL || !isFine(trial, grzTree_Create(&def, &run->tree)) || !insertAll(trial, run))
        return false;
    uint64_t start = benchProcessorTime();
    grzTree_Prepare(run->tree, NULL);
    result->splitTime = (double)(benchProcessorTime() - start);
    result->depth = grzTree_GetStats(run->tree).depth;
    return true;
}

// ---------------------------------------------------------------------------------------------------- a round

// Without an order, as Shagam's visible set has none.
static uint64_t digestKeys(grzTreeHitsView found) {
    uint64_t sum = 0;
    for (size_t i = 0; i < found.count; ++i)
        sum += Bench_Digest(1, &found.keys[i], sizeof found.keys[i]);
    return sum;
}

static bool runRound(Trial* trial, Run* run, const Round* round) {
    grzTreeQuery query = grzMakeBoxQuery(round->query);
    uint64_t start = benchProcessorTime();
    grzResult result = grzTree_Find(run->tree, &query, trial->hits);
    run->querySum += (double)(benchProcessorTime() - start);
    grzTreeQueryStats stats = grzTreeHits_GetStats(trial->hits);
    run->workingSum += (double)(stats.testedCount + stats.untestedCount);
    run->visibleSum += (double)stats.hitCount;
    run->digests[run->rounds] = digestKeys(grzTreeHits_GetView(trial->hits));
    start = benchProcessorTime();
    for (size_t i = 0; i < movesPerRound && grzResult_IsOk(result); ++i)
        result = grzTree_Update(run->tree, run->ids[round->moves[i].object], round->moves[i].box);
    run->moveSum += (double)(benchProcessorTime() - start);
    run->rounds++;
    return isFine(trial, result);
}

static void drawRound(Trial* trial, Round* round) {
    round->query = paperQuery(trial->n, &trial->rng);
    for (size_t i = 0; i < movesPerRound; ++i) {
        uint32_t object = grzRng_Below(&trial->rng, (uint32_t)trial->n);
        moveSphere(&trial->spheres[object], &trial->rng);
        round->moves[i] = (Move){object, sphereBox(&trial->spheres[object])};
    }
}

static bool runChunk(Trial* trial) {
    for (size_t r = 0; r < roundsPerChunk; ++r)
        drawRound(trial, &trial->rounds[r]);
    for (size_t v = 0; v < paper_variantCount; ++v)
        for (size_t r = 0; r < roundsPerChunk; ++r)
            if (!runRound(trial, &trial->runs[v], &trial->rounds[r]))
                return false;
    return true;
}

// ----------------------------------------------------------------------------------------------------- a trial

static void conclude(Trial* trial, PaperResult results[paper_variantCount]) {
    for (size_t v = 0; v < paper_variantCount; ++v) {
        const Run* run = &trial->runs[v];
        size_t size = run->rounds * sizeof run->digests[0];
        double rounds = (double)run->rounds;
        results[v].queryTime = run->querySum / rounds;
        results[v].moveTime = run->moveSum / rounds;
        results[v].workingSet = run->workingSum / rounds;
        results[v].visibleSet = run->visibleSum / rounds;
        results[v].same = memcmp(run->digests, trial->runs[0].digests, size) == 0;
    }
}

static bool runTrial(Trial* trial, PaperResult results[paper_variantCount]) {
    size_t chunks = trial->bench->options->quick ? 1 : usualChunks;
    for (size_t v = 0; v < paper_variantCount; ++v)
        if (!buildTree(trial, &paperVariants[v], &trial->runs[v], &results[v]))
            return false;
    for (size_t chunk = 0; chunk < chunks; ++chunk)
        if (!runChunk(trial))
            return false;
    conclude(trial, results);
    return true;
}

static bool makeTrial(Trial* trial, PaperKind kind) {
    Bench* bench = trial->bench;
    trial->spheres = Bench_Allocate(bench, trial->n, sizeof *trial->spheres);
    trial->rounds = Bench_Allocate(bench, roundsPerChunk, sizeof *trial->rounds);
    trial->runs = Bench_Allocate(bench, paper_variantCount, sizeof *trial->runs);
    if (trial->runs != NULL)
        memset(trial->runs, 0, paper_variantCount * sizeof *trial->runs);
    if (trial->spheres == NULL || trial->rounds == NULL || trial->runs == NULL ||
        !isFine(trial, grzTreeHits_Create(bench->allocator, &trial->hits)))
        return false;
    for (size_t i = 0; i < trial->n; ++i)
        trial->spheres[i] = paperSphere(kind, trial->n, i, &trial->rng);
    return true;
}

static void releaseTrial(Trial* trial) {
    Bench* bench = trial->bench;
    for (size_t v = 0; trial->runs != NULL && v < paper_variantCount; ++v) {
        grzTree_Destroy(trial->runs[v].tree);
        Bench_Release(bench, trial->runs[v].ids, trial->n, sizeof *trial->runs[v].ids);
    }
    grzTreeHits_Destroy(trial->hits);
    Bench_Release(bench, trial->runs, paper_variantCount, sizeof *trial->runs);
    Bench_Release(bench, trial->rounds, roundsPerChunk, sizeof *trial->rounds);
    Bench_Release(bench, trial->spheres, trial->n, sizeof *trial->spheres);
}

bool paperTrial(Bench* bench, PaperKind kind, size_t n, PaperResult results[paper_variantCount]) {
    Trial trial = {.bench = bench, .n = n, .rng = grzRng_Make(11, (uint64_t)kind)};
    benchPin();
    bool done = makeTrial(&trial, kind) && runTrial(&trial, results);
    benchUnpin();
    releaseTrial(&trial);
    return done;
}
