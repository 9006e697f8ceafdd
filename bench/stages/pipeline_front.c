// What: pipeline_front.h.
//
// Idea: a sheet falls on a ball, which is a mesh at rest with as many triangles, and two sheets fall side by side, one close above the
//   other; and the first sheet meets itself. A point is a scene at one resolution with l frames between keyframes; every way runs through all of it, in turns, several
//   times, and the median counts. Times are the processor's, from the first frame after the first keyframe on.
// Same: at the end, a keyframe, all ways have the same pairs, culled those of a search with the same cull; and events at all l are the same.
// Based on: [Zachmann and Weller 2006] section 9, figure 22.
#include "pipeline_front.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_machine.h"
#include "bench_plots.h"
#include "growth_fit.h"
#include "kinetic_growth.h"
#include "pipeline_front_run.h"
#include "shapes.h"

static const char* const wayNames[] = {"pair front", "kinetic AABB trees and traversal", "refit and traversal",
                                       "kinetic AABB trees alone", "pair front, culled"};

static const size_t frameRates[] = {1, 3, 10, 30, 100, 1000};

enum {
    rateCount = sizeof frameRates / sizeof frameRates[0],
    keyframes = 8,
    mostPoints = growth_mostPoints,
    plotWays = way_culled,
};

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
    if (scene->moverCount == 1) {
        snprintf(metric, sizeof metric, "%s, l=%zu", wayNames[way_culled], point->perInterval);
        tell(bench, scene, point, metric, "ns/frame", point->times[way_culled] / frames, wayNames[way_front],
             point->times[way_front] / frames);
    }
    // A keyframe is a new flightplan of all vertices, by which each pair is looked at. Trees have their own.
    const double alone = point->times[way_front] - point->times[way_updates];
    snprintf(metric, sizeof metric, "an event, looks at keyframes in it, l=%zu", point->perInterval);
    tell(bench, scene, point, metric, "ns", alone / point->events, NULL, 0);
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
    if (scene->moverCount == 1) {
        tell(bench, scene, point, "leaves that overlap at the end, culled", "pairs",
             (double)point->culled.leavesOverlapping, "all", (double)stats->leavesOverlapping);
        tell(bench, scene, point, "leaves in free nodes at the end", "of all",
             (double)point->culled.freeLeaves / point->leaves, NULL, 0);
    }
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

typedef enum FrontPartner { partner_ball, partner_sheet, partner_self, PARTNERS } FrontPartner;

static const char* const partnerNames[] = {"sheet on ball", "two sheets", "sheet with itself"};

enum { panelCount = 2 * PARTNERS };

static bool makeScene(Bench* bench, const Growth* growth, size_t point, FrontPartner partner, FrontScene* scene) {
    const size_t first = growth->sequence.frameCount > 2 * keyframes ? growth->sequence.frameCount / 2 : 0;
    memset(scene, 0, sizeof *scene);
    scene->name = partnerNames[partner];
    const size_t frames = growth->sequence.frameCount < keyframes ? growth->sequence.frameCount : keyframes;
    bool isMade = Growth_MakeScene(bench, growth, point, first, frames, &scene->movers[0]);
    scene->moverCount = partner == partner_self ? 1 : 2;
    if (isMade && partner != partner_self)
        isMade = partner == partner_ball ? addBall(bench, scene) : addSheet(bench, growth, point, first, scene);
    for (size_t k = 0; k < scene->moverCount; ++k)
        scene->n += scene->movers[k].triangleCount;
    return isMade;
}

static void dropScene(Bench* bench, FrontScene* scene) {
    for (size_t k = 0; k < scene->moverCount; ++k)
        KineticScene_Drop(bench, &scene->movers[k]);
}

// ---- the case ----

typedef struct FrontFigure {
    FrontPoint sizes[PARTNERS][mostPoints]; // l = 10
    FrontPoint rates[PARTNERS][rateCount];
    double x[panelCount][mostPoints], y[panelCount][plotWays][mostPoints];
    PlotLine lines[panelCount][plotWays];
    PlotPanel panels[panelCount];
    char titles[panelCount][64];
} FrontFigure;

static void measureSizes(Bench* bench, const Growth* growth, FrontPartner partner, FrontPoint* points) {
    for (size_t i = 0; i < pointCountOf(growth) && !bench->failed; ++i) {
        FrontScene scene;
        if (makeScene(bench, growth, i, partner, &scene)) {
            FrontPoint_Measure(bench, &scene, 10, &points[i]);
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
            FrontPoint_Measure(bench, &scene, frameRates[i], &points[i]);
            points[i].same = points[i].same && areSameEvents(&points[0], &points[i]);
            others += !areSameEvents(&points[0], &points[i]);
            if (!bench->failed)
                tellTimes(bench, &scene, &points[i]);
        }
        if (!bench->failed)
            tell(bench, &scene, &points[rateCount - 1], "other counts", "of 6 frame rates", (double)others, NULL,
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
        for (size_t way = 0; way < plotWays; ++way)
            figure->y[which][way][i] = points[i].times[way] / (double)points[i].frames * 1e-3;
    }
    for (size_t way = 0; way < plotWays; ++way)
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
    const Plot plot = {"Figure 22: updates and collision checks", wayNames, plotWays, figure->panels, panelCount};
    Bench_WritePlot(bench, &plot, "figure-22");
}

void benchPipelineFront(Bench* bench) {
    FrontFigure* figure = Bench_Allocate(bench, 1, sizeof *figure);
    Growth* growth = Bench_Allocate(bench, 1, sizeof *growth);
    benchKeepMemory();
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
