// A trial of Shagam's experiment: the trees of all variants over one scene, measured side by side.
#ifndef GRAZE_BENCH_PAPER_TRIAL_H
#define GRAZE_BENCH_PAPER_TRIAL_H

#include "bench.h"
#include "graze/tree.h"
#include "paper_scene.h"

typedef struct PaperVariant {
    const char* name;
    grzNesting nesting;
    grzRetention retention;
} PaperVariant;

// First the four heuristics leafy; then, for each of the two retention rules, the four, rank and the per-node
// choice.
enum {
    paper_heuristics = 4,
    paper_perRule = 6,
    paper_leafy = 0,
    paper_linear = paper_heuristics,
    paper_volume = paper_linear + paper_perRule,
    paper_variantCount = paper_volume + paper_perRule,
};

extern const PaperVariant paperVariants[paper_variantCount];

// Of one variant: means over the rounds. Times are nanoseconds of the processor.
typedef struct PaperResult {
    double splitTime;  // of the whole tree, from a root that holds all
    double queryTime;  // of one query
    double moveTime;   // of 1000 objects
    double workingSet; // objects that were tested, or taken with their whole node
    double visibleSet; // objects that overlap the query
    double depth;      // of the deepest node after the split
    bool same;         // in every query it found what the first variant found
} PaperResult;

// Measures all variants over a scene of n objects. False after Bench_Fail.
bool paperTrial(Bench* bench, PaperKind kind, size_t n, PaperResult results[paper_variantCount]);

#endif
