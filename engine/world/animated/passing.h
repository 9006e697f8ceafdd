// Whether a body has passed through a wall in the step, and where it stays instead: the last guard, behind the
// solver.
//
// A wall is a body that no impulse moves: a static or kinematic body, or an animated mesh. The core of the body
// (solid_core.h) is swept along the body's path, and the wall along its own (graze/sweep.h). Where the core comes
// to the wall, the body stays beside the wall, and moves with it to the end of the step.
//
//      start  [ ]              the solver's end  [ ]
//                '                           '
//                   '    the core's path  '
//                     [ ]. . . . . . . '
//          ================================  wall
//                     stopped: in the wall by the core's depth, so that contacts lead it out again
//
// Guarantee: a core that is free of a wall at the start of the step is not behind it at the end, however fast and
// thin the two are. If a piece of the core has sunk in deeper than all smaller ones, its middle stays before the wall: of
// a convex body, the centre of mass.
// From its place at the start to its place at the end, a body's centre moves along a line, and the body turns about
// a fixed axis at a constant rate. Exceptions:
//   - one-sided meshes, from behind;
//   - two walls that leave no room between them;
//   - sweeps that take more than 16,384 steps. The body stays where it was when nothing had come to it yet; a deforming mesh
//     does not take it along.
//
// Cloth holds bodies like a wall. But its parts move along different paths, so a body that moved on with one part
// would come to another. So the body stays where it was when the core came to the cloth. The cloth around it stays,
// too (grzClothBody_HoldBack).
//
// Two bodies that yield stop each other in the same way. The core of each is swept against the surface of the other, along both
// paths, and the earliest impact counts. Both go back to where they were then, or a little earlier, and an impulse takes
// their approach, or lets them bounce. Two that have sunk into each other, and are slow, are left to contacts.
//
// Energy: a stop at a wall removes velocity into the wall, and the energy by which the stop lifts the body. It adds none,
//   unless the wall moves.
// Threads: pure functions.
#ifndef GRAZE_WORLD_PASSING_H
#define GRAZE_WORLD_PASSING_H

#include <math.h>

#include "graze/stage/step.h"
#include "solid_core.h"
#include "surface.h"

typedef struct grzPassing {
    grzSolid solid;                          // the collider is where the step starts
    float radius;                            // of a ball around the centre of mass that holds the body
    const grzBodyState *start, *end;         // of the body
    const grzCollider* wall;                 // at the start, too; an animated mesh has the hierarchy of the end
    const grzBodyState *wallStart, *wallEnd; // of a kinematic body; else NULL
    const grzSurface* cloth;                 // NULL, or the cloth in place of a wall, which is NULL then
    float clothWay;                          // no vertex of it has gone farther in the step
    float timeStep;
    bool isHeld;   // the body rests at `end`, but for
    grzVec3 carry; // this translation, which must not lead a convex body into the wall,
    float since;   // and the wall moves on, after this part of the step
} grzPassing;

typedef struct grzPassingStop {
    bool isStopped;
    double toi;                  // in parts of the step; 1 where it is not stopped
    grzBodyState state;          // where the body is at the end of the step; velocities are not written
    grzVec3 point, normal;       // where they touch, and from the wall to the body; at the end of the step
    grzVec3 velocity;            // of the wall there
    grzVec3 hitPoint, hitNormal; // the same two at the time of impact
} grzPassingStop;

// What a stop has done to the body's velocity.
typedef struct grzPassingHit {
    float approach; // speed into the wall before; 0 where the body left it
    float impulse;  // along the stop's normal
} grzPassingHit;

// Returns whether one sum of squares proves that no point of a body has moved farther than `least`. This asks for
// more than Way.
static inline bool grzPassing_IsSlow(const grzBodyState* start, const grzBodyState* end, float radius,
                                     float timeStep, float least) {
    const grzLanes gone = grzLanes_Sub(grzVec3_ToLanes(end->center), grzVec3_ToLanes(start->center));
    const grzLanes turned = grzLanes_Sub(grzQuat_ToLanes(end->rotation), grzQuat_ToLanes(start->rotation));
    const grzLanes before = grzVec3_ToLanes(start->spin), after = grzVec3_ToLanes(end->spin);
    const float radiusSq = radius * radius, last = end->rotation.w - start->rotation.w;
    const grzLanes spins = grzLanes_Add(grzLanes_Mul(before, before), grzLanes_Mul(after, after));
    const grzLanes turns = grzLanes_Add(grzLanes_Mul(grzLanes_Splat(timeStep * timeStep), spins),
                                        grzLanes_Mul(grzLanes_Splat(4.0f), grzLanes_Mul(turned, turned)));
    const grzLanes all = grzLanes_Add(grzLanes_Mul(gone, gone), grzLanes_Mul(grzLanes_Splat(radiusSq), turns));
    const float sum = grzLanes_Dot3(all, grzLanes_Splat(1.0f)) + 4.0f * radiusSq * last * last;
    return 2.0f * sum <= least * least;
}

