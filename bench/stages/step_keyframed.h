// What: the case "keyframed" of the stage "step": what a keyframed mesh costs a step, in refits of it.
#ifndef GRAZE_BENCH_STEP_KEYFRAMED_H
#define GRAZE_BENCH_STEP_KEYFRAMED_H

#include "bench.h"

void benchStepKeyframed(Bench* bench);

#endif
