// Where a peer's pairs of triangles differ from ours, and what the exact test says of those that do.
#ifndef GRAZE_BENCH_MODEL_DIFFERENCES_H
#define GRAZE_BENCH_MODEL_DIFFERENCES_H

#include "bench.h"
#include "model_scene.h"

// Prints a table of a scene: a row for us and one for each peer of this build that is asked for, then the first few pairs
// that one side alone has, by number. Fails where the exact test does not say what we say.
void ModelScene_Differ(Bench* bench, const ModelScene* scene);

#endif
