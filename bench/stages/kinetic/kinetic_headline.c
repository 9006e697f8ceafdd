// What: see kinetic_headline.h.
//
// Idea: on one sheet every way goes through the same keyframes, in turns, with l frames drawn between two; a line of the table is a
// sheet and an l. What a frame brings is put beside what a bottom-up update writes and takes. The paper's bottom-up update is a
// binary tree with a triangle a leaf, one number after the other (bench/plain/plain_bvh.h); ours is grzBvh_Refit.
// Holds: bottom-up updates cost the same in every frame, so that they go through fewer intervals of large sheets.
// Based on: [Zachmann and Weller 2006] section 9: tablecloth of 2 k to 16 k triangles, clothed figures of 32 k to 326 k and of 65 k
//   to 580 k. We differ: a sheet on a ball in place of the figures, which are not public.
#include "kinetic_headline.h"

#include <math.h>
#include <stdio.h>

#include "kinetic_ways.h"

enum { way_aabb, way_box, way_chord, way_plain, way_refit, wayCount };

static const KineticWay headlineWays[wayCount] = {{"AABB tree", wayOrdered, false, false},
                                                  {"BoxTree", wayBoxTree, false, false},
                                                  {"chord tree", wayChord, false, false},
                                                  {"paper's bottom up", wayPlain, true, false},
                                                  {"our refit", wayRefit, true, false}};

static const double frameRates[] = {1, 3, 10, 30, 100};

enum {
    rateCount = sizeof frameRates / sizeof frameRates[0],
    usualFrames = 14,
    quickFrames = 4,
};

#define BOTTOM_UP_TRIANGLES 1e8 // that a run of a bottom-up update draws at most

// Of a frame.
typedef struct HeadlinePoint {
    double events[2], updates[2]; // of the AABB tree and the BoxTree
    double values[2];             // that the paper's bottom-up update writes, and ours
    double times[wayCount];       // nanoseconds
    bool same;
} HeadlinePoint;

// ---- a point ----

static void takeCounts(const KineticRun runs[wayCount], HeadlinePoint* point) {
    const KineticScene* scene = runs[way_aabb].scene;
    const double frames = (double)(runs[way_aabb].intervals * runs[way_aabb].perInterval);
    for (size_t tree = 0; tree < 2; ++tree) {
        const KineticCounts counts = KineticRun_Counts(&runs[way_aabb + tree]);
        point->events[tree] = counts.events / frames;
        point->updates[tree] = counts.updates / frames;
    }
    point->values[0] = 6 * (2 * (double)scene->triangleCount - 1);
    point->values[1] = KineticScene_BoxValues(scene);
}

static void timeRuns(Bench* bench, KineticRun runs[wayCount], HeadlinePoint* point) {
    point->same = KineticRuns_Time(bench, runs, wayCount, point->times);
    for (size_t way = 0; way < wayCount; ++way)
        point->times[way] /= (double)(runs[way].intervals * runs[way].perInterval);
    if (!bench->failed)
        takeCounts(runs, point);
}

static void measurePoint(Bench* bench, const KineticScene* scene, size_t perInterval, HeadlinePoint* point) {
    KineticRun runs[wayCount];
    bool isMade = true;
    for (size_t way = 0; way < wayCount; ++way)
        isMade &= KineticRun_Make(bench, scene, &headlineWays[way], perInterval, &runs[way]);
    for (size_t way = way_plain; way < wayCount && isMade; ++way)
        KineticRun_Shorten(&runs[way], BOTTOM_UP_TRIANGLES);
    if (isMade)
        timeRuns(bench, runs, point);
    for (size_t way = 0; way < wayCount; ++way)
        KineticRun_Drop(bench, &runs[way]);
}

// ---- the table ----

static void printHead(FILE* out) {
    fprintf(
        out,
        "\na frame, with l frames drawn from keyframe to keyframe; gains: times as fast as the paper's bottom-up "
        "update, and the AABB tree as our refit\n");
    fprintf(out, "%-11s %7s %4s | %-17s | %-17s %9s %9s | %9s %9s %9s %9s %9s | %6s %6s %6s %6s  %s\n", "sheet",
            "n", "l", "events AABB, Box", "updates AABB, Box", "theirs", "ours", "us AABB", "BoxTree", "chord",
            "theirs", "refit", "AABB", "Box", "chord", "/ours", "same");
}

static void printPoint(Bench* bench, const KineticScene* scene, double perInterval, const HeadlinePoint* point) {
    const double* times = point->times;
    fprintf(bench->out, "%-11s %7zu %4.0f | %8.0f %8.0f | %8.0f %8.0f %9.0f %9.0f |", scene->name,
            scene->triangleCount, perInterval, point->events[0], point->events[1], point->updates[0],
            point->updates[1], point->values[0], point->values[1]);
    for (size_t way = 0; way < wayCount; ++way)
        fprintf(bench->out, " %9.1f", 1e-3 * times[way]);
    fprintf(bench->out, " | %6.2f %6.2f %6.2f %6.2f  %s\n", times[way_plain] / times[way_aabb],
            times[way_plain] / times[way_box], times[way_plain] / times[way_chord],
            times[way_refit] / times[way_aabb], point->same ? "yes" : "NO");
    fflush(bench->out);
}

