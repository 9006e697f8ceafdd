// What: see pipeline_front_run.h.
// Holds: the refit is of positions that lie ready, those of the keyframe ahead. Objects are made for each run, since a front does not go
//   back in time. Their memory is that of the run before, so the median run touches none first.
#include "pipeline_front_run.h"

#include "bench_machine.h"
#include "bench_stats.h"

typedef struct FrontRun {
    const FrontScene* scene;
    FrontWay way;
    size_t perInterval;
    grzKineticTree* trees[2];
    grzPairFront* front;
    grzBoxPairs* pairs;
    grzBvhNode* nodes[2];
    grzResult result; // the first refusal
} FrontRun;

enum { mostRepeats = 3 };

// ---- a run ----

static bool hasFront(FrontWay way) {
    return way == way_front || way == way_culled;
}

static bool keep(FrontRun* run, grzResult result) {
    run->result = grzResult_IsOk(run->result) ? result : run->result;
    return grzResult_IsOk(run->result);
}

static void makeRun(Bench* bench, const FrontScene* scene, FrontWay way, size_t perInterval, FrontRun* run) {
    *run = (FrontRun){.scene = scene, .way = way, .perInterval = perInterval};
    grzBoxPairsDef pairsDef = grzDefaultBoxPairsDef();
    pairsDef.keepsFront = false; // the plain traversal
    keep(run, grzBoxPairs_Create(&pairsDef, &run->pairs));
    for (size_t k = 0; k < scene->moverCount; ++k) {
        const KineticScene* mover = &scene->movers[k];
        grzKineticTreeDef def = grzDefaultKineticTreeDef();
        def.bvh = mover->bvh, def.plan = mover->plan, def.numbering = grz_bvhTreesNumbers;
        if (way != way_refit)
            keep(run, grzKineticTree_Create(&def, &run->trees[k]));
        run->nodes[k] = Bench_Allocate(bench, grzBvh_GetView(mover->bvh).nodeCount, sizeof(grzBvhNode));
    }
    if (hasFront(way) && grzResult_IsOk(run->result)) {
        grzPairFrontDef def = grzDefaultPairFrontDef();
        def.treeA = run->trees[0], def.treeB = run->trees[1], def.cullsSelf = way == way_culled;
        keep(run, grzPairFront_Create(&def, &run->front));
    }
}

static void dropRun(Bench* bench, FrontRun* run) {
    grzPairFront_Destroy(run->front);
    grzBoxPairs_Destroy(run->pairs);
    for (size_t k = 0; k < run->scene->moverCount; ++k) {
        grzKineticTree_Destroy(run->trees[k]);
        Bench_Release(bench, run->nodes[k], grzBvh_GetView(run->scene->movers[k].bvh).nodeCount,
                      sizeof(grzBvhNode));
    }
}

static void findPairs(FrontRun* run, const grzSelfCull* cull) {
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = (grzBoxSet){run->scene->movers[0].bvh, run->nodes[0]}, query.cull = cull;
    if (run->scene->moverCount == 2)
        query.b = (grzBoxSet){run->scene->movers[1].bvh, run->nodes[1]};
    keep(run, grzBoxPairs_Find(run->pairs, NULL, &query));
}

static void runFrame(FrontRun* run, size_t frame) {
    const double time = (double)frame / (double)run->perInterval;
    if (hasFront(run->way)) {
        keep(run, grzPairFront_Advance(run->front, NULL, time));
        return;
    }
    for (size_t k = 0; k < run->scene->moverCount; ++k) {
        const KineticScene* mover = &run->scene->movers[k];
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = KineticScene_Frame(mover, (frame + run->perInterval - 1) / run->perInterval);
        if (run->way == way_refit)
            keep(run, grzBvh_Refit(mover->bvh, NULL, &refit, run->nodes[k]));
        else
            keep(run, grzKineticTree_Advance(run->trees[k], NULL, time));
        if (run->way == way_trees)
            keep(run, grzKineticTree_WriteBoxes(run->trees[k], NULL, run->nodes[k]));
    }
    if (run->way != way_updates)
        findPairs(run, NULL);
}

static size_t frameCountOf(const FrontRun* run) {
    return (run->scene->movers[0].frameCount - 1) * run->perInterval;
}

