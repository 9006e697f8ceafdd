// Rows of paths: the vertex that leads, when it ceases to, and who is ahead then are those that exact comparisons of all pairs
// give; one vertex beside another likewise; on random, level, far, slow, huge and bent paths, at every SIMD level.
#include "testing.h"

#include <math.h>

#include "plan_row.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    assert_true(grzResult_IsOk(result));
}

// ---- plans ----

enum { VERTICES = 60 };

typedef enum Flavour { anyPlaces, levelPlaces, farPlaces, slowPaths, hugePaths, twinPaths, flavourCount } Flavour;

static float drawPlace(grzRng* rng, Flavour flavour) {
    const float x = 2 * grzRng_Float(rng) - 1;
    if (flavour == levelPlaces || flavour == twinPaths)
        return (float)grzRng_Below(rng, 3);
    return flavour == farPlaces ? 1e6F + x : x;
}

static float drawVelocity(grzRng* rng, Flavour flavour) {
    const float x = 2 * grzRng_Float(rng) - 1;
    if (flavour == levelPlaces || flavour == twinPaths)
        return (float)grzRng_Below(rng, 3) - 1;
    return flavour == slowPaths ? 1 + 1e-7F * x : flavour == hugePaths ? 1e36F * x : x;
}

static void drawNumbers(grzRng* rng, Flavour flavour, float (*draw)(grzRng*, Flavour), uint32_t count, float* to) {
    for (uint32_t i = 0; i < 3 * count; ++i)
        to[i] = draw(rng, flavour);
}

static grzFlightplan* makePlan(grzRng* rng, Flavour flavour, bool isBent, int32_t tickExponent, double start) {
    enum { CHANGED = 20 };
    float positions[3 * VERTICES], velocities[3 * VERTICES], bends[3 * VERTICES];
    uint32_t vertices[CHANGED];
    grzFlightplanDef def = grzDefaultFlightplanDef();
    drawNumbers(rng, flavour, drawPlace, VERTICES, positions);
    drawNumbers(rng, flavour, drawVelocity, VERTICES, velocities);
    drawNumbers(rng, flavour, drawVelocity, VERTICES, bends);
    def.kind = grz_planPaths, def.vertexCount = VERTICES, def.positions = positions, def.velocities = velocities;
    def.accelerations = isBent ? bends : NULL, def.tickExponent = tickExponent, def.startTime = start;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    const bool isTwins = flavour == twinPaths; // all that meet go on as one
    for (int k = 1; k <= 2 && !isTwins; ++k) {
        for (int i = 0; i < CHANGED; ++i)
            vertices[i] = grzRng_Below(rng, VERTICES);
        drawNumbers(rng, flavour, drawVelocity, CHANGED, velocities);
        const grzFlightplanChange change = {vertices, CHANGED, NULL, velocities, isBent && k == 1 ? bends : NULL};
        ok(grzFlightplan_Change(plan, start + 0.5 * k, &change));
    }
    return plan;
}

// ---- the reference ----

static int orderOf(const grzFlightplan* plan, uint32_t side, uint32_t i, uint32_t j, double at) {
    const int order = grzPlan_Compare(plan, (int)(side % 3), i, j, at);
    return side >= 3 ? order : -order;
}

static double overtakes(const grzFlightplan* plan, uint32_t side, uint32_t first, uint32_t other, double at) {
    if (first == other)
        return (double)INFINITY;
    return side >= 3 ? grzPlan_Overtakes(plan, (int)(side % 3), first, other, at)
                     : grzPlan_Overtakes(plan, (int)(side % 3), other, first, at);
}

static void expectLead(const grzFlightplan* plan, uint32_t side, const uint32_t* row, uint32_t count, double at,
                       PlanLead lead) {
    double until = (double)INFINITY;
    bool isThere = false;
    for (uint32_t k = 0; k < count; ++k) {
        isThere = isThere || row[k] == lead.vertex;
        assert_true(orderOf(plan, side, lead.vertex, row[k], at) >= 0);
        until = fmin(until, overtakes(plan, side, lead.vertex, row[k], at));
    }
    assert_true(isThere && lead.until == until);
    if (isfinite(until))
        assert_true(overtakes(plan, side, lead.vertex, lead.rival, at) == until);
}

// ---- the tests ----

static double drawTime(grzRng* rng, const grzFlightplan* plan) {
    const grzFlightplanRange range = grzFlightplan_GetRange(plan);
    const double later = grzRng_Below(rng, 8) == 0 ? 1000 * (double)grzRng_Float(rng) : (double)grzRng_Float(rng);
    return grzPlan_TimeOf(plan, grzRng_Below(rng, 4) == 0 ? range.begin : range.begin + later);
}

