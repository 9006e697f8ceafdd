// What: obstacles of a cloth in a substep: how they move, what the cloth's touches do to them together.
// Promise: sums are made in the order in which touches are gathered. An impulse is passed on once.
// Idea: velocities here are the solver's and what the cloth has done since.
//
//       Backing. Cloth of some hundredths of the body's mass under it is to the body a spring with a period of some 30
//       substeps: soft enough for one pass, and stiff enough that the body sinks in by 25 g h^2 alone. So the cloth under a
//       heavier body counts as BACKED of its mass. What is under it: the density times an area as wide as the body, by its
//       radius of gyration, half of a ball's disc.
//
//       Inner friction. Cloth that is bent and drawn around what lies on it takes energy, which positions that are corrected
//       do not: a ball would roll to and fro in a hammock for minutes. What turns is slowed as if the push stood ahead of
//       the middle of its patch by ROLL_SHARE of the patch's radius; what swings while tethers hold it, as seen from the pins, at
//       SWING_RATE, by SWING_SHARE of the push at most. Both can only stop, not turn back.
// Limits: the moment of inner friction is not given to the cloth; the impulse goes to the pins.
// Threads: SpeedAt and WeightAt any, else one.
#include "cloth_partner.h"

#define BACKED       0.04f
#define PATCH        3.9f // pi / 2 over 2 / 5: half a disc, by the square of a ball's radius of gyration
#define MOST_BACKING 1e15f
#define ROLL_SHARE   0.2f
#define SWING_RATE   20.0f // per second
#define SWING_SHARE  0.1f

static grzMat3 worldInertia(grzMat3 rotation, const float inverse[3]) {
    const grzMat3 scaled = grzMat3_ScaleColumns(rotation, grzVec3_Make(inverse[0], inverse[1], inverse[2]));
    return grzMat3_Multiply(scaled, grzMat3_Transpose(rotation));
}

static void beginSums(ClothPartner* partner) {
    partner->pushed = partner->turned = partner->push = partner->moment = partner->loadArm = grzVec3_Zero();
    partner->load = partner->loadArmSq = partner->heldLoad = 0;
    partner->isPushed = partner->isWaiting = false;
}

void grzClothPartner_Read(ClothPartner* partner, const grzSubstep* substep) {
    beginSums(partner);
    if (!partner->moves)
        return;
    const grzBodyState state = grzSubstep_Body(substep, partner->row);
    const grzMat3 rotation = grzMat3_FromQuat(state.rotation);
    if (grzSubstep_Index(substep) == 0) {
        partner->startCenter = state.center;
        partner->startRotation = rotation;
        partner->turn = grzMat3_Identity();
    } else {
        partner->turn = grzMat3_Multiply(rotation, grzMat3_Transpose(partner->startRotation));
    }
    partner->center = state.center;
    partner->velocity = state.velocity;
    partner->spin = state.spin;
    if (partner->yields)
        partner->inverseInertia = worldInertia(rotation, partner->massInertia);
}

grzVec3 grzClothPartner_SpeedAt(const ClothPartner* partner, grzVec3 arm, grzVec3 drift) {
    return partner->moves ? grzAdd(partner->velocity, grzCross(partner->spin, arm)) : drift;
}

float grzClothPartner_WeightAt(const ClothPartner* partner, grzVec3 arm, grzVec3 direction) {
    if (!partner->yields)
        return 0;
    const grzVec3 moment = grzCross(arm, direction);
    return partner->inverseMass + grzDot(moment, grzMat3_Apply(partner->inverseInertia, moment));
}

void grzClothPartner_Gather(ClothPartner* partner, const ClothMeet* meet) {
    const float load = grzLength(meet->impulse);
    partner->push = grzAdd(partner->push, meet->impulse);
    partner->moment = grzAdd(partner->moment, grzCross(meet->arm, meet->impulse));
    partner->load += load;
    partner->heldLoad += load * meet->held;
    partner->loadArm = grzAddScaled(partner->loadArm, load, meet->arm);
    partner->loadArmSq += load * grzLengthSq(meet->arm);
    partner->isWaiting = true;
}

void grzClothPartner_Yield(ClothPartner* partner) {
    if (!partner->isWaiting)
        return;
    partner->velocity = grzAddScaled(partner->velocity, partner->inverseMass, partner->push);
    partner->spin = grzAdd(partner->spin, grzMat3_Apply(partner->inverseInertia, partner->moment));
    partner->pushed = grzAdd(partner->pushed, partner->push);
    partner->turned = grzAdd(partner->turned, partner->moment);
    partner->push = partner->moment = grzVec3_Zero();
    partner->isPushed = true;
    partner->isWaiting = false;
}

static float least(float a, float b) {
    return a < b ? a : b;
}

static void slowTurning(ClothPartner* partner) {
    const float speed = grzLength(partner->spin);
    if (!(partner->load > 0) || !(speed > 0))
        return;
    const grzVec3 axis = grzScale(partner->spin, 1 / speed), middle = grzScale(partner->loadArm, 1 / partner->load);
    const float spread = partner->loadArmSq / partner->load - grzLengthSq(middle);
    const float weight = grzDot(axis, grzMat3_Apply(partner->inverseInertia, axis));
    if (!(spread > 0) || !(weight > 0))
        return;
    const float moment = least(speed / weight, ROLL_SHARE * partner->load * grzSqrt(spread));
    partner->turned = grzSubScaled(partner->turned, moment, axis);
}

static void slowSwinging(ClothPartner* partner, grzVec3 pinSpeed, float h) {
    const grzVec3 swing = grzSub(partner->velocity, pinSpeed);
    const float speed = grzLength(swing);
    if (!(partner->heldLoad > 0) || !(speed > 0) || !(partner->inverseMass > 0))
        return;
    const float impulse =
        least(speed * least(SWING_RATE * h, 1) / partner->inverseMass, SWING_SHARE * partner->heldLoad);
    partner->pushed = grzSubScaled(partner->pushed, impulse / speed, swing);
    partner->swung = grzSubScaled(partner->swung, impulse / speed, swing);
}

void grzClothPartner_Slow(ClothPartner* partner, grzVec3 pinSpeed, float h) {
    slowTurning(partner);
    slowSwinging(partner, pinSpeed, h);
}

float grzClothPartner_Backing(const ClothPartner* partner, float density, float pointMass) {
    float gyration = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (partner->massInertia[axis] > 0)
            gyration += partner->inverseMass / partner->massInertia[axis] / 3;
    if (!(partner->inverseMass > 0))
        return 1;
    const float patch = density * PATCH * gyration, under = patch > pointMass ? patch : pointMass;
    const float backing = BACKED / (partner->inverseMass * under);
    return backing > 1 ? (backing < MOST_BACKING ? backing : MOST_BACKING) : 1;
}

// The moment by two pushes that cancel.
void grzClothPartner_Push(const ClothPartner* partner, grzSubstep* substep) {
    grzSubstep_Push(substep, partner->row, partner->center, partner->pushed);
    const float moment = grzLength(partner->turned);
    if (!(moment > 0))
        return;
    const grzVec3 arm = grzPerpendicular(grzScale(partner->turned, 1 / moment));
    const grzVec3 half = grzScale(grzCross(partner->turned, arm), 0.5f);
    grzSubstep_Push(substep, partner->row, grzAdd(partner->center, arm), half);
    grzSubstep_Push(substep, partner->row, grzSub(partner->center, arm), grzNeg(half));
}
