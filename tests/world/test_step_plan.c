// The plan stage over arrays, without a world: boxes hold bodies on their flight and are no larger than they must be; refusals.
#include "testing.h"

#include <math.h>

#include "graze/convex.h"
#include "graze/stage/step.h"
#include "graze/tasks.h"
#include "rng.h"

enum { MOST = 300 };

typedef struct Columns {
    grzBodyState states[MOST];
    grzBodyMass masses[MOST];
    grzBox boxes[MOST], sweeps[MOST];
    float radii[MOST];
    grzVec3 forces[MOST], torques[MOST], half[MOST];
    grzMotion motions[MOST];
    grzBodyState starts[MOST];
} Columns;

static grzVec3 vectorIn(grzRng* rng, float size) {
    const float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzScale(grzSub(grzVec3_Make(x, y, z), grzVec3_Splat(0.5f)), 2 * size);
}

static grzQuat turnIn(grzRng* rng) {
    const float angle = 6 * grzRng_Float(rng);
    return grzQuat_Normalize(grzQuat_FromAxisAngle(grzNormalize(vectorIn(rng, 1)), angle));
}

static grzTransform poseOf(const grzBodyState* state) {
    return grzTransform_FromQuat(state->rotation, state->center);
}

static void fill(Columns* c, grzRng* rng) {
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < MOST; ++i) {
        const uint32_t kind = grzRng_Below(rng, 3); // static, kinematic, dynamic
        c->half[i] = grzAdd(grzVec3_Splat(0.3f), vectorIn(rng, 0.25f));
        c->states[i].center = vectorIn(rng, 20);
        c->states[i].rotation = turnIn(rng);
        c->states[i].velocity = kind == 0 ? grzVec3_Zero() : vectorIn(rng, 30);
        c->states[i].spin = kind == 0 ? grzVec3_Zero() : vectorIn(rng, i % 4 == 0 ? 200.0f : 5.0f);
        c->masses[i].flags = kind == 0   ? 0u
                             : kind == 1 ? (uint32_t)grz_bodyMoves
                                         : (uint32_t)(grz_bodyMoves | grz_bodyYields);
        c->masses[i].inverseMass = kind == 2 ? 0.5f : 0;
        c->masses[i].gravityScale = kind == 2 ? 4 * grzRng_Float(rng) - 1 : 0;
        c->radii[i] = grzLength(c->half[i]) * 1.00001f;
        c->forces[i] = vectorIn(rng, 40);
        const grzConvex shape = grzMakeBox(grzVec3_Zero(), c->half[i]);
        c->boxes[i] = grzConvex_Box(&shape, poseOf(&c->states[i]));
    }
}

static grzPlanInput inputOf(const Columns* c) {
    grzPlanInput input = grzDefaultPlanInput();
    input.states = c->states, input.masses = c->masses, input.boxes = c->boxes, input.radii = c->radii;
    input.forces = c->forces, input.torques = c->torques;
    input.count = MOST;
    input.timeStep = 0.05f;
    input.margin = 0.02f;
    input.gravity = grzVec3_Make(1, -10, 2);
    return input;
}

// Corners on the way, in small steps of the motion itself.
static void checkFlight(const Columns* c, const grzPlanInput* input, uint32_t i) {
    enum { STEPS = 40 };
    grzBodyState state = c->states[i];
    const float h = input->timeStep / STEPS;
    if ((c->masses[i].flags & grz_bodyYields) != 0)
        state.velocity = grzAddScaled(state.velocity, input->timeStep * c->masses[i].inverseMass, c->forces[i]);
    const grzBox sweep = grzBox_Expand(c->sweeps[i], 1e-4f);
    for (int step = 0; step <= STEPS; ++step) {
        for (int corner = 0; corner < 8; ++corner) {
            const grzVec3 own = grzVec3_Make((corner & 1) != 0 ? c->half[i].x : -c->half[i].x,
                                             (corner & 2) != 0 ? c->half[i].y : -c->half[i].y,
                                             (corner & 4) != 0 ? c->half[i].z : -c->half[i].z);
            assert_true(grzBox_ContainsPoint(sweep, grzTransform_Apply(poseOf(&state), own)));
        }
        if ((c->masses[i].flags & grz_bodyMoves) == 0)
            continue;
        if ((c->masses[i].flags & grz_bodyYields) != 0)
            state.velocity = grzAddScaled(state.velocity, h * c->masses[i].gravityScale, input->gravity);
        state.center = grzAddScaled(state.center, h, state.velocity);
        const float angle = grzLength(state.spin) * h;
        if (angle > 0)
            state.rotation = grzQuat_Normalize(
                grzQuat_Multiply(grzQuat_FromAxisAngle(grzNormalize(state.spin), angle), state.rotation));
    }
}

