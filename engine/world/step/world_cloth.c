// What: where each cloth touches what is near it, in the narrow stage; and which of its pairs touch, before the substeps and after them.
// Promise: contacts of a pair are those that its cloth keeps, in the order of keys; a pair's row knows which (span).
// Idea: the rows of a step are walked once, and each is put among the obstacles of its cloth, in the order of rows. A block of rows
//   without cloth is not looked at.
// Threads: cloths one after the other, each on all workers.
#include <string.h>

#include "near_loop.h"
#include "world_inside.h"
#include "world_narrow.h"

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

// ---------------------------------------------------------------------------------------------------------------------- mid

static bool isAsked(const grzWorld* world, const grzPairRow* row) {
    return grzAnimatedPairs_Fits(&world->colliders.data[row->a], &world->colliders.data[row->b]);
}

static void countAsk(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    (void)block, (void)found;
    world->narrow->clothAsk += isAsked(world, row);
}

static float farthestOf(grzBox box) {
    return grzMaxElement(grzMax(grzAbs(box.lower), grzAbs(box.upper)));
}

// A place that counts is within MostReach of where its point would be if it went with the mesh, at the mesh's end.
static void placeAsk(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    (void)block, (void)found;
    if (!isAsked(world, row))
        return;
    const bool isA = isCloth(world, row->a);
    grzClothBody* cloth = world->colliders.data[isA ? row->a : row->b].cloth;
    const grzAnimatedBody* animated = world->colliders.data[isA ? row->b : row->a].animated;
    const grzClothTree tree = grzClothBody_GetTree(cloth, world->def.tasks);
    const float reach =
        grzClothBody_MostReach(cloth, world->def.margin) + 2.0f * grzAnimatedBody_MostMotion(animated);
    const float rounding = 0x1p-19f * (reach + farthestOf(world->sweeps.data[row->a]));
    world->narrow->clothAsks.data[world->narrow->clothAsk++] = (grzAnimatedAsk){
        .rowA = row->a, .rowB = row->b, .margin = reach + rounding, .bvh = tree.bvh, .nodes = tree.nodes};
}

grzResult grzWorld_FindClothCandidates(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    narrow->clothAsk = 0;
    forClothRows(world, countAsk);
    const uint32_t count = narrow->clothAsk;
    if (!grzArray_Reserve(&narrow->clothAsks, &world->allocator, count))
        return grzNoMemory(count, sizeof(grzAnimatedAsk));
    narrow->clothAsk = 0;
    forClothRows(world, placeAsk);
    const grzAnimatedPairsStep step = {.colliders = world->colliders.data,
                                       .asks = narrow->clothAsks.data,
                                       .askCount = count,
                                       .tasks = world->def.tasks,
                                       .profile = world->def.profile};
    const grzResult result = grzAnimatedPairs_Find(narrow->clothPairs, &step);
    if (result.part != grz_partElement)
        return result;
    const grzAnimatedAsk* ask = &narrow->clothAsks.data[result.index];
    return grzWorld_StopFarther(world, ask->rowA, ask->rowB);
}

// -------------------------------------------------------------------------------------------------------------------- narrow

static void countObstacle(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    (void)block;
    found->span = world->obstacleEnds.data[clothOf(world, row)]++;
}

static void placeObstacle(grzWorld* world, grzPairBlock* block, const grzPairRow* row, grzPairFound* found) {
    const uint32_t cloth = clothOf(world, row), other = isCloth(world, row->a) ? row->b : row->a;
    (void)block;
    found->span += firstObstacle(world, cloth);
    grzClothObstacle* obstacle = &world->obstacles.data[found->span];
    *obstacle = (grzClothObstacle){.row = other,
                                   .collider = &world->colliders.data[other],
                                   .state = &world->states.data[other],
                                   .radius = world->traits.data[other].shape.radius};
    if (isAsked(world, row))
        obstacle->near = grzAnimatedPairs_GetLeaves(world->narrow->clothPairs, world->narrow->clothAsk++);
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
    world->narrow->clothAsk = 0;
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
    const grzPairFound* last = grzWorld_LastFound(world, row);
    const float most = last != NULL && last->isTouching ? 0.25f * world->def.margin : 0.0f; // as in grzNarrowInput
    for (uint32_t k = 0; k < contacts->count; ++k)
        found->isTouching |= grzContactSpan_At(contacts, k)->separation <= most;
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
    const grzContactSpan* contacts = &world->clothSpans.data[found->span];
    for (uint32_t k = 0; k < contacts->count; ++k)
        found->isPushed |= grzContactSpan_Impulse(contacts, k) > 0.0f;
    block->touching += found->isPushed && !found->isTouching;
    found->isTouching |= found->isPushed;
}

void grzWorld_MeetCloth(grzWorld* world) {
    forClothRows(world, meetContacts);
}
