// What: the traversal of figure 3, a step at a time.
//
//   AdbWalk walk = {.allocator = allocator};
//   result = grzAdbWalk_Begin(&walk, &query);
//   result = grzAdbWalk_Continue(&walk, steps);
//   walk.isFinished, walk.touches, walk.found, walk.queue
//   grzAdbWalk_Release(&walk);
//
// Promise: after n steps a walk is the same, however they were divided into calls.
// Threads: one at a time for a walk.
#ifndef GRAZE_NARROWPHASE_ADB_WALK_H
#define GRAZE_NARROWPHASE_ADB_WALK_H

#include "adb_inside.h"
#include "adb_queue.h"
#include "adb_volume.h"

// Parameters of equation 6, as real numbers.
typedef struct AdbParameters {
    double s, sA, sB;
    double lower; // LB of equation 8
} AdbParameters;

typedef struct AdbWalk {
    grzAllocator allocator;
    const grzAdbTree* trees[2];
    double turn[3][3], shift[3], scale; // from B's frame into A's: p -> scale * turn p + shift
    double pMin, sphereRatio;
    uint32_t kMin;
    grzAdbVolume volume;
    AdbQueue queue;
    bool isFinished, touches;
    uint32_t found;   // pairs with pMin or more
    double likeliest; // the greatest probability seen
    uint64_t steps, chances;
} AdbWalk;

// Refuses as grzAdbSearch_Begin does; the walk is then finished.
grzResult grzAdbWalk_Begin(AdbWalk* walk, const grzAdbQuery* query);

// At most so many steps more. grz_outOfMemory: the walk is as it was before the step.
grzResult grzAdbWalk_Continue(AdbWalk* walk, uint64_t steps);

void grzAdbWalk_Release(AdbWalk* walk);

// Equations 2 to 5 and LB. All zeros where the boxes are apart.
AdbParameters grzAdbWalk_Parameters(const AdbWalk* walk, uint32_t a, uint32_t b);

// The probability that the surfaces in at most eight pairs of boxes intersect: computeProb of figure 5.
void grzAdbWalk_Chances(const AdbWalk* walk, AdbPair* pairs, uint32_t count);

#endif
