// The rows that stand for bodies between the stages of a step, in arrays of the world.
//
// A row is what bodyA and bodyB of a touch name. Rows of static bodies, of cloth and of meshes that the host moves
// have mass 0 and are at rest, so that no loop over rows asks what a body is.
//
// Frames: a rigid body's own frame is that of its principal axes about its centre of mass, so that its inertia is three
// numbers. What the host sees (origin and shape as it gave them) is made of it by grzBody.toShape (world_inside.h).
// Bytes: no padding that is not written; pads and w are 0.
#ifndef GRAZE_WORLD_BODY_ROWS_H
#define GRAZE_WORLD_BODY_ROWS_H

#include "graze/linmath.h"

// What a step changes. At the start of the step, and at its end.
typedef struct grzBodyState {
    grzVec3 center;   // of mass, in the world
    grzQuat rotation; // from the body's frame to the world
    grzVec3 velocity; // of the centre
    grzVec3 spin;     // angular velocity, in the world
} grzBodyState;

typedef struct grzBodyMass {
    float inverseMass;       // 0: nothing moves it (static, kinematic)
    float inverseInertia[3]; // about the body's own axes; 0 where nothing turns it
    float gravityScale;
    float linearDamping;  // per second: velocity is divided by 1 + damping * time
    float angularDamping; // likewise
    uint32_t flags;       // grzBodyFlag
} grzBodyMass;

typedef enum grzBodyFlag {
    grz_bodyMoves = 1u,   // kinematic or dynamic: has a velocity that counts
    grz_bodyYields = 2u,  // dynamic: impulses change it
    grz_bodyGyrates = 4u, // its three moments of inertia differ: gyroscopic terms count
} grzBodyFlag;

// How an angular impulse changes the spin.
static inline grzVec3 grzBodyMass_Turn(const grzBodyMass* mass, grzQuat rotation, grzVec3 angularImpulse) {
    const grzVec3 own = grzQuat_RotateInverse(rotation, angularImpulse);
    return grzQuat_Rotate(rotation, grzVec3_Make(own.x * mass->inverseInertia[0], own.y * mass->inverseInertia[1],
                                                 own.z * mass->inverseInertia[2]));
}

GRZ_STATIC_ASSERT(sizeof(grzBodyState) == 64, "four vectors");
GRZ_STATIC_ASSERT(sizeof(grzBodyMass) == 32, "eight words");

#endif