// The box may not be larger than the box of now, moved by the two velocities and grown by the turn and half the margin.
static void checkSize(const Columns* c, const grzPlanInput* input, uint32_t i) {
    const bool moves = (c->masses[i].flags & grz_bodyMoves) != 0,
               yields = (c->masses[i].flags & grz_bodyYields) != 0;
    const float time = input->timeStep;
    const float turn = moves ? fminf(grzLength(c->states[i].spin) * time, 2.0f) * c->radii[i] : 0;
    for (int axis = 0; axis < 3; ++axis) {
        float from = grzVec3_Get(c->states[i].velocity, axis);
        from += yields ? time * c->masses[i].inverseMass * grzVec3_Get(c->forces[i], axis) : 0;
        const float to = from + (yields ? time * c->masses[i].gravityScale * grzVec3_Get(input->gravity, axis) : 0);
        const float room = turn + 0.5f * input->margin + 1e-4f;
        const float low = time * fminf(0, fminf(from, to)) - room, high = time * fmaxf(0, fmaxf(from, to)) + room;
        assert_true(grzVec3_Get(c->sweeps[i].lower, axis) >= grzVec3_Get(c->boxes[i].lower, axis) + low);
        assert_true(grzVec3_Get(c->sweeps[i].upper, axis) <= grzVec3_Get(c->boxes[i].upper, axis) + high);
    }
}

static void boxesHoldBodiesOnTheirFlight(void** state) {
    (void)state;
    static Columns columns;
    grzRng rng = grzRng_Make(testSeed(830), 0);
    for (int round = 0; round < 20; ++round) {
        fill(&columns, &rng);
        const grzPlanInput input = inputOf(&columns);
        const grzPlanOutput output = {columns.motions, columns.sweeps, columns.starts};
        assert_true(grzResult_IsOk(grzStep_Plan(&input, &output)));
        assert_memory_equal(columns.starts, columns.states, sizeof columns.states);
        for (uint32_t i = 0; i < MOST; ++i) {
            checkFlight(&columns, &input, i);
            checkSize(&columns, &input, i);
        }
    }
}

// Any number of workers, parts of larger rows, no forces, and bodies that are held.
static void theSameBytesHoweverAsked(void** state) {
    (void)state;
    typedef struct Row {
        grzVec3 force;
        float radius;
        grzVec3 torque;
    } Row;
    static Columns columns, again;
    static Row rows[MOST];
    grzRng rng = grzRng_Make(testSeed(831), 0);
    fill(&columns, &rng);
    for (uint32_t i = 0; i < MOST; ++i) {
        columns.torques[i] = vectorIn(&rng, 3);
        columns.masses[i].inverseInertia[i % 3] = 0.5f;
        rows[i] = (Row){columns.forces[i], columns.radii[i], columns.torques[i]};
    }
    grzPlanInput input = inputOf(&columns);
    assert_true(grzResult_IsOk(grzStep_Plan(&input, &(grzPlanOutput){columns.motions, columns.sweeps, NULL})));
    input.radii = &rows[0].radius, input.forces = &rows[0].force, input.torques = &rows[0].torque;
    input.radiusStride = input.pushStride = sizeof(Row);
    for (uint32_t workers = 1; workers <= 8; ++workers) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers;
        grzTasks* tasks;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        input.tasks = tasks;
        memset(again.sweeps, 0xA5, sizeof again.sweeps);
        assert_true(grzResult_IsOk(grzStep_Plan(&input, &(grzPlanOutput){again.motions, again.sweeps, NULL})));
        assert_memory_equal(again.sweeps, columns.sweeps, sizeof columns.sweeps);
        assert_memory_equal(again.motions, columns.motions, sizeof columns.motions);
        grzTasks_Destroy(tasks);
    }
    input.tasks = NULL;
    input.isHeld = true;
    assert_true(grzResult_IsOk(grzStep_Plan(&input, &(grzPlanOutput){again.motions, again.sweeps, NULL})));
    for (uint32_t i = 0; i < MOST; ++i) {
        const grzMotion none = {.flags = columns.masses[i].flags};
        const grzBox still = grzBox_Expand(columns.boxes[i], 0.5f * input.margin);
        assert_memory_equal(&again.motions[i], &none, sizeof none);
        assert_true(grzBox_Contains(again.sweeps[i], still) &&
                    grzBox_Contains(grzBox_Expand(still, 1e-5f), again.sweeps[i]));
    }
}

static void whatIsMissingIsRefused(void** state) {
    (void)state;
    static Columns columns;
    grzPlanInput input = grzDefaultPlanInput();
    assert_true(grzResult_IsOk(grzStep_Plan(&input, &(grzPlanOutput){NULL, NULL, NULL}))); // of no bodies
    for (int flaw = 0; flaw < 9; ++flaw) {
        input = inputOf(&columns);
        input.states = flaw == 0 ? NULL : input.states;
        input.masses = flaw == 1 ? NULL : input.masses;
        input.boxes = flaw == 2 ? NULL : input.boxes;
        input.radii = flaw == 3 ? NULL : input.radii;
        input.forces = flaw == 4 ? NULL : input.forces;
        input.timeStep = flaw == 5 ? NAN : input.timeStep;
        input.margin = flaw == 6 ? -1 : input.margin;
        const grzPlanOutput less = {flaw == 7 ? NULL : columns.motions, flaw == 8 ? NULL : columns.sweeps, NULL};
        const grzResult result = grzStep_Plan(&input, &less);
        assert_true(result.status == grz_badArgument && result.value == (flaw < 7 ? 1 : 2) &&
                    result.reason != NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesHoldBodiesOnTheirFlight),
        cmocka_unit_test(theSameBytesHoweverAsked),
        cmocka_unit_test(whatIsMissingIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
