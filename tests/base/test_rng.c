// rng.h: the published output of PCG32's demonstration program, uniformity where a bias would show, exact floats.
#include "testing.h"

#include "rng.h"

// Round 1 of check-pcg32 with seed 42 and stream 54, as published with the generator's reference implementation.
static void agreesWithThePublishedRound(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(42, 54);
    const uint32_t numbers[6] = {0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e};
    for (int i = 0; i < 6; ++i)
        assert_int_equal(grzRng_Next(&rng), numbers[i]);
    grzRng_Skip(&rng, UINT64_MAX - 5); // six back
    for (int i = 0; i < 6; ++i)
        assert_int_equal(grzRng_Next(&rng), numbers[i]);
    const char coins[] = "HHTTTHTHHHTHTTTHHHHHTTTHHHTHTHTHTTHTTTHHHHHHTTTTHHTTTTTHTTTTTTTHT";
    for (const char* coin = coins; *coin != 0; ++coin)
        assert_int_equal(grzRng_Below(&rng, 2) != 0 ? 'H' : 'T', *coin);
    const char rolls[] = "341122324324335231315141564662633";
    for (const char* roll = rolls; *roll != 0; ++roll)
        assert_int_equal('1' + (int)grzRng_Below(&rng, 6), *roll);
    int cards[52];
    for (int i = 0; i < 52; ++i)
        cards[i] = i;
    for (uint32_t i = 52; i > 1; --i) {
        const uint32_t chosen = grzRng_Below(&rng, i);
        const int card = cards[chosen];
        cards[chosen] = cards[i - 1];
        cards[i - 1] = card;
    }
    const char dealt[] = "QdKs6d3s3d4c3hTdKc5cJhKdJdAs4s4hAdThAcJc7sQs2s7hKh2d6cAh4dQh9h6s5s2c9cTs8d9s3c8cJs5d2h6h"
                         "7d8s9d5h8hQc7cTc";
    for (int i = 0; i < 52; ++i) {
        assert_int_equal("A23456789TJQK"[cards[i] / 4], dealt[2 * i]);
        assert_int_equal("hcds"[cards[i] % 4], dealt[2 * i + 1]);
    }
}

static void skippingEqualsStepping(void** state) {
    (void)state;
    const uint64_t seed = testSeed(31);
    for (uint64_t steps = 0; steps < 300; ++steps) {
        grzRng stepped = grzRng_Make(seed, 7), skipped = stepped;
        for (uint64_t i = 0; i < steps; ++i)
            grzRng_Next(&stepped);
        grzRng_Skip(&skipped, steps);
        assert_true(stepped.state == skipped.state && stepped.increment == skipped.increment);
        grzRng_Skip(&skipped, UINT64_MAX);
        grzRng_Skip(&skipped, 1);
        assert_true(stepped.state == skipped.state);
    }
}

static void streamsAndSeedsDiffer(void** state) {
    (void)state;
    grzRng a = grzRng_Make(1, 1), b = grzRng_Make(1, 2), c = grzRng_Make(2, 1);
    int same = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint32_t number = grzRng_Next(&a);
        same += number == grzRng_Next(&b);
        same += number == grzRng_Next(&c);
    }
    assert_true(same < 3);
}

// A generator whose next number is the given one. With five zeros on top nothing is turned, and what is left to
// undo is x ^ x >> 18.
static grzRng makeRngBefore(uint32_t number) {
    const uint64_t folded = (uint64_t)number << 27;
    grzRng rng = {folded ^ folded >> 18 ^ folded >> 36 ^ folded >> 54, 1};
    grzRng copy = rng;
    assert_int_equal(grzRng_Next(&copy), number);
    return rng;
}

static void boundedNumbersHaveNoBias(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(32), 0);
    // Taking a plain remainder by 3 * 2^30 would make the first third twice as likely as the others.
    const uint32_t bound = UINT32_C(3) << 30;
    const int count = 30000;
    int thirds[3] = {0};
    for (int i = 0; i < count; ++i) {
        const uint32_t number = grzRng_Below(&rng, bound);
        assert_true(number < bound);
        thirds[number >> 30]++;
    }
    for (int i = 0; i < 3; ++i)
        assert_true(abs(thirds[i] - count / 3) < 500); // six standard deviations
    for (int i = 0; i < 100; ++i)
        assert_int_equal(grzRng_Below(&rng, 1), 0);
    uint32_t seen = 0;
    for (int i = 0; i < 1000; ++i)
        seen |= UINT32_C(1) << grzRng_Below(&rng, 10);
    assert_int_equal(seen, 0x3FF);
}

static void exactlyTheUnevenPartIsDrawnAgain(void** state) {
    (void)state;
    const uint32_t bound = UINT32_C(3) << 30, uneven = UINT32_C(1) << 30; // 2^32 = bound + uneven
    grzRng refused = makeRngBefore(uneven - 1), taken = makeRngBefore(uneven);
    grzRng next = refused;
    grzRng_Next(&next);
    assert_int_equal(grzRng_Below(&refused, bound), grzRng_Below(&next, bound));
    assert_int_equal(refused.state, next.state);
    assert_int_equal(grzRng_Below(&taken, bound), uneven);
}

static void floatsAreExactAndBelowOne(void** state) {
    (void)state;
    grzRng low = makeRngBefore(0), high = makeRngBefore(UINT32_MAX);
    assert_true(grzRng_Float(&high) == 1.0f - 0x1p-24f);
    assert_true(grzRng_Float(&low) == 0.0f);
    grzRng rng = grzRng_Make(testSeed(33), 0);
    double sum = 0;
    for (int i = 0; i < 100000; ++i) {
        const float number = grzRng_Float(&rng);
        assert_true(number >= 0.0f && number < 1.0f);
        assert_true(number * 0x1p24f == (float)(uint32_t)(number * 0x1p24f));
        const double fine = grzRng_Double(&rng);
        assert_true(fine >= 0.0 && fine < 1.0);
        assert_true(fine * 0x1p53 == (double)(uint64_t)(fine * 0x1p53));
        sum += (double)number + fine;
    }
    assert_true(sum > 99000 && sum < 101000);
}

static void wideNumbersAreTwoNarrowOnes(void** state) {
    (void)state;
    grzRng a = grzRng_Make(5, 6), b = a;
    const uint64_t high = grzRng_Next(&a), low = grzRng_Next(&a);
    assert_true(grzRng_Next64(&b) == (high << 32 | low));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreesWithThePublishedRound),
        cmocka_unit_test(skippingEqualsStepping),
        cmocka_unit_test(streamsAndSeedsDiffer),
        cmocka_unit_test(boundedNumbersHaveNoBias),
        cmocka_unit_test(exactlyTheUnevenPartIsDrawnAgain),
        cmocka_unit_test(floatsAreExactAndBelowOne),
        cmocka_unit_test(wideNumbersAreTwoNarrowOnes),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
