// What: keeps touches while their bodies hold still to each other (touch.h tells why anchors and normals stay as they were).
#include "touch_keep.h"

static grzVec3 placeAfter(const grzBodyState* state, grzQuat turned, const float* anchor) {
    return grzAdd(state->center, grzQuat_Rotate(turned, grzVec3_Load(anchor)));
}

void grzTouch_Recycle(grzTouch* touch, const grzTouchPlace* place, const grzTouch* last) {
    const grzQuat turnA = grzQuat_Multiply(place->stateA->rotation, grzQuat_Conjugate(place->foundA));
    const grzQuat turnB = grzQuat_Multiply(place->stateB->rotation, grzQuat_Conjugate(place->foundB));
    *touch = *last;
    touch->isRecycled = 1;
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        grzTouchPoint* point = &touch->points[i];
        const grzVec3 apart = grzSub(placeAfter(place->stateB, turnB, point->anchorB),
                                     placeAfter(place->stateA, turnA, point->anchorA));
        point->separation = point->found + grzDot(touch->normal, apart);
        point->greatestImpulse = 0.0f;
    }
}

grzVec3 grzTouchPoint_Place(const grzTouchPoint* point, const grzBodyState* stateA, const grzBodyState* stateB) {
    const grzVec3 a = grzAdd(stateA->center, grzVec3_Load(point->anchorA));
    const grzVec3 b = grzAdd(stateB->center, grzVec3_Load(point->anchorB));
    return grzScale(grzAdd(a, b), 0.5f);
}
