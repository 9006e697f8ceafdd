// What: the case "paper" of the stage "tree": Shagam's experiment, as a table and as plots in the shape of his
// figures 4.1 to 4.5.
//
// Each figure shows a distribution: time of a query, of 1000 moves and of splitting the tree, working set beside
// visible set, and depth, by the number of objects. There are two of each: with the retention rule of the
// appendix's code, which is linear in the radius, and with the rule of the text, by volume. Rank and the per-node
// choice are not Shagam's.
#include "bench_tree.h"

#include <stdio.h>
#include <string.h>

#include "bench_plots.h"
#include "paper_trial.h"

enum { mostSizes = 7 };

typedef struct Experiment {
    size_t sizes[mostSizes], sizeCount;
    PaperResult results[PAPER_KIND_COUNT][mostSizes][paper_variantCount];
} Experiment;

// ------------------------------------------------------------------------------------------------------- table

static void printHead(FILE* out, PaperKind kind) {
    fprintf(out, "\n%s: spheres of radius 1 .. 10 in a cube of side n^(1/3); a query of 10 x 10 x 10; 1000 moves\n",
            paperKindName(kind));
    fprintf(out, "%9s  %-18s %12s %12s %12s %12s %12s %6s  %s\n", "n", "variant", "query us", "moves us",
            "split ms", "working set", "visible set", "depth", "same");
}

static void printResult(FILE* out, size_t n, const PaperVariant* variant, const PaperResult* r) {
    fprintf(out, "%9zu  %-18s %12.2f %12.1f %12.3f %12.1f %12.1f %6.0f  %s\n", n, variant->name,
            r->queryTime * 1e-3, r->moveTime * 1e-3, r->splitTime * 1e-6, r->workingSet, r->visibleSet, r->depth,
            r->same ? "yes" : "NO");
    fflush(out);
}

static void noteResult(Bench* bench, PaperKind kind, size_t n, const PaperVariant* variant, const PaperResult* r) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", paperKindName(kind), variant->name);
    const struct {
        const char *metric, *unit;
        double value;
    } numbers[] = {{"query", "ns", r->queryTime},
                   {"moves", "ns/1000 moves", r->moveTime},
                   {"split", "ns", r->splitTime},
                   {"working-set", "objects", r->workingSet},
                   {"visible-set", "objects", r->visibleSet},
                   {"depth", "nodes", r->depth}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        Bench_Note(bench, &(BenchCounter){.variant = name,
                                          .metric = numbers[i].metric,
                                          .unit = numbers[i].unit,
                                          .value = numbers[i].value,
                                          .n = n,
                                          .workers = 1,
                                          .same = r->same});
}

// ------------------------------------------------------------------------------------------------------- plots

// A number of a result, by its place.
typedef struct Quantity {
    const char *title, *unit;
    size_t offset;
    double factor;
} Quantity;

static const Quantity quantities[] = {
    {"query time", "us", offsetof(PaperResult, queryTime), 1e-3},
    {"time of 1000 moves", "us", offsetof(PaperResult, moveTime), 1e-3},
    {"time to split the tree", "ms", offsetof(PaperResult, splitTime), 1e-6},
    {"working set", "objects", offsetof(PaperResult, workingSet), 1},
    {"maximum depth", "nodes", offsetof(PaperResult, depth), 1},
};

enum {
    quantityCount = sizeof quantities / sizeof quantities[0],
    depthQuantity = quantityCount - 1, // the only one on a linear axis
    workingQuantity = 3,
    mostLines = paper_perRule + 1, // and the visible set
};

static const Quantity visibleSet = {"visible set", "objects", offsetof(PaperResult, visibleSet), 1};

// The lines of a figure, and where their numbers lie.
typedef struct Figure {
    double x[mostSizes];
    double y[quantityCount][mostLines][mostSizes];
    PlotLine lines[quantityCount][mostLines];
    PlotPanel panels[quantityCount];
} Figure;

static PlotLine makeLine(const Experiment* experiment, PaperKind kind, size_t variant, const Quantity* quantity,
                         const double* x, double* y) {
    for (size_t i = 0; i < experiment->sizeCount; ++i) {
        const char* result = (const char*)&experiment->results[kind][i][variant];
        double value;
        memcpy(&value, result + quantity->offset, sizeof value);
        y[i] = quantity->factor * value;
    }
    return (PlotLine){x, y, experiment->sizeCount};
}

static void beginFigure(const Experiment* experiment, Figure* figure) {
    memset(figure, 0, sizeof *figure);
    for (size_t i = 0; i < experiment->sizeCount; ++i)
        figure->x[i] = (double)experiment->sizes[i];
}

