// What: the case "figures" of the stage "kinetic": figures 18, 19 and 21 of the paper, as rows and as plots.
#ifndef GRAZE_BENCH_KINETIC_FIGURES_H
#define GRAZE_BENCH_KINETIC_FIGURES_H

#include "bench.h"

void benchKineticFigures(Bench* bench);

#endif
