// What: what is to be looked for in each pair; animated meshes brought up to date; where meshes are met.
// Promise: kept contacts are those of pairs whose surfaces have moved against each other by no more than the stillness below since
//   they were found.
// Idea: a pair goes the cheapest way that its bodies allow. Animated meshes go on to the end of the step (graze/upkeep.h).
#include <string.h>

#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"
#include "world_narrow.h"

// How far, in margins, surfaces may have moved against each other since their contacts were found, to be kept.
static const float stillness = 0.25f;
// The same for flush faces, which keep their contacts longer: so tall stacks stand (grzTouchPoint). Slip in margins (and no more than a
// sixteenth of the smaller body's radius), and the sine of half the angle turned.
static const float flushSlip = 2.5f;
static const float flushTurn = 0.03f;

// The square of the sine of half the angle between two rotations, to first order. A body's rotation does not change its sign.
static float turnedSq(grzQuat a, grzQuat b) {
    const grzQuat d = grzQuat_AddScaled(a, -1.0f, b);
    return grzQuat_Dot(d, d);
}

// Whether the contacts lie spread over a face: then the two can only slide and lean, and their contacts tell of both. Not so of
// two meshes that have met, which tell of what has met alone: the rest of a plate would sink in beside it.
static bool isFlush(const grzWorld* world, const grzPairRow* row, const grzPairFound* last) {
    const bool areMeshes =
        world->traits.data[row->a].kind == grz_meshCollider && world->traits.data[row->b].kind == grz_meshCollider;
    return !areMeshes && last->touchCount == 1 && last->contactCount >= 3;
}

static bool isStill(const grzWorld* world, const grzPairRow* row, const grzPairFound* last) {
    const grzPairPose* pose = &row->poses[last->pose];
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    const float radiusA = world->traits.data[row->a].radius, radiusB = world->traits.data[row->b].radius;
    const float apart = grzLengthSq(grzSub(grzSub(b->center, a->center), pose->shift));
    const float turnA = turnedSq(a->rotation, pose->rotationA), turnB = turnedSq(b->rotation, pose->rotationB);
    if (isFlush(world, row, last)) {
        const float radius = radiusA < radiusB ? radiusA : radiusB;
        const float slip =
            flushSlip * world->def.margin < 0.0625f * radius ? flushSlip * world->def.margin : 0.0625f * radius;
        return apart <= slip * slip && turnA <= flushTurn * flushTurn && turnB <= flushTurn * flushTurn;
    }
    const float reach = stillness * world->def.margin;
    const float reachSq = reach * reach;
    return apart <= reachSq && 4.0f * turnA * radiusA * radiusA <= reachSq &&
           4.0f * turnB * radiusB * radiusB <= reachSq;
}

float grzWorld_Turning(const grzWorld* world, const grzPairRow* row) {
    return (world->motions.data[row->a].turning + world->motions.data[row->b].turning) * world->timeStep;
}

// No two points of the two bodies come nearer to each other by more than this in the step; but for what gravity adds to it, where that
// is within the margin. (Counted always, it finds contacts a step before they are met, which the solver's last substep then brakes for.)
float grzWorld_Approach(const grzWorld* world, const grzPairRow* row) {
    const grzMotion *a = &world->motions.data[row->a], *b = &world->motions.data[row->b];
    const float from = grzLength(grzSub(a->from, b->from)) * world->timeStep;
    const float to = grzLength(grzSub(a->to, b->to)) * world->timeStep;
    return (to > from + world->def.margin ? to : from) + grzWorld_Turning(world, row);
}

static grzPairWay wayOf(const grzWorld* world, const grzPairRow* row) {
    const uint8_t a = world->traits.data[row->a].kind, b = world->traits.data[row->b].kind;
    if (a == grz_clothCollider || b == grz_clothCollider)
        return a == b ? grz_pairNothing : grz_pairCloth;
    if (a == grz_animatedCollider || b == grz_animatedCollider)
        return grz_pairMesh;
    const grzPairFound* last = grzWorld_LastFound(world, row);
    if (last != NULL && isStill(world, row, last))
        return grz_pairRecycled;
    if (a == grz_meshCollider || b == grz_meshCollider)
        return grz_pairMesh;
    return grz_pairConvex;
}

static bool yields(const grzWorld* world, uint32_t body) {
    return (world->masses.data[body].flags & grz_bodyYields) != 0;
}

static bool keepsMesh(const grzWorld* world, const grzPairRow* row) {
    return row->way == grz_pairRecycled && grzWorld_LastFound(world, row)->meshCount != 0;
}

static float reachOf(const grzWorld* world, const grzPairRow* row) {
    const float approach = grzWorld_Approach(world, row);
    return world->def.margin + (approach > world->def.margin ? approach : 0.0f);
}

static void chooseBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageMid, "choose ways", worker);
    grzRowBlock* block = &world->rowBlocks.data[begin / GRZ_ROW_GRAIN];
    block->collided = block->recycled = block->cloths = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        row->way = (uint8_t)wayOf(world, row);
        block->collided += row->way == grz_pairConvex;
        block->recycled += row->way == grz_pairRecycled;
        block->cloths += row->way == grz_pairCloth;
        row->reach = row->way == grz_pairRecycled ? 0.0f : reachOf(world, row);
        row->isYielding = yields(world, row->a) || yields(world, row->b);
        block->meshes += row->way == grz_pairMesh || keepsMesh(world, row);
    }
    GRZ_ZONE_END(zone);
}

// -------------------------------------------------------------------------------------------------------- meshes

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
    const uint32_t count = grzWorld_PairCount(world);
    grzParallelForNear(world->def.tasks, count, GRZ_ROW_GRAIN, chooseBlock, world);
    grzResult result = advanceAnimated(world);
    uint32_t meshes = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        meshes += world->rowBlocks.data[i].meshes;
    return grzResult_IsOk(result) ? grzWorld_FindMeshCandidates(world, meshes != 0) : result;
}
