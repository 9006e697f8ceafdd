// What: the stage "adb": time-critical queries.
#include <string.h>

#include "adb_fast.h"
#include "adb_methods.h"
#include "adb_paper.h"
#include "bench_machine.h"

// What a tree costs beside its model: to make it, and to count again after a refit.
static void measureTree(Bench* bench, const AdbScene* scene, grzAdbTreeDef def, const char* variant) {
    AdbOurs ours;
    const double n = (double)scene->triangleCount;
    uint64_t start = benchProcessorTime();
    const bool isMade = AdbOurs_Make(bench, scene, def, &ours);
    const double build = (double)(benchProcessorTime() - start) / n;
    double refresh = 0;
    if (isMade && def.shape == grz_adbOfModel) {
        for (size_t i = 0; i < 3 * scene->vertexCount; ++i)
            scene->positions[i] *= 0.9999F;
        if (!grzResult_IsOk(grzModel_Refit(scene->model, NULL, scene->positions, 0)))
            Bench_Fail(bench, "adb: a refit was refused");
        start = benchProcessorTime();
        while (grzAdbTree_Refresh(ours.tree, NULL, 16) != 0)
            continue;
        refresh = (double)(benchProcessorTime() - start) / n;
    }
    if (isMade) {
        const grzAdbTreeView view = grzAdbTree_GetView(ours.tree);
        fprintf(bench->out, "%-24s %-22s %9u boxes %4u bytes a box %12.0f %12.0f\n", scene->name, variant,
                view.boxCount, view.bytesPerBox, build, refresh);
        const char* const metrics[] = {"build", "refresh"};
        const double values[] = {build, refresh};
        for (int k = 0; k < 2; ++k)
            Bench_Note(bench, &(BenchCounter){.variant = variant,
                                              .metric = metrics[k],
                                              .unit = "ns/triangle",
                                              .value = values[k],
                                              .n = scene->triangleCount,
                                              .workers = 1,
                                              .same = true});
    }
    AdbOurs_Release(&ours);
}

static void costCase(Bench* bench) {
    AdbScene scene;
    if (AdbScene_Make(bench, Bench_Size(bench, 10000, 300), &scene)) {
        static const char* const names[] = {"no regions", "grid regions", "pyramids"};
        fprintf(bench->out, "%-24s %-55s %12s %12s\n", "mesh", "", "ns/triangle:", "");
        fprintf(bench->out, "%-24s %-55s %12s %12s\n", "", "", "build", "refresh");
        for (int regions = 0; regions < 3; ++regions) {
            grzAdbTreeDef def = grzDefaultAdbTreeDef();
            def.regions = (grzAdbRegions)regions;
            measureTree(bench, &scene, def, names[regions]);
        }
        grzAdbTreeDef octree = grzDefaultAdbTreeDef();
        octree.shape = grz_adbOctree;
        measureTree(bench, &scene, octree, "octree");
    }
    AdbScene_Release(bench, &scene);
}

static const BenchCase cases[] = {
    {"printed", "ADB-trees as printed: errors and times; --n: orientations a distance", benchAdbPrinted,
     bench_usesN | bench_usesMesh | bench_usesPeers},
    {"figures", "the figures of Klein and Zachmann, drawn with plain_adb", benchAdbFigures,
     bench_usesN | bench_usesMesh | bench_usesPlots},
    {"cost", "building a tree, and counting again after a refit", costCase, bench_usesN | bench_usesMesh},
    {"fast", "queries with an error of 1 %, beside exact ones: mean, p99, wrong answers", benchAdbFast,
     bench_usesN | bench_usesMesh},
    {"budget", "wrong answers where work or time is bounded, and whether the bounds are kept", benchAdbBudget,
     bench_usesN | bench_usesMesh},
    {"calibrate", "the time of a fit, and stated beside true errors, of its mesh and of another one",
     benchAdbCalibrate, bench_usesN | bench_usesMesh | bench_usesSecondMesh | bench_usesPlots},
    {"many", "a batch of queries on several workers, beside plain arithmetic", benchAdbMany,
     bench_usesN | bench_usesMesh | bench_usesWorkers},
};

const BenchStage benchAdb = {"adb", "time-critical queries of two meshes: ADB-trees and fast ones", cases,
                             sizeof cases / sizeof cases[0]};
