// What: keeps touches while their bodies hold still to each other (grzTouchPoint says why anchors and normals stay as they were).
#include "touch_keep.h"

#include <string.h>

// The normal is turned back to the frames in which the anchors stand, once for all points. The centres come in as their
// difference, so that far from the origin nothing is lost.
void grzTouch_Recycle(grzTouch* touch, const grzTouchPlace* place) {
    const grzQuat turnA = grzQuat_Multiply(place->stateA->rotation, grzQuat_Conjugate(place->foundA));
    const grzQuat turnB = grzQuat_Multiply(place->stateB->rotation, grzQuat_Conjugate(place->foundB));
    const grzVec3 normalA = grzQuat_RotateInverse(turnA, touch->normal);
    const grzVec3 normalB = grzQuat_RotateInverse(turnB, touch->normal);
    const float apart = grzDot(touch->normal, grzSub(place->stateB->center, place->stateA->center));
    memset(touch->metIn, 0, sizeof touch->metIn);
    touch->pushed = 0;
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        grzTouchPoint* point = &touch->points[i];
        const float toB = grzDot(normalB, grzVec3_Load(point->anchorB));
        const float toA = grzDot(normalA, grzVec3_Load(point->anchorA));
        point->separation = point->found + (apart + (toB - toA));
        touch->pushed |= (uint32_t)(point->stepImpulse > 0.0f)
                         << i; // a step that is refused is done again: what it reads stays
    }
}

grzVec3 grzTouchPoint_Place(const grzTouchPoint* point, const grzBodyState* stateA, const grzBodyState* stateB) {
    const grzVec3 a = grzAdd(stateA->center, grzVec3_Load(point->anchorA));
    const grzVec3 b = grzAdd(stateB->center, grzVec3_Load(point->anchorB));
    return grzScale(grzAdd(a, b), 0.5f);
}
