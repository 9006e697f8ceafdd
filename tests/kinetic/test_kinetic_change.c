// Sparse changes of paths: after each the boxes are those of a refit, and what is known of the future is what a new tree finds; a
// change looks at few sides, which is counted; batches with one vertex many times, vertices without a triangle, changes at the
// tick of an event, and motion that is far, huge, level or bent.
#include "kinetic_testing.h"

#include <math.h>
#include <string.h>

#include "graze/kinetic_tree.h"
#include "plan_inside.h"

// ---- motion ----

typedef enum Flavour { anyMotion, levelMotion, farMotion, hugeMotion, bentMotion, flavourCount } Flavour;

static float drawPlace(grzRng* rng, Flavour flavour) {
    const float x = 10 * grzRng_Float(rng);
    return flavour == levelMotion ? (float)grzRng_Below(rng, 3) : flavour == farMotion ? 1e6F + x : x;
}

static float drawVelocity(grzRng* rng, Flavour flavour) {
    const float x = 2 * grzRng_Float(rng) - 1;
    return flavour == levelMotion ? (float)grzRng_Below(rng, 3) - 1 : flavour == hugeMotion ? 1e30F * x : x;
}

static grzFlightplan* drawPlan(const Scene* scene, Flavour flavour, uint32_t extra, grzRng* rng) {
    const size_t count = scene->vertexCount + extra;
    float *positions = takeNumbers(3 * count), *velocities = takeNumbers(3 * count),
          *bends = takeNumbers(3 * count);
    for (size_t i = 0; i < 3 * count; ++i) {
        positions[i] = drawPlace(rng, flavour), velocities[i] = drawVelocity(rng, flavour);
        bends[i] = drawVelocity(rng, flavour);
    }
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths, def.vertexCount = count, def.positions = positions, def.velocities = velocities;
    def.accelerations = flavour == bentMotion ? bends : NULL;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    free(positions), free(velocities), free(bends);
    return plan;
}

enum { MOST = 4 };

typedef struct Few {
    uint32_t vertices[MOST];
    float positions[3 * MOST], velocities[3 * MOST], bends[3 * MOST];
    grzFlightplanChange change; // points into the above
} Few;

// Of up to MOST vertices, some of them one vertex several times, some without triangles, some that jump.
static void drawFew(const grzFlightplan* plan, Flavour flavour, grzRng* rng, Few* few) {
    const uint32_t count = 1 + grzRng_Below(rng, MOST), vertexCount = (uint32_t)grzFlightplan_VertexCount(plan);
    for (uint32_t i = 0; i < count; ++i)
        few->vertices[i] =
            i > 0 && grzRng_Below(rng, 4) == 0 ? few->vertices[i - 1] : grzRng_Below(rng, vertexCount);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        few->positions[i] = drawPlace(rng, flavour), few->velocities[i] = drawVelocity(rng, flavour);
        few->bends[i] = drawVelocity(rng, flavour);
    }
    few->change = (grzFlightplanChange){few->vertices, count, grzRng_Below(rng, 6) == 0 ? few->positions : NULL,
                                        few->velocities, flavour == bentMotion ? few->bends : NULL};
}

// ---- against refits ----

// Of a tree that is made now, where no two coordinates are level.
static void expectFuture(const Scene* scene, grzFlightplan* plan, const grzKineticTree* tree, double time) {
    grzKineticTree* fresh = makeKineticTree(scene, plan, grz_kineticBatched, time);
    assert_true(grzKineticTree_Horizon(tree) == grzKineticTree_Horizon(fresh));
    grzKineticTree_Destroy(fresh);
}

// The next time to look at: often that at which something happens, in the first tick of it.
static double drawTime(const grzKineticTree* tree, const grzFlightplan* plan, double time, grzRng* rng) {
    const double horizon = grzKineticTree_Horizon(tree);
    if (grzRng_Below(rng, 3) == 0 && horizon < time + 1)
        return floor(horizon / plan->tick) * plan->tick + plan->tick;
    return time + 0.05 * (double)grzRng_Float(rng);
}

static void checkFrames(const Scene* scene, grzKineticOrder order, Flavour flavour, int rounds, grzRng* rng) {
    const bool isLevel = flavour == levelMotion || flavour == farMotion;
    grzFlightplan* plan = drawPlan(scene, flavour, 3, rng);
    grzKineticTree* tree = makeKineticTree(scene, plan, order, 0);
    TreeBoxes boxes = takeTreeBoxes(scene, grzFlightplan_VertexCount(plan));
    double time = 0;
    for (int round = 0; round < rounds; ++round) {
        Few few;
        time = drawTime(tree, plan, time, rng);
        drawFew(plan, flavour, rng, &few);
        if (grzRng_Below(rng, 4) == 0)
            ok(grzKineticTree_Advance(tree, NULL, time));
        else
            ok(grzKineticTree_Change(tree, NULL, time, &few.change));
        if (grzRng_Below(rng, 8) == 0) // and once more at the same time
            ok(grzKineticTree_Change(tree, NULL, time, &few.change));
        expectTreeRefit(scene, plan, tree, time, &boxes);
        if (round % 8 == 0)
            assert_true(grzKineticTree_Validate(tree));
        if (round % 8 == 0 && !isLevel)
            expectFuture(scene, plan, tree, time);
    }
    dropTreeBoxes(&boxes);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
}

