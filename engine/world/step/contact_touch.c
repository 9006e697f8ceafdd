// What: contacts of one normal become touches, and impulses go on.
// Holds: everything follows from the contacts' order and the previous touches.
// Cost: some 100 ns a pair of boxes; quadratic in the points of a pair, of which there are few.
#include "contact_touch.h"

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

// The deepest point comes first, then the farthest from it.
static void orderPoints(grzTouch* touch) {
    uint32_t first = 0, second = 1;
    float most = -1;
    for (uint32_t i = 1; i < touch->pointCount; ++i)
        if (touch->points[i].found < touch->points[first].found)
            first = i;
    grzTouchPoint held = touch->points[0];
    touch->points[0] = touch->points[first], touch->points[first] = held;
    for (uint32_t i = 1; i < touch->pointCount; ++i) {
        const float distance = grzDistanceSq(pointOf(touch, i), pointOf(touch, 0));
        if (distance > most)
            most = distance, second = i;
    }
    if (touch->pointCount > 2)
        held = touch->points[1], touch->points[1] = touch->points[second], touch->points[second] = held;
}

// ---- impulses ----

static const grzTouchPoint* findPoint(const grzTouchPair* pair, const grzTouch* touch, const grzTouchPoint* point,
                                      const grzTouch** of) {
    for (uint32_t k = 0; k < pair->previousCount; ++k) {
        const grzTouch* old = &pair->previous[k];
        if (grzDot(old->normal, touch->normal) < SAME_NORMAL)
            continue;
        for (uint32_t i = 0; i < old->pointCount; ++i) {
            const grzTouchPoint* candidate = &old->points[i];
            *of = old;
            if (candidate->featureA == point->featureA && candidate->featureB == point->featureB &&
                candidate->ordinal == point->ordinal)
                return candidate;
        }
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

static bool isTaken(const grzTouch* touches, uint32_t count, uint32_t memory) {
    for (uint32_t i = 0; i < count; ++i)
        if (touches[i].memory == memory)
            return true;
    return false;
}

// Points of the same names go on. What the solver remembers goes to the first touch that has one of the old one's points.
static void carryOver(const grzTouchPair* pair, const grzTouch* touches, uint32_t place, grzTouch* touch) {
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        const grzTouch* old;
        const grzTouchPoint* from = findPoint(pair, touch, &touch->points[i], &old);
        if (from == NULL)
            continue;
        carryPoint(old, from, touch, &touch->points[i]);
        if (touch->memory == 0 && (pair->previousCount == 1 || !isTaken(touches, place, old->memory)))
            touch->memory = old->memory;
    }
}

// ---- touches ----

static void beginTouch(const grzTouchPair* pair, uint32_t ordinal, grzVec3 normal, grzTouch* touch) {
    memset(touch, 0, sizeof *touch);
    touch->bodyA = pair->bodyA, touch->bodyB = pair->bodyB;
    touch->ordinal = ordinal;
    touch->normal = normal;
    touch->friction = pair->friction, touch->restitution = pair->restitution;
    touch->triangleA = touch->triangleB = GRZ_NO_TRIANGLE;
}

static grzTouchPoint* addPoint(const grzTouchPair* pair, grzTouch* touch, grzVec3 point, float separation) {
    grzTouchPoint* made = &touch->points[touch->pointCount++];
    setAnchor(pair->stateA, point, made->anchorA);
    setAnchor(pair->stateB, point, made->anchorB);
    made->found = made->separation = separation;
    return made;
}

static grzTouch* roomFor(const grzTouchPair* pair, const grzContact* contact, grzTouch* touches, uint32_t* count) {
    for (uint32_t i = 0; i < *count; ++i)
        if (touches[i].pointCount < GRZ_TOUCH_MOST_POINTS &&
            grzDot(touches[i].normal, contact->normal) >= ONE_NORMAL)
            return &touches[i];
    grzTouch* touch = &touches[(*count)++];
    beginTouch(pair, *count - 1, contact->normal, touch);
    touch->triangleA = contact->triangleA, touch->triangleB = contact->triangleB;
    return touch;
}

// A surface that comes to the contact in this step, seen from its start. All zeros: it rests.
typedef struct SurfaceStep {
    const grzAnimatedShape* shape; // NULL: both bodies are rigid
    bool isShapeA;
    float timeStep;
} SurfaceStep;

static uint32_t makeTouches(const grzTouchPair* pair, const SurfaceStep* surface, const grzContact* contacts,
                            uint32_t count, grzTouch* touches, grzVec3* velocities) {
    uint32_t touchCount = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const grzContact* contact = &contacts[i];
        grzVec3 point = contact->point;
        float separation = contact->separation;
        grzTouch* touch = roomFor(pair, contact, touches, &touchCount);
        if (surface->shape != NULL) {
            const uint32_t triangle = surface->isShapeA ? contact->triangleA : contact->triangleB;
            const grzVec3 velocity = grzAnimatedShape_Velocity(surface->shape, triangle, point, surface->timeStep);
            const grzVec3 way = grzScale(velocity, surface->timeStep);
            point = grzSubScaled(point, 0.5F, way);
            separation += grzDot(contact->normal, way) * (surface->isShapeA ? 1.0F : -1.0F);
            grzVec3* sum = &velocities[touch - touches];
            *sum = grzAdd(touch->pointCount == 0 ? grzVec3_Zero() : *sum, velocity);
        }
        grzTouchPoint* made = addPoint(pair, touch, point, separation);
        made->featureA = contact->featureA, made->featureB = contact->featureB;
        made->ordinal = contact->ordinal;
    }
    for (uint32_t i = 0; i < touchCount; ++i) {
        if (surface->shape != NULL)
            velocities[i] = grzScale(velocities[i], 1.0F / (float)touches[i].pointCount);
        orderPoints(&touches[i]);
        carryOver(pair, touches, i, &touches[i]);
    }
    return touchCount;
}

