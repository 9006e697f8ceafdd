// What is stacked or heaped comes to rest, down to what rounding leaves; and what swings slowly goes on swinging.
#include "expected_failure.h"
#include "rest_testing.h"

#include <math.h>

static void test_heapsRest(void** state) {
    (void)state;
    for (int kind = 0; kind < HEAP_KIND_COUNT; ++kind) {
        const RestMotion motion = restOfHeaps((HeapKind)kind, 100, 3.5f, 12);
        mustBeBelow(motion.meanSpeed, 5e-6, "mean speed");
        mustBeBelow(motion.greatestSpeed, 5e-5, "greatest speed");
    }
}

static void test_pyramidRests(void** state) {
    (void)state;
    mustStandStill(makePyramid(20), 6, 1e-3);
}

static void test_towerRests(void** state) {
    (void)state;
    mustStandStill(makeTower(30, 0.2f), 5, 1e-5);
}

enum { droppedCount = 800, droppedKinds = 50, droppedPoints = 12 };

static grzHull* makeHull(grzRng* rng, float radius) {
    float points[3 * droppedPoints];
    for (int i = 0; i < droppedPoints; ++i)
        grzVec3_Store(points + 3 * i, grzScale(grzNormalize(randomVector(rng, 1)), radius));
    grzHullDef def = grzDefaultHullDef();
    def.positions = points, def.pointCount = droppedPoints;
    grzHull* hull;
    must(grzHull_Create(&def, &hull));
    return hull;
}

// Some rock from face to face, where two faces hardly differ: they are to stop. How many of them still move after eleven seconds.
static void test_hullsRest(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(30, 0);
    grzWorld* world = makeWorld(NULL);
    grzHull* hulls[droppedKinds];
    grzBodyId ids[droppedCount];
    int moving = 0;
    addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(400, 1, 400)), grzVec3_Make(0, -1, 0));
    for (int k = 0; k < droppedKinds; ++k)
        hulls[k] = makeHull(&rng, 2.5f);
    for (int i = 0; i < droppedCount; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = grzMakeHullShape(hulls[i % droppedKinds]);
        def.origin = grzVec3_Make(15 * (float)(i % 40 - 20), 4, 15 * (float)(i / 40 - 10));
        def.rotation = randomTurn(&rng);
        def.spin = randomVector(&rng, 2);
        ids[i] = addBody(world, &def);
    }
    for (int step = 0; step < 660; ++step)
        must(grzWorld_Step(world, 1.0f / 60));
    for (int i = 0; i < droppedCount; ++i) {
        const grzBodyView view = viewOf(world, ids[i]);
        moving += grzLength(view.velocity) + 5 * grzLength(view.spin) > 0.02f;
    }
    assertAtMost("hulls of 800 that still move", moving, 2);
    grzWorld_Destroy(world);
    for (int k = 0; k < droppedKinds; ++k)
        grzHull_Destroy(hulls[k]);
}

typedef enum SwingKind { slidingBox, rollingBall, carryingBox, SWING_KIND_COUNT } SwingKind;

typedef struct Swing {
    grzBodyId id;
    grzVec3 home;
} Swing;

#define SWING_SPEED 1e-4f

static Swing addSwing(grzWorld* world, SwingKind kind) {
    Swing swing = {.home = grzVec3_Make(0, 0.5f, 3 * (float)kind)};
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.shape = grzMakeBox(grzVec3_Make(0, -1.5f, 0), grzVec3_Make(5, 1, 1));
    def.origin = swing.home;
    def.friction = kind == rollingBall ? 0.6f : 0;
    addBody(world, &def);
    def = grzDefaultBodyDef();
    def.shape =
        kind == rollingBall ? grzMakeSphere(grzVec3_Zero(), 0.5f) : grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    def.origin = swing.home;
    def.velocity.x = SWING_SPEED;
    def.spin.z = kind == rollingBall ? -2 * SWING_SPEED : 0;
    swing.id = addBody(world, &def);
    def.origin.y += 1;
    if (kind == carryingBox)
        addBody(world, &def);
    return swing;
}

// As a spring would that swings a free body once in two seconds. A push between steps keeps its energy; a force that stays the
// same for a whole step would add to it.
static void pullHome(grzWorld* world, const Swing* swing) {
    const grzBodyView view = viewOf(world, swing->id);
    const float stiffness = 3.1415927f * 3.1415927f * view.mass;
    const grzVec3 impulse = grzVec3_Make(stiffness * (swing->home.x - view.origin.x) / 60.0f, 0, 0);
    must(grzWorld_PushBody(world, swing->id, view.center, impulse));
}

// No speed is so low that it counts as rest. A box that slides without friction, a ball that rolls, and a box that carries
// another swing for a minute.
static void test_slowSwingsGoOn(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    Swing swings[SWING_KIND_COUNT];
    float most[SWING_KIND_COUNT] = {0};
    for (int i = 0; i < SWING_KIND_COUNT; ++i)
        swings[i] = addSwing(world, (SwingKind)i);
    for (int step = 0; step < 3600; ++step) {
        for (int i = 0; i < SWING_KIND_COUNT; ++i)
            pullHome(world, &swings[i]);
        must(grzWorld_Step(world, 1.0f / 60.0f));
        for (int i = 0; i < SWING_KIND_COUNT && step >= 3600 - 180; ++i)
            most[i] = fmaxf(most[i], viewOf(world, swings[i].id).velocity.x);
    }
    for (int i = 0; i < SWING_KIND_COUNT; ++i)
        if (!(fabsf(most[i] - SWING_SPEED) <= 0.1f * SWING_SPEED))
            fail_msg("swing %d: its speed is %g, not %g", i, (double)most[i], (double)SWING_SPEED);
    grzWorld_Destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heapsRest), cmocka_unit_test(test_pyramidRests),   cmocka_unit_test(test_towerRests),
        cmocka_unit_test(test_hullsRest), cmocka_unit_test(test_slowSwingsGoOn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