static double timeRun(FrontRun* run) {
    const size_t frames = frameCountOf(run);
    const uint64_t start = benchProcessorTime();
    for (size_t k = 1; k <= frames && grzResult_IsOk(run->result); ++k)
        runFrame(run, k);
    return (double)(benchProcessorTime() - start);
}

// Of the front's pairs, or of those that were searched.
static uint64_t digestOf(const FrontRun* run, bool isOfFront) {
    if (isOfFront) {
        const grzPairFrontView view = grzPairFront_GetView(run->front);
        return Bench_Digest(view.pairCount, view.pairs, view.pairCount * sizeof *view.pairs);
    }
    const grzBoxPairsView view = grzBoxPairs_GetView(run->pairs);
    return Bench_Digest(view.count, view.pairs, view.count * sizeof *view.pairs);
}

// Whether the front's pairs at the last keyframe are those of a search with a cull of the last interval.
static bool isCulledRight(FrontRun* run) {
    const KineticScene* mover = &run->scene->movers[0];
    const float *from = KineticScene_Frame(mover, mover->frameCount - 2),
                *to = KineticScene_Frame(mover, mover->frameCount - 1);
    grzSelfCullDef def = grzDefaultSelfCullDef();
    grzBvhRefit refit = grzDefaultBvhRefit();
    grzSelfCull* cull;
    def.bvh = mover->bvh, def.numbering = grz_bvhTreesNumbers, refit.positions = to;
    if (!keep(run, grzSelfCull_Create(&def, &cull)))
        return false;
    keep(run, grzSelfCull_Update(cull, NULL, from, to));
    keep(run, grzBvh_Refit(mover->bvh, NULL, &refit, run->nodes[0]));
    findPairs(run, cull);
    grzSelfCull_Destroy(cull);
    return digestOf(run, true) == digestOf(run, false);
}

// ---- a point ----

static void takeCounts(const FrontRun* run, FrontPoint* point) {
    const grzPairFrontStats* stats = &point->stats;
    point->stats = grzPairFront_GetStats(run->front);
    point->events =
        (double)(stats->overlaps + stats->fathersEnd + stats->leavesEnd + stats->changes + stats->renewals);
    point->treeEvents = point->leaves = 0;
    point->memory = grzPairFront_MemorySize(run->front);
    for (size_t k = 0; k < run->scene->moverCount; ++k) {
        const grzKineticTreeStats tree = grzKineticTree_GetStats(run->trees[k]);
        point->treeEvents += (double)(tree.leafEvents + tree.treeEvents);
        point->leaves += grzBvh_GetView(run->scene->movers[k].bvh).leafCount;
    }
}

static void runWay(Bench* bench, const FrontScene* scene, FrontWay way, FrontPoint* point, double* time,
                   uint64_t* digest) {
    FrontRun run;
    makeRun(bench, scene, way, point->perInterval, &run);
    if (grzResult_IsOk(run.result) && !bench->failed) {
        *time = timeRun(&run);
        *digest = digestOf(&run, hasFront(way));
    }
    if (grzResult_IsOk(run.result) && way == way_front)
        takeCounts(&run, point);
    if (grzResult_IsOk(run.result) && way == way_culled && !bench->failed) {
        point->culled = grzPairFront_GetStats(run.front);
        point->same = point->same && isCulledRight(&run);
    }
    KineticScene_Failed(bench, run.result);
    dropRun(bench, &run);
}

void FrontPoint_Measure(Bench* bench, const FrontScene* scene, size_t perInterval, FrontPoint* point) {
    const size_t repeats = bench->options->quick ? 1 : mostRepeats;
    double times[WAYS][mostRepeats];
    uint64_t digests[WAYS] = {0};
    const FrontWay ways = scene->moverCount == 2 ? way_culled : WAYS;
    *point = (FrontPoint){.n = scene->n, .perInterval = perInterval, .same = true};
    point->frames = (scene->movers[0].frameCount - 1) * perInterval;
    benchPin();
    for (size_t repeat = 0; repeat < repeats && !bench->failed; ++repeat)
        for (FrontWay way = way_front; way < ways && !bench->failed; ++way)
            runWay(bench, scene, way, point, &times[way][repeat], &digests[way]);
    benchUnpin();
    if (bench->failed)
        return;
    for (FrontWay way = way_front; way < ways; ++way)
        point->times[way] = benchSpread(times[way], repeats).median;
    point->same =
        point->same && digests[way_front] == digests[way_refit] && digests[way_trees] == digests[way_refit];
}
