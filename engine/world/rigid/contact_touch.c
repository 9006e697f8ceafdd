// What: contacts of one normal become touches, and impulses go on.
// Holds: everything follows from the contacts' order and the previous touches.
// Cost: some 100 ns a pair of boxes; quadratic in the points of a pair, of which there are few.
#include "contact_touch.h"

#include "refuse_null.h"

#include <string.h>

#define ONE_NORMAL  0.9995F // cosine: a touch has one normal, and its contacts may lean by this
#define SAME_NORMAL 0.9F    // cosine: what was pressed along the old one is pressed along the new one

// ---- points ----

static void setAnchor(const grzBodyState* state, grzVec3 point, float anchor[3]) {
    grzVec3_Store(anchor, grzSub(point, state->center));
}

static grzVec3 pointOf(const grzTouch* touch, uint32_t i) {
    return grzVec3_Load(touch->points[i].anchorA); // distances are the same in any frame
}

static void swapPoints(grzTouch* touch, grzTouchName* names, uint32_t i, uint32_t k) {
    const grzTouchPoint point = touch->points[i];
    const grzTouchName name = names[i];
    touch->points[i] = touch->points[k], touch->points[k] = point;
    names[i] = names[k], names[k] = name;
}

// The deepest point comes first, then the farthest from it.
static void orderPoints(grzTouch* touch, grzTouchName* names) {
    uint32_t first = 0, second = 1;
    float most = -1;
    for (uint32_t i = 1; i < touch->pointCount; ++i)
        if (touch->points[i].found < touch->points[first].found)
            first = i;
    swapPoints(touch, names, 0, first);
    for (uint32_t i = 1; i < touch->pointCount; ++i) {
        const float distance = grzDistanceSq(pointOf(touch, i), pointOf(touch, 0));
        if (distance > most)
            most = distance, second = i;
    }
    if (touch->pointCount > 2)
        swapPoints(touch, names, 1, second);
}

// ---- impulses ----

static const grzTouchPoint* findPoint(const grzTouchSpan* previous, grzVec3 normal, const grzTouchName* name,
                                      const grzTouch** of) {
    uint32_t place = 0;
    for (uint32_t k = 0; k < previous->count; ++k) {
        const grzTouch* old = grzTouch_Read(previous->units, place);
        const grzTouchName* names = previous->names + place;
        place += grzTouch_UnitCount(old);
        if (grzDot(old->normal, normal) < SAME_NORMAL)
            continue;
        *of = old;
        for (uint32_t i = 0; i < old->pointCount; ++i)
            if (names[i].featureA == name->featureA && names[i].featureB == name->featureB &&
                names[i].ordinal == name->ordinal)
                return &old->points[i];
    }
    return NULL;
}

static void carryPoint(const grzTouch* old, const grzTouchPoint* from, const grzTouch* touch, grzTouchPoint* to) {
    to->normalImpulse = from->normalImpulse;
    if (memcmp(&old->normal, &touch->normal, sizeof touch->normal) == 0) {
        memcpy(to->frictionImpulse, from->frictionImpulse, sizeof to->frictionImpulse);
        return;
    }
    grzVec3 before[2], now[2];
    grzTouch_Tangents(old->normal, before);
    grzTouch_Tangents(touch->normal, now);
    const grzVec3 friction =
        grzAddScaled(grzScale(before[0], from->frictionImpulse[0]), from->frictionImpulse[1], before[1]);
    to->frictionImpulse[0] = grzDot(friction, now[0]);
    to->frictionImpulse[1] = grzDot(friction, now[1]);
}

static bool isTaken(const grzTouchUnit* units, const grzTouch* end, uint32_t memory) {
    for (const grzTouch* touch; (touch = grzTouch_Read(units, 0)) != end; units += grzTouch_UnitCount(touch))
        if (touch->memory == memory)
            return true;
    return false;
}

// Points of the same names go on. What the solver remembers goes to the first touch that has one of the old one's points; first: the
// touches of the pair begin there.
static void carryOver(const grzTouchPair* pair, const grzTouchUnit* first, grzTouch* touch,
                      const grzTouchName* names) {
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        const grzTouch* old;
        const grzTouchPoint* from = findPoint(&pair->previous, touch->normal, &names[i], &old);
        if (from == NULL)
            continue;
        carryPoint(old, from, touch, &touch->points[i]);
        touch->pushed |= (uint32_t)(from->stepImpulse > 0.0f) << i;
        if (touch->memory == 0 && (pair->previous.count == 1 || !isTaken(first, touch, old->memory)))
            touch->memory = old->memory;
    }
}

