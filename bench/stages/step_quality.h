// How well an engine did: what can be read off the poses that it left, and so by the same measure for every engine.
#ifndef GRAZE_BENCH_STEP_QUALITY_H
#define GRAZE_BENCH_STEP_QUALITY_H

#include "bench.h"
#include "graze/world.h"
#include "step_scene.h"

typedef struct StepQuality {
    double apex;       // the height of the highest centre
    double meanHeight; // of the centres
    double meanDepth;  // of the points in which bodies overlap
    double allDepth;   // of all contact points within the margin, those that are apart as 0
    double mostDepth;
    double rowDrift;  // of a pyramid: how far the row that went farthest sidewise did, its boxes' mean; else 0
    double bodyDrift; // likewise of its bodies, each by itself
    size_t above;     // bodies whose centre is above the ground
} StepQuality;

// Depths of the contacts of the last step, or Collide.
void StepQuality_FindDepths(grzWorld* world, StepQuality* quality);

// Depths come from a new world of the default margin with all bodies at those poses, where nothing is remembered. False after Bench_Fail.
bool StepQuality_Find(Bench* bench, const StepScene* scene, const StepPose* poses, StepQuality* quality);

#endif
