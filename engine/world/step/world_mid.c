// What: the mid stage: how contacts are found in each pair (graze/stage/step.h); animated meshes brought up to date; where meshes
//   are met.
// Idea: animated meshes go on to the end of the step (graze/upkeep.h).
#include "check.h"
#include "world_inside.h"

static void chooseWays(const grzWorld* world) {
    grzMidInput input = grzDefaultMidInput();
    input.pairs = grzWorld_Pairs(world);
    input.states = world->states.data;
    input.motions = world->motions.data;
    input.traits = grzWorld_ShapeTraits(world);
    input.traitStride = sizeof *world->traits.data;
    input.timeStep = world->timeStep;
    input.margin = world->def.margin;
    input.tasks = world->def.tasks;
    input.profile = world->def.profile;
    const grzResult result = grzStep_Mid(&input);
    GRZ_ASSERT(grzResult_IsOk(result));
    (void)result;
}

// A mesh that a refused step has left ahead of the world waits there.
static grzResult advanceAnimated(grzWorld* world) {
    const double end = world->time + (double)world->timeStep;
    grzResult result = grzOk();
    for (size_t i = 0; i < world->animatedSlots.count && grzResult_IsOk(result); ++i) {
        grzAnimatedBody* animated =
            world->colliders.data[grzWorld_RowOf(world, world->animatedSlots.data[i])].animated;
        const double at = grzAnimatedBody_Time(animated);
        if (at <= world->time || at < end)
            result = grzAnimatedBody_Advance(animated, world->def.tasks, end);
    }
    return result;
}

grzResult grzWorld_Mid(grzWorld* world) {
    if (grzWorld_PairCount(world) != 0)
        chooseWays(world);
    grzResult result = advanceAnimated(world);
    uint32_t meshes = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        meshes += world->rowBlocks.data[i].meshes;
    return grzResult_IsOk(result) ? grzWorld_FindMeshCandidates(world, meshes != 0) : result;
}
