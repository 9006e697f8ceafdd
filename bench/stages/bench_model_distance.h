// The cases of the stage "models" that ask for distances.
#ifndef GRAZE_BENCH_BENCH_MODEL_DISTANCE_H
#define GRAZE_BENCH_BENCH_MODEL_DISTANCE_H

#include "bench.h"

void benchModelDistance(Bench* bench);
void benchModelFrames(Bench* bench);

#endif
