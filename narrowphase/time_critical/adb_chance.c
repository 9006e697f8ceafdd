// What: log-factorials.
// Idea: n! is kept as m 2^e. m, between 1 and 2, is a sum of two doubles, so that the product is right to 2^-100. Its
//   logarithm is a series. There is no call of libm, whose last bits differ from system to system.
#include "adb_chance.h"

#include <math.h>

#define LOG_2 0x1.62e42fefa39efp-1

// log m for 1 <= m <= 2: 2 artanh((m - 1) / (m + 1)). The argument is at most 1/3, so that the last term is below 2^-57.
static double logOf(double m) {
    const double z = (m - 1) / (m + 1), square = z * z;
    double sum = 0;
    for (int k = 33; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return 2 * z * sum;
}

void grzAdbLogs_Make(double* logs, uint32_t count) {
    double high = 1, low = 0; // of the mantissa
    int exponent = 0;
    for (uint32_t n = 0; n < count; ++n) {
        if (n > 1) {
            // n has at most 13 bits, so both products of the halves of `high` are exact.
            const double top = (double)(float)high, rest = high - top, factor = n;
            const double upper = top * factor, lower = rest * factor + low * factor;
            high = upper + lower;
            low = lower - (high - upper);
        }
        for (; high >= 2; ++exponent)
            high *= 0.5, low *= 0.5;
        logs[n] = exponent * LOG_2 + (logOf(high) + low / high);
    }
}
