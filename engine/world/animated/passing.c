// What: passing.h.
// Idea: a core under half of the thickness finds most stops. Each piece of it is swept alone. If a piece touches the
//   wall at the start, it has sunk in too deep. Then smaller ones are swept in its place: a thinner piece, a
//   ball around its middle (the centre of mass of a convex body), and the middle itself. The earliest stop of all counts. What
//   touches at the start is left out (grzSweepQuery.ignoresStart). So the centre passes only if, in two steps, the
//   ball and the centre both come to the wall by less than rounding can resolve.
#include "passing.h"

#include <math.h>
#include <string.h>

#include "animated_body.h"
#include "nearest.h"
#include "surface.h"

#define PI        3.14159265358979f
#define MOST_TURN 900.0f // of what a sweep takes

// The depths of cores, and the radius of the ball, in parts of the thickness.
static const float outerDepth = 0.5f, innerDepth = 0.875f, ballRadius = 0.03125f;

// How near cores, and balls, come to a wall, in parts of the thickness. Bodies are stopped twice as far away as
// cores, so that the next step starts free.
static const float nearness = 0.0625f, ballNearness = 0.03125f;

static const double never = 2; // a time of impact after the step

// ---- ways ----

// Returns how a body has turned. Many turns lead from one rotation to the other; this is the one nearest to the
// spin.
static grzVec3 turnOf(const grzBodyState* start, const grzBodyState* end, float timeStep) {
    const grzTransform from = grzTransform_FromQuat(start->rotation, grzVec3_Zero()),
                       to = grzTransform_FromQuat(end->rotation, grzVec3_Zero());
    const grzVec3 least = grzSweepMotion_Between(from, to, grzVec3_Zero()).rotation;
    const grzVec3 spin = grzScale(grzAdd(start->spin, end->spin), 0.5f * timeStep);
    float angle = grzLength(least);
    if (!(angle > 1e-6f) && !(grzLengthSq(spin) > 1.0f))
        return least;
    const grzVec3 axis = grzNormalize(angle > 1e-6f ? least : spin);
    angle += 2.0f * PI * floorf((grzDot(spin, axis) - angle) / (2.0f * PI) + 0.5f);
    while (fabsf(angle) > MOST_TURN)
        angle = fmodf(angle, 2.0f * PI);
    return grzScale(axis, angle);
}

static grzSweepMotion motionOf(const grzBodyState* start, const grzBodyState* end, float timeStep) {
    grzSweepMotion motion;
    memset(&motion, 0, sizeof motion);
    motion.center = start->center;
    motion.translation = grzSub(end->center, start->center);
    motion.rotation = turnOf(start, end, timeStep);
    return motion;
}

// ---- the wall ----

static void getStarts(const void* context, uint32_t triangle, grzVec3 corners[3]) {
    grzSurface_GetStarts(context, triangle, corners);
}

typedef struct Wall {
    grzSweepBody body;
    grzSurface surface; // of meshes
    grzSweepStarts starts;
} Wall;

// way: no vertex goes farther.
static void setSurface(grzSurface surface, float way, Wall* wall) {
    wall->surface = surface;
    wall->body.model = surface.model;
    wall->body.motion.pose = surface.pose;
    wall->body.isOneSided = !surface.isTwoSided;
    if (surface.starts == surface.ends)
        return;
    wall->starts = (grzSweepStarts){getStarts, &wall->surface, way};
    wall->body.starts = &wall->starts;
}

static void setWall(const grzPassing* passing, Wall* wall) {
    const grzCollider* collider = passing->wall;
    memset(wall, 0, sizeof *wall);
    if (passing->cloth != NULL) {
        setSurface(*passing->cloth, passing->clothWay, wall);
        return;
    }
    if (passing->wallStart != NULL)
        wall->body.motion = motionOf(passing->wallStart, passing->wallEnd, passing->timeStep);
    wall->body.motion.pose = collider->pose;
    wall->body.shape = collider->shape;
    if (collider->kind == grz_convexCollider)
        return;
    const bool isAnimated = collider->kind == grz_animatedCollider;
    setSurface(grzCollider_GetSurface(collider), isAnimated ? grzAnimatedBody_MostMotion(collider->animated) : 0,
               wall);
}

// ---- stopping ----

static grzQuat turnBy(grzVec3 turn, float part) {
    const float angle = grzLength(turn);
    return angle > 0.0f ? grzQuat_FromAxisAngle(grzScale(turn, 1.0f / angle), part * angle) : grzQuat_Identity();
}

