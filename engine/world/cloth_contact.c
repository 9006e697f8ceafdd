// What: touches of a cloth with its obstacles in one substep: positions of particles are corrected, bodies are pushed.
// Promise: at the end of the pass a touch that was apart at the start of the substep is apart, but for what later touches undo.
//          What a body gets, the cloth loses, to the rounding; but for what tethers take to the pins, see below.
// Idea: a touch is a plane that moves with the obstacle. Where the point of the cloth would be behind it at the end of the
//       substep, both are moved apart in proportion to their inverse masses: the point by its position, the body by the
//       velocity that it is about to move with. Friction then takes back what they would slip in the substep, up to
//       friction times the normal correction. All touches are gone through in the order of their keys, with the bodies'
//       velocities kept here until the end of the pass, so that each sees what those before have done.
//
//       Old depth is undone no faster than PUSH_SPEED, and by moving the place where the substep began along, so that it
//       makes no speed.
//
//       Heavy bodies. A particle weighs grams; against a body of many kilograms its inertia is nothing, and one pass a
//       substep cannot tell it of the pins that hold it. Tethers can: a particle that a tether has just held gives way no
//       further, so it counts as at most LEAST_SHARE lighter than the body in the direction in which the tethers of all that
//       the body presses on hold it together. The body's weight is then the pins': it is stopped, as seen from them, and the
//       point goes the rest of the way. A hanging cloth that is pushed sideways is not held in that direction and gives way.
// Threads: one; pushes reach the solver at the end, once a body.
// Limits: touches with a body of 10,000 times the particle's mass, without a pin that holds, sink in.
// Based on: [Macklin, Mueller, Chentanez, Kim, Unified Particle Physics for Real-Time Applications, SIGGRAPH 2014] for friction and
//       for undoing depth without speed; [Mueller, Macklin, Chentanez, Jeschke, Kim, Detailed Rigid Body Simulation with Extended
//       Position Based Dynamics, SCA 2020] for inverse masses of bodies. Ours: the support of pins.
#include <float.h>
#include <math.h>
#include <string.h>

#include "cloth_inside.h"

#define PUSH_SPEED  1.0f // lengths a second
#define LEAST_SHARE 1.0f
#define PIN_PUSH    0.2f // of the depth a substep where the cloth cannot give way

// A touch in this substep.
typedef struct TouchNow {
    grzVec3 normal, place, arm; // arm: from the partner's centre
    grzVec3 speed;              // of the place, before pushes
    float weight;               // inverse mass of the point of the cloth
} TouchNow;

// ---- partners ----

static grzMat3 worldInertia(grzMat3 rotation, const float inverse[3]) {
    const grzMat3 scaled = grzMat3_ScaleColumns(rotation, grzVec3_Make(inverse[0], inverse[1], inverse[2]));
    return grzMat3_Multiply(scaled, grzMat3_Transpose(rotation));
}

