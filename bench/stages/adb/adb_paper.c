// What: see adb_paper.h.
//
//   printed   error and time of the paper's tree and of ours with the area constant of definition 2 as printed, and with one
//             chosen by the mesh's own queries (other poses); beside the exact query, and OPCODE
//   figures   8   the products of equation 8 over x           14  time over distance, four pipes
//             12  octree and boxes of the model               16  errors over distance, four pipes
//             15  entries of the paper's tables               17  p_min and k_min: times and errors
//             cells an axis: times and errors; table 1: bytes a node
#include "adb_paper.h"

#include <math.h>
#include <string.h>

#include "adb_chance.h"
#include "adb_methods.h"
#include "bench_plots.h"
#if defined(GRAZE_PEERS)
#    include "peer_models.h"
#endif

static const AdbParameter printedParameter = {0.99F, 10};

static void noteIf(Bench* bench, const AdbScene* scene, const char* variant, const char* metric, const char* unit,
                   double value, bool same) {
    Bench_Note(bench, &(BenchCounter){.variant = variant,
                                      .metric = metric,
                                      .unit = unit,
                                      .value = value,
                                      .n = scene->triangleCount,
                                      .workers = 1,
                                      .same = same});
}

static void note(Bench* bench, const AdbScene* scene, const char* variant, const char* metric, const char* unit,
                 double value) {
    noteIf(bench, scene, variant, metric, unit, value, true);
}

// --------------------------------------------------------------------------------------------------------- printed

// `most`: the errors in percent that make the row a NO.
static void printTally(Bench* bench, const AdbScene* scene, const char* method, double factor, double most,
                       const AdbTally* tally) {
    const double error = 100 * AdbTally_Error(tally, ADB_FIRST_COUNTED, ADB_STEPS - 1);
    const double middle = 100 * AdbTally_Error(tally, 10, 20);
    const double time = AdbTally_Time(tally, ADB_FIRST_COUNTED, ADB_STEPS - 1);
    size_t poses = 0;
    for (int step = 0; step < ADB_STEPS; ++step)
        poses += tally->counts[step];
    fprintf(bench->out, "%-24s %9zu %-30s %8.2g %8zu %10.2f %10.2f %12.2f\n", scene->name, scene->triangleCount,
            method, factor, poses, error, middle, 1e-3 * time);
    noteIf(bench, scene, method, "error", "%", error, error <= most);
    noteIf(bench, scene, method, "time", "ns/query", time, error <= most);
}

// By a method whose context counts its work.
static void runMethod(Bench* bench, const AdbScene* scene, AdbAnswerFn* answer, void* context, uint64_t* work,
                      double factor, const char* method) {
    AdbTally tally;
    const size_t stride = adbStride(scene, answer, context, work);
    if (stride != 0 && AdbScene_Run(scene, stride, answer, context, &tally))
        printTally(bench, scene, method, factor, factor < 1 ? 25 : 100, &tally);
}

static void runPlain(Bench* bench, const AdbScene* scene, const AdbScene* own) {
    AdbPlain plain;
    if (AdbPlain_Make(bench, scene, 8, 1, &plain)) {
        runMethod(bench, scene, answerByPlain, &plain, &plain.work, 1, "paper's tree, as printed");
        if (plain.givenUp != 0)
            fprintf(bench->out, "%-24s %9s given up as apart, trials among them: %zu\n", "", "", plain.givenUp);
        const uint32_t k = adbChoosePlain(bench, own, &plain);
        if (k < ADB_FACTORS) {
            PlainAdb_Use(&plain.adb, 1 + k);
            runMethod(bench, scene, answerByPlain, &plain, &plain.work, adbFactors[k],
                      "paper's tree, chosen constant");
        }
    }
    AdbPlain_Release(&plain);
}

static void runOurs(Bench* bench, const AdbScene* scene, double factor, const char* method) {
    AdbOurs ours;
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    def.areaFactor = (float)factor;
    if (AdbOurs_Make(bench, scene, def, &ours))
        runMethod(bench, scene, answerByOurs, &ours, &ours.work, factor, method);
    AdbOurs_Release(&ours);
}

