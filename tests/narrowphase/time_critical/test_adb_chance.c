// Probabilities of collision cells against big integers, all small triples and random ones; equation 7 against equation 6;
// symmetry and monotony; every SIMD level.
#include "testing.h"

#include <gmp.h>
#include <math.h>

#include "adb_chance.h"
#include "rng.h"
#include "simd_dispatch.h"

enum { MOST = 512, LOG_COUNT = 4097 };
#define TOLERANCE 1e-9

static double g_logs[LOG_COUNT];

static AdbTails tailsOf(const uint32_t triples[8][3]) {
    AdbTails tails;
    for (int lane = 0; lane < 8; ++lane) {
        tails.cells.u[lane] = (float)triples[lane][0];
        tails.cells.v[lane] = (float)triples[lane][1];
        tails.cells.w[lane] = (float)triples[lane][2];
    }
    GRZ_PICK_KERNEL(grzAdbTails)(g_logs, &tails);
    return tails;
}

static double quotient(const mpz_t over, const mpz_t under) {
    long exponents[2];
    const double a = mpz_get_d_2exp(&exponents[0], over), b = mpz_get_d_2exp(&exponents[1], under);
    return ldexp(a / b, (int)(exponents[0] - exponents[1]));
}

// Equation 6 as it stands: the sum of C(w, t) C(u - w, v - t) over C(u, v).
static void expectTails(const uint32_t triple[3], double atLeast[ADB_MOST_X]) {
    const uint32_t u = triple[0], v = triple[1], w = triple[2];
    mpz_t all, left, term, other;
    mpz_inits(all, left, term, other, NULL);
    mpz_bin_uiui(all, u, v);
    mpz_set(left, all);
    for (uint32_t t = 0; t < ADB_MOST_X; ++t) {
        if (t <= v && t <= w && v - t <= u - w) {
            mpz_bin_uiui(term, w, t);
            mpz_bin_uiui(other, u - w, v - t);
            mpz_submul(left, term, other);
        }
        atLeast[t] = quotient(left, all);
    }
    mpz_clears(all, left, term, other, NULL);
}

static void checkEight(const uint32_t triples[8][3]) {
    const AdbTails tails = tailsOf(triples);
    for (int lane = 0; lane < 8; ++lane) {
        double expected[ADB_MOST_X];
        expectTails(triples[lane], expected);
        for (int x = 0; x < ADB_MOST_X; ++x)
            if (!(fabs(tails.atLeast[x][lane] - expected[x]) <= TOLERANCE))
                fail_msg("u %u v %u w %u, x %d: %.17g, expected %.17g", triples[lane][0], triples[lane][1],
                         triples[lane][2], x + 1, tails.atLeast[x][lane], expected[x]);
    }
}

static void smallTriplesAreRight(void** state) {
    (void)state;
    uint32_t triples[8][3];
    int count = 0;
    memset(triples, 0, sizeof triples);
    for (uint32_t u = 0; u <= 64; ++u)
        for (uint32_t v = 0; v <= u; ++v)
            for (uint32_t w = 0; w <= u; ++w) {
                const uint32_t triple[3] = {u, v, w};
                memcpy(triples[count], triple, sizeof triple);
                count = (count + 1) % 8;
                if (count == 0 || w == u)
                    checkEight((const uint32_t(*)[3])triples);
            }
}

static void drawTriple(grzRng* rng, uint32_t most, uint32_t triple[3]) {
    triple[0] = 1 + grzRng_Below(rng, most);
    // Half of them with few possible cells, as nodes mostly have.
    const uint32_t bound = grzRng_Below(rng, 2) == 0 && triple[0] > 30 ? 30 : triple[0];
    triple[1] = grzRng_Below(rng, bound + 1);
    triple[2] = grzRng_Below(rng, bound + 1);
}

static void randomTriplesAreRight(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 1);
    for (int i = 0; i < 12500; ++i) {
        uint32_t triples[8][3];
        for (int lane = 0; lane < 8; ++lane)
            drawTriple(&rng, MOST, triples[lane]);
        checkEight((const uint32_t(*)[3])triples);
    }
    for (int i = 0; i < 100; ++i) {
        uint32_t triples[8][3];
        for (int lane = 0; lane < 8; ++lane)
            drawTriple(&rng, LOG_COUNT - 1, triples[lane]);
        checkEight((const uint32_t(*)[3])triples);
    }
}

