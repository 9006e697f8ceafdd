// Whether a body has passed through a wall in the step, and where it stays instead: the last guard, behind the solver.
//
// A wall is what no impulse moves: a static or kinematic body, or an animated mesh. The core of the body (solid_core.h) is swept along
// the way that the body has taken, and the wall along its own (graze/sweep.h). Where the core comes to the wall, the body stays
// beside it, and goes on with it to the end of the step.
//
//      start  [ ]              the solver's end  [ ]
//                '                           '
//                   '     the core's way  '
//                     [ ]. . . . . . . '
//          ================================  wall
//                     stopped: in the wall by the core's depth, so that contacts lead it out again
//
// Guarantee: no core that is free of a wall at the start of the step is behind it at the end, however fast the two are and however
// thin: but for one-sided meshes, from behind; and where two walls leave no room. Of convex bodies that have sunk in deeper than all
// cores the centre of mass stays before the wall. Centres are taken to go along lines, and bodies to turn about fixed axes at constant
// rates, from the places of the start to those of the end.
//
// Cloth holds bodies like a wall. But its parts go different ways, so that a body which went on with one would come to another. So the body
// stays where it was when the core came to the cloth, and the cloth around it, too (grzClothBody_HoldBack).
//
// Energy: a stop takes velocity into the wall, and what the body is lifted by from its speed. It gives none, unless the wall moves.
// Threads: pure functions.
#ifndef GRAZE_WORLD_PASSING_H
#define GRAZE_WORLD_PASSING_H

#include <math.h>

#include "graze/stage/step.h"
#include "solid_core.h"
#include "surface.h"

typedef struct grzPassing {
    grzSolid solid;                          // the collider is where the step starts
    const grzBodyState *start, *end;         // of the body
    const grzCollider* wall;                 // likewise; of an animated mesh the hierarchy is that of the end
    const grzBodyState *wallStart, *wallEnd; // of a kinematic body; else NULL
    const grzSurface* cloth;                 // NULL, or what is in place of a wall, which is NULL then
    float clothWay;                          // no vertex of it has gone farther in the step
    float timeStep;
} grzPassing;

typedef struct grzPassingStop {
    bool isStopped;
    double toi;            // in parts of the step; 1 where it is not stopped
    grzBodyState state;    // where the body is at the end of the step; velocities are not written
    grzVec3 point, normal; // where they touch, and from the wall to the body
    grzVec3 velocity;      // of the wall there
} grzPassingStop;

// Whether no point of a body has gone farther than `least`, as far as one sum of squares tells: more than Way asks for.
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

// No point of a body has gone farther in the step; radius: of a ball around its centre of mass that holds it. 0: no farther than
// `least`, which most bodies are told at once.
static inline float grzPassing_Way(const grzBodyState* start, const grzBodyState* end, float radius, float timeStep,
                                   float least) {
    if (grzPassing_IsSlow(start, end, radius, timeStep, least))
        return 0.0f;
    const grzQuat turned = grzQuat_AddScaled(end->rotation, -1.0f, start->rotation);
    const float spinSq = fmaxf(grzLengthSq(start->spin), grzLengthSq(end->spin));
    const float turnSq = fmaxf(spinSq * timeStep * timeStep, 4.0f * grzQuat_Dot(turned, turned)) * radius * radius;
    const float goneSq = grzLengthSq(grzSub(end->center, start->center));
    if (2.0f * (goneSq + turnSq) <= least * least)
        return 0.0f;
    const float way = sqrtf(goneSq) + sqrtf(turnSq);
    return way > least ? way : 0.0f;
}

// What goes no farther beside a wall that stands is led out by contacts on the side that it came from.
static inline float grzPassing_LeastWay(float thickness) {
    return 0.5f * thickness;
}

// A body that begins the step no deeper in a wall, and goes no farther than LeastWay, ends it before its thinner core comes to the wall.
// The next step may still stop it there.
static inline float grzPassing_MostDepth(float thickness) {
    return 0.25f * thickness;
}

// A body beyond what sweeps can hold (graze/sweep.h) is not stopped; nor can contacts hold it, which refuse the next step.
void grzPassing_Find(const grzPassing* passing, grzPassingStop* stop);

typedef struct grzPassingBounce {
    const grzBodyMass* mass;
    grzVec3 gravity;
    float restitution, threshold; // no approach that is slower bounces
} grzPassingBounce;

// The body goes to where it is stopped.
void grzPassing_Apply(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state);

// It stays there with the velocity that it has: at cloth, whose touches take that in the next step.
void grzPassing_Stay(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state);

#endif
