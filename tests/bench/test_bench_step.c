// The scenes of the stage "step", and the measures of what became of them, on poses whose answers are known.
#include "testing.h"

#include "memory.h"
#include "step_make.h"
#include "step_quality.h"
#include "step_watch.h"

#define MOST_BODIES 40

typedef struct Fixture {
    Bench bench;
    StepScene scene;
    StepPose poses[MOST_BODIES];
} Fixture;

static void open(Fixture* f) {
    memset(f, 0, sizeof *f);
    f->bench.allocator = grzAllocator_OrDefault((grzAllocator){0});
}

static void poseAsMade(Fixture* f) {
    assert_true(f->scene.count <= MOST_BODIES);
    for (size_t i = 0; i < f->scene.count; ++i)
        f->poses[i] = (StepPose){f->scene.bodies[i].origin, f->scene.bodies[i].rotation};
}

static StepQuality find(Fixture* f) {
    StepQuality quality;
    assert_true(StepQuality_Find(&f->bench, &f->scene, f->poses, &quality));
    return quality;
}

static void openPyramid(Fixture* f) {
    open(f);
    assert_true(StepScene_MakePyramid(&f->bench, 3, &f->scene));
    assert_int_equal(f->scene.count, 7);
    assert_int_equal(f->scene.fixed, 1);
    poseAsMade(f);
}

static void aPyramidAsItIsMadeHasNoErrors(void** state) {
    Fixture f;
    (void)state;
    openPyramid(&f);
    const StepQuality quality = find(&f);
    assert_float_equal(quality.apex, 2.5, 1e-6);
    assert_float_equal(quality.meanHeight, (3 * 0.5 + 2 * 1.5 + 2.5) / 6, 1e-6);
    assert_int_equal(quality.above, 6);
    assert_true(quality.mostDepth < 1e-6 && quality.rowDrift == 0 && quality.bodyDrift == 0);
    StepScene_Release(&f.bench, &f.scene);
}

static void depthsAndDriftsAreThoseOfThePoses(void** state) {
    Fixture f;
    (void)state;
    openPyramid(&f);
    // The uppermost box sinks by 1 cm into the two below it, which go 3 cm and 1 cm along z with it half way.
    f.poses[6].origin.y -= 0.01f;
    f.poses[4].origin.z += 0.03f;
    f.poses[5].origin.z += 0.01f;
    const StepQuality quality = find(&f);
    assert_float_equal(quality.mostDepth, 0.01, 1e-5);
    assert_true(quality.allDepth > 0 && quality.allDepth < quality.meanDepth &&
                quality.meanDepth <= quality.mostDepth);
    assert_float_equal(quality.apex, 2.49, 1e-5);
    assert_float_equal(quality.rowDrift, 0.02, 1e-6);
    assert_float_equal(quality.bodyDrift, 0.03, 1e-6);
    f.poses[1].origin.y = -0.5f; // through the ground
    assert_int_equal(find(&f).above, 5);
    StepScene_Release(&f.bench, &f.scene);
}

static void nothingInAPitTouchesBeforeItFalls(void** state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        Fixture f;
        open(&f);
        assert_true(kind == 2 ? StepScene_MakeTumble(&f.bench, 3, &f.scene)
                              : StepScene_MakePit(&f.bench, 3, kind == 1, &f.scene));
        assert_int_equal(f.scene.count, 5 + 27);
        assert_int_equal(f.scene.fixed, 5);
        poseAsMade(&f);
        const StepQuality quality = find(&f);
        assert_int_equal(quality.above, 27);
        assert_true(quality.mostDepth == 0 && quality.allDepth == 0);
        StepScene_Release(&f.bench, &f.scene);
    }
}

// Turned by more than a little, each in its way, and not layer by layer.
static void whatTumblesIsTurnedAndInNoOrder(void** state) {
    Fixture f;
    size_t turned = 0, descents = 0;
    (void)state;
    open(&f);
    assert_true(StepScene_MakeTumble(&f.bench, 3, &f.scene));
    for (size_t i = f.scene.fixed; i < f.scene.count; ++i) {
        const StepBody* body = &f.scene.bodies[i];
        assert_float_equal((double)grzQuat_Dot(body->rotation, body->rotation), 1.0, 1e-5);
        turned += (double)body->rotation.w < 0.99;
        descents += i > f.scene.fixed && body->origin.y < body[-1].origin.y;
    }
    assert_true(turned > 20 && descents > 5);
    StepScene_Release(&f.bench, &f.scene);
}

// The deepest overlap is that which the scene begins with: the uppermost box lies 10 cm deep in both below it.
static void theWatchSeesTheWorstOfAllSteps(void** state) {
    Fixture f;
    StepWatch watch;
    (void)state;
    openPyramid(&f);
    f.scene.bodies[6].origin.y -= 0.1f;
    const StepSource source = {.steps = 60,
                               .scene = &f.scene,
                               .open = StepWorld_OpenScene,
                               .watch = StepWorld_WatchScene,
                               .step = StepWorld_StepScene,
                               .close = StepWorld_CloseScene};
    assert_true(StepWatch_Run(&f.bench, &source, &watch));
    assert_int_equal(watch.n, 6);
    assert_int_equal(watch.overlap.measuredSteps, 60);
    assert_int_equal(watch.overlap.step, 0);
    assert_true(watch.overlap.bodyA == 4 || watch.overlap.bodyA == 5);
    assert_int_equal(watch.overlap.bodyB, 6);
    assert_true(watch.overlap.depth > 0.04 && watch.overlap.depth <= 0.1);
    StepOverlap_Release(&watch.overlap);
    StepScene_Release(&f.bench, &f.scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aPyramidAsItIsMadeHasNoErrors),     cmocka_unit_test(depthsAndDriftsAreThoseOfThePoses),
        cmocka_unit_test(nothingInAPitTouchesBeforeItFalls), cmocka_unit_test(whatTumblesIsTurnedAndInNoOrder),
        cmocka_unit_test(theWatchSeesTheWorstOfAllSteps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
