// frame_row.h against plan_inside.h asked for every vertex of a row at the ticks around: who ends ahead, which one comes ahead first,
// when and who leads then, on both sides, with equal coordinates and several that cross at one tick; and the kernel that marks
// what is outgrown, at every SIMD level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "frame_row.h"
#include "graze/flightplan.h"
#include "plan_kernel.h"
#include "rng.h"
#include "simd_dispatch.h"

enum { MOST = 12, STRIDE = 4 };

typedef struct Race {
    float from[MOST * STRIDE], to[MOST * STRIDE];
    grzFlightplan* plan;
    FrameSide side;
    uint32_t vertices[MOST];
    FrameRow row;
} Race;

// Small whole numbers, so that many meet; nearly the same crossing for all; or gaps that a double cannot hold, with crossings
// right beside a tick.
static float someCoordinate(grzRng* rng, uint32_t kind, uint32_t range, float from) {
    static const float odd[] = {-1, 1, 0, 0x1p-60F, -0x1p-60F, 3, 1};
    if (kind == 0)
        return odd[grzRng_Below(rng, sizeof odd / sizeof odd[0])];
    return kind == 1 ? -from + 1e-7F * (float)grzRng_Below(rng, 4) : (float)grzRng_Below(rng, range) - 5;
}

static void drawRace(Race* race, grzRng* rng) {
    const uint32_t range = 2 + grzRng_Below(rng, 12), kind = grzRng_Below(rng, 4);
    for (uint32_t i = 0; i < MOST * STRIDE; ++i) {
        race->from[i] = someCoordinate(rng, kind == 1 ? 2 : kind, range, 0);
        race->to[i] = someCoordinate(rng, kind, range, race->from[i]);
    }
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = MOST;
    assert_true(grzResult_IsOk(grzFlightplan_Create(&def, &race->plan)));
    assert_true(grzResult_IsOk(grzFlightplan_AddKeyframe(race->plan, 0, race->from, STRIDE * sizeof(float))));
    assert_true(grzResult_IsOk(grzFlightplan_AddKeyframe(race->plan, 1, race->to, STRIDE * sizeof(float))));
    const int axis = (int)grzRng_Below(rng, 3);
    race->side = (FrameSide){.plan = race->plan,
                             .from = race->from + axis,
                             .to = race->to + axis,
                             .fromStride = STRIDE,
                             .toStride = STRIDE,
                             .number = 0,
                             .sign = grzRng_Below(rng, 2) == 0 ? 1 : -1,
                             .axis = axis};
    for (uint32_t k = 0; k < MOST; ++k)
        race->vertices[k] = grzRng_Below(rng, MOST); // some twice
    race->row = (FrameRow){race->vertices, race->vertices + 8, 1 + grzRng_Below(rng, MOST)};
}

static int orderAt(const Race* race, uint32_t i, uint32_t j, float tick) {
    return (int)race->side.sign *
           grzPlan_Compare(race->plan, race->side.axis, i, j, (double)tick * PLAN_FRAME_TICK);
}

static bool anyAhead(const Race* race, uint32_t leader, float tick) {
    for (uint32_t k = 0; k < race->row.count; ++k)
        if (orderAt(race, race->vertices[k], leader, tick) > 0)
            return true;
    return false;
}

static void checkLeader(const Race* race, uint32_t leader, float tick) {
    assert_false(anyAhead(race, leader, tick));
    for (uint32_t k = 0; k < race->row.count; ++k) // of those that are level, none ends ahead
        if (orderAt(race, race->vertices[k], leader, tick) == 0)
            assert_true(orderAt(race, race->vertices[k], leader, FRAME_TICKS) <= 0);
}

static void checkNext(const Race* race, uint32_t leader, float now) {
    const FrameEvent next = grzFrameRow_Next(&race->row, &race->side, leader);
    if (isinf(next.tick)) {
        assert_false(anyAhead(race, leader, FRAME_TICKS));
        return;
    }
    assert_true(next.tick > now && next.tick <= FRAME_TICKS && next.tick == floorf(next.tick));
    assert_true(anyAhead(race, leader, next.tick));
    assert_false(anyAhead(race, leader, next.tick - 1));
    checkLeader(race, race->vertices[next.lane], next.tick);
}

