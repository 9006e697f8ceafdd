// What: pipeline_front.h.
//
// Idea: a sheet falls on a ball, which is a mesh at rest with as many triangles, and two sheets fall side by side, one close above the
//   other. A point is a scene at one resolution with l frames between keyframes; every way runs through all of it, in turns, several
//   times, and the median counts. Times are the processor's, from the first frame after the first keyframe on.
// Holds: the refit is of positions that lie ready, those of the keyframe ahead. Same: at the end, a keyframe, all ways have the same
//   pairs; and events at all l are the same.
// Based on: [Zachmann and Weller 2006] section 9, figure 22.
#include "pipeline_front.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_machine.h"
#include "bench_plots.h"
#include "bench_stats.h"
#include "graze/stage/pair_fronts.h"
#include "growth_fit.h"
#include "kinetic_growth.h"
#include "shapes.h"

typedef enum FrontWay { way_front, way_trees, way_refit, way_updates, WAYS } FrontWay;

static const char* const wayNames[] = {"pair front", "kinetic AABB trees and traversal", "refit and traversal",
                                       "kinetic AABB trees alone"};

static const size_t frameRates[] = {1, 3, 10, 30, 100};

enum {
    rateCount = sizeof frameRates / sizeof frameRates[0],
    keyframes = 8,
    mostRepeats = 3,
    mostPoints = growth_mostPoints,
    panelCount = 4,
};

typedef struct FrontScene {
    const char* name;
    KineticScene movers[2];
    size_t n;
} FrontScene;

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

typedef struct FrontPoint {
    size_t n, perInterval, frames;
    double times[WAYS];
    grzPairFrontStats stats;
    double events, treeEvents;
    size_t memory;
    bool same;
} FrontPoint;

// ---- a run ----

static bool keep(FrontRun* run, grzResult result) {
    run->result = grzResult_IsOk(run->result) ? result : run->result;
    return grzResult_IsOk(run->result);
}

static void makeRun(Bench* bench, const FrontScene* scene, FrontWay way, size_t perInterval, FrontRun* run) {
    *run = (FrontRun){.scene = scene, .way = way, .perInterval = perInterval};
    grzBoxPairsDef pairsDef = grzDefaultBoxPairsDef();
    pairsDef.keepsFront = false; // the plain traversal
    keep(run, grzBoxPairs_Create(&pairsDef, &run->pairs));
    for (int k = 0; k < 2; ++k) {
        const KineticScene* mover = &scene->movers[k];
        grzKineticTreeDef def = grzDefaultKineticTreeDef();
        def.bvh = mover->bvh, def.plan = mover->plan, def.numbering = grz_bvhTreesNumbers;
        if (way != way_refit)
            keep(run, grzKineticTree_Create(&def, &run->trees[k]));
        run->nodes[k] = Bench_Allocate(bench, grzBvh_GetView(mover->bvh).nodeCount, sizeof(grzBvhNode));
    }
    if (way == way_front && grzResult_IsOk(run->result)) {
        grzPairFrontDef def = grzDefaultPairFrontDef();
        def.treeA = run->trees[0], def.treeB = run->trees[1];
        keep(run, grzPairFront_Create(&def, &run->front));
    }
}

static void dropRun(Bench* bench, FrontRun* run) {
    grzPairFront_Destroy(run->front);
    grzBoxPairs_Destroy(run->pairs);
    for (int k = 0; k < 2; ++k) {
        grzKineticTree_Destroy(run->trees[k]);
        Bench_Release(bench, run->nodes[k], grzBvh_GetView(run->scene->movers[k].bvh).nodeCount,
                      sizeof(grzBvhNode));
    }
}

static void findPairs(FrontRun* run) {
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = (grzBoxSet){run->scene->movers[0].bvh, run->nodes[0]};
    query.b = (grzBoxSet){run->scene->movers[1].bvh, run->nodes[1]};
    keep(run, grzBoxPairs_Find(run->pairs, NULL, &query));
}