static void sparseChangesLeaveTheBoxesOfARefit(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 4, 11, 24};
    static const int rounds[] = {300, 300, 150, 60};
    grzRng rng = grzRng_Make(testSeed(861), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s) {
        Scene scene = makeScene(&rng, sides[s], noise);
        for (int flavour = 0; flavour < flavourCount; ++flavour)
            for (int order = 0; order < 2; ++order)
                checkFrames(&scene, (grzKineticOrder)order, (Flavour)flavour, rounds[s], &rng);
        dropScene(&scene);
    }
}

// From 4,096 leaves on there is a top above several parts.
static void changesReachTheTop(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(862), 0);
    Scene scene = makeScene(&rng, 135, noise);
    for (int order = 0; order < 2; ++order)
        checkFrames(&scene, (grzKineticOrder)order, anyMotion, 12, &rng);
    dropScene(&scene);
}

// ---- what is looked at ----

static grzKineticTreeStats differenceOf(const grzKineticTree* tree, grzKineticTreeStats before) {
    const grzKineticTreeStats now = grzKineticTree_GetStats(tree);
    return (grzKineticTreeStats){.repairs = now.repairs - before.repairs, .races = now.races - before.races};
}

static uint32_t countSides(const Scene* scene) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    return 6 * (view.leafCount + view.nodeCount);
}

// TreeBoxes of a sheet that is nearly flat and spreads: nothing happens but by changes. A vertex has six triangles, in at most as
// many leaves.
static void aChangeLooksAtFewSides(void** state) {
    (void)state;
    enum { ROUNDS = 400, TIERS = 5 };
    grzRng rng = grzRng_Make(testSeed(863), 0);
    Scene scene = makeScene(&rng, 70, waves);
    for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i)
        scene.velocities[i] = 0.01F * scene.frames[0][i];
    grzFlightplan* plan = planPaths(&scene);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticBatched, 0);
    const uint32_t all = countSides(&scene);
    uint64_t repairs = 0, races = 0;
    for (uint32_t k = 0; k < ROUNDS; ++k) {
        const uint32_t vertex = grzRng_Below(&rng, scene.vertexCount);
        const float velocity[3] = {-scene.velocities[3 * (size_t)vertex], -scene.velocities[3 * (size_t)vertex + 1],
                                   -scene.velocities[3 * (size_t)vertex + 2]};
        const grzFlightplanChange change = {&vertex, 1, NULL, velocity, NULL};
        ok(grzKineticTree_Advance(tree, NULL, 1e-4 * k));
        const grzKineticTreeStats before = grzKineticTree_GetStats(tree);
        ok(grzKineticTree_Change(tree, NULL, 1e-4 * k, &change));
        const grzKineticTreeStats some = differenceOf(tree, before);
        assert_true(some.races > 0 && some.races <= 6 * (6 + 6 * TIERS) && some.repairs <= 6 * (6 + TIERS));
        repairs += some.repairs, races += some.races;
    }
    assert_true(all > 10000);
    assert_true(repairs < 12 * ROUNDS && races < 40 * ROUNDS);
    TreeBoxes boxes = takeTreeBoxes(&scene, grzFlightplan_VertexCount(plan));
    expectTreeRefit(&scene, plan, tree, 1e-4 * (ROUNDS - 1), &boxes);
    dropTreeBoxes(&boxes);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void nothingIsLookedAtWhereNothingHappens(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(864), 0);
    Scene scene = makeScene(&rng, 30, noise);
    grzFlightplan* plan = drawPlan(&scene, anyMotion, 1, &rng);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticBatched, 0);
    const grzKineticTreeStats before = grzKineticTree_GetStats(tree);
    ok(grzKineticTree_Advance(tree, NULL, grzKineticTree_Horizon(tree)));
    const float velocity[3] = {1, 2, 3};
    const grzFlightplanChange outside = {&scene.vertexCount, 1, NULL, velocity,
                                         NULL}; // the vertex behind all others
    const grzFlightplanChange nobody = {NULL, 0, NULL, NULL, NULL};
    ok(grzKineticTree_Change(tree, NULL, grzKineticTree_Time(tree), &outside));
    ok(grzKineticTree_Change(tree, NULL, grzKineticTree_Time(tree), &nobody));
    const grzKineticTreeStats some = differenceOf(tree, before);
    assert_int_equal(some.repairs, 0);
    assert_int_equal(some.races, 0);
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// Where most vertices change, each side is looked at once.
static void aSweepLooksAtEverySideOnce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(865), 0);
    Scene scene = makeScene(&rng, 40, noise);
    for (int order = 0; order < 2; ++order) {
        grzFlightplan* plan = drawPlan(&scene, anyMotion, 0, &rng);
        grzKineticTree* tree = makeKineticTree(&scene, plan, (grzKineticOrder)order, 0);
        uint32_t* vertices = calloc(scene.vertexCount, sizeof *vertices);
        float* velocities = takeNumbers(3 * (size_t)scene.vertexCount);
        assert_non_null(vertices);
        TreeBoxes boxes = takeTreeBoxes(&scene, grzFlightplan_VertexCount(plan));
        for (uint32_t v = 0; v < scene.vertexCount; ++v)
            vertices[v] = v;
        for (int k = 1; k <= 4; ++k) {
            for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i)
                velocities[i] = drawVelocity(&rng, anyMotion);
            const grzFlightplanChange change = {vertices, scene.vertexCount, NULL, velocities, NULL};
            ok(grzKineticTree_Advance(tree, NULL, 0.01 * k));
            const grzKineticTreeStats before = grzKineticTree_GetStats(tree);
            ok(grzKineticTree_Change(tree, NULL, 0.01 * k, &change));
            const grzKineticTreeStats some = differenceOf(tree, before);
            assert_int_equal(some.repairs, countSides(&scene));
            assert_int_equal(some.races, 0);
            assert_true(grzKineticTree_Validate(tree));
            expectTreeRefit(&scene, plan, tree, 0.01 * k, &boxes);
            expectFuture(&scene, plan, tree, 0.01 * k);
        }
        dropTreeBoxes(&boxes);
        free(vertices), free(velocities);
        grzKineticTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
    }
    dropScene(&scene);
}

