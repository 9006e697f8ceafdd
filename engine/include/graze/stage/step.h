// The stages of a step over arrays of the caller: for hosts that own their bodies and write a step of their own.
//
//   grzPlanInput input = grzDefaultPlanInput();
//   input.states = states, input.masses = masses, input.boxes = boxes, input.radii = radii, input.count = count;
//   input.timeStep = 1.0f / 60;
//   grzResult result = grzStep_Plan(&input, &(grzPlanOutput){.motions = motions, .sweeps = sweeps});
//   ... the sweeps go into a tree (graze/tree.h), whose pairs (graze/tree_pairs.h) are those that may meet in the step
//
// Contents: bodies as columns, plan. The world's own step is made of these functions.
//
// A body is a row: entry i of each column. Frames: a body's own frame is that of its principal axes about its centre of mass, so that its
// inertia is three numbers. Where the shape lies in that frame is the caller's to know.
//
// Nothing is kept from call to call, and nothing is allocated. Results do not depend on the number of workers. Owner: all arrays are the
// caller's; input and output do not overlap. Units: lengths as the caller likes, seconds, radians.
#ifndef GRAZE_STAGE_STEP_H
#define GRAZE_STAGE_STEP_H

#include "graze/linmath.h"
#include "graze/profile.h"
#include "graze/result.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

// ------------------------------------------------------------------------------------------------ bodies as columns

// What a step changes. At the start of the step, and at its end.
typedef struct grzBodyState {
    grzVec3 center;   // of mass, in the world
    grzQuat rotation; // from the body's frame to the world
    grzVec3 velocity; // of the centre
    grzVec3 spin;     // angular velocity, in the world
} grzBodyState;

typedef struct grzBodyMass {
    float inverseMass;       // 0: no impulse moves it (static, kinematic)
    float inverseInertia[3]; // about the body's own axes; 0 where nothing turns it
    float gravityScale;
    float linearDamping;  // per second: velocity is divided by 1 + damping * time
    float angularDamping; // the same for the spin
    uint32_t flags;       // grzBodyFlag
} grzBodyMass;

typedef enum grzBodyFlag {
    grz_bodyMoves = 1u,   // kinematic or dynamic: has a velocity that counts
    grz_bodyYields = 2u,  // dynamic: impulses change it
    grz_bodyGyrates = 4u, // its three moments of inertia differ: gyroscopic terms count
} grzBodyFlag;

GRZ_STATIC_ASSERT(sizeof(grzBodyState) == 64, "four vectors");
GRZ_STATIC_ASSERT(sizeof(grzBodyMass) == 32, "eight words");

// How an angular impulse changes the spin.
static inline grzVec3 grzBodyMass_Turn(const grzBodyMass* mass, grzQuat rotation, grzVec3 angularImpulse) {
    const grzVec3 own = grzQuat_RotateInverse(rotation, angularImpulse);
    return grzQuat_Rotate(rotation, grzVec3_Make(own.x * mass->inverseInertia[0], own.y * mass->inverseInertia[1],
                                                 own.z * mass->inverseInertia[2]));
}

// ------------------------------------------------------------------------------------------------------------- plan

typedef struct grzPlanInput {
    const grzBodyState* states;
    const grzBodyMass* masses;
    const grzBox* boxes; // around the shapes where they are
    // The next three may be parts of larger rows: entry i lies i * stride bytes behind the first; 0 means tight.
    const float* radii;     // of balls around the centres of mass that hold the shapes
    const grzVec3* forces;  // on dynamic bodies, at the start of the step; NULL: none
    const grzVec3* torques; // NULL where forces is
    size_t radiusStride, pushStride;
    uint32_t count;
    bool isHeld;    // bodies stay where they are in this step: motions are zeros
    float timeStep; // 0 or more
    float margin;   // 0 or more
    grzVec3 gravity;
    grzTasks* tasks;     // NULL: the calling thread alone
    grzProfile* profile; // NULL: none
} grzPlanInput;

// Zeros.
GRZ_API grzPlanInput grzDefaultPlanInput(void);

// How a body will move in the step, were there nothing to hit. Zeros for all but bodies that move.
typedef struct grzMotion {
    grzVec3 from, to; // velocities at both ends of the step
    float turning;    // no point of the shape moves faster by a turn
    float pad[3];
} grzMotion;

typedef struct grzPlanOutput {
    grzMotion* motions;
    // Around where the shapes may come in the step: whatever is nearer to one than half the margin at any time of the step, were there
    // nothing to hit, lies in its box or touches it. So two bodies that come nearer than the margin have boxes that overlap. What
    // gyroscopic terms add to a spin within the step is not in it.
    grzBox* sweeps;
    grzBodyState* starts; // copies of the states, for what compares both ends of the step; NULL: not wanted
} grzPlanOutput;

// Where each body may come in the step. Refused, and nothing written: grz_badArgument (value 1 or 2; the reason names the field: an array
// that is not there though the count is not 0, a time step or a margin that is negative or a NaN). Numbers in arrays are not checked: what
// is not finite leads to a box that is not, which a tree refuses.
GRZ_NODISCARD GRZ_API grzResult grzStep_Plan(const grzPlanInput* input, const grzPlanOutput* output);

GRZ_EXTERN_C_END

#endif
