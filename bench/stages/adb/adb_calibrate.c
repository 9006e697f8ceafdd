// What: the case "calibrate": what a fit takes, and whether the confidence of answers is true, of the mesh of the fit
//   and of another one.
//
// Answers are in ten bins of their stated error, from 0 to 50 %. The budgets are of work, in turns, so that all bins
// have answers.
#include <math.h>
#include <string.h>

#include "adb_fast.h"
#include "bench_plots.h"

enum { BINS = 10, WORKS = 6 };

typedef struct Bins {
    double answers[BINS], wrong[BINS], stated[BINS], all;
    bool isSound;
} Bins;

static Bins askAll(Bench* bench, const ProbeScene* scene, const grzProbeFit* fit) {
    static const uint32_t works[WORKS] = {1, 2, 4, 8, 16, 40};
    Bins bins;
    memset(&bins, 0, sizeof bins);
    bins.isSound = true;
    for (size_t i = 0; i < scene->base.poses.count; ++i) {
        grzProbeBudget budget = grzUnlimitedProbeBudget();
        budget.work = works[i % WORKS];
        grzProbeQuery query = scene->queries[i];
        query.fit = fit;
        const grzProbeAnswer answer = ProbeScene_Ask(bench, &query, &budget);
        const double error = 1 - (double)answer.confidence;
        bins.isSound = bins.isSound && ProbeScene_IsSound(scene, i, &answer);
        if (answer.certainty == grz_exact)
            continue;
        const int bin = (int)(2 * BINS * error) < BINS ? (int)(2 * BINS * error) : BINS - 1;
        bins.answers[bin]++;
        bins.stated[bin] += error;
        bins.wrong[bin] += answer.touches != scene->base.poses.touches[i];
        bins.all++;
    }
    return bins;
}

// The largest ratio between stated and true errors, either way, of bins that hold 1 % of the answers.
static double worstRatio(const Bins* bins) {
    double worst = 1;
    for (int i = 0; i < BINS; ++i) {
        if (bins->answers[i] < 0.01 * bins->all)
            continue;
        const double ratio = (bins->wrong[i] + 0.5) / (bins->stated[i] + 0.5);
        worst = fmax(worst, fmax(ratio, 1 / ratio));
    }
    return worst;
}

static void print(Bench* bench, const ProbeScene* scene, const char* fitName, const Bins* bins) {
    char variant[120];
    fprintf(bench->out, "\n%s by the fit of %s\n%12s %12s %12s %12s\n", scene->base.name, fitName, "answers",
            "share", "stated", "wrong");
    for (int i = 0; i < BINS; ++i)
        if (bins->answers[i] > 0)
            fprintf(bench->out, "%12.0f %10.2f %% %10.2f %% %10.2f %%\n", bins->answers[i],
                    100 * bins->answers[i] / bins->all, 100 * bins->stated[i] / bins->answers[i],
                    100 * bins->wrong[i] / bins->answers[i]);
    snprintf(variant, sizeof variant, "%.40s by %.40s", scene->base.name, fitName);
    Bench_Count(bench, &(BenchCounter){.variant = variant,
                                       .metric = "worst bin",
                                       .unit = "times",
                                       .value = worstRatio(bins),
                                       .n = scene->base.triangleCount,
                                       .workers = 1,
                                       .same = bins->isSound});
}

static void plot(Bench* bench, const Bins* own, const Bins* foreign) {
    static const char* const names[] = {"own fit", "fit of another mesh", "true"};
    double x[3][BINS], y[3][BINS];
    const Bins* bins[2] = {own, foreign};
    for (int i = 0; i < BINS; ++i) {
        for (int s = 0; s < 2; ++s) {
            x[s][i] = 100 * bins[s]->stated[i] / bins[s]->answers[i];
            y[s][i] = 100 * bins[s]->wrong[i] / bins[s]->answers[i];
        }
        x[2][i] = y[2][i] = 50.0 * (i + 0.5) / BINS;
    }
    const PlotLine lines[] = {{x[0], y[0], BINS}, {x[1], y[1], BINS}, {x[2], y[2], BINS}};
    const PlotPanel panel = {"confidence", "stated error in %", "wrong answers in %", false, false, lines};
    const Plot figure = {"time-critical queries", names, 3, &panel, 1};
    if (Bench_WantsPlots(bench->options))
        Bench_WritePlot(bench, &figure, "adb_calibrate");
}

// ---- the time of a fit ----

typedef struct FitWork {
    Bench* bench;
    const ProbeScene* scene;
    grzProbeFit fit;
} FitWork;

static void runFit(void* context) {
    FitWork* work = context;
    if (!grzResult_IsOk(grzProbeFit_Make(NULL, work->scene->fitPoses.queries, (uint32_t)work->scene->fitPoses.count,
                                         work->bench->allocator, &work->fit)))
        Bench_Fail(work->bench, "adb: a fit was refused");
}

static void clearFit(void* context) {
    FitWork* work = context;
    memset(&work->fit, 0, sizeof work->fit);
}

static uint64_t digestFit(void* context) {
    const FitWork* work = context;
    return Bench_Digest(0, &work->fit, sizeof work->fit);
}

static bool isSameFit(void* context) {
    const FitWork* work = context;
    return memcmp(&work->fit, &work->scene->fit, sizeof work->fit) == 0;
}

static void measureFit(Bench* bench, const ProbeScene* scene) {
    FitWork work = {.bench = bench, .scene = scene};
    const BenchSide side = {"graze", NULL, runFit, digestFit, isSameFit, &work, clearFit};
    Bench_Measure(bench, &(BenchJob){.variant = scene->base.name,
                                     .metric = "fit",
                                     .unit = "ns/query",
                                     .amount = (double)scene->fitPoses.count,
                                     .n = scene->base.triangleCount,
                                     .workers = 1,
                                     .sides = &side,
                                     .sideCount = 1});
}

void benchAdbCalibrate(Bench* bench) {
    ProbeScene own, other;
    const size_t perDistance = bench->options->quick ? 20 : 8000;
    bool isMade = ProbeScene_Make(bench, false, perDistance, &own);
    isMade = ProbeScene_Make(bench, true, 20, &other) && isMade;
    if (isMade) {
        measureFit(bench, &own);
        const Bins bins = askAll(bench, &own, &own.fit), foreign = askAll(bench, &own, &other.fit);
        print(bench, &own, own.base.name, &bins);
        print(bench, &own, other.base.name, &foreign);
        plot(bench, &bins, &foreign);
    }
    ProbeScene_Release(bench, &other);
    ProbeScene_Release(bench, &own);
}
