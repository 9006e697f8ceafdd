// What: how fast a cost grows: the power p for which cost = c * size^p fits best, by least squares in logarithms.
#ifndef GRAZE_BENCH_GROWTH_FIT_H
#define GRAZE_BENCH_GROWTH_FIT_H

#include <stddef.h>

// The slope of log cost over log size. Sizes and costs must be above zero; points where one is not are left out. NaN where fewer
// than two sizes are left.
double benchFitPower(const double* sizes, const double* costs, size_t count);

#endif