#if defined(GRAZE_PEERS) && defined(GRAZE_OPCODE)
static bool answerByPeer(const AdbScene* scene, size_t i, void* context, bool* touches) {
    *touches = peerOpcodeModels.touch(context, &scene->poses.queries[i].poseA, &scene->poses.queries[i].poseB);
    return true;
}

static void runPeer(Bench* bench, const AdbScene* scene) {
    const PeerMesh mesh = {scene->positions, scene->triangles, scene->vertexCount, scene->triangleCount};
    AdbTally tally;
    if (!Bench_WantsPeers(bench))
        return;
    void* peer = peerOpcodeModels.create(&mesh);
    if (AdbScene_Run(scene, 1, answerByPeer, peer, &tally))
        printTally(bench, scene, peerOpcodeModels.name, 0, 5, &tally);
    peerOpcodeModels.destroy(peer);
}
#else
static void runPeer(Bench* bench, const AdbScene* scene) {
    if (Bench_WantsPeers(bench))
        Bench_Skip(bench, "%s: OPCODE is not in this build", scene->name);
}
#endif

static void printMesh(Bench* bench, size_t triangles) {
    AdbScene scene, own;
    AdbTally tally;
    const size_t orientations = Bench_Size(bench, 1000, 2);
    const bool isMade = AdbScene_Make(bench, triangles, &scene) &&
                        AdbPoses_Draw(bench, &scene, orientations, ADB_SEED, &scene.poses);
    own = scene;
    memset(&own.poses, 0, sizeof own.poses);
    if (isMade && AdbPoses_Draw(bench, &own, orientations / 4 + 1, ADB_SEED + 1, &own.poses)) {
        runPlain(bench, &scene, &own);
        if (!bench->failed)
            runOurs(bench, &scene, 1, "our boxes, as printed");
        const uint32_t k = adbChooseOurs(bench, &own, printedParameter);
        if (k < ADB_FACTORS)
            runOurs(bench, &scene, adbFactors[k], "our boxes, chosen constant");
        if (AdbScene_Run(&scene, 1, answerExactly, NULL, &tally))
            printTally(bench, &scene, "grzModels_Touch (exact)", 0, 0, &tally);
        runPeer(bench, &scene);
    }
    AdbPoses_Release(bench, &own.poses);
    AdbScene_Release(bench, &scene);
}

void benchAdbPrinted(Bench* bench) {
    static const size_t pipes[] = {2000, 10000, 40000, 125000};
    fprintf(bench->out, "seed %u; p_min 0.99, k_min 10, 8^3 cells; errors in %%, of distances\n", ADB_SEED);
    fprintf(bench->out, "%-24s %9s %-30s %8s %8s %10s %10s %12s\n", "mesh", "triangles", "", "constant", "poses",
            "0.4 - 2.1", "1 - 2", "us/query");
    if (bench->options->meshA != NULL || bench->options->quick)
        printMesh(bench, 300);
    else
        for (size_t k = 0; k < sizeof pipes / sizeof *pipes && !bench->failed; ++k)
            printMesh(bench, pipes[k]);
}

// --------------------------------------------------------------------------------------------------------- figures

enum { MOST_SERIES = 4 };

// Times in microseconds and errors in percent over distance, of several methods.
typedef struct Curves {
    const char* names[MOST_SERIES];
    double distance[ADB_STEPS], times[MOST_SERIES][ADB_STEPS], errors[MOST_SERIES][ADB_STEPS];
    size_t count;
} Curves;

