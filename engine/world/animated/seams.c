// What: seams.h.
// Idea: nearest points answer all three questions.
//   - A ground covers a point if its nearest point is the point.
//   - It extends over the plane of a normal at the point if the nearest point to a point lifted along the normal is
//     another one: the normal is then not in its cone of normals.
//   - It stands out of a plane near a point if the nearest point to a point lifted off the plane is above the
//     plane.
//   The lifted point is a body's size away, so a plane that leans a little makes no difference.
// Cost: each contact tests one box a ground, and finds two nearest points for each ground that covers it; then one
//   for each contact that may be its witness.
#include "seams.h"

#include <float.h>

#include "surface.h"

// In parts of the body's size. Surfaces that are no farther off are flush: manifolds have points up to 1.5e-3 of a
// shape beside its faces.
#define FLUSH 0.004F
// A sine. Rounding tilts normals by no more. A body that meets such a normal at 100 lengths a second rises by a
// thousandth.
#define LEAN       2e-5F
#define ONE_NORMAL 0.9995F // cosine
#define SLIGHT     0.995F  // cosine: so little a contact may lean to be put upright
// In parts of the coordinates: a few roundings.
#define ROUNDING 5e-7F

static float lengthsOf(grzVec3 point) {
    return grzMaxElement(grzAbs(point));
}

// A point of a ground that is nearest to a point; the point itself in a convex one. Far away where it cannot be found.
static grzVec3 nearestOf(const grzCollider* ground, grzVec3 point) {
    const grzVec3 far = grzVec3_Splat(FLT_MAX);
    if (ground->kind != grz_convexCollider) {
        const grzSurface surface = grzCollider_GetSurface(ground);
        grzModelPoint found;
        return grzResult_IsOk(grzSurface_FindClosest(&surface, point, &found)) ? found.point : far;
    }
    if (ground->shape.kind == grz_boxShape) {
        const grzVec3 local = grzSub(grzTransform_ApplyInverse(ground->pose, point), ground->shape.a);
        const grzVec3 inside = grzMax(grzMin(local, ground->shape.b), grzNeg(ground->shape.b));
        return grzTransform_Apply(ground->pose, grzAdd(ground->shape.a, inside));
    }
    grzConvexDistance found;
    if (!grzResult_IsOk(grzConvex_ClosestPoint(&ground->shape, ground->pose, point, &found)))
        return far;
    return found.isTouching ? point : found.pointA;
}

static bool isNear(grzVec3 a, grzVec3 b, float distance) {
    return grzDistanceSq(a, b) <= distance * distance;
}

static bool isInBox(grzBox box, grzVec3 point, float slop) {
    const grzVec3 outside = grzMax(grzSub(box.lower, point), grzSub(point, box.upper));
    return grzMaxElement(outside) <= slop;
}

// Returns whether a ground covers a contact's point and extends over its plane.
static bool covers(const grzSeamQuery* query, const grzSeamGround* ground, const grzSeamContact* contact) {
    const float rounding = ROUNDING * lengthsOf(contact->point), flush = FLUSH * query->size + rounding;
    if (!ground->isNear || !isInBox(ground->box, contact->point, flush))
        return false;
    const grzVec3 base = nearestOf(ground->collider, contact->point);
    if (!isNear(base, contact->point, flush))
        return false;
    const grzVec3 lifted = grzAddScaled(base, query->size, contact->outward);
    return !isNear(nearestOf(ground->collider, lifted), base, LEAN * query->size + rounding);
}

// Surfaces with two sides have walls that are met from inside: they cover them themselves.
static bool mayHide(const grzSeamQuery* query, uint32_t ground, const grzSeamContact* contact) {
    return ground != contact->ground || query->grounds[ground].collider->isTwoSided;
}

static bool isCovered(const grzSeamQuery* query, const grzSeamContact* contact) {
    for (uint32_t g = 0; g < query->groundCount; ++g)
        if (mayHide(query, g, contact) && covers(query, &query->grounds[g], contact))
            return true;
    return false;
}