// Returns the body as it is at a part of its path.
static grzBodyState stateAt(const grzPassing* passing, const grzSweepMotion* motion, float t) {
    grzBodyState state = *passing->end;
    state.center = grzAddScaled(passing->start->center, t, motion->translation);
    state.rotation = grzQuat_Normalize(grzQuat_Multiply(turnBy(motion->rotation, t), passing->start->rotation));
    return state;
}

// Returns how a point of an animated mesh moves in the step.
static grzVec3 wayOfSurface(const Wall* wall, const grzSweepImpact* impact) {
    grzVec3 starts[3], ends[3];
    grzVec3d at[3], way = grzVec3d_Make(0, 0, 0);
    double weights[3];
    grzSurface_GetStarts(&wall->surface, impact->triangleB, starts);
    grzSurface_GetEnds(&wall->surface, impact->triangleB, ends);
    for (int i = 0; i < 3; ++i)
        at[i] = grzVec3d_Lerp(grzVec3d_FromVec3(starts[i]), grzVec3d_FromVec3(ends[i]), impact->toi);
    grzNearest_OnTriangle(at, impact->pointB, weights);
    for (int i = 0; i < 3; ++i)
        way = grzVec3d_Add(way, grzVec3d_Scale(grzVec3d_FromVec3(grzSub(ends[i], starts[i])), weights[i]));
    return grzVec3d_ToVec3(way);
}

// Moves the body on with the wall, from the time of the stop.
static void goOn(const grzPassing* passing, const Wall* wall, const grzSweepImpact* impact, grzPassingStop* stop) {
    const float rest = 1.0f - (float)impact->toi, perSecond = 1.0f / passing->timeStep;
    if (wall->body.starts != NULL) {
        const grzVec3 way = wayOfSurface(wall, impact);
        stop->state.center = grzAddScaled(stop->state.center, rest, way);
        stop->velocity = grzScale(way, perSecond);
    } else if (passing->wallStart != NULL) {
        const grzSweepMotion* motion = &wall->body.motion;
        const grzVec3 center = grzAddScaled(motion->center, 1.0f - rest, motion->translation);
        const grzQuat turn = turnBy(motion->rotation, rest);
        const grzVec3 arm = grzSub(stop->point, center);
        stop->velocity = grzScale(grzAdd(motion->translation, grzCross(motion->rotation, arm)), perSecond);
        stop->state.center = grzAdd(grzAddScaled(center, rest, motion->translation),
                                    grzQuat_Rotate(turn, grzSub(stop->state.center, center)));
        stop->state.rotation = grzQuat_Normalize(grzQuat_Multiply(turn, stop->state.rotation));
        stop->normal = grzQuat_Rotate(turn, stop->normal);
    }
}

// The wall's point at the end of the step, too.
static void setStop(const grzPassing* passing, const Wall* wall, const grzSweepMotion* motion,
                    const grzSweepImpact* impact, float slop, grzPassingStop* stop) {
    stop->isStopped = true;
    stop->toi = impact->toi;
    stop->state = stateAt(passing, motion, (float)impact->toi);
    stop->normal = grzVec3d_ToVec3(grzVec3d_Neg(impact->normal));
    stop->point = grzVec3d_ToVec3(impact->pointB);
    stop->hitPoint = stop->point;
    stop->hitNormal = stop->normal;
    const grzVec3 arm = grzQuat_RotateInverse(stop->state.rotation, grzSub(stop->point, stop->state.center));
    if (passing->cloth == NULL)
        goOn(passing, wall, impact, stop);
    stop->point = grzAdd(stop->state.center, grzQuat_Rotate(stop->state.rotation, arm));
    stop->state.center = grzAddScaled(stop->state.center, slop, stop->normal);
}

// Keeps the impact of the bodies in the query, if it is sooner.
static void findSooner(const grzSweepQuery* query, grzSweepImpact* impact) {
    grzSweepImpact found;
    if (grzResult_IsOk(grzSweep_Find(query, &found)) && found.outcome != grz_sweepFree && found.toi < impact->toi)
        *impact = found;
}

// Of a piece of the core that has sunk in.
static void findInside(const grzSolid* solid, uint32_t piece, float thickness, grzSweepQuery* query,
                       grzSweepImpact* impact) {
    query->ignoresStart = true;
    grzSolid_SetCore(solid, innerDepth * thickness, piece, &query->a);
    findSooner(query, impact);
    query->tolerance = (double)(ballNearness * thickness);
    grzSolid_SetBall(solid, ballRadius * thickness, piece, &query->a);
    findSooner(query, impact);
    grzSolid_SetBall(solid, 0, piece, &query->a);
    findSooner(query, impact);
}