static void addCurve(Bench* bench, const AdbScene* scene, Curves* curves, const char* figure, const char* name,
                     const AdbTally* tally) {
    const size_t k = curves->count++;
    curves->names[k] = name;
    for (int step = 0; step < ADB_STEPS; ++step) {
        curves->distance[step] = 0.1 * step;
        curves->times[k][step] = 1e-3 * AdbTally_Time(tally, step, step);
        curves->errors[k][step] = 100 * AdbTally_Error(tally, step, step);
    }
    const double time = 1e-3 * AdbTally_Time(tally, ADB_FIRST_COUNTED, ADB_STEPS - 1);
    const double error = 100 * AdbTally_Error(tally, ADB_FIRST_COUNTED, ADB_STEPS - 1);
    fprintf(bench->out, "%-12s %-24s %10zu triangles %12.2f us/query %8.2f %% wrong\n", figure, name,
            scene->triangleCount, time, error);
    note(bench, scene, name, "time", "us/query", time);
    note(bench, scene, name, "error", "%", error);
}

static void plotCurves(Bench* bench, const Curves* curves, const char* title, const char* file) {
    PlotLine lines[2][MOST_SERIES];
    for (size_t k = 0; k < curves->count; ++k) {
        lines[0][k] = (PlotLine){curves->distance, curves->times[k], ADB_STEPS};
        lines[1][k] = (PlotLine){curves->distance, curves->errors[k], ADB_STEPS};
    }
    const PlotPanel panels[] = {{"time", "distance", "us a query", false, true, lines[0]},
                                {"wrong answers", "distance", "%", false, false, lines[1]}};
    const Plot plot = {title, curves->names, curves->count, panels, 2};
    if (!bench->failed && Bench_WantsPlots(bench->options))
        Bench_WritePlot(bench, &plot, file);
}

static void addPlain(Bench* bench, const AdbScene* scene, Curves* curves, const char* figure, const char* name,
                     uint32_t resolution, double factor, AdbParameter parameter) {
    AdbPlain plain;
    AdbTally tally;
    const bool isMade = AdbPlain_Make(bench, scene, resolution, factor, &plain);
    plain.parameter = parameter;
    const size_t stride = isMade ? adbStride(scene, answerByPlain, &plain, &plain.work) : 0;
    if (stride != 0 && AdbScene_Run(scene, stride, answerByPlain, &plain, &tally))
        addCurve(bench, scene, curves, figure, name, &tally);
    AdbPlain_Release(&plain);
}

static void drawShapes(Bench* bench, const AdbScene* scene, double factor) {
    static const char* const names[] = {"boxes of the model", "octree"};
    Curves curves = {.count = 0};
    for (int shape = 0; shape < 2 && !bench->failed; ++shape) {
        AdbOurs ours;
        AdbTally tally;
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        def.shape = (grzAdbShape)shape;
        def.areaFactor = (float)factor;
        const bool isMade = AdbOurs_Make(bench, scene, def, &ours);
        const size_t stride = isMade ? adbStride(scene, answerByOurs, &ours, &ours.work) : 0;
        if (stride != 0 && AdbScene_Run(scene, stride, answerByOurs, &ours, &tally))
            addCurve(bench, scene, &curves, "figure 12", names[shape], &tally);
        AdbOurs_Release(&ours);
    }
    plotCurves(bench, &curves, "figure 12: octree and boxes", "adb-12-octree");
}

static void drawResolutions(Bench* bench, size_t orientations, double factor) {
    static const char* const names[] = {"pipes 1", "pipes 2", "pipes 3", "pipes 4"};
    static const size_t sizes[] = {2000, 10000, 40000, 125000};
    Curves curves = {.count = 0};
    BenchOptions options = *bench->options;
    const BenchOptions* given = bench->options;
    options.meshA = NULL; // pipes, whatever --mesh says
    bench->options = &options;
    for (size_t k = 0; k < 4 && !bench->failed; ++k) {
        AdbScene scene;
        if (AdbScene_Make(bench, options.quick ? 100 * (k + 1) : sizes[k], &scene) &&
            AdbPoses_Draw(bench, &scene, orientations, ADB_SEED, &scene.poses))
            addPlain(bench, &scene, &curves, "figures 14, 16", names[k], 8, factor, printedParameter);
        AdbScene_Release(bench, &scene);
    }
    bench->options = given;
    plotCurves(bench, &curves, "figures 14 and 16: complexity", "adb-14-16-complexity");
}

