// What: where each body may come in the step, as a box.        Promise: graze/stage/step.h.
// Idea: the box of now, moved by the velocities at both ends of the step, with what the host pushes by and gravity's share, and grown on
//   all sides by how far the shape turns outward: no point of it moves farther by a turn than spin times time times its distance
//   from the centre, or than twice that distance.
// Threads: a body an item.
#include <string.h>

#include "graze/stage/step.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "refuse_null.h"
#include "result_make.h"
#include "step_columns.h"

enum { planGrain = 128 };

grzPlanInput grzDefaultPlanInput(void) {
    grzPlanInput input;
    memset(&input, 0, sizeof input);
    return input;
}

typedef struct PlanCall {
    const grzPlanInput* input;
    const grzPlanOutput* output;
} PlanCall;

static float radiusOf(const grzPlanInput* input, uint32_t i) {
    return *(const float*)grzColumn_At(input->radii, input->radiusStride, sizeof(float), i);
}

static grzVec3 pushOf(const grzPlanInput* input, const grzVec3* pushes, uint32_t i) {
    return *(const grzVec3*)grzColumn_At(pushes, input->pushStride, sizeof(grzVec3), i);
}

// Velocities change at a constant rate, so that all between those of the two ends are between them.
static grzMotion motionOf(const grzPlanInput* input, uint32_t i) {
    const grzBodyMass* mass = &input->masses[i];
    const grzBodyState* state = &input->states[i];
    grzMotion motion = {{0}, 0.0f, {0}, mass->flags};
    if (input->isHeld || (mass->flags & grz_bodyMoves) == 0)
        return motion;
    grzVec3 from = state->velocity, to = from, spin = state->spin;
    if ((mass->flags & grz_bodyYields) != 0) { // forces act at once, gravity all along
        const float time = input->timeStep;
        if (input->forces != NULL) {
            const grzVec3 torque = pushOf(input, input->torques, i);
            from = grzAddScaled(from, time * mass->inverseMass, pushOf(input, input->forces, i));
            spin = grzAddScaled(spin, time, grzBodyMass_Turn(mass, state->rotation, torque));
        }
        to = grzAddScaled(from, time * mass->gravityScale, input->gravity);
    }
    grzVec3_Store(motion.from, from);
    grzVec3_Store(motion.to, to);
    motion.turning = grzLength(spin) * radiusOf(input, i);
    return motion;
}

static grzBox sweepOf(const grzPlanInput* input, const grzMotion* motion, uint32_t i) {
    const float margin = grzMargin_OfRadius(input->margin, input->marginShare, radiusOf(input, i));
    const grzBox box = grzBox_Expand(input->boxes[i], 0.5f * margin);
    if ((input->masses[i].flags & grz_bodyMoves) == 0)
        return box;
    const float time = input->timeStep, most = 2.0f * radiusOf(input, i), turn = motion->turning * time;
    const grzVec3 from = grzScale(grzVec3_Load(motion->from), time), to = grzScale(grzVec3_Load(motion->to), time);
    // The union of both sweeps (grzBox_Sweep): sums and their rounding outward keep order.
    const grzVec3 lower = grzVec3_Below(grzAdd(box.lower, grzMin(from, to)));
    const grzVec3 upper = grzVec3_Above(grzAdd(box.upper, grzMax(from, to)));
    const grzBox swept = grzBox_Union(box, grzBox_Make(lower, upper));
    return grzBox_Expand(swept, turn < most ? turn : most);
}

static void planBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PlanCall* call = context;
    const grzPlanOutput* output = call->output;
    GRZ_ZONE_BEGIN(zone, call->input->profile, grz_stagePlan, "plan boxes", worker);
    for (uint32_t i = begin; i < end; ++i) {
        if (output->starts != NULL)
            output->starts[i] = call->input->states[i];
        output->motions[i] = motionOf(call->input, i);
        output->sweeps[i] = sweepOf(call->input, &output->motions[i], i);
    }
    GRZ_ZONE_END(zone);
}

static const char* flawOf(const grzPlanInput* input) {
    if (input->count != 0 && (input->states == NULL || input->masses == NULL))
        return "there are no states, or no masses";
    if (input->count != 0 && (input->boxes == NULL || input->radii == NULL))
        return "there are no boxes, or no radii";
    if ((input->forces == NULL) != (input->torques == NULL))
        return "there are forces without torques, or torques without forces";
    if (!(input->timeStep >= 0.0f))
        return "the time step is negative or a NaN";
    if (!(input->marginShare >= 0.0f))
        return "marginShare is negative or a NaN";
    return input->margin >= 0.0f ? NULL : "the margin is negative or a NaN";
}

grzResult grzStep_Plan(const grzPlanInput* input, const grzPlanOutput* output) {
    GRZ_REFUSE_NULL(input, 1);
    GRZ_REFUSE_NULL(output, 2);
    const char* flaw = flawOf(input);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (input->count != 0 && (output->motions == NULL || output->sweeps == NULL))
        return grzBecause(grzFail(grz_badArgument, 2), "there is no place for motions, or none for sweeps");
    PlanCall call = {input, output};
    grzParallelForNear(input->tasks, input->count, planGrain, planBlock, &call);
    return grzOk();
}