static void findPiece(const grzSolid* solid, uint32_t piece, float thickness, grzSweepQuery query,
                      grzSweepImpact* impact) {
    grzSweepImpact found = {.toi = never};
    query.tolerance = (double)(nearness * thickness);
    grzSolid_SetCore(solid, outerDepth * thickness, piece, &query.a);
    findSooner(&query, &found);
    if (!(found.toi > 0)) {
        found.toi = never;
        findInside(solid, piece, thickness, &query, &found);
    }
    if (found.toi < impact->toi)
        *impact = found;
}

void grzPassing_Find(const grzPassing* passing, grzPassingStop* stop) {
    const float thickness = grzSolid_Thickness(&passing->solid);
    grzSweepQuery query = grzDefaultSweepQuery();
    grzSweepImpact impact = {.toi = never};
    Wall wall;
    memset(stop, 0, sizeof *stop);
    stop->toi = 1;
    setWall(passing, &wall);
    query.a.motion = motionOf(passing->start, passing->end, passing->timeStep);
    query.b = wall.body;
    for (uint32_t i = 0; i < grzSolid_CoreCount(&passing->solid); ++i)
        findPiece(&passing->solid, i, thickness, query, &impact);
    if (impact.toi < never)
        setStop(passing, &wall, &query.a.motion, &impact, 2 * nearness * thickness, stop);
}

// ---- velocities ----

// In double: squares of floats may be beyond the range of float.
static double energyOf(const grzBodyMass* mass, const grzBodyState* state) {
    const grzVec3 own = grzQuat_RotateInverse(state->rotation, state->spin);
    double twice = grzVec3d_LengthSq(grzVec3d_FromVec3(state->velocity)) / (double)mass->inverseMass;
    for (int i = 0; i < 3; ++i) {
        const double spin = (double)grzVec3_Get(own, i), inverse = (double)mass->inverseInertia[i];
        twice += inverse > 0 ? spin * spin / inverse : 0;
    }
    return 0.5 * twice;
}

// Applies an impulse at the point of touch: the body leaves the wall, or moves along it.
static grzPassingHit strike(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state) {
    const grzVec3 n = stop->normal, arm = grzSub(stop->point, state->center);
    const grzVec3 velocity = grzAdd(state->velocity, grzCross(state->spin, arm));
    const float speed = grzDot(grzSub(velocity, stop->velocity), n);
    if (!(speed < 0.0f))
        return (grzPassingHit){0};
    const grzVec3 turn = grzBodyMass_Turn(bounce->mass, state->rotation, grzCross(arm, n));
    const float yield = bounce->mass->inverseMass + grzDot(grzCross(turn, arm), n);
    const float impulse =
        -speed * (speed < -bounce->threshold ? 1.0f + fminf(bounce->restitution, 1.0f) : 1.0f) / yield;
    state->velocity = grzAddScaled(state->velocity, impulse * bounce->mass->inverseMass, n);
    state->spin = grzAddScaled(state->spin, impulse, turn);
    return (grzPassingHit){-speed, impulse};
}

// Returns the energy that the body may have at its stop: its energy less that of the lift.
static double energyLeft(const grzPassingStop* stop, const grzPassingBounce* bounce, const grzBodyState* state) {
    const grzVec3d fall = grzVec3d_FromVec3(grzSub(state->center, stop->state.center));
    const double lift = grzVec3d_Dot(fall, grzVec3d_FromVec3(bounce->gravity)) *
                        (double)bounce->mass->gravityScale / (double)bounce->mass->inverseMass;
    return fmax(energyOf(bounce->mass, state) - fmax(lift, 0), 0);
}

static void slowTo(double most, const grzBodyMass* mass, grzBodyState* state) {
    const double energy = energyOf(mass, state);
    if (!(energy > most))
        return;
    const float part = (float)sqrt(most / energy);
    state->velocity = grzScale(state->velocity, part);
    state->spin = grzScale(state->spin, part);
}

void grzPassing_Stay(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state) {
    const double most = energyLeft(stop, bounce, state);
    state->center = stop->state.center;
    state->rotation = stop->state.rotation;
    slowTo(most, bounce->mass, state);
}

grzPassingHit grzPassing_Apply(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state) {
    const double most = energyLeft(stop, bounce, state);
    state->center = stop->state.center;
    state->rotation = stop->state.rotation;
    const grzPassingHit hit = strike(stop, bounce, state);
    if (!(grzLengthSq(stop->velocity) > 0.0f))
        slowTo(most, bounce->mass, state);
    return hit;
}
