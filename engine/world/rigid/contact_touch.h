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

#include "touch.h"

// How contacts of two bodies become touches: entry i is of contact i, and of touch i.
typedef struct grzContactGroup {
    uint32_t touch;        // that the contact is a point of
    uint32_t first, count; // of the touch: its first contact, and how many it has
} grzContactGroup;

// Contacts in the order of their keys; as many entries. Returns the number of touches, which take as many units as there are touches
// and contacts together.
uint32_t grzContacts_Group(const grzContact* contacts, uint32_t count, grzContactGroup* groups);

// The touches of steps: graze/stage/step_contacts.h.
struct grzTouches {
    grzAllocator allocator;
    grzTouchStore stores[2];
    uint32_t storeOf[2]; // by `now`: which of the stores has a step's touches
    struct {
        GRZ_ARRAY(uint32_t);
    } places; // that the solver takes, in the order of pairs
    struct {
        GRZ_ARRAY(grzContactGroup);
    } groups; // of contacts with meshes
};

// The surface of one of the two bodies, which moves as it likes; the other body is rigid. Contacts are those of the end of the step,
// where the surface will be; touches are those of its start, since the solver moves the surface.
typedef struct grzTouchSurface {
    const grzVec3* velocities; // of the surface, at each contact
    bool isA;
    float timeStep;
} grzTouchSurface;

// Touches of bodyA and bodyB of all their contacts. surface: NULL, where both are rigid.
void grzContacts_ToTouches(const grzTouchPair* pair, const grzTouchSurface* surface, const grzContact* contacts,
                           const grzContactGroup* groups, uint32_t touchCount, const grzTouchRoom* room);

#endif
