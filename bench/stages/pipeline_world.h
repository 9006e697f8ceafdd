// What: the case "world" of the stage "pipeline": keyframed meshes in whole steps of a world.
#ifndef GRAZE_BENCH_PIPELINE_WORLD_H
#define GRAZE_BENCH_PIPELINE_WORLD_H

#include "bench.h"

void benchPipelineWorld(Bench* bench);

#endif
