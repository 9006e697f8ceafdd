// The case "standing" of the stage "step": a million bodies that stand, and 200 that move on them.
#ifndef GRAZE_BENCH_STEP_STANDING_H
#define GRAZE_BENCH_STEP_STANDING_H

#include "bench.h"

void standingCase(Bench* bench);

#endif
