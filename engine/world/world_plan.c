// What: where each body may come in the step, as a box.
// Promise: whatever is nearer to a body than half the margin at any time of the step, were there nothing to hit, lies in its box
//   or touches it. So two bodies that come nearer than the margin have boxes that meet.
// Idea: the box of now, moved by the velocity and by gravity's share, and grown on all sides by how far the shape turns outward: no
//   point of it moves farther by a turn than spin times time times its distance from the centre, or than twice that distance.
//   On the way each body's state is noted as that of the step's start.
// Threads: a slot an item.
#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"

enum { planGrain = 128 };

static grzBox sweepRigid(const grzWorld* world, uint32_t slot) {
    const grzBodyMass* mass = &world->masses.data[slot];
    const grzBodyState* state = &world->states.data[slot];
    const grzBox box = grzBox_Expand(world->boxes.data[slot], 0.5f * world->def.margin);
    if ((mass->flags & grz_bodyMoves) == 0)
        return box;
    const float time = world->isCollideOnly ? 0.0f : world->timeStep;
    const bool falls = (mass->flags & grz_bodyYields) != 0;
    const grzVec3 gravity = grzScale(world->def.gravity, falls ? mass->gravityScale : 0.0f);
    const grzVec3 motion = grzScale(grzAddScaled(state->velocity, time, gravity), time);
    const float radius = world->traits.data[slot].radius;
    const float turn = grzLength(state->spin) * time;
    return grzBox_Expand(grzBox_Sweep(box, motion), radius * (turn < 2.0f ? turn : 2.0f));
}

static grzBox sweepOf(const grzWorld* world, uint32_t slot) {
    const grzCollider* collider = &world->colliders.data[slot];
    switch ((grzColliderKind)world->traits.data[slot].kind) {
    case grz_convexCollider:
    case grz_meshCollider:
        return sweepRigid(world, slot);
    case grz_animatedCollider:
        return grzBox_Expand(grzAnimatedBody_Box(collider->animated, world->time + (double)world->timeStep),
                             0.5f * world->def.margin);
    case grz_clothCollider:
        return grzClothBody_Box(collider->cloth, world->isCollideOnly ? 0.0f : world->timeStep, world->def.gravity,
                                world->def.margin);
    case grz_noCollider:
    default:
        return grzBox_Make(grzVec3_Zero(), grzVec3_Zero());
    }
}

static void planBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stagePlan, "plan boxes", worker);
    for (uint32_t slot = begin; slot < end; ++slot) {
        world->startStates.data[slot] = world->states.data[slot];
        world->sweeps.data[slot] = sweepOf(world, slot);
    }
    GRZ_ZONE_END(zone);
}

void grzWorld_Plan(grzWorld* world) {
    grzParallelForNear(world->def.tasks, grzWorld_Slots(world), planGrain, planBlock, world);
}
