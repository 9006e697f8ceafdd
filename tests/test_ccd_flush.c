// What: continuous queries while the processor takes numbers below the normal ones for 0, in what it reads and in what it writes: the
// answers are those of the oracle, which is asked without these modes.
#include <float.h>
#include <math.h>

#include "ccd_cases.h"
#include "ccd_oracle.h"
#include "graze/ccd_earliest.h"
#include "graze/ccd_near.h"
#include "testing.h"

#if defined(__x86_64__) || defined(__SSE2__)
#    include <xmmintrin.h>

enum { canFlush = 1 };

static void setFlush(bool flushes) {
    const unsigned both = 0x8040; // FTZ and DAZ
    _mm_setcsr(flushes ? _mm_getcsr() | both : _mm_getcsr() & ~both);
}
#elif defined(__aarch64__)
enum { canFlush = 1 };

static void setFlush(bool flushes) {
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    modes = flushes ? modes | UINT64_C(1) << 24 : modes & ~(UINT64_C(1) << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(modes));
}
#else
enum { canFlush = 0 };

static void setFlush(bool flushes) {
    (void)flushes;
}
#endif

static void theModesAreOn(void** state) {
    (void)state;
    volatile double tiny = DBL_MIN;
    setFlush(true);
    const volatile double half = tiny / 2;
    setFlush(false);
    assert_true(!canFlush || half == 0);
}

// The class, or one whose numbers are brought to the edge of the normal ones.
static grzCcdQuery queryOf(grzRng* rng, int i) {
    grzCcdQuery query = ccdCase(rng, i % 2 == 0 ? ccd_subnormal : (CcdClass)(i / 2 % ccd_classCount));
    const int scale = i % 4 == 1 ? -1020 : i % 4 == 3 ? -1040 : 0;
    for (int k = 0; k < 24 && i % 2 == 1 && (i / 2 % ccd_classCount) <= ccd_morePlaces; ++k)
        query.points[k / 12][k / 3 % 4][k % 3] = ldexp(query.points[k / 12][k / 3 % 4][k % 3], scale);
    return query;
}

static void impactsAreTheOracles(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(91), 1);
    for (int i = 0; i < 1600; ++i) {
        const grzCcdQuery query = queryOf(&rng, i);
        const CcdOracle oracle = ccdOracle(&query, 40);
        grzCcdImpact impact;
        bool touches;
        grzCertainty certainty;
        setFlush(true);
        const grzResult result = grzCcd_FindImpact(&query, 0, &impact),
                        other = grzCcd_Touches(&query, &touches, &certainty);
        setFlush(false);
        assert_true(grzResult_IsOk(result) && grzResult_IsOk(other));
        assert_int_equal(impact.certainty, grz_exact);
        assert_true(impact.touches == oracle.touches && touches == oracle.touches && certainty == grz_exact);
        if (oracle.touches)
            assert_true(impact.t0 <= oracle.t1 && impact.t1 >= oracle.t0);
    }
}

static void orderIsTheOracles(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(92), 1);
    for (int i = 0; i < 400; ++i) {
        const grzCcdQuery a = queryOf(&rng, i), b = queryOf(&rng, i);
        const int expected = ccdOracleCompare(&a, &b);
        int order;
        grzCertainty certainty;
        setFlush(true);
        const grzResult result = grzCcd_CompareImpacts(&a, &b, &order, &certainty);
        setFlush(false);
        assert_true(grzResult_IsOk(result));
        assert_true(order == expected && certainty == grz_exact);
    }
}

static void nothingNearIsMissed(void** state) {
    (void)state;
    static const double distances[] = {DBL_TRUE_MIN, 5 * DBL_TRUE_MIN, DBL_MIN, 0x1p-1040, 1e-3};
    grzRng rng = grzRng_Make(testSeed(93), 1);
    uint32_t nears = 0;
    for (int i = 0; i < 1000; ++i) {
        const grzCcdQuery query = queryOf(&rng, i);
        const grzCcdNear near = {.distance = distances[i % 5]};
        grzCcdApproach approach;
        setFlush(true);
        const grzResult result = grzCcd_FindApproach(&query, &near, &approach);
        setFlush(false);
        assert_true(grzResult_IsOk(result));
        nears += approach.isNear;
        for (int k = 0; k <= 8; ++k)
            if (k / 8.0 < approach.t0 || !approach.isNear)
                assert_true(ccdOracleDistance(&query, k / 8.0, near.distance) > 0);
        if (approach.isNear)
            assert_true(ccdOracleDistance(&query, approach.t0, approach.separation) <= 0);
        if (approach.isNear && approach.certainty == grz_exact)
            assert_true(ccdOracleDistance(&query, approach.t1, near.distance) <= 0);
    }
    assert_true(nears > 100);
}

// A motion of one query's points, as batches and searches have it.
static void batchesSayTheSame(void** state) {
    (void)state;
    static const uint32_t vertices[4] = {0, 1, 2, 3};
    grzRng rng = grzRng_Make(testSeed(94), 1);
    for (int i = 0; i < 400; ++i) {
        const grzCcdQuery query = queryOf(&rng, i);
        const CcdOracle oracle = ccdOracle(&query, 40);
        const grzCcdPairs pairs = {query.kind, vertices, 1};
        grzCcdMotionDef def = grzDefaultCcdMotionDef();
        grzCcdMotion* motion;
        grzCcdEarliest earliest;
        uint8_t answer;
        def.start = query.points[0], def.end = query.points[1], def.vertexCount = 4, def.type = grz_float64;
        setFlush(true);
        const grzResult made = grzCcdMotion_Create(&def, &motion);
        const grzResult decided = grzCcdMotion_Decide(motion, NULL, &pairs, &answer);
        const grzResult searched = grzCcdMotion_FindEarliest(motion, NULL, &pairs, &earliest);
        setFlush(false);
        assert_true(grzResult_IsOk(made) && grzResult_IsOk(decided) && grzResult_IsOk(searched));
        assert_int_equal(answer, oracle.touches ? grz_ccdTouching : grz_ccdApart);
        assert_int_equal(earliest.isFound, oracle.touches);
        grzCcdMotion_Destroy(motion);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theModesAreOn),     cmocka_unit_test(impactsAreTheOracles),
        cmocka_unit_test(orderIsTheOracles), cmocka_unit_test(nothingNearIsMissed),
        cmocka_unit_test(batchesSayTheSame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
