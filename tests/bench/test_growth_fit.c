// growth_fit.h: the power is that of exact powers, at any scale and in any order; noise that is even leaves it; what has no logarithm
// is left out.
#include "testing.h"

#include <math.h>

#include "growth_fit.h"
#include "rng.h"

enum { mostPoints = 40 };

static bool isNear(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance;
}

static void exactPowersAreFound(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(31), 0);
    for (int trial = 0; trial < 200; ++trial) {
        const size_t count = 2 + grzRng_Below(&rng, mostPoints - 1);
        const double power = (double)grzRng_Below(&rng, 600) / 100 - 3;
        const double scale = exp((double)grzRng_Below(&rng, 40) - 20);
        double sizes[mostPoints], costs[mostPoints];
        for (size_t i = 0; i < count; ++i) {
            sizes[i] = 1 + (double)i + (double)grzRng_Below(&rng, 1000) / 2000;
            costs[i] = scale * pow(sizes[i], power);
        }
        assert_true(isNear(benchFitPower(sizes, costs, count), power, 1e-9));
    }
}

// The normal equations, solved by hand: points (0, 0), (1, 2), (2, 1) in logarithms have the slope 1/2.
static void itIsLeastSquares(void** state) {
    (void)state;
    const double sizes[] = {1, exp(1), exp(2)}, costs[] = {1, exp(2), exp(1)};
    assert_true(isNear(benchFitPower(sizes, costs, 3), 0.5, 1e-12));
    const double four[] = {1, exp(1), exp(2), exp(5)}, steps[] = {1, exp(1), exp(1), exp(4)};
    assert_true(isNear(benchFitPower(four, steps, 4), 11.0 / 14, 1e-12));
}

static void nLogNIsTheFirstPowerOfItselfAndMoreThanThatOfN(void** state) {
    (void)state;
    double n[mostPoints], cost[mostPoints];
    for (size_t i = 0; i < mostPoints; ++i)
        n[i] = 2000 * pow(1.13, (double)i), cost[i] = 7 * n[i] * log(n[i]);
    const double power = benchFitPower(n, cost, mostPoints);
    assert_true(power > 1.05 && power < 1.15);
    double nLogN[mostPoints];
    for (size_t i = 0; i < mostPoints; ++i)
        nLogN[i] = n[i] * log(n[i]);
    assert_true(isNear(benchFitPower(nLogN, cost, mostPoints), 1, 1e-9));
}

static void whatHasNoLogarithmIsLeftOut(void** state) {
    (void)state;
    const double sizes[] = {2, 0, 4, 8, -1, 16, 32}, costs[] = {4, 5, 16, 0, 3, -7, 1024};
    assert_true(isNear(benchFitPower(sizes, costs, 7), 2, 1e-12));
}

static void oneSizeHasNoPower(void** state) {
    (void)state;
    const double sizes[] = {3, 3}, costs[] = {4, 5};
    assert_true(isnan(benchFitPower(sizes, costs, 0)));
    assert_true(isnan(benchFitPower(sizes, costs, 1)));
    assert_true(isnan(benchFitPower(sizes, costs, 2)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactPowersAreFound),
        cmocka_unit_test(itIsLeastSquares),
        cmocka_unit_test(nLogNIsTheFirstPowerOfItselfAndMoreThanThatOfN),
        cmocka_unit_test(whatHasNoLogarithmIsLeftOut),
        cmocka_unit_test(oneSizeHasNoPower),
    };
    return cmocka_run_group_tests_name("growth_fit", tests, NULL, NULL);
}
