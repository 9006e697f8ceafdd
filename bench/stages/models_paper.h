// What: van den Bergen's tables on today's machine, printed as tables: his trees as printed, and ours.
#ifndef GRAZE_BENCH_MODELS_PAPER_H
#define GRAZE_BENCH_MODELS_PAPER_H

#include "bench.h"

void benchModelsPaper(Bench* bench);

#endif
