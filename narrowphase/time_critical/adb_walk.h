// What: the traversal of figure 3, eight probabilities at a time.
//
//   AdbWalk walk = {.allocator = allocator};
//   result = grzAdbWalk_Begin(&walk, &query);
//   result = grzAdbWalk_Continue(&walk, units);
//   walk.isFinished, walk.touches, walk.found, walk.queue
//   grzAdbWalk_Release(&walk);
//
// Promise: after n units a walk is the same, however they were divided into calls.
// Threads: one at a time for a walk.
#ifndef GRAZE_NARROWPHASE_ADB_WALK_H
#define GRAZE_NARROWPHASE_ADB_WALK_H

#include "adb_inside.h"
#include "adb_queue.h"
#include "adb_volume.h"
#include "graze/stage/time_critical.h"

// Parameters of equation 6, as real numbers.
typedef struct AdbParameters {
    double s, sA, sB;
    double lower; // LB of equation 8
} AdbParameters;

// A pair that has left the queue, and the children on either side. A leaf stands for itself.
typedef struct AdbOpening {
    AdbPair parent;
    uint32_t firstA, countA, firstB, countB;
    uint32_t next; // of countA * countB pairs
} AdbOpening;

typedef struct AdbWalk {
    grzAllocator allocator;
    const grzAdbTree* trees[2];
    double turn[3][3], shift[3], scale; // from B's frame into A's: p -> scale * turn p + shift
    double pMin, sphereRatio;
    uint32_t kMin;
    grzAdbVolume volume;
    AdbQueue queue;
    AdbOpening opening; // the pair that is being opened
    bool isFinished, touches;
    bool hasMet;          // some boxes, but for the boxes of all, are not apart
    uint32_t found;       // pairs with pMin or more
    double likeliest;     // the greatest probability seen
    double likeliestLeaf; // of pairs of leaves that have left the queue
    uint64_t steps;       // pairs that have left the queue
    uint64_t chances;     // probabilities computed
} AdbWalk;

// Refuses what grzModels_Probe does for the published method alone. Allocates nothing. A walk that was refused is finished.
grzResult grzAdbWalk_Begin(AdbWalk* walk, const grzProbeQuery* query);

// At most so many units more, each of at most eight probabilities. grz_outOfMemory: the walk is as it was before the unit.
grzResult grzAdbWalk_Continue(AdbWalk* walk, uint64_t units);

// The probability that the models touch, as far as the walk knows: of its answer, else of the pairs that wait. Below 0: nothing
// is known.
double grzAdbWalk_Estimate(const AdbWalk* walk);

// The likeliest pairs that wait, likeliest first, with the one that is being opened; at most ADB_MOST_PEEKED. Returns how many.
uint32_t grzAdbWalk_Peek(const AdbWalk* walk, AdbPair* pairs, uint32_t capacity);

void grzAdbWalk_Release(AdbWalk* walk);

// Equations 2 to 5 and LB. All zeros where the boxes are apart.
AdbParameters grzAdbWalk_Parameters(const AdbWalk* walk, uint32_t a, uint32_t b);

// The probability that the surfaces in at most eight pairs of boxes intersect: computeProb of figure 5. Returns whether any of the
// boxes are not apart.
bool grzAdbWalk_Chances(const AdbWalk* walk, AdbPair* pairs, uint32_t count);

#endif
