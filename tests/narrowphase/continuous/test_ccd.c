// What: whether and when a vertex and a triangle, or two edges, touch: plain examples, a rational oracle over many sorts of random
// queries, symmetries, and refusals. More queries are in test_ccd_generated.c.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccd_exact.h"
#include "ccd_filter.h"
#include "ccd_oracle.h"
#include "rng.h"
#include "testing.h"

static grzCcdImpact impactOf(const grzCcdQuery* query) {
    grzCcdImpact impact;
    bool touches;
    grzCertainty certainty;
    assert_true(grzResult_IsOk(grzCcd_FindImpact(query, 0, &impact)));
    assert_true(grzResult_IsOk(grzCcd_Touches(query, &touches, &certainty)));
    assert_int_equal(touches, impact.touches);
    assert_int_equal(certainty, impact.certainty);
    return impact;
}

// ---- plain examples ----

static const grzCcdQuery falling = {
    grz_ccdVertexFace,
    {{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0.25, 0.25, -3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}};

static void aVertexFallsThroughATriangle(void** state) {
    (void)state;
    const grzCcdImpact impact = impactOf(&falling);
    assert_true(impact.touches);
    assert_int_equal(impact.certainty, grz_exact);
    assert_true(impact.t0 == 0.25 && impact.t1 == 0.25);
    assert_true(impact.separation == 0);
    assert_true(impact.weights[0] == 1);
    assert_true(fabs(impact.weights[1] - 0.5) < 1e-9 && fabs(impact.weights[2] - 0.25) < 1e-9);
    assert_true(impact.normal[0] == 0 && impact.normal[1] == 0 && impact.normal[2] == 1);
}

static void edgesCross(void** state) {
    (void)state;
    const grzCcdQuery query = {
        grz_ccdEdgeEdge,
        {{{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 3, 0}}, {{-1, 0, -2}, {1, 0, -2}, {0, -1, 0}, {0, 3, 0}}}};
    const grzCcdImpact impact = impactOf(&query);
    assert_true(impact.touches && impact.t1 - impact.t0 == 0x1p-30);
    assert_true(3 * impact.t0 < 1 && 3 * impact.t1 > 1);
    assert_true(impact.separation == 1 - 3 * impact.t0); // what is left at t0
    assert_true(fabs(impact.weights[1] - 0.5) < 1e-9 && fabs(impact.weights[3] - 0.25) < 1e-9);
    assert_true(impact.normal[2] == 1);
}

static void whatIsJustMissedIsMissed(void** state) {
    (void)state;
    grzCcdQuery query = falling;
    for (int end = 0; end < 2; ++end)
        query.points[end][0][0] = query.points[end][0][1] = 0.5; // on the long side
    assert_true(impactOf(&query).touches);
    for (int end = 0; end < 2; ++end)
        query.points[end][0][1] = nextafter(0.5, 1);
    assert_false(impactOf(&query).touches);
}

static void endsOfTimeCount(void** state) {
    (void)state;
    grzCcdQuery query = falling;
    query.points[1][0][2] = 0;
    assert_true(impactOf(&query).t0 == 1);
    query.points[1][0][2] = DBL_TRUE_MIN;
    assert_false(impactOf(&query).touches);
    query.points[0][0][2] = 0;
    assert_true(impactOf(&query).touches && impactOf(&query).t1 == 0);
}

static void numbersThatAreTooFarApartAreSaidToTouch(void** state) {
    (void)state;
    grzCcdQuery query = falling;
    query.points[0][1][0] = DBL_TRUE_MIN;
    assert_int_equal(impactOf(&query).certainty, grz_exact); // whether is clear in doubles, when is not
    for (int end = 0; end < 2; ++end)
        query.points[end][0][0] = query.points[end][0][1] = 0.5;
    const grzCcdImpact impact = impactOf(&query);
    assert_true(impact.touches && impact.certainty == grz_conservative);
    assert_true(impact.t0 == 0 && impact.t1 == 1);
    query.points[0][1][0] = 0x1p-510; // 1 has 512 bits beside it
    assert_int_equal(impactOf(&query).certainty, grz_exact);
}

// The times are 1 / (3 + k 2^-51), for k = 0 and 1: in one cell of 2^-52.
static void impactsAreInOrder(void** state) {
    (void)state;
    grzCcdQuery a = falling, b = falling, never = falling, unknown = falling;
    int order;
    grzCertainty certainty;
    a.points[1][0][2] = -2;
    b.points[1][0][2] = nextafter(-2, -3);
    never.points[1][0][2] = 0.5;
    unknown.points[0][1][0] = DBL_TRUE_MIN;
    assert_true(grzResult_IsOk(grzCcd_CompareImpacts(&a, &b, &order, &certainty)));
    assert_true(order == 1 && certainty == grz_exact);
    assert_true(grzResult_IsOk(grzCcd_CompareImpacts(&a, &a, &order, &certainty)));
    assert_true(order == 0 && certainty == grz_exact);
    assert_true(grzResult_IsOk(grzCcd_CompareImpacts(&a, &never, &order, &certainty)));
    assert_true(order == -1 && certainty == grz_exact);
    assert_true(grzResult_IsOk(grzCcd_CompareImpacts(&never, &never, &order, &certainty)));
    assert_true(order == 0 && certainty == grz_exact);
    assert_true(grzResult_IsOk(grzCcd_CompareImpacts(&a, &unknown, &order, &certainty)));
    assert_true(order == 1 && certainty == grz_conservative);
    b.points[1][3][2] = (double)NAN;
    assert_int_equal(grzCcd_CompareImpacts(&a, &b, &order, &certainty).index, 15);
    assert_int_equal(grzCcd_CompareImpacts(&b, &a, &order, &certainty).index, 7);
    assert_int_equal(grzCcd_CompareImpacts(NULL, &a, &order, &certainty).value, 1);
    assert_int_equal(grzCcd_CompareImpacts(&a, NULL, &order, &certainty).value, 2);
    assert_int_equal(grzCcd_CompareImpacts(&a, &a, NULL, &certainty).value, 3);
    assert_int_equal(grzCcd_CompareImpacts(&a, &a, &order, NULL).value, 3);
}

// ---- the oracle ----

typedef double NumberFn(grzRng* rng);

static double lattice(grzRng* rng, uint32_t reach) {
    return (double)grzRng_Below(rng, 2 * reach + 1) - (double)reach;
}

static double anyNumber(grzRng* rng) {
    return 2 * grzRng_Double(rng) - 1;
}

static double fewNumbers(grzRng* rng) {
    return lattice(rng, 2);
}

static double moreNumbers(grzRng* rng) {
    return lattice(rng, 5);
}

static double tinyNumbers(grzRng* rng) {
    return lattice(rng, 2) * 1e-30;
}

static double hugeNumbers(grzRng* rng) {
    return lattice(rng, 2) * 1e30 + lattice(rng, 1);
}

static double farNumbers(grzRng* rng) {
    return 1e6 + lattice(rng, 2) * 0.125;
}

static double nearlyFewNumbers(grzRng* rng) {
    return lattice(rng, 2) * (1 + lattice(rng, 1) * 0x1p-52);
}

static double subnormalNumbers(grzRng* rng) {
    return lattice(rng, 3) * DBL_TRUE_MIN;
}

static NumberFn* const numbers[] = {anyNumber,   fewNumbers, moreNumbers,      tinyNumbers,
                                    hugeNumbers, farNumbers, nearlyFewNumbers, subnormalNumbers};
enum { SORTS = sizeof numbers / sizeof numbers[0], TURNS = 5 };

// Points that coincide, rest, mirror each other in time, or lie in a plane.
static void spoil(grzRng* rng, grzCcdQuery* query) {
    const uint32_t p = grzRng_Below(rng, 4), r = grzRng_Below(rng, 4), end = grzRng_Below(rng, 2);
    const uint32_t turn = grzRng_Below(rng, 2 * TURNS);
    if (turn == 0)
        memcpy(query->points[end][p], query->points[end][r], sizeof query->points[end][p]);
    else if (turn == 1)
        memcpy(query->points[1], query->points[0], sizeof query->points[1]);
    else if (turn == 2)
        for (int e = 0; e < 2; ++e)
            memcpy(query->points[e][p], query->points[e][r], sizeof query->points[e][p]);
    else if (turn == 3 || turn == 4)
        for (int i = 0; i < 8; ++i)
            query->points[i / 4][i % 4][turn - 3] = turn == 3 ? 0 : query->points[0][0][1];
}

static grzCcdQuery randomQuery(grzRng* rng) {
    grzCcdQuery query;
    NumberFn* number = numbers[grzRng_Below(rng, SORTS)];
    query.kind = (grzCcdKind)grzRng_Below(rng, 2);
    for (int i = 0; i < 24; ++i)
        query.points[i / 12][i / 3 % 4][i % 3] = number(rng);
    spoil(rng, &query);
    return query;
}

static void assertAsOracle(const grzCcdQuery* query) {
    const CcdOracle oracle = ccdOracle(query, 40);
    const grzCcdImpact impact = impactOf(query);
    assert_int_equal(impact.certainty, grz_exact);
    assert_int_equal(impact.touches, oracle.touches);
    if (!oracle.touches)
        return;
    assert_true(impact.t0 <= oracle.t1 && impact.t1 >= oracle.t0);
    assert_true(impact.t1 - impact.t0 <= 0x1p-30);
}

static void randomQueriesAreDecidedAsTheOracleDoes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(71), 1);
    for (int i = 0; i < 1500; ++i) {
        const grzCcdQuery query = randomQuery(&rng);
        assertAsOracle(&query);
    }
}