static void rowsAreThoseOfAllComparisons(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(721), 0);
    uint32_t events = 0;
    for (int round = 0; round < 20000; ++round) {
        Race race;
        drawRace(&race, &rng);
        uint32_t first = race.vertices[0];
        for (uint32_t k = 1; k < race.row.count; ++k)
            if (orderAt(&race, race.vertices[k], first, 0) > 0)
                first = race.vertices[k];
        const uint32_t above = grzFrameRow_Above(&race.row, &race.side, first);
        for (uint32_t k = 0; k < 32; ++k)
            assert_int_equal(above >> k & 1,
                             k < race.row.count && orderAt(&race, race.vertices[k], first, FRAME_TICKS) > 0);
        // From one event to the next, up to the end.
        float now = 0;
        for (uint32_t leader = grzFrameRow_Leader(&race.row, &race.side, first, 0);;) {
            checkLeader(&race, leader, now);
            checkNext(&race, leader, now);
            const FrameEvent next = grzFrameRow_Next(&race.row, &race.side, leader);
            if (isinf(next.tick))
                break;
            now = next.tick, leader = race.vertices[next.lane], ++events;
        }
        // Straight to any tick from the one that leads at the beginning.
        const float tick = (float)grzRng_Below(&rng, (1U << 24) + 1);
        checkLeader(&race, grzFrameRow_Leader(&race.row, &race.side, first, tick), tick);
        const uint32_t lane = grzRng_Below(&rng, race.row.count);
        const uint32_t found =
            grzFrameRow_EndsAt(&race.row, &race.side, grzFrameSide_To(&race.side, race.vertices[lane]));
        assert_true(found <= lane && orderAt(&race, race.vertices[found], race.vertices[lane], FRAME_TICKS) == 0);
        grzFlightplan_Destroy(race.plan);
    }
    assert_true(events > 10000);
}

static void pairsAreThoseOfAComparison(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(722), 0);
    for (int round = 0; round < 5000; ++round) {
        Race race;
        drawRace(&race, &rng);
        const uint32_t i = grzRng_Below(&rng, MOST), j = grzRng_Below(&rng, MOST);
        const float tick = grzRng_Below(&rng, 4) == 0 ? 0x1p23F : (float)grzRng_Below(&rng, (1U << 24) + 1);
        const int order = orderAt(&race, i, j, tick), end = orderAt(&race, i, j, FRAME_TICKS);
        assert_int_equal(grzFrameSide_Leads(&race.side, i, j, tick), order > 0 || (order == 0 && end > 0));
        assert_int_equal(grzFrameSide_EndsAhead(&race.side, i, j), end > 0);
        assert_int_equal(grzFrameSide_BeginsAhead(&race.side, i, j), orderAt(&race, i, j, 0) > 0);
        if (end > 0) {
            const float passes = grzFrameSide_Passes(&race.side, j, i);
            assert_true(orderAt(&race, i, j, passes) > 0);
            assert_true(passes == 0 || orderAt(&race, i, j, passes - 1) <= 0);
        }
        grzFlightplan_Destroy(race.plan);
    }
}

// ---- the kernel ----

enum { NODES = 9, VERTICES = 30 };

static void outgrownSidesAreMarkedAtEveryLevel(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(723), 0);
    for (int round = 0; round < 50; ++round)
        for (size_t stride = 3; stride < 6; ++stride) {
            float positions[5 * VERTICES];
            uint32_t realisers[48 * NODES];
            grzBvhNode nodes[NODES];
            uint8_t expected[6 * NODES], found[6 * NODES];
            const uint32_t there = 1 + grzRng_Below(&rng, 8); // in the last node
            memset(expected, 0, sizeof expected);
            for (size_t i = 0; i < 5 * VERTICES; ++i)
                positions[i] = (float)grzRng_Below(&rng, 5) - 2 + (grzRng_Below(&rng, 2) == 0 ? 0.0F : -0.0F);
            for (uint32_t i = 0; i < 48 * NODES; ++i) {
                const uint32_t node = i / 48, side = i / 8 % 6, lane = i % 8, axis = side % 3;
                float* at = side < 3 ? &nodes[node].lower[axis][lane] : &nodes[node].upper[axis][lane];
                realisers[i] = grzRng_Below(&rng, VERTICES);
                *at = (float)grzRng_Below(&rng, 5) - 2 +
                      (side < 3 ? -3.0F : 3.0F) * (float)(grzRng_Below(&rng, 9) == 0);
                if (node + 1 == NODES && lane >= there)
                    *at = side < 3 ? FLT_MAX : -FLT_MAX;
            }
            for (uint32_t node = 0; node < NODES; ++node) // boxes are not empty
                for (uint32_t lane = 0; lane < 8; ++lane)
                    if (node + 1 < NODES || lane < there)
                        nodes[node].lower[0][lane] = fminf(nodes[node].lower[0][lane], nodes[node].upper[0][lane]);
            for (uint32_t i = 0; i < 48 * NODES; ++i) {
                const uint32_t node = i / 48, side = i / 8 % 6, lane = i % 8, axis = side % 3;
                const float at = side < 3 ? nodes[node].lower[axis][lane] : nodes[node].upper[axis][lane];
                if ((node + 1 < NODES || lane < there) && positions[realisers[i] * stride + axis] != at)
                    expected[6 * node + side] |= (uint8_t)(1U << lane);
            }
            const PlanOutgrown job = {nodes, realisers, positions, stride};
            for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
                if (!grzSimd_Supports((grzSimdLevel)level))
                    continue;
                memset(found, 0xAA, sizeof found);
                grzPlanMarkOutgrown_At((grzSimdLevel)level)(&job, NODES, found);
                assert_memory_equal(found, expected, sizeof found);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsAreThoseOfAllComparisons),
        cmocka_unit_test(pairsAreThoseOfAComparison),
        cmocka_unit_test(outgrownSidesAreMarkedAtEveryLevel),
    };
    return cmocka_run_group_tests_name("frame_row", tests, NULL, NULL);
}
