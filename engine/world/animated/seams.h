// Contacts at the seams of bodies that lie flush: which of them are contacts of the ground as a whole.
//
//   body  |__|           Tile 2 alone pushes the body sideways, or up and back, from its side face or its upper
//                        edge, long before
//   ______|__|_w______   the body is there. Tile 1 covers that point: the ground as a whole has no edge there.
//    tile 1    | tile 2
//
// A ground is a body that contacts do not move. A contact of a body with a ground has a point of the ground's
// surface and a normal. The contact is false if both conditions hold:
//   1. Another ground covers the point, and extends over the plane of the contact. So the two grounds together have
//     no such normal.
//   2. The body has another contact, for which 1 does not hold, and the ground does not stand out of its plane. So
//      while that contact holds, the first one is not needed.
// By 2 contacts stay at walls beside a floor, at raised edges and at the flanks of a valley. Contacts at the sides
// of gaps stay, since nothing covers their points.
//
// Grounds may be convex shapes or meshes: only their nearest points are used.
#ifndef GRAZE_WORLD_SEAMS_H
#define GRAZE_WORLD_SEAMS_H

#include "collider.h"

typedef struct grzSeamContact {
    grzVec3 point;   // of the ground's surface
    grzVec3 outward; // unit: from the ground to the body
    float separation;
    uint32_t ground;                   // its place among the grounds
    bool isSettled;                    // in: kept from an earlier step; it is not judged
    bool isCovered, isFalse, isTurned; // out: the first is a note; turned ones have another normal
} grzSeamContact;

typedef struct grzSeamGround {
    const grzCollider* collider;
    grzBox box;  // holds the ground
    bool isNear; // false: it covers nothing
} grzSeamGround;

// All contacts of one body, and the grounds that it touches or may touch.
typedef struct grzSeamQuery {
    const grzSeamGround* grounds;
    grzSeamContact* contacts;
    uint32_t groundCount, contactCount;
    float size; // of the body: the radius of a ball that holds it
} grzSeamQuery;

void grzSeams_Judge(const grzSeamQuery* query);

#endif
