// collinear.h: against cross products of integers, with points that are on a line or one unit off it, at every
// scale a double has; and where differences of doubles would round, over- or underflow.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "collinear.h"
#include "rng.h"

__extension__ typedef __int128 Wide;

typedef struct Lattice {
    int64_t at[3];
} Lattice;

static int64_t randomBelow(grzRng* random, int64_t limit) {
    return (int64_t)(grzRng_Next64(random) % (uint64_t)(2 * limit - 1)) - (limit - 1);
}

// Coordinates below 2^56: differences below 2^57, their products below 2^114.
static bool isOnLine(const Lattice* a, const Lattice* b, const Lattice* c) {
    for (int x = 0; x < 3; ++x) {
        const int y = (x + 1) % 3;
        const Wide left = (Wide)(a->at[x] - c->at[x]) * (b->at[y] - c->at[y]);
        const Wide right = (Wide)(a->at[y] - c->at[y]) * (b->at[x] - c->at[x]);
        if (left != right)
            return false;
    }
    return true;
}

// Every order of the three points must say the same.
static void check(const Lattice points[3], int scale, bool* wasOnLine) {
    double scaled[3][3];
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            scaled[k][axis] = ldexp((double)points[k].at[axis], scale);
    const bool expected = isOnLine(&points[0], &points[1], &points[2]);
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(grzCollinear(scaled[k], scaled[(k + 1) % 3], scaled[(k + 2) % 3]), expected);
        assert_int_equal(grzCollinear(scaled[k], scaled[(k + 2) % 3], scaled[(k + 1) % 3]), expected);
    }
    *wasOnLine = expected;
}

// Three points of a line through the lattice, the whole below 2^bits; sometimes with one coordinate one unit off.
static void makeNearLine(Lattice points[3], int bits, grzRng* random) {
    const int64_t steps = 1 + (int64_t)(grzRng_Next64(random) % 1000);
    const int64_t reach = ((int64_t)1 << bits) / (steps + 1);
    Lattice start, direction;
    for (int axis = 0; axis < 3; ++axis) {
        start.at[axis] = randomBelow(random, reach > 1 ? reach : 2);
        direction.at[axis] = grzRng_Next64(random) % 4 == 0 ? 0 : randomBelow(random, reach > 1 ? reach : 2);
    }
    for (int k = 0; k < 3; ++k) {
        const int64_t step = (int64_t)(grzRng_Next64(random) % (uint64_t)steps);
        for (int axis = 0; axis < 3; ++axis)
            points[k].at[axis] = start.at[axis] + step * direction.at[axis];
    }
    if (grzRng_Next64(random) % 2 == 0)
        points[grzRng_Next64(random) % 3].at[grzRng_Next64(random) % 3] += grzRng_Next64(random) % 2 == 0 ? 1 : -1;
}

static void checkMany(int bits, int lowestScale, int highestScale, uint64_t seed) {
    grzRng random = grzRng_Make(testSeed(seed), 0);
    int onLineCount = 0, offLineCount = 0;
    for (int round = 0; round < 10000; ++round) {
        Lattice points[3];
        makeNearLine(points, bits, &random);
        const int scale = lowestScale + (int)(grzRng_Next64(&random) % (uint64_t)(highestScale - lowestScale + 1));
        bool wasOnLine;
        check(points, scale, &wasOnLine);
        onLineCount += wasOnLine;
        offLineCount += !wasOnLine;
    }
    assert_true(onLineCount > 1000 && offLineCount > 1000);
}

static void agreesWithIntegersOnFloats(void** state) {
    (void)state;
    checkMany(23, -149, 104, 0x5eed0010);
}

static void agreesWithIntegersOnDoubles(void** state) {
    (void)state;
    checkMany(51, -1074, 972, 0x5eed0011);
}

static void agreesWithIntegersAtTheSmallEnd(void** state) {
    (void)state;
    checkMany(51, -1074, -1000, 0x5eed0012);
}

static void agreesWithIntegersAtTheLargeEnd(void** state) {
    (void)state;
    checkMany(51, 960, 972, 0x5eed0013);
}

// Ends on both sides of the origin with all 53 bits used: their difference is not a double. The point between them
// is, where it is near the origin. Everything is in quarters of a unit, so that the points at 1/4, 2/4 and 3/4 are
// whole.
static void differencesThatRoundAreDecided(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(0x5eed0014), 0);
    int onLineCount = 0, offLineCount = 0;
    for (int round = 0; round < 20000; ++round) {
        Lattice points[3];
        const int64_t quarters = 1 + grzRng_Below(&rng, 3);
        bool isWhole = true;
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t end = ((int64_t)1 << 52) + (int64_t)(grzRng_Next64(&rng) >> 12);
            const int64_t other = -end * quarters / (4 - quarters) + randomBelow(&rng, 64);
            points[0].at[axis] = 4 * end;
            points[1].at[axis] = 4 * other;
            points[2].at[axis] = quarters * end + (4 - quarters) * other;
            for (int k = 0; k < 3; ++k)
                isWhole &= (int64_t)(double)points[k].at[axis] == points[k].at[axis];
        }
        if (grzRng_Below(&rng, 2) == 0)
            points[2].at[grzRng_Below(&rng, 3)] += 1;
        if (!isWhole)
            continue;
        bool wasOnLine;
        check(points, -2, &wasOnLine);
        onLineCount += wasOnLine;
        offLineCount += !wasOnLine;
    }
    assert_true(onLineCount > 1000 && offLineCount > 1000);
}

