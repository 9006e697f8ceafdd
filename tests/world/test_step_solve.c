// The solver as a stage over arrays, without a world: touches made of manifolds, with the last step's impulses; refusals.
#include "testing.h"

#include <math.h>

#include "graze/stage/step_contacts.h"

enum { HEIGHT = 5, BODIES = HEIGHT + 1, PAIRS = HEIGHT, UNITS = sizeof(grzTouch) / sizeof(grzTouchUnit) };

// A stack of cubes on a floor. Pair i is of bodies i and i + 1, the floor being body 0.
typedef struct Stack {
    grzBodyState states[BODIES];
    grzBodyMass masses[BODIES];
    grzConvex shapes[BODIES];
    grzTouch touches[2][PAIRS];
    grzTouchName names[2][PAIRS][4];
    uint32_t places[PAIRS], now;
    grzContactSolver* solver;
} Stack;

static void makeStack(Stack* stack) {
    memset(stack, 0, sizeof *stack);
    for (uint32_t i = 0; i < BODIES; ++i) {
        const float half = i == 0 ? 10.0f : 0.5f, height = i == 0 ? -10.0f : (float)i - 0.5f;
        stack->states[i] = (grzBodyState){.center = grzVec3_Make(0, height, 0), .rotation = grzQuat_Identity()};
        stack->shapes[i] = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(half));
        if (i != 0)
            stack->masses[i] = (grzBodyMass){1, {6, 6, 6}, 1, 0, 0, grz_bodyMoves | grz_bodyYields};
    }
    for (uint32_t i = 0; i < PAIRS; ++i)
        stack->places[i] = UNITS * i;
    assert_true(grzResult_IsOk(grzContactSolver_Create((grzAllocator){0}, &stack->solver)));
}

static grzSolveInput inputOf(Stack* stack) {
    grzSolveInput input = grzDefaultSolveInput();
    input.settings.timeStep = 1.0f / 60, input.settings.gravity = grzVec3_Make(0, -10, 0);
    input.states = stack->states, input.masses = stack->masses, input.bodyCount = BODIES;
    input.units = (grzTouchUnit*)(void*)stack->touches[stack->now], input.places = stack->places;
    input.touchCount = PAIRS;
    return input;
}

static void makeTouches(Stack* stack, bool carries) {
    const uint32_t last = stack->now, now = stack->now = 1 - last;
    for (uint32_t i = 0; i < PAIRS; ++i) {
        grzManifold manifold;
        const grzBodyState *a = &stack->states[i], *b = &stack->states[i + 1];
        assert_true(grzResult_IsOk(grzConvex_Collide(
            &stack->shapes[i], grzTransform_FromQuat(a->rotation, a->center), &stack->shapes[i + 1],
            grzTransform_FromQuat(b->rotation, b->center), 0.02f, &manifold)));
        grzTouchPair pair = {i, i + 1, a, b, 0.6f, 0, {NULL, NULL, 0}};
        if (carries)
            pair.previous =
                (grzTouchSpan){(const grzTouchUnit*)(void*)&stack->touches[last][i], stack->names[last][i], 1};
        const grzTouchRoom room = {(grzTouchUnit*)(void*)&stack->touches[now][i], stack->names[now][i]};
        grzManifold_ToTouch(&pair, &manifold, &room);
    }
}

static float impulseOf(const grzTouch* touch) {
    float sum = 0;
    for (uint32_t i = 0; i < touch->pointCount; ++i)
        sum += touch->points[i].normalImpulse;
    return sum;
}

// In a substep each touch carries the weight of all that is above it; the next step's touch begins with that.
static void touchesCarryWhatIsAbove(void** state) {
    (void)state;
    static Stack stack;
    makeStack(&stack);
    for (int step = 0; step < 200; ++step) {
        makeTouches(&stack, step != 0);
        const grzSolveInput input = inputOf(&stack);
        assert_true(grzResult_IsOk(grzStep_Solve(stack.solver, &input)));
    }
    float impulses[PAIRS];
    for (uint32_t i = 0; i < PAIRS; ++i) {
        const float weight = 10.0f / 240 * (float)(HEIGHT - i);
        impulses[i] = impulseOf(&stack.touches[stack.now][i]);
        assert_true(stack.touches[stack.now][i].pointCount == 4 && fabsf(impulses[i] - weight) < 0.01f * weight);
        assert_true(fabsf(stack.states[i + 1].center.y - 0.5f - (float)i) < 0.01f);
    }
    makeTouches(&stack, true);
    for (uint32_t i = 0; i < PAIRS; ++i)
        assert_true(fabsf(impulseOf(&stack.touches[stack.now][i]) - impulses[i]) < 1e-6f);
    makeTouches(&stack, false);
    for (uint32_t i = 0; i < PAIRS; ++i)
        assert_true(impulseOf(&stack.touches[stack.now][i]) == 0);
    grzContactSolver_Destroy(stack.solver);
}

// Shapes that are apart make touches without points, which the solver leaves alone: the cubes fall as if alone.
static void nothingTouchesApart(void** state) {
    (void)state;
    static Stack stack;
    makeStack(&stack);
    for (uint32_t i = 1; i < BODIES; ++i)
        stack.states[i].center.y += 2.0f * (float)i;
    makeTouches(&stack, false);
    const grzSolveInput input = inputOf(&stack);
    assert_true(grzResult_IsOk(grzStep_Solve(stack.solver, &input)));
    for (uint32_t i = 0; i < PAIRS; ++i) {
        assert_int_equal(stack.touches[stack.now][i].pointCount, 0);
        assert_true(fabsf(stack.states[i + 1].velocity.y + 10.0f / 60) < 1e-6f);
    }
    grzContactSolver_Destroy(stack.solver);
}

static void badInputIsRefused(void** state) {
    (void)state;
    static Stack stack;
    makeStack(&stack);
    makeTouches(&stack, false);
    const Stack before = stack;
    for (int flaw = 0; flaw < 14; ++flaw) {
        grzSolveInput input = inputOf(&stack);
        grzSolverSettings* settings = &input.settings;
        float* numbers[] = {&settings->timeStep,     &settings->gravity.y,
                            &settings->contactHertz, &settings->contactDampingRatio,
                            &settings->pushSpeed,    &settings->restitutionThreshold};
        if (flaw < 6)
            *numbers[flaw] = flaw % 2 == 0 ? NAN : INFINITY;
        settings->timeStep = flaw == 6 ? 0 : settings->timeStep;
        settings->pushSpeed = flaw == 7 ? -1 : settings->pushSpeed;
        settings->substepCount = flaw == 8 ? 0 : flaw == 9 ? 65 : settings->substepCount;
        input.states = flaw == 10 ? NULL : input.states;
        input.masses = flaw == 11 ? NULL : input.masses;
        input.units = flaw == 12 ? NULL : input.units;
        input.places = flaw == 13 ? NULL : input.places;
        const grzResult result = grzStep_Solve(stack.solver, &input);
        assert_true(result.status == grz_badArgument && result.value == 2 && result.reason != NULL);
        assert_memory_equal(&stack, &before, sizeof stack);
    }
    stack.states[3].spin.x = NAN;
    const grzSolveInput input = inputOf(&stack);
    const grzResult result = grzStep_Solve(stack.solver, &input);
    assert_true(result.status == grz_notFinite && result.index == 3);
    grzContactSolver_Destroy(stack.solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touchesCarryWhatIsAbove),
        cmocka_unit_test(nothingTouchesApart),
        cmocka_unit_test(badInputIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
