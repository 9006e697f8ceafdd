// All stages of graze-bench.
#ifndef GRAZE_BENCH_STAGES_H
#define GRAZE_BENCH_STAGES_H

#include "bench.h"

extern const BenchStage* const benchStages[];
extern const size_t benchStageCount;

#endif
