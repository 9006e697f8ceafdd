// What: where each body may come in the step, as a box: rigid ones by graze/stage/step.h, cloth and animated meshes by themselves.
// Promise: whatever is nearer to a body than half its margin at any time of the step, were there nothing to hit, lies
//   in its box or touches it. So two bodies that come nearer than the smaller margin have boxes that overlap.
// Threads: a body an item.
#include "check.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "world_guard.h"
#include "world_inside.h"

static void planRigid(grzWorld* world) {
    grzPlanInput input = grzDefaultPlanInput();
    input.count = grzWorld_RowCount(world);
    if (input.count == 0)
        return;
    input.states = world->states.data;
    input.masses = world->masses.data;
    input.boxes = world->boxes.data;
    input.radii = &world->traits.data[0].shape.radius;
    input.radiusStride = sizeof *world->traits.data;
    if (world->hasForces) {
        input.forces = &world->pushes.data[0].force;
        input.torques = &world->pushes.data[0].torque;
        input.pushStride = sizeof *world->pushes.data;
    }
    input.isHeld = world->isCollideOnly;
    input.timeStep = world->timeStep;
    input.margin = world->def.margin, input.marginShare = world->def.marginShare;
    input.gravity = world->def.gravity;
    input.tasks = world->def.tasks;
    input.profile = world->def.profile;
    const grzPlanOutput output = {world->motions.data, world->sweeps.data, world->startStates.data};
    const grzResult result = grzStep_Plan(&input, &output);
    GRZ_ASSERT(grzResult_IsOk(result));
    (void)result;
}

static grzBox sweepOf(const grzWorld* world, const grzCollider* collider) {
    if (collider->kind == grz_animatedCollider)
        return grzBox_Expand(grzAnimatedBody_Box(collider->animated, world->time + (double)world->timeStep),
                             0.5f * world->def.margin);
    grzClothBody_Age(collider->cloth);
    grzClothBody_Predict(collider->cloth, grzWorld_ClothTime(world), world->def.gravity);
    return grzClothBody_SweptBox(collider->cloth, world->def.margin);
}

// Cloth first, then animated meshes.
static void planDeforming(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    const uint32_t cloths = (uint32_t)world->clothSlots.count;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stagePlan, "plan deforming", worker);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t slot = i < cloths ? world->clothSlots.data[i] : world->animatedSlots.data[i - cloths];
        const uint32_t row = grzWorld_RowOf(world, slot);
        world->sweeps.data[row] = sweepOf(world, &world->colliders.data[row]);
    }
    GRZ_ZONE_END(zone);
}

void grzWorld_Plan(grzWorld* world) {
    world->guard->stops.count = 0;
    const size_t deforming = world->clothSlots.count + world->animatedSlots.count;
    planRigid(world);
    grzParallelForNear(world->def.tasks, (uint32_t)deforming, 1, planDeforming, world);
}
