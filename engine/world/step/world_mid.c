// What: the mid stage: how contacts are found in each pair (graze/stage/step.h); animated meshes brought up to date; where meshes
//   are met.
// Idea: animated meshes go on to the end of the step (graze/upkeep.h), each in a task of its own.
#include "check.h"
#include "first_refused.h"
#include "world_inside.h"

static void chooseWays(const grzWorld* world) {
    grzMidInput input = grzDefaultMidInput();
    input.pairs = grzWorld_Pairs(world);
    input.states = world->states.data;
    input.motions = world->motions.data;
    input.traits = grzWorld_ShapeTraits(world);
    input.traitStride = sizeof *world->traits.data;
    input.shapes = world->colliders.data != NULL ? &world->colliders.data->shape : NULL;
    input.shapeStride = sizeof *world->colliders.data;
    input.timeStep = world->timeStep;
    input.margin = world->def.margin, input.marginShare = world->def.marginShare;
    input.tasks = world->def.tasks;
    input.profile = world->def.profile;
    const grzResult result = grzStep_Mid(&input);
    GRZ_ASSERT(grzResult_IsOk(result));
    (void)result;
}

static grzAnimatedBody* animatedAt(const grzWorld* world, uint32_t index) {
    return world->colliders.data[grzWorld_RowOf(world, world->animatedSlots.data[index])].animated;
}

// A mesh that a refused step has left ahead of the world waits there.
static uint32_t advanceSome(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzWorld* world = context;
    const double time = world->time + (double)world->timeStep;
    uint32_t refused = end;
    (void)worker;
    for (uint32_t i = end; i-- > begin;) {
        grzAnimatedBody* animated = animatedAt(world, i);
        const double at = grzAnimatedBody_Time(animated);
        if ((at <= world->time || at < time) &&
            !grzResult_IsOk(grzAnimatedBody_Advance(animated, world->def.tasks, time)))
            refused = i;
    }
    return refused;
}

// Side by side, and each on all workers where it is large.
static grzResult advanceAnimated(grzWorld* world) {
    const uint32_t count = (uint32_t)world->animatedSlots.count;
    const uint32_t refused = grzParallelTry(world->def.tasks, count, 1, advanceSome, world);
    if (refused == count)
        return grzOk();
    const grzResult result = grzAnimatedBody_LastResult(animatedAt(world, refused));
    return result.status == grz_notFinite ? grzWorld_Stop(world, world->animatedSlots.data[refused], grz_stopTooFar)
                                          : result;
}

grzResult grzWorld_Mid(grzWorld* world) {
    if (grzWorld_PairCount(world) != 0)
        chooseWays(world);
    grzResult result = advanceAnimated(world);
    uint32_t meshes = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        meshes += world->rowBlocks.data[i].meshes;
    if (grzResult_IsOk(result))
        result = grzWorld_FindMeshCandidates(world, meshes != 0);
    return grzResult_IsOk(result) ? grzWorld_FindClothCandidates(world) : result;
}
