// The core of a solid body: the body without a layer of some depth under its surface.
//
// Bodies that rest and slide overlap a little, and their cores do not. So a core that comes to a surface shows that
// the body passes through it, and does not just touch it. If a core is stopped at a surface, the body lies in it by
// the depth, and contacts lead the body out on the side that it came from.
//
//     surface   .-----------------------.
//     core      |  .-----------------.  |   depth
//               |  '-----------------'  |
//               '-----------------------'
//
//   sphere, capsule   a smaller radius
//   box               shorter sides
//   hull              smaller along its principal axes, about the centre of mass
//   mesh              spheres and capsules inside of it, of smaller radius (mesh_core.h, with what they do not cover)
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

// Returns half of the body's thickness where it is thinnest; for a hull, the distance from the centre of mass to
// the nearest face; for a mesh, the least radius of its core. A body that sinks in by less comes out on the side that
// it came from.
float grzSolid_Thickness(const grzSolid* solid);

// Returns how many pieces the core has. Each is swept alone, and the earliest stop counts. All but the cores of
// meshes have one. A mesh beyond the coordinates that sweeps take has none.
uint32_t grzSolid_CoreCount(const grzSolid* solid);

// Writes a piece of the core under a depth, which is below the thickness, at the collider's pose. It writes
// body->motion.pose, and not the rest of the motion.
void grzSolid_SetCore(const grzSolid* solid, float depth, uint32_t piece, grzSweepBody* body);

// Writes a ball around the middle of a piece, in the same way; around the centre of mass, where there is one piece.
void grzSolid_SetBall(const grzSolid* solid, float radius, uint32_t piece, grzSweepBody* body);

#endif