// Returns whether the contact's ground, near the contact, stays behind the plane of the witness.
static bool isBehind(const grzSeamQuery* query, const grzSeamContact* contact, const grzSeamContact* witness) {
    const grzVec3 lifted = grzAddScaled(contact->point, query->size, witness->outward);
    const grzVec3 highest = nearestOf(query->grounds[contact->ground].collider, lifted);
    return grzDot(grzSub(highest, witness->point), witness->outward) <=
           FLUSH * query->size + ROUNDING * lengthsOf(contact->point);
}

// Returns the witness with the nearest normal. NULL: the contact is needed.
static const grzSeamContact* witnessOf(const grzSeamQuery* query, const grzSeamContact* contact) {
    const grzSeamContact* best = NULL;
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        const grzSeamContact* witness = &query->contacts[i];
        if (!witness->isCovered && mayHide(query, witness->ground, contact) &&
            (best == NULL ||
             grzDot(witness->outward, contact->outward) > grzDot(best->outward, contact->outward)) &&
            isBehind(query, contact, witness))
            best = witness;
    }
    return best;
}

static bool isLike(const grzSeamContact* a, const grzSeamContact* b) {
    return a->ground == b->ground && !a->isSettled && !b->isSettled && grzDot(a->outward, b->outward) >= ONE_NORMAL;
}

// The normal of a contact's ground in the middle of the contacts that are like it.
static grzVec3 uprightOf(const grzSeamQuery* query, const grzSeamContact* contact) {
    grzVec3 sum = grzVec3_Zero();
    float count = 0;
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        if (!isLike(&query->contacts[i], contact))
            continue;
        sum = grzAdd(sum, query->contacts[i].point);
        count += 1;
    }
    const grzVec3 lifted = grzAddScaled(grzScale(sum, 1.0F / count), query->size, contact->outward);
    const grzVec3 off = grzSub(lifted, nearestOf(query->grounds[contact->ground].collider, lifted));
    return grzLengthSq(off) > 0 ? grzNormalize(off) : contact->outward;
}

// A flat body that leans a little has the normal of its own face, which is none of the ground's: then it would glide along its face.
static void putUpright(const grzSeamQuery* query, const grzSeamContact* leaning) {
    const grzSeamContact old = *leaning;
    const grzVec3 upright = uprightOf(query, &old);
    if (grzDot(upright, old.outward) < SLIGHT)
        return;
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        grzSeamContact* contact = &query->contacts[i];
        if (isLike(contact, &old))
            contact->outward = upright, contact->isTurned = true;
    }
}

// Manifolds along a false normal have points farther behind, too, which nothing covers: what holds of one holds of all of that normal.
static void spread(const grzSeamQuery* query, const grzSeamContact* covered) {
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        grzSeamContact* other = &query->contacts[i];
        other->isCovered |= isLike(other, covered) && other->separation >= covered->separation;
    }
}

// What is covered is found first, so that witnesses do not depend on the order.
void grzSeams_Judge(const grzSeamQuery* query) {
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        grzSeamContact* contact = &query->contacts[i];
        if (!contact->isSettled && !contact->isTurned && isCovered(query, contact))
            putUpright(query, contact);
    }
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        grzSeamContact* contact = &query->contacts[i];
        if (!contact->isSettled && !contact->isCovered && isCovered(query, contact))
            spread(query, contact);
    }
    for (uint32_t i = 0; i < query->contactCount; ++i) {
        grzSeamContact* contact = &query->contacts[i];
        const grzSeamContact* witness = contact->isCovered ? witnessOf(query, contact) : NULL;
        if (witness == NULL)
            continue;
        contact->isFalse = grzDot(witness->outward, contact->outward) < SLIGHT;
        contact->isTurned |= !contact->isFalse;
        contact->outward = witness->outward;
    }
}
