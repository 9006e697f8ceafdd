// Contacts at the seams of bodies that lie flush: which of them are contacts of the ground as a whole.
//
//   body  |__|           Tile 2 alone pushes the body sideways, or up and back, from its side face or its upper edge, long before
//   ______|__|_w______   the body is there. Tile 1 covers that point: the ground as a whole has no edge there.
//    tile 1    | tile 2
//
// A contact of a body with a ground (a body that contacts do not move) has a point of the ground's surface and a normal. It is false if
//   1. another ground covers the point, and reaches out over the plane of the contact: so the normal is none of the two together;
//   2. and the ground does not stand out of the plane of another contact of the body, one that 1 does not concern: so while that contact
//      holds, it is not needed.
// By 2 the walls beside a floor stay, raised edges, the flanks of a valley, and the sides of gaps, in which nothing covers the point.
//
// It makes no difference whether grounds are convex shapes or meshes: they are asked for nearest points, and for nothing else.
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
    grzBox box;  // that holds it
    bool isNear; // else it covers nothing
} grzSeamGround;

// All that one body touches, or may touch.
typedef struct grzSeamQuery {
    const grzSeamGround* grounds;
    grzSeamContact* contacts;
    uint32_t groundCount, contactCount;
    float size; // of the body: the radius of a ball that holds it
} grzSeamQuery;

void grzSeams_Judge(const grzSeamQuery* query);

#endif
