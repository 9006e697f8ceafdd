// From the contacts of two bodies to touches, which the solver takes (touch.h).
//
// Contacts of nearly one normal (1.8 degrees) are a touch of up to four points; where there are more, the others are
// further touches. In a touch the first point is the deepest and the second the farthest from it. Impulses go over from the
// touches of the last step to points of the same features and ordinal, friction turned to the new tangents, where the
// normal has turned by less than 25 degrees.
#ifndef GRAZE_WORLD_CONTACT_TOUCH_H
#define GRAZE_WORLD_CONTACT_TOUCH_H

#include "animated_body.h"
#include "body_rows.h"
#include "graze/convex_pairs.h"
#include "touch.h"

typedef struct grzTouchPair {
    uint32_t bodyA, bodyB; // slots; bodyA < bodyB
    const grzBodyState *stateA,
        *stateB; // at the start of the step; of a mesh that the host animates: at rest in the origin
    float friction, restitution;
    const grzTouch* previous; // of the two bodies in the last step; may be NULL
    uint32_t previousCount;
} grzTouchPair;

// Contacts of bodyA and bodyB in the order of their keys. Room for as many touches as contacts is enough. Returns their
// number; ordinals count from 0. touches must not be those of `previous`.
uint32_t grzContacts_ToTouches(const grzTouchPair* pair, const grzContact* contacts, uint32_t count,
                               grzTouch* touches);

// The same of a manifold of two convex shapes, A that of bodyA: none where it has no points, else one.
uint32_t grzManifold_ToTouches(const grzTouchPair* pair, const grzManifold* manifold, grzTouch* touch);

// How fast the surface moves at a point on or near a triangle, in this step. 0 where timeStep is not above 0.
grzVec3 grzAnimatedShape_Velocity(const grzAnimatedShape* shape, uint32_t triangle, grzVec3 point, float timeStep);

// The same for contacts with a mesh that the host animates: one of the bodies, the other is not. Contacts are those of the end of the
// step, where the mesh will be; touches are those of its start, since the solver moves the mesh. velocities[i]: of the
// mesh's surface at touch i, the mean over its points.
uint32_t grzContacts_ToMovingTouches(const grzTouchPair* pair, const grzAnimatedShape* shape, bool isShapeA,
                                     float timeStep, const grzContact* contacts, uint32_t count, grzTouch* touches,
                                     grzVec3* velocities);

#endif