// Returns the square of a distance that no point of a body has turned beyond in the step.
static inline float grzPassing_TurnSq(const grzBodyState* start, const grzBodyState* end, float radius,
                                      float timeStep) {
    const grzQuat turned = grzQuat_AddScaled(end->rotation, -1.0f, start->rotation);
    const float spinSq = fmaxf(grzLengthSq(start->spin), grzLengthSq(end->spin));
    return fmaxf(spinSq * timeStep * timeStep, 4.0f * grzQuat_Dot(turned, turned)) * radius * radius;
}

// Returns a distance that no point of a body has moved beyond in the step; 0 if that is at most `least`, which one
// sum of squares shows for most bodies. radius: of a ball around the centre of mass that holds the body.
static inline float grzPassing_Way(const grzBodyState* start, const grzBodyState* end, float radius, float timeStep,
                                   float least) {
    if (grzPassing_IsSlow(start, end, radius, timeStep, least))
        return 0.0f;
    const float turnSq = grzPassing_TurnSq(start, end, radius, timeStep);
    const float goneSq = grzLengthSq(grzSub(end->center, start->center));
    if (2.0f * (goneSq + turnSq) <= least * least)
        return 0.0f;
    const float way = sqrtf(goneSq) + sqrtf(turnSq);
    return way > least ? way : 0.0f;
}

// Returns the distance up to which contacts lead a body out of a wall at rest, on the side that it came from.
static inline float grzPassing_LeastWay(float thickness) {
    return 0.5f * thickness;
}

// Returns the depth at the start of a step up to which a body that moves no farther than LeastWay keeps its thinner
// core out of the wall in this step. The next step may still stop it there.
static inline float grzPassing_MostDepth(float thickness) {
    return 0.25f * thickness;
}

// Finds where the wall or cloth stops the body. A body beyond the limits of sweeps (graze/sweep.h) is not stopped.
// Contacts cannot hold it either; they refuse the next step.
void grzPassing_Find(const grzPassing* passing, grzPassingStop* stop);

typedef struct grzPassingBounce {
    const grzBodyMass* mass;
    grzVec3 gravity;
    float restitution, threshold; // no approach that is slower bounces
} grzPassingBounce;

// Moves the body to its stop. An impulse there takes its velocity into the wall, or bounces it. At a wall at rest
// the body loses the energy by which the stop lifts it. Returns the impulse.
grzPassingHit grzPassing_Apply(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state);

// Moves the body to its stop. It keeps its velocity, less the energy by which the stop lifts it. For cloth, whose
// touches take the velocity in the next step.
void grzPassing_Stay(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state);

// One of two bodies that yield.
typedef struct grzPassingMover {
    grzSolid solid;                  // the collider is where the step starts
    float radius;                    // of a ball around the centre of mass that holds it
    float thickness;                 // no more than grzSolid_Thickness
    const grzBodyState *start, *end; // of the body
    bool isHeld;                     // it has been stopped: it rests at `end`, but for
    grzVec3 carry;                   // this translation
} grzPassingMover;

typedef struct grzPassingMeeting {
    bool isMet;
    float toi;             // in parts of the step
    float stop;            // when both are held: then, or a little earlier
    grzVec3 point, normal; // where they touch at toi, and from the first to the second
} grzPassingMeeting;

// Finds where the core of one of two bodies comes to the surface of the other, after a time. The earliest counts.
void grzPassing_FindMeeting(const grzPassingMover movers[2], float timeStep, float since,
                            grzPassingMeeting* meeting);

// Moves both bodies to where they are held, and applies an impulse to both. Bodies that are held already stay where
// they are. Linear momentum and angular momentum stay what they were. states: what the movers' `end` name; the
// restitution and threshold of the first bounce count.
grzPassingHit grzPassing_Collide(const grzPassingMover movers[2], float timeStep, const grzPassingMeeting* meeting,
                                 const grzPassingBounce bounces[2], grzBodyState* states[2]);

#endif
