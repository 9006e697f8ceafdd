// What: see kinetic_figures.h.
//
// Idea: a point is a sheet at one resolution with l frames between keyframes; on it every way runs through the same intervals, in
// turns, several times, and the median counts. Times are the processor's.
//
//   18  tablecloth: updates, events and time a frame over n
//   19  spheres in a velocity field (kinetic_field.h); drape, where the paper has a walking figure's dress, likewise
//   21  drape: time over l, a frame and in all; over n
//
// Based on: [Zachmann and Weller 2006] section 9. We differ: the right panel of figure 21 adds the time of collision checks,
// which is not the hierarchy's.
#include "kinetic_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_plots.h"
#include "kinetic_field.h"
#include "kinetic_growth.h"
#include "kinetic_ways.h"

// Ways come first, as the curves of their times and updates do.
enum {
    series_aabb,
    series_box,
    series_refit,
    series_chord,
    series_batched,
    wayCount,
    series_aabbEvents = wayCount,
    series_boxEvents,
    seriesCount,
};

static const KineticWay figureWays[wayCount] = {{"ordered", wayOrdered, false, false},
                                                {"BoxTree", wayBoxTree, false, false},
                                                {"refit", wayRefit, true, false},
                                                {"chord", wayChord, false, false},
                                                {"batched", wayBatched, false, false}};

static const char* const seriesNames[seriesCount] = {
    "kinetic AABB tree",  "BoxTree",           "bottom up (refit)", "chord tree",
    "AABB tree, batched", "events, AABB tree", "events, BoxTree"};

enum {
    usualFrames = 14,
    quickFrames = 4,
    mostPoints = growth_mostPoints,
    panelCount = 4,
};

static const size_t frameRates[] = {1, 3, 10, 30, 100};

enum { rateCount = sizeof frameRates / sizeof frameRates[0] };

// All for the whole run.
typedef struct FigurePoint {
    size_t n, perInterval, frames;
    double times[wayCount];
    double events[growth_trees], updates[growth_trees];
    double values; // of all boxes: what a refit writes in a frame
    bool same;     // all ways came to what they should
} FigurePoint;

// ---- a point ----

static void takeCounts(const KineticRun runs[wayCount], FigurePoint* point) {
    const KineticCounts aabb = KineticRun_Counts(&runs[series_aabb]);
    const KineticCounts box = KineticRun_Counts(&runs[series_box]);
    point->events[growth_aabb] = aabb.events, point->updates[growth_aabb] = aabb.updates;
    point->events[growth_box] = box.events, point->updates[growth_box] = box.updates;
    point->values = KineticScene_BoxValues(runs[series_refit].scene);
}

static void runPoint(Bench* bench, KineticRun runs[wayCount], FigurePoint* point) {
    point->same = KineticRuns_Time(bench, runs, wayCount, point->times);
    if (!bench->failed)
        takeCounts(runs, point);
}

static void tell(Bench* bench, const KineticScene* scene, const FigurePoint* point, size_t way) {
    const double frames = (double)point->frames;
    char metric[64];
    snprintf(metric, sizeof metric, "%s, l=%zu", figureWays[way].name, point->perInterval);
    Bench_Count(bench, &(BenchCounter){.variant = scene->name,
                                       .metric = metric,
                                       .unit = "ns/frame",
                                       .value = point->times[way] / frames,
                                       .peer = figureWays[series_refit].name,
                                       .peerValue = point->times[series_refit] / frames,
                                       .n = point->n,
                                       .workers = 1,
                                       .same = point->same});
}

static void measurePoint(Bench* bench, const KineticScene* scene, size_t perInterval, FigurePoint* point) {
    KineticRun runs[wayCount];
    bool isMade = true;
    for (size_t way = 0; way < wayCount; ++way)
        isMade &= KineticRun_Make(bench, scene, &figureWays[way], perInterval, &runs[way]);
    *point = (FigurePoint){scene->triangleCount, perInterval, runs[0].intervals * perInterval, .same = false};
    if (isMade)
        runPoint(bench, runs, point);
    for (size_t way = 0; way < wayCount; ++way) {
        if (way != series_refit && !bench->failed)
            tell(bench, scene, point, way);
        KineticRun_Drop(bench, &runs[way]);
    }
}

static bool makeScene(Bench* bench, const Growth* growth, size_t point, KineticScene* scene) {
    return Growth_MakeScene(bench, growth, point, KINETIC_FALL_FRAMES,
                            bench->options->quick ? quickFrames : usualFrames, scene);
}

static void measureSizes(Bench* bench, const Growth* growth, size_t perInterval, FigurePoint* points) {
    for (size_t i = 0; i < growth->pointCount && !bench->failed; ++i) {
        KineticScene scene;
        if (makeScene(bench, growth, i, &scene))
            measurePoint(bench, &scene, perInterval, &points[i]);
        KineticScene_Drop(bench, &scene);
    }
}