static void checkRows(grzRng* rng, const grzFlightplan* plan, grzSimdLevel level) {
    for (int round = 0; round < 60; ++round) {
        uint32_t row[PLAN_ROW_LONG];
        const uint32_t count = grzRng_Below(rng, 2) == 0 ? PLAN_ROW_SHORT : PLAN_ROW_LONG;
        const uint32_t side = grzRng_Below(rng, 6), distinct = 1 + grzRng_Below(rng, count);
        const double at = drawTime(rng, plan);
        for (uint32_t k = 0; k < count; ++k)
            row[k] = k < distinct ? grzRng_Below(rng, VERTICES) : row[0];
        const PlanLead lead = grzPlan_LeadOnPaths(plan, (int)(side % 3), side >= 3, row, count, at);
        expectLead(plan, side, row, count, at, lead);
        const grzSimdLevel before = grzSimd_Force(level);
        const PlanLead again = grzPlan_LeadOnPaths(plan, (int)(side % 3), side >= 3, row, count, at);
        grzSimd_Force(before);
        assert_true(again.vertex == lead.vertex && again.rival == lead.rival && again.until == lead.until);
    }
}

static void checkSides(grzRng* rng, const grzFlightplan* plan) {
    for (int round = 0; round < 60; ++round) {
        const double at = drawTime(rng, plan);
        PlanSides sides = {.plan = plan};
        double before[PLAN_SIDES];
        for (uint32_t side = 0; side < PLAN_SIDES; ++side) {
            const bool isSet = grzRng_Below(rng, 2) == 0;
            sides.first[side] = grzRng_Below(rng, VERTICES), sides.other[side] = grzRng_Below(rng, VERTICES);
            before[side] = isSet ? at + plan->tick * (double)(1 + grzRng_Below(rng, 1u << 20)) : (double)INFINITY;
            sides.until[side] = before[side];
        }
        grzPlan_RaceSides(&sides, at);
        for (uint32_t side = 0; side < PLAN_SIDES; ++side) {
            const uint32_t first = sides.first[side], other = sides.other[side];
            const bool isBehind = orderOf(plan, side, first, other, at) < 0;
            assert_int_equal(sides.behind >> side & 1, isBehind);
            double until = before[side];
            const PlanOutcome outcome = grzPlan_Race(plan, side, first, other, at, &until);
            assert_int_equal(outcome == plan_behind, isBehind);
            if (isBehind)
                continue;
            const double found = overtakes(plan, side, first, other, at), expected = fmin(found, before[side]);
            assert_true(sides.until[side] == expected && until == expected);
            assert_int_equal(sides.sooner >> side & 1, found < before[side]);
            assert_int_equal(outcome == plan_sooner, found < before[side]);
        }
    }
}

static void forEachPlan(grzRng* rng, grzSimdLevel level) {
    static const int32_t ticks[] = {-20, -30, 0};
    for (int flavour = 0; flavour < flavourCount; ++flavour)
        for (int k = 0; k < 12; ++k) {
            const double start = k % 4 < 2 ? 0 : k % 4 == 2 ? -3e6 : 1e3;
            grzFlightplan* plan = makePlan(rng, (Flavour)flavour, k % 2 != 0, ticks[k / 4], start);
            checkRows(rng, plan, level);
            checkSides(rng, plan);
            grzFlightplan_Destroy(plan);
        }
}

static void answersAreThoseOfExactPairs(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(851), 0);
    for (int level = grz_simdScalar; level < 32; ++level)
        if ((grzSimd_SupportedBits() >> level & 1) != 0) {
            const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
            forEachPlan(&rng, grz_simdScalar);
            grzSimd_Force(before);
        }
}

// Where time ends is an answer as well: what comes ahead only behind the last tick never does.
static void pathsThatMeetAtTheEndOfTimes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(852), 0);
    int ends = 0, hits = 0;
    for (int round = 0; round < 400; ++round) {
        float positions[3 * PLAN_ROW_SHORT] = {0}, velocities[3 * PLAN_ROW_SHORT] = {0};
        uint32_t row[PLAN_ROW_SHORT];
        grzFlightplanDef def = grzDefaultFlightplanDef();
        def.kind = grz_planPaths, def.vertexCount = PLAN_ROW_SHORT, def.positions = positions;
        def.velocities = velocities, def.tickExponent = -30; // times are below 2^22 s
        for (uint32_t k = 0; k < PLAN_ROW_SHORT; ++k) {
            row[k] = k;
            positions[3 * k] = k == 0 ? 4194304 : (float)grzRng_Below(&rng, 8); // 2^22
            velocities[3 * k] = k == 0 ? 0 : 1 - 0x1p-23F * (float)(8 + grzRng_Below(&rng, 9));
        }
        grzFlightplan* plan;
        ok(grzFlightplan_Create(&def, &plan));
        const PlanLead lead = grzPlan_LeadOnPaths(plan, 0, true, row, PLAN_ROW_SHORT, 0);
        expectLead(plan, 3, row, PLAN_ROW_SHORT, 0, lead);
        ends += isinf(lead.until), hits += isfinite(lead.until);
        grzFlightplan_Destroy(plan);
    }
    assert_true(ends > 10 && hits > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answersAreThoseOfExactPairs),
        cmocka_unit_test(pathsThatMeetAtTheEndOfTimes),
    };
    return cmocka_run_group_tests_name("plan_row_paths", tests, NULL, NULL);
}
