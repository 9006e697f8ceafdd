// What: meshes in contact whose vertices all move in every step, of which nothing is known beforehand.
#ifndef GRAZE_BENCH_PIPELINE_PHYSICS_H
#define GRAZE_BENCH_PIPELINE_PHYSICS_H

#include "bench.h"

void benchPipelinePhysics(Bench* bench);

#endif
