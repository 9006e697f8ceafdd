// What a body is to the stages that find contacts: its shape and its place. One a row.
#ifndef GRAZE_WORLD_COLLIDER_H
#define GRAZE_WORLD_COLLIDER_H

#include "graze/body.h"
#include "graze/convex_pairs.h"
#include "graze/stage/step.h"

typedef struct grzClothBody grzClothBody;
typedef struct grzAnimatedBody grzAnimatedBody;

typedef struct grzCollider {
    grzColliderKind kind;
    grzBodyKind body;
    grzBodyId id;
    union {
        struct {
            grzConvex shape;   // of convex ones
            grzTransform pose; // from the shape's frame to the world, at the start of the step
        };
        grzPosedConvex
            posed; // both, of convex ones, as batches of pairs take them; of now where the world's `moved` is 0
    };
    union {
        const grzMeshShape* mesh;  // of mesh ones; NULL: convex
        grzAnimatedBody* animated; // the body's own
        grzClothBody* cloth;       // the body's own
    };
    float friction, restitution;
    uint64_t category, mask;
    uint32_t group;
    bool isTwoSided; // of meshes
} grzCollider;

GRZ_STATIC_ASSERT(offsetof(grzCollider, shape) == offsetof(grzCollider, posed.shape) &&
                      offsetof(grzCollider, pose) == offsetof(grzCollider, posed.pose),
                  "a posed shape begins with its shape and pose");

#endif
