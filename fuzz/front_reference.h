// What pair fronts are held to, by the fuzz target and the tests: the separation list of two meshes that move, or of one with itself, found
// from scratch in rational numbers; and boxes of all pairs of leaves, one by one.
#ifndef GRAZE_FUZZ_FRONT_REFERENCE_H
#define GRAZE_FUZZ_FRONT_REFERENCE_H

#include "graze/stage/pair_fronts.h"

// Whether the front holds at a time, to which it was advanced, what a search from the roots comes to, and no other pair, and whether its
// view has the overlapping leaves of all pairs; of one tree with itself without those in free nodes, if the front culls. Both plans are in
// the caller's numbers and have one grid. Where it culls no keyframe of its piece was dropped.
bool frontHolds(const grzPairFront* front, double time);

// The time of the next event of the front or of a change in its trees; infinity: none that is known.
double nextFrontEvent(const grzPairFront* front);

#endif
