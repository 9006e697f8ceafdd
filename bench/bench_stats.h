// The few statistics of repeated measurements, and which way a ratio points.
#ifndef GRAZE_BENCH_STATS_H
#define GRAZE_BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct BenchSpread {
    double median; // of an even count: the mean of the middle two
    double lower;  // the least
    double upper;  // the greatest
} BenchSpread;

// Sorts the samples in place. count > 0.
BenchSpread benchSpread(double* samples, size_t count);

// How many times we are ahead of the peer: above 1 is better for us, whichever way the metric points. NaN where it
// has no meaning, because the number it would divide by is not above zero.
double benchRatio(double ours, double peer, bool lowerIsBetter);

#endif
