// What: the case "self" of the stage "pipeline": a sheet against itself, from two frames to impacts.
#ifndef GRAZE_BENCH_PIPELINE_SELF_H
#define GRAZE_BENCH_PIPELINE_SELF_H

#include "bench.h"

void benchPipelineSelf(Bench* bench);

#endif