// Equation 7's product against the first tail of equation 6.
static void equation7Agrees(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 1);
    for (int i = 0; i < 5000; ++i) {
        uint32_t triples[8][3];
        for (int lane = 0; lane < 8; ++lane)
            drawTriple(&rng, MOST, triples[lane]);
        const AdbTails tails = tailsOf((const uint32_t(*)[3])triples);
        for (int lane = 0; lane < 8; ++lane) {
            const uint32_t u = triples[lane][0], v = triples[lane][1], w = triples[lane][2];
            double product = 1;
            for (uint32_t k = 1; k <= v; ++k)
                product *= fmax(1 - (double)w / (double)(u - v + k), 0);
            assert_true(fabs(tails.atLeast[0][lane] - (1 - product)) <= TOLERANCE);
        }
    }
}

static AdbChances drawChances(grzRng* rng) {
    AdbChances chances;
    memset(&chances, 0, sizeof chances);
    for (int lane = 0; lane < 8; ++lane) {
        uint32_t triple[3];
        drawTriple(rng, MOST, triple);
        chances.cells.u[lane] = (float)triple[0];
        chances.cells.v[lane] = (float)triple[1];
        chances.cells.w[lane] = (float)triple[2];
        chances.lower[lane] = (double)grzRng_Float(rng);
    }
    return chances;
}

// The largest of the products of equation 8, x from 1 to 10.
static void equation8IsTheGreatest(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 1);
    for (int i = 0; i < 5000; ++i) {
        AdbChances chances = drawChances(&rng);
        AdbTails tails = {.cells = chances.cells};
        GRZ_PICK_KERNEL(grzAdbChances)(g_logs, &chances);
        GRZ_PICK_KERNEL(grzAdbTails)(g_logs, &tails);
        for (int lane = 0; lane < 8; ++lane) {
            double best = 0;
            for (int x = 0; x < ADB_MOST_X; ++x)
                best = fmax(best, tails.atLeast[x][lane] * (1 - pow(1 - chances.lower[lane], x + 1)));
            assert_true(fabs(chances.chance[lane] - best) <= TOLERANCE);
            assert_true(chances.chance[lane] >= 0 && chances.chance[lane] <= 1);
        }
    }
}

static void sidesAreAlikeAndMoreCellsAreLikelier(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(4), 1);
    for (int i = 0; i < 5000; ++i) {
        AdbChances chances = drawChances(&rng), swapped = chances, more = chances;
        memcpy(swapped.cells.v, chances.cells.w, sizeof swapped.cells.v);
        memcpy(swapped.cells.w, chances.cells.v, sizeof swapped.cells.w);
        for (int lane = 0; lane < 8; ++lane)
            more.cells.v[lane] += more.cells.v[lane] < more.cells.u[lane] ? 1 : 0;
        GRZ_PICK_KERNEL(grzAdbChances)(g_logs, &chances);
        GRZ_PICK_KERNEL(grzAdbChances)(g_logs, &swapped);
        GRZ_PICK_KERNEL(grzAdbChances)(g_logs, &more);
        assert_memory_equal(chances.chance, swapped.chance, sizeof chances.chance);
        for (int lane = 0; lane < 8; ++lane)
            assert_true(more.chance[lane] >= chances.chance[lane] - 4e-12);
    }
}

static void levelsGiveTheSameBytes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(5), 1);
    for (int i = 0; i < 2000; ++i) {
        const AdbChances given = drawChances(&rng);
        AdbChances expected = given;
        grzAdbChances_At(grz_simdScalar)(g_logs, &expected);
        for (int level = 0; level < 32; ++level) {
            AdbChances chances = given;
            if ((grzSimd_SupportedBits() >> level & 1) == 0)
                continue;
            grzAdbChances_At((grzSimdLevel)level)(g_logs, &chances);
            assert_memory_equal(&chances, &expected, sizeof chances);
        }
    }
}

static void logarithmsAreRight(void** state) {
    (void)state;
    for (int n = 0; n < LOG_COUNT; ++n)
        assert_true(fabs(g_logs[n] - lgamma(n + 1.0)) <= 4e-15 * (1 + lgamma(n + 1.0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithmsAreRight),     cmocka_unit_test(smallTriplesAreRight),
        cmocka_unit_test(randomTriplesAreRight),  cmocka_unit_test(equation7Agrees),
        cmocka_unit_test(equation8IsTheGreatest), cmocka_unit_test(sidesAreAlikeAndMoreCellsAreLikelier),
        cmocka_unit_test(levelsGiveTheSameBytes),
    };
    grzAdbLogs_Make(g_logs, LOG_COUNT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
