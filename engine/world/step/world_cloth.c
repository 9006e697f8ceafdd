// What: where each cloth touches what is near it, in the narrow stage; and which of its pairs touch, before the substeps and after them.
// Promise: contacts of a pair are those that its cloth keeps, in the order of keys; a pair's row knows which (span).
// Idea: the rows of a step are walked once, and each is put among the obstacles of its cloth, in the order of rows. A block of rows
//   without cloth is not looked at.
// Threads: cloths one after the other, each on all workers.
#include <string.h>

#include "near_loop.h"
#include "world_inside.h"

static bool isCloth(const grzWorld* world, uint32_t row) {
    return world->traits.data[row].shape.kind == grz_clothCollider;
}

// Which of the cloths the row's is, among clothSlots.
static uint32_t clothOf(const grzWorld* world, const grzPairRow* row) {
    const uint32_t slot = (isCloth(world, row->a) ? row->idA : row->idB).index1 - 1;
    uint32_t low = 0, high = (uint32_t)world->clothSlots.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (world->clothSlots.data[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static grzClothBody* clothAt(const grzWorld* world, uint32_t index) {
    return world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[index])].cloth;
}

static uint32_t firstObstacle(const grzWorld* world, uint32_t cloth) {
    return cloth == 0 ? 0 : world->obstacleEnds.data[cloth - 1];
}

// What is done with each pair of a cloth, in the order of rows.
typedef void ClothRowFn(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found);

static void forClothRows(grzWorld* world, ClothRowFn* fn) {
    for (size_t b = 0; b < world->rowBlocks.count; ++b) {
        uint32_t left = world->rowBlocks.data[b].cloths;
        for (size_t i = b * GRZ_PAIR_BLOCK; left != 0; ++i) {
            grzPairRow* row = grzWorld_PairAt(world, i);
            if (row->way == grz_pairCloth) {
                fn(world, &world->rowBlocks.data[b], row, &row->found[world->now]);
                --left;
            }
        }
    }
}

static void countObstacle(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    (void)block;
    found->span = world->obstacleEnds.data[clothOf(world, row)]++;
}

static void placeObstacle(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    const uint32_t cloth = clothOf(world, row), other = isCloth(world, row->a) ? row->b : row->a;
    (void)block;
    found->span += firstObstacle(world, cloth);
    world->obstacles.data[found->span] = (grzClothObstacle){
        other, &world->colliders.data[other], &world->states.data[other], world->traits.data[other].shape.radius};
}

static grzResult gatherObstacles(grzWorld* world) {
    const size_t cloths = world->clothSlots.count;
    uint32_t count = 0;
    if (!grzArray_Reserve(&world->obstacleEnds, &world->allocator, cloths))
        return grzNoMemory(cloths, sizeof(uint32_t));
    memset(world->obstacleEnds.data, 0, cloths * sizeof(uint32_t));
    forClothRows(world, countObstacle);
    for (size_t i = 0; i < cloths; ++i) {
        count += world->obstacleEnds.data[i];
        world->obstacleEnds.data[i] = count;
    }
    if (!grzArray_Reserve(&world->obstacles, &world->allocator, count) ||
        !grzArray_Reserve(&world->clothSpans, &world->allocator, count))
        return grzNoMemory(count, sizeof(grzClothObstacle));
    forClothRows(world, placeObstacle);
    return grzOk();
}

static grzResult collideOne(grzWorld* world, uint32_t index) {
    const uint32_t begin = firstObstacle(world, index);
    grzClothBody* cloth = clothAt(world, index);
    grzClothStep step;
    memset(&step, 0, sizeof step);
    step.id = world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[index])].id;
    step.timeStep = grzWorld_ClothTime(world);
    step.substepCount = world->def.substepCount;
    step.gravity = world->def.gravity;
    step.margin = world->def.margin;
    step.pushSpeed = world->def.pushSpeed;
    step.obstacleCount = world->obstacleEnds.data[index] - begin;
    step.obstacles = step.obstacleCount != 0 ? world->obstacles.data + begin : NULL;
    step.masses = world->masses.data;
    step.tasks = world->def.tasks;
    step.profile = world->def.profile;
    const grzResult result = grzClothBody_Collide(cloth, &step);
    for (uint32_t i = 0; i < step.obstacleCount && grzResult_IsOk(result); ++i)
        world->clothSpans.data[begin + i] = grzClothBody_ContactsOf(cloth, i);
    return result;
}

float grzWorld_ClothTime(const grzWorld* world) {
    return world->isCollideOnly ? 0.0f : world->timeStep;
}

static void countContacts(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    const grzContactSpan* contacts = &world->clothSpans.data[found->span];
    (void)row;
    for (uint32_t k = 0; k < contacts->count; ++k)
        found->isTouching |= grzContactSpan_At(contacts, k)->separation <= 0.0f;
    found->contactCount = contacts->count;
    block->contacts += contacts->count;
    block->touching += found->isTouching;
}

grzResult grzWorld_CollideCloth(grzWorld* world) {
    if (world->clothSlots.count == 0)
        return grzOk();
    grzResult result = gatherObstacles(world);
    for (uint32_t i = 0; i < world->clothSlots.count && grzResult_IsOk(result); ++i)
        result = collideOne(world, i);
    if (grzResult_IsOk(result))
        forClothRows(world, countContacts);
    return result;
}

static void meetContacts(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    (void)row;
    if (found->isTouching)
        return;
    const grzContactSpan* contacts = &world->clothSpans.data[found->span];
    for (uint32_t k = 0; k < contacts->count; ++k)
        found->isTouching |= grzContactSpan_At(contacts, k)->toi < 1.0f;
    block->touching += found->isTouching;
    world->tables[world->now].touchingCount += found->isTouching;
}

void grzWorld_MeetCloth(grzWorld* world) {
    if (!world->isCollideOnly)
        forClothRows(world, meetContacts);
}