static void drawParameters(Bench* bench, const AdbScene* scene, double factor) {
    static const char* const names[2][3] = {{"p_min 0.5", "p_min 0.9", "p_min 0.99"},
                                            {"k_min 1", "k_min 5", "k_min 10"}};
    static const AdbParameter parameters[2][3] = {{{0.5F, 10}, {0.9F, 10}, {0.99F, 10}},
                                                  {{0.99F, 1}, {0.99F, 5}, {0.99F, 10}}};
    for (int which = 0; which < 2 && !bench->failed; ++which) {
        Curves curves = {.count = 0};
        for (int k = 0; k < 3 && !bench->failed; ++k)
            addPlain(bench, scene, &curves, "figure 17", names[which][k], 8, factor, parameters[which][k]);
        plotCurves(bench, &curves, which == 0 ? "figure 17: p_min" : "figure 17: k_min",
                   which == 0 ? "adb-17-p-min" : "adb-17-k-min");
    }
}

static void drawCells(Bench* bench, const AdbScene* scene, double factor) {
    static const char* const names[] = {"4^3 cells", "8^3 cells", "16^3 cells"};
    Curves curves = {.count = 0};
    for (uint32_t k = 0; k < 3 && !bench->failed; ++k)
        addPlain(bench, scene, &curves, "4.2.2", names[k], 4u << k, factor, printedParameter);
    plotCurves(bench, &curves, "section 4.2.2: cells", "adb-cells");
}

// Figure 8: typical pairs, with few and many possible cells, high and low in the trees.
static void drawProducts(Bench* bench, const double* logs) {
    static const char* const names[] = {"200, 60, 60, LB 0.5", "200, 60, 60, LB 0.9", "80, 20, 30, LB 0.7",
                                        "40, 10, 10, LB 0.6"};
    static const float cells[4][3] = {{200, 60, 60}, {200, 60, 60}, {80, 20, 30}, {40, 10, 10}};
    static const double lower[] = {0.5, 0.9, 0.7, 0.6};
    double x[ADB_MOST_X], y[4][ADB_MOST_X];
    AdbTails tails;
    PlotLine lines[4];
    memset(&tails, 0, sizeof tails);
    for (int k = 0; k < 4; ++k)
        tails.cells.u[k] = cells[k][0], tails.cells.v[k] = cells[k][1], tails.cells.w[k] = cells[k][2];
    GRZ_PICK_KERNEL(grzAdbTails)(logs, &tails);
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < ADB_MOST_X; ++i)
            x[i] = i + 1, y[k][i] = tails.atLeast[i][k] * (1 - pow(1 - lower[k], i + 1));
        lines[k] = (PlotLine){x, y[k], ADB_MOST_X};
    }
    const PlotPanel panel = {"s, s_A, s_B", "x", "product of equation 8", false, false, lines};
    const Plot plot = {"figure 8: the x of equation 8", names, 4, &panel, 1};
    if (Bench_WantsPlots(bench->options))
        Bench_WritePlot(bench, &plot, "adb-8-products");
}

// [Klein 2003] section 4.2.3: for each u and v <= w, until the probability is within 0.9e-5 of 1. Adds what each x needs for one v.
static void countEntries(const double* logs, uint32_t u, uint32_t v, double entries[ADB_MOST_X]) {
    bool isOpen[ADB_MOST_X];
    uint32_t open = ADB_MOST_X;
    memset(isOpen, 1, sizeof isOpen);
    for (uint32_t w = v; w <= u && open != 0; w += ADB_LANES) {
        AdbTails tails;
        for (uint32_t lane = 0; lane < ADB_LANES; ++lane) {
            tails.cells.u[lane] = (float)u, tails.cells.v[lane] = (float)v;
            tails.cells.w[lane] = (float)(w + lane < u ? w + lane : u);
        }
        GRZ_PICK_KERNEL(grzAdbTails)(logs, &tails);
        for (int x = 0; x < ADB_MOST_X; ++x)
            for (uint32_t lane = 0; lane < ADB_LANES && w + lane <= u && isOpen[x]; ++lane) {
                entries[x]++;
                isOpen[x] = tails.atLeast[x][lane] < 1 - 0.9e-5;
                open -= !isOpen[x];
            }
    }
}

