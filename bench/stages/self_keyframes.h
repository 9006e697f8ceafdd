// What: keyframed cloth against itself, for the case "self" of the stage "pipeline".
#ifndef GRAZE_BENCH_SELF_KEYFRAMES_H
#define GRAZE_BENCH_SELF_KEYFRAMES_H

#include "kinetic_scene.h"

// Rows of the last intervals of a scene, which has all of the workers in turn.
void benchSelfKeyframes(Bench* bench, KineticScene* scene);

#endif
