// What: from the boxes of bodies to the pairs that may meet, each once, in the order of slots.
// Promise: every two bodies whose boxes have a point in common and that may meet (category, mask, group; not both static) are a
//   row, and no others.
// Idea: the tree of what can move takes all boxes at once and lists all pairs sorted; pairs with static bodies are merged in
//   (world_near.c). A table keeps pairs from step to step, with a row of data for each (pair_rows.c).
#include <stdatomic.h>
#include <string.h>

#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"
#include "world_near.h"

static uint32_t groupOf(const grzWorld* world, uint32_t slot) {
    return world->traits.data[grzWorld_RowOf(world, slot)].group;
}

static bool mayMeet(void* context, uint32_t slotA, uint32_t slotB) {
    const uint32_t group = groupOf(context, slotA);
    return group == 0 || group != groupOf(context, slotB);
}

// Back to the boxes that the tree has: those that it cannot take are nobody's.
static void forgetSweeps(grzWorld* world) {
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row) {
        const grzBodyTraits* traits = &world->traits.data[row];
        grzTreeObject object;
        if (grzBodyTraits_Body(traits) != grz_staticBody &&
            grzTree_Get(world->tree, grzWorld_Record(world, traits->slot)->treeId, &object))
            world->sweeps.data[row] = object.box;
    }
}

// The box of a body in range that has no velocity is smaller: its corners are within 1e15, it turns by twice that, and
// half of a margin is around it. So a larger box is one of a body that leaves the range. No later stage sees such
// numbers.
static bool isInReach(grzBox box) {
    static const float most = 4.0f * GRZ_WORLD_RANGE;
    return grzBox_Contains(grzBox_Make(grzVec3_Splat(-most), grzVec3_Splat(most)), box); // false for a NaN
}

// All such bodies at once.
static grzResult stopFar(grzWorld* world) {
    grzResult result = grzOk();
    for (uint32_t row = 0; row < grzWorld_RowCount(world) && result.status != grz_outOfMemory; ++row)
        if (!isInReach(world->sweeps.data[row]))
            result = grzWorld_Stop(world, world->traits.data[row].slot, grz_stopTooFar);
    forgetSweeps(world);
    return result;
}

typedef struct Telling {
    grzWorld* world;
    _Atomic bool isFar; // a box
} Telling;

static void tellBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Telling* telling = context;
    const grzWorld* world = telling->world;
    bool areInReach = true;
    (void)worker;
    for (uint32_t row = begin; row < end; ++row) {
        const grzBodyTraits* traits = &world->traits.data[row];
        if (grzBodyTraits_Body(traits) == grz_staticBody)
            continue;
        const grzBox box = world->sweeps.data[row];
        areInReach = areInReach && isInReach(box);
        world->treeBoxes.data[traits->treeIndex] = box;
    }
    if (!areInReach)
        atomic_store_explicit(&telling->isFar, true, memory_order_relaxed); // read after the loop has ended
}

grzResult grzWorld_UpdateTree(grzWorld* world) {
    const size_t count = grzTree_IndexCount(world->tree);
    Telling telling = {.world = world};
    grzParallelForNear(world->def.tasks, grzWorld_RowCount(world), 512, tellBlock, &telling);
    if (atomic_load(&telling.isFar))
        return stopFar(world);
    return grzTree_UpdateAll(world->tree, world->def.tasks, world->treeBoxes.data, count);
}

static grzResult findPairs(grzWorld* world) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = world->tree;
    query.order = grz_pairsSorted;
    if (world->groupCount > 1) {
        query.filter = mayMeet;
        query.filterContext = world;
    }
    const grzResult result = grzTreePairs_Find(world->finder, world->def.tasks, &query);
    const grzTreePairsView moving = grzTreePairs_GetView(world->finder);
    return grzResult_IsOk(result) ? grzWorld_FindNear(world, moving.pairs, moving.count) : result;
}

grzResult grzWorld_JoinPairs(grzWorld* world, const grzBodyPair* pairs, size_t count) {
    const uint32_t blocks = grzStepPairs_BlockCount((uint32_t)count);
    if (!grzArray_Reserve(&world->rowBlocks, &world->allocator, blocks))
        return grzNoMemory(blocks, sizeof(grzPairBlock));
    grzBroadInput input = grzDefaultBroadInput();
    input.pairs = pairs;
    input.pairCount = count;
    input.rows1 = world->rows1.data;
    input.generations = world->traits.data != NULL ? &world->traits.data->generation : NULL;
    input.generationStride = sizeof *world->traits.data;
    input.tasks = world->def.tasks;
    grzStepPairs step = grzWorld_Pairs(world);
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageBroad, "join pairs", 0);
    const grzResult result = grzPairRows_Update(&world->pairs, &input, &world->allocator, &step);
    GRZ_ZONE_END(zone);
    if (!grzResult_IsOk(result))
        return result;
    world->rowBlocks.count = blocks;
    world->now = step.now;
    return result;
}

grzResult grzWorld_Broad(grzWorld* world) {
    grzResult result = grzWorld_UpdateTree(world);
    if (grzResult_IsOk(result))
        result = findPairs(world);
    return grzResult_IsOk(result) ? grzWorld_JoinPairs(world, world->near->pairs.data, world->near->pairs.count)
                                  : result;
}