static void note(Bench* bench, const KineticScene* scene, const char* metric, const char* unit, double value,
                 const char* peer, double peerValue, bool same) {
    Bench_Note(bench, &(BenchCounter){.variant = scene->name,
                                      .metric = metric,
                                      .unit = unit,
                                      .value = value,
                                      .peer = peer,
                                      .peerValue = peerValue,
                                      .n = scene->triangleCount,
                                      .workers = 1,
                                      .same = same});
}

static void notePoint(Bench* bench, const KineticScene* scene, double perInterval, const HeadlinePoint* point) {
    char metric[64];
    for (size_t way = 0; way < way_plain; ++way) {
        snprintf(metric, sizeof metric, "%s, l=%.0f", headlineWays[way].name, perInterval);
        for (size_t bottomUp = way_plain; bottomUp < wayCount; ++bottomUp)
            note(bench, scene, metric, "ns/frame", point->times[way], headlineWays[bottomUp].name,
                 point->times[bottomUp], point->same);
    }
    for (size_t tree = 0; tree < 2; ++tree) {
        snprintf(metric, sizeof metric, "updates, %s, l=%.0f", headlineWays[way_aabb + tree].name, perInterval);
        note(bench, scene, metric, "a frame", point->updates[tree], headlineWays[way_plain].name, point->values[0],
             point->same);
    }
}

// ---- where the gain is reached ----

double benchRateOfGain(const double* rates, const double* gains, size_t count, double gain) {
    size_t i = 1;
    if (gain <= gains[0])
        return rates[0] * gain / gains[0];
    while (i < count && gains[i] < gain)
        ++i;
    if (i == count)
        return rates[count - 1] * gain / gains[count - 1];
    const double power = log(rates[i] / rates[i - 1]) / log(gains[i] / gains[i - 1]);
    return rates[i - 1] * pow(gain / gains[i - 1], power);
}

static double rateOf(const HeadlinePoint points[], size_t count, size_t way, size_t bottomUp, double gain) {
    double gains[rateCount];
    for (size_t i = 0; i < count; ++i)
        gains[i] = points[i].times[bottomUp] / points[i].times[way];
    return benchRateOfGain(frameRates, gains, count, gain);
}

// Where l is large, gains grow in proportion to it.
static void tellGains(Bench* bench, const KineticScene* scene, const HeadlinePoint points[], size_t count) {
    bool isSame = true;
    for (size_t i = 0; i < count; ++i)
        isSame &= points[i].same;
    for (size_t tree = way_aabb; tree <= way_box; ++tree) {
        const double once = rateOf(points, count, tree, way_plain, 1);
        const double five = rateOf(points, count, tree, way_plain, 5);
        const double ten = rateOf(points, count, tree, way_plain, 10);
        const double ours = rateOf(points, count, tree, way_refit, 1);
        fprintf(bench->out,
                "%s: as fast as the paper's bottom-up update from l = %.1f on, 5 times from %.0f, 10 times from "
                "%.0f; as fast as our refit from %.0f\n",
                headlineWays[tree].name, once, five, ten, ours);
        note(bench, scene, headlineWays[tree].name, "l for 10 times", ten, NULL, 0, isSame);
    }
}

// ---- the case ----

static void measureSheet(Bench* bench, SequenceKind kind, size_t n) {
    const SequenceDef def = {kind, n, bench->options->quick ? quickFrames : usualFrames};
    const size_t count = bench->options->quick ? 2 : rateCount;
    HeadlinePoint points[rateCount];
    KineticScene scene;
    const bool isMade = KineticScene_Make(bench, &def, 1, &scene);
    for (size_t i = 0; i < count && isMade && !bench->failed; ++i) {
        measurePoint(bench, &scene, (size_t)frameRates[i], &points[i]);
        if (bench->failed)
            break;
        printPoint(bench, &scene, frameRates[i], &points[i]);
        notePoint(bench, &scene, frameRates[i], &points[i]);
    }
    if (isMade && !bench->failed)
        tellGains(bench, &scene, points, count);
    KineticScene_Drop(bench, &scene);
}

void benchKineticHeadline(Bench* bench) {
    static const struct {
        SequenceKind kind;
        size_t n;
    } sheets[] = {{sequenceTablecloth, 2048}, {sequenceTablecloth, 16384}, {sequenceDrape, 32768},
                  {sequenceDrape, 65536},     {sequenceDrape, 326000},     {sequenceDrape, 580000}};
    const BenchOptions* options = bench->options;
    const bool isOne = options->quick || options->n != 0 || options->meshA != NULL || options->sequence != NULL;
    printHead(bench->out);
    if (isOne)
        measureSheet(bench, sequenceDrape, Bench_Size(bench, sheets[0].n, 600));
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0] && !isOne && !bench->failed; ++i)
        measureSheet(bench, sheets[i].kind, sheets[i].n);
}
