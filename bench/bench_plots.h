// Where the plots of cases go: the folder of --svg, else one of the build.
#ifndef GRAZE_BENCH_BENCH_PLOTS_H
#define GRAZE_BENCH_BENCH_PLOTS_H

#include "bench.h"
#include "svg_plot.h"

// Whether plots are drawn: --quick takes no time for them, unless it is asked for them.
bool Bench_WantsPlots(const BenchOptions* options);

// Why no plot can be written, before anything is measured; an empty text where it can.
void Bench_CheckPlots(const BenchOptions* options, char* error, size_t capacity);

// Writes name.svg there and says so. Bench_Fail where it cannot.
void Bench_WritePlot(Bench* bench, const Plot* plot, const char* name);

#endif
