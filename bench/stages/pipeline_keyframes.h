// What: the cases "keyframes" and "sequences" of the stage "pipeline".
#ifndef GRAZE_BENCH_PIPELINE_KEYFRAMES_H
#define GRAZE_BENCH_PIPELINE_KEYFRAMES_H

#include "bench.h"

void benchPipelineKeyframes(Bench* bench);
void benchPipelineSequences(Bench* bench);

#endif
