// What: for how long the eight children of a box cannot touch another box, both in motion. See kernel.h for how it is built and
//   picked.
// Promise: a child whose step is s does not touch the partner before s from now, in real arithmetic.
// Threads: reads and writes the argument.
#ifndef GRAZE_NARROWPHASE_SWEEP_KERNEL_H
#define GRAZE_NARROWPHASE_SWEEP_KERNEL_H

#include "graze/bvh.h"
#include "kernel.h"

enum { SWEEP_DIRECTIONS = 6 };

// Vectors are three doubles, as seen at one time.
typedef struct SweepOpen {
    const grzBvhNode* node; // of the side that is opened
    double columns[3][3];   // its basis
    double arm[3];          // from its centre to its frame's origin
    double spin[3], rate;
    double lengths[3], spread; // as SweepSide has them
    double between[3];         // from its centre to the middle of the partner's box
    double halves[3][3];       // of the partner's box, from its middle to the middles of three faces
    double otherRadius;        // around that, with all errors
    double otherSize;          // from the middle to the farthest point, with radius and errors
    double otherReach[2];      // from the partner's axis to its box's middle; to the farthest point of the box
    double otherSpin[3], otherRate;
    double closing[3]; // how fast the centre nears the partner's
    double directions[SWEEP_DIRECTIONS][3];

    double steps[8]; // 0 or more; may be infinite
    double gaps[8];  // the widest; negative: they are so deep in each other
} SweepOpen;

GRZ_DECLARE_KERNEL(void, grzSweepOpen, (SweepOpen * open));

#endif
