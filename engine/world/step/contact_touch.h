// From the contacts of two bodies to touches, which the solver takes (graze/stage/step_contacts.h).
//
// Contacts of nearly one normal (1.8 degrees) are a touch of up to four points; where there are more, the others are
// further touches. In a touch the first point is the deepest and the second the farthest from it. Impulses go over from the
// touches of the last step to points of the same features and ordinal, friction turned to the new tangents, where the
// normal has turned by less than 25 degrees.
//
// Contacts are grouped first, so that it is known how many units their touches take; touches are then written where they stay.
#ifndef GRAZE_WORLD_CONTACT_TOUCH_H
#define GRAZE_WORLD_CONTACT_TOUCH_H

#include "animated_body.h"
#include "touch.h"

// How contacts of two bodies become touches: entry i is of contact i, and of touch i.
typedef struct grzContactGroup {
    uint32_t touch;        // that the contact is a point of
    uint32_t first, count; // of the touch: its first contact, and how many it has
} grzContactGroup;

// Contacts in the order of their keys; as many entries. Returns the number of touches, which take as many units as there are touches
// and contacts together.
uint32_t grzContacts_Group(const grzContact* contacts, uint32_t count, grzContactGroup* groups);

// A mesh that the host animates: one of the two bodies, the other is not. Contacts are those of the end of the step, where the mesh
// will be; touches are those of its start, since the solver moves the mesh.
typedef struct grzTouchSurface {
    const grzAnimatedShape* shape;
    bool isShapeA;
    float timeStep;
} grzTouchSurface;

// Touches of bodyA and bodyB of all their contacts. surface: NULL, where both are rigid.
void grzContacts_ToTouches(const grzTouchPair* pair, const grzTouchSurface* surface, const grzContact* contacts,
                           const grzContactGroup* groups, uint32_t touchCount, const grzTouchRoom* room);

// How fast the surface moves at a point on or near a triangle, in this step. 0 where timeStep is not above 0.
grzVec3 grzAnimatedShape_Velocity(const grzAnimatedShape* shape, uint32_t triangle, grzVec3 point, float timeStep);

#endif
