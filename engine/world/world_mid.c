// What: what is to be looked for in each pair; meshes and cloth brought up to date; where they are met.
// Promise: kept contacts are those of pairs whose surfaces have moved against each other by no more than the stillness below since
//   they were found.
// Idea: a pair goes the cheapest way that its bodies allow. Animated meshes go on to the end of the step (graze/upkeep.h), cloth looks
//   for what it meets.
#include <string.h>

#include "world_inside.h"

enum { rowGrain = 256 };

// How far, in margins, surfaces may have moved against each other since their contacts were found, to be kept.
static const float stillness = 0.05f;

static float turnedSq(grzQuat a, grzQuat b) {
    // Twice the difference is the angle's sine; q and -q are one rotation, but a body's rotation does not change its sign.
    const grzQuat d = grzQuat_AddScaled(a, -1.0f, b);
    return 4.0f * grzQuat_Dot(d, d);
}

static bool isStill(const grzWorld* world, const grzPairRow* row, const grzPairRow* last) {
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    const float reach = stillness * world->def.margin;
    const float reachSq = reach * reach;
    if (!(grzLengthSq(grzSub(grzSub(b->center, a->center), last->shift)) <= reachSq))
        return false;
    const float radiusA = world->bodies.data[row->a].radius, radiusB = world->bodies.data[row->b].radius;
    return turnedSq(a->rotation, last->rotationA) * radiusA * radiusA <= reachSq &&
           turnedSq(b->rotation, last->rotationB) * radiusB * radiusB <= reachSq;
}

// No two points of the two bodies come nearer to each other by more than this in the step.
float grzWorld_Approach(const grzWorld* world, const grzPairRow* row) {
    if (world->isCollideOnly)
        return 0.0f;
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    const float turning = grzLength(a->spin) * world->bodies.data[row->a].radius +
                          grzLength(b->spin) * world->bodies.data[row->b].radius;
    return (grzLength(grzSub(a->velocity, b->velocity)) + turning) * world->timeStep;
}

static grzPairWay wayOf(const grzWorld* world, const grzPairRow* row) {
    const grzColliderKind a = world->colliders.data[row->a].kind, b = world->colliders.data[row->b].kind;
    if (a == grz_clothCollider || b == grz_clothCollider)
        return a == b ? grz_pairNothing : grz_pairCloth;
    if (a == grz_animatedCollider || b == grz_animatedCollider)
        return grz_pairMesh;
    const grzPairTable* last = &world->tables[1 - world->now];
    if (row->last1 != 0 && isStill(world, row, &last->rows.data[row->last1 - 1]))
        return grz_pairRecycled;
    if (a == grz_meshCollider || b == grz_meshCollider)
        return grz_pairMesh;
    return grzWorld_Approach(world, row) > world->def.margin ? grz_pairFast : grz_pairConvex;
}

static bool yields(const grzWorld* world, uint32_t slot) {
    return (world->masses.data[slot].flags & grz_bodyYields) != 0;
}

static void chooseBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = &world->tables[world->now].rows.data[i];
        row->way = (uint8_t)wayOf(world, row);
        row->isYielding = yields(world, row->a) || yields(world, row->b);
    }
}


// -------------------------------------------------------------------------------------------------------- meshes

// A mesh that a refused step has left ahead of the world waits there.
static grzResult advanceAnimated(grzWorld* world) {
    const double end = world->time + (double)world->timeStep;
    grzResult result = grzOk();
    for (size_t i = 0; i < world->animatedSlots.count && grzResult_IsOk(result); ++i) {
        grzAnimatedBody* animated = world->colliders.data[world->animatedSlots.data[i]].animated;
        const double at = grzAnimatedBody_Time(animated);
        if (at <= world->time || at < end)
            result = grzAnimatedBody_Advance(animated, world->def.tasks, end);
    }
    return result;
}

// --------------------------------------------------------------------------------------------------------- cloth

static grzResult gatherObstacles(grzWorld* world, uint32_t slot) {
    const grzPairTable* table = &world->tables[world->now];
    world->obstacles.count = 0;
    for (size_t i = 0; i < table->rows.count; ++i) {
        const grzPairRow* row = &table->rows.data[i];
        if (row->way != grz_pairCloth || (row->a != slot && row->b != slot))
            continue;
        if (!grzArray_Reserve(&world->obstacles, &world->allocator, world->obstacles.count + 1))
            return grzNoMemory(world->obstacles.count + 1, sizeof(grzClothObstacle));
        const uint32_t other = row->a == slot ? row->b : row->a;
        world->obstacles.data[world->obstacles.count++] = (grzClothObstacle){other, &world->colliders.data[other]};
    }
    return grzOk();
}

static grzResult collideCloth(grzWorld* world, uint32_t slot) {
    grzResult result = gatherObstacles(world, slot);
    if (!grzResult_IsOk(result))
        return result;
    grzClothStep step;
    memset(&step, 0, sizeof step);
    step.slot = slot;
    step.timeStep = world->timeStep;
    step.substepCount = world->def.substepCount;
    step.gravity = world->def.gravity;
    step.margin = world->def.margin;
    step.obstacles = world->obstacles.data;
    step.obstacleCount = (uint32_t)world->obstacles.count;
    step.masses = world->masses.data;
    step.tasks = world->def.tasks;
    step.profile = world->def.profile;
    return grzClothBody_Collide(world->colliders.data[slot].cloth, &step);
}

grzResult grzWorld_CollideCloth(grzWorld* world) {
    grzResult result = grzOk();
    for (size_t i = 0; i < world->clothSlots.count && grzResult_IsOk(result); ++i)
        result = collideCloth(world, world->clothSlots.data[i]);
    return result;
}

grzResult grzWorld_Mid(grzWorld* world) {
    const uint32_t count = (uint32_t)world->tables[world->now].rows.count;
    grzParallelFor(world->def.tasks, count, rowGrain, chooseBlock, world);
    grzResult result = advanceAnimated(world);
    return grzResult_IsOk(result) ? grzWorld_FindMeshContacts(world) : result;
}
