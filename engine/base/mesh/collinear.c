// What: the exact test of collinear.h.
// Idea: three points are on one line where their shadows on the three coordinate planes are; a shadow's doubled
//       area is a 2 x 2 determinant. If a determinant in doubles is farther from zero than its rounding error can
//       be, that settles it: not collinear. Only where all three are too close to call are they summed exactly.
// Based on: [Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, DCG 1997]
//           for the filter (its bound A of orient2d). We differ: what the filter leaves goes to a long accumulator
//           instead of expansions, because those are exact only while nothing over- or underflows.
#include "collinear.h"

#include <float.h>
#include <math.h>

#include "exact_sum.h"

// (3 + 16 eps) eps with eps = 2^-53. [Shewchuk 1997] figure 21
#define ERROR_FACTOR ((3.0 + 8.0 * DBL_EPSILON) * (0.5 * DBL_EPSILON))

// True only if the shadow's area is not zero. The bound holds while no product underflows; where one does it is off
// by at most half the smallest subnormal, which DBL_MIN covers many times. An overflow makes an infinity or a NaN,
// and the comparison false.
static bool hasShadow(const double a[3], const double b[3], const double c[3], int x, int y) {
    const double left = (a[x] - c[x]) * (b[y] - c[y]);
    const double right = (a[y] - c[y]) * (b[x] - c[x]);
    return fabs(left - right) > ERROR_FACTOR * (fabs(left) + fabs(right)) + DBL_MIN;
}

// The doubled area of the shadow as a sum of products of the numbers as they were given: differences would round.
static bool hasExactShadow(const double a[3], const double b[3], const double c[3], int x, int y) {
    grzExactSum sum = {{0}};
    grzExactSum_AddProduct(&sum, a[x], b[y]);
    grzExactSum_AddProduct(&sum, -a[y], b[x]);
    grzExactSum_AddProduct(&sum, b[x], c[y]);
    grzExactSum_AddProduct(&sum, -b[y], c[x]);
    grzExactSum_AddProduct(&sum, c[x], a[y]);
    grzExactSum_AddProduct(&sum, -c[y], a[x]);
    return grzExactSum_Sign(&sum) != 0;
}

bool grzCollinear(const double a[3], const double b[3], const double c[3]) {
    if (hasShadow(a, b, c, 0, 1) || hasShadow(a, b, c, 1, 2) || hasShadow(a, b, c, 2, 0))
        return false;
    return !hasExactShadow(a, b, c, 0, 1) && !hasExactShadow(a, b, c, 1, 2) && !hasExactShadow(a, b, c, 2, 0);
}
