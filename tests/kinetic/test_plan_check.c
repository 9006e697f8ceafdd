// grzFlightplan_Validate: plans that were made and changed by the calls are whole; each promise that is broken by hand is
// noticed, with one sentence in the log.
#include "kinetic_testing.h"

#include <math.h>

#include "plan_inside.h"

static char lastSentence[256];

static void keepSentence(void* context, grzLogLevel level, const char* message) {
    (void)context;
    assert_int_equal(level, grz_logError);
    snprintf(lastSentence, sizeof lastSentence, "%s", message);
}

static void expectBroken(const grzFlightplan* plan, const char* what) {
    lastSentence[0] = 0;
    assert_false(grzFlightplan_Validate(plan));
    if (strstr(lastSentence, what) == NULL)
        fail_msg("'%s' does not say '%s'", lastSentence, what);
}

static void whatTheCallsMakeIsWhole(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(811), 0);
    Scene scene = makeScene(&rng, 6, noise);
    grzFlightplan* frames = planFrames(&scene, 0);
    assert_true(grzFlightplan_Validate(frames));
    for (int f = 0; f < FRAMES; ++f) {
        ok(grzFlightplan_AddKeyframe(frames, -2.5 + f, scene.frames[f], 0));
        assert_true(grzFlightplan_Validate(frames));
        grzFlightplan_DropKeyframes(frames, f - 3);
        assert_true(grzFlightplan_Validate(frames));
    }
    grzFlightplan* paths = planPaths(&scene);
    SomeChange some;
    for (int k = 0; k < 20; ++k) {
        assert_true(grzFlightplan_Validate(paths));
        drawChange(&scene, &rng, &some);
        ok(grzFlightplan_Change(paths, 0.3 * k + 1e-9, &some.change));
    }
    uint32_t first;
    some.change = (grzFlightplanChange){NULL, 2, some.positions, NULL, NULL};
    ok(grzFlightplan_AddVertices(paths, 7, &some.change, &first));
    assert_true(grzFlightplan_Validate(paths));
    grzFlightplan_Destroy(frames);
    grzFlightplan_Destroy(paths);
    dropScene(&scene);
}

// As a host would that writes into an array which the plan still has.
static void keyframesThatWereWrittenOverAreNoticed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(812), 0);
    Scene scene = makeScene(&rng, 4, waves);
    grzFlightplan* plan = planFrames(&scene, 3);
    float* last = scene.frames[2] + 3 * 15 + 2; // of the last vertex
    const float before = *last;
    *last = (float)NAN;
    expectBroken(plan, "vertex 15 of keyframe 2 is not finite");
    grzFlightplan_DropKeyframes(plan, 1);
    expectBroken(plan, "vertex 15 of keyframe 2 is not finite");
    *last = before;
    assert_true(grzFlightplan_Validate(plan));
    plan->frames.data[1].time = 1; // that of the one before
    expectBroken(plan, "time of keyframe 2");
    plan->frames.data[1].time = (double)NAN;
    expectBroken(plan, "time of keyframe 2");
    plan->frames.data[1].time = 2;
    plan->frames.data[0].stride = 2;
    expectBroken(plan, "positions of keyframe 1");
    plan->frames.data[0].stride = 3;
    assert_true(grzFlightplan_Validate(plan));
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void brokenPathsAreNoticed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(813), 0);
    Scene scene = makeScene(&rng, 4, waves);
    grzFlightplan* plan = planPaths(&scene);
    PlanPath* path = &plan->paths.data[7];
    const PlanPath before = *path;
    path->base = plan->tick; // after the last change
    expectBroken(plan, "beginning of path 7");
    path->base = -plan->tick / 2;
    expectBroken(plan, "beginning of path 7");
    path->base = (double)NAN;
    expectBroken(plan, "beginning of path 7");
    *path = before;
    float* const numbers[] = {&path->position[0], &path->velocity[1], &path->acceleration[2]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        *numbers[i] = (float)INFINITY;
        expectBroken(plan, "numbers of path 7");
        *path = before;
    }
    plan->lastChange = -0x1p32;
    expectBroken(plan, "time of the last change");
    plan->lastChange = 0;
    --plan->paths.count;
    expectBroken(plan, "the count of paths is 15");
    ++plan->paths.count;
    assert_true(grzFlightplan_Validate(plan));
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatTheCallsMakeIsWhole),
        cmocka_unit_test(keyframesThatWereWrittenOverAreNoticed),
        cmocka_unit_test(brokenPathsAreNoticed),
    };
    grzSetLogHook(keepSentence, NULL);
    return cmocka_run_group_tests_name("plan_check", tests, NULL, NULL);
}
