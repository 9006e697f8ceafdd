// The scene of the stage "pairs": cubes that drift about in a larger cube.
//
// Half extents are uniform in 1 .. 10 and the room is 15.3 n^(1/3) on a side, so that a box overlaps about 3.8
// others, whatever n is. Each box moves by 0.5 a frame in a fixed direction of its own and turns back at the walls,
// so that the scene is as crowded after many frames as at first. Boxes lie in memory in random order.
#ifndef GRAZE_BENCH_MOVING_BOXES_H
#define GRAZE_BENCH_MOVING_BOXES_H

#include "bench.h"
#include "graze/linmath.h"

typedef struct MovingBoxes {
    size_t count;
    float side;          // of the room, whose lower corner is the origin
    grzVec3* centers;    // stay in the room; boxes may stick out
    grzVec3* velocities; // a frame
    float* halves;
    grzBox* boxes;   // exactly center - half .. center + half, as floats round them
    uint32_t* moved; // which boxes move, rising
    size_t movedCount;
} MovingBoxes;

// Boxes 0, stride, 2 stride, ... move and the others rest. The same n gives the same scene. False after Bench_Fail.
bool MovingBoxes_Make(Bench* bench, size_t n, size_t stride, MovingBoxes* scene);
void MovingBoxes_Release(Bench* bench, MovingBoxes* scene);

// On to the next frame.
void MovingBoxes_Advance(MovingBoxes* scene);

#endif
