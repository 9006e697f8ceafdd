// Touches (touch.h) made of what the narrow phase finds, and carried from step to step.
#ifndef GRAZE_WORLD_TOUCH_MAKE_H
#define GRAZE_WORLD_TOUCH_MAKE_H

#include "body_rows.h"
#include "graze/convex_pairs.h"
#include "touch.h"

// The two bodies of a touch, where they are at the start of the step.
typedef struct grzTouchPair {
    uint32_t slotA, slotB;
    const grzBodyState* stateA;
    const grzBodyState* stateB;
    float friction, restitution; // of the two together
} grzTouchPair;

// The touch of a manifold that has points.
void grzTouch_FromManifold(grzTouch* touch, const grzTouchPair* pair, const grzManifold* manifold);

// The impulses of the points of the same names, of the last step's touches of the same two bodies.
void grzTouch_TakeOver(grzTouch* touch, const grzTouch* last, uint32_t lastCount);

// The same touch a step later: where its anchors have come.
void grzTouch_Recycle(grzTouch* touch, const grzTouchPair* pair, const grzTouch* last);

// Where a point lies in the world: midway between its anchors.
grzVec3 grzTouchPoint_Place(const grzTouchPoint* point, const grzBodyState* stateA, const grzBodyState* stateB);

#endif