// ---- touches ----

static void beginTouch(const grzTouchPair* pair, grzVec3 normal, grzTouch* touch) {
    memset(touch, 0, sizeof(grzTouchUnit));
    touch->bodyA = pair->bodyA, touch->bodyB = pair->bodyB;
    touch->normal = normal;
    touch->friction = pair->friction, touch->restitution = pair->restitution;
}

static void addPoint(const grzTouchPair* pair, grzTouch* touch, grzVec3 point, float separation) {
    grzTouchPoint* made = &touch->points[touch->pointCount++];
    memset(made, 0, sizeof *made);
    setAnchor(pair->stateA, point, made->anchorA);
    setAnchor(pair->stateB, point, made->anchorB);
    made->found = made->separation = separation;
}

// The first touch of nearly its normal that has room, or a new one.
static uint32_t touchFor(const grzContact* contacts, uint32_t i, const grzContactGroup* groups, uint32_t count) {
    for (uint32_t t = 0; t < count; ++t)
        if (groups[t].count < GRZ_TOUCH_MOST_POINTS &&
            grzDot(contacts[groups[t].first].normal, contacts[i].normal) >= ONE_NORMAL)
            return t;
    return count;
}

uint32_t grzContacts_Group(const grzContact* contacts, uint32_t count, grzContactGroup* groups) {
    uint32_t touchCount = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t touch = touchFor(contacts, i, groups, touchCount);
        groups[i].touch = touch;
        if (touch == touchCount) {
            groups[touch].first = i;
            groups[touch].count = 0;
            ++touchCount;
        }
        ++groups[touch].count;
    }
    return touchCount;
}

// Where a contact was at the start of the step, with the surface coming to it.
static void rewind(const grzTouchSurface* surface, uint32_t i, const grzContact* contact, grzVec3* point,
                   float* separation) {
    const grzVec3 way = grzScale(surface->velocities[i], surface->timeStep);
    *point = grzSubScaled(*point, 0.5F, way);
    *separation += grzDot(contact->normal, way) * (surface->isA ? 1.0F : -1.0F);
}

// One touch of its contacts.
static void fillTouch(const grzTouchPair* pair, const grzTouchSurface* surface, const grzContact* contacts,
                      const grzContactGroup* groups, uint32_t index, grzTouch* touch, grzTouchName* names) {
    beginTouch(pair, contacts[groups[index].first].normal, touch);
    for (uint32_t i = groups[index].first; touch->pointCount < groups[index].count; ++i) {
        const grzContact* contact = &contacts[i];
        if (groups[i].touch != index)
            continue;
        grzVec3 point = contact->point;
        float separation = contact->separation;
        if (surface != NULL)
            rewind(surface, i, contact, &point, &separation);
        names[touch->pointCount] = (grzTouchName){contact->featureA, contact->featureB, contact->ordinal, i};
        addPoint(pair, touch, point, separation);
    }
}

void grzContacts_ToTouches(const grzTouchPair* pair, const grzTouchSurface* surface, const grzContact* contacts,
                           const grzContactGroup* groups, uint32_t touchCount, const grzTouchRoom* room) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < touchCount; ++i) {
        grzTouch* touch = grzTouch_At(room->units, place);
        grzTouchName* names = room->names + place;
        fillTouch(pair, surface, contacts, groups, i, touch, names);
        orderPoints(touch, names);
        carryOver(pair, room->units, touch, names);
        place += grzTouch_UnitCount(touch);
    }
}

void grzManifold_ToTouch(const grzTouchPair* pair, const grzManifold* manifold, const grzTouchRoom* room) {
    GRZ_RETURN_IF_NULL(pair, );
    GRZ_RETURN_IF_NULL(manifold, );
    GRZ_RETURN_IF_NULL(room, );
    grzTouch* touch = grzTouch_At(room->units, 0);
    beginTouch(pair, manifold->normal, touch);
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* from = &manifold->points[i];
        room->names[i] = (grzTouchName){from->featureA, from->featureB, from->ordinal, 0};
        addPoint(pair, touch, from->point, from->separation);
    }
    carryOver(pair, room->units, touch, room->names);
}
