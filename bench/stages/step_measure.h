// Runs a source's scene through its steps beside a peer, and reports the rows of the stage "step".
#ifndef GRAZE_BENCH_STEP_MEASURE_H
#define GRAZE_BENCH_STEP_MEASURE_H

#include "step_world.h"

// With one worker beside Bullet, where peers are wanted and the scene is described; with more beside ourselves with one.
void benchSteps(Bench* bench, const StepSource* source);

#endif
