// What: keyframed cloth against itself in frames drawn between keyframes, for the case "self" of the stage "pipeline".
#ifndef GRAZE_BENCH_SELF_FRAMES_H
#define GRAZE_BENCH_SELF_FRAMES_H

#include "kinetic_scene.h"

// Rows of the last intervals of a scene, on one worker.
void benchSelfFrames(Bench* bench, KineticScene* scene);

#endif