// As many bits as there may be.
static double wideNumbers(grzRng* rng) {
    return lattice(rng, 2) * (grzRng_Below(rng, 2) != 0 ? 1 : 0x1p-510);
}

static void theWidestNumbersFindRoom(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(74), 1);
    for (int i = 0; i < 16; ++i) {
        grzCcdQuery query;
        query.kind = (grzCcdKind)(i % 2);
        for (int k = 0; k < 24; ++k)
            query.points[k / 12][k / 3 % 4][k % 3] = wideNumbers(&rng);
        assertAsOracle(&query);
    }
}

// What the doubles say is what the whole numbers say, times included.
static void bothStagesAgree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(72), 1);
    uint32_t decided = 0;
    for (int i = 0; i < 20000; ++i) {
        const grzCcdQuery query = randomQuery(&rng);
        const CcdPolygon polygon = ccdPolygon(&query);
        CcdSpan quick, exact;
        grzCcdStage stage;
        const CcdVerdict verdict = grzCcdFilter_Decide(&polygon, 20, &quick, &stage);
        if (verdict == ccd_unknown)
            continue;
        ++decided;
        assert_int_equal(verdict, grzCcdExact_Decide(&polygon, 20, &exact));
        if (verdict == ccd_touch)
            assert_true(quick.t0 == exact.t0 && quick.t1 == exact.t1);
    }
    assert_true(decided > 5000);
}

