// Where the plots of cases go: the folder of --svg, else one of the build.
#ifndef GRAZE_BENCH_BENCH_PLOTS_H
#define GRAZE_BENCH_BENCH_PLOTS_H

#include "bench.h"
#include "svg_plot.h"

// Whether a run that takes no time for plots (--quick) was asked for them all the same.
bool Bench_WantsPlots(const Bench* bench);

// Writes name.svg there and says so. Bench_Fail where it cannot.
void Bench_WritePlot(Bench* bench, const Plot* plot, const char* name);

#endif
