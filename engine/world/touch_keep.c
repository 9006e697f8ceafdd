// What: keeps touches while their bodies hold still to each other (touch.h tells why anchors and normals stay as they were).
// Idea: the four points of a touch go in four lanes; those that are not there are zeros, and stay so.
#include "touch_keep.h"

#include <stddef.h>
#include <string.h>

#include "simd.h"

GRZ_STATIC_ASSERT(GRZ_TOUCH_MOST_POINTS == 4, "a lane each");

// Four vectors, one a lane.
typedef struct Vectors {
    grzF4 x, y, z;
} Vectors;

static Vectors splat(grzVec3 a) {
    return (Vectors){grzF4_Set1(a.x), grzF4_Set1(a.y), grzF4_Set1(a.z)};
}

static Vectors add(Vectors a, Vectors b) {
    return (Vectors){grzF4_Add(a.x, b.x), grzF4_Add(a.y, b.y), grzF4_Add(a.z, b.z)};
}

static grzF4 area(grzF4 u, grzF4 v, grzF4 s, grzF4 t) {
    return grzF4_Sub(grzF4_Mul(u, t), grzF4_Mul(v, s));
}

static Vectors cross(Vectors a, Vectors b) {
    return (Vectors){area(a.y, a.z, b.y, b.z), area(a.z, a.x, b.z, b.x), area(a.x, a.y, b.x, b.y)};
}

// The sums of grzQuat_Rotate, in their order.
static Vectors placesAfter(const grzBodyState* state, grzQuat turned, Vectors anchors) {
    const Vectors u = splat(grzVec3_Make(turned.x, turned.y, turned.z)), c = cross(u, anchors), t = add(c, c);
    const grzF4 w = grzF4_Set1(turned.w);
    const Vectors scaled = {grzF4_Mul(w, t.x), grzF4_Mul(w, t.y), grzF4_Mul(w, t.z)};
    return add(splat(state->center), add(add(anchors, scaled), cross(u, t)));
}

static grzF4 gather(const grzTouch* touch, size_t place) {
    const char* from = (const char*)touch->points + place;
    float values[GRZ_TOUCH_MOST_POINTS];
    for (int i = 0; i < GRZ_TOUCH_MOST_POINTS; ++i)
        memcpy(&values[i], from + (size_t)i * sizeof(grzTouchPoint), sizeof(float));
    return grzF4_Load(values);
}

static Vectors gatherAnchors(const grzTouch* touch, size_t place) {
    return (Vectors){gather(touch, place), gather(touch, place + 4), gather(touch, place + 8)};
}

void grzTouch_Recycle(grzTouch* touch, const grzTouchPlace* place, const grzTouch* last) {
    const grzQuat turnA = grzQuat_Multiply(place->stateA->rotation, grzQuat_Conjugate(place->foundA));
    const grzQuat turnB = grzQuat_Multiply(place->stateB->rotation, grzQuat_Conjugate(place->foundB));
    const Vectors a = placesAfter(place->stateA, turnA, gatherAnchors(last, offsetof(grzTouchPoint, anchorA)));
    const Vectors b = placesAfter(place->stateB, turnB, gatherAnchors(last, offsetof(grzTouchPoint, anchorB)));
    const Vectors n = splat(last->normal);
    const grzF4 x = grzF4_Mul(n.x, grzF4_Sub(b.x, a.x)), y = grzF4_Mul(n.y, grzF4_Sub(b.y, a.y));
    const grzF4 along = grzF4_Add(grzF4_Add(x, y), grzF4_Mul(n.z, grzF4_Sub(b.z, a.z)));
    float separations[GRZ_TOUCH_MOST_POINTS];
    grzF4_Store(separations, grzF4_Add(gather(last, offsetof(grzTouchPoint, found)), along));
    *touch = *last;
    touch->isRecycled = 1;
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        touch->points[i].separation = separations[i];
        touch->points[i].greatestImpulse = 0.0f;
    }
}

grzVec3 grzTouchPoint_Place(const grzTouchPoint* point, const grzBodyState* stateA, const grzBodyState* stateB) {
    const grzVec3 a = grzAdd(stateA->center, grzVec3_Load(point->anchorA));
    const grzVec3 b = grzAdd(stateB->center, grzVec3_Load(point->anchorB));
    return grzScale(grzAdd(a, b), 0.5f);
}