static void runFrame(FrontRun* run, size_t frame) {
    const double time = (double)frame / (double)run->perInterval;
    if (run->way == way_front) {
        keep(run, grzPairFront_Advance(run->front, NULL, time));
        return;
    }
    for (int k = 0; k < 2; ++k) {
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
        findPairs(run);
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

static uint64_t digestOf(const FrontRun* run) {
    if (run->way == way_front) {
        const grzPairFrontView view = grzPairFront_GetView(run->front);
        return Bench_Digest(view.pairCount, view.pairs, view.pairCount * sizeof *view.pairs);
    }
    const grzBoxPairsView view = grzBoxPairs_GetView(run->pairs);
    return Bench_Digest(view.count, view.pairs, view.count * sizeof *view.pairs);
}

// ---- a point ----

static void takeCounts(const FrontRun* run, FrontPoint* point) {
    const grzPairFrontStats* stats = &point->stats;
    point->stats = grzPairFront_GetStats(run->front);
    point->events =
        (double)(stats->overlaps + stats->fathersEnd + stats->leavesEnd + stats->changes + stats->renewals);
    point->treeEvents = 0;
    point->memory = grzPairFront_MemorySize(run->front);
    for (int k = 0; k < 2; ++k) {
        const grzKineticTreeStats tree = grzKineticTree_GetStats(run->trees[k]);
        point->treeEvents += (double)(tree.leafEvents + tree.treeEvents);
    }
}

static void runWay(Bench* bench, const FrontScene* scene, FrontWay way, FrontPoint* point, double* time,
                   uint64_t* digest) {
    FrontRun run;
    makeRun(bench, scene, way, point->perInterval, &run);
    if (grzResult_IsOk(run.result) && !bench->failed) {
        *time = timeRun(&run);
        *digest = digestOf(&run);
    }
    if (grzResult_IsOk(run.result) && way == way_front)
        takeCounts(&run, point);
    KineticScene_Failed(bench, run.result);
    dropRun(bench, &run);
}

static void measurePoint(Bench* bench, const FrontScene* scene, size_t perInterval, FrontPoint* point) {
    const size_t repeats = bench->options->quick ? 1 : mostRepeats;
    double times[WAYS][mostRepeats];
    uint64_t digests[WAYS] = {0};
    *point = (FrontPoint){.n = scene->n, .perInterval = perInterval};
    point->frames = (scene->movers[0].frameCount - 1) * perInterval;
    benchPin();
    for (size_t repeat = 0; repeat < repeats && !bench->failed; ++repeat)
        for (FrontWay way = way_front; way < WAYS && !bench->failed; ++way)
            runWay(bench, scene, way, point, &times[way][repeat], &digests[way]);
    benchUnpin();
    if (bench->failed)
        return;
    for (size_t way = 0; way < WAYS; ++way)
        point->times[way] = benchSpread(times[way], repeats).median;
    point->same = digests[way_front] == digests[way_refit] && digests[way_trees] == digests[way_refit];
}

// ---- rows ----

static void tell(Bench* bench, const FrontScene* scene, const FrontPoint* point, const char* metric,
                 const char* unit, double value, const char* peer, double peerValue) {
    Bench_Count(bench, &(BenchCounter){.variant = scene->name,
                                       .metric = metric,
                                       .unit = unit,
                                       .value = value,
                                       .peer = peer,
                                       .peerValue = peerValue,
                                       .n = point->n,
                                       .workers = 1,
                                       .same = point->same});
}

static void tellTimes(Bench* bench, const FrontScene* scene, const FrontPoint* point) {
    const double frames = (double)point->frames;
    char metric[64];
    for (FrontWay way = way_front; way < way_refit; ++way) {
        snprintf(metric, sizeof metric, "%s, l=%zu", wayNames[way], point->perInterval);
        tell(bench, scene, point, metric, "ns/frame", point->times[way] / frames, wayNames[way_refit],
             point->times[way_refit] / frames);
    }
    // A keyframe is a new flightplan of all vertices, by which each pair has an event: a look. Trees have their own.
    const double alone = point->times[way_front] - point->times[way_updates];
    snprintf(metric, sizeof metric, "an event or look, l=%zu", point->perInterval);
    tell(bench, scene, point, metric, "ns", alone / (double)point->stats.looks, NULL, 0);
    snprintf(metric, sizeof metric, "all over events between keyframes, l=%zu", point->perInterval);
    tell(bench, scene, point, metric, "ns", point->times[way_front] / (point->events + point->treeEvents), NULL, 0);
}

static void tellCounts(Bench* bench, const FrontScene* scene, const FrontPoint* point) {
    const grzPairFrontStats* stats = &point->stats;
    tell(bench, scene, point, "events", "in all", point->events, NULL, 0);
    tell(bench, scene, point, "begin to overlap", "in all", (double)stats->overlaps, NULL, 0);
    tell(bench, scene, point, "fathers end", "in all", (double)stats->fathersEnd, NULL, 0);
    tell(bench, scene, point, "leaves end", "in all", (double)stats->leavesEnd, NULL, 0);
    tell(bench, scene, point, "boxes change", "in all", (double)stats->changes, NULL, 0);
    tell(bench, scene, point, "renewals", "in all", (double)stats->renewals, NULL, 0);
    tell(bench, scene, point, "looks", "in all", (double)stats->looks, NULL, 0);
    tell(bench, scene, point, "events of the trees", "in all", point->treeEvents, NULL, 0);
    tell(bench, scene, point, "memory", "bytes a triangle", (double)point->memory / (double)point->n, NULL, 0);
    tell(bench, scene, point, "list at the end", "pairs",
         (double)(stats->innerPairs + stats->leavesApart + stats->leavesOverlapping), NULL, 0);
    tell(bench, scene, point, "leaves that overlap at the end", "pairs", (double)stats->leavesOverlapping, NULL, 0);
}

// ---- scenes ----

// Keyframes of a mesh: at rest, where no sequence is given.
static bool makeMover(Bench* bench, const char* name, MeshData* mesh, float scale, float up,
                      const KineticScene* like, KineticScene* scene) {
    SequenceData sequence = {0};
    const size_t frames = like->frameCount;
    float* positions = mesh->positions;
    bool isMade =
        !KineticScene_Failed(bench, SequenceData_Create(&sequence, bench->allocator, mesh->vertexCount, frames));
    for (size_t i = 0; isMade && i < 3 * mesh->vertexCount; ++i)
        positions[i] = positions[i] * scale + (i % 3 == 1 ? up : 0);
    for (size_t f = 0; isMade && f < frames; ++f)
        memcpy(sequence.positions + 3 * f * mesh->vertexCount, positions,
               3 * mesh->vertexCount * sizeof *positions);
    isMade = isMade && KineticScene_MakeOf(bench, name, mesh, &sequence, 0, frames, 1, scene);
    SequenceData_Release(&sequence);
    return isMade;
}

static bool addBall(Bench* bench, FrontScene* scene) {
    MeshData mesh = {0};
    const bool isMade = !KineticScene_Failed(bench, makeShape(shapeSphere, scene->movers[0].triangleCount,
                                                              bench->allocator, &mesh)) &&
                        makeMover(bench, scene->name, &mesh, 0.5F, -0.5F, &scene->movers[0], &scene->movers[1]);
    MeshData_Release(&mesh);
    return isMade;
}

// The same motion, a little higher.
static bool addSheet(Bench* bench, const Growth* growth, size_t point, size_t first, FrontScene* scene) {
    const float up = 0.02F;
    KineticScene* other = &scene->movers[1];
    if (!Growth_MakeScene(bench, growth, point, first, scene->movers[0].frameCount, other))
        return false;
    for (size_t i = 0; i < other->frameCount * other->vertexCount; ++i)
        other->frames[3 * i + 1] += up;
    return true;
}

// Of sheets up to this size: a front's memory grows with its list.
#define MOST_TRIANGLES 70000

static size_t pointCountOf(const Growth* growth) {
    size_t count = 0;
    while (count < growth->pointCount) {
        const size_t squares = growth->squares / growth->strides[count];
        if (2 * squares * squares > MOST_TRIANGLES)
            break;
        ++count;
    }
    return count;
}

typedef enum FrontPartner { partner_ball, partner_sheet, PARTNERS } FrontPartner;

static const char* const partnerNames[] = {"sheet on ball", "two sheets"};

static bool makeScene(Bench* bench, const Growth* growth, size_t point, FrontPartner partner, FrontScene* scene) {
    const size_t first = growth->sequence.frameCount > 2 * keyframes ? growth->sequence.frameCount / 2 : 0;
    memset(scene, 0, sizeof *scene);
    scene->name = partnerNames[partner];
    const size_t frames = growth->sequence.frameCount < keyframes ? growth->sequence.frameCount : keyframes;
    bool isMade = Growth_MakeScene(bench, growth, point, first, frames, &scene->movers[0]);
    isMade =
        isMade && (partner == partner_ball ? addBall(bench, scene) : addSheet(bench, growth, point, first, scene));
    scene->n = scene->movers[0].triangleCount + scene->movers[1].triangleCount;
    return isMade;
}

static void dropScene(Bench* bench, FrontScene* scene) {

    KineticScene_Drop(bench, &scene->movers[0]);
    KineticScene_Drop(bench, &scene->movers[1]);
}

// ---- the case ----

typedef struct FrontFigure {
    FrontPoint sizes[PARTNERS][mostPoints]; // l = 10
    FrontPoint rates[PARTNERS][rateCount];
    double x[panelCount][mostPoints], y[panelCount][WAYS][mostPoints];
    PlotLine lines[panelCount][WAYS];
    PlotPanel panels[panelCount];
    char titles[panelCount][64];
} FrontFigure;

static void measureSizes(Bench* bench, const Growth* growth, FrontPartner partner, FrontPoint* points) {
    for (size_t i = 0; i < pointCountOf(growth) && !bench->failed; ++i) {
        FrontScene scene;
        if (makeScene(bench, growth, i, partner, &scene)) {
            measurePoint(bench, &scene, 10, &points[i]);
            if (!bench->failed) {
                tellTimes(bench, &scene, &points[i]);
                tellCounts(bench, &scene, &points[i]);
            }
        }
        dropScene(bench, &scene);
    }
}

static bool areSameEvents(const FrontPoint* a, const FrontPoint* b) {
    return memcmp(&a->stats, &b->stats, sizeof a->stats) == 0 && a->treeEvents == b->treeEvents;
}

static void measureRates(Bench* bench, const Growth* growth, FrontPartner partner, FrontPoint* points) {
    FrontScene scene;
    size_t others = 0;
    if (makeScene(bench, growth, pointCountOf(growth) / 2, partner, &scene)) {
        for (size_t i = 0; i < rateCount && !bench->failed; ++i) {
            measurePoint(bench, &scene, frameRates[i], &points[i]);
            points[i].same = points[i].same && areSameEvents(&points[0], &points[i]);
            others += !areSameEvents(&points[0], &points[i]);
            if (!bench->failed)
                tellTimes(bench, &scene, &points[i]);
        }
        if (!bench->failed)
            tell(bench, &scene, &points[rateCount - 1], "other counts", "of 5 frame rates", (double)others, NULL,
                 0);
    }
    dropScene(bench, &scene);
}

static void tellPower(Bench* bench, const FrontPoint* points, size_t count, FrontPartner partner) {
    const FrontScene scene = {.name = partnerNames[partner]};
    double sizes[mostPoints], events[mostPoints], lists[mostPoints];
    for (size_t i = 0; i < count; ++i) {
        const grzPairFrontStats* stats = &points[i].stats;
        sizes[i] = (double)points[i].n, events[i] = points[i].events;
        lists[i] = (double)(stats->innerPairs + stats->leavesApart + stats->leavesOverlapping);
    }
    tell(bench, &scene, &points[count - 1], "power of n", "events", benchFitPower(sizes, events, count), NULL, 0);
    tell(bench, &scene, &points[count - 1], "power of n", "pairs in the list", benchFitPower(sizes, lists, count),
         NULL, 0);
}

static void fillPanel(FrontFigure* figure, size_t which, FrontPartner partner, size_t count) {
    const bool isOverRates = which % 2 != 0;
    const FrontPoint* points = isOverRates ? figure->rates[partner] : figure->sizes[partner];
    count = isOverRates ? rateCount : count;
    for (size_t i = 0; i < count; ++i) {
        figure->x[which][i] = (double)(isOverRates ? points[i].perInterval : points[i].n);
        for (size_t way = 0; way < WAYS; ++way)
            figure->y[which][way][i] = points[i].times[way] / (double)points[i].frames * 1e-3;
    }
    for (size_t way = 0; way < WAYS; ++way)
        figure->lines[which][way] = (PlotLine){figure->x[which], figure->y[which][way], count};
    if (isOverRates)
        snprintf(figure->titles[which], sizeof figure->titles[which], "%s, n = %zu", partnerNames[partner],
                 points[0].n);
    else
        snprintf(figure->titles[which], sizeof figure->titles[which], "%s, l = 10", partnerNames[partner]);
    figure->panels[which] = (PlotPanel){figure->titles[which],
                                        isOverRates ? "l, frames drawn from keyframe to keyframe" : "n, triangles",
                                        "us a frame",
                                        true,
                                        true,
                                        figure->lines[which]};
}

static void plot(Bench* bench, FrontFigure* figure, size_t count) {
    for (size_t which = 0; which < panelCount; ++which)
        fillPanel(figure, which, (FrontPartner)(which / 2), count);
    const Plot plot = {"Figure 22: updates and collision checks", wayNames, WAYS, figure->panels, panelCount};
    Bench_WritePlot(bench, &plot, "figure-22");
}

void benchPipelineFront(Bench* bench) {
    FrontFigure* figure = Bench_Allocate(bench, 1, sizeof *figure);
    Growth* growth = Bench_Allocate(bench, 1, sizeof *growth);
    if (!bench->failed && Growth_Make(bench, sequenceDrape, growth)) {
        for (FrontPartner partner = partner_ball; partner < PARTNERS && !bench->failed; ++partner) {
            measureSizes(bench, growth, partner, figure->sizes[partner]);
            measureRates(bench, growth, partner, figure->rates[partner]);
            if (!bench->failed)
                tellPower(bench, figure->sizes[partner], pointCountOf(growth), partner);
        }
        if (!bench->failed && Bench_WantsPlots(bench->options))
            plot(bench, figure, pointCountOf(growth));
        Growth_Drop(growth);
    }
    Bench_Release(bench, growth, 1, sizeof *growth);
    Bench_Release(bench, figure, 1, sizeof *figure);
}