// x near 1/8 and -3/8 with differences that round, y a few of the smallest subnormals: the products are rounded to
// whole subnormals, where half of one is as good as the other way, though nothing but a last bit of x differs.
static void productsThatUnderflowAreDecided(void** state) {
    (void)state;
    int triedCount = 0;
    for (int64_t i = -40; i <= 40; ++i) {
        for (int64_t j = -40; j <= 40; ++j) {
            const double a = 0.125 + ldexp((double)i, -55), c = -0.375 - ldexp((double)j, -54);
            const double b = (3 * a + c) / 4; // near 0, so exact where the sum is
            if (3 * (Wide)ldexp(a, 60) + (Wide)ldexp(c, 60) != 4 * (Wide)ldexp(b, 60))
                continue;
            ++triedCount;
            for (int n = 1; n <= 9; n += 2) {
                const double u = ldexp(n, -1074);
                const double at[3][3] = {{a, 4 * u, 0}, {b, 3 * u, 0}, {c, 0, 0}};
                for (int k = 0; k < 6; ++k)
                    assert_true(grzCollinear(at[k % 3], at[(k + 1 + k / 3) % 3], at[(k + 2 - k / 3) % 3]));
                const double off[3] = {b, 3 * u + ldexp(1, -1074), 0};
                assert_false(grzCollinear(at[0], off, at[2]));
            }
        }
    }
    assert_true(triedCount > 1000);
}

static void tinyLatticeHasEveryCase(void** state) {
    (void)state;
    for (int code = 0; code < 27 * 27 * 27; ++code) {
        Lattice points[3];
        for (int k = 0, rest = code; k < 9; ++k, rest /= 3)
            points[k / 3].at[k % 3] = rest % 3 - 1;
        bool wasOnLine;
        check(points, 0, &wasOnLine);
    }
}

// Coordinates 2000 binary places apart: no double holds a difference, and no expansion their products.
static void mixedMagnitudesAreDecided(void** state) {
    (void)state;
    const double large = ldexp(1, 1000), small = ldexp(1, -1000);
    const double origin[3] = {0, 0, 0};
    const double near[3] = {large, small, 0};
    double far[3] = {2 * large, 2 * small, 0};
    assert_true(grzCollinear(origin, near, far));
    far[1] = nextafter(far[1], 1);
    assert_false(grzCollinear(origin, near, far));
    far[1] = 2 * small;
    far[2] = ldexp(1, -1074);
    assert_false(grzCollinear(origin, near, far));
    const double low[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, high[3] = {DBL_MAX, DBL_MAX, DBL_MAX};
    double middle[3] = {1, 1, 1};
    assert_true(grzCollinear(low, high, middle));
    middle[2] = nextafter(1, 2);
    assert_false(grzCollinear(low, high, middle));
    middle[2] = 1;
    assert_true(grzCollinear(low, middle, high));
}

// 0.1, 0.2 and 0.3 are not what they look like: as doubles 0.3 is not 0.1 + 0.2.
static void decimalsAreTakenAsTheyAre(void** state) {
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {0.1, 0.1, 1}, c[3] = {0.2, 0.2, 2}, d[3] = {0.3, 0.3, 3};
    assert_true(grzCollinear(a, b, c));
    assert_false(grzCollinear(a, b, d));
    const double minusZero[3] = {-0.0, 0.0, -0.0};
    assert_true(grzCollinear(a, minusZero, b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreesWithIntegersOnFloats),      cmocka_unit_test(agreesWithIntegersOnDoubles),
        cmocka_unit_test(agreesWithIntegersAtTheSmallEnd), cmocka_unit_test(agreesWithIntegersAtTheLargeEnd),
        cmocka_unit_test(differencesThatRoundAreDecided),  cmocka_unit_test(productsThatUnderflowAreDecided),
        cmocka_unit_test(tinyLatticeHasEveryCase),         cmocka_unit_test(mixedMagnitudesAreDecided),
        cmocka_unit_test(decimalsAreTakenAsTheyAre),
    };
    return cmocka_run_group_tests_name("collinear", tests, NULL, NULL);
}
