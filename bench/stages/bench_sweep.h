// What: the cases "sweep" and "sweep-models" of the stage "ccd".
#ifndef GRAZE_BENCH_BENCH_SWEEP_H
#define GRAZE_BENCH_BENCH_SWEEP_H

#include "bench.h"

void benchSweepShapes(Bench* bench);
void benchSweepModels(Bench* bench);

#endif