// A quarter of all vertices is still followed one by one; one more brings the sweep.
static void aSweepBeginsAboveAQuarter(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(866), 0);
    Scene scene = makeScene(&rng, 20, noise);
    grzFlightplan* plan = drawPlan(&scene, anyMotion, 0, &rng);
    grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticBatched, 0);
    uint32_t vertices[101];
    const float velocities[3 * 101] = {0};
    assert_int_equal(scene.vertexCount, 400);
    for (uint32_t i = 0; i < 101; ++i)
        vertices[i] = 3 * i;
    for (size_t count = 100; count <= 101; ++count) {
        const grzFlightplanChange change = {vertices, count, NULL, velocities, NULL};
        const grzKineticTreeStats before = grzKineticTree_GetStats(tree);
        ok(grzKineticTree_Change(tree, NULL, 0, &change));
        const grzKineticTreeStats some = differenceOf(tree, before);
        assert_true((some.races == 0) == (count == 101));
        assert_true((some.repairs == countSides(&scene)) == (count == 101));
    }
    grzKineticTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// What has changed once is not taken for changed for ever after: the same change of one vertex is looked at as much, whatever
// others changed before.
static void anOldChangeCostsNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(867), 0);
    Scene scene = makeScene(&rng, 20, waves);
    grzKineticTreeStats looked[2];
    for (uint32_t others = 0; others < 2; ++others) {
        // Everything stands still, so that only what is marked can be looked at.
        memset(scene.velocities, 0, 3 * (size_t)scene.vertexCount * sizeof *scene.velocities);
        grzFlightplan* plan = planPaths(&scene);
        grzKineticTree* tree = makeKineticTree(&scene, plan, grz_kineticBatched, 0);
        const float none[3] = {0};
        for (uint32_t v = 0; others != 0 && v < scene.vertexCount; ++v) {
            const grzFlightplanChange change = {&v, 1, NULL, none, NULL};
            ok(grzKineticTree_Change(tree, NULL, 0, &change));
        }
        const grzKineticTreeStats before = grzKineticTree_GetStats(tree);
        for (uint32_t v = 0; v < scene.vertexCount; v += 7) {
            const grzFlightplanChange change = {&v, 1, NULL, none, NULL};
            ok(grzKineticTree_Change(tree, NULL, 0, &change));
        }
        looked[others] = differenceOf(tree, before);
        grzKineticTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
    }
    assert_true(looked[0].repairs > 0);
    assert_int_equal(looked[0].repairs, looked[1].repairs);
    assert_int_equal(looked[0].races, looked[1].races);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparseChangesLeaveTheBoxesOfARefit),
        cmocka_unit_test(changesReachTheTop),
        cmocka_unit_test(aChangeLooksAtFewSides),
        cmocka_unit_test(nothingIsLookedAtWhereNothingHappens),
        cmocka_unit_test(aSweepLooksAtEverySideOnce),
        cmocka_unit_test(aSweepBeginsAboveAQuarter),
        cmocka_unit_test(anOldChangeCostsNothing),
    };
    return cmocka_run_group_tests_name("kinetic_change", tests, NULL, NULL);
}
