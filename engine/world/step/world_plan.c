// What: where each body may come in the step, as a box.
// Promise: whatever is nearer to a body than half the margin at any time of the step, were there nothing to hit, lies in its box
//   or touches it. So two bodies that come nearer than the margin have boxes that meet.
// Idea: the box of now, moved by the velocities at both ends of the step, with what the host pushes by and gravity's share, and grown on
//   all sides by how far the shape turns outward: no point of it moves farther by a turn than spin times time times its distance
//   from the centre, or than twice that distance. What gyroscopic terms add to a spin within the step is not in it.
//   On the way each body's state is noted as that of the step's start.
// Threads: a row an item.
#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"

enum { planGrain = 128 };

// Velocities change at a constant rate, so that all between those of the two ends are between them.
static void planMotion(const grzWorld* world, uint32_t row, grzMotion* motion) {
    const grzBodyMass* mass = &world->masses.data[row];
    const grzBodyState* state = &world->states.data[row];
    const grzBody* body = &world->bodies.data[row];
    *motion = (grzMotion){grzVec3_Zero(), grzVec3_Zero(), 0.0f, {0}};
    if (world->isCollideOnly || (mass->flags & grz_bodyMoves) == 0)
        return;
    grzVec3 spin = state->spin;
    motion->from = motion->to = state->velocity;
    if ((mass->flags & grz_bodyYields) != 0) { // forces act at once, gravity all along
        const float time = world->timeStep;
        motion->from = grzAddScaled(state->velocity, time * mass->inverseMass, body->force);
        motion->to = grzAddScaled(motion->from, time * mass->gravityScale, world->def.gravity);
        spin = grzAddScaled(spin, time, grzBodyMass_Turn(mass, state->rotation, body->torque));
    }
    motion->turning = grzLength(spin) * world->traits.data[row].radius;
}

static grzBox sweepRigid(const grzWorld* world, uint32_t row) {
    const grzMotion* motion = &world->motions.data[row];
    const grzBox box = grzBox_Expand(world->boxes.data[row], 0.5f * world->def.margin);
    if ((world->masses.data[row].flags & grz_bodyMoves) == 0)
        return box;
    const float time = world->timeStep, most = 2.0f * world->traits.data[row].radius, turn = motion->turning * time;
    const grzBox swept = grzBox_Union(grzBox_Sweep(box, grzScale(motion->from, time)),
                                      grzBox_Sweep(box, grzScale(motion->to, time)));
    return grzBox_Expand(swept, turn < most ? turn : most);
}

static grzBox sweepOf(const grzWorld* world, uint32_t row) {
    const grzCollider* collider = &world->colliders.data[row];
    switch ((grzColliderKind)world->traits.data[row].kind) {
    case grz_convexCollider:
    case grz_meshCollider:
        return sweepRigid(world, row);
    case grz_animatedCollider:
        return grzBox_Expand(grzAnimatedBody_Box(collider->animated, world->time + (double)world->timeStep),
                             0.5f * world->def.margin);
    case grz_clothCollider:
        grzClothBody_Predict(collider->cloth, grzWorld_ClothTime(world), world->def.gravity);
        return grzClothBody_SweptBox(collider->cloth, world->def.margin);
    case grz_noCollider: // none has a row
    default:
        return grzBox_Make(grzVec3_Zero(), grzVec3_Zero());
    }
}

static void planBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stagePlan, "plan boxes", worker);
    for (uint32_t row = begin; row < end; ++row) {
        world->startStates.data[row] = world->states.data[row];
        planMotion(world, row, &world->motions.data[row]);
        world->sweeps.data[row] = sweepOf(world, row);
    }
    GRZ_ZONE_END(zone);
}

void grzWorld_Plan(grzWorld* world) {
    grzParallelForNear(world->def.tasks, grzWorld_RowCount(world), planGrain, planBlock, world);
}
