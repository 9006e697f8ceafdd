// A touch: where two rigid bodies are in contact, as the solver takes it: one normal, and up to four points that last from
// step to step with the impulses that they carried. The narrow stage writes touches, the solver reads them and
// writes its impulses into them, and the next step's narrow stage carries those over to points of the same name.
//
// A pair of bodies has any number of touches (a box in a corner of a mesh has three). Touches are stored tightly, one behind
// another, in units of 48 bytes; a touch is named by the place of its first unit:
//
//   units   | touch | point | point | point | point | touch | point | touch | ...
//   names   | name  | name  | name  | name  |       | name  |       | name  | ...     of the touch's points, from its place on
//
// The solver never reads names, so they lie apart.
#ifndef GRAZE_WORLD_TOUCH_H
#define GRAZE_WORLD_TOUCH_H

#include "array.h"
#include "graze/records.h"

#define GRZ_TOUCH_MOST_POINTS 4

typedef struct grzTouchPoint {
    // The point of space midway between the surfaces when it was found, as seen from the centres of both bodies,
    // along the axes of the world. While the touch is recycled they stay as they are, and the normal too, although
    // the bodies turn a little: so a lean of the bodies gives the load no lever, and tall stacks stand. (With
    // anchors or normals that turn with the bodies a wall of a hundred rows of boxes buckles sidewise.) `separation`
    // follows the true motion, anchors turned with their bodies since the touch was found: found + normal .
    // ((centerB + QB anchorB) - (centerA + QA anchorA)), Q: the turn since.
    float anchorA[3];
    float anchorB[3];
    float found;              // separation when it was found; negative: depth
    float separation;         // now, at the start of the step
    float normalImpulse;      // in: of the last step's last substep, 0 where the point is new; out: of this one's
    float frictionImpulse[2]; // the same of friction: the point's share of the touch's, along grzTouch_Tangents
    float bounceImpulse; // out: normal impulses of bounces in this step, to and fro; they are not in normalImpulse
} grzTouchPoint;

typedef struct grzTouch {
    // Rows of bodies, A that of the smaller slot; either may be a row behind those of bodies, which stands for an animated surface.
    uint32_t bodyA, bodyB;
    uint32_t pointCount; // 1 to 4
    uint32_t
        memory; // the solver's own, from step to step (the colour that the touch keeps): 0 where the touch is new
    grzVec3 normal; // unit, from A to B, in the world, at the start of the step
    float friction, restitution;
    // Out, of points that were apart: 1 + the first substep of this step in which it would have gone in; 0: in none.
    uint8_t metIn[GRZ_TOUCH_MOST_POINTS];
    uint32_t pad;
    grzTouchPoint points[GRZ_TOUCH_MOST_POINTS]; // among units: pointCount of them
} grzTouch;

typedef struct grzTouchUnit {
    float words[12];
} grzTouchUnit;

// By this a point is known in the next step.
typedef struct grzTouchName {
    grzFeature featureA, featureB;
    uint32_t ordinal;
    uint32_t contact; // of pairs with meshes: which of the pair's contacts it was made of; else 0
} grzTouchName;

GRZ_STATIC_ASSERT(sizeof(grzTouchPoint) == sizeof(grzTouchUnit), "a unit");
GRZ_STATIC_ASSERT(sizeof(grzTouch) == 5 * sizeof(grzTouchUnit), "a unit and its points");

// Touches in units, and the names of their points.
typedef struct grzTouchStore {
    struct {
        GRZ_ARRAY(grzTouchUnit);
    } units;
    struct {
        GRZ_ARRAY(grzTouchName);
    } names;
} grzTouchStore;

static inline bool grzTouchStore_Reserve(grzTouchStore* store, const grzAllocator* allocator, size_t units) {
    return grzArray_Reserve(&store->units, allocator, units) && grzArray_Reserve(&store->names, allocator, units);
}

static inline void grzTouchStore_Release(grzTouchStore* store, const grzAllocator* allocator) {
    grzArray_Release(&store->units, allocator);
    grzArray_Release(&store->names, allocator);
}

static inline uint32_t grzTouch_UnitCount(const grzTouch* touch) {
    return 1 + touch->pointCount;
}

static inline grzTouch* grzTouch_At(grzTouchUnit* units, uint32_t place) {
    return (grzTouch*)(void*)(units + place);
}
static inline const grzTouch* grzTouch_Read(const grzTouchUnit* units, uint32_t place) {
    return (const grzTouch*)(const void*)(units + place);
}

// The two directions of friction: at right angles to the normal and to each other, and a function of its bits alone,
// so that friction impulses keep their meaning while the normal stays.
static inline void grzTouch_Tangents(grzVec3 normal, grzVec3 tangents[2]) {
    tangents[0] = grzPerpendicular(normal);
    tangents[1] = grzCross(normal, tangents[0]);
}

#endif
