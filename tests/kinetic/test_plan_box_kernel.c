// plan_box_kernel.h against plan_inside.h asked for every side of every box, at every SIMD level: between keyframes and at them, with
// any strides; on paths that are straight, bent, young and old, and where twice the precision does not tell the last bit.
#include "testing.h"

#include <math.h>

#include "kinetic_testing.h"
#include "plan_box_kernel.h"
#include "simd_dispatch.h"

enum { NODES = 5, SIDES = 6, VERTICES = 40, PLACES = NODES * SIDES * GRZ_BVH_WIDTH };

typedef struct Boxes {
    uint32_t realisers[PLACES];
    grzBvhNode nodes[NODES];
    uint8_t doubtful[NODES * SIDES];
} Boxes;

static void drawRealisers(grzRng* rng, Boxes* boxes) {
    for (uint32_t i = 0; i < PLACES; ++i)
        boxes->realisers[i] = grzRng_Below(rng, VERTICES);
}

static float sideOf(const Boxes* boxes, uint32_t i) {
    const grzBvhNode* node = &boxes->nodes[i / (SIDES * GRZ_BVH_WIDTH)];
    const uint32_t side = i / GRZ_BVH_WIDTH % SIDES, lane = i % GRZ_BVH_WIDTH;
    return side < 3 ? node->lower[side][lane] : node->upper[side - 3][lane];
}

// Returns how many lanes are in doubt.
static uint32_t checkSides(const grzFlightplan* plan, const Boxes* boxes, double at) {
    uint32_t doubts = 0;
    for (uint32_t i = 0; i < PLACES; ++i) {
        const uint32_t axis = i / GRZ_BVH_WIDTH % SIDES % 3;
        const float expected = grzPlan_Float(plan, boxes->realisers[i], (int)axis, at), found = sideOf(boxes, i);
        if ((boxes->doubtful[i / GRZ_BVH_WIDTH] >> i % GRZ_BVH_WIDTH & 1) != 0)
            ++doubts;
        else
            assert_memory_equal(&found, &expected, sizeof found); // zeros of both signs are told apart
    }
    return doubts;
}

// ---- keyframes ----

static float someCoordinate(grzRng* rng) {
    static const float odd[] = {0, -0.0F, 1, -1, 0x1p-140F, 3e38F, -3e38F};
    return grzRng_Below(rng, 3) == 0 ? odd[grzRng_Below(rng, sizeof odd / sizeof odd[0])]
                                     : grzRng_Float(rng) - 0.5F;
}

static void checkFrames(const grzFlightplan* plan, Boxes* boxes, double at) {
    const PlanFrame* from = plan->frames.data + (size_t)floor(at);
    const PlanFrame* to = at == floor(at) ? from : from + 1;
    const PlanFrameBoxes job = {boxes->realisers, boxes->nodes, from->positions, to->positions,
                                from->stride,     to->stride,   at - floor(at)};
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level)
        if (grzSimd_Supports((grzSimdLevel)level)) {
            memset(boxes->nodes, 0xFF, sizeof boxes->nodes);
            grzPlanFrameBoxes_At((grzSimdLevel)level)(&job, NODES);
            (void)checkSides(plan, boxes, at);
        }
}

static void boxesBetweenKeyframesAreThoseOfThePlan(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(741), 0);
    Boxes boxes = {0};
    for (uint32_t round = 0; round < 60; ++round) {
        const size_t strides[2] = {3 + round % 2, 3 + round / 2 % 2};
        float positions[2][4 * VERTICES];
        grzFlightplanDef def = grzDefaultFlightplanDef();
        grzFlightplan* plan;
        def.vertexCount = VERTICES;
        ok(grzFlightplan_Create(&def, &plan));
        for (int frame = 0; frame < 2; ++frame) {
            for (size_t i = 0; i < 4 * VERTICES; ++i)
                positions[frame][i] = someCoordinate(&rng);
            ok(grzFlightplan_AddKeyframe(plan, frame, positions[frame], strides[frame] * sizeof(float)));
        }
        drawRealisers(&rng, &boxes);
        checkFrames(plan, &boxes, 0);
        checkFrames(plan, &boxes, 1); // the last, behind which there is none
        for (int k = 0; k < 10; ++k)
            checkFrames(plan, &boxes, floor((double)grzRng_Float(&rng) / PLAN_FRAME_TICK) * PLAN_FRAME_TICK);
        grzFlightplan_Destroy(plan);
    }
}

// ---- paths ----

