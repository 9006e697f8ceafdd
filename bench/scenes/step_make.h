// Makes the scenes of the stage "step": pyramids, and pits that things fall into.
#ifndef GRAZE_BENCH_STEP_MAKE_H
#define GRAZE_BENCH_STEP_MAKE_H

#include "bench.h"
#include "step_scene.h"

// Unit boxes that touch, on the ground: `base` of them in the lowest row, one in the highest. False after Bench_Fail.
bool StepScene_MakePyramid(Bench* bench, size_t base, StepScene* scene);

// side x side x side unit boxes, or spheres of diameter 1, 0.2 apart and each shifted by up to 0.05 sidewise, so that
// none lands squarely on another; they fall into a pit that is as wide as they need, with high walls. Likewise.
bool StepScene_MakePit(Bench* bench, size_t side, bool ofSpheres, StepScene* scene);

// side x side x side unit boxes, each turned at random and 0.8 from the next, fall into a pit that is as wide as they need: they
// tumble and wedge, where those above come down flat in columns. In random order. Likewise.
bool StepScene_MakeTumble(Bench* bench, size_t side, StepScene* scene);

void StepScene_Release(Bench* bench, StepScene* scene);

#endif
