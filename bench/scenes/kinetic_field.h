// What: the left panel of the paper's figure 19: update time over n for two expanding spheres in a velocity field.
//
// Holds: vertices move by velocities alone; at each second those of triangles that would collide within it turn back, as the
// generated sequence tells (bench_sequences.h). From shortly before the spheres meet on, every second is drawn in a number of
// frames. A way is told which vertices turn, inside the clock; the refit gets positions that are ready.
// Based on: [Zachmann and Weller 2006] sections 8.1 and 9.
#ifndef GRAZE_BENCH_KINETIC_FIELD_H
#define GRAZE_BENCH_KINETIC_FIELD_H

#include "bench.h"

typedef enum KineticFieldWay { field_ordered, field_batched, field_box, field_refit, field_ways } KineticFieldWay;

typedef struct KineticFieldTimes {
    size_t n, frames, turns;
    double times[field_ways]; // processor nanoseconds for all frames; the median of the repeats
    bool same;                // the trees end with what a look at all positions gives, and stand up to their checks
} KineticFieldTimes;

enum { field_mostRepeats = 3 };

// Spheres of some n triangles. At most field_mostRepeats. False after Bench_Fail.
bool KineticFieldTimes_Measure(Bench* bench, size_t n, size_t framesPerSecond, size_t repeats,
                               KineticFieldTimes* times);

#endif