static void measureRates(Bench* bench, const Growth* growth, size_t size, FigurePoint* points) {
    KineticScene scene;
    if (makeScene(bench, growth, size, &scene))
        for (size_t i = 0; i < rateCount && !bench->failed; ++i)
            measurePoint(bench, &scene, frameRates[i], &points[i]);
    KineticScene_Drop(bench, &scene);
}

// ---- spheres ----

enum { sphereSizes = 5 };

static void takeField(const KineticFieldTimes* times, FigurePoint* point) {
    *point = (FigurePoint){.n = times->n, .perInterval = 10, .frames = times->frames, .same = times->same};
    point->times[series_aabb] = times->times[field_ordered];
    point->times[series_batched] = times->times[field_batched];
    point->times[series_box] = times->times[field_box];
    point->times[series_refit] = times->times[field_refit];
    point->times[series_chord] = (double)NAN; // it is of keyframes
}

static size_t measureSpheres(Bench* bench, FigurePoint points[sphereSizes]) {
    static const size_t usual[sphereSizes] = {2000, 5000, 10000, 20000, 40000};
    const KineticScene names = {.name = sequenceName(sequenceSpheres)};
    const size_t repeats = bench->options->quick ? 1 : KINETIC_REPEATS;
    const size_t count = bench->options->quick ? 1 : sphereSizes;
    for (size_t i = 0; i < count && !bench->failed; ++i) {
        KineticFieldTimes times;
        if (!KineticFieldTimes_Measure(bench, bench->options->quick ? 500 : usual[i], 10, repeats, &times))
            break;
        takeField(&times, &points[i]);
        Bench_Count(bench, &(BenchCounter){.variant = names.name,
                                           .metric = "vertices that turn",
                                           .unit = "a frame",
                                           .value = (double)times.turns / (double)times.frames,
                                           .n = times.n,
                                           .workers = 1,
                                           .same = times.same});
        for (size_t way = 0; way < wayCount; ++way)
            if (way != series_refit && way != series_chord)
                tell(bench, &names, &points[i], way);
    }
    return count;
}

// ---- curves: what a series shows at a point, NaN: nothing ----

static double updatesOf(const FigurePoint* point, size_t series) {
    const double frames = (double)point->frames;
    switch (series) {
    case series_aabb:
        return point->updates[growth_aabb] / frames;
    case series_box:
        return point->updates[growth_box] / frames;
    case series_refit:
        return point->values;
    default:
        return (double)NAN;
    }
}

static double eventsAndUpdatesOf(const FigurePoint* point, size_t series) {
    const double frames = (double)point->frames;
    switch (series) {
    case series_aabbEvents:
        return point->events[growth_aabb] / frames;
    case series_boxEvents:
        return point->events[growth_box] / frames;
    case series_refit:
        return (double)NAN;
    default:
        return updatesOf(point, series);
    }
}

static double eventsOfATriangle(const FigurePoint* point, size_t series) {
    const double all = (double)(point->n * (point->frames / point->perInterval));
    return series == series_aabbEvents  ? point->events[growth_aabb] / all
           : series == series_boxEvents ? point->events[growth_box] / all
                                        : (double)NAN;
}

static double frameTimeOf(const FigurePoint* point, size_t series) {
    return series < wayCount ? point->times[series] / (double)point->frames * 1e-3 : (double)NAN;
}

static double wholeTimeOf(const FigurePoint* point, size_t series) {
    return series < wayCount ? point->times[series] * 1e-6 : (double)NAN;
}

// ---- figures ----

typedef struct FigurePanel {
    char title[64];
    const char* yLabel;
    double (*valueOf)(const FigurePoint*, size_t);
    bool isOverRates; // else over n
    bool isLinear;    // upwards
    const FigurePoint* points;
    size_t count;
} FigurePanel;

// What a plot points to.
typedef struct FigureCurves {
    double x[panelCount][mostPoints];
    double y[panelCount][seriesCount][mostPoints];
    PlotLine lines[panelCount][seriesCount];
    PlotPanel panels[panelCount];
} FigureCurves;

static void fillPanel(FigureCurves* curves, size_t which, const FigurePanel* panel) {
    for (size_t i = 0; i < panel->count; ++i) {
        const FigurePoint* point = &panel->points[i];
        curves->x[which][i] = (double)(panel->isOverRates ? point->perInterval : point->n);
        for (size_t s = 0; s < seriesCount; ++s)
            curves->y[which][s][i] = panel->valueOf(point, s);
    }
    for (size_t s = 0; s < seriesCount; ++s)
        curves->lines[which][s] = (PlotLine){curves->x[which], curves->y[which][s], panel->count};
    curves->panels[which] = (PlotPanel){
        panel->title,     panel->isOverRates ? "l, frames drawn from keyframe to keyframe" : "n, triangles",
        panel->yLabel,    true,
        !panel->isLinear, curves->lines[which]};
}

