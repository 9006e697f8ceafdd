// What: the case "headline" of the stage "kinetic": the paper's main claim, that event-ordered trees are up to ten times as fast as
// bottom-up updates, beside its own bottom-up update and beside ours.
#ifndef GRAZE_BENCH_KINETIC_HEADLINE_H
#define GRAZE_BENCH_KINETIC_HEADLINE_H

#include "bench.h"

void benchKineticHeadline(Bench* bench);

// From how many frames an interval on a gain is reached, of gains at rising rates: between two rates as a power of the rate, below
// the first and above the last in proportion to it.
double benchRateOfGain(const double* rates, const double* gains, size_t count, double gain);

#endif
