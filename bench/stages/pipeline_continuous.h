// What: the case "continuous" of the stage "pipeline": impacts of all frames between keyframes, by one search for each interval.
#ifndef GRAZE_BENCH_PIPELINE_CONTINUOUS_H
#define GRAZE_BENCH_PIPELINE_CONTINUOUS_H

#include "bench.h"

void benchPipelineContinuous(Bench* bench);

#endif
