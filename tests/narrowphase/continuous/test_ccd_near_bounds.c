// What: the bounds of docs/ccd.md about distances by machine: what ccd_near.c computes in doubles against rational arithmetic, over the
// classes of ccd_cases.h. Half of each bound would do, so that they are no lucky ones.
#include "ccd_near.c" // its functions are its own; the archive's object is not linked then

#include "ccd_cases.h"
#include "ccd_check.h"
#include "ccd_oracle.h"
#include "testing.h"

// Back to the query's size. Upwards or downwards does not matter: exact but for the smallest numbers, which are left out.
static double sizeOf(const Motion* motion, double value) {
    return ldexp(value, motion->exponent);
}

static bool isTame(const Motion* motion, const grzCcdQuery* query) {
    return motion->exponent > -500 && motion->exponent < 900 && ccdReach(query) > sizeOf(motion, 0x1p-300);
}

// A distance is at most the sample's, and with half of the slack it still would be: rounding uses less than a half.
static void samplesAreNotBelow(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(95), 1);
    for (int i = 0; i < 3200; ++i) {
        const grzCcdQuery query = ccdCase(&rng, (CcdClass)(i % ccd_classCount));
        Motion motion;
        Sample sample;
        makeMotion(&query, &motion);
        sampleAt(&motion, ldexp((double)grzRng_Below(&rng, 1025), -10), &sample);
        if (!isTame(&motion, &query))
            continue;
        assert_true(ccdOracleDistance(&query, sample.time, sizeOf(&motion, sample.upper)) <= 0);
        assert_true(ccdOracleDistance(&query, sample.time, sizeOf(&motion, sample.upper - 0.5 * motion.slack)) <=
                    0);
    }
}

// The greatest distance for which a piece is told apart: found by halving, so that the bound is tried where it is tight.
static double greatestApart(const Motion* motion, const Sample* from, const Sample* to) {
    double low = 0, high = 4;
    if (!isApart(motion, from, to, 0))
        return 0;
    for (int i = 0; i < 200 && nextafter(low, high) < high; ++i) {
        const double middle = 0.5 * (low + high);
        if (isApart(motion, from, to, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void piecesAreFurtherThanIsSaid(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(96), 1);
    uint32_t tried = 0;
    for (int i = 0; i < 2400; ++i) {
        const grzCcdQuery query = ccdCase(&rng, (CcdClass)(i % ccd_classCount));
        const int depth = (int)grzRng_Below(&rng, 30);
        const double from = ldexp((double)grzRng_Below(&rng, 1u << depth), -depth), length = ldexp(1, -depth);
        Motion motion;
        Sample samples[2];
        makeMotion(&query, &motion);
        sampleAt(&motion, from, &samples[0]);
        sampleAt(&motion, from + length, &samples[1]);
        const double apart = greatestApart(&motion, &samples[0], &samples[1]);
        if (apart == 0 || !isTame(&motion, &query))
            continue;
        ++tried;
        for (int k = 0; k <= 4; ++k) {
            const double time = from + length * k / 4;
            assert_true(ccdOracleDistance(&query, time, sizeOf(&motion, apart)) > 0);
            assert_true(ccdOracleDistance(&query, time, sizeOf(&motion, apart + 0.5 * motion.slack)) > 0);
        }
    }
    assert_true(tried > 600);
}

// What is said of short pieces falls short of what is known of their ends by the square of their length.
static void theLossIsOfTheSecondOrder(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(97), 1);
    double losses[3] = {0, 0, 0};
    for (int i = 0; i < 400; ++i) {
        const grzCcdQuery query = ccdCase(&rng, ccd_screws);
        Motion motion;
        makeMotion(&query, &motion);
        for (int k = 0; k < 3; ++k) {
            const double length = ldexp(1, -4 - 4 * k);
            Sample samples[2];
            sampleAt(&motion, 0.5, &samples[0]);
            sampleAt(&motion, 0.5 + length, &samples[1]);
            const double least = fmin(lowestAlong(&samples[0], samples[0].normal, motion.count),
                                      lowestAlong(&samples[1], samples[1].normal, motion.count));
            if (least < 0.1 * motion.reach)
                continue;
            const double loss = least - greatestApart(&motion, &samples[0], &samples[1]);
            losses[k] = fmax(losses[k], loss / motion.reach);
        }
    }
    assert_true(losses[0] > 0 && losses[1] < losses[0] / 64 && losses[2] < losses[1] / 64 + 0x1p-40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplesAreNotBelow),
        cmocka_unit_test(piecesAreFurtherThanIsSaid),
        cmocka_unit_test(theLossIsOfTheSecondOrder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
