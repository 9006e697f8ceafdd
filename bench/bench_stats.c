// What: medians of repeated measurements.
#include "bench_stats.h"

#include <math.h>
#include <stdlib.h>

static int compareSamples(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

BenchSpread benchSpread(double* samples, size_t count) {
    qsort(samples, count, sizeof samples[0], compareSamples);
    BenchSpread spread = {0.5 * (samples[(count - 1) / 2] + samples[count / 2]), samples[0], samples[count - 1]};
    return spread;
}

double benchRatio(double ours, double peer, bool lowerIsBetter) {
    double above = lowerIsBetter ? peer : ours;
    double below = lowerIsBetter ? ours : peer;
    return below > 0 ? above / below : (double)NAN;
}