static void readPartner(ClothPartner* partner, const grzSubstep* substep) {
    partner->pushed = partner->turned = partner->support = grzVec3_Zero();
    partner->isPushed = false;
    if (!partner->moves)
        return;
    const grzBodyState state = grzSubstep_Body(substep, partner->slot);
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

// An impulse and a moment, as pushes at points: the moment by two that cancel.
static void pushPartner(const ClothPartner* partner, grzSubstep* substep) {
    grzSubstep_Push(substep, partner->slot, partner->center, partner->pushed);
    const float moment = grzLength(partner->turned);
    if (!(moment >= FLT_MIN)) // below, its inverse is not a float
        return;
    const grzVec3 arm = grzPerpendicular(grzScale(partner->turned, 1 / moment));
    const grzVec3 half = grzScale(grzCross(partner->turned, arm), 0.5f);
    grzSubstep_Push(substep, partner->slot, grzAdd(partner->center, arm), half);
    grzSubstep_Push(substep, partner->slot, grzSub(partner->center, arm), grzNeg(half));
}

static void applyImpulse(ClothPartner* partner, grzVec3 arm, grzVec3 impulse) {
    const grzVec3 moment = grzCross(arm, impulse);
    partner->velocity = grzAddScaled(partner->velocity, partner->inverseMass, impulse);
    partner->spin = grzAdd(partner->spin, grzMat3_Apply(partner->inverseInertia, moment));
    partner->pushed = grzAdd(partner->pushed, impulse);
    partner->turned = grzAdd(partner->turned, moment);
    partner->isPushed = true;
}

// How far the place yields to a unit impulse along a direction.
static float partnerWeight(const ClothPartner* partner, grzVec3 arm, grzVec3 direction) {
    if (!partner->yields)
        return 0;
    const grzVec3 moment = grzCross(arm, direction);
    return partner->inverseMass + grzDot(moment, grzMat3_Apply(partner->inverseInertia, moment));
}

static grzVec3 placeSpeed(const ClothPartner* partner, grzVec3 arm, const ClothTouch* touch) {
    if (!partner->moves)
        return grzVec3_Load(touch->drift);
    return grzAdd(partner->velocity, grzCross(partner->spin, arm));
}

// ---- points of the cloth ----

static grzVec3 touchPoint(const float* rows, const ClothTouch* touch) {
    grzVec3 point = grzVec3_Zero();
    for (uint32_t k = 0; k < touch->vertexCount; ++k)
        point = grzAddScaled(point, touch->weights[k], grzCloth_Row(rows, touch->vertices[k]));
    return point;
}

static float pointWeight(const float* rows, const ClothTouch* touch) {
    float weight = 0;
    for (uint32_t k = 0; k < touch->vertexCount; ++k)
        weight += touch->weights[k] * touch->weights[k] * rows[(size_t)4 * touch->vertices[k] + 3];
    return weight;
}

// Moves the point by `by` times its weight, each vertex by its share.
static void movePoint(float* rows, const float* masses, const ClothTouch* touch, grzVec3 by) {
    for (uint32_t k = 0; k < touch->vertexCount; ++k) {
        float* row = rows + (size_t)4 * touch->vertices[k];
        const float share = touch->weights[k] * masses[(size_t)4 * touch->vertices[k] + 3];
        grzVec3_Store(row, grzAddScaled(grzVec3_Load(row), share, by));
    }
}

// The sum of the directions in which taut tethers pull, outward from the pins.
static grzVec3 pointPull(const grzClothBody* cloth, const ClothTouch* touch) {
    return cloth->tetherCount != 0 ? touchPoint(cloth->pulls.data, touch) : grzVec3_Zero();
}

static TouchNow placeTouch(const grzClothBody* cloth, const ClothTouch* touch, float time) {
    const ClothPartner* partner = &cloth->partners.data[touch->partner];
    TouchNow now = {.normal = grzVec3_Load(touch->normal), .place = grzVec3_Load(touch->place)};
    now.arm = grzVec3_Zero();
    if (partner->moves) {
        now.arm = grzMat3_Apply(partner->turn, grzSub(now.place, partner->startCenter));
        now.normal = grzMat3_Apply(partner->turn, now.normal);
        now.place = grzAdd(partner->center, now.arm);
    } else {
        now.place = grzAddScaled(now.place, time, grzVec3_Load(touch->drift));
    }
    now.speed = placeSpeed(partner, now.arm, touch);
    return now;
}

// Where it would be at the end of the substep: below 0 is inside.
static float gapAtEnd(const grzClothBody* cloth, const ClothTouch* touch, const TouchNow* now, float h) {
    const grzVec3 from = grzSubScaled(grzSub(touchPoint(cloth->now.data, touch), now->place), h, now->speed);
    return grzDot(now->normal, from) - cloth->reach;
}

// The direction in which pins hold what each body presses on.
static void findSupport(grzClothBody* cloth, float time, float h) {
    for (size_t i = 0; i < cloth->touches.count; ++i) {
        const ClothTouch* touch = &cloth->touches.data[i];
        ClothPartner* partner = &cloth->partners.data[touch->partner];
        if (!partner->yields)
            continue;
        const TouchNow now = placeTouch(cloth, touch, time);
        const float gap = gapAtEnd(cloth, touch, &now, h);
        if (gap < 0)
            partner->support = grzAddScaled(partner->support, -gap, pointPull(cloth, touch));
    }
    for (size_t i = 0; i < cloth->partners.count; ++i)
        cloth->partners.data[i].support = grzNormalize(cloth->partners.data[i].support);
}

// The inverse mass with which the point meets the body: its own, or less where a pin holds it.
static float heldWeight(const grzClothBody* cloth, const ClothTouch* touch, const TouchNow* now, float weight,
                        float bodyWeight) {
    const ClothPartner* partner = &cloth->partners.data[touch->partner];
    if (!partner->yields || cloth->tetherCount == 0)
        return weight;
    const float along = grzDot(now->normal, partner->support);
    if (!(along > 0) || !(grzLengthSq(pointPull(cloth, touch)) > 0))
        return weight;
    const float square = along * along, fourth = square * square;
    const float held = bodyWeight * LEAST_SHARE / (fourth * fourth);
    return held < weight ? held : weight;
}

// Undoes some of the depth that was there when the substep began; returns the gap that the touch is to end with at least.
static float undoDepth(grzClothBody* cloth, const ClothTouch* touch, const TouchNow* now, float weight, float h) {
    const float depth =
        cloth->reach - grzDot(now->normal, grzSub(touchPoint(cloth->before.data, touch), now->place));
    if (!(depth > 0))
        return 0;
    const float most = PUSH_SPEED * h, push = depth < most ? depth : most;
    if (!(weight > 0))
        return -depth + PIN_PUSH * push;
    const grzVec3 by = grzScale(now->normal, push / weight);
    movePoint(cloth->now.data, cloth->now.data, touch, by);
    movePoint(cloth->before.data, cloth->now.data, touch, by);
    return -depth + push;
}

// given: how far the point has given way along the normal; it may be held as far along the surface, times friction.
static void rub(grzClothBody* cloth, const ClothTouch* touch, const TouchNow* now, float lambda, float given,
                float weight, float h) {
    ClothPartner* partner = &cloth->partners.data[touch->partner];
    const grzVec3 moved = grzSub(touchPoint(cloth->now.data, touch), touchPoint(cloth->before.data, touch));
    grzVec3 slip = grzSubScaled(moved, h, placeSpeed(partner, now->arm, touch));
    slip = grzSubScaled(slip, grzDot(slip, now->normal), now->normal);
    const float length = grzLength(slip);
    if (!(length >= FLT_MIN)) // below, its inverse is not a float
        return;
    const grzVec3 along = grzScale(slip, 1 / length);
    const float bodyWeight = partnerWeight(partner, now->arm, along);
    const float stick = length / (weight + bodyWeight), most = partner->friction * lambda;
    const float rubbed = stick < most ? stick : most;
    const float left = length - rubbed * bodyWeight, farthest = partner->friction * given;
    if (weight > 0)
        movePoint(cloth->now.data, cloth->now.data, touch,
                  grzScale(along, -(left < farthest ? left : farthest) / weight));
    if (partner->yields)
        applyImpulse(partner, now->arm, grzScale(along, rubbed / h));
}

// The normal correction: how far the body's place goes back, as an impulse times h. Beyond what the point's own inertia gives, a
// body that is held is stopped, seen from the pins, but not thrown: a push of a tenth of a length a second kept it hopping.
static float pushOf(const grzClothBody* cloth, const TouchNow* now, float missing, float weight, float held,
                    float bodyWeight, float h) {
    const float free = missing / (weight + bodyWeight);
    if (!(held < weight))
        return free;
    const float stopped = h * grzDot(now->normal, grzSub(now->speed, cloth->pinSpeed)) / bodyWeight;
    const float full = missing / (held + bodyWeight), lambda = full < stopped ? full : stopped;
    return lambda > free ? lambda : free;
}

static void solveTouch(grzClothBody* cloth, ClothTouch* touch, float time, float h) {
    ClothPartner* partner = &cloth->partners.data[touch->partner];
    touch->impulse = 0;
    const TouchNow now = placeTouch(cloth, touch, time);
    if (gapAtEnd(cloth, touch, &now, h) >= 0)
        return;
    const float weight = pointWeight(cloth->now.data, touch);
    const float goal = undoDepth(cloth, touch, &now, weight, h);
    const float missing = goal - gapAtEnd(cloth, touch, &now, h);
    const float bodyWeight = partnerWeight(partner, now.arm, now.normal);
    if (!(missing > 0) || !(weight + bodyWeight > 0))
        return;
    const float held = heldWeight(cloth, touch, &now, weight, bodyWeight);
    const float lambda = pushOf(cloth, &now, missing, weight, held, bodyWeight, h);
    const float push =
        held < weight ? (missing - lambda * bodyWeight) / weight : lambda; // all that the body leaves
    if (weight > 0)
        movePoint(cloth->now.data, cloth->now.data, touch, grzScale(now.normal, push));
    if (partner->yields)
        applyImpulse(partner, now.arm, grzScale(now.normal, -lambda / h));
    touch->impulse = lambda / h;
    rub(cloth, touch, &now, lambda, push * weight, weight, h);
}

void grzCloth_SolveTouches(grzClothBody* cloth, grzSubstep* substep) {
    const float h = grzSubstep_Time(substep), time = h * (float)grzSubstep_Index(substep);
    for (size_t i = 0; i < cloth->partners.count; ++i)
        readPartner(&cloth->partners.data[i], substep);
    if (cloth->tetherCount != 0)
        findSupport(cloth, time, h);
    for (size_t i = 0; i < cloth->touches.count; ++i)
        solveTouch(cloth, &cloth->touches.data[i], time, h);
    for (size_t i = 0; i < cloth->partners.count; ++i)
        if (cloth->partners.data[i].isPushed)
            pushPartner(&cloth->partners.data[i], substep);
}
