// What lies deep in a solid body: the body without a layer of some depth under its surface.
//
// Bodies that rest and slide lie in each other by a little, and their cores do not. So cores tell a body that passes through another
// one from one that touches it; and where a core is stopped at a surface, the body lies in it by the depth, and contacts lead it
// out on the side that it came from.
//
//     surface   .-----------------------.
//     core      |  .-----------------.  |   depth
//               |  '-----------------'  |
//               '-----------------------'
//
//   sphere, capsule   a smaller radius
//   box               shorter sides
//   hull, mesh        smaller along its principal axes, about the centre of mass; where it is hollow, the core sticks out of it
#ifndef GRAZE_WORLD_SOLID_CORE_H
#define GRAZE_WORLD_SOLID_CORE_H

#include "collider.h"
#include "graze/sweep.h"

// A dynamic body's collider, and its frame of mass: as grzBody has them.
typedef struct grzSolid {
    const grzCollider* collider;
    grzQuat turn;   // from the principal axes to the shape's frame
    grzVec3 center; // of mass, in the shape's frame
} grzSolid;

// Half of how thick the body is where it is thinnest; of a hull, how far its nearest face is from the centre of mass. What sinks in by less
// comes out on the side that it came from.
float grzSolid_Thickness(const grzSolid* solid);

// The core under a depth below the thickness, at the collider's pose; body->motion.pose is written, the rest of the motion is not.
void grzSolid_SetCore(const grzSolid* solid, float depth, grzSweepBody* body);

// Likewise a ball around the centre of mass.
void grzSolid_SetBall(const grzSolid* solid, float radius, grzSweepBody* body);

#endif
