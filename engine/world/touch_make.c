// What: makes touches of manifolds, and keeps their points and impulses from step to step.
// Promise: a touch is a function of the two bodies' states, the manifold and the last step's touches of the same bodies.
// Idea: a point is fastened to both bodies where it was found. While the bodies hold still to each other it is kept with both
//   fastenings, so that what slips in the meantime is seen as tangential motion and as a new separation; so a stack does not
//   shake by the noise of contacts that are found anew.
#include "touch_make.h"

#include <string.h>

static grzVec3 fastenAt(const grzBodyState* state, grzVec3 point) {
    return grzQuat_RotateInverse(state->rotation, grzSub(point, state->center));
}

static grzVec3 placeOf(const grzBodyState* state, const float* anchor) {
    return grzAdd(state->center, grzQuat_Rotate(state->rotation, grzVec3_Load(anchor)));
}

void grzTouch_FromManifold(grzTouch* touch, const grzTouchPair* pair, const grzManifold* manifold) {
    memset(touch, 0, sizeof *touch);
    touch->bodyA = pair->slotA;
    touch->bodyB = pair->slotB;
    touch->pointCount = manifold->pointCount;
    touch->normal = manifold->normal;
    touch->friction = pair->friction;
    touch->restitution = pair->restitution;
    touch->triangleA = GRZ_NO_TRIANGLE;
    touch->triangleB = manifold->triangleB;
    touch->certainty = manifold->certainty;
    touch->measure = manifold->measure;
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* found = &manifold->points[i];
        grzTouchPoint* point = &touch->points[i];
        grzVec3_Store(point->anchorA, fastenAt(pair->stateA, found->point));
        grzVec3_Store(point->anchorB, fastenAt(pair->stateB, found->point));
        point->found = point->separation = found->separation;
        point->featureA = found->featureA;
        point->featureB = found->featureB;
        point->ordinal = found->ordinal;
    }
}

static bool isSame(const grzTouchPoint* a, const grzTouchPoint* b) {
    return a->featureA == b->featureA && a->featureB == b->featureB && a->ordinal == b->ordinal;
}

static void takeOverFrom(grzTouchPoint* point, const grzTouch* last) {
    for (uint32_t k = 0; k < last->pointCount; ++k)
        if (isSame(point, &last->points[k])) {
            point->normalImpulse = last->points[k].normalImpulse;
            point->frictionImpulse[0] = last->points[k].frictionImpulse[0];
            point->frictionImpulse[1] = last->points[k].frictionImpulse[1];
        }
}

void grzTouch_TakeOver(grzTouch* touch, const grzTouch* last, uint32_t lastCount) {
    for (uint32_t i = 0; i < lastCount; ++i) {
        if (last[i].triangleA != touch->triangleA || last[i].triangleB != touch->triangleB)
            continue;
        touch->memory = last[i].ordinal == touch->ordinal ? last[i].memory : touch->memory;
        for (uint32_t k = 0; k < touch->pointCount; ++k)
            takeOverFrom(&touch->points[k], &last[i]);
    }
}

void grzTouch_Recycle(grzTouch* touch, const grzTouchPair* pair, const grzTouch* last) {
    *touch = *last;
    touch->isRecycled = 1;
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        grzTouchPoint* point = &touch->points[i];
        const grzVec3 apart = grzSub(placeOf(pair->stateB, point->anchorB), placeOf(pair->stateA, point->anchorA));
        point->separation = point->found + grzDot(touch->normal, apart);
        point->greatestImpulse = 0.0f;
    }
}

grzVec3 grzTouchPoint_Place(const grzTouchPoint* point, const grzBodyState* stateA, const grzBodyState* stateB) {
    return grzScale(grzAdd(placeOf(stateA, point->anchorA), placeOf(stateB, point->anchorB)), 0.5f);
}