typedef struct Numbers {
    float positions[3 * VERTICES], velocities[3 * VERTICES], accelerations[3 * VERTICES];
    uint32_t vertices[VERTICES];
} Numbers;

// Ones that a step of half a unit in the last place is added to, in a time of 2^10; or any.
static void drawNumbers(grzRng* rng, Numbers* numbers, bool isBent) {
    for (uint32_t i = 0; i < 3 * VERTICES; ++i) {
        const bool isMiddle = grzRng_Below(rng, 4) == 0;
        numbers->positions[i] = isMiddle ? 1 : someCoordinate(rng);
        numbers->velocities[i] = isMiddle ? 0x1p-63F : grzRng_Float(rng) - 0.5F;
        numbers->accelerations[i] = isBent && grzRng_Below(rng, 2) == 0 ? grzRng_Float(rng) - 0.5F : 0;
    }
    for (uint32_t i = 0; i < VERTICES; ++i)
        numbers->vertices[i] = grzRng_Below(rng, VERTICES);
}

static grzFlightplanChange changeOf(const Numbers* numbers, size_t count, bool isBent) {
    return (grzFlightplanChange){.vertices = numbers->vertices,
                                 .count = count,
                                 .positions = numbers->positions,
                                 .velocities = numbers->velocities,
                                 .accelerations = isBent ? numbers->accelerations : NULL};
}

static uint32_t checkPaths(const grzFlightplan* plan, Boxes* boxes, double time) {
    const double at = grzPlan_TimeOf(plan, time);
    const PlanPathBoxes job = {boxes->realisers, boxes->nodes, plan->paths.data, at, PLAN_SHORT_TICKS * plan->tick,
                               plan->isBent};
    uint32_t doubts = 0;
    Boxes first = {0};
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level)
        if (grzSimd_Supports((grzSimdLevel)level)) {
            memset(boxes->nodes, 0xFF, sizeof boxes->nodes);
            memset(boxes->doubtful, 0xFF, sizeof boxes->doubtful);
            const int any = grzPlanPathBoxes_At((grzSimdLevel)level)(&job, NODES, boxes->doubtful);
            const uint32_t found = checkSides(plan, boxes, at);
            assert_int_equal(any, found != 0);
            doubts += found;
            if (level == 0)
                first = *boxes;
            assert_memory_equal(&first, boxes, sizeof first);
        }
    return doubts;
}

static void boxesOnPathsAreThoseOfThePlan(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(742), 0);
    Boxes boxes = {0};
    uint32_t doubts[2] = {0}, sides = 0;
    for (uint32_t round = 0; round < 60; ++round) {
        const bool isBent = round % 2 == 1;
        Numbers numbers;
        grzFlightplanDef def = grzDefaultFlightplanDef();
        grzFlightplan* plan;
        drawNumbers(&rng, &numbers, isBent);
        def.kind = grz_planPaths, def.vertexCount = VERTICES;
        def.positions = numbers.positions, def.velocities = numbers.velocities;
        def.accelerations = isBent ? numbers.accelerations : NULL;
        ok(grzFlightplan_Create(&def, &plan));
        // Half of the vertices are younger, so that they are not in the same case as the others.
        drawNumbers(&rng, &numbers, isBent);
        const grzFlightplanChange change = changeOf(&numbers, VERTICES / 2, isBent);
        ok(grzFlightplan_Change(plan, 1, &change));
        drawRealisers(&rng, &boxes);
        const double times[] = {1,
                                1.5,
                                1 + (double)grzRng_Float(&rng),
                                0x1p10,
                                0x1p10 + 1,
                                1e6 * (double)grzRng_Float(&rng) + 1,
                                PLAN_SHORT_TICKS * plan->tick,
                                (PLAN_SHORT_TICKS + 1) * plan->tick};
        for (size_t k = 0; k < sizeof times / sizeof times[0]; ++k) {
            doubts[isBent] += checkPaths(plan, &boxes, fmax(times[k], 1));
            sides += PLACES;
        }
        grzFlightplan_Destroy(plan);
    }
    // Of the middle of two doubles, on straight paths that are old, and of little else.
    assert_true(doubts[0] > 0 && doubts[0] < sides && doubts[1] < sides);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesBetweenKeyframesAreThoseOfThePlan),
        cmocka_unit_test(boxesOnPathsAreThoseOfThePlan),
    };
    return cmocka_run_group_tests_name("plan_box_kernel", tests, NULL, NULL);
}
