// What: see growth_fit.h.
#include "growth_fit.h"

#include <math.h>

double benchFitPower(const double* sizes, const double* costs, size_t count) {
    double meanX = 0, meanY = 0, used = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; ++i)
        if (sizes[i] > 0 && costs[i] > 0)
            meanX += log(sizes[i]), meanY += log(costs[i]), used += 1;
    meanX /= used, meanY /= used;
    for (size_t i = 0; i < count; ++i)
        if (sizes[i] > 0 && costs[i] > 0) {
            const double x = log(sizes[i]) - meanX;
            xx += x * x, xy += x * (log(costs[i]) - meanY);
        }
    return xx > 0 ? xy / xx : (double)NAN;
}