uint32_t grzContacts_ToTouches(const grzTouchPair* pair, const grzContact* contacts, uint32_t count,
                               grzTouch* touches) {
    const SurfaceStep rests = {NULL, false, 0};
    return makeTouches(pair, &rests, contacts, count, touches, NULL);
}

uint32_t grzContacts_ToMovingTouches(const grzTouchPair* pair, const grzAnimatedShape* shape, bool isShapeA,
                                     float timeStep, const grzContact* contacts, uint32_t count, grzTouch* touches,
                                     grzVec3* velocities) {
    const SurfaceStep surface = {shape, isShapeA, timeStep};
    return makeTouches(pair, &surface, contacts, count, touches, velocities);
}

uint32_t grzManifold_ToTouches(const grzTouchPair* pair, const grzManifold* manifold, grzTouch* touch) {
    if (manifold->pointCount == 0)
        return 0;
    beginTouch(pair, 0, manifold->normal, touch);
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* from = &manifold->points[i];
        grzTouchPoint* made = addPoint(pair, touch, from->point, from->separation);
        made->featureA = from->featureA, made->featureB = from->featureB;
        made->ordinal = from->ordinal;
    }
    carryOver(pair, touch, 0, touch);
    return 1;
}

// ---- surfaces ----

// Weights of the corners of the triangle's point that lies nearest: those of the plane, cut off at 0.
static void weightsAt(const grzVec3d at[3], grzVec3d p, double weights[3]) {
    const grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const grzVec3d from = at[(i + 1) % 3], to = at[(i + 2) % 3];
        const double area = grzVec3d_Dot(grzVec3d_Cross(grzVec3d_Sub(to, from), grzVec3d_Sub(p, from)), n);
        weights[i] = area > 0 ? area : 0;
        sum += weights[i];
    }
    for (int i = 0; i < 3; ++i)
        weights[i] = sum > 0 ? weights[i] / sum : 1.0 / 3;
}

static grzVec3d vertexOf(const grzAnimatedShape* shape, const float* positions, uint32_t triangle, size_t corner) {
    const uint32_t vertex = shape->mesh.triangles[3 * (size_t)triangle + corner];
    return grzVec3d_FromVec3(grzVec3_Load(positions + 3 * (size_t)vertex));
}

grzVec3 grzAnimatedShape_Velocity(const grzAnimatedShape* shape, uint32_t triangle, grzVec3 point, float timeStep) {
    grzVec3d at[3], way = {0, 0, 0};
    double weights[3];
    if (!(timeStep > 0) || shape->positions == shape->previous || triangle == GRZ_NO_TRIANGLE)
        return grzVec3_Zero();
    for (size_t i = 0; i < 3; ++i)
        at[i] = vertexOf(shape, shape->positions, triangle, i);
    weightsAt(at, grzVec3d_FromVec3(point), weights);
    for (size_t i = 0; i < 3; ++i) {
        const grzVec3d gone = grzVec3d_Sub(at[i], vertexOf(shape, shape->previous, triangle, i));
        way = grzVec3d_Add(way, grzVec3d_Scale(gone, weights[i]));
    }
    return grzVec3d_ToVec3(grzVec3d_Scale(way, 1 / (double)timeStep));
}
