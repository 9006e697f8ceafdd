// A touch: where two rigid bodies meet, as the solver takes it: one normal, and up to four points that last from
// step to step with the impulses that they carried. The narrow stage writes touches, the solver reads them and
// leaves its impulses in them, and the next step's narrow stage carries those over to points of the same name.
//
// A pair of bodies has any number of touches (a box in a corner of a mesh has three). Touches stand in the order of
// (bodyA, bodyB, ordinal), which no two share, and depend on nothing but the scene.
#ifndef GRAZE_WORLD_TOUCH_H
#define GRAZE_WORLD_TOUCH_H

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
    float frictionImpulse[2]; // likewise, its share of the touch's, along the two directions of grzTouch_Tangents
    float bounceImpulse; // out: normal impulses of bounces in this step, to and fro; they are not in normalImpulse
    grzFeature featureA, featureB;
    uint32_t ordinal;
    uint32_t pad;
} grzTouchPoint;

typedef struct grzTouch {
    // Slots, bodyA < bodyB; but either may be a row behind the slots, which stands for an animated surface.
    uint32_t bodyA, bodyB;
    uint32_t ordinal;    // among the touches of the two bodies
    uint32_t pointCount; // 1 to 4
    grzVec3 normal;      // unit, from A to B, in the world, at the start of the step
    float friction, restitution;
    uint32_t triangleA, triangleB; // GRZ_NO_TRIANGLE where the shape has none
    // For the solver's own use from step to step (the colour that the touch keeps, say): 0 where the touch is new.
    uint32_t memory;
    uint32_t isRecycled; // 1: normal, anchors and names are those of the last step; only separations are new
    uint32_t certainty;  // a grzCertainty, as contacts have it
    float measure;
    grzTouchPoint points[GRZ_TOUCH_MOST_POINTS]; // those from pointCount on are zeros
} grzTouch;

GRZ_STATIC_ASSERT(sizeof(grzTouchPoint) == 64, "sixteen words");
GRZ_STATIC_ASSERT(sizeof(grzTouch) == 320, "five lines and no hidden padding");

// The two directions of friction: at right angles to the normal and to each other, and a function of its bits alone,
// so that friction impulses keep their meaning while the normal stays.
static inline void grzTouch_Tangents(grzVec3 normal, grzVec3 tangents[2]) {
    tangents[0] = grzPerpendicular(normal);
    tangents[1] = grzCross(normal, tangents[0]);
}

#endif
