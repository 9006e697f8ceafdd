// What: pair fronts over kinetic trees beside other ways to the same pairs: figure 22 of [Zachmann and Weller 2006].
#ifndef GRAZE_BENCH_PIPELINE_FRONT_H
#define GRAZE_BENCH_PIPELINE_FRONT_H

#include "bench.h"

void benchPipelineFront(Bench* bench);

#endif
