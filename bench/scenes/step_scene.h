// Scenes of boxes and spheres for the stage "step", described so that any engine can be given the same one.
//
// All bodies have density 1000 and friction 0.6 against one another, and do not bounce; gravity is 9.81 along -y.
#ifndef GRAZE_BENCH_STEP_SCENE_H
#define GRAZE_BENCH_STEP_SCENE_H

#include <stdbool.h>

#include "graze/linmath.h"

GRZ_EXTERN_C_BEGIN

#define STEP_SECONDS  (1.0f / 60.0f)
#define STEP_DENSITY  1000.0f
#define STEP_FRICTION 0.6f
#define STEP_GRAVITY  9.81f

typedef struct StepBody {
    grzVec3 origin;
    grzQuat rotation;
    grzVec3 half; // of a box
    float radius; // of a sphere; 0: a box
    bool isStatic;
} StepBody;

typedef struct StepPose {
    grzVec3 origin;
    grzQuat rotation;
} StepPose;

typedef struct StepScene {
    StepBody* bodies; // the first `fixed` are static, all others are not
    size_t count, capacity, fixed;
    size_t rows; // of a pyramid: row r, from 0, has rows - r boxes; bodies in the order of the rows. Else 0
} StepScene;

GRZ_EXTERN_C_END

#endif
