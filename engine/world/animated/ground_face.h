// The normals of a ground's own faces, for contacts whose normal is that of a body that lies on it.
//
// Soft contacts sink unevenly, so a body on a plane leans by 1e-5 to 1e-4. The normal of its own face is as good a normal of the contact
// as that of the ground, and the contact of convex shapes takes one of the two. But a body on such normals slides down its own face: at
// 0.1 lengths a second it loses a thousandth of its speed in a second.
#ifndef GRAZE_WORLD_GROUND_FACE_H
#define GRAZE_WORLD_GROUND_FACE_H

#include "collider.h"

// outward: a contact's unit normal, from the ground to the body. triangle: the ground's that the contact names, where it is a mesh.
// Returns the unit normal of the face of the ground that leans off outward by less than 1e-3; outward where there is none, and for grounds
// without flat faces or whose faces turn (animated meshes).
grzVec3 grzGround_FaceNormal(const grzCollider* ground, uint32_t triangle, grzVec3 outward);

#endif