// ---- symmetries ----

static void swapPoints(grzCcdQuery* query, int i, int j) {
    for (int end = 0; end < 2; ++end) {
        double kept[3];
        memcpy(kept, query->points[end][i], sizeof kept);
        memcpy(query->points[end][i], query->points[end][j], sizeof kept);
        memcpy(query->points[end][j], kept, sizeof kept);
    }
}

static void assertSame(const grzCcdQuery* query, const grzCcdImpact* impact) {
    const grzCcdImpact other = impactOf(query);
    assert_int_equal(other.touches, impact->touches);
    assert_true(other.t0 == impact->t0 && other.t1 == impact->t1);
}

static void ordersAndMirrorsDoNotMatter(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(73), 1);
    for (int i = 0; i < 4000; ++i) {
        grzCcdQuery query = randomQuery(&rng);
        const grzCcdImpact impact = impactOf(&query);
        swapPoints(&query, 2, 3);
        assertSame(&query, &impact);
        if (query.kind == grz_ccdVertexFace) {
            swapPoints(&query, 1, 2);
            assertSame(&query, &impact);
        } else {
            swapPoints(&query, 0, 2);
            swapPoints(&query, 1, 3);
            assertSame(&query, &impact);
        }
        for (int k = 0; k < 8; ++k)
            query.points[k / 4][k % 4][1] *= -1;
        assertSame(&query, &impact);
        grzCcdQuery back = query;
        memcpy(back.points[0], query.points[1], sizeof back.points[0]);
        memcpy(back.points[1], query.points[0], sizeof back.points[1]);
        assert_int_equal(impactOf(&back).touches, impact.touches);
    }
}

// ---- refusals ----

static void badQueriesAreRefused(void** state) {
    (void)state;
    grzCcdQuery query = falling;
    grzCcdImpact impact;
    bool touches;
    grzCertainty certainty;
    query.points[1][2][1] = (double)NAN;
    grzResult result = grzCcd_FindImpact(&query, 0, &impact);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.index, 6);
    assert_false(impact.touches);
    query.points[1][2][1] = (double)INFINITY;
    assert_int_equal(grzCcd_Touches(&query, &touches, &certainty).status, grz_notFinite);
    query = falling;
    query.kind = (grzCcdKind)2;
    assert_int_equal(grzCcd_FindImpact(&query, 0, &impact).value, 1);
    assert_int_equal(grzCcd_FindImpact(NULL, 0, &impact).value, 1);
    assert_int_equal(grzCcd_FindImpact(&falling, 53, &impact).value, 2);
    assert_int_equal(grzCcd_FindImpact(&falling, -1, &impact).value, 2);
    assert_int_equal(grzCcd_FindImpact(&falling, 0, NULL).value, 3);
    assert_int_equal(grzCcd_Touches(&falling, NULL, &certainty).value, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aVertexFallsThroughATriangle),
        cmocka_unit_test(edgesCross),
        cmocka_unit_test(whatIsJustMissedIsMissed),
        cmocka_unit_test(endsOfTimeCount),
        cmocka_unit_test(numbersThatAreTooFarApartAreSaidToTouch),
        cmocka_unit_test(impactsAreInOrder),
        cmocka_unit_test(randomQueriesAreDecidedAsTheOracleDoes),
        cmocka_unit_test(theWidestNumbersFindRoom),
        cmocka_unit_test(bothStagesAgree),
        cmocka_unit_test(ordersAndMirrorsDoNotMatter),
        cmocka_unit_test(badQueriesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
