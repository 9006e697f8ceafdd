// What: the case "budget": wrong answers of queries whose work or time is bounded, and how well the bounds are kept.
#include "adb_fast.h"
#include "bench_machine.h"

enum { WORKS = 6, TIMES = 4 };

static void count(Bench* bench, const ProbeScene* scene, const char* variant, const char* metric, const char* unit,
                  double value, bool same) {
    Bench_Count(bench, &(BenchCounter){.variant = variant,
                                       .metric = metric,
                                       .unit = unit,
                                       .value = value,
                                       .n = scene->base.triangleCount,
                                       .workers = 1,
                                       .same = same});
}

static void boundWork(Bench* bench, const ProbeScene* scene) {
    static const uint32_t works[WORKS] = {1, 2, 4, 8, 16, 40};
    const double n = (double)scene->base.poses.count;
    for (int k = 0; k < WORKS; ++k) {
        grzProbeBudget budget = grzUnlimitedProbeBudget();
        char variant[80];
        double wrong = 0, stated = 0;
        bool isKept = true;
        budget.work = works[k];
        for (size_t i = 0; i < scene->base.poses.count; ++i) {
            const grzProbeAnswer answer = ProbeScene_Ask(bench, &scene->queries[i], &budget);
            wrong += answer.touches != scene->base.poses.touches[i];
            stated += 1 - (double)answer.confidence;
            isKept = isKept && answer.work <= budget.work && ProbeScene_IsSound(scene, i, &answer);
        }
        snprintf(variant, sizeof variant, "%.40s, %u units", scene->base.name, works[k]);
        count(bench, scene, variant, "wrong", "%", 100 * wrong / n, isKept);
        count(bench, scene, variant, "stated", "%", 100 * stated / n, isKept);
    }
}

// More than both 0.1 us and 10 % over.
static bool isOverrun(double nanoseconds, double microseconds) {
    return nanoseconds > 1000 * microseconds + 100 && nanoseconds > 1100 * microseconds;
}

static void boundTime(Bench* bench, const ProbeScene* scene) {
    static const double times[TIMES] = {2, 1, 0.5, 0.25};
    const double n = (double)scene->base.poses.count;
    for (int k = 0; k < TIMES; ++k) {
        grzProbeBudget budget = grzUnlimitedProbeBudget();
        char variant[80];
        double wrong = 0, overruns = 0;
        bool isSound = true;
        budget.microseconds = (float)times[k];
        for (size_t i = 0; i < scene->base.poses.count; ++i) {
            const uint64_t start = benchNow();
            const grzProbeAnswer answer = ProbeScene_Ask(bench, &scene->queries[i], &budget);
            overruns += isOverrun((double)(benchNow() - start), times[k]);
            isSound = isSound && ProbeScene_IsSound(scene, i, &answer);
            wrong += answer.touches != scene->base.poses.touches[i];
        }
        snprintf(variant, sizeof variant, "%.40s, %g us", scene->base.name, times[k]);
        count(bench, scene, variant, "wrong", "%", 100 * wrong / n, isSound);
        count(bench, scene, variant, "overruns", "of 1000", 1000 * overruns / n, isSound);
    }
}

void benchAdbBudget(Bench* bench) {
    ProbeScene scene;
    if (ProbeScene_Make(bench, false, bench->options->quick ? 20 : 1000, &scene)) {
        benchPin();
        boundWork(bench, &scene);
        boundTime(bench, &scene);
        benchUnpin();
    }
    ProbeScene_Release(bench, &scene);
}