static void drawTables(Bench* bench, const AdbScene* scene, const double* logs, uint32_t cells) {
    double entries[ADB_MOST_X] = {0}, x[ADB_MOST_X];
    static const char* const name = "4 bytes an entry";
    for (uint32_t u = 1; u <= cells; ++u)
        for (uint32_t v = 1; v <= u; ++v)
            countEntries(logs, u, v, entries);
    for (int k = 0; k < ADB_MOST_X; ++k) {
        x[k] = k + 1;
        entries[k] *= 4e-6;
        fprintf(bench->out, "figure 15    x = %2d: %8.1f MB\n", k + 1, entries[k]);
        note(bench, scene, "figure 15", "table", "MB", entries[k]);
    }
    const PlotLine line = {x, entries, ADB_MOST_X};
    const PlotPanel panel = {"lookup tables", "x", "MB", false, false, &line};
    const Plot plot = {"figure 15: memory of the paper's tables", &name, 1, &panel, 1};
    if (Bench_WantsPlots(bench->options))
        Bench_WritePlot(bench, &plot, "adb-15-tables");
}

static void printBytes(Bench* bench, const AdbScene* scene) {
    fprintf(bench->out, "table 1      bytes a node: paper: AABB tree 28, ADB-tree 36, sphere tree 16, OBB tree 64, "
                        "24-DOP tree 100\n");
    for (int regions = 0; regions < 2; ++regions) {
        AdbOurs ours;
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        def.regions = (grzAdbRegions)regions;
        if (AdbOurs_Make(bench, scene, def, &ours)) {
            const uint32_t more = grzAdbTree_GetView(ours.tree).bytesPerBox;
            fprintf(bench->out, "table 1      ours: a box 24, with counts%s %u\n",
                    regions == 0 ? "" : " of regions", 24 + more);
            note(bench, scene, regions == 0 ? "table 1" : "table 1, regions", "bytes", "bytes/box", 24.0 + more);
        }
        AdbOurs_Release(&ours);
    }
}

// By the poses that are drawn.
static double chooseFactor(Bench* bench, const AdbScene* scene) {
    AdbPlain plain;
    uint32_t k = ADB_FACTORS;
    if (AdbPlain_Make(bench, scene, 8, 1, &plain))
        k = adbChoosePlain(bench, scene, &plain);
    AdbPlain_Release(&plain);
    return k < ADB_FACTORS ? adbFactors[k] : 1;
}

void benchAdbFigures(Bench* bench) {
    AdbScene scene;
    const uint32_t cells = bench->options->quick ? 24 : 512;
    const size_t orientations = Bench_Size(bench, 1000, 1), triangles = bench->options->quick ? 200 : 10000;
    double* logs = Bench_Allocate(bench, 513, sizeof *logs);
    if (AdbScene_Make(bench, triangles, &scene) &&
        AdbPoses_Draw(bench, &scene, orientations, ADB_SEED, &scene.poses) && logs != NULL) {
        grzAdbLogs_Make(logs, 513);
        drawProducts(bench, logs);
        drawTables(bench, &scene, logs, cells);
        printBytes(bench, &scene);
        fprintf(bench->out, "seed %u; %zu poses; times and errors are of distances 0.4 to 2.1\n", ADB_SEED,
                scene.poses.count);
        const double factor = bench->options->quick ? 0.05 : chooseFactor(bench, &scene);
        drawShapes(bench, &scene, factor);
        drawResolutions(bench, orientations, factor);
        drawParameters(bench, &scene, factor);
        drawCells(bench, &scene, factor);
    }
    Bench_Release(bench, logs, 513, sizeof *logs);
    AdbScene_Release(bench, &scene);
}
