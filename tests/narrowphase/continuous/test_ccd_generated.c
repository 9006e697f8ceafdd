// What: generated queries of every class of ccd_cases.h against the oracle: whether, when, by other names, and which of two is first.
// GRAZE_CCD_QUERIES sets how many (script/soak-ccd: ten million), and has the worst time of each class printed.
#include <math.h>

#include "ccd_cases.h"
#include "ccd_check.h"
#include "clock.h"
#include "testing.h"

enum { SMALL_BITS = 125 };

// A class, as far as it went.
typedef struct Tally {
    uint64_t queries, hits, small; // small: of SMALL_BITS bits at most
    double worst, worstSmall;      // us
} Tally;

static bool isTimed;

static void require(const char* flaw, const grzCcdQuery* query) {
    if (flaw == NULL)
        return;
    ccdPrint(query);
    fail_msg("%s", flaw);
}

static double now(void) {
    return 1e-3 * (double)grzMonotonicNanoseconds();
}

// What it takes to find an impact; what seems long may have been another program, and is asked again.
static double timeOf(const grzCcdQuery* query) {
    double least = 1e9;
    for (int i = 0; i < 12 && (i == 0 || least > 20); ++i) {
        grzCcdImpact impact;
        const double start = now();
        const grzResult result = grzCcd_FindImpact(query, 0, &impact);
        const double taken = now() - start;
        assert_true(grzResult_IsOk(result));
        least = taken < least ? taken : least;
    }
    return least;
}

static void takeTime(const grzCcdQuery* query, Tally* tally) {
    const bool isSmall = ccdBits(query) <= SMALL_BITS;
    const double taken = isTimed ? timeOf(query) : 0;
    tally->small += isSmall;
    tally->worst = fmax(tally->worst, taken);
    if (isSmall)
        tally->worstSmall = fmax(tally->worstSmall, taken);
}

static void checkQuery(const grzCcdQuery* query, grzRng* rng, Tally* tally) {
    grzCcdImpact impact;
    require(ccdCheckImpact(query, &impact), query);
    require(ccdCheckVariant(query, rng), query);
    require(impact.certainty == grz_exact ? NULL : "a class with too many bits", query);
    tally->queries++;
    tally->hits += impact.touches;
    takeTime(query, tally);
}

static uint64_t queryCount(uint64_t usual) {
    const char* text = getenv("GRAZE_CCD_QUERIES");
    return text != NULL ? strtoull(text, NULL, 10) : usual;
}

static void everyClassIsDecidedAsTheOracleDoes(void** state) {
    (void)state;
    Tally tallies[ccd_classCount] = {{0}};
    grzRng rng = grzRng_Make(testSeed(75), 1);
    for (uint64_t i = 0, count = queryCount(3200); i < count; ++i) {
        const CcdClass of = (CcdClass)(i % ccd_classCount);
        const grzCcdQuery query = ccdCase(&rng, of);
        checkQuery(&query, &rng, &tallies[of]);
    }
    for (int of = 0; of < ccd_classCount; ++of) {
        const Tally* tally = &tallies[of];
        if (isTimed)
            printf("%-18s %9llu queries %8llu touch; worst %7.1f us, of at most %d bits (%8llu) %6.1f us\n",
                   ccdClassNames[of], (unsigned long long)tally->queries, (unsigned long long)tally->hits,
                   tally->worst, SMALL_BITS, (unsigned long long)tally->small, tally->worstSmall);
        else
            assert_true(tally->hits > 0 && tally->hits < tally->queries);
    }
}

// ---- which of two is first ----

// Another one whose time is near, or the same: by other names, with points elsewhere on their lines, or with the last bits changed.
static grzCcdQuery rivalOf(grzRng* rng, const grzCcdQuery* query, CcdClass of) {
    bool isReversed;
    const uint32_t turn = grzRng_Below(rng, 4);
    grzCcdQuery rival = turn == 0 ? ccdCase(rng, of) : ccdVariant(rng, query, &isReversed);
    if (turn > 1)
        for (uint32_t n = 1 + grzRng_Below(rng, 3); n > 0; --n) {
            double* x = &rival.points[grzRng_Below(rng, 2)][grzRng_Below(rng, 4)][grzRng_Below(rng, 3)];
            *x = turn == 2 ? ccdNudge(rng, *x) : *x * 2;
        }
    return rival;
}

static void impactsAreInTheOraclesOrder(void** state) {
    (void)state;
    uint32_t orders[3] = {0, 0, 0};
    grzRng rng = grzRng_Make(testSeed(76), 1);
    for (uint64_t i = 0, count = queryCount(3200) / 4; i < count; ++i) {
        const CcdClass of = (CcdClass)(i % ccd_classCount);
        const grzCcdQuery a = ccdCase(&rng, of), b = rivalOf(&rng, &a, of);
        int order;
        const char* flaw = ccdCheckOrder(&a, &b, &order);
        if (flaw != NULL)
            ccdPrint(&b);
        require(flaw, &a);
        orders[order + 1]++;
    }
    assert_true(orders[0] > 0 && orders[1] > 0 && orders[2] > 0);
}

int main(void) {
    isTimed = getenv("GRAZE_CCD_QUERIES") != NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyClassIsDecidedAsTheOracleDoes),
        cmocka_unit_test(impactsAreInTheOraclesOrder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