// Of all panels, the first `shown` series.
static void writeFigure(Bench* bench, const char* title, const char* name, size_t shown,
                        const FigurePanel* panels) {
    FigureCurves* curves = Bench_Allocate(bench, 1, sizeof *curves);
    if (curves == NULL)
        return;
    for (size_t i = 0; i < panelCount; ++i)
        fillPanel(curves, i, &panels[i]);
    const Plot plot = {title, seriesNames, shown, curves->panels, panelCount};
    Bench_WritePlot(bench, &plot, name);
    Bench_Release(bench, curves, 1, sizeof *curves);
}

static void plotTablecloth(Bench* bench, const FigurePoint* points, size_t count) {
    const FigurePanel panels[] = {
        {"updates, and events, l = 10", "a frame", eventsAndUpdatesOf, false, false, points, count},
        {"values that are updated, l = 10", "values a frame", updatesOf, false, false, points, count},
        {"update time, l = 10", "us a frame", frameTimeOf, false, false, points, count},
        {"events of a triangle", "events an interval", eventsOfATriangle, false, true, points, count},
    };
    writeFigure(bench, "Figure 18: a sheet on a table", "figure-18", seriesCount, panels);
}

static void plotDrape(Bench* bench, const FigurePoint* points, size_t count, const FigurePoint* spheres,
                      size_t sphereCount) {
    const FigurePanel panels[] = {
        {"spheres that turn back: update time", "us a frame", frameTimeOf, false, false, spheres, sphereCount},
        {"sheet on a ball: updates, and events, l = 10", "a frame", eventsAndUpdatesOf, false, false, points,
         count},
        {"sheet on a ball: update time, l = 10", "us a frame", frameTimeOf, false, false, points, count},
        {"sheet on a ball: values that are updated, l = 10", "values a frame", updatesOf, false, false, points,
         count},
    };
    writeFigure(bench, "Figure 19: spheres, and a sheet on a ball", "figure-19", seriesCount, panels);
}

static FigurePanel ratePanel(const char* what, const FigurePoint* points, const char* yLabel,
                             double (*valueOf)(const FigurePoint*, size_t)) {
    FigurePanel panel = {"", yLabel, valueOf, true, false, points, rateCount};
    snprintf(panel.title, sizeof panel.title, "%s, n = %zu", what, points->n);
    return panel;
}

typedef struct Figures {
    FigurePoint sizes[mostPoints];     // l = 10
    FigurePoint slowSizes[mostPoints]; // l = 30
    FigurePoint rates[rateCount], largeRates[rateCount];
    FigurePoint spheres[sphereSizes];
} Figures;

static void plotRates(Bench* bench, const Figures* figures, size_t count) {
    const FigurePanel panels[] = {
        ratePanel("update time", figures->rates, "us a frame", frameTimeOf),
        ratePanel("the whole sequence", figures->rates, "ms", wholeTimeOf),
        {"update time, l = 30", "us a frame", frameTimeOf, false, false, figures->slowSizes, count},
        ratePanel("update time", figures->largeRates, "us a frame", frameTimeOf),
    };
    writeFigure(bench, "Figure 21: a sheet on a ball", "figure-21", wayCount, panels);
}

// ---- the case ----

static void figuresOfTablecloth(Bench* bench, Growth* growth, Figures* figures) {
    if (!Growth_Make(bench, sequenceTablecloth, growth))
        return;
    measureSizes(bench, growth, 10, figures->sizes);
    if (!bench->failed && Bench_WantsPlots(bench->options))
        plotTablecloth(bench, figures->sizes, growth->pointCount);
}

static void figuresOfDrape(Bench* bench, Growth* growth, Figures* figures) {
    if (!Growth_Make(bench, sequenceDrape, growth))
        return;
    const size_t middle = growth->pointCount / 2, late = growth->pointCount - 2;
    measureSizes(bench, growth, 10, figures->sizes);
    measureSizes(bench, growth, 30, figures->slowSizes);
    measureRates(bench, growth, middle, figures->rates);
    measureRates(bench, growth, late, figures->largeRates);
    const size_t sphereCount = measureSpheres(bench, figures->spheres);
    if (bench->failed || !Bench_WantsPlots(bench->options))
        return;
    plotDrape(bench, figures->sizes, growth->pointCount, figures->spheres, sphereCount);
    plotRates(bench, figures, growth->pointCount);
}

void benchKineticFigures(Bench* bench) {
    Figures* figures = Bench_Allocate(bench, 1, sizeof *figures);
    Growth* growth = Bench_Allocate(bench, 1, sizeof *growth);
    if (!bench->failed) {
        figuresOfTablecloth(bench, growth, figures);
        Growth_Drop(growth);
    }
    if (!bench->failed) {
        figuresOfDrape(bench, growth, figures);
        Growth_Drop(growth);
    }
    Bench_Release(bench, growth, 1, sizeof *growth);
    Bench_Release(bench, figures, 1, sizeof *figures);
}
