// Touches that are kept from one step to the next, and where their points are.
#ifndef GRAZE_WORLD_TOUCH_KEEP_H
#define GRAZE_WORLD_TOUCH_KEEP_H

#include "graze/stage/step.h"
#include "touch.h"

// Two bodies at the start of the step, and how they stood when the touch was found.
typedef struct grzTouchPlace {
    const grzBodyState *stateA, *stateB;
    grzQuat foundA, foundB;
} grzTouchPlace;

// The last step's touch, where it lies: only its separations are new.
void grzTouch_Recycle(grzTouch* touch, const grzTouchPlace* place);

// Midway between where the two bodies have the point.
grzVec3 grzTouchPoint_Place(const grzTouchPoint* point, const grzBodyState* stateA, const grzBodyState* stateB);

#endif
