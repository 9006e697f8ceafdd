// What: the bounds of docs/ccd.md about areas and volumes by machine: what ccd_filter.c computes in doubles against rational arithmetic,
// whole and halved, over the classes of ccd_cases.h. Prints the greatest share of each bound that was used.
#include "../narrowphase/ccd_filter.c" // its functions are its own; the archive's object is not linked then

#include <gmp.h>

#include "ccd_cases.h"
#include "testing.h"

// The true polygon at a time, [corner][axis], and an area or the volume of it.
typedef struct Truth {
    mpq_t at[CCD_CORNERS][AXES];
    mpq_t time, value, term;
    const CcdPolygon* polygon;
} Truth;

static void truthInit(Truth* truth, const CcdPolygon* polygon) {
    truth->polygon = polygon;
    mpq_inits(truth->time, truth->value, truth->term, NULL);
    for (int i = 0; i < CCD_CORNERS * AXES; ++i)
        mpq_init(truth->at[i / AXES][i % AXES]);
}

static void truthClear(Truth* truth) {
    mpq_clears(truth->time, truth->value, truth->term, NULL);
    for (int i = 0; i < CCD_CORNERS * AXES; ++i)
        mpq_clear(truth->at[i / AXES][i % AXES]);
}

static void place(Truth* truth, double time) {
    mpq_set_d(truth->time, time);
    for (int k = 0; k < truth->polygon->cornerCount; ++k)
        for (int axis = 0; axis < AXES; ++axis) {
            mpq_t ends[2];
            for (int end = 0; end < 2; ++end) {
                mpq_init(ends[end]);
                mpq_set_d(ends[end], truth->polygon->points[end][truth->polygon->first[k]][axis]);
                mpq_set_d(truth->term, truth->polygon->points[end][truth->polygon->second[k]][axis]);
                mpq_sub(ends[end], ends[end], truth->term);
            }
            mpq_sub(ends[1], ends[1], ends[0]);
            mpq_mul(ends[1], ends[1], truth->time);
            mpq_add(truth->at[k][axis], ends[0], ends[1]);
            mpq_clears(ends[0], ends[1], NULL);
        }
}

// value = (corner i x corner j) along an axis.
static void setArea(Truth* truth, int i, int j, int axis) {
    const int u = (axis + 1) % AXES, v = (axis + 2) % AXES;
    mpq_mul(truth->value, truth->at[i][u], truth->at[j][v]);
    mpq_mul(truth->term, truth->at[i][v], truth->at[j][u]);
    mpq_sub(truth->value, truth->value, truth->term);
}

static void setVolume(Truth* truth) {
    mpq_t sum;
    mpq_init(sum);
    for (int axis = 0; axis < AXES; ++axis) {
        setArea(truth, 0, 1, axis);
        mpq_mul(truth->term, truth->value, truth->at[truth->polygon->cornerCount - 1][axis]);
        mpq_add(sum, sum, truth->term);
    }
    mpq_set(truth->value, sum);
    mpq_clear(sum);
}

// A Bernstein polynomial of doubles at s = n / 4, exactly, less the truth: how great a share of a bound.
static double shareOf(Truth* truth, const double* c, int degree, int n, double bound) {
    static const int binomials[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
    mpq_t sum;
    mpq_init(sum);
    for (int i = 0; i <= degree; ++i) {
        mpq_set_d(truth->term, c[i]);
        mpq_set_si(truth->time, binomials[degree][i], 1);
        mpq_mul(truth->term, truth->term, truth->time);
        for (int k = 0; k < degree; ++k) {
            mpq_set_si(truth->time, k < i ? n : 4 - n, 4);
            mpq_canonicalize(truth->time);
            mpq_mul(truth->term, truth->term, truth->time);
        }
        mpq_add(sum, sum, truth->term);
    }
    mpq_sub(sum, sum, truth->value);
    mpq_abs(sum, sum);
    mpq_set_d(truth->term, bound);
    double share = 0;
    if (mpq_sgn(sum) != 0) {
        assert_true(bound > 0);
        mpq_div(sum, sum, truth->term);
        share = mpq_get_d(sum);
    }
    mpq_clear(sum);
    return share;
}

// Errors are averaged between coefficients, so that a polynomial is off by the bound at most wherever its coefficients are.
static void checkPiece(Truth* truth, const Piece* piece, int axis, double shares[2]) {
    for (int n = 0; n <= 4; ++n) {
        place(truth, piece->t0 + n * ldexp(1, -piece->depth - 2));
        setVolume(truth);
        shares[0] = fmax(shares[0], shareOf(truth, piece->volume, 3, n, piece->volumeError));
        for (int k = 0; k < truth->polygon->cornerCount; ++k) {
            setArea(truth, k, (k + 1) % truth->polygon->cornerCount, axis);
            shares[1] = fmax(shares[1], shareOf(truth, piece->areas[k], 2, n, piece->areaError));
        }
    }
}

static void coefficientsAreWithinTheirBounds(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(98), 1);
    double shares[2] = {0, 0};
    uint32_t tried = 0;
    for (int i = 0; i < 640; ++i) {
        const grzCcdQuery query = ccdCase(&rng, (CcdClass)(i % ccd_classCount));
        const CcdPolygon polygon = ccdPolygon(&query);
        const int axis = i % AXES;
        Corners corners;
        makeCorners(&polygon, &corners);
        if (!isTame(&corners))
            continue;
        ++tried;
        Truth truth;
        Piece piece = {.t0 = 0, .depth = 0};
        truthInit(&truth, &polygon);
        makeVolume(&corners, &piece);
        makeAreas(&corners, axis, &piece);
        for (;;) {
            checkPiece(&truth, &piece, axis, shares);
            if (piece.depth == MOST_DEPTH)
                break;
            Piece halves[2];
            halvePiece(&piece, corners.count, halves);
            piece = halves[grzRng_Below(&rng, 2)];
        }
        truthClear(&truth);
    }
    printf("of the bounds: volume %.2f, area %.2f\n", shares[0], shares[1]);
    assert_true(tried > 300);
    assert_true(shares[0] > 0.01 && shares[0] < 1 && shares[1] > 0.01 && shares[1] < 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coefficientsAreWithinTheirBounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