// Figures 4.2 to 4.5: a distribution under a rule, which is the index of the rule's first variant.
static void plotKind(Bench* bench, const Experiment* experiment, PaperKind kind, size_t rule) {
    static const char* const names[mostLines] = {"K-D",  "ternary",  "octree",     "icoseptree",
                                                 "rank", "per node", "visible set"};
    const char* ruleName = rule == paper_linear ? "linear" : "volume";
    Figure figure;
    char title[96], name[64];
    beginFigure(experiment, &figure);
    for (size_t q = 0; q < quantityCount; ++q) {
        for (size_t v = 0; v < paper_perRule; ++v)
            figure.lines[q][v] = makeLine(experiment, kind, rule + v, &quantities[q], figure.x, figure.y[q][v]);
        if (q == workingQuantity)
            figure.lines[q][paper_perRule] =
                makeLine(experiment, kind, rule, &visibleSet, figure.x, figure.y[q][paper_perRule]);
        figure.panels[q] = (PlotPanel){quantities[q].title, "objects",      quantities[q].unit, true,
                                       q != depthQuantity,  figure.lines[q]};
    }
    snprintf(title, sizeof title, "%s distribution, %s retention", paperKindName(kind), ruleName);
    snprintf(name, sizeof name, "paper-%s-%s", paperKindName(kind), ruleName);
    Bench_WritePlot(bench, &(Plot){title, names, mostLines, figure.panels, quantityCount}, name);
}

// Figure 4.1: each heuristic with its three ways to keep objects.
static void plotLeafy(Bench* bench, const Experiment* experiment) {
    static const char* const titles[] = {"K-D", "ternary", "octree", "icoseptree"};
    static const char* const names[] = {"leafy", "linear", "volume"};
    static const size_t rules[] = {paper_leafy, paper_linear, paper_volume};
    Figure figure;
    beginFigure(experiment, &figure);
    for (size_t h = 0; h < paper_heuristics; ++h) {
        for (size_t rule = 0; rule < 3; ++rule)
            figure.lines[h][rule] =
                makeLine(experiment, paper_uniform, rules[rule] + h, &quantities[0], figure.x, figure.y[h][rule]);
        figure.panels[h] = (PlotPanel){titles[h], "objects", "query, us", true, true, figure.lines[h]};
    }
    Bench_WritePlot(bench,
                    &(Plot){"uniform distribution, leafy and not", names, 3, figure.panels, paper_heuristics},
                    "paper-leafy");
}

static void writePlots(Bench* bench, const Experiment* experiment) {
    fprintf(bench->out, "\n");
    for (int kind = 0; kind < PAPER_KIND_COUNT && !bench->failed; ++kind) {
        plotKind(bench, experiment, (PaperKind)kind, paper_linear);
        plotKind(bench, experiment, (PaperKind)kind, paper_volume);
    }
    if (!bench->failed)
        plotLeafy(bench, experiment);
}

// -------------------------------------------------------------------------------------------------------- case

// Half a decade apart, from a thousand to a million; with --quick a thousand and ten thousand.
static void chooseSizes(const Bench* bench, Experiment* experiment) {
    static const size_t usual[mostSizes] = {1000, 3000, 10000, 30000, 100000, 300000, 1000000};
    memcpy(experiment->sizes, usual, sizeof usual);
    experiment->sizeCount = mostSizes;
    if (bench->options->quick)
        experiment->sizes[1] = 10000, experiment->sizeCount = 2;
    if (bench->options->n != 0)
        experiment->sizes[0] = bench->options->n, experiment->sizeCount = 1;
}

static void runKind(Bench* bench, Experiment* experiment, PaperKind kind) {
    printHead(bench->out, kind);
    for (size_t i = 0; i < experiment->sizeCount; ++i) {
        PaperResult* results = experiment->results[kind][i];
        if (!paperTrial(bench, kind, experiment->sizes[i], results))
            return;
        for (size_t v = 0; v < paper_variantCount; ++v) {
            printResult(bench->out, experiment->sizes[i], &paperVariants[v], &results[v]);
            noteResult(bench, kind, experiment->sizes[i], &paperVariants[v], &results[v]);
        }
    }
}

void benchTreePaper(Bench* bench) {
    Experiment* experiment = Bench_Allocate(bench, 1, sizeof *experiment);
    if (experiment == NULL)
        return;
    chooseSizes(bench, experiment);
    for (int kind = 0; kind < PAPER_KIND_COUNT && !bench->failed; ++kind)
        runKind(bench, experiment, (PaperKind)kind);
    if (!bench->failed && Bench_WantsPlots(bench->options))
        writePlots(bench, experiment);
    Bench_Release(bench, experiment, 1, sizeof *experiment);
}
